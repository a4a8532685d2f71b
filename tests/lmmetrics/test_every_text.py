"""Every kind of text, given to what takes a text: a finite result, or an error that says what to do."""

import numpy as np
import pytest

from lmmetrics import corpora, score_text, tokenize
from lmmetrics.adapters import CallableLM
from lmmetrics.mixing import Mixture, UnigramCache
from lmmetrics.ngram import (
    AddK,
    JelinekMercer,
    KneserNey,
    ModifiedKneserNey,
    NGramCounts,
    NGramModel,
    WittenBell,
)
from lmmetrics.text import TokenizedText, train_bpe

TALES = corpora.load("tales-en").train[:6]


def adapter():
    return CallableLM(
        lambda ids: np.zeros((*np.shape(ids), 128)),
        encode=lambda text: [ord(char) % 128 for char in text],
        decode=lambda ids: "".join(map(chr, ids)),
        context=16,
        bos=0,
    )


def sampled():
    return NGramModel(2, WittenBell()).fit(tokenize(TALES)).sample(300, seed=0)


TEXTS = {
    "words": lambda: tokenize(TALES),
    "whitespace": lambda: tokenize(TALES, by="whitespace"),
    "characters": lambda: tokenize(TALES, by="char"),
    "bytes": lambda: tokenize(TALES, by="byte"),
    "BPE": lambda: tokenize(TALES, by=train_bpe(TALES, 300)),
    "a segmenter": lambda: tokenize(TALES, by=str.split),
    "one document": lambda: tokenize(TALES).document(2),
    "sampled": sampled,
    "decoded": lambda: tokenize(tokenize(TALES).decode()),
    "of an adapter": lambda: adapter().tokenize([tale.encode("ascii", "ignore").decode() for tale in TALES]),
}


def fitted(smoothing):
    def use(text):
        model = NGramModel(2, smoothing).fit(text)
        return model.log_probs(text).sum()

    return use


USES = {
    "add-k": fitted(AddK(0.1)),
    "Witten-Bell": fitted(WittenBell()),
    "Kneser-Ney": fitted(KneserNey(fallback=0.5)),
    "modified Kneser-Ney": fitted(ModifiedKneserNey(fallback=(0.5, 1, 1.5))),
    "Jelinek-Mercer": lambda text: fitted(JelinekMercer(weights=(0.9, 0.6)))(text),
    "held-out text": lambda text: JelinekMercer(heldout=text).heldout.ids.sum(),
    "counts": lambda text: len(NGramCounts(text, 2)[2]),
    "counts on the disk": lambda text: (
        NGramModel(2, WittenBell()).fit(text, memory="64GB").log_probs(text).sum()
    ),
    "a cache": lambda text: score_text(Mixture([UnigramCache(), Uniform()], [0.5, 0.5]), text).nats,
    "a model of anything": lambda text: score_text(Uniform(), text).nats,
}


class Uniform:
    def log_probs(self, text):
        return np.full(len(text), -5.0)


@pytest.mark.parametrize("use", USES)
@pytest.mark.parametrize("kind", TEXTS)
def test_a_text_gives_a_finite_result_or_an_error_that_says_what_to_do(kind, use):
    text = TEXTS[kind]()
    assert isinstance(text, TokenizedText)
    if kind == "of an adapter" and use != "a model of anything":
        with pytest.raises(ValueError, match=r"an adapter's tokenizer .* tokenise the same documents with"):
            USES[use](text)
    else:
        assert np.isfinite(USES[use](text)) and USES[use](text) != 0
