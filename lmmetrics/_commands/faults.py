"""Whether an error was raised by this library, or happened to it."""

from __future__ import annotations

import traceback
from pathlib import Path


def raised_here(error: BaseException) -> bool:
    """Whether a `raise` in this library has made an error, so that its message says what to do."""
    *_, last = [None, *traceback.extract_tb(error.__traceback__)]
    if last is None or not last.line:
        return False
    return Path(__file__).parents[1] in Path(last.filename).parents and last.line.startswith("raise ")
