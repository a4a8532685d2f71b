"""The command line: ``python -m lmmetrics COMMAND ...``; each command's ``--help`` has examples."""

from lmmetrics._commands import main

if __name__ == "__main__":
    raise SystemExit(main())
