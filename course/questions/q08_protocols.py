"""Chapter 08, protocols: may two numbers stand in one table?"""

from __future__ import annotations

import numpy as np

from course.question import Mistake, Property, Question

SAME = ("text", "vocabulary", "scored", "past", "chosen on")
"""What must be the same on both sides, in the order in which it is named."""

# --- fair ------------------------------------------------------------------------------------------------


def fair(pairs):
    """For each pair of cards, what has to be the same and is not; "chosen on" also where it is the test."""
    return _fair(pairs)


def _fair(pairs, keys=SAME, tuned=True):
    lines = []
    for a, b in pairs:
        wrong = [
            key for key in keys if a[key] != b[key] or (tuned and key == "chosen on" and a[key] == "test")
        ]
        lines.append(", ".join(wrong) or "nothing")
    return {"differ": "; ".join(lines)}


def _fair_over(*keys, tuned=True):
    return lambda pairs: _fair(pairs, keys, tuned)


def _without(*left_out):
    return _fair_over(*(key for key in SAME if key not in left_out))


CHOICES = {
    "text": ("wiki test", "wiki valid", "treebank test"),
    "vocabulary": ("10,000 words and <unk>", "33,278 words and <unk>", "bytes"),
    "scored": ("all tokens and </s>", "all tokens", "without unknown words"),
    "past": ("the sentence", "everything before", "a window of 64"),
    "chosen on": ("valid", "test"),
    "seconds": ("1", "60", "3600"),
    "parameters": ("300,000", "10,000,000", "88,000"),
}


def _cards(rng, *differ, tuned=False):
    """Two cards that differ in these keys, and always in the seconds."""
    a = {key: str(rng.choice(values)) for key, values in CHOICES.items()}
    a["chosen on"] = "test" if tuned else "valid"
    other = {key: next(value for value in CHOICES[key] if value != a[key]) for key in (*differ, "seconds")}
    return a, a | other


def _draw_fair(rng):
    kinds = [("past",), ("vocabulary",), ("text", "scored"), ("parameters",), ("scored", "past"), ()]
    pairs = [_cards(rng, *kind, tuned=not kind) for kind in kinds]
    return ([pairs[i] for i in rng.permutation(len(pairs))],)


FAIR = Question(
    key="08.fair",
    title="may these two stand in one table?",
    kind="protocol",
    stars=3,
    points=3,
    right=fair,
    cases=(_draw_fair(np.random.default_rng(813)), _draw_fair(np.random.default_rng(814))),
    draw=_draw_fair,
    mistakes=(
        Mistake(
            "L28",
            _fair_over(*SAME, "seconds", "parameters"),
            "Seconds and parameters are stated, and need not be the same: they are what was paid.",
        ),
        Mistake(
            "M15",
            _without("past"),
            "In some pair one side has seen more of the past, and your list does not say so. A cache "
            "would have "
            "given the other side the same.",
        ),
        Mistake(
            "L17",
            _fair_over(*SAME, tuned=False),
            "In one pair both sides were chosen on the test text, and you let it pass. Then the better "
            "one may "
            "be the one with more variants to choose from.",
        ),
        Mistake(
            "M34",
            _without("vocabulary"),
            "In some pair the vocabularies differ, and your list does not say so: their tokens are not "
            "the same "
            "events.",
        ),
        Mistake(
            "M39",
            _without("scored", "text"),
            "In some pair another text, or other tokens of it, were scored, and your list does not say so.",
        ),
    ),
    properties=(
        Property(
            "there is one entry for each pair, with '; ' between them",
            lambda value, pairs: len(value["differ"].split("; ")) == len(pairs),
        ),
    ),
    advice="Go through the five keys in the order of the task. A value that is the same on both sides can "
    "still "
    "be wrong on both.",
)

QUESTIONS = (FAIR,)
