"""A counted model token by token: the row of the next one, then which one came."""

from __future__ import annotations

from lmmetrics._types import Floats
from lmmetrics.ngram._tables import Tables

KEPT = 2**25
"""Numbers of rows that `TableReader` keeps at most: 256 MiB."""


class TableReader:
    """Reads with tables. The row of a context is made from that of a shorter context; both are kept."""

    def __init__(self, tables: Tables) -> None:
        self.tables, vocabulary = tables, tables.vocabulary
        self.bos, self.eos = vocabulary.bos, vocabulary.eos
        self.room = KEPT // len(vocabulary)
        self.kept: dict[tuple[int, ...], Floats] = {}
        self.start()

    def start(self) -> None:
        self.context: tuple[int, ...] = (self.bos,)[: self.tables.order - 1]

    def row(self) -> Floats:
        return self._row(self.context)

    def read(self, id: int) -> None:
        context = (self.bos,) if id == self.eos else (*self.context, id)
        self.context = context[max(0, len(context) - self.tables.order + 1) :]

    def _row(self, context: tuple[int, ...]) -> Floats:
        if context not in self.kept:
            if len(self.kept) >= self.room:
                self.kept.clear()
            if self.tables.evenly or not context:
                row = self.tables.row(context)
            else:
                row = self.tables.lengthened(self._row(context[1:]), context)
            self.kept[context] = row
        return self.kept[context]
