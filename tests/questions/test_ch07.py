"""The set of chapter 07: full marks when solved, what to do when not, and for wrong code its hint."""

import math

import numpy as np
import pytest
import torch

from lmcourse.hints.question import formula_value
from lmmetrics import neural
from lmmetrics.neural._batches import windows
from lmmetrics.text import tokenize
from tests.questions.exercise_sets import ExerciseSet, SetTests, exchange

SET = ExerciseSet("07_neural_models")
changed, written, units = SET.changed, SET.written, SET.in_wrong_units
odd, breaks = SET.wrong_on_odd_inputs, SET.breaks

BITS = "nats * tokens / math.log(2) / chars"
changed("fresh", "M2", ('{"nats": nats', '{"nats": nats / math.log(2)'))
changed("fresh", "M3", ('{"nats": nats', '{"nats": math.log10(symbols)'))
changed("fresh", "M5", ('{"nats": nats', '{"nats": math.log(1 / symbols)'))
changed("fresh", "M1", ('"perplexity": symbols', '"perplexity": 2**nats'))
changed("fresh", "M1", (BITS, "nats * tokens / chars"))
changed("fresh", "M4", ('"perplexity": symbols', '"perplexity": nats'))
changed("fresh", "M26", ("entries - 1", "entries"))
changed("fresh", "L21", ("entries - 1", "entries - 2"))
changed("fresh", "M36", (BITS, "math.log2(symbols)"))
changed("fresh", "L3", (BITS, "nats * chars / math.log(2) / tokens"))

LOSS = "loss = sp.log(sum(sp.exp(z_k) for z_k in z)) - z[1]"
BY_S, BY_H = "sp.diff(loss.subs(at), s[1])", "sp.diff(loss.subs(at), h)"
SLOPE_2 = "sp.diff(loss, z[1]).subs(at)"
changed("last-layer", "L22", (" - z[1]", ""))
changed("last-layer", "M5", (LOSS, "loss = z[1] - sp.log(sum(sp.exp(z_k) for z_k in z))"))
changed("last-layer", "L23", ("- z[1]\n", "- z[2]\n"))
changed("last-layer", "L23", ("- z[1]\n", "- z[0]\n"))
changed("last-layer", "M6", (LOSS, "loss = -sp.exp(z[1]) / sum(sp.exp(z_k) for z_k in z)"))
changed("last-layer", "L10", (BY_S, SLOPE_2))
changed("last-layer", "L10", (BY_H, f"{SLOPE_2} * s[1]"))
changed("last-layer", "L10", (BY_H, "sum(sp.diff(loss, z_k) for z_k in z).subs(at)"))
changed("last-layer", "L22", (BY_H, f"{BY_H} + s[1]"))

MEAN = "-log_q[rows, targets].mean()"
LOG_Q = "shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True))"
units("loss-and-gradient", MEAN)
changed("loss-and-gradient", "M45", ("logits - logits.max(axis=1, keepdims=True)", "logits"))
changed(
    "loss-and-gradient",
    "M45",
    ("logits - logits.max(axis=1, keepdims=True)", "logits"),
    (LOG_Q, "np.log(np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True))"),
)
changed(
    "loss-and-gradient",
    "M46",
    (LOG_Q, "np.log(np.exp(shifted) / np.exp(shifted).sum(axis=1, keepdims=True))"),
)
written(
    "loss-and-gradient",
    "M30",
    """
    def loss_and_gradient(logits, targets):
        q = torch.tensor(logits).softmax(1).numpy()
        loss = -np.log(q[np.arange(len(q)), targets] + 1e-10).mean()
        q[np.arange(len(q)), targets] -= 1
        return {"loss": loss, "gradient": q / len(q)}
    """,
)
written(
    "loss-and-gradient",
    "M6",
    """
    def loss_and_gradient(logits, targets):
        z, y = torch.tensor(logits).softmax(1), torch.tensor(targets)
        z.requires_grad_()
        loss = F.cross_entropy(z, y)
        loss.backward()
        return {"loss": loss.item(), "gradient": z.grad}
    """,
)
changed(
    "loss-and-gradient", "L1", (MEAN, MEAN.replace("mean", "sum")), ("gradient / len(logits)", "gradient")
)
changed("loss-and-gradient", "L1", ("gradient / len(logits)", "gradient"))
changed("loss-and-gradient", "L1", ("gradient / len(logits)", "gradient / logits.size"))
changed("loss-and-gradient", "M5", ("gradient / len(logits)", "-gradient / len(logits)"))
changed("loss-and-gradient", "L22", ("    gradient[rows, targets] -= 1\n", ""))

GATES = "np.split(e @ W.T + b + h @ U.T + c, 4, axis=1)"
OLD = "sigmoid(f) * cell"
changed("lstm", "L31", ("i, f, g, o =", "i, f, o, g ="))
changed("lstm", "L31", ("i, f, g, o =", "f, i, g, o ="))
changed("lstm", "L31", ("    i, f", "    h, cell = cell, h\n    i, f"))
changed(
    "lstm",
    "L31",
    ('"h": sigmoid(o) * np.tanh(cell), "cell": cell', '"cell": sigmoid(o) * np.tanh(cell), "h": cell'),
)
changed("lstm", "L22", (" + c,", ","))
changed("lstm", "L22", (" + b +", " +"))
changed("lstm", "L22", (f"{OLD} + ", ""))
changed("lstm", "L22", ("np.tanh(cell)", "cell"))
changed("lstm", "L22", ("np.tanh(g)", "g"))
changed("lstm", "L22", ("np.tanh(g)", "sigmoid(g)"))
changed("lstm", "L22", ("return 1 / (1 + np.exp(-x))", "return x"))
changed("lstm", "L24", (" + h @ U.T", ""))
changed("lstm", "L16", ("h @ U.T", "np.concatenate([h @ part for part in np.split(U, 4)], axis=1)"))

SLOPE = "(1 - h**2) * at_h"
changed("step-back", "L10", (SLOPE, "at_h"))
changed("step-back", "L10", ("U.T @ at_a", "at_h"))
changed("step-back", "L10", ("U.T @ at_a", "U.T @ at_h"))
changed("step-back", "L31", (SLOPE, "(1 - h0**2) * at_h"))
changed("step-back", "L22", ("    error[y] -= 1  # expected minus counted\n", ""))
changed("step-back", "M5", ("S.T @ error", "-S.T @ error"))
changed("step-back", "M6", ("    at_h =", "    error *= (q / q.sum())[y]\n    at_h ="))
changed("step-back", "L16", ("np.outer(at_a, h0)", "np.outer(h0, at_a)"))
changed("step-back", "L16", ("U.T @ at_a", "U @ at_a"))

BLOCK = "2 * norm + linear(d, 3 * d) + linear(d, d) + linear(d, 4 * d) + linear(4 * d, d)"
LAYER = "L * 2 * linear(d, 4 * d)"
changed("parameters", "L22", (LAYER, "L * 4 * d * (d + d + 1)"))
changed("parameters", "L22", (LAYER, "L * 2 * linear(d, 3 * d)"))
changed("parameters", "L22", ("V * d + V\n", "V * d\n"), ("linear(hidden, V)", "hidden * V"))
changed("parameters", "L22", (" + linear(d, d)", ""))
changed("parameters", "L22", ("2 * norm + linear", "linear"))
changed("parameters", "L22", (BLOCK, "2 * norm + 3 * d**2 + d**2 + 4 * d**2 + 4 * d**2"))
changed("parameters", "L22", ("tied + C * d", "tied"))
changed("parameters", "L23", ("L * block + norm", "L * block"))
changed("parameters", "L27", ("tied = 2 * d, V * d + V", "tied = 2 * d, V * d + linear(d, V)"))
changed("parameters", "L27", ("V * d + linear(c * d", "c * V * d + linear(c * d"))
changed("parameters", "L24", ("linear(c * d", "linear(d"))
changed("parameters", "L8", ("L * 2", "2"), ("L * block", "block"))

SEES = "(place[:, None] >= place) & text[:, None, :]"
SOFTMAX = "np.exp(scores - scores.max(axis=2, keepdims=True))"
# Rows that see nothing would be 0 / 0: a student who hides too much meets that first, and corrects it.
MENDED = ("scores[~text] = 0.0", "scores[~text | ~sees.any(axis=2)] = 0.0")
MENDED_END = ("* text[:, :, None]", "* (text & sees.any(axis=2))[:, :, None]")
changed("attention", "M47", (SEES, "text[:, None, :] & (place[:, None] >= 0)"))
changed("attention", "L23", ("place[:, None] >= place)", "place[:, None] + 1 >= place)"))
changed("attention", "L23", ("place[:, None] >= place)", "place[:, None] > place)"), MENDED, MENDED_END)
changed(
    "attention",
    "L13",
    ("np.where(sees, q @ k.swapaxes(1, 2) / np.sqrt(m), -np.inf)", "q @ k.swapaxes(1, 2) / np.sqrt(m)"),
    ("keepdims=True) * text", "keepdims=True) * sees * text"),
)
changed(
    "attention", "M19", (" & text[:, None, :]", ""), ("    scores[~text] = 0.0", "    scores[~text] = 0.0")
)
changed("attention", "M47 + M19", (SEES, "(place[:, None] >= 0) & (text[:, None, :] >= 0)"))
changed("attention", "L16", ("place[:, None] >= place)", "place[:, None] <= place)"))
changed(
    "attention",
    "L16",
    ("scores.max(axis=2", "scores.max(axis=1"),
    ("weights.sum(axis=2", "weights.sum(axis=1"),
)
written(
    "attention",
    "L16",
    """
    def attention(q, k, padding):
        q, k = torch.tensor(q), torch.tensor(k)
        place = torch.arange(q.shape[1])
        text = place >= torch.tensor(padding)[:, None]
        sees = torch.ones(len(place), len(place)).tril().bool() & text[:, None, :]
        scores = (q @ k.mT / math.sqrt(q.shape[2])).masked_fill(~sees, -math.inf)
        return scores.softmax(1).nan_to_num() * text[:, :, None]
    """,
)
changed("attention", "L22", (" / np.sqrt(m)", ""))
changed("attention", "L22", ("/ np.sqrt(m)", "/ m"))
changed("attention", "M30", ("-np.inf)", "-1e4)"))
changed("attention", "M45", (SOFTMAX, "np.exp(scores)"))

PAST = "np.arange(scored, stop) - start + 1"
changed(
    "pasts",
    "L23",
    (PAST, "np.arange(scored, stop) - start"),
    ("np.arange(1, length + 1)", "np.arange(length)"),
    ("np.arange(1, N + 1)", "np.arange(N)"),
)
changed("pasts", "L31", *exchange("since(document_starts)", "since(sentence_starts)"))
changed("pasts", "L20", ('"carry": np.arange(1, N + 1)', '"carry": since(document_starts)'))
changed("pasts", "L24", ('"document": since(document_starts)', '"document": np.arange(1, N + 1)'))
changed("pasts", "L8", ("range(0, N, stride)", "range(0, N, C)"))
changed("pasts", "L8", ("range(0, N, stride)", "range(0, N)"))
changed("pasts", "M14", (PAST, "np.arange(start, stop) - start + 1"), ("[scored:stop]", "[start:stop]"))
changed("pasts", "M13", (PAST, f"{PAST} - (start > 0)"))

END = "math.exp(nats / tokens)"
REAL = "ends.cumsum(1) - ends == 0"
BATCH = "nats += losses[real].sum().item()"
MEANS = (BATCH, "nats += losses[real].mean().item()"), (END, "math.exp(nats / len(batches))")
units("evaluator", END, nats="nats / tokens")
written("evaluator", "M9 + M21", "evaluate = evaluate_as_found")
changed("evaluator", "M21", (REAL, "ids != EOS"))
changed("evaluator", "M9", *MEANS)
changed(
    "evaluator",
    "M9",
    (BATCH, "nats += sum(row[mask].mean().item() for row, mask in zip(losses, real))"),
    (END, "math.exp(nats / sum(len(ids) for _, ids in batches))"),
)
changed("evaluator", "M9 + M20", *MEANS, (REAL, "ids >= 0"))
changed("evaluator", "M20", (REAL, "ids >= 0"))
changed("evaluator", "M19", ("tokens += real.sum().item()", "tokens += ids.numel()"))
changed("evaluator", "M25", ("tokens += real.sum().item()", "tokens += (ids != EOS).sum().item()"))
changed("evaluator", "L23", (REAL, "ends.cumsum(1) - ends <= 1"))
changed("evaluator", "M10", (BATCH, "nats += losses[real].mean().exp().item()"), (END, "nats / len(batches)"))
changed("evaluator", "M11", (BATCH, "nats += losses[real].exp().sum().item()"), (END, "nats / tokens"))
changed(
    "evaluator",
    "M23",
    (
        "        losses =",
        "        logits, ids, real = logits[:, :-1], ids[:, 1:], real[:, 1:]\n        losses =",
    ),
)
changed("evaluator", "M6", ("logits.mT", "logits.softmax(-1).mT"))

ALL = "(loss - epsilon * spread) / (1 - epsilon)"
OTHERS = "(loss - share * V * spread) / (1 - epsilon - share)"
RESULT = '{"all": math.exp(among_all), "others": math.exp(among_others)}'
changed("unsmooth", "M1", ("math.exp(", "2 ** ("))
changed("unsmooth", "M2", ("math.exp(", "math.exp(1 / math.log(2) * "))
changed("unsmooth", "M4", ("math.exp(", "("))
changed("unsmooth", "M5", ("math.exp(", "math.exp(-"))
changed("unsmooth", "M41", (RESULT, '{"all": math.exp(loss), "others": math.exp(loss)}'))
changed("unsmooth", "L22", (ALL, "loss - epsilon * spread"), (OTHERS, "loss - share * V * spread"))
changed("unsmooth", "L22", (ALL, "loss / (1 - epsilon)"), (OTHERS, "among_all"))
changed("unsmooth", "L8", ("    among_all =", "    spread = math.log(V)\n    among_all ="))
written(
    "unsmooth",
    "L12",
    """
    def unsmooth(loss, spread, epsilon, V):
        target = np.full(V, epsilon / V)
        target[0] += 1 - epsilon
        found = math.exp(loss + (target * np.log(target)).sum())
        return {"all": found, "others": found}
    """,
)
changed("unsmooth", "L31", (RESULT, '{"others": math.exp(among_all), "all": math.exp(among_others)}'))
changed("unsmooth", "L13", (OTHERS, "(loss - share * V * spread) / (1 - epsilon)"))
changed("unsmooth", "L24", (OTHERS, "among_all"))

TWICE = 'if not np.array_equal(report["reported"], report["again"])'
changed("forensics", "M43", (TWICE, "if False"))
changed("forensics", "M23", ('report["poison"] > 1e-6', "False"))
changed(
    "forensics",
    "L28",
    ('elif np.allclose(said, nats):\n            verdict = "none"', "elif False:\n            pass"),
)
changed("forensics", "L31", *exchange('"M1"', '"M2"'))
changed(
    "forensics",
    "L31",
    ('verdict = "M42"', 'verdict, epsilon = "M41", share.mean()'),
    (
        '        else:\n            verdict, epsilon = "M41", share.mean()',
        '        else:\n            verdict = "M42"',
    ),
)
changed("forensics", "L22", ('/ (report["spread"] - nats)', '/ report["spread"]'))
changed("forensics", "L7", ("share.mean()", "1 - share.mean()"))
changed(
    "forensics",
    "M4",
    ("share.mean()", '((np.exp(said) - np.exp(nats)) / (np.exp(report["spread"]) - np.exp(nats))).mean()'),
)

LARGEST = "logits.max(axis=1, keepdims=True)"
odd("loss-and-gradient", (LARGEST, f"np.maximum(0, {LARGEST})"))
odd(
    "pasts",
    (
        '"document": since(document_starts)',
        '"document": since(sentence_starts if len(document_starts) == 2 else document_starts)',
    ),
)
odd(
    "evaluator",
    (
        "real = ends.cumsum(1) - ends == 0",
        "real = ids != EOS\n"
        "        real[torch.arange(len(ids)), real.sum(1).clamp(1, ids.shape[1] - 1)] = True",
    ),
)

breaks("fresh", "not the exponential of 'nats'", ('"perplexity": symbols', '"perplexity": 1.5 * symbols'))
breaks("last-layer", "have opposite signs", (SLOPE_2, f"{SLOPE_2} + 2"))
breaks(
    "loss-and-gradient",
    "does not sum to 0",
    ("    gradient[rows, targets] -= 1", "    gradient[rows, targets] -= 2"),
)
breaks(
    "lstm", "not between -1 and 1", ('"h": sigmoid(o) * np.tanh(cell)', '"h": 9 * sigmoid(o) * np.tanh(cell)')
)
breaks("step-back", "'U' is not 'b' times the old state", ("np.outer(at_a, h0)", "np.outer(at_a, h)"))
breaks("parameters", "is not whole", (BLOCK, f"{BLOCK} + d / 7"))
breaks("attention", "a position of padding has a row of nan", ("    scores[~text] = 0.0", "    pass"))
breaks("attention", "not a number", ("np.exp(scores - ", "2 * np.abs(scores - "))
breaks("attention", "does not sum to 1", ("* text[:, :, None]", "* 0.9 * text[:, :, None]"))
breaks("attention", "when the last key changes", ("/ np.sqrt(m)", "/ np.abs(k).mean()"))
breaks("attention", "the numbers in the padding change", ("/ np.sqrt(m)", "/ np.abs(k[:, :1]).mean()"))
breaks("pasts", "a window has more than C inputs", (PAST, f"{PAST} + C"))
breaks("pasts", "a number is below 1", ('"carry": np.arange(1, N + 1)', '"carry": np.arange(N) - 2'))
breaks("evaluator", "'tokens' is not the number of ids before the first", (REAL, "ids > 0"))
breaks("evaluator", "it changes when two more positions of padding", (BATCH, "nats += losses.sum().item()"))
breaks("unsmooth", "the symbol that came gets 1 - epsilon", (OTHERS, "among_all"))
breaks("forensics", "none of the seven", ('verdict = "M23"', 'verdict = "M47"'))
breaks("forensics", "is not 0 where the verdict is not M41", ("epsilon = 0.0", "epsilon = 1.0"))
breaks("forensics", "one word for each report", ("verdicts.append(verdict)", 'verdicts.append("")'))
breaks("forensics", "two runs of an evaluator differ", ('verdict = "M43"', 'verdict = "none"'))


class TestSet(SetTests):
    exercises = SET


def right(task, *case):
    question = SET.questions[f"07.{task}"]
    return formula_value(question, question.right, case)


def test_the_lstm_of_the_question_is_pytorchs():
    layer = torch.nn.LSTM(3, 4).double()
    weights = [p.detach().numpy() for p in layer.parameters()]
    rng = np.random.default_rng(1)
    e, h, cell = rng.normal(size=(2, 3)), rng.normal(size=(2, 4)), rng.normal(size=(2, 4))
    state = tuple(torch.tensor(part)[None] for part in (h, cell))
    with torch.no_grad():
        _, (new_h, new_cell) = layer(torch.tensor(e)[None], state)
    found = right("lstm", e, h, cell, *weights)
    np.testing.assert_allclose(found["h"], new_h[0], rtol=1e-12)
    np.testing.assert_allclose(found["cell"], new_cell[0], rtol=1e-12)


@pytest.mark.parametrize("case", SET.questions["07.step-back"].cases, ids=("2 units", "3 units"))
def test_one_step_backwards_is_autograds(case):
    *arrays, y = case
    e, h0, W, U, b, c, S = (torch.tensor(array, requires_grad=True) for array in arrays)
    z = S @ torch.tanh(W @ e + b + U @ h0 + c)
    torch.nn.functional.cross_entropy(z[None], torch.tensor([y])).backward()
    for name, tensor in (("U", U), ("b", b), ("h0", h0)):
        np.testing.assert_allclose(right("step-back", *case)[name], tensor.grad, rtol=1e-10)


@pytest.mark.parametrize("layers", [1, 2])
def test_the_formulas_count_what_the_library_builds(layers):
    vocabulary = tokenize(["the cat sleeps\n"]).vocabulary
    V, d, c, h, C = len(vocabulary), 8, 3, 5, 7
    found = right("parameters", V, d, c, h, layers, C)
    built = {
        "feed-forward": neural.FeedForwardLM(vocabulary, context=c, width=d, hidden=h),
        "LSTM": neural.RecurrentLM(vocabulary, "lstm", width=d, layers=layers),
        "Transformer": neural.TransformerLM(vocabulary, context=C, width=d, heads=2, layers=layers),
    }
    assert found == {name: model.parameter_count for name, model in built.items()}


@pytest.mark.parametrize(("N", "C", "stride"), [(14, 6, 4), (14, 6, 2), (20, 5, 3), (4, 6, 2), (9, 5, 1)])
def test_windows_are_the_librarys_where_the_last_one_is_full(N, C, stride):
    starts = np.array([0, N])
    expected = [
        t - start + 1 for start, stop, scored in windows(0, N, C, stride) for t in range(scored, stop)
    ]
    assert right("pasts", starts, starts, C, stride)["windows"].tolist() == expected


def test_pytorch_smooths_among_all():
    logits, come = (
        torch.randn(40, 9, generator=torch.Generator().manual_seed(2)).double(),
        torch.arange(40) % 9,
    )
    F = torch.nn.functional
    loss, spread = (
        F.cross_entropy(logits, come, label_smoothing=0.2).item(),
        -logits.log_softmax(1).mean().item(),
    )
    log_q = logits.log_softmax(1)
    plain = F.cross_entropy(logits, come).item()
    others = -(log_q.sum(1) - log_q[torch.arange(40), come]).mean().item() / 8
    assert right("unsmooth", loss, spread, 0.2, 9)["all"] == pytest.approx(math.exp(plain), rel=1e-12)
    by_others = 0.8 * plain + 0.2 * others
    assert right("unsmooth", by_others, spread, 0.2, 9)["others"] == pytest.approx(math.exp(plain), rel=1e-12)


def test_the_attention_that_is_nan_for_a_student_is_never_nan_here():
    for seed in range(5):
        for case in SET.questions["07.attention"].fresh_cases(seed):
            weights = right("attention", *case)
            assert np.isfinite(weights).all()
            np.testing.assert_allclose(weights.sum(axis=2), np.arange(case[0].shape[1]) >= case[2][:, None])
