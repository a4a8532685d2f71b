"""The set of chapter 08 as a class answers it: what each wrong answer is told, and which right ones there are."""

# ruff: noqa: E501 (code in one line, as it is written in a hurry)

from tests.questions.exercise_sets import ExerciseSet
from tests.questions.tries import TriesTests

SET = ExerciseSet("08_ngram_versus_neural")
wrong, right = SET.told, SET.right

# --- one-class

GRADIENT = "(of_context * np.exp(log_q) - counts) / N"
FLOOR, GAP = "floor = -xlogy(counts, frequency).sum() / N", '"gap": loss - floor'
wrong(
    "one-class",
    "M2",
    "Your number is 1.4427 = 1 / ln 2 times the right one: it is",
    (FLOOR, FLOOR + " / math.log(2)"),
)
wrong(
    "one-class",
    "",
    'Only "floor" and "gap" are wrong.',
    (FLOOR, "floor = -xlogy(frequency, frequency).sum() / N"),
)
wrong(
    "one-class",
    "",
    'Only "floor" and "gap" are wrong.',
    (FLOOR, "floor = -xlogy(frequency, frequency).sum(axis=1).mean()"),
)
wrong(
    "one-class",
    "",
    "a gap is below 0, but no table of probabilities has a lower",
    (GAP, '"gap": floor - loss'),
)
wrong("one-class", "", 'Only "gap" is wrong.', (GAP, '"gap": loss / floor - 1'))
wrong(
    "one-class",
    "L1",
    "Those are totals of the text. Divide by the number of all",
    (GAP, '"gap": (loss - floor) * N'),
)
wrong(
    "one-class",
    "",
    "a row of the gradient does not sum to 0, though adding a",
    (GRADIENT, "(np.exp(log_q) - counts) / N"),
)
wrong(
    "one-class",
    "L1",
    "Those are totals of the text. Divide by the number of all",
    (GRADIENT, "(of_context * np.exp(log_q) - counts)"),
)
wrong(
    "one-class",
    "L26",
    "Your gradient gives each row the same weight. A",
    (GRADIENT, "(of_context * np.exp(log_q) - counts) / np.maximum(of_context, 1)"),
)
wrong(
    "one-class",
    "",
    "a gap is below 0, but no table of probabilities has a lower",
    ("log_softmax(logits, axis=1)", "log_softmax(logits, axis=0)"),
)
wrong(
    "one-class",
    "",
    "a gap is below 0, but no table of probabilities has a lower",
    ("log_softmax(logits, axis=1)", "logits"),
)
wrong(
    "one-class",
    "",
    'Only "gap" and "gradient" are wrong.',
    ("log_softmax(logits, axis=1)", "log_softmax(log_softmax(logits, axis=1).clip(-2), axis=1)"),
)
right(
    "one-class",
    """
    def one_class(counts, logits):
        N = sum(map(sum, counts.tolist()))
        floor, loss, gradient = 0.0, 0.0, []
        for row, z in zip(counts.tolist(), logits):
            total = sum(row)
            norm = math.log(sum(map(math.exp, z)))
            for c, x in zip(row, z):
                floor += c and c / N * math.log(total / c)
                loss += c / N * (norm - x)
            gradient.append([(total * math.exp(x - norm) - c) / N for c, x in zip(row, z)])
        return {"gradient": gradient, "gap": loss - floor, "floor": floor}
    """,
)
right(
    "one-class",
    """
    import torch

    def one_class(counts, logits):
        c, z = torch.tensor(counts).double(), torch.tensor(logits, requires_grad=True)
        loss = -(c * z.log_softmax(1)).sum() / c.sum()
        loss.backward()
        floor = (torch.special.xlogy(c.sum(1), c.sum(1)).sum() - torch.special.xlogy(c, c).sum()) / c.sum()
        return {"floor": floor, "gap": (loss - floor).item(), "gradient": z.grad}
    """,
)

# --- prior

MODE, MEAN = '"mode": (c1 + k - 1) / (N + 3 * (k - 1))', '"mean": mean,'
LEARNED = "mean * mean.subs(c1, c1 + 1)"
wrong("prior", "", 'Only "mode" is wrong.', (MODE, '"mode": (c1 + k - 1) / (N + 3 * k)'))
wrong("prior", "", 'Only "mode" is wrong.', (MODE, '"mode": (c1 + k - 1) / (N + 3 * k - 1)'))
wrong("prior", "", 'Only "mean" is wrong.', (MEAN, '"mean": (c1 + k) / (N + k),'))
wrong("prior", "", 'Only "mean" is wrong.', (MEAN, '"mean": c1 / N,'))
wrong("prior", "", 'Only "twice" is wrong.', (LEARNED, "(c1 + k) / (N + 3 * k) * (c1 + 1) / (N + 1)"))
wrong("prior", "", 'Only "twice" is wrong.', (LEARNED, "2 * mean"))
wrong("prior", "", 'Only "twice" is wrong.', (LEARNED, "mean.subs(c1, c1 + 1)"))
wrong("prior", "", 'Only "twice" is wrong.', (LEARNED, "mean * mean.subs(c1, c1 + 1) / 2"))
wrong("prior", "", 'Only "share" is wrong.', ("3 * k / (N + 3 * k)", "k / (N + 3 * k)"))
wrong("prior", "", 'Only "share" is wrong.', ("3 * k / (N + 3 * k)", "3 * k / N"))
wrong(
    "prior",
    "",
    "your answer['mean'] is an equation. Give the expression on",
    (MEAN, '"mean": sp.Eq(sp.Symbol("q1"), mean),'),
)
wrong(
    "prior",
    "",
    'Only "mean" and "twice" are wrong.',
    ("mean = (c1 + k) / (N + 3 * k)", "mean = (c1 + k) / (N + k)"),
)
right(
    "prior",
    'N = c1 + c2 + c3\nbelief = {"share": 1 / (1 + N / (3 * k)), "twice": (c1 + k) * (c1 + k + 1) / ((N + 3 * k) * (N + 3 * k + 1)), "mode": (1 - c1 - k) / (3 - N - 3 * k), "mean": sp.expand((c1 + k) / (N + 3 * k))}',
)
right(
    "prior",
    """
    a, b, c, x = sp.symbols("c1 c2 c3 k")
    A, S = a + x, a + b + c + 3 * x
    belief = {
        "mean": sp.gamma(A + 1) * sp.gamma(S) / sp.gamma(A) / sp.gamma(S + 1),
        "mode": (A - 1) / (S - 3),
        "twice": sp.gamma(A + 2) * sp.gamma(S) / sp.gamma(A) / sp.gamma(S + 2),
        "share": sp.Rational(3) * x / S,
    }
    """,
)

# --- cost

NATS = "-tokens * math.log(weight)"
wrong("cost", "", 'Only "nats" is wrong.', (NATS, "-math.log(weight) / tokens"))
wrong("cost", "", 'Only "nats" is wrong.', (NATS, "-tokens * math.log10(weight)"))
wrong("cost", "", 'Only "nats" is wrong.', (NATS, "tokens * weight"))
wrong("cost", "", 'Only "nats" is wrong.', (NATS, "-tokens * weight * math.log(weight)"))
wrong(
    "cost",
    "L31",
    "That is what the mixture can cost against the *other*",
    (NATS, "-tokens * math.log(1 - weight)"),
)
wrong("cost", "", 'Only "factor" is wrong.', ("1 / weight", "1 - weight"))
wrong(
    "cost", "L31", "That is what the mixture can cost against the *other*", ("1 / weight", "1 / (1 - weight)")
)
wrong("cost", "", 'Only "factor" is wrong.', ("1 / weight", "-math.log(weight)"))
wrong("cost", "L1", "Your 'factor' takes the exponential of a total. A", ("1 / weight", "weight ** -tokens"))
wrong("cost", "", 'Only "factor" is wrong.', ("1 / weight", "1 / weight - 1"))
right(
    "cost",
    "cost = lambda weight, tokens: {'factor': math.exp(-math.log(weight)), 'nats': sum(-math.log(weight) for _ in range(tokens))}",
)
right(
    "cost",
    "from fractions import Fraction\n\n\ndef cost(weight, tokens):\n    return {'nats': np.log(1 / weight) * np.float64(tokens), 'factor': 1 / Fraction(weight)}",
)
right(
    "cost",
    "import torch\n\n\ndef cost(weight, tokens):\n    w = torch.tensor(weight, dtype=torch.float64)\n    return {'nats': -(w.expand(tokens).log().sum()), 'factor': w.reciprocal()}",
)

# --- mix

TOTAL = "-logsumexp(weighted, axis=0)"
wrong(
    "mix",
    "",
    "your answer is an array of shape (2,), but an array of",
    (TOTAL, "-logsumexp(weighted, axis=1)"),
)
wrong(
    "mix",
    "",
    "your answer is one number, but an array of numbers of shape",
    (TOTAL, "-logsumexp(weighted, axis=0).mean()"),
)
wrong("mix", "", "the nats of a token are above those of all models, or", (TOTAL, "-weighted.sum(axis=0)"))
wrong(
    "mix",
    "",
    "the nats of a token are above those of all models, or",
    (TOTAL, "-np.log(np.exp(weighted).sum(axis=0) + 1e-300)"),
)
wrong(
    "mix",
    "",
    "the nats of a token are above those of all models, or",
    (TOTAL, "np.exp(logsumexp(weighted, axis=0))"),
)
wrong(
    "mix",
    "",
    "the nats of a token are above those of all models, or",
    ("np.log(weights)[:, None]", "weights[:, None]"),
)
wrong(
    "mix",
    "",
    "the nats of a token are above those of all models, or",
    ("log_probs + np.log(weights)[:, None]", "log_probs * weights[:, None]"),
)
wrong("mix", "", "not the value asked for", ("np.log(weights)[:, None]", "np.log(weights[::-1])[:, None]"))
wrong(
    "mix",
    "",
    "the nats of a token are above those of all models, or",
    ("np.log(weights)[:, None]", "np.log2(weights)[:, None]"),
)
wrong(
    "mix",
    "",
    "the nats of a token are above those of all models, or",
    ("    weighted", "    log_probs = np.maximum(log_probs, math.log(1e-10))\n    weighted"),
)
right(
    "mix",
    "def mix(log_probs, weights):\n    top = log_probs.max(axis=0)\n    return top * -1 - np.log(weights @ np.exp(log_probs - top))",
)
right(
    "mix",
    "from functools import reduce\n\n\ndef mix(log_probs, weights):\n    return -reduce(np.logaddexp, [row + math.log(w) for row, w in zip(log_probs, weights)])",
)
right(
    "mix",
    "import torch\n\n\ndef mix(log_probs, weights):\n    return -torch.logsumexp(torch.tensor(log_probs).T + torch.tensor(weights).log(), 1)",
)
right(
    "mix",
    "def mix(log_probs, weights):\n    nats = []\n    for column in log_probs.T:\n        top = max(column)\n        nats.append(-top - math.log(math.fsum(w * math.exp(x - top) for w, x in zip(weights, column))))\n    return nats",
)

# --- cache

PAST, SHARE = "past = ids[max(begins[t], t - size) : t]", "(past == ids[t]).mean()"
wrong("cache", "", "not the value asked for", (PAST, "past = ids[begins[t] : t]"))
wrong("cache", "", "not the value asked for", (PAST, "past = ids[t - size : t]"))
wrong("cache", "", "not the value asked for", (PAST, "past = ids[max(begins[t], t - size - 1) : t]"))
wrong("cache", "", "not the value asked for", (PAST, "past = ids[max(begins[t], t - size) : t - 1]"))
wrong("cache", "", "not the value asked for", (PAST, "past = ids[t // size * size : t]"))
wrong("cache", "", "not the value asked for", (SHARE, "(past == ids[t]).any()"))
wrong("cache", "", "not the value asked for", (SHARE, "(past == ids[t]).sum()"))
wrong(
    "cache",
    "",
    "not the value asked for",
    ("math.exp(log_probs[t])", "log_probs[t]"),
    ("nats -= math.log(q)", "nats -= q"),
)
wrong(
    "cache", "", "not the value asked for", ("(1 - weight) * q + weight * " + SHARE, "q + weight * " + SHARE)
)
wrong(
    "cache", "", "not the value asked for", ("(1 - weight) * q + weight * " + SHARE, "max(q, " + SHARE + ")")
)
wrong("cache", "", "not the value asked for", ("nats -= math.log(q)", "nats -= math.log2(q)"))
wrong("cache", "", "not the value asked for", ("nats -= math.log(q)", "nats += math.log(q)"))
wrong("cache", "", "not the value asked for", ("return nats", "return math.exp(nats / len(ids))"))
wrong("cache", "", "not the value asked for", ("if len(past) > 0:", "if ids[t] in past:"))
right(
    "cache",
    """
    from collections import deque

    def cache(ids, starts, log_probs, size, weight):
        begin, memory, q = set(starts.tolist()), deque(maxlen=size), []
        for t, (token, log) in enumerate(zip(ids, log_probs)):
            if t in begin:
                memory.clear()
            p = math.exp(log)
            q.append((1 - weight) * p + weight * memory.count(token) / len(memory) if memory else p)
            memory.append(token)
        return -np.log(q).sum()
    """,
)
right(
    "cache",
    """
    import torch

    def cache(ids, starts, log_probs, size, weight):
        t = np.arange(len(ids))
        document = np.searchsorted(starts, t, side="right")
        sees = (t[:, None] > t) & (t[:, None] - t <= size) & (document[:, None] == document)
        m = sees.sum(axis=1)
        share = (sees & (ids[:, None] == ids)).sum(axis=1) / np.maximum(m, 1)
        w = np.where(m, weight, 0.0)
        with np.errstate(divide="ignore"):
            q = np.logaddexp(np.log1p(-w) + log_probs, np.log(w * share))
        return torch.tensor(-q.sum())
    """,
)

# --- paired

ERROR = "error = math.sqrt(D / (D - 1) * (off**2).sum()) / tokens.sum()"
DIFFERENCE = "difference = d.sum() / tokens.sum()"
wrong(
    "paired",
    "M8",
    "You average over documents, so a short one weighs as much",
    (DIFFERENCE, "difference = (d / tokens).mean()"),
)
wrong(
    "paired",
    "M8",
    "You average over documents, so a short one weighs as much",
    ('"difference": difference', '"difference": (d / tokens).mean()'),
)
wrong(
    "paired",
    "L7",
    "Your difference is b - a. Negative should mean that a needs",
    ('"difference": difference', '"difference": -difference'),
)
wrong("paired", "", 'Only "difference" is wrong.', ('"difference": difference', '"difference": d.sum() / D'))
wrong(
    "paired",
    "",
    'Only "error" is wrong.',
    (ERROR, "error = (off**2).sum() * D / (D - 1) / tokens.sum() ** 2"),
)
wrong("paired", "", 'Only "error" is wrong.', (ERROR, "error = off.std(ddof=1) / tokens.sum()"))
wrong("paired", "", 'Only "error" is wrong.', (ERROR, "error = d.std(ddof=1) / math.sqrt(D)"))
wrong(
    "paired",
    "L22",
    "so differences in length add to it",
    (ERROR, "error = d.std(ddof=1) * math.sqrt(D) / tokens.sum()"),
)
wrong(
    "paired",
    "",
    'Only "error" is wrong.',
    (ERROR, "error = 1.96 * math.sqrt(D / (D - 1) * (off**2).sum()) / tokens.sum()"),
)
wrong("paired", "", 'Only "error" is wrong.', ("off = d - difference * tokens", "off = d - difference"))
wrong(
    "paired",
    "",
    'Only "error" is wrong.',
    (ERROR, "error = math.sqrt((D - 1) / D * (off**2).sum()) / tokens.sum()"),
)
wrong("paired", "", "not the value asked for", ("d, D = a - b", "d, D = (a - b) * math.log(2)"))
wrong("paired", "", "not the value asked for", ("d, D = a - b", "d, D = abs(a - b)"))
right(
    "paired",
    "def paired(a, b, tokens):\n    d = [float(x - y) for x, y in zip(a, b)]\n    n, D = sum(tokens), len(d)\n    rate = math.fsum(d) / n\n    return {'error': math.hypot(*(x - rate * t for x, t in zip(d, tokens))) * (1 + 1 / (D - 1)) ** 0.5 / n, 'difference': rate}",
)
right(
    "paired",
    "def paired(a, b, tokens):\n    delta = np.average((a - b) / tokens, weights=tokens)\n    off = a - b - delta * tokens\n    return {'difference': delta, 'error': off.std(ddof=1) * np.sqrt(len(a)) / tokens.sum()}",
)
right(
    "paired",
    "from fractions import Fraction as F\n\n\ndef paired(a, b, tokens):\n    d, n = [F(x) - F(y) for x, y in zip(a, b)], [int(t) for t in tokens]\n    rate, D = sum(d) / sum(n), len(d)\n    return {'difference': rate, 'error': float(sum((x - rate * t) ** 2 for x, t in zip(d, n)) * F(D, D - 1)) ** 0.5 / sum(n)}",
)

# --- needed

RATIO = "tokens * (z * error / difference) ** 2"
wrong("needed", "", "not the value asked for", (RATIO, "tokens * (error / difference) ** 2"))
wrong("needed", "", "not the value asked for", (RATIO, "tokens * z * (error / difference) ** 2"))
wrong("needed", "", "not the value asked for", (RATIO, "tokens + tokens * (z * error / difference) ** 2"))
wrong("needed", "", "not the value asked for", (RATIO, "tokens * (z * error / difference) ** 2 - tokens"))
wrong("needed", "", "not the value asked for", (RATIO, "tokens * (difference / (z * error))"))
wrong("needed", "", "not the value asked for", (RATIO, "tokens * (z * error) ** 2 / difference"))
wrong("needed", "", "not the value asked for", (RATIO, "tokens * (2 * z * error / difference) ** 2"))
wrong(
    "needed",
    "",
    "not the value asked for",
    (RATIO, "math.ceil(math.sqrt(tokens) * abs(z * error / difference))"),
)
wrong(
    "needed",
    "",
    "close, but more than 1 away from the value.",
    (RATIO, "(tokens - 1) * (z * error / difference) ** 2"),
)
wrong("needed", "", "not the value asked for", (RATIO, "-tokens * (z * error / difference) ** 2"))
right(
    "needed",
    "needed = lambda tokens, difference, error, z: np.exp(np.log(tokens) + 2 * np.log(abs(z * error / difference)))",
)
right(
    "needed",
    "from fractions import Fraction\n\n\ndef needed(tokens, difference, error, z):\n    return Fraction(z) ** 2 * Fraction(error) ** 2 / Fraction(difference) ** 2 * tokens",
)
right(
    "needed",
    "def needed(tokens, difference, error, z):\n    M = sp.Symbol('M', positive=True)\n    return sp.solve(z * error * sp.sqrt(tokens / M) - abs(difference), M)[0]",
)

# --- parts

PARTS = "np.bincount(classes, weights=d, minlength=K) / len(d)"
wrong(
    "parts",
    "",
    "the parts do not add up to the difference between the two",
    ("trained - counted) / math.log(2)", "counted - trained)"),
)
wrong(
    "parts",
    "",
    "the parts do not add up to the difference between the two",
    ("/ math.log(2)", "* math.log(2)"),
)
wrong(
    "parts",
    "",
    "the parts do not add up to the difference between the two",
    ("/ math.log(2)", "/ math.log(10)"),
)
wrong(
    "parts",
    "",
    "the parts do not add up to the difference between the two",
    (PARTS, PARTS.replace("len(d)", "K")),
)
wrong(
    "parts",
    "",
    "the parts do not add up to the difference between the two",
    (PARTS, "np.bincount(classes, weights=d, minlength=K) / d.sum()"),
)
wrong(
    "parts",
    "",
    "the parts do not add up to the difference between the two",
    (PARTS, "np.bincount(classes, weights=trained, minlength=K) / len(d)"),
)
wrong(
    "parts",
    "",
    "the parts do not add up to the difference between the two",
    (PARTS, "np.bincount(classes, minlength=K) / len(d)"),
)
wrong(
    "parts",
    "",
    "the parts do not add up to the difference between the two",
    (PARTS, "np.bincount(classes, weights=abs(d), minlength=K) / len(d)"),
)
wrong(
    "parts",
    "",
    "the parts do not add up to the difference between the two",
    (PARTS, "np.cumsum(np.bincount(classes, weights=d, minlength=K)) / len(d)"),
)
wrong(
    "parts",
    "L26",
    "Those are the mean differences of the classes. They do not",
    (
        PARTS,
        "np.bincount(classes, weights=d, minlength=K) / np.maximum(np.bincount(classes, minlength=K), 1)",
    ),
)
right(
    "parts",
    "def parts(classes, counted, trained, K):\n    found = [0.0] * K\n    for c, a, b in zip(classes, counted, trained):\n        found[c] += (b - a) / math.log(2) / len(classes)\n    return tuple(found)",
)
right(
    "parts",
    "import torch\n\n\ndef parts(classes, counted, trained, K):\n    d = torch.tensor((trained - counted) * np.log2(np.e))\n    return torch.zeros(K, dtype=torch.float64).index_add(0, torch.tensor(classes), d) / len(d)",
)
right(
    "parts",
    "def parts(classes, counted, trained, K):\n    bits = lambda nats: nats / np.log(2)\n    return (np.arange(K)[:, None] == classes) @ (bits(trained) - bits(counted)) / classes.size",
)

# --- crossing

AHEAD = "ahead, x = np.log(trained / counted), np.log(sizes)"
LINE = "math.exp(x[i] + (x[i + 1] - x[i]) * ahead[i] / (ahead[i] - ahead[i + 1]))"
wrong("crossing", "", "not the value asked for", (LINE, "sizes[i]"))
wrong("crossing", "", "not the value asked for", (LINE, "math.sqrt(sizes[i] * sizes[i + 1])"))
wrong("crossing", "", "not the value asked for", (LINE, "(sizes[i] + sizes[i + 1]) / 2"))
wrong("crossing", "", "not the value asked for", (LINE, LINE.replace("math.exp(", "(")))
wrong("crossing", "", "not the value asked for", (LINE, LINE.replace("* ahead[i] /", "* ahead[i + 1] /")))
wrong(
    "crossing",
    "",
    "not the value asked for",
    (LINE, LINE.replace("ahead[i] - ahead[i + 1]", "ahead[i] + ahead[i + 1]")),
)
wrong(
    "crossing",
    "",
    "not the value asked for",
    (AHEAD, "ahead, x = np.log(trained / counted), np.log10(sizes)"),
)
wrong("crossing", "", "not the value asked for", (AHEAD, "ahead, x = trained / counted - 1, np.log(sizes)"))
wrong(
    "crossing",
    "",
    "not the value asked for",
    (AHEAD, "ahead, x = np.log(trained) / np.log(counted) - 1, np.log(sizes)"),
)
wrong("crossing", "", "not the value asked for", (LINE, "i"))
right(
    "crossing",
    "def crossing(sizes, counted, trained):\n    gap = np.log2(counted) - np.log2(trained)\n    j = next(j for j, g in enumerate(gap) if g >= 0)\n    return 10 ** np.interp(0, gap[j - 1 : j + 1], np.log10(sizes[j - 1 : j + 1]))",
)
right(
    "crossing",
    "from scipy.optimize import brentq\n\n\ndef crossing(sizes, counted, trained):\n    x = np.log(sizes)\n    gap = lambda at: np.interp(at, x, np.log(counted)) - np.interp(at, x, np.log(trained))\n    j = int(np.argmax(trained <= counted))\n    return np.exp(brentq(gap, x[j - 1], x[j]))",
)
right("crossing", (LINE, "float(round(" + LINE + ", 2))"))

# --- floor

SIGHT = "more ** max(0, order - 1 - phrase)"
wrong("floor", "L23", "Your exponent is one too low.", (SIGHT, "more ** max(0, order - 2 - phrase)"))
wrong("floor", "", "not the value asked for", (SIGHT, "1 - more ** max(0, order - 1 - phrase)"))
wrong("floor", "", "not the value asked for", (SIGHT, "more"))
wrong("floor", "", "not the value asked for", (SIGHT, "(1 - more) ** max(0, order - 1 - phrase)"))
wrong("floor", "", "not the value asked for", ("phrase + 2 + more / (1 - more)", "phrase + 2"))
wrong(
    "floor", "", "not the value asked for", ("phrase + 2 + more / (1 - more)", "phrase + 2 + 1 / (1 - more)")
)
wrong(
    "floor",
    "",
    "not the value asked for",
    ("phrase + 2 + more / (1 - more)", "phrase + 1 + more / (1 - more)"),
)
wrong("floor", "", "not the value asked for", ("math.log2(subjects)", "subjects"))
wrong("floor", "", "not the value asked for", ("math.log2(subjects)", "math.log2(subjects - 1)"))
wrong("floor", "", "not the value asked for", ("/ length", "* length"))
right(
    "floor",
    "def floor(subjects, phrase, more, order):\n    hidden = sum((1 - more) * more**n for n in range(2000) if phrase + n + 1 > order - 1)\n    return hidden * np.log(subjects) / np.log(2) / (phrase + 2 + more / (1 - more))",
)
right(
    "floor",
    "from fractions import Fraction as F\n\n\ndef floor(subjects, phrase, more, order):\n    r = F(more)\n    blocks = 1 / (phrase + 2 + r / (1 - r))\n    return float(blocks * (r ** (order - 1 - phrase) if order - 1 > phrase else 1)) * math.log(subjects, 2)",
)

# --- fair

SIX = '("text", "unit", "vocabulary", "scored", "past", "chosen on")'
wrong(
    "fair",
    "",
    "the keys of an entry are not in the order",
    (SIX, '("chosen on", "past", "scored", "vocabulary", "unit", "text")'),
)
wrong("fair", "", "not the value asked for", (SIX, SIX.replace('"scored", ', "")))
wrong("fair", "", "not the value asked for", (SIX, SIX.replace('"text", ', "")))
wrong("fair", "", "not the value asked for", (SIX, SIX.replace(', "chosen on"', "")))
wrong("fair", "", "an entry is neither nothing nor made of", ('or "nothing"', 'or "none"'))
wrong("fair", "", "an entry is neither nothing nor made of", ('or "nothing"', 'or ""'))
wrong("fair", "", "the keys of an entry are not in the order", ("a[key] != b[key]", "a[key] == b[key]"))
wrong(
    "fair",
    "",
    "not the value asked for",
    ('found.append(", ".join(keys) or "nothing")', 'found.append(keys[0] if keys else "nothing")'),
)
wrong(
    "fair",
    "",
    "not the value asked for",
    ('a["unit"] == b["unit"] == "byte" and', 'a["unit"] == b["unit"] and'),
)
wrong(
    "fair",
    "",
    "the keys of an entry are not in the order",
    ('a["chosen on"] == b["chosen on"] == "test"', 'a["chosen on"] == "test"'),
)
wrong(
    "fair",
    "",
    "not the value asked for",
    (
        'all_bytes = a["unit"] == b["unit"] == "byte" and "<unk>" not in a["vocabulary"] + b["vocabulary"]',
        'all_bytes = "<unk>" not in a["vocabulary"] + b["vocabulary"]',
    ),
)
wrong(
    "fair",
    "",
    "an entry is neither nothing nor made of",
    (SIX, '("text", "unit", "vocabulary", "scored", "past", "chosen on", "parameters")'),
)
right("fair", ('{"differ": "; ".join(found)}', '{"differ": ";".join(found)}'))
right("fair", ('{"differ": "; ".join(found)}', '{"differ": found}'))
right(
    "fair",
    """
    def fair(pairs):
        ORDER = "text unit vocabulary scored past".split() + ["chosen on"]

        def against(a, b):
            for key in ORDER:
                both = {a[key], b[key]}
                if key == "vocabulary" and {a["unit"], b["unit"]} == {"byte"} and not any("<unk>" in v for v in both):
                    continue
                if len(both) > 1 or (key == "chosen on" and "test" in both):
                    yield key

        return dict(differ="; ".join(", ".join(against(*pair)) or "nothing" for pair in pairs))
    """,
)

# --- adapt

STEP = "nats -= math.log((counts[token] + k) / (t + k * V))"
wrong("adapt", "", "not the value asked for", (STEP, STEP.replace("(t + k * V)", "(t + 1 + k * V)")))
wrong("adapt", "", "not the value asked for", (STEP, STEP.replace("(t + k * V)", "(len(ids) + k * V)")))
wrong("adapt", "", "not the value asked for", (STEP, STEP.replace("k * V", "V")))
wrong(
    "adapt",
    "",
    "not the value asked for",
    (STEP, STEP.replace("counts[token] + k", "counts[token] + 1").replace("k * V", "V")),
)
wrong("adapt", "", "not the value asked for", (STEP, STEP.replace("k * V", "k * (V + 1)")))
wrong("adapt", "", "not the value asked for", (STEP, STEP.replace("math.log", "math.log2")))
wrong("adapt", "", "not the value asked for", (STEP, STEP.replace("-=", "+=")))
wrong("adapt", "", "not the value asked for", (STEP, STEP.replace("k * V", "k * len(set(ids))")))
wrong("adapt", "", "not the value asked for", ("return nats", "return math.exp(nats / len(ids))"))
wrong("adapt", "", "not the value asked for", ("counts[token] += 1", "counts[token] = 1"))
wrong("adapt", "", "not the value asked for", ("counts[token] += 1", "pass"))
wrong("adapt", "", "not the value asked for", ("enumerate(ids)", "enumerate(ids[:-1])"))
right(
    "adapt",
    "from scipy.special import gammaln\n\n\ndef adapt(ids, V, k):\n    n = np.bincount(ids, minlength=V)\n    return gammaln(k * V + len(ids)) - gammaln(k * V) - (gammaln(k + n) - gammaln(k)).sum()",
)
right(
    "adapt",
    "def adapt(ids, V, k):\n    earlier = [sum(ids[:t] == x) for t, x in enumerate(ids)]\n    return -sum(np.log((c + k) / (t + k * V)) for t, c in enumerate(earlier))",
)
right(
    "adapt",
    "import torch\n\n\ndef adapt(ids, V, k):\n    counts = torch.full((V,), k, dtype=torch.float64)\n    nats = torch.zeros(1, dtype=torch.float64)\n    for token in ids.tolist():\n        nats += counts.sum().log() - counts[token].log()\n        counts[token] += 1\n    return nats.squeeze()",
)

right("needed", "needed = lambda tokens, difference, error, z: tokens / (abs(difference) / error / z) ** 2")
right(
    "cost",
    'def cost(weight, tokens):\n    return {"nats": np.log(np.full(tokens, 1 / weight)).sum(), "factor": weight**-1}',
)
right("floor", ("math.log2(subjects)", "np.log(subjects) / np.log(2)"))
right("adapt", ("counts, nats = np.zeros(V), 0.0", "counts, nats = [0] * V, np.float64(0)"))

# --- one entry of several, and other forms of right answers

wrong("prior", "L31", "Your mean is the mode.", (MEAN, MODE.replace("mode", "mean") + ","))
wrong("cache", "", "not the value asked for", (SHARE, "(ids[t] in past) / len(set(past.tolist()))"))
wrong(
    "fair",
    "",
    "dictionary with the key 'differ' is expected",
    ('{"differ": "; ".join(found)}', '"; ".join(found)'),
)
wrong("fair", "", "an entry is neither nothing nor made of", ('", ".join(keys)', '" and ".join(keys)'))
right(
    "needed",
    "needed = lambda tokens, difference, error, z: math.ceil(tokens * (z * error / difference) ** 2)",
)
right("fair", ('{"differ": "; ".join(found)}', '{"differ": [entry.split(", ") for entry in found]}'))
right("fair", ('{"differ": "; ".join(found)}', '{"differ": ";".join(found).replace(", ", ",").title()}'))
right(
    "paired",
    """
    from types import MappingProxyType

    def paired(a, b, tokens):
        rate = (a - b).sum() / tokens.sum()
        return MappingProxyType({"error": np.sqrt(np.cov(a - b - rate * tokens) * len(a)) / tokens.sum(), "difference": rate})
    """,
)
right(
    "crossing",
    """
    def crossing(sizes, counted, trained):
        r = trained / counted
        i = next(i for i in range(len(r) - 1) if r[i] > 1 >= r[i + 1])
        return sizes[i] * (sizes[i + 1] / sizes[i]) ** (math.log(r[i]) / math.log(r[i] / r[i + 1]))
    """,
)
right(
    "adapt",
    """
    def adapt(ids, V, k):
        onehot = np.eye(V)[ids]
        before = np.cumsum(onehot, axis=0) - onehot
        return -np.log(((before * onehot).sum(1) + k) / (np.arange(len(ids)) + k * V)).sum()
    """,
)


class TestTries(TriesTests):
    exercises = SET
