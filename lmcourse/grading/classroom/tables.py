"""CSV files that are safe to open in a spreadsheet, and readable as a spreadsheet saves them.

Spreadsheets run a cell that begins with one of ``= + - @`` as a formula, and students choose their names and
their answers: every text goes through `safe`. Source: OWASP Application Security Verification Standard 5.0,
requirement 1.2.10, which asks for an apostrophe before these characters.
"""

from __future__ import annotations

import codecs
import csv
import io
import re
from collections.abc import Iterable, Sequence
from pathlib import Path

from lmcourse.files.notebooks import write_bytes
from lmcourse.grading.errors import GradingError
from lmcourse.grading.notebook.report import printable

FORMULA = r"(?=\s*[=+\-@＝＋－＠'])"
"""Characters that may begin a formula, and the apostrophe itself, so that no two texts become the same."""
BEGINS, ESCAPED = re.compile(f"(^|;){FORMULA}"), re.compile(f"(^|;)'{FORMULA}")
"""Where a cell may begin: many spreadsheets split a line at semicolons, also within quotation marks."""


csv.field_size_limit(2**31 - 1)  # a cell may hold a whole essay; the default is 131 072 characters


def safe(text: str) -> str:
    """Return text that no spreadsheet mistakes for a formula.

    It gets an apostrophe wherever a formula could begin: at the start of each line, and after a semicolon.

    Examples
    --------
    >>> safe("=1+1"), safe(" @SUM(A1)"), safe("Ada Lovelace"), safe("so;=1+1")
    ("'=1+1", "' @SUM(A1)", 'Ada Lovelace', "so;'=1+1")
    """
    return "\n".join(_escaped(printable(line)) for line in text.splitlines())


def unsafe(text: str) -> str:
    """Undo `safe`, and leave an apostrophe that a person has typed.

    Examples
    --------
    >>> unsafe("'=1+1"), unsafe("'Surprisal' is right.")
    ('=1+1', "'Surprisal' is right.")
    """
    return "\n".join(_unescaped(line) for line in text.split("\n"))


def _escaped(line: str) -> str:
    return BEGINS.sub(r"\1'", line)


def _unescaped(line: str) -> str:
    return ESCAPED.sub(r"\1", line)


def write_table(path: Path, table: Iterable[Sequence], bom: bool = True) -> None:
    """Write a CSV by renaming a finished file; without a byte-order mark, spreadsheets misread Chinese names.

    Numbers are not changed, nor is a single dash, which to Moodle means no grade.
    """
    stream = io.StringIO(newline="")
    writer = csv.writer(stream, lineterminator="\r\n")
    for line in table:
        writer.writerow(
            [
                "" if c is None else f"{c:g}" if isinstance(c, float) else c if c == "-" else safe(str(c))
                for c in line
            ]
        )
    text = stream.getvalue()
    write_bytes(path, text.encode("utf-8-sig" if bom else "utf-8"))


def read_table(path: Path) -> list[dict[str, str]]:
    """Read a CSV as spreadsheets save it: with commas, semicolons or tabs, in UTF-8 or UTF-16.

    Raises
    ------
    GradingError
        If it cannot be read.
    """
    try:
        data = path.read_bytes()
        wide = data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
        text = data.decode("utf-16" if wide else "utf-8-sig").replace("\0", "")
    except OSError as error:
        raise GradingError(f"{path} cannot be read: {error.strerror}.") from None
    except UnicodeError:
        raise GradingError(f"{path} is not in UTF-8. Save it as “CSV UTF-8”.") from None
    head = re.split(r"[\r\n]", text, maxsplit=1)[0]
    delimiter = max(",;\t", key=head.count)
    reader = csv.DictReader(io.StringIO(text, newline=""), delimiter=delimiter, restval="", strict=True)
    table = []
    try:
        for line in reader:
            table.append({k: v.strip() for k, v in line.items() if k and isinstance(v, str)})
    except csv.Error as error:
        raise GradingError(
            f"{path}, row {len(table) + 2}: this row is not valid CSV ({error}). Look for a quotation mark"
            " that is missing or too many, or save the table from a spreadsheet."
        ) from None
    return table
