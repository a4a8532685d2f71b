"""Which tests to run for files that have changed: a quick check while you work."""

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from lmcourse.files.closure import Modules

PROSE = {"", ".md", ".bib", ".cff"}
"""The endings of files that the rules of the project read, and licences."""
GUIDE, HEADING = "CONTRIBUTING.md", "\n## Where things are\n"
"""The guide, and its last section: a list of files, and behind an arrow the tests of each.

People and `make check` read the same list; the rule `list_of_places_can_be_read` says what neither can.
"""
PLACE = re.compile(r"`([\w-]+/[\w./-]*|_\w+\.yml)`")
TEST = re.compile(r"`(tests/[\w./-]+)`")


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
        found |= {test for test in tests if _named(test, root) in _listed_for(path, root, whole=True)}
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


def untried(files: set[Path], root: Path) -> dict[tuple[str, ...], list[Path]]:
    """Return the changed files that `affected` has no test for, by the tests that the guide lists for them.

    These tests need the built book. Files that the guide does not list have the empty tuple.
    """
    found: dict[tuple[str, ...], list[Path]] = {}
    for path in sorted(files):
        if path.suffix == ".py" and path.exists():
            continue
        tests = _listed_for(path, root)
        by_chapter = any("NN" in test for test in tests)  # `affected` has those
        if not by_chapter and (tests or path.suffix not in PROSE):
            found.setdefault(tests, []).append(path)
    return found


def _named(path: Path, root: Path) -> str:
    return path.relative_to(root).as_posix()


def _listed_for(path: Path, root: Path, whole: bool = False) -> tuple[str, ...]:
    """Return the tests that the guide lists for a file by name, or unless `whole` for its folder."""
    name = _named(path, root)
    entries = [(len(place), tests) for place, tests in _entries(root) if place == name]
    if not entries and not whole:
        entries = [(len(place), tests) for place, tests in _entries(root) if name.startswith(place + "/")]
    longest = max((length for length, _ in entries), default=0)
    return tuple(dict.fromkeys(test for length, tests in entries if length == longest for test in tests))


@cache
def _entries(root: Path) -> list[tuple[str, list[str]]]:
    """Return the places that the guide's last section names, each with the tests behind its arrow."""
    guide = (root / GUIDE).read_text(encoding="utf-8")
    return [(place, tests) for _, places, tests in with_tests(guide) for place in places]


def with_tests(guide: str) -> Iterator[tuple[str, list[str], list[str]]]:
    """Yield each item of the guide's list that has an arrow: its text, its places, and its tests."""
    for item in re.split(r"\n(?=- |\n)", guide.partition(HEADING)[2]):
        places, arrow, tests = item.partition("→")
        if arrow:
            yield item, _paths(PLACE, places), _paths(TEST, tests)


def _paths(pattern: re.Pattern[str], text: str) -> list[str]:
    return [path.rstrip("/") for path in pattern.findall(text)]
