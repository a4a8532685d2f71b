"""Chapter 01, a choice: which of several transcripts is the most probable sentence."""

from dataclasses import replace
from functools import partial
from itertools import combinations

import numpy as np

from lmcourse.hints.answers import plain_data
from lmcourse.hints.question import Mistake, Property, Question
from lmcourse.questions.shared.units import unit_mistakes


def _at_most(totals, ends):
    """The largest log probability that each whole sentence can have: a missing end adds at most 0."""
    return totals


def transcripts(candidates, bounds=_at_most, score=None, undecided=-1.0):
    """Known log probability of each candidate, and the most probable sentence, or -1 if it is not known."""
    words = np.array([np.sum(words) for words, _ in candidates])
    ends = np.array([np.nan if end is None else end for _, end in candidates])
    totals = words + np.nan_to_num(ends)
    known = ~np.isnan(ends)
    found = {"totals": totals, "choice": undecided}
    if score is not None:
        return found | {"choice": float(np.argmax(score(candidates)))}
    best = int(np.argmax(bounds(totals, ends)))
    return found | {"choice": float(best) if known[best] else undecided}


def _read_choice(answer, *case):
    """None is as good as -1 where the numbers do not decide."""
    answer = plain_data(answer)
    if isinstance(answer, dict) and answer.get("choice", 0) is None:
        answer = answer | {"choice": -1}
    return answer, {}


def _word_totals(candidates):
    return np.array([np.sum(words) for words, _ in candidates])


def _known_totals(candidates):
    return np.array([np.sum(words) + (end or 0.0) for words, end in candidates])


def _means(candidates):
    return np.array([np.mean(words) for words, _ in candidates])


def _means_with_end(candidates):
    return np.array([np.mean(list(words) + [end] * (end is not None)) for words, end in candidates])


def _only_if_all_known(candidates):
    right = transcripts(candidates)
    return right if all(end is not None for _, end in candidates) else right | {"choice": -1.0}


def _with_nan(candidates):
    return np.array([np.sum(words) + (np.nan if end is None else end) for words, end in candidates])


def _with_infinity(candidates):
    return np.array([np.sum(words) + (-np.inf if end is None else end) for words, end in candidates])


def _among_known(candidates):
    totals = np.where([end is None for _, end in candidates], -np.inf, _known_totals(candidates))
    return transcripts(candidates) | {"choice": float(np.argmax(totals))}


KINDS = ("all known", "decided", "open")


def _draw_candidates(rng, kind=None):
    """One that breaks off, one that runs on predictably, an improbable one, and the likely sentence.

    All ends are known; or the second lacks its end, which cannot help it; or the first does, which could win.
    """
    kind = kind or KINDS[rng.integers(3)]
    while True:
        found = [
            (_words(rng, rng.integers(2, 4), 0.5, 2.0), _rounded(rng.uniform(-9, -5))),
            (_words(rng, rng.integers(9, 13), 0.7, 1.2), _rounded(rng.uniform(-1.4, -0.7))),
            (_words(rng, rng.integers(3, 6), 3.0, 5.0), _rounded(rng.uniform(-2, -0.2))),
            (_words(rng, rng.integers(4, 6), 1.0, 1.7), _rounded(rng.uniform(-0.3, -0.05))),
        ]
        if kind != "all known":
            place = 1 if kind == "decided" else 0
            found[place] = (found[place][0], None)
        found = [found[i] for i in rng.permutation(4)[: rng.integers(3, 5)]]
        right = transcripts(found)["choice"]
        known = all(end is not None for _, end in found)
        if _clear(found) and (right == -1) == (kind == "open") and known == (kind == "all known"):
            return (found,)


def _words(rng, count, low, high):
    return _rounded(-rng.uniform(low, high, size=count))


def _rounded(number):
    return np.round(number, 2)


def _clear(candidates):
    """Whether no choice hangs on a rounding."""
    measures = (_known_totals, _word_totals, _means, _means_with_end)
    return all(np.diff(np.sort(measure(candidates))[-2:])[0] > 0.01 for measure in measures)


CASES = (
    [
        ([-0.4, -0.7], -8.0),
        ([-1.1] * 9 + [-1.3] * 3, -1.2),
        ([-4.5, -5.0, -4.7], -3.1),
        ([-1.9, -3.1, -0.8, -2.1, -0.1], -0.06),
    ],
    [
        ([-2.2, -1.9], -5.5),
        ([-0.9, -1.0] * 4, None),
        ([-3.5, -4.0, -3.6], -0.3),
        ([-1.9, -2.6, -0.5, -0.9], -0.12),
    ],
    [
        ([-1.7, -3.0, -0.6, -1.4, -0.4], -0.2),
        ([-2.5, -1.9, -0.8], None),
        ([-2.3, -2.3], -6.0),
        ([-1.0] * 8 + [-1.2], -1.3),
        ([-4.0, -4.5, -3.5], -1.0),
    ],
)
"""Known ends; an end that is missing and cannot help; and one that could make its candidate the best."""


TRANSCRIPTS = Question(
    key="01.transcripts",
    title="several transcripts, and a choice",
    kind="protocol",
    stars=2,
    points=2,
    right=transcripts,
    cases=tuple(([(np.array(words), end) for words, end in candidates],) for candidates in CASES),
    draw=_draw_candidates,
    odd=(*(partial(_draw_candidates, kind=kind) for kind in KINDS),),
    reading=_read_choice,
    entry_points={"totals": 1, "choice": 1},
    mistakes=(
        Mistake(
            "L21",
            lambda candidates: transcripts(candidates) | {"totals": _word_totals(candidates)},
            "Your 'totals' leave out the ends that are known. A sentence consists of its words and its end.",
        ),
        Mistake(
            "L21",
            lambda candidates: transcripts(candidates, score=_word_totals),
            "Your 'choice' is the candidate whose words alone are the most probable. Without the ends, the "
            "totals are those of all texts that begin with these words.",
        ),
        Mistake(
            "L21",
            lambda candidates: (
                transcripts(candidates, score=_word_totals) | {"totals": _word_totals(candidates)}
            ),
            "You leave out the ends that are known. A sentence consists of its words and its end.",
        ),
        *(
            Mistake(
                "L41",
                lambda candidates, filled=filled: transcripts(candidates) | {"totals": filled(candidates)},
                "Your 'totals' are infinite or nan where an end is missing. The task asks for the sum of the "
                "log probabilities that are given.",
            )
            for filled in (_with_nan, _with_infinity)
        ),
        *(
            replace(
                mistake,
                hint=mistake.hint.replace("Your number is", "Your 'totals' are").replace(
                    "one: it is", "ones: they are"
                ),
            )
            for mistake in unit_mistakes(transcripts, "M2 M3", only=("totals",))
        ),
        Mistake(
            "L1",
            lambda candidates: transcripts(candidates) | {"totals": _means(candidates)},
            "Your 'totals' are means over the words. The log probability of a sentence is a sum.",
        ),
        Mistake(
            "L1",
            lambda candidates: transcripts(candidates) | {"totals": _means_with_end(candidates)},
            "Your 'totals' are means. The log probability of a sentence is a sum.",
        ),
        Mistake(
            "L1",
            lambda candidates: transcripts(candidates, score=_means),
            "Your 'choice' has the highest mean per word. Extra predictable words raise a mean, but never a "
            "probability.",
        ),
        Mistake(
            "L1",
            lambda candidates: transcripts(candidates, score=_means_with_end),
            "Your 'choice' has the highest mean, with the end counted as one of the words. Extra "
            "predictable words raise a mean, but never a probability.",
        ),
        Mistake(
            "M6",
            lambda candidates: transcripts(candidates) | {"totals": np.exp(_known_totals(candidates))},
            "Your 'totals' are probabilities. The task asks for their logarithms.",
        ),
        Mistake(
            "M5",
            lambda candidates: transcripts(candidates) | {"totals": -_known_totals(candidates)},
            "Your 'totals' are surprisals. The task asks for log probabilities, which are never above 0.",
        ),
        Mistake(
            "L41",
            lambda candidates: transcripts(candidates, score=_known_totals),
            "Your 'choice' treats a missing end as if it were certain. Could the candidate that you choose "
            "still fall behind another one?",
        ),
        Mistake(
            "L11",
            _only_if_all_known,
            "Your 'choice' is -1 wherever an end is missing. Whatever the missing end is, its log "
            "probability cannot be above 0: is that enough to rule its candidate out?",
        ),
        Mistake(
            "L41",
            _among_known,
            "Where the numbers do not decide, your 'choice' is a candidate whose end is known. One whose end "
            "is missing may be the more probable sentence, so the task asks for -1.",
        ),
        Mistake(
            "L7",
            lambda candidates: (
                transcripts(candidates) | {"choice": float(np.argmin(_known_totals(candidates)))}
            ),
            "Your 'choice' has the lowest total. Of two log probabilities, the one nearer to 0 belongs to "
            "the more probable sentence.",
        ),
        Mistake(
            "L23",
            lambda candidates: transcripts(candidates) | {"choice": transcripts(candidates)["choice"] + 1.0},
            "Your 'choice' numbers the candidates from 1, or gives 0 where the numbers do not decide. "
            "Candidates are numbered from 0.",
        ),
    ),
    alike=(
        *(
            (*pair, "in the first case every end is known, and in the third the numbers do not decide")
            for pair in combinations(("right", "L41", "L41 (2)", "L41 (3)", "L11", "L41 (4)"), 2)
        ),
        ("L21 (2)", "L1 (3)", "in the first case the shortest candidate has the highest mean, too"),
        ("L1 (3)", "L1 (4)", "in the second case the end is missing where the mean is highest"),
        ("L41 (4)", "L23", "in the third case -1 becomes 0"),
    ),
    properties=(
        Property(
            "one of your 'totals' is above 0, but no log probability is",
            lambda v, *case: (v["totals"] <= 0).all(),
        ),
    ),
    advice="Ask for each candidate: what is the largest log probability that this sentence can have, and "
    "what is the smallest?",
)


QUESTIONS = (TRANSCRIPTS,)
