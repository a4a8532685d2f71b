"""The seeds of a class: each submitted file gets a seed of its own, and the same file always the same one.

``seeds.json`` in the folder of the results has a secret. The seed of a submission follows from the secret,
the set and the file's digest. So a student who sees the seed of one grade can repeat that grade, but learns
nothing about the inputs for a changed file.
"""

from __future__ import annotations

import hashlib
import json
import secrets
from pathlib import Path

from lmcourse.files.notebooks import write_text
from lmcourse.grading.errors import GradingError

FILE = "seeds.json"


def secret_of(out: Path, given: int | None = None) -> tuple[str, str]:
    """Return the secret of a folder of results, and what the instructor should know about it.

    Parameters
    ----------
    out : Path
        The folder; it is created if it does not exist, and a new secret is written into it.
    given : int, optional
        Takes the place of the secret, and is kept.

    Raises
    ------
    GradingError
        If the file of seeds cannot be read.
    """
    stored, note = _read(out / FILE), ""
    if given is not None:
        secret = f"given {given}"
    elif "secret" in stored:
        return stored["secret"], ""
    else:
        secret = secrets.token_hex(16)
        if stored:
            note = (
                f"{out} was made by an earlier version, in which all submissions shared one seed. They are"
                " graded again, each with hidden inputs of its own; marks by hand stay."
            )
    out.mkdir(parents=True, exist_ok=True)
    out.chmod(0o700)  # grades are personal
    write_text(out / FILE, json.dumps({"secret": secret}) + "\n")
    return secret, note


def seed_of(secret: str, set_name: str, digest: str) -> int:
    """Return the seed of a submission: a number from 0 to 2^31 - 1 that does not reveal the secret."""
    found = hashlib.sha256(f"{secret}\n{set_name}\n{digest}".encode()).digest()
    return int.from_bytes(found[:4], "big") >> 1


def _read(path: Path) -> dict:
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        if not isinstance(data, dict) or not isinstance(data.get("secret", ""), str):
            raise ValueError
    except FileNotFoundError:
        return {}
    except (OSError, ValueError):
        raise GradingError(
            f"{path} cannot be read. It has the secret that draws the hidden inputs. Restore it, or delete it"
            " to have everything graded again with other inputs; marks by hand stay."
        ) from None
    return data
