"""Style sheets and programs that cannot ask `lmmetrics.figures` for a colour type the one that it has."""

import re

import pytest

from lmcourse.files.places import PACKAGE, STATIC
from lmmetrics.figures import COLOURS, FAMILIES

STYLE = STATIC / "explorables" / "explorables.css"


def test_interactive_figures_have_the_colours_of_figures():
    """By day; each has another for the night, and no rule types one of its own."""
    day, night = re.findall(
        r"^(?:html.*)?\.explorable \{ (--transformer.*) \}$", STYLE.read_text(), re.MULTILINE
    )
    typed = dict(re.findall(r"--(\w+): (#\w+);", day))
    assert typed == {name: FAMILIES[name] for name in ("counted", "recurrent")} | {
        "transformer": FAMILIES["Transformer"]
    }
    names = re.findall(r"--([\w-]+): #", day)
    assert re.findall(r"--([\w-]+): #", night) == names
    assert len(re.findall(r"#[0-9a-f]{3,8}\b", STYLE.read_text())) == 2 * len(names)


@pytest.mark.parametrize("place", ["static/deck.css", "feedback.py", "grading/classroom/summary.py"])
def test_the_mark_of_a_quotation_a_hint_and_a_lost_point_has_the_colour_of_a_model(place):
    assert COLOURS["model"] in (PACKAGE / place).read_text(encoding="utf-8")
