"""Rules for figures: one function for each, which yields a sentence for each fault.

They read the pages as built, and the vector graphics that matplotlib wrote, so ``tests/book/test_figures.py``
runs them, and not ``lmcourse.checks``. Left out: whether a figure's message is true, and whether its labels
overlap. Those need a person to look.
"""

import base64
import itertools
import re
from dataclasses import dataclass
from xml.etree import ElementTree

import numpy as np
from bs4 import BeautifulSoup, SoupStrainer
from matplotlib.colors import to_hex, to_rgb

from lmmetrics.figures import ALIASES, COLOURS, FAMILIES, MODELS, ink, look

SVG = "{http://www.w3.org/2000/svg}"
HREF = "{http://www.w3.org/1999/xlink}href"
INK, PAPER, GRID = "#000000", "#ffffff", "#e6e8ec"
PALETTE = {*COLOURS.values(), *FAMILIES.values(), INK, PAPER, GRID}
PNG = {"page.png": "a photograph of the book's own page, for the repository's front page"}
PHONE = 342
"""Width in pixels that a page of 390 px leaves for a figure, as measured in Chromium."""
SMALLEST = 7.3
APART = 10
"""Difference in lightness (L* of CIELAB) that grey print shows between two lines."""
MEASURED = r"\b(loss|surprisal|price|cost|bill|entropy|information|KL)\b"
NAMED_UNIT = r"\b(nats?|bits?|kilobits?|perplexity)\b"


@dataclass
class Line:
    """One line of an axes: its colour on white, its dashes, its marker."""

    colour: str
    dashes: str
    marker: str

    def lightness(self):
        """L* of CIELAB, 0 for black and 100 for white."""
        light = luminance(self.colour)
        return 116 * np.cbrt(light) - 16 if light > 0.008856 else 903.3 * light


def linear(colour):
    """Red, green and blue in proportion to light: float64[3], 0 to 1."""
    rgb = np.array(to_rgb(colour))
    return np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)


def luminance(colour):
    """The relative luminance of the accessibility guidelines, 0 to 1."""
    return float(linear(colour) @ [0.2126, 0.7152, 0.0722])


def contrast(one, other):
    """The contrast ratio of two colours, 1 to 21."""
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def style(element):
    """The style attribute as a dict, with the font of the short form taken apart."""
    pairs = (part.partition(":") for part in element.get("style", "").split(";") if ":" in part)
    found = {key.strip(): value.strip() for key, _, value in pairs}
    size = re.search(r"([\d.]+)px", found.get("font", ""))
    return found | ({"font-size": f"{size[1]}px"} if size and "font-size" not in found else {})


def paint(element, kind):
    """The colour of an element's "fill" or "stroke" as it looks on white; None if it has none."""
    given = style(element)
    colour = given.get(kind, INK if kind == "fill" and element.tag == f"{SVG}text" else "none")
    if colour == "none" or colour.startswith("url"):
        return None
    share = float(given.get("opacity", 1)) * float(given.get(f"{kind}-opacity", 1))
    red, green, blue = share * np.array(to_rgb(colour)) + 1 - share
    return to_hex((red, green, blue))


def parts(svg, prefix):
    """The groups whose id starts with a prefix, such as ``axes_``."""
    return [g for g in svg.iter(f"{SVG}g") if g.get("id", "").startswith(prefix)]


def words(element):
    """Each text element below an element, with its words."""
    return [(text, "".join(text.itertext()).strip()) for text in element.iter(f"{SVG}text")]


def children(axes, prefix):
    """The direct children of an axes whose id starts with a prefix."""
    return [g for g in axes if g.get("id", "").startswith(prefix)]


def lines(axes, shapes):
    """The lines that were plotted, without frames and ticks; `shapes` has the marker of each reference."""
    for group in children(axes, "line2d_"):
        path = group.find(f"{SVG}path")
        stroke = None if path is None else paint(path, "stroke")
        drawn = {shapes.get(use.get(HREF)) for use in group.iter(f"{SVG}use")} - {None}
        marks = [paint(use, kind) for use in group.iter(f"{SVG}use") for kind in ("stroke", "fill")]
        colour = stroke or next(filter(None, marks), None)
        if colour:
            dashes = style(path).get("stroke-dasharray", "") if stroke else "no line"
            yield Line(colour, dashes, "".join(sorted(drawn)))


def markers(svg):
    """The outline of the marker that each reference draws."""
    return {f"#{path.get('id')}": path.get("d") for path in svg.iter(f"{SVG}path") if path.get("id")}


def is_vector(name, page="page"):
    """A figure is an SVG, unless `PNG` says why not."""
    file = name.rpartition("/")[2]
    if not (name.endswith(".svg") or name.startswith("data:image/svg+xml")) and file not in PNG:
        yield f"{page}: {file[:60]} is not an SVG. Draw it as one, or give the reason in PNG."


def has_alt(tag, page="page"):
    """The alt text says what is seen, in 40 characters or more, and does not repeat the caption."""
    alt = (tag.get("alt") or "").strip()
    box = tag.find_parent("figure")
    caption = box.find("figcaption").get_text(" ", strip=True) if box and box.find("figcaption") else ""
    if len(alt) < 40 or re.fullmatch(r"\W*(figure|image|plot|chart|graph)\b.{0,20}", alt, re.IGNORECASE):
        yield f"{page}: the alt text {alt!r} does not say what is seen."
    elif alt.rstrip(".") in caption or (caption and caption.rstrip("#").strip().rstrip(".") in alt):
        yield f"{page}: the alt text {alt[:50]!r} repeats the caption. Say what is seen."


def has_no_legend(source, where="cell"):
    """Lines are labelled directly; a legend needs a comment with its reason on the line above."""
    rows = source.splitlines()
    for number, row in enumerate(rows):
        reason = number and re.match(r"\s*# .*legend", rows[number - 1])
        if re.search(r"\.legend\(", row) and not reason:
            yield f"{where}: a legend. Label the lines (lmmetrics.figures.end_labels), or say why not."


def colours_are_named(source, where="cell"):
    """Colours come from the palette and are not typed into a page."""
    for found in re.findall(r"[\"']#[0-9a-fA-F]{6}[\"']", source):
        yield f"{where}: the colour {found}. Take it from lmmetrics.figures."


def comes_from_the_palette(svg, where="figure"):
    """Every colour drawn is one of the palette's, perhaps made paler by its opacity."""
    bare = {
        style(e).get(kind) for e in svg.iter() for kind in ("fill", "stroke") if e.tag != f"{SVG}style"
    } - {None, "none"}
    for colour in sorted(c for c in bare if not c.startswith("url") and to_hex(c) not in PALETTE):
        yield f"{where}: {colour} is not a colour of the palette. Take one from lmmetrics.figures."


def models_have_their_colour(svg, where="figure"):
    """A model's name is in black or in that model's colour."""
    for text, said in words(svg):
        for name in re.split(r",\s*|\s*\(", said.rstrip(" ↑")):
            if name in {*MODELS, *ALIASES} and paint(text, "fill") not in (INK, PAPER, ink(name)):
                yield f"{where}: {name!r} is written in {paint(text, 'fill')}; its colour is {ink(name)}."


def has_no_ground(svg, where="figure"):
    """A figure is transparent: a dark page inverts its colours, and a background would be a black box."""
    frames = [g for axes in parts(svg, "axes_") for g in children(axes, "patch_")[:1]]
    for ground in (*parts(svg, "patch_1")[:1], *frames):
        if any(paint(path, "fill") for path in ground.findall(f"{SVG}path")):
            yield f"{where}: has a background. Leave the figure and its axes transparent, as use_style does."


def can_be_read(svg, where="figure"):
    """Words have a contrast of 4.5 to 1 with their background, lines and the edges of bars one of 3 to 1."""
    for axes in parts(svg, "axes_"):
        filled = {paint(p, "fill") for g in children(axes, "patch_")[1:] for p in g.iter(f"{SVG}path")}
        dark = [c for c in filled if c and contrast(c, PAPER) > 1.5]
        for text, said in words(axes):
            grounds = dark or [PAPER] if paint(text, "fill") == PAPER else [PAPER]
            worst = min(contrast(paint(text, "fill"), ground) for ground in grounds)
            if worst < 4.5:
                yield f"{where}: the words {said!r} have a contrast of {worst:.2f}; 4.5 is needed."
        for line in lines(axes, markers(svg)):
            if contrast(line.colour, PAPER) < 3:
                yield f"{where}: a line in {line.colour} has too little contrast; 3 is needed."
        yield from _pale_bars(axes, where)


def _pale_bars(axes, where):
    """Find pale bars without an edge; a patch that spans the whole axes is a background and may be pale."""
    frame, *patches = children(axes, "patch_") or [None]
    for path in (p for g in patches for p in g.findall(f"{SVG}path")):
        fill, edge = paint(path, "fill"), paint(path, "stroke")
        best = max((contrast(c, PAPER) for c in (fill, edge) if c), default=21)
        if best < 3 and not _spans(path, frame.find(f"{SVG}path")):
            yield f"{where}: a bar in {fill} has a contrast of {best:.2f} and no edge."


def _spans(path, frame):
    """Whether a patch is as wide or as high as its axes."""

    def size(shape):
        numbers = np.array(re.findall(r"-?[\d.]+", shape.get("d")), dtype=float).reshape(-1, 2)
        return np.ptp(numbers, axis=0)

    return bool((size(path) >= size(frame) - 1).any())


def differ_in_grey(svg, where="figure"):
    """Any two lines of an axes differ in lightness, dashes or marker, or have labels in their colours."""
    for axes in parts(svg, "axes_"):
        labels = {paint(text, "fill") for group in children(axes, "text_") for text, _ in words(group)}
        labels |= {COLOURS["muted"]} if COLOURS["note"] in labels else set()
        seen = {(line.colour, line.dashes, line.marker): line for line in lines(axes, markers(svg))}.values()
        for one, other in itertools.combinations(seen, 2):
            same = one.dashes == other.dashes and one.marker == other.marker
            near = abs(one.lightness() - other.lightness()) < APART
            if same and near and not {one.colour, other.colour} <= labels:
                yield f"{where}: lines in {one.colour} and {other.colour} look the same in grey. Change one."


def is_large_enough(svg, where="figure"):
    """On a phone no word is smaller than 7.3 pixels, apart from the exponents of a logarithmic axis."""
    width = float(svg.get("viewBox").split()[2])
    for text, said in words(svg):
        size = float(style(text).get("font-size", "11px")[:-2]) * min(PHONE / width, 4 / 3)
        if said and size < SMALLEST:
            yield f"{where}: {said!r} is {size:.1f} pixels high on a phone. Make it larger."


def axes_are_labelled(svg, where="figure"):
    """An axis with numbers, or one that shares it, has a label; a label that names a measure has a unit."""
    named: dict[str, list] = {"x": [], "y": []}
    for axes in parts(svg, "axes_"):
        for kind, axis in zip("xy", children(axes, "matplotlib.axis_"), strict=False):
            ticks = [said for g in axis if "tick" in g.get("id", "") for _, said in words(g)]
            label = " ".join(said for g in children(axis, "text_") for _, said in words(g))
            numbers = sum(bool(re.fullmatch(r"[−\d.,\s%]+", said)) for said in ticks) > len(ticks) / 2
            named[kind].append((numbers, label))
            if re.search(MEASURED, label) and not re.search(NAMED_UNIT, label):
                yield f"{where}: the axis {label!r} has no unit."
    for kind, found in named.items():
        if any(numbers for numbers, _ in found) and not any(label for _, label in found):
            yield f"{where}: the {kind}-axis has numbers and no label."


def has_a_title(svg, where="figure"):
    """A figure has a title: some text is bold."""
    if not any("bold" in text.get("style", "") or "700" in text.get("style", "") for text, _ in words(svg)):
        yield f"{where}: has no title. Say in it what the figure shows."


OF_PICTURES = (
    comes_from_the_palette,
    models_have_their_colour,
    has_no_ground,
    can_be_read,
    differ_in_grey,
    is_large_enough,
    axes_are_labelled,
    has_a_title,
)
OF_SOURCES = (has_no_legend, colours_are_named)


def images(html):
    """The figures of a page, without the theme's own pictures."""
    found = BeautifulSoup(html, "html.parser", parse_only=SoupStrainer("img")).find_all("img")
    return [tag for tag in found if not re.search(r"_static/|logo|favicon", str(tag.get("src", "")))]


def picture(source, folder):
    """The graphic that an image shows: from its file, or from the page itself."""
    if source.startswith("data:"):
        return ElementTree.fromstring(base64.b64decode(source.partition(",")[2]))
    return ElementTree.parse(folder / source).getroot()


def palette_is_told_apart():
    """The colours of families differ to every eye, and no two models are drawn in the same way."""
    for one, other in itertools.combinations(MODELS, 2):
        if look(one) == look(other):
            yield f"{one} and {other} are drawn in the same way."
    for one, other in itertools.combinations(FAMILIES.items(), 2):
        for eye, matrix in EYES.items():
            if np.linalg.norm(_lab(one[1], matrix) - _lab(other[1], matrix)) < 12:
                yield f"{one[0]} and {other[0]} look alike to {eye}."


EYES = {
    "all": np.eye(3),
    "protans": [[0.1523, 1.0526, -0.2049], [0.1145, 0.7863, 0.0992], [-0.0039, -0.0481, 1.0520]],
    "deutans": [[0.3673, 0.8606, -0.2280], [0.2801, 0.6725, 0.0474], [-0.0118, 0.0429, 0.9689]],
    "tritans": [[1.2555, -0.0767, -0.1788], [-0.0784, 0.9308, 0.1476], [0.0047, 0.6914, 0.3039]],
}
"""Linear RGB as eyes that lack one kind of cone see it (Machado, Oliveira and Fernandes, 2009)."""


def _lab(colour, eye):
    seen = np.clip(np.array(eye) @ linear(colour), 0, 1)
    xyz = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]]) @ seen
    f = np.cbrt(np.maximum(xyz / [0.9505, 1, 1.089], 1e-6))
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])
