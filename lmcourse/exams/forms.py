"""Read what a student wrote as the answer of an exam: numbers, letters and expressions in any usual writing.

A paper contains this code, and the cell below an answer calls `check_form`. The grader reads answers with
`read_form`. So an answer that passes on the paper is judged by its value, and any other is refused in the
same words.

A form is ``float`` for a number, ``"ABC"`` for one of these letters, ``[float] * 3`` for a list of three
numbers, ``("z", "p")`` for an expression in these symbols, and a dictionary of forms.
"""

import contextlib
import math
import re
from decimal import Decimal
from fractions import Fraction

import numpy as np
import sympy as sp

NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?", re.IGNORECASE | re.ASCII)
COMMA = re.compile(r"([+-]?)(\d+),(\d+)", re.ASCII)
GROUPS = re.compile(r"[+-]?[1-9]\d{0,2}((,\d{3}){2,}|([ \xa0\u202f]\d{3}){2,})", re.ASCII)
LETTER = re.compile(
    r"[\s.:(\['\"]*([A-Z])((?:[\s:)\]'\"]|\.(?!\w))*)(.*)", re.IGNORECASE | re.ASCII | re.DOTALL
)


def check_form(name, answer, form):
    """Print how an answer is read, or raise an AssertionError that says what to write."""
    value, problems = read_form(name, answer, form)
    if problems:
        raise AssertionError("\n".join(filter(None, problems.values())))
    print(f"The form of {name} is right. It is read as {_shown(value)}.")


def read_form(name, answer, form):
    """Return the value, and sentences on what cannot be read, by entry (by None for the whole answer)."""
    if answer is None or answer is Ellipsis:
        return None, {None: f"`{name}` is not answered yet. Put your result in the place of {answer}."}
    if isinstance(form, tuple):
        return _expression(name, answer, form)
    if isinstance(form, dict):
        return _dictionary(name, answer, form)
    if isinstance(form, list):
        return _list(name, answer, form)
    value, problem = _letter(name, answer, form) if isinstance(form, str) else _number(name, answer)
    return value, {None: problem} if problem else {}


def read_in_form(name, form, answer, *case):
    """As `read_form`, in the order in which a question's ``reading`` is called; the case is not needed."""
    return read_form(name, answer, form)


def _dictionary(name, answer, form):
    keys = ", ".join(f'"{key}"' for key in form)
    if not isinstance(answer, dict):
        return None, {None: f"`{name}` is {_kind(answer)}. Write a dictionary with the keys {keys}."}
    given = {key: [k for k in answer if _plain_key(k) == _plain_key(key)] for key in form}
    strange = ", ".join(repr(k) for k in answer if not any(k in same for same in given.values()))
    absent = [key for key, same in given.items() if not same]
    told = _strange_keys(name, keys, absent, strange)
    value, problems = {}, {}
    for key, part in form.items():
        if len(given[key]) == 1:
            value[key], found = read_form(f'{name}["{key}"]', answer[given[key][0]], part)
        elif given[key]:
            twice = " and ".join(map(repr, given[key]))
            found = {None: f'`{name}["{key}"]` appears several times, as {twice}. Write each key once.'}
        else:
            found = {None: told if key == absent[0] else ""}
        if found:
            problems[key] = " ".join(found.values())
            value[key] = _nothing(part)
    if strange and not absent:
        problems["other keys"] = told
    return value, problems


def _plain_key(key):
    """A key without its blanks and capitals."""
    return "".join(key.split()).casefold() if isinstance(key, str) else key


def _strange_keys(name, keys, absent, strange):
    """One sentence on all keys that are missing, and on those that are not asked for."""
    named = " or ".join(f'"{key}"' for key in absent)
    lacking = f"no key {named}" if absent else ""
    others = f"the key {strange}, which is not asked for" if strange else ""
    return f"`{name}` has {' and '.join(filter(None, (lacking, others)))}. Its keys must be {keys}."


def _list(name, answer, form):
    entries = _row(answer)
    if not isinstance(entries, (list, tuple)) or len(entries) != len(form):
        return None, {None: f"`{name}` is {_kind(answer)}. Write a list of {len(form)} numbers."}
    value, problems = np.full(len(form), np.nan), {}
    for i, entry in enumerate(entries):
        number, found = read_form(f"{name}[{i}]", entry, float)
        if found:
            problems[i] = found[None]
        else:
            value[i] = number
    return value, problems


def _row(answer):
    """The entries of a list, an array, or a matrix of numbers; also when it has one row or one column."""
    if isinstance(answer, sp.MatrixBase):
        return list(answer) if 1 in answer.shape and not answer.free_symbols else answer
    rows = answer.tolist() if isinstance(answer, np.ndarray) else answer
    if not isinstance(rows, (list, tuple)) or not all(isinstance(row, (list, tuple)) for row in rows):
        return rows
    if len(rows) == 1:
        return rows[0]
    return [row[0] for row in rows] if all(len(row) == 1 for row in rows) else rows


def _letter(name, answer, letters):
    """One of the letters, in either case and with any punctuation, also with a reason after it."""
    if found := LETTER.fullmatch(answer) if isinstance(answer, str) else None:
        text, reason = found[1].upper(), found[3]
        others = set(letters) - {text}
        apart = not reason or found[2].strip(" \t\n'\"")
        if apart and text in letters and not others & set(re.findall(r"\b[A-Z]\b", reason)):
            return text, ""
    return "", f"`{name}` is {_kind(answer)}. Write one of the letters {', '.join(letters)} in quotes."


def _number(name, answer):
    """A number, from anything that can be read as one."""
    number = answer.item() if getattr(answer, "ndim", None) == 0 and hasattr(answer, "item") else answer
    if isinstance(number, str):
        return _number_in(name, number)
    value, what = math.nan, _kind(answer)
    known = isinstance(number, (int, float, Fraction, Decimal, np.floating, sp.Expr))
    if known and not isinstance(number, bool):
        with contextlib.suppress(TypeError, ValueError, OverflowError):
            value = float(number)
            what = str(value)
    if math.isfinite(value):
        return value, ""
    return math.nan, f"`{name}` is {what}. Write one number."


def _number_in(name, text):
    """The number in a text, unless it could mean another one."""
    plain = text.strip().replace("\N{MINUS SIGN}", "-")
    if GROUPS.fullmatch(plain):
        plain = re.sub(r"[^\d+-]", "", plain)
    comma = COMMA.fullmatch(plain)
    if comma and (len(comma[3]) != 3 or len(comma[2]) > 3 or comma[2] == "0"):
        plain = f"{comma[1]}{comma[2]}.{comma[3]}"
    if NUMBER.fullmatch(plain) and math.isfinite(float(plain)):
        return float(plain), ""
    cure = "Write one number without quotes, as in 0.25 or 1234.5."
    if "%" in plain:
        cure = "Write a share as a number without a percent sign, as in 0.25."
    elif comma:
        cure = "Its comma may separate thousands or decimals. Write 1234 or 1.234, without quotes."
    return math.nan, f"`{name}` is {_kind(text)}. {cure}"


def _expression(name, answer, symbols):
    """An expression that becomes a number when numbers are put in for its symbols."""
    names = " and ".join(symbols)
    if isinstance(answer, sp.Equality):
        return None, {None: f"`{name}` is an equation. Write its right-hand side alone."}
    if not isinstance(answer, sp.Expr):
        value, problem = _number(name, answer)
        if problem:
            problem = f"`{name}` is {_kind(answer)}. Write an expression in {names}, without quotes."
        return value, {None: problem} if problem else {}
    strange = ", ".join(sorted({symbol.name for symbol in answer.free_symbols} - set(symbols)))
    if strange:
        return None, {None: f"`{name}` contains {strange}. Use only the symbols {names}."}
    point = {symbol: sp.Float(0.3 + 0.1 * symbols.index(symbol.name), 30) for symbol in answer.free_symbols}
    try:
        value = complex(answer.doit().xreplace(point).evalf(20))
    except (TypeError, ValueError):
        value = complex(math.nan)
    if abs(value.imag) > 1e-12 or not math.isfinite(value.real):
        cure = "Look for sums and functions that are not worked out, and for logarithms of negative numbers."
        return None, {None: f"`{name}` does not become a number when {names} are numbers. {cure}"}
    return answer, {}


def _nothing(form):
    """The value in place of an entry that cannot be read."""
    if isinstance(form, str):
        return ""
    return np.full(len(form), np.nan) if isinstance(form, list) else math.nan


def _kind(answer):
    """What an answer is, in words."""
    answer = _row(answer) if isinstance(answer, sp.MatrixBase) else answer
    if isinstance(answer, str):
        return f"the text {answer[:40]!r}"
    if answer is None or isinstance(answer, (bool, np.bool_, int, float, complex, np.number)):
        return str(answer)
    if isinstance(answer, (sp.Basic, sp.MatrixBase)) or type(answer).__module__ == "sympy":
        return "a SymPy object, not a number"
    if isinstance(answer, dict):
        return "a dictionary"
    if isinstance(answer, (list, tuple)):
        return f"a list of {len(answer)}"
    if isinstance(answer, np.ndarray):
        return f"an array of {answer.dtype} with the shape {answer.shape}"
    return "a function" if callable(answer) else f"of the type {type(answer).__name__}"


def _shown(value):
    """A value on one line, whole numbers with all digits and others with six."""
    if isinstance(value, dict):
        return ", ".join(f"{key} = {_shown(entry)}" for key, entry in value.items())
    if isinstance(value, np.ndarray):
        return f"[{', '.join(_shown(entry) for entry in value)}]"
    whole = isinstance(value, float) and value.is_integer() and abs(value) < 1e15
    return f"{value:.0f}" if whole else f"{value:.6g}" if isinstance(value, float) else str(value)
