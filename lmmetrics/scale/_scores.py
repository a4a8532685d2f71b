"""`ShardScores`: the scores of a run, read back."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from lmmetrics._types import PathLike, Seed
from lmmetrics.extras import need
from lmmetrics.scale._errors import ScaleError
from lmmetrics.scale._files import COUNTS, Plan, place, read_plan, read_rows
from lmmetrics.scale._shards import digest_of_all
from lmmetrics.score import Unit
from lmmetrics.scoring import Comparison, TextScore, compare_scores
from lmmetrics.scoring._shared import IntervalKind


class ShardScores(Mapping[str, TextScore]):
    """The scores of documents by their ids, in the order of the ids.

    Attributes
    ----------
    table : pyarrow.Table
        A row for each document; `read_scores` says what its columns are.
    plan : Plan
        What was measured: ``plan.model``, the digest of the model, ``plan.protocol``, how it scored, and
        ``plan.texts``, the digest of each shard.

    Notes
    -----
    ``scores["id"]`` is a `TextScore`, ``scores.total`` the score of all, ``list(scores.values())`` what
    `compare_scores` takes, and ``scores.part(ids)`` a slice with a total of its own.
    """

    def __init__(self, table: Any, plan: Plan) -> None:
        self.table, self.plan = table.sort_by("id"), plan
        self._ids: list[str] = self.table["id"].to_pylist()
        self._rows = {id: i for i, id in enumerate(self._ids)}

    def __getitem__(self, id: str) -> TextScore:
        row = self.table.slice(self._rows[id], 1).to_pylist()[0]
        return _score(row["nats"], row)

    def __iter__(self) -> Iterator[str]:
        return iter(self._ids)

    def __len__(self) -> int:
        return len(self._ids)

    def items(self) -> Any:
        """Return ids and scores, in the order of the ids."""
        return dict(zip(self._ids, self.values(), strict=True)).items()

    def values(self) -> Any:
        """Return the scores, in the order of the ids."""
        columns = {name: self.table[name].to_pylist() for name in ("nats", *COUNTS)}
        names = list(columns)
        rows = (dict(zip(names, row, strict=True)) for row in zip(*columns.values(), strict=True))
        return [_score(row["nats"], row) for row in rows]

    @property
    def total(self) -> TextScore:
        """The score of all documents, with nats that are exact and then rounded once.

        A unit that some document could not count, such as words, is left out.
        """
        counts = {name: self._sum(name) for name in COUNTS}
        return _score(math.fsum(self.summands()), counts)

    @property
    def digest(self) -> str:
        """A digest of all documents with their ids, which is the same for any partition into shards."""
        return digest_of_all(zip(self._ids, self.table["sha256"].to_pylist(), strict=True))

    def part(self, ids: Iterable[str]) -> ShardScores:
        """Return some of the documents.

        Raises
        ------
        ScaleError
            If an id is not there, or comes twice.
        """
        ids = list(ids)
        if unknown := [id for id in ids if id not in self._rows]:
            raise ScaleError(f"There is no document {unknown[0]!r} among these {len(self)} scores.")
        if len(set(ids)) < len(ids):
            raise ScaleError("An id comes twice, and its document would be counted twice. Give each once.")
        return ShardScores(
            self.table.take(np.array([self._rows[id] for id in ids], dtype=np.int64)), self.plan
        )

    def summands(self) -> Iterator[float]:
        """Yield floats whose exact sum is the exact sum of the nats of all tokens."""
        yield from self.table["nats"].to_pylist()
        for rest in self.table["rest"].to_pylist():
            yield from rest

    def _sum(self, name: str) -> int | None:
        column = self.table[name]
        return None if column.null_count else int(np.sum(column.to_numpy(), dtype=np.int64))

    def __repr__(self) -> str:
        many = len(self)
        return f"ShardScores of {many:,} document{'s' * (many != 1)}: {self.total!r}"


def read_scores(folder: PathLike) -> ShardScores:
    """Read the scores that `score_shards` or `score_rank` wrote; neither model nor text is needed.

    Parameters
    ----------
    folder : path

    Returns
    -------
    ShardScores

    Raises
    ------
    ScaleError
        If the folder is not one of scores, if the run is not complete, if a file is damaged or belongs to
        another run, or if a document comes twice.

    Notes
    -----
    The files are Parquet, so any program can read them. Their columns: ``id``; ``sha256``, of the document;
    ``nats``, rounded once; ``rest``, a list of floats, what the rounding left out, so that ``nats`` plus
    ``rest`` is the exact sum over the tokens; ``tokens``, ``words``, ``chars``, ``bytes``, ``unknown``, empty
    if not counted. Files ``*.part`` are left by workers that were killed while they wrote. They are never
    read, and may be deleted.
    """
    need("pyarrow", "scale")
    return read_folder(Path(folder), read_plan(Path(folder)))


def read_folder(out: Path, plan: Plan, shards: Iterable[str] | None = None) -> ShardScores:
    """The scores of a folder, of all shards or of some."""
    arrow = need("pyarrow", "scale")
    names = sorted(plan.texts) if shards is None else list(shards)
    missing = [name for name in names if not place(out, name).exists()]
    if missing:
        raise ScaleError(
            f"{out} is not complete: {len(missing)} of {len(names)} shards have no scores, first "
            f"{missing[0]!r}. Run score_shards again with the same arguments: it scores only these."
        )
    tables = [read_rows(out, plan, name) for name in names]
    first: dict[str, str] = {}
    for name, table in zip(names, tables, strict=True):
        refuse_twice(first, name, table["id"].to_pylist())
    return ShardScores(arrow.concat_tables(table.replace_schema_metadata() for table in tables), plan)


def refuse_twice(first: dict[str, str], shard: str, ids: Iterable[str]) -> None:
    """Note in which shard documents are; an error if one was in another."""
    for id in ids:
        if id in first:
            where = "" if first[id] == shard else f" and in {first[id]!r}"
            raise ScaleError(
                f"The document {id!r} is in the shard {shard!r}{where}, and would be counted twice. Remove "
                "one of the two, or give them different ids."
            )
        first[id] = shard


def compare_folders(
    a: PathLike | ShardScores,
    b: PathLike | ShardScores,
    unit: Unit = "byte",
    *,
    confidence: float = 0.95,
    resamples: int = 9999,
    seed: Seed = 0,
    interval: IntervalKind = "t",
) -> Comparison:
    """Compare two models by the scores that two runs wrote, with an interval over documents.

    The two runs may have cut the same documents into different shards.

    Parameters
    ----------
    a, b : path or ShardScores
    unit, confidence, resamples, seed, interval
        As in `compare_scores`, whose errors this function raises too.

    Returns
    -------
    Comparison

    Raises
    ------
    ScaleError
        If the two runs do not have the same documents, or the text of one differs.
    """
    left, right = (x if isinstance(x, ShardScores) else read_scores(x) for x in (a, b))
    if only := sorted(left.keys() ^ right.keys()):
        raise ScaleError(
            f"{len(only)} documents are in one run only, first {only[0]!r}, so the models cannot be "
            "compared. Score the same documents with both, or compare a.part(ids) with b.part(ids)."
        )
    texts = zip(left, left.table["sha256"].to_pylist(), right.table["sha256"].to_pylist(), strict=True)
    if differs := next((id for id, one, other in texts if one != other), None):
        raise ScaleError(
            f"The text of the document {differs!r} is not the same in both runs. Score it again."
        )
    options: dict[str, Any] = {"confidence": confidence, "resamples": resamples, "seed": seed}
    options["interval"] = interval
    return compare_scores(list(left.values()), list(right.values()), unit, **options)


def _score(nats: float, counts: Mapping[str, Any]) -> TextScore:
    return TextScore(nats, **{name: counts[name] for name in COUNTS})
