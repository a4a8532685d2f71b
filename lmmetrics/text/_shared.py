"""What other packages of the library use of this one. Users need none of it, and it may change."""

from lmmetrics.text._blocks import tokenize_blocks
from lmmetrics.text._documents import counts_of, listed
from lmmetrics.text._tokenizers import By, Sentences
from lmmetrics.text._vocabulary import BOS, EOS, UNK

__all__ = ["BOS", "EOS", "UNK", "By", "Sentences", "counts_of", "listed", "tokenize_blocks"]
