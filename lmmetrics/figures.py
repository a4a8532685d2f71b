"""How the book draws: one style, one colour for one thing, and text coloured by its surprisal.

Figures are vector graphics, readable in grey and on a phone. What it leaves out: the figures
themselves, which the chapters draw from data that they compute.
"""

import html

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.colors import LinearSegmentedColormap, to_hex

COLOURS = {
    "truth": "#1b3a57",
    "model": "#c75000",
    "other": "#2a7f62",
    "muted": "#8a8f98",
    "light": "#d9dde3",
}
"""The same colour means the same thing in every figure; all differ in lightness, so grey print works."""

SURPRISAL_MAP = LinearSegmentedColormap.from_list("surprisal", ["#ffffff", "#fde3c4", "#f6b26b", "#e0874b"])


def use_style():
    """Set the book's figure style for this session: size, fonts, vector output.

    Sizes are in inches at the width of the book's text; lines have labels of their own rather than a
    legend where they are few.

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


def surprisal_html(tokens, surprisals, caption, top=12.0, unit="bits"):
    """A text as HTML, each token on a background that darkens with its surprisal.

    Parameters
    ----------
    tokens : sequence of str
        The tokens in order; a newline starts a new line.
    surprisals : array_like, shape (len(tokens),)
        One number a token, in `unit`.
    caption : str
        What the reader sees: which text, which model.
    top : float
        The surprisal, in `unit`, that has the darkest background; larger ones look the same.
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
            f"{len(tokens)} tokens came with surprisals of shape {surprisals.shape}; give one number a token."
        )
    if np.isnan(surprisals).any() or (surprisals < 0).any():
        position = int(np.flatnonzero(~(surprisals >= 0))[0])
        raise ValueError(
            f"the surprisal at position {position} is {surprisals[position]}; "
            "a surprisal is -log q, so it is at least 0."
        )
    spans = [token_span(token, value, top, unit) for token, value in zip(tokens, surprisals, strict=True)]
    steps = np.linspace(0, top, 5)
    scale = "".join(f'<span style="background:{shade(s, top)}">&nbsp;{s:.0f}&nbsp;</span>' for s in steps)
    return (
        f'<figure class="surprisal"><p>{"".join(spans)}</p>'
        f"<figcaption>{html.escape(caption)} Scale in {html.escape(unit)}: {scale}</figcaption></figure>"
    )


def token_span(token, value, top, unit):
    """One token as a coloured span with its value as tooltip."""
    shown = "↵<br>" if token == "\n" else html.escape(token)
    return f'<span style="background:{shade(value, top)}" title="{value:.1f} {unit}">{shown}</span>'


def shade(value, top):
    """The background colour of a surprisal: white at 0, darkest at `top` and above."""
    return to_hex(SURPRISAL_MAP(min(value / top, 1.0)))
