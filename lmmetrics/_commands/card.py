"""Print the protocol card of a measurement."""

from __future__ import annotations

import argparse

from lmmetrics._commands import output
from lmmetrics._commands.models import MODELS, check_options, notes_of, read
from lmmetrics._commands.parser import TEXTS, Commands, add_protocol, add_texts
from lmmetrics.scoring import protocol_card

EXAMPLES = "  python -m lmmetrics card model.arpa test/ --note chosen_on=valid"


def card(options: argparse.Namespace) -> None:
    """Print the protocol card of a measurement."""
    check_options(options, options.model)
    names = [name for name, _ in options.note]
    if twice := next((name for name in names if names.count(name) > 1), None):
        raise ValueError(f"--note gives {twice} twice, and a card has one line of that name. Give it once.")
    model, text, _ = read(options, options.model)
    made = protocol_card(
        model,
        text,
        eos=not options.no_eos,
        unknown=options.unknown,
        **(notes_of(options, options.model, text) | dict(options.note)),
    )
    print(output.as_json(made.to_dict()) if options.format == "json" else made)


def note_of(given: str) -> tuple[str, str]:
    """The name and the words of a note."""
    name, _, words = given.partition("=")
    if not (name and words) or name in ("eos", "model", "text", "unknown"):
        raise argparse.ArgumentTypeError(
            f"{given!r} is not NAME=WORDS, such as chosen_on=valid; no note has the name eos, model, text or "
            "unknown, which the card says by itself."
        )
    return name, words


def add(commands: Commands) -> None:
    """Add the command."""
    made = commands.add(card, EXAMPLES, MODELS + TEXTS, formats=("table", "json"))
    made.add_argument("model", metavar="MODEL")
    add_texts(made, by=None, single=True)
    add_protocol(made)
    made.add_argument(
        "--note", action="append", type=note_of, default=[], metavar="NAME=WORDS", help="a line of your own"
    )
