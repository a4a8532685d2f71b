"""Chapter 06, two derivations: pseudo-counts by Lagrange, and what Kneser-Ney's constraint leaves below."""

from lmcourse.hints.question import Mistake, Property, Question
from lmcourse.questions.shared.wrong import but

# --- add-k -----------------------------------------------------------------------------------------------


def add_k(c1, c2, c3, k):
    """The best q1 for counts with k on top of each, its multiplier, and its weight on the uniform model."""
    total = c1 + c2 + c3 + 3 * k
    return {"q1": (c1 + k) / total, "multiplier": total, "weight": 3 * k / total}


def _sum(c1, c2, c3, k):
    return c1 + c2 + c3


ADD_K = Question(
    key="06.add-k",
    title="a constant on every count",
    kind="derive",
    stars=2,
    points=2,
    form="expression",
    symbols=("c1", "c2", "c3", "k"),
    right=add_k,
    cases=((5.0, 3.0, 2.5, 0.7), (1.0, 7.0, 4.0, 1.5), (2.0, 0.5, 6.0, 0.3)),
    draw=lambda rng: (*rng.uniform(0.5, 20.0, size=3), rng.uniform(0.1, 2.0)),
    mistakes=(
        Mistake(
            "L22",
            but(
                add_k,
                {
                    "q1": lambda c1, c2, c3, k: c1 / _sum(c1, c2, c3, k),
                    "multiplier": _sum,
                    "weight": lambda *point: 0.0,
                },
            ),
            "Your q1 is the relative frequency: it is best for k = 0. Put k into the objective first.",
            explains="answer",
        ),
        Mistake(
            "L13",
            but(
                add_k,
                {
                    "q1": lambda c1, c2, c3, k: (c1 + k) / (c1 + c2 + c3 + k),
                    "multiplier": lambda c1, c2, c3, k: c1 + c2 + c3 + k,
                    "weight": lambda c1, c2, c3, k: k / (c1 + c2 + c3 + k),
                },
            ),
            "Your total has grown by one k, though three counts have grown. Add q1, q2 and q3: the sum is "
            "above 1.",
            explains="answer",
        ),
        Mistake(
            "L22",
            but(add_k, {"multiplier": _sum}),
            "Your 'multiplier' is the total without the constants: k was added to three counts.",
        ),
        Mistake(
            "L13",
            but(add_k, {"q1": lambda c1, c2, c3, k: (c1 + k) / (c1 + c2 + c3 + k)}),
            "The denominator of your 'q1' has one k, though three counts have grown.",
        ),
        Mistake(
            "L13",
            but(add_k, {"weight": lambda c1, c2, c3, k: k / (c1 + c2 + c3 + k)}),
            "Your 'weight' allows for one k in all, though each of the three counts has grown by k.",
        ),
        Mistake(
            "M5",
            but(add_k, {"multiplier": lambda *point: -add_k(*point)["multiplier"]}),
            "Your multiplier has the wrong sign for the Lagrangian of the task: there the constraint is "
            "subtracted.",
        ),
        Mistake(
            "L11",
            but(add_k, {"q1": lambda c1, c2, c3, k: c1 + k, "multiplier": lambda *point: 1.0}),
            "Your q1, q2, q3 add up to a total of counts. You have not used the last equation, sum q = 1.",
            explains="answer",
        ),
        Mistake(
            "L18",
            but(add_k, {"q1": lambda *point: 1 / 3}),
            "Your q1 does not depend on the counts: it is the uniform model, which q1 approaches only as k "
            "goes to infinity.",
        ),
        Mistake(
            "L31",
            but(add_k, {"weight": lambda *point: 1 - add_k(*point)["weight"]}),
            "Your 'weight' is that of the relative frequency. The uniform model gets the rest.",
        ),
        Mistake(
            "L22",
            but(add_k, {"weight": lambda *point: add_k(*point)["weight"] / 3}),
            "Your 'weight' is what one word gets from the uniform model. All three words get that much.",
        ),
    ),
    properties=(
        Property("'q1' is not between 0 and 1", lambda value, *_: 0 < value["q1"] < 1),
        Property("'weight' is not between 0 and 1", lambda value, *_: 0 < value["weight"] < 1),
    ),
    advice="Each derivative says (c + k) / q = multiplier. Sum q = 1 then gives the multiplier.",
)

# --- constraint ------------------------------------------------------------------------------------------


def constraint(c, a, a1, T, T1, N, D, D1):
    """What a word keeps, the weight of the lower model, and the lower model, for one and two discounts."""
    once = a1 * D1 + (a - a1) * D
    return {
        "kept": (c - a * D) / N,
        "weight": T * D / N,
        "below": a / T,
        "two discounts": once / (T1 * D1 + (T - T1) * D),
    }


def _draw_counts(rng):
    """Possible counts of a word and of a text: a1 <= a <= c, and the rest of the text is larger."""
    a1, more, far = (int(rng.integers(1, 9)) for _ in range(3))
    a = a1 + more
    c = a + more + far
    T1, T2 = a1 + int(rng.integers(10, 40)), more + int(rng.integers(10, 40))
    N = T1 + 2 * T2 + c + int(rng.integers(5, 50))
    return c, a, a1, T1 + T2, T1, N, rng.uniform(0.55, 0.95), rng.uniform(0.2, 0.5)


CONSTRAINT = Question(
    key="06.constraint",
    title="what a lower model is for",
    kind="derive",
    stars=2,
    points=2,
    form="expression",
    symbols=("c", "a", "a1", "T", "T1", "N", "D", "D1"),
    right=constraint,
    cases=(
        (20, 3, 1, 60, 38, 150, 0.8, 0.5),
        (9, 8, 7, 45, 30, 90, 0.7, 0.4),
        (12, 5, 2, 80, 33, 210, 0.9, 0.35),
    ),
    draw=_draw_counts,
    mistakes=(
        Mistake(
            "L24",
            but(constraint, {"below": lambda c, a, a1, T, T1, N, D, D1: c / N}),
            "Your 'below' is the share of the tokens, c / N. Put it into the constraint: a word that was "
            "seen often in few contexts has kept most of its mass already, and would get too much.",
        ),
        Mistake(
            "L22",
            but(constraint, {"kept": lambda c, a, a1, T, T1, N, D, D1: (c - D) / N}),
            "Your 'kept' subtracts the discount once. The word follows several contexts, a of them, and D is "
            "subtracted in each.",
        ),
        Mistake(
            "L24",
            but(constraint, {"kept": lambda c, a, a1, T, T1, N, D, D1: c * (1 - D) / N}),
            "Your 'kept' subtracts D for every token. D is subtracted from a count, once for each context.",
        ),
        Mistake(
            "M5",
            but(constraint, {"kept": lambda c, a, a1, T, T1, N, D, D1: (c + a * D) / N}),
            "Your 'kept' is more than the word had. A discount has to be subtracted.",
        ),
        Mistake(
            "L22",
            but(constraint, {"weight": lambda c, a, a1, T, T1, N, D, D1: T * D}),
            "Your 'weight' can be above 1. The context h comes with probability c(h) / N: where is the N?",
        ),
        Mistake(
            "L8",
            but(constraint, {"weight": lambda *point: point[6]}),
            "Your 'weight' is D, as if D were subtracted for every token. It is subtracted once for each of "
            "the T(h) words after h.",
        ),
        Mistake(
            "L8",
            but(constraint, {"two discounts": lambda c, a, *point: a / point[1]}),
            "Your 'two discounts' is the answer for one. The discount no longer cancels: a bigram seen once "
            "gives D1, the others give D.",
        ),
        Mistake(
            "L31",
            but(
                constraint,
                {
                    "two discounts": lambda c, a, a1, T, T1, N, D, D1: (
                        (a1 * D + (a - a1) * D1) / (T1 * D + (T - T1) * D1)
                    )
                },
            ),
            "In 'two discounts' D1 and D are swapped: D1 is for the a1 contexts with one token.",
        ),
        Mistake(
            "L22",
            but(
                constraint,
                {"two discounts": lambda c, a, a1, T, T1, N, D, D1: (a1 * D1 + (a - a1) * D) / (T * D)},
            ),
            "Your 'two discounts' has the right loss for the word, but not for all words together: T1 of the "
            "T bigrams lose D1.",
        ),
    ),
    properties=(
        Property(
            "'kept' and 'weight' times 'below' do not add up to the word's share c / N",
            lambda value, c, a, a1, T, T1, N, D, D1: (
                abs(value["kept"] + value["weight"] * value["below"] - c / N) < 1e-9
            ),
        ),
    ),
    advice="Sum over the contexts: c(h) cancels in both parts. Then solve kept + weight * below = c / N.",
)

QUESTIONS = (ADD_K, CONSTRAINT)
