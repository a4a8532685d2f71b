"""Chapter 10, choices by completion: the priors, and the number of topics with a paired interval."""

from functools import partial

import numpy as np

from lmcourse.hints.answers import plain_data
from lmcourse.hints.question import Mistake, Property, Question
from lmcourse.questions.shared.wrong import but

# --- priors ----------------------------------------------------------------------------------------------


def _of(runs, K):
    return [run for run in runs if run["K"] == K]


def _sizes(runs):
    return sorted({run["K"] for run in runs})


def _best_pair(runs, K, part="valid", over=np.mean):
    losses: dict = {}
    for run in _of(runs, K):
        losses.setdefault((run["alpha"], run["beta"]), []).append(run[part])
    return min(losses, key=lambda pair: over(losses[pair]))


def _at_an_end(runs, K, pair, ends=(min, max)):
    lists = [[run[name] for run in _of(runs, K)] for name in ("alpha", "beta")]
    return [float(value in [end(values) for end in ends]) for value, values in zip(pair, lists, strict=True)]


def _share(K, alpha, beta, length):
    return K * alpha / (K * alpha + length)


def priors(runs, length, best=_best_pair, at_an_end=_at_an_end, share=_share, sizes=_sizes):
    """For each number of topics: the best priors, which of them are at an end, and what the first weighs."""
    pairs = {K: best(runs, K) for K in sizes(runs)}
    return {
        "best": np.array([*pairs.values()], dtype=float),
        "ends": np.array([at_an_end(runs, K, pair) for K, pair in pairs.items()]),
        "share": np.array([share(K, *pair, length) for K, pair in pairs.items()]),
    }


def _as_they_come(runs):
    return [*dict.fromkeys(run["K"] for run in runs)]


def _ends_of_all(runs, K, pair):
    """The lists of all numbers of topics thrown together."""
    return [
        float(value in (min(values), max(values)))
        for value, values in zip(
            pair, ([run[name] for run in runs] for name in ("alpha", "beta")), strict=True
        )
    ]


def _draw_priors(rng, many=3, starts=3, betas=None):
    """Runs whose best priors are at an end for some numbers of topics; test pages prefer other pairs."""
    while True:
        sizes = sorted(int(K) for K in rng.choice([5, 20, 50, 100, 200], size=many, replace=False))
        runs = []
        for K in sizes:
            alphas = np.array([0.2, 1, 5, 25])[rng.integers(2) :][: int(rng.integers(2, 4))] / K
            lists = np.array([0.001, 0.005, 0.02, 0.1, 0.5])[rng.integers(2) :][
                : betas or int(rng.integers(3, 5))
            ]
            peak = np.log(rng.choice([1, 5, 25]) / K), np.log(rng.choice([0.001, 0.005, 0.02, 0.1]))
            base = 5.9 - 0.08 * np.log(K)
            for alpha in alphas:
                for beta in lists:
                    off = (np.log(alpha) - peak[0]) ** 2 / 2 + (np.log(beta) - peak[1]) ** 2 / 3
                    for seed in range(starts):
                        valid, test = base + 0.02 * off + rng.normal(0, 0.03, size=2) - np.array([0, 0.07])
                        runs.append({
                            "K": K, "alpha": float(f"{alpha:.4g}"), "beta": float(beta), "seed": seed,
                            "valid": float(f"{valid:.5g}"), "test": float(f"{test:.5g}"),
                        })  # fmt: skip
        case = [runs[i] for i in rng.permutation(len(runs))], int(rng.integers(40, 200))
        if _priors_are_clear(*case):
            return case


def _priors_are_clear(runs, length):
    """Whether no choice hangs on the last digit."""
    for K in _sizes(runs):
        of_pair: dict = {}
        for run in _of(runs, K):
            of_pair.setdefault((run["alpha"], run["beta"]), []).append(run["valid"])
        means = sorted(np.mean(losses) for losses in of_pair.values())
        if len(means) > 1 and means[1] - means[0] < 1e-3:
            return False
    return True


def _telling(seed):
    """A drawn case in which each wrong choice shows, and some priors lie inside their lists."""
    rng = np.random.default_rng(seed)
    while True:
        case = _draw_priors(rng)
        found = [
            priors(*case),
            priors(*case, best=partial(_best_pair, part="test")),
            priors(*case, best=partial(_best_pair, over=min)),
        ]
        apart = all((one["best"] != found[0]["best"]).any() for one in found[1:])
        sizes, ends = _sizes(case[0]), found[0]["ends"]
        lists = {run["beta"] for run in case[0]}
        if (
            apart
            and _as_they_come(case[0]) not in (sizes, sizes[::-1])
            and set(ends[:, 0]) == set(ends[:, 1]) == {0.0, 1.0}
            and len({*map(tuple, ends.tolist())}) == 3
            and len(lists) == 5
        ):
            return case


def read_priors(answer, runs, length):
    """Truth values are as good as 0 and 1 in "ends"."""
    answer = plain_data(answer)
    if isinstance(answer, dict) and "ends" in answer:
        try:
            ends = np.array(answer["ends"])
        except ValueError:  # rows of different lengths
            return answer, {}
        if ends.dtype == bool:
            answer = answer | {"ends": ends.astype(float)}
    return answer, {}


PRIORS = Question(
    key="10.priors",
    title="at the end of the list",
    kind="protocol",
    stars=2,
    points=3,
    right=priors,
    cases=(_telling(1071), _telling(1072)),
    draw=_draw_priors,
    reading=read_priors,
    odd=(
        lambda rng: _draw_priors(rng, many=1),
        lambda rng: _draw_priors(rng, starts=1),
        lambda rng: _draw_priors(rng, betas=1),
    ),
    entry_points={"best": 1, "ends": 1, "share": 1},
    mistakes=(
        Mistake(
            "M79",
            partial(priors, best=partial(_best_pair, part="test")),
            "You choose the priors on the test pages. These are for the report: choose on the validation "
            "pages.",
            explains="answer",
        ),
        Mistake(
            "L25",
            partial(priors, best=partial(_best_pair, over=min)),
            "You take the pair of the single lowest run, which may have had a lucky start. Take the mean "
            "over the starts of a pair.",
            explains="answer",
        ),
        Mistake(
            "L7",
            partial(priors, best=lambda runs, K: _best_pair(runs, K, over=lambda v: -np.mean(v))),
            "Your 'best' has the highest losses.",
            explains="answer",
        ),
        Mistake(
            "L31",
            partial(priors, sizes=_as_they_come),
            "Your rows stand in the order in which the numbers of topics occur. Sort them, smallest first.",
            explains="answer",
        ),
        Mistake(
            "L31",
            but(priors, {"best": lambda *case: priors(*case)["best"][:, ::-1]}),
            "In your 'best' alpha and beta are swapped.",
        ),
        Mistake(
            "L31",
            but(priors, {"ends": lambda *case: priors(*case)["ends"][:, ::-1]}),
            "In your 'ends' alpha and beta are swapped.",
        ),
        Mistake(
            "L22",
            partial(priors, at_an_end=partial(_at_an_end, ends=(max,))),
            "Your 'ends' look at the largest value of a list only. The smallest is an end, too.",
        ),
        Mistake(
            "L22",
            partial(priors, at_an_end=partial(_at_an_end, ends=(min,))),
            "Your 'ends' look at the smallest value of a list only. The largest is an end, too.",
        ),
        Mistake(
            "L7",
            but(priors, {"ends": lambda *case: 1 - priors(*case)["ends"]}),
            "Your 'ends' are 1 where the value lies inside its list.",
        ),
        Mistake(
            "L24",
            partial(priors, at_an_end=_ends_of_all),
            "Your 'ends' use the values of all numbers of topics together. Each number has lists of its own.",
        ),
        Mistake(
            "L22",
            partial(priors, share=lambda K, alpha, beta, length: alpha / (alpha + length)),
            "Your 'share' counts alpha once. Each of the K topics gets it.",
        ),
        Mistake(
            "L34",
            partial(priors, share=lambda K, alpha, beta, length: K * alpha / length),
            "Your 'share' is a ratio of the prior to the words. Divide by both together.",
        ),
        Mistake(
            "L7",
            partial(priors, share=lambda K, alpha, beta, length: length / (K * alpha + length)),
            "Your 'share' is that of the words.",
        ),
        Mistake(
            "L31",
            partial(priors, share=lambda K, alpha, beta, length: K * beta / (K * beta + length)),
            "Your 'share' uses beta, the prior of the words of a topic. The weights of a page have the prior "
            "alpha.",
        ),
    ),
    alike=(
        ("right", "L22", "in the second case no best value is the smallest of its list"),
        ("L22 (2)", "L24", "in the second case neither finds an end"),
    ),
    properties=(
        Property(
            "a 'share' is not between 0 and 1",
            lambda value, *case: ((value["share"] > 0) & (value["share"] < 1)).all(),
        ),
    ),
    advice="Collect the runs of one number of topics, and of these the losses of one pair. Then print the "
    "values of alpha and beta that were tried, and look where the best one stands.",
)

# --- choose ----------------------------------------------------------------------------------------------


def _same_words(run, first):
    return run["split"] == first["split"] and run["removed"] == first["removed"]


def _pooled(run):
    return run["nats"].sum() / run["words"].sum()


def _paired(run, other):
    """Rise of the loss from the other run to this one, and its standard error over documents."""
    d, n = run["nats"] - other["nats"], run["words"]
    rise = d.sum() / n.sum()
    return rise, _error(d, n)


def _error(d, n):
    off = d - d.sum() / n.sum() * n
    return np.sqrt(len(d) / (len(d) - 1) * (off**2).sum()) / n.sum()


def _unpaired(run, other):
    errors = (_error(some["nats"], some["words"]) for some in (run, other))
    return _pooled(run) - _pooled(other), np.hypot(*errors)


def _of_one_document(run, other):
    rise, error = _paired(run, other)
    return rise, error * np.sqrt(len(run["words"]))


def _mean_of_pages(run, other):
    rises = (run["nats"] - other["nats"]) / run["words"]
    return rises.mean(), rises.std(ddof=1) / np.sqrt(len(rises))


def _spread_of_pages(run, other):
    return _paired(run, other)[0], _mean_of_pages(run, other)[1]


def _of_the_sample(run, other):
    rise, error = _paired(run, other)
    return rise, error * np.sqrt((len(run["words"]) - 1) / len(run["words"]))


def _upper(rise, error, z):
    return rise + z * error


def _lower(rise, error, z):
    return rise - z * error


def _fewest(good, best):
    return min(topics for topics in good if topics <= best)


def choose(
    runs,
    z,
    same=_same_words,
    loss=_pooled,
    lowest=None,
    choice=_fewest,
    estimate=_paired,
    end=_lower,
    shown=np.asarray,
):
    """Losses and lower ends of the runs that may be compared with the first, the best K and the choice."""
    used = np.array([same(run, runs[0]) for run in runs])
    losses = np.array([loss(run) if use else np.nan for run, use in zip(runs, used, strict=True)])
    key = losses if lowest is None else np.where(used, [lowest(run) for run in runs], np.nan)
    best = runs[int(np.nanargmin(key))]
    low = np.array(
        [end(*estimate(run, best), z) if use else np.nan for run, use in zip(runs, used, strict=True)]
    )
    good = [best["K"], *(run["K"] for run, bound in zip(runs, low, strict=True) if bound <= 0)]
    return {
        "loss": shown(losses),
        "low": low,
        "best": float(best["K"]),
        "choice": float(choice(good, best["K"])),
    }


def _lowest_training(runs, z):
    return float(min(runs, key=lambda run: run["training"])["K"])


def _draw_runs(rng, documents=None, flat=False, alone=False, odd=None, all_without=False):
    """Runs with many K: one on another split, one without stop words; the training loss always falls."""
    while True:
        D = documents or int(rng.integers(14, 26))
        Ks = [1, 2, 5, 10, 20, 50, 100]
        words = rng.integers(30, 400, size=D)
        hard = rng.normal(0, 0.35, size=D)
        shape = np.array([0.42, 0.2, 0.055, 0.006, 0.0, 0.02, 0.05]) * (0.1 if flat else 1.0)
        shape = shape + rng.normal(0, 0.005, size=len(Ks))
        other_split, no_stop_words = odd or (rng.permutation(len(Ks) - 1)[:2] + 1)
        base = rng.uniform(5.2, 5.8)
        runs = []
        for i, K in enumerate(Ks):
            other = not alone and i == other_split
            removed = not alone and i == no_stop_words
            n = words if not removed else (words * rng.uniform(0.5, 0.7, size=D)).astype(int)
            mood = rng.normal(0, 0.3, size=D) if other else hard
            level = base + shape[i] - (0.3 if other else 0.0) + (0.9 if removed else 0.0)
            nats = n * (level + mood + rng.normal(0, 0.035, size=D))
            runs.append(
                {
                    "K": K,
                    "split": 2 if other else 1,
                    "removed": 120 if removed else 0,
                    "nats": nats.round(2),
                    "words": n,
                    "training": float(round(np.exp(base - 0.1 - 0.11 * i), 1)),
                }
            )
        one, other = (int(seed) for seed in rng.permutation(90)[:2] + 10)
        for run in runs:
            run["split"] = {1: one, 2: other}[run["split"]]
            run["removed"] = 120 - run["removed"] if all_without else run["removed"]
        tail = [runs[i] for i in rng.permutation(np.arange(1, len(runs)))]
        case = [runs[0], *tail], float(rng.choice([1.28, 1.64, 2.58]))
        if _clear(*case):
            return case


def _clear(runs, z):
    """Whether no verdict hangs on a rounding."""
    used = [run for run in runs if _same_words(run, runs[0])]
    best = min(used, key=_pooled)
    gaps = [rise - z * error for rise, error in (_paired(run, best) for run in used if run is not best)]
    losses = sorted(map(_pooled, used))
    return min(np.abs(gaps)) > 5e-4 and losses[1] - losses[0] > 1e-4


CHOOSE = Question(
    key="10.choose",
    title="how many topics?",
    kind="protocol",
    stars=3,
    points=4,
    right=choose,
    cases=(
        _draw_runs(np.random.default_rng(1004), odd=(6, 1)),
        _draw_runs(np.random.default_rng(1005), odd=(1, 6)),
        _draw_runs(np.random.default_rng(1060), odd=(3, 1)),
    ),
    draw=_draw_runs,
    odd=(
        lambda rng: _draw_runs(rng, alone=True),
        lambda rng: _draw_runs(rng, all_without=True),
        lambda rng: _draw_runs(rng, flat=True),
        lambda rng: _draw_runs(rng, documents=6),
    ),
    entry_points={"loss": 1, "low": 1, "best": 1, "choice": 1},
    mistakes=(
        Mistake(
            "M67",
            partial(
                choose,
                lowest=lambda run: run["training"],
                choice=lambda good, best: best,
            ),
            "You choose by the perplexity of the training documents. The best fit to "
            "them cannot get worse with more topics, so this favours the largest number.",
            explains="answer",
        ),
        Mistake(
            "M67",
            partial(
                choose,
                same=lambda run, first: True,
                lowest=lambda run: run["training"],
                choice=lambda good, best: best,
            ),
            "You take the lowest training perplexity of all runs. The best fit to the training documents "
            "cannot get worse with more topics. And some of the runs have scored words other than those of "
            "the first.",
            explains="answer",
        ),
        Mistake(
            "M67",
            but(choose, dict.fromkeys(("best", "choice"), _lowest_training)),
            "Your 'best' and your 'choice' have the lowest training perplexity of all runs. Take the lowest "
            "loss of the runs that have scored the same words.",
        ),
        Mistake(
            "M67",
            partial(choose, lowest=lambda run: run["training"]),
            "Your 'best' has the lowest perplexity of the training documents. Take the lowest loss of the "
            "words that are scored.",
        ),
        Mistake(
            "M69",
            partial(choose, same=lambda run, first: run["removed"] == first["removed"]),
            "You compare runs that have scored other halves of the documents. The split, too, says which "
            "words a run has scored.",
            explains="answer",
        ),
        Mistake(
            "M68",
            partial(choose, same=lambda run, first: run["split"] == first["split"]),
            "You compare runs that had words removed from their text. What is left is a different text, "
            "with fewer easy words.",
            explains="answer",
        ),
        Mistake(
            "M69 + M68",
            partial(choose, same=lambda run, first: True),
            "You compare all runs. Some have scored words other than those of the first run: another half "
            "of the documents, or a text from which words were removed.",
            explains="answer",
        ),
        Mistake(
            "M63",
            partial(choose, estimate=_unpaired),
            "Your interval is that of two runs which read different documents. They have scored the same "
            "words: take the differences document by document first.",
            explains="answer",
        ),
        Mistake(
            "L1",
            partial(choose, estimate=_of_one_document),
            "Your interval is as wide as the spread of single documents. The error of a mean over D "
            "documents is smaller by the square root of D.",
            explains="answer",
        ),
        Mistake(
            "M9",
            partial(choose, estimate=_mean_of_pages),
            "Your 'low' is about the mean of the pages' rises, in which a short page weighs as much as a "
            "long one. Divide sums by sums, as in the formula.",
            explains="answer",
        ),
        Mistake(
            "M9",
            partial(choose, estimate=_spread_of_pages),
            "Your standard error is that of a mean over pages. The rise is a ratio of two sums: use the "
            "formula of the task.",
            explains="answer",
        ),
        Mistake(
            "L23",
            partial(choose, estimate=_of_the_sample),
            "Your standard error lacks the factor D / (D - 1) under the root.",
            explains="answer",
        ),
        Mistake(
            "L8",
            lambda runs, z: choose(runs, 1.96),
            "Your interval uses 1.96. The number of standard errors is the argument z.",
            explains="answer",
        ),
        Mistake(
            "L31",
            partial(choose, end=_upper),
            "Your 'low' is the upper end of the interval.",
            explains="answer",
        ),
        Mistake(
            "L7",
            partial(choose, estimate=lambda run, best: _paired(best, run)),
            "Your differences are those of the best run over the others. Above 0 should mean that a run is "
            "worse than the best one.",
            explains="answer",
        ),
        Mistake(
            "L22",
            partial(choose, choice=lambda good, best: best),
            "Your 'choice' is always the lowest loss. The task asks for the fewest topics that these pages "
            "cannot tell from it: look at the intervals.",
        ),
        Mistake(
            "L22",
            partial(
                choose,
                choice=lambda good, best: max(good),
            ),
            "Your 'choice' takes the largest number of topics that these pages cannot tell from the best. "
            "The task asks for the fewest.",
        ),
        Mistake(
            "M9",
            partial(choose, loss=lambda run: (run["nats"] / run["words"]).mean()),
            "Your losses give a short document the weight of a long one. Add nats, count words, divide once.",
            explains="answer",
        ),
        Mistake(
            "M4",
            partial(choose, shown=np.exp),
            "Your 'loss' holds perplexities. The task asks for nats per word.",
        ),
        Mistake(
            "M2",
            partial(choose, shown=lambda losses: losses / np.log(2)),
            "Your 'loss' is {ratio} = 1 / ln 2 times what it should be: it is in bits.",
        ),
        Mistake(
            "L1",
            partial(choose, loss=lambda run: run["nats"].mean()),
            "Your 'loss' is in nats per document. Divide by the number of words.",
        ),
    ),
    alike=(
        ("right", "L22", "in the third case every run with fewer topics is worse"),
        ("L22", "L22 (2)", "in the second case every run with more topics is worse"),
    ),
    properties=(
        Property(
            "'choice' has more topics than 'best'",
            lambda value, *case: value["choice"] <= value["best"],
        ),
        Property(
            "'loss' has a number for a run that has not scored the words of the first run, or no number for "
            "a run that has",
            lambda value, runs, z: all(
                np.isnan(number) != _same_words(run, runs[0])
                for run, number in zip(runs, value["loss"], strict=True)
            ),
        ),
    ),
    advice="First find the runs that have scored the same words as the first. Then pool, take the lowest, "
    "and test each run with fewer topics against it, document by document.",
)

QUESTIONS = (PRIORS, CHOOSE)
