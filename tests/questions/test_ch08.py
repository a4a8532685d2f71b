"""The set of chapter 08: full marks when solved, what to do when not, and for wrong code its hint."""

import math

import numpy as np
import pytest

from lmcourse.hints.question import formula_value
from lmmetrics import compare
from lmmetrics.mixing import Mixture, UnigramCache
from lmmetrics.ngram import NGramModel, WittenBell
from lmmetrics.scoring import score_documents
from lmmetrics.sources import AgreementSource
from lmmetrics.text import tokenize
from tests.questions.exercise_sets import ExerciseSet, SetTests

SET = ExerciseSet("08_ngram_versus_neural")
changed, written = SET.changed, SET.written
odd, breaks = SET.wrong_on_odd_inputs, SET.breaks

N_OF = "N, of_context = counts.sum(), counts.sum(axis=1, keepdims=True)"
GRADIENT = "(of_context * np.exp(log_q) - counts) / N"
FLOOR = "floor = -xlogy(counts, frequency).sum() / N"
changed(
    "one-class",
    "M2",
    (FLOOR, FLOOR + " / math.log(2)"),
    ("loss = -(counts", "loss = -(1 / math.log(2) * counts"),
)
changed(
    "one-class",
    "M3",
    (FLOOR, FLOOR + " / math.log(10)"),
    ("loss = -(counts", "loss = -(1 / math.log(10) * counts"),
)
changed("one-class", "M5", (GRADIENT, "(counts - of_context * np.exp(log_q)) / N"))
changed("one-class", "L1", (N_OF, N_OF.replace("counts.sum(),", "1,")))
changed("one-class", "L26", (GRADIENT, "np.exp(log_q) - frequency"))
written(
    "one-class",
    "L26",
    """
    def one_class(counts, logits):
        of_context = counts.sum(axis=1)
        q = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
        entropies, crosses = [], []
        for row, forecast in zip(counts[of_context > 0], q[of_context > 0]):
            p = row / row.sum()
            entropies.append(-sum(x * math.log(x) for x in p if x > 0))
            crosses.append(-(p * np.log(forecast)).sum())
        gradient = (of_context[:, None] * q - counts) / counts.sum()
        return {"floor": np.mean(entropies), "gap": np.mean(crosses) - np.mean(entropies),
                "gradient": gradient}
    """,
)
changed("one-class", "L22", (GRADIENT, "-counts / N"))
changed(
    "one-class",
    "L19",
    (FLOOR, FLOOR.replace("frequency", "counts / N")),
    ("loss - floor", "loss + xlogy(counts, frequency).sum() / N"),
)
changed("one-class", "L12", ('"gap": loss - floor', '"gap": loss'))
written(
    "one-class",
    "M50",
    """
    def one_class(counts, logits):
        N, of_context = counts.sum(), counts.sum(axis=1, keepdims=True)
        q = np.exp(log_softmax(logits, axis=1))
        p = counts / np.maximum(of_context, 1)
        gap = sum(n * (a * np.log(a / b)).sum() for n, a, b in zip(of_context[:, 0], q, p) if n) / N
        return {"floor": -xlogy(counts, p).sum() / N, "gap": gap, "gradient": (of_context * q - counts) / N}
    """,
)

MODE, MEAN = '"mode": (c1 + k - 1) / (N + 3 * (k - 1))', '"mean": mean,'
LEARNED = "mean * mean.subs(c1, c1 + 1)"
changed("prior", "L31", (MEAN, MODE.replace("mode", "mean") + ","), (MODE, '"mode": mean'))
changed("prior", "L31", (MODE, '"mode": mean'))
changed("prior", "L31", (MEAN, MODE.replace("mode", "mean") + ","))
changed("prior", "L32", (LEARNED, "mean**2"))
changed("prior", "L23", (LEARNED, "mean * (c1 + 1 + k) / (N + 3 * k)"))
changed("prior", "L22", (MODE, '"mode": c1 / N'))
changed("prior", "L13", (MODE, '"mode": (c1 + k - 1) / (N + k - 1)'))
changed("prior", "L13", ("3 * k / (N + 3 * k)", "k / (N + k)"))
changed("prior", "L31", ("3 * k / (N + 3 * k)", "N / (N + 3 * k)"))

changed("cost", "L1", ("-tokens * math.log(weight)", "-math.log(weight)"))
changed("cost", "L1", ("1 / weight", "math.exp(-tokens * math.log(weight))"))
changed("cost", "L31", ("math.log(weight)", "math.log(1 - weight)"), ("1 / weight", "1 / (1 - weight)"))
changed("cost", "L8", ("-tokens * math.log(weight)", "tokens * math.log(2)"), ("1 / weight", "2"))
changed("cost", "M5", ("-tokens * ", "tokens * "))
changed("cost", "M2", ("math.log(weight)", "math.log2(weight)"))
changed("cost", "L34", ("1 / weight", "weight"))

TOTAL = "-logsumexp(weighted, axis=0)"
changed("mix", "L30", (TOTAL, "-(weights[:, None] * log_probs).sum(axis=0)"))
changed("mix", "M45", (TOTAL, "-np.log((weights[:, None] * np.exp(log_probs)).sum(axis=0))"))
changed("mix", "M2", (TOTAL, "-logsumexp(weighted, axis=0) / math.log(2)"))
changed("mix", "L8", ("np.log(weights)[:, None]", "np.log(1 / len(weights))"))
changed("mix", "L25", (TOTAL, "-weighted.max(axis=0)"))
changed("mix", "L11", (" + np.log(weights)[:, None]", ""))
changed("mix", "M5", ("return -", "return "))

PAST = "past = ids[max(begins[t], t - size) : t]"
changed("cache", "L17", (PAST, PAST.replace(": t]", ": t + 1]")))
changed("cache", "L20", (PAST, "past = ids[max(0, t - size) : t]"))
changed("cache", "L13", ("(past == ids[t]).mean()", "(past == ids[t]).sum() / size"))
changed(
    "cache", "L13", ("if len(past) > 0:", "if len(past) == 0:\n            q *= 1 - weight\n        else:")
)
changed("cache", "L23", ("t - size)", "t - size + 1)"))
changed("cache", "L1", ("return nats", "return nats / len(ids)"))
changed("cache", "L31", ("(1 - weight) * q + weight *", "weight * q + (1 - weight) *"))

ERROR = "error = math.sqrt(D / (D - 1) * (off**2).sum()) / tokens.sum()"
written(
    "paired",
    "M8",
    """
    def paired(a, b, tokens):
        ratios = (a - b) / tokens
        return {"difference": ratios.mean(), "error": ratios.std(ddof=1) / math.sqrt(len(ratios))}
    """,
)
written(
    "paired",
    "L32",
    """
    def paired(a, b, tokens):
        D, variance = len(a), 0.0
        for bits in (a, b):
            off = bits - bits.sum() / tokens.sum() * tokens
            variance += D / (D - 1) * (off**2).sum() / tokens.sum() ** 2
        return {"difference": (a - b).sum() / tokens.sum(), "error": math.sqrt(variance)}
    """,
)
changed("paired", "L23", ("D / (D - 1) * ", ""))
changed("paired", "L7", ("d, D = a - b", "d, D = b - a"))
changed("paired", "L1", ("difference = d.sum() / tokens.sum()", "difference = d.sum()"),
        ("off = d - difference * tokens", "off = d - difference / tokens.sum() * tokens"),
        (") / tokens.sum()\n    return", ")\n    return"))  # fmt: skip
changed("paired", "L1", (ERROR, "error = off.std(ddof=1) / tokens.mean()"))
changed("paired", "L22", (ERROR, "error = d.std(ddof=1) / math.sqrt(D) / tokens.mean()"))

RATIO = "(z * error / difference) ** 2"
changed("needed", "L22", (RATIO, "abs(z * error / difference)"))
changed("needed", "L34", (RATIO, "(difference / (z * error)) ** 2"))
changed("needed", "L8", ("z * error", "1.96 * error"))
changed("needed", "L22", ("tokens * (z", "(z"))
changed("needed", "L22", (RATIO, "math.sqrt(abs(z * error / difference))"))
changed("needed", "L22", (RATIO, "(z * error / difference)"))

PARTS = "np.bincount(classes, weights=d, minlength=K) / len(d)"
changed(
    "parts",
    "L26",
    (PARTS, "np.bincount(classes, weights=d, minlength=K) / np.bincount(classes, minlength=K)"),
)
MEANS = "np.array([d[classes == c].mean() * (classes == c).mean() for c in range(K)])"
changed("parts", "L38", ("np.bincount(classes, weights=d, minlength=K) / len(d)", MEANS))
changed("parts", "M1", (" / math.log(2)", ""))
changed("parts", "L7", ("trained - counted) /", "counted - trained) /"))
changed("parts", "L1", (" / len(d)", ""))
changed("parts", "L9", ("d = (trained - counted) / math.log(2)", "d = trained / counted"))

AHEAD = "ahead, x = np.log(trained / counted), np.log(sizes)"
changed("crossing", "L9", (AHEAD, "ahead, x = np.log(trained / counted), sizes"), ("math.exp(x[i]", "(x[i]"))
changed("crossing", "L9", (AHEAD, "ahead, x = trained - counted, np.log(sizes)"))
changed("crossing", "L9", (AHEAD, "ahead, x = trained - counted, sizes"), ("math.exp(x[i]", "(x[i]"))
written(
    "crossing",
    "L23",
    "def crossing(sizes, counted, trained):\n    return sizes[np.argmax(trained <= counted)]\n",
)

changed("floor", "L23", ("order - 1 - phrase", "order - phrase"))
changed("floor", "L23", ("order - 1 - phrase", "order - 2 - phrase"))
changed("floor", "L11", ("max(0, order - 1 - phrase)", "(order - 1 - phrase)"))
changed("floor", "L1", (" / length", ""))
changed("floor", "M1", ("math.log2", "math.log"))
changed("floor", "L22", ("more ** max(0, order - 1 - phrase)", "float(order - 1 <= phrase)"))
changed("floor", "L8", ("math.log2(subjects)", "1"))

SIX = '("text", "unit", "vocabulary", "scored", "past", "chosen on")'
PAID = '        keys += [key for key in ("seconds", "parameters") if a[key] != b[key]]\n'
changed("fair", "L28", ("        found.append", PAID + "        found.append"))
changed("fair", "L28", ('keys.remove("vocabulary")', "pass"))
changed("fair", "M29", (' and "<unk>" not in a["vocabulary"] + b["vocabulary"]', ""))
changed("fair", "M34", (SIX, SIX.replace('"vocabulary", ', "")))
changed("fair", "M36", (SIX, SIX.replace('"unit", ', "")))
changed("fair", "M15", (SIX, SIX.replace('"past", ', "")))
changed("fair", "L17", ('if a["chosen on"] == b["chosen on"] == "test":', "if False:"))
changed("fair", "M39", (SIX, SIX.replace('"text", ', "").replace('"scored", ', "")))

EMPTY, FULL = "counts, nats = np.zeros(V), 0.0", "counts, nats = np.bincount(ids, minlength=V), 0.0"
COUNTED = "        counts[token] += 1\n"
STEP = """        nats -= math.log((counts[token] + k) / (t + k * V))
        counts[token] += 1
"""
LEARNS = """        counts[token] += 1
        nats -= math.log((counts[token] + k) / (t + 1 + k * V))
"""
changed("adapt", "L17", (STEP, LEARNS))
changed("adapt", "L14", (EMPTY, FULL), ("(t + k * V)", "(len(ids) + k * V)"), (COUNTED, ""))
changed("adapt", "M52", (EMPTY, FULL), ("(t + k * V)", "(len(ids) + t + k * V)"))
changed("adapt", "L18", ("        counts[token] += 1\n", ""), ("(t + k * V)", "(k * V)"))
changed("adapt", "L13", ("(t + k * V)", "(t + k)"))
changed("adapt", "L1", ("return nats", "return nats / len(ids)"))

odd("parts", (", minlength=K", ""))
odd(
    "parts",
    (
        "np.bincount(classes, weights=d, minlength=K)",
        "np.array([d[classes == c].sum() for c in np.unique(classes)])",
    ),
)
odd("crossing", ("(ahead[1:] <= 0)", "(ahead[1:] < 0)"))
odd("fair", (' in a["vocabulary"] + b["vocabulary"]', ' in a["vocabulary"]'))
odd("fair", (' in a["vocabulary"] + b["vocabulary"]', ' in b["vocabulary"]'))
odd("fair", ('a["unit"] == b["unit"] == "byte"', 'a["unit"] == "byte"'))
odd("fair", ('a["unit"] == b["unit"] == "byte"', 'b["unit"] == "byte"'))
odd("paired", ("D / (D - 1)", "D / max(D - 1, 2)"))

breaks("one-class", "nan", ("np.maximum(of_context, 1)", "of_context"))
breaks("one-class", "below 0", ("loss - floor", "floor - loss"))
breaks("one-class", "does not sum to 0", ("np.exp(log_q) - counts", "np.exp(logits) - counts"))
breaks("mix", "above those of all models", ("(weights)[:, None]", "(weights)[:, None] - 3"))
breaks("parts", "do not add up", ("/ len(d)", "/ len(d) / 2"))
breaks("paired", "above 0", ('"error": error', '"error": -error'))
breaks("fair", "one entry for each pair", ('"; ".join(found)', '"; ".join(found[:-1])'))


class TestSet(SetTests):
    exercises = SET


@pytest.fixture(scope="module")
def small():
    documents = ["a b a b b a c\n", "b b a a c a\n", "c a b a\n"]
    text = tokenize(documents, by="char")
    return text, NGramModel(2, WittenBell()).fit(text)


def test_the_questions_and_the_library_have_one_formula(small):
    """Mixture, cache, comparison and floor: the reference of each task is the library's number."""
    text, model = small
    other = NGramModel(1, WittenBell()).fit(text)
    logs = np.stack([model.log_probs(text), other.log_probs(text)])
    right = {name: SET.questions[f"08.{name}"].right for name in ("mix", "cache", "paired", "floor")}
    mixed = Mixture([model, other], weights=[0.3, 0.7])
    assert right["mix"](logs, np.array([0.3, 0.7])) == pytest.approx(-mixed.log_probs(text), rel=1e-12)

    starts, memory = text.document_starts[:-1], UnigramCache(3)
    ours = right["cache"](text.ids, starts, model.log_probs(text), 3, 0.2)
    cached = np.logaddexp(model.log_probs(text) + math.log(0.8), memory.log_probs(text) + math.log(0.2))
    cached[starts] = model.log_probs(text)[starts]  # there the task lets the model speak alone
    assert ours == pytest.approx(-cached.sum(), rel=1e-12)

    a, b = (np.array([s.bits for s in score_documents(m, text)]) for m in (model, other))
    found = right["paired"](a, b, np.diff(text.document_starts))
    assert found["difference"] == pytest.approx(compare(model, other, text, resamples=99).difference)

    source = AgreementSource()
    for order in (3, 6, 7, 9):
        assert right["floor"](2, 5, 0.5, order) == pytest.approx(source.excess(order) / math.log(2))


def test_the_wrong_scores_of_an_adapting_model_are_lower():
    """Learning first, or twice, flatters: that is why it has to be found by reading."""
    question = SET.questions["08.adapt"]
    for case in (*question.cases, *question.fresh_cases(3)):
        right = formula_value(question, question.right, case)
        wrong = {
            m.id: formula_value(question, m.wrong, case) for m in question.mistakes if m.id in ("L17", "M52")
        }
        assert max(wrong.values()) < right
