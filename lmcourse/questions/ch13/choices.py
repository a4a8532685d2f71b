"""Chapter 13, choosing an answer: a scorer to correct."""

from functools import partial

import numpy as np

from lmcourse.hints.question import Mistake, Property, Question
from lmcourse.questions.shared.units import LN2
from lmcourse.questions.shared.wrong import but

# --- choice-scorer ---------------------------------------------------------------------------------------


def choose(log_probs, prompt, chars, begin=None, length=None, shared=True):
    """Mean log probability of each answer per character, and the credit of each; K arrays, a number, (K,)."""
    begin = prompt if begin is None else begin
    totals = np.array([each[begin:].sum() for each in log_probs])
    scores = totals / (chars if length is None else length(log_probs, prompt, chars))
    best = np.isclose(scores, scores.max(), rtol=0, atol=1e-9)
    if not shared:
        best = np.arange(len(scores)) == best.argmax()
    return {"scores": scores, "credit": best / best.sum()}


def _nothing(log_probs, prompt, chars):
    return 1.0


def _tokens(log_probs, prompt, chars):
    return np.array([len(each) - prompt for each in log_probs])


def _draw_choices(rng, tie="scores"):
    """Four or five answers behind one prompt, with a tie of two; a log probability is a multiple of 1/8."""
    while True:
        K, prompt = int(rng.integers(4, 6)), int(rng.integers(3, 6))
        tokens = rng.integers(1, 6, size=K)
        chars = tokens * 4 + rng.integers(-2, 3, size=K)
        asked = -rng.integers(4, 24, size=prompt) / 8
        answers = [-rng.integers(2, 30, size=n) / 8 for n in tokens]
        one, other = rng.choice(K, size=2, replace=False)
        if tie == "scores":
            answers[other], chars[other] = rng.permutation(answers[one]), chars[one]
            answers[other][0] += 0.0
        elif tie == "totals":
            answers[other][0] += answers[one].sum() - answers[other].sum()
        log_probs = [np.append(asked, answer) for answer in answers]
        case = (log_probs, prompt, chars)
        if max(max(answer) for answer in answers) >= 0:
            continue
        credits = {name: tuple(formula(*case)["credit"].tolist()) for name, formula in _SCORERS.items()}
        ties_ = {"scores": max(credits["right"]) == 0.5, "totals": max(credits["M55"]) == 0.5}
        apart = credits["right"] != credits["M55"] and credits["right"] != credits["M34"]
        if apart and (tie == "none" or ties_[tie]):
            return case


_SCORERS = {
    "right": choose,
    "M22 + M53 + M55": partial(choose, begin=0, length=_nothing, shared=False),
    "M53 + M55": partial(choose, length=_nothing, shared=False),
    "M22 + M55": partial(choose, begin=0, length=_nothing),
    "M55": partial(choose, length=_nothing),
    "M53": partial(choose, shared=False),
    "M22": partial(choose, begin=0),
    "M34": partial(choose, length=_tokens),
}

CHOICE_SCORER = Question(
    key="13.choice-scorer",
    title="an answer scorer with three mistakes",
    kind="debug",
    stars=3,
    points=3,
    right=choose,
    cases=(
        _draw_choices(np.random.default_rng(1331), tie="scores"),
        _draw_choices(np.random.default_rng(1332), tie="totals"),
    ),
    draw=_draw_choices,
    odd=(partial(_draw_choices, tie="totals"), partial(_draw_choices, tie="none")),
    entry_points={"scores": 2, "credit": 1},
    mistakes=(
        Mistake(
            "M22 + M53 + M55",
            _SCORERS["M22 + M53 + M55"],
            "All three mistakes are still there. What does the score of an answer look at? What happens to "
            "it when the same answer is written with more words? And with two equal scores?",
            explains="answer",
        ),
        Mistake(
            "M53 + M55",
            _SCORERS["M53 + M55"],
            "The prompt is left out now. Your scores are totals, so that a long answer loses because it is "
            "long; and among equal scores the first one wins.",
            explains="answer",
        ),
        Mistake(
            "M22 + M55",
            _SCORERS["M22 + M55"],
            "Totals of the prompt and the answer are compared. Leave the prompt out, and divide by the "
            "length of the answer in characters: each further word lowers a total.",
        ),
        Mistake(
            "M55",
            _SCORERS["M55"],
            "Total log probabilities are compared. Each further word lowers a total, so that the shortest "
            "answer has the best chance: divide by the length in characters.",
        ),
        Mistake(
            "M53",
            _SCORERS["M53"],
            "Where two scores are equally high, the first gets all the credit: share it.",
        ),
        Mistake(
            "M22",
            _SCORERS["M22"],
            "The first tokens of each array are the prompt. It is the same for all answers, and you divide "
            "it by their different lengths.",
        ),
        Mistake(
            "M34",
            _SCORERS["M34"],
            "You divide by tokens. An answer that is cut into more pieces gets another score for the same "
            "words: divide by characters, as the task says.",
        ),
        Mistake(
            "M22 + M34",
            partial(
                choose, begin=0, length=lambda log_probs, *_: np.array([len(each) for each in log_probs])
            ),
            "You average over the tokens of question and answer together. Leave the question out, and "
            "divide by the characters of the answer.",
        ),
        Mistake(
            "L23",
            lambda log_probs, prompt, chars: choose(log_probs, prompt + 1, chars),
            "You leave out one token too many: the first of each answer is missing.",
        ),
        Mistake(
            "M2",
            but(choose, {"scores": lambda *case: choose(*case)["scores"] / LN2}),
            "Your scores are {ratio} = 1 / ln 2 times what they should be: they are in bits.",
        ),
        Mistake(
            "M5",
            lambda *case: (
                choose(*case)
                | {
                    "scores": -choose(*case)["scores"],
                }
            ),
            "Your scores are above 0. A log probability is not.",
        ),
        Mistake(
            "L7",
            lambda log_probs, prompt, chars: (
                choose(log_probs, prompt, chars)
                | {"credit": choose([-each for each in log_probs], prompt, chars)["credit"]}
            ),
            "Your credit goes to the lowest score. Scores are log probabilities: the highest is the best.",
        ),
    ),
    properties=(
        Property(
            "a score is above 0. It is a mean of log probabilities, neither a probability nor a perplexity",
            lambda value, *case: (value["scores"] <= 0).all(),
        ),
        Property(
            "the credits do not add up to 1",
            lambda value, *case: abs(sum(value["credit"]) - 1) < 1e-9,
        ),
    ),
    alike=(
        ("right", "M53", "In the second case the best score is not shared."),
        ("M55", "M53 + M55", "In the first case the best total is not shared."),
        ("M22 + M55", "M22 + M53 + M55", "In the first case the best total is not shared."),
    ),
    advice="For each answer: cut off the prompt, add up the rest, divide by its characters. Ties come last.",
)

QUESTIONS = (CHOICE_SCORER,)
