"""Drawing text from a model."""

import numpy as np

from lmmetrics._documents import is_written_without_blanks
from lmmetrics.text import TokenizedText


def draw(tables, n, rng, context):
    """Draw the ids of n tokens: int32[n]. Each needs one row of probabilities, so time grows with n V."""
    if isinstance(n, bool) or not isinstance(n, int | np.integer) or n < 0:
        raise ValueError(f"n is {n!r}; the number of tokens to draw is expected, a whole number from 0 up")
    bos, eos = tables.vocabulary.bos, tables.vocabulary.eos
    ids, past = np.empty(n, dtype=np.int32), context
    for i in range(n):
        cumulative = np.cumsum(tables.row(past))
        # The last sum is 1 up to rounding; a draw below it never finds a word of probability 0.
        ids[i] = np.searchsorted(cumulative, rng.random() * cumulative[-1], side="right")
        past = [bos] if ids[i] == eos else [*past, int(ids[i])][-tables.order :]
    return ids


def text_of(ids, vocabulary, pieces, separator):
    """Return ids as a text of one document, counted as it would be written.

    Parameters
    ----------
    ids : int32[N]
    vocabulary : Vocabulary
    pieces : sequence of str or bytes
        What each id adds to the written text.
    separator : str or bytes
        What stands between two tokens of a sentence.

    Examples
    --------
    >>> from lmmetrics.text import Vocabulary
    >>> vocabulary = Vocabulary(["the", "cat"])
    >>> text = text_of(np.array([3, 4, 2, 3]), vocabulary, vocabulary.tokens, " ")
    >>> text.strings(), text.words, text.chars
    (['the', 'cat', '</s>', 'the'], 3, 11)
    """
    ends = np.flatnonzero(ids == vocabulary.eos)
    sentences = [
        separator.join(pieces[id] for id in part if id != vocabulary.eos) for part in np.split(ids, ends + 1)
    ]
    closed = len(ids) > 0 and ids[-1] == vocabulary.eos
    written = ("\n" if isinstance(separator, str) else b"\n").join(sentences)
    characters = written if isinstance(written, str) else written.decode("utf-8", errors="replace")
    words = None if is_written_without_blanks([characters]) else len(characters.split())
    counts = {
        "tokens": len(ids),
        "words": words,
        "chars": len(characters),
        "bytes": len(written.encode("utf-8") if isinstance(written, str) else written),
        "unknown": 0,
    }
    starts = np.append(0, ends + 1)
    return TokenizedText(
        ids=ids,
        vocabulary=vocabulary,
        sentence_starts=starts if closed or len(ids) == 0 else np.append(starts, len(ids)),
        document_starts=np.array([0, len(ids)]),
        document_counts={k: None if v is None else np.array([v]) for k, v in counts.items()},
        _terminated=np.array([closed]),
        _pieces=np.array(pieces, dtype=object),
        _separator=separator,
        _label="model",
    )
