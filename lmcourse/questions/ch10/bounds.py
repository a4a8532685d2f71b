"""Chapter 10, bounds: the variational bound of a document, and what lies below or above the exact number."""

from functools import partial

import numpy as np
from scipy.special import digamma, gammaln

from lmcourse.hints.question import Mistake, Property, Question
from lmcourse.questions.ch10.exact import best_weight, exact, given_weights, posterior_mean
from lmcourse.questions.shared.designs import always_or_example, refuted_but
from lmcourse.questions.shared.properties import FINITE
from lmcourse.questions.shared.units import LN2
from lmcourse.questions.shared.wrong import but

# --- bound -----------------------------------------------------------------------------------------------


def _kl(gamma, alpha):
    """KL divergence of Dirichlet(gamma) from the symmetric Dirichlet(alpha), in nats."""
    expected = digamma(gamma) - digamma(gamma.sum())
    return (
        gammaln(gamma.sum())
        - gammaln(gamma).sum()
        - gammaln(alpha * len(gamma))
        + len(gamma) * gammaln(alpha)
        + (gamma - alpha) @ expected
    )


def _kl_backwards(gamma, alpha):
    prior = np.full(len(gamma), alpha)
    expected = digamma(prior) - digamma(prior.sum())
    return (
        gammaln(prior.sum())
        - gammaln(prior).sum()
        - gammaln(gamma.sum())
        + gammaln(gamma).sum()
        + (prior - gamma) @ expected
    )


def _geometric(gamma):
    return np.exp(digamma(gamma) - digamma(gamma.sum()))


def _mean(gamma):
    return gamma / gamma.sum()


def _update(topics, alpha, counts, gamma, weigh):
    shares = weigh(gamma)[:, None] * topics
    return alpha + (counts * shares / shares.sum(axis=0)).sum(axis=1)


def bound(topics, alpha, counts, gamma, steps, weigh=_geometric, weights=_kl, update=_update, scored=None):
    """Bounds before the first step and after each, the last in bits per word, and the mean weights."""
    nats = []
    for step in range(steps + 1):
        if step:
            gamma = update(topics, alpha, counts, gamma, weigh)
        nats.append(weights(gamma, alpha) - counts @ np.log((scored or weigh)(gamma) @ topics))
    return {"nats": np.array(nats), "bits": nats[-1] / LN2 / counts.sum(), "weights": gamma / gamma.sum()}


def _one_step_late(topics, alpha, counts, gamma, steps):
    first = _update(topics, alpha, counts, gamma, _geometric)
    return bound(topics, alpha, counts, first, steps)


def _last(*case):
    return bound(*case)["nats"][-1]


def _words_of(case):
    return case[2].sum()


def _draw_bound(rng, words=None, topics=None):
    K, V = topics or int(rng.integers(2, 4)), int(rng.integers(5, 9))
    phi = (rng.dirichlet(np.full(V, 0.6), size=K) + 0.02) / (1 + 0.02 * V)
    alpha = float(rng.choice([0.3, 0.5, 1.5, 2.0]))
    counts = rng.multinomial(words or rng.integers(8, 30), rng.dirichlet(np.full(K, alpha)) @ phi)
    return phi, alpha, counts, rng.uniform(0.6, 4.0, size=K).round(2), int(rng.integers(2, 6))


BOUND = Question(
    key="10.bound",
    title="a bound, and how tight it is",
    kind="implement",
    stars=2,
    points=3,
    right=bound,
    cases=(
        (
            np.array([[0.5, 0.3, 0.1, 0.1], [0.1, 0.1, 0.2, 0.6]]),
            0.5,
            np.array([3, 2, 0, 1]),
            np.array([1.0, 2.5]),
            3,
        ),
        _draw_bound(np.random.default_rng(1052), topics=3),
    ),
    draw=_draw_bound,
    odd=(lambda rng: _draw_bound(rng, words=1), lambda rng: (*_draw_bound(rng)[:4], 0)),
    entry_points={"nats": 1, "bits": 1, "weights": 1},
    mistakes=(
        Mistake(
            "M48",
            but(
                bound,
                {"nats": lambda *case: -bound(*case)["nats"], "bits": lambda *case: -bound(*case)["bits"]},
            ),
            "Your bounds are negative: they are lower bounds on ln p(d). The task asks for upper bounds on "
            "the surprisal, so change the sign.",
            explains="answer",
        ),
        Mistake(
            "L22",
            partial(bound, weights=lambda gamma, alpha: 0.0),
            "Your bounds lack the divergence of q from the prior. Without it nothing keeps q from fitting "
            "the words.",
            explains="answer",
        ),
        Mistake(
            "M5",
            partial(bound, weights=lambda gamma, alpha: -_kl(gamma, alpha)),
            "Your bounds subtract the divergence. Add it: the farther q is from the prior, the more nats.",
            explains="answer",
        ),
        Mistake(
            "M50",
            partial(bound, weights=_kl_backwards),
            "Your divergence is that of the prior from q. The mean is taken under q, so q stands first.",
            explains="answer",
        ),
        Mistake(
            "L30",
            partial(bound, weigh=_mean),
            "You put the mean of theta where exp(E ln theta) belongs. With the mean, the number bounds "
            "nothing.",
            explains="answer",
        ),
        Mistake(
            "L30",
            partial(bound, scored=_mean),
            "Your words are scored with the mean of theta, where exp(E ln theta) belongs. With the mean, the "
            "number bounds nothing.",
            explains="answer",
        ),
        Mistake(
            "L22",
            partial(bound, update=lambda *case: _update(case[0], 0.0, *case[2:])),
            "Your step forgets the prior: alpha is added to every entry of the new gamma.",
            explains="answer",
        ),
        Mistake(
            "L35",
            partial(
                bound,
                update=lambda topics, alpha, counts, gamma, weigh: _update(
                    topics, alpha, counts > 0, gamma, weigh
                ),
            ),
            "Your step counts each word type once. A word that occurs three times adds its shares three "
            "times.",
            explains="answer",
        ),
        Mistake(
            "L22",
            partial(
                bound,
                update=lambda topics, alpha, counts, gamma, weigh: _update(
                    topics, alpha, counts, gamma, np.ones_like
                ),
            ),
            "The shares of your step do not depend on gamma. The share of topic k in word w is proportional "
            "to phi_kw exp(E ln theta_k).",
            explains="answer",
        ),
        Mistake(
            "L23",
            _one_step_late,
            "Your first bound is the one after the first step. Begin with the gamma that is given, and take "
            "one step fewer.",
            explains="answer",
        ),
        Mistake(
            "M48",
            but(bound, {"bits": lambda *case: _last(*case) / _words_of(case)}),
            "Your 'bits' are nats per word.",
        ),
        Mistake(
            "L3",
            but(bound, {"bits": lambda *case: _last(*case) * LN2 / _words_of(case)}),
            "Your 'bits' are multiplied by ln 2 where they should be divided. A bit is less than a nat, so "
            "there are more of them.",
        ),
        Mistake(
            "L1",
            but(bound, {"bits": lambda *case: _last(*case) / LN2}),
            "Your 'bits' are those of the whole document. Divide by the number of its words.",
        ),
        Mistake(
            "M4",
            but(bound, {"bits": lambda *case: np.exp(_last(*case) / _words_of(case))}),
            "Your 'bits' are a perplexity. The task asks for bits per word.",
        ),
        Mistake(
            "L27",
            but(bound, {"bits": lambda *case: _last(*case) / LN2 / (case[2] > 0).sum()}),
            "Your 'bits' are divided by the number of word types. Divide by the running words, which were "
            "scored.",
        ),
        Mistake(
            "L33",
            but(
                bound,
                {
                    "weights": lambda *case: (
                        bound(*case)["weights"] * (case[1] * len(case[0]) + _words_of(case))
                    )
                },
            ),
            "Your 'weights' are gamma itself. Divide by its sum.",
        ),
    ),
    alike=(),
    properties=(
        FINITE,
        Property(
            "a bound of yours rises from one step to the next. Each step minimises over a part of q, so none "
            "may rise",
            lambda value, *case: (np.diff(value["nats"]) <= 1e-9).all(),
        ),
        Property(
            "a bound of yours is below the exact surprisal of the document",
            lambda value, topics, alpha, counts, *rest: (
                len(topics) != 2 or (value["nats"] >= exact(topics, alpha, counts) - 1e-9).all()
            ),
        ),
    ),
    advice="Test your function on a document without words and gamma = (alpha, alpha): the bound is 0.",
)

# --- order -----------------------------------------------------------------------------------------------

MARGIN = 1e-6
"""By how many nats an example has to differ."""


def _nats(topics, counts, t):
    return -given_weights(topics, counts, t)[0]


def _best(topics, alpha, counts):
    return _nats(topics, counts, best_weight(topics, counts)), exact(topics, alpha, counts)


def _own_mean(topics, alpha, counts):
    return _nats(topics, counts, posterior_mean(topics, alpha, counts)), exact(topics, alpha, counts)


def _true(topics, alpha, theta, counts):
    return _nats(topics, counts, theta), exact(topics, alpha, counts)


def _completed(topics, alpha, read, scored):
    plugged = _nats(topics, scored, posterior_mean(topics, alpha, read))
    return plugged, exact(topics, alpha, read + scored) - exact(topics, alpha, read)


STATEMENTS = {
    "A": (_best, -1, ("counts",), "(topics, alpha, counts)"),
    "B": (_own_mean, -1, ("counts",), "(topics, alpha, counts)"),
    "C": (_true, -1, ("theta", "counts"), "(topics, alpha, theta, counts)"),
    "D": (_completed, 1, ("counts", "counts"), "(topics, alpha, read, scored)"),
}
"""For each statement: plug-in and exact nats of an example, whether the plug-in is said to be lower (-1) or
higher (1), what an example holds besides topics and alpha, and its form."""

order = refuted_but("AB")


def _numbers(given, what):
    """An array of the right kind, or a sentence."""
    try:
        array = np.asarray(given, dtype=float)
    except (TypeError, ValueError):
        return f"{what} are not numbers."
    return array if np.isfinite(array).all() else f"{what} are not finite."


def _read_parts(key, given):
    """The arguments of the statement's function, or a sentence on what is wrong with an example."""
    _, _, kinds, form = STATEMENTS[key]
    if len(given) != 2 + len(kinds):
        return f"It has to have the form {form}."
    topics = _numbers(given[0], "The topics")
    if isinstance(topics, str):
        return topics
    if topics.ndim != 2 or len(topics) != 2 or topics.shape[1] < 2:
        return "The topics have to be two rows, each with at least two words."
    if (topics < 0).any() or not np.allclose(topics.sum(axis=1), 1, rtol=0, atol=1e-6):
        return "The probabilities of each topic have to be at least 0 and sum to 1."
    alpha = _numbers(given[1], "alpha")
    if isinstance(alpha, str) or alpha.ndim or not 0.01 <= alpha <= 1000:
        return "alpha has to be one number between 0.01 and 1000."
    parts = [topics / topics.sum(axis=1, keepdims=True), float(alpha)]
    for kind, entry in zip(kinds, given[2:], strict=True):
        part = _read_theta(entry) if kind == "theta" else _read_counts(entry, topics)
        if isinstance(part, str):
            return part
        parts.append(part)
    words = sum(part.sum() for part in parts[2:] if np.ndim(part))
    if not 1 <= words <= 200:
        return "The document has to have between 1 and 200 words."
    if np.ndim(parts[-1]) and parts[-1].sum() == 0:
        return "The part to be scored has no words."
    return parts


def _read_theta(given):
    theta = _numbers(given, "theta")
    if isinstance(theta, str):
        return theta
    if theta.shape == (2,) and abs(theta.sum() - 1) < 1e-6:
        theta = theta[0]
    if np.ndim(theta) or not 0 < theta < 1:
        return "theta is the weight of the first topic, a number above 0 and below 1."
    return float(theta)


def _read_counts(given, topics):
    counts = _numbers(given, "The counts")
    if isinstance(counts, str):
        return counts
    if counts.shape != (topics.shape[1],) or (counts < 0).any() or (counts != counts.round()).any():
        return f"Counts are {topics.shape[1]} whole numbers, one for each word of the topics."
    if (counts[topics.sum(axis=0) == 0] > 0).any():
        return "A word occurs that neither topic has."
    return counts.astype(int)


def _refute(key, given):
    """What is wrong with an example, or "" (see `always_or_example`)."""
    parts = _read_parts(key, given)
    if isinstance(parts, str):
        return f"cannot be used. {parts}"
    plug, sign, *_ = STATEMENTS[key]
    with np.errstate(all="ignore"):
        plugged, whole = plug(*parts)
    if sign * (whole - plugged) > MARGIN:  # never for A and B, by the theorem
        return ""
    told = f"the plug-in is {plugged:.6g} nats and the exact number {whole:.6g}"
    return f"does not refute the statement: {told}."


ORDER = Question(
    key="10.order",
    title="below or above, always?",
    kind="protocol",
    stars=3,
    points=4,
    form="value",
    right=order,
    cases=((),),
    reading=always_or_example({key: form for key, (*_, form) in STATEMENTS.items()}, _refute),
    entry_points=dict.fromkeys(STATEMENTS, 1),
    mistakes=(
        Mistake(
            "L46",
            but(order, {"C": lambda: "always"}),
            "C holds on average over documents that are drawn with theta. A single document may be one that "
            "theta makes improbable: construct it.",
        ),
        Mistake(
            "L46",
            but(order, {"D": lambda: "always"}),
            "D holds on average, by Gibbs' inequality. For one document, look for words to score that a "
            "theta in the middle suits better than the mean over all theta: one word of each topic, say.",
        ),
        Mistake(
            "L46",
            refuted_but("ABCD"),
            "C and D hold on average over documents. The statements speak of *each* document: try documents "
            "of two words.",
        ),
    ),
    advice="Look for an example with two topics of one word each. To prove a statement, write ln p(d | "
    "theta) as a sum over the words: is it concave in theta?",
)

QUESTIONS = (BOUND, ORDER)
