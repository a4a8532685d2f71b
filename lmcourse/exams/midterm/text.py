"""Tasks of the midterm about perplexities and units: chapters 04 and 05."""

from __future__ import annotations

import math

import numpy as np

from lmcourse.exams.part import Part, draw_apart, value_part
from lmcourse.hints.question import Mistake

LN2 = math.log(2)


def pooled(rng) -> Part:
    """04: the perplexity of a corpus from those of its documents."""

    def draw(rng):
        tokens = rng.choice([120, 180, 260, 400, 640, 900, 1400, 2100], 3, replace=False)
        return tokens, np.round(rng.uniform(15, 400, 3), 1)

    def right(tokens, ppl):
        return math.exp(np.average(np.log(ppl), weights=tokens))

    mistakes = (
        Mistake("M8", lambda n, ppl: ppl.mean(), "That is the mean of the three perplexities."),
        Mistake(
            "M9",
            lambda n, ppl: math.exp(np.log(ppl).mean()),
            "You average the three losses with equal weights: a short document counts like a long one.",
        ),
        Mistake(
            "M11",
            lambda n, ppl: np.average(ppl, weights=n),
            "You weight the perplexities with the tokens. Weight their logarithms: exponentiate last.",
        ),
        Mistake(
            "M4",
            lambda n, ppl: np.average(np.log(ppl), weights=n),
            "That is the loss in nats per token. The perplexity is its exponential.",
        ),
    )
    tokens, ppl = draw_apart(rng, draw, right, mistakes)
    rows = "\n".join(f"| {name} | {n} | {x} |" for name, n, x in zip("ABC", tokens, ppl, strict=True))
    return value_part(
        "pooled",
        title="three documents, one corpus",
        chapters="04",
        minutes=6,
        points=4,
        right=right,
        case=(tokens, ppl),
        mistakes=mistakes,
        given=f"tokens = np.array({tokens.tolist()})\nperplexities = np.array({ppl.tolist()})",
        text=f"""
One model was scored on each document of a corpus by itself.

| document | scored tokens | perplexity |
|---|---|---|
{rows}

Set `pooled` to the model's perplexity on the corpus of all three.
""",
        task="the perplexity of the three documents together",
        solution="pooled = np.exp(np.average(np.log(perplexities), weights=tokens))",
    )


def converted(rng) -> Part:
    """05: one loss, four units."""

    def draw(rng):
        words = int(rng.integers(600, 2400))
        tokens = int(words * rng.uniform(1.2, 1.6))
        chars = int(words * rng.uniform(5.1, 6.4))
        return round(rng.uniform(12, 60), 2), tokens, words, chars, int(chars * rng.uniform(1.03, 1.12))

    def right(ppl, tokens, words, chars, octets):
        nats = tokens * math.log(ppl)
        return {
            "bits per character": nats / LN2 / chars,
            "bits per byte": nats / LN2 / octets,
            "perplexity per word": math.exp(nats / words),
        }

    mistakes = (
        Mistake(
            "M1",
            lambda ppl, t, w, c, o: (
                right(ppl, t, w, c, o)
                | {"bits per character": t * math.log(ppl) / c, "bits per byte": t * math.log(ppl) / o}
            ),
            "Yours are nats: divide by ln 2 for bits.",
        ),
        Mistake(
            "M35",
            lambda ppl, t, w, c, o: right(ppl, t, w, c, o) | {"perplexity per word": ppl * t / w},
            "You multiply the perplexity by tokens per word. The ratio belongs in the exponent.",
        ),
        Mistake(
            "L34",
            lambda ppl, t, w, c, o: right(ppl, t, w, c, o) | {"perplexity per word": ppl ** (w / t)},
            "Your exponent is upside down. A word holds more than one token, so its perplexity is higher.",
        ),
        Mistake(
            "M38",
            lambda ppl, t, w, c, o: right(ppl, t, w, o, c),
            "You have exchanged characters and bytes.",
        ),
        Mistake(
            "M36",
            lambda ppl, t, w, c, o: right(ppl, t, w, c, o) | {"bits per character": t * math.log2(ppl) / w},
            "Those are bits per word. Divide by the characters.",
        ),
    )
    ppl, tokens, words, chars, octets = draw_apart(rng, draw, right, mistakes)
    return value_part(
        "converted",
        title="one loss in three units",
        chapters="05",
        minutes=7,
        points=4,
        parts=(1, 1, 2),
        right=right,
        case=(ppl, tokens, words, chars, octets),
        mistakes=mistakes,
        given=f"perplexity, tokens, words, characters, octets = {ppl}, {tokens}, {words}, {chars}, {octets}",
        text=f"""
A model with a subword tokenizer has a perplexity of {ppl} per token. The scored text has {tokens}
tokens, {words} words (each line end counts as one token and one word), {chars} characters and {octets} bytes.

Set `converted` to a dictionary with the keys `"bits per character"`, `"bits per byte"` and `"perplexity
per word"`.
""",
        task="bits per character, bits per byte, and the perplexity per word",
        solution="""
nats = tokens * np.log(perplexity)
converted = {
    "bits per character": nats / np.log(2) / characters,
    "bits per byte": nats / np.log(2) / octets,
    "perplexity per word": np.exp(nats / words),
}
""",
    )


def asked(rng) -> Part:
    """04 and 05: in words, what must be asked before two numbers are compared."""
    ours, theirs = round(rng.uniform(14, 30), 1), round(rng.uniform(35, 80), 1)
    hidden = str(rng.choice(["documents", "vocabulary", "adapts"]))
    story, fault, effect = {
        "documents": (
            f"It is the mean over {int(rng.integers(180, 420))} documents, each scored from an empty context",
            "a mean of perplexities over documents, or the empty context at the beginning of each",
            "An empty context at each beginning raises the number; the mean of perplexities can lie on either"
            " side of the pooled one, because short documents weigh as much as long ones.",
        ),
        "vocabulary": (
            f"Words seen fewer than {int(rng.integers(3, 9))} times in training are `<unk>` in both texts",
            "one symbol that stands for all rare words",
            "That lowers the number: which rare word it was is never paid for.",
        ),
        "adapts": (
            f"A cache of the last {int(rng.integers(2, 9)) * 500} words of the test text is mixed in",
            "a model that adapts to the text it is scored on",
            "That lowers the number, fairly so if the other side may do the same; a paper's static model does"
            " not.",
        ),
    }[hidden]
    return Part(
        "asked",
        title="before two numbers are compared",
        chapters="04, 05",
        minutes=10,
        points=6,
        text=f"""
A colleague reports a perplexity of {ours} on a news text. A paper reports {theirs} on "the same text".
The colleague's note says: *{story}.* The paper says nothing about that; it says "perplexity per word".

Write six to ten sentences. Name the property of the colleague's number that makes the comparison
unfair, and say whether it makes the perplexity too high or too low, or why this cannot be known. Name two
more facts that you would ask both sides for, and say for each how it changes the number. Say which single
number you would ask for that could be compared.
""",
        prompt="*Write six to ten sentences here.*",
        model=f"The note describes {fault}. {effect} Facts to ask for: whether ends of sentences are scored"
        " and counted, which context each token had, how unknown words are scored, the base of the"
        " logarithm, the version of the text. A number that can be compared: the total bits of the same"
        " characters under full probability, per character.",
        rubric=(
            (2, f"names {fault}, and its effect: {effect}"),
            (2, "two more facts, each with its effect on the number."),
            (1, "total bits per character (or byte) of the same text, nothing left out."),
            (1, "clear, with units, and only comparable numbers compared."),
        ),
    )
