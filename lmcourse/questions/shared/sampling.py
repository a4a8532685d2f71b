"""Properties of answers that must draw from the generator they are given, and from nothing else."""

from __future__ import annotations

import numpy as np

from lmcourse.hints.question import Property


def _other_generator(*case):
    """The same case with another generator in its last place."""
    *rest, rng = case
    return *rest, np.random.default_rng(rng.integers(2**63))


DRAWN = (
    Property(
        "Two calls with equal generators give different results. Draw from the argument rng, and from nothing"
        " else",
        lambda value, second: np.array_equal(value, second),
        also=lambda *case: case,
        mistake="L36",
    ),
    Property(
        "Your result is the same whatever generator your code gets, so it is not drawn from the argument "
        "rng: it is computed without drawing, or drawn from a generator of your own",
        lambda value, second: not np.array_equal(value, second),
        also=_other_generator,
        mistake="L36",
        everywhere=True,  # two draws of a share can be equal by chance
    ),
)


def counted(place: int) -> Property:
    """A share is a count divided by the repeats, which are at ``place`` in the case."""

    def holds(value, *case):
        counts = case[place] * np.asarray(value)
        return bool((np.abs(counts - np.round(counts)) < 1e-3).all())

    return Property(
        "A share is not a whole number divided by repeats, so it does not count what you have drawn. Draw,"
        " count, and divide by repeats",
        holds,
        mistake="L36",
    )
