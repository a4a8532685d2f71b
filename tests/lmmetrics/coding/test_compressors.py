"""General compressors: the measured values, and what cold, warm and header mean."""

import bz2
import lzma
import zlib

import pytest

from lmmetrics import corpora
from lmmetrics.coding import COMPRESSORS, compressed_bits

TALES = corpora.load("tales-en")
TEST, TRAIN = ("".join(part).encode() for part in (TALES.test, TALES.train))


def test_bits_per_byte_of_the_six_tales():
    """Cold, and after the training tales."""
    cold = {name: round(compressed_bits(name, TEST) / len(TEST), 3) for name in COMPRESSORS}
    warm = {name: round(compressed_bits(name, TEST, warm=TRAIN) / len(TEST), 3) for name in COMPRESSORS}
    assert cold == {"zlib": 3.637, "bz2": 3.282, "lzma": 3.603, "ppmd": 2.956}
    assert warm == {"zlib": 3.125, "bz2": 2.426, "lzma": 2.772, "ppmd": 2.185}


def test_a_dictionary_and_a_difference_of_sizes_differ_by_the_header():
    """zlib after the training tales: 3.117 as a difference, 3.125 as a file with a dictionary."""
    difference = 8 * (len(zlib.compress(TRAIN + TEST, 9)) - len(zlib.compress(TRAIN, 9)))
    found = compressed_bits("zlib", TEST, warm=TRAIN)
    assert round(difference / len(TEST), 3) == 3.117
    assert found - difference == found.header_bits == 96
    assert found.warm_bytes == 2**15 and "dictionary" in found.how
    assert found == compressed_bits("zlib", TEST, warm=TRAIN[-(2**15) :])  # the rest is out of reach


def test_cold_sizes_are_those_of_the_standard_library_and_can_be_read_back():
    assert compressed_bits("zlib", TEST) == 8 * len(zlib.compress(TEST, 9))
    assert compressed_bits("bz2", TEST) == 8 * len(bz2.compress(TEST))
    assert compressed_bits("lzma", TEST) == 8 * len(lzma.compress(TEST, preset=9 | lzma.PRESET_EXTREME))
    pyppmd = pytest.importorskip("pyppmd")
    packed = pyppmd.compress(TEST, max_order=6, mem_size=2**24, variant="I")
    assert compressed_bits("ppmd", TEST) == 8 * len(packed)
    assert pyppmd.decompress(packed, max_order=6, mem_size=2**24, variant="I") == TEST
    empty = pyppmd.compress(b"", max_order=6, mem_size=2**24, variant="I")
    assert len(empty) == 5 and pyppmd.decompress(empty, max_order=6, mem_size=2**24, variant="I") == b""


@pytest.mark.parametrize("name", COMPRESSORS)
def test_small_inputs(name):
    """The empty text has the header only, and a text after itself costs little."""
    empty = compressed_bits(name, b"")
    assert empty == empty.header_bits == {"zlib": 64, "bz2": 112, "lzma": 256, "ppmd": 40}[name]
    assert compressed_bits(name, b"ab") > empty and compressed_bits(name, b"", warm=TEST) in (0, 96)
    again = compressed_bits(name, TEST, warm=TEST)
    assert again < compressed_bits(name, TEST) / 2 and isinstance(again, int)
    assert again.how.startswith(compressed_bits(name, TEST).how)
    assert compressed_bits(name, bytearray(TEST), memoryview(TEST)) == again


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("gzip", TEST), "name is 'gzip'; one of 'zlib', 'bz2', 'lzma', 'ppmd' is expected"),
        (("zlib", "text"), "data is str; bytes are expected, such as text.encode('utf-8')"),
        (("zlib", TEST, "text"), "warm is str; bytes are expected"),
        ((["zlib"], TEST), "name is ['zlib']"),
    ],
)
def test_a_bad_call_says_what_is_expected(arguments, words):
    with pytest.raises((TypeError, ValueError)) as raised:
        compressed_bits(*arguments)
    assert words in str(raised.value)
