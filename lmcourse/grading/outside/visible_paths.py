"""Which files and folders of this machine an answer may see: Python, its libraries, the downloaded corpora.

Nothing else is shown, wherever the grader is started and whatever ``PYTHONPATH``, a ``.pth`` file or an
editable installation add to Python's path: such a folder may hold submissions, grades or solutions.
"""

from __future__ import annotations

import os
import site
import sys
import sysconfig
from pathlib import Path

SYSTEM = ("/usr/bin", "/usr/sbin", "/usr/lib", "/usr/lib32", "/usr/lib64", "/usr/libexec", "/usr/local/lib")
SYSTEM += ("/bin", "/sbin", "/lib", "/lib32", "/lib64", "/nix/store", "/usr/share/zoneinfo")
SYSTEM += ("/etc/alternatives", "/etc/ld.so.cache", "/etc/localtime", "/sys/devices/system/cpu")
CACHE = "measuring-language-models"
LIBRARY_NAMES = ("site-packages", "dist-packages")


def paths(corpora: list[str]) -> list[str]:
    """Return the files and folders to show, none of them inside another."""
    wanted = [*SYSTEM, *_prefixes(), *python_path(), *_program(), *corpora]
    wanted += [os.path.realpath(path) for path in wanted]
    shown: list[str] = []
    for path in sorted({os.path.abspath(path) for path in wanted if os.path.lexists(path)}, key=len):
        if not any(_within(path, other) for other in shown):
            shown.append(path)
    return shown


def python_path() -> list[str]:
    """Where an answer's Python looks for modules: the entries of our own path that are library folders."""
    libraries = _libraries()
    found = []
    for entry in filter(os.path.exists, map(os.path.abspath, filter(None, sys.path))):
        real = os.path.realpath(entry)
        if os.path.basename(real) in LIBRARY_NAMES or any(_within(real, library) for library in libraries):
            found.append(entry)
    return found


def visible_folder_of(path: str | Path) -> str | None:
    """Return the visible folder in which a path lies; None for a path that no answer sees."""
    real = os.path.realpath(path)
    return next((folder for folder in paths([]) if _within(real, os.path.realpath(folder))), None)


def data_folder() -> tuple[str | None, list[str]]:
    """Return the folder of downloaded corpora, and the corpora in it; it may contain other files too."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / CACHE
    folder = Path(os.environ.get("LMMETRICS_DATA") or cache)
    if not folder.is_dir():
        return None, []
    from lmmetrics.corpora import stored_files  # slow to import, and most machines have no such folder

    found = [str(path) for path in stored_files(folder)]
    return (str(folder.absolute()), found) if found else (None, [])


def _prefixes() -> list[str]:
    """The libraries of Python and of a virtual environment. The rest of a prefix may be a home folder."""
    parts = ("lib", "lib64", "pyvenv.cfg")
    return [os.path.join(prefix, part) for prefix in {sys.prefix, sys.base_prefix} for part in parts]


def _program() -> list[str]:
    """Python itself, and each link on the way to it."""
    found, path = [], os.path.abspath(sys.executable)
    while path not in found and os.path.lexists(path):
        found.append(path)
        if os.path.islink(path):
            path = os.path.normpath(os.path.join(os.path.dirname(path), os.readlink(path)))
    return found


def _libraries() -> set[str]:
    """The folders in which Python keeps its own modules and those that are installed."""
    base = {"base": sys.base_prefix, "platbase": sys.base_exec_prefix}
    base |= {"installed_base": sys.base_prefix, "installed_platbase": sys.base_exec_prefix}
    kinds = ("stdlib", "platstdlib", "purelib", "platlib")
    found = {sysconfig.get_path(kind, vars=names) for kind in kinds for names in (None, base)}
    found |= set(site.getsitepackages()) | ({site.getusersitepackages()} if site.ENABLE_USER_SITE else set())
    return {os.path.realpath(path) for path in found}


def _within(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder.rstrip("/") + "/")
