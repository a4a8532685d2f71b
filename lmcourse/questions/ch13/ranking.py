"""Chapter 13, ranking: equal scores, and a rank correlation with its interval."""

from functools import partial

import numpy as np
from scipy.stats import rankdata

from lmcourse.hints.question import Mistake, Property, Question
from lmcourse.questions.shared.properties import FINITE
from lmcourse.questions.shared.wrong import but

# --- ties ------------------------------------------------------------------------------------------------


def _tied(scores):
    """Which candidates of each question have the highest score; (Q, K) -> (Q, K)."""
    return scores == scores.max(axis=1, keepdims=True)


def _at(values, right):
    return values[np.arange(len(right)), right]


def ties(scores, right):
    """The accuracy with a tie shared out, and the range that it leaves; scores (Q, K), right (Q,)."""
    best = _tied(scores)
    alone = best & (best.sum(axis=1, keepdims=True) == 1)
    return {
        "expected": _at(best / best.sum(axis=1, keepdims=True), right).mean(),
        "range": np.array([_at(alone, right).mean(), _at(best, right).mean()]),
    }


def _draw_scores(rng, distinct=4, first=None):
    """Log probabilities of which many are equal; ``first``: how often the first candidate is right."""
    while True:
        Q, K = int(rng.integers(8, 14)), int(rng.integers(3, 6))
        scores = -1.0 - 0.5 * rng.integers(0, distinct, size=(Q, K))
        right = rng.integers(K, size=Q)
        right = np.where(rng.random(Q) < (0.4 if first is None else first), 0, right)
        found, wrong = ties(scores, right), [(scores.argmax(axis=1) == right).mean()]
        values = [found["expected"], *found["range"], *wrong, ties(-scores, right)["expected"]]
        values += [(_at(_tied(scores), right) / K).mean(), found["range"].mean()]
        if distinct < 3 or len({round(float(value), 6) for value in values}) == len(values):
            return scores, right


TIES = Question(
    key="13.ties",
    title="equal scores",
    kind="implement",
    stars=2,
    points=2,
    right=ties,
    cases=tuple(_draw_scores(np.random.default_rng(seed)) for seed in (1311, 1312)),
    draw=_draw_scores,
    odd=(partial(_draw_scores, distinct=1), partial(_draw_scores, distinct=2)),
    entry_points={"expected": 1, "range": 1},
    mistakes=(
        Mistake(
            "M53",
            but(ties, {"expected": lambda scores, right: (scores.argmax(axis=1) == right).mean()}),
            "Your 'expected' takes the first of the best candidates: argmax does that. It depends on the "
            "order in which the candidates are listed.",
        ),
        Mistake(
            "L8",
            but(ties, {"expected": lambda scores, right: ties(scores, right)["range"][1]}),
            "Your 'expected' counts every tie as right, though the model has not chosen.",
        ),
        Mistake(
            "L8",
            but(ties, {"expected": lambda scores, right: ties(scores, right)["range"][0]}),
            "Your 'expected' counts every tie as wrong. Drawing among the best is sometimes right.",
        ),
        Mistake(
            "L8",
            but(ties, {"expected": lambda *case: ties(*case)["range"].mean()}),
            "You give one half for every tie. One of three equal answers is drawn one time in three.",
        ),
        Mistake(
            "M54",
            but(
                ties,
                {"expected": lambda scores, right: (_at(_tied(scores), right) / scores.shape[1]).mean()},
            ),
            "You share one point among all candidates. Share it among those that have the highest score.",
        ),
        Mistake(
            "L7",
            lambda scores, right: ties(-scores, right),
            "You choose the lowest score. These are log probabilities: the highest is the most probable.",
        ),
        Mistake(
            "L31",
            lambda scores, right: {**ties(scores, right), "range": ties(scores, right)["range"][::-1]},
            "The ends of your 'range' are swapped: the lower one comes first.",
        ),
        Mistake(
            "L1",
            lambda scores, right: {key: value * len(right) for key, value in ties(scores, right).items()},
            "Those are numbers of questions. An accuracy is a share of them.",
        ),
    ),
    properties=(
        Property(
            "it changes when the candidates are listed in another order",
            lambda value, second: abs(value["expected"] - second["expected"]) < 1e-9,
            also=lambda scores, right: (scores[:, ::-1], scores.shape[1] - 1 - right),
        ),
    ),
    advice="Two questions with two equal candidates each: expected 1/2, range 0 to 1.",
)

# --- rank-interval ---------------------------------------------------------------------------------------

TAILS = (0.025, 0.975)


def _pearson(x, y):
    x, y = (v - v.mean(axis=-1, keepdims=True) for v in (x, y))
    return (x * y).sum(axis=-1) / np.sqrt((x**2).sum(axis=-1) * (y**2).sum(axis=-1))


def _spearman(x, y, method="average"):
    return _pearson(*(rankdata(v, axis=-1, method=method) for v in (x, y)))


def _by_squares(x, y):
    """The short formula, which holds without ties."""
    n = x.shape[-1]
    squares = ((rankdata(x, axis=-1) - rankdata(y, axis=-1)) ** 2).sum(axis=-1)
    return 1 - 6 * squares / (n * (n**2 - 1))


def rank_interval(perplexities, accuracies, draws, correlation=_spearman, tails=TAILS):
    """Spearman's correlation, and its interval over the drawn sets of models; (M,), (M,), (B, M)."""
    resampled = correlation(perplexities[draws], accuracies[draws])
    return {
        "rho": correlation(perplexities, accuracies),
        "interval": np.quantile(resampled, tails),
    }


def _unpaired(perplexities, accuracies, draws):
    others = np.roll(draws, 1, axis=0)
    found = _spearman(perplexities[draws], accuracies[others])
    return {"rho": _spearman(perplexities, accuracies), "interval": np.quantile(found, TAILS)}


def _draw_models(rng, M=None, steps=20):
    """A handful of models; accuracies of ``steps`` questions, so that some are equal, and 200 draws."""
    while True:
        M = M or int(rng.integers(7, 11))
        perplexities = np.round(np.exp(rng.uniform(2.5, 6.0, size=M)), 1)
        skill = -0.6 * (np.log(perplexities) - 4) + rng.normal(0, 0.9, size=M)
        accuracies = np.round(steps / (1 + np.exp(-0.5 * skill))) / steps
        draws = rng.integers(M, size=(200, M))
        some = len(np.unique(accuracies)) < M and len(np.unique(perplexities)) == M
        if some and all(len(np.unique(accuracies[draw])) > 1 and len(set(draw)) > 1 for draw in draws):
            return perplexities, accuracies, draws


RANK_INTERVAL = Question(
    key="13.rank-interval",
    title="a correlation over a handful of models",
    kind="implement",
    stars=2,
    points=3,
    right=rank_interval,
    cases=(
        _draw_models(np.random.default_rng(1322), M=8, steps=12),
        _draw_models(np.random.default_rng(1324), M=10),
    ),
    draw=_draw_models,
    odd=(partial(_draw_models, M=6, steps=6),),
    rtol=1e-4,
    atol=1e-6,
    entry_points={"rho": 1, "interval": 2},
    mistakes=(
        Mistake(
            "M53",
            partial(rank_interval, correlation=partial(_spearman, method="ordinal")),
            "Models with the same accuracy get different ranks from you, in the order in which they are "
            "listed. Equal values share the mean of their ranks.",
        ),
        Mistake(
            "L11",
            partial(rank_interval, correlation=_by_squares),
            "The formula with the squared differences of ranks holds only without ties. Take the linear "
            "correlation of the ranks.",
        ),
        Mistake(
            "L9",
            partial(rank_interval, correlation=_pearson),
            "You correlate the values and not their ranks, so that one model with a very high perplexity "
            "decides. A rank correlation is the same for a perplexity and for its logarithm.",
        ),
        Mistake(
            "L7",
            partial(rank_interval, correlation=lambda x, y: -_spearman(x, y)),
            "Your sign is reversed. The correlation is that of the perplexity with the accuracy: it is "
            "negative if models with a lower perplexity are right more often.",
        ),
        Mistake(
            "M58",
            partial(rank_interval, tails=(0.05, 0.95)),
            "Your interval leaves out 5 per cent at each end, so it holds 90 of 100 draws. The task asks for "
            "95.",
        ),
        Mistake(
            "M58",
            partial(rank_interval, tails=(0.0, 1.0)),
            "Your interval goes from the lowest to the highest of all draws, so it grows with their number.",
        ),
        Mistake(
            "M58",
            lambda *case: {
                "rho": rank_interval(*case)["rho"],
                "interval": np.full(2, rank_interval(*case)["rho"]),
            },
            "Your interval is a point. Each row of draws is a set of models: take the correlation of each.",
        ),
        Mistake(
            "L32",
            _unpaired,
            "You draw perplexities and accuracies separately, and so compare one model's perplexity with "
            "another's accuracy. Draw models.",
        ),
    ),
    properties=(
        FINITE,
        Property(
            "the first number of an interval is the lower one, and yours is not",
            lambda value, *case: value["interval"][0] <= value["interval"][1],
        ),
        Property(
            "a correlation lies between -1 and 1, and one of yours does not",
            lambda value, *case: abs(value["rho"]) <= 1 + 1e-9 and max(abs(value["interval"])) <= 1 + 1e-9,
        ),
    ),
    precision="Take quantiles with NumPy's defaults, and do not round.",
    advice="scipy.stats.spearmanr ranks the values and gives ties their mean rank. Call it once for all "
    "models, and once for each row of draws.",
)

QUESTIONS = (TIES, RANK_INTERVAL)
