"""What a notebook's magics do: commands of the system, short times, variables of the environment.

Runs in the worker; with full protection that has files of its own and no network.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import subprocess
import timeit

from lmcourse.grading.inside.running import OPTIONS_OF_TIMEIT

SECONDS = 5
"""The time limit of one command. What it leaves running is ended with the cell."""
INSTALLERS = r"(pip[\d.]*|apt|apt-get|conda|mamba|uv|poetry|brew)"
INSTALLS = re.compile(
    r"(^|[;&|(\n])\s*((sudo|yes|\w+=\S*)\s+)*(\S*python[\d.]*\s+-m\s+)?"
    rf"(\S*/)?{INSTALLERS}(?![\w-])[^;&|)\n]*"
)
TIMES = 3


def run_command(command: str, names: dict, wanted: bool = True) -> tuple[int, str]:
    """Run a command as a shell does; return its status and its output, if that is wanted.

    An installer in it does nothing. What it leaves running is waited for only because of its output.
    """
    shell = shutil.which("bash") or "sh"
    line = [shell, "-c", INSTALLS.sub(r"\1 true ", expand_names(command, names))]
    output = subprocess.PIPE if wanted else subprocess.DEVNULL
    try:
        done = subprocess.run(
            line, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT, timeout=SECONDS
        )
    except subprocess.TimeoutExpired as late:
        return 1, _text(late.output)
    except (OSError, ValueError):
        return 127, ""
    return done.returncode, _text(done.stdout)


def expand_names(text: str, names: dict) -> str:
    """Put the values of Python's names into a line, as IPython does for ``$name`` and ``{name}``."""
    if "$" in text or "{" in text:
        from IPython.utils.text import DollarFormatter

        with contextlib.suppress(Exception):  # then IPython, too, takes the line as it is
            return DollarFormatter().vformat(text, (), names)
    return text


def run_timeit(line: str, names: dict) -> object:
    """What ``%timeit -o`` returns: real times of a short run. Without ``-o`` nothing is returned, or run."""
    statement = OPTIONS_OF_TIMEIT.sub("", line, count=1)
    options = line.removesuffix(statement)
    if not re.search(r"-[tcq]*o", options):
        return None
    from IPython.core.magics.execution import TimeitResult

    times = timeit.repeat(statement, number=1, repeat=TIMES, globals=names)
    return TimeitResult(1, TIMES, min(times), max(times), times, 0.0, 3)


def set_or_get_variable(line: str) -> object:
    """Do what ``%env`` does: set a variable, or return one or all."""
    given = re.fullmatch(r"\s*([^\s=]+)\s*[\s=]\s*(.+)", line)
    if given:
        os.environ[given[1]] = given[2].strip()
        return None
    return os.environ.get(line.strip()) if line.strip() else dict(os.environ)


def _text(output: bytes | None) -> str:
    return (output or b"").decode("utf-8", "replace")
