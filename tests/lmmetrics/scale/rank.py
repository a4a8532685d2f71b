"""A process of torch.distributed: ``python -m tests.lmmetrics.scale.rank RANK RANKS FOLDER`` prints JSON."""

import json
import sys
from pathlib import Path

import torch.distributed as dist

from lmmetrics.scale import ScaleError, score_rank
from tests.lmmetrics.scale.models import Constant, counted, paragraphs


def main(rank, ranks, folder):
    dist.init_process_group("gloo", init_method=f"file://{folder}/meeting", rank=rank, world_size=ranks)
    model, documents = counted(), paragraphs()
    ids = list(documents)
    uneven = {
        "a": ids[:1], "b": ids[1:4], "c": ids[4:20], "d": ids[20:21], "e": ids[21:]
    }  # fmt: skip
    shards = {name: {id: documents[id] for id in some} for name, some in uneven.items()}
    found = {}

    def note(name, *arguments, **options):
        try:
            total = score_rank(*arguments, progress=False, **options)
            found[name] = total.nats.hex(), total.tokens, total.bytes, total.unknown
        except (ScaleError, TypeError) as error:
            found[name] = f"{type(error).__name__}: {error}"

    note("all", model, shards, folder / "scores")
    note("again", model, shards, folder / "scores")
    note("fewer shards than ranks", model, {"a": documents}, folder / "one")
    other = Constant(model.vocabulary)
    other.digest = f"of rank {rank}"
    note("two models", other, shards, folder / "models")
    note("a document in two shards", model, {"a": {"x": "a"}, "b": {"x": "a"}}, folder / "twice")
    note("an error in one rank", 7 if rank else model, shards, folder / "error")
    dist.destroy_process_group()
    print(json.dumps(found))


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), Path(sys.argv[3]))
