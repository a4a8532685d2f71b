"""What axe-core objects to on an open page: the rules of WCAG 2.1 A and AA, by settings."""

import os
from pathlib import Path

import axe_playwright_python

AXE = Path(axe_playwright_python.__file__).with_name("axe.min.js").read_text(encoding="utf8")

EVERY = os.environ.get("AXE") == "all"
"""Whether every page is looked at, as in the weekly workflow: that takes nine minutes of a core. Otherwise
one page of each kind is."""

# A formula is there twice, from KaTeX on a page and from MathJax on a slide. The glyphs are hidden from
# assistive technology; what is read aloud is the MathML beside them, so the glyphs alone are left out. Style
# sheets are not fetched again for the one rule that needs them, which is experimental and off: the page's own
# requests are counted.
RUN = """async only => {
  const tags = {type: 'tag', values: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa']};
  const found = await axe.run({exclude: [['mjx-container > mjx-math'], ['.katex-html']]}, {
    preload: {assets: ['media']}, resultTypes: ['violations'],
    runOnly: only.length ? {type: 'rule', values: only} : tags});
  return found.violations.filter(rule => ['serious', 'critical'].includes(rule.impact)).flatMap(rule =>
    rule.nodes.map(node => `${rule.id}: ${node.target.join(' ')}: ${node.html.slice(0, 99)}`));
}"""

CONTRAST = ["color-contrast"]
SCROLLING = ["scrollable-region-focusable"]

# Thousands of coloured words make axe take half a minute a page. The colours of code are measured by
# themselves (`test_colours_of_code`), so here a code block is its text.
LIGHTEN = """() => {
  const all = [...document.querySelectorAll('mjx-container > mjx-math, .katex-html, div.highlight pre')];
  window.lightened = all.map(heavy => {
    const light = heavy.cloneNode();
    if (light.matches('pre')) light.textContent = heavy.textContent;
    heavy.replaceWith(light);
    return [light, heavy];
  });
}"""
RESTORE = "() => lightened.forEach(([light, heavy]) => light.replaceWith(heavy))"


def violations(page, only=()):
    """Serious and critical violations on an open page, as ``rule: where: markup``; of some rules, if named.

    Colours are measured when they have come to rest: transitions are off.
    """
    if not page.evaluate("() => Boolean(window.axe)"):
        still = "*, *::before, *::after { transition: none !important; animation: none !important }"
        page.add_style_tag(content=still)
        page.evaluate(LIGHTEN)
        page.evaluate(AXE)
    return page.evaluate(RUN, list(only))


def restore(page):
    """Give a page back the maths and the coloured words that `violations` has taken away."""
    page.evaluate(RESTORE)
