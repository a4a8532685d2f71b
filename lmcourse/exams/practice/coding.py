"""Tasks of the third exam about coding a text: chapter 11."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import partial

import numpy as np

from lmcourse.exams.task import rows, value_builder
from lmcourse.hints.question import Mistake
from lmcourse.questions.shared.units import LN2
from lmcourse.questions.shared.wrong import but

# --- coded: the interval of a text, and its shortest code --------------------------------------------------

SYMBOLS = "ab."


def _model_and_text(rng):
    table = np.array([10 + rng.multinomial(70, rng.dirichlet([2.0] * 3)) for _ in range(3)]) / 100
    return table, int(rng.integers(2)), int(rng.integers(2))


def _interval(table, first, second, start=True):
    """Beginning and width of the text's interval, exactly; without ``start`` all rows are the first one."""
    shares = [[Fraction(round(100 * x), 100) for x in row] for row in table]
    low, width = Fraction(0), Fraction(1)
    for row, symbol in ((0, first), (first + 1, second), (second + 1, 2)):
        row = row if start else 0
        low += width * sum(shares[row][:symbol])
        width *= shares[row][symbol]
    return low, width


def _shortest(low, width):
    """The bits of the shortest string whose whole cell lies inside the interval."""
    bits = 0
    while (math.ceil(low * 2**bits) + 1) > (low + width) * 2**bits:
        bits += 1
    return bits


def _coded(table, first, second, start=True):
    low, width = _interval(table, first, second, start)
    return {"low": float(low), "surprisal": -math.log2(width), "bits": _shortest(low, width)}


def _unscaled(table, first, second):
    return table[0][:first].sum() + table[first + 1][:second].sum() + table[second + 1][:2].sum()


def _used(table, first, second):
    return np.array([table[0][first], table[first + 1][second], table[second + 1][2]])


def _in_whole_bits(*case):
    return int(np.ceil(-np.log2(_used(*case))).sum())


def _rounded_up(*case):
    return math.ceil(_coded(*case)["surprisal"])


def _one_number(*case):
    """The bits of the shortest binary fraction that lies in the interval."""
    (low, width), bits = _interval(*case), 0
    while math.ceil(low * 2**bits) >= (low + width) * 2**bits:
        bits += 1
    return bits


def _no_near_miss(*case):
    """Whether the length stays the same when the interval is read off with small errors."""
    low, width = _interval(*case)
    slip = width / 100
    around = [(low + a * slip, width + (b - a) * slip) for a in (-1, 1) for b in (-1, 1)]
    return len({_shortest(*interval) for interval in around}) == 1 and low > 0


coded = value_builder(
    title="a text as bits",
    entry_points=(1, 1, 1),
    draw=_model_and_text,
    suits=_no_near_miss,
    right=_coded,
    mistakes=(
        Mistake(
            "M1",
            but(_coded, {"surprisal": lambda *case: _coded(*case)["surprisal"] * LN2}),
            "Your surprisal is in nats, and bits are asked for.",
        ),
        Mistake(
            "L10",
            but(_coded, {"low": _unscaled}),
            "Your 'low' adds up the shares as they stand in the table. From the second symbol on they are"
            " shares of the width that has been reached.",
        ),
        Mistake(
            "L23",
            but(_coded, {"low": lambda *case: float(sum(_interval(*case)))}),
            "Your 'low' is where the interval ends.",
        ),
        Mistake(
            "L24",
            partial(_coded, start=False),
            "You take the first row for all three symbols. The row is that of the symbol before.",
        ),
    ),
    optional=(
        Mistake(
            "M77",
            but(_coded, {"bits": _in_whole_bits}),
            "Your code spends whole bits on each symbol. The interval of the whole text needs fewer.",
        ),
        Mistake(
            "L23",
            but(_coded, {"bits": _rounded_up}),
            "Your length is the surprisal, rounded up. A cell of that length is narrow enough, and lies"
            " across an end of the interval. Draw the cells.",
        ),
        Mistake(
            "L8",
            but(_coded, {"bits": lambda *case: _rounded_up(*case) + 1}),
            "Your length is the one that always suffices. This text has a shorter code: draw the cells.",
        ),
        Mistake(
            "L11",
            but(_coded, {"bits": _one_number}),
            "With your bits, one number lies in the interval. The whole cell has to.",
        ),
    ),
    given="# a row for the start, a, b\nrows = np.array({table})\nfirst, second = {first}, {second}",
    fields=lambda table, first, second: {
        "text": SYMBOLS[first] + SYMBOLS[second] + ".",
        "shown": rows(("start", "a", "b"), *([f"{x:.2f}" for x in column] for column in table.T)),
    },
    text=r"""
A model predicts each symbol from the one before it. A row is the symbol before, a column what follows; the
full stop ends the text.

| after | a | b | . |
|---|---|---|---|
{shown}

An arithmetic coder divides the interval from 0 to 1 in the order of the columns: *a* has the first part,
*b* the next, the full stop the last. Each part is divided again in the same way, by the row of its symbol.
The text is `{text}` and has three symbols, the last of which is the full stop.

The code of the text is the shortest string of $n$ bits whose cell, from $k/2^n$ to $(k+1)/2^n$, lies wholly
inside the interval of the text; $k$ is the number that the bits write.

Set `coded` to a dictionary: `"low"` is the beginning of the text's interval, `"surprisal"` its surprisal in
bits, and `"bits"` the length $n$ of its code.
""",
    message="where the interval begins, its surprisal, the length",
    solution="""
low, width = 0.0, 1.0
for row, symbol in ((0, first), (first + 1, second), (second + 1, 2)):
    low, width = low + width * rows[row, :symbol].sum(), width * rows[row, symbol]
bits = 0
while np.ceil(low * 2**bits) + 1 > (low + width) * 2**bits:
    bits += 1
coded = {"low": low, "surprisal": -np.log2(width), "bits": bits}
""",
    advice="Write the beginning and the width after each symbol. Then try the cells: how wide is one of n"
    " bits?",
)

# --- counted: two parts of a file, and from which length on the large model pays ---------------------------

NAMES = ("a program that learns as it reads", "a table of counts", "a network")


def _three_models(rng):
    rates = np.round([rng.uniform(2.5, 3.2), rng.uniform(2.0, 2.35), rng.uniform(1.2, 1.8)], 3)
    numbers = np.array([0, int(rng.integers(30, 300)) * 100, int(rng.integers(40, 400)) * 1000])
    stored = np.array([0, int(rng.choice([10, 12, 20])), int(rng.choice([4, 16, 32]))])
    crossing = _others(rates, numbers, stored).max()
    length = int(crossing * rng.choice([rng.uniform(0.05, 0.9), rng.uniform(1.1, 3.0)]) // 100) * 100
    order = rng.permutation(3)
    return rates[order], numbers[order], stored[order], length


def _names(rates):
    """What the models are: the higher the rate, the less is stored."""
    return [NAMES[place] for place in np.argsort(np.argsort(-rates))]


def _others(rates, numbers, stored, size=8):
    """From which length on the model with the lowest rate is ahead of each of the others."""
    last, bits = int(rates.argmin()), numbers * stored * 8 / size
    others = np.arange(3) != last
    return (bits[last] - bits[others]) / (rates[others] - rates[last])


def _totals(rates, numbers, stored, length, size=8):
    return rates * length + numbers * stored * 8 / size


def _counted(rates, numbers, stored, length, size=8):
    totals = _totals(rates, numbers, stored, length, size)
    best = int(totals.argmin())
    pays = _whole(_others(rates, numbers, stored, size).max())
    return {"smallest": "ABC"[best], "rate": totals[best] / length, "from": pays}


def _whole(crossing):
    """The first whole length beyond a crossing."""
    return float(math.floor(crossing) + 1)


def _not_counted(rates, numbers, stored, length):
    return {"smallest": "ABC"[int(rates.argmin())], "rate": rates.min()}


def _rate_of_the_text(rates, numbers, stored, length):
    return rates[int(_totals(rates, numbers, stored, length).argmin())]


def _one_is_ahead(rates, numbers, stored, length):
    """Whether one file is smaller by 2 %, and no length makes two files equal (rounding would decide)."""
    first, second = np.sort(_totals(rates, numbers, stored, length))[:2]
    crossing = _others(rates, numbers, stored).max()
    return second > 1.02 * first and length > 20_000 and abs(crossing - round(crossing)) > 1e-4


counted = value_builder(
    title="three models for an archive",
    entry_points=(1, 1, 2),
    letters="ABC",
    draw=_three_models,
    suits=_one_is_ahead,
    right=_counted,
    mistakes=(
        Mistake(
            "M72",
            lambda *case: _counted(*case) | _not_counted(*case),
            "You choose by the rate alone. Without the numbers of the model nobody can open the file.",
        ),
        Mistake(
            "L3",
            partial(_counted, size=1),
            "You take the bits of each stored number for bytes. A byte has 8 bits.",
        ),
        Mistake(
            "L8",
            lambda rates, numbers, stored, length: _counted(rates, numbers, 8, length),
            "You store each number in one byte. The table says how many bits it takes.",
        ),
        Mistake(
            "L7",
            but(_counted, {"from": lambda r, n, b, length: _whole(_others(r, n, b).min())}),
            "Your length is where the network overtakes the first of the others. It has to be ahead of both.",
        ),
        Mistake(
            "L3",
            but(_counted, {"from": lambda *case: 8 * _counted(*case)["from"]}),
            "Your length is 8 times the right one: a length in bytes times a rate in bits per byte is a"
            " number of bits already.",
        ),
    ),
    optional=(
        Mistake(
            "M72",
            but(_counted, {"rate": _rate_of_the_text}),
            "Your rate is that of the text alone, although you have chosen by the sum of the two parts.",
        ),
        Mistake(
            "M72",
            but(_counted, {"smallest": lambda *case: _not_counted(*case)["smallest"]}),
            "Your letter is that of the lowest rate, whatever the size of the model.",
        ),
        Mistake(
            "L3",
            but(_counted, {"rate": lambda *case: _counted(*case)["rate"] / 8}),
            "Your rate is in bytes per byte. Bits per byte are asked for.",
        ),
    ),
    given=(
        "rates = np.array({rates})\nnumbers = np.array({numbers})\n"
        "bits = np.array({stored})\nlength = {length}"
    ),
    fields=lambda rates, numbers, stored, length: {
        "table": rows("ABC", _names(rates), [f"{rate:.3f}" for rate in rates], numbers, stored),
        "network": "ABC"[int(rates.argmin())],
    },
    text="""
An archive is one text of {length} bytes. Three models could code it, and the coder adds nothing that
matters.

| | model | bits per byte of text | stored numbers | bits of each |
|---|---|---|---|---|
{table}

The reader of the archive has the programs, and nothing else: the stored numbers of the chosen model are
part of the file. The rates are the same for every length of text.

Set `counted` to a dictionary: `"smallest"` is the letter of the model with which the file is smallest,
`"rate"` the size of this file in bits per byte of text, and `"from"` the length of the shortest text, in
whole bytes, with which {network} gives a smaller file than both others.
""",
    message="a letter, a rate, and a length of text",
    solution="""
total = rates * length + numbers * bits
best, last = int(total.argmin()), int(rates.argmin())
others = np.arange(3) != last
ahead = (numbers * bits)[last] - (numbers * bits)[others]
counted = {
    "smallest": "ABC"[best],
    "rate": total[best] / length,
    "from": np.floor((ahead / (rates[others] - rates[last])).max()) + 1,
}
""",
    advice="Write the two parts of each file in bits. Over the length they are straight lines: where do"
    " they cross?",
)
