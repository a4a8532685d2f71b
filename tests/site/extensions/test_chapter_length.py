"""The reading path of a chapter: what counts as its words and cells, and when the build warns."""

from types import SimpleNamespace

import pytest
from docutils import nodes

from lmcourse.files.contents import chapters
from lmcourse.files.places import ROOT
from lmcourse.site.extensions import chapter_length
from lmcourse.site.extensions.folds import Folded

STEM = chapters(ROOT)[0]


def cell(**attributes):
    """A cell of code as MyST-NB makes it."""
    source = nodes.container("", nodes.literal_block("", "x = 1"), nb_element="cell_code_source")
    shown = nodes.container("", nodes.paragraph("", "printed words"), nb_element="cell_code_output")
    return nodes.container("", source, shown, nb_element="cell_code", **attributes)


def page():
    """Four words of prose and one cell, and what a reader may skip."""
    return nodes.section(
        "",
        nodes.paragraph(
            "", "Don't fold this,", nodes.math("", "a b c"), nodes.emphasis("", " cross-entropy")
        ),
        cell(),
        cell(hide_mode="input"),
        nodes.container("", nodes.paragraph("", "printed"), nb_element="cell_code"),
        Folded("", nodes.paragraph("", "hidden words"), cell()),
        nodes.table("", nodes.paragraph("", "in a table")),
        nodes.literal_block("", "some = code"),
    )


def test_only_what_no_fold_hides_is_counted():
    assert chapter_length.measure(page()) == (4, 1)


@pytest.mark.parametrize(
    ("name", "limits", "said"),
    [
        (f"book/{STEM}", {"WORDS": 3}, ["the path has %d words, more than %d: fold or cut 4 3"]),
        (f"book/{STEM}", {"CELLS": 0}, ["the path shows %d cells, more than %d: fold or cut 1 0"]),
        (f"book/{STEM}", {"WORDS": 4, "CELLS": 1}, []),
        (f"notebooks/{STEM}", {"WORDS": 3}, []),
        ("book/preface", {"WORDS": 3}, []),
    ],
    ids=["words", "cells", "within", "lab", "no chapter"],
)
def test_the_build_warns_of_a_long_path(name, limits, said, monkeypatch):
    found = []

    def warning(*words, location):
        found.append(" ".join(map(str, words)))
        assert location == name

    monkeypatch.setattr(chapter_length, "log", SimpleNamespace(warning=warning))
    for limit, value in limits.items():
        monkeypatch.setattr(chapter_length, limit, value)
    chapter_length.check(SimpleNamespace(srcdir=ROOT, env=SimpleNamespace(docname=name)), page())
    assert found == said
