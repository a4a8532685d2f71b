"""The set of chapter 09: full marks when solved, what to do when not, and for wrong code its hint."""

import math
import re

import numpy as np
import pytest

from lmcourse.feedback import WrongAnswer, check
from lmcourse.questions.ch09 import golden, leaks, logs, looks, slices
from tests.questions.exercise_sets import ExerciseSet, SetTests

SET = ExerciseSet("09_evaluation_protocols")
changed, written = SET.changed, SET.written
odd, breaks, right = SET.wrong_on_odd_inputs, SET.breaks, SET.right

A, B, C, D = '"A": "line"', '"B": "tale"', '"C": "writer"', '"D": "year"'
changed("which-split", "M78", (B, '"B": "line"'), (C, '"C": "line"'), (D, '"D": "line"'))
changed("which-split", "M78", (B, '"B": "line"'))
changed("which-split", "M78", (C, '"C": "Line"'))
changed("which-split", "M78", (D, '"D": "by line"'))
changed("which-split", "L11", (A, '"A": "tale"'), (C, '"C": "tale"'), (D, '"D": "tale"'))
changed("which-split", "L11", (A, '"A": "tale"'))
changed("which-split", "L32", (C, '"C": "tale"'))
changed("which-split", "L32", (D, '"D": "tale"'))
changed("which-split", "L11", (D, '"D": "writer"'))
changed("which-split", "L11", (C, '"C": "year"'))
changed("which-split", "L11", (B, '"B": "writer"'))
changed("which-split", "L11", (B, '"B": "year"'))
right("which-split", 'split_for = {"D": "by year", "C": "Writers", "B": "the tale", "A": " LINE "}')
right("which-split", 'split_for = dict(A="lines", B="by tale", C="by the writer", D="time")')

HALF = '"half": log["nats"] / count,'
changed("three-logs", "M25", (HALF, ""))
changed("three-logs", "M21", ('"left out": without / count,', ""))
changed("three-logs", "L21", ('"scored": log["nats"] / (count + ends),', ""))
changed("three-logs", "M1", ("math.exp(loss)", "2**loss"))
changed("three-logs", "M2", ('values["bits", unit, end] = loss / math.log(2)', ""))
changed("three-logs", "M34", ('("token", "word", "byte")', '("token", "byte")'))
changed("three-logs", "M38", ('("token", "word", "byte")', '("token", "word")'))
right(
    "three-logs",
    """
    def read_logs(logs):
        import itertools
        found = {"ends": [], "unit": [], "measure": []}
        for log in logs:
            def distance(name):
                measure, unit, end = name
                total = log["nats"] - log["nats of </s>"] * (end == "left out")
                loss = total / (log[unit + "s"] + log["sentences"] * (end == "scored"))
                value = {"perplexity": math.exp(loss), "bits": np.log2(np.e) * loss, "nats": loss}[measure]
                return max(value / log["reported"], log["reported"] / value)
            names = itertools.product(["nats", "bits", "perplexity"], ["byte", "word", "token"],
                                      ["half", "scored", "left out"])
            measure, unit, end = min(names, key=distance)
            found["measure"].append(measure)
            found["unit"].append(unit.upper())
            found["ends"].append(end)
        return found
    """,
)
right(
    "three-logs",
    SET.tasks["three-logs"]
    .replace('"; ".join(measures)', "np.array(measures)")
    .replace('"; ".join(units)', '";".join(units) + ";"'),
)
breaks("three-logs", "one of those in the task", ('"; ".join(ends)', '"; ".join(ends).replace(" ", "_")'))
breaks("three-logs", "one word for each log", ('"; ".join(measures)', '", ".join(measures)'))

SEEN, GRAMS = "for document in train for gram in n_grams(document)", "grams = n_grams(document)"
SHARE = "sum(gram in seen for gram in grams) / max(1, len(grams))"
changed("found-again", "L27", (SEEN, "for gram in n_grams(sum(train, []))"))
changed("found-again", "L35", (GRAMS, "grams = set(n_grams(document))"))
written(
    "found-again",
    "L7",
    """
    def found_again(train, test, n):
        def n_grams(words):
            return [tuple(words[i : i + n]) for i in range(len(words) - n + 1)]

        grams = [gram for document in train for gram in n_grams(document)]
        return [np.mean([gram in n_grams(document) for gram in grams]) for document in test]
    """,
)
changed("found-again", "M17", ("max(1, len(grams))", "max(1, len(document))"))
changed(
    "found-again",
    "L23",
    ("words[i : i + n]", "words[i : i + n + 1]"),
    ("len(words) - n + 1", "len(words) - n"),
)
changed(
    "found-again",
    "L23",
    ("words[i : i + n]", "words[i : i + n - 1]"),
    ("len(words) - n + 1", "len(words) - n + 2"),
)
changed("found-again", "L23", (GRAMS, "grams = n_grams(document)[:-1]"))
changed("found-again", "L24", ("    def n_grams", "    n = 1\n    def n_grams"))
written(
    "found-again",
    "L40",
    """
    def found_again(train, test, n):
        from collections import Counter

        def n_grams(words):
            return Counter(tuple(words[i : i + n]) for i in range(len(words) - n + 1))

        known = sum((n_grams(document) for document in train), Counter())
        mine = [n_grams(document) for document in test]
        return [(some & known).total() / max(1, some.total()) for some in mine]
    """,
)
changed("found-again", "L29", (SHARE, "100 * " + SHARE))
changed("found-again", "L7", (SHARE, "1 - " + SHARE))
changed("found-again", "L1", (SHARE, "sum(gram in seen for gram in grams)"))
right(
    "found-again",
    """
    def found_again(train, test, n):
        known = {" ".join(d[i:][:n]) for d in train for i in range(len(d)) if len(d[i:]) >= n}
        def share(d):
            there = [" ".join(d[i : i + n]) in known for i in range(len(d) - n + 1)]
            return np.mean(there) if there else 0
        return [share(d) for d in test]
    """,
)
right(
    "found-again",
    """
    def found_again(train, test, n):
        known = set()
        for words in train:
            known.update(zip(*(words[i:] for i in range(n))))
        shares = []
        for words in test:
            grams = list(zip(*[words[i:] for i in range(n)]))
            found = [g for g in grams if g in known]
            shares.append(sp.Rational(len(found), len(grams)) if grams else sp.S(0))
        return tuple(shares)
    """,
)
odd("found-again", ("max(1, len(grams))", "len(grams) if len(grams) > 1 else 2"))

changed("leaked-tale", "L31", ("copied, paragraph = (int(i)", "paragraph, copied = (int(i)"))
changed(
    "leaked-tale",
    "L23",
    ('"copied": copied', '"copied": copied + 1'),
    ('"paragraph": paragraph', '"paragraph": paragraph + 1'),
    ("int(short.argmax())", "int(short.argmax()) + 1"),
)
changed("leaked-tale", "L8", ("found_again(train, test, 3)", "found_again(train, test, 8)"))
written(
    "leaked-tale",
    "L7",
    """
    def suspects(train, test):
        train, test = ([text.split() for text in texts] for texts in (train, test))
        long, short = found_again(train, test, 8), found_again(train, test, 3)
        copied, paragraph = np.argsort(-long, kind="stable")[:2]
        short[[copied, paragraph]] = 0
        found = {"copied": (copied, 8), "paragraph": (paragraph, 8), "reworded": (short.argmax(), 3)}
        return {
            key: int(np.argmax([found_again([document], [test[i]], n)[0] for document in train]))
            for key, (i, n) in found.items()
        }
    """,
)
changed("leaked-tale", "L8", ('"paragraph": paragraph, "reworded": int(short.argmax())',
                              '"reworded": paragraph, "paragraph": int(short.argmax())'))  # fmt: skip
right(
    "leaked-tale",
    """
    def suspects(train, test):
        inside = " || ".join(train)
        words, pairs = [t.split() for t in train], {}
        copied = next(i for i, text in enumerate(test) if text in inside)
        def longest(text):
            text, best = text.split(), 0
            for i in range(len(text)):
                while i + best < len(text) and " ".join(text[i : i + best + 1]) in inside:
                    best += 1
            return best
        others = [i for i in range(len(test)) if i != copied]
        paragraph = max(others, key=lambda i: longest(test[i]))
        others.remove(paragraph)
        shares = found_again(words, [test[i].split() for i in others], 2)
        reworded = others[int(np.argmax(shares))]
        return {"reworded": reworded, "copied": copied, "paragraph": np.int64(paragraph)}
    """,
)
right(
    "leaked-tale",
    """
    def suspects(train, test):
        words = [[text.split() for text in texts] for texts in (train, test)]
        order = list(np.argsort(found_again(*words, 6)))
        copied, paragraph = order[-1], order[-2]
        order = [i for i in np.argsort(found_again(*words, 4)) if i not in (copied, paragraph)]
        return {"copied": float(copied), "paragraph": sp.Integer(int(paragraph)), "reworded": order[-1]}
    """,
)
breaks("leaked-tale", "one tale twice", ("short[[copied, paragraph]] = 0", ""))
breaks("leaked-tale", "not that of a test tale", ('"copied": copied', '"copied": copied + 100'))

REPORTED = "sp.exp((1 - eps) * sp.log(P0) + eps * c)"
SHARES = "(sp.log(P0) - sp.log(P)) / (sp.log(P0) - c)"
LEAST = "1 - sp.log(P) / sp.log(P0)"
AVERAGED = (REPORTED, "(1 - eps) * P0 + eps * sp.exp(c)")
changed(
    "leaked-share", "M8", AVERAGED, (SHARES, "(P0 - P) / (P0 - sp.exp(c))"), (LEAST, "(P0 - P) / (P0 - 1)")
)
changed("leaked-share", "M8", AVERAGED)
changed("leaked-share", "L9", (SHARES, "(P0 - P) / (P0 - sp.exp(c))"))
changed("leaked-share", "L9", (LEAST, "(P0 - P) / (P0 - 1)"))
changed("leaked-share", "L9", (LEAST, "(P0 - P) / P0"))
changed("leaked-share", "L22", (REPORTED, "sp.exp(sp.log(P0) + eps * c)"))
changed("leaked-share", "L22", (REPORTED, "P0 * sp.exp(-eps * c)"))
changed("leaked-share", "L22", (REPORTED, "sp.exp((1 - eps) * sp.log(P0))"))
changed("leaked-share", "L22", (SHARES, LEAST))
changed("leaked-share", "L31", (REPORTED, "sp.exp(eps * sp.log(P0) + (1 - eps) * c)"))
changed("leaked-share", "M5", (SHARES, "(sp.log(P) - sp.log(P0)) / (sp.log(P0) - c)"))
changed("leaked-share", "M5", (LEAST, "sp.log(P) / sp.log(P0) - 1"))
changed("leaked-share", "L34", (SHARES, "(sp.log(P0) - c) / (sp.log(P0) - sp.log(P))"))
changed("leaked-share", "L8", (SHARES, "(sp.log(P0) - sp.log(P)) / (sp.log(P) - c)"))
changed("leaked-share", "L7", (LEAST, "sp.log(P) / sp.log(P0)"))
changed("leaked-share", "M4", (REPORTED, "(1 - eps) * sp.log(P0) + eps * c"))
right(
    "leaked-share",
    """
    leak = {"reported": P0 ** (1 - eps) * sp.exp(c * eps)}
    leak |= {"share": sp.solve(sp.Eq(leak["reported"], P), eps), "least": [1 - sp.log(P, P0)]}
    """,
)
right(
    "leaked-share",
    """
    found = sp.solve(sp.Eq(sp.log(P), (1 - eps) * sp.log(P0) + eps * c), eps)[0]
    leak = {"reported": P0 / (P0 * sp.exp(-c)) ** eps, "share": found, "least": sp.limit(found, c, 0)}
    """,
)
right(
    "leaked-share",
    """
    P0, P, c, eps = sp.symbols("P0 P c eps")
    leak = {"least": sp.log(P0 / P, P0), "share": sp.log(P / P0) / (c - sp.log(P0)),
            "reported": P0 ** (1 - eps) * sp.E ** (c * eps)}
    """,
)
breaks("leaked-share", "is above 'share'", (LEAST, "2 * (" + SHARES + ")"))

TABLE_B, TABLE_C = '"B": [(100, 9, 900, 10), (900, 54, 100, 60)]', '"C": [(900, 11, 10), (100, 60, 90)]'
changed("slices", "M80", (TABLE_B, '"B": "always"'))
changed("slices", "M8", (TABLE_C, '"C": "Always."'))
changed("slices", "M80", (TABLE_B, '"B": "always"'), (TABLE_C, '"C": "always"'))
right(
    "slices",
    """
    verdict = {
        "A": "ALWAYS",
        "B": ((1, 1.0, 9, 2.0), (9.0, 7, 1, 8), [1, 3, 1, 3.5]),
        "C": np.array([[1000, 5.0, 4.9], [1, 100.0, 200.0]]),
        "D": "always.",
    }
    """,
)
right(
    "slices",
    """
    import torch
    verdict = {"A": "always", "B": torch.tensor([[1.0, 9, 99, 10], [99, 54, 1, 60]]), "D": " Always ",
               "C": [[sp.Integer(99), 11, 10], [1, sp.Rational(121, 2), 90]]}
    """,
)

RATIO, THRESHOLD = "pooled(r * E, r * H, w) / pooled(E, H, v)", "v - sp.log(r) / sp.log(H / E)"
SAME = '"reweighted": pooled(E, H, w)'
LOSSES = "sp.exp((1 - share) * sp.log(easy) + share * sp.log(hard))"
MEAN = "(1 - share) * easy + share * hard"
changed(
    "two-mixes",
    "M8",
    (LOSSES, MEAN),
    (THRESHOLD, "sp.solve(pooled(r * E, r * H, w) - pooled(E, H, v), w)[0]"),
)
changed("two-mixes", "M8", (RATIO, "r * ((1 - w) * E + w * H) / ((1 - v) * E + v * H)"))
changed("two-mixes", "M8", (SAME, '"reweighted": (1 - w) * E + w * H'))
changed("two-mixes", "L7", (RATIO, "pooled(r * E, r * H, v) / pooled(E, H, w)"))
changed("two-mixes", "L34", (RATIO, "pooled(E, H, v) / pooled(r * E, r * H, w)"))
changed("two-mixes", "M80", (RATIO, "r"))
changed("two-mixes", "L22", (RATIO, "pooled(E, H, w) / pooled(E, H, v)"))
changed("two-mixes", "M4", (RATIO, f"sp.log({RATIO})"))
changed("two-mixes", "M5", (THRESHOLD, "v + sp.log(r) / sp.log(H / E)"))
changed("two-mixes", "L9", (THRESHOLD, "v + (1 - r) / (H / E - 1)"))
changed("two-mixes", "L22", (THRESHOLD, "-sp.log(r) / sp.log(H / E)"))
changed("two-mixes", "L34", (THRESHOLD, "v - sp.log(H / E) / sp.log(r)"))
changed("two-mixes", "L31", (SAME, '"reweighted": pooled(E, H, v)'))
changed("two-mixes", "L31", (SAME, '"reweighted": pooled(r * E, r * H, v)'))
changed("two-mixes", "L31", (SAME, '"reweighted": pooled(r * E, r * H, w)'))
changed("two-mixes", "L31", (SAME, '"reweighted": pooled(H, E, w)'))
right(
    "two-mixes",
    """
    gap = sp.log(H) - sp.log(E)
    mixes = {"reweighted": E * (H / E) ** w, "ratio": r * sp.exp(gap * (w - v)),
             "threshold": sp.solve(sp.log(r) + (w - v) * gap, w)[0]}
    """,
)
right(
    "two-mixes",
    """
    mixes = {"threshold": sp.log((H / E) ** v / r, H / E), "ratio": r * H**w * E**v / (E**w * H**v),
             "reweighted": sp.root(sp.exp(sp.log(E**2) * (1 - w) + sp.log(H**2) * w), 2)}
    """,
)
breaks("two-mixes", "is below v", (THRESHOLD, "v / 2"))

OPTIMISM, CHANCE = '"optimism": sigma * mean', "1 - norm.cdf(gap / sigma) ** k"
NEEDED = "sigma * norm.ppf(0.95 ** (1 / k))"
changed("best-of", "M79", (CHANCE, "1 - norm.cdf(gap / sigma)"), (NEEDED, "sigma * norm.ppf(0.95)"))
changed("best-of", "M79", (OPTIMISM, '"optimism": 0'))
changed("best-of", "M79", (CHANCE, "norm.sf(gap / sigma)"))
changed("best-of", "M79", (NEEDED, "1.6448536 * sigma"))
changed("best-of", "M79", (NEEDED, "1.959964 * sigma"))
changed("best-of", "L4", (CHANCE, "k * norm.sf(gap / sigma)"))
changed("best-of", "L4", (NEEDED, "sigma * norm.isf(0.05 / k)"))
changed("best-of", "L7", (CHANCE, "norm.cdf(gap / sigma) ** k"))
changed("best-of", "L7", (CHANCE, "norm.sf(gap / sigma) ** k"))
changed("best-of", "L7", (NEEDED, "sigma * norm.ppf(0.05 ** (1 / k))"))
changed("best-of", "L22", (NEEDED, "sigma * norm.ppf(0.975 ** (1 / k))"))
changed("best-of", "L30", (OPTIMISM, '"optimism": sigma * norm.ppf(0.5 ** (1 / k))'))
changed("best-of", "L25", (OPTIMISM, '"optimism": sigma * np.sqrt(2 * np.log(k))'))
changed("best-of", "L22", (OPTIMISM, '"optimism": sigma * norm.ppf(1 - 1 / k)'))
changed("best-of", "L8", (OPTIMISM, '"optimism": mean'))
changed("best-of", "L8", (NEEDED, "norm.ppf(0.95 ** (1 / k))"))
changed("best-of", "L7", (OPTIMISM, '"optimism": -sigma * mean'))
changed("best-of", "L26", (OPTIMISM, '"optimism": sigma / math.sqrt(k) * mean'))
changed("best-of", "L29", (CHANCE, "100 * (1 - norm.cdf(gap / sigma) ** k)"))
right(
    "best-of",
    """
    def best_of(k, sigma, gap):
        # the mean of the largest one from the areas beside its distribution function
        x = np.linspace(-9, 9, 3601)
        below = norm.cdf(x) ** k
        mean = (np.where(x > 0, 1 - below, -below)).sum() * 0.005 + 0.0025
        needed = -sigma * norm.ppf(-math.expm1(math.log(0.95) / k))
        chance = -math.expm1(k * norm.logcdf(gap / sigma))
        return {"needed": needed, "chance": chance, "optimism": sigma * mean}
    """,
)
right(
    "best-of",
    """
    def best_of(k, sigma, gap):
        from scipy.optimize import brentq
        loss = norm(0, sigma)
        none_below = lambda x: loss.sf(-x) ** k
        mean = quad(lambda x: 1 - none_below(x), 0, 12 * sigma, epsabs=1e-12)[0]
        mean -= quad(none_below, -12 * sigma, 0, epsabs=1e-12)[0]
        return {"optimism": mean, "chance": 1 - none_below(gap),
                "needed": brentq(lambda x: none_below(x) - 0.95, -9 * sigma, 9 * sigma, xtol=1e-14)}
    """,
)
odd("best-of", ("mean, _ = quad", "mean, _ = (1.0, 0) if k == 1 else quad"))

FIXED = "sp.solve(sp.Eq(V, (1 - eta * lam) ** 2 * V + eta**2 * s**2), V)[0]"
EXCESS, RATE = "sp.simplify(lam * variance / 2)", "sp.solve(sp.Eq(excess, g), eta)[0]"
TRUE_RATE = (RATE, "4 * g / (s**2 + 2 * g * lam)")
TRUE_EXCESS = (EXCESS, "eta * s**2 / (2 * (2 - eta * lam))")
changed("decay", "L42", (FIXED, "eta**2 * s**2"), TRUE_RATE)
changed("decay", "L22", (FIXED, "sp.solve(sp.Eq(V, (1 - eta * lam) * V + eta**2 * s**2), V)[0]"), TRUE_RATE)
changed("decay", "L22", (FIXED, "eta * s**2 / (2 * lam)"), TRUE_RATE)
changed("decay", "L22", (FIXED, "sp.solve(sp.Eq(V, (1 - eta * lam) ** 2 * V + eta**2 * s), V)[0]"), TRUE_RATE)
changed("decay", "M5", (FIXED, "eta * s**2 / (lam * (2 + eta * lam))"), TRUE_RATE)
changed("decay", "L22", (FIXED, f"sp.sqrt({FIXED})"), TRUE_EXCESS, TRUE_RATE)
changed("decay", "L22", (EXCESS, "lam * variance"), TRUE_RATE)
changed("decay", "L22", (EXCESS, "variance / 2"), TRUE_RATE)
changed("decay", "L22", (EXCESS, "eta * s**2 / 4"), TRUE_RATE)
changed("decay", "L22", (RATE, "4 * g / s**2"))
changed("decay", "M5", (RATE, "4 * g / (s**2 - 2 * g * lam)"))
changed("decay", "L22", (RATE, "sp.solve(sp.Eq(2 * excess, g), eta)[0]"))
changed("decay", "L34", (RATE, "1 / " + RATE))
changed("decay", "L22", (RATE, "sp.solve(sp.Eq(variance / 2, g), eta)[0]"))
right(
    "decay",
    """
    shrink = (1 - eta * lam) ** 2
    v = eta**2 * s**2 / (1 - shrink)
    steady = {"rate": 1 / (lam / 2 + s**2 / (4 * g)), "variance": v, "excess": v * lam / 2}
    """,
)
right(
    "decay",
    """
    t = sp.Symbol("t", integer=True)
    x = sp.Symbol("x", positive=True)
    series = sp.summation(x**t, (t, 0, sp.oo)).args[0][0]
    v = (eta * s) ** 2 * series.subs(x, (1 - eta * lam) ** 2)
    steady = {"variance": v, "excess": sp.factor(lam * v / 2), "rate": sp.solve(lam * v / 2 - g, eta)[-1]}
    """,
)
breaks("decay", "negative", (FIXED, "-" + FIXED), TRUE_EXCESS, TRUE_RATE)

for name, word, wrong in (
    ("A", "decay", "M81 supported, L28 budget"),
    ("B", "limit", "M82 supported"),
    ("C", "looks", "M79 supported, L28 counts"),
    ("D", "supported", "L28 budget, L28 looks, L28 counts, L28 decay"),
    ("E", "counts", "M80 supported, L28 budget"),
):
    for entry in wrong.split(", "):
        changed("claims", entry.split()[0], (f'"{name}": "{word}"', f'"{name}": "{entry.split()[1]}"'))
right(
    "claims", 'judged = {"E": "Counts", "D": "is supported", "C": "looks.", "B": "the limit", "A": " decay"}'
)
right("claims", 'judged = dict(zip("ABCDE", "decay limit look Supported count".split()))')

TEXT = 'if hashlib.sha256(run["text"].encode()).hexdigest() != record["digest"]:'
COUNT = 'elif len(run["nats"]) != record["tokens"]:'
NEAR = 'abs(total - record["nats"]) <= rtol * record["nats"]'
MOVED = '(total - record["nats"]) / record["tokens"]'
BLAME = '"library" if run["versions"] != record["versions"] else "code"'
changed("golden-verdict", "M39", (TEXT, "if False:"))
changed("golden-verdict", "L27", (COUNT, "elif False:"))
changed("golden-verdict", "L28", (NEAR, 'total == record["nats"]'))
changed("golden-verdict", "L8", (NEAR, 'abs(total - record["nats"]) <= rtol'))
changed("golden-verdict", "L41", (NEAR, 'not abs(total - record["nats"]) > rtol * record["nats"]'))
changed("golden-verdict", "L7", (NEAR, 'total - record["nats"] <= rtol * record["nats"]'))
changed(
    "golden-verdict",
    "L43",
    (
        NEAR,
        'round(math.exp(total / record["tokens"]), 2)'
        ' == round(math.exp(record["nats"] / record["tokens"]), 2)',
    ),
)
changed("golden-verdict", "L28", (NEAR, NEAR + ' and run["versions"] == record["versions"]'))
changed("golden-verdict", "L31", (BLAME, BLAME.replace("!=", "==")))
changed("golden-verdict", "M83", (NEAR, "True"))
changed("golden-verdict", "L1", (MOVED, 'total - record["nats"]'))
changed("golden-verdict", "L26", (MOVED, '(total - record["nats"]) / len(run["nats"])'))
changed("golden-verdict", "L7", (MOVED, '(record["nats"] - total) / record["tokens"]'))
changed("golden-verdict", "M32", ('run["nats"].sum()', 'np.nansum(run["nats"])'))
changed("golden-verdict", "L34", (MOVED, 'total / record["nats"] - 1'))
right(
    "golden-verdict",
    """
    def golden_verdicts(record, runs, rtol):
        def verdict(run):
            total = math.fsum(run["nats"])
            if not hashlib.sha256(bytes(run["text"], "utf-8")).digest().hex() == record["digest"]:
                return "Text"
            if np.size(run["nats"]) - record["tokens"]:
                return "count"
            if math.isclose(total, record["nats"], rel_tol=0, abs_tol=rtol * record["nats"]):
                return "same"
            return ("code", "library")[record["versions"] != run["versions"]]
        moved = [float(np.sum(run["nats"]) - record["nats"]) / record["tokens"] for run in runs]
        return {"moved": moved, "verdicts": [verdict(run) for run in runs]}
    """,
)
right(
    "golden-verdict",
    """
    def golden_verdicts(record, runs, rtol):
        found, moved = [], np.zeros(len(runs))
        for i, run in enumerate(runs):
            change = run["nats"].sum() / record["nats"] - 1
            moved[i] = change * record["nats"] / record["tokens"]
            found.append("code")
            if any(record["versions"].get(k) != v for k, v in run["versions"].items()):
                found[-1] = "library"
            if -rtol <= change <= rtol:
                found[-1] = "same"
            if len(run["nats"]) != record["tokens"]:
                found[-1] = "count"
            if hashlib.sha256(run["text"].encode("utf8")).hexdigest() != record["digest"]:
                found[-1] = "text"
        return {"verdicts": ";".join(found), "moved": tuple(moved)}
    """,
)
breaks("golden-verdict", "one of the five words", ('"same"', '"passed"'))
breaks("golden-verdict", "one word for each run", ('"; ".join(verdicts)', '", ".join(verdicts)'))

changed("golden-text", "M82", ('"king",', ""))
written("golden-text", "M8", 'golden = ["wolf king", "king fox", "sleeps sleeps fox", "wolf the"]')
written("golden-text", "M15", 'golden = ["fox", "fox", "the king sleeps", "fox fox fox", "wolf"]')
written("golden-text", "M28", 'golden = ["sleeps", "the wolf sleeps", "king", "the king sleeps"]')
written("golden-text", "M83", 'golden = ["the wolf sleeps"]')
right("golden-text", 'golden = "sleeps\\nthe wolf sleeps\\n\\nking\\nthe fox sleeps\\n"')
right("golden-text", 'golden = ("king sleeps", "Fox", "the the", "wolf", "sleeps fox wolf")')
right("golden-text", 'golden = np.array(["fox", "king king", "the wolf", "the wolf sleeps", "king the"])')


class TestSet(SetTests):
    exercises = SET


def test_partial_answers_get_the_points_of_their_right_entries(capsys):
    for task, points, change in (
        ("slices", 3, (TABLE_B, '"B": [(100, 9, 100, 10), (100, 54, 100, 60)]')),
        ("which-split", 3, (C, '"C": "by page"')),
        ("golden-text", 3, ('"the fox sleeps"', '"the wolf sleeps"')),
        ("claims", 4, ('"E": "counts"', '"E": 3')),
    ):
        with pytest.raises(WrongAnswer) as caught:
            check(f"09.{task}", SET.answer(task, SET.tasks[task].replace(*change)))
        assert caught.value.points == points


@pytest.mark.parametrize(
    ("given", "says"),
    [
        (None, "not done yet"),
        ([], "no document"),
        (["the", ""], "empty one"),
        (["the wolf"] * 7, "have 14 words"),
        (["the </s>"], "adds </s> by itself"),
        ([1, 2], "a list of documents"),
        ("", "no document"),
        (3, "a list of documents"),
    ],
)
def test_a_golden_text_that_cannot_be_used_is_refused_with_a_sentence(given, says):
    with pytest.raises(WrongAnswer, match=says) as caught:
        check("09.golden-text", given)
    assert not caught.value.points


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ([(1, 2)], "has the form"),
        ([(1, 2, 3, 4)], "at least two"),
        ([(0, 2, 3, 4), (1, 2, 3, 4)], "above 0"),
        ([(1, 0.5, 3, 4), (1, 2, 3, 4)], "at least 1"),
        ([(1, 5, 1, 4), (1, 2, 1, 4)], "not below B's on every slice"),
        ([(1, 3, 1, 4), (1, 3, 1, 4)], "does not refute"),
        ("never", 'Write "always"'),
        ([(1, 3, 1, "x"), (1, 3, 1, 4)], "has the form"),
        ([(1, 3, 1, math.nan), (1, 3, 1, 4)], "has the form"),
    ],
)
def test_a_table_that_does_not_refute_is_refused_with_a_sentence(given, says):
    with pytest.raises(WrongAnswer, match=says) as caught:
        check("09.slices", slices_with(B=given))
    assert caught.value.points == 3


def slices_with(**entries):
    """The solved tables, with some of them replaced."""
    return SET.answer("slices", SET.tasks["slices"]) | entries


def test_no_table_refutes_what_always_holds():
    """Ten thousand random tables: the same tokens on both sides allow no reversal."""
    rng = np.random.default_rng(9)
    for _ in range(10_000):
        rows = np.column_stack([rng.integers(1, 1000, 3), rng.uniform(1, 99, (3, 2))])
        for key in "AD":
            assert slices._refute(key, rows.tolist())


def test_the_evaluator_of_the_set_is_that_of_the_check():
    names = SET.names_before["golden-text"]
    assert names["WORDS"] == golden.WORDS and names["TWENTIETHS"] == golden.TWENTIETHS
    assert all(sum(row) == 20 for row in golden.TWENTIETHS.values())
    rng = np.random.default_rng(12)
    for _ in range(200):
        sizes = rng.integers(1, 4, size=rng.integers(1, 6))
        documents = [" ".join(rng.choice(["the", "wolf", "king", "sleeps", "fox"], size=n)) for n in sizes]
        for change in ("", *golden.CHANGES):
            assert names["evaluate"](documents, change) == pytest.approx(
                golden.evaluate(documents, change), rel=1e-12
            )


def test_each_example_of_a_golden_text_shows_what_it_is_listed_for():
    for change, texts in golden.EXAMPLES.items():
        for name, text in texts.items():
            assert golden._look(change)(text) == name or name == "not read"


def test_the_mean_of_the_best_is_the_known_one():
    assert looks._mean_of_largest(2) == pytest.approx(1 / math.sqrt(math.pi), rel=1e-12)
    assert looks._mean_of_largest(3) == pytest.approx(1.5 / math.sqrt(math.pi), rel=1e-12)
    drawn = np.random.default_rng(9).normal(size=(100_000, 20)).max(axis=1)
    assert abs(looks._mean_of_largest(20) - drawn.mean()) < 4 * drawn.std() / math.sqrt(len(drawn))


def test_the_steady_state_is_the_simulated_one():
    eta, lam, s, _ = SET.questions["09.decay"].cases[0]
    found = SET.questions["09.decay"].right(eta, lam, s, 0.01)
    rng, theta = np.random.default_rng(9), np.zeros(100_000)
    for _ in range(60):
        theta -= eta * (lam * theta + s * rng.normal(size=theta.size))
    assert theta.var() == pytest.approx(found["variance"], rel=0.02)
    assert (lam * theta**2 / 2).mean() == pytest.approx(found["excess"], rel=0.02)


def test_each_printed_value_belongs_to_one_card():
    """No other of the 27 values of a log is within one per cent of the printed one."""
    for seed in range(5):
        for log in logs._draw_logs(np.random.default_rng(seed))[0]:
            values = sorted(
                abs(math.log(x / log["reported"])) for x in logs.values_of(logs._singular(log)).values()
            )
            assert values[0] < 1e-3 and values[1] > 0.01


def test_leaks_are_found_with_more_than_one_n():
    """The three tales are told apart with any n from 2 to 4 and any long one, so no choice is forced."""
    for seed in range(5):
        train, test = leaks._draw_tales(np.random.default_rng(seed))
        found = leaks.suspects(train, test)
        for n in (6, 8, 12):
            shares = leaks._shares(train, test, n)
            assert [int(i) for i in np.argsort(-shares)[:2]] == [found["copied"], found["paragraph"]]


def test_the_text_names_the_value_of_the_first_log():
    text = next(cell.source for cell in SET.solved.cells if cell.source.startswith("## Task 2 "))
    assert f"says {logs.THREE_LOGS.cases[0][0][0]['reported']}," in text


def test_a_measured_sentence_of_the_set_is_what_its_cells_print():
    """The looks back name what was measured: it is computed here again."""
    assert 1 - 30 ** (-0.05) * math.exp(0.05 * 0.2) == pytest.approx(0.15, abs=0.005)
    threshold = SET.questions["09.two-mixes"].right(10, 60, 0.9, 0.2, 0.5)["threshold"]
    assert round(100 * (threshold - 0.2)) == 6
    assert 1.8 < looks._mean_of_largest(20) < 2
    outputs = [o.text for c in SET.solved.cells if c.cell_type == "code" for o in c.outputs if "text" in o]
    runs = "".join(next(o for o in outputs if "rate constant" in o)).splitlines()
    ends = [[float(nats) for nats in re.findall(r"([0-9.]+) nats", line)] for line in runs]
    for constant, fallen in zip(ends[:3], ends[3:], strict=True):
        assert constant[0] == fallen[0] and 0.01 < constant[1] - fallen[1] < 0.03
    moved = {
        line[:32].strip(): float(re.search(r"[+-][0-9.e+-]+", line)[0])
        for line in next(o for o in outputs if "straight quotes" in o).splitlines()
    }
    lower = ("the last token dropped", "a floor under the probabilities", "a new version that rounds")
    assert all(moved[name] < 0 for name in lower)
    assert max(abs(moved[name]) for name in (lower[0], lower[2])) < 0.002
