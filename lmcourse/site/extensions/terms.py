"""A Sphinx extension: chapters link each glossary term at its first use, and the index lists them all.

- The first use of a term in a chapter's prose becomes a link to the glossary, unless the chapter has a link
  written by hand with the ``term`` role. Headings, links, code, maths, tables, captions and the
  titles of folds are left alone.
- The link's tooltip is the first sentence of the entry.
- Each entry of the glossary names the chapters that use the term, the one that defines it first.
- The index holds the terms in English and Chinese, and what chapters use of the library, by section.

No source is changed. Chapters depend on the glossary, so they are read again after it has changed.
"""

import ast
import re
from pathlib import Path

from docutils import nodes
from sphinx import addnodes
from sphinx.transforms import SphinxTransform

from lmcourse.site.extensions.folds import Mark
from lmcourse.site.glossary import HAN, Entry, load, uses

GLOSSARY = "book/glossary"
CHAPTER = re.compile(r"book/(\d\d)_\w+$")
NOT_PROSE = (
    nodes.title,
    nodes.reference,
    nodes.literal,
    nodes.literal_block,
    nodes.doctest_block,
    nodes.math,
    nodes.math_block,
    nodes.caption,
    nodes.table,
    nodes.raw,
    nodes.comment,
    nodes.rubric,
    addnodes.pending_xref,
    addnodes.glossary,
    Mark,
)
CHINESE = "中文"
"""The heading of the index under which Chinese terms are listed."""


def setup(app):
    """Register the extension (called by Sphinx)."""
    app.add_transform(LinkTerms)
    app.connect("env-purge-doc", forget)
    app.connect("env-merge-info", merge)
    app.connect("env-updated", glossary_lists_the_chapters)
    app.connect("doctree-resolved", add_tooltips)
    app.connect("doctree-resolved", add_chapters)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}


# -- reading -----------------------------------------------------------------------------------------


class LinkTerms(SphinxTransform):
    """Link first uses in chapters, and add terms and names of the library to the index.

    It runs before Sphinx collects index entries (priority 850).
    """

    default_priority = 830

    def apply(self, **kwargs):
        """Change one page."""
        docname = self.env.docname
        known = load(Path(self.app.srcdir))
        if CHAPTER.match(docname) and known:
            self.env.note_dependency(f"{GLOSSARY}.md")
            found = list(link_first_uses(self.document, known, docname))
            terms_of(self.env)[docname] = [(term, place, defined) for term, place, _, defined in found]
            names = list(library_names(self.document, self.app.srcdir))
            put_into_index(self.document, docname, found, names)
        elif docname == GLOSSARY:
            chinese_into_index(self.document, known)
        elif any(node.get("reftype") == "term" for node in self.document.findall(addnodes.pending_xref)):
            self.env.note_dependency(f"{GLOSSARY}.md")


def link_first_uses(document, known, docname):
    """Link first uses; yield each term, its section's anchor and title, and whether it is defined there."""
    by_name = {name.lower(): entry for entry in known for name in entry.names}
    by_hand = {}
    for node in document.findall(addnodes.pending_xref):
        entry = by_name.get(str(node.get("reftarget", "")).lower()) if node.get("reftype") == "term" else None
        if entry:
            by_hand.setdefault(entry.term, node)
    defining = definitions(document, known)
    waiting = {entry.term for entry in known} - set(by_hand)
    first = [(term, *section_of(node)) for term, node in by_hand.items()]
    for text in list(document.findall(nodes.Text)):
        if waiting and is_prose(text):
            here = section_of(text)
            first += [(term, *here) for term in link_in(text, known, waiting, docname)]
    order = {entry.term: number for number, entry in enumerate(known)}
    for term, anchor, title in sorted(first, key=lambda item: order[item[0]]):
        yield term, *(defining.get(term) or (anchor, title)), term in defining


def link_in(text, known, waiting, docname):
    """Replace a text node by text and links; return the linked terms, and remove them from ``waiting``."""
    words, pieces, done, end = text.astext(), [], [], 0
    for start, stop, entry in uses(words, known):
        if entry.term in waiting:
            waiting.discard(entry.term)
            done.append(entry.term)
            pieces += [nodes.Text(words[end:start]), link(words[start:stop], entry, docname)]
            end = stop
    if done:
        pieces.append(nodes.Text(words[end:]))
        text.parent.replace(text, [piece for piece in pieces if piece.astext()])
    return done


def link(words, entry: Entry, docname):
    """A reference to an entry of the glossary, as the ``term`` role makes it."""
    inner = nodes.inline(words, words, classes=["xref", "std", "std-term"])
    target = {"refdomain": "std", "reftype": "term", "reftarget": entry.term, "refdoc": docname}
    return addnodes.pending_xref(words, inner, refexplicit=True, refwarn=True, **target)


def is_prose(text):
    """Whether a text node is running prose."""
    node = text.parent
    while node is not None:
        if isinstance(node, NOT_PROSE) or node.get("nb_element"):
            return False
        node = node.parent
    return True


def definitions(document, known):
    """The place where the document defines a term: bold, with its Chinese name in brackets after it."""
    found = {}
    for strong in document.findall(nodes.strong):
        after = strong.next_node(nodes.Text, descend=False, siblings=True)
        match = re.match(r"\s*\(([^)]*)", after.astext() if after is not None else "")
        if match and HAN.search(match[1]):
            words = strong.astext()
            for start, stop, entry in uses(words, known):
                if (start, stop) == (0, len(words)):
                    found.setdefault(entry.term, section_of(strong))
    return found


def section_of(node):
    """The anchor and the title of the section that a node is in."""
    while node is not None:
        titles = [child for child in node.children if isinstance(child, nodes.title)]
        if type(node) is nodes.section and titles:  # a numbered definition is a kind of section too
            return node["ids"][0], titles[0].astext()
        node = node.parent
    return "", ""


def library_names(document, root):
    """Yield each public function and class of the library that code uses, with the first section."""
    public = public_names(Path(root))
    imported, seen = {}, set()
    for block in document.findall(nodes.literal_block):
        if getattr(block.parent, "attributes", {}).get("nb_element") != "cell_code_source":
            continue
        for module, name in used_names(block.astext(), imported):
            if (module, name) not in seen and name in public:
                seen.add((module, name))
                yield f"{name} ({module})", *section_of(block)


def used_names(source, imported):
    """Return the module and name of what a cell uses of the library; ``imported`` remembers its imports.

    Examples
    --------
    >>> imported = {}
    >>> used_names("from lmmetrics import Score, corpora", imported)
    []
    >>> used_names("tales = corpora.load('tales')\\nScore(3, tokens=2)", imported)
    [('lmmetrics', 'Score'), ('lmmetrics', 'corpora'), ('lmmetrics.corpora', 'load')]
    """
    try:
        tree = ast.parse(re.sub(r"^\s*[%!].*$", "", source, flags=re.MULTILINE))
    except SyntaxError:
        return []
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "lmmetrics":
            imported |= {alias.asname or alias.name: (node.module, alias.name) for alias in node.names}
        elif isinstance(node, ast.Name) and node.id in imported:
            found.add(imported[node.id])
        elif isinstance(node, ast.Attribute) and getattr(node.value, "id", None) in imported:
            found.add((".".join(imported[node.value.id]), node.attr))
    return sorted(found)


def public_names(root):
    """The names of all public functions and classes of the library, whichever module they are in."""
    if root not in _public:
        found = set()
        for path in (root / "lmmetrics").rglob("*.py"):
            defined = ast.parse(path.read_text(encoding="utf-8")).body
            found |= {node.name for node in defined if isinstance(node, ast.FunctionDef | ast.ClassDef)}
        _public[root] = {name for name in found if not name.startswith("_")}
    return _public[root]


_public: dict[Path, set[str]] = {}


# -- the index ---------------------------------------------------------------------------------------


def put_into_index(document, docname, terms, names):
    """Add a chapter's terms and names of the library to the index, each under its section."""
    number = CHAPTER.match(docname)[1]
    entries = []
    for term, anchor, title, defined in terms:
        place = f"{number} {title}{', defined' if defined else ''}".replace(";", ",")
        entries.append(("single", f"{term}; {place}", anchor, "main" if defined else "", None))
    for name, anchor, title in names:
        place = f"{number} {title}".replace(";", ",")
        entries.append(("single", f"{name}; {place}", anchor, "", None))
    document.insert(0, addnodes.index(entries=entries))


def chinese_into_index(document, known):
    """Add the Chinese names of the glossary's terms to the index, each pointing at its entry."""
    anchors = {name_of(term): term["ids"][0] for term in document.findall(nodes.term) if term["ids"]}
    entries = [
        ("single", f"{name} ({entry.term})", anchors[entry.term], "", CHINESE)
        for entry in known
        if entry.term in anchors
        for name in dict.fromkeys(entry.simplified + entry.traditional)
    ]
    document.insert(0, addnodes.index(entries=entries))


def name_of(term):
    """A term's name as the glossary's source writes it, with a straight apostrophe."""
    return term.astext().replace("’", "'")


# -- writing -----------------------------------------------------------------------------------------


def terms_of(env):
    """What each chapter uses: term, anchor of the section, whether it is defined there; by document."""
    if not hasattr(env, "lmm_terms"):
        env.lmm_terms = {}
    return env.lmm_terms


def forget(app, env, docname):
    """Drop what a page used before it is read again."""
    terms_of(env).pop(docname, None)


def merge(app, env, docnames, other):
    """Take over what a parallel process found."""
    terms_of(env).update({name: terms_of(other)[name] for name in docnames if name in terms_of(other)})


def glossary_lists_the_chapters(app, env):
    """Write the glossary again when chapters use other terms, or use them elsewhere, than before."""
    before, env.lmm_terms_listed = getattr(env, "lmm_terms_listed", None), dict(terms_of(env))
    return [GLOSSARY] if before != terms_of(env) and GLOSSARY in env.found_docs else []


def add_tooltips(app, doctree, docname):
    """Give each link to a term its class, and the entry's first sentence as its tooltip."""
    words = {entry.term.lower(): entry.words for entry in load(Path(app.srcdir))}
    names = {name.lower(): entry.term.lower() for entry in load(Path(app.srcdir)) for name in entry.names}
    anchors = {
        anchor: words[names[name.lower()]]
        for (kind, name), (_, anchor) in app.env.get_domain("std").objects.items()
        if kind == "term" and name.lower() in names
    }
    for node in doctree.findall(nodes.reference):
        anchor = node.get("refid") or node.get("refuri", "").partition("#")[2]
        if node.get("internal") and anchor in anchors:
            node["reftitle"] = anchors[anchor]
            node["classes"].append("glossary-term")


def add_chapters(app, doctree, docname):
    """Add to each entry of the glossary the chapters that use its term."""
    if docname != GLOSSARY:
        return
    places = {}
    for chapter, terms in sorted(terms_of(app.env).items()):
        for term, anchor, defined in terms:
            places.setdefault(term, []).append((not defined, chapter, anchor))
    for item in doctree.findall(nodes.definition_list_item):
        names = [name_of(term) for term in item.findall(nodes.term)]
        used = sorted(places.get(names[0], [])) if names else []
        if used:
            line = nodes.paragraph("", "", classes=["used-in"])
            for number, (not_defined, chapter, anchor) in enumerate(used):
                lead = "defined in chapter " if not not_defined else "used in "
                same = number and used[number - 1][0] == not_defined
                line += nodes.Text(", " if same else f"; {lead}" if number else lead.capitalize())
                line += chapter_link(app, docname, chapter, anchor)
            item.children[-1] += line


def chapter_link(app, docname, chapter, anchor):
    """A link to a section of a chapter; its words are the chapter's number."""
    number = CHAPTER.match(chapter)[1]
    uri = f"{app.builder.get_relative_uri(docname, chapter)}#{anchor}"
    title = app.env.titles[chapter].astext()
    return nodes.reference(number, number, refuri=uri, internal=True, reftitle=f"Chapter {number}: {title}")
