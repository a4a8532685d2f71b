"""Exam tasks about numbers that others report: which mistake made one, and which of two models is better."""

from __future__ import annotations

import math

from lmcourse.exams.part import Part, value_part
from lmcourse.hints.question import Mistake

LN2, LN10 = math.log(2), math.log(10)

SUSPECTS = {
    "none": "nothing is wrong",
    "M1": "the total, which is in nats, was taken for bits",
    "M2": "the loss was turned into bits, and then $e$ was raised to it",
    "M3": "the loss was divided by $\\ln 10$, and then $e$ was raised to it",
    "M19": "the padding was counted as tokens",
    "M25": "the sentence ends are in the total, and were left out of the count",
    "M26": "the start symbols were counted as tokens",
}


def _spoken(text: str) -> str:
    """A text without the signs of formulas, for feedback on one line."""
    return text.replace("$", "").replace("\\", "")


def factor(suspect, tokens, sentences, padding):
    """By what a mistake multiplies the loss."""
    return {
        "none": 1.0,
        "M1": LN2,
        "M2": 1 / LN2,
        "M3": 1 / LN10,
        "M19": tokens / (tokens + padding),
        "M25": tokens / (tokens - sentences),
        "M26": tokens / (tokens + sentences),
    }[suspect]


def report(rng, name: str, suspects: tuple[str, ...], **others) -> Part:
    """Return the task: a total, counts, and a reported number; say the right one, and the reason."""
    order = [str(suspect) for suspect in rng.permutation(suspects)]
    letters = dict(zip(order, "ABCDEFG", strict=False))
    tokens = int(rng.integers(900, 2600))
    sentences, padding = int(rng.uniform(0.06, 0.11) * tokens), int(rng.uniform(0.2, 0.32) * tokens)
    total = round(tokens * math.log(rng.uniform(20, 250)), 1)
    guilty = str(rng.choice(suspects))
    counts = tokens, sentences, padding

    def right(total, tokens, sentences, padding):
        return {"perplexity": math.exp(total / tokens), "verdict": letters[guilty]}

    def under(suspect):
        def wrong(total, *counts):
            changed = math.exp(total / counts[0] * factor(suspect, *counts))
            return {"perplexity": changed, "verdict": letters[guilty]}

        return wrong

    mistakes = tuple(
        Mistake(
            suspect,
            under(suspect),
            f"Your own perplexity is made with that mistake: {_spoken(SUSPECTS[suspect])}.",
        )
        for suspect in SUSPECTS
        if suspect != "none"
    )
    if guilty == "none":
        mistakes += tuple(
            Mistake(
                "L28",
                lambda *case, letter=letter: right(*case) | {"verdict": letter},
                "The report is right, and you accuse it: its number follows from the total and the tokens.",
            )
            for suspect, letter in letters.items()
            if suspect != "none"
        )
    reported = math.exp(total / tokens * factor(guilty, *counts))
    choices = "\n".join(f"- **{letters[suspect]}**: {SUSPECTS[suspect]}." for suspect in order)
    return value_part(
        name,
        title="a report before the court",
        kind="forensics",
        parts=(2, 2),
        letters="".join(sorted(letters.values())),
        right=right,
        case=(total, *counts),
        mistakes=mistakes,
        given=f"total, tokens, sentences, padding = {total}, {tokens}, {sentences}, {padding}",
        text=f"""
An evaluation wrote into its log: {total} nats in total, over {tokens} scored tokens. Among them are
{sentences} sentence ends, one per sentence; each sentence has one start symbol, which is not scored. The
batches had {padding} positions of padding, which the total leaves out. The paper reports a perplexity
of **{reported:.4g}**.

{choices}

Set `{name}` to a dictionary: `"perplexity"` is the right perplexity per scored token, and `"verdict"`
the letter of what happened.
""",
        task="the right perplexity, and the letter of what happened",
        solution=f"""
loss = total / tokens  # and ln {reported:.4g} / loss is {math.log(reported) / (total / tokens):.4f}
{name} = {{"perplexity": np.exp(loss), "verdict": "{letters[guilty]}"}}
""",
        advice="Each mistake multiplies the loss by a factor that follows from the counts. Compare"
        " ln reported / loss with each.",
        **others,
    )


def two_reports(rng, name: str, **others) -> Part:
    """Return the task: two perplexities per token with different tokenizers; the lower one is the worse."""
    chars = int(rng.integers(9000, 30000))
    coarse = int(chars / rng.uniform(4.4, 5.2))
    fine = int(chars / rng.uniform(2.9, 3.5))
    good = rng.uniform(0.95, 1.25)  # bits per character
    bad = good * rng.uniform(1.06, 1.15)
    lines = [
        (round(2 ** (good * chars / coarse), 1), coarse, "good"),
        (round(2 ** (bad * chars / fine), 1), fine, "bad"),
    ]
    if rng.random() < 0.5:
        lines.reverse()
    (a, tokens_a, first), (b, tokens_b, _) = lines
    better = "A" if first == "good" else "B"

    def right(a, tokens_a, b, tokens_b, chars, unit=LN2):
        found = {"A": tokens_a * math.log(a) / unit / chars, "B": tokens_b * math.log(b) / unit / chars}
        return {"better": min(found, key=found.get), **found}

    def lower(a, tokens_a, b, tokens_b, chars):
        return right(a, tokens_a, b, tokens_b, chars) | {"better": "A" if a < b else "B"}

    mistakes = (
        Mistake(
            "M34",
            lower,
            "The lower perplexity is of shorter tokens. Per character, the other model is better.",
        ),
        Mistake(
            "M1",
            lambda *case: right(*case, unit=1.0),
            "Your numbers are {ratio} = ln 2 times the right ones: they are nats per character.",
        ),
        Mistake(
            "L34",
            lambda a, n, b, m, c: (
                right(a, n, b, m, c) | {"A": math.log2(a) * c / n, "B": math.log2(b) * c / m}
            ),
            "You multiply by characters per token. Bits per token are divided by them.",
        ),
        Mistake(
            "M34",
            lambda a, n, b, m, c: right(a, n, b, m, c) | {"A": math.log2(a), "B": math.log2(b)},
            "Those are bits per token, and the tokens of A are not those of B.",
        ),
    )
    return value_part(
        name,
        title="two models, two tokenizers, one text",
        parts=(1, 1, 1),
        letters="AB",
        right=right,
        case=(a, tokens_a, b, tokens_b, chars),
        mistakes=mistakes,
        given=f"ppl_a, tokens_a, ppl_b, tokens_b, characters = {a}, {tokens_a}, {b}, {tokens_b}, {chars}",
        text=f"""
Two models were scored on the same text of {chars} characters, all of it.

| model | perplexity per token | tokens |
|---|---|---|
| A | {a} | {tokens_a} |
| B | {b} | {tokens_b} |

Set `{name}` to a dictionary: `"better"` is the letter of the better model, and `"A"` and `"B"` are the
bits per character of each.
""",
        task="the letter of the better model, and the bits per character of both",
        solution=f"""
bits = {{
    "A": tokens_a * np.log2(ppl_a) / characters,
    "B": tokens_b * np.log2(ppl_b) / characters,
}}
{name} = {{"better": "{better}", **bits}}
""",
        **others,
    )
