"""Every smoothing method: against its equation in plain Python, by hand, and summing to 1 everywhere."""

import itertools
import sys
from collections import Counter
from fractions import Fraction as F

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lmmetrics import score_text
from lmmetrics.ngram import (
    AbsoluteDiscounting,
    AddK,
    GoodTuring,
    JelinekMercer,
    Katz,
    KneserNey,
    MaximumLikelihood,
    MissingStatisticsError,
    ModifiedKneserNey,
    NGramModel,
    StupidBackoff,
    WittenBell,
)
from lmmetrics.text import Vocabulary, tokenize
from tests.lmmetrics.ngram.methods import METHODS, exported

TOLERANCE = 1e-12
WEIGHTS = (0.7, 0.6, 0.5, 0.4, 0.3)
CATS = "the cat sleeps\nthe cat eats\nthe dog sleeps\n"


def always_fits(order):
    """Methods that any text can be smoothed with."""
    return [
        MaximumLikelihood(),
        AddK(k=1),
        AddK(k=0.01),
        WittenBell(),
        JelinekMercer(weights=WEIGHTS[:order]),
        AbsoluteDiscounting(fallback=0.75),
        KneserNey(discount=0.75),
        KneserNey(fallback=0.9),
        ModifiedKneserNey(fallback=(0.5, 1, 1.5)),
        ModifiedKneserNey(discount=(0.2, 0.9, 2.5)),
    ]


def needs_statistics():
    """Methods that may lack the counts of counts they need."""
    return [GoodTuring(k=1), GoodTuring(k=3), Katz(k=2), Katz(k=3, min_count=(1, 2)), KneserNey()]


def test_every_exported_method_is_tried():
    tried = {type(method) for method in (*always_fits(1), *needs_statistics())}
    assert exported() - tried == {StupidBackoff}  # its scores do not sum to 1: it has a test of its own
    assert exported() == {type(method) for method in METHODS}
    assert f"{len(exported())} smoothing methods" in sys.modules["lmmetrics.ngram"].__doc__


class ByHand:
    """The equations of the doc-strings, one probability at a time, from dictionaries."""

    def __init__(self, lines, order, vocabulary):
        self.order = order
        self.words = [token for token in vocabulary.tokens if token != "<s>"]
        self.counts = Counter()
        for line in lines:
            padded = ["<s>", *line, "</s>"]
            for n in range(1, order + 1):
                self.counts.update(tuple(padded[i : i + n]) for i in range(len(padded) - n + 1))
        del self.counts["<s>",]
        self.adjusted = {}
        for ngram, count in self.counts.items():
            if len(ngram) < order and ngram[0] != "<s>":
                count = len({g[0] for g in self.counts if g[1:] == ngram and len(g) == len(ngram) + 1})
            self.adjusted[ngram] = count

    def row(self, method, h):
        h = tuple(h)[max(0, len(h) - self.order + 1) :]
        return [getattr(self, type(method).__name__)(method, w, h) for w in self.words]

    def of(self, h, counts=None):
        """The counts of what follows h."""
        return {w: (counts or self.counts)[(*h, w)] for w in self.words if (*h, w) in self.counts}

    def lower(self, method, w, h):
        if not h:
            return 1 / len(self.words)
        return getattr(self, type(method).__name__)(method, w, h[1:])

    def MaximumLikelihood(self, method, w, h):
        after = self.of(h)
        return after.get(w, 0) / sum(after.values()) if after else self.lower(method, w, h)

    def AddK(self, method, w, h):
        after = self.of(h)
        return (after.get(w, 0) + method.k) / (sum(after.values()) + method.k * len(self.words))

    def WittenBell(self, method, w, h):
        after = self.of(h)
        below = self.lower(method, w, h)
        return (after.get(w, 0) + len(after) * below) / (sum(after.values()) + len(after)) if after else below

    def JelinekMercer(self, method, w, h):
        after, weight, below = self.of(h), method.weights[len(h)], self.lower(method, w, h)
        return weight * after.get(w, 0) / sum(after.values()) + (1 - weight) * below if after else below

    def discounted(self, method, w, h, counts):
        after, below = self.of(h, counts), self.lower(method, w, h)
        if not after:
            return below
        by_order = [c for g, c in counts.items() if len(g) == len(h) + 1]
        given = method.discount if method.discount is not None else self.discount(method, by_order)
        sizes = np.atleast_1d(given)
        taken = {v: sizes[min(c, len(sizes)) - 1] for v, c in after.items()}
        total = sum(after.values())
        return (after.get(w, 0) - taken.get(w, 0)) / total + sum(taken.values()) / total * below

    def discount(self, method, by_order):
        n = [0, *(by_order.count(r) for r in range(1, 5))]
        if isinstance(method, ModifiedKneserNey):
            if all(n[1:]):
                y = n[1] / (n[1] + 2 * n[2])
                sizes = [r - (r + 1) * y * n[r + 1] / n[r] for r in (1, 2, 3)]
                if all(0 < size <= r for r, size in enumerate(sizes, 1)):
                    return sizes
        elif n[1] and n[2]:
            return n[1] / (n[1] + 2 * n[2])
        if method.fallback is None:
            raise MissingStatisticsError
        return method.fallback

    def AbsoluteDiscounting(self, method, w, h):
        return self.discounted(method, w, h, self.counts)

    def KneserNey(self, method, w, h):
        return self.discounted(method, w, h, self.adjusted)

    ModifiedKneserNey = KneserNey

    def stars(self, n, k):
        counts = Counter(c for g, c in self.counts.items() if len(g) == n)
        return counts, {r: (r + 1) * counts[r + 1] / counts[r] for r in range(1, k + 1) if counts[r]}

    def GoodTuring(self, method, w, h):
        n = len(h) + 1
        counts, stars = self.stars(n, method.k)
        contexts = {g[:-1] for g in self.counts if len(g) == n}
        unseen = sum(len(self.words) - len(self.of(c)) for c in contexts)
        if unseen == 0:
            counts, stars = Counter(), {}
        after = self.of(h)
        if not after:
            return 1 / len(self.words)
        adjusted = {v: stars.get(after.get(v, 0), after.get(v, 0)) for v in self.words}
        for v in set(self.words) - set(after):
            adjusted[v] = counts[1] / unseen
        return adjusted[w] / sum(adjusted.values())

    def Katz(self, method, w, h):
        after, k = self.of(h), method.k
        if not after:
            return self.lower(method, w, h)
        least = method.min_count if isinstance(method.min_count, int) else method.min_count[min(len(h), 1)]
        counts, stars = self.stars(len(h) + 1, k)
        total = sum(after.values())
        kept = {v: c for v, c in after.items() if c >= least}
        if len(kept) < len(self.words):
            common = (k + 1) * counts[k + 1] / counts[1] if counts[1] else 0
            share = {
                v: c * min((stars[c] / c - common) / (1 - common), 1) if c <= k else float(c)
                for v, c in kept.items()
            }
            if sum(share.values()) == total:
                total += 1
        else:
            share = kept
        if w in kept:
            return share[w] / total
        below = 1 - sum(self.lower(method, v, h) for v in kept)
        return (1 - sum(share.values()) / total) / below * self.lower(method, w, h)


sentences = st.lists(st.lists(st.sampled_from("abcd"), max_size=6), min_size=1, max_size=8)


def text_of(lines, unk=True, extra=("never",)):
    words = sorted({word for line in lines for word in line} | set(extra))
    vocabulary = Vocabulary(words, unk=unk)
    return tokenize(["".join(" ".join(line) + "\n" for line in lines)], "whitespace", vocabulary=vocabulary)


def contexts_of(lines, order):
    """Contexts that were seen, some that were not, and the empty one."""
    seen = {
        (*["<s>", *line][max(0, i - n) : i],)
        for line in lines
        for n in range(order)
        for i in range(len(line) + 2)
    }
    unseen = {("never",) * n for n in range(order)} | {("a", "never"), ("unknown", "a"), ("d", "c", "b", "a")}
    return sorted(seen | unseen)


@settings(max_examples=60, deadline=None)
@given(sentences, st.integers(1, 5), st.booleans())
def test_every_distribution_sums_to_1_and_is_that_of_the_equation(lines, order, unk):
    text = text_of(lines, unk)
    by_hand = ByHand(lines, order, text.vocabulary)
    bos = text.vocabulary.bos
    for method in [*always_fits(order), *needs_statistics()]:
        try:
            model = NGramModel(order, method).fit(text)
        except MissingStatisticsError:
            assert method.__class__ in {GoodTuring, Katz, KneserNey}
            continue
        for context in contexts_of(lines, order):
            row = model.next_distribution(context)
            assert abs(row.sum() - 1) <= TOLERANCE, (method, context)
            assert (row >= 0).all()
            assert row[bos] == 0
            if "unknown" not in context:
                expected = by_hand.row(method, context)
                assert np.delete(row, bos) == pytest.approx(expected, rel=1e-9, abs=1e-12), (method, context)


@pytest.mark.parametrize(
    "lines",
    [[[]], [["a"]], [["a"] * 50], [[], [], []], [list("abcdefghij")], [["a"], ["b"], ["c"]]],
    ids=["empty sentence", "one word", "one word often", "only empty", "all unique", "all unique, one each"],
)
@pytest.mark.parametrize("order", [1, 2, 3, 4, 5])
@pytest.mark.parametrize("unk", [True, False])
@pytest.mark.parametrize("extra", [(), ("never",)], ids=["closed", "open"])
def test_degenerate_texts(lines, order, unk, extra):
    text = text_of(lines, unk, extra)
    for method in always_fits(order):
        model = NGramModel(order, method).fit(text)
        for context in contexts_of(lines, order):
            assert abs(model.next_distribution(context).sum() - 1) <= TOLERANCE, (method, context)
        assert (model.log_probs(text) <= TOLERANCE).all()


def zipf_lines():
    """Eight thousand words whose frequencies fall as those of real text do."""
    ids = np.minimum(np.random.default_rng(3).zipf(1.35, size=8000) - 1, 700)
    return [" ".join(f"w{i}" for i in part) for part in np.array_split(ids, 900)]


@pytest.fixture(scope="module")
def zipf():
    lines = zipf_lines()
    train = tokenize(["\n".join(lines[:800])], by="whitespace")
    return train, tokenize(["\n".join(lines[800:])], by="whitespace", vocabulary=train.vocabulary)


@pytest.mark.parametrize("order", [1, 2, 3])
@pytest.mark.parametrize(
    "method",
    [
        GoodTuring(),
        GoodTuring(k=7),
        Katz(),
        Katz(k=7, min_count=(1, 1, 2)),
        AbsoluteDiscounting(),
        KneserNey(),
        ModifiedKneserNey(),
    ],
    ids=repr,
)
def test_methods_with_statistics_of_their_own_sum_to_1(zipf, method, order):
    train, test = zipf
    model = NGramModel(order, method).fit(train)
    tokens = ["<s>", *test.strings()]
    for at in range(0, len(tokens), 37):
        row = model.next_distribution(tokens[max(0, at - order) : at])
        assert abs(row.sum() - 1) <= TOLERANCE
        assert (np.delete(row, train.vocabulary.bos) > 0).all(), "every word is possible"
    assert np.isfinite(score_text(model, test).perplexity)


def test_smoothing_helps_on_unseen_text(zipf):
    train, test = zipf
    added, interpolated = (NGramModel(2, method).fit(train) for method in (AddK(), WittenBell()))
    assert score_text(interpolated, test).perplexity < score_text(added, test).perplexity


# By hand: c(the) = 3, c(cat) = 2, c(sleeps) = 2, c(</s>) = 3, c(dog) = c(eats) = 1, N = 12; V = 7 with <unk>.


@pytest.mark.parametrize(
    ("method", "word", "context", "expected"),
    [
        (MaximumLikelihood(), "cat", ["the"], F(2, 3)),
        (MaximumLikelihood(), "eats", ["the"], F(0)),
        (MaximumLikelihood(), "cat", ["never"], F(2, 12)),
        (AddK(k=1), "cat", ["the"], F(2 + 1, 3 + 7)),
        (AddK(k=1), "eats", ["the"], F(0 + 1, 3 + 7)),
        (AddK(k=1), "eats", ["never"], F(1, 7)),
        (AddK(k=0.5), "cat", [], F(5, 2) / (12 + F(7, 2))),
        # p(cat) = (2 + 6/7) / (12 + 6); T(the) = 2
        (WittenBell(), "cat", ["the"], (2 + 2 * F(20, 7) / 18) / (3 + 2)),
        (WittenBell(), "eats", ["the"], (0 + 2 * F(13, 7) / 18) / (3 + 2)),
        (WittenBell(), "cat", ["never"], F(20, 7) / 18),
        (WittenBell(), "never", [], F(6, 7) / 18),
        # p(cat) = 1/2 2/12 + 1/2 1/7
        (JelinekMercer(weights=[0.5, 0.75]), "cat", ["the"], F(3, 4) * F(2, 3) + F(1, 4) * F(13, 84)),
        (JelinekMercer(weights=[0.5, 0.75]), "cat", ["never"], F(13, 84)),
        # Unigrams: n_1 = 2 (dog, eats), n_2 = 2 (cat, sleeps), D = 2 / 6; all six words give D away.
        # Bigrams: n_1 = 5, n_2 = 2, D = 5 / 9.
        (AbsoluteDiscounting(), "dog", [], (F(2, 3) + 2 * F(1, 7)) / 12),
        (
            AbsoluteDiscounting(),
            "dog",
            ["the"],
            (1 - F(5, 9)) / 3 + 2 * F(5, 9) / 3 * (F(2, 3) + 2 * F(1, 7)) / 12,
        ),
        # Words before: the 1 (<s>), cat 1, dog 1, eats 1, sleeps 2, </s> 2; n_1 = 4, n_2 = 2, D = 1/2, sum 8.
        (KneserNey(), "dog", [], (F(1, 2) + 3 * F(1, 7)) / 8),
        (KneserNey(), "sleeps", [], (F(3, 2) + 3 * F(1, 7)) / 8),
        (
            KneserNey(),
            "sleeps",
            ["cat"],
            (1 - F(5, 9)) / 2 + 2 * F(5, 9) / 2 * (F(3, 2) + 3 * F(1, 7)) / 8,
        ),
        # D_1 = 1/2 for counts of 1, D_2 = 1 for counts of 2: unigrams give 4/2 + 2 = 4 of 8.
        (ModifiedKneserNey(discount=(0.5, 1, 1.5)), "dog", [], (F(1, 2) + 4 * F(1, 7)) / 8),
        # After "the": cat 2, dog 1, so (2 - 1) / 3, and 3/2 of 3 goes to the unigrams.
        (
            ModifiedKneserNey(discount=(0.5, 1, 1.5)),
            "cat",
            ["the"],
            F(1, 3) + F(1, 2) * (F(1, 2) + 4 * F(1, 7)) / 8,
        ),
        # After "<s>": the 3, so (3 - 3/2) / 3.
        (
            ModifiedKneserNey(discount=(0.5, 1, 1.5)),
            "the",
            ["<s>"],
            F(1, 2) + F(1, 2) * (F(1, 2) + 4 * F(1, 7)) / 8,
        ),
        # Unigrams: 1* = 2 n_2 / n_1 = 2, 0* = n_1 / 1 = 2 for <unk>; 2 and 3 stay: the sum is 2+2+2+2+2+3+3.
        (GoodTuring(k=1), "dog", [], F(2, 16)),
        (GoodTuring(k=1), "<unk>", [], F(2, 16)),
        # Bigrams: six contexts, <s>, the, cat, dog, sleeps and eats, so n_0 = 6 * 7 - 8 = 34.
        # 1* = 2 * 2 / 5, 0* = 5 / 34. After "cat": sleeps 4/5, eats 4/5, five others.
        (GoodTuring(k=1), "sleeps", ["cat"], F(4, 5) / (F(8, 5) + 5 * F(5, 34))),
        (GoodTuring(k=1), "the", ["cat"], F(5, 34) / (F(8, 5) + 5 * F(5, 34))),
        (GoodTuring(k=1), "the", ["never"], F(1, 7)),
    ],
)
def test_by_hand(method, word, context, expected):
    model = NGramModel(2, method).fit(tokenize([CATS]))
    assert model.prob(word, context) == pytest.approx(float(expected), rel=1e-12, abs=1e-15)


def test_katz_by_hand():
    # Words: a 3, b 2, c 2, d to h 1 each, </s> 1, so n_1 = 6, n_2 = 2, n_3 = 1, N = 13.
    # a = 3 n_3 / n_1 = 1/2, 1* = 2/3 and 2* = 3/2, so d(1) = (2/3 - 1/2) / (1/2) = 1/3
    # and d(2) = (3/4 - 1/2) / (1/2) = 1/2.
    text = tokenize(["a a a b b c c d e f g h"])
    model = NGramModel(1, Katz(k=2)).fit(text)
    assert model.prob("a") == pytest.approx(3 / 13)
    assert model.prob("b") == pytest.approx(2 / 2 / 13)
    assert model.prob("d") == pytest.approx(1 / 3 / 13)
    assert model.prob("<unk>") == pytest.approx(6 / 13)


def test_katz_keeps_mass_back_where_all_counts_are_large():
    # After "x" only "y" follows, 9 times, more than k: Paul's rule gives it 9 / 10.
    model = NGramModel(2, Katz()).fit(tokenize(["\n".join(["x y"] * 9 + zipf_lines())]))
    assert model.prob("y", ["x"]) == pytest.approx(9 / 10)
    assert model.prob("<unk>", ["x"]) > 0


def test_katz_discounts_nothing_where_every_word_was_seen():
    lines = ["a b", "b a", "a a", "b b", "a", "b", ""] * 3
    model = NGramModel(1, Katz()).fit(text_of([line.split() for line in lines], unk=False, extra=()))
    assert model.prob("a") == pytest.approx(15 / 51)
    assert 1 not in model.smoothing.discounts_


def test_katz_drops_rare_ngrams(zipf):
    train, _ = zipf
    model = NGramModel(2, Katz(min_count=(1, 2))).fit(train)
    once = next(ngram for ngram, count in model.counts_[2].items() if count == 1)
    twice = next(ngram for ngram, count in model.counts_[2].items() if count == 2)
    total = sum(c for ngram, c in model.counts_[2].items() if ngram[0] == twice[0])
    assert model.smoothing.discounts_[2][1] == 0
    assert model.prob(twice[1], [twice[0]]) == pytest.approx(model.smoothing.discounts_[2][2] * 2 / total)
    # A dropped bigram is as likely as backing off makes it.
    row, lower = model.next_distribution([once[0]]), model.next_distribution()
    other = next(
        w for w in train.vocabulary if model.counts_[2][once[0], w] == 0 and w not in ("<s>", once[1])
    )
    v = train.vocabulary
    assert row[v[once[1]]] / lower[v[once[1]]] == pytest.approx(row[v[other]] / lower[v[other]])


def test_modified_kneser_ney_estimates_its_discounts(zipf):
    model = NGramModel(2, ModifiedKneserNey()).fit(zipf[0])
    n = model.counts_of_counts_[2]
    y = n[1] / (n[1] + 2 * n[2])
    expected = [1 - 2 * y * n[2] / n[1], 2 - 3 * y * n[3] / n[2], 3 - 4 * y * n[4] / n[3]]
    assert model.smoothing.discounts_[2] == pytest.approx(expected)


def test_a_smoothing_object_can_serve_two_models(zipf):
    method = KneserNey()
    first = NGramModel(2, method).fit(zipf[0])
    kept = dict(first.smoothing.discounts_)
    NGramModel(2, method).fit(zipf[1])
    assert first.smoothing.discounts_ == kept


@pytest.mark.parametrize(
    "method", [KneserNey(), ModifiedKneserNey(), AbsoluteDiscounting(), Katz(), GoodTuring()]
)
def test_missing_statistics_are_an_error_with_advice(method):
    with pytest.raises(MissingStatisticsError, match=r"order|k = ") as error:
        NGramModel(3, method).fit(tokenize(["a b", "c d"]))
    assert type(method).__name__ in str(error.value)
    assert "WittenBell()" in str(error.value)


def test_fallback_is_used_only_where_the_estimate_fails(zipf):
    train, _ = zipf
    sure = NGramModel(2, ModifiedKneserNey()).fit(train).smoothing.discounts_
    both = NGramModel(2, ModifiedKneserNey(fallback=(0.5, 1, 1.5))).fit(train).smoothing.discounts_
    assert all((sure[n] == both[n]).all() for n in (1, 2))
    small = NGramModel(2, ModifiedKneserNey(fallback=(0.5, 1, 1.5))).fit(tokenize([CATS]))
    assert all(discounts.tolist() == [0.5, 1, 1.5] for discounts in small.smoothing.discounts_.values())


def test_unigrams_of_a_closed_vocabulary_need_no_discount():
    text = tokenize(["<unk> b\nb <unk>\n<unk> b"], by="whitespace")
    model = NGramModel(1, AbsoluteDiscounting()).fit(text)
    assert model.prob("b") == pytest.approx(1 / 3)
    assert NGramModel(1, GoodTuring()).fit(text).prob("b") == pytest.approx(1 / 3)


def test_em_finds_the_best_weights(zipf):
    train, heldout = zipf
    model = NGramModel(2, JelinekMercer(heldout=heldout)).fit(train)
    best = score_text(model, heldout).nats
    for step in itertools.product([-0.02, 0, 0.02], repeat=2):
        weights = np.clip(model.smoothing.weights_ + step, 0, 1)
        other = NGramModel(2, JelinekMercer(weights=weights)).fit(train)
        assert score_text(other, heldout).nats >= best - 1e-6


def test_em_on_the_training_text_trusts_the_highest_order():
    text = tokenize(["a b c", "x b d"])
    part = tokenize(["a b c"], vocabulary=text.vocabulary)  # the whole text is refused
    model = NGramModel(3, JelinekMercer(heldout=part)).fit(text)
    assert model.smoothing.weights_[2] == pytest.approx(1, abs=1e-3)


def test_em_with_held_out_tokens_that_have_no_id():
    train = text_of([list("abab"), list("ba")], unk=False)
    heldout = tokenize(["a b zzz a"], by="whitespace", vocabulary=train.vocabulary)
    model = NGramModel(2, JelinekMercer(heldout=heldout)).fit(train)
    assert ((model.smoothing.weights_ >= 0) & (model.smoothing.weights_ <= 1)).all()


def test_held_out_text_needs_the_vocabulary_of_the_training_text():
    with pytest.raises(ValueError, match="held-out text has another vocabulary"):
        NGramModel(1, JelinekMercer(heldout=tokenize(["x y"]))).fit(tokenize(["a b"]))


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: AddK(k=0), "k is 0; a number above 0"),
        (lambda: AddK(k=float("nan")), "k is nan"),
        (lambda: GoodTuring(k=0), "k is 0"),
        (lambda: Katz(k=1), "at least 2"),
        (lambda: Katz(min_count=0), "min_count is 0"),
        (lambda: Katz(min_count=()), "min_count is"),
        (lambda: KneserNey(discount=1.5), "discount is 1.5"),
        (lambda: KneserNey(fallback=0), "fallback is 0"),
        (lambda: ModifiedKneserNey(discount=0.75), "three numbers are expected"),
        (lambda: ModifiedKneserNey(fallback=(0.5, 1, 4)), r"fallback is \(0.5, 1, 4\)"),
        (lambda: JelinekMercer(), "either heldout"),
        (lambda: StupidBackoff(alpha=0), "alpha is 0"),
    ],
)
def test_parameters_are_checked(make, message):
    with pytest.raises(TypeError if message == "min_count is" else ValueError, match=message):
        make()


def test_weights_must_fit_the_order():
    with pytest.raises(ValueError, match="expected 2 numbers from 0 to 1"):
        NGramModel(2, JelinekMercer(weights=[0.5])).fit(tokenize([CATS]))


def test_stupid_backoff_scores_and_refuses():
    model = NGramModel(2, StupidBackoff(alpha=0.4)).fit(tokenize([CATS]))
    # Seen: 2 / 3. Not seen: 0.4 times the relative frequency. Unseen context: 0.4 times it as well.
    test = tokenize(["the cat\n", "eats\n"], vocabulary=model.vocabulary)
    the, cat, end, eats, last = np.exp(model.log_scores(test))
    assert [the, cat, end, eats, last] == pytest.approx([1, 2 / 3, 0.4 * 3 / 12, 0.4 / 12, 1])
    assert model.next_scores(["unheard"]) == pytest.approx(0.4 * model.next_scores())
    assert model.next_scores(["the"]).sum() == pytest.approx(1 + 0.4 * (1 - 3 / 12))
    for ask in (
        lambda: model.log_probs(test),
        lambda: score_text(model, test),
        lambda: model.prob("cat", ["the"]),
        lambda: model.next_distribution(["the"]),
        lambda: model.sample(3, seed=0),
        lambda: model.to_arpa("never-written.arpa"),
    ):
        with pytest.raises(TypeError, match=r"do not sum to 1.*ModifiedKneserNey"):
            ask()
