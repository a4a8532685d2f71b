"""The races of chapter 08: two texts of words, a table and a network on each, by one protocol.

The page runs some of them; ``lmcourse/measuring/racing.py`` runs them with several seeds and draws of
training documents, and stores what it found.
"""

from collections import Counter

import numpy as np
import torch

from lmmetrics import corpora, neural, score_text
from lmmetrics.ngram import ModifiedKneserNey, NGramModel
from lmmetrics.text import Vocabulary, tokenize

TEXTS = {"tales-en": "tales", "numpy-docs": "documentation"}
ORDERS = range(1, 9)
NETWORKS = {
    "tales-en": {"width": 96, "dropout": 0.5, "adaptive": [300], "steps": 400, "batch": 16, "rate": 0.02},
    "numpy-docs": {
        "width": 128,
        "dropout": 0.3,
        "adaptive": [500, 1500],
        "steps": 450,
        "batch": 32,
        "rate": 0.02,
    },
}
"""Of each text: the GRU and its training. The rate was chosen on the valid documents."""
LENGTH = 32
SMALL = {"width": 32, "layers": 2, "heads": 4, "context": 32, "steps": 400, "rate": 0.005}
"""The networks of the agreement source, a GRU of one layer and a Transformer, and their training."""
LONG_FLOOR_STEPS = 3000
"""The steps of a second training on the agreement source, which is long enough to find the subject."""
SHARES = 1 / 16, 1 / 8, 1 / 4, 1 / 2
"""The parts of the training documents in the learning curves, whose last point has all."""


class Words:
    """A corpus as words: the vocabulary is what occurs twice in its training text; the rest is `<unk>`."""

    def __init__(self, name):
        self.name, self.documents = name, corpora.load(name)
        often = Counter(tokenize(self.documents.train).strings())
        del often["</s>"]
        self.vocabulary = Vocabulary([word for word, count in often.items() if count >= 2])
        self.train, self.valid, self.test = (
            tokenize(part, vocabulary=self.vocabulary)
            for part in (self.documents.train, self.documents.valid, self.documents.test)
        )

    def some(self, share, seed):
        """Training text of a share of the documents, drawn at random."""
        count = max(2, round(share * len(self.documents.train)))
        chosen = np.random.default_rng(seed).permutation(len(self.documents.train))[:count]
        return tokenize([self.documents.train[i] for i in sorted(chosen)], vocabulary=self.vocabulary)


def counted(words, text=None, orders=ORDERS):
    """The table whose order is best on the valid documents: modified Kneser-Ney."""
    smoothing = ModifiedKneserNey(fallback=(0.5, 1, 1.5))
    fits = (NGramModel(order, smoothing).fit(text or words.train) for order in orders)
    return min(fits, key=lambda model: score_text(model, words.valid).nats)


class ShortSighted(neural.RecurrentLM):
    """A recurrent network that reads its last `window` inputs anew for each token, and nothing before them.

    Where a sentence has fewer, the missing places hold zeros.
    """

    def __init__(self, vocabulary, cell, window, **options):
        super().__init__(vocabulary, cell, **options)
        self.window = window

    def features(self, inputs, state=None):
        embedded = self.dropout(self.embedding(inputs))  # [B, T, width]
        if state is None:
            state = embedded.new_zeros(self.window - 1, len(inputs), embedded.shape[-1])
        line = torch.cat([state.transpose(0, 1), embedded], 1)
        pieces = line.unfold(1, self.window, 1).flatten(0, 1)  # [B * T, width, window]
        outputs, _ = self.cells(pieces.transpose(1, 2))
        last = outputs[:, -1].unflatten(0, inputs.shape)
        return self.dropout(last), line[:, line.shape[1] - self.window + 1 :].transpose(0, 1)


def trained(words, text=None, seed=0, state="sentence", patience=None, window=None, every=None, **changes):
    """A GRU with the state that is best on the valid documents, and the history of its training.

    It is scored on them after each `every` steps: by default about once in a pass over a small text, and nine
    times in all with a large one.
    With `window` it sees only so many symbols before each token.
    """
    options, text = NETWORKS[words.name] | changes, text or words.train
    a_pass = len(text) / options["batch"] / LENGTH
    every = every or max(2, min(options["steps"] // 9, round(1.4 * a_pass)))
    kind = {
        "cell": "gru", "width": options["width"], "dropout": options["dropout"],
        "adaptive": options["adaptive"], "seed": seed, "state": state,
    }  # fmt: skip
    model = (
        ShortSighted(words.vocabulary, window=window, **kind)
        if window
        else neural.RecurrentLM(words.vocabulary, **kind)
    )
    history = neural.train(
        model, text, valid=words.valid, steps=options["steps"], batch=options["batch"], length=LENGTH,
        lr=options["rate"], seed=seed, every=every, patience=patience, progress=False,
    )  # fmt: skip
    return model, history
