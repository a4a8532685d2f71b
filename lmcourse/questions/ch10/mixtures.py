"""Chapter 10, words from topics: the mixture as a matrix product, and a derivation to read line by line."""

import re
from functools import partial

import numpy as np
from scipy.special import gammaln, xlogy

from lmcourse.hints.answers import Unreadable, plain_data
from lmcourse.hints.question import Mistake, Property, Question
from lmcourse.questions.shared.properties import PERPLEXITY
from lmcourse.questions.shared.units import perplexity_mistakes
from lmcourse.questions.shared.wrong import but

# --- mixture ---------------------------------------------------------------------------------------------


def _product(weights, topics):
    return weights @ topics


def _pooled(weights, topics, counts, p):
    return np.exp(-xlogy(counts, p).sum() / counts.sum())


def mixture(weights, topics, counts, words=_product, perplexity=_pooled):
    """p(w | d) of each word of each document, and the perplexity; (D, K), (K, V), (D, V)."""
    p = words(weights, topics)
    return {"p": p, "perplexity": perplexity(weights, topics, counts, p)}


def _losses(counts, p):
    """Nats and words of each document that has words."""
    some = counts.sum(axis=1) > 0
    return -xlogy(counts, p).sum(axis=1)[some], counts.sum(axis=1)[some]


def _mean_of_documents(weights, topics, counts, p):
    nats, words = _losses(counts, p)
    return np.exp(nats / words).mean()


def _mean_of_losses(weights, topics, counts, p):
    nats, words = _losses(counts, p)
    return np.exp((nats / words).mean())


def _log_inside(weights, topics, counts, p):
    inside = weights @ np.log(np.where(topics > 0, topics, 1e-300))
    return np.exp(-(counts * inside).sum() / counts.sum())


def _with_orders(weights, topics, counts, p):
    orders = (gammaln(counts.sum(axis=1) + 1) - gammaln(counts + 1).sum(axis=1)).sum()
    return np.exp(-(xlogy(counts, p).sum() + orders) / counts.sum())


def _draw_mixture(rng, zeros=False, empty=False):
    D, K, V = int(rng.integers(3, 6)), int(rng.integers(2, 4)), int(rng.integers(5, 9))
    topics = rng.dirichlet(np.full(V, 0.8), size=K) * 0.95 + 0.05 / V
    weights = rng.dirichlet(np.full(K, 0.7), size=D) * 0.9 + 0.1 / K
    lengths = rng.permutation([4, 15, 30, 9, 20, 12])[:D]
    counts = np.array([rng.multinomial(n, p) for n, p in zip(lengths, weights @ topics, strict=True)])
    if zeros:
        topics[:, -1] = 0.0
        topics /= topics.sum(axis=1, keepdims=True)
        counts[:, -1] = 0
        counts[:, 0] += 1
    if empty:
        counts[-1] = 0
    return weights, topics, counts


MIXTURE = Question(
    key="10.mixture",
    title="one matrix product",
    kind="implement",
    stars=1,
    points=2,
    right=mixture,
    cases=(
        (
            np.array([[0.75, 0.25], [0.2, 0.8]]),
            np.array([[0.5, 0.3, 0.1, 0.1], [0.1, 0.1, 0.2, 0.6]]),
            np.array([[3, 2, 0, 1], [1, 0, 0, 2]]),
        ),
        _draw_mixture(np.random.default_rng(1003)),
    ),
    draw=_draw_mixture,
    odd=(
        lambda rng: _draw_mixture(rng, zeros=True),
        lambda rng: _draw_mixture(rng, empty=True),
    ),
    entry_points={"p": 1, "perplexity": 1},
    mistakes=(
        *perplexity_mistakes(mixture, "M1 M2 M4 M5", only=("perplexity",)),
        Mistake(
            "M8",
            partial(mixture, perplexity=_mean_of_documents),
            "Your 'perplexity' is the mean of the documents' perplexities. Add the nats of all documents, "
            "count all words, divide once.",
        ),
        Mistake(
            "M9",
            partial(mixture, perplexity=_mean_of_losses),
            "Your 'perplexity' gives a short document the weight of a long one. Add the nats of all "
            "documents, count all words, divide once.",
        ),
        Mistake(
            "L30",
            partial(mixture, perplexity=_log_inside),
            "Your 'perplexity' takes the logarithm of each topic and then the mean over the topics. A word "
            "has the probability sum_k theta_dk phi_kw: add first, and take the logarithm of the sum.",
        ),
        Mistake(
            "L35",
            partial(
                mixture, perplexity=lambda weights, topics, counts, p: _pooled(weights, topics, counts > 0, p)
            ),
            "Your 'perplexity' scores each word type of a document once. A word that occurs three times is "
            "scored three times.",
        ),
        Mistake(
            "L27",
            partial(
                mixture,
                perplexity=lambda weights, topics, counts, p: np.exp(
                    -xlogy(counts, p).sum() / (counts > 0).sum()
                ),
            ),
            "Your 'perplexity' scores every running word and divides by the word types. Divide by what is "
            "scored.",
        ),
        Mistake(
            "L1",
            partial(
                mixture,
                perplexity=lambda weights, topics, counts, p: np.exp(-xlogy(counts, p).sum() / len(counts)),
            ),
            "Your 'perplexity' divides the nats by the number of documents. Divide by the number of their "
            "words.",
        ),
        Mistake(
            "L40",
            partial(mixture, perplexity=_with_orders),
            "Your 'perplexity' adds up all orders in which the words could stand: you use the multinomial "
            "coefficient. The text has one order, so score the sequence.",
        ),
        Mistake(
            "L25",
            partial(mixture, words=lambda weights, topics: topics[weights.argmax(axis=1)]),
            "You take each document's largest topic for the whole document. All topics contribute, "
            "each with its weight.",
        ),
        Mistake(
            "L24",
            partial(
                mixture,
                words=lambda weights, topics: np.tile(weights.mean(axis=0) @ topics, (len(weights), 1)),
            ),
            "You give all documents the same probabilities. Each document has its own weights, and so its "
            "own row of the product.",
        ),
        Mistake(
            "L24",
            partial(mixture, words=lambda weights, topics: np.tile(topics.mean(axis=0), (len(weights), 1))),
            "You take the plain mean of the topics. Each document has its own weights.",
        ),
    ),
    properties=(
        Property(
            "a row of 'p' does not sum to 1",
            lambda value, *case: np.allclose(value["p"].sum(axis=1), 1.0, rtol=0, atol=1e-6),
        ),
        Property(
            "'perplexity' is infinite or not a number. A word that does not occur adds nothing, even if its "
            "probability is 0",
            lambda value, *case: bool(np.isfinite(value["perplexity"])),
            about_nan=True,
        ),
        Property(PERPLEXITY.message, lambda value, *case: value["perplexity"] >= 1),
    ),
    advice="The first row of 'p' is theta_d1 times the first topic plus theta_d2 times the second. Work "
    "out the first document of inputs('10.mixture') by hand.",
)

# --- formula ---------------------------------------------------------------------------------------------

SLIPS = {"given": "B", "index": "C", "inside": "E", "sides": "F"}
"""For each slip the line of the derivation that has it."""


def formula():
    """In which line of the derivation each slip is."""
    return dict(SLIPS)


def read_lines(answer):
    """One letter for each key, in any case and with any blanks, or in a list of one."""
    answer = plain_data(answer)
    if not isinstance(answer, dict) or set(answer) != set(SLIPS):
        keys = ", ".join(map(repr, SLIPS))
        raise Unreadable(f"your answer must be a dictionary with the keys {keys}, each with one letter.")
    value, problems = {}, {}
    for key, given in answer.items():
        given = given[0] if isinstance(given, list | tuple) and len(given) == 1 else given
        text = re.sub(r"(?i)\bline\b", "", given) if isinstance(given, str) else ""
        letter = text.strip(" .():'\"").upper()
        value[key] = letter if len(letter) == 1 and letter in "ABCDEFG" else ""
        if not value[key]:
            problems[key] = f'"{key}" is {given!r}. Give one of the letters A to G, in quotes.'
    return value, problems


SAID = {
    "A": "Line A is right: the independence is given something, and both sides are about one document.",
    "B": "Line B has no logarithm, every letter in it is bound, and both sides are about one document. Its "
    "slip is a different one.",
    "C": "Line C has no logarithm, and both sides are about one word. Its slip is a different one.",
    "D": "Line D is right: the logarithm is that of a mixture, and both sums bind their letters.",
    "E": "In line E every letter is bound, and both sides are about one document. Its slip is a different "
    "one.",
    "F": "In line F every letter is bound, and each logarithm is that of a probability. Its slip is a "
    "different one.",
    "G": "Line G is right: the logarithm of a product is a sum of logarithms, and both sides are about all "
    "documents.",
}
"""For each line what to say if it is named for a slip that it does not have."""


FORMULA = Question(
    key="10.formula",
    title="a derivation with four slips",
    kind="debug",
    stars=2,
    points=4,
    form="value",
    right=formula,
    cases=((),),
    reading=read_lines,
    entry_points=dict.fromkeys(SLIPS, 1),
    mistakes=tuple(
        Mistake(
            "L28" if letter in "ADG" else "L31",
            but(formula, {slip: lambda letter=letter: letter}),
            hint,
        )
        for slip, right in SLIPS.items()
        for letter, hint in SAID.items()
        if letter != right
    ),
    advice="Take two documents, and say for each line in words what its left side is: a number for one word, "
    "for one document or for all. Then ask the same of its right side.",
)

QUESTIONS = (MIXTURE, FORMULA)
