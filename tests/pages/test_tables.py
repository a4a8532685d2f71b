"""A table of results fits on paper, in the environment that LaTeX reads."""

import re

from lmcourse.pages.tables import LINE, table

LONG = "lmmetrics 0.1.0, Python 3.11.7, numpy 2.4.6, scipy 1.17.1, torch 2.13.0, transformers 5.23.0"


def test_a_short_table_is_an_array_of_texts():
    found = table({"PPL": ".1f"}, {"a_b": (2,)}, "50% of it")._repr_latex_()
    assert r"\text{a\_b} & \text{2.0} \\" in found and r"\parbox{0.8\linewidth}{50\% of it}" in found
    assert "parbox[t]" not in found and found.count("begin{array}") == found.count("end{array}") == 2


def test_long_cells_break_so_that_a_row_fits():
    rows = {"versions": (LONG, "0.01", LONG), "text": ("1 document", "2", "3")}
    found = table({"one": "", "two": "", "three": ""}, rows)._repr_latex_()
    widths = [2 * float(em) for em in re.findall(r"parbox\[t\]\{([\d.]+)em", found)]
    assert len(widths) == 2 and sum(widths) + len("versions") + len("two") <= LINE
    assert r"\text{1 document}" in found and found.count(r"\\") == 3
