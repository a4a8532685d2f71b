"""Texts on which several experiments train and measure."""

from lmmetrics import corpora
from lmmetrics.text import tokenize


def tales():
    """The characters of the English tales: train, valid, test."""
    corpus = corpora.load("tales-en")
    train = tokenize(corpus.train, by="char")
    return train, *(
        tokenize(part, by="char", vocabulary=train.vocabulary) for part in (corpus.valid, corpus.test)
    )


def source_texts(source):
    """The training, valid and test text of a source that agrees."""
    return tuple(source.sample(size, seed=seed) for size, seed in ((32_000, 1), (5000, 2), (20_000, 3)))
