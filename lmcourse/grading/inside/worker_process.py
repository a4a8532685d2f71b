"""A worker process: it runs cells, and serves calls of what they define.

One loop, `_serve`. The first worker has imported the libraries and has run no answer; each cell and each test
runs in a fork of the last good one. So what a cell breaks, fills or leaves running is gone with its process.
The grader trusts no reply of this program, which the answers can change: it reads them with `decoding`.

This file sees neither the solutions nor the questions. It is copied beside the answers, with the rest of its
package and ``lmcourse.hints.answers``.
"""

import contextlib
import copy
import ctypes
import errno
import importlib
import json
import os
import re
import resource
import signal
import socket
import struct
import sys
import traceback
import types
from typing import Any

from lmcourse.grading.inside.decoding import decode
from lmcourse.grading.inside.pools import prepare_pools
from lmcourse.grading.inside.procfs import descendants
from lmcourse.grading.inside.running import Stopped, run
from lmcourse.grading.inside.settings import Settings
from lmcourse.grading.inside.shell import install
from lmcourse.grading.inside.wire import WireError, encode
from lmcourse.hints.answers import Unreadable, evaluate, plain_data

SET_DUMPABLE, SET_CHILD_SUBREAPER = 4, 36
WRITTEN = re.compile(r"\d+ requested and \d+ written")
_missing: set[str] = set()
"""Names that are missing because an import failed."""


def main(connection: socket.socket, settings: Settings) -> None:
    """Import the libraries, set the limits, say hello, and serve requests; never returns."""
    os.environ.update(settings["environment"])
    for module in settings["imports"]:
        try:
            importlib.import_module(module)
        except Exception:  # the set-up cell will fail in the same way, and say so
            continue
    _use_one_thread()
    _set_limits(settings)
    if sys.platform.startswith("linux"):
        ctypes.CDLL(None).prctl(SET_CHILD_SUBREAPER, 1, 0, 0, 0)  # so that `_purge` finds daemons, too
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    _send(connection, {"hello": os.getpid()})
    _serve(connection, install(), [])


def _serve(connection: socket.socket, names: dict, kept: list) -> None:
    """Answer requests until the grader hangs up; ``kept`` has the objects that the grader knows by number.

    The functions of `os` are bound here, before any answer runs: an answer may replace them in its fork, and
    the cells below it still have to be forked and ended.
    """
    actions = {"run": _run, "fetch": _fetch, "call": _call, "evaluate": _evaluate}
    fork, leave, kill, wait = os.fork, os._exit, os.kill, os.waitpid
    while True:
        request, passed = _receive(connection)
        if request is None:
            leave(0)
        action = request["do"]
        if action == "fork":
            _reap(wait)
            child = fork()
            if child == 0:
                connection.close()
                connection = socket.socket(fileno=passed)
                _prepare_fork()
                continue
            os.close(passed)
            _send(connection, {"pid": child})
        elif action == "kill":
            _send(connection, {"status": _kill(request["pid"], kill, wait)})
        elif action == "inputs":
            _install_feedback({key: decode(cases) for key, cases in request["inputs"].items()})
            _send(connection, {"done": True})
        elif action == "purge":
            _send(connection, {"killed": _purge(request["keep"])})
        else:
            _send(connection, actions[action](request, names, kept))


def _run(request: dict, names: dict, kept: list) -> dict:
    """Run a cell. Names that it has set before an error stay, as in a notebook."""
    try:
        skipped = run(request["source"], f"<{request['name']}>", names, _missing)
    except Stopped as stopped:
        return {"error": {**_describe(stopped.error), "statement": stopped.statement}}
    except BaseException as error:
        return {"error": _describe(error)}
    return {"done": True, "skipped": skipped} if skipped else {"done": True}


def _fetch(request: dict, names: dict, kept: list) -> dict:
    """Return the value of a name, or say that it is missing."""
    if request["name"] not in names:
        return {"missing": True}
    return _encoded(names[request["name"]], kept)


def _call(request: dict, names: dict, kept: list) -> dict:
    """Call a function that an answer returned or defined."""
    function = kept[request["number"]]
    arguments = decode(request["arguments"])
    keywords = decode(request["keywords"])
    try:
        value = function(*arguments, **keywords)
    except BaseException as error:
        return {"error": _describe(error)}
    return _encoded(value, kept)


def _evaluate(request: dict, names: dict, kept: list) -> dict:
    """Return the value of a SymPy expression at a point."""
    point = decode(request["point"])
    try:
        value = evaluate(kept[request["number"]], request["symbols"], point, request["where"])
    except Unreadable as error:
        return {"unreadable": str(error)[:500]}
    except BaseException as error:
        return {"error": _describe(error)}
    return _encoded(value, kept)


def _encoded(value: object, kept: list) -> dict:
    """Return the reply with a value; an object that cannot be sent is kept here, and its number is sent."""

    def keep(thing: object) -> int:
        kept.append(thing)
        return len(kept) - 1

    try:
        return {"value": encode(plain_data(value), keep)}
    except Unreadable as error:
        return {"unreadable": str(error)[:500]}
    except BaseException as error:
        return {"error": _describe(error)}


def _describe(error: BaseException) -> dict:
    """Return the reply with an error: its type, its message, and the line of the answer that raised it."""
    try:
        text = str(error)[:500] + _file_limit_note(error)
    except BaseException:
        text = ""
    line = ""
    if isinstance(error, SyntaxError):
        text = f"line {error.lineno}: {error.msg}"
    else:
        for frame in traceback.extract_tb(error.__traceback__):
            if frame.filename.startswith("<") and frame.line:
                line = frame.line[:200]
                break
    kind = type(error).__name__
    if isinstance(error, NotImplementedError):
        kind = "NotImplementedError"
    elif isinstance(error, WireError):
        kind = "WireError"
    elif isinstance(error, MemoryError):
        kind = "MemoryError"
    return {"type": kind[:80], "text": text, "line": line}


def _file_limit_note(error: BaseException) -> str:
    """Name the limit that a file exceeded; NumPy says only how much it has written."""
    if isinstance(error, OSError) and (error.errno == errno.EFBIG or WRITTEN.search(str(error))):
        return f" (the limit is {resource.getrlimit(resource.RLIMIT_FSIZE)[0] >> 20} MB a file)"
    return ""


def _install_feedback(inputs: dict) -> None:
    """Put a ``lmcourse.feedback`` in place that has the visible inputs, and whose checks do nothing."""
    module: Any = types.ModuleType("lmcourse.feedback")
    module.check = module.check_hidden = lambda *arguments, **keywords: None
    module.inputs = lambda key: copy.deepcopy(inputs[key])
    module.WrongAnswer = AssertionError
    sys.modules["lmcourse.feedback"] = module
    vars(sys.modules["lmcourse"])["feedback"] = module


def _use_one_thread() -> None:
    """Keep libraries from making a pool of threads, which would not survive a fork."""
    torch: Any = sys.modules.get("torch")
    if torch is not None:
        torch.set_num_threads(1)
        torch.set_num_threads = torch.set_num_interop_threads = lambda count: None


def _set_limits(settings: Settings) -> None:
    """Limit this process and all that come from it."""
    with_libraries = _virtual_memory()
    limits = {
        resource.RLIMIT_CPU: settings["processor_seconds"],
        resource.RLIMIT_AS: with_libraries + settings["memory_mb"] * 2**20,
        resource.RLIMIT_FSIZE: settings["file_mb"] * 2**20,
        resource.RLIMIT_NPROC: settings["processes"],
        resource.RLIMIT_NOFILE: settings["open_files"],
        resource.RLIMIT_CORE: 0,
    }
    for what, most in limits.items():
        hard = resource.getrlimit(what)[1]
        most = most if hard == resource.RLIM_INFINITY else min(most, hard)
        try:
            resource.setrlimit(what, (most, most))
        except (OSError, ValueError):  # macOS has no limit on memory
            continue
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)  # a file that is too large raises OSError instead


def _virtual_memory() -> int:
    """Return the address space of this process in bytes; a large number if the system does not say."""
    try:
        with open("/proc/self/statm") as stream:
            return int(stream.read().split()[0]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:
        return 8 * 2**30


def _prepare_fork() -> None:
    """In a fork: start a group of processes, restore signals, and allow reading ``/proc/self``."""
    os.setsid()
    prepare_pools()
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    if sys.platform.startswith("linux"):
        ctypes.CDLL(None).prctl(SET_DUMPABLE, 1, 0, 0, 0)


def _kill(pid: int, kill, wait) -> int:
    """End a fork and its group; return its wait status."""
    for target in (-pid, pid):
        try:
            kill(target, signal.SIGKILL)
        except OSError:
            continue
    try:
        return wait(pid, 0)[1]
    except OSError:
        return 0


def _reap(wait) -> None:
    """Reap children that have ended; until then they count towards the limit on processes."""
    try:
        while wait(-1, os.WNOHANG)[0]:
            continue
    except OSError:
        return


def _purge(keep: list) -> int:
    """End all processes that come from this one except those in ``keep``; return how many."""
    killed = 0
    for pid in descendants(os.getpid()) - {os.getpid(), *keep}:
        with contextlib.suppress(OSError):
            os.kill(pid, signal.SIGKILL)
            killed += 1
    return killed


def _receive(connection: socket.socket) -> tuple[dict | None, int]:
    """Return a request and the file of the socket that came with it; None and -1 if there is none."""
    head, passed, _, _ = socket.recv_fds(connection, 4, 1)
    while head and len(head) < 4:
        head += connection.recv(4 - len(head)) or os._exit(0)
    if not head:
        return None, -1
    left, parts = struct.unpack(">I", head)[0], []
    while left:
        part = connection.recv(min(left, 2**20))
        if not part:
            return None, -1
        parts.append(part)
        left -= len(part)
    return json.loads(b"".join(parts)), (passed[0] if passed else -1)


def _send(connection: socket.socket, reply: dict) -> None:
    data = json.dumps(reply).encode("ascii")
    connection.sendall(struct.pack(">I", len(data)) + data)
