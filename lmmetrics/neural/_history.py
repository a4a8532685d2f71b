"""The record of a training run."""

from dataclasses import dataclass, field

from lmmetrics._types import Floats, Ints


@dataclass(frozen=True, eq=False)
class History:
    """The record of a training run, with R entries.

    Attributes
    ----------
    steps : int64[R]
        The step of each entry.
    train_nats : float64[R]
        Nats per token of the training text, as a mean since the previous entry: during training, dropout on.
    loss : float64[R]
        The loss that was minimised: equal to `train_nats`, unless labels were smoothed.
    valid_steps, valid_nats : int64[R + 1], float64[R + 1]
        Nats per token of the validation text, from step 0 on; empty without `valid`.
    seconds : float64[R]
        Seconds of training so far, without validation.
    tokens_per_second : float64[R]
        Since the previous entry.
    tokens : int
        The total number of tokens read.
    best_step : int
        The step whose weights the model has now.
    interrupted : bool
        Whether the training was interrupted by the user.
    """

    steps: Ints
    train_nats: Floats = field(repr=False)
    loss: Floats = field(repr=False)
    valid_steps: Ints = field(repr=False)
    valid_nats: Floats = field(repr=False)
    seconds: Floats = field(repr=False)
    tokens_per_second: Floats = field(repr=False)
    tokens: int
    best_step: int
    interrupted: bool = False

    def __repr__(self) -> str:
        end = "interrupted after" if self.interrupted else "History:"
        steps = self.steps[-1] if len(self.steps) else 0
        shown = f"{end} {steps:,} steps, {self.tokens:,} tokens"
        if len(self.steps):
            shown += f"; train {self.train_nats[-1]:.4f} nats per token"
        if len(self.valid_nats):
            shown += f"; valid {self.valid_nats.min():.4f} at step {self.best_step:,}"
        return shown
