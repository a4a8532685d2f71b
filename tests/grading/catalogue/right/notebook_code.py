"""Code that a notebook elsewhere runs: missing libraries, ``await``, magics, prompts, figures."""

from tests.grading.catalogue import Cases
from tests.grading.catalogue.right import MISSING

CASES = Cases("right")
case = CASES.case


@case("magics, shell lines and questions")
def _(nb):
    nb.begin("three-words", "%matplotlib inline\n!pip install something\nnp.log?")
    nb.begin("softmax-gradient", "%%time")
    nb.add("%%bash\nls -l", after="three-words")
    nb.add("files = !ls", after="three-words")


@case("display() and a figure")
def _(nb):
    nb.end("three-words", "display(sentence_cost(np.array([0.5])))")


@case("Colab's drive is mounted in the set-up cell")
def _(nb):
    drive = "from google.colab import drive\ndrive.mount('/content/drive')\n"
    nb.cells[1]["source"] = drive + nb.cells[1]["source"] + "\nLOG_BASE = np.e"
    nb.change("three-words", MISSING)


@case("a library that is not there is imported and not needed")
def _(nb):
    added = "\nLOG_BASE = np.e"
    nb.cells[1]["source"] = "import polars as pl, numpy as np\n" + nb.cells[1]["source"] + added
    nb.change("three-words", MISSING)


@case("a failing import in the cell of an answer")
def _(nb):
    nb.begin("average-surprisal", "import seaborn as sns\nsns.set_theme()\nfrom polars import DataFrame")


@case("a table that only shows something is lost with its library")
def _(nb):
    nb.add("import polars as pl\ntable = pl.DataFrame()\ntable.head()\nLOG_BASE = np.e", before="three-words")
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


@case("input() above an answer")
def _(nb):
    nb.begin("three-words", "name = input('Your name: ')")
