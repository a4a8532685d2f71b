"""What git knows about the files of a project."""

import subprocess
from pathlib import Path


def tracked(root: Path) -> list[str]:
    """Return the paths of the files that git tracks; raises CalledProcessError outside a repository."""
    return _listed(root, "ls-files", "-z")


def changed(root: Path) -> set[Path]:
    """Return the files that differ from the last commit, new ones among them."""
    lines = _listed(root, "status", "--porcelain", "-z", "--untracked-files=all", "--no-renames")
    return {root / line[3:] for line in lines}


def _listed(root: Path, *arguments: str) -> list[str]:
    """Return the items that a git command lists with ``-z``, each ended by a zero byte."""
    command = ["git", "-C", str(root), *arguments]
    output = subprocess.run(command, capture_output=True, encoding="utf-8", check=True).stdout
    return [item for item in output.split("\0") if item]
