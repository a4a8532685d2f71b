"""Texts that come in blocks, so that the strings of a long one are never all in memory."""

from __future__ import annotations

from array import array
from collections.abc import Iterable

import numpy as np

from lmmetrics._errors import AdvisedError
from lmmetrics._types import Ints
from lmmetrics.text._documents import counts_of
from lmmetrics.text._tokenized import Spelling, TokenizedText
from lmmetrics.text._tokenizers import By, Sentences, choose_scheme
from lmmetrics.text._vocabulary import Vocabulary


def tokenize_blocks(
    documents: Iterable[Iterable[str]],
    by: By = "word",
    sentences: Sentences | None = None,
    vocabulary: Vocabulary | None = None,
) -> TokenizedText:
    """Return the text that `tokenize` makes of documents, each of which comes in blocks of whole lines.

    Words, characters and bytes are not counted. The first block decides whether blanks separate the words.

    Examples
    --------
    >>> text = tokenize_blocks([["the cat\\n", "sleeps\\n"], ["it rains"]])
    >>> text.strings()
    ['the', 'cat', '</s>', 'sleeps', '</s>', 'it', 'rains', '</s>']
    """
    scheme = None
    ids, starts, terminated, missed = array("i"), [0], [], [0]
    for i, document in enumerate(documents):
        lines = 0
        for block in document:
            scheme = scheme or choose_scheme(by, sentences, vocabulary, [block])
            try:
                ids.frombytes(scheme.encode(block).astype(np.int32).tobytes())
            except AdvisedError as error:
                raise error.moved(i, lines) from None
            lines += block.count("\n")
        scheme = scheme or choose_scheme(by, sentences, vocabulary, [])
        ended = len(ids) > starts[-1] and ids[-1] == scheme.eos
        if not ended and (len(ids) > starts[-1] or not scheme.by_line):
            ids.append(scheme.eos)
        starts.append(len(ids))
        terminated.append(ended)
        missed.append(scheme.unknown())
    scheme = scheme or choose_scheme(by, sentences, vocabulary, [])
    found, vocabulary = np.frombuffer(ids, dtype=np.int32), scheme.vocabulary
    sizes = np.diff(starts)
    uncounted: dict[str, Ints | None] = dict.fromkeys(counts_of([]))
    return TokenizedText(
        ids=found,
        vocabulary=vocabulary,
        sentence_starts=np.append(0, np.flatnonzero(found == vocabulary.eos) + 1),
        document_starts=np.array(starts),
        document_counts={"tokens": sizes, **uncounted, "unknown": np.diff(missed)},
        terminated=np.array(terminated, dtype=bool),
        spelling=Spelling(scheme.pieces(vocabulary), scheme.separator, scheme.label, scheme.sentences),
    )
