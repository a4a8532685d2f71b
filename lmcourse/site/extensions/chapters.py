"""The book's own Sphinx extension: what Jupyter Book lacks and no package provides.

- a chapter's number is the number in its file name, also while earlier chapters are still missing;
- buttons that lead to a repository appear if its address is known, those that launch only on notebooks;
- no script that would contact another host is put on a page;
- the ``chapter-card`` directive: minutes, prerequisites, and links to lab, slides and exercises;
- the ``chapter-cards`` directive: the chapters of the landing page, each with its question;
- the ``mistake-table`` and ``objective-map`` directives: where mistakes and objectives are treated.
"""

import os
import re
from pathlib import Path

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.util.docutils import SphinxDirective
from sphinx_external_toc.collectors import TocTreeCollectorWithStyles

from lmcourse import REPOSITORY
from lmcourse.files.places import ROOT, STATIC


def setup(app):
    """Register the extension (called by Sphinx)."""
    app.connect("config-inited", name_the_repository, priority=1)
    app.connect("config-inited", add_style)
    app.connect("env-get-outdated", read_one_page_for_a_new_style)
    app.connect("html-page-context", tidy_page, priority=900)
    app.add_directive("chapter-card", ChapterCard)
    app.add_directive("chapter-cards", ChapterCards)
    app.add_directive("mistake-table", MistakeTable)
    app.add_directive("objective-map", ObjectiveMap)
    app.connect("builder-inited", number_by_file_name, priority=900)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}


# -- numbers of chapters -----------------------------------------------------------------------------


def number_by_file_name(app):
    """Let the number of a chapter be the number in its file name, whatever else numbers sections."""
    assign = TocTreeCollectorWithStyles.assign_section_numbers
    if assign.__name__ == "numbers_from_file_names":
        return

    def numbers_from_file_names(collector, env):
        before = dict(env.toc_secnumbers)
        assign(collector, env)
        for doc in env.toc_secnumbers:
            chapter = re.match(r"(\d\d)_", doc.rsplit("/", 1)[-1])
            if chapter:
                renumber(env, doc, int(chapter[1]))
        return [doc for doc, numbers in env.toc_secnumbers.items() if numbers != before.get(doc)]

    TocTreeCollectorWithStyles.assign_section_numbers = numbers_from_file_names


def renumber(env, doc, first):
    """Replace the first component of every section number of a document."""
    numbers = env.toc_secnumbers[doc]
    for anchor, number in numbers.items():
        numbers[anchor] = (first, *number[1:]) if number else number
    carriers = [env.titles.get(doc), env.longtitles.get(doc), *env.tocs[doc].findall(nodes.reference)]
    for node in carriers:
        if node is not None and node.get("secnumber"):
            node["secnumber"] = [first, *node["secnumber"][1:]]


# -- pages -------------------------------------------------------------------------------------------


def name_the_repository(app, config):
    """Show the buttons that lead to a repository where it is known: by its workflow, or `REPOSITORY`."""
    options, name = config.html_theme_options, os.environ.get("GITHUB_REPOSITORY") or REPOSITORY
    options["repository_url"] = f"https://github.com/{name}" if name else ""
    options["use_repository_button"] = bool(name)
    if not REPOSITORY:  # without it notebooks lack the line that installs the project
        options["launch_buttons"] = {}


def add_style(app, config):
    """Add the book's style sheet."""
    config.html_static_path.append(str(STATIC))
    app.add_css_file("fonts.css")
    app.add_css_file("book.css")


def read_one_page_for_a_new_style(app, env, added, changed, removed):
    """Return a page to read again if a style or script is newer than its copy, or Sphinx copies none."""
    copied = Path(app.outdir) / "_static" / "book.css"
    if not copied.exists():
        return []
    newest = max(path.stat().st_mtime for path in STATIC.rglob("*") if path.is_file())
    return ["book/index"] if newest > copied.stat().st_mtime else []


def tidy_page(app, pagename, templatename, context, doctree):
    """Drop Thebe, which contacts another host, and the launch button on pages that are not notebooks."""

    def wanted(script):
        body = getattr(script, "attributes", {}).get("body", "") or ""
        return "THEBE_JS_URL" not in body and "thebe" not in str(getattr(script, "filename", "") or "")

    context["script_files"] = [script for script in context["script_files"] if wanted(script)]
    source = app.env.doc2path(pagename) if pagename in app.env.found_docs else ""
    if "header_buttons" in context and not str(source).endswith(".ipynb"):
        context["header_buttons"] = [
            button for button in context["header_buttons"] if button.get("label") != "launch-buttons"
        ]


class ChapterCard(SphinxDirective):
    """Minutes, prerequisites, and where the lab, the slides and the exercises of a chapter are.

    The stem of the page names them all: ``book/02_x.md`` goes with ``notebooks/02_x.ipynb``,
    ``slides/02_x.html`` and ``exercises/02_x/02_x.ipynb``.
    """

    option_spec = {  # noqa: RUF012
        "question": directives.unchanged_required,
        "minutes": directives.positive_int,
        "prerequisites": directives.unchanged_required,
    }

    def run(self):
        """Return the card's nodes."""
        stem = self.env.docname.rsplit("/", 1)[-1]
        missing = [name for name in self.option_spec if name not in self.options]
        if missing:
            raise self.error(f"chapter-card of {stem} lacks :{missing[0]}:, which readers plan with")
        text = (
            f"**{self.options['minutes']} minutes** to work through. "
            f"You need: {self.options['prerequisites']}\n\n"
            f"{{doc}}`Lab <../notebooks/{stem}>` · "
            f'<a href="../slides/{stem}.html">Slides</a> · '
            f"{{doc}}`Exercises <../exercises/{stem}/{stem}>` · "
            f'<a href="../downloads/{stem}.ipynb" download>This page as a notebook</a>'
        )
        card = nodes.container(classes=["chapter-card"])
        self.state.nested_parse(text.split("\n"), self.content_offset, card)
        return [card]


class ChapterCards(SphinxDirective):
    """A card for each chapter named in the content ("01 02"): title, question, minutes, and its four parts.

    Title, question and minutes are read from the chapter's own page.
    """

    has_content = True

    def run(self):
        """Return the grid's nodes."""
        lines = ["::::{grid} 1 2 2 2", ":gutter: 3", ""]
        for number in " ".join(self.content).split():
            lines += self.card(number)
        box = nodes.container(classes=["chapter-cards"])
        self.state.nested_parse([*lines, "::::"], self.content_offset, box)
        return [box]

    def card(self, number):
        """The Markdown lines of one card."""
        pages = list((ROOT / "book").glob(f"{number}_*.md"))
        if len(pages) != 1:
            raise self.error(f"chapter-cards names {number}; book/ has {len(pages)} pages of that number")
        stem, text = pages[0].stem, pages[0].read_text(encoding="utf-8")
        self.env.note_dependency(str(pages[0]))
        title, question, minutes = (
            re.search(pattern, text, re.M)[1]
            for pattern in (r"^# (.+)", r"^:question: *(.+)", r"^:minutes: *(\d+)")
        )
        return [
            f":::{{grid-item-card}} {number} {title}",
            ":link-type: doc",
            f":link: {stem}",
            question,
            "",
            f"{minutes} minutes",
            ":::",
            "",
        ]


class EvidenceTable(SphinxDirective):
    """A table made from the tags of pages, labs and sets, read again when one of them changes."""

    made_from = (
        "book/[0-9]*.md",
        "book/errors.md",
        "book/tools.md",
        "notebooks/*.ipynb",
        "lmcourse/questions/ch*/*.py",
    )

    def run(self):
        """Return the table's nodes."""
        for pattern in self.made_from:
            for path in ROOT.glob(pattern):
                self.env.note_dependency(str(path))
        box = nodes.container(classes=["evidence"])
        self.state.nested_parse(list(self.lines()), self.content_offset, box)
        return box.children

    def to(self, words, target):
        """A Markdown link from this page to a file below the root."""
        up = "../" * self.env.docname.count("/")
        return f"[{words}]({up}{target})"


class MistakeTable(EvidenceTable):
    """Mistakes of the catalogue with what happens, the sign of it, and where the book runs them.

    The content has a line for each mistake: ``M8: what happens. | the sign``. Where the mistake's name says
    what happens, the line is ``M20: | the sign``. With the argument ``slips`` the table lists the slips of
    the classroom, with ``tasks`` the tasks that recognise each mistake.
    """

    has_content, optional_arguments = True, 1

    def lines(self):
        """Yield the table as Markdown."""
        from lmcourse.site import evidence

        places = evidence.mistakes(ROOT)
        if self.arguments == ["tasks"]:
            yield from ("| mistake | tasks |", "|---|---|")
            for name, found in places.items():
                if tasks := ", ".join(sorted(words for _, kind, words, _ in found if kind == "set")):
                    yield f"| {name} | {tasks} |"
            return
        if self.arguments == ["slips"]:
            yield from ("| slip |", "|---|")
            for name in evidence.NAMES:
                if name.startswith("L"):
                    treated = self._passages(places.get(name, ()))
                    yield f"| {_titled(name, evidence.NAMES)}{f' ({treated})' if treated else ''} |"
            return
        yield from ("| mistake | symptom | treated in |", "|---|---|---|")
        for name, story, sign in self._rows(evidence.NAMES):
            found = places.get(name, ())
            treated = self._passages(found) or self._tasks(found) or "[clinic](clinic.md)"
            what = f"{_titled(name, evidence.NAMES)} {story}".strip()
            yield f"| {what} | {sign} | {treated} |"

    def _rows(self, names):
        """Yield name, story and sign of each mistake of the table."""
        for line in self.content:
            name, _, rest = line.partition(":")
            story, _, sign = rest.partition(" | ")
            if name not in names or not sign:
                raise self.error(
                    f"{line!r} is not a mistake of the catalogue with its story and its sign: M8: ... | ..."
                )
            yield name, story.strip(), sign

    def _built(self, found):
        """The places whose pages are in this build."""
        return [
            place for place in found if place[3].partition("#")[0].rpartition(".")[0] in self.env.found_docs
        ]

    def _passages(self, found):
        """Links to the sections that run a mistake, and to the labs of other chapters."""
        from lmcourse.site import evidence

        here = self._built(found)
        pages = {stem for stem, kind, *_ in here if kind == "page"}
        return "; ".join(
            self.to(f"{evidence.label(stem)}: {words}", target)
            for stem, kind, words, target in here
            if kind == "page" or (kind == "lab" and stem not in pages)
        )

    def _tasks(self, found):
        """Links to the exercises that recognise a mistake, for those that no section runs."""
        sets = {stem: target for stem, kind, _, target in self._built(found) if kind == "set"}
        links = ", ".join(self.to(stem[:2], target) for stem, target in sets.items())
        return f"exercises {links}" if links else ""


def _titled(name, names):
    """A mistake's number and name; the hints of the exercises link to the anchor."""
    said = names[name]
    return f'<span id="{name.lower()}"></span>**{name}** {said[0].upper()}{said[1:]}.'


class ObjectiveMap(EvidenceTable):
    """Each objective of the chapter with the section, the slide and the tasks that go with it."""

    @property
    def made_from(self):
        """The chapter's page, which names section, slide and tasks; the lab marks the optional slides."""
        stem = self.env.docname.rsplit("/", 1)[-1]
        return f"book/{stem}.md", f"notebooks/{stem}.ipynb"

    def lines(self):
        """Yield the table as Markdown."""
        from lmcourse.site import evidence

        stem = self.env.docname.rsplit("/", 1)[-1]
        yield "| objective | section | slide | tasks, each tested by the set's own checks |"
        yield "|---|---|---|---|"
        optional = evidence.optional_slides(ROOT, stem)
        for aim in evidence.objectives(ROOT, stem):
            tasks = ", ".join(f"`{task}`" for task in aim.tasks)
            slide = f"{aim.slide} (optional)" if aim.slide in optional else aim.slide
            yield f"| {aim.words} | {{ref}}`{aim.section}` | {slide} | {tasks} |"
