"""What chapter 08 says of other seeds, rates, pasts and amounts of text: more training than a page can do.

It is stored in ``book/reproduced.json`` under "races", by the same command as the published numbers.
"""

import itertools
import json
import math
import time

import numpy as np
import torch

from lmcourse.measuring.reproduced import made, store
from lmcourse.pages.races import (
    LENGTH,
    LONG_FLOOR_STEPS,
    ORDERS,
    SHARES,
    SMALL,
    TEXTS,
    Words,
    counted,
    trained,
)
from lmcourse.pages.races import NETWORKS as RACERS
from lmmetrics import compare, neural, score_text
from lmmetrics.mixing import Mixture
from lmmetrics.scoring import score_documents
from lmmetrics.sources import AgreementSource
from lmmetrics.text import tokenize

SEEDS = range(3)
RATES = 0.01, 0.02, 0.04
FLOOR_RATES = (SMALL["rate"],)
RUN = 13
"""So many tokens in the same order are a run that one page has copied from another, as in chapter 08."""
PASSES, LEAST_STEPS = 15, 200
"""Of the tuned networks: how often each reads its training text at least, and the least number of steps."""
TUNED_RATES = 0.01, 0.02
WIDER = 2
"""How many times as many units the second width has."""
TUNED = {"tales-en": (1 / 2, 1 / 4)}
"""The amounts of text for which the network is tuned."""
KEY = "text", "share", "draw", "rate", "width"
LONG_PASSES, PATIENCE, LARGE_BATCH = 20, 3, 64
"""Of the longer training: the most passes, how many of them may bring nothing, and the rows of a step."""
LONG_RATES = 0.01, 0.02
LONG_SEEDS = (0,)
"""More seeds would take one to two minutes each."""
LONG_KEY = "text", "pages", "rate", "width", "dropout", "seed"


def recompute():
    """Run the races, print what was found, and store it."""
    found = {"races": list(races()), "windows": list(windows())}
    found |= {"curves": list(curves()), "tuned": made(runs=list(tuned())), "floor": list(floor())}
    found |= {"floor longer": list(floor(steps=LONG_FLOOR_STEPS))}
    found |= {"longer": made(batch=LARGE_BATCH, runs=list(longer()), thinned=list(thinned()))}
    store({"races": made(**found)})


def races(texts=TEXTS, seeds=SEEDS, rates=RATES, **changes):
    """Yield a row for each network: with other rates, other seeds, and the state kept within a document."""
    for name in texts:
        words = Words(name)
        table = counted(words)
        runs = [(seed, state, None) for state in ("sentence", "document") for seed in seeds]
        runs += [(0, "sentence", rate) for rate in rates if rate != RACERS[name]["rate"]]
        for seed, state, rate in runs:
            other = changes if rate is None else changes | {"rate": rate}
            network, history = trained(words, seed=seed, state=state, **other)
            score, against = score_text(network, words.test), against_table(network, table, words)
            mixture = Mixture([network, table]).fit(words.valid)
            row = {"text": name, "seed": seed, "state": state, "rate": rate}
            row |= {
                "valid": score_text(network, words.valid).perplexity, "test": score.perplexity,
                "difference": against.difference, "low": against.low, "high": against.high,
                "weight": float(mixture.weights_[0]), "mixture": score_text(mixture, words.test).perplexity,
                "seconds": float(history.seconds[-1]),
            }  # fmt: skip
            print(
                f"{name} {state} seed {seed} rate {rate}: {row['valid']:.1f} valid, {row['test']:.1f} test",
                flush=True,
            )
            yield row


def against_table(network, table, words):
    """Both on the test text, with the interval of chapter 08: percentiles of the bootstrap over documents."""
    return compare(network, table, words.test, seed=8, interval="bootstrap")


def windows(texts=("tales-en",), seeds=SEEDS, **changes):
    """Yield a row for each network that sees as many symbols of the past as the table that it races."""
    for name in texts:
        words = Words(name)
        table = counted(words)
        for seed in seeds:
            network, _ = trained(words, seed=seed, window=table.order - 1, **changes)
            against = against_table(network, table, words)
            row = {"text": name, "window": table.order - 1, "seed": seed}
            row |= {"valid": score_text(network, words.valid).perplexity, "test": against.a.perplexity}
            row |= {"difference": against.difference, "low": against.low, "high": against.high}
            print(f"{name} window {row['window']} seed {seed}: {row['test']:.1f} test", flush=True)
            yield row


def curves(texts=TEXTS, shares=SHARES, draws=SEEDS, **changes):
    """Yield a row for each amount of training text and draw of documents."""
    for name in texts:
        words = Words(name)
        for share in shares:
            for draw in draws:
                text = words.some(share, draw)
                network, _ = trained(words, text, seed=draw, patience=3, **changes)
                row = {"text": name, "share": share, "draw": draw, "tokens": len(text)}
                row["test"] = score_text(network, words.test).perplexity
                print(f"{name} {row['tokens']:,} tokens, draw {draw}: {row['test']:.1f}", flush=True)
                yield row


def tuned(amounts=None, draws=SEEDS, kept=None, width=None, **changes):
    """Yield a row for each network whose rate and width are chosen for its amount of text.

    On the first draw of documents, the better of two rates is chosen and then the better of two widths, both
    on the valid documents; the other draws use the chosen ones.

    Parameters
    ----------
    amounts : dict, optional
        The shares for each text, by default `TUNED`.
    kept : Path, optional
        A file to which each row is appended at once; rows that it has are not measured again.
    width : int, optional
        The first width, by default that of the race.
    """
    done = [json.loads(line) for line in kept.read_text().splitlines()] if kept and kept.exists() else []
    found = {tuple(row[key] for key in KEY): row for row in done}
    for name, shares in (amounts or TUNED).items():
        words, narrow = Words(name), width or RACERS[name]["width"]

        def row_of(*key, words=words):
            if key not in found:
                found[key] = tuned_row(words, *key[1:], **changes)
                if kept:
                    with kept.open("a") as file:
                        file.write(json.dumps(found[key]) + "\n")
            return found[key]

        for share in shares:
            tried = [row_of(name, share, draws[0], rate, narrow) for rate in TUNED_RATES]
            rate = min(tried, key=lambda row: row["valid"])["rate"]
            tried.append(row_of(name, share, draws[0], rate, WIDER * narrow))
            best = min(tried, key=lambda row: row["valid"])
            yield from tried
            yield from (row_of(name, share, draw, rate, best["width"]) for draw in draws[1:])


def tuned_row(words, share, draw, rate, width, **changes):
    """Train a network for `PASSES` passes or more, and score the weights that were best on the valid text."""
    text = words.some(share, draw) if share < 1 else words.train
    batch = RACERS[words.name]["batch"]
    pieces = np.ceil(np.diff(text.sentence_starts) / LENGTH).sum()  # a row of a step reads one piece
    steps = max(LEAST_STEPS, math.ceil(PASSES * pieces / batch))
    began = time.process_time()
    options = {"steps": steps, "rate": rate} | changes | {"width": width}
    network, history = trained(words, text, seed=draw, every=max(1, options["steps"] // PASSES), **options)
    row = dict(zip(KEY, (words.name, share, draw, rate, width), strict=True))
    row |= {"tokens": len(text), "passes": round(history.tokens / len(text), 1)}
    row |= {"best": round(history.best_step / history.valid_steps[-1], 2)}
    row |= {"valid": score_text(network, words.valid).perplexity}
    row |= {"test": score_text(network, words.test).perplexity}
    row |= {"seconds": round(time.process_time() - began, 1)}
    print(
        f"{words.name} {len(text):,} tokens, draw {draw}, rate {rate}, {width} units: "
        f"{row['valid']:.1f} valid, {row['test']:.1f} test, {row['passes']:.0f} passes, {row['seconds']} s",
        flush=True,
    )
    return row


def longer(name="numpy-docs", seeds=LONG_SEEDS, **options):
    """Yield a row for each network that is trained until the valid documents gain nothing more.

    Its size is that of the race. The better of two rates is chosen on the valid documents, with the first
    seed; all other networks have it. They are trained on all pages, and on those that share no run of `RUN`
    tokens with a valid or test page. Each row has the table of the same text, too.

    Parameters
    ----------
    kept : Path, optional
        A file to which each row is appended at once; rows that it has are not measured again.
    passes : int
        How often the text is read at most, by default `LONG_PASSES`.
    """
    words = Words(name)
    texts = {"all": words.train, "no copies": without_copies(words)}
    tables = {pages: counted(words, text) for pages, text in texts.items()}
    size = [options.pop(key, RACERS[name][key]) for key in ("width", "dropout")]

    def row_of(pages, rate, seed):
        return kept_row(words, texts[pages], tables[pages], (name, pages, rate, *size, seed), **options)

    tried = {rate: row_of("all", rate, seeds[0]) for rate in LONG_RATES}
    rate = min(tried, key=lambda rate: tried[rate]["valid"])
    yield from tried.values()
    yield from (row_of("all", rate, seed) for seed in seeds[1:])
    yield from (row_of("no copies", rate, seed) for seed in seeds)


def thinned(name="numpy-docs", draws=SEEDS, orders=ORDERS):
    """Yield a row for each table that is counted on random pages, as much text as without the copies."""
    words = Words(name)
    tokens = len(without_copies(words))
    for draw in draws:
        text = as_long(words, tokens, draw)
        table = counted(words, text, orders)
        row = {"text": name, "draw": draw, "tokens": len(text), "order": table.order}
        yield row | {"test": score_text(table, words.test).perplexity}


def kept_row(words, text, table, key, kept=None, passes=LONG_PASSES, **changes):
    """Train a network until the valid documents gain nothing more, and score it; or read it from a file."""
    done = [json.loads(line) for line in kept.read_text().splitlines()] if kept and kept.exists() else []
    found = {tuple(row[part] for part in LONG_KEY): row for row in done}
    if key in found:
        return found[key]
    row = dict(zip(LONG_KEY, key, strict=True))
    pieces = np.ceil(np.diff(text.sentence_starts) / LENGTH).sum()  # a row of a step reads one piece
    a_pass = math.ceil(pieces / LARGE_BATCH)
    options = {"steps": passes * a_pass, "batch": LARGE_BATCH} | changes
    began = time.process_time()
    network, history = trained(
        words, text, every=a_pass, patience=PATIENCE,
        **options | {part: row[part] for part in ("rate", "width", "dropout", "seed")},
    )  # fmt: skip
    row["seconds"] = round(time.process_time() - began, 1)
    row |= {"tokens": len(text), "passes": round(history.tokens / len(text), 1)}
    row |= {"best": round(history.best_step / a_pass, 1)}
    row |= {"curve": [round(float(nats), 4) for nats in history.valid_nats]}
    row |= scores(network, words, table)
    print(
        f"{' '.join(map(str, key))}: {row['valid']:.1f} valid, {row['test']:.1f} test, "
        f"best after {row['best']:.0f} of {row['passes']:.0f} passes, {row['seconds']:.0f} s",
        flush=True,
    )
    if kept:
        with kept.open("a") as file:
            file.write(json.dumps(row) + "\n")
    return row


def scores(network, words, table):
    """What a row of the longer training says of a network and its table."""
    against, mixture = against_table(network, table, words), Mixture([network, table]).fit(words.valid)
    pages = {
        who: [round(float(page.bits), 2) for page in score_documents(model, words.test)]
        for who, model in (("network", network), ("table", table))
    }
    return {
        "valid": score_text(network, words.valid).perplexity, "test": against.a.perplexity,
        "table": against.b.perplexity, "order": table.order, "difference": against.difference,
        "low": against.low, "high": against.high, "weight": float(mixture.weights_[0]),
        "mixture": score_text(mixture, words.test).perplexity, "hits": hits(network, words.test),
        "bits": pages,
    }  # fmt: skip


def hits(network, text, most=3):
    """The share of the words that are among a network's first suggestions; an unknown word never is."""
    barred = [text.vocabulary.id_of(symbol) for symbol in ("<s>", "</s>", "<unk>")]
    inputs, ids, found, asked = torch.from_numpy(neural.inputs_of(text)), text.ids, 0, 0
    for a, b in itertools.pairwise(text.sentence_starts):
        with torch.no_grad():
            rows = network(inputs[a:b][None])[0].numpy().copy()
        right = rows[range(b - a), ids[a:b]]
        rows[:, barred] = -math.inf
        known = ~np.isin(ids[a:b], barred)
        found += int((((rows > right[:, None]).sum(1) < most) & known).sum())
        asked += int((ids[a:b] != text.vocabulary.eos).sum())
    return found / asked


def runs_of(text):
    """For each document of a text: the runs of `RUN` tokens in it."""
    strings, starts = text.strings(), text.document_starts
    pages = [strings[a:b] for a, b in itertools.pairwise(starts)]
    return [{tuple(page[i : i + RUN]) for i in range(len(page) - RUN + 1)} for page in pages]


def without_copies(words):
    """The training text without the documents that share a run with a valid or test document."""
    asked = set().union(*runs_of(words.valid), *runs_of(words.test))
    alone = [
        page
        for page, runs in zip(words.documents.train, runs_of(words.train), strict=True)
        if not runs & asked
    ]
    return tokenize(alone, vocabulary=words.vocabulary)


def as_long(words, tokens, seed):
    """Training text of random documents, as many in a row as have so many tokens in all, or fewer."""
    order = np.random.default_rng(seed).permutation(len(words.documents.train))
    sizes = np.diff(words.train.document_starts)[order].cumsum()
    chosen = order[: np.searchsorted(sizes, tokens, side="right")]
    return tokenize([words.documents.train[i] for i in sorted(chosen)], vocabulary=words.vocabulary)


def floor(seeds=SEEDS, rates=FLOOR_RATES, steps=SMALL["steps"]):
    """Yield a row for each network on the agreement source: bits above the source, also at the verbs only."""
    source = AgreementSource()
    listened, checked, asked = source_texts(source)
    verbs = np.isin(asked.strings(), list(source.pairs.values()))
    for kind, network in NETWORKS.items():
        for rate in rates:
            for seed in seeds:
                model = network(listened.vocabulary, seed)
                neural.train(
                    model, listened, valid=checked, steps=steps, batch=16, lr=rate, seed=seed, progress=False
                )
                lost = (source.log_probs(asked) - model.log_probs(asked)) / math.log(2)
                row = {
                    "model": kind, "rate": rate, "seed": seed, "bits": float(lost.mean()),
                    "valid": score_text(model, checked).bits_per("token"),
                    "verb": float(lost[verbs].mean()), "elsewhere": float(lost[~verbs].mean()),
                }  # fmt: skip
                print(f"{kind} rate {rate} seed {seed}: {row['bits']:.3f} bits above the floor", flush=True)
                yield row


def source_texts(source):
    """The training, valid and test text of the agreement source."""
    return tuple(source.sample(size, seed=seed) for size, seed in ((32_000, 1), (5000, 2), (20_000, 3)))


NETWORKS = {
    "GRU": lambda words, seed: neural.RecurrentLM(words, "gru", width=SMALL["width"], seed=seed),
    "Transformer": lambda words, seed: neural.TransformerLM(
        words, **{key: SMALL[key] for key in ("context", "width", "heads", "layers")}, seed=seed
    ),
}
