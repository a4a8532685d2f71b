"""What an answer is made of, and what it does beside answering."""

from tests.grading.catalogue import TORCH, Cases

CASES = Cases("right")
case = CASES.case


@case("prints a thousand lines in every call")
def _(nb):
    nb.change("three-words", ("nats = -np.log(q)", "print('so it is\\n' * 1000)\n    nats = -np.log(q)"))


@case("warns in every call")
def _(nb):
    nb.change(
        "average-surprisal",
        ("real = ", "import warnings; warnings.warn('careful'); np.log(np.zeros(1)); real = "),
    )


@case("turns warnings into errors")
def _(nb):
    nb.end("three-words", "import warnings\nwarnings.simplefilter('error')\nnp.seterr(all='raise')")


@case("ends a cell with quit()")
def _(nb):
    nb.end("three-words", "quit()")


@case("ends a cell with sys.exit(0)")
def _(nb):
    nb.end("softmax-gradient", "import sys\nsys.exit(0)")


@case("lists where arrays are expected, Python numbers where NumPy's are")
def _(nb):
    nb.change("three-words", ('"nats": nats,', '"nats": nats.tolist(),'), ("q.prod()", "float(q.prod())"))


@case("a lambda instead of a function")
def _(nb):
    nb.answer(
        "average-surprisal",
        "average_surprisal = lambda lp, t, skip: -lp[t != skip, t[t != skip]].mean()",
    )


@case("an object that can be called")
def _(nb):
    nb.answer(
        "average-surprisal",
        """
        class Average:
            def __call__(self, log_probs, targets, ignore_index):
                real = targets != ignore_index
                return -log_probs[real, targets[real]].mean()

        average_surprisal = Average()
        """,
    )


@case("changes its inputs in place")
def _(nb):
    nb.change("three-words", ("nats = -np.log(q)", "nats = -np.log(q); p = q.copy(); q *= 0"))
    nb.change("three-words", ("q.prod()", "p.prod()"))


@case("an ordered dictionary")
def _(nb):
    nb.change("three-words", ("return {", "from collections import OrderedDict\n    return OrderedDict({"))
    nb.change("three-words", ("nats.mean(),\n    }", "nats.mean(),\n    })"))


@case("other assumptions about the symbols, and a Matrix")
def _(nb):
    nb.answer(
        "softmax-gradient",
        """
        Z, P, t = sp.symbols("z1:4"), sp.symbols("p1:4"), sp.Symbol("T")
        loss = -sum(p_k * sp.log(sp.exp(z_k / t) / sum(sp.exp(x / t) for x in Z)) for p_k, z_k in zip(P, Z))
        gradient = sp.Matrix([sp.diff(loss, x) * 1 for x in Z]).subs(P[2], 1 - P[0] - P[1])
        """,
    )


@case("a tensor of PyTorch", limits=TORCH)
def _(nb):
    nb.change(
        "three-words",
        ('"nats": nats,', '"nats": __import__("torch").from_numpy(nats),'),
    )


@case("names of the tools are used for something else")
def _(nb):
    nb.end("three-words", "check = check_hidden = inputs = list = dict = abs = float = None")


@case("the annotations of a later Python")
def _(nb):
    nb.begin("three-words", "from __future__ import annotations\ncount: Undefined | None = None")


@case("an answer of four hundred thousand characters")
def _(nb):
    nb.begin("three-words", "table = '" + "x" * 400_000 + "'")


@case("a file of its own is written and read again")
def _(nb):
    nb.add("np.save('table.npy', np.array([np.e]))", before="three-words")
    nb.change("three-words", ("nats = -np.log(q)", "nats = -np.log(q) * (np.load('table.npy')[0] / np.e)"))


@case("long floats of NumPy")
def _(nb):
    nb.change("three-words", ("nats = -np.log(q)", "nats = -np.log(q.astype(np.longdouble))"))
    nb.change("average-surprisal", ("return ", "return np.longdouble(1) * "))


@case("fractions, decimals and SymPy's numbers")
def _(nb):
    nb.begin("three-words", "from decimal import Decimal\nfrom fractions import Fraction")
    nb.change("three-words", ("q.prod()", "Fraction(float(q.prod()))"))
    nb.change("three-words", ('"nats": nats,', '"nats": [sp.Float(x, 20) for x in nats],'))
    nb.change("average-surprisal", ("return ", "return Decimal(1) * __import__('decimal').Decimal(float("))
    nb.change("average-surprisal", (".mean()", ".mean()))"))


@case("arrays of objects, and lists of tensors", limits=TORCH)
def _(nb):
    nb.change("three-words", ('"nats": nats,', '"nats": np.array(list(nats), dtype=object),'))
    nb.change("three-words", ("q.prod()", "__import__('torch').tensor(q.prod())"))
    torches = "[__import__('torch').tensor(x) for x in nats / np.log(2)]"
    nb.change("three-words", ('"bits": nats / np.log(2),', f'"bits": {torches},'))


@case("from __future__ import annotations in a cell above")
def _(nb):
    nb.add("from __future__ import annotations", before="three-words")
    nb.change("three-words", ("def sentence_cost(q)", "def sentence_cost(q: Probabilities) -> Costs"))
