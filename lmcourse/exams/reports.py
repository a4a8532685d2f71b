"""Exam tasks about numbers that others report: which mistake made one, and which of two models is better."""

from __future__ import annotations

import math
from functools import partial

from lmcourse.exams.task import ExamTask, value_task
from lmcourse.hints.question import Mistake
from lmcourse.questions.shared.units import LN2
from lmcourse.questions.shared.verdicts import exponents
from lmcourse.questions.shared.wrong import but

# --- report: a total, counts, and a reported number --------------------------------------------------------

SUSPECTS = {
    "M1": "the total, which is in nats, was taken for bits",
    "M2": "the loss was turned into bits, and then $e$ was raised to it",
    "M3": "the loss was divided by $\\ln 10$, and then $e$ was raised to it",
    "M19": "the padding was counted as tokens",
    "M25": "the sentence ends are in the total, and were left out of the count",
    "M26": "the start symbols were counted as tokens",
}

REPORT = """
An evaluation wrote into its log: {total} nats in total, over {tokens} scored tokens. Among them are
{sentences} sentence ends, one per sentence; each sentence has one start symbol, which is not scored. The
batches had {padding} positions of padding, which the total leaves out. From this log a paper reports a
perplexity of **{reported:.4g}**, which is wrong in exactly one of these ways:

{choices}

Set `{name}` to a dictionary: `"perplexity"` is the right perplexity per scored token, and `"verdict"`
the letter of what went wrong.
"""


def _log(rng):
    """The total in nats, and the counts beside it."""
    tokens = int(rng.integers(900, 2600))
    sentences, padding = int(rng.uniform(0.06, 0.11) * tokens), int(rng.uniform(0.2, 0.32) * tokens)
    total = round(tokens * math.log(rng.uniform(20, 250)), 1)
    return {"total": total, "tokens": tokens, "sentences": sentences, "padding": padding}


def _finding(total, tokens, sentences, padding, letter, suspect="none"):
    """An answer with this verdict, whose own perplexity is made with the mistake ``suspect``."""
    factor = exponents(suspect, tokens, padding, sentences)[suspect]
    return {"perplexity": math.exp(total / tokens * factor), "verdict": letter}


def _report_mistakes(letters, guilty):
    """Each mistake in the student's own perplexity."""
    for suspect in SUSPECTS:
        said = SUSPECTS[suspect].replace("$", "").replace("\\", "")
        wrong = partial(_finding, letter=letters[guilty], suspect=suspect)
        yield Mistake(suspect, wrong, f"Your own perplexity is made with that mistake: {said}.")


def report(rng, name: str, suspects: str, **from_template) -> ExamTask:
    """Return the task: a total, counts, and a reported number; say the right one, and what went wrong.

    Something always has: a student who finds the reported number right would be done before all others.
    """
    letters = dict(zip(map(str, rng.permutation(suspects.split())), "ABCDEFG", strict=False))
    log, guilty = _log(rng), str(rng.choice(suspects.split()))
    right = partial(_finding, letter=letters[guilty])
    reported = right(**log, suspect=guilty)["perplexity"]
    factor = math.log(reported) / (log["total"] / log["tokens"])
    choices = "\n".join(f"- **{letter}**: {SUSPECTS[suspect]}." for suspect, letter in letters.items())
    return value_task(
        name=name,
        title="a report before the court",
        choices=(guilty,),
        kind="forensics",
        entry_points=(2, 2),
        letters="".join(letters.values()),
        right=right,
        case=tuple(log.values()),
        mistakes=tuple(_report_mistakes(letters, guilty)),
        given=f"{', '.join(log)} = {', '.join(map(str, log.values()))}",
        text=REPORT.format(**log, reported=reported, choices=choices, name=name),
        message="the right perplexity, and the letter of what went wrong",
        solution=f"""
            loss = total / tokens  # and ln {reported:.4g} / loss is {factor:.4f}
            {name} = {{"perplexity": np.exp(loss), "verdict": "{letters[guilty]}"}}
        """,
        advice="Each mistake multiplies the loss by a factor that follows from the counts. Compare"
        " ln reported / loss with each.",
        **from_template,
    )


# --- two_reports: the lower perplexity is the worse model's -------------------------------------------------

TWO_REPORTS = """
Two models were scored on the same text of {chars} characters, all of it.

| model | perplexity per token | tokens |
|---|---|---|
| A | {a} | {tokens_a} |
| B | {b} | {tokens_b} |

Set `{name}` to a dictionary: `"better"` is the letter of the better model, and `"A"` and `"B"` are the
bits per character of each.
"""


def _two_models(rng):
    chars = int(rng.integers(9000, 30000))
    coarse, fine = int(chars / rng.uniform(4.4, 5.2)), int(chars / rng.uniform(2.9, 3.5))
    good = rng.uniform(0.95, 1.25)  # bits per character
    bad = good * rng.uniform(1.06, 1.15)
    models = [(round(2 ** (bits * chars / n), 1), n) for bits, n in ((good, coarse), (bad, fine))]
    (a, tokens_a), (b, tokens_b) = reversed(models) if rng.random() < 0.5 else models
    return {"a": a, "tokens_a": tokens_a, "b": b, "tokens_b": tokens_b, "chars": chars}


def _compared(a, tokens_a, b, tokens_b, chars, unit=LN2):
    costs = {"A": tokens_a * math.log(a) / unit / chars, "B": tokens_b * math.log(b) / unit / chars}
    return {"better": min(costs, key=costs.__getitem__), **costs}


TWO_REPORTS_MISTAKES = (
    Mistake(
        "M34",
        but(_compared, {"better": lambda a, n, b, m, c: "A" if a < b else "B"}),
        "The lower perplexity is of shorter tokens. Per character, the other model is better.",
    ),
    Mistake(
        "M1",
        partial(_compared, unit=1.0),
        "Your numbers are {ratio} = ln 2 times the right ones: they are nats per character.",
    ),
    Mistake(
        "L34",
        lambda a, n, b, m, c: (
            _compared(a, n, b, m, c) | {"A": math.log2(a) * c / n, "B": math.log2(b) * c / m}
        ),
        "You multiply by characters per token. Bits per token are divided by them.",
    ),
    Mistake(
        "M34",
        lambda a, n, b, m, c: _compared(a, n, b, m, c) | {"A": math.log2(a), "B": math.log2(b)},
        "Those are bits per token, and the tokens of A are not those of B.",
    ),
)


def two_reports(rng, name: str, **from_template) -> ExamTask:
    """Return the task: two perplexities per token with different tokenizers; the lower one is the worse."""
    models = _two_models(rng)
    case = tuple(models.values())
    return value_task(
        name=name,
        title="two models, two tokenizers, one text",
        entry_points=(1, 1, 1),
        letters="AB",
        right=_compared,
        case=case,
        mistakes=TWO_REPORTS_MISTAKES,
        given=f"ppl_a, tokens_a, ppl_b, tokens_b, characters = {', '.join(map(str, case))}",
        text=TWO_REPORTS.format(**models, name=name),
        message="the letter of the better model, and the bits per character of both",
        solution=f"""
            bits = {{
                "A": tokens_a * np.log2(ppl_a) / characters,
                "B": tokens_b * np.log2(ppl_b) / characters,
            }}
            {name} = {{"better": "{_compared(*case)["better"]}", **bits}}
        """,
        **from_template,
    )
