"""Code in or below a check cell, and copies of answers and checks."""

from tests.grading.catalogue import Cases
from tests.grading.catalogue.right import copied

CASES = Cases("right")
case = CASES.case


def experiment(nb):
    """The right answer of Task 1, changed into a wrong one to see what happens."""
    return nb.source("three-words").replace("-np.log(q)", "-np.log2(q)")


@case("the answer typed into the test cell, above the check")
def _(nb):
    nb.cell("test-three-words")["source"] = nb.source("three-words") + "\n" + nb.source("test-three-words")
    nb.blank("three-words")


@case("an answer and its test cell merged, with the test's metadata")
def _(nb):
    nb.cell("test-forecasters")["source"] = nb.source("forecasters") + "\n\n" + nb.source("test-forecasters")
    nb.cells.remove(nb.cell("forecasters"))


@case("an expression set in the test cell, the answer cell used for notes")
def _(nb):
    tested = nb.source("softmax-gradient") + "\n" + nb.source("test-softmax-gradient")
    nb.cell("test-softmax-gradient")["source"] = tested
    nb.answer("softmax-gradient", "weights = [1, 2]")


@case("a helper typed into the test cell")
def _(nb):
    nb.change("three-words", ("-np.log(q)", "cost_of(q)"))
    nb.cell("test-three-words")["source"] = (
        "def cost_of(q):\n    return -np.log(q)\n"
        + nb.source("test-three-words")
        + "\nassert cost_of(1) == 7"
    )


@case("an experiment below the check, in the check cell")
def _(nb):
    nb.cell("test-three-words-2")["source"] += "\n" + experiment(nb)
    nb.cell("test-softmax-gradient")["source"] += "\n\ngradient = [1]\nprint(gradient)"


@case("a check on several lines, and an experiment below it")
def _(nb):
    nb.cell("test-average-surprisal")["source"] = (
        'check(\n    "02.average-surprisal",\n    average_surprisal,\n)\naverage_surprisal = None'
    )


@case("an answer cell that ends with its check and an experiment, the check cell deleted")
def _(nb):
    nb.end("forecasters", 'check("02.forecasters", compare_forecasters)\ncompare_forecasters = None')
    nb.cells.remove(nb.cell("test-forecasters"))


@case("an answer cell with a check, corrected below it in the same cell")
def _(nb):
    right = nb.source("three-words")
    nb.answer("three-words", experiment(nb) + '\ncheck("02.three-words", sentence_cost)\n' + right)


@case("a check in a text, and the answer below it")
def _(nb):
    nb.begin("forecasters", '"""\ncheck("02.forecasters", compare_forecasters)\nfirst\n"""')


@case("the answer typed into the check cell, below the check")
def _(nb):
    nb.cell("test-forecasters")["source"] += "\n" + nb.source("forecasters")
    nb.blank("forecasters")


@case("an answer corrected in a copy of its cell, and checked again")
def _(nb):
    copied(nb, "average-surprisal", nb.source("average-surprisal"), "test-average-surprisal")
    nb.cells.insert(nb.cells.index(nb.cell("test-average-surprisal")) + 2, nb.cell("test-average-surprisal"))
    nb.change("average-surprisal", ("return -", "return "))


@case("a copy of an answer cell with the right answer, a check and an experiment")
def _(nb):
    again = '\nfor answer in [compare_forecasters]:\n    check("02.forecasters", answer)\n'
    copied(nb, "forecasters", nb.source("forecasters") + again + "compare_forecasters = None", None)
    nb.change("forecasters", ("argmin", "argmax"))


@case("an experiment in a new cell, with a check of its own")
def _(nb):
    nb.add(experiment(nb) + '\ncheck("02.three-words", sentence_cost)')


@case("a copy of an answer cell, changed for an experiment")
def _(nb):
    copied(nb, "three-words", experiment(nb), "test-three-words-2")
    copied(nb, "average-surprisal", "del average_surprisal", None)
    copied(nb, "forecasters", "1 / 0", "test-forecasters")


@case("a copy of a check cell, used for an experiment")
def _(nb):
    copied(nb, "test-forecasters", "compare_forecasters = None", "test-forecasters")
    copied(nb, "test-average-surprisal", "average_surprisal = print", None)


@case("a copy of the cell of Task 1, with the answer of Task 5 in it")
def _(nb):
    copied(nb, "three-words", nb.source("softmax-gradient"), "softmax-gradient")
    nb.blank("softmax-gradient")


@case("a copy of the set-up cell above a helper")
def _(nb):
    nb.add("SIGN = 1", before="three-words")
    nb.change("three-words", ("-np.log(q)", "-np.log(q) * SIGN"))
    nb.add(nb.cells[1]["source"], before="average-surprisal")
    nb.add("SIGN = -1", before="average-surprisal")
    nb.change("average-surprisal", ("return ", "return -SIGN * "))


@case("an answer in two cells, and a cell between them")
def _(nb):
    second = nb.source("softmax-gradient").replace("- p_k) / T", "- p_k) / half * 2")
    nb.answer("softmax-gradient", "half = T")
    copied(nb, "softmax-gradient", second, "softmax-gradient")
    nb.add("half = 2 * half", after="softmax-gradient")
