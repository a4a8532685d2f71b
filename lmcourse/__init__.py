"""The machinery of the course: release, feedback, slides, checks, and the book's build."""

import os
import sys

REPOSITORY = "measuring-language-models/measuring-language-models"
"""``owner/name`` on GitHub, for launch buttons and Colab. A fork's workflow sets GITHUB_REPOSITORY."""


def _forget_working_folder() -> None:
    """With ``python -m``, import nothing from the working folder: it may hold modules of a student.

    The project's own folder stays, and so does the folder of a notebook.
    """
    here = os.path.realpath(os.getcwd())
    if sys.argv[:1] == ["-m"] and here != os.path.realpath(os.path.join(os.path.dirname(__file__), "..")):
        sys.path[:] = [entry for entry in sys.path if os.path.realpath(entry) != here]


_forget_working_folder()
