"""Measure language models: one score, any unit, each identity checked symbolically.

The library is an hourglass. Text becomes a `TokenizedText`; a model gives each token its natural log
probability; from there on everything is arithmetic on one small object, the `Score`. Each package exports its
public names; a module whose name begins with an underscore is private.

Examples
--------
>>> from lmmetrics import Score
>>> Score(nats=1.02165, tokens=3).bits_per("token")  # doctest: +ELLIPSIS
0.4913...
"""

import sys
from importlib import import_module
from typing import TYPE_CHECKING, Any

from lmmetrics._version import __version__ as __version__

if TYPE_CHECKING:
    from lmmetrics.score import Score, UnitError
    from lmmetrics.scoring import (
        Comparison,
        LanguageModel,
        TextScore,
        compare,
        compare_scores,
        score_documents,
        score_text,
    )
    from lmmetrics.text import TokenizedText, Vocabulary, tokenize

__all__ = [
    "Comparison",
    "LanguageModel",
    "Score",
    "TextScore",
    "TokenizedText",
    "UnitError",
    "Vocabulary",
    "compare",
    "compare_scores",
    "score_documents",
    "score_text",
    "tokenize",
]

_MODULES = "score", "scoring", "text"
"""Where the names are. They are imported when a name is asked for: a command that begins needs none of them
before it has seen to Ctrl-C."""


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return import_module(f"{__name__}.{name}")
    if name in __all__:
        modules = map(import_module, (f"{__name__}.{module}" for module in _MODULES))
        globals()[name] = found = next(vars(module)[name] for module in modules if name in vars(module))
        return found
    raise AttributeError(
        f"The module {__name__} has no attribute {name!r}. Most names are in its modules, such as "
        f"{__name__}.adapters, and are imported from there."
    )


def __dir__() -> list[str]:
    """The public names: those of the package, and its modules that are imported."""
    names = {*__all__, *_MODULES, *(name for name in globals() if f"{__name__}.{name}" in sys.modules)}
    return sorted(name for name in names if not name.startswith("_"))
