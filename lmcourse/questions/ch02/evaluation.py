"""Chapter 02, estimates and evaluators: a sample below the entropy, two mistakes, one told from a number."""

import math
from functools import partial
from itertools import combinations, product

import numpy as np
from scipy.special import entr, gammaln, log_softmax, xlogy

from lmcourse.hints.question import Mistake, Property, Question
from lmcourse.questions.shared import wrong
from lmcourse.questions.shared.batches import nats_of, row_by_row
from lmcourse.questions.shared.properties import FINITE, NOT_NEGATIVE, unchanged
from lmcourse.questions.shared.sampling import DRAWN, counted
from lmcourse.questions.shared.units import LN2, unit_mistakes
from lmcourse.questions.shared.verdicts import exponents
from lmcourse.questions.shared.wrong import then

# --- below-entropy ---------------------------------------------------------------------------------------


def _average_is_below(p, n, average, plug_in):
    return average < entr(p).sum()


def share_below(p, n, repeats, rng, event=_average_is_below, drawn_from=lambda p: p):
    """The exact probability: the average depends on the counts of the symbols only, so list them all."""
    counts = np.array([c for c in product(range(n + 1), repeat=len(p)) if sum(c) == n])  # (C, K)
    # scipy.stats.multinomial.pmf, without the second that scipy.stats needs to load
    ways = gammaln(n + 1) - gammaln(counts + 1).sum(axis=1)
    weight = np.exp(ways + xlogy(counts, drawn_from(p)).sum(axis=1))
    return weight[event(p, n, -counts @ np.log(p) / n, entr(counts / n).sum(axis=1))].sum()


def _draw_experiment(rng):
    """Draw until every wrong formula is farther from the right one than sampling can explain."""
    while True:
        p, n = rng.dirichlet([8.0, 3.0, 1.5]), int(rng.integers(3, 6))
        case = p, n, 4000, np.random.default_rng(rng.integers(2**32))
        share = share_below(*case)
        gaps = [abs(mistake.wrong(*case) - share) for mistake in BELOW_ENTROPY.mistakes]
        if min(share, *gaps) > 2 * BELOW_ENTROPY.atol:
            return case


BELOW_ENTROPY = Question(
    key="02.below-entropy",
    title="a sample below the entropy",
    kind="implement",
    stars=3,
    points=3,
    right=share_below,
    cases=(
        (np.array([0.64, 0.27, 0.09]), 3, 4000, np.random.default_rng(41)),
        (np.array([0.68, 0.19, 0.13]), 4, 4000, np.random.default_rng(42)),
    ),
    draw=_draw_experiment,
    rtol=0.0,
    atol=0.04,  # five standard deviations of a share among 4000 repeats
    mistakes=(
        Mistake(
            "L7",
            then(share_below, lambda share: 1 - share),
            "Your share and the one asked for add up to 1: you count the samples above the entropy.",
        ),
        Mistake(
            "M2",
            partial(share_below, event=lambda p, n, mean, _: mean / LN2 < entr(p).sum()),
            "You compare an average in bits with an entropy in nats. Use the same logarithm for both.",
        ),
        Mistake(
            "L14",
            partial(share_below, event=lambda p, n, _, plug_in: plug_in < entr(p).sum()),
            "You score each sample with its own frequencies, which are the best model in hindsight. Score "
            "it with p.",
        ),
        Mistake(
            "L15",
            partial(share_below, drawn_from=lambda p: np.full(len(p), 1 / len(p))),
            "Your samples look uniform: pass p to rng.choice.",
        ),
        Mistake(
            "L18",
            partial(share_below, event=lambda p, n, mean, _: mean < np.log(len(p))),
            "To within the sampling error, your share is that of the samples below ln K, the entropy of a "
            "uniform source. Average the logarithms, and compare with the entropy of p.",
        ),
    ),
    properties=(
        Property("a share does not lie between 0 and 1", lambda value, *case: 0 <= value <= 1),
        Property(
            "none of your samples, or almost none, is below the entropy. Either you compare the total of a "
            "sample with the entropy of one symbol, and have to divide by n, or your entropy differs "
            "from the surprisals in sign or base",
            lambda value, *case: value > 0.01,
        ),
        *DRAWN,
        counted(2),
    ),
    advice="Take repeats = 5 and n = 3. Print the sample, shape (5, 3), the averages, shape (5,), and H(p).",
)

# --- evaluator -------------------------------------------------------------------------------------------

PAD = 0


def evaluate(batches, smoothing=0.0, over="tokens"):
    """Nats per real token, pooled over all batches of logits (B, T, V) and targets (B, T)."""
    losses = []
    for logits, targets in batches:
        real = targets != PAD
        losses.append(wrong.smoothed(log_softmax(logits, axis=-1)[real], targets[real], smoothing))
    return np.mean([loss.mean() for loss in losses]) if over == "batches" else np.concatenate(losses).mean()


def _flat(formula):
    """A formula of (nats, real), applied to all positions of all batches."""

    def wrong_evaluate(batches):
        parts = [
            (nats_of(log_softmax(logits, axis=-1), targets).ravel(), targets.ravel())
            for logits, targets in batches
        ]
        nats, targets = (np.concatenate(column) for column in zip(*parts, strict=True))
        return formula(nats, targets != PAD)

    return wrong_evaluate


def _positions_hint(batches):
    tokens = sum((targets != PAD).sum() for _, targets in batches)
    positions = sum(targets.size for _, targets in batches)
    return (
        f"Your number is {{ratio}} times the one asked for: there are {tokens} tokens, but you divide by "
        f"{positions} positions."
    )


def _draw_batches(rng):
    symbols = int(rng.integers(6, 12))
    return ([_draw_batch(rng, rows, columns, symbols) for rows, columns in ((4, 9), (3, 5), (1, 3))],)


def _draw_batch(rng, rows, columns, symbols):
    targets = rng.integers(1, symbols, size=(rows, columns))
    logits = rng.normal(size=(rows, columns, symbols)) + 3.0 * np.eye(symbols)[targets] * rng.random(
        (rows, columns, 1)
    )
    lengths = np.array([columns, *rng.integers(1, columns, size=rows - 1)])
    targets[np.arange(columns) >= lengths[:, None]] = PAD
    return logits, targets


def _perfect(batches):
    return ([(1000.0 * np.eye(logits.shape[-1])[targets], targets) for logits, targets in batches],)


EVALUATOR = Question(
    key="02.evaluator",
    title="an evaluator with two mistakes",
    kind="debug",
    stars=3,
    points=3,
    right=evaluate,
    cases=tuple(_draw_batches(np.random.default_rng(seed)) for seed in (51, 52)),
    draw=_draw_batches,
    mistakes=(
        *unit_mistakes(evaluate, "M2 M3 M5"),
        Mistake(
            "M9 + M41",
            partial(evaluate, smoothing=0.1, over="batches"),
            "Both mistakes are still there. What would a perfect model score with this code? Does the "
            "number stay the same when the same sentences are batched in another way?",
        ),
        Mistake(
            "M9",
            partial(evaluate, over="batches"),
            "One mistake is corrected. The other: a batch with few tokens weighs as much as one with many, "
            "so the number depends on how the text is cut into batches.",
        ),
        Mistake(
            "M41",
            partial(evaluate, smoothing=0.1),
            "One mistake is corrected. The other: a perfect model would not score 0.",
        ),
        Mistake("M19", _flat(wrong.padding_counted), _positions_hint),
        Mistake(
            "M20",
            _flat(wrong.padding_scored),
            "Padding is now scored as if it were a symbol: keep ignore_index.",
        ),
        Mistake(
            "L1",
            _flat(wrong.total),
            "Your number is too large by a factor of {ratio}, which is the number of tokens.",
        ),
        Mistake(
            "M4",
            then(evaluate, np.exp),
            "Your number is the exponential of the average: a perplexity. The task asks for nats per token.",
        ),
    ),
    properties=(
        FINITE,
        NOT_NEGATIVE,
        Property("a perfect model does not score 0", lambda _, second: second < 1e-6, also=_perfect),
        Property("the number changes when every sentence is a batch of its own", unchanged, also=row_by_row),
    ),
    advice="Let F.cross_entropy add up (reduction='sum'), count the real tokens, and divide once.",
)

# --- forensics -------------------------------------------------------------------------------------------


def name_the_mistake(right, reported, tokens, padding):
    """The exponent ln reported / ln right, and the mistake that has it."""
    return _finding(math.log(reported) / math.log(right), tokens, padding)


def _finding(exponent, tokens, padding):
    suspects = exponents("M1 M2 M3 M5 M19", tokens, padding)
    return {"exponent": exponent, "mistake": min(suspects, key=lambda name: abs(suspects[name] - exponent))}


def _swapped(right, reported, tokens, padding):
    finding = name_the_mistake(right, reported, tokens, padding)
    return finding | {"mistake": {"M1": "M2", "M2": "M1"}.get(finding["mistake"], finding["mistake"])}


def _suspected(changes):
    """The verdict if some suspects have another exponent; the evidence is right."""

    def wrong_finding(right, reported, tokens, padding):
        found = name_the_mistake(right, reported, tokens, padding)
        suspects = exponents("M1 M2 M3 M5 M19", tokens, padding) | changes(tokens, padding)
        nearest = min(suspects, key=lambda name: abs(suspects[name] - found["exponent"]))
        return found | {"mistake": nearest}

    return wrong_finding


def _report(name, right, tokens, padding):
    """A case in which the mistake ``name`` was made; numbers have six digits, as in a report."""
    exponent = exponents(name, tokens, padding)[name]
    return float(f"{right:.6g}"), float(f"{right**exponent:.6g}"), tokens, padding


def _draw_report(rng, padded=(0.1, 0.35), name=None, batches=1):
    """The share of tokens stays away from ln 2 and 1 / ln 10."""
    tokens = batches * int(rng.integers(100, 400))
    padding = int(rng.uniform(*padded) * tokens)
    name = name or str(rng.choice(["M1", "M2", "M3", "M5", "M19"], p=[0.35, 0.35, 0.1, 0.1, 0.1]))
    return _report(name, rng.uniform(5, 300), tokens, padding)


FORENSICS = Question(
    key="02.forensics",
    title="which mistake was made?",
    kind="forensics",
    stars=3,
    points=3,
    right=name_the_mistake,
    cases=(
        _report("M1", 41.7, 320, 0),
        _report("M2", 6.3, 250, 40),
        _report("M3", 133.0, 400, 0),
        _report("M5", 18.9, 120, 12),
        _report("M19", 57.5, 300, 60),
    ),
    draw=_draw_report,
    entry_points={"exponent": 1, "mistake": 2},
    odd=(
        lambda rng: _draw_report(rng, padded=(0.65, 0.95), name="M19"),
        lambda rng: _draw_report(rng, name="M19", batches=50),
        lambda rng: _draw_report(rng, name="M3"),
        lambda rng: _draw_report(rng, name="M5"),
    ),
    mistakes=(
        Mistake(
            "L9",
            lambda right, reported, tokens, padding: _finding(reported / right, tokens, padding),
            "You divide the numbers themselves. A wrong base or count changes the exponent: divide their "
            "logarithms.",
            explains="answer",
        ),
        Mistake(
            "L7",
            lambda right, reported, tokens, padding: _finding(
                math.log(right) / math.log(reported), tokens, padding
            ),
            "Your exponent is upside down: it should be the power that turns the right number into the "
            "reported one.",
            explains="answer",
        ),
        Mistake(
            "L9",
            lambda right, reported, tokens, padding: (
                name_the_mistake(right, reported, tokens, padding) | {"exponent": math.log(reported / right)}
            ),
            "Your 'exponent' is the logarithm of the ratio. Divide the logarithms: ln r / ln R.",
        ),
        Mistake(
            "L9",
            lambda right, reported, tokens, padding: (
                name_the_mistake(right, reported, tokens, padding) | {"exponent": reported / right}
            ),
            "Your 'exponent' is the ratio of the numbers. A wrong base or count changes the exponent: divide "
            "their logarithms.",
        ),
        Mistake(
            "L34",
            lambda right, reported, tokens, padding: (
                name_the_mistake(right, reported, tokens, padding)
                | {"exponent": math.log(right) / math.log(reported)}
            ),
            "Your 'exponent' is upside down: it should be the power that turns the right number into the "
            "reported one.",
        ),
        Mistake(
            "M5",
            _suspected(lambda tokens, padding: {"M5": 1.0}),
            "Your 'mistake' misses M5. With M5, the report is 1 / R, so the exponent is below 0.",
        ),
        Mistake(
            "L34",
            _suspected(lambda tokens, padding: {"M19": (tokens + padding) / tokens}),
            "Your 'mistake' misses M19. Counting the padding lowers the loss: is the exponent above 1 or "
            "below?",
        ),
        Mistake(
            "L34",
            _suspected(lambda tokens, padding: {"M3": math.log(10)}),
            "Your 'mistake' misses M3. A loss in base 10 is a smaller number than one in nats: is the "
            "exponent above 1 or below?",
        ),
        Mistake(
            "L3",
            _swapped,
            "Your 'mistake' mixes up M1 and M2. Of 2**loss and exp(loss), which is smaller?",
        ),
    ),
    advice="Write down what each mistake does to ln R: it multiplies ln R by a number that you can compute.",
    alike=(
        *(
            (*pair, "a verdict changes only where one mistake was made")
            for pair in combinations(("right", "M5", "L34 (2)", "L34 (3)", "L3"), 2)
        ),
        ("right", "L7", "the exponent of M5 is -1, which is its own inverse"),
        *(
            (one, other, "the same, where M5 was made")
            for one in ("L7", "L34")
            for other in ("right", "L34 (2)", "L34 (3)", "L3", "L7")
            if one != other and (one, other) != ("L7", "right")
        ),
        ("L9", "L9 (3)", "the verdict is the right one although the evidence is not, in two cases"),
    ),
)

QUESTIONS = (BELOW_ENTROPY, EVALUATOR, FORENSICS)
