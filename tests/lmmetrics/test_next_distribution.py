"""What a context means: log_probs says the same, and a mixture refuses what its models read differently."""

import numpy as np
import pytest

from lmmetrics import corpora, ngram
from lmmetrics.mixing import Mixture
from lmmetrics.text import tokenize

TALES = corpora.load("tales-en")
TEXT = tokenize(TALES.train[:12])
OTHER = tokenize(["\n\n".join(TALES.valid[0].split("\n")[:2])[:250]], vocabulary=TEXT.vocabulary)
METHODS = [
    ngram.MaximumLikelihood(),
    ngram.AddK(0.1),
    ngram.GoodTuring(1),
    ngram.Katz(2),
    ngram.WittenBell(),
    ngram.JelinekMercer(heldout=OTHER),
    ngram.AbsoluteDiscounting(0.5),
    ngram.KneserNey(0.5),
    ngram.ModifiedKneserNey((0.5, 1, 1.5)),
]


def counted(method=METHODS[-1], order=3):
    return ngram.NGramModel(order, method).fit(TEXT)


def trained(kind="gru", state="sentence"):
    neural = pytest.importorskip("lmmetrics.neural")
    vocabulary = TEXT.vocabulary
    if kind == "feed-forward":
        return neural.FeedForwardLM(vocabulary, context=3, width=8, hidden=9)
    if kind == "bigram":
        return neural.SoftmaxBigram(vocabulary)
    if kind == "transformer":
        return neural.TransformerLM(vocabulary, context=128, width=8, heads=2, state=state)
    return neural.RecurrentLM(vocabulary, kind, width=8, state=state)


MODELS = {
    f"{method!r:.24} of order {order}": (counted, method, order) for method in METHODS for order in (1, 3)
}
MODELS |= {kind: (trained, kind) for kind in ("feed-forward", "bigram")}
MODELS |= {
    f"{kind}, {state}": (trained, kind, state)
    for kind in ("rnn", "lstm", "gru", "transformer")
    for state in ("sentence", "document", "carry")
}
MODELS["a mixture"] = (
    lambda: Mixture([counted(), trained(), Mixture([trained("bigram"), counted(order=2)])]),
)


def places(text):
    """Each token of a text of one document, with all that comes before it, `<s>` included."""
    past = []
    for token in text.strings():
        past += ["<s>"] * (past[-1:] in ([], ["</s>"]))
        yield token, list(past)
        past.append(token)


@pytest.mark.parametrize("name", MODELS)
def test_next_distribution_agrees_with_log_probs(name):
    make, *arguments = MODELS[name]
    model = make(*arguments)
    rows = [model.next_distribution(past) for _, past in places(OTHER)]
    with np.errstate(divide="ignore"):
        found = np.log([row[id] for row, id in zip(rows, OTHER.ids, strict=True)])
    np.testing.assert_allclose(found, model.log_probs(OTHER), rtol=0, atol=1e-9)
    assert [model.prob(token, past) for token, past in places(OTHER)] == pytest.approx(np.exp(found))


@pytest.mark.parametrize("make", [counted, trained, lambda: Mixture([counted(), trained()])])
def test_a_sentence_starts_after_the_end_of_the_one_before_whether_that_is_said_or_not(make):
    """A text's own tokens have no `<s>`: after `</s>` they mean the same without it."""
    model, tokens = make(), OTHER.strings()
    assert "</s>" in tokens[:-1]
    rows = [model.next_distribution(["<s>", *tokens[:place]]) for place in range(len(tokens))]
    found = np.log([row[id] for row, id in zip(rows, OTHER.ids, strict=True)])
    np.testing.assert_allclose(found, model.log_probs(OTHER), rtol=0, atol=1e-9)


def test_a_mixture_refuses_a_context_that_its_models_read_in_two_ways():
    mixed = Mixture([counted(), trained()])
    for model in (mixed, Mixture([mixed, mixed]), Mixture([Mixture([counted()]), Mixture([trained()])])):
        for context in ([], ["the"], ("the", "old")):
            with pytest.raises(ValueError, match=r'begins with.*context=\["<s>", ...\]'):
                model.next_distribution(context)
        assert model.next_distribution(("<s>", "the")).sum() == pytest.approx(1, abs=1e-12)
        with pytest.raises(TypeError, match="single string"):
            model.next_distribution("the cat")


@pytest.mark.parametrize("models", [[counted(), counted(order=1)], [counted()]])
def test_models_that_read_a_context_alike_need_no_start(models):
    row = Mixture(models).next_distribution(["the"])
    np.testing.assert_allclose(row, np.mean([model.next_distribution(["the"]) for model in models], axis=0))


def test_an_empty_context_is_the_start_of_the_text_for_a_network_only():
    network, table = trained(), counted()
    assert np.array_equal(network.next_distribution(), network.next_distribution(["<s>"]))
    assert not np.allclose(table.next_distribution(), table.next_distribution(["<s>"]))
