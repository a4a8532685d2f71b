"""Which tests to run for what has changed since the last commit: a quick check while you work."""

import re
import subprocess
from pathlib import Path

from lmcourse.files.closure import modules_named, needed_by

PROSE = {".md", ".ipynb", ".txt", ".bib", ".cff"}


def changed(root: Path) -> set[Path]:
    """Return the files that differ from the last commit, new ones among them."""
    lines = git(root, "status", "--porcelain", "-z", "--untracked-files=all", "--no-renames")
    return {root / line[3:] for line in lines}


def git(root: Path, *arguments: str) -> list[str]:
    """Return the items that a git command lists with ``-z``, each ended by a zero byte."""
    command = ["git", "-C", str(root), *arguments]
    output = subprocess.run(command, capture_output=True, encoding="utf-8", check=True).stdout
    return [item for item in output.split("\0") if item]


def affected(files: set[Path], root: Path) -> list[Path]:
    """Return the tests to run for changed files, by imports or chapter, and the changed modules (doctests).

    Direct imports take precedence: tests that need a changed module only through others are returned if no
    test imports it. Helpers in ``tests/`` count as modules.
    """
    tests = {path: path.read_text(encoding="utf-8") for path in sorted((root / "tests").rglob("test_*.py"))}
    direct = {path: modules_named(text, root) for path, text in tests.items()}
    code = {path for path in files if path.suffix == ".py" and path.exists()}
    far = code - set().union(*direct.values()) - tests.keys()
    chapters = {match[1] for path in files if (match := re.match(r"(\d\d)_", path.stem))}
    ours = {f"test_ch{number}" for number in chapters}
    found = {path for path in tests if path in code or direct[path] & code or path.stem in ours}
    if far:
        found |= {path for path, text in tests.items() if needed_by([text], root) & far}
    return sorted(found | {path for path in code if path.parts[len(root.parts)] in ("lmcourse", "lmmetrics")})


def unseen(files: set[Path]) -> list[Path]:
    """Return the changed files that imports do not connect with a test: styles, scripts, settings."""
    return sorted(path for path in files if path.suffix not in PROSE | {".py"})
