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

RISES = "rises.append([100 * math.expm1(change - z * s), 100 * math.expm1(change + z * s)])"
S = "s = math.sqrt(a**2 + b**2 - 2 * rho * a * b)"
KLD = '"kld" if abs(report["Mean KLD"] - change) < 1e-5 else "none"'
VERDICTS = '"verdicts": " ".join(verdicts)'
PAIRED = "abs(error - ratio * apart) < abs(error - ratio * s)"
TRUE_S = "abs(error - ratio * math.sqrt(a**2 + b**2 - 2 * rho * a * b))"
changed(
    "report",
    "M63",
    (S, "s = math.sqrt(a**2 + b**2)"),
    (PAIRED, f"abs(error - ratio * apart) < {TRUE_S}"),
)
changed(
    "report",
    "L22",
    (S, "s = math.sqrt(a**2 + b**2 - rho * a * b)"),
    (PAIRED, f"abs(error - ratio * apart) < {TRUE_S}"),
)
written(
    "report",
    "L22",
    """
    def read_reports(reports, z):
        rises, words = [], []
        for r in reports:
            (q, a), (base, b), rho = r["PPL(Q)"], r["PPL(base)"], r["Cor"] / 100
            change, s = np.log(q / base), (a**2 + b**2 - 2 * rho * a * b) ** 0.5
            rises.append(100 * np.exp(change + s * np.array([-z, z])) - 100)
            near = lambda x, y: abs(x - y) < 2e-5
            ratio, error = r["PPL(Q)/PPL(base)"]
            u, v = a / q, b / base
            word = "ratio" if near(ratio, base / q) else ""
            word = word or ("error" if near(error, ratio * (u * u + v * v) ** 0.5) else "")
            words.append(word or ("kld" if near(r["Mean KLD"], change) else "none"))
        return {"rise": np.array(rises), "verdicts": " ".join(words)}
    """,
)
changed("report", "L8", (RISES, RISES.replace("z * s", "s")))
changed("report", "L8", (RISES, RISES.replace("z * s", "1.96 * s")))
changed("report", "M4", (RISES, "rises.append([100 * (change - z * s), 100 * (change + z * s)])"))
changed("report", "L29", (RISES, RISES.replace("100 * ", "")))
changed("report", "L9", (RISES, RISES.replace("expm1", "exp")))
changed("report", "L31", (RISES, RISES.replace("[100", "sorted([100").replace("])", "], reverse=True))")))
changed("report", "L7", (RISES, RISES.replace("(change", "(-change")))
changed("report", "M62", (KLD, '"none" if abs(report["Mean KLD"] - change) < 1e-5 else "kld"'))
changed(
    "report",
    "M63",
    (
        f'elif {PAIRED}:\n            verdicts.append("error")',
        'elif report["Mean KLD"] == round(change, 6):\n            verdicts.append("kld")',
    ),
    (f"verdicts.append({KLD})", f'verdicts.append("none" if {PAIRED} else "error")'),
)
changed(
    "report",
    "L34",
    (VERDICTS, '"verdicts": " ".join(FLIP.get(word, word) for word in verdicts)'),
    ("    rises, verdicts", '    FLIP = {"none": "ratio", "ratio": "none"}\n    rises, verdicts'),
)
changed("report", "L28", (KLD, '"kld"'))
right(
    "report",
    """
    def read_reports(reports, z):
        rise, said = np.zeros((len(reports), 2)), []
        for k, r in enumerate(reports):
            q, base, ratio = (np.array(r[key]) for key in ("PPL(Q)", "PPL(base)", "PPL(Q)/PPL(base)"))
            a, b, rho = q[1] / q[0], base[1] / base[0], r["Cor"] / 100
            covariance = np.array([[a * a, rho * a * b], [rho * a * b, b * b]])
            s = np.sqrt(np.array([1, -1]) @ covariance @ np.array([1, -1]))
            rise[k] = (q[0] / base[0] * np.exp([-z * s, z * s]) - 1) * 100
            if (ratio[0] > 1) != (q[0] > base[0]):
                said.append("ratio")
            elif ratio[1] > 1.2 * ratio[0] * s:
                said.append("error")
            elif math.isclose(r["Mean KLD"], math.log(q[0] / base[0]), rel_tol=1e-3):
                said.append("kld")
            else:
                said.append("none")
        return {"verdicts": said, "rise": rise.tolist()}
    """,
)
right(
    "report",
    """
    def read_reports(reports, z):
        rises, words = [], ""
        for r in reports:
            l = math.log(r["PPL(Q)"][0]) - math.log(r["PPL(base)"][0])
            e = [r[k][1] / r[k][0] for k in ("PPL(Q)", "PPL(base)")]
            s = ((e[0] - e[1]) ** 2 + 2 * e[0] * e[1] * (1 - r["Cor"] / 100)) ** 0.5
            rises.append((100 * math.exp(l - z * s) - 100, 100 * math.exp(l + z * s) - 100))
            fits = {
                "ratio": abs(math.log(r["PPL(Q)/PPL(base)"][0]) + l),
                "error": abs(r["PPL(Q)/PPL(base)"][1] / r["PPL(Q)/PPL(base)"][0] - math.hypot(*e)),
                "kld": abs(r["Mean KLD"] - l),
            }
            words += min(fits, key=fits.get) + ", " if min(fits.values()) < 1e-5 else "none, "
        return {"rise": rises, "verdicts": words}
    """,
)
odd("report", ('"ratio")', '"ratio" if change > 0 else "none")'))
changed(
    "report",
    "L7",
    ("math.log(q / base)", "math.log(ratio)"),
    (KLD, KLD.replace("change", "math.log(q / base)")),
)
breaks("report", "does not contain the rise", (RISES, RISES.replace("(change", "(0.1 + change")))

ALLOWED = "allowed = 100 * np.expm1(valid[:, 1, 0] + z * valid[:, 1, 1]) < margin"
SENT = "k = int(np.where(allowed, valid[:, 0, 0], np.inf).argmin())"
WORD = '"accept" if (high < limits).all() else "reject" if (low >= limits).any() else "undecided"'
LIMITS = "limits = np.array([-gain, margin])"
BOUNDS = "low, high = 100 * np.expm1(change - z * error), 100 * np.expm1(change + z * error)"
ROWS = "intervals.append(np.stack([low, high], axis=1))"
changed("two-texts", "M64", (ALLOWED, "allowed = np.full(len(valid), True)"))
changed("two-texts", "M65", (ALLOWED, "valid = test\n        " + ALLOWED))
changed("two-texts", "L22", (ALLOWED, "allowed = 100 * np.expm1(valid[:, 1, 0]) <= margin"))
changed("two-texts", "L31", (SENT, "k = int(valid[:, 1, 0].argmin())"))
changed("two-texts", "M4", (BOUNDS, BOUNDS.replace("np.expm1", "")))
changed("two-texts", "L29", (ROWS, "intervals.append(np.stack([low, high], axis=1) / 100)"))
changed("two-texts", "L8", (BOUNDS, BOUNDS.replace("z * error", "1.96 * error")))
changed("two-texts", "L8", (BOUNDS, BOUNDS.replace("z * error", "error")))
changed("two-texts", "L31", (ROWS, "intervals.append(np.stack([low, high], axis=1)[::-1])"))
changed(
    "two-texts",
    "M64",
    (
        WORD,
        WORD.replace("low >= limits).any()", "low[:1] >= limits[:1]).all()").replace(
            "high < limits", "high[:1] < limits[:1]"
        ),
    ),
)
changed("two-texts", "L22", (WORD, '"accept" if (100 * np.expm1(change) < limits).all() else "reject"'))
changed("two-texts", "L22", (WORD, '"accept" if (high < limits).all() else "reject"'))
changed("two-texts", "L11", (LIMITS, "limits = np.array([0.0, margin])"))
changed(
    "two-texts",
    "L11",
    (
        WORD,
        '"accept" if high[0] < -gain and low[1] <= 0 '
        'else "reject" if low[1] > 0 or low[0] >= -gain else "undecided"',
    ),
)
changed("two-texts", "L7", (LIMITS, "limits = np.array([gain, margin])"))
changed(
    "two-texts",
    "L22",
    (WORD, '"accept" if (high < limits).any() else "reject" if (low >= limits).all() else "undecided"'),
)
right(
    "two-texts",
    """
    def one(valid, test, margin, gain, z):
        kept = [k for k, (_, (old, s)) in enumerate(valid) if math.exp(old + z * s) < 1 + margin / 100]
        if not kept:
            return -1, [[0, 0], [0, 0]], "untested"
        k = min(kept, key=lambda i: valid[i][0][0])
        rows = []
        for mean, error in test[k]:
            rows.append([(math.exp(mean + side * z * error) - 1) * 100 for side in (-1, 1)])
        (a, b), (c, d) = rows
        if a >= -gain or c >= margin:
            return k, rows, "reject"
        return k, rows, "undecided" if b >= -gain or d >= margin else "accept"


    def two_texts(ways, margin, gain, z):
        numbers, rows, words = zip(*(one(*way, margin, gain, z) for way in ways))
        return {"verdicts": list(words), "sent": list(numbers), "intervals": list(rows)}
    """,
)
right(
    "two-texts",
    """
    def two_texts(ways, margin, gain, z):
        limits = torch.log1p(torch.tensor([-gain, margin], dtype=torch.float64) / 100)
        sent, words = torch.full((len(ways),), -1.0), []
        intervals = torch.zeros(len(ways), 2, 2, dtype=torch.float64)
        for w, (valid, test) in enumerate(ways):
            new, (old, s) = valid[:, 0, 0], valid[:, 1].T
            good = [int(k) for k in new.argsort() if old[k] + z * s[k] < math.log1p(margin / 100)]
            word = "untested"
            if good:
                mean, error = torch.tensor(test[good[0]]).T
                ends = torch.stack([mean - z * error, mean + z * error], dim=1)
                sent[w], intervals[w] = good[0], 100 * torch.expm1(ends)
                word = "undecided"
                if bool((ends[:, 1] < limits).all()):
                    word = "accept"
                elif bool((ends[:, 0] >= limits).any()):
                    word = "reject"
            words.append(word)
        return {"sent": sent, "intervals": intervals, "verdicts": ", ".join(words)}
    """,
)
odd("two-texts", ("if not allowed.any()", "if len(valid) < 2 or not allowed.any()"))
breaks(
    "two-texts",
    "does not contain the change",
    (BOUNDS, BOUNDS.replace("(change", "(0.2 + change")),
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
    """Visible and fresh inputs hold all verdicts of the tasks that judge, and none is always right."""
    question = SET.questions["12.accept"]
    cases = [*question.cases, *question.fresh_cases(1), *question.fresh_cases(2)]
    assert {question.right(*case)["verdict"] for case in cases} == {"accept", "reject", "undecided"}
    question = SET.questions["12.size"]
    words = " ".join(question.right(*case)["verdicts"] for case in question.cases)
    assert set(words.split()) == {"none", "scales", "mask", "both", "full"}
    question = SET.questions["12.report"]
    words = " ".join(question.right(*case)["verdicts"] for case in question.cases)
    assert set(words.split()) == {"none", "ratio", "error", "kld"}
    question = SET.questions["12.two-texts"]
    words = " ".join(question.right(*case)["verdicts"] for case in question.cases)
    assert set(words.split()) == {"accept", "reject", "undecided", "untested"}


def test_a_report_has_the_digits_of_its_tool_and_fits_itself():
    """The lines of a right report agree to within their last digit, and those of a wrong one do not."""
    for reports, z in [*SET.questions["12.report"].cases, *SET.questions["12.report"].fresh_cases(3)]:
        words = SET.questions["12.report"].right(reports, z)["verdicts"].split()
        for report, word in zip(reports, words, strict=True):
            (q, of_q), (base, of_base) = report["PPL(Q)"], report["PPL(base)"]
            ratio, error = report["PPL(Q)/PPL(base)"]
            a, b, rho = of_q / q, of_base / base, report["Cor"] / 100
            s = np.sqrt(a**2 + b**2 - 2 * rho * a * b)
            fits = abs(ratio - q / base) < 2e-6, abs(error / ratio - s) < 2e-6
            assert fits == (word != "ratio", word != "error")
            assert (abs(report["Mean KLD"] - np.log(q / base)) < 2e-6) == (word == "kld")


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
    theirs = compare_scores(*scores, seed=1, interval="bootstrap")
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
    """Models that differ in a tiny probability, or lead by a hair, are not examples; float32 is one."""
    names = dict(SET.names_before["kl-or-loss"])
    exec(SET.tasks["kl-or-loss"], names)
    tiny = [0.5, 0.5], [1 - 1e-13, 1e-13], [1 - 1e-14, 1e-14]
    hair = [0.5, 0.5], [0.5 + 1e-9, 0.5 - 1e-9], [0.5 - 1e-9, 0.5 + 1e-9]
    for key, example in {"B": tiny, "D": hair}.items():
        with pytest.raises(WrongAnswer):
            check("12.kl-or-loss", names["verdict"] | {key: example})
    rows = tuple(np.array(row, dtype=np.float32) for row in ([0.5, 0.5], [0.9, 0.1], [0.1, 0.9]))
    check("12.kl-or-loss", names["verdict"] | {"A": rows})
