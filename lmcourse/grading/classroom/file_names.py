"""Names of students as names of files: readable, safe on every system, and unique for each name."""

from __future__ import annotations

import hashlib
import re
import unicodedata

MOST_BYTES = 80
"""Of a name in UTF-8: file systems take 255 for a name with all its endings."""
RESERVED = re.compile(r"(con|prn|aux|nul|conin\$|conout\$|com\d|lpt\d)(\..*)?")
"""What Windows keeps for devices, with any ending."""


def file_name(name: str) -> str:
    """Return a file name for a student: letters of any script stay, all else becomes a dash.

    A name that had to change, or that a file system could confuse with another (by case, or by the encoding
    of an accent), gets a digest, so that two names never share a file.

    Examples
    --------
    >>> file_name("ada"), file_name("王小明"), file_name("Lovelace, Ada"), file_name("../con")
    ('ada', '王小明', 'Lovelace-Ada-9d5d4b6d', 'con-a2436930')
    """
    composed = unicodedata.normalize("NFC", name)
    kept = "".join(c if c in "._" or unicodedata.category(c)[0] in "LMN" else "-" for c in composed)
    safe = re.sub(r"-+", "-", kept).strip("-.")
    safe = safe.encode()[:MOST_BYTES].decode(errors="ignore").rstrip("-.")
    folded = unicodedata.normalize("NFKC", safe).casefold()
    reserved = RESERVED.fullmatch(folded)
    if safe == name == folded and name and not reserved and not re.search(r"-[0-9a-f]{8}$", name):
        return safe
    if reserved:
        safe = safe.replace(".", "-")
    return f"{safe or 'student'}-{_digest(name)}"


def former_file_name(name: str) -> str:
    """Return the file name that earlier versions gave: without the letters of other scripts."""
    safe = re.sub(r"[^A-Za-z0-9.]+", "-", name).strip("-.")[:60]
    return safe if safe == name else f"{safe or 'student'}-{_digest(name)}"


def _digest(name: str) -> str:
    return hashlib.sha256(name.encode("utf-8", "surrogateescape")).hexdigest()[:8]
