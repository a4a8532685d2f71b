"""The measurement of shards runs at a small size, and the page has the table of the stored run."""

import json

from lmcourse.benchmarks import workers


def test_each_number_of_workers_has_a_row_and_the_same_result(tmp_path):
    found = workers.measure(40_000, shards=2, workers=(1, 2), trained_on=20_000)
    assert [(row["what"], row["workers"]) for row in found["rows"]] == [
        ("score", 1), ("score", 2), ("count", 1), ("count", 2),
    ]  # fmt: skip
    assert all(row["seconds"] > 0 and row["peak"] > 50_000_000 for row in found["rows"])
    assert json.loads(found["rows"][0]["result"])[0]["tokens"] == 40_000
    page = tmp_path / "scale.md"
    page.write_text(f"a\n{workers.BEGIN}was here\n{workers.END}b\n")
    workers.write_between(page, workers.BEGIN, workers.END, workers.table(found))
    said = page.read_text()
    assert said.startswith("a\n") and said.endswith("b\n") and "was here" not in said


def test_the_page_has_what_was_measured():
    stored = json.loads(workers.STORED.read_text(encoding="utf-8"))
    assert workers.table(stored) in workers.PAGE.read_text(encoding="utf-8")
    assert stored["tokens"] == 33_000_000 and {row["workers"] for row in stored["rows"]} == {1, 2, 4}
