"""A real cluster on this machine: a scheduler and three worker processes, of which one is killed."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from functools import partial
from pathlib import Path

import pytest

from lmmetrics._commands import main
from lmmetrics.ngram import NGramModel
from lmmetrics.scale import ScaleError, read_scores, score_shards, write_shards
from tests.lmmetrics.scale.models import Slow, counted, of_this_process, of_tokens, paragraphs

ROOT = Path(__file__).parents[3]
WORKERS = 3


class Cluster:
    """Processes of Dask, on ports that the system chooses."""

    def __init__(self, folder):
        self.processes, self.folder = [], folder
        self.environment = os.environ | {"PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"}
        said = folder / "scheduler.json"
        ports = "--port", "0", "--dashboard-address", "127.0.0.1:0"
        self.start("scheduler", *ports, "--scheduler-file", said, "--idle-timeout", "120s")
        self.wait(lambda: said.exists() and said.stat().st_size)
        self.address = json.loads(said.read_text())["address"]
        alone = ["--no-nanny", "--nthreads", "1", "--memory-limit", "0", "--death-timeout", "60"]
        self.workers = [
            self.start("worker", self.address, "--name", i, "--local-directory", folder, *alone)
            for i in range(WORKERS)
        ]

    def start(self, kind, *arguments):
        command = [sys.executable, "-m", f"distributed.cli.dask_{kind}", *map(str, arguments)]
        command += ["--host", "127.0.0.1", "--no-dashboard"]
        with open(self.folder / f"{len(self.processes)}.log", "w") as log:
            process = subprocess.Popen(command, cwd=ROOT, env=self.environment, stdout=log, stderr=log)
        self.processes.append(process)
        return process

    def wait(self, ready, seconds=60):
        end = time.monotonic() + seconds
        while not ready():
            logs = "\n".join(path.read_text() for path in sorted(self.folder.glob("*.log")))
            assert time.monotonic() < end, logs
            time.sleep(0.05)

    def close(self):
        for process in reversed(self.processes):
            process.kill()
            process.wait()


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    made = Cluster.__new__(Cluster)
    made.processes = []
    try:
        made.__init__(tmp_path_factory.mktemp("cluster"))
        yield made
    finally:
        made.close()


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    path = tmp_path_factory.mktemp("model") / "bigrams"
    counted().save(path)
    return path


@pytest.fixture(scope="module")
def documents():
    return paragraphs()


def test_a_command_scores_shards_on_the_cluster(cluster, model, documents, tmp_path, capsys):
    """The first test: it also waits until all workers are there."""
    from distributed import Client

    with Client(cluster.address) as client:
        client.wait_for_workers(WORKERS, timeout=60)
    write_shards(documents, tmp_path / "shards", 5)
    arguments = ["score", str(model), "--shards", str(tmp_path / "shards"), "--out", str(tmp_path / "scores")]
    arguments += ["--by", "word", "--format", "json"]
    for more, count in ((["--scheduler", cluster.address], 1), (["--documents"], len(documents) + 1)):
        assert main([*arguments, *more]) == 0
        rows = json.loads(capsys.readouterr().out)
        assert len(rows) == count and rows[-1]["document"] == "all"
        assert rows[-1]["nats"] == of_tokens(NGramModel.load(model), documents)


def test_a_model_is_sent_to_the_workers(cluster, model, documents, tmp_path):
    loaded = NGramModel.load(model)
    found = score_shards(
        loaded, {"a": documents}, tmp_path / "scores", scheduler=cluster.address, progress=False
    )
    assert found.total.nats == of_tokens(loaded, documents)


def test_a_worker_that_has_another_model_is_refused(cluster, model, documents, tmp_path):
    """Each process of the cluster gives itself a name of its own."""
    shards = {f"{i}": {id: text} for i, (id, text) in enumerate(documents.items())}
    load = partial(of_this_process, NGramModel.load(model).vocabulary)
    with pytest.raises(ScaleError, match=r"has another model \(digest of process"):
        score_shards(load, shards, tmp_path / "a", scheduler=cluster.address, progress=False)


def test_a_killed_worker_loses_nothing_and_counts_nothing_twice(cluster, model, documents, tmp_path):
    """The worker is killed while it scores a shard, of which it has begun a document and written nothing."""
    notes, out = tmp_path / "notes", tmp_path / "scores"
    notes.mkdir()
    files = write_shards(documents, tmp_path / "shards", 12)
    found = {}

    def run():
        load = partial(Slow, model, notes, 0.03)
        try:
            found["scores"] = score_shards(load, files, out, scheduler=cluster.address, progress=False)
        except BaseException as error:
            found["error"] = error

    thread = threading.Thread(target=run)
    thread.start()
    victim = cluster.workers[0]
    cluster.wait(lambda: found or (begun(notes, victim) and len([*out.glob("*.parquet")]) >= 2))
    several = begun(notes, victim)
    cluster.wait(lambda: found or begun(notes, victim) > several)
    victim.send_signal(signal.SIGKILL)
    there = len([*out.glob("*.parquet")])
    thread.join(timeout=60)
    assert not thread.is_alive() and "error" not in found, found
    assert 2 <= there < 12, "the worker was not killed in the middle"
    scores = found["scores"]
    assert scores.total.nats == of_tokens(NGramModel.load(model), documents)
    assert list(scores) == sorted(documents) == list(read_scores(out))
    work = sum(begun(notes, worker) for worker in cluster.workers)
    assert work > len(documents), "no document was begun twice, so no shard was interrupted"
    assert len([*out.glob("*.parquet")]) == 12 and not [*out.glob("*.part")]


def begun(notes, process):
    return len([*notes.glob(f"{process.pid}-*")])


def test_processes_of_this_machine_need_no_cluster(model, documents, tmp_path):
    found = score_shards(
        partial(NGramModel.load, model),
        {"a": documents},
        tmp_path / "scores",
        scheduler="processes",
        workers=1,
        progress=False,
    )
    assert found.total.nats == of_tokens(NGramModel.load(model), documents)


def test_the_cluster_still_works_with_two(cluster, model, documents, tmp_path):
    load = partial(NGramModel.load, model)
    files = write_shards(documents, tmp_path / "shards", 4)
    found = score_shards(load, files, tmp_path / "scores", scheduler=cluster.address, progress=False)
    assert found.total.nats == of_tokens(NGramModel.load(model), documents)
