"""Each figure of the built book keeps the rules of `lmcourse.rules.figures`; each finds its planted fault."""

import io
import re
from functools import cache
from xml.etree import ElementTree

import matplotlib.pyplot as plt
import numpy as np
import pytest
from bs4 import BeautifulSoup
from matplotlib.colors import to_hex, to_rgb

from lmcourse.files.places import ROOT
from lmcourse.rules import figures
from lmcourse.rules.tree import Tree
from lmmetrics.figures import COLOURS, FAMILIES, apart, end_labels, ink, look, use_style

HTML = ROOT / "_build" / "html"
PAGES = sorted(
    p.relative_to(HTML).as_posix() for d in ("book", "notebooks") for p in HTML.glob(f"{d}/**/*.html")
)
ILLUSTRATED = 12
"""At least this many pages and labs have figures: eight chapters, their labs, and more."""


@cache
def shown(page):
    """The figures of a built page: each image with its graphic."""
    found = figures.images((HTML / page).read_text(encoding="utf-8"))
    return [(tag, figures.picture(tag["src"], (HTML / page).parent)) for tag in found]


def built():
    """Skip where the book is not built: `make test` builds it first."""
    if not PAGES:
        pytest.skip("the book is not built: make book")


def test_the_book_has_figures():
    """The checks below look at something."""
    built()
    assert sum(bool(shown(page)) for page in PAGES) >= ILLUSTRATED


@pytest.mark.parametrize("rule", figures.OF_PICTURES, ids=lambda rule: rule.__name__)
def test_every_figure_keeps(rule):
    """No graphic of any page or lab breaks a rule; a deck shows those of its lab."""
    built()
    found = [
        fault
        for page in PAGES
        for tag, svg in shown(page)
        for fault in rule(svg, f"{page}: {tag['alt'][:40]}")
    ]
    assert not found, "\n".join(sorted(set(found)))


def test_every_image_is_a_vector_with_words():
    """Pages, labs, decks: SVG, and an alt text that is not the caption."""
    built()
    decks = [f"slides/{deck.name}" for deck in sorted((HTML / "slides").glob("*.html"))]
    found = []
    for page in PAGES + decks:
        for tag in figures.images((HTML / page).read_text(encoding="utf-8")):
            found += [*figures.is_vector(tag["src"], page), *figures.has_alt(tag, page)]
    assert not found, "\n".join(found)


def test_decks_show_the_figures_of_their_labs():
    """A deck has no graphic of its own, so that the rules on labs hold for decks too."""
    built()
    for deck in sorted((HTML / "slides").glob("*.html")):
        lab = {tag["alt"] for tag, _ in shown(f"notebooks/{deck.name}")}
        assert {tag["alt"] for tag in figures.images(deck.read_text(encoding="utf-8"))} <= lab, deck.name


@pytest.mark.parametrize("rule", figures.OF_SOURCES, ids=lambda rule: rule.__name__)
def test_every_cell_keeps(rule):
    """No cell of a page or lab draws a legend without a reason, or types a colour."""
    cells = Tree(ROOT).code_cells("book", "notebooks")
    found = [fault for cell in cells for fault in rule(cell.source, cell.where)]
    assert not found, "\n".join(found)


def test_families_are_told_apart():
    """By eyes with all kinds of cones and without one."""
    assert not list(figures.palette_is_told_apart())


def test_lines_of_the_palette_differ_in_lightness():
    """What the palette says of itself: ten steps apart, words readable, lines visible."""
    steps = sorted(figures.Line(COLOURS[n], "", "").lightness() for n in ("truth", "model", "other", "muted"))
    assert min(np.diff(steps)) >= figures.APART
    for name in {*COLOURS} - {"muted", "light"}:
        assert figures.contrast(COLOURS[name], "#ffffff") >= 4.5, name
    for name, colour in FAMILIES.items():
        assert figures.contrast(colour, "#ffffff") >= (3 if name == "plain" else 4.5), name
    assert all(figures.contrast(ink(model), "#ffffff") >= 4.5 for model in figures.MODELS)


HUE_ROTATED = np.array([[-0.574, 1.430, 0.144], [0.426, 0.430, 0.144], [0.426, 1.430, -0.856]])
"""The matrix of the filter ``hue-rotate(180deg)``."""


def test_the_palette_can_be_read_in_the_dark():
    """Dark pages invert a figure; then words have 4.5 to 1 with the page, lines 3 to 1."""
    css = (ROOT / "lmcourse" / "static" / "book.css").read_text(encoding="utf-8")
    rule = re.search(r'html\[data-theme="dark"\][^{]*cell_output img \{([^}]*)\}', css)[1]
    share = float(re.search(r"filter: invert\(([\d.]+)\) hue-rotate\(180deg\)", rule)[1])
    for name, colour in (COLOURS | FAMILIES).items():
        inverted = share + (1 - 2 * share) * np.array(to_rgb(colour))
        shown = to_hex(np.clip(HUE_ROTATED @ inverted, 0, 1))
        least = {"muted": 3, "plain": 3, "light": 1}.get(name, 4.5)
        assert figures.contrast(shown, "#121212") >= least, (name, shown)


# ---- each rule finds the fault that is planted ----


def drawn(draw, **size):
    """The graphic of a good figure, after `draw` has spoilt it."""
    use_style()
    fig, ax = plt.subplots(**size)
    ax.plot([0, 1], [0, 1], **look("GRU"))
    ax.plot([0, 1], [1, 2], **look("Transformer"))
    ax.set(title="One rises above the other", xlabel="steps", ylabel="loss (nats per token)")
    end_labels(ax, [("GRU", 1, 1, ink("GRU")), ("Transformer", 1, 2, ink("Transformer"))])
    draw(ax)
    file = io.StringIO()
    fig.savefig(file, format="svg", bbox_inches="tight")
    plt.close(fig)
    return ElementTree.fromstring(file.getvalue())


def two_alike(ax):
    """Two lines of one lightness, unlabelled, that look the same in grey."""
    ax.plot([0, 1], [2, 3], color=FAMILIES["simpler"])
    ax.plot([0, 1], [3, 4], color=FAMILIES["mixture"])


PLANTED = {
    "a colour of no palette": (figures.comes_from_the_palette, lambda ax: ax.plot([0, 1], [2, 2], "#00ff00")),
    "a name of a colour": (figures.comes_from_the_palette, lambda ax: ax.axhspan(0, 1, color="tomato")),
    "a model in another's colour": (
        figures.models_have_their_colour,
        lambda ax: ax.text(0, 0, "LSTM", color=ink("Transformer")),
    ),
    "two models, one in a wrong colour": (
        figures.models_have_their_colour,
        lambda ax: ax.text(0, 0, "RNN, Katz", color=ink("RNN")),
    ),
    "a white ground": (figures.has_no_ground, lambda ax: ax.figure.patch.set_facecolor("white")),
    "axes with a ground": (figures.has_no_ground, lambda ax: ax.set_facecolor("white")),
    "pale words": (figures.can_be_read, lambda ax: ax.text(0, 0, "floor", color=COLOURS["muted"])),
    "white words on white": (figures.can_be_read, lambda ax: ax.text(0, 0, "floor", color="white")),
    "a pale line": (figures.can_be_read, lambda ax: ax.axhline(1, color=COLOURS["light"])),
    "a line made pale": (figures.can_be_read, lambda ax: ax.axhline(1, color=COLOURS["model"], alpha=0.5)),
    "a pale bar": (figures.can_be_read, lambda ax: ax.bar([0.5], [1], 0.1, color=COLOURS["light"])),
    "two lines of one lightness": (figures.differ_in_grey, two_alike),
    "small words": (figures.is_large_enough, lambda ax: ax.text(0, 0, "small", fontsize=8)),
    "an axis without a label": (figures.axes_are_labelled, lambda ax: ax.set_xlabel("")),
    "a loss without a unit": (figures.axes_are_labelled, lambda ax: ax.set_ylabel("loss")),
    "no title": (figures.has_a_title, lambda ax: ax.set_title("")),
}


def test_a_fault_is_planted_for_each_rule():
    assert {rule for rule, _ in PLANTED.values()} == {*figures.OF_PICTURES}


def test_a_good_figure_breaks_no_rule():
    """The figure that the faults are planted in is right."""
    svg = drawn(lambda ax: ax.axhspan(0, 1, color=COLOURS["light"]))
    assert not [fault for rule in figures.OF_PICTURES for fault in rule(svg)]


@pytest.mark.parametrize("name", PLANTED)
def test_a_planted_fault_is_found(name):
    """The rule speaks, and no other rule hides it."""
    rule, spoil = PLANTED[name]
    assert list(rule(drawn(spoil))), name


def test_a_wide_figure_is_too_small_on_a_phone():
    """The same words, on a figure twice as wide."""
    assert list(figures.is_large_enough(drawn(lambda ax: None, figsize=(11, 4))))


def test_lines_are_told_apart_by_dashes_markers_or_labels():
    """The two lines of one lightness pass with one of the three."""
    for options in ({"ls": "--"}, {"marker": "s"}):
        svg = drawn(
            lambda ax, options=options: (
                ax.plot([0, 1], [2, 3], color=FAMILIES["simpler"]),
                ax.plot([0, 1], [3, 4], color=FAMILIES["mixture"], **options),
            )
        )
        assert not list(figures.differ_in_grey(svg)), options

    def labelled(ax):
        two_alike(ax)
        ax.text(0, 2, "one", color=FAMILIES["simpler"])
        ax.text(0, 3, "other", color=FAMILIES["mixture"])

    assert not list(figures.differ_in_grey(drawn(labelled)))


def image(alt, caption=""):
    """An image as the book's pages have it."""
    page = f'<figure><img src="a.svg" alt="{alt}"><figcaption>{caption}</figcaption></figure>'
    return BeautifulSoup(page, "html.parser").find("img")


SEEN = "Two lines against steps; both fall from 80, the upper one ends at 9, the lower one at 7."


@pytest.mark.parametrize(
    ("alt", "caption"),
    [("", ""), ("figure", ""), ("Figure 3: the curves of the chapter", ""), ("Two lines", ""), (SEEN, SEEN)],
)
def test_a_missing_alt_text_is_found(alt, caption):
    """None, a word, a number, too little, the caption again."""
    assert list(figures.has_alt(image(alt, caption)))


def test_a_right_alt_text_passes():
    """It says what is seen, and the caption says what it is."""
    assert not list(figures.has_alt(image(SEEN, "Five networks, one text, one budget.")))


def test_a_bitmap_is_found():
    """A PNG from a cell, or inside a deck; the page's photograph is excused."""
    assert list(figures.is_vector("../_images/0a1b.png"))
    assert list(figures.is_vector("data:image/png;base64,iVBORw0"))
    assert not list(figures.is_vector("../_images/page.png"))
    assert not list(figures.is_vector("data:image/svg+xml;base64,PD94"))


def test_a_legend_without_a_reason_is_found():
    """With the reason in a comment above, it is excused."""
    assert list(figures.has_no_legend("ax.plot(x, y)\nax.legend()"))
    assert not list(figures.has_no_legend("# A legend: the twelve lines cross everywhere.\nax.legend()"))


def test_a_typed_colour_is_found():
    """Colours have names."""
    assert list(figures.colours_are_named('ax.text(0, 0, "a", color="#5b6068")'))
    assert not list(figures.colours_are_named('ax.text(0, 0, "a", color=COLOURS["note"])'))


def test_a_palette_of_twins_is_found(monkeypatch):
    """Two models drawn alike, and two colours that some eyes confuse."""
    monkeypatch.setitem(figures.MODELS, "LSTM", figures.MODELS["GRU"])
    assert any("LSTM and GRU" in fault for fault in figures.palette_is_told_apart())
    monkeypatch.setitem(figures.FAMILIES, "mixture", "#6a6a00")
    assert any("protans" in fault for fault in figures.palette_is_told_apart())


def test_labels_are_kept_apart():
    """Heights end up in order, a gap apart, inside the axes."""
    for heights in ([0.5] * 6, [0.0, 0.01, 0.02, 0.9], [0.99, 0.98, 0.97]):
        moved = apart(heights, 0.08)
        assert min(np.diff(np.sort(moved))) >= 0.079 and moved.min() >= 0
        assert (np.argsort(moved, kind="stable") == np.argsort(heights, kind="stable")).all()
