"""A Sphinx extension: what the theme lacks for readers who use a keyboard or a screen reader.

- The arrows that unfold a part of the contents say what they unfold.
- A box that scrolls sideways can be focused (``access.js``).
"""

from lmcourse.files.places import STATIC


def setup(app):
    """Register the extension (called by Sphinx)."""
    app.connect("config-inited", add_script)
    app.connect("html-page-context", name_the_arrows, priority=950)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}


def add_script(app, config):
    """Add the script that makes boxes focusable."""
    if str(STATIC) not in config.html_static_path:
        config.html_static_path.append(str(STATIC))
    app.add_js_file("access.js")


def name_the_arrows(app, pagename, templatename, context, doctree):
    """Give each arrow of the side bar a name, which the theme does not."""
    # Sphinx gives the bibliography the role of a list, but its children are not list items.
    plain = '<div class="citation-list">'
    context["body"] = context.get("body", "").replace('<div role="list" class="citation-list">', plain)
    make = context.get("generate_toctree_html")
    if make is None:
        return

    def named(*arguments, **options):
        tree = make(*arguments, **options)
        for summary in tree.find_all("summary") if hasattr(tree, "find_all") else ():
            entry = summary.find_parent("li")
            link = entry.find("a") if entry else None
            words = " ".join(link.get_text().split()) if link else "contents"
            summary["aria-label"] = f"Pages below: {words}"
        return tree

    context["generate_toctree_html"] = named
