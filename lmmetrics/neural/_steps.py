"""A network token by token: the row of the next one, then which one came."""

from __future__ import annotations

from typing import Any

import torch

from lmmetrics._types import Floats
from lmmetrics.neural._torch import one_thread


class StepByStep:
    """A network, in steps: its state is carried from token to token, or its window read again.

    Rows that are computed for a whole text in one batch differ from these in their last digits, because sums
    are then formed in another order.
    """

    def __init__(self, model: Any) -> None:
        self.model, self.eos = model, model.vocabulary.eos
        self.scorer = model._scorer()
        # no model looks further back than that, but by its state
        self.longest = getattr(model, "context", 1) + 1
        self.past: list[int] = []
        self.inputs, self.carried = model._inputs([]), None

    def start(self) -> None:
        if not self.past:
            return
        if self.model._reach(self.model.state) == "document":
            self.past, self.carried = [], None
            self.inputs = self.model._inputs([])
        elif self.past[-1] != self.eos:  # the sentence before is over, though nothing closed it
            self.past[-1] = self.eos
            self.inputs, self.carried = self.model._after(self.past, self.carried)

    def row(self) -> Floats:
        with torch.no_grad(), one_thread():
            features, self.after = self.scorer.features(torch.tensor([self.inputs]), self.carried)
            row: Floats = self.scorer._row(features)
        return row

    def read(self, id: int) -> None:
        self.past = [*self.past, id][-self.longest :]
        self.inputs, self.carried = self.model._after(self.past, self.after)
