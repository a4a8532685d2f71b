"""Chapter 07, how much of the past each token knows when the state is carried or cut."""

import numpy as np

from lmcourse.hints.question import Mistake, Property, Question
from lmcourse.questions.shared.wrong import exchanged, then


def pasts(sentence_starts, document_starts, C, stride):
    """How many inputs each token's forecast has read; offsets (S + 1,) and (D + 1,) -> four arrays (N,)."""
    place = np.arange(sentence_starts[-1])
    window = np.maximum(0, np.ceil((place - C + 1) / stride)) * stride  # the first that reaches the place
    return {
        "carry": place + 1,
        "document": _since(document_starts),
        "sentence": _since(sentence_starts),
        "windows": place - window + 1,
    }


def _since(starts):
    """For each token, how many inputs there are from the last start to its own, which counts."""
    place = np.arange(starts[-1])
    return place - starts[np.searchsorted(starts, place, side="right") - 1] + 1


def _windows(formula):
    """The right answer with other windows; `formula` gets the places, C and the stride."""

    def wrong(sentence_starts, document_starts, C, stride):
        right = pasts(sentence_starts, document_starts, C, stride)
        return right | {"windows": formula(right["carry"] - 1, C, stride)}

    return wrong


def _later_by_one(place, C, stride):
    return np.where(place < C, place + 1, (place - C) % stride + C - stride)


def _draw_text(rng):
    """Two to four documents of short sentences; a window, and a stride that does not divide it."""
    lengths = [rng.integers(2, 7, size=rng.integers(2, 4)) for _ in range(rng.integers(2, 5))]
    C = int(rng.integers(5, 8))
    sentence_starts = np.concatenate([[0], np.cumsum(np.concatenate(lengths))])
    document_starts = np.concatenate([[0], np.cumsum([part.sum() for part in lengths])])
    return sentence_starts, document_starts, C, int(rng.integers(2, C - 1))


def _draw_one_document(rng):
    """One document, and a window that is longer than it."""
    starts = np.append(0, np.cumsum(rng.integers(2, 7, size=3)))
    return starts, starts[[0, -1]], int(starts[-1]) + 3, int(rng.integers(2, 5))


PASTS = Question(
    key="07.pasts",
    title="carried, cut, or windowed",
    kind="protocol",
    stars=2,
    points=3,
    right=pasts,
    cases=(
        (np.array([0, 4, 7, 12, 15]), np.array([0, 7, 15]), 6, 2),
        (np.array([0, 3, 9, 11, 16, 20, 23]), np.array([0, 9, 16, 23]), 5, 3),
    ),
    draw=_draw_text,
    odd=(_draw_one_document,),
    mistakes=(
        Mistake(
            "L23",
            then(pasts, lambda right: {key: value - 1 for key, value in right.items()}),
            "Your numbers are too small by one. A token's own input is read too: the token before it, or "
            "<s>.",
        ),
        Mistake(
            "L31",
            exchanged(pasts, "document", "sentence"),
            "'document' and 'sentence' are swapped.",
            explains="answer",
        ),
        Mistake(
            "L20",
            then(pasts, lambda right: right | {"carry": right["document"]}),
            "You set the carried state to zero at each document. It should never be.",
        ),
        Mistake(
            "L24",
            then(pasts, lambda right: right | {"document": right["carry"]}),
            "Your 'document' carries on through the whole text. Each document should start with nothing "
            "read.",
        ),
        Mistake(
            "L8",
            _windows(lambda place, C, stride: place % C + 1),
            "Your windows do not overlap: you use the stride as if it were C.",
        ),
        Mistake(
            "L8",
            _windows(lambda place, C, stride: np.minimum(place + 1, C)),
            "Your windows move on by one token. With a longer stride a token's past can be shorter than C.",
        ),
        Mistake(
            "M14",
            _windows(lambda place, C, stride: place % stride + 1),
            "You score a token in the last window that reaches it. In the first one it has more of its past, "
            "and each token is scored once.",
        ),
        Mistake(
            "M13",
            _windows(_later_by_one),
            "Your windows are off by one: from the second on, they have C - 1 inputs.",
        ),
    ),
    properties=(
        Property(
            "a number is below 1, but a token's own input is always read",
            lambda value, *_: min(v.min() for v in value.values()) >= 1,
        ),
        Property(
            "a window has more than C inputs",
            lambda value, sentences, documents, C, stride: value["windows"].max() <= C,
        ),
        Property(
            "a token has read more since its sentence began than since its document began",
            lambda value, *_: (value["sentence"] <= value["document"]).all(),
        ),
    ),
    advice="Write the first ten tokens in a row, and below each of them where its past begins.",
)

QUESTIONS = (PASTS,)
