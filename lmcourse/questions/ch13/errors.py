"""Chapter 13, errors of a recogniser: the shortest way to a text, and four programs that print a rate."""

from functools import partial

import numpy as np

from lmcourse.hints.question import Mistake, Property, Question
from lmcourse.questions.shared.wrong import but, exchanged

# --- edit-distance ---------------------------------------------------------------------------------------

EDITS = ("substitutions", "deletions", "insertions")


def edits(reference, hypothesis, border=1, replace=1, prefer=-1):
    """Substitutions, deletions and insertions in the shortest way from one list to the other.

    ``border`` is what an item at the edge of the table counts, and ``replace`` what a substitution counts;
    ``prefer`` is -1 for as many substitutions as the least number of errors allows, 1 for as few.
    """
    # errors and preference decide, in this order; the counts follow from them
    above = [(border * j, 0, 0, 0, border * j) for j in range(len(hypothesis) + 1)]
    for i, word in enumerate(reference, start=1):
        row = [(border * i, 0, 0, border * i, 0)]
        for j, other in enumerate(hypothesis, start=1):
            new = int(word != other)
            row.append(
                min(
                    _plus(above[j - 1], replace * new, prefer * new, new, 0, 0),
                    _plus(above[j], 1, 0, 0, 1, 0),
                    _plus(row[j - 1], 1, 0, 0, 0, 1),
                )
            )
        above = row
    return dict(zip(EDITS, above[-1][2:], strict=True))


def _plus(entry, *more):
    return tuple(a + b for a, b in zip(entry, more, strict=True))


def _place_by_place(reference, hypothesis):
    differ = sum(a != b for a, b in zip(reference, hypothesis, strict=False))
    longer = len(hypothesis) - len(reference)
    return dict(zip(EDITS, (differ, max(0, -longer), max(0, longer)), strict=True))


def _bags(reference, hypothesis):
    """Words that one list has and the other lacks, whatever their order."""

    def lacking(some, others):
        return sum(max(0, some.count(word) - others.count(word)) for word in set(some))

    missing, extra = lacking(reference, hypothesis), lacking(hypothesis, reference)
    return dict(zip(EDITS, (0, missing, extra), strict=True))


def _rates_of_edits(reference, hypothesis):
    return {name: n / max(len(reference), 1) for name, n in edits(reference, hypothesis).items()}


def _mirrored(value, second):
    """Whether deletions in one direction are insertions in the other."""
    return (
        value["deletions"] == second["insertions"]
        and value["insertions"] == second["deletions"]
        and value["substitutions"] == second["substitutions"]
    )


def _draw_lists(rng):
    """A list of words, and what is left after a few edits; it matters which of the shortest ways is taken."""
    words = ["call", "me", "back", "on", "this", "line"]
    while True:
        reference = [str(word) for word in rng.choice(words, size=rng.integers(5, 10))]
        hypothesis = list(reference)
        for _ in range(rng.integers(2, 6)):
            at, kind = int(rng.integers(len(hypothesis))), rng.integers(3)
            hypothesis[at : at + int(kind > 0)] = [str(rng.choice(words))] if kind < 2 else []
        if edits(reference, hypothesis) != edits(reference, hypothesis, prefer=1):
            return reference, hypothesis


EDIT_DISTANCE = Question(
    key="13.edit-distance",
    title="how many corrections?",
    kind="implement",
    stars=2,
    points=2,
    right=edits,
    cases=(
        (
            ["the", "line", "is", "dead", "since", "monday", "the", "ninth"],
            ["line", "is", "red", "since", "sunday", "ninth", "the"],
        ),
        (list("请三天内退还押金"), list("三天内还返一半压金请")),
    ),
    draw=_draw_lists,
    odd=(
        lambda rng: (_draw_lists(rng)[0], []),
        lambda rng: ([], _draw_lists(rng)[1]),
        lambda rng: (_draw_lists(rng)[0],) * 2,
    ),
    rtol=1e-9,
    mistakes=(
        Mistake(
            "L39",
            _place_by_place,
            "You compare word by word at the same place. After one missing or extra word, all later words "
            "stand at other places, but they are not errors.",
        ),
        Mistake(
            "L40",
            partial(edits, replace=3),
            "You never substitute: each replaced word is counted twice, as a deletion and an insertion. It "
            "is one error.",
        ),
        Mistake(
            "L22",
            _bags,
            "You count the words that one list has and the other lacks, in any order. Words in the wrong "
            "place are errors as well, and a word that replaces another is one error.",
        ),
        Mistake(
            "L22",
            partial(edits, border=0),
            "The first row and the first column of your table are 0, so that words at the beginning may be "
            "left out or added without being counted. Turning i words into none takes i deletions.",
        ),
        Mistake(
            "L31",
            exchanged(edits, "deletions", "insertions"),
            "Deletions and insertions are swapped. A word that was said and not written is a deletion.",
        ),
        Mistake(
            "L7",
            partial(edits, prefer=1),
            "Your total is right. But of the ways with the fewest errors, you take the one with the fewest "
            "substitutions; the task asks for the one with the most.",
        ),
        Mistake(
            "L1",
            _rates_of_edits,
            "You have divided by the length of the reference. The task asks for numbers of errors; the "
            "rate is the next task.",
        ),
    ),
    properties=(
        Property(
            "the errors are more than the words of the longer list. Compare the items of the lists, not "
            "their letters",
            lambda value, reference, hypothesis: sum(value.values()) <= max(len(reference), len(hypothesis)),
        ),
        Property(
            "the words of the reference, less the deletions and with the insertions, are not as many as "
            "those of the hypothesis",
            lambda value, reference, hypothesis: (
                value["insertions"] - value["deletions"] == len(hypothesis) - len(reference)
            ),
        ),
        Property(
            "the numbers are not the same when reference and hypothesis are swapped, though each deletion in "
            "one direction is an insertion in the other",
            _mirrored,
            also=lambda reference, hypothesis: (hypothesis, reference),
        ),
    ),
    advice="Work out 'a b' against 'b c' by hand. Two ways have two errors: which has more substitutions?",
)

# --- wer -------------------------------------------------------------------------------------------------

COUNTS = ("substitutions", "deletions", "insertions", "correct")


def _rates(report, changed_places=False):
    """The rate by each of four programs; if wished, with the lengths of the two texts exchanged."""
    S, D, I, C = (np.asarray(report[name], dtype=float) for name in COUNTS)  # noqa: E741
    spoken, written = S + D + C, S + I + C
    if changed_places:
        spoken, written = written, spoken
    with np.errstate(all="ignore"):
        return {
            "none": (S + D + I).sum() / spoken.sum(),
            "hypothesis": (S + D + I).sum() / written.sum(),
            "mean": ((S + D + I) / spoken).mean(),
            "insertions": (S + D).sum() / spoken.sum(),
        }


def audit(reports, rates=_rates):
    """The word error rate of each report, and which program has printed its number."""
    found = [rates(report) for report in reports]
    verdicts = [
        min(suspects, key=lambda name: abs(suspects[name] - report["reported"]))
        for suspects, report in zip(found, reports, strict=True)
    ]
    return {"WER": np.array([suspects["none"] for suspects in found]), "verdicts": " ".join(verdicts)}


def _with(change):
    """The audit of somebody whose four rates are changed."""
    return partial(audit, rates=lambda report: change(_rates(report)))


def _by_alignment(report):
    """The rates of somebody who divides by all lines of the alignment."""
    lines = sum(np.asarray(report[name]).sum() for name in COUNTS)
    return _rates(report) | {"none": sum(np.asarray(report[name]).sum() for name in COUNTS[:3]) / lines}


def _without_insertions(report):
    return _rates(report | {"insertions": np.zeros(len(report["insertions"]))})


def _share_right(report):
    """The rates of somebody who takes the share of right words for an error rate."""
    return _rates(report) | {"none": 1 - _rates(report)["insertions"]}


def _acquits_nobody(reports):
    verdicts = audit(reports, rates=lambda r: {k: v for k, v in _rates(r).items() if k != "none"} | {
        "none": np.inf
    })["verdicts"]  # fmt: skip
    return audit(reports) | {"verdicts": verdicts}


def _draw_report(rng, verdict, often=False):
    """An alignment of a few sentences whose four rates are far apart; ``often``: with many insertions."""
    while True:
        n = int(rng.integers(3, 6))
        correct = rng.integers(2, 14, size=n)
        report = {
            "substitutions": rng.integers(0, 4, size=n),
            "deletions": rng.integers(0, 3, size=n),
            "insertions": rng.integers(9, 20, size=n) if often else rng.integers(1, 5, size=n),
            "correct": np.minimum(correct, 3) if often else correct,
        }
        rates = _rates(report)
        values = np.sort(list(rates.values()))
        if np.min(np.diff(values)) > 0.02 * values[-1] and (not often or rates["none"] > 1):
            return report | {"reported": float(f"{rates[verdict]:.4g}")}


def _draw_reports(rng):
    verdicts = ["none", "hypothesis", "mean", "insertions", str(rng.choice(["none", "mean"]))]
    return ([_draw_report(rng, verdicts[i]) for i in rng.permutation(len(verdicts))],)


WER = Question(
    key="13.wer",
    title="four programs, four error rates",
    kind="forensics",
    stars=3,
    points=3,
    right=audit,
    cases=(
        _draw_reports(np.random.default_rng(1301)),
        (
            [
                *_draw_reports(np.random.default_rng(1302))[0][:4],
                _draw_report(np.random.default_rng(1303), "none", True),
            ],
        ),
    ),
    draw=_draw_reports,
    odd=(lambda rng: ([_draw_report(rng, str(v), often=True) for v in rng.permutation(["none", "mean"])],),),
    entry_points={"WER": 2, "verdicts": 1},
    mistakes=(
        Mistake(
            "M57",
            partial(audit, rates=partial(_rates, changed_places=True)),
            "You divide by the words of the hypothesis: a recogniser that adds words would lower its own "
            "rate. Deleted words belong to the reference, and inserted words do not.",
        ),
        Mistake(
            "M57",
            _with(lambda rates: rates | {"none": rates["mean"], "mean": rates["none"]}),
            "You average the rates of the sentences, so that a sentence of two words counts as much as "
            "one of twenty. Add the errors, add the words, and divide once.",
        ),
        Mistake(
            "M57",
            partial(audit, rates=_by_alignment),
            "You divide by all words of the alignment. An inserted word was never spoken, so it does not "
            "belong to the reference.",
        ),
        Mistake(
            "L22",
            partial(audit, rates=_without_insertions),
            "Your errors are substitutions and deletions. A word that nobody said is an error, too.",
        ),
        Mistake(
            "L7",
            partial(audit, rates=_share_right),
            "Your 'WER' is the share of the reference words that came out right.",
            explains="answer",
        ),
        Mistake(
            "L7",
            but(audit, {"WER": lambda reports: audit(reports, rates=_share_right)["WER"]}),
            "Your 'WER' is the share of the reference words that came out right.",
        ),
        Mistake(
            "L3",
            but(audit, {"WER": lambda reports: 100 * audit(reports)["WER"]}),
            "Your rates are in per cent. The task asks for shares: 0.25, not 25.",
        ),
        Mistake(
            "L28",
            _acquits_nobody,
            "Some reports that you accuse are right. The WER itself is among the four rates.",
        ),
    ),
    properties=(
        Property(
            "a rate of yours is exactly 1, as if it were cut off there. An error rate is not a probability: "
            "with many insertions it is above 1",
            lambda value, *case: not (value["WER"] == 1).any(),
        ),
    ),
    advice="Reference words are substituted, deleted or correct. Compute the four rates of one report, and "
    "see which of them is printed.",
)

QUESTIONS = (EDIT_DISTANCE, WER)
