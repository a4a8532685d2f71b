"""The machinery of the course: hints, questions, exams, the grader, and the book's build."""

import os
import sys

REPOSITORY = ""
"""``owner/name`` on GitHub, where the book has a home there. Set it here, then run `make exercises`: labs and
sets get the line that installs the project on Colab, and their pages the button that opens them there."""


def _forget_working_folder() -> None:
    """With ``python -m``, import nothing from the working folder: it may hold modules of a student.

    The project's own folder stays, and so does the folder of a notebook.
    """
    # Here and not in the commands: their first import, of argparse say, would already find the student's
    # module. ``sys.argv`` begins with "-m" only while Python looks for the module that it is to run, so the
    # path of nobody who imports this package is changed.
    here = os.path.realpath(os.getcwd())
    if sys.argv[:1] == ["-m"] and here != os.path.realpath(os.path.join(os.path.dirname(__file__), "..")):
        sys.path[:] = [entry for entry in sys.path if os.path.realpath(entry) != here]


_forget_working_folder()
