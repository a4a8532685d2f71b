"""A small clean project for the tests of the rules, and changes that plant a fault in it.

A change is a function of the project's root; most write text, or edit a notebook.
"""

from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from lmcourse.files.notebooks import canonical, read, to_text

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
