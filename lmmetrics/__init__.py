"""Measure language models: one score, any unit, every identity proved.

The library is an hourglass. Text becomes a `TokenizedText`; a model gives each token its natural log
probability; from there on everything is arithmetic on one small object, the `Score`.

Examples
--------
>>> from lmmetrics import Score
>>> Score(nats=1.02165, tokens=3).bits_per("token")  # doctest: +ELLIPSIS
0.4913...
"""

from lmmetrics.score import Score, UnitError
from lmmetrics.scoring import compare, score_text

__version__ = "0.1.0"
__all__ = ["Score", "UnitError", "compare", "score_text"]
