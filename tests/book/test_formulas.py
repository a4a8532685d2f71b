"""The formulas in theorems and definitions are true: each is computed, on random numbers.

A formula that is not in `FORMULAS` as it stands on the page fails: a changed formula is computed anew before
it is listed here. `READ` has a digest of each box, words included: after a change, read the box as a stranger
would, check what it says, and store the new digest. Held to this are the chapters of the second pattern.
"""

import hashlib
import math
import re
from fractions import Fraction

import numpy as np
import pytest

from lmcourse.files.places import ROOT
from lmcourse.site.extensions.chapter_length import CONVERTED
from lmmetrics import Score, coding
from lmmetrics.information import cross_entropy, entropy, kl_divergence
from lmmetrics.sources import AgreementSource
from lmmetrics.topics import TopicModel

RNG = np.random.default_rng(4)
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
GAPS = np.diff(np.sort(OLD, axis=1)[:, -2:], axis=1).ravel()
NATS = Score(float(-np.log(Q).sum()), tokens=len(Q))
TOPICS, WEIGHTS = RNG.dirichlet(np.ones(5), 3), RNG.dirichlet(np.ones(3), 4)
"""Three topics, and four values that the weights of a document can have."""
PRIOR, ANY = RNG.dirichlet(np.ones(4), 2)
LIKELIHOOD = np.prod((WEIGHTS @ TOPICS) ** COUNTS, axis=1)
POSTERIOR = PRIOR * LIKELIHOOD / (PRIOR @ LIKELIHOOD)
UNITS = coding.quantise(ROW, 10)
"""The forecast as whole numbers that sum to 1,024."""
BOUND = -np.log2(1 - len(ROW) / 2**10)


def regret(heads, tosses):
    """Bits of Krichevsky and Trofimov's rule beyond those of the best fixed probability."""
    rule = coding.interval(coding.kt(2), [1] * heads + [0] * (tosses - heads)).width
    best = Fraction(heads, tosses) ** heads * Fraction(tosses - heads, tosses) ** (tosses - heads)
    return math.log2(best / rule)


REGRETS = np.array([regret(heads, 40) for heads in range(41)])

FORMULAS = {
    "04_perplexity": {
        r"\mathrm{PPL} = e^{L} = \exp\Bigl( -\frac{1}{N} \sum_{t=1}^{N} \ln q_t \Bigr)": (
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
        "2^b": (UNITS.sum(), 2**10),
        r"-\log_2 (1 - V / 2^b)": (
            len(ROW),  # no symbol costs more
            (np.log2(ROW / (UNITS / 2**10)) <= BOUND).sum(),
        ),
        r"\frac{V}{2^b} \log_2 e": (-np.log1p(-6 / 2**50) / np.log(2), 6 / 2**50 * np.log2(np.e)),
        r"\frac12 \log_2 n + 1": (41, (np.log2(40) / 2 + 1 >= REGRETS).sum()),
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
        r"H(p, \tilde q) - H(p, q) \;=\; D(q \,\Vert\, \tilde q) "
        r"+ \sum_i (p_i - q_i) \ln \frac{q_i}{\tilde q_i}": (
            cross_entropy(OLD[2], NEW[0]) - cross_entropy(OLD[2], OLD[0]),
            kl_divergence(OLD[0], NEW[0]) + ((OLD[2] - OLD[0]) * np.log(OLD[0] / NEW[0])).sum(),
        ),
        r"\tilde q = q": (kl_divergence(ROW, ROW), 0.0),
        r"D(q \,\Vert\, \tilde q) \ge g^2 / 2": (
            MOVED.sum(),  # it holds at every place where the first guess differs
            ((OLD * np.log(OLD / NEW)).sum(axis=1) >= GAPS**2 / 2)[MOVED].sum(),
        ),
        r"\ln \frac{1}{1 - \lambda}": (
            -np.log((1 - 0.3) * Q + 0.3 * 0).mean() + np.log(Q).mean(),  # the second model gives 0 to all
            np.log(1 / (1 - 0.3)),
        ),
    },
    "13_limits_of_perplexity": {
        r"a \;\ge\; 1 - L_s / \ln 2 \;\ge\; 1 - L / (s \ln 2)": (
            (CHOICES < 0).mean(),  # right choices are certain, wrong ones undecided: both are equalities
            1 - -np.log(np.where(CHOICES < 0, 1, 0.5)).mean() / np.log(2),
            1 - -np.log(np.where(CHOICES < 0, 1, 0.5)).sum() / 80 / (10 / 80 * np.log(2)),
        ),
        r"a \ge \max(0, 1 - \Delta / (s \ln 2))": (
            1 - 0.3,  # a model that is undecided at three verbs in ten, as order 5 is at every verb
            max(0, 1 - 0.3 * VERBS.excess(5) / (1 / VERBS.block_length * np.log(2))),
        ),
        r"\sum_i p_i \ln (p_1/p_i) > 0": (
            entropy(ROW) + np.log(ROW.max()),
            (ROW * np.log(ROW.max() / ROW)).sum(),
        ),
    },
}
"""Chapter to formula to values that have to agree: what the library computes, and what the formula says."""

READ = {
    "04_perplexity": {
        "def-04-perplexity": "a776781c",
        "thm-04-faces": "67887503",
        "thm-04-range": "36bf3b6c",
        "def-04-step": "092475ce",
        "thm-04-steps": "db92314c",
        "thm-04-slope": "21b8a0d4",
        "def-04-pooled": "c36783ce",
        "thm-04-pooling": "0675f258",
    },
    "10_topic_models": {
        "def-10-topics": "4a0aa836",
        "thm-10-exchangeable": "7f5bb4e8",
        "thm-10-order": "8adde3cf",
    },
    "11_compression": {
        "def-11-code": "c1fa4d3f",
        "thm-11-length": "8cec82ec",
        "thm-11-rounding": "b05b1148",
        "thm-11-kt": "b9ccd576",
    },
    "12_models_that_change": {
        "def-12-change": "5e123f6f",
        "thm-12-change": "5f6bf822",
        "thm-12-guess": "032baba2",
        "thm-12-mixture": "20e523db",
    },
    "13_limits_of_perplexity": {
        "def-13-intrinsic": "6c0cc0b0",
        "thm-13-frontier": "26530dd3",
        "thm-13-counts": "6c29d708",
        "thm-13-typical": "0bbea700",
    },
}
"""Chapter to label to digest of a box that was read."""

BOX = re.compile(r"^(`{3,})\{prf:(?:theorem|definition|lemma|corollary)\}.*?^\1 *$", re.MULTILINE | re.DOTALL)
FORMULA = re.compile(r"\$\$(.+?)\$\$|\$([^$]+)\$", re.DOTALL)
SUBSTANCE = re.compile(r"=|\\frac|\\sum|\\prod|\^|/")
NAMES = re.compile(r"d = 1, \\dots, D|\\beta = 1")
"""What introduces an index or a value, and states nothing."""


@pytest.mark.parametrize("stem", CONVERTED)
def test_every_formula_of_a_box_is_computed(stem):
    page = (ROOT / "book" / f"{stem}.md").read_text(encoding="utf-8")
    found = [
        " ".join((displayed or inline).split()).rstrip(" .,")
        for box in BOX.finditer(page)
        for displayed, inline in FORMULA.findall(box[0])
    ]
    stated = {formula for formula in found if SUBSTANCE.search(formula) and not NAMES.fullmatch(formula)}
    assert stated == set(FORMULAS[stem]), "compute the formula as the page states it, and list it in FORMULAS"


@pytest.mark.parametrize("stem", CONVERTED)
def test_every_box_was_read_as_it_is(stem):
    page = (ROOT / "book" / f"{stem}.md").read_text(encoding="utf-8")
    boxes = {re.search(r":label: (\S+)", box[0])[1]: digest(box[0]) for box in BOX.finditer(page)}
    assert boxes == READ[stem], "read the boxes that differ, check what they say, and store their digests"


def digest(box):
    return hashlib.sha256(" ".join(box.split()).encode()).hexdigest()[:8]


@pytest.mark.parametrize(
    ("stem", "formula"), [(stem, f) for stem, listed in FORMULAS.items() for f in listed]
)
def test_what_a_formula_says_is_so(stem, formula):
    first, *others = FORMULAS[stem][formula]
    assert others and others == pytest.approx([first] * len(others), rel=1e-12)
