"""The set of chapter 03: full marks when solved, what to do when not, and for wrong code its hint."""

import numpy as np

from lmcourse.hints.question import formula_value
from lmcourse.questions.ch03.measured import trigram_and_texts
from tests.questions.exercise_sets import ExerciseSet, SetTests, exchange

SET = ExerciseSet("03_kl_decomposition")
changed, written, units = SET.changed, SET.written, SET.in_wrong_units
odd, breaks = SET.wrong_on_odd_inputs, SET.breaks

LOSS, FLOOR, FAULT = "-(p * np.log(q)).sum()", "-(p * np.log(p)).sum()", "(p * np.log(p / q)).sum()  #"
BITS = "fault / np.log(2)"
changed("bill", "M2", ("np.log(", "np.log2("))
changed("bill", "M3", ("np.log(", "np.log10("))
changed("bill", "M2", ("np.log(p)", "np.log2(p)"), ("np.log(q)", "np.log2(q)"))
changed("bill", "M1", (BITS, "fault"))
changed("bill", "L3", (BITS, "fault * np.log(2)"))
changed("bill", "M50", (FAULT, "(q * np.log(q / p)).sum()  #"))
changed("bill", "M50", (LOSS, "-(q * np.log(p)).sum()"), (FAULT, "loss - floor  #"))
changed("bill", "L5", (FLOOR, "-(q * np.log(q)).sum()"), (FAULT, "loss - floor  #"))
changed("bill", "M5", (FAULT, "(p * np.log(q / p)).sum()  #"))
changed("bill", "M5", (LOSS, LOSS[1:]), (FLOOR, FLOOR[1:]), (FAULT, "loss - floor  #"))
changed("bill", "L22", (FAULT, "(p * np.log(p / q))[p > q].sum()  #"))
changed("bill", "M5", (FAULT, "np.abs(p * np.log(p / q)).sum()  #"))

SUM, UNCHECKED = "(sum(q) - S)", ("assert sp", "sp")
LEAST = "fault.subs(best)"
changed("scores", "L11", (SUM, "(sum(q) - 1)"), UNCHECKED)
changed("scores", "L12", (LEAST, "sp.Integer(0)"))
changed("scores", "M5", (LEAST, "-fault.subs(best)"))
changed("scores", "M5", ("+ multiplier *", "- multiplier *"))
written("scores", "L13", 'cheapest = {"q1": p[0] / S, "multiplier": S, "least": sp.log(S)}')
written(
    "scores",
    "L18",
    """
    even = S / 3
    least = sum(p_k * sp.log(p_k / even) for p_k in p)
    cheapest = {"q1": even, "multiplier": 1 / S, "least": least}
    """,
)
changed("scores", "M2", (LEAST, "fault.subs(best) / sp.log(2)"))

SLOPE, UNTESTED = "slope = sp.diff(D, q)", ("assert sp", "sp")
BEND = "sp.diff(D, q, 2).subs(q, p)"
changed("near-truth", "M5", (SLOPE, "slope = -sp.diff(D, q)"), UNTESTED)
changed(
    "near-truth",
    "M50",
    (
        "D = p * sp.log(p / q) + (1 - p) * sp.log((1 - p) / (1 - q))",
        "D = q * sp.log(q / p) + (1 - q) * sp.log((1 - q) / (1 - p))",
    ),
    UNTESTED,
)
changed("near-truth", "M50", (SLOPE, "slope = sp.diff(D, p)"), UNTESTED)
changed("near-truth", "L22", (SLOPE, "slope = sp.diff(p * sp.log(p / q), q)"), UNTESTED)
changed("near-truth", "L10", (SLOPE, "slope = -p / q - (1 - p) / (1 - q)"), UNTESTED)
changed("near-truth", "L22", (BEND, "sp.diff(p * sp.log(p / q), q, 2).subs(q, p)"))
changed(
    "near-truth", "M2", ("sp.log(p / q)", "sp.log(p / q, 2)"), ("/ (1 - q))\n", "/ (1 - q), 2)\n"), UNTESTED
)

written(
    "directions",
    "M2",
    """
    from scipy.stats import entropy

    def directions(p, candidates):
        forward = np.array([entropy(p, q, base=2) for q in candidates])
        reverse = np.array([entropy(q, p, base=2) for q in candidates])
        return {"forward": forward, "reverse": reverse, "covers": forward.argmin(), "picks": reverse.argmin()}
    """,
)
changed("directions", "M50", ("divergence(a, b)", "divergence(b, a)"))
PLAIN = """
def directions(p, candidates):
    forward, reverse = DIVERGENCE
    return {"forward": forward, "reverse": reverse, "covers": forward.argmin(), "picks": reverse.argmin()}
"""
BOTH = "(p * np.log(p / candidates)).sum(axis=1), (candidates * np.log(candidates / p)).sum(axis=1)"
written("directions", "M50", PLAIN.replace("DIVERGENCE", BOTH))
written(
    "directions",
    "M30",
    PLAIN.replace(
        "DIVERGENCE",
        BOTH.replace("np.log(p / candidates)", "np.log((p + 1e-10) / (candidates + 1e-10))").replace(
            "np.log(candidates / p)", "np.log((candidates + 1e-10) / (p + 1e-10))"
        ),
    ),
)
changed(
    "directions", "M30", ("if (b[a > 0] == 0).any():\n            return np.inf", "b = np.maximum(b, 1e-10)")
)
changed(
    "directions",
    "M32",
    ("seen = a > 0", "seen = (a > 0) & (b > 0)"),
    ("if (b[a > 0] == 0).any()", "if False"),
)
changed(
    "directions",
    "M5",
    ("return (a[seen] * np.log(a[seen] / b[seen]))", "return (a[seen] * np.log(b[seen] / a[seen]))"),
    ("return np.inf", "return -np.inf"),
)
changed("directions", "L7", ("argmin", "argmax"))
changed("directions", "L31", *exchange('"covers"', '"picks"'))

ROWS = "(np.exp(log_p) * (log_p - log_q)).sum(axis=1)"
SHIFT = ("z = z - z.max(axis=1, keepdims=True)", "z = z")
SOFTMAX = "p, q = np.exp(log_softmax(teacher / T)), np.exp(log_softmax(student / T)); return "
units("teacher", ROWS, ids="M2 M5")
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
written("evaluator", "M50", "fault_per_token = fault_as_found")
changed("evaluator", "M50", (CALL, 'F.kl_div(p.log(), log_q.exp(), reduction="batchmean").item()'))
changed("evaluator", "M50", (CALL, 'F.kl_div(log_q, p, reduction="none").mean().item()'))
changed("evaluator", "L1", (LONG, ""))
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
changed("gap", "M5", ("-model - rate", "model - rate"), ("source - model", "model - source"))
changed("gap", "M5", ("source - model", "model - source"))
changed("gap", "M2", ("-model - rate", "-model / math.log(2) - rate"))
changed("gap", "L22", ("-model - rate", "-model"))

PRICE = "(p * np.log(p / q)).sum()"
changed(
    "trigram",
    "M2",
    (PRICE, "(p * np.log2(p / q)).sum()"),
    ("**measured", "**{k: v / math.log(2) for k, v in measured.items()}"),
)
changed("trigram", "L13", (PRICE, "(p * np.log(p / (q / q.sum()))).sum()"))
changed("trigram", "M9", ("law[older, newer]", "1 / 9"))
changed("trigram", "M50", (PRICE, "(q * np.log(q / p)).sum()"))
changed(
    "trigram",
    "L16",
    ("[source.symbols[older], source.symbols[newer]]", "[source.symbols[newer], source.symbols[older]]"),
)
changed(
    "trigram",
    "L17",
    ("model.log_probs(test), source.log_probs(test)", "model.log_probs(train), source.log_probs(train)"),
)

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

HELD, PLUGGED = "bits(WittenBell(), test)", "bits(MaximumLikelihood(), train)"
changed("tales", "M1", ('bits_per("token")', 'nats_per("token")'))
changed("tales", "L7", *exchange('"too low"', '"too high"'))
changed("tales", "L17", (HELD, "bits(WittenBell(), train)"))
changed(
    "tales",
    "L14",
    (".fit(train)", ".fit(train if isinstance(smoothing, WittenBell) else test)"),
    (PLUGGED, "bits(MaximumLikelihood(), test)"),
)
changed("tales", "L23", ("NGramModel(length + 1, smoothing)", "NGramModel(max(length, 1), smoothing)"))
changed(
    "tales",
    "L22",
    ("held_out[0] - held_out[1:]", "held_out[1:]"),
    ("plug_in[0] - plug_in[1:]", "plug_in[1:]"),
)
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
changed("samples", "L22", ("(spread - 1) / 2", "spread / 2"))
changed("samples", "L22", (" - math.log(width)", ""), (EXACT, "(spread - 1) / 2"))
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
changed("forensics", "L7", (SCALED, "ratios.append(right / reported)"))
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

odd("teacher", ("z.max(axis=1, keepdims=True)", "np.maximum(0, z.max(axis=1, keepdims=True))"))
odd("teacher", ("log_softmax(student / T)", "log_softmax(student / max(T, 1))"))
odd("chain", ("range(length - 1)", "range(max(1, length - 1))"))
odd("worth", ("p = p[p > 0]", "p = p.ravel()"))
odd("worth", ("range(1, n + 1)", "range(1, min(n, 4) + 1)"))
odd("samples", ("math.log(width_q / width_p)", "abs(math.log(width_q / width_p))"))

ERROR = "means.std(ddof=1) / math.sqrt(blocks)"
breaks("gap", "that of independent draws", (ERROR, "series.std(ddof=1) / math.sqrt(len(series))"))
breaks("gap", "that of independent draws", (ERROR, "series.std() / math.sqrt(len(series))"))
breaks("gap", "the scatter of one block", (ERROR, "means.std(ddof=1)"))
breaks("gap", "divide the squares by B - 1", (ERROR, "means.std() / math.sqrt(blocks)"))
breaks(
    "gap", "divided by the square root of the tokens", (ERROR, "means.std(ddof=1) / math.sqrt(len(series))")
)
breaks("gap", "every B-th token", ("reshape(blocks, -1).mean(axis=1)", "reshape(-1, blocks).mean(axis=0)"))
breaks(
    "gap",
    "as if they were independent",
    ("    gap, error =", "    theirs = mean_and_error(source)[1]\n    gap, error ="),
    ('"paired error": paired_error', '"paired error": math.hypot(error, theirs)'),
)
breaks("samples", "a single sample", ("log_ratio.std(ddof=1) / math.sqrt(len(x))", "log_ratio.std(ddof=1)"))
breaks("samples", "divide by N - 1", ("std(ddof=1)", "std()"))
breaks("near-truth", "carries 1/2", ("curvature * e**2 / 2", "curvature * e**2"))
breaks("near-truth", "still moves with q", (".subs(q, p)", ""))
breaks("near-truth", "four times as large", ("curvature * e**2 / 2", "slope.subs(q, p + e) * e"))
breaks("chain", "'rate' is 'per token'", ("stationary / stationary.sum() @ rows", "total / length"))
breaks("bill", "do not add up to the loss", ("(p * np.log(p / q)).sum()", "kl_divergence(p, q) * 1.3"))
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


def test_the_trigram_of_the_task_is_the_one_that_is_judged():
    source, model, _, test = trigram_and_texts()
    theirs = SET.names_before["trigram"]
    assert (theirs["test"].ids == test.ids).all()
    np.testing.assert_allclose(theirs["model"].log_probs(test), model.log_probs(test), rtol=1e-12)
    assert theirs["source"].entropy_rate() == source.entropy_rate()


def test_the_first_bill_is_made_of_whole_bits():
    p, q = SET.questions["03.bill"].cases[0]
    assert (np.log2(p) % 1 == 0).all() and (np.log2(q) % 1 == 0).all()


def test_the_two_directions_choose_different_candidates():
    question = SET.questions["03.directions"]
    for case in (*question.cases, *question.fresh_cases(1)):
        right = formula_value(question, question.right, case)
        assert right["covers"] != right["picks"]
        assert np.isinf([*right["forward"], *right["reverse"]]).any()
