"""Words that were turned round since they were read are found, in each form; honest changes pass."""

import re

import pytest

from lmcourse import reread
from lmcourse.files.contents import chapters
from lmcourse.files.places import ROOT
from lmcourse.rules.tree import Tree
from lmcourse.rules.turned import READ, pages_were_read, read_before, turned_words_were_read

PAGE = "book/04_perplexity.md"
PLAN = "book/instructors/04_perplexity.md"
HINTS = "lmcourse/questions/ch04.py"
MODULE = "lmmetrics/needed.py"
TEXTS = {
    PAGE: """\
# A page

With a positive gap, the model was more surprised than it expected. It pools eight tests, each on six tales.
The ratio is {glue:text}`04-first` on tales and {glue:text}`04-last` on pages, with $a = (L + 1) n / k$.
{cite:t}`shannon1951` finds bounds of about 0.6 and 1.3 bits per letter.
Removing one bit roughly doubles the step. Their perplexities cannot be compared.

| sign | meaning |
|---|---|
| V | what can be predicted, without `<s>` |

$$
L = H + D .
$$

```{code-cell} python
---
mystnb:
  image:
    alt: "The bold model minus the careful one. Its border goes down to 0 at an eighth of a bit."
---
ax.set(title="Two equal models, declared different")
Derivation(L).step(H, because="the first factor is the one without the leak")
claim("04-high", "the value is too high", lambda value, exact: value > exact, 2, 1)
```
""",
    PLAN: "Twenty tests are still not enough for the room.\n",
    HINTS: 'Mistake("M3", formula, "The exponent is 1 / ln 10: take the loss in nats.")\n',
    MODULE: '''\
def needed(n, z):
    """Return how many units are needed::

        needed = N * (z(1 - alpha / 2) + z(0.8))

    It is about so.
    """
''',
}


@pytest.fixture
def project(tmp_path, monkeypatch):
    """A page and a module that were read."""
    for path, text in TEXTS.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text, encoding="utf-8")
    (tmp_path / READ).parent.mkdir(parents=True, exist_ok=True)
    monkeypatch.chdir(tmp_path)
    assert reread.main(["--accept"]) == 0
    return tmp_path


def change(project, old, new):
    """Change the page or the module; return what the rule finds."""
    (path,) = (path for path, text in TEXTS.items() if old in text)
    (project / path).write_text(TEXTS[path].replace(old, new, 1), encoding="utf-8")
    return list(turned_words_were_read(Tree(project)))


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("a positive gap", "a negative gap", "says 'negative' where 'positive' was read"),
        ("on six tales", "on eight tales", "says 'eight' where 'six' was read"),
        ("`04-first`", "`04-last`", "04-last.*04-last.*where.*04-first.*04-last"),
        ("(L + 1) n", "L n", r"L n / k.*where.*L \+ 1"),
        ("1.3 bits", "1.6 bits", "0.6 1.6.*where.*0.6 1.3"),
        ("shannon1951", "brown1992", "brown1992.*where.*shannon1951"),
        ("H + D", "H - D", "'L = H - D' where 'L = H . D' was read"),
        (
            "bold model minus the careful",
            "careful model minus the bold",
            "says 'careful . bold' where 'bold . careful' was read",
        ),
        ("expected. It", "never expected. It", None),
        (
            "gap, the model was more",
            "gap, the model was not more",
            "another order than was read, or another 'not'",
        ),
        ("an eighth", "a quarter", "quarter.*where.*eighth"),
        (
            "equal models, declared different",
            "different models, declared equal",
            "says 'different . equal' where",
        ),
        ("too high", "too low", "says 'low' where 'high' was read, in 'the value is too low'"),
        ("alpha / 2", "alpha", "alpha. .*where .*alpha / 2"),
        ("without the leak", "with the leak", "says 'with' where 'without' was read"),
        ("doubles the step", "halves the step", "says 'halves' where 'doubles' was read"),
        ("cannot be", "can be", "another order than was read, or another 'not'"),
        ("without `<s>`", "without `</s>`", "says '`</s>`' where '`<s>`' was read"),
        ("Twenty tests", "Thirty tests", "says 'thirty' where 'twenty' was read"),
        ("1 / ln 10", "1 / log2 10", "says 'log2' where 'ln' was read"),
    ],
)
def test_what_was_turned_is_found(project, old, new, words):
    found = change(project, old, new)
    if words is None:
        assert found == []  # another word has come: this may be a correction
    else:
        assert len(found) in (1, 2) and re.search(words, found[0]), found


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("was more surprised than it expected", "found the text more surprising than expected"),
        ("It pools eight tests", "In Berlin, it pools nine tests"),
        ("# A page\n", "# A page\n\nThe lower of both has three parts, and $b = 2$.\n"),
        ("each on six tales", "each with its own tales"),
        ("too high", "too low"),  # with its condition, below
    ],
)
def test_an_honest_change_passes(project, old, new, monkeypatch):
    if old == "too high":
        monkeypatch.setitem(TEXTS, PAGE, TEXTS[PAGE].replace("value > exact", "value < exact"))
    assert change(project, old, new) == []


@pytest.mark.parametrize(
    ("new", "words"),
    [
        ("In all, {cite:t}`brown1992` find 1.75 bits.", "nobody has read '{cite:t}`brown1992` 1.75'"),
        ("$$\nz = 3\n$$", "nobody has read 'z = 3'"),
    ],
)
def test_a_new_formula_and_a_new_number_with_a_source_are_read_first(project, new, words):
    (found,) = change(project, "# A page\n", f"# A page\n\n{new}\n")
    assert words in found


def test_the_command_shows_both_and_stores_what_is_accepted(project, capsys):
    change(project, "too high", "too low")
    assert reread.main([]) == 0
    assert capsys.readouterr().out.endswith("the value is too low\n  read: high\n  now:  low\n")
    assert len(list(turned_words_were_read(Tree(project)))) == 1
    reread.main(["--accept", PAGE])
    assert list(turned_words_were_read(Tree(project))) == []
    with pytest.raises(SystemExit):
        reread.main(["book/no_page.md"])


def test_a_page_that_is_mostly_new_is_read(project):
    added = "".join(f"\n\nThe model number {n} of this list is larger than before.\n" for n in range(9))
    change(project, "# A page\n", f"# A page\n{added}")
    (found,) = pages_were_read(Tree(project))
    assert re.search(r"9 of \d+ sentences are not stored as read", found)


def test_all_chapters_labs_and_sets_were_read():
    known = read_before(Tree(ROOT))
    for stem in chapters(ROOT):
        assert {f"book/{stem}.md", f"notebooks/{stem}.ipynb", f"solutions/{stem}/{stem}.ipynb"} <= set(known)
