"""The first program of a worker process: it isolates itself from the system, then runs `worker_process`.

Started by `outside.sandbox` as ``python -I isolate.py SOCKET``, with its `Settings` as the first line of its
input. Standard library only: this package is not on Python's path yet. Three kinds of protection:

``namespaces``
    New file, process, network, and (where we are not root) user namespaces. A new root folder shows Python,
    the libraries and the companion library read-only, and an empty scratch folder. Root becomes another
    user.
``bubblewrap``
    The same, made by the program bubblewrap, which has started this one. Only the number of files is not
    limited: bubblewrap limits the size of a folder alone.
``limits``
    Limits on time, memory, file size and processes, and another user where we are root. Nothing else.

System calls are filtered by a list of those that are refused (`_filter_for`). A list of those that are
allowed would be safer for one known program. But answers may use every package of the course, and which calls
PyTorch, OpenMP and the C library make depends on the machine and the version: where such a list lacked one,
an honest answer would lose its points. The filter is the last layer. The namespaces and the missing
capabilities keep all other calls from files, processes and the network; the filter refuses what they and the
limits allow and should not.

Where the system refuses a kind, the program ends with status 77 and prints the reason; the grader then tries
the next kind.
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import signal
import socket
import stat
import struct
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lmcourse.grading.inside.settings import Settings

NEW_MOUNTS, NEW_PROCESSES, NEW_NETWORK, NEW_IPC, NEW_NAME, NEW_USER = (
    0x20000, 0x20000000, 0x40000000, 0x08000000, 0x04000000, 0x10000000,
)  # fmt: skip
READ_ONLY, NO_SUID, NO_DEVICES, REMOUNT, BIND, RECURSIVE, PRIVATE = 1, 2, 4, 32, 4096, 16384, 1 << 18
PARENT_DIES, DUMPABLE, NO_NEW_PRIVILEGES = 1, 4, 38
MOUNT_SETATTR, AT_CWD, AT_RECURSIVE = 442, -100, 0x8000
CAPABILITY_VERSION_3 = 0x20080522
DEVICES = ("null", "zero", "full", "random", "urandom")
REFUSED = 77

SET_SECCOMP, FILTER_MODE = 22, 2
LOAD, JUMP_IF_EQUAL, JUMP_IF_AT_LEAST, JUMP_IF_SET, RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
"""The instructions of a seccomp filter, which is a program in classic BPF."""
CALL_NUMBER, ARCHITECTURE, FIRST_ARGUMENT, THIRD_ARGUMENT = 0, 4, 16, 32
"""Where in the kernel's ``struct seccomp_data`` a filter finds what it loads."""
ALLOW, REFUSE, NOT_KNOWN = 0x7FFF0000, 0x00050001, 0x00050026
"""What a filter returns: let the call through, or let it fail with EPERM or ENOSYS."""
X32_CALLS = 0x40000000
"""The first number of a second table on x86_64, which holds the same calls again."""
ARCHITECTURES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
REFUSED_CALLS = {
    "x86_64": {
        "memfd_create": 319, "memfd_secret": 447, "shmget": 29, "msgget": 68, "semget": 64,
        "io_uring_setup": 425, "bpf": 321, "perf_event_open": 298,
        "add_key": 248, "request_key": 249, "keyctl": 250, "unshare": 272, "mount": 165, "fsopen": 430,
    },
    "aarch64": {
        "memfd_create": 279, "memfd_secret": 447, "shmget": 194, "msgget": 186, "semget": 190,
        "io_uring_setup": 425, "bpf": 280, "perf_event_open": 241,
        "add_key": 217, "request_key": 218, "keyctl": 219, "unshare": 97, "mount": 40, "fsopen": 430,
    },
}  # fmt: skip
"""Numbers of system calls by machine. To support another machine, add it here, above and below."""
CLONE, CLONE3 = {"x86_64": 56, "aarch64": 220}, 435
SETSOCKOPT = {"x86_64": 54, "aarch64": 208}
BUFFER_OPTIONS = {"SO_SNDBUF": 7, "SO_RCVBUF": 8, "SO_SNDBUFFORCE": 32, "SO_RCVBUFFORCE": 33}
"""Options that make a socket's buffers larger; `outside.memory` counts each as of the usual size."""


def main() -> None:
    """Read the settings, isolate this process, and serve requests on the socket; never returns."""
    settings: Settings = json.loads(sys.stdin.readline())
    isolate_and_serve(settings, socket.socket(fileno=int(sys.argv[1])))


def isolate_and_serve(settings: Settings, connection: socket.socket) -> None:
    """Isolate this process, then serve requests on the socket; never returns."""
    try:
        if settings["protection"] == "namespaces":
            _enter_namespaces(settings)
        elif settings["protection"] == "limits" and os.geteuid() == 0:
            _become_user(settings["uid"])
        _give_up_privileges(settings["protection"])
        os.chdir(settings["scratch"])
        for name, text in settings["files"].items():
            _write(name, text)
    except OSError as error:
        print(error, flush=True)
        os._exit(REFUSED)
    _discard_output()
    # an editable installation's finder would look for modules in folders that are not on this path
    sys.path[:] = [settings["runtime"], *settings["python_path"]]
    sys.meta_path[:] = [f for f in sys.meta_path if "editable" not in getattr(f, "__module__", "").lower()]
    from lmcourse.grading.inside import worker_process

    worker_process.main(connection, settings)


def _enter_namespaces(settings: Settings) -> None:
    """Go on as process 1 of namespaces of our own, in a new root folder."""
    uid, gid = os.geteuid(), os.getegid()
    kinds = NEW_MOUNTS | NEW_PROCESSES | NEW_NETWORK | NEW_IPC | NEW_NAME
    if uid == 0:
        _call("unshare", kinds)
    else:
        _call("unshare", kinds | NEW_USER)
        _write("/proc/self/setgroups", "deny")
        _write("/proc/self/uid_map", f"{uid} {uid} 1")
        _write("/proc/self/gid_map", f"{gid} {gid} 1")
    _go_on_as_child()
    _build_root(settings)
    if uid == 0:
        _become_user(settings["uid"])
    _call("prctl", PARENT_DIES, signal.SIGKILL, 0, 0, 0)


def _go_on_as_child() -> None:
    """Fork, since only a child is in the new process namespace; the parent waits for it."""
    pid = os.fork()
    if pid == 0:
        return
    status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    os._exit(status if status >= 0 else 1)


def _build_root(settings: Settings) -> None:
    """Make a folder tree that shows what an answer may see, and make it the root."""
    root, scratch = settings["mountpoint"], settings["scratch"]
    _mount(None, "/", None, RECURSIVE | PRIVATE)  # so that no mount of ours appears outside
    _mount("root", root, "tmpfs", NO_SUID | NO_DEVICES, "size=16m,mode=755")
    size = f"size={settings['scratch_mb']}m,nr_inodes={settings['scratch_files']},mode=1777"
    for folder in {scratch, "/tmp", "/dev/shm"}:
        os.makedirs(root + folder, exist_ok=True)
        _mount("scratch", root + folder, "tmpfs", NO_SUID | NO_DEVICES, size)
    for path in settings["visible"]:
        _bind(path, root + path)
    for source, target in settings["mounts"]:
        _bind(source, root + target)
    for path in settings["hidden"]:
        if os.path.isdir(root + path):
            _mount("hidden", root + path, "tmpfs", READ_ONLY | NO_SUID | NO_DEVICES, "size=4k,mode=755")
    for name in DEVICES:
        _bind(f"/dev/{name}", f"{root}/dev/{name}", read_only=False)
    os.makedirs(f"{root}/etc", exist_ok=True)
    _write(f"{root}/etc/passwd", f"student:x:{settings['uid'] or os.geteuid()}:100::{scratch}:/bin/false\n")
    os.makedirs(f"{root}/proc", exist_ok=True)
    with contextlib.suppress(OSError):  # some containers allow no new one; Python works without
        _mount("proc", f"{root}/proc", "proc", NO_SUID | NO_DEVICES)
    _mount(None, root, None, REMOUNT | BIND | READ_ONLY | NO_SUID | NO_DEVICES)
    # not pivot_root: the kernel refuses new user namespaces to a process whose root is not that of its mounts
    os.chroot(root)


def _bind(source: str, target: str, read_only: bool = True) -> None:
    """Show a file or folder, with all that is mounted below it, at another path."""
    if os.path.islink(source):
        os.makedirs(os.path.dirname(target), exist_ok=True)
        if not os.path.lexists(target):
            os.symlink(os.readlink(source), target)
        return
    if stat.S_ISDIR(os.stat(source).st_mode):
        os.makedirs(target, exist_ok=True)
    else:
        os.makedirs(os.path.dirname(target), exist_ok=True)
        with open(target, "ab"):
            pass
    _mount(source, target, None, BIND | RECURSIVE)
    if read_only:
        _make_read_only(target)


def _make_read_only(target: str) -> None:
    """Make a mount and all below it read-only; before Linux 5.12, the mount alone."""
    attributes = (ctypes.c_uint64 * 4)(READ_ONLY | NO_SUID, 0, 0, 0)
    path = target.encode()
    if _libc().syscall(MOUNT_SETATTR, AT_CWD, path, AT_RECURSIVE, ctypes.byref(attributes), 32) != 0:
        # a mount that came from outside keeps its flags: a user namespace must not drop one
        kept = os.statvfs(target).f_flag & 0x1FFF & ~os.ST_RDONLY
        _mount(None, target, None, REMOUNT | BIND | READ_ONLY | NO_SUID | kept)


def _become_user(uid: int) -> None:
    os.setgroups([])
    os.setresgid(uid, uid, uid)
    os.setresuid(uid, uid, uid)


def _give_up_privileges(protection: str) -> None:
    """Drop every capability, and keep started programs from giving one back.

    Raises
    ------
    OSError
        If the protection is to be full, and the kernel does not filter system calls.
    """
    if not sys.platform.startswith("linux"):
        return
    _call("prctl", NO_NEW_PRIVILEGES, 1, 0, 0, 0)
    header = (ctypes.c_uint32 * 2)(CAPABILITY_VERSION_3, 0)
    _call("capset", ctypes.byref(header), ctypes.byref((ctypes.c_uint32 * 6)()))
    # no process of the same user may read our memory; each fork that runs an answer undoes this for itself
    _call("prctl", DUMPABLE, 0, 0, 0, 0)
    with contextlib.suppress(OSError) if protection == "limits" else contextlib.nullcontext():
        _refuse_calls()


def _refuse_calls() -> None:
    """Refuse system calls by a filter of the kernel.

    They make memory that belongs to no process, so that the grader could not count it, or they read keys, or
    they make namespaces, in which a process could mount folders that have no limit.

    Raises
    ------
    OSError
        If we do not know this machine's numbers of system calls, or if the kernel refuses the filter.
    """
    machine = os.uname().machine
    if machine not in ARCHITECTURES:
        raise OSError(f"the system calls of {machine} cannot be filtered")
    # leave the keys of the grader's session behind: join a new keyring (a container may refuse that, too)
    _libc().syscall(REFUSED_CALLS[machine]["keyctl"], 1, None)
    steps = _filter_for(machine)
    code = ctypes.create_string_buffer(b"".join(struct.pack("=HBBI", *step) for step in steps))
    program = ctypes.create_string_buffer(struct.pack("@HP", len(steps), ctypes.addressof(code)))
    _call("prctl", SET_SECCOMP, FILTER_MODE, ctypes.c_void_p(ctypes.addressof(program)), 0, 0)


def _filter_for(machine: str) -> list[tuple[int, int, int, int]]:
    """Return the filter's instructions: each a code, how many to skip if true and if false, and a number."""
    refuse = (RETURN, 0, 0, REFUSE)
    steps = [(LOAD, 0, 0, ARCHITECTURE), (JUMP_IF_EQUAL, 1, 0, ARCHITECTURES[machine]), refuse]
    steps.append((LOAD, 0, 0, CALL_NUMBER))
    if machine == "x86_64":
        steps += [(JUMP_IF_AT_LEAST, 0, 1, X32_CALLS), refuse]
    for number in REFUSED_CALLS[machine].values():
        steps += [(JUMP_IF_EQUAL, 0, 1, number), refuse]
    # clone3 has its flags in memory, which no filter reads; without it the C library uses clone
    steps += [(JUMP_IF_EQUAL, 0, 1, CLONE3), (RETURN, 0, 0, NOT_KNOWN)]
    steps += [(JUMP_IF_EQUAL, 0, 4, CLONE[machine]), (LOAD, 0, 0, FIRST_ARGUMENT)]
    steps += [(JUMP_IF_SET, 0, 1, NEW_USER), refuse, (RETURN, 0, 0, ALLOW)]
    options = BUFFER_OPTIONS.values()
    steps += [(JUMP_IF_EQUAL, 0, 1 + 2 * len(options), SETSOCKOPT[machine]), (LOAD, 0, 0, THIRD_ARGUMENT)]
    for option in options:
        steps += [(JUMP_IF_EQUAL, 0, 1, option), refuse]
    return [*steps, (RETURN, 0, 0, ALLOW)]


def _discard_output() -> None:
    """Send what an answer prints nowhere."""
    nothing = os.open(os.devnull, os.O_RDWR)
    for number in (0, 1, 2):
        os.dup2(nothing, number)


def _mount(source: str | None, target: str, kind: str | None, flags: int, data: str | None = None) -> None:
    encoded = [None if text is None else text.encode() for text in (source, target, kind, data)]
    flags = ctypes.c_ulong(flags)
    if _libc().mount(encoded[0], encoded[1], encoded[2], flags, encoded[3]) != 0:
        _raise_errno(f"mount {target}")


def _call(name: str, *arguments) -> None:
    if getattr(_libc(), name)(*arguments) != 0:
        _raise_errno(name)


def _raise_errno(what: str) -> None:
    number = ctypes.get_errno()
    raise OSError(number, f"{what}: {os.strerror(number)}")


def _write(path: str, text: str) -> None:
    with open(path, "w", encoding="utf-8") as stream:
        stream.write(text)


def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


if __name__ == "__main__":
    main()
