"""Chapter 05, the counted string is the scored string: counting a page, and an evaluator with two faults."""

import unicodedata
from functools import partial

import numpy as np

from lmcourse.hints.question import Mistake, Property, Question
from lmcourse.questions.shared.properties import FINITE, unchanged
from lmcourse.questions.shared.units import LN2

# --- page ------------------------------------------------------------------------------------------------


def count_page(page):
    """Words, characters and bytes of a page as it is scored: newlines for CR LF, accents composed."""
    return _counts(_scored(page))


def _scored(page):
    return unicodedata.normalize("NFC", page.replace("\r\n", "\n"))


def _counts(text, **given):
    counts = {"words": len(text.split()), "chars": len(text), "bytes": len(text.encode("utf-8"))}
    return counts | given


def _without(page, blanks):
    """The scored page without some of its blanks, and the words that it had."""
    text = _scored(page)
    return _counts("".join(c for c in text if c not in blanks), words=len(text.split()))


LINES = (
    "Gdzie jest żółw? W lesie…",
    "“Où est la clé ?” – là-bas, derrière l’hôtel.",
    "Ångström misst Längen: 10⁻¹⁰ m.",
    "Die Perplexität heißt auf Chinesisch 困惑度.",
    "¿Mañana? No, el año próximo.",
    "Čtyři ﬁlmy, tři účty",
    "a plain line, no accents",
)


def _page(lines, end="\r\n"):
    """Lines as a file has them: decomposed."""
    return "".join(unicodedata.normalize("NFD", line) + end for line in lines)


def _draw_page(rng):
    """Three to five lines, some of them decomposed; the last may lack its line end."""
    chosen = rng.permutation(len(LINES))[: rng.integers(3, 6)]
    lines = [LINES[0], *(LINES[i] for i in chosen if i)]
    lines[1] = lines[1] + " " + LINES[5]
    return (_page(lines).removesuffix("\r\n") if rng.random() < 0.3 else _page(lines),)


def _draw_page_that_stays_apart(rng):
    """Accents for which Unicode has no composed letter."""
    (page,) = _draw_page(rng)
    return (page + "x\u0302 is an estimate,\r\n\r\nq\u0308 another\r\n",)


PAGE = Question(
    key="05.page",
    title="count what was scored",
    kind="implement",
    stars=2,
    points=2,
    right=count_page,
    cases=(
        (_page([LINES[0], LINES[1], LINES[5]]),),
        (_page([LINES[3], LINES[2], LINES[4], LINES[5]]) + _page(LINES[6:], end=""),),
    ),
    draw=_draw_page,
    odd=(_draw_page_that_stays_apart,),
    rtol=0.0,
    atol=0.0,
    mistakes=(
        Mistake(
            "M38",
            lambda page: count_page(page) | {"chars": count_page(page)["bytes"]},
            "Your characters are bytes. len of a string counts code points, len of encoded text bytes.",
        ),
        Mistake(
            "M38",
            lambda page: count_page(page) | {"bytes": count_page(page)["chars"]},
            "Your bytes are characters. An accented letter is one character and two bytes of UTF-8.",
        ),
        Mistake(
            "M39",
            _counts,
            "You count the file. The scorer reads another string: line ends become one newline each, and "
            "accented letters are composed.",
        ),
        Mistake(
            "M39",
            lambda page: _counts(unicodedata.normalize("NFC", page)),
            "Your line ends have two characters, as in the file. The scorer pays for one newline.",
        ),
        Mistake(
            "M39",
            lambda page: _counts(page.replace("\r\n", "\n")),
            "Your line ends are right. The accents still stand behind their letters as characters of their "
            "own: the scorer composes them (NFC).",
        ),
        Mistake(
            "M39",
            lambda page: _counts(unicodedata.normalize("NFKC", page.replace("\r\n", "\n"))),
            "You normalise to NFKC, which also takes ligatures, ellipses and raised digits apart. The scorer "
            "does not.",
        ),
        Mistake(
            "M37",
            lambda page: _without(page, "\n"),
            "Your words are right, and no newline is counted. The scorer pays for each of them.",
        ),
        Mistake(
            "M37",
            lambda page: _counts(_scored(page).removesuffix("\n")),
            "The last newline is missing. It is in the file, and the scorer pays for it.",
        ),
        Mistake(
            "M37",
            lambda page: _without(page, " \n"),
            "Your words are right, and blanks and newlines are not counted. A separator is scored, too.",
        ),
        Mistake(
            "L23",
            lambda page: count_page(page) | {"words": len(_scored(page).split(" "))},
            "Your words are cut at blanks only. A newline ends a word, too.",
        ),
    ),
    alike=(("right", "M37 (2)", "the second page does not end in a newline"),),
    properties=(
        Property("there are fewer bytes than characters", lambda n, page: n["bytes"] >= n["chars"]),
        Property(
            "the counts change when the accents are stored composed, though the scorer reads the same string",
            unchanged,
            also=lambda page: (unicodedata.normalize("NFC", page),),
        ),
    ),
    advice="Make the scored string first, print its repr, then count: text.split(), text, text.encode().",
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
    total = sum(_bill(page, nats) for page in pages)
    return _line(total, sum(map(chars_of, pages)), sum(map(words_of, pages)), unit)


def _bill(page, nats):
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


def _priced(pages, rng):
    """The pages, and what each of their characters costs."""
    alphabet = sorted(set("".join(pages)) | set("-,.()"))
    costs = rng.uniform(0.3, 1.6, size=len(alphabet))
    return pages, {c: float(n) for c, n in zip(alphabet, costs, strict=True)}


def _draw_pages(rng):
    """Stored pages of words in any order."""
    pages = []
    for size in rng.integers(6, 14, size=3):
        words = [str(word) for word in rng.choice(WORDS, size=size)]
        words[2] += " ,"
        words[3] = f"( {words[3]} )"
        words[4] += " @-@ " + words[5]
        pages.append(" ".join(words) + " .")
    return _priced(pages, rng)


EVALUATOR = Question(
    key="05.evaluator",
    title="an evaluator that counts another text",
    kind="debug",
    stars=3,
    points=3,
    right=evaluate,
    cases=(
        _priced(
            [
                "The tortoise of Łódź ( a naïve one ) , half @-@ asleep , crossed the river .",
                "Señor Słoń , the ferryman , took no money .",
            ],
            np.random.default_rng(511),
        ),
        _priced(
            [
                "On the façade of the café : nothing .",
                "Über @-@ eager , the painter began again ( and again , and again ) .",
                "It was a Tuesday .",
            ],
            np.random.default_rng(512),
        ),
    ),
    draw=_draw_pages,
    mistakes=(
        Mistake(
            "M38 + M39",
            partial(
                evaluate,
                chars_of=lambda page: len(page.encode("utf-8")),
                words_of=lambda page: len(page.split()),
            ),
            "Nothing is repaired yet. Which string goes to the model, and which string is counted? And in "
            "what unit?",
        ),
        Mistake(
            "M38",
            partial(evaluate, chars_of=lambda page: len(detokenise(page).encode("utf-8"))),
            "The right string is counted now. Its 'bits per char' are still bits per byte.",
        ),
        Mistake(
            "M39",
            partial(evaluate, chars_of=len, words_of=lambda page: len(page.split())),
            "Characters are characters now, but they are those of the stored page. The model is given the "
            "detokenised one.",
        ),
        Mistake(
            "M39",
            partial(evaluate, words_of=lambda page: len(page.split())),
            "The characters are repaired. The words are still those of the stored page, where each comma "
            "is one.",
        ),
        Mistake(
            "M39",
            lambda pages, nats: _line(
                sum(sum(nats[c] for c in page) for page in pages),
                sum(map(len, pages)),
                sum(len(page.split()) for page in pages),
            ),
            "Total and counts belong together now, but it is the wrong text: you score the stored pages. "
            "The model is to be given the detokenised ones.",
        ),
        Mistake(
            "M1",
            partial(evaluate, unit=1.0),
            "Your counts are right. Your 'bits per char' are {ratio} = ln 2 times what they should be: nats.",
        ),
        Mistake(
            "M9",
            _page_means,
            "You average over pages, so that a short page weighs like a long one. Divide the totals once.",
        ),
    ),
    properties=(
        FINITE,
        Property(
            "the number changes when the pages are stored as they are scored, though the model reads the "
            "same text",
            unchanged,
            also=_stored_as_scored,
        ),
    ),
    advice="Give the scored string a name, and let it be the only string that is priced and counted.",
)

QUESTIONS = (PAGE, EVALUATOR)
