"""Folds: what a derivation's cell says of itself, and marks that do not fit together."""

import pytest
import sympy as sp
from docutils import nodes

from lmcourse.site.extensions import folds
from lmmetrics.derivation import Derivation

x = sp.Symbol("x", real=True)
ONE = Derivation((x + 1) ** 2).step(x**2 + 2 * x + 1, because="expand")
TWO = ONE.step(x * (x + 2) + 1, because="factor")
CHECKED = ONE.check_numerically(x * (x + 2) + 1, because="factor")


def cell(shown, code="x = 1"):
    """A cell as MyST-NB makes it: its source and what it shows."""
    source = nodes.container("", nodes.literal_block(code, code), nb_element="cell_code_source")
    return nodes.container("", source, nodes.raw("", shown, format="html"), nb_element="cell_code")


@pytest.mark.parametrize(
    ("shown", "label"),
    [
        (ONE._repr_html_(), "Proved"),
        (TWO._repr_html_(), "Proved: show the code"),
        (CHECKED._repr_html_(), "Checked in numbers: show the code"),
        (TWO._repr_html_() + CHECKED._repr_html_(), "Checked in numbers: show the code"),
        ("<p>A table</p>", None),
    ],
    ids=["one line", "proved", "checked", "both", "no derivation"],
)
def test_the_label_is_what_the_derivation_says(shown, label):
    page = nodes.section("", cell(""), cell(shown))
    folds.label_cells(None, page)
    assert page[1].get("prompt_show") == label


def test_only_a_first_cell_that_imports_is_set_up():
    page = nodes.section("", cell("", "import numpy"), cell("", "import scipy"))
    folds.label_cells(None, page)
    assert [part.get("prompt_show") for part in page] == ["Imports and set-up", None]


def marks(*kinds):
    """A section of marks, a paragraph after each; a mark of no kind is an end."""
    page = nodes.section()
    for kind in kinds:
        page += [folds.Mark("", kind=kind) if kind else folds.Mark(""), nodes.paragraph(kind, kind)]
    return page


def test_what_is_between_two_marks_is_folded():
    page = marks("deeper", "", "predict", "")
    folds.make_folds(None, page)
    assert [type(part) for part in page] == [folds.Folded, nodes.paragraph] * 2


@pytest.mark.parametrize(("kinds", "warnings"), [(["deeper"], 2), (["deeper", "predict", ""], 2), ([""], 1)])
def test_marks_that_do_not_fit_are_warned_about_and_removed(kinds, warnings, monkeypatch):
    said = []
    monkeypatch.setattr(folds.log, "warning", lambda words, location: said.append(words))
    page = marks(*kinds)
    folds.make_folds(None, page)
    assert len(said) == warnings and not list(page.findall(folds.Mark))
