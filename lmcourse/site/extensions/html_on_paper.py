"""A Sphinx extension: what a cell shows as HTML alone is set on paper, too.

Its paragraphs, quotations, lists and tables become those of the document. Without this, the PDF has the name
of a Python object where the page has the result.
"""

from bs4 import BeautifulSoup, NavigableString
from docutils import nodes
from sphinx.transforms.post_transforms import SphinxPostTransform

INLINE = {
    "b": nodes.strong,
    "strong": nodes.strong,
    "em": nodes.emphasis,
    "i": nodes.emphasis,
    "code": nodes.literal,
    "sub": nodes.subscript,
    "sup": nodes.superscript,
}
BLOCKS = {"p", "blockquote", "ul", "ol", "table", "div", "figure", "section"}
FOR_THE_SCREEN = ["script", "style", "form", "svg", "button"]


def setup(app):
    """Register the extension (called by Sphinx)."""
    app.add_post_transform(HtmlOnPaper)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}


class HtmlOnPaper(SphinxPostTransform):
    """Turns an output that exists only as HTML into paragraphs, lists and tables."""

    default_priority = 3
    """Before MyST-NB chooses a form of each output, at 4."""
    formats = ("latex",)

    def run(self, **_):
        """Change the document."""
        for bundle in list(self.document.findall(nodes.container)):
            if bundle.get("nb_element") == "mime_bundle" and (html := html_alone(bundle)):
                bundle.replace_self(blocks(html))


def html_alone(bundle):
    """Return the HTML of an output whose only other form is the name of a Python object; None for others."""
    forms = {form["mime_type"]: form for form in bundle.children}
    if set(forms) != {"text/html", "text/plain"}:
        return None
    if not forms["text/plain"].astext().startswith("<IPython.core.display.HTML"):
        return None
    return forms["text/html"].astext()


def blocks(html):
    """Return what HTML says as paragraphs, quotations, lists and tables."""
    read = BeautifulSoup(html, "html.parser")
    for tag in read(FOR_THE_SCREEN):
        tag.decompose()
    return list(within(read))


def within(tag):
    """Yield the blocks in a tag; text between them is a paragraph."""
    loose = []
    for child in [*tag.children, None]:
        if child is not None and child.name not in BLOCKS:
            loose.append(child)
            continue
        if "".join(part.get_text() for part in loose).strip():
            yield nodes.paragraph("", "", *inline(loose))
        loose = []
        if child is not None:
            yield from block(child)


def block(tag):
    """Yield what one block becomes."""
    if tag.name == "table":
        if tag.caption:
            yield nodes.paragraph("", "", *inline(tag.caption.children))
        yield table(tag)
    elif tag.name == "blockquote":
        yield nodes.block_quote("", *within(tag))
    elif tag.name in ("ul", "ol"):
        items = [nodes.list_item("", *within(item)) for item in tag.find_all("li", recursive=False)]
        yield (nodes.bullet_list if tag.name == "ul" else nodes.enumerated_list)("", *items)
    else:
        yield from within(tag)


def table(tag):
    """Return a table; its widths are set later, with those of the other tables."""
    rows = [row.find_all(["td", "th"]) for row in tag.find_all("tr")]
    columns = max(sum(int(cell.get("colspan", 1)) for cell in row) for row in rows)
    group = nodes.tgroup("", *[nodes.colspec(colwidth=1) for _ in range(columns)], cols=columns)
    head, body = nodes.thead(), nodes.tbody()
    for row, source in zip(rows, tag.find_all("tr"), strict=True):
        made = nodes.row()
        for cell in row:
            entry = nodes.entry("", nodes.paragraph("", "", *inline(cell.children)))
            if int(cell.get("colspan", 1)) > 1:
                entry["morecols"] = int(cell["colspan"]) - 1
            made += entry
        (head if source.find_parent("thead") else body).append(made)
    group += [part for part in (head, body) if part.children]
    return nodes.table("", group, classes=["colwidths-auto"])


def inline(parts):
    """Return text with its emphasis, code, links and raised or lowered parts."""
    made = []
    for part in parts:
        if isinstance(part, NavigableString):
            made.append(nodes.Text(str(part)))
        elif part.name == "br":
            made.append(nodes.Text(" "))
        elif part.name == "a" and part.get("href", "").startswith("http"):
            made.append(nodes.reference("", part.get_text(), refuri=part["href"]))
        elif part.name in INLINE:
            made.append(INLINE[part.name]("", part.get_text()))
        else:
            made += inline(part.children)
    return made
