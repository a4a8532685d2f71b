"""Two processes of torch.distributed, with gloo, on shards that do not divide by two."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from lmmetrics import score_text, tokenize
from lmmetrics.scale import read_scores, score_shards
from lmmetrics.scale._scores import ShardScores
from tests.lmmetrics.scale.models import counted, of_tokens, paragraphs

ROOT = Path(__file__).parents[3]
RANKS = 2


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("ranks")


@pytest.fixture(scope="module")
def found(folder):
    """What the processes say; each is ended, whatever happens."""
    environment = os.environ | {"GLOO_SOCKET_IFNAME": "lo", "OMP_NUM_THREADS": "1", "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-m", "tests.lmmetrics.scale.rank"]
    processes = [
        subprocess.Popen(
            [*command, str(rank), str(RANKS), str(folder)],
            cwd=ROOT, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )
        for rank in range(RANKS)
    ]  # fmt: skip
    try:
        said = [process.communicate(timeout=100) for process in processes]
    finally:
        for process in processes:
            process.kill()
            process.wait()
    assert not any(process.returncode for process in processes), [errors for _, errors in said]
    return [json.loads(out.splitlines()[-1]) for out, _ in said]


def test_every_process_has_the_exact_total(found):
    model, documents = counted(), paragraphs()
    whole = score_text(model, tokenize(list(documents.values()), vocabulary=model.vocabulary))
    expected = [of_tokens(model, documents).hex(), whole.tokens, whole.bytes, whole.unknown]
    for said in found:
        assert said["all"] == said["again"] == said["fewer shards than ranks"] == expected


def test_the_files_are_those_of_a_cluster(found, folder):
    """So a run can begin in one engine and end in the other."""
    scores = read_scores(folder / "scores")
    assert isinstance(scores, ShardScores) and scores.total.nats.hex() == found[0]["all"][0]
    documents = paragraphs()
    texts = {"a": documents}
    for file in (folder / "one").glob("*.parquet"):
        file.unlink()
    again = score_shards(counted(), texts, folder / "one", workers=1, progress=False)
    assert again.total == scores.total and again.digest == scores.digest


@pytest.mark.parametrize(
    ("what", "rank_0", "rank_1"),
    [
        (
            "two models",
            "ScaleError: Rank 1 has other model than rank 0",
            "ScaleError: Rank 1 has other model",
        ),
        (
            "a document in two shards",
            "ScaleError: The document 'x' is in the",
            "ScaleError: The document 'x'",
        ),
        (
            "an error in one rank",
            "ScaleError: Rank 1 has failed, so the run ends. TypeError: The model is int",
            "TypeError: The model is int",
        ),
    ],
)
def test_an_error_of_one_process_ends_all(found, what, rank_0, rank_1):
    assert found[0][what].startswith(rank_0) and found[1][what].startswith(rank_1)
