"""The set of chapter 05: full marks when solved, what to do when not, and for wrong code its hint."""

import numpy as np
import pytest

from lmcourse.feedback import WrongAnswer, check
from lmcourse.questions.ch05.strings import LONGEST, PAGE_AS_STORED, PROGRAMS, STORED, logged
from lmcourse.questions.ch05.tokenizers import NAMES, TALES
from lmcourse.questions.ch05.unknown import STATEMENTS
from tests.questions.exercise_sets import ExerciseSet, SetTests, exchange

SET = ExerciseSet("05_ppl_bpc_conversion")
changed, written = SET.changed, SET.written
odd, breaks, right = SET.wrong_on_odd_inputs, SET.breaks, SET.right

changed("five-numbers", "M1", ("np.log2", "np.log"))
changed("five-numbers", "M3", ("np.log2", "np.log10"))
changed("five-numbers", "M2", ("2**per_word", "math.exp(per_word)"), ("2**per_char", "math.exp(per_char)"))
changed(
    "five-numbers",
    "M5",
    ("-np.log2(q)", "np.log2(q)"),
    ("2**per_word", "2**-per_word"),
    ("2**per_char", "2**-per_char"),
)
changed("five-numbers", "M5", ("-np.log2(q)", "np.log2(q)"))
changed("five-numbers", "M5", ("2**per_word", "2**-per_word"), ("2**per_char", "2**-per_char"))
changed(
    "five-numbers",
    "M1",
    ("np.log2", "np.log"),
    ("2**per_word", "np.exp(per_word)"),
    ("2**per_char", "np.exp(per_char)"),
)
changed(
    "five-numbers",
    "M1",
    ("2**per_word", "2 ** (per_word * math.log(2))"),
    ("2**per_char", "2 ** (per_char * math.log(2))"),
)
changed("five-numbers", "M36", ("2**per_char", "2**per_word"))
changed("five-numbers", "M35", ("2**per_char", "2**per_word * len(words) / len(text)"))
changed("five-numbers", "M37", ('" ".join', '"".join'))
changed("five-numbers", "M38", ("bits / len(text)\n", 'bits / len(text.encode("utf-8"))\n'))
changed("five-numbers", "M38", ('len(text.encode("utf-8"))', "len(text)"))
written(
    "five-numbers",
    "L1",
    """
    def five_numbers(words, q):
        bits = -np.log2(q).sum()
        rows = {f"bits per {unit}": bits for unit in ("word", "char", "byte")}
        return rows | {f"perplexity per {unit}": 2**bits for unit in ("word", "char")}
    """,
)

BITS = "mean * tokens / math.log(2)"
changed("training-loss", "M1", (BITS, "mean * tokens"))
BYTES = 'len(text.encode("utf-8"))'
changed("training-loss", "M3", (BITS, "mean * tokens / math.log(10)"))
changed(
    "training-loss", "M6", ("F.cross_entropy(logits, targets", "F.cross_entropy(logits.softmax(1), targets")
)
changed("training-loss", "M36", (f"{BITS} / {BYTES}", "mean / math.log(2)"))
changed("training-loss", "L3", (f"{BITS} / {BYTES}", f"mean / math.log(2) * {BYTES} / tokens"))
changed("training-loss", "M38", ('len(text.encode("utf-8"))', "len(text)"))
changed("training-loss", "M19", ("(targets != ignore_index).sum().item()", "targets.numel()"))
changed(
    "training-loss",
    "M20",
    ("targets, ignore_index=ignore_index", "targets % logits.shape[-1]"),
    ("(targets != ignore_index).sum().item()", "len(targets)"),
)
changed("training-loss", "M4", (f"{BITS} / {BYTES}", f"math.exp(mean * tokens / {BYTES})"))
changed("training-loss", "L1", (BITS, "mean / math.log(2)"))
changed("training-loss", "L1", (f" / {BYTES}", ""))
changed("training-loss", "L3", (BITS, "mean * tokens * math.log(2)"))

changed("exponents", "M35", ("P ** (t / w)", "P * t / w"))
changed("exponents", "L3", ("P ** (t / w)", "P ** (w / t)"))
changed("exponents", "M36", ("t * sp.log(P, 2) / c", "sp.log(P, 2)"))
changed("exponents", "L3", ("t * sp.log(P, 2) / c", "c * sp.log(P, 2) / t"))
changed("exponents", "M1", ("t * sp.log(P, 2) / c", "t * sp.log(P) / c"))
PER_CHAR = "t * sp.log(P, 2) / c"
changed("exponents", "M1", ("P ** (t / w)", "2 ** (t * sp.log(P) / w)"))
changed("exponents", "M2", ("P ** (t / w)", "sp.exp(t * sp.log(P, 2) / w)"))
changed("exponents", "M4", ("P ** (t / w)", "t * sp.log(P) / w"))
changed("exponents", "L3", (PER_CHAR, "t * sp.log(P) * sp.log(2) / c"))
changed("exponents", "L9", (PER_CHAR, "P * t / c"))
changed("exponents", "M36", (PER_CHAR, "t * sp.log(P, 2) / w"))
changed("exponents", "M36", ("P ** (t / w)", "P ** (t / c)"))
changed("exponents", "L1", ("P ** (t / w)", "P**t"))
changed("exponents", "L9", (PER_CHAR, "sp.log(P * t / c, 2)"))
changed("exponents", "L1", (PER_CHAR, "sp.log(P, 2) / c"))
changed("exponents", "M3", (PER_CHAR, "t * sp.log(P, 10) / c"))
changed("exponents", "L9", ("sp.log(P, 2) / B", "sp.log(P / B, 2)"))
breaks(
    "forensics",
    '"counts": L9, .*"verdicts": not one',
    ('r["unit"] == "bits per character"', "True"),
)
breaks(
    "forensics", 'Wrong: "verdicts". Not the value', ("abs(suspects[name] - count)", "suspects[name] - count")
)
breaks("converter", "nan in 'bits'", ("math.nan)\n", "0.0)\n"), ("math.isnan(b)", "b == 0"))
odd(
    "compare",
    (
        'one["text"] != other["text"] or one["bytes"] != other["bytes"]',
        'not one["unknown"] and (one["text"] != other["text"] or one["bytes"] != other["bytes"])',
    ),
)
breaks(
    "exponents",
    '"bits per char": M1, .*"break-even": M1, ',
    (PER_CHAR, "t * sp.log(P) / c"),
    ("sp.log(P, 2) / B", "sp.log(P) / B"),
)
right(
    "exponents",
    """
    x = sp.Symbol("P")
    exponent = {
        "perplexity per word": sp.exp(t * sp.log(x)) ** (1 / w),
        "bits per char": sp.log(x ** (t / c)) / sp.log(2),
        "break-even": sp.log(x, 10) / (B * sp.log(2, 10)),
    }
    """,
)
changed("exponents", "L9", ("sp.log(P, 2) / B", "P / B"))
changed("exponents", "M1", ("sp.log(P, 2) / B", "sp.log(P) / B"))
changed("exponents", "L7", ("sp.log(P, 2) / B", "B / sp.log(P, 2)"))

POWERS = '"perplexity": 2**bits'
SHARED = "given * counts[unit] / counts[u]"
changed("converter", "M35", (POWERS, '"perplexity": 2**given * bits / given'))
changed("converter", "L3", (SHARED, "given * counts[u] / counts[unit]"))
changed("converter", "M36", (SHARED, "given"))
changed("converter", "M1", ("math.log2", "math.log"))
changed("converter", "M1", ("math.log2", "math.log"), (POWERS, '"perplexity": np.exp(bits)'))
changed("converter", "M1", ('"bits": bits', '"bits": bits * math.log(2)'))
changed(
    "converter",
    "M1",
    ("math.log2", "math.log"),
    (POWERS, '"perplexity": (math.e if kind == "perplexity" else 2.0) ** bits'),
)
changed("converter", "M1", (POWERS, '"perplexity": 2.0 ** (bits * math.log(2))'))
changed("converter", "M2", (POWERS, '"perplexity": np.exp(bits)'))
changed("converter", "M4", ('math.log2(value) if kind == "perplexity" else value', "value"))
written(
    "converter",
    "M37",
    """
    UNITS = ("token", "word", "char", "byte")


    def every_unit(value, kind, unit, counts):
        given = math.log2(value) if kind == "perplexity" else value
        counts = dict(counts)
        if "char" not in counts:
            counts["char"] = 5 * counts.get("word", 100)
        for u, rate in {"byte": 1, "word": 1 / 5, "token": 1 / 4}.items():
            counts.setdefault(u, counts["char"] * rate)
        bits = np.array([given * counts[unit] / counts[u] for u in UNITS])
        return {"bits": bits, "perplexity": 2**bits, "refused": "none"}
    """,
)

FOUND = '{"page": own, "counts what is scored": "B", '
for name, letter in {"M39": "A", "M38": "C", "M37": "D"}.items():
    changed("page", name, (FOUND, FOUND.replace("B", letter)))
changed("page", "L34", ('" ".join(named[count] for count in implied)', '"C D A"'))
right(
    "page",
    """
    findings = {"page": "Zażo\\u0301łć  \\r\\n", "counts what is scored": " b ", "logs": ["A", "D", "C"]}
    """,
)
right(
    "page", 'findings = {"page": "é e\u0301\\r\\n", "counts what is scored": np.str_("B"), "logs": "a, d, c"}'
)

written("evaluator", "M38 + M39", "evaluate = evaluate_as_found")
changed("evaluator", "M38", ("chars += len(scored)", 'chars += len(scored.encode("utf-8"))'))
changed(
    "evaluator",
    "M39",
    ("chars += len(scored)", "chars += len(page)"),
    ("len(scored.split())", "len(page.split())"),
)
changed("evaluator", "M39", ("len(scored.split())", "len(page.split())"))
changed("evaluator", "M39", ("scored = detokenise(page)", "scored = page"))
changed("evaluator", "M38 + M39", ("chars += len(scored)", 'chars += len(page.encode("utf-8"))'))
changed("evaluator", "M39", ("chars += len(scored)", "chars += len(page)"))
changed("evaluator", "M36", ("total / math.log(2) / chars", "total / math.log(2) / words"))
changed("evaluator", "L3", ("total / math.log(2) / chars", "total * math.log(2) / chars"))
changed("evaluator", "M37", ("chars += len(scored)", 'chars += len("".join(scored.split()))'))
changed("evaluator", "M2", ("math.exp(total / words)", "math.exp(total / words / math.log(2))"))
changed("evaluator", "M1", ("math.exp(total / words)", "2 ** (total / words)"))
changed("evaluator", "M1", ("total / math.log(2) / chars", "total / chars"))
written(
    "evaluator",
    "M9",
    """
    def evaluate(pages, nats):
        bits, logs = [], []
        for page in pages:
            scored = detokenise(page)
            total = sum(nats[character] for character in scored)
            bits.append(total / math.log(2) / len(scored))
            logs.append(total / len(scored.split()))
        return {"bits per char": np.mean(bits), "perplexity per word": math.exp(np.mean(logs))}
    """,
)

RATIO, ROOT = "math.log(word) / math.log(byte)", "other ** (1 / bytes_per_word)"
changed("harness", "L9", (RATIO, "word / byte"))
changed("harness", "L7", (RATIO, "math.log(byte) / math.log(word)"))
changed("harness", "L7", ('"bytes per word": ', '"bytes per word": 1 / '))
changed("harness", "M36", (ROOT, "other"))
changed("harness", "M35", (ROOT, "other / bytes_per_word"))
changed("harness", "L9", (ROOT, "byte * other / word"))
changed("harness", "L3", (ROOT, "other**bytes_per_word"))
changed("harness", "M36", ("math.log2(byte_perplexity)", "math.log2(other)"))
changed("harness", "M4", ("math.log2(byte_perplexity)", "byte_perplexity"))
changed("harness", "L8", ('"byte perplexity": byte_perplexity', '"byte perplexity": byte'))
changed("harness", "M1", ("math.log2(byte_perplexity)", "math.log(byte_perplexity)"))

NOT_SCORED = ('"</s>": "scored"', '"</s>": "not scored"')
ALL_TOKENS = "tokens=78_669 + 3_761"
PER_CHAR, PER_WORD = 'line.bits_per("char")', 'line.perplexity_per("word")'
changed("card", "M25", (ALL_TOKENS, "tokens=78_669"), NOT_SCORED)
changed("card", "M25", (ALL_TOKENS, "tokens=78_669"))
changed("card", "M25", (PER_WORD, "57.3"), ('"unit": "token"', '"unit": "word"'))
changed("card", "M25", (PER_WORD, "57.3"))
changed("card", "M36", (PER_CHAR, 'line.bits_per("word")'))
changed("card", "M36", (PER_CHAR, 'line.bits_per("token")'))
changed("card", "M37", (PER_CHAR, "math.log2(57.3) / 5"))
changed("card", "M37", ("chars=442_423", "chars=442_423 - 78_669"))
changed("card", "M35", (PER_WORD, "57.3 * (78_669 + 3_761) / 78_669"))
changed("card", "L3", (PER_WORD, "57.3 ** (78_669 / (78_669 + 3_761))"))
changed("card", "M1", (PER_CHAR, 'line.nats_per("char")'))
changed("card", "M28", ('"one symbol"', '"left out"'))
changed("card", "M29", ('"one symbol"', '"spelled"'))
changed("card", "M39", ('"against raw text": "no"', '"against raw text": "yes"'))

NAMED = "np.exp((nats.sum() + naming) / len(nats))"
changed("unknown", "M28", ('"free": np.exp(nats.mean())', '"free": np.exp(nats[~unknown].mean())'))
changed("unknown", "L27", ("np.exp(nats[~unknown].mean())", "np.exp(nats[~unknown].sum() / len(nats))"))
changed("unknown", "L31", *exchange('"left out"', '"free"'))
changed("unknown", "M29", (NAMED, "np.exp(nats.mean())"))
changed("unknown", "M35", (NAMED, "np.exp(nats.mean()) * M"))
changed("unknown", "M35", (NAMED, "np.exp(nats.mean()) * (1 + M * unknown.mean())"))
changed("unknown", "L27", ('"free": np.exp(nats.mean())', '"free": np.exp(nats.sum() / (~unknown).sum())'))
changed("unknown", "M29", ("+ naming", "- naming"))
changed(
    "unknown",
    "L35",
    ("def with_unknown(nats, unknown, M):", "def with_unknown(nats, unknown, M):\n    unknown = ~unknown"),
)
changed(
    "unknown",
    "M11",
    ("np.exp(nats.mean())", "np.exp(nats).mean()"),
    ("np.exp(nats[~unknown].mean())", "np.exp(nats[~unknown]).mean()"),
)
changed("unknown", "M4", ('"free": np.exp(nats.mean())', '"free": nats.mean()'))
changed("unknown", "L22", ("unknown.sum() * np.log(M)", "np.log(M)"))
changed("unknown", "M2", ("np.log(M)", "np.log2(M)"))
changed("unknown", "L27", (NAMED, "np.exp((nats.sum() + naming) / (~unknown).sum())"))

A, C = '"A": ([5.0, 5.0, 0.1], [False, False, True])', '"C": (5_000, 8.0, 1_000, 100.0)'
changed("always", "M28", (A, '"A": "always"'))
changed("always", "M34", (C, '"C": "always"'))
changed("always", "M34", (A, '"A": "always"'), (C, '"C": "ALWAYS"'))
right(
    "always",
    """
    verdict = {
        "A": (np.array([3, 1]), np.array([0, 1])),
        "B": "always.",
        "C": [sp.Integer(9), sp.Integer(2), np.int64(1), 4.0],
        "D": " Always",
    }
    """,
)

BETTER = "bits[0] < bits[1]"
changed("compare", "M34", (BETTER, 'one["perplexity"] < other["perplexity"]'))
changed("compare", "M28", ('one["unknown"] or other["unknown"]', "False"))
changed("compare", "M39", ('one["text"] != other["text"] or one["bytes"] != other["bytes"]', "False"))
changed("compare", "M39", (' or one["bytes"] != other["bytes"]', ""))
changed(
    "compare", "M36", ("numbers.append(bits)", 'numbers.append([math.log2(r["perplexity"]) for r in pair])')
)
changed(
    "compare",
    "L34",
    (
        'r["tokens"] * math.log2(r["perplexity"]) / r["bytes"]',
        'r["bytes"] * math.log2(r["perplexity"]) / r["tokens"]',
    ),
)
changed("compare", "M1", ("math.log2", "math.log"))
changed(
    "compare",
    "M35",
    ("numbers.append(bits)", 'numbers.append([r["perplexity"] * r["tokens"] / r["bytes"] for r in pair])'),
)
changed("compare", "L7", (BETTER, "bits[0] > bits[1]"))

BEST = "min(named, key=named.get)"
changed("chinese-tales", "M34", (BEST, "min(scores, key=lambda name: scores[name].perplexity)"))
changed("chinese-tales", "M28", (BEST, "min(scores, key=lambda name: scores[name].bits)"))
changed("chinese-tales", "M29", ("16 * unknown[name]", "0"))
changed(
    "chinese-tales",
    "L22",
    (
        "16 * unknown[name]",
        '16 * len(set("".join(tales.test)) - set("".join(tales.train))) * (name == "characters")',
    ),
)
changed("chinese-tales", "L22", ("16 * unknown[name]", "16"))
changed("chinese-tales", "M1", ("16 * unknown[name]", "math.log(65_536) * unknown[name]"))
changed("chinese-tales", "M38", ("score.bytes", "score.chars"), ('bits_per("byte")', 'bits_per("char")'))
changed("chinese-tales", "M36", ('bits_per("byte")', 'bits_per("token")'))
changed("chinese-tales", "M1", ('bits_per("byte")', 'nats_per("byte")'))
changed("chinese-tales", "M4", ("score.perplexity for", 'score.bits_per("token") for'))

SHARE = '(r["reported"] if is_bits else math.log2(r["reported"]))'
APPEND = "counts.append(count)"
changed("forensics", "L9", (APPEND, 'counts.append(r["bits"] / r["reported"])'))
changed("forensics", "M1", (APPEND, f"counts.append(r['bits'] / {SHARE.replace('log2', 'log')})"))
changed("forensics", "L7", (APPEND, "counts.append(1 / count)"))
changed("forensics", "L28", *((f'"none": r["{unit}"], ', "") for unit in ("tokens", "words", "chars")))
odd("five-numbers", ("len(text)", "(len(text) if len(words) > 1 else len(text) + 1)"))
odd("converter", ('or "none"', 'or ""'))
odd("unknown", ("unknown.sum() * np.log(M)", "max(1, unknown.sum()) * np.log(M)"))
odd("compare", ('one["unknown"] or other["unknown"]', 'one["unknown"] != other["unknown"]'))
odd("compare", ('if one["text"] != other["text"]', 'if not one["unknown"] and one["text"] != other["text"]'))
odd("converter", ('if kind == "perplexity"', "if value > 3"))
odd(
    "forensics",
    ('r["bits"] / math.log2(per_token * r["tokens"] / r["words"])', 'r["tokens"]'),
)
odd(
    "training-loss",
    ("targets, ignore_index=ignore_index", "targets, ignore_index=-100"),
    ("!= ignore_index", "!= -100"),
)
odd("training-loss", ("(targets != ignore_index)", "(targets >= 0)"))


right("compare", SET.tasks["compare"].replace('" / ".join(verdicts)', "verdicts"))
right("converter", SET.tasks["converter"].replace('" ".join(refused) or "none"', "refused"))
right("forensics", SET.tasks["forensics"].replace('" ".join(verdicts)', '", ".join(verdicts)'))


class TestSet(SetTests):
    exercises = SET
    # the published lines of Task 6
    given_in_tasks = frozenset({"1.968", "0.976", "1.532", "0.616"})


def test_the_evaluator_detokenises_as_students_see_it():
    detokenise = SET.names_before["evaluator"]["detokenise"]
    for pages, _ in SET.questions["05.evaluator"].cases:
        for page in pages:
            expected = page
            for stored, text in STORED:
                expected = expected.replace(stored, text)
            assert detokenise(page) == expected


def test_the_tales_are_scored_as_students_score_them():
    """The notebook's three models pay what the question's do, and three columns have three winners."""
    theirs, table = SET.names_before["chinese-tales"]["scores"], TALES.right()
    np.testing.assert_allclose(
        [score.perplexity for score in theirs.values()], table["per token"], rtol=1e-12
    )
    winners = [NAMES[int(np.argmin(table[column]))] for column in ("per token", "free", "complete")]
    assert winners == ["bytes", "characters", "pairs"]


def test_the_published_lines_follow_from_one_count():
    """GPT-2 and Mistral, to all four digits that the harness printed."""
    harness = SET.questions["05.harness"]
    for case, (byte, bits) in zip(harness.cases, [(1.9682, 0.9769), (1.5329, 0.6163)], strict=True):
        line = harness.right(*case)
        assert round(line["byte perplexity"], 4) == byte
        assert round(line["bits per byte"], 4) == bits


def test_leaving_unknown_words_out_errs_both_ways():
    question = SET.questions["05.unknown"]
    signs = [np.sign(p["left out"] - p["free"]) for p in (question.right(*case) for case in question.cases)]
    assert sorted(signs) == [-1, 1]


def test_the_page_of_the_task_is_the_one_that_is_judged():
    names = SET.names_before["page"]
    assert names["page"] == PAGE_AS_STORED
    for name, count in names["programs"].items():
        assert count(PAGE_AS_STORED) == PROGRAMS[name](PAGE_AS_STORED)
    assert len({count(PAGE_AS_STORED) for count in PROGRAMS.values()}) == 4
    [text] = [cell.source for cell in SET.solved.cells if "Three logs report" in cell.source]
    assert "{:.4f}, {:.4f} and {:.4f}".format(*logged(names["total"])) in text
    assert f"at most {LONGEST} code points" in text


def _with(task, changes):
    names = dict(SET.names_before[task])
    exec(SET.tasks[task], names)
    return names[{"page": "findings", "always": "verdict"}[task]] | changes


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"page": "plain"}, "A and B give the same number"),
        ({"page": "e\u0301"}, "B and D give the same number"),
        ({"page": "\r\n"}, "A and C give the same number"),
        ({"page": "e\u0301\r\n" * 4}, "12 are allowed"),
        ({"page": b"e"}, "give one string"),
        ({"counts what is scored": "NFC"}, "one of the letters"),
        ({"logs": "A D"}, "give three letters"),
        ({"logs": "A C D"}, "one of your three letters is right"),
        ({"logs": "B B B"}, "none of your three letters is right"),
        ({"logs": "ABC"}, "two of your three letters are right"),
    ],
)
def test_a_finding_that_is_none_is_refused_with_its_reason(changes, says):
    with pytest.raises(WrongAnswer, match=says) as caught:
        check("05.page", _with("page", changes))
    assert caught.value.points == 2


@pytest.mark.parametrize(
    ("key", "entry", "says"),
    [
        ("A", ([1.0, 5.0], [False, True]), "which is below"),
        ("A", ([1.0, 5.0], [False, False]), "at least one known token and one unknown one"),
        ("A", ([1.0, 5.0], [False]), "same length"),
        ("A", ([-1.0, 5.0], [False, True]), "below 0"),
        ("A", ([1.0, 5.0], ["no", "yes"]), "True and False"),
        ("A", (0.5, 0.6), "not a list of numbers"),
        ("B", ([1.0, 5.0], [False, True], 100), "naming brings the perplexity"),
        ("B", ([1.0, 5.0], [False, True], 0.5), "whole number of at least 2"),
        ("C", (1_000, 100.0, 5_000, 8.0), "P1 to be below P2"),
        ("C", (1_000, 8.0, 1_000, 100.0), "not above that of the second"),
        ("C", (8.0, 100.0), "form has to be"),
        ("D", (90, 100, 10, 50), "0.9 times"),
        ("D", "never", "or give an example"),
    ],
)
def test_an_example_that_is_none_is_refused_with_its_reason(key, entry, says):
    with pytest.raises(WrongAnswer, match=says) as caught:
        check("05.always", _with("always", {key: entry}))
    assert caught.value.points == 3


def test_what_always_holds_has_no_example_against_it():
    rng, refuted = np.random.default_rng(6), set()
    for _ in range(500):
        nats, unknown = rng.gamma(2.0, size=6), rng.permutation(6) < rng.integers(1, 6)
        total = rng.uniform(1, 9, size=2)
        cases = {
            "A": (nats, unknown),
            "B": (nats, unknown, float(rng.integers(2, 99))),
            "C": (float(rng.integers(1, 99)), total.min(), float(rng.integers(1, 99)), total.max()),
            "D": tuple(rng.uniform(1, 9, size=4)),
        }
        refuted |= {key for key, case in cases.items() if not STATEMENTS[key][1](*case)}
    assert refuted == {"A", "C"}
