"""What chapter 10 says of a cache: the tuned fits again, each mixed with the words that were read of a page.

It is stored in ``book/reproduced.json`` under "topics cache". The priors, the starts, the halves and the
intervals are those of `ch10_topics`, whose part has to be stored before.
"""

import numpy as np

from lmcourse.experiments import ch10_topics
from lmcourse.experiments.ch10_topics import CORPUS, GROUPED_STARTS, ITERATIONS, SIZES, SPLIT, starts
from lmcourse.experiments.storage import made, store, stored
from lmcourse.pages import topics
from lmmetrics import Score, corpora

MUS = 25, 50, 100, 200, 400, 800, 1600
"""How many words the forecast of the model may count for, beside the words that were read."""
MEMORY = "memory"
COMPARED = 100, 200, 400, 800, MEMORY, 50
"""Models that are compared on some of the pages, too; those of `ch10_topics` first, in its order."""
PARTS = "valid", "test"
PAIRS = (
    (1, 50, ("cached", "plain")),
    (50, 400, ("plain", "plain")),
    (50, 400, ("cached", "cached")),
    (1, 50, ("cached", "cached")),
    (MEMORY, 800, ("cached", "cached")),
    (MEMORY, MEMORY, ("cached", "plain")),
)
"""Pairs of models that are compared, and whether each of the two has the cache."""


def recompute():
    """Fit the models again, choose the weight of each cache, compare them, and store what was found."""
    bags, best = topics.load(CORPUS), ch10_topics.best_priors(stored()["topics"]["tried"])
    nats: dict = {}
    for model, fits in everything(best).items():
        for part in PARTS:
            halves = getattr(bags, part).split(SPLIT)
            nats[part, model] = np.array([losses(fit, *halves) for fit in fits(bags.train)])
        print(f"{model}: {len(nats['valid', model])} fits", flush=True)
    store({"topics cache": made(iterations=ITERATIONS, **compared(nats, best))})


def everything(best, sizes=SIZES, seeds=starts):
    """Return, by number of topics and for the memory, a function that yields the models of some pages."""

    def fitted(K):
        alpha, beta = best[K]
        return lambda train: (
            topics.topic_model(topics.fit(train.counts, K, seed, alpha, beta, ITERATIONS))
            for seed in seeds(K)
        )

    return {K: fitted(K) for K in sizes} | {MEMORY: lambda train: (topics.memory(train),)}


def losses(model, read, scored):
    """Return the nats of each page without a cache, and then with each of `MUS`: float[1 + MUS, D]."""
    forecast = model.posterior_weights(read) @ model.topics
    with_cache = [topics.cached(read, forecast, mu) for mu in MUS]
    return np.array([-(scored.counts * np.log(p)).sum(axis=1) for p in (forecast, *with_cache)])


def compared(nats, best):
    """Return what is stored; ``nats`` has float[starts, 1 + MUS, D] for each part and model."""
    bags = topics.load(CORPUS)
    words = {part: getattr(bags, part).split(SPLIT)[1].counts.sum(axis=1) for part in PARTS}
    names = [model for part, model in nats if part == "valid"]
    weight = {model: int(nats["valid", model][:, 1:].mean(axis=0).sum(axis=1).argmin()) for model in names}
    plain = {case: losses[:, 0] for case, losses in nats.items()}
    cached = {case: losses[:, 1 + weight[case[1]]] for case, losses in nats.items()}

    def perplexities(losses, model):
        return {part: np.exp(losses[part, model].sum(axis=1) / words[part].sum()).tolist() for part in PARTS}

    models = [
        {
            "topics": model, "mu": MUS[weight[model]],
            "plain": perplexities(plain, model), "cached": perplexities(cached, model),
        }
        for model in names
    ]  # fmt: skip
    for row in models:
        print(row["topics"], row["mu"], *(np.mean(row[way]["valid"]) for way in ("plain", "cached")))
    chosen, against = ch10_topics.choices(
        {
            (part, K): [
                [Score(one, tokens=int(n)) for one, n in zip(run, words[part], strict=True)] for run in runs
            ]
            for (part, K), runs in cached.items()
            if K != MEMORY
        }
    )
    pairs = []
    for part in PARTS:
        drawn = np.random.default_rng(10).integers(
            len(words[part]), size=(ch10_topics.RESAMPLES, len(words[part]))
        )
        rng = np.random.default_rng(11)
        for theirs, ours, of in PAIRS:
            one, other = ({"plain": plain, "cached": cached}[way] for way in of)
            found = ch10_topics.above(one[part, theirs], other[part, ours], words[part], drawn, rng)
            numbers = dict(zip(("difference", "low", "high"), found, strict=True))
            pairs.append({"part": part, "topics": theirs, "than": ours, "of": list(of), **numbers})
            print(pairs[-1])
    return {
        "models": models, "chosen": chosen, "against": against, "pairs": pairs,
        "beyond": on_some(plain, cached, words, bags),
        "grouped": [grouped(best, split, weight) for split in ch10_topics.GROUPED],
    }  # fmt: skip


def on_some(plain, cached, words, bags):
    """Compare with the most topics, on all pages and on some: with caches, and without what is not stored."""
    found = []
    for part in PARTS:
        alike = topics.nearest(getattr(bags, part), bags.train)
        found += [{"part": part, **row} for row in both_ways(part, plain, cached, words[part], alike)]
    return found


def both_ways(part, plain, cached, words, alike):
    """Return the rows of `ch10_topics.with_most` for `COMPARED`, with the cache and without it."""
    found = []
    for name, losses in (("plain", plain), ("cached", cached)):
        rows = ch10_topics.with_most({model: losses[part, model] for model in COMPARED}, words, alike)
        found += [{"of": name, **row} for row in rows if name == "cached" or row["topics"] == 50]
    return found


def grouped(best, split, weight):
    """Do the same on a split in which no near-duplicates are on both sides; the caches weigh as before."""
    corpus = corpora.load(CORPUS)
    documents = [*corpus.train, *corpus.valid, *corpus.test]
    train, others = topics.split_groups(documents, len(corpus.valid) + len(corpus.test), split)
    halves = others.split(SPLIT)
    sizes = [K for K in COMPARED if K != MEMORY]
    nats = {
        ("others", model): np.array([losses(fit, *halves) for fit in fits(train)])
        for model, fits in everything(best, sizes, lambda K: GROUPED_STARTS).items()
    }
    plain = {case: rows[:, 0] for case, rows in nats.items()}
    cached = {case: rows[:, 1 + weight[case[1]]] for case, rows in nats.items()}
    words, alike = halves[1].counts.sum(axis=1), topics.nearest(others, train)
    rows = [row for row in both_ways("others", plain, cached, words, alike) if row["pages"] == "all"]
    return {"split": split, "with_most": rows}
