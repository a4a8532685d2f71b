"""Interactive figures that a page declares once: live on the screen, a still picture on paper and on a slide.

    Explorable("forecast", {"symbols": ["cat", "sleeps"], "weights": [60, 40]}, fig, alt, try_this)

The script ``static/explorables/NAME.js`` draws it from the data, which the page holds as JSON. Until it has
run, and where scripts are off, the still picture is shown. ``tests/browser/explorables/`` compares the
scripts' numbers with the library's.
"""

from __future__ import annotations

import base64
import html
import io
import json
import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.figure import Figure


class Explorable:
    """An interactive figure.

    Parameters
    ----------
    name : str
        The script in ``static/explorables`` that draws it.
    data : dict
        What the script starts from, as JSON can write it.
    still : matplotlib Figure
        What it looks like at the start; it is closed here, so that the cell shows it once.
    alt : str
        What is seen.
    try_this : str
        What to try, and what to see then.
    """

    def __init__(self, name: str, data: dict[str, Any], still: Figure, alt: str, try_this: str):
        import matplotlib.pyplot as plt

        self.name, self.data, self.alt, self.try_this = name, data, alt, try_this
        self.pictures = {kind: _picture(still, kind) for kind in ("svg", "pdf")}
        plt.close(still)

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        data = json.dumps(self.data, ensure_ascii=False, separators=(",", ":")).replace("</", "<\\/")
        svg = re.sub(r"^.*?(?=<svg)", "", self.pictures["svg"].decode(), flags=re.DOTALL)
        source = base64.b64encode(svg.encode()).decode()
        return {
            "text/html": (
                f'<div class="explorable" data-explorable="{self.name}">'
                f'<img class="still" alt="{html.escape(self.alt)}" src="data:image/svg+xml;base64,{source}">'
                f'<p class="try"><strong>Try it.</strong> {html.escape(self.try_this)}</p>'
                f'<script type="application/json">{data}</script></div>'
            ),
            "application/pdf": base64.b64encode(self.pictures["pdf"]).decode(),
            "text/plain": self.alt,
        }


def _picture(figure: Figure, kind: str) -> bytes:
    stream = io.BytesIO()
    meta = {"Date": None} if kind == "svg" else {"CreationDate": None}
    figure.savefig(stream, format=kind, bbox_inches="tight", metadata=meta)
    return stream.getvalue()
