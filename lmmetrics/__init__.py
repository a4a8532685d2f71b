"""Measure language models: one score, any unit, each identity checked symbolically.

The library is an hourglass. Text becomes a `TokenizedText`; a model gives each token its natural log
probability; from there on everything is arithmetic on one small object, the `Score`. Each package exports its
public names; a module whose name begins with an underscore is private.

Examples
--------
>>> from lmmetrics import Score
>>> Score(nats=1.02165, tokens=3).bits_per("token")  # doctest: +ELLIPSIS
0.4913...
"""

from lmmetrics._version import __version__ as __version__
from lmmetrics.score import Score, UnitError
from lmmetrics.scoring import (
    Comparison,
    LanguageModel,
    TextScore,
    compare,
    compare_scores,
    score_documents,
    score_text,
)
from lmmetrics.text import TokenizedText, Vocabulary, tokenize

__all__ = [
    "Comparison",
    "LanguageModel",
    "Score",
    "TextScore",
    "TokenizedText",
    "UnitError",
    "Vocabulary",
    "compare",
    "compare_scores",
    "score_documents",
    "score_text",
    "tokenize",
]
