"""What chapter 10 says of other seeds, priors and numbers of topics: more fits than a page has time for.

It is stored in ``book/reproduced.json`` under "topics", by the same command as the published numbers.
"""

from lmcourse.measuring.reproduced import made, store
from lmcourse.pages import topics

SEEDS = range(5)
SIZES = 1, 5, 20, 50, 100, 200
PRIORS = {"0.1": lambda K: 0.1, "1/K": lambda K: 1 / K}
"""The prior of the weights; that of the topics' words is 0.1 throughout."""
ITERATIONS = 20
SPLIT = 10


def recompute():
    """Fit and score the models, print what was found, and store it."""
    store({"topics": made(iterations=ITERATIONS, fits=list(fits()))})


def fits(sizes=SIZES, seeds=SEEDS, iterations=ITERATIONS):
    """Yield one row for each prior, seed and number of topics: the perplexities of numpy-docs."""
    bags = topics.load("numpy-docs")
    halves = {"valid": bags.valid.split(SPLIT), "test": bags.test.split(SPLIT)}
    for prior, alpha in PRIORS.items():
        for seed in seeds:
            for K in sizes:
                lda = topics.fit(bags.train.counts, K, seed, alpha=alpha(K), iterations=iterations)
                model = topics.topic_model(lda, bags.train.words)
                row = {"prior": prior, "seed": seed, "topics": K}
                row |= {part: model.completion(*pair).perplexity for part, pair in halves.items()}
                row["printed"] = topics.printed(lda, bags.test.counts)
                row["training"] = model.plug_in(bags.train, model.posterior_weights(bags.train)).perplexity
                print(
                    f"prior {prior:4} seed {seed} {K:4} topics: second halves {row['valid']:.1f} (valid), "
                    f"{row['test']:.1f} (test); training {row['training']:.1f}; printed {row['printed']:,.0f}"
                )
                yield row
