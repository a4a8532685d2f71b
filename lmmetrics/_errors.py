"""What errors of several packages have in common."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from typing import Self

from lmmetrics._types import PathLike


@contextlib.contextmanager
def writing(path: PathLike) -> Iterator[None]:
    """Name what is written, and not a part of it, in an error of the system; nothing of it must remain."""
    try:
        yield
    except OSError as error:
        if error.strerror is None:
            raise
        raise OSError(error.errno, f"{error.strerror}; nothing was written", os.fspath(path)) from None


class DocumentWarning(UserWarning):
    """A warning about a document by its number, from 0, for which a command puts the name: {} in ``said``."""

    def __init__(self, said: str, document: int) -> None:
        super().__init__(said.replace("{}", f"document {document}", 1))
        self.said, self.document = said, document


class AdvisedError(ValueError):
    """An error that says what is wrong, and then what to do. A command gives other advice after its `reason`.

    Parameters
    ----------
    fault, advice : str
        Whole sentences, which together are the message. In the first one {} is the document or the argument.
    topic : str
        By what name a command finds its own advice, if it has one.
    document : int, optional
        The number of the document that is wrong, from 0; a command names the file.
    line : int, optional
        The number of the line in that document, from 1.
    argument : str
        The argument that is wrong; a command names its option.
    """

    def __init__(
        self,
        fault: str,
        advice: str = "",
        topic: str = "",
        document: int | None = None,
        line: int | None = None,
        argument: str = "",
    ) -> None:
        line_of = "" if line is None else f", line {line},"
        subject = argument if document is None else f"Document {document}{line_of}"
        self.reason = fault.replace("{}", subject, 1) if subject else fault
        super().__init__(f"{self.reason} {advice}" if advice else self.reason)
        self.fault, self.advice, self.topic = fault, advice, topic
        self.document, self.line, self.argument = document, line, argument

    def moved(self, document: int, lines: int = 0) -> Self:
        """The same error in the document with this number, so many lines further down."""
        line = None if self.line is None else self.line + lines
        return type(self)(self.fault, self.advice, self.topic, document, line)
