"""Neural language models: feed-forward, recurrent and Transformer, with one training loop.

Each is a `torch.nn.Module` and a `lmmetrics.LanguageModel`: ``log_probs(text)`` returns the natural log of
each token's probability. Training is in float32. Scoring is in float64, with dropout off.

Examples
--------
>>> from lmmetrics import neural, score_text
>>> from lmmetrics.text import tokenize
>>> text = tokenize(["the cat sleeps\\nthe cat eats\\nthe dog sleeps\\n"])
>>> model = neural.RecurrentLM(text.vocabulary, cell="gru", width=16, state="sentence")
>>> print(f"{score_text(model, text).perplexity:.1f} of {text.vocabulary.predictable}, before training")
7.0 of 7, before training
>>> history = neural.train(model, text, steps=150, lr=0.02, progress=False)
>>> score_text(model, text).perplexity < 2
True
"""

from lmmetrics.neural import _torch  # noqa: F401 - first, because its error says what to install
from lmmetrics.neural._base import NeuralLM
from lmmetrics.neural._batches import inputs_of
from lmmetrics.neural._feedforward import FeedForwardLM, SoftmaxBigram
from lmmetrics.neural._history import History
from lmmetrics.neural._loading import load
from lmmetrics.neural._recurrent import RecurrentLM
from lmmetrics.neural._training import train
from lmmetrics.neural._transformer import TransformerLM

__all__ = [
    "FeedForwardLM",
    "History",
    "NeuralLM",
    "RecurrentLM",
    "SoftmaxBigram",
    "TransformerLM",
    "inputs_of",
    "load",
    "train",
]
