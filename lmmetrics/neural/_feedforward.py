"""The feed-forward model, with a window of embeddings and one hidden layer, and the softmax bigram.

The model is that of Bengio et al. 2003, without their direct connections from the embeddings to the output.
"""

from typing import Any, cast

import sympy
import torch
from torch import Tensor, nn

from lmmetrics._types import Bools
from lmmetrics.neural._base import Carried, NeuralLM
from lmmetrics.neural._batches import Reach
from lmmetrics.neural._heads import Embedding, Identity, Softmax
from lmmetrics.neural._torch import own_seed
from lmmetrics.text import Vocabulary


class WindowLM(NeuralLM):
    """Reads a window of the last tokens of the sentence: their embeddings, and a hidden layer if it has one.

    Parameters
    ----------
    vocabulary : Vocabulary
    window : int
        How many tokens a window contains.
    **config
        The options with which `lmmetrics.neural.load` makes the model again.
    """

    embedding: Embedding
    hidden: nn.Linear | None

    def __init__(self, vocabulary: Vocabulary, window: int, **config: Any) -> None:
        super().__init__(vocabulary, "sentence", **config)
        self.context, self.hidden = window, None

    def features(self, inputs: Tensor, carried: Carried = None) -> tuple[Tensor, Carried]:
        windows, carried = self.windows(inputs, cast(Tensor | None, carried))  # [B, T, context]
        embedded = self.embedding(windows).flatten(2)  # [B, T, context * width]
        return (torch.tanh(self.hidden(embedded)) if self.hidden else embedded), carried  # [B, T, hidden]

    def windows(self, inputs: Tensor, carried: Tensor | None = None) -> tuple[Tensor, Tensor]:
        """Return for each input the last `context` inputs; those before the sentence are `<s>`.

        [B, T] to [B, T, context]; carried are the last context - 1 inputs, [B, context - 1].
        """
        bos = self.vocabulary.bos
        if carried is None:
            carried = inputs.new_full((len(inputs), self.context - 1), bos)
        stream = torch.cat([carried, inputs], dim=1)
        windows = stream.unfold(1, self.context, 1)
        starts_after = (windows == bos).flip(-1).cumsum(-1).flip(-1) - (windows == bos).long()
        return windows.masked_fill(starts_after > 0, bos), stream[:, stream.shape[1] - self.context + 1 :]

    def restart(self, carried: Carried, fresh: Bools) -> Carried:
        return cast(Tensor, carried).masked_fill(torch.as_tensor(fresh)[:, None], self.vocabulary.bos)

    def reach_of(self, state: Reach) -> Reach:
        return "carry"  # the windows themselves end at the start of a sentence


class FeedForwardLM(WindowLM):
    """Predict the next token from the embeddings of the last ones: h = tanh(A e + d), softmax of W h + b.

    Like a counted model of order context + 1, it reads tokens of the current sentence only. Missing places
    are filled with `<s>`.

    Parameters
    ----------
    vocabulary : Vocabulary
    context : int
        How many previous tokens it reads.
    width : int
        The dimension of the embeddings.
    hidden : int
        The number of hidden units. With 0 the embeddings are the input of the softmax.
    seed : int
        The seed of the initial weights.

    Examples
    --------
    >>> from lmmetrics.text import Vocabulary
    >>> model = FeedForwardLM(Vocabulary(["a", "b", "c"]), context=2, width=4, hidden=5)
    >>> model.parameter_formula
    V*d + V*(h + 1) + h*(c*d + 1)
    >>> model.parameter_formula.subs(model.sizes), model.parameter_count
    (105, 105)
    """

    def __init__(
        self, vocabulary: Vocabulary, context: int = 4, width: int = 64, hidden: int = 128, seed: int = 0
    ) -> None:
        super().__init__(vocabulary, context, context=context, width=width, hidden=hidden, seed=seed)
        with own_seed(seed):
            self.embedding = Embedding(vocabulary, width)
            self.hidden = nn.Linear(context * width, hidden) if hidden else None
            self.head = Softmax(hidden or context * width, vocabulary)

    @property
    def sizes(self) -> dict[str, int]:
        config = self.config
        return {"V": len(self.vocabulary), "c": self.context, "d": config["width"], "h": config["hidden"]}

    @property
    def parameter_formula(self) -> sympy.Expr:
        V, c, d, h = sympy.symbols("V c d h")
        if self.hidden is None:
            return V * d + V * (c * d + 1)
        return V * d + h * (c * d + 1) + V * (h + 1)


class SoftmaxBigram(WindowLM):
    """A bigram model that is trained: a row of V logits for each previous token, without a hidden layer.

    Examples
    --------
    >>> from lmmetrics.text import Vocabulary
    >>> SoftmaxBigram(Vocabulary(["a", "b", "c"])).parameter_count
    36
    """

    def __init__(self, vocabulary: Vocabulary, seed: int = 0) -> None:
        super().__init__(vocabulary, 1, seed=seed)
        with own_seed(seed):
            self.embedding = Embedding(vocabulary, len(vocabulary))
            self.head = Identity(vocabulary)

    @property
    def sizes(self) -> dict[str, int]:
        return {"V": len(self.vocabulary)}

    @property
    def parameter_formula(self) -> sympy.Expr:
        return sympy.Symbol("V") ** 2
