"""On a page, the words in tables of results stand at the left."""

from lmcourse.pages.tables import table
from lmcourse.site.extensions.results import set_tables


def test_the_tables_of_a_page_are_set_and_nothing_else():
    html = table({"kind": "", "found": ".2f"}, {"one": ("error", -0.5)})._repr_html_()
    plain = "<p>a-1</p><table><tr><td>error</td></tr></table>"
    context = {"body": f"{plain}{html}"}
    set_tables(None, "page", "page.html", context, None)
    assert context["body"].startswith(plain)
    assert '<td class="words">error</td><td>−0.50</td>' in context["body"]


def test_a_page_without_a_body_is_left_alone():
    context = {}
    set_tables(None, "search", "search.html", context, None)
    assert not context
