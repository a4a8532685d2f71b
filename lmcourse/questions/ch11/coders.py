"""Chapter 11, coders: one with exact fractions, judged by what it does, and a step of an integer one."""

import itertools
from fractions import Fraction
from functools import partial

import numpy as np

from lmcourse.hints.answers import Unreadable, plain_data
from lmcourse.hints.question import Mistake, Property, Question
from lmcourse.questions.ch11.intervals import shortest_code
from lmcourse.questions.shared.wrong import but, then

# --- coder -----------------------------------------------------------------------------------------------

NONE = "none"
"""What None becomes, where a text has no code or a code has no text."""


def _row(counts, before):
    total = sum(counts[before])
    return [Fraction(int(n), int(total)) for n in counts[before]]


def _interval(counts, ids):
    """The interval of these symbols; the first row is that of the end symbol."""
    low, width, before = Fraction(0), Fraction(1), 0
    for i in ids:
        row = _row(counts, before)
        low, width, before = low + width * sum(row[:i]), width * row[i], i
    return low, width


def cell(bits):
    """Where the numbers that begin with these bits begin and end."""
    width = Fraction(1, 2 ** len(bits))
    return int(bits or "0", 2) * width, (int(bits or "0", 2) + 1) * width


def _encode(counts, ids):
    low, width = _interval(counts, [*ids, 0])
    return shortest_code(low, width) if width else NONE


def _decode(counts, bits, stops=True, whole=True):
    """The symbols whose intervals hold the cell of the bits (``whole``), or where it begins."""
    (low, high), before, found = cell(bits), 0, []
    while len(found) < 50 * (len(bits) + 1):
        ends = list(itertools.accumulate(_row(counts, before), initial=Fraction(0)))
        parts = enumerate(itertools.pairwise(ends))
        fitting = [i for i, (a, b) in parts if a <= low and (high <= b if whole else low < b)]
        if not fitting:
            return NONE if stops else _words(found)
        symbol = fitting[0]
        if symbol == 0 and stops:
            return _words(found)
        share = ends[symbol + 1] - ends[symbol]
        low, high = (low - ends[symbol]) / share, (high - ends[symbol]) / share
        found, before = [*found, symbol], symbol
    return NONE


def _words(ids):
    return " ".join(str(int(i)) for i in ids)


def coder(counts, ids, bits):
    """The code of a text, and the text of a code; counts (V, V) by the symbol before, as whole numbers."""
    return {"bits": _encode(counts, ids), "ids": _decode(counts, bits)}


def _above_the_bound(bits, low, width):
    """How many bits a code has above the bound of its interval; None if it is not a code of it."""
    begin, end = cell(bits)
    if not width or begin < low or end > low + width:
        return None
    bound = 1
    while Fraction(2) ** (bound - 1) * width < 1:
        bound += 1
    return len(bits) - bound


def _other_intervals(counts, ids):
    """The intervals of the text for those who forget its end, the context, or that a count is 0."""
    yield _interval(counts, ids)
    yield _interval([counts[0]] * len(counts), [*ids, 0])
    yield _interval(_without_zeros(counts), [*ids, 0])


def _without_zeros(counts):
    return [[max(n, 1) for n in row] for row in counts]


def read_coder(answer, counts, ids, bits):
    """Any code that decodes to the text, and is not longer than the bound, becomes the shortest one."""
    answer = plain_data(answer)
    if not isinstance(answer, dict) or set(answer) != {"bits", "ids"}:
        raise Unreadable(
            "your answer must be a dictionary with the keys 'bits' and 'ids'. If the text has no code, or "
            "the code no text, the entry is None."
        )
    value, problems = {}, {}
    value["bits"], told = _read_bits(answer["bits"], counts, ids)
    problems |= {"bits": told} if told else {}
    value["ids"], told = _read_ids(answer["ids"])
    problems |= {"ids": told} if told else {}
    return value, problems


def _read_bits(given, counts, ids):
    given = given.tolist() if hasattr(given, "tolist") else given
    given = "".join(map(str, given)) if isinstance(given, list | tuple) else given
    if given is None or given == NONE:
        return NONE, ""
    if not isinstance(given, str) or not set(given) <= {"0", "1"}:
        return (
            "",
            f'"bits" is {str(given)[:40]!r}. Give a string of 0s and 1s, or None if the text has no code.',
        )
    right = _interval(counts, [*ids, 0])
    more = _above_the_bound(given, *right)
    if more is not None and more <= 0:
        return shortest_code(*right), ""
    if given == _symbol_by_symbol(counts, ids, ""):
        return given, ""
    if more is not None:
        return "", (
            f'"bits": a code of yours can be decoded, and it has {more} {"bit" if more == 1 else "bits"} '
            "more than the bound allows, which is the surprisal of the whole text, rounded up, plus 1."
        )
    for zeros in range(1, 4):
        if _above_the_bound("0" * zeros + given, *right) is not None:
            return shortest_code(*right).lstrip("0"), ""
    return _usual_code(given, counts, ids), ""


def _usual_code(given, counts, ids):
    """The shortest code of the wrong interval to which a code belongs: a hint does not depend on the code."""
    for other in _other_intervals(counts, ids):
        more = _above_the_bound(given, *other)
        if more is not None and more <= 0:
            return shortest_code(*other)
    return given


def _read_ids(given):
    given = given.tolist() if hasattr(given, "tolist") else given
    if given is None or isinstance(given, str):
        return NONE if given is None else given, ""
    if isinstance(given, list | tuple):
        given = [i.item() if hasattr(i, "item") else i for i in given]
    if not isinstance(given, list | tuple) or not all(isinstance(i, int | float) for i in given):
        return "", f'"ids" is {str(given)[:40]}. Give a list of whole numbers, or None if there is no text.'
    return _words(given), ""


def _symbol_by_symbol(counts, ids, bits):
    found, before = "", 0
    for i in [*ids, 0]:
        row = _row(counts, before)
        if not row[i]:
            return NONE
        found, before = found + shortest_code(sum(row[:i], Fraction(0)), row[i]), i
    return found


def _without_the_end(counts, ids, bits):
    low, width = _interval(counts, ids)
    return shortest_code(low, width) if width else NONE


def _one_bit_less(counts, ids, bits):
    low, width = _interval(counts, [*ids, 0])
    if not width:
        return NONE
    k = 0
    while Fraction(1, 2**k) > width:
        k += 1
    code = f"{int((low + width / 2) * 2**k):0{k}b}" if k else ""
    more = _above_the_bound(code, low, width)
    return _usual_code(code, counts, ids) if more is None else shortest_code(low, width)


def _always_the_first_row(counts, ids, bits):
    counts = [counts[0]] * len(counts)
    return {"bits": _encode(counts, ids), "ids": _decode(counts, bits)}


def _empty(value):
    """Empty entries for what does not exist."""
    return {key: "" if entry == NONE else entry for key, entry in value.items()}


def _as_far_as_it_goes(counts, ids, bits):
    found = _decode(counts, bits)
    return _decode(counts, bits, stops=False) if found == NONE else found


def _never_zero(counts, ids, bits):
    return coder(_without_zeros(counts), ids, bits)


def _draw_counts(rng):
    """Counts of what follows each symbol; two pairs of symbols never occur."""
    V = int(rng.integers(3, 6))
    counts = rng.integers(1, 9, size=(V, V))
    counts[1, int(rng.integers(1, V))] = 0
    counts[2, 1] = 0
    return counts.tolist()


def _draw_text(rng, counts, length):
    ids, before = [], 0
    for _ in range(length):
        weights = np.array(counts[before], dtype=float)
        weights[0] = 0
        before = int(rng.choice(len(weights), p=weights / weights.sum()))
        ids.append(before)
    return ids


def _draw_coder(rng, length=None, other=None, cut=0, impossible=False):
    while True:
        counts = _draw_counts(rng)
        ids = _draw_text(rng, counts, int(rng.integers(2, 9)) if length is None else length)
        if impossible:
            ids = [*ids, 2, 1]  # never seen together
        code = _encode(counts, _draw_text(rng, counts, int(rng.integers(3, 9)) if other is None else other))
        bits = code[: len(code) - cut]
        if not cut or (_decode(counts, bits) == NONE and _decode(counts, bits, whole=False) != NONE):
            return counts, ids, bits


IMPOSSIBLE = "in the third case there is no code at all, and the bits hold a whole text"

WHOLE = "in the first case there is a code, and the bits hold a whole text"
SAME = ("right", "M27", "M77", "L22", "L22 (3)", "L22 (4)", "L23")

CODER = Question(
    key="11.coder",
    title="a coder with exact fractions",
    kind="implement",
    stars=3,
    points=4,
    right=coder,
    cases=(
        ([[1, 3, 1, 4], [2, 0, 5, 1], [3, 0, 1, 4], [6, 1, 1, 0]], [1, 3, 1], "1110100"),
        ([[1, 5, 2], [1, 6, 3], [4, 0, 3]], [1, 2, 2], "0110"),
        ([[1, 2, 7, 3], [1, 4, 4, 2], [3, 0, 3, 3], [5, 1, 0, 2]], [3, 1, 2, 1], "111011011"),
    ),
    draw=_draw_coder,
    odd=(
        lambda rng: _draw_coder(rng, length=0),
        lambda rng: _draw_coder(rng, length=200, other=60),
        lambda rng: _draw_coder(rng, cut=2),
        lambda rng: _draw_coder(rng, impossible=True),
    ),
    entry_points={"bits": 2, "ids": 2},
    reading=read_coder,
    mistakes=(
        Mistake(
            "M27",
            but(coder, {"bits": _without_the_end}),
            "Your 'bits' do not code the end of the text. Then they are also the beginning of longer texts, "
            "and a decoder cannot know where to stop: code symbol 0 as well.",
        ),
        Mistake(
            "M27",
            but(coder, {"ids": lambda counts, ids, bits: _decode(counts, bits, stops=False)}),
            "Your decoder goes on after symbol 0. That is the end of the text: stop there, and leave it out.",
        ),
        Mistake(
            "L22",
            but(coder, {"bits": lambda *case: coder(*case)["bits"].lstrip("0")}),
            "Your 'bits' have lost their leading zeros. A code is a string with a fixed number of digits: "
            "f'{number:0{k}b}'.",
        ),
        Mistake(
            "L22",
            then(coder, _empty),
            "Where the text has no code, or the code no text, your entry is empty. An empty string or list "
            "stands for an empty code or text: the task asks for None.",
        ),
        Mistake(
            "L22",
            but(coder, {"ids": _as_far_as_it_goes}),
            "Your decoder returns what it has read when the bits end before the text does. Nobody could "
            "tell that from a whole text: return None.",
        ),
        Mistake(
            "L24",
            _always_the_first_row,
            "You use the first row for every symbol. The row is that of the preceding symbol; only the "
            "first symbol uses row 0.",
        ),
        Mistake(
            "M77",
            but(coder, {"bits": _symbol_by_symbol}),
            "Your 'bits' give every symbol a whole number of bits of its own. One code belongs to the "
            "interval of the whole text.",
        ),
        Mistake(
            "M30",
            _never_zero,
            "You have put a count where the table has a 0. That is another model: what it cannot produce "
            "has no interval, and no code.",
            explains="numbers",  # its other counts and codes may differ
        ),
        Mistake(
            "L23",
            but(coder, {"bits": _one_bit_less}),
            "Your code has as many bits as the surprisal, rounded up. Its cell may lie across an "
            "end of the text's interval: look for a cell that lies inside.",
        ),
        Mistake(
            "L22",
            but(coder, {"ids": lambda counts, ids, bits: _decode(counts, bits, whole=False)}),
            "Your decoder treats missing bits as zeros, and so reads a text from a file that "
            "has been cut off. The whole cell must lie inside that of the text.",
        ),
    ),
    alike=(
        *((one, other, IMPOSSIBLE) for one, other in itertools.combinations(SAME, 2)),
        *(("L22 (2)", label, WHOLE) for label in ("right", "L22 (3)", "L22 (4)")),
        ("M27 (2)", "L22 (3)", "in the second case the bits that are left hold no end"),
    ),
    advice="Keep low and width as Fraction: floats lose the interval of a long text. Then try it on a text "
    "of one symbol, print low and low + width, and beside them the cell of your bits.",
)

# --- off-by-one ------------------------------------------------------------------------------------------


def _parts(low, high, counts, size, last):
    ends = np.concatenate([[0], np.cumsum(counts)]).astype(int)
    places = low + size(high - low, int(ends[-1]), ends)
    return {"first": places[:-1], "last": places[1:] + last}


def _numbers(span, total, ends):
    return (span + 1) * ends // total


def _one_too_few(span, total, ends):
    return span * ends // total


def narrow(low, high, counts, size=_numbers, last=-1):
    """The whole numbers of each symbol, from first to last; together they are low to high."""
    return _parts(low, high, counts, size, last)


def tiles(value, low, high, counts):
    """Whether the parts follow each other from low to high, and are empty only for a count of 0."""
    next_first = low
    for first, last, count in zip(value["first"], value["last"], counts, strict=True):
        if not count:
            if first <= last:
                return False
            continue
        if first != next_first or last < first:
            return False
        next_first = last + 1
    return next_first == high + 1


def _whole(value, low, high, counts):
    return all((np.asarray(ends) % 1 == 0).all() for ends in value.values())


def _never_empty(low, high, counts):
    found = narrow(low, high, counts)
    return np.maximum(found["first"], found["last"])


def _fair(value, low, high, counts):
    """Whether each part is within one number of its share."""
    share = np.asarray(counts) * (high - low + 1) / sum(counts)
    size = np.asarray(value["last"]) - np.asarray(value["first"]) + 1
    return bool((np.abs(np.maximum(size, 0) - share) < 1 + 1e-9).all())


def read_parts(answer, low, high, counts):
    """Parts that are rounded in another way are as good, if they tile the numbers and are fair."""
    answer = plain_data(answer)
    if not isinstance(answer, dict) or set(answer) != {"first", "last"}:
        raise Unreadable("your answer must be a dictionary with the keys 'first' and 'last'.")
    try:
        ours = {key: np.asarray(given, dtype=float) for key, given in answer.items()}
        whole = all(given.shape == (len(counts),) and (given % 1 == 0).all() for given in ours.values())
    except (TypeError, ValueError):
        return answer, {}
    if whole and tiles(ours, low, high, counts) and _fair(ours, low, high, counts):
        return narrow(low, high, counts), {}
    return answer, {}


def _draw_register(rng, top=None, zero=False):
    V = int(rng.integers(3, 7))
    counts = rng.integers(1, 9, size=V)
    if zero:
        counts[int(rng.integers(V))] = 0
    top = top or int(2 ** rng.integers(8, 17)) - 1
    while True:
        low, high = sorted(int(x) for x in rng.integers(0, top + 1, size=2))
        if high - low > 4 * counts.sum() and (high - low + 1) % counts.sum():
            return low, high, counts


OFF_BY_ONE = Question(
    key="11.off-by-one",
    title="whole numbers, and one too many",
    kind="debug",
    stars=2,
    points=3,
    right=narrow,
    cases=(
        (0, 255, np.array([3, 1, 7])),
        (37, 196, np.array([2, 5, 1, 4, 2])),
        (101, 180, np.array([4, 0, 2, 7, 6])),
    ),
    draw=_draw_register,
    odd=(lambda rng: _draw_register(rng, zero=True), lambda rng: _draw_register(rng, top=2**32 - 1)),
    rtol=0.0,
    atol=1e-9,
    entry_points={"first": 1, "last": 2},
    reading=read_parts,
    mistakes=(
        Mistake(
            "L23",
            partial(narrow, size=_one_too_few, last=0),
            "This is still the program of the task. Write down which numbers belong to the first symbol and "
            "which to the second: one of them belongs to both.",
            explains="answer",
        ),
        Mistake(
            "L23",
            partial(narrow, last=0),
            "Your parts overlap: the last number of one symbol is the first of the next one, and a decoder "
            "that finds it cannot know which was meant.",
        ),
        Mistake(
            "L23",
            partial(narrow, size=_one_too_few),
            "Your parts do not overlap any more, and they leave out the number high. How many whole numbers "
            "are there from low to high, both included?",
            explains="answer",
        ),
        Mistake(
            "L13",
            partial(narrow, size=lambda span, total, ends: (span + 1) // total * ends),
            "You divide by the total first, and the remainder of that division belongs to no symbol. "
            "Multiply first.",
            explains="answer",
        ),
        Mistake(
            "L23",
            lambda low, high, counts: {
                "first": narrow(low, high, counts)["last"] - narrow(low, high, counts)["first"] + 1,
                "last": narrow(low, high, counts)["last"],
            },
            "Your 'first' is how many numbers each symbol has. The task asks which one is its first.",
        ),
        Mistake(
            "L23",
            lambda low, high, counts: narrow(low, high, counts) | {"last": _never_empty(low, high, counts)},
            "You give a number to a symbol whose count is 0, and that number belongs to another symbol.",
        ),
    ),
    alike=(("right", "L23 (5)", "in the first two cases no count is 0"),),
    properties=(
        Property("an end of a part is not a whole number", _whole),
        Property(
            "A number between low and high belongs to two symbols or to none, or a symbol that can come has "
            "no number",
            tiles,
        ),
    ),
    advice="Take low = 0, high = 9 and the counts (1, 1): which five numbers should each symbol have?",
)

QUESTIONS = (CODER, OFF_BY_ONE)
