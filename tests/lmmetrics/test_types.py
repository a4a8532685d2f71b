"""What is public, and the types that py.typed promises: each annotation names something that exists."""

import importlib
import inspect
import pkgutil
import typing

import pytest
import tokenizers
from matplotlib.axes import Axes

import lmmetrics
from lmmetrics.derivation import Derivation
from lmmetrics.neural import NeuralLM
from lmmetrics.ngram import Smoothing

MODULES = [m.name for m in pkgutil.walk_packages(lmmetrics.__path__, "lmmetrics.") if "_proof" not in m.name]
FOR_CHECKERS = {
    "Axes": Axes,
    "tokenizers": tokenizers,
    "Derivation": Derivation,
    "NeuralLM": NeuralLM,
    "Smoothing": Smoothing,
}
"""What some modules import for type checkers only."""


def annotated(module):
    """Yield the functions, classes, methods and properties that a module defines."""
    for value in vars(module).values():
        if getattr(value, "__module__", None) != module.__name__:
            continue
        if inspect.isclass(value):
            yield value
            for member in vars(value).values():
                member = getattr(member, "fget", None) or getattr(member, "func", None) or member
                member = getattr(member, "__func__", member)
                if (
                    inspect.isfunction(member)
                    and member.__module__ == module.__name__
                    and not generated(member)
                ):
                    yield member
        elif inspect.isfunction(inspect.unwrap(value)):
            yield inspect.unwrap(value)


def generated(function):
    """Whether a dataclass wrote the function: it repeats the annotations of classes, which are looked at."""
    return function.__code__.co_filename == "<string>"


@pytest.mark.parametrize("name", MODULES)
def test_each_annotation_resolves(name):
    for thing in annotated(importlib.import_module(name)):
        typing.get_type_hints(thing, localns=FOR_CHECKERS if inspect.isfunction(thing) else None)


def test_modules_of_packages_are_private():
    public = [name.split(".") for name in MODULES if "._" not in name]
    assert not [parts for parts in public if len(parts) > 2]
    assert "lmmetrics.text._tokenize" in MODULES
