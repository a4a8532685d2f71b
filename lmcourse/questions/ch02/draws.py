"""Chapter 02, two test sets to design: one on which the draw is taken too small, and one too large."""

import numpy as np

from lmcourse.hints.plain_data import of_torch, plain_data
from lmcourse.hints.question import Mistake, Question
from lmcourse.questions.shared.designs import RIGHT, by_what_it_does, chosen

FACTOR, HIGHEST = 3.0, 5.0


def errors(documents):
    """Standard errors of the loss: each token is a draw, and each document is one."""
    nats, tokens = (np.array([f(d) for d in documents]) for f in (np.sum, len))
    loss = nats.sum() / tokens.sum()
    squares = sum((d**2).sum() for d in documents)
    by_token = np.sqrt(max(0.0, squares / tokens.sum() - loss**2) / tokens.sum())
    m = len(documents)
    by_document = np.sqrt(m / (m - 1) * ((nats - loss * tokens) ** 2).sum()) / tokens.sum()
    return float(by_token), float(by_document)


def _documents(given):
    """A list of arrays, or a sentence that says what is wrong."""
    given = plain_data(given)
    if of_torch(given):
        given = given.detach().tolist()
    try:
        found = [np.asarray(d, dtype=float) for d in given]
    except (TypeError, ValueError):
        return "give a list of documents, each a list of surprisals."
    if len(found) < 4:
        return "give at least four documents."
    if any(d.ndim != 1 or len(d) < 5 for d in found):
        return "each document has to be a list of at least five surprisals."
    if not all(((d >= 0) & (d <= HIGHEST)).all() for d in found):
        return "each surprisal has to lie between 0 and 5 nats."
    return found


def _look(wanted):
    def look(given):
        documents = _documents(given)
        if isinstance(documents, str):
            return documents
        by_token, by_document = errors(documents)
        scale = max(by_token, by_document)
        if scale < 1e-9:
            return "both standard errors are 0. The tokens have to differ."
        small, large = (by_token, by_document) if wanted == "too narrow" else (by_document, by_token)
        if large > FACTOR * small:
            return RIGHT
        if small > FACTOR * large:
            return "turned"
        return (
            f"the standard error is {by_token:.4g} by tokens and {by_document:.4g} by documents. "
            f"{_NEED[wanted]}"
        )

    return look


_NEED = {
    "too narrow": "The second has to be more than three times the first. If the tokens of each document are "
    "already alike, make the documents longer.",
    "too wide": "The first has to be more than three times the second.",
}
_ALIKE = np.repeat(np.arange(1.0, 5.0), 10).reshape(4, 10)
_MIXED = np.tile([1.0, 3.0], (4, 5))
EXAMPLES = {
    "too narrow": {RIGHT: _ALIKE, "turned": _MIXED, "not read": np.zeros((4, 10))},
    "too wide": {RIGHT: _MIXED, "turned": _ALIKE, "not read": np.zeros((4, 10))},
}

DRAWS = Question(
    key="02.draws",
    title="what is one draw? Two test sets to design",
    kind="protocol",
    stars=2,
    points=2,
    form="value",
    right=chosen(EXAMPLES),
    cases=((),),
    reading=by_what_it_does({key: _look(key) for key in EXAMPLES}, EXAMPLES),
    entry_points={"too narrow": 1, "too wide": 1},
    mistakes=(
        Mistake(
            "L32",
            chosen(EXAMPLES, "turned", "too narrow"),
            "In your 'too narrow', the standard error by tokens is the larger one. The tokens of a document "
            "have to be alike, as those of a tale are, and the documents have to differ.",
        ),
        Mistake(
            "L7",
            chosen(EXAMPLES, "turned", "too wide"),
            "In your 'too wide', the standard error by documents is the larger one. The documents have to "
            "be alike, and the tokens within each of them have to differ.",
        ),
    ),
    advice="Start with four documents. What if all tokens of a document have the same surprisal? And what if "
    "all documents are the same?",
)

QUESTIONS = (DRAWS,)
