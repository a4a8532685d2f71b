"""The formulas of a page are set when the book is built."""

import pytest

from lmcourse.files.places import STATIC
from lmcourse.site.extensions.mathematics import Katex, with_formulas

KATEX = Katex()
HEAD = (
    '<script>window.MathJax = {"tex": {}}</script><script>let other = 1</script>'
    '<script defer="defer" src="../_static/mathjax/tex-chtml.js?v=1"></script>'
    '<script src="../_static/vendor/fontawesome/6.5.2/js/all.min.js?digest=1"></script>'
)


def page(body):
    return f"<html><head>{HEAD}</head><body>{body}</body></html>"


@pytest.mark.parametrize(
    ("body", "displayed"),
    [
        (r'<p><span class="math notranslate nohighlight">\(x &lt; 1\)</span></p>', 0),
        (
            '<div class="math notranslate nohighlight" id="equation-a">\n'
            r'<span class="eqno">(1)</span>\[' "\nx < 1\n" r"\\[4pt] y\]</div>",
            1,
        ),
        (r'<div class="output text_latex math notranslate nohighlight">\[\displaystyle x &lt; 1\]</div>', 1),
        (
            '<div class="derivation tex2jax_process" data-verdict="proved"><ol><li><span class="side">'
            r'\(\displaystyle x &lt; 1\)</span><span class="why">as \(y\) is</span></li></ol></div>',
            0,
        ),
    ],
)  # fmt: skip
def test_each_form_of_a_formula_is_set(body, displayed):
    done, faults = with_formulas(page(body), KATEX)
    assert faults == []
    assert "\\(" not in done and "\\[" not in done.replace("\\\\[4pt]", "")
    assert done.count('class="katex-display"') == displayed and 'class="katex-mathml"' in done
    assert done.count("<mo>&lt;</mo>") == 1


def test_what_is_no_formula_stays():
    body = r"<pre>print('\(x\)')</pre><p>costs $5</p>"
    done, faults = with_formulas(page(body), KATEX)
    assert body in done and faults == []
    assert (
        "MathJax" not in done
        and "mathjax" not in done
        and "fontawesome" not in done
        and "let other = 1" in done
    )


def test_a_formula_that_cannot_be_read_is_named():
    body = r'<span class="math notranslate nohighlight">\(\frc{1}{2}\)</span>'
    done, faults = with_formulas(page(body), KATEX)
    assert body in done
    assert (
        len(faults) == 1
        and faults[0].startswith(r"\frc{1}{2}: ")
        and "Undefined control sequence" in faults[0]
    )


def test_style_and_script_are_of_one_version():
    style = (STATIC / "katex" / "katex.css").read_text(encoding="utf-8")
    assert f"KaTeX {KATEX.version} needs" in style
