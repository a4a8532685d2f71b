"""A training run: single steps, records, and the state from which it can be resumed."""

import math
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from torch import Tensor

from lmmetrics._types import PathLike
from lmmetrics.neural._base import Carried, NeuralLM
from lmmetrics.neural._batches import TrainingBatches, inputs_of
from lmmetrics.neural._heads import AdaptiveSoftmax
from lmmetrics.neural._history import History
from lmmetrics.text import TokenizedText

KEPT = "best", "step", "best_step", "tokens", "bad", "seconds", "records", "validations"
"""A checkpoint contains these, what is carried, weights, optimiser, place in the text and random state."""


class Run:
    """A training run between two steps, with the state from which it can be resumed."""

    rate: Callable[[int, float], float]  # the learning rate, from the step and the seconds so far

    def __init__(
        self,
        model: NeuralLM,
        text: TokenizedText,
        valid: TokenizedText | None,
        seed: int,
        batch: int,
        length: int,
        lr: float,
        clip: float,
        smoothing: float,
    ) -> None:
        self.model, self.valid, self.clip, self.smoothing = model, valid, clip, smoothing
        head = model.head
        if isinstance(head, AdaptiveSoftmax) and not head.sorted:
            head.sort_by(np.bincount(text.ids, minlength=len(text.vocabulary)))
        model.spelling = text.spelling._replace(label="model")
        self.inputs, self.targets = torch.from_numpy(inputs_of(text)), torch.from_numpy(text.ids).long()
        self.batches = TrainingBatches(text, model.reach_of(model.state), batch, length, seed)
        self.optimizer = torch.optim.Adam(model.parameters(), lr=lr, betas=(0.9, 0.99))
        self.carried: Carried = None
        self.best: dict[str, Tensor] | None = None
        self.interrupted = False
        self.step = self.best_step = self.tokens = self.bad = 0
        self.seconds = 0.0
        self.records: list[list[float]] = []  # one row each: see `History`
        self.validations: list[list[float]] = []
        self._reset()

    def advance(self) -> None:
        """Make one training step."""
        start, model = time.perf_counter(), self.model.train()
        positions, mask, fresh = next(self.batches)
        if self.carried is not None:
            self.carried = model.restart(self.carried, fresh)
        for group in self.optimizer.param_groups:
            group["lr"] = self.rate(self.step, self.seconds)
        features, carried = model.features(self.inputs[positions], self.carried)
        self.carried = _detached(carried)
        features, targets = features[torch.from_numpy(mask)], self.targets[positions[mask]]
        nats = model.head.nats(features, targets).mean()
        loss = nats
        if self.smoothing:
            spread = -model.head.log_probs(features)[:, _predictable(model)].mean()
            loss = (1 - self.smoothing) * nats + self.smoothing * spread
        self.optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), self.clip)
        self.optimizer.step()
        self.step, self.tokens = self.step + 1, self.tokens + len(targets)
        self.sums += np.array([len(targets), len(targets) * nats.item(), len(targets) * loss.item()])
        self.seconds += time.perf_counter() - start

    def record(self) -> None:
        """Record the means since the last record, and validate."""
        tokens, nats, loss = self.sums
        speed = tokens / max(self.seconds - self.since, 1e-9)
        self.records.append([*map(float, (self.step, nats / tokens, loss / tokens, self.seconds, speed))])
        self.validate()
        self._reset()

    def validate(self) -> None:
        if self.valid is None:
            self.best_step = self.step
            return
        nats = -float(self.model.log_probs(self.valid).mean())
        best = min((row[1] for row in self.validations), default=math.inf)
        self.validations.append([self.step, nats])
        self.bad = 0 if nats < best else self.bad + 1
        if self.bad == 0:
            self.best_step = self.step
            self.best = {name: value.clone() for name, value in self.model.state_dict().items()}

    def finished(self, steps: int | None, seconds: float | None, patience: int | None) -> bool:
        return (
            (steps is not None and self.step >= steps)
            or (seconds is not None and self.seconds >= seconds)
            or (patience is not None and self.bad >= patience)
        )

    def news(self) -> str:
        tokens, nats, _ = self.sums if self.sums[0] else (1, math.nan, 0)
        speed = tokens / max(self.seconds - self.since, 1e-9)
        return f"{nats / tokens / math.log(2):.3f} bits per token, {speed:,.0f} tokens/s"

    def history(self) -> History:
        """Give the model its best weights, and return the record of the training."""
        if self.best is not None:
            self.model.load_state_dict(self.best)
        self.model.eval()
        steps, nats, loss, seconds, speed = np.array(self.records).reshape(-1, 5).T
        valid_steps, valid_nats = np.array(self.validations).reshape(-1, 2).T
        return History(
            steps.astype(np.int64), nats, loss, valid_steps.astype(np.int64), valid_nats, seconds, speed,
            self.tokens, self.best_step if self.valid is not None else self.step, self.interrupted,
        )  # fmt: skip

    def state_dict(self, settings: dict[str, Any]) -> dict[str, Any]:
        kept = {name: getattr(self, name) for name in KEPT} | {"memory": self.carried}
        parts = {name: getattr(self, name).state_dict() for name in ("model", "optimizer", "batches")}
        return {"settings": settings, "kept": kept, **parts, "dropout": torch.get_rng_state()}

    def load(self, saved: dict[str, Any], settings: dict[str, Any], path: PathLike) -> None:
        different = [name for name in settings if saved["settings"].get(name) != settings[name]]
        if different:
            raise ValueError(
                f"The checkpoint {path} belongs to another run: {', '.join(different)} differ. Give the same "
                "arguments to continue it, or another file to start again."
            )
        for name in ("model", "optimizer", "batches"):
            getattr(self, name).load_state_dict(saved[name])
        for name in KEPT:
            setattr(self, name, saved["kept"][name])
        self.carried = saved["kept"]["memory"]
        self._reset()
        torch.set_rng_state(saved["dropout"])

    def _reset(self) -> None:
        self.sums, self.since = np.zeros(3), self.seconds  # tokens, nats, loss since the last record


def _predictable(model: NeuralLM) -> Tensor:
    return torch.arange(len(model.vocabulary)) != model.vocabulary.bos


def _detached(carried: Carried) -> Carried:
    if isinstance(carried, tuple):  # an LSTM has two
        first, second = carried
        return first.detach(), second.detach()
    return None if carried is None else carried.detach()
