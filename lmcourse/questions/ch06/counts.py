"""Chapter 06, from counts: what is set aside for unseen words, and what a table knows of a new text."""

from functools import partial

import numpy as np

from lmcourse.hints.question import Mistake, Property, Question
from lmcourse.questions.shared.wrong import but, then

# --- set-aside -------------------------------------------------------------------------------------------


def set_aside(counts, V, k, D, to_unseen=None, denominator=None, types=None, once=None):
    """The probability of all unseen words together, four ways; counts: those of the words that were seen."""
    tokens, T = counts.sum(), types or len(counts)
    unseen = V - len(counts)
    share = unseen / V if to_unseen is None else to_unseen
    weight = k * V / (denominator or tokens + k * V)
    singletons = (counts == 1).sum() / tokens if once is None else once
    return {
        "add-k": weight * share,
        "Good-Turing": singletons,
        "absolute": D * T / tokens * share,
        "Witten-Bell": T / (tokens + T) * share,
    }


def _draw_context(rng, once=None):
    """Counts in any order, ``once`` of them 1."""
    counts = rng.geometric(0.4, size=rng.integers(3, 7)) + 1
    counts[0] += 2
    counts = rng.permutation(
        np.append(counts, np.ones(int(rng.integers(0, 4)) if once is None else once, dtype=int))
    )
    V = int(len(counts) + rng.integers(3, 12))
    return counts, V, round(rng.uniform(0.05, 0.9), 2), round(rng.uniform(0.5, 0.95), 2)


SET_ASIDE = Question(
    key="06.set-aside",
    title="what is set aside",
    kind="compute",
    stars=1,
    points=2,
    right=set_aside,
    cases=(
        (np.array([4, 2, 1, 1]), 10, 0.5, 0.75),
        (np.array([9, 5, 3, 2, 1]), 8, 0.1, 0.6),
        (np.array([3, 2, 6, 2]), 9, 0.2, 0.7),
    ),
    draw=_draw_context,
    odd=(lambda rng: _draw_context(rng, once=0), lambda rng: _draw_context(rng, once=1)),
    mistakes=(
        Mistake(
            "L13",
            partial(set_aside, to_unseen=1.0),
            "You give everything that is set aside to the unseen words. It is shared out over all V words, "
            "so the seen words get a part of it too.",
        ),
        Mistake(
            "L13",
            lambda counts, V, k, D: (
                set_aside(counts, V, k, D)
                | {"add-k": k * (V - len(counts)) / (counts.sum() + k * (V - len(counts)))}
            ),
            "Your 'add-k' adds k to the unseen words only. Every word of the vocabulary gets it.",
        ),
        Mistake(
            "L13",
            lambda counts, V, k, D: (
                set_aside(counts, V, k, D) | {"add-k": k * (V - len(counts)) / (counts.sum() + k)}
            ),
            "Your 'add-k' has one k in the denominator, but V of them were added, so its row does not sum "
            "to 1.",
        ),
        Mistake(
            "L35",
            lambda counts, V, k, D: set_aside(counts, V, k, D, types=int(counts.sum())),
            "Your T is the number of tokens. T is the number of different words: one discount is taken from "
            "each, and each was new once.",
            shown_by=("Witten-Bell",),
        ),
        Mistake(
            "L22",
            but(set_aside, {"absolute": lambda counts, V, k, D: D * (V - len(counts)) / V}),
            "Your 'absolute' sets D aside. One D is taken from each word that was seen: D T(h) of the c(h) "
            "tokens.",
        ),
        Mistake(
            "L23",
            lambda counts, V, k, D: set_aside(counts, V, k, D, once=(counts == 1).sum() / len(counts)),
            "Your 'Good-Turing' is the share of the words that were seen once. The task asks for their "
            "share of the tokens: how many tokens are the only ones of their kind?",
        ),
        Mistake(
            "L37",
            lambda counts, V, k, D: set_aside(
                counts, V, k, D, once=(counts == counts.min()).sum() / counts.sum()
            ),
            "Your 'Good-Turing' treats the words with the lowest count as if they had been seen once. Where "
            "every word was seen twice or more, no token was the only one of its kind.",
        ),
        Mistake(
            "L1",
            lambda counts, V, k, D: {
                name: mass / (V - len(counts)) for name, mass in set_aside(counts, V, k, D).items()
            },
            "Your numbers are for one unseen word. The task asks for all of them together.",
        ),
        Mistake(
            "L31",
            then(set_aside, lambda found: {name: 1 - mass for name, mass in found.items()}),
            "Your numbers are the shares of the seen words. The unseen ones get the rest.",
        ),
    ),
    properties=(
        Property(
            "a mass is not between 0 and 1", lambda value, *_: all(0 <= mass <= 1 for mass in value.values())
        ),
    ),
    alike=(
        ("right", "L37", "In the first two contexts the lowest count is 1."),
        ("right", "L23", "In the third context no word was seen once: both shares are 0."),
    ),
    advice="Write down the probability of one unseen word in each method. How many such words are there?",
)

# --- fates -----------------------------------------------------------------------------------------------

FATES = ("seen", "unseen", "new context", "unknown")


def _padded(sentence, end=True):
    return ["<s>", *sentence, *(["</s>"] if end else [])]


def _ngrams(tokens, n):
    """The n-grams that end at each token but the first; shorter ones where the text begins."""
    return [tuple(tokens[max(0, t - n + 1) : t + 1]) for t in range(1, len(tokens))]


def _all_ngrams(sentences, n, end=True, joined=False):
    if joined:
        return _ngrams([token for sentence in sentences for token in _padded(sentence)], n)
    return [ngram for sentence in sentences for ngram in _ngrams(_padded(sentence, end), n)]


def fates(train, test, n, order=("unknown", "seen", "new context", "unseen"), kinds=list, **how):
    """How many tokens of test sentences a table of n-grams of train knows, and why not the others."""
    seen = set(_all_ngrams(train, n, **how))
    known, contexts = {ngram[-1] for ngram in seen}, {ngram[:-1] for ngram in seen}
    holds = {
        "unknown": lambda ngram: ngram[-1] not in known,
        "seen": lambda ngram: ngram in seen,
        "new context": lambda ngram: ngram[:-1] not in contexts,
        "unseen": lambda ngram: True,
    }
    counts = dict.fromkeys(FATES, 0)
    for ngram in kinds(_all_ngrams(test, n, **how)):
        counts[next(fate for fate in order if holds[fate](ngram))] += 1
    return counts


def _draw_sentences(rng):
    words = np.array(["the", "cat", "dog", "sleeps", "eats", "moon", "a", "and"])
    rare = np.array(["lantern", "ferry", "salt"])
    train, test = (
        [
            [str(word) for word in rng.choice(np.append(words, more), size=rng.integers(3, 8))]
            for _ in range(5)
        ]
        for more in ([], rare)
    )
    test += [["the", "salt", "ferry", "moon"], test[0], train[0], [], ["salt"]]
    return train, test, int(rng.integers(2, 4))


def _sentences(text):
    return [line.split() for line in text.split(" / ")]


TRAIN = "the cat sleeps / the dog sleeps / a dog and a cat eat / the moon"
FATES_OF_TOKENS = Question(
    key="06.fates",
    title="why a table fails",
    kind="implement",
    stars=2,
    points=2,
    right=fates,
    cases=(
        (
            _sentences(TRAIN),
            _sentences("the cat sleeps / the lantern and the dog eat / a moon / the salt lantern sleeps"),
            2,
        ),
        (
            _sentences(TRAIN),
            _sentences("the dog and a salt ferry / a dog and the cat eat / the cat and a moon / a dog eat"),
            3,
        ),
    ),
    draw=_draw_sentences,
    odd=tuple(lambda rng, n=n: (*_draw_sentences(rng)[:2], n) for n in (1, 4)),
    mistakes=(
        Mistake(
            "L21",
            partial(fates, end=False),
            "Your counts fall short by one token for each sentence: </s> is predicted too.",
            explains="answer",
        ),
        Mistake(
            "L20",
            partial(fates, joined=True),
            "Your n-grams run on from one sentence into the next, and you predict <s>. Each sentence starts "
            "afresh from <s>.",
            explains="answer",
        ),
        Mistake(
            "L23",
            partial(fates, kinds=set),
            "You count each different n-gram of the test once. Tokens are scored, so count tokens.",
            explains="answer",
        ),
        Mistake(
            "M28",
            partial(fates, order=("seen", "new context", "unseen")),
            "None of your tokens is unknown, but some words of the test never occur in the training text. "
            "Smoothing shares mass among the words of a vocabulary, and these are not in it.",
            explains="answer",
        ),
        Mistake(
            "L31",
            partial(fates, order=("new context", "unknown", "seen", "unseen")),
            "You put an unknown word after a new context under the context. Go through the rows of the "
            "task's table in order: the first one that fits decides.",
            explains="answer",
        ),
        Mistake(
            "L24",
            partial(fates, order=("unknown", "seen", "unseen")),
            "None of your contexts is new. Where the context never occurred, the relative frequency is 0 / "
            "0, not 0.",
            explains="answer",
        ),
        Mistake(
            "L23",
            lambda train, test, n: fates(train, test, n + 1),
            "Your n-grams have n words of context. An n-gram has n - 1 of them, and then the word itself.",
            explains="answer",
        ),
        Mistake(
            "L17",
            lambda train, test, n: fates([*train, *test], test, n),
            "Every token of the test is seen: the table has learnt from the test.",
            explains="answer",
        ),
    ),
    properties=(
        Property("a count is negative", lambda value, *_: min(value.values()) >= 0),
        Property(
            "the four counts do not add up to the words of the test and one </s> for each sentence",
            lambda value, train, test, n: sum(value.values()) == sum(len(sentence) + 1 for sentence in test),
        ),
    ),
    advice="Pad each sentence to <s> ... </s>. The n-gram at t is tokens[max(0, t - n + 1) : t + 1].",
)

QUESTIONS = (SET_ASIDE, FATES_OF_TOKENS)
