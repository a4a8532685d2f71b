"""The command line: ``python -m lmmetrics COMMAND ...``; each command's ``--help`` has examples."""

from lmmetrics import _interrupt


def run() -> int:
    """Run the command line. It is imported here, because that takes a second, in which Ctrl-C may come."""
    _interrupt.end_at_once()
    from lmmetrics._commands import main

    return main()


if __name__ == "__main__":
    raise SystemExit(run())
