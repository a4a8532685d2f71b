"""A Sphinx extension that runs a page again only when something it depends on has changed.

The execution cache finds a page by its cells and its kernel's description. `key_of` is written into that
description: a hash of the modules that the page's cells import, of what those import, of the data files that
they name, of the pinned versions and of Python's. So editing a module runs the pages that use it again.

A page that shows another page's glued number is read again with it.
"""

import json
import re
import sys
from pathlib import Path

from jupyter_cache import get_cache
from myst_nb.ext.glue.utils import PendingGlueReference
from sphinx.util import logging

from lmcourse.files.cells import code_cells
from lmcourse.files.closure import digest, needed_by
from lmcourse.files.places import ROOT

FOLDER = ".jupyter_cache"
MOST_STORED = 200
"""How many executions are kept; the least recently used are dropped first."""
FRONT = re.compile(r"\A---\n.*?^---$", re.MULTILINE | re.DOTALL)
KERNEL = re.compile(r"^kernelspec: *\{", re.MULTILINE)

log = logging.getLogger(__name__)


def setup(app):
    """Register the extension (called by Sphinx)."""
    app.connect("config-inited", use_cache, priority=1)
    app.connect("env-get-outdated", changed_below)
    app.connect("source-read", mark_source)
    app.connect("doctree-read", depend_on_glued_pages)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}


def key_of(text, path, root=ROOT):
    """Return a short hash of everything that a page's cells depend on besides their own source.

    Parameters
    ----------
    text : str
        The page or notebook.
    path : Path
        Its place; the suffix says which of the two it is.
    root : Path
        The project.

    Returns
    -------
    str
        Empty for a page without code.
    """
    if path.suffix == ".ipynb":
        cells = [_source(cell) for cell in json.loads(text)["cells"] if cell["cell_type"] == "code"]
    else:
        cells = [cell.source for cell in code_cells(path.name, text)]
    if not cells:
        return ""
    pins = root / "requirements.txt"
    made_of = {*needed_by(cells, root), *([pins] if pins.exists() else [])}
    return f"{digest(made_of, root)}-{sys.version_info.major}.{sys.version_info.minor}"


def marked(text, path, root=ROOT):
    """Return a page or notebook with its key in the description of its kernel."""
    key = key_of(text, path, root)
    if not key:
        return text
    if path.suffix == ".ipynb":
        notebook = json.loads(text)
        notebook["metadata"].setdefault("kernelspec", {})["made_of"] = key
        return json.dumps(notebook)
    front = FRONT.match(text)
    if not front or not KERNEL.search(front[0]):
        log.warning("the front matter needs kernelspec: {...} on one line", location=path.stem)
        return text
    return KERNEL.sub(f"kernelspec: {{made_of: {key}, ", front[0], count=1) + text[front.end() :]


def use_cache(app, config):
    """Keep executed notebooks beside the built book."""
    folder = Path(app.outdir).parent / FOLDER
    config.nb_execution_cache_path = str(folder)
    get_cache(str(folder)).change_cache_limit(MOST_STORED)


def mark_source(app, docname, source):
    """Give a page its key before it is parsed, so that it is looked up in the cache under this key."""
    source[0] = marked(source[0], Path(app.env.doc2path(docname)), Path(app.srcdir))


def changed_below(app, env, added, changed, removed):
    """Return the pages whose key has changed, and those that show a number of theirs, to be read again."""
    before, now = getattr(env, "lmm_keys", {}), {}
    for docname in env.found_docs:
        path = Path(env.doc2path(docname))
        now[docname] = key_of(path.read_text(encoding="utf-8"), path, Path(app.srcdir))
    env.lmm_keys = now
    stale = {docname for docname in now if docname in before and before[docname] != now[docname]}
    sources = {str(Path(env.doc2path(docname))) for docname in stale}
    for docname, needs in env.dependencies.items():
        if sources & {str(Path(app.srcdir) / name) for name in needs}:
            stale.add(docname)
    return sorted(stale & set(env.found_docs))


def depend_on_glued_pages(app, doctree):
    """Let a page that shows another page's glued number depend on that page's source."""
    for node in doctree.findall(PendingGlueReference):
        app.env.note_dependency(app.env.doc2path(node.refdoc))


def _source(cell):
    source = cell["source"]
    return source if isinstance(source, str) else "".join(source)
