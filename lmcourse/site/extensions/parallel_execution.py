"""A Sphinx extension: executes pages in parallel, before Sphinx reads them one after the other.

The outputs go into the execution cache, where Sphinx finds them. A page that fails is not stored: Sphinx runs
it again, and reports the cell.
"""

import os
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path, PurePosixPath

from jupyter_cache import get_cache
from jupyter_cache.base import CacheBundleIn
from jupyter_cache.executors.utils import single_nb_execution
from myst_nb.core.read import create_nb_reader
from sphinx.util.display import status_iterator

from lmcourse.site.extensions.cache import marked


def setup(app):
    """Register the extension (called by Sphinx)."""
    app.connect("env-before-read-docs", run_in_parallel)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}


def run_in_parallel(app, env, docnames):
    """Execute the pages to be read that are not in the cache."""
    config = env.mystnb_config
    if config.execution_mode != "cache":
        return
    cache = get_cache(config.execution_cache_path)
    waiting = [job for name in docnames if (job := to_execute(env, cache, env.doc2path(name)))]
    if len(waiting) < 2:
        return
    waiting.sort(key=work, reverse=True)  # the longest first, so that no core is idle at the end
    with ThreadPoolExecutor(min(os.cpu_count() or 1, 4)) as pool:
        running = [pool.submit(execute, config, *job) for job in waiting]
        done = as_completed(running)
        label = f"running {len(waiting)} pages and labs in parallel... "
        for future in status_iterator(done, label, "brown", len(running), app.verbosity, _name):
            path, reader, result = future.result()
            if result.err is None:
                record = cache.add_nb_to_project(str(path), **_format(reader))
                bundle = CacheBundleIn(result.nb, record.uri, data={"execution_seconds": result.time})
                cache.cache_notebook_bundle(bundle, check_validity=False, overwrite=True)


def to_execute(env, cache, path):
    """Return what has to run, ``(path, reader, notebook)``, or None if the cache has the page."""
    path, config = Path(path), env.mystnb_config
    if any(PurePosixPath(path.as_posix()).match(pattern) for pattern in config.execution_excludepatterns):
        return None
    content = marked(path.read_text(encoding="utf-8"), path, Path(env.app.srcdir))
    reader = create_nb_reader(str(path), env.myst_config, config, content)
    if reader is None:
        return None
    notebook = reader.read(content)
    if not any(cell.cell_type == "code" for cell in notebook.cells):
        return None
    try:
        cache.match_cache_notebook(notebook)
    except KeyError:
        return path, reader, notebook
    return None


def work(job):
    """How long a notebook may take, for sorting: how often it trains, then how much code it has.

    Examples
    --------
    >>> from nbformat.v4 import new_code_cell, new_notebook
    >>> jobs = [("a", None, new_notebook(cells=[new_code_cell(code)])) for code in ("x = 1", "train(x)")]
    >>> [work(job) for job in jobs]
    [(0, 5), (1, 8)]
    """
    code = [cell.source for cell in job[2].cells if cell.cell_type == "code"]
    return sum(source.count("train(") for source in code), sum(map(len, code))


def execute(config, path, reader, notebook):
    """Run a notebook in its own folder and its own kernel, as Sphinx would."""
    result = single_nb_execution(
        notebook, cwd=str(path.parent), allow_errors=False, timeout=config.execution_timeout
    )
    return path, reader, result


def _format(reader):
    return {} if reader.read_fmt is None else {"read_data": reader.read_fmt}


def _name(future):
    return future.result()[0].name
