"""Hostile submissions: no point that is not earned, nobody else's work touched, and no honest point lost.

All of them run under the limits of the catalogue. Where an attack stands in the cell of a task, that task is
wrong besides, so that a success of the attack would show as points.
"""

from lmcourse.questions import find
from tests.grading.catalogue import POINTS, Case

CASES = []
WRONG = ("return -log_probs[real, targets[real]].mean()", "return 1.0")
ZERO = ("zero", "")
ENDED = ("could not run", "ends the Python process")
TOO_LONG = ("could not run", "runs for more than")


def case(name, problem="", **deserves):
    def note(make):
        named = {k.replace("_", "-"): v for k, v in deserves.items()}
        CASES.append(Case(name, "hostile", make, named, problem))
        return make

    return note


def attack(name, source, deserved=ZERO, wrong=True):
    """Code in the cell of a task whose answer is wrong."""

    def make(nb):
        if wrong:
            nb.change("average-surprisal", WRONG)
        nb.begin("average-surprisal", source)

    CASES.append(Case(name, "hostile", make, {"average-surprisal": deserved}))


def trap(name, source, deserved=ZERO):
    """Code that runs when the function is called by a test."""

    def make(nb):
        body = "\n".join("    " + line for line in source.strip("\n").splitlines())
        nb.answer("average-surprisal", f"def average_surprisal(log_probs, targets, ignore_index):\n{body}")

    CASES.append(Case(name, "hostile", make, {"average-surprisal": deserved}))


# Tests and points


@case("edits the tests", average_surprisal=ZERO, forecasters=ZERO)
def _(nb):
    nb.change("average-surprisal", WRONG)
    nb.change("forecasters", ("argmin", "argmax"))
    nb.cell("test-average-surprisal")["source"] = "assert True"
    nb.cell("test-forecasters")["source"] = "forecasters = None"


@case("deletes the tests", average_surprisal=ZERO)
def _(nb):
    nb.change("average-surprisal", WRONG)
    nb.data["cells"] = [cell for cell in nb.cells if not cell["id"].startswith("test-")]


@case("gives a task a hundred points", average_surprisal=ZERO)
def _(nb):
    nb.change("average-surprisal", WRONG)
    for name in ("test-three-words", "test-average-surprisal"):
        nb.cell(name)["metadata"]["nbgrader"]["points"] = 100


@case("adds tests of its own, with points")
def _(nb):
    cell = nb.add("assert True")
    cell["metadata"] = {
        "nbgrader": {**nb.cell("test-forecasters")["metadata"]["nbgrader"], "grade_id": "test-me"}
    }


@case("makes the answer cell a test, and the test an answer", average_surprisal=("zero", ""))
def _(nb):
    nb.change("average-surprisal", WRONG)
    answer, test = nb.cell("average-surprisal"), nb.cell("test-average-surprisal")
    answer["metadata"], test["metadata"] = test["metadata"], answer["metadata"]
    answer["id"], test["id"] = test["id"], answer["id"]


@case("metadata of wrong types everywhere")
def _(nb):
    for cell in nb.cells:
        cell["metadata"] = {"nbgrader": ["grade"]} if cell["id"] != "forecasters" else None
        cell["outputs"] = {"x": 1}
    nb.cells.append(7)
    nb.cells.append({"cell_type": "code", "source": [1, 2], "metadata": 3, "id": {}})


@case("a notebook nested a hundred thousand deep", problem="it is not JSON")
def _(nb):
    return b'{"cells": ' + b"[" * 100_000 + b"]" * 100_000 + b"}"


@case("a file of 60 MB", problem="which is the limit")
def _(nb):
    return b" " * 60_000_000


# Patches, hooks and frames

attack(
    "patches assert, abs and all()",
    """
import builtins
builtins.AssertionError = type("Never", (BaseException,), {})
builtins.abs = lambda x: 0.0
builtins.all = builtins.any = lambda *x: True
""",
)
attack(
    "patches isinstance, callable and type",
    """
import builtins
builtins.isinstance = builtins.callable = lambda *x: True
builtins.type = lambda x: float
""",
    deserved=("could not run", ""),
)
attack(
    "patches numpy.testing and numpy's comparisons",
    """
import numpy.testing
for name in dir(numpy.testing):
    if name.startswith("assert"):
        setattr(numpy.testing, name, lambda *a, **k: None)
np.isclose = np.allclose = np.array_equal = lambda *a, **k: np.array(True)
""",
)
attack(
    "patches torch.testing",
    """
import torch.testing
torch.testing.assert_close = lambda *a, **k: None
""",
)
attack(
    "replaces the checks of the course",
    """
import lmcourse.feedback, sys
lmcourse.feedback.check = lmcourse.feedback.check_hidden = lambda *a, **k: print("right (3 points)")
sys.modules["lmcourse.feedback"].judge = lambda *a, **k: True
sys.modules["lmcourse.questions"] = sys.modules["lmcourse.feedback"]
""",
)
attack(
    "patches the decoding and sending of messages",
    """
import json, struct, sys
right = json.dumps({"value": ["float", 0.5]})
json.dumps = lambda *a, **k: right
for name, module in list(sys.modules.items()):
    if name.startswith("lmcourse"):
        for attribute in ("encode", "decode", "evaluate"):
            if hasattr(module, attribute):
                setattr(module, attribute, lambda *a, **k: ["float", 0.5])
""",
    deserved=("could not run", ""),
)


@case(
    "looks through frames and the garbage collector for the reference",
    average_surprisal=("zero", "IndexError"),
)
def _(nb):
    nb.change("average-surprisal", ("return ", "return hunt()(log_probs, targets, ignore_index)  # "))
    nb.begin(
        "average-surprisal",
        """
        import gc, sys
        def hunt():
            frame, found = sys._getframe(), []
            while frame:
                found += [v for v in frame.f_locals.values() if hasattr(v, "fresh_cases")]
                frame = frame.f_back
            found += [o for o in gc.get_objects() if type(o).__name__ == "Question"]
            return found[0].right
        """,
    )


attack("traces every call", "import sys\nsys.settrace(lambda *a: None)\nsys.setprofile(lambda *a: None)")
attack(
    "an import hook and a module in the working folder",
    """
open("numpy.py", "w").write("raise SystemExit")
open("sitecustomize.py", "w").write("raise SystemExit")
import sys
sys.path.insert(0, ".")
sys.meta_path.insert(0, type("Hook", (), {"find_spec": staticmethod(lambda *a: None)}))
""",
)
attack("no recursion limit", "import sys\nsys.setrecursionlimit(10**9)")

# Objects

trap(
    "an object that equals everything",
    """
class Any(float):
    __eq__ = __le__ = __ge__ = __lt__ = __gt__ = lambda self, other: True
    __sub__ = __rsub__ = __abs__ = lambda self, *other: Any(0.0)
    __hash__ = float.__hash__
return Any(1.0)
""",
)
trap(
    "an array that answers every comparison",
    """
class Any(np.ndarray):
    def __array_ufunc__(self, *a, **k):
        return np.array(True)
    def __array_function__(self, *a, **k):
        return np.array(True)
return np.array(1.0).view(Any)
""",
)
trap(
    "an object whose pickle runs code",
    """
class Bomb:
    def __reduce__(self):
        return (__import__("os").system, ("touch owned",))
return Bomb()
""",
    deserved=("zero", "is of the type Bomb"),
)
trap(
    "an object that claims to be a number of NumPy",
    """
made = type("float64", (), {"__module__": "numpy", "__array__": lambda self, *a: np.array(1.0)})
made.__float__ = lambda self: 1.0
return made()
""",
    deserved=("zero", "of the type float64"),
)
trap("a list nested two hundred deep", "x = []\nfor _ in range(200):\n    x = [x]\nreturn x")
trap("a list that holds itself", "x = []\nx.append(x)\nreturn x", deserved=("zero", "too deeply nested"))
trap("a number with ten thousand digits", "return 10**10_000")
trap("infinity and NaN", "return float('nan')", deserved=("zero", ""))
trap(
    "megabytes as an answer",
    "return np.zeros(2_000_000)",
    deserved=("could not run", "returns more"),
)
trap(
    "many small objects as an answer",
    "return [[i] for i in range(160_000)]",
    deserved=("zero", "too large"),
)
trap(
    "an error whose message is HTML, ANSI codes and a megabyte",
    "raise ValueError('<script>alert(1)</script>\\x1b[2J' + 'x' * 10**6)",
    deserved=("zero", "<script>alert(1)</script> [2Jxxx"),
)
trap("an error that cannot be shown", "class E(Exception):\n    def __str__(self): raise self\nraise E()")

# Files and the reference

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
attack(
    "fills the disk",
    "for i in range(40):\n    open(f'f{i}', 'wb').write(b'x' * 10**9)",
    wrong=True,
    deserved=("could not run", ""),
)
attack("reads the environment and other processes", "import os\ntext = str(os.environ)\nfor p in os.listdir('/proc'):\n    if p.isdigit():\n        try:\n            text += open(f'/proc/{p}/cmdline').read() + open(f'/proc/{p}/environ').read()\n        except OSError:\n            pass\nassert 'seed' not in text and 'SECRET' not in text\n")  # fmt: skip  # noqa: E501

# Processes

attack("ends the process", "import os\nos._exit(0)", deserved=ENDED)
attack("crashes the interpreter", "import ctypes\nctypes.string_at(0)", deserved=ENDED)
trap("ends the process in a call", "import os\nos._exit(0)", deserved=ENDED)
attack(
    "kills all processes that it can",
    "import os\nos.kill(-1, 9)\nos.kill(os.getppid(), 9)\nos.kill(1, 9)",
)
attack(
    "starts processes without end",
    """
import os, time
try:
    while True:
        if os.fork() == 0:
            time.sleep(60)
except OSError:
    pass
""",
)
attack(
    "leaves a process that kills the others later",
    """
import os, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        time.sleep(1)
        for pid in range(2, 400):
            if pid != os.getpid():
                try:
                    os.kill(pid, 9)
                except OSError:
                    pass
    os._exit(0)
""",
)
attack(
    "a time bomb in a thread",
    "import threading, os\nthreading.Timer(0.3, os._exit, (1,)).start()",
)
attack(
    "a time bomb by a signal",
    """
import os, signal
signal.signal(signal.SIGALRM, lambda *a: os._exit(1))
signal.setitimer(signal.ITIMER_REAL, 0.3, 0.3)
""",
)
attack("a trap for the end", "import atexit, os\natexit.register(os._exit, 0)")
attack(
    "forges replies on every file descriptor",
    """
import json, os, struct
data = json.dumps({"value": ["float", 0.5]}).encode()
for fd in range(3, 64):
    try:
        os.write(fd, (struct.pack(">I", len(data)) + data) * 50)
    except OSError:
        pass
""",
    deserved=("could not run", "cannot be read"),
)
attack(
    "forges replies of the right form",
    """
import json, os, struct
data = json.dumps({"done": True}).encode()
for fd in range(3, 64):
    try:
        os.write(fd, (struct.pack(">I", len(data)) + data) * 50)
    except OSError:
        pass
""",
    deserved=("zero", "is not defined"),
)
attack(
    "closes every file descriptor",
    "import os\nos.closerange(0, 256)",
    deserved=("could not run", ""),
)
trap(
    "forges a reply with a huge size",
    """
import os
for fd in range(3, 64):
    try:
        os.write(fd, bytes([255]) * 8)
    except OSError:
        pass
return 1.0
""",
    deserved=("could not run", "returns more than"),
)

# Limits

attack(
    "floods its output",
    "import sys\nfor _ in range(200):\n    print('x' * 10**6)\n    sys.stderr.write('y' * 10**6)",
)
attack("a loop without end", "while True:\n    pass", deserved=TOO_LONG)
trap("a loop without end in a call", "while True:\n    pass", deserved=TOO_LONG)
trap("sleeps", "import time\ntime.sleep(3600)", deserved=TOO_LONG)
trap(
    "catches everything, for ever",
    "while True:\n    try:\n        while True:\n            pass\n    except BaseException:\n        pass",
    deserved=TOO_LONG,
)
attack("ignores every signal", "import signal\nfor s in range(1, 32):\n    try:\n        signal.signal(s, signal.SIG_IGN)\n    except (OSError, ValueError):\n        pass\nwhile True:\n    pass", deserved=TOO_LONG)  # fmt: skip  # noqa: E501
attack(
    "exhausts memory",
    "x = []\nwhile True:\n    x.append(bytearray(10**7))",
    deserved=("could not run", "MB of memory"),
)
trap(
    "exhausts memory in a call",
    "x = []\nwhile True:\n    x.append(bytearray(10**7))",
    deserved=("could not run", "MB of memory"),
)
attack("a number that takes for ever", "x = 9**9**9", deserved=TOO_LONG)
trap("an expression of a million characters", "return 'x' * 2_000_000", deserved=("zero", "too long"))
attack(
    "raises its own limits",
    "import resource\nfor r in (resource.RLIMIT_AS, resource.RLIMIT_NPROC, resource.RLIMIT_CPU):\n"
    "    resource.setrlimit(r, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))",
    deserved=("could not run", "The cell raises ValueError"),
)
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


@case("an expression that claims to have the right value", softmax_gradient=("zero", ""))
def _(nb):
    nb.answer(
        "softmax-gradient",
        """
        class Any(sp.Expr):
            free_symbols = set()
            def doit(self, **hints): return self
            def xreplace(self, rule): return self
            def evalf(self, *a, **k): return self
            def __complex__(self): return 0.5 + 0j
        gradient = [Any(), Any(), Any()]
        """,
    )


@case("an expression that takes for ever", softmax_gradient=("could not run", ""))
def _(nb):
    nb.end(
        "softmax-gradient",
        """
        class Slow(sp.Symbol):
            def doit(self, **hints):
                while True:
                    pass
        gradient = [Slow("z1")] * 3
        """,
    )


@case("a later cell takes a right answer away again", three_words=("full", ""))
def _(nb):
    nb.add("sentence_cost = average_surprisal = gradient = None")


@case(
    "an answer cell defines the other answers wrongly",
    forecasters=("zero", ""),
    average_surprisal=("full", ""),
)
def _(nb):
    nb.end("forecasters", "compare_forecasters = average_surprisal = sentence_cost = lambda *case: 0.0")


@case("everything at once", **dict.fromkeys(POINTS, ("could not run", "")))
def _(nb):
    for task in POINTS:
        nb.begin(task, "import os\nos.kill(os.getpid(), 9)")


# What works since pools do, and what is told

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


attack(
    "starts threads without end",
    """
import threading, time
try:
    while True:
        threading.Thread(target=time.sleep, args=(60,), daemon=True).start()
except RuntimeError:
    pass
""",
)
trap(
    "starts processes that start processes",
    """
import os
while True:
    try:
        os.fork()
    except OSError:
        pass
""",
    deserved=TOO_LONG,
)
attack(
    "many processes, each with little memory",
    """
import os, time
for _ in range(20):
    try:
        if os.fork() == 0:
            x = bytearray(b"x") * 80_000_000
            time.sleep(60)
    except OSError:
        pass
time.sleep(60)
""",
    deserved=("could not run", "MB of memory together"),
)
attack(
    "a pool whose workers kill everything",
    """
import multiprocessing, os, signal, time
pool = multiprocessing.Pool(2)
for _ in range(4):
    pool.apply_async(os.kill, (-1, signal.SIGKILL))
time.sleep(5)
""",
    ENDED,
)
attack(
    "semaphores and shared memory without end",
    """
import multiprocessing
from multiprocessing import shared_memory
kept = []
for make in (multiprocessing.Semaphore, lambda: shared_memory.SharedMemory(create=True, size=10**6)):
    try:
        for _ in range(3000):
            kept.append(make())
    except OSError:
        pass
""",
)
attack("ends the process through get_ipython()", "get_ipython().run_cell('import os; os._exit(0)')", ENDED)
attack(
    "puts checks of its own into the notebook's namespace",
    """
get_ipython().user_ns["check"] = get_ipython().user_ns["check_hidden"] = lambda *a, **k: None
import sys
sys.modules["__main__"].check_hidden = lambda *a, **k: None
""",
)
attack("ten thousand imports that fail", "import nothing\n" * 10_000)
attack(
    "an import that fails with a megabyte of HTML",
    """
import builtins
real = builtins.__import__
def failing(name, *a, **k):
    if name == "nothing":
        raise ImportError("<script>alert(1)</script>" * 50_000)
    return real(name, *a, **k)
builtins.__import__ = failing
import nothing
builtins.__import__ = real
""",
)
trap(
    "an error that pretends that another cell has stopped",
    "raise NameError(\"name 'np' is not defined\")",
    deserved=("zero", "raises NameError: name 'np' is not defined"),
)
FORGE = """
import os, struct
data = {data}
for fd in range(3, 64):
    try:
        os.set_blocking(fd, True)
        os.write(fd, struct.pack(">I", len(data)))
        sent = 0
        while sent < len(data):
            sent += os.write(fd, data[sent:])
    except OSError:
        pass
"""
trap(
    "forges a reply of millions of lists",
    FORGE.format(data="b'{\"value\": [' + b'[],' * 2_000_000 + b'[]]}'") + "return 1.0",
    deserved=("could not run", "returns too many values"),
)
trap(
    "forges a reply of millions of texts",
    FORGE.format(data="b'{\"value\": [' + b'\"\",' * 2_000_000 + b'1]}'") + "return 1.0",
    deserved=("could not run", "returns too many values"),
)
attack(
    "forges a large reply where none is expected",
    FORGE.format(data="b'{\"done\": true, \"pad\": \"' + b'x' * 1_000_000 + b'\"}'"),
    deserved=("could not run", ""),
)
trap(
    "forges a note on what was skipped",
    FORGE.format(data='b\'{"value": ["float", 1.0], "skipped": [3, {"names": 5}], "error": 7}\'')
    + "return 1.0",
)


# Second guesses

FIRST = """
import os
places = [os.path.join(folder, "tried") for folder in (".", "/tmp", "/dev/shm")]
first = not any(map(os.path.exists, places))
for place in places:
    open(place, "w").close()
"""


@case("guesses again after a wrong guess and an error", average_surprisal=ZERO)
def _(nb):
    nb.begin("average-surprisal", FIRST)
    nb.end(
        "average-surprisal", "if first:\n    average_surprisal = lambda *case: 1.0\nraise ValueError('again')"
    )


@case(
    "leaves a note for the second run of its cell", average_surprisal=("could not run", "ValueError: again")
)
def _(nb):
    nb.begin("average-surprisal", FIRST + "if first:\n    raise ValueError('again')\n")


@case("guesses again with a name that a cell below defines", three_words=ZERO)
def _(nb):
    nb.end(
        "three-words",
        """
        right_once = sentence_cost
        def sentence_cost(probs):
            if "below" in globals():
                return right_once(probs)
            return {"bits": [0.0]} if len(probs) == 1 else below
        """,
    )
    nb.add("below = 1")


def guess_again(name, ending, deserved=ZERO):
    """The first run guesses, and ends in the call that only explains it; the second run guesses better."""

    def make(nb):
        nb.change("average-surprisal", ("def average_surprisal", "def right_one"))
        nb.end("average-surprisal", f"{GUESS.rstrip()}\n    {ending}")
        nb.add("below = 1")

    CASES.append(Case(name, "hostile", make, {"average-surprisal": deserved}))


GUESS = f"""
import os
calls = 0
def average_surprisal(*case):
    global calls
    calls += 1
    if "below" in globals() or "sentence_cost" not in globals():
        return right_one(*case)
    if calls <= {len(find("02.average-surprisal").cases)}:
        return 0.777
"""
guess_again("guesses again with an error in the call that explains", "raise NameError('later')")
guess_again(
    "guesses again by ending the process that explains",
    "os._exit(3)",
    deserved=("could not run", "exit status 3"),
)


# Memory that belongs to no process, or to one that hides

UNREADABLE_NAME = """
import ctypes, os, time
ctypes.CDLL(None).prctl(15, bytes([255, 254, 41, 32, 120]), 0, 0, 0)
"""
attack(
    "many processes whose names are not text",
    UNREADABLE_NAME
    + """
for _ in range(20):
    try:
        if os.fork() == 0:
            x = bytearray(b"x") * 80_000_000
            time.sleep(60)
    except OSError:
        pass
time.sleep(60)
""",
    deserved=("could not run", "MB of memory together"),
)
attack(
    "leaves a process whose name is not text",
    UNREADABLE_NAME + "if os.fork() == 0:\n    os.setsid()\n    time.sleep(60)\n",
)
attack(
    "memory without a process",
    """
import ctypes, os
libc = ctypes.CDLL(None)
made = [libc.shmget(0, 4096, 0o1600), libc.msgget(0, 0o1600), libc.semget(0, 30, 0o1600)]
made.append(libc.syscall(425, 8, ctypes.create_string_buffer(200)))
try:
    made.append(os.memfd_create("hidden"))
except OSError:
    made.append(-1)
if max(made) >= 0:
    os._exit(9)
""",
)
attack(
    "reads the keys of the grader's session",
    """
import ctypes, os
calls = (248, 249, 250) if os.uname().machine == "x86_64" else (217, 218, 219)
if any(ctypes.CDLL(None).syscall(call, 6, -3, 0, 0) >= 0 for call in calls):
    os._exit(9)
""",
)
attack(
    "memory in the buffers of sockets",
    """
import os, socket
one, other = socket.socketpair()
try:
    one.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 2**24)
    os._exit(9)
except PermissionError:
    pass
""",
)
attack(
    "memory that is mapped and not used",
    """
import mmap, os, time
for _ in range(5):
    if os.fork() == 0:
        memory = mmap.mmap(-1, 300 << 20)
        for i in range(0, 300 << 20, 1 << 20):
            memory[i : i + 1] = b"x"  # one page: the rest is as easily filled and left
        memory.madvise(mmap.MADV_DONTNEED)
        time.sleep(60)
time.sleep(60)
""",
    deserved=("could not run", "MB of memory together"),
)
attack(
    "fills the memory while its reply arrives byte by byte",
    """
import os, time
for _ in range(20):
    try:
        if os.fork() == 0:
            time.sleep(1)
            x = bytearray(b"x") * 80_000_000
            time.sleep(60)
    except OSError:
        pass
sent = bytes(2)
while True:
    for fd in range(3, 64):
        try:
            os.write(fd, sent)
        except OSError:
            pass
    sent = b" "
    time.sleep(0.02)
""",
    deserved=("could not run", "MB of memory together"),
)
attack(
    "memory in the files of every folder",
    """
import os
for folder in (".", "/tmp", "/dev/shm", "/dev", "/", "/var", "/etc", "/view", "/lmcourse"):
    written = 0
    try:
        os.makedirs(folder, exist_ok=True)
        for i in range(20):
            with open(os.path.join(folder, f"part{i}"), "wb") as file:
                written += file.write(bytes(7 << 20))
    except OSError:
        pass
    if written > 80 << 20:
        os._exit(9)
""",
)
attack(
    "memory in a namespace of its own",
    """
import ctypes, os
libc = ctypes.CDLL(None)
new_both = 0x10020000  # users and mounts
clone = 56 if os.uname().machine == "x86_64" else 220
made = libc.syscall(clone, new_both | 17, 0, 0, 0, 0)
if made == 0:
    os._exit(0)
child = os.fork()
if child == 0:
    libc.unshare(new_both)
    os._exit(libc.mount(b"none", b"/tmp", b"tmpfs", 0, None) == 0)
if made > 0 or os.waitpid(child, 0)[1]:
    os._exit(9)
""",
)
