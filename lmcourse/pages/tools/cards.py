"""The parts of the page ``book/tools.md``: tokens with their price, and a protocol card for each number.

A tool's convention is a function in `conventions`. It returns a `Report`, which keeps the tokens that were
scored; the card is computed from them, so that it says what was done.
"""

from __future__ import annotations

import html
import math
from dataclasses import dataclass, field
from typing import NamedTuple

from lmmetrics.text import tokenize

BOS, END = "<s>", "</s>"


class Token(NamedTuple):
    """A word or the end of a line, what it cost in nats, and whether the vocabulary has it."""

    word: str
    nats: float
    known: bool = True


@dataclass(frozen=True)
class Report:
    """The number that a tool prints, with what it scored and what it divided by.

    Parameters
    ----------
    tool : str
        Its name, and which of its numbers this is.
    value : float
        The number.
    scored : list of Token
        The scored set S, each token as often as it was scored.
    divisor : int
        How many units the total was divided by; for an average, how many terms it has.
    unit : str
        What the divisor counts, in the plural.
    past, base, together : str
        What came before a token when it was scored; the logarithm; how the parts became one number.

    Examples
    --------
    >>> Report("a tool", 2.0, [Token("the", math.log(2)), Token("</s>", math.log(2))], 2, "tokens").set_s
    '1 word (0 unknown), 1 </s>: 1.3863 nats'
    """

    tool: str
    value: float
    scored: list[Token] = field(repr=False)
    divisor: int
    unit: str
    past: str = "the line"
    base: str = "e"
    together: str = "one total"

    @property
    def nats(self):
        """The nats of everything that was scored."""
        return math.fsum(token.nats for token in self.scored)

    @property
    def set_s(self):
        """What was scored, counted: the first line of the card."""
        ends = sum(token.word == END for token in self.scored)
        unknown = sum(not token.known for token in self.scored)
        words = len(self.scored) - ends
        plural = "" if words == 1 else "s"
        return f"{words} word{plural} ({unknown} unknown), {ends} {END}: {self.nats:.4f} nats"

    def rows(self):
        """The lines of the card: pairs of a name and its value."""
        return [
            ("scored set S", self.set_s),
            ("unit U", f"{self.divisor} {self.unit}"),
            ("past", self.past),
            ("logarithm", f"base {self.base}"),
            ("put together", self.together),
            ("prints", f"{self.value:.4f}"),
        ]

    def _repr_html_(self):
        cell = 'style="text-align: left; padding: 0.1em 0.5em"'
        body = "".join(
            f'<tr><th scope="row" {cell}>{name}</th><td {cell}>{html.escape(words)}</td></tr>'
            for name, words in self.rows()
        )
        caption = f"<caption>{html.escape(self.tool)}</caption>"
        return f'<table class="protocol-card" style="font-size: 0.9em">{caption}<tbody>{body}</tbody></table>'


def priced(model, lines):
    """Give each token of each line its price: a list of lists of `Token`, ``</s>`` last.

    Examples
    --------
    >>> from lmmetrics.ngram import NGramModel, WittenBell
    >>> model = NGramModel(2, WittenBell()).fit(tokenize(["the cat sleeps\\nthe dog sleeps\\n"]))
    >>> [[token.word for token in line] for line in priced(model, ["the cat", "a dog"])]
    [['the', 'cat', '</s>'], ['a', 'dog', '</s>']]
    >>> [token.known for token in priced(model, ["a dog"])[0]]
    [False, True, True]
    """
    priced_lines = []
    for line in lines:
        log_probs = model.log_probs(tokenize([line], vocabulary=model.vocabulary))
        words = tokenize([line]).strings()  # unknown words keep their spelling
        known = (word in model.vocabulary for word in words)
        priced_lines.append([Token(*row) for row in zip(words, (-log_probs).tolist(), known, strict=True)])
    return priced_lines


def price_after(model, past, word):
    """Nats of a word after the tokens that a window shows. After a ``</s>`` a new line begins.

    Examples
    --------
    >>> from lmmetrics.ngram import AddK, NGramModel
    >>> model = NGramModel(2, AddK(k=1)).fit(tokenize(["the cat"]))
    >>> price_after(model, ["cat", "</s>"], "the") == price_after(model, ["<s>"], "the")
    True
    """
    probability = model.prob(word, past)
    return -math.log(probability) if probability > 0 else math.inf


def in_pieces(page):
    """A page, a list of lines, as some test sets store it: a blank before each piece, a newline a line.

    Examples
    --------
    >>> in_pieces(["A cat, asleep.", "Hush!"])
    ' A cat , asleep . \\n Hush ! \\n'
    """
    return "".join(" " + " ".join(tokenize([line]).strings()[:-1]) + " \n" for line in page)
