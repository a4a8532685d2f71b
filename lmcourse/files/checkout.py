"""Imported first by each command that works on the project's own files: it ends where they are missing.

`pip install` of the course copies the commands, and neither the book nor the packages that build it.
"""

import sys

from lmcourse.files.places import ROOT

if not (ROOT / "_toc.yml").is_file():
    sys.exit(
        "This command works on the files of the book, which"
        f" {ROOT} does not have: clone the project, and run it there."
    )
