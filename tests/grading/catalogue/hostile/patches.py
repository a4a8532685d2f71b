"""Patches of Python, of the libraries and of the course's checks, hooks, and walks through frames."""

from tests.grading.catalogue import TORCH
from tests.grading.catalogue.hostile import HostileCases

CASES = HostileCases()
attack, case = CASES.attack, CASES.case

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
    limits=TORCH,
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
attack(
    "puts checks of its own into the notebook's namespace",
    """
get_ipython().user_ns["check"] = get_ipython().user_ns["check_hidden"] = lambda *a, **k: None
import sys
sys.modules["__main__"].check_hidden = lambda *a, **k: None
""",
)
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
