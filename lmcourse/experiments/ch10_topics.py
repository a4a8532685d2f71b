"""What chapter 10 says of other starts, priors and numbers of topics: more fits than a page has time for.

It is stored in ``book/reproduced.json`` under "topics", by the same command as the published numbers.
"""

import itertools
from functools import cache

import numpy as np
import sklearn

from lmcourse.experiments.storage import KEPT, keep, made, resumed, store
from lmcourse.pages import topics
from lmmetrics import Score, corpora

Pair = tuple[float, float]
"""The parameters of two priors: of the weights, and of the topics' words."""
CORPUS = "numpy-docs"
FIXED_SIZES = 1, 5, 20, 50, 100, 200
"""Numbers of topics of the fits whose priors are fixed."""
SIZES = *FIXED_SIZES, 400, 800
"""Numbers of topics among which the rule chooses."""
SEEDS = range(6)
PRIORS = {"0.1": lambda K: 0.1, "1/K": lambda K: 1 / K}
"""The parameter of both priors, of the weights and of the topics' words: ours, and scikit-learn's default."""
ALPHAS = 0.2, 1, 5, 20, 80
"""The parameter of the prior of the weights, times K: what may be tried, if scikit-learn allows it."""
LARGEST = 1.0
"""scikit-learn refuses a prior above 1."""
BETAS = 0.001, 0.005, 0.02, 0.1, 0.5
"""The parameter of the prior of the topics' words: what may be tried."""
FIRST = [*itertools.product((1, 5), (0.005, 0.02, 0.1))]
"""The pairs with which the search begins."""
TRIALS = range(2)
"""The starts with which a pair of priors is tried."""
STARTS = range(8)
"""The starts with the pair of priors that each number of topics keeps."""
LARGER = 400, 800
LARGER_STARTS = range(4)
"""The starts of so many topics, whose fits take longer; `TRIALS` are among them, and not fitted twice."""
ITERATIONS = 20
LONGER = (100, 0), (100, 1)
"""Topics and starts of the fits with five times as many iterations: have the others converged?"""
BY_PAGE = 100, 200, 400, 800
"""Numbers of topics of which the nats of each page are kept, in the mean over the starts."""
GROUPED = (1,)
"""Seeds of the splits in which no group of near-duplicates is on both sides."""
GROUPED_STARTS = range(1)
SHOWN = 5
"""How many topics of a model are shown."""
SHOWN_OF = 200, 800
"""Numbers of topics of the models that are shown."""
OPTIONS = {"kept": KEPT}
CASE = "topics", "alpha", "beta", "seed", "iterations"
"""What makes a fit with chosen priors come out again."""
SPLIT = 10
OTHER_SPLITS = 11, 12, 13, 14
RESAMPLES = 10_000


def recompute(kept=None):
    """Fit and score the models, print what was found, and store it."""
    rows = list(fits(kept=kept))
    tried = search(kept=kept)
    best = best_priors(tried)
    runs = {(K, seed): scored(K, *best[K], seed, kept=kept, whole=True) for K in SIZES for seed in starts(K)}
    longer = [scored(K, *best[K], seed, 5 * ITERATIONS, kept)[0] for K, seed in LONGER]
    keep_all(rows, tried, runs, longer, [grouped(seed, best) for seed in GROUPED])


def keep_all(rows, tried, runs, longer, by_group):
    """Choose by the rule, and store everything."""
    by_split = {split: choices(pages_of(runs, split)) for split in (SPLIT, *OTHER_SPLITS)}
    chosen, against = by_split[SPLIT]
    bags, best = topics.load(CORPUS), best_priors(tried)
    far = topics.nearest(bags.valid, bags.train) <= topics.ALIKE
    without_near, _ = choices(
        {
            case: [[*itertools.compress(pages, far)] for pages in by_start]
            for case, by_start in pages_of(runs, SPLIT).items()
            if case[0] == "valid"
        }
    )
    found = made(
        scikit_learn=sklearn.__version__, iterations=ITERATIONS, fits=rows, tried=tried,
        runs=[row for row, _ in runs.values()], longer=longer,
        by_page=[by_page(K, runs) for K in BY_PAGE], beyond=beyond(runs), grouped=by_group,
        chosen=chosen, against=against, chosen_without_near=without_near,
        on_other_splits=[by_split[split][0] for split in OTHER_SPLITS],
        shown=[shown(K, *best[K]) for K in SHOWN_OF],
    )  # fmt: skip
    store({"topics": found})


def starts(K):
    """Return the seeds of the fits whose scores are compared."""
    return LARGER_STARTS if K in LARGER else STARTS


def pages_of(runs, split):
    """Return the scores of the pages of a split by part and number of topics, a list for each start."""
    return {
        (part, K): [runs[K, seed][1][part, split] for seed in starts(K)]
        for part in ("valid", "test")
        for K in SIZES
        if (part, split) in runs[K, 0][1]
    }


def fits(sizes=FIXED_SIZES, seeds=SEEDS, iterations=ITERATIONS, kept=None):
    """Yield one row for each fixed prior, seed and number of topics: the perplexities of numpy-docs."""
    bags = topics.load(CORPUS)
    halves = {"valid": bags.valid.split(SPLIT), "test": bags.test.split(SPLIT)}
    old = resumed(kept, ("prior", "seed", "topics"))
    for prior, of in PRIORS.items():
        for seed in seeds:
            for K in sizes:
                if (prior, seed, K) in old:
                    yield old[prior, seed, K]
                    continue
                lda = topics.fit(bags.train.counts, K, seed, of(K), of(K), iterations)
                model = topics.topic_model(lda, bags.train.words)
                row = {"prior": prior, "seed": seed, "topics": K}
                for part, pair in halves.items():
                    row[part] = model.completion(*pair).perplexity
                row["printed"] = topics.printed(lda, bags.test.counts)
                row["training"] = model.plug_in(bags.train, model.posterior_weights(bags.train)).perplexity
                print(
                    f"prior {prior:4} seed {seed} {K:4} topics: second halves {row['valid']:.1f} (valid), "
                    f"{row['test']:.1f} (test); training {row['training']:.1f}; printed {row['printed']:,.0f}"
                )
                keep(kept, row)
                yield row


def search(sizes=SIZES, score=None, kept=None):
    """Return the rows of all fits among which the priors are chosen, for each number of topics in turn.

    Pairs of priors are tried until the best one is better than its `neighbours`. ``score`` returns the row of
    a fit; it is `scored`, unless a test has another.
    """
    score = score or (lambda K, alpha, beta, seed: scored(K, alpha, beta, seed, kept=kept)[0])
    rows: list[dict] = []
    for K in sizes:
        pairs = [pair for pair in FIRST if K > 1 or pair[0] == 1]  # the weight of a single topic is 1
        tried: dict[Pair, list[dict]] = {}
        while pairs:
            for alpha, beta in pairs:
                tried[alpha, beta] = [score(K, alpha / K, beta, seed) for seed in TRIALS]
            best = min(tried, key=lambda pair: np.mean([np.log(row["valid"]) for row in tried[pair]]))
            pairs = [pair for pair in neighbours(*best, K) if pair not in tried]
        rows += itertools.chain(*tried.values())
    return [{name: row[name] for name in (*CASE, "valid", "test") if name in row} for row in rows]


def neighbours(alpha, beta, K):
    """Return the pairs of which one parameter is the next in its list; ``alpha`` is already times K."""
    alphas = [other for other in next_to(alpha, ALPHAS) if K > 1 and other / K <= LARGEST]
    return [(other, beta) for other in alphas] + [(alpha, other) for other in next_to(beta, BETAS)]


def next_to(value, values):
    """Return the values before and after one of them."""
    place = values.index(value)
    return [*values[max(place - 1, 0) : place], *values[place + 1 : place + 2]]


def best_priors(tried) -> dict[int, Pair]:
    """Return, for each number of topics, the priors with the lowest mean loss on the validation pages."""
    losses: dict = {}
    for row in tried:
        losses.setdefault((row["topics"], row["alpha"], row["beta"]), []).append(np.log(row["valid"]))
    best: dict[int, Pair] = {}
    for K, alpha, beta in sorted(losses, key=lambda case: np.mean(losses[case])):
        best.setdefault(K, (alpha, beta))
    return best


def scored(K, alpha, beta, seed, iterations=ITERATIONS, kept=None, whole=False):
    """Fit one model. Return a row of numbers and, if ``whole``, the scores of the second halves.

    The scores are those of the pages, by part and split; the validation pages are scored on `OTHER_SPLITS`,
    too. The whole row also says how the topics look: "used" counts those with a word of the training pages or
    more. "coherence" and "apart" are of these, because the typical words of the others are arbitrary, and
    "coherence_all" is of all.
    """
    case = K, alpha, beta, seed, iterations
    row = resumed(kept, CASE).get(case)
    if not row or (whole and "nats" not in row):
        row = dict(zip(CASE, case, strict=True)) | _fitted(*case, whole or K in LARGER)
        keep(kept, row)
    if not whole:
        return row, None
    words = {(part, split): _halves(part, split)[1].counts.sum(axis=1) for part, split, _ in row["nats"]}
    scores = {
        (part, split): [Score(one, tokens=int(n)) for one, n in zip(nats, words[part, split], strict=True)]
        for part, split, nats in row["nats"]
    }
    return {name: value for name, value in row.items() if name != "nats"}, scores


def _fitted(K, alpha, beta, seed, iterations, whole):
    bags = topics.load(CORPUS)
    model = topics.topic_model(
        topics.fit(bags.train.counts, K, seed, alpha, beta, iterations), bags.train.words
    )
    asked = [("valid", SPLIT), ("test", SPLIT), *(("valid", split) for split in OTHER_SPLITS if whole)]
    scores = {(part, split): model.completion_documents(*_halves(part, split)) for part, split in asked}
    row: dict = {
        part: sum(scores[part, SPLIT], start=Score(0.0, tokens=0)).perplexity for part in ("valid", "test")
    }
    if whole:
        used = topics.sources(model, bags.train)[0] >= 1
        tops = topics.typical(model.topics, bags.train)
        row |= {
            "used": int(used.sum()),
            "coherence": topics.coherence(tops[used], _windows()),
            "apart": topics.apart(tops[used], _windows()),
            "coherence_all": topics.coherence(tops, _windows()),
            "nats": [[*case, [page.nats for page in pages]] for case, pages in scores.items()],
        }  # fmt: skip
    print(
        f"{K:4} topics, priors {alpha:.3g} and {beta:.3g}, seed {seed}, {iterations} iterations: second "
        f"halves {row['valid']:.1f} (valid), {row['test']:.1f} (test)"
        + (f"; {row['used']} used, coherence {row['coherence']:.3f}" if whole else ""),
        flush=True,
    )
    return row


@cache
def _halves(part, split):
    return getattr(topics.load(CORPUS), part).split(split)


def by_page(K, runs):
    """Return the nats of the second half of each page, in the mean over the starts."""
    nats = {part: nats_of(runs, K, part).mean(axis=0).round(2).tolist() for part in ("valid", "test")}
    return {"topics": K, **nats}


def nats_of(runs, K, part):
    """Return the nats of the pages, a row for each start."""
    pages = [runs[K, seed][1][part, SPLIT] for seed in starts(K)]
    return np.array([[page.nats for page in row] for row in pages])


def beyond(runs):
    """Compare fewer topics, and the memory, with the most topics, on all pages and on some of them."""
    bags, found = topics.load(CORPUS), []
    for part in ("valid", "test"):
        pages = getattr(bags, part)
        memory = np.array(
            [[score.nats for score in topics.memory(bags.train).completion_documents(*pages.split(SPLIT))]]
        )
        nats = {K: nats_of(runs, K, part) for K in BY_PAGE} | {"memory": memory}
        words = pages.split(SPLIT)[1].counts.sum(axis=1)
        found += [{"part": part, **row} for row in with_most(nats, words, topics.nearest(pages, bags.train))]
    return found


def with_most(nats, words, alike, seed=10):
    """Compare each model with that of the most topics, on all pages and on pages that are less ``alike``.

    ``nats`` has a row for each start, and ``alike`` the cosine of each page with the nearest training page.
    "pages" says which were scored: "all", those without a "near" duplicate, or the "far" half.
    """
    most, found = max(BY_PAGE), []
    for name, kept in (
        ("all", alike < 2),
        ("near", alike <= topics.ALIKE),
        ("far", alike <= np.median(alike)),
    ):
        drawn = np.random.default_rng(seed).integers(kept.sum(), size=(RESAMPLES, kept.sum()))
        rng = np.random.default_rng(seed + 1)
        for K in nats:
            if most == K:
                continue
            values = above(nats[K][:, kept], nats[most][:, kept], words[kept], drawn, rng)
            numbers = dict(zip(("difference", "low", "high"), values, strict=True))
            found.append({"pages": name, "many": int(kept.sum()), "topics": K, "than": most, **numbers})
            print(f"  {name:4} pages: {K} against {most}: {numbers['low']:+.1f} to {numbers['high']:+.1f} %")
    return found


def grouped(split, priors: dict[int, Pair], sizes=BY_PAGE, seeds=GROUPED_STARTS):
    """Fit and score models, with the ``priors`` of each size, where no near-duplicates are on both sides."""
    corpus = corpora.load(CORPUS)
    documents = [*corpus.train, *corpus.valid, *corpus.test]
    train, others = topics.split_groups(documents, len(corpus.valid) + len(corpus.test), split)
    halves = others.split(SPLIT)
    words = halves[1].counts.sum(axis=1)
    models = {
        K: [topics.topic_model(topics.fit(train.counts, K, seed, *priors[K], ITERATIONS)) for seed in seeds]
        for K in sizes
    } | {"memory": [topics.memory(train)]}
    nats = {
        K: np.array([[page.nats for page in model.completion_documents(*halves)] for model in fits])
        for K, fits in models.items()
    }
    alike = topics.nearest(others, train)
    perplexities = {K: np.exp(losses.sum(axis=1) / words.sum()).tolist() for K, losses in nats.items()}
    print(f"groups, split {split}: {perplexities}")
    return {
        "split": split, "train": len(train), "others": len(others), "most_alike": float(alike.max()),
        "perplexities": [{"topics": K, "starts": values} for K, values in perplexities.items()],
        "with_most": with_most(nats, words, alike),
    }  # fmt: skip


def shown(K, alpha, beta, seed=0):
    """Return what the topics of a model look like: the words of a few, and how many come from one page.

    "used" says how many topics have a word of the training pages or more, and "one_page" how many of these
    have more than half of their words from a single page. "rows" has five of them, equally far apart by
    size from the largest on: the share of the training words, the share of its words that come from a single
    page, and the words that set it apart.
    """
    bags = topics.load(CORPUS)
    lda = topics.fit(bags.train.counts, K, seed, alpha, beta, ITERATIONS)
    model = topics.topic_model(lda, bags.train.words)
    words, one_page = topics.sources(model, bags.train)
    tops = topics.typical(model.topics, bags.train, 7)
    used = [k for k in np.argsort(-words, kind="stable") if words[k] >= 1]
    rows = [
        {
            "share": float(words[k] / words.sum()),
            "one_page": float(one_page[k]),
            "words": [bags.train.words[v] for v in tops[k]],
        }
        for k in used[:: -(-len(used) // SHOWN)]
    ]
    from_one = int(sum(one_page[used] > 0.5))
    return {"topics": K, "seed": seed, "used": len(used), "one_page": from_one, "rows": rows}


@cache
def _windows():
    """The windows of the training pages that two words share."""
    return topics.shared_windows(corpora.load(CORPUS).train, topics.load(CORPUS).train.words)


def choices(scores, seed=10):
    """Return the number of topics that is chosen, and a list of comparisons.

    ``scores`` has, for each part and number of topics, the scores of the pages, a list for each start. On the
    validation pages, each number of topics is compared with the one whose loss, the mean over the starts, is
    lowest. The fewest topics whose interval contains 0 are chosen. On the test pages, if they are given, all
    others are compared with the chosen ones.
    """
    nats = {case: np.array([[x.nats for x in pages] for pages in runs]) for case, runs in scores.items()}
    words = {part: np.array([x.tokens for x in runs[0]]) for (part, _), runs in scores.items()}
    drawn = {
        part: np.random.default_rng(seed).integers(len(n), size=(RESAMPLES, len(n)))
        for part, n in words.items()
    }
    rng = np.random.default_rng(seed + 1)

    def compare(part, theirs, ours):
        found = above(nats[part, theirs], nats[part, ours], words[part], drawn[part], rng)
        numbers = dict(zip(("difference", "low", "high"), found, strict=True))
        return {"part": part, "topics": theirs, "than": ours, **numbers}

    sizes = sorted(K for part, K in nats if part == "valid")
    lowest = min(sizes, key=lambda K: nats["valid", K].mean(axis=0).sum())
    against = [compare("valid", K, lowest) for K in sizes if lowest != K]
    chosen = min([lowest, *(row["topics"] for row in against if row["low"] <= 0)])
    if "test" in words:
        against += [compare("test", K, chosen) for K in sizes if chosen != K]
    for row in against:
        print(
            f"{row['part']:5} {row['topics']:4} topics against {row['than']}: "
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
