"""Chapter 10, exact probabilities: one unknown topic in closed form, two known ones by an integral."""

from functools import partial

import numpy as np
from scipy.optimize import minimize_scalar
from scipy.special import betaln, gammaln, logsumexp, roots_jacobi, xlogy

from lmcourse.hints.question import Mistake, Property, Question
from lmcourse.questions.shared.properties import finite
from lmcourse.questions.shared.units import unit_mistakes
from lmcourse.questions.shared.wrong import but, exchanged

# --- one-topic -------------------------------------------------------------------------------------------


def _log_orders(n1, n2):
    return gammaln(n1 + n2 + 1) - gammaln(n1 + 1) - gammaln(n2 + 1)


def _sequence(n1, n2, beta):
    return np.exp(betaln(n1 + beta, n2 + beta) - betaln(beta, beta))


def one_topic(n1, n2, beta):
    """One unknown topic with two words: the next word, a sequence, and all sequences with its counts."""
    sequence = _sequence(n1, n2, beta)
    return {
        "next": (n1 + beta) / (n1 + n2 + 2 * beta),
        "sequence": sequence,
        "counts": np.exp(_log_orders(n1, n2)) * sequence,
    }


def _with_sequence(sequence):
    """The right dictionary with another 'sequence', and the 'counts' that follow from it."""
    return but(
        one_topic,
        {"sequence": sequence, "counts": lambda *case: np.exp(_log_orders(*case[:2])) * sequence(*case)},
    )


ONE_TOPIC = Question(
    key="10.one-topic",
    title="one topic, in closed form",
    kind="derive",
    stars=2,
    points=3,
    form="expression",
    symbols=("n1", "n2", "beta"),
    right=one_topic,
    cases=((3.0, 1.0, 0.5), (2.0, 5.0, 1.7), (6.0, 4.0, 0.9)),
    draw=lambda rng: (
        float(rng.integers(1, 7)),
        float(rng.integers(8, 14)),
        float(rng.choice([0.1, 0.4, 0.5, 2.0, 3.5])),
    ),
    entry_points={"next": 1, "sequence": 1, "counts": 1},
    mistakes=(
        Mistake(
            "M31",
            but(one_topic, {"next": lambda n1, n2, beta: n1 / (n1 + n2)}),
            "Your 'next' is the share of the first word so far. The prior counts as well: a word that has "
            "not occurred yet may still occur.",
        ),
        Mistake(
            "L31",
            but(one_topic, {"next": lambda n1, n2, beta: (n2 + beta) / (n1 + n2 + 2 * beta)}),
            "Your 'next' is the probability of the *second* word.",
        ),
        Mistake(
            "L13",
            but(one_topic, {"next": lambda n1, n2, beta: (n1 + beta) / (n1 + n2 + beta)}),
            "Your 'next' and the same formula for the second word do not sum to 1. The prior adds beta for "
            "each of the two words.",
        ),
        Mistake(
            "L8",
            but(one_topic, {"next": lambda n1, n2, beta: (n1 + 1) / (n1 + n2 + 2)}),
            "Your 'next' is right for beta = 1. Let beta be any positive number.",
        ),
        Mistake(
            "M71",
            _with_sequence(lambda n1, n2, beta: 0.5 ** (n1 + n2)),
            "Your 'sequence' multiplies the probabilities that the words have before anything is read. Given "
            "the topic they are independent, and nobody gives you the topic: each word is predicted from "
            "those before it.",
        ),
        Mistake(
            "M49",
            _with_sequence(lambda n1, n2, beta: (n1 / (n1 + n2)) ** n1 * (n2 / (n1 + n2)) ** n2),
            "Your 'sequence' plugs in the shares of the very words that it scores. Take the mean over all "
            "topics instead.",
        ),
        Mistake(
            "M49",
            _with_sequence(
                lambda n1, n2, beta: (
                    ((n1 + beta) / (n1 + n2 + 2 * beta)) ** n1 * ((n2 + beta) / (n1 + n2 + 2 * beta)) ** n2
                )
            ),
            "Your 'sequence' predicts every word from the counts of *all* words, its own included. Predict "
            "a word only from those before it.",
        ),
        Mistake(
            "L22",
            _with_sequence(lambda n1, n2, beta: np.exp(betaln(n1 + beta, n2 + beta))),
            "Your 'sequence' lacks the constant of the prior density. For n1 = n2 = 0 it has to be 1.",
        ),
        Mistake(
            "L8",
            _with_sequence(lambda n1, n2, beta: np.exp(betaln(n1 + 1, n2 + 1))),
            "Your 'sequence' is right for beta = 1, where the prior is uniform. Let beta be any positive "
            "number.",
        ),
        Mistake(
            "L31",
            exchanged(one_topic, "sequence", "counts"),
            "'sequence' and 'counts' are swapped. One of them adds up many orders.",
        ),
        Mistake(
            "L40",
            but(one_topic, {"sequence": lambda *case: one_topic(*case)["counts"]}),
            "Your 'sequence' adds up all orders of the words. A given sequence is one of them.",
        ),
        Mistake(
            "L22",
            but(one_topic, {"counts": _sequence}),
            "Your 'counts' is the probability of one order. How many orders have the same counts?",
        ),
        Mistake(
            "L34",
            but(
                one_topic,
                {"counts": lambda n1, n2, beta: _sequence(n1, n2, beta) / np.exp(_log_orders(n1, n2))},
            ),
            "Your 'counts' divides by the number of orders. Each order has the same probability, and the "
            "task asks for all of them together.",
        ),
    ),
    properties=(
        Property(
            "a probability does not lie between 0 and 1",
            lambda value, *case: all(0 < entry < 1 for entry in value.values()),
        ),
    ),
    advice="Multiply the predictions of the words one by one: for the sequence first, first, second they are "
    "1/2, (1 + beta) / (1 + 2 beta) and beta / (2 + 2 beta).",
)

# --- integral --------------------------------------------------------------------------------------------


def nodes(alpha, words):
    """Weights t of the first topic and logarithms of their masses: exact for documents of so many words."""
    x, mass = roots_jacobi(words // 2 + 2, alpha - 1, alpha - 1)
    return (1 + x) / 2, np.log(mass) - np.log(mass.sum())


def given_weights(topics, counts, t):
    """ln p(d | t) for each weight t of the first of two topics."""
    t = np.atleast_1d(t)[:, None]
    return xlogy(counts, t * topics[0] + (1 - t) * topics[1]).sum(axis=1)


def exact(topics, alpha, counts):
    """Surprisal of a document under two topics, in nats; the weights are integrated out."""
    t, masses = nodes(alpha, int(counts.sum()))
    return -logsumexp(given_weights(topics, counts, t) + masses)


def sampled(topics, alpha, counts, draws):
    """The same from draws of the first weight from its prior."""
    return np.log(len(draws)) - logsumexp(given_weights(topics, counts, draws))


def best_weight(topics, counts):
    """The weight of the first topic that gives the document its largest probability."""
    grid = np.linspace(0, 1, 201)
    start = grid[given_weights(topics, counts, grid).argmax()]
    bounds = max(0.0, start - 0.005), min(1.0, start + 0.005)
    found = minimize_scalar(
        lambda t: -given_weights(topics, counts, t)[0],
        bounds=bounds,
        method="bounded",
        options={"xatol": 1e-12},
    )
    return max([*bounds, found.x], key=lambda t: given_weights(topics, counts, t)[0])


def posterior_mean(topics, alpha, counts):
    """The mean of the first weight, given the words of a document."""
    t, masses = nodes(alpha, int(counts.sum()) + 1)
    logs = given_weights(topics, counts, t) + masses
    return np.exp(logsumexp(logs, b=t) - logsumexp(logs))


def two_ways(topics, alpha, counts, draws, integral=exact, estimate=sampled):
    """Surprisal of a document in nats, by an integral and by draws from the prior; (2, V), (V,), (S,)."""
    return {
        "exact": integral(topics, alpha, counts),
        "sampled": estimate(topics, alpha, counts, draws),
    }


def _mean_of_nats(topics, alpha, counts):
    t, masses = nodes(alpha, 2000)
    return -np.exp(masses) @ given_weights(topics, counts, t)


def _orders(counts):
    return gammaln(counts.sum() + 1) - gammaln(counts + 1).sum()


def _draw_document(rng, alpha=None, words=None, draws=None):
    """Two topics that differ, a document drawn from them, and draws from the prior."""
    V = int(rng.integers(5, 10))
    alpha = float(rng.choice([0.5, 2.0, 3.0])) if alpha is None else alpha
    topics = (rng.dirichlet(np.full(V, 0.6), size=2) + 0.02) / (1 + 0.02 * V)
    t = rng.beta(alpha, alpha)
    words = int(rng.integers(12, 40)) if words is None else words
    counts = rng.multinomial(words, t * topics[0] + (1 - t) * topics[1])
    return topics, alpha, counts, rng.beta(alpha, alpha, size=draws or rng.integers(6, 30))


INTEGRAL = Question(
    key="10.integral",
    title="two topics, all weights",
    kind="implement",
    stars=3,
    points=3,
    right=two_ways,
    cases=(
        (
            np.array([[0.5, 0.3, 0.1, 0.1], [0.1, 0.1, 0.2, 0.6]]),
            2.0,
            np.array([3, 2, 0, 1]),
            np.array([0.9, 0.35, 0.5, 0.62, 0.71]),
        ),
        _draw_document(np.random.default_rng(1000), alpha=3.0),
        _draw_document(np.random.default_rng(1004), alpha=0.5),
        _draw_document(np.random.default_rng(1008), alpha=2.0, words=700),
    ),
    draw=_draw_document,
    odd=(
        lambda rng: _draw_document(rng, alpha=1.0),
        lambda rng: _draw_document(rng, words=700, draws=400),
        lambda rng: _draw_document(rng, words=1),
    ),
    entry_points={"exact": 2, "sampled": 1},
    mistakes=(
        *unit_mistakes(two_ways, "M2 M5", only=("exact", "sampled")),
        Mistake(
            "M4",
            lambda *case: {key: np.exp(-nats) for key, nats in two_ways(*case).items()},
            "You return a probability. The task asks for surprisals in nats.",
        ),
        Mistake(
            "L1",
            lambda *case: {key: nats / case[2].sum() for key, nats in two_ways(*case).items()},
            "You return nats per word. The task asks for the total of the document.",
        ),
        Mistake(
            "M71",
            partial(
                two_ways,
                integral=lambda topics, alpha, counts: -xlogy(counts, topics.mean(axis=0)).sum(),
            ),
            "Your 'exact' multiplies the probabilities that the words have one by one, with the weights "
            "integrated out of each. Multiply first, and integrate the product.",
        ),
        Mistake(
            "M71",
            partial(
                two_ways,
                estimate=lambda topics, alpha, counts, draws: (
                    -xlogy(counts, draws.mean() * topics[0] + (1 - draws.mean()) * topics[1]).sum()
                ),
            ),
            "Your 'sampled' uses the mean weight for every word. Compute the probability of the whole "
            "document for each draw, and take the mean of these.",
        ),
        Mistake(
            "M49",
            partial(
                two_ways,
                integral=lambda topics, alpha, counts: (
                    -given_weights(topics, counts, best_weight(topics, counts))[0]
                ),
            ),
            "Your 'exact' plugs in the weight that suits these very words best. The weight is not known: "
            "take the mean over all weights.",
        ),
        Mistake(
            "M49",
            partial(
                two_ways,
                integral=lambda topics, alpha, counts: (
                    -given_weights(topics, counts, posterior_mean(topics, alpha, counts))[0]
                ),
            ),
            "Your 'exact' plugs in the posterior mean, which has seen these very words. Take the mean of "
            "the document's probability over all weights, with their prior density.",
        ),
        Mistake(
            "L30",
            partial(two_ways, integral=_mean_of_nats),
            "Your 'exact' is the mean of -ln p(d | theta). Take the mean of the probabilities, and the "
            "logarithm last.",
        ),
        Mistake(
            "L30",
            partial(
                two_ways,
                estimate=lambda topics, alpha, counts, draws: -given_weights(topics, counts, draws).mean(),
            ),
            "Your 'sampled' is the mean of the nats of the draws. Take the mean of their probabilities, and "
            "the logarithm last.",
        ),
        Mistake(
            "L8",
            partial(two_ways, integral=lambda topics, alpha, counts: exact(topics, 1.0, counts)),
            "Your 'exact' has a uniform prior. The density of theta is proportional to theta^(alpha - 1) "
            "(1 - theta)^(alpha - 1).",
        ),
        Mistake(
            "L22",
            partial(
                two_ways,
                integral=lambda topics, alpha, counts: exact(topics, alpha, counts) - betaln(alpha, alpha),
            ),
            "Your 'exact' lacks the constant of the prior density. For a document without words the integral "
            "has to be 1.",
        ),
        Mistake(
            "L1",
            partial(
                two_ways,
                estimate=lambda topics, alpha, counts, draws: (
                    -logsumexp(given_weights(topics, counts, draws))
                ),
            ),
            "Your 'sampled' adds the probabilities of the draws and does not divide by their number.",
        ),
        Mistake(
            "L25",
            partial(
                two_ways,
                estimate=lambda topics, alpha, counts, draws: -given_weights(topics, counts, draws).max(),
            ),
            "Your 'sampled' is that of the best draw alone. Take the mean over all of them.",
        ),
        Mistake(
            "L31",
            partial(
                two_ways,
                estimate=lambda topics, alpha, counts, draws: sampled(topics, alpha, counts, 1 - draws),
            ),
            "In your 'sampled' the two topics are swapped: a draw is the weight of the *first* topic.",
        ),
        Mistake(
            "L40",
            partial(
                two_ways,
                integral=lambda topics, alpha, counts: exact(topics, alpha, counts) - _orders(counts),
                estimate=lambda topics, alpha, counts, draws: (
                    sampled(topics, alpha, counts, draws) - _orders(counts)
                ),
            ),
            "You have added up all orders of the words, with the multinomial coefficient. The task asks for "
            "the surprisal of the sequence.",
        ),
    ),
    properties=(
        Property(
            "a number is infinite. The product of several hundred probabilities is too small for a float: "
            "add logarithms, subtract the largest before you take exponentials, and add it again at the end, "
            "as logsumexp does",
            finite,
        ),
        Property(
            "'exact' is below the nats of the best weight, and a mean of probabilities cannot be above the "
            "largest of them",
            lambda value, topics, alpha, counts, draws: (
                value["exact"] >= -given_weights(topics, counts, best_weight(topics, counts))[0] - 1e-9
            ),
        ),
    ),
    precision="Use more nodes, or an integrator with an error estimate; where alpha is 0.5, substitute "
    "theta = sin(u)**2.",
    advice="Test your function on one word: both numbers are near -ln of the word's mean probability under "
    "the two topics. A long document underflows unless you add logarithms.",
    alike=tuple(
        (one, other, "in the last case a few nats are less than two thousandths of the total")
        for one, others in (
            ("right", ("M71", "M49", "M49 (2)", "L8", "L22", "L31")),
            ("L31", ("M71", "M71 (2)", "M49", "M49 (2)", "L8", "L22")),
            ("M71", ("M49", "M49 (2)", "L8")),
            ("M49", ("M49 (2)",)),
            ("L8", ("L22",)),
            ("L1 (2)", ("L25",)),
        )
        for other in others
    ),
)

QUESTIONS = (ONE_TOPIC, INTEGRAL)
