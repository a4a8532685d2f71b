"""Sources: laws, rates, exact probabilities and samples, each against an independent computation."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lmmetrics import score_text
from lmmetrics.information import entropy, kl_divergence
from lmmetrics.ngram import NGramModel, WittenBell
from lmmetrics.sources import AgreementSource, MarkovSource
from lmmetrics.text import tokenize

CATS = {
    "cat": {"cat": 0.1, "sleeps": 0.7, "eats": 0.2},
    "sleeps": {"cat": 0.4, "sleeps": 0.3, "eats": 0.3},
    "eats": {"cat": 0.5, "sleeps": 0.3, "eats": 0.2},
}


def chain(size, order, seed, zeros=0.0):
    """A random chain. Symbol 0 stays possible everywhere, so there is one recurrent class."""
    rng = np.random.default_rng(seed)
    rows = rng.dirichlet(np.ones(size), size=(size,) * order)
    rows[..., 1:] *= rng.random(rows[..., 1:].shape) >= zeros
    return MarkovSource(rows / rows.sum(axis=-1, keepdims=True), [f"s{i}" for i in range(size)])


def read(source, *sentences):
    """A text for the source; each sentence is a string of symbols."""
    return tokenize(["\n".join(sentences) + "\n"], by="whitespace", vocabulary=source.vocabulary)


def strings(source, length):
    return [" ".join(symbols) for symbols in itertools.product(source.symbols, repeat=length)]


chains = st.builds(
    chain,
    size=st.integers(1, 4),
    order=st.integers(0, 3),
    seed=st.integers(0, 10**6),
    zeros=st.sampled_from([0.0, 0.5]),
)


# The Markov chain: its laws --------------------------------------------------------------------------------


def test_chain_of_chapter_01():
    source = MarkovSource(CATS)
    assert source.symbols == ("cat", "sleeps", "eats")
    assert source.stationary.round(6).tolist() == [0.326389, 0.430556, 0.243056]
    assert round(source.entropy_rate(), 6) == 0.980799


@given(chains)
@settings(max_examples=60, deadline=None)
def test_stationary_law_is_kept_by_a_step(source):
    law = source.block_law(source.order + 1)
    assert law.sum() == pytest.approx(1, abs=1e-12)
    np.testing.assert_allclose(law.sum(axis=0), source.stationary, atol=1e-12)
    np.testing.assert_allclose(law.sum(axis=-1), source.stationary, atol=1e-12)


@given(chains)
@settings(max_examples=40, deadline=None)
def test_entropy_rate_is_the_difference_of_block_entropies(source):
    blocks = [entropy(source.block_law(n).ravel()) for n in range(source.order, source.order + 3)]
    assert source.entropy_rate() == pytest.approx(blocks[1] - blocks[0], abs=1e-12)
    assert source.entropy_rate() == pytest.approx(blocks[2] - blocks[1], abs=1e-12)


@given(chains, st.integers(1, 4))
@settings(max_examples=40, deadline=None)
def test_log_probs_of_all_strings_are_the_block_law(source, length):
    text = read(source, *strings(source, length))
    totals = np.add.reduceat(np.where(text.is_eos, 0.0, source.log_probs(text)), text.sentence_starts[:-1])
    np.testing.assert_allclose(np.exp(totals), source.block_law(length).ravel(), atol=1e-12)


def test_log_probs_by_hand():
    source = MarkovSource(CATS)
    got = source.log_probs(read(source, "cat sleeps eats", "eats"))
    pi = source.stationary
    want = [math.log(pi[0]), math.log(0.7), math.log(0.3), -math.inf, math.log(pi[2]), -math.inf]
    np.testing.assert_allclose(got, want, rtol=1e-15)


def test_order_two_by_hand():
    """A fair coin, and after two equal sides the third must differ."""
    law = {("h", "h"): {"t": 1}, ("t", "t"): {"h": 1}, ("h", "t"): [0.5, 0.5], ("t", "h"): [0.5, 0.5]}
    source = MarkovSource(law)
    np.testing.assert_allclose(source.stationary, [[1 / 6, 1 / 3], [1 / 3, 1 / 6]], atol=1e-15)
    assert source.entropy_rate() == pytest.approx(math.log(2) * 2 / 3)
    got = np.exp(source.log_probs(read(source, "h h t h")))
    np.testing.assert_allclose(got, [1 / 2, 1 / 3, 1, 1 / 2, 0], atol=1e-15)


def test_contexts_may_be_transient_or_periodic():
    transient = MarkovSource([[0.5, 0.5, 0], [0.5, 0.5, 0], [0.1, 0.1, 0.8]], ["a", "b", "c"])
    assert transient.stationary.tolist() == [0.5, 0.5, 0.0]
    cycle = MarkovSource([[0, 1], [1, 0]], ["tick", "tock"])
    assert cycle.stationary.tolist() == [0.5, 0.5]
    assert cycle.entropy_rate() == cycle.standard_error(1) == 0
    assert set(zip(*[iter(cycle.sample(10, seed=3).strings())] * 2, strict=True)) in (
        {("tick", "tock")},
        {("tock", "tick")},
    )


def test_what_cannot_occur_has_no_probability():
    source = MarkovSource([[0.5, 0.5, 0], [0.5, 0.5, 0], [0.1, 0.1, 0.8]], ["a", "b", "c"])
    got = source.log_probs(read(source, "c c", "a c", "b x a a", ""))
    assert np.isneginf(got).tolist() == [1, 0, 1, 0, 1, 1, 0, 1, 1, 0, 1, 1]


def test_nothing_is_read_beyond_the_sentence():
    source = chain(3, 2, seed=0)
    sentences = ["s0 s1 s2", "s2", "", "s1 s1"]
    alone = [source.log_probs(read(source, sentence)) for sentence in sentences]
    np.testing.assert_array_equal(source.log_probs(read(source, *sentences)), np.concatenate(alone))
    assert source.log_probs(tokenize([], by="whitespace", vocabulary=source.vocabulary)).shape == (0,)


def test_strings_of_each_length_sum_to_one():
    """Without </s> each length has mass 1 (M27)."""
    source = MarkovSource(CATS)
    for length in (1, 2, 3):
        totals = [
            math.exp(-score_text(source, read(source, s), eos=False).nats) for s in strings(source, length)
        ]
        assert math.fsum(totals) == pytest.approx(1, abs=1e-12)


@pytest.mark.parametrize(
    ("transitions", "symbols", "says"),
    [
        ([[0.5, 0.4], [0.5, 0.5]], ["a", "b"], r"after \('a',\) sums to 0.9, which is 0.1 less than 1"),
        ([[1.5, -0.5], [0.5, 0.5]], ["a", "b"], "a probability is at least 0"),
        ([[math.nan, 1], [0.5, 0.5]], ["a", "b"], "a probability is at least 0"),
        ([[0.5, 0.5]], ["a", "b"], r"has the shape \(1, 2\); \(2, 2\) is expected"),
        ([[0.5, 0.5], [0.5, 0.5]], None, "symbols is missing"),
        ([[1, 0], [0, 1]], ["a", "b"], r"2 recurrent classes: from \('a',\) it never reaches \('b',\)"),
        ({"a": {"a": 0.5, "b": 0.5}}, None, r"The law after \('b',\)"),
        ({"a": {"b": 1}, ("a", "b"): {"a": 1}}, None, r"lengths \[1, 2\]"),
        ({"a": [0.5, 0.5], "b": [1]}, None, "has 1 entries; one for each of 2 symbols"),
        ({"a": {"c": 1}, "b": {"a": 1}}, ["a", "b"], "'c', .* is not among the symbols"),
        ([[1]], ["a b"], "contains a blank"),
        (1.0, [], "symbols is empty"),
    ],
)
def test_wrong_chains_are_refused(transitions, symbols, says):
    with pytest.raises(ValueError, match=says):
        MarkovSource(transitions, symbols)


def test_another_vocabulary_is_refused():
    source = MarkovSource(CATS)
    with pytest.raises(ValueError, match="another vocabulary"):
        source.log_probs(tokenize(["cat sleeps"]))


@given(
    st.sampled_from([chain(3, 2, seed=0), AgreementSource(), AgreementSource(phrase=())]), st.integers(1, 9)
)
@settings(max_examples=20, deadline=None)
def test_each_document_of_a_sample_starts_afresh(source, documents):
    text = source.sample(30, seed=1, documents=documents)
    alone = [source.log_probs(text.document(i)) for i in range(documents)]
    np.testing.assert_array_equal(source.log_probs(text), np.concatenate(alone))


# Samples ---------------------------------------------------------------------------------------------------

SOURCES = [
    MarkovSource(CATS),
    chain(1, 1, seed=0),
    chain(5, 0, seed=1),
    chain(4, 3, seed=4, zeros=0.4),
    chain(50, 1, seed=3, zeros=0.9),
    # Long easy stretches and long hard ones: neighbouring surprisals are far from independent.
    MarkovSource([[0.98, 0.01, 0.01], [0.02, 0.49, 0.49], [0.02, 0.49, 0.49]], ["a", "b", "c"]),
    AgreementSource(),
    AgreementSource({"he": "is", "I": "am", "you": "are"}, phrase=(), fillers=["not"], more=0.9),
    AgreementSource(more=0.0),
]


@pytest.mark.parametrize("source", SOURCES, ids=repr)
def test_sample_scored_by_its_source_gives_the_entropy_rate(source):
    n = 100_000
    score = score_text(source, source.sample(n, seed=5))
    # A sentence may begin in the dark: at most 20 nats in all for its first tokens.
    assert abs(score.nats_per("token") - source.entropy_rate()) <= 4 * source.standard_error(n) + 20 / n


@pytest.mark.parametrize("source", SOURCES, ids=repr)
def test_standard_error_is_that_of_many_samples(source):
    n, rng = 2000, np.random.default_rng(7)
    means = [score_text(source, source.sample(n, rng)).nats_per("token") for _ in range(200)]
    # 200 draws know a standard deviation to 5 per cent; 20 is four times that. The ends add about 1 / n.
    assert np.std(means) == pytest.approx(source.standard_error(n), rel=0.2, abs=1 / n)


@pytest.mark.parametrize("source", SOURCES[:6], ids=repr)
def test_sample_has_the_transitions_of_the_chain(source):
    n = 200_000
    symbols = source.sample(n, seed=11).ids.astype(np.int64) - 2
    size = len(source.symbols)
    windows = np.lib.stride_tricks.sliding_window_view(symbols, source.order + 1)
    codes = windows @ size ** np.arange(source.order, -1, -1)
    counts = np.bincount(codes, minlength=size ** (source.order + 1)).reshape(-1, size)
    rows, totals = source.transitions.reshape(-1, size), counts.sum(axis=1, keepdims=True)
    spread = np.sqrt(totals * rows * (1 - rows))
    assert (np.abs(counts - totals * rows) <= 5 * spread + 5).all()
    assert counts[rows == 0].sum() == 0


@pytest.mark.parametrize("source", SOURCES, ids=repr)
def test_first_tokens_of_samples_are_stationary(source):
    """At places 1 and 4 of fresh samples the symbols have one law: that of a long sample."""
    rng, count = np.random.default_rng(13), 1000
    starts = np.stack([source.sample(4, rng).ids for _ in range(count)])
    law = np.bincount(source.sample(200_000, seed=17).ids, minlength=len(source.vocabulary)) / 200_000
    for place in (0, 3):
        got = np.bincount(starts[:, place], minlength=len(law)) / count
        assert (np.abs(got - law) <= 4.5 * np.sqrt(law * (1 - law) / count) + 2 / count).all()


@given(st.sampled_from(SOURCES), st.integers(1, 60), st.integers(0, 2**32), st.data())
@settings(max_examples=60, deadline=None)
def test_shape_of_a_sample(source, n, seed, data):
    documents = data.draw(st.integers(1, n))
    text = source.sample(n, seed, documents)
    assert len(text) == n and text.ids.dtype == np.int32 and text.vocabulary == source.vocabulary
    assert not text.is_eos.any() and text.unknown == 0
    lengths = np.diff(text.document_starts)
    assert len(lengths) == documents and lengths.max() - lengths.min() <= 1
    np.testing.assert_array_equal(text.sentence_starts, text.document_starts)
    np.testing.assert_array_equal(text.ids, source.sample(n, np.random.default_rng(seed)).ids)
    assert np.isfinite(source.log_probs(text)).all()


@pytest.mark.parametrize("source", [MarkovSource(CATS), AgreementSource()], ids=repr)
def test_units_of_a_sample_are_those_of_its_strings(source):
    text = source.sample(100, seed=1, documents=7)
    pieces = [text.document(i).strings() for i in range(7)]
    again = tokenize([" ".join(p) for p in pieces], by="whitespace", sentences="document")
    for unit in ("words", "chars", "bytes"):
        assert getattr(text, unit) == getattr(again, unit)
        assert text.document_counts[unit].tolist() == again.document_counts[unit].tolist()


@pytest.mark.parametrize("source", [MarkovSource(CATS), AgreementSource()], ids=repr)
@pytest.mark.parametrize(
    ("arguments", "error", "says"),
    [((0, 1), ValueError, "n is 0"), ((1.5, 1), TypeError, "n is 1.5"), ((3, 1, 4), ValueError, "4")],
)
def test_wrong_sample_sizes_are_refused(source, arguments, error, says):
    with pytest.raises(error, match=says):
        source.sample(*arguments)


# Agreement -------------------------------------------------------------------------------------------------


class HiddenChain:
    """The agreement source as a hidden Markov model, by the textbook: the reference for everything below."""

    def __init__(self, source):
        pairs, phrase, more = list(source.pairs.items()), source.phrase, source.more
        self.states = [(k, place) for k in range(len(pairs)) for place in range(len(phrase) + 3)]
        filler, verb = len(phrase) + 1, len(phrase) + 2
        index = {state: i for i, state in enumerate(self.states)}
        self.steps = np.zeros((len(index), len(index)))
        self.emit = np.zeros((len(index), len(source.symbols)))
        place_of = {symbol: i for i, symbol in enumerate(source.symbols)}
        for (k, place), i in index.items():
            if place < len(phrase):
                self.steps[i, index[k, place + 1]] = 1
            elif place < verb:
                self.steps[i, index[k, filler]] = more
                self.steps[i, index[k, verb]] = 1 - more
            else:
                self.steps[i, [index[j, 0] for j in range(len(pairs))]] = 1 / len(pairs)
            words = [[pairs[k][0]], *([word] for word in phrase), source.fillers, [pairs[k][1]]][place]
            self.emit[i, [place_of[word] for word in words]] = 1 / len(words)
        values, vectors = np.linalg.eig(self.steps.T)
        law = np.real(vectors[:, np.argmin(abs(values - 1))])
        self.start = law / law.sum()

    def log_probs(self, symbols):
        """The forward algorithm, one token at a time."""
        belief, logs = self.start, []
        for symbol in symbols:
            joint = belief * self.emit[:, symbol]
            total = joint.sum()
            logs.append(math.log(total) if total > 0 else -math.inf)
            if total == 0:
                break
            belief = (joint / total) @ self.steps
        return logs


SMALL = [
    AgreementSource({"a": "x", "b": "y"}, phrase=["p"], fillers=["f"], more=0.6),
    AgreementSource({"a": "x", "b": "y", "c": "z"}, phrase=[], fillers=["f", "g"], more=0.3),
    AgreementSource({"a": "x", "b": "y"}, phrase=["p", "q"], fillers=["f"], more=0.0),
]


@given(st.sampled_from([*SMALL, AgreementSource()]), st.integers(0, 10**6), st.integers(1, 40))
@settings(max_examples=80, deadline=None)
def test_agreement_log_probs_are_the_forward_algorithm_on_samples(source, seed, n):
    text = source.sample(n, seed)
    np.testing.assert_allclose(source.log_probs(text), HiddenChain(source).log_probs(text.ids - 2), atol=1e-9)


@pytest.mark.parametrize("source", SMALL, ids=repr)
def test_agreement_log_probs_of_all_strings(source):
    """Strings, possible or not, agree with the reference up to the first token that cannot be."""
    reference, total = HiddenChain(source), 0.0
    for string in strings(source, 3):
        symbols = [source.symbols.index(symbol) for symbol in string.split()]
        want = reference.log_probs(symbols)
        got = source.log_probs(read(source, string))[: len(want)]
        np.testing.assert_allclose(got, want, atol=1e-9)
        total += math.exp(sum(want))
    assert total == pytest.approx(1, abs=1e-9)


@pytest.mark.parametrize("source", SMALL, ids=repr)
def test_rate_and_excess_are_conditional_entropies(source):
    """H(X_n | the n - 1 before) by enumeration is the entropy rate plus the excess of order n."""
    reference, before = HiddenChain(source), 0.0
    for order in range(1, 6):
        totals = {}
        for symbols in itertools.product(range(len(source.symbols)), repeat=order):
            logs = reference.log_probs(symbols)
            if logs[-1] > -math.inf:
                totals[symbols] = math.exp(sum(logs))
        block = entropy(list(totals.values()))
        assert block - before == pytest.approx(source.entropy_rate() + source.excess(order), abs=1e-9)
        before = block


def test_agreement_in_bits():
    """The defaults are chosen so that the numbers can be checked in the head."""
    source = AgreementSource()
    assert source.entropy_rate() / math.log(2) == pytest.approx(5 / 8, abs=1e-15)
    excess = [source.excess(order) / math.log(2) for order in range(2, 10)]
    np.testing.assert_allclose(excess, [1 / 8] * 5 + [1 / 16, 1 / 32, 1 / 64], atol=1e-15)
    assert AgreementSource(more=0.0).excess(6) > AgreementSource(more=0.0).excess(7) == 0


def test_every_verb_agrees_across_at_least_five_words():
    source = AgreementSource()
    words = " ".join(source.sample(20_000, seed=1).strings())
    blocks = [block.split() for block in words.replace("cat", "|cat").split("|")[1:-1]]
    assert all(source.pairs[block[0]] == block[-1] and len(block) >= 7 for block in blocks)
    assert max(map(len, blocks)) > 12


def test_break_agreement_across_a_long_filler():
    source = AgreementSource()
    wrong = source.log_probs(read(source, "cat by the old stone bridge " + "today " * 50 + "sleep"))
    right = source.log_probs(read(source, "cat by the old stone bridge " + "today " * 50 + "sleeps"))
    assert wrong[-2] == -math.inf and right[-2] == pytest.approx(math.log(0.5))


def test_rate_derivation_is_proved_and_is_the_rate():
    derivation = AgreementSource.rate_derivation()
    assert derivation.steps and all(step.proved for step in derivation.steps)
    for source in [*SMALL[:2], AgreementSource()]:
        values = {
            "K": len(source.pairs),
            "F": len(source.fillers),
            "m": len(source.phrase),
            "r": source.more,
            "s": 1 - source.more,
        }
        rate = derivation.rhs.subs({symbol: values[str(symbol)] for symbol in derivation.rhs.free_symbols})
        assert float(rate) == pytest.approx(source.entropy_rate(), abs=1e-12)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({"pairs": {"cat": "sleeps"}}, "There are 1 pairs"),
        ({"fillers": []}, "0 fillers"),
        ({"more": 1.0}, "more is 1.0"),
        ({"more": math.nan}, "more is nan"),
        ({"pairs": {"cat": "sleeps", "dog": "sleeps"}}, "'sleeps' comes twice"),
        ({"phrase": ["the", "the"]}, "'the' comes twice"),
    ],
)
def test_wrong_agreement_sources_are_refused(arguments, says):
    with pytest.raises(ValueError, match=says):
        AgreementSource(**arguments)


@pytest.mark.parametrize("order", [2, 5, 7])
def test_a_counted_model_pays_the_excess(order):
    """No n-gram does better than the formula says, and one that has counted enough does hardly worse."""
    source = AgreementSource()
    train, test = source.sample(200_000, seed=31), source.sample(100_000, seed=32)
    model = NGramModel(order, WittenBell()).fit(train)
    difference = source.log_probs(test) - model.log_probs(test)
    spread = np.std(difference) / math.sqrt(len(test))
    over = difference.mean() - source.excess(order)
    assert -5 * spread < over < 0.02  # nats per token; the excess is 0.087, and 0.043 for order 7


# KL divergence, measured -----------------------------------------------------------------------------------


def test_cross_entropy_minus_entropy_rate_is_the_kl_rate():
    """Chapter 03's claim: another chain scores the text of the first, and pays the KL of its rows."""
    truth = MarkovSource(CATS)
    model = MarkovSource(np.full((3, 3), 1 / 3) * 0.5 + truth.transitions * 0.5, truth.symbols)
    text = truth.sample(200_000, seed=23)
    measured = (score_text(model, text).nats - score_text(truth, text).nats) / len(text)
    expected = truth.stationary @ kl_divergence(truth.transitions, model.transitions)
    spread = np.std(model.log_probs(text) - truth.log_probs(text)) / math.sqrt(len(text))
    assert abs(measured - expected) < 5 * spread
