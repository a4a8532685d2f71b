"""What is typed: an honest page passes, in each of the forms in which authors write numbers."""

import pytest

from lmcourse.rules import claims, typed, words
from lmcourse.rules.tree import Tree

RULES = (
    typed.numbers_in_prose_are_held,
    typed.factors_in_words_are_claimed,
    claims.directions_are_computed,
    claims.mistakes_named_are_tagged,
    words.chinese_is_in_both_scripts,
)
CELL = """\
```{code-cell} python
row = np.array([0.91, 0.01])
assert zeros == 91 and f"{share:.1%}" == "0.5%"
```
"""


@pytest.fixture(autouse=True)
def table_of_contents(tmp_path):
    """The rules are held against the chapters that the project's table lists."""
    (tmp_path / "_toc.yml").write_text("chapters:\n  - file: book/04_perplexity\n")
    assert Tree(tmp_path).chapters == ["04_perplexity"]


@pytest.mark.parametrize(
    "sentence",
    [
        "You have seen 91 zeros, so the model gives 0.91 to it, and 0.5% or 0.5 % or 0.5 per cent.",
        "The model of 1977 has 20 words; see chapters 24 and 25, slide 33 and task 41 of version 3.1.",
        "They {cite:p}`a` report 109 and 1.54. The [log](https://example.org/a) has 14.37.",
        "So $e^{3.5}$ and `round(3.5)` are in {numref}`fig-04-a` of {ref}`sec-04-b`.",
        "Is it 700, or 1.2?",
        "The mean has a 95% interval.",
        "| vocabulary | 1,000 |",
        "% not claimed: an example\n% that goes on\nIt is 3.5.",
        "It is {glue:text}`04-effect`, so one is higher than the other, seven times in ten.",
        "It would be too high. It has {glue:text}`04-a` bits or more.",
        "Nine times as much. Half of it. A hundred times.",
        "The base (M1, see {ref}`sec-04-break`).",
        "| M2 | a table |",
        "The sky (蓝色; 藍色), or 蓝色 (藍色), or 掩码; 遮罩.",
    ],
)
def test_an_honest_sentence_passes(tmp_path, sentence):
    page = tmp_path / "book" / "04_perplexity.md"
    page.parent.mkdir()
    source = "Of {cite:t}`a`:\n\n" if sentence.startswith("| v") else ""
    page.write_text(f"{CELL}\n{source}{sentence}\n\n## B\n\n% mistake: M1\n% mistake: M2\n", encoding="utf-8")
    assert [finding for rule in RULES for finding in rule(Tree(tmp_path))] == []


@pytest.mark.parametrize(
    ("note", "found"),
    [("About 136,227 words.", 0), ("163,227 words.", 1), ("It is 3.5.", 1), ("Slide 1000.", 0)],
)
def test_an_exact_number_of_a_plan_is_in_the_code_of_lab_or_page(tmp_path, note, found):
    (tmp_path / "book" / "instructors").mkdir(parents=True)
    (tmp_path / "book" / "04_perplexity.md").write_text("```{code-cell} python\nn = 136_227\n```\n")
    (tmp_path / "book" / "instructors" / "04_perplexity.md").write_text(note)
    assert len(list(typed.numbers_in_notes_are_held(Tree(tmp_path)))) == found
