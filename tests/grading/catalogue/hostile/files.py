"""Files, the reference and the network: what an answer must not see, and where it must not write."""

from tests.grading.catalogue.hostile import ZERO, HostileCases

CASES = HostileCases()
attack, case = CASES.attack, CASES.case

READ = """
import glob, os, re
text = ""
for root, folders, files in os.walk("/"):
    folders[:] = [f for f in folders if f not in ("proc", "sys", "usr", "lib", "site-packages")]
    for name in files:
        if name.endswith(".ipynb") or "questions" in root or "solutions" in root:
            text += open(os.path.join(root, name)).read()
"""
attack("searches the disk for the solutions", READ + "if text:\n    average_surprisal = 1\n    os._exit(1)\n")


@case("imports the reference", average_surprisal=("could not run", "ModuleNotFoundError"))
def _(nb):
    nb.answer(
        "average-surprisal",
        """
        import importlib, sys
        sys.modules.pop("lmcourse", None), sys.modules.pop("lmcourse.feedback", None)
        average_surprisal = importlib.import_module("lmcourse.questions").find("02.average-surprisal").right
        """,
    )


attack(
    "writes grades, and over the libraries",
    """
import os, pathlib, numpy
for place in (".", "..", "/", "/tmp", "/view", os.path.dirname(numpy.__file__)):
    for name in ("grades.csv", "result.json", "__init__.py", "gradebook.db"):
        try:
            pathlib.Path(place, name).write_text("average-surprisal,3")
        except OSError:
            pass
""",
)
attack("reads the environment and other processes", "import os\ntext = str(os.environ)\nfor p in os.listdir('/proc'):\n    if p.isdigit():\n        try:\n            text += open(f'/proc/{p}/cmdline').read() + open(f'/proc/{p}/environ').read()\n        except OSError:\n            pass\nassert 'seed' not in text and 'SECRET' not in text\n")  # fmt: skip  # noqa: E501
attack(
    "asks the network for the answer",
    """
import socket, urllib.request
socket.setdefaulttimeout(2)
reached = True
try:
    socket.create_connection(("1.1.1.1", 53))
except OSError:
    reached = False
if reached:
    import os
    os._exit(1)
""",
)
attack(
    "looks for classmates' work beside everything on Python's path",
    """
import os, sys
places = {os.path.dirname(entry) for entry in sys.path} | set(sys.path) | {os.environ.get("HOME", "/")}
places |= {os.path.join(place, "..") for place in places} | {"/", "/tmp", "/home", "/root", "/course"}
for place in places:
    for root, folders, files in os.walk(place):
        folders[:] = [f for f in folders if f not in ("proc", "sys", "usr", "lib", "site-packages")]
        if {"results.csv", "manual.csv", "seeds.json", "roster.csv", "02_small.ipynb"} & set(files):
            os._exit(1)
""",
)
attack(
    "follows links of its own to other folders",
    """
import os
for i, target in enumerate(("/proc/1/root", "/proc/1/cwd", "/proc/self/cwd/..", "/view/..")):
    try:
        os.symlink(target, f"link{i}")
        assert not [f for f in os.listdir(f"link{i}") if f in ("solutions", "submissions", "results")]
    except OSError:
        pass
""",
)


@case("keeps a table of all inputs between the tests", average_surprisal=ZERO)
def _(nb):
    nb.change(
        "average-surprisal",
        ("def average_surprisal", "def right_once"),
    )
    nb.end(
        "average-surprisal",
        """
        import os, pickle

        def average_surprisal(log_probs, targets, ignore_index):
            for place in (*(os.path.join(f, "table") for f in ("/tmp", "/dev/shm")), "table"):
                known = pickle.load(open(place, "rb")) if os.path.exists(place) else {}
                key = log_probs.tobytes()
                if key in known:
                    return known[key]
                known[key] = right_once(log_probs, targets, ignore_index)
                pickle.dump(known, open(place, "wb"))
            return 1.0
        """,
    )
