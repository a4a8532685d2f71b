"""Start the process with the answers, ask it things, and lose no more than one answer when it dies.

    with Sandbox(Limits(), imports=["numpy"]) as sandbox:
        sandbox.run("task", "def double(x):\\n    return 2 * x")
        with sandbox.probe() as probe:
            probe.ask({"do": "fetch", "name": "double"})

    grader          this module, the questions, the solutions, the marks. No answer
      nursery       imports the libraries once, then forks (Linux, "namespaces"). No answer
        first       ``self.root``: locks the door (`jail`), then forks (`child`). No answer
          cell 1    ran cell 1; ``self.last`` once it is good
            cell 2  ran cell 2 on top of it, and takes its place
              test  a copy for one test (`probe`), ended when the test is done

When a test's copy dies, that test is lost. When a cell dies, it is lost, and the next runs in a fork of the
last good one. When the first process dies, `_restart` runs the good cells again. A nursery is replaced.

How much the system protects is tried out, best first; `Sandbox.protection` says in one line what is on.
"""

from __future__ import annotations

import contextlib
import importlib.util
import json
import os
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from lmcourse.files.places import PACKAGE
from lmcourse.grading.outside import fork_client, launch
from lmcourse.grading.outside.memory import memory_of
from lmcourse.grading.outside.worker import Limits, Lost, Patience, Worker, cause

STARTING_SECONDS = 120
RUNTIME = [*(PACKAGE / "grading" / "inside").glob("*.py")]
RUNTIME += [PACKAGE / "hints" / name for name in ("answers.py", "plain.py")]
"""What lies beside the answers: the room ``inside``, and what brings an answer into a form that can cross."""


class Sandbox:
    """The processes with one student's answers.

    Parameters
    ----------
    limits : Limits
    imports : sequence of str
        Modules that are imported before the first answer runs.
    files : dict of str to str
        Texts that lie in the scratch folder, by name.
    protection : {"namespaces", "inside", "limits"}, optional
        The only kind to try; by default the best that works.
    """

    def __init__(
        self,
        limits: Limits,
        imports: Sequence[str] = (),
        files: dict[str, str] | None = None,
        protection: str | None = None,
    ):
        self.limits, self.imports, self.files = limits, list(imports), files or {}
        self.inputs: dict = {}
        self.kinds = [protection] if protection else ["namespaces", "inside", "limits"]
        self.patience = Patience(limits, self._watch)
        self.good: list[tuple[str, str]] = []
        self.folder = Path(tempfile.mkdtemp(prefix="grading-"))
        self.process: subprocess.Popen | fork_client.Forked | None = None
        self.reason, self.uid = "", 0
        self.refusals: list[str] = []
        self._try_to_launch()

    @property
    def protection(self) -> str:
        return launch.PROTECTION[self.kinds[0]].format(reason=self.reason or "as you asked")

    def open(self, inputs: dict) -> None:
        """Wait until the first process is there, and give it the visible inputs.

        Parameters
        ----------
        inputs : dict
            Encoded, by question key: what ``inputs`` of ``lmcourse.feedback`` returns there.
        """
        self.inputs = inputs
        while True:
            try:
                self._greet()
                break
            except OSError as error:
                self._try_next_kind(error)
        self.kinds, self.refusals = (
            [self.kinds[0]] * 2,
            [],
        )  # it works: once more if need be, and no weaker one
        self.root.ask({"do": "inputs", "inputs": inputs}, STARTING_SECONDS)

    def run(self, name: str, source: str, hurried: bool = False) -> dict:
        """Run a cell; the names that it sets are there from now on. Returns the reply: an error or none.

        A cell that is ``hurried`` has twice the time of a call.

        Raises
        ------
        Lost
            When the cell did not come to an end: everything is then as it was before it.
        """
        if time.monotonic() > self.patience.end:
            raise self.patience.lost(self.limits.cell_seconds)
        fork = self._fork()
        try:
            usual = self.limits.cell_seconds
            seconds = min(usual, 2 * self.limits.call_seconds) if hurried else usual
            reply = fork.ask({"do": "run", "name": name, "source": source}, seconds)
            self._check(reply)
        except Lost as lost:
            raise self._ended(fork, lost) from None
        before, self.last = self.last, fork
        if not self._purge():
            self._restart()
            raise Lost("it ends processes that are not its own.")
        if before is not self.root:
            before.close()
        self.good.append((name, source))
        return reply

    @contextlib.contextmanager
    def aside(self) -> Iterator[Sandbox]:
        """A sandbox in which no cell has run and no file was written; it shares our time."""
        with Sandbox(self.limits, self.imports, self.files, self.kinds[0]) as fresh:
            fresh.patience.end = self.patience.end
            fresh.open(self.inputs)
            yield fresh

    @contextlib.contextmanager
    def probe(self) -> Iterator[Worker]:
        """A copy of the process, for one test; what the test does to it is gone afterwards."""
        fork = self._fork()
        try:
            yield fork
        except Lost as lost:
            raise self._ended(fork, lost) from None
        else:
            self._ended(fork, None)
        if not self._purge():
            self._restart()

    def __enter__(self) -> Sandbox:
        return self

    def __exit__(self, *error: object) -> None:
        self._stop()
        shutil.rmtree(self.folder, ignore_errors=True)

    def _fork(self) -> Worker:
        with contextlib.suppress(Lost):
            return self.last.fork()
        while True:
            self._restart()
            try:
                return self.last.fork()
            except Lost:
                if not self.good:
                    raise
                self.good.pop()  # the last cell breaks the process: go on without it

    def _watch(self) -> None:
        """Lose the answer whose processes fill the memory together; each alone may stay below its limit."""
        if memory_of(self.process.pid) > 2 * self.limits.memory_mb * 2**20:
            raise Lost(f"its processes need more than {2 * self.limits.memory_mb} MB of memory together.")

    def _check(self, reply: dict) -> None:
        """A cell that has filled the memory leaves no room for the next; one that forges replies no trust."""
        error = reply.get("error")
        if isinstance(error, dict) and error.get("type") == "MemoryError":
            raise Lost(f"it needs more than {self.limits.memory_mb} MB of memory.")
        if not isinstance(error, dict) and reply.get("done") is not True:
            raise Lost("what it returns cannot be read.")

    def _ended(self, fork: Worker, lost: Lost | None) -> Lost | None:
        """End a fork; return why it was lost, in more detail if its end status has any."""
        fork.close()
        try:
            status = self.last.ask({"do": "kill", "pid": fork.pid}, 10).get("status")
        except Lost:
            self._restart()
            return lost
        if lost is not None and "ends the Python process" in str(lost) and type(status) is int and status:
            return Lost(cause(status))
        return lost

    def _purge(self) -> bool:
        """End what the answers left running; False when the first process is gone."""
        try:
            self.root.ask({"do": "purge", "keep": self._needed()}, 10)
        except Lost:
            return False
        return True

    def _needed(self) -> list[int]:
        """The processes that are still asked."""
        return [self.last.pid]

    def _restart(self) -> None:
        """Everything is gone: start anew, and run the good cells again."""
        good, self.good = self.good, []
        self._stop()
        self._start()
        for name, source in good:
            with contextlib.suppress(Lost):
                self.run(name, source)

    def _start(self) -> None:
        """Launch, and wait until the first process is there."""
        self._try_to_launch()
        self.open(self.inputs)

    def _try_to_launch(self) -> None:
        try:
            self._launch(self.kinds[0])
        except OSError as error:
            self._try_next_kind(error)

    def _try_next_kind(self, error: OSError) -> None:
        """Go on with the next kind of protection, if there is one."""
        self._stop()
        self.reason = self.reason or str(error)
        self.refusals.append(f"{self.kinds[0]}: {error}")
        if len(self.kinds) == 1:
            tried = "; ".join(self.refusals)
            raise RuntimeError(f"The grader could not start a protected process ({tried}).") from None
        self.kinds.pop(0)
        self._try_to_launch()

    def _launch(self, kind: str) -> None:
        """Start the first process under one kind of protection; OSError when this system refuses it."""
        ours, theirs = socket.socketpair()
        place = Path(tempfile.mkdtemp(dir=self.folder))
        for name in ("runtime", "scratch", "mountpoint"):
            (place / name).mkdir()
        for path in RUNTIME:
            target = place / "runtime" / path.relative_to(PACKAGE.parent)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, target)
            for folder in target.relative_to(place / "runtime").parents[:-1]:
                (place / "runtime" / folder / "__init__.py").touch()
        library = Path(importlib.util.find_spec("lmmetrics").origin).parent
        command, settings = launch.command(kind, place, library, theirs.fileno(), self.files)
        limits = self.limits
        settings |= {"imports": self.imports, "memory_mb": limits.memory_mb}
        settings |= {"file_mb": limits.file_mb, "cpu_seconds": int(2 * limits.cell_seconds) + 60}
        self.uid = settings["uid"]
        settings["processes"] = limits.processes + launch.running(settings["uid"])
        with theirs:
            warm = fork_client.WORKS and kind == "namespaces" and self._fork_off(settings, place, theirs)
            if not warm:
                self._start_from_nothing(command, settings, theirs)
        self.root = self.last = Worker(ours, 0, limits, self.patience)

    def _fork_off(self, settings: dict, place: Path, connection: socket.socket) -> bool:
        """Have the process forked by the nursery; False where that does not work."""
        for _ in range(2):
            with contextlib.suppress(OSError):
                self.process = fork_client.fork(settings, place, connection)
                return True
            fork_client.use(None)
        return False

    def _start_from_nothing(self, command: list[str], settings: dict, connection: socket.socket) -> None:
        self.process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            pass_fds=[connection.fileno()],
            env={"PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", **settings["environment"]},
            cwd="/",
            start_new_session=True,
        )
        with contextlib.suppress(OSError), self.process.stdin as stream:
            stream.write(json.dumps(settings).encode() + b"\n")

    def _greet(self) -> None:
        try:
            until = time.monotonic() + STARTING_SECONDS
            size = struct.unpack(">I", self.root.read(4, until))[0]
            self.root.read(min(size, 1000), until)
        except OSError:
            self.process.kill()
            said = self.process.stdout.read(500).decode("utf-8", "replace").strip()
            raise OSError(said or f"can every user read {sys.base_prefix}?") from None

    def _stop(self) -> None:
        if self.process is None:
            return
        with contextlib.suppress(Lost):
            self.root.ask({"do": "purge", "keep": []}, 2)
        self.root.close()
        self.last.close()
        with contextlib.suppress(OSError):
            if self.process.poll() is None:
                os.killpg(self.process.pid, signal.SIGKILL)
            self.process.kill()
        self.process.wait()
        self.process.stdout.close()
        self.process = None
        launch.end_all_of(self.uid)


if sys.platform == "win32":  # no forks, no limits
    raise ImportError("The grader needs Linux or macOS. On Windows, use it in WSL or on Colab.")
