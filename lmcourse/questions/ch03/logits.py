"""Chapter 03, from logits and tensors: what a student pays its teacher, and an evaluator to repair."""

from functools import partial

import numpy as np
from scipy.special import log_softmax, rel_entr, softmax

from lmcourse.hints.question import Mistake, Property, Question
from lmcourse.questions.shared import wrong
from lmcourse.questions.shared.divergences import GIBBS, divergence_mistakes
from lmcourse.questions.shared.properties import FINITE, unchanged

# --- teacher ---------------------------------------------------------------------------------------------


def _log_softmax(z):
    return log_softmax(z, axis=1)


def teacher_kl(teacher, student, T, log_of=_log_softmax):
    """KL divergence of each row, nats; logits (N, V), both divided by the temperature T."""
    log_p, log_q = log_of(teacher / T), log_of(student / T)
    return (np.exp(log_p) * (log_p - log_q)).sum(axis=1)


def _only_teacher_heated(teacher, student, T):
    log_p, log_q = _log_softmax(teacher / T), _log_softmax(student)
    return (np.exp(log_p) * (log_p - log_q)).sum(axis=1)


def _through_probabilities(teacher, student, T):
    return rel_entr(softmax(teacher / T, axis=1), softmax(student / T, axis=1)).sum(axis=1)


def _without_normalisers(teacher, student, T):
    return (softmax(teacher / T, axis=1) * (teacher - student) / T).sum(axis=1)


def _draw_logits(rng):
    """Rows as networks give them, one far from zero as a whole, one with symbols that trail by hundreds."""
    rows, symbols = int(rng.integers(4, 7)), int(rng.integers(3, 6))
    teacher, student = rng.normal(scale=2.0, size=(2, rows, symbols))
    teacher[1], student[1] = teacher[1] + 3000, student[1] + 2500
    student[2, 0] -= 4000
    teacher[3, 1:] -= 5000
    return teacher, student, float(rng.uniform(1.5, 3.0))


def _draw_low(rng):
    """Rows far below zero as a whole, and a temperature below 1."""
    teacher, student, _ = _draw_logits(rng)
    return teacher - 9000, student - 7000, float(rng.uniform(0.4, 0.8))


TEACHER = Question(
    key="03.teacher",
    title="a student and its teacher",
    kind="implement",
    stars=2,
    points=3,
    right=teacher_kl,
    cases=(
        (
            np.array([[2.0, 0.5, -1.0, 0.0], [900.0, 903.0, 898.0, 901.0], [0, 1, 0.5, 2], [0, -2200, 0, 1]]),
            np.array(
                [[1.0, 1.0, 0.0, -1.0], [1800.0, 1801.0, 1802.0, 1800.5], [-1700, 0, 1, 1], [1, 1, 0, -1]]
            ),
            0.5,
        ),
        (
            np.array([[0.0, -3000.0, -3100.0], [1.0, -1.0, 0.5], [2001.0, 2000.0, 1997.0], [0.0, 1.0, 2.0]]),
            np.array([[1.0, 0.0, -0.5], [0.2, 0.0, -0.4], [1500.0, 1502.0, 1501.0], [0.5, -2400.0, 1.0]]),
            1.6,
        ),
    ),
    draw=_draw_logits,
    odd=(_draw_low,),
    mistakes=(
        *divergence_mistakes(teacher_kl),
        Mistake(
            "M50",
            lambda teacher, student, T: teacher_kl(student, teacher, T),
            "You weigh with the student's probabilities. The teacher plays the truth: p is the teacher's.",
        ),
        Mistake(
            "M46",
            partial(teacher_kl, log_of=lambda z: np.log(softmax(z, axis=1))),
            "Rows with far-off logits give inf or nan: a probability has become 0 before its logarithm was "
            "taken. Compute the logarithms themselves, and p as their exponential.",
        ),
        Mistake(
            "M46",
            _through_probabilities,
            "A row is infinite: a student's probability has become 0 on the way. A softmax is never 0 on "
            "paper; compute ln q without forming q.",
        ),
        Mistake(
            "M45",
            partial(teacher_kl, log_of=wrong.ratio_of_large_exponentials),
            "A row whose logits are all in the thousands gives nan: exp overflows. Subtract the largest "
            "logit of a row first.",
        ),
        Mistake(
            "M45",
            partial(teacher_kl, log_of=wrong.sum_of_large_exponentials),
            "Only large logits fail: the sum of exponentials overflows. Subtract the largest logit of a row "
            "first.",
        ),
        Mistake(
            "M30",
            partial(teacher_kl, log_of=wrong.floored),
            "Small probabilities are held up by 1e-10: no symbol costs more than 23 nats. Change the "
            "constant, and the number changes.",
        ),
        Mistake(
            "L8",
            lambda teacher, student, T: teacher_kl(teacher, student, 1.0),
            "Your number does not depend on T. Divide the logits of both by T before the softmax.",
        ),
        Mistake(
            "L8",
            _only_teacher_heated,
            "You heat the teacher and not the student: a student with the teacher's logits would not get 0.",
        ),
        Mistake(
            "M6",
            _without_normalisers,
            "You take differences of logits for differences of log probabilities. Add a constant to the "
            "student's logits: the model stays the same, and your number does not.",
        ),
        Mistake(
            "L1",
            lambda *case: teacher_kl(*case) / case[0].shape[1],
            "Your number is {ratio} of the right one, which is one over the number of symbols: a divergence "
            "is a sum over the symbols.",
        ),
    ),
    properties=(
        FINITE,
        GIBBS,
        Property(
            "a student with the teacher's logits does not get 0",
            lambda _, second: np.abs(second).max() < 1e-9,
            also=lambda teacher, student, T: (teacher, teacher, T),
        ),
        Property(
            "it changes when a constant is added to all logits of the student",
            unchanged,
            also=lambda teacher, student, T: (teacher, student + 5.0, T),
        ),
    ),
    advice="Write log_softmax first: z - max, minus the logarithm of the sum of exp. Then p = exp(log_p).",
)

# --- evaluator -------------------------------------------------------------------------------------------


def _sum(truth, logits):
    return rel_entr(truth, softmax(logits, axis=-1)).sum()


def fault_per_token(truth, logits, total=_sum, count=lambda truth: truth[..., 0].size):
    """Mean over all B x T tokens of the KL divergence of the model from the truth, nats."""
    return total(truth, logits) / count(truth)


def _swapped_sum(truth, logits):
    return rel_entr(softmax(logits, axis=-1), truth).sum()


def _no_log(read):
    """What kl_div gives when its first argument is not a logarithm."""

    def formula(truth, logits):
        return fault_per_token(truth, np.zeros_like(logits)) + (
            (truth * (-np.log(truth.shape[-1]) - read(logits))).sum() / truth[..., 0].size
        )

    return formula


def _draw_batch(rng, shape=(3, 4, 6), zeros=True):
    truth, logits = rng.dirichlet(np.full(shape[2], 0.8), size=shape[:2]), rng.normal(scale=1.2, size=shape)
    if zeros:
        truth[0, 0] = np.eye(shape[2])[0]
    return truth, logits


EVALUATOR = Question(
    key="03.evaluator",
    title="an evaluator with its arguments in the wrong hands",
    kind="debug",
    stars=3,
    points=3,
    right=fault_per_token,
    cases=(
        _draw_batch(np.random.default_rng(321), (2, 3, 4), zeros=False),
        _draw_batch(np.random.default_rng(322), (4, 2, 5)),
    ),
    draw=_draw_batch,
    mistakes=(
        *divergence_mistakes(fault_per_token),
        Mistake(
            "M50",
            partial(fault_per_token, total=_swapped_sum, count=np.size),
            "Both faults are still there. Who comes first in kl_div, the truth or the model? And what does "
            "'mean' divide by?",
        ),
        Mistake(
            "M50",
            partial(fault_per_token, total=_swapped_sum),
            "One fault is repaired. The other: you measure what the model would pay if it were the truth. "
            "With a truth that has zeros it is infinite.",
        ),
        Mistake(
            "M50",
            partial(fault_per_token, count=np.size),
            "One fault is repaired. The other: your number is {ratio} of the right one, one over the number "
            "of symbols. 'mean' divides by the elements, and a token has V of them.",
        ),
        Mistake(
            "L1",
            partial(fault_per_token, count=len),
            "Your number is {ratio} times too large, which is T. 'batchmean' divides by the first axis only: "
            "flatten B and T into one.",
        ),
        Mistake("L1", _sum, "Your number is {ratio} times too large: it is the total of all tokens."),
        Mistake(
            "M50 + L1",
            partial(fault_per_token, total=_swapped_sum, count=len),
            "The arguments are still swapped, and 'batchmean' divides by B where tokens are B times T.",
        ),
        Mistake(
            "M6",
            _no_log(lambda logits: softmax(logits, axis=-1)),
            "The model goes into kl_div as probabilities, and it is read as logarithms. Give log_softmax.",
        ),
        Mistake(
            "M6",
            _no_log(lambda logits: logits),
            "Logits go into kl_div, and they are read as log probabilities. Give log_softmax.",
        ),
        Mistake(
            "M42",
            lambda truth, logits: -(truth * log_softmax(logits, axis=-1)).sum() / truth[..., 0].size,
            "That is the loss: the floor is in it as well. A model equal to the truth would not get 0.",
        ),
    ),
    alike=(
        ("M50", "M50 (2)", "the second truth has zeros, and everything divided is infinite"),
        ("M50", "M50 + L1", "the same"),
        ("M50 (2)", "M50 + L1", "the same"),
    ),
    properties=(
        FINITE,
        GIBBS,
        Property(
            "a model that is equal to the truth does not get 0",
            lambda _, second: abs(second) < 1e-9,
            also=lambda truth, logits: (softmax(logits, axis=-1), logits),
        ),
        Property(
            "the number changes when all sequences are laid end to end in one",
            unchanged,
            also=lambda truth, logits: tuple(a.reshape(1, -1, a.shape[-1]) for a in (truth, logits)),
        ),
    ),
    advice="Test on one token and two symbols, truth [1/2, 1/2] and model [1/4, 3/4], and on its reverse.",
)

QUESTIONS = (TEACHER, EVALUATOR)
