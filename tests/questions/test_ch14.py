"""The set of chapter 14: full marks when solved, what to do when not, and for wrong code its hint."""

import itertools
import math

import numpy as np
import pytest

from lmcourse.feedback import WrongAnswer, check
from lmcourse.questions.ch14 import costs, digits, ranks, repeats, resume, telling_texts
from tests.questions.exercise_sets import ExerciseSet, SetTests, exchange

SET = ExerciseSet("14_evaluation_at_scale")
changed, written = SET.changed, SET.written
odd, breaks, right = SET.wrong_on_odd_inputs, SET.breaks, SET.right

PERPLEXITY, BITS = "math.exp(nats / tokens)", "nats / math.log(2) / size"
COLUMNS = "nats, tokens, size = totals.sum(axis=0)"
OWN = "nats, tokens, size = totals.T"
changed(
    "three-ranks",
    "M12",
    (COLUMNS, OWN),
    (PERPLEXITY, "math.exp((nats / tokens).mean())"),
    (BITS, "np.mean(nats / size) / math.log(2)"),
)
changed("three-ranks", "M12", (PERPLEXITY, "np.exp(np.mean(totals[:, 0] / totals[:, 1]))"))
changed("three-ranks", "M87", (PERPLEXITY, "np.mean(np.exp(totals[:, 0] / totals[:, 1]))"))
changed("three-ranks", "M86", (COLUMNS, "nats, tokens, size = totals[0]"))
changed(
    "three-ranks",
    "L1",
    (COLUMNS, OWN),
    (PERPLEXITY, "math.exp((nats / tokens).sum())"),
    (BITS, "(nats / size).sum() / math.log(2)"),
)
changed("three-ranks", "M1", (PERPLEXITY, "2 ** (nats / tokens)"))
changed("three-ranks", "M2", (BITS, "nats / size"))
changed("three-ranks", "L3", (BITS, "nats * math.log(2) / size"))
changed("three-ranks", "L26", (BITS, "nats / tokens / math.log(2)"))
changed("three-ranks", "M4", (PERPLEXITY, "nats / tokens"))
changed("three-ranks", "L26", (PERPLEXITY, "math.exp(nats / size)"))
changed(
    "three-ranks",
    "M87",
    (PERPLEXITY, "np.average(np.exp(totals[:, 0] / totals[:, 1]), weights=totals[:, 1])"),
)
BY_RANK = "nats = np.average(totals[:, 0] / totals[:, 1], weights=totals[:, 1]) * tokens"
odd("three-ranks", (COLUMNS, f"{COLUMNS}\n    {BY_RANK}"))
right(
    "three-ranks",
    """
    def reduce_ranks(totals):
        import torch
        nats, tokens, size = torch.as_tensor(totals).sum(0)
        return {"bits": torch.log2(torch.e ** (nats / size)), "perplexity": torch.exp(nats / tokens)}
    """,
)
right(
    "three-ranks",
    """
    def reduce_ranks(totals):
        some = totals[totals[:, 1] > 0]
        losses, weights = some[:, 0] / some[:, 1], some[:, 1] / some[:, 1].sum()
        per_byte = np.average(some[:, 0] / some[:, 2], weights=some[:, 2])
        return dict(perplexity=np.prod(np.exp(losses * weights)), bits=[per_byte / np.log(2)][0])
    """,
)

A, B, C, D, E = '"A": "sum"', '"B": "more"', '"C": "largest"', '"D": "equal"', '"E": "more"'
changed("which-reduction", "M12", (B, '"B": "sum"'))
changed("which-reduction", "M12", (B, '"B": "sum"'), (C, '"C": "sum"'), (D, '"D": "sum"'), (E, '"E": "sum"'))
changed("which-reduction", "L25", (B, '"B": "largest"'))
changed("which-reduction", "L25", (E, '"E": "max"'))
changed("which-reduction", "L40", (E, '"E": "Sum"'))
changed("which-reduction", "L1", (C, '"C": "sum"'))
changed("which-reduction", "L41", (D, '"D": "more"'))
changed("which-reduction", "L28", (A, '"A": "more"'))
changed("which-reduction", "L28", (C, '"C": "more"'))
changed("which-reduction", "L11", (D, '"D": "largest"'))
right(
    "which-reduction",
    'reduction = {"E": "More", "D": " all equal", "C": "the maximum", "B": "more.", "A": "SUM"}',
)

REPEATED, DROPPED = "(N * L + m * K) / (N + m) - L", '"dropped": rest - L'
AVERAGED = "(K + rest) / 2 - L"
changed(
    "piece",
    "L7",
    (REPEATED, "L - (N * L + m * K) / (N + m)"),
    (DROPPED, '"dropped": L - rest'),
    (AVERAGED, "L - (K + rest) / 2"),
)
changed("piece", "L7", (DROPPED, '"dropped": m * (K - L) / (N - m)'))
changed(
    "piece",
    "L22",
    (REPEATED, "(N * L + m * K) / (N + m)"),
    (DROPPED, '"dropped": rest'),
    (AVERAGED, "(K + rest) / 2"),
)
changed("piece", "L22", (REPEATED, "m * (K - L) / N"), (DROPPED, '"dropped": m * (L - K) / N'))
changed("piece", "L22", (AVERAGED, "K + rest - L"))
changed("piece", "L22", (REPEATED, "m * K / (N + m)"), (DROPPED, '"dropped": -m * K / (N - m)'))
changed(
    "piece",
    "M4",
    (REPEATED, f"sp.exp({REPEATED})"),
    (DROPPED, '"dropped": sp.exp(rest - L)'),
    (AVERAGED, f"sp.exp({AVERAGED})"),
)
changed(
    "piece", "L27", (REPEATED, "(N * L + m * K) / N - L"), (DROPPED, '"dropped": (N * L - m * K) / N - L')
)
changed("piece", "L27", (DROPPED, '"dropped": (N * L - m * K) / N - L'))
changed("piece", "L31", *exchange('"repeated"', '"dropped"'))
changed("piece", "L32", (AVERAGED, "(K + L) / 2 - L"))
changed("piece", "M12", (AVERAGED, "sp.Integer(0)"))
right(
    "piece",
    """
    d = K - L
    change = {"averaged": d / 2 * (1 - m / (N - m)), "dropped": d / (1 - N / m), "repeated": d / (1 + N / m)}
    """,
)
right(
    "piece",
    """
    N, L, m, K, R = sp.symbols("N L m K R")
    R = sp.solve(sp.Eq((N - m) * R + m * K, N * L), R)[0]
    reported = {"repeated": ((N - m) * R + 2 * m * K) / (N + m), "dropped": R, "averaged": (R + K) / 2}
    change = {key: sp.factor(value - L) for key, value in reported.items()}
    """,
)

ONE_B, ONE_D = '"B": [[(900, 30)], [(100, 5)]]', '"D": [[(900, 30)], [(100, 5)]]'
changed("always", "M12", (ONE_B, '"B": "always"'))
changed("always", "M87", (ONE_D, '"D": "Always."'))
changed("always", "M12 + M87", (ONE_B, '"B": "always"'), (ONE_D, '"D": "always"'))
right(
    "always",
    """
    verdict = {
        "A": " ALWAYS. ", "C": "always",
        "B": (((1, 2), (1, 2)), ((8, 9.5), (7, 9)), ((3, 1), (4, 1))),
        "D": np.array([[[1000.0, 12.0]], [[1.0, 11.0]]]),
    }
    """,
)
right(
    "always",
    """
    import torch
    verdict = dict(A="always", C="Always", B=[[(sp.Integer(9), sp.Rational(7, 2))], [(1, 3)]],
                   D=torch.tensor([[[5.0, 3.0], [6.0, 4.0]], [[1.0, 2.0], [1.0, 2.0]]]))
    """,
)

LOSSES = (
    "torch.exp(nats / tokens)",
    "torch.exp(sum(a / b for a, b in sent if b) / sum(b > 0 for _, b in sent))",
)
EACH = ("torch.exp(nats / tokens)", "np.mean([(a / b).exp() for a, b in sent if b])")
AGAIN = ("places < documents", "places >= 0")
BATCH = """
def evaluate(ranks, documents):
    sent = []
    for batches in tensors(ranks):
        means, count = [], 0
        for places, logits, labels in batches:
            labels = labels.clone()
            labels[:, 0] = -100
            if not KEEP:
                labels[places >= documents] = -100
            if (labels != -100).any():
                means.append(cross_entropy(logits[:, :-1].flatten(0, 1), labels[:, 1:].flatten()))
                count += (labels != -100).sum()
        if means:
            sent.append((torch.stack(means).mean(), count))
    tokens = sum(n for _, n in sent)
    perplexity = OVER
    return {"perplexity": perplexity, "tokens": tokens}
"""
WEIGHTED = "torch.exp(sum(x * n for x, n in sent) / tokens)"
OF_LOSSES = "math.exp(np.mean([float(x) for x, _ in sent]))"


def by_batches(keep, over):
    return BATCH.replace("KEEP", str(keep)).replace("OVER", over)


SHIFTED, CAME = "logits[:, :-1].transpose(1, 2)", "came = labels[:, 1:]"
written("all-reduce", "M9 + M23 + M84 + M87", "evaluate = colleagues_evaluate")
changed("all-reduce", "M23", (CAME, "came = labels"), (SHIFTED, "logits.transpose(1, 2)"))
changed("all-reduce", "M23", (SHIFTED, "logits[:, 1:].transpose(1, 2)"))
changed("all-reduce", "M23", (CAME, "came = labels[:, :-1]"), (SHIFTED, "logits[:, 1:].transpose(1, 2)"))
changed("all-reduce", "M23", (CAME, "came = labels[:, 2:]"), (SHIFTED, "logits[:, :-2].transpose(1, 2)"))
COUNTED = "(came[own] != -100).sum()"
changed("all-reduce", "M26", (COUNTED, "(labels[own] != -100).sum()"))
changed("all-reduce", "M26", ('"tokens": tokens', '"tokens": tokens + documents'))
changed("all-reduce", "L23", (CAME, "came = labels[:, 2:]"), (SHIFTED, "logits[:, 1:-1].transpose(1, 2)"))
changed("all-reduce", "M84", AGAIN)
written("all-reduce", "M9", by_batches(False, WEIGHTED))
changed("all-reduce", "M12", LOSSES)
changed("all-reduce", "M87", EACH)
changed("all-reduce", "M84 + M12", AGAIN, LOSSES)
changed("all-reduce", "M84 + M87", AGAIN, EACH)
written("all-reduce", "M9 + M12", by_batches(False, OF_LOSSES))
written("all-reduce", "M9 + M84", by_batches(True, WEIGHTED))
written("all-reduce", "M9 + M12 + M84", by_batches(True, OF_LOSSES))
changed("all-reduce", "M86", ("nats, tokens = all_reduce(sent)", "nats, tokens = sent[0]"))
changed(
    "all-reduce",
    "M84",
    (
        '"tokens": tokens',
        '"tokens": sum((labels[:, 1:] != -100).sum() for batches in ranks for _, _, labels in batches)',
    ),
)
changed("all-reduce", "M19", (COUNTED, "came[own].numel()"))
DOCUMENTS = """
def evaluate(ranks, documents):
    rows = []
    for batches in tensors(ranks):
        for places, logits, labels in batches:
            for place, said, label in zip(places, logits[:, :-1], labels[:, 1:]):
                if place < documents:
                    nats = cross_entropy(said, label, reduction="none")
                    rows.append(nats[label != -100].numpy())
    return {"perplexity": PERPLEXITY, "tokens": sum(map(len, rows))}
"""
OF_ROWS = "np.mean([math.exp(row.mean()) for row in rows])"
written("all-reduce", "M8", DOCUMENTS.replace("PERPLEXITY", OF_ROWS))
OF_ROWS = "math.exp(np.mean([row.mean() for row in rows]))"
written("all-reduce", "M9", DOCUMENTS.replace("PERPLEXITY", OF_ROWS))
changed("all-reduce", "M1", ("torch.exp(nats / tokens)", "2 ** (nats / tokens)"))
changed("all-reduce", "M4", ("torch.exp(nats / tokens)", "nats / tokens"))
changed("all-reduce", "L1", ('"tokens": tokens', '"tokens": tokens / len(ranks)'))
right(
    "all-reduce",
    """
    def evaluate(ranks, documents):
        sums = np.zeros(2)
        for places, logits, labels in [batch for batches in ranks for batch in batches]:
            logits = logits - np.log(np.exp(logits).sum(-1, keepdims=True))
            for place, said, label in zip(places, logits, labels):
                if place < documents:
                    came = [int(k) for k in label[1:] if k >= 0]
                    sums += -sum(said[t, k] for t, k in enumerate(came)), len(came)
        return {"tokens": int(sums[1]), "perplexity": np.exp(sums[0] / sums[1])}
    """,
)
right(
    "all-reduce",
    """
    def evaluate(ranks, documents):
        sums = []
        for batches in tensors(ranks):
            for places, logits, labels in batches:
                labels = torch.where((places < documents)[:, None], labels, -100)
                labels = torch.nn.functional.pad(labels[:, 1:], (0, 1), value=-100)
                nats = cross_entropy(logits.flatten(0, 1), labels.flatten(), reduction="sum")
                sums.append(torch.stack([nats, (labels != -100).sum()]))
        nats, tokens = torch.stack(sums).sum(0)
        return {"perplexity": float((nats / tokens).exp()), "tokens": tokens.long()}
    """,
)

RANK_0, OF_L = '"rank 0": [math.exp(losses[0])],', '"losses": [math.exp(losses.mean())],'
changed("rank-logs", "M86", (RANK_0, ""))
changed("rank-logs", "M12", (OF_L, ""))
changed("rank-logs", "M87", ('"perplexities": [np.exp(losses).mean()],', ""))
changed("rank-logs", "M88", ('"twice": np.exp((all_nats + nats) / (all_tokens + tokens)),', ""))
changed("rank-logs", "M85", ('"missing": np.exp((all_nats - nats) / (all_tokens - tokens)),', ""))
changed(
    "rank-logs",
    "L28",
    ('"sum": [math.exp(all_nats / all_tokens)],', ""),
    ('values["sum"][0]', "math.exp(all_nats / all_tokens)"),
)
changed("rank-logs", "M12", ('whole.append(values["sum"][0])', 'whole.append(values["losses"][0])'))
changed("rank-logs", "M87", ('whole.append(values["sum"][0])', 'whole.append(values["perplexities"][0])'))
changed("rank-logs", "M4", ('whole.append(values["sum"][0])', "whole.append(all_nats / all_tokens)"))
right(
    "rank-logs",
    SET.tasks["rank-logs"]
    .replace('"; ".join(verdicts)', "[word.upper() for word in verdicts]")
    .replace("np.array(whole)", "tuple(whole)"),
)
right(
    "rank-logs",
    """
    def read_logs(logs):
        words, whole = [], []
        for log in logs:
            x, n, r = log["nats"].tolist(), log["tokens"].tolist(), log["reported"]
            P = np.exp(np.divide(x, n))
            at = {"sum": np.exp(sum(x) / sum(n)), "rank 0": P[0], "perplexities": P.mean(),
                  "losses": P.prod() ** (1 / len(P))}
            for i in range(len(n)):
                at["twice", i] = np.exp((sum(x) + x[i]) / (sum(n) + n[i]))
                rest = [j for j in range(len(n)) if j != i]
                at["missing", i] = np.exp(sum(x[j] for j in rest) / sum(n[j] for j in rest))
            best = min(at, key=lambda name: abs(np.log(at[name] / r)))
            words.append(best if isinstance(best, str) else best[0])
            whole.append(at["sum"])
        return {"whole": whole, "verdicts": np.array(words)}
    """,
)
breaks("rank-logs", "none of the words", ('"missing": np', '"lost": np'))
breaks("rank-logs", "one word for each log", ('"; ".join(verdicts)', '" ".join(verdicts)'))

changed("came-twice", "M85", ('"repeats": repeats', '"repeats": [D % ranks for ranks, _ in reports]'))
changed("came-twice", "L11", ('"repeats": repeats', '"repeats": [W - D % W for W, _ in reports]'))
changed("came-twice", "L40", ('"second": int(misses.argmin())', '"second": first'))
changed("came-twice", "L31", *exchange('"first"', '"second"'))
changed("came-twice", "L23", ('"first": first', '"first": first + 1'), ("argmin())}", "argmin()) + 1}"))
written(
    "came-twice",
    "M8",
    """
    def came_twice(nats, tokens, reports):
        D, N = len(nats), tokens.sum()
        repeats = [-D % W for W, _ in reports]
        reported = {-D % W: P for W, P in reports}
        whole = math.exp(nats.sum() / N)

        def averaged(x, n):
            return (N * whole + n * np.exp(x / n)) / (N + n)

        first = int(abs(averaged(nats, tokens) - reported[1]).argmin())
        misses = abs(averaged(nats + nats[first], tokens + tokens[first]) - reported[2])
        misses[first] = np.inf
        return {"repeats": repeats, "first": first, "second": int(misses.argmin())}
    """,
)
changed("came-twice", "L27", ("/ (tokens.sum() + more_tokens + tokens)", "/ tokens.sum()"))
changed(
    "came-twice",
    "L22",
    ("nearest(reported[2], nats[first], tokens[first])", "nearest(reported[2], 0, 0)"),
    ("    misses[first] = np.inf  # it is another document\n", ""),
)
right(
    "came-twice",
    """
    def came_twice(nats, tokens, reports):
        import itertools
        W, P = zip(*reports)
        repeats = np.array([math.ceil(len(nats) / w) * w - len(nats) for w in W])
        S, N = nats.sum(), tokens.sum()
        one, two = (math.log(P[list(repeats).index(k)]) for k in (1, 2))
        def miss(loss, *some):
            return abs(S + sum(nats[i] for i in some) - loss * (N + sum(tokens[i] for i in some)))
        a = min(range(len(nats)), key=lambda i: miss(one, i))
        pairs = [pair for pair in itertools.combinations(range(len(nats)), 2) if a in pair]
        pair = min(pairs, key=lambda pair: miss(two, *pair))
        return {"second": sum(pair) - a, "first": np.int64(a), "repeats": repeats}
    """,
)
breaks("came-twice", "not the place of a document", ('"first": first', '"first": first + 100'))
breaks("came-twice", "one number of repeats", ('"repeats": repeats', '"repeats": [W for W, _ in reports]'))

SMALL = "[(100, 40), (400, 5), (300, 9), (200, 20), (500, 2)]"
changed("telling-text", "M84", (SMALL, "[(300, 8), (300, 10), (300, 5), (100, 40)]"))
changed("telling-text", "M85", (SMALL, "[(200, 4), (400, 16), (100, 2), (300, 8)]"))
changed("telling-text", "M86", (SMALL, "[(300, 16), (100, 4), (300, 10), (500, 5)]"))
changed("telling-text", "M12", (SMALL, "[(300, 2), (500, 4), (500, 16), (200, 5)]"))
changed("telling-text", "L31", (SMALL, "[(400, 8), (400, 5), (400, 20), (500, 8)]"))
changed("telling-text", "L31", (SMALL, "[(200, 40), (300, 4), (100, 16), (500, 4)]"))
changed("telling-text", "L31", (SMALL, "[(200, 8), (400, 16), (200, 4), (300, 8)]"))
changed("telling-text", "L31", (SMALL, "[(300, 2), (200, 16), (300, 2), (100, 16)]"))
changed("telling-text", "L31", (SMALL, "[(300, 10), (100, 8), (300, 10), (100, 16)]"))
right("telling-text", "small = np.array([[100, 40], [400, 5], [300, 9], [200, 20], [500, 2.0]])")
right("telling-text", "small = ((100, 20), (300, 2), (200, 16.0), [sp.Integer(300), sp.Rational(5)])")
right(
    "telling-text",
    """
    import torch
    tokens, perplexities = [300, 300, 90, 50, 40, 55, 210, 60], [90, 4, 17, 30, 6, 8, 35, 9]
    small = torch.tensor([tokens, perplexities]).T
    """,
)

ORDER, GAP = '"order": np.sort(values)', '"gap": float(np.spacing(np.float32(exact)))'
LOST, BOUND = '"lost": exact - float(total)', "(len(values) - 1) * 2.0**-24 * exact"
changed("float-sum", "M44", ("np.float32(0)", "0.0"), ("np.float32(total + value)", "total + float(value)"))
changed("float-sum", "L11", ("for value in values:", "for value in np.sort(values):"))
changed("float-sum", "M44", (LOST, '"lost": float(np.float32(exact) - total)'))
changed("float-sum", "L26", (LOST, '"lost": (exact - float(total)) / exact'))
changed("float-sum", "L8", (GAP, '"gap": float(np.spacing(exact))'))
changed("float-sum", "L7", (LOST, '"lost": float(total) - exact'))
changed("float-sum", "L34", (BOUND, "(len(values) - 1) * 2.0**-23 * exact"))
changed("float-sum", "L23", (BOUND, "len(values) * 2.0**-24 * exact"))
changed("float-sum", "L22", (BOUND, "2.0**-24 * exact"))
changed("float-sum", "L31", (BOUND, "(len(values) - 1) * 2.0**-53 * exact"))
changed("float-sum", "L9", (GAP, '"gap": exact * np.finfo(np.float32).eps'))
changed("float-sum", "L34", (GAP, '"gap": float(np.spacing(np.float32(exact))) / 2'))
changed("float-sum", "L8", (GAP, '"gap": np.finfo(np.float32).eps'))
changed("float-sum", "L11", (ORDER, '"order": values'))
changed("float-sum", "L7", (ORDER, '"order": np.sort(values)[::-1]'))
right(
    "float-sum",
    """
    def float_sum(values):
        exact = values.astype(np.float64).sum()
        nearest = np.float32(exact)
        lost = exact - np.cumsum(values)[-1].astype(np.float64)
        small = [float(x) for x in values if x < 1e6]
        return {"order": small[::-1] + [float(x) for x in values if x >= 1e6], "lost": lost,
                "gap": float(np.nextafter(nearest, np.float32(np.inf))) - float(nearest),
                "bound": np.finfo(np.float32).eps / 2 * exact * (values.size - 1)}
    """,
)
right(
    "float-sum",
    """
    def float_sum(values):
        import torch
        x = torch.tensor(values)
        total = x[0]
        for y in x[1:]:
            total = total + y
        exact = x.double().sum().item()
        return {"lost": exact - total.item(), "bound": 2**-24 * exact * (len(x) - 1),
                "gap": 2.0 ** (math.floor(math.log2(exact)) - 23), "order": x.sort().values}
    """,
)

SAME, WHOLE = "if all(same):", 'file["whole"] and '
changed("exact-resume", "M88", (SAME, "if True:"), ("done.append(first)", "done += some"))
changed("exact-resume", "L41", (SAME, "if True:"))
changed("exact-resume", "L41", (SAME, "if True:"), ("done.append(first)", "done.append(some[-1])"))
DONE = '{file["shard"] for file in done}'
changed("exact-resume", "L41", (DONE, "counting.keys()"))
changed("exact-resume", "L41", (DONE, '{file["shard"] for file in files}'))
written(
    "exact-resume",
    "M88",
    """
    def collect(plan, files):
        nats, tokens = sum(file["nats"] for file in files), sum(file["tokens"] for file in files)
        todo = plan["texts"].keys() - {file["shard"] for file in files}
        return {"nats": nats, "tokens": tokens, "todo": list(todo)}
    """,
)
changed("exact-resume", "L28", (SAME, "if len(some) == 1:"))
changed("exact-resume", "M17", (WHOLE, ""))
changed("exact-resume", "L15", (' and file["model"] == plan["model"]', ""))
TEXT = 'plan["texts"].get(file["shard"]) == file["text"]'
changed("exact-resume", "M39", (TEXT, 'file["shard"] in plan["texts"]'))
changed("exact-resume", "L27", (TEXT, 'plan["texts"].get(file["shard"], file["text"]) == file["text"]'))
right("exact-resume", SET.tasks["exact-resume"].replace('"; ".join(sorted(missing))', "list(missing)"))
right("exact-resume", SET.tasks["exact-resume"].replace('"; ".join(sorted(missing))', "missing"))
right("exact-resume", SET.tasks["exact-resume"].replace('"; ".join(', '", ".join('))
right(
    "exact-resume",
    """
    def collect(plan, files):
        done, todo = [], []
        for shard, text in plan["texts"].items():
            mine = {(f["tokens"], round(f["nats"], 6)) for f in files
                    if (f["shard"], f["model"], f["text"], f["whole"]) == (shard, plan["model"], text, True)}
            (done if len(mine) == 1 else todo).append(mine.pop() if len(mine) == 1 else shard)
        return {"todo": "; ".join(todo), "tokens": sum(n for n, _ in done), "nats": sum(x for _, x in done)}
    """,
)
breaks("exact-resume", "a name twice", ('"; ".join(sorted(missing))', '"; ".join(sorted(missing) * 2)'))
odd("exact-resume", ('"; ".join(sorted(missing))', '"; ".join(sorted(missing)) or "none"'))

LAST = "if start + window >= length:"
COUNTED = "positions += min(window, length - start)"
changed("windows", "M13", (LAST, "if start + stride >= length:"))
changed("windows", "L25", (COUNTED, "positions += window"))
changed("windows", "M15", ("for length in lengths:", "for length in [sum(lengths)]:"))
changed("windows", "L22", ('"positions": positions', '"positions": lengths.sum()'))
changed("windows", "L24", ("start += stride", "start += window"))
changed("windows", "L31", ("start += stride", "start += window - stride"))
changed("windows", "L31", ("window - stride}", "stride}"))
changed("windows", "L24", ("window - stride}", "0}"))
changed("windows", "L8", ("window - stride}", "window}"))
changed("windows", "L23", ("window - stride}", "window - stride - 1}"))
odd("windows", (LAST, "if start + window > length:"))
right(
    "windows",
    """
    def windows(lengths, window, stride):
        long = lengths[lengths > window]
        more = -(-(long - window) // stride)
        return {"past": window - stride, "windows": len(lengths) + more.sum(),
                "positions": lengths.sum() + (more * (window - stride)).sum()}
    """,
)
right(
    "windows",
    """
    def windows(lengths, window, stride):
        past, count, read = [], 0, 0
        for n in map(int, lengths):
            scored = 0
            for start in range(0, n, stride):
                end = min(start + window, n)
                count, read = count + 1, read + end - start
                if start:
                    past.append(scored - start)
                scored = end
                if end == n:
                    break
        return {"windows": float(count), "positions": sp.Integer(read), "past": min(past)}
    """,
)
breaks("windows", "at least once", (COUNTED, "positions += 1"))

MACHINES = "math.ceil(needed / rate / (deadline - start))"
NEEDED, SECONDS = "pilot * (z * error / difference) ** 2", "machines * start + needed / rate"
changed("plan", "M89", ("batches[1:].sum(axis=0)", "batches.sum(axis=0)"))
changed("plan", "M9", ("rate = tokens / seconds", "rate = (batches[1:, 0] / batches[1:, 1]).mean()"))
changed("plan", "L34", ("rate = tokens / seconds", "rate = seconds / tokens"))
changed("plan", "L34", (NEEDED, "pilot * (difference / (z * error)) ** 2"))
changed("plan", "L22", (NEEDED, "pilot * z * error / difference"))
changed("plan", "L22", (NEEDED, "pilot * (error / difference) ** 2"))
changed("plan", "L22", (MACHINES, "math.ceil(needed / rate / deadline)"))
changed("plan", "L22", (SECONDS, "needed / rate"))
changed("plan", "L8", (NEEDED, "(z * error / difference) ** 2"))
changed("plan", "L23", (MACHINES, "int(needed / rate / (deadline - start))"))
changed("plan", "L32", (MACHINES, "math.ceil((start + needed / rate) / deadline)"))
changed("plan", "L43", (MACHINES, "needed / rate / (deadline - start)"))
changed("plan", "L40", (SECONDS, "start + needed / rate"))
changed("plan", "L1", (SECONDS, "start + needed / rate / machines"))
changed("plan", "L11", (SECONDS, "machines * deadline"))
right(
    "plan",
    """
    def plan_run(batches, pilot, error, difference, z, start, deadline):
        rate = np.average(batches[1:, 0] / batches[1:, 1], weights=batches[1:, 1])
        tokens = pilot / (difference / error / z) ** 2
        machines = 1
        while start + tokens / machines / rate > deadline:
            machines += 1
        return {"machines": machines, "rate": rate, "tokens": tokens,
                "seconds": sum(start + tokens / machines / rate for _ in range(machines))}
    """,
)
right(
    "plan",
    """
    def plan_run(batches, pilot, error, difference, z, start, deadline):
        import torch
        tokens, seconds = torch.tensor(batches)[1:].sum(0).tolist()
        needed = pilot * z**2 * error**2 / difference**2
        alone = needed * seconds / tokens
        W = -int(-alone // (deadline - start))
        rate = sp.Float(tokens / seconds, 17)
        return dict(rate=rate, tokens=np.float64(needed), machines=float(W), seconds=alone + W * start)
    """,
)

R_A, R_B, R_C, R_D, R_E = ('"A": "exceeds"', '"B": "keeps"', '"C": "keeps"', '"D": "exceeds"', '"E": "keeps"')
changed("which-rule", "M90", (R_A, '"A": "keeps"'), (R_D, '"D": "keeps"'))
changed("which-rule", "M90", (R_A, '"A": "keeps"'))
changed("which-rule", "M90", (R_D, '"D": "keeps"'))
changed("which-rule", "L28", (R_B, '"B": "exceeds"'))
changed("which-rule", "L28", (R_C, '"C": "exceeds"'))
changed("which-rule", "L28", (R_E, '"E": "exceeds"'))
changed("which-rule", "L28", (R_B, '"B": "exceeds"'), (R_C, '"C": "exceeds"'), (R_E, '"E": "exceeds"'))
right("which-rule", 'rule = {"A": " Exceeds.", "B": "KEEPS", "C": "keep", "D": "exceed", "E": "Keeps"}')


class TestSet(SetTests):
    exercises = SET


def test_partial_answers_get_the_points_of_their_right_entries(capsys):
    for task, points, change in (
        ("always", 3, (ONE_B, '"B": [[(9, 3)], [(9, 4)]]')),
        ("which-rule", 4, (R_C, '"C": "stops"')),
        ("which-reduction", 4, (E, '"E": "set"')),
        ("telling-text", 3, (SMALL, "[(300, 8), (300, 10), (300, 5), (100, 40)]")),
        ("float-sum", 3, (ORDER, '"order": values[:3]')),
    ):
        with pytest.raises(WrongAnswer) as caught:
            check(f"14.{task}", SET.answer(task, SET.tasks[task].replace(*change)))
        assert caught.value.points == points


@pytest.mark.parametrize(
    ("given", "says"),
    [
        (None, "not done yet"),
        ([], "0 documents"),
        ([(1, 2)] * 9, "9 documents"),
        ([(1, 2), (2, 3)], "2 documents"),
        ([(1, 2), (2, 3), (0, 3)], "whole number from 1"),
        ([(1, 2), (2, 3), (2.5, 3)], "whole number from 1"),
        ([(1, 2), (2, 3), (2, 0.5)], "at least 1"),
        ([(1, 2), (2, 3), (2, math.nan)], "each a pair"),
        ([(1, 2), (2, 3), (2, "x")], "each a pair"),
        ([1, 2, 3], "each a pair"),
        (3, "each a pair"),
        ("a b; c", "each a pair"),
    ],
)
def test_a_test_text_that_cannot_be_used_is_refused_with_a_sentence(given, says):
    with pytest.raises(WrongAnswer, match=says) as caught:
        check("14.telling-text", given)
    assert not caught.value.points


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ([[(1, 2)]], "at least two ranks"),
        ([[(1, 2)], []], "has the form"),
        ([(1, 2), (3, 4)], "has the form"),
        ([[(0, 2)], [(1, 3)]], "above 0"),
        ([[(1, 0.5)], [(1, 3)]], "at least 1"),
        ([[(1, 2), (1, 2)], [(1, 3)]], "different numbers of documents"),
        ([[(5, 2)], [(5, 3)]], "does not refute"),
        ([[(5, 2)], [(9, 2)]], "does not refute"),
        ([[(5, math.nan)], [(5, 3)]], "has the form"),
        ("never", 'Write "always"'),
        (7, 'Write "always"'),
    ],
)
def test_an_example_that_does_not_refute_is_refused_with_a_sentence(given, says):
    answer = SET.answer("always", SET.tasks["always"]) | {"B": given}
    with pytest.raises(WrongAnswer, match=says) as caught:
        check("14.always", answer)
    assert caught.value.points == 3


def test_no_example_refutes_what_always_holds():
    """Thousands of random examples that meet the premises of A and C."""
    rng = np.random.default_rng(14)
    for _ in range(3000):
        sizes = rng.integers(1, 4, size=rng.integers(2, 5))
        perplexities = [rng.uniform(1, 90, size=n) for n in sizes]
        equal = [[(60 / n, p) for p in some] for n, some in zip(sizes, perplexities, strict=True)]
        assert ranks._refute("A", equal).startswith("does not refute")
        alike = [[(int(rng.integers(1, 99)), perplexities[0][0])] * n for n in sizes]
        assert ranks._refute("C", alike).startswith("does not refute")


def test_each_example_of_a_test_text_does_what_it_is_listed_for():
    for change, texts in telling_texts.EXAMPLES.items():
        for name, text in texts.items():
            assert telling_texts._look(change)(text) == name or name == "not read"


def test_the_values_of_the_set_are_those_of_the_check():
    names, rng = {}, np.random.default_rng(14)
    for cell in SET.solved.cells:
        if cell.cell_type == "code" and "def printed(" in cell.source:
            exec(cell.source.split("even = ")[0], names | {"np": np, "math": math}, names)
    printed = eval("printed", {"np": np, "math": math} | names)
    printed.__globals__.update(np=np, math=math)
    for _ in range(100):
        D = int(rng.integers(3, 9))
        documents = [(int(rng.integers(1, 500)), float(rng.uniform(1, 60))) for _ in range(D)]
        found = telling_texts.values_of(telling_texts.documents_of(documents))
        assert printed(documents) == pytest.approx(found, rel=1e-12)


def test_documents_that_came_twice_follow_from_the_reports():
    """No other document, and no other pair, would have made the same reports."""
    for seed in range(4):
        nats, tokens, reports = repeats._draw_reports(np.random.default_rng(seed))
        found, D = repeats.came_twice(nats, tokens, reports), len(nats)
        by_number = {-D % W: math.log(reported) for W, reported in reports}

        losses = {
            places: (nats.sum() + nats[list(places)].sum()) / (tokens.sum() + tokens[list(places)].sum())
            for n in (1, 2)
            for places in itertools.combinations(range(D), n)
        }
        one = sorted(abs(x - by_number[1]) for places, x in losses.items() if len(places) == 1)
        two = sorted((abs(x - by_number[2]), places) for places, x in losses.items() if len(places) == 2)
        assert one[0] < 1e-10 < one[1] and two[0][0] < 1e-10
        assert set(two[0][1]) == {found["first"], found["second"]}


def test_an_order_is_judged_by_what_it_does():
    for seed in range(20):
        (values,) = digits._draw_values(np.random.default_rng(seed))
        rng = np.random.default_rng([seed, 1])
        small_first = np.concatenate([rng.permutation(values[2:]), values[:2]])
        assert digits._kind(np.sort(values), values) == digits._kind(small_first, values) == digits.FITS
        assert digits._kind(values, values) == digits.AS_GIVEN
        assert digits._kind(np.sort(values)[::-1], values) in (digits.LARGEST, digits.AS_GIVEN)
        bound = digits.float_sum(values)["bound"]
        assert abs(digits.float_sum(values)["lost"]) <= bound


def test_every_kind_of_file_comes_up():
    """A file that is cut off, of another model, of another text, of no shard; a clash and a repetition."""
    for seed in range(5):
        plan, files = resume._draw_files(np.random.default_rng(seed))
        right = resume.collect(plan, files)
        for change in (
            {"once": False},
            {"conflict": "first"},
            {"conflict": "last"},
            {"asks": ("model", "text")},
            {"asks": ("whole", "text")},
            {"asks": ("whole", "model")},
            {"strangers": True},
        ):
            assert resume.collect(plan, files, **change)["nats"] != right["nats"]
        plan, files = resume._draw_done(np.random.default_rng(seed))
        assert resume.collect(plan, files)["todo"] == "" and len(files) == len(plan["texts"])


def test_windows_score_each_token_once_and_need_their_past():
    lengths, window, stride = costs.WINDOWS.cases[2]
    found = costs.windows(lengths, window, stride)
    scored, past = 0, []
    for length in lengths.tolist():
        done = 0
        for start in itertools.count(0, stride):
            end = min(start + window, length)
            scored, past = scored + end - done, [*past, done - start] if start else past
            done = end
            if end == length:
                break
    assert scored == lengths.sum() and min(past) == found["past"]


def test_measured_sentences_of_the_set_are_what_its_cells_print():
    """The looks back name what was measured: it is computed here again."""
    outputs = [o.text for c in SET.solved.cells if c.cell_type == "code" for o in c.outputs if "text" in o]
    claims = next(text for text in outputs if "40,000 runs" in text).splitlines()[1:]
    shares = {line[0]: float(line.split("in")[1].split("%")[0]) for line in claims}
    for rule, word in SET.questions["14.which-rule"].right().items():
        assert (shares[rule] > 5.5) == (word == "exceeds") and (word == "exceeds" or shares[rule] < 5.2)
    even = telling_texts.values_of([(400, 400 * math.log(p)) for p in (5, 20, 9)] * 2)
    assert len({round(value, 9) for value in even.values()}) == 2 and even["rank 0"] < even["right"]
    sums = next(text for text in outputs if "shuffled" in text)
    third = float(sums.split("third shard ")[1].split()[0])
    lost = {line[:14].strip(): float(line.split("lost")[1].split()[0]) for line in sums.splitlines()[2:]}
    assert lost["as they come"] >= third > lost["shuffled"] > abs(lost["your order"])
