"""Chapter 01, products and sums over texts: probabilities, factors of a joint, mass by length."""

from dataclasses import replace

import numpy as np

from lmcourse.hints import answers
from lmcourse.hints.question import Mistake, Property, Question
from lmcourse.questions.shared.properties import FINITE
from lmcourse.questions.shared.units import unit_mistakes

START = np.array([0.6, 0.3, 0.1])
NEXT = np.array([[0.1, 0.7, 0.2], [0.4, 0.3, 0.3], [0.5, 0.3, 0.2]])
"""The three-word language: cat, sleeps, eats. Rows of ``NEXT`` are contexts."""

ADD_UP = Property("the probabilities in a row do not add up to 1", lambda value, *case: rows_add_up(value))
NO_PROBABILITY = "a probability does not lie between 0 and 1"


def _probable(numbers):
    return bool(((np.asarray(numbers) >= 0) & (np.asarray(numbers) <= 1 + 1e-9)).all())


def probabilities(value, *case):
    """A property: every number, in every entry of a dictionary, lies between 0 and 1."""
    return _probable(answers.numbers(value))


def rows_add_up(value):
    """Whether every row, in every entry of a dictionary, adds up to 1."""
    tables = value.values() if isinstance(value, dict) else [value]
    return all(np.allclose(np.sum(table, axis=-1), 1) for table in tables)


# --- text-probability ------------------------------------------------------------------------------------


def text_probability(start, table, words):
    """The factors of the chain rule, their product, and the total surprisal in nats."""
    return _text(np.append(start[words[0]], table[words[:-1], words[1:]]))


def _text(factors, /, **given):
    return {"factors": factors, "joint": factors.prod(), "nats": -np.log(factors).sum()} | given


def _without_first(start, table, words):
    later = table[words[:-1], words[1:]]
    return _text(np.append(1.0, later))


def _on_factors(**formulas):
    """The right dictionary, with entries that are computed wrongly from the right factors."""

    def wrong_text(*case):
        factors = text_probability(*case)["factors"]
        return _text(factors, **{key: formula(factors) for key, formula in formulas.items()})

    return wrong_text


def _draw_text(rng, words=None):
    table = rng.dirichlet(np.full(4, 2.0), size=5)
    return table[4], table[:4], rng.integers(4, size=words or rng.integers(3, 8))


TEXT_PROBABILITY = Question(
    key="01.text-probability",
    title="the probability of a text",
    kind="compute",
    stars=1,
    points=3,
    right=text_probability,
    cases=((START, NEXT, np.array([0, 1])), (START, NEXT, np.array([1, 2, 2, 0]))),
    draw=_draw_text,
    odd=(lambda rng: _draw_text(rng, words=1), lambda rng: _draw_text(rng, words=2)),
    entry_points={"factors": 1, "joint": 1, "nats": 1},
    mistakes=(
        *(
            replace(mistake, hint=mistake.hint.replace("Your number", "Your 'nats'"))
            for mistake in unit_mistakes(text_probability, "M2 M3 M5", only=("nats",))
        ),
        Mistake(
            "L1",
            _on_factors(nats=lambda q: -np.log(q).mean()),
            "Your 'nats' is {ratio} times the total: it is the mean over the words. The surprisal of the "
            "text is the sum.",
        ),
        Mistake(
            "L1",
            _on_factors(joint=lambda q: np.exp(np.log(q).mean())),
            "Your 'joint' is the geometric mean of the factors. The probability of the text is their "
            "product.",
        ),
        Mistake(
            "L4",
            _on_factors(joint=np.sum),
            "Your 'joint' is the sum of the factors. Such a sum can be above 1, as 0.6 + 0.7 is. Multiply "
            "the factors.",
        ),
        Mistake(
            "L4",
            _on_factors(joint=np.mean),
            "Your 'joint' is the mean of the factors. A text is never more probable than its least probable "
            "word: multiply the factors.",
        ),
        Mistake(
            "M6",
            _on_factors(joint=lambda q: np.log(q).sum()),
            "Your 'joint' is the logarithm of the joint probability.",
        ),
        Mistake(
            "M6",
            _on_factors(factors=np.log),
            "Your 'factors' are logarithms. The factors themselves are probabilities.",
        ),
        Mistake(
            "M6",
            _on_factors(factors=lambda q: -np.log(q)),
            "Your 'factors' are surprisals. The factors themselves are probabilities.",
        ),
        Mistake(
            "M6",
            _on_factors(nats=np.prod),
            "Your 'nats' is the joint probability. The surprisal is minus its logarithm.",
        ),
        Mistake(
            "L25",
            _on_factors(joint=lambda q: q[-1]),
            "Your 'joint' is the factor of the last word alone. Multiply all the factors.",
        ),
        Mistake(
            "L19",
            _on_factors(factors=np.cumprod),
            "Your 'factors' are the joint probabilities of longer and longer beginnings of the text. Each "
            "factor is the conditional probability of one word.",
        ),
        Mistake(
            "L10",
            _without_first,
            "You give the first word the factor 1. Its factor is its probability in the start distribution.",
        ),
        Mistake(
            "L16",
            lambda start, table, words: _text(np.append(start[words[0]], table[words[1:], words[:-1]])),
            "You read the table as table[next, context]. Each row belongs to a context: table[context, "
            "next].",
        ),
        Mistake(
            "L20",
            lambda start, table, words: _text(table[np.roll(words, 1), words]),
            "The last word is used as the context of the first one, through np.roll or the index -1. Before "
            "the first word comes <s>: use start.",
        ),
        Mistake(
            "L24",
            lambda start, table, words: _text(start[words]),
            "Every factor is taken from the start distribution. From the second word on, the context is the "
            "word before.",
        ),
    ),
    properties=(
        FINITE,
        Property(
            NO_PROBABILITY,
            lambda value, *case: _probable(value["factors"]) and _probable(value["joint"]),
        ),
        Property(
            "'nats' is below 0, but no surprisal is, because no probability is above 1",
            lambda value, *case: value["nats"] >= 0,
        ),
        Property(
            "'joint' is not exp(-nats)",
            lambda value, *case: np.isclose(value["joint"], np.exp(-value["nats"]), rtol=1e-3),
        ),
    ),
    advice="Write the factors of 'cat sleeps' on paper: one number from start, one from the row for cat.",
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


def _undivided(*keys):
    """L19: these entries are joint probabilities, the others are right."""

    def wrong_factors(joint):
        whole = {"second": joint.sum(axis=2), "third": joint}
        return factors_of(joint) | {key: whole[key] for key in keys}

    return wrong_factors


def _by_prediction(*keys):
    """L16: these entries are divided by what is predicted, the others are right."""

    def wrong_factors(joint):
        whole = {
            "second": joint.sum(axis=2) / joint.sum(axis=(0, 2)),
            "third": joint / joint.sum(axis=(0, 1)),
        }
        return factors_of(joint) | {key: whole[key] for key in keys}

    return wrong_factors


CONDITIONALS = Question(
    key="01.conditionals",
    title="any joint distribution has factors",
    kind="implement",
    stars=2,
    points=3,
    right=factors_of,
    cases=tuple(
        (np.random.default_rng(seed).dirichlet(np.ones(size**3)).reshape(size, size, size),)
        for seed, size in ((3, 2), (4, 3))
    ),
    draw=_draw_joint,
    entry_points={"first": 1, "second": 1, "third": 1},
    mistakes=(
        Mistake(
            "L19",
            _undivided("second", "third"),
            "Your 'second' and 'third' are joint probabilities: each table adds up to 1 as a whole. Divide "
            "by the probability of the context, so that every row adds up to 1.",
        ),
        *(
            Mistake(
                "L19",
                _undivided(key),
                f"Your '{key}' holds joint probabilities: the table adds up to 1 as a whole. Divide by the "
                "probability of the context, so that every row adds up to 1.",
            )
            for key in ("second", "third")
        ),
        Mistake(
            "L19",
            lambda joint: factors_of(joint) | {"third": joint / joint.sum(axis=(1, 2), keepdims=True)},
            "You divide by the probability of the first word alone, so 'third' holds probabilities of "
            "pairs. The context of the third word is the first two words.",
        ),
        Mistake(
            "L16",
            _by_prediction("second", "third"),
            "You divide 'second' and 'third' by the probability of the word that is predicted. Divide by "
            "that of its context: the sums over the last axis have to be 1.",
        ),
        *(
            Mistake(
                "L16",
                _by_prediction(key),
                f"You divide '{key}' by the probability of the word that is predicted. Divide by that of its "
                "context: the sums over the last axis have to be 1.",
            )
            for key in ("second", "third")
        ),
        Mistake(
            "L16",
            lambda joint: factors_of(joint) | {"third": joint / joint.sum(axis=0)},
            "You divide 'third' by the probability of the last two words. The context is the *first* two: "
            "sum over the last axis.",
        ),
        Mistake(
            "L16",
            lambda joint: factors_of(joint) | {"first": joint.sum(axis=(0, 1))},
            "Your 'first' is the distribution of the last word. Sum over axes 1 and 2, the words after the "
            "first.",
        ),
        Mistake(
            "L16",
            lambda joint: factors_of(joint) | {"first": joint.sum(axis=(0, 2))},
            "Your 'first' is the distribution of the second word. Sum over axes 1 and 2, the words after the "
            "first.",
        ),
        Mistake(
            "L24",
            _markov,
            "Your 'third' takes the second word into account but not the first. That is the Markov "
            "assumption, which does not hold for this joint distribution.",
        ),
        Mistake(
            "L24",
            lambda joint: (
                factors_of(joint) | {"second": np.broadcast_to(joint.sum(axis=(0, 2)), joint.shape[:2])}
            ),
            "Your 'second' is the same for every first word. The distribution of the second word depends on "
            "the first.",
        ),
    ),
    properties=(
        FINITE,
        Property(NO_PROBABILITY, probabilities),
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


def _without_steps(start, table, longest):
    on = table[:, :-1].sum(axis=1)
    later = [start[:-1] * on**t @ table[:, -1] for t in range(longest)]
    return np.array([start[-1], *later])


def _without_end_at_once(start, table, longest):
    return np.append(0.0, mass_by_length(start, table, longest)[1:])


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
            "Each of your numbers covers all sentences of *at least* that length: the end is not predicted. "
            "Multiply by the last column.",
        ),
        Mistake(
            "L23",
            lambda start, table, longest: mass_by_length(start, table, longest + 1)[1:],
            "Your list begins with the one-word sentences. The empty sentence, <s> followed at once by "
            "</s>, comes first.",
        ),
        Mistake(
            "L23",
            lambda start, table, longest: np.append(0.0, mass_by_length(start, table, longest - 1)),
            "Your numbers are shifted by one place. `</s>` is predicted like a word, but it does not count "
            "as one.",
        ),
        Mistake(
            "L16",
            _transposed,
            "You multiply on the wrong side of the table. With contexts in rows, a step is vector @ table.",
        ),
        Mistake(
            "L24",
            _without_context,
            "Your numbers fall by the same factor from length to length: every word is drawn from start. "
            "After a word, use that word's row.",
        ),
        Mistake(
            "L24",
            _without_steps,
            "You let every word be followed by itself until the end. A step sums over all words that can "
            "come before: vector @ table.",
        ),
        Mistake(
            "L13",
            lambda *case: mass_by_length(*case) / mass_by_length(*case).sum(),
            "Your numbers add up to 1, but there are longer sentences too. Do not divide by the total.",
        ),
        Mistake(
            "L13",
            lambda *case: mass_by_length(*case).cumsum(),
            "You give the mass of all lengths *up to* each one. The task asks for each length separately.",
        ),
        Mistake(
            "L21",
            _without_end_at_once,
            "Your first number is 0. The empty sentence has a probability too: that of `</s>` in `start`.",
        ),
    ),
    properties=(
        FINITE,
        Property(NO_PROBABILITY, probabilities),
        Property(
            "the masses add up to more than 1, but no sentence has two lengths",
            lambda value, *case: value.sum() <= 1 + 1e-9,
        ),
    ),
    advice="Keep a vector: for each word, the probability that the sentence has come this far with that "
    "word last. Work out how much of it ends there, then take one step.",
)

QUESTIONS = (TEXT_PROBABILITY, CONDITIONALS, LENGTH_MASSES)
