"""What general compressors make of a text: zlib, bz2, lzma and PPMd, cold and after another text."""

import bz2
import lzma
import zlib
from typing import Literal, get_args

from lmmetrics.extras import need

Compressor = Literal["zlib", "bz2", "lzma", "ppmd"]
COMPRESSORS: tuple[Compressor, ...] = get_args(Compressor)
"""The names that `compressed_bits` knows."""
WINDOW = 2**15
"""How many bytes back zlib can point."""
ORDER, MEMORY = 6, 2**24
"""PPMd: how many bytes before the next one it looks at, and the bytes of its table."""


class CompressedBits(int):
    """A number of bits, with what one must know to compare it.

    Attributes
    ----------
    header_bits : int
        The bits of a compressed empty text: magic numbers, checksums and the end, which every file has. (PPMd
        has only an end.) 0 if they cancel, as in the difference of two sizes.
    warm_bytes : int
        How many bytes of the text read before the compressor could use at most.
    how : str
        In words: the method with its setting, and how it was given the text read before.
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
        lzma is the method of xz and 7z (preset 9, extreme); PPMd predicts each byte from at most six before
        it (variant I, order 6, 16 MB), and needs the extra `coding`.
    data : bytes
    warm : bytes
        A text that the compressor has read before, such as the training text of the model with which it is
        compared. zlib takes it as a dictionary, of which it can use the last 32 KB. The others are given both
        texts as one: their size is that of ``warm + data`` less that of ``warm``; the header cancels.

    Returns
    -------
    CompressedBits
        A whole number, 8 times that of the bytes, which says how it was obtained.

    Examples
    --------
    >>> text = "the cat sleeps and the dog eats, ".encode()
    >>> cold, warm = compressed_bits("zlib", text), compressed_bits("zlib", text, warm=text)
    >>> cold > 8 * len(text) > warm  # a short text does not pay for the header
    True
    >>> cold.header_bits, cold.how
    (64, 'zlib, level 9')
    """
    if name not in COMPRESSORS:
        raise ValueError(f"name is {name!r}; one of {', '.join(map(repr, COMPRESSORS))} is expected.")
    for argument, value in (("data", data), ("warm", warm)):
        if not isinstance(value, bytes | bytearray | memoryview):
            raise TypeError(
                f"{argument} is {type(value).__name__}; bytes are expected, such as text.encode('utf-8')."
            )
    data, warm = bytes(data), bytes(warm)
    read, how = len(warm), SETTINGS[name]
    if name == "zlib":
        read = min(read, WINDOW)
        size = len(_zlib(data, warm[-WINDOW:]))
        how += f"; the last {read:,} bytes of the text read before are its dictionary" if warm else ""
    else:
        size = len(_compressed(name, warm + data)) - (len(_compressed(name, warm)) if warm else 0)
        how += "; size of both texts less that of the text read before" if warm else ""
    found = CompressedBits(8 * size)
    if name == "zlib":
        found.header_bits = 8 * len(_zlib(b"", warm[-WINDOW:]))
    else:
        found.header_bits = 0 if warm else 8 * len(_compressed(name, b""))
    found.warm_bytes, found.how = read, how
    return found


SETTINGS = {
    "zlib": "zlib, level 9",
    "bz2": "bz2, level 9",
    "lzma": "lzma (xz), preset 9 extreme",
    "ppmd": f"PPMd, variant I, order {ORDER}, {MEMORY >> 20} MB",
}


def _compressed(name: Compressor, data: bytes) -> bytes:
    if name == "zlib":
        return _zlib(data)
    if name == "bz2":
        return bz2.compress(data, 9)
    if name == "lzma":
        return lzma.compress(data, preset=9 | lzma.PRESET_EXTREME)
    compressed: bytes = need("pyppmd", "coding").compress(data, max_order=ORDER, mem_size=MEMORY, variant="I")
    return compressed


def _zlib(data: bytes, dictionary: bytes = b"") -> bytes:
    setting = (9, zlib.DEFLATED, zlib.MAX_WBITS, 9, zlib.Z_DEFAULT_STRATEGY)
    compressor = zlib.compressobj(*setting, dictionary) if dictionary else zlib.compressobj(*setting)
    return compressor.compress(data) + compressor.flush()
