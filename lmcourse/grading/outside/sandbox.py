"""Run one student's answers in worker processes, and lose no more than one answer when a process dies.

    with Sandbox(Limits(), imports=["numpy"]) as sandbox:
        sandbox.run("task", "def double(x):\\n    return 2 * x")
        with sandbox.probe() as probe:
            probe.ask({"do": "fetch", "name": "double"})

    grader            this module, the questions, the solutions, the marks. Runs no answer
      fork server     imports the libraries once, then forks (Linux, "namespaces"). Runs no answer
        first worker  ``self.root``: isolates itself (`isolate`), then forks. Runs no answer
          cell 1      ran cell 1; ``self.last`` if it came to an end
            cell 2    a fork of the process above that ran cell 2, and replaces it
              test    a fork for one test (`probe`), ended after the test

If the fork of a test dies, that test is lost; if the fork of a cell dies, that cell is lost, and the next one
is a fork of the last good one. If the first worker dies, `_restart` runs the good cells again.

The kinds of protection are tried in turn, the best first; `Sandbox.protection` describes the one in use.
"""

from __future__ import annotations

import contextlib
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

from lmcourse.grading.errors import GradingError
from lmcourse.grading.inside.settings import Settings
from lmcourse.grading.outside import fork_client, launch, policy
from lmcourse.grading.outside.limits import Limits, Lost, Patience, out_of_memory
from lmcourse.grading.outside.memory import memory_of
from lmcourse.grading.outside.spare_user import SpareUser
from lmcourse.grading.outside.worker import Worker, in_detail

STARTING_SECONDS = 120


class Sandbox:
    """The worker processes of one student, as a context: entering it starts the first one.

    Parameters
    ----------
    limits : Limits
    imports : sequence of str
        Modules that are imported before the first answer runs.
    files : dict of str to str
        Texts for the scratch folder, by name.
    protection : {"namespaces", "bubblewrap", "limits"}, optional
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
        self.kind, *self.weaker = [protection] if protection else policy.KINDS
        self.retries = 0
        self.patience = Patience(limits, self._watch_memory)
        self.good: list[tuple[str, str]] = []
        self.reason = ""
        self.refusals: list[str] = []
        # set by `__enter__`; all but the folder belong to the first worker, which may be replaced
        self.folder: Path
        self.process: subprocess.Popen | fork_client.ForkedProcess | None = None
        self.user: SpareUser | None = None
        self.root: Worker
        self.last: Worker

    @property
    def protection(self) -> str:
        return policy.PROTECTION[self.kind].format(reason=self.reason or "as you asked")

    def open(self, inputs: dict) -> None:
        """Wait for the first worker, and give it the visible inputs.

        Parameters
        ----------
        inputs : dict
            Encoded, by question key: what ``inputs`` of ``lmcourse.feedback`` returns in the worker.
        """
        self.inputs = inputs
        while True:
            try:
                self._await_hello()
                break
            except OSError as error:
                self._end_try(error)
                self._launch()
        # this kind works: it may be tried once more later, and no weaker one, which answers could bring about
        self.weaker, self.retries, self.refusals = [], 1, []
        self.root.ask({"do": "inputs", "inputs": inputs}, STARTING_SECONDS)

    def run(self, name: str, source: str, hurried: bool = False) -> dict:
        """Run a cell; later cells and tests see the names that it sets. Return the reply, perhaps an error.

        With ``hurried``, the cell has twice the time of a call.

        Raises
        ------
        Lost
            If the cell did not come to an end; everything is then as it was before.
        """
        if time.monotonic() > self.patience.end:
            raise self.patience.timeout(self.limits.cell_seconds)
        fork = self._fork()
        try:
            usual = self.limits.cell_seconds
            seconds = min(usual, 2 * self.limits.call_seconds) if hurried else usual
            reply = fork.ask({"do": "run", "name": name, "source": source}, seconds)
            self._check_reply(reply)
        except Lost as lost:
            raise in_detail(lost, self._end_fork(fork)) from None
        before, self.last = self.last, fork
        if not self._purge():
            self._restart()
            raise Lost("ended processes that are not its own.")
        if before is not self.root:
            before.close()
        self.good.append((name, source))
        return reply

    @contextlib.contextmanager
    def fresh(self) -> Iterator[Sandbox]:
        """Another sandbox, in which no cell has run and no file was written; the time limit is shared."""
        with Sandbox(self.limits, self.imports, self.files, self.kind) as other:
            other.patience.end = self.patience.end
            other.open(self.inputs)
            yield other

    @contextlib.contextmanager
    def probe(self) -> Iterator[Worker]:
        """A fork of the last worker, for one test; what the test does to it is gone afterwards."""
        fork = self._fork()
        try:
            yield fork
        except Lost as lost:
            raise in_detail(lost, self._end_fork(fork)) from None
        else:
            self._end_fork(fork)
        if not self._purge():
            self._restart()

    def __enter__(self) -> Sandbox:
        self.folder = Path(tempfile.mkdtemp(prefix="grading-"))
        try:
            self._launch()
        except BaseException:
            self.__exit__()
            raise
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

    def _watch_memory(self) -> None:
        """Stop an answer whose processes fill the memory together, even if each stays below its own limit."""
        if self.process and memory_of(self.process.pid) > self.limits.all_memory_mb * 2**20:
            raise out_of_memory(self.limits, all_processes=True)

    def _check_reply(self, reply: dict) -> None:
        """Refuse a cell that has filled the memory, which leaves no room for the next, and a forged reply."""
        error = reply.get("error")
        if isinstance(error, dict) and error.get("type") == "MemoryError":
            raise out_of_memory(self.limits)
        if not isinstance(error, dict) and reply.get("done") is not True:
            raise Lost("returned something that cannot be read.")

    def _end_fork(self, fork: Worker) -> object:
        """End a fork; return its wait status, which is untrusted, or None if it is not known."""
        fork.close()
        try:
            return self.last.ask({"do": "kill", "pid": fork.pid}, 10).get("status")
        except Lost:
            self._restart()
            return None

    def _purge(self) -> bool:
        """End what the answers left running; False if the first worker is gone."""
        try:
            self.root.ask({"do": "purge", "keep": self._needed()}, 10)
        except Lost:
            return False
        return True

    def _needed(self) -> list[int]:
        """The processes that `_purge` does not end, apart from the first worker."""
        return [self.last.pid]

    def _restart(self) -> None:
        """Start a new first worker, and run the good cells again.

        `run` may call this method again, which ends: ``self.good`` then has only cells above the one that is
        run, so that each nested call has fewer cells to run.
        """
        good, self.good = self.good, []
        self._stop()
        self._launch()
        self.open(self.inputs)
        for name, source in good:
            with contextlib.suppress(Lost):
                self.run(name, source)

    def _launch(self) -> None:
        """Start the first worker, under the best kind of protection that this system does not refuse."""
        while True:
            try:
                self._launch_as(self.kind)
                return
            except OSError as error:
                self._end_try(error)

    def _end_try(self, error: OSError) -> None:
        """Note why a start failed, and choose the kind of protection for the next try, if one is left."""
        self._stop()
        self.reason = self.reason or str(error)
        self.refusals.append(f"{self.kind}: {error}")
        if self.weaker:
            self.kind = self.weaker.pop(0)
        elif self.retries:
            self.retries -= 1
        else:
            tried = "; ".join(self.refusals)
            raise GradingError(
                f"The grader could not start a protected process ({tried}). Grade on Linux, or in a container"
                " as the instructors' guide to grading describes."
            ) from None

    def _launch_as(self, kind: str) -> None:
        """Start the first worker under one kind of protection; OSError if this system refuses it."""
        folder = Path(tempfile.mkdtemp(dir=self.folder))
        self.user = SpareUser()
        settings = launch.prepare(kind, folder, self.files, self.imports, self.limits, self.user.uid)
        ours, theirs = socket.socketpair()
        with theirs:
            from_server = fork_client.SUPPORTED and kind == "namespaces"
            if not (from_server and self._fork_from_server(settings, folder, theirs)):
                self._start_directly(settings, folder, theirs)
        self.root = self.last = Worker(ours, 0, self.limits, self.patience)

    def _fork_from_server(self, settings: Settings, folder: Path, connection: socket.socket) -> bool:
        """Have the first worker forked by the fork server; False if that does not work."""
        for _ in range(2):
            with contextlib.suppress(OSError):
                self.process = fork_client.fork_worker(settings, folder, connection)
                return True
            fork_client.use_server(None)
        return False

    def _start_directly(self, settings: Settings, folder: Path, connection: socket.socket) -> None:
        command = launch.command(settings, folder, connection.fileno())
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
        assert self.process.stdin is not None  # a pipe, see above
        with contextlib.suppress(OSError), self.process.stdin as stream:
            stream.write(json.dumps(settings).encode() + b"\n")

    def _await_hello(self) -> None:
        try:
            until = time.monotonic() + STARTING_SECONDS
            size = struct.unpack(">I", self.root.read(4, until))[0]
            self.root.read(min(size, 1000), until)
        except OSError:
            raise OSError(self._last_words() or f"can every user read {sys.base_prefix}?") from None

    def _last_words(self) -> str:
        """Kill the first worker; return the reason that it has printed."""
        if self.process is None or self.process.stdout is None:
            return ""
        self.process.kill()
        return self.process.stdout.read(500).decode("utf-8", "replace").strip()

    def _stop(self) -> None:
        """End the first worker and all that comes from it."""
        if self.process is not None:
            self._stop_process(self.process)
            self.process = None
        if self.user is not None:
            self.user.close()
            self.user = None

    def _stop_process(self, process: subprocess.Popen | fork_client.ForkedProcess) -> None:
        with contextlib.suppress(Lost):
            self.root.ask({"do": "purge", "keep": []}, 2)
        self.root.close()
        self.last.close()
        with contextlib.suppress(OSError):
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
            process.kill()
        process.wait()
        if process.stdout is not None:
            process.stdout.close()
