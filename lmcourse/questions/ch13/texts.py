"""Chapter 13, texts to design: other facts in equal counts of n-grams."""

from collections import Counter

from lmcourse.hints.question import Mistake, Question
from lmcourse.questions.shared.designs import RIGHT, by_what_it_does, chosen

# --- same-counts -----------------------------------------------------------------------------------------

GIVEN = "anna has paid ben and ben has paid carl and carl has paid anna"
"""The text of the task."""

AMOUNTS = 4
"""The pair that students write has equal counts of n-grams up to this order."""


def n_grams(text, n):
    """Count the n-grams of a text, with n - 1 start symbols before it and an end symbol behind it."""
    words = ["<s>"] * (n - 1) + text.split() + ["</s>"]
    return Counter(zip(*(words[i:] for i in range(n)), strict=False))


def _words(given):
    """The words of a text, separated by one blank each; None for anything but a text."""
    return " ".join(given.split()) if isinstance(given, str) else None


def _same(given):
    text = _words(given)
    if text is None:
        return "a text is expected, as a string."
    if text == GIVEN:
        return "this is the given text itself. Change its facts."
    if n_grams(text, 3) == n_grams(GIVEN, 3):
        return RIGHT
    if n_grams(text, 2) == n_grams(GIVEN, 2):
        return "bigrams"
    if sorted(text.split()) == sorted(GIVEN.split()):
        return "L24"
    return (
        "its words are not those of the given text, or do not occur as often. Use the same words, in lower "
        "case and without full stops."
    )


def _pair(given):
    texts = given.split(" / ") if isinstance(given, str) else given
    if not isinstance(texts, (list, tuple)) or len(texts) != 2:
        return "a list of two texts is expected."
    one, other = (_words(text) for text in texts)
    if not one or not other:
        return "each of the two texts is a string of words."
    if one == other:
        return "both texts are the same. They have to differ, with equal counts."
    if n_grams(one, AMOUNTS) == n_grams(other, AMOUNTS):
        return RIGHT
    if n_grams(one, AMOUNTS - 1) == n_grams(other, AMOUNTS - 1):
        return "L23"
    if sorted(one.split()) == sorted(other.split()):
        return "L24"
    return "the two texts do not have the same words equally often."


def _order(given):
    try:
        order = float(given)
    except (TypeError, ValueError):
        return "a whole number is expected."
    if order < 3:
        return "a model of that order cannot tell them apart: equal trigrams mean equal bigrams."
    return {4.0: RIGHT, 3.0: "L23"}.get(order, "a model of a lower order can tell them apart already.")


TEXTS = {
    "same": {
        RIGHT: "anna has paid carl and carl has paid ben and ben has paid anna",
        "bigrams": "anna has paid ben and carl has paid carl and ben has paid anna",
        "L24": "anna has paid anna and ben has paid ben and carl has paid carl",
        "not read": "",
    },
    "order": {RIGHT: 4.0, "L23": 3.0, "not read": 0.0},
    "pair": {
        RIGHT: "ann has paid back ben and ben has paid back cy and cy has paid back ann / "
        "ann has paid back cy and cy has paid back ben and ben has paid back ann",
        "L23": f"{GIVEN} / anna has paid carl and carl has paid ben and ben has paid anna",
        "L24": "ann has paid ben / ben has paid ann",
        "not read": "",
    },
}


SAME_COUNTS = Question(
    key="13.same-counts",
    title="other facts, the same probability",
    kind="derive",
    stars=3,
    points=3,
    form="value",
    right=chosen(TEXTS),
    cases=((),),
    reading=by_what_it_does({"same": _same, "order": _order, "pair": _pair}, TEXTS),
    entry_points={"same": 1, "order": 1, "pair": 1},
    mistakes=(
        Mistake(
            "L23",
            chosen(TEXTS, "bigrams", "same"),
            "Your text has the same bigrams, but other trigrams. The parts that change places have to "
            "follow the same *two* words, and not only the same one.",
        ),
        Mistake(
            "L24",
            chosen(TEXTS, "L24", "same"),
            "Your text has the same words, but they follow other words than in the given text. Only a "
            "unigram model ignores what stands before: cut the text where it repeats itself, and swap the "
            "parts.",
        ),
        Mistake(
            "L23",
            chosen(TEXTS, "L23", "order"),
            "A trigram model sees two words of context, and after 'has paid' everybody may follow. One more "
            "word of context is needed.",
        ),
        Mistake(
            "L23",
            chosen(TEXTS, "L23", "pair"),
            "Your two texts have the same trigrams, but other 4-grams. The parts that change places have to "
            "follow the same *three* words.",
        ),
        Mistake(
            "L24",
            chosen(TEXTS, "L24", "pair"),
            "Your two texts have the same words in another order, but even their trigrams differ.",
        ),
    ),
    advice="Which two words stand together more than once? Cut the text after them.",
)

QUESTIONS = (SAME_COUNTS,)
