"""Chapter 08, protocols: which two values may go into one table."""

import re
from functools import partial

import numpy as np

from lmcourse.hints.answers import plain_data
from lmcourse.hints.question import Mistake, Property, Question
from lmcourse.questions.shared.choices import read_lists

WORDS = read_lists("differ")

SAME = ("text", "unit", "vocabulary", "scored", "past", "chosen on")
"""What must be the same on both sides, in the order in which it is named."""


def fair(pairs, keys=SAME, tuned=True, excused=lambda a, b: _all_bytes(a, b)):
    """For each pair of cards the keys that forbid the comparison, or nothing."""
    lines = []
    for a, b in pairs:
        wrong = []
        for key in keys:
            differ = a[key] != b[key] and not (key == "vocabulary" and excused(a, b))
            if differ or (tuned and key == "chosen on" and a[key] == "test"):
                wrong.append(key)
        lines.append(", ".join(wrong) or "nothing")
    return {"differ": "; ".join(lines)}


def _per_byte(a, b):
    return a["unit"] == b["unit"] == "byte"


def _all_bytes(a, b):
    """Whether both describe every byte of the text, so that their vocabularies do not matter."""
    return _per_byte(a, b) and "<unk>" not in a["vocabulary"] + b["vocabulary"]


def _without(*left_out):
    return partial(fair, keys=tuple(key for key in SAME if key not in left_out))


OPEN, CLOSED = (
    ("bytes", "8,000 pieces", "50,257 pieces"),
    ("10,000 words and <unk>", "33,278 words and <unk>"),
)
CHOICES = {
    "text": ("wiki test", "wiki valid", "treebank test"),
    "unit": ("token", "byte"),
    "vocabulary": OPEN + CLOSED,
    "scored": ("all tokens and </s>", "all tokens", "without unknown words"),
    "past": ("the sentence", "everything before", "a window of 64"),
    "chosen on": ("valid", "test"),
    "seconds": ("1", "60", "3600"),
    "parameters": ("300,000", "10,000,000", "88,000"),
}


def _cards(rng, *differ, **given):
    """Two cards that differ in these keys and in the seconds; both have what is given."""
    a = {key: str(rng.choice(values)) for key, values in CHOICES.items()} | {"chosen on": "valid"} | given
    b = dict(a)
    for key in (*differ, "seconds"):
        b[key] = str(rng.choice([value for value in CHOICES[key] if value != a[key]]))
    return a, b


def _vocabularies(rng, unit, among):
    one, two = (str(value) for value in rng.choice(among, size=2, replace=False))
    a, b = _cards(rng, unit=unit, vocabulary=one)
    return a, b | {"vocabulary": two}


def _beside(rng, first, second):
    """Two cards that differ in what the two dictionaries give, in either order, and in the seconds."""
    a, b = _cards(rng)
    pair = a | first, b | second
    return pair if rng.random() < 0.5 else pair[::-1]


def _draw_fair(rng):
    one_open, one_closed = str(rng.choice(OPEN)), str(rng.choice(CLOSED))
    pairs = [
        *(_cards(rng, key) for key in ("past", "unit", "parameters", "chosen on")),
        _cards(rng, "chosen on")[::-1],
        _cards(rng, "text", "scored"),
        _cards(rng, **{"chosen on": "test"}),
        _vocabularies(rng, "token", OPEN),
        _vocabularies(rng, "byte", OPEN),
        _vocabularies(rng, "byte", CLOSED),
        _beside(rng, *({"unit": "byte", "vocabulary": words} for words in (one_open, one_closed))),
        _beside(rng, *({"unit": "byte", "vocabulary": words} for words in (one_closed, one_open))),
        _beside(rng, {"unit": "byte", "vocabulary": OPEN[0]}, {"unit": "token", "vocabulary": OPEN[1]}),
        _beside(rng, {"unit": "token", "vocabulary": OPEN[1]}, {"unit": "byte", "vocabulary": OPEN[2]}),
    ]
    return ([pairs[i] for i in rng.permutation(len(pairs))],)


def _read_fair(answer, *case):
    """An entry may be a list of keys, or have other blanks at its commas."""
    answer = plain_data(answer)
    if isinstance(answer, dict) and isinstance(answer.get("differ"), list | tuple):
        entries = [
            ", ".join(map(str, entry)) if isinstance(entry, list | tuple) else entry
            for entry in answer["differ"]
        ]
        answer = answer | {"differ": entries}
    answer, problems = WORDS(answer)
    if isinstance(answer, dict) and isinstance(answer.get("differ"), str):
        answer = answer | {"differ": re.sub(r"\s*,\s*", ", ", answer["differ"])}
    return answer, problems


def _keys_of(value):
    return [entry.split(", ") for entry in value["differ"].split("; ") if entry != "nothing"]


FAIR = Question(
    key="08.fair",
    title="may these two go into one table?",
    kind="protocol",
    stars=3,
    points=3,
    right=fair,
    cases=(_draw_fair(np.random.default_rng(813)), _draw_fair(np.random.default_rng(814))),
    draw=_draw_fair,
    reading=_read_fair,
    mistakes=(
        Mistake(
            "L28",
            partial(fair, keys=(*SAME, "seconds", "parameters")),
            "Seconds and parameters are stated, and need not be the same: they are the cost.",
            explains="answer",
        ),
        Mistake(
            "L28",
            partial(fair, excused=lambda a, b: False),
            "You refuse a pair in which both values are per byte and neither side has <unk>. Both models "
            "have predicted every byte of one text, each in its own tokens, so the two values may be "
            "compared.",
            explains="answer",
        ),
        Mistake(
            "M29",
            partial(fair, excused=_per_byte),
            "You accept two vocabularies with <unk>, because the values are per byte. The bytes of an "
            "unknown word were never predicted, and two vocabularies leave out different words.",
            explains="answer",
        ),
        Mistake(
            "M34",
            _without("vocabulary"),
            "In some pair the values are per token and the vocabularies differ, and your list does not say "
            "so: their tokens are not the same events.",
            explains="answer",
        ),
        Mistake(
            "M36",
            _without("unit"),
            "In some pair one value is per token and the other per byte, and your list does not say so.",
            explains="answer",
        ),
        Mistake(
            "M15",
            _without("past"),
            "In some pair one side has seen more of the past, and your list does not say so. A cache would "
            "have given the other side the same.",
            explains="answer",
        ),
        Mistake(
            "L17",
            partial(fair, tuned=False),
            "In one pair both sides were chosen on the test text, and you let it pass. Then the better one "
            "may be the one with more variants to choose from.",
            explains="answer",
        ),
        Mistake(
            "M39",
            _without("scored", "text"),
            "In some pair another text, or other tokens of it, were scored, and your list does not say so.",
            explains="answer",
        ),
    ),
    properties=(
        Property(
            "there is one entry for each pair, with '; ' between them, and yours has more or fewer",
            lambda value, pairs: len(value["differ"].split("; ")) == len(pairs),
        ),
        Property(
            "an entry is neither nothing nor made of the six keys",
            lambda value, pairs: all(set(keys) <= set(SAME) for keys in _keys_of(value)),
        ),
        Property(
            "the keys of an entry are not in the order of the task, or one of them appears twice",
            lambda value, pairs: all(
                places == sorted(set(places))
                for places in (list(map(SAME.index, keys)) for keys in _keys_of(value))
            ),
        ),
    ),
    advice="Go through the six keys in the order of the task. A value that is the same on both sides can "
    "still be wrong on both.",
)

QUESTIONS = (FAIR,)
