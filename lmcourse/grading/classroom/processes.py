"""Grade the submissions of a class, each in a process of its own, and keep what is finished.

found = collect(Path("submissions"), "02_cross_entropy")
results = grade_all(found, Path("results"), "02_cross_entropy", seed=7, jobs=2)
"""

from __future__ import annotations

import functools
import hashlib
import json
import multiprocessing
import os
import shutil
import socket
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from multiprocessing.connection import wait
from pathlib import Path

from lmcourse.files.closure import closure
from lmcourse.grading.classroom.collecting import Submission
from lmcourse.grading.notebook.key import Key
from lmcourse.grading.notebook.reading import MOST_BYTES
from lmcourse.grading.notebook.result import Result, TaskResult
from lmcourse.grading.one_notebook import grade_notebook
from lmcourse.grading.outside import fork_client
from lmcourse.grading.outside.worker import GRACE_SECONDS, Limits


def grade_all(
    submissions: Sequence[Submission],
    out: Path,
    set_name: str,
    *,
    seed: int | Callable[[str], int],
    jobs: int = 1,
    solutions: Path | Callable[[Submission], Path] = Path("solutions"),
    limits: Limits | None = None,
    finished: Callable[[Submission, bool], None] = lambda submission, reused: None,
) -> dict[str, Result]:
    """Grade every submission; none can stop another.

    Each is graded in a process of its own, which is ended when it takes too long. Its result is stored below
    ``out/graded/`` at once. It is used again when the submission, the set with its questions, this grader,
    the limits and the seed are what they were, and when it could be graded.

    Parameters
    ----------
    submissions : sequence of Submission
    out : Path
    set_name : str
    seed : int or callable
        Draws the hidden inputs: the same ones for the whole class, or what gives the seed for the digest of
        a submitted file.
    jobs : int
        How many are graded at a time.
    solutions : Path or callable
        The folder of the solved sets, or what gives the folder for a submission: in an exam, each student
        has a key.
    limits : Limits, optional
    finished : callable
        Is told each submission that is done, and whether an earlier result was used.

    Returns
    -------
    dict of str to Result
        By student, without those who handed in nothing.
    """
    limits = limits or Limits()
    folder = solutions if callable(solutions) else lambda submission: Path(solutions)
    mark = functools.cache(lambda place: digest_of_set(set_name, place, limits))
    seed_for = seed if callable(seed) else lambda digest: seed
    digests = {s.student: _digest(s.path) for s in submissions if s.path}
    seeds = {s.student: seed_for(digests.get(s.student, "")) for s in submissions}
    results: dict[str, Result] = {}
    waiting = []
    for submission in submissions:
        if submission.empty:
            continue
        if submission.problem:
            results[submission.student] = Result(
                set_name, seeds[submission.student], problem=submission.problem
            )
        else:
            digest, seed_now = digests[submission.student], seeds[submission.student]
            old = _stored(_place(out, submission), digest, mark(folder(submission)), seed_now)
            if old is None:
                waiting.append(submission)
                continue
            results[submission.student] = old
        finished(submission, True)
    (out / "graded").mkdir(parents=True, exist_ok=True)

    def job(submission: Submission) -> tuple:
        place = folder(submission)
        return set_name, seeds[submission.student], str(place), limits, mark(place)

    for submission in _in_processes(waiting, out, job, jobs, limits.total_seconds + GRACE_SECONDS):
        seed_now = seeds[submission.student]
        result = _stored(_place(out, submission), None, mark(folder(submission)), seed_now)
        lost = "The process that graded this was lost or took too long. Grade it alone to see more."
        results[submission.student] = result or Result(set_name, seed_now, problem=lost)
        finished(submission, False)
    return {s.student: results[s.student] for s in submissions if s.student in results}


def _in_processes(
    submissions: Sequence[Submission], out: Path, job: Callable, jobs: int, seconds: float
) -> Iterator[Submission]:
    """Grade at most ``jobs`` at a time, and yield each when its process has ended or was ended."""
    waiting, running = list(submissions), {}
    context = multiprocessing.get_context("forkserver")
    # Imported once for all, before any process is forked: PyTorch alone takes more than a second.
    context.set_forkserver_preload(["lmcourse.grading.notebook.marking", "torch"])
    fork_server = fork_client.server_socket() if fork_client.SUPPORTED else None
    # also for what a process that is killed leaves behind
    scratch = tempfile.mkdtemp(prefix="grading-class-")
    os.chmod(scratch, 0o711)  # answers run as another user in the folders below it
    try:
        while waiting or running:
            while waiting and len(running) < jobs:
                submission = waiting.pop(0)
                place = _place(out, submission)
                place.unlink(missing_ok=True)
                process = context.Process(
                    target=_grade_one,
                    args=(scratch, fork_server, str(submission.path), str(place), *job(submission)),
                    daemon=True,
                )
                process.start()
                running[process.sentinel] = (process, submission, time.monotonic() + seconds)
            wait(list(running), timeout=1)
            for sentinel, (process, submission, end) in list(running.items()):
                if process.is_alive() and time.monotonic() > end:
                    process.kill()
                    process.join()
                if not process.is_alive():
                    process.join()
                    del running[sentinel]
                    yield submission
    finally:
        for process, _, _ in running.values():
            process.kill()
            process.join()
        shutil.rmtree(scratch, ignore_errors=True)


def digest_of_set(set_name: str, solutions: Path, limits: Limits | None = None) -> str:
    """Return what changes when a grade could: with the set, the questions, the grader, the limits."""
    key = Key(set_name, solutions)
    total = hashlib.sha256(repr((set_name, limits)).encode())
    names = [solutions / set_name / name for name in (f"{set_name}.ipynb", *sorted(key.files))]
    code = [cell.source for cell in key.cells if cell.kind in ("setup", "answer")]
    names += sorted(closure([f"import {__name__}", *code]))
    for path in names:
        total.update(hashlib.sha256(path.read_bytes()).digest())
    return total.hexdigest()


def _grade_one(
    scratch: str,
    fork_server: socket.socket | None,
    path: str,
    place: str,
    set_name: str,
    seed: int,
    solutions: str,
    limits: Limits,
    mark: str,
) -> None:
    """Grade one submission and store the result: what a process of its own does."""
    fork_client.use_server(fork_server)
    tempfile.tempdir = scratch
    try:
        result = grade_notebook(path, set_name, seed=seed, limits=limits, solutions=solutions)
    except Exception as error:  # whatever it is, the others are graded and the instructor is told
        result = Result(
            set_name, seed, problem=f"The grader failed: {type(error).__name__}: {str(error)[:300]}"
        )
    new = Path(f"{place}.{os.getpid()}")
    new.write_text(json.dumps({"set_digest": mark, **result.as_dict()}, indent=1), encoding="utf-8")
    new.replace(place)


def _stored(place: Path, digest: str | None, mark: str, seed: int) -> Result | None:
    """The stored result, if it is of the same set and seed and, unless ``digest`` is None, submission."""
    try:
        data = json.loads(place.read_text(encoding="utf-8"))
        if data["set_digest"] != mark or data["seed"] != seed:
            return None
        if digest is not None and (data["digest"] != digest or data["problem"]):
            return None
        tasks = tuple(TaskResult(**{**task, "mistakes": tuple(task["mistakes"])}) for task in data["tasks"])
        texts = {name: data[name] for name in ("set_name", "seed", "protection", "problem", "digest")}
        return Result(**texts, tasks=tasks, remarks=tuple(data["remarks"]))
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _place(out: Path, submission: Submission) -> Path:
    return out / "graded" / f"{submission.slug}.json"


def _digest(path: Path) -> str:
    try:
        return (
            hashlib.sha256(path.read_bytes()).hexdigest()
            if path.is_file() and path.stat().st_size <= MOST_BYTES
            else ""
        )
    except OSError:
        return ""
