"""What `lmmetrics.text` promises: the stream, the boundaries, the counts, and the way back."""

import copy
import pickle
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lmmetrics.text import Vocabulary, tokenize, train_bpe

CHINESE = "路上行人欲斷魂，借問酒家何處有？"
NFD = "cafe\u0301 nai\u0308ve — no\u0308l"
EMOJI = "ok 👩‍👩‍👧‍👦 und 🏳️‍🌈 1️⃣ 👍🏽"
CRLF = "one two\r\nthree\r\n\r\nfour"
HARD = [
    CHINESE,
    NFD,
    EMOJI,
    CRLF,
    "",
    "\n",
    "a\n\nb\n",
    "\n\n",
    " ",
    "tab\there\u3000wide\xa0blank",
    "no end",
]
ENGLISH = [
    "The cat sleeps; the cat eats.\nDon't wake it!\n",
    "A well-known cat.\n",
    "the low slow lower mower",
]


@pytest.fixture(scope="module")
def bpe():
    return train_bpe([*ENGLISH, CHINESE, NFD], size=300)


def test_the_stream_closes_each_line_and_never_holds_the_start():
    text = tokenize(["the cat\n\nsleeps", "eats\n"], by="whitespace")
    assert text.strings() == ["the", "cat", "</s>", "</s>", "sleeps", "</s>", "eats", "</s>"]
    assert text.ids.dtype == np.int32 and text.vocabulary.bos not in text.ids
    assert text.sentence_starts.tolist() == [0, 3, 4, 6, 8]
    assert text.document_starts.tolist() == [0, 6, 8]
    assert text.sentence_starts.dtype == text.document_starts.dtype == np.int64
    assert text.is_eos.tolist() == [token == "</s>" for token in text.strings()]


@pytest.mark.parametrize(
    "document, lines",
    [
        ("", []),
        ("\n", [0]),
        ("a", [1]),
        ("a\n", [1]),
        ("a\nb", [1, 1]),
        ("a\n\nb\n", [1, 0, 1]),
        ("\n\n", [0, 0]),
        ("a\n  ", [1]),
        ("  \na", [0, 1]),
    ],
)
@pytest.mark.parametrize("by", ["word", "whitespace", str.split])
def test_lines_of_words(document, lines, by):
    text = tokenize([document], by=by)
    assert (np.diff(text.sentence_starts) - 1).tolist() == lines


@pytest.mark.parametrize("by", ["word", "whitespace", "char", "byte", str.split, "bpe"])
def test_by_document_even_an_empty_one_is_a_sentence(by, bpe):
    text = tokenize(["", "a\nb\n", ""], by=bpe if by == "bpe" else by, sentences="document")
    assert len(text.sentence_starts) - 1 == 3
    assert text.sentence_starts.tolist() == text.document_starts.tolist()
    assert text.document(0).strings() == text.document(2).strings() == ["</s>"]


def test_the_newline_is_a_symbol_of_characters_and_bytes(bpe):
    for by in ("char", "byte", bpe):
        assert tokenize(["a\nb\n"], by=by).strings() == ["a", "\n", "b", "\n", "</s>"]
        assert tokenize(["a\nb\n"], by=by, sentences="line").strings() == ["a", "</s>", "b", "</s>"]


def test_counts_are_of_the_documents_themselves(bpe):
    for by in ("word", "char", "byte", bpe, str.split):
        text = tokenize(["  naïve \n cat,\r\n", "dog"], by=by)
        assert (text.words, text.chars, text.bytes) == (3, 19, 20)
        assert text.document_counts["words"].tolist() == [2, 1]
        assert text.document_counts["bytes"].tolist() == [17, 3]


def test_counts_of_whitespace_are_of_the_canonical_text():
    documents = ["  naïve \n\n  cat ,\r\n \n", "dog  bites", "", "x\n y  "]
    for vocabulary in (None, Vocabulary(["cat", "y"]), Vocabulary(["cat", "y"], unk=False)):
        text = tokenize(documents, by="whitespace", vocabulary=vocabulary)
        canonical = ["naïve\n\ncat ,\n\n", "dog bites", "", "x\ny"]
        assert text.document_counts["chars"].tolist() == [len(c) for c in canonical]
        assert text.document_counts["bytes"].tolist() == [len(c.encode()) for c in canonical]
        assert text.document_counts["words"].tolist() == [len(c.split()) for c in canonical]
        if vocabulary is None:
            assert text.decode() == canonical


def test_only_ascii_blanks_separate_tokens_as_in_kenlm():
    """`str.split` takes all of the others for blanks, KenLM none of them."""
    others = "\x1c\x1d\x1e\x1f\x85\xa0\u1680\u2000\u200a\u2028\u2029\u202f\u205f\u3000"
    assert not others.strip()
    for blank in others:
        text = tokenize([f"10{blank}km  long\n"], by="whitespace")
        assert text.strings() == [f"10{blank}km", "long", "</s>"] and text.words == 3
    for blank in " \t\v\f\r":
        assert tokenize([f"10{blank}km"], by="whitespace").strings() == ["10", "km", "</s>"]


@given(st.lists(st.text(alphabet="ab é\n\t\r\xa0\u2028", max_size=12), max_size=4))
def test_whitespace_counts_what_it_decodes(documents):
    for sentences in ("line", "document"):
        text = tokenize(documents, by="whitespace", sentences=sentences)
        canonical = text.decode()
        assert text.document_counts["chars"].tolist() == [len(c) for c in canonical]
        assert text.document_counts["bytes"].tolist() == [len(c.encode()) for c in canonical]
        assert text.document_counts["tokens"].sum() == len(text)
        assert tokenize(canonical, by="whitespace", sentences=sentences).strings() == text.strings()


@pytest.mark.parametrize("sentences", ["line", "document"])
@pytest.mark.parametrize("by", ["char", "byte", "bpe"])
def test_hard_texts_come_back_as_they_were(by, sentences, bpe):
    text = tokenize(HARD, by=bpe if by == "bpe" else by, sentences=sentences)
    assert text.decode() == HARD
    assert [text.document(i).decode() for i in range(len(HARD))] == [[d] for d in HARD]
    assert text.chars == sum(map(len, HARD)) and text.bytes == sum(len(d.encode()) for d in HARD)


@settings(max_examples=40)
@given(st.lists(st.text(max_size=20), max_size=3), st.sampled_from(["line", "document"]))
def test_any_text_comes_back(bpe, documents, sentences):
    for by in ("char", "byte", bpe):
        assert tokenize(documents, by=by, sentences=sentences).decode() == documents


@settings(max_examples=100)
@given(st.lists(st.text(max_size=20), max_size=3))
def test_the_canonical_text_is_a_fixed_point(documents):
    for by in ("word", "whitespace"):
        try:
            text = tokenize(documents, by=by)
        except ValueError as error:
            assert "segmenter" in str(error)
            continue
        again = tokenize(text.decode(), by=by)
        assert again.strings() == text.strings() and again.decode() == text.decode()


def test_accents_are_not_changed_silently():
    composed, decomposed = "caf\u00e9", "cafe\u0301"
    assert tokenize([composed], by="char").strings() != tokenize([decomposed], by="char").strings()
    assert tokenize([decomposed]).strings() == [decomposed, "</s>"]
    assert tokenize([composed]).chars + 1 == tokenize([decomposed]).chars


@pytest.mark.parametrize(
    "document, words",
    [
        ("Don't, it’s well-known!", ["Don't", ",", "it’s", "well-known", "!"]),
        ("'quoted' -- dogs' tails-", ["'", "quoted", "'", "-", "-", "dogs", "'", "tails", "-"]),
        ("3.14, 1,000 and 2nd x86.", ["3.14", ",", "1,000", "and", "2nd", "x86", "."]),
        ("foo_bar €5 <s>", ["foo", "_", "bar", "€", "5", "<", "s", ">"]),
        ("Ünïcode Ωμέγα हिन्दी", ["Ünïcode", "Ωμέγα", "हिन्दी"]),
        ("👍🏽 1️⃣", ["👍", "🏽", "1️⃣"]),
    ],
)
def test_what_a_word_is(document, words):
    assert tokenize([document]).strings()[:-1] == words


def test_chinese_needs_a_segmenter_for_words():
    with pytest.raises(ValueError, match="Pass a segmenter"):
        tokenize([CHINESE])
    assert tokenize([CHINESE], by="char").words is None
    assert tokenize([CHINESE], by="char").document(0).words is None
    assert tokenize([CHINESE], by="byte").bytes == 3 * len(CHINESE)


def test_a_segmenter_gives_words_and_counts_those_with_letters():
    cut = {"我愛台灣。": ["我", "愛", "台灣", "。"], "貓睡": ["貓", "睡"]}
    text = tokenize(["我愛台灣。\n貓睡\n"], by=cut.__getitem__)
    assert text.strings() == ["我", "愛", "台灣", "。", "</s>", "貓", "睡", "</s>"]
    assert (text.words, text.chars, text.bytes) == (5, 9, 23)


@pytest.mark.parametrize("result, said", [("我 愛", "str"), (None, "NoneType"), (["我", 3], "3 in it")])
def test_a_segmenter_that_returns_something_else(result, said):
    with pytest.raises(TypeError, match=said):
        tokenize(["我愛"], by=lambda sentence: result)


def test_unknown_tokens_are_counted_with_and_without_unk():
    train = tokenize(["the cat sleeps"])
    test = tokenize(["the dog sleeps <unk>", "dogs"], by="whitespace", vocabulary=train.vocabulary)
    assert test.vocabulary is train.vocabulary
    assert test.unknown == 2 and test.document_counts["unknown"].tolist() == [1, 1]
    assert test.strings()[:4] == ["the", "<unk>", "sleeps", "<unk>"]
    closed = tokenize(["the dog"], vocabulary=Vocabulary(["the"], unk=False))
    assert closed.ids.tolist() == [2, -1, 1] and closed.unknown == 1
    assert closed.strings() == ["the", "<unk>", "</s>"] and closed.decode() == ["the <unk>"]


def test_each_document_alone_is_what_the_text_says_of_it(bpe):
    documents = [d for d in HARD if d != CHINESE]
    for by in ("word", "whitespace", "char", "byte", bpe, str.split):
        text = tokenize(documents, by=by)
        for i, document in enumerate(documents):
            alone, part = tokenize([document], by=by, vocabulary=text.vocabulary), text.document(i)
            assert part.ids.tolist() == alone.ids.tolist()
            assert part.sentence_starts.tolist() == alone.sentence_starts.tolist()
            assert part.document_starts.tolist() == alone.document_starts.tolist()
            assert (part.words, part.chars, part.bytes) == (alone.words, alone.chars, alone.bytes)
            assert part.decode() == alone.decode()
    with pytest.raises(IndexError, match="numbered from 0"):
        text.document(len(documents))


def test_no_documents_at_all(bpe):
    for by in ("word", "whitespace", "char", "byte", bpe, str.split):
        text = tokenize([], by=by)
        assert len(text) == text.chars == text.words == text.bytes == 0 and text.decode() == []
        assert text.sentence_starts.tolist() == text.document_starts.tolist() == [0]


@pytest.mark.parametrize(
    "documents, error, said",
    [
        ("one string", TypeError, r"tokenize\(\[text\]\)"),
        (None, TypeError, "NoneType"),
        (b"bytes", TypeError, "a list of strings"),
        (7, TypeError, "int"),
        (["ok", None], TypeError, "Document 1 is NoneType"),
        (["ok", b"no"], TypeError, "decode it"),
        (["ok", "a\ud83db"], ValueError, r"Document 1 .*U\+D83D.* at character 1"),
        (["the </s> cat"], ValueError, "Remove it from"),
        (["the <s> cat"], ValueError, "Remove it from"),
    ],
)
def test_bad_documents_are_refused_with_advice(documents, error, said):
    with pytest.raises(error, match=said):
        tokenize(documents, by="whitespace")


def test_bad_arguments_are_refused_with_advice():
    with pytest.raises(ValueError, match="'whitespace'"):
        tokenize(["a"], by="words")
    with pytest.raises(ValueError, match="'line' or 'document'"):
        tokenize(["a"], sentences="lines")
    with pytest.raises(TypeError, match=r"train\.vocabulary"):
        tokenize(["a"], vocabulary=["a"])
    with pytest.raises(ValueError, match="vocabulary of its own"):
        tokenize(["a"], by="byte", vocabulary=Vocabulary(["a"]))


def test_vocabulary_ids():
    with_unk, without = Vocabulary(["b", "<unk>", "a"]), Vocabulary(["b", "a"], unk=False)
    assert with_unk.tokens == ("<unk>", "<s>", "</s>", "b", "a")
    assert (with_unk.unk, with_unk.bos, with_unk.eos, with_unk.predictable) == (0, 1, 2, 4)
    assert (without.unk, without.bos, without.eos, without.predictable) == (None, 0, 1, 3)
    assert with_unk["zebra"] == 0 and "zebra" not in with_unk and with_unk.token(3) == "b"
    with pytest.raises(KeyError, match="no <unk>"):
        without["zebra"]
    with pytest.raises(IndexError, match="from 0 to 4"):
        with_unk.token(-1)
    assert with_unk == Vocabulary(["b", "a"]) != without


@pytest.mark.parametrize(
    "tokens, said",
    [("abc", "single string"), ([1], "not a string"), (["a", "a"], "twice"), (["<s>"], "already")],
)
def test_vocabulary_refuses(tokens, said):
    with pytest.raises((TypeError, ValueError), match=said):
        Vocabulary(tokens)


def test_bytes_have_one_vocabulary():
    text = tokenize(["é\n~"], by="byte")
    assert text.strings() == ["<0xC3>", "<0xA9>", "\n", "~", "</s>"]
    assert text.ids.tolist() == [0xC3 + 2, 0xA9 + 2, 10 + 2, ord("~") + 2, 1]
    assert len(text.vocabulary) == 258 and text.vocabulary == tokenize([], by="byte").vocabulary


def test_bpe_has_all_bytes_and_the_size_asked_for(bpe):
    assert len(bpe.vocabulary) == 300 and sorted(bpe.token_bytes[:256]) == [bytes([b]) for b in range(256)]
    assert tokenize(["🐈"], by=bpe).strings() == ["<0xF0>", "<0x9F>", "<0x90>", "<0x88>", "</s>"]
    assert len(train_bpe(["aa"], size=1000).vocabulary) == 259
    with pytest.raises(ValueError, match="258 or more"):
        train_bpe(["a"], size=100)
    with pytest.raises(TypeError, match="a list of strings"):
        train_bpe("a", size=300)


def test_bpe_training_is_the_same_in_another_process(bpe):
    program = (
        "from lmmetrics.text import train_bpe; import sys;"
        "sys.stdout.reconfigure(encoding='utf-8');"
        f"print(*map(ascii, train_bpe({[*ENGLISH, CHINESE, NFD]!r}, size=300).vocabulary))"
    )
    for seed in ("1", "2"):
        run = subprocess.run(
            [sys.executable, "-X", "utf8", "-c", program],
            capture_output=True,
            text=True,
            check=True,
            env={"PYTHONHASHSEED": seed},
        )
        assert run.stdout.split() == " ".join(map(ascii, bpe.vocabulary)).split()


def test_texts_and_tokenizers_can_be_stored(bpe):
    for by in ("word", "char", "byte", bpe):
        text = tokenize(ENGLISH, by=by)
        for stored in (pickle.loads(pickle.dumps(text)), copy.deepcopy(text)):
            assert stored.decode() == text.decode() and stored.words == text.words
    assert (
        tokenize(["lower"], by=pickle.loads(pickle.dumps(bpe))).strings()
        == tokenize(["lower"], by=bpe).strings()
    )


def test_wikitext_2_has_its_published_number_of_tokens(real_texts):
    document = (real_texts / "wikitext-2" / "test.txt").read_bytes().decode()
    text = tokenize([document], by="whitespace")
    assert len(text) == 245_569 and text.words == 241_211 and text.is_eos.sum() == 4_358
    assert text.vocabulary.unk in text.ids and text.unknown == 0
    characters = tokenize([document], by="char")
    assert characters.words == 241_211 and characters.decode() == [document]
    assert characters.bytes == 1_256_449


def test_one_chinese_character_in_a_hundred_is_still_english():
    words = ["plain", "English", "words"] * 10 + ["茶"]
    assert tokenize([" ".join(words)]).words == tokenize([" ".join(words)], by="char").words == 31


def test_a_segmenter_may_keep_blanks_which_are_not_tokens():
    text = tokenize(["a b\u3000c\n"], by=list)
    assert text.strings() == ["a", "b", "c", "</s>"] and text.decode() == ["a b c\n"]


@pytest.mark.parametrize("unk", [True, False])
def test_ids_of_many_tokens_are_those_of_each(unk):
    class Word(str):
        __slots__ = ()

    vocabulary = Vocabulary(["cat", "dog"], unk=unk)
    for tokens in (["cat", "bird", "</s>", "dog"], [Word("cat"), "bird"], [], iter(["dog"])):
        tokens = list(tokens)
        assert vocabulary.ids_of(iter(tokens)) == [vocabulary.id_of(token) for token in tokens]
    with pytest.raises(TypeError, match="The token 5 is int; tokens are strings"):
        vocabulary.ids_of(["cat", 5])
