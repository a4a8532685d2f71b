"""Whether a progress bar is shown."""

import contextlib
import sys
from collections.abc import Iterator

_terminal_only = False


@contextlib.contextmanager
def only_on_a_terminal() -> Iterator[None]:
    """Show no bar where the error stream is a file or a pipe: for a command."""
    global _terminal_only
    _terminal_only = True
    try:
        yield
    finally:
        _terminal_only = False


def shown(progress: bool) -> dict[str, bool]:
    """Return options of tqdm that hide a bar which is not wanted.

    For a wanted one nothing is set, so that the variable TQDM_DISABLE hides all bars: a book that is built on
    a slow machine must not print them.
    """
    if _terminal_only and not sys.stderr.isatty():
        progress = False
    return {} if progress else {"disable": True}
