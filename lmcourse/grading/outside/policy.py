"""The policy of the sandbox: what the answers of a student may see and use, under each kind of protection.

How much they may use is in `limits`, and which files of the system they see in `visible_paths`. `launch` and
`inside.isolate` put the policy into effect.
"""

from __future__ import annotations

import importlib.util
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from lmcourse.files.places import PACKAGE, ROOT
from lmcourse.grading.inside import procfs
from lmcourse.grading.inside.settings import Settings
from lmcourse.grading.outside import visible_paths
from lmcourse.grading.outside.limits import Limits

KINDS = ("namespaces", "bubblewrap", "limits")
"""The kinds of protection, the best first; see `inside.isolate`."""
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


def settings(
    kind: str, folder: Path, files: dict[str, str], imports: Sequence[str], limits: Limits, uid: int
) -> Settings:
    """Return the settings of a worker process; the parameters are those of `launch.prepare`."""
    runtime, scratch = Path("/view"), Path("/scratch")
    if kind == "limits":
        runtime, scratch = folder / "runtime", folder / "scratch"
    lmmetrics = library()
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
        mounts=[(str(folder / "runtime"), "/view"), (str(lmmetrics), "/view/lmmetrics")],
        hidden=sorted({str(root / name) for root in (ROOT, lmmetrics.resolve().parent) for name in SECRET}),
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


def library() -> Path:
    """Return the folder of ``lmmetrics``, which the answers see."""
    spec = importlib.util.find_spec("lmmetrics")
    assert spec is not None and spec.origin is not None
    return Path(spec.origin).parent
