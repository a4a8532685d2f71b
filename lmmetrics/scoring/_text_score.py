"""`TextScore`: a score that also counts the unknown tokens."""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

from lmmetrics.score import Score


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class TextScore(Score):
    """A `Score` that also says how many of its tokens are not in the vocabulary.

    Pooling adds the unknown tokens, as it adds everything else. Two scores are equal if their nats and counts
    of units are equal. The number of unknown tokens is not compared, so a `TextScore` can equal a `Score`.

    Attributes
    ----------
    unknown : int
        How many tokens of the scored text are not in the vocabulary. ``.tokens`` counts them, and ``.nats``
        includes their nats. A ``<unk>`` that is written in the text is in the vocabulary.
    known : Score, optional
        The score of the tokens that are neither unknown nor a ``<unk>`` written in the text.
        ``.known.perplexity`` is what KenLM calls the perplexity excluding OOVs. None if nobody has told the
        two kinds of tokens apart, as in the scores of shards.
    """

    unknown: int = 0
    known: Score | None = None

    @property
    def written(self) -> int:
        """How many tokens are a ``<unk>`` that is written in the text; 0 if `known` is None."""
        return 0 if self.known is None else self.count("token") - self.unknown - self.known.count("token")

    def __add__(self, other: Score) -> TextScore:
        total = Score.__add__(self, other)
        unknown = self.unknown + getattr(other, "unknown", 0)
        mine, theirs = self.known, getattr(other, "known", None)
        known = None if mine is None or theirs is None else mine + theirs
        return TextScore(total.nats, **total._counts(), unknown=unknown, known=known)

    def __radd__(self, other: Score | int) -> TextScore:
        return self if type(other) is int and other == 0 else self.__add__(cast(Score, other))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Score):
            return NotImplemented
        return self.nats == other.nats and self._counts() == other._counts()

    __hash__ = Score.__hash__

    def to_dict(self) -> dict[str, float | int]:
        """As `Score.to_dict`, with the number of unknown tokens and what `known` says."""
        found = Score.to_dict(self) | {"unknown": self.unknown}
        if self.known is not None:
            found |= {"written <unk>": self.written, "known tokens": self.known.count("token")}
            if self.known.tokens:
                found["perplexity of known tokens"] = self.known.perplexity
        return found

    def __repr__(self) -> str:
        return Score.__repr__(self)[:-1] + (f"; {self._unknown_tokens()})" if self.unknown else ")")

    def __str__(self) -> str:
        lines = [Score.__str__(self)] + [self._unknown_tokens()] * (self.unknown > 0)
        if written := self.written:
            lines.append(f"{written} token{'s' * (written > 1)} written <unk> in the text")
        if self.known is not None and self.known.tokens and self.known.tokens < self.count("token"):
            lines.append(f"perplexity {self.known.perplexity:.6f} of the {self.known.tokens} known tokens")
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        note = f"; {self._unknown_tokens()}" if self.unknown else ""
        return Score._repr_html_(self).replace("</caption>", f"{note}</caption>")

    def _unknown_tokens(self) -> str:
        return f"{self.unknown} unknown token{'s' if self.unknown > 1 else ''}"
