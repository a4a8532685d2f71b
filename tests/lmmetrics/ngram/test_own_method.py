"""A smoothing method of a user's own, written with public names only."""

import numpy as np
import pytest

from lmmetrics import score_text, tokenize
from lmmetrics.ngram import Interpolated, Level, NGramCounts, NGramModel, Smoothing, SpreadEvenly

TRAIN = tokenize(["the cat sleeps\nthe cat eats\nthe dog sleeps\n", "a cat\n"])
TEST = tokenize(["the dog eats a mouse\n"], vocabulary=TRAIN.vocabulary)
V = TRAIN.vocabulary.predictable


class Dirichlet(Interpolated):
    """p(w | h) = (c(hw) + mu p(w | h')) / (c(h) + mu)."""

    def __init__(self, mu: float) -> None:
        self.mu = mu

    def terms(self, level: Level):
        whole = level.totals(level.counts) + self.mu
        return level.counts / level.spread(whole), self.mu / whole


class Presence(SpreadEvenly):
    """p(w | h) = ([c(hw) > 0] + 1 / V) / (T(h) + 1): counts do not matter, only whether a word was seen."""

    def terms(self, level: Level):
        whole = level.followers() + 1
        return (level.counts > 0) / level.spread(whole), 1 / whole


class Backoff(Smoothing):
    """Half of the mass for the seen words, half for the others, in proportion to the shorter context."""

    def terms(self, level: Level):
        total = level.totals(level.counts)
        share = 0.5 * level.counts / level.spread(np.maximum(total, 1))
        return share, np.where(total > 0, 0.5, 1.0)

    def combine(self, level: Level, own, weights, shorter):
        seen = own > 0
        weights = weights / (1 - level.totals(np.where(seen, shorter, 0.0)))
        return np.where(seen, own, level.spread(weights) * shorter), weights


@pytest.mark.parametrize("order", [1, 2, 3])
@pytest.mark.parametrize("method", [Dirichlet(2.0), Presence(), Backoff()])
def test_a_method_of_ones_own_is_a_language_model(method, order):
    model = NGramModel(order, method).fit(TRAIN)
    for context in ([], ["<s>"], ["the"], ["<s>", "the"], ["cat", "sleeps"], ["zebra"]):
        row = model.next_distribution(context)
        assert row.sum() == pytest.approx(1, abs=1e-12) and (np.delete(row, TRAIN.vocabulary.bos) > 0).all()
    past, nats = ["<s>"], 0.0
    for token in TEST.strings():
        nats -= np.log(model.prob(token, past))
        past.append(token)
    assert score_text(model, TEST).nats == pytest.approx(nats, rel=1e-12)


def test_the_formula_by_hand():
    counts, model = NGramCounts(TRAIN, 2), NGramModel(2, Dirichlet(2.0)).fit(TRAIN)
    cat = (counts[1]["cat"] + 2 / V) / (len(TRAIN) + 2)
    after_the = sum(count for (first, _), count in counts[2].items() if first == "the")
    assert model.prob("cat", ["the"]) == pytest.approx((counts[2]["the", "cat"] + 2 * cat) / (after_the + 2))
    present = NGramModel(2, Presence()).fit(TRAIN)
    assert present.prob("cat", ["the"]) == pytest.approx((1 + 1 / V) / (2 + 1))
    assert repr(Dirichlet(2.0)) == "Dirichlet(mu=2.0)"


class Generous(Interpolated):
    """Leaves the whole remainder to the shorter context, although the n-grams keep their shares."""

    def terms(self, level):
        totals = level.totals(level.counts)
        return level.counts / level.spread(totals), np.full(len(totals), 0.3)


@pytest.mark.parametrize("order", [1, 2, 3])
def test_a_method_whose_probabilities_do_not_sum_to_1_is_refused(order):
    with pytest.raises(ValueError, match=r"sum to 1\.3, not to 1") as refused:
        NGramModel(order, Generous()).fit(tokenize(["a b a b b", "b a"]))
    assert "a perplexity would mean nothing" in str(refused.value)


class WrongAfterRareContexts(Dirichlet):
    """Loses half of the mass after a context of one word that was seen once; all others are right."""

    by_context = True

    def terms(self, level):
        share, weight = super().terms(level)
        rare = (level.totals(level.counts) == 1) & (level.n == 2)
        return np.where(level.spread(rare), share / 2, share), np.where(rare, weight / 2, weight)


@pytest.mark.parametrize("memory", [None, "1TB"])
def test_the_sum_after_every_context_is_checked(memory):
    with pytest.raises(ValueError, match=r"After 'eats', .* sum to 0\.5, not to 1"):
        NGramModel(3, WrongAfterRareContexts(2.0)).fit(TRAIN, memory=memory)
    always = tokenize(["the cat sleeps\n" * 3])
    assert NGramModel(3, WrongAfterRareContexts(2.0)).fit(always, memory=memory).prob("cat") > 0


class NothingForUnseenContexts(Dirichlet):
    unseen = 0.0


class LostWhereNothingFollows(Dirichlet):
    def terms(self, level):
        share, weight = super().terms(level)
        return share, np.where(level.totals(level.counts) > 0, weight, 0.0)


@pytest.mark.parametrize(
    "method, where",
    [
        (NothingForUnseenContexts(2.0), "a context that is not in the text"),
        (LostWhereNothingFollows(2.0), "'</s>'|'<unk>'"),
    ],
)
def test_the_sum_after_a_context_that_nothing_follows_is_checked(method, where):
    with pytest.raises(ValueError, match=rf"After ({where}), .* sum to 0, not to 1"):
        NGramModel(2, method).fit(TRAIN)


class Kept(Interpolated):
    """Relative frequencies as whole numbers where they are 0 or 1; it keeps the arrays that it returns."""

    def terms(self, level):
        total = level.totals(level.counts)
        self.shares = getattr(self, "shares", {})
        self.shares[level.n] = (level.counts == level.spread(total)).astype(int)
        follows = level.totals(self.shares[level.n])
        return self.shares[level.n], 1 - follows.astype(int)


def test_shares_may_be_whole_numbers_and_are_not_changed():
    model = NGramModel(2, Kept()).fit(tokenize(["a b\na b\n"]))
    assert model.prob("b", ["a"]) == model.prob("</s>", ["b"]) == 1
    assert set(model.smoothing.shares[2].tolist()) == {1} and set(model.smoothing.shares[1].tolist()) == {0}
