"""A Sphinx extension: KaTeX sets the formulas when the book is built, so a page needs no script for them.

The builder writes a formula as TeX between ``\\(`` and ``\\)`` or ``\\[`` and ``\\]``. After the last page is
written, each is replaced by KaTeX's HTML, which holds MathML for screen readers. The script is that of the
package sphinxcontrib-katex; style and fonts of the same version are in ``static/katex``.

A browser may begin a line with the comma after a formula, because to it a formula is a box. So a formula in a
sentence and the marks that touch it are one ``<span class="kept-together">``, at whose edges no line begins.
"""

import html
import importlib.util
import re
from functools import cached_property
from pathlib import Path

from sphinx.util import logging

from lmcourse.files.places import STATIC

FORMULA = re.compile(
    r"(?P<before>[(\[“‘]*)"
    r"(?P<open><(?P<tag>span|div) class=\"[^\"]*\bmath notranslate nohighlight\"[^>]*>)"
    r"(?P<body>.*?)(?P<close></(?P=tag)>)"
    r"(?P<after>(?:[.,;:!?)\]”’-]+s?)?)",
    re.DOTALL,
)
DERIVATION = re.compile(r"<div class=\"derivation tex2jax_process\".*?</div>", re.DOTALL)
TEX = re.compile(r"\\\((?P<inline>.*?)\\\)|\\\[(?P<display>.*?)\\\]", re.DOTALL)
SCRIPTS = re.compile(
    r"<script\b[^>]*>window\.MathJax = .*?</script>|<script\b[^>]*/(?:mathjax|fontawesome)/[^>]*></script>",
    re.DOTALL,
)
"""MathJax, which the formulas no longer need, and Font Awesome's: its style sheet draws the same icons."""
ANNOTATION = re.compile(r"<annotation\b.*?</annotation>", re.DOTALL)
"""The TeX that KaTeX repeats in its MathML."""
PARTS, NEXT = '<span class="katex-html" aria-hidden="true">', '</span><span class="base">'
"""Before the first part of a formula, and between two parts, which may stand on two lines."""
OPTIONS = {"throwOnError": True, "strict": "ignore"}
BAR = re.compile(r"\\mid(?![A-Za-z])")
"""The bar of a condition. To KaTeX it is a relation, such as "=", and a long formula may break after it."""

log = logging.getLogger(__name__)


def setup(app):
    """Register the extension (called by Sphinx)."""
    app.connect("config-inited", add_style)
    app.connect("build-finished", set_formulas)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}


def add_style(app, config):
    """Add KaTeX's style and fonts."""
    if str(STATIC) not in config.html_static_path:
        config.html_static_path.append(str(STATIC))
    app.add_css_file("katex/katex.css")


def set_formulas(app, error):
    """Set the formulas of every page that still has TeX; warn of those that KaTeX cannot read."""
    if error or app.builder.name != "html":
        return
    katex = Katex()
    for path in sorted(app.outdir.rglob("*.html")):
        page = path.read_text(encoding="utf-8")
        if path.is_relative_to(app.outdir / "slides") or not SCRIPTS.search(page):
            continue
        done, faults = with_formulas(page, katex)
        for fault in faults:
            log.warning("%s: KaTeX cannot set a formula: %s", path.relative_to(app.outdir), fault)
        path.write_text(done, encoding="utf-8")


def with_formulas(page, katex):
    """Return the HTML of a page with its formulas set and without `SCRIPTS`, and what could not be set."""
    faults = []

    def set_one(match):
        tex = html.unescape(match["inline"] or match["display"]).strip()
        try:
            return katex.render(tex, display=bool(match["display"]))
        except ValueError as fault:
            faults.append(f"{tex}: {fault}")
            return match[0]

    def set_body(match):
        formula = match["open"] + TEX.sub(set_one, match["body"]) + match["close"]
        if match["tag"] == "span" and (match["before"] or match["after"]):
            together = match["before"] + _breakable(formula) + match["after"]
            return f'<span class="kept-together">{together}</span>'
        return match["before"] + formula + match["after"]

    page = FORMULA.sub(set_body, page)
    page = DERIVATION.sub(lambda match: TEX.sub(set_one, match[0]), page)
    return SCRIPTS.sub("", page), faults


def _breakable(formula):
    """Let a formula that is kept with its neighbours break after its own signs, as before."""
    first, last = formula.find(PARTS), formula.rfind(NEXT)
    if first < 0 or last < 0:
        return formula
    start, end = first + len(PARTS), last + len("</span>")
    return f'{formula[:start]}<span class="may-break">{formula[start:end]}</span>{formula[end:]}'


class Katex:
    """KaTeX in an engine that starts with the first formula."""

    @cached_property
    def _engine(self):
        from py_mini_racer import MiniRacer

        package = importlib.util.find_spec("sphinxcontrib.katex")
        engine = MiniRacer()
        engine.eval(Path(package.origin).with_name("katex.min.js").read_text(encoding="utf-8"))
        return engine

    @property
    def version(self):
        """The version of KaTeX, such as 0.16.22."""
        return self._engine.eval("katex.version")

    def render(self, tex, display):
        """Return the HTML of a formula.

        Raises
        ------
        ValueError
            If KaTeX cannot read it.
        """
        from py_mini_racer import JSEvalException

        try:
            shown = self._engine.call(
                "katex.renderToString",
                BAR.sub(r"\\mid\\nobreak ", tex),
                {**OPTIONS, "displayMode": display},
            )
        except JSEvalException as error:
            raise ValueError(str(error).split("\n")[0]) from None
        return ANNOTATION.sub("", shown)
