"""Fixtures that all tests share."""

import os
from pathlib import Path

import pytest
from hypothesis import settings

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
