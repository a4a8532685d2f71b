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
    asked = sys._getframe(1).f_code.co_name  # `from lmmetrics import ...` swallows an AttributeError
    where = "" if name.startswith("_") else _import_of(name)
    error = ImportError if where.startswith("from") and asked == "_handle_fromlist" else AttributeError
    hint = f" Write: {where}" if where else ""
    raise error(f"The module {__name__} has no attribute {name!r}.{hint}")


def _import_of(name: str) -> str:
    """The line that imports a name of another module, or a module; none is imported: some need PyTorch."""
    from pathlib import Path

    folder = Path(__file__).parent
    files = {file.stem: file for file in folder.glob("[a-z]*.py")}
    files |= {file.parent.name: file for file in folder.glob("[a-z]*/__init__.py")}
    if name in files:
        return f"import {__name__}.{name}"
    exported = {
        module: file.read_text(encoding="utf-8").partition("\n__all__ = [")[2].partition("]")[0]
        for module, file in sorted(files.items())
    }
    found = [module for module, names in exported.items() if f'"{name}"' in names]
    return ", or ".join(f"from {__name__}.{module} import {name}" for module in found)


def __dir__() -> list[str]:
    """The public names: those of the package, and its modules that are imported."""
    names = {*__all__, *_MODULES, *(name for name in globals() if f"{__name__}.{name}" in sys.modules)}
    return sorted(name for name in names if not name.startswith("_"))
