"""One instance of every smoothing method, for the tests that try all of them on texts of order 4 at most."""

import sys

from lmmetrics.ngram import (
    AbsoluteDiscounting,
    AddK,
    GoodTuring,
    Interpolated,
    JelinekMercer,
    Katz,
    KneserNey,
    MaximumLikelihood,
    ModifiedKneserNey,
    Smoothing,
    SpreadEvenly,
    StupidBackoff,
    WittenBell,
)

METHODS = [
    AbsoluteDiscounting(fallback=0.75),
    AddK(0.3),
    GoodTuring(k=1),
    JelinekMercer(weights=(0.9, 0.7, 0.5, 0.3)),
    Katz(k=2),
    KneserNey(fallback=0.75),
    MaximumLikelihood(),
    ModifiedKneserNey(fallback=(0.5, 1, 1.5)),
    StupidBackoff(),
    WittenBell(),
]


def exported():
    """Return the classes of all smoothing methods that the package exports."""
    package = sys.modules[Smoothing.__module__.rpartition(".")[0]]
    kinds = (getattr(package, name) for name in package.__all__)
    return {kind for kind in kinds if issubclass(kind, Smoothing)} - {Smoothing, Interpolated, SpreadEvenly}
