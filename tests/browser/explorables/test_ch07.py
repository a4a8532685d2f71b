"""The interactive figures of chapter 07: windows as the library cuts them; a mask that a network confirms."""

import itertools
import math

import pytest
import torch

from lmmetrics import neural
from lmmetrics.neural._batches import windows
from lmmetrics.text import Vocabulary
from tests.browser.conftest import needs_book
from tests.browser.explorables.conftest import DATA

pytestmark = [pytest.mark.browser, needs_book]

PAGE = "book/07_neural_models.html"


def test_windows_are_the_library_s(page):
    cases = [
        (n, length, stride) for n in (1, 7, 64, 200) for length in (1, 8, 64) for stride in (1, 3, 8, 64)
    ]
    cases = [case for case in cases if case[2] <= case[1]]
    found = page.evaluate(
        "all => all.map(c => [Explorables.strides.windows(...c), Explorables.strides.cost(...c)])", cases
    )
    for (n, length, stride), (made, cost) in zip(cases, found, strict=True):
        cuts = windows(0, n, length, stride)
        assert [tuple(cut) for cut in made] == cuts
        assert cost["windows"] == len(cuts)
        assert cost["computed"] == pytest.approx(sum(stop - start for start, stop, _ in cuts) / n)
        read = [place - start + 1 for start, stop, first in cuts[1:] for place in range(first, stop)]
        assert cost["least"] <= min(read, default=length)


def test_the_mask_is_that_of_a_network(page):
    """In a random Transformer, a forecast moves with exactly the tokens that the script says it sees."""
    N = 7
    vocabulary = Vocabulary([*"abcdefgh"], unk=False)
    cases = list(itertools.product((0, 1), (1, 2, 3)))
    for ahead, layers in cases:
        model = neural.TransformerLM(vocabulary, context=N, width=8, heads=2, layers=layers, seed=1).double()
        for parameter in model.parameters():
            drawn = torch.randn(parameter.shape, generator=torch.Generator().manual_seed(2)).double()
            parameter.data = 0.5 * drawn  # twice as large, attention weights come near 0 and hide a change
        for block in model.blocks:
            look_ahead(block.attention, ahead)
        ids = torch.tensor([vocabulary[w] for w in "abcdefg"])
        with torch.no_grad():
            before = model(inputs(vocabulary, ids))[0]
            for s in range(1, N + 1):
                other = ids.clone()
                other[s - 1] = vocabulary["h"]
                moved = (model(inputs(vocabulary, other))[0] - before)[:, 1:].nan_to_num().abs().amax(
                    1
                ) > 1e-9
                said = page.evaluate(
                    "([N, s, a, l]) => [...Array(N)].map((_, t) => Explorables.mask.sees(t + 1, s, a, l, N))",
                    [N, s, ahead, layers],
                )
                assert moved.tolist() == said, (ahead, layers, s)


def inputs(vocabulary, ids):
    """The token before each, `<s>` first: int64[1, N]."""
    return torch.cat([torch.tensor([vocabulary.bos]), ids[:-1]])[None]


def look_ahead(attention, ahead):
    """Move the mask of an attention by a number of positions."""

    def forward(x):
        B, T, d = x.shape
        split = attention.project(x).view(B, T, 3, attention.heads, -1)
        q, k, v = split.permute(2, 0, 3, 1, 4)
        scores = q @ k.mT / math.sqrt(d / attention.heads)
        weights = scores.masked_fill(torch.ones(T, T).triu(1 + ahead).bool(), -torch.inf).softmax(-1)
        return attention.out((weights @ v).transpose(1, 2).reshape(B, T, d))

    attention.forward = forward


def test_a_smaller_stride_costs_more_and_lowers_the_loss_of_short_windows(page):
    rows = {(length, stride): nats for length, stride, nats in page.evaluate(DATA, "strides")["rows"]}
    assert rows[8, 1] < rows[8, 8] and rows[64, 32] < rows[64, 64] < rows[8, 8]
    box = page.locator("[data-explorable=strides]")
    assert f"{math.exp(rows[8, 8]):.2f}" in box.locator(".result").inner_text()
    box.locator("input").nth(0).focus()
    page.keyboard.press("End")
    box.locator("input").nth(1).focus()
    page.keyboard.press("Home")
    words = box.locator(".result").inner_text()
    assert f"{math.exp(rows[64, 1]):.2f}" in words and "least 64 inputs" in words


def test_the_second_test_finds_what_the_first_misses(page):
    box = page.locator("[data-explorable=mask]")
    words = box.locator(".result").inner_text()
    assert "first test finds nothing" in words and "second test finds the leak" in words
    box.locator("input").nth(1).focus()
    page.keyboard.press("ArrowRight")
    assert "first test finds the leak" in box.locator(".result").inner_text()
    box.locator("input").nth(0).focus()
    page.keyboard.press("ArrowLeft")
    assert "row sums to 1" in box.locator(".result").inner_text()
