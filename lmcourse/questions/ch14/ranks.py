"""Chapter 14, ranks: each has scored a part of one text, and one number is to be printed."""

import itertools
import math
from functools import partial

import numpy as np

from lmcourse.hints.question import Mistake, Property, Question
from lmcourse.questions.shared.choices import read_choices, read_lists
from lmcourse.questions.shared.designs import always_or_example, refuted_but
from lmcourse.questions.shared.properties import FINITE
from lmcourse.questions.shared.units import LN2
from lmcourse.questions.shared.wrong import but

# --- three-ranks -----------------------------------------------------------------------------------------


def reduce_ranks(totals):
    """Perplexity per token and bits per byte of a text from the totals of its ranks, (W, 3)."""
    nats, tokens, size = totals.sum(axis=0)
    return {"perplexity": np.exp(nats / tokens), "bits": nats / LN2 / size}


def _means(totals, average=np.mean):
    """The same from each rank's own averages."""
    nats, tokens, size = totals.T
    return {"perplexity": np.exp(average(nats / tokens)), "bits": average(nats / size) / LN2}


def _draw_totals(rng, ranks=None, empty=False):
    ranks = ranks or int(rng.integers(3, 9))
    tokens = rng.integers(200, 6000, size=ranks).astype(float)
    size = np.round(tokens * rng.uniform(3.2, 5.4, size=ranks))
    nats = np.round(tokens * rng.uniform(2.2, 4.4, size=ranks), 2)
    totals = np.stack([nats, tokens, size], axis=1)
    if empty:
        totals[int(rng.integers(ranks))] = 0
    return (totals,)


THREE_RANKS = Question(
    key="14.three-ranks",
    title="three ranks, one number",
    kind="compute",
    stars=1,
    points=2,
    right=reduce_ranks,
    cases=(
        (np.array([[9600.0, 3000.0, 12600.0], [1150.0, 500.0, 1900.0], [5600.0, 1400.0, 6900.0]]),),
        _draw_totals(np.random.default_rng(1402), 5),
    ),
    draw=_draw_totals,
    odd=(lambda rng: _draw_totals(rng, empty=True), lambda rng: _draw_totals(rng, ranks=1)),
    entry_points={"perplexity": 1, "bits": 1},
    mistakes=(
        Mistake(
            "M12",
            _means,
            "You average over the ranks what each rank has averaged over its own part, so a rank with few "
            "tokens weighs as much as one with many. Add totals first, and divide once.",
        ),
        Mistake(
            "M87",
            but(reduce_ranks, {"perplexity": lambda totals: np.exp(totals[:, 0] / totals[:, 1]).mean()}),
            "You average the perplexities of the ranks. A perplexity comes from a total of nats "
            "and a total of tokens.",
        ),
        Mistake(
            "M86",
            lambda totals: reduce_ranks(totals[:1]),
            "These are the values of rank 0 alone. The other ranks have scored the rest of the text.",
        ),
        Mistake(
            "L1",
            partial(_means, average=np.sum),
            "You add up what each rank has averaged. This is what an all_reduce with SUM makes of means; "
            "nats and counts are what can be added.",
        ),
        Mistake(
            "M1",
            but(reduce_ranks, {"perplexity": lambda totals: 2 ** (totals[:, 0].sum() / totals[:, 1].sum())}),
            "You raise 2 to a loss in nats. Raise e instead.",
        ),
        Mistake(
            "M2",
            but(reduce_ranks, {"bits": lambda totals: totals[:, 0].sum() / totals[:, 2].sum()}),
            "Your 'bits' are nats per byte. A bit is ln 2 nats.",
        ),
        Mistake(
            "L3",
            but(reduce_ranks, {"bits": lambda totals: totals[:, 0].sum() * LN2 / totals[:, 2].sum()}),
            "You multiply by ln 2. A text has more bits than nats, because a bit is the smaller unit.",
        ),
        Mistake(
            "L26",
            but(reduce_ranks, {"bits": lambda totals: totals[:, 0].sum() / LN2 / totals[:, 1].sum()}),
            "Your 'bits' are per token, and bits per byte are asked for.",
        ),
        Mistake(
            "L26",
            but(reduce_ranks, {"perplexity": lambda totals: np.exp(totals[:, 0].sum() / totals[:, 2].sum())}),
            "Your 'perplexity' is per byte, and the perplexity per token is asked for.",
        ),
        Mistake(
            "M87",
            but(
                reduce_ranks,
                {"perplexity": lambda t: np.average(np.exp(t[:, 0] / t[:, 1]), weights=t[:, 1])},
            ),
            "You weight the perplexities of the ranks by their tokens. These weights belong to the losses: "
            "average before you exponentiate.",
        ),
        Mistake(
            "M4",
            but(reduce_ranks, {"perplexity": lambda totals: totals[:, 0].sum() / totals[:, 1].sum()}),
            "Your 'perplexity' is the loss. Exponentiate it.",
        ),
    ),
    properties=(FINITE,),
    advice="Add up each column first. What is the loss of the whole text?",
)

# --- which-reduction -------------------------------------------------------------------------------------


def which_reduction():
    """For each number of the ranks, how the number of the whole text follows from them."""
    return {"A": "sum", "B": "more", "C": "largest", "D": "equal", "E": "more"}


WHICH_REDUCTION = Question(
    key="14.which-reduction",
    title="what can be reduced, and how?",
    kind="protocol",
    stars=1,
    points=5,
    form="value",
    right=which_reduction,
    cases=((),),
    reading=read_choices(
        ("sum", "largest", "equal", "more"),
        {
            "max": "largest",
            "maximum": "largest",
            "add": "sum",
            "total": "sum",
            "same": "equal",
            "all equal": "equal",
        },
    ),
    entry_points=dict.fromkeys("ABCDE", 1),
    mistakes=(
        Mistake(
            "M12",
            but(which_reduction, {"B": lambda: "sum"}),
            "B: medians cannot be added, nor does the median of the whole text follow from their sum and "
            "the number of ranks. Where the middle of all tokens lies depends on the values in between.",
        ),
        Mistake(
            "L25",
            but(which_reduction, {"B": lambda: "largest"}),
            "B: the largest of the medians belongs to the rank whose text is hardest. The median of the "
            "whole text lies somewhere between the smallest and the largest one.",
        ),
        Mistake(
            "L40",
            but(which_reduction, {"E": lambda: "sum"}),
            "E: a word that occurs on two ranks would be counted twice.",
        ),
        Mistake(
            "L25",
            but(which_reduction, {"E": lambda: "largest"}),
            "E: the rank with the most words need not have all the words that the others have.",
        ),
        Mistake(
            "L1",
            but(which_reduction, {"C": lambda: "sum"}),
            "C: the ranks work at the same time. A sum of their times says how much computing was used, not "
            "how long somebody had to wait.",
        ),
        Mistake(
            "L28",
            but(which_reduction, {"C": lambda: "more"}),
            "C: all ranks have started together, so the order of their times is the order in which they "
            "finished. Nothing else is needed.",
        ),
        Mistake(
            "L11",
            but(which_reduction, {"D": lambda: "largest"}),
            "D: a digest is a name, not a size. If two ranks send different ones, the larger of them says "
            "nothing about the other.",
        ),
        Mistake(
            "L41",
            but(which_reduction, {"D": lambda: "more"}),
            "D: the digests are enough. If two of them differ, two ranks have different models, and no "
            "number of this run may be printed; if they agree, nothing else is needed.",
        ),
        Mistake(
            "L28",
            but(which_reduction, {"A": lambda: "more"}),
            "A: each document is on one rank, so the terms of the rank's sum are terms of the whole sum, "
            "and no other is missing.",
        ),
        Mistake(
            "M12",
            lambda: dict.fromkeys("ABCDE", "sum"),
            "Not everything can be added. Ask of each number whether two ranks with the same numbers could "
            "belong to two different texts with different answers.",
        ),
    ),
    advice="Ask of each number: could two runs whose ranks send the same numbers still have different "
    "answers? Then more is needed. Try it with two ranks and three tokens each.",
)

# --- always ----------------------------------------------------------------------------------------------

FORM = "[[(tokens, perplexity), ...], ...]"
FORMS = dict.fromkeys("ABCD", FORM)
"""The form of an example of each statement: a list of ranks, each a list of documents."""

always = refuted_but("AC")

CLEAR = 1e-6
"""Perplexities whose ratio is nearer to 1 than this are equal."""


def ranks_of(given):
    """Tokens and nats of each rank's documents, or a sentence on what is wrong with an example."""
    form = f"An example has the form {FORM}: a list of ranks, each a list with a pair for each document."
    if isinstance(given, np.ndarray):
        given = given.tolist()
    if not isinstance(given, list | tuple):
        return form
    ranks = []
    for rank in given:
        try:
            documents = np.asarray([[float(x) for x in document] for document in rank])
        except (TypeError, ValueError):
            return form
        if documents.ndim != 2 or documents.shape[1] != 2 or not np.isfinite(documents).all():
            return form
        if (documents[:, 0] <= 0).any():
            return "A number of tokens has to be above 0."
        if (documents[:, 1] < 1).any():
            return "A perplexity is at least 1."
        ranks.append((documents[:, 0], documents[:, 0] * np.log(documents[:, 1])))
    if len(ranks) < 2:
        return "There have to be at least two ranks."
    return ranks


def numbers_of(ranks):
    """Perplexity of the whole, exp of the mean of rank losses, and mean of rank perplexities."""
    losses = np.array([nats.sum() / tokens.sum() for tokens, nats in ranks])
    whole = sum(nats.sum() for _, nats in ranks) / sum(tokens.sum() for tokens, _ in ranks)
    return np.exp(whole), np.exp(losses.mean()), np.exp(losses).mean()


def _lacks(key, ranks):
    """What the premise of a statement lacks for these ranks."""
    tokens = np.array([some.sum() for some, _ in ranks])
    losses = np.array([nats.sum() for _, nats in ranks]) / tokens
    if key == "A" and np.ptp(tokens) > 1e-9 * tokens.max():
        return "the ranks have different numbers of tokens"
    if key == "B" and len({len(some) for some, _ in ranks}) > 1:
        return "the ranks have different numbers of documents"
    if key == "C" and np.ptp(losses) > CLEAR:
        return "the ranks have different perplexities"
    return ""


def _refute(key, given):
    """What is wrong with an example, or "" (see `always_or_example`)."""
    ranks = ranks_of(given)
    if isinstance(ranks, str):
        return f"cannot be used. {ranks}"
    lacks = _lacks(key, ranks)
    if lacks:
        return f"does not meet the premise: {lacks}."
    whole, of_losses, of_perplexities = numbers_of(ranks)
    reported = of_losses if key in "AB" else of_perplexities
    ratio = math.log(reported / whole)
    if (ratio < -CLEAR) if key == "D" else abs(ratio) > 2 * CLEAR:
        return ""
    said = f"The perplexity of the whole text is {whole:.6g}, and the ranks report {reported:.6g}."
    return f"does not refute the statement. {said}"


ALWAYS = Question(
    key="14.always",
    title="always true, or a counterexample",
    kind="protocol",
    stars=3,
    points=4,
    form="value",
    right=always,
    cases=((),),
    reading=always_or_example(FORMS, _refute),
    entry_points=dict.fromkeys(FORMS, 1),
    mistakes=(
        Mistake(
            "M12",
            but(always, {"B": lambda: "always"}),
            "B: documents differ in length, so the same number of documents can be very different numbers of "
            "tokens. Give one rank short documents and the other long ones.",
        ),
        Mistake(
            "M87",
            but(always, {"D": lambda: "always"}),
            "D: the mean of perplexities lies above e to the mean of the losses, but that is not the "
            "perplexity of the whole text. Let the rank with most of the tokens be the one with the high "
            "perplexity.",
        ),
        Mistake(
            "M12 + M87",
            refuted_but("ABCD"),
            "B and D leave the counts of tokens out. Put most of the tokens on one of two ranks, and make "
            "this rank the harder one for one example and the easier one for the other.",
        ),
    ),
    advice="Two ranks are enough for an example, and in A, C and D one document for each. Where you find no "
    "example, write the loss of the whole as a weighted mean of the losses of the ranks.",
)

# --- rank-logs -------------------------------------------------------------------------------------------


def _printed(nats, tokens):
    """Each verdict, and the perplexities that it would print."""
    losses, whole = nats / tokens, nats.sum() / tokens.sum()
    twice = (nats.sum() + nats) / (tokens.sum() + tokens)
    missing = (nats.sum() - nats) / (tokens.sum() - tokens)
    return {
        "sum": [np.exp(whole)],
        "rank 0": [np.exp(losses[0])],
        "losses": [np.exp(losses.mean())],
        "perplexities": [np.exp(losses).mean()],
        "twice": np.exp(twice).tolist(),
        "missing": np.exp(missing).tolist(),
    }


def rank_logs(logs, without=(), whole=lambda nats, tokens: np.exp(nats.sum() / tokens.sum())):
    """For each log what its printed perplexity is, and the perplexity of the whole text."""
    verdicts = []
    for log in logs:
        found = _printed(log["nats"], log["tokens"])
        distance = {
            name: min(abs(math.log(value / log["reported"])) for value in values)
            for name, values in found.items()
            if name not in without
        }
        verdicts.append(min(distance, key=distance.get))
    return {
        "verdicts": "; ".join(verdicts),
        "whole": np.array([whole(log["nats"], log["tokens"]) for log in logs]),
    }


def _draw_log(rng, name):
    while True:
        ranks = int(rng.integers(3, 6))
        tokens = rng.integers(500, 5000, size=ranks).astype(float)
        nats = np.round(tokens * rng.uniform(2.0, 3.6, size=ranks), 2)
        values = [(word, value) for word, some in _printed(nats, tokens).items() for value in some]
        mine = [value for word, value in values if word == name]
        reported = float(f"{rng.choice(mine):.6g}")
        logs = sorted(math.log(value) for _, value in values)
        if min(b - a for a, b in itertools.pairwise(logs)) > 2e-3:
            return {"nats": nats, "tokens": tokens, "reported": reported}


WORDS = ("sum", "rank 0", "losses", "perplexities", "twice", "missing")


def _draw_logs(rng, names=None):
    names = [*WORDS, str(rng.choice(WORDS))] if names is None else names
    return ([_draw_log(rng, names[i]) for i in rng.permutation(len(names))],)


RANK_LOGS = Question(
    key="14.rank-logs",
    title="what has this log printed?",
    kind="forensics",
    stars=2,
    points=3,
    right=rank_logs,
    cases=(
        _draw_logs(np.random.default_rng(1411), WORDS),
        _draw_logs(np.random.default_rng(1412)),
        _draw_logs(np.random.default_rng(1413)),
    ),
    draw=_draw_logs,
    reading=read_lists("verdicts"),
    entry_points={"verdicts": 2, "whole": 1},
    mistakes=(
        Mistake(
            "M86",
            partial(rank_logs, without=("rank 0",)),
            "Some of these numbers are those of rank 0 alone, and you do not find them. In many programs "
            "only rank 0 prints, and it prints what it has.",
        ),
        Mistake(
            "M12",
            partial(rank_logs, without=("losses",)),
            "Some of these numbers are e to the mean of the ranks' losses, and you do not find them.",
        ),
        Mistake(
            "M87",
            partial(rank_logs, without=("perplexities",)),
            "Some of these numbers are means of the ranks' perplexities, and you do not find them.",
        ),
        Mistake(
            "M88",
            partial(rank_logs, without=("twice",)),
            "In some of these logs one rank has been counted twice, and you do not find it. Try each rank: "
            "add its nats and its tokens once more.",
        ),
        Mistake(
            "M85",
            partial(rank_logs, without=("missing",)),
            "In some of these logs one rank's part is missing, and you do not find it. Try each rank: take "
            "its nats and its tokens out of both totals.",
        ),
        Mistake(
            "L28",
            partial(rank_logs, without=("sum",)),
            "You accuse a log that is right. Compare each number with the perplexity of the sums as well.",
        ),
        Mistake(
            "M12",
            partial(rank_logs, whole=lambda nats, tokens: np.exp((nats / tokens).mean())),
            "Your 'whole' is e to the mean of the ranks' losses. Divide the sum of the nats by the sum of "
            "the tokens.",
        ),
        Mistake(
            "M87",
            partial(rank_logs, whole=lambda nats, tokens: np.exp(nats / tokens).mean()),
            "Your 'whole' is the mean of the ranks' perplexities. Divide the sum of the nats by the sum of "
            "the tokens.",
        ),
        Mistake(
            "M4",
            partial(rank_logs, whole=lambda nats, tokens: nats.sum() / tokens.sum()),
            "Your 'whole' is a loss. The perplexity is asked for.",
        ),
    ),
    properties=(
        Property(
            "there is one word for each log, with '; ' between them, and yours has more or fewer",
            lambda value, logs: len(value["verdicts"].split("; ")) == len(logs),
        ),
        Property(
            f"a verdict is none of the words {', '.join(WORDS)}",
            lambda value, logs: set(value["verdicts"].split("; ")) <= set(WORDS),
        ),
    ),
    advice="Write down all the values that a log of three ranks can have printed: there are ten.",
)

QUESTIONS = (THREE_RANKS, WHICH_REDUCTION, ALWAYS, RANK_LOGS)
