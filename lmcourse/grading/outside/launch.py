"""What the process with the answers may see, and the command that starts it."""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
import signal
import sys
from pathlib import Path

from lmcourse.files.places import ROOT
from lmcourse.grading.outside import visible_paths

SECRET = ("lmcourse", "solutions", "exercises", "tests", "book", "_build", ".git")
"""Folders of this project that no answer sees, should Python's own folder contain them."""

NAMESPACES = "the answers see their own files, processes and network (none), and no solution"
PROTECTION = {
    "namespaces": f"Protection: full; {NAMESPACES}; time, memory, files and processes are limited.",
    "inside": f"Protection: full (bubblewrap); {NAMESPACES}; time, memory, files and processes are limited.",
    "limits": "Protection: weaker; time, memory, file size and processes are limited, but this system gives"
    " the answers no view of their own ({reason}): they can read your files and use the network. Grade"
    " work that you do not trust in a container.",
}


def command(
    kind: str, place: Path, library: Path, socket: int, files: dict[str, str]
) -> tuple[list[str], dict]:
    """Return the command line and the settings for one kind of protection.

    Parameters
    ----------
    kind : {"namespaces", "inside", "limits"}
    place : Path
        A folder of our own with ``runtime``, ``scratch`` and ``mountpoint``.
    library : Path
        The companion library.
    socket : int
        Number of the inherited socket.
    files : dict of str to str
        Texts for the scratch folder.

    Raises
    ------
    OSError
        When this system cannot have it.
    """
    limits = kind == "limits"
    runtime, scratch = (place / "runtime", place / "scratch") if limits else (Path("/view"), Path("/scratch"))
    uid = _spare_user() if os.geteuid() == 0 else 0
    data, corpora = visible_paths.data_folder()
    settings = {
        "protection": kind,
        "uid": uid,
        "runtime": str(runtime),
        "scratch": str(scratch),
        "mountpoint": str(place / "mountpoint"),
        "scratch_mb": 64,
        "path": visible_paths.python_path(),
        "show": visible_paths.paths(corpora),
        "place": [(str(place / "runtime"), "/view"), (str(library), "/view/lmmetrics")],
        "hide": _hidden(library),
        "files": files,
        "environment": environment(str(scratch), data),
    }
    _prepare(place, library, files, uid, limits)
    program = [sys.executable, "-I", "-B"]
    if kind == "inside":
        return [
            *_bubblewrap(settings, place),
            *program,
            "/view/lmcourse/grading/inside/isolate.py",
            str(socket),
        ], settings
    if not sys.platform.startswith("linux") and not limits:
        raise OSError("only Linux has namespaces")
    return [*program, str(place / "runtime/lmcourse/grading/inside/isolate.py"), str(socket)], settings


def running(uid: int) -> int:
    """How many threads a user has: the limit on processes counts them all. Zero for a user made for this."""
    if uid or not sys.platform.startswith("linux"):
        return 0 if uid else 1000
    count = 0
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                if os.stat(f"/proc/{name}").st_uid == os.geteuid():
                    count += len(os.listdir(f"/proc/{name}/task"))
            except OSError:
                continue
    return count


def _spare_user() -> int:
    """The number of a user that nobody is: a high one, unless a container maps only the low ones."""
    try:
        mapped = int(Path("/proc/self/uid_map").read_text().split()[2])
    except (OSError, IndexError):
        mapped = 0
    if mapped > 2 * 10**9:
        return 10**9 + secrets.randbelow(10**9)
    return 61000 + secrets.randbelow(4000)


def end_all_of(uid: int) -> None:
    """End every process of a user that was made for this; zero is no such user."""
    for name in os.listdir("/proc") if uid and os.path.isdir("/proc") else ():
        with contextlib.suppress(OSError):
            if name.isdigit() and os.stat(f"/proc/{name}").st_uid == uid:
                os.kill(int(name), signal.SIGKILL)


def _prepare(place: Path, library: Path, files: dict[str, str], uid: int, limits: bool) -> None:
    """Fill the folder, and open it to the user that the answers run as."""
    if limits:
        (place / "runtime" / "lmmetrics").symlink_to(library)
    else:
        (place / "runtime" / "lmmetrics").mkdir()
    for name, text in files.items():
        (place / "scratch" / name).write_text(text, encoding="utf-8")
    for folder in (place.parent, place, *(p for p in place.rglob("*") if p.is_dir() and not p.is_symlink())):
        folder.chmod(0o755)
    if uid:
        shutil.chown(place / "scratch", uid, uid)


def _hidden(library: Path) -> list[str]:
    beside = library.resolve().parent
    return sorted({str(root / name) for root in (ROOT, beside) for name in SECRET})


def environment(scratch: str, data: str | None) -> dict[str, str]:
    """The environment variables of a process with answers."""
    threads = {f"{name}_NUM_THREADS": "1" for name in ("OMP", "MKL", "OPENBLAS", "VECLIB_MAXIMUM")}
    made = {
        "HOME": scratch,
        "TMPDIR": scratch,
        "MPLBACKEND": "Agg",
        "MPLCONFIGDIR": scratch,
        "CUDA_VISIBLE_DEVICES": "",
        "PYTHONHASHSEED": "0",
        "MALLOC_ARENA_MAX": "2",  # each thread would reserve 64 MB of the memory that is limited
        **threads,
    }
    if "LD_LIBRARY_PATH" in os.environ:
        made["LD_LIBRARY_PATH"] = os.environ["LD_LIBRARY_PATH"]
    return made | ({"LMMETRICS_DATA": data} if data else {})


def _bubblewrap(settings: dict, place: Path) -> list[str]:
    """The command line of bubblewrap that shows the same files as `jail` does by itself."""
    program = shutil.which("bwrap")
    if program is None:
        raise OSError("bubblewrap is not installed")
    if settings["uid"]:
        raise OSError("root does not use bubblewrap")
    line = [program, "--unshare-all", "--die-with-parent", "--as-pid-1", "--cap-drop", "ALL", "--dev", "/dev"]
    line += ["--proc", "/proc", "--tmpfs", "/tmp"]
    for path in settings["show"]:
        if os.path.islink(path):
            line += ["--symlink", os.readlink(path), path]
        else:
            line += ["--ro-bind", path, path]
    for source, target in settings["place"]:
        line += ["--ro-bind", source, target]
    for path in settings["hide"]:
        if any(path.startswith(folder + "/") for folder in settings["show"]) and os.path.isdir(path):
            line += ["--tmpfs", path]
    return [*line, "--bind", str(place / "scratch"), "/scratch"]
