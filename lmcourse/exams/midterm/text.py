"""Tasks of the midterm about perplexities and units: chapters 04 and 05."""

from __future__ import annotations

import math
from functools import partial

import numpy as np

from lmcourse.exams.task import ExamTask, rows, value_builder
from lmcourse.hints.question import Mistake
from lmcourse.questions.shared.units import LN2
from lmcourse.questions.shared.wrong import but

# --- pooled: the perplexity of a corpus from those of its documents ---------------------------------------


def _documents(rng):
    tokens = rng.choice([120, 180, 260, 400, 640, 900, 1400, 2100], 3, replace=False)
    return tokens, np.round(rng.uniform(15, 400, 3), 1)


def _pooled(tokens, ppl):
    return math.exp(np.average(np.log(ppl), weights=tokens))


pooled = value_builder(
    title="three documents, one corpus",
    draw=_documents,
    right=_pooled,
    mistakes=(
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
    ),
    given="tokens = np.array({tokens})\nperplexities = np.array({ppl})",
    fields=lambda tokens, ppl: {"table": rows("ABC", tokens, ppl)},
    text="""
One model was scored on each document of a corpus separately.

| document | scored tokens | perplexity |
|---|---|---|
{table}

Set `pooled` to the model's perplexity on the corpus of all three.
""",
    message="the perplexity of the three documents together",
    solution="pooled = np.exp(np.average(np.log(perplexities), weights=tokens))",
)

# --- converted: one loss, several units -------------------------------------------------------------------


def _counts(rng):
    words = int(rng.integers(600, 2400))
    tokens = int(words * rng.uniform(1.2, 1.6))
    chars = int(words * rng.uniform(5.1, 6.4))
    return round(rng.uniform(12, 60), 2), tokens, words, chars, int(chars * rng.uniform(1.03, 1.12))


def _converted(ppl, tokens, words, chars, octets, unit=LN2):
    nats = tokens * math.log(ppl)
    return {
        "bits per character": nats / unit / chars,
        "bits per byte": nats / unit / octets,
        "perplexity per word": math.exp(nats / words),
    }


converted = value_builder(
    title="one loss in three units",
    entry_points=(1, 1, 2),
    draw=_counts,
    right=_converted,
    mistakes=(
        Mistake("M1", partial(_converted, unit=1.0), "Yours are nats: divide by ln 2 for bits."),
        Mistake(
            "M35",
            but(_converted, {"perplexity per word": lambda ppl, t, w, c, o: ppl * t / w}),
            "You multiply the perplexity by tokens per word. The ratio belongs in the exponent.",
        ),
        Mistake(
            "L34",
            but(_converted, {"perplexity per word": lambda ppl, t, w, c, o: ppl ** (w / t)}),
            "Your exponent is upside down. A word holds more than one token, so its perplexity is higher.",
        ),
        Mistake(
            "M38",
            lambda ppl, t, w, c, o: _converted(ppl, t, w, o, c),
            "You have exchanged characters and bytes.",
        ),
        Mistake(
            "M36",
            but(_converted, {"bits per character": lambda ppl, t, w, c, o: t * math.log2(ppl) / w}),
            "Those are bits per word. Divide by the characters.",
        ),
    ),
    given="perplexity, tokens, words, characters, octets = {ppl}, {tokens}, {words}, {chars}, {octets}",
    text="""
A model with a subword tokenizer has a perplexity of {ppl} per token. The scored text has {tokens}
tokens, {words} words (each line end counts as one token and one word), {chars} characters and {octets} bytes.

Set `converted` to a dictionary with the keys `"bits per character"`, `"bits per byte"` and `"perplexity
per word"`.
""",
    message="bits per character, bits per byte, and the perplexity per word",
    solution="""
nats = tokens * np.log(perplexity)
converted = {
    "bits per character": nats / np.log(2) / characters,
    "bits per byte": nats / np.log(2) / octets,
    "perplexity per word": np.exp(nats / words),
}
""",
)

# --- asked: in words, what must be asked before two numbers are compared ----------------------------------

STORIES = {
    "mean": (
        "The number is the mean of the perplexities of {documents} documents",
        "a mean of perplexities over documents",
        "It can lie on either side of the pooled perplexity, because short documents weigh as much as long"
        " ones; so nobody can say whether pooling would give a lower number or a higher one.",
        "words",
    ),
    "contexts": (
        "Each of the {documents} documents was scored from an empty context",
        "the empty context at the beginning of each document",
        "That makes the number higher than if the context were carried over: the first words of each"
        " document are predicted from next to nothing.",
        "contexts",
    ),
    "vocabulary": (
        "Words seen fewer than {times} times in the training text are `<unk>` in the test text, too",
        "one symbol that stands for all rare words",
        "That makes the number lower than if every word were scored in full: which rare word it was is"
        " never paid for.",
        "unknown",
    ),
    "adapts": (
        "Before each word, the model also reads a cache of the {words} words of the test text before it",
        "a model that adapts to the text that it is scored on",
        "That makes the number lower than without the cache, which is fair only if the other side may do"
        " the same.",
        "contexts",
    ),
}
"""What the colleague's note says, the property that makes the comparison unfair, its effect, and which of
`FACTS` that is."""

FACTS = {
    "ends": "whether the ends of sentences are scored and counted (they are easy, so that the number falls)",
    "contexts": "how much text stands before a word when it is scored (more lowers the number)",
    "unknown": "how unknown words are scored (one symbol for all of them lowers the number)",
    "words": "what counts as a word (commas and full stops as words of their own lower the number)",
    "version": "which version of the text it was (lower case or one sign for all numbers lowers the number)",
}
"""What to ask both sides for, and how each fact changes the number."""

ASKED = """
A colleague reports a perplexity of {ours} per word on a news text. A paper reports {theirs} per word on "the
same text". The colleague's note says: *{story}.* The paper says nothing about that.

Write six to ten sentences. Name the property of the colleague's number that makes the comparison unfair.
Say whether this property makes the colleague's perplexity higher or lower, whatever the paper did, or why
even this cannot be said. Name two more facts that you would ask both sides for, and say for each how it
changes the number. Say which single number you would ask for that could be compared.
"""


def asked(rng, **from_template) -> ExamTask:
    """04 and 05: in words, what must be asked before two numbers are compared."""
    ours, theirs = round(rng.uniform(14, 30), 1), round(rng.uniform(35, 80), 1)
    kind = str(rng.choice(list(STORIES)))
    story, fault, effect, same = STORIES[kind]
    numbers = {
        "documents": int(rng.integers(180, 420)),
        "times": int(rng.integers(3, 9)),
        "words": int(rng.integers(2, 9)) * 500,
    }
    return ExamTask(
        choices=(kind,),
        title="before two numbers are compared",
        text=ASKED.format(ours=ours, theirs=theirs, story=story.format(**numbers)),
        prompt="*Write six to ten sentences here.*",
        model=" ".join(
            [
                f"The note describes {fault}.",
                effect,
                *(f"Both sides must say {fact}." for name, fact in FACTS.items() if name != same),
                "A number that can be compared is the total bits of the same characters, with nothing left"
                " out, divided by the number of characters.",
                f"Until both sides have it, {ours} and {theirs} per word are not compared.",
            ]
        ),
        rubric=(
            (2, f"names {fault}, and its effect: {effect}"),
            (
                2,
                "two more facts, such as two of the model answer's four, each with its effect on the number.",
            ),
            (1, "total bits per character (or byte) of the same text, nothing left out."),
            (1, "clear, with units, and only comparable numbers compared."),
        ),
        **from_template,
    )
