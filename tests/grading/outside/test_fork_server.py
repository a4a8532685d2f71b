"""The fork server: a refusal keeps its reason, a dead server is replaced, and it can be done without."""

import os
import signal
import socket

import pytest

from lmcourse.grading.errors import GradingError
from lmcourse.grading.outside import fork_client, spare_user
from lmcourse.grading.outside.limits import Limits
from lmcourse.grading.outside.sandbox import Sandbox
from lmcourse.grading.outside.spare_user import SpareUser

LIMITS = Limits(call_seconds=5, cell_seconds=8)
pytestmark = pytest.mark.skipif(not fork_client.SUPPORTED, reason="a fork server needs Linux")


@pytest.fixture
def own(monkeypatch):
    """A fork server of this test, known by its process id."""
    monkeypatch.setattr(fork_client, "_server", None)
    started = []
    start = fork_client.subprocess.Popen

    def noted(*arguments, **options):
        started.append(start(*arguments, **options))
        return started[-1]

    monkeypatch.setattr(fork_client.subprocess, "Popen", noted)
    yield started
    if fork_client._server is not None:
        fork_client._server.close()


def answers(sandbox):
    sandbox.open({})
    return sandbox.run("a", "x = 1")


def test_one_fork_server_serves_all_and_one_that_dies_is_replaced(own):
    for _ in range(2):
        with Sandbox(LIMITS, ["numpy"]) as sandbox:
            assert answers(sandbox) == {"done": True}
            assert isinstance(sandbox.process, fork_client.ForkedProcess)
    assert len(own) == 1
    os.kill(own[0].pid, signal.SIGKILL)
    own[0].returncode = None
    own[0].wait()
    with Sandbox(LIMITS, ["numpy"]) as sandbox:
        assert answers(sandbox) == {"done": True}
    assert len(own) == 2


def test_without_a_fork_server_each_starts_from_nothing(monkeypatch):
    monkeypatch.setattr(fork_client, "SUPPORTED", False)
    with Sandbox(LIMITS, ["numpy"]) as sandbox:
        assert answers(sandbox) == {"done": True}
        assert not isinstance(sandbox.process, fork_client.ForkedProcess)


def test_a_refusal_keeps_its_sentence(own, tmp_path):
    """A scratch folder that is not there: the process says why it cannot start, and has ended when asked."""
    ours, theirs = socket.socketpair()
    settings = {
        "protection": "limits",
        "uid": os.getuid(),
        "preload": [],
        "scratch": str(tmp_path / "absent"),
    }
    with ours, theirs:
        process = fork_client.fork_worker(settings, tmp_path, theirs)
        assert process.pid > 0 and not (tmp_path / "settings.json").exists()
        assert b"absent" in process.stdout.read(500)
        process.kill()
        process.wait()


def test_a_kind_that_has_worked_is_tried_again_and_no_weaker_one(monkeypatch):
    with Sandbox(LIMITS, ["numpy"]) as sandbox:
        answers(sandbox)
        kind, failures = sandbox.kind, [OSError("a passing failure")]
        launch = sandbox._launch_as

        def fail_once(which):
            assert which == kind
            if failures:
                raise failures.pop()
            launch(which)

        monkeypatch.setattr(sandbox, "_launch_as", fail_once)
        sandbox._restart()
        assert sandbox.run("b", "y = x + 1") == {"done": True}
        failures += [OSError("one"), OSError("two")]
        with pytest.raises(GradingError, match=rf"could not start .*{kind}: two; {kind}: one"):
            sandbox._restart()


def test_a_kind_that_does_not_start_is_followed_by_each_weaker_one_once(monkeypatch):
    tried = []

    def refused(self, kind):
        tried.append(kind)
        raise OSError(f"no {kind} here")

    monkeypatch.setattr(Sandbox, "_launch_as", refused)
    with (
        pytest.raises(GradingError, match="bubblewrap: no bubblewrap here; limits: no limits here"),
        Sandbox(LIMITS),
    ):
        pass
    assert tried == ["namespaces", "bubblewrap", "limits"]


def test_where_the_system_gives_no_handle_of_a_process_it_is_ended_by_its_id(monkeypatch):
    def refused(pid):
        raise PermissionError

    monkeypatch.setattr(fork_client.os, "pidfd_open", refused)
    with Sandbox(LIMITS, ["numpy"]) as sandbox:
        assert answers(sandbox) == {"done": True}
        process = sandbox.process
        assert isinstance(process, fork_client.ForkedProcess) and process.poll() is None
        process.kill()
        process.wait()
        assert process._has_ended(0)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root needs another user for the answers")
def test_a_user_id_that_is_taken_or_has_processes_is_not_given(monkeypatch):
    taken = SpareUser()
    busy, free = taken.uid + 1, taken.uid + 2
    wanted = [taken.uid, busy, free]
    monkeypatch.setattr(spare_user.secrets, "choice", lambda ids: wanted.pop(0))
    monkeypatch.setattr(spare_user.procfs, "process_ids", lambda uid: iter([1] if uid == busy else []))
    monkeypatch.setattr(spare_user.os, "kill", lambda pid, signal: None)
    given = SpareUser()
    assert given.uid == free and not wanted
    taken.close()
    wanted.append(busy - 1)
    again = SpareUser()
    assert again.uid == busy - 1, "an id that was given back is free"
    for user in (given, again):
        user.close()
