"""What chapter 08 says of other seeds, rates, pasts and amounts of text: more training than a page can do.

It is stored in ``book/reproduced.json`` under "races", by the same command as the published numbers.
"""

import math
import time

import numpy as np

from lmcourse.experiments.storage import KEPT, kept_rows, made, store
from lmcourse.experiments.texts import source_texts
from lmcourse.pages.races import (
    LENGTH,
    LONG_FLOOR_STEPS,
    ORDERS,
    REMEMBERING,
    SHARES,
    SMALL,
    Words,
    best_network,
    best_table,
    mixtures,
    steps_of_pass,
    suggestion_hits,
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
FLOOR_EVERY = 100
"""Steps between two points of the curve of a longer training on the agreement source."""
PASSES, LEAST_STEPS = 15, 200
"""Of the tuned networks: how often each reads its training text at least, and the least number of steps."""
TUNED_RATES = 0.01, 0.02
WIDER = 2
"""How many times as many units the second width has."""
TUNED = {"tales-en": (1 / 2, 1 / 4)}
"""The amounts of text for which the network is tuned."""
OPTIONS = {"kept": KEPT}
KEY = "text", "share", "draw", "rate", "width"
ALONE_PASSES = 12
"""Of the networks that learn without the copies."""
SEARCHED = tuple(
    {"rate": rate, "dropout": dropout}
    for rate in (0.01, 0.02)
    for dropout in (0.3, 0.5)
    if (rate, dropout) != (RACERS["numpy-docs"]["rate"], RACERS["numpy-docs"]["dropout"])
)
"""On the documentation: other rates and dropouts, searched later on the pages where the race stops."""
FASTER = 0.02
"""On the documentation: the rate of a second race with one seed, the best of the search with its dropout."""


def recompute(kept=None):
    """Run the races, print what was found, and store it.

    Parameters
    ----------
    kept : Path, optional
        A file to which the rows of the tuned training are appended at once; rows that it
        has are not measured again.
    """
    results = {"races": list(races()), "windows": list(windows())}
    results |= {"curves": list(curves()), "tuned": made(runs=list(tuned(kept=kept))), "floor": list(floor())}
    results |= {"floor longer": list(floor(steps=LONG_FLOOR_STEPS)), "floor curve": floor_curve()}
    parts = {"runs": documentation(), "remembering": remembering()}
    parts |= {"searched": searched(), "thinned": thinned()}
    parts |= {"faster": documentation(SEEDS[:1], rate=FASTER, nats=False)}
    results["documentation"] = made(**{name: list(rows) for name, rows in parts.items()})
    store({"races": made(**results)})


def races(texts=("tales-en",), seeds=SEEDS, rates=RATES, **changes):
    """Yield a row for each network: with other rates, other seeds, and the state kept within a document."""
    for name in texts:
        words = Words(name)
        table = best_table(words)
        runs = [(seed, state, None) for state in ("sentence", "document") for seed in seeds]
        runs += [(0, "sentence", rate) for rate in rates if rate != RACERS[name]["rate"]]
        for seed, state, rate in runs:
            other = changes if rate is None else changes | {"rate": rate}
            network, history = best_network(words, seed=seed, state=state, **other)
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
        table = best_table(words)
        for seed in seeds:
            network, _ = best_network(words, seed=seed, window=table.order - 1, **changes)
            against = against_table(network, table, words)
            row = {"text": name, "window": table.order - 1, "seed": seed}
            row |= {"valid": score_text(network, words.valid).perplexity, "test": against.a.perplexity}
            row |= {"difference": against.difference, "low": against.low, "high": against.high}
            print(f"{name} window {row['window']} seed {seed}: {row['test']:.1f} test", flush=True)
            yield row


def curves(texts=("tales-en",), shares=SHARES, draws=SEEDS, **changes):
    """Yield a row for each amount of training text and draw of documents."""
    for name in texts:
        words = Words(name)
        for share in shares:
            for draw in draws:
                text = words.some(share, draw)
                network, _ = best_network(words, text, seed=draw, patience=3, **changes)
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
    for name, shares in (amounts or TUNED).items():
        words, narrow = Words(name), width or RACERS[name]["width"]
        row_of = kept_rows(kept, KEY, lambda _, *rest, words=words: tuned_row(words, *rest, **changes))
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
    network, history = best_network(
        words, text, seed=draw, every=max(1, options["steps"] // PASSES), **options
    )
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


def documentation(seeds=SEEDS, name="numpy-docs", **changes):
    """Yield a row for each network of the documentation.

    They are trained on all pages, and on those that share no run of `RUN` tokens with a valid or test page.
    Each row has the table of the same text, too.
    """
    words = Words(name)
    texts = {"all": words.train, "no copies": words.without_copies("train", "valid", "test")}
    valid = {"all": words.choosing, "no copies": words.valid}  # the latter is free of copies, too
    tables = {pages: best_table(words, text, valid=valid[pages]) for pages, text in texts.items()}
    for pages, text in texts.items():
        for seed in seeds:
            options = {"nats": pages == "all" and seed == seeds[0], "valid": valid[pages]}
            options |= {"passes": ALONE_PASSES} if pages == "no copies" else {}
            options |= changes
            yield trained_row(words, pages, text, tables[pages], seed, **options)


def remembering(name="numpy-docs", settings=REMEMBERING, **changes):
    """Yield a row for each network that is chosen on all valid pages, which rewards it for remembering."""
    words = Words(name)
    table = best_table(words, valid=words.valid)
    for setting in settings:
        options = setting | changes
        began = time.process_time()
        network, history = best_network(words, valid=words.valid, **options)
        row = {"rate": options["rate"], "dropout": options["dropout"], "seed": 0}
        row["best"] = round(history.best_step / steps_of_pass(words.train, RACERS[name]["batch"]), 1)
        against = against_table(network, table, words)
        row |= {"valid": score_text(network, words.valid).perplexity, "test": against.a.perplexity}
        row |= {"difference": against.difference, "low": against.low, "high": against.high}
        yield row | {"seconds": round(time.process_time() - began, 1)}


def searched(name="numpy-docs", settings=SEARCHED, **changes):
    """Yield a row for each other setting of the network of the documentation, for as many passes."""
    words = Words(name)
    for setting in settings:
        options = setting | changes
        began = time.process_time()
        network, history = best_network(words, **options)
        row = {"rate": options["rate"], "dropout": options["dropout"], "seed": 0}
        row["best"] = round(history.best_step / steps_of_pass(words.train, RACERS[name]["batch"]), 1)
        row |= {"choosing": score_text(network, words.choosing).perplexity}
        row |= {"test": score_text(network, words.test).perplexity}
        yield row | {"seconds": round(time.process_time() - began, 1)}


def trained_row(words, pages, text, table, seed, nats=False, **changes):
    """Train a network and score it, for a `documentation_row`."""
    began = time.process_time()
    network, history = best_network(words, text, seed=seed, **changes)
    seconds = time.process_time() - began
    row = documentation_row(words, pages, text, table, seed, network, history, nats, **changes)
    row["seconds"] = round(seconds, 1)
    print(
        f"{pages} {row['rate']} {row['dropout']} seed {seed}: {row['valid']:.1f} valid, "
        f"{row['test']:.1f} test, best after {row['best']:.0f} passes, {seconds:.0f} s",
        flush=True,
    )
    return row


def documentation_row(words, pages, text, table, seed, network, history, nats=False, **changes):
    """What a row of the documentation says of a network, its table and their mixtures.

    With `nats`, it has the surprisals of all tokens of the valid and test text, in thousandths of a nat.
    """
    options = RACERS[words.name] | changes
    a_pass = steps_of_pass(text, options["batch"])
    against, models = against_table(network, table, words), mixtures(words, table, network)
    weights_of = {name: weights for name, (_, weights) in models.items()}
    hits = suggestion_hits(weights_of, table, network, words.test)
    sizes = np.diff(words.test.document_starts)
    page = np.repeat(np.arange(len(sizes)), sizes)
    row = {"pages": pages, **{key: options[key] for key in ("rate", "width", "dropout")}, "seed": seed}
    row |= {"tokens": len(text), "parameters": network.parameter_count}
    row |= {"best": round(history.best_step / a_pass, 1)}
    row |= {"curve": [round(float(value), 4) for value in history.valid_nats]}
    row |= {"choosing": score_text(network, words.choosing).perplexity}
    row |= {"valid": score_text(network, words.valid).perplexity, "test": against.a.perplexity}
    row |= {"table": against.b.perplexity, "order": table.order, "difference": against.difference}
    row |= {"low": against.low, "high": against.high}
    row["models"] = {
        name: {
            "weights": {part: round(weight, 4) for part, weight in weights.items()},
            "bits": " ".join(f"{score.bits:.2f}" for score in score_documents(model, words.test)),
            "hits": " ".join(f"{count:.0f}" for count in np.bincount(page, weights=hits[name])),
        }
        for name, (model, weights) in models.items()
    }
    if nats:
        row["nats"] = {
            part: " ".join(f"{-1000 * value:.0f}" for value in network.log_probs(getattr(words, part)))
            for part in ("valid", "test")
        }
    return row


def thinned(name="numpy-docs", draws=SEEDS, orders=ORDERS, **changes):
    """Yield a row for table and network that learn from random pages, as much text as without the copies."""
    words = Words(name)
    tokens = len(words.without_copies("train", "valid", "test"))
    for draw in draws:
        text = as_long(words, tokens, draw)
        table = best_table(words, text, orders)
        yield trained_row(words, "thinned", text, table, draw, **{"passes": ALONE_PASSES} | changes)


def as_long(words, tokens, seed):
    """Training text of random documents, as many in a row as have so many tokens in all, or fewer."""
    order = np.random.default_rng(seed).permutation(len(words.documents.train))
    sizes = np.diff(words.train.document_starts)[order].cumsum()
    places = order[: np.searchsorted(sizes, tokens, side="right")]
    return tokenize([words.documents.train[i] for i in sorted(places)], vocabulary=words.vocabulary)


def floor(seeds=SEEDS, rates=FLOOR_RATES, steps=SMALL["steps"], every=None, kinds=("GRU", "Transformer")):
    """Yield a row for each network on the agreement source: bits above the source, also at the verbs only.

    With `every`, a row has the curve of the training: bits above the source on the valid text.
    """
    source = AgreementSource()
    train, valid, test = source_texts(source)
    verbs = np.isin(test.strings(), list(source.pairs.values()))
    for kind in kinds:
        for rate in rates:
            for seed in seeds:
                model = NETWORKS[kind](train.vocabulary, seed)
                history = neural.train(
                    model, train, valid=valid, steps=steps, batch=16, lr=rate, seed=seed, every=every,
                    progress=False,
                )  # fmt: skip
                lost = (source.log_probs(test) - model.log_probs(test)) / math.log(2)
                row = {
                    "model": kind, "rate": rate, "seed": seed, "bits": float(lost.mean()),
                    "valid": score_text(model, valid).bits_per("token"),
                    "verb": float(lost[verbs].mean()), "elsewhere": float(lost[~verbs].mean()),
                }  # fmt: skip
                if every:
                    above = (history.valid_nats + source.log_probs(valid).mean()) / math.log(2)
                    row["curve"] = [round(float(bits), 4) for bits in above]
                print(f"{kind} rate {rate} seed {seed}: {row['bits']:.3f} bits above the floor", flush=True)
                yield row


def floor_curve(seed=SEEDS[0], steps=LONG_FLOOR_STEPS, every=FLOOR_EVERY):
    """Return how far a GRU is above the source in the course of its longer training."""
    (row,) = floor(seeds=[seed], steps=steps, every=every, kinds=["GRU"])
    return {key: row[key] for key in ("model", "seed", "curve")} | {"every": every}


NETWORKS = {
    "GRU": lambda words, seed: neural.RecurrentLM(words, "gru", width=SMALL["width"], seed=seed),
    "Transformer": lambda words, seed: neural.TransformerLM(
        words, **{key: SMALL[key] for key in ("context", "width", "heads", "layers")}, seed=seed
    ),
}
