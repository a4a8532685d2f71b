"""Tasks of the third exam about models that change: chapter 12."""

from __future__ import annotations

import math
from functools import partial

import numpy as np

from lmcourse.exams.task import rows, value_builder
from lmcourse.hints.question import Mistake
from lmcourse.questions.shared.units import LN2
from lmcourse.questions.shared.wrong import but

# --- versions: a network and four versions of it, of which two can be compared with it ---------------------

PLAIN = ("test", "its document", "training text")
"""The scored text, the past of a token, and what a version was tuned on, where nothing is unequal."""

UNEQUAL = {
    "text": ("valid", *PLAIN[1:]),
    "past": (PLAIN[0], "128 tokens", PLAIN[2]),
    "tuned": (*PLAIN[:2], "test"),
}


def _evaluations(rng):
    """The network and its versions in the order of the paper: kind, characters, tokens and perplexity."""
    chars, rate = int(rng.integers(30_000, 60_000)), rng.uniform(3.6, 4.4)
    tokens, perplexity = int(chars / rate), round(rng.uniform(18, 45), 2)
    found = [("network", chars, tokens, perplexity)]
    for kind in rng.permutation(["same", "pieces", *rng.choice(list(UNEQUAL), 2, replace=False)]):
        length, count = chars, tokens
        nats = math.log(perplexity) + (
            rng.uniform(0.03, 0.12) if rng.random() < 0.7 else -rng.uniform(0.03, 0.12)
        )
        if kind == "text":
            length = int(chars * rng.uniform(0.6, 0.9))
            count = int(length / rate * rng.uniform(0.97, 1.03))
        if kind == "pieces":
            count = int(tokens * rng.uniform(0.72, 0.88))
            nats = math.log(perplexity) * tokens / count * (1 + rng.choice([-1, 1]) * rng.uniform(0.02, 0.06))
        found.append((str(kind), length, count, round(math.exp(nats), 2)))
    return (tuple(found),)


def _by_kind(evaluations, formula):
    """What a formula makes of the characters, tokens and perplexity of each evaluation."""
    return {kind: formula(*numbers) for kind, *numbers in evaluations}


def _perplexity(chars, tokens, perplexity):
    return perplexity


def _per_char(chars, tokens, perplexity):
    return tokens * math.log2(perplexity) / chars


def _letter(evaluations, kind):
    return "ABCD"[[name for name, *_ in evaluations].index(kind) - 1]


def _rise(evaluations, kind="same", formula=_perplexity):
    found = _by_kind(evaluations, formula)
    return 100 * (found[kind] / found["network"] - 1)


def _change(evaluations, formula=_per_char):
    found = _by_kind(evaluations, formula)
    return found["pieces"] - found["network"]


def _versions(evaluations, taken="same"):
    """``taken`` is the version that is compared with the network as it is."""
    taken = taken if taken in dict(_by_kind(evaluations, _perplexity)) else "same"
    return {
        "as it is": _letter(evaluations, taken),
        "rise": _rise(evaluations, taken),
        "converted": _letter(evaluations, "pieces"),
        "change": _change(evaluations),
    }


def _turned(evaluations):
    found = _versions(evaluations)
    return found | {"rise": -found["rise"], "change": -found["change"]}


def _shown(evaluations):
    kinds, chars, tokens, perplexity = zip(*evaluations, strict=True)
    text, past, tuned = zip(*(UNEQUAL.get(kind, PLAIN) for kind in kinds), strict=True)
    columns = text, chars, tokens, past, tuned
    cut = ", or 128 tokens of that" if UNEQUAL["past"][1] in past else ""
    return {
        "past": f"all that stands before it in its document{cut}",
        "table": rows(("network", *"ABCD"), *columns, [f"{x:.2f}" for x in perplexity]),
        "lines": "\n".join(f"    {row}," for row in zip(*columns, perplexity, strict=True)),
    }


versions = value_builder(
    title="one network, four versions",
    kind="forensics",
    entry_points=(1, 1, 1, 1),
    letters="ABCD",
    draw=_evaluations,
    right=_versions,
    mistakes=(
        Mistake(
            "M34",
            partial(_versions, taken="pieces"),
            "The version that you compare as it is cuts the same text into fewer tokens. Its perplexity is of"
            " longer tokens.",
        ),
        Mistake(
            "L29",
            but(_versions, {"rise": lambda e: _rise(e) / 100}),
            "Your 'rise' is a fraction, and per cent are asked for.",
        ),
        Mistake("L7", _turned, "You subtract the version from the network. A rise is positive."),
        Mistake(
            "M4",
            but(_versions, {"rise": partial(_rise, formula=lambda *n: math.log(n[-1]))}),
            "Your 'rise' is that of the loss in per cent, and the rise of the perplexity is asked for.",
        ),
        Mistake(
            "L34",
            but(_versions, {"rise": partial(_rise, formula=lambda *n: -1 / n[-1])}),
            "You divide by the perplexity of the version. A rise is a share of where it starts.",
        ),
        Mistake(
            "M1",
            but(_versions, {"change": lambda e: _change(e) * LN2}),
            "Your 'change' is in nats per character.",
        ),
        Mistake(
            "M34",
            but(_versions, {"change": partial(_change, formula=lambda *n: math.log2(n[-1]))}),
            "Your 'change' is in bits per token, and the two have different tokens.",
        ),
        Mistake(
            "L34",
            but(_versions, {"change": partial(_change, formula=lambda c, n, ppl: math.log2(ppl) * c / n)}),
            "You multiply by characters per token. Bits per token are divided by them.",
        ),
    ),
    optional=(
        Mistake(
            "M15",
            partial(_versions, taken="past"),
            "The version that you compare as it is has read less before each token. Not only the model"
            " differs.",
        ),
        Mistake(
            "M65",
            partial(_versions, taken="tuned"),
            "The version that you compare as it is was tuned on the very text that it is scored on.",
        ),
        Mistake(
            "M61",
            partial(_versions, taken="text"),
            "The version that you compare as it is was scored on another text, which has another floor.",
        ),
    ),
    given="table = [  # the network, then A, B, C, D\n{lines}\n]",
    fields=_shown,
    text="""
A network and four versions of it were evaluated. Each version has other weights than the network, and the
table says all else that is different. Rows with the same text and equally many tokens cut the text in the
same way. The past of a token is what the model reads before it: {past}.

| | text | characters | tokens | past of a token | tuned on | perplexity per token |
|---|---|---|---|---|---|---|
{table}

The perplexity of one version can be compared with that of the network as it is. Another version can be
compared with it after a conversion with the numbers of the table. The other two cannot.

Set `versions` to a dictionary: `"as it is"` is the letter of the first, `"rise"` its perplexity above that
of the network, in per cent of the network's (negative if it falls); `"converted"` is the letter of the
second, and `"change"` its bits per character minus those of the network.
""",
    message="two letters, a rise, and a change",
    solution="""
network, *others = table
near = [i for i in range(4) if others[i][0] == network[0] and others[i][3:5] == network[3:5]]
same, other = sorted(near, key=lambda i: others[i][2] != network[2])
bits = lambda row: row[2] * np.log2(row[5]) / row[1]
versions = {
    "as it is": "ABCD"[same],
    "rise": 100 * (others[same][5] / network[5] - 1),
    "converted": "ABCD"[other],
    "change": bits(others[other]) - bits(network),
}
""",
    advice="Go through the columns one by one: in which rows is something unlike the network's?",
)

# --- verdict: an acceptance test by hand -------------------------------------------------------------------

ENDS = {"A": (-0.9, -0.25), "R": (0.25, 0.9), "U": (-0.6, 0.6)}
"""How far from the margin the nearer end of the interval lies with each verdict, or for U its middle; in
half-widths of the interval."""


def _documents(rng):
    """Totals of eight documents under both versions; the two that were tuned on flatter the new version."""
    verdict, half = str(rng.choice(list(ENDS))), rng.uniform(1.5, 3.5)
    margin, tokens = float(rng.choice([1, 1.5, 2, 3])), 10 * int(rng.integers(30, 60))
    side = {"A": -1, "R": 1, "U": 0}[verdict]
    middle = tokens * math.log1p(margin / 100) + half * (side + rng.uniform(*ENDS[verdict]))
    rises = rng.normal(0, 1, 6)
    rises = middle + (rises - rises.mean()) / rises.std(ddof=1) * half * math.sqrt(6) / 2
    tuned = sorted(rng.choice(8, 2, replace=False).tolist())
    rises = np.insert(rises, [tuned[0], tuned[1] - 1], rng.uniform(-14, -7, 2))
    old = np.round(tokens * rng.uniform(3.4, 5.2, 8))
    return old, old + np.round(rises), tuned, tokens, margin


def _error(d, ddof=1):
    return d.std(ddof=ddof) / math.sqrt(len(d))


def _paired(old, new):
    return (new - old).mean(), _error(new - old)


def _unpaired(old, new):
    return (new - old).mean(), math.hypot(_error(old), _error(new))


def _of_the_sample(old, new):
    return (new - old).mean(), _error(new - old, ddof=0)


def _of_one_document(old, new):
    return (new - old).mean(), _error(new - old) * math.sqrt(len(old))


def _verdict(old, new, tuned, tokens, margin, estimate=_paired, left_out=True):
    kept = [i for i in range(len(old)) if i not in tuned or not left_out]
    middle, error = estimate(old[kept], new[kept])
    rise, low, high = (100 * math.expm1((middle + z * error) / tokens) for z in (0, -2, 2))
    return {
        "rise": rise,
        "low": low,
        "high": high,
        "verdict": "A" if high < margin else "R" if low > margin else "U",
    }


def _is_decided(*case):
    """Whether no number lies so near to the margin, or to 0, that rounding on the way could matter."""
    found = _verdict(*case)
    return all(min(abs(found[k]), abs(found[k] - case[-1])) > 0.1 for k in ("rise", "low", "high"))


def _as_fraction(*case):
    found = _verdict(*case)
    return found | {key: found[key] / 100 for key in ("rise", "low", "high")}


def _opposite(*case):
    return {"A": "R", "R": "A", "U": "U"}[_verdict(*case)["verdict"]]


verdict = value_builder(
    title="a rule that was fixed before",
    entry_points=(1, 1, 1, 2),
    letters="ARU",
    draw=_documents,
    suits=_is_decided,
    right=_verdict,
    mistakes=(
        Mistake(
            "M65",
            partial(_verdict, left_out=False),
            "You judge the new version also on the documents that its scales were chosen on.",
        ),
        Mistake(
            "M63",
            partial(_verdict, estimate=_unpaired),
            "Your interval is that of two independent samples. Both versions have scored the same documents:"
            " take the error of the differences.",
        ),
        Mistake(
            "L23",
            partial(_verdict, estimate=_of_the_sample),
            "Your squares are divided by n. Divide them by n - 1: the mean is estimated, too.",
        ),
        Mistake(
            "L22",
            partial(_verdict, estimate=_of_one_document),
            "Your interval is that of one document. The error of a mean of n is smaller by the square root "
            "of n.",
        ),
        Mistake("L29", _as_fraction, "Those are fractions, and per cent are asked for."),
        Mistake(
            "L7",
            lambda old, new, *others: _verdict(new, old, *others),
            "You subtract the new version from the old one. A rise is positive.",
        ),
    ),
    optional=(
        Mistake(
            "L22",
            but(_verdict, {"verdict": lambda *case: "A" if _verdict(*case)["rise"] < case[-1] else "R"}),
            "You compare the rise itself with the margin. The rule compares the whole interval.",
        ),
        Mistake(
            "L11",
            but(_verdict, {"verdict": lambda *case: "A" if _verdict(*case)["low"] < 0 else "R"}),
            "You ask whether the interval contains 0. The rule asks on which side of the margin it lies.",
        ),
        Mistake(
            "L7",
            but(_verdict, {"verdict": _opposite}),
            "The interval lies on the other side of the margin.",
        ),
    ),
    given=(
        "old = np.array({old})\nnew = np.array({new})\n"
        "used = {tuned}  # places, from 0\ntokens, margin = {tokens}, {margin}"
    ),
    fields=lambda old, new, tuned, tokens, margin: {
        "table": rows(
            range(1, 9), ["yes" if i in tuned else "no" for i in range(8)], old.astype(int), new.astype(int)
        ),
        "old": old.astype(int).tolist(),
        "new": new.astype(int).tolist(),
        "margin": f"{margin:g}",
    },
    text=r"""
The rule was fixed before the test. Let $d$ be the nats of a document under the new version minus those under
the old one, and $\bar d$ the mean of $d$ over the documents that may be used. The interval goes
from $\bar d - 2 s$ to $\bar d + 2 s$, where $s$ is the standard error of this mean (in the variance of $d$,
the sum of squares is divided by $n - 1$). Turn all three into rises of the perplexity in per cent. The new
version is accepted (**A**) if the whole interval lies below a rise of {margin} per cent, rejected (**R**) if
it lies wholly above, and otherwise undecided (**U**).

Each document has {tokens} tokens. The scales of the new version were chosen on two of them, which may not be
used.

| document | scales chosen on it | old, nats | new, nats |
|---|---|---|---|
{table}

Set `verdict` to a dictionary: `"rise"`, `"low"` and `"high"` are the rise of the perplexity and the two
ends of the interval in per cent (negative where it falls), and `"verdict"` is the letter.
""",
    message="a rise, its interval, and a letter",
    solution="""
d = np.delete(new - old, used)
error = d.std(ddof=1) / np.sqrt(len(d))
rise, low, high = (100 * (np.exp((d.mean() + z * error) / tokens) - 1) for z in (0, -2, 2))
letter = "A" if high < margin else "R" if low > margin else "U"
verdict = {"rise": rise, "low": low, "high": high, "verdict": letter}
""",
    advice="Begin with a column of differences, without the two documents. Divide by the number of "
    "tokens before the exponential.",
)
