"""What the tests of the sandbox share."""

import os
import tempfile
from pathlib import Path

import pytest


@pytest.fixture
def public_folder():
    """A folder that every user can read, unlike those of pytest."""
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        yield Path(folder)
