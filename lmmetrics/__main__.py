"""The command line: ``python -m lmmetrics COMMAND ...``; each command's ``--help`` has examples."""

from __future__ import annotations

import argparse
import contextlib
import csv
import difflib
import json
import math
import os
import sys
import traceback
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO, NoReturn

from lmmetrics import Score, __version__, compare_scores, score_documents, tokenize
from lmmetrics.adapters import HuggingFaceLM
from lmmetrics.ngram import AbsoluteDiscounting, KneserNey, ModifiedKneserNey, NGramModel, WittenBell
from lmmetrics.scale import score_shards
from lmmetrics.score import LABELS, UNITS, UnitError
from lmmetrics.scoring import protocol_card
from lmmetrics.text._blocks import tokenize_blocks

SMOOTHING = {
    "modified-kneser-ney": ModifiedKneserNey,
    "kneser-ney": KneserNey,
    "witten-bell": WittenBell,
    "absolute-discounting": AbsoluteDiscounting,
}
BY = "whitespace", "word", "char", "byte"
BLOCK = 1 << 22
"""Bytes of a text that are read at a time, if memory is limited."""
EMPTY = "The texts are empty: there is nothing to measure."
TEXTS = """\
TEXT is a file, a folder (its *.txt files, with those of the folders below) or - for standard input. Each file
is a document; with --lines, each line is one. Files are read as UTF-8.
"""
MODELS = """\
MODEL is an ARPA file (.arpa or .arpa.gz), the folder of a counted model that was saved, or a folder with a
causal model of transformers.
"""
SHARDS = """\
With --shards the texts are the files of a folder: .jsonl or .jsonl.gz (each line {"id": ..., "text": ...}),
.parquet (columns id and text) or .txt. They are scored on Dask, with a row for each document in the folder of
--out. The same command goes on where an interrupted one stopped. On a cluster, all machines see these folders
and MODEL under the same paths.
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command, and return the exit status: 0, 1 for an error, 2 for a wrong use."""
    options = parser().parse_args(arguments)
    try:
        options.run(options)
    except BrokenPipeError:  # the reader has seen enough
        sys.stderr.close()
    except (OSError, ValueError, ImportError) as error:
        if options.debug:
            raise
        print(f"lmmetrics: {_told(error)}", file=sys.stderr)
        return 1
    return 0


def count(options: argparse.Namespace) -> None:
    """Count the units of texts."""
    rows = []
    for name, document in documents_of(options):
        units = tokenize([document], by="char")  # its counts are those of the document as it is
        row = {"document": name, "words": units.words, "chars": units.chars, "bytes": units.bytes}
        if options.by:
            row["tokens"] = len(tokenize([document], by=options.by))
        rows.append(row)
    if len(rows) > 1:
        sums: dict[str, Any] = {"document": "all"}
        for field in list(rows[0])[1:]:
            values = [row[field] for row in rows]
            sums[field] = None if None in values else sum(values)
        rows.append(sums)
    write(options, rows)


def fit(options: argparse.Namespace) -> None:
    """Count the n-grams of texts, and write an ARPA file or a folder that loads at once."""
    arpa = options.out.endswith((".arpa", ".arpa.gz"))
    out = Path(options.out)
    if arpa and out.is_dir():
        raise ValueError(f"{out} is a folder; the name of the ARPA file is expected.")
    if not arpa and out.exists() and not (out / "model.json").is_file():
        raise ValueError(f"{out} exists and is not a saved model. Name another folder, or a file *.arpa.")
    model = NGramModel(options.order, SMOOTHING[options.smoothing]())
    if options.memory:
        if options.prune:
            raise ValueError("--prune needs the whole model in memory. Leave out --memory or --prune.")
        text = tokenize_blocks(blocks_of(options), by=options.by)
        if not len(text):
            raise ValueError(EMPTY)
        model.fit(text, memory=options.memory, folder=out.parent)
    else:
        text = tokenize([document for _, document in documents_of(options)], by=options.by)
        model.fit(text)
    if options.prune:
        model = model.prune(options.prune)
    if arpa:
        model.to_arpa(options.out)
    else:
        model.save(options.out)
    print(f"{options.out}: order {options.order}, {len(text):,} tokens, vocabulary {len(text.vocabulary):,}")


def score(options: argparse.Namespace) -> None:
    """Score texts with a model, or shards of texts on many cores or machines."""
    if options.shards:
        if options.jobs != 1:
            options.error("--jobs is for TEXT; with --shards, say --workers.")
        names, scores, total = scored_shards(options)
    elif options.out or options.workers or options.scheduler != "threads":
        options.error("--out, --scheduler and --workers are for --shards FOLDER.")
    elif not options.texts:
        options.error("Name the texts to score: TEXT..., or --shards FOLDER.")
    else:
        names, scores, _ = scored(options, options.model)
        total = sum(scores[1:], start=scores[0])
    rows = [{"document": name} | one.to_dict() for name, one in zip(names, scores, strict=True)]
    if options.format == "table":
        if options.documents:
            units = [unit for unit in UNITS if getattr(total, UNITS[unit])]
            shown = ["document", "tokens", "nats", *(f"bits per {LABELS[unit]}" for unit in units)]
            write(options, [{key: row.get(key) for key in shown} for row in rows])
        print(total)
    else:
        write(options, [*(rows if options.documents else []), {"document": "all"} | total.to_dict()])


def card(options: argparse.Namespace) -> None:
    """Print the protocol card of a measurement."""
    model, text, _ = read(options, options.model)
    made = protocol_card(model, text, eos=not options.no_eos, **dict(options.note))
    print(json.dumps(made.to_dict(), ensure_ascii=False, indent=2) if options.format == "json" else made)


def compare(options: argparse.Namespace) -> None:
    """Compare two models on the same texts."""
    _, a, _ = scored(options, options.a)
    _, b, _ = scored(options, options.b)
    try:
        found = compare_scores(a, b, options.unit, confidence=options.confidence, seed=options.seed)
    except UnitError as error:
        if options.unit == "byte":
            raise
        raise ValueError(f"{str(error).partition('. ')[0]}. Compare per byte: --unit byte.") from None
    if options.format == "table":
        print(f"a: {options.a}\nb: {options.b}\n{found}")
    else:
        plain = {name: value for name, value in found.to_dict().items() if not isinstance(value, dict)}
        write(options, [{"a": str(options.a), "b": str(options.b)} | plain])


def convert(options: argparse.Namespace) -> None:
    """Convert a published number."""
    counts, needed = {field: getattr(options, field) for field in UNITS.values()}, UNITS[options.per]
    if counts[needed] is None:
        raise ValueError(
            f"The value is per {options.per}: say how many {needed} the text has. Give it: --{needed} N."
        )
    if options.kind == "perplexity":
        made = Score.from_perplexity(options.value, options.per, **counts)
    else:
        number = Score(0.0, **counts).count(options.per)
        made = Score(options.value * number * (math.log(2) if options.kind == "bits" else 1.0), **counts)
    if options.format == "table":
        print(made)
    else:
        write(options, [made.to_dict()])


def scored_shards(options: argparse.Namespace) -> tuple[list[str], list[Any], Score]:
    """The ids of the documents of shards, their scores and the total."""
    if options.texts:
        options.error("TEXT and --shards are given. Name the texts in one of the two ways.")
    if not options.out:
        options.error("--shards needs --out SCORES, the folder for the scores.")
    load, counted = loader_of(os.path.abspath(options.model), options)
    found = score_shards(
        load,
        options.shards,
        options.out,
        scheduler=options.scheduler,
        workers=options.workers,
        eos=not options.no_eos,
        by=options.by if counted else None,
        sentences="line" if counted else None,
        lines=options.lines,
    )
    return (list(found), list(found.values()), found.total) if options.documents else ([], [], found.total)


def scored(options: argparse.Namespace, path: str) -> tuple[list[str], list[Any], Any]:
    """The names of the documents, their scores, and the text."""
    model, text, names = read(options, path)
    jobs = getattr(options, "jobs", 1)
    if jobs != 1 and not isinstance(model, NGramModel):
        raise ValueError("--jobs is for counted models; those of transformers use all cores by themselves.")
    return names, score_documents(model, text, eos=not options.no_eos, jobs=jobs), text


def read(options: argparse.Namespace, path: str) -> tuple[Any, Any, list[str]]:
    """A model, the text in its tokens, and the names of the documents."""
    found = documents_of(options)
    model = model_of(path, options)
    documents = [document for _, document in found]
    if isinstance(model, NGramModel):
        text = tokenize(documents, by=options.by, sentences="line", vocabulary=model.vocabulary)
    else:
        text = model.tokenize(documents)
    return model, text, [name for name, _ in found]


def model_of(path: str, options: argparse.Namespace) -> NGramModel | HuggingFaceLM:
    """The model in a file or a folder."""
    load, _ = loader_of(path, options)
    return load()


def loader_of(path: str, options: argparse.Namespace) -> tuple[Callable[[], Any], bool]:
    """A function that loads the model in a file or a folder, and whether it is a counted one."""
    if not Path(path).exists():
        raise FileNotFoundError(f"There is no {path}.{near(path)}")
    if path.endswith((".arpa", ".arpa.gz")):
        return partial(NGramModel.from_arpa, path), True
    if (Path(path) / "model.json").is_file():
        return partial(NGramModel.load, path), True
    if (Path(path) / "config.json").is_file():
        return partial(HuggingFaceLM.load, path, context=options.context, stride=options.stride), False
    raise ValueError(f"{path} is not a model. {' '.join(MODELS.split())}")


def near(path: str) -> str:
    """A hint at a file whose name is like the one that was given."""
    folder = Path(path).parent
    there = os.listdir(folder) if folder.is_dir() else []
    like = difflib.get_close_matches(Path(path).name, there, n=1)
    return f" Is {folder / like[0]} meant?" if like else ""


def documents_of(options: argparse.Namespace) -> list[tuple[str, str]]:
    """The names and the texts of the documents; an error if there are none."""
    found: list[tuple[str, str]] = getattr(options, "found", [])
    if found:
        return found  # two models are given the same texts, and standard input can be read once
    for file in files_of(options):
        if file is None:
            found += cut(options, "standard input", sys.stdin.buffer.read())
        else:
            found += cut(options, str(file), file.read_bytes())
    if not found:
        raise ValueError(EMPTY)
    options.found = found
    return found


def files_of(options: argparse.Namespace) -> Iterator[Path | None]:
    """The files of the texts; None is standard input."""
    for given in options.texts:
        if given == "-":
            yield None
            continue
        path = Path(given)
        if not path.exists():
            raise FileNotFoundError(f"There is no {given}.{near(given)}")
        files = sorted(path.rglob("*.txt")) if path.is_dir() else [path]
        if not files:
            raise ValueError(f"The folder {given} has no *.txt files. Name the files, or rename them.")
        yield from files


def blocks_of(options: argparse.Namespace) -> Iterator[Iterable[str]]:
    """The documents, each in blocks of whole lines, so that one block is in memory at a time."""
    for path in files_of(options):
        with contextlib.ExitStack() as stack:
            file = sys.stdin.buffer if path is None else stack.enter_context(open(path, "rb"))
            blocks = decoded(file, str(path or "standard input"))
            if options.lines:
                lines = (line for block in blocks for line in block.removesuffix("\n").split("\n"))
                yield from ([line + "\n"] for line in lines)
            else:
                yield blocks


def decoded(file: BinaryIO, name: str) -> Iterator[str]:
    """A file in blocks of whole lines."""
    start = 0
    while lines := file.readlines(BLOCK):
        data = b"".join(lines)
        yield as_text(data, name, start).removeprefix("" if start else "\ufeff")
        start += len(data)


def as_text(data: bytes, name: str, start: int = 0) -> str:
    """Bytes from a file as text."""
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise ValueError(
            f"{name} is not UTF-8: byte {start + error.start} is 0x{data[error.start]:02x}. Convert it "
            "first, such as by iconv -f latin1 -t utf-8."
        ) from None


def cut(options: argparse.Namespace, name: str, data: bytes) -> list[tuple[str, str]]:
    """The documents of a file."""
    text = as_text(data, name).removeprefix("\ufeff")
    if not options.lines:
        return [(name, text)]
    lines = text.split("\n")
    lines = lines[:-1] if lines[-1] == "" else lines
    return [(f"{name}:{i}", line + "\n") for i, line in enumerate(lines, 1)]


def write(options: argparse.Namespace, rows: list[dict[str, Any]]) -> None:
    """Rows as a table, as JSON or as CSV."""
    if options.format == "json":
        print(json.dumps(rows, ensure_ascii=False, indent=2))
        return
    names = list(dict.fromkeys(name for row in rows for name in row))
    if options.format == "csv":
        writer = csv.DictWriter(sys.stdout, names, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
        return
    cells = [names, *([shown(row.get(name)) for name in names] for row in rows)]
    widths = [max(len(row[i]) for row in cells) for i in range(len(names))]
    for row in cells:
        numbers = (cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True))
        print("  ".join([row[0].ljust(widths[0]), *numbers]))


def shown(value: Any) -> str:
    """A cell of a table."""
    if value is None:
        return "not counted"
    return f"{value:.6g}" if isinstance(value, float) else str(value)


class Parser(argparse.ArgumentParser):
    """A parser that suggests what may have been meant."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.given: Sequence[str] = ()

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        self.given = sys.argv[1:] if args is None else list(args)
        return super().parse_known_args(args, namespace)

    def error(self, message: str) -> NoReturn:
        given = [word.partition("=")[0] for word in self.given]
        below = list(self.parsers())
        known = [*self._option_string_actions, *(name for name, _ in below)]
        known += [option for name, one in below if name in given for option in one._option_string_actions]
        for word in given:
            if word not in known and (like := difflib.get_close_matches(word, known, n=1)):
                message += f"\nDid you mean {like[0]}?"
        super().error(message)

    def parsers(self) -> Iterable[tuple[str, Parser]]:
        """The commands below, by name."""
        for action in self._actions:
            if isinstance(action, argparse._SubParsersAction):
                yield from action.choices.items()


def parser() -> Parser:
    """The parser of all commands."""
    top = Parser("python -m lmmetrics", description="Measure language models: one score, any unit.")
    top.add_argument("--version", action="version", version=f"lmmetrics {__version__}")
    commands = top.add_subparsers(metavar="COMMAND", required=True)

    def command(
        run: Any,
        example: str,
        *,
        texts: bool = True,
        about: str = "",
        formats: Sequence[str] = ("table", "json", "csv"),
    ) -> Parser:
        made = commands.add_parser(
            run.__name__,
            help=run.__doc__,
            description=run.__doc__,
            epilog=f"{about}{TEXTS if texts else ''}\nexamples:\n{example}",
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        if formats:
            made.add_argument("--format", choices=formats, default="table")
        made.add_argument("--debug", action="store_true", help="show where an error happened")
        made.set_defaults(run=run)
        return made

    def of_texts(made: Parser, by: str | None) -> argparse.Action:
        texts = made.add_argument("texts", nargs="+", metavar="TEXT", default=[])
        made.add_argument("--lines", action="store_true", help="each line is a document")
        made.add_argument(
            "--by", choices=BY, default=by, help=f"how counted models cut the text (default {by})"
        )
        return texts

    def of_models(made: Parser) -> None:
        made.add_argument("--no-eos", action="store_true", help="leave </s> out of the score")
        made.add_argument("--context", type=int, help="tokens that a model of transformers reads at most")
        made.add_argument("--stride", type=int, help="by how many tokens its windows move")

    made = command(count, "  python -m lmmetrics count novel.txt\n  cat *.txt | python -m lmmetrics count -")
    of_texts(made, None)

    made = command(
        fit,
        "  python -m lmmetrics fit train/ --order 5 --out model.arpa\n"
        "  python -m lmmetrics fit train/ --by char --out model\n"
        "  python -m lmmetrics fit huge.txt --memory 2GB --out model",
        formats=(),
    )
    of_texts(made, "whitespace")
    made.add_argument("--order", type=int, default=5)
    made.add_argument("--smoothing", choices=SMOOTHING, default="modified-kneser-ney")
    made.add_argument(
        "--prune",
        type=float,
        default=0.0,
        help="drop n-grams that change the perplexity by less than this part",
    )
    made.add_argument(
        "--memory",
        metavar="SIZE",
        help="count in files beside --out, with at most this much memory: 2GB",
    )
    made.add_argument(
        "--out", required=True, metavar="FILE", help="an ARPA file (.arpa), or a folder for a saved model"
    )

    made = command(
        score,
        "  python -m lmmetrics score model.arpa test/ --documents\n"
        "  python -m lmmetrics score ./gpt2 test.txt --stride 512 --format json\n"
        "  python -m lmmetrics score model.arpa --shards shards/ --out scores/ --scheduler processes\n"
        "  python -m lmmetrics score model.arpa --shards shards/ --out scores/ --scheduler tcp://10.0.0.1:8786",
        about=MODELS + SHARDS,
    )
    made.add_argument("model", metavar="MODEL")
    of_texts(made, "whitespace").required = False  # but for --shards
    of_models(made)
    made.add_argument("--documents", action="store_true", help="also the score of each document")
    made.add_argument("--shards", metavar="FOLDER", help="score the files of a folder, on Dask")
    made.add_argument("--out", metavar="SCORES", help="the folder for the scores of shards")
    made.add_argument(
        "--scheduler",
        default="threads",
        metavar="ADDRESS",
        help="threads, processes, or the address of a Dask scheduler (default threads)",
    )
    made.add_argument("--workers", type=int, help="how many threads or processes of this machine")
    made.add_argument("--jobs", type=jobs_of, default=1, help="threads for a counted model: a number, or all")
    made.set_defaults(error=made.error)

    made = command(
        card,
        "  python -m lmmetrics card model.arpa test/ --note chosen_on=valid",
        about=MODELS,
        formats=("table", "json"),
    )
    made.add_argument("model", metavar="MODEL")
    of_texts(made, "whitespace")
    of_models(made)
    made.add_argument(
        "--note",
        action="append",
        type=note_of,
        default=[],
        metavar="NAME=WORDS",
        help="a line of your own",
    )

    made = command(compare, "  python -m lmmetrics compare ./gpt2 ./mine test/ --unit byte", about=MODELS)
    made.add_argument("a", metavar="MODEL_A")
    made.add_argument("b", metavar="MODEL_B")
    of_texts(made, "whitespace")
    of_models(made)
    made.add_argument("--unit", choices=tuple(UNITS), default="byte")
    made.add_argument("--confidence", type=float, default=0.95)
    made.add_argument("--seed", type=int, default=0)

    made = command(
        convert,
        "  python -m lmmetrics convert 141.2 --per token --tokens 82430 --chars 442423\n"
        "  python -m lmmetrics convert 1.23 --kind bits --per char --chars 442423 --tokens 82430",
        texts=False,
    )
    made.add_argument("value", type=float, help="the published number")
    made.add_argument("--kind", choices=("perplexity", "bits", "nats"), default="perplexity")
    made.add_argument("--per", choices=tuple(UNITS), default="token")
    for field in UNITS.values():
        made.add_argument(f"--{field}", type=int, help=f"the {field} of the text that was scored")
    return top


def jobs_of(given: str) -> int | None:
    """A number of threads; None for all cores."""
    if given == "all":
        return None
    if not given.isascii() or not given.isdigit() or int(given) < 1:
        raise argparse.ArgumentTypeError(f'{given!r} is not a number of threads, such as 4, or "all".')
    return int(given)


def note_of(given: str) -> tuple[str, str]:
    """The name and the words of a note."""
    name, _, words = given.partition("=")
    if not (name and words) or name in ("eos", "model", "text", "unknown"):
        raise argparse.ArgumentTypeError(
            f"{given!r} is not NAME=WORDS, such as chosen_on=valid; no note has the name eos, model, text or "
            "unknown, which the card says by itself."
        )
    return name, words


def _told(error: Exception) -> str:
    """What an error says; one that no line of this library raised may be a fault of the library."""
    if isinstance(error, OSError):
        return f"{error.filename}: {error.strerror}." if error.strerror else str(error)
    last = traceback.extract_tb(error.__traceback__)[-1]
    if Path(__file__).parent in Path(last.filename).parents and (last.line or "").startswith("raise "):
        return str(error)
    return f"{error}\nThis may be a fault of lmmetrics: --debug shows where it happened."


if __name__ == "__main__":
    raise SystemExit(main())
