"""Sources: processes whose entropy rate is known exactly, so that a model's KL divergence can be measured.

`MarkovSource` is any Markov chain on any finite set of symbols. In `AgreementSource` a verb agrees with a
subject that is too far back for an n-gram model. Both give exact log probabilities, so they are also language
models: no model is better on their text. They are not learned from data. `Source` is what both derive from.

Examples
--------
A source scores a long sample of its own text with about its entropy rate; the standard error says how close
the two are.

>>> from lmmetrics import score_text
>>> from lmmetrics.sources import MarkovSource
>>> source = MarkovSource({
...     "cat": {"cat": 0.1, "sleeps": 0.7, "eats": 0.2},
...     "sleeps": {"cat": 0.4, "sleeps": 0.3, "eats": 0.3},
...     "eats": {"cat": 0.5, "sleeps": 0.3, "eats": 0.2},
... })
>>> print(f"{source.entropy_rate():.6f} nats per token")
0.980799 nats per token
>>> measured = score_text(source, source.sample(100_000, seed=1)).nats_per("token")
>>> abs(measured - source.entropy_rate()) < 3 * source.standard_error(100_000)
True
"""

from lmmetrics.sources._agreement import AgreementSource
from lmmetrics.sources._markov import MarkovSource
from lmmetrics.sources._source import Source

__all__ = ["AgreementSource", "MarkovSource", "Source"]
