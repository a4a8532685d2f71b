"""`TextScore`: a score that also counts the unknown tokens."""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

from lmmetrics.score import UNITS, Score


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class TextScore(Score):
    """A `Score` that also says how many of its tokens the vocabulary does not hold.

    Pooling adds the unknown tokens, as it adds everything else. Two scores are equal if their nats and units
    are, whether or not they count unknown tokens: it equals a plain `Score`.

    Attributes
    ----------
    unknown : int
        How many tokens of the scored text are not in the vocabulary. They are among ``.tokens``, and what
        they cost is among ``.nats``. A ``<unk>`` that is written in the text is in the vocabulary.
    """

    unknown: int = 0

    def __add__(self, other: Score) -> TextScore:
        total = Score.__add__(self, other)
        counts = {field: getattr(total, field) for field in UNITS.values()}
        return TextScore(total.nats, **counts, unknown=self.unknown + getattr(other, "unknown", 0))

    def __radd__(self, other: Score | int) -> TextScore:
        return self if type(other) is int and other == 0 else self.__add__(cast(Score, other))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Score):
            return NotImplemented
        return all(getattr(self, field) == getattr(other, field) for field in ("nats", *UNITS.values()))

    __hash__ = Score.__hash__

    def __repr__(self) -> str:
        return Score.__repr__(self)[:-1] + (f"; {self._unknown_tokens()})" if self.unknown else ")")

    def __str__(self) -> str:
        return Score.__str__(self) + (f"\n{self._unknown_tokens()}" if self.unknown else "")

    def _repr_html_(self) -> str:
        note = f"; {self._unknown_tokens()}" if self.unknown else ""
        return Score._repr_html_(self).replace("</caption>", f"{note}</caption>")

    def _unknown_tokens(self) -> str:
        return f"{self.unknown} unknown token{'s' if self.unknown > 1 else ''}"
