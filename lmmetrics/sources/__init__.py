"""Sources: processes whose entropy rate is known exactly, so that a model's KL divergence can be measured.

`MarkovSource` is any Markov chain on any finite set of symbols. `AgreementSource` has a verb that agrees with
a subject too far back for an n-gram. Both give exact log probabilities, so they are models too: the best ones
of their own text. What they leave out: learning anything from data.

Examples
--------
The language of chapter 01 has an entropy rate of 0.980799 nats. A long sample, scored by the source itself,
comes close; the standard error says how close.

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

__all__ = ["AgreementSource", "MarkovSource"]
