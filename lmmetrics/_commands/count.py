"""Count the units of texts."""

from __future__ import annotations

import argparse
from typing import Any

from lmmetrics._commands.documents import documents_of, vocabulary_of
from lmmetrics._commands.output import warn, write
from lmmetrics._commands.parser import TEXTS, Commands, add_texts
from lmmetrics.score import UNITS
from lmmetrics.text import tokenize

EXAMPLES = "  python -m lmmetrics count novel.txt\n  cat *.txt | python -m lmmetrics count -"


def count(options: argparse.Namespace) -> None:
    """Count the units of texts."""
    vocabulary = vocabulary_of(options.vocabulary)
    if vocabulary is not None and options.by not in ("whitespace", "word"):
        raise ValueError("--vocabulary counts the unknown words: use --by whitespace or --by word, too.")
    names, documents = zip(*documents_of(options), strict=True)
    units = tokenize(documents, by="char")  # its counts are those of the documents as they are
    counts = {
        field: units.document_counts[field]
        for field in UNITS.values()
        if field in units.document_counts and field != "tokens"  # a text cannot count every unit by itself
    }
    if options.by:
        text = tokenize(documents, by=options.by, vocabulary=vocabulary)
        counts["tokens"] = text.document_counts["tokens"]
        if vocabulary is not None:
            counts["unknown"] = text.document_counts["unknown"]
    rows: list[dict[str, Any]] = [
        {"document": name}
        | {field: None if found is None else int(found[i]) for field, found in counts.items()}
        for i, name in enumerate(names)
    ]
    if units.words is None:
        warn(
            "Words are not counted. More than one character in a hundred of these texts is Chinese or "
            "Japanese, and no blanks separate their words. Count texts of other languages by themselves."
        )
    if len(rows) > 1:
        sums: dict[str, Any] = {"document": "all"}
        for field in list(rows[0])[1:]:
            values = [row[field] for row in rows]
            sums[field] = None if None in values else sum(values)
        rows.append(sums)
    write(options, rows)


def add(commands: Commands) -> None:
    """Add the command."""
    made = commands.add(count, EXAMPLES, TEXTS)
    add_texts(made, by=None, help="also count the tokens, cut in this way")
    made.add_argument(
        "--vocabulary",
        metavar="FILE",
        help="with --by: also count the tokens that are not in this list, a word a line",
    )
