"""Four small questions, which the tests of the hints use, and the message that a wrong answer gets."""

import numpy as np
import pytest

from lmcourse.feedback import WrongAnswer, check
from lmcourse.hints.question import Mistake, Property, Question
from lmcourse.questions.shared.properties import FINITE, NOT_NEGATIVE, PERPLEXITY, unchanged
from lmcourse.questions.shared.units import unit_mistakes
from lmcourse.questions.shared.wrong import padding_counted


def mean_nats(nats, real):
    return nats[real].mean()


MEAN = Question(
    key="99.mean",
    title="a mean over real tokens",
    kind="implement",
    stars=1,
    points=2,
    right=mean_nats,
    cases=(
        (np.array([0.5, 2.0, 9.0]), np.array([True, True, False])),
        (np.array([1.0, 4.0, 0.2, 9.0]), np.array([True, True, True, False])),
    ),
    draw=lambda rng: (rng.uniform(0, 3, size=6), np.array([True] * 4 + [False] * 2)),
    mistakes=(
        *unit_mistakes(mean_nats, "M2 M5"),
        Mistake("M19", padding_counted, lambda nats, real: f"Ratio {{ratio}}: {real.sum()} of {real.size}."),
    ),
    properties=(
        FINITE,
        NOT_NEGATIVE,
        Property("it changes when doubled", unchanged, also=lambda *case: tuple(np.tile(a, 2) for a in case)),
    ),
    advice="Try it by hand.",
)

SLOPE = Question(
    key="99.slope",
    title="a derivative",
    kind="derive",
    stars=1,
    points=1,
    form="expression",
    symbols=("x", "a"),
    right=lambda x, a: np.array([2 * a * x, 1 / x]),
    cases=((1.5, 2.0), (0.3, -1.0)),
    mistakes=(Mistake("L10", lambda x, a: np.array([2 * x, 1 / x]), "The factor a is missing."),),
    advice="Differentiate.",
)

VALUE = Question(
    key="99.value",
    title="a perplexity",
    kind="compute",
    stars=1,
    points=1,
    form="value",
    right=lambda: {"perplexity": 8.0, "unit": "token"},
    cases=((),),
    mistakes=(
        Mistake("M1", lambda: {"perplexity": 8.0 ** np.log(2), "unit": "token"}, "ln r / ln R = {power}."),
    ),
    properties=(PERPLEXITY,),
)


THREE = Question(
    key="99.three",
    title="three entries",
    kind="compute",
    stars=1,
    points=5,
    form="value",
    right=lambda: {"bits": 3.0, "rate": np.array([0.5, 1.5]), "who": "A"},
    cases=((),),
    mistakes=(
        Mistake("M1", lambda: THREE.right() | {"bits": 3.0 * np.log(2)}, "Your bits are {ratio} of them."),
        Mistake("L7", lambda: {"bits": 7.0, "rate": np.array([1.5, 0.5]), "who": "A"}, "You exchange two."),
        Mistake("L23", lambda: THREE.right() | {"rate": np.array([1.5, 0.5])}, "Off by one."),
        Mistake("L28", lambda: THREE.right() | {"who": "B"}, "It was not B."),
    ),
    entry_points={"bits": 1, "rate": 2, "who": 2},
    advice="Try again.",
)


def message(key, answer):
    """The message that a wrong answer gets."""
    with pytest.raises(WrongAnswer) as caught:
        check(key, answer)
    assert str(caught.value).startswith(f"{key}: ")
    return str(caught.value).removeprefix(f"{key}: ")
