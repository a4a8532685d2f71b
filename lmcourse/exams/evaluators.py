"""An exam task: repair an evaluator with two faults. Each variant draws its faults."""

from __future__ import annotations

import math
from functools import partial

import numpy as np

from lmcourse.exams.task import ExamTask, function_task
from lmcourse.hints.mistakes import NAMES
from lmcourse.hints.question import Mistake, Question
from lmcourse.questions.shared.properties import FINITE, PERPLEXITY
from lmcourse.questions.shared.wrong import smoothed

TITLE = "an evaluator with two faults"
PAD = 0
EPSILON = 0.1

COUNTING = {
    "M19": "Padding is still in your count: only positions whose target is not 0 are tokens.",
    "M20": "Padding is still in your total: only positions whose target is not 0 are scored.",
    "M10": "You still average the perplexities of the batches. Add up nats and tokens of all batches first.",
}
SCORING = {
    "M1": "You still raise 2 to a number of nats. The logarithms are natural ones.",
    "M41": "Your loss is still the smoothed one. A perplexity is about the token that came, and no other.",
    "M23": "You still shift the targets. Position t of the array predicts the target at t already.",
}


def evaluate(batches, faults=frozenset()):
    """The perplexity per real token; ``faults`` are catalogue ids.

    Parameters
    ----------
    batches : list of (log_probs, targets)
        Natural log probabilities, shape (B, T, V), and targets, shape (B, T), 0 where there is padding.
    """
    totals, counts = [], []
    for log_probs, targets in batches:
        if "M23" in faults:
            log_probs, targets = log_probs[:, :-1], targets[:, 1:]
        nats = smoothed(log_probs, targets, EPSILON if "M41" in faults else 0.0)
        real = targets != PAD
        totals.append(nats.sum() if "M20" in faults else nats[real].sum())
        counts.append(targets.size if "M19" in faults else real.sum())
    base = 2.0 if "M1" in faults else math.e
    if "M10" in faults:
        return np.mean([base ** (t / n) for t, n in zip(totals, counts, strict=True)])
    return base ** (sum(totals) / sum(counts))


def faulty_code(faults) -> str:
    """The evaluator as a student meets it."""
    lines = [
        "def evaluate(batches):",
        "    total, count, found = 0.0, 0, []",
        "    for log_probs, targets in batches:",
    ]
    if "M23" in faults:
        lines.append("        log_probs, targets = log_probs[:, :-1], targets[:, 1:]")
    lines.append("        picked = np.take_along_axis(log_probs, targets[..., None], axis=-1)[..., 0]")
    if "M41" in faults:
        lines.append(f"        picked = {1 - EPSILON:.1f} * picked + {EPSILON} * log_probs.mean(axis=-1)")
    lines.append("        real = targets != 0")
    lines.append(f"        total += -picked{'' if 'M20' in faults else '[real]'}.sum()")
    lines.append(f"        count += {'targets.size' if 'M19' in faults else 'real.sum()'}")
    power = "2 ** (total / count)" if "M1" in faults else "np.exp(total / count)"
    if "M10" in faults:
        lines += [
            f"        found.append({power})",
            "        total, count = 0.0, 0",
            "    return np.mean(found)",
        ]
    else:
        lines[1] = "    total, count = 0.0, 0"
        lines.append(f"    return {power}")
    return "\n".join(lines)


def draw_batches(rng):
    """Three batches that differ in size and in how hard they are."""
    symbols = int(rng.integers(7, 12))
    return ([_batch(rng, rows, columns, symbols) for rows, columns in ((3, 8), (2, 5), (4, 6))],)


def _batch(rng, rows, columns, symbols):
    logits = rng.normal(0, rng.uniform(0.5, 2.5), (rows, columns, symbols))
    log_probs = logits - np.log(np.exp(logits).sum(axis=-1, keepdims=True))
    targets = rng.integers(1, symbols, (rows, columns))
    lengths = rng.integers(max(2, columns // 2), columns + 1, rows)
    lengths[0] = columns - 2
    targets[np.arange(columns) >= lengths[:, None]] = PAD
    return log_probs, targets


REPAIR = """
This evaluator should return the perplexity per token, over all batches together and without the padding. Each
batch is a pair: natural log probabilities, shape (B, T, V), in which position $t$ predicts the target at $t$,
and targets, shape (B, T), in which 0 is padding. It has exactly two faults.

```python
{code}
```

Write `{name}(batches)` without them. It is called on other batches when it is graded. The points are for a
repair of both; the feedback says which one was left.
"""

REPAIRED = """
total, count = 0.0, 0
for log_probs, targets in batches:
    picked = np.take_along_axis(log_probs, targets[..., None], axis=-1)[..., 0]
    real = targets != 0
    total += -picked[real].sum()
    count += real.sum()
return np.exp(total / count)
"""


def _left(*ids, hint="Both faults are still there.") -> Mistake:
    """The mistake of leaving these faults."""
    return Mistake(" + ".join(ids), partial(evaluate, faults=frozenset(ids)), hint)


def _question(rng, name: str, points: int, faults: tuple[str, str]) -> Question:
    return Question(
        key=f"exam.{name}",
        title=TITLE,
        kind="debug",
        stars=3,
        points=points,
        right=evaluate,
        cases=(draw_batches(rng), draw_batches(rng)),
        draw=draw_batches,
        mistakes=(_left(*faults), *(_left(i, hint=hint) for i, hint in (COUNTING | SCORING).items())),
        properties=(FINITE, PERPLEXITY),
        advice="Take one batch with one padded position, and follow each line with its shape.",
    )


def repair(rng, name: str, points: int, **from_template) -> ExamTask:
    """Return the task with one fault of counting and one of scoring."""
    faults = str(rng.choice(list(COUNTING))), str(rng.choice(list(SCORING)))
    return function_task(
        name=name,
        question=_question(rng, name, points, faults),
        title=TITLE,
        head=f"def {name}(batches):",
        message="return the perplexity per real token of all batches",
        choices=faults,
        answer=f"without its faults: {'; '.join(f'{i}, {NAMES[i]}' for i in faults)}",
        text=REPAIR.format(code=faulty_code(faults), name=name),
        solution=REPAIRED,
        **from_template,
    )
