"""`score_rank`: the same under ``torch.distributed``."""

from __future__ import annotations

import math
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from tqdm import tqdm

from lmmetrics._progress import shown
from lmmetrics._types import PathLike
from lmmetrics.extras import need
from lmmetrics.scale._errors import ScaleError
from lmmetrics.scale._exact import from_limbs, to_limbs
from lmmetrics.scale._files import COUNTS, Plan, agree, claim, is_done, read_plan
from lmmetrics.scale._model import Loaded, Protocol, load
from lmmetrics.scale._scores import read_folder, refuse_twice
from lmmetrics.scale._shards import Shard, Shards, host, shards_of
from lmmetrics.scale._work import look, score
from lmmetrics.scoring import LanguageModel, TextScore
from lmmetrics.scoring._shared import Unknown
from lmmetrics.text._shared import By, Sentences

T = TypeVar("T")


def score_rank(
    model: LanguageModel | Callable[[], LanguageModel],
    shards: Shards,
    out: PathLike,
    *,
    group: Any = None,
    eos: bool = True,
    unknown: Unknown = "score",
    by: By | None = None,
    sentences: Sentences | None = None,
    lines: bool = False,
    model_digest: str | None = None,
    progress: bool = True,
) -> TextScore:
    """Score this process's part of the shards, and return the score of all of them.

    Every process of the group calls this function with the same arguments. Rank ``r`` of ``W`` takes the
    shards ``r``, ``r + W``, ``r + 2 W`` and so on, in the order of their names. Nothing is padded, repeated
    or dropped, so some ranks have more shards than others, or none.

    Parameters
    ----------
    model, shards, out, eos, unknown, by, sentences, lines, model_digest
        As in `score_shards`, and the same in every process: all shards, not its part of them.
    group : torch.distributed.ProcessGroup, optional
        A group that can send tensors of the CPU, such as one of gloo; by default the one of
        ``torch.distributed.init_process_group``. If that is NCCL, give
        ``torch.distributed.new_group(backend="gloo")``.
    progress : bool
        Whether rank 0 shows a progress bar of its part.

    Returns
    -------
    TextScore
        The score of all documents, in every process.

    Raises
    ------
    ScaleError
        As in `score_shards`; and if the processes do not have the same model. An error in one process is
        raised in all of them, so that none waits for ever.
    RuntimeError
        If there is no process group.

    Notes
    -----
    The processes add sums, of nats, tokens, words, characters and bytes, in one ``all_reduce``. The nats
    are sent as a whole number, in units of ``2**-1074``, of which every float64 is a multiple. Whole
    numbers are added without rounding, so the total has the same bits as that of `score_shards` for any
    number of processes. The files are the same too: a run may be interrupted here and go on there.

    Examples
    --------
    In a file ``measure.py``, run by ``torchrun --nproc-per-node 2 measure.py``::

        import torch.distributed as dist
        from lmmetrics.ngram import NGramModel
        from lmmetrics.scale import score_rank

        dist.init_process_group("gloo")
        total = score_rank(NGramModel.load("model"), "shards", "scores")
        if dist.get_rank() == 0:
            print(total)
        dist.destroy_process_group()
    """
    torch = need("torch", "neural")
    need("pyarrow", "scale")
    dist = torch.distributed
    if not (dist.is_available() and dist.is_initialized()):
        raise RuntimeError(
            "There is no process group. Call torch.distributed.init_process_group('gloo') in every process "
            "first, and start the processes with torchrun --nproc-per-node 2 FILE."
        )
    processes = Processes(dist, group)
    protocol = Protocol(eos, unknown, by, sentences)
    everything = processes.together(lambda: shards_of(shards, lines))
    mine = everything[processes.rank :: processes.ranks]
    loaded = processes.together(lambda: load(model, model_digest, protocol))
    names = [shard.name for shard in everything]
    found = processes.gather(lambda: Prepared(loaded.digest, names, [look(shard) for shard in mine]))
    folder = Path(out).resolve()
    plan = processes.together(lambda: planned(loaded, found, protocol))
    first = processes.rank == 0
    processes.together(lambda: claim(folder, plan) if first else None)
    processes.together(lambda: score_all(loaded, mine, plan, protocol, folder, progress and first))
    sums = processes.together(lambda: sums_of(folder, plan, [shard.name for shard in mine]))
    added = torch.tensor(sums, dtype=torch.int64)
    dist.all_reduce(added, op=dist.ReduceOp.SUM, group=group)
    return score_of(added.tolist())


class Processes:
    """The processes of a group, which do each step together: an error of one is an error of all."""

    def __init__(self, dist: Any, group: Any) -> None:
        self._dist, self._group = dist, group
        self.rank, self.ranks = dist.get_rank(group), dist.get_world_size(group)

    def together(self, step: Callable[[], T]) -> T:
        """Do a step, and return what it gives in this process."""
        result, _ = self._done(step, send=False)
        return result

    def gather(self, step: Callable[[], T]) -> list[T]:
        """Do a step, and return what it gives in all processes."""
        _, results = self._done(step, send=True)
        return results

    def _done(self, step: Callable[[], T], send: bool) -> tuple[T, list[T]]:
        result: Any = None
        error: Exception | None = None
        try:
            result = step()
        except Exception as raised:
            error = raised
        found: list[Any] = [None] * self.ranks
        said = error and f"{type(error).__name__}: {error}"
        self._dist.all_gather_object(found, (result if send else None, said), group=self._group)
        if error:
            raise error
        for other, (_, said) in enumerate(found):
            if said:
                raise ScaleError(f"Rank {other} has failed, so the run ends. {said}")
        return result, [sent for sent, _ in found]


class Prepared(NamedTuple):
    """What one process has found: the digest of its model, the names of all shards, and its own documents."""

    model: str
    shards: list[str]
    documents: list[Any]


def planned(loaded: Loaded, seen: list[Prepared], protocol: Protocol) -> Plan:
    """What all processes measure; an error if they differ, or a document comes twice."""
    first: dict[str, str] = {}
    texts = {}
    for other, found in enumerate(seen):
        for what in ("model", "shards"):
            if getattr(found, what) != getattr(seen[0], what):
                raise ScaleError(f"Rank {other} has other {what} than rank 0. Give all the same.")
        for one in found.documents:
            refuse_twice(first, one.shard, one.ids)
            texts[one.shard] = one.digest
    return Plan(loaded.digest, loaded.name, protocol.described(), texts)


def score_all(
    loaded: Loaded, mine: list[Shard], plan: Plan, protocol: Protocol, folder: Path, progress: bool
) -> None:
    """Score the shards of this process that have no scores yet, in a folder that all processes see."""
    if not (folder / "run.json").exists():
        raise ScaleError(
            f"The machine {host()} does not see {folder}. Every process has to write into the same "
            "folder: put it on storage that all machines share."
        )
    agree(plan, read_plan(folder), folder)
    mark = f"{os.urandom(8).hex()}-"
    for shard in tqdm(mine, desc="scoring", unit="shard", delay=2, **shown(progress)):
        if not is_done(folder, plan, shard.name):
            score(loaded, shard, plan, protocol, str(folder), mark)


def sums_of(folder: Path, plan: Plan, mine: list[str]) -> list[int]:
    """What one process adds: each count and the documents without it, the impossible documents, the nats."""
    if not mine:
        return [0] * (2 * len(COUNTS) + 1) + to_limbs([])
    table = read_folder(folder, plan, mine)
    counted = []
    for name in COUNTS:
        column = table.table[name].to_pylist()
        counted += [sum(count for count in column if count is not None), column.count(None)]
    summands = list(table.summands())
    finite = [value for value in summands if math.isfinite(value)]
    return [*counted, len(summands) - len(finite), *to_limbs(finite)]


def score_of(sums: list[int]) -> TextScore:
    """The score that sums stand for."""
    heads, (impossible, *limbs) = sums[: 2 * len(COUNTS)], sums[2 * len(COUNTS) :]
    counts: dict[str, Any] = {
        name: None if heads[2 * i + 1] else heads[2 * i] for i, name in enumerate(COUNTS)
    }
    return TextScore(math.inf if impossible else from_limbs(limbs), **counts)
