"""One property of everything: however a model comes about, it gives the same log probabilities.

Fitted in memory, fitted with a limit of memory, from the merged counts of shards, saved and loaded: the same
bits. Through an ARPA file: the same up to its digits.
"""

import tempfile
from itertools import pairwise
from pathlib import Path
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lmmetrics import tokenize
from lmmetrics.ngram import (
    JelinekMercer,
    MissingStatisticsError,
    NGramCounts,
    NGramModel,
    _disk,
)
from tests.lmmetrics.ngram import methods

WORDS = st.sampled_from(["a", "a", "b", "c", "d", "e", "é", "<unk>"])
LINES = st.lists(st.lists(WORDS, max_size=9).map(" ".join), max_size=6)
DOCUMENTS = st.lists(LINES.map(lambda lines: "".join(f"{line}\n" for line in lines)), min_size=1, max_size=5)


@pytest.mark.slow
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    documents=DOCUMENTS.filter(any),
    other=DOCUMENTS,
    order=st.integers(1, 4),
    method=st.sampled_from(methods.METHODS),
    by=st.sampled_from(["whitespace", "char", "byte"]),
    rows=st.integers(1, 60),
    chunk=st.integers(1, 40),
)
def test_every_way_to_a_model_gives_the_same_log_probabilities(
    documents, other, order, method, by, rows, chunk
):
    if isinstance(method, JelinekMercer):
        method = JelinekMercer(weights=method.weights[:order])
    text = tokenize(documents, by=by)
    given_vocabulary = None if by == "byte" else text.vocabulary
    test = tokenize([*documents, *other], by=by, vocabulary=given_vocabulary)
    with (
        tempfile.TemporaryDirectory() as name,
        patch.object(_disk.counting, "MOST_ROWS", rows),
        patch.object(_disk.files, "CHUNK", chunk),
    ):
        folder = Path(name)
        model = NGramModel(order, method)
        try:
            model.fit(text)
        except MissingStatisticsError as error:
            for again in (
                lambda: NGramModel(order, method).fit(text, memory="1TB", folder=folder),
                lambda: NGramModel(order, method).fit_counts(shards(documents, by, order, given_vocabulary)),
            ):
                try:
                    again()
                except MissingStatisticsError as other_error:
                    assert str(other_error) == str(error)
                else:
                    raise AssertionError(f"an error was expected: {error}") from error
            return
        expected = model.log_scores(test)
        bounded = NGramModel(order, method).fit(text, memory="1TB", folder=folder)
        bounded.save(folder / "bounded")
        model.save(folder / "saved")
        ways = {
            "a limit of memory": bounded,
            "a limit of memory, saved": NGramModel.load(folder / "bounded"),
            "saved": NGramModel.load(folder / "saved"),
            "shards": NGramModel(order, method).fit_counts(shards(documents, by, order, given_vocabulary)),
        }
        for way, found in ways.items():
            assert found.log_scores(test).tobytes() == expected.tobytes(), way
            assert found.log_scores(test, jobs=3).tobytes() == expected.tobytes(), f"{way}, three threads"
            assert np.array_equal(found.next_scores(["<s>"]), model.next_scores(["<s>"])), way
            if not model.smoothing.refusal:
                assert one_at_a_time(found, test) == expected.tobytes(), f"{way}, a sentence at a time"
        if model.smoothing.refusal or by != "whitespace":  # an ARPA file separates tokens by blanks
            return
        model.to_arpa(folder / "model.arpa.gz")
        read = NGramModel.from_arpa(folder / "model.arpa.gz")
        again = tokenize([*documents, *other], by=by, vocabulary=read.vocabulary)
        found, possible = read.log_probs(again), np.isfinite(expected)
        np.testing.assert_allclose(found[possible], expected[possible], atol=1e-8)
        assert (found[~possible] < -99).all()  # -99 to base 10 stands for a probability of 0
        assert one_at_a_time(read, again) == found.tobytes()


def one_at_a_time(model, text):
    """The bytes of the log probabilities, from one call for each sentence."""
    tokens, starts = text.strings(), text.sentence_starts.tolist()
    sentences = [tokens[start : stop - 1] for start, stop in pairwise(starts)]  # without </s>
    return b"".join(model.sentence_log_probs(sentence).tobytes() for sentence in sentences)


def shards(documents, by, order, vocabulary):
    """The counts of the documents, each counted by itself, and added."""
    texts = [tokenize([document], by=by, vocabulary=vocabulary) for document in documents]
    return NGramCounts.merged([NGramCounts(text, order) for text in texts if len(text)])
