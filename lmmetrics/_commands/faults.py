"""Whether an error was raised by this library, or happened to it."""

from __future__ import annotations

import dis
from pathlib import Path


def raised_here(error: BaseException) -> bool:
    """Whether a line of this library raised an error, so that its message says what to do."""
    last = error.__traceback__
    while last and last.tb_next:
        last = last.tb_next
    if last is None:
        return False
    code = last.tb_frame.f_code
    here = Path(__file__).parents[1] in Path(code.co_filename).parents
    return here and code.co_code[last.tb_lasti] == dis.opmap["RAISE_VARARGS"]  # not an error of Python's own
