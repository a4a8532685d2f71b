"""Chapter 04, many documents and two bases: pooling, and two derivations."""

import numpy as np

from lmcourse.hints.question import Mistake, Property, Question
from lmcourse.questions.shared.properties import PERPLEXITY, unchanged
from lmcourse.questions.shared.units import perplexity_mistakes
from lmcourse.questions.shared.wrong import but

# --- pool ------------------------------------------------------------------------------------------------


def pool(documents):
    """The perplexity of several documents; each an array with the nats of its tokens."""
    return np.exp(np.concatenate(documents).mean())


def _each(documents):
    """Perplexity and length of each document."""
    return np.array([np.exp(nats.mean()) for nats in documents]), np.array([len(d) for d in documents])


def _weighted_mean(documents):
    perplexities, tokens = _each(documents)
    return (perplexities * tokens).sum() / tokens.sum()


def _documents(rng, levels, lengths):
    """Nats of documents that cost about ``levels`` a token."""
    return ([rng.gamma(4.0, level / 4.0, size=n) for level, n in zip(levels, lengths, strict=True)],)


def _draw_documents(rng):
    count = int(rng.integers(3, 6))
    return _documents(rng, rng.uniform(1.0, 5.0, size=count), rng.integers(2, 40, size=count))


def _cut_in_two(documents):
    return ([part for nats in documents for part in (nats[: len(nats) // 2], nats[len(nats) // 2 :])],)


def _draw_short_documents(rng):
    """Some documents have one token."""
    return _documents(rng, rng.uniform(1.0, 5.0, size=4), [1, 20, 1, 7])


POOL = Question(
    key="04.pool",
    title="pool, do not average",
    kind="implement",
    stars=2,
    points=2,
    right=pool,
    cases=(
        _documents(np.random.default_rng(81), levels=(2.0, 4.5, 2.5), lengths=(40, 4, 12)),
        _documents(np.random.default_rng(83), levels=(4.5, 1.5, 2.0), lengths=(40, 4, 6)),
    ),
    draw=_draw_documents,
    odd=(_draw_short_documents,),
    mistakes=(
        *perplexity_mistakes(pool),
        Mistake(
            "M8",
            lambda documents: _each(documents)[0].mean(),
            "You average the documents' perplexities, {ratio} times the number asked for: every document has "
            "the same weight, however long it is, and the hardest one governs the mean.",
        ),
        Mistake(
            "M8",
            _weighted_mean,
            "Your weights are right and your mean is not: the shares of the tokens belong in the exponents "
            "of a geometric mean.",
        ),
        Mistake(
            "M9",
            lambda documents: np.exp(np.mean([nats.mean() for nats in documents])),
            "You average the documents' losses, so that a short document weighs like a long one. "
            "Add all nats, count all tokens, divide once.",
        ),
        Mistake(
            "M11",
            lambda documents: np.exp(np.concatenate(documents)).mean(),
            "You average 1/q over the tokens. Average the nats, and take the exponential last.",
        ),
        Mistake(
            "L2",
            lambda documents: 1 / np.exp(-np.concatenate(documents)).mean(),
            "Your number is one over the mean of q. Average the nats, and take the exponential last.",
        ),
        Mistake(
            "L1",
            lambda documents: np.exp(np.mean([nats.sum() for nats in documents])),
            "You divide the total by the number of documents. The unit of the task is the token.",
        ),
    ),
    properties=(
        PERPLEXITY,
        Property("it changes when every document is cut in two", unchanged, also=_cut_in_two),
    ),
    advice="One document of tokens at 1 nat and another at 1 nat have the perplexity e together, whatever "
    "their lengths.",
)

# --- any-base --------------------------------------------------------------------------------------------


def any_base(L, a, b):
    """The perplexity in base b, with the logarithm of base a, and the exponent that repairs it."""
    return {"consistent": np.exp(L), "mixed": b ** (L / np.log(a)), "repair": np.log(a) / np.log(b)}


ANY_BASE = Question(
    key="04.any-base",
    title="the base drops out, or does damage",
    kind="derive",
    stars=2,
    points=2,
    form="expression",
    symbols=("L", "a", "b"),
    right=any_base,
    cases=((1.2, 2.0, 10.0), (0.7, 10.0, 3.0), (2.1, 5.0, 2.0)),
    draw=lambda rng: (rng.uniform(0.4, 2.5), rng.uniform(1.5, 4.0), rng.uniform(5.0, 11.0)),
    mistakes=(
        Mistake(
            "M7",
            but(any_base, {"consistent": lambda L, a, b: b**L}),
            "Your 'consistent' depends on b. L is in nats; in the unit of base b the same loss is another "
            "number, and b is raised to that one.",
        ),
        Mistake(
            "M4",
            but(any_base, {"consistent": lambda L, a, b: L / np.log(b)}),
            "Your 'consistent' is the loss in the unit of base b. It stands in the exponent of b.",
        ),
        Mistake(
            "M7",
            but(any_base, {"mixed": lambda L, a, b: np.exp(L)}),
            "Your 'mixed' is the perplexity itself. The bases differ, so the base does not drop out.",
        ),
        Mistake(
            "L3",
            but(any_base, {"mixed": lambda L, a, b: b ** (L * np.log(a))}),
            "A logarithm to base a is the natural one divided by ln a. Your 'mixed' multiplies.",
        ),
        Mistake(
            "L3",
            but(any_base, {"mixed": lambda L, a, b: a ** (L / np.log(b))}),
            "In your 'mixed' the bases have changed places: the logarithm has base a, and b is raised.",
        ),
        Mistake(
            "L3",
            but(any_base, {"repair": lambda L, a, b: np.log(b) / np.log(a)}),
            "Your 'repair' makes it worse: it is the exponent of the damage. You want the way back.",
        ),
        Mistake(
            "L9",
            but(any_base, {"repair": lambda L, a, b: a / b}),
            "Your 'repair' is a ratio of the bases. It is a ratio of their logarithms.",
        ),
    ),
    advice="Write b**x as exp(x * ln b), and log_a(x) as ln(x) / ln(a). Then only e is left.",
)

# --- two-documents ---------------------------------------------------------------------------------------


def two_documents(P1, P2, n1, n2):
    """The pooled perplexity, and the share of document 1 at which the plain mean equals it."""
    return {
        "pooled": P1 ** (n1 / (n1 + n2)) * P2 ** (n2 / (n1 + n2)),
        "break-even": np.log((P1 + P2) / (2 * P2)) / np.log(P1 / P2),
    }


def _draw_two(rng):
    P1, P2 = rng.uniform(2.0, 30.0), rng.uniform(60.0, 400.0)
    return float(P1), float(P2), float(rng.integers(3, 12)), float(rng.integers(15, 40))


TWO_DOCUMENTS = Question(
    key="04.two-documents",
    title="two documents, and where averaging breaks even",
    kind="derive",
    stars=2,
    points=3,
    form="expression",
    symbols=("P1", "P2", "n1", "n2"),
    right=two_documents,
    cases=((8.0, 150.0, 3.0, 9.0), (400.0, 20.0, 2.0, 7.0), (50.0, 12.0, 20.0, 15.0)),
    draw=_draw_two,
    mistakes=(
        Mistake(
            "M8",
            but(two_documents, {"pooled": lambda P1, P2, n1, n2: (P1 + P2) / 2}),
            "Your 'pooled' is the mean of the perplexities, and does not know how long the documents are.",
        ),
        Mistake(
            "M8",
            but(two_documents, {"pooled": lambda P1, P2, n1, n2: (n1 * P1 + n2 * P2) / (n1 + n2)}),
            "Your 'pooled' weighs by length, in an arithmetic mean. Write it with nats, n * ln P each, and "
            "take the exponential last.",
        ),
        Mistake(
            "M9",
            but(two_documents, {"pooled": lambda P1, P2, n1, n2: np.sqrt(P1 * P2)}),
            "Your 'pooled' is a geometric mean in which both documents weigh the same. Their lengths differ.",
        ),
        Mistake(
            "L31",
            but(
                two_documents,
                {"pooled": lambda P1, P2, n1, n2: P1 ** (n2 / (n1 + n2)) * P2 ** (n1 / (n1 + n2))},
            ),
            "In your 'pooled' the lengths have changed places.",
        ),
        Mistake(
            "L1",
            but(two_documents, {"pooled": lambda P1, P2, n1, n2: P1**n1 * P2**n2}),
            "Your 'pooled' is one over the probability of both texts: the root of degree n1 + n2 is missing.",
        ),
        Mistake(
            "L31",
            but(
                two_documents,
                {"break-even": lambda P1, P2, n1, n2: np.log((P1 + P2) / (2 * P1)) / np.log(P2 / P1)},
            ),
            "Your 'break-even' is the share of document 2.",
        ),
        Mistake(
            "L9",
            but(two_documents, {"break-even": lambda P1, P2, n1, n2: 0.5}),
            "With equal lengths the pooled value is the geometric mean of P1 and P2, which is *below* their "
            "arithmetic mean unless P1 = P2. The share stands in an exponent, so one half does not balance.",
        ),
        Mistake(
            "M2",
            but(
                two_documents,
                {"break-even": lambda P1, P2, n1, n2: np.log2((P1 + P2) / (2 * P2)) / np.log(P1 / P2)},
            ),
            "Your 'break-even' is {ratio} = 1 / ln 2 times what it should be: the two logarithms differ in "
            "base.",
        ),
    ),
    properties=(
        Property(
            "the break-even share does not lie between 0 and 1",
            lambda value, *case: 0 < value["break-even"] < 1,
        ),
    ),
    advice="With w = n1 / (n1 + n2), solve P1**w * P2**(1 - w) = (P1 + P2) / 2 for w: take logarithms first.",
)

QUESTIONS = (POOL, ANY_BASE, TWO_DOCUMENTS)
