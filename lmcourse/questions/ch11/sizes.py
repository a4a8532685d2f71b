"""Chapter 11, two parts of a file: the bits of the text and the bits of the model that reads it."""

from functools import partial

import numpy as np

from lmcourse.hints.question import Mistake, Property, Question
from lmcourse.questions.shared.properties import FINITE
from lmcourse.questions.shared.wrong import but


def _total(rates, sizes, length):
    return rates * length + 8 * sizes


def _all_others(rates, sizes, byte=8):
    """From which length on the model with the lowest rate has the smallest total."""
    last = rates.argmin()
    others = np.arange(len(rates)) != last
    lengths = byte * (sizes[last] - sizes[others]) / (rates[others] - rates[last])
    return max(0.0, lengths.max())


def _rates(perplexities, tokens, length):
    """Bits per byte of each model, from its perplexity per token and the number of its tokens."""
    return tokens * np.log2(perplexities) / length


def two_part(perplexities, tokens, sizes, length, total=_total, pays=_all_others, rates=_rates):
    """The bytes of the text under each model, the best with its size, and where the last one is best."""
    found = rates(perplexities, tokens, length)
    return {
        "bytes": found * length / 8,
        "best": int(total(found, sizes, length).argmin()),
        "break_even": pays(found, sizes),
    }


def _pays(formula):
    """A wrong formula: the right answer, but for a 'break_even' that follows from rates, sizes and length."""
    return but(
        two_part,
        {"break_even": lambda ppl, tokens, sizes, n: formula(_rates(ppl, tokens, n), sizes, n)},
    )


def _bytes(change):
    """A wrong formula: the right answer, but for its 'bytes'."""
    return but(two_part, {"bytes": change})


def _first_other(rates, sizes):
    last = rates.argmin()
    others = np.arange(len(rates)) != last
    lengths = 8 * (sizes[last] - sizes[others]) / (rates[others] - rates[last])
    return max(0.0, lengths.min())


def _best(rates, sizes, length):
    return int(_total(rates, sizes, length).argmin())


def _upside_down(rates, sizes):
    last = rates.argmin()
    others = np.arange(len(rates)) != last
    return max(0.0, ((rates[others] - rates[last]) / (8 * (sizes[last] - sizes[others]))).max())


def _against_the_best(rates, sizes, length):
    last, best = rates.argmin(), _best(rates, sizes, length)
    if best == last:
        return 0.0
    return max(0.0, 8 * (sizes[last] - sizes[best]) / (rates[best] - rates[last]))


def _draw_models(rng, length=None, free=False, better=False, mixed=False):
    """Models of which the larger ones need fewer bits per byte, and a length at which size matters."""
    while True:
        M = int(rng.integers(3, 6))
        rates = np.sort(rng.uniform(1.0, 4.5, size=M))[::-1].round(3)
        sizes = np.sort(np.exp(rng.uniform(np.log(300), np.log(3e6), size=M))).round()
        if free:
            sizes[:] = sizes[0]
        sizes = sizes[::-1] if better else rng.permutation(sizes) if mixed else sizes
        order = rng.permutation(M)
        bytes_ = length or int(np.exp(rng.uniform(np.log(2e4), np.log(3e6))))
        tokens = np.round(bytes_ / rng.uniform(1.0, np.minimum(5.0, 12.0 / rates)))
        perplexities = (2 ** (rates * bytes_ / tokens)).round(2)
        rates = _rates(perplexities, tokens, bytes_)
        gaps = np.diff(np.sort(rates))
        totals = np.sort(_total(rates, sizes, bytes_))
        matters = length or free or better or _best(rates, sizes, bytes_) != rates.argmin()
        unlike = rates.argmin() != sizes.argmax() and _all_others(rates, sizes) > 0 if mixed else True
        tempting = perplexities.argmin() != _best(rates, sizes, bytes_)
        if gaps.min() > 0.05 and totals[1] > 1.01 * totals[0] and matters and unlike and tempting:
            return perplexities[order], tokens[order], sizes[order], bytes_


TWO_PART = Question(
    key="11.two-part",
    title="from a perplexity to an archive",
    kind="implement",
    stars=2,
    points=3,
    right=two_part,
    cases=(
        (
            np.array([18.4, 199.0, 585.0]),
            np.array([11588.0, 4400.0, 2900.0]),
            np.array([6000.0, 2000.0, 70000.0]),
            11588,
        ),
        _draw_models(np.random.default_rng(11301)),
        _draw_models(np.random.default_rng(11302)),
    ),
    draw=_draw_models,
    odd=(
        lambda rng: _draw_models(rng, length=10**9),
        lambda rng: _draw_models(rng, free=True),
        lambda rng: _draw_models(rng, better=True),
        lambda rng: _draw_models(rng, mixed=True),
    ),
    entry_points={"bytes": 1, "best": 1, "break_even": 1},
    mistakes=(
        Mistake(
            "M72",
            partial(two_part, total=lambda rates, sizes, length: rates * length),
            "You do not count the model. Without it nobody can read the file: it is a part of what has to be "
            "kept.",
        ),
        Mistake(
            "M72",
            _bytes(lambda ppl, tokens, sizes, length: tokens * np.log2(ppl) / 8 + sizes),
            "Your 'bytes' include the model. Here they are those of the coded archive alone.",
        ),
        Mistake(
            "M34",
            partial(two_part, rates=lambda ppl, tokens, length: np.log2(ppl)),
            "You take bits per token for bits per byte. A file has as many bits as its *tokens* cost: "
            "multiply by their number.",
            explains="answer",
        ),
        Mistake(
            "M34",
            but(two_part, {"best": lambda ppl, tokens, sizes, length: int(ppl.argmin())}),
            "Your 'best' has the lowest perplexity per token. Models with longer tokens have higher ones for "
            "the same text: compare whole files.",
        ),
        Mistake(
            "M1",
            _bytes(lambda ppl, tokens, sizes, length: tokens * np.log(ppl) / 8),
            "Your 'bytes' are {ratio} = ln 2 times what they should be: the logarithm to base 2 gives bits.",
        ),
        Mistake(
            "M4",
            _bytes(lambda ppl, tokens, sizes, length: tokens * ppl / 8),
            "Your 'bytes' multiply perplexities. The bits of a token are the logarithm of its perplexity.",
        ),
        Mistake(
            "L3",
            _bytes(lambda ppl, tokens, sizes, length: tokens * np.log2(ppl)),
            "Your 'bytes' are bits. A byte has 8 of them.",
        ),
        Mistake(
            "L1",
            _bytes(lambda ppl, tokens, sizes, length: _rates(ppl, tokens, length)),
            "Your 'bytes' are bits per byte of the archive. The task asks for the whole file.",
        ),
        Mistake(
            "L3",
            partial(
                two_part,
                total=lambda rates, sizes, length: rates * length + sizes,
                pays=partial(_all_others, byte=1),
            ),
            "You add bytes of the model to bits of the text. A byte has 8 bits.",
        ),
        Mistake(
            "L3",
            _pays(lambda rates, sizes, length: _all_others(rates, sizes, byte=1)),
            "Your 'break_even' divides bytes by bits per byte. Turn the difference of sizes into bits first.",
        ),
        Mistake(
            "L7",
            _pays(lambda rates, sizes, length: _first_other(rates, sizes)),
            "Your 'break_even' is where the model overtakes the first of the others. It has to be ahead of "
            "all of them.",
        ),
        Mistake(
            "L34",
            _pays(lambda rates, sizes, length: _upside_down(rates, sizes)),
            "Your 'break_even' is upside down. At that length, the saving per byte times the length "
            "equals the extra size of the model.",
        ),
        Mistake(
            "L7",
            _pays(_against_the_best),
            "Your 'break_even' is where the model overtakes the one that is best at the given length. It has "
            "to be ahead of all others, and a model in between may be better for a while.",
        ),
        Mistake(
            "L3",
            but(two_part, {"break_even": lambda *case: 8 * two_part(*case)["break_even"]}),
            "Your 'break_even' is in bits. The task asks for bytes of text.",
        ),
        Mistake(
            "L23",
            but(two_part, {"best": lambda *case: two_part(*case)["best"] + 1}),
            "Your 'best' is counted from 1. Positions are counted from 0.",
        ),
    ),
    alike=(
        ("right", "L7 (2)", "in the first and third case the model that is best now is overtaken last"),
        ("L3 (2)", "L3 (3)", "in some case the best model stays the best if its size is taken for bits"),
        ("M34 (2)", "M72", "in the second case the best model without its size has the lowest perplexity"),
        ("L23", "M72", "in some case the best model without its size stands behind the best one"),
    ),
    properties=(
        FINITE,
        Property(
            "'break_even' is a negative length. If the model always gives the smaller total, it is 0",
            lambda value, *case: value["break_even"] >= 0,
        ),
    ),
    advice="The text takes tokens * log2(perplexity) bits. Write down the two parts of each file, in "
    "bits. Two straight lines over the length of the text cross where they are equal.",
)

QUESTIONS = (TWO_PART,)
