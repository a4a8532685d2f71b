"""Count the n-grams of texts, and write an ARPA file or a folder that loads at once."""

from __future__ import annotations

import argparse
import math
from functools import partial
from pathlib import Path

from lmmetrics._commands.documents import EMPTY, blocks_of, documents_of, named, vocabulary_of
from lmmetrics._commands.output import warn
from lmmetrics._commands.parser import TEXTS, Commands, add_texts, whole
from lmmetrics.ngram import (
    AbsoluteDiscounting,
    KneserNey,
    MissingStatisticsError,
    ModifiedKneserNey,
    NGramModel,
    Smoothing,
    WittenBell,
)
from lmmetrics.ngram._shared import bytes_of, check_blanks, tables_of
from lmmetrics.text import tokenize
from lmmetrics.text._shared import tokenize_blocks

SMOOTHING = {
    "modified-kneser-ney": ModifiedKneserNey,
    "kneser-ney": KneserNey,
    "witten-bell": WittenBell,
    "absolute-discounting": AbsoluteDiscounting,
}
FALLBACK = {"modified-kneser-ney": "0.5,1,1.5", "kneser-ney": "0.75", "absolute-discounting": "0.75"}
"""The methods that estimate discounts, and what may be given where they cannot; three are KenLM's."""
FILES = ".gz", ".bz2", ".xz", ".zst", ".zip", ".bin", ".binary", ".klm", ".txt", ".json"
"""The endings that nobody gives to a folder."""
EXAMPLES = """\
  python -m lmmetrics fit train/ --order 5 --out model.arpa
  python -m lmmetrics fit train/ --by char --smoothing witten-bell --out model
  python -m lmmetrics fit train/ --min-counts 3=2,4=2,5=2 --out model.arpa
  python -m lmmetrics fit small.txt --vocabulary words.txt --fallback 0.5,1,1.5 --out model.arpa
  python -m lmmetrics fit huge.txt --memory 2GB --out model"""


def fit(options: argparse.Namespace) -> None:
    """Count the n-grams of texts, and write an ARPA file or a folder that loads at once."""
    arpa = options.out.lower().endswith((".arpa", ".arpa.gz"))
    out = named(options.out)
    if not arpa and out.suffix.lower() in FILES:
        raise ValueError(
            f"{out} has the ending of another kind of file. Name an ARPA file, *.arpa or *.arpa.gz, or a "
            "folder."
        )
    above = next((path for path in out.parents if path.exists()), out.parent)
    if not above.is_dir():
        raise ValueError(f"{above} is not a folder, so {out} cannot be written. Name another place.")
    if arpa and out.is_dir():
        raise ValueError(f"{out} is a folder; the name of the ARPA file is expected.")
    if not arpa and out.exists() and not (out / "model.json").is_file():
        raise ValueError(f"{out} exists and is not a saved model. Name another folder, or a file *.arpa.")
    if not options.force:
        if out.exists():
            raise ValueError(f"{out} exists. Name another place, or use --force to replace it.")
        if above != out.parent:
            raise ValueError(
                f"The folder {out.parent} does not exist. Create it, or use --force, which creates it."
            )
    if options.prune is not None and any(one.isdigit() and not Path(one).exists() for one in options.texts):
        raise ValueError(
            "--prune takes one number, such as 1e-8. What lmplz calls --prune 0 0 1 is --min-counts 3=2 here."
        )
    vocabulary = vocabulary_of(options.vocabulary)
    if vocabulary is not None and options.by not in ("whitespace", "word"):
        raise ValueError(
            f"--vocabulary lists words, and --by {options.by} cuts the text into others. Leave it out."
        )
    if wrong := [order for order in options.min_counts or () if not 2 <= order <= options.order]:
        raise ValueError(
            f"--min-counts names order {wrong[0]}. With --order {options.order}, "
            + ("no order", "only order 2", f"only orders 2 to {options.order}")[min(options.order, 3) - 1]
            + " can lose n-grams."
        )
    model = NGramModel(options.order, smoothing_of(options))
    if options.memory:
        if options.prune or options.min_counts:
            raise ValueError(
                "--prune and --min-counts need the whole model in memory: leave out --memory, or leave out "
                "--prune and --min-counts."
            )
        text = tokenize_blocks(blocks_of(options), by=options.by, vocabulary=vocabulary)
        if not len(text):
            raise ValueError(EMPTY)
        fitted = partial(model.fit, memory=options.memory, folder=out.parent)
    else:
        documents = [document for _, document in documents_of(options)]
        text = tokenize(documents, by=options.by, vocabulary=vocabulary)
        fitted = model.fit
    if arpa:
        check_blanks(text.vocabulary.tokens)
    if written := int((text.ids == text.vocabulary.unk).sum()) - text.unknown:
        warn(
            f"{written:,} token{'s are' if written > 1 else ' is'} written <unk> in the texts and counted as "
            "a word. KenLM's lmplz refuses them, or leaves them out with --skip_symbols."
        )
    try:
        fitted(text)
        whole = [len(level) for level in tables_of(model).levels]
        if options.prune or options.min_counts:
            model = model.prune(options.prune or 0.0, options.min_counts)
        if arpa:
            model.to_arpa(options.out)
        else:
            model.save(options.out)
    except MissingStatisticsError as error:
        discounts = FALLBACK.get(options.smoothing)
        cure = f"Give discounts for such orders, --fallback {discounts}; or take" if discounts else "Take"
        raise ValueError(
            f"{error.reason} {cure} --smoothing witten-bell, which has none, or a lower --order, or more "
            "text."
        ) from None
    except OSError as error:
        error.filename = error.filename or options.out  # a full disk names no file
        raise
    kind = "an ARPA file" if arpa else "a folder"
    print(
        f"{options.out}: {kind}, order {options.order}, {len(text):,} tokens, "
        f"vocabulary {len(text.vocabulary):,}"
    )
    kept = [len(level) for level in tables_of(model).levels]
    for order, (before, after) in enumerate(zip(whole, kept, strict=True), 1):
        print(f"{after:,} n-grams of order {order}" + f", of {before:,} before pruning" * (after < before))


def smoothing_of(options: argparse.Namespace) -> Smoothing:
    """The smoothing method, with the discounts where it can estimate none."""
    method = SMOOTHING[options.smoothing]
    if options.fallback is None:
        return method()
    if options.smoothing not in FALLBACK:
        raise ValueError(
            f"--fallback is for methods with discounts: {', '.join(FALLBACK)}. Leave it out for "
            f"{options.smoothing}."
        )
    numbers = options.fallback
    try:
        return method(fallback=numbers[0] if len(numbers) == 1 else numbers)
    except ValueError:
        raise ValueError(
            f"--fallback is {','.join(f'{x:g}' for x in numbers)}; {options.smoothing} needs "
            f"{'three numbers' if ',' in FALLBACK[options.smoothing] else 'one number'}, such as "
            f"{FALLBACK[options.smoothing]}, each above 0 and at most the count that it is taken from."
        ) from None


def numbers_of(given: str) -> tuple[float, ...]:
    """Numbers with commas between them."""
    try:
        return tuple(map(float, given.split(",")))
    except ValueError:
        raise argparse.ArgumentTypeError(
            f"{given!r} is not one number or three, such as 0.75 or 0.5,1,1.5."
        ) from None


def part_of(given: str) -> float:
    """A fraction."""
    try:
        number = float(given)
    except ValueError:
        number = math.nan
    if not 0 <= number < 1:
        raise argparse.ArgumentTypeError(f"{given!r} is not a number from 0 to below 1, such as 1e-8.")
    return number


def size_of(given: str) -> int:
    """A size of memory in bytes."""
    try:
        return bytes_of(given)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{given!r} is not a number of bytes, such as 2GB.") from None


def min_counts_of(given: str) -> dict[int, int]:
    """The least count of the n-grams of each order that is named."""
    pairs = [part.partition("=") for part in given.split(",")]
    if not all(
        number.isascii() and number.isdigit() for order, _, count in pairs for number in (order, count)
    ):
        raise argparse.ArgumentTypeError(f"{given!r} is not a list of orders and counts, such as 3=2,4=2.")
    return {int(order): int(count) for order, _, count in pairs}


def add(commands: Commands) -> None:
    """Add the command."""
    made = commands.add(fit, EXAMPLES, TEXTS, formats=())
    add_texts(made)
    made.add_argument("--order", type=whole(1), default=5, help="the longest n-grams (default 5)")
    made.add_argument(
        "--smoothing", choices=SMOOTHING, default="modified-kneser-ney", help="(default modified-kneser-ney)"
    )
    made.add_argument(
        "--fallback",
        type=numbers_of,
        metavar="D1,D2,D3",
        help="the discounts of orders for which a small text gives none, such as 0.5,1,1.5 as in KenLM; one "
        "number for kneser-ney and absolute-discounting",
    )
    made.add_argument(
        "--vocabulary",
        metavar="FILE",
        help="the words of the model, one a line; others become <unk> (default: the words of the texts)",
    )
    made.add_argument(
        "--prune",
        type=part_of,
        help="drop n-grams that change the perplexity by less than this fraction, such as 1e-8",
    )
    made.add_argument(
        "--min-counts",
        type=min_counts_of,
        metavar="ORDER=COUNT,...",
        help="drop the n-grams of an order that occur less often: 3=2,4=2 keeps those that lmplz keeps with "
        "--prune 0 0 1 1, with the probabilities that they have in the whole model",
    )
    made.add_argument(
        "--memory",
        type=size_of,
        metavar="SIZE",
        help="count in files beside --out, with at most this much memory: bytes, or a number with KB, MB, "
        "GB, TB (powers of 1000) or KiB, MiB, GiB, TiB (of 1024), such as 2GB",
    )
    made.add_argument(
        "--force", action="store_true", help="replace what --out names, and make the folders above it"
    )
    made.add_argument(
        "--out", required=True, metavar="FILE", help="an ARPA file (.arpa), or a folder for a saved model"
    )
