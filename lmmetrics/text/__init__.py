"""Text as the models see it: token ids, boundaries, and the counts of what was scored.

`tokenize` turns documents into a `TokenizedText`. Every sentence is closed by `</s>`, which is scored; `<s>`
is what a sentence starts from, so it is never in the stream.

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
