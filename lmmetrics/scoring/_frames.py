"""`to_frame`: scores as a data frame of pandas."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from lmmetrics.extras import need
from lmmetrics.score import Score
from lmmetrics.scoring._comparison import Comparison

Result = Score | Comparison


def to_frame(results: Result | Iterable[Result] | Mapping[Any, Result]) -> Any:
    """Return scores or comparisons as a data frame: a row for each, with the columns of its ``to_dict``.

    Parameters
    ----------
    results : Score or Comparison, a list of them, or a mapping
        One result, many, or many by name, such as what `score_documents` and `score_shards` return. The names
        become the index.

    Returns
    -------
    pandas.DataFrame
        The scores of both sides of a comparison have the columns ``a nats``, ``b nats`` and so on. A unit
        that was not counted has no value.

    Raises
    ------
    ModuleNotFoundError
        If pandas is not installed; the message names the extra.
    TypeError
        If something is neither a score nor a comparison.

    Notes
    -----
    The mean of a column of perplexities is not the perplexity of all documents. Add the scores for that.

    Examples
    --------
    Without pandas, ``[score.to_dict() for score in scores]`` has the same rows. With it::

        frame = to_frame(score_documents(model, text))
        frame.sort_values("bits per byte").tail()
    """
    names: list[Any] | None = None
    if isinstance(results, Mapping):
        names, results = list(results), list(results.values())
    elif isinstance(results, Score | Comparison):
        results = [results]
    elif isinstance(results, str | bytes) or not isinstance(results, Iterable):
        raise TypeError(f"results is {_kind(results)}; a score, or a list of scores, is expected.")
    rows = [_row(i, result) for i, result in enumerate(results)]
    pandas = need("pandas", "frames")
    return pandas.DataFrame(rows, index=names)


def _row(i: int, result: Any) -> dict[str, Any]:
    if not isinstance(result, Score | Comparison):
        raise TypeError(
            f"results[{i}] is {_kind(result)}; a Score or a Comparison is expected, such as score_documents "
            "and compare return them."
        )
    row: dict[str, Any] = {}
    for name, value in result.to_dict().items():
        if isinstance(value, Mapping):
            row |= {f"{name} {inner}": of for inner, of in value.items()}
        else:
            row[name] = value
    return row


def _kind(value: object) -> str:
    return f"{value!r:.40} ({type(value).__name__})"
