"""The set of chapter 07 as a class answers it: what each wrong answer is told, and which right ones there are."""

# ruff: noqa: E501 (code in one line, as it is written in a hurry)

from tests.questions.exercise_sets import ExerciseSet
from tests.questions.tries import TriesTests

SET = ExerciseSet("07_neural_models")
wrong, right = SET.told, SET.right

# --- fresh

BITS = "nats * tokens / math.log(2) / chars"
wrong(
    "fresh",
    "M26 M1",
    "You share the probability among all entries of the",
    (BITS, "nats * tokens / chars"),
    ('"perplexity": symbols', '"perplexity": entries'),
)
wrong(
    "fresh",
    "M26",
    "You share the probability among all entries of the",
    ('"perplexity": symbols', '"perplexity": entries'),
)
wrong(
    "fresh", "", "'perplexity' is not the exponential of 'nats'.", ('{"nats": nats', '{"nats": nats * tokens')
)
wrong("fresh", "", 'Only "bits per char" is wrong.', (BITS, "nats / math.log(2) / chars"))
wrong("fresh", "", 'Only "bits per char" is wrong.', (BITS, "nats * tokens / math.log(2)"))
wrong("fresh", "", 'Only "bits per char" is wrong.', (BITS, "nats * math.log(2) * tokens / chars"))
wrong("fresh", "", 'Only "bits per char" is wrong.', (BITS, "math.log2(symbols) / tokens"))
wrong(
    "fresh",
    "",
    "'perplexity' is not the exponential of 'nats'.",
    ('"perplexity": symbols', '"perplexity": 1 / symbols'),
)
wrong(
    "fresh",
    "",
    "close, but not within one part in a million of the value.",
    (BITS, "math.log2(symbols) * (tokens - 1) / chars"),
)
right(
    "fresh",
    "fresh = lambda entries, tokens, chars: {'perplexity': np.exp(-np.log(np.full(entries - 1, 1 / (entries - 1)))).mean(), 'nats': -math.log(1 / (entries - 1)), 'bits per char': math.log2((entries - 1) ** tokens) / chars}",
)
right(
    "fresh",
    """
    from fractions import Fraction

    def fresh(entries, tokens, chars):
        logits = torch.zeros(entries, dtype=torch.float64)
        logits[0] = -torch.inf
        nats = F.cross_entropy(logits[None], torch.tensor([1]))
        return {"nats": nats, "perplexity": Fraction(entries - 1), "bits per char": nats.numpy() * tokens / np.log(2) / chars}
    """,
)
right(
    "fresh",
    ('"perplexity": symbols', '"perplexity": torch.tensor(float(symbols))'),
    ("math.log(symbols)", "sp.log(symbols)"),
)

# --- last-layer

BY_S, BY_H = "sp.diff(loss.subs(at), s[1])", "sp.diff(loss.subs(at), h)"
Z1, Z2 = "sp.diff(loss, z[0]).subs(at)", "sp.diff(loss, z[1]).subs(at)"
wrong("last-layer", "", "the derivatives for z_1 and z_2 have opposite signs, but", (Z2, Z2 + " + 1"))
wrong("last-layer", "", "the derivatives for z_1 and z_2 have opposite signs, but", (Z1, Z1 + " - 1"))
wrong(
    "last-layer",
    "",
    "your answer['z1'] contains z1, z2, z3. Use only the symbols",
    (Z1, "sp.diff(loss, z[0])"),
)
wrong(
    "last-layer",
    "M5",
    "Your sign is wrong: that is the gradient of ln q_2, which",
    (Z1, "-" + Z1),
    (Z2, "-" + Z2),
)
wrong("last-layer", "", 'Only "s2" is wrong.', (BY_S, BY_S + " + h"))
wrong("last-layer", "", 'Only "s2" is wrong.', (BY_S, "s[1] * " + Z2))
wrong("last-layer", "M5", "Your sign is wrong: that is the gradient of ln q_2, which", (BY_H, "-" + BY_H))
wrong(
    "last-layer",
    "",
    "not the value asked for",
    (
        "loss = sp.log(sum(sp.exp(z_k) for z_k in z)) - z[1]",
        "loss = sp.log(sum(sp.exp(z_k) for z_k in z), 2) - z[1]",
    ),
)
wrong(
    "last-layer",
    "",
    "not the value asked for",
    (
        "loss = sp.log(sum(sp.exp(z_k) for z_k in z)) - z[1]",
        "loss = (sp.log(sum(sp.exp(z_k) for z_k in z)) - z[1]) / sp.log(2)",
    ),
)
wrong(
    "last-layer",
    "L23",
    "You take word 1 for the word that comes, but in the task",
    (
        "loss = sp.log(sum(sp.exp(z_k) for z_k in z)) - z[1]",
        "loss = sp.log(sum(sp.exp(z_k) for z_k in z)) - z[0]",
    ),
)
wrong("last-layer", "", 'Only "h" is wrong.', (BY_H, BY_H + " * h"))
wrong("last-layer", "", 'Only "h" is wrong.', (BY_H, BY_H + ".subs(h, 1)"))
right(
    "last-layer",
    """
    q = [1 / sum(sp.exp((other - one) * h) for other in s) for one in s]
    error = [q[0], q[1] - 1, q[2]]
    slopes = {"h": sum(a * b for a, b in zip(error, s)), "s2": h * error[1], "z2": error[1], "z1": error[0]}
    """,
)
right(
    "last-layer",
    """
    a, b, c, x = sp.symbols("s1 s2 s3 h")
    loss = sp.log(1 + sp.exp((a - b) * x) + sp.exp((c - b) * x))
    slopes = {"z1": sp.diff(loss, a) / x, "z2": sp.diff(loss, b) / x, "s2": sp.Derivative(loss, b), "h": sp.Derivative(loss, x)}
    """,
)

# --- loss-and-gradient

MEAN = "-log_q[rows, targets].mean()"
LOG_Q = "shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True))"
END = '"gradient": gradient / len(logits)}'
wrong("loss-and-gradient", "", "a number is infinite.", (MEAN, "-log_q.mean()"))
wrong(
    "loss-and-gradient",
    "L1",
    "Your loss is the total, and the task asks for the mean over",
    (MEAN, "-log_q[rows, targets].sum()"),
)
wrong("loss-and-gradient", "", 'Only "loss" is wrong.', (MEAN, "np.exp(-log_q[rows, targets].mean())"))
wrong(
    "loss-and-gradient",
    "M2",
    "Your number is 1.4427 = 1 / ln 2 times the right one: it is",
    (MEAN, "-log_q[rows, targets].mean() / np.log(2)"),
    (END, '"gradient": gradient / len(logits) / np.log(2)}'),
)
wrong("loss-and-gradient", "", 'Only "gradient" is wrong.', (END, '"gradient": gradient / logits.shape[1]}'))
wrong(
    "loss-and-gradient",
    "",
    "your answer['gradient'] is an array of shape (4, 3), but an",
    (END, '"gradient": gradient.T / len(logits)}'),
)
wrong(
    "loss-and-gradient", "", '"loss": not one of the mistakes that this task looks for.', ("axis=1", "axis=0")
)
wrong("loss-and-gradient", "", 'Only "loss" is wrong.', (MEAN, "-shifted[rows, targets].mean()"))
wrong("loss-and-gradient", "", 'Only "loss" is wrong.', (MEAN, "-log_q[rows, np.roll(targets, -1)].mean()"))
wrong(
    "loss-and-gradient",
    "",
    "a row of 'gradient' does not sum to 0: what the probability",
    ("gradient[rows, targets] -= 1", "gradient[:, targets] -= 1"),
)
wrong(
    "loss-and-gradient",
    "",
    "a row of 'gradient' does not sum to 0: what the probability",
    (
        "gradient[rows, targets] -= 1",
        "gradient[rows, targets] = gradient[rows, targets] * (gradient[rows, targets] - 1)",
    ),
)
wrong(
    "loss-and-gradient",
    "",
    "it changes when a constant is added to all logits.",
    ("logits - logits.max(axis=1, keepdims=True)", "np.clip(logits, -700, 700)"),
)
wrong(
    "loss-and-gradient",
    "",
    "a result is not a number (nan). Look for 0 / 0, 0 times",
    ("logits - logits.max(axis=1, keepdims=True)", "np.nan_to_num(logits, neginf=-1e9) - logits.mean()"),
)
wrong(
    "loss-and-gradient",
    "",
    '"loss": close, but not within one part in a million of the',
    (
        "logits - logits.max(axis=1, keepdims=True)",
        "(logits - logits.max(axis=1, keepdims=True)).astype(np.float16)",
    ),
)
right(
    "loss-and-gradient",
    """
    from scipy.special import logsumexp

    def loss_and_gradient(logits, targets):
        came = np.zeros_like(logits)
        np.put_along_axis(came, targets[:, None], 1.0, axis=1)
        total = logsumexp(logits, axis=1, keepdims=True)
        nats = total[:, 0] - np.take_along_axis(logits, targets[:, None], axis=1)[:, 0]
        return {"gradient": ((np.exp(logits - total) - came) / len(came)).tolist(), "loss": np.average(nats)}
    """,
)
right(
    "loss-and-gradient",
    """
    def loss_and_gradient(logits, targets):
        z = torch.tensor(logits, requires_grad=True)
        loss = F.cross_entropy(z, torch.tensor(targets))
        loss.backward()
        return {"loss": loss.detach(), "gradient": z.grad}
    """,
)
right(
    "loss-and-gradient",
    """
    def loss_and_gradient(logits, targets):
        loss, gradient = [], []
        for row, y in zip(logits, targets):
            top = max(row)
            weights = [math.exp(z - top) for z in row]
            loss.append(top - row[y] + math.log(math.fsum(weights)))
            gradient.append([(w / sum(weights) - (k == y)) / len(targets) for k, w in enumerate(weights)])
        return {"loss": sum(loss) / len(loss), "gradient": gradient}
    """,
)

# --- lstm

GATES = "np.split(e @ W.T + b + h @ U.T + c, 4, axis=1)"
NEW = "sigmoid(f) * cell + sigmoid(i) * np.tanh(g)"
wrong(
    "lstm",
    "L31",
    "The first and the second part are swapped: your input gate",
    (NEW, "sigmoid(i) * cell + sigmoid(f) * np.tanh(g)"),
)
wrong("lstm", "", "not the value asked for", (NEW, "cell + sigmoid(i) * np.tanh(g)"))
wrong("lstm", "", "not the value asked for", (NEW, "sigmoid(f) * cell + (1 - sigmoid(f)) * np.tanh(g)"))
wrong("lstm", "", "not the value asked for", (NEW, "sigmoid(f) * cell + np.tanh(g)"))
wrong("lstm", "", 'Only "h" is wrong.', ('"h": sigmoid(o) * np.tanh(cell)', '"h": np.tanh(cell)'))
wrong(
    "lstm", "", 'Only "h" is wrong.', ('"h": sigmoid(o) * np.tanh(cell)', '"h": np.tanh(sigmoid(o) * cell)')
)
wrong(
    "lstm",
    "",
    'Only "h" is wrong.',
    ("    cell = sigmoid(f)", "    old = cell\n    cell = sigmoid(f)"),
    ("np.tanh(cell)", "np.tanh(old)"),
)
wrong(
    "lstm",
    "L22",
    "The vector b of biases is missing.",
    (GATES, "np.split(e @ W.T + c + h @ U.T, 4, axis=1)"),
)
wrong("lstm", "", "not the value asked for", ("1 / (1 + np.exp(-x))", "1 / (1 + np.exp(x))"))
wrong("lstm", "", "not the value asked for", (GATES, "np.split(e @ W.T + b, 4, axis=1)"))
wrong("lstm", "", "not the value asked for", ("i, f, g, o =", "i, g, f, o ="))
wrong("lstm", "", "not the value asked for", ("i, f, g, o =", "o, f, g, i ="))
wrong(
    "lstm",
    "",
    "not the value asked for",
    (GATES, "(e @ W.T + b + h @ U.T + c).reshape(len(e), -1, 4).transpose(2, 0, 1)"),
)
wrong("lstm", "", 'Only "cell" is wrong.', ('"cell": cell}', '"cell": np.tanh(cell)}'))
wrong(
    "lstm",
    "",
    "your answer is of the type tuple, but a dictionary with the",
    ('return {"h": sigmoid(o) * np.tanh(cell), "cell": cell}', "return sigmoid(o) * np.tanh(cell), cell"),
)
right(
    "lstm",
    """
    def lstm_step(e, h, cell, W, U, b, c):
        layer = torch.nn.LSTMCell(e.shape[1], h.shape[1]).double()
        for p, x in zip(layer.parameters(), (W, U, b, c)):
            p.data = torch.tensor(x)
        with torch.no_grad():
            new = layer(torch.tensor(e), (torch.tensor(h), torch.tensor(cell)))
        return dict(zip(("h", "cell"), new))
    """,
)
right(
    "lstm",
    """
    def lstm_step(e, h, cell, W, U, b, c):
        B, d = h.shape
        new = {"h": [[0] * d for _ in range(B)], "cell": np.zeros((B, d))}
        for r in range(B):
            a = np.concatenate([W, U], axis=1) @ np.concatenate([e[r], h[r]]) + (b + c)
            for j in range(d):
                i, f, o = (0.5 + 0.5 * math.tanh(a[j + n * d] / 2) for n in (0, 1, 3))
                new["cell"][r, j] = f * cell[r, j] + i * math.tanh(a[j + 2 * d])
                new["h"][r][j] = o * math.tanh(new["cell"][r, j])
        return new
    """,
)
right(
    "lstm",
    (
        GATES,
        "(np.einsum('bk,nk->nb', e, W) + np.einsum('bd,nd->nb', h, U) + (b + c)[:, None]).reshape(4, -1, len(e)).swapaxes(1, 2)",
    ),
)

# --- step-back

wrong(
    "step-back",
    "",
    "'U' is not 'b' times the old state, but U[i, j] acts on",
    ("np.outer(at_a, h0)", "np.outer(at_a, h)"),
)
wrong(
    "step-back",
    "",
    "your answer['U'] is an array of shape (3, 2), but an array",
    ("np.outer(at_a, h0)", "np.outer(at_a, e)"),
)
wrong(
    "step-back",
    "L10",
    "The error goes through the tanh as if it were not there.",
    ("np.outer(at_a, h0)", "np.outer(at_h, h0)"),
)
wrong(
    "step-back", "L10", "The error goes through the tanh as if it were not there.", ('"b": at_a', '"b": at_h')
)
wrong("step-back", "", "not the value asked for", ("(1 - h**2)", "h * (1 - h)"))
wrong("step-back", "", "not the value asked for", ("(1 - h**2)", "(1 - h) ** 2"))
wrong("step-back", "", "not the value asked for", ("(1 - h**2)", "(1 - np.tanh(h) ** 2)"))
wrong("step-back", "", "not the value asked for", ("error[y] -= 1", "error[y - 1] -= 1"))
wrong("step-back", "", "not the value asked for", ("error[y] -= 1", "error[y] = -1"))
wrong(
    "step-back",
    "M5",
    "Your sign is wrong: your numbers point in the direction in",
    ('np.outer(at_a, h0), "b": at_a, "h0": U.T @ at_a', '-np.outer(at_a, h0), "b": at_a, "h0": U.T @ at_a'),
)
wrong("step-back", "", 'Only "h0" is wrong.', ('"h0": U.T @ at_a', '"h0": at_a'))
wrong("step-back", "", 'Only "h0" is wrong.', ('"h0": U.T @ at_a', '"h0": U @ at_h'))
wrong("step-back", "", "not the value asked for", ("+ U @ h0 + c)", "+ U @ h0)"))
wrong("step-back", "", "not the value asked for", ("at_h = S.T @ error", "at_h = S.T @ (error / np.log(2))"))
right(
    "step-back",
    """
    def step_back(e, h0, W, U, b, c, S, y):
        e, h0, W, U, b, c, S = (torch.tensor(x) for x in (e, h0, W, U, b, c, S))
        loss = lambda U, b, h0: F.cross_entropy((S @ torch.tanh(W @ e + b + U @ h0 + c))[None], torch.tensor([y]))
        return dict(zip(("U", "b", "h0"), torch.autograd.functional.jacobian(loss, (U, b, h0))))
    """,
)
right(
    "step-back",
    """
    def step_back(e, h0, W, U, b, c, S, y):
        d = len(h0)
        h = [math.tanh(sum(W[i] * e) + b[i] + sum(U[i] * h0) + c[i]) for i in range(d)]
        odds = [math.exp(sum(row * h)) for row in S]
        at = [(1 - h[i] ** 2) * sum((odds[k] / sum(odds) - (k == y)) * S[k][i] for k in range(len(S))) for i in range(d)]
        return {
            "h0": [sum(U[i][j] * at[i] for i in range(d)) for j in range(d)],
            "b": tuple(at),
            "U": [[at[i] * h0[j] for j in range(d)] for i in range(d)],
        }
    """,
)
right(
    "step-back",
    ("(1 - h**2) * at_h", "at_h / np.cosh(W @ e + b + U @ h0 + c) ** 2"),
    ("np.outer(at_a, h0)", "at_a[:, None] * h0"),
    ("U.T @ at_a", "at_a @ U"),
)

# --- parameters

BLOCK = "2 * norm + linear(d, 3 * d) + linear(d, d) + linear(d, 4 * d) + linear(4 * d, d)"
wrong("parameters", "", 'Only "Transformer" is wrong.', (BLOCK, BLOCK.replace("2 * norm", "norm")))
wrong(
    "parameters", "", 'Only "Transformer" is wrong.', (BLOCK, BLOCK.replace("linear(d, 3 * d)", "3 * d * d"))
)
wrong("parameters", "", 'Only "Transformer" is wrong.', (BLOCK, "2 * norm + linear(d, 3 * d) + linear(d, d)"))
wrong("parameters", "", 'Only "Transformer" is wrong.', (BLOCK, BLOCK.replace("linear(4 * d, d)", "0")))
wrong(
    "parameters",
    "",
    'Only "Transformer" is wrong.',
    (BLOCK, BLOCK.replace("linear(d, 3 * d)", "linear(d, d)")),
)
wrong("parameters", "", 'Only "Transformer" is wrong.', ("tied + C * d", "tied + d"))
wrong("parameters", "", 'Only "LSTM" is wrong.', ("L * 2 * linear(d, 4 * d)", "L * 4 * linear(d, d)"))
wrong("parameters", "", 'Only "LSTM" is wrong.', ("L * 2 * linear(d, 4 * d)", "L * 2 * linear(d, d)"))
wrong("parameters", "", 'Only "LSTM" is wrong.', ("L * 2 * linear(d, 4 * d)", "L * linear(d, 4 * d)"))
wrong(
    "parameters",
    "",
    'Only "feed-forward" is wrong.',
    ("V * d + linear(c * d, hidden) + linear(hidden, V)", "linear(c * d, hidden) + linear(hidden, V)"),
)
wrong(
    "parameters",
    "",
    'Only "feed-forward" is wrong.',
    ("linear(c * d, hidden) + linear(hidden, V)", "linear(c * V * d, hidden) + linear(hidden, V)"),
)
wrong(
    "parameters",
    "L22",
    "The last layer has a bias for each symbol, in all three",
    ("linear(c * d, hidden) + linear(hidden, V)", "linear(c * d, hidden) + hidden * V"),
)
wrong("parameters", "", 'Only "feed-forward" is wrong.', ("linear(c * d, hidden)", "linear(c + d, hidden)"))
wrong(
    "parameters",
    "L27",
    "You count the embeddings twice. In the LSTM and the",
    ('"LSTM": tied + L', '"LSTM": V * d + linear(d, V) + L'),
)
right(
    "parameters",
    'count = {"Transformer": sp.expand(d * (V + C + 2) + V + L * d * (12 * d + 13)), "LSTM": V * (d + 1) + 8 * L * d * (d + 1), "feed-forward": sp.Add(V * d, hidden, c * d * hidden, V * hidden, V)}',
)
right(
    "parameters",
    """
    x = {name: sp.Symbol(name, positive=True, integer=True) for name in "VdchLC"}
    V, d, L = x["V"], x["d"], x["L"]
    i = sp.Symbol("i")
    count = {
        "feed-forward": V * d + x["h"] * (x["c"] * d + 1) + V * (x["h"] + 1),
        "LSTM": V * (d + 1) + sp.Sum(4 * (2 * d**2 + 2 * d), (i, 1, L)),
        "Transformer": (V + x["C"]) * d + V + 2 * d + L * (12 * d**2 + 13 * d),
    }
    """,
)

# --- attention

SEES = "(place[:, None] >= place) & text[:, None, :]"
wrong("attention", "", "not the value asked for", ("/ np.sqrt(m)", "* np.sqrt(m)"))
wrong("attention", "", "not the value asked for", ("/ np.sqrt(m)", "/ np.sqrt(T)"))
wrong(
    "attention",
    "",
    "a row of a token does not sum to 1, or a row of padding is",
    ("text = place >= padding[:, None]", "text = place > padding[:, None]"),
)
wrong(
    "attention",
    "",
    "a row of a token does not sum to 1, or a row of padding is",
    ("text = place >= padding[:, None]", "text = place < T - padding[:, None]"),
)
wrong(
    "attention", "", "a row of a token does not sum to 1, or a row of padding is", (" * text[:, :, None]", "")
)
wrong("attention", "", "not the value asked for", ("-np.inf)", "0.0)"))
wrong(
    "attention",
    "",
    "a row of a token does not sum to 1, or a row of padding is",
    ("-np.inf)", "-1e9)"),
    ("scores[~text] = 0.0", "pass"),
    (" * text[:, :, None]", ""),
)
wrong("attention", "", "not the value asked for", ("q @ k.swapaxes(1, 2)", "k @ q.swapaxes(1, 2)"))
wrong(
    "attention",
    "",
    "not the value asked for",
    (SEES, "(place[:, None] >= place) & text[:, None, :] & (place[:, None] - place < 3)"),
)
wrong(
    "attention",
    "",
    "a row of a token does not sum to 1, or a row of padding is",
    ("return weights / weights.sum(axis=2, keepdims=True)", "return weights"),
)
wrong(
    "attention",
    "",
    "a row of a token does not sum to 1, or a row of padding is",
    (
        "return weights / weights.sum(axis=2, keepdims=True)",
        "return np.log(weights / weights.sum(axis=2, keepdims=True) + 1e-30)",
    ),
)
wrong(
    "attention",
    "",
    "a row of a token does not sum to 1, or a row of padding is",
    ("    return weights", "    weights = weights.swapaxes(1, 2)\n    return weights"),
    (
        "weights.sum(axis=2, keepdims=True) * text[:, :, None]",
        "weights.sum(axis=1, keepdims=True) * text[:, None, :]",
    ),
)
wrong(
    "attention",
    "",
    "not the value asked for",
    ("    return weights", "    weights = weights.mean(axis=0, keepdims=True)\n    return weights"),
)
right(
    "attention",
    """
    def attention(q, k, padding):
        B, T, m = q.shape
        out = np.zeros((B, T, T))
        for b in range(B):
            for t in range(padding[b], T):
                z = [q[b, t] @ k[b, s] / math.sqrt(m) for s in range(padding[b], t + 1)]
                w = [math.exp(x - max(z)) for x in z]
                out[b, t, padding[b] : t + 1] = np.array(w) / sum(w)
        return out.tolist()
    """,
)
right(
    "attention",
    """
    def attention(q, k, padding):
        q, k, pad = map(torch.as_tensor, (q, k, padding))
        z = torch.einsum("btm,bsm->bts", q, k) * q.shape[-1] ** -0.5
        t = torch.arange(q.shape[1])
        hide = (t[None, :] > t[:, None])[None] | (t[None, None] < pad[:, None, None])
        return z.masked_fill(hide, float("-inf")).softmax(-1).nan_to_num(0.0)
    """,
)
right(
    "attention",
    """
    from scipy.special import log_softmax

    def attention(q, k, padding):
        rows = []
        for Q, K, p in zip(q, k, padding):
            n = len(Q) - p
            z = np.where(np.tri(n, dtype=bool), Q[p:] @ K[p:].T / np.sqrt(Q.shape[1]), -np.inf)
            rows.append(np.pad(np.exp(log_softmax(z, axis=1)), ((p, 0), (p, 0))))
        return rows
    """,
)

# --- pasts

PAST = "np.arange(scored, stop) - start + 1"
wrong(
    "pasts",
    "L23",
    "Your numbers are too small by one. A token's own input is",
    (PAST, "np.arange(scored, stop) - start"),
)
wrong("pasts", "", 'Only "windows" is wrong.', (PAST, "np.arange(scored, stop) - scored + 1"))
wrong("pasts", "", 'Only "windows" is wrong.', (PAST, "C"))
wrong(
    "pasts",
    "L23",
    "Your numbers are too small by one. A token's own input is",
    ('"carry": np.arange(1, N + 1)', '"carry": np.arange(N)'),
)
wrong("pasts", "", 'Only "carry" is wrong.', ('"carry": np.arange(1, N + 1)', '"carry": np.full(N, N)'))
wrong(
    "pasts",
    "",
    'Only "sentence" is wrong.',
    ('"sentence": since(sentence_starts)', '"sentence": since(document_starts)'),
)
wrong(
    "pasts",
    "",
    'Only "document" is wrong.',
    ('"document": since(document_starts)', '"document": since(sentence_starts)'),
)
wrong(
    "pasts",
    "",
    'Only "sentence" is wrong.',
    ('"sentence": since(sentence_starts)', '"sentence": np.minimum(since(sentence_starts), C)'),
)
wrong(
    "pasts",
    "L23",
    "Your numbers are too small by one. A token's own input is",
    ("np.arange(1, length + 1)", "np.arange(length)"),
)
wrong(
    "pasts",
    "",
    'Only "document" and "sentence" are wrong.',
    ("np.arange(1, length + 1)", "np.full(length, length)"),
)
wrong(
    "pasts",
    "",
    "a number is below 1, but a token's own input is always",
    ("range(0, N, stride)", "range(0, N - C + 1, stride)"),
)
wrong(
    "pasts",
    "",
    "your answer['carry'] is an array of shape (5,), but an",
    ("N = int(sentence_starts[-1])", "N = len(sentence_starts)"),
)
wrong(
    "pasts",
    "",
    'Only "windows" is wrong.',
    ('"windows": in_windows', '"windows": np.minimum(in_windows, stride)'),
)
right(
    "pasts",
    """
    def pasts(sentence_starts, document_starts, C, stride):
        sentences, documents, N = set(sentence_starts.tolist()), set(document_starts.tolist()), sentence_starts[-1]
        rows, s, d = [], 0, 0
        for t in range(N):
            s, d = 1 if t in sentences else s + 1, 1 if t in documents else d + 1
            window = next(start for start in range(0, N, stride) if start <= t < start + C)
            rows.append((t + 1, d, s, t - window + 1))
        return dict(zip(("carry", "document", "sentence", "windows"), map(list, zip(*rows))))
    """,
)
right(
    "pasts",
    """
    def pasts(sentence_starts, document_starts, C, stride):
        t = torch.arange(int(document_starts[-1]))
        begun = lambda starts: torch.tensor(starts)[torch.searchsorted(torch.tensor(starts), t, right=True) - 1]
        first = (t - C + stride).clamp(min=0) // stride * stride
        return {"windows": t - first + 1, "sentence": t + 1 - begun(sentence_starts),
                "document": t + 1 - begun(document_starts), "carry": (t + 1).float()}
    """,
)

# --- evaluator

REAL = "ends.cumsum(1) - ends == 0"
wrong(
    "evaluator",
    "M21",
    "The batches are pooled now. The other mistake: no </s> is",
    (REAL, "ends.cumsum(1) == 0"),
)
wrong(
    "evaluator",
    "",
    "'tokens' is not the number of ids before the first </s> of",
    (REAL, "ends.cumsum(0) - ends == 0"),
)
wrong(
    "evaluator",
    "M4",
    "Your number is the average surprisal in nats, which is the",
    ("math.exp(nats / tokens)", "nats / tokens"),
)
wrong(
    "evaluator",
    "",
    "it changes when every row is a batch of its own.",
    ("math.exp(nats / tokens)", "math.exp(nats / len(batches))"),
)
wrong(
    "evaluator",
    "",
    "a result is not a number (nan). Look for 0 / 0, 0 times",
    ("logits.mT", "logits.log_softmax(1).mT"),
)
wrong(
    "evaluator",
    "",
    "it changes when two more positions of padding are added.",
    ("nats += losses[real].sum().item()", "nats += losses.sum().item()"),
)
wrong(
    "evaluator",
    "",
    "'tokens' is not the number of ids before the first </s> of",
    ("tokens += real.sum().item()", "tokens += len(ids)"),
)
wrong(
    "evaluator",
    "",
    "'tokens' is not the number of ids before the first </s> of",
    ("nats += losses[real].sum().item()", "nats = losses[real].sum().item()"),
    ("tokens += real", "tokens = real"),
)
wrong(
    "evaluator",
    "",
    "it changes when every row is a batch of its own.",
    ("nats += losses[real].sum().item()", "nats += (losses * real).sum(1).mean().item()"),
)
wrong(
    "evaluator",
    "",
    "'tokens' is not the number of ids before the first </s> of",
    ('"tokens": tokens', '"tokens": sum(ids.size for _, ids in batches)'),
)
wrong(
    "evaluator",
    "",
    "'tokens' is not the number of ids before the first </s> of",
    ('"tokens": tokens', '"tokens": tokens - sum(len(ids) for _, ids in batches)'),
)
wrong(
    "evaluator",
    "",
    "it changes when two more positions of padding are added.",
    ("        real = ", "        ids = ids.roll(-1, 1)\n        real = "),
)
wrong(
    "evaluator",
    "",
    "your answer is of the type tuple, but a dictionary with the",
    ("return {", "return -1 * nats, {"),
)
wrong(
    "evaluator",
    "",
    'Only "perplexity" is wrong.',
    (REAL, "(ids != EOS) | (torch.arange(ids.shape[1]) == ids.shape[1] - 1)"),
)
right(
    "evaluator",
    """
    from scipy.special import logsumexp

    def evaluate(batches):
        costs = []
        for logits, ids in batches:
            for rows, line in zip(logits, ids.tolist()):
                stop = line.index(EOS) + 1
                costs += [logsumexp(row) - row[i] for row, i in zip(rows[:stop], line[:stop])]
        return {"tokens": len(costs), "perplexity": np.exp(np.mean(costs))}
    """,
)
right(
    "evaluator",
    """
    def evaluate(batches):
        pieces = [(F.cross_entropy(torch.tensor(z[:n]), torch.tensor(row[:n]), reduction="sum"), n)
                  for logits, ids in batches for z, row in zip(logits, ids) for n in [int((row == EOS).argmax()) + 1]]
        nats, counts = map(sum, zip(*pieces))
        return {"perplexity": torch.exp(nats / counts), "tokens": torch.tensor(counts)}
    """,
)
right(
    "evaluator",
    """
    def evaluate(batches):
        total, n = 0.0, 0
        for logits, ids in batches:
            y = torch.tensor(ids).clone()
            after = (y == EOS).int().cumsum(1).roll(1, 1)
            after[:, 0] = 0
            y[after > 0] = -100
            kept = int((y != -100).sum())
            total += F.cross_entropy(torch.tensor(logits).flatten(0, 1), y.flatten()).item() * kept
            n += kept
        return {"tokens": np.int64(n), "perplexity": np.float64(2) ** (total / n / math.log(2))}
    """,
)

# --- unsmooth

ALL = "(loss - epsilon * spread) / (1 - epsilon)"
OTHERS = "(loss - share * V * spread) / (1 - epsilon - share)"
RESULT = '{"all": math.exp(among_all), "others": math.exp(among_others)}'
wrong("unsmooth", "", 'Only "all" is wrong.', (ALL, "(loss - epsilon * spread) / (1 + epsilon)"))
wrong("unsmooth", "", 'Only "all" is wrong.', (ALL, "(loss + epsilon * spread) / (1 - epsilon)"))
wrong(
    "unsmooth",
    "L22",
    "You subtract the second term and stop. What is left is less",
    (ALL, "loss - epsilon * spread"),
)
wrong("unsmooth", "", 'Only "others" is wrong.', (OTHERS, "(loss - share * spread) / (1 - epsilon - share)"))
wrong(
    "unsmooth", "", 'Only "others" is wrong.', (OTHERS, "(loss - epsilon * spread) / (1 - epsilon - share)")
)
wrong(
    "unsmooth", "", 'Only "others" is wrong.', (OTHERS, "(loss - share * V * spread) / (1 - epsilon + share)")
)
wrong(
    "unsmooth",
    "L24",
    "Your second number equals the first. In 'others' the symbol",
    (OTHERS, "(loss - share * (V - 1) * spread) / (1 - epsilon)"),
)
wrong("unsmooth", "", 'Only "others" is wrong.', ("share = epsilon / (V - 1)", "share = epsilon / V"))
wrong(
    "unsmooth",
    "M4",
    "Your number is the average surprisal in nats, which is the",
    (RESULT, '{"all": among_all, "others": math.exp(among_others)}'),
)
wrong(
    "unsmooth",
    "M41",
    "You take the exponential of the smoothed loss. That is what",
    (RESULT, '{"all": math.exp(loss), "others": math.exp(among_others)}'),
)
wrong(
    "unsmooth",
    "M1",
    "For your number r and the right number R, ln r / ln R is",
    (RESULT, '{"all": 2 ** among_all, "others": math.exp(among_others)}'),
)
wrong(
    "unsmooth",
    "L8",
    "You use ln V for the mean surprisal of all symbols. That is",
    (ALL, "(loss - epsilon * math.log(V)) / (1 - epsilon)"),
)
wrong(
    "unsmooth",
    "",
    "the two ways give the same number, but with a small",
    (RESULT, '{"all": math.exp(among_others), "others": math.exp(among_others)}'),
)
right(
    "unsmooth",
    """
    def unsmooth(loss, spread, epsilon, V):
        x = sp.Symbol("x")
        others = (V * spread - x) / (V - 1)
        return {"others": sp.exp(sp.solve((1 - epsilon) * x + epsilon * others - loss, x)[0]),
                "all": sp.exp(sp.solve((1 - epsilon) * x + epsilon * spread - loss, x)[0])}
    """,
)
right(
    "unsmooth",
    "unsmooth = lambda loss, spread, epsilon, V: dict(zip(('all', 'others'), np.exp([spread + (loss - spread) / (1 - e) for e in (epsilon, epsilon * V / (V - 1))])))",
)

# --- forensics

WORDS, ARRAY = '" ".join(verdicts)', "np.array(epsilons)"
TWICE = 'if not np.array_equal(report["reported"], report["again"])'
wrong(
    "forensics",
    "",
    "two runs of an evaluator differ exactly where the verdict",
    (TWICE, 'if abs(report["reported"] - report["again"]).max() > 0.5'),
)
wrong(
    "forensics",
    "",
    "two runs of an evaluator differ exactly where the verdict",
    (TWICE, 'if np.array_equal(report["reported"], report["again"])'),
)
wrong(
    "forensics",
    "M23",
    "You acquit a report because another evaluator agrees. It",
    ('report["poison"] > 1e-6', 'report["poison"] > 10'),
)
wrong("forensics", "", "not the value asked for", ('report["poison"] > 1e-6', 'report["poison"] >= 0'))
wrong("forensics", "", 'Only "epsilon" is wrong.', ("share.mean()", "share.sum()"))
wrong("forensics", "", 'Only "epsilon" is wrong.', ("share.mean()", "round(share.mean(), 2)"))
wrong("forensics", "", 'Only "epsilon" is wrong.', ("share.mean()", "0.1"))
wrong("forensics", "", 'Only "verdicts" is wrong.', ('verdict = "M42"', 'verdict = "M41"'))
wrong(
    "forensics",
    "",
    "two runs of an evaluator differ exactly where the verdict",
    ('verdict = "M43"', 'verdict = "M41"'),
)
wrong("forensics", "", "not the value asked for", ('np.log(report["reported"])', 'report["reported"]'))
wrong(
    "forensics", "", "not the value asked for", ('np.log(report["reported"])', 'np.log2(report["reported"])')
)
wrong(
    "forensics",
    "",
    'Only "verdicts" is wrong.',
    ('verdict = "M1"', 'verdict = "M2"'),
    ('nats / math.log(2)):\n            verdict = "M2"', 'nats / math.log(2)):\n            verdict = "M2"'),
)
wrong(
    "forensics",
    "",
    "your answer['epsilon'] is an array of shape (1,), but an",
    (ARRAY, "np.array([e for e in epsilons if e])"),
)
wrong(
    "forensics",
    "",
    "an epsilon is not 0 where the verdict is not M41.",
    (ARRAY, "np.full(len(epsilons), max(epsilons))"),
)
right("forensics", (WORDS, '"\\n".join(verdicts)'), (ARRAY, "epsilons"))
right("forensics", (WORDS, "verdicts"), (ARRAY, "tuple(epsilons)"))
right("forensics", (WORDS, '", ".join(verdicts)'), (ARRAY, "torch.tensor(epsilons)"))
right(
    "forensics",
    """
    def audit(reports):
        def judged(r):
            x, n, s = np.log(r["reported"]), r["nats"], r["spread"]
            if (r["reported"] != r["again"]).any():
                return "M43", 0
            if r["poison"] > 1e-9:
                return "M23", 0
            same = lambda y: np.allclose(x, y, rtol=1e-9, atol=0)
            for name, y in (("none", n), ("M1", n * np.log(2)), ("M2", n / np.log(2)), ("M42", n + (x - n)[0])):
                if same(y):
                    return name, 0
            return "M41", np.linalg.lstsq((s - n)[:, None], x - n, rcond=None)[0][0]

        names, shares = zip(*map(judged, reports))
        return {"epsilon": np.array(shares, dtype=object), "verdicts": " ".join(names)}
    """,
)

# --- one entry of several, and numbers that no one mistake explains

wrong(
    "loss-and-gradient",
    "M45",
    "the sum of the exponentials overflows inside the logarithm",
    (MEAN, "(np.log(np.exp(logits).sum(axis=1)) - logits[rows, targets]).mean()"),
)
wrong(
    "step-back",
    "M5",
    'The gradient points in the direction in which it rises; it begins with q minus what came. The mistake is in "b" only.',
    ('"b": at_a', '"b": -at_a'),
)
wrong(
    "evaluator",
    "",
    "'tokens' is not the number of ids before the first </s> of",
    ('"tokens": tokens', '"tokens": tokens + sum((ids == EOS).sum(1).max() > 1 for _, ids in batches)'),
)
wrong("parameters", "", "a number of parameters is not whole.", ('"LSTM": tied', '"LSTM": sp.oo + tied'))
wrong(
    "attention",
    "",
    "the row of a first token is nan, and no other row is",
    (SEES, "(place[:, None] > place) & text[:, None, :]"),
)
wrong(
    "attention",
    "",
    "a number is infinite.",
    (
        "    return weights",
        "    with np.errstate(divide='ignore'):\n        return np.log(weights * sees)\n    return weights",
    ),
)
wrong(
    "lstm",
    "",
    'Only "h" is wrong.',
    ('"h": sigmoid(o) * np.tanh(cell)', '"h": sigmoid(o) * np.tanh(sigmoid(i) * np.tanh(g))'),
)
wrong(
    "pasts",
    "",
    'Only "carry" is wrong.',
    ('"carry": np.arange(1, N + 1)', '"carry": np.arange(1, N + 1) / 2'),
)
right("forensics", (WORDS, '" ".join(verdicts).lower()'))
right("forensics", (WORDS, '[verdict if verdict != "none" else None for verdict in verdicts]'))
right(
    "forensics",
    ('return {"verdicts"', 'from types import MappingProxyType\n    return MappingProxyType({"verdicts"'),
    ('"epsilon": np.array(epsilons)}', '"epsilon": np.array(epsilons)})'),
)
right(
    "step-back",
    """
    def step_back(e, h0, W, U, b, c, S, y):
        def loss(U, b, h0):
            z = S @ np.tanh(W @ e + b + U @ h0 + c)
            return np.log(np.exp(z - z[y]).sum())

        def slope(x, of):  # a complex step has no rounding
            found = np.zeros(x.shape)
            for place in np.ndindex(x.shape):
                moved = x.astype(complex)
                moved[place] += 1e-30j
                found[place] = of(moved).imag / 1e-30
            return found

        return {
            "U": slope(U, lambda x: loss(x, b, h0)),
            "b": slope(b, lambda x: loss(U, x, h0)),
            "h0": slope(h0, lambda x: loss(U, b, x)),
        }
    """,
)
right(
    "pasts",
    """
    def pasts(sentence_starts, document_starts, C, stride):
        t = np.arange(document_starts[-1])
        last = lambda starts: np.maximum.accumulate(np.where(np.isin(t, starts), t, 0))
        first = [next(w for w in range(0, len(t), stride) if w + C > x) for x in t]
        return {"sentence": t - last(sentence_starts) + 1, "document": t - last(document_starts) + 1,
                "windows": t - first + 1, "carry": np.ones(len(t)).cumsum()}
    """,
)


class TestTries(TriesTests):
    exercises = SET
