"""Identities that every evaluation must pass, held against ours and against eight that make known mistakes.

An evaluation here is a function: documents in, perplexity out, by way of batches of sentences that are
padded to one length, as a network would read them. An identity is a function that raises AssertionError when
the evaluation breaks it. The entries M1 to M26 are those of the book's list of mistakes.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lmmetrics import score_text
from lmmetrics.information import cross_entropy
from lmmetrics.scoring import score_documents
from lmmetrics.sources import AgreementSource, MarkovSource
from lmmetrics.text import Vocabulary, tokenize

VOCABULARY = Vocabulary(list("abcd"))
IDS = len(VOCABULARY)  # <unk> <s> </s> a b c d


@dataclass
class Bigram:
    """A table of log probabilities that reads sentences in padded batches. `</s>` is the padding too."""

    log_table: np.ndarray  # (IDS, IDS), from the token before to the next
    batch: int = 4
    padding: int = 0

    def batches(self, text):
        """Yield for each batch the positions of its tokens in the text and their log probs, and the mask."""
        sentences = [np.arange(start, stop) for start, stop in pairwise(text.sentence_starts)]
        for first in range(0, len(sentences), self.batch):
            rows = sentences[first : first + self.batch]
            positions = np.zeros((len(rows), max(map(len, rows)) + self.padding), dtype=int)
            mask = np.zeros(positions.shape, dtype=bool)
            for i, row in enumerate(rows):
                positions[i, : len(row)], mask[i, : len(row)] = row, True
            after = np.where(mask, text.ids[positions], VOCABULARY.eos)
            before = np.concatenate([np.full((len(rows), 1), VOCABULARY.bos), after[:, :-1]], axis=1)
            yield positions, self.log_table[before, after], mask

    def log_probs(self, text):
        result = np.full(len(text), np.nan)
        for positions, logs, mask in self.batches(text):
            result[positions[mask]] = logs[mask]
        return result


def table(kind="random"):
    if kind == "uniform":
        probabilities = np.full((IDS, IDS), 1 / VOCABULARY.predictable)
    elif kind == "perfect":  # of the text "abcd" and no other
        probabilities = np.zeros((IDS, IDS))
        path = [VOCABULARY[symbol] for symbol in ("<s>", "a", "b", "c", "d", "</s>")]
        probabilities[path[:-1], path[1:]] = 1.0
        probabilities[VOCABULARY.eos, VOCABULARY.eos] = 1.0  # the padding, too
    else:
        probabilities = np.random.default_rng(1).dirichlet(np.ones(IDS - 1), size=IDS)
        probabilities = np.insert(probabilities, VOCABULARY.bos, 0.0, axis=1)  # <s> is never predicted
    if kind != "perfect":
        probabilities[:, VOCABULARY.bos] = 0.0
    with np.errstate(divide="ignore"):
        return np.log(probabilities)


def text(documents):
    return tokenize(documents, by="char", sentences="line", vocabulary=VOCABULARY)


# Evaluations: the right one, and eight wrong ones ----------------------------------------------------------


def right(model, documents):
    return score_text(model, text(documents)).perplexity


def wrong_base(model, documents):
    """M1: 2 to the nats."""
    return 2 ** score_text(model, text(documents)).nats_per("token")


def loss_for_perplexity(model, documents):
    """M4: the mean of the nats."""
    return score_text(model, text(documents)).nats_per("token")


def mean_of_documents(model, documents):
    """M8: mean of the perplexities of documents. (Documents without a token are passed over.)"""
    return np.mean([score.perplexity for score in score_documents(model, text(documents)) if score.tokens])


def mean_of_batches(model, documents):
    """M9: exp of the mean of the mean losses of batches."""
    return math.exp(-np.mean([logs[mask].mean() for _, logs, mask in model.batches(text(documents))]))


def padding_in_denominator(model, documents):
    """M19: total nats over all places of the batches."""
    parts = [(logs[mask].sum(), mask.size) for _, logs, mask in model.batches(text(documents))]
    return math.exp(-sum(total for total, _ in parts) / sum(size for _, size in parts))


def padding_scored(model, documents):
    """M20: the padding is scored as if it were text."""
    parts = [(logs.sum(), logs.size) for _, logs, _ in model.batches(text(documents))]
    return math.exp(-sum(total for total, _ in parts) / sum(size for _, size in parts))


def ends_in_numerator_only(model, documents):
    """M25: the nats of </s> over the tokens without it."""
    score = score_text(model, text(documents))
    return math.exp(score.nats / (score.tokens - np.sum(text(documents).is_eos)))


def starts_counted(model, documents):
    """M26: <s> is counted as a token with probability 1."""
    score = score_text(model, text(documents))
    return math.exp(score.nats / (score.tokens + len(text(documents).sentence_starts) - 1))


# Identities ------------------------------------------------------------------------------------------------

DOCUMENTS = ["abcd\nab\n", "dddddddddd\na\n", "cab\n\nbadcab\n", "a\nbb\n"]


def same(value, expected):
    assert value == pytest.approx(expected, rel=1e-12)


def batch_size(evaluate, documents=DOCUMENTS):
    values = [evaluate(Bigram(table(), batch=batch), documents) for batch in (1, 2, 3, 100)]
    same(values, values[:1] * 4)


def padding(evaluate, documents=DOCUMENTS):
    values = [evaluate(Bigram(table(), padding=padding), documents) for padding in (0, 1, 17)]
    same(values, values[:1] * 3)


def order_of_documents(evaluate, documents=DOCUMENTS):
    model = Bigram(table())
    same(evaluate(model, documents[::-1]), evaluate(model, documents))
    same(evaluate(model, documents[1:] + documents[:1]), evaluate(model, documents))


def cut_into_documents(evaluate, documents=DOCUMENTS):
    """A model of sentences does not know where one document ends and the next begins."""
    lines = [line for document in documents for line in document.splitlines(keepends=True)]
    same(evaluate(Bigram(table()), lines), evaluate(Bigram(table()), documents))
    same(evaluate(Bigram(table()), ["".join(lines)]), evaluate(Bigram(table()), documents))


def duplication(evaluate, documents=DOCUMENTS):
    same(evaluate(Bigram(table()), documents * 2), evaluate(Bigram(table()), documents))


def uniform(evaluate, documents=DOCUMENTS):
    same(evaluate(Bigram(table("uniform")), documents), VOCABULARY.predictable)


def perfect(evaluate, documents=None):
    same(evaluate(Bigram(table("perfect")), ["abcd\n", "abcd\nabcd\n"]), 1.0)


IDENTITIES = [batch_size, padding, order_of_documents, cut_into_documents, duplication, uniform, perfect]


def name(function: Callable) -> str:
    return function.__name__


documents = st.lists(
    st.lists(st.text("abcdx", max_size=8), max_size=4).map(lambda lines: "".join(f"{s}\n" for s in lines)),
    min_size=1,
    max_size=6,
).filter(lambda documents: any(documents))


@pytest.mark.parametrize("identity", IDENTITIES, ids=name)
@given(documents=documents)
@settings(max_examples=30, deadline=None)
def test_ours_passes(identity, documents):
    identity(right, documents)


@pytest.mark.parametrize(
    ("evaluate", "caught_by"),
    [
        (wrong_base, [uniform]),
        (mean_of_documents, [cut_into_documents]),
        (loss_for_perplexity, [uniform, perfect]),
        (mean_of_batches, [batch_size, order_of_documents, duplication]),
        (padding_in_denominator, [batch_size, padding, uniform]),
        (padding_scored, [batch_size, padding]),
        (ends_in_numerator_only, [uniform]),
        (starts_counted, [uniform]),
    ],
    ids=lambda value: name(value) if callable(value) else "",
)
def test_each_mistake_is_caught(evaluate, caught_by):
    for identity in caught_by:
        with pytest.raises(AssertionError):
            identity(evaluate)


# The same of scores: exactly, where arithmetic allows it ---------------------------------------------------


@given(documents, st.randoms())
@settings(max_examples=50, deadline=None)
def test_order_changes_not_one_bit_of_the_score(documents, random):
    """The total is rounded once, so even its last digit does not depend on the order."""
    shuffled = random.sample(documents, len(documents))
    assert score_text(Bigram(table()), text(shuffled)) == score_text(Bigram(table()), text(documents))


@given(documents, st.integers(1, 6))
@settings(max_examples=50, deadline=None)
def test_shards_pool_to_the_whole(documents, shards):
    model = Bigram(table())
    total = sum(score_text(model, text(documents[i::shards])) for i in range(shards))
    whole = score_text(model, text(documents))
    assert total.nats == pytest.approx(whole.nats, rel=1e-12)
    counts = ("tokens", "words", "chars", "bytes", "unknown")
    assert [getattr(total, c) for c in counts] == [getattr(whole, c) for c in counts]


@given(documents)
@settings(max_examples=30, deadline=None)
def test_base_changes_nothing(documents):
    score = score_text(Bigram(table()), text(documents))
    same(2 ** score.bits_per("token"), score.perplexity)
    same(10 ** (score.nats / math.log(10) / score.tokens), score.perplexity)


@given(documents)
@settings(max_examples=30, deadline=None)
def test_duplication_doubles_the_nats(documents):
    once, twice = (score_text(Bigram(table()), text(documents * n)) for n in (1, 2))
    assert twice.nats == 2 * once.nats and twice.tokens == 2 * once.tokens


@pytest.mark.parametrize(
    "source",
    [AgreementSource(), MarkovSource([[0.9, 0.1], [0.5, 0.5]], ["a", "b"])],
    ids=["agreement", "chain"],
)
def test_sources_pass_too(source):
    text = source.sample(3000, seed=1, documents=10)
    scores = score_documents(source, text)
    assert sum(scores).nats == pytest.approx(score_text(source, text).nats, rel=1e-13)
    alone = [score_text(source, text.document(i)) for i in range(10)]
    assert alone == scores
    assert score_text(source, text, eos=False) == score_text(source, text)  # there is no </s> in it


def test_temperature_is_best_at_one():
    """Sharpening or flattening the truth costs nats, and the exact cost is least at temperature 1."""
    source = MarkovSource([[0.9, 0.1], [0.5, 0.5]], ["a", "b"])
    cost = {}
    for temperature in (0.25, 0.5, 0.9, 1.0, 1.1, 2.0, 4.0):
        model = source.transitions ** (1 / temperature)
        model /= model.sum(axis=1, keepdims=True)
        cost[temperature] = source.stationary @ cross_entropy(source.transitions, model)
    assert min(cost, key=cost.get) == 1.0
    assert cost[1.0] == pytest.approx(source.entropy_rate(), abs=1e-15)
