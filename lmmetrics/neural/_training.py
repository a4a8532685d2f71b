"""One training loop for all neural models.

It minimises the nats per token, which is also the score. It is meant for minutes on one CPU.
"""

import hashlib
import math
import os
from collections.abc import Callable
from typing import Literal

import numpy as np
import torch
from tqdm import tqdm

from lmmetrics._checks import real_number, whole_number
from lmmetrics._progress import shown
from lmmetrics._types import PathLike
from lmmetrics.neural._base import NeuralLM
from lmmetrics.neural._history import History
from lmmetrics.neural._run import Run
from lmmetrics.neural._storage import write
from lmmetrics.neural._torch import one_thread, own_seed
from lmmetrics.text import TokenizedText
from lmmetrics.text._shared import check_text

Schedule = Literal["cosine", "constant"]
LENGTH = 64
"""The number of tokens in a piece, unless the model has a fixed context."""


def train(
    model: NeuralLM,
    text: TokenizedText,
    *,
    valid: TokenizedText | None = None,
    steps: int | None = None,
    seed: int = 0,
    seconds: float | None = None,
    batch: int = 32,
    length: int | None = None,
    lr: float = 3e-3,
    schedule: Schedule = "cosine",
    clip: float = 1.0,
    smoothing: float = 0.0,
    progress: bool = True,
    patience: int | None = None,
    every: int | None = None,
    checkpoint: PathLike | None = None,
) -> History:
    """Train a neural model on a text; return the history of the training.

    The optimiser is Adam, with gradients clipped to a norm. Afterwards the model has the weights with the
    lowest nats per token on `valid`, or without `valid` the last weights. If the training is interrupted
    (Ctrl-C, or the stop button), it stops cleanly and keeps the best weights so far.

    Parameters
    ----------
    model : FeedForwardLM, RecurrentLM, TransformerLM or SoftmaxBigram
    text : TokenizedText
        With the vocabulary of the model.
    valid : TokenizedText, optional
        Scored exactly, with dropout off, before the first step and after each `every` steps.
    steps : int, optional
        How many steps. The same steps and seed give the same weights on the same machine.
    seed : int
        The seed of the order of the text and of the dropout.
    seconds : float, optional
        Stop after this many seconds of training. The result then depends on the machine. If both are given,
        training stops at whichever comes first.
    batch, length : int
        A step reads `batch` rows of `length` tokens, and gradients go back no further than that. The default
        length is 64; that of a Transformer is always its context.
    lr : float
        The highest learning rate, reached in the first tenth of the steps (at most 100).
    schedule : {"cosine", "constant"}
        After that, the rate falls to a tenth along half a cosine, or is constant.
    clip : float
        The largest norm of a gradient; longer gradients are clipped to it.
    smoothing : float
        The share of the target that is spread evenly over all tokens (label smoothing). The loss is then not
        the cross-entropy of the text, so `History` records both the loss and the nats.
    progress : bool
        Whether to show a bar on stderr.
    patience : int, optional
        Stop after this many validations without improvement.
    every : int, optional
        Steps between two records; by default a tenth of all steps (100 if only seconds are given).
    checkpoint : path, optional
        A file that is written with each record. If it exists already, training resumes from it, and the
        final weights are those of a training without interruption.

    Returns
    -------
    History

    Raises
    ------
    ValueError
        If an argument is out of range; if `patience` is given without `valid`; if the text is empty, has
        another vocabulary or contains tokens without an id; or if the checkpoint belongs to another run.
    """
    for name, value in {"steps": steps, "length": length, "every": every, "patience": patience}.items():
        if value is not None:
            whole_number(name, value, 1)
    whole_number("batch", batch, 1)
    for name, value in {"lr": lr, "clip": clip, "seconds": seconds}.items():
        if value is not None or name != "seconds":
            real_number(name, value, lambda x: 0 < x < math.inf, "a number above 0")
    real_number("smoothing", smoothing, lambda x: 0 <= x < 1, "a number from 0 to below 1")
    if schedule not in ("cosine", "constant"):
        raise ValueError(f'schedule is {schedule!r}; "cosine" or "constant" is expected.')
    if steps is None and seconds is None:
        raise ValueError("Neither steps nor seconds is given: say how long to train, such as steps=500.")
    if patience is not None and valid is None:
        raise ValueError("There is no validation text whose scores patience could count: give valid=text.")
    length = _length(model, length)
    _check_text(model, text, "training")
    if valid is not None:
        _check_text(model, valid, "validation")
    every = every or (max(1, steps // 10) if steps else 100)
    run = Run(model, text, valid, seed, batch, length, lr, clip, smoothing)
    run.rate = _rates(lr, schedule, steps, seconds)
    settings = {
        "model": repr(model), "text": _digest(text), "valid": valid and _digest(valid), "steps": steps,
        "seconds": seconds, "seed": seed, "batch": batch, "length": length, "lr": lr, "clip": clip,
        "schedule": schedule, "smoothing": smoothing, "every": every,
    }  # fmt: skip
    with one_thread(), own_seed(seed):
        if checkpoint is not None and os.path.exists(checkpoint):
            run.load(torch.load(checkpoint, weights_only=True), settings, checkpoint)
        bar = tqdm(total=steps, initial=run.step, unit="step", **shown(progress))
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


def _rates(
    lr: float, schedule: Schedule, steps: int | None, seconds: float | None
) -> Callable[[int, float], float]:
    """Return the learning rate as a function of the steps and the seconds that have passed."""
    warmup = min(100, max(1, (steps or 1000) // 10))

    def rate(step: int, elapsed: float) -> float:
        done = max(step / steps if steps else 0.0, elapsed / seconds if seconds else 0.0)
        falling = 0.55 + 0.45 * math.cos(math.pi * min(done, 1.0)) if schedule == "cosine" else 1.0
        return lr * min(1.0, (step + 1) / warmup) * falling

    return rate


def _length(model: NeuralLM, length: int | None) -> int:
    context = next(iter(model.window_and_stride()), None)
    if context is not None and length not in (None, context):
        raise ValueError(
            f"length is {length}, but the Transformer's context is {context}: it must see all its positions "
            "in training. Leave length out, or make the model with another context."
        )
    return context or length or LENGTH


def _check_text(model: NeuralLM, text: TokenizedText, name: str) -> None:
    check_text(f"the {name} text", text, model.vocabulary)
    if len(text) == 0:
        raise ValueError(f"The {name} text has no tokens, so there is nothing to learn from or to score.")
    if (text.ids < 0).any():
        raise ValueError(
            f"The {name} text has tokens outside its vocabulary. Their probability is 0, and their nats "
            "infinite. Use a vocabulary with <unk>, or one that contains all its tokens."
        )


def _digest(text: TokenizedText) -> str:
    return hashlib.sha256(np.concatenate([text.ids, text.document_starts]).tobytes()).hexdigest()
