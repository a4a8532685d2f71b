"""Processes, threads and signals."""

from tests.grading.catalogue import POINTS
from tests.grading.catalogue.hostile import ENDED, TOO_LONG, HostileCases

CASES = HostileCases()
attack, case, trap = CASES.attack, CASES.case, CASES.trap

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
    "closes every file descriptor",
    "import os\nos.closerange(0, 256)",
    deserved=("could not run", ""),
)


@case("everything at once", **dict.fromkeys(POINTS, ("could not run", "")))
def _(nb):
    for task in POINTS:
        nb.begin(task, "import os\nos.kill(os.getpid(), 9)")


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
attack("ends the process through get_ipython()", "get_ipython().run_cell('import os; os._exit(0)')", ENDED)
