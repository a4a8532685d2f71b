"""The tables of a deck: words to the left, numbers to the right, in a mathematician's signs."""

import nbformat
import pytest

from lmcourse.pages.tables import table
from lmcourse.site import decks


@pytest.mark.parametrize(
    "value, shown",
    [
        (-0.87, "<td>−0.87</td>"),
        ("+0.15", "<td>+0.15</td>"),
        ("7e-05", "<td>7 × 10<sup>−5</sup></td>"),
        ("2e+69", "<td>2 × 10<sup>69</sup></td>"),
        ("1e-10", "<td>10<sup>−10</sup></td>"),
        ("-inf", "<td>−inf</td>"),
        ("?", "<td>?</td>"),
        ("+0.4 to +1.5", "<td>+0.4 to +1.5</td>"),
        ("less than 2e-15", '<td class="words">less than 2 × 10<sup>−15</sup></td>'),
        ("byte-pair", '<td class="words">byte-pair</td>'),
        ("的", '<td class="words">的</td>'),
        ("</s>", '<td class="words">&lt;/s&gt;</td>'),
    ],
)
def test_a_table_is_set(value, shown):
    """A number keeps its place at the right; a word goes to the left, with the heading of its column."""
    html = table({"found": ""}, {"row": [value]}, "A caption")._repr_html_()
    made = decks.RESULTS.sub(decks.typeset, html)
    assert shown in made
    assert ('<th scope="col" class="words">found</th>' in made) == ("words" in shown)
    assert "<caption>A caption</caption>" in made


def test_a_column_is_set_as_a_whole():
    """One word in a column moves the numbers beside it, and not the column after it."""
    html = table({"a": "", "b": ".1f"}, {"one": ("3", -1), "two": ("none", 2)})._repr_html_()
    made = decks.RESULTS.sub(decks.typeset, html)
    assert '<td class="words">3</td><td>−1.0</td>' in made
    assert '<td class="words">none</td><td>2.0</td>' in made


@pytest.mark.parametrize(
    ("cells", "larger"),
    [
        (["## A question\n\nWhich of them?"], True),
        (["## A question", "Which of them?"], True),
        (["## A question\n\n$$p$$"], False),
        (["## A table\n\n| a |\n|---|\n| b |"], False),
        (["## A box\n\n<div>b</div>"], False),
        (["## Much text\n\n" + 100 * "word "], False),
    ],
)
def test_a_slide_with_a_few_words_is_set_in_larger_type(cells, larger):
    made = [nbformat.v4.new_markdown_cell(source) for source in cells]
    made[0].metadata["slideshow"] = {"slide_type": "slide"}
    made.append(nbformat.v4.new_markdown_cell("**2 min.** " + 100 * "note "))
    made[-1].metadata["slideshow"] = {"slide_type": "notes"}
    made.append(nbformat.v4.new_code_cell("1 + 1"))  # another slide's
    made[-1].metadata["slideshow"] = {"slide_type": "slide"}
    decks.time_slides(made)
    assert [("words" in cell.metadata.get("classes", "")) for cell in made] == [
        larger,
        *[False] * len(cells),
        False,
    ]
    assert made[0].metadata["seconds"] == 120
