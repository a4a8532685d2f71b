"""What chapter 10 says of other starts, priors and numbers of topics: more fits than a page has time for.

It is stored in ``book/reproduced.json`` under "topics", by the same command as the published numbers.
"""

import numpy as np

from lmcourse.measuring.reproduced import made, store
from lmcourse.pages import topics
from lmmetrics import Score

SEEDS = range(6)
SIZES = 1, 5, 20, 50, 100, 200
PRIORS = {"0.1": lambda K: 0.1, "1/K": lambda K: 1 / K}
"""The parameter of both priors, of the weights and of the topics' words: ours, and scikit-learn's default."""
ITERATIONS = 20
SPLIT = 10
RESAMPLES = 10_000


def recompute():
    """Fit and score the models, print what was found, and store it."""
    scores: dict = {}
    rows = list(fits(scores))
    chosen, against = choices(scores)
    store({"topics": made(iterations=ITERATIONS, fits=rows, chosen=chosen, against=against)})


def fits(scores, sizes=SIZES, seeds=SEEDS, iterations=ITERATIONS):
    """Yield one row for each prior, seed and number of topics: the perplexities of numpy-docs.

    In ``scores``, put the scores of the second halves: (part, prior, topics) to a list by seed.
    """
    bags = topics.load("numpy-docs")
    halves = {"valid": bags.valid.split(SPLIT), "test": bags.test.split(SPLIT)}
    for prior, of in PRIORS.items():
        for seed in seeds:
            for K in sizes:
                lda = topics.fit(bags.train.counts, K, seed, of(K), of(K), iterations)
                model = topics.topic_model(lda, bags.train.words)
                row = {"prior": prior, "seed": seed, "topics": K}
                for part, pair in halves.items():
                    each = model.completion_documents(*pair)
                    scores.setdefault((part, prior, K), []).append(each)
                    row[part] = sum(each, start=Score(0.0, tokens=0)).perplexity
                row["printed"] = topics.printed(lda, bags.test.counts)
                row["training"] = model.plug_in(bags.train, model.posterior_weights(bags.train)).perplexity
                print(
                    f"prior {prior:4} seed {seed} {K:4} topics: second halves {row['valid']:.1f} (valid), "
                    f"{row['test']:.1f} (test); training {row['training']:.1f}; printed {row['printed']:,.0f}"
                )
                yield row


def choices(scores, seed=10):
    """Return the number of topics that is chosen for each prior, and a list of comparisons.

    On the validation pages, each number of topics is compared with the one whose loss, the mean over the
    starts, is lowest. The fewest topics whose interval contains 0 are chosen. On the test pages all others
    are compared with the chosen ones; "priors" compares the choices for the two priors, if there are two.
    """
    nats = {case: np.array([[x.nats for x in pages] for pages in runs]) for case, runs in scores.items()}
    words = {part: np.array([x.tokens for x in runs[0]]) for (part, _, _), runs in scores.items()}
    drawn = {
        part: np.random.default_rng(seed).integers(len(n), size=(RESAMPLES, len(n)))
        for part, n in words.items()
    }
    rng = np.random.default_rng(seed + 1)

    def compare(part, theirs, ours):
        found = above(nats[part, *theirs], nats[part, *ours], words[part], drawn[part], rng)
        numbers = dict(zip(("difference", "low", "high"), found, strict=True))
        return {"part": part, "prior": theirs[0], "topics": theirs[1], "than": ours[1], **numbers}

    chosen, against = {}, []
    for prior in dict.fromkeys(prior for _, prior, _ in nats):
        sizes = sorted(K for part, name, K in nats if (part, name) == ("valid", prior))
        lowest = min(sizes, key=lambda K: nats["valid", prior, K].sum())
        rows = [compare("valid", (prior, K), (prior, lowest)) for K in sizes if lowest != K]
        chosen[prior] = min([lowest, *(row["topics"] for row in rows if row["low"] <= 0)])
        rows += [compare("test", (prior, K), (prior, chosen[prior])) for K in sizes if chosen[prior] != K]
        against += rows
    if len(chosen) > 1:
        ours, theirs = chosen.items()
        against.append(compare("test", theirs, ours) | {"prior": "priors"})
    for row in against:
        print(
            f"{row['part']:5} prior {row['prior']:6} {row['topics']:4} topics against {row['than']}: "
            f"{row['low']:+.1f} to {row['high']:+.1f} %"
        )
    return chosen, against


def above(theirs, ours, words, pages, rng):
    """Return how far one perplexity is above another, in per cent, and the ends of its 95 % interval.

    ``theirs`` and ``ours`` are nats, a row for each start; a perplexity is the exponential of the mean loss
    over the starts. Each resample draws pages, ``pages`` in all of them, and for each model as many starts
    as it has.
    """

    def per_cent(nats, n):
        return 100 * np.expm1(nats / n)

    found = np.zeros(len(pages))
    for sign, runs in ((1, theirs), (-1, ours)):
        starts = rng.multinomial(len(runs), np.full(len(runs), 1 / len(runs)), size=len(pages)) / len(runs)
        found += sign * np.take_along_axis(starts @ runs, pages, axis=1).sum(axis=1)
    difference = per_cent((theirs.mean(axis=0) - ours.mean(axis=0)).sum(), words.sum())
    return float(difference), *np.quantile(per_cent(found, words[pages].sum(axis=1)), (0.025, 0.975)).tolist()
