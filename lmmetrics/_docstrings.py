"""The prose of a package's doc-strings: sentences kept; code, tables, headings and formulas left out.

This is how `numpy-docs` and `sympy-docs` come about. It reads what is installed on this machine and needs no
network. A document holds what one public function, class (with its methods) or module says about itself.
"""

import functools
import importlib
import inspect
import itertools
import re
import warnings

# Submodules whose public names are read, after those of the package itself.
_NUMPY = """
    char ctypeslib exceptions fft lib lib.array_utils lib.format lib.introspect lib.mixins lib.npyio
    lib.scimath lib.stride_tricks linalg ma ma.extras ma.mrecords polynomial polynomial.polynomial
    polynomial.polyutils random rec strings testing typing
"""
_SYMPY = """
    abc assumptions calculus categories codegen combinatorics concrete core crypto diffgeom discrete
    functions geometry holonomic integrals liealgebras logic matrices ntheory parsing physics
    physics.mechanics physics.optics physics.quantum physics.units physics.vector plotting polys
    printing series sets simplify solvers stats strategies tensor unify utilities vector
"""
MODULES = {"numpy": _NUMPY.split(), "sympy": _SYMPY.split()}
# Importing scipy.special rewrites this one, so what it says depends on what was imported before.
_REWRITTEN = {"numpy.sinc"}


def prose_of(package):
    """Return the prose of a package's public doc-strings.

    Parameters
    ----------
    package : {"numpy", "sympy"}

    Returns
    -------
    dict of str to str
        Name of the object to its document: one paragraph a line. In order of name; a paragraph that several
        objects share is kept once, at the first.
    """
    seen, documents = set(), {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # deprecated names of the package warn when they are looked at
        for name, docs in sorted(_public_docs(package).items()):
            found = [paragraph for doc in docs for paragraph in prose(doc)]
            fresh = [paragraph for paragraph in dict.fromkeys(found) if paragraph not in seen]
            seen.update(fresh)
            if sum(map(len, fresh)) >= 100:
                documents[name] = "\n".join(fresh)
    return documents


def prose(doc):
    """Return the paragraphs of prose in a doc-string.

    A paragraph keeps its sentences that start with a capital, have four words or more, end with a full stop,
    question mark or exclamation mark, hold no sign of a formula or of code, and are mostly letters.

    Parameters
    ----------
    doc : str
        A doc-string in the style of NumPy or SymPy (reStructuredText).

    Returns
    -------
    list of str

    Examples
    --------
    >>> prose('''Return the sum. It is taken over *all* elements of the array.
    ...
    ... Parameters
    ... ----------
    ... a : array
    ...     The numbers which are added, of ``any`` type.
    ...
    ... >>> total([1, 2])
    ... 3
    ... ''')
    ['It is taken over all elements of the array.', 'The numbers which are added, of any type.']
    """
    paragraphs = (_sentences(" ".join(block)) for block in _blocks(inspect.cleandoc(doc).splitlines()))
    return [" ".join(sentences) for sentences in paragraphs if sentences]


def _public_docs(package):
    """Return name -> doc-strings of the public modules, functions and classes of the package, each once."""
    found, seen = {}, set()
    for module_name in ["", *MODULES[package]]:
        module = importlib.import_module(f"{package}.{module_name}".rstrip("."))
        found[module.__name__] = [module.__doc__ or ""]
        names = getattr(module, "__all__", None) or [name for name in vars(module) if name[0] != "_"]
        for name in sorted(names):
            value = getattr(module, name, None)
            if id(value) in seen or not _belongs(value, package):
                continue
            seen.add(id(value))
            if f"{module.__name__}.{name}" not in _REWRITTEN:
                found[f"{module.__name__}.{name}"] = [*_docs_of(value)]
    return found


def _belongs(value, package):
    """Return whether this is a function or class of the package, and the same on every platform."""
    if inspect.isclass(value):
        import numpy

        scalar_type = issubclass(value, numpy.generic)  # int32, intc, ...: their docs depend on the platform
        return value.__module__.split(".")[0] == package and not scalar_type
    if not callable(value) or inspect.ismodule(value):
        return False
    home = getattr(value, "__module__", None) or type(value).__module__  # a ufunc has none of its own
    return (
        home.split(".")[0] == package
        and isinstance(value.__doc__, str)
        and value.__doc__ != type(value).__doc__
    )


def _docs_of(value):
    if isinstance(value.__doc__, str):
        yield value.__doc__
    if inspect.isclass(value):
        for name, member in sorted(vars(value).items()):
            if name[0] != "_" and (callable(member) or isinstance(member, _MEMBERS)):
                doc = getattr(member, "__doc__", None)
                if isinstance(doc, str) and not inspect.isclass(member):
                    yield doc


def _blocks(lines):
    """Yield the paragraphs of a doc-string that may be prose, each as a list of lines."""
    section, code_deeper_than = "", None
    for block in _split_at_blank_lines(lines):
        indent = _indent(block[0])
        if code_deeper_than is not None and indent > code_deeper_than:
            continue
        code_deeper_than = None
        if len(block) > 1 and _UNDERLINE.match(block[1]):
            section, block = block[0].strip().lower(), block[2:]
        directive = block and _DIRECTIVE.match(block[0])
        if directive and directive["name"] not in _KEPT_DIRECTIVES:
            code_deeper_than = indent
            continue
        if directive:
            block = [" " * indent + block[0][directive.end() :].strip(), *block[1:]]
        block = list(itertools.takewhile(lambda line: not _DOCTEST.match(line), block))
        if block and block[-1].endswith("::"):
            code_deeper_than = indent
        if section not in _SKIPPED_SECTIONS and not any(map(_TABLE.match, block)):
            yield from _split_at_indents(block)


def _split_at_blank_lines(lines):
    for blank, block in itertools.groupby(lines, key=lambda line: not line.strip()):
        if not blank:
            yield list(block)


def _split_at_indents(block):
    """Split where the indentation changes or an item of a list begins; drop the bullets."""
    parts, indent = [], None
    for line in block:
        item = _ITEM.match(line)
        if item or _indent(line) != indent:
            parts.append([])
        indent = item.end() if item else _indent(line)
        parts[-1].append(line[indent:].strip())
    return parts


def _indent(line):
    return len(line) - len(line.lstrip())


def _sentences(paragraph):
    """Return the sentences of a paragraph that read as prose, without the marks of reStructuredText."""
    for pattern, replacement in _MARKUP:
        paragraph = pattern.sub(replacement, paragraph)
    return [sentence for sentence in _SENTENCE_END.split(paragraph) if _is_prose(sentence)]


def _is_prose(sentence):
    letters = sum(letter.isalpha() for letter in sentence)
    words = sentence.count(" ") + 1
    mostly_letters = letters + words > 0.88 * len(sentence)
    return words >= 4 and mostly_letters and " : " not in sentence and bool(_PROSE.fullmatch(sentence))


_UNDERLINE = re.compile(r"\s*([=\-~^\"'*#])\1{2,}\s*$")
_TABLE = re.compile(r"\s*[=\-+|]{2,}[=\-+| ]*$|\s*\|.*\|\s*$")
_DIRECTIVE = re.compile(r"\s*\.\. (?:(?P<name>[\w:-]+)::|\[|_|\|)")
_KEPT_DIRECTIVES = {"note", "warning", "tip", "hint", "important", "caution", "admonition"}
_SKIPPED_SECTIONS = {"see also", "references", "bibliography", "literature", "links"}
_DOCTEST = re.compile(r"\s*(>>>|In \[\d+\]:)")
_ITEM = re.compile(r"\s*(?:[-*+•]|\(?[0-9a-z][.)]) +")
_MARKUP = [
    (re.compile(r":math:`[^`]*`"), "$"),  # a sentence with a formula is dropped below
    (re.compile(r":[\w:]+:`~?([^`<]*?)(?: ?<[^`]*>)?`"), r"\1"),
    (re.compile(r"`([^`<]+) <[^`]*>`_+"), r"\1"),
    (re.compile(r" ?\[[\w.*#]+\]_"), ""),
    (re.compile(r" \(\)"), ""),
    (re.compile(r"``?([^`]*)``?_?"), r"\1"),
    (re.compile(r"(?<![\w*])\*{1,2}([^\s*][^*]*)\*{1,2}(?![\w*])"), r"\1"),
    (re.compile(r"\s+"), " "),
    (re.compile(r"^ | $|::$"), ""),
]
_SENTENCE_END = re.compile(
    r"(?<=[.?!])(?<!\be\.g\.)(?<!\bi\.e\.)(?<!\bcf\.)(?<!\bvs\.)(?<!\betc\.) (?=[A-Z\"'(])"
)
_PROSE = re.compile(r"[A-Z][^=<>{}\[\]\\|$^@#~`*+/_]*[a-z)][.?!]")
_MEMBERS = (property, classmethod, staticmethod, functools.cached_property, type(str.join), type(int.real))
