"""Chapter 01, many factors at once: a product that underflows, and teacher forcing."""

from dataclasses import replace
from functools import partial

import numpy as np
from scipy.special import log_softmax, logsumexp, softmax

from lmcourse.hints.question import Mistake, Property, Question
from lmcourse.questions.shared.properties import FINITE, unchanged
from lmcourse.questions.shared.units import unit_mistakes

# --- who-wrote-it ----------------------------------------------------------------------------------------


def who_wrote(q):
    """Posterior of K authors, and the regret of a reader who does not know the author; factors q (K, N)."""
    return _posterior(np.log(q).sum(axis=1))


def _posterior(log_probs):
    log_mean = logsumexp(log_probs) - np.log(len(log_probs))
    return {"posterior": softmax(log_probs), "regret": log_probs.max() - log_mean}


def _as_found(q):
    joint = q.prod(axis=1)
    return {"posterior": joint / joint.sum(), "regret": np.log(joint.max() / joint.mean())}


def _regret(formula):
    """The right posterior, with the regret as a wrong formula of the log probabilities (K,)."""
    return lambda q: who_wrote(q) | {"regret": formula(np.log(q).sum(axis=1))}


def _weights(q):
    log_probs = np.log(q).sum(axis=1)
    return np.exp(log_probs - log_probs.max())


def _draw_authors(rng, tokens=None):
    """Authors who differ at a few tokens only, so that the posterior leaves several of them likely."""
    authors, tokens = int(rng.integers(2, 5)), tokens or int(rng.integers(1200, 2000))
    q = np.tile(rng.uniform(0.02, 0.6, size=tokens), (authors, 1))
    for row in q:
        row[rng.choice(tokens, size=4, replace=False)] *= rng.uniform(0.5, 1.5, size=4)
    return (q,)


WHO_WROTE_IT = Question(
    key="01.who-wrote-it",
    title="which author?",
    kind="debug",
    stars=3,
    points=3,
    right=who_wrote,
    cases=(_draw_authors(np.random.default_rng(25), 6), _draw_authors(np.random.default_rng(29), 1500)),
    draw=_draw_authors,
    entry_points={"posterior": 2, "regret": 1},
    mistakes=(
        *(
            replace(mistake, hint=mistake.hint.replace("Your number", "Your 'regret'"))
            for mistake in unit_mistakes(who_wrote, "M2 M3", only=("regret",))
        ),
        Mistake(
            "M5",
            lambda q: who_wrote(q) | {"regret": -who_wrote(q)["regret"]},
            "Your 'regret' has the right size but the wrong sign. A mixture is never better than its best "
            "author.",
        ),
        Mistake(
            "M45",
            _as_found,
            "On a long text every product is 0.0, and 0 / 0 is nan. Stay with logarithms until you have "
            "subtracted the largest of them.",
        ),
        Mistake(
            "L1",
            lambda q: _posterior(np.log(q).mean(axis=1)),
            "You average the log probabilities of the tokens, so a long text counts for as little as one "
            "word. The log probability of a text is their sum.",
        ),
        Mistake(
            "L1",
            lambda q: who_wrote(q) | {"posterior": softmax(np.log(q).mean(axis=1))},
            "Your 'posterior' comes from means over the tokens, so a long text counts for as little as one "
            "word. The log probability of a text is a sum.",
        ),
        Mistake(
            "M6",
            lambda q: who_wrote(q) | {"posterior": np.log(q).sum(axis=1)},
            "Your 'posterior' holds the log probabilities of the text. The task asks for the probabilities "
            "of the authors, which add up to 1.",
        ),
        Mistake(
            "M6",
            lambda q: who_wrote(q) | {"posterior": log_softmax(np.log(q).sum(axis=1))},
            "Your 'posterior' is the logarithm of the one asked for.",
        ),
        Mistake(
            "M33",
            lambda q: who_wrote(q) | {"posterior": _weights(q)},
            "Your 'posterior' is relative to the best author, whose entry is 1. Divide by the sum.",
        ),
        Mistake(
            "L30",
            _regret(lambda log_probs: log_probs.max() - log_probs.mean()),
            "Your 'regret' averages the logarithms. Average the probabilities, and take the logarithm last.",
        ),
        Mistake(
            "L25",
            _regret(lambda log_probs: np.log(len(log_probs))),
            "Your 'regret' is ln K, whatever the text is: your sum of probabilities keeps only the largest. "
            "The other authors add to it.",
        ),
        Mistake(
            "L22",
            _regret(lambda log_probs: log_probs.max() - logsumexp(log_probs)),
            "Your 'regret' is below 0, but a mixture cannot be better than its best author. The prior 1/K of "
            "each author is missing.",
        ),
        Mistake(
            "L22",
            _regret(lambda log_probs: np.log(len(log_probs)) - logsumexp(log_probs)),
            "Your 'regret' is the surprisal of the text under the mixture. Subtract the surprisal under the "
            "best author.",
        ),
        Mistake(
            "L22",
            _regret(lambda log_probs: logsumexp(log_probs) - log_probs.max()),
            "Your 'regret' is the surprisal of the best author after reading. Before reading, each author "
            "has probability 1/K: that factor is missing.",
        ),
        Mistake(
            "L7",
            _regret(lambda log_probs: log_probs.min() - logsumexp(log_probs) + np.log(len(log_probs))),
            "Your 'regret' compares the mixture with the worst author. Compare it with the best.",
        ),
        Mistake(
            "M6",
            lambda q: who_wrote(q) | {"posterior": np.log(q).sum(axis=1) / np.log(q).sum()},
            "Your 'posterior' is proportional to the log probabilities, so the worst author has the largest "
            "share. Make it proportional to the probabilities.",
        ),
        Mistake(
            "L6",
            lambda q: who_wrote(q) | {"posterior": np.where(_weights(q) == 1, 1.0, 0.0)},
            "Your 'posterior' is certain of the best author. The others have probabilities above 0.",
        ),
        Mistake(
            "L8",
            _regret(lambda log_probs: log_probs[0] - logsumexp(log_probs) + np.log(len(log_probs))),
            "Your 'regret' compares the mixture with the first author. Compare it with the best.",
        ),
    ),
    alike=(
        ("right", "M45", "the first text has six tokens, and its products are numbers"),
        ("right", "L8", "in the first text the first author is the best"),
        ("M45", "L8", "both, in the first text"),
        ("L1 (2)", "M6 (3)", "over a long text both are nearly the same for all authors"),
    ),
    properties=(
        FINITE,
        Property(
            "'posterior' does not add up to 1", lambda value, q: np.isclose(value["posterior"].sum(), 1)
        ),
        Property(
            "'regret' does not lie between 0 and ln K, although the best author has a weight of 1/K in the "
            "mixture",
            lambda value, q: -1e-9 <= value["regret"] <= np.log(len(q)) + 1e-9,
        ),
    ),
    advice="With l = ln P for each author and m = max(l), ln(sum of exp(l)) is m + ln(sum of exp(l - m)).",
)

# --- teacher-forcing -------------------------------------------------------------------------------------


def text_log_probs(logits, ids, normalised=log_softmax, shift=1):
    """ln P of each text (B,), from logits (B, T, V) that predict the next of its ids (B, T).

    The logits at position t are for the id at position t + ``shift``.
    """
    positions = ids.shape[1]
    seen = normalised(logits, axis=-1)[:, max(0, -shift) : positions - max(0, shift)]
    came = ids[:, max(0, shift) : positions - max(0, -shift)]
    return np.take_along_axis(seen, came[:, :, None], axis=-1)[..., 0].sum(axis=1)


def _draw_logits(rng):
    """What a bigram network says after each position of some texts; every text begins with <s>, id 0."""
    size, texts, positions = int(rng.integers(5, 9)), int(rng.integers(2, 5)), int(rng.integers(5, 9))
    table = rng.normal(scale=1.5, size=(size, size)) + rng.normal(size=(size, 1))
    ids = np.column_stack([np.zeros(texts, dtype=np.int64), rng.integers(1, size, (texts, positions - 1))])
    return table[ids], ids


TEACHER_FORCING = Question(
    key="01.teacher-forcing",
    title="every factor in one pass",
    kind="implement",
    stars=2,
    points=3,
    right=text_log_probs,
    cases=tuple(_draw_logits(np.random.default_rng(seed)) for seed in (31, 33)),
    draw=_draw_logits,
    mistakes=(
        *unit_mistakes(text_log_probs, "M2 M3 M5"),
        Mistake(
            "M23",
            partial(text_log_probs, shift=2),
            "You shift twice, so the model is asked for the word after next. The logits at position t "
            "predict the id at t + 1. The two are one step apart, so each text has T - 1 factors.",
        ),
        Mistake(
            "M23",
            partial(text_log_probs, shift=0),
            "You have not shifted the targets: the logits at position t are computed after the id at t has "
            "been read, and you ask them to predict that id. Compare them with the id at t + 1.",
        ),
        Mistake(
            "L16",
            partial(text_log_probs, shift=-1),
            "You shift in the wrong direction: your model predicts the past. The logits at t go with the id "
            "at t + 1.",
        ),
        Mistake(
            "M6",
            partial(text_log_probs, normalised=softmax),
            "Your numbers are sums of probabilities. Take the logarithm of each first, with log_softmax.",
        ),
        Mistake(
            "M6",
            lambda logits, ids: np.exp(text_log_probs(logits, ids)),
            "Your numbers are probabilities. The task asks for their logarithms: the probabilities of long "
            "texts are too small to be stored.",
        ),
        Mistake(
            "L6",
            lambda logits, ids: log_softmax(logits, axis=-1)[:, :-1].max(axis=-1).sum(axis=1),
            "You score the most probable id at each position. Score the id that came.",
        ),
        Mistake(
            "L10",
            lambda logits, ids: text_log_probs(logits[:, 1:], ids[:, 1:]),
            "The first word after <s> is not scored. The logits at position 0 predict it.",
        ),
        Mistake(
            "M6",
            partial(text_log_probs, normalised=lambda logits, axis: logits),
            "Your totals are sums of logits. Logits are not log probabilities: normalise with log_softmax.",
        ),
        Mistake(
            "M6",
            partial(text_log_probs, normalised=lambda logits, axis: log_softmax(softmax(logits, axis), axis)),
            "All your factors are near 1/V: softmax is applied twice. F.cross_entropy wants logits.",
        ),
        Mistake(
            "L13",
            partial(text_log_probs, normalised=lambda logits, axis: log_softmax(logits, axis=1)),
            "Your softmax runs over the positions. It is the symbols that compete: dim=-1.",
        ),
        Mistake(
            "L1",
            lambda logits, ids: text_log_probs(logits, ids) / (ids.shape[1] - 1),
            "Your numbers are averages over the positions. The log probability of a text is the sum.",
        ),
    ),
    properties=(
        FINITE,
        Property("a log probability is above 0", lambda value, *case: (value <= 0).all()),
        Property(
            "the numbers change with the logits at the last position, though those predict nothing here",
            unchanged,
            also=lambda logits, ids: (np.concatenate([logits[:, :-1], -logits[:, -1:]], axis=1), ids),
        ),
    ),
    advice="Take one text, <s> cat sleeps: it has three rows of logits and two factors. Which rows, and "
    "which ids?",
)

QUESTIONS = (WHO_WROTE_IT, TEACHER_FORCING)
