"""`python -m lmcourse.reproduce`: what it runs, and what it says of names that it does not know."""

import pytest

from lmcourse import reproduce
from lmcourse.measuring.reproduced import keep, resumed


@pytest.fixture
def ran(monkeypatch):
    """The names of the experiments that were run, each with its arguments; none is really run."""
    found = []
    for name, module in reproduce.EXPERIMENTS.items():
        real = module.recompute

        def recompute(*args, _name=name, **named):
            found.append((_name, *args, named))

        recompute.__wrapped__ = real  # the command asks for its parameters
        monkeypatch.setattr(module, "recompute", recompute)
    return found


def test_all_experiments_run_or_those_that_are_named(ran):
    assert reproduce.main([]) == 0
    assert [name for name, *_ in ran] == list(reproduce.EXPERIMENTS)
    ran.clear()
    assert reproduce.main(["reaching", "racing"]) == 0
    assert ran == [("reaching", {}), ("racing", {"kept": None})]
    ran.clear()
    assert reproduce.main(["--counted"]) == 0
    assert ran == [("published", None, {"networks": False})]


@pytest.mark.parametrize("name", ["networks", "racing", "topics", "agreeing", "agreeing_twice"])
def test_an_experiment_goes_on_with_the_rows_that_a_file_has(name, ran, tmp_path):
    assert reproduce.main([name, "--kept", str(tmp_path / "rows")]) == 0
    assert ran == [(name, {"kept": tmp_path / "rows"})]


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["topic"], "no experiment is called 'topic'; did you mean 'topics'?"),
        (["xyz"], "no experiment is called 'xyz'; --help lists the experiments."),
        (
            ["reaching", "--kept", "rows"],
            "--kept goes with one experiment of these: networks, longer, racing, topics, agreeing",
        ),
        (["networks", "agreeing", "--kept", "rows"], "--kept goes with one experiment of these"),
        (["topics", "--ptb", "folder"], "--ptb and --counted are for the experiment published."),
        (["topics", "--counted"], "--ptb and --counted are for the experiment published."),
    ],
)
def test_what_cannot_be_run_is_said(words, says, ran, capsys):
    with pytest.raises(SystemExit):
        reproduce.main(words)
    assert says in capsys.readouterr().err and not ran


def test_help_lists_every_experiment(capsys):
    with pytest.raises(SystemExit):
        reproduce.main(["--help"])
    said = capsys.readouterr().out
    assert all(f"\n  {name}: " in said for name in reproduce.EXPERIMENTS)


def test_rows_of_one_form_are_read_from_a_file_that_has_others(tmp_path):
    kept = tmp_path / "rows"
    assert resumed(kept, ("seed",)) == resumed(None, ("seed",)) == {}
    for row in ({"seed": 1, "rate": 0.1}, {"pages": "all", "rate": 0.1}):
        keep(kept, row)
    assert resumed(kept, ("seed", "rate")) == {(1, 0.1): {"seed": 1, "rate": 0.1}}
    keep(None, {})
