"""What a worker process may see and use: its settings, its folder, and the command that starts it."""

from __future__ import annotations

import importlib.util
import os
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

from lmcourse.files.places import PACKAGE, ROOT
from lmcourse.grading.inside import procfs
from lmcourse.grading.inside.settings import Settings
from lmcourse.grading.outside import visible_paths
from lmcourse.grading.outside.limits import Limits

SECRET = ("lmcourse", "solutions", "exercises", "tests", "book", "_build", ".git")
"""Folders of this project that no answer sees, should Python's own folder contain them."""
RUNTIME = [*(PACKAGE / "grading" / "inside").glob("*.py")]
RUNTIME += [PACKAGE / "hints" / name for name in ("answers.py", "plain_data.py")]
"""What a worker sees of the project: the package ``inside``, and what turns an answer into plain data."""
PRELOADED = ("numpy", "scipy", "sympy", "torch")
"""Libraries that are slow to import: the fork server does it once for all workers."""
OTHER_THREADS = 1000
"""How many threads the user is assumed to have if the system does not say."""

NAMESPACES = "the answers see their own files, processes and network (none), and no solution"
PROTECTION = {
    "namespaces": f"Protection: full; {NAMESPACES}; time, memory, files and processes are limited.",
    "bubblewrap": f"Protection: bubblewrap; {NAMESPACES}; time, memory, processes and the size of files are"
    " limited, but not the number of files.",
    "limits": "Protection: weaker; time, memory, file size and processes are limited, but this system gives"
    " the answers no view of their own ({reason}): they can use your files and the network. Grade"
    " work that you do not trust in a container.",
}


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
    spec = importlib.util.find_spec("lmmetrics")
    assert spec is not None and spec.origin is not None
    library = Path(spec.origin).parent
    _fill(folder, library, uid, kind)
    runtime, scratch = Path("/view"), Path("/scratch")
    if kind == "limits":
        runtime, scratch = folder / "runtime", folder / "scratch"
    data, corpora = visible_paths.data_folder()
    return Settings(
        protection=kind,
        uid=uid,
        runtime=str(runtime),
        scratch=str(scratch),
        mountpoint=str(folder / "mountpoint"),
        scratch_mb=limits.scratch_mb,
        scratch_files=limits.scratch_files,
        python_path=visible_paths.python_path(),
        visible=visible_paths.paths(corpora),
        mounts=[(str(folder / "runtime"), "/view"), (str(library), "/view/lmmetrics")],
        hidden=sorted({str(root / name) for root in (ROOT, library.resolve().parent) for name in SECRET}),
        files=files,
        environment=worker_environment(str(scratch), data),
        imports=list(imports),
        preload=[name for name in imports if name.partition(".")[0] in PRELOADED],
        memory_mb=limits.memory_mb,
        file_mb=limits.file_mb,
        open_files=limits.open_files,
        processor_seconds=limits.processor_seconds,
        processes=limits.processes + _threads_of_user(uid),
    )


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


def worker_environment(scratch: str, data: str | None) -> dict[str, str]:
    """Return the environment variables of a worker process; nothing is inherited, which may be private."""
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


def _threads_of_user(uid: int) -> int:
    """Return how many threads the worker's user has before it starts: the limit on processes counts them."""
    if uid:
        return 0  # made for this worker alone
    return procfs.thread_count(os.geteuid()) if sys.platform.startswith("linux") else OTHER_THREADS


def _fill(folder: Path, library: Path, uid: int, kind: str) -> None:
    """Put the worker's files into the folder, and open it to the user that the answers run as."""
    runtime, scratch = folder / "runtime", folder / "scratch"
    for name in ("runtime", "scratch", "mountpoint"):
        (folder / name).mkdir()
    for path in RUNTIME:
        target = runtime / path.relative_to(PACKAGE.parent)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, target)
        for package in target.relative_to(runtime).parents[:-1]:
            (runtime / package / "__init__.py").touch()
    if kind == "limits":
        (runtime / "lmmetrics").symlink_to(library)
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
