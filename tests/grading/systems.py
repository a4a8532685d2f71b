"""Which kinds of protection this system allows, and how a test runs as a user who is not root."""

import os
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path

ROOT_USER = os.geteuid() == 0
USER = "12345"
AS_USER = f"""
set -e
mount --make-rprivate /
python=$(readlink -f "$1")
hidden=/root
if [ -d $hidden ] && case "$python" in $hidden/*) true;; *) false;; esac; then
    top=$hidden/$(echo "${{python#$hidden/}}" | cut -d/ -f1)
    keep=$(mktemp -d); mount --bind "$top" $keep
    mount -t tmpfs -o mode=755 none $hidden; mkdir "$top"; mount --bind $keep "$top"
fi
exec setpriv --reuid {USER} --regid {USER} --clear-groups env HOME=/tmp "$@"
"""
"""Runs a command as another user, who can read Python even if it lies in root's folder."""


def as_user(*command: str | Path) -> list[str]:
    """Return the command line that runs a command as a user who is not root."""
    command = [str(part) for part in command]
    return ["unshare", "-m", "sh", "-c", AS_USER, "sh", *command] if ROOT_USER else command


@cache
def refusal(kind: str, unprivileged: bool = False) -> str:
    """Return why a kind of protection cannot be tested here; empty where it can."""
    if not sys.platform.startswith("linux"):
        return "only Linux has namespaces"
    if kind == "bubblewrap" and not shutil.which("bwrap"):
        return "bubblewrap is not installed"
    if kind == "namespaces" and ROOT_USER and not unprivileged:
        return ""
    needed = ("unshare", "setpriv") if ROOT_USER else ("unshare",)
    if not all(map(shutil.which, needed)):
        return f"needs the programs {' and '.join(needed)}"
    tried = {
        "namespaces": ("unshare", "-Ur", "true"),
        "bubblewrap": ("bwrap", "--unshare-all", "--ro-bind", "/", "/", "true"),
    }
    done = subprocess.run(as_user(*tried[kind]), capture_output=True, text=True)
    if done.returncode == 0:
        return ""
    return f"this system refuses {kind} ({done.stderr.strip()}); Ubuntu allows them after" + (
        " sysctl -w kernel.apparmor_restrict_unprivileged_userns=0"
    )
