"""The set of chapter 01: full marks when solved, what to do when not, and for wrong code its hint."""

from itertools import product

import numpy as np
import pytest

from lmcourse.feedback import WrongAnswer, check
from tests.questions.exercise_sets import ExerciseSet, SetTests

SET = ExerciseSet("01_chain_rule")
changed, written, right, units = SET.changed, SET.written, SET.right, SET.in_wrong_units
odd = SET.wrong_on_odd_inputs

NATS = "-np.log(factors).sum()"
FACTORS = "np.append(start[words[0]], table[words[:-1], words[1:]])"
units("text-probability", NATS)
changed("text-probability", "L1", (NATS, "-np.log(factors).mean()"))
changed("text-probability", "L4", ("factors.prod()", "factors.sum()"))
changed("text-probability", "L4", ("factors.prod()", "factors.mean()"))
changed("text-probability", "L10", (FACTORS, "np.append(1.0, table[words[:-1], words[1:]])"))
changed(
    "text-probability", "L10", ("factors.prod()", "factors[1:].prod()"), (NATS, "-np.log(factors[1:]).sum()")
)
changed("text-probability", "L16", ("table[words[:-1], words[1:]]", "table[words[1:], words[:-1]]"))
written(
    "text-probability",
    "L20",
    """
    def text_probability(start, table, words):
        factors = np.array([table[words[i - 1], words[i]] for i in range(len(words))])
        return {"factors": factors, "joint": factors.prod(), "nats": -np.log(factors).sum()}
    """,
)
changed("text-probability", "L24", (FACTORS, "start[words]"))
changed("text-probability", "L1", ("factors.prod()", "factors.prod() ** (1 / len(words))"))
changed("text-probability", "M6", ("factors.prod()", "np.log(factors).sum()"))
changed("text-probability", "M6", ('"factors": factors', '"factors": np.log(factors)'))
changed("text-probability", "L19", ('"factors": factors', '"factors": np.cumprod(factors)'))

changed("text-probability", "M6", ('"factors": factors', '"factors": -np.log(factors)'))
changed("text-probability", "M6", (NATS, "factors.prod()"))
changed("text-probability", "L25", ("factors.prod()", "factors[-1]"))
TOTALS = "np.array([words.sum() + (end or 0.0) for words, end in candidates])"
CHOICE = "-1 if candidates[best][1] is None else best"
WORDS_ONLY = "np.array([words.sum() for words, end in candidates])"
WITH_END = "np.array([np.mean([*words, *([] if end is None else [end])]) for words, end in candidates])"
changed("transcripts", "L21", (TOTALS, WORDS_ONLY), (CHOICE, "best"))
changed("transcripts", "L21", ('"totals": totals', f'"totals": {WORDS_ONLY}'))
changed("transcripts", "L21", (CHOICE, f"{WORDS_ONLY}.argmax()"))
changed(
    "transcripts",
    "L1",
    ('"totals": totals', '"totals": np.array([words.mean() for words, end in candidates])'),
)
changed("transcripts", "L1", ('"totals": totals', f'"totals": {WITH_END}'))
changed("transcripts", "L1", (CHOICE, "np.argmax([words.mean() for words, end in candidates])"))
changed("transcripts", "L1", (CHOICE, f"{WITH_END}.argmax()"))
changed("transcripts", "M2", ('"totals": totals', '"totals": totals / np.log(2)'))
changed("transcripts", "M3", ('"totals": totals', '"totals": totals / np.log(10)'))
KNOWN = "np.array([words.sum() + ({} if end is None else end) for words, end in candidates])"
changed("transcripts", "L41", ('"totals": totals', f'"totals": {KNOWN.format("np.nan")}'))
changed("transcripts", "L41", ('"totals": totals', f'"totals": {KNOWN.format("-np.inf")}'))
changed("transcripts", "M6", ('"totals": totals', '"totals": np.exp(totals)'))
changed("transcripts", "M5", ('"totals": totals', '"totals": -totals'))
changed("transcripts", "L41", (CHOICE, "best"))
changed("transcripts", "L11", (CHOICE, "-1 if any(end is None for _, end in candidates) else best"))
changed(
    "transcripts",
    "L41",
    (CHOICE, "max((t, i) for i, t in enumerate(totals) if candidates[i][1] is not None)[1]"),
)
changed("transcripts", "L7", (CHOICE, "totals.argmin()"))
changed("transcripts", "L23", (CHOICE, f"({CHOICE}) + 1"))
right(
    "transcripts",
    """
    def choose(candidates):
        totals, best = [], None
        for words, end in candidates:
            totals.append(sum(words) if end is None else sum(words) + end)
        order = sorted(range(len(candidates)), key=lambda i: -totals[i])
        return {"totals": totals, "choice": order[0] if candidates[order[0]][1] is not None else None}
    """,
)
changed("text-probability", "L1 and M2", (NATS, "-np.log2(factors).mean()"))

SECOND, THIRD = "pairs / first[:, None]", "joint / pairs[:, :, None]"
changed("conditionals", "L19", (SECOND, "pairs"), (THIRD, "joint"))
changed("conditionals", "L19", (SECOND, "pairs"))
changed("conditionals", "L19", (THIRD, "joint"))
changed("conditionals", "L19", (THIRD, "joint / first[:, None, None]"))
changed(
    "conditionals", "L16", (SECOND, "pairs / pairs.sum(axis=0)"), (THIRD, "joint / joint.sum(axis=(0, 1))")
)
changed("conditionals", "L16", (SECOND, "pairs / pairs.sum(axis=0)"))
changed("conditionals", "L16", (THIRD, "joint / joint.sum(axis=(0, 1))"))
changed("conditionals", "L16", (THIRD, "joint / joint.sum(axis=0, keepdims=True)"))
changed("conditionals", "L16", ('"first": first', '"first": joint.sum(axis=(0, 2))'))
changed("conditionals", "L24", (SECOND, "np.tile(pairs.sum(axis=0), (len(joint), 1))"))
changed("conditionals", "L16", ('"first": first', '"first": joint.sum(axis=0).sum(axis=0)'))
written(
    "conditionals",
    "L24",
    """
    def factors_of(joint):
        first, pairs = joint.sum(axis=(1, 2)), joint.sum(axis=2)
        following = joint.sum(axis=0)
        third = np.stack([following / following.sum(axis=1, keepdims=True)] * len(joint))
        return {"first": first, "second": pairs / first[:, None], "third": third}
    """,
)

changed(
    "length-masses",
    "M27",
    ("masses = [start[-1]]", "masses = [1.0]"),
    ("at_word @ table[:, -1]", "at_word.sum()"),
)
changed(
    "length-masses",
    "L23",
    ("return np.array(masses)", "return np.array(masses[1:])"),
    ("range(longest)", "range(longest + 1)"),
)
changed("length-masses", "L23", ("return np.array(masses)", "return np.array([0.0, *masses[:-1]])"))
changed("length-masses", "L16", ("at_word @ table[:, :-1]", "table[:, :-1] @ at_word"))
changed(
    "length-masses",
    "L24",
    ("at_word @ table[:, -1]", "at_word.sum() * start[-1]"),
    ("at_word @ table[:, :-1]", "at_word.sum() * start[:-1]"),
)
changed("length-masses", "L21", ("masses = [start[-1]]", "masses = [0.0]"))
changed("length-masses", "L24", ("at_word @ table[:, :-1]", "at_word * table[:, :-1].sum(axis=1)"))
changed("length-masses", "L13", ("return np.array(masses)", "return np.array(masses) / sum(masses)"))
changed("length-masses", "L13", ("return np.array(masses)", "return np.cumsum(masses)"))

FADES, LATE, EARLY = '"fades and ends": (0.5, 1)', '"late and ends": (0.0008, 0)', '"early and leaks": (3, 2)'
changed("endings", "L42", (FADES, '"fades and ends": (0.5, 2)'))
changed("endings", "L42", (LATE, '"late and ends": (0.004, 2)'))
changed("endings", "L42", (EARLY, '"early and leaks": (0.5, 0.5)'))
right(
    "endings",
    """
    designs = {"fades and ends": [1, 0.5], "late and ends": (1e-4, 1)}
    designs["early and leaks"] = np.array([2, 1.5])
    """,
)
right(
    "endings",
    """
    designs = {
        "fades and ends": (sp.Rational(1, 2), sp.Rational(1, 3)),
        "late and ends": {"a": 0.001, "c": 0.3},
        "early and leaks": (7, 3),
    }
""",
)

CASE_A, CASE_C = '"A": [0.01] * 200', '"C": ([0.1, 0.1], 0.9)'
changed("in-log-space", "M45", (CASE_A, '"A": "always"'))
changed("in-log-space", "L1", (CASE_C, '"C": "always"'))
changed("in-log-space", "M45 + L1", (CASE_A, '"A": "Always."'), (CASE_C, '"C": "always"'))
right(
    "in-log-space",
    """
    claims = {"A": np.full(5000, 0.5), "B": "ALWAYS", "C": [np.array([0.2]), np.float32(0.3)], "D": "always."}
    """,
)

CASE_C, CASE_D = '"C": [0]', '"D": [0]'
changed("four-programs", "M32", (CASE_C, '"C": "always"'))
changed("four-programs", "M47", (CASE_D, '"D": "always"'))
changed("four-programs", "M32 + M47", (CASE_C, '"C": "always"'), (CASE_D, '"D": "always"'))
right(
    "four-programs",
    'programs = {"A": "always", "B": "Always", "C": np.array([1, 2]), "D": (2, 2, 1, 0)}',
)

changed("parameters", "L11", ("contexts * (V - 1)", "contexts * V"))
changed("parameters", "L19", ("contexts * (V - 1)", "V**n - 1"))
changed("parameters", "L23", ("contexts = V ** (n - 1)", "contexts = V**n"))
changed("parameters", "L23", ("(N - n + 1) / V**n", "N / V**n"))
changed("parameters", "L24", ("contexts * (V - 1)", "V - 1"))
changed("parameters", "L23", ("(N - n + 1) / V**n", "(N - n) / V**n"))
changed("parameters", "L22", ("(N - n + 1) / V**n", "N - n + 1"))
changed("parameters", "L22", ("contexts * (V - 1)", "contexts"))
changed("parameters", "L11", ("contexts * (V - 1)", "(V - 1) ** n"))
changed("parameters", "L4", ("contexts * (V - 1)", "n * (V - 1)"))
changed("parameters", "L4", ("contexts * (V - 1)", "V * (n - 1) * (V - 1)"))
changed("parameters", "L34", ("(N - n + 1) / V**n", "V**n / (N - n + 1)"))
right(
    "parameters",
    """
    size = {"free": V**n - V ** (n - 1), "share": sp.Rational(1) / V**n * sp.Add(N, -n, 1, evaluate=False)}
    """,
)
changed("parameters", "L16", ("(N - n + 1) / V**n", "(N - n + 1) / contexts"))

REGRET = "-np.log(weights.mean())"
units("who-wrote-it", REGRET)
written("who-wrote-it", "M45", "who_wrote = who_wrote_as_found")
written(
    "who-wrote-it",
    "M45",
    """
    def who_wrote(q):
        joint = np.exp(np.log(q).sum(axis=1))
        return {"posterior": joint / joint.sum(), "regret": np.log(joint.max()) - np.log(joint.mean())}
    """,
)
changed("who-wrote-it", "L1", ("np.log(q).sum(axis=1)", "np.log(q).mean(axis=1)"))
changed("who-wrote-it", "L30", (REGRET, "log_probs.max() - log_probs.mean()"))
changed("who-wrote-it", "L25", (REGRET, "-np.log(weights.max() / len(q))"))
changed("who-wrote-it", "L22", (REGRET, "-np.log(weights.sum())"))
POSTERIOR = "weights / weights.sum()"
MEANS = "np.log(q).mean(axis=1)"
changed("who-wrote-it", "L1", (POSTERIOR, f"np.exp({MEANS}) / np.exp({MEANS}).sum()"))
changed("who-wrote-it", "M6", (POSTERIOR, "log_probs"))
changed("who-wrote-it", "M6", (POSTERIOR, f"np.log({POSTERIOR})"))
changed("who-wrote-it", "M33", (POSTERIOR, "weights"))
changed("who-wrote-it", "L22", (REGRET, "-log_probs.max() - np.log(weights.mean())"))
changed("who-wrote-it", "L22", (REGRET, "-np.log((weights / weights.sum()).max())"))
changed("who-wrote-it", "L7", (REGRET, "np.log(weights.min()) - np.log(weights.mean())"))
changed("who-wrote-it", "M6", (POSTERIOR, "log_probs / log_probs.sum()"))
changed("who-wrote-it", "L6", (POSTERIOR, "(weights == 1) * 1.0"))
changed("who-wrote-it", "L8", (REGRET, "np.log(weights[0]) - np.log(weights.mean())"))

PICKED = "log_probs[:, :-1].gather(-1, came)[..., 0].sum(dim=1)"
units("teacher-forcing", PICKED)
changed(
    "teacher-forcing", "M23", ("log_probs[:, :-1]", "log_probs[:, :-2]"), ("[:, 1:, None]", "[:, 2:, None]")
)
changed("teacher-forcing", "M23", ("log_probs[:, :-1]", "log_probs"), ("[:, 1:, None]", "[:, :, None]"))
changed(
    "teacher-forcing", "L16", ("log_probs[:, :-1]", "log_probs[:, 1:]"), ("[:, 1:, None]", "[:, :-1, None]")
)
changed(
    "teacher-forcing", "M6", ("torch.log_softmax(torch.as_tensor(logits), dim=-1)", "torch.as_tensor(logits)")
)
written(
    "teacher-forcing",
    "M6",
    """
    def text_log_probs(logits, ids):
        q = torch.softmax(torch.as_tensor(logits), dim=-1)[:, :-1]
        came = torch.as_tensor(ids)[:, 1:]
        nats = torch.nn.functional.cross_entropy(q.transpose(1, 2), came, reduction="none")
        return -nats.sum(dim=1)
    """,
)
changed("teacher-forcing", "M6", ("torch.log_softmax", "torch.softmax"))
changed("teacher-forcing", "M6", (PICKED, f"{PICKED}.exp()"))
changed("teacher-forcing", "L6", (PICKED, "log_probs[:, :-1].max(dim=-1)[0].sum(dim=1)"))
changed("teacher-forcing", "L10", (PICKED, "log_probs[:, 1:-1].gather(-1, came[:, 1:])[..., 0].sum(dim=1)"))
changed("teacher-forcing", "L13", ("dim=-1)  # (B, T, V)", "dim=1)"))
changed("teacher-forcing", "L1", (".sum(dim=1)", ".mean(dim=1)"))

STEPS = "[[size], sentence, [size]]"
ADD = "np.add.at(counts, (steps[:-1], steps[1:]), 1)"
changed("bigram-table", "L21", ("in sentences:", "in filter(len, sentences):"))
changed("bigram-table", "L8", ("np.zeros((size", "np.ones((size"))
changed("bigram-table", "M30", ("np.zeros((size + 1, size + 1))", "np.full((size + 1, size + 1), 1e-10)"))
changed("bigram-table", "L35", (ADD, "counts[steps[:-1], steps[1:]] = 1"))
changed("bigram-table", "L35", (ADD, "counts[steps[:-1], steps[1:]] += 1"))
changed("bigram-table", "L21", (STEPS, "[[size], sentence]"))
changed("bigram-table", "L20", (STEPS, "[sentence, [size]]"))
written(
    "bigram-table",
    "L20 + L21",
    """
    def bigram_table(sentences, size):
        stream = np.concatenate(sentences)
        counts = np.zeros((size + 1, size + 1))
        for context, word in zip(stream[:-1], stream[1:]):
            counts[context, word] += 1
        return counts / counts.sum(axis=1, keepdims=True)
    """,
)
changed("bigram-table", "L16", ("(steps[:-1], steps[1:])", "(steps[1:], steps[:-1])"))
changed("bigram-table", "L16", ("counts.sum(axis=1, keepdims=True)", "counts.sum(axis=0)"))
changed("bigram-table", "L19", ("counts.sum(axis=1, keepdims=True)", "counts.sum()"))
changed(
    "bigram-table", "L13", ("counts.sum(axis=1, keepdims=True)", "counts[:, :-1].sum(axis=1, keepdims=True)")
)

ROWS = "table[last].cumsum(axis=1)"
changed("sampling", "L15", (ROWS, "np.full((len(last), size + 1), 1 / (size + 1)).cumsum(axis=1)"))
changed("sampling", "L20", ("last = np.full(repeats, size)", "last = np.zeros(repeats, dtype=int)"))
changed("sampling", "L24", (ROWS, "table[np.full(len(last), size)].cumsum(axis=1)"))
written(
    "sampling",
    "L23",
    """
    def length_shares(table, repeats, longest, rng):
        size, lengths = len(table) - 1, np.zeros(repeats)
        for i in range(repeats):
            symbol = size
            while symbol != size or lengths[i] == 0:
                symbol = rng.choice(size + 1, p=table[symbol])
                lengths[i] += 1
        return np.array([(lengths == k).mean() for k in range(longest + 1)])
    """,
)
changed("sampling", "L13", ("return np.array(shares)", "return np.cumsum(shares)"))
changed("sampling", "L13", ("return np.array(shares)", "return np.array(shares) / sum(shares)"))
written(
    "sampling",
    "L36",
    """
    def length_shares(table, repeats, longest, rng):
        return mass_by_length(table[-1], table[:-1], longest)
    """,
)
changed("sampling", "L36", ("size = len(table) - 1", "size, rng = len(table) - 1, np.random.default_rng(0)"))
changed("sampling", "L36", ("size = len(table) - 1", "size, rng = len(table) - 1, np.random.default_rng()"))
right(
    "sampling",
    """
    def length_shares(table, repeats, longest, rng):
        masses = mass_by_length(table[-1], table[:-1], longest)
        return rng.multinomial(repeats, np.append(masses, max(0.0, 1 - masses.sum())))[:-1] / repeats
    """,
)
right(
    "sampling",
    """
    import random

    def length_shares(table, repeats, longest, rng):
        own, found = random.Random(int(rng.integers(2**60))), np.zeros(longest + 1)
        symbols = range(len(table))
        for _ in range(repeats):
            symbol, length = len(table) - 1, 0
            while length <= longest:
                symbol = own.choices(symbols, table[symbol])[0]
                if symbol == len(table) - 1:
                    found[length] += 1
                    break
                length += 1
        return found / repeats
    """,
)
right(
    "sampling",
    """
    def length_shares(table, repeats, longest, rng):
        some, size = rng.spawn(1)[0], len(table) - 1
        last, shares = np.full(repeats, size), []
        for _ in range(longest + 1):
            words = [some.choice(size + 1, (last == w).sum(), p=table[w]) for w in range(size + 1)]
            last = np.concatenate(words)
            shares.append((last == size).mean() * len(last) / repeats)
            last = last[last < size]
        return shares
    """,
)

SCORE = "np.exp(nats.mean())"
POSSIBLE = "nats[np.isfinite(nats)]"
changed("silent-scorer", "M32 + L8", (SCORE, "perplexity_as_found(start, table, text)"))
changed("silent-scorer", "L8", (SCORE, "np.exp(nats.sum() / 2)"))
changed("silent-scorer", "M32", (SCORE, f"np.exp({POSSIBLE}.sum() / len(q))"))
changed("silent-scorer", "M32", (SCORE, f"np.exp({POSSIBLE}.mean())"))
changed("silent-scorer", "M30", ("-np.log(q)", "-np.log(np.where(q == 0, 1e-10, q))"))
changed("silent-scorer", "M30", ("-np.log(q)", "-np.log(q + 1e-10)"))
changed("silent-scorer", "M45", (SCORE, "np.prod(q) ** (-1 / len(q))"))
changed("silent-scorer", "M32", (SCORE, f"{SCORE} if q.all() else 0"))
changed("silent-scorer", "M11", (SCORE, "np.mean(np.divide(1, q, where=q > 0, out=np.full(len(q), np.inf)))"))
changed("silent-scorer", "M26", (SCORE, "np.exp(nats.sum() / (len(q) + 1))"))
changed("silent-scorer", "L31", ("(q == 0).sum()", "(q > 0).sum()"))
changed("silent-scorer", "M4", (SCORE, "nats.mean()"))
changed("silent-scorer", "M1", (SCORE, "2 ** nats.mean()"))
changed("silent-scorer", "M5", (SCORE, "np.exp(-nats.mean())"))
changed("silent-scorer", "L1", (SCORE, "np.exp(nats.sum())"))
changed("silent-scorer", "L1", ("(q == 0).sum()", "(q == 0).mean()"))
changed("silent-scorer", "L23", (SCORE, "np.exp(nats.sum() / max(1, len(text) - 1))"))
changed(
    "silent-scorer",
    "L10",
    ("np.append(start[text[0]], table[text[:-1], text[1:]])", "table[text[:-1], text[1:]]"),
)

changed("floor-forensics", "L26", ("(tokens - unseen) * np.log(dropped)", "tokens * np.log(dropped)"))
changed("floor-forensics", "M3", ("floors / unseen / np.log(10)", "floors / unseen"))
DIGITS = "round(floors / unseen / np.log(10))"
changed("floor-forensics", "M3", ('"digits": digits', '"digits": round(floors / unseen)'))
changed("floor-forensics", "L22", ('"digits": digits', '"digits": floors / unseen / np.log(10)'))
changed("floor-forensics", "L22", (DIGITS, "int(floors / unseen / np.log(10))"))
changed("floor-forensics", "L1", (DIGITS, "round(floors / np.log(10))"))
changed("floor-forensics", "M5", ('"digits": digits', '"digits": -digits'))
changed("floor-forensics", "M3", ("unseen * digits * np.log(10) / total", "unseen * digits / total"))
changed("floor-forensics", "L8", ("unseen * digits * np.log(10) / total", "digits * np.log(10) / total"))
changed("floor-forensics", "L8", ("(20 - digits)", "20"))
changed("floor-forensics", "L9", ("unseen * digits * np.log(10) / total", "unseen / tokens"))
changed("floor-forensics", "L7", ("(20 - digits)", "(digits - 20)"))
changed("floor-forensics", "L1", ("* unseen / tokens)", "* unseen)"))
changed("floor-forensics", "L8", ("* unseen / tokens)", "/ tokens)"))

odd(
    "text-probability",
    ("return {", "if len(words) == 1:\n        factors = table[words, words]\n    return {"),
)
odd("length-masses", ("masses = [start[-1]]", "masses = [start[-1]] if longest else [0.0]"))
odd("length-masses", ("range(longest)", "range(longest if longest > 1 else 0)"))
odd("silent-scorer", ("(q == 0).sum()", "(q[1:] == 0).sum()"))
odd(
    "silent-scorer",
    ("(q == 0).sum()", "len({q for q in zip(text, text[1:]) if table[q] == 0}) + int(q[0] == 0)"),
)
odd("silent-scorer", ("q == 0", "q < 1e-12"))
STEPS = "np.append(start[text[0]], table[text[:-1], text[1:]])"
odd("silent-scorer", (STEPS, f"{STEPS} if len(text) > 1 else table[text, text]"))


class TestSet(SetTests):
    exercises = SET
    given_in_tasks = frozenset({"50.0"})


def _given(task, name, **changed):
    """The solution of a task whose answer is a dictionary, with some entries changed."""
    names = dict(SET.names_before[task])
    exec(SET.tasks[task], names)
    return names[name] | changed


@pytest.mark.parametrize(
    ("task", "name", "key", "entry", "says"),
    [
        ("in-log-space", "claims", "A", [0.5] * 100, "np.prod gives 7.889e-31"),
        ("in-log-space", "claims", "A", [0.5, 0.0], "has to be above 0"),
        ("in-log-space", "claims", "A", "refuted", 'Write "always", or give an example'),
        ("in-log-space", "claims", "B", ([0.1, 0.1], 1.0), "does not refute"),
        ("in-log-space", "claims", "C", ([0.5, 0.5], 0.4), "does not refute.*-0.693147, and with it"),
        ("in-log-space", "claims", "C", [0.5, 0.6], "Give a list of probabilities"),
        ("in-log-space", "claims", "C", ([0.5, 0.6], 1.5), "not above 1"),
        ("in-log-space", "claims", "D", (-1000, -2000), "lies 0.693147 nats below"),
        ("in-log-space", "claims", "D", (0.5, 0.2), "not above 0"),
        ("four-programs", "programs", "A", [0, 1, 2], "does not refute"),
        ("four-programs", "programs", "B", [0, 1], "add up to 0.42, and that of the text is 0.42"),
        ("four-programs", "programs", "C", [1], "add up to 0.3, and that of the text is 0.3"),
        ("four-programs", "programs", "D", [], "does not refute"),
        ("four-programs", "programs", "D", ["cat"], "Give the numbers of its words"),
        ("four-programs", "programs", "D", [0, 3], "numbers 0, 1 and 2"),
        ("four-programs", "programs", "C", [0] * 500, "at most 200 words"),
        ("endings", "designs", "fades and ends", (0.5, 0), "the same after every word"),
        ("endings", "designs", "fades and ends", (3, 1), r"a / 2\*\*c, is 1.5"),
        ("endings", "designs", "late and ends", (0, 1), "a has to be above 0"),
        ("endings", "designs", "late and ends", (0.5, 1), "0.6636 of the mass has ended"),
        ("endings", "designs", "early and leaks", (0.5, 2), "only 0.2518 of the mass has ended"),
        ("endings", "designs", "early and leaks", (7.9, 3), "only 0.006371 of the mass never ends"),
        ("endings", "designs", "early and leaks", 3, "give a pair"),
    ],
)
def test_an_example_that_does_not_do_what_is_asked_is_told_why(task, name, key, entry, says):
    with pytest.raises(WrongAnswer, match=says):
        check(SET.key(task), _given(task, name, **{key: entry}))


def test_what_always_holds_has_no_example_against_it():
    from lmcourse.questions.ch01.claims import PROGRAMS, _refute_in_log_space

    rng = np.random.default_rng(1)
    for _ in range(300):
        q, r = rng.uniform(0, 1, size=rng.integers(1, 400)), rng.choice([1.0, rng.uniform()])
        assert "does not refute" in _refute_in_log_space("B", (q, r))
        assert "does not refute" in _refute_in_log_space("D", -rng.exponential(10 ** rng.uniform(-9, 6), 2))
    fails = {name: [] for name in PROGRAMS}
    for words in (list(words) for n in range(6) for words in product(range(3), repeat=n)):
        for name, program in PROGRAMS.items():
            whole, parts = program(words), sum(program([*words, word]) for word in range(3))
            if abs(parts - whole) > 1e-6 * whole:
                fails[name].append(words)
    assert not fails["A"] and not fails["B"] and fails["C"] and fails["D"]
    assert all(words[-1] in (0, 2) for words in fails["C"])


def test_the_programs_of_the_set_are_those_that_are_judged():
    from lmcourse.questions.ch01.claims import PROGRAMS

    names = SET.names_before["four-programs"]
    for words in (list(words) for n in range(4) for words in product(range(3), repeat=n)):
        for name, program in PROGRAMS.items():
            assert np.isclose(names[f"program_{name.lower()}"](words), program(words), rtol=1e-12)


def test_the_numbers_decide_in_some_cases_and_not_in_others():
    question = SET.questions["01.transcripts"]
    for cases in (question.cases, question.fresh_cases(101)):
        found = [question.right(*case)["choice"] for case in cases]
        assert -1 in found and max(found) >= 0
