"""Where the project and the files of this package are."""

from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[1]
ROOT = PACKAGE.parent
STATIC = PACKAGE / "static"
TEMPLATES = PACKAGE / "templates"
HTML = ROOT / "_build" / "html"
