"""Recompute published numbers on texts that the book does not contain.

It prints a table and stores it in ``book/reproduced.json`` with machine, versions and date, and the book
shows that file. Nearly all of the time goes to the networks. Their training can be interrupted: the same
command goes on from the last checkpoint (``results/reproduce/``).
"""

import math
import time
from pathlib import Path

from lmcourse.experiments.storage import Interrupted, made, store, stored
from lmcourse.files.places import ROOT
from lmmetrics import corpora, neural, score_text
from lmmetrics.mixing import Mixture, UnigramCache
from lmmetrics.ngram import Katz, ModifiedKneserNey, NGramModel
from lmmetrics.text import tokenize

CHECKPOINTS = ROOT / "results" / "reproduce"

PTB_FILES = "ptb.train.txt", "ptb.valid.txt", "ptb.test.txt"
PTB_SIZES = 929_589, 82_430
"""Tokens of the training and the test text, one end of sentence a line among them."""

SMOOTHING = {ModifiedKneserNey: "modified Kneser-Ney", Katz: "Katz, Good-Turing"}
"""What rows call these methods; another one is shown with its settings."""

FALLBACK = 0.5, 1.0, 1.5
"""Discounts for order 1 of characters, where too few are rare to estimate them."""

WORDS = "per token: each word and one </s> a line; <unk> an ordinary word; closed vocabulary"
CHARACTERS = (
    "per character: the last tenth in one piece; trained on the first nine tenths, nothing tuned on the last"
)


OPTIONS = {
    "ptb": {
        "type": Path, "metavar": "FOLDER",
        "help": f"has {', '.join(PTB_FILES)}: adds the rows of the Penn Treebank",
    },
    "counted": {"action": "store_true", "help": "without networks: a minute, and nothing is stored"},
}  # fmt: skip


def recompute(ptb=None, counted=False):
    """Print the rows, and store them unless the networks are left out.

    Parameters
    ----------
    ptb : Path, optional
        A folder that holds the files of the Penn Treebank.
    counted : bool
        Whether to leave out the networks, which take nearly all of the time.

    Raises
    ------
    CorpusError, OSError, ValueError
        If a text is missing, cannot be read or is another one.
    """
    texts = [shakespeare(), wikitext()] + ([penn_treebank(ptb)] if ptb else [])
    rows = []
    for make, *text in texts:
        for row in make(*text, networks=not counted):
            rows.append(row)
            print(shown(row), flush=True)
    if counted:
        print("\nThe networks were left out, so nothing is stored.")
        return
    kept = [row for row in stored()["rows"] if row["text"] not in {new["text"] for new in rows}]
    store(made(rows=rows + kept))


def shakespeare():
    """Characters of Tiny Shakespeare: nine tenths to train, the last tenth to test."""
    corpus = corpora.load("tiny-shakespeare")
    train = tokenize(["".join(corpus.train)], by="char")
    test = tokenize(["".join([*corpus.valid, *corpus.test])], by="char", vocabulary=train.vocabulary)
    return shakespeare_rows, train, test


def shakespeare_rows(train, test, networks=True):
    text = {"text": "Tiny Shakespeare, characters", "protocol": CHARACTERS}
    for order in (3, 5, 7, 10):
        yield measure_counted(text, order, ModifiedKneserNey(fallback=FALLBACK), train, test, unit="char")
    if networks:
        lstm = neural.RecurrentLM(train.vocabulary, cell="lstm", width=256, seed=0)
        yield measure_network(text, "lstm-characters", lstm, train, None, test, steps=2000, unit="char")
        transformer = neural.TransformerLM(train.vocabulary, context=64, width=128, heads=4, layers=2, seed=0)
        yield measure_network(
            text, "transformer-characters", transformer, train, None, test, steps=2000, unit="char"
        ) | {
            "published": 1.4697 / math.log(2),
            "source": "nanoGPT's README: 1.4697 nats, best validation loss",
            "note": "theirs: 6 layers of width 384, context 256, the best of its validation losses on "
            "batches from the same tenth; not the same model, so no agreement is expected",
        }


def wikitext():
    """Words of WikiText-2 as distributed: tokenised, rare words already <unk>."""
    corpus = corpora.load("wikitext-2")
    return wikitext_rows, *tokenised(corpus.train, corpus.valid, corpus.test)


def wikitext_rows(train, valid, test, networks=True):
    text = {"text": "WikiText-2, words", "protocol": WORDS}
    kenlm = {2: 263.9597446, 3: 226.0509915, 4: 221.3440861, 5: 220.1385183}
    for order, reference in kenlm.items():
        row = measure_counted(text, order, ModifiedKneserNey(), train, test)
        yield row | {"published": reference, "source": "KenLM, run on the same files"}
    for order in (3, 5):
        yield measure_counted(text, order, good_turing(), train, test)
    best = NGramModel(5, ModifiedKneserNey()).fit(train)
    cached = Mixture([best, UnigramCache(500)]).fit(valid)
    note = f"weight of the cache {cached.weights_[1]:.3f}, by EM on the validation text"
    yield measure(text, "modified Kneser-Ney, order 5, with a cache of 500", cached, test) | {"note": note}
    if not networks:
        return
    lstm = neural.RecurrentLM(
        train.vocabulary, cell="lstm", width=256, dropout=0.3, adaptive=[2000, 10_000], seed=0
    )
    yield measure_network(text, "lstm-words", lstm, train, valid, test, steps=2400)
    lstm = Remembered(lstm)
    for name, model in (("order 5", best), ("order 5 with its cache", cached)):
        both = Mixture([model, lstm]).fit(valid)
        note = f"weight of the network {both.weights_[1]:.3f}, by EM on the validation text"
        yield measure(text, f"mixture of the LSTM and modified Kneser-Ney, {name}", both, test) | {
            "note": note
        }


def penn_treebank(folder):
    """Words of the Penn Treebank as Mikolov prepared it, whose licence keeps it out of this book."""
    missing = [name for name in PTB_FILES if not (folder / name).is_file()]
    if missing:
        raise ValueError(f"{folder} has no {', '.join(missing)}; expected are {', '.join(PTB_FILES)}")
    lines = [(folder / name).read_text(encoding="utf-8") for name in PTB_FILES]
    texts = tokenised(*([part] for part in lines))
    sizes = len(texts[0]), len(texts[2])
    if sizes != PTB_SIZES:
        raise ValueError(
            f"training and test text have {sizes} tokens; in the published rows it is {PTB_SIZES}. "
            "Their text is the one with 10 000 words, <unk> and N, one sentence a line"
        )
    return penn_rows, *texts


def penn_rows(train, valid, test, networks=True):
    text = {"text": "Penn Treebank, words", "protocol": WORDS}
    published = [
        (3, ModifiedKneserNey(), 148.3), (5, ModifiedKneserNey(), 141.2),
        (3, good_turing(), 165.2), (5, good_turing(), 162.3),
    ]  # fmt: skip
    for order, smoothing, value in published:
        row = measure_counted(text, order, smoothing, train, test)
        yield row | {"published": value, "source": "Mikolov et al. 2011"}
    best = NGramModel(5, ModifiedKneserNey()).fit(train)
    cached = Mixture([best, UnigramCache(200)]).fit(valid)
    yield measure(text, "modified Kneser-Ney, order 5, with a cache of 200", cached, test)


class Remembered:
    """A model that scores each text once: two minutes for a network and WikiText-2."""

    def __init__(self, model):
        self.model, self.known = model, {}

    def log_probs(self, text):
        if id(text) not in self.known:
            self.known[id(text)] = text, self.model.log_probs(text)
        return self.known[id(text)][1]


def tokenised(train, valid, test):
    """Return the three texts, split on blanks, with the vocabulary of the first."""
    first = tokenize(train, by="whitespace")
    return first, *(tokenize(part, by="whitespace", vocabulary=first.vocabulary) for part in (valid, test))


def good_turing(k=7):
    """The published recipe: discounts up to 7, from order 3 on only what occurs twice."""
    return Katz(k=k, min_count=(1, 1, 2))


def measure_counted(text, order, smoothing, train, test, unit="token"):
    """Fit a counted model and measure it."""
    start = time.perf_counter()
    model = NGramModel(order, smoothing).fit(train)
    name = SMOOTHING.get(type(smoothing), repr(smoothing))
    row = measure(text, f"{name}, order {order}", model, test, unit)
    return row | {"kind": "counted", "seconds": time.perf_counter() - start}


def measure_network(text, name, model, train, valid, test, steps, unit="token"):
    """Train a network for a fixed number of steps and measure it."""
    CHECKPOINTS.mkdir(parents=True, exist_ok=True)
    history = neural.train(
        model, train, valid=valid, steps=steps, seed=0, batch=32, progress=True,
        every=max(1, steps // (4 if valid else 20)),
        checkpoint=CHECKPOINTS / f"{name}.pt",
    )  # fmt: skip
    if history.interrupted:
        raise Interrupted("interrupted; nothing is lost: the same command goes on from the last checkpoint")
    row = measure(text, name_of(model), model, test, unit)
    budget = f"{steps:,} steps, {history.tokens / len(train):.1f} times the training text"
    extra = {"kind": "trained", "parameters": model.parameter_count, "budget": budget}
    return row | extra | {"seconds": float(history.seconds[-1]), "tokens_per_second": float(
        history.tokens / history.seconds[-1]
    )}  # fmt: skip


def name_of(network):
    """What a row calls a network: its kind, its sizes, and how far its state reaches."""
    sizes = network.config
    if isinstance(network, neural.TransformerLM):
        return "Transformer, {layers} layers of width {width}, context {context}".format(**sizes)
    if isinstance(network, neural.RecurrentLM):
        layers = "" if sizes["layers"] == 1 else f"{sizes['layers']} layers of "
        state = "state carried" if network.state == "carry" else f"state of the {network.state}"
        return f"{sizes['cell'].upper()}, {layers}{sizes['width']} units, {state}"
    return repr(network)


def measure(text, name, model, test, unit="token"):
    """One row of the table: the perplexity, or for characters the bits, and how fast it was scored."""
    start = time.perf_counter()
    score = score_text(model, test)
    speed = len(test) / (time.perf_counter() - start)
    value = score.perplexity if unit == "token" else score.bits_per("char")
    measure = "perplexity per token" if unit == "token" else "bits per character"
    return {
        **text, "model": name, "kind": "mixture", "measure": measure, "value": value,
        "scored_tokens": score.tokens, "scored_per_second": speed,
    }  # fmt: skip


def shown(row):
    """A row of the table as a line of text; of a trained model, only the digits that hold on any machine."""
    digits = 0 if row["measure"].startswith("perplexity") else 2
    value = f"{row['value']:.{digits + (row['kind'] == 'counted') * (4 - digits)}f}"
    line = f"{row['text'].split(',')[0]:16}  {row['model']:66} {value:>9} {row['measure']}"
    if "published" in row:
        line += f"   published {row['published']:.10g}"
    if "seconds" in row:
        line += f"   {row['seconds']:.0f} s"
    return line
