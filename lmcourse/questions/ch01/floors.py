"""Chapter 01, what a model calls impossible: a scorer that keeps silent, and a constant behind a score."""

import math
from functools import partial
from itertools import combinations

import numpy as np

from lmcourse.hints.question import Mistake, Property, Question
from lmcourse.questions.shared.properties import BELOW_ONE
from lmcourse.questions.shared.units import LN10
from lmcourse.questions.shared.wrong import but

# --- silent-scorer ---------------------------------------------------------------------------------------


def honest_score(start, table, text, perplexity=lambda q: np.exp(-np.log(q).mean()), first=0):
    """How many tokens have probability 0, and exp of the mean surprisal, which may be infinite."""
    q = np.append(start[text[0]], table[text[:-1], text[1:]])[first:]
    with np.errstate(divide="ignore"):
        return {"impossible": (q == 0).sum(), "perplexity": perplexity(q)}


def _possible(q):
    return q[q > 0]


def _table_with_zeros(rng, size):
    """A table in which some steps never happen, and a start distribution; rows add up to 1."""
    table = rng.dirichlet(np.full(size, 2.0), size=size)
    table[np.arange(size), rng.permutation(size)] = 0.0
    return rng.dirichlet(np.full(size, 2.0)), table / table.sum(axis=1, keepdims=True)


def _draw_text(rng, tokens=None, impossible=None):
    """A text that the model can write, followed by ``impossible`` steps that it cannot take."""
    size = int(rng.integers(3, 6))
    start, table = _table_with_zeros(rng, size)
    text = [int(rng.choice(size, p=start))]
    for _ in range((tokens or int(rng.integers(8, 20))) - 1):
        text.append(int(rng.choice(size, p=table[text[-1]])))
    for _ in range(int(rng.integers(4)) if impossible is None else impossible):
        text.append(int(table[text[-1]].argmin()))
    return start, table, np.array(text)


def _begins_with_the_impossible(rng):
    start, table, text = _draw_text(rng, 6, 0)
    start = np.where(np.arange(len(start)) == text[0], 0.0, start)
    return start / start.sum(), table, text


def _repeats_the_impossible(rng):
    start, table, text = _draw_text(rng, 6, 0)
    return start, table, np.concatenate([text, np.tile([text[0], table[text[0]].argmin()], 3)])


def _all_but_impossible(rng):
    start, table, text = _draw_text(rng, 6, 1)
    table = np.where(table == 0.0, 1e-15, table)
    return start, table / table.sum(axis=1, keepdims=True), text


_POSSIBLE = "nothing in this text is impossible, so there is nothing to skip or to lift"

SILENT_SCORER = Question(
    key="01.silent-scorer",
    title="a scorer that never reports infinity",
    kind="debug",
    stars=3,
    points=3,
    right=honest_score,
    cases=(
        _draw_text(np.random.default_rng(51), 9, 2),
        _draw_text(np.random.default_rng(52), 10, 0),
        _draw_text(np.random.default_rng(53), 900, 0),
    ),
    draw=lambda rng: _draw_text(rng, 900, 0) if rng.random() < 0.5 else _draw_text(rng),
    odd=(
        lambda rng: _draw_text(rng, 1, 0),
        _begins_with_the_impossible,
        _repeats_the_impossible,
        _all_but_impossible,
    ),
    entry_points={"impossible": 1, "perplexity": 2},
    mistakes=(
        Mistake(
            "M32 + L8",
            partial(honest_score, perplexity=lambda q: np.exp(-np.log(_possible(q)).sum() / 2)),
            "Both mistakes are still there. What does the scorer do with a step of probability 0? And which "
            "root does it take, of how many factors?",
        ),
        Mistake(
            "L8",
            partial(honest_score, perplexity=lambda q: np.exp(-np.log(q).sum() / 2)),
            "One mistake is corrected. The other remains: your 'perplexity' takes the square root, because "
            "the model is a bigram model. Take the N-th root, for N tokens, whatever the order of the model.",
        ),
        Mistake(
            "M32",
            partial(honest_score, perplexity=lambda q: np.exp(-np.log(_possible(q)).sum() / len(q))),
            "One mistake is corrected. The other remains: a step of probability 0 adds nothing to the "
            "surprisal, as if the model had predicted it with certainty. What is the perplexity of a text "
            "that the model calls impossible?",
        ),
        Mistake(
            "M32",
            partial(honest_score, perplexity=lambda q: np.exp(-np.log(_possible(q)).mean())),
            "You leave the impossible steps out of the sum and out of the count. Your 'perplexity' is then "
            "that of another, easier text.",
        ),
        Mistake(
            "M30",
            partial(honest_score, perplexity=lambda q: np.exp(-np.log(np.maximum(q, 1e-10)).mean())),
            "You put 1e-10 where the model says 0. The rows then add up to more than 1, and a constant "
            "decides the 'perplexity'.",
        ),
        Mistake(
            "M32",
            partial(honest_score, perplexity=lambda q: np.exp(-np.log(q).mean()) if q.all() else 0.0),
            "Your 'perplexity' is 0 for a text that the model calls impossible. That would be better than "
            "the best perplexity there is, which is 1.",
        ),
        Mistake(
            "M11",
            partial(honest_score, perplexity=lambda q: (1 / q).mean()),
            "Your 'perplexity' is the mean of 1/q. It is the geometric mean that is asked for: average the "
            "logarithms.",
        ),
        Mistake(
            "M45",
            partial(honest_score, perplexity=lambda q: q.prod() ** (-1 / len(q))),
            "The product of many factors underflows to 0, and a text that the model can write seems "
            "impossible. Add logarithms.",
        ),
        Mistake(
            "M4",
            partial(honest_score, perplexity=lambda q: -np.log(q).mean()),
            "Your 'perplexity' is the mean surprisal in nats. Exponentiate it.",
        ),
        Mistake(
            "M1",
            partial(honest_score, perplexity=lambda q: 2 ** -np.log(q).mean()),
            "Your 'perplexity' raises 2 to a number of nats. Raise e to it.",
        ),
        Mistake(
            "M5",
            partial(honest_score, perplexity=lambda q: np.exp(np.log(q).mean())),
            "Your 'perplexity' is below 1: it is one over the right value. The exponent needs a minus sign.",
        ),
        Mistake(
            "L1",
            partial(honest_score, perplexity=lambda q: np.exp(-np.log(q).sum())),
            "Your 'perplexity' is one over the probability of the whole text. Take the N-th root of that.",
        ),
        Mistake(
            "L23",
            partial(honest_score, perplexity=lambda q: np.exp(-np.log(q).sum() / (len(q) - 1 or 1))),
            "Your 'perplexity' divides by the number of pairs. The first word is a token too.",
        ),
        Mistake(
            "M26",
            partial(honest_score, perplexity=lambda q: np.exp(-np.log(q).sum() / (len(q) + 1))),
            "Your 'perplexity' counts one token too many: <s> is not scored.",
        ),
        Mistake(
            "L31",
            lambda *case: (
                honest_score(*case) | {"impossible": len(case[2]) - honest_score(*case)["impossible"]}
            ),
            "Your 'impossible' counts the tokens that are possible.",
        ),
        Mistake(
            "L10",
            partial(honest_score, first=1),
            "You score only the pairs. The first word is a token too, and its factor is in start.",
        ),
        Mistake(
            "L1",
            lambda *case: (
                honest_score(*case) | {"impossible": honest_score(*case)["impossible"] / len(case[2])}
            ),
            "Your 'impossible' is a share of the tokens. The task asks how many there are.",
        ),
    ),
    alike=(
        *(
            (*pair, "two steps of the first text are impossible: an honest formula gives infinity")
            for pair in combinations(("right", "L8", "M11", "M45", "M4", "M1", "L1", "L23", "M26", "L10"), 2)
        ),
        ("M32 (3)", "M5", "the same, and one over it"),
        *(
            (*pair, _POSSIBLE)
            for pair in combinations(("right", "M32", "M32 (2)", "M32 (3)", "M30", "M45", "L1 (2)"), 2)
            if pair != ("right", "M45")
        ),
        ("M32 + L8", "L8", _POSSIBLE),
        *(
            (one, other, "one of 900 factors is less than the tolerance")
            for one in ("L23", "M26", "L10")
            for other in ("M32", "M32 (2)", "M32 (3)", "M30", "L1 (2)")
        ),
    ),
    properties=(
        Property(
            "a step that the model calls impossible leaves 'perplexity' finite",
            lambda value, start, table, text: (
                np.isinf(value["perplexity"]) or honest_score(start, table, text)["impossible"] == 0
            ),
        ),
        Property(
            "'perplexity' is infinite for a text that the model can write",
            lambda value, start, table, text: (
                np.isfinite(value["perplexity"]) or honest_score(start, table, text)["impossible"] > 0
            ),
        ),
        Property(BELOW_ONE, lambda value, *case: value["perplexity"] >= 1),
    ),
    advice="Take the inputs of the first text, and print the factor of every step before anything else.",
)

# --- floor-forensics -------------------------------------------------------------------------------------


def find_the_floor(kept, dropped, tokens, unseen):
    """The digits of a floor 10^-d, its share of the nats, and the score with 1e-20 in its place."""
    return _finding(kept, tokens, unseen, _nats_of_floor(kept, dropped, tokens, unseen) / unseen / LN10)


def _nats_of_floor(kept, dropped, tokens, unseen):
    return tokens * math.log(kept) - (tokens - unseen) * math.log(dropped)


def _finding(kept, tokens, unseen, digits, whole=round):
    digits, nats = whole(digits), tokens * math.log(kept)
    return {
        "digits": digits,
        "share": unseen * digits * LN10 / nats,
        "with 1e-20": kept * np.float64(10.0) ** ((20 - digits) * unseen / tokens),
    }


def _one_denominator(kept, dropped, tokens, unseen):
    return _finding(kept, tokens, unseen, tokens * math.log(kept / dropped) / unseen / LN10)


def _given(key, formula):
    """The right dictionary, with one entry from a wrong formula of the case."""
    return but(find_the_floor, {key: formula})


def _digits(*case):
    return find_the_floor(*case)["digits"]


def _moved(exponent):
    """The first report times 10 to a power that depends on the digits and the counts."""

    def perplexity(kept, dropped, tokens, unseen):
        digits = _digits(kept, dropped, tokens, unseen)
        return kept * np.float64(10.0) ** exponent(digits, tokens, unseen)

    return perplexity


def _report(digits, dropped, tokens, unseen):
    """Two perplexities of one text with six digits, as in a report: unseen tokens floored, and dropped."""
    dropped = float(f"{dropped:.6g}")
    nats = (tokens - unseen) * math.log(dropped) + unseen * digits * LN10
    return float(f"{math.exp(nats / tokens):.6g}"), dropped, tokens, unseen


def _draw_report(rng):
    tokens = int(rng.integers(80, 400))
    unseen = int(rng.uniform(0.01, 0.08) * tokens) + 1
    return _report(int(rng.choice([5, 6, 8, 9, 10, 12])), rng.uniform(20, 200), tokens, unseen)


FLOOR_FORENSICS = Question(
    key="01.floor-forensics",
    title="the constant behind a perplexity",
    kind="forensics",
    stars=3,
    points=3,
    right=find_the_floor,
    cases=(_report(10, 50.0, 100, 1), _report(6, 87.3, 240, 12)),
    draw=_draw_report,
    entry_points={"digits": 1, "share": 1, "with 1e-20": 1},
    precision="Round d to a whole number, and round nothing else.",
    mistakes=(
        Mistake(
            "L26",
            _one_denominator,
            "You compare two means as if both were taken over the same tokens. Go back to the totals: one "
            "report has N tokens, the other N - k.",
        ),
        Mistake(
            "M3",
            lambda kept, dropped, tokens, unseen: _finding(
                kept, tokens, unseen, _nats_of_floor(kept, dropped, tokens, unseen) / unseen
            ),
            "Your 'digits' is too large by a factor of ln 10: it is the surprisal of one unseen token in "
            "nats. The floor is a power of 10.",
            explains="answer",
        ),
        Mistake(
            "M3",
            _given(
                "digits",
                lambda kept, dropped, tokens, unseen: round(
                    _nats_of_floor(kept, dropped, tokens, unseen) / unseen
                ),
            ),
            "Your 'digits' is too large by a factor of ln 10: it is the surprisal of one unseen token in "
            "nats. The floor is a power of 10.",
        ),
        Mistake(
            "L22",
            _given(
                "digits",
                lambda kept, dropped, tokens, unseen: (
                    _nats_of_floor(kept, dropped, tokens, unseen) / unseen / LN10
                ),
            ),
            "Your 'digits' is not a whole number, because both perplexities are rounded. Round it, and use "
            "the rounded number in the other entries.",
        ),
        Mistake(
            "L22",
            lambda *case: _finding(
                case[0], *case[2:], _nats_of_floor(*case) / case[3] / LN10, whole=math.floor
            ),
            "You cut off the decimals of d instead of rounding to the nearest whole number.",
        ),
        Mistake(
            "L1",
            lambda *case: _finding(case[0], *case[2:], _nats_of_floor(*case) / LN10),
            "Your 'digits' is for all k unseen tokens together. The floor is for one.",
            explains="answer",
        ),
        Mistake(
            "M5",
            _given(
                "digits",
                lambda kept, dropped, tokens, unseen: (
                    -find_the_floor(kept, dropped, tokens, unseen)["digits"]
                ),
            ),
            "Your 'digits' has the wrong sign. The floor is 10 to the power -d, and d is above 0.",
        ),
        Mistake(
            "L9",
            _given("share", lambda kept, dropped, tokens, unseen: unseen / tokens),
            "Your 'share' is the unseen tokens' share of the tokens. The task asks for their share of the "
            "nats, and a floor adds far more nats than an ordinary token.",
        ),
        Mistake(
            "M3",
            _given(
                "share",
                lambda kept, dropped, tokens, unseen: (
                    unseen * _digits(kept, dropped, tokens, unseen) / (tokens * math.log(kept))
                ),
            ),
            "Your 'share' divides hartleys by nats. A floor of 10 to the power -d has a surprisal of d ln 10 "
            "nats.",
        ),
        Mistake(
            "L8",
            _given(
                "share",
                lambda kept, dropped, tokens, unseen: (
                    _digits(kept, dropped, tokens, unseen) * LN10 / (tokens * math.log(kept))
                ),
            ),
            "Your 'share' is that of only one of the k unseen tokens.",
        ),
        Mistake(
            "L7",
            _given("with 1e-20", _moved(lambda digits, tokens, unseen: (digits - 20) * unseen / tokens)),
            "Your 'with 1e-20' is below the perplexity of the first report. A lower floor raises the "
            "surprisal of the unseen tokens, so the perplexity must rise.",
        ),
        Mistake(
            "L1",
            _given("with 1e-20", _moved(lambda digits, tokens, unseen: (20 - digits) * unseen)),
            "You changed 'with 1e-20' by the factor that belongs to the joint probability. A perplexity "
            "changes by the N-th root of that factor.",
        ),
        Mistake(
            "L8",
            _given("with 1e-20", _moved(lambda digits, tokens, unseen: (20 - digits) / tokens)),
            "Your 'with 1e-20' moves only one of the k unseen tokens to the new floor.",
        ),
        Mistake(
            "L8",
            _given("with 1e-20", _moved(lambda digits, tokens, unseen: 20 * unseen / tokens)),
            "Your 'with 1e-20' adds the new floor to the old one. Take the old one away first.",
        ),
    ),
    alike=(
        *(
            (*pair, "the first text has one unseen token")
            for pair in combinations(("right", "L22", "L1", "L8", "L8 (2)"), 2)
        ),
        ("right", "L22 (2)", "in the second case d comes out a little above a whole number"),
        ("L22", "L22 (2)", "the same"),
    ),
    properties=(
        Property("'share' does not lie between 0 and 1", lambda value, *case: 0 <= value["share"] <= 1),
        Property(
            "'with 1e-20' is not above the perplexity of the first report, although its floor is lower",
            lambda value, kept, *case: value["with 1e-20"] > kept,
        ),
    ),
    advice="The total of the first report is N ln r, and that of the second is (N - k) ln s. What does the "
    "difference consist of?",
)

QUESTIONS = (SILENT_SCORER, FLOOR_FORENSICS)
