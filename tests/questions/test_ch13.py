"""The set of chapter 13: full marks when solved, what to do when not, and for wrong code its hint."""

import numpy as np
import pytest
from scipy.stats import binomtest, spearmanr

from lmcourse.feedback import WrongAnswer, check
from lmcourse.questions.ch13 import limits, pairs, texts
from lmmetrics import score_text
from lmmetrics.ngram import NGramModel, WittenBell
from lmmetrics.text import tokenize
from tests.questions.exercise_sets import ExerciseSet, SetTests, exchange

SET = ExerciseSet("13_limits_of_perplexity")
changed, written, odd, breaks = SET.changed, SET.written, SET.wrong_on_odd_inputs, SET.breaks

written(
    "edit-distance",
    "L39",
    """
    def edits(reference, hypothesis):
        differ = sum(a != b for a, b in zip(reference, hypothesis))
        longer = len(hypothesis) - len(reference)
        return {"substitutions": differ, "deletions": max(0, -longer), "insertions": max(0, longer)}
    """,
)
REPLACE = "(errors + new, substituted - new, deleted, inserted)"
changed("edit-distance", "L40", ("min(replace, ", "min(*[replace] * (not new), "))
changed("edit-distance", "L40", (REPLACE, "(errors + 3 * new, substituted - new, deleted, inserted)"))
written(
    "edit-distance",
    "L22",
    """
    def edits(reference, hypothesis):
        said, heard = Counter(reference), Counter(hypothesis)
        return {
            "substitutions": 0, "deletions": (said - heard).total(), "insertions": (heard - said).total(),
        }
    """,
)
changed("edit-distance", "L22", ("[(j, 0, 0, j)", "[(0, 0, 0, 0)"), ("[(i, 0, i, 0)]", "[(0, 0, 0, 0)]"))
changed("edit-distance", "L31", *exchange('"deletions"', '"insertions"'))
changed("edit-distance", "L7", (REPLACE, "(errors + new, substituted + new, deleted, inserted)"),
        ("-substituted,", "substituted,"))  # fmt: skip
ENTRIES = '{"substitutions": -substituted, "deletions": deleted, "insertions": inserted}'
RATES = "{name: n / max(1, len(reference)) for name, n in " + ENTRIES + ".items()}"
changed("edit-distance", "L1", (ENTRIES, RATES))

changed("wer", "M57", ("spoken, written =", "written, spoken ="))
changed(
    "wer",
    "M57",
    ('"none": errors.sum() / spoken.sum()', '"none": (errors / spoken).mean()'),
    ('"mean": (errors / spoken).mean()', '"mean": errors.sum() / spoken.sum()'),
)
changed("wer", "L22", ("errors = substituted + deleted + inserted", "errors = substituted + deleted"),
        ("substituted + inserted + correct", "substituted + correct"))  # fmt: skip
changed(
    "wer", "M57", ('"none": errors.sum() / spoken.sum()', '"none": errors.sum() / (errors + correct).sum()')
)
changed("wer", "L7", ('"none": errors.sum() / spoken.sum()', '"none": correct.sum() / spoken.sum()'))
changed("wer", "L7", ('rates.append(suspects["none"])', "rates.append(correct.sum() / spoken.sum())"))
changed("wer", "L3", ("np.array(rates)", "100 * np.array(rates)"))
changed("wer", "L28", ("min(suspects, ", "min(list(suspects)[1:], "))

changed("f1", "M59", *exchange('"precision"', '"recall"'))
P, R = "divided(both, flagged.sum())", "divided(both, urgent.sum())"
HARMONIC = "divided(2 * both, flagged.sum() + urgent.sum())"
changed("f1", "M59", (f'"precision": {P}', f'"precision": {R}'))
changed("f1", "M59", (f'"recall": {R}', f'"recall": {P}'))
changed("f1", "M59", (HARMONIC, f"({P} + {R}) / 2"))
changed("f1", "M54", (HARMONIC, "np.mean(urgent == flagged)"))
changed("f1", "M54", (f'"precision": {P}', '"precision": np.mean(urgent == flagged)'))
changed("f1", "L7", (f'"recall": {R}', '"recall": divided((~urgent & ~flagged).sum(), (~urgent).sum())'))
changed("f1", "L3", ("return count / total", "return 100 * count / total"))
changed("f1", "L1", (HARMONIC, "both"))

LEAST, FACTOR, ELSEWHERE = "s * (1 - a) * sp.log(2)", '"factor": sp.exp(least)', "sp.exp((1 - s) * c)"
changed("frontier", "M1", ("[lowest] = sp.solve(least - D, a)", "lowest = 1 - D / s"))
changed("frontier", "L22", ('"lowest": lowest', '"lowest": 1 - D / sp.log(2)'))
changed("frontier", "L7", ('"lowest": lowest', '"lowest": 1 - lowest'))
changed("frontier", "L34", ('"lowest": lowest', '"lowest": 1 - s * sp.log(2) / D'))
changed("frontier", "L7", (FACTOR, '"factor": 2 ** (s * a)'))
changed("frontier", "M4", (FACTOR, '"factor": least'))
changed("frontier", "M2", (FACTOR, '"factor": sp.exp(s * (1 - a))'))
changed("frontier", "L22", (FACTOR, '"factor": 2 ** (1 - a)'))
changed("frontier", "L34", (FACTOR, '"factor": 1 / sp.exp(least)'))
changed("frontier", "M1", (ELSEWHERE, "2 ** ((1 - s) * c)"))
changed("frontier", "L22", (ELSEWHERE, "sp.exp(c)"))
changed("frontier", "L7", (ELSEWHERE, "sp.exp(s * c)"))
changed("frontier", "M4", (ELSEWHERE, "(1 - s) * c"))
changed("frontier", "M1", (LEAST, "s * (1 - a)"), (FACTOR, '"factor": 2 ** least'))

TWO = "[[[0.9, 0.1], [0.48, 0.52]], [[0.55, 0.45], [0.55, 0.45]]]"
changed("bound", "L7", (TWO, "[[[0.6, 0.4]] * 2, [[0.9, 0.1], [0.49, 0.51]]]"))
changed("bound", "M54", ("[[0.45, 0.5, 0.05]]", "[[0.3, 0.4, 0.3]]"))
changed("bound", "M54", ("[[0.45, 0.5, 0.05]]", "[[0.1, 0.9]]"))
changed("bound", "M53", ("[[0.4, 0.35, 0.25]]", "[[0.4, 0.4, 0.2]]"))
changed("bound", "L12", ('"none"', "[[0.55, 0.45]]"))
changed("bound", "M33", ("[[0.4, 0.35, 0.25]]", "[[0.4, 0.3, 0.2]]"))
changed("bound", "M33", ("[[0.45, 0.5, 0.05]]", "[[45, 50, 5]]"))
changed("bound", "M33", (TWO, "[[[0.9, 0.2]], [[0.5, 0.5]]]"))

SAME = '"anna has paid carl and carl has paid ben and ben has paid anna"'
changed("same-counts", "L23", (SAME, '"anna has paid ben and carl has paid carl and ben has paid anna"'))
changed("same-counts", "L24", (SAME, '"ben has paid anna and anna has paid carl and carl has paid ben"'))
changed("same-counts", "L23", ('"order": 4', '"order": 3'))
changed("same-counts", "L23", ("has not paid", "has paid"))
changed("same-counts", "L24", (
    '"anna has not paid carl and carl has not paid ben and ben has not paid anna",',
    '"ben has not paid anna and anna has not paid carl and carl has not paid ben",'))  # fmt: skip

EXPECTED = '"expected": (hit / tied).mean()'
changed("ties", "M53", (EXPECTED, '"expected": (scores.argmax(axis=1) == right).mean()'))
changed("ties", "L8", (EXPECTED, '"expected": hit.mean()'))
changed("ties", "L8", (EXPECTED, '"expected": (hit & (tied == 1)).mean()'))
changed("ties", "L8", (EXPECTED, '"expected": np.where(tied > 1, hit / 2, hit).mean()'))
changed("ties", "M54", (EXPECTED, '"expected": hit.mean() / scores.shape[1]'))
changed("ties", "L7", ("scores.max(", "scores.min("))
changed(
    "ties", "L31", ("[(hit & (tied == 1)).mean(), hit.mean()]", "[hit.mean(), (hit & (tied == 1)).mean()]")
)
changed("ties", "L1", (".mean()", ".sum()"))

EACH = "spearmanr(perplexities[draw], accuracies[draw]).statistic for draw in draws"
RHO = "spearmanr(perplexities, accuracies).statistic"
PEARSON = "np.corrcoef({0}, {1})[0, 1]"
ORDINAL = PEARSON.format(
    "np.argsort(np.argsort({0}, kind='stable'))", "np.argsort(np.argsort({1}, kind='stable'))"
)
SHORT = "1 - 6 * np.sum((rankdata({0}) - rankdata({1})) ** 2) / (len({0}) * (len({0}) ** 2 - 1))"
DRAWN, ALL = ("perplexities[draw]", "accuracies[draw]"), ("perplexities", "accuracies")


def _by(template):
    """Rank correlations computed by another formula."""
    return (EACH, template.format(*DRAWN) + " for draw in draws"), (RHO, template.format(*ALL))


changed("rank-interval", "M53", *_by(ORDINAL))
changed(
    "rank-interval",
    "L11",
    *_by(SHORT),
    ("    resampled", "    from scipy.stats import rankdata\n\n    resampled"),
)
changed("rank-interval", "L9", *_by(PEARSON))
changed("rank-interval", "L7", (EACH, "-" + EACH), (f'"rho": {RHO}', f'"rho": -{RHO}'))
changed("rank-interval", "M58", ("[0.025, 0.975]", "[0.05, 0.95]"))
changed(
    "rank-interval", "M58", ("np.quantile(resampled, [0.025, 0.975])", "[min(resampled), max(resampled)]")
)
changed("rank-interval", "M58", (EACH, f"{RHO} for draw in draws"))
PAIRED, APART = "draw in draws", "draw, other in zip(draws, np.roll(draws, 1, axis=0))"
changed("rank-interval", "L32", ("accuracies[draw]", "accuracies[other]"), (PAIRED, APART))

changed("choice-scorer", "M22 + M34", ("each[prompt:].sum()", "each.mean()"), (" / chars", ""))
changed("choice-scorer", "L23", ("[prompt:]", "[prompt + 1 :]"))
changed("choice-scorer", "M2", ('"scores": scores', '"scores": scores / math.log(2)'))
written("choice-scorer", "M22 + M53 + M55", "choose = choose_as_found")
changed("choice-scorer", "M22 + M55", ("each[prompt:]", "each"), (" / chars", ""))
FAIR = "best = np.abs(scores - scores.max()) <= 1e-9"
changed(
    "choice-scorer", "M53 + M55", (" / chars", ""), (FAIR, "best = np.arange(len(scores)) == scores.argmax()")
)
changed("choice-scorer", "M55", (" / chars", ""))
changed("choice-scorer", "M53", (FAIR, "best = np.arange(len(scores)) == (scores + 1e-12).round(9).argmax()"))
changed("choice-scorer", "M22", ("each[prompt:]", "each"))
changed("choice-scorer", "M34", ("each[prompt:].sum()", "each[prompt:].mean()"), (" / chars", ""))
changed(
    "choice-scorer", "M5", ("each[prompt:].sum()", "-each[prompt:].sum()"), (FAIR, FAIR.replace("max", "min"))
)
changed("choice-scorer", "L7", (FAIR, FAIR.replace("max", "min")))

LONE = "the key on the desk in this office is lost"
changed(
    "pairs-design",
    "M55",
    ("are lost\nthe key on the desk in both", "are not lost\nthe key on the desk in both"),
)
changed("pairs-design", "L7", *exchange(" is lost", " are lost"))
LAST = "the keys on the desk in both offices are lost | the keys on the desk in both offices is lost"
changed("pairs-design", "M54", (LAST, f"{LONE} | the key on the desk in this office are lost"))
changed("pairs-design", "M54", ("key on the desk in both offices", "key on the desk in this office"))

WHOLE = "sharp[kept] / sharp[kept].sum()"
WRITTEN = '"written": torch.exp(-(row * log_q).sum())'
TEST = '"test": torch.exp(-log_q[ids].mean())'
changed("decoders", "M56", (TEST, '"test": torch.exp(-(row * log_q).sum())'))
changed("decoders", "M31", (TEST, '"test": torch.exp(-row.log()[ids].mean())'))
changed("decoders", "L34", ("logits / temperature", "logits * temperature"))
changed("decoders", "L23", ("order[before < p]", "order[before + sharp[order] <= p]"))
written(
    "decoders",
    "L31",
    """
    def decoded(logits, ids, temperature, p):
        q = F.softmax(torch.from_numpy(logits), dim=-1)
        order = q.argsort(descending=True)
        kept = order[q[order].cumsum(0) - q[order] < p]
        row = torch.zeros_like(q)
        row[kept] = F.softmax(torch.from_numpy(logits)[kept] / temperature, dim=-1)
        log_q = q.log()
        return {"row": row, "test": torch.exp(-log_q[ids].mean()), "written": torch.exp(-(row * log_q).sum())}
    """,
)
changed("decoders", "L22", ("order[before < p]", "order"))
changed("decoders", "L8", (" / temperature", ""))
changed("decoders", "M11", (TEST, '"test": torch.exp(-log_q[ids]).mean()'))
changed("decoders", "L1", (TEST, '"test": torch.exp(-log_q[ids].sum())'))
changed("decoders", "M33", (WHOLE, "sharp[kept]"))
changed("decoders", "L15", (WRITTEN, '"written": torch.exp(-(log_q.exp() * log_q).sum())'))
changed("decoders", "L5", (WRITTEN, '"written": torch.exp(torch.special.entr(row).sum())'))
changed("decoders", "M4", (WRITTEN, '"written": -(row * log_q).sum()'))
changed("decoders", "M4", (TEST, '"test": -log_q[ids].mean()'))

NEAR = "near = np.abs(surprisal - entropy) <= width"
changed("typical", "L5", ('"mode": 1 / a', '"mode": np.exp(entropy)'))
changed("typical", "M4", ('"mode": 1 / a', '"mode": -np.log(a)'))
changed("typical", "M1", ('"mode": 1 / a', '"mode": 2 ** -math.log(a)'))
changed("typical", "L33", ("binom.pmf(rare, n, 1 - a)[near].sum()", "near.mean()"))
changed("typical", "M5", ('"mode": 1 / a', '"mode": a'))
changed("typical", "L1", ('"mode": 1 / a', '"mode": 1 / a**n'))
changed("typical", "L1", ('"chance": a**n', '"chance": a'))
changed("typical", "L18", ('"chance": a**n', '"chance": 1 / 2**n'))
changed("typical", "M2", (NEAR, "near = np.abs(surprisal - entropy) / np.log(2) <= width"))
changed("typical", "L22", (NEAR, "near = surprisal - entropy <= width"))
changed("typical", "L9", (NEAR, "near = np.abs(rare / n - (1 - a)) <= width"))
changed("typical", "L22", ("binom.pmf(rare, n, 1 - a)[near].sum()", "np.exp(-n * surprisal)[near].sum()"))

changed("votes", "M53", ("n = a + b", "a = a + ties\n    n = a + b"))
changed("votes", "M53", ("binomtest(a, n)", "binomtest(a + ties, n + ties)"))
changed("votes", "L27", ("n = a + b", "n = a + b + ties"))
changed("votes", "L7", ("binomtest(a, n)", "binomtest(b, n)"))
changed("votes", "L22", ("proportion_ci()", "proportion_ci(0.9)"), ("<= 0.025", "<= 0.05"))
changed("votes", "L22", ("proportion_ci()", "proportion_ci(0.9)"))
changed("votes", "L23", ("binom.sf(w - 1, n, 0.5) <= 0.025", "binom.sf(w - 2, n, 0.5) <= 0.025"))
changed("votes", "L23", ("binom.sf(w - 1, n, 0.5)", "binom.sf(w, n, 0.5)"))
changed("votes", "L23", ('"threshold": threshold,', '"threshold": threshold + 1,'))
changed("votes", "L23", ('"threshold": threshold,', '"threshold": threshold - 1,'))
changed("votes", "L23", ("binom.sf(threshold - 1, n, share)", "binom.sf(threshold, n, share)"))
changed("votes", "L23", ("binom.sf(threshold - 1, n, share)", "binom.sf(threshold - 2, n, share)"))
changed("votes", "L15", ("n, share)", "n, 0.5)"))
changed("votes", "L5", ("n, share)", "n, a / n)"))

NOTHING = {"substitutions": 0, "deletions": 0, "insertions": 0}
odd("edit-distance", ("    # entries", f"    if not reference:\n        return {NOTHING}\n    # entries"))
odd("f1", ("return count / total if total else 0.0", "return count / total if total else 1.0"))
odd("ties", ("(hit / tied).mean()", "(hit / np.minimum(tied, 3)).mean()"))
WALD = "[a / n - 1.96 * (a * b / n**3) ** 0.5, a / n + 1.96 * (a * b / n**3) ** 0.5]"
breaks("votes", "not the value asked for", ("list(binomtest(a, n).proportion_ci())", WALD))
odd("votes", ("binomtest(a, n).proportion_ci()", "binomtest(a, n).proportion_ci() if b else (0.8, 1)"))
odd("typical", ("a**n", "a**min(n, 60)"))
odd("choice-scorer", ("best / best.sum()", "best / 2"))

breaks("edit-distance", "when reference", ('"substitutions": -substituted', '"substitutions": deleted'))
breaks("edit-distance", "as many as those", ('"insertions": inserted', '"insertions": 0 * inserted'))
breaks("edit-distance", "not their letters", ('"substitutions": -sub', '"substitutions": 10 - sub'))
breaks("wer", "exactly 1", ('suspects["none"])', 'min(1, suspects["none"]))'))
breaks("rank-interval", "the lower one", ("[0.025, 0.975]", "[0.975, 0.025]"))
breaks("choice-scorer", "nor a perplexity", ('"scores": scores', '"scores": np.exp(scores)'))
breaks("votes", "end of your interval", ("list(binomtest(a, n).proportion_ci())", "[a - 1, a + 1]"))
breaks("f1", "0/0 counts as 0", ("divided(2 * both", "math.nan * divided(2 * both"))
breaks("ties", "another order", (EXPECTED, '"expected": (hit / tied + (right == 0) / 10).mean()'))
breaks("decoders", "does not sum to 1", (WHOLE, "sharp[kept] / sharp[kept].sum() / 2"))
breaks("choice-scorer", "add up to 1", ("best / best.sum()", "1.0 * (scores == scores.max()) + best"))
breaks("bound", "model is right on some token", ("[[0.45, 0.5, 0.05]]", "[[0.9, 0.1]]"))
breaks("bound", "something does", (TWO, '"none"'))
breaks("bound", "only 0.511 nats", ("[[0.4, 0.35, 0.25]]", "[[0.6, 0.4]]"))
breaks("bound", "same accuracy", (TWO, "[[[0.7, 0.3]], [[0.6, 0.4]]]"))
breaks("bound", "higher accuracy as well", (TWO, "[[[0.7, 0.3]], [[0.4, 0.6]]]"))
breaks("bound", r"shape \(2, N, K\)", (TWO, "[[0.7, 0.3]]"))
breaks("bound", "a probability is below 0", ("[[0.4, 0.35, 0.25]]", "[[1.2, -0.2]]"))
breaks("same-counts", "the given text itself", (SAME, "given"))
breaks("same-counts", "not those of the given text", (SAME, '"anna has paid dora"'))
breaks("same-counts", "lower order", ('"order": 4', '"order": 5'))
breaks("same-counts", "mean equal bigrams", ('"order": 4', '"order": 2'))
breaks("same-counts", "list of two texts", ('"pair": [', '"pair": "none" and ["one", '))
breaks(
    "pairs-design",
    "fewer than 4 words",
    ("on the desk in this office ", ""),
    ("on the desk in both offices ", ""),
)
breaks(
    "pairs-design",
    "more than the verb",
    ("are lost\nthe key on the desk in both", "are here\nthe key on the desk in both"),
)
breaks("pairs-design", "Write four or more", (f"{LONE} | the key on the desk in this office are lost\n", ""))
breaks("pairs-design", "one | between", (" | the key ", " / the key "))

SET.right(
    "edit-distance",
    """
    def edits(reference, hypothesis):
        # the errors and the substitutions in one number; the lengths say what else there is
        big = len(reference) + len(hypothesis) + 1
        table = np.zeros((len(reference) + 1, len(hypothesis) + 1), dtype=int)
        table[:, 0], table[0] = big * np.arange(len(reference) + 1), big * np.arange(len(hypothesis) + 1)
        for i in range(len(reference)):
            for j in range(len(hypothesis)):
                change = table[i, j] + (big - 1) * (reference[i] != hypothesis[j])
                table[i + 1, j + 1] = min(change, table[i, j + 1] + big, table[i + 1, j] + big)
        errors = -(-table[-1, -1] // big)
        substitutions = errors * big - table[-1, -1]
        rest, longer = errors - substitutions, len(hypothesis) - len(reference)
        return {
            "insertions": (rest + longer) // 2,
            "deletions": (rest - longer) / 2,
            "substitutions": substitutions,
        }
    """,
)
SET.right(
    "f1",
    """
    def scores(urgent, flagged):
        both = int(sum(u and f for u, f in zip(urgent, flagged)))
        precision = both / max(1, int(flagged.sum()))
        recall = both / max(1, int(urgent.sum()))
        harmonic = 2 / (1 / precision + 1 / recall) if both else 0
        return {"F1": harmonic, "recall": recall, "precision": precision}
    """,
)
SET.right(
    "frontier",
    """
    x, bit, most = sp.Symbol("a"), sp.log(4) / 2, sp.exp(c)
    limits = {"lowest": (s * bit - D) / (s * bit), "factor": 2**s / 2 ** (s * x), "elsewhere": most / most**s}
    """,
)
SET.right(
    "bound",
    """
    refuted = {
        "lower loss": np.array([[[0.99, 0.01, 0], [0.4, 0.6, 0], [0.99, 0.01, 0]], [[0.6, 0.4, 0]] * 3]),
        "never right": torch.tensor([[0.26, 0.3, 0.22, 0.22]], dtype=torch.float64),
        "all right": [[1 / 2, 1 / 4, 1 / 4], [1 / 3 + 0.1, 1 / 3, 1 / 3 - 0.1]],
        "below one bit": " None ",
    }
    """,
)
SET.right(
    "same-counts",
    """
    facts = {
        "pair": (
            "the sign at the door of a house near the sign at the door of a shop near the sign at the door",
            "the sign at the door of a shop near the sign at the door of a house near the sign at the door",
        ),
        "order": 4.0,
        "same": " anna has paid carl  and carl has paid ben and ben has paid anna ",
    }
    """,
)
SET.right(
    "pairs-design",
    """
    subjects = {"key": "is", "phones": "are"}
    others = ("line", "tickets")
    pairs = "\\n".join(
        f"the {subject} that I lost near the old {other} {verb} red | "
        f"the {subject} that I lost near the old {other} {'are' if verb == 'is' else 'is'} red"
        for subject, verb in subjects.items()
        for other in others
    )
    """,
)
SET.right(
    "ties",
    """
    def accuracy(scores, right):
        expected, low, high = 0, 0, 0
        for row, i in zip(scores.tolist(), right):
            best = [k for k, value in enumerate(row) if value == max(row)]
            expected += (i in best) / len(best)
            low += best == [i]
            high += i in best
        return {"expected": expected / len(right), "range": (low / len(right), high / len(right))}
    """,
)
SET.right(
    "decoders",
    """
    def decoded(logits, ids, temperature, p):
        q = np.exp(logits - np.logaddexp.reduce(logits))
        row = q ** (1 / temperature) / (q ** (1 / temperature)).sum()
        held = 0
        for w in np.argsort(row)[::-1]:
            row[w], held = (row[w] if held < p else 0), held + row[w]
        row /= row.sum()
        return {"row": row, "test": np.prod(q[ids]) ** (-1 / len(ids)), "written": np.prod(q**-row)}
    """,
)
SET.right(
    "votes",
    """
    def votes(a, b, ties, share):
        from scipy.stats import beta

        n = a + b
        least = min(k for k in range(n // 2, n + 1) if binomtest(k, n, 0.5).proportion_ci().low > 0.5)
        power = sum(math.comb(n, k) * share**k * (1 - share) ** (n - k) for k in range(least, n + 1))
        ends = np.nan_to_num(beta.ppf([0.025, 0.975], [a, a + 1], [b + 1, b]), nan=1.0)
        return {"interval": ends, "threshold": least, "power": power}
    """,
)


class TestSet(SetTests):
    exercises = SET


def test_models_cannot_tell_the_texts_of_task_5_apart():
    """Equal counts, equal probability: up to the order that the task names, and no further."""
    ours = texts.SAME_COUNTS.right()
    other, order = ours["same"], int(ours["order"])
    read = tokenize(["anna has paid ben . anna has paid ben . and carl has paid . the end .\n"])
    for n in range(1, 6):
        model = NGramModel(n, WittenBell()).fit(read)
        nats = [
            score_text(model, tokenize([text + "\n"], vocabulary=read.vocabulary)).nats
            for text in (texts.GIVEN, other)
        ]
        assert (nats[0] == pytest.approx(nats[1], rel=1e-12)) == (n < order)


def test_the_claim_that_stands_cannot_be_refuted():
    """Never right means 1/2 or less each time: no row that loses does so below ln 2."""
    rng = np.random.default_rng(13)
    for K in (2, 3, 7):
        rows = rng.dirichlet(np.full(K, 0.5), size=2000)
        lost = rows[rows[:, 0] <= rows[:, 1:].max(axis=1)]
        assert limits.loss(lost[np.argmin(-np.log(lost[:, 0]))][None]) >= np.log(2) - 1e-12


@pytest.mark.parametrize("given", [0.5, float("nan"), [], [0.5], None, "0.4, 0.6", [[0.5], [0.2, 0.8]]])
def test_rows_that_are_none_are_refused_with_a_sentence(given):
    for key, look in limits.LOOKS.items():
        assert look(given) not in limits.EXAMPLES[key], (key, given)


def test_partial_answers_get_the_points_of_their_right_entries(capsys):
    for task, points, change in (
        ("bound", 3, ("[[0.45, 0.5, 0.05]]", "[[0.3, 0.4, 0.3]]")),
        ("pairs-design", 2, ("key on the desk in both offices", "key on the desk in this office")),
        ("frontier", 2, (ELSEWHERE, "sp.exp(c)")),
    ):
        source = SET.tasks[task].replace(*change)
        with pytest.raises(WrongAnswer) as caught:
            check(f"13.{task}", SET.answer(task, source))
        assert caught.value.points == points


def test_a_design_is_judged_by_what_it_does():
    """Somebody who gives the conditions as an answer, and no design, gets nothing."""
    for answer in ({"minimal": "yes", "favourite": "yes", "nearest": "yes"}, "right", None, 3, {"a": 1}):
        with pytest.raises(WrongAnswer) as caught:
            check("13.pairs-design", answer)
        assert not caught.value.points
    for answer in (dict.fromkeys(texts.TEXTS, "right"), None, [1, 2]):
        with pytest.raises(WrongAnswer) as caught:
            check("13.same-counts", answer)
        assert not caught.value.points
    for answer in (dict.fromkeys(limits.EXAMPLES, "none"), {key: [[0.5, 0.5]] for key in limits.EXAMPLES}):
        with pytest.raises(WrongAnswer) as caught:
            check("13.bound", answer)
        assert caught.value.points <= 1


def test_the_programs_of_the_set_are_those_of_the_check():
    names = SET.names_before["pairs-design"]
    assert names["number_of"] == pairs.NUMBER
    for line in pairs.PAIRS_DESIGN.right()["minimal"].splitlines():
        words = line.split("|")[0].split()
        place = next(i for i, word in enumerate(words) if word in pairs.VERBS)
        assert names["last_noun"](words[:place]) == pairs._nearest(pairs.parsed(line.split("|")[0]))


def test_the_formulas_agree_with_scipy():
    perplexities, accuracies, draws = SET.questions["13.rank-interval"].cases[0]
    found = SET.questions["13.rank-interval"].right(perplexities, accuracies, draws)
    assert found["rho"] == pytest.approx(spearmanr(perplexities, accuracies).statistic, rel=1e-12)
    for case in SET.questions["13.votes"].fresh_cases(5):
        a, b, *_ = case
        found = SET.questions["13.votes"].right(*case)
        np.testing.assert_allclose(found["interval"], binomtest(a, a + b).proportion_ci(), rtol=1e-9)
        at, below = (binomtest(found["threshold"] - i, a + b).proportion_ci().low for i in (0, 1))
        assert below < 0.5 < at
