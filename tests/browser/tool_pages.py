"""A tool's page without the book around it: its markup, its scripts and its style, opened from disk."""

import shutil

from lmcourse.site import forms
from lmcourse.site.chapters import STATIC

FRAME = """<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{name}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="stylesheet" href="{style}">{scripts}</head>
<body><main class="bd-article"><h1>{name}</h1>{markup}{more}</main></body></html>"""


def write_page(folder, name, data, more=""):
    """Write the page of a tool into a folder and return its address."""
    shutil.copytree(STATIC / "tools", folder / "tools")
    scripts = "".join(
        f'<script defer src="{script}"></script>' for script in forms.SCRIPTS[f"book/{name}"]
    )
    page = folder / f"{name}.html"
    markup = forms.markup(name, data)
    page.write_text(
        FRAME.format(name=name, style=forms.STYLE, scripts=scripts, markup=markup, more=more),
        encoding="utf8",
    )
    return page.as_uri()
