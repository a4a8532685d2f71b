"""Let a pool that a cell has made work in the cells and tests below it.

Each cell and each test runs in a fork, and threads do not survive a fork. So a pool that has lost its threads
starts anew when it is used. Runs in the worker.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable


def prepare_pools() -> None:
    """Prepare the kinds of pools whose modules have been imported by now."""
    for module, kind, method, revive in (
        ("concurrent.futures.thread", "ThreadPoolExecutor", "submit", _threads),
        ("concurrent.futures.process", "ProcessPoolExecutor", "submit", _processes),
        ("multiprocessing.pool", "Pool", "_check_running", _pool),
    ):
        if found := getattr(sys.modules.get(module), kind, None):
            _before(found, method, revive)


def _before(kind: type, method: str, revive: Callable) -> None:
    """Call ``revive`` with the pool before each call of one of its methods."""
    usual = getattr(kind, method)
    if getattr(usual, "revives", False):
        return

    def used(self, *arguments, **keywords):
        revive(self)
        return usual(self, *arguments, **keywords)

    vars(used)["revives"] = True
    setattr(kind, method, used)


def _threads(pool) -> None:
    if any(not thread.is_alive() for thread in list(pool._threads)) and not pool._shutdown:
        pool._threads = set()
        pool._idle_semaphore = threading.Semaphore(0)


def _processes(pool) -> None:
    manager = pool._executor_manager_thread
    lost = manager is not None and not manager.is_alive() and not pool._shutdown_thread
    if lost or pool._broken:  # its processes were ended with the cell
        pool.__init__(pool._max_workers, pool._mp_context, pool._initializer, pool._initargs)


def _pool(pool) -> None:
    if pool._state != "RUN" or pool._worker_handler.is_alive():
        return
    arguments = (pool._processes, pool._initializer, pool._initargs)
    if type(pool).__name__ == "Pool":  # a pool of threads accepts only these
        arguments += (pool._maxtasksperchild, pool._ctx)
    pool.__init__(*arguments)
