"""Chapter 01, what a model calls impossible: a scorer that keeps silent, and a constant behind a score."""

import math
from functools import partial
from itertools import combinations

import numpy as np

from lmcourse.hints.question import Mistake, Property, Question
from lmcourse.questions.ch01.strings import START
from lmcourse.questions.shared.properties import BELOW_ONE, PERPLEXITY
from lmcourse.questions.shared.units import LN2, LN10

# --- silent-scorer ---------------------------------------------------------------------------------------


def honest_score(start, table, text, perplexity=lambda q: np.exp(-np.log(q).mean())):
    """Tokens, how many of them have probability 0, and exp of the mean surprisal, which may be infinite."""
    q = np.append(start[text[0]], table[text[:-1], text[1:]])
    with np.errstate(divide="ignore"):
        return {"tokens": len(q), "impossible": (q == 0).sum(), "perplexity": perplexity(q)}


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
    title="a scorer that never says no",
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
    mistakes=(
        Mistake(
            "M32 + L8",
            partial(honest_score, perplexity=lambda q: np.exp(-np.log(_possible(q)).sum() / 2)),
            "Both faults are still there. What does the scorer do with a step of probability 0? And which "
            "root does it take, of how many factors?",
        ),
        Mistake(
            "L8",
            partial(honest_score, perplexity=lambda q: np.exp(-np.log(q).sum() / 2)),
            "One fault is repaired. The other: you take the square root, because the model is a bigram. It "
            "is the N-th root, for N tokens, whatever the order of the model.",
        ),
        Mistake(
            "M32",
            partial(honest_score, perplexity=lambda q: np.exp(-np.log(_possible(q)).sum() / len(q))),
            "One fault is repaired. The other: a step of probability 0 still costs nothing, so the model is "
            "never wrong. What is the score of a text that cannot happen?",
        ),
        Mistake(
            "M32",
            partial(honest_score, perplexity=lambda q: np.exp(-np.log(_possible(q)).mean())),
            "You leave the impossible steps out of the sum and out of the count. The score is then one of "
            "another, easier text.",
        ),
        Mistake(
            "M30",
            partial(honest_score, perplexity=lambda q: np.exp(-np.log(np.maximum(q, 1e-10)).mean())),
            "You put 1e-10 where the model says 0. No model says 1e-10: the rows then add up to more than 1, "
            "and the constant decides the score.",
        ),
        Mistake(
            "M45",
            partial(honest_score, perplexity=lambda q: q.prod() ** (-1 / len(q))),
            "The product of many factors underflows to 0, and a text that the model can write seems "
            "impossible. Add logarithms.",
        ),
    ),
    alike=(
        *(
            (*pair, "two steps of the first text are impossible: any honest formula gives infinity")
            for pair in combinations(("right", "L8", "M45"), 2)
        ),
        *(
            (*pair, _POSSIBLE)
            for pair in combinations(("right", "M32", "M32 (2)", "M30", "M45"), 2)
            if pair != ("right", "M45")
        ),
        ("M32 + L8", "L8", _POSSIBLE),
    ),
    properties=(
        PERPLEXITY,
        Property(
            "a step that the model calls impossible leaves the perplexity finite",
            lambda value, *case: value["impossible"] == 0 or value["perplexity"] == np.inf,
        ),
    ),
    advice="Take the inputs of the first text, and print the factor of every step before anything else.",
)

# --- cat-dog ---------------------------------------------------------------------------------------------


def cat_dog(first=START[0], root=2):
    """Perplexity of "cat dog" with two floors under the unseen dog, and the floor that makes it 20."""
    return {
        "floor 1e-10": (first * 1e-10) ** (-1 / root),
        "floor 1e-12": (first * 1e-12) ** (-1 / root),
        "floor for 20": 20.0**-root / first,
    }


CAT_DOG = Question(
    key="01.cat-dog",
    title="a number from a tutorial",
    kind="reproduce",
    stars=1,
    points=1,
    form="value",
    right=cat_dog,
    cases=((),),
    rtol=1e-8,
    mistakes=(
        Mistake(
            "L10",
            partial(cat_dog, first=1.0),
            "Your score does not know how likely cat is as a first word. 'cat dog' has two factors.",
        ),
        Mistake(
            "M26",
            partial(cat_dog, root=3),
            "You take the third root. Two tokens are scored: <s> is given, not predicted.",
        ),
        Mistake(
            "L1",
            partial(cat_dog, root=1),
            "Your number is one over the joint probability. A perplexity is the N-th root of that.",
        ),
        Mistake(
            "M1",
            lambda: {
                **{f"floor {floor:g}": (START[0] * floor) ** (-LN2 / 2) for floor in (1e-10, 1e-12)},
                "floor for 20": 20.0 ** (-2 / LN2) / START[0],
            },
            "ln r / ln R is {power}: you raise 2 to the average in nats. Use exp, or no logarithm at all.",
        ),
    ),
    properties=(
        Property(
            "a larger floor must give a smaller perplexity",
            lambda value: value["floor 1e-10"] < value["floor 1e-12"],
        ),
    ),
    advice="Write the joint probability of 'cat dog' with an unknown floor f, and take the square root.",
)

# --- floor-forensics -------------------------------------------------------------------------------------


def find_the_floor(kept, dropped, tokens, unseen):
    """The digits of a floor 10^-d, its share of the nats, and the score with 1e-20 in its place."""
    return _finding(kept, tokens, unseen, _nats_of_floor(kept, dropped, tokens, unseen) / unseen / LN10)


def _nats_of_floor(kept, dropped, tokens, unseen):
    return tokens * math.log(kept) - (tokens - unseen) * math.log(dropped)


def _finding(kept, tokens, unseen, digits):
    digits, nats = round(digits), tokens * math.log(kept)
    return {
        "digits": digits,
        "share": unseen * digits * LN10 / nats,
        "with 1e-20": kept * np.float64(10.0) ** ((20 - digits) * unseen / tokens),
    }


def _one_denominator(kept, dropped, tokens, unseen):
    return _finding(kept, tokens, unseen, tokens * math.log(kept / dropped) / unseen / LN10)


def _given(key, formula):
    """The right dictionary, with one entry from a wrong formula of (kept, tokens, unseen, digits)."""

    def wrong_finding(kept, dropped, tokens, unseen):
        finding = find_the_floor(kept, dropped, tokens, unseen)
        return finding | {key: formula(kept, tokens, unseen, finding["digits"])}

    return wrong_finding


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
    title="the constant behind a score",
    kind="forensics",
    stars=3,
    points=3,
    right=find_the_floor,
    cases=(_report(10, 50.0, 100, 1), _report(6, 87.3, 240, 12)),
    draw=_draw_report,
    mistakes=(
        Mistake(
            "L26",
            _one_denominator,
            "You compare the averages as if both were taken over the same tokens. Go back to the totals: one "
            "has N tokens, the other N - k.",
        ),
        Mistake(
            "M3",
            lambda kept, dropped, tokens, unseen: _finding(
                kept, tokens, unseen, _nats_of_floor(kept, dropped, tokens, unseen) / unseen
            ),
            "Your digits are too many by a factor of ln 10: they are the nats of one unseen token. The floor "
            "is a power of 10.",
        ),
        Mistake(
            "L9",
            _given("share", lambda kept, tokens, unseen, digits: unseen / tokens),
            "You give the share of the tokens. The task asks for their share of the nats, and a floor is "
            "expensive.",
        ),
        Mistake(
            "L7",
            _given(
                "with 1e-20",
                lambda kept, tokens, unseen, digits: (
                    kept * np.float64(10.0) ** ((digits - 20) * unseen / tokens)
                ),
            ),
            "A lower floor raises the surprisal of the unseen tokens, so the perplexity must rise.",
        ),
        Mistake(
            "L1",
            _given(
                "with 1e-20",
                lambda kept, tokens, unseen, digits: kept * np.float64(10.0) ** ((20 - digits) * unseen),
            ),
            "You multiply by the whole factor that the joint probability changes by. A perplexity changes by "
            "its N-th root.",
        ),
        Mistake(
            "L8",
            _given(
                "with 1e-20",
                lambda kept, tokens, unseen, digits: kept * np.float64(10.0) ** ((20 - digits) / tokens),
            ),
            "You move one unseen token to the new floor. There are k of them.",
        ),
    ),
    alike=(("right", "L8", "the first text has one unseen token"),),
    properties=(
        Property(
            "the share of the nats is not between 0 and 1", lambda value, *case: 0 <= value["share"] <= 1
        ),
        Property(BELOW_ONE, lambda value, *case: value["with 1e-20"] >= 1),
    ),
    advice="The total of the first report is N ln r, that of the second (N - k) ln s. What is the difference "
    "made of?",
)

QUESTIONS = (SILENT_SCORER, CAT_DOG, FLOOR_FORENSICS)
