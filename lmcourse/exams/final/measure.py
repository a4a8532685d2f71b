"""Tasks of the final exam about the measure itself: chapters 01 to 05."""

from __future__ import annotations

import math

from lmcourse.exams.part import Part, draw_apart, value_part
from lmcourse.hints.question import Mistake

LN2, LN10 = math.log(2), math.log(10)


def underflow(rng) -> Part:
    """01: a probability that no float can hold, as a power of ten."""

    def draw(rng):
        return int(rng.integers(40, 400)) * 100, round(rng.uniform(4.5, 9.5), 2)

    def right(tokens, bits):
        return -tokens * bits * LN2 / LN10

    mistakes = (
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
    )
    tokens, bits = draw_apart(rng, draw, right, mistakes)
    return value_part(
        "underflow",
        title="a probability as a power of ten",
        chapters="01",
        minutes=4,
        points=2,
        right=right,
        case=(tokens, bits),
        mistakes=mistakes,
        given=f"tokens, bits_per_token = {tokens}, {bits}",
        text=f"""
A model spends {bits} bits per token on a text of {tokens} tokens. The probability that it gives to the
whole text is $10^x$, which underflows to 0 in every float.

Set `underflow` to $x$.
""",
        task="the exponent x of 10",
        solution="underflow = -tokens * bits_per_token * np.log10(2)",
    )


def divergence(rng) -> Part:
    """03: the divergence of two geometric distributions, in a unit and a direction that are drawn."""
    bits, forward = bool(rng.random() < 0.5), bool(rng.random() < 0.5)
    copies, first = int(rng.integers(2, 9)), int(rng.integers(0, 2))
    unit = LN2 if bits else 1.0
    power = "{k - 1}" if first else "k"
    counted = "up to and including" if first else "before"
    names = ("a", "b") if forward else ("b", "a")

    def one(p, q):
        return math.log(p / q) + (1 - p) / p * math.log((1 - p) / (1 - q))

    def right(a, b):
        return copies * (one(a, b) if forward else one(b, a)) / unit

    def other_unit(a, b):
        return right(a, b) * (unit if bits else 1 / LN2)

    mistakes = (
        Mistake(
            "M50",
            lambda a, b: copies * (one(b, a) if forward else one(a, b)) / unit,
            "Your divergence runs the other way. What stands first draws the symbols.",
        ),
        Mistake(
            "L3",
            other_unit,
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
    p, q = names
    return value_part(
        "divergence",
        title="two waiting times",
        chapters="03",
        minutes=9,
        points=4,
        kind="derive",
        right=right,
        case=(0.62, 0.31),
        symbols=("a", "b"),
        mistakes=mistakes,
        advice="Take the expectation of the logarithm of the ratio, and put numbers in: it is 0 where a = b,"
        " and positive elsewhere.",
        given='a, b = sp.symbols("a b", positive=True)',
        text=rf"""
In each of a series of independent trials, a symbol comes with probability $a$. $X_a$ is the number of trials
{counted} the first one in which it comes: $P(X_a = k) = a (1 - a)^{power}$ for
$k = {first}, {first + 1}, \dots$, and $X_b$ likewise with $b$. Both parameters lie between 0 and 1. Let
$P_a$ be the distribution of **{copies} independent draws** of $X_a$, and $P_b$ that of {copies} of $X_b$.

Set `divergence` to $D(P_{p} \,\|\, P_{q})$ in **{"bits" if bits else "nats"}**: an expression in the
symbols `a` and `b`, without a sum left in it.
""",
        task=f"the divergence of P_{p} from P_{q} in {'bits' if bits else 'nats'}, in a and b",
        solution=f"""
one = sp.log({p} / {q}) + (1 - {p}) / {p} * sp.log((1 - {p}) / (1 - {q}))  # E[k] enters
divergence = {copies} * one{" / sp.log(2)" if bits else ""}
""",
    )


def pooled(rng) -> Part:
    """04: with and without the ends of sentences."""

    def draw(rng):
        words = int(rng.integers(1500, 5000))
        sentences = int(words / rng.uniform(12, 24))
        return words, sentences, round(rng.uniform(60, 260), 1), round(rng.uniform(1.1, 2.6), 2)

    def right(words, sentences, ppl, end):
        total = words * math.log(ppl) + sentences * end * LN2
        return math.exp(total / (words + sentences))

    mistakes = (
        Mistake(
            "M25",
            lambda w, s, ppl, end: math.exp((w * math.log(ppl) + s * end * LN2) / w),
            "The ends are in your total, and not in your count.",
        ),
        Mistake(
            "L27",
            lambda w, s, ppl, end: math.exp(w * math.log(ppl) / (w + s)),
            "The ends are in your count, and their bits are not in the total.",
        ),
        Mistake(
            "M2",
            lambda w, s, ppl, end: math.exp((w * math.log(ppl) + s * end) / (w + s)),
            "You add bits to nats. A bit is ln 2 nats.",
        ),
        Mistake(
            "M8",
            lambda w, s, ppl, end: (w * ppl + s * 2**end) / (w + s),
            "You average perplexities. Average surprisals, and exponentiate last.",
        ),
    )
    words, sentences, ppl, end = draw_apart(rng, draw, right, mistakes)
    return value_part(
        "pooled",
        title="and where the sentences end",
        chapters="04",
        minutes=6,
        points=3,
        right=right,
        case=(words, sentences, ppl, end),
        mistakes=mistakes,
        given=f"words, sentences, perplexity, bits_per_end = {words}, {sentences}, {ppl}, {end}",
        text=f"""
A tool leaves the ends of sentences out: over the {words} words of a text it reports a perplexity of
{ppl}. The same model spends, on average, {end} bits on each sentence end, and the text has {sentences}
sentences.

Set `pooled` to the model's perplexity with the ends scored and counted.
""",
        task="the perplexity with the ends of sentences",
        solution="""
nats = words * np.log(perplexity) + sentences * bits_per_end * np.log(2)
pooled = np.exp(nats / (words + sentences))
""",
    )


def converted(rng) -> Part:
    """05: Chinese, where bytes are not characters, and a token may be either."""

    def draw(rng):
        chars = int(rng.integers(2000, 9000))
        tokens = int(chars * rng.uniform(0.55, 0.8))
        return chars, int(chars * rng.uniform(2.75, 2.95)), tokens, round(rng.uniform(1.05, 1.9), 3)

    def right(chars, octets, tokens, bits):
        total = octets * bits
        return {"bits per character": total / chars, "perplexity per token": 2 ** (total / tokens)}

    mistakes = (
        Mistake(
            "M38",
            lambda c, o, t, bits: {"bits per character": bits, "perplexity per token": 2 ** (c * bits / t)},
            "You take bytes for characters. A Chinese character has three bytes in UTF-8.",
        ),
        Mistake(
            "L34",
            lambda c, o, t, bits: {
                "bits per character": bits * c / o,
                "perplexity per token": 2 ** (bits * t / o),
            },
            "Your ratios are upside down: a character has more bytes than one, and costs more bits.",
        ),
        Mistake(
            "M1",
            lambda c, o, t, bits: right(c, o, t, bits) | {"perplexity per token": math.exp(o * bits / t)},
            "You raise e to a number of bits. The base of the loss is the base of the power.",
        ),
        Mistake(
            "M35",
            lambda c, o, t, bits: right(c, o, t, bits) | {"perplexity per token": 2**bits * o / t},
            "You multiply the perplexity by bytes per token. The ratio belongs in the exponent.",
        ),
    )
    chars, octets, tokens, bits = draw_apart(rng, draw, right, mistakes)
    return value_part(
        "converted",
        title="a Chinese text, in bytes",
        chapters="05",
        minutes=6,
        points=4,
        parts=(2, 2),
        right=right,
        case=(chars, octets, tokens, bits),
        mistakes=mistakes,
        given=f"characters, octets, tokens, bits_per_byte = {chars}, {octets}, {tokens}, {bits}",
        text=f"""
A model spends {bits} bits per byte on a Chinese text of {chars} characters, {octets} bytes in UTF-8,
which its tokenizer cuts into {tokens} tokens.

Set `converted` to a dictionary with the keys `"bits per character"` and `"perplexity per token"`.
""",
        task="bits per character, and the perplexity per token",
        solution="""
bits = octets * bits_per_byte
converted = {"bits per character": bits / characters, "perplexity per token": 2 ** (bits / tokens)}
""",
    )
