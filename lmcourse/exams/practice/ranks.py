"""Tasks of the third exam about evaluation at scale: chapter 14."""

from __future__ import annotations

import itertools
import math
from functools import partial

import numpy as np

from lmcourse.exams.task import rows, value_builder
from lmcourse.hints.question import Mistake
from lmcourse.questions.shared.wrong import but

# --- ranks: what a log has printed, and what it should have printed ----------------------------------------


def _values(tokens, nats):
    """What a log may print, by letter: the mean of losses, of perplexities, rank 0 alone, or the sums."""
    losses = nats / tokens
    return {
        "A": math.exp(losses.mean()),
        "B": float(np.exp(losses).mean()),
        "C": math.exp(losses[0]),
        "D": math.exp(nats.sum() / tokens.sum()),
    }


def _three_ranks(rng):
    tokens = rng.integers(4, 50, size=3) * 100
    nats = np.round(tokens * rng.uniform(1.8, 3.6, size=3)).astype(int)
    values = _values(tokens, nats)
    return tokens, nats, round(values[str(rng.choice(list("ABCD")))], 3)


def _read_log(tokens, nats, reported):
    values = _values(tokens, nats)
    return {"printed": min(values, key=lambda name: abs(values[name] - reported)), "whole": values["D"]}


def _are_apart(tokens, nats, reported):
    values = sorted(_values(tokens, nats).values())
    return all(b > 1.015 * a for a, b in itertools.pairwise(values))


def _as(letter):
    """The value of another letter in the place of the right perplexity."""
    return but(_read_log, {"whole": lambda tokens, nats, reported: _values(tokens, nats)[letter]})


ranks = value_builder(
    title="three ranks and a log",
    kind="forensics",
    entry_points=(1, 2),
    letters="ABCD",
    draw=_three_ranks,
    suits=_are_apart,
    right=_read_log,
    mistakes=(
        Mistake(
            "M12", _as("A"), "You average the losses of the ranks. Ranks have different numbers of tokens."
        ),
        Mistake(
            "M87",
            _as("B"),
            "You average the perplexities of the ranks. Add the nats and the tokens, and divide once.",
        ),
        Mistake("M86", _as("C"), "Your perplexity is that of rank 0, which has a part of the text."),
        Mistake(
            "M1",
            but(_read_log, {"whole": lambda tokens, nats, r: 2 ** (nats.sum() / tokens.sum())}),
            "You raise 2 to a loss in nats. Raise e instead.",
        ),
    ),
    optional=tuple(
        Mistake(name, but(_read_log, {"printed": lambda *case, x=letter: x}), hint)
        for name, letter, hint in (
            ("M12", "A", "Your letter stands for the mean of the losses. Compute it, and compare."),
            ("M87", "B", "Your letter stands for the mean of the perplexities. Compute it, and compare."),
            ("M86", "C", "Your letter stands for rank 0 alone. Compute its perplexity, and compare."),
            ("L41", "D", "Your letter says that the number is right. Compute the perplexity of the sums."),
        )
    ),
    given="tokens = np.array({tokens})\nnats = np.array({nats})\nreported = {reported}",
    fields=lambda tokens, nats, reported: {
        "table": rows(range(3), tokens, nats),
        "value": f"{reported:.3f}",
    },
    text="""
Three ranks have scored one test text, each a part of it. The loss of a rank is its nats per token. The log
ends with the perplexity {value}.

| rank | tokens | nats |
|---|---|---|
{table}

One of these was printed:

| letter | number |
|---|---|
| A | $e$ to the mean of the three ranks' losses |
| B | the mean of the three ranks' perplexities |
| C | the perplexity of rank 0 |
| D | the perplexity of the whole text |

Set `ranks` to a dictionary: `"printed"` is the letter of what was printed, and `"whole"` the perplexity of
the whole text per token.
""",
    message="a letter and a perplexity",
    solution="""
losses = nats / tokens
whole = math.exp(nats.sum() / tokens.sum())
values = [math.exp(losses.mean()), np.exp(losses).mean(), math.exp(losses[0]), whole]
ranks = {"printed": "ABCD"[np.argmin([abs(value - reported) for value in values])], "whole": whole}
""",
    advice="Compute the four numbers of the second table. Only one of them needs both columns added up.",
)

# --- copies: a report in which documents came twice, and the number without the copies ----------------------


def _report(rng):
    """How many documents and ranks, the first documents of the order, and the report of the padded run."""
    while True:
        D, W = int(rng.integers(25, 60)), int(rng.integers(4, 13))
        if -D % W in (1, 2, 3) and D % W not in (-D % W, 0):
            break
    tokens = rng.integers(20, 60, size=3) * 100
    nats = np.round(tokens * rng.uniform(3.2, 4.6, size=3)).astype(int)
    rest = int(rng.integers(150, 400)) * 100
    total = float(nats.sum() + rest * rng.uniform(1.8, 2.7))
    count = int(tokens.sum()) + rest
    more = -D % W
    scored = count + int(tokens[:more].sum())
    return D, W, tokens, nats, scored, round(math.exp((total + nats[:more].sum()) / scored), 4)


def _without(D, W, tokens, nats, scored, printed, of=lambda D, W: -D % W, counted=True):
    more = of(D, W)
    total = scored * math.log(printed) - nats[:more].sum()
    return {"repeated": float(more), "right": math.exp(total / (scored - counted * tokens[:more].sum()))}


def _averaged(D, W, tokens, nats, scored, printed):
    n, p = tokens[: -D % W], np.exp(nats[: -D % W] / tokens[: -D % W])
    return (scored * printed - (n * p).sum()) / (scored - n.sum())


def _added(D, W, tokens, nats, scored, printed):
    more = -D % W
    total = scored * math.log(printed) + nats[:more].sum()
    return math.exp(total / (scored + tokens[:more].sum()))


copies = value_builder(
    title="a report without its copies",
    entry_points=(1, 2),
    draw=_report,
    suits=lambda *case: _averaged(*case) > 1,
    right=_without,
    mistakes=(
        Mistake(
            "M84",
            but(_without, {"right": lambda *case: case[-1]}),
            "This is what the report prints, with the documents that came twice.",
        ),
        Mistake(
            "M85",
            partial(_without, of=lambda D, W: D % W),
            "You take the remainder of the division. The sampler repeats as many documents as are lacking "
            "until all ranks have the same number.",
        ),
        Mistake(
            "L27",
            partial(_without, counted=False),
            "You take the nats of the copies out of the total and leave their tokens in the count.",
        ),
        Mistake(
            "M8",
            but(_without, {"right": _averaged}),
            "You subtract perplexities, weighted with tokens. Subtract nats from nats and tokens from "
            "tokens.",
        ),
        Mistake(
            "L7",
            but(_without, {"right": _added}),
            "You have added the copies once more. The report contains them already.",
        ),
    ),
    given=(
        "documents, ranks = {D}, {W}\ntokens = np.array({tokens})\nnats = np.array({nats})\n"
        "scored, printed = {scored}, {printed}"
    ),
    fields=lambda D, W, tokens, nats, scored, printed: {
        "table": rows(("first", "second", "third"), tokens, nats),
        "value": f"{printed:.4f}",
    },
    text="""
A test set has {D} documents. Its program deals them to {W} ranks in turn and then, until all ranks have
the same number, goes on with the first documents of its order, which are scored twice. It adds nats and
tokens over all that was scored, and reports a perplexity of {value} over {scored} tokens. The first
documents of the order are:

| document | tokens | nats |
|---|---|---|
{table}

Set `copies` to a dictionary: `"repeated"` is the number of documents that were scored twice, and `"right"`
the perplexity of the test set, each document counted once.
""",
    message="a number of documents and a perplexity",
    solution="""
more = -documents % ranks
total = scored * math.log(printed) - nats[:more].sum()
copies = {"repeated": more, "right": math.exp(total / (scored - tokens[:more].sum()))}
""",
    advice="Turn the report into a total of nats first. Which documents are in this total twice?",
)
