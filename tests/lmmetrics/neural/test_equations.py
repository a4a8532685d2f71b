"""The models are their equations: against NumPy, SymPy, counts and a peer, each written another way."""

import math

import numpy as np
import pytest
import sympy
import torch

from lmmetrics import neural, score_text
from lmmetrics.neural import inputs_of
from lmmetrics.neural._transformer import Attention
from lmmetrics.ngram import MaximumLikelihood, NGramModel
from lmmetrics.text import Vocabulary, tokenize

V = Vocabulary(["the", "cat", "dog", "sleeps", "eats"])


def excited(model, seed=0):
    """Large random weights, in float64: an error in an equation cannot hide."""
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for parameter in model.double().parameters():
            parameter.copy_(torch.randn(parameter.shape, generator=generator, dtype=torch.float64) * 0.8)
    return model.eval()


def arrays(module):
    return {name: value.detach().numpy() for name, value in module.named_parameters()}


def logistic(x):
    return 1 / (1 + np.exp(-x))


# Recurrent models, step for step


def rnn_step(x, h, W, U, b, c):
    return np.tanh(W @ x + b + U @ h + c)


def lstm_step(x, state, W, U, b, c):
    h, cell = state
    i, f, g, o = np.split(W @ x + b + U @ h + c, 4)
    cell = logistic(f) * cell + logistic(i) * np.tanh(g)
    return logistic(o) * np.tanh(cell), cell


def gru_step(x, h, W, U, b, c):
    r, z, _ = np.split(logistic(W @ x + b + U @ h + c), 3)
    _, _, n = np.split(W @ x + b, 3)
    _, _, m = np.split(U @ h + c, 3)
    return (1 - z) * np.tanh(n + r * m) + z * h


@pytest.mark.parametrize("cell", ["rnn", "lstm", "gru"])
def test_recurrent_models_are_their_equations(cell):
    """Two layers, eleven steps, a state handed in: features and last state to 1e-12."""
    model = excited(neural.RecurrentLM(V, cell, width=5, layers=2))
    inputs = torch.from_numpy(np.random.default_rng(0).integers(len(V), size=(1, 11)))
    with torch.no_grad():
        _, memory = model.features(inputs[:, :4])
        features, last = model.features(inputs[:, 4:], memory)
    weights, E = arrays(model.cells), arrays(model)["embedding.weight"]
    step = {"rnn": rnn_step, "lstm": lstm_step, "gru": gru_step}[cell]
    zero = (np.zeros(5), np.zeros(5)) if cell == "lstm" else np.zeros(5)
    states, computed = [zero, zero], []
    for id in inputs[0].tolist():
        x = E[id]
        for k in range(2):
            parts = [weights[f"{name}_l{k}"] for name in ("weight_ih", "weight_hh", "bias_ih", "bias_hh")]
            states[k] = step(x, states[k], *parts)
            x = states[k][0] if cell == "lstm" else states[k]
        computed.append(x)
    np.testing.assert_allclose(features[0], computed[4:], rtol=0, atol=1e-12)
    last = torch.stack(last) if cell == "lstm" else last[None]  # [parts, layers, 1, width]
    expected = np.stack(states).swapaxes(0, 1) if cell == "lstm" else np.stack(states)[None]
    np.testing.assert_allclose(last[:, :, 0], expected, rtol=0, atol=1e-12)


def test_log_probs_by_hand():
    """From ids to nats in NumPy alone: one layer, tied softmax, `<s>` masked."""
    text = tokenize(["the cat eats\nthe dog sleeps\n"], vocabulary=V)
    model = excited(neural.RecurrentLM(V, "rnn", width=4, state="sentence"))
    a = arrays(model)
    W, U, b, c = (a[f"cells.{name}_l0"] for name in ("weight_ih", "weight_hh", "bias_ih", "bias_hh"))
    expected, h = [], None
    for id, previous in zip(text.ids, inputs_of(text), strict=True):
        h = np.zeros(4) if previous == V.bos else h
        h = rnn_step(a["embedding.weight"][previous], h, W, U, b, c)
        odds = np.exp(a["embedding.weight"] @ h + a["head.bias"])
        expected.append(math.log(odds[id] / (odds.sum() - odds[V.bos])))
    np.testing.assert_allclose(model.log_probs(text), expected, rtol=0, atol=1e-12)


def test_the_feed_forward_model_is_its_equation():
    text = tokenize(["the cat eats\nthe dog sleeps\n"], vocabulary=V)
    model = excited(neural.FeedForwardLM(V, context=3, width=4, hidden=6))
    a = arrays(model)
    expected, past = [], None
    for id, previous in zip(text.ids, inputs_of(text), strict=True):
        past = [V.bos] * 3 if previous == V.bos else [*past[1:], previous]
        e = np.concatenate([a["embedding.weight"][token] for token in past])
        h = np.tanh(a["hidden.weight"] @ e + a["hidden.bias"])
        odds = np.exp(a["head.weight"] @ h + a["head.bias"])
        expected.append(math.log(odds[id] / (odds.sum() - odds[V.bos])))
    np.testing.assert_allclose(model.log_probs(text), expected, rtol=0, atol=1e-12)


# Attention


def test_attention_is_its_equation():
    """Position by position, head by head, with loops; and PyTorch's fused attention."""
    T, width, heads, size = 6, 8, 2, 4
    attention = excited(Attention(width, heads))
    x = np.random.default_rng(0).normal(size=(T, width))
    a = arrays(attention)
    q, k, v = np.split(x @ a["project.weight"].T + a["project.bias"], 3, axis=1)
    mixed = np.zeros((T, width))
    for t in range(T):
        for head in range(heads):
            own = slice(head * size, (head + 1) * size)
            odds = np.exp([q[t, own] @ k[s, own] / math.sqrt(size) for s in range(t + 1)])
            mixed[t, own] = odds @ v[: t + 1, own] / odds.sum()
    with torch.no_grad():
        computed = attention(torch.from_numpy(x)[None])[0].numpy()
    np.testing.assert_allclose(computed, mixed @ a["out.weight"].T + a["out.bias"], rtol=0, atol=1e-12)
    split = [torch.from_numpy(part).reshape(T, heads, size).transpose(0, 1) for part in (q, k, v)]
    fused = torch.nn.functional.scaled_dot_product_attention(*split, is_causal=True)
    np.testing.assert_allclose(fused.transpose(0, 1).reshape(T, width), mixed, rtol=0, atol=1e-12)


def test_the_transformer_is_pytorchs():
    """`nn.TransformerEncoderLayer`, normalisation first and with a causal mask, given our weights."""
    model = excited(neural.TransformerLM(V, context=9, width=8, heads=2, layers=2))
    inputs = torch.from_numpy(np.random.default_rng(0).integers(len(V), size=(3, 9)))
    x = model.embedding(inputs) + model.positions
    mask = torch.nn.Transformer.generate_square_subsequent_mask(9, dtype=torch.float64)
    for block in model.blocks:
        peer = torch.nn.TransformerEncoderLayer(
            8, 2, 32, dropout=0.0, activation="gelu", batch_first=True, norm_first=True, dtype=torch.float64
        )
        names = {
            "self_attn.in_proj_weight": block.attention.project.weight,
            "self_attn.in_proj_bias": block.attention.project.bias,
            "self_attn.out_proj.weight": block.attention.out.weight,
            "self_attn.out_proj.bias": block.attention.out.bias,
        }
        for name in ("weight", "bias"):
            for i in (0, 1):
                names[f"linear{i + 1}.{name}"] = getattr(block.network[2 * i], name)
                names[f"norm{i + 1}.{name}"] = getattr(block.norms[i], name)
        peer.load_state_dict(names)
        x = peer(x, src_mask=mask, is_causal=True)
    torch.testing.assert_close(model.features(inputs)[0], model.norm(x), rtol=0, atol=1e-10)


# Gradients: SymPy equals autograd


def test_the_gradient_of_softmax_cross_entropy():
    """SymPy differentiates ln of the sum of exp; autograd gives the same; both are p - y."""
    logits = sympy.symbols("z:4")
    values = np.array([0.3, -1.2, 2.0, 0.7])
    point = dict(zip(logits, values, strict=True))
    for target in range(4):
        loss = sympy.log(sum(sympy.exp(z) for z in logits)) - logits[target]
        by_sympy = [float(sympy.diff(loss, z).subs(point)) for z in logits]
        z = torch.tensor(values, requires_grad=True)
        torch.nn.functional.cross_entropy(z[None], torch.tensor([target])).backward()
        np.testing.assert_allclose(z.grad, by_sympy, rtol=0, atol=1e-14)
        p = np.exp(values) / np.exp(values).sum()
        np.testing.assert_allclose(by_sympy, p - np.eye(4)[target], rtol=0, atol=1e-14)
        difference = sympy.diff(loss, logits[0]) - (
            sympy.exp(logits[0]) / sum(sympy.exp(z) for z in logits) - int(target == 0)
        )
        assert sympy.simplify(difference) == 0


def test_the_gradient_of_one_recurrent_step():
    """Loss after h = tanh(W x + b + U h0 + c), for every weight, input and state of our own model."""
    vocabulary = Vocabulary(["cat"], unk=False)  # <s>, </s>, cat: two can come next
    model = excited(neural.RecurrentLM(vocabulary, "rnn", width=2, tie=False))
    state = torch.tensor([[[0.4, -0.9]]], dtype=torch.float64, requires_grad=True)
    inputs, target = torch.tensor([[2]]), 1
    features, _ = model.features(inputs, state)
    model.head.nats(features[0], torch.tensor([target])).sum().backward()

    def matrix(name, rows, columns):
        return sympy.Matrix(rows, columns, sympy.symbols(f"{name}:{rows * columns}"))

    W, U, S = matrix("W", 2, 2), matrix("U", 2, 2), matrix("S", 3, 2)
    b, c, x, h0, bias = (
        matrix("b", 2, 1),
        matrix("c", 2, 1),
        matrix("x", 2, 1),
        matrix("h", 2, 1),
        matrix("a", 3, 1),
    )
    h = (W * x + b + U * h0 + c).applyfunc(sympy.tanh)
    z = S * h + bias
    loss = sympy.log(sympy.exp(z[1]) + sympy.exp(z[2])) - z[target]  # z[0] is that of <s>
    own = dict(model.named_parameters())
    pairs = [
        (W, own["cells.weight_ih_l0"], None), (U, own["cells.weight_hh_l0"], None),
        (b, own["cells.bias_ih_l0"], None), (c, own["cells.bias_hh_l0"], None),
        (S, own["head.weight"], None), (bias, own["head.bias"], None),
        (x, own["embedding.weight"], 2), (h0, state, (0, 0)),
    ]  # fmt: skip
    point = {}
    for symbols, tensor, row in pairs:
        values = tensor.detach() if row is None else tensor.detach()[row]
        point.update(zip(symbols, values.flatten().tolist(), strict=True))
    for symbols, tensor, row in pairs:
        gradient = tensor.grad if row is None else tensor.grad[row]
        gradients = sympy.lambdify(list(point), [sympy.diff(loss, symbol) for symbol in symbols], "math")
        expected = gradients(*point.values())
        np.testing.assert_allclose(gradient.flatten(), expected, rtol=0, atol=1e-12)
        assert any(abs(value) > 1e-3 for value in expected)


# One objective, two parametrisations


BIGRAMS = tokenize(["the cat sleeps\nthe cat eats\nthe dog sleeps\na dog eats the cat\nthe dog eats\n"])


@pytest.mark.parametrize(
    "make",
    [
        neural.SoftmaxBigram,
        lambda v: neural.FeedForwardLM(v, context=1, width=len(v), hidden=0),
    ],
)
def test_a_trained_bigram_reaches_the_counted_one(make):
    """The same loss to 1e-3 nats per token, from above: no table does better than relative frequencies."""
    counted = NGramModel(2, MaximumLikelihood()).fit(BIGRAMS)
    best = score_text(counted, BIGRAMS).nats_per("token")
    model = make(BIGRAMS.vocabulary)
    neural.train(model, BIGRAMS, steps=400, lr=0.3, length=len(BIGRAMS), progress=False)
    trained = score_text(model, BIGRAMS).nats_per("token")
    assert 0 <= trained - best < 1e-3
    for context in ("<s>", "the", "cat", "dog"):  # and the same table
        np.testing.assert_allclose(
            model.next_distribution([context] if context == "<s>" else ["<s>", context]),
            counted.next_distribution([context]),
            atol=0.01,
        )


# A peer


def test_torchmetrics_on_the_same_logits():
    torchmetrics = pytest.importorskip("torchmetrics.text", reason="torchmetrics is not installed")
    model, text = excited(neural.RecurrentLM(V, "lstm", width=6)), tokenize(["the cat eats\n"], vocabulary=V)
    metric = torchmetrics.Perplexity()
    with torch.no_grad():
        metric.update(model(torch.from_numpy(inputs_of(text))[None]), torch.from_numpy(text.ids).long()[None])
    assert float(metric.compute()) == pytest.approx(score_text(model, text).perplexity, rel=1e-5)


def test_pytorchs_cross_entropy_on_the_same_logits():
    """What torchmetrics does, in PyTorch's own words: exp of the mean cross-entropy."""
    model, text = excited(neural.RecurrentLM(V, "lstm", width=6)), tokenize(["the cat eats\n"], vocabulary=V)
    logits = model(torch.from_numpy(inputs_of(text))[None])[0]
    loss = torch.nn.functional.cross_entropy(logits, torch.from_numpy(text.ids).long()).detach()
    assert float(loss.exp()) == pytest.approx(score_text(model, text).perplexity, rel=1e-12)


# The adaptive softmax


def test_the_adaptive_softmax_gives_frequent_tokens_the_first_classes():
    text = tokenize(["z y x x x w w v v v v u\n"])
    model = neural.RecurrentLM(text.vocabulary, width=16, adaptive=[2, 5])
    neural.train(model, text, steps=1, progress=False)
    classes = dict(zip(text.vocabulary.tokens, model.head.classes.tolist(), strict=True))
    assert classes["v"] == 0 and classes["x"] == 1 and classes["w"] == 2
    assert sorted(classes[token] for token in text.vocabulary if token != "<s>") == list(range(8))


def test_the_adaptive_softmax_is_the_product_of_its_two_steps():
    model = excited(neural.RecurrentLM(V, width=16, adaptive=[3, 5]))
    model.head.sort_by([0, 0, 7, 9, 1, 5, 3, 2])  # </s>, the, cat, dog, sleeps, eats: 7 9 1 5 3 2
    features = torch.from_numpy(np.random.default_rng(0).normal(size=(1, 16)))
    a = arrays(model.head.softmax)
    h = features[0].numpy()
    first = np.exp(a["head.weight"] @ h + a["head.bias"])
    first /= first.sum()  # three tokens, two clusters
    expected = dict(zip(["the", "</s>", "dog"], first, strict=False))
    for cluster, names in enumerate([["sleeps", "eats"], ["cat", "<unk>"]]):
        odds = np.exp(a[f"tail.{cluster}.1.weight"] @ (a[f"tail.{cluster}.0.weight"] @ h))
        expected.update(zip(names, first[3 + cluster] * odds / odds.sum(), strict=True))
    computed = model.head.log_probs(features)[0].exp().detach().numpy()
    assert computed.sum() == pytest.approx(1, abs=1e-14) and computed[V.bos] == 0
    for name, probability in expected.items():
        assert computed[V[name]] == pytest.approx(probability, rel=1e-12)
        nats = float(model.head.nats(features, torch.tensor([V[name]])).detach()[0])
        assert math.exp(-nats) == pytest.approx(probability, rel=1e-12)
