"""Which tests touch what has changed since the last commit: enough to try while one works."""

import re
import subprocess
from pathlib import Path

from lmcourse.files.closure import closure


def changed(root: Path) -> set[Path]:
    """Return the files that differ from the last commit, new ones among them."""
    lines = subprocess.run(
        ["git", "-C", str(root), "status", "--porcelain", "-z", "--untracked-files=all"],
        capture_output=True,
        encoding="utf-8",
        check=True,
    ).stdout
    return {root / line[3:] for line in lines.split("\0") if line[2:3] == " "}


def affected(files: set[Path], root: Path) -> list[Path]:
    """Return the test files that changed, that import a changed module, or that treat a changed chapter.

    A test that imports a module counts before one that needs it through others: of these only the modules
    that no test imports by itself are looked for.
    """
    tests = {path: path.read_text(encoding="utf-8") for path in sorted((root / "tests").rglob("test_*.py"))}
    near = {path: _imported(text, root) for path, text in tests.items()}
    direct = files & set().union(*near.values())
    rest = {path for path in files - direct if path.suffix == ".py"}
    chapters = {match[1] for path in files if (match := re.match(r"(\d\d)_", path.stem))}
    found = {path for path in tests if path in files or near[path] & direct or path.stem[-2:] in chapters}
    if rest:
        found |= {path for path, text in tests.items() if closure([text], root) & rest}
    return sorted(path for path in found if path.exists())


def _imported(text: str, root: Path) -> set[Path]:
    """The modules that a test imports by itself."""
    names = re.findall(r"^(?:from|import) ((?:lmcourse|lmmetrics)[\w.]*)(?: import ([\w, ]+))?", text, re.M)
    paths = set()
    for module, parts in names:
        for name in (module, *(f"{module}.{part.strip()}" for part in parts.split(","))):
            path = root.joinpath(*name.split("."))
            paths |= {path.with_suffix(".py"), path / "__init__.py"}
    return paths
