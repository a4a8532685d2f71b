"""The tools' conventions: each formula against the tool itself, or against another computation."""

import itertools
import math
import re

import numpy as np
import pytest
import torch

from lmcourse.pages.tools.cards import END, Token, in_pieces, price_after, priced
from lmcourse.pages.tools.conventions import (
    fairseq_eval_lm,
    gensim_log_perplexity,
    hf_evaluate,
    hf_guide,
    kenlm_python,
    kenlm_query,
    llama_cpp,
    lm_eval,
    lm_eval_lambada,
    nltk_perplexity,
    sklearn_lda_perplexity,
    srilm,
    torchmetrics_perplexity,
)
from lmmetrics import corpora, score_text
from lmmetrics.ngram import ModifiedKneserNey, NGramModel, WittenBell
from lmmetrics.text import Vocabulary, tokenize

PAGES = [
    ["The Gate", "She opened the gate, and the dog ran.", "He sat down."],
    ["The Quince", "It was a small quince - and old.", "“Stop,” said the tax collector."],
]


@pytest.fixture(scope="module")
def model():
    """Trigrams over the first English tales, words that came once as ``<unk>``."""
    read = [line for tale in corpora.load("tales-en").train[:12] for line in tale.splitlines() if line]
    words = tokenize(read).strings()
    vocabulary = Vocabulary(sorted({w for w in words if w != END and words.count(w) > 1}))
    return NGramModel(3, ModifiedKneserNey()).fit(tokenize(read, vocabulary=vocabulary))


@pytest.fixture(scope="module")
def pages(model):
    return [priced(model, page) for page in PAGES]


@pytest.fixture(scope="module")
def lines(pages):
    return [line for page in pages for line in page]


def total(model, **options):
    text = tokenize(["\n".join(page) for page in PAGES], vocabulary=model.vocabulary)
    return score_text(model, text, **options)


# --- the tools themselves -----------------------------------------------------------------------------------


def nltk_model(model):
    """NLTK's own class, its `entropy` and `perplexity`, with our probabilities behind it."""
    api = pytest.importorskip("nltk.lm.api", reason="NLTK is a tool of the tests: requirements-dev.txt")

    class Ours(api.LanguageModel):
        def unmasked_score(self, word, context=None):
            past = list(context or ())
            if past[-1:] == [END]:
                return 1.0
            return model.prob(word, ["<s>"] * ("<s>" in past) + [w for w in past if w != "<s>"])

    ours = Ours(3)
    ours.vocab.update([model.vocabulary.token(i) for i in range(len(model.vocabulary))])
    ours.vocab.lookup = lambda words: words
    return ours


@pytest.mark.parametrize("which", ["one end", "pad_both_ends", "everygrams"])
def test_nltk_prints_the_same(model, lines, which):
    ours = nltk_model(model)
    from nltk.lm.preprocessing import pad_both_ends
    from nltk.util import everygrams, ngrams

    words = [[token.word for token in line if token.word != END] for line in lines]
    handed = {
        "one end": [list(ngrams(["<s>", "<s>", *line, END], 3)) for line in words],
        "pad_both_ends": [list(ngrams(pad_both_ends(line, n=3), 3)) for line in words],
        "everygrams": [list(everygrams([*line, END], max_len=3)) for line in words],
    }[which]
    handed = list(itertools.chain(*handed))

    def price(ngram):
        *past, word = ngram
        if past[-1:] == [END]:
            return Token(word, 0.0)
        past = ["<s>"] * ("<s>" in past) + [w for w in past if w != "<s>"]
        return Token(word, price_after(model, past, word))

    report = nltk_perplexity(which, handed, price)
    assert report.value == pytest.approx(ours.perplexity(handed), rel=1e-6)
    if which == "one end":
        assert report.value == pytest.approx(total(model).perplexity, rel=1e-12)


def test_nltk_predicts_no_start(model):
    ours = nltk_model(model)
    assert ours.perplexity([("<s>",), ("the",)]) == math.inf
    assert price_after(model, [], "<s>") == math.inf


def logits_of(model, lines):
    """Padded rows of log probabilities, and the ids that came: float64[L, T, V], int64[L, T]."""
    shape = len(lines), max(map(len, lines))
    logits = torch.zeros(*shape, len(model.vocabulary), dtype=torch.float64)
    target = torch.full(shape, -100)
    for i, line in enumerate(lines):
        past = ["<s>"]
        for j, token in enumerate(line):
            logits[i, j] = torch.from_numpy(model.next_distribution(past)).log()
            target[i, j] = model.vocabulary[token.word if token.known else "<unk>"]
            past.append(token.word)
    return logits, target


def test_torchmetrics_prints_the_same(model, lines):
    text = pytest.importorskip("torchmetrics.text", reason="torchmetrics: requirements-dev.txt")
    logits, target = logits_of(model, lines)
    flat = [token for line in lines for token in line]
    report = torchmetrics_perplexity(logits, target, flat, ignore_index=-100)
    theirs = text.Perplexity(ignore_index=-100)(logits, target).item()
    assert report.value == pytest.approx(theirs, rel=1e-6)
    assert report.value == pytest.approx(total(model).perplexity, rel=1e-12)


def test_torchmetrics_underflows_as_ours_does():
    text = pytest.importorskip("torchmetrics.text", reason="torchmetrics: requirements-dev.txt")
    far, met = torch.tensor([[[0.0, -120.0]]]), torch.tensor([[1]])
    ours = torchmetrics_perplexity(far, met, [Token("b", 0.0)], ignore_index=-100)
    assert ours.value == text.Perplexity(ignore_index=-100)(far, met).item() == math.inf


def one_topic(documents):
    counts = np.array(documents)
    prior = 0.1
    return counts, counts.sum(0) + prior, prior


TRAINING = [[3, 0, 1, 2, 0, 1], [0, 4, 1, 0, 2, 1], [2, 2, 0, 1, 1, 3]]


@pytest.mark.parametrize("test", [[[1, 0, 2, 0, 1, 0]], TRAINING])
def test_scikit_learn_prints_the_same(test):
    decomposition = pytest.importorskip("sklearn.decomposition", reason="scikit-learn: requirements.txt")
    counts, topic, prior = one_topic(TRAINING)
    lda = decomposition.LatentDirichletAllocation(1, topic_word_prior=prior, random_state=0, max_iter=50)
    lda.fit(counts)
    assert lda.components_[0] == pytest.approx(topic)
    ours = sklearn_lda_perplexity(np.sum(test, axis=0), topic, prior)
    assert ours == pytest.approx(lda.perplexity(np.array(test)), rel=1e-6)


# --- the others, computed in another way --------------------------------------------------------------------


def test_topic_bound_is_below_the_evidence():
    """The bound of the training text, one topic: its Dirichlet is the exact posterior, so they are equal."""
    from scipy.special import gammaln

    counts, topic, prior = one_topic(TRAINING)
    words = counts.sum()
    exact = (
        gammaln(prior * len(topic))
        - gammaln(prior * len(topic) + words)
        + np.sum(gammaln(topic) - gammaln(prior))
    )
    all_words = counts.sum(axis=0)
    assert sklearn_lda_perplexity(all_words, topic, prior) == pytest.approx(math.exp(-exact / words))
    bound, printed = gensim_log_perplexity(all_words, topic, prior)
    assert bound == pytest.approx(exact / words)
    assert printed == pytest.approx(math.exp(-bound) ** math.log(2))


def test_kenlm_and_srilm_are_the_books_totals(model, lines):
    score, ends = total(model), len(lines)
    assert kenlm_query(lines).value == pytest.approx(score.perplexity, rel=1e-12)
    known = math.fsum(t.nats for line in lines for t in line if t.known)
    left = score.tokens - score.unknown
    assert kenlm_query(lines, oovs=False).value == pytest.approx(math.exp(known / left))
    assert srilm(lines).value == pytest.approx(math.exp(known / left))
    assert srilm(lines, ppl1=True).value == pytest.approx(math.exp(known / (left - ends)))
    assert kenlm_python(lines).value == pytest.approx(np.mean([kenlm_query([x]).value for x in lines]))
    assert score.unknown > 0 and srilm(lines).value != kenlm_query(lines).value


def test_srilm_gives_the_numbers_of_two_public_logs():
    """(log10 probability, words, OOVs, lines) of the logs, and the ppl and ppl1 that they report."""
    for logprob, words, oovs, ends, ppl, ppl1 in [
        (-20.406, 9, 1, 1, 185.068, 355.426),
        (-9656.414, 3277, 206, 206, 884.5531, 1394.401),
    ]:
        scored = words - oovs + ends
        each = -logprob * math.log(10) / scored
        tokens = [Token("w", each)] * (words - oovs) + [Token("x", 9.0, False)] * oovs
        size = math.ceil(len(tokens) / ends)
        log = [[*tokens[i : i + size], Token(END, each)] for i in range(0, len(tokens), size)]
        log += [[Token(END, each)]] * (ends - len(log))
        assert srilm(log).value == pytest.approx(ppl, rel=1e-5)
        assert srilm(log, ppl1=True).value == pytest.approx(ppl1, rel=1e-5)


def test_fairseq_skips_what_is_impossible(lines):
    assert fairseq_eval_lm(lines).value == pytest.approx(kenlm_query(lines).value)
    broken = [[t._replace(nats=math.inf) if t.word == "dog" else t for t in line] for line in lines]
    assert kenlm_query(broken).value == math.inf
    assert fairseq_eval_lm(broken).divisor == fairseq_eval_lm(lines).divisor - 1


def test_evaluate_is_the_padded_and_masked_mean(lines):
    rows = [torch.tensor([t.nats for t in line if t.word != END]) for line in lines]
    padded = torch.nn.utils.rnn.pad_sequence(rows, batch_first=True)
    mask = torch.arange(padded.shape[1]) < torch.tensor([len(row) for row in rows])[:, None]
    each = torch.exp((padded * mask).sum(1) / mask.sum(1))
    assert hf_evaluate(lines).value == pytest.approx(each.mean().item(), rel=1e-6)


@pytest.mark.parametrize("size, stride", [(8, 8), (8, 4), (8, 1), (200, 200)])
def test_guide_is_the_loop_of_masked_and_shifted_labels(model, lines, size, stride):
    """The guide's loop, on tensors: labels shifted by one, old ones masked, a mean loss times valid - 1."""
    words = [token.word if token.known else "<unk>" for line in lines for token in line]
    ids = torch.tensor([model.vocabulary[word] for word in words])
    nats, tokens, done = 0.0, 0, 0
    for begin in range(0, len(ids), stride):
        end = min(begin + size, len(ids))
        labels = ids[begin:end].clone()
        labels[: done - begin] = -100  # what an earlier window has scored
        logits = torch.full((end - begin, len(model.vocabulary)), -math.inf, dtype=torch.float64)
        for i in range(end - begin):
            past = words[begin : begin + i + 1]
            if END in past:
                past = ["<s>", *past[len(past) - past[::-1].index(END) :]]
            logits[i] = torch.from_numpy(model.next_distribution(past)).log()
        loss = torch.nn.functional.cross_entropy(logits[:-1], labels[1:], ignore_index=-100)
        valid = int((labels != -100).sum())
        nats, tokens, done = nats + loss.item() * (valid - 1), tokens + valid - 1, end
        if end == len(ids):
            break
    stream = [token for line in lines for token in line]
    report = hf_guide(model, stream, size, stride)
    assert report.value == pytest.approx(math.exp(nats / tokens), rel=1e-9)
    assert report.divisor == tokens


def test_guide_at_stride_one_is_its_first_window(model, lines):
    stream = [token for line in lines for token in line]
    first = hf_guide(model, stream[:8], 8, 8)
    assert hf_guide(model, stream, 8, 1).value == pytest.approx(first.value, rel=1e-12)


def test_llama_scores_the_second_half_of_whole_chunks(model, lines):
    stream = [token for line in lines for token in line]
    report = llama_cpp(model, stream, 8)
    chunks = len(stream) // 8
    assert report.divisor == chunks * (8 - 1 - 4)
    assert [t.word for t in report.scored[:3]] == [t.word for t in stream[5:8]]
    wide = llama_cpp(model, stream, len(stream))  # the past of the last half is whole
    late = stream[len(stream) // 2 + 1 :]
    assert wide.nats == pytest.approx(math.fsum(t.nats for t in late), rel=1e-9)


def test_harness_counts_the_stored_page(model, pages):
    stored = [in_pieces(page) for page in PAGES]
    assert stored[0].startswith(" The Gate \n She opened the gate , and")
    score = total(model)
    words = sum(len(page.split()) + 2 for page in stored)  # and an empty word at both ends
    assert lm_eval(pages, stored).value == pytest.approx(math.exp(score.nats / words))
    size = sum(len(page.encode()) for page in stored)
    by_byte = lm_eval(pages, stored, "byte")
    assert by_byte.value == pytest.approx(math.exp(score.nats / size)) and size > score.bytes
    assert [t.word for t in lm_eval_lambada(pages).scored] == ["down", "collector"]


def test_cards_say_what_was_scored(lines):
    card = dict(srilm(lines).rows())
    ends = sum(t.word == END for line in lines for t in line)
    assert f"(0 unknown), {ends} {END}" in card["scored set S"]
    assert card["unit U"] == f"{srilm(lines).divisor} tokens"
    assert "unknown" in srilm(lines)._repr_html_() and "&lt;/s&gt;" in srilm(lines)._repr_html_()


def test_a_model_with_other_smoothing_moves_every_report(model, lines):
    """No number above is a constant: with another model they all change."""
    read = tokenize(["the gate", "the dog ran"], vocabulary=model.vocabulary)
    other = NGramModel(2, WittenBell()).fit(read)
    changed = [line for page in PAGES for line in priced(other, page)]
    for report in (kenlm_query, kenlm_python, srilm, fairseq_eval_lm, hf_evaluate):
        assert report(changed).value != pytest.approx(report(lines).value, rel=1e-3)
    assert re.search(r"\d", str(kenlm_query(changed).value))
