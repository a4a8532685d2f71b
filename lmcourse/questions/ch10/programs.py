"""Chapter 10, programs: which of them has seen the words that it scores, and what they print."""

import re
from functools import partial

import numpy as np

from lmcourse.hints.answers import Unreadable, plain_data
from lmcourse.hints.question import Mistake, Property, Question
from lmcourse.questions.shared.properties import FINITE
from lmcourse.questions.shared.units import LN2
from lmcourse.questions.shared.wrong import but

# --- which-peeked ----------------------------------------------------------------------------------------

PROGRAMS = "ABCDEF"


def which_peeked():
    """Whose topics, and whose weights, have seen the words that are scored; and who is honest."""
    return {"topics": "AD", "weights": "AB", "honest": "CEF"}


def read_programs(answer):
    """Any number of letters for each key, in any order and writing."""
    answer = plain_data(answer)
    if not isinstance(answer, dict) or set(answer) != set(which_peeked()):
        raise Unreadable(
            "your answer must be a dictionary with the keys 'topics', 'weights' and 'honest', each with "
            'letters, as in "BE".'
        )
    value, problems = {}, {}
    for key, given in answer.items():
        several = isinstance(given, list | tuple | set | frozenset)
        text = " ".join(map(str, given)) if several else str(given)
        text = re.sub(r"(?i)\b(and|programs?|none)\b", " ", text)
        letters = sorted(set(re.sub(r"[\s,;.&+/()'\"\[\]{}-]", "", text).upper()))
        value[key] = "".join(letters)
        if not set(letters) <= set(PROGRAMS) or (not several and not isinstance(given, str)):
            value[key] = ""
            problems[key] = f'"{key}" is {given!r}. Give letters from A to F, as in "BE".'
    return value, problems


def _says(key, letters):
    return but(which_peeked, {key: lambda: "".join(sorted(letters))})


WHICH_PEEKED = Question(
    key="10.which-peeked",
    title="six programs, and which of them peeked",
    kind="debug",
    stars=2,
    points=3,
    form="value",
    right=which_peeked,
    cases=((),),
    reading=read_programs,
    entry_points={"topics": 1, "weights": 1, "honest": 1},
    mistakes=(
        Mistake(
            "M49",
            _says("topics", "D"),
            "In 'topics' one program is missing: it does not score the test documents at all. Which "
            "documents does it score, and on which were its topics fitted?",
        ),
        Mistake(
            "L17",
            _says("topics", "A"),
            "In 'topics' one program is missing: look at what each program hands to fit, and then at the "
            "words that it scores.",
        ),
        Mistake(
            "L28",
            _says("topics", "ADF"),
            "In 'topics' you accuse program F. Its topics have been fitted on the first halves of the test "
            "documents, too. Does it score any word of these halves?",
        ),
        Mistake(
            "L28",
            _says("topics", "DF"),
            "In 'topics' you accuse program F, which scores no word that its topics were fitted on. And one "
            "is missing: which program does not score the test documents at all?",
        ),
        Mistake(
            "M49",
            _says("weights", "B"),
            "In 'weights' one program is missing. Look for another program that infers theta from a "
            "document and then scores the same document.",
        ),
        Mistake(
            "M49",
            _says("weights", "A"),
            "In 'weights' one program is missing. It does not matter that the topics come from other "
            "documents: from which words does each program infer theta, and which words does it score?",
        ),
        Mistake(
            "L28",
            _says("weights", "ABE"),
            "In 'weights' you accuse program E. It infers no weights: it takes the mean over draws from the "
            "prior, which know nothing of the document.",
        ),
        Mistake(
            "L28",
            _says("weights", "DAB"),
            "In 'weights' you accuse program D, whose weights come from the other half of each document. "
            "What is wrong there is something else.",
        ),
        Mistake(
            "L28",
            _says("weights", "ABC"),
            "In 'weights' you accuse program C, which infers theta from one half of the words and scores the "
            "other half.",
        ),
        Mistake(
            "M49",
            _says("honest", "BCEF"),
            "In 'honest' there is a program whose weights have seen every word that they score. That the "
            "documents are new is not enough.",
        ),
        Mistake(
            "L17",
            _says("honest", "CDEF"),
            "In 'honest' there is a program whose topics were fitted on words that it scores later. That the "
            "weights come from the other half is not enough.",
        ),
        Mistake(
            "L28",
            _says("honest", "CE"),
            "In 'honest' one program is missing: one that uses half of the test documents for the topics "
            "*and* for the weights, and scores nothing of that half.",
        ),
        Mistake(
            "L28",
            _says("honest", "CF"),
            "In 'honest' one program is missing: one that scores whole test documents, and infers nothing "
            "from them.",
        ),
        Mistake(
            "L28",
            _says("honest", "EF"),
            "In 'honest' one program is missing: look for a program that reads one half of a document and "
            "scores the other.",
        ),
        Mistake(
            "L28",
            _says("honest", "C"),
            "In 'honest' two programs are missing. A program may use words of the test documents, as long "
            "as it does not score these words; and it need not infer weights at all.",
        ),
    ),
    advice="Mark in each program three things: the words that fit reads, the words that theta is inferred "
    "from, and the words that are scored. The third must not overlap with the first two.",
)

# --- printed ---------------------------------------------------------------------------------------------


LOG_LINE = (
    "{:.3f} per-word bound, {:.1f} perplexity estimate "
    "based on a held-out corpus of {} documents with {} words"
)
"""What gensim 4.4.0 writes into its log."""


def _bound(report):
    """The whole bound in nats that a program's number stands for."""
    words, printed = report["words"], report["printed"]
    if report["program"] == "log line":
        return -words * float(printed.split()[0])
    return words * np.log(printed) if report["program"] == "perplexity" else -words * printed


def _without_topics(bound, report):
    return np.exp((bound - report["topics"]) / report["words"])


def _lowest(reports, found):
    return reports[int(found.argmin())]["K"]


def printed(reports, bound=_bound, perplexity=_without_topics, lowest=_lowest):
    """What programs have printed, as bounds in nats and as limits for the words; and the K of the lowest."""
    bounds = np.array([bound(report) for report in reports])
    found = np.array([perplexity(b, report) for b, report in zip(bounds, reports, strict=True)])
    return {"bound": bounds, "perplexity": found, "lowest": float(lowest(reports, found))}


def _report(K, program, words, nats_per_word, topics):
    """A report: a number with seven digits, or a line of gensim's log."""
    bound = (nats_per_word * words + topics) / words
    value = np.exp(bound) if program == "perplexity" else -bound
    line = LOG_LINE.format(-bound, 2.0**bound, words // 90, words)
    return {
        "K": K,
        "program": program,
        "words": words,
        "topics": float(topics),
        "printed": line if program == "log line" else float(f"{value:.7g}"),
    }


def _instead(program, formula):
    """The bound, with another formula for one of the programs."""
    return lambda report: formula(report) if report["program"] == program else _bound(report)


def _lowest_printed(reports, found):
    shown = [float(str(report["printed"]).split(", ")[-1].split()[0]) for report in reports]
    return reports[int(np.argmin(shown))]["K"]


def _draw_reports(rng):
    """Reports on the same test words; more topics are better for the words and have a larger term."""
    words = int(rng.integers(4000, 9000))
    K = np.array([1, 5, 20, 50])[: int(rng.integers(3, 5))]
    levels = rng.permutation(np.linspace(5.3, 5.9, len(K)) + rng.uniform(-0.05, 0.05))
    programs = rng.permutation(["perplexity", "log_perplexity", "log line", "perplexity"])
    topics = (4000 + 900 * K) * rng.uniform(0.9, 1.1)
    reports = [
        _report(int(k), str(program), words, level, round(t))
        for k, program, level, t in zip(K, programs, levels, topics, strict=False)
    ]
    return ([reports[i] for i in rng.permutation(len(reports))],)


PRINTED = Question(
    key="10.printed",
    title="what the programs print",
    kind="forensics",
    stars=2,
    points=3,
    right=printed,
    cases=(
        (
            [
                _report(1, "perplexity", 7200, 5.82, 5100),
                _report(5, "log_perplexity", 7200, 5.66, 9300),
                _report(20, "log line", 7200, 5.55, 22400),
                _report(50, "perplexity", 7200, 5.59, 48100),
            ],
        ),
        (
            [
                _report(10, "log line", 5300, 5.74, 12100),
                _report(40, "perplexity", 5300, 5.41, 36800),
                _report(20, "log_perplexity", 5300, 5.49, 19900),
                _report(2, "log line", 5300, 5.71, 6400),
            ],
        ),
    ),
    draw=_draw_reports,
    rtol=2e-3,
    entry_points={"bound": 1, "perplexity": 1, "lowest": 1},
    mistakes=(
        Mistake(
            "M48",
            partial(
                printed,
                bound=_instead("log line", lambda report: _bound(report) * LN2),
            ),
            "You read gensim's log line as if its bound were in bits. It is in nats; only the 'perplexity "
            "estimate' has the base 2.",
        ),
        Mistake(
            "M70",
            partial(
                printed, bound=_instead("log_perplexity", lambda report: report["words"] * report["printed"])
            ),
            "You take 'log_perplexity' for the logarithm of a perplexity. It is a bound on the log "
            "*probability* per word, so it has the opposite sign.",
        ),
        Mistake(
            "M70",
            partial(
                printed,
                bound=_instead("log_perplexity", lambda report: -LN2 * report["words"] * report["printed"]),
            ),
            "You take 'log_perplexity' for bits. gensim's bound is in nats, although its log line raises 2 "
            "to it.",
        ),
        Mistake(
            "M1",
            partial(
                printed,
                bound=lambda report: _bound(report) * (LN2 if "log" in report["program"] else 1),
            ),
            "You take both of gensim's numbers for a loss in bits. Its bound is in nats, and only the "
            "'perplexity estimate' of the log line has the base 2.",
        ),
        Mistake(
            "M5",
            partial(
                printed,
                bound=lambda report: _bound(report) * (-1 if "log" in report["program"] else 1),
            ),
            "Your bounds from gensim are negative: both of its numbers are bounds on a log *probability*. "
            "The task asks for a bound on the surprisal.",
        ),
        Mistake(
            "M48",
            partial(printed, perplexity=lambda bound, report: np.exp(bound / report["words"])),
            "Your 'perplexity' still holds the term of the topics. It belongs to the fit and not to the test "
            "words: take it out before you divide.",
        ),
        Mistake(
            "L7",
            partial(
                printed,
                perplexity=lambda bound, report: np.exp((bound + report["topics"]) / report["words"]),
            ),
            "Your 'perplexity' adds the term of the topics again. The printed number holds it already: "
            "take it out.",
        ),
        Mistake(
            "M48",
            partial(printed, lowest=_lowest_printed),
            "Your 'lowest' compares the printed numbers. They have different signs, bases and terms; "
            "compare the upper limits for the words.",
        ),
        Mistake(
            "M48",
            partial(
                printed,
                lowest=lambda reports, found: min(reports, key=lambda report: abs(_bound(report)))["K"],
            ),
            "Your 'lowest' compares the whole bounds. They hold the term of the topics, which grows with K "
            "whatever the test words are.",
        ),
        Mistake(
            "L7",
            partial(printed, lowest=lambda reports, found: reports[int(found.argmax())]["K"]),
            "Your 'lowest' has the highest limit for the words.",
        ),
        Mistake(
            "L23",
            partial(printed, lowest=lambda reports, found: int(found.argmin())),
            "Your 'lowest' is the place in the list. The task asks for the number of topics.",
        ),
        Mistake(
            "L1",
            lambda reports: (
                printed(reports)
                | {"bound": printed(reports)["bound"] / np.array([report["words"] for report in reports])}
            ),
            "Your 'bound' is in nats per word. The task asks for the nats of all words.",
        ),
        Mistake(
            "M2",
            lambda reports: printed(reports) | {"bound": printed(reports)["bound"] / LN2},
            "Your 'bound' is {ratio} = 1 / ln 2 times what it should be: it is in bits.",
        ),
        Mistake(
            "M4",
            lambda reports: printed(reports) | {"perplexity": np.log(printed(reports)["perplexity"])},
            "Your 'perplexity' is its logarithm, the nats per word.",
        ),
    ),
    alike=(
        ("M48 (4)", "L7 (2)", "in the first case one topic has the lowest bound and the highest perplexity"),
    ),
    properties=(
        FINITE,
        Property(
            "a bound on a surprisal is negative",
            lambda value, reports: (value["bound"] > 0).all(),
        ),
    ),
    precision="A log line is rounded, so two parts in a thousand are allowed. Do not round any further.",
    advice="Undo what each program did last: an exponential, or a sign. That gives the bound per word. "
    "Multiply by the words, and take the topics' term out before you divide again.",
)

QUESTIONS = (WHICH_PEEKED, PRINTED)
