"""What all neural models have in common: turning a text into inputs, scoring, and sampling.

A model defines `features`, which turns inputs into features, and has a `head`, which turns features into
probabilities. Everything else is here. `lmmetrics.neural._batches` cuts a text into batches.
"""

from __future__ import annotations

import copy
import json
import math
from collections.abc import Callable, Iterable, Sequence
from threading import Lock
from typing import Any, Self

import numpy as np
import sympy
import torch
from torch import Tensor, nn

from lmmetrics._checks import generator, real_number, whole_number
from lmmetrics._digest import sha256_of
from lmmetrics._predictor import Predictor
from lmmetrics._types import Bools, Floats, PathLike, Seed
from lmmetrics.neural._batches import STATES, Reach, inputs_of, scoring_batches
from lmmetrics.neural._heads import Head
from lmmetrics.neural._torch import one_thread
from lmmetrics.text import Spelling, TokenizedText, Vocabulary
from lmmetrics.text._shared import check_text

Carried = Tensor | tuple[Tensor, Tensor] | None
"""What a model carries from some inputs to the next: an LSTM two tensors, a model without a memory None."""

_LOCK = Lock()
"""Threads that score with one model wait for its one copy in float64."""
ROW_ELEMENTS = 2**22
"""The number of probabilities in memory at one time while scoring: rows of V numbers, 32 MiB in float64."""


class NeuralLM(Predictor, nn.Module):
    """The base class of all neural models.

    The model reads inputs x and predicts tokens w. They have the same length: x[t] is the token before w[t],
    or `<s>` if w[t] is the first token of a sentence.

    A kind of model derives from this class and defines `features`, ``head``, `sizes` and `parameter_formula`;
    a model that carries something from input to input also defines `restart`.

    Attributes
    ----------
    vocabulary : Vocabulary
    spelling : Spelling
        How its tokens are written; after training, those of the training text.
    head : Head
        Turns features into probabilities: ``head.log_probs``, ``head.nats``.
    state : {"carry", "document", "sentence"}
        How far back the context reaches: over the whole text, or to the start of the document or of the
        sentence. It may be changed at any time.
    """

    context_starts = "text"
    head: Head
    state: Reach
    _copy: tuple[list[Any], list[Tensor], Self] | None = None

    def __init__(self, vocabulary: Vocabulary, state: Reach, **config: Any) -> None:
        super().__init__()
        if not hasattr(vocabulary, "predictable"):
            raise TypeError(
                f"vocabulary is {type(vocabulary).__name__}; a Vocabulary is expected: text.vocabulary."
            )
        self.vocabulary, self.config = vocabulary, config
        self.state = state
        self.spelling = Spelling(vocabulary.tokens, " ")

    def features(self, inputs: Tensor, carried: Carried = None) -> tuple[Tensor, Carried]:
        """Turn input ids int64[B, T] into features [B, T, H]; also return what the next need of them."""
        raise NotImplementedError

    def forward(self, inputs: Tensor, carried: Carried = None) -> Tensor:
        """Return the logits of the next token at each position: [B, T, V], with ``-inf`` for `<s>`."""
        return self.head.logits(self.features(inputs, carried)[0])

    def log_probs(self, text: TokenizedText, state: Reach | None = None, batch: int = 8192) -> Floats:
        """Return ln p of each token of a text, given the tokens before it as far back as `state` says.

        Each token is scored exactly once, in float64, with dropout off, even in training mode.

        Parameters
        ----------
        text : TokenizedText
            N tokens, with the vocabulary of the model.
        state : {"carry", "document", "sentence"}, optional
            Replaces ``model.state`` in this call.
        batch : int
            How many tokens are scored together. It affects memory and speed, but not the result.

        Returns
        -------
        float64[N]
            Natural logs; ``-inf`` for a token that is not in a vocabulary without `<unk>`.
        """
        check_text("text", text, self.vocabulary)
        reach = self.reach_of(self.state if state is None else checked_state(state))
        inputs, targets = torch.from_numpy(inputs_of(text)), torch.from_numpy(text.ids.astype(np.int64))
        scorer, log_probs, carried = self.scorer(), np.empty(len(text)), None
        with torch.no_grad(), one_thread():
            for positions, scored, fresh in scoring_batches(text, reach, batch, *self.window_and_stride()):
                features, carried = scorer.features(inputs[positions], None if fresh else carried)
                places = positions[scored]
                log_probs[places] = -scorer._nats(features[torch.from_numpy(scored)], targets[places])
        return log_probs

    @property
    def protocol(self) -> dict[str, str]:
        """What a protocol card says about the past that the model sees."""
        reach = {"carry": "of the text", "document": "of its document", "sentence": "of its sentence"}
        window = ", in windows of {} tokens, moved by {}" if self.window_and_stride() else ""
        past = f"the tokens before it, from the beginning {reach[self.state]}{window}"
        return {"past": past.format(*self.window_and_stride())}

    def next_distribution(self, context: Sequence[str] = ()) -> Floats:
        """Return p(w | context) for every w of the vocabulary: float64[V], by id; it sums to 1.

        Parameters
        ----------
        context : list of str
            All tokens before the next one, from the start of the text; each `</s>` ends a sentence. `<s>` may
            be left out, so ``[]`` is the start of the text. (An `NGramModel` takes a context without `<s>`
            for a place anywhere in a sentence.)

        Returns
        -------
        float64[V]
            The entry of `<s>` is 0.
        """
        inputs = self.inputs_after(self._ids(context))
        scorer = self.scorer()
        with torch.no_grad(), one_thread():
            return last_row(scorer, scorer.features(torch.tensor([inputs]))[0])

    def reader(self, vocabulary: Vocabulary | None = None) -> NetworkReader:
        return NetworkReader(self)

    def sample(
        self, n: int, seed: Seed, temperature: float = 1.0, context: Sequence[str] = ("<s>",)
    ) -> TokenizedText:
        """Draw n tokens, one after the other.

        Parameters
        ----------
        n : int
            How many tokens, `</s>` included.
        seed : int or numpy.random.Generator
        temperature : float
            Above 0. Log probabilities are divided by it: 1 is the model's own distribution.
        context : list of str
            The tokens before the first one drawn.

        Returns
        -------
        TokenizedText
            One document of n tokens, ready to be scored.
        """
        n = whole_number("n", n, 0)
        real_number("temperature", temperature, lambda t: 0 < t < math.inf, "a finite number above 0")
        rng, scorer = generator(seed), self.scorer()
        past, drawn = self._ids(context), []
        inputs, carried = self.inputs_after(past), None
        with torch.no_grad(), one_thread():
            for _ in range(n):
                features, carried = scorer.features(torch.tensor([inputs]), carried)
                with np.errstate(divide="ignore"):
                    weights = np.log(last_row(scorer, features)) / temperature
                cumulative = np.cumsum(np.exp(weights - weights.max()))
                # The last sum is the total up to rounding; a draw below it never selects a probability of 0.
                drawn.append(int(np.searchsorted(cumulative, rng.random() * cumulative[-1], side="right")))
                inputs, carried = self.next_inputs(past + drawn, carried)
        return TokenizedText.from_ids(drawn, self.vocabulary, self.spelling)

    @property
    def sizes(self) -> dict[str, int]:
        """The values of the symbols in `parameter_formula`, by name: "V" is the size of the vocabulary."""
        raise NotImplementedError

    @property
    def parameter_formula(self) -> sympy.Expr:
        """`parameter_count` as a formula in the sizes of the model."""
        raise NotImplementedError

    @property
    def parameter_count(self) -> int:
        """Number of parameters; a shared matrix counts once."""
        return sum(parameter.numel() for parameter in self.parameters())

    @property
    def memory(self) -> int:
        """Bytes of the parameters."""
        return sum(parameter.nbytes for parameter in self.parameters())

    @property
    def digest(self) -> str:
        """The SHA-256 of vocabulary, options and weights: everything that the probabilities depend on."""
        said = json.dumps([list(self.vocabulary.tokens), str(self.state)])
        return sha256_of((type(self).__name__, repr(self), said), self.state_dict())

    def save(self, path: PathLike) -> None:
        """Write the model to a file; `lmmetrics.neural.load` reads it."""
        from lmmetrics.neural._storage import save

        save(self, path)

    def __setattr__(self, name: str, value: Any) -> None:
        if name == "state":
            checked_state(value)
        super().__setattr__(name, value)

    def extra_repr(self) -> str:
        options = ", ".join(f"{name}={value!r}" for name, value in self.config.items())
        count = f"{self.parameter_count:,} parameters"
        return f"V={len(self.vocabulary):,}, {options}, state={self.state!r}; {count}"

    # What a kind of model may override

    def reach_of(self, state: Reach) -> Reach:
        """Where training and scoring reset the context. The feed-forward model needs no reset."""
        return state

    def window_and_stride(self) -> tuple[int, ...]:
        """(tokens of a window, stride) for a model that carries nothing; else an empty tuple."""
        return ()

    def inputs_after(self, past: Iterable[int]) -> list[int]:
        """The input ids that predict the token after `past`, from the start of the context."""
        past, bos, eos = list(past), self.vocabulary.bos, self.vocabulary.eos
        if self.reach_of(self.state) == "sentence" and eos in past:
            past = past[len(past) - past[::-1].index(eos) :]
        return [bos] + [bos if id == eos else id for id in past]

    def next_inputs(self, past: list[int], carried: Carried) -> tuple[list[int], Carried]:
        """Inputs, and what is carried, for the token after `past`, whose last is not yet in `carried`."""
        if self.reach_of(self.state) == "sentence" and past[-1] == self.vocabulary.eos:
            carried = None
        return self.inputs_after(past)[-1:], carried

    def restart(self, carried: Carried, fresh: Bools) -> Carried:
        """Return what is carried, reset in the rows bool[B] that start a new segment."""
        return None

    # Helpers

    def _ids(self, context: Sequence[str], name: str = "context") -> list[int]:
        """The ids of a context without `<s>`, which `inputs_after` adds."""
        return [id for id in super()._ids(context, name) if id != self.vocabulary.bos]

    def scorer(self) -> Self:
        """A copy in float64 for scoring, with dropout off: the last one, if the model is still the same.

        The weights themselves are compared: ``weight.data = ...`` does not change PyTorch's version counter.
        """
        weights = [*self.parameters(), *self.buffers()]
        options = [
            value
            for module in self.modules()
            for name, value in [("type", type(module)), *vars(module).items()]
            if name[0] != "_" and name != "training"
        ]
        with _LOCK:
            if self._copy is None or not (
                _same(options, self._copy[0], lambda a, b: a is b) and _same(weights, self._copy[1], _equal)
            ):
                self._copy = None  # so that there are never two
                made = copy.deepcopy(self, {id(self.vocabulary): self.vocabulary}).cpu().double().eval()
                self._copy = options, [weight.detach().clone() for weight in weights], made
            return self._copy[2]

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "_copy"}

    def _nats(self, features: Tensor, targets: Tensor) -> Floats:
        """Surprisals float64[M] of targets [M] from features [M, H], computed a few rows at a time."""
        rows = max(1, ROW_ELEMENTS // len(self.vocabulary))
        parts = [
            self.head.nats(features[i : i + rows], targets[i : i + rows].clamp(min=0))
            for i in range(0, len(targets), rows)
        ]
        return torch.where(targets < 0, torch.inf, torch.cat(parts)).numpy() if parts else np.zeros(0)


class NetworkReader:
    """Reads with a network, in steps: its state is carried from token to token, or its window read again.

    Rows that are computed for a whole text in one batch differ from these in their last digits, because sums
    are then formed in another order.
    """

    def __init__(self, model: NeuralLM) -> None:
        self.model, self.eos = model, model.vocabulary.eos
        self.scorer = model.scorer()
        # no model looks further back than that, but by its state
        self.longest = getattr(model, "context", 1) + 1
        self.past: list[int] = []
        self.inputs = model.inputs_after([])
        self.carried: Carried = None

    def start(self) -> None:
        if not self.past:
            return
        if self.model.reach_of(self.model.state) == "document":
            self.past, self.carried = [], None
            self.inputs = self.model.inputs_after([])
        elif self.past[-1] != self.eos:  # the sentence before is over, though nothing closed it
            self.past[-1] = self.eos
            self.inputs, self.carried = self.model.next_inputs(self.past, self.carried)

    def row(self) -> Floats:
        with torch.no_grad(), one_thread():
            features, self.after = self.scorer.features(torch.tensor([self.inputs]), self.carried)
            return last_row(self.scorer, features)

    def read(self, id: int) -> None:
        self.past = [*self.past, id][-self.longest :]
        self.inputs, self.carried = self.model.next_inputs(self.past, self.after)


def last_row(model: NeuralLM, features: Tensor) -> Floats:
    """Probabilities after the last position: float64[V]."""
    return model.head.log_probs(features[0, -1:])[0].exp().numpy()


def _same(a: list[Any], b: list[Any], same: Callable[[Any, Any], bool]) -> bool:
    return len(a) == len(b) and all(map(same, a, b))


def _equal(a: Tensor, b: Tensor) -> bool:
    return a.dtype == b.dtype and a.device == b.device and torch.equal(a, b)


def checked_state(state: Any) -> Reach:
    if state not in STATES:
        raise ValueError(f"state is {state!r}; it is one of {', '.join(map(repr, STATES))}.")
    return state
