"""A score: the total nats of a text, and how many units the text has.

Every score of a language model is the total of the nats over a set of scored tokens, divided by the count
of some unit, then perhaps exponentiated. A `Score` carries the total and the counts, and divides last. Scores
can only be added: there is no way to average perplexities.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Literal, NamedTuple, cast

from lmmetrics._errors import AdvisedError

__all__ = ["LABELS", "UNITS", "Score", "UnitError"]

Unit = Literal["token", "word", "char", "byte"]


class Holds(NamedTuple):
    """How many of another unit one of a unit holds: one or more."""

    least: str
    """Why it holds at least one: a sentence without its full stop."""
    most: float = math.inf
    why_most: str = ""


class UnitFacts(NamedTuple):
    """What is known of a unit."""

    field: str
    """The field of `Score` that counts it."""
    label: str
    """The word that readers see; its plural ends in s."""
    least: int = 1
    """How many of it a text has at least that has a perplexity."""
    holds: Mapping[Unit, Holds] = {}
    """The units whose counts its own count bounds."""


FACTS: dict[Unit, UnitFacts] = {
    "token": UnitFacts("tokens", "token"),
    "word": UnitFacts(
        "words",
        "word",
        least=0,
        holds={
            "char": Holds("a word has at least one character"),
            "byte": Holds("a word has at least one byte"),
        },
    ),
    "char": UnitFacts(
        "chars",
        "character",
        holds={
            "byte": Holds(
                "a character has at least one byte in UTF-8", 4, "in UTF-8 a character has at most 4 bytes"
            )
        },
    ),
    "byte": UnitFacts("bytes", "byte"),
}
UNITS: dict[Unit, str] = {unit: facts.field for unit, facts in FACTS.items()}
"""The name of a unit, and the field of `Score` that counts it."""
LABELS: dict[Unit, str] = {unit: facts.label for unit, facts in FACTS.items()}
"""The name of a unit, and the word that readers see; its plural ends in s."""


class UnitError(AdvisedError):
    """The requested unit was not counted, or two scores do not count the same units."""


@dataclass(frozen=True, slots=True, repr=False)
class Score:
    """Total surprisal of a text in nats, with the counts of its units.

    Parameters
    ----------
    nats : float
        The sum of ``-ln q(x_t | x_<t)`` over the scored tokens. At least 0. Infinite if the model gave
        a scored token the probability 0; every perplexity is then infinite too.
    tokens, words, chars, bytes : int, optional
        How many of each unit the scored text has. Leave out the units that you did not count: asking for one
        of them raises a `UnitError`.

    Raises
    ------
    TypeError
        If ``nats`` is not a real number, or a count is not a whole number.
    ValueError
        If ``nats`` is NaN or negative, if a count is negative, or if there are nats but every count is 0.

    Notes
    -----
    ``a + b`` pools two scores: nats add and counts add. The result does not depend on how the text was cut
    into documents, batches or shards. ``sum(scores)`` works too.

    Examples
    --------
    A model gives 我 / 愛 / 台灣 the probabilities 0.5, 0.8 and 0.9: three words, four characters.

    >>> score = Score(nats=-math.log(0.5 * 0.8 * 0.9), tokens=3, words=3, chars=4)
    >>> score
    Score(1.021651 nats, 3 tokens, 3 words, 4 chars; perplexity 1.405721 per token)
    >>> round(score.bits_per("char"), 6)
    0.368483
    >>> score.bits_per("byte")
    Traceback (most recent call last):
    lmmetrics.score.UnitError: This score does not know how many bytes the text has. ...
    """

    nats: float
    tokens: int | None = None
    words: int | None = None
    chars: int | None = None
    bytes: int | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "nats", _checked_nats(self.nats))
        for field in UNITS.values():
            object.__setattr__(self, field, _checked_count(field, getattr(self, field)))
        counted = self._counts()
        if self.nats > 0 and counted and not any(counted.values()):
            raise ValueError(
                f"nats is {self.nats:g}, but every count is 0: an empty text carries no surprisal. "
                "Count the units of the text that was scored."
            )

    @classmethod
    def from_perplexity(cls, value: float, per: Unit = "token", **counts: int | None) -> Score:
        """Rebuild the total nats behind a published perplexity: ``nats = count * ln(value)``.

        Parameters
        ----------
        value : float
            The published perplexity, at least 1; may be infinite.
        per : str
            The unit of that perplexity, a unit of `UNITS`. Its count is needed.
        **counts : int
            The counts of the scored text, as for `Score`: that of ``per``, and those of the units to which
            you want to convert.

        Raises
        ------
        ValueError
            If ``value`` is NaN or below 1.
        UnitError
            If the unit of the perplexity was not counted.

        Examples
        --------
        The 5-gram Kneser-Ney line of the Penn Treebank: 141.2 per token.

        >>> line = Score.from_perplexity(141.2, per="token", tokens=82_430, chars=442_423)
        >>> round(line.bits_per("token"), 4), round(line.bits_per("char"), 4)
        (7.1416, 1.3306)
        """
        value = _checked_perplexity(value)
        count = cls(0.0, **counts)._divisor(per)
        return cls(count * math.log(value), **counts)

    @property
    def bits(self) -> float:
        """The total surprisal in bits: ``nats / ln 2``."""
        return self.nats / math.log(2)

    @property
    def perplexity(self) -> float:
        """Perplexity per token, ``exp(nats / tokens)``. For another unit see `perplexity_per`."""
        return self.perplexity_per("token")

    def count(self, unit: Unit) -> int:
        """Return how many units of one kind, a unit of `UNITS`, the scored text has.

        Raises
        ------
        UnitError
            If the unit was not counted, or is not one of the four.
        """
        if not isinstance(unit, str) or unit not in UNITS:
            known = ", ".join(map(repr, UNITS))
            raise UnitError(f"{unit!r} is not a unit that a Score knows.", f"Use one of {known}.")
        count = getattr(self, UNITS[unit])
        if count is None:
            raise UnitError(
                f"This score does not know how many {UNITS[unit]} the text has.", _how_to_count(UNITS[unit])
            )
        return count

    def perplexity_per(self, unit: Unit) -> float:
        """Return ``exp(nats / count)`` for a unit of `UNITS`.

        A perplexity beyond the range of float64 (about 1.8e308) is returned as ``inf``.

        Raises
        ------
        UnitError
            If the unit was not counted, or is not one of the four.
        ValueError
            If the count of that unit is 0.
        """
        try:
            return math.exp(self.nats_per(unit))
        except OverflowError:
            return math.inf

    def nats_per(self, unit: Unit) -> float:
        """Return ``nats / count`` for a unit of `UNITS`. Errors: see `perplexity_per`."""
        return self.nats / self._divisor(unit)

    def bits_per(self, unit: Unit) -> float:
        """Return ``bits / count`` for a unit of `UNITS`. Errors: see `perplexity_per`."""
        return self.bits / self._divisor(unit)

    def to_dict(self) -> dict[str, float | int]:
        """Return the totals, the counts, and each value per unit: a row of a table, for JSON or pandas.

        Examples
        --------
        >>> Score(nats=math.log(8), tokens=3).to_dict()
        {'nats': 2.0794..., 'bits': 3.0, 'tokens': 3, 'bits per token': 1.0, 'perplexity per token': 2.0}
        """
        found: dict[str, float | int] = {"nats": self.nats, "bits": self.bits, **self._counts()}
        for unit, field in UNITS.items():
            if found.get(field):
                found[f"bits per {LABELS[unit]}"] = self.bits_per(unit)
                found[f"perplexity per {LABELS[unit]}"] = self.perplexity_per(unit)
        return found

    def __add__(self, other: Score) -> Score:
        if not isinstance(other, Score):
            raise TypeError(
                f"A Score pools only with another Score, not with {other!r} ({type(other).__name__}). "
                "Add the scores first, then ask the result for a perplexity."
            )
        for field in UNITS.values():
            if (getattr(self, field) is None) != (getattr(other, field) is None):
                side = "right" if getattr(other, field) is None else "left"
                raise UnitError(
                    f"Only one of the two scores counts {field}; the {side} one does not.",
                    _how_to_count(field),
                )
        mine, theirs = self._counts(), other._counts()
        return Score(self.nats + other.nats, **{field: mine[field] + theirs[field] for field in mine})

    def __radd__(self, other: Score | int) -> Score:
        """Let ``sum`` start from its 0."""
        return self if type(other) is int and other == 0 else self.__add__(cast("Score", other))

    def __repr__(self) -> str:
        """One line, with units and digits that are the same on every machine."""
        parts = [f"{_number(self.nats)} nats", *(f"{n} {field}" for field, n in self._counts().items())]
        perplexity = f"; perplexity {_number(self.perplexity)} per token" if self.tokens else ""
        return f"Score({', '.join(parts)}{perplexity})"

    def __str__(self) -> str:
        """A small table: one line for each counted unit."""
        head = ("unit", "count", "nats per", "bits per", "perplexity per")
        rows = [head, *self._rows()]
        widths = [max(len(row[i]) for row in rows) for i in range(len(head))]
        lines = [
            "  ".join(
                [
                    row[0].ljust(widths[0]),
                    *(cell.rjust(w) for cell, w in zip(row[1:], widths[1:], strict=True)),
                ]
            )
            for row in rows
        ]
        return "\n".join([f"{_number(self.nats)} nats = {_number(self.bits)} bits", *lines])

    def _repr_html_(self) -> str:
        room = 'style="padding: 0.1em 0.25em; text-align: right"'
        names = ("per", "count", "nats", "bits", "perplexity")  # short, so that it fits on a phone
        head = "".join(f'<th scope="col" {room}>{name}</th>' for name in names)
        body = "".join(
            f'<tr><th scope="row" {room}>{row[0]}</th>'
            + "".join(f"<td {room}>{cell}</td>" for cell in row[1:])
            + "</tr>"
            for row in self._rows()
        )
        caption = f"Score: {_number(self.nats)} nats ({_number(self.bits)} bits) in all, and per unit"
        return (
            f'<table class="lm-score" style="font-size: 0.9em"><caption>{caption}</caption>'
            f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
        )

    def _rows(self) -> list[tuple[str, ...]]:
        """The cells of the table: unit, count, nats, bits and perplexity per unit."""
        rows = []
        for unit, field in UNITS.items():
            if count := getattr(self, field):
                values = self.nats_per(unit), self.bits_per(unit), self.perplexity_per(unit)
                rows.append((unit, str(count), *map(_number, values)))
            elif count == 0:
                rows.append((unit, "0", *["none"] * 3))
        return rows

    def _counts(self) -> dict[str, int]:
        """The units that were counted, by field name."""
        counts = {field: getattr(self, field) for field in UNITS.values()}
        return {field: count for field, count in counts.items() if count is not None}

    def _divisor(self, unit: Unit) -> int:
        """The count of a unit; an error if it is 0."""
        if count := self.count(unit):
            return count
        raise ValueError(
            f"The text has 0 {UNITS[unit]}, so nothing can be given per {unit}. An empty text can be "
            "pooled: add its score to others, then ask the sum."
        )


def _how_to_count(field: str) -> str:
    return (
        f"Count the {field} of exactly the text that was scored and pass them: "
        f"Score(nats, ..., {field}=...). With score_text, the TokenizedText counts them, if it can."
    )


def _checked_nats(nats: float) -> float:
    if isinstance(nats, bool) or not isinstance(nats, Real):
        raise TypeError(
            f"nats must be a real number, not {nats!r} ({type(nats).__name__}). "
            "For an array or a tensor with one element, pass .item()."
        )
    value = _as_float("nats", nats)
    if math.isnan(value):
        raise ValueError("nats is NaN. Look for the token whose log probability is not a number.")
    if value < 0:
        rounding = "It may be the rounding of 0; if so, pass 0.0. " if value > -1e-9 else ""
        raise ValueError(
            f"nats is {value:g}, but a surprisal -ln q is at least 0, because q is at most 1. {rounding}"
            "Check the sign, and that you pass log probabilities of a discrete model, not logits."
        )
    return value


def _checked_count(field: str, count: int | None) -> int | None:
    if count is None:
        return None
    if isinstance(count, bool) or not isinstance(count, Integral):
        raise TypeError(
            f"{field} must be a whole number, not {count!r} ({type(count).__name__}). "
            "Count the units; do not estimate them."
        )
    if count < 0:
        raise ValueError(f"{field} is {count}, but a count is at least 0.")
    return int(count)


def _checked_perplexity(value: float) -> float:
    if isinstance(value, bool) or not isinstance(value, Real):
        raise TypeError(
            f"A perplexity is a real number, not {value!r} ({type(value).__name__}). Pass a float."
        )
    if not value >= 1:
        raise ValueError(
            f"{value:g} cannot be the perplexity of a discrete model. Each probability is at most 1, so each "
            "surprisal is at least 0, and exp of their mean is at least 1. Check whether a minus sign is "
            "missing, or whether the value is a loss and not a perplexity."
        )
    return _as_float("The perplexity", value)


def _as_float(name: str, value: float) -> float:
    try:
        return float(value)
    except OverflowError:
        raise ValueError(
            f"{name} is above 1.8e308, the largest float. Pass math.inf if a token has the probability 0."
        ) from None


def _number(value: float) -> str:
    """Six decimals where they fit, else scientific notation: digits that are the same on every machine."""
    return f"{value:.6f}" if value < 1e7 or math.isinf(value) else f"{value:.6e}"
