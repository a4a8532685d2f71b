"""The set of chapter 03: full marks when solved, what to do when not, and for wrong code its hint."""

import numpy as np
import pytest

from lmcourse.feedback import WrongAnswer, check
from lmcourse.hints.question import formula_value
from lmcourse.questions.ch03.directions import STATEMENTS
from lmcourse.questions.ch03.measured import TARGET, measure, needed, source_and_model
from tests.questions.exercise_sets import ExerciseSet, SetTests, exchange

SET = ExerciseSet("03_kl_decomposition")
changed, written, units = SET.changed, SET.written, SET.in_wrong_units
odd, breaks, right = SET.wrong_on_odd_inputs, SET.breaks, SET.right

FLOOR, EXCESS = "-(p * np.log(p)).sum(axis=1)", "(p * np.log(p / q)).sum(axis=1)"
CHOICE = "excess.argmax()"
LOSSES = "-(p * np.log(q)).sum(axis=1)"
changed("desks", "M2", ("np.log(", "np.log2("))
changed("desks", "M3", ("np.log(", "np.log10("))
changed("desks", "M50", ("def desks(p, q)", "def desks(q, p)"))
changed("desks", "M50", (EXCESS, "(q * np.log(q / p)).sum(axis=1)"))
changed("desks", "L5", (FLOOR, "-(q * np.log(q)).sum(axis=1)"))
changed("desks", "L22", (FLOOR, LOSSES))
changed(
    "desks",
    "L22",
    (f"excess = {EXCESS}", f"excess, other = {EXCESS}, {LOSSES}"),
    ('"excess": excess', '"excess": other'),
)
changed("desks", "L1", (".sum(axis=1)", ".mean(axis=1)"))
changed("desks", "M5", (FLOOR, FLOOR[1:]))
changed("desks", "M5", ('"excess": excess', '"excess": -excess'))
changed("desks", "L22", (EXCESS, "np.where(p > q, p * np.log(p / q), 0).sum(axis=1)"))
changed("desks", "M5", (EXCESS, "np.abs(p * np.log(p / q)).sum(axis=1)"))
changed("desks", "L18", (FLOOR, "np.full(len(p), np.log(p.shape[1]))"))
breaks("desks", 'Wrong: "floor". L31, .* You give one part', ('"floor": ' + FLOOR, '"floor": excess'))
changed("desks", "L31", *exchange('"floor"', '"excess"'))
changed("desks", "L7", (CHOICE, f"({LOSSES}).argmax()"))
changed("desks", "L7", (CHOICE, f"(excess / {LOSSES[1:]}).argmin()"))
changed("desks", "L7", (CHOICE, "excess.argmin()"))
breaks("desks", "do not add up to the loss", (EXCESS, "1.3 * " + EXCESS))
changed("desks", "L23", (CHOICE, "excess.argmax() + 1"))
breaks("desks", "not the number of a desk", (CHOICE, "excess.max()"))
breaks("desks", '"excess": M5, .*"work on": L7, .* smallest', (EXCESS, "-" + EXCESS))
breaks("desks", '"excess": L22, .*"work on": L7, .* largest loss', (EXCESS, LOSSES))
right(
    "desks",
    """
    from scipy.stats import entropy

    def desks(p, q):
        excess = [entropy(a, b) for a, b in zip(p, q)]
        loss = torch.tensor(-(p * np.log(q)).sum(axis=1))
        return {"work on": excess.index(max(excess)), "excess": excess, "floor": loss - torch.tensor(excess)}
    """,
)

UNCHECKED = ("assert sp", "sp")
LEAST = "excess.subs(best)"
changed("scores", "L11", ('"q1": best[q1]', '"q1": p1'), UNCHECKED)
changed("scores", "L11", ("best[multiplier]", "sp.Integer(1)"))
changed("scores", "L12", (LEAST, "sp.Integer(0)"))
changed("scores", "M5", (LEAST, "-excess.subs(best)"))
changed("scores", "L12", (LEAST, "1 - S"))
changed("scores", "M5", ("+ multiplier *", "- multiplier *"))
changed("scores", "L34", ('"q1": best[q1]', '"q1": p1 / S'), UNCHECKED)
changed("scores", "L34", ("best[multiplier]", "1 / best[multiplier]"))
changed("scores", "L18", ('"q1": best[q1]', '"q1": S / 3'), UNCHECKED)
changed("scores", "L18", (LEAST, "excess.subs({q1: S / 3, q2: S / 3, q3: S / 3})"))
changed("scores", "M2", (LEAST, "excess.subs(best) / sp.log(2)"))
changed("scores", "L22", (LEAST, "-S * sp.log(S)"))
right(
    "scores", 'lowest = {"q1": S * (1 - p2 - p3), "multiplier": (p1 + p2 + p3) / S, "least": sp.log(1 / S)}'
)

SLOPE, UNTESTED = "slope = sp.diff(D, q)", ("assert sp", "sp")
BEND = "sp.diff(D, q, 2).subs(q, p)"
FIRST = "p * sp.log(p / q)"
D_OF = FIRST + " + (1 - p) * sp.log((1 - p) / (1 - q))"
changed("near-truth", "M5", (SLOPE, "slope = -sp.diff(D, q)"), UNTESTED)
REVERSED = "sp.diff(q * sp.log(q / p) + (1 - q) * sp.log((1 - q) / (1 - p)), q)"
changed("near-truth", "M50", (SLOPE, "slope = " + REVERSED), UNTESTED)
changed("near-truth", "M50", (SLOPE, "slope = sp.diff(D, p)"), UNTESTED)
changed("near-truth", "L22", (SLOPE, f"slope = sp.diff({FIRST}, q)"), UNTESTED)
changed("near-truth", "L10", (SLOPE, "slope = -p / q - (1 - p) / (1 - q)"), UNTESTED)
changed("near-truth", "L22", (BEND, f"sp.diff({FIRST}, q, 2).subs(q, p)"))
changed("near-truth", "L10", (BEND, "1 / p - 1 / (1 - p)"))
changed(
    "near-truth", "M2", ("sp.log(p / q)", "sp.log(p / q, 2)"), ("/ (1 - q))\n", "/ (1 - q), 2)\n"), UNTESTED
)
changed("near-truth", "L22", ("curvature * e**2 / 2", "curvature * e**2"))
changed("near-truth", "L22", ("curvature * e**2 / 2", "curvature * e"))
changed("near-truth", "L34", ("curvature * e**2 / 2", "p * (1 - p) * e**2 / 2"))
changed("near-truth", "L8", ('"slope": slope', '"slope": slope.subs(q, p)'))
breaks("near-truth", "'near' contains q", (".subs(q, p)", ""))
breaks("near-truth", "four times as large", ("curvature * e**2 / 2", "D.subs(q, p + e)"))
right(
    "near-truth",
    f"D = {D_OF}\ndip = {{'slope': D.diff(q), 'near': D.subs(q, p + e).series(e, 0, 3).removeO()}}",
)

A, C = '"A": ([1.0, 0.0], [0.5, 0.5])', '"C": (humps, flat, narrow)'
changed("directions", "M50", (A, '"A": "always"'))
changed("directions", "M50", (C, '"C": "always"'))
changed("directions", "M50", (A, '"A": "always"'), (C, '"C": "Always."'))
right(
    "directions",
    """
    verdict = {
        "A": np.array([[0.5, 0.5, 0.0], [0.2, 0.3, 0.5]]),
        "B": "ALWAYS",
        "C": (torch.tensor([0.5, 0.5, 0.0]), [sp.Rational(1, 3)] * 3, [0.9999, 0.0001, 0.0]),
        "D": " always. ",
    }
    """,
)

ROWS = "(np.exp(log_p) * (log_p - log_q)).sum(axis=1)"
SHIFT = ("z = z - z.max(axis=1, keepdims=True)", "z = z")
SOFTMAX = "p, q = np.exp(log_softmax(teacher / T)), np.exp(log_softmax(student / T)); return "
units("teacher", ROWS, ids="M2 M5")
changed("teacher", "L8", ("/ T", "* T"))
changed("teacher", "M42", (ROWS, f"T**2 * {ROWS}"))
changed("teacher", "M42", (ROWS, f"T * {ROWS}"))
changed("teacher", "M42", ("(log_p - log_q)", "-log_q"))
changed("teacher", "M50", (ROWS, "(np.exp(log_q) * (log_q - log_p)).sum(axis=1)"))
changed("teacher", "M46", ("return " + ROWS, SOFTMAX + "(p * np.log(p / q)).sum(axis=1)"))
changed("teacher", "M46", ("return " + ROWS, SOFTMAX + "kl_divergence(p, q)"))
changed("teacher", "M45", SHIFT)
changed(
    "teacher",
    "M45",
    SHIFT,
    (
        "return z - np.log(np.exp(z).sum(axis=1, keepdims=True))",
        "return np.log(np.exp(z) / np.exp(z).sum(axis=1, keepdims=True))",
    ),
)
changed("teacher", "M30", ("return " + ROWS, SOFTMAX + "(p * np.log((p + 1e-10) / (q + 1e-10))).sum(axis=1)"))
changed("teacher", "L8", ("/ T", ""))
changed("teacher", "L8", ("log_softmax(student / T)", "log_softmax(student)"))
changed("teacher", "M6", (ROWS, "(np.exp(log_p) * (teacher - student) / T).sum(axis=1)"))
changed("teacher", "L1", (".sum(axis=1)  # p may", ".mean(axis=1)  # p may"))

CALL = 'F.kl_div(log_q, p, reduction="batchmean").item()'
LONG = ".flatten(0, 1)"
units("evaluator", CALL, ids="M2 M5")
written("evaluator", "M50", "excess_per_token = excess_as_found")
changed("evaluator", "M50", (CALL, 'F.kl_div(p.log(), log_q.exp(), reduction="batchmean").item()'))
changed("evaluator", "M50", (CALL, 'F.kl_div(log_q, p, reduction="none").mean().item()'))
changed("evaluator", "L1", (LONG, ""))
changed("evaluator", "L1", (CALL, 'F.kl_div(log_q, p, reduction="sum").item() / truth.shape[1]'))
changed("evaluator", "L1", (CALL, 'F.kl_div(log_q, p, reduction="sum").item()'))
changed(
    "evaluator",
    "M50 + L1",
    (LONG, ""),
    (CALL, 'F.kl_div(p.log(), log_q.exp(), reduction="batchmean").item()'),
)
changed("evaluator", "M6", (CALL, 'F.kl_div(log_q.exp(), p, reduction="batchmean").item()'))
changed("evaluator", "M6", ("F.log_softmax(torch.from_numpy(logits), dim=-1)", "torch.from_numpy(logits)"))
changed("evaluator", "M42", (CALL, "F.cross_entropy(log_q, p).item()"))

WALK = "here = here @ table_p"
TOTAL = "kl_divergence(start_p, start_q), start_p"
changed(
    "chain",
    "M2",
    ("kl_divergence(table_p, table_q)", "kl_divergence(table_p, table_q, base=2)"),
    (TOTAL, "kl_divergence(start_p, start_q, base=2), start_p"),
)
changed("chain", "M5", ('": total', '": -total'), ('"rate": ', '"rate": -'))
changed(
    "chain",
    "L15",
    (TOTAL, TOTAL[:-1] + "q"),
    (WALK, "here = here @ table_q"),
    ("eig(table_p.T)", "eig(table_q.T)"),
)
changed(
    "chain",
    "M50",
    ("kl_divergence(table_p, table_q)", "kl_divergence(table_q, table_p)"),
    (TOTAL, "kl_divergence(start_q, start_p), start_p"),
)
changed(
    "chain",
    "M50",
    (
        "def chain_kl(start_p, table_p, start_q, table_q, length)",
        "def chain_kl(start_q, table_q, start_p, table_p, length)",
    ),
)
changed("chain", "L23", ("range(length - 1)", "range(length - 2)"))
changed("chain", "L20", (WALK, "pass"), ("stationary / stationary.sum() @ rows", "start_p @ rows"))
changed("chain", "L20", ("stationary / stationary.sum() @ rows", "here @ rows"))
changed("chain", "L35", ("total / length", "total / len(start_p)"))
changed("chain", "M50", (TOTAL, "kl_divergence(start_q, start_p), start_p"))
changed("chain", "L15", (TOTAL, TOTAL[:-1] + "q"))
changed("chain", "L16", (WALK, "here = table_p @ here"))
changed("chain", "L23", ("total / length", "total / (length - 1)"))
changed("chain", "L22", ("stationary / stationary.sum() @ rows", "total / length"))
changed(
    "chain", "M9", ("here @ rows", "rows.mean()"), ("stationary / stationary.sum() @ rows", "rows.mean()")
)
changed("chain", "L1", ("here @ rows", "rows.sum()"), ("stationary / stationary.sum() @ rows", "rows.sum()"))
changed("chain", "L20", (TOTAL, "0.0, start_p"))
changed("chain", "L23", ("range(length - 1)", "range(length)"))
written(
    "chain",
    "L24",
    """
    def chain_kl(start_p, table_p, start_q, table_q, length):
        power = np.linalg.matrix_power

        total = sum(
            kl_divergence(start_p @ power(table_p, t), start_q @ power(table_q, t)) for t in range(length)
        )
        p, q = start_p @ power(table_p, 2000), start_q @ power(table_q, 2000)
        rate = kl_divergence(p / p.sum(), q / q.sum())
        return {"total": total, "per token": total / length, "rate": rate}
    """,
)
changed("chain", "L1", ("total / length", "total"))
changed("chain", "L20", ("stationary / stationary.sum() @ rows", "start_p @ rows"))

changed(
    "gap",
    "M2",
    ("-model - rate", "(-model - rate) / math.log(2)"),
    ("source - model", "(source - model) / math.log(2)"),
)
breaks(
    "gap",
    '"gap": M5, .*"paired": M5, ',
    ("-model - rate", "model - rate"),
    ("source - model", "model - source"),
)
changed("gap", "M5", ('"gap": gap', '"gap": model.mean() - rate'))
changed("gap", "M5", ("source - model", "model - source"))
changed("gap", "M2", ('"gap": gap', '"gap": -model.mean() / math.log(2) - rate'))
changed("gap", "L22", ("-model - rate", "-model"))

changed(
    "gap",
    "M5",
    ('"gap": gap', '"gap": rate + model.mean()'),
)
changed("gap", "L22", ('"gap": gap', '"gap": paired'))
ERROR = "means.std(ddof=1) / math.sqrt(blocks)"
changed("gap", "L15", ('"paired": paired', '"paired": (np.exp(source) * (source - model)).mean()'))
breaks(
    "gap",
    'Wrong: "paired error". L31, .* You give one',
    ('"paired error": paired_error', '"paired error": error'),
)
changed("gap", "L32", (ERROR, "series.std(ddof=1) / math.sqrt(len(series))"))
changed("gap", "L32", (ERROR, "series.std() / math.sqrt(len(series))"))
changed("gap", "L1", (ERROR, "means.std(ddof=1)"))
changed("gap", "L23", (ERROR, "means.std() / math.sqrt(blocks)"))
changed("gap", "L27", (ERROR, "means.std(ddof=1) / math.sqrt(len(series))"))
changed("gap", "L32", ("reshape(blocks, -1).mean(axis=1)", "reshape(-1, blocks).mean(axis=0)"))
changed("gap", "L1", (ERROR, "means.var(ddof=1) / blocks"))
changed(
    "gap",
    "L32",
    ("    gap, error =", "    theirs = mean_and_error(source)[1]\n    gap, error ="),
    ('"paired error": paired_error', '"paired error": math.hypot(error, theirs)'),
)
changed(
    "gap",
    "L31",
    (
        '"error": error, "paired": paired, "paired error": paired_error',
        '"error": paired_error, "paired": paired, "paired error": error',
    ),
)

PLAN = '{"subtract": "source", "days": 15_000, "blocks": 100}'
changed("plan", "M63", (PLAN, '{"subtract": "rate", "days": 3_000_000, "blocks": 100}'))
changed("plan", "L32", (PLAN, '{"subtract": "source", "days": 15_000, "blocks": 15_000}'))
right("plan", 'plan = {"blocks": sp.Integer(14), "subtract": "SOURCE ", "days": np.float32(9_002)}')
right("plan", 'plan = {"subtract": "source", "days": np.int64(25_000), "blocks": torch.tensor(1_000)}')

ANSWER = "return np.array(found)"
changed("worth", "M1", ("np.log2", "np.log"))
changed("worth", "L3", ("np.log2(p)", "np.log(p) * np.log(2)"))
changed(
    "worth",
    "L16",
    ("for joint in blocks:", "for gap in range(n):\n        joint = law.sum(axis=tuple(range(gap, n - 1)))"),
)
changed("worth", "L22", ("entropy_bits(blocks[0]) - remaining", "remaining"))
changed("worth", "L22", (ANSWER, "return np.diff(found, prepend=0.0)"))
changed("worth", "L18", ("entropy_bits(blocks[0]) - remaining", "np.log2(len(law)) - remaining"))
changed("worth", "M5", (ANSWER, "return -np.array(found)"))

right("worth", SET.tasks["worth"].replace("    n = law.ndim", "    law = law.transpose()\n    n = law.ndim"))
changed(
    "worth",
    "L22",
    (" - entropy_bits(joint.sum(axis=-1))", ""),
    ("entropy_bits(blocks[0]) - remaining", "remaining - entropy_bits(blocks[0])"),
)

HELD, PLUGGED = "bits(WittenBell(), test)", "bits(MaximumLikelihood(), train)"
changed("tales", "M1", ('bits_per("token")', 'nats_per("token")'))
changed("tales", "L7", ('"between"', '"below"'))
changed("tales", "L7", ('"between"', '"above"'))
changed("tales", "L17", (HELD, "bits(WittenBell(), train)"))
changed(
    "tales",
    "L14",
    (".fit(train)", ".fit(train if isinstance(smoothing, WittenBell) else test)"),
    (PLUGGED, "bits(MaximumLikelihood(), test)"),
)
changed("tales", "L22", (PLUGGED, "bits(WittenBell(), train)"))
changed("tales", "L23", ("NGramModel(length + 1, smoothing)", "NGramModel(max(length, 1), smoothing)"))
changed(
    "tales",
    "L22",
    ("held_out[0] - held_out[1:]", "held_out[1:]"),
    ("plug_in[0] - plug_in[1:]", "plug_in[1:]"),
)
changed(
    "tales",
    "L22",
    ("held_out[0] - held_out[1:]", "held_out[:-1] - held_out[1:]"),
    ("plug_in[0] - plug_in[1:]", "plug_in[:-1] - plug_in[1:]"),
)
changed(
    "tales",
    "M5",
    ("held_out[0] - held_out[1:]", "held_out[1:] - held_out[0]"),
    ("plug_in[0] - plug_in[1:]", "plug_in[1:] - plug_in[0]"),
)
breaks("tales", 'Wrong: "plug-in". L31, .* You give one', (PLUGGED, "bits(WittenBell(), test)"))
changed("tales", "L31", ("held_out, plug_in = ", "plug_in, held_out = "))

RATIO = "log_density(mean_p, width_p) - log_density(mean_q, width_q)"
EXACT = "math.log(width_q / width_p) + (spread - 1) / 2"
changed("samples", "M2", (RATIO, f"({RATIO}) / math.log(2)"), (EXACT, f"({EXACT}) / math.log(2)"))
changed(
    "samples",
    "M50",
    (
        "def from_samples(x, mean_p, width_p, mean_q, width_q)",
        "def from_samples(x, mean_q, width_q, mean_p, width_p)",
    ),
)
changed(
    "samples",
    "M50",
    (
        "(width_p**2 + (mean_p - mean_q) ** 2) / width_q**2",
        "(width_q**2 + (mean_p - mean_q) ** 2) / width_p**2",
    ),
    ("math.log(width_q / width_p)", "math.log(width_p / width_q)"),
)
changed("samples", "M5", ("log_ratio.mean()", "-log_ratio.mean()"))
changed("samples", "L22", (EXACT, "(spread - 1) / 2"))
changed("samples", "L22", (" + (mean_p - mean_q) ** 2", ""))
changed("samples", "L33", (EXACT, "log_ratio.mean()"))
changed("samples", "L1", ("log_ratio.mean()", "log_ratio.sum()"))
changed("samples", "L1", ("log_ratio.std(ddof=1) / math.sqrt(len(x))", "log_ratio.var(ddof=1) / len(x)"))
changed("samples", "L1", ("log_ratio.std(ddof=1) / math.sqrt(len(x))", "log_ratio.std(ddof=1)"))
changed("samples", "L23", ("std(ddof=1)", "std()"))
changed("samples", "L22", ("(spread - 1) / 2", "spread / 2"))
changed("samples", "L22", ("log_ratio.mean()", "(log_ratio - math.log(width_q / width_p)).mean()"))
changed(
    "samples",
    "L15",
    (
        "    return {",
        "    weights = np.exp(log_density(mean_p, width_p))\n    log_ratio = log_ratio * weights / "
        "weights.mean()\n    return {",
    ),
)

SCALED = "ratios.append(reported / right)"
changed("forensics", "L34", (SCALED, "ratios.append(right / reported)"))
changed(
    "forensics",
    "M50",
    ('report["p"], report["q"], report["reported"]', 'report["q"], report["p"], report["reported"]'),
    ("right - (p * np.log(p)).sum(axis=1).mean()", "-(p * np.log(np.maximum(q, 1e-300))).sum(axis=1).mean()"),
)
changed("forensics", "L28", ('"none": right,', ""))
changed("forensics", "L1", (SCALED, "ratios.append(reported / (right * len(p)))"))
changed("forensics", "M50", (SCALED, "ratios.append(reported / (right / p.shape[1]))"))
changed(
    "forensics",
    "M30",
    (SCALED, "ratios.append(reported / kl_divergence_patched(p, q))"),
    (
        "def audit(",
        """def kl_divergence_patched(p, q):
    return (p * np.log(p / np.maximum(q, 1e-10))).sum(axis=1).mean()


def audit(""",
    ),
)
changed("forensics", "M30", ("if np.isinf(right)", "if False"))
changed("forensics", "L8", (SCALED, "ratios.append(reported / right or np.inf)"))
changed("forensics", "M2", (SCALED, "ratios.append(reported / right * math.log(2))"))
changed(
    "forensics",
    "M32",
    (SCALED, "ratios.append(reported / (p * np.log(p / np.where(q > 0, q, p))).sum(axis=1).mean())"),
)
changed("forensics", "L22", ('"loss": right - (p * np.log(p)).sum(axis=1).mean(),', ""))
changed("forensics", "L22", ('"swapped": kl_divergence(q, p).mean(),', ""))
right("forensics", SET.tasks["forensics"].replace('" ".join(verdicts)', "verdicts"))
right("forensics", SET.tasks["forensics"].replace('" ".join(verdicts)', '", ".join(verdicts)'))
breaks("forensics", "not in the table", ('"summed": right', '"sum": right'))
breaks("forensics", "one word for each", ('" ".join(verdicts)', '"".join(verdicts)'))

odd("teacher", ("z.max(axis=1, keepdims=True)", "np.maximum(0, z.max(axis=1, keepdims=True))"))
odd("teacher", ("log_softmax(student / T)", "log_softmax(student / max(T, 1))"))
odd("chain", ("range(length - 1)", "range(max(1, length - 1))"))
odd("worth", ("p = p[p > 0]", "p = p.ravel()"))
odd("worth", ("range(1, n + 1)", "range(1, min(n, 4) + 1)"))
odd("samples", ("math.log(width_q / width_p)", "abs(math.log(width_q / width_p))"))

breaks("evaluator", "a divergence is below 0", ("log_q, p, reduction", "log_q, p / p.sum(), reduction"))


class TestSet(SetTests):
    exercises = SET


def test_right_answers_have_all_properties():
    for question in SET.questions.values():
        for case in question.cases:
            right = formula_value(question, question.right, case)
            for rule in question.properties:
                if rule.also is None:
                    assert rule.holds(right, *case), (question.key, rule.message)
                else:
                    second = formula_value(question, question.right, rule.also(*case))
                    assert rule.holds(right, second), (question.key, rule.message)


def test_the_plan_is_judged_by_the_model_of_the_task():
    """The exact variance is that of the notebook's model: a long text has the scatter that it predicts."""
    theirs = SET.names_before["plan"]
    source, model = source_and_model()
    np.testing.assert_allclose(
        theirs["trigram"].log_probs(theirs["pilot"]), model.log_probs(theirs["pilot"]), rtol=1e-12
    )
    text = source.sample(400_000, seed=5)
    found = measure(model.log_probs(text), source.log_probs(text), source.entropy_rate(), 400)
    for way, name in (("rate", "error"), ("source", "paired error")):
        days = (found[name] / TARGET) ** 2 * len(text)
        np.testing.assert_allclose(days, needed(way), rtol=0.2)
    assert needed("rate") > 100 * needed("source")


@pytest.mark.parametrize(
    ("changes", "points", "says"),
    [
        ({"days": 5_000}, 2, "above 0.001"),
        ({"days": 90_000}, 2, "Fewer than a third"),
        ({"blocks": 10}, 2, "too uncertain"),
        ({"blocks": 77}, 2, "equal length"),
        ({"blocks": 7_500}, 2, "too large on average"),
        ({"days": 15_000.5}, 1, "whole number"),
        ({"days": "many"}, 1, "as one number"),
        ({"subtract": "bigram"}, 2, 'write "rate" or "source"'),
        ({"subtract": "rate"}, 1, "luck of the text"),
        ({"subtract": "rate", "days": 3_000_000, "blocks": 300_000}, 1, "too small on average"),
    ],
)
def test_a_plan_that_falls_short_is_told_so(changes, points, says):
    plan = {"subtract": "source", "days": 15_000, "blocks": 100} | changes
    with pytest.raises(WrongAnswer, match=says) as caught:
        check("03.plan", plan)
    assert caught.value.points == points


def test_what_always_holds_has_no_example_against_it():
    """Statements B and D survive a search; A and C are refuted by it."""
    rng, refuted = np.random.default_rng(3), set()
    for _ in range(3000):
        p, q, r = (rng.dirichlet(np.ones(3)) * (rng.random(3) > 0.2) + 1e-300 for _ in range(3))
        p, q, r = (np.where(x > 1e-200, x, 0.0) / x.sum() for x in (p, q, r))
        q = p if rng.random() < 0.1 else q
        for key, (form, premise, conclusion, *_) in STATEMENTS.items():
            example = (p, q, r)[: form.count(",") + 1]
            if all(x.sum() > 0.5 for x in example) and premise(*example) and not conclusion(*example):
                refuted.add(key)
    assert refuted == {"A", "C"}


@pytest.mark.parametrize(
    ("key", "entry", "says"),
    [
        ("A", ([0.5, 0.5], [1.0, 0.0]), "does not meet the premise: D.p .. q. is infinite"),
        ("A", ([0.5, 0.5], [0.9, 0.1]), "finite too"),
        ("A", ([0.5, 0.5], [0.9, 0.2]), "q sum to 1.1"),
        ("A", ([0.5, 0.5], [0.9, 0.05, 0.05]), "different numbers of outcomes"),
        ("A", ([1.5, -0.5], [0.5, 0.5]), "p is below 0"),
        ("A", ([1.0, 0.0], [0.5, 0.5], [0.5, 0.5]), "two distributions"),
        ("C", ([0.5, 0.5], [0.9, 0.1]), "three distributions"),
        ("C", ([0.5, 0.5], [0.6, 0.4], [0.9, 0.1]), "is not above"),
        ("C", ([0.5, 0.5], [0.9, 0.1], [0.6, 0.4]), "is not below"),
        ("C", "never", "or give an example"),
        ("A", ("p", "q"), "not a list of numbers"),
    ],
)
def test_an_example_that_is_none_is_refused_with_its_reason(key, entry, says):
    names = dict(SET.names_before["directions"])
    exec(SET.tasks["directions"], names)
    with pytest.raises(WrongAnswer, match=says) as caught:
        check("03.directions", names["verdict"] | {key: entry})
    assert caught.value.points == 3


def test_the_first_desk_is_made_of_whole_bits():
    p, q = SET.questions["03.desks"].cases[0]
    assert (np.log2(p[0]) % 1 == 0).all() and (np.log2(q[0]) % 1 == 0).all()


def test_no_other_measure_names_the_right_desk():
    question = SET.questions["03.desks"]
    for p, q in (*question.cases, *question.fresh_cases(1)):
        loss, excess = -(p * np.log(q)).sum(axis=1), (p * np.log(p / q)).sum(axis=1)
        assert excess.argmax() not in (loss.argmax(), (excess / loss).argmax(), excess.argmin())
