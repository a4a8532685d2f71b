"""Compare two models on the same texts."""

from __future__ import annotations

import argparse
from collections.abc import Container
from typing import Any

from lmmetrics._commands.documents import documents_of
from lmmetrics._commands.models import MODELS, Scored, check_options, scored, unknown_of
from lmmetrics._commands.output import warn, write
from lmmetrics._commands.parser import TEXTS, Commands, add_protocol, add_texts, number, whole
from lmmetrics.score import UNITS, UnitError
from lmmetrics.scoring import compare_scores
from lmmetrics.scoring._shared import FEW

EXAMPLES = "  python -m lmmetrics compare ./gpt2 ./mine test/ --unit byte"


def compare(options: argparse.Namespace) -> None:
    """Compare two models on the same texts."""
    if not 0 < options.confidence < 1:
        options.error(
            f"--confidence is {options.confidence}; a number between 0 and 1 is expected, such as 0.95."
        )
    check_options(options, options.a, options.b)
    found_a, found_b = scored(options, options.a), scored(options, options.b)
    pairs = enumerate(zip(found_a.scores, found_b.scores, strict=True))
    apart = {i: (x.unknown, y.unknown) for i, (x, y) in pairs if x.unknown != y.unknown}
    many, documents = len(found_a.names), documents_of(options)
    if apart and not options.skip_unknown:
        i, (of_a, of_b) = next(iter(apart.items()))
        raise ValueError(
            f"{len(apart)} of {many} documents contain tokens that only one of the models knows, such as "
            f"{found_a.names[i]}: {of_a} unknown to a, {of_b} to b. The model with more <unk> describes less "
            "of the text, so its score cannot be compared. Use --skip-unknown, which leaves these documents "
            "out, or fit two models of words with one --vocabulary."
        )
    if len(apart) == many:
        raise ValueError("Only one of the models knows all tokens of a document, in every document.")
    if apart:
        found_a, found_b = (without(one, apart) for one in (found_a, found_b))
        documents = [one for i, one in enumerate(documents) if i not in apart]
    names, a, b = found_a.names, found_a.scores, found_b.scores
    how = {"confidence": options.confidence, "seed": options.seed, "interval": options.interval}
    try:
        found = compare_scores(a, b, options.unit, **how)
    except UnitError as error:
        cure = (
            "A model whose text is cut by whitespace counts one blank between two tokens; --single-blanks "
            "lets both score the texts so."
            if options.unit == "byte"
            else "Compare per byte: --unit byte."
        )
        raise UnitError(error.fault, cure, document=error.document) from None
    written = found_a.total.written
    if written and written == found_b.total.written and found_a.learned_unk != found_b.learned_unk:
        learned, other = ("a", "b") if found_a.learned_unk else ("b", "a")
        warn(
            f"{written:,} tokens are written <unk> in the texts. Model {learned} was trained on such tokens "
            f"and predicts them as a word; to model {other} they are unknown words. A part of the difference "
            "is due to this: train both on texts with <unk>, or neither."
        )
    if len(a) < FEW:
        short = (
            "if their differences are skewed, it is too short (of 95 %, it contains the true difference in "
            "84 to 90 of 100 cases with 5 documents)"
            if options.interval == "t"
            else "which makes it too short; --interval t is better"
        )
        warn(f"The interval is from {len(a)} documents: {short}. Give more documents.")
    if twice := repeated(documents):
        first, again = twice[0]
        warn(
            f"{len(twice)} of {len(names)} documents {'have' if len(twice) > 1 else 'has'} the text of an "
            f"earlier one, such as {again} that of {first}. They count twice, and the interval is too short: "
            "give each document once."
        )
    sides = ("a", options.a, found.a, found_a), ("b", options.b, found.b, found_b)
    if options.format == "table":
        for name, path, score, one in sides:
            unknown, parts = unknown_of(one.total, one.learned_unk)
            bits = f"{score.bits_per(options.unit):.4f} bits per {options.unit}"
            print(f"{name}: {path}: {bits}; unknown: {unknown:,}{parts}")
        if apart:
            print(
                f"left out: {len(apart)} of {many} documents, with tokens that only one of the models knows"
            )
        print(found)
    else:
        plain = {name: value for name, value in found.to_dict().items() if not isinstance(value, dict)}
        row: dict[str, Any] = {"a": str(options.a), "b": str(options.b)} | plain
        row |= {"seed": options.seed, "left out": len(apart)}
        for name, _, score, one in sides:
            row[f"bits per unit of {name}"] = score.bits_per(options.unit)
            row[f"unknown to {name}"] = unknown_of(one.total, one.learned_unk)[0]
        if options.format == "json":
            row["protocol"] = {"a": found_a.card, "b": found_b.card}
        write(options, [row])


def without(found: Scored, documents: Container[int]) -> Scored:
    """The scores without those of some documents."""
    kept = [i for i in range(len(found.names)) if i not in documents]
    scores = [found.scores[i] for i in kept]
    names = [found.names[i] for i in kept]
    return found._replace(names=names, scores=scores, total=sum(scores[1:], start=scores[0]))


def repeated(documents: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """The names of documents with one text: an earlier one, and one that repeats it."""
    first: dict[str, str] = {}
    found = []
    for name, text in documents:
        if not text.strip():
            continue  # an empty line is not a document
        if text in first:
            found.append((first[text], name))
        first.setdefault(text, name)
    return found


def add(commands: Commands) -> None:
    """Add the command."""
    made = commands.add(compare, EXAMPLES, MODELS + TEXTS)
    made.add_argument("a", metavar="MODEL_A")
    made.add_argument("b", metavar="MODEL_B")
    add_texts(made, by=None, single=True)
    add_protocol(made)
    made.add_argument(
        "--unit", choices=tuple(UNITS), default="byte", help="what the difference is given per (default byte)"
    )
    made.add_argument(
        "--skip-unknown",
        action="store_true",
        help="leave out the documents with tokens that only one of the models knows",
    )
    made.add_argument("--confidence", type=number, default=0.95, help="of the interval (default 0.95)")
    made.add_argument(
        "--interval",
        choices=("t", "bootstrap"),
        default="t",
        help="Student's t, better for few documents, or percentiles of the bootstrap (default t)",
    )
    made.set_defaults(error=made.error)
    made.add_argument("--seed", type=whole(0), default=0, help="of the resampled documents (default 0)")
