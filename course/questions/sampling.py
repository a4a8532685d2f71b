"""What every answer has that draws from the generator that it is given, and from nothing else."""

from __future__ import annotations

import numpy as np

from course.question import Property


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
        "Your result is the same whatever generator it gets, so it is not drawn from the argument rng: it is"
        " computed without drawing, or drawn from a generator of your own",
        lambda value, second: not np.array_equal(value, second),
        also=_other_generator,
        mistake="L36",
        everywhere=True,  # two draws of a share can be equal by chance
    ),
)
