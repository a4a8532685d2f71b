"""What axe-core objects to on an open page: the rules of WCAG 2.1 A and AA, by settings."""

from pathlib import Path

import axe_playwright_python

AXE = Path(axe_playwright_python.__file__).with_name("axe.min.js").read_text(encoding="utf8")

# MathJax draws a formula twice. The drawn glyphs are hidden from assistive technology and carry no text;
# what is read aloud is the MathML beside them, so the glyphs alone are left out.
RUN = """async ([rules, values]) => {
  const off = rules === 'without' ? Object.fromEntries(values.map(name => [name, {enabled: false}])) : {};
  const only = rules === 'only' ? {type: 'rule', values} :
    {type: 'tag', values: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa']};
  const found = await axe.run({exclude: [['mjx-container > mjx-math']]}, {
    resultTypes: ['violations'], runOnly: only, rules: off});
  return found.violations.filter(rule => ['serious', 'critical'].includes(rule.impact)).flatMap(rule =>
    rule.nodes.map(node => `${rule.id}: ${node.target.join(' ')}: ${node.html.slice(0, 110)}`));
}"""

CONTRAST = ["color-contrast"]


def violations(page, only=(), without=()):
    """Serious and critical violations on an open page, as ``rule: where: markup``.

    Colours are measured when they have come to rest: transitions are off.
    """
    if not page.evaluate("() => Boolean(window.axe)"):
        page.add_style_tag(
            content="*, *::before, *::after { transition: none !important; animation: none !important }"
        )
        page.evaluate(AXE)
    if only:
        return page.evaluate(RUN, ["only", list(only)])
    return page.evaluate(RUN, ["without" if without else "", list(without)])
