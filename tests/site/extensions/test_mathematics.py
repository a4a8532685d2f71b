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


@pytest.mark.parametrize("display", [True, False])
def test_a_formula_breaks_at_its_equals_sign_and_not_at_the_bar_of_a_condition(display):
    chain = KATEX.render(r"p(x \mid y) = p(y \mid x) z", display)
    product = KATEX.render("p(xy) = p(yx) z", display)
    assert chain.count('class="base"') == product.count('class="base"') == 2
    assert chain.count("<mo>∣</mo>") == 2


FORMULA = r'<span class="math notranslate nohighlight">\(x\)</span>'


@pytest.mark.parametrize(
    ("before", "after", "kept"),
    [
        ("of ", "; then", ";"),
        ("(", ") and", ")"),
        ("the ", "’s mean", "’s"),
        ("an ", "-gram", "-"),
        ("a ", " b", None),
    ],
)
def test_punctuation_stays_with_its_formula(before, after, kept):
    done, _ = with_formulas(page(f"<p>{before}{FORMULA}{after}</p>"), KATEX)
    if kept is None:
        assert "kept-together" not in done
        return
    opening = "(" if before == "(" else ""
    start, end = (
        f'<span class="kept-together">{opening}<span class="math',
        f"</span>{kept}</span>{after[len(kept) :]}</p>",
    )
    assert start in done and end in done


def test_a_kept_formula_still_breaks_inside():
    done, _ = with_formulas(page(f"<p>{FORMULA.replace('x', 'x = y + z')}.</p>"), KATEX)
    before, _, after = done.partition('<span class="may-break">')
    assert before.endswith('aria-hidden="true">') and after.count('class="base"') == 3
    assert done.count("<span") == done.count("</span>")


def test_display_formulas_are_left_alone():
    done, _ = with_formulas(page(r'(<div class="math notranslate nohighlight">\[x\]</div>)'), KATEX)
    assert "kept-together" not in done and done.count("(") == done.count(")")


def test_text_that_is_not_a_formula_stays():
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
