"""`python -m lmcourse.reproduce`: what it runs, and what it says of names that it does not know."""

import inspect
from pathlib import Path

import pytest

from lmcourse import reproduce
from lmcourse.experiments.storage import keep, resumed
from lmcourse.reproduce import EXPERIMENTS


@pytest.fixture
def ran(monkeypatch):
    """The names of the experiments that were run, each with its arguments; none is really run."""
    found = []
    for name, module in EXPERIMENTS.items():
        monkeypatch.setattr(module, "recompute", lambda _name=name, **named: found.append((_name, named)))
    return found


def test_all_experiments_run_or_those_that_are_named(ran):
    assert reproduce.main([]) == 0
    assert [name for name, *_ in ran] == list(EXPERIMENTS)
    ran.clear()
    assert reproduce.main(["ch08_races", "ch07_reach"]) == 0
    assert ran == [("ch08_races", {}), ("ch07_reach", {})]
    ran.clear()
    assert reproduce.main(["published", "--counted"]) == 0
    assert ran == [("published", {"counted": True})]
    ran.clear()
    assert reproduce.main(["--ptb", "folder"]) == 0
    assert ran == [(name, {"ptb": Path("folder")} if name == "published" else {}) for name in EXPERIMENTS]


@pytest.mark.parametrize(
    "name", [name for name, module in EXPERIMENTS.items() if "kept" in getattr(module, "OPTIONS", {})]
)
def test_an_experiment_goes_on_with_the_rows_that_a_file_has(name, ran, tmp_path):
    assert reproduce.main([name, "--kept", str(tmp_path / "rows")]) == 0
    assert ran == [(name, {"kept": tmp_path / "rows"})]


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["topics"], "no experiment is called 'topics'; did you mean 'ch10_topics'?"),
        (["xyz"], "no experiment is called 'xyz'; --help lists the experiments."),
        (
            ["ch07_reach", "--kept", "rows"],
            "--kept goes with one experiment of these: ch07_longer, ch07",
        ),
        (["ch07_networks", "ch13_agreement", "--kept", "rows"], "--kept goes with one experiment of these"),
        (["ch10_topics", "--ptb", "folder"], "--ptb goes with one experiment of these: published. Name it."),
        (["ch10_topics", "--counted"], "--counted goes with one experiment of these: published. Name it."),
    ],
)
def test_what_cannot_be_run_is_said(words, says, ran, capsys):
    with pytest.raises(SystemExit):
        reproduce.main(words)
    assert says in capsys.readouterr().err and not ran


def test_every_option_is_a_parameter_of_its_experiment():
    for module in EXPERIMENTS.values():
        assert [*getattr(module, "OPTIONS", {})] == [*inspect.signature(module.recompute).parameters]


def test_help_lists_every_experiment(capsys):
    with pytest.raises(SystemExit):
        reproduce.main(["--help"])
    said = capsys.readouterr().out
    assert all(f"\n  {name}: " in said for name in EXPERIMENTS)


def test_rows_of_one_form_are_read_from_a_file_that_has_others(tmp_path):
    kept = tmp_path / "rows"
    assert resumed(kept, ("seed",)) == resumed(None, ("seed",)) == {}
    for row in ({"seed": 1, "rate": 0.1}, {"pages": "all", "rate": 0.1}):
        keep(kept, row)
    assert resumed(kept, ("seed", "rate")) == {(1, 0.1): {"seed": 1, "rate": 0.1}}
    keep(None, {})
