"""Checks: a clean project has no finding, and each rule finds the fault that is planted for it."""

import importlib
import pkgutil
import re
import subprocess
from pathlib import Path

import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from lmcourse import checks, rules
from lmcourse.checks import RULES, findings, main
from lmcourse.files.notebooks import canonical, read, to_text
from lmcourse.rules.tree import Tree
from lmcourse.rules.turned import READ, said_in
from lmcourse.sets.release import install_line, release
from tests.rules import test_guides

STEM = "02_topic"
SOLUTION = f"solutions/{STEM}/{STEM}.ipynb"
EXERCISE = f"exercises/{STEM}/{STEM}.ipynb"
LAB = f"notebooks/{STEM}.ipynb"
PAGE = f"book/{STEM}.md"
PLAN = f"book/instructors/{STEM}.md"

CHAPTER = """\
# A topic

```{chapter-card}
:question: What is a topic?
:minutes: 30
:prerequisites: logarithms
```

:::{admonition} What you will be able to do
**Compute** a surprisal.
:::

```{code-cell} python
import numpy as np
import torch
from myst_nb import glue
rng = np.random.default_rng(0)
torch.manual_seed(0)
glue("total", 3)
for name in "ab":
    glue(f"part-{name}", 1)
```

````{prf:definition} Surprisal
It is $-\\ln q$.
````

```{code-cell} python
---
mystnb:
  image:
    alt: "A line over the probability."
  figure:
    caption: "Surprisal by probability."
tags: [hide-input]
---
fig, ax = plt.subplots()
```

The total is {glue:text}`total:.2f`, its part {glue:text}`part-a`.
The lab has {glue:text}`../notebooks/02_topic.ipynb::seen`.

```{code-cell} python
Derivation(x).step(y, because="so")
```

```{code-cell} python
Explorable("one", {}, fig)
```

```{code-cell} python
Explorable("two", {}, fig)
```

## Break it

## What to remember

**Further reading.** {cite:t}`shannon1948`, and the [set](../exercises/02_topic/02_topic.ipynb).
"""


PLACES = """\
[Where things are](#where-things-are)

## Where things are

- the site: `lmcourse/site/building.py`, `lmcourse/static/book.css`, `lmcourse/templates/a.j2`
"""


def solved_set():
    """Ten tasks of 3 points, one of them graded by hand, executed."""
    cells = [new_markdown_cell("# A set")]
    for n in range(1, 10):
        source = f"### TASK: Task {n}: say {n}.\n### BEGIN SOLUTION\nx{n} = {n}\n### END SOLUTION"
        cells += [graded(new_code_cell(source), f"say-{n}", solution=True)]
        cells += [graded(new_code_cell(f"assert x{n} == {n}"), f"test-say-{n}", grade=True, locked=True)]
    words = new_markdown_cell("Because.\n\n**Rubric**\n\n- 3 points: the reason.")
    words.metadata["course"] = {"prompt": "*Write here.*"}
    for kind in (": an experiment", ": a figure"):
        cells.append(new_markdown_cell(f"**Look back{kind}.** Do it."))
        cells.append(new_markdown_cell("As here.", metadata={"course": {"prompt": "*Not graded.*"}}))
    cells.append(graded(words, "why", grade=True, solution=True))
    for count, cell in enumerate([cell for cell in cells if cell.cell_type == "code"], start=1):
        cell.execution_count = count
    return canonical(new_notebook(cells=cells))


def graded(cell, name, grade=False, solution=False, locked=False):
    settings = {"schema_version": 3, "grade_id": name, "grade": grade, "solution": solution, "locked": locked}
    cell.metadata["nbgrader"] = {**settings, "task": False, **({"points": 3} if grade else {})}
    return cell


def lab():
    """Twenty slides, each with a note."""
    cells = []
    for n in range(20):
        cells.append(new_markdown_cell(f"## Slide {n}", metadata={"slideshow": {"slide_type": "slide"}}))
        cells.append(new_markdown_cell("**2 min.** Say it.", metadata={"slideshow": {"slide_type": "notes"}}))
    code = new_code_cell('glue("seen", 1)', metadata={"slideshow": {"slide_type": "skip"}})
    return canonical(new_notebook(cells=[*cells, code]))


@pytest.fixture(scope="session")
def clean_files(tmp_path_factory):
    """The files of a project that keeps every rule, as a dictionary of texts."""
    root = tmp_path_factory.mktemp("clean")
    texts = {
        "_toc.yml": 'root: book/index\nparts:\n  - caption: "Part I: A part"\n    chapters:\n'
        + "".join(f"      - file: {path.rpartition('.')[0]}\n" for path in (PAGE, PLAN, LAB, EXERCISE)),
        "CHANGELOG.md": "# Changelog\n\n## 0.2.0 (unreleased)\n\n## 0.1.0\n",
        "CONTRIBUTING.md": PLACES,
        "pyproject.toml": '[project]\nrequires-python = ">=3.12"\n[tool.ruff]\ntarget-version = "py312"\n',
        "_config.yml": "execute:\n  raise_on_error: true\n",
        "requirements.txt": "# pinned\nnumpy==2.4.6\ntorch[cpu]==2.13.0  # why\nmyst-nb==1.4.0\n",
        "requirements-dev.txt": "-r requirements.txt\npytest==9.2.0\n",
        "book/index.md": "# A book\n\n![A page of the book](page.svg)\n",
        PAGE: CHAPTER,
        PLAN: "# Lesson plan\n\nIts notes add up to forty minutes.\n",
        LAB: to_text(lab()),
        SOLUTION: to_text(solved_set()),
        "lmmetrics/__init__.py": "from lmmetrics._version import __version__\nfrom .score import Score\n",
        "lmmetrics/_version.py": '__version__ = "0.2.0"\n',
        "lmmetrics/_parts.py": "import math\n",
        "lmmetrics/score.py": "from lmmetrics._parts import math\n\nclass Score: ...\n",
        "lmmetrics/model.py": "from .score import Score\nimport numpy\nrng = numpy.random.default_rng(3)\n",
        "lmcourse/__init__.py": "",
        "lmcourse/site/building.py": 'from lmmetrics import model\ncommand = ["-W"]\n',
        "lmcourse/static/book.css": "a::after { background: url(icon.svg) }\n",
        "lmcourse/templates/a.j2": '<a href="https://example.org">a</a><script src="reveal.js"></script>\n',
    }
    for path, text in texts.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    release(root)
    return {**texts, EXERCISE: (root / EXERCISE).read_text()}


@pytest.fixture
def project(clean_files, tmp_path):
    for path, text in clean_files.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)
    return tmp_path


def test_a_clean_project_has_no_finding(project, monkeypatch, capsys):
    monkeypatch.chdir(project)
    assert main([]) == 0
    assert capsys.readouterr().out == f"{len(RULES)} rules checked, 0 findings.\n"


def test_an_empty_folder_has_no_finding(tmp_path):
    assert findings(Tree(tmp_path)) == []


def test_only_what_git_tracks_is_looked_at(project):
    subprocess.run(["git", "init", "-q"], cwd=project, check=True)
    bad = "x = '/wo" + "rk/main'\n"
    (project / "lmcourse" / "draft.py").write_text(bad)
    subprocess.run(["git", "add", "."], cwd=project, check=True)
    (project / "lmcourse" / "later.py").write_text(bad)
    assert [rule for rule, _ in findings(Tree(project))] == ["no_path_of_one_machine"]


# A fault for each rule: what is changed, and the words that must be found. A change is a function of the
# project's root; most write text, or edit a notebook.


def write(path, text):
    def change(root):
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)

    return change


def replace(path, old, new):
    def change(root):
        text = (root / path).read_text()
        assert old in text
        (root / path).write_text(text.replace(old, new))

    return change


def delete(path):
    return lambda root: (root / path).unlink()


def edit(path, edit_cells):
    def change(root):
        notebook = read(root / path)
        edit_cells(notebook.cells)
        (root / path).write_text(to_text(canonical(notebook)))

    return change


def output(place, *args, **kwargs):
    return edit(SOLUTION, lambda cells: cells[place].outputs.append(new_output(*args, **kwargs)))


def add_code(path, source):
    """Add a cell of code to a page, or to a notebook as a skipped cell that has run."""
    if path.endswith(".md"):
        return lambda root: write(
            path, (root / path).read_text() + f"\n```{{code-cell}} python\n{source}\n```\n"
        )(root)
    cell = new_code_cell(source, metadata={"slideshow": {"slide_type": "skip"}})
    return edit(path, lambda cells: cells.append(cell))


def figure(alt, source="ax.plot([1, 2])"):
    """Write a chapter with one figure."""
    header = f'---\nmystnb:\n  image:\n    alt: "{alt}"\n---\n'
    return write(PAGE, f"```{{code-cell}} python\n{header}{source}\n```\n")


def chinese(words):
    """Write a glossary of one entry, and a sentence into the page."""
    glossary = "```{glossary}\nnat\n  A unit. (奈特)\n```\n"
    sentence = replace(PAGE, "## Break it", f"A **nat** (奈特), so {words}.\n\n## Break it")
    return lambda root: (write("book/glossary.md", glossary)(root), sentence(root))


def second_entry(root):
    """Give a glossary the Chinese name of one term twice."""
    write("book/glossary.md", "```{glossary}\nnat\n  A unit. (奈特)\n\nhartley\n  Another. (奈特)\n```\n")(
        root
    )


def with_known_chinese(words):
    """Write a list of the words that are known, and a page with a slip."""
    return lambda root: (
        write("lmcourse/rules/chinese_words.txt", words)(root),
        write(PAGE, "The *gradient* (梯渡; 梯度).")(root),
    )


def read_as(before, now):
    """Write a sentence on a page, store it as read, and write another in its place."""

    def change(root):
        (root / "book" / "index.md").write_text(before)
        stored = {path: [said.stored for said in sayings] for path, sayings in said_in(Tree(root)).items()}
        lines = [line for path, found in stored.items() for line in (f"## {path}", *found)]
        write(READ, "\n".join(lines))(root)
        (root / "book" / "index.md").write_text(now)

    return change


RUBRIC = "**Rubric**\n\n- 3 points: the reason."
CELLS_CLAIM = (
    'claim("k", "No cell of one or two bits fits, and two of three bits do", lambda n: n[2] == 2, n)\n'
)
NETWORK_CLAIM = 'claim("k", "the network is below the table", lambda a, b: a < b, 1, 2)\n'
NUMBERS = """\
```{code-cell} python
assert zeros == 91
```

## A

"""
"""A page with an assertion above its first section."""


def drop_slides(cells):
    del cells[:2]


def set_type(kind):
    return lambda cells: cells[0].metadata.update(slideshow={"slide_type": kind} if kind else {})


def asks(cells):
    """A slide that asks, and one with its answer; then one that asks, and nothing."""
    cells[0].source += "\n\n### Predict 1\n\nHow many?"
    cells[2].metadata["tags"] = ["answer"]
    cells[4].source += "\n\n**Predict 2:** how many?"


def no_notes(cells):
    for cell in cells[5:]:
        if cell.metadata["slideshow"]["slide_type"] == "notes":
            cell.metadata["slideshow"]["slide_type"] = "skip"


PLANTED = [
    ("are_notebooks", write(LAB, "{"), "not JSON"),
    (
        "solutions_are_well_formed",
        replace(SOLUTION, "### TASK: Task 1: say 1.", "# say 1"),
        "no task message",
    ),
    (
        "solutions_are_executed",
        edit(SOLUTION, lambda cells: cells[3].update(execution_count=None)),
        r"say-2\) is not executed.*python -m lmcourse\.execute 02_topic",
    ),
    (
        "solutions_store_no_errors",
        output(1, "error", ename="ValueError", evalue="", traceback=[]),
        r"\(say-1\): stores ValueError",
    ),
    (
        "solutions_store_no_images",
        output(1, "display_data", {"image/png": "aGk=", "text/plain": "<Figure>"}),
        r"\(say-1\): stores image/png",
    ),
    ("solutions_store_nothing_by_chance", output(1, "stream", name="stderr", text="Warning"), "stderr"),
    (
        "solutions_store_nothing_by_chance",
        output(1, "execute_result", {"text/plain": "<Line2D at 0x7f3a5c0012>"}),
        "a memory address",
    ),
    ("solutions_store_nothing_by_chance", output(1, "stream", text="9/9 [00:01<00:00]"), "shows a time"),
    (
        "solutions_store_nothing_by_chance",
        output(2, "execute_result", {"text/plain": "3"}),
        "test that shows a value",
    ),
    ("solutions_are_full_sets", edit(SOLUTION, lambda cells: cells.__delitem__(slice(1, 3))), "has 9 tasks"),
    ("solutions_are_full_sets", replace(SOLUTION, '"points": 3', '"points": 2'), "gives 20 points"),
    ("solutions_are_full_sets", edit(SOLUTION, lambda cells: cells.pop()), "no task that a person grades"),
    (
        "solutions_are_full_sets",
        edit(SOLUTION, lambda cells: cells.__delitem__(slice(-3, -1))),
        "has 1 Look backs that ask",
    ),
    (
        "parts_have_an_experiment_and_a_figure",
        edit(SOLUTION, lambda cells: cells.__delitem__(slice(-3, -1))),
        "no set of Part I has '..Look back: a figure",
    ),
    (
        "solutions_are_well_formed",
        edit(SOLUTION, lambda cells: cells[2].metadata["nbgrader"].update(points=0)),
        "points 0",
    ),
    (
        "student_sets_are_current",
        replace(EXERCISE, "# A set", "# My set"),
        "is stale.*lmcourse.release 02_topic",
    ),
    ("student_sets_are_current", write("exercises/old/old.txt", "x"), "exercises/old/old.txt is extra"),
    (
        "students_see_no_markers",
        replace(EXERCISE, "# YOUR CODE HERE", "### BEGIN SOLUTION"),
        "BEGIN SOLUTION",
    ),
    ("students_see_no_markers", replace(EXERCISE, "# YOUR CODE HERE", "### BEGIN HIDDEN TESTS"), "HIDDEN"),
    (
        "labs_and_student_sets_have_no_outputs",
        edit(LAB, lambda cells: cells[-1].outputs.append(new_output("stream", text="1"))),
        "1 cells.*nbconvert --clear-output --inplace notebooks/02_topic.ipynb",
    ),
    (
        "labs_and_student_sets_have_no_outputs",
        edit(EXERCISE, lambda cells: cells[1].update(execution_count=1)),
        "Run: python -m lmcourse.release 02_topic",
    ),
    ("cells_are_short", add_code(LAB, "\n".join(f"x{n} = {n}" for n in range(26))), "has 26 lines"),
    ("labs_are_decks", edit(LAB, drop_slides), "has 19 slides"),
    ("labs_are_decks", edit(LAB, set_type(None)), "has the slide type None"),
    ("labs_are_decks", edit(LAB, set_type("page")), "has the slide type 'page'"),
    ("labs_are_decks", edit(LAB, no_notes), "2 of 20 slides have notes"),
    ("plans_state_their_minutes", edit(LAB, drop_slides), "says 'forty' where 'notes add up to 38 minutes'"),
    ("plans_state_their_minutes", replace(PLAN, "forty minutes", "an hour"), "lacks the words 'notes add up to 40"),
    ("predictions_have_answers", edit(LAB, asks), "the slide 'Slide 2' asks for a prediction"),
    ("chapters_are_whole", delete(LAB), "02_topic.ipynb: the chapter's lab is not"),
    ("chapters_are_whole", delete(EXERCISE), "student set is not"),
    ("chapters_are_whole", delete(f"book/instructors/{STEM}.md"), "lesson plan is not"),
    (
        "chapters_are_whole",
        replace("_toc.yml", STEM, "03_more"),
        "book/03_more.md: the chapter's page is not",
    ),
    ("chapters_have_the_skeleton", replace(PAGE, ":minutes: 30\n", ""), "reading time"),
    ("chapters_have_the_skeleton", replace(PAGE, "What you will be able to do", "Aims"), "objectives"),
    ("chapters_have_the_skeleton", replace(PAGE, "## Break it", "## Mend it"), "Break it"),
    ("chapters_have_the_skeleton", replace(PAGE, 'Explorable("two"', "show("), "two interactive figures"),
    ("chapters_have_the_skeleton", replace(PAGE, "## What to remember", ""), "What to remember"),
    ("pictures_have_alt_text", write("book/index.md", "![](page.svg)"), r"!\[\]\(page.svg\) has no alt"),
    ("pictures_have_alt_text", write("README.md", '<img src="page.svg" alt="">'), "<img.*has no alt"),
    (
        "pictures_have_alt_text",
        write("book/index.md", "```{figure} a.svg\n:name: a\n\nWords.\n```\n"),
        "no ':alt:'",
    ),
    (
        "pictures_have_alt_text",
        replace(PAGE, 'alt: "A line over the probability."', 'alt: ""'),
        "draws a figure",
    ),
    ("code_fits_the_page", replace(PAGE, 'glue("total", 3)', f'print("{"x" * 80}")'), "a line of 89 columns"),
    ("pictures_have_alt_text", add_code(LAB, "plt.figure()"), r"cell 42 \(plt.figure\(\)\): draws a figure"),
    ("chinese_names_are_those_of_the_glossary", chinese("**nat** (奈特; 奈忒)"), r"line \d+: '\*\*nat"),
    ("chinese_names_are_those_of_the_glossary", chinese("**nats** (纳特)"), "'.*nats.*纳特"),
    ("chinese_names_are_those_of_the_glossary", chinese("it is **not there** (無)"), "無"),
    ("chinese_names_are_those_of_the_glossary", chinese("it is **calibrated** (奈特)"), "calibrated"),
    ("chinese_names_mean_one_term", second_entry, "奈特 is the Chinese name of 'nat' and 'hartley'"),
    ("chinese_words_are_known", with_known_chinese("梯度\n梯渡\n熵\n"), "熵 stands nowhere in the book"),
    ("chinese_words_are_known", with_known_chinese("梯度\n"), "梯渡 is not among the Chinese words"),
    (
        "chinese_is_in_both_scripts",
        write(PAGE, "The *sky* (天空 / 蓝色)."),
        "simplified: 蓝",
    ),
    (
        "chinese_is_in_both_scripts",
        write("book/glossary.md", "```{glossary}\ntoken\n  A word. (词元) In Taiwan 標記 is common.\n```\n"),
        "glossary.md, line 3: only simplified: 词",
    ),
    (
        "tags_point_somewhere",
        replace(PAGE, "## Break it", "% mistake: M99\n\n## Break it"),
        "the tag M99 is not in",
    ),
    (
        "tags_point_somewhere",
        replace(
            PAGE,
            "**Compute** a surprisal.\n:::\n",
            "- **Compute** a surprisal.\n:::\n\n"
            "% objective: a | tasks: nothing | section: sec-x | slide: none\n",
        ),
        "there is no task 'nothing'",
    ),
    ("glued_numbers_exist", replace(PAGE, 'glue("total", 3)', ""), "'total:.2f', which no cell of book/02"),
    ("glued_numbers_exist", replace(PAGE, "::seen", "::unseen"), "which no cell of notebooks/02_topic.ipynb"),
    ("random_numbers_are_seeded", add_code(PAGE, "np.random.rand(3)"), r"line \d+: np.random.rand\(\) draws"),
    ("random_numbers_are_seeded", replace(PAGE, "default_rng(0)", "default_rng()"), "has no seed"),
    (
        "random_numbers_are_seeded",
        replace(PAGE, "torch.manual_seed(0)", "torch.randn(2)"),
        "torch.randn.*not seeded",
    ),
    ("random_numbers_are_seeded", add_code(LAB, "random.shuffle(x)"), r"random.shuffle\(\) draws"),
    ("random_numbers_are_seeded", add_code(LAB, "layer = nn.Linear(2, 3)"), r"nn.Linear\(\) is not seeded"),
    (
        "random_numbers_are_seeded",
        replace("lmmetrics/model.py", "default_rng(3)", "normal()"),
        "line 3: numpy.random.normal",
    ),
    (
        "words_are_spelt_right",
        write("book/index.md", "We rec" + "ieve it."),
        "index.md:1: .*Correct the word",
    ),
    (
        "words_are_spelt_right",
        edit(LAB, lambda cells: cells[0].update(source="## We rec" + "ieve it")),
        "02_topic.ipynb: .*Correct the word",
    ),
    (
        "words_are_spelt_right",
        write("lmmetrics/model.py", '"""We rec' + 'ieve it."""\n'),
        "model.py:1: .*Correct the word",
    ),
    (
        "one_name_for_each_quantity",
        write("book/index.md", "The cross\nentropy."),
        "'cross entropy' is called",
    ),
    (
        "one_name_for_each_quantity",
        write("book/index.md", 'Not "bits/char", `bits/char` or $bits/char$, but 2 bits/char.\n'),
        "'bits/char' is called bits per character",
    ),
    (
        "one_name_for_each_quantity",
        edit(LAB, lambda cells: cells[0].update(source="## The KL distance")),
        "02_topic.ipynb: 'KL distance' is called KL divergence",
    ),
    (
        "one_name_for_each_quantity",
        write("lmmetrics/model.py", 'def f():\n    """Return the log likelihood."""\n'),
        "model.py: 'log likelihood' is called log-likelihood",
    ),
    ("english_is_idiomatic", write("book/index.md", "A score is\nno probability.\n"), "'is no probability'"),
    (
        "english_is_idiomatic",
        edit(LAB, lambda cells: cells[0].update(source="## The dearest places")),
        "02_topic.ipynb: 'dearest' is not plain English here. Write: improbable",
    ),
    (
        "english_is_idiomatic",
        write("lmcourse/hint.py", "hint = f'{n} faults: ' 'Whoever counts them.'\n"),
        "hint.py: 'Whoever'",
    ),
    (
        "english_is_idiomatic",
        write("tests/test_names.py", "def test_a_score_is_no_loss():\n    pass\n"),
        "'is no loss' is not plain English",
    ),
    (
        "english_is_idiomatic",
        write("tests/test_comments.py", "x = 1  # whoever reads this\n"),
        "'whoever' is not plain English",
    ),
    (
        "english_is_idiomatic",
        write("lmmetrics/remark.py", "x = 1  # this is no loss\n"),
        "remark.py: 'is no loss'",
    ),
    ("english_is_idiomatic", add_code(PAGE, "print('how it betrays itself')"), "'how it betrays'"),
    ("english_is_idiomatic", write(PAGE, "The bill of a text."), "'bill' is not plain"),
    ("figures_say_what_is_claimed", figure("It falls."), "'It falls.' says 'falls'"),
    ("figures_say_what_is_claimed", figure("It falls and {04-stops}."), "says 'falls'"),
    ("figures_say_what_is_claimed", figure("It lies far to the left."), "says 'far to the left'"),
    (
        "figures_say_what_is_claimed",
        figure(
            "Two lines.",
            'claim("04-x", "leads by less", few, 0)\nax.set(title="It leads by more")  # claim: 04-x',
        ),
        "says 'more'",
    ),
    ("numbers_in_alt_texts_are_computed", figure("A line from 7."), "alt text or caption says 7"),
    (
        "sentences_about_figures_are_claimed",
        write(PAGE, "All lines rise in {numref}`fig-04-x`.\n"),
        "says 'All'",
    ),
    (
        "glued_values_are_used",
        write(PAGE, '```{code-cell} python\nglue("04-x", "3")\n```\n'),
        "nothing uses the value '04-x'",
    ),
    (
        "mistakes_named_are_tagged",
        write(PAGE, "% mistake: M1\n\nThe base (M2).\n"),
        "names M2, which",
    ),
    (
        "mistakes_named_are_tagged",
        write(PAGE, "% mistake: M1\n\n## A\n\n(M1)\n\n% mistake: M2\n## B\n\nM2, M1.\n"),
        "line 10: names M1, which its section does not tag",
    ),
    (
        "directions_are_computed",
        write(PAGE, "It is {glue:text}`04-more` higher.\n"),
        "types '… higher' beside",
    ),
    (
        "directions_are_computed",
        write(PAGE, "It is too low, because {glue:text}`04-long`.\n"),
        "types 'too low'",
    ),
    (
        "numbers_in_titles_are_held",
        write(
            PAGE,
            '```{code-cell} python\nglue("x", f"{size}")\nax.set(title=f"{2 * size} equal")\n```\n',
        ),
        r"a title computes 2 \* size",
    ),
    ("numbers_in_prose_are_held", write(PAGE, "It is 51.37.\n"), "types 51.37, which"),
    (
        "numbers_in_prose_are_held",
        write(PAGE, f"{NUMBERS}## B\n\nNow 90 and 91.\n"),
        "line 9: types 90, which",
    ),
    (
        "numbers_in_prose_are_held",
        write(PAGE, "{cite:t}`a` found 30.\nWe find 5%.\n"),
        "line 2: types 5%, which",
    ),
    (
        "numbers_in_notes_are_held",
        write(PLAN, "About 30 of 163,227 (slide 5).\n"),
        "types 163,227, which no cell of lab or page has",
    ),
    (
        "factors_in_words_are_claimed",
        write(PAGE, "It is nearly\nthirty times as much.\n"),
        "types 'nearly thirty times'",
    ),
    (
        "slides_named_exist",
        write(PLAN, "On slides 2 to 5, and slide 22.\n"),
        "names slide 22, and the core has 20",
    ),
    (
        "equations_of_numbers_hold",
        write("book/index.md", "It is $\\ln 82 = 4.14$ nats.\n"),
        "book/index.md, line 1: .* the sides are 4.40672 and 4.14",
    ),
    (
        "numbers_in_answers_follow",
        edit(SOLUTION, lambda cells: cells[-1].update(source=f"As $\\ln 82 = 4.41$, or 6.63.\n\n{RUBRIC}")),
        "6.63 does not follow",
    ),
    (
        "turned_words_were_read",
        read_as("The network is *below* the table.\n", "The network is *above* the table.\n"),
        "book/index.md, line 1: says 'above' where 'below' was read",
    ),
    ("pages_were_read", read_as("A page.\n", "It is below two tables.\n"), "1 of 1 sentences are not stored"),
    (
        "figures_say_what_is_claimed",
        figure("Two lines.", f'{CELLS_CLAIM}ax.set(title="No cell of three bits fits")  # claim: k'),
        "'No cell of three bits fits' says 3, and the claim does not",
    ),
    (
        "figures_say_what_is_claimed",
        figure("Two lines.", f'{CELLS_CLAIM}ax.set_title("Fit at 4")  # claim: k'),
        "'Fit at 4' says 4, and the claim does not",
    ),
    (
        "figures_say_what_is_claimed",
        figure("Two lines.", f'{NETWORK_CLAIM}ax.set(title="Table below network")  # claim: k'),
        "'Table below network' has 'table' on the other side of 'below'",
    ),
    (
        "bibliography_was_looked_up",
        write("book/references.bib", "@book{mackay2003,\n  year = {2003},\n}\n"),
        "mackay2003 does not say when",
    ),
    (
        "bibliography_was_looked_up",
        write("book/references.bib", "@book{mackay2003,\n  year = {2004},\n}\n"),
        "mackay2003 has the year 2004",
    ),
    (
        "bibliography_was_looked_up",
        write("book/references.bib", "@book{x,\n  year = {1},\n  checked = {2026, doi; 00000000},\n}\n"),
        "x has changed since",
    ),
    (
        "references_are_cited",
        write("book/references.bib", "@book{mackay2003,\n  year = {2003},\n}\n"),
        "nothing cites mackay2003",
    ),
    (
        "chapters_named_exist",
        write("book/index.md", "Chapter 2 of a book, and chapters 02 and 13.\n"),
        "chapter 13 is not in the book",
    ),
    (
        "list_of_places_can_be_read",
        write("CONTRIBUTING.md", PLACES.replace("a.j2`", "a.j2` → all tests")),
        "no test behind its arrow",
    ),
    (
        "folders_are_in_the_list_of_places",
        write("CONTRIBUTING.md", PLACES.replace(", `lmcourse/templates/a.j2`", "")),
        "lacks lmcourse/templates/",
    ),
    (
        "one_version",
        write("CITATION.cff", 'version: "0.1.0"\n'),
        "CITATION.cff: names 0.1.0, and lmmetrics/_version.py 0.2.0",
    ),
    ("one_version", replace("CHANGELOG.md", "## 0.2.0", "## 0.3.0"), "CHANGELOG.md: names 0.3.0"),
    (
        "one_oldest_python",
        write("README.md", "You need\nPython 3.11 or newer.\n"),
        "README.md, line 2: names Python 3.11, and requires-python is 3.12",
    ),
    (
        "one_oldest_python",
        write("lmcourse/install.py", '"""Needs a C compiler.\n\nSo use Python 3.11 to 3.13."""\n'),
        "install.py, line 3: names Python 3.11",
    ),
    ("one_oldest_python", write("Makefile", "sys.version_info < (3, 13)\n"), "names Python 3.13"),
    ("one_oldest_python", replace("pyproject.toml", "py312", "py310"), "line 4: names Python 310"),
    (
        "requirements_are_pinned",
        replace("requirements.txt", "numpy==2.4.6", "numpy>=2"),
        "line 2: 'numpy>=2'",
    ),
    (
        "requirements_are_pinned",
        replace("requirements-dev.txt", "pytest==9.2.0", "pytest"),
        "line 2: 'pytest'",
    ),
    (
        "failing_cells_fail_the_build",
        write("_config.yml", "execute:\n  raise_on_error: false\n"),
        "raise_on_error",
    ),
    (
        "failing_cells_fail_the_build",
        replace("lmcourse/site/building.py", '"-W"', ""),
        "warnings are not errors",
    ),
    (
        "no_path_of_one_machine",
        write("README.md", "one\nsee /wo" + "rk/main"),
        "README.md, line 2: '/wo.k/m' is",
    ),
    ("no_path_of_one_machine", write("lmcourse/a.py", "p = '/ho" + "me/ann/x'"), "path of one machine"),
    ("no_placeholders", write("Makefile", "# TO" + "DO later"), "is a placeholder"),
    ("no_filler_words", write("book/index.md", "This is clearly so."), "already know"),
    ("no_filler_words", write("book/index.md", "Simply put."), "already know"),
    (
        "errors_are_sentences",
        write("lmmetrics/a.py", 'raise ValueError("the text is empty.")'),
        "small letter",
    ),
    (
        "errors_are_sentences",
        write("lmmetrics/a.py", 'raise ValueError(f"k is {k}; 1 is meant")'),
        "full stop",
    ),
    ("no_package_registry", write("README.md", "from https://py" + "pi.org/project/x"), "package registry"),
    (
        "fences_open_a_block",
        write("book/later.md", "```{predict} How likely is `<unk>`?\n```\n"),
        "book/later.md, line 1: the line opens no block",
    ),
    ("every_page_is_in_the_book", write("book/later.md", "# Later\n"), "book/later.md: is not in _toc.yml"),
    (
        "imports_are_installed",
        write("lmcourse/plot.py", "def f():\n    import nltk\n"),
        "plot.py: imports nltk",
    ),
    (
        "imports_are_installed",
        write("lmcourse/plot.py", "import pandas.api\n"),
        "plot.py: imports pandas, which",
    ),
    (
        "imports_are_installed",
        add_code(PAGE, "from sklearn import svm"),
        "book/02_topic.md, .* imports sklearn",
    ),
    (
        "imports_are_installed",
        write("Makefile", "m: $(BOOK)\n\t@$(PY) -m ruff .\n"),
        "target m: imports ruff",
    ),
    ("no_conflict_markers", write("book/index.md", "# A\n<<<<<<" + "< HEAD\nb\n"), "left by a merge"),
    ("no_conflict_markers", write(LAB, '{"source": [\n"<<<<<<' + '< HEAD\\n",\n'), "left by a merge"),
    (
        "pages_ask_no_other_host",
        write("lmcourse/static/a.css", "@import 'https://a.org/b.css';"),
        "fetches https://a.org",
    ),
    (
        "pages_ask_no_other_host",
        write("lmcourse/static/a.css", "a { background: url(//a.org/b) }"),
        "fetches //a.org/b",
    ),
    ("pages_ask_no_other_host", write("lmcourse/static/a.js", "fetch(`https://a.org/b`)"), "fetches https"),
    (
        "pages_ask_no_other_host",
        write("lmcourse/templates/a.j2", '<script src="https://a.org/b.js">'),
        "fetches",
    ),
    (
        "pages_ask_no_other_host",
        write("book/index.md", "![words](https://a.org/b.png)"),
        "picture from https",
    ),
    ("nothing_big_or_copied", write("lmcourse/static/lib.min.js", ""), "copy of somebody else's code"),
    ("nothing_big_or_copied", write("book/data.txt", "x" * 1_000_001), "has 1.0 MB"),
]


@pytest.mark.parametrize(
    ("rule", "change", "words"), PLANTED, ids=[f"{n}-{p[0]}" for n, p in enumerate(PLANTED)]
)
def test_a_planted_fault_is_found(rule, change, words, project):
    change(project)
    (function,) = (function for function in RULES if function.__name__ == rule)
    found = list(function(Tree(project)))
    assert any(re.search(words, sentence) for sentence in found), found


def test_every_rule_has_a_planted_fault():
    assert {rule for rule, _, _ in [*PLANTED, *test_guides.PLANTED]} == {rule.__name__ for rule in RULES}


def test_every_public_function_of_a_tree_is_a_rule_and_says_what_it_checks():
    """Of every module in the folder: one that ``lmcourse.checks`` does not import is found here."""
    names = [f"{rules.__name__}.{module.name}" for module in pkgutil.iter_modules(rules.__path__)]
    public = {
        value
        for module in map(importlib.import_module, names)
        for name, value in vars(module).items()
        if not name.startswith("_") and "tree" in getattr(value, "__annotations__", {})
    }
    assert public == set(RULES)
    assert all(rule.__doc__ for rule in RULES)


def test_a_figure_inside_a_function_or_a_hidden_output_needs_no_words(project):
    for source in ("def draw():\n    return plt.subplots()", ":tags: [remove-output]\nplt.subplots()"):
        add_code(PAGE, source)(project)
    assert list(checks.pages.pictures_have_alt_text(Tree(project))) == []


def test_plain_words_and_words_in_quotation_marks_are_fine(project):
    text = 'There is no end. It is no longer here, and it is no more than 3. They call it "dear". The bill.\n'
    (project / "book" / "index.md").write_text(text)
    assert list(checks.words.english_is_idiomatic(Tree(project))) == []


def test_the_lines_that_install_the_project_do_not_make_a_cell_long(project):
    """With an address of the project, `make exercises` puts two lines above the first code of a lab."""
    source = install_line("ann/book") + "\n".join(f"x{n} = {n}" for n in range(25))
    add_code(LAB, source)(project)
    assert list(checks.sets.cells_are_short(Tree(project))) == []


def test_a_guarded_import_and_a_dependency_of_a_dependency_are_fine(project):
    source = "import packaging\ntry:\n    import nltk\nexcept ImportError:\n    nltk = None\n"
    (project / "requirements.txt").write_text(
        "nbconvert==7.17.2\nnumpy==2.4.6\ntorch==2.13.0\nmyst-nb==1.4.0\n"
    )
    (project / "lmcourse" / "plot.py").write_text(source)
    assert list(checks.packages.imports_are_installed(Tree(project))) == []


def test_a_solved_set_with_both_sides_of_a_merge_hides_no_other_finding(project):
    whole = (project / SOLUTION).read_text()
    (project / SOLUTION).write_text(whole.replace('"cells": [', '"cells": [\n<<<<<<' + "< HEAD\n"))
    (project / "requirements.txt").write_text("numpy\n")
    found = findings(Tree(project))
    assert {"are_notebooks", "no_conflict_markers", "requirements_are_pinned"} <= {rule for rule, _ in found}
    assert all(SOLUTION in sentence for rule, sentence in found if rule == "are_notebooks")


def test_without_codespell_its_rule_is_silent(project, monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    write("book/index.md", "We rec" + "ieve it.")(project)
    assert list(checks.words.words_are_spelt_right(Tree(project))) == []


def test_the_command_prints_the_rule_and_fails(project, monkeypatch, capsys):
    write("requirements.txt", "numpy\ntorch==2.13.0\nmyst-nb==1.4.0\n")(project)
    monkeypatch.chdir(project)
    assert main([]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].endswith("[requirements_are_pinned]")
    assert lines[-1] == f"{len(RULES)} rules checked, 1 finding of 1 rule."


def test_the_command_checks_the_rules_that_are_named(project, monkeypatch, capsys):
    write("requirements.txt", "numpy\ntorch==2.13.0\nmyst-nb==1.4.0\n")(project)
    monkeypatch.chdir(project)
    assert main(["english_is_idiomatic"]) == 0
    assert main(["english_is_idiomatic", "requirements_are_pinned"]) == 1
    assert "2 rules checked, 1 finding of 1 rule." in capsys.readouterr().out
    with pytest.raises(SystemExit):
        main(["requirement_are_pinned"])
    assert "did you mean 'requirements_are_pinned'?" in capsys.readouterr().err
    assert Path("requirements.txt").exists()
