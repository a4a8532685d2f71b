"""Chapter 05, published lines: three numbers of a harness from one, and a card for a line of 2017."""

from functools import partial

import numpy as np

from lmcourse.hints.question import Mistake, Property, Question
from lmcourse.questions.shared.wrong import but

# --- harness ---------------------------------------------------------------------------------------------


def _root(word, byte, other, ratio):
    return other ** (1 / ratio)


def _bytes_per_word(word, byte):
    return np.log(word) / np.log(byte)


def carry_over(word, byte, other, ratio=_bytes_per_word, line=_root, log=np.log2):
    """Bytes per word from one model's two perplexities; the other model's line per byte from it."""
    per_word = ratio(word, byte)
    per_byte = line(word, byte, other, per_word)
    return {"bytes per word": per_word, "byte perplexity": per_byte, "bits per byte": log(per_byte)}


def _draw_models(rng):
    bytes_per_word = rng.uniform(4.5, 8.0)
    word, other = rng.uniform(8, 30), rng.uniform(30, 90)
    return float(f"{word:.6g}"), float(f"{word ** (1 / bytes_per_word):.6g}"), float(f"{other:.6g}")


HARNESS = Question(
    key="05.harness",
    title="three published numbers from one",
    kind="reproduce",
    stars=2,
    points=3,
    right=carry_over,
    cases=((8.792073612124492, 1.5015845643537054, 37.3698), (8.792073612124492, 1.5015845643537054, 9.8183)),
    draw=_draw_models,
    entry_points={"bytes per word": 1, "byte perplexity": 1, "bits per byte": 1},
    mistakes=(
        Mistake(
            "L9",
            partial(carry_over, ratio=lambda word, byte: word / byte),
            "You divide the perplexities. The number of bytes in a word is the ratio of their logarithms.",
        ),
        Mistake(
            "L7",
            partial(carry_over, ratio=lambda word, byte: np.log(byte) / np.log(word)),
            "Your 'bytes per word' is upside down: no word takes less than one byte.",
            explains="answer",
        ),
        Mistake(
            "L7",
            but(carry_over, {"bytes per word": lambda word, byte, other: 1 / _bytes_per_word(word, byte)}),
            "Your 'bytes per word' is upside down: no word takes less than one byte.",
        ),
        Mistake(
            "M35",
            partial(carry_over, line=lambda word, byte, other, ratio: other / ratio),
            "You divide the perplexity per word by the number of bytes per word. The ratio belongs in the "
            "exponent: take a root.",
        ),
        Mistake(
            "L9",
            partial(carry_over, line=lambda word, byte, other, ratio: byte * other / word),
            "You scale the byte perplexity in proportion to the word perplexity. It is their logarithms that "
            "are in proportion.",
        ),
        Mistake(
            "L3",
            partial(carry_over, line=lambda word, byte, other, ratio: other**ratio),
            "Your exponent is upside down: a byte is easier to predict than a word.",
        ),
        Mistake(
            "M36",
            partial(carry_over, line=lambda word, byte, other, ratio: other),
            "Your 'byte perplexity' is the perplexity per *word*, and your 'bits per byte' follow from it. "
            "Use the number of bytes per word.",
            explains="answer",
        ),
        Mistake(
            "M36",
            but(carry_over, {"bits per byte": lambda word, byte, other: np.log2(other)}),
            "Your 'bits per byte' are bits per *word*. Take them from the byte perplexity.",
        ),
        Mistake(
            "M4",
            but(carry_over, {"bits per byte": lambda *case: carry_over(*case)["byte perplexity"]}),
            "Your 'bits per byte' are the byte perplexity. Take its logarithm to base 2.",
        ),
        Mistake(
            "L8",
            but(carry_over, {"byte perplexity": lambda word, byte, other: byte}),
            "Your 'byte perplexity' is that of the first model. The task asks for the other one.",
        ),
        Mistake(
            "M1",
            partial(carry_over, log=np.log),
            "Your 'bits per byte' are {ratio} = ln 2 times the right ones: ln gives nats.",
        ),
    ),
    properties=(
        Property(
            "'byte perplexity' is not 2 to the power of 'bits per byte'",
            lambda line, *case: abs(2 ** line["bits per byte"] - line["byte perplexity"]) < 1e-6,
        ),
    ),
    advice="Both numbers of the first model share one total, so their logarithms give the number of bytes "
    "per word. The second model is scored on the same words and bytes.",
)


# --- card ------------------------------------------------------------------------------------------------

REPORTED = 57.3
WORDS, LINES, CHARS = 78_669, 3_761, 442_423


def treebank_card(scored=WORDS + LINES, chars=CHARS, **given):
    """The protocol of the line, and what follows from it and the counts."""
    bits = scored * np.log2(REPORTED)
    card = {
        "unit": "token",
        "</s>": "scored",
        "unknown words": "one symbol",
        "tokens": scored,
        "bits per char": bits / chars,
        "perplexity per word": 2 ** (bits / WORDS),
        "against raw text": "no",
    }
    return card | {key.replace("_", " "): value for key, value in given.items()}


CARD = Question(
    key="05.card",
    title="a protocol card for a published line",
    kind="protocol",
    stars=1,
    points=2,
    form="value",
    right=treebank_card,
    cases=((),),
    mistakes=(
        Mistake(
            "M25",
            lambda: treebank_card(scored=WORDS) | {"</s>": "not scored"},
            "You treat </s> as not scored. The model predicts each line end, so each </s> is in the total "
            "and in the count.",
        ),
        Mistake(
            "M25",
            partial(treebank_card, scored=WORDS),
            "You leave the line ends out of the count, although each </s> is predicted and scored.",
        ),
        Mistake(
            "M25",
            partial(treebank_card, perplexity_per_word=REPORTED, unit="word"),
            "You treat the reported number as if it were per word. It is per token, and the line ends are "
            "tokens: per word, the same total is divided by fewer units.",
        ),
        Mistake(
            "M25",
            partial(treebank_card, perplexity_per_word=REPORTED),
            "Your 'perplexity per word' is the reported number, which is per token, and the line ends are "
            "tokens. Per word, the same total is divided by fewer units.",
        ),
        Mistake(
            "M36",
            lambda: treebank_card(bits_per_char=(WORDS + LINES) * np.log2(REPORTED) / WORDS),
            "Your 'bits per char' are bits per *word*. Divide the total by the number of characters.",
        ),
        Mistake(
            "M36",
            lambda: treebank_card(bits_per_char=np.log2(REPORTED)),
            "Your 'bits per char' are bits per token. They are too large by a factor of {ratio}, the number "
            "of characters per token.",
        ),
        Mistake(
            "M37",
            lambda: treebank_card(bits_per_char=np.log2(REPORTED) / 5),
            "Your 'bits per char' assume five characters a word. Nobody has to guess: the characters are "
            "counted.",
        ),
        Mistake(
            "M37",
            lambda: treebank_card(chars=CHARS - WORDS),
            "Your 'bits per char' leave the separators out of the count. They are characters of the file.",
        ),
        Mistake(
            "M35",
            lambda: treebank_card(perplexity_per_word=REPORTED * (WORDS + LINES) / WORDS),
            "Your 'perplexity per word' multiplies by the number of tokens per word. The ratio belongs in "
            "the exponent.",
        ),
        Mistake(
            "L3",
            lambda: treebank_card(perplexity_per_word=REPORTED ** (WORDS / (WORDS + LINES))),
            "The exponent of your 'perplexity per word' is upside down: there are fewer words than tokens.",
        ),
        Mistake(
            "M1",
            lambda: treebank_card(bits_per_char=(WORDS + LINES) * np.log(REPORTED) / CHARS),
            "Your 'bits per char' are {ratio} = ln 2 times the right ones: ln gives nats.",
        ),
        Mistake(
            "M28",
            partial(treebank_card, unknown_words="left out"),
            "<unk> is in the file and in the vocabulary. It is predicted and scored like any other word.",
        ),
        Mistake(
            "M29",
            partial(treebank_card, unknown_words="spelled"),
            "<unk> is one symbol of the file. Nothing in the total says which word it stands for.",
        ),
        Mistake(
            "M39",
            partial(treebank_card, against_raw_text="yes"),
            "The newspaper was put in lower case, its numbers became N and its rare words <unk>. That is "
            "not the text that was printed, and what was lost is not in the total.",
        ),
    ),
    properties=(
        Property(
            "'tokens' leaves out the line ends, although each of them is predicted",
            lambda card: card["tokens"] > WORDS,
        ),
    ),
    advice="Score.from_perplexity(57.3, per='token', tokens=..., words=..., chars=...) gives you all the "
    "numbers.",
)

QUESTIONS = (HARNESS, CARD)
