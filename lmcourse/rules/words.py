"""Rules for words: spelling, plain English, one name for each quantity, and no uncited reference."""

import ast
import contextlib
import importlib.util
import io
import re
import subprocess
import sys
import tokenize
from collections.abc import Iterator

from lmcourse.files.contents import line_at
from lmcourse.rules.tree import Tree
from lmcourse.site.glossary import HAN, chinese_names, entries, uses

FILLER = ("clearly", "obviously", "simply")
"""Words that suggest that readers should know something already."""
VARIANTS = {
    r"cross[ ]?entrop(?:y|ies)": "cross-entropy",
    r"log likelihoods?": "log-likelihood",
    r"log-prob(?:s|abilit(?:y|ies))?|log probs?": "log probability",
    r"KL[- ]distance|KL-divergences?|Kullback-Leibler (?:distance|entropy)|(?<!called )relative entropy": (
        "KL divergence"
    ),
    r"bits?-per-(?:char|character|byte|word|token)s?|bits?/(?:char|character|byte|word|token)s?": (
        "bits per character (byte, word, token)"
    ),
    r"(?:bits?|nats?) per chars?|bits? an? (?:char|character|byte)": "bits per character (byte)",
    r"(?:average|mean|total|expected) surprise|surprisal values?": "surprisal, average surprisal",
    r"backoff|backing off model": "back-off",
    r"held out (?:text|set|data)|hold-?out (?:text|set|data)": "held-out text",
    r"teacher-forcing": "teacher forcing",
    r"(?:unk|UNK|OOV) (?:token|symbol)s?": "unknown symbol, unknown word",
    r"tokenisers?": "tokenizer",
    r"code-?lengths?": "code length",
    r"soft[- ]max": "softmax",
    r"[nN] grams?|ngrams?(?! [(\d…])": "n-gram",
    r"[23]-grams?": "bigram, trigram",
    r"(?:end of sentence|EOS|end-of-sentence) (?:token|marker)s?": "end-of-sentence symbol",
    r"(?:dev(?:elopment)?|tuning) (?:set|text)": "validation set",
    r"perplexity score|perplexity value": "perplexity",
    r"vocab": "vocabulary",
}
"""Other names of what the notation or the glossary names, and the name to use."""
FOREIGN = {
    r"(?<![Tt]here )(?:is|are|was|were) no (?!(?:longer|more|less|fewer|better|worse|other|one)\b)[\w*…-]+": (
        "is not a, is not the"
    ),
    r"[Ww]ho(?:so)?ever": "anyone who, or a noun",
    r"so-and-so(?= many)": "a number of",
    r"[Dd]ear(?:er|est)?": "improbable, hardest, with the highest loss; costs more",
    r"[Mm]end(?:s|ed|ing)?": "correct, repair, fix",
    r"(?:[Hh]ow it )?[Bb]etray(?:s|ed|ing)?": "Symptom, shows",
    r"(?:Asked|Expected) (?:is|are)": "the subject, and then the verb",
    r"Said,[ ]and seen": "Common claims, checked",
}
"""What a native speaker would not say, and what to write."""
METAPHORS = {
    r"[Pp]ric(?:es?|ed|ing)|[Bb]ill(?:s|ed)?|[Cc]harg(?:es?|ed|ing)|[Ss]takes?": "loss, surprisal, nats",
    r"[Ff]aults?": "mistake, loss above the entropy",
}
"""Metaphors for a loss or a mistake, and the words that the book uses."""
BOLD_TERM = re.compile(r"\*\*(\*?[^*\n]+\*?[^*\n]*)\*\*(?:\s[a-z]+){0,4}\s*(\([^()]*[\u3400-\u9fff][^()]*\))")
CODE = re.compile(r"^(`{3,})(?:\{code-cell\}|\w).*?^\1 *$|\$\$.*?\$\$", re.MULTILINE | re.DOTALL)
NOTATION = "How other texts write the same thing"
"""The heading below which the notation page lists the names that others use."""
APART = "\n|\n"
"""Between two strings, so that the end of one and the start of the next make no match."""

HAN_RUN = re.compile(r"[\u3400-\u9fff]+")
KNOWN_CHINESE = "lmcourse/rules/chinese_words.txt"


def words_are_spelt_right(tree: Tree) -> Iterator[str]:
    """codespell, if it is installed, finds no spelling mistake in pages, notebooks and doc-strings."""
    if not importlib.util.find_spec("codespell_lib"):
        return
    lines, where = [], []
    for path, text in _sources(tree):
        for number, line in enumerate(text.splitlines(), start=1):
            lines.append(line)
            where.append(f"{path}:{number}" if not path.endswith(".ipynb") else path)
    command = [sys.executable, "-m", "codespell_lib", "--stdin-single-line", "-"]
    found = subprocess.run(
        command, cwd=tree.root, input="\n".join(lines), capture_output=True, encoding="utf-8"
    )
    for number, words in re.findall(r"^(\d+): (.*)$", found.stdout, re.MULTILINE):
        cure = "Correct the word or, if it is right, list it in pyproject.toml (tool.codespell)"
        yield f"{where[int(number) - 1]}: {words}. {cure}."


def _sources(tree: Tree) -> Iterator[tuple[str, str]]:
    """Yield path and text of what people wrote: pages, modules, and notebooks without their outputs."""
    yield from tree.texts("*.md", "lmmetrics/*.py", "lmcourse/*.py")
    for path, notebook in tree.notebooks("notebooks", "exercises", "solutions"):
        yield path, "\n".join(cell.source for cell in notebook.cells)


def no_filler_words(tree: Tree) -> Iterator[str]:
    """No word in pages, labs and sets suggests that readers should know something already."""
    filler = re.compile(rf"\b(?:{'|'.join(FILLER)})\b", re.IGNORECASE)
    for path, text in tree.texts("book/*.md", "notebooks/*", "exercises/*", "solutions/*"):
        for match in filler.finditer(text):
            where = f"{path}, line {line_at(text, match.start())}"
            yield f"{where}: {match[0]!r} tells readers that they should already know. Leave it out."


def one_name_for_each_quantity(tree: Tree) -> Iterator[str]:
    """Pages, labs, sets and the library call a quantity by its name in the notation and the glossary."""
    for path, text in _written(tree):
        for words, name in _matches(text, VARIANTS):
            yield f"{path}: {words!r} is called {name} here (notation, glossary)."


def english_is_idiomatic(tree: Tree) -> Iterator[str]:
    """Pages, sets, hints, errors, guides, comments and tests say things as a native speaker would."""
    for path, text in _spoken(tree):
        held = any(stem in path or f"/ch{stem[:2]}/" in path for stem in tree.chapters)
        for words, cure in _matches(text, FOREIGN | METAPHORS if held else FOREIGN):
            yield f"{path}: {words!r} is not plain English here. Write: {cure}."


def errors_are_sentences(tree: Tree) -> Iterator[str]:
    """An error of the library begins with a capital or an argument's name, and ends with a full stop."""
    for path, text in tree.texts("lmmetrics/*.py"):
        with contextlib.suppress(SyntaxError):
            module = ast.parse(text)
            names = {node.arg for node in ast.walk(module) if isinstance(node, ast.arg)}
            for line, first, last in _errors(module):
                argument = re.match(r"(\w+)(?: is| has| must| returned|=|\[)", first)
                if first[:1].islower() and not (argument and argument[1] in {*names, "log_probs"}):
                    yield f"{path}, line {line}: {first[:40]!r} begins with a small letter. Write a sentence."
                if not last.endswith((".", "…")):
                    yield f"{path}, line {line}: {last[-40:]!r} is an error without a full stop. Add it."


def _errors(module: ast.Module) -> Iterator[tuple[int, str, str]]:
    """Yield line, first string and last string of each error and warning that a module makes."""
    for node in ast.walk(module):
        if isinstance(node, ast.Call) and node.args:
            name = getattr(node.func, "id", getattr(node.func, "attr", ""))
            strings = [*_strings_in(node.args[0])]
            if strings and re.search(r"Error$|^error$|^warn$", name):
                yield node.lineno, strings[0], strings[-1]


def _matches(text: str, names: dict[str, str]) -> Iterator[tuple[str, str]]:
    """Yield the words of a text that match a pattern, and what the pattern stands for."""
    text = " ".join(text.split())
    for pattern, name in names.items():
        for match in re.finditer(rf"(?<![\w.`/-])(?:{pattern})(?![\w`(-])", text):
            yield match[0], name


def references_are_cited(tree: Tree) -> Iterator[str]:
    """Each entry of the bibliography is cited (the build finds citations without an entry)."""
    cited = set()
    for _, text in tree.texts("*.md", "*.ipynb"):
        for role in re.findall(r"\{cite(?::\w+)?\}`([^`]+)`", text):
            cited |= {key.strip() for key in role.split(",")}
    for path, text in tree.texts("book/*.bib"):
        for key in re.findall(r"^@\w+\{([^,\s]+),", text, re.MULTILINE):
            if key not in cited:
                yield f"{path}: nothing cites {key}. Cite it where the book relies on it, or take it out."


def chapters_named_exist(tree: Tree) -> Iterator[str]:
    """Each chapter that the prose names exists; a chapter of another book is "chapter 2 of" that book."""
    pages = [re.match(r"book/(\d\d)_", path) for path, _ in tree.texts("book/*.md")]
    numbers = {int(page[1]) for page in pages if page}
    for path, text in _written(tree):
        for named in re.finditer(r"[Cc]hapters?((?:(?:,| and| to| or)? \d+)+)\b(?! +of\b|\.\d)", text):
            for number in re.findall(r"\d+", named[1]):
                if int(number) not in numbers:
                    yield f"{path}: chapter {number} is not in the book. Say it here, or leave it out."


def chinese_names_are_those_of_the_glossary(tree: Tree) -> Iterator[str]:
    """The Chinese names behind a term, as in **surprisal** (惊奇度; 驚奇度), are in its glossary entry."""
    known = entries(tree.text("book/glossary.md") or "")
    for path, text in tree.texts("book/[0-9]*.md"):
        for found in BOLD_TERM.finditer(text) if known else ():
            simplified, traditional = map(set, chinese_names(found[2]))
            term = found[1].replace("*", "")
            owners = [entry for _, _, entry in uses(term, known)] or [
                entry for entry in known if any(name[:4].lower() == term[:4].lower() for name in entry.names)
            ]  # "calibrated" is a form of "calibration" that `uses` does not know
            if not any(
                simplified <= set(entry.simplified) and traditional <= set(entry.traditional)
                for entry in owners
            ):
                where = f"{path}, line {line_at(text, found.start())}"
                yield f"{where}: {found[0]!r} is not what book/glossary.md has. Correct one of the two."


def chinese_names_mean_one_term(tree: Tree) -> Iterator[str]:
    """No Chinese name belongs to two entries of the glossary: one of them is then another term's."""
    for attribute in ("simplified", "traditional"):
        owner: dict[str, str] = {}
        for entry in entries(tree.text("book/glossary.md") or ""):
            for name in getattr(entry, attribute):
                if owner.setdefault(name, entry.term) != entry.term:
                    both = f"{owner[name]!r} and {entry.term!r}"
                    yield f"book/glossary.md: {name} is the Chinese name of {both}. Correct one of the two."


def chinese_is_in_both_scripts(tree: Tree) -> Iterator[str]:
    """A sentence, or a bracket of the glossary, with simplified Chinese words has traditional ones, too."""
    for path, text in tree.texts("book/[0-9]*.md", "book/glossary.md", "book/instructors/*.md"):
        text = CODE.sub(lambda match: "\n" * match[0].count("\n"), text)
        ends = ".!?)" if path == "book/glossary.md" else ".!?"
        for sentence in re.finditer(rf"(?:[^{ends}\n]|[{ends}](?!\s)|\n(?!\s*\n))+", text):
            only = [c for c in HAN.findall(sentence[0]) if _encodes(c, "gb2312") and not _encodes(c, "big5")]
            both = any(_encodes(c, "big5") and not _encodes(c, "gb2312") for c in HAN.findall(sentence[0]))
            if only and not both and not re.search(rf"{HAN.pattern}; *{HAN.pattern}", sentence[0]):
                where = f"{path}, line {line_at(text, sentence.start())}"
                yield f"{where}: only simplified: {''.join(only)}. Add the traditional script: (蓝色; 藍色)."


def chinese_words_are_known(tree: Tree) -> Iterator[str]:
    """Each run of Chinese characters is on the list of those that are known, and the list has no others."""
    known = set((tree.text(KNOWN_CHINESE) or "").split())
    written = [*tree.texts("book/*.md", "book/*/*.md")]
    for path, notebook in tree.notebooks("notebooks", "solutions"):
        written.append((path, "\n".join(cell.source for cell in notebook.cells)))
    used = {path: dict.fromkeys(HAN_RUN.findall(text)) for path, text in written if known}
    for path, words in used.items():
        for word in words:
            if word not in known:
                cure = f"Look it up in both scripts, then add a line to {KNOWN_CHINESE}"
                yield f"{path}: {word} is not among the Chinese words that are known. {cure}."
    for word in sorted(known.difference(*used.values())):
        yield f"{KNOWN_CHINESE}: {word} stands nowhere in the book. Delete the line."


def _encodes(character: str, encoding: str) -> bool:
    """Whether an encoding has a character: GB 2312 has the simplified script, Big5 the traditional one."""
    with contextlib.suppress(UnicodeEncodeError):
        return bool(character.encode(encoding))
    return False


def _written(tree: Tree) -> Iterator[tuple[str, str]]:
    """Yield the prose of pages, of Markdown cells and of the library's strings."""
    for path, text in tree.texts("book/*.md"):
        yield path, prose(text.partition(NOTATION)[0] if path == "book/notation.md" else text)
    for path, notebook in tree.notebooks("notebooks", "exercises", "solutions"):
        cells = (cell.source for cell in notebook.cells if cell.cell_type == "markdown")
        yield path, prose("\n\n".join(cells))
    for path, text in tree.texts("lmmetrics/*.py"):
        yield path, prose(APART.join(_strings(text)))


def _spoken(tree: Tree) -> Iterator[tuple[str, str]]:
    """Yield what `_written` yields, and guides, alt texts, and the strings and comments of modules and cells.

    Of the tests, whose strings may be wrong on purpose, their names, doc-strings and comments.
    """
    yield from _written(tree)
    for path, text in tree.texts("*.md"):
        if not path.startswith(("book/", "lmmetrics/data/")):
            yield path, prose(text)
    for path, text in tree.texts("lmcourse/*.py"):
        if path != "lmcourse/rules/words.py":  # the patterns of this module match themselves
            yield path, prose(APART.join([*_strings(text), *_comments(text)]))
    for path, text in tree.texts("lmmetrics/*.py"):
        yield path, prose(APART.join(_comments(text)))
    for path, text in tree.texts("tests/*.py"):
        yield path, prose(APART.join([*_names_and_docs(text), *_comments(text)]))
    for cell in tree.code_cells("book", "notebooks", "solutions"):
        yield cell.where, prose(APART.join([cell.alt, *_strings(cell.source)]))


def prose(text: str) -> str:
    """Return the running words of a page: no code, maths, quotations, addresses and comments.

    Examples
    --------
    >>> prose('It is "bits/char" in `bits/char`.').split()
    ['It', 'is', 'in', '.']
    """
    text = re.sub(r"\A---\n.*?^---\n", "", text, flags=re.MULTILINE | re.DOTALL)
    text = "\n".join(_outside_code(text.splitlines()))
    text = re.sub(r"^(?:%|:[\w-]+:|\([\w-]+\)=).*$|^ *>>>.*$", " ", text, flags=re.MULTILINE)
    text = re.sub(r"\$\$.*?\$\$|\$[^$\n]+\$", " ", text, flags=re.DOTALL)
    text = re.sub(r"\]\([^)]*\)|<[^<>\n]+>|https?://\S+", " ", text)
    text = re.sub(r"\{[\w:]+\}`[^`]*`|(`+)[^`].*?\1", " ", text, flags=re.DOTALL)
    return re.sub(r"[\"“][^\"“”\n]*(?:\n[^\"“”\n]+)?[\"”]", " ", text)


def _outside_code(lines: list[str]) -> Iterator[str]:
    """Yield the lines outside blocks of code and maths; the content of other directives stays."""
    opened: list[tuple[str, bool]] = []  # fence, and whether its content is code
    for line in lines:
        fence = re.match(r" *(`{3,}|:{3,}|~{3,}) *(\S*)", line)
        inside = bool(opened) and opened[-1][1]
        if fence and opened and fence[1] == opened[-1][0] and not fence[2]:
            opened.pop()
        elif fence and not inside:
            code = fence[1][0] != ":" and not re.match(r"\{(?!code|math|glue)", fence[2])
            opened.append((fence[1], code))
            yield "" if code else line[fence.end() :]  # the title of a directive
        elif not inside:
            yield line


def _strings(source: str) -> Iterator[str]:
    """The strings of a module or a cell; nothing of a cell that is not plain Python."""
    with contextlib.suppress(SyntaxError):
        yield from _strings_in(ast.parse(source))


def _comments(source: str) -> Iterator[str]:
    """The comments of a module."""
    with contextlib.suppress(SyntaxError, tokenize.TokenError):
        for token in tokenize.generate_tokens(io.StringIO(source).readline):
            if token.type == tokenize.COMMENT:
                yield token.string.lstrip("# ")


def _names_and_docs(source: str) -> Iterator[str]:
    """The names of a module's functions and classes, as words, and all doc-strings."""
    with contextlib.suppress(SyntaxError):
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, ast.FunctionDef | ast.ClassDef):
                yield node.name.replace("_", " ")
            if isinstance(node, ast.Module | ast.FunctionDef | ast.ClassDef):
                yield ast.get_docstring(node) or ""


def _strings_in(node: ast.AST) -> Iterator[str]:
    """The strings below a node; in an f-string, an ellipsis stands for what is computed."""
    if isinstance(node, ast.JoinedStr):
        yield "".join(str(part.value) if isinstance(part, ast.Constant) else "…" for part in node.values)
    elif isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value
    else:
        for child in ast.iter_child_nodes(node):
            yield from _strings_in(child)
