"""What a notebook has and plain Python lacks: ``display``, ``get_ipython``, one ``__main__``, few processors.

Runs in the process with the answers.
"""

from __future__ import annotations

import builtins
import os
import shlex
import sys
import types
from pathlib import Path

from lmcourse.grading.inside.running import LINE_MAGICS_THAT_RUN, OPTIONS, value_of

PROCESSORS = 2
"""As many as an answer is told that there are: pools start as many processes."""


class Quiet:
    """Stands for any object of IPython that only shows or sets things: every use of it does nothing."""

    def __getattr__(self, name: str) -> Quiet:
        if name.startswith("__"):
            raise AttributeError(name)
        return Quiet()

    def __call__(self, *arguments, **keywords) -> None:
        return None

    def __contains__(self, thing) -> bool:
        return False

    def __getitem__(self, key) -> Quiet:
        return Quiet()

    def __setitem__(self, key, value) -> None:
        return None

    def __iter__(self):
        return iter(())

    def __enter__(self) -> Quiet:
        return self

    def __exit__(self, *error) -> None:
        return None


class Shell(Quiet):
    """What ``get_ipython()`` returns: magics and commands do nothing, code that is given to it runs."""

    def __init__(self, names: dict):
        self.user_ns = names

    def run_cell(self, source: str, *arguments, **keywords) -> None:
        value_of(source, self.user_ns)

    ex = run_cell

    def ev(self, source: str):
        return eval(source, self.user_ns)

    def run_line_magic(self, magic: str, line: str, *arguments, **keywords) -> object:
        """Run the line of `%time` and `%prun`, and the file of `%run`; follow `%cd`."""
        if magic in LINE_MAGICS_THAT_RUN:
            return value_of(OPTIONS.sub("", line, count=1), self.user_ns)
        given = [word for word in shlex.split(line, posix=True) if not word.startswith("-")] if line else []
        if magic == "run" and given and given[0].endswith(".py"):
            value_of(Path(given[0]).read_text(encoding="utf-8"), self.user_ns)
        elif magic == "cd" and given:
            os.chdir(given[0])
        elif magic == "pwd":
            return os.getcwd()
        return Quiet() if magic == "timeit" else None

    def run_cell_magic(self, magic: str, line: str, cell: str) -> None:
        """Run a cell that is timed or captured, and write the file of `%%writefile`."""
        if magic in ("time", "timeit", "capture", "prun"):
            value_of(cell, self.user_ns)
        elif magic in ("writefile", "file"):
            words = shlex.split(line)
            with open(words[-1], "a" if "-a" in words[:-1] else "w", encoding="utf-8") as stream:
                stream.write(cell)

    def getoutput(self, *arguments, **keywords) -> list[str]:
        return []


def prepare() -> dict:
    """Put everything in place; return the namespace of the notebook."""
    main = types.ModuleType("__main__")
    main.__builtins__ = builtins
    sys.modules["__main__"] = main  # so that a pool of processes finds the student's functions
    shell = Shell(vars(main))
    builtins.display = lambda *things, **keywords: None
    builtins.get_ipython = lambda: shell
    builtins.input = lambda prompt="": ""  # nobody is there to type
    sys.path.insert(0, "")  # the working folder, as in a notebook: a helper that `%%writefile` wrote is found
    ours = types.ModuleType("IPython.core.getipython")
    ours.get_ipython = builtins.get_ipython
    sys.modules[ours.__name__] = ours  # IPython, should it be imported, takes its own from there
    os.cpu_count = lambda: PROCESSORS
    return vars(main)
