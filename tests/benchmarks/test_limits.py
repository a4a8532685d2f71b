"""The measurement of a memory limit runs at a small size, and the page has the table of the stored run."""

import json

from lmcourse.benchmarks import limits, peers


def test_every_job_runs_or_is_absent(monkeypatch):
    monkeypatch.setattr(limits, "IN_MEMORY", 30_000)
    found = peers.measure([20_000, 40_000], rounds=1, jobs=limits.jobs)
    ours = [(row["what"].split(":")[0], row["size"]) for row in found["rows"] if "KenLM" not in row["what"]]
    limited = "lmmetrics fit --memory 2GB"
    assert ours == [("lmmetrics fit", 20_000), (limited, 20_000), (limited, 40_000)]
    assert all(row["seconds"] > 0 for row in found["rows"] if "KenLM" not in row["what"])


def test_the_page_has_what_was_measured_and_the_limit_was_kept():
    stored = json.loads(limits.STORED.read_text(encoding="utf-8"))
    assert peers.table(stored) in peers.PAGE.read_text(encoding="utf-8")
    assert {row["size"] for row in stored["rows"]} == set(limits.SIZES)
    seconds = {(row["what"].split(":")[0], row["size"]): row["seconds"] for row in stored["rows"]}
    for row in stored["rows"]:
        if "--memory" in row["what"]:
            assert row["peak"] < limits.LIMIT
            in_memory = seconds.get(("lmmetrics fit", row["size"]))
            assert in_memory is None or row["seconds"] < 2 * in_memory
