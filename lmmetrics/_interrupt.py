"""What Ctrl-C does to a command: it ends at once while no file is written, and tidies up otherwise."""

import os
import signal
import threading
from typing import NoReturn

STATUS = 130
"""The exit status, as shells count: 128 and the number of the signal."""
SAID = "lmmetrics: Stopped by Ctrl-C."


def stop(*_: object) -> NoReturn:
    """End the process; an exception could be swallowed by a package that is being imported."""
    os.write(2, f"{SAID}\n".encode())
    os._exit(STATUS)


def end_at_once() -> None:
    """Let Ctrl-C end the process, unless something else handles or ignores it."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, stop)


def tidy_up() -> None:
    """Let Ctrl-C raise a `KeyboardInterrupt` again, so that no file is left half written."""
    if threading.current_thread() is threading.main_thread() and signal.getsignal(signal.SIGINT) is stop:
        signal.signal(signal.SIGINT, signal.default_int_handler)
