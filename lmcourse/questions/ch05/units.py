"""Chapter 05, one total in several units: a sentence by hand, and the mean loss of a training loop."""

import math
from functools import partial

import numpy as np
from scipy.special import log_softmax, softmax

from lmcourse.hints.question import Mistake, Property, Question
from lmcourse.questions.shared.batches import more_padding, nats_of
from lmcourse.questions.shared.properties import BELOW_ONE, FINITE, unchanged
from lmcourse.questions.shared.units import LN2
from lmcourse.questions.shared.wrong import then

# --- five-numbers ----------------------------------------------------------------------------------------


def five_numbers(words, q, in_bits=lambda nats: nats / LN2, power=lambda bits: 2**bits, joined=" ", **counts):
    """Bits and perplexities per word, character and byte; one blank stands between two words.

    ``counts`` replaces numbers of units by others.
    """
    text = joined.join(words)
    units = {"word": len(words), "char": len(text), "byte": len(text.encode("utf-8"))} | counts
    bits = in_bits(-np.log(q).sum())
    rows = {f"bits per {unit}": bits / count for unit, count in units.items()}
    return rows | {f"perplexity per {unit}": power(bits / units[unit]) for unit in ("word", "char")}


def _octets(words, q):
    return len(" ".join(words).encode("utf-8"))


def _per_char(formula):
    """The dictionary with another perplexity per character, from the right rows."""

    def wrong_numbers(words, q):
        rows = five_numbers(words, q)
        return rows | {"perplexity per char": formula(rows, len(words), len(" ".join(words)))}

    return wrong_numbers


LATIN = ["chrząszcz", "brzmi", "w", "où", "l’été", "déjà", "schön", "früh", "müde", "naïve", "’tis", "river"]
FURTHER = ["λόγος", "όχι", "слово", "дом", "天空", "困惑度", "台灣"]
"""Words of several scripts; a draw takes some of the first and one of the second list."""


def _draw_sentence(rng):
    words = [str(word) for word in rng.choice(LATIN, size=rng.integers(3, 7), replace=False)]
    return [*words, str(rng.choice(FURTHER))], rng.uniform(0.02, 0.7, size=len(words) + 1)


def _draw_one_word(rng):
    return [str(rng.choice(FURTHER))], rng.uniform(0.02, 0.7, size=1)


FIVE_NUMBERS = Question(
    key="05.five-numbers",
    title="one sentence, five numbers",
    kind="compute",
    stars=1,
    points=2,
    right=five_numbers,
    cases=(
        (["zażółć", "gęślą", "jaźń"], np.array([0.02, 0.3, 0.55])),
        (["où", "est", "le", "café", "困惑"], np.array([0.04, 0.6, 0.5, 0.05, 0.001])),
    ),
    draw=_draw_sentence,
    odd=(_draw_one_word,),
    mistakes=(
        Mistake(
            "M1",
            partial(five_numbers, in_bits=lambda nats: nats),
            "Your bits are {ratio} = ln 2 times the right ones: they are nats. Divide by ln 2, or use log2.",
            explains="answer",
        ),
        Mistake(
            "M1",
            partial(five_numbers, in_bits=lambda nats: nats, power=np.exp),
            "Your bits are {ratio} = ln 2 times the right ones: they are nats. Divide by ln 2, or use log2.",
        ),
        Mistake(
            "M1",
            partial(five_numbers, power=lambda bits: 2 ** (bits * LN2)),
            "You raise 2 to a number of nats. Raise 2 to bits, or e to nats.",
        ),
        Mistake(
            "M2",
            partial(five_numbers, power=np.exp),
            "You raise e to a number of bits. Raise 2 to it.",
        ),
        Mistake(
            "M5",
            partial(five_numbers, in_bits=lambda nats: -nats / LN2),
            "Your bits are negative. A surprisal is *minus* the logarithm of a probability.",
            explains="answer",
        ),
        Mistake(
            "M5",
            partial(five_numbers, in_bits=lambda nats: -nats / LN2, power=lambda bits: 2**-bits),
            "Your bits are negative. A surprisal is *minus* the logarithm of a probability.",
        ),
        Mistake(
            "M5",
            partial(five_numbers, power=lambda bits: 2**-bits),
            "Your number is one over the perplexity, but no perplexity is below 1. Check the sign of the "
            "exponent.",
        ),
        Mistake(
            "M36",
            _per_char(lambda rows, words, chars: rows["perplexity per word"]),
            "Your 'perplexity per char' is 2 to the power of bits per *word*. Take the bits per character.",
        ),
        Mistake(
            "M35",
            _per_char(lambda rows, words, chars: rows["perplexity per word"] * words / chars),
            "Your 'perplexity per char' divides the perplexity of a word among its characters. Divide the "
            "bits, and take the power last.",
        ),
        Mistake(
            "M37",
            partial(five_numbers, joined=""),
            "You count only the letters. The spaces between the words are part of the text.",
        ),
        Mistake(
            "M38",
            lambda words, q: five_numbers(words, q, char=_octets(words, q)),
            "You divide by the number of bytes instead of characters. For the code points, take the length "
            "of the string itself.",
        ),
        Mistake(
            "M38",
            lambda words, q: five_numbers(words, q, byte=len(" ".join(words))),
            "You divide by the number of characters instead of bytes. Many letters take two or three bytes "
            "in UTF-8: encode the text, then count.",
        ),
        Mistake(
            "M3",
            partial(five_numbers, in_bits=lambda nats: nats / math.log(10)),
            "You use the logarithm to base 10. Bits go with base 2.",
        ),
        Mistake(
            "L1",
            partial(five_numbers, word=1, char=1, byte=1),
            "Your number is the total for the whole sentence. Divide it by the number of units.",
        ),
    ),
    properties=(
        Property(
            BELOW_ONE, lambda rows, *case: min(rows["perplexity per word"], rows["perplexity per char"]) >= 1
        ),
        Property(
            "there are more bits per byte than per character, although no character takes less than one byte",
            lambda rows, *case: rows["bits per byte"] <= rows["bits per char"],
        ),
    ),
    advice="Print the text, len(text) and len(text.encode('utf-8')). All five numbers come from one total.",
)

# --- training-loss ---------------------------------------------------------------------------------------


def bits_per_byte(logits, targets, ignore_index, text):
    """The bits of all real targets over the bytes of the text that they spell."""
    return _over_bytes(logits, targets, targets != ignore_index, text)


def _over_bytes(logits, targets, scored, text):
    return nats_of(log_softmax(logits, axis=-1), targets)[scored].sum() / LN2 / len(text.encode("utf-8"))


def _times(factor):
    """The right number, times a factor of (tokens, positions, characters, bytes)."""

    def wrong_bits(logits, targets, ignore_index, text):
        counts = (targets != ignore_index).sum(), targets.size, len(text), len(text.encode("utf-8"))
        return bits_per_byte(logits, targets, ignore_index, text) * factor(*counts)

    return wrong_bits


PIECES = ("▁", "ko", "lej", "ka", "ó", "wą", "tek", "的", "天空", "naï", "ve", "s", "!")
"""What the targets spell: the pieces of a tokenizer; the first is written as a blank."""


def _draw_loss(rng, ignore_index=-100):
    rows, columns = int(rng.integers(3, 5)), int(rng.integers(6, 10))
    targets = rng.integers(len(PIECES), size=(rows, columns))
    targets[targets == ignore_index] = (ignore_index + 1) % len(PIECES)
    logits = rng.normal(size=(rows, columns, len(PIECES))) + 2.0 * np.eye(len(PIECES))[targets] * rng.random(
        (rows, columns, 1)
    )
    lengths = np.array([columns, *rng.integers(2, columns - 1, size=rows - 1)])
    real = np.arange(columns) < lengths[:, None]
    text = "".join(PIECES[i] for i in targets[real]).replace("▁", " ")
    return logits, np.where(real, targets, ignore_index), ignore_index, text


LOSS = Question(
    key="05.training-loss",
    title="bits per byte from a training loss, in PyTorch",
    kind="implement",
    stars=2,
    points=2,
    right=bits_per_byte,
    cases=tuple(_draw_loss(np.random.default_rng(seed)) for seed in (501, 502)),
    draw=_draw_loss,
    odd=(lambda rng: _draw_loss(rng, -1), lambda rng: _draw_loss(rng, int(rng.integers(len(PIECES))))),
    mistakes=(
        Mistake(
            "M1",
            _times(lambda *counts: LN2),
            "Your number is {ratio} = ln 2 times the right one: F.cross_entropy gives nats.",
        ),
        Mistake(
            "M36",
            _times(lambda tokens, positions, chars, octets: octets / tokens),
            "Your number is in bits per *token*. Undo the mean first: multiply by the number of tokens, "
            "then divide by the number of bytes.",
        ),
        Mistake(
            "L3",
            _times(lambda tokens, positions, chars, octets: (octets / tokens) ** 2),
            "Your ratio of counts is upside down. A token is longer than a byte, so there are fewer bits "
            "per byte than per token.",
        ),
        Mistake(
            "M38",
            _times(lambda tokens, positions, chars, octets: octets / chars),
            "You divide by the number of characters. Your number is the right one times {ratio}, that is, "
            "times the number of bytes per character.",
        ),
        Mistake(
            "M19",
            _times(lambda tokens, positions, chars, octets: positions / tokens),
            "You multiply the mean by the total number of positions. It is a mean over the real tokens: "
            "multiply by their number.",
        ),
        Mistake(
            "M20",
            lambda logits, targets, ignore_index, text: _over_bytes(
                logits, targets, np.ones(targets.shape, dtype=bool), text
            ),
            "You score the padding as if it were a token. Padding does not belong to the text: pass "
            "ignore_index to the loss.",
        ),
        Mistake(
            "M4",
            then(bits_per_byte, lambda bits: math.exp(bits * LN2)),
            "Your number is a perplexity per byte. The task asks for bits.",
        ),
        Mistake(
            "M3",
            _times(lambda *counts: LN2 / math.log(10)),
            "Your number is {ratio} = ln 2 / ln 10 times the right one: you divide the nats by ln 10. Bits "
            "go with base 2.",
        ),
        Mistake(
            "M6",
            lambda logits, targets, ignore_index, text: bits_per_byte(
                softmax(logits, axis=-1), targets, ignore_index, text
            ),
            "You apply softmax twice. F.cross_entropy takes logits.",
        ),
        Mistake(
            "L3",
            _times(lambda *counts: LN2**2),
            "You multiply the nats by ln 2. One bit is ln 2 = 0.6931 nats: to get bits, divide.",
        ),
        Mistake(
            "L1",
            _times(lambda tokens, positions, chars, octets: octets),
            "Your number is the total in bits. Divide it by the number of bytes in the text.",
        ),
        Mistake(
            "L1",
            _times(lambda tokens, positions, chars, octets: 1 / tokens),
            "You divide the mean loss by the number of bytes. A mean is not a total: multiply by the number "
            "of tokens first.",
        ),
    ),
    properties=(
        FINITE,
        Property("the number changes when padding is added", unchanged, also=more_padding),
    ),
    advice="F.cross_entropy(..., reduction='sum') gives the total in nats. Then only one division is left.",
)

QUESTIONS = (FIVE_NUMBERS, LOSS)
