"""`CallableLM`: a model that is a function from token ids to logits."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy.special import logsumexp
from tqdm import tqdm

from lmmetrics._checks import whole_number
from lmmetrics._errors import AdvisedError
from lmmetrics._progress import shown
from lmmetrics._types import Floats, Ints
from lmmetrics.adapters._text import AdapterText, Decode, Encode, TokenizerVocabulary, stream
from lmmetrics.text import TokenizedText

TRIED = 16
"""How many tokens show whether a function looks at later ones."""
AT_ONCE = 1 << 22
"""How many logits are converted to float64 at once: 32 MB."""


class Window(NamedTuple):
    """The model reads ``ids[begin:stop - 1]`` of a document; the tokens from ``first`` to stop are scored."""

    document: int
    begin: int
    first: int
    stop: int


class CallableLM:
    """Score texts with a function that returns the logits of the next token.

    Parameters
    ----------
    logits : callable
        From ids, int64[B, T], to numbers [B, T, V]: an array, or a tensor of PyTorch on any device and of any
        floating type. ``[b, t]`` belongs to the token after ``ids[b, t]``, and may depend on
        ``ids[b, :t + 1]`` only. The softmax is taken here, and summed in float64. T varies between calls and
        is the same for all rows of one, so that nothing is padded.
    encode : callable
        From a string to its token ids, without special tokens.
    decode : callable
        From ids to the string.
    context : int
        How many tokens the model reads at most, the token before the first scored one included.
    stride : int, optional
        By how many tokens a window moves, 1 to ``context``; by default half of ``context``. Each token that
        has so much before it is scored after at least ``context - stride + 1`` tokens. With
        ``stride=context`` windows overlap in one token only, as in lm-evaluation-harness.
    bos : int, optional
        The token that is read before each document and not scored. Without it the first token of
        each document is read and not scored, and its characters are not counted.
    batch : int
        How many windows are given to ``logits`` at once, at most.
    unk : int, optional
        The id of the unknown token, which is counted in ``text.unknown``.
    name : str
        What the model is called on a protocol card.

    Raises
    ------
    TypeError, ValueError
        If an argument is not as above, or ``logits`` or ``encode`` returns something else. Whether ``logits``
        looks at later tokens, or returns probabilities, is checked once, on the first tokens of a text.

    Notes
    -----
    The first window of a document holds ``bos`` and scores ``context`` tokens. Each later one scores the next
    ``stride`` tokens, or what is left, and reads as far back as ``context`` allows. These are the windows of
    ``loglikelihood_rolling`` in lm-evaluation-harness for ``stride=context``. In the Hugging Face guide
    "Perplexity of fixed-length models" they are the same for ``max_length = context + 1``, but for the last
    one, which begins at a multiple of the stride there and so reads less.
    """

    def __init__(
        self,
        logits: Callable[[Ints], Any],
        encode: Encode,
        decode: Decode,
        *,
        context: int,
        stride: int | None = None,
        bos: int | None = None,
        batch: int = 8,
        unk: int | None = None,
        name: str = "a function",
    ) -> None:
        for what, given in (("logits", logits), ("encode", encode), ("decode", decode)):
            if not callable(given):
                raise TypeError(f"{what} is {given!r}; a function is expected.")
        self.logits, self.encode, self.decode = logits, encode, decode
        self.context = whole_number("context", context, 1)
        self.stride = max(1, self.context // 2) if stride is None else whole_number("stride", stride, 1)
        if self.stride > self.context:
            raise AdvisedError(
                f"{{}} is {stride}, above the context of {context}: tokens between two windows would never "
                "be scored.",
                argument="stride",
            )
        self.bos = None if bos is None else whole_number("bos", bos, 0)
        self.unk = None if unk is None else whole_number("unk", unk, 0)
        self.batch, self.name = whole_number("batch", batch, 1), name
        self.vocabulary = TokenizerVocabulary(f"the tokenizer of {name}", decode)
        self._tried = False

    def tokenize(self, documents: Sequence[str]) -> AdapterText:
        """Cut documents with the model's tokenizer.

        Warns
        -----
        UserWarning
            If the tokenizer does not give a document back unchanged: its characters are counted as they were
            given.
        """
        return AdapterText.of_documents(
            documents, self.encode, self.decode, self.vocabulary, self.bos, self.unk
        )

    def log_probs(self, text: TokenizedText, progress: bool = True) -> Floats:
        """Return ln p of each token of a text of `tokenize`: float64[N]."""
        if not isinstance(text, AdapterText) or text.vocabulary is not self.vocabulary:
            raise TypeError(
                "The text has other tokens than this model. Give the documents to model.tokenize(documents), "
                "and compare models with different tokenizers per byte."
            )
        streams = [stream(text, i) for i in range(len(text.read))]
        found = np.empty(len(text.ids))
        windows: dict[int, list[Window]] = defaultdict(list)  # by length, so that none is padded
        for i, ids in enumerate(streams):
            for window in self._windows(i, len(ids)):
                windows[window.stop - window.begin].append(window)
        offsets = text.document_starts[:-1] - [len(read) for read in text.read]
        with tqdm(total=len(found), desc="scoring", unit="token", delay=10, **shown(progress)) as bar:
            for same in windows.values():
                for k in range(0, len(same), self.batch):
                    some = same[k : k + self.batch]
                    rows = np.stack([streams[w.document][w.begin : w.stop] for w in some])
                    for j, logits in enumerate(self._logits(rows)):
                        window = some[j]
                        value = _log_probs(logits, rows[j], j, window)
                        first = offsets[window.document] + window.first
                        found[first : first + len(value)] = value
                        bar.update(len(value))
                    if not self._tried:
                        self._try(streams)
        return found

    def _try(self, streams: Sequence[Ints]) -> None:
        """Raise if `logits` looks at later tokens, or returns probabilities: checked once, on few tokens."""
        length = min(self.context, TRIED)
        some = next((ids[:length] for ids in streams if len(set(ids[:length].tolist())) > 1), None)
        self._tried = True
        if some is None:
            return
        other = some.copy()
        other[-1] = next(id for id in some if id != some[-1])
        found = self._logits(np.pad(np.stack([some, other]), ((0, 0), (0, 1)), mode="edge"))
        exact = "16" not in str(getattr(found, "dtype", ""))
        wide = found.detach().double().cpu().numpy() if hasattr(found, "detach") else np.asarray(found, float)
        before, after = wide[:, :-1]
        finite = np.isfinite(before) & np.isfinite(after)
        allowed = (1e-5 if exact else 0.02) * abs(before[finite]).max(initial=0)
        if (abs(before[finite] - after[finite]) > allowed).any():
            raise ValueError(
                f"The logits of {self.name} at a position change with a later token (or by chance, as with "
                "dropout), so the model does not predict the next token, and a text has no probability from "
                "left to right. A causal model is expected, in evaluation mode."
            )
        if (wide >= 0).all() and np.allclose(wide.sum(axis=2), 1, rtol=0, atol=1e-3):
            raise ValueError(
                f"The logits of {self.name} are probabilities: no number is negative, and each row sums to "
                "1. The softmax is taken here, so return the logits, or the logarithms of the probabilities."
            )

    @property
    def protocol(self) -> dict[str, str]:
        """What a protocol card says about the model and the past that it sees."""
        start = "its first token, which is not scored" if self.bos is None else f"token {self.bos}"
        return {
            "model": self.name,
            "tokens": repr(self.vocabulary),
            "past": f"each document begins with {start}; windows of {self.context} tokens, moved by "
            f"{self.stride}",
        }

    def _windows(self, document: int, length: int) -> list[Window]:
        windows: list[Window] = []
        first = 1
        while first < length:
            stop = min(first + (self.stride if windows else self.context), length)
            windows.append(Window(document, max(0, stop - 1 - self.context), first, stop))
            first = stop
        return windows

    def _logits(self, rows: Ints) -> Any:
        """The logits at all positions of windows but the last, which is only scored: [B, T - 1, V]."""
        ids = rows[:, :-1]
        try:
            found = self.logits(ids)
        except IndexError:
            if ids.any():  # the logits after the id 0, which each model has, say how many ids there are
                self._check_ids(ids, self._logits(np.zeros((1, 2), dtype=np.int64)).shape[2])
            raise
        expected = (
            f"({ids.shape[0]}, {ids.shape[1]}, V) is expected, a number for each token of the vocabulary."
        )
        if not hasattr(found, "shape"):
            raise TypeError(
                f"logits returned {type(found).__name__}; an array or a tensor of the shape {expected}"
            )
        shape = tuple(found.shape)
        if len(shape) != 3 or shape[:2] != ids.shape:
            raise ValueError(
                f"logits returned the shape {shape} for ids of the shape {ids.shape}; {expected}"
            )
        dtype = str(getattr(found, "dtype", "")).removeprefix("torch.")
        if dtype.startswith("complex"):
            raise TypeError(
                f"logits returned {dtype}; real numbers are expected. Return floats, such as float32."
            )
        self._check_ids(rows, shape[2])
        return found

    def _check_ids(self, ids: Ints, size: int) -> None:
        """Raise if the model, which returns so many logits at a position, does not have one of the ids."""
        has = f"but logits has {size} numbers at each position, for the ids from 0 to {size - 1}."
        for what, id in (("bos", self.bos), ("unk", self.unk)):
            if id is not None and id >= size:
                raise ValueError(f"{what} is {id}, {has} Give one of these, or None.")
        wrong = ids[(ids < 0) | (ids >= size)]
        if wrong.size:
            raise ValueError(f"The tokenizer gave the id {wrong[0]}, {has} Give the tokenizer of this model.")


def _log_probs(logits: Any, row: Ints, j: int, window: Window) -> Floats:
    """Ln softmax, in float64, at the scored ids of window j of a batch: logits [T - 1, V], row [T]."""
    step = max(1, AT_ONCE // logits.shape[1])
    parts = []
    for k in range(window.first - window.begin - 1, len(row) - 1, step):
        part = logits[k : k + step]
        wide = part.detach().double().cpu().numpy() if hasattr(part, "detach") else np.asarray(part, float)
        total = logsumexp(wide, axis=1)
        if not (right := np.isfinite(total)).all():
            first = wide[right.argmin()]
            t, v = k + int(right.argmin()), int((first < np.inf).argmin())  # the first nan or inf
            none = first[v] == -np.inf
            what = f"-inf for all tokens at [{j}, {t}]" if none else f"{first[v]} at [{j}, {t}, {v}]"
            raise ValueError(
                f"logits returned {what}, where ids[{j}, {t}] is {row[t]}, token {window.begin + t} of "
                f"document {window.document}. Finite numbers are expected, or -inf for tokens that are "
                "impossible, but not for all. In float16, numbers above 65504 become infinite: try float32."
            )
        chosen = np.take_along_axis(wide, row[k + 1 : k + 1 + step, None], axis=1)[:, 0]
        parts.append(chosen - total)
    return np.concatenate(parts) if parts else np.empty(0)
