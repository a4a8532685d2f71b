"""Chapter 01, a bigram model from counts: its table, and the sentences that it draws."""

from functools import partial

import numpy as np

from lmcourse.hints.question import Mistake, Property, Question
from lmcourse.questions.ch01.strings import (
    LANGUAGE,
    NO_PROBABILITY,
    mass_by_length,
    probabilities,
    rows_add_up,
)
from lmcourse.questions.shared.properties import FINITE
from lmcourse.questions.shared.sampling import DRAWN, counted

# --- bigram-table ----------------------------------------------------------------------------------------


def bigram_table(sentences, size, **counted):
    """Relative frequencies q(next | context); the last row is <s>, the last column </s>."""
    return _shares(_counts(sentences, size, **counted))


def _counts(sentences, size, start=True, end=True):
    """How often each symbol follows each; without ``start`` or ``end`` those steps are not counted."""
    counts = np.zeros((size + 1, size + 1))
    for sentence in sentences:
        steps = [size] * start + list(sentence) + [size] * end
        np.add.at(counts, (steps[:-1], steps[1:]), 1)
    return counts


def _shares(counts):
    return counts / counts.sum(axis=1, keepdims=True)


def _once_a_sentence(sentences, size):
    return _shares(sum(np.minimum(_counts([sentence], size), 1) for sentence in sentences))


def _by_successors_that_are_words(sentences, size):
    counts = _counts(sentences, size)
    return counts / counts[:, :-1].sum(axis=1, keepdims=True)


def _draw_sentences(rng):
    """Sentences in which every word occurs; one of them is empty."""
    size = int(rng.integers(3, 6))
    chances = rng.dirichlet(np.full(size, 2.0))
    sentences = [rng.choice(size, size=rng.integers(1, 6), p=chances) for _ in range(12)]
    return [rng.permutation(size), *sentences, np.array([], dtype=np.int64)], size


BIGRAM_TABLE = Question(
    key="01.bigram-table",
    title="count a bigram model",
    kind="implement",
    stars=2,
    points=2,
    right=bigram_table,
    cases=(
        ([np.array(s, dtype=np.int64) for s in ([0, 1], [0, 2, 1], [1, 0, 1], [0, 2], [])], 3),
        ([np.array(s, dtype=np.int64) for s in ([3, 1, 0], [3, 1, 3, 1, 2], [2], [3, 0, 0, 1, 2], [0])], 4),
    ),
    draw=_draw_sentences,
    atol=1e-15,  # a share of 0 is exactly 0
    mistakes=(
        Mistake(
            "L21",
            partial(bigram_table, end=False),
            "Nothing is ever followed by </s> in your table. The end is a step like any other: it belongs "
            "in the last column.",
        ),
        Mistake(
            "L21",
            lambda sentences, size: bigram_table([s for s in sentences if len(s)], size),
            "You leave out the empty sentence. It has a step too, from <s> to </s>.",
        ),
        Mistake(
            "L8",
            lambda sentences, size: _shares(_counts(sentences, size) + 1),
            "You add 1 to every count. The task asks for relative frequencies: what never occurs has a "
            "share of 0.",
        ),
        Mistake(
            "M30",
            lambda sentences, size: _shares(_counts(sentences, size) + 1e-10),
            "What never occurs has a share above 0 in your table: you put a floor under the counts.",
        ),
        Mistake(
            "L35",
            lambda sentences, size: _shares(np.minimum(_counts(sentences, size), 1)),
            "You count every pair only once, however often it occurs.",
        ),
        Mistake(
            "L35",
            _once_a_sentence,
            "You count a pair only once per sentence, even if it occurs there several times: with `+=`, a "
            "count whose index comes up twice is raised only once. Use np.add.at.",
        ),
        Mistake(
            "L20",
            partial(bigram_table, start=False),
            "Your last row is nan: nothing was counted there. The context of each first word is <s>, the row "
            "`size`.",
        ),
        Mistake(
            "L20 + L21",
            lambda sentences, size: bigram_table([np.concatenate(sentences)], size, start=False, end=False),
            "You run the sentences together, so the last word of one predicts the first word of the next. "
            "Each sentence starts from <s> and ends with </s>.",
        ),
        Mistake(
            "L16",
            lambda sentences, size: _shares(_counts(sentences, size).T),
            "Your rows are what comes next, and your columns are contexts. It should be the other way round.",
        ),
        Mistake(
            "L16",
            lambda sentences, size: _counts(sentences, size) / _counts(sentences, size).sum(axis=0),
            "Your columns add up to 1. It is each row that must add up to 1: divide by the sums over the "
            "last axis.",
        ),
        Mistake(
            "L19",
            lambda sentences, size: _counts(sentences, size) / _counts(sentences, size).sum(),
            "Your whole table adds up to 1, so it holds probabilities of pairs. Divide each row by its sum.",
        ),
        Mistake(
            "L13",
            _by_successors_that_are_words,
            "Your rows add up to more than 1: you divide by the number of words that follow, and leave out "
            "each </s> that follows.",
        ),
    ),
    alike=(
        ("right", "L21 (2)", "in the second case no sentence is empty"),
        ("right", "L35 (2)", "in the first case no pair comes twice in a sentence"),
    ),
    properties=(
        FINITE,
        Property(NO_PROBABILITY, probabilities),
        Property("the rows do not add up to 1", lambda value, *case: rows_add_up(value)),
    ),
    advice="For size 2 and the sentences [0, 1] and [0], the counts are [[0, 1, 1], [0, 0, 1], [2, 0, 0]].",
)

# --- sampling --------------------------------------------------------------------------------------------

REPEATS = 4000


def length_shares(table, repeats, longest, rng):
    """The exact probabilities of 0, 1, ..., ``longest`` words, in the layout of the task before."""
    return _lengths(table, longest)


def _lengths(table, longest, start=-1):
    return mass_by_length(table[start], table[:-1], longest)


def _uniform(table, repeats, longest, rng):
    return _lengths(np.full_like(table, 1 / len(table)), longest)


def _late(table, repeats, longest, rng):
    return np.append(0.0, _lengths(table, longest - 1))


def _among_counted(table, repeats, longest, rng):
    masses = _lengths(table, longest)
    return masses / masses.sum()


def _draw_table(rng):
    """Draw until every wrong formula is farther from the right one than sampling can explain."""
    while True:
        table = rng.dirichlet(np.ones(4), size=4)
        case = table, REPEATS, 3, np.random.default_rng(rng.integers(2**32))
        right = length_shares(*case)
        gaps = [np.abs(mistake.wrong(*case) - right).max() for mistake in SAMPLING.mistakes]
        if min(gaps) > 2.5 * SAMPLING.atol and table[:-1, -1].min() > 0.05:
            return case


SAMPLING = Question(
    key="01.sampling",
    title="draw sentences",
    kind="implement",
    stars=2,
    points=2,
    right=length_shares,
    cases=(
        (np.vstack([LANGUAGE[1], LANGUAGE[0]]), REPEATS, 3, np.random.default_rng(41)),
        (
            np.array([[0.6, 0.3, 0.1], [0.3, 0.5, 0.2], [0.3, 0.1, 0.6]]),
            REPEATS,
            2,
            np.random.default_rng(42),
        ),
    ),
    draw=_draw_table,
    rtol=0.0,
    atol=0.04,  # five standard deviations of a share among 4000 repeats
    mistakes=(
        Mistake(
            "L15",
            _uniform,
            "You draw the next word uniformly: pass the row of the context to rng.choice as p.",
        ),
        Mistake(
            "L20",
            lambda table, repeats, longest, rng: _lengths(table, longest, start=0),
            "Your sentences begin as if word 0 came before them. They start from <s>, the last row.",
        ),
        Mistake(
            "L24",
            lambda table, repeats, longest, rng: _lengths(np.broadcast_to(table[-1], table.shape), longest),
            "You draw every word from the row of <s>. After a word, use that word's row.",
        ),
        Mistake("L23", _late, "Your shares are shifted by one place: you count </s> as a word."),
        Mistake(
            "L13",
            lambda *case: length_shares(*case).cumsum(),
            "Each of your shares covers all sentences of *at most* that length. The task asks for each "
            "length separately.",
        ),
        Mistake(
            "L13",
            _among_counted,
            "Your shares add up to 1, but some sentences are longer than `longest`. Divide by the number of "
            "repeats.",
        ),
    ),
    properties=(
        Property(
            "a share does not lie between 0 and 1", lambda value, *case: ((value >= 0) & (value <= 1)).all()
        ),
        *DRAWN,
        counted(1),
    ),
    advice="Draw three sentences and print them. Compare your shares with the exact ones from Task 3.",
)

QUESTIONS = (BIGRAM_TABLE, SAMPLING)
