"""Score texts with a model, or shards of texts on many cores or machines."""

from __future__ import annotations

import argparse
import os
from typing import Any

from lmmetrics._commands.documents import EMPTY
from lmmetrics._commands.models import (
    MODELS,
    by_of,
    check_options,
    loader_of,
    loading,
    scored,
    sentences_of,
    unknown_of,
)
from lmmetrics._commands.output import UNKNOWN, columns, warn, write
from lmmetrics._commands.parser import TEXTS, Commands, add_protocol, add_texts, whole
from lmmetrics.scale import score_shards
from lmmetrics.score import LABELS, UNITS
from lmmetrics.scoring import TextScore
from lmmetrics.scoring._shared import versions

SHARDS = """\
With --shards the texts are the files of a folder: .jsonl or .jsonl.gz (each line {"id": ..., "text": ...}),
.parquet (columns id and text), .txt or .txt.gz. They are scored on Dask, with a row for each document in the
folder of --out. The same command goes on where an interrupted one stopped. On a cluster, all machines see
these folders and MODEL under the same paths. A score of shards does not count the <unk> that are written in
the texts, and has no perplexity of the known tokens.
"""
EXAMPLES = """\
  python -m lmmetrics score model.arpa test/ --documents
  python -m lmmetrics score ./gpt2 test.txt --stride 512 --format json
  python -m lmmetrics score model.arpa --shards shards/ --out scores/ --scheduler processes
  python -m lmmetrics score model.arpa --shards shards/ --out scores/ --scheduler tcp://10.0.0.1:8786"""


def score(options: argparse.Namespace) -> None:
    """Score texts with a model, or shards of texts on many cores or machines."""
    respaced = learned = lacks_unk = False
    if options.shards:
        if options.jobs != 1:
            options.error("--jobs is for TEXT; with --shards, use --workers.")
        names, scores, total, card = scored_shards(options)
    elif options.out or options.workers or options.scheduler != "threads":
        options.error("--out, --scheduler and --workers are for --shards FOLDER.")
    elif not options.texts:
        options.error("Name the texts to score: TEXT..., or --shards FOLDER.")
    else:
        check_options(options, options.model)
        names, scores, total, card, respaced, learned, lacks_unk = scored(options, options.model)
    if respaced:
        warn(
            f"The bytes are {card['bytes']}. Compare bits per byte with those of a model that "
            "reads the texts as they are only after --single-blanks for both."
        )
    tokens = total.count("token")
    unknown, parts = unknown_of(total, learned)
    arpa = not options.by and not os.path.isdir(options.model) and unknown > tokens / 10
    if unknown and (lacks_unk or options.unknown == "infinite"):
        many = f"{unknown:,} token{'s' * (unknown > 1)}"
        why = "The model has no <unk>" if lacks_unk else "Unknown tokens are impossible here"
        warn(f"{why}: {many} of {tokens:,} have probability 0, so the score is infinite.")
    elif unknown:
        warn(
            f"{unknown:,} of {tokens:,} tokens ({unknown / tokens:.1%}) are unknown "
            f"to the model{parts}. It predicts that a token is unknown, and not which one: compare this "
            "score only with those of models with the same vocabulary."
            + " If it was counted in other tokens, such as those of --by word, use the same --by."
            * arpa
        )
    rows = [{"document": name} | one.to_dict() for name, one in zip(names, scores, strict=True)]
    if options.format == "table":
        if options.documents:
            units = [unit for unit in UNITS if getattr(total, UNITS[unit])]
            shown = ["document", "tokens", "nats", *(f"bits per {LABELS[unit]}" for unit in units)]
            write(options, [{key: row.get(key) for key in shown} for row in rows])
        print(total)
    else:
        every: dict[str, Any] = {"document": "all"} | total.to_dict()
        if options.format == "json":
            every["protocol"] = card
        write(options, [*(rows if options.documents else []), every], ["document", *columns(), *UNKNOWN])


def scored_shards(options: argparse.Namespace) -> tuple[list[str], list[Any], TextScore, dict[str, Any]]:
    """The ids of the documents of shards, their scores, the total, and how it was measured."""
    if options.single_blanks:
        options.error("--single-blanks is for TEXT; write the shards with single blanks.")
    if options.texts:
        options.error("TEXT and --shards are given. Name the texts in one of the two ways.")
    if not options.out:
        options.error("--shards needs --out SCORES, the folder for the scores.")
    check_options(options, options.model)
    load = loading(os.path.abspath(options.model), options)
    cut = loader_of(options.model).cut
    model = load() if cut else None
    found = score_shards(
        load,
        options.shards,
        options.out,
        scheduler=options.scheduler,
        workers=options.workers,
        eos=not options.no_eos,
        unknown=options.unknown,
        by=by_of(model, options.model, options) if cut else options.by,
        sentences=sentences_of(model) if cut else None,
        lines=options.lines,
    )
    card = {
        "model": found.plan.name,
        "digest of the model": found.plan.model,
        "text": f"{len(found):,} documents in {len(found.plan.texts):,} shards, "
        f"digest {found.digest[:16]}...",
        **found.plan.protocol,
        "versions": ", ".join(versions()),
    }
    if not found.total.tokens:
        raise ValueError(EMPTY)
    names, scores = (list(found), list(found.values())) if options.documents else ([], [])
    return names, scores, found.total, card


def jobs_of(given: str) -> int | None:
    """A number of threads; None for all cores."""
    if given == "all":
        return None
    if not given.isascii() or not given.isdigit() or int(given) < 1:
        raise argparse.ArgumentTypeError(f'{given!r} is not a number of threads, such as 4, or "all".')
    return int(given)


def scheduler_of(given: str) -> str:
    """A kind of workers on this machine, or an address."""
    if given not in ("threads", "processes") and ":" not in given:
        raise argparse.ArgumentTypeError(
            f"{given!r} is neither threads nor processes nor an address, such as tcp://10.0.0.1:8786."
        )
    return given


def add(commands: Commands) -> None:
    """Add the command."""
    made = commands.add(score, EXAMPLES, MODELS + SHARDS + TEXTS)
    made.add_argument("model", metavar="MODEL")
    add_texts(made, by=None, needed=False, single=True)  # --shards takes their place
    add_protocol(made)
    made.add_argument("--documents", action="store_true", help="also the score of each document")
    made.add_argument("--shards", metavar="FOLDER", help="score the files of a folder, on Dask")
    made.add_argument("--out", metavar="SCORES", help="the folder for the scores of shards")
    made.add_argument(
        "--scheduler",
        default="threads",
        type=scheduler_of,
        metavar="ADDRESS",
        help="threads, processes, or the address of a Dask scheduler (default threads)",
    )
    made.add_argument("--workers", type=whole(1), help="how many threads or processes of this machine")
    made.add_argument("--jobs", type=jobs_of, default=1, help="threads for a counted model: a number, or all")
    made.set_defaults(error=made.error)
