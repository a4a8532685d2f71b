"""A Sphinx extension: the reference of the library, from its doc-strings.

``{library} lmmetrics.ngram`` on a page lists the public names of a package, those in its ``__all__``, with
the first sentence of each, and below the list their doc-strings, by Sphinx's own autodoc and napoleon. In the
library's doc-strings single backticks surround names: a name of the library becomes a link here, any other
code. Indented formulas stay as they are written, and no other sign has a meaning of reStructuredText.
"""

import importlib
import inspect
import pkgutil
import re
from functools import cache
from pathlib import Path

from docutils import nodes
from docutils.statemachine import StringList
from sphinx.ext.napoleon import NumpyDocstring
from sphinx.pycode import ModuleAnalyzer
from sphinx.util.docutils import SphinxDirective

import lmmetrics

SECTION = re.compile(r"^-{3,}$")
FIELDS = ("Parameters", "Attributes", "Returns", "Yields", "Raises", "Warns")
"""The sections of a doc-string in which an indented line describes the name above it."""
CODE = re.compile(r"(``.+?``|(?<!`)`[^`]+`)")


def setup(app):
    """Register the extension (called by Sphinx)."""
    for extension in ("sphinx.ext.autodoc", "sphinx.ext.napoleon"):
        app.setup_extension(extension)
    app.connect("config-inited", configure)
    app.connect("autodoc-skip-member", skip_what_a_base_says)
    app.connect("autodoc-process-docstring", plain_names, priority=400)  # before napoleon
    app.add_directive("library", Library)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}


def configure(app, config):
    """Types are in the doc-strings, in words and with shapes; they link to nothing."""
    config.add_module_names = False  # the page has one package, and a phone is narrow
    config.autodoc_typehints = "none"
    config.autodoc_member_order = "bysource"
    config.autodoc_preserve_defaults = True
    config.napoleon_google_docstring = False
    config.napoleon_custom_sections = [("Attributes", "params_style")]
    config.napoleon_use_rtype = False
    config.toc_object_entries_show_parents = "hide"
    config.html_domain_indices = False
    config.nitpick_ignore_regex = [*config.nitpick_ignore_regex, ("py:class", ".*")]  # array_like, float64[N]


class Library(SphinxDirective):
    """The public names of a package: a list with links, and below it their doc-strings."""

    required_arguments = 1

    def run(self):
        """Return the nodes of the list and of the doc-strings."""
        module = importlib.import_module(self.arguments[0])
        for path in Path(inspect.getsourcefile(module)).parent.glob("*.py"):
            self.env.note_dependency(str(path))
        box = nodes.container()
        lines = ["```{eval-rst}", *reference(module), "```"]
        self.state.nested_parse(StringList(lines, module.__name__), self.content_offset, box)
        return box.children


def reference(module):
    """Return a package's reference as lines of reStructuredText: doc-string, list of names, each name."""
    lines = [f".. automodule:: {module.__name__}", ""]
    for name in module.__all__:
        lines += [f":py:obj:`{name} <{module.__name__}.{name}>`", f"    {summary(module, name)}", ""]
    for name in module.__all__:
        thing, full = getattr(module, name), f"{module.__name__}.{name}"
        if inspect.isclass(thing):
            lines += [f".. autoclass:: {full}", "   :members:"]
            lines += [f"   :inherited-members: {', '.join(documented_elsewhere(thing))}"]
            lines += ["   :show-inheritance:"] * is_public(thing.__base__) + [""]
        elif inspect.isfunction(thing):
            lines += [f".. autofunction:: {full}", ""]
        else:
            lines += [f".. py:data:: {name}", "", f"   {summary(module, name)}", ""]
    return lines


def summary(module, name):
    """Return the first sentence of a doc-string, or the string below a constant, as reStructuredText."""
    thing = getattr(module, name)
    documented = inspect.isclass(thing) or inspect.isfunction(thing)
    doc = inspect.getdoc(thing) if documented else of_constant(module, name)
    return " ".join(as_rst(doc.split("\n\n")[0].splitlines(), f"{module.__name__}.{name}"))


def of_constant(module, name):
    """Return the string below a constant, in the package or in a private module of it."""
    inside = [each for each in vars(module).values() if inspect.ismodule(each)]
    for defining in [module.__name__, *(each.__name__ for each in inside)]:
        ours = defining.startswith(module.__name__)
        if ours and (found := ModuleAnalyzer.for_module(defining).find_attr_docs().get(("", name))):
            return "\n".join(found).strip()
    raise ValueError(f"{module.__name__}.{name} has no doc-string. Write one below it.")


def documented_elsewhere(kind):
    """Return the names of the bases of a class whose members are not repeated: public ones, and others'."""
    bases = kind.__mro__[1:]
    return [base.__name__ for base in bases if is_public(base) or not base.__module__.startswith("lmmetrics")]


def is_public(thing):
    """Whether a class or function is one of the library's public names."""
    return any(thing is other for module in packages() for _, other in public(module))


def skip_what_a_base_says(app, what, name, member, skip, options):
    """Leave out a method without a doc-string of its own, if that of a public base is in the reference."""
    if type(member).__name__ == "_tuplegetter":  # "Alias for field number 0"
        return True
    function = getattr(member, "fget", member)
    if not inspect.isfunction(function) or function.__doc__ or "." not in function.__qualname__:
        return None
    kind = getattr(inspect.getmodule(function), function.__qualname__.split(".")[0])
    return any(is_public(base) and name in vars(base) for base in kind.__mro__[1:]) or None


def plain_names(app, what, name, obj, options, lines):
    """Make a doc-string of the library reStructuredText."""
    if not name.startswith("lmmetrics"):
        return
    lines[:] = as_rst(lines, name)
    if what == "property":  # after an empty comment: napoleon takes the words before a colon for a type
        lines[:] = ["..", "", *NumpyDocstring(lines, app.config, app, "method", name).lines()]


def as_rst(lines, where):
    """Return a doc-string as reStructuredText; ``where`` is the full name of what it documents."""
    result, literal, section = [], False, ""
    for number, line in enumerate(lines):
        following = lines[number + 1] if number + 1 < len(lines) else ""
        section = line if SECTION.match(following) else section
        indented = line.startswith("    ") and section not in FIELDS
        if indented and not literal and not lines[number - 1] and not lines[number - 2].endswith("::"):
            result += [".. code-block:: text", ""]
        literal = indented or (literal and not line.strip())
        doctest = line.lstrip().startswith(">>>") or in_doctest(lines, number)
        result.append(line if literal or doctest or SECTION.match(line) else linked(line, where))
    return result


def in_doctest(lines, number):
    """Whether a line is in a block that begins with a prompt."""
    while number > 0 and lines[number].strip():
        number -= 1
        if lines[number].lstrip().startswith(">>>"):
            return True
    return False


def linked(line, where):
    """Return a line of prose with links to the library's names, and no other markup."""
    parts = CODE.split(line)
    for number, part in enumerate(parts):
        if number % 2 == 0:
            parts[number] = re.sub(r"(\w)_(?!\w)", r"\1\\_", re.sub(r"(?<!\*)\*(?!\*)", r"\\*", part))
        elif not part.startswith("``"):
            full = full_name(part.strip("`"), where)
            parts[number] = f":py:obj:`{part.strip('`')} <{full}>`" if full else f"`{part}`"
    return "".join(parts)


def full_name(name, where):
    """Return the full name of what a doc-string calls ``name``; None if it is not in the reference."""
    known = documented()
    owner = where
    while owner:
        if f"{owner}.{name}" in known:
            return f"{owner}.{name}"
        owner = owner.rpartition(".")[0]
    return next((full for full in known if name in (full, full.split(".", 2)[2])), None)


@cache
def packages():
    """Return the names of the packages and modules of the library that are public."""
    modules = [f"lmmetrics.{found.name}" for found in pkgutil.iter_modules(lmmetrics.__path__)]
    return [name for name in modules if hasattr(importlib.import_module(name), "__all__")]


def public(module):
    """Yield the public names of a package and what they mean."""
    package = importlib.import_module(module)
    for name in package.__all__:
        yield name, getattr(package, name)


@cache
def documented():
    """Return the full names in the reference: the public names of the packages, and their members."""
    found = {}
    for module in packages():
        for name, thing in public(module):
            found[f"{module}.{name}"] = None
            if inspect.isclass(thing):
                elsewhere = documented_elsewhere(thing)
                for base in thing.__mro__:
                    if base.__name__ in elsewhere:
                        break
                    members = [member for member, value in vars(base).items() if is_documented(value)]
                    found |= {f"{module}.{name}.{member}": None for member in members if member[0] != "_"}
    return found


def is_documented(value):
    """Whether a member of a class has a doc-string of its own."""
    return bool(value.__doc__) and (inspect.isroutine(value) or isinstance(value, property))
