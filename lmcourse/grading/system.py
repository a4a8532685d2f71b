"""Whether this system can run a grader at all."""

import sys


def why_not() -> str:
    """Return why the grader cannot run here; empty if it can."""
    if sys.platform != "win32":  # no forks, no limits
        return ""
    return (
        "The grader needs Linux or macOS. On Windows, run it in WSL (Windows Subsystem for Linux) or on"
        " Google Colab."
    )
