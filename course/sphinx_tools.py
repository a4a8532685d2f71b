"""The two pages that compute in the reader's browser: the converter and the wrong-number clinic.

- the ``converter`` directive: a place for the form, the known test sets as JSON, and a word for readers
  without JavaScript;
- their scripts and styles, on these two pages only.

The scripts are plain files from ``course/static/tools``: no framework, and nothing from another host.
"""

from __future__ import annotations

import json

from docutils import nodes
from sphinx.util.docutils import SphinxDirective

from course import known_texts

SCRIPTS = {
    "book/converter": ("tools/units.js", "tools/converter.js"),
}
"""Page -> the scripts that it needs, in order."""
STYLE = "tools/tools.css"


def setup(app):
    """Register the extension (called by Sphinx)."""
    app.connect("html-page-context", load_scripts)
    app.add_directive("converter", Converter)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}


def load_scripts(app, pagename, templatename, context, doctree):
    """Give a tool's page its scripts and style; Sphinx drops them again before the next page."""
    if pagename in SCRIPTS:
        app.add_css_file(STYLE)
        for script in SCRIPTS[pagename]:
            app.add_js_file(script, loading_method="defer")


def markup(name, data):
    """The HTML that a tool's page starts from.

    Parameters
    ----------
    name : str
        The tool; its script builds the form in the place ``NAME-tool``.
    data : dict
        Id of a JSON block -> what it holds.

    Returns
    -------
    str

    Examples
    --------
    >>> print(markup("converter", {"known-texts": ["</script>"]}))
    <div id="converter-tool" class="tool"></div>
    <script type="application/json" id="known-texts">["<\\/script>"]</script>
    <noscript><p>This form needs JavaScript, ... below.</p></noscript>
    """
    blocks = [
        f'<script type="application/json" id="{key}">{_json(value)}</script>' for key, value in data.items()
    ]
    without = "This form needs JavaScript, which is off in your browser. What it computes stands below."
    place = f'<div id="{name}-tool" class="tool"></div>'
    return "\n".join([place, *blocks, f"<noscript><p>{without}</p></noscript>"])


def converter_data():
    """What the converter's page brings along: the known test sets."""
    return {"known-texts": known_texts.known_texts()}


class Converter(SphinxDirective):
    """The converter's form."""

    def run(self):
        """Return the form's place as raw HTML; in print, a sentence."""
        self.env.note_dependency(known_texts.__file__)
        return [nodes.raw("", markup("converter", converter_data()), format="html"), only_on_screen()]


def only_on_screen():
    """What stands in the printed book instead of a form."""
    return nodes.raw("", r"\emph{The form is on this page of the book on the web.}", format="latex")


def _json(value):
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).replace("</", "<\\/")
