"""Time, output, the disk, and limits that an answer raises itself."""

from tests.grading.catalogue import QUICK
from tests.grading.catalogue.hostile import TOO_LONG, HostileCases

CASES = HostileCases()
attack, case, trap = CASES.attack, CASES.case, CASES.trap

attack(
    "fills the disk",
    "for i in range(40):\n    open(f'f{i}', 'wb').write(b'x' * 10**9)",
    wrong=True,
    deserved=("could not run", ""),
)
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
attack("a number that takes for ever", "x = 9**9**9", deserved=TOO_LONG)
trap("an expression of a million characters", "return 'x' * 2_000_000", deserved=("zero", "too long"))
attack(
    "raises its own limits",
    "import resource\nfor r in (resource.RLIMIT_AS, resource.RLIMIT_NPROC, resource.RLIMIT_CPU):\n"
    "    resource.setrlimit(r, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))",
    deserved=("could not run", "The cell raises ValueError"),
)


@case("an expression that takes for ever", limits=QUICK, softmax_gradient=("could not run", ""))
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


attack("ten thousand imports that fail", "import nothing\n" * 10_000)
