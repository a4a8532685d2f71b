"""The set of chapter 12: full marks when solved, what to do when not, and for wrong code its hint."""

import numpy as np
import pytest

from lmcourse.feedback import WrongAnswer, check
from lmcourse.questions.ch12.changing import STATEMENTS, losses
from lmmetrics import compare_scores
from lmmetrics.score import Score
from tests.questions.exercise_sets import ExerciseSet, SetTests, exchange

SET = ExerciseSet("12_models_that_change")
changed, written = SET.changed, SET.written
odd, breaks, right = SET.wrong_on_odd_inputs, SET.breaks, SET.right

LEAST = "table - table.min(axis=0)"
changed("cross-table", "L17", ("for text in tests]", "for text in trains]"))
changed("cross-table", "M1", ('bits_per("byte")', 'nats_per("byte")'))
changed("cross-table", "M4", ('bits_per("byte")', 'perplexity_per("byte")'))
changed(
    "cross-table",
    "L16",
    ("for text in tests] for model in models]", "for model in models] for text in tests]"),
    ("axis=0", "axis=1, keepdims=True"),
)
changed("cross-table", "M61", ("axis=0", "axis=1, keepdims=True"))
changed("cross-table", "L12", (LEAST, "table"))
changed("cross-table", "M34", ('bits_per("byte")', 'bits_per("token")'))
changed("cross-table", "M38", ('bits_per("byte")', 'bits_per("char")'))
changed("cross-table", "L7", (LEAST, "table.min(axis=0) - table"))
changed("cross-table", "L9", (LEAST, "table / table.min(axis=0)"))

changed("floors", "M61", ("excess[one] < excess[other]", "table[one] < table[other]"))
changed("floors", "L16", ("table.min(axis=0)", "table.min(axis=1)[: table.shape[1]]"))
changed("floors", "L1", ("table.min(axis=0)", "table.mean(axis=0)"))
changed(
    "floors",
    "L12",
    ("floors[other[1]] - floors[one[1]]", "0.0"),
    ("excess[other] - excess[one]", "table[other] - table[one]"),
)
changed("floors", "L31", *exchange('"harder"', '"unfamiliar"'))
changed(
    "floors",
    "L7",
    ("floors[other[1]] - floors[one[1]]", "floors[one[1]] - floors[other[1]]"),
    ("excess[other] - excess[one]", "excess[one] - excess[other]"),
)
changed("floors", "L7", ("excess[one] < excess[other]", "excess[one] > excess[other]"))

right(
    "cross-table",
    """
    rows = torch.tensor([[score_text(m, t).bits / t.bytes for t in tests] for m in models])
    cross = {"excess": rows - rows.diagonal(), "table": rows}
    """,
)
right(
    "floors",
    """
    def read_cells(table, one, other):
        columns = list(zip(*table.tolist()))
        floors = tuple(min(column) for column in columns)
        a, b = table[one[0]][one[1]], table[other[0]][other[1]]
        harder = floors[other[1]] - floors[one[1]]
        new = b - a - harder
        return dict(nearer="one" if new > 0 else "other", floors=floors, harder=harder, unfamiliar=new)
    """,
)
right(
    "script-share",
    """
    def script_share(train, test, simple):
        before = sum(c not in train for c in test)
        after = sum(c not in train for c in test.translate(str.maketrans(simple)))
        script = (before - after) / before if before else 0
        return {"before": before / len(test), "after": after / len(test), "script": script}
    """,
)

AFTER = "simple.get(character, character)"
SCRIPT = "1 - after / before"
changed("script-share", "M60", (AFTER, "character"))
changed("script-share", "L35", ("in test]", "in set(test)]"))
changed("script-share", "L22", (SCRIPT, "before - after"))
changed("script-share", "L31", (SCRIPT, "after / before"))
changed("script-share", "L16", ("set(train)", "set(test)"), ("in test]", "in train]"))
changed(
    "script-share",
    "L29",
    ('"before": before, "after": after', '"before": 100 * before, "after": 100 * after'),
    (SCRIPT, "100 * (1 - after / before)"),
)

changed("shift-design", "M60", ('"style": "BF"', '"style": "AG"'))
changed("shift-design", "M60", ('"style": "BF"', '"style": "HB"'))
changed("shift-design", "M60", ('"vocabulary": "EF"', '"vocabulary": "GH"'))
changed("shift-design", "M60", ('"vocabulary": "EF"', '"vocabulary": "CD"'))
changed("shift-design", "M28", ('"script": "EG"', '"script": "FH"'))
changed("shift-design", "M28", ('"script": "EG"', '"script": "BD"'))
changed("shift-design", "L22", ('"style": "BF"', '"style": "AE"'))
changed("shift-design", "L22", ('"style": "BF"', '"style": "CG"'))
changed("shift-design", "L22", ('"style": "BF"', '"style": "DH"'))
changed("shift-design", "L7", ('"vocabulary": "EF"', '"vocabulary": "AB"'))
right("shift-design", 'design = {"script": ("A", "C"), "vocabulary": "F-E", "style": "f b"}')
right("shift-design", 'design = {"style": ["F", "B"], "script": "CA", "vocabulary": "FE"}')

WORST, WEIGHT, BOUND = '"worst": worst', '"weight": weight', '"bound": T - sp.log(weight)'
changed("mixture-bound", "L31", (WORST, '"worst": -sp.log(lam)'))
changed("mixture-bound", "M5", (WORST, '"worst": -worst'))
changed("mixture-bound", "M2", (WORST, '"worst": worst / sp.log(2)'))
changed("mixture-bound", "M4", (WORST, '"worst": sp.exp(worst)'))
changed("mixture-bound", "L31", (WEIGHT, '"weight": 1 - weight'))
changed("mixture-bound", "L9", (WEIGHT, '"weight": f - 1'))
changed("mixture-bound", "L9", (WEIGHT, '"weight": sp.log(f)'))
changed("mixture-bound", "M4", (WEIGHT, '"weight": sp.solve(worst - f, lam)[0]'))
changed("mixture-bound", "L31", (BOUND, '"bound": T + sp.log(f)'))
changed("mixture-bound", "L7", (BOUND, '"bound": T + sp.log(weight)'))
changed("mixture-bound", "L8", (BOUND, '"bound": T - sp.log(lam)'))
changed("mixture-bound", "L22", (BOUND, '"bound": T'))
right(
    "mixture-bound",
    """
    guarantee = {
        "worst": sp.log(1 / (1 - lam)),
        "weight": (f - 1) / f,
        "bound": T + sp.log(f) - sp.log(f - 1),
    }
    """,
)

KEPT = 'np.array(curves["new"]), np.array(curves["old"])'
STOP = "int(np.where(allowed, learned, np.inf).argmin())"
changed("forgetting", "M64", ('"old": kept', '"old": learned'))
changed("forgetting", "M64", (STOP, "int(learned.argmin())"))
changed(
    "forgetting",
    "L31",
    ("torch.autograd.grad(loss, z)", "torch.autograd.grad(-(old * log_q).sum() / old.sum(), z)"),
)
changed(
    "forgetting",
    "L17",
    (
        "torch.autograd.grad(loss, z)",
        "torch.autograd.grad(-((old + new) * log_q).sum() / (old + new).sum(), z)",
    ),
)
changed("forgetting", "L1", ("torch.autograd.grad(loss, z)", "torch.autograd.grad(loss * new.sum(), z)"))
written(
    "forgetting",
    "L26",
    """
    def fine_tune(logits, old, new, steps, lr, margin):
        z = torch.tensor(logits, dtype=torch.float64, requires_grad=True)
        optimizer = torch.optim.SGD([z], lr=lr)
        old, new = torch.tensor(old, dtype=torch.float64), torch.tensor(new, dtype=torch.float64)
        ys, os = [], []
        for _ in range(steps + 1):
            log_q = z.log_softmax(1)
            ys.append(-(new * log_q).sum().item() / new.sum().item())
            os.append(-(old * log_q).sum().item() / old.sum().item())
            optimizer.zero_grad()
            (-(new * log_q).sum(1) / new.sum(1).clamp(min=1)).mean().backward()
            optimizer.step()
        ys, os = np.array(ys), np.array(os)
        return {"new": ys, "old": os, "stop": int(np.where(os <= os[0] + margin, ys, np.inf).argmin())}
    """,
)
changed("forgetting", "M5", ("z -= lr * gradient", "z += lr * gradient"))
changed("forgetting", "L23", (STOP, STOP + " + 1"))
changed("forgetting", "M4", ('"new": learned, "old": kept', '"new": np.exp(learned), "old": np.exp(kept)'))
BY_BACKWARD = """
def fine_tune(logits, old, new, steps, lr, margin):
    z = torch.tensor(logits, dtype=torch.float64, requires_grad=True)
    old, new = torch.tensor(old, dtype=torch.float64), torch.tensor(new, dtype=torch.float64)
    rows = []
    for _ in range(steps + 1):
        log_q = torch.log_softmax(z, -1)
        losses = [-(counts * log_q).sum() / counts.sum() for counts in (new, old)]
        rows.append([loss.item() for loss in losses])
        losses[0].backward()
        with torch.no_grad():
            z -= lr * z.grad
        z.grad.zero_()
    new, old = torch.tensor(rows, dtype=torch.float64).T
    allowed = [i for i in range(steps + 1) if old[i] <= old[0] + margin]
    return {"new": new, "old": old, "stop": min(allowed, key=lambda i: new[i])}
"""
right("forgetting", BY_BACKWARD)
SET.broken.append(("forgetting", "sum of all gradients", BY_BACKWARD.replace("        z.grad.zero_()\n", "")))
LATE = BY_BACKWARD.replace("range(steps + 1):\n        log_q", "range(steps):\n        log_q")
LATE = LATE.replace("    new, old = torch", "    rows.append(rows[-1])\n    new, old = torch")
LATE = LATE.replace("    rows = []", "    rows = [[0.0, 0.0]]").replace("    rows.append(rows[-1])\n", "")
SET.broken.append(("forgetting", "before the first step", LATE))

changed("select", "M61", ('"domain": "D"', '"domain": "A"'))
changed("select", "L1", ('"domain": "D"', '"domain": "C"'))
changed("select", "L7", ('"domain": "D"', '"domain": "B"'))
for letter in ("B", "C", "D"):
    changed("select", "L31", ('"easy": "A"', f'"easy": "{letter}"'))
for letter in ("A", "B", "D"):
    changed("select", "L31", ('"long": "C"', f'"long": "{letter}"'))
right("select", 'choice = {"long": " C ", "easy": "(a)", "domain": "d"}')

STEP = "weights.abs().amax(dim=1, keepdim=True) / (2 ** (bits - 1) - 1)"
changed(
    "rounding",
    "L8",
    (STEP, "(weights.abs().max() / (2 ** (bits - 1) - 1)).expand(len(weights), 1).clone()"),
)
changed("rounding", "L23", ("(2 ** (bits - 1) - 1)", "(2**bits - 1)"))
changed("rounding", "L23", ("(2 ** (bits - 1) - 1)", "2 ** (bits - 1)"))
changed("rounding", "L38", ("    step[step == 0] = 1.0", "    pass"))
changed("rounding", "L16", ("dim=1, keepdim=True", "dim=0, keepdim=True"))
changed("rounding", "L22", ("torch.round(", "torch.trunc("))
changed("rounding", "L22", ("torch.round(", "torch.floor("))
changed("rounding", "M50", ("log_q.exp() * (log_q - log_r)", "log_r.exp() * (log_r - log_q)"))
changed("rounding", "M50", ("(log_q - log_r)).sum(dim=1).mean()", "(log_q - log_r)).mean()"))
changed("rounding", "M2", (".sum(dim=1).mean().item(),", ".sum(dim=1).mean().item() / math.log(2),"))
changed("rounding", "L22", ('"weights": rounded', '"weights": torch.round(weights / step)'))
changed("rounding", "L22", ("weights.abs().amax(", "weights.amax("))
changed("rounding", "L1", (".sum(dim=1).mean().item(),", ".sum().item(),"))
changed("rounding", "L1", (".double().mean()", ".double().sum()"))
changed("rounding", "L7", ("(log_q.argmax(dim=1) ==", "(log_q.argmax(dim=1) !="))
right(
    "rounding",
    """
    def round_layer(weights, features, bits):
        top = 2 ** (bits - 1) - 1
        rounded = weights.copy()
        for row in rounded:
            if np.any(row):
                step = max(abs(row)) / top
                row[:] = np.clip(np.rint(row / step), -top, top) * step
        q, r = (np.exp(features @ w.T) for w in (weights, rounded))
        q, r = q / q.sum(1, keepdims=True), r / r.sum(1, keepdims=True)
        kl = np.mean(np.sum(q * np.log(q / r), axis=1))
        return {"weights": rounded.tolist(), "kl": kl, "agreement": np.mean(q.argmax(1) == r.argmax(1))}
    """,
)

changed("size", "M66", ('suspects["none"] / 8', "(values + mask) / 8"))
changed("size", "M66", ('suspects["none"] / 8', "(values + scales) / 8"))
changed("size", "M66", ('suspects["none"] / 8', "values / 8"))
changed("size", "L8", ('suspects["none"] / 8', "(values + scales + places) / 8"))
changed(
    "size", "L27", ('suspects["none"] / 8', '(values + r["kept"] / r["group"] * r["scale bits"] + mask) / 8')
)
changed("size", "L3", ('suspects["none"] / 8', 'suspects["none"]'))
changed("size", "L28", ("verdicts.append(min(suspects,", 'verdicts.append(min(suspects.keys() - {"none"},'))
right(
    "size",
    """
    def audit(reports):
        right, said = [], []
        for r in reports:
            n, pruned = r["rows"] * r["columns"], r["kept"] != r["rows"] * r["columns"]
            v, s, m = r["kept"] * r["bits"] // 8, n // r["group"] * r["scale bits"] // 8, n // 8 * pruned
            right.append(v + s + m)
            near = lambda size: abs(size - r["reported"]) <= 2
            word = "none" if near(v + s + m) else "scales" if near(v + m) else "mask" if near(v + s) else ""
            said.append(word or ("both" if near(v) else "full"))
        return {"bytes": right, "verdicts": ", ".join(said)}
    """,
)
changed("size", "L28", ('" ".join(verdicts)', '[word.replace("none", "scales") for word in verdicts]'))

CHANGE, KL, TRUTH = '"change": change', '"kl": a * first + (1 - a) * second', '"truth": truth'
changed("same-loss", "L7", (CHANGE, '"change": -change'))
changed("same-loss", "M62", (CHANGE, '"change": change.subs(p, a)'))
changed("same-loss", "M4", (CHANGE, '"change": sp.exp(change)'))
changed("same-loss", "M2", (CHANGE, '"change": change / sp.log(2)'))
changed("same-loss", "L22", (CHANGE, '"change": p * first'))
changed("same-loss", "M50", (KL, '"kl": -b * first - (1 - b) * second'))
changed("same-loss", "L22", (KL, '"kl": a * first'))
changed("same-loss", "M50", (KL, '"kl": p * sp.log(p / b) + (1 - p) * sp.log((1 - p) / (1 - b))'))
changed("same-loss", "L31", (TRUTH, '"truth": 1 - truth'))
changed("same-loss", "L2", (TRUTH, '"truth": (a + b) / 2'))
changed("same-loss", "L8", (TRUTH, '"truth": sp.Rational(1, 2)'))
changed("same-loss", "L34", (TRUTH, '"truth": -first / second'))
right(
    "same-loss",
    """
    H = lambda q: -p * sp.log(q) - (1 - p) * sp.log(1 - q)
    two = {
        "change": H(b) - H(a),
        "kl": a * sp.log(a) - a * sp.log(b) + (1 - a) * (sp.log(1 - a) - sp.log(1 - b)),
        "truth": 1 / (1 + sp.log(a / b) / sp.log((1 - b) / (1 - a))),
    }
    """,
)

A, C = '"A": ([0.5, 0.5], [0.9, 0.1], [0.1, 0.9])', '"C": ([0.4, 0.6], [0.7, 0.3], [0.3, 0.7])'
changed("kl-or-loss", "M62", (A, '"A": "always"'))
changed("kl-or-loss", "M62", (C, '"C": "always"'))
changed("kl-or-loss", "M62", (A, '"A": "always"'), (C, '"C": "Always."'))
right(
    "kl-or-loss",
    """
    third = sp.Rational(1, 3)
    verdict = {
        "A": np.array([[0.25, 0.5, 0.25], [0.7, 0.2, 0.1], [0.1, 0.2, 0.7]]),
        "B": "ALWAYS",
        "C": [(third, 2 * third), (sp.Rational(3, 5), sp.Rational(2, 5)), (0.5 - 1e-4, 0.5 + 1e-4)],
        "D": "always",
    }
    """,
)

ESTIMATE = "D, rise = len(d), d.sum() / n.sum()"
ERROR = "s = math.sqrt(D / (D - 1) * ((d - rise * n) ** 2).sum()) / n.sum()"
VERDICT = '"accept" if high <= margin else "reject" if low > margin else "undecided"'
changed("accept", "M65", ("(new - old)[~tuned], tokens[~tuned]", "new - old, tokens"))
changed("accept", "M65", ("(new - old)[~tuned], tokens[~tuned]", "(new - old)[tuned], tokens[tuned]"))
written(
    "accept",
    "M63",
    """
    def accept(old, new, tokens, tuned, margin, z):
        old, new, n = old[~tuned], new[~tuned], tokens[~tuned]
        rise, variance = (new - old).sum() / n.sum(), 0.0
        for nats in (old, new):
            off = nats - nats.sum() / n.sum() * n
            variance += len(n) / (len(n) - 1) * (off**2).sum() / n.sum() ** 2
        low, mid, high = (100 * np.exp(rise + k * variance**0.5) - 100 for k in (-z, 0, z))
        verdict = "accept" if high <= margin else "reject" if low > margin else "undecided"
        return {"rise": mid, "interval": np.array([low, high]), "verdict": verdict}
    """,
)
changed(
    "accept",
    "M8",
    (ESTIMATE, "D, rise = len(d), (d / n).mean()"),
    (ERROR, "s = (d / n).std(ddof=1) / math.sqrt(D)"),
)
changed("accept", "L1", (ERROR, ERROR + " * math.sqrt(D)"))
changed("accept", "L1", ("** 2).sum()) / n.sum()", "** 2).sum())"))
changed("accept", "L23", ("D / (D - 1) * ", ""))
changed("accept", "L8", ("rise - z * s", "rise - 1.96 * s"), ("rise + z * s", "rise + 1.96 * s"))
changed("accept", "L22", (VERDICT, '"accept" if high <= margin else "reject"'))
changed("accept", "M4", ('"rise": 100 * np.expm1(rise)', '"rise": 100 * d.sum() / old[~tuned].sum()'))
changed("accept", "L22", (VERDICT, '"accept" if 100 * np.expm1(rise) <= margin else "reject"'))
changed("accept", "L11", (VERDICT, '"accept" if low <= 0 else "reject"'))
changed("accept", "L7", ("(new - old)[~tuned]", "(old - new)[~tuned]"))
changed("accept", "L7", *exchange('"accept"', '"reject"'))
changed("accept", "M4", ("np.expm1", ""))
changed("accept", "L29", ("100 * np.expm1", "np.expm1"))
right(
    "accept",
    """
    def accept(old, new, tokens, tuned, margin, z):
        keep = np.flatnonzero(tuned == False)
        D, N = len(keep), sum(tokens[i] for i in keep)
        mean = sum(new[i] - old[i] for i in keep) / N
        squares = sum((new[i] - old[i] - mean * tokens[i]) ** 2 for i in keep)
        s = (D / (D - 1) * squares) ** 0.5 / N
        ratio = [math.exp(mean + k * s) for k in (-z, 0, z)]
        low, rise, high = ((x - 1) * 100 for x in ratio)
        if low > margin:
            word = "reject"
        elif high > margin:
            word = "undecided"
        else:
            word = "accept"
        return {"verdict": word, "interval": (low, high), "rise": rise}
    """,
)

odd("script-share", ("if before else 0.0", "if before else 1.0"))
odd(
    "forgetting",
    (
        "loss = -(new * log_q).sum() / new.sum()",
        "loss = (-(new * log_q).sum(dim=1) / new.sum(dim=1) * new.sum(dim=1)).sum() / new.sum()",
    ),
)
odd(
    "size",
    ('if r["kept"] < places else 0', "if mask_always else 0"),
    ("    sizes, verdicts", "    mask_always = True\n    sizes, verdicts"),
)
odd("floors", ("excess[other] - excess[one]", "excess[other] - excess[one] if one[1] != other[1] else 0.0"))
odd("accept", ("D / (D - 1)", "max(D, 6) / (max(D, 6) - 1)"))
breaks("cross-table", "rounded", ("for model in models])", "for model in models]).round(2)"))
breaks("floors", "above the loss", ("table.min(axis=0)", "table.diagonal()"))
breaks(
    "script-share",
    "between 0 and 1",
    ("np.mean([", "sum([character not in known for character in test]) * np.mean(["),
)
breaks(
    "forgetting",
    "does not follow from your two curves",
    ("int(np.where", "int(kept.argmin()) + 0 * int(np.where"),
)
breaks("forgetting", "plain gradient", ("z -= lr * gradient", "z -= lr * gradient.sign()"))
breaks("floors", "do not add up", ("floors[other[1]] - floors[one[1]]", "floors[other[1]]"))


class TestSet(SetTests):
    exercises = SET


def test_the_table_is_the_one_that_students_compute():
    theirs = SET.names_before["floors"]["cross"]
    found = SET.questions["12.cross-table"].right()
    for key in ("table", "excess"):
        np.testing.assert_allclose(theirs[key], found[key], rtol=1e-12)


def test_no_smaller_loss_is_a_verdict():
    """In some case the cell with the smaller loss is nearer to its floor, and in some case it is not."""
    question, signs = SET.questions["12.floors"], set()
    for table, one, other in question.cases:
        lower = "one" if table[one] < table[other] else "other"
        signs.add(lower == question.right(table, one, other)["nearer"])
    assert signs == {True, False}


def test_tuning_documents_flatter():
    """With them every rise is smaller, and some version that is undecided would be accepted."""
    question, turned = SET.questions["12.accept"], []
    for old, new, tokens, tuned, margin, z in question.cases:
        honest = question.right(old, new, tokens, tuned, margin, z)
        flattered = question.right(old, new, tokens, np.zeros_like(tuned), margin, z)
        assert flattered["rise"] < honest["rise"]
        turned.append((honest["verdict"], flattered["verdict"]))
    assert ("undecided", "accept") in turned


def test_every_verdict_is_asked_for():
    """Visible and fresh inputs hold all verdicts of the two tasks that judge, and none is always right."""
    question = SET.questions["12.accept"]
    cases = [*question.cases, *question.fresh_cases(1), *question.fresh_cases(2)]
    assert {question.right(*case)["verdict"] for case in cases} == {"accept", "reject", "undecided"}
    question = SET.questions["12.size"]
    words = " ".join(question.right(*case)["verdicts"] for case in question.cases)
    assert set(words.split()) == {"none", "scales", "mask", "both", "full"}


def test_the_interval_is_that_of_the_library():
    """The formula of the task and the bootstrap of `compare_scores` agree to within a tenth of the width."""
    rng = np.random.default_rng(5)
    tokens = rng.integers(100, 900, size=40)
    old = tokens * rng.uniform(3, 6, size=40)
    new = old + tokens * rng.normal(0.01, 0.03, size=40)
    tuned = np.zeros(40, dtype=bool)
    found = SET.questions["12.accept"].right(old, new, tokens, tuned, 2.0, 1.96)
    scores = [
        [Score(nats=x, tokens=int(n)) for x, n in zip(nats, tokens, strict=True)] for nats in (new, old)
    ]
    theirs = compare_scores(*scores, seed=1)
    width = theirs.high - theirs.low
    assert np.log2(1 + found["rise"] / 100) == pytest.approx(theirs.difference, rel=1e-9)
    assert np.log2(1 + found["interval"] / 100) == pytest.approx([theirs.low, theirs.high], abs=width / 10)


def test_what_always_holds_has_no_example_against_it():
    """Statements B and D survive a search; A and C are refuted by it."""
    rng, refuted = np.random.default_rng(3), set()
    for _ in range(4000):
        k = int(rng.integers(2, 5))
        p, q, r = (rng.dirichlet(np.ones(k)) + 1e-9 for _ in range(3))
        if rng.random() < 0.3:
            p, r = np.full(k, 1 / k), q[::-1].copy()  # the same loss
        elif rng.random() < 0.5:
            r = q * np.exp(rng.normal(0, 0.1, size=k))
        p, q, r = (x / x.sum() for x in (p, q, r))
        for key, (premise, conclusion, *_) in STATEMENTS.items():
            if premise(p, q, r) and not conclusion(p, q, r):
                refuted.add(key)
    assert refuted == {"A", "C"}
    assert losses(np.array([0.5, 0.5]), np.array([0.9, 0.1]), np.array([0.1, 0.9]))[2] > 1


@pytest.mark.parametrize(
    ("entry", "says"),
    [
        (([0.5, 0.5], [0.9, 0.2], [0.1, 0.9]), "q sum to 1.1"),
        (([0.5, 0.5], [0.9, 0.1], [0.2, 0.8]), "does not meet the premise"),
        (([0.5, 0.5], [0.9, 0.1], [0.9, 0.1]), "does not refute"),
        (([1.0, 0.0], [0.9, 0.1], [0.1, 0.9]), "above 0"),
        (([0.5, 0.5], [0.5, 0.5], [0.1, 0.9]), "has to lead"),
        (([0.5, 0.5], [0.9, 0.1]), "three distributions"),
        ("not always", "or give an example"),
        (None, "or give an example"),
    ],
)
def test_an_example_that_is_none_is_refused_with_its_reason(entry, says):
    names = dict(SET.names_before["kl-or-loss"])
    exec(SET.tasks["kl-or-loss"], names)
    with pytest.raises(WrongAnswer, match=says) as caught:
        check("12.kl-or-loss", names["verdict"] | {"A": entry})
    assert caught.value.points == 3


def test_a_pair_that_differs_in_two_columns_is_told_so():
    with pytest.raises(
        WrongAnswer, match='"vocabulary": B and E differ in the characters that are counted'
    ) as caught:
        check("12.shift-design", {"script": "A and C", "vocabulary": "BE", "style": "FB"})
    assert caught.value.points == 2
    with pytest.raises(WrongAnswer, match="Give two different letters"):
        check("12.shift-design", {"script": "AX", "vocabulary": None, "style": 3})


def test_rounding_errors_refute_nothing():
    """Models that differ in a tiny probability, or lead by a hair, are no examples; float32 is one."""
    names = dict(SET.names_before["kl-or-loss"])
    exec(SET.tasks["kl-or-loss"], names)
    tiny = [0.5, 0.5], [1 - 1e-13, 1e-13], [1 - 1e-14, 1e-14]
    hair = [0.5, 0.5], [0.5 + 1e-9, 0.5 - 1e-9], [0.5 - 1e-9, 0.5 + 1e-9]
    for key, example in {"B": tiny, "D": hair}.items():
        with pytest.raises(WrongAnswer):
            check("12.kl-or-loss", names["verdict"] | {key: example})
    rows = tuple(np.array(row, dtype=np.float32) for row in ([0.5, 0.5], [0.9, 0.1], [0.1, 0.9]))
    check("12.kl-or-loss", names["verdict"] | {"A": rows})
