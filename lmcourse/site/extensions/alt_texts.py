"""A Sphinx extension: an alt text takes words and numbers from the page's cells, as sentences do.

``{04-floor}`` in an alt text is replaced by what a cell has glued under that key, with ``glue`` or with
`lmcourse.pages.claims.claim`. A caption can use ``{glue:text}`` like any sentence.
"""

import ast
import json
import re
from pathlib import Path

from docutils import nodes
from sphinx.util import logging

PLACE = re.compile(r"\{(\d\d-[\w-]+)\}")

log = logging.getLogger(__name__)


def setup(app):
    """Register the extension (called by Sphinx)."""
    app.connect("doctree-read", fill_alt_texts)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}


def fill_alt_texts(app, doctree):
    """Put glued words into the alt texts of a page's figures."""
    images = [image for image in doctree.findall(nodes.image) if PLACE.search(image.get("alt", ""))]
    if not images:
        return
    folder = Path(app.env.mystnb_config.output_folder)
    stored = folder / f"{app.env.docname}.glue.json"
    glued = json.loads(stored.read_text(encoding="utf-8")) if stored.exists() else {}
    words = {key: plain(output["data"]) for key, output in glued.items()}
    for image in images:
        for key in PLACE.findall(image["alt"]):
            if key not in words:
                log.warning("the alt text names %s, which no cell of the page glues", key, location=image)
        image["alt"] = filled(image["alt"], words)


def filled(text, words):
    """Return a text with its places filled.

    Examples
    --------
    >>> filled("It ends at {04-floor}, {04-x}.", {"04-floor": "2.667"})
    'It ends at 2.667, {04-x}.'
    """
    return PLACE.sub(lambda place: words.get(place[1], place[0]), text)


def plain(data):
    """Return glued data as words.

    Examples
    --------
    >>> plain({"text/plain": "'half of it'"}), plain({"text/plain": "2.5"})
    ('half of it', '2.5')
    """
    text = data.get("text/plain", "")
    return ast.literal_eval(text) if text[:1] in ("'", '"') else text
