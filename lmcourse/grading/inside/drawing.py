"""Figures without a window: a backend of Matplotlib that needs one is the backend that draws into memory.

Runs in the worker.
"""

from __future__ import annotations

import importlib
import importlib.util
import re
import sys
import types

NEEDS_A_WINDOW = re.compile(r"matplotlib\.backends\.backend_(tk|qt|gtk|wx|macosx|nbagg|webagg)\w*")


class _Backends:
    """Finds such a backend, which has all that Agg has."""

    @classmethod
    def find_spec(cls, name: str, path: object = None, target: object = None) -> object:
        return importlib.util.spec_from_loader(name, cls) if NEEDS_A_WINDOW.fullmatch(name) else None

    @staticmethod
    def create_module(spec: object) -> None:
        return None

    @staticmethod
    def exec_module(module: types.ModuleType) -> None:
        agg = importlib.import_module("matplotlib.backends.backend_agg")
        vars(module).update({name: value for name, value in vars(agg).items() if not name.startswith("__")})


def draw_without_windows() -> None:
    """Install the finder of such backends."""
    sys.meta_path.insert(0, _Backends)
