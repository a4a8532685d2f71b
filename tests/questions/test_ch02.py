"""The set of chapter 02: full marks when solved, what to do when not, and for wrong code its hint."""

import numpy as np
import pytest

from lmcourse.feedback import WrongAnswer, check
from tests.questions.exercise_sets import ExerciseSet, SetTests

SET = ExerciseSet("02_cross_entropy")
changed, written, right, units = SET.changed, SET.written, SET.right, SET.in_wrong_units
odd = SET.wrong_on_odd_inputs

MEAN = "nats.mean()"
changed("three-words", "M2", ("-np.log(q)", "-np.log2(q)"))
changed("three-words", "M3", ("-np.log(q)", "-np.log10(q)"))
changed("three-words", "M2", ('"nats": nats', '"nats": -np.log2(q)'), (MEAN, "-np.log2(q).mean()"))
changed("three-words", "M3", ('"nats": nats', '"nats": -np.log10(q)'), (MEAN, "-np.log10(q).mean()"))
changed("three-words", "M5", ("-np.log(q)", "np.log(q)"))
changed("three-words", "M1", ("nats / np.log(2)", "nats"))
changed(
    "three-words", "L3", ("nats / np.log(2)", "nats * np.log(2)"), ("nats / np.log(10)", "nats * np.log(10)")
)
changed("three-words", "L1", (MEAN, "nats.sum()"))
changed("three-words", "L2", (MEAN, "-np.log(q.mean())"))
changed("three-words", "L4", ("q.prod()", "q.sum()"))
changed("three-words", "L4", ("q.prod()", "q.mean()"))

changed("three-words", "M2", ('"nats": nats', '"nats": -np.log2(q)'))
changed("three-words", "M3", ('"nats": nats', '"nats": -np.log10(q)'))
changed("three-words", "M2", (MEAN, "-np.log2(q).mean()"))
changed("three-words", "M3", (MEAN, "-np.log10(q).mean()"))
changed("three-words", "L3", ("nats / np.log(2)", "nats * np.log(2)"))
changed("three-words", "L3", ("nats / np.log(10)", "nats * np.log(10)"))
changed(
    "three-words",
    "L31",
    ('"bits": nats / np.log(2)', '"bits": nats / np.log(10)'),
    ('"hartleys": nats / np.log(10)', '"hartleys": -np.log2(q)'),
)
changed("three-words", "M6", ("q.prod()", "np.log(q).sum()"))
changed("three-words", "M4", (MEAN, "np.exp(nats.mean())"))
changed("three-words", "L1", ("q.prod()", "q.prod() ** (1 / len(q))"))
changed("three-words", "M2", ("nats / np.log(2)", "-np.log2(q) / np.log(2)"))
changed("three-words", "M3", ("nats / np.log(10)", "-np.log10(q) / np.log(10)"))
changed("three-words", "M3", ("nats / np.log(2)", "-np.log10(q)"))

LOGS = "np.array([-np.log(q[days, outcomes]) for q in (a, b)])"
MEANS, ERROR = '"nats": means', "(nats[0] - nats[1]).std(ddof=1) / np.sqrt(len(outcomes))"
changed("forecasters", "M2", ("-np.log(q[", "-np.log2(q["))
changed("forecasters", "M3", ("-np.log(q[", "-np.log10(q["))
changed("forecasters", "M2", (MEANS, '"nats": means / np.log(2)'))
changed("forecasters", "M3", (MEANS, '"nats": means / np.log(10)'))
changed("forecasters", "M5", (MEANS, '"nats": -means'))
changed("forecasters", "M2", ('"error": error', '"error": error / np.log(2)'))
changed("forecasters", "M3", ('"error": error', '"error": error / np.log(10)'))
changed("forecasters", "L7", ("means.argmin()", "means.argmax()"))
changed("forecasters", "L11", (' if settled else "not settled"', ""))
changed("forecasters", "L41", ("stats.t.ppf(0.975, len(outcomes) - 1)", "2"))
changed("forecasters", "L41", ("stats.t.ppf(0.975, len(outcomes) - 1)", "1.96"))
changed("forecasters", "L5", (LOGS, "np.array([-(q * np.log(q)).sum(axis=1) for q in (a, b)])"))
changed("forecasters", "L6", (LOGS, "np.array([-np.log(q.max(axis=1)) for q in (a, b)])"))
changed("forecasters", "M4", (MEANS, '"nats": np.exp(means)'))
changed("forecasters", "L31", (MEANS, '"nats": means[::-1]'))
changed("forecasters", "L1", (MEANS, '"nats": nats.sum(axis=1)'))
changed("forecasters", "L1", ('"error": error', '"error": error * np.sqrt(len(outcomes))'))
changed("forecasters", "L1", ('"error": error', '"error": error / np.sqrt(len(outcomes))'))
changed(
    "forecasters", "L23", ('"error": error', '"error": (nats[0] - nats[1]).std() / np.sqrt(len(outcomes))')
)
changed(
    "forecasters",
    "M63",
    ('"error": error', '"error": np.sqrt(nats.var(axis=1, ddof=1).sum() / len(outcomes))'),
)
changed("forecasters", "L2", (MEANS, '"nats": np.array([-np.log(q[days, outcomes].mean()) for q in (a, b)])'))

AVERAGE = "-log_probs[real, targets[real]].mean()"
units("average-surprisal", AVERAGE, ids="M1 M2 M3 M5")
changed("average-surprisal", "M19", (AVERAGE, "-log_probs[real, targets[real]].sum() / targets.size"))
changed("average-surprisal", "M20", ("targets != ignore_index", "np.ones(targets.shape, dtype=bool)"))
changed("average-surprisal", "M21", ("targets != ignore_index", "targets > 0"))
changed("average-surprisal", "M21", ("targets != ignore_index", "targets != 0"))
written(
    "average-surprisal",
    "M9",
    """
    def average_surprisal(log_probs, targets, ignore_index):
        means = []
        for row, ids in zip(log_probs, targets):
            real = ids != ignore_index
            means.append(-row[real, ids[real]].mean())
        return sum(means) / len(means)
    """,
)
changed("average-surprisal", "L1", (".mean()", ".sum()"))
written(
    "average-surprisal",
    "M41",
    """
    def average_surprisal(log_probs, targets, ignore_index):
        logits = torch.from_numpy(log_probs).flatten(0, 1)
        ids = torch.from_numpy(targets).flatten()
        return F.cross_entropy(logits, ids, ignore_index=ignore_index, label_smoothing=0.1).item()
    """,
)
changed("average-surprisal", "M4", (AVERAGE, f"np.exp({AVERAGE})"))
changed("average-surprisal", "M11", (AVERAGE, "np.log(np.exp(-log_probs[real, targets[real]]).mean())"))
changed("average-surprisal", "L2", (AVERAGE, "-np.log(np.exp(log_probs[real, targets[real]]).mean())"))
changed(
    "average-surprisal",
    "M19 and M2",
    (AVERAGE, "-log_probs[real, targets[real]].sum() / np.log(2) / targets.size"),
)

NLL = "return log_normaliser - z[np.arange(len(z)), targets]"
DOUBLE = ("logits.astype(np.float64)", "logits")
SHIFT = ("z = z - z.max(axis=1, keepdims=True)", "z = z")
SOFTMAX = "q = np.exp(z) / np.exp(z).sum(axis=1, keepdims=True); return "
units("token-nll", NLL.removeprefix("return "))
changed("token-nll", "M46", (NLL, SOFTMAX + "-np.log(q[np.arange(len(z)), targets])"))
changed("token-nll", "M46", DOUBLE, (NLL, SOFTMAX + "-np.log(q[np.arange(len(z)), targets])"))
changed("token-nll", "M45", SHIFT)
changed("token-nll", "M45", SHIFT, DOUBLE)
changed("token-nll", "M45", SHIFT, DOUBLE, (NLL, SOFTMAX + "-np.log(q[np.arange(len(z)), targets])"))
changed("token-nll", "M30", (NLL, SOFTMAX + "-np.log(q[np.arange(len(z)), targets] + 1e-10)"))
changed("token-nll", "M6", (NLL, "return -logits[np.arange(len(z)), targets]"))
written(
    "token-nll",
    "M6",
    """
    def token_nll(logits, targets):
        q = torch.softmax(torch.from_numpy(logits).double(), dim=1)
        return F.cross_entropy(q, torch.from_numpy(targets), reduction="none")
    """,
)
written(
    "token-nll",
    "M44",
    """
    def token_nll(logits, targets):
        top = logits.max(axis=1, keepdims=True)
        log_sum = top[:, 0] + np.log(np.exp(logits - top).sum(axis=1))
        return log_sum - logits[np.arange(len(logits)), targets]
    """,
)

MODEL = """
weights = [sp.exp(z_k / T) for z_k in z]
q = [weight / sum(weights) for weight in weights]
"""
changed("softmax-gradient", "M5", ("loss = -sum", "loss = sum"), ("assert sp", "sp"))
written("softmax-gradient", "L10", MODEL + "gradient = [q_k - p_k for q_k, p_k in zip(q, p)]")
written(
    "softmax-gradient", "L10", MODEL.replace(" / T", "") + "gradient = [q_k - p_k for q_k, p_k in zip(q, p)]"
)
written("softmax-gradient", "L10", MODEL + "gradient = [-p_k / q_k for q_k, p_k in zip(q, p)]")
written(
    "softmax-gradient",
    "L10",
    MODEL + "gradient = [-p_k * sp.diff(sp.log(q_k), z_k) for q_k, p_k, z_k in zip(q, p, z)]",
)
written(
    "softmax-gradient", "M2", MODEL + "gradient = [(q_k - p_k) / T / sp.log(2) for q_k, p_k in zip(q, p)]"
)
written("softmax-gradient", "L34", MODEL + "gradient = [(q_k - p_k) * T for q_k, p_k in zip(q, p)]")
written("softmax-gradient", "L22", MODEL + "gradient = [sp.diff(sp.log(sum(weights)), z_k) for z_k in z]")

CASE_A = '"A": ([0.5, 0.3, 0.2], [0.34, 0.36, 0.3], [0.98, 0.01, 0.01])'
CASE_C, CASE_D = '"C": ([0.9, 0.1], [0.5, 0.5])', '"D": ([0.9, 0.1], [0, 0, 0])'
changed("claims", "L6", (CASE_A, '"A": "always"'))
changed("claims", "L31", (CASE_C, '"C": "Always."'))
changed("claims", "L33", (CASE_D, '"D": "always"'))
written("claims", "L6 + L31 + L33", 'claims = dict.fromkeys("ABCD", "always")')
right(
    "claims",
    """
    p = np.array([0.8, 0.2])
    claims = {"A": [(0.6, 0.4), (0.45, 0.55), (0.999, 0.001)], "B": "ALWAYS"}
    claims |= {"C": np.array([p, p[::-1] ** 2 / 0.68]), "D": (p, np.zeros(7, dtype=int))}
    """,
)
right(
    "claims",
    """
    claims = {"A": (torch.tensor([0.5, 0.3, 0.2]), [0.3, 0.4, 0.3], [0.99, 0.005, 0.005]), "B": "always"}
    claims |= {"C": ((0.7, 0.2, 0.1), (0.1, 0.1, 0.8)), "D": ([0.4, 0.3, 0.3], (0, 1, 0))}
    """,
)

ALIKE, MIXED = "[[1.0] * 20, [2.0] * 20, [3.0] * 20, [4.0] * 20]", "[[1.0, 3.0] * 10] * 4"
changed("draws", "L32", (ALIKE, MIXED))
changed("draws", "L7", (MIXED, ALIKE))
right(
    "draws",
    """
    rng = np.random.default_rng(1)
    narrow = [np.clip(m + 0.1 * rng.normal(size=50), 0, 5) for m in (1, 2, 3, 4, 5)]
    test_sets = {"too wide": np.tile([0, 1, 2, 3, 4], (6, 1)), "too narrow": narrow}
    """,
)
right(
    "draws",
    """
    test_sets = {
        "too narrow": [torch.full((30,), float(i)) for i in range(5)],
        "too wide": tuple(tuple([0.1, 2.0, 5.0, 0.4] * k) for k in (2, 3, 4, 5)),
    }
    """,
)

FLOOR = "-right * sp.log(right) - (V - 1) * other * sp.log(other)"
changed("smoothing-floor", "L12", (FLOOR, "sp.Integer(0)"))
changed("smoothing-floor", "L13", ("right, other = 1 - eps + eps / V", "right, other = 1 - eps"))
changed("smoothing-floor", "L13", ("1 - eps + eps / V, eps / V", "1 - eps, eps / (V - 1)"))
EXP = "sp.exp(floor)"
changed("smoothing-floor", "L43", (EXP, f"sp.Float(3.48) + 0 * {EXP}"))
changed("smoothing-floor", "M4", (EXP, "floor"))
changed("smoothing-floor", "M1", (EXP, "2**floor"))
changed("smoothing-floor", "L5", (FLOOR, "-sp.log(right)"))
changed("smoothing-floor", "M5", ('"floor": floor', '"floor": -floor'))
changed("smoothing-floor", "L18", (FLOOR, "sp.log(V)"))
changed("smoothing-floor", "L22", (FLOOR, "-right * sp.log(right)"))
changed("smoothing-floor", "L13", (FLOOR, "-(1 - eps) * sp.log(1 - eps) - eps * sp.log(eps)"))
changed("smoothing-floor", "M2", (FLOOR, f"({FLOOR}) / sp.log(2)"))
changed("smoothing-floor", "M2", ('"floor": floor', '"floor": floor / sp.log(2)'))
changed("smoothing-floor", "M2", (EXP, "sp.exp(floor / sp.log(2))"))
changed("smoothing-floor", "L22", (FLOOR, FLOOR.replace("(V - 1) * ", "")))

changed("below-entropy", "L7", ("averages < ", "averages > "))
changed("below-entropy", "M2", ("-np.log(p[samples])", "-np.log2(p[samples])"))
SET.breaks("below-entropy", "compare the total of a sample", (".mean(axis=1)", ".sum(axis=1)"))
SET.breaks("below-entropy", "in sign or base", ("-p @ np.log(p)", "p @ np.log(p)"))
SET.breaks("below-entropy", "in sign or base", ("-p @ np.log(p)", "-p @ np.log10(p)"))
written(
    "below-entropy",
    "L14",
    """
    def share_below(p, n, repeats, rng):
        counts = rng.multinomial(n, p, size=repeats)
        own = counts / n
        averages = -(own * np.log(np.maximum(own, 1e-300))).sum(axis=1)
        return (averages < -p @ np.log(p) - 1e-12).mean()
    """,
)
changed("below-entropy", "L15", (", p=p", ""))
changed("below-entropy", "L18", ("-p @ np.log(p)", "np.log(len(p))"))
changed("below-entropy", "L36", ("samples = rng", "samples = np.random.default_rng(0)"))
changed("below-entropy", "L36", ("samples = rng", "samples = np.random.default_rng()"))
written(
    "below-entropy",
    "L36",
    """
    def share_below(p, n, repeats, rng):
        from itertools import product
        samples = np.array(list(product(range(len(p)), repeat=n)))
        return p[samples].prod(axis=1)[-np.log(p[samples]).mean(axis=1) < -p @ np.log(p)].sum()
    """,
)

right(
    "below-entropy",
    """
    def share_below(p, n, repeats, rng):
        entropy, below = -(p * np.log(p)).sum(), 0
        for counts in rng.multinomial(n, p, size=repeats):
            below += -(counts * np.log(p)).sum() / n < entropy
        return below / repeats
    """,
)

TOTAL = "nats / tokens"
units("evaluator", TOTAL)
written("evaluator", "M9 + M41", "evaluate = evaluate_as_found")
written(
    "evaluator",
    "M9",
    """
    def evaluate(batches):
        losses = []
        for logits, targets in batches:
            logits, targets = torch.as_tensor(logits), torch.as_tensor(targets)
            losses.append(F.cross_entropy(logits.flatten(0, 1), targets.flatten(), ignore_index=PAD).item())
        return sum(losses) / len(losses)
    """,
)
changed("evaluator", "M41", ('reduction="sum"', 'reduction="sum", label_smoothing=0.1'))
changed("evaluator", "M19", ("(targets != PAD).sum().item()", "targets.numel()"))
changed("evaluator", "M20", ("(targets != PAD).sum().item()", "targets.numel()"), ("ignore_index=PAD, ", ""))
changed("evaluator", "L1", (TOTAL, "nats"))
changed("evaluator", "M4", (TOTAL, "np.exp(nats / tokens)"))

changed("forensics", "L9", ("np.log(reported) / np.log(right)", "reported / right"))
changed("forensics", "L7", ("np.log(reported) / np.log(right)", "np.log(right) / np.log(reported)"))
changed("forensics", "M5", ('"M5": -1.0', '"M5": 1.0'))
changed("forensics", "L34", ("tokens / (tokens + padding)", "(tokens + padding) / tokens"))
changed("forensics", "L34", ("1 / np.log(10)", "np.log(10)"))
EVIDENCE = '"exponent": exponent'
changed("forensics", "L9", (EVIDENCE, '"exponent": np.log(reported / right)'))
changed("forensics", "L9", (EVIDENCE, '"exponent": reported / right'))
changed("forensics", "L34", (EVIDENCE, '"exponent": 1 / exponent'))
changed(
    "forensics", "L3", ('"M1": np.log(2)', '"M1": 1 / np.log(2)'), ('"M2": 1 / np.log(2)', '"M2": np.log(2)')
)

NATS = "bigram_surprisal(train.ids, test.ids, **settings)"
PER_CHARACTER, DRAW = 'score.bits_per("char")', '"one draw": "tale"'
changed("tale-card", "M25", (PER_CHARACTER, 'score.bits_per("token")'))
changed("tale-card", "L21", (f"{NATS}.sum()", f"{NATS}[~test.is_eos].sum()"))
changed("tale-card", "M1", (PER_CHARACTER, 'score.nats_per("char")'))
changed("tale-card", "M2", ('"nats": score.nats', '"nats": score.nats / np.log(2)'))
changed("tale-card", "L1", ('"nats": score.nats', '"nats": score.nats_per("token")'))
changed("tale-card", "L3", (PER_CHARACTER, "score.nats * np.log(2) / test.chars"))
changed("tale-card", "M4", (PER_CHARACTER, '2 ** score.bits_per("char")'))
written(
    "tale-card",
    "M9",
    f"""
    nats = {NATS}
    parts = np.split(nats, test.document_starts[1:-1])
    each = [part.sum() / np.log(2) / chars for part, chars in zip(parts, test.document_counts["chars"])]
    tale_card = {{"nats": nats.sum(), "bits per character": np.mean(each), "one draw": "tale"}}
    """,
)
changed("tale-card", "M38", ("chars=test.chars", "chars=test.bytes"))
changed("tale-card", "L17", ("train.ids, test.ids", "test.ids, test.ids"))
changed("tale-card", "L32", (DRAW, '"one draw": "character"'))
changed("tale-card", "L32", (DRAW, '"one draw": "paragraphs"'))
right(
    "tale-card",
    f"""
    bits = {NATS}.sum() / np.log(2)
    tale_card = {{"bits per character": bits / test.chars, "one draw": " Tales"}}
    tale_card["nats"] = torch.tensor(bits * np.log(2))
    """,
)

odd("forecasters", ("-np.log(q[days, outcomes])", "-np.log(np.maximum(q[days, outcomes], 1e-10))"))

REAL = "real = targets != ignore_index"
odd("average-surprisal", (REAL, "real = np.cumsum(targets == ignore_index, axis=1) == 0"))
odd("average-surprisal", (REAL, "real = np.cumsum(targets[:, ::-1] != ignore_index, axis=1)[:, ::-1] > 0"))
odd("average-surprisal", (REAL, "real = targets != targets[-1, -1]"))
LARGEST = "z.max(axis=1, keepdims=True)"
odd("token-nll", (LARGEST, "z.max()"))
odd("token-nll", (LARGEST, "z.mean(axis=1, keepdims=True)"))
odd("token-nll", (LARGEST, "np.maximum(0, z.max(axis=1, keepdims=True))"))
odd("token-nll", (f"z - {LARGEST}", f"np.maximum(z - {LARGEST}, -1000)"))
odd("forensics", ("tokens / (tokens + padding)", "(tokens - padding) / tokens"))
odd("forensics", ("tokens / (tokens + padding)", "300 / (300 + padding)"))


class TestSet(SetTests):
    exercises = SET
    given_in_tasks = frozenset({"0.5", "0.8", "0.9"})


def _given(task, name, **changed):
    """The solution of a task whose answer is a dictionary, with some entries changed."""
    names = dict(SET.names_before[task])
    exec(SET.tasks[task], names)
    return names[name] | changed


P, Q = [0.9, 0.1], [0.5, 0.5]


@pytest.mark.parametrize(
    ("task", "name", "key", "entry", "says"),
    [
        ("claims", "claims", "A", (P, P, Q), "single symbol"),
        ("claims", "claims", "A", (P, [0.6, 0.4], P), "does not meet the premise"),
        ("claims", "claims", "A", (P, P, [0.4, 0.6]), "does not refute the statement: the first guess of q"),
        ("claims", "claims", "A", (P, P), "Give .p, q, r., three lists"),
        ("claims", "claims", "B", (P, [0.8, 0.2]), "does not refute the statement: H"),
        ("claims", "claims", "C", (P, P), "does not refute"),
        ("claims", "claims", "C", (P, [0.2, 0.3]), "sum to 0.5"),
        ("claims", "claims", "C", (P, [1, 0]), "of q have to be above 0"),
        ("claims", "claims", "C", (P, [0.2, 0.3, 0.5]), "of the same length"),
        ("claims", "claims", "C", "never", 'Write "always", or give an example'),
        ("claims", "claims", "D", (P, [0, 1]), "the loss is 1.20397, and H.p. is 0.325083"),
        ("claims", "claims", "D", (P, [1, 2]), "symbols from 0 to 1"),
        ("claims", "claims", "D", (P, "aab"), "Give a list of symbols|not numbers"),
        ("draws", "test_sets", "too narrow", [[1.0] * 9] * 4, "both standard errors are 0"),
        ("draws", "test_sets", "too narrow", [[1.0, 2.0] * 9] * 3, "at least four documents"),
        ("draws", "test_sets", "too narrow", [[1.0, 2.0]] * 4, "at least five surprisals"),
        (
            "draws",
            "test_sets",
            "too narrow",
            [[1.0, 2, 2, 2, 4]] * 3 + [[4, 4, 3, 1, 1]],
            "three times the first",
        ),
        ("draws", "test_sets", "too wide", [[-1.0] * 9] * 4, "between 0 and 5 nats"),
        ("draws", "test_sets", "too wide", 3, "give a list of documents"),
    ],
)
def test_an_example_that_does_not_do_what_is_asked_is_told_why(task, name, key, entry, says):
    with pytest.raises(WrongAnswer, match=says):
        check(SET.key(task), _given(task, name, **{key: entry}))


def test_what_always_holds_has_no_example_against_it():
    from lmcourse.questions.ch02.claims import _refute

    rng = np.random.default_rng(1)
    for _ in range(500):
        p = rng.dirichlet(np.ones(rng.integers(2, 6))) + 1e-9
        q = p * np.exp(rng.normal(size=len(p)) * 10 ** rng.uniform(-12, 1))
        assert "does not refute" in _refute("B", (p / p.sum(), q / q.sum()))


def test_the_days_settle_some_choices_and_not_others():
    question = SET.questions["02.forecasters"]
    for cases in (question.cases, question.fresh_cases(101)):
        assert {question.right(*case)["choice"] for case in cases} == {"a", "b", "not settled"}
