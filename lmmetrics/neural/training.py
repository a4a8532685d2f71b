"""One training loop for all neural models.

It minimises the nats per token: the measure itself. It is made for one CPU and minutes, not for clusters.
"""

import hashlib
import math
import os
import time

import numpy as np
import torch
from tqdm import tqdm

from lmmetrics.neural._base import inputs_of
from lmmetrics.neural._batches import TrainingBatches
from lmmetrics.neural._torch import one_thread, own_seed
from lmmetrics.neural.history import History
from lmmetrics.neural.storage import write

LENGTH = 64
"""Tokens of a piece, where the model does not say."""


def train(
    model,
    text,
    valid=None,
    steps=None,
    seed=0,
    seconds=None,
    batch=32,
    length=None,
    lr=3e-3,
    schedule="cosine",
    clip=1.0,
    smoothing=0.0,
    progress=True,
    patience=None,
    every=None,
    checkpoint=None,
):
    """Train a neural model on a text; return how it went.

    Adam, with gradients cut to a norm. After it the model has the best weights that were seen: those with
    the lowest nats per token on `valid`; without `valid`, the last ones. Interrupt it (Ctrl-C, or the stop
    button) and it ends in good order, with the best weights until then.

    Parameters
    ----------
    model : FeedForwardLM, RecurrentLM, TransformerLM or SoftmaxBigram
    text : TokenizedText
        With the vocabulary of the model.
    valid : TokenizedText, optional
        Scored exactly, dropout off, before the first step and after each `every` steps.
    steps : int, optional
        How many steps. The same steps and seed give the same weights on the same machine.
    seed : int
        Of the order of the text, and of dropout.
    seconds : float, optional
        Stop after so many seconds of training: for exploring. The result then depends on the machine.
        With both, whichever comes first.
    batch, length : int
        A step reads `batch` rows of `length` tokens; gradients go back no further. The default length is 64;
        a Transformer's is its context, always.
    lr : float
        The highest learning rate, reached in the first tenth of the steps (at most 100).
    schedule : {"cosine", "constant"}
        From there: down to a tenth along half a cosine, or kept.
    clip : float
        The norm to which longer gradients are cut.
    smoothing : float
        Share of the target that is spread evenly over all tokens (label smoothing). The loss is then no
        cross-entropy (mistake M41), so `History` keeps the loss and the nats apart.
    progress : bool
        Whether to show a bar on stderr.
    patience : int, optional
        Stop when so many validations in a row were not better than the best one.
    every : int, optional
        Steps between two records; a tenth of all steps by default (100 where only seconds are given).
    checkpoint : path, optional
        A file that is written with each record. Where it is there already, training goes on from it, and the
        weights come out as if it had never stopped.

    Returns
    -------
    History

    Raises
    ------
    ValueError
        When an argument is impossible, the text is empty, has another vocabulary or tokens without an id,
        or the checkpoint belongs to another run.
    """
    length = _length(model, length)
    _check(model, text, valid, steps, seconds, schedule, smoothing)
    every = every or (max(1, steps // 10) if steps else 100)
    run = _Run(model, text, valid, seed, batch, length, lr, clip, smoothing)
    run.rate = _rates(lr, schedule, steps, seconds)
    settings = {
        "model": repr(model), "text": _digest(text), "valid": valid and _digest(valid), "steps": steps,
        "seconds": seconds, "seed": seed, "batch": batch, "length": length, "lr": lr, "clip": clip,
        "schedule": schedule, "smoothing": smoothing, "every": every,
    }  # fmt: skip
    with one_thread(), own_seed(seed):
        if checkpoint is not None and os.path.exists(checkpoint):
            run.load(torch.load(checkpoint, weights_only=True), settings, checkpoint)
        bar = tqdm(total=steps, initial=run.step, unit="step", disable=not progress)
        try:
            if run.step == 0:
                run.validate()
            while not run.finished(steps, seconds, patience):
                run.advance()
                if progress:
                    bar.update()
                    bar.set_postfix_str(run.news(), refresh=False)
                if run.step % every == 0 or run.finished(steps, seconds, None):
                    run.record()
                    if checkpoint is not None:
                        write(run.state_dict(settings), checkpoint)
        except KeyboardInterrupt:
            run.interrupted = True
        finally:
            bar.close()
    return run.history()


class _Run:
    """A training run between two steps: all that must be kept to go on from there."""

    def __init__(self, model, text, valid, seed, batch, length, lr, clip, smoothing):
        self.model, self.valid, self.clip, self.smoothing = model, valid, clip, smoothing
        head = model.head
        if hasattr(head, "sort_by") and not head.sorted:
            head.sort_by(np.bincount(text.ids, minlength=len(text.vocabulary)))
        model._spelling = text._pieces, text._separator
        self.inputs, self.targets = torch.from_numpy(inputs_of(text)), torch.from_numpy(text.ids).long()
        self.batches = TrainingBatches(text, model._reach(model.state), batch, length, seed)
        self.optimizer = torch.optim.Adam(model.parameters(), lr=lr, betas=(0.9, 0.99))
        self.memory, self.best, self.interrupted = None, None, False
        self.step = self.best_step = self.tokens = self.bad = 0
        self.seconds = 0.0
        self.records, self.validations = [], []  # one row each: see `history`
        self._reset()

    def advance(self):
        """Make one step."""
        start, model = time.perf_counter(), self.model.train()
        positions, mask, fresh = next(self.batches)
        if self.memory is not None:
            self.memory = model.restart(self.memory, fresh)
        for group in self.optimizer.param_groups:
            group["lr"] = self.rate(self.step, self.seconds)
        features, memory = model.features(self.inputs[positions], self.memory)
        self.memory = _detached(memory)
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

    def record(self):
        """Write down the means since the record before, and validate."""
        tokens, nats, loss = self.sums
        speed = tokens / max(self.seconds - self.since, 1e-9)
        self.records.append([*map(float, (self.step, nats / tokens, loss / tokens, self.seconds, speed))])
        self.validate()
        self._reset()

    def validate(self):
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

    def finished(self, steps, seconds, patience):
        return (
            (steps is not None and self.step >= steps)
            or (seconds is not None and self.seconds >= seconds)
            or (patience is not None and self.bad >= patience)
        )

    def news(self):
        tokens, nats, _ = self.sums if self.sums[0] else (1, math.nan, 0)
        speed = tokens / max(self.seconds - self.since, 1e-9)
        return f"{nats / tokens / math.log(2):.3f} bits per token, {speed:,.0f} tokens/s"

    def history(self):
        """Put the best weights into the model and return what happened."""
        if self.best is not None:
            self.model.load_state_dict(self.best)
        self.model.eval()
        steps, nats, loss, seconds, speed = np.array(self.records).reshape(-1, 5).T
        valid_steps, valid_nats = np.array(self.validations).reshape(-1, 2).T
        return History(
            steps.astype(np.int64), nats, loss, valid_steps.astype(np.int64), valid_nats, seconds, speed,
            self.tokens, self.best_step if self.valid is not None else self.step, self.interrupted,
        )  # fmt: skip

    def state_dict(self, settings):
        kept = {name: getattr(self, name) for name in KEPT}
        parts = {name: getattr(self, name).state_dict() for name in ("model", "optimizer", "batches")}
        return {"settings": settings, "kept": kept, **parts, "dropout": torch.get_rng_state()}

    def load(self, saved, settings, path):
        different = [name for name in settings if saved["settings"].get(name) != settings[name]]
        if different:
            raise ValueError(
                f"the checkpoint {path} belongs to another run: {', '.join(different)} differ. Give the same "
                "arguments to go on with it, or another file to start anew"
            )
        for name in ("model", "optimizer", "batches"):
            getattr(self, name).load_state_dict(saved[name])
        for name, value in saved["kept"].items():
            setattr(self, name, value)
        self._reset()
        torch.set_rng_state(saved["dropout"])

    def _reset(self):
        self.sums, self.since = np.zeros(3), self.seconds  # tokens, nats, loss since the last record


KEPT = "memory", "best", "step", "best_step", "tokens", "bad", "seconds", "records", "validations"


def _rates(lr, schedule, steps, seconds):
    """Return the learning rate as a function of the steps and the seconds that have passed."""
    warmup = min(100, max(1, (steps or 1000) // 10))

    def rate(step, elapsed):
        done = max(step / steps if steps else 0.0, elapsed / seconds if seconds else 0.0)
        falling = 0.55 + 0.45 * math.cos(math.pi * min(done, 1.0)) if schedule == "cosine" else 1.0
        return lr * min(1.0, (step + 1) / warmup) * falling

    return rate


def _length(model, length):
    context = model._window()[0] if model._window() else None
    if context is not None and length not in (None, context):
        raise ValueError(
            f"length is {length}, but the Transformer's context is {context}: it must see all its positions "
            "in training. Leave length out, or make the model with another context"
        )
    return context or length or LENGTH


def _check(model, text, valid, steps, seconds, schedule, smoothing):
    model._check(text)
    if valid is not None:
        model._check(valid)
    if steps is None and seconds is None:
        raise ValueError("neither steps nor seconds is given: say how long to train, such as steps=500")
    if schedule not in ("cosine", "constant"):
        raise ValueError(f'schedule is {schedule!r}; it is "cosine" or "constant"')
    if not 0 <= smoothing < 1:
        raise ValueError(f"smoothing is {smoothing!r}; a number from 0 to below 1 is expected")
    if len(text) == 0 or (text.ids < 0).any():
        raise ValueError(
            "the training text has no tokens, or tokens that its vocabulary does not hold: their probability "
            "is 0 and cannot be learned. Use a vocabulary with <unk>, or the vocabulary of this text"
        )


def _predictable(model):
    return torch.arange(len(model.vocabulary)) != model.vocabulary.bos


def _detached(memory):
    return tuple(m.detach() for m in memory) if isinstance(memory, tuple) else (
        None if memory is None else memory.detach()
    )  # fmt: skip


def _digest(text):
    return hashlib.sha256(np.concatenate([text.ids, text.document_starts]).tobytes()).hexdigest()
