"""Guides: the rules find each kind of planted fault, and let everything pass that exists."""

import re

import pytest

from lmcourse.rules import guides
from lmcourse.rules.tree import Tree

FILES = {
    "Makefile": "BOOK := a\nbook: $(BOOK)  ## build\n\t@true\ntest:\n\t@true\n",
    "lmcourse/__init__.py": "",
    "lmcourse/release.py": 'import sys\ndef main(): ...\nif __name__ == "__main__":\n    main()\n',
    "lmcourse/questions/ch02/text.py": "",
    "lmmetrics/__init__.py": "from lmmetrics.score import Score\n",
    "lmmetrics/score.py": "UNITS = {}\nclass Score:\n    limit: int = 3\n    def bits_per(self): ...\n",
    "solutions/02_topic/02_topic.ipynb": "{}",
    "book/02_topic.md": "# A topic\n",
    "tests/a.py": "",
}
GUIDE = """\
Edit `solutions/STEM/STEM.ipynb` and `lmcourse/questions/chNN/`, then `make book`. (See lmmetrics/score.py.)
Write it with `lmmetrics.score.Score(nats)`, `lmmetrics.Score.bits_per("byte")`, `lmmetrics.score.UNITS`.

    make                  list the targets
    make test             run every test
    make PLACE=here book  && make test
    .venv/bin/python -m lmcourse.release [--check]    make students happy

```python
from lmmetrics.score import Score
```
"""
LISTED = "[List](#where-things-are)\n\n## Where things are\n\n- scores: `lmmetrics/score.py` → `tests/a.py`\n"
"""What CONTRIBUTING.md has besides."""
PLANTED = [
    ("paths_in_guides_exist", "Edit `lmcourse/relaese.py`.", "names lmcourse/relaese.py"),
    ("paths_in_guides_exist", "Look into tests/sets/test_release.py.", "names tests/sets/test_release.py"),
    ("paths_in_guides_exist", "Edit `book/STEM.tex`.", "names book/STEM.tex"),
    ("paths_in_guides_exist", "Edit `lmcourse/questions/qNN_*.py`.", r"names lmcourse/questions/qNN_\*.py"),
    ("paths_in_guides_exist", "    py -3 course\\install.py book", "names course/install.py"),
    ("commands_in_guides_exist", "Then `make tests`.", "names make tests"),
    ("commands_in_guides_exist", "    make exercises   write the sets", "names make exercises"),
    ("commands_in_guides_exist", "```\nmake book && make wheels  # all\n```", "names make wheels"),
    (
        "commands_in_guides_exist",
        "    python -m lmcourse.releases --check",
        "names python -m lmcourse.releases",
    ),
    ("commands_in_guides_exist", "Run `python -m lmmetrics.score`.", "which cannot be run"),
    ("links_in_guides_lead_somewhere", "See [a](#a-heding).", "links to #a-heding"),
    ("links_in_guides_lead_somewhere", "```\n## Code\n```\n[b](#code)", "links to #code"),
    ("names_in_guides_exist", "See `lmmetrics.scores`.", "names lmmetrics.scores"),
    ("names_in_guides_exist", "Call `lmmetrics.score.score_text(m)`.", "names lmmetrics.score.score_text"),
    ("names_in_guides_exist", "Ask `lmmetrics.Score.bits`.", "names lmmetrics.Score.bits"),
    ("names_in_guides_exist", "Ask `lmmetrics.score.Score.nats`.", "names lmmetrics.score.Score.nats"),
]


@pytest.fixture
def project(tmp_path):
    """A small project whose guides name only what exists."""
    for path, text in {**FILES, "CONTRIBUTING.md": GUIDE + LISTED}.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)
    return tmp_path


@pytest.mark.parametrize("guide", ["README.md", "lmcourse/AUTHORING.md", "book/instructors/grading.md"])
@pytest.mark.parametrize(("rule", "line", "words"), PLANTED)
def test_a_planted_fault_is_found(rule, line, words, guide, project):
    (project / guide).parent.mkdir(parents=True, exist_ok=True)
    (project / guide).write_text(f"{GUIDE}\n{line}\n")
    (found,) = getattr(guides, rule)(Tree(project))
    assert found.startswith(f"{guide}: ") and re.search(words, found)


def test_a_recipe_that_the_contents_lack_is_found(project):
    sections = "[one](#one-recipe) [mine](lmcourse/AUTHORING.md#mine)\n\n## One recipe\n\n## Another\n"
    (project / "lmcourse" / "AUTHORING.md").write_text("# Not mine\n")
    (project / "CONTRIBUTING.md").write_text(sections)
    found = list(guides.links_in_guides_lead_somewhere(Tree(project)))
    assert [words.split(".md: ")[1][:16] for words in found] == ["links to #mine, ", "nothing links to"]


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("## Where things are", "## What is where", "lacks the heading '## Where things are'"),
        ("`lmmetrics/score.py`", "`score.py`", "'- scores: `score.py` → `tests/a.py`' has no file before"),
        ("→ `tests/a.py`", "→ all tests", "has no test behind its arrow"),
    ],
)
def test_a_list_of_places_that_cannot_be_read_is_found(old, new, words, project):
    """`make check` would silently run no test of what the list means."""
    (project / "CONTRIBUTING.md").write_text((GUIDE + LISTED).replace(old, new))
    (found,) = guides.list_of_places_can_be_read(Tree(project))
    assert words in found


def test_what_is_there_passes(project):
    assert list(guides.list_of_places_can_be_read(Tree(project))) == []
    for rule in {rule for rule, _, _ in PLANTED}:
        assert list(getattr(guides, rule)(Tree(project))) == []
