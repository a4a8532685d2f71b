"""Wrong arguments: each call below raises an error that says what was given and what is expected."""

import math
import re

import numpy as np
import pytest

from lmmetrics import Score, TokenizedText, compare, compare_scores, score_documents, score_text, tokenize
from lmmetrics.information import entropy
from lmmetrics.mixing import Mixture, UnigramCache
from lmmetrics.neural import SoftmaxBigram, train
from lmmetrics.ngram import (
    AbsoluteDiscounting,
    AddK,
    ArpaError,
    GoodTuring,
    JelinekMercer,
    Katz,
    ModifiedKneserNey,
    NGramModel,
    StupidBackoff,
    WittenBell,
)
from lmmetrics.topics import (
    TopicModel,
    dirichlet_multinomial,
    document_scores,
    gibbs,
    split_counts,
    variational_bound,
    word_counts,
)

TEXT = tokenize(["the cat sleeps\nthe cat eats\n", "a dog eats\n"])
UNIGRAMS, BIGRAMS = (NGramModel(n, WittenBell()).fit(TEXT) for n in (1, 2))
MIXTURE = Mixture([UNIGRAMS, BIGRAMS])
ONE = Score(1.0, tokens=1)
TOPICS = TopicModel([[0.5, 0.4, 0.1], [0.1, 0.2, 0.7]], alpha=1, words=["a", "cat", "eats"])
THREE_TOPICS = TopicModel([[0.5, 0.5], [0.2, 0.8], [0.9, 0.1]], alpha=1)
COUNTS = [[1, 0, 2]]
NETWORK = SoftmaxBigram(TEXT.vocabulary)
ABOVE_0 = "a finite number above 0 is expected"
SHARE = "a share such as 0.95 is expected"
WHOLE = "a whole number of at least {} is expected"
SEED = "seed is {}; a whole number of at least 0, or a Generator, is expected"
THREE = "three numbers are expected"
NO_TEXT = "a TokenizedText is expected: tokenize(documents)"


class Returns:
    """A model that returns the given values."""

    def __init__(self, values):
        self.values = values

    def log_probs(self, text):
        return self.values


CALLS = {
    # comparing
    "a confidence in per cent": (lambda: compare(UNIGRAMS, BIGRAMS, TEXT, confidence=95), SHARE),
    "a confidence that is nan": (lambda: compare(UNIGRAMS, BIGRAMS, TEXT, confidence=math.nan), SHARE),
    "no resamples": (lambda: compare(UNIGRAMS, BIGRAMS, TEXT, resamples=0), WHOLE.format(2)),
    "one resample": (lambda: compare(UNIGRAMS, BIGRAMS, TEXT, resamples=1), WHOLE.format(2)),
    "a number for a score": (lambda: compare_scores([ONE, 3], [ONE, ONE]), "a[1] is 3 (int); a Score is"),
    "one score for a list": (lambda: compare_scores([ONE, ONE], ONE), "a list of scores is expected"),
    # scoring
    "a string for a text": (lambda: score_text(UNIGRAMS, "a b"), NO_TEXT),
    "a list for a text": (lambda: score_documents(UNIGRAMS, ["a b"]), NO_TEXT),
    "None for a text": (lambda: UNIGRAMS.log_probs(None), NO_TEXT),
    "a string to compare on": (lambda: compare(UNIGRAMS, BIGRAMS, "a b"), NO_TEXT),
    "eos in words": (lambda: score_text(UNIGRAMS, TEXT, eos="no"), "eos is 'no'; True or False is expected"),
    "masked log probabilities": (
        lambda: score_text(Returns(np.ma.masked_less(np.full(len(TEXT), -1.0), 0)), TEXT),
        "log_probs is a masked array",
    ),
    "ragged log probabilities": (
        lambda: score_text(Returns([[-1.0], [-1.0, -2.0]]), TEXT),
        "log_probs has rows of different lengths",
    ),
    "nats beyond any float": (lambda: Score(10**400, tokens=1), "Pass math.inf"),
    "a perplexity beyond any float": (lambda: Score.from_perplexity(10**400, tokens=1), "Pass math.inf"),
    # distributions
    "ragged rows": (lambda: entropy([[0.5, 0.5], [1.0]]), "p has rows of different lengths"),
    "masked entries": (lambda: entropy(np.ma.masked_less([0.5, 0.5, 0.3], 0.4)), "p is a masked array"),
    "one number": (lambda: entropy(1.0), "p is one number; a list of probabilities is expected"),
    "an axis between two": (lambda: entropy([0.5, 0.5], axis=0.5), "axis is 0.5; a whole number is expected"),
    # smoothing
    "k without end": (lambda: AddK(math.inf), ABOVE_0),
    "k as a string": (lambda: AddK("1"), ABOVE_0),
    "k is 0": (lambda: AddK(0), "use MaximumLikelihood()"),
    "k is True": (lambda: GoodTuring(k=True), WHOLE.format(1)),
    "k is True for Katz": (lambda: Katz(k=True), WHOLE.format(2)),
    "min_count is True": (lambda: Katz(min_count=True), WHOLE.format(1)),
    "min_count is a fraction": (lambda: Katz(min_count=1.5), WHOLE.format(1)),
    "a discount as a string": (lambda: AbsoluteDiscounting(discount="0.5"), "one number above 0 and up to 1"),
    "three discounts for one": (
        lambda: AbsoluteDiscounting(discount=(0.5, 1, 1.5)),
        "one number above 0 and up to 1",
    ),
    "three discounts in words": (lambda: ModifiedKneserNey(discount="most"), THREE),
    "ragged discounts": (lambda: ModifiedKneserNey(discount=[[1], [2, 3]]), THREE),
    "alpha as a string": (lambda: StupidBackoff("0.4"), "a number above 0 and up to 1 is expected"),
    "a string as held-out text": (lambda: JelinekMercer(heldout="a b"), NO_TEXT),
    "the training text as held-out text": (
        lambda: NGramModel(2, JelinekMercer(heldout=TEXT)).fit(TEXT),
        "The held-out text has the n-grams of the training text",
    ),
    "weights in words": (
        lambda: NGramModel(1, JelinekMercer(weights="most")).fit(TEXT),
        "weights is 'most'; expected 1 numbers",
    ),
    # mixtures
    "no text to learn from": (
        lambda: MIXTURE.fit(tokenize([], vocabulary=TEXT.vocabulary)),
        "The held-out text is empty",
    ),
    "a string to learn from": (lambda: MIXTURE.fit("a b"), NO_TEXT),
    "a string for a cache": (lambda: UnigramCache().log_probs("a b"), NO_TEXT),
    "a model for models": (lambda: Mixture(UNIGRAMS), "a list of language models is expected"),
    # texts
    "a segmenter that drops text": (
        lambda: tokenize(["the cat sleeps"], by=lambda part: part.split()[:1]),
        "it returned 3 of 12 characters",
    ),
    "a tokenizer of another kind": (
        lambda: tokenize(["the cat"], by=lambda part: {"input_ids": [1]}),
        "The segmenter returned dict; a list of strings is expected",
    ),
    "a byte-order mark": (lambda: tokenize(["\ufeffthe cat"]), "encoding='utf-8-sig'"),
    "an id that does not exist": (
        lambda: TokenizedText.from_ids([99], TEXT.vocabulary),
        "99 is not an id of the vocabulary: ids go from 0 to",
    ),
    "the start of a sentence among ids": (
        lambda: TokenizedText.from_ids([TEXT.vocabulary.bos, 3, 2], TEXT.vocabulary),
        "<s> is among the ids, first at 0. Leave it out",
    ),
    # topic models
    "a string for documents": (lambda: word_counts("the cat"), "a list of strings is expected"),
    "a string for words to count": (
        lambda: word_counts(["a"], vocabulary="cat"),
        "a list of words is expected",
    ),
    "numbers for words": (lambda: word_counts(["a"], vocabulary=[1]), "vocabulary has 1 (int); words are"),
    "a word twice": (lambda: word_counts(["a"], vocabulary=["a", "a"]), "has the word 'a' twice"),
    "a choice of words that are given": (
        lambda: word_counts(["a"], vocabulary=["a"], min_documents=2),
        "A vocabulary is given, so min_documents has nothing to choose",
    ),
    "no word left": (lambda: word_counts(["a", "b"], min_documents=2), "No word is left to count"),
    "half a document": (lambda: word_counts(["a"], min_documents=0.5), WHOLE.format(1)),
    "tf-idf weights": (lambda: TOPICS.exact([[0.5, 0.1, 0.2]]), "counts has entries that are not counts"),
    "counts below 0": (lambda: split_counts([[1, -1]], seed=0), "whole numbers of at least 0 are expected"),
    "counts that are nan": (lambda: TOPICS.bound([[math.nan, 1, 1]]), "are not counts"),
    "one document for many": (lambda: TOPICS.exact([1, 0, 2]), "into a list: [counts]"),
    "strings for counts": (lambda: TOPICS.best_weights(["a cat"]), "what word_counts returns"),
    "ragged counts": (lambda: TOPICS.exact([[1, 2], [1]]), "counts has rows of different lengths"),
    "counts of other words": (
        lambda: TOPICS.exact(word_counts(["the cat eats"])),
        "The words of counts are not those of the model's topics",
    ),
    "too few columns": (lambda: TOPICS.exact([[1, 2]]), "counts has 2 columns, but the topics have 3 words"),
    "topics that do not sum to 1": (lambda: TopicModel([[3, 1]], 1), "Row 0 of topics sums to 4"),
    "topics below 0": (lambda: TopicModel([[1.5, -0.5]], 1), "none negative"),
    "one topic as a row": (lambda: TopicModel([0.5, 0.5], 1), "topics has the shape (2,)"),
    "a topic without words": (lambda: TopicModel.from_components([[0, 0]], 1), "in each row one above 0"),
    "words for two of three columns": (
        lambda: TopicModel([[1, 0, 0]], 1, words=["a", "b"]),
        "words has 2 words",
    ),
    "alpha is 0": (lambda: TopicModel([[1.0]], 0), "alpha is 0; one finite number above 0 is expected"),
    "an alpha too many": (lambda: TopicModel([[1.0]], [1, 2]), "or one for each of 1 topics"),
    "alpha in words": (lambda: TopicModel([[1.0]], "symmetric"), "alpha is 'symmetric'"),
    "weights that do not sum to 1": (lambda: TOPICS.mixture([[0.5, 0.4]]), "minimum_probability=0"),
    "weights of one document in a row": (lambda: TOPICS.mixture([0.5, 0.5]), "weights has the shape (2,)"),
    "weights of other documents": (
        lambda: TOPICS.plug_in(COUNTS, [[1, 0]] * 2),
        "weights has 2 rows, but counts",
    ),
    "three topics that share words": (lambda: THREE_TOPICS.exact([[1, 1]]), "-ln p with left_to_right"),
    "no draws": (lambda: TOPICS.importance(COUNTS, 0, seed=1), WHOLE.format(1)),
    "no particles": (lambda: TOPICS.left_to_right(COUNTS, 0, seed=1), WHOLE.format(1)),
    "half a particle": (lambda: TOPICS.left_to_right(COUNTS, 1.5, seed=1), WHOLE.format(1)),
    "halves of different documents": (
        lambda: TOPICS.completion(COUNTS, COUNTS * 2),
        "two halves of the same",
    ),
    "weights by another name": (lambda: TOPICS.completion(COUNTS, COUNTS, "exact"), "weights is 'exact'"),
    "an impossible word that is read": (
        lambda: TopicModel([[1, 0]], 1).completion([[0, 1]], [[1, 0]], "integrated"),
        "No topic gives a probability to a word that is read in document 0",
    ),
    "no documents to draw": (lambda: TOPICS.sample(0, 5, seed=1), WHOLE.format(1)),
    "half a word to draw": (lambda: TOPICS.sample(2, 5.5, seed=1), "length is 5.5"),
    "one number of nats for two documents": (
        lambda: document_scores([1.0], COUNTS * 2),
        "nats has the shape (1,)",
    ),
    "a prior below 0": (lambda: dirichlet_multinomial(COUNTS, -1), "prior is -1"),
    "components that are 0": (
        lambda: variational_bound(COUNTS, [[0, 1, 1]], 1, 1),
        "components must be a table of numbers above 0",
    ),
    "components of other words": (lambda: variational_bound(COUNTS, [[1, 1]], 1, 1), "but components has 2"),
    "beta for each word": (lambda: variational_bound(COUNTS, [[1, 1, 1]], 1, [1, 1, 1]), ABOVE_0),
    "no topics": (lambda: gibbs(COUNTS, 0, seed=1), WHOLE.format(1)),
    "no sweeps": (lambda: gibbs(COUNTS, 2, sweeps=0, seed=1), WHOLE.format(1)),
    "nothing to learn from": (lambda: gibbs([[0, 0]], 2, seed=1), "The counts are all 0"),
    "a seed in words, for halves": (lambda: split_counts(COUNTS, "x"), SEED.format("'x'")),
    "a seed below 0, for documents": (lambda: TOPICS.sample(2, 5, seed=-1), SEED.format(-1)),
    "a seed in words, for draws": (lambda: TOPICS.importance(COUNTS, 9, seed="x"), SEED.format("'x'")),
    "half a seed, for topics": (lambda: gibbs(COUNTS, 2, seed=0.5), SEED.format(0.5)),
    "a seed in words, for a network's tokens": (lambda: NETWORK.sample(2, "x"), SEED.format("'x'")),
    "a seed below 0, for training": (lambda: train(NETWORK, TEXT, steps=1, seed=-1), SEED.format(-1)),
    "half an id": (lambda: TokenizedText.from_ids([1.5], TEXT.vocabulary), "ids must be whole numbers"),
}


@pytest.mark.parametrize("call", CALLS)
def test_a_bad_call_says_what_is_expected(call, monkeypatch):
    monkeypatch.setattr("scipy.stats.bootstrap", None)  # arguments are checked before anything is computed
    function, words = CALLS[call]
    with pytest.raises((TypeError, ValueError), match=re.escape(words)):
        function()


def test_whole_numbers_of_numpy_are_whole_numbers():
    assert repr(GoodTuring(np.int64(3))) == "GoodTuring(k=3)" and repr(Katz(np.int32(3), np.int64(1)))
    assert NGramModel(np.int64(2), AddK(np.float64(0.5))).fit(TEXT).order == 2
    assert score_text(UNIGRAMS, TEXT, eos=np.bool_(False)).tokens == TEXT.words


def test_what_is_scored_is_said_by_name():
    for function in (score_text, score_documents):
        with pytest.raises(TypeError, match="positional"):
            function(UNIGRAMS, TEXT, False)


ARPA = "\\data\\\nngram 1=4\n\n\\1-grams:\n-1\t{}\n-99\t<s>\n{}\t</s>\n-1\tcat\n\n\\end\\\n"


@pytest.mark.parametrize(
    ("unknown", "number", "words"),
    [
        ("<UNK>", "-1", "line 5: The unknown word is spelt <UNK>"),
        ("<unk>", "-1_0", "line 7: .* not a number"),
    ],
)
def test_arpa_files_that_other_programs_write(tmp_path, unknown, number, words):
    (tmp_path / "a.arpa").write_text(ARPA.format(unknown, number), encoding="utf-8")
    with pytest.raises(ArpaError, match=words):
        NGramModel.from_arpa(tmp_path / "a.arpa")
