"""Fixtures that all tests share."""

import os
from pathlib import Path

import pytest
from hypothesis import settings

from lmcourse.site.chromium import find_browser
from tests.grading.systems import refusal

CHECKOUT = Path(__file__).resolve().parents[1]
BESIDE = CHECKOUT.parent / "shared" / "data"
if "LMMETRICS_DATA" not in os.environ and BESIDE.is_dir():
    os.environ["LMMETRICS_DATA"] = str(BESIDE)

# The same examples on every run, and no failure because a machine is busy.
settings.register_profile("book", derandomize=True, deadline=None)
settings.load_profile("book")


@pytest.fixture
def real_texts():
    """Folder with the downloaded corpora; skips where this machine has none."""
    folder = os.environ.get("LMMETRICS_DATA")
    if not folder:
        pytest.skip("needs the downloaded corpora: set LMMETRICS_DATA to a folder that has them")
    return Path(folder)


CHROMIUM = find_browser()
NO_BROWSER = "no Chromium on this machine: apt install chromium, or set CHROMIUM=/path/to/it"


@pytest.fixture(scope="session")
def chromium():
    """The path of the system's Chromium; the test is skipped if none is installed."""
    if CHROMIUM is None:
        pytest.skip(NO_BROWSER)
    return CHROMIUM


def pytest_unconfigure(config):
    """Say at the very end, in red, what this machine could not test."""
    reporter = config.pluginmanager.get_plugin("terminalreporter")
    if not reporter or hasattr(config, "workerinput"):
        return
    skipped = {report.nodeid for report in reporter.stats.get("skipped", [])}
    if any(name.startswith("tests/browser/") for name in skipped):
        built = (CHECKOUT / "_build" / "html" / "index.html").exists()
        reason = NO_BROWSER if CHROMIUM is None else "" if built else "the book is not built: make book"
        if reason:
            reporter.section("THE BROWSER TESTS WERE SKIPPED", sep="!", red=True, bold=True)
            reporter.write_line(f"Pages and slides were not looked at: {reason}. Then run `make test` again.")
    ran = {getattr(report, "nodeid", "") for reports in reporter.stats.values() for report in reports}
    graded = any(name.startswith("tests/grading/") for name in ran)
    for kind in ("namespaces", "bubblewrap"):
        if graded and (reason := refusal(kind)):
            reporter.section(f"THE GRADER WAS NOT TESTED WITH {kind.upper()}", sep="!", red=True, bold=True)
            reporter.write_line(f"Hostile submissions did not meet this protection: {reason}.")


@pytest.fixture(scope="session")
def browser(chromium):
    """One headless Chromium for the whole session; Playwright allows no second one in a process."""
    from playwright.sync_api import sync_playwright  # tests without a browser do without the package

    with sync_playwright() as playwright:
        quiet = [
            "--no-sandbox",
            "--disable-gpu",
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync",
            "--no-first-run",
            "--allow-file-access-from-files",
        ]
        instance = playwright.chromium.launch(executable_path=chromium, args=quiet)
        yield instance
        instance.close()
