"""Scores as a data frame."""

import math

import pytest

from lmmetrics import Score, compare_scores, corpora, score_documents, tokenize
from lmmetrics.ngram import NGramModel, WittenBell
from lmmetrics.scoring import to_frame

SCORES = [Score(math.log(4), tokens=2, chars=3), Score(math.log(8), tokens=3)]


def test_a_row_is_what_to_dict_says():
    pytest.importorskip("pandas", reason="pandas: requirements-dev.txt")
    frame = to_frame(SCORES)
    for row, score in zip(frame.to_dict("records"), SCORES, strict=True):
        assert {name: value for name, value in row.items() if value == value} == score.to_dict()
    assert list(frame.index) == [0, 1] and list(to_frame({"a": SCORES[0], "b": SCORES[1]}).index) == [
        "a",
        "b",
    ]
    assert len(to_frame(SCORES[0])) == 1 and len(to_frame([])) == 0
    train = tokenize(corpora.load("tales-en").train)
    documents = score_documents(NGramModel(2, WittenBell()).fit(train), train)
    frame = to_frame(documents)
    assert frame["nats"].tolist() == [score.nats for score in documents] and "unknown" in frame


def test_a_comparison_is_one_flat_row():
    pytest.importorskip("pandas", reason="pandas: requirements-dev.txt")
    found = compare_scores(
        [Score(1.0, tokens=1), Score(3.0, tokens=2)], [Score(2.0, tokens=1), Score(5.0, tokens=2)]
    )
    frame = to_frame({"mine": found})
    assert frame.loc["mine", "difference"] == found.difference
    assert frame.loc["mine", "b tokens"] == found.b.tokens


@pytest.mark.parametrize(
    "wrong", ["scores", 3, None, [Score(1.0, tokens=1), 3], [[Score(1.0, tokens=1)]], {"a": 1}]
)
def test_a_value_that_is_not_a_score_is_refused(wrong):
    with pytest.raises(TypeError, match=r"results(\[\d\])? is .*is expected"):
        to_frame(wrong)
