"""Chapter 09, a run that is watched: what the learning rate adds to a loss, and what a log supports."""

import numpy as np

from lmcourse.hints.question import Mistake, Property, Question
from lmcourse.questions.ch09.leaks import only_solution
from lmcourse.questions.shared.choices import read_choices
from lmcourse.questions.shared.wrong import but

# --- decay -----------------------------------------------------------------------------------------------


def decay(eta, lam, s, g):
    """Variance of a parameter at a constant rate, the excess loss, and the rate at which it is g."""
    return {
        "variance": eta * s**2 / (lam * (2 - eta * lam)),
        "excess": eta * s**2 / (2 * (2 - eta * lam)),
        "rate": 4 * g / (s**2 + 2 * g * lam),
    }


def _follows(variance):
    """The variance by another formula, with the excess that follows from it."""
    return but(
        decay, {"variance": variance, "excess": lambda eta, lam, s, g: lam * variance(eta, lam, s, g) / 2}
    )


def _draw_decay(rng):
    lam = float(rng.uniform(0.4, 2))
    return (
        float(rng.uniform(0.15, 0.8)) / lam,
        lam,
        float(rng.uniform(0.2, 0.7)),
        float(rng.uniform(0.01, 0.06)),
    )


DECAY = Question(
    key="09.decay",
    title="what the learning rate adds to the loss",
    kind="derive",
    stars=2,
    points=3,
    form="expression",
    symbols=("eta", "lam", "s", "g"),
    right=decay,
    cases=((0.5, 1.2, 0.4, 0.02), (0.3, 0.8, 0.6, 0.05), (0.9, 0.7, 0.3, 0.03)),
    draw=_draw_decay,
    reading=only_solution,
    entry_points={"variance": 1, "excess": 1, "rate": 1},
    mistakes=(
        Mistake(
            "L42",
            _follows(lambda eta, lam, s, g: eta**2 * s**2),
            "Your 'variance' is what one step adds. The earlier steps still contribute, each "
            "shrunk by 1 - eta lam in every later step.",
        ),
        Mistake(
            "L22",
            _follows(lambda eta, lam, s, g: eta * s**2 / lam),
            "Your 'variance' shrinks by the factor 1 - eta lam at each step. A variance shrinks by the "
            "square of the factor.",
        ),
        Mistake(
            "L22",
            _follows(lambda eta, lam, s, g: eta * s**2 / (2 * lam)),
            "Your 'variance' is the limit for small rates: the square of eta lam is missing in "
            "the denominator.",
        ),
        Mistake(
            "L22",
            _follows(lambda eta, lam, s, g: eta * s / (lam * (2 - eta * lam))),
            "Your 'variance' has s where the square of s belongs: s is the standard deviation of the noise.",
        ),
        Mistake(
            "M5",
            _follows(lambda eta, lam, s, g: eta * s**2 / (lam * (2 + eta * lam))),
            "Check a sign in your 'variance': 1 - (1 - eta lam)**2 = 2 eta lam - (eta lam)**2.",
        ),
        Mistake(
            "L22",
            but(
                decay,
                {"variance": lambda *case: np.sqrt(decay(*case)["variance"])},
            ),
            "Your 'variance' is its square root, the standard deviation.",
        ),
        Mistake(
            "L22",
            but(decay, {"excess": lambda *case: 2 * decay(*case)["excess"]}),
            "Your 'excess' is twice what it should be: the loss is lam theta**2 / 2.",
        ),
        Mistake(
            "L22",
            but(decay, {"excess": lambda *case: decay(*case)["variance"] / 2}),
            "Your 'excess' lacks the curvature lam.",
        ),
        Mistake(
            "L22",
            but(decay, {"excess": lambda eta, lam, s, g: eta * s**2 / 4}),
            "Your 'excess' is the limit for small rates. The task asks for every rate.",
        ),
        Mistake(
            "L22",
            but(decay, {"rate": lambda eta, lam, s, g: 4 * g / s**2}),
            "Your 'rate' is the limit for small rates. Solve the equation with your full 'excess'.",
        ),
        Mistake(
            "M5",
            but(decay, {"rate": lambda eta, lam, s, g: 4 * g / (s**2 - 2 * g * lam)}),
            "Check a sign in your 'rate': bring both terms with eta to one side.",
        ),
        Mistake(
            "L22",
            but(decay, {"rate": lambda eta, lam, s, g: 2 * g / (s**2 + g * lam)}),
            "Your 'rate' solves excess = g with an excess that is twice too large.",
        ),
        Mistake(
            "L34",
            but(decay, {"rate": lambda eta, lam, s, g: (s**2 + 2 * g * lam) / (4 * g)}),
            "Your 'rate' is upside down.",
        ),
        Mistake(
            "L22",
            but(decay, {"rate": lambda eta, lam, s, g: 4 * g * lam / (s**2 + 2 * g * lam**2)}),
            "Your 'rate' is the one at which *half the variance* is g. The excess loss has the factor lam.",
        ),
    ),
    properties=(Property("a result is negative", lambda value, *case: all(x >= 0 for x in value.values())),),
    advice="In the steady state the variance after a step is the variance before it. Write that as an "
    "equation in v: the step multiplies theta by 1 - eta lam and adds eta s z.",
)

# --- claims ----------------------------------------------------------------------------------------------

REASONS = ("supported", "decay", "limit", "looks", "counts", "budget")


def claims():
    """For each claim of the task whether the log supports it, or what stands against it."""
    return {"A": "decay", "B": "limit", "C": "looks", "D": "supported", "E": "counts"}


CLAIMS = Question(
    key="09.claims",
    title="five claims and a log",
    kind="protocol",
    stars=2,
    points=5,
    form="value",
    right=claims,
    cases=((),),
    reading=read_choices(REASONS, {"count": "counts", "look": "looks"}),
    entry_points=dict.fromkeys("ABCDE", 1),
    mistakes=(
        Mistake(
            "M81",
            but(claims, {"A": lambda: "supported"}),
            "A: look at the learning rates of P and Q at the steps that were scored. Only one of the two "
            "runs has finished.",
        ),
        Mistake(
            "L28",
            but(claims, {"A": lambda: "budget"}),
            "A: so far P and Q have read the same number of tokens. What else differs at step 40,000?",
        ),
        Mistake(
            "M82",
            but(claims, {"B": lambda: "supported"}),
            "B: compare how many documents were scored for P and for R.",
        ),
        Mistake(
            "M79",
            but(claims, {"C": lambda: "supported"}),
            "C: how was the model in line S selected? Its number on the test documents is the lowest of "
            "several.",
        ),
        Mistake(
            "L28",
            but(claims, {"C": lambda: "counts"}),
            "C: all documents were scored for both. Ask how the model in line S was selected.",
        ),
        Mistake(
            "L28",
            but(claims, {"D": lambda: "budget"}),
            "D: P and U have read the same number of tokens in the same number of steps.",
        ),
        Mistake(
            "L28",
            but(claims, {"D": lambda: "looks"}),
            "D: both models were selected on the valid documents, and scored once on the test documents.",
        ),
        Mistake(
            "L28",
            but(claims, {"D": lambda: "counts"}),
            "D: all documents were scored for both, and the difference between the losses is more than "
            "three standard errors.",
        ),
        Mistake(
            "L28",
            but(claims, {"D": lambda: "decay"}),
            "D: both runs have reached the end of their schedules.",
        ),
        Mistake(
            "M80",
            but(claims, {"E": lambda: "supported"}),
            "E: how many documents are in this slice? Work out the difference between the losses in "
            "standard errors of this slice.",
        ),
        Mistake(
            "L28",
            but(claims, {"E": lambda: "budget"}),
            "E: U and P have read the same number of tokens. Look at the slice.",
        ),
    ),
    advice="Go through the columns one by one: in which of them do the two lines of a claim differ? The "
    "logarithm of a ratio of perplexities is a difference of losses.",
)

QUESTIONS = (DECAY, CLAIMS)
