"""Mixtures of models, with weights learned by EM, and a cache of the most recent tokens."""

from __future__ import annotations

import contextlib
import warnings
from collections import deque
from collections.abc import Iterable, Sequence
from typing import Any, Self, cast

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import logsumexp

from lmmetrics._checks import whole_number
from lmmetrics._predictor import Predictor, reader_of
from lmmetrics._types import Floats
from lmmetrics.scoring import LanguageModel
from lmmetrics.scoring._shared import checked_log_probs
from lmmetrics.text import TokenizedText, Vocabulary
from lmmetrics.text._shared import check_listed, check_text

__all__ = ["Mixture", "UnigramCache"]

STEPS, ENOUGH = 200, 1e-9
"""The largest number of EM steps, and the gain in nats per token below which EM stops."""
FAR = 1e-3
"""`Mixture.fit` warns if the loss may be more than this above its minimum, in nats per token."""


class Mixture(Predictor):
    """A linear mixture of language models: p(w | h) = sum_i w_i p_i(w | h).

    Parameters
    ----------
    models : sequence of language models
        M of them, at least one, each with ``log_probs(text)``. They must predict the same symbols.
    weights : sequence of float, optional
        One for each model, none negative, summing to 1. Equal by default.

    Raises
    ------
    TypeError
        If a model has no ``log_probs``.
    ValueError
        If there is no model, if two have different vocabularies, or if the weights are not as above.

    Attributes
    ----------
    weights_ : float64[M]
        After `fit`: the weights that it learned, which replace those of the constructor.

    Notes
    -----
    A mixture of distributions is a distribution, so its perplexity can be compared with theirs. It costs at
    most -ln w_i nats per token more than model i, and often less than any of them: Jelinek and Mercer 1980.

    Examples
    --------
    >>> from lmmetrics import score_text
    >>> from lmmetrics.ngram import AddK, NGramModel, WittenBell
    >>> from lmmetrics.text import tokenize
    >>> train = tokenize(["a b a b a a b\\n"])
    >>> valid = tokenize(["b a b a b a\\n"], vocabulary=train.vocabulary)
    >>> test = tokenize(["a b a b b a\\n"], vocabulary=train.vocabulary)
    >>> one, two = NGramModel(1, AddK(k=1)).fit(train), NGramModel(2, WittenBell()).fit(train)
    >>> models = one, two, Mixture([one, two]), Mixture([one, two]).fit(valid)
    >>> print([round(score_text(model, test).perplexity, 3) for model in models])
    [3.01, 2.86, 2.769, 2.755]
    """

    def __init__(self, models: Iterable[LanguageModel], weights: ArrayLike | None = None) -> None:
        if not isinstance(models, Iterable):
            raise TypeError(f"models is {models!r}; a list of language models is expected, such as [model].")
        self.models = list(models)
        if not self.models:
            raise ValueError("A mixture needs at least one model: Mixture([counted, trained]).")
        for model in self.models:
            if not hasattr(model, "log_probs"):
                raise TypeError(
                    f"{type(model).__name__} has no log_probs(text): it is not a language model. Give an "
                    "object with that method, such as a fitted NGramModel."
                )
        self._check_vocabularies()
        self.weights = weights
        self._given = _checked_weights(weights, len(self.models))

    @property
    def vocabulary(self) -> Vocabulary:  # type: ignore[override]  # the models have it
        """The vocabulary of the first model that has one."""
        for model in self.models:
            if hasattr(model, "vocabulary"):
                return model.vocabulary
        raise AttributeError("No model of this mixture has a vocabulary.")

    @property
    def context_starts(self) -> Any:  # type: ignore[override]
        """As the models' own, if it is the same for all of them; otherwise None."""
        found = self._starts()
        return found.pop() if len(found) == 1 else None

    def log_probs(self, text: TokenizedText) -> Floats:
        """Return ln p of each token: float64[N].

        Raises
        ------
        TypeError, ValueError
            If a model returns something else than log probabilities, as `score_text` says: a mixture can hide
            a probability above 1.
        """
        return self._mix(self._table(text), self.weights_in_use)

    def next_distribution(self, context: Sequence[str] = ()) -> Floats:
        """Return p(w | context) for every w of the vocabulary: float64[V], by id; it sums to 1.

        Parameters
        ----------
        context : list of str
            As in the models' own methods of this name, which each model needs. It begins with `<s>` if the
            models read other contexts in different ways.

        Raises
        ------
        TypeError
            If a model has no such method, as a `UnigramCache`, which needs the whole text.
        ValueError
            If the models have different vocabularies; if the context does not begin with `<s>`, and some
            models take it for the start of the text, but others for a place anywhere in a text.
        """
        for model in self.models:
            if not hasattr(model, "next_distribution"):
                raise TypeError(
                    f"{type(model).__name__} has no next_distribution(context), so neither has a mixture "
                    "with it. Score a text instead: mixture.log_probs(text)."
                )
        self._check_vocabularies()
        rows = np.stack([cast(Any, model).next_distribution(context) for model in self.models])
        if len(self._starts()) > 1 and list(context[:1]) != ["<s>"]:
            raise ValueError(
                "The models of this mixture read this context in different ways: a network takes it for the "
                "start of the text, a counted model for a place anywhere in a text. Give all tokens from the "
                'start of the text, so that the context begins with "<s>": context=["<s>", ...].'
            )
        return self.weights_in_use @ rows

    def reader(self, vocabulary: Vocabulary | None = None) -> MixtureReader:
        return MixtureReader(self, self.vocabulary if vocabulary is None else vocabulary)

    def fit(self, text: TokenizedText) -> Self:
        """Learn the weights by expectation maximisation on a text that no model was trained on; return self.

        Each step sets a weight to the mean posterior probability that its model gave the token. No step
        increases the loss of the text. The loss is convex in the weights, so every local minimum is global.

        Parameters
        ----------
        text : TokenizedText
            N tokens of held-out text.

        Raises
        ------
        ValueError
            If a token of the text has probability 0 under every model; and as in `log_probs`.

        Warns
        -----
        RuntimeWarning
            If after 200 steps the loss may be more than 0.001 nats per token above its minimum.
        """
        logs = self._table(text)
        if not len(text):
            raise ValueError(
                "The held-out text is empty, so no weights can be learned; give a text with tokens."
            )
        weights = np.full(len(logs), 1 / len(logs))
        loss = -self._mix(logs, weights).mean()
        if not np.isfinite(loss):
            raise ValueError(
                "A token of the held-out text has probability 0 under every model; smooth one of them."
            )
        for _ in range(STEPS):
            with np.errstate(divide="ignore"):
                posterior = np.exp(logs + np.log(weights)[:, None] - self._mix(logs, weights))
            used, weights = weights, posterior.mean(axis=1)
            before, loss = loss, -self._mix(logs, weights).mean()
            if before - loss < ENOUGH:
                break
        else:
            self._warn_if_far(np.max(weights / np.where(used > 0, used, 1.0)) - 1)
        self.weights_: Floats = weights / weights.sum()
        return self

    def _check_vocabularies(self) -> None:
        """Raise if two models have different vocabularies: an id would mean another token to each."""
        first = None
        for model in self.models:
            vocabulary = getattr(model, "vocabulary", None)
            if vocabulary is None:
                continue
            first = first or vocabulary
            if vocabulary is not first and vocabulary != first:
                raise ValueError(
                    f"The models of this mixture have different vocabularies ({first} and {vocabulary}), so "
                    "an id means another token to each. Train them on texts with one vocabulary: "
                    "tokenize(documents, vocabulary=first.vocabulary)."
                )

    @property
    def weights_in_use(self) -> Floats:
        """The weights in use: float64[M]."""
        return getattr(self, "weights_", self._given)

    def _starts(self) -> set[str | None]:
        """The different ways in which the models read a context: see `Predictor.context_starts`."""
        return {getattr(model, "context_starts", None) for model in self.models}

    def _table(self, text: TokenizedText) -> Floats:
        """Return ln p of each token under each model: float64[M, N]."""
        check_text("text", text)
        return np.stack(
            [
                checked_log_probs(model.log_probs(text), text, f"{type(model).__name__}.log_probs")
                for model in self.models
            ]
        )

    @staticmethod
    def _warn_if_far(excess: float) -> None:
        """Warn if EM has not converged. As the loss is convex, it is at most `excess` above its minimum."""
        if excess > FAR:
            warnings.warn(
                f"EM has not converged: after {STEPS} steps the loss may be {excess:.1e} nats per token "
                "above its minimum, so the weights are approximate. If two models are nearly equal, leave "
                "out one of them.",
                RuntimeWarning,
                stacklevel=3,
            )

    @staticmethod
    def _mix(logs: Floats, weights: Floats) -> Floats:
        used = weights > 0
        return logsumexp(logs[used] + np.log(weights[used])[:, None], axis=0)

    def __repr__(self) -> str:
        parts = ", ".join(f"{w:.3f} {m!r}" for w, m in zip(self.weights_in_use, self.models, strict=True))
        return f"Mixture({parts})"


def _checked_weights(weights: ArrayLike | None, count: int) -> Floats:
    """The weights as float64[count], equal if there are none."""
    if weights is None:
        return np.full(count, 1 / count)
    with contextlib.suppress(TypeError, ValueError):  # not numbers, or rows of different lengths
        given = np.asarray(weights, dtype=float)
        if given.shape == (count,) and (given >= 0).all() and abs(given.sum() - 1) <= 1e-9:
            return given
    raise ValueError(
        f"weights is {weights!r}; expected {count} numbers, one for each model, none negative, that sum to 1."
    )


class UnigramCache:
    """The relative frequency of a token among the most recent ones: recent words tend to recur.

        p(w | h) = share of w among the last `size` tokens of its document; uniform for the first token

    On its own it gives every new word the probability 0. Use it as a component of a `Mixture`, with a small
    weight: Kuhn and De Mori 1990. It reaches across sentences, like a network that carries its state.

    Parameters
    ----------
    size : int
        How many tokens the cache contains at most, at least 1.
    across : bool
        Whether the cache is kept from one document to the next. Within a document it is always kept.

    Examples
    --------
    >>> from lmmetrics.text import tokenize
    >>> text = tokenize(["a b a a"])  # and </s>; four symbols with <unk>
    >>> np.exp(UnigramCache(size=2).log_probs(text)).round(3)
    array([0.25, 0.  , 0.5 , 0.5 , 0.  ])
    """

    def __init__(self, size: int = 200, across: bool = False) -> None:
        self.size, self.across = whole_number("size", size, 1), bool(across)

    def log_probs(self, text: TokenizedText) -> Floats:
        """Return ln p of each token: float64[N], ``-inf`` if the cache or the vocabulary does not have it."""
        check_listed("text", text)
        ids, place = np.asarray(text.ids, dtype=np.int64), np.arange(len(text))
        start = np.zeros(len(text), dtype=np.int64)
        if not self.across:
            lengths = np.diff(text.document_starts)
            start = np.repeat(text.document_starts[:-1], lengths)
        oldest = np.maximum(place - self.size, start)
        # Places sorted by token: how often a token occurs in [oldest, place) is a difference of ranks.
        keys = np.sort(ids * (len(text) + 1) + place)
        first, last = (np.searchsorted(keys, ids * (len(text) + 1) + at) for at in (oldest, place))
        held = place - oldest
        uniform = 1 / text.vocabulary.predictable
        shares = np.where(held > 0, (last - first) / np.maximum(held, 1), uniform)
        with np.errstate(divide="ignore"):
            return np.log(np.where(ids < 0, 0.0, shares))  # -1 is not one token: any unknown one has it

    def reader(self, vocabulary: Vocabulary) -> CacheReader:
        """Return a reader at the start of a text with this vocabulary; see `Mixture.reader`."""
        return CacheReader(self, vocabulary)

    def __repr__(self) -> str:
        return f"UnigramCache(size={self.size}, across={self.across})"


class MixtureReader:
    """Reads with each model; rows are summed in the order of the models, not by a product of matrices."""

    def __init__(self, model: Mixture, vocabulary: Vocabulary) -> None:
        self.weights = model.weights_in_use.tolist()
        self.readers = [reader_of(part, vocabulary) for part in model.models]

    def start(self) -> None:
        for reader in self.readers:
            reader.start()

    def row(self) -> Floats:
        row = self.weights[0] * self.readers[0].row()
        for weight, reader in zip(self.weights[1:], self.readers[1:], strict=True):
            row += weight * reader.row()
        return row

    def read(self, id: int) -> None:
        for reader in self.readers:
            reader.read(id)


class CacheReader:
    """Reads with a cache: the shares of the tokens among the most recent ones; see `UnigramCache`."""

    def __init__(self, model: UnigramCache, vocabulary: Vocabulary) -> None:
        self.model = model
        self.recent: deque[int] = deque()
        self.counts = np.zeros(len(vocabulary))
        self.uniform = np.full(len(vocabulary), 1 / vocabulary.predictable)
        self.uniform[vocabulary.bos] = 0.0

    def start(self) -> None:
        if not self.model.across:
            self.recent.clear()
            self.counts[:] = 0.0

    def row(self) -> Floats:
        return self.counts / len(self.recent) if self.recent else self.uniform

    def read(self, id: int) -> None:
        self.recent.append(id)
        self.counts[id] += 1.0
        if len(self.recent) > self.model.size:
            self.counts[self.recent.popleft()] -= 1.0
