"""Which tests to run for files that have changed: a quick check while you work."""

import re
from pathlib import Path

from lmcourse.files.closure import Modules

PROSE = {".md", ".ipynb", ".bib", ".cff"}
"""The endings of files that `make check` tests by the rules of the project."""


def affected(files: set[Path], root: Path) -> list[Path]:
    """Return the tests to run for changed files, by imports or chapter, and the changed modules (doctests).

    The tests of a module are those that import a name from it. If no test does, they are those of the modules
    that import a name from it, and so on. If some of them are in the module's own folder of ``tests/``, only
    these are returned. Helpers in ``tests/`` count as modules.
    """
    modules = Modules(root)
    named = {path: modules.named_by(path) for path in modules.paths.values()}
    tests = {path for path in named if path.name.startswith("test_")}
    for test in tests:  # it uses the fixtures of its folder without importing them
        if (fixtures := test.with_name("conftest.py")) in named:
            named[test] |= {fixtures, *named[fixtures]}
    code = {path for path in files if path.suffix == ".py" and path.exists()}
    paths = [path.relative_to(root).as_posix() for path in files]
    named_after = {f"test_ch{m[1]}" for path in paths if (m := re.search(r"/(?:ch)?(\d\d)[_/]", path))}
    found = code | {path for path in tests if path.stem[: len("test_ch01")] in named_after}
    if any(re.match(r"book/\d\d_", path) for path in paths):
        found |= {path for path in tests if path.stem in ("test_formulas", "test_claims")}
    for path in code - tests:
        found |= _in_own_folder(path, _nearest(path, tests, named), root)
    # Modules come last: pytest imports a module again for its doctests if no test has imported it before.
    return [*sorted(found & tests), *sorted(path for path in code if not path.is_relative_to(root / "tests"))]


def _nearest(module: Path, tests: set[Path], named: dict[Path, set[Path]]) -> set[Path]:
    """Return the tests that the fewest imports separate from a module."""
    reached, here = {module}, {module}
    while here and not here & tests:
        here = {path for path, names in named.items() if names & here} - reached
        reached |= here
    return here & tests


def _in_own_folder(module: Path, tests: set[Path], root: Path) -> set[Path]:
    """Return the tests in the folder that mirrors the module's, or the next folder above it, or all."""
    folder = root / "tests" / Path(*_below_its_top(module.parent, root))
    while folder != root / "tests" and not any(test.is_relative_to(folder) for test in tests):
        folder = folder.parent
    return {test for test in tests if test.is_relative_to(folder)}


def _below_its_top(folder: Path, root: Path) -> tuple[str, ...]:
    """The parts of a module's folder as ``tests/`` has them, where those of ``lmcourse`` are at the top."""
    parts = folder.relative_to(root).parts
    return parts if parts[0] == "lmmetrics" else parts[1:]


def unseen(files: set[Path]) -> list[Path]:
    """Return the changed files for which `affected` finds no test, among them deleted modules."""
    code = {path for path in files if path.suffix == ".py" and path.exists()}
    return sorted(path for path in files - code if path.suffix not in PROSE)
