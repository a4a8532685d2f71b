"""The set of chapter 10: full marks when solved, what to do when not, and for wrong code its hint."""

import itertools
import math

import numpy as np
import pytest
from scipy import integrate

from lmcourse.feedback import WrongAnswer, check
from lmcourse.questions.ch10.exchangeable import before_and_after
from lmcourse.questions.ch10.mixtures import SLIPS
from lmcourse.questions.ch10.programs import WHICH_PEEKED
from lmmetrics import compare_scores
from lmmetrics.score import Score
from lmmetrics.topics import TopicModel, dirichlet_multinomial
from tests.questions.exercise_sets import ExerciseSet, SetTests, exchange

SET = ExerciseSet("10_topic_models")
changed, written = SET.changed, SET.written
odd, breaks, right = SET.wrong_on_odd_inputs, SET.breaks, SET.right

PERPLEXITY = "np.exp(nats / counts.sum())"
SET.in_wrong_units("mixture", PERPLEXITY, nats="nats / counts.sum()", ids="M1 M2 M4 M5")
changed(
    "mixture",
    "M8",
    (PERPLEXITY, "np.mean([np.exp(-n @ np.log(q) / n.sum()) for n, q in zip(counts, p)])"),
)
changed(
    "mixture",
    "M9",
    (PERPLEXITY, "np.exp(np.mean(-(counts * np.log(p)).sum(axis=1) / counts.sum(axis=1)))"),
)
changed("mixture", "L30", (PERPLEXITY, "np.exp(-(counts * (weights @ np.log(topics))).sum() / counts.sum())"))
changed("mixture", "L35", (PERPLEXITY, "np.exp(-np.log(p[counts > 0]).mean())"))
changed("mixture", "L27", (PERPLEXITY, "np.exp(nats / np.count_nonzero(counts))"))
changed("mixture", "L1", (PERPLEXITY, "np.exp(nats / len(counts))"))
changed(
    "mixture",
    "L40",
    (
        PERPLEXITY,
        "np.exp(-sum(special.gammaln(n.sum() + 1) - special.gammaln(n + 1).sum() + n @ np.log(q)"
        " for n, q in zip(counts, p)) / counts.sum())",
    ),
)
changed("mixture", "L25", ("weights @ topics", "topics[np.argmax(weights, axis=1)]"))
changed("mixture", "L24", ("weights @ topics", "np.ones_like(weights) * weights.mean(axis=0) @ topics"))
changed("mixture", "L24", ("weights @ topics", "np.tile(topics.mean(axis=0), (len(weights), 1))"))
right(
    "mixture",
    """
    def mixture(weights, topics, counts):
        D, V = counts.shape
        p, total = torch.zeros(D, V, dtype=torch.float64), 0.0
        for d in range(D):
            for w in range(V):
                p[d, w] = sum(weights[d, k] * topics[k, w] for k in range(len(topics)))
                if counts[d, w]:
                    total -= int(counts[d, w]) * math.log(p[d, w])
        return {"perplexity": math.e ** (total / int(counts.sum())), "p": p}
    """,
)
right(
    "mixture",
    """
    def mixture(weights, topics, counts):
        p = np.einsum("dk,kw->dw", weights, topics)
        seen = counts > 0
        return {"p": p.tolist(), "perplexity": np.prod(p[seen] ** (-counts[seen] / counts.sum()))}
    """,
)
odd("mixture", ("special.xlogy(counts, p)", "(counts * np.log(p))"))

for slip, line in SLIPS.items():
    for letter in sorted(set("ABCDEFG") - {line}):
        changed(
            "formula", "L28" if letter in "ADG" else "L31", (f'"{slip}": "{line}"', f'"{slip}": "{letter}"')
        )
right("formula", 'slips = {"sides": "line F", "inside": " e ", "index": ("C",), "given": "(b)"}')

PAIR = "one**2 + (a - b) ** 2 * variance"
NEXT = '"next": pair / one'
changed("two-topics", "L22", ('"one": one', '"one": a + b'))
changed("two-topics", "L4", ('"one": one', '"one": a * b'))
changed("two-topics", "M71", (PAIR, "one**2"))
changed("two-topics", "M71", (NEXT, '"next": one'))
changed("two-topics", "L8", (PAIR, "(a**2 + a * b + b**2) / 3"))
changed("two-topics", "L22", (PAIR, "(a**2 + b**2) / 2"))
changed("two-topics", "L22", (PAIR, "(mean**2 + variance) * (a**2 + b**2)"))
changed("two-topics", "L22", (PAIR, "(mean**2 + variance) * (a**2 + b**2) + (mean**2 - variance) * a * b"))
changed("two-topics", "L19", (NEXT, '"next": pair'))
changed("two-topics", "L34", (NEXT, '"next": one / pair'))
changed("two-topics", "L19", ('"pair": pair', '"pair": pair / one'))
changed("two-topics", "L13", ('"pair": pair', '"pair": pair - one**2'))
right(
    "two-topics",
    """
    t = sp.Symbol("t", positive=True)
    first, second = sp.Rational(1, 2), (alpha + 1) / (2 * (2 * alpha + 1))  # E t and E t**2
    moments = sp.Poly((t * a + (1 - t) * b) ** 2, t).all_coeffs()
    pair = moments[0] * second + moments[1] * first + moments[2]
    ball = {"next": 2 * pair / (a + b), "pair": pair, "one": (a + b) / 2}
    """,
)
right(
    "two-topics",
    """
    one = a / 2 + b / 2
    next_ = one + (a - b) ** 2 / (a + b) / (4 * alpha + 2)
    ball = {"one": one, "pair": sp.expand(one * next_), "next": next_}
    """,
)

LIKELIER = "([[0.5, 0.5, 0.0], [0.0, 0.0, 1.0]], 0, 1)"
UNMOVED = "([[0.2, 0.8, 0.0], [0.2, 0.0, 0.8]], 0, 1)"
ALL_ALIKE = "([[0.4, 0.6], [0.4, 0.6]], 0, 1)"
changed("independence", "M71", (LIKELIER, '"impossible"'))
changed("independence", "M71", (LIKELIER, ALL_ALIKE))
changed("independence", "L7", (LIKELIER, "([[0.9, 0.1], [0.1, 0.9]], 0, 1)"))
changed("independence", "L40", (LIKELIER, "([[0.9, 0.1], [0.1, 0.9]], 1, 1)"))
changed("independence", "L32", (UNMOVED, '"impossible"'))
changed("independence", "M71", (UNMOVED, ALL_ALIKE))
changed("independence", "L40", (UNMOVED, "([[0.5, 0.1, 0.4], [0.5, 0.4, 0.1]], 0, 0)"))
changed("independence", "L38", (UNMOVED, "([[0.5, 0.5, 0.0], [0.1, 0.9, 0.0]], 0, 2)"))
changed("independence", "M71", ('"impossible"', "([[0.4, 0.6], [0.4, 0.6]], 0, 0)"))
right(
    "independence",
    """
    third = sp.Rational(1, 3)
    examples = {
        "itself": "Impossible.",
        "likelier": (np.array([[0.4, 0.4, 0.2], [0.05, 0.05, 0.9], [0.1, 0.1, 0.8]]), np.int64(1), 0),
        "unmoved": [[[third, 2 * third, 0], [third, 0, 2 * third]], 2, 0],
    }
    """,
)
right(
    "independence",
    """
    third = 1 / 3
    examples = {
        "likelier": (torch.tensor([[0.3, 0.3, 0.4], [0.2, 0.2, 0.6]], dtype=torch.float64), 0, 1),
        # the other word's probabilities balance: topics 0 and 2 of three
        "unmoved": ([[0.1, 0.2, 0.7], [0.3, 0.2, 0.5], [0.5, 0.2, 0.3]], 0, 1),
        "itself": "impossible",
    }
    """,
)

SEQUENCE = "prior * sp.gamma(n1 + beta) * sp.gamma(n2 + beta) / sp.gamma(N + 2 * beta)"
NEXT_WORD, COUNTS = '"next": (n1 + beta) / (N + 2 * beta)', "sp.binomial(N, n1) * sequence"
changed("one-topic", "M31", (NEXT_WORD, '"next": n1 / N'))
changed("one-topic", "L31", (NEXT_WORD, '"next": (n2 + beta) / (N + 2 * beta)'))
changed("one-topic", "L13", (NEXT_WORD, '"next": (n1 + beta) / (N + beta)'))
changed("one-topic", "L8", (NEXT_WORD, '"next": (n1 + 1) / (N + 2)'))
changed("one-topic", "M71", (SEQUENCE, "sp.Rational(1, 2) ** N"))
changed("one-topic", "M49", (SEQUENCE, "(n1 / N) ** n1 * (n2 / N) ** n2"))
changed(
    "one-topic",
    "M49",
    (SEQUENCE, "((n1 + beta) / (N + 2 * beta)) ** n1 * ((n2 + beta) / (N + 2 * beta)) ** n2"),
)
changed("one-topic", "L22", ("sequence = prior * ", "sequence = "))
changed("one-topic", "L8", (SEQUENCE, "sp.gamma(n1 + 1) * sp.gamma(n2 + 1) / sp.gamma(N + 2)"))
changed("one-topic", "L31", *exchange('"sequence"', '"counts"'))
changed("one-topic", "L40", ('"sequence": sequence', f'"sequence": {COUNTS}'))
changed("one-topic", "L22", (COUNTS, "sequence"))
changed("one-topic", "L34", (COUNTS, "sequence / sp.binomial(N, n1)"))
right(
    "one-topic",
    """
    rising = sp.rf(beta, n1) * sp.rf(beta, n2) / sp.rf(2 * beta, n1 + n2)
    orders = sp.factorial(n1 + n2) / sp.factorial(n1) / sp.factorial(n2)
    after = 1 - (n2 + beta) / (n1 + n2 + 2 * beta)
    one_topic = {"counts": orders * rising, "next": after, "sequence": rising}
    """,
)
right(
    "one-topic",
    """
    phi = sp.Symbol("phi", positive=True)
    raw = sp.Integral(phi ** (n1 + beta - 1) * (1 - phi) ** (n2 + beta - 1), (phi, 0, 1))
    sequence = sp.beta(n1 + beta, n2 + beta) / sp.beta(beta, beta)
    more = sp.beta(n1 + 1 + beta, n2 + beta) / sp.beta(n1 + beta, n2 + beta)
    one_topic = {"next": more, "sequence": sequence, "counts": sequence * sp.binomial(n1 + n2, n2)}
    """,
)

EXACT = "-special.logsumexp(log_p(np.sin(u) ** 2) + log_density, b=mass * np.pi / 4)"
SAMPLED = "math.log(len(draws)) - special.logsumexp(log_p(np.asarray(draws)))"
BOTH = '"exact": exact, "sampled": sampled'
changed("integral", "M2", (BOTH, '"exact": exact / math.log(2), "sampled": sampled / math.log(2)'))
changed("integral", "M4", (BOTH, '"exact": math.exp(-exact), "sampled": math.exp(-sampled)'))
changed("integral", "L1", (BOTH, '"exact": exact / counts.sum(), "sampled": sampled / counts.sum()'))
changed("integral", "M5", (BOTH, '"exact": -exact, "sampled": -sampled'))
changed("integral", "M71", (EXACT, "-counts @ np.log((topics[0] + topics[1]) / 2)"))
changed("integral", "M71", (SAMPLED, "-log_p(np.array([np.mean(draws)]))[0]"))
changed("integral", "M49", (EXACT, "-log_p(np.linspace(0, 1, 100_001)).max()"))
changed(
    "integral",
    "M49",
    (
        EXACT,
        "-log_p([special.softmax(log_p(np.sin(u) ** 2) + log_density + np.log(mass)) @ np.sin(u) ** 2])[0]",
    ),
    ("np.outer(1 - t,", "np.outer(1 - np.asarray(t),"),
)
changed("integral", "L30", (EXACT, "-(log_p(np.sin(u) ** 2) * np.exp(log_density)) @ mass * np.pi / 4"))
changed("integral", "L30", (SAMPLED, "-log_p(draws).mean()"))
changed("integral", "L8", ("(2 * alpha - 1)", "1.0"), ("betaln(alpha, alpha)", "betaln(1, 1)"))
changed("integral", "L22", (" - special.betaln(alpha, alpha)", ""))
changed("integral", "L1", (SAMPLED, "-special.logsumexp(log_p(draws))"))
changed("integral", "L25", (SAMPLED, "-max(log_p(draws))"))
changed("integral", "L31", (SAMPLED, "math.log(len(draws)) - special.logsumexp(log_p(1 - draws))"))
changed(
    "integral",
    "L40",
    (
        "return special.xlogy",
        "return special.gammaln(counts.sum() + 1) - special.gammaln(counts + 1).sum() + special.xlogy",
    ),
)
right(
    "integral",
    """
    def two_ways(topics, alpha, counts, draws):
        # p(d | t) is a polynomial of degree N, and the moments of Beta(alpha, alpha) are known
        N = int(counts.sum())
        x, mass = special.roots_jacobi(N // 2 + 1, alpha - 1, alpha - 1)
        logs = lambda t: np.array([np.sum(counts * np.log(s * topics[0] + (1 - s) * topics[1])) for s in t])
        exact = -special.logsumexp(logs((x + 1) / 2) + np.log(mass / mass.sum()))
        drawn = torch.tensor(logs(draws))
        sampled = math.log(len(draws)) - torch.logsumexp(drawn, dim=0)
        return {"exact": exact, "sampled": sampled}
    """,
)
right(
    "integral",
    """
    def two_ways(topics, alpha, counts, draws):
        def at(t):
            return counts @ np.log(t * topics[0] + (1 - t) * topics[1])

        grid = np.linspace(1e-9, 1 - 1e-9, 2001)
        height = max(at(t) for t in grid)
        peak = grid[np.argmax([at(t) for t in grid])]

        def under(u):  # t = sin(u)**2
            t = math.sin(u) ** 2
            return math.exp(at(t) - height) * 2 * (math.sin(u) * math.cos(u)) ** (2 * alpha - 1)

        top = math.asin(math.sqrt(peak))
        area = sum(
            integrate.quad(under, *ends, epsabs=1e-14, epsrel=1e-10, limit=400)[0]
            for ends in ((0, top), (top, math.pi / 2))
        )
        values = np.array([at(t) for t in draws])
        mean = np.mean(np.exp(values - values.max()))
        return {
            "exact": -math.log(area) - height + special.betaln(alpha, alpha),
            "sampled": -math.log(mean) - values.max(),
        }
    """,
)
odd(
    "integral",
    (
        EXACT,
        "-math.log(np.exp(log_p(np.sin(u) ** 2) + log_density) @ mass * np.pi / 4 or 1e-300)",
    ),
)
breaks("integral", "infinite", (SAMPLED, "-math.inf"))

NATS = "nats.append((divergence - counts @ torch.log(shares.sum(dim=0))).item())"
BITS = '"bits": bits'
SHARES = "torch.exp(torch.digamma(gamma) - torch.digamma(gamma.sum()))[:, None]"
KL = "torch.distributions.kl_divergence(torch.distributions.Dirichlet(gamma), prior)"
STEP = "alpha + (counts * shares / shares.sum(dim=0)).sum(dim=1)"
changed("bound", "M48", (NATS, NATS.replace("(divergence -", "(-divergence +")))
changed("bound", "L22", (KL, "torch.tensor(0.0)"))
changed("bound", "M5", (NATS, NATS.replace("(divergence -", "(-divergence -")))
changed(
    "bound",
    "M50",
    (KL, "torch.distributions.kl_divergence(prior, torch.distributions.Dirichlet(gamma))"),
)
changed("bound", "L30", ("torch.log(shares.sum(dim=0))", "torch.log(gamma / gamma.sum() @ topics)"))
changed("bound", "L30", (SHARES, "(gamma / gamma.sum())[:, None]"))
changed("bound", "L22", (STEP, STEP.replace("alpha + ", "")))
changed("bound", "L35", (STEP, STEP.replace("counts *", "(counts > 0) *")))
changed("bound", "L22", (STEP, "alpha + (counts * topics / topics.sum(dim=0)).sum(dim=1)"))
changed("bound", "L23", ("if step:", "if True:"))
changed("bound", "M48", (BITS, '"bits": nats[-1] / counts.sum().item()'))
changed("bound", "L3", (BITS, '"bits": nats[-1] * math.log(2) / counts.sum().item()'))
changed("bound", "L1", (BITS, '"bits": nats[-1] / math.log(2)'))
changed("bound", "M4", (BITS, '"bits": math.exp(nats[-1] / counts.sum().item())'))
changed("bound", "L27", (BITS, '"bits": nats[-1] / math.log(2) / (counts > 0).sum().item()'))
changed("bound", "L33", ("(gamma / gamma.sum()).numpy()", "gamma.numpy()"))
right(
    "bound",
    """
    def bound(topics, alpha, counts, gamma, steps):
        K, found = len(gamma), []
        prior = np.full(K, alpha)
        norm = lambda g: special.gammaln(g).sum() - special.gammaln(g.sum())
        for step in range(steps + 1):
            expected = special.psi(gamma) - special.psi(gamma.sum())
            divergence = norm(prior) - norm(gamma) + (gamma - prior) @ expected
            logs = expected[:, None] + np.log(topics)
            found.append(divergence - counts @ special.logsumexp(logs, axis=0))
            mean = gamma / gamma.sum()
            gamma = prior + special.softmax(logs, axis=0) @ counts
        return {"weights": list(mean), "bits": np.log2(np.e) * found[-1] / sum(counts), "nats": found}
    """,
)
odd("bound", ("shares.sum(dim=0))).item())", "shares.sum(dim=0))).item() + 1e-3 * (steps == 0))"))
breaks("bound", "rises", ("shares.sum(dim=0))).item()", "shares.sum(dim=0))).item() + 3 * step"))
breaks("bound", "below the exact", ("(divergence - counts", "0.8 * (divergence - counts"))

REFUTES_C, REFUTES_D = "(apart, 1.0, 0.5, [2, 0])", "(apart, 1.0, [1, 0], [1, 1])"
changed("order", "L46", (REFUTES_C, '"always"'))
changed("order", "L46", (REFUTES_D, '"always"'))
changed("order", "L46", (REFUTES_C, '"always"'), (REFUTES_D, '"always"'))
right(
    "order",
    """
    verdict = {
        "D": ([[0.9, 0.1], [0.2, 0.8]], 0.5, np.zeros(2), torch.tensor([3, 3])),
        "C": (np.array([[0.7, 0.2, 0.1], [0.1, 0.1, 0.8]]), 2, [0.1, 0.9], (6, 0, 0)),
        "B": "Always",
        "A": "always.",
    }
    """,
)
right(
    "order",
    """
    half = sp.Rational(1, 2)
    verdict = {
        "A": "always",
        "B": "always",
        "C": [[[1, 0], [0, 1]], half, 0.01, [1, 0]],
        "D": ([[1, 0], [0, 1]], 0.1, (0, 0), (1, 1)),
    }
    """,
)

for mistake in WHICH_PEEKED.mistakes:
    [(key, letters)] = set(mistake.wrong().items()) - set(WHICH_PEEKED.right().items())
    changed("which-peeked", mistake.id, (f'"{key}": "{WHICH_PEEKED.right()[key]}"', f'"{key}": "{letters}"'))
right("which-peeked", 'peeked = {"honest": {"f", "c", "e"}, "weights": "B and A", "topics": ["D", "A"]}')
right("which-peeked", 'peeked = {"weights": "A, B", "topics": "programs A, D", "honest": "F-E-C"}')

OF_WORDS = 'np.exp((bounds - np.array([r["topics"] for r in reports])) / N)'
BEST = 'reports[of_words.argmin()]["K"]'
LINE = "-float(line.split()[0])"
changed("printed", "M48", (LINE, "math.log(float(line.split()[3]))"))
changed("printed", "M48", (LINE, LINE + " * math.log(2)"))
changed("printed", "M70", ('"log_perplexity": np.negative', '"log_perplexity": np.positive'))
changed("printed", "M70", ('"log_perplexity": np.negative', '"log_perplexity": lambda x: -x * math.log(2)'))
changed(
    "printed",
    "M1",
    ('"log_perplexity": np.negative', '"log_perplexity": lambda x: -x * math.log(2)'),
    (LINE, LINE + " * math.log(2)"),
)
changed("printed", "M5", ('"log_perplexity": np.negative', '"log_perplexity": np.positive'), (LINE, LINE[1:]))
changed("printed", "M48", (OF_WORDS, "np.exp(bounds / N)"))
changed("printed", "L7", (OF_WORDS, OF_WORDS.replace("bounds -", "bounds +")))
changed(
    "printed",
    "M48",
    (BEST, 'min(reports, key=lambda r: float(str(r["printed"]).split("bound, ")[-1].split()[0]))["K"]'),
)
changed("printed", "M48", (BEST, 'reports[np.argmin(bounds)]["K"]'))
changed("printed", "L7", (BEST, 'reports[of_words.argmax()]["K"]'))
changed("printed", "L23", (BEST, "of_words.argmin()"))
changed("printed", "L1", ('"bound": bounds', '"bound": bounds / N'))
changed("printed", "M2", ('"bound": bounds', '"bound": bounds / math.log(2)'))
changed("printed", "M4", ('"perplexity": of_words', '"perplexity": np.log(of_words)'))
right(
    "printed",
    """
    def printed(reports):
        bounds, numbers = [], {}
        for r in reports:
            if r["program"] == "perplexity":
                b = r["words"] * math.log(r["printed"])
            elif r["program"] == "log_perplexity":
                b = r["printed"] * -r["words"]
            else:  # from the rounded estimate
                _, _, estimate = r["printed"].partition("bound, ")
                b = r["words"] * math.log(float(estimate.split(" ")[0])) / math.log(2)
            bounds.append(b)
            numbers[r["K"]] = 2 ** ((b - r["topics"]) / math.log(2) / r["words"])
        lowest = sorted(numbers, key=numbers.get)[0]
        return {"lowest": np.float64(lowest), "bound": bounds, "perplexity": tuple(numbers.values())}
    """,
)

VALID = 'r["valid"]'
changed("priors", "M79", (VALID, 'r["test"]'))
changed("priors", "L25", ("np.mean(losses[p])", "min(losses[p])"))
changed("priors", "L7", ("pair = min(", "pair = max("))
changed("priors", "L31", ('sorted({r["K"] for r in runs})', 'dict.fromkeys(r["K"] for r in runs)'))
changed("priors", "L31", ('"best": np.array(best)', '"best": np.array(best)[:, ::-1]'))
changed("priors", "L31", ('"ends": np.array(ends)', '"ends": np.array(ends)[:, ::-1]'))
changed("priors", "L22", ("(tried[0], tried[-1])", "(tried[-1],)"))
changed("priors", "L22", ("(tried[0], tried[-1])", "(tried[0],)"))
changed("priors", "L7", ("int(value in", "int(value not in"))
changed(
    "priors",
    "L24",
    (
        "lists = [sorted({p[i] for p in losses}) for i in range(2)]",
        'lists = [sorted({r[name] for r in runs}) for name in ("alpha", "beta")]',
    ),
)
SHARE = "K * pair[0] / (K * pair[0] + length)"
changed("priors", "L22", (SHARE, "pair[0] / (pair[0] + length)"))
changed("priors", "L34", (SHARE, "K * pair[0] / length"))
changed("priors", "L7", (SHARE, "length / (K * pair[0] + length)"))
changed("priors", "L31", (SHARE, "K * pair[1] / (K * pair[1] + length)"))
right(
    "priors",
    """
    def priors(runs, length):
        found = {"best": [], "ends": [], "share": []}
        for K in np.unique([r["K"] for r in runs]):
            own = [r for r in runs if r["K"] == K]
            alphas, betas = (np.unique([r[name] for r in own]) for name in ("alpha", "beta"))
            loss = np.zeros((len(alphas), len(betas)))
            for r in own:  # every pair has as many starts
                loss[alphas == r["alpha"], betas == r["beta"]] += r["valid"]
            i, j = np.unravel_index(loss.argmin(), loss.shape)
            found["best"].append([alphas[i], betas[j]])
            found["ends"].append([i in (0, len(alphas) - 1), j in (0, len(betas) - 1)])
            found["share"].append(1 - length / (length + K * alphas[i]))
        return found
    """,
)

SAME = 'r["split"] == runs[0]["split"] and r["removed"] == runs[0]["removed"]'
LOSS = 'r["nats"].sum() / r["words"].sum() if use'
CHOICE = '"choice": min(tied)'
ERROR = "s = math.sqrt(D / (D - 1) * ((d - mean * n) ** 2).sum()) / n.sum()"
LOWEST = "best, low = runs[int(np.nanargmin(losses))],"
BY_TRAINING = 'best, low = min((r for r, use in zip(runs, same) if use), key=lambda r: r["training"]),'
changed("choose", "M67", (LOWEST, BY_TRAINING), (CHOICE, '"choice": best["K"]'))
changed("choose", "M67", (LOWEST, BY_TRAINING))
BY_TRAINING_OF_ALL = 'best, low = min(runs, key=lambda r: r["training"]),'
changed("choose", "M67", (SAME, "True"), (LOWEST, BY_TRAINING_OF_ALL), (CHOICE, '"choice": best["K"]'))
OF_ALL = 'min(runs, key=lambda r: r["training"])["K"]'
changed("choose", "M67", ('"best": best["K"]', f'"best": {OF_ALL}'), (CHOICE, f'"choice": {OF_ALL}'))
changed("choose", "M69", (SAME, 'r["removed"] == runs[0]["removed"]'))
changed("choose", "M69", (SAME, 'np.array_equal(r["words"], runs[0]["words"])'))
changed("choose", "M68", (SAME, 'r["split"] == runs[0]["split"]'))
changed("choose", "M69 + M68", (SAME, "True"))
changed(
    "choose",
    "M63",
    (
        ERROR,
        "s = math.sqrt(D / (D - 1) * sum(((x - x.sum() / n.sum() * n) ** 2).sum()"
        ' for x in (run["nats"], best["nats"]))) / n.sum()',
    ),
)
changed("choose", "L1", (ERROR, ERROR + " * math.sqrt(D)"))
changed("choose", "M9", (ERROR, "mean, s = (d / n).mean(), (d / n).std(ddof=1) / math.sqrt(D)"))
changed("choose", "M9", (ERROR, "s = (d / n).std(ddof=1) / math.sqrt(D)"))
changed("choose", "L23", ("D / (D - 1) * ", ""))
changed("choose", "L8", ("mean - z * s", "mean - 1.96 * s"))
changed("choose", "L31", ("mean - z * s", "mean + z * s"))
changed("choose", "L7", ('run["nats"] - best["nats"]', 'best["nats"] - run["nats"]'))
changed("choose", "L22", (CHOICE, '"choice": best["K"]'))
changed("choose", "L22", ('l <= 0 and r["K"] <= best["K"]', "l <= 0"), (CHOICE, '"choice": max(tied)'))
changed("choose", "M9", (LOSS, '(r["nats"] / r["words"]).mean() if use'))
changed("choose", "M4", ('"loss": losses', '"loss": np.exp(losses)'))
changed("choose", "M2", ('"loss": losses', '"loss": losses / math.log(2)'))
changed("choose", "L1", (LOSS, 'r["nats"].mean() if use'))
right(
    "choose",
    """
    def choose(runs, z):
        key = lambda r: (r["split"], r["removed"])
        used = {r["K"]: r for r in runs if key(r) == key(runs[0])}
        loss = {K: math.fsum(r["nats"]) / sum(r["words"]) for K, r in used.items()}
        best, low = sorted(loss, key=loss.get)[0], {}
        for K in sorted(used):
            d = [x - y for x, y in zip(used[K]["nats"], used[best]["nats"])]
            n = used[K]["words"]
            mean = sum(d) / sum(n)
            off = [x - mean * m for x, m in zip(d, n)]
            low[K] = mean - z * (len(d) * sum(x * x for x in off) / (len(d) - 1)) ** 0.5 / sum(n)
        choice = next(K for K in sorted(low) if low[K] <= 0)
        found = {"choice": choice, "best": best}
        for name, numbers in {"loss": loss, "low": low}.items():
            found[name] = [numbers.get(r["K"], math.nan) for r in runs]
        return found
    """,
)
odd("choose", (SAME, 'r["split"] == runs[0]["split"] and r["removed"] == 0'))

P = "(n_dk[d] + alpha) * (n_kw[:, w] + beta) / (n_kw.sum(axis=1) + V * beta)"
OUT = "        n_dk[d, z[i]] -= 1\n        n_kw[z[i], w] -= 1\n"
DRAW = "np.argmax(np.cumsum(p) > u[i])"
changed("gibbs", "L40", (OUT, ""), (f"        z[i] = {DRAW}", OUT + f"        z[i] = {DRAW}"))
changed("gibbs", "L22", ("(n_dk[d] + alpha)", "(n_dk[d] + 1e-300)"))
changed("gibbs", "L22", ("(n_kw[:, w] + beta)", "(n_kw[:, w] + 1e-300)"))
changed("gibbs", "L13", ("V * beta", "beta"))
changed("gibbs", "L13", ("V * beta", "K * beta"))
changed("gibbs", "L22", (" / (n_kw.sum(axis=1) + V * beta)", ""))
changed("gibbs", "L24", ("(n_dk[d] + alpha) * ", ""))
changed("gibbs", "L22", (P, "n_dk[d] + alpha"))
changed(
    "gibbs",
    "L31",
    (P, "(n_dk[d] + beta) * (n_kw[:, w] + alpha) / (n_kw.sum(axis=1) + V * alpha)"),
)
written(
    "gibbs",
    "L32",
    """
    def sweep(z, docs, words, K, V, alpha, beta, u):
        n_dk, n_kw = np.zeros((docs.max() + 1, K)), np.zeros((K, V))
        np.add.at(n_dk, (docs, z), 1)
        np.add.at(n_kw, (z, words), 1)
        own = np.eye(K)[z]  # all words at once, each without itself
        p = n_dk[docs] - own + alpha
        p = p * (n_kw[:, words].T - own + beta) / (n_kw.sum(axis=1) - own + V * beta)
        p = p / p.sum(axis=1, keepdims=True)
        return {"p": p[0], "z": (p.cumsum(axis=1) <= u[:, None]).sum(axis=1)}
    """,
)
changed("gibbs", "L6", (DRAW, "np.argmax(p)"))
changed("gibbs", "L31", (DRAW, "K - 1 - np.argmax(np.cumsum(p[::-1]) > u[i])"))
changed("gibbs", "L23", ('"z": z}', '"z": z + 1}'))
right(
    "gibbs",
    """
    def sweep(z, docs, words, K, V, alpha, beta, u):
        z = [int(topic) for topic in z]
        for i in range(len(z)):
            others = [j for j in range(len(z)) if j != i]
            p = []
            for k in range(K):
                in_document = sum(docs[j] == docs[i] and z[j] == k for j in others)
                of_word = sum(words[j] == words[i] and z[j] == k for j in others)
                of_topic = sum(z[j] == k for j in others)
                p.append((in_document + alpha) * (of_word + beta) / (of_topic + V * beta))
            total, k, upto = sum(p), 0, p[0]
            if i == 0:
                first = [x / total for x in p]
            while upto <= u[i] * total:
                k += 1
                upto += p[k]
            z[i] = k
        return {"p": first, "z": z}
    """,
)
right(
    "gibbs",
    SET.tasks["gibbs"].replace(f"z[i] = {DRAW}", "z[i] = np.searchsorted(np.cumsum(p), u[i], 'right')"),
)
odd("gibbs", ("n_kw[:, w] + beta", "n_kw[:, w] + beta * (1 if len(n_dk) > 1 else 2)"))
breaks("gibbs", "does not sum to 1", ("first = p if first is None", "first = 3 * p if first is None"))


class TestSet(SetTests):
    exercises = SET


def test_the_orders_hold_for_every_document():
    """Best weights, posterior mean, exact number and bound of the task, for random models and documents."""
    from lmcourse.questions.ch10.bounds import bound
    from lmcourse.questions.ch10.exact import best_weight, exact, given_weights, posterior_mean

    rng = np.random.default_rng(1)
    for _ in range(300):
        V, alpha = int(rng.integers(2, 7)), float(rng.choice([0.1, 0.5, 1.0, 4.0]))
        topics = rng.dirichlet(np.full(V, 0.4), size=2)
        topics = (topics + 1e-6) / (topics + 1e-6).sum(axis=1, keepdims=True)
        counts = rng.integers(0, 6, size=V)
        if not counts.sum():
            continue
        plugged = [
            -given_weights(topics, counts, t)[0]
            for t in (best_weight(topics, counts), posterior_mean(topics, alpha, counts))
        ]
        above = bound(topics, alpha, counts, rng.uniform(0.1, 5, size=2), 2)["nats"]
        in_order = [*plugged, exact(topics, alpha, counts), above.min()]
        assert (np.diff(in_order) >= -1e-7).all(), in_order


def test_the_exact_numbers_are_those_of_the_library_and_of_an_integrator():
    question = SET.questions["10.integral"]
    for topics, alpha, counts, draws in (*question.cases, *question.fresh_cases(3)):
        found = question.right(topics, alpha, counts, draws)
        assert found["exact"] == pytest.approx(TopicModel(topics, alpha).exact([counts])[0], rel=1e-9)
    topics, alpha, counts, _ = question.cases[0]

    def density(t):
        return 6 * t * (1 - t) * np.prod((t * topics[0] + (1 - t) * topics[1]) ** counts)

    assert question.right(*question.cases[0])["exact"] == pytest.approx(
        -math.log(integrate.quad(density, 0, 1)[0]), rel=1e-9
    )


def test_the_closed_form_is_that_of_the_library_and_of_the_chain():
    question = SET.questions["10.one-topic"]
    for n1, n2, beta in question.cases:
        found = question.right(n1, n2, beta)
        assert -math.log(found["sequence"]) == pytest.approx(dirichlet_multinomial([[n1, n2]], beta)[0])
        after = dirichlet_multinomial([[n1 + 1, n2]], beta)[0] - dirichlet_multinomial([[n1, n2]], beta)[0]
        assert found["next"] == pytest.approx(math.exp(-after))


def test_a_bound_after_many_steps_is_that_of_the_library():
    question = SET.questions["10.bound"]
    for topics, alpha, counts, gamma, _ in question.cases:
        found = question.right(topics, alpha, counts, gamma, 3000)["nats"][-1]
        assert found == pytest.approx(TopicModel(topics, alpha).bound([counts])[0], abs=1e-4)


def test_two_words_have_the_moments_of_the_weights():
    rng = np.random.default_rng(2)
    for K in (2, 3):
        topics = rng.dirichlet(np.ones(4), size=K)
        drawn = rng.dirichlet(np.ones(K), size=200_000) @ topics
        before, after = before_and_after(topics, 0, 1)
        assert drawn[:, 1].mean() == pytest.approx(before, rel=0.01)
        assert (drawn[:, 0] * drawn[:, 1]).mean() / drawn[:, 0].mean() == pytest.approx(after, rel=0.01)


def test_the_conditional_is_that_of_the_joint_distribution():
    """All topics of a tiny corpus, by enumeration of the collapsed joint."""
    z, docs, words = np.array([0, 1, 0, 1]), np.array([0, 0, 1, 1]), np.array([0, 1, 1, 0])
    K, V, alpha, beta = 2, 3, 0.7, 0.3
    joint = []
    for k in range(K):
        some = np.array([k, *z[1:]])
        n_dk, n_kw = np.zeros((2, K)), np.zeros((K, V))
        np.add.at(n_dk, (docs, some), 1)
        np.add.at(n_kw, (some, words), 1)
        joint.append(dirichlet_multinomial(n_dk, alpha).sum() + dirichlet_multinomial(n_kw, beta).sum())
    expected = np.exp(-np.array(joint))
    found = SET.questions["10.gibbs"].right(z, docs, words, K, V, alpha, beta, np.full(4, 0.5))["p"]
    np.testing.assert_allclose(found, expected / expected.sum(), rtol=1e-12)


def test_the_interval_is_that_of_the_library():
    """The formula of the task and the bootstrap of `compare_scores` agree to within a tenth of the width."""
    from lmcourse.questions.ch10.choosing import _paired

    runs, _ = SET.questions["10.choose"].cases[0]
    one, other = (next(run for run in runs if run["K"] == K) for K in (5, 20))
    scores = [
        [Score(nats=float(x), tokens=int(n)) for x, n in zip(run["nats"], run["words"], strict=True)]
        for run in (one, other)
    ]
    rise, error = _paired(one, other)
    theirs = compare_scores(*scores, seed=1, interval="bootstrap")
    assert rise / math.log(2) == pytest.approx(theirs.difference)
    assert 2 * 1.96 * error / math.log(2) == pytest.approx(theirs.high - theirs.low, rel=0.2)


def test_the_choice_is_not_always_the_same():
    """In visible and fresh inputs it is the best run and another one, and more than one number of topics."""
    question = SET.questions["10.choose"]
    found = [question.right(*case) for case in (*question.cases, *question.fresh_cases(1))]
    assert {one["choice"] == one["best"] for one in found} == {True, False}
    assert len({one["choice"] for one in found}) > 1


@pytest.mark.parametrize(
    ("entry", "says"),
    [
        (([[0.5, 0.6], [0.1, 0.9]], 0, 1), "sum to 1.1, 1"),
        (([[1, 0, 0], [0.5, 0.5, 0]], 2, 0), "never occurs"),
        (([[1.2, -0.2], [0.1, 0.9]], 0, 1), "may not be negative"),
        (([[1.0, 0.0], [0.1, 0.9]], 0, 2), "from 0 to 1"),
        (([[1.0, 0.0], [0.1, 0.9]], 0.5, 1), "from 0 to 1"),
        (([[0.5, 0.5]], 0, 1), "at least two rows"),
        (([[0.5, 0.3, 0.2], [0.5, 0.2, 0.3]], 0, 1), "does not do what is asked. p"),
        ("never", "or give an example"),
        (None, "neither"),
        (([["a", "b"], [0.1, 0.9]], 0, 1), "lists of numbers"),
    ],
)
def test_a_model_that_is_none_is_refused_with_its_reason(entry, says):
    names = dict(SET.names_before["independence"])
    exec(SET.tasks["independence"], names)
    with pytest.raises(WrongAnswer, match=says) as caught:
        check("10.independence", names["examples"] | {"likelier": entry})
    assert caught.value.points == 2


def test_a_word_that_is_moved_or_not_rarer_is_told_so():
    names = dict(SET.names_before["independence"])
    exec(SET.tasks["independence"], names)
    moved = ([[0.21, 0.79, 0.0], [0.2, 0.0, 0.8]], 0, 1)
    with pytest.raises(WrongAnswer, match="has changed"):
        check("10.independence", names["examples"] | {"unmoved": moved})
    with pytest.raises(WrongAnswer, match="not rarer"):
        check("10.independence", names["examples"] | {"itself": ([[0.9, 0.1], [0.1, 0.9]], 1, 1)})
    with pytest.raises(WrongAnswer, match="same word"):
        check("10.independence", names["examples"] | {"itself": ([[0.9, 0.1], [0.1, 0.9]], 0, 1)})


@pytest.mark.parametrize(
    ("key", "entry", "says"),
    [
        ("C", ([[0.5, 0.5], [0.9, 0.1]], 1, 0.5, [1, 1]), "does not refute"),
        ("C", ([[0.5, 0.5], [0.9, 0.1]], 1, 1.5, [1, 1]), "above 0 and below 1"),
        ("C", ([[0.5, 0.5], [0.9, 0.1]], 0, 0.5, [1, 1]), "alpha has to be"),
        ("C", ([[0.5, 0.5], [0.9, 0.1]], 1, 0.5, [1, 1, 1]), "2 whole numbers"),
        ("C", ([[0.5, 0.5], [0.9, 0.1]], 1, 0.5, [0, 0]), "between 1 and 200"),
        ("C", ([[0.5, 0.5]], 1, 0.5, [1, 1]), "two rows"),
        ("C", ([[0.5, 0.6], [0.9, 0.1]], 1, 0.5, [1, 1]), "sum to 1"),
        ("C", ([[1, 0, 0], [0, 1, 0]], 1, 0.5, [1, 0, 1]), "neither topic"),
        ("C", ([[1, 0], [0, 1]], 1, [2, 0]), "has to have the form"),
        ("C", "not always", "or give an example"),
        ("D", ([[1, 0], [0, 1]], 1, [1, 1], [0, 0]), "has no words"),
        ("D", ([[1, 0], [0, 1]], 1, [0, 0], [2, 0]), "does not refute"),
    ],
)
def test_an_example_that_is_none_is_refused_with_its_reason(key, entry, says):
    names = dict(SET.names_before["order"])
    exec(SET.tasks["order"], names)
    with pytest.raises(WrongAnswer, match=says) as caught:
        check("10.order", names["verdict"] | {key: entry})
    assert caught.value.points == 3


def test_what_always_holds_has_no_example_against_it():
    """No document of a grid refutes A or B, rounding errors included."""
    names = dict(SET.names_before["order"])
    exec(SET.tasks["order"], names)
    for counts, alpha in itertools.product(([1, 0], [0, 3], [2, 2], [9, 1], [40, 60]), (0.1, 1, 50)):
        for topics in ([[1, 0], [0, 1]], [[0.5, 0.5], [0.5, 0.5]], [[0.9, 0.1], [0.3, 0.7]]):
            for key in "AB":
                with pytest.raises(WrongAnswer, match="does not refute"):
                    check("10.order", names["verdict"] | {key: (topics, alpha, counts)})
