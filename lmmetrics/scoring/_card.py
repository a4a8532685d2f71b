"""`ProtocolCard`: what has to stand beside a perplexity so that somebody else can get it."""

from __future__ import annotations

import hashlib
import platform
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from lmmetrics._version import __version__
from lmmetrics.scoring._models import LanguageModel, Unknown, score_text
from lmmetrics.scoring._text_score import TextScore
from lmmetrics.text import TokenizedText

PACKAGES = "numpy", "scipy", "torch", "transformers"


@dataclass(frozen=True, repr=False)
class ProtocolCard:
    """A score and how it was measured. `protocol_card` fills it.

    Attributes
    ----------
    score : TextScore
    lines : mapping of str to str
        The questions that a reader asks, with the answers: model, text, scored, tokens, past, unknown,
        versions, and whatever the caller adds.

    Notes
    -----
    ``str(card)`` is the card and the table of the score; ``card.to_dict()`` can be written as JSON.
    """

    score: TextScore
    lines: Mapping[str, str]

    def __str__(self) -> str:
        width = max(map(len, self.lines))
        lines = [f"{name:<{width}}  {said}" for name, said in self.lines.items()]
        return "\n".join([*lines, "", str(self.score)])

    __repr__ = __str__

    def to_dict(self) -> dict[str, Any]:
        """Return the lines and the numbers of the score."""
        return {"protocol": dict(self.lines), "score": self.score.to_dict()}


def protocol_card(
    model: LanguageModel,
    text: TokenizedText,
    *,
    eos: bool = True,
    unknown: Unknown = "score",
    **notes: str,
) -> ProtocolCard:
    """Score a text, and say how.

    Parameters
    ----------
    model, text, eos, unknown
        As in `score_text`, whose errors this function raises.
    **notes : str
        Further lines of the card: what only you know, such as ``chosen_on="valid"``.

    Returns
    -------
    ProtocolCard

    Examples
    --------
    >>> from lmmetrics.ngram import NGramModel, WittenBell
    >>> from lmmetrics.text import tokenize
    >>> train = tokenize(["the cat sleeps\\nthe dog eats\\n"])
    >>> model = NGramModel(2, WittenBell()).fit(train)
    >>> card = protocol_card(model, train, chosen_on="nothing was chosen")
    >>> for name in "text", "scored", "past", "unknown", "chosen on":
    ...     print(f"{name}: {card.lines[name]}")
    text: 1 document, SHA-256 d44b0e50e20d885d...
    scored: every token, </s> after each line included
    past: the token before it in the same sentence
    unknown: 0 tokens outside the vocabulary, scored as <unk>
    chosen on: nothing was chosen
    """
    score = score_text(model, text, eos=eos, unknown=unknown)
    return ProtocolCard(score, protocol_lines(model, text, score, eos=eos, unknown=unknown, **notes))


def protocol_lines(
    model: LanguageModel,
    text: TokenizedText,
    score: TextScore,
    *,
    eos: bool = True,
    unknown: Unknown = "score",
    **notes: str,
) -> dict[str, str]:
    """Return the lines of a card for a text that is scored already."""
    said = getattr(model, "protocol", {})
    documents = text.decode()
    digest = hashlib.sha256("\0".join(documents).encode("utf-8", "replace")).hexdigest()
    many = len(documents)
    ends = bool(text.is_eos.any())
    lines = {
        "model": said.get("model", repr(model)),
        "text": f"{many:,} document{'s' * (many != 1)}, SHA-256 {digest[:16]}...",
        "scored": "every token" + (f", </s> {_ends(text) if eos else 'left out'}" if ends else ""),
        "tokens": said.get("tokens", f"by {text.spelling.label}"),
        "vocabulary": said.get("vocabulary", _vocabulary(text)),
        "past": said.get("past", "the model does not say"),
        "unknown": f"{score.unknown:,} tokens outside the vocabulary"
        + _cost(text, unknown)
        + (f"; {score.written:,} more are written <unk> in the text" if score.written else ""),
        "versions": ", ".join(versions()),
    }
    if sums := said.get("sums"):
        lines["sums"] = f"{sums}: a perplexity of this model means nothing"
    return lines | {name.replace("_", " "): str(note) for name, note in notes.items()}


def _ends(text: TokenizedText) -> str:
    after = text.spelling.sentences
    return f"after each {after} included" if after else "included"


def _vocabulary(text: TokenizedText) -> str:
    return f"{len(text.vocabulary):,} tokens" if len(text.vocabulary) else "that of the tokenizer"


def _cost(text: TokenizedText, unknown: Unknown) -> str:
    if text.vocabulary.unk is None:
        return ""
    return ", scored as <unk>" if unknown == "score" else ", of which each is infinite"


def versions() -> list[str]:
    """Return the versions of the library, Python and the packages that a score depends on."""
    found = [f"lmmetrics {__version__}", f"Python {platform.python_version()}"]
    for package in PACKAGES:
        try:
            found.append(f"{package} {version(package)}")
        except PackageNotFoundError:
            continue
    return found
