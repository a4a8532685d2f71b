"""CSV files that are safe to open in a spreadsheet, and readable as a spreadsheet saves them.

Spreadsheets run a cell that begins with one of ``= + - @`` as a formula, and students choose their names and
their answers: every text goes through `safe`. Source: OWASP Application Security Verification Standard 5.0,
requirement 1.2.10, which asks for an apostrophe before these characters.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from pathlib import Path

from course.grading.cells import GradingError
from course.grading.report import plain

FORMULA = tuple("=+-@＝＋－＠'")
"""What may begin a formula, and the apostrophe itself, so that no two texts become one."""


def safe(text: str) -> str:
    """Return text that no spreadsheet takes for a formula: an apostrophe is put before it where it could be.

    Examples
    --------
    >>> safe("=1+1"), safe(" @SUM(A1)"), safe("Ada Lovelace")
    ("'=1+1", "' @SUM(A1)", 'Ada Lovelace')
    """
    text = "\n".join(plain(line) for line in text.splitlines())
    return "'" + text if text.lstrip().startswith(FORMULA) else text


def write_table(path: Path, table: Iterable[Sequence], mark: bool = True) -> None:
    """Write a CSV; ``mark`` is for spreadsheets, which else misread Chinese names. A number stays one.

    A dash alone is Moodle's sign for no grade and no formula.
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
    path.write_text(stream.getvalue(), encoding="utf-8-sig" if mark else "utf-8", newline="")


def read_table(path: Path) -> list[dict[str, str]]:
    """Read a CSV as spreadsheets save it: with commas, semicolons or tabs.

    Raises
    ------
    GradingError
        When it cannot be read.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise GradingError(f"{path} cannot be read: {error.strerror}.") from None
    except UnicodeError:
        raise GradingError(f"{path} is not in UTF-8. Save it as “CSV UTF-8”.") from None
    head = text.partition("\n")[0]
    reader = csv.DictReader(io.StringIO(text, newline=""), delimiter=max(",;\t", key=head.count), restval="")
    return [{k: v.strip() for k, v in line.items() if k and isinstance(v, str)} for line in reader]
