"""A Sphinx extension: in tables of results, words stand at the left and numbers at the right.

Numbers get minus signs and powers of ten. The decks use the same function (`lmcourse.site.decks`).
"""

import re

RESULTS = re.compile(r'<table class="results">.*?</table>', re.DOTALL)
CELL = re.compile(r"<(t[hd])([^>]*)>(.*?)</t[hd]>", re.DOTALL)
POWER = re.compile(r"\b(\d(?:\.\d+)?)e([+-]\d+)\b")
RANGE = re.compile(r"(?<=[\d%])\sto\s(?=[+−-]?\d)")
WORD = re.compile(r"[^\W\d_]{2,}")


def setup(app):
    """Register the extension (called by Sphinx)."""
    app.connect("html-page-context", set_tables)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}


def set_tables(app, pagename, templatename, context, doctree):
    """Set the tables of results of a page."""
    if "body" in context:
        context["body"] = RESULTS.sub(typeset, context["body"])


def typeset(found):
    """A table of results with the columns of words marked, minus signs, and powers of ten; given a match."""
    rows = [CELL.findall(row) for row in re.findall(r"<tr>(.*?)</tr>", found[0], re.DOTALL)]
    columns = zip(*(row for row in rows if len(row) == len(rows[0])), strict=True)
    wordy = [any(is_word(text) for tag, _, text in column if tag == "td") for column in columns]

    def cell(place, match):
        tag, given, text = match.groups()
        marked = ' class="words"' if place < len(wordy) and wordy[place] else ""
        if not is_word(text):
            text = re.sub(r"(?<![\w)])-(?=[\d.]|inf)", "−", text)
        return f"<{tag}{given}{marked}>{re.sub(POWER, power, text)}</{tag}>"

    def row(match):
        cells = iter(range(len(rows[0])))
        return CELL.sub(lambda match: cell(next(cells, len(wordy)), match), match[0])

    return re.sub(r"<tr>.*?</tr>", row, found[0], flags=re.DOTALL)


def is_word(text):
    """Whether a cell holds words or marks, not a number, a range, inf, nan, a question mark or nothing."""
    bare = re.sub(r"\b(?:inf|nan)\b", "0", re.sub(r"&\w+;", ".", RANGE.sub(" ", text)))
    return bool(WORD.search(bare)) or not re.search(r"\d|^\W?\?*$", bare)


def power(found):
    """A number such as 7e-05 as a power of ten."""
    exponent = found[2].lstrip("+").replace("-", "−")
    exponent = re.sub(r"^(−?)0+(?=\d)", r"\1", exponent)
    front = "" if found[1] == "1" else f"{found[1]} × "
    return f"{front}10<sup>{exponent}</sup>"
