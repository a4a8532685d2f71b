"""Chapter 12, a cross table of models and texts: measuring it, and reading it with the floor of each text."""

import functools
from functools import partial

import numpy as np

from lmcourse.hints.question import Mistake, Property, Question
from lmcourse.questions.shared.properties import FINITE
from lmcourse.questions.shared.units import LN2
from lmcourse.questions.shared.wrong import but, then

# --- cross-table -----------------------------------------------------------------------------------------

CORPORA = ("tales-en", "numpy-docs", "sympy-docs")


@functools.cache
def _table(scored="test", unit="byte"):
    """Bits per unit of each model (row) on each text (column), (3, 3)."""
    from lmmetrics import score_text
    from lmmetrics.corpora import load
    from lmmetrics.ngram import NGramModel, WittenBell
    from lmmetrics.text import tokenize

    corpora = [load(name) for name in CORPORA]
    size = sum(map(len, corpora[0].train))  # the same for all three
    trains = [tokenize(_as_much(corpus.train, size), by="byte") for corpus in corpora]
    models = [NGramModel(5, WittenBell()).fit(train) for train in trains]
    vocabulary = trains[0].vocabulary
    texts = (
        trains if scored == "train" else [tokenize(c.test, by="byte", vocabulary=vocabulary) for c in corpora]
    )
    return np.array([[score_text(model, text).bits_per(unit) for text in texts] for model in models])


def _as_much(documents, size):
    order = np.random.default_rng(12).permutation(len(documents))
    lengths = np.array([len(documents[k]) for k in order])
    return [documents[k] for k in order[np.cumsum(lengths) <= size]]


def cross_table(table=None, least=lambda table: table.min(axis=0)):
    """Bits per byte of three models on three texts, and how far each is above the best model of its text."""
    table = _table() if table is None else table
    return {"table": table, "excess": table - least(table)}


CROSS_TABLE = Question(
    key="12.cross-table",
    title="three models, three texts",
    kind="compute",
    stars=1,
    points=2,
    form="value",
    right=cross_table,
    cases=((),),
    entry_points={"table": 1, "excess": 1},
    mistakes=(
        Mistake(
            "L17",
            lambda: cross_table(_table("train")),
            "Your table holds the losses on the training texts, which the models have read. Score the test "
            "texts.",
            explains="answer",
        ),
        Mistake(
            "M1",
            then(cross_table, lambda found: {key: value * LN2 for key, value in found.items()}),
            "Your numbers are {ratio} = ln 2 times what they should be: nats per byte.",
        ),
        Mistake(
            "M4",
            lambda: cross_table(2 ** _table()),
            "Your table holds perplexities per byte. The table asks for bits per byte, their logarithms to "
            "base 2.",
            explains="answer",
        ),
        Mistake(
            "M34",
            lambda: cross_table(_table(unit="token")),
            "Your numbers are bits per token. The tokens are the bytes and one </s> for each document. Ask "
            "for bits per byte.",
        ),
        Mistake(
            "M38",
            lambda: cross_table(_table(unit="char")),
            "Your numbers are bits per character. Ask for bits per byte.",
        ),
        Mistake(
            "L16",
            lambda: cross_table(_table().T, least=lambda table: table.min(axis=1, keepdims=True)),
            "Your table has models and texts swapped: a row is a model, and a column is a text.",
            explains="answer",
        ),
        Mistake(
            "M61",
            partial(cross_table, least=lambda table: table.min(axis=1, keepdims=True)),
            "Your 'excess' subtracts the lowest number of each row. A row holds one model on three texts "
            "with different floors. The floor belongs to a text: look for the lowest number in its column.",
        ),
        Mistake(
            "L12",
            partial(cross_table, least=lambda table: 0.0),
            "Your 'excess' is the table itself, as if each text could be predicted without any loss. "
            "Subtract the lowest loss on each text.",
        ),
        Mistake(
            "L7",
            but(cross_table, {"excess": lambda: _table().min(axis=0) - _table()}),
            "Your 'excess' is negative. It is the loss minus the floor, and every loss in the table is at "
            "least its floor.",
        ),
        Mistake(
            "L9",
            but(cross_table, {"excess": lambda: _table() / _table().min(axis=0)}),
            "Your 'excess' divides by the floor. An excess is a difference between two losses.",
        ),
    ),
    properties=(
        FINITE,
        Property(
            "your numbers are rounded. Give all their digits",
            lambda value, *case: not np.allclose(value["table"], value["table"].round(3), rtol=0, atol=1e-9),
        ),
    ),
    advice="score_text(model, text).bits_per('byte') gives one entry. Loop over the models and, inside "
    "that loop, over the texts.",
)

# --- floors ----------------------------------------------------------------------------------------------


def read_cells(table, one, other, axis=0, least=np.min, **changes):
    """Floors of the texts, and the two parts of the difference of two cells (model, text)."""
    floors = least(table, axis=axis)
    found = _read(table, one, other, floors)
    return found | {key: change(table, one, other, found) for key, change in changes.items()}


def _read(table, one, other, floors):
    above = [table[cell] - floors[cell[1]] for cell in (one, other)]
    return {
        "floors": floors,
        "harder": floors[other[1]] - floors[one[1]],
        "unfamiliar": above[1] - above[0],
        "nearer": "one" if above[0] < above[1] else "other",
    }


def _nearer_by_loss(table, one, other, found):
    return "one" if table[one] < table[other] else "other"


def _rise(table, one, other, found=None):
    return table[other] - table[one]


def _opposite(table, one, other, found):
    return "other" if found["nearer"] == "one" else "one"


def _draw_cells(rng, same_text=False):
    """More models than texts; the smaller loss is not always the smaller excess."""
    while True:
        models, texts = int(rng.integers(4, 6)), 3
        floors = rng.uniform(1.0, 3.5, size=texts)
        table = (floors + rng.uniform(0.1, 1.5, size=(models, texts))).round(2)
        a, b = rng.permutation(models)[:2]
        s, t = rng.permutation(texts)[:2]
        one, other = (int(a), int(s)), (int(b), int(s if same_text else t))
        found = _read(table, one, other, table.min(axis=0))
        far = abs(found["unfamiliar"]) > 0.05 and abs(_rise(table, one, other)) > 0.05
        if far and (same_text or abs(found["harder"]) > 0.05):
            return table, one, other


FLOORS = Question(
    key="12.floors",
    title="a harder text, or an unfamiliar one",
    kind="implement",
    stars=2,
    points=3,
    right=read_cells,
    cases=(
        (
            np.array([[2.31, 1.62, 2.9], [2.66, 1.21, 2.2], [2.18, 1.95, 1.43], [2.05, 1.4, 1.52]]),
            (0, 0),
            (0, 1),
        ),
        (
            np.array([[3.1, 2.0, 1.9], [3.6, 1.72, 2.4], [3.3, 2.35, 1.35], [2.95, 1.9, 1.6]]),
            (3, 2),
            (0, 0),
        ),
        (
            np.array([[2.0, 3.12, 1.5], [2.61, 2.7, 1.1], [2.4, 3.5, 2.15], [1.8, 2.95, 1.9]]),
            (1, 2),
            (2, 1),
        ),
    ),
    draw=_draw_cells,
    odd=(lambda rng: _draw_cells(rng, same_text=True),),
    entry_points={"floors": 1, "unfamiliar": 1, "nearer": 1},
    mistakes=(
        Mistake(
            "M61",
            partial(read_cells, nearer=_nearer_by_loss),
            "Your 'nearer' names the cell with the smaller loss. The two texts have different floors, so the "
            "smaller loss may only belong to the easier text. Compare the excess of the two cells.",
        ),
        Mistake(
            "L16",
            lambda table, one, other: _read(table, one, other, np.resize(table.min(axis=1), table.shape[1])),
            "Your floors are the lowest loss of each model. A floor belongs to a text: take the lowest "
            "number in each column.",
            explains="answer",
        ),
        Mistake(
            "L1",
            partial(read_cells, least=np.mean),
            "Your floors are mean losses. Every model's loss lies above the floor of a text, so the lowest "
            "one is the nearest to it.",
            explains="answer",
        ),
        Mistake(
            "L12",
            partial(read_cells, harder=lambda *_: 0.0, unfamiliar=_rise),
            "Your 'unfamiliar' is the whole difference between the two cells, as if all texts had the same "
            "floor.",
            explains="answer",
        ),
        Mistake(
            "L31",
            partial(
                read_cells,
                harder=lambda t, a, b, found: found["unfamiliar"],
                unfamiliar=lambda t, a, b, found: found["harder"],
            ),
            "Your 'harder' and 'unfamiliar' are swapped. What a text asks of every model is its floor.",
            explains="answer",
        ),
        Mistake(
            "L7",
            partial(
                read_cells,
                harder=lambda t, a, b, found: -found["harder"],
                unfamiliar=lambda t, a, b, found: -found["unfamiliar"],
            ),
            "Your two parts add up to the loss of `one` minus the loss of `other`. The task asks for the "
            "difference the other way round.",
            explains="answer",
        ),
        Mistake(
            "L7",
            partial(read_cells, nearer=_opposite),
            "Your 'nearer' names the cell with the larger excess.",
        ),
    ),
    properties=(
        FINITE,
        Property(
            "a floor of yours is above the loss of some model on the same text",
            lambda value, table, *cells: (value["floors"] <= table.min(axis=0) + 1e-9).all(),
        ),
        Property(
            "your two parts do not add up to the difference between the two cells",
            lambda value, table, one, other: np.isclose(
                value["harder"] + value["unfamiliar"], table[other] - table[one], rtol=1e-9
            ),
        ),
    ),
    alike=(
        ("right", "M61", "in the third case the smaller loss has the smaller excess, too"),
        ("M61", "L7 (2)", "in the other two it has the larger one, so that both name the wrong cell"),
    ),
    advice="Two texts with the floors 1 and 2, and one model with the losses 1.5 and 2.6 on them: the loss "
    "rises by 1.1, of which 1 is the text and 0.1 is the model.",
)

QUESTIONS = (CROSS_TABLE, FLOORS)
