"""Files that are downloaded once, verified, and kept. A partial or unverified file is never used.

A file is looked for in three places: the folder that the environment variable LMMETRICS_DATA names, the
user's cache, and its public address.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
import urllib.parse
from dataclasses import dataclass
from pathlib import Path

import pooch
import requests

from lmmetrics._types import PathLike
from lmmetrics.extras import DISTRIBUTION


class CorpusError(Exception):
    """A corpus can be neither read nor downloaded. The message says why, and how to obtain it."""


@dataclass(frozen=True)
class RemoteFile:
    """A file with its public address and its digest.

    Parameters
    ----------
    path : str
        Its path within the cache and within a folder of your own, such as "tinyshakespeare/input.txt".
    url : str
        The address of the folder from which it is downloaded; the last part of `path` is its name there.
    digest : str
        "sha256:" or "git:" (the id of a git blob) and hexadecimal digits.
    stand_in : RemoteFile, optional
        Another file, which a folder of your own may contain instead.
    """

    path: str
    url: str
    digest: str
    stand_in: RemoteFile | None = None

    @property
    def address(self) -> str:
        return self.url + urllib.parse.quote(Path(self.path).name)


def fetch(
    file: RemoteFile, base_url: str | None = None, cache: PathLike | None = None, timeout: float = 30
) -> Path:
    """Return the path of a verified file; download it if this machine does not have it.

    Parameters
    ----------
    file : RemoteFile
    base_url : str, optional
        The address of a mirror; `file.path` is appended to it.
    cache : path, optional
        Folder for downloads; by default the user's cache folder according to pooch.
    timeout : float
        Give up after this many seconds without an answer from the server.

    Raises
    ------
    CorpusError
        If the network is down, if the server refuses or does not answer, or if the file is not the expected
        one or cannot be written. No partial file is left behind.
    """
    own = _in_own_folder(file)
    if own is not None:
        return own
    target = Path(cache or pooch.os_cache(DISTRIBUTION)) / file.path
    if target.exists() and _difference(target, file) is None:
        return target
    address = file.address if base_url is None else f"{base_url.rstrip('/')}/{urllib.parse.quote(file.path)}"
    advice = (
        f"Try again; or download {file.address} with a browser, save it as {file.path} in a folder of your "
        "own, and set the environment variable LMMETRICS_DATA to that folder"
    )
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=target.parent, prefix="part-") as folder:
            part = Path(folder) / target.name
            download = pooch.HTTPDownloader(progressbar=True, chunk_size=1 << 16, timeout=timeout)
            download(address, str(part), None)
            difference = _difference(part, file)
            if difference is None:
                os.replace(part, target)
    except requests.RequestException as error:  # a kind of OSError, so it comes first
        raise CorpusError(
            f"{address} could not be downloaded: {_reason(error, timeout)}. {advice}"
        ) from error
    except OSError as error:
        raise CorpusError(
            f"{target} could not be written: {error}. Make room on the disk, or make the folder writable."
        ) from error
    if difference is not None:
        raise CorpusError(f"{address} gave another file than expected: {difference}. {advice}")
    return target


def _in_own_folder(file: RemoteFile) -> Path | None:
    """Return the verified file in the folder LMMETRICS_DATA, or None if it does not contain the file."""
    folder = os.environ.get("LMMETRICS_DATA")
    if not folder:
        return None
    if not Path(folder).is_dir():
        raise CorpusError(
            f"The environment variable LMMETRICS_DATA names {folder}, which does not exist. Name an "
            "existing folder, or unset the variable to have the files downloaded."
        )
    for candidate in (file, file.stand_in):
        path = Path(folder) / candidate.path if candidate else None
        if candidate and path and path.exists():
            difference = _difference(path, candidate)
            if difference is not None:
                raise CorpusError(
                    f"{path} is another file than expected: {difference}. Replace it by {file.address}, "
                    f"saved as {file.path}; or remove it, so that it is downloaded."
                )
            return path
    return None


def _difference(path: Path, file: RemoteFile) -> str | None:
    """Return None if the file has the expected digest, otherwise a phrase that says how it differs."""
    content = path.read_bytes()
    kind, expected = file.digest.split(":")
    if kind == "git":
        found = hashlib.sha1(b"blob %d\0" % len(content) + content, usedforsecurity=False).hexdigest()
    else:
        found = hashlib.sha256(content).hexdigest()
    if found == expected:
        return None
    name = {"git": "git blob id", "sha256": "sha256"}[kind]
    return (
        f"its {len(content):,} bytes have the {name} {found}, and {expected} was expected, so it was cut "
        "short or changed"
    )


def _reason(error: requests.RequestException, timeout: float) -> str:
    """Return in a few words why a request failed."""
    if isinstance(error, requests.HTTPError) and error.response is not None:
        return f"the server answered {error.response.status_code} {error.response.reason}"
    if isinstance(error, requests.Timeout) or "timed out" in str(error):
        return f"the server did not answer within {timeout:g} seconds"
    if isinstance(error, requests.exceptions.ChunkedEncodingError):
        return "the server stopped before the end of the file"
    if isinstance(error, requests.ConnectionError):
        return "no connection (is this machine online?)"
    return str(error)


_WIKITEXT = "https://raw.githubusercontent.com/pytorch/examples/main/word_language_model/data/wikitext-2/"
_FILES = (
    RemoteFile(
        "tinyshakespeare/input.txt",
        "https://raw.githubusercontent.com/karpathy/char-rnn/master/data/tinyshakespeare/",
        "sha256:86c4e6aa9db7c042ec79f339dcb96d42b0075e16b8fc2e86bf0ca57e2dc565ed",
    ),
    RemoteFile(
        "wikitext-2/train.txt",
        _WIKITEXT,
        "git:2d84b35af79e411d73ea7cae83c73964c6ac83b4",
        # The same articles in another order, so the same counts of n-grams.
        stand_in=RemoteFile(
            "wikitext-2/train.articleperm.txt",
            _WIKITEXT,
            "sha256:728c77e87e176af4730f9a80fc6008bcaff421a7202c1c048877c0eec3685f89",
        ),
    ),
    RemoteFile(
        "wikitext-2/valid.txt",
        _WIKITEXT,
        "sha256:f0737ed31fc1329026e95cb8b98e19c2a182c39c240ab909dc31abf2f8af58e8",
    ),
    RemoteFile(
        "wikitext-2/test.txt",
        _WIKITEXT,
        "sha256:d790b833ef8cf03a90db7bf1271b7520b83c45ce07ba3c1a9699df81e239eca0",
    ),
    RemoteFile(
        "tang-300/唐诗三百首.json",
        "https://raw.githubusercontent.com/chinese-poetry/chinese-poetry/master/"
        + urllib.parse.quote("全唐诗/"),
        "sha256:d77a145f7470da2ed2f79515944563c062ffc43fceda07f195a36ead66b7e5c7",
    ),
)
FILES = {file.path: file for file in _FILES}


def stored_files(folder: PathLike) -> list[Path]:
    """Return the files of the corpora that a folder contains; they are not verified."""
    files = (file for pair in _FILES for file in (pair, pair.stand_in) if file is not None)
    return [path for file in files if (path := Path(folder) / file.path).is_file()]
