"""What chapter 12 says of models that change, where a text has to be downloaded or several networks trained.

It is stored in ``book/reproduced.json`` under "changes", by the same command as the published numbers.
"""

import collections
import itertools
import math
from functools import partial
from types import SimpleNamespace
from typing import Literal

import numpy as np
import torch
from opencc import OpenCC

from lmcourse.experiments.storage import made, store
from lmcourse.pages.versions import change, copied, forecasts, kilobytes, rounded
from lmmetrics import compare, corpora, neural, score_text
from lmmetrics.ngram import NGramModel, WittenBell
from lmmetrics.text import tokenize

F = torch.nn.functional
SEEDS = range(5)
ORDERS: tuple[tuple[Literal["char", "byte"], int], ...] = ("char", 3), ("byte", 6)
BITS = 8, 6, 5, 4, 3, 2
STUDENT_BITS = 8, 6, 5, 4
STUDENT, STEPS = 48, 1500
"""Units of the distilled network, and the steps of its training."""
RATE = 8e-3
OTHER_STUDENTS = (
    (0, 80, RATE, "teacher"),
    (0, 100, RATE, "teacher"),
    (0, STUDENT, RATE / 2, "teacher"),
    (0, 80, RATE, "text"),
    (1, 80, RATE, "text"),
)
"""Further students: the seed of the network, units, learning rate, and what the student learns from."""
NEW_TALES, RATES = 12, (1e-3, 1e-4)
"""How many tales a network is adapted to, and the learning rates that are tried."""
TUNED_STEPS = 10, 20, 30, 40, 60, 80, 160
SHARES = 0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7
"""How long fine-tuning goes on, and the weights of the second model in a mixture."""
ALLOWED = 0.01
"""By how much the perplexity of the old text may rise: the margin of the chapter."""
PROMPT, WRITTEN, WRITING_BITS = 100, (10, 20, 40), (8, 6, 5, 4)
"""Characters of a prompt, after how many more two texts are compared, and the bits of the second writer."""


def recompute():
    """Measure poems and networks, print what was found, and store it."""
    found = {
        "poems": poems(),
        "few": poems(24, 200),
        "spelt": spelt(),
        "seeds": list(seeds()),
        "students": list(other_students()),
    }
    for name in ("poems", "few"):
        for row in found[name]:
            print(
                f"{row['model']:6} on {row['run']:36} {row['perplexity']:9.1f}  {row['unknown']:.1%} unknown"
            )
    for row in found["seeds"]:
        print(f"seed {row['seed']}: perplexity {row['perplexity']:.3f}")
        for name, one in (("4 bits", row["rounded"]["4"]), *row["student"].items()):
            print(f"    {name:8} {one['rise']:+.2%}, KL {one['kl']:.3f}, {one['changed']:.1%} changed")
        for name, one in row["adapted"].items():
            if name == "start":
                continue
            print(f"    {name:10} {one['chosen']}: {one['test']}")
    for row in found["students"]:
        name = f"seed {row['seed']}, {row['units']} units, of the {row['of']}"
        print(f"{name}: {row['rise']:+.2%}, KL {row['kl']:.3f}")
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
        for by, order in ORDERS:
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


def spelt():
    """Byte models of the tales and of the poems, which have to spell each character: nats of each document.

    A character is called known if the tales' training text contains it in its simplified form: the same
    positions in both scripts. Each document is a row: the number of known and of other characters, and the
    nats of either kind.
    """
    story, verse = corpora.load("tales-zh"), corpora.load("tang-300")
    to_traditional, to_simple = OpenCC("s2t").convert, OpenCC("t2s").convert
    poems = [*map(to_simple, verse.test)]
    models = {"tales": story.train, "poems": [*map(to_simple, verse.train)]}
    runs = {
        ("tales", "tales, simplified"): (story.test, story.test),
        ("tales", "tales, traditional"): ([*map(to_traditional, story.test)], story.test),
        ("tales", "poems, simplified"): (poems, poems),
        ("tales", "poems, traditional"): (verse.test, poems),
        ("poems", "poems, simplified"): (poems, poems),
    }
    seen, rows = set("".join(story.train)), []
    for name, read in models.items():
        train = tokenize(read, by="byte")
        model = NGramModel(6, WittenBell()).fit(train)
        for (of, run), (documents, simple) in runs.items():
            if of == name:
                text = tokenize(documents, by="byte", vocabulary=train.vocabulary)
                nats = np.split(-model.log_probs(text), text.document_starts[1:-1])
                rows.append(
                    {"model": name, "run": run, "documents": [*map(sums(seen), simple, documents, nats)]}
                )
    return rows


def sums(seen):
    """A function that adds up the nats of a document's bytes, apart for known and other characters."""

    def of_document(simple, document, nats):
        starts = np.cumsum([0, *(len(character.encode()) for character in document)])
        of_character = np.add.reduceat(nats[: starts[-1]], starts[:-1])  # what ends the document is left out
        known = np.array([character in seen for character in simple], dtype=bool)
        assert len(known) == len(of_character)
        return [
            int(known.sum()), int((~known).sum()),
            float(of_character[known].sum()), float(of_character[~known].sum()),
        ]  # fmt: skip

    return of_document


def seeds(which=SEEDS):
    """For each seed: a network and its students, each of them rounded, and its adaptations to new text."""
    letters, train, valid = pages()
    first = None
    for seed in which:
        network = teacher(letters, train, seed)
        old = forecasts(network, valid)
        row = {"seed": seed, "perplexity": score_text(network, valid).perplexity, "kB": kilobytes(network)}
        row["rounded"] = {
            str(bits): {
                "kB": kilobytes(network, bits),
                **means(old, forecasts(rounded(network, bits), valid), valid),
            }
            for bits in BITS
        }
        if first is None:
            first = old
        else:
            row["from the first"] = means(first, old, valid)
        row["student"] = {}
        rows = forecasts(network, train).exp()  # 120 MB
        symbols = torch.from_numpy(train.ids.astype(np.int64))
        learn = partial(student, letters, train, valid, old, seed=seed)
        for name, targets in (("text", symbols), ("teacher", rows)):
            row["student"][name] = learn(targets, STUDENT)
        row["adapted"] = adapted(network, letters, seed)
        row["written"] = written(network, valid)
        yield row


def pages():
    """The symbols of three English corpora, and the training and valid pages of the network."""
    docs = corpora.load("numpy-docs")
    english = [corpora.load(name).train for name in ("tales-en", "numpy-docs", "sympy-docs")]
    letters = tokenize(itertools.chain(*english), by="char").vocabulary
    parts = docs.train, docs.valid  # the chapter's test pages are for its verdicts
    return letters, *(tokenize(part, by="char", vocabulary=letters) for part in parts)


def teacher(letters, train, seed):
    """The network of the chapter, from this seed."""
    network = neural.RecurrentLM(letters, "gru", width=128, seed=seed, state="document")
    neural.train(network, train, steps=800, batch=16, length=32, lr=5e-3, seed=seed, progress=False)
    return network


def student(letters, train, valid, old, targets, units, rate=RATE, seed=0, bits=STUDENT_BITS):
    """A smaller network that learns the targets of `imitate`: against the old forecasts, and rounded."""
    network = neural.RecurrentLM(letters, "gru", width=units, seed=seed, state="document")
    imitate(network, targets, train, seed, rate)
    of_bits = {
        str(b): {"kB": kilobytes(network, b), **means(old, forecasts(rounded(network, b), valid), valid)}
        for b in bits
    }
    found = means(old, forecasts(network, valid), valid)
    return {"kB": kilobytes(network), **found, "rounded": of_bits}


def other_students(which=OTHER_STUDENTS):
    """Students with other widths and another learning rate, each of them rounded."""
    letters, train, valid = pages()
    symbols = torch.from_numpy(train.ids.astype(np.int64))
    for seed, rows in itertools.groupby(which, key=lambda row: row[0]):
        network = teacher(letters, train, seed)
        old = forecasts(network, valid)
        targets = {"text": symbols, "teacher": forecasts(network, train).exp()}
        for _, units, rate, of in rows:
            found = student(letters, train, valid, old, targets[of], units, rate, seed, STUDENT_BITS[1:])
            yield {"seed": seed, "units": units, "rate": rate, "of": of, **found}


def adapted(network, letters, seed):
    """A network's fine-tuning, with and without old pages, and its mixtures.

    It is mixed with a small model, and with its own copy: the one that was fine-tuned longest, at the higher
    rate. For each way: perplexities of new and old text along its curve, on valid documents, and the upper
    end of the paired interval of the change on the old text. The point with the lowest perplexity on the new
    text among those whose upper end is below the margin is judged on test documents: changes of the
    perplexity, each with its paired interval.
    """
    tales, pages = corpora.load("tales-en"), corpora.load("numpy-docs")
    chars = partial(tokenize, by="char", vocabulary=letters)
    few = tales.train[:NEW_TALES]
    new, both = chars(few), chars([*few, *as_much(pages.train, sum(map(len, few)), seed)])
    valid = chars(tales.valid), chars(pages.valid)
    test = (
        chars([*tales.train[NEW_TALES:], *tales.test]),
        chars(pages.test),
    )  # no version has read these tales
    small = NGramModel(5, WittenBell()).fit(new)
    before = {text: of_tokens(network, text) for text in (*valid, *test)}
    start = [perplexity(before[text]) for text in valid]
    ways: dict[str, list] = {"fine-tuned": [], "replay": [], "mixture": [], "own copy": []}
    for name, text in (("fine-tuned", new), ("replay", both)):
        for rate, steps in itertools.product(RATES, TUNED_STEPS):
            ways[name].append(
                ({"lr": rate, "steps": steps}, partial(of_tokens, tuned(network, text, steps, rate, seed)))
            )
    copy = next(
        score for how, score in ways["fine-tuned"] if how == {"lr": RATES[0], "steps": TUNED_STEPS[-1]}
    )
    for name, second in (("mixture", small.log_probs), ("own copy", copy)):
        scores = {text: second(text) for text in (*valid, *test)}
        for share in SHARES:
            ways[name].append(
                (
                    {"share": share},
                    lambda text, share=share, scores=scores: mixed(before[text], scores[text], share),
                )
            )
    found: dict = {"start": start}
    for name, versions in ways.items():
        points = [
            {**how, **of_valid(score(valid[0]), score(valid[1]), before[valid[1]], valid[1])}
            for how, score in versions
        ]
        allowed = [k for k, point in enumerate(points) if point["high"] < ALLOWED]
        chosen = min(allowed, key=lambda k: points[k]["new"], default=None)
        found[name] = {"points": points, "chosen": chosen, "test": None}
        if chosen is not None:
            found[name]["test"] = [against(versions[chosen][1](text), before[text], text) for text in test]
    return found


def of_valid(new, old, before, text):
    """Perplexities of new and old text, and the upper end of the change on the old one, as a fraction."""
    return {"new": perplexity(new), "old": perplexity(old), "high": against(old, before, text)[2]}


def of_tokens(network, text):
    """ln q of each token, float64[N]; documents are read together, which is faster than ``log_probs``."""
    came = torch.from_numpy(text.ids.astype(np.int64))[:, None]
    return forecasts(network, text).gather(1, came)[:, 0].double().numpy()


def tuned(network, text, steps, rate, seed):
    """A copy of a network after so many more steps, on this text."""
    new = copied(network)
    neural.train(
        new, text, steps=steps, batch=16, length=32, lr=rate, schedule="constant", seed=seed, progress=False
    )
    return new


def written(network, text):
    """How many texts that a rounded network writes differ from the original's, which starts in the same way.

    Each document gives one prompt, its first characters; both networks continue it with their first guesses.
    """
    old = continuations(network, text)
    found = {"prompts": len(old), "alike": alike(old)}
    for bits in WRITING_BITS:
        apart = (continuations(rounded(network, bits), text) != old).numpy()
        found[str(bits)] = [int(apart[:, :length].any(axis=1).sum()) for length in WRITTEN]
    return found


def alike(texts, length=10):
    """In how many texts, int64[D, N], the same `length` symbols stand in a row: those of the most texts."""
    runs = [{tuple(row) for row in text.unfold(0, length, 1).tolist()} for text in texts]
    return max(collections.Counter(itertools.chain.from_iterable(runs)).values())


def continuations(network, text, prompt=PROMPT, length=WRITTEN[-1]):
    """The symbols that a network writes after each document's first ones, int64[D, length].

    It always takes its first guess. After the end of a document it writes nothing but that end.
    """
    sizes = np.diff(text.document_starts)
    starts = [
        inputs[: prompt + 1] for inputs in torch.from_numpy(neural.inputs_of(text)).split(sizes.tolist())
    ]
    given = torch.stack([inputs for inputs in starts if len(inputs) == prompt + 1])
    end, made = network.vocabulary.eos, []
    over = torch.zeros(len(given), dtype=torch.bool)
    with torch.no_grad():
        features, state = network.eval().features(given)
        for _ in range(length):
            guess = network.head.log_probs(features[:, -1:])[:, 0].argmax(-1)
            made.append(torch.where(over, end, guess))
            over |= made[-1] == end
            features, state = network.features(made[-1][:, None], state)
    return torch.stack(made, dim=1)


def as_much(pages, size, seed):
    """Whole pages in a random order, up to `size` characters in all."""
    taken, left = [], size
    for k in np.random.default_rng(seed).permutation(len(pages)):
        if len(pages[k]) <= left:
            taken.append(pages[k])
            left -= len(pages[k])
    return taken


def mixed(one, other, share):
    return np.logaddexp(math.log1p(-share) + one, math.log(share) + other)


def perplexity(log_probs):
    return float(np.exp(-log_probs.mean()))


def against(new, old, text):
    """The change of the perplexity (a fraction) and its paired 95 % interval by bootstrap over documents."""

    def scored(log_probs):
        return SimpleNamespace(vocabulary=text.vocabulary, log_probs=lambda text: log_probs)

    found = compare(scored(new), scored(old), text, seed=12, interval="bootstrap")
    return [2**bits - 1 for bits in (found.difference, found.low, found.high)]


def imitate(student, targets, text, seed, rate=RATE):
    """Train on the symbols int64[N] of a text, or on a teacher's forecasts float32[N, V] of each of them."""
    rng = np.random.default_rng(seed)
    inputs = torch.from_numpy(neural.inputs_of(text))
    optimiser = torch.optim.Adam(student.parameters(), lr=rate)
    decay = torch.optim.lr_scheduler.CosineAnnealingLR(optimiser, STEPS, eta_min=rate / 10)
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
