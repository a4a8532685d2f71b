"""Chapter 04, a text in windows: the labels of each window, and one perplexity."""

from functools import partial

import numpy as np

from lmcourse.hints.answers import plain_data
from lmcourse.hints.question import Mistake, Property, Question
from lmcourse.questions.shared.properties import BELOW_ONE
from lmcourse.questions.shared.units import perplexity_mistakes

IGNORED = -100


def _windows(length, window, stride):
    """Start and stop of each window; the first that reaches the end of the text is the last."""
    starts = range(0, max(length - window, 0) + stride, stride)
    return [(start, min(start + window, length)) for start in starts]


def _right_first(start, scored):
    """The first place of a window that is scored; ``scored`` tokens have been scored before."""
    return scored + 1 - start


def _pooled(means, counts, length):
    return means @ counts / counts.sum()


def evaluate_windows(nats, ids, window, stride, first=_right_first, loss=_pooled):
    """The labels of all windows, padded to one length, and the perplexity of the tokens that have one.

    ``nats[s, t]`` is the surprisal of token t in a window that begins at s.
    """
    labels, means, counts, scored = [], [], [], 0
    for start, stop in _windows(len(ids), window, stride):
        row = np.full(window, IGNORED)
        row[: stop - start] = ids[start:stop]
        row[: max(first(start, scored), 0)] = IGNORED
        places = np.flatnonzero(row[1:] != IGNORED) + 1
        labels.append(row)
        counts.append(len(places))
        means.append(nats[start, start + places].mean() if len(places) else 0.0)
        scored = stop - 1
    return {
        "labels": np.array(labels),
        "perplexity": np.exp(loss(np.array(means), np.array(counts), len(ids))),
    }


def _with_begin(nats, ids, window, stride):
    """As if the start symbol were scored: it has a label, which the model drops."""
    found = evaluate_windows(nats, ids, window, stride)
    found["labels"][0, 0] = ids[0]
    return found


def _as_the_guide(nats, ids, window, stride):
    """As Hugging Face's guide: the start symbol has a label, and 1 is subtracted in every window."""
    found = evaluate_windows(nats, ids, window, stride, loss=_one_less_later)
    found["labels"][0, 0] = ids[0]
    return found


def _one_less_later(means, counts, length):
    weights = counts - (np.arange(len(counts)) > 0)
    return means @ weights / weights.sum()


def _shifted(nats, ids, window, stride):
    """As if the evaluator shifted the labels, and the model once more."""
    right = evaluate_windows(nats, ids, window, stride)["labels"]
    labels = np.pad(right[:, 1:], ((0, 0), (0, 1)), constant_values=IGNORED)
    counts, means = (labels != IGNORED).sum(axis=1), []
    for (start, _), row in zip(_windows(len(ids), window, stride), labels, strict=True):
        places = np.flatnonzero(row[1:] != IGNORED) + 1
        means.append(nats[start, start + places].mean() if len(places) else 0.0)
    return {"labels": labels, "perplexity": np.exp(_pooled(np.array(means), counts, len(ids)))}


def _positions(means, counts, length, window, stride):
    """All positions that the windows read, whether they are scored there or not."""
    return sum(stop - start for start, stop in _windows(length, window, stride))


def _every_position_counted(nats, ids, window, stride):
    read = _positions(None, None, len(ids), window, stride)
    return evaluate_windows(nats, ids, window, stride, loss=lambda m, n, _: m @ n / read)


def _filled_up(nats, ids, window, stride):
    """The labels if the last window were moved back until it has its full length."""
    labels = evaluate_windows(nats, ids, window, stride)["labels"]
    length = min(window, len(ids))
    kept = labels[-1][labels[-1] != IGNORED]
    labels[-1] = IGNORED
    labels[-1, length - len(kept) : length] = kept
    return labels


def _as_rows(answer, nats, ids, window, stride):
    """Rows of labels may differ in length: their end is filled up. Rows that are missing are named."""
    answer = plain_data(answer)
    if not isinstance(answer, dict) or not isinstance(answer.get("labels"), (list, tuple, np.ndarray)):
        return answer, {}
    right = evaluate_windows(nats, ids, window, stride)["labels"]
    try:
        given = [np.asarray(row, dtype=float).ravel() for row in answer["labels"]]
    except (TypeError, ValueError):
        return answer, {}
    told = ""
    if len(given) != len(right):
        told = (
            f'"labels" has {len(given)} rows where there are {len(right)} windows (len(ids) = {len(ids)}, '
            f"window = {window}, stride = {stride}): the first window that reaches the end is the last."
        )
    elif any(len(row) > window for row in given):
        told = f'"labels" has a row of {max(map(len, given))} labels, but a window has {window} tokens.'
    if told:
        return answer | {"labels": np.zeros(right.shape)}, {"labels": told}
    rows = [np.pad(row, (0, window - len(row)), constant_values=IGNORED) for row in given]
    return answer | {"labels": np.array(rows)}, {}


def _draw_windows(rng, length=0, window=0, stride=0):
    """A text behind a start symbol; the longer the context of a token, the smaller its surprisal."""
    window = window or int(rng.integers(5, 8))
    stride = stride or int(rng.integers(2, window - 1))
    length = length or int(rng.integers(2 * window, 3 * window + 2))
    ids = np.append(1, rng.integers(5, 90, size=length - 1))
    level, gain = rng.gamma(4.0, 0.4, size=length), rng.uniform(0.6, 2.4, size=length)
    context = np.arange(length) - np.arange(length)[:, None]  # how many tokens of it a window shows
    nats = level + gain * 0.6 ** (context - 1.0)
    return np.where(context > 0, nats, np.nan), ids, window, stride


WINDOWS = Question(
    key="04.windows",
    title="windows, a stride and −100",
    kind="debug",
    stars=3,
    points=3,
    right=evaluate_windows,
    cases=(
        _draw_windows(np.random.default_rng(95), length=14, window=6, stride=3),
        _draw_windows(np.random.default_rng(96), length=12, window=5, stride=2),
    ),
    draw=_draw_windows,
    odd=(
        lambda rng: _draw_windows(rng, window=6, stride=5),
        lambda rng: _draw_windows(rng, length=5, window=7, stride=3),
    ),
    reading=_as_rows,
    entry_points={"labels": 2, "perplexity": 1},
    mistakes=(
        *perplexity_mistakes(evaluate_windows, "M1 M2 M4 M5", only=("perplexity",)),
        Mistake(
            "M13 + M14",
            partial(
                evaluate_windows, first=lambda start, scored: 0, loss=lambda means, counts, _: means.mean()
            ),
            "Both mistakes are still there. Which tokens does a window score although an earlier one has "
            "already scored them? And how much weight does a window that scores few tokens get?",
            explains="answer",
        ),
        Mistake(
            "M14",
            partial(evaluate_windows, first=lambda start, scored: 0),
            "You score the tokens of an overlap twice. In the second window they are only context: their "
            "label there is −100, and so is that of the start symbol.",
        ),
        Mistake(
            "M14",
            partial(evaluate_windows, first=lambda start, scored: 1),
            "You mask only the first label of each window. Every token that an earlier window has scored is "
            "context here: its label is −100.",
        ),
        Mistake(
            "M13",
            partial(evaluate_windows, loss=lambda means, counts, _: means.mean()),
            "You average the losses of the windows, so a window that scores one token weighs as much as a "
            "full one. Multiply each loss by the number of its labels, add, and divide once.",
        ),
        Mistake(
            "M23",
            partial(
                evaluate_windows,
                loss=lambda means, counts, _: means @ (counts - 1) / (counts - 1).sum(),
            ),
            "You subtract 1 from the number of labels in each window. The model drops the first label of a "
            "window, but that one is −100 already, so it is not among those that you count.",
        ),
        Mistake(
            "M23",
            _as_the_guide,
            "You subtract 1 in every window, as Hugging Face's guide does. That is right in the first "
            "window, whose start symbol has a label there. In the others, the label that the model drops is "
            "−100 already. Mask the start symbol too, and count the labels that are not −100.",
        ),
        Mistake(
            "M23",
            _shifted,
            "You shift the labels by one token. `window_loss` does that already, as the models of the "
            "library `transformers` do: each label stands at the place of its own token.",
        ),
        Mistake(
            "L23",
            partial(evaluate_windows, first=lambda start, scored: scored - start),
            "You mask one label too few: the last token that an earlier window has scored is scored again.",
        ),
        Mistake(
            "L23",
            partial(evaluate_windows, first=lambda start, scored: scored - start if start else 1),
            "From the second window on, you mask one label too few: the last token that an earlier window "
            "has scored is scored again.",
        ),
        Mistake(
            "L23",
            partial(evaluate_windows, first=lambda start, scored: scored + 2 - start),
            "You mask one label too many: the first new token of each window is never scored.",
        ),
        Mistake(
            "L23",
            _with_begin,
            "The start symbol has a label. Nothing predicts it, so its label is −100.",
        ),
        Mistake(
            "M26",
            partial(evaluate_windows, loss=lambda means, counts, length: means @ counts / length),
            "You divide by len(ids), which counts the start symbol. Divide by the number of tokens scored.",
        ),
        Mistake(
            "L27",
            _every_position_counted,
            "You divide by the number of positions in all windows: ln r / ln R is {power}. Count only the "
            "labels that are not −100.",
        ),
        Mistake(
            "L1",
            partial(evaluate_windows, loss=lambda means, counts, _: means @ counts),
            "You exponentiate the total of the nats. Divide it by the number of tokens scored first.",
        ),
    ),
    properties=(
        Property(BELOW_ONE, lambda value, *case: value["perplexity"] >= 1),
        Property(
            "your last window is moved back so that it is full. Here each window begins `stride` tokens "
            "after the one before it, and the last may be shorter",
            lambda value, nats, ids, window, stride: (
                not (value["labels"] == _filled_up(nats, ids, window, stride)).all()
                or (
                    _filled_up(nats, ids, window, stride)
                    == evaluate_windows(nats, ids, window, stride)["labels"]
                ).all()
            ),
        ),
    ),
    advice="Print the labels of each window under its tokens. Every token but the start symbol must be "
    "among the labels exactly once.",
)

QUESTIONS = (WINDOWS,)
