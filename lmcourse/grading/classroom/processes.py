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
import re
import shutil
import socket
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from multiprocessing.connection import wait
from multiprocessing.process import BaseProcess
from pathlib import Path

from lmcourse.exams import EXAMS
from lmcourse.files import closure
from lmcourse.files.places import ROOT
from lmcourse.grading.classroom.collecting import Submission
from lmcourse.grading.inside import isolate
from lmcourse.grading.notebook.key import Key
from lmcourse.grading.notebook.reading import MOST_BYTES
from lmcourse.grading.notebook.result import Result, TaskResult
from lmcourse.grading.one_notebook import grade_notebook, own_questions
from lmcourse.grading.outside import fork_client
from lmcourse.grading.outside.limits import GRACE_SECONDS, Limits

IN_A_KEY = re.compile(r"[\"'](\d\d|\w+@\d+)\.")
"""Finds the chapter in a question's key, as in ``check("02.three-words", ...)``."""


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

    Each is graded in a process of its own, which is killed if it takes too long. The result is stored below
    ``out/graded/`` at once. It is used again if the submission could be graded, and if the submission, the
    set with its questions, this grader, the limits and the seed have not changed.

    Parameters
    ----------
    submissions : sequence of Submission
    out : Path
    set_name : str
    seed : int or callable
        Draws the hidden inputs: one seed for the whole class, or a function from the digest of a submitted
        file to its seed.
    jobs : int
        How many are graded at a time.
    solutions : Path or callable
        The folder of the solved sets, or a function from a submission to its folder: in an exam, each
        student has a key.
    limits : Limits, optional
    finished : callable
        Called with each submission that is done, and with whether an earlier result was used.

    Returns
    -------
    dict of str to Result
        By student, without those who handed in nothing.
    """
    limits = limits or Limits()
    set_digest = functools.cache(lambda folder: digest_of_set(set_name, folder, limits))
    results: dict[str, Result] = {}
    waiting: list[_Job] = []
    for submission in submissions:
        if submission.empty:
            continue
        digest = _digest(submission.path)
        its_seed = seed(digest) if callable(seed) else seed
        if submission.problem or submission.path is None:
            result = Result(set_name, its_seed, problem=submission.problem)
        else:
            folder = Path(solutions(submission) if callable(solutions) else solutions)
            place = out / "graded" / f"{submission.slug}.json"
            job = _Job(
                submission, submission.path, place, set_name, its_seed, folder, limits, set_digest(folder)
            )
            result = job.stored()
            if result is None or result.problem or result.digest != digest:
                waiting.append(job)
                continue
        results[submission.student] = result
        finished(submission, True)
    (out / "graded").mkdir(parents=True, exist_ok=True)
    for job in _run_in_processes(waiting, jobs):
        lost = "The process that graded this was lost or took too long. Grade it alone to see more."
        results[job.submission.student] = job.stored() or Result(set_name, job.seed, problem=lost)
        finished(job.submission, False)
    return {s.student: results[s.student] for s in submissions if s.student in results}


@dataclass(frozen=True)
class _Job:
    """Everything the process that grades one submission needs; ``place`` is the file for its result."""

    submission: Submission
    path: Path
    place: Path
    set_name: str
    seed: int
    solutions: Path
    limits: Limits
    set_digest: str

    def stored(self) -> Result | None:
        """The stored result, if it is one of the same set and seed."""
        try:
            data = json.loads(self.place.read_text(encoding="utf-8"))
            if data["set_digest"] != self.set_digest or data["seed"] != self.seed:
                return None
            tasks = tuple(
                TaskResult(**{**task, "mistakes": tuple(task["mistakes"])}) for task in data["tasks"]
            )
            texts = {name: data[name] for name in ("set_name", "seed", "protection", "problem", "digest")}
            return Result(**texts, tasks=tasks, remarks=tuple(data["remarks"]))
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def store(self, result: Result) -> None:
        """Write the result by renaming a finished file, so that a killed process leaves no partial result."""
        new = Path(f"{self.place}.{os.getpid()}")
        data = {"set_digest": self.set_digest, **result.as_dict()}
        new.write_text(json.dumps(data, indent=1), encoding="utf-8")
        new.replace(self.place)


def _run_in_processes(waiting: list[_Job], most: int) -> Iterator[_Job]:
    """Run at most ``most`` jobs at a time, and yield each job once its process has ended or was killed."""
    context = multiprocessing.get_context("forkserver")
    # imported once for all, before any process is forked: PyTorch alone takes more than a second
    context.set_forkserver_preload(["lmcourse.grading.notebook.marking", "torch"])
    server = fork_client.server_socket() if fork_client.SUPPORTED else None
    # one folder for the temporary files of all, so that also those of a killed process are deleted
    scratch = tempfile.mkdtemp(prefix="grading-class-")
    os.chmod(scratch, 0o711)  # answers run as another user in the folders below it
    running: dict[int, tuple[BaseProcess, _Job, float]] = {}
    try:
        while waiting or running:
            while waiting and len(running) < most:
                job = waiting.pop(0)
                job.place.unlink(missing_ok=True)
                process = context.Process(target=_grade, args=(job, scratch, server), daemon=True)
                process.start()
                end = time.monotonic() + job.limits.total_seconds + GRACE_SECONDS
                running[process.sentinel] = (process, job, end)
            wait(list(running), timeout=1)
            for sentinel, (process, job, end) in list(running.items()):
                if _has_ended(process, end):
                    del running[sentinel]
                    yield job
    finally:
        for process, _, _ in running.values():
            process.kill()
            process.join()
        shutil.rmtree(scratch, ignore_errors=True)


def _has_ended(process: BaseProcess, end: float) -> bool:
    """Whether a process has ended; after the time ``end``, it is killed."""
    if process.is_alive():
        if time.monotonic() <= end:
            return False
        process.kill()
    process.join()
    return True


def _grade(job: _Job, scratch: str, server: socket.socket | None) -> None:
    """Grade one submission and store the result: what a process of its own does."""
    fork_client.use_server(server)
    tempfile.tempdir = scratch
    try:
        result = grade_notebook(
            job.path, job.set_name, seed=job.seed, limits=job.limits, solutions=job.solutions
        )
    except Exception as error:  # the others are still graded, and the instructor reads what happened
        problem = f"The grader failed: {type(error).__name__}: {str(error)[:300]}"
        result = Result(job.set_name, job.seed, problem=problem)
    job.store(result)


def digest_of_set(set_name: str, solutions: Path, limits: Limits | None = None, root: Path = ROOT) -> str:
    """Return a digest of what a grade depends on besides the submission: set, questions, grader, limits."""
    key = Key(set_name, solutions)
    code = closure.digest(needed_by_set(key, root), root)
    total = hashlib.sha256(repr((set_name, limits, code)).encode())
    for name in (f"{set_name}.ipynb", *sorted(key.files)):
        total.update(hashlib.sha256((solutions / set_name / name).read_bytes()).digest())
    if own := own_questions(solutions, key):
        total.update(hashlib.sha256(own.read_bytes()).digest())
    return total.hexdigest()


def needed_by_set(key: Key, root: Path = ROOT) -> set[Path]:
    """Return the modules and data files with which a set is graded: of the questions, only its own.

    A chapter's questions, or an exam, are imported under a name that is computed from a question's key. So
    the keys in the set's cells say which of them it needs.
    """
    code = [cell.source for cell in key.cells if cell.kind in ("setup", "answer", "test")]
    chapters = {key.chapter, *(chapter for source in code for chapter in IN_A_KEY.findall(source))}
    needed = {f"ch{chapter}" for chapter in chapters} | {chapter.partition("@")[0] for chapter in chapters}
    exams = (root / "lmcourse/exams" / name for name in EXAMS)
    others = {*(root / "lmcourse/questions").glob("ch*"), *exams}
    others = [package for package in others if package.name not in needed]
    programs = [f"import {__name__}, {isolate.__name__}"]  # of the grader and of a worker
    return closure.needed_by([*programs, *code], root, others)


def _digest(path: Path | None) -> str:
    """Return the digest of a file; an empty text if it is missing, unreadable or too large to be graded."""
    try:
        if path and path.is_file() and path.stat().st_size <= MOST_BYTES:
            return hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError:
        pass
    return ""
