"""Chapter 05, the conversion: as formulas, and as a program that refuses what was not counted."""

from functools import partial

import numpy as np

from lmcourse.hints.question import Mistake, Property, Question
from lmcourse.questions.shared.properties import unchanged
from lmcourse.questions.shared.wrong import but

# --- exponents -------------------------------------------------------------------------------------------


def exponents(P, W, B, t, w, c):
    """The conversions of a perplexity P per token, given the counts, or given another line."""
    return {
        "perplexity per word": P ** (t / w),
        "bits per char": t * np.log2(P) / c,
        "tokens per word": np.log(W) / np.log(P),
        "break-even": np.log2(P) / B,
    }


def _draw_point(rng):
    t, w, c = rng.uniform(120, 180), rng.uniform(80, 110), rng.uniform(500, 700)
    return rng.uniform(10, 60), rng.uniform(80, 400), rng.uniform(0.7, 2.2), t, w, c


EXPONENTS = Question(
    key="05.exponents",
    title="what goes into the exponent",
    kind="derive",
    stars=2,
    points=3,
    form="expression",
    symbols=("P", "W", "B", "t", "w", "c"),
    right=exponents,
    cases=((20.0, 90.0, 1.1, 130.0, 100.0, 520.0), (35.0, 300.0, 0.9, 150.0, 90.0, 610.0)),
    draw=_draw_point,
    mistakes=(
        Mistake(
            "M35",
            but(exponents, {"perplexity per word": lambda P, W, B, t, w, c: P * t / w}),
            "Your 'perplexity per word' multiplies P by a ratio. A word of two tokens is a choice of P and "
            "another choice of P: the ratio is an exponent.",
        ),
        Mistake(
            "L3",
            but(exponents, {"perplexity per word": lambda P, W, B, t, w, c: P ** (w / t)}),
            "The exponent of your 'perplexity per word' is upside down. There are fewer words than tokens, "
            "so each carries more.",
        ),
        Mistake(
            "M36",
            but(exponents, {"bits per char": lambda P, W, B, t, w, c: np.log2(P)}),
            "Your 'bits per char' is bits per token: it lacks the ratio of the counts.",
        ),
        Mistake(
            "L3",
            but(exponents, {"bits per char": lambda P, W, B, t, w, c: c * np.log2(P) / t}),
            "The ratio in your 'bits per char' is upside down: a character costs less than a token.",
        ),
        Mistake(
            "M1",
            but(exponents, {"bits per char": lambda P, W, B, t, w, c: t * np.log(P) / c}),
            "Your 'bits per char' is {ratio} = ln 2 times what it should be: ln gives nats.",
        ),
        Mistake(
            "L9",
            but(exponents, {"tokens per word": lambda P, W, B, t, w, c: W / P}),
            "Your 'tokens per word' is a ratio of perplexities. The exponent is a ratio of their logarithms.",
        ),
        Mistake(
            "L7",
            but(exponents, {"tokens per word": lambda P, W, B, t, w, c: np.log(P) / np.log(W)}),
            "Your 'tokens per word' is upside down: it is words per token, and below 1.",
        ),
        Mistake(
            "L9",
            but(exponents, {"break-even": lambda P, W, B, t, w, c: P / B}),
            "Your 'break-even' divides a perplexity by bits. Turn P into bits per token first.",
        ),
        Mistake(
            "M1",
            but(exponents, {"break-even": lambda P, W, B, t, w, c: np.log(P) / B}),
            "Your 'break-even' is {ratio} = ln 2 times what it should be: nats per token over bits per "
            "character.",
        ),
        Mistake(
            "L7",
            but(exponents, {"break-even": lambda P, W, B, t, w, c: B / np.log2(P)}),
            "Your 'break-even' is upside down: it is tokens per character.",
        ),
    ),
    advice="Write the total twice: t * ln P nats in all, and w * ln W, or c * B * ln 2. They are one total.",
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
    mistakes=(
        Mistake(
            "M35",
            _as_factors,
            "Your bits are right, and your perplexities get the factor of the bits. Take each perplexity "
            "from the bits of its own row.",
        ),
        Mistake(
            "L3",
            partial(every_unit, ratio=lambda a, b: b / a),
            "Your ratio of counts is upside down. The total is bits times the count of the *given* unit; "
            "then divide by the other count.",
        ),
        Mistake(
            "M36",
            partial(every_unit, ratio=lambda a, b: 1.0),
            "Every row has the number of the given unit. Share the total out over the count of the row.",
        ),
        Mistake(
            "M1",
            partial(every_unit, log=np.log),
            "Your bits come from ln: they are nats, {ratio} = ln 2 times as many. Take log2.",
        ),
        Mistake(
            "M1",
            partial(every_unit, log=np.log, power=np.exp),
            "You compute in nats from beginning to end. 'bits' wants bits, and a value that is given in bits "
            "belongs to 2.",
        ),
        Mistake(
            "M2",
            partial(every_unit, power=np.exp),
            "Your bits are right, but your perplexities raise e to them. Raise 2 to them.",
        ),
        Mistake(
            "M4",
            lambda value, kind, unit, counts: every_unit(value, "bits", unit, counts),
            "You take the value for bits, whatever `kind` says. A perplexity needs its logarithm first.",
        ),
        Mistake(
            "M37",
            _rule_of_thumb,
            "You fill in a count that nobody made. What was not counted is refused, and named in 'refused'.",
        ),
    ),
    alike=(
        ("right", "M1", "where bits are given, no logarithm is taken"),
        ("right", "M4", "the same"),
        ("M1", "M4", "the same"),
        ("M1 (2)", "M2", "the same"),
        ("right", "M36", "where the count of the given unit is missing, its row is the only one"),
        ("right", "L3", "the same"),
        ("right", "M35", "the same"),
        ("L3", "M36", "the same"),
        ("M35", "L3", "the same"),
        ("M35", "M36", "the same"),
    ),
    properties=(
        Property(
            "the row of the given unit is refused, but it needs no count: the value is there",
            lambda table, value, kind, unit, counts: np.isfinite(table["bits"][UNITS.index(unit)]),
        ),
        Property(
            "'refused' does not name the units whose bits are nan",
            lambda table, *case: (
                [u for u, b in zip(UNITS, table["bits"], strict=True) if np.isnan(b)]
                == [u for u in UNITS if u in table["refused"].split()]
            ),
        ),
        Property("the numbers change when all counts are doubled", unchanged, also=_doubled),
    ),
    advice="The bits of the given unit, times its count, over the count of another unit. Powers come last.",
)

QUESTIONS = (EXPONENTS, CONVERTER)
