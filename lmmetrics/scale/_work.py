"""The two steps of a worker, which every engine runs: look at a shard, and score it."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from lmmetrics.scale._errors import ScaleError
from lmmetrics.scale._files import Plan, agree, is_done, read_plan, write_rows
from lmmetrics.scale._model import Loaded, Protocol
from lmmetrics.scale._shards import Shard, digest, digest_of_all, host


class Seen(NamedTuple):
    """What a look at a shard found: the ids of its documents, and the digest of them all."""

    shard: str
    ids: list[str]
    digest: str


def look(shard: Shard) -> Seen:
    """Read a shard: everything that could be wrong with it is found before anything is scored."""
    documents = shard.documents()
    text = digest_of_all((id, digest(text)) for id, text in documents)
    return Seen(shard.name, [id for id, _ in documents], text)


def score(loaded: Loaded, shard: Shard, plan: Plan, protocol: Protocol, out: str, mark: str) -> int:
    """Score a shard unless its scores are there; return the number of its documents."""
    folder = Path(out)
    if not (folder / "run.json").exists():
        raise ScaleError(
            f"The machine {host()} does not see {out}. Every worker has to write into the same folder: put "
            "it on storage that all machines share."
        )
    agree(plan, read_plan(folder), folder)
    if loaded.digest != plan.model:
        raise ScaleError(
            f"The machine {host()} has another model (digest {loaded.digest[:12]}...) than the one that "
            f"the run began with ({plan.model[:12]}...). Give all machines the same files."
        )
    documents = shard.documents()
    digests = [(id, digest(text)) for id, text in documents]
    if digest_of_all(digests) != plan.texts[shard.name]:
        raise ScaleError(f"The text of the shard {shard.name!r} changed during the run. Restore it.")
    if not is_done(folder, plan, shard.name):
        rows = [
            {"id": id, "sha256": sha256} | protocol.row(loaded.model, text)
            for (id, text), (_, sha256) in zip(documents, digests, strict=True)
        ]
        write_rows(folder, plan, shard.name, rows, mark)
    return len(documents)
