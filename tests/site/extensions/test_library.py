"""The reference of the library: public names are on its pages, and doc-strings become what they look like."""

import importlib
import re

import pytest

from lmcourse.files.places import ROOT
from lmcourse.site.extensions.library import as_rst, packages, public, reference
from tests.browser.conftest import HTML, needs_book

PAGES = {package: ROOT / "book" / "reference" / f"{package.split('.')[1]}.md" for package in packages()}


def test_every_package_has_a_page():
    assert {"lmmetrics.score", "lmmetrics.ngram", "lmmetrics.mixing"} <= PAGES.keys()
    toc, index = (
        (ROOT / name).read_text(encoding="utf-8") for name in ("_toc.yml", "book/reference/index.md")
    )
    for package, page in PAGES.items():
        assert f"```{{library}} {package}\n" in page.read_text(encoding="utf-8")
        assert f"file: book/reference/{page.stem}\n" in toc and f"]({page.name})" in index
    assert len([*(ROOT / "book" / "reference").glob("*.md")]) == len(PAGES) + 1


@pytest.mark.parametrize("package", PAGES)
def test_every_public_name_is_documented(package):
    lines = reference(importlib.import_module(package))
    for name, _ in public(package):
        assert f":py:obj:`{name} <{package}.{name}>`" in lines
        assert [line for line in lines if re.fullmatch(rf"\.\. \S+:: (?:{package}\.)?{name}", line)]


@needs_book
@pytest.mark.parametrize("package", PAGES)
def test_every_public_name_is_on_a_page(package):
    html = (
        (HTML / "book" / "reference" / PAGES[package].name).with_suffix(".html").read_text(encoding="utf-8")
    )
    for name, _ in public(package):
        anchor = f"{package}.{name}"
        assert f'id="{anchor}"' in html and f'href="#{anchor}"' in html, f"{anchor} is not on the page"


def test_names_of_the_library_are_links_and_other_code_is_code():
    text = "As `score_text`, or `fit`, `Score.count`; `</s>` has counts_ * 2, ``a_``."
    links = [
        ("score_text", "lmmetrics.scoring.score_text"),
        ("fit", "lmmetrics.ngram.NGramModel.fit"),
        ("Score.count", "lmmetrics.score.Score.count"),
    ]
    one, two, three = (f":py:obj:`{name} <{full}>`" for name, full in links)
    assert as_rst([text], "lmmetrics.ngram.NGramModel") == [
        f"As {one}, or {two}, {three}; ``</s>`` has counts\\_ \\* 2, ``a_``."
    ]


def test_formulas_and_examples_stay_as_they_are():
    doc = [
        "First.",
        "",
        "    c* = (c + 1)",
        "",
        "Parameters",
        "----------",
        "k : int",
        "    A `k` * 2.",
        "",
        ">>> a_",
    ]
    assert as_rst(doc, "lmmetrics.ngram.Katz") == [
        *[
            "First.",
            "",
            ".. code-block:: text",
            "",
            "    c* = (c + 1)",
            "",
            "Parameters",
            "----------",
            "k : int",
        ],
        *["    A ``k`` \\* 2.", "", ">>> a_"],
    ]
