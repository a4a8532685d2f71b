"""Chapter 01, products and sums over strings: a string's price, the factors of a joint, mass by length."""

import numpy as np

from lmcourse.hints.question import Mistake, Property, Question
from lmcourse.questions.shared.properties import FINITE, NOT_NEGATIVE
from lmcourse.questions.shared.units import unit_mistakes

START = np.array([0.6, 0.3, 0.1])
NEXT = np.array([[0.1, 0.7, 0.2], [0.4, 0.3, 0.3], [0.5, 0.3, 0.2]])
"""The three-word language: cat, sleeps, eats. Rows of ``NEXT`` are contexts."""

ADD_UP = Property("the probabilities of a row do not add up to 1", lambda value, *case: rows_add_up(value))


def rows_add_up(value):
    """Whether every row, in every entry of a dictionary, adds up to 1."""
    tables = value.values() if isinstance(value, dict) else [value]
    return all(np.allclose(np.sum(table, axis=-1), 1) for table in tables)


# --- string-price ----------------------------------------------------------------------------------------


def string_price(start, table, words):
    """The factors of the chain rule, their product, and the total surprisal in nats."""
    return _price(np.append(start[words[0]], table[words[:-1], words[1:]]))


def _price(factors, **given):
    return {"factors": factors, "joint": factors.prod(), "nats": -np.log(factors).sum()} | given


def _price_without_first(start, table, words):
    later = table[words[:-1], words[1:]]
    return _price(np.append(1.0, later))


def _on_factors(**formulas):
    """The right dictionary, with entries that are computed wrongly from the right factors."""

    def wrong_price(*case):
        factors = string_price(*case)["factors"]
        return _price(factors, **{key: formula(factors) for key, formula in formulas.items()})

    return wrong_price


def _draw_string(rng, words=None):
    table = rng.dirichlet(np.full(4, 2.0), size=5)
    return table[4], table[:4], rng.integers(4, size=words or rng.integers(3, 8))


STRING_PRICE = Question(
    key="01.string-price",
    title="the price of a string",
    kind="compute",
    stars=1,
    points=2,
    right=string_price,
    cases=((START, NEXT, np.array([0, 1])), (START, NEXT, np.array([1, 2, 2, 0]))),
    draw=_draw_string,
    odd=(lambda rng: _draw_string(rng, words=1), lambda rng: _draw_string(rng, words=2)),
    mistakes=(
        *unit_mistakes(string_price, "M2 M3 M5", only=("nats",)),
        Mistake(
            "L1",
            _on_factors(nats=lambda q: -np.log(q).mean()),
            "Your 'nats' is {ratio} of the total: the average over the words. The string costs the sum.",
        ),
        Mistake(
            "L4",
            _on_factors(joint=np.sum),
            "Your 'joint' is the sum of the factors. With enough words it would be above 1. They multiply.",
        ),
        Mistake(
            "L4",
            _on_factors(joint=np.mean),
            "Your 'joint' is the mean of the factors. A string is never more likely than its least likely "
            "word: the factors multiply.",
        ),
        Mistake(
            "L10",
            _price_without_first,
            "The first word has a price, too: its factor is the start distribution, not 1.",
        ),
        Mistake(
            "L16",
            lambda start, table, words: _price(np.append(start[words[0]], table[words[1:], words[:-1]])),
            "You read the table as table[next, context]. A row is a context: table[context, next].",
        ),
        Mistake(
            "L20",
            lambda start, table, words: _price(table[np.roll(words, 1), words]),
            "np.roll, or the index -1, puts the last word before the first. Before the first word there is "
            "<s>: use start.",
        ),
        Mistake(
            "L24",
            lambda start, table, words: _price(start[words]),
            "All your factors come from the start distribution. From the second word on, the context is the "
            "word before.",
        ),
    ),
    properties=(
        FINITE,
        NOT_NEGATIVE,
        Property(
            "the joint probability is not exp(-nats)",
            lambda value, *case: np.isclose(value["joint"], np.exp(-value["nats"]), rtol=1e-3),
        ),
    ),
    advice="Write the factors of 'cat sleeps' on paper: one number of start, one of the row after cat.",
)

# --- conditionals ----------------------------------------------------------------------------------------


def factors_of(joint):
    """The three factors of the chain rule, from the probabilities of all strings of three words (V, V, V)."""
    first, pairs = joint.sum(axis=(1, 2)), joint.sum(axis=2)
    return _factors(first, pairs / first[:, None], joint / pairs[:, :, None])


def _factors(first, second, third):
    return {"first": first, "second": second, "third": third}


def _markov(joint):
    """L24: the third word is predicted from the second alone."""
    bigrams = joint.sum(axis=0)
    table = bigrams / bigrams.sum(axis=1, keepdims=True)
    return factors_of(joint) | {"third": np.broadcast_to(table, joint.shape)}


def _product(value):
    return value["first"][:, None, None] * value["second"][:, :, None] * value["third"]


def _draw_joint(rng):
    size = int(rng.integers(2, 5))
    return (rng.dirichlet(np.ones(size**3)).reshape(size, size, size),)


CONDITIONALS = Question(
    key="01.conditionals",
    title="any joint distribution has factors",
    kind="implement",
    stars=2,
    points=2,
    right=factors_of,
    cases=tuple(
        (np.random.default_rng(seed).dirichlet(np.ones(size**3)).reshape(size, size, size),)
        for seed, size in ((3, 2), (4, 3))
    ),
    draw=_draw_joint,
    mistakes=(
        Mistake(
            "L19",
            lambda joint: _factors(joint.sum(axis=(1, 2)), joint.sum(axis=2), joint),
            "All your tables add up to 1 as a whole, so they hold joint probabilities. Divide each by the "
            "probability of its context, so that every row adds up to 1.",
        ),
        Mistake(
            "L19",
            lambda joint: factors_of(joint) | {"third": joint / joint.sum(axis=(1, 2), keepdims=True)},
            "You divide by the probability of the first word alone, so 'third' holds pairs of words. The "
            "context of the third word is two words.",
        ),
        Mistake(
            "L16",
            lambda joint: _factors(
                joint.sum(axis=(1, 2)),
                joint.sum(axis=2) / joint.sum(axis=(0, 2)),
                joint / joint.sum(axis=0),
            ),
            "You divide by what is predicted instead of by its context: the columns add up to 1. It is the "
            "rows that must, the sums over the last axis.",
        ),
        Mistake(
            "L16",
            lambda joint: factors_of(joint) | {"first": joint.sum(axis=(0, 1))},
            "Your 'first' is the distribution of the last word. Sum over axes 1 and 2, the words after it.",
        ),
        Mistake(
            "L24",
            _markov,
            "Your 'third' knows the second word and not the first. That is the Markov assumption, and this "
            "joint does not make it.",
        ),
    ),
    properties=(
        FINITE,
        NOT_NEGATIVE,
        ADD_UP,
        Property(
            "the product of the three factors is not the joint distribution that they came from",
            lambda value, joint: np.allclose(_product(value), joint, rtol=1e-3),
        ),
    ),
    advice="The definition is q(b | a) = P(a b) / P(a), and P(a) is a sum over everything that can follow.",
)

# --- length-masses ---------------------------------------------------------------------------------------


def mass_by_length(start, table, longest):
    """The probability of all sentences of 0, 1, ..., ``longest`` words; the last column is </s>."""
    reach, masses = start[:-1], [start[-1]]
    for _ in range(longest):
        masses.append(reach @ table[:, -1])
        reach = reach @ table[:, :-1]
    return np.array(masses)


def _reached(start, table, longest):
    """M27: the probability that a sentence has at least so many words."""
    reach, masses = start[:-1], [1.0]
    for _ in range(longest):
        masses.append(reach.sum())
        reach = reach @ table[:, :-1]
    return np.array(masses)


def _transposed(start, table, longest):
    words = table[:, :-1].T
    return mass_by_length(start, np.column_stack([words, table[:, -1]]), longest)


def _without_context(start, table, longest):
    return start[-1] * start[:-1].sum() ** np.arange(longest + 1)


def _leaving(table, ends):
    """Rows that are scaled so that they end with the given probabilities."""
    ends = np.asarray(ends)
    return np.column_stack([table * (1 - ends)[..., None], ends])


LANGUAGE = (np.append(0.95 * START, 0.05), _leaving(NEXT, [0.1, 0.4, 0.3]))
"""The three-word language with </s> in the last column."""


def _draw_language(rng):
    size = int(rng.integers(2, 5))
    start = rng.dirichlet(np.append(np.full(size, 2.0), 0.7))
    return start, rng.dirichlet(np.append(np.full(size, 1.5), 1.2), size=size), int(rng.integers(4, 9))


LENGTH_MASSES = Question(
    key="01.length-masses",
    title="all sentences of a length, without listing them",
    kind="implement",
    stars=2,
    points=2,
    right=mass_by_length,
    cases=((*LANGUAGE, 4), _draw_language(np.random.default_rng(7))),
    draw=_draw_language,
    odd=tuple(lambda rng, longest=longest: (*_draw_language(rng)[:2], longest) for longest in (0, 1)),
    mistakes=(
        Mistake(
            "M27",
            _reached,
            "Your numbers say how likely it is that a sentence has *at least* so many words: </s> is not "
            "paid. Multiply by the last column.",
        ),
        Mistake(
            "L23",
            lambda start, table, longest: mass_by_length(start, table, longest + 1)[1:],
            "Your list begins with the sentences of one word. The empty sentence, <s> and at once </s>, "
            "comes first.",
        ),
        Mistake(
            "L23",
            lambda start, table, longest: np.append(0.0, mass_by_length(start, table, longest - 1)),
            "Your numbers stand one place too late: </s> is a step of the model, and no word.",
        ),
        Mistake(
            "L16",
            _transposed,
            "You multiply on the wrong side of the table. With contexts in rows, a step is reach @ table.",
        ),
        Mistake(
            "L24",
            _without_context,
            "Your numbers fall by the same factor from length to length: every word is drawn from start. "
            "After a word, its own row decides.",
        ),
        Mistake(
            "L13",
            lambda *case: mass_by_length(*case).cumsum(),
            "You give the mass of all lengths *up to* each one. The task asks for each length by itself.",
        ),
    ),
    properties=(
        FINITE,
        NOT_NEGATIVE,
        Property(
            "the masses add up to more than 1, but no sentence has two lengths",
            lambda value, *case: value.sum() <= 1 + 1e-9,
        ),
    ),
    advice="Keep a vector: the probability that the sentence goes on, by its last word so far. Take from it "
    "what ends, then take one step.",
)

QUESTIONS = (STRING_PRICE, CONDITIONALS, LENGTH_MASSES)
