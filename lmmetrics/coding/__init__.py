"""Coding a text with a model: its total surprisal in bits is the size of a file, but for a constant.

An arithmetic coder turns a model into a compressor. `ExactCoder` does it with fractions, and can be read on
one page. `encode` and `decode` do it for any model of the library that can predict one token after the other,
and write a file that is decoded to the same text or not at all. `quantise` rounds a row of probabilities to
whole numbers, `huffman` gives each symbol whole bits, `Adaptive` learns from the text while it is coded, and
`compressed_bits` is what other compressors need.

`encode` and `decode` need the extra `coding`, and so does PPMd; everything else needs nothing.
"""

from lmmetrics.coding._adaptive import Adaptive, kt
from lmmetrics.coding._compressors import COMPRESSORS, CompressedBits, compressed_bits
from lmmetrics.coding._exact import ExactCoder, Interval, code_length_bound, interval, shortest_code
from lmmetrics.coding._files import Encoded, decode, encode
from lmmetrics.coding._format import CodingError
from lmmetrics.coding._huffman import expected_length, huffman
from lmmetrics.coding._quantise import quantisation_loss, quantise
from lmmetrics.coding._text import DecodedText

__all__ = [
    "COMPRESSORS",
    "Adaptive",
    "CodingError",
    "CompressedBits",
    "DecodedText",
    "Encoded",
    "ExactCoder",
    "Interval",
    "code_length_bound",
    "compressed_bits",
    "decode",
    "encode",
    "expected_length",
    "huffman",
    "interval",
    "kt",
    "quantisation_loss",
    "quantise",
    "shortest_code",
]
