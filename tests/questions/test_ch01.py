"""The set of chapter 01: full marks when solved, what to do when not, and for wrong code its hint."""

from tests.questions.exercise_sets import ExerciseSet, SetTests

SET = ExerciseSet("01_chain_rule")
changed, written, right, units = SET.changed, SET.written, SET.right, SET.in_wrong_units
odd = SET.wrong_on_odd_inputs

PRICE = "-np.log(factors).sum()"
FACTORS = "np.append(start[words[0]], table[words[:-1], words[1:]])"
units("string-price", PRICE)
changed("string-price", "L1", (PRICE, "-np.log(factors).mean()"))
changed("string-price", "L4", ("factors.prod()", "factors.sum()"))
changed("string-price", "L4", ("factors.prod()", "factors.mean()"))
changed("string-price", "L10", (FACTORS, "np.append(1.0, table[words[:-1], words[1:]])"))
changed(
    "string-price", "L10", ("factors.prod()", "factors[1:].prod()"), (PRICE, "-np.log(factors[1:]).sum()")
)
changed("string-price", "L16", ("table[words[:-1], words[1:]]", "table[words[1:], words[:-1]]"))
written(
    "string-price",
    "L20",
    """
    def string_price(start, table, words):
        factors = np.array([table[words[i - 1], words[i]] for i in range(len(words))])
        return {"factors": factors, "joint": factors.prod(), "nats": -np.log(factors).sum()}
    """,
)
changed("string-price", "L24", (FACTORS, "start[words]"))
changed("string-price", "L1 and M2", (PRICE, "-np.log2(factors).mean()"))

changed("conditionals", "L19", ("pairs / first[:, None]", "pairs"), ("joint / pairs[:, :, None]", "joint"))
changed("conditionals", "L19", ("joint / pairs[:, :, None]", "joint / first[:, None, None]"))
changed(
    "conditionals",
    "L16",
    ("pairs / first[:, None]", "pairs / pairs.sum(axis=0)"),
    ("joint / pairs[:, :, None]", "joint / joint.sum(axis=0, keepdims=True)"),
)
changed("conditionals", "L16", ('"first": first', '"first": joint.sum(axis=0).sum(axis=0)'))
written(
    "conditionals",
    "L24",
    """
    def factors_of(joint):
        first, pairs = joint.sum(axis=(1, 2)), joint.sum(axis=2)
        following = joint.sum(axis=0)
        third = np.stack([following / following.sum(axis=1, keepdims=True)] * len(joint))
        return {"first": first, "second": pairs / first[:, None], "third": third}
    """,
)

changed(
    "length-masses",
    "M27",
    ("masses = [start[-1]]", "masses = [1.0]"),
    ("at_word @ table[:, -1]", "at_word.sum()"),
)
changed(
    "length-masses",
    "L23",
    ("return np.array(masses)", "return np.array(masses[1:])"),
    ("range(longest)", "range(longest + 1)"),
)
changed("length-masses", "L23", ("return np.array(masses)", "return np.array([0.0, *masses[:-1]])"))
changed("length-masses", "L16", ("at_word @ table[:, :-1]", "table[:, :-1] @ at_word"))
changed(
    "length-masses",
    "L24",
    ("at_word @ table[:, -1]", "at_word.sum() * start[-1]"),
    ("at_word @ table[:, :-1]", "at_word.sum() * start[:-1]"),
)
changed("length-masses", "L13", ("return np.array(masses)", "return np.cumsum(masses)"))

CHECKED = "assert sp.expand"
changed("finite-strings", "L21", ("(1 - e) ** n * e", "(1 - e) ** n"), (CHECKED, "sp.expand"))
changed("finite-strings", "L23", ("(1 - e) ** n * e", "(1 - e) ** (n - 1) * e"), (CHECKED, "sp.expand"))
changed("finite-strings", "L23", ("sp.product(1 - e, (t, 0, n))", "(1 - e) ** n"), (CHECKED, "sp.expand"))
changed("finite-strings", "L13", ("sp.limit(1 - longer_leaking, n, sp.oo)", "1"))
written(
    "finite-strings",
    "L4",
    """
    ends = sp.summation(2 / ((t + 2) * (t + 3)), (t, 0, n))
    mass = {
        "exactly": (1 - e) ** n * e,
        "at most": 1 - (1 - e) ** (n + 1),
        "leaking, at most": ends,
        "leaking, all": sp.limit(ends, n, sp.oo),
    }
    """,
)
changed("finite-strings", "L22", ("(t + 3))), (t, 0, n))", "(t + 3))), (t, 0, n - 1))"))

changed("parameters", "L11", ("contexts * (V - 1)", "contexts * V"))
changed("parameters", "L19", ("contexts * (V - 1)", "V**n - 1"))
changed("parameters", "L23", ("contexts = V ** (n - 1)", "contexts = V**n"))
changed("parameters", "L23", ("(N - n + 1) / V**n", "N / V**n"))
changed("parameters", "L24", ("contexts * (V - 1)", "V - 1"))
changed("parameters", "L16", ("(N - n + 1) / V**n", "(N - n + 1) / contexts"))

SUMMED = "np.where(real, np.log(factors), 0.0).sum(axis=1)"
units("batch-log-probs", "np.log(factors)")
changed("batch-log-probs", "M45", (SUMMED, "np.log(np.where(real, factors, 1.0).prod(axis=1))"))
changed("batch-log-probs", "M20", (SUMMED, "np.log(factors).sum(axis=1)"))
changed("batch-log-probs", "L1", (SUMMED, SUMMED + " / real.sum(axis=1)"))
changed("batch-log-probs", "L10", ("start[batch[:, 0]]", "np.ones(len(batch))"))
changed(
    "batch-log-probs", "L16", ("table[batch[:, :-1], batch[:, 1:]]", "table[batch[:, 1:], batch[:, :-1]]")
)
written(
    "batch-log-probs",
    "L20",
    """
    def batch_log_probs(start, table, batch, lengths):
        log_q = np.log(table[np.roll(batch, 1, axis=1), batch])
        return np.array([row[:n].sum() for row, n in zip(log_q, lengths)])
    """,
)
written(
    "batch-log-probs",
    "L23",
    """
    def batch_log_probs(start, table, batch, lengths):
        pairs = np.log(table[batch[:, :-1], batch[:, 1:]])
        real = np.arange(pairs.shape[1]) < lengths[:, None]
        return np.log(start[batch[:, 0]]) + (pairs * real).sum(axis=1)
    """,
)
changed("batch-log-probs", "L23", ("< lengths[:, None]", "< lengths[:, None] - 1"))
changed(
    "batch-log-probs", "L1 and M2", (SUMMED, "np.where(real, np.log2(factors), 0.0).sum(axis=1) / lengths")
)

REGRET = "-np.log(weights.mean())"
units("who-wrote-it", REGRET)
written("who-wrote-it", "M45", "who_wrote = who_wrote_as_found")
written(
    "who-wrote-it",
    "M45",
    """
    def who_wrote(q):
        joint = np.exp(np.log(q).sum(axis=1))
        return {"posterior": joint / joint.sum(), "regret": np.log(joint.max()) - np.log(joint.mean())}
    """,
)
changed("who-wrote-it", "L1", ("np.log(q).sum(axis=1)", "np.log(q).mean(axis=1)"))
changed("who-wrote-it", "L30", (REGRET, "log_probs.max() - log_probs.mean()"))
changed("who-wrote-it", "L25", (REGRET, "-np.log(weights.max() / len(q))"))
changed("who-wrote-it", "L22", (REGRET, "-np.log(weights.sum())"))

PICKED = "log_probs[:, :-1].gather(-1, came)[..., 0].sum(dim=1)"
units("teacher-forcing", PICKED)
changed(
    "teacher-forcing", "M23", ("log_probs[:, :-1]", "log_probs[:, :-2]"), ("[:, 1:, None]", "[:, 2:, None]")
)
changed("teacher-forcing", "M23", ("log_probs[:, :-1]", "log_probs"), ("[:, 1:, None]", "[:, :, None]"))
changed(
    "teacher-forcing", "L16", ("log_probs[:, :-1]", "log_probs[:, 1:]"), ("[:, 1:, None]", "[:, :-1, None]")
)
changed(
    "teacher-forcing", "M6", ("torch.log_softmax(torch.as_tensor(logits), dim=-1)", "torch.as_tensor(logits)")
)
written(
    "teacher-forcing",
    "M6",
    """
    def text_log_probs(logits, ids):
        q = torch.softmax(torch.as_tensor(logits), dim=-1)[:, :-1]
        came = torch.as_tensor(ids)[:, 1:]
        nats = torch.nn.functional.cross_entropy(q.transpose(1, 2), came, reduction="none")
        return -nats.sum(dim=1)
    """,
)
changed("teacher-forcing", "L13", ("dim=-1)  # (B, T, V)", "dim=1)"))
changed("teacher-forcing", "L1", (".sum(dim=1)", ".mean(dim=1)"))

STEPS = "[[size], sentence, [size]]"
changed("bigram-table", "L21", (STEPS, "[[size], sentence]"))
changed("bigram-table", "L20", (STEPS, "[sentence, [size]]"))
written(
    "bigram-table",
    "L20 + L21",
    """
    def bigram_table(sentences, size):
        stream = np.concatenate(sentences)
        counts = np.zeros((size + 1, size + 1))
        for context, word in zip(stream[:-1], stream[1:]):
            counts[context, word] += 1
        return counts / counts.sum(axis=1, keepdims=True)
    """,
)
changed("bigram-table", "L16", ("(steps[:-1], steps[1:])", "(steps[1:], steps[:-1])"))
changed("bigram-table", "L16", ("counts.sum(axis=1, keepdims=True)", "counts.sum(axis=0)"))
changed("bigram-table", "L19", ("counts.sum(axis=1, keepdims=True)", "counts.sum()"))
changed(
    "bigram-table", "L13", ("counts.sum(axis=1, keepdims=True)", "counts[:, :-1].sum(axis=1, keepdims=True)")
)

ROWS = "table[last].cumsum(axis=1)"
changed("sampling", "L15", (ROWS, "np.full((len(last), size + 1), 1 / (size + 1)).cumsum(axis=1)"))
changed("sampling", "L20", ("last = np.full(repeats, size)", "last = np.zeros(repeats, dtype=int)"))
changed("sampling", "L24", (ROWS, "table[np.full(len(last), size)].cumsum(axis=1)"))
written(
    "sampling",
    "L23",
    """
    def length_shares(table, repeats, longest, rng):
        size, lengths = len(table) - 1, np.zeros(repeats)
        for i in range(repeats):
            symbol = size
            while symbol != size or lengths[i] == 0:
                symbol = rng.choice(size + 1, p=table[symbol])
                lengths[i] += 1
        return np.array([(lengths == k).mean() for k in range(longest + 1)])
    """,
)
changed("sampling", "L13", ("return np.array(shares)", "return np.array(shares) / sum(shares)"))
written(
    "sampling",
    "L36",
    """
    def length_shares(table, repeats, longest, rng):
        return mass_by_length(table[-1], table[:-1], longest)
    """,
)
changed("sampling", "L36", ("size = len(table) - 1", "size, rng = len(table) - 1, np.random.default_rng(0)"))
changed("sampling", "L36", ("size = len(table) - 1", "size, rng = len(table) - 1, np.random.default_rng()"))
right(
    "sampling",
    """
    def length_shares(table, repeats, longest, rng):
        masses = mass_by_length(table[-1], table[:-1], longest)
        return rng.multinomial(repeats, np.append(masses, max(0.0, 1 - masses.sum())))[:-1] / repeats
    """,
)
right(
    "sampling",
    """
    import random

    def length_shares(table, repeats, longest, rng):
        own, found = random.Random(int(rng.integers(2**60))), np.zeros(longest + 1)
        symbols = range(len(table))
        for _ in range(repeats):
            symbol, length = len(table) - 1, 0
            while length <= longest:
                symbol = own.choices(symbols, table[symbol])[0]
                if symbol == len(table) - 1:
                    found[length] += 1
                    break
                length += 1
        return found / repeats
    """,
)
right(
    "sampling",
    """
    def length_shares(table, repeats, longest, rng):
        some, size = rng.spawn(1)[0], len(table) - 1
        last, shares = np.full(repeats, size), []
        for _ in range(longest + 1):
            words = [some.choice(size + 1, (last == w).sum(), p=table[w]) for w in range(size + 1)]
            last = np.concatenate(words)
            shares.append((last == size).mean() * len(last) / repeats)
            last = last[last < size]
        return shares
    """,
)

SCORE = "np.exp(nats.mean())"
POSSIBLE = "nats[np.isfinite(nats)]"
changed("silent-scorer", "M32 + L8", (SCORE, "perplexity_as_found(start, table, text)"))
changed("silent-scorer", "L8", (SCORE, "np.exp(nats.sum() / 2)"))
changed("silent-scorer", "M32", (SCORE, f"np.exp({POSSIBLE}.sum() / len(q))"))
changed("silent-scorer", "M32", (SCORE, f"np.exp({POSSIBLE}.mean())"))
changed("silent-scorer", "M30", ("-np.log(q)", "-np.log(np.where(q == 0, 1e-10, q))"))
changed("silent-scorer", "M30", ("-np.log(q)", "-np.log(q + 1e-10)"))
changed("silent-scorer", "M45", (SCORE, "np.prod(q) ** (-1 / len(q))"))

written(
    "cat-dog",
    "L10",
    'cat_dog = {"floor 1e-10": 1e-10**-0.5, "floor 1e-12": 1e-12**-0.5, "floor for 20": 20**-2}',
)
changed("cat-dog", "M26", ("** (-1 / 2)", "** (-1 / 3)"), ("20**-2", "20**-3"))
changed("cat-dog", "L1", ("** (-1 / 2)", "** -1"), ("20**-2", "20**-1"))
written(
    "cat-dog",
    "M1",
    """
    nats = [-np.log(0.6 * floor) / 2 for floor in (1e-10, 1e-12)]
    cat_dog = {"floor 1e-10": 2 ** nats[0], "floor 1e-12": 2 ** nats[1]}
    cat_dog["floor for 20"] = np.exp(-2 * np.log2(20)) / 0.6
    """,
)

changed("floor-forensics", "L26", ("(tokens - unseen) * np.log(dropped)", "tokens * np.log(dropped)"))
changed("floor-forensics", "M3", ("floors / unseen / np.log(10)", "floors / unseen"))
changed("floor-forensics", "L9", ("unseen * digits * np.log(10) / total", "unseen / tokens"))
changed("floor-forensics", "L7", ("(20 - digits)", "(digits - 20)"))
changed("floor-forensics", "L1", ("* unseen / tokens)", "* unseen)"))
changed("floor-forensics", "L8", ("* unseen / tokens)", "/ tokens)"))

odd("string-price", ("return {", "if len(words) == 1:\n        factors = table[words, words]\n    return {"))
odd("length-masses", ("masses = [start[-1]]", "masses = [start[-1]] if longest else [0.0]"))
odd("length-masses", ("range(longest)", "range(longest if longest > 1 else 0)"))
odd("silent-scorer", ("(q == 0).sum()", "(q[1:] == 0).sum()"))
odd(
    "silent-scorer",
    ("(q == 0).sum()", "len({q for q in zip(text, text[1:]) if table[q] == 0}) + int(q[0] == 0)"),
)
odd("silent-scorer", ("q == 0", "q < 1e-12"))
STEPS = "np.append(start[text[0]], table[text[:-1], text[1:]])"
odd("silent-scorer", (STEPS, f"{STEPS} if len(text) > 1 else table[text, text]"))


class TestSet(SetTests):
    exercises = SET
    given_in_tasks = frozenset({"50.0"})
