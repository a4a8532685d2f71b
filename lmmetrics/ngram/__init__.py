"""Counted language models: one engine and 10 smoothing methods. `Smoothing` says how to write another one.

Examples
--------
>>> from lmmetrics import score_text
>>> from lmmetrics.text import tokenize
>>> train = tokenize(["the cat sleeps\\nthe cat eats\\nthe dog sleeps\\n"])
>>> test = tokenize(["the dog eats\\n"], vocabulary=train.vocabulary)
>>> model = NGramModel(2, WittenBell()).fit(train)
>>> print(f"{score_text(model, test).perplexity:.4f}")
3.5823
"""

from lmmetrics.ngram._additive import AddK, GoodTuring, MaximumLikelihood
from lmmetrics.ngram._arpa import ArpaError
from lmmetrics.ngram._backoff import Katz, StupidBackoff
from lmmetrics.ngram._counts import NGramCounts
from lmmetrics.ngram._discounting import AbsoluteDiscounting, KneserNey, ModifiedKneserNey
from lmmetrics.ngram._disk import ResourceLimitError
from lmmetrics.ngram._interpolation import JelinekMercer, WittenBell
from lmmetrics.ngram._level import Level
from lmmetrics.ngram._model import NGramModel, NotFittedError
from lmmetrics.ngram._saved import SavedModelError
from lmmetrics.ngram._smoothing import Interpolated, MissingStatisticsError, Smoothing, SpreadEvenly

__all__ = [
    "AbsoluteDiscounting",
    "AddK",
    "ArpaError",
    "GoodTuring",
    "Interpolated",
    "JelinekMercer",
    "Katz",
    "KneserNey",
    "Level",
    "MaximumLikelihood",
    "MissingStatisticsError",
    "ModifiedKneserNey",
    "NGramCounts",
    "NGramModel",
    "NotFittedError",
    "ResourceLimitError",
    "SavedModelError",
    "Smoothing",
    "SpreadEvenly",
    "StupidBackoff",
    "WittenBell",
]
