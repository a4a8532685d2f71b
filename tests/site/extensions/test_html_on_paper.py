"""What a cell shows as HTML alone is set on paper, too."""

import pytest
from docutils import nodes
from docutils.utils import new_document

from lmcourse.site.extensions.html_on_paper import blocks, html_alone

OBJECT = "<IPython.core.display.HTML object>"


def bundle(**forms):
    made = nodes.container("", nb_element="mime_bundle")
    for name, text in forms.items():
        form = nodes.container("", mime_type={"html": "text/html", "plain": "text/plain"}.get(name, name))
        form += nodes.raw("", text, format="html") if name == "html" else nodes.literal_block("", text)
        made += form
    return made


@pytest.mark.parametrize(
    ("forms", "found"),
    [
        ({"html": "<p>ten</p>", "plain": OBJECT}, "<p>ten</p>"),
        ({"html": "<p>ten</p>", "plain": "ten"}, None),  # the text says it already
        ({"html": "<p>ten</p>", "plain": OBJECT, "text/latex": "$10$"}, None),
        ({"plain": OBJECT}, None),
    ],
)
def test_only_an_output_without_another_form_is_changed(forms, found):
    assert html_alone(bundle(**forms)) == found


def test_paragraphs_quotations_and_lists():
    found = new_document("x")
    found += blocks(
        "<p>a <b>big</b> word</p><blockquote>said<br>twice</blockquote>"
        "so<ul><li>one</li></ul><ol><li>two</li></ol>"
    )
    assert [type(part).__name__ for part in found.children] == [
        "paragraph",
        "block_quote",
        "paragraph",
        "bullet_list",
        "enumerated_list",
    ]
    assert found[1].astext() == "said twice"
    assert found[0].children[1].tagname == "strong"


def test_a_table_keeps_its_cells_and_its_caption():
    html = (
        "<div><table><caption>What it says</caption><thead><tr><th>unit</th><th>bits</th></tr></thead>"
        "<tbody><tr><th>word</th><td>7.<sub>1</sub></td></tr>"
        "<tr><td colspan='2'>all</td></tr></tbody></table></div>"
    )
    caption, table = blocks(html)
    assert caption.astext() == "What it says"
    assert [len(list(part.findall(nodes.row))) for part in table[0].children[2:]] == [1, 2]
    assert [entry.astext() for entry in table.findall(nodes.entry)] == ["unit", "bits", "word", "7.1", "all"]
    assert next(entry for entry in table.findall(nodes.entry) if "morecols" in entry)["morecols"] == 1


def test_what_works_on_a_screen_only_is_left_out():
    assert blocks("<form><p>fill in</p></form><script>run()</script>") == []
