"""Chapter 05, models with different tokens: two reports, and three tokenizers of the Chinese tales."""

import functools
from functools import partial

import numpy as np

from lmcourse.hints.answers import plain_data
from lmcourse.hints.question import Mistake, Property, Question
from lmcourse.questions.shared.properties import FINITE

# --- compare ---------------------------------------------------------------------------------------------


def _bits_per_byte(report):
    return report["tokens"] * np.log2(report["perplexity"]) / report["bytes"]


def _same_text(one, other):
    return one["text"] == other["text"] and one["bytes"] == other["bytes"]


def _comparison(one, other, value=_bits_per_byte, judged=None, same=_same_text, all_known=True):
    """The dictionary, with another number, or another rule for the verdict."""
    judged = judged or value
    if not same(one, other):
        verdict = "two texts"
    elif all_known and (one["unknown"] or other["unknown"]):
        verdict = "unknown words"
    else:
        verdict = "one" if judged(one) < judged(other) else "other"
    return {"bits per byte": np.array([value(one), value(other)]), "verdict": verdict}


def referee(pairs, **changes):
    """Bits per byte of both reports of each pair, and which is better, or why that cannot be said."""
    found = [_comparison(one, other, **changes) for one, other in pairs]
    return {
        "bits per byte": np.array([pair["bits per byte"] for pair in found]),
        "verdicts": " / ".join(pair["verdict"] for pair in found),
    }


def _report(text, octets, tokens, bits_per_byte, unknown=0):
    """A report whose perplexity is per token, with five digits."""
    perplexity = float(f"{2 ** (bits_per_byte * octets / tokens):.5g}")
    return {"text": text, "bytes": octets, "tokens": tokens, "unknown": unknown, "perplexity": perplexity}


def _draw_pairs(rng):
    """Five pairs: longer tokens are the better model, or shorter ones, and three that are not comparable."""
    pairs = []
    for kind in rng.permutation(["long", "short", "two texts", "other count", "unknown"]):
        octets, level = int(rng.integers(4_000, 90_000)), rng.uniform(0.9, 2.2)
        long, short = int(octets / rng.uniform(4.0, 5.0)), int(octets / rng.uniform(2.0, 3.0))
        one = _report("a", octets, long, level)
        ratio = rng.uniform(0.75, 0.9) if kind == "short" else rng.uniform(1.05, 1.25)
        other = _report("a", octets, short, level * ratio)
        if kind == "two texts":
            other["text"] = "b"
        if kind == "other count":
            other["bytes"] = int(octets * 1.09)
        if kind == "unknown":
            one["unknown"] = int(0.04 * long)
        pairs.append((one, other) if rng.random() < 0.5 else (other, one))
    return (pairs,)


def _draw_pairs_with_unknown_words(rng):
    """Equally many unknown words on both sides; another text, and unknown words as well."""
    pairs = []
    for texts in ("aa", "ab", "aa"):
        octets, level = int(rng.integers(4_000, 90_000)), rng.uniform(0.9, 2.2)
        one = _report(texts[0], octets, int(octets / 4.5), level) | {"unknown": 30}
        other = _report(texts[1], octets, int(octets / 2.5), level * 1.2) | {"unknown": 30}
        pairs.append((one, other))
    pairs[1][1]["unknown"] = 0
    return (pairs,)


def _read_verdicts(given, *case):
    """The verdicts may be a list, and there may be no blank beside a stroke."""
    given = plain_data(given)
    verdicts = given.get("verdicts") if isinstance(given, dict) else None
    if isinstance(verdicts, list | tuple) and all(isinstance(verdict, str) for verdict in verdicts):
        verdicts = " / ".join(verdicts)
    if isinstance(verdicts, str):
        given = given | {"verdicts": " / ".join(" ".join(v.split()) for v in verdicts.split("/"))}
    return given, {}


COMPARE = Question(
    key="05.compare",
    title="which may be compared?",
    kind="implement",
    stars=2,
    points=2,
    right=referee,
    cases=(
        (
            [
                (_report("tales", 23_900, 5_600, 1.95), _report("tales", 23_900, 9_800, 2.15)),
                (_report("tales", 23_900, 9_700, 2.05), _report("tales", 23_900, 5_300, 2.4)),
                (_report("tales", 23_900, 5_200, 1.7, unknown=310), _report("tales", 23_900, 23_900, 2.1)),
                (_report("tales", 23_900, 5_600, 1.9), _report("letters", 31_400, 7_700, 1.5)),
                (_report("tales", 23_900, 9_900, 2.3), _report("tales", 26_000, 9_900, 2.1)),
            ],
        ),
        _draw_pairs(np.random.default_rng(531)),
    ),
    draw=_draw_pairs,
    reading=_read_verdicts,
    entry_points={"bits per byte": 1, "verdicts": 1},
    odd=(_draw_pairs_with_unknown_words,),
    mistakes=(
        Mistake(
            "M34",
            partial(referee, judged=lambda report: report["perplexity"]),
            "Your 'verdicts' follow the perplexity per token, which ranks models by the length of their "
            "tokens. Compare the bits per byte.",
        ),
        Mistake(
            "M28",
            partial(referee, all_known=False),
            "In a pair to which you give the verdict 'one' or 'other', a model has read words as <unk>. Its "
            "total does not say which words they were.",
        ),
        Mistake(
            "M39",
            partial(referee, same=lambda one, other: True),
            "You give a pair with different texts a verdict other than 'two texts'. Look at everything that "
            "two reports on one text must have in common.",
        ),
        Mistake(
            "M39",
            partial(referee, same=lambda one, other: one["text"] == other["text"]),
            "You give a pair with two different texts under one name a verdict other than 'two texts'. Look "
            "at everything that two reports on one text must have in common.",
        ),
        Mistake(
            "M36",
            partial(referee, value=lambda report: np.log2(report["perplexity"]), judged=_bits_per_byte),
            "Your numbers are in bits per token. Multiply by the number of tokens, and divide by the number "
            "of bytes.",
        ),
        Mistake(
            "L34",
            partial(referee, value=lambda r: r["bytes"] * np.log2(r["perplexity"]) / r["tokens"]),
            "Your ratio of counts is upside down: multiply the bits per token by the number of tokens, and "
            "divide by the number of bytes.",
        ),
        Mistake(
            "M1",
            partial(referee, value=lambda report: _bits_per_byte(report) * np.log(2)),
            "Your numbers are {ratio} = ln 2 times the right ones: they are nats per byte.",
        ),
        Mistake(
            "M35",
            partial(
                referee,
                value=lambda report: report["perplexity"] * report["tokens"] / report["bytes"],
                judged=_bits_per_byte,
            ),
            "You divide a perplexity among the bytes. Take its logarithm first: bits can be shared out.",
        ),
        Mistake(
            "L7",
            partial(referee, judged=lambda report: -_bits_per_byte(report)),
            "Your verdict names the model that needs more bits. The better model needs fewer.",
        ),
    ),
    properties=(FINITE,),
    advice="Before you ask which model needs fewer bits, ask whether both totals are for the same event: the "
    "same text, with nothing left unnamed.",
)

# --- tales -----------------------------------------------------------------------------------------------

NAMES = ("characters", "bytes", "pairs")


@functools.cache
def _tales():
    """The totals of the three models on the Chinese test tales, in bits, and the counts."""
    from lmmetrics import corpora, score_text
    from lmmetrics.ngram import NGramModel, WittenBell
    from lmmetrics.text import tokenize, train_bpe

    tales = corpora.load("tales-zh")
    settings = ("char", 2), ("byte", 4), (train_bpe(tales.train, 1000), 2)
    scores, missed = [], []
    for by, order in settings:
        train = tokenize(tales.train, by=by)
        test = tokenize(tales.test, by=by, vocabulary=train.vocabulary)
        scores.append(score_text(NGramModel(order, WittenBell()).fit(train), test))
        missed.append(test.unknown)
    known = set("".join(tales.train))
    return {
        "bits": np.array([score.bits for score in scores]),
        "tokens": np.array([score.tokens for score in scores]),
        "chars": scores[0].chars,
        "bytes": scores[0].bytes,
        "unknown": missed[0],
        "types": len(set("".join(tales.test)) - known),
    }


def tale_table(unit="bytes", naming=16.0, each="unknown", **given):
    """Perplexity per token, bits per byte before and after naming unknown characters, and who wins then."""
    tales = _tales()
    count = tales[unit]
    complete = tales["bits"] + np.array([naming * tales[each], 0.0, 0.0])
    table = {
        "per token": 2 ** (tales["bits"] / tales["tokens"]),
        "free": tales["bits"] / count,
        "unknown": tales["unknown"],
        "complete": complete / count,
        "best": NAMES[int(np.argmin(complete))],
    }
    return table | {key.replace("_", " "): value for key, value in given.items()}


TALES = Question(
    key="05.chinese-tales",
    title="three tokenizers of the Chinese tales",
    kind="compute",
    stars=2,
    points=3,
    form="value",
    right=tale_table,
    cases=((),),
    mistakes=(
        Mistake(
            "M34",
            lambda: tale_table(best=NAMES[int(np.argmin(tale_table()["per token"]))]),
            "Your 'best' has the lowest perplexity per token, because it has the shortest tokens. Compare "
            "the numbers of 'complete'.",
        ),
        Mistake(
            "M28",
            lambda: tale_table(best=NAMES[int(np.argmin(tale_table()["free"]))]),
            "Your 'best' has the fewest bits in 'free', where unknown characters are not named. Compare the "
            "numbers of 'complete'.",
        ),
        Mistake(
            "M29",
            partial(tale_table, naming=0.0),
            "Your 'complete' adds nothing. <unk> says that a character is unknown, but not which one it is.",
        ),
        Mistake(
            "L22",
            partial(tale_table, each="types"),
            "Your 'complete' names each distinct unknown character once. Each occurrence has to be named.",
        ),
        Mistake(
            "L22",
            lambda: tale_table(complete=(_tales()["bits"] + 16) / _tales()["bytes"], best="characters"),
            "Your 'complete' adds 16 bits to each total. That names a single character, but a model has "
            "to name every character that it has read as <unk>.",
        ),
        Mistake(
            "M1",
            lambda: tale_table(naming=16 * np.log(2)),
            "Your 'complete' adds nats to bits: one of 65,536 characters takes 16 bits, or 11.09 nats.",
        ),
        Mistake(
            "M38",
            partial(tale_table, unit="chars"),
            "You divide by the number of characters. The task asks for bits per UTF-8 byte.",
        ),
        Mistake(
            "M36",
            lambda: tale_table(free=_tales()["bits"] / _tales()["tokens"]),
            "Your 'free' is in bits per token, and each of the three models cuts the text into different "
            "tokens. Divide each total by the number of bytes.",
        ),
        Mistake(
            "M1",
            lambda: tale_table(free=tale_table()["free"] * np.log(2)),
            "Your 'free' is {ratio} = ln 2 times the right one: it is in nats.",
        ),
        Mistake(
            "M4",
            lambda: tale_table(per_token=_tales()["bits"] / _tales()["tokens"]),
            "Your 'per token' is in bits. The task asks for the perplexity.",
        ),
    ),
    alike=(("M29", "L22 (2)", "16 bits are less than a thousandth of a total"),),
    properties=(
        FINITE,
        Property(
            "'complete' has to be above 'free' for the characters, and equal to it for bytes and pairs, "
            "which leave nothing unknown",
            lambda table: (
                table["complete"][0] > table["free"][0]
                and np.allclose(table["complete"][1:], table["free"][1:])
            ),
        ),
    ),
    advice="For each score, use score.perplexity and score.bits_per('byte'). For 'complete', add the bits to "
    "score.bits before you divide by score.bytes.",
)

QUESTIONS = (COMPARE, TALES)
