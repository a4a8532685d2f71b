"""Files: each text comes back from each model, and nothing else ever does."""

import math
import zlib
from functools import cache

import numpy as np
import pytest

from lmmetrics import corpora, score_text
from lmmetrics._predictor import reader_of
from lmmetrics.coding import Adaptive, CodingError, decode, encode, quantise
from lmmetrics.coding._format import read
from lmmetrics.mixing import Mixture, UnigramCache
from lmmetrics.ngram import (
    AddK,
    Katz,
    MaximumLikelihood,
    ModifiedKneserNey,
    NGramModel,
    StupidBackoff,
    WittenBell,
)
from lmmetrics.text import TokenizedText, Vocabulary, tokenize, train_bpe
from tests.lmmetrics.bad_calls import says_what_is_expected

TRAIN = [document[:1500] for document in corpora.load("tales-en").train[:8]]
TRAIN += [document[:300] for document in corpora.load("tales-zh").train[:4]]
LEVELS = {"byte": {"by": "byte"}, "char": {"by": "char"}, "word": {"by": "whitespace"}}
SCRIPTS = [
    "abcdefgh ijk\n",
    "the king and his daughter went into the forest",
    "αβγδε ζηθ",
    "бвгджз иклм",
    "天地玄黃 宇宙洪荒，日月",
    "とうきょう カナ",
    "العربية لغة",
    "हिन्दी में",
    "e\u0301a\u0308\u200d👩\u200d🚀🙂",
]


def random_texts(count, seed):
    """Texts of one to three documents, each of a few pieces of several scripts; some are empty."""
    rng = np.random.default_rng(seed)
    for _ in range(count):
        documents = []
        for _ in range(rng.choice([1, 1, 1, 2, 3])):
            pieces = rng.integers(0, len(SCRIPTS), rng.integers(0, 4))
            cuts = [np.sort(rng.integers(0, len(SCRIPTS[piece]) + 1, 2)) for piece in pieces]
            documents.append("".join(SCRIPTS[i][a:b][:6] for i, (a, b) in zip(pieces, cuts, strict=True)))
        yield documents


@cache
def train(level):
    return tokenize(TRAIN, **LEVELS[level])


def counted(order, smoothing):
    return lambda text: NGramModel(order, smoothing).fit(text)


def network(kind):
    def make(text):
        neural = pytest.importorskip("lmmetrics.neural")
        vocabulary, small = text.vocabulary, {"width": 8}
        model = {
            "recurrent": lambda: neural.RecurrentLM(vocabulary, "gru", state="document", **small),
            "carried": lambda: neural.RecurrentLM(vocabulary, "lstm", state="carry", **small),
            "feed-forward": lambda: neural.FeedForwardLM(vocabulary, context=3, hidden=8, **small),
            "transformer": lambda: neural.TransformerLM(vocabulary, context=64, heads=2, layers=1, **small),
        }[kind]()
        neural.train(model, text, steps=3, progress=False)
        return model

    return make


GIVEN = (0.5, 1, 1.5)
MODELS = {
    "Witten-Bell": counted(4, WittenBell()),
    "modified Kneser-Ney": counted(5, ModifiedKneserNey(fallback=GIVEN)),
    "add-k": counted(2, AddK(0.1)),
    "back-off": counted(2, Katz(2)),
    "unigrams": counted(1, WittenBell()),
    "mixture": lambda text: Mixture(
        [counted(1, AddK(1))(text), counted(3, WittenBell())(text), UnigramCache(20)], [0.3, 0.5, 0.2]
    ),
    "adaptive": lambda text: Adaptive(counted(3, ModifiedKneserNey(fallback=GIVEN))(text)),
    "cold": lambda text: Adaptive.cold(2, AddK(0.5), text.vocabulary),
    "recurrent": network("recurrent"),
    "carried": network("carried"),
    "feed-forward": network("feed-forward"),
    "transformer": network("transformer"),
}


@cache
def model_of(name, level):
    return MODELS[name](train(level))


def assert_same(found, text, tokens, documents, level):
    assert np.array_equal(found.ids, text.ids) and found.strings() == tokens
    assert np.array_equal(found.sentence_starts, text.sentence_starts)
    assert np.array_equal(found.document_starts, text.document_starts)
    assert np.array_equal(found.terminated, text.terminated)
    assert found.unknown == text.unknown and found.vocabulary == text.vocabulary
    if level != "word":  # words have lost the blanks between them before they came to the coder
        assert found.decode() == documents
        assert (found.words, found.chars, found.bytes) == (text.words, text.chars, text.bytes)


@pytest.mark.parametrize("name", MODELS)
def test_two_hundred_texts_come_back(name):
    """67 texts by byte, 67 by character and 66 by word, with every token outside the vocabulary spelled."""
    coded, escaped = 0, 0
    for number, documents in enumerate(random_texts(200, seed=len(name))):
        level = list(LEVELS)[number % 3]
        model, vocabulary = model_of(name, level), train(level).vocabulary
        text = tokenize(documents, **LEVELS[level], vocabulary=vocabulary)
        tokens = tokenize(documents, **LEVELS[level]).strings()
        file = encode(model, text, tokens=tokens)
        assert_same(decode(model, file.to_bytes()), text, tokens, documents, level)
        unknown = [token for token, id in zip(tokens, text.ids, strict=True) if id == vocabulary.unk]
        assert file.spelling_bits == sum(8 * len(token.encode()) + 8 for token in unknown)
        assert file.ideal_bits == pytest.approx(score_text(model, text).bits, rel=1e-9, abs=1e-9)
        assert file.rounding_bits <= file.overhead_bits + 1e-6 and file.overhead_bits <= file.bound
        assert file.rounding_bits <= -math.log2(1 - len(vocabulary) / 2**24) * len(text) + 1e-6
        assert file.bits == 8 * len(file.data) == file.payload_bits + file.header_bits
        coded, escaped = coded + len(text), escaped + len(unknown)
    assert coded > 1500 and escaped > 100


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("documents", [[], [""], ["", ""], ["", "a", ""], ["a"], ["\n"], ["a\n\nb"], ["𓀀"]])
def test_the_smallest_texts(level, documents):
    model = model_of("Witten-Bell", level)
    text = tokenize(documents, **LEVELS[level], vocabulary=train(level).vocabulary)
    tokens = tokenize(documents, **LEVELS[level]).strings()
    file = encode(model, text, tokens=tokens)
    assert_same(decode(model, file), text, tokens, documents, level)
    assert file.tokens or not file.payload_bits


def test_one_symbol_without_an_end():
    """What is coded is the number of tokens and not an end, so a sentence may be left open."""
    model = model_of("Witten-Bell", "word")
    text = TokenizedText.from_ids([model.vocabulary["the"]], model.vocabulary)
    assert decode(model, encode(model, text)).strings() == ["the"]


def test_documents_that_nothing_closes():
    from lmmetrics.sources import MarkovSource

    source = MarkovSource([[0.9, 0.1], [0.5, 0.5]], symbols=["a", "b"])
    text = source.sample(60, seed=1, documents=3)
    models = [counted(3, WittenBell())(text), MODELS["adaptive"](text)]
    for state in ("carry", "document", "sentence"):
        neural = pytest.importorskip("lmmetrics.neural")
        models.append(neural.RecurrentLM(text.vocabulary, "rnn", width=4, state=state))
        models.append(neural.TransformerLM(text.vocabulary, context=99, width=4, heads=1, state=state))
    for model in models:
        file = encode(model, text)
        found = decode(model, file)
        assert found.strings() == text.strings()
        assert np.array_equal(found.sentence_starts, text.sentence_starts)
        assert file.ideal_bits == pytest.approx(score_text(model, text).bits, rel=1e-9)


def test_byte_pairs_are_written_with_the_pieces_of_the_model():
    bpe = train_bpe(TRAIN, 300)
    text = tokenize(["the king and 國王\n"], by=bpe)
    model = NGramModel(2, WittenBell()).fit(tokenize(TRAIN, by=bpe))
    for coder in (model, Adaptive(model), Mixture([model])):
        assert decode(coder, encode(coder, text)).decode() == ["the king and 國王\n"]
    cold = Adaptive.cold(1, AddK(1), bpe.vocabulary)
    with pytest.raises(CodingError, match="does not know which"):
        decode(cold, encode(cold, text))
    cold = Adaptive.cold(1, AddK(1), bpe.vocabulary, text.spelling)
    assert decode(cold, encode(cold, text)).decode() == ["the king and 國王\n"]


def test_the_bits_of_the_six_tales():
    """The measured values of the page: 26,594.15 bits of surprisal, 26,624 bits coded."""
    tales = corpora.load("tales-en")
    model = NGramModel(5, ModifiedKneserNey(fallback=GIVEN)).fit(tokenize(tales.train, by="byte"))
    text = tokenize(tales.test, by="byte", vocabulary=model.vocabulary)
    file = encode(model, text)
    assert (round(file.ideal_bits, 2), file.payload_bits) == (26594.15, 26624)
    assert 0 < file.overhead_bits < 64 and 0 < file.rounding_bits < 1
    assert decode(model, file).decode() == list(tales.test)
    with pytest.raises(CodingError, match="gives other rows") as raised:
        decode(Singles(model), encode(model, text.document(0)))
    wrong = raised.value.ids
    assert 0 < np.flatnonzero(wrong != text.ids[: len(wrong)])[0] < 100


# A text that is damaged, or read with something else ---------------------------------------------------


@cache
def small():
    model = model_of("Witten-Bell", "word")
    text = tokenize(["the king went home\n", "unheard of\n"], **LEVELS["word"], vocabulary=model.vocabulary)
    tokens = tokenize(["the king went home\n", "unheard of\n"], **LEVELS["word"]).strings()
    return model, text, tokens, encode(model, text, tokens=tokens).data


def test_every_change_of_a_byte_is_found():
    model, _, _, data = small()
    for place in range(len(data)):
        for change in [1 << bit for bit in range(8)] + [255, 85]:
            broken = bytearray(data)
            broken[place] ^= change
            with pytest.raises(CodingError, match=r"damaged|do not begin"):
                decode(model, bytes(broken))


def test_every_truncation_and_every_addition_is_found():
    model, _, _, data = small()
    for size in range(len(data)):
        with pytest.raises(CodingError, match=r"truncated|do not begin"):
            decode(model, data[:size])
    for more in (b"\0", b"\n", data):
        with pytest.raises(CodingError, match="damaged"):
            decode(model, data + more)


def test_the_digest_finds_what_a_valid_checksum_hides():
    """Every part of the file is changed and the checksum set right again: an error, or the same tokens."""
    model, text, tokens, data = small()
    errors = 0
    for place in range(len(data) - 4):
        for change in (1, 128, 255):
            broken = bytearray(data)
            broken[place] ^= change
            broken[-4:] = zlib.crc32(broken[:-4]).to_bytes(4, "little")
            try:
                found = decode(model, bytes(broken))
            except CodingError:
                errors += 1
            else:  # the last bits of the code, where documents end, how many tokens are unknown
                assert np.array_equal(found.ids, text.ids) and found.strings() == tokens
    assert errors > 2 * (len(data) - 4)


def test_another_model_or_vocabulary_is_an_error():
    model, _, _, data = small()
    for name in (
        "modified Kneser-Ney",
        "add-k",
        "mixture",
        "recurrent",
        "transformer",
        "adaptive",
        "unigrams",
    ):
        with pytest.raises(CodingError, match="gives other rows"):
            decode(model_of(name, "word"), data)
    turned = Vocabulary(model.vocabulary.tokens[:2:-1])
    assert set(turned.tokens) == set(model.vocabulary.tokens)
    other = NGramModel(4, WittenBell()).fit(tokenize(TRAIN, **LEVELS["word"], vocabulary=turned))
    with pytest.raises(CodingError, match="another vocabulary"):
        decode(other, data)
    with pytest.raises(ValueError, match="is not that of the model"):
        decode(model, data, turned)


class Wrapped:
    """A model that changes the rows of another one."""

    def __init__(self, model):
        self.model, self.vocabulary = model, model.vocabulary

    def next_distribution(self, context):
        return self.change(self.model.next_distribution(context))

    def change(self, row):
        return row


class Singles(Wrapped):
    """Rows in single precision."""

    def change(self, row):
        return row.astype(np.float32).astype(np.float64)


class LastDigits(Wrapped):
    """Rows whose last digits differ, as those of another machine may."""

    rng = np.random.default_rng(3)

    def change(self, row):
        return row * (1 + self.rng.integers(-2, 3, len(row)) * 2.0**-52)


def test_an_object_with_a_next_distribution_is_a_model():
    model, text, tokens, data = small()
    assert decode(Wrapped(model), data).strings() == tokens
    assert encode(Wrapped(model), text, tokens=tokens).data == data


def test_rows_in_single_precision_are_an_error():
    failed = 0
    for number, documents in enumerate(random_texts(60, seed=4)):
        for model in (model_of("Witten-Bell", "byte"), model_of("recurrent", "byte"))[: 1 + (number < 10)]:
            text = tokenize(documents, by="byte")
            try:
                assert decode(Singles(model), encode(Wrapped(model), text)).decode() == documents
            except CodingError:
                failed += 1
    assert failed > 25  # of 70; the others came back right, because they are short


def test_other_last_digits_do_not_change_a_rounded_row():
    for number, documents in enumerate(random_texts(60, seed=5)):
        text = tokenize(documents, by="byte")
        for model in (model_of("Witten-Bell", "byte"), model_of("recurrent", "byte"))[: 1 + (number < 10)]:
            data = encode(Wrapped(model), text).data
            assert decode(LastDigits(model), data).decode() == documents
    text, changed = tokenize([TRAIN[-5]], by="byte"), {"digits": 0, "single, 24": 0, "single, 16": 0}
    for name in ("modified Kneser-Ney", "add-k", "mixture"):
        model = model_of(name, "byte")
        reader = reader_of(model, text.vocabulary)
        reader.start()
        for id in text.ids.tolist():
            row = reader.row()
            digits, single = LastDigits(model).change(row), Singles(model).change(row)
            changed["digits"] += (quantise(row, 24) != quantise(digits, 24)).any()
            changed["single, 24"] += (quantise(row, 24) != quantise(single, 24)).any()
            changed["single, 16"] += (quantise(row, 16) != quantise(single, 16)).any()
            reader.read(id)
    assert changed["digits"] == 0 and changed["single, 24"] > 100 * changed["single, 16"]


# What the code is --------------------------------------------------------------------------------------


def by_whole_numbers(model, data, count):
    """The tokens of a file without spelled ones, by a range decoder in whole numbers."""
    header, words, _ = read(data)
    value = int("".join(f"{word:08x}" for word in words.tolist() + [0] * 40), 16)
    length = 32 * (len(words) + 40)
    reader, ids, low, width, known = reader_of(model, model.vocabulary), [], 0, 2**64 - 1, 64
    reader.start()
    for _ in range(count):
        counts = quantise(reader.row(), 24).tolist()
        unit = width >> 24
        target = ((value >> (length - known)) - low) // unit
        id, below = 0, 0
        while below + counts[id] <= target:
            below += counts[id]
            id += 1
        low, width = low + unit * below, unit * counts[id]
        while width < 2**32:
            low, width, known = low << 32, width << 32, known + 32
        ids.append(id)
        reader.read(id)
    assert header.bits == 24 and len(words) * 32 - (known - math.log2(width)) < 64
    return ids


def test_the_code_is_defined_by_whole_numbers():
    """constriction is read by thirty lines of Python, so the format depends on no version of it."""
    model = model_of("modified Kneser-Ney", "byte")
    text = tokenize([TRAIN[0][:300] + "國王"], by="byte")
    assert by_whole_numbers(model, encode(model, text).data, len(text)) == text.ids.tolist()


def test_the_precision_of_the_rows_is_what_it_costs():
    model, text = model_of("modified Kneser-Ney", "byte"), tokenize([TRAIN[-1]], by="byte")
    losses = []
    for bits in (10, 12, 16, 24):
        file = encode(model, text, bits=bits)
        assert decode(model, file).decode() == [TRAIN[-1]]
        losses.append(file.rounding_bits)
        assert file.rounding_bits <= -math.log2(1 - 258 / 2**bits) * len(text)
        assert file.overhead_bits <= file.bound
    assert losses == sorted(losses, reverse=True) and losses[-1] < 0.1 < losses[0]


def test_a_network_is_stepped_because_a_batch_gives_other_last_digits():
    """The rows of a text in one batch are those of the steps up to rounding, and not to the last digit."""
    neural = pytest.importorskip("lmmetrics.neural")
    text = tokenize([TRAIN[0][:120]], by="byte")
    for model in (
        neural.RecurrentLM(text.vocabulary, "lstm", width=48),
        neural.TransformerLM(text.vocabulary, context=128, width=48, heads=4),
    ):
        reader, stepped = reader_of(model, text.vocabulary), []
        reader.start()
        for id in text.ids.tolist():
            stepped.append(reader.row()[id])
            reader.read(id)
        batch = np.exp(model.log_probs(text))
        assert np.allclose(stepped, batch, rtol=1e-10, atol=0)
        assert (np.array(stepped) != batch).any()
        assert decode(model, encode(model, text)).decode() == [TRAIN[0][:120]]


def test_a_transformer_looks_back_as_far_as_it_can():
    neural = pytest.importorskip("lmmetrics.neural")
    text = tokenize([TRAIN[0][:200]], by="byte")
    model = neural.TransformerLM(text.vocabulary, context=32, width=16, heads=2)
    found = -model.log_probs(text, stride=1).sum() / math.log(2)
    assert encode(model, text).ideal_bits == pytest.approx(found, rel=1e-9)
    assert abs(score_text(model, text).bits - found) > 1e-3


def test_unknown_tokens_without_their_spelling():
    model, text, _, _ = small()
    file = encode(model, text, unknown="as <unk>")
    assert decode(model, file).strings() == text.strings() and not file.spelling_bits
    assert decode(model, file).unknown == text.unknown == 2 and "<unk>" in decode(model, file).decode()[1]


# Bad calls ---------------------------------------------------------------------------------------------

WORDS = model_of("Witten-Bell", "word")
PLAIN = tokenize(["the man"], by="whitespace", vocabulary=WORDS.vocabulary)
KNOWN = tokenize(["man the man"], by="whitespace", vocabulary=WORDS.vocabulary)
ODD = tokenize(["the unheard"], by="whitespace", vocabulary=WORDS.vocabulary)


class Broken(Wrapped):
    def __init__(self, change):
        super().__init__(WORDS)
        self.change = change


CALLS = {
    "a string for a text": (lambda: encode(WORDS, "the king"), "a TokenizedText is expected"),
    "a text of another vocabulary": (lambda: encode(WORDS, tokenize(["a b"])), "another vocabulary"),
    "a token outside": (lambda: encode(WORDS, ODD), "1 tokens of the text are outside the vocabulary"),
    "a token outside, no <unk>": (
        lambda: encode(
            Adaptive.cold(1, AddK(1), Vocabulary(["a", "b"], unk=False)),
            tokenize(["abc"], by="char", vocabulary=Vocabulary(["a", "b"], unk=False)),
        ),
        "which has no <unk>: they have probability 0 and no code",
    ),
    "an unknown way": (lambda: encode(WORDS, ODD, unknown="skip"), "unknown is 'skip'; \"refuse\" or"),
    "too few tokens": (lambda: encode(WORDS, ODD, tokens=["the"]), "tokens has 1 entries; the 3 tokens"),
    "a string for tokens": (lambda: encode(WORDS, ODD, tokens="the"), "tokens has 1 entries"),
    "other tokens": (
        lambda: encode(WORDS, ODD, tokens=["a", "unheard", "</s>"]),
        "tokens[0] is 'a', but the text has 'the' there",
    ),
    "tokens that are not strings": (lambda: encode(WORDS, ODD, tokens=["the", 5, "</s>"]), "tokens[1] is 5"),
    "probability 0": (
        lambda: encode(NGramModel(2, MaximumLikelihood()).fit(train("word")), KNOWN),
        "has probability 0 under the model: no part",
    ),
    "scores": (lambda: encode(NGramModel(2, StupidBackoff()).fit(train("word")), KNOWN), "do not sum to 1"),
    "no model": (lambda: encode(None, PLAIN), "NoneType has no next_distribution(context)"),
    "a model that is not fitted": (lambda: encode(NGramModel(2, WittenBell()), PLAIN), "not fitted"),
    "too many bits": (lambda: encode(WORDS, PLAIN, bits=32), "bits is 32; from 8 to 24 are expected"),
    "too few bits": (lambda: encode(WORDS, PLAIN, bits=8), "each needs at least 1 of the 2 ** 8 units"),
    "half a bit": (lambda: encode(WORDS, PLAIN, bits=8.5), "a whole number of at least 8 is expected"),
    "logits": (lambda: encode(Broken(np.log1p), PLAIN), "probabilities of at least 0 are expected"),
    "nan": (lambda: encode(Broken(lambda row: row * math.nan), PLAIN), "probabilities of at least 0"),
    "a short row": (lambda: encode(Broken(lambda row: row[:5]), PLAIN), "gives a row of the shape (5,)"),
    "a string for a file": (lambda: decode(WORDS, "file"), "data is str; the bytes of a file are expected"),
    "another file": (lambda: decode(WORDS, b"\x1f\x8b\x08" + bytes(50)), "do not begin as one does"),
    "no bytes": (lambda: decode(WORDS, b""), "These bytes are not a file of encode"),
    "another version": (
        lambda: decode(WORDS, small()[3][:4] + b"\x02" + small()[3][5:]),
        "version 2 of the format, or is damaged",
    ),
    "no vocabulary": (lambda: decode(UnigramCache(), small()[3]), "UnigramCache has no vocabulary; give it"),
    "a list for a vocabulary": (lambda: decode(WORDS, small()[3], ["a"]), "a Vocabulary is expected"),
}


test_a_bad_call_says_what_is_expected = says_what_is_expected(CALLS)
