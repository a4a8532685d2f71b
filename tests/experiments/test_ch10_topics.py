"""What chapter 10 stores: two fits come out again, the run is whole, and the choice follows its rule."""

import itertools

import numpy as np
import pytest

from lmcourse.experiments import ch10_topics
from lmcourse.experiments.storage import stored
from lmcourse.pages import topics as pages
from lmmetrics import Score, corpora
from lmmetrics.topics import TopicModel, word_counts


def test_two_fits_are_the_stored_ones():
    kept = {(row["prior"], row["seed"], row["topics"]): row for row in stored()["topics"]["fits"]}
    made = [*itertools.islice(ch10_topics.fits(sizes=(1, 5), seeds=(0,)), 2)]
    assert [row["topics"] for row in made] == [1, 5]
    for row in made:
        old = kept[row["prior"], row["seed"], row["topics"]]
        for key, value in row.items():
            assert value == (old[key] if isinstance(value, str) else pytest.approx(old[key], rel=1e-3)), key


def test_one_run_is_the_stored_one():
    old = next(row for row in stored()["topics"]["runs"] if (row["topics"], row["seed"]) == (5, 1))
    row, scores = ch10_topics.scored(5, old["alpha"], old["beta"], 1, whole=True)
    assert row == {key: pytest.approx(value, rel=1e-3, abs=1e-3) for key, value in old.items()}
    splits = {("valid", split) for split in (ch10_topics.SPLIT, *ch10_topics.OTHER_SPLITS)}
    assert set(scores) == splits | {("test", ch10_topics.SPLIT)}
    for part in ("valid", "test"):
        assert sum(scores[part, ch10_topics.SPLIT]).perplexity == pytest.approx(row[part])


def test_a_fit_that_was_kept_is_not_made_again(tmp_path, monkeypatch):
    """A row without the nats of the pages is enough for the search, and not for what is compared."""
    calls = []

    def fitted(*case):
        calls.append(case)
        nats = [["valid", 10, [1.0] * 74]] if case[-1] else None
        return {"valid": 2.0, "test": 3.0} | ({"nats": nats} if nats else {})

    monkeypatch.setattr(ch10_topics, "_fitted", fitted)
    kept = tmp_path / "kept.jsonl"
    for whole in (False, False, True, True, False):
        row, scores = ch10_topics.scored(5, 0.2, 0.1, 0, kept=kept, whole=whole)
        assert row["valid"] == 2 and (scores is not None) == whole
    assert [whole for *_, whole in calls] == [False, True]
    assert (
        sum(scores_ := ch10_topics.scored(5, 0.2, 0.1, 0, kept=kept, whole=True)[1]["valid", 10]).nats == 74
    )
    assert len(scores_) == 74


def test_the_run_is_whole():
    kept = stored()["topics"]
    assert kept["iterations"] == ch10_topics.ITERATIONS
    cases = [(row["prior"], row["seed"], row["topics"]) for row in kept["fits"]]
    sizes = ch10_topics.SIZES
    assert cases == [
        (p, s, K) for p in ch10_topics.PRIORS for s in ch10_topics.SEEDS for K in ch10_topics.FIXED_SIZES
    ]
    tried = {(row["topics"], row["alpha"], row["beta"], row["seed"]): row for row in kept["tried"]}
    assert ch10_topics.search(score=lambda *case: tried[case]) == kept["tried"]
    assert [(row["topics"], row["seed"]) for row in kept["runs"]] == [
        (K, s) for K in sizes for s in ch10_topics.starts(K)
    ]
    assert [row["part"] for row in kept["against"]] == [part for part in ("valid", "test") for _ in sizes[1:]]
    assert [(row["topics"], row["seed"]) for row in kept["longer"]] == [*ch10_topics.LONGER]
    assert [row["topics"] for row in kept["by_page"]] == [*ch10_topics.BY_PAGE]
    fewer = [K for K in ch10_topics.BY_PAGE if max(ch10_topics.BY_PAGE) != K]
    cases = [(pages, K) for pages in ("all", "near", "far") for K in (*fewer, "memory")]
    for part in ("valid", "test"):
        found = [(row["pages"], row["topics"]) for row in kept["beyond"] if row["part"] == part]
        assert found == cases
    assert [row["split"] for row in kept["grouped"]] == [*ch10_topics.GROUPED]
    for row in kept["grouped"]:
        assert [(one["pages"], one["topics"]) for one in row["with_most"]] == cases
    assert len(kept["on_other_splits"]) == len(ch10_topics.OTHER_SPLITS)
    assert [(row["topics"], len(row["rows"])) for row in kept["shown"]] == [
        (K, ch10_topics.SHOWN) for K in ch10_topics.SHOWN_OF
    ]


def test_each_number_of_topics_keeps_its_best_priors():
    kept = stored()["topics"]
    best = ch10_topics.best_priors(kept["tried"])
    assert all((row["alpha"], row["beta"]) == best[row["topics"]] for row in kept["runs"] + kept["longer"])
    rows = [{"topics": 5, "alpha": a, "beta": 1, "valid": v} for a, v in ((1, 90), (2, 80), (1, 70), (2, 85))]
    assert ch10_topics.best_priors(rows) == {5: (1, 1)}  # the mean of the logarithms


def test_the_search_goes_on_until_the_best_priors_have_worse_neighbours():
    """To pairs outside the first ones, and not to priors that scikit-learn refuses."""
    calls = []

    def score(K, alpha, beta, seed):
        calls.append((K, alpha, beta))
        off = np.abs(np.log([K * alpha / 20, beta / 0.001])).sum()
        return {"topics": K, "alpha": alpha, "beta": beta, "valid": 100 + off}

    rows = ch10_topics.search((1, 5, 50), score)
    assert ch10_topics.best_priors(rows) == {1: (1, 0.001), 5: (1, 0.001), 50: (0.4, 0.001)}
    assert len(calls) == len(rows) == len(ch10_topics.TRIALS) * len(set(calls))
    assert max(alpha for _, alpha, _ in calls) == ch10_topics.LARGEST


def test_a_topic_of_one_document_is_told_from_a_shared_one():
    """Words 0 and 1 are in all documents, and words 2 and 3 in the last one only."""
    train = word_counts(["aaa bbb", "aaa bbb", "aaa bbb ccc ccc ddd ddd"])
    model = TopicModel([[0.5, 0.5, 0, 0], [0, 0, 0.5, 0.5]], alpha=0.1)
    words, one_document = pages.sources(model, train)
    assert words == pytest.approx([6, 4], abs=0.1)
    assert one_document == pytest.approx([1 / 3, 1], abs=0.01)


def test_one_prior_is_the_default_of_scikit_learn():
    """None, which scikit-learn turns into 1/K for both priors."""
    from lmcourse.pages.topics import LatentDirichletAllocation

    lda = LatentDirichletAllocation(4, max_iter=1, random_state=0).fit([[3, 1], [1, 2]])
    assert lda.doc_topic_prior_ == lda.topic_word_prior_ == ch10_topics.PRIORS["1/K"](4)


def test_the_numbers_are_in_their_order():
    """From 20 topics on: the training pages, then the second halves, then what is printed."""
    for row in stored()["topics"]["fits"]:
        assert row["training"] < row["printed"]
        if row["topics"] >= 20:
            assert row["training"] < row["test"] < row["printed"]


def test_the_choice_is_the_fewest_topics_that_the_validation_pages_cannot_tell_from_the_lowest():
    kept = stored()["topics"]
    loss = {
        K: np.mean([np.log(row["valid"]) for row in kept["runs"] if row["topics"] == K])
        for K in ch10_topics.SIZES
    }
    rows = [row for row in kept["against"] if row["part"] == "valid"]
    [lowest] = {row["than"] for row in rows}
    assert lowest == min(loss, key=loss.get)
    assert kept["chosen"] == min([lowest, *(row["topics"] for row in rows if row["low"] <= 0)])
    for row in rows:
        assert row["difference"] == pytest.approx(100 * np.expm1(loss[row["topics"]] - loss[lowest]))
        assert row["low"] < row["difference"] < row["high"]


def test_intervals_draw_pages_and_starts():
    """If all pages differ alike, only the starts matter; if there is one start, only the pages."""
    words = np.array([10, 20])
    pages = np.random.default_rng(1).integers(2, size=(10_000, 2))

    def above(theirs, ours):
        nats = [np.array(losses) * words for losses in (theirs, ours)]
        return ch10_topics.above(*nats, words, pages, np.random.default_rng(2))

    assert above([[2.0, 2.0]], [[1.0, 1.0]]) == pytest.approx([100 * np.expm1(1)] * 3)
    half = 100 * np.expm1(0.5)  # the mean of the two starts; a resample may draw one of them twice
    assert above([[2.0, 2.0], [1.0, 1.0]], [[1.0, 1.0]]) == pytest.approx([half, 0, 100 * np.expm1(1)])
    found = above([[2.0, 3.0]], [[1.0, 1.0]])
    assert found[1:] == pytest.approx([100 * np.expm1(1), 100 * np.expm1(2)])


def test_the_choice_follows_the_rule():
    """Ten topics have the lowest loss, five cannot be told from ten, and two can."""
    rng = np.random.default_rng(3)
    noise = {K: rng.normal(0, 0.1, size=(3, 40)) for K in (2, 5, 10, 20)}
    level = {2: 5.6, 5: 5.005, 10: 5.0, 20: 5.2}

    def pages(losses):
        return [Score(loss * 50, tokens=50) for loss in losses]

    scores = {
        (part, K): [pages(level[K] + row) for row in rows]
        for part in ("valid", "test")
        for K, rows in noise.items()
    }
    chosen, against = ch10_topics.choices(scores)
    lowest = {row["than"] for row in against if row["part"] == "valid"}
    assert chosen == 5 and lowest <= {5, 10}
    assert [row["topics"] for row in against if row["part"] == "test"] == [2, 10, 20]
    assert all(row["than"] == 5 for row in against if row["part"] == "test")


def test_coherence_by_hand():
    """Of four windows, a and b share one, and each is in two: as often as by chance."""
    share = pages.shared_windows(
        ["aaa bbb", "aaa ccc", "bbb ccc", "ccc ddd ddd"], ["aaa", "bbb", "ddd"], window=3
    )
    assert share == pytest.approx(np.array([[0.5, 0.25, 0], [0.25, 0.5, 0], [0, 0, 0.25]]))
    assert pages.coherence([[0, 1]], share) == pytest.approx(0, abs=1e-9)
    assert pages.apart([[0, 1], [0, 2]], share) == 0.5
    together = pages.shared_windows(["aaa bbb xxx xxx aaa", "xxx"], ["aaa", "bbb"], window=2)
    assert together * 5 == pytest.approx(np.array([[2, 1], [1, 2]]))  # four windows and a short page
    assert pages.coherence([[0, 1]], together) == pytest.approx(np.log(0.2 / 0.16) / -np.log(0.2))


def test_the_nats_of_the_pages_are_those_of_the_stored_fits():
    kept = stored()["topics"]
    fits = {(row["topics"], row["seed"]): row for row in kept["runs"]}
    bags = pages.load(ch10_topics.CORPUS)
    for row in kept["by_page"]:
        for part in ("valid", "test"):
            _, scored = getattr(bags, part).split(ch10_topics.SPLIT)
            perplexity = np.exp(sum(row[part]) / scored.counts.sum())
            starts = [np.log(fits[row["topics"], seed][part]) for seed in ch10_topics.starts(row["topics"])]
            assert perplexity == pytest.approx(np.exp(np.mean(starts)), rel=1e-4)
            assert len(row[part]) == len(getattr(bags, part))


def test_the_nearest_training_page_has_the_largest_cosine():
    train = word_counts(["aaa bbb", "aaa aaa aaa bbb", "ccc"])
    other = word_counts(["bbb bbb aaa aaa", "aaa aaa ccc ccc"], train)
    assert pages.nearest(other, train) == pytest.approx([1, max(3 / np.sqrt(20), 1 / np.sqrt(2))])


def test_the_comparisons_with_the_most_topics_are_those_of_the_stored_pages():
    """The differences, on all pages: the memory is made again, the fits are those that are stored."""
    kept = stored()["topics"]
    bags = pages.load(ch10_topics.CORPUS)
    for part in ("valid", "test"):
        halves = getattr(bags, part).split(ch10_topics.SPLIT)
        words = halves[1].counts.sum()
        nats = {row["topics"]: sum(row[part]) for row in kept["by_page"]}
        nats["memory"] = sum(score.nats for score in pages.memory(bags.train).completion_documents(*halves))
        for row in kept["beyond"]:
            if (row["part"], row["pages"]) == (part, "all"):
                expected = 100 * np.expm1((nats[row["topics"]] - nats[row["than"]]) / words)
                assert row["difference"] == pytest.approx(expected, abs=0.01)
                assert row["low"] < row["difference"] < row["high"]


def test_near_duplicates_stay_on_one_side_of_the_split():
    """Two pairs that are alike, and pages between which there is nothing: no pair is ever apart."""
    texts = [
        " ".join(letter * 3 for letter in word) for word in ("aaab", "aaab", "cccd", "cccd", "eeee", "ffff")
    ]
    groups = pages.groups(texts)
    assert groups[0] == groups[1] != groups[2] == groups[3]
    for seed in range(5):
        train, others = pages.split_groups(texts, 2, seed)
        assert len(train) + len(others) == 6 and len(others) in (2, 3)
    corpus = corpora.load(ch10_topics.CORPUS)
    documents = [*corpus.train, *corpus.valid, *corpus.test]
    for row in stored()["topics"]["grouped"]:
        train, others = pages.split_groups(documents, len(corpus.valid) + len(corpus.test), row["split"])
        assert (len(train), len(others)) == (row["train"], row["others"])
        assert pages.nearest(others, train).max() == pytest.approx(row["most_alike"])
        assert row["most_alike"] < pages.ALIKE


def test_typical_words_set_a_topic_apart():
    train = word_counts(["aaa aaa aaa bbb", "aaa ccc"])
    assert pages.typical(np.array([[0.2, 0.7, 0.1], [0.1, 0.1, 0.8]]), train, 1).tolist() == [[1], [2]]
