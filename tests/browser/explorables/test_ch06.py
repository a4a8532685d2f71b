"""The interactive figures of chapter 06: their numbers are the library's."""

import itertools

import numpy as np
import pytest
from scipy.optimize import minimize_scalar

from lmmetrics.ngram import AbsoluteDiscounting, AddK, JelinekMercer, KneserNey, NGramModel, WittenBell
from lmmetrics.text import tokenize
from tests.browser.conftest import needs_book
from tests.browser.explorables.conftest import DATA

pytestmark = [pytest.mark.browser, needs_book]

PAGE = "book/06_ngram_models.html"
SONG = """the cat sleeps / the dog sleeps / the dog eats a bone / a cat sees the full moon
the full moon sleeps / the dog sees a bird / a hen eats and a dog sleeps
the cat sees a bird / a bird sees the sea / the dog and the cat sleep / a cat hides
the full moon falls / a full moon / a fish eats / the bird eats
rain falls / the wind and the rain / the old dog sleeps"""
METHODS = {
    "add k": lambda x: AddK(k=x),
    "Witten-Bell": lambda x: WittenBell(),
    "Jelinek-Mercer": lambda x: JelinekMercer(weights=[x, x]),
    "absolute discounting": lambda x: AbsoluteDiscounting(discount=x),
    "Kneser-Ney": lambda x: KneserNey(discount=x),
}


def test_each_method_has_the_library_s_row(page):
    data = page.evaluate(DATA, "massmoves")
    text = tokenize(SONG.replace("\n", " / ").split(" / "), by="whitespace")
    cases = list(itertools.product(data["contexts"], METHODS, (0.05, 0.5, 0.65, 1)))
    ask = "([data, all]) => all.map(c => Explorables.massmoves.after(data, ...c))"
    for (context, method, x), made in zip(cases, page.evaluate(ask, [data, cases]), strict=True):
        model = NGramModel(2, METHODS[method](x)).fit(text)
        library = model.next_distribution([context])[[model.vocabulary[w] for w in data["words"]]]
        assert np.allclose(made["row"], library, rtol=0, atol=1e-12), (context, method, x)
        assert sum(made["row"]) == pytest.approx(1, abs=1e-12)
        assert sum(made["kept"]) + made["weight"] == pytest.approx(1, abs=1e-12)


def test_the_lines_of_the_figure_hold_every_word_once(page):
    data = page.evaluate(DATA, "massmoves")
    for context in data["contexts"]:
        lines = page.evaluate("([data, c]) => Explorables.massmoves.lines(data, c)", [data, context])
        assert sorted(w for line in lines for w in line["of"]) == list(range(len(data["words"])))


def test_em_steps_are_those_of_the_page(page):
    data = page.evaluate(DATA, "emsteps")
    f, b = np.array(data["f"]), np.array(data["b"])
    weight = data["start"]
    for _ in range(50):
        made = page.evaluate(
            "([f, b, w]) => Explorables.emsteps.step(f, b, w)", [data["f"], data["b"], weight]
        )
        given = weight * f + (1 - weight) * b
        assert made["loss"] == pytest.approx(-np.log(given).mean(), abs=1e-12)
        assert made["next"] == pytest.approx((weight * f / given).mean(), abs=1e-12)
        weight = made["next"]
    best = minimize_scalar(
        lambda w: -np.log(w * f + (1 - w) * b).mean(), bounds=(0.01, 0.99), method="bounded"
    )
    assert weight == pytest.approx(best.x, abs=1e-3)


def test_keys_choose_context_and_method_and_take_a_step(page):
    """What the texts ask for: “full” with add k, then Kneser-Ney after “the”; one step of EM."""
    box = page.locator("[data-explorable=massmoves]")
    assert "sums to 1.000" in box.locator(".result").inner_text()
    before = box.locator(".result").inner_text()
    context, method = box.locator("select").all()
    method.focus()
    page.keyboard.press("ArrowDown")
    assert method.input_value() == "Kneser-Ney"
    after = box.locator(".result").inner_text()
    assert before.split("Of this")[0] == after.split("Of this")[0] and before != after
    context.select_option("full")
    method.select_option("add k")
    assert "Taken: 0.852" in box.locator(".result").inner_text()
    box.locator("input").focus()
    page.keyboard.press("ArrowLeft")
    assert "0.95" in box.locator("output").inner_text()
    box = page.locator("[data-explorable=emsteps]")
    box.locator("button").focus()
    page.keyboard.press("Enter")
    assert "After 1 step" in box.locator(".result").inner_text()
