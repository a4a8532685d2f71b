"""Chapter 05, the conversion: as formulas, and as a program that refuses what was not counted."""

from functools import partial
from itertools import combinations

import numpy as np

from lmcourse.hints.answers import plain_data
from lmcourse.hints.question import Mistake, Property, Question
from lmcourse.questions.shared.properties import unchanged
from lmcourse.questions.shared.units import LN2
from lmcourse.questions.shared.wrong import but

# --- exponents -------------------------------------------------------------------------------------------


def exponents(P, B, t, w, c):
    """The conversions of a perplexity P per token, given the counts, or given another line."""
    return {
        "perplexity per word": P ** (t / w),
        "bits per char": t * np.log2(P) / c,
        "break-even": np.log2(P) / B,
    }


def _draw_point(rng):
    t, w, c = rng.uniform(120, 180), rng.uniform(80, 110), rng.uniform(500, 700)
    return rng.uniform(10, 60), rng.uniform(0.7, 2.2), t, w, c


EXPONENTS = Question(
    key="05.exponents",
    title="what goes into the exponent",
    kind="derive",
    stars=2,
    points=3,
    form="expression",
    symbols=("P", "B", "t", "w", "c"),
    right=exponents,
    cases=((20.0, 1.1, 130.0, 100.0, 520.0), (35.0, 0.9, 150.0, 90.0, 610.0)),
    draw=_draw_point,
    entry_points={"perplexity per word": 1, "bits per char": 1, "break-even": 1},
    mistakes=(
        Mistake(
            "M35",
            but(exponents, {"perplexity per word": lambda P, B, t, w, c: P * t / w}),
            "Your 'perplexity per word' multiplies P by a ratio. A word of two tokens is one choice among P "
            "followed by another choice among P: the ratio is an exponent.",
        ),
        Mistake(
            "L3",
            but(exponents, {"perplexity per word": lambda P, B, t, w, c: P ** (w / t)}),
            "The exponent of your 'perplexity per word' is upside down. Fewer words share the same total, so "
            "each has a larger surprisal.",
        ),
        Mistake(
            "M36",
            but(exponents, {"bits per char": lambda P, B, t, w, c: np.log2(P)}),
            "Your 'bits per char' is bits per token: it lacks the ratio of counts.",
        ),
        Mistake(
            "L3",
            but(exponents, {"bits per char": lambda P, B, t, w, c: c * np.log2(P) / t}),
            "The ratio in your 'bits per char' is upside down. The total is t times the bits per token, and "
            "it is shared by c characters.",
        ),
        Mistake(
            "M1",
            but(exponents, {"bits per char": lambda P, B, t, w, c: t * np.log(P) / c}),
            "Your 'bits per char' is {ratio} = ln 2 times the right one: ln gives nats.",
        ),
        Mistake(
            "M1",
            but(exponents, {"perplexity per word": lambda P, B, t, w, c: 2 ** (t * np.log(P) / w)}),
            "Your 'perplexity per word' raises 2 to a number of nats. Raise e to nats, and 2 to bits.",
        ),
        Mistake(
            "M2",
            but(exponents, {"perplexity per word": lambda P, B, t, w, c: np.exp(t * np.log2(P) / w)}),
            "Your 'perplexity per word' raises e to a number of bits. Raise 2 to bits, and e to nats.",
        ),
        Mistake(
            "M4",
            but(exponents, {"perplexity per word": lambda P, B, t, w, c: t * np.log(P) / w}),
            "Your 'perplexity per word' is the loss per word in nats. Exponentiate it.",
        ),
        Mistake(
            "L3",
            but(exponents, {"bits per char": lambda P, B, t, w, c: t * np.log(P) * np.log(2) / c}),
            "Your 'bits per char' multiplies nats by ln 2. One bit is ln 2 nats: to get bits, divide.",
        ),
        Mistake(
            "L9",
            but(exponents, {"bits per char": lambda P, B, t, w, c: P * t / c}),
            "Your 'bits per char' divides a perplexity. Take its logarithm first: bits can be divided.",
        ),
        Mistake(
            "M36",
            but(exponents, {"bits per char": lambda P, B, t, w, c: t * np.log2(P) / w}),
            "Your 'bits per char' is bits per *word*: it divides by w.",
        ),
        Mistake(
            "M36",
            but(exponents, {"perplexity per word": lambda P, B, t, w, c: P ** (t / c)}),
            "Your 'perplexity per word' is the perplexity per *character*: its exponent divides by c.",
        ),
        Mistake(
            "L1",
            but(exponents, {"perplexity per word": lambda P, B, t, w, c: P**t}),
            "Your 'perplexity per word' is one over the probability of the whole text. Divide the exponent "
            "by the number of words.",
        ),
        Mistake(
            "L9",
            but(exponents, {"bits per char": lambda P, B, t, w, c: np.log2(P * t / c)}),
            "Your 'bits per char' has the ratio of counts inside the logarithm. That ratio multiplies the "
            "bits.",
        ),
        Mistake(
            "L1",
            but(exponents, {"bits per char": lambda P, B, t, w, c: np.log2(P) / c}),
            "Your 'bits per char' divides the bits of one token by the total number of characters. Multiply "
            "by the number of tokens.",
        ),
        Mistake(
            "M3",
            but(exponents, {"bits per char": lambda P, B, t, w, c: t * np.log10(P) / c}),
            "Your 'bits per char' uses the logarithm to base 10. Bits go with base 2.",
        ),
        Mistake(
            "L9",
            but(exponents, {"break-even": lambda P, B, t, w, c: np.log2(P / B)}),
            "Your 'break-even' divides inside the logarithm. log2 P is the number of bits per token: divide "
            "that by B.",
        ),
        Mistake(
            "L9",
            but(exponents, {"break-even": lambda P, B, t, w, c: P / B}),
            "Your 'break-even' divides a perplexity by bits. Turn P into bits per token first.",
        ),
        Mistake(
            "M1",
            but(exponents, {"break-even": lambda P, B, t, w, c: np.log(P) / B}),
            "Your 'break-even' is {ratio} = ln 2 times the right one: it divides nats per token by bits per "
            "character.",
        ),
        Mistake(
            "L7",
            but(exponents, {"break-even": lambda P, B, t, w, c: B / np.log2(P)}),
            "Your 'break-even' is upside down: it is tokens per character.",
        ),
    ),
    advice="Write down the total first: t * ln P nats, or t * log2 P bits. Then ask how many units share it.",
)

# --- converter -------------------------------------------------------------------------------------------

UNITS = ("token", "word", "char", "byte")  # as the set types them: a new unit changes no exercise


def every_unit(
    value, kind, unit, counts, ratio=lambda a, b: a / b, log=np.log2, power=lambda bits: 2.0**bits
):
    """One line in every unit that was counted; nan for the others, whose names are in "refused"."""
    bits = log(value) if kind == "perplexity" else value
    numbers = [
        bits
        if u == unit
        else bits * ratio(counts[unit], counts[u])
        if unit in counts and u in counts
        else np.nan
        for u in UNITS
    ]
    known = [u for u in UNITS if u == unit or (unit in counts and u in counts)]
    return {
        "bits": np.array(numbers),
        "perplexity": power(np.array(numbers)),
        "refused": " ".join(u for u in UNITS if u not in known) or "none",
    }


def _as_factors(value, kind, unit, counts):
    """M35: the perplexities are multiplied by the ratio that the bits are multiplied by."""
    table = every_unit(value, kind, unit, counts)
    own = UNITS.index(unit)
    return table | {"perplexity": table["perplexity"][own] * table["bits"] / table["bits"][own]}


def _rule_of_thumb(value, kind, unit, counts):
    """M37: five characters a word, and a byte for each, where nobody counted."""
    chars = counts.get("char", 5 * counts.get("word", 100))
    return every_unit(
        value, kind, unit, {"char": chars, "byte": chars, "word": chars / 5, "token": chars / 4} | counts
    )


def _doubled(value, kind, unit, counts):
    return value, kind, unit, {u: 2 * n for u, n in counts.items()}


def _draw_line(rng, kind=None):
    words = int(rng.integers(200, 900))
    chars = int(words * rng.uniform(5.3, 6.5))
    counts = {"token": int(words * rng.uniform(1.1, 1.6)), "word": words, "char": chars}
    counts["byte"] = int(chars * rng.uniform(1.03, 1.3))
    unit = str(rng.choice(UNITS))
    # one or two counts are missing; once in a while that of the given unit
    others = [u for u in UNITS if u != unit]
    for u in rng.choice(others, size=rng.integers(1, 3), replace=False):
        del counts[str(u)]
    if rng.random() < 0.15:
        counts.pop(unit)
    bits = {"token": 6.0, "word": 9.0, "char": 1.6, "byte": 1.5}[unit] * rng.uniform(0.7, 1.2)
    kind = kind or str(rng.choice(["bits", "perplexity"], p=[0.3, 0.7]))
    return float(f"{2**bits if kind == 'perplexity' else bits:.5g}"), kind, unit, counts


def _draw_full_line(rng, kind):
    """All four counts are there."""
    value, kind, unit, counts = _draw_line(rng, kind)
    return value, kind, unit, {"token": 700, "word": 500, "char": 3000, "byte": 3200} | counts


def _reading(given, *case):
    """The refused units may be a list, or be separated by commas; None of them is "none"."""
    given = plain_data(given)
    refused = given.get("refused") if isinstance(given, dict) else None
    if isinstance(refused, list | tuple) and all(isinstance(unit, str) for unit in refused):
        given = given | {"refused": " ".join(refused) or "none"}
    elif isinstance(refused, str):
        given = given | {"refused": " ".join(refused.replace(",", " ").split())}
    return given, {}


CONVERTER = Question(
    key="05.converter",
    title="a converter that can say no",
    kind="implement",
    stars=2,
    points=3,
    right=every_unit,
    cases=(
        (86.0, "perplexity", "token", {"token": 1360, "word": 1180, "char": 6700}),
        (1.21, "bits", "byte", {"token": 2300, "byte": 9400}),
        (173.0, "perplexity", "word", {"token": 640, "char": 2900, "byte": 3010}),
    ),
    draw=_draw_line,
    odd=tuple(lambda rng, kind=kind: _draw_full_line(rng, kind) for kind in ("bits", "perplexity")),
    reading=_reading,
    entry_points={"bits": 1, "perplexity": 1, "refused": 1},
    mistakes=(
        Mistake(
            "M35",
            _as_factors,
            "You multiply the perplexities by the factor that belongs to the bits. Take each perplexity "
            "from the bits of its own unit.",
        ),
        Mistake(
            "L3",
            partial(every_unit, ratio=lambda a, b: b / a),
            "Your ratio of counts is upside down. The total is the bits times the count of the *given* unit; "
            "then divide by the other count.",
        ),
        Mistake(
            "M36",
            partial(every_unit, ratio=lambda a, b: 1.0),
            "You give every unit the value of the given one. Divide the total by the count of each unit.",
        ),
        Mistake(
            "M1",
            partial(every_unit, log=np.log),
            "Your bits come from ln: they are {ratio} = ln 2 times the right ones, which makes them nats. "
            "Use log2.",
            explains="answer",
        ),
        Mistake(
            "M1",
            but(every_unit, {"bits": lambda *case: every_unit(*case, log=np.log)["bits"]}),
            "Your 'bits' come from ln where a perplexity is given, which makes them nats. Use log2.",
        ),
        Mistake(
            "M1",
            but(every_unit, {"bits": lambda *case: LN2 * every_unit(*case)["bits"]}),
            "Your 'bits' are {ratio} = ln 2 times the right ones: they are in nats. Divide by ln 2.",
        ),
        Mistake(
            "M1",
            partial(every_unit, power=lambda bits: 2.0 ** (LN2 * bits)),
            "Your perplexities raise 2 to a number of nats. Raise 2 to the bits.",
        ),
        Mistake(
            "M1",
            partial(every_unit, log=np.log, power=np.exp),
            "You work in nats throughout. The entry 'bits' has to be in bits, and a value "
            "that is given in bits is an exponent of 2.",
            explains="answer",
        ),
        Mistake(
            "M2",
            partial(every_unit, power=np.exp),
            "Your perplexities raise e to a number of bits. Raise 2 to it.",
        ),
        Mistake(
            "M4",
            lambda value, kind, unit, counts: every_unit(value, "bits", unit, counts),
            "You treat the value as bits, whatever `kind` says. Take the logarithm of a perplexity first.",
        ),
        Mistake(
            "M37",
            _rule_of_thumb,
            "You fill in a count that nobody made. A unit that was not counted is refused, and named in "
            "'refused'.",
        ),
    ),
    alike=(
        ("right", "M1", "where bits are given, no logarithm is taken"),
        ("right", "M4", "the same"),
        ("M1", "M4", "the same"),
        ("M1 (5)", "M2", "the same"),
        *((one, "M1 (2)", "the same") for one in ("right", "M1", "M4")),
        *(
            (*pair, "where a perplexity is given, the bits are nats, and the perplexities are right")
            for pair in combinations(("M1 (2)", "M1 (3)", "M1 (5)"), 2)
        ),
        ("right", "M36", "where the count of the given unit is missing, its row is the only one"),
        ("right", "L3", "the same"),
        ("right", "M35", "the same"),
        ("L3", "M36", "the same"),
        ("M35", "L3", "the same"),
        ("M35", "M36", "the same"),
    ),
    properties=(
        Property(
            "the given unit itself is refused, but it needs no count: its value is given",
            lambda table, value, kind, unit, counts: np.isfinite(table["bits"][UNITS.index(unit)]),
        ),
        Property(
            "the units in 'refused' are not those that have nan in 'bits'",
            lambda table, *case: (
                [u for u, b in zip(UNITS, table["bits"], strict=True) if np.isnan(b)]
                == [u for u in UNITS if u in table["refused"].split()]
            ),
            about_nan=True,
        ),
        Property("the numbers change when all counts are doubled", unchanged, also=_doubled),
    ),
    advice="Multiply the bits of the given unit by its count, and divide by the count of another unit. Take "
    "the powers last.",
)

QUESTIONS = (EXPONENTS, CONVERTER)
