"""The formulas in theorems and definitions are true: each is computed, on random numbers.

A formula that is not in `FORMULAS` as it stands on the page fails: a changed formula is computed anew before
it is listed here. `READ` has a digest of each box, words included: after a change, read the box as a stranger
would, check what it says, and store the new digest. Held to this are all chapters.
"""

import hashlib
import math
import re
from fractions import Fraction
from itertools import pairwise, product

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.optimize import minimize
from scipy.stats import binom, norm

from lmcourse.files.contents import chapters
from lmcourse.files.places import ROOT
from lmmetrics import Score, coding, score_text
from lmmetrics.information import cross_entropy, entropy, kl_divergence, mutual_information
from lmmetrics.ngram import NGramModel, WittenBell
from lmmetrics.sources import AgreementSource
from lmmetrics.text import tokenize
from lmmetrics.topics import TopicModel

RNG = np.random.default_rng(4)
RNG_09 = np.random.default_rng(9)
Q = RNG.uniform(0.05, 0.9, 12)
"""Probabilities of the tokens of a text."""
ROW = RNG.dirichlet(np.ones(6))
"""A forecast."""
COUNTS = RNG.integers(1, 40, 5)
LOSSES = RNG.uniform(0.5, 6, 5)
"""Tokens and losses of documents."""
VERBS = AgreementSource()
CHOICES = np.array([-1, -1, -1, 1, -1, 1, -1, -1, 1, -1])
"""Ten choices among the tokens of a text of 80: -1 for a right one."""
OLD, NEW = RNG.dirichlet(np.ones(3), 500), RNG.dirichlet(np.ones(3), 500)
"""Forecasts of an old and a new model at the same places."""
CAME = RNG.integers(3, size=500)
BEFORE, AFTER = (Score(float(-np.log(rows[np.arange(500), CAME]).sum()), tokens=500) for rows in (OLD, NEW))
MOVED = OLD.argmax(axis=1) != NEW.argmax(axis=1)
TOP_TWO = np.sort(OLD, axis=1)[:, -2:]
LEAST = (TOP_TWO * np.log(2 * TOP_TWO / TOP_TWO.sum(axis=1, keepdims=True))).sum(axis=1)
"""The least divergence of a model with another first guess."""
NATS = Score(float(-np.log(Q).sum()), tokens=len(Q))
TOPICS, WEIGHTS = RNG.dirichlet(np.ones(5), 3), RNG.dirichlet(np.ones(3), 4)
"""Three topics, and four values that the weights of a document can have."""
PRIOR, ANY = RNG.dirichlet(np.ones(4), 2)
LIKELIHOOD = np.prod((WEIGHTS @ TOPICS) ** COUNTS, axis=1)
POSTERIOR = PRIOR * LIKELIHOOD / (PRIOR @ LIKELIHOOD)
UNITS = coding.quantise(ROW, 10)
"""The forecast as whole numbers that sum to 1,024."""
BOUND = -np.log2(1 - len(ROW) / 2**10)
SHARES = COUNTS / COUNTS.sum()
SLICE_A, OTHER_COUNTS = RNG_09.uniform(0.5, 6, 5), RNG_09.integers(1, 40, 5)
"""Losses of another model on the same kinds of documents, and how many tokens of each it scored."""
RANKS = np.array([(COUNTS[k::2].sum(), np.average(LOSSES[k::2], weights=COUNTS[k::2])) for k in range(2)]).T
"""Tokens and losses of two ranks that share the documents."""
OTHER_ROWS = np.random.default_rng(3).dirichlet(np.ones(5), 500)
"""Relative frequencies of five words, and 500 other forecasts."""
JOINT = np.random.default_rng(1).dirichlet(np.ones(27)).reshape(3, 3, 3)
"""The probability of each text of three words."""
COUNTED = tokenize(["a b a a c b a\na c\nb b c a b\n"])
BIGRAM, TRIGRAM = (NGramModel(order, WittenBell()).fit(COUNTED) for order in (2, 3))
AFTER_A = np.array([1, 2, 2, 1])
"""How often a, b, c and the end of a line follow a in that text."""
PAIRS = np.array([[1, 2, 2, 1], [2, 1, 1, 1], [1, 1, 0, 1], [2, 1, 0, 0]])
"""The same after a, b, c and the start of a line."""
READER = tokenize(["b a c\n"], vocabulary=COUNTED.vocabulary)
DRAWN = tokenize(3 * ["b a c"] + 2 * ["a a c b a"] + ["c"], vocabulary=COUNTED.vocabulary)
DIFFERENT = [tokenize([text], vocabulary=COUNTED.vocabulary) for text in ("b a c", "a a c b a", "c")]
"""Three documents, and six that were drawn from them."""
SYMBOLS = ("a", "b", "c", "</s>")
AFTER_EACH = np.array([[2, 0, 3 + 2, 2], [3 + 2, 0, 0, 0], [0, 2, 0, 3 + 1], [2, 3, 1, 0]])
"""How often each symbol follows a, b, c and the start in the six."""
SHARES_AFTER = AFTER_EACH / AFTER_EACH.sum(axis=1, keepdims=True)
ROWS_AFTER = np.array(
    [BIGRAM.next_distribution((h,))[[COUNTED.vocabulary[x] for x in SYMBOLS]] for h in ("a", "b", "c", "<s>")]
)
ENDS = np.random.default_rng(2).uniform(0.05, 0.9, 40)
"""Probabilities of an end after each word of a text."""


def regret(heads, tosses):
    """Bits of Krichevsky and Trofimov's rule beyond those of the best fixed probability."""
    rule = coding.interval(coding.kt(2), [1] * heads + [0] * (tosses - heads)).width
    best = Fraction(heads, tosses) ** heads * Fraction(tosses - heads, tosses) ** (tosses - heads)
    return math.log2(best / rule)


def penalised_minimum(k):
    """The lowest value of the loss of the counts plus k times the surprisals, found by descent, and where."""

    def loss(z):
        q = np.exp(z - z.max())
        return -(COUNTS @ np.log(q / q.sum())) - k * np.log(q / q.sum()).sum()

    found = minimize(loss, np.zeros(len(COUNTS)), tol=1e-12)
    q = np.exp(found.x - found.x.max())
    return found.fun, q / q.sum()


def gradient_by_complex_step(z, p):
    """The derivative of H(p, softmax(z)) with respect to the first logit."""
    z = z + np.array([1e-20j, 0, 0])
    return ((np.log(np.exp(z).sum()) - p @ z).imag) / 1e-20


def levels(count):
    """In how many steps numbers become one sum, if neighbours are added."""
    steps = 0
    while count > 1:
        count, steps = (count + 1) // 2, steps + 1
    return steps


def mixture(total, variance, rho):
    """The capital of a normal mixture of bets with variance 1 / rho, by quadrature."""

    def bets(x):  # around the most likely bet
        bet = total / (variance + rho) + x / math.sqrt(variance + rho)
        log = bet * total - bet**2 * variance / 2 - rho * bet**2 / 2 + math.log(rho / (2 * math.pi)) / 2
        return math.exp(log) / math.sqrt(variance + rho)

    return quad(bets, -9, 9)[0]


def three_tokens(rows):
    """The probabilities of all texts of three tokens: float64[3, 3, 3]."""
    two = rows[0][:, None] * rows[1:4]
    return two[:, :, None] * rows[4:13].reshape(3, 3, 3)


def pieces_of_ab(longest=9):
    """Masses of sequences of a, b and ab that end with probability 1/2: official (ab joined), and others."""
    probs = {"a": 0.2, "b": 0.2, "ab": 0.1}
    masses, layer = [0.0, 0.0], [((), 0.5)]
    for _ in range(longest + 1):
        for tokens, mass in layer:
            masses[("a", "b") in pairwise(tokens)] += mass
        layer = [((*tokens, t), mass * q) for tokens, mass in layer for t, q in probs.items()]
    return masses


OFFICIAL, OTHERS = pieces_of_ab()
PAGE = Score(float(-np.log(Q).sum()), tokens=12, words=9, chars=41, bytes=47)
REGRETS = np.array([(n, regret(heads, n)) for n in (*range(1, 13), 40) for heads in range(n + 1)]).T


def pooled_loss(losses, counts):
    """The loss of the whole, from scores that are added."""
    scores = [Score(nats=float(c * x), tokens=int(c)) for x, c in zip(losses, counts, strict=True)]
    return sum(scores[1:], start=scores[0]).nats_per("token")


FORMULAS = {
    "01_chain_rule": {
        r"p(x_t \mid x_{<t}) = \frac{p(x_1, \dots, x_t)}{p(x_1, \dots, x_{t-1})}": (
            JOINT[1, 2, 0] / JOINT[1, 2].sum(),  # the share among the texts that start so
            (JOINT / JOINT.sum(axis=2, keepdims=True))[1, 2, 0],
        ),
        r"p(x_1, \dots, x_N) = \prod_{t=1}^{N} p(x_t \mid x_{<t})": (
            JOINT[1, 2, 0],
            JOINT[1].sum() * (JOINT[1, 2].sum() / JOINT[1].sum()) * (JOINT[1, 2, 0] / JOINT[1, 2].sum()),
        ),
        r"q(x_1, \dots, x_N) = \prod_{t=1}^{N} q(x_t \mid x_{<t})": (
            np.exp(BIGRAM.log_probs(READER).sum()),
            np.prod(
                [
                    BIGRAM.next_distribution((before,))[READER.vocabulary[word]]
                    for before, word in zip(["<s>", *"bac"], [*"bac", "</s>"], strict=True)
                ]
            ),
        ),
        r"S_t \le (1 - \delta)^t": (
            len(ENDS),
            (np.cumprod(1 - ENDS) <= (1 - ENDS.min()) ** np.arange(1, 41)).sum(),
        ),
        r"q(x_t \mid x_{<t}) = q(x_t \mid x_{t-n+1}, \dots, x_{t-1})": (
            TRIGRAM.next_distribution(("a", "c", "b", "a"))[0],
            TRIGRAM.next_distribution(("b", "a"))[0],
        ),
    },
    "02_cross_entropy": {
        r"s(q) = -\ln q": (cross_entropy([1, 0], [Q[0], 1 - Q[0]]), -np.log(Q[0])),
        r"H(p, q) = -\sum_{i=1}^{n} p_i \ln q_i": (
            cross_entropy(OLD[0], NEW[0]),
            -(OLD[0] * np.log(NEW[0])).sum(),
        ),
        "H(p) = H(p, p)": (entropy(ROW), cross_entropy(ROW, ROW)),
        "p_i = 0": (-np.log(0.7), cross_entropy([0, 1], [0.3, 0.7])),
        "q_i = 0": (np.inf, cross_entropy([0.5, 0.5], [0, 1])),
        r"H(p, q) / \ln 2": (
            (OLD[0] * -np.log2(NEW[0])).sum(),  # the expected number of bits
            cross_entropy(OLD[0], NEW[0]) / np.log(2),
        ),
        r"L = -\frac{1}{N} \sum_{t=1}^{N} \ln q_t": (NATS.nats_per("token"), -np.log(Q).sum() / len(Q)),
        r"p(h) = \mathbb{E}[C(h)] / \mathbb{E}[M]": (
            AFTER_EACH[0].sum() / AFTER_EACH.sum(),
            np.dot([3, 2, 1], [1, 3, 0]) / np.dot([3, 2, 1], [len(text) for text in DIFFERENT]),
        ),
        r"p_h(x) = \mathbb{E}[C(h, x)] / \mathbb{E}[C(h)]": (
            SHARES_AFTER[0, 2],
            np.dot([3, 2, 1], [1, 1, 0]) / np.dot([3, 2, 1], [1, 3, 0]),
        ),
        r"\bar H(p, q) = \sum_h p(h) \, H(p_h, q_h)": (
            OLD[0] @ cross_entropy(OLD[1:4], NEW[1:4]),
            cross_entropy((OLD[0][:, None] * OLD[1:4]).ravel(), (OLD[0][:, None] * NEW[1:4]).ravel())
            - entropy(OLD[0]),  # of pairs, less that of their first halves, which the model knows
        ),
        r"\frac{\mathbb{E}[-\ln q(X)]}{\mathbb{E}[M]} = \bar H(p, q)": (
            score_text(BIGRAM, DRAWN).nats_per("token"),
            np.dot([3, 2, 1], [-BIGRAM.log_probs(text).sum() for text in DIFFERENT])
            / np.dot([3, 2, 1], [len(text) for text in DIFFERENT]),
            AFTER_EACH.sum(axis=1) / AFTER_EACH.sum() @ -(SHARES_AFTER * np.log(ROWS_AFTER)).sum(axis=1),
        ),
        "q = p": (  # the value there, and how many other models of 500 are above it
            500,
            (cross_entropy(OLD[0], NEW) > cross_entropy(OLD[0], OLD[0])).sum(),
        ),
        r"q = \operatorname{softmax}(z)": (
            ROW[0],
            np.exp(np.log(ROW) + 2)[0] / np.exp(np.log(ROW) + 2).sum(),
        ),
        r"\frac{\partial H(p, q)}{\partial z_k} = q_k - p_k": (
            (NEW[0] - OLD[0])[0],
            gradient_by_complex_step(np.log(NEW[0]), OLD[0]),
        ),
    },
    "03_kl_decomposition": {
        r"D(p \,\Vert\, q) = \sum_{i=1}^{n} p_i \ln \frac{p_i}{q_i} \quad \text{nats.}": (
            kl_divergence(OLD[0], NEW[0]),
            sum(p * math.log(p / q) for p, q in zip(OLD[0], NEW[0], strict=True)),
        ),
        "p_i = 0": (
            kl_divergence([0.4, 0.6, 0], OLD[0]),
            kl_divergence([0.4, 0.6], OLD[0, :2] / OLD[0, :2].sum()) - math.log(OLD[0, :2].sum()),
        ),
        "q_i = 0": (1, int(math.isinf(kl_divergence(OLD[0], [0.4, 0.6, 0])))),
        r"H(p, q) = H(p) + D(p \,\Vert\, q)": (
            cross_entropy(OLD[0], NEW[0]),
            entropy(OLD[0]) + kl_divergence(OLD[0], NEW[0]),
        ),
        "p = q": (kl_divergence(ROW, ROW), 0.0),
        r"D\bigl(p(x, y) \,\Vert\, q(x, y)\bigr) = D\bigl(p(x) \,\Vert\, q(x)\bigr) "
        r"+ \sum_x p(x) \, D\bigl(p(y | x) \,\Vert\, q(y | x)\bigr)": (
            kl_divergence((OLD[0][:, None] * OLD[1:4]).ravel(), (NEW[0][:, None] * NEW[1:4]).ravel()),
            kl_divergence(OLD[0], NEW[0]) + OLD[0] @ kl_divergence(OLD[1:4], NEW[1:4]),
        ),
        r"D\bigl(p(x_{1:N}) \,\Vert\, q(x_{1:N})\bigr) = \sum_{t=1}^{N} "
        r"\mathop{\mathbb{E}}_{x_{<t} \sim p} D\bigl(p(\cdot | x_{<t}) \,\Vert\, q(\cdot | x_{<t})\bigr)": (
            kl_divergence(three_tokens(OLD).ravel(), three_tokens(NEW).ravel()),
            kl_divergence(OLD[0], NEW[0])
            + OLD[0] @ kl_divergence(OLD[1:4], NEW[1:4])
            + three_tokens(OLD).sum(axis=2).ravel() @ kl_divergence(OLD[4:13], NEW[4:13]),
        ),
        r"I(X; C) = H(X) - {H(X \mid C)}": (
            mutual_information(OLD[0][:, None] * OLD[1:4]),
            entropy(OLD[0] @ OLD[1:4]) - OLD[0] @ entropy(OLD[1:4]),
        ),
        r"I(X; C) = D\bigl(p(c, x) \,\Vert\, p(c)\, p(x)\bigr) "
        r"= \sum_c p(c) \, D\bigl(p(x | c) \,\Vert\, p(x)\bigr)": (
            mutual_information(OLD[0][:, None] * OLD[1:4]),
            kl_divergence((OLD[0][:, None] * OLD[1:4]).ravel(), np.outer(OLD[0], OLD[0] @ OLD[1:4]).ravel()),
            OLD[0] @ kl_divergence(OLD[1:4], OLD[0] @ OLD[1:4]),
        ),
    },
    "04_perplexity": {
        r"\begin{aligned} \mathrm{PPL} &= e^{L} \\ &= \exp\Bigl( -\frac{1}{N} \sum_{t=1}^{N} \ln q_t \Bigr) ."
        r" \end{aligned}": (
            NATS.perplexity,
            np.exp(NATS.nats_per("token")),
            np.exp(-np.log(Q).sum() / len(Q)),
        ),
        r"\bigl( \prod_t q_t \bigr)^{-1/N}": (NATS.perplexity, np.prod(Q) ** (-1 / len(Q))),
        "1/q_t": (NATS.perplexity, np.prod(1 / Q) ** (1 / len(Q))),
        r"H_t = -\sum_x q(x \mid x_{<t}) \ln q(x \mid x_{<t})": (entropy(ROW), -(ROW * np.log(ROW)).sum()),
        "e^{H_t}": (np.exp(entropy(np.full(7, 1 / 7))), 7),
        r"\mathrm{PPL} = \exp\Bigl( \frac{\sum_d N_d L_d}{\sum_d N_d} \Bigr)": (
            sum(Score(n * x, tokens=int(n)) for n, x in zip(COUNTS, LOSSES, strict=True)).perplexity,
            np.exp((COUNTS * LOSSES).sum() / COUNTS.sum()),
        ),
        "R_d = e^{L_d}": (np.exp(LOSSES[0]), Score(COUNTS[0] * LOSSES[0], tokens=int(COUNTS[0])).perplexity),
        r"N = \sum_d N_d": (COUNTS.sum(), sum(COUNTS.tolist())),
        "N_d / N": (
            np.exp((COUNTS * LOSSES).sum() / COUNTS.sum()),
            np.prod(np.exp(LOSSES) ** (COUNTS / COUNTS.sum())),
        ),
    },
    "05_ppl_bpc_conversion": {
        r"\begin{aligned} B_u &= \frac{N L}{n_u \ln 2}, \\[4pt] "
        r"\mathrm{PPL}_u &= \exp \frac{N L}{n_u} . \end{aligned}": (
            PAGE.bits_per("char"),
            len(Q) * -np.log(Q).mean() / (41 * np.log(2)),
            np.log2(PAGE.perplexity_per("char")),
        ),
        r"\begin{aligned} \mathrm{PPL}_a &= \mathrm{PPL}_b^{\,n_b / n_a}, \\[4pt] "
        r"B_a &= B_b \cdot \frac{n_b}{n_a} . \end{aligned}": (
            PAGE.perplexity_per("word"),
            PAGE.perplexity_per("byte") ** (47 / 9),
            2 ** (PAGE.bits_per("byte") * 47 / 9),
        ),
        r"\sum_x q(\tau(x)) \le 1": (1 - 0.5**10, OFFICIAL + OTHERS, max(OFFICIAL, OFFICIAL + OTHERS)),
        r"-\ln \sum_{s} q(s)": (  # the text "ab": by one token, or by two
            -np.log(0.1 * 0.5 + 0.2 * 0.2 * 0.5),
            min(-np.log(0.1 * 0.5), -np.log(0.1 * 0.5 + 0.2 * 0.2 * 0.5)),
        ),
    },
    "06_ngram_models": {
        r"N = \sum_i c_i > 0": (COUNTS.sum(), sum(map(int, COUNTS))),
        r"\prod_i q_i^{c_i}": (
            math.prod(q**c for q, c in zip(ROW[:5], COUNTS.tolist(), strict=True)),
            np.exp(COUNTS @ np.log(ROW[:5])),
        ),
        r"q_i = \frac{c_i}{N}": (  # how many of 500 other rows have a lower likelihood
            500,
            (np.log(OLD) @ AFTER_A[:3] < np.log(AFTER_A[:3] / AFTER_A[:3].sum()) @ AFTER_A[:3]).sum(),
        ),
        r"q(w \mid h) = m_h(w) + \gamma(h)\, b(w)": (
            BIGRAM.next_distribution(("a",))[COUNTED.vocabulary["b"]],
            2 / 10 + 4 / 10 * BIGRAM.next_distribution()[COUNTED.vocabulary["b"]],
        ),
        r"\gamma(h) = 1 - \sum_w m_h(w)": (4 / 10, 1 - (AFTER_A / 10).sum()),
        r"\frac{r + 1}{N + 1}\; \mathbb{E}_{N+1}[n_{r+1}]": (
            ROW @ binom.pmf(2, 10, ROW),
            3 / 11 * binom.pmf(3, 11, ROW).sum(),
        ),
        r"q(w) = \frac{a_w}{a}": (
            (PAIRS[:, 2] > 0).sum() / (PAIRS > 0).sum(),
            (PAIRS[:, 2].sum() - np.maximum(PAIRS[:, 2] - 0.6, 0).sum()) / (0.6 * (PAIRS > 0).sum()),
        ),
    },
    "07_neural_models": {
        "q_k = c_k / c": (  # how many of 500 other rows have a higher loss
            500,
            (cross_entropy(SHARES, OTHER_ROWS) > entropy(SHARES)).sum(),
        ),
    },
    "08_ngram_versus_neural": {
        r"\sum_i c_i (-\ln q_i) + k \sum_i (-\ln q_i)": (
            penalised_minimum(0.3)[0],
            -(COUNTS + 0.3) @ np.log((COUNTS + 0.3) / (COUNTS.sum() + 1.5)),
        ),
        r"q_i = \frac{c_i + k}{N + k n}": (
            round(penalised_minimum(0.3)[1][0], 5),
            round((COUNTS[0] + 0.3) / (COUNTS.sum() + 0.3 * len(COUNTS)), 5),
        ),
        r"q_\lambda = \lambda\, q_1 + (1 - \lambda)\, q_2": (
            1.0,
            (0.3 * OLD[0] + 0.7 * NEW[0]).sum(),
        ),
        r"\ln \frac{1}{\lambda}": (np.log(0.4) - np.log(0.25 * 0.4 + 0.75 * 0), np.log(1 / 0.25)),
        r"\ln \frac{1}{1 - \lambda}": (np.log(0.4) - np.log(0.25 * 0 + 0.75 * 0.4), np.log(1 / (1 - 0.25))),
        "q_1 / q_2": (  # the slope of the mean loss at lambda = 0, by a complex step
            -np.log(NEW[0] + 1e-30j * (OLD[0] - NEW[0])).imag.mean() / 1e-30,
            1 - (OLD[0] / NEW[0]).mean(),
        ),
    },
    "09_evaluation_protocols": {
        r"\mathrm{PPL} = \mathrm{PPL}_0 \, e^{-\varepsilon (c_0 - c_1)}": (
            np.exp(np.append(SLICE_A, 2.5) @ np.append(SHARES * 0.7, 0.3)),
            np.exp(np.append(SLICE_A, 4.0) @ np.append(SHARES * 0.7, 0.3)) * np.exp(-0.3 * (4.0 - 2.5)),
        ),
        r"\begin{aligned} L_A - L_B ={}& \sum_s a_s (L_{A,s} - L_{B,s}) "
        r"\\ &+ \sum_s (a_s - b_s) L_{B,s} . \end{aligned}": (
            pooled_loss(SLICE_A, COUNTS) - pooled_loss(LOSSES, OTHER_COUNTS),
            SHARES @ (SLICE_A - LOSSES) + (SHARES - OTHER_COUNTS / OTHER_COUNTS.sum()) @ LOSSES,
        ),
        r"\mu - \sigma / \sqrt{\pi}": (
            3 + 0.4 * quad(lambda v: 2 * v * norm.pdf(v) * norm.sf(v), -12, 12, epsabs=1e-14)[0],
            3 - 0.4 / np.sqrt(np.pi),  # above: by the density of the lower of two
        ),
    },
    "10_topic_models": {
        r"p(w \mid \theta_d) = \sum_{k=1}^{K} \theta_{dk}\, \phi_{kw}": (
            TopicModel(TOPICS, 1).mixture(WEIGHTS)[2, 4],
            sum(WEIGHTS[2, k] * TOPICS[k, 4] for k in range(3)),
        ),
        r"-\ln p(d) = \mathbb{E}_q[-\ln p(d \mid \theta)] + D(q \,\Vert\, \text{prior}) "
        r"- D(q \,\Vert\, \text{posterior})": (
            -np.log(PRIOR @ LIKELIHOOD),
            ANY @ -np.log(LIKELIHOOD) + kl_divergence(ANY, PRIOR) - kl_divergence(ANY, POSTERIOR),
        ),
    },
    "11_compression": {
        "2^{-L}": (float(coding.interval(lambda prefix: [Fraction(1, 2)] * 2, [0, 1, 1, 0, 1]).width), 2**-5),
        "2^b - V": ((UNITS - 1).sum(), 2**10 - len(ROW)),
        r"-\log_2 (1 - V / 2^b)": (
            len(ROW),  # no symbol costs more
            (np.log2(ROW / (UNITS / 2**10)) <= BOUND).sum(),
        ),
        r"\frac{V}{2^b} \log_2 e": (-np.log1p(-6 / 2**50) / np.log(2), 6 / 2**50 * np.log2(np.e)),
        r"\frac12 \log_2 n + 1": (len(REGRETS[0]), (np.log2(REGRETS[0]) / 2 + 1 + 1e-12 >= REGRETS[1]).sum()),
        "n = 1": (np.log2(1) / 2 + 1, regret(0, 1), regret(1, 1)),
    },
    "12_models_that_change": {
        r"\frac1N \sum_t \ln \frac{q(x_t \mid x_{<t})}{\tilde q(x_t \mid x_{<t})}": (
            np.log(AFTER.perplexity / BEFORE.perplexity),
            np.log((OLD / NEW)[np.arange(500), CAME]).mean(),
        ),
        r"\frac1N \sum_t D\bigl(q(\cdot \mid x_{<t}) \,\Vert\, \tilde q(\cdot \mid x_{<t})\bigr)": (
            np.mean([kl_divergence(q, r) for q, r in zip(OLD, NEW, strict=True)]),
            (OLD * np.log(OLD / NEW)).sum(axis=1).mean(),
        ),
        r"\begin{aligned} &H(p, \tilde q) - H(p, q) \\ &= D(q \,\Vert\, \tilde q) \\ "
        r"&+ \sum_i (p_i - q_i) \ln \frac{q_i}{\tilde q_i} . \end{aligned}": (
            cross_entropy(OLD[2], NEW[0]) - cross_entropy(OLD[2], OLD[0]),
            kl_divergence(OLD[0], NEW[0]) + ((OLD[2] - OLD[0]) * np.log(OLD[0] / NEW[0])).sum(),
        ),
        r"\tilde q = q": (kl_divergence(ROW, ROW), 0.0),
        r"\begin{aligned} D(q \,\Vert\, \tilde q) &\ge a \ln \frac{2a}{a + b} + b \ln \frac{2b}{a + b} \\ "
        r"&\ge \frac{(a - b)^2}{2} . \end{aligned}": (
            MOVED.sum(),  # it holds at every place where the first guess differs
            ((OLD * np.log(OLD / NEW)).sum(axis=1) >= LEAST)[MOVED].sum(),
            (np.diff(TOP_TWO).ravel() ** 2 / 2 <= LEAST)[MOVED].sum(),
        ),
        r"\frac{a + b}{2}": (  # the least divergence, with both at their mean and the third as it was
            LEAST.sum(),
            sum(kl_divergence(q, np.where(q == q.min(), q, (q.sum() - q.min()) / 2)) for q in OLD),
        ),
        r"\ln \frac{1}{1 - \lambda}": (
            -np.log((1 - 0.3) * Q + 0.3 * 0).mean() + np.log(Q).mean(),  # the second model gives 0 to all
            np.log(1 / (1 - 0.3)),
        ),
    },
    "13_limits_of_perplexity": {
        r"a \;\ge\; 1 - L_s \;\ge\; 1 - L / s": (
            (CHOICES < 0).mean(),  # right ones are certain, wrong ones barely wrong: in the limit, equalities
            1 - -np.log2(np.where(CHOICES < 0, 1, 0.5)).mean(),
            1 - -np.log2(np.where(CHOICES < 0, 1, 0.5)).sum() / 80 / (10 / 80),
        ),
        r"a \ge \max(0, 1 - \Delta / s)": (
            1 - 0.3,  # a model that is barely wrong at 3 verbs in 10; order 5 loses as much at every verb
            max(0, 1 - 0.3 * VERBS.excess(5) / np.log(2) / (1 / VERBS.block_length)),
        ),
        r"\sum_i p_i \ln (p_1/p_i) > 0": (
            entropy(ROW) + np.log(ROW.max()),
            (ROW * np.log(ROW.max() / ROW)).sum(),
        ),
    },
    "14_evaluation_at_scale": {
        r"\sum_r N_r": (COUNTS.sum(), RANKS[0].sum()),
        r"\sum_r N_r L_r": (COUNTS @ LOSSES, RANKS[0] @ RANKS[1]),
        r"\frac{1}{W} \sum_r L_r = L - \mathrm{Cov}(N_r, L_r) / \bar N": (
            RANKS[1].mean(),
            np.average(LOSSES, weights=COUNTS) - np.cov(*RANKS, bias=True)[0, 1] / RANKS[0].mean(),
        ),
        r"\displaystyle \frac{N_d \, (L_d - L)}{N + N_d}": (
            np.average([*LOSSES, LOSSES[2]], weights=[*COUNTS, COUNTS[2]])
            - np.average(LOSSES, weights=COUNTS),
            COUNTS[2] * (LOSSES[2] - np.average(LOSSES, weights=COUNTS)) / (COUNTS.sum() + COUNTS[2]),
        ),
        r"-\displaystyle \frac{N_d \, (L_d - L)}{N - N_d}": (
            np.average(LOSSES[:4], weights=COUNTS[:4]) - np.average(LOSSES, weights=COUNTS),
            -COUNTS[4] * (LOSSES[4] - np.average(LOSSES, weights=COUNTS)) / (COUNTS.sum() - COUNTS[4]),
        ),
        r"m = \lceil \log_2 N \rceil": (
            sum(levels(n) for n in range(1, 300)),
            sum(math.ceil(math.log2(n)) for n in range(1, 300)),
        ),
        r"v_n = n \sigma^2": (
            np.var([sum(signs) for signs in product((-0.7, 0.7), repeat=9)]),  # all sums of nine
            9 * 0.7**2,
        ),
        r"\Delta_n^2 \ge (v_n + \rho) \ln \dfrac{v_n + \rho}{\rho \, \alpha^2}": (
            900,  # the capital has reached 1 / alpha exactly then
            sum(
                (mixture(d, v, 2.5) >= 1 / 0.05)
                == (d**2 >= (v + 2.5) * math.log((v + 2.5) / (2.5 * 0.05**2)))
                for d in np.linspace(-30, 30, 30)
                for v in np.linspace(0.1, 60, 30)
            ),
        ),
    },
}
"""Chapter to formula to values that have to agree: what the library computes, and what the formula says."""

P, P_OLD, P_NEW = RNG.dirichlet(np.ones(6), 3)
BOARDS = {
    "01_chain_rule": {
        r"\frac{p(x_1)}{1} \cdot \frac{p(x_1, x_2)}{p(x_1)} \cdot \frac{p(x_1, x_2, x_3)}{p(x_1,"
        r" x_2)} = p(x_1, x_2, x_3)": (
            JOINT[1].sum() * (JOINT[1, 2].sum() / JOINT[1].sum()) * (JOINT[1, 2, 0] / JOINT[1, 2].sum()),
            JOINT[1, 2, 0],
        ),
        r"\sum_{t=1}^{N} (S_{t-1} - S_t) = 1 - S_N": (
            -np.diff(np.cumprod([1, *(1 - ENDS)])).sum(),
            1 - np.prod(1 - ENDS),
        ),
    },
    "02_cross_entropy": {
        r"\sum_x \frac{c(hx) + T(h)\,q_{n-1}(x \mid h')}{c(h) + T(h)} = \frac{c(h) + T(h) \cdot"
        r" 1}{c(h) + T(h)} = 1": (
            ((COUNTS + 5 * COUNTS[::-1] / COUNTS.sum()) / (COUNTS.sum() + 5)).sum(),
            1,
        ),
    },
    "03_kl_decomposition": {
        r"\underbrace{H(p, q)}_{\text{loss}} = \underbrace{H(p)}_{\text{floor}} + \underbrace{D(p"
        r" \,\Vert\, q)}_{\text{excess}}": (
            cross_entropy(P_OLD, P_NEW),
            entropy(P_OLD) + kl_divergence(P_OLD, P_NEW),
        ),
        r"-D(p \,\Vert\, q) = \sum_i p_i \ln \frac{q_i}{p_i} \le \sum_i p_i \Bigl( \frac{q_i}{p_i} -"
        r" 1 \Bigr) \le 1 - 1 = 0": (
            -kl_divergence(P_OLD, P_NEW),
            (P_OLD * np.log(P_NEW / P_OLD)).sum(),
            min((P_OLD * np.log(P_NEW / P_OLD)).sum(), (P_OLD * (P_NEW / P_OLD - 1)).sum(), 0.0),
        ),
    },
    "04_perplexity": {
        r"\frac{N_1 L_1 + N_2 L_2}{N_1 + N_2} - \frac{L_1 + L_2}{2} = \frac{(N_1 - N_2)(L_1 -"
        r" L_2)}{2\,(N_1 + N_2)}": (
            np.average(LOSSES[:2], weights=COUNTS[:2]) - LOSSES[:2].mean(),
            (COUNTS[0] - COUNTS[1]) * (LOSSES[0] - LOSSES[1]) / (2 * (COUNTS[0] + COUNTS[1])),
        ),
    },
    "05_ppl_bpc_conversion": {
        r"\mathrm{PPL}_a = e^{N L/n_a} = e^{\frac{N L}{n_b}\cdot\frac{n_b}{n_a}} ="
        r" \mathrm{PPL}_b^{\,n_b/n_a}": (
            np.exp(NATS.nats / 5),
            np.exp(NATS.nats / 7 * 7 / 5),
            np.exp(NATS.nats / 7) ** (7 / 5),
        ),
    },
    "06_ngram_models": {},
    "07_neural_models": {
        r"\frac{\partial}{\partial z_g} \Bigl( c \ln \sum_j e^{z_j} - \sum_j c_j z_j \Bigr) = c\,q_g"
        r" - c_g": (
            COUNTS[:3].sum() * OLD[0, 0] - COUNTS[0],
            COUNTS[:3].sum() * gradient_by_complex_step(np.log(OLD[0]), COUNTS[:3] / COUNTS[:3].sum()),
        ),
    },
    "08_ngram_versus_neural": {},
    "09_evaluation_protocols": {
        r"\mathrm{PPL} = \mathrm{PPL}_0 \, e^{-\varepsilon (c_0 - c_1)}": (
            60 * np.exp(-0.1 * 2),
            np.exp(0.9 * np.log(60) + 0.1 * (np.log(60) - 2)),
        ),
    },
    "10_topic_models": {
        r"\ln p(d) = \mathbb{E}_q \ln \frac{p(d \mid \theta)\,"
        r" \text{prior}(\theta)}{\text{posterior}(\theta)}"
        r" = \mathbb{E}_q \ln p(d \mid \theta) - D(q \,\Vert\, \text{prior}) + D(q \,\Vert\,"
        r" \text{posterior})": (
            np.log(PRIOR @ LIKELIHOOD),
            ANY @ np.log(LIKELIHOOD * PRIOR / POSTERIOR),
            ANY @ np.log(LIKELIHOOD) - kl_divergence(ANY, PRIOR) + kl_divergence(ANY, POSTERIOR),
        ),
    },
    "11_compression": {
        r"2 \cdot 2^{-L} \le q \quad\Longleftrightarrow\quad L \ge -\log_2 q + 1": (
            9 * len(Q),
            sum((2 * 2.0**-k <= q) == (k >= -np.log2(q) + 1) for q in Q for k in range(9)),
        ),
    },
    "12_models_that_change": {
        r"\sum_i p_i \ln \frac{q_i}{\tilde q_i} = \sum_i q_i \ln \frac{q_i}{\tilde q_i} + \sum_i (p_i"
        r" - q_i) \ln \frac{q_i}{\tilde q_i}": (
            P @ np.log(P_OLD / P_NEW),
            kl_divergence(P_OLD, P_NEW) + (P - P_OLD) @ np.log(P_OLD / P_NEW),
        ),
    },
    "13_limits_of_perplexity": {
        r"\Delta \;\ge\; s\,(1 - a) \text{ bits}, \qquad\text{so}\qquad a \;\ge\; 1 - \Delta / s": (
            (CHOICES < 0).mean(),  # right ones are certain, wrong ones barely wrong: in the limit, equalities
            1 - -np.log2(np.where(CHOICES < 0, 1, 0.5)).sum() / 80 / (10 / 80),
        ),
    },
    "14_evaluation_at_scale": {
        r"\frac1W \sum_r L_r = L - \frac{\mathrm{Cov}(N_r, L_r)}{\bar N}": (
            RANKS[1].mean(),
            np.average(LOSSES, weights=COUNTS) - np.cov(*RANKS, bias=True)[0, 1] / RANKS[0].mean(),
        ),
    },
}
"""Chapter to what its lesson plan displays, which a lecturer writes on the board, and the values."""

READ = {
    "01_chain_rule": {
        "def-01-conditional": "6f2a392a",
        "thm-01-chain": "3c0b3476",
        "def-01-language-model": "413b32a9",
        "thm-01-mass": "19e74208",
        "def-01-markov": "c4da7dbe",
    },
    "02_cross_entropy": {
        "def-surprisal": "3b99fe58",
        "def-cross-entropy": "ea67d195",
        "thm-code-length": "6e00348f",
        "thm-proper": "a9e3506e",
        "def-loss": "8e635cf1",
        "def-02-conditional": "dc22964e",
        "thm-lln": "0cb4eb66",
        "thm-02-documents": "dd8970a0",
        "thm-softmax-gradient": "85e87578",
    },
    "03_kl_decomposition": {
        "def-03-kl": "831d2d1a",
        "thm-03-decomposition": "1ff5422c",
        "thm-03-gibbs": "ff560538",
        "thm-03-chain": "32ce5b0b",
        "def-03-mi": "b07a01e7",
        "thm-03-mi": "5f3d11ce",
    },
    "04_perplexity": {
        "def-04-perplexity": "e7db2b13",
        "thm-04-faces": "67887503",
        "thm-04-range": "abc3c8d0",
        "def-04-step": "38c396ed",
        "thm-04-steps": "199090a7",
        "thm-04-slope": "21b8a0d4",
        "def-04-pooled": "c36783ce",
        "thm-04-pooling": "b02a5b91",
    },
    "05_ppl_bpc_conversion": {
        "def-05-per-unit": "3e03be7c",
        "thm-05-conversion": "d7d97dc1",
        "thm-05-invariance": "5fef352f",
    },
    "06_ngram_models": {
        "thm-06-mle": "2dfe234f",
        "thm-06-shape": "a61a3061",
        "thm-06-good-turing": "ed3190fd",
        "thm-06-em": "e1b33f46",
        "thm-06-kneser-ney": "c966b972",
    },
    "07_neural_models": {
        "thm-07-bigram": "0dd5a8cc",
    },
    "08_ngram_versus_neural": {
        "thm-08-prior": "8aa5e381",
        "thm-08-mixture": "49bf453a",
    },
    "09_evaluation_protocols": {
        "def-09-card": "56626f0d",
        "thm-09-split": "3bda689b",
        "thm-09-leak": "33231480",
        "thm-09-slices": "8e74c171",
        "thm-09-looks": "faa788a9",
        "def-09-golden": "2be54ed7",
    },
    "10_topic_models": {
        "def-10-topics": "a5e284b4",
        "thm-10-exchangeable": "f78e3314",
        "thm-10-order": "bfd4fa50",
    },
    "11_compression": {
        "def-11-code": "a2571c32",
        "thm-11-length": "24d06f07",
        "thm-11-rounding": "ce4d96e3",
        "thm-11-kt": "30883bd9",
    },
    "12_models_that_change": {
        "def-12-change": "2a8a84b7",
        "thm-12-change": "ad954d1e",
        "thm-12-guess": "8fa05637",
        "thm-12-mixture": "20e523db",
    },
    "13_limits_of_perplexity": {
        "def-13-intrinsic": "e0e423fd",
        "thm-13-frontier": "fc8e3702",
        "thm-13-counts": "7209c67a",
        "thm-13-typical": "3d46aeb3",
    },
    "14_evaluation_at_scale": {
        "def-14-reduction": "a1b14b12",
        "thm-14-totals": "4855e55e",
        "thm-14-repeat": "3006b2b4",
        "thm-14-digits": "f998c210",
        "thm-14-sequence": "900b1a47",
    },
}
"""Chapter to label to digest of a box that was read."""

BOX = re.compile(r"^(`{3,})\{prf:(?:theorem|definition|lemma|corollary)\}.*?^\1 *$", re.MULTILINE | re.DOTALL)
FORMULA = re.compile(r"\$\$(.+?)\$\$|\$([^$]+)\$", re.DOTALL)
SUBSTANCE = re.compile(r"=|\\frac|\\sum|\\prod|\^|/")
NAMES = re.compile(r"d = 1, \\dots, D|\\beta = 1|x_\{<t\} = x_1, \\dots, x_\{t-1\}")
"""What introduces an index or a value, and states nothing."""


@pytest.mark.parametrize("stem", chapters(ROOT))
def test_every_formula_of_a_box_is_computed(stem):
    page = (ROOT / "book" / f"{stem}.md").read_text(encoding="utf-8")
    found = [
        " ".join((displayed or inline).split()).rstrip(" .,")
        for box in BOX.finditer(page)
        for displayed, inline in FORMULA.findall(box[0])
    ]
    stated = {formula for formula in found if SUBSTANCE.search(formula) and not NAMES.fullmatch(formula)}
    assert stated == set(FORMULAS[stem]), "compute the formula as the page states it, and list it in FORMULAS"


@pytest.mark.parametrize("stem", chapters(ROOT))
def test_every_formula_on_the_board_is_computed(stem):
    plan = (ROOT / "book" / "instructors" / f"{stem}.md").read_text(encoding="utf-8")
    displayed = {
        " ".join(formula.split()).rstrip(" .,") for formula in re.findall(r"\$\$(.+?)\$\$", plan, re.DOTALL)
    }
    assert displayed == set(BOARDS[stem]), "compute the formula as the plan states it, and list it in BOARDS"


@pytest.mark.parametrize("stem", chapters(ROOT))
def test_every_box_was_read_as_it_is(stem):
    page = (ROOT / "book" / f"{stem}.md").read_text(encoding="utf-8")
    boxes = {re.search(r":label: (\S+)", box[0])[1]: digest(box[0]) for box in BOX.finditer(page)}
    assert boxes == READ[stem], "read the boxes that differ, check what they say, and store their digests"


def digest(box):
    return hashlib.sha256(" ".join(box.split()).encode()).hexdigest()[:8]


@pytest.mark.parametrize(
    ("listed", "stem", "formula"),
    [
        (listed, stem, f)
        for listed in (FORMULAS, BOARDS)
        for stem, formulas in listed.items()
        for f in formulas
    ],
    ids=lambda part: "" if isinstance(part, dict) else None,
)
def test_what_a_formula_says_is_so(listed, stem, formula):
    first, *others = listed[stem][formula]
    assert others and others == pytest.approx([first] * len(others), rel=1e-12)
