"""Is the difference between two models real? An interval over documents, from the paired bootstrap."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from lmmetrics._checks import generator, real_number, whole_number
from lmmetrics._errors import AdvisedError
from lmmetrics._types import Floats, Seed
from lmmetrics.score import UNITS, Score, Unit, UnitError

IntervalKind = Literal["t", "bootstrap"]
INTERVALS: dict[IntervalKind, str] = {"t": "interval (Student's t)", "bootstrap": "interval (bootstrap)"}
"""The intervals, and what readers see of them."""
POWER = 0.8
"""How often a second experiment of the size `Comparison.needed` would find the difference."""
MOST_DOCUMENTS = 10**15
"""A difference that needs more documents is as good as none, and its error is lost in rounding."""


def compare_scores(
    a: Sequence[Score],
    b: Sequence[Score],
    unit: Unit = "token",
    *,
    confidence: float = 0.95,
    resamples: int = 9999,
    seed: Seed = 0,
    interval: IntervalKind = "t",
) -> Comparison:
    """Compare two models by their scores on the same documents, in bits per unit.

    Use `lmmetrics.scoring.compare` for two models that read the same tokens. Use this function when they do
    not: tokenise the same documents for each, take `score_documents` of both, and compare per "byte".

    Parameters
    ----------
    a, b : list of Score
        One score for each document, in the same order.
    unit : str
        A unit of `UNITS`, of which both sides must have the same number in every document.
    confidence : float
        Share of intervals that contain the true difference, under the assumptions below.
    resamples : int
        How many times the documents are resampled.
    seed : int or numpy.random.Generator
        The same seed gives the same interval.
    interval : {"t", "bootstrap"}
        "t" is the interval of Student's t; "bootstrap" is the percentile interval, which is too short for few
        documents.

    Returns
    -------
    Comparison

    Raises
    ------
    TypeError
        If ``a`` or ``b`` is not a list of scores.
    ValueError
        If ``confidence`` is not between 0 and 1, ``resamples`` is below 2, or ``interval`` is not known. If
        fewer than two documents contain the unit, if the numbers of documents differ, if a score is infinite,
        or if the numbers of unknown tokens differ, which means that the vocabularies differ.
    UnitError
        If the unit was not counted, or if the two sides count it differently in a document.

    Notes
    -----
    With ``d_i`` the bits of ``a`` minus the bits of ``b`` in document ``i``, and ``n_i`` its units, the
    difference is ``sum d_i / sum n_i``: totals first, division last. Documents with ``n_i = 0`` are left out.
    Each resample draws as many documents as there are, with replacement, and computes the same ratio
    (`scipy.stats.bootstrap` with ``paired=True``). The standard deviation of these ratios is the standard
    error ``s``. With "bootstrap" the interval is their central part. With "t" it is::

        difference -+ t(1 - alpha / 2) * s * sqrt(D / (D - 1)),     alpha = 1 - confidence

    Here ``t`` is the quantile function of Student's distribution with ``D - 1`` degrees of freedom for ``D``
    documents. The root corrects the standard error of the bootstrap, which divides by ``D``.

    Tokens of one document depend on each other, so documents are drawn, not tokens. The interval assumes that
    the documents are independent and are a sample of the kind of text that you want to measure. A document
    that occurs twice is counted twice, and makes the interval too short.

    How many documents are needed to tell the models apart: the standard error of ``M`` documents like these
    is ``r * sqrt(D / M)``, with ``r = s * sqrt(D / (D - 1))``. If the true difference is the observed one,
    the interval of ``M`` documents excludes 0 about four times in five from the smallest ``M`` on for which::

        r * sqrt(D / M) * (q + t(0.8)) <= |difference|

        "t":          q = t(1 - alpha / 2),                          M - 1 degrees of freedom
        "bootstrap":  q = z(1 - alpha / 2) * sqrt((M - 1) / M),      and z(0.8) instead of t(0.8)

    Here ``z`` is the quantile function of the normal distribution; the root by it is there because the error
    of the bootstrap divides by ``M``. If the interval of the ``D`` documents contains 0, ``M`` is at least
    ``D + 1``. In units it is ``N * M / D``, if the ``D`` documents have ``N``. Both ``s`` and the difference
    are estimates, so only the order of magnitude can be trusted.

    The bootstrap's interval lies between the smallest and the largest difference of a document, so with few
    documents it is too short. It misses the truth if all documents err to one side, which happens with
    probability ``2**(1 - D)`` if the differences are symmetric. Of 100 simulated 95 % intervals, so many
    contained the true difference:

    ===============================  ===  ===  ===  ===  ===
    documents                          2    3    5   10   30
    ===============================  ===  ===  ===  ===  ===
    "t", normal differences           96   95   95   95   95
    "t", exponential                  94   92   90   90   92
    "t", log-normal                   92   88   84   84   89
    "bootstrap", normal               50   74   82   90   93
    "bootstrap", exponential          47   70   78   85   91
    "bootstrap", log-normal           43   62   72   79   89
    ===============================  ===  ===  ===  ===  ===

    Examples
    --------
    >>> a = [Score(nats=70 * n, tokens=10 * n) for n in (3, 4, 5)]
    >>> b = [Score(nats=70 * n + e, tokens=10 * n) for n, e in ((3, 10), (4, 30), (5, 20))]
    >>> compare_scores(a, b, seed=1)
    a - b = -0.7213 bits per token, 95 % interval (Student's t) -1.5148 to 0.0721 (3 documents, 120 tokens):
    not told apart; about 4 documents, 160 tokens would tell them apart 4 times in 5
    """
    confidence = real_number("confidence", confidence, lambda c: 0 < c < 1, "a share such as 0.95")
    resamples = whole_number("resamples", resamples, 2)
    if interval not in INTERVALS:
        raise ValueError(f'interval is {interval!r}; "t" or "bootstrap" is expected.')
    rng = generator(seed)
    pairs = _pairs(_scores("a", a), _scores("b", b), unit)
    counts = np.array([x.count(unit) for x, _ in pairs], dtype=np.float64)
    differences = np.array([x.bits - y.bits for x, y in pairs])
    difference, documents = float(_ratio(differences, counts)), len(pairs)
    error, percentiles = _bootstrap(differences, counts, confidence, resamples, rng)
    low, high = percentiles if interval == "bootstrap" else _student(difference, error, documents, confidence)
    needed = _needed_documents(difference, error, documents, confidence, interval)
    if _is_without_spread(difference, error, documents):
        needed = max(needed, FEW)
    if low <= 0 <= high:
        needed = max(needed, documents + 1)  # a percentile interval need not be symmetric
    units = float(counts.sum()) * needed / documents
    return Comparison(
        difference=difference,
        low=low,
        high=high,
        standard_error=error,
        needed=math.ceil(units) if math.isfinite(units) else math.inf,
        needed_documents=needed,
        confidence=confidence,
        interval=interval,
        unit=unit,
        documents=documents,
        a=sum((x for x, _ in pairs[1:]), start=pairs[0][0]),
        b=sum((y for _, y in pairs[1:]), start=pairs[0][1]),
    )


FEW = 10
"""The error of a difference that is the same in each of fewer documents is not known: it is not 0."""
DIGITS = 1e-6
"""Bits per unit. An ARPA file keeps seven digits, and two that write one model differ by less than this."""


@dataclass(frozen=True, slots=True, repr=False)
class Comparison:
    """The difference of two models on one text, in bits per unit, with its confidence interval.

    `compare` and `compare_scores` return it; the notes of the latter give the formulas.

    Attributes
    ----------
    difference : float
        Bits per unit of ``a`` minus those of ``b``. Negative: ``a`` needs fewer bits, so it is better.
    low, high : float
        The confidence interval of the difference.
    standard_error : float
        Of the difference, in bits per unit.
    needed : int or float
        About how many units are needed to tell the two models apart; `math.inf` for a difference of 0.
    needed_documents : int or float
        About how many documents of the same kind have as many units.
    confidence : float
    interval : {"t", "bootstrap"}
        Which interval it is.
    unit : str
        A unit of `UNITS`.
    documents : int
        How many documents were compared: those that contain the unit.
    a, b : Score
        The pooled scores of these documents.
    """

    difference: float
    low: float
    high: float
    standard_error: float
    needed: float
    needed_documents: float
    confidence: float
    unit: Unit
    documents: int
    a: Score
    b: Score
    interval: IntervalKind = "t"

    @property
    def same(self) -> bool:
        """Whether the whole interval is nearer to 0 than the digits of a file of probabilities."""
        return max(abs(self.low), abs(self.high)) < DIGITS

    @property
    def apart(self) -> bool:
        """Whether 0 is outside the interval, by more than rounding.

        False, too, if fewer than 10 documents all have the same difference per unit: then the error is not 0,
        but unknown.
        """
        if self.same or _is_without_spread(self.difference, self.standard_error, self.documents):
            return False
        return self.low > 0 or self.high < 0

    def to_dict(self) -> dict[str, Any]:
        """Return the fields, with both scores as they are in `Score.to_dict`."""
        fields = {name: getattr(self, name) for name in self.__slots__ if name not in ("a", "b")}
        return fields | {"apart": self.apart, "a": self.a.to_dict(), "b": self.b.to_dict()}

    def __repr__(self) -> str:
        units = UNITS[self.unit]
        if self.same:
            return f"a - b = {self.difference:.1g} bits per {self.unit}: the two are the same, up to rounding"
        if _is_without_spread(self.difference, self.standard_error, self.documents):
            return (
                f"a - b = {self.difference:.4f} bits per {self.unit} in each of {self.documents} documents: "
                "as they do not differ, the error of this number cannot be estimated, and the models are not "
                f"told apart. At least {FEW} documents are needed, or documents that differ."
            )
        verdict = f"{'a' if self.difference < 0 else 'b'} is better" if self.apart else "not told apart"
        needed = (
            f"about {self.needed_documents:,.0f} documents, {self.needed:,.0f} {units}"
            if math.isfinite(self.needed)
            else f"no number of {units}"
        )
        return (
            f"a - b = {self.difference:.4f} bits per {self.unit}, {100 * self.confidence:g} % "
            f"{INTERVALS[self.interval]} {self.low:.4f} to {self.high:.4f} ({self.documents:,} documents, "
            f"{self.a.count(self.unit):,} {units}): {verdict}; {needed} would tell them apart"
            f"{' 4 times in 5' if math.isfinite(self.needed) else ''}"
        )


def _is_without_spread(difference: float, error: float, documents: int) -> bool:
    """Whether few documents all have the same difference per unit, up to rounding, and it is not 0."""
    return documents < FEW and difference != 0 and error <= 1e-12 * abs(difference)


def _ratio(differences: Floats, counts: Floats, axis: int = -1) -> Floats:
    """Total bits over total units."""
    return differences.sum(axis=axis) / counts.sum(axis=axis)


def _bootstrap(
    differences: Floats, counts: Floats, confidence: float, resamples: int, rng: np.random.Generator
) -> tuple[float, tuple[float, float]]:
    """The standard error of the ratio, and its percentile interval."""
    from scipy.stats import bootstrap  # imported here: it takes a second to load, and few callers need it

    drawn = bootstrap(
        (differences, counts),
        _ratio,
        paired=True,
        vectorized=True,
        method="percentile",
        confidence_level=confidence,
        n_resamples=resamples,
        batch=max(1, 1_000_000 // len(counts)),
        rng=rng,
    )
    low, high = map(float, drawn.confidence_interval)
    return float(drawn.standard_error), (low, high)


def _student(difference: float, error: float, documents: int, confidence: float) -> tuple[float, float]:
    """The interval of Student's t, from the standard error of the bootstrap."""
    from scipy.special import stdtrit

    half = float(stdtrit(documents - 1, (1 + confidence) / 2)) * error
    half *= math.sqrt(documents / (documents - 1))
    return difference - half, difference + half


def _needed_documents(
    difference: float, error: float, documents: int, confidence: float, interval: IntervalKind
) -> float:
    """The smallest number of documents whose interval would exclude 0 with the probability `POWER`."""
    from scipy.special import ndtri, stdtrit

    def enough(size: int) -> bool:
        if interval == "t":
            within, luck = stdtrit(size - 1, [(1 + confidence) / 2, POWER])
        else:
            within, luck = ndtri((1 + confidence) / 2) * math.sqrt((size - 1) / size), ndtri(POWER)
        at_size = error * documents / math.sqrt((documents - 1) * size)
        return bool(at_size * (within + luck) <= abs(difference))

    if difference == 0:
        return math.inf
    most = 2
    while not enough(most):
        if most > MOST_DOCUMENTS:
            return math.inf
        most *= 2
    return bisect_left(range(most), True, lo=max(2, most // 2), key=enough)


def _pairs(a: list[Score], b: list[Score], unit: Unit) -> list[tuple[Score, Score]]:
    """Both scores of each document that has the unit; an error if they cannot be compared."""
    _check_same_documents(a, b, unit)
    pairs = [(x, y) for x, y in zip(a, b, strict=True) if x.count(unit)]  # y has the same count
    if len(pairs) < 2:
        raise ValueError(
            f"There {'is 1 document' if len(pairs) == 1 else 'are 0 documents'} with a scored {unit}, but at "
            "least two are needed: the interval comes from how the difference varies between documents. Give "
            "the text in more documents, such as chapters or articles."
        )
    return pairs


def _scores(name: str, scores: Iterable[Score]) -> list[Score]:
    """The scores as a list, or an error that says which of them is something else."""
    if not isinstance(scores, Iterable):
        raise TypeError(
            f"{name} is {scores!r}; a list of scores is expected, one for each document, such as "
            "score_documents(model, text)."
        )
    scores = list(scores)
    for i, score in enumerate(scores):
        if not isinstance(score, Score):
            raise TypeError(f"{name}[{i}] is {score!r} ({type(score).__name__}); a Score is expected.")
    return scores


def _check_same_documents(a: list[Score], b: list[Score], unit: Unit) -> None:
    """Raise unless both sides score the same documents, finitely, in the same number of units."""
    if len(a) != len(b):
        raise ValueError(
            f"a has scores for {len(a)} documents and b for {len(b)}. Both must score the same documents, in "
            "the same order."
        )
    for name, scores in (("a", a), ("b", b)):
        infinite = [i for i, score in enumerate(scores) if math.isinf(score.nats)]
        if infinite:
            raise AdvisedError(
                f"{{}} contains something to which model {name} gives probability 0 (it is the first of "
                f"{len(infinite)} such documents among {len(scores)}): the score is infinite, and so is the "
                "difference.",
                "Smooth the model, or give it an <unk>.",
                topic="impossible",
                document=infinite[0],
            )
    for i, (x, y) in enumerate(zip(a, b, strict=True)):
        unknown = [getattr(score, "unknown", None) for score in (x, y)]
        if None not in unknown and unknown[0] != unknown[1]:
            raise AdvisedError(
                f"{{}} has {unknown[0]} unknown token{'s' * (unknown[0] != 1)} for a and {unknown[1]} for b: "
                "the vocabularies differ. The model with more <unk> describes less of the text, so its score "
                "cannot be compared.",
                "Tokenise both with one vocabulary.",
                document=i,
            )
        left, right = x.count(unit), y.count(unit)
        if left != right:
            advice = (
                "Both must score the same text. A text that is cut by whitespace or by a segmenter is "
                "counted with one blank between two tokens: remove other blanks from the documents first."
                if unit == "byte"
                else "Models that cut the text differently are compared per unit of the text: "
                'compare_scores(..., unit="byte").'
            )
            raise UnitError(
                f"{{}} has {left} {UNITS[unit]} for a and {right} for b, so bits per {unit} are two "
                "different things.",
                advice,
                document=i,
            )
