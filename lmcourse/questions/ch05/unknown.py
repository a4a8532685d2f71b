"""Chapter 05, unknown words: three perplexities of one text; and four statements to prove or refute."""

from functools import partial

import numpy as np

from lmcourse.hints.answers import Unreadable, plain_data, read
from lmcourse.hints.question import Mistake, Property, Question
from lmcourse.questions.shared.designs import always_or_example, refuted_but
from lmcourse.questions.shared.properties import PERPLEXITY
from lmcourse.questions.shared.wrong import but, exchanged

# --- unknown ---------------------------------------------------------------------------------------------


def three_perplexities(
    nats, unknown, M, named=lambda nats, k, M: np.exp((nats.sum() + k * np.log(M)) / len(nats)), **given
):
    """Perplexity with unknown words left out, for free, and named as one of M words each."""
    found = {
        "left out": np.exp(nats[~unknown].mean()),
        "free": np.exp(nats.mean()),
        "complete": named(nats, unknown.sum(), M),
    }
    return found | {key.replace("_", " "): value for key, value in given.items()}


def _draw_text(rng, hard=None):
    """A text in which <unk> is likely, or improbable."""
    size = int(rng.integers(30, 80))
    unknown = rng.permutation(size) < rng.integers(3, 8)
    hard = rng.random() < 0.5 if hard is None else hard
    nats = np.where(unknown, rng.gamma(9.0, 1.0 if hard else 0.2, size=size), rng.gamma(4.0, 1.1, size=size))
    return nats, unknown, int(rng.integers(2_000, 60_000))


def _draw_known_text(rng):
    """Every word is known."""
    nats, unknown, M = _draw_text(rng)
    return nats, np.zeros_like(unknown), M


UNKNOWN = Question(
    key="05.unknown",
    title="three perplexities with unknown words",
    kind="implement",
    stars=2,
    points=3,
    right=three_perplexities,
    cases=(
        _draw_text(np.random.default_rng(521), hard=False),
        _draw_text(np.random.default_rng(522), hard=True),
    ),
    draw=_draw_text,
    entry_points={"left out": 1, "free": 1, "complete": 1},
    odd=(_draw_known_text,),
    mistakes=(
        Mistake(
            "M28",
            lambda nats, unknown, M: three_perplexities(nats, unknown, M, free=np.exp(nats[~unknown].mean())),
            "Your 'free' leaves the unknown words out. In 'free', <unk> is a word like any other: it is "
            "scored and counted.",
        ),
        Mistake(
            "L27",
            lambda nats, unknown, M: three_perplexities(
                nats, unknown, M, left_out=np.exp(nats[~unknown].sum() / len(nats))
            ),
            "Your 'left out' drops the unknown words from the total, but not from the count.",
        ),
        Mistake(
            "L31",
            exchanged(three_perplexities, "left out", "free"),
            "You give one of 'left out' and 'free' in place of the other. For 'free', <unk> is scored and "
            "counted.",
        ),
        Mistake(
            "M29",
            partial(three_perplexities, named=lambda nats, k, M: np.exp(nats.mean())),
            "Your 'complete' adds nothing. <unk> is scored, but nothing says which of the M words it is.",
        ),
        Mistake(
            "M35",
            partial(three_perplexities, named=lambda nats, k, M: np.exp(nats.mean()) * M),
            "Your 'complete' is M times your 'free'. Only k of the N tokens choose among M words, and each "
            "choice adds ln M to the total.",
        ),
        Mistake(
            "M35",
            partial(
                three_perplexities, named=lambda nats, k, M: np.exp(nats.mean()) * (1 + M * k / len(nats))
            ),
            "Your 'complete' averages a factor of M over the tokens. Add ln M to the nats of each unknown "
            "word.",
        ),
        Mistake(
            "L27",
            lambda nats, unknown, M: three_perplexities(
                nats, unknown, M, free=np.exp(nats.sum() / (~unknown).sum())
            ),
            "Your 'free' scores the unknown words, but does not count them.",
        ),
        Mistake(
            "M29",
            partial(
                three_perplexities, named=lambda nats, k, M: np.exp((nats.sum() - k * np.log(M)) / len(nats))
            ),
            "Your 'complete' subtracts the nats of naming. Naming one of M words takes ln M more nats.",
        ),
        Mistake(
            "M11",
            lambda nats, unknown, M: three_perplexities(
                nats, unknown, M, free=np.exp(nats).mean(), left_out=np.exp(nats[~unknown]).mean()
            ),
            "You take the exponential inside the mean. Average the nats, and exponentiate last.",
        ),
        Mistake(
            "M4",
            lambda nats, unknown, M: three_perplexities(
                nats, unknown, M, free=nats.mean(), left_out=nats[~unknown].mean()
            ),
            "You give an average surprisal in nats, the logarithm of a perplexity. Exponentiate it.",
        ),
        Mistake(
            "L35",
            lambda nats, unknown, M: three_perplexities(
                nats, ~unknown, M, left_out=np.exp(nats[unknown].mean()), free=np.exp(nats.mean())
            ),
            "You exchange known and unknown tokens: `unknown` is True where the token was read as <unk>.",
        ),
        Mistake(
            "L22",
            partial(
                three_perplexities, named=lambda nats, k, M: np.exp((nats.sum() + np.log(M)) / len(nats))
            ),
            "Your 'complete' names only one unknown word. There are k of them, and each has to be named.",
        ),
        Mistake(
            "M2",
            partial(
                three_perplexities, named=lambda nats, k, M: np.exp((nats.sum() + k * np.log2(M)) / len(nats))
            ),
            "Your 'complete' adds bits to nats: log2 M is in bits, and the total is in nats.",
        ),
        Mistake(
            "L27",
            partial(
                three_perplexities,
                named=lambda nats, k, M: np.exp((nats.sum() + k * np.log(M)) / (len(nats) - k)),
            ),
            "Your 'complete' scores the unknown words, but does not count them.",
        ),
    ),
    properties=(
        PERPLEXITY,
        Property(
            "'complete' is below 'free', although more goes into its total",
            lambda found, *case: found["complete"] >= found["free"],
        ),
    ),
    advice="There are three totals and two counts. Write down first which tokens are in the total, and which "
    "are in the count.",
)

# --- always ----------------------------------------------------------------------------------------------

LEAD = 1e-9
"""By what share one number has to exceed another one."""


def _of_text(nats, unknown):
    """The perplexities with unknown words left out, and for free."""
    return np.exp(nats[~unknown].mean()), np.exp(nats.mean())


def _named(nats, unknown, M):
    return np.exp((nats.sum() + unknown.sum() * np.log(M)) / len(nats))


STATEMENTS = {
    "A": (
        "(nats, unknown)",
        lambda nats, unknown: not _of_text(nats, unknown)[0] >= _of_text(nats, unknown)[1],
        "without the unknown words the perplexity is {0:.4g}, which is below {1:.4g}",
        _of_text,
    ),
    "B": (
        "(nats, unknown, M)",
        lambda nats, unknown, M: not _named(nats, unknown, M) < (1 - LEAD) * _of_text(nats, unknown)[1],
        "naming brings the perplexity from {1:.4g} to {0:.4g}",
        lambda nats, unknown, M: (_named(nats, unknown, M), _of_text(nats, unknown)[1]),
    ),
    "C": (
        "(N1, P1, N2, P2)",
        lambda N1, P1, N2, P2: not N1 * np.log(P1) > (1 + LEAD) * N2 * np.log(P2),
        "the total of the first model is {0:.4g} bits, which is not above that of the second, {1:.4g}",
        lambda N1, P1, N2, P2: (N1 * np.log2(P1), N2 * np.log2(P2)),
    ),
    "D": (
        "(one, other, words, chars)",
        lambda one, other, words, chars: True,
        "per word the first total is {0:.4g} times the second, and per character the factor is the same",
        lambda one, other, words, chars: (one / other,),
    ),
}
"""For each statement the form of an example, whether it holds there, and what to say then of which "
"numbers."""


always = refuted_but("BD")


def _text(nats, unknown):
    """A text with known and unknown tokens, or a sentence on what is wrong with it."""
    try:
        nats = read(nats, like=np.zeros(np.shape(nats) or (1,)))
        unknown = np.asarray(plain_data(unknown))
    except Unreadable:
        return "nats is not a list of numbers."
    if unknown.dtype.kind not in "biuf" or not np.isin(unknown, (0, 1)).all():
        return "unknown is not a list of True and False."
    unknown = unknown.astype(bool)
    if nats.ndim != 1 or nats.shape != unknown.shape:
        return "nats and unknown are not two lists of the same length."
    if not (np.isfinite(nats) & (nats >= 0)).all():
        return "A surprisal is below 0, or not a number."
    if unknown.all() or not unknown.any():
        return "The text needs at least one known token and one unknown one."
    return nats, unknown


def _numbers_of(key, given):
    """The example as numbers, or a sentence on what is wrong with it."""
    form = STATEMENTS[key][0]
    if len(given) != form.count(",") + 1:
        return f"Its form has to be {form}."
    text = _text(*given[:2]) if key in "AB" else ()
    if isinstance(text, str):
        return text
    try:
        rest = [read(number, like=0.0) for number in given[len(text) :]]
    except Unreadable:
        return f"Its form has to be {form}, with one number for each letter or name."
    if key == "B" and (rest[0] < 2 or rest[0] % 1):
        return "M is not a whole number of at least 2."
    if key == "C":
        (first, one, second, other) = rest
        if min(first, second) < 1 or first % 1 or second % 1 or not np.isfinite([one, other]).all():
            return "N1 and N2 are not whole numbers above 0."
        if min(one, other) < 1:
            return "A perplexity is below 1."
        if not one < other:
            return "The premise requires P1 to be below P2."
    if key == "D" and not (np.isfinite(rest).all() and min(rest) > 0):
        return "All four numbers have to be above 0."
    return [*text, *rest]


def _refute(key, given):
    """What is wrong with an example, or "" (see `always_or_example`)."""
    numbers = _numbers_of(key, given)
    if isinstance(numbers, str):
        return f"cannot be used. {numbers}"
    _, holds, told, shown = STATEMENTS[key]
    return f"does not refute the statement: {told.format(*shown(*numbers))}." if holds(*numbers) else ""


ALWAYS = Question(
    key="05.always",
    title="always true, or a counterexample",
    kind="protocol",
    stars=2,
    points=4,
    form="value",
    right=always,
    cases=((),),
    reading=always_or_example({key: form for key, (form, *_) in STATEMENTS.items()}, _refute),
    entry_points=dict.fromkeys(STATEMENTS, 1),
    mistakes=(
        Mistake(
            "M28",
            but(always, {"A": lambda: "always"}),
            "A: it depends on how well the model predicts *that* a word is unknown. What if <unk> is the "
            "most probable token of all?",
        ),
        Mistake(
            "M34",
            but(always, {"C": lambda: "always"}),
            "C: the two perplexities are per token, and the tokens differ. What if the first model cuts the "
            "text into many more of them?",
        ),
        Mistake(
            "M34",
            refuted_but("ABCD"),
            "A and C compare two numbers per token. In A the tokens that are dropped may be the easiest "
            "ones; in C one of the models may have many more tokens.",
        ),
    ),
    advice="Write each side of a statement as a total divided by a count. Try a text of two tokens first.",
)

QUESTIONS = (UNKNOWN, ALWAYS)
