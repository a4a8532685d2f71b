"""Chapter 14, costs: what windows and strides read, and how many machines a question needs."""

import math
from functools import partial

import numpy as np

from lmcourse.hints.question import Mistake, Property, Question
from lmcourse.questions.shared.properties import FINITE
from lmcourse.questions.shared.wrong import but

# --- windows ---------------------------------------------------------------------------------------------


def windows(lengths, window, stride, last="cut", joined=False, more=0):
    """How many windows the documents need, how many tokens the model reads in them, and the least past."""
    lengths = np.asarray([lengths.sum()]) if joined else lengths
    count = 1 + np.maximum(0, np.ceil((lengths - window) / stride)) + more
    positions = 0
    for n, many in zip(lengths.tolist(), count.astype(int).tolist(), strict=True):
        ends = np.minimum(np.arange(many) * stride + window, n) if last == "cut" else None
        starts = np.arange(many) * stride
        positions += many * window if ends is None else int(np.maximum(0, ends - starts).sum())
    return {"windows": float(count.sum()), "positions": float(positions), "past": float(window - stride)}


def _begun(lengths, window, stride):
    """As a loop that begins a window at every multiple of the stride."""
    count = np.ceil(lengths / stride)
    positions = sum(
        min(window, int(n) - start) for n in lengths.tolist() for start in range(0, int(n), stride)
    )
    return windows(lengths, window, stride) | {"windows": float(count.sum()), "positions": float(positions)}


def _draw_windows(rng, short=False):
    stride = int(rng.integers(40, 200))
    window = stride + int(rng.integers(30, 300))
    lengths = rng.integers(20, 5 * window, size=int(rng.integers(4, 9)))
    if short:
        lengths[:2] = window, window - 3
        lengths[2] = window + stride
    lengths[-1] = 3 * window + 7
    return lengths, window, stride


WINDOWS = Question(
    key="14.windows",
    title="what a stride costs",
    kind="implement",
    stars=2,
    points=3,
    right=windows,
    cases=(
        (np.array([50, 100, 101, 130, 370]), 100, 30),
        _draw_windows(np.random.default_rng(1461)),
        _draw_windows(np.random.default_rng(1462), short=True),
    ),
    draw=_draw_windows,
    odd=(lambda rng: _draw_windows(rng, short=True),),
    entry_points={"windows": 1, "positions": 1, "past": 1},
    mistakes=(
        Mistake(
            "M13",
            _begun,
            "You begin a window at every multiple of the stride. The loop ends with the first window that "
            "reaches the end of the document: after it nothing is left to score.",
        ),
        Mistake(
            "L25",
            partial(windows, last="full"),
            "Your 'positions' treats every window as full. The last window of a document ends with it, and "
            "a short document has one short window.",
        ),
        Mistake(
            "M15",
            partial(windows, joined=True),
            "You put windows over all documents joined together. Each document is scored by itself.",
        ),
        Mistake(
            "L22",
            but(windows, {"positions": lambda lengths, window, stride: float(lengths.sum())}),
            "Your 'positions' counts each token once. The tokens in the overlap of two windows are read "
            "twice.",
        ),
        Mistake(
            "L24",
            lambda lengths, window, stride: (
                windows(lengths, window, window) | {"past": float(window - stride)}
            ),
            "Your windows do not overlap. Each further window begins `stride` tokens after the one before "
            "it, so it begins inside that window.",
        ),
        Mistake(
            "L31",
            lambda lengths, window, stride: (
                windows(lengths, window, window - stride) | {"past": float(window - stride)}
            ),
            "You take the stride for the overlap of two windows. The stride is the distance from the "
            "beginning of one window to the beginning of the next.",
        ),
        Mistake(
            "L31",
            but(windows, {"past": lambda lengths, window, stride: float(stride)}),
            "Your 'past' is the stride, which is how many tokens a window scores. What has the window "
            "read before the first of them?",
        ),
        Mistake(
            "L24",
            but(windows, {"past": lambda lengths, window, stride: 0.0}),
            "Your 'past' is 0, as if windows did not overlap. A later window begins with tokens that have "
            "been scored before.",
        ),
        Mistake(
            "L8",
            but(windows, {"past": lambda lengths, window, stride: float(window)}),
            "Your 'past' is the whole window. Then no token of the window would be left to score.",
        ),
        Mistake(
            "L23",
            but(windows, {"past": lambda lengths, window, stride: float(window - stride - 1)}),
            "Your 'past' is one token too small. A window of 3 with a stride of 1 has 2 old tokens.",
        ),
    ),
    properties=(
        Property(
            "'positions' is below the number of tokens, and each token has to be read at least once",
            lambda value, lengths, window, stride: value["positions"] >= lengths.sum(),
        ),
    ),
    advice="Draw the windows of a document of 10 tokens, with a window of 4 and a stride of 3: they cover "
    "the tokens 0-3, 3-6 and 6-9.",
)

# --- plan ------------------------------------------------------------------------------------------------


def plan(
    batches, pilot, error, difference, z, start, deadline, rate=None, tokens=None, machines=None, total=None
):
    """Tokens per second, the tokens that are needed, the fewest machines, and the seconds of all of them."""
    rate = rate or (lambda batches: batches[1:, 0].sum() / batches[1:, 1].sum())
    speed = rate(batches)
    needed = (tokens or (lambda: pilot * (z * error / difference) ** 2))()
    work = needed / speed
    count = (machines or (lambda work: np.ceil(work / (deadline - start))))(work)
    return {
        "rate": speed,
        "tokens": needed,
        "machines": float(count),
        "seconds": (total or (lambda count, work: count * start + work))(count, work),
    }


def _changed(**changed):
    """The right plan with a formula of its own for some step, given the arguments of the case."""

    def formula(*case):
        return plan(*case, **{name: make(*case) for name, make in changed.items()})

    return formula


def _draw_plan(rng):
    while True:
        size = int(rng.integers(5, 9))
        tokens = rng.integers(3000, 9000, size=size).astype(float)
        seconds = tokens / rng.uniform(8000, 15000) * rng.uniform(0.8, 1.25, size=size)
        seconds[0] += rng.uniform(4, 15)
        batches = np.round(np.stack([tokens, seconds], axis=1), 3)
        pilot, error = float(rng.integers(20, 80) * 1000), round(float(rng.uniform(0.008, 0.02)), 4)
        difference, z = round(float(rng.uniform(0.0012, 0.003)), 4), float(rng.choice([2.0, 2.5, 3.0]))
        start, deadline = float(rng.integers(40, 120)), float(rng.integers(200, 400))
        case = batches, pilot, error, difference, z, start, deadline
        work = plan(*case)["tokens"] / plan(*case)["rate"]
        exact = work / (deadline - start)
        other = {math.floor(exact), math.ceil(work / deadline), math.ceil((work + start) / deadline)}
        if 6 < exact < 60 and 0.15 < exact % 1 < 0.85 and len(other | {math.ceil(exact)}) == 4:
            return case


PLAN = Question(
    key="14.plan",
    title="how many machines, for how long?",
    kind="compute",
    stars=2,
    points=4,
    right=plan,
    cases=tuple(_draw_plan(np.random.default_rng(seed)) for seed in (1471, 1472, 1473)),
    draw=_draw_plan,
    entry_points={"rate": 1, "tokens": 1, "machines": 1, "seconds": 1},
    mistakes=(
        Mistake(
            "M89",
            _changed(rate=lambda *case: lambda batches: batches[:, 0].sum() / batches[:, 1].sum()),
            "You time the first batch with the others. It also contains what happens only once, such as "
            "compiling and filling caches.",
        ),
        Mistake(
            "M9",
            _changed(rate=lambda *case: lambda batches: (batches[1:, 0] / batches[1:, 1]).mean()),
            "Your 'rate' is the mean of the rates of the batches. Divide all tokens by all seconds, both "
            "without the first batch.",
        ),
        Mistake(
            "L34",
            _changed(rate=lambda *case: lambda batches: batches[1:, 1].sum() / batches[1:, 0].sum()),
            "Your 'rate' is in seconds per token.",
        ),
        Mistake(
            "L22",
            _changed(
                tokens=lambda batches, pilot, error, difference, z, *_: lambda: pilot * z * error / difference
            ),
            "The error falls as one over the *root* of the number of tokens. For half the error you need "
            "four times the tokens.",
        ),
        Mistake(
            "L34",
            _changed(
                tokens=lambda batches, pilot, error, difference, z, *_: (
                    lambda: pilot * (difference / (z * error)) ** 2
                )
            ),
            "In your 'tokens' a smaller difference needs less text.",
        ),
        Mistake(
            "L22",
            _changed(
                tokens=lambda batches, pilot, error, difference, *_: lambda: pilot * (error / difference) ** 2
            ),
            "With your 'tokens' the difference is one error away from 0. It should be z errors.",
        ),
        Mistake(
            "L8",
            _changed(
                tokens=lambda batches, pilot, error, difference, z, *_: lambda: (z * error / difference) ** 2
            ),
            "Your 'tokens' is the size of the real run divided by that of the pilot.",
        ),
        Mistake(
            "L23",
            _changed(machines=lambda *case: lambda work: np.floor(work / (case[6] - case[5]))),
            "With so few machines the run is not finished before the deadline. Round up.",
        ),
        Mistake(
            "L22",
            _changed(machines=lambda *case: lambda work: np.ceil(work / case[6])),
            "In your 'machines' the start is missing: a machine that needs s seconds to start has only the "
            "rest of the time for scoring.",
        ),
        Mistake(
            "L32",
            _changed(machines=lambda *case: lambda work: np.ceil((work + case[5]) / case[6])),
            "In your 'machines' the start is divided among the machines. It is not: each of them has to "
            "load the model itself.",
        ),
        Mistake(
            "L43",
            _changed(machines=lambda *case: lambda work: work / (case[6] - case[5])),
            "Your 'machines' is not a whole number. Take the smallest whole number that is enough.",
        ),
        Mistake(
            "L22",
            _changed(total=lambda *case: lambda count, work: work),
            "Your 'seconds' leave out the starts. While a machine loads the model, nobody else can use it.",
        ),
        Mistake(
            "L40",
            _changed(total=lambda *case: lambda count, work: case[5] + work),
            "Your 'seconds' contain one start only. Every machine has its own.",
        ),
        Mistake(
            "L1",
            _changed(total=lambda *case: lambda count, work: case[5] + work / count),
            "Your 'seconds' are how long somebody has to wait. The task asks for the seconds of all machines "
            "together.",
        ),
        Mistake(
            "L11",
            _changed(total=lambda *case: lambda count, work: count * case[6]),
            "Your 'seconds' treat every machine as busy until the deadline. The machines finish earlier.",
        ),
    ),
    properties=(FINITE,),
    advice="Go step by step: tokens per second of one machine, the tokens that are needed, the seconds that "
    "one machine would take to score them, and then several machines.",
)


QUESTIONS = (WINDOWS, PLAN)
