"""What other packages of the library use of this one. Users need none of it, and it may change."""

from typing import Any

from lmmetrics.text._blocks import tokenize_blocks
from lmmetrics.text._documents import counts_of, listed
from lmmetrics.text._tokenized import TokenizedText
from lmmetrics.text._tokenizers import By, Sentences
from lmmetrics.text._vocabulary import BOS, EOS, UNK

__all__ = [
    "BOS",
    "EOS",
    "UNK",
    "By",
    "Sentences",
    "check_listed",
    "check_text",
    "counts_of",
    "listed",
    "tokenize_blocks",
]


def check_text(name: str, text: Any, vocabulary: object = None) -> None:
    """Raise unless an argument is a `TokenizedText`, with the vocabulary of a model if one is given."""
    if not isinstance(text, TokenizedText):
        raise TypeError(
            f"{name} is {type(text).__name__}; a TokenizedText is expected: tokenize(documents), with "
            "vocabulary=model.vocabulary if a model is to read it."
        )
    if vocabulary is not None and text.vocabulary is not vocabulary and text.vocabulary != vocabulary:
        if not (text.vocabulary.lists_tokens and getattr(vocabulary, "lists_tokens", True)):
            raise ValueError(
                f"{name} has the tokens of another model ({text.vocabulary}) than this one ({vocabulary}). "
                "Give each model its own text, model.tokenize(documents) for an adapter; compare_scores "
                "compares the scores of two models per byte."
            )
        raise ValueError(
            f"{name} has another vocabulary ({text.vocabulary}) than the model ({vocabulary}), so its ids "
            "mean other tokens. Tokenise it with the model's: tokenize(documents, "
            "vocabulary=model.vocabulary)."
        )


def check_listed(name: str, text: Any) -> None:
    """Raise unless an argument is a `TokenizedText` that can be counted: its vocabulary lists its tokens."""
    check_text(name, text)
    if not text.vocabulary.lists_tokens:
        raise ValueError(
            f"{name} is in the tokens of an adapter's tokenizer ({text.vocabulary}), which gives no list of "
            "its tokens and has no <s> and </s>. A model that counts tokens needs both: tokenise the same "
            "documents with tokenize(documents), and choose the tokens with by=."
        )
