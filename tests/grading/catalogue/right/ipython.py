"""What IPython adds to Python: commands, magics, an event loop."""

from tests.grading.catalogue import Cases

CASES = Cases("right")
case = CASES.case
SCALED = ("nats = -np.log(q)", "nats = -np.log(q) * SCALE")


def above(name, source):
    """Code above an answer, in its cell, that the answer needs: it has to set SCALE to 1."""

    @case(name)
    def _(nb):
        nb.begin("three-words", source)
        nb.change("three-words", SCALED)


above(
    "%cd to a folder of Colab, home, and back",
    """
    import os
    here = os.getcwd()
    %cd /content/drive/MyDrive/course
    %cd ~
    os.makedirs("a folder", exist_ok=True)
    %cd "a folder"
    %cd -
    %cd /content
    SCALE = int(os.path.samefile(os.getcwd(), os.path.expanduser("~")))
    %cd -q {here}
    """,
)
above(
    "a folder by !mkdir and %mkdir, a file by !echo",
    """
    !mkdir -p out
    %mkdir again
    get_ipython().system("mkdir third")
    np.save("out/a.npy", np.ones(1))
    !cp out/a.npy again/b.npy
    %cp again/b.npy third/c.npy
    !echo 1.0 > scale.txt
    SCALE = float(open("scale.txt").read()) * np.load("third/c.npy")[0]
    """,
)
above(
    "the output of commands",
    """
    path = !pwd
    count = !echo 1
    name = "three"
    values = %sx printf 'one\\ntwo\\n{name}\\n'
    assert path[0].startswith("/") and path.s == path.n and values.grep("t").fields() == [["two"], ["three"]]
    assert get_ipython().getoutput("false") == [] and _exit_code == 1
    SCALE = int(count[0])
    """,
)
above(
    "commands that install, beside one that does something",
    """
    import sys, time
    began = time.monotonic()
    !pip install -q something && mkdir after_pip
    !sudo apt-get install -y something; {sys.executable} -m pip install something
    %pip install something
    np.save("after_pip/a.npy", [1])
    SCALE = int(time.monotonic() - began < 5)
    """,
)


@case("%%bash makes a folder for a cell below")
def _(nb):
    nb.add("%%bash --out said\nmkdir -p data\necho 1 > data/scale.txt\necho made", before="three-words")
    nb.begin("three-words", "assert said == 'made\\n'\nSCALE = int(open('data/scale.txt').read())")
    nb.change("three-words", SCALED)


above(
    "variables of the environment",
    """
    import getpass, os
    %env LEVEL=1
    %set_env OTHER two words
    level = %env LEVEL
    assert os.environ["OTHER"] == "two words" and os.environ["USER"] == getpass.getuser()
    SCALE = int(os.environ["LEVEL"]) * int(level)
    """,
)
above(
    "a missing package on one line with others, in a with, and in a call",
    """
    import importlib, warnings
    import polars as pl, functools
    from scipy import no_such_part, special
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import seaborn, plotly as px, operator
        if True:
            from polars import DataFrame
            import math as m
    sns = importlib.import_module("seaborn")
    pl = __import__("polars")
    for module in ["polars"]:
        globals()[module] = importlib.import_module(module)
    def shown():
        import polars
        return polars.DataFrame()
    shown()
    def annotated(table: pl.DataFrame) -> px.Figure:
        return 1
    SCALE = annotated(0) * functools.reduce(operator.mul, [1, 1]) * special.xlogy(1, m.e)
    """,
)
above(
    "%timeit -o, compared and printed",
    """
    fast = %timeit -o -n1 -r1 sum(range(9))
    slow = %timeit -q -o -n 2 sum(range(9_000))
    print(f"{fast.average:.2e} {fast.best * 1e6:.3g} {fast.stdev:.1f} {fast}", fast.all_runs, fast.loops)
    SCALE = int(fast.average < slow.average)
    """,
)


@case("%time and %timeit inside a function")
def _(nb):
    nb.change(
        "three-words",
        (
            "nats = -np.log(q)",
            "%time np.log(q).sum()\n    nats = %time -np.log(q)\n    %prun sum(x for x in q if len(nats))\n"
            "    took = %timeit -o -n1 [len(nats) for x in q]\n    assert took.best >= 0",
        ),
    )


above(
    "a display that is updated",
    """
    import IPython.display
    shown = display("start", display_id=True)
    shown.update("done")
    other = IPython.display.display(IPython.display.Markdown("a"), display_id="b")
    other.update(IPython.display.HTML("c"))
    IPython.display.DisplayHandle().display("d")
    IPython.display.update_display("e", display_id="b")
    SCALE = 1
    """,
)
above(
    "get_ipython().push, %who_ls, %pylab and a file that was not handed in",
    """
    get_ipython().push({"ONE": 1})
    get_ipython().magic("env LEVEL=1")
    names = %who_ls
    %pylab inline
    %run plot_style.py
    assert "ONE" in names and get_ipython().execution_count > 0
    assert type(get_ipython()).__name__ == "ZMQInteractiveShell"
    SCALE = linspace(0, ONE, 3)[-1]
    """,
)


@case("a task of asyncio that the next statement and the next cell await")
def _(nb):
    nb.add(
        """
        import asyncio
        async def one():
            await asyncio.sleep(0.01)
            return 1
        task = asyncio.create_task(one())
        later = asyncio.get_running_loop().create_task(one())
        first = await task
        """,
        before="three-words",
    )
    nb.begin(
        "three-words",
        """
        both = await asyncio.gather(later, one())
        SCALE = first * both[0] * asyncio.run(one())
        """,
    )
    nb.change("three-words", SCALED)


above(
    "figures for a window",
    """
    import matplotlib
    matplotlib.use("TkAgg")
    import matplotlib.pyplot as plt
    plt.plot([1, 2])
    plt.show()
    plt.switch_backend("QtAgg")
    matplotlib.use("Qt5Agg")
    plt.figure()
    plt.savefig("figure.png")
    SCALE = 1
    """,
)


@case("cell magics that the grader does not know")
def _(nb):
    nb.begin("three-words", "%%memit\nimport no_such_package\nSCALE = 1")
    nb.change("three-words", SCALED)
    nb.begin("average-surprisal", "%%timeit -n1 SCALE = 1\nassert SCALE == 1")
    nb.begin("softmax-gradient", "%%capture --no-stderr output\n%%unknown -x 3")
    nb.end("softmax-gradient", "output")


@case("a byte-order mark in a cell, line ends twice, and breakpoint()")
def _(nb):
    nb.cell("forecasters")["source"] = "\ufeff" + nb.source("forecasters")
    nb.begin("three-words", "SCALE = 1 \\\n* 1")
    nb.change("three-words", ("nats = -np.log(q)", "breakpoint()\n    nats = -np.log(q) * SCALE"))
    nb.cell("three-words")["source"] = nb.source("three-words").replace("\n", "\r\r\n")
