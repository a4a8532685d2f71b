"""Models, documents and exact totals that the tests of shards share, in this process and in others."""

import math
import os
import time
from pathlib import Path

import numpy as np

from lmmetrics import corpora, tokenize
from lmmetrics.ngram import NGramModel, WittenBell


def counted(order=2):
    return NGramModel(order, WittenBell()).fit(tokenize(corpora.load("tales-en").train))


def paragraphs():
    """Documents of different lengths, one of them empty, by their ids."""
    lines = [line for tale in corpora.load("tales-en").test for line in tale.split("\n") if line]
    return {f"paragraph {i:03}": text for i, text in enumerate([*lines[:60], ""])}


def of_tokens(model, documents):
    """The total as it is defined: `math.fsum` of the surprisals of all tokens, float64."""
    found = []
    for text in documents.values():
        found += (-model.log_probs(tokenize([text], vocabulary=model.vocabulary))).tolist()
    return math.fsum(found)


class Slow:
    """A counted model that takes its time, and notes in a folder what each process has begun."""

    def __init__(self, path, notes, seconds):
        self.model, self.notes, self.seconds = NGramModel.load(path), Path(notes), seconds
        self.vocabulary, self.digest, self.begun = self.model.vocabulary, "slow", 0

    def log_probs(self, text):
        self.begun += 1
        (self.notes / f"{os.getpid()}-{self.begun}").touch()
        time.sleep(self.seconds)
        return self.model.log_probs(text)


def of_this_process(vocabulary):
    """A model that is another one in each process."""
    made = Constant(vocabulary)
    made.digest = f"of process {os.getpid()}"
    return made


class Constant:
    """Every token costs the same."""

    digest = "constant"

    def __init__(self, vocabulary, nats=1.0):
        self.vocabulary, self.nats = vocabulary, nats

    def log_probs(self, text):
        return np.full(len(text), -self.nats)
