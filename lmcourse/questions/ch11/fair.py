"""Chapter 11, fair comparisons: which programs had read the file, and what it costs to learn on the way."""

from functools import partial

import numpy as np
from scipy.special import gammaln

from lmcourse.hints.question import Mistake, Property, Question
from lmcourse.questions.shared.verdicts import read_verdicts
from lmcourse.questions.shared.wrong import but

# --- warm ------------------------------------------------------------------------------------------------

NEAR = 0.1
"""Texts of one kind differ by less than this share."""


def _verdict(report):
    if report["file"] < (1 - NEAR) * report["fresh"]:
        return "peeked"
    return "warm" if report["known"] < (1 - NEAR) * report["fresh"] else "cold"


def _best(reports, verdicts, kinds, key="file", choose=min):
    """For each kind the place of the report with the smallest number, or -1 if there is none."""
    found = []
    for kind in kinds:
        places = [i for i, verdict in enumerate(verdicts) if verdict in kind.split("|")]
        found.append(choose(places, key=lambda i: reports[i][key]) if places else -1)
    return np.array(found)


def judge_compressors(reports, verdict=_verdict, kinds=("cold", "warm"), choose=min):
    """What each program had read before it compressed the file, and the best cold and the best warm one."""
    verdicts = [verdict(report) for report in reports]
    return {"verdicts": " ".join(verdicts), "best": _best(reports, verdicts, kinds, choose=choose)}


def _no_warm(report):
    return "peeked" if _verdict(report) == "peeked" else "cold"


def _no_peeked(report):
    return "warm" if report["known"] < (1 - NEAR) * report["fresh"] else "cold"


def _smaller_is_peeked(report):
    return "peeked" if report["file"] < report["fresh"] else _verdict(report)


def _file_below_known(report):
    return "peeked" if report["file"] < (1 - NEAR) * report["known"] else _no_peeked(report)


def _verdicts_by(id, verdict, hint):
    """The mistake of another rule for the verdicts, with the best that follow from it, and without them."""
    wrong = partial(judge_compressors, verdict=verdict)
    return (
        Mistake(id, wrong, hint, explains="answer"),
        Mistake(id, but(judge_compressors, {"verdicts": lambda *case: wrong(*case)["verdicts"]}), hint),
    )


def _draw_report(rng, kind):
    """One report; "both" has read the file, and knows the other known tales better still."""
    fresh = float(rng.uniform(2.9, 3.7) if kind == "cold" else rng.uniform(2.2, 3.3))
    same = lambda: fresh * rng.uniform(0.94, 1.06)  # noqa: E731
    known = {"cold": same(), "warm": fresh * rng.uniform(0.15, 0.8), "peeked": fresh * rng.uniform(0.2, 1.05)}
    file = fresh * rng.uniform(0.05, 0.6) if kind == "peeked" else same()
    if kind == "both":
        known["both"], file = fresh * rng.uniform(0.1, 0.3), fresh * rng.uniform(0.4, 0.6)
    return {"file": round(file, 3), "fresh": round(fresh, 3), "known": round(known[kind], 3)}


def _draw_reports(rng, kinds=None):
    while True:
        some = kinds or [*rng.permutation(["cold", "warm", "peeked", "cold", "warm"])]
        reports = [_draw_report(rng, str(kind)) for kind in some]
        right = judge_compressors(reports)
        known_cold = [r["file"] < r["fresh"] for r, k in zip(reports, some, strict=True) if k == "cold"]
        if right["verdicts"].split() == [str(k).replace("both", "peeked") for k in some] and (
            kinds or any(known_cold)
        ):
            return (reports,)


def read_warm(answer, *case):
    """For the best of none, None is as good as -1."""
    answer, problems = read_verdicts(answer)
    if isinstance(answer, dict) and isinstance(answer.get("best"), list | tuple):
        answer = answer | {"best": [-1 if place is None else place for place in answer["best"]]}
    return answer, problems


WARM = Question(
    key="11.warm",
    title="which program had read the file?",
    kind="forensics",
    stars=2,
    points=3,
    right=judge_compressors,
    cases=(
        (
            [
                {"file": 3.28, "fresh": 3.02, "known": 3.24},
                {"file": 2.43, "fresh": 2.46, "known": 0.88},
                {"file": 0.31, "fresh": 2.77, "known": 0.92},
                {"file": 1.296, "fresh": 2.482, "known": 0.548},
                {"file": 2.96, "fresh": 3.11, "known": 2.99},
                {"file": 2.19, "fresh": 2.11, "known": 1.02},
            ],
        ),
        _draw_reports(np.random.default_rng(11202)),
        _draw_reports(np.random.default_rng(11203)),
    ),
    draw=_draw_reports,
    odd=(
        lambda rng: _draw_reports(rng, kinds=["cold", "cold", "peeked"]),
        lambda rng: _draw_reports(rng, kinds=["warm", "both", "peeked"]),
    ),
    rtol=0.0,
    entry_points={"verdicts": 2, "best": 1},
    reading=read_warm,
    mistakes=(
        *_verdicts_by(
            "M73",
            _no_warm,
            "You call a program cold that needs far fewer bits for the known tales than for new ones. It has "
            "been given them before, and they help it with every text of that kind.",
        ),
        Mistake(
            "L17",
            partial(judge_compressors, verdict=_no_peeked),
            "You call a program honest that needs far fewer bits for the file than for the fresh tales. To "
            "an honest one both are new, so that its numbers for them are close.",
        ),
        Mistake(
            "L17",
            partial(judge_compressors, verdict=_file_below_known),
            "You compare the file with the known tales. A program may have read both; compare the file with "
            "the text that nobody can have read.",
        ),
        *_verdicts_by(
            "L28",
            _smaller_is_peeked,
            "You accuse programs whose file is only a little smaller than the fresh tales. Two texts of "
            "one kind differ by a few per cent.",
        ),
        Mistake(
            "M73",
            but(
                judge_compressors,
                {
                    "best": lambda reports: _best(
                        reports, judge_compressors(reports)["verdicts"].split(), ["cold|warm"] * 2
                    )
                },
            ),
            "Your 'best' compares warm programs with cold ones. Each kind has a best of its own.",
        ),
        Mistake(
            "L17",
            but(
                judge_compressors,
                {
                    "best": lambda reports: _best(
                        reports,
                        judge_compressors(reports)["verdicts"].split(),
                        ["cold", "warm|peeked"],
                    )
                },
            ),
            "Your best warm program has read the very file. Its number says nothing about files to come: "
            "leave it out.",
        ),
        Mistake(
            "L7",
            but(
                judge_compressors,
                {
                    "best": lambda reports: _best(
                        reports, judge_compressors(reports)["verdicts"].split(), ["cold", "warm"], choose=max
                    )
                },
            ),
            "Your 'best' are the programs with the *most* bits per byte.",
        ),
        Mistake(
            "M39",
            but(
                judge_compressors,
                {
                    "best": lambda reports: _best(
                        reports, judge_compressors(reports)["verdicts"].split(), ["cold", "warm"], key="fresh"
                    )
                },
            ),
            "Your 'best' goes by the fresh tales. They serve to find out who has read the file; the best "
            "program is the one with the fewest bits per byte on the file.",
        ),
        Mistake(
            "L23",
            but(judge_compressors, {"best": lambda reports: judge_compressors(reports)["best"] + 1}),
            "Your 'best' are counted from 1. Positions are counted from 0.",
        ),
        Mistake(
            "L31",
            but(judge_compressors, {"best": lambda reports: judge_compressors(reports)["best"][::-1]}),
            "Your 'best' has the warm program first. The task asks for the cold one first.",
        ),
    ),
    alike=(
        ("right", "M39", "in the second and third cases the same programs are best on both texts"),
        (
            "right",
            "L17 (2)",
            "in the second and third cases no program that read the file knows others better",
        ),
        ("L17 (2)", "M39", "in the second and third cases both are right"),
    ),
    properties=(
        Property(
            "a verdict is not one of the words cold, warm and peeked",
            lambda value, *case: set(value["verdicts"].split()) <= {"cold", "warm", "peeked"},
        ),
    ),
    advice="An honest program knows neither the file nor the fresh tales. A cold one does not know any of "
    "the three texts.",
)

# --- adaptive --------------------------------------------------------------------------------------------


def _log2_kt(a, b, half=0.5):
    """log2 of the probability of one sequence with a and b symbols, whose counts start at ``half``."""
    from_half = gammaln(a + half) + gammaln(b + half) - 2 * gammaln(half)
    return (from_half - gammaln(a + b + 2 * half) + gammaln(2 * half)) / np.log(2)


def _best_coin(a, b):
    """log2 of the probability under the coin that fits the sequence best."""
    n = a + b
    return sum(k * np.log2(k / n) for k in (a, b) if k)


def adaptive(a, b, half=0.5):
    """Probability of a sequence under a coder that learns, and its regret in bits; and that of one side."""
    return {
        "probability": 2 ** _log2_kt(a, b, half),
        "regret": _best_coin(a, b) - _log2_kt(a, b, half),
        "one_sided": -_log2_kt(a, 0, half),
    }


def _sequences(a, b):
    return gammaln(a + b + 1) - gammaln(a + 1) - gammaln(b + 1)


OF_THE_BEST = (
    "Your 'probability' is that of a coin with the frequencies of this very sequence. The coder does not "
    "know them: multiply the forecasts that it makes on the way."
)
ONE_FACTOR = (
    "Your 'probability' has one factor too many in its denominator. The first forecast divides by 1, the "
    "last one by n."
)

ADAPTIVE = Question(
    key="11.adaptive",
    title="what learning as you go costs",
    kind="derive",
    stars=3,
    points=3,
    form="expression",
    symbols=("a", "b"),
    right=adaptive,
    cases=((3, 5), (7, 2), (12, 4)),
    draw=lambda rng: tuple(int(n) for n in rng.integers(1, 15, size=2)),
    odd=(lambda rng: (1, 1), lambda rng: (40, 1)),
    entry_points={"probability": 1, "regret": 1, "one_sided": 1},
    mistakes=(
        Mistake(
            "L23",
            partial(adaptive, half=1.0),
            "Your counts start at 1. The task starts both at one half: the first symbol has 1/2 of 1, the "
            "next one 3/2 or 1/2 of 2.",
        ),
        Mistake(
            "L33",
            but(
                adaptive,
                {"probability": lambda a, b: np.exp(_sequences(a, b)) * adaptive(a, b)["probability"]},
            ),
            "Your 'probability' is that of the two counts, in any order. A coder codes one sequence: leave "
            "the binomial coefficient out.",
        ),
        Mistake(
            "L22",
            but(adaptive, {"regret": lambda a, b: -_log2_kt(a, b)}),
            "Your 'regret' is the whole code length. Subtract what the coin that fits best would need.",
        ),
        Mistake(
            "L7",
            but(adaptive, {"regret": lambda a, b: -adaptive(a, b)["regret"]}),
            "Your 'regret' has the wrong sign. The coin that fits best was chosen afterwards, so no coder "
            "that learns needs fewer bits.",
        ),
        Mistake(
            "L18",
            but(adaptive, {"regret": lambda a, b: -_log2_kt(a, b) - (a + b)}),
            "Your 'regret' compares with a fair coin, one bit for each symbol. Compare with the coin that "
            "has the relative frequencies of this sequence.",
        ),
        Mistake(
            "M1",
            but(adaptive, {"regret": lambda a, b: adaptive(a, b)["regret"] * np.log(2)}),
            "Your 'regret' is {ratio} = ln 2 times what it should be: it is in nats.",
        ),
        Mistake(
            "M1",
            but(adaptive, {"one_sided": lambda a, b: adaptive(a, b)["one_sided"] * np.log(2)}),
            "Your 'one_sided' is {ratio} = ln 2 times what it should be: it is in nats.",
        ),
        Mistake(
            "L8",
            but(adaptive, {"regret": lambda a, b: np.log2(a + b) / 2 + 1}),
            "Your 'regret' is the bound. The task asks for the exact regret of a sequence.",
        ),
        Mistake(
            "L14",
            but(adaptive, {"probability": lambda a, b: 2 ** _best_coin(a, b), "regret": lambda a, b: 0.0}),
            OF_THE_BEST,
            explains="answer",
        ),
        Mistake("L14", but(adaptive, {"probability": lambda a, b: 2 ** _best_coin(a, b)}), OF_THE_BEST),
        Mistake(
            "L23",
            but(
                adaptive,
                {
                    "probability": lambda a, b: adaptive(a, b)["probability"] / (a + b + 1),
                    "regret": lambda a, b: adaptive(a, b)["regret"] + np.log2(a + b + 1),
                },
            ),
            ONE_FACTOR,
            explains="answer",
        ),
        Mistake(
            "L23",
            but(adaptive, {"probability": lambda a, b: adaptive(a, b)["probability"] / (a + b + 1)}),
            ONE_FACTOR,
        ),
        Mistake(
            "M5",
            but(adaptive, {"one_sided": lambda a, b: -adaptive(a, b)["one_sided"]}),
            "Your 'one_sided' has the wrong sign.",
        ),
        Mistake(
            "L8",
            but(adaptive, {"one_sided": lambda a, b: np.log2(a) / 2 + 1}),
            "Your 'one_sided' is the bound. The task asks for the exact regret of a times the same symbol.",
        ),
        Mistake(
            "L8",
            but(adaptive, {"one_sided": lambda a, b: adaptive(a + b, 0)["one_sided"]}),
            "Your 'one_sided' is about a + b symbols. It has a symbols and depends on a only.",
        ),
    ),
    properties=(
        Property(
            "'regret' does not lie between 0 and 1/2 log2(a + b) + 1",
            lambda value, a, b: 0 <= value["regret"] <= np.log2(a + b) / 2 + 1,
        ),
    ),
    advice="Write out a = 2, b = 1: 1/2 * (3/2)/2 * (1/2)/3. `sp.rf(x, n)` is x (x + 1) ... (x + n - 1).",
)

QUESTIONS = (WARM, ADAPTIVE)
