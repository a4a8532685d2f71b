"""Cells that the student added: helpers, failures, and what a cell further down puts right."""

from tests.grading.catalogue import QUICK, TORCH, Cases
from tests.grading.catalogue.right import copied

CASES = Cases("right")
case = CASES.case


@case("a helper in a cell of its own")
def _(nb):
    nb.add("def to_nats(q):\n    return -np.log(q)", before="three-words")
    nb.change("three-words", ("nats = -np.log(q)", "nats = to_nats(q)"))


@case("a helper in a cell below its use", three_words=("full", "only defined in a later cell"))
def _(nb):
    nb.add("def to_nats(q):\n    return -np.log(q)")
    nb.change("three-words", ("nats = -np.log(q)", "nats = to_nats(q)"))


@case("a cell that is added fails")
def _(nb):
    nb.add("1 / 0", before="three-words")
    nb.add("this is not Python", before="average-surprisal")


@case("a cell that is added does not end", limits=QUICK)
def _(nb):
    nb.add("while True:\n    pass", before="average-surprisal")


@case("a cell that needs what stands below it, and an answer that needs that cell")
def _(nb):
    nb.add("SCALE = int(LATER)", before="three-words")
    nb.change("three-words", ("-np.log(q)", "-np.log(q) * SCALE"))
    nb.add("LATER = 1")


@case("the source of functions in added cells, and in the halves of an answer")
def _(nb):
    nb.add("def helper(q):\n    return -np.log(q)", before="three-words")
    nb.add(
        "# another cell\nimport inspect\nassert 'np.log' in inspect.getsource(helper)", before="three-words"
    )
    nb.change("three-words", ("-np.log(q)", "-np.log(q) * SCALE"))
    second = "\n\nimport inspect\nassert 'def sentence' in inspect.getsource(sentence_cost)\nSCALE = 1"
    copied(nb, "three-words", second, "three-words")


@case("TorchScript of a function in another added cell", limits=TORCH)
def _(nb):
    script = "import torch\n\ndef cost(q: torch.Tensor) -> torch.Tensor:\n    return -torch.log(q)"
    nb.add(script, before="three-words")
    nb.add("fast = torch.jit.script(cost)", before="three-words")
    nb.change("three-words", ("-np.log(q)", "fast(torch.tensor(q)).numpy()"))


@case("a method that a cell below attaches", three_words=("full", "only defined in a later cell"))
def _(nb):
    nb.begin("three-words", "class Costs:\n    pass")
    nb.change("three-words", ("-np.log(q)", "Costs.nats(q)"))
    nb.add("Costs.nats = staticmethod(lambda q: -np.log(q))")


@case("an entry that a cell below adds", three_words=("full", "only defined in a later cell"))
def _(nb):
    nb.begin("three-words", "COSTS = {}")
    nb.change("three-words", ("-np.log(q)", "COSTS['nats'](q)"))
    nb.add("COSTS['nats'] = lambda q: -np.log(q)")


@case("a module that a cell below writes", three_words=("full", "only defined in a later cell"))
def _(nb):
    nb.begin("three-words", "from written_below import cost")
    nb.change("three-words", ("-np.log(q)", "cost(q)"))
    nb.add("%%writefile written_below.py\nimport numpy\ndef cost(q):\n    return -numpy.log(q)")


@case(
    "a cell that raises for want of a cell below it",
    softmax_gradient=("full", "only defined in a later cell"),
)
def _(nb):
    nb.begin("softmax-gradient", "one = np.below")
    nb.add("np.below = 1")
