"""The settings of a worker process: `outside.launch` makes them, JSON carries them, this room reads them."""

from typing import TypedDict


class Settings(TypedDict):
    """What a worker process may see and use.

    Attributes
    ----------
    protection : str
        "namespaces", "bubblewrap" or "limits"; see `isolate`.
    uid : int
        The user that the answers run as where the grader is root; else 0.
    runtime, scratch : str
        The folders of this project's files and of the answers, as the worker sees them.
    mountpoint : str
        An empty folder, over which the new root folder is mounted.
    scratch_mb : int
    python_path : list of str
        Where Python looks for modules, after ``runtime``.
    visible : list of str
        Files and folders that are shown read-only at the same path.
    mounts : list of (str, str)
        Source and target of what is shown read-only at another path.
    hidden : list of str
        Folders that are covered by an empty one, should they lie in a visible one.
    files : dict of str to str
        Texts for the scratch folder, by name.
    environment : dict of str to str
        The variables of the environment.
    imports : list of str
        Modules to import before any answer runs.
    preload : list of str
        Those of them that the fork server imports, once for all workers.
    memory_mb : int
        Beyond what the libraries take.
    file_mb, cpu_seconds, processes : int
    """

    protection: str
    uid: int
    runtime: str
    scratch: str
    mountpoint: str
    scratch_mb: int
    python_path: list[str]
    visible: list[str]
    mounts: list[tuple[str, str]]
    hidden: list[str]
    files: dict[str, str]
    environment: dict[str, str]
    imports: list[str]
    preload: list[str]
    memory_mb: int
    file_mb: int
    cpu_seconds: int
    processes: int
