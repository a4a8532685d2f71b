"""Progress bars: shown when asked for, and never in a book that is built (TQDM_DISABLE)."""

import os
import subprocess
import sys

import pytest

TRAINING = """
from lmmetrics.neural import FeedForwardLM, train
from lmmetrics.text import tokenize
text = tokenize(["the cat sleeps"])
train(FeedForwardLM(text.vocabulary, context=1, seed=0), text, steps=2, seed=0, progress={progress})
"""


@pytest.mark.parametrize(
    ("progress", "disabled", "shown"), [(True, "", True), (True, "1", False), (False, "", False)]
)
def test_a_bar_is_shown_only_where_it_is_wanted(progress, disabled, shown):
    environment = {name: value for name, value in os.environ.items() if name != "TQDM_DISABLE"}
    done = subprocess.run(
        [sys.executable, "-c", TRAINING.format(progress=progress)],
        env=environment | ({"TQDM_DISABLE": disabled} if disabled else {}),
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert ("step/s" in done.stderr) == shown
