"""What chapter 12 says of a wider network that is trained for longer than the chapter's, and then adapted.

It is stored in ``book/reproduced.json`` under "changes longer", by the same command as the published numbers.
One setting and one seed were run; the valid pages decide after how many steps the weights are kept.
"""

import math
import time

import torch

from lmcourse.experiments.ch12_changes import adapted, pages
from lmcourse.experiments.storage import made, store
from lmmetrics import compare, corpora, neural, score_text
from lmmetrics.ngram import NGramModel, WittenBell
from lmmetrics.text import tokenize

SEED = 0
SETTING = {"width": 256, "dropout": 0.3}
TRAINING = {"steps": 4000, "batch": 32, "length": 64, "lr": 5e-3}
ORDERS = 5, 6, 7
"""Orders of the n-gram models that read the same pages; the best on the valid pages is kept."""
SHORT = {"steps": 20, "batch": 32, "length": 64, "lr": 5e-3, "every": 20}
"""A short training of the same network, which a test repeats."""


def recompute():
    """Train the network, adapt it, print what was found, and store it."""
    torch.set_num_threads(1)
    letters, train, valid = pages()
    network, history = longer(letters, train, valid)
    keep(network, history, letters, train, valid)


def longer(letters, train, valid, setting=SETTING, training=TRAINING, seed=SEED):
    """The network, and how its training went."""
    network = neural.RecurrentLM(letters, "gru", seed=seed, state="document", **setting)
    began = time.process_time()
    history = neural.train(network, train, valid=valid, seed=seed, progress=False, **training)
    return network, {
        "steps": history.valid_steps.tolist(), "kept": int(history.best_step), "read": int(history.tokens),
        "bits": [round(float(nats) / math.log(2), 4) for nats in history.valid_nats],
        "seconds": seconds(began),
    }  # fmt: skip


def keep(network, history, letters, train, valid, seed=SEED):
    """Compare the network with an n-gram model of its pages, adapt it, and store both."""
    row = {"seed": seed, **SETTING, "training": TRAINING, "parameters": network.parameter_count}
    row |= {"history": history, "pages": against_counted(network, letters, train, valid)}
    began = time.process_time()
    row["adapted"] = adapted(network, letters, seed)
    row["adapted seconds"] = seconds(began)
    row["short"] = longer(letters, train, valid, training=SHORT)[1]["bits"]
    print(row["pages"])
    for name, one in row["adapted"].items():
        if name != "start":
            print(f"    {name:10} {one['chosen']}: {one['test']}")
    store({"changes longer": made(**row)})


def against_counted(network, letters, train, valid):
    """Bits per character of the network and of the best n-gram model, and their paired difference."""
    test = tokenize(corpora.load("numpy-docs").test, by="char", vocabulary=letters)
    counted = {order: NGramModel(order, WittenBell()).fit(train) for order in ORDERS}
    order = min(counted, key=lambda order: score_text(counted[order], valid).nats)
    found: dict = {"order": order}
    for name, text in (("valid", valid), ("test", test)):
        bits = [score_text(model, text).bits_per("char") for model in (network, counted[order])]
        paired = compare(network, counted[order], text, seed=12, interval="bootstrap")
        found[name] = {
            "network": bits[0], "counted": bits[1],
            "paired": [paired.difference, paired.low, paired.high],
        }  # fmt: skip
    return found


def seconds(began):
    return round(time.process_time() - began, 1)
