"""The training loop: it learns, it stops, it goes on, it leaves the rest of the process alone."""

import math

import numpy as np
import pytest
import torch

from lmmetrics import neural, score_text
from lmmetrics.neural import _training
from lmmetrics.neural._batches import STATES, TrainingBatches
from lmmetrics.neural._run import Run
from lmmetrics.text import Vocabulary, tokenize

SENTENCE = tokenize(["the cat eats the fish and the dog eats the rest of it\n"])
STORY = "".join(
    f"the {who} {does} the {what}\n"
    for who in ("cat", "dog", "old fox")
    for does in ("sees", "eats", "takes")
    for what in ("fish", "bird", "big bread")
)
TEXT = tokenize([STORY] * 3 + ["a cat sees a dog\n", "the end\n"])
VALID = tokenize(["the cat takes the big fish\nthe old dog sees a bird\n"], vocabulary=TEXT.vocabulary)

MAKERS = {
    "feed-forward": lambda v, **options: neural.FeedForwardLM(v, context=3, width=8, hidden=16, **options),
    "rnn": lambda v, **options: neural.RecurrentLM(v, "rnn", width=24, **options),
    "lstm": lambda v, **options: neural.RecurrentLM(v, "lstm", width=24, dropout=0.2, **options),
    "gru": lambda v, **options: neural.RecurrentLM(v, "gru", width=24, layers=2, dropout=0.2, **options),
    "adaptive": lambda v, **options: neural.RecurrentLM(v, "gru", width=32, adaptive=[4, 8], **options),
    "transformer": lambda v, **options: neural.TransformerLM(
        v, context=16, width=16, heads=2, dropout=0.2, **options
    ),
}
SMALL = {"batch": 4, "length": None, "progress": False}


def weights(model):
    return {name: value.clone() for name, value in model.state_dict().items()}


def same(a, b):
    return a.keys() == b.keys() and all(torch.equal(a[name], b[name]) for name in a)


@pytest.mark.parametrize(
    "maker, state",
    [*((maker, "carry") for maker in MAKERS), ("gru", "sentence"), ("transformer", "document")],
)
def test_a_model_that_overfits_one_sentence_reaches_perplexity_one(maker, state):
    model = MAKERS[maker](SENTENCE.vocabulary)
    model.state = state
    for part in model.modules():
        part.dropout, part.p = getattr(part, "dropout", 0.0), 0.0  # none, where a layer has it
    for layer in model.modules():
        if isinstance(layer, torch.nn.RNNBase):
            layer.dropout = 0.0
    history = neural.train(model, SENTENCE, steps=250, lr=0.02, progress=False)
    assert history.valid_nats.size == 0 and history.best_step == 250
    # "the" comes three times: two tokens of context tell its places apart, so nothing stays uncertain.
    assert score_text(model, SENTENCE).perplexity < 1.05


@pytest.mark.parametrize("maker", MAKERS)
def test_interrupted_and_resumed_is_uninterrupted(maker, tmp_path, monkeypatch):
    """To the last bit, dropout and carried states included."""
    arguments = {**SMALL, "steps": 12, "every": 4, "seed": 5}
    straight, resumed = (MAKERS[maker](TEXT.vocabulary, seed=1) for _ in range(2))
    expected = neural.train(straight, TEXT, valid=VALID, **arguments)

    features, calls = type(resumed).features, []

    def interrupting(self, *inputs):
        if self.training:  # no scorer
            calls.append(1)
            if len(calls) == 7:
                raise KeyboardInterrupt
        return features(self, *inputs)

    monkeypatch.setattr(type(resumed), "features", interrupting)
    stopped = neural.train(resumed, TEXT, valid=VALID, checkpoint=tmp_path / "run", **arguments)
    assert stopped.interrupted and stopped.steps.tolist() == [4] and stopped.best_step in (0, 4)
    torch.rand(3)  # the global generator is somewhere else by now
    history = neural.train(resumed, TEXT, valid=VALID, checkpoint=tmp_path / "run", **arguments)

    assert len(calls) > 7 and not history.interrupted
    assert same(weights(resumed), weights(straight))
    for name in ("steps", "train_nats", "loss", "valid_steps", "valid_nats"):
        np.testing.assert_array_equal(getattr(history, name), getattr(expected, name))
    assert (history.tokens, history.best_step) == (expected.tokens, expected.best_step)
    # A finished run is not run again.
    assert (
        neural.train(resumed, TEXT, valid=VALID, checkpoint=tmp_path / "run", **arguments).tokens
        == history.tokens
    )


def test_interrupted_training_keeps_the_best_weights(monkeypatch):
    model = MAKERS["gru"](TEXT.vocabulary)
    advance, nats = Run.advance, []

    def interrupted(run):
        if run.step == 30:
            raise KeyboardInterrupt
        advance(run)
        if run.step == 20:  # spoil the weights: what comes after is worse
            with torch.no_grad():
                run.model.embedding.weight.normal_(0, 50, generator=torch.Generator().manual_seed(0))

    monkeypatch.setattr(Run, "advance", interrupted)
    history = neural.train(model, TEXT, valid=VALID, steps=1000, every=5, **SMALL)
    assert history.interrupted and "interrupted" in repr(history)
    assert history.best_step == history.valid_steps[history.valid_nats.argmin()] < 20
    nats = -model.log_probs(VALID).mean()
    assert nats == history.valid_nats.min()


def test_a_checkpoint_of_another_run_is_refused(tmp_path):
    model = MAKERS["rnn"](TEXT.vocabulary)
    neural.train(model, TEXT, steps=2, checkpoint=tmp_path / "run", **SMALL)
    with pytest.raises(ValueError, match="belongs to another run: text, lr differ"):
        neural.train(model, VALID, steps=2, lr=0.1, checkpoint=tmp_path / "run", **SMALL)


@pytest.mark.parametrize("maker", MAKERS)
def test_the_same_seed_gives_the_same_weights(maker):
    runs = []
    for seed in (1, 1, 2):
        model = MAKERS[maker](TEXT.vocabulary)
        torch.manual_seed(len(runs))  # must not matter
        neural.train(model, TEXT, steps=4, seed=seed, **SMALL)
        runs.append(weights(model))
    assert same(runs[0], runs[1]) and not same(runs[0], runs[2])
    assert not same(weights(MAKERS[maker](TEXT.vocabulary, seed=1)), weights(MAKERS[maker](TEXT.vocabulary)))


def test_the_process_is_left_alone(capfd):
    torch.manual_seed(0)
    np.random.seed(0)
    before = torch.get_rng_state(), np.random.get_state()[1].copy(), torch.get_num_threads()
    torch.set_num_threads(2)
    model = MAKERS["lstm"](TEXT.vocabulary)
    neural.train(model, TEXT, valid=VALID, steps=3, **SMALL)
    model.sample(5, seed=0)
    assert torch.get_num_threads() == 2
    torch.set_num_threads(before[2])
    assert torch.equal(torch.get_rng_state(), before[0])
    assert (np.random.get_state()[1] == before[1]).all()
    assert capfd.readouterr() == ("", "")


def test_the_bar_goes_to_stderr(capfd):
    neural.train(MAKERS["rnn"](TEXT.vocabulary), TEXT, steps=5, batch=4)
    out, err = capfd.readouterr()
    assert out == "" and "bits per token" in err and "tokens/s" in err


def test_the_history_is_what_happened():
    model = MAKERS["gru"](TEXT.vocabulary)
    history = neural.train(model, TEXT, valid=VALID, steps=60, every=10, lr=0.01, **SMALL)
    assert history.steps.tolist() == [10, 20, 30, 40, 50, 60]
    assert history.valid_steps.tolist() == [0, *history.steps]
    assert history.valid_nats[0] == pytest.approx(math.log(TEXT.vocabulary.predictable), abs=0.05)
    assert history.valid_nats.min() == -model.log_probs(VALID).mean()  # the best weights are in the model
    assert history.train_nats[-1] < history.train_nats[0]
    np.testing.assert_array_equal(history.loss, history.train_nats)
    assert (np.diff(history.seconds) > 0).all() and (history.tokens_per_second > 0).all()
    assert history.tokens == 60 * 4 * 64  # steps, rows, tokens of a piece
    assert all(getattr(history, name).dtype == np.float64 for name in ("train_nats", "valid_nats"))


def test_the_loss_is_the_measure():
    """With the whole text as one batch and a learning rate of 0, the training loss is the score."""
    model = MAKERS["rnn"](TEXT.vocabulary)
    history = neural.train(model, TEXT, steps=1, lr=1e-12, length=len(TEXT), progress=False)
    assert history.train_nats[0] == pytest.approx(score_text(model, TEXT).nats_per("token"), abs=1e-6)


def test_a_smoothed_loss_is_not_a_cross_entropy():
    """The loss is (1 - s) times the nats plus s times the mean of -ln q over the vocabulary."""
    model = MAKERS["rnn"](TEXT.vocabulary)
    arguments = {"steps": 1, "lr": 1e-12, "length": len(TEXT), "progress": False}
    history = neural.train(model, TEXT, smoothing=0.1, **arguments)
    nats = score_text(model, TEXT).nats_per("token")
    assert history.train_nats[0] == pytest.approx(nats, abs=1e-6)
    strings, bos = TEXT.strings(), TEXT.vocabulary.bos
    spread = np.mean(
        [-np.log(np.delete(model.next_distribution(strings[:t]), bos)).mean() for t in range(len(TEXT))]
    )
    assert history.loss[0] == pytest.approx(0.9 * nats + 0.1 * spread, abs=1e-6)


def test_patience_stops_a_run_that_gets_worse():
    model = MAKERS["rnn"](SENTENCE.vocabulary)
    other = tokenize(["dog the eats cat fish of it rest\n"] * 3, vocabulary=SENTENCE.vocabulary)
    history = neural.train(
        model, SENTENCE, valid=other, steps=500, every=5, lr=0.02, patience=3, progress=False
    )
    assert history.steps[-1] < 500
    assert history.steps[-1] == history.best_step + 15
    assert history.valid_nats.min() == -model.log_probs(other).mean()


def test_seconds_stop_a_run():
    history = neural.train(MAKERS["rnn"](TEXT.vocabulary), TEXT, seconds=0.3, **SMALL)
    assert 0.3 <= history.seconds[-1] < 3 and history.steps[-1] > 1


def test_the_learning_rate_rises_and_falls():
    rate = _training._rates(0.5, "cosine", 1000, None)
    assert rate(0, 0.0) == pytest.approx(0.005, rel=1e-3)
    assert rate(99, 0.0) == pytest.approx(0.5, rel=0.03)
    assert rate(1000, 0.0) == pytest.approx(0.05)
    assert rate(0, 0.0) < rate(50, 0.0) < rate(99, 0.0) > rate(500, 0.0) > rate(999, 0.0)
    assert _training._rates(0.5, "constant", 1000, None)(999, 0.0) == 0.5
    assert _training._rates(0.5, "cosine", None, 10.0)(5000, 10.0) == pytest.approx(0.05)


def test_long_gradients_are_cut(monkeypatch):
    norms, step = [], torch.optim.Adam.step

    def watched(self, *args):
        parameters = self.param_groups[0]["params"]
        norms.append(math.sqrt(sum(float((p.grad.double() ** 2).sum()) for p in parameters)))
        return step(self, *args)

    monkeypatch.setattr(torch.optim.Adam, "step", watched)
    neural.train(MAKERS["rnn"](TEXT.vocabulary), TEXT, steps=4, clip=0.01, **SMALL)
    assert max(norms) == pytest.approx(0.01, rel=1e-3)


@pytest.mark.parametrize("maker", ["gru", "transformer", "feed-forward"])
def test_poisoned_padding_changes_no_weight(maker, monkeypatch):
    """What the mask marks as padding reaches neither the gradient nor the state that is carried."""
    runs, padded = [], []
    following, rng = TrainingBatches.__next__, np.random.default_rng(0)

    def poisoned(self):
        positions, mask, fresh = following(self)
        padded.append((~mask).sum())
        return np.where(mask, positions, rng.integers(len(TEXT), size=mask.shape)), mask, fresh

    for patched in (False, True):
        if patched:
            monkeypatch.setattr(TrainingBatches, "__next__", poisoned)
        model = MAKERS[maker](TEXT.vocabulary)
        model.state = "sentence"
        neural.train(model, TEXT, steps=6, **SMALL | ({"length": 5} if maker == "gru" else {}))
        runs.append(weights(model))
    assert sum(padded) > 0 or maker == "feed-forward"  # which reads the text as one ring
    assert all(torch.allclose(runs[0][name], runs[1][name], rtol=0, atol=1e-6) for name in runs[0])


@pytest.mark.parametrize("reach", STATES)
@pytest.mark.parametrize("length", [3, 16, 1000])
def test_each_row_reads_segments_from_start_to_end(reach, length):
    """Rows follow on from batch to batch, segments are whole, and all tokens come about equally often."""
    batches = TrainingBatches(TEXT, reach, 4, length, seed=0)
    bounds = {"document": TEXT.document_starts, "sentence": TEXT.sentence_starts}.get(reach)
    times, ends = np.zeros(len(TEXT), dtype=int), None
    for _ in range(300):
        positions, mask, fresh = next(batches)
        assert mask[:, 0].all() and (mask[:, :-1] >= mask[:, 1:]).all() and mask.any(0).all()
        for row in range(len(mask)):
            read = positions[row][mask[row]]
            assert (np.diff(read) % len(TEXT) == 1).all()
            if not fresh[row]:
                assert read[0] == (ends[row] + 1) % len(TEXT)
            elif bounds is not None:
                assert read[0] in bounds
                assert ends is None or ends[row] + 1 in bounds
            assert bounds is None or np.searchsorted(bounds, read[0], "right") == np.searchsorted(
                bounds, read[-1], "right"
            )
            np.add.at(times, read, 1)
        ends = [positions[row][mask[row]][-1] for row in range(len(mask))]
    assert times.min() > 0.6 * times.mean() and times.max() < 1.4 * times.mean()


@pytest.mark.parametrize("maker", MAKERS)
def test_saved_and_loaded_is_the_same_model(maker, tmp_path):
    model = MAKERS[maker](TEXT.vocabulary)
    neural.train(model, TEXT, steps=3, **SMALL)
    model.state = "document"
    if maker == "transformer":
        model.stride = 3
    model.save(tmp_path / "model.pt")
    loaded = neural.load(tmp_path / "model.pt")
    assert type(loaded) is type(model) and loaded.vocabulary == model.vocabulary
    assert same(weights(loaded), weights(model)) and loaded.parameter_count == model.parameter_count
    np.testing.assert_array_equal(loaded.log_probs(VALID), model.log_probs(VALID))
    assert loaded.sample(20, seed=1).decode() == model.sample(20, seed=1).decode()
    assert [path.name for path in tmp_path.iterdir()] == ["model.pt"]


def test_samples_are_written_as_the_text_that_was_learned(tmp_path):
    text = tokenize(["naïve 貓"], by="byte")
    model = neural.RecurrentLM(text.vocabulary, "gru", width=64)
    neural.train(model, text, steps=150, lr=0.02, progress=False)
    model.save(tmp_path / "model")
    sample = neural.load(tmp_path / "model").sample(len(text), seed=0, temperature=0.01)
    assert sample.decode() == ["naïve 貓\n"]  # as a counted model does it: `</s>` is written as a newline


def test_a_file_that_holds_no_model(tmp_path):
    (tmp_path / "notes.txt").write_text("no model")
    with pytest.raises(ValueError, match="does not contain a neural model"):
        neural.load(tmp_path / "notes.txt")
    with pytest.raises(FileNotFoundError):
        neural.load(tmp_path / "nothing")


def test_errors_say_what_to_do():
    model = MAKERS["rnn"](TEXT.vocabulary)
    with pytest.raises(ValueError, match="Neither steps nor seconds"):
        neural.train(model, TEXT)
    with pytest.raises(ValueError, match="schedule is 'linear'"):
        neural.train(model, TEXT, steps=1, schedule="linear")
    with pytest.raises(ValueError, match="smoothing is 1"):
        neural.train(model, TEXT, steps=1, smoothing=1)
    with pytest.raises(ValueError, match="another vocabulary"):
        neural.train(model, SENTENCE, steps=1)
    with pytest.raises(TypeError, match="TokenizedText is expected"):
        neural.train(model, [STORY], steps=1)
    with pytest.raises(ValueError, match="no tokens"):
        neural.train(model, tokenize([], vocabulary=TEXT.vocabulary), steps=1)
    closed = Vocabulary(["cat"], unk=False)
    with pytest.raises(ValueError, match="The validation text has no tokens"):
        neural.train(model, TEXT, valid=tokenize([], vocabulary=TEXT.vocabulary), steps=1)
    with pytest.raises(ValueError, match="outside its vocabulary"):
        neural.train(MAKERS["rnn"](closed), tokenize(["dog"], vocabulary=closed), steps=1)
    with pytest.raises(ValueError, match="context is 16"):
        neural.train(MAKERS["transformer"](TEXT.vocabulary), TEXT, steps=1, length=64)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"steps": -3}, "steps is -3; a whole number of at least 1"),
        ({"steps": 2.5}, "steps is 2.5; a whole number of at least 1"),
        ({"seconds": -1}, "seconds is -1; a number above 0"),
        ({"seconds": math.inf}, "seconds is inf; a number above 0"),
        ({"length": 0}, "length is 0; a whole number of at least 1"),
        ({"every": 0}, "every is 0; a whole number of at least 1"),
        ({"batch": 0}, "batch is 0; a whole number of at least 1"),
        ({"patience": 0}, "patience is 0; a whole number of at least 1"),
        ({"patience": 2}, "There is no validation text"),
        ({"clip": -1}, "clip is -1; a number above 0"),
        ({"lr": "x"}, "lr is 'x'; a number above 0"),
        ({"lr": math.nan}, "lr is nan; a number above 0"),
        ({"smoothing": "x"}, "smoothing is 'x'; a number from 0"),
    ],
)
def test_an_option_out_of_range_is_refused(options, message):
    model = MAKERS["rnn"](TEXT.vocabulary)
    before = [weights.clone() for weights in model.parameters()]
    error = TypeError if {"x", 2.5} & {*options.values()} else ValueError
    with pytest.raises(error, match=message):
        neural.train(model, TEXT, **{"steps": 1, "progress": False} | options)
    assert all(torch.equal(x, y) for x, y in zip(before, model.parameters(), strict=True))
