"""ARPA files: what is written is what is read, and a malformed file is refused at its line."""

import math
import re
import warnings

import numpy as np
import pytest

from lmmetrics import corpora
from lmmetrics.ngram import (
    AddK,
    ArpaError,
    GoodTuring,
    JelinekMercer,
    KneserNey,
    MaximumLikelihood,
    ModifiedKneserNey,
    NGramModel,
    WittenBell,
)
from lmmetrics.text import Vocabulary, tokenize

TRAIN = ["the cat sleeps\nthe cat eats\nthe dog sleeps\n\n", "a mouse eats the cat"]
TEST = ["the mouse sleeps\nnobody eats\n\na dog eats a mouse\n"]

BIGRAMS = """A comment before the header is allowed.

\\data\\
ngram 1=4
ngram 2=3

\\1-grams:
-99\t<s>\t-0.0791812
-0.69897\t</s>
-0.39794\ta\t-0.4649765
-0.39794\tb\t-0.3360134

\\2-grams:
-0.30103\t<s> a
-0.1\ta b
-0.2\tb </s>

\\end\\
"""


@pytest.mark.parametrize(
    ("wrong", "total"),
    [
        ("natural logarithms", "0.0797"),
        ("no weights", "1.28"),
        ("divided by ten", "7.14"),
    ],
)
def test_probabilities_that_do_not_sum_to_1_are_pointed_out(tmp_path, wrong, total):
    path = tmp_path / "model.arpa"
    NGramModel(2, WittenBell()).fit(tokenize(TRAIN)).to_arpa(path)
    lines = []
    for line in path.read_text(encoding="utf-8").splitlines():
        fields = line.split("\t")
        if len(fields) > 1 and float(fields[0]) != -99:
            factor = {"natural logarithms": math.log(10), "divided by ten": 0.1}.get(wrong, 1)
            fields[0] = str(float(fields[0]) * factor)
            fields[2:] = [] if wrong == "no weights" else [str(float(w) * factor) for w in fields[2:]]
        lines.append("\t".join(fields))
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    with pytest.warns(UserWarning, match="sum to .*, not to 1, so a perplexity") as warned:
        NGramModel.from_arpa(path)
    assert any(f"sum to {total}" in str(one.message) for one in warned)


@pytest.mark.parametrize("order", [3, 5])
@pytest.mark.parametrize("alone", [True, False])
def test_an_n_gram_that_lmplz_has_lost_is_pointed_out(tmp_path, order, alone):
    """Of a training text without a final newline, it does not write the last n-gram of the highest order."""
    path = tmp_path / "model.arpa"
    train = tokenize(
        [*corpora.load("tales-en").train[:12], "nobody knew how Ann went\nnobody knew how Ann" * (not alone)]
    )
    NGramModel(order, WittenBell()).fit(train).to_arpa(path)
    whole = path.read_text(encoding="utf-8")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        NGramModel.from_arpa(path)
    last = " ".join([*train.strings()[-order:-1], "</s>"])
    kept = [line for line in whole.splitlines(keepends=True) if f"\t{last}\n" not in line]
    size = whole.count("\n") - len(kept)
    count = int(re.search(rf"ngram {order}=(\d+)", whole)[1])
    path.write_text("".join(kept).replace(f"ngram {order}={count}", f"ngram {order}={count - 1}"), "utf-8")
    context = last.removesuffix(" </s>")
    with pytest.warns(UserWarning, match=f"after {context!r} the probabilities sum to 0.*newline") as warned:
        NGramModel.from_arpa(path)
    assert size == 1 and len(warned) == 1


@pytest.mark.parametrize(
    "method",
    [
        MaximumLikelihood(),
        AddK(0.5),
        WittenBell(),
        JelinekMercer(weights=(0.9, 0.5, 0.4, 0.3)),
        KneserNey(fallback=0.75),
        ModifiedKneserNey(fallback=(0.5, 1, 1.5)),
    ],
    ids=repr,
)
@pytest.mark.parametrize("order", [1, 2, 4])
@pytest.mark.parametrize("unk", [True, False])
def test_round_trip_keeps_every_log_probability(tmp_path, method, order, unk):
    train = tokenize(TRAIN)
    if not unk:
        train = tokenize(TRAIN, vocabulary=Vocabulary(train.vocabulary.tokens[3:], unk=False))
    if isinstance(method, JelinekMercer):
        method = JelinekMercer(weights=method.weights[:order])
    model = NGramModel(order, method).fit(train)
    model.to_arpa(tmp_path / "model.arpa")
    again = NGramModel.from_arpa(tmp_path / "model.arpa")
    assert again.order == order
    assert again.vocabulary == train.vocabulary
    for text in (train, tokenize(TEST, vocabulary=train.vocabulary)):
        before, after = model.log_probs(text), again.log_probs(text)
        assert after == pytest.approx(before, rel=1e-8, abs=1e-8)
    # Ten digits a factor, four factors, and V words: the sum is 1 to about nine digits.
    assert again.next_distribution(["the", "cat"]).sum() == pytest.approx(1, abs=1e-8)


def test_round_trip_of_good_turing(tmp_path):
    train = tokenize([" ".join("abacadaeafbcbd") + "\n" + "the cat sleeps the dog a a b\nthe mouse b the"])
    model = NGramModel(2, GoodTuring(k=1)).fit(train)
    model.to_arpa(tmp_path / "model.arpa")
    again = NGramModel.from_arpa(tmp_path / "model.arpa")
    text = tokenize(["the a b sleeps\nthe mouse"], vocabulary=train.vocabulary)
    assert again.log_probs(text) == pytest.approx(model.log_probs(text), rel=1e-8)


def test_a_file_is_written_as_the_field_expects(tmp_path):
    model = NGramModel(2, MaximumLikelihood()).fit(tokenize(["a b\na"], by="whitespace"))
    model.to_arpa(tmp_path / "model.arpa")
    half, one, nothing = "-0.3010299957", "0.0000000000", "-99.0000000000"
    assert (tmp_path / "model.arpa").read_text(encoding="utf-8").splitlines() == [
        "",
        "\\data\\",
        "ngram 1=5",
        "ngram 2=4",
        "",
        "\\1-grams:",
        f"{nothing}\t<unk>\t{one}",
        f"{nothing}\t<s>\t{nothing}",
        f"-0.3979400087\t</s>\t{one}",
        f"-0.3979400087\ta\t{nothing}",
        f"-0.6989700043\tb\t{nothing}",
        "",
        "\\2-grams:",
        f"{one}\t<s> a",
        f"{half}\ta </s>",
        f"{half}\ta b",
        f"{one}\tb </s>",
        "",
        "\\end\\",
    ]


def test_a_file_of_another_program_is_read(tmp_path):
    (tmp_path / "model.arpa").write_text(BIGRAMS, encoding="utf-8")
    model = NGramModel.from_arpa(tmp_path / "model.arpa")
    assert model.prob("a", ["<s>"]) == pytest.approx(0.5, rel=1e-5)
    assert model.prob("b", ["<s>"]) == pytest.approx(0.5 / 0.6 * 0.4, rel=1e-5)
    assert model.prob("b", ["a"]) == pytest.approx(10**-0.1)
    assert model.prob("a", ["a"]) == pytest.approx((1 - 10**-0.1) / 0.6 * 0.4, rel=1e-5)
    assert model.prob("c", ["a"]) == 0, "the file has no <unk>"
    text = tokenize(["a b"], vocabulary=model.vocabulary)
    assert model.log_probs(text) / np.log(10) == pytest.approx([-0.30103, -0.1, -0.2])


@pytest.mark.parametrize("change", [("\t", " "), ("\t", "   "), ("\n", "\r\n"), ("\n\n", "\n \n")], ids=repr)
def test_blanks_may_vary(tmp_path, change):
    (tmp_path / "model.arpa").write_bytes(BIGRAMS.replace(*change).encode())
    model = NGramModel.from_arpa(tmp_path / "model.arpa")
    assert model.prob("b", ["a"]) == pytest.approx(10**-0.1)


def test_ngrams_may_stand_in_any_order(tmp_path):
    lines = BIGRAMS.splitlines()
    lines[13:16] = reversed(lines[13:16])
    lines[7:11] = reversed(lines[7:11])
    (tmp_path / "model.arpa").write_text("\n".join(lines), encoding="utf-8")
    model = NGramModel.from_arpa(tmp_path / "model.arpa")
    assert model.prob("b", ["a"]) == pytest.approx(10**-0.1)


def test_chinese_tokens_and_a_wide_blank_inside_a_token(tmp_path):
    train = tokenize(["我 愛\u3000你\n我 愛"], by=lambda line: line.split(" "))
    model = NGramModel(2, WittenBell()).fit(train)
    model.to_arpa(tmp_path / "model.arpa")
    again = NGramModel.from_arpa(tmp_path / "model.arpa")
    assert again.vocabulary == train.vocabulary
    assert again.log_probs(train) == pytest.approx(model.log_probs(train), rel=1e-8)


@pytest.mark.parametrize(
    ("old", "new", "line", "message"),
    [
        ("ngram 2=3", "ngram 2=three", 5, "Expected 'ngram 2=' and a number, found 'ngram 2=three'"),
        ("ngram 2=3", "ngram 3=3", 5, "Expected 'ngram 2='"),
        ("ngram 1=4\nngram 2=3\n", "", 5, "Expected 'ngram 1='"),
        ("\\1-grams:", "\\2-grams:", 7, r"Expected the heading \\1-grams:, found '\\\\2-grams:'"),
        ("\\2-grams:", "\\3-grams:", 13, r"Expected the heading \\2-grams:"),
        ("\\end\\", "", 18, r"The file ends here, but the line \\end\\ is expected"),
        ("ngram 1=4", "ngram 1=5", 13, "Order 1 has 4 n-grams, but the header announces 5"),
        ("ngram 2=3", "ngram 2=2", 18, "Order 2 has 3 n-grams, but the header announces 2"),
        ("-0.1\ta b", "a b", 15, "2 fields; an entry of order 2 has"),
        ("-0.1\ta b", "-0.1\ta b\t0\t0", 15, "5 fields"),
        (
            "-0.1\ta b",
            "minus\ta b",
            15,
            "Log10 of the probability is expected, at most 0, found 'minus': not a number",
        ),
        (
            "-0.1\ta b",
            "nan\ta b",
            15,
            "Log10 of the probability is expected, at most 0, found 'nan': not a number",
        ),
        ("-0.1\ta b", "0.1\ta b", 15, "at most 0, found '0.1': a probability above 1"),
        ("a\t-0.4649765", "a\tx", 10, "Log10 of the back-off weight is expected, found 'x'"),
        ("-0.1\ta b", "-0.1\ta c", 15, "The token 'c' is not among the unigrams"),
        ("-0.1\ta b", "-0.1\t<s> a", 15, "The n-gram '<s> a' comes a second time"),
        ("-0.39794\tb\t-0.3360134", "-0.39794\ta\t0", 11, "The n-gram 'a' comes a second time"),
        ("</s>", "<e>", 13, "The unigrams, which end here, lack </s>"),
    ],
)
def test_a_malformed_file_is_refused_at_its_line(tmp_path, old, new, line, message):
    assert old in BIGRAMS
    path = tmp_path / "model.arpa"
    path.write_text(BIGRAMS.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(ArpaError, match=rf"model.arpa, line {line}: .*{message}"):
        NGramModel.from_arpa(path)


def test_an_ngram_without_its_context_is_refused(tmp_path):
    text = BIGRAMS.replace("ngram 2=3", "ngram 2=3\nngram 3=1")
    text = text.replace("\\end\\", "\\3-grams:\n-0.1\tb a b\n\n\\end\\")
    (tmp_path / "model.arpa").write_text(text, encoding="utf-8")
    with pytest.raises(ArpaError, match="line 20: The n-gram 'b a b' comes without its context"):
        NGramModel.from_arpa(tmp_path / "model.arpa")


def test_of_two_errors_the_first_in_the_file_is_told(tmp_path):
    """One order is sorted while the next is read, so the second error may be found first."""
    text = BIGRAMS.replace("ngram 2=3", "ngram 2=3\nngram 3=1").replace("-0.1\ta b", "-0.1\t<s> a")
    text = text.replace("\\end\\", "\\3-grams:\nnan\tb a b\n\n\\end\\")
    (tmp_path / "model.arpa").write_text(text, encoding="utf-8")
    with pytest.raises(ArpaError, match="line 16: The n-gram '<s> a' comes a second time"):
        NGramModel.from_arpa(tmp_path / "model.arpa")


def test_a_file_that_is_not_utf_8_or_empty_is_refused(tmp_path):
    path = tmp_path / "model.arpa"
    path.write_bytes(BIGRAMS.replace("\ta", "\tä").encode("latin-1"))
    with pytest.raises(ArpaError, match="line 10: This token is not in UTF-8"):
        NGramModel.from_arpa(path)
    path.write_bytes(b"")
    with pytest.raises(ArpaError, match="is not an ARPA file: it has no line"):
        NGramModel.from_arpa(path)


def test_a_token_with_a_blank_cannot_be_written(tmp_path):
    model = NGramModel(2, WittenBell()).fit(tokenize(["a b"], by="char"))
    with pytest.raises(ValueError, match="The token ' ' contains a blank"):
        model.to_arpa(tmp_path / "model.arpa")


def test_a_model_from_a_file_has_no_counts_and_cannot_be_fitted(tmp_path):
    (tmp_path / "model.arpa").write_text(BIGRAMS, encoding="utf-8")
    model = NGramModel.from_arpa(tmp_path / "model.arpa")
    with pytest.raises(AttributeError, match="this model was read from a file, and has no counts"):
        model.counts_  # noqa: B018
    with pytest.raises(TypeError, match="This model was read from a file and has no method"):
        model.fit(tokenize(["a b"]))
    assert model.sample(5, seed=1).unknown == 0
