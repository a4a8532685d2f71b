"""The set of chapter 06 as a class answers it: what each wrong answer is told, and which right ones there are."""

# ruff: noqa: E501 (code in one line, as it is written in a hurry)

from tests.questions.exercise_sets import ExerciseSet
from tests.questions.tries import TriesTests

SET = ExerciseSet("06_ngram_models")
wrong, right = SET.told, SET.right

# --- set-aside

ADD_K = '"add-k": unseen * k / (tokens + k * V)'
TURING = "(counts == 1).sum() / tokens"
ABSOLUTE, BELL = "unseen * D * types / tokens / V", "unseen * types / V / (tokens + types)"
wrong(
    "set-aside",
    "L1",
    "Your numbers are for one unseen word. The task asks for all",
    (ADD_K, '"add-k": k / (tokens + k * V)'),
)
wrong("set-aside", "", 'Only "add-k" is wrong.', (ADD_K, '"add-k": unseen * k / (tokens + V)'))
wrong("set-aside", "", 'Only "add-k" is wrong.', (ADD_K, '"add-k": unseen / (tokens + V)'))
wrong("set-aside", "", 'Only "add-k" is wrong.', (ADD_K, '"add-k": unseen * k / tokens'))
wrong("set-aside", "", 'Only "absolute" is wrong.', (ABSOLUTE, "unseen * D / tokens / V"))
wrong(
    "set-aside",
    "L13",
    "You give everything that is set aside to the unseen words.",
    (ABSOLUTE, "D * types / tokens"),
)
wrong(
    "set-aside",
    "L13",
    "You give everything that is set aside to the unseen words.",
    (BELL, "types / (tokens + types)"),
)
wrong("set-aside", "", 'Only "Witten-Bell" is wrong.', (BELL, "unseen * types / V / tokens"))
wrong("set-aside", "", 'Only "Good-Turing" is wrong.', (TURING, "(counts == 1).sum() / (tokens + 1)"))
wrong("set-aside", "", 'Only "Good-Turing" is wrong.', (TURING, "(counts == 1).sum() / V"))
wrong(
    "set-aside", "", 'Only "absolute" is wrong.', (ABSOLUTE, "unseen * (D * (counts > 1).sum()) / tokens / V")
)
wrong("set-aside", "", "a mass is not between 0 and 1.", ("unseen = V - types", "unseen = V - tokens"))
wrong(
    "set-aside",
    "",
    'Only "add-k", "absolute" and "Witten-Bell" are wrong.',
    ("unseen = V - types", "unseen = V - types - 1"),
)
wrong("set-aside", "", "your answer has the keys 'add-k', 'good-turing'", ('"Good-Turing"', '"good-turing"'))
wrong("set-aside", "", "a mass is not between 0 and 1.", (TURING, "(counts == 1).sum() * 100 / tokens"))
right(
    "set-aside",
    """
    from fractions import Fraction

    def set_aside(counts, V, k, D):
        N, T = int(sum(counts)), len(counts)
        k, D, missing = Fraction(k), Fraction(D), V - T
        return {
            "Witten-Bell": Fraction(T, N + T) * missing / V,
            "absolute": D * T / N * missing / V,
            "Good-Turing": Fraction(sum(int(c) == 1 for c in counts), N),
            "add-k": missing * k / (N + k * V),
        }
    """,
)
right(
    "set-aside",
    """
    def set_aside(counts, V, k, D):
        full = np.zeros(V)
        full[: len(counts)] = counts
        N, T = full.sum(), np.count_nonzero(full)
        tables = {
            "add-k": (full + k) / (N + k * V),
            "absolute": np.maximum(full - D, 0) / N + D * T / N / V,
            "Witten-Bell": (full + T / V) / (N + T),
        }
        masses = {name: 1 - table[full > 0].sum() for name, table in tables.items()}
        return masses | {"Good-Turing": np.float32(0) + (full == 1).sum() / N}
    """,
)
right(
    "set-aside",
    "set_aside = lambda counts, V, k, D: dict(zip(['add-k', 'Good-Turing', 'absolute', 'Witten-Bell'],"
    " [(V - counts.size) * x for x in (k / (counts.sum() + k * V),"
    " np.mean(counts == 1) * counts.size / counts.sum() / (V - counts.size),"
    " D * counts.size / counts.sum() / V, counts.size / (counts.sum() + counts.size) / V)]))",
)

# --- add-k

wrong(
    "add-k",
    "L22",
    "Your 'multiplier' is the total without the constants: k was",
    'best = {"q1": (c[0] + k) / (sum(c) + 3 * k), "multiplier": sum(c), "weight": 3 * k / (sum(c) + 3 * k)}',
)
wrong(
    "add-k",
    "L22",
    "Your 'weight' is what one word gets from the uniform model.",
    'best = {"q1": (c[0] + k) / (sum(c) + 3 * k), "multiplier": sum(c) + 3 * k, "weight": k / (sum(c) + 3 * k)}',
)
wrong(
    "add-k",
    "",
    'Only "multiplier" is wrong.',
    'best = {"q1": (c[0] + k) / (sum(c) + 3 * k), "multiplier": 1 / (sum(c) + 3 * k), "weight": 3 * k / (sum(c) + 3 * k)}',
)
wrong(
    "add-k",
    "",
    'Only "q1" is wrong.',
    'best = {"q1": c[0] / (sum(c) + 3 * k), "multiplier": sum(c) + 3 * k, "weight": 3 * k / (sum(c) + 3 * k)}',
)
wrong(
    "add-k",
    "L13",
    "The denominator of your 'q1' has one k, though three counts",
    'best = {"q1": (c[0] + k) / (sum(c) + k), "multiplier": sum(c) + 3 * k, "weight": 3 * k / (sum(c) + 3 * k)}',
)
wrong(
    "add-k",
    "L22",
    "Your 'multiplier' is the total without the constants: k was",
    'best = {"q1": (c[0] + k) / sum(c), "multiplier": sum(c), "weight": k}',
)
wrong(
    "add-k",
    "L13",
    "Your 'weight' allows for one k in all, though each of the",
    'best = {"q1": (c[0] + k) / (sum(c) + 3 * k), "multiplier": sum(c) + 3 * k, "weight": k / (sum(c) + k)}',
)
wrong(
    "add-k",
    "",
    "your answer['q1'] is an equation. Give the expression on",
    ('"q1": found[q[0]]', '"q1": sp.Eq(q[0], found[q[0]])'),
)
wrong(
    "add-k",
    "",
    "your answer['weight'] contains w. Use only the symbols c1",
    ('"weight": weight', '"weight": w'),
)
wrong(
    "add-k",
    "",
    'Only "multiplier" is wrong.',
    ('"multiplier": found[multiplier]', '"multiplier": -1 / found[multiplier]'),
)
right(
    "add-k",
    'N = c[0] + c[1] + c[2]\nbest = {"weight": 1 - N / (N + 3 * k), "multiplier": N + 3 * k, "q1": (c[0] + k) / (N + 3 * k)}',
)
right(
    "add-k",
    """
    x, y, z, a = sp.symbols("c1 c2 c3 k")
    total = (x + a) + (y + a) + (z + a)
    best = {"q1": sp.factor((x + a) / total), "multiplier": sp.expand(total), "weight": sp.Rational(3) / (3 + (x + y + z) / a)}
    """,
)
right(
    "add-k",
    'best = {"q1": sp.integrate(1, (q[0], 0, (c[0] + k) / (sum(c) + 3 * k))), "multiplier": sp.Sum(sum(c) / 3 + k, (sp.Symbol("i"), 1, 3)), "weight": k / (sum(c) / 3 + k)}',
)

# --- fates

wrong(
    "fates",
    "",
    "the four counts do not add up to the words of the test and",
    ('tokens = ["<s>", *sentence, "</s>"]', 'tokens = ["<s>"] * (n - 1) + [*sentence, "</s>"]'),
    ("for t in range(1, len(tokens))", "for t in range(n, len(tokens))"),
)
wrong(
    "fates",
    "",
    "the four counts do not add up to the words of the test and",
    ("range(1, len(tokens))", "range(len(tokens))"),
)
wrong(
    "fates",
    "L21",
    "Your counts fall short by one token for each sentence: </s>",
    ("range(1, len(tokens))", "range(1, len(tokens) - 1)"),
)
wrong(
    "fates",
    "",
    "the four counts do not add up to the words of the test and",
    ("range(1, len(tokens))", "range(n - 1, len(tokens))"),
)
wrong(
    "fates",
    "",
    'Only "unseen" and "new context" are wrong.',
    ("contexts = {ngram[:-1] for ngram in known}", "contexts = words"),
)
wrong(
    "fates",
    "",
    'Only "seen", "new context" and "unknown" are wrong.',
    ("words = {ngram[-1] for ngram in known}", "words = {word for ngram in known for word in ngram[:-1]}"),
)
wrong(
    "fates",
    "",
    'Only "seen", "unseen" and "new context" are wrong.',
    ("elif ngram in known", "elif ngram[-2:] in {g[-2:] for g in known}"),
)
wrong(
    "fates",
    "",
    "the four counts do not add up to the words of the test and",
    (
        "    return counts\n",
        "    total = sum(counts.values())\n    return {fate: count / total for fate, count in counts.items()}\n",
    ),
)
wrong(
    "fates",
    "",
    'Only "new context" and "unknown" are wrong.',
    ("ngram[-1] not in words", "any(word not in words for word in ngram if word != '<s>')"),
)
wrong(
    "fates",
    "",
    "the four counts do not add up to the words of the test and",
    *(
        ("known = set(ngrams(train))", "known = set(ngrams(test))"),
        ("for ngram in ngrams(test)", "for ngram in ngrams(train)"),
    ),
)
wrong(
    "fates",
    "",
    'Only "unseen" and "new context" are wrong.',
    (
        'counts["new context"] += 1\n        else:\n            counts["unseen"] += 1',
        'counts["unseen"] += 1\n        else:\n            counts["new context"] += 1',
    ),
)
right(
    "fates",
    ('tokens = ["<s>", *sentence, "</s>"]', 'tokens = [*sentence, "</s>"]'),
    ("range(1, len(tokens))", "range(len(tokens))"),
)
right(
    "fates",
    """
    def fates(train, test, n):
        followers, vocabulary = {}, {"</s>"}
        for sentence in train:
            past = ["<s>"]
            for word in sentence + ["</s>"]:
                followers.setdefault(" ".join(past[-(n - 1):] if n > 1 else []), []).append(word)
                vocabulary.add(word)
                past.append(word)
        found = np.zeros(4)
        for sentence in test:
            past = ["<s>"]
            for word in sentence + ["</s>"]:
                after = followers.get(" ".join(past[-(n - 1):] if n > 1 else []))
                found[3 if word not in vocabulary else 2 if after is None else 0 if word in after else 1] += 1
                past.append(word)
        return dict(zip(("seen", "unseen", "new context", "unknown"), found))
    """,
)
right(
    "fates",
    """
    from collections import Counter

    def fates(train, test, n):
        def grams(texts):
            for words in texts:
                padded = [None] * max(n - 2, 0) + ["<s>"] * (n > 1) + list(words) + ["</s>"]
                yield from zip(*(padded[i:] for i in range(n)))

        table = Counter(grams(train))
        heads, tails = {g[:-1] for g in table}, {g[-1] for g in table}
        kind = lambda g: "unknown" if g[-1] not in tails else "seen" if table[g] else "unseen" if g[:-1] in heads else "new context"
        return {"seen": 0, "unseen": 0, "new context": 0, "unknown": 0} | Counter(map(kind, grams(test)))
    """,
)
right(
    "fates",
    (
        'counts = {"seen": 0, "unseen": 0, "new context": 0, "unknown": 0}',
        'counts = {name: torch.tensor(0) for name in ("seen", "unseen", "new context", "unknown")}',
    ),
    ("    def ngrams(", "    import torch\n\n    def ngrams("),
)

# --- witten-bell

UNIGRAMS = "unigrams = (tokens + types / len(tokens)) / (tokens.sum() + types)"
FOLLOWERS = "followers = (counts > 0).sum(axis=1, keepdims=True)"
wrong(
    "witten-bell",
    "",
    "a row does not sum to 1, so it is not a distribution.",
    ("(counts + followers * unigrams)", "(counts + unigrams)"),
)
wrong(
    "witten-bell",
    "",
    "not the value asked for",
    ("tokens = counts.sum(axis=0)", "tokens = (counts > 0).sum(axis=0)"),
)
wrong("witten-bell", "", "not the value asked for", (FOLLOWERS, "followers = (counts > 0).sum()"))
wrong(
    "witten-bell",
    "",
    "a row does not sum to 1, so it is not a distribution.",
    (FOLLOWERS, "followers = (counts > 0).sum(axis=0)"),
)
wrong(
    "witten-bell",
    "",
    "not the value asked for",
    (
        "(tokens + types / len(tokens)) / (tokens.sum() + types)",
        "(tokens + 1) / (tokens.sum() + len(tokens))",
    ),
)
wrong(
    "witten-bell", "", "not the value asked for", ("types = (tokens > 0).sum()", "types = (counts > 0).sum()")
)
wrong("witten-bell", "", "not the value asked for", (", unigrams)\n", ", 1 / counts.shape[1])\n"))
wrong(
    "witten-bell",
    "",
    "a row does not sum to 1, so it is not a distribution.",
    ("whole = counts.sum(axis=1, keepdims=True) + followers", "whole = counts.sum(axis=1, keepdims=True)"),
)
wrong(
    "witten-bell",
    "",
    "not the value asked for",
    (FOLLOWERS, "followers = (counts == 1).sum(axis=1, keepdims=True)"),
)
wrong(
    "witten-bell",
    "",
    "a row does not sum to 1, so it is not a distribution.",
    ("types / len(tokens)", "1 / len(tokens)"),
)
wrong(
    "witten-bell",
    "",
    "a row does not sum to 1, so it is not a distribution.",
    ("    return np.where", "    return -np.log(np.where"),
    (", unigrams)\n", ", unigrams))\n"),
)
wrong(
    "witten-bell",
    "",
    "a row does not sum to 1, so it is not a distribution.",
    ("    return np.where", "    return np.round(np.where"),
    (", unigrams)\n", ", unigrams), 4)\n"),
)
right(
    "witten-bell",
    """
    def witten_bell(counts):
        C, V = counts.shape
        N, T = int(counts.sum()), sum(any(counts[h, w] for h in range(C)) for w in range(V))
        below = [(counts[:, w].sum() + T / V) / (N + T) for w in range(V)]
        rows = []
        for row in counts.tolist():
            total, new = sum(row), sum(x > 0 for x in row)
            rows.append([(x + new * b) / (total + new) for x, b in zip(row, below)] if total else below)
        return rows
    """,
)
right(
    "witten-bell",
    """
    import torch

    def witten_bell(counts):
        c = torch.tensor(counts, dtype=torch.float64)
        total = c.sum(0)
        T = (total > 0).sum()
        p = total / (c.sum() + T) + T / (c.sum() + T) / len(total)
        t, n = (c > 0).sum(1, keepdim=True), c.sum(1, keepdim=True)
        keep = torch.where(n > 0, n / (n + t).clamp(min=1), 0.0)  # lambda(h)
        return keep * c / n.clamp(min=1) + (1 - keep) * p
    """,
)
right("witten-bell", ("return np.where", "return np.matrix(np.where"), (", unigrams)\n", ", unigrams))\n"))

# --- katz

wrong(
    "katz", "", "not the value asked for", ("common = (L + 1) * n[L + 1] / n[1]", "common = L * n[L] / n[1]")
)
wrong(
    "katz",
    "",
    "not the value asked for",
    ("stars = (r + 1) * n[2:] / n[1:-1]", "stars = r * n[2:] / n[1:-1]"),
)
wrong(
    "katz",
    "",
    "not the value asked for",
    ("stars = (r + 1) * n[2:] / n[1:-1]", "stars = (r + 1) * n[1:-1] / n[2:]"),
)
wrong("katz", "", "not the value asked for", ("/ (1 - common)", ""))
wrong(
    "katz",
    "",
    "not the value asked for",
    (
        "discounts[1 : L + 1] = (stars / r - common) / (1 - common)",
        "discounts[1:L] = ((stars / r - common) / (1 - common))[:-1]",
    ),
)
wrong(
    "katz",
    "",
    "not the value asked for",
    ("discounts[counts] * counts / counts.sum()", "discounts[counts] ** 2 * counts / counts.sum()"),
)
wrong(
    "katz",
    "",
    "not the value asked for",
    (
        "np.where(counts > 0, kept, alpha * shorter)",
        "np.where(counts > 0, kept, (1 - kept.sum()) / (counts == 0).sum())",
    ),
)
wrong(
    "katz",
    "",
    "a count above L does not keep its relative frequency.",
    ("discounts = np.ones(max(counts.max(), L) + 1)", "discounts = np.zeros(max(counts.max(), L) + 1)"),
)
wrong(
    "katz",
    "",
    "a count above L does not keep its relative frequency.",
    (
        "kept = discounts[counts] * counts / counts.sum()",
        "kept = discounts[counts] * counts / counts.sum()\n    kept = kept / kept.sum()",
    ),
)
wrong(
    "katz",
    "",
    "a row does not sum to 1, so it is not a distribution.",
    ("np.where(counts > 0, kept, alpha * shorter)", "np.where(counts > 0, kept, shorter)"),
)
wrong(
    "katz",
    "",
    "a count above L does not keep its relative frequency.",
    (
        "    return np.where(counts > 0, kept, alpha * shorter)",
        "    p = np.where(counts > 0, kept, shorter)\n    return p / p.sum()",
    ),
)
wrong(
    "katz",
    "",
    "a row does not sum to 1, so it is not a distribution.",
    ("alpha = (1 - kept.sum()) / shorter[counts == 0].sum()", "alpha = (1 - kept.sum()) / (1 - kept).sum()"),
)
right(
    "katz",
    """
    def katz(counts, shorter, n, L):
        a = (L + 1) * n[L + 1] / n[1]
        p, left, mass = {}, 1.0, 0.0
        for w, c in enumerate(counts):
            if c:
                d = 1 if c > L else ((c + 1) * n[c + 1] / n[c] / c - a) / (1 - a)
                p[w] = d * c / sum(counts)
                left -= p[w]
            else:
                mass += shorter[w]
        return tuple(p[w] if w in p else left * shorter[w] / mass for w in range(len(counts)))
    """,
)
right(
    "katz",
    """
    from fractions import Fraction as F

    def katz(counts, shorter, n, L):
        counts, n = [int(c) for c in counts], [int(x) for x in n]
        a = F((L + 1) * n[L + 1], n[1])
        d = lambda c: F(1) if c > L or not c else (F((c + 1) * n[c + 1], n[c] * c) - a) / (1 - a)
        kept = [d(c) * F(c, sum(counts)) for c in counts]
        rest = [F(s) * (c == 0) for s, c in zip(shorter, counts)]
        return [p + (1 - sum(kept)) * s / sum(rest) for p, s in zip(kept, rest)]
    """,
)
right(
    "katz",
    ("    return np.where", "    import torch\n\n    return torch.tensor(np.where"),
    ("alpha * shorter)", "alpha * shorter))"),
)

# --- em

STEP, FIRST, LAST = "(joint / mixture).mean(axis=1)", "-np.log(mixture).mean()", "-np.log(new @ probs).mean()"
wrong(
    "em",
    "M2",
    "Your number is 1.4427 = 1 / ln 2 times the right one: it is",
    (FIRST, "-np.log2(mixture).mean()"),
)
wrong(
    "em",
    "L1",
    "Your losses are totals. The task asks for nats per token.",
    (LAST, "-np.log(new @ probs).sum()"),
)
wrong(
    "em",
    "",
    'Only "before" and "after" are wrong.',
    (FIRST, "np.exp(-np.log(mixture).mean())"),
    (LAST, "np.exp(-np.log(new @ probs).mean())"),
)
wrong(
    "em",
    "L1 L22",
    "Your losses are totals. The task asks for nats per token.",
    (STEP, "(probs / probs.sum(axis=0)).mean(axis=1)"),
    (FIRST, "-np.log(mixture).sum()"),
    (LAST, "-np.log(new @ probs).sum()"),
)
wrong("em", "", "'weights' does not sum to 1.", (STEP, "joint.mean(axis=1)"))
wrong(
    "em",
    "",
    "'weights' does not sum to 1.",
    (STEP, "(joint / joint.sum(axis=1, keepdims=True)).mean(axis=1)"),
)
wrong("em", "", "'weights' does not sum to 1.", ("new = (joint", "new = weights * (joint"))
wrong("em", "", 'Only "after" is wrong.', (LAST, "-np.log((joint / mixture).sum(axis=0)).mean()"))
wrong("em", "", 'Only "weights" is wrong.', ('"weights": new', '"weights": weights'))
wrong(
    "em",
    "",
    "not the value asked for",
    (
        "joint = weights[:, None] * probs",
        "probs = np.clip(probs, 1e-6, 1)\n    joint = weights[:, None] * probs",
    ),
)
wrong("em", "", 'Only "after" is wrong.', (LAST, FIRST + " - -np.log(new @ probs).mean()"))
wrong(
    "em",
    "",
    "'weights' does not sum to 1.",
    (
        "new = (joint / mixture).mean(axis=1)",
        "new = (joint / mixture).mean(axis=1)\n    new = np.array([new[0], *(1 - new[:1]) * np.ones(len(new) - 1)])",
    ),
)
wrong(
    "em",
    "",
    'Only "weights" and "after" are wrong.',
    (STEP, "(joint / mixture)[:, mixture > 0.05].mean(axis=1)"),
)
right(
    "em",
    """
    def em_step(probs, weights):
        M, N = probs.shape
        new, before = [0.0] * M, 0.0
        for t in range(N):
            total = sum(weights[m] * probs[m, t] for m in range(M))
            before -= math.log(total) / N
            for m in range(M):
                new[m] += weights[m] * probs[m, t] / total / N
        after = sum(-math.log(sum(w * p for w, p in zip(new, column))) for column in probs.T) / N
        return {"after": after, "before": before, "weights": new}
    """,
)
right(
    "em",
    """
    from scipy.special import logsumexp, softmax

    def em_step(probs, weights):
        with np.errstate(divide="ignore"):
            logs = np.log(probs)
        z = logs + np.log(weights)[:, None]
        new = softmax(z, axis=0).mean(axis=1)
        return {
            "before": -logsumexp(z, axis=0).mean(),
            "weights": tuple(new),
            "after": -logsumexp(logs, b=new[:, None], axis=0).mean(),
        }
    """,
)
right(
    "em",
    """
    import torch

    def em_step(probs, weights):
        p, w = torch.as_tensor(probs), torch.as_tensor(weights).requires_grad_()
        gain = (w @ p).log().mean()
        gain.backward()
        new = (w * w.grad).detach()  # one step of EM is weight times gradient
        return {"before": -gain.item(), "weights": new, "after": -(new @ p).log().mean()}
    """,
)

# --- constraint

RESULT = 'lower = {"kept": kept, "weight": weight, "below": below, "two discounts": below_two}'
wrong(
    "constraint",
    "",
    "'kept' and 'weight' times 'below' do not add up to the",
    (RESULT, RESULT.replace(": below,", ": a / N,")),
)
wrong(
    "constraint",
    "",
    "'kept' and 'weight' times 'below' do not add up to the",
    (RESULT, RESULT.replace(": below,", ": 1 / T,")),
)
wrong(
    "constraint",
    "",
    "'kept' and 'weight' times 'below' do not add up to the",
    (RESULT, RESULT.replace(": below,", ": a * D / T,")),
)
wrong(
    "constraint",
    "",
    "'kept' and 'weight' times 'below' do not add up to the",
    (RESULT, RESULT.replace(": kept", ": c - a * D")),
)
wrong(
    "constraint",
    "",
    "'kept' and 'weight' times 'below' do not add up to the",
    (RESULT, RESULT.replace(": kept", ": (c - a * D) / c")),
)
wrong(
    "constraint",
    "",
    "'kept' and 'weight' times 'below' do not add up to the",
    (RESULT, RESULT.replace(": weight", ": a * D / N")),
)
wrong(
    "constraint",
    "",
    "'kept' and 'weight' times 'below' do not add up to the",
    (RESULT, RESULT.replace(": weight", ": T / N")),
)
wrong(
    "constraint",
    "",
    'Only "two discounts" is wrong.',
    (RESULT, RESULT.replace("below_two", "a1 * D1 + (a - a1) * D")),
)
wrong(
    "constraint",
    "",
    'Only "two discounts" is wrong.',
    (RESULT, RESULT.replace("below_two", "(a1 * D1 + a * D) / (T1 * D1 + T * D)")),
)
wrong(
    "constraint",
    "",
    'Only "two discounts" is wrong.',
    (RESULT, RESULT.replace("below_two", "a1 / T1 + (a - a1) / (T - T1)")),
)
wrong(
    "constraint",
    "",
    'Only "two discounts" is wrong.',
    (RESULT, RESULT.replace("below_two", "(a1 * D + (a - a1) * D1) / (T1 * D1 + (T - T1) * D)")),
)
wrong(
    "constraint",
    "L22 L24",
    "Your 'kept' subtracts the discount once. The word follows",
    (RESULT, RESULT.replace(": below,", ": c / N,").replace(": kept", ": (c - D) / N")),
)
wrong(
    "constraint",
    "",
    "your answer['two discounts'] contains n. Use only the",
    (RESULT, RESULT.replace("below_two", "below_two + sp.Symbol('n')")),
)
right(
    "constraint",
    'lower = {"two discounts": (D * a + (D1 - D) * a1) / (D * T + (D1 - D) * T1), "below": a / T, "weight": D * T / N, "kept": c / N - D * a / N}',
)
right(
    "constraint",
    """
    x = sp.Symbol("b")
    solve = lambda kept, weight: sp.solveset(sp.Eq(kept + weight * x, c / N), x, sp.Complexes).args[0]
    share = (a1 * (1 - D1) + c - a1 - (a - a1) * D) / N
    lower = dict(zip(("kept", "weight"), (sp.together((c - a * D) / N), sp.Mul(T, D, sp.Pow(N, -1)))))
    lower["below"] = sp.simplify((c / N - lower["kept"]) / lower["weight"])
    lower["two discounts"] = (c / N - share) * N / (T1 * D1 + (T - T1) * D)
    """,
)

# --- kneser-ney

PLACES = "continuations = (counts > 0).sum(axis=0)"
LOWER = "discounted(continuations, 1 / len(continuations))"
wrong("kneser-ney", "", 'Only "table" is wrong.', (LOWER, "counts.sum(axis=0) / counts.sum()"))
wrong(
    "kneser-ney",
    "L24",
    "Your 'table' does not use the continuation counts: the model",
    (LOWER, "discounted(counts.sum(axis=0), 1 / len(continuations))"),
)
wrong(
    "kneser-ney",
    "",
    "a row does not sum to 1, so it is not a distribution.",
    ("freed = D * (counts > 0)", "freed = D * D * (counts > 0)"),
)
wrong(
    "kneser-ney",
    "",
    "a row does not sum to 1, so it is not a distribution.",
    ("freed = D * (counts > 0)", "freed = D * (counts == 1)"),
)
wrong(
    "kneser-ney",
    "",
    "a row does not sum to 1, so it is not a distribution.",
    ("np.maximum(counts - D, 0) + freed", "counts + freed"),
)
wrong(
    "kneser-ney",
    "",
    "a row does not sum to 1, so it is not a distribution.",
    (LOWER, LOWER.replace("len(continuations)", "(continuations > 0).sum()")),
)
wrong(
    "kneser-ney",
    "",
    "a row does not sum to 1, so it is not a distribution.",
    (LOWER, LOWER.replace("len(continuations)", "len(counts)").replace("1 /", "0.5 /")),
)
wrong(
    "kneser-ney",
    "",
    'Only "table" is wrong.',
    ("np.maximum(total, 1), below)", "np.maximum(total, 1), 1 / counts.shape[-1])"),
)
wrong(
    "kneser-ney",
    "",
    "a row does not sum to 1, so it is not a distribution.",
    (PLACES, PLACES + " / (counts > 0).sum()"),
)
wrong("kneser-ney", "", "not the value asked for", (PLACES, "continuations = (counts == 1).sum(axis=0)"))
wrong(
    "kneser-ney",
    "L24",
    "Your 'continuations' are token counts. Count the contexts",
    ('"continuations": continuations', '"continuations": counts.sum(axis=0)'),
)
wrong(
    "kneser-ney", "", 'Only "table" is wrong.', ("    def discounted", "    D = 0.75\n\n    def discounted")
)
wrong(
    "kneser-ney",
    "",
    "a row does not sum to 1, so it is not a distribution.",
    ("freed * below)", "freed * (counts == 0) * below)"),
)
wrong(
    "kneser-ney",
    "",
    "a row does not sum to 1, so it is not a distribution.",
    ("(np.maximum(counts - D, 0) + freed * below)", "np.where(counts > 0, counts - D, freed * below)"),
)
right(
    "kneser-ney",
    """
    def kneser_ney(counts, D):
        a = [sum(1 for c in column if c) for column in counts.T]
        A, kinds = sum(a), sum(map(bool, a))
        b = [(max(x - D, 0) + D * kinds / len(a)) / A for x in a]
        table = []
        for row in counts:
            n = row.sum()
            table.append([(max(c - D, 0) + D * np.count_nonzero(row) * p) / n for c, p in zip(row, b)] if n else b)
        return {"table": table, "continuations": a}
    """,
)
right(
    "kneser-ney",
    """
    import torch

    def kneser_ney(counts, D):
        c = torch.tensor(counts).double()
        a = c.count_nonzero(0)
        b = (a - D).clamp(min=0) / a.sum() + D * a.count_nonzero() / a.sum() / len(a)
        n = c.sum(1, keepdim=True)
        rows = ((c - D).relu() + D * c.sign().sum(1, keepdim=True) * b) / n
        return {"continuations": a, "table": torch.where(n == 0, b, rows)}
    """,
)
right("kneser-ney", (PLACES, "continuations = np.count_nonzero(counts, axis=0).astype(float)"))

# --- audit

WORDS = '" ".join(verdicts)'
ONLY = ' if verdict == "distribution" else np.nan'
wrong("audit", "", 'Only "perplexities" is wrong.', (ONLY, ' if verdict == "distribution" else 0.0'))
wrong(
    "audit",
    "",
    'Only "perplexities" is wrong.',
    (ONLY, ' if verdict in ("distribution", "floor") else np.nan'),
)
wrong(
    "audit",
    "",
    'Only "verdicts" is wrong.',
    ('"twice" if seen > 1 else "lost"', '"lost" if seen > 1 else "twice"'),
)
wrong(
    "audit",
    "L28",
    "You ask whether a sum equals 1 to the last digit. Rounding",
    ("abs(seen - 1) < 1e-12, abs(unseen - 1) < 1e-12", "seen == 1, unseen == 1"),
)
wrong("audit", "", 'Only "verdicts" is wrong.', ('verdict = "score"', 'verdict = "twice"'))
wrong(
    "audit",
    "",
    'Only "perplexities" is wrong.',
    ('-np.log(model["seen"][model["test"]]).mean()', '-np.log(model["unseen"][model["test"]]).mean()'),
)
wrong(
    "audit",
    "",
    'Only "perplexities" is wrong.',
    ('-np.log(model["seen"][model["test"]]).mean()', '-np.log(model["seen"][model["test"]].mean())'),
)
wrong(
    "audit",
    "M2",
    "For your number r and the right number R, ln r / ln R is",
    ('-np.log(model["seen"][model["test"]]).mean()', '-np.log2(model["seen"][model["test"]]).mean()'),
)
wrong(
    "audit",
    "",
    'Only "sums" is wrong.',
    ("sums.append([seen, unseen])", "sums.append([seen - 1, unseen - 1])"),
)
wrong(
    "audit",
    "",
    "your answer['sums'] is an array of shape (2, 6), but an",
    ("np.array(sums)", "np.array(sums).T"),
)
wrong("audit", "", 'Only "verdicts" is wrong.', ('verdict = "frequencies"', 'verdict = "frequency"'))
wrong(
    "audit",
    "",
    'Only "sums" is wrong.',
    ("sums.append([seen, unseen])", "sums.append([seen / len(model['seen']), unseen / len(model['seen'])])"),
)
wrong(
    "audit",
    "",
    'Only "verdicts" is wrong.',
    ("elif one_after_seen and unseen == 0", "elif one_after_seen and unseen < 0"),
)
right("audit", (WORDS, '"  ".join(verdicts) + "\\n"'))
right("audit", (WORDS, "verdicts"), ("np.array(sums)", "sums"), ("np.array(perplexities)", "perplexities"))
right("audit", (WORDS, '", ".join(verdicts)'))
right(
    "audit",
    """
    def audit(models):
        table = np.stack([[model[row].sum() for row in ("seen", "unseen")] for model in models])
        seen, unseen = table.T - 1
        one = np.abs(table.T - 1) < 1e-12
        cases = [one.all(axis=0), one[0] & (table[:, 1] == 0), (seen > 0) & (seen < 1e-6) & (unseen < -0.9), one[1] & (seen > 0), one[1]]
        names = np.select(cases, ["distribution", "frequencies", "floor", "twice", "lost"], "score")
        priced = [float(np.prod(m["seen"][m["test"]] ** (-1 / len(m["test"])))) if n == "distribution" else float("nan") for m, n in zip(models, names)]
        return {"verdicts": " ".join(names), "perplexities": priced, "sums": table}
    """,
)

# --- evaluator

COST = "nats -= math.log((count + k) / (sum(followers.values()) + k * size))"
wrong("evaluator", "", 'Only "perplexity" is wrong.', (COST, COST.replace("k * size", "size")))
wrong(
    "evaluator",
    "",
    'Only "perplexity" is wrong.',
    (COST, COST.replace("count + k", "count + 1").replace("k * size", "size")),
)
wrong(
    "evaluator",
    "",
    "'tokens' is not the number of words of the test plus one",
    ('["<s>", *words, "</s>"]', '[*words, "</s>"]'),
)
wrong(
    "evaluator",
    "",
    'Only "perplexity" is wrong.',
    ("math.exp(nats / tokens)", "math.exp(nats / len(sentences))"),
)
wrong(
    "evaluator",
    "",
    'Only "perplexity" is wrong.',
    ("math.exp(nats / tokens)", "math.exp(nats / (tokens - len(sentences)))"),
)
wrong(
    "evaluator",
    "M4",
    "Your number is the average surprisal in nats, which is the",
    ("math.exp(nats / tokens)", "nats / tokens"),
)
wrong("evaluator", "", 'Only "unseen" is wrong.', ("unseen += count == 0", "unseen += word == '<unk>'"))
wrong("evaluator", "", 'Only "unseen" is wrong.', ("unseen += count == 0", "unseen += before not in counts"))
wrong(
    "evaluator",
    "",
    'Only "unseen" and "perplexity" are wrong.',
    ("for before, word in pairwise(", "before = '<s>'\n        for _, word in pairwise("),
)
wrong(
    "evaluator",
    "",
    'Only "perplexity" is wrong.',
    ("size = len(vocabulary) + 1", "size = len(vocabulary) - 1"),
)
wrong(
    "evaluator",
    "",
    'Only "perplexity" is wrong.',
    (COST, COST.replace("sum(followers.values())", "len(followers)")),
)
wrong(
    "evaluator",
    "",
    "'tokens' is not the number of words of the test plus one",
    ("tokens += 1", "tokens += word != '<unk>'"),
)
wrong(
    "evaluator", "M2", "For your number r and the right number R, ln r / ln R is", ("math.log(", "math.log2(")
)
wrong(
    "evaluator",
    "",
    'Only "unseen" and "perplexity" are wrong.',
    ('word if word in vocabulary else "<unk>" for', "word for"),
    ("count = followers.get(word, 0)", 'count = followers.get(word, followers.get("<unk>", 0))'),
)
right(
    "evaluator",
    """
    from collections import Counter

    def evaluate(counts, vocabulary, sentences, k):
        known, V = frozenset(vocabulary), 1 + len(set(vocabulary))
        read = lambda word: word if word in known else "<unk>"
        asked = Counter()
        for sentence in sentences:
            line = ["<s>", *map(read, sentence.split()), "</s>"]
            asked.update(zip(line, line[1:]))
        table = {pair: counts.get(pair[0], {}).get(pair[1], 0) for pair in asked}
        q = {pair: (c + k) / (sum(counts.get(pair[0], {}).values()) + k * V) for pair, c in table.items()}
        N = asked.total()
        return {
            "perplexity": math.prod(q[pair] ** (-n / N) for pair, n in asked.items()),
            "unseen": sum(n for pair, n in asked.items() if not table[pair]),
            "tokens": np.int32(N),
        }
    """,
)
right(
    "evaluator",
    ("size = len(vocabulary) + 1", 'size = len({*vocabulary, "</s>"})'),
    ("math.exp(nats / tokens)", "2 ** (nats / tokens / math.log(2))"),
)
right(
    "evaluator", ('"tokens": tokens, "unseen": unseen', '"tokens": float(tokens), "unseen": np.array(unseen)')
)

# --- line

wrong(
    "line",
    "",
    "'OOVs' is not a count: give a whole number of tokens. You",
    'reported = right | {"OOVs": right["OOVs"] / 2740}',
)
wrong(
    "line",
    "",
    'Only "OOVs" is wrong.',
    'reported = right | {"OOVs": len({s for s in tokenize(tales.test).strings()} - set(train.strings()))}',
)
wrong(
    "line",
    "",
    'Only "OOVs" is wrong.',
    'reported = right | {"OOVs": test.unknown + len(test.sentence_starts) - 1}',
)
wrong("line", "", 'Only "OOVs" is wrong.', 'reported = right | {"OOVs": valid.unknown}')
wrong("line", "", 'Only "method" is wrong.', 'reported = right | {"method": "Kneser-Ney"}')
wrong("line", "", 'Only "order" is wrong.', 'reported = right | {"order": 5}')
wrong(
    "line",
    "",
    "your answer['method'] is of the type tuple, but a string in",
    'reported = right | {"method": ("modified Kneser-Ney", 3)}',
)
wrong(
    "line",
    "",
    'Only "including OOVs" and "excluding OOVs" are wrong.',
    'reported = right | {"including OOVs": round(right["including OOVs"]), "excluding OOVs": round(right["excluding OOVs"])}',
)
wrong(
    "line",
    "",
    "close, but not within one part in a million of the value.",
    'reported = right | {"including OOVs": round(right["including OOVs"], 2), "excluding OOVs": round(right["excluding OOVs"], 2)}',
)
wrong(
    "line",
    "",
    'Only "excluding OOVs" is wrong.',
    'reported = right | {"excluding OOVs": right["including OOVs"]}',
)
wrong(
    "line",
    "M4",
    "Your number is the average surprisal in nats, which is the",
    'reported = right | {"including OOVs": math.log(right["including OOVs"])}',
)
wrong(
    "line",
    "",
    "your answer has the keys 'method', 'order', 'including",
    'reported = {**right}\ndel reported["OOVs"]',
)
right("line", 'reported = right | {"order": np.int64(right["order"]), "OOVs": float(right["OOVs"])}')
right(
    "line",
    'reported = right | {"method": " " + right["method"] + " ", "including OOVs": np.longdouble(right["including OOVs"])}',
)
right(
    "line",
    'reported = right | {"including OOVs": round(right["including OOVs"], 4), "excluding OOVs": sp.Float(right["excluding OOVs"])}',
)

# --- one entry of several, and numbers that no one mistake explains

wrong("set-aside", "L22", "Your 'absolute' sets D aside.", (ABSOLUTE, "unseen * D / V"))
wrong("fates", "", "a count is negative.", ('counts["unknown"] += 1', 'counts["unknown"] -= 1'))
wrong("em", "", "a number is infinite.", (FIRST, "-np.log(joint[0]).mean()"))
wrong("em", "", 'Only "weights" is wrong.', ('"weights": new', '"weights": (new == new.max()) * 1.0'))
wrong(
    "em",
    "",
    'Only "after" is wrong.',
    (LAST, "-np.log((probs / probs.sum(axis=0)).mean(axis=1) @ probs).mean()"),
)
wrong("em", "L31", "'before' and 'after' are swapped.", (FIRST, "SWAPPED"), (LAST, FIRST), ("SWAPPED", LAST))
wrong("audit", "", 'Only "perplexities" is wrong.', ("np.exp(nats)", "np.nan"))
wrong("evaluator", "", 'Only "tokens" is wrong.', ('"tokens": tokens', '"tokens": tokens - unseen'))
wrong("line", "", 'Only "order" is wrong.', 'reported = right | {"order": 4}')
wrong("line", "", 'Only "OOVs" is wrong.', 'reported = right | {"OOVs": 0}')
wrong("line", "", "'method' is not the name of one of the four", 'reported = right | {"method": "Katz"}')
right(
    "line", 'from collections import UserDict\n\nreported = UserDict(right | {"method": "ModifiedKneserNey"})'
)
right(
    "line",
    'from types import MappingProxyType\n\nreported = MappingProxyType(right | {"method": "Modified Kneser-Ney"})',
)
right("audit", (WORDS, '" ".join(verdicts).title()'))
right(
    "em",
    """
    def em_step(probs, weights):
        mixture = np.einsum("m,mn->n", weights, probs)
        new = np.einsum("m,mn,n->m", weights, probs, 1 / mixture) / len(mixture)
        return dict(before=-np.average(np.log(mixture)), after=-np.average(np.log(new @ probs)), weights=list(new))
    """,
)
right(
    "set-aside",
    """
    from decimal import Decimal as X

    def set_aside(counts, V, k, D):
        N, T, k, D, V = X(int(counts.sum())), X(len(counts)), X(k), X(D), X(V)
        seen = {
            "add-k": sum((X(int(c)) + k) / (N + k * V) for c in counts),
            "absolute": sum((X(int(c)) - D) / N + D * T / N / V for c in counts),
            "Witten-Bell": sum((X(int(c)) + T / V) / (N + T) for c in counts),
        }
        return {name: 1 - mass for name, mass in seen.items()} | {"Good-Turing": counts.tolist().count(1) / N}
    """,
)


class TestTries(TriesTests):
    exercises = SET
