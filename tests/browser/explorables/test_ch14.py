"""The interactive figures of chapter 14: shards dealt as by PyTorch, sums rounded as by NumPy and PyTorch."""

import math

import numpy as np
import pytest
import torch
from torch.utils.data import DistributedSampler

from lmmetrics import Score
from tests.browser.conftest import needs_book

PAGE = "book/14_evaluation_at_scale.html"
pytestmark = [pytest.mark.browser, needs_book]


def sampled(documents, ranks, rule):
    if rule == "exact":
        return [list(range(documents))[rank::ranks] for rank in range(ranks)]
    samplers = [
        DistributedSampler(range(documents), ranks, rank, shuffle=False, drop_last=rule == "drop")
        for rank in range(ranks)
    ]
    return [list(sampler) for sampler in samplers]


CASES = [
    [documents, ranks, rule]
    for documents in (5, 7, 64, 133)
    for ranks in range(1, 33)
    for rule in ("pad", "drop", "exact")
    if ranks <= documents
]


def test_shards_are_those_of_the_sampler(page):
    found = page.evaluate("all => all.map(c => Explorables.ranks.deal(...c))", CASES)
    for case, shards in zip(CASES, found, strict=True):
        assert shards == sampled(*case), case


def test_reports_are_those_of_scores(page):
    rng = np.random.default_rng(14)
    documents = [
        [float(t), int(n)] for t, n in zip(rng.uniform(50, 900, 40), rng.integers(60, 800, 40), strict=True)
    ]
    for ranks in (1, 2, 3, 8, 13, 40):
        for rule in ("pad", "drop", "exact"):
            shards = sampled(40, ranks, rule)
            found = page.evaluate("c => Explorables.ranks.report(...c)", [documents, shards])
            scores = [
                sum((Score(documents[d][0], tokens=documents[d][1]) for d in shard[1:]),
                    start=Score(documents[shard[0]][0], tokens=documents[shard[0]][1]))
                for shard in shards
            ]  # fmt: skip
            losses = [score.nats_per("token") for score in scores]
            whole = sum(scores[1:], start=scores[0])
            assert found["tokens"] == whole.tokens
            assert found["pooled"] == pytest.approx(whole.perplexity, rel=1e-12)
            assert found["expMean"] == pytest.approx(math.exp(np.mean(losses)), rel=1e-12)
            assert found["meanPpl"] == pytest.approx(np.mean(np.exp(losses)), rel=1e-12)


def test_the_words_say_what_came_twice(page):
    say = "c => Explorables.ranks.told(c[0], Explorables.ranks.deal(...c))"
    assert page.evaluate(say, [133, 8, "pad"]) == "The first 3 pages are scored twice."
    assert page.evaluate(say, [133, 2, "drop"]) == "The last 1 page is not scored."
    assert page.evaluate(say, [133, 7, "pad"]) == "Every page is scored once."


def test_running_sums_are_those_of_numpy_and_torch(page):
    rng = np.random.default_rng(3)
    for scale in (0.3, 1, 40):
        values = rng.exponential(scale, 700)
        found = page.evaluate("v => [8, 24].map(b => Explorables.roundsum.running(v, b))", values.tolist())
        total, brain = torch.tensor(0.0, dtype=torch.bfloat16), []
        for value in torch.tensor(values).to(torch.bfloat16):
            total = total + value
            brain.append(float(total))
        assert found[0] == brain
        assert found[1] == np.cumsum(values.astype(np.float32), dtype=np.float32).astype(float).tolist()
    halves = rng.exponential(1, 700)
    found = page.evaluate("v => Explorables.roundsum.running(v, 11)", halves.tolist())
    assert found == np.cumsum(halves.astype(np.float16), dtype=np.float16).astype(float).tolist()


def test_sums_in_pairs_are_those_of_numpy(page):
    rng = np.random.default_rng(4)
    for count in (1, 2, 3, 17, 64, 1000):
        level = rng.exponential(1, count).astype(np.float32)
        values = level.astype(float).tolist()
        while len(level) > 1:
            odd = level[len(level) - len(level) % 2 :]
            level = np.concatenate([level[0 : len(level) // 2 * 2 : 2] + level[1 : len(level) : 2], odd])
        assert page.evaluate("v => Explorables.roundsum.pairwise(v, 24)", values) == float(level[0])


def test_rounding_is_that_of_numpy(page):
    rng = np.random.default_rng(5)
    values = np.concatenate(
        [
            rng.normal(size=300) * 10.0 ** rng.integers(-6, 6, 300),
            2.0 ** np.arange(-8, 9),
            [0, 2049, 2051, 4095.9],
        ]
    )
    found = page.evaluate("v => v.map(x => Explorables.roundsum.round(x, 24))", values.tolist())
    assert found == values.astype(np.float32).astype(float).tolist()


def test_keys_move_the_ranks(page):
    box = page.locator("[data-explorable=ranks]")
    assert "Every page" in box.locator(".result").inner_text()
    box.locator("input").focus()
    page.keyboard.press("ArrowRight")
    assert "The first 3 pages are scored twice" in box.locator(".result").inner_text()
    box.locator("select").select_option("exact")
    words = box.locator(".result b").first.inner_text()
    page.keyboard.press("Tab")
    box.locator("input").focus()
    page.keyboard.press("ArrowRight")
    assert box.locator(".result b").first.inner_text() == words


def test_pairs_come_closer(page):
    box = page.locator("[data-explorable=roundsum]")
    before = box.locator(".result b").nth(1).inner_text()
    box.locator("select").select_option("pairwise")
    after = box.locator(".result b").nth(1).inner_text()
    assert abs(float(after.replace("−", "-"))) < abs(float(before.replace("−", "-")))
