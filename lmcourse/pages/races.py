"""The races of chapter 08: two texts of words, a table and a network on each, by one protocol.

The page runs some of them; ``lmcourse/experiments/ch08_races.py`` runs them with several seeds and draws of
training documents, and stores what it found.
"""

import copy
import itertools
import math
from collections import Counter

import numpy as np
import torch

from lmmetrics import corpora, neural, score_text
from lmmetrics.mixing import Mixture, UnigramCache
from lmmetrics.ngram import ModifiedKneserNey, NGramModel
from lmmetrics.text import Vocabulary, tokenize

TEXTS = {"tales-en": "tales", "numpy-docs": "documentation"}
ORDERS = range(1, 9)
NETWORKS: dict[str, dict] = {
    "tales-en": {"width": 96, "dropout": 0.5, "adaptive": [300], "steps": 400, "batch": 16, "rate": 0.02},
    "numpy-docs": {
        "width": 128,
        "dropout": 0.5,
        "adaptive": [500, 1500],
        "passes": 16,
        "batch": 64,
        "rate": 0.01,
    },
}
"""Of each text: the GRU and its training, as many steps or as many passes through the text."""
LENGTH = 32
RUN = 13
"""So many tokens in the same order are a run that one page has copied from another."""
REMEMBERING = tuple({"rate": rate, "dropout": 0.3, "passes": 20, "patience": 3} for rate in (0.01, 0.02))
"""On the documentation: networks that stop where all valid pages, copies included, gain nothing more."""
CACHE = 500
MIXTURES = {
    "table": "table",
    "table, cache": ("table", "cache"),
    "network": "network",
    "table, network": ("table", "network"),
    "all three": ("table", "cache", "network"),
}
"""The models that are compared in the end, by their parts."""
SMALL: dict = {"width": 32, "layers": 2, "heads": 4, "context": 32, "steps": 400, "rate": 0.005}
"""The networks of the agreement source, a GRU of one layer and a Transformer, and their training."""
LONG_FLOOR_STEPS = 3000
"""The steps of a second training on the agreement source, which is long enough to find the subject."""
SHARES = 1 / 16, 1 / 8, 1 / 4, 1 / 2
"""The parts of the training documents in the learning curves, whose last point has all."""


class Words:
    """A corpus as words: the vocabulary is what occurs twice in its training text; the rest is `<unk>`.

    Orders, settings and the moment to stop are chosen on `choosing`: the valid documents that share no run of
    `RUN` tokens with a training document.
    """

    def __init__(self, name):
        self.name, self.documents = name, corpora.load(name)
        counts = Counter(tokenize(self.documents.train).strings())
        del counts["</s>"]
        self.vocabulary = Vocabulary([word for word, count in counts.items() if count >= 2])
        self.train, self.valid, self.test = (
            tokenize(part, vocabulary=self.vocabulary)
            for part in (self.documents.train, self.documents.valid, self.documents.test)
        )

        self.choosing = self.valid
        if name == "numpy-docs":  # many of its pages repeat others
            self.choosing = self.without_copies("valid", "train")

    def without_copies(self, part, *others):
        """The text of the documents of a part that share no run with a document of the others."""
        other_runs = set().union(*(runs for other in others for runs in runs_of(getattr(self, other))))
        pages = zip(getattr(self.documents, part), runs_of(getattr(self, part)), strict=True)
        return tokenize([page for page, runs in pages if not runs & other_runs], vocabulary=self.vocabulary)

    def some(self, share, seed):
        """Training text of a share of the documents, drawn at random."""
        count = max(2, round(share * len(self.documents.train)))
        places = np.random.default_rng(seed).permutation(len(self.documents.train))[:count]
        return tokenize([self.documents.train[i] for i in sorted(places)], vocabulary=self.vocabulary)


def best_table(words, text=None, orders=ORDERS, valid=None):
    """The table whose order is best on the text for choices: modified Kneser-Ney."""
    smoothing = ModifiedKneserNey(fallback=(0.5, 1, 1.5))
    fits = (NGramModel(order, smoothing).fit(text or words.train) for order in orders)
    return min(fits, key=lambda model: score_text(model, valid or words.choosing).nats)


def runs_of(text):
    """For each document of a text: the runs of `RUN` tokens in it."""
    strings, starts = text.strings(), text.document_starts
    pages = [strings[a:b] for a, b in itertools.pairwise(starts)]
    return [{tuple(page[i : i + RUN]) for i in range(len(page) - RUN + 1)} for page in pages]


def steps_of_pass(text, batch):
    """The steps of one pass through a text: a row of a step reads one piece of `LENGTH` tokens."""
    return math.ceil(np.ceil(np.diff(text.sentence_starts) / LENGTH).sum() / batch)


class StoredNetwork:
    """A network that was trained in a stored run: what it gave to each token of the valid and test text."""

    def __init__(self, words, row):
        self.vocabulary, self.parameter_count = words.vocabulary, row["parameters"]
        self.log_probs_of = {
            part: (getattr(words, part), -np.array(row["nats"][part].split(), dtype=float) / 1000)
            for part in ("valid", "test")
        }

    def log_probs(self, text):
        """Return what is stored for a text."""
        for part, log_probs in self.log_probs_of.values():
            if np.array_equal(part.ids, text.ids):
                return log_probs
        raise ValueError("Nothing is stored for this text.")


def mixtures(words, table, network):
    """The models of `MIXTURES`, and the weights of the parts of each, fitted on the valid text."""
    parts = {"table": table, "cache": UnigramCache(CACHE), "network": network}
    models = {}
    for name, names in MIXTURES.items():
        if isinstance(names, str):
            models[name] = parts[names], {names: 1.0}
        else:
            mixture = Mixture([parts[part] for part in names]).fit(words.valid)
            models[name] = mixture, dict(zip(names, map(float, mixture.weights_), strict=True))
    return models


def suggestion_hits(weights, table, network, text, most=3):
    """For each model, given by its weights: which tokens are among its first suggestions.

    `<s>`, `</s>` and `<unk>` are never suggested.
    """
    size, starts = len(text.vocabulary), text.sentence_starts
    specials = [text.vocabulary.id_of(symbol) for symbol in ("<s>", "</s>", "<unk>")]
    page_of = np.repeat(text.document_starts[:-1], np.diff(text.document_starts))
    hits = {name: np.zeros(len(text), dtype=bool) for name in weights}
    reader, inputs, strings = (
        copy.deepcopy(network).eval(),
        torch.from_numpy(neural.inputs_of(text)),
        text.strings(),
    )
    for a, b in itertools.pairwise(starts):
        line = ["<s>", *strings[a:b]]
        with torch.no_grad():
            of_network = reader(inputs[a:b][None])[0].softmax(-1).numpy()
        of_table = np.stack(
            [table.next_distribution(line[max(0, t + 2 - table.order) : t + 1]) for t in range(b - a)]
        )
        recent = [text.ids[max(page_of[t], t - CACHE) : t] for t in range(a, b)]
        of_cache = np.stack([np.bincount(ids, minlength=size) / max(1, len(ids)) for ids in recent])
        parts = {"table": of_table, "cache": of_cache, "network": of_network}
        is_word = ~np.isin(text.ids[a:b], specials)
        for name, of_part in weights.items():
            rows = sum(weight * parts[part] for part, weight in of_part.items())
            right = rows[range(b - a), text.ids[a:b]]
            rows[:, specials] = 0
            hits[name][a:b] = ((rows > right[:, None]).sum(1) < most) & is_word
    return hits


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


def best_network(
    words, text=None, seed=0, state="sentence", patience=None, window=None, every=None, **changes
):
    """A GRU with the state that is best on the text for choices, and the history of its training.

    It is scored on that text after each `every` steps: by default about once in a pass over a small text, and
    nine times in all with a large one; after each pass, if the training is as long as a number of passes.
    With `window` it sees only so many symbols before each token.
    """
    options, text = NETWORKS[words.name] | changes, text or words.train
    valid = options.pop("valid", None) or words.choosing
    if "steps" not in options:
        every = every or steps_of_pass(text, options["batch"])
        options["steps"] = options["passes"] * steps_of_pass(text, options["batch"])
    a_pass = len(text) / options["batch"] / LENGTH
    every = every or max(2, min(options["steps"] // 9, round(1.4 * a_pass)))
    design = {
        "cell": "gru", "width": options["width"], "dropout": options["dropout"],
        "adaptive": options["adaptive"], "seed": seed, "state": state,
    }  # fmt: skip
    model = (
        ShortSighted(words.vocabulary, window=window, **design)
        if window
        else neural.RecurrentLM(words.vocabulary, **design)
    )
    history = neural.train(
        model, text, valid=valid, steps=options["steps"], batch=options["batch"], length=LENGTH,
        lr=options["rate"], seed=seed, every=every, patience=patience, progress=False,
    )  # fmt: skip
    return model, history
