"""Tasks of the third exam about what perplexity does not see: chapter 13."""

from __future__ import annotations

from functools import partial

import numpy as np

from lmcourse.exams.task import ExamTask, rows, value_builder, value_task
from lmcourse.hints.question import Mistake
from lmcourse.questions.shared.units import LN2
from lmcourse.questions.shared.wrong import but, exchanged

# --- tied: equal scores, and answers of different lengths --------------------------------------------------


def _results(rng):
    """Questions by how many candidates are best; and one question, on which two totals are equal."""
    questions = np.array([rng.integers(300, 700), *(rng.integers(40, 160) for _ in range(3))])
    right = (questions * [rng.uniform(0.4, 0.6), *rng.uniform(0.5, 0.9, 2), 1]).astype(int)
    first = (right * [1, *rng.uniform(0.5, 0.8, 2), rng.uniform(0.3, 0.6)]).astype(int)
    totals, chars = -rng.integers(60, 220, 4) / 10, rng.integers(8, 60, 4)
    one, other = rng.choice(4, 2, replace=False)
    totals[[one, other]] = totals.max() + 0.5
    return questions, right, first, totals.round(1), chars


def _tied(questions, right, first, totals, chars, worth=None):
    worth = 1 / np.arange(1, 5) if worth is None else worth
    return {
        "reported": first.sum() / questions.sum(),
        "expected": (right * worth).sum() / questions.sum(),
        "chosen": "ABCD"[int((totals / chars).argmax())],
    }


def _lengths_decide(questions, right, first, totals, chars):
    """Whether the best score is clear, and neither of the two best totals has it, and no total exceeds -1."""
    scores = np.sort(totals / chars)
    best = int((totals / chars).argmax())
    return scores[-1] > 0.95 * scores[-2] and totals[best] < totals.max() and totals.max() < -1


tied = value_builder(
    title="equal scores",
    entry_points=(1, 2, 1),
    letters="ABCD",
    draw=_results,
    suits=_lengths_decide,
    right=_tied,
    mistakes=(
        Mistake(
            "M53",
            but(_tied, {"expected": lambda *case: _tied(*case)["reported"]}),
            "Your 'expected' is what the program reports: it gives every tie to the first candidate.",
        ),
        Mistake(
            "L8",
            partial(_tied, worth=np.ones(4)),
            "Your 'expected' counts a tie as right whenever the right answer is among the best.",
        ),
        Mistake(
            "L8",
            partial(_tied, worth=np.array([1, 0, 0, 0])),
            "Your 'expected' counts every tie as wrong. A draw among the best is sometimes right.",
        ),
        Mistake(
            "M54",
            partial(_tied, worth=np.array([1, 0.25, 0.25, 0.25])),
            "You draw among all four candidates. A draw is made among those with the highest score.",
        ),
        Mistake(
            "L8",
            partial(_tied, worth=np.array([1, 0.5, 0.5, 0.5])),
            "You give one half for every tie. One of three equal answers is drawn one time in three.",
        ),
        Mistake("L31", exchanged(_tied, "reported", "expected"), "Your two accuracies are swapped."),
        Mistake(
            "M55",
            but(_tied, {"chosen": lambda q, r, f, totals, chars: "ABCD"[int(totals.argmax())]}),
            "Your letter has the highest total. The shorter an answer is, the fewer factors below 1 are in"
            " its total: divide by the characters.",
        ),
    ),
    optional=(
        Mistake(
            "L7",
            but(_tied, {"chosen": lambda q, r, f, totals, chars: "ABCD"[int((totals / chars).argmin())]}),
            "Your letter has the lowest log probability per character. The highest is the best.",
        ),
    ),
    given=(
        "questions = np.array({questions})\nright = np.array({right})\nfirst = np.array({first})\n"
        "totals = np.array({totals})\nchars = np.array({chars})"
    ),
    fields=lambda questions, right, first, totals, chars: {
        "all": questions.sum(),
        "table": rows(range(1, 5), questions, right, first),
        "candidates": rows("ABCD", totals, chars),
    },
    text="""
A model answers {all} questions with four candidates each. Its scores have been rounded, so that several
candidates of a question may have the same highest score. The table counts the questions by how many
candidates have it.

| candidates with the highest score | questions | the right one among them | ... and first among them |
|---|---|---|---|
{table}

A program takes, of the candidates with the highest score, the one that stands first. On one further
question it is to choose by the log probability per character:

| candidate | total log probability (nats) | characters |
|---|---|---|
{candidates}

Set `tied` to a dictionary: `"reported"` is the program's accuracy on the {all} questions as a share of 1;
`"expected"` the accuracy to expect if one of the candidates with the highest score is drawn, each with the
same probability; and `"chosen"` the letter that has the highest log probability per character.
""",
    message="two accuracies and a letter",
    solution="""
share = (right / np.arange(1, 5)).sum()
chosen = "ABCD"[int((totals / chars).argmax())]
tied = {"reported": first.sum() / questions.sum(), "expected": share / questions.sum(), "chosen": chosen}
""",
    advice="What is one question worth if two candidates are best, and the right one is among them?",
)

# --- frontier: which accuracies an excess allows, as an expression -----------------------------------------

FRONTIER = r"""
A source writes texts in which {choices} of every {tokens} tokens {are}, and it leaves no doubt about which
word is right there. A model is right about a choice if it gives the right word a higher probability than
every other word.

In expectation, the model loses $D$ {unit} per token above the floor of the source, averaged over *all*
tokens. On the tokens that are not choices it loses $w$ {unit} per token above the floor, averaged over
*these* tokens.

Set `frontier` to the {asked} among the choices that is possible for such a model: an expression in the
symbols `D` and `w`, for values at which it lies between 0 and 1. Any equivalent form is right.
"""

ASKED = {
    "right": "lowest expected share of *right* answers",
    "wrong": "highest expected share of *wrong* answers",
}


def _wrong_share(D, w, choices, tokens, least, elsewhere=None):
    """The excess that is left for the choices, over what a wrong one loses at least."""
    share = choices / tokens
    return (D - (1 - share if elsewhere is None else elsewhere) * w) / (share * least)


def _frontier(D, w, asked, **numbers):
    found = _wrong_share(D, w, **numbers)
    return found if asked == "wrong" else 1 - found


def _frontier_mistakes(right, asked, unit, choices, tokens, least):
    numbers = {"choices": choices, "tokens": tokens}
    other = {1.0: LN2, LN2: 1.0}[least]
    made = partial(_frontier, asked=asked, **numbers)
    return (
        Mistake(
            "M1" if unit == "nats" else "M2",
            partial(made, least=other),
            f"A wrong answer loses at least one bit, and D and w are in {unit}.",
        ),
        Mistake(
            "L22",
            partial(made, least=least, elsewhere=0.0),
            "You leave all of the excess to the choices. The other tokens lose w each.",
        ),
        Mistake(
            "L8",
            partial(made, least=least, elsewhere=1.0),
            "You subtract w once for every token. Only the tokens that are not choices lose it.",
        ),
        Mistake(
            "L22",
            partial(
                _frontier,
                asked=asked,
                choices=tokens,
                tokens=tokens,
                least=least,
                elsewhere=1 - choices / tokens,
            ),
            "Your expression does not divide by the share of the choices. On these alone the excess is"
            " larger.",
        ),
        Mistake(
            "L7",
            lambda D, w: 1 - right(D, w),
            f"The share of {asked} answers is asked for, and yours is that of the others.",
        ),
    )


def frontier(rng, **from_template) -> ExamTask:
    """13: the accuracy that an excess guarantees, when a part of it is lost elsewhere."""
    choices, tokens = int(rng.integers(1, 4)), int(rng.integers(8, 26))
    unit, asked = str(rng.choice(["bits", "nats"])), str(rng.choice(list(ASKED)))
    least, share = {"bits": 1.0, "nats": LN2}[unit], choices / tokens
    drawn = {"asked": asked, "choices": choices, "tokens": tokens, "least": least}
    right = partial(_frontier, **drawn)
    a_bit = "" if unit == "bits" else " * sp.log(2)"
    return value_task(
        title="what a loss allows",
        choices=(f"{unit}, {asked}",),
        kind="derive",
        right=right,
        case=(0.9 * share * least, 0.3 * share * least),
        symbols=("D", "w"),
        mistakes=_frontier_mistakes(right, unit=unit, **drawn),
        advice="Of 1000 tokens, how many are choices, and what do the others lose together? A wrong answer"
        " had a rival with at least as much probability as the right word.",
        given='D, w = sp.symbols("D w", positive=True)',
        text=FRONTIER.format(
            choices=("one", "two", "three")[choices - 1],
            are="is a choice" if choices == 1 else "are choices",
            tokens=tokens,
            unit=unit,
            asked=ASKED[asked],
        ),
        message="the share, in D and w",
        solution=f"""
            share = sp.Rational({choices}, {tokens})
            wrong = (D - (1 - share) * w) / (share{a_bit})
            frontier = {"wrong" if asked == "wrong" else "1 - wrong"}
        """,
        **from_template,
    )


# --- errors: an aligned line, and the weight of a language model -------------------------------------------

GAP = "-"
LINES = (
    "please call me back on this line before ten tomorrow",
    "the dead line in room nine has been open since monday",
    "we would like to return the keys of our old flat",
    "could you read the number on the new meter to me",
)
HEARD = {
    "call": "all", "back": "pack", "line": "mine", "ten": "then", "dead": "red", "nine": "mine",
    "open": "often", "monday": "sunday", "like": "lack", "return": "turn", "keys": "kids", "flat": "fat",
    "read": "lead", "number": "lumber", "new": "two", "meter": "beater", "room": "broom", "old": "cold",
    "before": "for", "me": "be",
}  # fmt: skip
ADDED = ("uh", "and", "well", "so")


def _aligned(rng):
    """A line and what was recognised, word for word; no gap stands beside another error."""
    words = str(rng.choice(LINES)).split()
    places = rng.permutation(np.arange(0, len(words), 2))[: int(rng.integers(3, 6))]
    kinds = ["S", "D", "I", *rng.choice(["S", "D", "I"], len(places))][: len(places)]
    line = []
    for i, word in enumerate(words):
        kind = dict(zip(places.tolist(), kinds, strict=True)).get(i, "C")
        if kind == "S" and word in HEARD:
            line.append((word, HEARD[word]))
        elif kind == "D":
            line.append((word, GAP))
        else:
            line += [(GAP, str(rng.choice(ADDED)))] * (kind == "I") + [(word, word)]
    return tuple(line)


def _recognised(rng):
    """An aligned line; and errors at four weights on the development and on the test text."""
    n_dev, n_test = int(rng.integers(600, 1200)), int(rng.integers(600, 1200))
    weights = np.arange(4)
    best = int(rng.integers(4))
    best = np.array([best, best + rng.choice([-1, 1] if 0 < best < 3 else [1 if best == 0 else -1])])
    best, spread = best + rng.uniform(-0.3, 0.3, 2), rng.uniform(0.008, 0.02, 2)
    rates = [0.13 + width * (weights - at) ** 2 for at, width in zip(best, spread, strict=True)]
    errors = []
    for rate, n in zip(rates, (n_dev, n_test), strict=True):
        deletions = 0.15 + 0.12 * weights + rng.uniform(0, 0.05, 4)
        insertions = 0.42 - 0.11 * weights + rng.uniform(0, 0.05, 4)
        total = rate * n * rng.uniform(0.97, 1.03, 4)
        found = np.stack([(1 - deletions - insertions), deletions, insertions], axis=1) * total[:, None]
        errors.append(found.round().astype(int))
    return _aligned(rng), *errors, n_dev, n_test


def _line_counts(line):
    """Substitutions, deletions, insertions, and the words of the reference."""
    kinds = [(a != GAP and b != GAP and a != b, b == GAP, a == GAP, a != GAP) for a, b in line]
    return np.array(kinds).sum(axis=0)


def _rate(errors, words, divisor="reference", counted=(1, 1, 1)):
    """Substitutions, deletions and insertions over a length."""
    _, deleted, inserted = errors
    length = {"reference": words, "hypothesis": words - deleted + inserted, "both": words + inserted}[divisor]
    return (np.array(errors) * counted).sum() / length


def _all_errors(dev, test):
    return dev.sum(axis=1)


def _errors(line, dev, test, n_dev, n_test, chosen_on=_all_errors, **how):
    """``chosen_on`` gives what the chosen weight has the least of."""
    at = int(chosen_on(dev, test).argmin())
    *counts, words = _line_counts(line)
    line, wer = _rate(counts, words, **how), _rate(test[at], n_test, **how)
    return {"line": line, "weight": "ABCD"[at], "WER": wer}


def _choice_is_clear(line, dev, test, *lengths):
    """Whether the best weight is clear, the alignment has the fewest errors, and all kinds occur in it."""
    least, second = np.sort(dev.sum(axis=1))[:2]
    reference, heard = ([word for word in words if word != GAP] for words in zip(*line, strict=True))
    *counts, _ = _line_counts(line)
    return second > 1.04 * least and min(counts) > 0 and sum(counts) == edit_distance(reference, heard)


def edit_distance(reference, heard):
    """The fewest substitutions, deletions and insertions between two lists."""
    above = list(range(len(heard) + 1))
    for i, word in enumerate(reference, 1):
        row = [i]
        for j, other in enumerate(heard, 1):
            row.append(min(above[j - 1] + (word != other), above[j] + 1, row[-1] + 1))
        above = row
    return above[-1]


def _shown_line(line):
    width = [max(map(len, pair)) for pair in line]
    said, heard = (
        " ".join(w.ljust(n) for w, n in zip(words, width, strict=True)) for words in zip(*line, strict=True)
    )
    return said.rstrip(), heard.rstrip()


def _shown_errors(line, dev, test, n_dev, n_test):
    said, heard = _shown_line(line)
    columns = [*dev.T, *test.T]
    return {"said": said, "heard": heard, "table": rows("ABCD", ("0.5", "1.0", "1.5", "2.0"), *columns)}


errors = value_builder(
    title="the weight of a language model",
    entry_points=(1, 1, 1),
    letters="ABCD",
    draw=_recognised,
    suits=_choice_is_clear,
    right=_errors,
    mistakes=(
        Mistake(
            "L17",
            partial(_errors, chosen_on=lambda dev, test: test.sum(axis=1)),
            "You choose the weight by the errors on the test text, which is then no test any more.",
        ),
        Mistake(
            "M57",
            partial(_errors, divisor="hypothesis"),
            "You divide by the words that were recognised. Divide by those of the reference.",
        ),
        Mistake(
            "M57",
            partial(_errors, divisor="both"),
            "You divide by all columns of the alignment. An insertion is not a word of the reference.",
        ),
        Mistake(
            "M57",
            partial(_errors, counted=(1, 1, 0)),
            "You do not count the insertions. They are errors, too.",
        ),
    ),
    optional=(
        Mistake(
            "L22",
            partial(_errors, chosen_on=lambda dev, test: dev[:, 0]),
            "Your weight has the fewest substitutions. Deletions and insertions are errors, too.",
        ),
        Mistake(
            "L22",
            partial(_errors, chosen_on=lambda dev, test: dev[:, :2].sum(axis=1)),
            "Your weight is chosen without the insertions.",
        ),
        Mistake(
            "L17",
            partial(_errors, chosen_on=lambda dev, test: (dev + test).sum(axis=1)),
            "You choose the weight by the errors on both texts together. The test text may not take part.",
        ),
    ),
    given=(
        'said = "{said}"\nheard = "{heard}"\n'
        "dev = np.array({dev})\ntest = np.array({test})\nwords_dev, words_test = {n_dev}, {n_test}"
    ),
    fields=_shown_errors,
    text="""
A recogniser adds two log probabilities: that of the sound, and a weight times that of the language model.
This is one line of the reference, and below it what was recognised. A dash stands where one line lacks a
word of the other.

```text
{said}
{heard}
```

The errors of the whole texts at four weights are counted in the same way: substitutions (S), deletions (D)
and insertions (I). The reference has {n_dev} words in the development text and {n_test} in the test text.

| | weight | dev S | dev D | dev I | test S | test D | test I |
|---|---|---|---|---|---|---|---|
{table}

The weight with the lowest word error rate is to be used, and it must be chosen without the test text. Set
`errors` to a dictionary: `"line"` is the word error rate of the line above as a share of 1, `"weight"` the
letter of the weight, and `"WER"` the word error rate that you report for it on the test text, as a share of
1.
""",
    message="two error rates and a letter",
    solution="""
pairs = list(zip(said.split(), heard.split()))
line = sum(a != b for a, b in pairs) / sum(a != "-" for a, b in pairs)
at = int(dev.sum(axis=1).argmin())
errors = {"line": line, "weight": "ABCD"[at], "WER": test[at].sum() / words_test}
""",
    advice="Mark each column of the two lines as right, S, D or I, and count the words of the upper line.",
)
