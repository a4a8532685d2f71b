"""What general compressors make of a text: zlib, bz2, lzma and PPMd, cold and after another text."""

from typing import Literal

Compressor = Literal["zlib", "bz2", "lzma", "ppmd"]
COMPRESSORS = ("zlib", "bz2", "lzma", "ppmd")
"""The names that `compressed_bits` knows."""


class CompressedBits(int):
    """A number of bits, with what one must know to compare it.

    Attributes
    ----------
    header_bits : int
        The bits of them that an empty input needs too: magic numbers, checksums, the end.
    warm_bytes : int
        How many bytes of the text read before the compressor could use at all.
    how : str
        How the text read before was given to it, in words.
    """

    header_bits: int
    warm_bytes: int
    how: str


def compressed_bits(name: Compressor, data: bytes, warm: bytes = b"") -> CompressedBits:
    """Return how many bits a compressor needs for some bytes, at its best setting.

    Parameters
    ----------
    name : {"zlib", "bz2", "lzma", "ppmd"}
        zlib is the method of gzip and zip (level 9, window of 32 KB); bz2 sorts blocks of 900 kB (level 9);
        lzma is the method of xz and 7z (preset 9, extreme); PPMd predicts each byte from the six before it
        (order 6, 16 MB), and needs the extra `coding`.
    data : bytes
    warm : bytes
        A text that the compressor has read before, such as the training text of the model with which it is
        compared. zlib takes it as a dictionary, of which it can use the last 32 KB. The other formats have no
        dictionary: their size is that of ``warm + data`` less that of ``warm``, header counted in neither.

    Returns
    -------
    CompressedBits
        A whole number, 8 times that of the bytes, which says how it was obtained.
    """
    raise NotImplementedError
