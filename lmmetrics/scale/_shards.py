"""Shards: where the documents are, and what they say."""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import platform
import zlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lmmetrics._checks import whole_number
from lmmetrics._types import PathLike
from lmmetrics.extras import need
from lmmetrics.scale._errors import ScaleError

SUFFIXES = ".jsonl", ".jsonl.gz", ".parquet", ".txt", ".txt.gz"
FORMATS = """\
A shard is a file .jsonl or .jsonl.gz (each line {"id": ..., "text": ...}), .parquet (columns id and text) \
or .txt or .txt.gz (one document)."""

Shards = PathLike | Iterable[PathLike] | Mapping[str, PathLike | Mapping[str, str]]


@dataclass(frozen=True)
class Shard:
    """A part of the documents: its name, a file or the documents themselves, and how a .txt file is cut."""

    name: str
    source: str | Mapping[str, str]
    lines: bool = False

    @property
    def about(self) -> str:
        """What an error calls it."""
        return f"the shard {self.name!r}"

    def documents(self) -> list[tuple[str, str]]:
        """Read ids and texts; an error if an id comes twice."""
        if isinstance(self.source, str):
            try:
                found = list(_read(Path(self.source), self.name, self.lines))
            except FileNotFoundError:
                raise ScaleError(
                    f"The shard {self.source} does not exist on the machine {host()}. Every worker has to "
                    "see the shards under the same path: put them on storage that all machines share."
                ) from None
        else:
            found = [_checked(id, text, f"shard {self.name!r}") for id, text in self.source.items()]
        seen: set[str] = set()
        for id, _ in found:
            if id in seen:
                raise ScaleError(
                    f"The document {id!r} comes twice in the shard {self.name!r}, and would be counted "
                    "twice. Remove one of the two, or give them different ids."
                )
            seen.add(id)
        return found


def shards_of(shards: Shards, lines: bool = False) -> list[Shard]:
    """Return the shards that a caller means, by name.

    Raises
    ------
    ScaleError
        If there are none, if two have one name, or if a file is of no known kind.
    TypeError
        If ``shards`` is something else.
    """
    named: list[tuple[str, Any]]
    if isinstance(shards, str | os.PathLike):
        named = _below(Path(shards))
    elif isinstance(shards, Mapping):
        named = list(shards.items())
    elif isinstance(shards, Iterable):
        named = [(Path(path).name if isinstance(path, str | os.PathLike) else "", path) for path in shards]
    else:
        named = [("", shards)]
    found: dict[str, Shard] = {}
    for name, source in named:
        if not isinstance(name, str) or not name or not isinstance(source, str | os.PathLike | Mapping):
            raise TypeError(
                f"shards has {source!r} ({type(source).__name__}); a folder, a list of files, or a mapping "
                'from names of shards to files or documents is expected: {"part 1": {"id": "text"}}.'
            )
        if name in found:
            raise ScaleError(
                f"Two shards are called {name!r}. Give a folder, or a mapping with a name for each shard."
            )
        if isinstance(source, Mapping):
            found[name] = Shard(name, dict(source))
        else:
            path = Path(source).resolve()
            if not path.name.endswith(SUFFIXES):
                raise ScaleError(f"{source} is not a shard. {FORMATS}")
            found[name] = Shard(name, str(path), lines)
    if not found:
        raise ScaleError(f"There are no shards in {shards!r}. {FORMATS}")
    return [found[name] for name in sorted(found)]


def write_shards(documents: Mapping[str, str], folder: PathLike, count: int) -> list[Path]:
    """Write documents as shards that workers can read: files ``part-00000.jsonl`` and so on.

    Parameters
    ----------
    documents : mapping of str to str
        The texts by their ids.
    folder : path
        It is made if it does not exist.
    count : int
        How many shards. The documents are dealt like cards, so the shards differ by one document at most.

    Returns
    -------
    list of Path

    Raises
    ------
    ScaleError
        If the folder already has shards, or there are fewer documents than shards.
    TypeError
        If an id or a text is not a string.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     files = write_shards({"a": "the cat sleeps", "b": "the dog eats", "c": "it rains"}, folder, 2)
    ...     print(files[0].name, files[0].read_text(), end="")
    part-00000.jsonl {"id": "a", "text": "the cat sleeps"}
    {"id": "c", "text": "it rains"}
    """
    count = whole_number("count", count, 1)
    rows = [_checked(id, text, "documents") for id, text in documents.items()]
    if len(rows) < count:
        raise ScaleError(f"There are {len(rows)} documents for {count} shards. Ask for fewer shards.")
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    if old := sorted(path.name for path in folder.iterdir() if path.name.endswith(SUFFIXES)):
        raise ScaleError(f"{folder} already has shards, such as {old[0]}. Name another folder.")
    files = []
    for i in range(count):
        lines = (json.dumps({"id": id, "text": text}, ensure_ascii=False) for id, text in rows[i::count])
        files.append(folder / f"part-{i:05}.jsonl")
        write_atomically(files[-1], "".join(f"{line}\n" for line in lines).encode())
    return files


def write_atomically(path: Path, data: bytes, mark: str = "") -> None:
    """Write a file beside its place, and move it there: a reader sees all of it or nothing."""
    beside = path.with_name(f"{path.name}.{mark}{os.getpid()}-{os.urandom(4).hex()}.part")
    try:
        with open(beside, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(beside, path)
    except BaseException:
        beside.unlink(missing_ok=True)
        raise


def digest(text: str) -> str:
    """The SHA-256 of a document's UTF-8."""
    return hashlib.sha256(text.encode()).hexdigest()


def digest_of_all(digests: Iterable[tuple[str, str]]) -> str:
    """One digest of many documents, from ids and digests in any order."""
    return hashlib.sha256(json.dumps(sorted(digests)).encode()).hexdigest()


def _below(path: Path) -> list[tuple[str, Path]]:
    """The files of a folder and of those below, with their names from there; or one file."""
    if not path.exists():
        raise ScaleError(f"{path} does not exist. A folder of shards is expected. {FORMATS}")
    if path.is_file():
        return [(path.name, path)]
    files = (file for file in path.rglob("*") if file.name.endswith(SUFFIXES) and file.is_file())
    return [(file.relative_to(path).as_posix(), file) for file in files]


def _read(path: Path, name: str, lines: bool) -> Iterator[tuple[str, str]]:
    if path.name.endswith(".parquet"):
        yield from _read_parquet(path)
        return
    data = path.read_bytes()
    if path.name.endswith(".gz"):
        try:
            data = gzip.decompress(data)
        except (OSError, EOFError, zlib.error) as error:
            raise ScaleError(f"{path} is damaged: {error}. Write it again.") from None
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ScaleError(
            f"{path} is not UTF-8: byte {error.start} is 0x{data[error.start]:02x}. Convert it first."
        ) from None
    plain = path.name.removesuffix(".gz").endswith(".txt")
    if plain and not lines:
        yield name, text
        return
    rows = text.split("\n")
    for number, line in enumerate(rows if rows[-1] else rows[:-1], 1):
        if plain:
            yield f"{name}:{number}", line + "\n"
        elif line.strip():
            try:
                row = json.loads(line)
            except ValueError:
                row = None
            if not isinstance(row, dict) or not {"id", "text"} <= row.keys():
                raise ScaleError(
                    f"{path}, line {number}: {line[:40]!r} is not a document. "
                    'A line {"id": "...", "text": "..."} is expected.'
                )
            yield _checked(row["id"], row["text"], f"{path}, line {number}")


def _read_parquet(path: Path) -> Iterator[tuple[str, str]]:
    arrow, parquet = need("pyarrow", "scale"), need("pyarrow.parquet", "scale")
    try:
        table = parquet.ParquetFile(path).read(columns=["id", "text"])
    except arrow.ArrowInvalid as error:
        raise ScaleError(f"{path} is damaged: {error}. Write it again.") from None
    if table.num_columns < 2:
        raise ScaleError(f"{path} has the columns {table.column_names}; id and text are expected.")
    rows = zip(table["id"].to_pylist(), table["text"].to_pylist(), strict=True)
    for i, (id, text) in enumerate(rows):
        yield _checked(id, text, f"{path}, row {i}")


def _checked(id: Any, text: Any, where: str) -> tuple[str, str]:
    """An id and a text; whole numbers may be ids."""
    id = str(id) if isinstance(id, int) and not isinstance(id, bool) else id
    if not isinstance(id, str) or not id or not isinstance(text, str):
        raise TypeError(f"{where}: id is {id!r} and text {type(text).__name__}; two strings are expected.")
    try:
        text.isascii() or text.encode()
    except UnicodeEncodeError as error:
        raise ScaleError(
            f"{where}: document {id!r} contains half of a surrogate pair at character {error.start}, which "
            "has no UTF-8 bytes. Remove it."
        ) from None
    return id, text


def host() -> str:
    """The name of this machine."""
    return platform.node() or "of the worker"
