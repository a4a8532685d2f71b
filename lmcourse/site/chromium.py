"""Where this machine has Chromium, which prints the decks and in which the tests open pages."""

import os
import shutil

BROWSERS = (
    "chromium-headless-shell",  # Debian's Chromium without windows: the tests need a quarter less time
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
)


def find_browser() -> str | None:
    """Return the path of Chromium, or None; the environment variable CHROMIUM takes precedence."""
    return os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, BROWSERS)), None)
