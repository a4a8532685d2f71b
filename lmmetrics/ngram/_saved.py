"""A saved model: a folder of NumPy arrays, which are mapped into memory when the model is loaded.

The folder holds

- ``model.json``: the format and its version, the method, and for each order the number of n-grams and the
  base of their keys;
- ``vocabulary.json``: the tokens in the order of their ids, how they are written as text, and whether a
  sentence is a line or a document;
- ``N.tokens.npy``, ``N.contexts.npy``, ``N.probs.npy``, ``N.weights.npy`` and, from order 2 on,
  ``N.keys.npy``, for each order N: the arrays of `Level` and `Tables`, in the format of `numpy.save`. The key
  of an n-gram is ``context * base + token``; the keys are sorted.

A second process loads such a model in the time that its vocabulary takes, and reads from the disk only the
parts of the arrays that a text needs.
"""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np

from lmmetrics._errors import writing
from lmmetrics._types import PathLike
from lmmetrics.ngram._disk import OnDisk
from lmmetrics.ngram._level import Keys, Level
from lmmetrics.ngram._tables import Tables
from lmmetrics.text import Spelling, Vocabulary

FORMAT = "lmmetrics n-gram model"
VERSION = 1
TYPES = {"tokens": "i", "contexts": "i", "probs": "f", "weights": "f", "keys": "i"}
"""The arrays of an order, and the kinds of their numbers."""


class SavedModelError(ValueError):
    """A folder is not a saved model, or a part of it is missing or damaged. The message says which."""


def is_saved(path: PathLike) -> bool:
    """Whether a folder looks like a saved model."""
    return (Path(path) / "model.json").is_file()


def save(path: PathLike, tables: Tables, spelling: Spelling, smoothing: str, refusal: str | None) -> None:
    """Write a model. See `NGramModel.save`."""
    path = Path(path)
    if path.exists() and not is_saved(path):
        raise FileExistsError(
            f"{path} exists and is not a saved model, so nothing was written. Name a folder that does not "
            "exist, or that of an older model, which is then replaced."
        )
    path.parent.mkdir(parents=True, exist_ok=True)
    with writing(path):
        beside = Path(tempfile.mkdtemp(prefix=f"{path.name}.", suffix=".part", dir=path.parent))
    new, old = beside / "new", beside / "old"
    try:
        new.mkdir(mode=0o755)
        with writing(path):
            _write(new, tables, spelling, {"smoothing": smoothing, "refusal": refusal})
        if path.exists():
            os.replace(path, old)
        os.replace(new, path)
    except BaseException:
        if old.exists() and not path.exists():
            os.replace(old, path)
        raise
    finally:
        if path.exists() or not old.exists():  # else the only copy of the old model is in there
            shutil.rmtree(beside, ignore_errors=True)


def _write(folder: Path, tables: Tables, spelling: Spelling, method: dict[str, str | None]) -> None:
    about: dict[str, Any] = {"format": FORMAT, "version": VERSION} | method
    about |= {"evenly": tables.evenly, "orders": []}
    for level, probs, weights in zip(tables.levels, tables.probs, tables.weights, strict=True):
        arrays = {"tokens": level.tokens, "contexts": level.contexts, "probs": probs, "weights": weights}
        if level.n > 1:
            arrays["keys"] = level.keys.values
        for name, array in arrays.items():
            if isinstance(level, OnDisk):
                level.copy_file(f"{level.n}.{name}.npy", folder)
            else:
                with open(folder / f"{level.n}.{name}.npy", "wb") as file:
                    written_by: Any = SimpleNamespace(write=file.write)
                    np.save(written_by, array)  # of an error in a real file, NumPy does not keep the number
        about["orders"].append({"size": len(level), "contexts": level.contexts_size, "base": level.keys.base})
    vocabulary = tables.vocabulary
    of_bytes = isinstance(spelling.separator, bytes)
    written: dict[str, Any] = {"unk": vocabulary.unk is not None, "tokens": list(vocabulary.tokens)}
    written |= {"label": spelling.label, "sentences": spelling.sentences}
    if of_bytes:
        written["bytes"] = [piece.hex() for piece in spelling.pieces]
    else:
        written["separator"] = spelling.separator
    (folder / "vocabulary.json").write_text(json.dumps(written), encoding="utf-8")
    (folder / "model.json").write_text(json.dumps(about, indent=1), encoding="utf-8")


def load(path: PathLike) -> tuple[Tables, Spelling, str, str | None]:
    """Read what `save` wrote: the tables, how tokens are written, the method, and why it is refused."""
    folder = Path(path)
    if not is_saved(folder):
        raise SavedModelError(f"{path} is not a saved model: a folder with a file model.json is expected.")
    about, written = (_json(folder / name) for name in ("model.json", "vocabulary.json"))
    if about.get("format") != FORMAT:
        raise SavedModelError(f"{folder / 'model.json'} does not describe a counted model of lmmetrics.")
    if about.get("version") != VERSION:
        raise SavedModelError(
            f"{path} was saved in version {about.get('version')} of the format; this lmmetrics reads version "
            f"{VERSION}. Save it again, or install the lmmetrics that wrote it."
        )
    try:
        tokens, unk = written["tokens"], written["unk"]
        vocabulary = Vocabulary(tokens[3 if unk else 2 :], unk=unk)
        if list(vocabulary.tokens) != tokens:
            raise SavedModelError(f"{folder / 'vocabulary.json'}: the tokens are not in the order of ids.")
        if len(vocabulary) != about["orders"][0]["size"]:
            raise SavedModelError(
                f"{folder / 'vocabulary.json'} has {len(vocabulary)} tokens, but the model has "
                f"{about['orders'][0]['size']}: they belong to different models. Save the model again."
            )
        levels, probs, weights = [], [], []
        for n, order in enumerate(about["orders"], 1):
            level, of_ngrams, of_contexts = _order(folder, n, order)
            levels.append(level)
            probs.append(of_ngrams)
            weights.append(of_contexts)
        tables = Tables(vocabulary, levels, probs, weights, about["evenly"])
        if "bytes" in written:
            pieces, separator = [bytes.fromhex(piece) for piece in written["bytes"]], b""
        else:
            pieces, separator = vocabulary.pieces.strings, written["separator"]
        spelling = Spelling(pieces, separator, written["label"], written.get("sentences"))
        return tables, spelling, about["smoothing"], about["refusal"]
    except (KeyError, IndexError, TypeError, AttributeError) as error:
        raise SavedModelError(f"{path}: the description of the model is incomplete ({error}).") from None


def _json(path: Path) -> dict[str, Any]:
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise SavedModelError(f"{path} is missing: the saved model is incomplete.") from None
    except ValueError:
        raise SavedModelError(f"{path} is damaged: it is not JSON.") from None
    return found if isinstance(found, dict) else {}


def _order(folder: Path, n: int, about: dict[str, int]) -> tuple[Level, Any, Any]:
    """The level, the probabilities and the weights of one order, mapped into memory."""
    size, contexts = about["size"], about["contexts"]
    sizes = {name: contexts + 1 if name == "weights" else size for name in TYPES}
    arrays = {
        name: _array(folder / f"{n}.{name}.npy", sizes[name]) for name in TYPES if n > 1 or name != "keys"
    }
    none = np.zeros(0, dtype=np.int64)
    stored = Keys(arrays["keys"], int(about["base"])) if n > 1 else None
    if stored:
        keys, base = stored
        some = [0, size // 2, size - 1] if size else []  # of all, a check would read the whole files
        spelt = (int(arrays["contexts"][i]) * base + int(arrays["tokens"][i]) for i in some)
        if [int(keys[i]) for i in some] != list(spelt):
            raise SavedModelError(
                f"{folder / f'{n}.keys.npy'} is damaged: its keys are not those of the n-grams. Save the "
                "model again."
            )
    level = Level(
        n, arrays["tokens"], arrays["contexts"], none, none, contexts_size=contexts, stored_keys=stored
    )
    return level, arrays["probs"], arrays["weights"]


def _array(path: Path, size: int) -> Any:
    try:
        array = np.load(path, mmap_mode="r" if size else None, allow_pickle=False)
    except FileNotFoundError:
        raise SavedModelError(f"{path} is missing: the saved model is incomplete.") from None
    except PermissionError:
        raise
    except (ValueError, EOFError, OSError):
        raise SavedModelError(
            f"{path} is damaged: it is not a complete array of numbers in the format of NumPy. Save the "
            "model again."
        ) from None
    kind = TYPES[path.name.split(".")[1]]
    if array.shape != (size,) or array.dtype.kind != kind:
        raise SavedModelError(f"{path} has {array.dtype}{list(array.shape)}; {size} numbers are expected.")
    return np.asarray(array)  # a view: the file stays mapped
