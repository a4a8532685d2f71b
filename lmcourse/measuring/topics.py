"""What chapter 10 says of other seeds, priors and numbers of topics: more fits than a page has time for.

It is stored in ``book/reproduced.json`` under "topics", by the same command as the published numbers.
"""

import numpy as np

from lmcourse.measuring.reproduced import made, store
from lmcourse.pages import topics
from lmmetrics import Score

SEEDS = range(5)
SIZES = 1, 5, 20, 50, 100, 200
PRIORS = {"0.1": lambda K: 0.1, "1/K": lambda K: 1 / K}
"""The prior of the weights; that of the topics' words is 0.1 throughout."""
ITERATIONS = 20
SPLIT = 10
AGAINST = 50
"""The number of topics that all others are compared with."""
RESAMPLES = 10_000


def recompute():
    """Fit and score the models, print what was found, and store it."""
    scores: dict = {}
    rows = list(fits(scores))
    store({"topics": made(iterations=ITERATIONS, fits=rows, against=list(intervals(scores)))})


def fits(scores, sizes=SIZES, seeds=SEEDS, iterations=ITERATIONS):
    """Yield one row for each prior, seed and number of topics: the perplexities of numpy-docs.

    In ``scores``, put the scores of the second halves of the test pages: (prior, topics) to a list by seed.
    """
    bags = topics.load("numpy-docs")
    halves = {"valid": bags.valid.split(SPLIT), "test": bags.test.split(SPLIT)}
    for prior, alpha in PRIORS.items():
        for seed in seeds:
            for K in sizes:
                lda = topics.fit(bags.train.counts, K, seed, alpha=alpha(K), iterations=iterations)
                model = topics.topic_model(lda, bags.train.words)
                row = {"prior": prior, "seed": seed, "topics": K}
                each = {part: model.completion_documents(*pair) for part, pair in halves.items()}
                row |= {
                    part: sum(found, start=Score(0.0, tokens=0)).perplexity for part, found in each.items()
                }
                scores.setdefault((prior, K), []).append(each["test"])
                row["printed"] = topics.printed(lda, bags.test.counts)
                row["training"] = model.plug_in(bags.train, model.posterior_weights(bags.train)).perplexity
                print(
                    f"prior {prior:4} seed {seed} {K:4} topics: second halves {row['valid']:.1f} (valid), "
                    f"{row['test']:.1f} (test); training {row['training']:.1f}; printed {row['printed']:,.0f}"
                )
                yield row


def intervals(scores, seed=10):
    """Yield how far the perplexity of each model is above that of 50 topics: 95 % intervals, in per cent.

    Each resample draws pages, and for both models one of the starting points.
    """
    nats = {
        case: np.array([[score.nats for score in pages] for pages in runs]) for case, runs in scores.items()
    }
    words = np.array([score.tokens for score in next(iter(scores.values()))[0]])
    rng = np.random.default_rng(seed)
    pages = rng.integers(len(words), size=(RESAMPLES, len(words)))
    for (prior, K), theirs in nats.items():
        if K != AGAINST:
            ours = nats[prior, AGAINST]
            both = (runs[rng.integers(len(runs), size=(RESAMPLES, 1)), pages] for runs in (theirs, ours))
            more = np.subtract(*both)
            found = 100 * np.expm1(more.sum(axis=1) / words[pages].sum(axis=1))
            low, high = np.quantile(found, (0.025, 0.975))
            print(f"prior {prior:4} {K:4} topics against {AGAINST}: {low:+.1f} to {high:+.1f} %")
            yield {"prior": prior, "topics": K, "low": low, "high": high}
