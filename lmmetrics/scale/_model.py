"""What a worker does with a model: load it, say which one it is, and let it cut and score a document."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from threading import Lock
from typing import Any

from lmmetrics._digest import sha256_of
from lmmetrics.ngram import NGramModel
from lmmetrics.ngram._shared import tables_of
from lmmetrics.scale._errors import ScaleError
from lmmetrics.scale._exact import parts
from lmmetrics.scoring._shared import Unknown, check_how, counts_of_documents, surprisals_of
from lmmetrics.text import TokenizedText, Vocabulary, tokenize
from lmmetrics.text._shared import By, Sentences


@dataclass(frozen=True)
class Protocol:
    """How documents are cut and scored: what has to be the same in the whole run."""

    eos: bool = True
    unknown: Unknown = "score"
    by: By | None = None
    sentences: Sentences | None = None

    def __post_init__(self) -> None:
        check_how(self.eos, self.unknown)

    def described(self) -> dict[str, Any]:
        """The protocol as JSON can hold it."""
        by = self.by if self.by is None or isinstance(self.by, str) else _named(self.by)
        return {"eos": bool(self.eos), "unknown": self.unknown, "by": by, "sentences": self.sentences}

    def cut(self, model: Any, document: str) -> TokenizedText:
        """One document in the tokens of a model."""
        if callable(getattr(model, "tokenize", None)):
            return model.tokenize([document])
        vocabulary = getattr(model, "vocabulary", None)
        return tokenize([document], self.by or "word", self.sentences, vocabulary)

    def row(self, model: Any, document: str) -> dict[str, Any]:
        """The score of one document, which the model reads by itself."""
        text = self.cut(model, document)
        surprisals, scored = surprisals_of(model, text, self.eos, self.unknown)
        counts = {
            name: None if found is None else int(found.sum())
            for name, found in counts_of_documents(text, self.eos).items()
        }
        impossible = self.unknown == "infinite" and counts["unknown"]
        nats, *rest = [math.inf] if impossible else parts(surprisals[scored].tolist())
        return {"nats": nats, "rest": rest, "tokens": int(scored.sum()), **counts}

    def check(self, model: Any) -> None:
        """Raise unless the model can score documents in this way."""
        if not callable(getattr(model, "log_probs", None)):
            raise TypeError(
                f"The model is {type(model).__name__}, without a method log_probs(text). A model is "
                "expected, or a function without arguments that loads one, such as "
                "functools.partial(NGramModel.load, path)."
            )
        if isinstance(model, NGramModel):
            tables_of(model)
        if callable(getattr(model, "tokenize", None)):
            if self.by is not None or self.sentences is not None:
                raise ScaleError(
                    "The arguments by and sentences are for models without a tokenizer, and this model has "
                    "one. Leave them out."
                )
        elif not isinstance(getattr(model, "vocabulary", None), Vocabulary):
            raise ScaleError(
                f"{type(model).__name__} has neither a vocabulary nor a method tokenize(documents), so each "
                "document would get ids of its own. Give the model one of the two."
            )


@dataclass
class Loaded:
    """A model, its digest, and a name for people."""

    model: Any
    digest: str
    name: str = field(default="")


_HERE: dict[str, Loaded] = {}
"""The model of the last run that loaded one in this process."""
_KEPT: dict[str, Loaded] = {}
"""Models that this process has given its threads."""
_LOCK = Lock()


def load(source: Any, given: str | None, protocol: Protocol) -> Loaded:
    """Load a model, check it, and take its digest."""
    loads = callable(source) and not hasattr(source, "log_probs") and not hasattr(source, "state_dict")
    model = source() if loads else source
    protocol.check(model)
    inner: Any = getattr(model, "model", None)
    if getattr(inner, "training", False):
        inner.eval()  # threads share it
    says = type(model).__repr__ is not object.__repr__
    name = getattr(model, "name", None) or (repr(model) if says else type(model).__name__)
    return Loaded(model, given or digest_of(model), str(name)[:200])


def load_once(source: Any, given: str | None, protocol: Protocol, run: str) -> Loaded:
    """As `load`, but once in each process and run."""
    with _LOCK:
        if run in _KEPT:
            return _KEPT[run]
        if run not in _HERE:
            _HERE.clear()
            _HERE[run] = load(source, given, protocol)
        return _HERE[run]


def keep(run: str, loaded: Loaded) -> None:
    """Give the threads of this process a model."""
    with _LOCK:
        _KEPT[run] = loaded


def forget(run: str) -> None:
    """Let go of the model of a run."""
    with _LOCK:
        _HERE.pop(run, None)
        _KEPT.pop(run, None)


def digest_of(model: Any) -> str:
    """Return the SHA-256 of everything that a model's probabilities depend on.

    A model says it in an attribute ``digest``. For any other model of PyTorch it is that of its weights.
    """
    said = getattr(model, "digest", None)
    if isinstance(said, str) and said:
        return said
    if callable(getattr(model, "state_dict", None)) and getattr(model.vocabulary, "lists_tokens", True):
        about = json.dumps([list(model.vocabulary.tokens), str(getattr(model, "state", None))])
        return sha256_of((type(model).__name__, repr(model), about), model.state_dict())
    raise ScaleError(
        f"The library cannot tell one {type(model).__name__} from another, so a changed model would not be "
        "noticed. Give model_digest=..., a string that changes with the model, such as the SHA-256 of its "
        "file; or give the model an attribute digest."
    )


def _named(by: Any) -> str:
    """A tokenizer or a segmenter by its name, and what it has learned as a digest."""
    learned: Iterable[bytes] | None = getattr(by, "token_bytes", None)
    if learned is not None:
        return f"{type(by).__name__} {sha256_of(learned)[:16]}"
    return f"{getattr(by, '__module__', '')}.{getattr(by, '__qualname__', type(by).__name__)}"
