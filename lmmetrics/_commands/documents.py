"""The texts that a command is given, as documents."""

from __future__ import annotations

import argparse
import contextlib
import difflib
import gzip
import io
import os
import re
import stat
import sys
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, BinaryIO, NoReturn

from lmmetrics._commands.output import warn
from lmmetrics.text import Vocabulary, tokenize

PACKED = b"\x1f\x8b"
"""How a file of gzip begins."""
MARK = "\ufeff"
CONTROL = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f]")
"""What no encoding of a text has often."""
BLOCK = 1 << 22
"""Bytes of a text that are read at a time, if memory is limited."""
SPECIAL = "<s>", "</s>", "<unk>"
EMPTY = "The texts are empty: there is nothing to measure."


def documents_of(options: argparse.Namespace) -> list[tuple[str, str]]:
    """The names and the texts of the documents; an error if there are none."""
    found: list[tuple[str, str]] = getattr(options, "found", [])
    if found:
        return found  # two models are given the same texts, and standard input can be read once
    for file in files_of(options):
        name = "standard input" if file is None else str(file)
        with opened(file) as source, whole(name):
            data = source.read()
        found += documents_in(options, name, data)
    if not found:
        raise ValueError(EMPTY)
    options.found = found  # an error names the document
    if getattr(options, "single_blanks", False):
        single = tokenize([document for _, document in found], by="whitespace").decode()
        found = [(name, document) for (name, _), document in zip(found, single, strict=True)]
    options.found = found
    return found


@contextlib.contextmanager
def opened(path: Path | None) -> Iterator[BinaryIO]:
    """A file of text, or standard input; what gzip has packed is unpacked."""
    with contextlib.ExitStack() as stack:
        source: Any = sys.stdin.buffer if path is None else stack.enter_context(open(path, "rb"))
        check_ends(source, str(path or "standard input"))
        file = source if hasattr(source, "peek") else io.BufferedReader(source)
        packed = file.peek(len(PACKED))[: len(PACKED)] == PACKED
        yield stack.enter_context(gzip.open(file, "rb")) if packed else file


def check_ends(file: BinaryIO, name: str) -> None:
    """Raise if a file is a device, such as /dev/zero, which never ends. A terminal is none here."""
    try:
        about = os.fstat(file.fileno())
    except io.UnsupportedOperation:  # no file of the system
        return
    is_device = stat.S_ISCHR(about.st_mode) or stat.S_ISBLK(about.st_mode)
    if is_device and not file.isatty() and not os.path.samestat(about, os.stat(os.devnull)):
        raise ValueError(f"{name} is a device, not a text. Name a file, a folder or a pipe.")


@contextlib.contextmanager
def whole(name: str) -> Iterator[None]:
    """An error with advice if a packed file is cut off or damaged."""
    try:
        yield
    except (gzip.BadGzipFile, EOFError, zlib.error):
        raise ValueError(f"{name} is not a complete file of gzip: it is cut off or damaged.") from None


def blocks_of(options: argparse.Namespace) -> Iterator[Iterable[str]]:
    """The documents, each in blocks of whole lines, so that one block is in memory at a time."""
    for path in files_of(options):
        name = str(path or "standard input")
        with opened(path) as file:
            blocks = decoded(options, file, name)
            options.current = name  # the document that an error is in
            if options.lines:
                lines = (line for block in blocks for line in block.removesuffix("\n").split("\n"))
                for i, line in enumerate(lines, 1):
                    options.current = f"{name}:{i}"
                    yield [line + "\n"]
            else:
                yield blocks


def files_of(options: argparse.Namespace) -> Iterator[Path | None]:
    """The files of the texts; None is standard input."""
    if options.texts.count("-") > 1:
        raise ValueError("- is given twice, but standard input can be read only once. Name it once.")
    before: set[Path] = set()
    for given in options.texts:
        if given == "-":
            yield None
            continue
        path = existing(given)
        files = texts_below(path) if path.is_dir() else [path]
        if not files:
            raise ValueError(
                f"The folder {given} has no *.txt or *.txt.gz files. Name the files, or rename them."
            )
        for file in files:
            if (place := file.resolve()) in before:
                warn(f"{file} is given twice and counts twice. Name each file once.")
            before.add(place)
            yield file


def texts_below(folder: Path) -> list[Path]:
    """The files of text in a folder and in those below; an error if a folder may not be read."""
    for _ in os.walk(folder, onerror=raised):  # rglob leaves out such folders without a word
        pass
    return sorted([*folder.rglob("*.txt"), *folder.rglob("*.txt.gz")])


def raised(error: OSError) -> NoReturn:
    """Raise an error."""
    raise error


def existing(given: str) -> Path:
    """The path of what is given; an error if nothing is there."""
    path = named(given)
    if not path.exists():
        if path.is_symlink():
            raise FileNotFoundError(f"{given} is a link to {os.readlink(path)}, which does not exist.")
        raise FileNotFoundError(f"{given} does not exist.{suggestion(given)}")
    if path.is_socket():
        raise ValueError(
            f"{given} is a socket, which cannot be read as a file. Name a file, a folder or a pipe."
        )
    return path


def named(given: str) -> Path:
    """The path with a name; the empty name would be the folder where the command runs."""
    if not given:
        raise ValueError(
            "The name of a file or a folder is empty. Look for a variable of the shell that is not set."
        )
    return Path(given)


def decoded(options: argparse.Namespace, file: BinaryIO, name: str) -> Iterator[str]:
    """A file in blocks of whole lines."""
    start = 0
    while True:
        with whole(name):  # here, because the blocks are read outside the function that has opened the file
            data = b"".join(file.readlines(BLOCK))
        if not data:
            return
        text = as_text(data, name, start)
        yield text if start else unmarked(options, text, name)
        start += len(data)


def unmarked(options: argparse.Namespace, text: str, name: str) -> str:
    """The text of a file without its byte-order mark; a warning at the first file that has one."""
    if text.startswith(MARK) and not getattr(options, "marked", False):
        options.marked = True
        warn(
            f"{name} begins with a byte-order mark (U+FEFF), which is not a part of the text: neither this "
            "mark nor that of another file is counted or scored."
        )
    return text.removeprefix(MARK)


def as_text(data: bytes, name: str, start: int = 0) -> str:
    """Bytes from a file as text."""
    wide = not start and data[:2] in (b"\xff\xfe", b"\xfe\xff")
    if b"\0" in data and not wide:
        raise ValueError(
            f"{name} has a NUL byte, byte {start + data.index(0)}, so it is not a text in UTF-8. Name a "
            "text; if it is UTF-16 without a mark, convert it first, such as by iconv -f utf-16le -t utf-8."
        )
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        if not wide and 100 * len(CONTROL.findall(data)) > len(data):
            raise ValueError(
                f"{name} is not a text: more than one byte in a hundred is a control character. Name a text."
            ) from None
        encoding = "utf-16" if wide else "latin1"
        raise ValueError(
            f"{name} is not UTF-8: byte {start + error.start} is 0x{data[error.start]:02x}. Convert it "
            f"first, such as by iconv -f {encoding} -t utf-8."
        ) from None


def documents_in(options: argparse.Namespace, name: str, data: bytes) -> list[tuple[str, str]]:
    """The documents of a file."""
    text = unmarked(options, as_text(data, name), name)
    if not options.lines:
        return [(name, text)]
    lines = text.split("\n")
    lines = lines[:-1] if lines[-1] == "" else lines
    return [(f"{name}:{i}", line + "\n") for i, line in enumerate(lines, 1)]


def vocabulary_of(given: str | None) -> Vocabulary | None:
    """The vocabulary in a file with one word a line; the words that every vocabulary has may be listed."""
    if given is None:
        return None
    path = existing(given)
    with opened(path) as file, whole(given):
        lines = as_text(file.read(), given).removeprefix(MARK).split("\n")
    words = [line.strip() for line in lines]
    for number, word in enumerate(words, 1):
        if len(word.split()) > 1:
            raise ValueError(
                f"{given}, line {number}: {word[:40]!r} is not one word. One word a line is expected."
            )
    known = dict.fromkeys(word for word in words if word and word not in SPECIAL)
    if not known:
        raise ValueError(f"{given} has no words. A file with one word a line is expected.")
    return Vocabulary(known)


def suggestion(path: str) -> str:
    """A hint at a file whose name is like the one that was given."""
    folder = Path(path).parent
    there: list[str] = []
    with contextlib.suppress(OSError):  # no folder, or one that must not be read
        there = os.listdir(folder)
    name = Path(path).name
    most = min(2, len(Path(path).stem) // 2)  # other files have often nothing but the suffix in common
    near = [one for one in difflib.get_close_matches(name, there) if edits(name, one) <= most]
    return f" Is {folder / near[0]} meant?" if near else ""


def edits(a: str, b: str) -> int:
    """How many characters differ between two names."""
    changes = difflib.SequenceMatcher(None, a, b).get_opcodes()
    return sum(max(i2 - i1, j2 - j1) for kind, i1, i2, j1, j2 in changes if kind != "equal")
