"""Honest submissions that are right, in ways that have cost marks elsewhere. All deserve full marks."""

import json

from tests.grading.catalogue import Case

CASES = []


def case(name, **deserves):
    def note(make):
        CASES.append(Case(name, "right", make, {k.replace("_", "-"): v for k, v in deserves.items()}))
        return make

    return note


@case("as it should be")
def _(nb):
    pass


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


@case("a byte-order mark before the file")
def _(nb):
    return b"\xef\xbb\xbf" + nb.file()


@case("saved as UTF-16")
def _(nb):
    return json.dumps(nb.data, ensure_ascii=False).encode("utf-16")


@case("a test cell copied with its metadata")
def _(nb):
    copied = json.loads(json.dumps(nb.cell("test-three-words")))
    nb.cells.insert(3, copied)
    nb.cells.append(copied)


@case("an answer cell copied, the first one left blank")
def _(nb):
    copied = json.loads(json.dumps(nb.cell("average-surprisal")))
    nb.blank("average-surprisal")
    nb.cells.insert(nb.cells.index(nb.cell("average-surprisal")) + 1, copied)


@case("the answer in a new cell above the blank one")
def _(nb):
    nb.add(nb.source("forecasters"), before="forecasters")
    nb.blank("forecasters")


@case("all metadata and ids are gone")
def _(nb):
    nb.data["metadata"] = {}
    nb.data["nbformat_minor"] = 4
    for cell in nb.cells:
        cell["metadata"] = {}
        del cell["id"]


@case("nbgrader's metadata is gone, the ids are there")
def _(nb):
    for cell in nb.cells:
        cell["metadata"] = {}


@case("another kernel's name")
def _(nb):
    nb.data["metadata"] = {
        "kernelspec": {"name": "conda-env-lm-py", "display_name": "lm", "language": "python"}
    }


@case("cells out of order, with tests first")
def _(nb):
    nb.cells.sort(key=lambda cell: not cell["id"].startswith("test-"))


@case("cells in the opposite order")
def _(nb):
    nb.cells.reverse()


@case("notebook format 3")
def _(nb):
    cells = []
    for cell in nb.cells:
        old = {"cell_type": cell["cell_type"], "metadata": cell["metadata"]}
        if cell["cell_type"] == "code":
            old |= {"input": cell["source"], "language": "python", "outputs": [], "collapsed": False}
        else:
            old["source"] = cell["source"]
        cells.append(old)
    return json.dumps({"nbformat": 3, "metadata": {"name": ""}, "worksheets": [{"cells": cells}]}).encode()


@case("saved by Colab")
def _(nb):
    nb.data["metadata"]["colab"] = {"provenance": []}
    nb.data["nbformat_minor"] = 0
    for i, cell in enumerate(nb.cells):
        cell["metadata"]["id"] = f"Xy{i}"
        cell["source"] = cell["source"].splitlines(keepends=True)
        del cell["id"]


@case("saved by VS Code")
def _(nb):
    for cell in nb.cells:
        cell["metadata"]["vscode"] = {"languageId": "python"}
        cell["source"] = cell["source"].splitlines(keepends=True)


@case("line ends of Windows, and blanks at line ends")
def _(nb):
    for cell in nb.cells:
        cell["source"] = cell["source"].replace("\n", "   \r\n")


@case("large outputs are stored")
def _(nb):
    nb.cell("three-words")["outputs"] = [{"output_type": "stream", "name": "stdout", "text": "x" * 3_000_000}]


@case("set-up and test cells are deleted")
def _(nb):
    nb.data["cells"] = [c for c in nb.cells if c["metadata"].get("nbgrader", {}).get("solution")]


@case("an import is added to the set-up cell")
def _(nb):
    nb.cells[1]["source"] += "\nfrom math import fsum"
    nb.change(
        "average-surprisal", ("return ", "return -fsum(log_probs[real, targets[real]]) / real.sum()  # ")
    )


@case("a helper in a cell of its own")
def _(nb):
    nb.add("def to_nats(q):\n    return -np.log(q)", before="three-words")
    nb.change("three-words", ("nats = -np.log(q)", "nats = to_nats(q)"))


@case("a helper in a cell below its use", three_words=("full", "a cell below it defines"))
def _(nb):
    nb.add("def to_nats(q):\n    return -np.log(q)")
    nb.change("three-words", ("nats = -np.log(q)", "nats = to_nats(q)"))


@case("magics, shell lines and questions")
def _(nb):
    nb.begin("three-words", "%matplotlib inline\n!pip install something\nnp.log?")
    nb.begin("softmax-gradient", "%%time")
    nb.add("%%bash\nls -l", after="three-words")
    nb.add("files = !ls", after="three-words")


@case("display() and a figure")
def _(nb):
    nb.end("three-words", "display(sentence_cost(np.array([0.5])))")


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


@case("a tensor of PyTorch")
def _(nb):
    nb.change(
        "three-words",
        ('"nats": nats,', '"nats": __import__("torch").from_numpy(nats),'),
    )


@case("a thread goes on in the background")
def _(nb):
    nb.begin("three-words", "import threading, time\nthreading.Thread(target=time.sleep, args=(60,)).start()")


@case("a cell that is added fails")
def _(nb):
    nb.add("1 / 0", before="three-words")
    nb.add("this is no Python", before="average-surprisal")


@case("a cell that is added does not end")
def _(nb):
    nb.add("while True:\n    pass", before="average-surprisal")


@case("names of the tools are used for something else")
def _(nb):
    nb.end("three-words", "check = check_hidden = inputs = list = dict = abs = float = None")


# What notebooks elsewhere have, and what an answer may be made of

MISSING = ("nats = -np.log(q)", "nats = -np.log(q) * (LOG_BASE / np.e)")


@case("Colab's drive is mounted in the set-up cell")
def _(nb):
    drive = "from google.colab import drive\ndrive.mount('/content/drive')\n"
    nb.cells[1]["source"] = drive + nb.cells[1]["source"] + "\nLOG_BASE = np.e"
    nb.change("three-words", MISSING)


@case("a library that is not there is imported and not needed")
def _(nb):
    added = "\nLOG_BASE = np.e"
    nb.cells[1]["source"] = "import pandas as pd, numpy as np\n" + nb.cells[1]["source"] + added
    nb.change("three-words", MISSING)


@case("a failing import in the cell of an answer")
def _(nb):
    nb.begin("average-surprisal", "import seaborn as sns\nsns.set_theme()\nfrom pandas import DataFrame")


@case("a table that only shows something is lost with its library")
def _(nb):
    nb.add("import pandas as pd\ntable = pd.DataFrame()\ntable.head()\nLOG_BASE = np.e", before="three-words")
    nb.change("three-words", MISSING)


@case("await in a cell")
def _(nb):
    source = """
    import asyncio

    async def two():
        await asyncio.sleep(0.01)
        return np.e

    LOG_BASE = await two()
    async with asyncio.Lock():
        pass
    """
    nb.add(source, before="three-words")
    nb.change("three-words", MISSING)


@case("the annotations of a later Python")
def _(nb):
    nb.begin("three-words", "from __future__ import annotations\ncount: Undefined | None = None")


@case("magics by get_ipython()")
def _(nb):
    nb.begin(
        "three-words",
        """
        ip = get_ipython()
        ip.run_line_magic("matplotlib", "inline")
        ip.magic("load_ext autoreload")
        ip.system("pip install something")
        files = ip.getoutput("ls")
        ip.config.InlineBackend.figure_format = "retina"
        ip.events.register("post_execute", print)
        ip.run_cell("LOG_BASE = np.e")
        assert ip.user_ns["LOG_BASE"] == LOG_BASE and "IPKernelApp" not in ip.config
        """,
    )
    nb.change("three-words", MISSING)


@case("IPython's display, and its get_ipython")
def _(nb):
    nb.begin(
        "three-words",
        """
        from IPython import get_ipython
        from IPython.display import HTML, Markdown, Math, clear_output, display
        get_ipython().run_line_magic("time", "1 + 1")
        display(HTML("<b>so</b>"), Markdown("so"))
        clear_output(wait=True)
        Math("x")
        """,
    )


@case("a figure, and a bar of progress")
def _(nb):
    nb.add(
        """
        import matplotlib.pyplot as plt
        from tqdm.auto import tqdm
        for _ in tqdm(range(3)):
            plt.plot([1, 2])
        plt.show()
        """,
        before="three-words",
    )


@case("thirty-two threads")
def _(nb):
    nb.add("from concurrent.futures import ThreadPoolExecutor\nimport time", before="three-words")
    threads = (
        "with ThreadPoolExecutor(32) as pool:\n        list(pool.map(time.sleep, [0.02] * 64))\n        "
    )
    nb.change("three-words", ("nats = -np.log(q)", threads + "nats = -np.array(list(pool.map(np.log, q)))"))


@case("a pool of processes in a function")
def _(nb):
    nb.add("import multiprocessing as mp\ndef work(x):\n    return -np.log(x)", before="three-words")
    pool = "with mp.get_context('fork').Pool(2) as pool:\n        nats = np.array(pool.map(work, q))"
    nb.change("three-words", ("nats = -np.log(q)", pool))


@case("a pool with as many processes as there are processors")
def _(nb):
    nb.add(
        """
        import multiprocessing
        def root(x):
            return x**0.5
        with multiprocessing.Pool() as pool:
            assert pool.map(root, [4.0] * 100) == [2.0] * 100
        """,
        before="three-words",
    )


@case("pools that a cell above has made")
def _(nb):
    nb.add(
        """
        import multiprocessing as mp
        from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
        def work(x):
            return -np.log(x)
        threads, processes, pool = ThreadPoolExecutor(2), ProcessPoolExecutor(2), mp.Pool(2)
        assert list(threads.map(abs, [1, -1])) == list(processes.map(abs, [1, -1])) == pool.map(abs, [1, -1])
        """,
        before="three-words",
    )
    nb.change("three-words", ("nats = -np.log(q)", "nats = np.array(list(threads.map(work, q)))"))
    nb.change("three-words", ("return {", "assert np.allclose(nats, pool.map(work, q))\n    return {"))
    nb.change(
        "three-words", ("return {", "assert np.allclose(nats, list(processes.map(work, q)))\n    return {")
    )


@case("locks, semaphores, queues and shared memory")
def _(nb):
    nb.add(
        """
        import multiprocessing as mp
        from multiprocessing import shared_memory
        lock, places, queue, total = mp.Lock(), mp.Semaphore(3), mp.Queue(), mp.Value("i", 0)
        def work():
            with lock, places:
                total.value += 1
            queue.put(1)
        started = [mp.Process(target=work) for _ in range(3)]
        for process in started:
            process.start()
        for process in started:
            process.join()
        assert total.value == 3
        block = shared_memory.SharedMemory(create=True, size=100)
        block.close()
        block.unlink()
        LOG_BASE = np.e
        """,
        before="three-words",
    )
    nb.change("three-words", MISSING)


@case("joblib, with threads")
def _(nb):
    nb.begin(
        "three-words",
        "from joblib import Parallel, delayed\n"
        "assert Parallel(n_jobs=2, prefer='threads')(delayed(abs)(x) for x in [-1, 1]) == [1, 1]",
    )


@case("an answer of four hundred thousand characters")
def _(nb):
    nb.begin("three-words", "table = '" + "x" * 400_000 + "'")


@case("two thousand cells before the answers")
def _(nb):
    nb.data["cells"] = nb.cells[:2] + [{**nb.cells[0], "id": f"n{i}"} for i in range(2100)] + nb.cells[2:]


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


@case("arrays of objects, and lists of tensors")
def _(nb):
    nb.change("three-words", ('"nats": nats,', '"nats": np.array(list(nats), dtype=object),'))
    nb.change("three-words", ("q.prod()", "__import__('torch').tensor(q.prod())"))
    torches = "[__import__('torch').tensor(x) for x in nats / np.log(2)]"
    nb.change("three-words", ('"bits": nats / np.log(2),', f'"bits": {torches},'))


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


@case("answers behind %time and %prun")
def _(nb):
    nb.begin("three-words", "%time LOG_BASE = np.e")
    nb.change("three-words", ("-np.log(q)", "-np.log(q) / np.log(LOG_BASE)"))
    source = nb.source("softmax-gradient").replace("weights =", "%time weights =")
    nb.answer("softmax-gradient", source.replace("gradient =", "%prun -s cumtime gradient ="))


@case("a magic called by its function")
def _(nb):
    nb.begin(
        "three-words",
        "get_ipython().run_line_magic('time', 'LOG_BASE = np.e')\nwhole = %time np.log(LOG_BASE)",
    )
    nb.change("three-words", ("-np.log(q)", "-np.log(q) / whole"))


@case("an answer cell that is indented as a whole")
def _(nb):
    lines = nb.source("average-surprisal").splitlines()
    nb.cell("average-surprisal")["source"] = "\n".join("    " + line for line in lines)


@case("prompts of Python and of IPython copied with the code")
def _(nb):
    first, *lines = nb.source("forecasters").splitlines()
    nb.cell("forecasters")["source"] = "\n".join([f">>> {first}", *(f"... {line}" for line in lines)])
    nb.change("three-words", ("-np.log(q)", "-np.log(q) * SCALE"))
    nb.add("In [3]: SCALE = 1", before="three-words")


@case("magics beside lines that begin with an operator, and a command on two lines")
def _(nb):
    nb.begin(
        "three-words",
        """
        %matplotlib inline
        !pip install \\
            something
        one = (7
        % 3)
        sure = (1
        != 2)
        files = !ls
        assert one == 1 and sure and len(files) == 0
        """,
    )


@case("a magic beside a text with the line ends of other systems")
def _(nb):
    nb.begin("three-words", "%matplotlib inline\nSIGNS = 'a\u2028b\x85c\x0cd'\nassert len(SIGNS) == 7")


@case("from __future__ import annotations in a cell above")
def _(nb):
    nb.add("from __future__ import annotations", before="three-words")
    nb.change("three-words", ("def sentence_cost(q)", "def sentence_cost(q: Probabilities) -> Costs"))


@case("a helper module that %%writefile writes, imported and run")
def _(nb):
    nb.add(
        "%%writefile my_costs.py\nimport numpy\ndef cost_of(q):\n    return -numpy.log(q)",
        before="three-words",
    )
    nb.begin("three-words", "from my_costs import cost_of\n%run my_costs.py\nassert numpy.e > 2")
    nb.change("three-words", ("-np.log(q)", "cost_of(q)"))


@case("the last output is used as _")
def _(nb):
    nb.add("np.log(np.e)", before="three-words")
    nb.begin("three-words", "LOG_BASE = _")
    nb.change("three-words", ("-np.log(q)", "-np.log(q) / LOG_BASE"))


@case("a missing package inside a class and a with statement")
def _(nb):
    nb.begin(
        "three-words",
        """
        class Chart:
            import no_such_package
        with open("notes.txt", "w") as stream:
            from no_such_package import write
        """,
    )


@case("a cell that needs what stands below it, and an answer that needs that cell")
def _(nb):
    nb.add("SCALE = int(LATER)", before="three-words")
    nb.change("three-words", ("-np.log(q)", "-np.log(q) * SCALE"))
    nb.add("LATER = 1")


@case("input() above an answer")
def _(nb):
    nb.begin("three-words", "name = input('Your name: ')")


# Code below a check, copies of cells, and what a cell further down puts right


def experiment(nb):
    """The right answer of Task 1, changed into a wrong one to see what happens."""
    return nb.source("three-words").replace("-np.log(q)", "-np.log2(q)")


def copied(nb, name, source, after):
    """Copy a cell with its metadata below another one, as JupyterLab does, and change the copy."""
    names = [cell["metadata"].get("nbgrader", {}).get("grade_id") for cell in nb.cells]
    made = {**json.loads(json.dumps(nb.cell(name))), "id": "copied", "source": source}
    nb.cells.insert(names.index(after) + 1 if after else len(nb.cells), made)


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


@case("the source of functions in added cells, and in the halves of an answer")
def _(nb):
    nb.add("def helper(q):\n    return -np.log(q)", before="three-words")
    nb.add(
        "# another cell\nimport inspect\nassert 'np.log' in inspect.getsource(helper)", before="three-words"
    )
    nb.change("three-words", ("-np.log(q)", "-np.log(q) * SCALE"))
    second = "\n\nimport inspect\nassert 'def sentence' in inspect.getsource(sentence_cost)\nSCALE = 1"
    copied(nb, "three-words", second, "three-words")


@case("TorchScript of a function in another added cell")
def _(nb):
    script = "import torch\n\ndef cost(q: torch.Tensor) -> torch.Tensor:\n    return -torch.log(q)"
    nb.add(script, before="three-words")
    nb.add("fast = torch.jit.script(cost)", before="three-words")
    nb.change("three-words", ("-np.log(q)", "fast(torch.tensor(q)).numpy()"))


@case("a method that a cell below attaches", three_words=("full", "a cell below it defines"))
def _(nb):
    nb.begin("three-words", "class Costs:\n    pass")
    nb.change("three-words", ("-np.log(q)", "Costs.nats(q)"))
    nb.add("Costs.nats = staticmethod(lambda q: -np.log(q))")


@case("an entry that a cell below adds", three_words=("full", "a cell below it defines"))
def _(nb):
    nb.begin("three-words", "COSTS = {}")
    nb.change("three-words", ("-np.log(q)", "COSTS['nats'](q)"))
    nb.add("COSTS['nats'] = lambda q: -np.log(q)")


@case("a module that a cell below writes", three_words=("full", "a cell below it defines"))
def _(nb):
    nb.begin("three-words", "from written_below import cost")
    nb.change("three-words", ("-np.log(q)", "cost(q)"))
    nb.add("%%writefile written_below.py\nimport numpy\ndef cost(q):\n    return -numpy.log(q)")


@case("a cell that raises for want of a cell below it", softmax_gradient=("full", "a cell below it defines"))
def _(nb):
    nb.begin("softmax-gradient", "one = np.below")
    nb.add("np.below = 1")
