"""The set of chapter 02: full marks when solved, what to do when not, and for wrong code its hint."""

from tests.questions.exercise_sets import ExerciseSet, SetTests

SET = ExerciseSet("02_cross_entropy")
changed, written, right, units = SET.changed, SET.written, SET.right, SET.in_wrong_units
odd = SET.wrong_on_odd_inputs

MEAN = "nats.mean()"
changed("three-words", "M2", ("-np.log(q)", "-np.log2(q)"))
changed("three-words", "M3", ("-np.log(q)", "-np.log10(q)"))
changed("three-words", "M2", ('"nats": nats', '"nats": -np.log2(q)'), (MEAN, "-np.log2(q).mean()"))
changed("three-words", "M3", ('"nats": nats', '"nats": -np.log10(q)'), (MEAN, "-np.log10(q).mean()"))
changed("three-words", "M5", ("-np.log(q)", "np.log(q)"))
changed("three-words", "M1", ("nats / np.log(2)", "nats"))
changed(
    "three-words", "L3", ("nats / np.log(2)", "nats * np.log(2)"), ("nats / np.log(10)", "nats * np.log(10)")
)
changed("three-words", "L1", (MEAN, "nats.sum()"))
changed("three-words", "L2", (MEAN, "-np.log(q.mean())"))
changed("three-words", "L4", ("q.prod()", "q.sum()"))
changed("three-words", "L4", ("q.prod()", "q.mean()"))

PICKED = "-np.log(q[days, outcomes]).mean()"
units("forecasters", PICKED, ids="M2 M3")
changed("forecasters", "M5 + L7", (PICKED, "np.log(q[days, outcomes]).mean()"))
changed("forecasters", "M5", (PICKED, "np.log(q[days, outcomes]).mean()"), ("argmin", "argmax"))
changed("forecasters", "L7", ("argmin", "argmax"))
changed("forecasters", "L5", (PICKED, "-(q * np.log(q)).sum(axis=1).mean()"))
changed("forecasters", "L6", (PICKED, "-np.log(q.max(axis=1)).mean()"))
changed("forecasters", "L1", (PICKED, "-np.log(q[days, outcomes]).sum()"))
changed("forecasters", "L2", (PICKED, "-np.log(q[days, outcomes].mean())"))

AVERAGE = "-log_probs[real, targets[real]].mean()"
units("average-surprisal", AVERAGE, ids="M1 M2 M3 M5")
changed("average-surprisal", "M19", (AVERAGE, "-log_probs[real, targets[real]].sum() / targets.size"))
changed("average-surprisal", "M20", ("targets != ignore_index", "np.ones(targets.shape, dtype=bool)"))
changed("average-surprisal", "M21", ("targets != ignore_index", "targets > 0"))
changed("average-surprisal", "M21", ("targets != ignore_index", "targets != 0"))
written(
    "average-surprisal",
    "M9",
    """
    def average_surprisal(log_probs, targets, ignore_index):
        means = []
        for row, ids in zip(log_probs, targets):
            real = ids != ignore_index
            means.append(-row[real, ids[real]].mean())
        return sum(means) / len(means)
    """,
)
changed("average-surprisal", "L1", (".mean()", ".sum()"))
written(
    "average-surprisal",
    "M41",
    """
    def average_surprisal(log_probs, targets, ignore_index):
        logits = torch.from_numpy(log_probs).flatten(0, 1)
        ids = torch.from_numpy(targets).flatten()
        return F.cross_entropy(logits, ids, ignore_index=ignore_index, label_smoothing=0.1).item()
    """,
)
changed("average-surprisal", "M4", (AVERAGE, f"np.exp({AVERAGE})"))
changed("average-surprisal", "M11", (AVERAGE, "np.log(np.exp(-log_probs[real, targets[real]]).mean())"))
changed("average-surprisal", "L2", (AVERAGE, "-np.log(np.exp(log_probs[real, targets[real]]).mean())"))
changed(
    "average-surprisal",
    "M19 and M2",
    (AVERAGE, "-log_probs[real, targets[real]].sum() / np.log(2) / targets.size"),
)

NLL = "return log_normaliser - z[np.arange(len(z)), targets]"
DOUBLE = ("logits.astype(np.float64)", "logits")
SHIFT = ("z = z - z.max(axis=1, keepdims=True)", "z = z")
SOFTMAX = "q = np.exp(z) / np.exp(z).sum(axis=1, keepdims=True); return "
units("token-nll", NLL.removeprefix("return "))
changed("token-nll", "M46", (NLL, SOFTMAX + "-np.log(q[np.arange(len(z)), targets])"))
changed("token-nll", "M46", DOUBLE, (NLL, SOFTMAX + "-np.log(q[np.arange(len(z)), targets])"))
changed("token-nll", "M45", SHIFT)
changed("token-nll", "M45", SHIFT, DOUBLE)
changed("token-nll", "M45", SHIFT, DOUBLE, (NLL, SOFTMAX + "-np.log(q[np.arange(len(z)), targets])"))
changed("token-nll", "M30", (NLL, SOFTMAX + "-np.log(q[np.arange(len(z)), targets] + 1e-10)"))
changed("token-nll", "M6", (NLL, "return -logits[np.arange(len(z)), targets]"))
written(
    "token-nll",
    "M6",
    """
    def token_nll(logits, targets):
        q = torch.softmax(torch.from_numpy(logits).double(), dim=1)
        return F.cross_entropy(q, torch.from_numpy(targets), reduction="none")
    """,
)
written(
    "token-nll",
    "M44",
    """
    def token_nll(logits, targets):
        top = logits.max(axis=1, keepdims=True)
        log_sum = top[:, 0] + np.log(np.exp(logits - top).sum(axis=1))
        return log_sum - logits[np.arange(len(logits)), targets]
    """,
)

MODEL = """
weights = [sp.exp(z_k / T) for z_k in z]
q = [weight / sum(weights) for weight in weights]
"""
changed("softmax-gradient", "M5", ("loss = -sum", "loss = sum"), ("assert sp", "sp"))
written("softmax-gradient", "L10", MODEL + "gradient = [q_k - p_k for q_k, p_k in zip(q, p)]")
written(
    "softmax-gradient", "L10", MODEL.replace(" / T", "") + "gradient = [q_k - p_k for q_k, p_k in zip(q, p)]"
)
written("softmax-gradient", "L10", MODEL + "gradient = [-p_k / q_k for q_k, p_k in zip(q, p)]")
written(
    "softmax-gradient",
    "L10",
    MODEL + "gradient = [-p_k * sp.diff(sp.log(q_k), z_k) for q_k, p_k, z_k in zip(q, p, z)]",
)
written("softmax-gradient", "L22", MODEL + "gradient = [sp.diff(sp.log(sum(weights)), z_k) for z_k in z]")

changed(
    "least-cross-entropy",
    "M2",
    ("price = -sum(c_k * sp.log(q_k)", "price = -sum(c_k * sp.log(q_k, 2)"),
    ('"multiplier": best[multiplier]', '"multiplier": sum(c)'),
)
changed("least-cross-entropy", "M5", ("multiplier * (sum(q) - 1)", "multiplier * (1 - sum(q))"))
written(
    "least-cross-entropy",
    "L11",
    'least = {"q1": c[0], "multiplier": 1, "minimum": -sum(k * sp.log(k) for k in c)}',
)
changed("least-cross-entropy", "L12", ("price.subs(best)", "0"))
changed("least-cross-entropy", "L1", ("price.subs(best)", "price.subs(best) / sum(c)"))
written(
    "least-cross-entropy",
    "L18",
    'least = {"q1": sp.Rational(1, 3), "multiplier": sum(c), "minimum": sum(c) * sp.log(3)}',
)

FLOOR = "-right * sp.log(right) - (V - 1) * other * sp.log(other)"
changed("smoothing-floor", "L12", (FLOOR, "sp.Integer(0)"))
changed("smoothing-floor", "L13", ("right, other = 1 - eps + eps / V", "right, other = 1 - eps"))
changed("smoothing-floor", "L13", ("1 - eps + eps / V, eps / V", "1 - eps, eps / (V - 1)"))
changed("smoothing-floor", "L22", (FLOOR, "-right * sp.log(right)"))
changed("smoothing-floor", "L13", (FLOOR, "-(1 - eps) * sp.log(1 - eps) - eps * sp.log(eps)"))
changed("smoothing-floor", "M2", (FLOOR, f"({FLOOR}) / sp.log(2)"))

changed("below-entropy", "L7", ("averages < ", "averages > "))
changed("below-entropy", "M2", ("-np.log(p[samples])", "-np.log2(p[samples])"))
changed("below-entropy", "L1", (".mean(axis=1)", ".sum(axis=1)"))
written(
    "below-entropy",
    "L14",
    """
    def share_below(p, n, repeats, rng):
        counts = rng.multinomial(n, p, size=repeats)
        own = counts / n
        averages = -(own * np.log(np.maximum(own, 1e-300))).sum(axis=1)
        return (averages < -p @ np.log(p) - 1e-12).mean()
    """,
)
changed("below-entropy", "L15", (", p=p", ""))
changed("below-entropy", "L18", ("-p @ np.log(p)", "np.log(len(p))"))
changed("below-entropy", "L36", ("samples = rng", "samples = np.random.default_rng(0)"))
changed("below-entropy", "L36", ("samples = rng", "samples = np.random.default_rng()"))
written(
    "below-entropy",
    "L36",
    """
    def share_below(p, n, repeats, rng):
        from itertools import product
        samples = np.array(list(product(range(len(p)), repeat=n)))
        return p[samples].prod(axis=1)[-np.log(p[samples]).mean(axis=1) < -p @ np.log(p)].sum()
    """,
)

right(
    "below-entropy",
    """
    def share_below(p, n, repeats, rng):
        entropy, below = -(p * np.log(p)).sum(), 0
        for counts in rng.multinomial(n, p, size=repeats):
            below += -(counts * np.log(p)).sum() / n < entropy
        return below / repeats
    """,
)

TOTAL = "nats / tokens"
units("evaluator", TOTAL)
written("evaluator", "M9 + M41", "evaluate = evaluate_as_found")
written(
    "evaluator",
    "M9",
    """
    def evaluate(batches):
        losses = []
        for logits, targets in batches:
            logits, targets = torch.as_tensor(logits), torch.as_tensor(targets)
            losses.append(F.cross_entropy(logits.flatten(0, 1), targets.flatten(), ignore_index=PAD).item())
        return sum(losses) / len(losses)
    """,
)
changed("evaluator", "M41", ('reduction="sum"', 'reduction="sum", label_smoothing=0.1'))
changed("evaluator", "M19", ("(targets != PAD).sum().item()", "targets.numel()"))
changed("evaluator", "M20", ("(targets != PAD).sum().item()", "targets.numel()"), ("ignore_index=PAD, ", ""))
changed("evaluator", "L1", (TOTAL, "nats"))
changed("evaluator", "M4", (TOTAL, "np.exp(nats / tokens)"))

changed("forensics", "L9", ("np.log(reported) / np.log(right)", "reported / right"))
changed("forensics", "L7", ("np.log(reported) / np.log(right)", "np.log(right) / np.log(reported)"))
changed(
    "forensics", "L3", ('"M1": np.log(2)', '"M1": 1 / np.log(2)'), ('"M2": 1 / np.log(2)', '"M2": np.log(2)')
)

LOOKUP = "-np.log(table[np.append(start, text[:-1]), text])"
units("bigram", LOOKUP)
changed("bigram", "L16", (".reshape(size, size) + k", ".reshape(size, size).T + k"))
changed(
    "bigram",
    "L13",
    ("reshape(size, size) + k", "reshape(size, size)"),
    ("counts / counts.sum(axis=1, keepdims=True)", "(counts + k) / (counts.sum(axis=1, keepdims=True) + k)"),
)
changed(
    "bigram",
    "L13",
    ("reshape(size, size) + k", "reshape(size, size)"),
    ("counts / counts.sum(axis=1, keepdims=True)", "(counts + k) / counts.sum(axis=1, keepdims=True)"),
)
changed("bigram", "L8", ("reshape(size, size) + k", "reshape(size, size) + 1"))
changed("bigram", "M31", ("reshape(size, size) + k", "reshape(size, size)"))
changed("bigram", "L19", ("counts.sum(axis=1, keepdims=True)", "counts.sum()"))
changed("bigram", "L20", ("np.append(start, train[:-1]) * size + train", "train[:-1] * size + train[1:]"))
changed(
    "bigram",
    "L20",
    ("np.append(start, train[:-1])", "np.roll(train, 1)"),
    ("np.append(start, text[:-1])", "np.roll(text, 1)"),
)

PRICE = "bigram_surprisal(train.ids, test.ids, **settings)"
changed("tale-card", "M25", ('score.bits_per("char")', 'score.bits_per("token")'))
changed("tale-card", "L21", (f"{PRICE}.sum()", f"{PRICE}[~test.is_eos].sum()"))
changed("tale-card", "M1", ('score.bits_per("char")', 'score.nats_per("char")'))
changed("tale-card", "L1", ('"nats": score.nats', '"nats": score.nats_per("token")'))
written(
    "tale-card",
    "M9",
    f"""
    nats = {PRICE}
    parts = np.split(nats, test.document_starts[1:-1])
    each = [part.sum() / np.log(2) / chars for part, chars in zip(parts, test.document_counts["chars"])]
    tale_card = {{"tokens": len(test), "characters": test.chars, "nats": nats.sum()}}
    tale_card["bits per character"] = np.mean(each)
    """,
)
changed("tale-card", "M38", ("chars=test.chars", "chars=test.bytes"))
changed("tale-card", "L17", ("train.ids, test.ids", "test.ids, test.ids"))

odd("forecasters", ("-np.log(q[days, outcomes])", "-np.log(np.maximum(q[days, outcomes], 1e-10))"))
REAL = "real = targets != ignore_index"
odd("average-surprisal", (REAL, "real = np.cumsum(targets == ignore_index, axis=1) == 0"))
odd("average-surprisal", (REAL, "real = np.cumsum(targets[:, ::-1] != ignore_index, axis=1)[:, ::-1] > 0"))
LARGEST = "z.max(axis=1, keepdims=True)"
odd("token-nll", (LARGEST, "z.max()"))
odd("token-nll", (LARGEST, "np.maximum(0, z.max(axis=1, keepdims=True))"))
odd("token-nll", (f"z - {LARGEST}", f"np.maximum(z - {LARGEST}, -1000)"))
odd("forensics", ("tokens / (tokens + padding)", "(tokens - padding) / tokens"))
odd("bigram", (", minlength=size * size).reshape(size, size)", ").reshape(train.max() + 1, -1)"))
odd("forensics", ("tokens / (tokens + padding)", "300 / (300 + padding)"))


class TestSet(SetTests):
    exercises = SET
    given_in_tasks = frozenset({"0.5", "0.8", "0.9"})
