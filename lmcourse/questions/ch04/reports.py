"""Chapter 04, pairs of reported perplexities: which can be compared, which converted, and why not."""

import math
import re

from lmcourse.hints.question import Mistake, Question
from lmcourse.questions.shared.choices import read_entries

# --- pairs -----------------------------------------------------------------------------------------------

VERDICTS = ("not comparable", "comparable", "convertible")
BETTER = ("first", "second")
REASONS = ("text", "unknown words", "scored parts", "unit", "pooling", "context")


def _lower(one, other):
    return BETTER[other < one]


def pairs(verdict_on=None):
    """The verdict on each pair, and which model is better or what differs; ``verdict_on`` replaces some.

    The two conversions are computed from the numbers of the reports.
    """
    per_byte = _lower(52_310 * math.log(21.4), 61_870 * math.log(15.2))
    without_ends = _lower((25_100 * math.log(111.4) - 1650) / 24_000, math.log(120.4))
    return {
        "A": f"comparable: {_lower(24.1, 22.6)}",
        "B": f"convertible: {per_byte}",
        "C": f"convertible: {without_ends}",
        "D": "not comparable: unknown words",
        "E": "not comparable: context",
        "F": "not comparable: text",
    } | (verdict_on or {})


def _read_pair(key, given):
    """A pair of words, however they are joined, as "verdict: word"; and what cannot be read."""
    parts = given if isinstance(given, (list, tuple)) else [given]
    if not all(isinstance(part, str) for part in parts):
        return "", f'"{key}" is {given!r}. Give two strings: a verdict, and the model or what differs.'
    text = " ".join(re.sub(r"[^a-z]+", " ", " ".join(parts).lower()).split())
    verdict = next((word for word in VERDICTS if text.startswith(word)), None)
    if verdict is None:
        return "", f'"{key}" begins with none of the verdicts {", ".join(sorted(VERDICTS))}.'
    word, words = text.removeprefix(verdict).strip(), REASONS if verdict.startswith("not") else BETTER
    if word not in words:
        return "", f'"{key}" is {verdict}, so its second string is one of {", ".join(words)}.'
    return f"{verdict}: {word}", ""


def _on(mistake, key, verdict, hint):
    return Mistake(mistake, lambda: pairs({key: verdict}), hint)


PAIRS = Question(
    key="04.pairs",
    title="can these two numbers be compared?",
    kind="protocol",
    stars=2,
    points=6,
    form="value",
    right=pairs,
    cases=((),),
    reading=read_entries(_read_pair),
    entry_points=dict.fromkeys("ABCDEF", 1),
    mistakes=(
        _on(
            "L7",
            "A",
            "comparable: first",
            "A: the two numbers can be compared, but the better model has the *lower* perplexity.",
        ),
        _on(
            "M34",
            "B",
            "comparable: second",
            "B: both numbers are per token, but the two models have different tokens, so the totals for the "
            "same text are divided by different counts.",
        ),
        _on(
            "M35",
            "B",
            "convertible: second",
            "B: do not multiply a perplexity by a count. The total of a model is its count times ln PPL.",
        ),
        _on(
            "L44",
            "B",
            "not comparable: unit",
            "B: both reports say how many tokens there are, so you can work out both totals in nats.",
        ),
        _on(
            "M34",
            "C",
            "comparable: first",
            "C: the first value includes the </s>, and the second does not. Are they harder or easier to "
            "predict than the other tokens?",
        ),
        _on(
            "L26",
            "C",
            "convertible: first",
            "C: leave the </s> out of both: out of the nats of the first model, and out of its count.",
        ),
        _on(
            "L44",
            "C",
            "not comparable: scored parts",
            "C: the first report says what its </s> cost in nats, so they can be taken out.",
        ),
        _on(
            "M34",
            "D",
            "comparable: first",
            "D: for the first model, every rare word is the same symbol. Does it give a probability to the "
            "text that the second model has scored?",
        ),
        *(
            _on(
                "L41",
                "D",
                f"convertible: {model}",
                "D: to convert, you would need the surprisal of the words that the first model reads as "
                "<unk>. It cannot spell them.",
            )
            for model in BETTER
        ),
        _on(
            "M15",
            "E",
            "comparable: second",
            "E: text and tokens are the same, but how much of the text does each model see before a token?",
        ),
        *(
            _on(
                "L41",
                "E",
                f"convertible: {model}",
                "E: no count turns one into the other. What a longer context would save the first model is "
                "known only after it has been scored again.",
            )
            for model in BETTER
        ),
        _on(
            "M61",
            "F",
            "comparable: first",
            "F: which characters did each model have to predict? The first one never meets a capital letter "
            "or a number.",
        ),
        *(
            _on(
                "L41",
                "F",
                f"convertible: {model}",
                "F: the first model has not scored the capitals and the numbers of the other text, and "
                "nothing says how surprising they would be.",
            )
            for model in BETTER
        ),
        *(
            _on("L45", "F", f"not comparable: {reason}", f"F: {hint}")
            for reason, hint in (
                (
                    "unknown words",
                    "`N` is not `<unk>`. Both models give a probability to every word that they were given. "
                    "Were they given the same characters?",
                ),
                (
                    "scored parts",
                    "each model has scored everything that it was given. Were they given the same "
                    "characters?",
                ),
                ("unit", "both values are per word. Now compare what the words are made of."),
            )
        ),
        *(
            _on("L45", "D", f"not comparable: {reason}", f"D: {hint}")
            for reason, hint in (
                (
                    "text",
                    "both models were given the same text. What does the first one do with a word that it "
                    "does not know?",
                ),
                (
                    "unit",
                    "both values are per word, and a word spelled in pieces is still one word. What does "
                    "each model predict where a rare word occurs?",
                ),
            )
        ),
        _on(
            "L45",
            "E",
            "not comparable: scored parts",
            "E: both models score the same tokens, each of them once. What does a model see before a token?",
        ),
    ),
    advice='Ask the questions of the chapter ("Can I compare these two numbers?") in order. The first '
    "difference that you find is the reason, unless the two lines say enough to convert.",
)

QUESTIONS = (PAIRS,)
