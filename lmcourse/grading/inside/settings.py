"""The settings of a worker process: `outside.policy` makes them, and they reach this package as JSON."""

from typing import TypedDict


class Settings(TypedDict):
    """What a worker process may see and use. All paths are those that the worker sees, except the sources."""

    protection: str  # "namespaces", "bubblewrap" or "limits": see `isolate`
    uid: int  # the user that the answers run as where the grader is root; else 0
    runtime: str  # the folder of this project's files
    scratch: str  # the folder of the answers
    mountpoint: str  # an empty folder, over which the new root folder is mounted
    scratch_mb: int  # for each folder in which an answer can write
    scratch_files: int  # the same
    python_path: list[str]  # where Python looks for modules, after `runtime`
    visible: list[str]  # files and folders that are shown read-only at the same path
    mounts: list[tuple[str, str]]  # source and target of what is shown read-only at another path
    hidden: list[str]  # folders inside visible ones over which an empty folder is mounted
    files: dict[str, str]  # texts for the scratch folder, by name
    environment: dict[str, str]
    imports: list[str]  # modules to import before any answer runs
    preload: list[str]  # those of them that the fork server imports, once for all workers
    memory_mb: int  # beyond what the libraries take
    file_mb: int
    open_files: int
    processor_seconds: int
    processes: int
