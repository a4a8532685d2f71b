"""Figures in one style: one colour for each family of models, and text coloured by its surprisal.

Figures are vector graphics, readable in grey and on a phone. The module needs the extra ``figures``.
"""

from __future__ import annotations

import html
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Literal, cast

import numpy as np
from numpy.typing import ArrayLike

from lmmetrics._types import Floats
from lmmetrics.extras import need

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

plt = need("matplotlib.pyplot", "figures")
colors = need("matplotlib.colors", "figures")

__all__ = [
    "ALIASES",
    "COLOURS",
    "FAMILIES",
    "MODELS",
    "SURPRISAL_MAP",
    "end_labels",
    "ink",
    "look",
    "surprisal_html",
    "use_style",
]

COLOURS = {
    "truth": "#10202f",
    "model": "#c75000",
    "other": "#12694f",
    "muted": "#8b9099",
    "light": "#d9dde3",
    "note": "#5c626b",
}
"""Colours by role: the truth and its lower bound, the model in question, a second model, the background.

"muted" is for lines, "light" for areas, "note" for words. Lines differ by 10 or more in lightness, so that
they differ in grey print; all but "muted" and "light" are legible as text on white.
"""

FAMILIES = {
    "counted": "#0b4488",
    "simpler": "#7a4bb0",
    "plain": "#8b9099",
    "feed-forward": "#633a06",
    "recurrent": "#12694f",
    "Transformer": "#c75000",
    "mixture": "#a8327a",
}
"""One colour for each family of models."""

MODELS = {
    "modified Kneser-Ney": ("counted", "-", "s"),
    "Kneser-Ney": ("counted", "--", "o"),
    "absolute discounting": ("counted", ":", "D"),
    "Katz": ("simpler", ":", "v"),
    "Witten-Bell": ("simpler", "-", "^"),
    "Jelinek-Mercer": ("simpler", "--", "P"),
    "add k": ("plain", "-", "X"),
    "Good-Turing": ("plain", "--", "p"),
    "feed-forward": ("feed-forward", "-.", "s"),
    "RNN": ("recurrent", ":", "v"),
    "LSTM": ("recurrent", "--", "D"),
    "GRU": ("recurrent", "-", "o"),
    "Transformer": ("Transformer", "-", "^"),
    "mixture": ("mixture", "-", "*"),
}
"""Family, line style and marker of each model: no two models have all three in common."""

ALIASES = {
    "counted": "modified Kneser-Ney",
    "table": "modified Kneser-Ney",
    "modified KN": "modified Kneser-Ney",
    "modified K.-N.": "modified Kneser-Ney",
    "absolute": "absolute discounting",
    "add-k": "add k",
    "add 0.01": "add k",
    "trained": "GRU",
}
"""Other names of the same models in figures."""

SURPRISAL_MAP = colors.LinearSegmentedColormap.from_list(
    "surprisal", ["#ffffff", "#fde3c4", "#f6b26b", "#e0874b"]
)
"""The colours of `surprisal_html`, from white for 0 to dark orange."""


def use_style() -> None:
    """Set the figure style for this session: size in inches, fonts, vector output.

    Examples
    --------
    >>> use_style()
    >>> plt.rcParams["svg.fonttype"]
    'none'
    """
    plt.rcParams.update(
        {
            "figure.figsize": (5.6, 3.3),
            "figure.dpi": 100,
            "figure.constrained_layout.use": True,
            "figure.facecolor": "none",
            "axes.facecolor": "none",
            "font.family": "sans-serif",
            "font.sans-serif": ["DejaVu Sans", "Arial", "sans-serif"],
            "font.size": 11,
            "axes.titlesize": 12,
            "axes.titleweight": "bold",
            "axes.titlelocation": "left",
            "axes.spines.top": False,
            "axes.spines.right": False,
            "axes.grid": True,
            "axes.axisbelow": True,
            "grid.color": "#e6e8ec",
            "lines.linewidth": 2,
            "legend.frameon": False,
            "svg.fonttype": "none",
            "svg.hashsalt": "measuring-language-models",
        }
    )
    try:
        from matplotlib_inline.backend_inline import set_matplotlib_formats
    except ImportError:
        return
    set_matplotlib_formats("svg", "pdf")


def look(model: str, marker: bool = True) -> dict[str, Any]:
    """Return how a model is drawn in every figure: keywords for `Axes.plot`.

    Parameters
    ----------
    model : str
        A name of `MODELS` or `ALIASES`.
    marker : bool
        Whether the points have the model's marker. A horizontal line has none.

    Returns
    -------
    dict
        Colour, line style and, if requested, the marker.

    Raises
    ------
    KeyError
        If the name is unknown.

    Examples
    --------
    >>> look("counted") == look("modified Kneser-Ney")
    True
    """
    family, line, point = MODELS[ALIASES.get(model, model)]
    drawn = {"color": FAMILIES[family], "ls": line}
    return drawn | {"marker": point, "ms": 4} if marker else drawn


def ink(model: str) -> str:
    """Return the colour of a model's name: that of its line, or "note" if that is too pale to read."""
    drawn = look(model)["color"]
    return COLOURS["note"] if drawn == COLOURS["muted"] else drawn


def end_labels(
    ax: Axes,
    ends: Iterable[tuple[str, float, float, str]],
    size: float | None = None,
    side: Literal["left", "right"] = "right",
) -> None:
    """Write the name of each line beside its end, so that the names do not overlap.

    Parameters
    ----------
    ax : matplotlib.axes.Axes
        Axes whose limits and scales are set.
    ends : iterable of tuple
        One ``(name, x, y, colour)`` for each line: the text, the end of the line, and the colour.
    size : float, optional
        Font size in points; by default that of the style.
    side : str
        "right" or "left" of the end; "left" is for lines that separate at their beginning.

    Examples
    --------
    >>> fig, ax = plt.subplots()
    >>> end_labels(ax, [("a", 1, 0.5, "black"), ("b", 1, 0.5, "black")])
    >>> low, high = (text.xy[1] for text in ax.texts)
    >>> bool(high > low)
    True
    >>> plt.close(fig)
    """
    ends = list(ends)
    points = size or plt.rcParams["font.size"]
    room = 72 * cast("Figure", ax.figure).get_figheight() * ax.get_position().height
    to_axes = ax.transData + ax.transAxes.inverted()
    heights = [to_axes.transform((x, y))[1] for _, x, y, _ in ends]
    for (name, x, _, colour), height in zip(ends, apart(heights, 1.25 * points / room), strict=True):
        ax.annotate(
            name,
            (x, height),
            (7 if side == "right" else -7, 0),
            xycoords=ax.get_xaxis_transform(),
            textcoords="offset points",
            va="center",
            ha="left" if side == "right" else "right",
            color=colour,
            size=points,
            annotation_clip=False,
        )


def apart(heights: ArrayLike, gap: float) -> Floats:
    """Return the heights within 0 to 1 that are at least `gap` apart and nearest by least squares.

    Examples
    --------
    >>> [round(float(height), 2) for height in apart([0.5, 0.5, 0.9], 0.2)]
    [0.4, 0.6, 0.9]
    """
    from scipy.optimize import isotonic_regression

    order = np.argsort(heights, kind="stable")
    steps = gap * np.arange(len(order))
    levels = isotonic_regression(np.asarray(heights, dtype=float)[order] - steps).x
    moved = np.empty(len(order))
    moved[order] = np.clip(levels, 0.02, max(0.98 - steps[-1], 0.02)) + steps
    return moved


def surprisal_html(
    tokens: Sequence[str], surprisals: ArrayLike, caption: str, top: float = 12.0, unit: str = "bits"
) -> str:
    """Return a text as HTML, each token on a background that darkens with its surprisal.

    Parameters
    ----------
    tokens : sequence of str
        The tokens in order; a newline starts a new line.
    surprisals : array_like, shape (len(tokens),)
        One number for each token, in `unit`.
    caption : str
        Which text and which model are shown.
    top : float
        The surprisal, in `unit`, that gets the darkest background; larger ones look the same.
    unit : str
        The unit's name, for the caption and the tooltips.

    Returns
    -------
    str
        An HTML figure. Hovering over a token shows its surprisal.

    Raises
    ------
    ValueError
        If the two lengths differ, or a surprisal is negative or not a number.

    Examples
    --------
    >>> "2.0 bits" in surprisal_html(["我"], [2.0], "one character")
    True
    """
    surprisals = np.asarray(surprisals, dtype=float)
    if surprisals.shape != (len(tokens),):
        raise ValueError(
            f"There are {len(tokens)} tokens, but surprisals has the shape {surprisals.shape}; give one "
            "number for each token."
        )
    if np.isnan(surprisals).any() or (surprisals < 0).any():
        position = int(np.flatnonzero(~(surprisals >= 0))[0])
        raise ValueError(
            f"The surprisal at position {position} is {surprisals[position]}; "
            "a surprisal is -log q, so it is at least 0."
        )
    spans = [token_span(token, value, top, unit) for token, value in zip(tokens, surprisals, strict=True)]
    steps = np.linspace(0, top, 5)
    scale = "".join(f'<span style="background:{shade(s, top)}">&nbsp;{s:.0f}&nbsp;</span>' for s in steps)
    return (
        f'<figure class="surprisal"><p>{"".join(spans)}</p>'
        f"<figcaption>{html.escape(caption)} Scale in {html.escape(unit)}: {scale}</figcaption></figure>"
    )


def token_span(token: str, value: float, top: float, unit: str) -> str:
    """Return one token as a coloured span with its value as a tooltip."""
    shown = "↵<br>" if token == "\n" else html.escape(token)
    return f'<span style="background:{shade(value, top)}" title="{value:.1f} {unit}">{shown}</span>'


def shade(value: float, top: float) -> str:
    """Return the background colour of a surprisal: white at 0, darkest at `top` and above."""
    return colors.to_hex(SURPRISAL_MAP(min(value / top, 1.0)))
