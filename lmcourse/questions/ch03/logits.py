"""Chapter 03, from logits and tensors: the excess of a student model, and an evaluator to correct."""

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


def _cross_entropy(teacher, student, T):
    return -(softmax(teacher / T, axis=1) * _log_softmax(student / T)).sum(axis=1)


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
    points=2,
    right=teacher_kl,
    cases=(
        (
            np.array([[2.0, 0.5, -1.0, 0.0], [900.0, 903.0, 898.0, 901.0], [0, 1, 0.5, 2], [0, -2200, 0, 1]]),
            np.array(
                [[1.0, 1.0, 0.0, -1.0], [1800.0, 1801.0, 1802.0, 1800.5], [-1700, 0, 1, 1], [1, 1, 0, -1]]
            ),
            0.6,
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
            "You take D(q || p), with the student's probabilities as weights. The teacher plays the truth: "
            "weight by p, the teacher's probabilities.",
        ),
        Mistake(
            "M46",
            partial(teacher_kl, log_of=lambda z: np.log(softmax(z, axis=1))),
            "Rows whose logits are far apart give inf or nan, because a probability has become 0 before its "
            "logarithm was taken. Compute the logarithms themselves, and p as their exponential.",
        ),
        Mistake(
            "M46",
            _through_probabilities,
            "A row is infinite, because one of the student's probabilities has become 0 on the way. On "
            "paper a softmax is never 0: compute ln q without forming q.",
        ),
        Mistake(
            "M45",
            partial(teacher_kl, log_of=wrong.ratio_of_large_exponentials),
            "A row whose logits are all in the thousands gives nan, because exp overflows. First "
            "subtract from each row its largest logit.",
        ),
        Mistake(
            "M45",
            partial(teacher_kl, log_of=wrong.sum_of_large_exponentials),
            "Only rows with large logits are wrong: the sum of their exponentials overflows. First "
            "subtract from each row its largest logit.",
        ),
        Mistake(
            "M30",
            partial(teacher_kl, log_of=wrong.floored),
            "A constant of 1e-10 props up small probabilities, so that no symbol has a surprisal above 23 "
            "nats. A different constant would give a different number.",
        ),
        Mistake(
            "L8",
            lambda teacher, student, T: teacher_kl(teacher, student, 1.0),
            "Your number does not depend on T. Divide both sets of logits by T before the softmax.",
        ),
        Mistake(
            "L8",
            _only_teacher_heated,
            "You divide the teacher's logits by T, but not the student's. A student with the teacher's "
            "logits would not get 0.",
        ),
        Mistake(
            "L8",
            lambda teacher, student, T: teacher_kl(teacher, student, 1 / T),
            "You multiply the logits by T. The task divides them by it.",
        ),
        Mistake(
            "M42",
            lambda teacher, student, T: teacher_kl(teacher, student, T) * T**2,
            "Your number is {ratio} times the right one. This is the square of T, a factor that belongs to a "
            "training loss, in which it keeps the gradients in proportion; the task asks for the divergence "
            "itself.",
        ),
        Mistake(
            "M42",
            lambda teacher, student, T: teacher_kl(teacher, student, T) * T,
            "Your number is {ratio} = T times the right one. The task asks for the divergence "
            "itself, without a factor.",
        ),
        Mistake(
            "M42",
            _cross_entropy,
            "Your number is the cross-entropy of the two: the entropy of the teacher is still in it. A "
            "student with the teacher's logits would not get 0.",
        ),
        Mistake(
            "M6",
            _without_normalisers,
            "You treat differences of logits as differences of log probabilities. Add a constant to the "
            "student's logits: the model stays the same, but your number does not.",
        ),
        Mistake(
            "L1",
            lambda *case: teacher_kl(*case) / case[0].shape[1],
            "Your number is {ratio} = 1 / V times the right one, with V symbols. A "
            "divergence is a sum over the symbols.",
        ),
    ),
    properties=(
        FINITE,
        GIBBS,
        Property(
            "For a student with the teacher's logits your number is not 0",
            lambda _, second: np.abs(second).max() < 1e-9,
            also=lambda teacher, student, T: (teacher, teacher, T),
        ),
        Property(
            "Your number changes when a constant is added to all the student's logits, although the model "
            "stays the same",
            unchanged,
            also=lambda teacher, student, T: (teacher, student + 5.0, T),
        ),
    ),
    advice="Write log_softmax first: z minus its largest entry, and from that subtract the logarithm of the "
    "sum of the exponentials. Then p is the exponential of log_p.",
)

# --- evaluator -------------------------------------------------------------------------------------------


def _sum(truth, logits):
    return rel_entr(truth, softmax(logits, axis=-1)).sum()


def excess_per_token(truth, logits, total=_sum, count=lambda truth: truth[..., 0].size):
    """Mean over all B x T tokens of the KL divergence of the model from the truth, nats."""
    return total(truth, logits) / count(truth)


def _swapped_sum(truth, logits):
    return rel_entr(softmax(logits, axis=-1), truth).sum()


def _no_log(read):
    """What kl_div gives when its first argument is not a logarithm."""

    def formula(truth, logits):
        return excess_per_token(truth, np.zeros_like(logits)) + (
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
    title="an evaluator of the excess, with two mistakes",
    kind="debug",
    stars=3,
    points=3,
    right=excess_per_token,
    cases=(
        _draw_batch(np.random.default_rng(321), (2, 3, 4), zeros=False),
        _draw_batch(np.random.default_rng(322), (4, 2, 5)),
    ),
    draw=_draw_batch,
    mistakes=(
        *divergence_mistakes(excess_per_token),
        Mistake(
            "M50",
            partial(excess_per_token, total=_swapped_sum, count=np.size),
            "Both mistakes are still there. Which of the two comes first in kl_div, the truth or the model? "
            "And what does 'mean' divide by?",
        ),
        Mistake(
            "M50",
            partial(excess_per_token, total=_swapped_sum),
            "One mistake is corrected. The other one: you measure D(q || p), which is infinite where the "
            "truth has zeros. The model comes first in kl_div.",
        ),
        Mistake(
            "M50",
            partial(excess_per_token, count=np.size),
            "One mistake is corrected. The other one: your number is {ratio} = 1 / V times the right "
            "one. 'mean' divides by the number of elements, and a token has V of them.",
        ),
        Mistake(
            "L1",
            partial(excess_per_token, count=len),
            "Your number is {ratio} = T times the right one. 'batchmean' divides by the length of "
            "the first axis only: flatten B and T into one axis.",
        ),
        Mistake(
            "L1",
            partial(excess_per_token, count=lambda truth: truth.shape[1]),
            "Your number is {ratio} = B times the right one: you divide by the length of one "
            "sequence. Divide by the number of tokens in the whole batch.",
        ),
        Mistake(
            "L1",
            _sum,
            "Your number is {ratio} times the right one: it is the total over all tokens. Divide it by the "
            "number of tokens.",
        ),
        Mistake(
            "M50 + L1",
            partial(excess_per_token, total=_swapped_sum, count=len),
            "The arguments are still swapped, and 'batchmean' divides by B, although there are B times T "
            "tokens.",
        ),
        Mistake(
            "M6",
            _no_log(lambda logits: softmax(logits, axis=-1)),
            "The model goes into kl_div as probabilities, but kl_div reads them as logarithms. Use "
            "log_softmax.",
        ),
        Mistake(
            "M6",
            _no_log(lambda logits: logits),
            "The logits go into kl_div, but kl_div reads them as log probabilities. Use log_softmax.",
        ),
        Mistake(
            "M42",
            lambda truth, logits: -(truth * log_softmax(logits, axis=-1)).sum() / truth[..., 0].size,
            "Your number is the loss, in which the floor is still included. For a model that is equal to "
            "the truth it would not be 0.",
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
            "For a model that is equal to the truth your number is not 0",
            lambda _, second: abs(second) < 1e-9,
            also=lambda truth, logits: (softmax(logits, axis=-1), logits),
        ),
        Property(
            "the number changes when all sequences are laid end to end in one",
            unchanged,
            also=lambda truth, logits: tuple(a.reshape(1, -1, a.shape[-1]) for a in (truth, logits)),
        ),
    ),
    advice="Test your function on one token and two symbols, with the truth [1/2, 1/2] and the model "
    "[1/4, 3/4], and then with the two exchanged.",
)

QUESTIONS = (TEACHER, EVALUATOR)
