"""What a notebook has and plain Python lacks: ``display``, ``get_ipython``, one ``__main__``, few processors.

Runs in the worker.
"""

from __future__ import annotations

import asyncio
import builtins
import contextlib
import os
import re
import shlex
import sys
import types
from pathlib import Path
from typing import Any

from lmcourse.grading.inside.commands import expand_names, run_command, run_timeit, set_or_get_variable
from lmcourse.grading.inside.drawing import draw_without_windows
from lmcourse.grading.inside.running import (
    FOREIGN_CELL_MAGICS,
    LINE_MAGICS_THAT_RUN,
    OPTIONS,
    event_loop,
    value_of,
)

PROCESSORS = 2
"""The number of processors that an answer sees; pools start as many processes."""
COMMANDS = {"mkdir", "rmdir", "rm", "cp", "mv", "ls", "cat", "touch"}
"""Magics that are commands of the system."""
PYLAB = "import numpy, matplotlib, numpy as np\nfrom matplotlib import mlab, pylab, pyplot, pyplot as plt\n"
PYLAB += "from pylab import *\nfrom numpy import *"


class Quiet:
    """Replaces any object of IPython that only shows or sets things; using it does nothing."""

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


Quiet.__name__ = Quiet.__qualname__ = "object"  # errors that students read name it
Quiet.__module__ = "builtins"


class Shell(Quiet):
    """What ``get_ipython()`` returns: it runs code and commands, and shows nothing."""

    execution_count = 1

    def __init__(self, names: dict):
        self.user_ns, self.folder_before = names, os.getcwd()

    def run_cell(self, source: str, *arguments, **keywords) -> Quiet:
        value_of(source, self.user_ns)
        return Quiet()

    ex = run_cell

    def ev(self, source: str):
        return eval(source, self.user_ns)

    def push(self, variables: dict | str | list | tuple, *arguments, **keywords) -> None:
        """Bind names: from a dictionary, or those of the caller."""
        if not isinstance(variables, dict):
            names = variables.split() if isinstance(variables, str) else variables
            variables = {name: self._seen(2)[name] for name in names}
        self.user_ns.update(variables)

    def magic(self, text: str) -> object:
        name, _, line = text.removeprefix("%").partition(" ")
        return self.run_line_magic(name, line, 2)

    def run_line_magic(self, magic: str, line: str, depth: int = 1) -> object:
        """Run the line of `%time`, `%timeit -o` and `%prun`, and a command; follow `%cd`, `%env`, `%run`."""
        names = self._seen(depth + 1)
        if magic in LINE_MAGICS_THAT_RUN:
            return value_of(OPTIONS.sub("", line, count=1), names)
        if magic == "timeit":
            return run_timeit(line, names)
        line = expand_names(line, names)
        if magic in COMMANDS:
            self._output(f"{magic} {line}", names, wanted=False)
        elif magic in ("sx", "system"):
            return self.getoutput(line)
        elif magic in ("env", "set_env"):
            return set_or_get_variable(line)
        elif magic == "pwd":
            return os.getcwd()
        elif magic == "who_ls":
            return sorted(name for name in self.user_ns if not name.startswith("_"))
        elif magic == "cd":
            self._change_folder(line)
        elif magic == "run":
            self._run_file(line)
        elif magic == "pylab":
            value_of(PYLAB, self.user_ns)
        return None

    def run_cell_magic(self, magic: str, line: str, cell: str) -> object:
        """Run a cell as code or as commands, or write the file of `%%writefile`."""
        if magic in ("writefile", "file"):
            words = shlex.split(line)
            with open(words[-1], "a" if "-a" in words[:-1] else "w", encoding="utf-8") as stream:
                stream.write(cell)
        elif magic in ("sx", "system"):
            return self.getoutput(cell)
        elif magic in ("bash", "sh") or (magic == "script" and re.match(r"\s*(\S*/)?(ba)?sh\b", line)):
            kept = re.search(r"--out[ =](\w+)", line)
            output = self._output(cell, {}, wanted=kept is not None)
            self.user_ns.update({kept[1]: output} if kept else {})
        elif not FOREIGN_CELL_MAGICS.fullmatch(magic):
            value_of(cell, self.user_ns)
        return None

    def system(self, command: str) -> None:
        self._output(command, self._seen(2), wanted=False)

    def getoutput(self, command: str, split: bool = True, **keywords) -> object:
        from IPython.utils.text import LSString, SList

        output = self._output(command, self._seen(2))
        return SList(output.splitlines()) if split else LSString(output)

    def _output(self, command: str, names: dict, wanted: bool = True) -> str:
        self.user_ns["_exit_code"], output = run_command(command, names, wanted)
        return output

    def _seen(self, depth: int) -> dict:
        """The names that code ``depth`` calls above this sees: the notebook's, and those of its function."""
        local = sys._getframe(depth).f_locals
        return self.user_ns if local is self.user_ns else {**self.user_ns, **local}

    def _change_folder(self, line: str) -> None:
        """Do what `%cd` does: if the folder does not exist, say so and continue."""
        wanted = re.sub(r"^-q\s*", "", line.strip()).strip("\"'") or "~"
        with contextlib.suppress(OSError):
            here = os.getcwd()
            os.chdir(self.folder_before if wanted == "-" else os.path.expanduser(wanted))
            self.folder_before = here

    def _run_file(self, line: str) -> None:
        """Run a file of Python, unless it was not handed in."""
        path = Path(next((word.strip("\"'") for word in line.split() if word.endswith(".py")), ""))
        if path.is_file():
            value_of(path.read_text(encoding="utf-8"), self.user_ns)


Shell.__name__ = Shell.__qualname__ = "ZMQInteractiveShell"  # by which notebooks are known
Shell.__module__ = "ipykernel.zmqshell"


def install() -> dict:
    """Install all replacements; return the namespace of the notebook."""
    main: Any = types.ModuleType("__main__")
    main.__builtins__ = builtins
    sys.modules["__main__"] = main  # so that a pool of processes finds the student's functions
    shell = Shell(vars(main))
    shown = {
        "display": lambda *things, display_id=None, **keywords: Quiet() if display_id else None,
        "get_ipython": lambda: shell,
    }
    vars(builtins).update(shown)
    builtins.input = lambda prompt="": ""  # there is no keyboard
    sys.path.insert(0, "")  # the working folder, as in a notebook: a helper that `%%writefile` wrote is found
    _install_module("IPython.core.getipython", get_ipython=shown["get_ipython"])
    nothing: dict[str, object] = dict.fromkeys(
        ("clear_output", "publish_display_data", "update_display"), Quiet()
    )
    nothing |= {"display": shown["display"], "DisplayHandle": lambda *arguments, **keywords: Quiet()}
    _install_module("IPython.core.display_functions", **nothing)
    draw_without_windows()
    asyncio.get_running_loop = asyncio.events.get_running_loop = event_loop  # a notebook's loop always runs
    event_loop()
    os.cpu_count = lambda: PROCESSORS
    sys.breakpointhook = Quiet()
    path = f"{os.path.dirname(sys.executable)}:{os.environ.get('PATH', os.defpath)}"
    os.environ.update({"USER": "student", "LOGNAME": "student", "PATH": path})
    return vars(main)


def _install_module(name: str, **contents: object) -> None:
    """Install a module, so that importing its name does not find IPython's own."""
    module = types.ModuleType(name)
    vars(module).update(contents)
    sys.modules[name] = module
