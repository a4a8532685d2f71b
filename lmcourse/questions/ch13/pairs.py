"""Chapter 13, pairs of sentences to design: only the subject says which of two verbs is right."""

from lmcourse.hints.question import Mistake, Question
from lmcourse.questions.shared.designs import RIGHT, by_what_it_does, chosen

# --- pairs-design ----------------------------------------------------------------------------------------

NUMBER = {
    "key": 1, "keys": 2, "phone": 1, "phones": 2, "caller": 1, "callers": 2, "line": 1, "lines": 2,
    "office": 1, "offices": 2, "ticket": 1, "tickets": 2,
}  # fmt: skip
"""The nouns that may be used: 1 for singular, 2 for plural."""

VERBS = {"is": 1, "are": 2}
FAR = 4
"""At least so many words stand between subject and verb: out of sight for a 5-gram model."""


def parsed(line):
    """Subject, last noun before the verb, words between subject and verb, and the verb; or a sentence."""
    words = [word.strip(".,;:!?") for word in line.lower().split()]
    line = line.strip()
    verbs = [i for i, word in enumerate(words) if word in VERBS]
    if len(verbs) != 1:
        return f"{line!r} has {len(verbs)} of the verbs 'is' and 'are'. It needs exactly one."
    nouns = [i for i in range(verbs[0]) if words[i] in NUMBER]
    if not nouns:
        return f"{line!r} has none of the nouns before its verb."
    subject, last, verb = nouns[0], nouns[-1], verbs[0]
    return words[subject], words[last], verb - subject - 1, words[verb]


def _lines(given):
    """Pairs of a text, with what `parsed` says of the good and the bad sentence; or a sentence."""
    if isinstance(given, (list, tuple)):
        rows = [" | ".join(map(str, row)) if isinstance(row, (list, tuple)) else str(row) for row in given]
        given = "\n".join(rows)
    if not isinstance(given, str):
        return "a string is expected, with one pair in each line: the good sentence | the bad one."
    pairs = [line.split("|") for line in given.strip().splitlines() if line.strip()]
    if any(len(pair) != 2 for pair in pairs):
        return "each line has a good and a bad sentence, with one | between them."
    if len(pairs) < 4:
        return f"there are {len(pairs)} pairs. Write four or more."
    found = []
    for pair in pairs:
        both = [parsed(sentence) for sentence in pair]
        for one in both:
            if isinstance(one, str):
                return one
        found.append((*(sentence.lower().split() for sentence in pair), *both))
    return found


def _minimal(given):
    found = _lines(given)
    if isinstance(found, str):
        return found
    for good, bad, (subject, _, between, verb), (*_, wrong) in found:
        if len(good) != len(bad):
            return "M55"
        if sum(a != b for a, b in zip(good, bad, strict=True)) != 1 or verb == wrong:
            return f"{' '.join(good)!r} and its partner differ in more than the verb."
        if VERBS[verb] != NUMBER[subject]:
            return "L7"
        if between < FAR:
            return (
                f"in {' '.join(good)!r} fewer than {FAR} words stand between subject and verb, so that a "
                "5-gram model sees the subject."
            )
    return RIGHT


def _at_chance(program):
    """A look that asks whether a program which does not know the subject is right in half of the pairs."""

    def look(given):
        found = _lines(given)
        if isinstance(found, str):
            return found
        right = [program(parts) == parts[3] for _, _, parts, _ in found]
        return RIGHT if 2 * sum(right) == len(right) else "M54"

    return look


def _nearest(parts):
    return "is" if NUMBER[parts[1]] == 1 else "are"


def _pairs(*rows):
    """Four pairs: subject, place, and the verbs of the good and of the bad sentence."""
    start = "the {} on the desk in the old {} "
    return "\n".join(f"{start}{{}} here | {start}{{}} here".format(a, b, v, a, b, w) for a, b, v, w in rows)


_BALANCED = (
    ("key", "office", "is", "are"),
    ("key", "offices", "is", "are"),
    ("keys", "office", "are", "is"),
    ("keys", "offices", "are", "is"),
)
_GOOD = _pairs(*_BALANCED)
PAIRS = {
    "minimal": {
        RIGHT: _GOOD,
        "M55": _GOOD.replace("are here |", "are not here |"),
        "L7": _pairs(*((a, b, w, v) for a, b, v, w in _BALANCED)),
        "not read": "",
    },
    "favourite": {RIGHT: _GOOD, "M54": _pairs(*_BALANCED[:3], _BALANCED[0]), "not read": ""},
    "nearest": {RIGHT: _GOOD, "M54": _pairs(_BALANCED[0], *_BALANCED[:1], *_BALANCED[2:]), "not read": ""},
}


PAIRS_DESIGN = Question(
    key="13.pairs-design",
    title="minimal pairs that ask for the subject",
    kind="protocol",
    stars=3,
    points=3,
    form="value",
    right=chosen(PAIRS),
    cases=((),),
    reading=by_what_it_does(
        {
            "minimal": _minimal,
            "favourite": _at_chance(lambda parts: "is"),
            "nearest": _at_chance(_nearest),
        },
        PAIRS,
        one=True,
    ),
    entry_points={"minimal": 1, "favourite": 1, "nearest": 1},
    mistakes=(
        Mistake(
            "M55",
            chosen(PAIRS, "M55", "minimal"),
            "In some pair one sentence has more words than the other. A total log probability prefers the "
            "shorter one, whatever the verb.",
        ),
        Mistake(
            "L7",
            chosen(PAIRS, "L7", "minimal"),
            "In some pair the verb of the first sentence does not agree with its subject, the first noun. "
            "The good sentence comes first.",
        ),
        Mistake(
            "M54",
            chosen(PAIRS, "M54", "favourite"),
            "A program that always prefers 'is' is not right in exactly half of your pairs, so half is not "
            "the chance level. Write as many pairs with 'are' as with 'is'.",
        ),
        Mistake(
            "M54",
            chosen(PAIRS, "M54", "nearest"),
            "A program that lets the verb agree with the last noun before it is not right in exactly half "
            "of your pairs. In half of them that noun has to differ from the subject in number.",
        ),
    ),
    advice="Write four pairs: subject singular or plural, last noun singular or plural.",
)

QUESTIONS = (PAIRS_DESIGN,)
