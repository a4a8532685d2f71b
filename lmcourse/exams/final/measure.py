"""Tasks of the final exam about the measure itself: chapters 01 to 05."""

from __future__ import annotations

import math
from functools import partial

from lmcourse.exams.task import ExamTask, value_builder, value_task
from lmcourse.hints.question import Mistake
from lmcourse.questions.shared.units import LN2, LN10
from lmcourse.questions.shared.wrong import but

# --- underflow: a probability that no float can hold, as a power of ten ------------------------------------

underflow = value_builder(
    title="a probability as a power of ten",
    draw=lambda rng: (int(rng.integers(40, 400)) * 100, round(rng.uniform(4.5, 9.5), 2)),
    right=lambda tokens, bits: -tokens * bits * LN2 / LN10,
    mistakes=(
        Mistake(
            "M3",
            lambda n, bits: -n * bits / LN10,
            "You treat bits as nats: a bit is ln 2 nats, and a factor of ten is ln 10 of them.",
        ),
        Mistake("L34", lambda n, bits: -n * bits * LN10 / LN2, "Your ratio of logarithms is upside down."),
        Mistake(
            "L1",
            lambda n, bits: -bits * LN2 / LN10,
            "That is the exponent for one token: multiply by how many there are.",
        ),
        Mistake(
            "M5",
            lambda n, bits: n * bits * LN2 / LN10,
            "A probability is below 1, so the exponent is negative.",
        ),
    ),
    given="tokens, bits_per_token = {tokens}, {bits}",
    text="""
A model spends {bits} bits per token on a text of {tokens} tokens. The probability that it gives to the
whole text is $10^x$, which underflows to 0 in every float.

Set `underflow` to $x$.
""",
    message="the exponent x of 10",
    solution="underflow = -tokens * bits_per_token * np.log10(2)",
)

# --- divergence: of two geometric distributions ------------------------------------------------------------

DIVERGENCE = r"""
In each of a series of independent trials, a symbol comes with probability $a$. $X_a$ is the number of trials
{counted} the first one in which it comes: $P(X_a = k) = a (1 - a)^{power}$ for
$k = {first}, {second}, \dots$, and $X_b$ likewise with $b$. Both parameters lie between 0 and 1. Let
$P_a$ be the distribution of **{copies} independent draws** of $X_a$, and $P_b$ that of {copies} of $X_b$.

Set `divergence` to the KL divergence $D(P_{p} \,\|\, P_{q})$ in **{unit}**: an expression in the
symbols `a` and `b`, without a sum left in it.
"""


def _divergence(a, b, bits, forward, copies):
    p, q = (a, b) if forward else (b, a)
    one = math.log(p / q) + (1 - p) / p * math.log((1 - p) / (1 - q))
    return copies * one / (LN2 if bits else 1.0)


def _divergence_mistakes(right, bits, forward, copies):
    unit = LN2 if bits else 1.0
    return (
        Mistake(
            "M50",
            partial(right, forward=not forward),
            "Your divergence runs the other way. What stands first draws the symbols.",
        ),
        Mistake(
            "L3",
            lambda a, b: right(a, b) * (LN2 if bits else 1 / LN2),
            f"Your expression is in the other unit: {'bits' if bits else 'nats'} are asked for.",
        ),
        Mistake(
            "L1",
            lambda a, b: right(a, b) / copies,
            f"That is for one draw. {copies} independent draws diverge {copies} times as much.",
        ),
        Mistake(
            "L22",
            lambda a, b: copies * math.log((a / b) if forward else (b / a)) / unit,
            "You have only the logarithm of the first factor; the powers of 1 - a and 1 - b count too.",
        ),
    )


def _divergence_words(first, bits, forward, copies):
    return {
        "p": "a" if forward else "b",
        "q": "b" if forward else "a",
        "unit": "bits" if bits else "nats",
        "copies": copies,
        "first": first,
        "second": first + 1,
        "power": "{k - 1}" if first else "k",
        "counted": "up to and including" if first else "before",
    }


def divergence(rng, **from_template) -> ExamTask:
    """03: the divergence of two geometric distributions, in a unit and a direction that are drawn."""
    bits, forward, copies = bool(rng.random() < 0.5), bool(rng.random() < 0.5), int(rng.integers(2, 9))
    drawn = {"bits": bits, "forward": forward, "copies": copies}
    words = _divergence_words(int(rng.integers(0, 2)), **drawn)
    right, p, q = partial(_divergence, **drawn), words["p"], words["q"]
    return value_task(
        title="two waiting times",
        choices=(f"{p} {words['unit']}",),
        kind="derive",
        right=right,
        case=(0.62, 0.31),
        symbols=("a", "b"),
        mistakes=_divergence_mistakes(right, **drawn),
        advice="Take the expectation of the logarithm of the ratio, and put numbers in: it is 0 where a = b,"
        " and positive elsewhere.",
        given='a, b = sp.symbols("a b", positive=True)',
        text=DIVERGENCE.format(**words),
        message=f"the divergence of P_{p} from P_{q} in {words['unit']}, in a and b",
        solution=f"""
            one = sp.log({p} / {q}) + (1 - {p}) / {p} * sp.log((1 - {p}) / (1 - {q}))  # E[k] enters
            divergence = {drawn["copies"]} * one{" / sp.log(2)" if drawn["bits"] else ""}
        """,
        **from_template,
    )


# --- pooled: with and without the ends of sentences --------------------------------------------------------


def _words_and_ends(rng):
    words = int(rng.integers(1500, 5000))
    sentences = int(words / rng.uniform(12, 24))
    return words, sentences, round(rng.uniform(60, 260), 1), round(rng.uniform(1.1, 2.6), 2)


def _pooled(words, sentences, ppl, end, unit=LN2):
    return math.exp((words * math.log(ppl) + sentences * end * unit) / (words + sentences))


pooled = value_builder(
    title="and where the sentences end",
    draw=_words_and_ends,
    right=_pooled,
    mistakes=(
        Mistake(
            "M25",
            lambda w, s, ppl, end: math.exp((w * math.log(ppl) + s * end * LN2) / w),
            "The ends are in your total, and not in your count.",
        ),
        Mistake(
            "L27",
            partial(_pooled, unit=0.0),
            "The ends are in your count, and their bits are not in the total.",
        ),
        Mistake("M2", partial(_pooled, unit=1.0), "You add bits to nats. A bit is ln 2 nats."),
        Mistake(
            "M8",
            lambda w, s, ppl, end: (w * ppl + s * 2**end) / (w + s),
            "You average perplexities. Average surprisals, and exponentiate last.",
        ),
    ),
    given="words, sentences, perplexity, bits_per_end = {words}, {sentences}, {ppl}, {end}",
    text="""
A tool leaves the ends of sentences out of its total and of its count: over the {words} words of a text it
reports a perplexity of {ppl}. The same model spends, on average, {end} bits on each sentence end, and the
text has {sentences} sentences.

Set `pooled` to the model's perplexity with the ends scored and counted.
""",
    message="the perplexity with the ends of sentences",
    solution="""
nats = words * np.log(perplexity) + sentences * bits_per_end * np.log(2)
pooled = np.exp(nats / (words + sentences))
""",
)

# --- converted: Chinese, where bytes are not characters ----------------------------------------------------


def _chinese(rng):
    chars = int(rng.integers(2000, 9000))
    tokens = int(chars * rng.uniform(0.55, 0.8))
    return chars, int(chars * rng.uniform(2.75, 2.95)), tokens, round(rng.uniform(1.05, 1.9), 3)


def _converted(chars, octets, tokens, bits):
    return _units(octets * bits / chars, 2 ** (octets * bits / tokens))


def _units(character, token):
    return {"bits per character": character, "perplexity per token": token}


converted = value_builder(
    title="a Chinese text, in bytes",
    entry_points=(2, 2),
    draw=_chinese,
    right=_converted,
    mistakes=(
        Mistake(
            "M38",
            lambda c, o, t, bits: _units(bits, 2 ** (c * bits / t)),
            "You take bytes for characters. A Chinese character has three bytes in UTF-8.",
        ),
        Mistake(
            "L34",
            lambda c, o, t, bits: _units(bits * c / o, 2 ** (bits * t / o)),
            "Your ratios are upside down: a character has more bytes than one, and costs more bits.",
        ),
        Mistake(
            "M1",
            but(_converted, {"perplexity per token": lambda c, o, t, bits: math.exp(o * bits / t)}),
            "You raise e to a number of bits. The base of the loss is the base of the power.",
        ),
        Mistake(
            "M35",
            but(_converted, {"perplexity per token": lambda c, o, t, bits: 2**bits * o / t}),
            "You multiply the perplexity by bytes per token. The ratio belongs in the exponent.",
        ),
    ),
    given="characters, octets, tokens, bits_per_byte = {chars}, {octets}, {tokens}, {bits}",
    text="""
A model spends {bits} bits per byte on a Chinese text of {chars} characters, {octets} bytes in UTF-8,
which its tokenizer cuts into {tokens} tokens.

Set `converted` to a dictionary with the keys `"bits per character"` and `"perplexity per token"`.
""",
    message="bits per character, and the perplexity per token",
    solution="""
bits = octets * bits_per_byte
converted = {"bits per character": bits / characters, "perplexity per token": 2 ** (bits / tokens)}
""",
)
