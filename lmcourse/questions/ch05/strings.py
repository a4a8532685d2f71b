"""Chapter 05, the counted string is the scored string: four programs, and an evaluator with two mistakes."""

import unicodedata
from functools import partial

import numpy as np

from lmcourse.hints.question import Mistake, Property, Question
from lmcourse.questions.shared.designs import RIGHT, by_what_it_does, chosen
from lmcourse.questions.shared.properties import FINITE, unchanged
from lmcourse.questions.shared.units import LN2

# --- page ------------------------------------------------------------------------------------------------


def scored(page):
    """The string that is scored: newlines for CR LF, accents composed."""
    return unicodedata.normalize("NFC", page.replace("\r\n", "\n"))


PROGRAMS = {
    "A": len,
    "B": lambda page: len(scored(page)),
    "C": lambda page: len(page.encode("utf-8")),
    "D": lambda page: sum(not character.isspace() for character in scored(page)),
}
"""What the four programs of the task count as characters."""

LONGEST = 12
"""How many code points the student's own page may have."""

LINES = ("Gdzie jest żółw? W lesie…", "“Où est la clé ?” – là-bas, derrière l’hôtel.", "Čtyři ﬁlmy, tři účty")
PAGE_AS_STORED = "".join(unicodedata.normalize("NFD", line) + "\r\n" for line in LINES)
LOGS = "A D C"
"""The programs that gave the three numbers of the task, in order."""


def logged(bits):
    """The three numbers of the task for a total in bits."""
    return [bits / PROGRAMS[name](PAGE_AS_STORED) for name in LOGS.split()]


EXAMPLES = {
    "page": {RIGHT: "e\u0301\r\nx", "not read": ""},
    "counts what is scored": {RIGHT: "B", "M39": "A", "M38": "C", "M37": "D", "not read": ""},
    "logs": {RIGHT: LOGS, "L34": LOGS[::-1], "not read": ""},
}


def _page(given):
    if not isinstance(given, str):
        return "give one string."
    if len(given) > LONGEST:
        return f"your page has {len(given)} code points, and {LONGEST} are allowed."
    try:
        counts = {name: count(given) for name, count in PROGRAMS.items()}
    except UnicodeEncodeError:
        return "your page has half of a surrogate pair, which UTF-8 cannot store."
    same = [(a, b) for a in counts for b in counts if a < b and counts[a] == counts[b]]
    return f"the programs {same[0][0]} and {same[0][1]} give the same number." if same else RIGHT


def _letters(given):
    if isinstance(given, list | tuple):
        given = " ".join(map(str, given))
    return given.upper().replace(",", " ").split() if isinstance(given, str) else None


def _scored_by(given):
    found = _letters(given)
    if not found or len(found) != 1 or found[0] not in PROGRAMS:
        return "give one of the letters A, B, C or D."
    return next(name for name, letter in EXAMPLES["counts what is scored"].items() if letter == found[0])


def _logs(given):
    found = _letters(given)
    if found and len(found) == 1 and len(found[0]) == 3:
        found = list(found[0])
    if not found or len(found) != 3 or not set(found) <= set(PROGRAMS):
        return "give three letters from A to D, separated by spaces, in the order of the numbers."
    if " ".join(found) in (LOGS, LOGS[::-1]):
        return RIGHT if " ".join(found) == LOGS else "L34"
    good = sum(a == b for a, b in zip(found, LOGS.split(), strict=True))
    count = ("none", "one", "two")[good]
    return f"{count} of your three letters {'are' if good == 2 else 'is'} right."


PAGE = Question(
    key="05.page",
    title="four programs count one page",
    kind="protocol",
    stars=2,
    points=3,
    form="value",
    right=chosen(EXAMPLES),
    cases=((),),
    reading=by_what_it_does({"page": _page, "counts what is scored": _scored_by, "logs": _logs}, EXAMPLES),
    entry_points={"page": 1, "counts what is scored": 1, "logs": 1},
    mistakes=(
        Mistake(
            "M39",
            chosen(EXAMPLES, "M39", "counts what is scored"),
            "Your program counts the code points of the file. The scorer reads a different string: each "
            "line end is one newline, and letters and accents are composed.",
        ),
        Mistake(
            "M38",
            chosen(EXAMPLES, "M38", "counts what is scored"),
            "Your program counts bytes. An accented letter takes more than one.",
        ),
        Mistake(
            "M37",
            chosen(EXAMPLES, "M37", "counts what is scored"),
            "Your program leaves out the spaces and newlines. The scorer gives each of them a probability.",
        ),
        Mistake(
            "L34",
            chosen(EXAMPLES, "L34", "logs"),
            "Your 'logs' are in the reverse order. The larger the count, the *fewer* the bits per character.",
        ),
    ),
    advice="Divide the total by each number in the log: that gives a count of characters. Which program "
    "gets that count for the page?",
)

# --- evaluator -------------------------------------------------------------------------------------------

STORED = ((" ,", ","), (" .", "."), (" @-@ ", "-"), ("( ", "("), (" )", ")"))


def detokenise(page):
    """Undo the blanks with which a page is stored."""
    for stored, written in STORED:
        page = page.replace(stored, written)
    return page


def evaluate(pages, nats, chars_of=lambda page: len(detokenise(page)), words_of=None, unit=LN2):
    """Bits per character and perplexity per word of the detokenised pages.

    ``chars_of`` and ``words_of`` get the stored page.
    """
    words_of = words_of or (lambda page: len(detokenise(page).split()))
    total = sum(_total(page, nats) for page in pages)
    return _line(total, sum(map(chars_of, pages)), sum(map(words_of, pages)), unit)


def _total(page, nats):
    return sum(nats[c] for c in detokenise(page))


def _line(total, chars, words, unit=LN2):
    return {"bits per char": total / unit / chars, "perplexity per word": np.exp(total / words)}


def _page_means(pages, nats):
    lines = [evaluate([page], nats) for page in pages]
    logs = np.mean([np.log(line["perplexity per word"]) for line in lines])
    return {
        "bits per char": np.mean([line["bits per char"] for line in lines]),
        "perplexity per word": np.exp(logs),
    }


def _stored_as_scored(pages, nats):
    return [detokenise(page) for page in pages], nats


WORDS = ["kurz", "über", "façade", "señor", "the", "tortoise", "of", "Łódź", "river", "naïve", "a", "słoń"]


def _with_nats(pages, rng):
    """The pages, and the nats of each of their characters."""
    alphabet = sorted(set("".join(pages)) | set("-,.()"))
    surprisals = rng.uniform(0.3, 1.6, size=len(alphabet))
    return pages, {c: float(n) for c, n in zip(alphabet, surprisals, strict=True)}


def _draw_pages(rng):
    """Stored pages of words in any order."""
    pages = []
    for size in rng.integers(6, 14, size=3):
        words = [str(word) for word in rng.choice(WORDS, size=size)]
        words[2] += " ,"
        words[3] = f"( {words[3]} )"
        words[4] += " @-@ " + words[5]
        pages.append(" ".join(words) + " .")
    return _with_nats(pages, rng)


EVALUATOR = Question(
    key="05.evaluator",
    title="an evaluator that counts another text",
    kind="debug",
    stars=3,
    points=3,
    right=evaluate,
    cases=(
        _with_nats(
            [
                "The tortoise of Łódź ( a naïve one ) , half @-@ asleep , crossed the river .",
                "Señor Słoń , the ferryman , took no money .",
            ],
            np.random.default_rng(511),
        ),
        _with_nats(
            [
                "On the façade of the café : nothing .",
                "Über @-@ eager , the painter began again ( and again , and again ) .",
                "It was a Tuesday .",
            ],
            np.random.default_rng(512),
        ),
    ),
    draw=_draw_pages,
    entry_points={"bits per char": 2, "perplexity per word": 1},
    mistakes=(
        Mistake(
            "M38 + M39",
            partial(
                evaluate,
                chars_of=lambda page: len(page.encode("utf-8")),
                words_of=lambda page: len(page.split()),
            ),
            "Nothing is corrected yet. Which string goes to the model, and which string is counted? And in "
            "what unit?",
        ),
        Mistake(
            "M38",
            partial(evaluate, chars_of=lambda page: len(detokenise(page).encode("utf-8"))),
            "You count the right string now, but your 'bits per char' are still bits per byte.",
        ),
        Mistake(
            "M38 + M39",
            partial(evaluate, chars_of=lambda page: len(page.encode("utf-8"))),
            "Your 'bits per char' divide by the number of bytes in the stored page. Count the code points "
            "in the string that the model reads.",
        ),
        Mistake(
            "M39",
            partial(evaluate, chars_of=len),
            "Your 'bits per char' count the characters in the stored page. Count those in the string that "
            "the model reads.",
        ),
        Mistake(
            "M36",
            partial(evaluate, chars_of=lambda page: len(detokenise(page).split())),
            "Your 'bits per char' are bits per *word*. Divide the total by the number of characters.",
        ),
        Mistake(
            "L3",
            partial(evaluate, unit=1 / LN2),
            "Your 'bits per char' multiply the nats by ln 2. One bit is ln 2 nats: to get bits, divide.",
        ),
        Mistake(
            "M37",
            partial(evaluate, chars_of=lambda page: len("".join(detokenise(page).split()))),
            "Your 'bits per char' leave the spaces out of the count, although the model scores them.",
        ),
        Mistake(
            "M2",
            lambda pages, nats: (
                evaluate(pages, nats)
                | {"perplexity per word": np.exp(np.log(evaluate(pages, nats)["perplexity per word"]) / LN2)}
            ),
            "Your 'perplexity per word' raises e to a number of bits. Raise e to nats, or 2 to bits.",
        ),
        Mistake(
            "M1",
            lambda pages, nats: (
                evaluate(pages, nats)
                | {"perplexity per word": 2 ** np.log(evaluate(pages, nats)["perplexity per word"])}
            ),
            "Your 'perplexity per word' raises 2 to a number of nats. Raise e to nats, or 2 to bits.",
        ),
        Mistake(
            "M39",
            partial(evaluate, chars_of=len, words_of=lambda page: len(page.split())),
            "You count the stored page. The model reads the detokenised one: count that.",
        ),
        Mistake(
            "M39",
            partial(evaluate, words_of=lambda page: len(page.split())),
            "You count the words in the stored page, where each comma is a word of its own. Count those in "
            "the detokenised page.",
        ),
        Mistake(
            "M39",
            lambda pages, nats: _line(
                sum(sum(nats[c] for c in page) for page in pages),
                sum(map(len, pages)),
                sum(len(page.split()) for page in pages),
            ),
            "Your total and counts belong together, but to the wrong text: you score the stored pages. The "
            "model reads the detokenised ones.",
        ),
        Mistake(
            "M1",
            partial(evaluate, unit=1.0),
            "Your 'bits per char' are {ratio} = ln 2 times the right ones: they are nats.",
        ),
        Mistake(
            "M9",
            _page_means,
            "You take a mean over the pages, so that a short page has the weight of a long one. Add up the "
            "totals, add up the counts, and divide once.",
        ),
    ),
    properties=(
        FINITE,
        Property(
            "a number changes when each stored page is replaced by the string that the model reads, although "
            "the scored text stays the same",
            unchanged,
            also=_stored_as_scored,
        ),
    ),
    advice="Give the scored string a name, and let it be the only string that is scored and counted.",
)

QUESTIONS = (PAGE, EVALUATOR)
