"""Every command of the course can be called as a function, and says what it does."""

import importlib

import pytest

from lmcourse.files.places import ROOT

COMMANDS = sorted(path.stem for path in (ROOT / "lmcourse").glob("*.py") if "__main__" in path.read_text())


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_is_a_function_that_helps(name, capsys):
    with pytest.raises(SystemExit) as ended:
        importlib.import_module(f"lmcourse.{name}").main(["--help"])
    assert not ended.value.code and "usage" in capsys.readouterr().out
