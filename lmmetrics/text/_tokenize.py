"""`tokenize`: from documents to a `TokenizedText`."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from lmmetrics._errors import AdvisedError
from lmmetrics._types import Ints
from lmmetrics.text._documents import checked_documents
from lmmetrics.text._tokenized import Spelling, TokenizedText
from lmmetrics.text._tokenizers import By, Sentences, choose_scheme
from lmmetrics.text._vocabulary import Vocabulary


def tokenize(
    documents: Iterable[str],
    by: By = "word",
    sentences: Sentences | None = None,
    vocabulary: Vocabulary | None = None,
) -> TokenizedText:
    """Turn documents into the stream of tokens that a model scores.

    Parameters
    ----------
    documents : list of str
        One string for each document. The strings are not normalised: NFC stays NFC and NFD stays NFD.
    by : str, BPETokenizer or callable
        - ``"word"``: a word is a run of letters and digits, including apostrophes (' and ’) and hyphens
          between them (``don't``, ``well-known``); a number includes its inner points and commas (``3.14``);
          every other character that is not blank is a token. A combining accent belongs to the character
          before it.
        - ``"whitespace"``: tokens are separated by the ASCII blanks, as in KenLM and in ARPA files; for text
          that is already tokenised. A no-break space or an ideographic space is a part of its token.
        - ``"char"``: Unicode code points. ``"byte"``: the bytes of UTF-8.
        - a `BPETokenizer` from `train_bpe`.
        - a callable that turns a string into a list of strings: a segmenter for Chinese words.
    sentences : {"line", "document"}, optional
        The unit that `</s>` closes. By line, the newline is not a token: `</s>` takes its place. A final
        newline ends the last line and does not open an empty one; an empty line inside a document is a
        sentence that consists of `</s>` alone; a last line without a newline is a sentence if it contains a
        token. So an empty document has no sentence by line, and one sentence (`</s>` alone) by document. The
        default is "line" for words and segmenters, and "document" for characters, bytes and BPE, for which
        the newline is a token. Only "\\n" ends a line: if a line ends in "\\r\\n", the "\\r" is a character
        of that line.
    vocabulary : Vocabulary, optional
        The vocabulary of a training text. Tokens that are not in it become `<unk>`, or the id -1 if it has no
        `<unk>`; `TokenizedText.unknown` counts them. By default the vocabulary is built from this text, in
        order of first appearance.

    Returns
    -------
    TokenizedText

    Raises
    ------
    TypeError
        If `documents` is not a list of strings.
    ValueError
        If a document contains half of a surrogate pair, or a token `<s>` or `</s>` of its own; or if Chinese
        text is tokenised by word without a segmenter.

    Examples
    --------
    >>> train = tokenize(["the cat sleeps"])
    >>> test = tokenize(["the dog sleeps"], vocabulary=train.vocabulary)
    >>> test.strings(), test.unknown
    (['the', '<unk>', 'sleeps', '</s>'], 1)
    >>> tokenize(["貓睡"], by="byte").bytes
    6
    """
    documents = checked_documents(documents)
    scheme = choose_scheme(by, sentences, vocabulary, documents)
    streams: list[Ints] = [np.zeros(0, dtype=np.int32)]
    missed, terminated = [0], []
    for i, document in enumerate(documents):
        try:
            ids = scheme.encode(document)
        except AdvisedError as error:
            raise error.moved(i) from None
        ended = len(ids) > 0 and ids[-1] == scheme.eos
        if not ended and (len(ids) > 0 or not scheme.by_line):
            ids = np.append(ids, np.int32(scheme.eos))
        streams.append(ids)
        missed.append(scheme.unknown())
        terminated.append(ended)
    ids, vocabulary = np.concatenate(streams), scheme.vocabulary
    starts = np.cumsum([len(stream) for stream in streams])
    words, chars, octets = scheme.counts(documents, ids, starts, missed)
    counts = {
        "tokens": np.diff(starts),
        "words": words,
        "chars": chars,
        "bytes": octets,
        "unknown": np.diff(missed),
    }
    return TokenizedText(
        ids=ids,
        vocabulary=vocabulary,
        sentence_starts=np.append(0, np.flatnonzero(ids == vocabulary.eos) + 1),
        document_starts=starts,
        document_counts={k: None if v is None else np.array(v, dtype=np.int64) for k, v in counts.items()},
        terminated=np.array(terminated, dtype=bool),
        spelling=Spelling(scheme.pieces(vocabulary), scheme.separator, scheme.label, scheme.sentences),
    )
