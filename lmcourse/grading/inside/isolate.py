"""The first program of the process with the answers: it locks the door behind itself, then runs `child`.

Started by `outside.sandbox` as ``python -I jail.py SOCKET`` with its settings as the first line of its input.
Standard library only. Three kinds of protection:

``namespaces``
    New file, process, network, and (where we are not root) user namespaces. A new root folder shows Python,
    the libraries and the companion library read-only, and an empty scratch folder. Root becomes another
    user.
``inside``
    The same, made by bubblewrap, which has started us.
``limits``
    Limits on time, memory, file size and processes, and another user when we are root. Nothing else.

A kind that this system refuses ends the program with status 77 and a sentence; the grader then tries the
next.
"""

import contextlib
import ctypes
import json
import os
import signal
import socket
import stat
import struct
import sys

NEW_MOUNTS, NEW_PROCESSES, NEW_NETWORK, NEW_IPC, NEW_NAME, NEW_USER = (
    0x20000, 0x20000000, 0x40000000, 0x08000000, 0x04000000, 0x10000000,
)  # fmt: skip
READ_ONLY, NO_SUID, NO_DEVICES, REMOUNT, BIND, RECURSIVE, PRIVATE = 1, 2, 4, 32, 4096, 16384, 1 << 18
PARENT_DIES, DUMPABLE, NO_NEW_PRIVILEGES = 1, 4, 38
MOUNT_SETATTR, AT_CWD = 442, -100
DEVICES = ("null", "zero", "full", "random", "urandom")
REFUSED = 77
SECCOMP, ALLOW_CALL, REFUSE_CALL = 22, 0x7FFF0000, 0x00050001
CALLS = {
    "x86_64": (0xC000003E, (319, 447, 29, 68, 64, 425, 321, 298, 248, 249, 250), 54),
    "aarch64": (0xC00000B7, (279, 447, 194, 186, 190, 425, 280, 241, 217, 218, 219), 208),
}
"""By machine, its number in the kernel, and those of the calls that are refused: memfd_create, memfd_secret,
shmget, msgget, semget, io_uring_setup, bpf, perf_event_open, add_key, request_key, keyctl; and setsockopt."""
BUFFERS = (7, 8, 32, 33)
"""Options of a socket that make its buffers larger: SO_SNDBUF, SO_RCVBUF, and those two by force."""


def main() -> None:
    """Read the settings, lock the door, and serve requests on the socket; never returns."""
    settings = json.loads(sys.stdin.readline())
    lock_and_serve(settings, socket.socket(fileno=int(sys.argv[1])))


def lock_and_serve(settings: dict, connection: socket.socket) -> None:
    """Lock the door, then serve requests on the socket; never returns."""
    try:
        if settings["protection"] == "namespaces":
            _namespaces(settings)
        elif settings["protection"] == "limits" and os.geteuid() == 0:
            _become(settings["uid"])
        _give_up_privileges()
        os.chdir(settings["scratch"])
    except OSError as error:
        print(error, flush=True)
        os._exit(REFUSED)
    _silence()
    sys.path[:] = [settings["runtime"], *settings["path"]]
    sys.meta_path[:] = [f for f in sys.meta_path if "editable" not in getattr(f, "__module__", "").lower()]
    from lmcourse.grading.inside import worker_process

    worker_process.main(connection, settings)


def _namespaces(settings: dict) -> None:
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
        _become(settings["uid"])
    _call("prctl", PARENT_DIES, signal.SIGKILL, 0, 0, 0)


def _go_on_as_child() -> None:
    """Fork, since only a child is in the new process namespace; the parent waits for it."""
    pid = os.fork()
    if pid == 0:
        return
    status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    os._exit(status if status >= 0 else 1)


def _build_root(settings: dict) -> None:
    """Make a folder tree that shows what an answer may see, and make it the root."""
    root, scratch = settings["mountpoint"], settings["scratch"]
    _mount(None, "/", None, RECURSIVE | PRIVATE)
    _mount("root", root, "tmpfs", NO_SUID | NO_DEVICES, "size=16m,mode=755")
    size = f"size={settings['scratch_mb']}m,nr_inodes=2048,mode=1777"
    for folder in {scratch, "/tmp", "/dev/shm"}:
        os.makedirs(root + folder, exist_ok=True)
        _mount("scratch", root + folder, "tmpfs", NO_SUID | NO_DEVICES, size)
    for path in settings["show"]:
        _show(path, root + path)
    for source, target in settings["place"]:
        _show(source, root + target)
    for path in settings["hide"]:
        if os.path.isdir(root + path):
            _mount("hidden", root + path, "tmpfs", READ_ONLY | NO_SUID | NO_DEVICES, "size=4k,mode=755")
    for name in DEVICES:
        _show(f"/dev/{name}", f"{root}/dev/{name}", read_only=False)
    os.makedirs(f"{root}/etc", exist_ok=True)
    _write(f"{root}/etc/passwd", f"student:x:{settings['uid'] or os.geteuid()}:100::{scratch}:/bin/false\n")
    os.makedirs(f"{root}/proc", exist_ok=True)
    with contextlib.suppress(OSError):  # some containers allow no new one; Python works without
        _mount("proc", f"{root}/proc", "proc", NO_SUID | NO_DEVICES)
    for name, text in settings["files"].items():
        _write(f"{root}{scratch}/{name}", text)
    _mount(None, root, None, REMOUNT | BIND | READ_ONLY | NO_SUID | NO_DEVICES)
    os.chroot(root)


def _show(source: str, target: str, read_only: bool = True) -> None:
    """Bind a file or folder, with all that is mounted below it, to the same content elsewhere."""
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
    """Of the mount and all below it, where the kernel can (5.12); else of the mount alone."""
    attributes = (ctypes.c_uint64 * 4)(READ_ONLY | NO_SUID, 0, 0, 0)
    path = target.encode()
    if _libc().syscall(MOUNT_SETATTR, AT_CWD, path, 0x8000, ctypes.byref(attributes), 32) != 0:
        kept = os.statvfs(target).f_flag & 0x1FFF & ~os.ST_RDONLY
        _mount(None, target, None, REMOUNT | BIND | READ_ONLY | NO_SUID | kept)


def _become(uid: int) -> None:
    os.setgroups([])
    os.setresgid(uid, uid, uid)
    os.setresuid(uid, uid, uid)


def _give_up_privileges() -> None:
    """No capability is left, and no program that is started can give one back."""
    if not sys.platform.startswith("linux"):
        return
    _call("prctl", NO_NEW_PRIVILEGES, 1, 0, 0, 0)
    header = (ctypes.c_uint32 * 2)(0x20080522, 0)
    _call("capset", ctypes.byref(header), ctypes.byref((ctypes.c_uint32 * 6)()))
    _call("prctl", DUMPABLE, 0, 0, 0, 0)
    _refuse_calls()


def _refuse_calls() -> None:
    """Refuse the calls that make memory of no process, which the grader could not count, or that read keys.

    The keys of the grader's session are left behind first. Then comes a program for the kernel's filter of
    system calls: instructions of a code, the jumps if true and if not, and a number. Where the
    machine is not known or the kernel has no filter, the other limits hold.
    """
    if os.uname().machine not in CALLS:
        return
    machine, refused, set_option = CALLS[os.uname().machine]
    _libc().syscall(refused[-1], 1, None)  # join a new session keyring; a container may refuse that, too
    steps = [(0x20, 0, 0, 4), (0x15, 1, 0, machine), (0x06, 0, 0, REFUSE_CALL), (0x20, 0, 0, 0)]
    if os.uname().machine == "x86_64":  # the same calls with other numbers
        steps += [(0x35, 0, 1, 0x40000000), (0x06, 0, 0, REFUSE_CALL)]
    for number in refused:
        steps += [(0x15, 0, 1, number), (0x06, 0, 0, REFUSE_CALL)]
    steps += [(0x15, 0, 1 + 2 * len(BUFFERS), set_option), (0x20, 0, 0, 32)]  # its third argument
    for option in BUFFERS:
        steps += [(0x15, 0, 1, option), (0x06, 0, 0, REFUSE_CALL)]
    steps.append((0x06, 0, 0, ALLOW_CALL))
    code = ctypes.create_string_buffer(b"".join(struct.pack("=HBBI", *step) for step in steps))
    program = ctypes.create_string_buffer(struct.pack("@HP", len(steps), ctypes.addressof(code)))
    _libc().prctl(SECCOMP, 2, ctypes.c_void_p(ctypes.addressof(program)), 0, 0)


def _silence() -> None:
    """What an answer prints goes nowhere."""
    nothing = os.open(os.devnull, os.O_RDWR)
    for number in (0, 1, 2):
        os.dup2(nothing, number)


def _mount(source: str | None, target: str, kind: str | None, flags: int, data: str | None = None) -> None:
    encoded = [None if text is None else text.encode() for text in (source, target, kind, data)]
    flags = ctypes.c_ulong(flags)
    if _libc().mount(encoded[0], encoded[1], encoded[2], flags, encoded[3]) != 0:
        _refuse(f"mount {target}")


def _call(name: str, *arguments) -> None:
    if getattr(_libc(), name)(*arguments) != 0:
        _refuse(name)


def _refuse(what: str) -> None:
    number = ctypes.get_errno()
    raise OSError(number, f"{what}: {os.strerror(number)}")


def _write(path: str, text: str) -> None:
    with open(path, "w", encoding="utf-8") as stream:
        stream.write(text)


def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


if __name__ == "__main__":
    main()
