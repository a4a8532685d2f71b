"""Figures without a window: a backend of Matplotlib that needs one is the backend that draws into memory.

Runs in the worker.
"""

from __future__ import annotations

import importlib
import re
import sys
import types
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec

NEEDS_A_WINDOW = re.compile(r"matplotlib\.backends\.backend_(tk|qt|gtk|wx|macosx|nbagg|webagg)\w*")


class _Backends(MetaPathFinder, Loader):
    """Finds and loads such a backend, with the contents of Agg."""

    def find_spec(self, name: str, path: object = None, target: object = None) -> ModuleSpec | None:
        return ModuleSpec(name, self) if NEEDS_A_WINDOW.fullmatch(name) else None

    def exec_module(self, module: types.ModuleType) -> None:
        agg = importlib.import_module("matplotlib.backends.backend_agg")
        vars(module).update({name: value for name, value in vars(agg).items() if not name.startswith("__")})


def draw_without_windows() -> None:
    """Install the finder of such backends."""
    sys.meta_path.insert(0, _Backends())
