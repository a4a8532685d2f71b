"""The comparison with other programs runs at a small size, and the page has the table of the stored run."""

import json
import sys

import pytest

from lmcourse.benchmarks import peers


def test_every_job_runs_or_is_absent(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(peers, "MEMORY", "2GB")
    found = peers.measure([60_000], rounds=1)
    rows = {row["what"]: row for row in found["rows"]}
    assert len(rows) == 11
    for name, row in rows.items():
        if "KenLM" not in name and "NLTK" not in name:
            assert row["seconds"] > 0 and row["peak"] > 10_000_000, name
    monkeypatch.setattr(peers, "STORED", tmp_path / "peers.json")
    page = tmp_path / "SPEED.md"
    page.write_text(f"a\n{peers.BEGIN}was here\n{peers.END}b\n")
    for _ in range(2):
        peers.store(found, page)
        said = page.read_text()
        assert said.startswith("a\n") and said.endswith("b\n") and "was here" not in said
        assert (
            said.count("stable argsort") == 1 and json.loads((tmp_path / "peers.json").read_text()) == found
        )
    assert "lmmetrics fit" in capsys.readouterr().out


def test_the_page_has_what_was_measured():
    stored = json.loads(peers.STORED.read_text(encoding="utf-8"))
    assert peers.table(stored) in peers.PAGE.read_text(encoding="utf-8")
    assert len({row["size"] for row in stored["rows"]}) == 2


def test_a_job_that_fails_says_why():
    with pytest.raises(RuntimeError, match="no such thing"):
        peers.run([sys.executable, "-c", "raise SystemExit('no such thing')"])


def test_memory_is_that_of_the_job():
    ballast = bytearray(300_000_000)
    seconds, peak = peers.run([sys.executable, "-S", "-c", "b'x' * 50_000_000"])
    assert len(ballast) > peak > 50_000_000 and seconds > 0
