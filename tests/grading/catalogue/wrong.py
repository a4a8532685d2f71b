"""Honest submissions that are wrong or not finished: that task gets a reason, all others full marks."""

from tests.grading.catalogue import POINTS, QUICK, Cases

CASES = Cases("wrong")
case = CASES.case


def mistake(task, ids, *changes, part=None):
    """The solution with a usual mistake: its hint begins with its name in the catalogue."""

    def make(nb):
        nb.change(task, *changes)

    text = "wo mistakes at once. " if " and " in ids else f"{ids}, "
    deserved = ("partial", text, part) if part else ("zero", text)
    CASES.add(f"{ids} in {task}", make, {task: deserved})


MEAN, PICKED = "nats.mean()", "-np.log(q[days, outcomes])"
AVERAGE = "-log_probs[real, targets[real]].mean()"
mistake("three-words", "M2", ("-np.log(q)", "-np.log2(q)"))
mistake("three-words", "M3", ("-np.log(q)", "-np.log10(q)"))
mistake("three-words", "M5", ("-np.log(q)", "np.log(q)"))
mistake("three-words", "L1", (MEAN, "nats.sum()"), part=1)
mistake("three-words", "L2", (MEAN, "-np.log(q.mean())"), part=1)
mistake("three-words", "L4", ("q.prod()", "q.sum()"), part=1)
mistake("forecasters", "L7", ("argmin", "argmax"), part=2)
mistake("forecasters", "L6", (PICKED, "-np.log(q.max(axis=1))"))
mistake("average-surprisal", "M19", (AVERAGE, "-log_probs[real, targets[real]].sum() / targets.size"))
mistake("average-surprisal", "M20", ("targets != ignore_index", "np.ones(targets.shape, dtype=bool)"))
mistake("average-surprisal", "M21", ("targets != ignore_index", "targets > 0"))
mistake(
    "average-surprisal",
    "M19 and M2",
    (AVERAGE, "-log_probs[real, targets[real]].sum() / np.log(2) / targets.size"),
)
mistake("softmax-gradient", "M5", ("(w / sum(weights) - p_k) / T", "(p_k - w / sum(weights)) / T"))
mistake("softmax-gradient", "L10", ("(w / sum(weights) - p_k) / T", "w / sum(weights) - p_k"))


@case("nothing is answered", **dict.fromkeys(POINTS, ("not answered", "Not answered. ")))
def _(nb):
    for task in POINTS:
        nb.blank(task)


@case("an answer cell is empty", forecasters=("not answered", "Task 2: return the mean surprisals"))
def _(nb):
    nb.answer("forecasters", "")


@case("an answer cell is deleted", forecasters=("not answered", "Task 2: return the mean surprisals"))
def _(nb):
    nb.cells.remove(nb.cell("forecasters"))


@case("half done, the message of the task still at the end", three_words=("not answered", "Task 1: return"))
def _(nb):
    nb.answer(
        "three-words",
        """
        def sentence_cost(q):
            nats = -np.log(q)
            # YOUR CODE HERE
            raise NotImplementedError("Task 1: return a dictionary")
        """,
    )


@case("a syntax error", three_words=("could not run", "The cell raises SyntaxError: line 3"))
def _(nb):
    nb.answer("three-words", "def sentence_cost(q):\n    nats = -np.log(q)\n    return {nats")


@case("an error before the name is defined", softmax_gradient=("could not run", "ZeroDivisionError"))
def _(nb):
    nb.begin("softmax-gradient", "1 / 0")


@case("right in part: not for a single word", three_words=("partial", "costs one bit", 2))
def _(nb):
    nb.change("three-words", ("nats = -np.log(q)", "nats = -np.log(q) if len(q) > 1 else np.zeros(1)"))


@case("no return", forecasters=("zero", "Does the function end with `return`?"))
def _(nb):
    nb.change("forecasters", ("return {", "print({"))
    nb.change("forecasters", ('"not settled"}', '"not settled"})'))


@case("another name", average_surprisal=("not answered", "Task 3"))
def _(nb):
    nb.change("average-surprisal", ("def average_surprisal", "def mean_surprise"))


@case("the function raises an error", average_surprisal=("zero", "function raises KeyError"))
def _(nb):
    nb.change("average-surprisal", ("return ", "return {}['x'] or "))


@case("a result of the wrong shape", three_words=("partial", "shape", 1))
def _(nb):
    nb.change("three-words", ('"bits": nats', '"bits": nats[:1]'))


@case("a key is missing", three_words=("partial", "Its keys must be exactly", 1))
def _(nb):
    nb.change("three-words", ('"hartleys": nats / np.log(10),', ""))


@case("called instead of given", average_surprisal=("zero", "ass the function itself instead of calling it"))
def _(nb):
    nb.end("average-surprisal", "average_surprisal = average_surprisal(*inputs('02.average-surprisal')[0])")


@case("the visible values, written down", average_surprisal=("zero", ""))
def _(nb):
    nb.end(
        "average-surprisal",
        """
        known = {case[0].size: average_surprisal(*case) for case in inputs("02.average-surprisal")}

        def average_surprisal(log_probs, targets, ignore_index):
            return known.get(log_probs.size, 1.0)
        """,
    )


@case("rounded to three digits", average_surprisal=("zero", "Do not round"))
def _(nb):
    nb.change("average-surprisal", ("return ", "return round("), (".mean()", ".mean(), 3)"))


@case("an equation instead of an expression", softmax_gradient=("zero", "is an equation"))
def _(nb):
    nb.end("softmax-gradient", "gradient = [sp.Eq(sp.Symbol('g'), g) for g in gradient]")


@case("a symbol that the task does not have", softmax_gradient=("zero", "contains x"))
def _(nb):
    nb.end("softmax-gradient", "gradient = [g * sp.Symbol('x') for g in gradient]")


@case("an answer that is None", softmax_gradient=("not answered", "Task 5"))
def _(nb):
    nb.end("softmax-gradient", "gradient = None")


@case("a loop that does not end", limits=QUICK, average_surprisal=("could not run", "infinite loop"))
def _(nb):
    nb.change("average-surprisal", ("return ", "n = 3\n    while n > 0:\n        n = n + 1\n    return "))


@case("a call of itself that does not end", average_surprisal=("zero", "RecursionError"))
def _(nb):
    nb.change("average-surprisal", ("return ", "return average_surprisal(log_probs, targets, 0) + "))


@case("an array that is too large", average_surprisal=("could not run", "MB of memory"))
def _(nb):
    nb.change("average-surprisal", ("return ", "x = np.ones((100_000, 20_000))\n    return "))


@case("not JSON", problem="it is not JSON")
def _(nb):
    return b"# Task 1: I have printed my notebook as text."


@case("an empty file", problem="it is not JSON")
def _(nb):
    return b""


@case("JSON, but no notebook", problem="it has no list of cells")
def _(nb):
    return b'{"name": "me"}'


@case(
    "a name is lost because a cell stops",
    three_words=(
        "zero",
        "cell that begins with `import numpy as np` stops at `1 / 0` with ZeroDivisionError",
    ),
)
def _(nb):
    nb.cells[1]["source"] += "\n1 / 0\nBASE = np.e"
    nb.change("three-words", ("nats = -np.log(q)", "nats = -np.log(q) * (BASE / np.e)"))


@case(
    "a name is lost because another answer stops",
    three_words=("could not run", "ZeroDivisionError"),
    average_surprisal=("zero", "The cell of Task 1 stops at `1 / 0` with ZeroDivisionError"),
)
def _(nb):
    nb.begin("three-words", "1 / 0")
    nb.change("average-surprisal", ("return ", "sentence_cost(np.array([0.5])); return "))


@case("a library that is not there is needed", three_words=("zero", "No module named 'polars'"))
def _(nb):
    nb.cells[1]["source"] = "import polars as pl\n" + nb.cells[1]["source"]
    nb.change("three-words", ("nats = -np.log(q)", "nats = -np.log(pl.Series(q))"))


@case(
    "what was made with a library that is not there is needed",
    three_words=(
        "zero",
        "one line failed and was skipped: `table = pl.DataFrame()` raised NameError: name 'pl' is not",
    ),
)
def _(nb):
    nb.add("import polars as pl\ntable = pl.DataFrame()", before="three-words")
    nb.change("three-words", ("nats = -np.log(q)", "table.head(); nats = -np.log(q)"))


@case("a helper in a cell that has a syntax error", three_words=("zero", "stops with SyntaxError: line 2"))
def _(nb):
    nb.add("def helper(q):\n    return -np.log(q", before="three-words")
    nb.change("three-words", ("nats = -np.log(q)", "nats = helper(q)"))


@case("the O-term of a series", softmax_gradient=("zero", "Take it away with `.removeO()`"))
def _(nb):
    nb.end("softmax-gradient", "gradient = [sp.series(g, T, 1, 2) for g in gradient]")


@case("an expression that is infinite", softmax_gradient=("zero", "Look for a division by zero"))
def _(nb):
    nb.end("softmax-gradient", "gradient = [g + 1 / (z[0] - z[0] * sp.Integer(1)) for g in gradient]")


@case("a complex array whose imaginary parts are 0", three_words=("partial", "take `.real`", 1))
def _(nb):
    nb.change("three-words", ('"nats": nats,', '"nats": nats.astype(complex),'))


@case("masked entries", three_words=("partial", "has masked entries. Leave them out", 1))
def _(nb):
    nb.change("three-words", ('"nats": nats,', '"nats": np.ma.masked_less(nats, np.log(1.9)),'))


@case("a coroutine instead of a function", average_surprisal=("zero", "of the type coroutine"))
def _(nb):
    nb.change("average-surprisal", ("def average_surprisal", "async def average_surprisal"))


@case("a blank answer whose test cell was changed", three_words=("not answered", "Task 1: return"))
def _(nb):
    nb.blank("three-words")
    nb.cell("test-three-words")["source"] += "\nprint(sentence_cost(np.array([0.5])))"


@case("a blank answer whose name another cell uses", forecasters=("not answered", "Task 2: return"))
def _(nb):
    nb.blank("forecasters")
    nb.cell("forecasters")["source"] = ""
    nb.add("print(compare_forecasters)", after="forecasters")


@case("a wrong answer typed into the test cell", three_words=("zero", "M2, "))
def _(nb):
    wrong = nb.source("three-words").replace("-np.log(q)", "-np.log2(q)")
    nb.cell("test-three-words")["source"] = wrong + "\n" + nb.source("test-three-words")
    nb.blank("three-words")


@case(
    "syntax of a newer Python",
    three_words=("could not run", "This notebook was written with Python 3.99; the grader runs 3."),
)
def _(nb):
    nb.data["metadata"]["language_info"] = {"name": "python", "version": "3.99.1"}
    nb.answer("three-words", "def sentence_cost(q):\n    return q |> np.log")


@case(
    "a function of a newer standard library",
    three_words=("zero", "This notebook was written with Python 3.99"),
)
def _(nb):
    nb.data["metadata"]["language_info"] = {"name": "python", "version": "3.99.1"}
    nb.answer("three-words", "import math\ndef sentence_cost(q):\n    return math.of_the_future(q)")


@case("a syntax error, the same Python", three_words=("could not run", "line 2: invalid syntax."))
def _(nb):
    nb.answer("three-words", "def sentence_cost(q):\n    return q |> np.log")


@case("an expression in quotes", softmax_gradient=("zero", "but a SymPy expression is expected. Remove the"))
def _(nb):
    nb.end("softmax-gradient", "gradient = [str(g) for g in gradient]")


@case("a function for an expression", softmax_gradient=("zero", "expected. Give the formula itself."))
def _(nb):
    nb.end("softmax-gradient", "gradient = [lambda z: z for g in gradient]")


@case("a named tuple for a dictionary", forecasters=("zero", "becomes one with `._asdict()`."))
def _(nb):
    nb.end(
        "forecasters",
        """
        from collections import namedtuple
        Both = namedtuple("Both", "a b")
        def compare_forecasters(a, b, outcomes):
            return Both(1, 2)
        """,
    )
