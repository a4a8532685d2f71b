"""The counting engine against a loop with a `Counter`."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lmmetrics.ngram import AddK, ModifiedKneserNey, NGramModel, WittenBell
from lmmetrics.ngram._counts import NGramCounts, spelled
from lmmetrics.sources import MarkovSource
from lmmetrics.text import Vocabulary, tokenize

CATS = ["the cat sleeps\nthe cat eats\n", "the dog sleeps\n"]

sentences = st.lists(st.lists(st.sampled_from("abcd"), max_size=7), min_size=1, max_size=9)


def text_of(lines, **options):
    return tokenize(["".join(" ".join(line) + "\n" for line in lines)], by="whitespace", **options)


def counted_by_hand(lines, order):
    """Counts of every n-gram, with one `<s>` and no n-gram that crosses a sentence."""
    found = Counter()
    for line in lines:
        padded = ["<s>", *line, "</s>"]
        for n in range(1, order + 1):
            found.update(tuple(padded[i : i + n]) for i in range(len(padded) - n + 1))
    del found["<s>",]
    return found


@given(sentences, st.integers(1, 5))
def test_counts_are_those_of_a_loop(lines, order):
    counts, expected = NGramCounts(text_of(lines), order), counted_by_hand(lines, order)
    for n in range(1, order + 1):
        assert dict(counts[n].items()) == {g: c for g, c in expected.items() if len(g) == n}
        ids = spelled(counts.levels, n).tolist()
        assert ids == sorted(ids), "the n-grams are in the order of a dictionary"


@given(sentences, st.integers(2, 5))
def test_links_lead_to_context_suffix_and_continuations(lines, order):
    counts, expected = NGramCounts(text_of(lines), order), counted_by_hand(lines, order)
    for n in range(2, order + 1):
        level, whole, shorter = counts.levels[n - 1], spelled(counts.levels, n), spelled(counts.levels, n - 1)
        assert (shorter[level.contexts] == whole[:, :-1]).all()
        assert (shorter[level.suffixes] == whole[:, 1:]).all()
    for n in range(1, order):
        for ids, found in zip(spelled(counts.levels, n), counts.levels[n - 1].continuations(), strict=True):
            ngram = tuple(counts.vocabulary.token(i) for i in ids)
            before = len({g[0] for g in expected if len(g) == n + 1 and g[1:] == ngram})
            assert found == (expected[ngram] if ngram[0] == "<s>" else before)


def test_no_ngram_crosses_a_sentence_or_a_document():
    counts = NGramCounts(tokenize(CATS), 3)
    assert counts[2]["</s>", "the"] == 0
    assert counts[3]["sleeps", "</s>", "the"] == 0
    assert counts[2]["<s>", "the"] == 3
    assert counts[1]["<s>"] == 0, "<s> is never predicted"


def test_a_sentence_that_is_not_closed_ends_too():
    source = MarkovSource({"a": {"a": 0.5, "b": 0.5}, "b": {"a": 1.0}})
    text = source.sample(40, seed=1, documents=4)
    counts = NGramCounts(text, 2)
    assert sum(counts[1].level.counts) == 40
    assert counts[1]["</s>"] == 0
    assert sum(count for ngram, count in counts[2].items() if ngram[0] == "<s>") == 4
    assert sum(count for ngram, count in counts[2].items() if ngram[0] != "<s>") == 36


def test_counts_can_be_looked_at():
    model = NGramModel(2, WittenBell()).fit(tokenize(CATS))
    assert model.counts_[2]["the", "cat"] == 2
    assert model.counts_[1]["cat"] == 2
    assert model.counts_[2]["cat", "the"] == 0
    assert model.counts_[2]["cat", "mouse"] == 0
    assert model.counts_[2].most_common(1) == [(("<s>", "the"), 3)]
    assert len(model.counts_[2]) == 8
    assert list(model.counts_) == [1, 2]
    # Bigrams seen once: cat sleeps, cat eats, eats </s>, the dog, dog sleeps; twice: the cat, sleeps </s>.
    assert model.counts_of_counts_[2].tolist() == [0, 5, 2, 1]
    assert "'<s> the': 3" in repr(model.counts_[2])
    assert repr(model.counts_) == "NGramCounts: 6 of order 1, 8 of order 2"
    with pytest.raises(KeyError, match="orders counted are 1 to 2"):
        model.counts_[3]
    with pytest.raises(KeyError, match="has 1 tokens"):
        model.counts_[2]["the"]


def test_a_token_of_a_vocabulary_without_unk_that_is_not_there_counts_0():
    counts = NGramCounts(tokenize(["a b"], vocabulary=Vocabulary(["a", "b"], unk=False)), 2)
    assert counts[2]["a", "c"] == 0


@pytest.mark.parametrize("order", [1, 2, 5])
def test_a_text_too_large_for_int32_is_counted_in_int64(monkeypatch, order):
    text = tokenize(CATS)
    narrow = NGramModel(order, AddK(0.5)).fit(text)
    monkeypatch.setattr("lmmetrics.ngram._windows.INT32_LIMIT", len(text))
    wide = NGramModel(order, AddK(0.5)).fit(text)
    for n in range(1, order + 1):
        before, after = narrow.counts_.levels[n - 1], wide.counts_.levels[n - 1]
        assert before.counts.dtype == np.int32
        assert after.counts.dtype == np.int64
        assert after.suffixes.dtype == (np.int64 if n > 2 else after.suffixes.dtype)
        assert dict(wide.counts_[n].items()) == dict(narrow.counts_[n].items())
    assert (wide.log_probs(text) == narrow.log_probs(text)).all()


def test_threads_find_the_keys_made():
    model = NGramModel(3, WittenBell()).fit(tokenize(CATS))
    for level in model._fitted().levels[1:]:
        vars(level).pop("keys", None)
        level.make_keys()
        keys = vars(level)["keys"]
        level.make_keys()
        assert vars(level)["keys"] is keys and (np.diff(keys.values) > 0).all()


def test_keys_of_large_levels_do_not_overflow():
    # 70 000 contexts times 70 000 tokens is more than int32 holds.
    tokens = [f"w{i}" for i in range(70_000)]
    text = text_of([tokens])
    model = NGramModel(3, WittenBell()).fit(text)
    assert model.counts_[3]["w69997", "w69998", "w69999"] == 1
    assert model.counts_[3]["w1", "w2", "w4"] == 0


def test_an_empty_text_is_refused():
    with pytest.raises(ValueError, match="The text is empty"):
        NGramModel(2, AddK()).fit(tokenize([]))


def test_unknown_tokens_in_a_training_text_without_unk_are_refused():
    with pytest.raises(ValueError, match="1 tokens of this text are not in its vocabulary"):
        NGramModel(2, AddK()).fit(tokenize(["a b c"], vocabulary=Vocabulary(["a", "b"], unk=False)))


def test_a_value_that_is_not_a_text_is_refused():
    with pytest.raises(TypeError, match="text is list; a TokenizedText is expected"):
        NGramModel(2, AddK()).fit(["the cat"])


@pytest.mark.parametrize(
    ("order", "error"),
    [(0, ValueError), (-1, ValueError), (2.0, TypeError), ("2", TypeError), (True, TypeError)],
)
def test_an_order_that_is_none_is_refused(order, error):
    with pytest.raises(error, match="order is"):
        NGramModel(order, AddK())


def test_a_smoothing_that_is_none_is_refused():
    with pytest.raises(TypeError, match=r"give an object: ModifiedKneserNey\(\)"):
        NGramModel(2, ModifiedKneserNey)
    with pytest.raises(TypeError, match="smoothing is 'kneser-ney'"):
        NGramModel(2, "kneser-ney")


@settings(max_examples=20)
@given(sentences)
def test_fitting_twice_forgets_the_first_text(lines):
    model = NGramModel(2, WittenBell()).fit(tokenize(CATS))
    text = text_of(lines)
    assert (model.fit(text).log_probs(text) == NGramModel(2, WittenBell()).fit(text).log_probs(text)).all()
