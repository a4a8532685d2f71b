"""Test sets whose counts are known, for the converter and the clinic.

The library counts the embedded tales when the book is built. The counts of other texts are written here once,
with their source; a test repeats those of the texts that the library can download. Left out: test sets for
which only rounded counts are published.
"""

from __future__ import annotations

import dataclasses
import functools
from dataclasses import dataclass
from typing import Literal

from lmmetrics import corpora
from lmmetrics.text import tokenize

__all__ = ["PUBLISHED", "KnownText", "embedded", "known_texts"]

MAHONEY = "http://mattmahoney.net/dc/textdata.html"


@dataclass(frozen=True)
class KnownText:
    """The counts of one scored text; None for a unit whose number is not known.

    Attributes
    ----------
    name : str
        Short, for addresses of pages.
    title : str
        For readers.
    tokens, words, chars, bytes : int or None
        ``tokens`` is given where the test set itself says what a token is; it contains sentence ends.
    ends, unknown, vocabulary : int or None
        Sentence ends among the tokens, unknown words among the tokens, and symbols of the vocabulary.
    note : str
        What was counted, in a sentence or two.
    source : str
        Where the counts come from.
    link : str
        An address for the source; empty if there is none.
    """

    name: str
    title: str
    note: str
    source: str
    link: str = ""
    tokens: int | None = None
    words: int | None = None
    chars: int | None = None
    bytes: int | None = None
    ends: int | None = None
    unknown: int | None = None
    vocabulary: int | None = None


PUBLISHED = (
    KnownText(
        name="ptb-test",
        title="Penn Treebank, test (Mikolov's version)",
        tokens=82_430,
        words=78_669,
        chars=442_423,
        ends=3_761,
        unknown=4_794,
        vocabulary=10_000,
        note="78 669 words and 3 761 line ends, each scored. One separator follows each word of a line.",
        source="counted in the distributed file; lines that use it are in chapter 05",
    ),
    KnownText(
        name="ptb-valid",
        title="Penn Treebank, valid (Mikolov's version)",
        tokens=73_760,
        words=70_390,
        ends=3_370,
        vocabulary=10_000,
        note="70 390 words and 3 370 line ends, each scored.",
        source="counted in the distributed file",
    ),
    KnownText(
        name="wikitext-2-test",
        title="WikiText-2, test",
        tokens=245_569,
        words=241_211,
        chars=1_247_769,
        bytes=1_249_200,
        ends=4_358,
        unknown=15_218,
        note="What stands between blanks, and one end for each line, empty lines included. Characters and "
        "bytes are those of the tokens with one separator each; the file has further blanks.",
        source="lmmetrics.text.tokenize, by whitespace, and a test that repeats it",
    ),
    KnownText(
        name="wikitext-2-valid",
        title="WikiText-2, valid",
        tokens=217_646,
        words=213_886,
        chars=1_113_971,
        bytes=1_115_460,
        ends=3_760,
        note="Counted like the test part.",
        source="lmmetrics.text.tokenize, by whitespace, and a test that repeats it",
    ),
    KnownText(
        name="harness-wikitext-2",
        title="WikiText-2 raw, test, as lm-evaluation-harness counts",
        words=241_335,
        bytes=1_290_527,
        note="The stored pages, split at white space, with an empty word at both ends of each of the 62 "
        "pages; the detokenised pages are scored. With these counts 8.7922 per word is 0.5865 bits per byte.",
        source="two perplexities printed with all their digits; their logarithms' ratio is 1290527 / 241335",
        link="https://github.com/EleutherAI/lm-evaluation-harness/issues/806",
    ),
    KnownText(
        name="llama-cpp-wikitext-2",
        title="WikiText-2 raw, test, as llama.cpp counts LLaMA's tokens",
        tokens=335_360,
        bytes=1_290_590,
        note="655 whole chunks of 512 tokens, with the tokenizer of LLaMA and Llama 2, and the bytes of "
        "wiki.test.raw. The tokens after the last chunk are not counted, so bits per byte are up to 0.16 per "
        "cent too low. Only the second half of each chunk is scored, and is taken for a sample of the whole.",
        source="the number of chunks that llama.cpp prints",
        link="https://github.com/ggml-org/llama.cpp/pull/270",
    ),
    KnownText(
        name="one-billion-words",
        title="One Billion Words, part 0 of 50 of the held-out text",
        tokens=159_658,
        chars=826_189,
        vocabulary=793_471,
        note="Words and line ends, and characters with one for each line end. Sentences are shuffled. What "
        "is outside the vocabulary is UNK. The source prints both counts.",
        source="tensor2tensor, lm1b.py",
        link="https://github.com/tensorflow/tensor2tensor/blob/2b3b57a76772e5c743b4bb4dab2c1a23e60f43e2/"
        "tensor2tensor/data_generators/lm1b.py",
    ),
    KnownText(
        name="enwik8",
        title="enwik8, the whole file (compressors)",
        bytes=100_000_000,
        note="The first 10^8 bytes of a dump of Wikipedia. What is called bits per character here is bits "
        "per byte.",
        source="Mahoney, About the Test Data",
        link=MAHONEY,
    ),
    KnownText(
        name="enwik8-test",
        title="enwik8, the last 5 million bytes (models)",
        bytes=5_000_000,
        note="The customary test part, the last twentieth. Compressors report on the whole file.",
        source="Mahoney, About the Test Data, and the customary split 90 : 5 : 5",
        link=MAHONEY,
    ),
    KnownText(
        name="text8",
        title="text8, the whole file",
        chars=100_000_000,
        bytes=100_000_000,
        note="Letters a to z and single blanks, so a character is a byte.",
        source="Mahoney, About the Test Data",
        link=MAHONEY,
    ),
    KnownText(
        name="text8-test",
        title="text8, the last 5 million characters (models)",
        chars=5_000_000,
        bytes=5_000_000,
        note="The customary test part: the last twentieth. A character is a byte.",
        source="Mahoney, About the Test Data, and the customary split 90 : 5 : 5",
        link=MAHONEY,
    ),
)


@functools.cache
def embedded() -> tuple[KnownText, ...]:
    """Return the test parts of the embedded tales, counted now, by the library.

    Examples
    --------
    >>> tale = embedded()[0]
    >>> tale.name, tale.tokens > tale.words
    ('tales-en-words', True)
    """
    return (
        _counted("tales-en", "words", "word", "words and punctuation marks, and an end for each line"),
        _counted("tales-en", "chars", "char", "characters, and an end for each tale"),
        _counted("tales-zh", "chars", "char", "characters, and an end for each tale; words are not counted"),
    )


def known_texts() -> list[dict]:
    """Return all known texts as dictionaries: what the pages get as JSON."""
    return [dataclasses.asdict(text) for text in (*PUBLISHED, *embedded())]


def _counted(name: str, suffix: str, by: Literal["word", "char"], what: str) -> KnownText:
    text = tokenize(corpora.load(name).test, by=by)
    language = {"tales-en": "English", "tales-zh": "Chinese"}[name]
    return KnownText(
        name=f"{name}-{suffix}",
        title=f"The {language} tales, test, by {by}",
        tokens=len(text),
        words=text.words,
        chars=text.chars,
        bytes=text.bytes,
        ends=int(text.is_eos.sum()),
        note=f"Tokens are {what}. Words are what stands between blanks."
        if text.words
        else f"Tokens are {what}.",
        source="counted by lmmetrics.text.tokenize when this book was built",
    )
