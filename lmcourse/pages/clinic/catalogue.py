"""The explanations of the wrong-number clinic: what each mistake does to a number.

The page gets them as JSON and evaluates them in the reader's browser; the table on the page and the test use
the same ones. Left out: two mistakes at once, and mistakes that do not determine the number (`UNNUMBERED`).
"""

from __future__ import annotations

import functools

from lmcourse.pages.clinic.explanations import FIELDS, Explanation, Hint
from lmmetrics.score import LABELS, UNITS

__all__ = ["COMMON", "EXPLANATIONS", "UNNUMBERED"]

TOKEN, CHAR = ("token",), ("char",)
per_token = functools.partial(Explanation, units=TOKEN)
of_perplexity = functools.partial(Explanation, quantities=("perplexity",))
# an end costs less than the average token, and an unknown word more
of_end = functools.partial(per_token, low="0.01 * h", high="h", typical="0.3 * h")
of_unknown = functools.partial(per_token, low="1.2 * h", high="25", typical="2 * h")
trivial = functools.partial(Explanation, low="0", high="0.05", family="close to 1")
CONFUSED = {frozenset({"token", "word"}): "M34", frozenset({"char", "byte"}): "M38"}
"""The mistake of taking one unit for the other; for any other two it is M36."""

BASES = (
    Explanation(
        "M1",
        "A loss in nats was used as if it were in bits: 2 was raised to it, or nothing was divided by ln 2.",
        "h * ln2",
    ),
    Explanation("M2", "A loss in bits was used as if it were in nats: e was raised to it.", "h / ln2"),
    Explanation("M3", "A log10 score was used as if it were natural: e was raised to it.", "h / ln10"),
    Explanation("M3", "A log10 score was used as if it were in bits: 2 was raised to it.", "h * ln2 / ln10"),
    Explanation(
        "M3",
        "A natural loss was used as if it were a log10 score: 10 was raised to it.",
        "h * ln10",
        rare=True,
    ),
    Explanation(
        "M3",
        "A loss in bits was used as if it were a log10 score: 10 was raised to it.",
        "h * ln10 / ln2",
        rare=True,
    ),
    of_perplexity("M4", "This is the loss in nats; nobody took the exponential.", number="h"),
    of_perplexity("M4", "This is the loss in bits; nobody took the power of 2.", number="h / ln2"),
    of_perplexity("M4", "This is the square root of the loss.", number="sqrt(h)", rare=True),
    Explanation(
        "M4",
        "This is the perplexity, where the loss was asked.",
        number="exp(h)",
        quantities=("bits", "nats"),
    ),
    Explanation(
        "M5", "The minus sign is lost: the exponent is the mean log probability, not its negative.", nats="-h"
    ),
    of_perplexity("M5", "This is the mean log probability itself, with its sign.", number="-h"),
    of_perplexity(
        "M48",
        "gensim reports the bound of a topic model as a negative number of nats per word; this is it.",
        number="-h",
    ),
    of_perplexity(
        "M48",
        "gensim printed both numbers: the bound is in nats per word, but its “perplexity” is 2 to the power "
        "of minus the bound. The right one is e to that power, about {r}.",
        number="-h / ln2",
    ),
    of_perplexity("M5", "This is the mean log probability in bits, with its sign.", number="-h / ln2"),
    of_perplexity(
        "M48", "A topic model: gensim's log line raises 2 to a bound in nats.", "h * ln2", rare=True
    ),
)

AVERAGES = (
    of_perplexity(
        "M8",
        "The perplexities of the documents were averaged; the nats should be added first.",
        number="document_mean",
        family="mean of the documents' numbers",
    ),
    of_perplexity(
        "M10",
        "The perplexities of the batches were averaged; the value changes with the batch size.",
        number="batch_mean",
        family="mean of the batches' numbers",
    ),
    Explanation(
        "M9",
        "The mean losses of the parts were averaged, each with the same weight, long or short.",
        nats="part_nats",
        family="exp(mean of the parts' nats)",
    ),
    Explanation(
        "M12", "The loss is too large by the number of steps or devices: added, not averaged.", "h * steps"
    ),
    Explanation(
        "M12", "The loss is too small by the number of steps or devices: divided twice.", "h / steps"
    ),
    per_token(
        "M13",
        "The first token of each window was not scored, but it was counted.",
        "h * (tokens - windows) / tokens",
        estimate=True,
    ),
    per_token(
        "M13",
        "Every token was scored, but one in each window was not counted.",
        "h * tokens / (tokens - windows)",
        estimate=True,
    ),
    trivial(
        "M16", "The total was divided again and again inside the loop, so almost nothing is left of the loss."
    ),
)

COUNTS = (
    per_token(
        "M19",
        "The padding was counted, but not scored: too large a denominator.",
        "h * tokens / (tokens + pads)",
    ),
    per_token(
        "M20",
        "The padding was scored, and a model that had learnt it pays almost nothing for it.",
        "h * tokens / (tokens + pads)",
        estimate=True,
    ),
    per_token(
        "M20",
        "The padding was scored as if each position were a guess among the whole vocabulary.",
        nats="(h * tokens + pads * ln(vocabulary)) / (tokens + pads)",
    ),
    per_token(
        "M17",
        "The text was cut: only a part was scored (at the average cost), but all of it was counted.",
        "h * kept / tokens",
        estimate=True,
    ),
    per_token("M21", "All tokens were scored, but a mask dropped some from the count.", "h * tokens / kept"),
    per_token(
        "M25",
        "The sentence ends were scored, but not counted; SRILM calls this ppl1.",
        "h * tokens / (tokens - ends)",
    ),
    per_token(
        "M26",
        "A start symbol for each sentence was counted as a token that costs nothing.",
        "h * tokens / (tokens + ends)",
    ),
    per_token(
        "M26",
        "A start symbol for each document was counted as a token that costs nothing.",
        "h * tokens / (tokens + documents)",
    ),
    per_token(
        "M25",
        "If your tokens do not contain the sentence ends: these were counted, but not scored.",
        "h * tokens / (tokens + ends)",
    ),
    of_end(
        "M25",
        "The sentence ends were counted, but not scored; each would cost {x} nats.",
        implied="(h - g) * tokens / ends",
    ),
    of_end(
        "M25",
        "The sentence ends were left out of both, which is legitimate, if stated; each would cost {x} nats.",
        implied="(h * tokens - g * (tokens - ends)) / ends",
    ),
    trivial("M23", "Nothing was shifted: the model sees the token that it is asked for."),
)

WORDS = (
    per_token(
        "M29",
        "The unknown words share one symbol, and none paid for its spelling: ln(types) each.",
        "h - unknown / tokens * ln(types)",
    ),
    per_token(
        "M30",
        "Each unknown word got a floor, here {x} nats (q = {p}); programs use a power of 10.",
        implied="(g * tokens - h * (tokens - unknown)) / unknown",
        low="ln(10000)",
        high="70",
        typical="10 * ln10",
        family="exp((h * (tokens - unknown) - unknown * ln(floor)) / tokens)",
    ),
    of_unknown(
        "M28",
        "The unknown words were dropped from total and count; each would cost {x} nats (q = {p}).",
        implied="(h * tokens - g * (tokens - unknown)) / unknown",
    ),
    of_unknown(
        "M28",
        "The unknown words were dropped from the total only; each would cost {x} nats (q = {p}).",
        implied="(h - g) * tokens / unknown",
    ),
)

LOSSES = (
    per_token("M42", "The loss has other terms in it.", "h + aux"),
    Explanation("M44", "The loss was rounded to bfloat16, which keeps eight binary digits.", nats="bf16(h)"),
    Explanation("M44", "The loss was rounded to float16, which keeps eleven binary digits.", nats="fp16(h)"),
    per_token(
        "M6",
        "Softmax was taken twice: the distribution is almost flat, the perplexity almost the vocabulary.",
        low="ln(1 + (vocabulary - 1) / e)",
        high="ln(vocabulary - 1 + e)",
        family="from 1 + (vocabulary - 1) / e to vocabulary - 1 + e",
    ),
    per_token(
        "M6",
        "Logits went where log probabilities belong: such a loss can be negative.",
        low="-1e9",
        high="-1e-9",
        family="below 1",
    ),
    per_token(
        "M41",
        "The label-smoothed loss (0.1) was reported; the mean symbol of the vocabulary would cost {x} nats.",
        implied="(g - 0.9 * h) / 0.1",
        low="ln(vocabulary)",
        high="2 * ln(vocabulary)",
        typical="1.5 * ln(vocabulary)",
        family="exp(0.9 * h + 0.1 * mean of -ln q over the vocabulary)",
    ),
)


def _pairs():
    """Yield the explanations for two units of one text, of which one was taken for the other."""
    for unit, mine in UNITS.items():
        for other, theirs in UNITS.items():
            if unit == other:
                continue
            yield Explanation(
                CONFUSED.get(frozenset({unit, other}), "M36"),
                f"This is the number per {LABELS[other]}, where the one per {LABELS[unit]} was asked.",
                nats=f"h * {mine} / {theirs}",
                units=(unit,),
                family="exp(h * count / other count)",
            )
            yield of_perplexity(
                "M35",
                f"The perplexity per {LABELS[other]} was multiplied by a ratio; it needs an exponent.",
                number=f"exp(h * {mine} / {theirs}) * {theirs} / {mine}",
                units=(unit,),
                family="exp(h * count / other count) * other count / count",
                offered="usual",
            )
            yield Explanation(
                "L3",
                f"The number per {LABELS[other]} was converted with the ratio upside down.",
                nats=f"h * ({mine} / {theirs}) ** 2",
                units=(unit,),
                family="exp(h * (count / other count) ** 2)",
                offered="never",
            )
        yield Explanation(
            "L1",
            f"This is the sum over all {FIELDS[mine]}, not the mean.",
            nats=f"h * {mine}",
            quantities=("bits", "nats"),
            units=(unit,),
            family="h * count",
        )


def _guessed_lengths():
    """Yield the explanations for a guessed length of a word, and for separators that nobody counted.

    Without counts nearly every pair of numbers would fit one of them. So they are offered where people make
    the mistake, for a number per character and the words of a text, and for usual lengths of a word.
    """
    for unit, field in (("word", "words"), ("token", "tokens")):
        offered = "usual" if unit == "word" else "never"
        yield Explanation(
            "M37",
            f"Five characters to a {unit} were assumed, not counted.",
            nats=f"h * chars / (5 * {field})",
            units=CHAR,
            offered=offered,
            family="exp(h * chars / (5 * words))",
        )
        yield Explanation(
            "M37",
            f"Five characters to a {unit} were assumed, not counted.",
            nats=f"h * 5 * {field} / chars",
            units=(unit,),
            offered="never",
            family="exp(h * 5 * words / chars)",
        )
        yield Explanation(
            "M37",
            f"The separators, one for each {unit}, were paid for but not counted as characters.",
            nats=f"h * chars / (chars - {field})",
            units=CHAR,
            offered=offered,
            family="exp(h * chars / (chars - words))",
        )


EXPLANATIONS = (*BASES, *AVERAGES, *COUNTS, *WORDS, *LOSSES, *_pairs(), *_guessed_lengths())
"""Every explanation; where two fit equally well, the earlier one is named first."""

COMMON = ("M19", "M20", "M25", "M34", "M36", "M38", "M17", "M21", "M12", "M13", "M35", "M37")
"""Mistakes that need a count, the commonest first, as they are offered where the count is missing."""

WEIGH = "Weight the mean of each part by its tokens: the number must not move."
DIVIDED = (
    "Compare the number of scored tokens with the number that the total is divided by. "
    "The first tokens of windows cost more than the average, so counts alone do not give the exact number."
)

UNNUMBERED = {
    "higher": (
        Hint("M15", "Compare windows and strides: with less past, a token costs more.", 1, 1.3, TOKEN),
        Hint("M39", "Compare the scored string with the counted one, and both with the other run's.", 1, 1.3),
        Hint("M10", "Change the batch size: the number must not move.", 1, 1.5),
        Hint(
            "M8",
            "Add the nats of all lines or documents, then divide once. "
            "Scored alone, a line also has less past (M15).",
            1.1,
            3,
        ),
        Hint(
            "M24",
            "Put the start symbol before every window, and score again.",
            1,
            20,  # Gemma 7B on LAMBADA without it: lm-evaluation-harness, pull request 1465
            place=(
                "04: Start symbol in later windows",
                "book/04_perplexity.md#scoring-a-long-text-in-windows",
            ),
        ),
        Hint("M9", WEIGH, 1, 1.25),
        Hint("M13", DIVIDED, 1, 1.07, TOKEN),
        Hint("M43", "Score the text twice: the two numbers must be equal.", 1, 1.3),
        Hint("M11", "Take the mean of the losses first, then one exponential.", 1.5, 10),
        Hint("M51", "Check that the past is the text itself.", 1.1, 3),
        Hint(
            "M23", "If the target is shifted twice, the model is asked for the token after the next.", 1.2, 4
        ),
    ),
    "lower": (
        Hint("M15", "Compare windows and strides: with more past, a token costs less.", 0.77, 1, TOKEN),
        Hint("M39", "Compare the scored string with the counted one, and both with the other run's.", 0.8, 1),
        Hint(
            "M23",
            "Change a later token: no earlier prediction may move. "
            "A mask, or a softmax over the wrong axis, can let part of the future in.",
            0,
            0.9,
        ),
        Hint("L17", "Look for the test text in the training text.", 0, 0.9),
        Hint("M9", WEIGH, 0.8, 1),
        Hint("M13", DIVIDED, 0.93, 1, TOKEN),
        Hint("M52", "Check that nothing is learnt, or cached, from the text that is scored.", 0.85, 1),
        Hint("M47", "Check that the model sees the past only.", 0.2, 0.8),
        Hint("M22", "Count what is scored: the answer alone, or the prompt too?", 0.5, 1),
        Hint("M14", "Compare the number of scored tokens with that of the text.", 0.9, 1),
        Hint("M32", "Compare the number of scored tokens with that of the text.", 0.3, 0.95),
        Hint("M18", "Score both texts with the same, final model.", 0.8, 1),
        Hint("M33", "Add the scores of all tokens after one context: the sum must be 1.", 0.3, 0.95),
        Hint("M49", "Fit the document's topics on one half, score the other.", 0.4, 0.95),
    ),
    "infinite": (
        Hint("M31", "Find the first scored token with probability 0."),
        Hint("M45", "Add log probabilities, and take the exponential last."),
        Hint("M46", "Compute the logarithm and the softmax in one step."),
    ),
}
UNNUMBERED["nan"] = UNNUMBERED["infinite"]
"""Mistakes that do not determine the number, by the direction in which they change it.

The commonest come first.
"""
