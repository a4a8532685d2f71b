"""The folder of a run: what is measured (``run.json``), and for each shard a Parquet file with its rows."""

from __future__ import annotations

import hashlib
import io
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

from lmmetrics.extras import need
from lmmetrics.scale._errors import ScaleError
from lmmetrics.scale._shards import write_atomically
from lmmetrics.score import UNITS

FORMAT, VERSION = "lmmetrics scores of shards", 1
KEY = b"lmmetrics"
"""Where the metadata of a Parquet file holds what it is, as JSON."""
FIRST = "id", "sha256", "nats", "rest"
COUNTS = *UNITS.values(), "unknown"
"""The columns of a file of scores."""


@dataclass(frozen=True)
class Plan:
    """What a folder holds the scores of: the digests of a model and of the text of each shard, and how."""

    model: str
    name: str
    protocol: Mapping[str, Any]
    texts: Mapping[str, str]

    def of_shard(self, shard: str) -> dict[str, Any]:
        """What the file of a shard says about itself."""
        about = {"model": self.model, "protocol": dict(self.protocol), "text": self.texts[shard]}
        return {"format": FORMAT, "version": VERSION, "shard": shard} | about


def place(out: Path, shard: str) -> Path:
    """The file of a shard's scores."""
    name = quote(shard, safe=" ")
    if len(name) > 150:
        name = f"{name[:120]}-{hashlib.sha256(shard.encode()).hexdigest()[:24]}"
    return out / f"{name}.scores.parquet"


def claim(out: Path, plan: Plan) -> None:
    """Write what the folder is for; an error if it has scores of something else."""
    out.mkdir(parents=True, exist_ok=True)
    known, scores = (out / "run.json").exists(), next(out.glob("*.scores.parquet"), None)
    if scores and not known:
        raise ScaleError(f"{out} has scores but no run.json, which says of what. Name another folder.")
    if not scores:
        about = {"format": FORMAT, "version": VERSION} | asdict(plan)
        write_atomically(out / "run.json", json.dumps(about, ensure_ascii=False, indent=1).encode())
    agree(plan, read_plan(out), out)


def agree(plan: Plan, old: Plan, out: Path) -> None:
    """Raise unless a folder is for the same model, text and protocol; say what has changed."""
    advice = "Name another folder for a new measurement."
    if plan.model != old.model:
        raise ScaleError(
            f"{out} holds scores of another model ({old.name}, digest {old.model[:12]}...) than this one "
            f"({plan.name}, digest {plan.model[:12]}...): their sum would mean nothing. {advice}"
        )
    if dict(plan.protocol) != dict(old.protocol):
        changed = [key for key in plan.protocol if plan.protocol[key] != old.protocol.get(key)]
        was = ", ".join(f"{key}={old.protocol.get(key)!r}" for key in changed)
        now = ", ".join(f"{key}={plan.protocol[key]!r}" for key in changed)
        raise ScaleError(f"{out} holds scores with {was}, and this run has {now}. {advice}")
    new, gone = sorted(plan.texts.keys() - old.texts), sorted(old.texts.keys() - plan.texts)
    if new or gone:
        said = [f"{len(names)} {what}, such as {names[0]!r}" for names, what in (
            (new, "are new"), (gone, "are missing")) if names]  # fmt: skip
        raise ScaleError(f"{out} holds scores of other shards: {' and '.join(said)}. {advice}")
    for shard, text in plan.texts.items():
        if text != old.texts[shard]:
            raise ScaleError(
                f"The text of the shard {shard!r} has changed since {out} was begun (digest {text[:12]}..., "
                f"then {old.texts[shard][:12]}...). Restore the text. {advice}"
            )


def read_plan(out: Path) -> Plan:
    """Read what a folder is for."""
    try:
        found = json.loads((out / "run.json").read_text(encoding="utf-8"))
        if (found["format"], found["version"]) != (FORMAT, VERSION):
            raise ScaleError(
                f"{out} was written in version {found['version']!r} of {found['format']!r}; this lmmetrics "
                f"reads version {VERSION} of {FORMAT!r}. Score again, into another folder."
            )
        return Plan(found["model"], found["name"], found["protocol"], found["texts"])
    except FileNotFoundError:
        raise ScaleError(
            f"{out} has no run.json, so it is not a folder of scores. Name the one that score_shards wrote."
        ) from None
    except (KeyError, TypeError, json.JSONDecodeError):
        raise ScaleError(f"{out / 'run.json'} is damaged. Score again, into another folder.") from None


def write_rows(out: Path, plan: Plan, shard: str, rows: list[dict[str, Any]], mark: str) -> None:
    """Write the scores of a shard, all or nothing."""
    arrow, parquet = need("pyarrow", "scale"), need("pyarrow.parquet", "scale")
    types = {"id": arrow.string(), "sha256": arrow.string(), "nats": arrow.float64()}
    types |= {"rest": arrow.list_(arrow.float64()), **dict.fromkeys(COUNTS, arrow.int64())}
    if lost := {name for row in rows for name in row} - types.keys():  # pyarrow would leave them out
        raise ScaleError(f"The scores have no column for {', '.join(sorted(lost))}. Add it to COUNTS.")
    schema = arrow.schema(list(types.items()), metadata={KEY: json.dumps(plan.of_shard(shard)).encode()})
    data = io.BytesIO()
    parquet.write_table(arrow.Table.from_pylist(rows, schema=schema), data)
    write_atomically(place(out, shard), data.getvalue(), mark)


def is_done(out: Path, plan: Plan, shard: str) -> bool:
    """Whether the scores of a shard are there; an error if its file holds others."""
    path = place(out, shard)
    if not path.exists():
        return False
    _open(path, plan, shard)
    return True


def read_rows(out: Path, plan: Plan, shard: str) -> Any:
    """The rows of a shard, a table of pyarrow; a count that its file has no column for is not known."""
    arrow = need("pyarrow", "scale")
    table = _open(place(out, shard), plan, shard).read()
    for name in COUNTS:  # a unit may be younger than the file
        if name not in table.column_names:
            table = table.append_column(name, arrow.nulls(len(table), arrow.int64()))
    return table.select([*FIRST, *COUNTS])


def _open(path: Path, plan: Plan, shard: str) -> Any:
    arrow, parquet = need("pyarrow", "scale"), need("pyarrow.parquet", "scale")
    try:
        file = parquet.ParquetFile(path)
    except (arrow.ArrowInvalid, OSError) as error:
        raise ScaleError(f"{path} is damaged: {error}. Delete it and run again: only it is redone.") from None
    found = json.loads((file.schema_arrow.metadata or {}).get(KEY, b"null"))
    if found != plan.of_shard(shard):
        raise ScaleError(
            f"{path} does not hold the scores of the shard {shard!r} that run.json describes. Delete it and "
            "run again: only it is redone."
        )
    return file
