"""Text as the models read it: token ids, boundaries, and the counts of the scored units.

`tokenize` turns documents into a `TokenizedText`. Every sentence ends in `</s>`, which is scored. A sentence
starts from `<s>`, which is never predicted, so `<s>` is not in the stream.

Examples
--------
>>> text = tokenize(["the cat sleeps\\nthe cat eats\\n"])
>>> text.strings()
['the', 'cat', 'sleeps', '</s>', 'the', 'cat', 'eats', '</s>']
>>> len(text), text.words, text.chars, text.bytes
(8, 6, 28, 28)
"""

from lmmetrics.text._bpe import BPETokenizer, train_bpe
from lmmetrics.text._tokenize import tokenize
from lmmetrics.text._tokenized import Spelling, TokenizedText
from lmmetrics.text._vocabulary import UNK, Vocabulary

__all__ = ["UNK", "BPETokenizer", "Spelling", "TokenizedText", "Vocabulary", "tokenize", "train_bpe"]
