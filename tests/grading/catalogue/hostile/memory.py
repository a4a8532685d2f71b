"""Memory, also memory that belongs to no process or to one that hides."""

from tests.grading.catalogue.hostile import HostileCases

CASES = HostileCases()
attack, trap = CASES.attack, CASES.trap

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
