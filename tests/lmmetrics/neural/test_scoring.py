"""Neural models score exactly: each token once, for any batch, padding, order and mode."""

import copy
import itertools
import math
import pickle
import threading

import numpy as np
import pytest
import torch

from lmmetrics import neural, score_text
from lmmetrics.neural import _base, inputs_of
from lmmetrics.neural._batches import STATES, scoring_batches
from lmmetrics.neural._torch import one_thread
from lmmetrics.ngram import MaximumLikelihood, NGramModel
from lmmetrics.scoring import score_documents
from lmmetrics.text import Vocabulary, tokenize

DOCUMENTS = [
    "the cat sleeps\nthe cat eats the fish\n\nthe dog sleeps\n",
    "a fish\n",
    "",
    "the dog eats the fish and the cat eats the fish and the dog sleeps and the fish eats a cat\na dog\n",
]
TEXT = tokenize(DOCUMENTS)
V = TEXT.vocabulary

MAKERS = {
    "feed-forward": lambda v: neural.FeedForwardLM(v, context=3, width=8, hidden=9),
    "no hidden layer": lambda v: neural.FeedForwardLM(v, context=2, width=8, hidden=0),
    "bigram": neural.SoftmaxBigram,
    "rnn": lambda v: neural.RecurrentLM(v, "rnn", width=8, tie=False),
    "lstm": lambda v: neural.RecurrentLM(v, "lstm", width=8, layers=2, dropout=0.5),
    "gru": lambda v: neural.RecurrentLM(v, "gru", width=8, state="document"),
    "adaptive": lambda v: neural.RecurrentLM(v, "lstm", width=16, adaptive=[3, 6]),
    "transformer": lambda v: neural.TransformerLM(v, context=7, width=8, heads=2, dropout=0.5),
}


def excited(maker, vocabulary=V):
    """A model whose weights are large, so that every input and every bug shows in the probabilities."""
    model = MAKERS[maker](vocabulary)
    generator = torch.Generator().manual_seed(1)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.copy_(torch.randn(parameter.shape, generator=generator) * 0.7)
    return model


def test_every_exported_model_is_tried():
    exported = [getattr(neural, name) for name in neural.__all__]
    models = {kind for kind in exported if isinstance(kind, type) and issubclass(kind, neural.NeuralLM)}
    assert models - {neural.NeuralLM} == {type(make(V)) for make in MAKERS.values()}


@pytest.fixture(params=MAKERS)
def model(request):
    return excited(request.param)


@pytest.mark.parametrize("state", STATES)
def test_one_token_at_a_time(model, state):
    """The reference: each token from the distribution after all tokens before it, without any batch."""
    model.state = state
    if isinstance(model, neural.TransformerLM):
        model.stride = 1
    strings, expected = TEXT.strings(), []
    for t, id in enumerate(TEXT.ids):
        start = 0 if state == "carry" else max(s for s in TEXT.document_starts if s <= t)
        expected.append(math.log(model.next_distribution(strings[start:t])[id]))
    np.testing.assert_allclose(model.log_probs(TEXT), expected, rtol=0, atol=1e-9)


@pytest.mark.parametrize("state", STATES)
@pytest.mark.parametrize("batch", [1, 7, 30, 10_000])
def test_batch_size_changes_nothing(model, state, batch):
    whole = model.log_probs(TEXT, state=state)
    np.testing.assert_allclose(model.log_probs(TEXT, state=state, batch=batch), whole, rtol=0, atol=1e-9)


@pytest.mark.parametrize("state", ["document", "sentence"])
def test_sharding_changes_nothing(model, state):
    """Documents scored one by one, and in another order, give what they give together."""
    model.state = state
    parts = [model.log_probs(TEXT.document(i)) for i in range(len(DOCUMENTS))]
    np.testing.assert_allclose(np.concatenate(parts), model.log_probs(TEXT), rtol=0, atol=1e-9)
    turned = tokenize(DOCUMENTS[::-1], vocabulary=V)
    np.testing.assert_allclose(np.concatenate(parts[::-1]), model.log_probs(turned), rtol=0, atol=1e-9)


def test_the_sum_over_documents_is_the_whole(model):
    assert sum(score_documents(model, TEXT)).nats == pytest.approx(score_text(model, TEXT).nats, rel=1e-12)


def test_poisoned_padding_changes_nothing(model, monkeypatch):
    rng, padded = np.random.default_rng(0), 0

    def poisoned(*args):
        nonlocal padded
        for positions, scored, fresh in scoring_batches(*args):
            # What comes after the last scored position of a row is padding.
            padding = scored[:, ::-1].cumsum(1)[:, ::-1] == 0
            padded += padding.sum()
            yield np.where(padding, rng.integers(len(TEXT), size=scored.shape), positions), scored, fresh

    model.state = "sentence"
    clean = model.log_probs(TEXT)
    monkeypatch.setattr(_base, "scoring_batches", poisoned)
    np.testing.assert_allclose(model.log_probs(TEXT), clean, rtol=0, atol=1e-9)
    assert padded > 0 or model.reach_of("sentence") == "carry"  # a feed-forward model reads one row


def test_poisoned_future_changes_nothing(model):
    model.eval().double()
    inputs = torch.from_numpy(inputs_of(TEXT))[None, :7]
    clean = model(inputs)
    for t in range(6):
        poisoned = inputs.clone()
        poisoned[:, t + 1 :] = torch.randint(len(V), (1, 6 - t), generator=torch.Generator().manual_seed(t))
        torch.testing.assert_close(model(poisoned)[:, : t + 1], clean[:, : t + 1], rtol=0, atol=1e-12)
        assert not torch.equal(model(poisoned)[:, t + 1 :], clean[:, t + 1 :])  # the poison works


def test_dropout_is_off_whatever_the_mode(model):
    scores = [model.train(mode).log_probs(TEXT) for mode in (True, True, False)]
    assert model.training is False
    np.testing.assert_array_equal(scores[0], scores[1])
    np.testing.assert_array_equal(scores[0], scores[2])


def test_scoring_leaves_the_model_as_it_was(model):
    before = {name: value.clone() for name, value in model.train().state_dict().items()}
    model.log_probs(TEXT)
    assert model.training and all(p.dtype == torch.float32 for p in model.parameters())
    assert all(torch.equal(before[name], value) for name, value in model.state_dict().items())


def test_the_network_is_copied_once_for_the_same_weights(model, monkeypatch):
    """Ten calls make one copy, with the bits of a fresh one; a change of weights makes another."""
    made, deepcopy = [], copy.deepcopy
    monkeypatch.setattr(copy, "deepcopy", lambda *given: made.append(given[0]) or deepcopy(*given))

    def copies():
        made.clear()
        found = [model.log_probs(TEXT) for _ in range(10)]
        count = len([one for one in made if one is model])
        assert all((one == deepcopy(model).log_probs(TEXT)).all() for one in found)
        return count, found[0]

    (first, before), (again, _) = copies(), copies()
    assert (first, again) == (1, 0)
    neural.train(model, TEXT, steps=1, progress=False)
    for change in ("train", "data", "numpy", "attribute"):
        if change == "data":  # PyTorch's counter of versions does not see the next two
            for parameter in model.parameters():
                parameter.data = parameter.data * 1.5
        elif change == "numpy":
            next(model.parameters()).detach().numpy()[:] *= 0.5
        elif change == "attribute":  # a model of one's own may read it
            model.temperature = 2.0
        found, after = copies()
        assert found == 1
        assert change == "attribute" or (after != before).any()
        before = after


def test_the_copy_is_not_part_of_the_model(model):
    names, stored = list(model.state_dict()), len(pickle.dumps(model))
    log_probs = model.log_probs(TEXT)
    assert list(model.state_dict()) == names and len(pickle.dumps(model)) == stored
    for other in (copy.deepcopy(model), pickle.loads(pickle.dumps(model))):
        assert other._copy is None
        np.testing.assert_array_equal(other.log_probs(TEXT), log_probs)


def test_threads_that_score_at_once_leave_the_number_of_threads(monkeypatch):
    """Two calls overlap: the second begins before the first is over, and ends after it."""
    model, events, found = excited("gru"), [threading.Event() for _ in range(3)], {}
    features = type(model).features
    second_in, first_out, first_in = events

    def waiting(*given):
        if threading.current_thread().name == "first":
            first_in.set()
            assert second_in.wait(20)
        else:
            second_in.set()
            assert first_out.wait(20)
        found[f"in {threading.current_thread().name}"] = torch.get_num_threads()
        return features(*given)

    def score():
        name = threading.current_thread().name
        assert name == "first" or first_in.wait(20)
        model.log_probs(tokenize(["the cat"], vocabulary=V))
        found[f"after {name}"] = torch.get_num_threads()
        if name == "first":
            first_out.set()

    monkeypatch.setattr(type(model), "features", waiting)
    before = torch.get_num_threads()
    torch.set_num_threads(3)
    try:
        started = [threading.Thread(target=score, name=name) for name in ("first", "second")]
        for thread in started:
            thread.start()
        for thread in started:
            thread.join()
        new = threading.Thread(target=lambda: found.update(new=torch.get_num_threads()))
        new.start()
        new.join()
        found["here"] = torch.get_num_threads()
    finally:
        torch.set_num_threads(before)
    assert found == {"in first": 1, "in second": 1, "after first": 3, "after second": 3, "new": 3, "here": 3}


def test_one_thread_within_one_thread():
    before = torch.get_num_threads()
    torch.set_num_threads(2)
    try:
        with one_thread():
            with one_thread():
                assert torch.get_num_threads() == 1
            assert torch.get_num_threads() == 1
        assert torch.get_num_threads() == 2
    finally:
        torch.set_num_threads(before)


def test_distributions_sum_to_one_in_every_context(model):
    for length in range(4):
        for context in itertools.product(["the", "cat", "</s>", "<unk>"], repeat=length):
            row = model.next_distribution(context)
            assert row.dtype == np.float64 and row.shape == (len(V),)
            assert row.sum() == pytest.approx(1, abs=1e-12) and row[V.bos] == 0
            assert (np.delete(row, V.bos) > 0).all()


def test_rows_have_the_shape_and_order_of_a_counted_model(model):
    counted = NGramModel(2, MaximumLikelihood()).fit(TEXT)
    assert model.next_distribution(["the"]).shape == counted.next_distribution(["the"]).shape
    assert model.prob("cat", ["<s>", "the"]) == model.next_distribution(["<s>", "the"])[V["cat"]]
    assert model.prob("zebra", ["the"]) == model.prob("<unk>", ["the"])


@pytest.mark.parametrize("maker", MAKERS)
def test_a_fresh_model_scores_ln_v(maker):
    """The first weights are small: no token is favoured by more than a few hundredths of a nat."""
    vocabulary = Vocabulary([f"w{i}" for i in range(500)])
    words = np.random.default_rng(0).integers(500, size=400)
    text = tokenize([" ".join(f"w{i}" for i in words)], vocabulary=vocabulary)
    nats = score_text(MAKERS[maker](vocabulary), text).nats_per("token")
    assert nats == pytest.approx(math.log(vocabulary.predictable), abs=0.05)


@pytest.mark.parametrize("maker", MAKERS)
def test_without_unk_an_unlisted_token_is_impossible_and_says_nothing(maker):
    vocabulary = Vocabulary(V.tokens[3:], unk=False)
    model = excited(maker, vocabulary)
    text = tokenize(["the zebra sleeps\n", "the emu sleeps\n"], vocabulary=vocabulary)
    log_probs = model.log_probs(text, state="document")
    assert np.isneginf(log_probs[[1, 5]]).all()
    assert np.isfinite(np.delete(log_probs, [1, 5])).all()
    np.testing.assert_array_equal(log_probs[:4], log_probs[4:])
    assert not model.embedding(torch.tensor([-1, 2]))[0].any()  # an unlisted token is read as zeros
    assert model.prob("zebra", ["the"]) == 0
    assert score_text(model, text).nats == math.inf


def test_the_state_reaches_as_far_as_it_says():
    """Change the first word of a text: with the state carried, the scores of later documents move."""
    other = tokenize(["fish" + DOCUMENTS[0][3:], *DOCUMENTS[1:]], vocabulary=V)
    document, sentence = TEXT.document_starts[1], TEXT.sentence_starts[1]
    for maker, (state, last) in itertools.product(
        ["lstm", "transformer"], [("sentence", sentence), ("document", document), ("carry", len(TEXT))]
    ):
        model = excited(maker)
        if maker == "transformer":
            model = neural.TransformerLM(V, context=64, width=8, heads=2)
        moved = np.flatnonzero(model.log_probs(TEXT, state=state) != model.log_probs(other, state=state))
        assert moved.min() == 0 and (moved.max() == last - 1 if last < len(TEXT) else moved.max() > document)


def test_a_feed_forward_model_never_sees_past_its_sentence():
    model = excited("feed-forward")
    first, alone = model.log_probs(TEXT), tokenize(["the dog sleeps\n"], vocabulary=V)
    start = TEXT.sentence_starts[3]
    np.testing.assert_allclose(first[start : start + 4], model.log_probs(alone), rtol=0, atol=1e-12)


@pytest.mark.parametrize("stride", range(1, 8))
def test_each_token_is_scored_once_with_the_past_that_the_stride_promises(stride):
    text, window = tokenize(["a" * 25, "a" * 3, "a"], by="char"), 7
    for reach, batch in itertools.product(STATES, [1, 50]):
        times, bounds = np.zeros(len(text), dtype=int), {"carry": [0]}.get(reach, text.document_starts)
        for positions, scored, fresh in scoring_batches(text, reach, batch, window, stride):
            assert fresh and positions.shape[1] <= window
            np.add.at(times, positions[scored], 1)
            for row, marks in zip(positions, scored, strict=True):
                start = max(b for b in bounds if b <= row[0])
                seen = row[marks] - row[0]  # positions before the token in its window
                assert (seen >= np.minimum(window - stride, row[marks] - start)).all()
        assert (times == 1).all()


def test_long_texts_go_on_where_the_state_was(monkeypatch):
    """A text longer than one call reads: the state is handed on."""
    model = excited("lstm")
    whole = model.log_probs(TEXT)
    monkeypatch.setattr("lmmetrics.neural._batches.STEPS", 5)
    np.testing.assert_allclose(model.log_probs(TEXT), whole, rtol=0, atol=1e-9)


def test_rows_are_scored_a_few_at_a_time(monkeypatch):
    model = excited("gru")
    whole = model.log_probs(TEXT)
    monkeypatch.setattr(_base, "ROW_ELEMENTS", 3 * len(V))
    np.testing.assert_allclose(model.log_probs(TEXT), whole, rtol=0, atol=1e-12)


def test_no_tokens(model):
    assert model.log_probs(tokenize([], vocabulary=V)).shape == (0,)


@pytest.mark.parametrize("temperature", [1.0, 0.5])
def test_samples_follow_the_model(model, temperature):
    """Each token is where a uniform number falls in the distribution after all tokens before it."""
    text, rng = model.sample(30, seed=3, temperature=temperature), np.random.default_rng(3)
    strings = text.strings()
    for t, id in enumerate(text.ids):
        weights = model.next_distribution(strings[:t]) ** (1 / temperature)
        assert id == np.searchsorted(np.cumsum(weights) / weights.sum(), rng.random(), side="right")
    assert len(text) == 30 and text.vocabulary is V and score_text(model, text).nats < math.inf


def test_samples_read_what_they_have_drawn(model):
    """At a temperature near 0 each token is the likeliest after all that came before it."""
    for state in STATES:
        model.state = state
        strings = model.sample(12, seed=0, temperature=1e-4).strings()
        for t, token in enumerate(strings):
            assert V.token(int(model.next_distribution(strings[:t]).argmax())) == token


def test_parameters_by_formula(model):
    assert model.parameter_formula.subs(model.sizes) == model.parameter_count


def test_errors_say_what_to_do(model):
    with pytest.raises(ValueError, match=r"another vocabulary .* than the model"):
        model.log_probs(tokenize(["other words"]))
    with pytest.raises(TypeError, match="TokenizedText is expected"):
        model.log_probs("the cat")
    with pytest.raises(ValueError, match="'carry', 'document', 'sentence'"):
        model.state = "paragraph"
    with pytest.raises(ValueError, match="'carry', 'document', 'sentence'"):
        model.log_probs(TEXT, state="paragraph")
    with pytest.raises(TypeError, match="a list of tokens"):
        model.next_distribution("the cat")
    with pytest.raises(ValueError, match="temperature"):
        model.sample(1, seed=0, temperature=0)


def test_impossible_models():
    with pytest.raises(ValueError, match="cell is 'elman'"):
        neural.RecurrentLM(V, cell="elman")
    with pytest.raises(ValueError, match="multiple of heads"):
        neural.TransformerLM(V, width=10, heads=4)
    with pytest.raises(ValueError, match="rising numbers"):
        neural.RecurrentLM(V, adaptive=[6, 3])
    with pytest.raises(ValueError, match="less than one"):
        neural.RecurrentLM(V, width=8, adaptive=[3, 6])
    with pytest.raises(TypeError, match="a Vocabulary is expected"):
        neural.RecurrentLM(["cat"])
    with pytest.raises(ValueError, match="stride"):
        neural.TransformerLM(V, context=4).log_probs(TEXT, stride=5)
