"""What a worker process finds when it starts: its folder, and the command that starts it (see `policy`)."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

from lmcourse.files.places import PACKAGE
from lmcourse.grading.inside.settings import Settings
from lmcourse.grading.outside import policy
from lmcourse.grading.outside.limits import Limits


def prepare(
    kind: str, folder: Path, files: dict[str, str], imports: Sequence[str], limits: Limits, uid: int = 0
) -> Settings:
    """Fill the folder of a worker process, and return the worker's settings.

    Parameters
    ----------
    kind : {"namespaces", "bubblewrap", "limits"}
        The protection.
    folder : Path
        An empty folder of our own.
    files : dict of str to str
        Texts for the scratch folder, by name.
    imports : sequence of str
        Modules to import before any answer runs.
    limits : Limits
    uid : int
        The user that the answers run as where the grader is root; else 0.
    """
    _fill(folder, uid, kind)
    return policy.settings(kind, folder, files, imports, limits, uid)


def command(settings: Settings, folder: Path, socket: int) -> list[str]:
    """Return the command line that starts a worker process; ``socket`` is the number of the inherited socket.

    Raises
    ------
    OSError
        If this system cannot give the protection.
    """
    program = [sys.executable, "-I", "-B", f"{settings['runtime']}/lmcourse/grading/inside/isolate.py"]
    if settings["protection"] == "bubblewrap":
        return [*_bubblewrap(settings), *program, str(socket)]
    if settings["protection"] == "namespaces":
        if not sys.platform.startswith("linux"):
            raise OSError("only Linux has namespaces")
        program[-1] = str(folder / "runtime/lmcourse/grading/inside/isolate.py")  # nothing is mounted yet
    return [*program, str(socket)]


def _fill(folder: Path, uid: int, kind: str) -> None:
    """Put the worker's files into the folder, and open it to the user that the answers run as."""
    runtime, scratch = folder / "runtime", folder / "scratch"
    for name in ("runtime", "scratch", "mountpoint"):
        (folder / name).mkdir()
    for path in policy.RUNTIME:
        target = runtime / path.relative_to(PACKAGE.parent)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, target)
        for package in target.relative_to(runtime).parents[:-1]:
            (runtime / package / "__init__.py").touch()
    if kind == "limits":
        (runtime / "lmmetrics").symlink_to(policy.library())
    else:
        (runtime / "lmmetrics").mkdir()
    inner = (path for path in folder.rglob("*") if path.is_dir() and not path.is_symlink())
    for path in (folder.parent, folder, *inner):
        path.chmod(0o755)
    if uid:
        shutil.chown(scratch, uid, uid)


def _bubblewrap(settings: Settings) -> list[str]:
    """Return bubblewrap's command line, which shows the same files as `isolate` does without it.

    Every folder in which an answer can write has a limit; the folders that bubblewrap makes for mounts are
    made read-only.
    """
    program = shutil.which("bwrap")
    if program is None:
        raise OSError("bubblewrap is not installed")
    if settings["uid"]:
        raise OSError("root does not use bubblewrap")
    line = [program, "--unshare-all", "--die-with-parent", "--as-pid-1", "--cap-drop", "ALL", "--dev", "/dev"]
    line += ["--proc", "/proc"]
    for path in (settings["scratch"], "/tmp", "/dev/shm"):
        line += ["--size", str(settings["scratch_mb"] << 20), "--tmpfs", path]
    for path in settings["visible"]:
        if os.path.islink(path):
            line += ["--symlink", os.readlink(path), path]
        else:
            line += ["--ro-bind", path, path]
    for source, target in settings["mounts"]:
        line += ["--ro-bind", source, target]
    for path in settings["hidden"]:
        if any(path.startswith(shown + "/") for shown in settings["visible"]) and os.path.isdir(path):
            line += ["--tmpfs", path, "--remount-ro", path]
    return [*line, "--remount-ro", "/dev", "--remount-ro", "/"]
