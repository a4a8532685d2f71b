"""What chapter 12 says of models that change, where a text has to be downloaded or several networks trained.

It is stored in ``book/reproduced.json`` under "changes", by the same command as the published numbers.
"""

import itertools
import math

import numpy as np
import torch
from opencc import OpenCC

from lmcourse.measuring.reproduced import made, store
from lmcourse.pages.versions import change, forecasts, kilobytes, rounded
from lmmetrics import corpora, neural, score_text
from lmmetrics.ngram import NGramModel, WittenBell
from lmmetrics.text import tokenize

F = torch.nn.functional
SEEDS = range(5)
BITS = 8, 6, 5, 4, 3, 2
STUDENT_BITS = 8, 6, 5, 4
STUDENT, STEPS = 48, 1500
"""Units of the distilled network, and the steps of its training."""


def recompute():
    """Measure poems and networks, print what was found, and store it."""
    found = {"poems": poems(), "few": poems(24, 200), "seeds": list(seeds())}
    for name in ("poems", "few"):
        for row in found[name]:
            print(
                f"{row['model']:6} on {row['run']:36} {row['perplexity']:9.1f}  {row['unknown']:.1%} unknown"
            )
    for row in found["seeds"]:
        print(f"seed {row['seed']}: perplexity {row['perplexity']:.3f}")
        for name, one in (("4 bits", row["rounded"]["4"]), *row["student"].items()):
            print(f"    {name:8} {one['rise']:+.2%}, KL {one['kl']:.3f}, {one['changed']:.1%} changed")
    store({"changes": made(**found)})


def poems(tales=None, verses=None):
    """The tales' model and the poems' own, on both texts and in both scripts: one row for each run.

    Parameters
    ----------
    tales, verses : int, optional
        How many training tales and poems are read; all by default.
    """
    story, verse = corpora.load("tales-zh"), corpora.load("tang-300")
    to_traditional, to_simple = OpenCC("s2t").convert, OpenCC("t2s").convert
    simple = {name: [*map(to_simple, getattr(verse, name))] for name in ("train", "test")}
    runs = {
        "tales, simplified": story.test,
        "tales, traditional": [*map(to_traditional, story.test)],
        "poems, simplified": simple["test"],
        "poems, traditional": verse.test,
    }
    models = {
        "tales": (story.train[:tales], list(runs)),
        "poems": (verse.train[:verses], ["poems, traditional", "tales, simplified"]),
        "poems, simplified": (simple["train"][:verses], ["poems, simplified"]),
    }
    rows = []
    for name, (read, which) in models.items():
        for by, order in (("char", 3), ("byte", 6)):
            train = tokenize(read, by=by)
            model = NGramModel(order, WittenBell()).fit(train)
            for run in which:
                rows.append(
                    scored(model, name, run, by, tokenize(runs[run], by=by, vocabulary=train.vocabulary))
                )
                rows[-1]["read"] = train.chars
    return rows


def scored(model, name, run, by, text):
    """One row: with the unknown characters scored as `<unk>`, and with them left out."""
    nats, score = -model.log_probs(text), score_text(model, text)
    known = text.ids != text.vocabulary.unk if by == "char" else np.ones(len(text), dtype=bool)
    return {
        "model": name, "run": run, "by": by, "tokens": len(text), "characters": score.chars,
        "perplexity": score.perplexity, "bits per character": score.bits_per("char"),
        "unknown": score.unknown / len(text), "known": math.exp(nats[known].mean()),
    }  # fmt: skip


def seeds():
    """For each seed: a network and students with and without a teacher, each of them rounded, too."""
    docs = corpora.load("numpy-docs")
    english = [corpora.load(name).train for name in ("tales-en", "numpy-docs", "sympy-docs")]
    letters = tokenize(itertools.chain(*english), by="char").vocabulary
    parts = docs.train, docs.valid  # the chapter's test pages are for its verdicts
    train, valid = (tokenize(part, by="char", vocabulary=letters) for part in parts)
    for seed in SEEDS:
        network = neural.RecurrentLM(letters, "gru", width=128, seed=seed, state="document")
        neural.train(network, train, steps=800, batch=16, length=32, lr=5e-3, seed=seed, progress=False)
        old = forecasts(network, valid)
        row = {"seed": seed, "perplexity": score_text(network, valid).perplexity, "kB": kilobytes(network)}
        row["rounded"] = {
            str(bits): {
                "kB": kilobytes(network, bits),
                **means(old, forecasts(rounded(network, bits), valid), valid),
            }
            for bits in BITS
        }
        row["student"] = {}
        rows = forecasts(network, train).exp()  # 120 MB
        for name, targets in (("text", torch.from_numpy(train.ids.astype(np.int64))), ("teacher", rows)):
            student = neural.RecurrentLM(letters, "gru", width=STUDENT, seed=seed, state="document")
            imitate(student, targets, train, seed)
            row["student"][name] = {
                "kB": kilobytes(student),
                **means(old, forecasts(student, valid), valid),
                "rounded": {
                    str(bits): {
                        "kB": kilobytes(student, bits),
                        **means(old, forecasts(rounded(student, bits), valid), valid),
                    }
                    for bits in STUDENT_BITS
                },
            }
        yield row


def imitate(student, targets, text, seed):
    """Train on the symbols int64[N] of a text, or on a teacher's forecasts float32[N, V] of each of them."""
    rng = np.random.default_rng(seed)
    inputs = torch.from_numpy(neural.inputs_of(text))
    optimiser = torch.optim.Adam(student.parameters(), lr=8e-3)
    decay = torch.optim.lr_scheduler.CosineAnnealingLR(optimiser, STEPS, eta_min=8e-4)
    student.train()
    for _ in range(STEPS):
        at = torch.from_numpy(rng.integers(0, len(inputs) - 64, 16)[:, None] + np.arange(64))
        logits = student(inputs[at]).clamp(min=-1e4)  # 0 for <s> in the target, and nothing infinite
        loss = F.cross_entropy(logits.flatten(0, 1), targets[at].flatten(0, 1))
        optimiser.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(student.parameters(), 1.0)
        optimiser.step()
        decay.step()


def means(old, new, text):
    """What changed, on average: rise of the perplexity, KL divergence, share of changed guesses."""
    found = {name: values.mean() for name, values in change(old, new, text).items()}
    return {"rise": math.expm1(found["nats"]), "kl": float(found["kl"]), "changed": float(1 - found["same"])}
