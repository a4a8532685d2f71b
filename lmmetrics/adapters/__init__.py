"""Score any model on any text: with a function from token ids to logits, or with a model of transformers.

An adapter cuts the text with the tokenizer of its model (``adapter.tokenize(documents)``) and has the method
``log_probs(text)`` of every model of this library, so that `lmmetrics.score_text`, `score_documents` and
`compare_scores` work with it. Its words, characters and bytes are those of the string that is scored, so that
models with different tokenizers are compared per byte.

Examples
--------
A model of the 128 ASCII characters that finds all equally probable: 7 bits per character.

>>> import numpy as np
>>> from lmmetrics import score_text
>>> model = CallableLM(
...     lambda ids: np.zeros((*ids.shape, 128)),
...     encode=lambda text: list(text.encode("ascii")),
...     decode=lambda ids: bytes(ids).decode("ascii"),
...     context=16,
...     bos=0,
... )
>>> score_text(model, model.tokenize(["the cat sleeps"])).bits_per("char")
7.0
"""

from lmmetrics.adapters._callable import CallableLM
from lmmetrics.adapters._huggingface import HuggingFaceLM
from lmmetrics.adapters._text import AdapterText

__all__ = ["AdapterText", "CallableLM", "HuggingFaceLM"]
