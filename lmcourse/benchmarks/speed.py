"""How fast the counted models are, and how much memory they need.

A time means little on another machine, so each is also printed as a ratio to something measured in the same
run. Every time is the best of several rounds, because other work on the machine can only add to it. Left out:
the neural models, and how good the models are (the chapters and the tests say that).
"""

import datetime
import gc
import itertools
import json
import math
import platform
import sys
import time
import tracemalloc
from importlib import metadata

import numpy as np

from lmcourse.files.notebooks import write_text
from lmcourse.files.places import PACKAGE
from lmmetrics import corpora, score_text
from lmmetrics.ngram import (
    AbsoluteDiscounting,
    AddK,
    JelinekMercer,
    Katz,
    KneserNey,
    MaximumLikelihood,
    ModifiedKneserNey,
    NGramModel,
    WittenBell,
)
from lmmetrics.text import tokenize

SLICE = 100_000, 1_000
"""Tokens of the training and the test text that NLTK gets; with more it would take over a minute."""

try:
    from nltk.lm import MLE, KneserNeyInterpolated
    from nltk.lm.preprocessing import pad_both_ends, padded_everygram_pipeline
except ImportError:  # a peer that only the tests require
    MLE = None

STORED = PACKAGE / "pages" / "speed.json"
"""The race with NLTK on the tales, for lab 06."""

LINE = "{:42} {:>9} {:>9} {:>9} {:>22}  {}"


def measure(rounds):
    """Time the counted models on WikiText-2 and print a table; each time is the best of ``rounds`` runs."""
    corpus = corpora.load("wikitext-2")
    train = tokenize(corpus.train, by="whitespace")
    test, valid = (
        tokenize(part, by="whitespace", vocabulary=train.vocabulary) for part in (corpus.test, corpus.valid)
    )
    sizes = f"{len(train):,} training and {len(test):,} test tokens, {len(train.vocabulary):,} symbols"
    print(f"WikiText-2: {sizes}.")
    print(f"Python {platform.python_version()}, NumPy {np.__version__}; best of {rounds} rounds.\n")
    print(LINE.format("what", "seconds", "M tok/s", "bytes/tok", "ratio", "target"))
    rows(corpus, train, test, rounds)
    print("\nOther methods, order 3: fit, and score the test text; bytes per training token at the peak.\n")
    zoo(train, test, valid)
    print()
    if MLE is None:
        print("NLTK is not installed, so it is not compared: run `make bench`.", file=sys.stderr)
        return
    nltk_row(train, test)
    store(race(corpora.load("tales-en").train))


def rows(corpus, train, test, rounds):
    """Measure what has a target, all in the same rounds, and print it."""
    keys = np.random.default_rng(0).integers(0, 2**63, size=len(train))
    model = NGramModel(5, ModifiedKneserNey()).fit(train)
    jobs = {
        "sort": lambda: np.argsort(keys, kind="stable"),
        "tokenise": lambda: tokenize(corpus.train, by="whitespace"),
        "fit 3": lambda: NGramModel(3, ModifiedKneserNey()).fit(train),
        "fit 5": lambda: NGramModel(5, ModifiedKneserNey()).fit(train),
        "score": lambda: model.log_probs(test),
        "score train": lambda: model.log_probs(train),
    }
    best = dict.fromkeys(jobs, float("inf"))
    for _ in range(rounds):
        for name, job in jobs.items():
            best[name] = min(best[name], seconds(job))
    size = len(train)
    ratio = {n: best[f"fit {n}"] / best["sort"] for n in (3, 5)}
    speed = {name: size / best[name] / 1e6 for name in jobs}
    speed["score"] = len(test) / best["score"] / 1e6
    peak = {n: peak_bytes(jobs[f"fit {n}"]) / size for n in (3, 5)}
    line("stable argsort of as many 64-bit keys", best["sort"])
    line("split on blanks, ids, vocabulary", best["tokenise"], speed["tokenise"], target="4 M tok/s")
    for n, most in ((3, "1.7 argsort"), (5, "3.5 argsort, 350 bytes")):
        name = f"modified Kneser-Ney, order {n}: fit"
        line(name, best[f"fit {n}"], speed[f"fit {n}"], peak[n], f"{ratio[n]:.2f} argsort", most)
    line("modified Kneser-Ney, order 5: score test", best["score"], speed["score"], target="2.5 M tok/s")
    line("modified Kneser-Ney, order 5: score train", best["score train"], speed["score train"])


def zoo(train, test, valid):
    """Time the other methods once each."""
    smoothed = WittenBell(), JelinekMercer(heldout=valid), AbsoluteDiscounting(), KneserNey(), Katz()
    for method in (AddK(0.01), *smoothed):
        model = NGramModel(3, method)
        took = min(seconds(lambda model=model: model.fit(train)) for _ in range(2))
        peak = peak_bytes(lambda model=model: model.fit(train)) / len(train)
        perplexity = score_text(model, test).perplexity
        line(f"{method!r}", took, len(train) / took / 1e6, peak, target=f"perplexity {perplexity:.2f}")


def nltk_row(train, test):
    """Time NLTK's Kneser-Ney and ours on one slice, fit plus scoring."""
    parts = [sentences(text, most) for text, most in zip((train, test), SLICE, strict=True)]
    sizes = [sum(len(sentence) + 1 for sentence in part) for part in parts]

    def theirs():
        model = KneserNeyInterpolated(3)
        model.fit(*padded_everygram_pipeline(3, parts[0]))
        for sentence in parts[1]:
            padded = list(pad_both_ends(sentence, n=3))
            for i in range(2, len(padded) - 1):  # up to the first </s>
                model.score(padded[i], padded[i - 2 : i])

    def ours():
        model = NGramModel(3, KneserNey(discount=0.1)).fit(texts[0])
        model.log_probs(texts[1])

    # Both start from tokens: strings for NLTK, ids for ours.
    documents = ["".join(" ".join(sentence) + "\n" for sentence in part) for part in parts]
    vocabulary = tokenize(documents[:1], by="whitespace").vocabulary
    texts = [tokenize([document], by="whitespace", vocabulary=vocabulary) for document in documents]
    print(f"Kneser-Ney, order 3, fit on {sizes[0]:,} tokens plus score {sizes[1]:,}.\n")
    slow, fast = seconds(theirs), min(seconds(ours) for _ in range(5))
    line("NLTK KneserNeyInterpolated", slow)
    line("ours", fast, ratio=f"NLTK takes {slow / fast:,.0f} x", target="300 x")


def race(documents):
    """Count documents to order 3 and score their tokens, with NLTK, which is written to be read, and ours.

    Returns
    -------
    dict
        ``tokens``; and for ``"NLTK"`` and ``"lmmetrics"`` the seconds of counting and of scoring, and the
        perplexity of maximum likelihood, per token with one ``</s>`` a line. Both start from tokens: strings
        for NLTK, ids for ours.
    """
    text = tokenize(documents)
    parts = sentences(text, len(text))
    assert MLE is not None  # `measure` says that NLTK is not installed
    theirs, nats = MLE(3), []

    def count():
        theirs.fit(*padded_everygram_pipeline(3, parts))

    def score():
        for part in parts:
            padded = list(pad_both_ends(part, n=3))
            for i in range(2, len(padded) - 1):  # up to the first </s>
                nats.append(-math.log(theirs.score(padded[i], padded[i - 2 : i])))

    model = NGramModel(3, MaximumLikelihood())
    found = {
        "NLTK": {"counting": seconds(count), "scoring": seconds(score)},
        "lmmetrics": {
            "counting": min(seconds(lambda: model.fit(text)) for _ in range(5)),
            "scoring": min(seconds(lambda: model.log_probs(text)) for _ in range(5)),
        },
    }
    found["NLTK"]["perplexity"] = math.exp(math.fsum(nats) / len(nats))
    found["lmmetrics"]["perplexity"] = score_text(model, text).perplexity
    return {"tokens": len(text), **found}


def store(found):
    """Store the race for the slide that shows it, because readers need not have NLTK."""
    versions = {"nltk": metadata.version("nltk"), "numpy": np.__version__}
    made = {"made": datetime.date.today().isoformat(), "python": platform.python_version(), **versions}
    write_text(STORED, json.dumps({**made, **found}, indent=1) + "\n")
    ratio = {part: found["NLTK"][part] / found["lmmetrics"][part] for part in ("counting", "scoring")}
    print(f"\nThe tales, {found['tokens']:,} tokens, order 3, maximum likelihood.\n")
    for part, times in ratio.items():
        line(f"NLTK, {part}", found["NLTK"][part], ratio=f"NLTK takes {times:,.0f} x")
    print(f"\nStored in {STORED.name}, which lab 06 shows.")


def sentences(text, most):
    """Return the first sentences of a text, as lists of strings, with at most ``most`` tokens in all."""
    count = int(np.searchsorted(text.sentence_starts, most, side="right")) - 1
    tokens = text.strings()
    starts = text.sentence_starts[: count + 1].tolist()
    return [tokens[start : stop - 1] for start, stop in itertools.pairwise(starts)]


def seconds(job):
    """Return the seconds of a job, run once after a garbage collection."""
    gc.collect()
    start = time.perf_counter()
    job()
    return time.perf_counter() - start


def peak_bytes(job):
    """Return the bytes that a job uses at its peak, with its result and NumPy's arrays."""
    gc.collect()
    tracemalloc.start()
    result = job()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    del result
    return peak


def line(what, took, speed=None, peak=None, ratio="", target=""):
    cells = ("" if speed is None else f"{speed:.2f}", "" if peak is None else f"{peak:.0f}")
    print(LINE.format(what, f"{took:.3f}", *cells, ratio, target), flush=True)
