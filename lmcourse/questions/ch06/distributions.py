"""Chapter 06, forensics: two rows of a table say whether it is a distribution, and if not, what it is."""

from functools import partial

import numpy as np

from lmcourse.hints.question import Mistake, Property, Question
from lmcourse.questions.shared.properties import BELOW_ONE
from lmcourse.questions.shared.units import perplexity_mistakes
from lmcourse.questions.shared.verdicts import read_verdicts

EQUAL, TINY = 1e-12, 1e-6


def _perplexity(model):
    return np.exp(-np.log(model["seen"][model["test"]]).mean())


def audit(models, sums=None, verdict=None, perplexity=_perplexity, all_of_them=False):
    """Sums after a seen and an unseen context, verdicts, and perplexities of those tables that have one."""
    verdict = verdict or _verdict
    sums = np.array([(sums or _sums)(model) for model in models])
    verdicts = [verdict(*row) for row in sums]
    return {
        "sums": sums,
        "verdicts": " ".join(verdicts),
        "perplexities": np.array(
            [
                perplexity(model) if all_of_them or found == "distribution" else np.nan
                for model, found in zip(models, verdicts, strict=True)
            ]
        ),
    }


def _sums(model):
    return model["seen"].sum(), model["unseen"].sum()


def _sums_of_test(model):
    words = np.unique(model["test"])
    return model["seen"][words].sum(), model["unseen"][words].sum()


def _verdict(seen, unseen, equal=EQUAL):
    """The table of the task, row by row."""
    if abs(seen - 1) <= equal and abs(unseen - 1) <= equal:
        return "distribution"
    if abs(seen - 1) <= equal and abs(unseen) <= equal:
        return "frequencies"
    if 0 < seen - 1 < TINY and 0 < unseen < TINY:
        return "floor"
    if abs(unseen - 1) <= equal:
        return "twice" if seen > 1 else "lost"
    return "score"


def _seen_only(seen, unseen):
    if abs(seen - 1) <= EQUAL:
        return "distribution"
    if seen < 1:
        return "lost"
    return "floor" if seen - 1 < TINY else "twice"


def _models(rng, what, words=7):
    """Six ways to make two rows from the same counts and unigrams, and one test after the seen context."""
    counts = rng.permutation(np.append(rng.integers(1, 6, size=words - 3), [0, 0, 0]))
    total, types = counts.sum(), (counts > 0).sum()
    frequencies, unigrams = counts / total, rng.dirichlet(np.full(words, 3.0))
    discount = rng.uniform(0.4, 0.8)
    kept, left = np.maximum(counts - discount, 0) / total, discount * types / total
    rows = {
        "distribution": (kept + left * unigrams, unigrams),
        "frequencies": (frequencies, np.zeros(words)),
        "floor": (np.maximum(frequencies, 1e-10), np.full(words, 1e-10)),
        "twice": (frequencies + left * unigrams, unigrams),
        "lost": (np.where(counts > 0, kept, left * unigrams), unigrams),
        "score": (np.where(counts > 0, frequencies, 0.4 * unigrams), 0.4 * unigrams),
    }
    seen, unseen = np.flatnonzero(counts), np.flatnonzero(counts == 0)
    test = rng.permutation(np.append(rng.choice(seen, size=4), rng.choice(unseen)))
    return ([{"seen": rows[name][0], "unseen": rows[name][1], "test": test} for name in what.split()],)


def _draw_models(rng):
    what = rng.permutation(["distribution", "frequencies", "floor", "twice", "lost", "score"])
    return _models(rng, " ".join(what), words=int(rng.integers(6, 11)))


AUDIT = Question(
    key="06.audit",
    title="six tables called models",
    kind="forensics",
    stars=3,
    points=3,
    right=audit,
    cases=(
        _models(np.random.default_rng(611), "score distribution floor frequencies lost twice"),
        _models(np.random.default_rng(612), "floor twice score lost distribution frequencies", words=9),
    ),
    draw=_draw_models,
    reading=read_verdicts,
    mistakes=(
        *perplexity_mistakes(audit, "M1 M2 M4 M5", only=("perplexities",)),
        Mistake(
            "M33",
            partial(audit, all_of_them=True),
            "You give every table a perplexity, but only a distribution has one. The test text is the same "
            "for all six: which table has the lowest number, and why?",
            explains="answer",
        ),
        Mistake(
            "M30",
            partial(audit, verdict=lambda seen, unseen: _verdict(seen, unseen, equal=1e-6)),
            "You have missed a floor: your tolerance is larger than what it adds. In float64 the sum of ten "
            "probabilities is accurate to 1e-15.",
            explains="answer",
        ),
        Mistake(
            "L28",
            partial(audit, verdict=lambda seen, unseen: _verdict(seen, unseen, equal=0.0)),
            "You ask whether a sum equals 1 to the last digit. Rounding changes that digit, so a table that "
            "is a distribution gets the wrong verdict: compare as the task says.",
            explains="answer",
        ),
        Mistake(
            "L24",
            partial(audit, verdict=_seen_only),
            "Your verdicts depend on the seen context alone. Some tables sum to 1 there, but not after an "
            "unseen context.",
            explains="answer",
        ),
        Mistake(
            "L14",
            partial(audit, sums=_sums_of_test),
            "Your sums run over the words of the test. A distribution sums to 1 over the whole vocabulary.",
            shown_by=("sums",),  # without a distribution every perplexity is nan
        ),
        Mistake(
            "L31",
            partial(audit, sums=lambda model: _sums(model)[::-1], verdict=lambda a, b: _verdict(b, a)),
            "The two columns of 'sums' are swapped.",
        ),
        Mistake(
            "L1",
            partial(audit, perplexity=lambda model: np.exp(-np.log(model["seen"][model["test"]]).sum())),
            "Your exponent is the total of the nats. Divide it by the number of tokens.",
        ),
    ),
    properties=(
        Property(
            "'verdicts' does not have one word for each table",
            lambda value, models: len(value["verdicts"].split()) == len(models),
        ),
        Property(BELOW_ONE, lambda value, models: not (value["perplexities"] < 1).any()),
    ),
    advice="Print both sums minus 1 with all their digits, then read the task's table from the top.",
)

QUESTIONS = (AUDIT,)
