"""What computes in the reader's browser: the converter, the wrong-number clinic, and interactive figures.

- the ``converter`` and ``clinic`` directives: a place for the form, what it needs as JSON, and a sentence for
  readers without JavaScript;
- the ``clinic-table`` directive: the number that each mistake leaves, and where the book treats it;
- scripts and styles, on the pages that need them only.

The scripts are plain files from ``lmcourse/static/tools``: no framework, and nothing from another host.
"""

from __future__ import annotations

import json
import math
import re

from docutils import nodes
from sphinx.util.docutils import SphinxDirective

from lmcourse.files.places import ROOT
from lmcourse.hints import mistakes
from lmcourse.pages import known_texts
from lmcourse.pages.clinic import catalogue, explanations
from lmcourse.pages.clinic.catalogue import COMMON, EXPLANATIONS, UNNUMBERED
from lmcourse.site.extensions.chapters import EvidenceTable
from lmmetrics import score

SCRIPTS = {
    "book/converter": ("tools/units.js", "tools/converter.js"),
    "book/clinic": ("tools/units.js", "tools/diagnosis.js", "tools/clinic.js"),
}
"""Page to the scripts that it needs, in order."""
STYLE = "tools/tools.css"
EXPLORABLE = re.compile(r'data-explorable="(\w+)"')
"""The interactive figures of a page; each has a script of its own (`lmcourse.pages.explorables`)."""


def setup(app):
    """Register the extension (called by Sphinx)."""
    app.connect("html-page-context", load_scripts)
    app.add_directive("converter", Converter)
    app.add_directive("clinic", Clinic)
    app.add_directive("clinic-table", ClinicTable)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}


def load_scripts(app, pagename, templatename, context, doctree):
    """Give a tool's page its scripts and style; Sphinx drops them again before the next page."""
    scripts, style = SCRIPTS.get(pagename, ()), STYLE
    if shown := sorted(set(EXPLORABLE.findall(context.get("body", "")))):
        scripts = [f"explorables/{name}.js" for name in (*shown, "start")]
        style = "explorables/explorables.css"
    if scripts:
        app.add_css_file(style)
    for script in scripts:
        app.add_js_file(script, loading_method="defer")


def markup(name, data):
    """The HTML that a tool's page starts from.

    Parameters
    ----------
    name : str
        The tool; its script builds the form in the place ``NAME-tool``.
    data : dict
        Id of a JSON block to its content.

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
    without = "This form needs JavaScript, which is off in your browser. Its results are explained below."
    place = f'<div id="{name}-tool" class="tool"></div>'
    return "\n".join([place, *blocks, f"<noscript><p>{without}</p></noscript>"])


def converter_data():
    """The data of the converter's page: the units, what bounds their counts, and the known test sets."""
    holds = [
        {"field": facts.field, "other": score.UNITS[unit], **held._asdict()}
        for facts in score.FACTS.values()
        for unit, held in facts.holds.items()
    ]
    for held in holds:
        held["most"] = None if held["most"] == math.inf else held["most"]
    units = {"fields": score.UNITS, "labels": score.LABELS, "holds": holds}
    return {"units": units, "known-texts": known_texts.known_texts()}


def clinic_data():
    """The data of the clinic's page: the converter's, the explanations and the labels of the fields."""
    unnumbered = {side: [hint.data() for hint in hints] for side, hints in UNNUMBERED.items()}
    own = {
        "explanations": [explanation.data() for explanation in EXPLANATIONS],
        "fields": explanations.FIELDS,
        "hints": explanations.HINTS,
        "words": explanations.DERIVED,
        "common": COMMON,
        "unnumbered": unnumbered,
    }
    return {**converter_data(), "clinic-data": own}


class Converter(SphinxDirective):
    """The converter's form."""

    name_of_tool, data = "converter", staticmethod(converter_data)
    modules = (known_texts, score)

    def run(self):
        """Return the form's place as raw HTML, and a sentence for the printed book."""
        for module in self.modules:
            self.env.note_dependency(module.__file__)
        form = markup(self.name_of_tool, self.data())
        return [nodes.raw("", form, format="html"), only_on_screen()]


class Clinic(Converter):
    """The clinic's form."""

    name_of_tool, data = "clinic", staticmethod(clinic_data)
    modules = (known_texts, score, explanations, catalogue, mistakes)


class ClinicTable(EvidenceTable):
    """Each mistake of the clinic: the number that it leaves, and where the book runs it."""

    def run(self):
        """Return the table in a box that the clinic's script looks for."""
        self.env.note_dependency(catalogue.__file__)
        return [nodes.container("", *super().run(), classes=["clinic-table"])]

    def lines(self):
        """Yield the table as Markdown."""
        from lmcourse.site import evidence  # it reads the questions, which takes a second

        yield "| id | mistake | the number that it leaves | treated in |"
        yield "|---|---|---|---|"
        built, places = set(self.env.found_docs), evidence.mistakes(ROOT)
        found = formulas()
        more = {hint.mistake: hint.place for hints in UNNUMBERED.values() for hint in hints if hint.place}
        for name in sorted(found, key=lambda name: (name[0] != "M", len(name), name)):
            links = [
                self.to(f"{evidence.label(stem)}: {words}", target)
                for stem, kind, words, target in places.get(name, ())
                if kind == "page" and target.partition(".")[0] in built
            ]
            if name in more and more[name][1].partition(".")[0] in built:
                links.append(self.to(*more[name]))
            numbers = ", ".join(found[name]) or "none of its own"
            yield f"| {name} | {mistakes.NAMES[name]} | {numbers} | {'; '.join(links)} |"


def formulas():
    """Return the formulas of each mistake's number, as Markdown; an empty list if it fixes no number."""
    found = {hint.mistake: [] for hints in UNNUMBERED.values() for hint in hints}
    for one in EXPLANATIONS:
        formula = one.family or (f"exp({one.nats})" if one.nats else one.number)
        listed = found.setdefault(one.mistake, [])
        if formula and f"`{formula}`" not in listed:
            listed.append(f"`{formula}`")
    return found


def only_on_screen():
    """The sentence that replaces a form in the printed book."""
    return nodes.raw("", r"\emph{The form is on this page of the book on the web.}", format="latex")


def _json(value):
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).replace("</", "<\\/")
