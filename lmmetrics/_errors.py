"""What errors of several packages have in common."""

from __future__ import annotations

from typing import Self


class AdvisedError(ValueError):
    """An error that says what is wrong, and then what to do. A command gives other advice after its `reason`.

    Parameters
    ----------
    reason, advice : str
        Whole sentences, which together are the message.
    topic : str
        By what name a command finds its own advice, if it has one.
    """

    def __init__(self, reason: str, advice: str = "", topic: str = "") -> None:
        super().__init__(f"{reason} {advice}" if advice else reason)
        self.reason, self.advice, self.topic = reason, advice, topic


class DocumentError(AdvisedError):
    """An error in one of the documents; a command names the file instead of the number.

    Parameters
    ----------
    fault, advice, topic : str
        As in `AdvisedError`; the fault is what is said after the name of the document.
    document : int
        Its number, from 0.
    line : int, optional
        The number of the line in it, from 1.
    """

    def __init__(
        self, fault: str, advice: str = "", topic: str = "", document: int = 0, line: int | None = None
    ) -> None:
        place = f"Document {document}" + (f", line {line}," if line else "")
        super().__init__(f"{place} {fault}", advice, topic)
        self.fault, self.document, self.line = fault, document, line

    def moved(self, document: int, lines: int = 0) -> Self:
        """The same error in the document with this number, so many lines further down."""
        line = self.line + lines if self.line else None
        return type(self)(self.fault, self.advice, self.topic, document, line)
