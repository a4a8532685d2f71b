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
    """Surprisals of documents with about ``levels`` nats per token."""
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
            "You average the perplexities of the documents. Your number is {ratio} times the right one: "
            "every document has the same weight, whatever its length. Add up all the nats, count all the "
            "tokens, and divide once.",
        ),
        Mistake(
            "M8",
            _weighted_mean,
            "You are right to weight the perplexities by length, but you do so in an arithmetic mean. "
            "Average the nats, and exponentiate last.",
        ),
        Mistake(
            "M9",
            lambda documents: np.exp(np.mean([nats.mean() for nats in documents])),
            "You average the losses of the documents, so a short document has the weight of a long one. Add "
            "up all the nats, count all the tokens, and divide once.",
        ),
        Mistake(
            "M11",
            lambda documents: np.exp(np.concatenate(documents)).mean(),
            "You average 1/q over the tokens. Average the nats, and exponentiate last.",
        ),
        Mistake(
            "L2",
            lambda documents: 1 / np.exp(-np.concatenate(documents)).mean(),
            "Your number is one over the mean of q. Average the nats, and exponentiate last.",
        ),
        Mistake(
            "L1",
            lambda documents: np.exp(np.mean([nats.sum() for nats in documents])),
            "You divide the total of the nats by the number of documents. Divide by the number of tokens.",
        ),
    ),
    properties=(
        PERPLEXITY,
        Property("the number changes when every document is cut in two", unchanged, also=_cut_in_two),
    ),
    advice="Test your function on two documents in which every token has 1 nat: whatever their lengths, the "
    "result is e.",
)

# --- any-base --------------------------------------------------------------------------------------------


def any_base(L, a, b):
    """The perplexity from base b alone, from bases a and b, and the exponent that repairs the second."""
    return {"consistent": np.exp(L), "mixed": b ** (L / np.log(a)), "repair": np.log(a) / np.log(b)}


ANY_BASE = Question(
    key="04.any-base",
    title="the base cancels, unless two are mixed",
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
            "Your 'consistent' depends on b, because you raise b to a loss in nats. Convert the loss to "
            "logarithms of base b first.",
        ),
        Mistake(
            "M4",
            but(any_base, {"consistent": lambda L, a, b: L / np.log(b)}),
            "Your 'consistent' is the loss with logarithms to base b. Raise b to it.",
        ),
        Mistake(
            "M7",
            but(any_base, {"mixed": lambda L, a, b: np.exp(L)}),
            "Your 'mixed' is the right perplexity. Here the two bases differ, so they do not cancel.",
        ),
        Mistake(
            "L3",
            but(any_base, {"mixed": lambda L, a, b: b ** (L * np.log(a))}),
            "Your 'mixed' multiplies by ln a. A logarithm to base a is the natural logarithm divided by ln "
            "a.",
        ),
        Mistake(
            "L3",
            but(any_base, {"mixed": lambda L, a, b: a ** (L / np.log(b))}),
            "In your 'mixed' the bases are swapped. The logarithm has base a, and b is raised to the loss.",
        ),
        Mistake(
            "L3",
            but(any_base, {"repair": lambda L, a, b: np.log(b) / np.log(a)}),
            "Your 'repair' is upside down: it turns the right perplexity into the mixed one. Find the "
            "exponent that leads back.",
        ),
        Mistake(
            "L9",
            but(any_base, {"repair": lambda L, a, b: a / b}),
            "Your 'repair' is the ratio of the bases. Take logarithms of both sides of mixed**k = "
            "consistent.",
        ),
    ),
    advice="Write b**x as exp(x * ln b), and log_a(x) as ln(x) / ln(a). Then compare the exponents of e.",
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
    title="two documents, and when their plain mean is right",
    kind="derive",
    stars=2,
    points=3,
    form="expression",
    symbols=("P1", "P2", "n1", "n2"),
    right=two_documents,
    cases=((8.0, 150.0, 3.0, 9.0), (400.0, 20.0, 2.0, 7.0), (50.0, 12.0, 20.0, 15.0)),
    draw=_draw_two,
    entry_points={"pooled": 1, "break-even": 2},
    mistakes=(
        Mistake(
            "M8",
            but(two_documents, {"pooled": lambda P1, P2, n1, n2: (P1 + P2) / 2}),
            "Your 'pooled' is the mean of the perplexities, which does not depend on the lengths. Add the "
            "nats, and divide by the number of tokens.",
        ),
        Mistake(
            "M8",
            but(two_documents, {"pooled": lambda P1, P2, n1, n2: (n1 * P1 + n2 * P2) / (n1 + n2)}),
            "Your 'pooled' is an arithmetic mean, weighted by length. Add the nats of both documents, n * "
            "ln P each, and exponentiate last.",
        ),
        Mistake(
            "M9",
            but(two_documents, {"pooled": lambda P1, P2, n1, n2: np.sqrt(P1 * P2)}),
            "Your 'pooled' is a geometric mean that gives both documents the same weight. Weight them by "
            "length.",
        ),
        Mistake(
            "L31",
            but(
                two_documents,
                {"pooled": lambda P1, P2, n1, n2: P1 ** (n2 / (n1 + n2)) * P2 ** (n1 / (n1 + n2))},
            ),
            "In your 'pooled' the lengths are swapped: each document has the weight of the other.",
        ),
        Mistake(
            "L1",
            but(two_documents, {"pooled": lambda P1, P2, n1, n2: P1**n1 * P2**n2}),
            "Your 'pooled' is one over the probability of both texts. Divide the total of the nats by n1 + "
            "n2 before you exponentiate.",
        ),
        Mistake(
            "L31",
            but(
                two_documents,
                {"break-even": lambda P1, P2, n1, n2: np.log((P1 + P2) / (2 * P1)) / np.log(P2 / P1)},
            ),
            "Your 'break-even' is the share of document 2. Give that of document 1.",
        ),
        Mistake(
            "L9",
            but(two_documents, {"break-even": lambda P1, P2, n1, n2: 0.5}),
            "Your 'break-even' is one half. With equal lengths the pooled perplexity is the geometric mean "
            "of P1 and P2, which is *below* their arithmetic mean.",
        ),
        Mistake(
            "M2",
            but(
                two_documents,
                {"break-even": lambda P1, P2, n1, n2: np.log2((P1 + P2) / (2 * P2)) / np.log(P1 / P2)},
            ),
            "Your 'break-even' is {ratio} = 1 / ln 2 times the right one, because its two logarithms have "
            "different bases.",
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
