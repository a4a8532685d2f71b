"""How a model scores a text; how two models that score the same text are compared."""

from __future__ import annotations

import contextlib
import inspect
import math
from collections.abc import Callable
from functools import partial
from itertools import pairwise
from typing import Any, Literal, Protocol

import numpy as np
from numpy.typing import ArrayLike

from lmmetrics._checks import array_of, whole_number
from lmmetrics._types import Bools, Floats, Ints, Seed
from lmmetrics.score import Score, Unit
from lmmetrics.scoring._comparison import Comparison, IntervalKind, compare_scores
from lmmetrics.scoring._text_score import TextScore
from lmmetrics.text import TokenizedText, Vocabulary
from lmmetrics.text._shared import check_text

Unknown = Literal["score", "infinite"]

ROUNDING = 1e-12
"""A log probability that is above 0 by at most this much counts as rounding of 0."""


class LanguageModel(Protocol):
    """Anything that gives each token of a text the natural log of its probability."""

    def log_probs(self, text: TokenizedText) -> Floats:
        """Return ln p of each token, given the tokens before it: float64[N]."""


def score_text(
    model: LanguageModel,
    text: TokenizedText,
    *,
    eos: bool = True,
    unknown: Unknown = "score",
    jobs: int | None = 1,
) -> TextScore:
    """Score a text with a model: the total nats, and every unit that the text can count.

    Parameters
    ----------
    model : LanguageModel
        An object with ``log_probs(text) -> float64[N]``: natural logs, each given the tokens before it.
        ``-inf`` is allowed and gives an infinite score.
    text : TokenizedText
        The scored stream of N tokens.
    eos : bool
        Whether ``</s>`` is scored. With ``eos=False`` neither its nats nor the token are counted.
    unknown : {"score", "infinite"}
        How many nats a token outside the vocabulary costs: as many as the model gives ``<unk>``, or
        infinitely many. Without ``<unk>`` in the vocabulary it always costs infinitely many. Unknown tokens
        are never left out, and the result says how many there are.
    jobs : int, optional
        How many threads share the text; None for as many as there are cores. The score is the same to the
        last bit. Only for models whose ``log_probs`` takes ``jobs``, as that of a counted model does.

    Returns
    -------
    TextScore
        A `Score`. Its tokens are the scored tokens; words, chars, bytes and ``.unknown`` are those of the
        text. With ``eos=False`` the newlines that ``</s>`` represents are neither scored nor counted.

    Raises
    ------
    TypeError
        If the model has no ``log_probs``, does not return a float64 array, or cannot share the work.
    ValueError
        If the array has the wrong shape, or contains NaN or a log above 0 (a probability above 1); a value
        up to 1e-12 above 0 is rounding, and counts as 0. If ``model.vocabulary`` differs from the text's.

    Examples
    --------
    The perplexity of a model that gives every symbol the same probability is the number of symbols.

    >>> from lmmetrics.text import tokenize
    >>> class Uniform:
    ...     def log_probs(self, text):
    ...         return np.full(len(text), -math.log(text.vocabulary.predictable))
    >>> train = tokenize(["cat sleeps"])
    >>> test = tokenize(["dog sleeps"], vocabulary=train.vocabulary)
    >>> score_text(Uniform(), test)
    Score(4.158883 nats, 3 tokens, 2 words, 10 chars, 10 bytes; perplexity 4.000000 per token;
    1 unknown token)
    >>> score_text(Uniform(), test, unknown="infinite").perplexity
    inf
    """
    surprisals, scored = surprisals_of(model, text, eos, unknown, jobs)
    counts = counts_of_documents(text, eos)
    pooled = {k: v if v is None else v.sum() for k, v in counts.items()}
    return _pooled(surprisals[scored], is_known(text)[scored], unknown, pooled)


def score_documents(
    model: LanguageModel,
    text: TokenizedText,
    *,
    eos: bool = True,
    unknown: Unknown = "score",
    jobs: int | None = 1,
) -> list[TextScore]:
    """Score each document of a text. The model reads the whole text, so it may use earlier documents.

    Parameters and errors are those of `score_text`.

    Returns
    -------
    list of TextScore
        One for each document. Their ``sum`` is `score_text` of the whole text, up to float64 rounding.

    Examples
    --------
    >>> from lmmetrics.sources import MarkovSource
    >>> coin = MarkovSource({(): {"heads": 0.5, "tails": 0.5}})
    >>> scores = score_documents(coin, coin.sample(100, seed=1, documents=4))
    >>> [score.bits for score in scores], sum(scores).perplexity
    ([25.0, 25.0, 25.0, 25.0], 2.0)
    """
    surprisals, scored = surprisals_of(model, text, eos, unknown, jobs)
    counts, known = counts_of_documents(text, eos), is_known(text)
    return [
        _pooled(
            surprisals[start:stop][scored[start:stop]],
            known[start:stop][scored[start:stop]],
            unknown,
            {k: v if v is None else v[i] for k, v in counts.items()},
        )
        for i, (start, stop) in enumerate(pairwise(text.document_starts))
    ]


def compare(
    a: LanguageModel,
    b: LanguageModel,
    text: TokenizedText,
    unit: Unit = "token",
    *,
    eos: bool = True,
    unknown: Unknown = "score",
    jobs: int | None = 1,
    confidence: float = 0.95,
    resamples: int = 9999,
    seed: Seed = 0,
    interval: IntervalKind = "t",
) -> Comparison:
    """Estimate the difference of two models in bits per unit, and whether it could be due to chance.

    Both models score the same documents. To estimate how much the difference would vary on other documents of
    the same kind, documents are resampled with replacement, each with its two scores: the paired bootstrap.
    It gives the standard error, and Student's t the interval. See `compare_scores` for the formulas and the
    assumptions.

    Parameters
    ----------
    a, b : LanguageModel
    text : TokenizedText
        At least two documents; thirty or more for an interval that can be trusted.
    unit : str
        A unit of `UNITS`. The two models read the same tokens, so it changes the numbers by one factor.
    eos, unknown, jobs
        As in `score_text`.
    confidence, resamples, seed, interval
        As in `compare_scores`.

    Returns
    -------
    Comparison

    Raises
    ------
    TypeError
        As in `score_text`.
    ValueError
        If there are fewer than two documents, if a score is infinite, and as in `score_text`.
    UnitError
        If the text cannot count the unit.

    Examples
    --------
    A coin that shows heads nine times in ten, and a model of a fair coin.

    >>> from lmmetrics.sources import MarkovSource
    >>> biased, fair = (MarkovSource({(): {"heads": p, "tails": 1 - p}}) for p in (0.9, 0.5))
    >>> compare(biased, fair, biased.sample(2000, seed=1, documents=20), seed=2)
    a - b = -0.5215 bits per token, 95 % interval (Student's t) -0.5573 to -0.4857 (20 documents, 2,000
    tokens): a is better; about 3 documents, 300 tokens would tell them apart 4 times in 5
    """
    return compare_scores(
        score_documents(a, text, eos=eos, unknown=unknown, jobs=jobs),
        score_documents(b, text, eos=eos, unknown=unknown, jobs=jobs),
        unit,
        confidence=confidence,
        resamples=resamples,
        seed=seed,
        interval=interval,
    )


def surprisals_of(
    model: LanguageModel, text: TokenizedText, eos: bool, unknown: Unknown, jobs: int | None = 1
) -> tuple[Floats, Bools]:
    """The nats of every token, float64[N], and which tokens are scored, bool[N]."""
    check_how(eos, unknown)
    if not callable(getattr(model, "log_probs", None)):
        raise TypeError(
            f"The model ({type(model).__name__}) has no method log_probs(text). It must return the natural "
            "log of the probability of each token, float64[N]."
        )
    if isinstance(model, type):
        raise TypeError(f"The model is the class {model.__name__}; give an object that is fitted or loaded.")
    vocabulary = getattr(model, "vocabulary", None)
    check_text("text", text, vocabulary if isinstance(vocabulary, Vocabulary) else None)
    if jobs is not None:
        jobs = whole_number("jobs", jobs, 1)
    log_probs = checked_log_probs(model.log_probs(text) if jobs == 1 else _shared(model, jobs)(text), text)
    surprisals = -np.minimum(log_probs, 0.0) + 0.0
    surprisals[text.ids < 0] = math.inf  # no id: a token outside a vocabulary without <unk>
    scored = np.ones(len(text), dtype=bool) if eos else ~text.is_eos
    return surprisals, scored


def _shared(model: LanguageModel, jobs: int | None) -> Callable[[TokenizedText], Floats]:
    """The model's `log_probs` on many threads."""
    function: Any = model.log_probs
    with contextlib.suppress(TypeError, ValueError):  # no signature
        if "jobs" in inspect.signature(function).parameters:
            return partial(function, jobs=jobs)
    raise TypeError(
        f"jobs is {jobs!r}, but {type(model).__name__} does not share its work: its log_probs has no "
        "argument jobs. Leave out jobs; models of PyTorch use all cores by themselves."
    )


def check_how(eos: bool, unknown: Unknown) -> None:
    """Raise unless these are ways to score."""
    if not isinstance(eos, bool | np.bool_):
        raise TypeError(f"eos is {eos!r}; True or False is expected: whether </s> is scored.")
    if unknown not in ("score", "infinite"):
        raise ValueError(
            f'unknown={unknown!r} is not known. Use "score" (a token outside the vocabulary costs what <unk> '
            'costs) or "infinite" (it is impossible). Such tokens cannot be left out, because the result '
            "would be the score of another text."
        )


def is_known(text: TokenizedText) -> Bools:
    """bool[N]: where the token is in the vocabulary, and is not ``<unk>``."""
    unk = text.vocabulary.unk
    return (text.ids >= 0) & (text.ids != unk) if unk is not None else text.ids >= 0


def _pooled(surprisals: Floats, known: Bools, unknown: Unknown, counts: dict[str, int | None]) -> TextScore:
    # fsum rounds once, at the end: the total does not depend on the order of the tokens.
    nats = math.inf if unknown == "infinite" and counts["unknown"] else math.fsum(surprisals)
    given: Any = {field: None if count is None else int(count) for field, count in counts.items()}
    told_apart = given["unknown"] + known.sum() <= len(surprisals)  # not in the tokens of an adapter
    rest = Score(math.fsum(surprisals[known]), tokens=int(known.sum())) if told_apart else None
    return TextScore(nats, tokens=len(surprisals), known=rest, **given)


def counts_of_documents(text: TokenizedText, eos: bool) -> dict[str, Ints | None]:
    """The words, characters, bytes and unknown tokens of each document, int64[D]; None if not counted."""
    counts = {field: count for field, count in text.document_counts.items() if field != "tokens"}
    if not eos:
        newlines = _newlines(text)
        for field in ("chars", "bytes"):
            counted = counts[field]
            counts[field] = None if counted is None else counted - newlines
    return counts


def _newlines(text: TokenizedText) -> Ints:
    """How many newlines ``</s>`` represents in each document, int64[D]; the last line may lack one."""
    ends = np.diff(np.append(0, np.cumsum(text.is_eos))[text.document_starts])
    closed_without = ~text.terminated & (ends > 0)
    return ends - closed_without


def checked_log_probs(values: ArrayLike, text: TokenizedText, name: str = "log_probs") -> Floats:
    """The log probabilities as an array, or an error that names the position and the token."""
    log_probs = array_of(name, values, "one number for each token")
    if log_probs.dtype != np.float64:
        raise TypeError(
            f"{name} returned {log_probs.dtype}, but scores are summed in float64. Convert the logits "
            "with .double() or .astype(np.float64) before the log-softmax."
        )
    if log_probs.shape != (len(text),):
        raise ValueError(
            f"{name} returned the shape {log_probs.shape}, but the text has {len(text)} tokens: expected "
            f"({len(text)},), one number for each token, </s> included and <s> not."
        )
    for wrong, meaning in (
        (np.isnan(log_probs), "which is not a number"),
        (log_probs > ROUNDING, "a probability above 1"),
    ):
        if wrong.any():
            position = int(np.argmax(wrong))
            raise ValueError(
                f"{name}[{position}], of the token {_shown(text, position)}, is {log_probs[position]:g}, "
                f"{meaning}. Return natural logs of probabilities that sum to 1 over the vocabulary: "
                "not logits, and not surprisals."
            )
    return log_probs


def _shown(text: TokenizedText, position: int) -> str:
    token = int(text.ids[position])
    return repr(text.vocabulary.token(token)) if token >= 0 else "outside the vocabulary"
