"""Chapter 11, rows of a model: two copies of a network that have to agree, and rows without some symbols."""

from functools import partial

import numpy as np
from scipy.special import log_softmax

from lmcourse.hints.answers import plain_data
from lmcourse.hints.question import Mistake, Question
from lmcourse.questions.shared.properties import FINITE
from lmcourse.questions.shared.wrong import but

# --- same-row --------------------------------------------------------------------------------------------


def _log_rows(network, ids, reads=slice(None, -1)):
    """The forecasts of a recurrent network, step by step in float64; (T, V)."""
    state, logits = np.zeros(len(network["W"])), []
    for i in [None, *ids[reads]][: len(ids)]:
        if i is not None:
            state = np.tanh(network["W"] @ state + network["E"][i])
        logits.append(network["U"] @ state)
    return log_softmax(np.array(logits), axis=1)


def _in_float32(network):
    return {name: part.astype(np.float32).astype(np.float64) for name, part in network.items()}


def _shares(log_rows, bits):
    """What each symbol gets beyond its first unit, before rounding down; (T, V)."""
    return np.exp(log_rows) * (2.0**bits - log_rows.shape[1])


def _counts(log_rows, bits):
    """Whole numbers that sum to 2**bits, none below 1; what is left over goes to the most probable symbol."""
    counts = 1 + np.floor(_shares(log_rows, bits))
    counts[np.arange(len(counts)), log_rows.argmax(axis=1)] += 2.0**bits - counts.sum(axis=1)
    return counts


def _told(differs):
    return {"differ": int(differs.sum()), "first": int(differs.argmax()) if differs.any() else -1}


def same_row(network, ids, bits, rows=_log_rows, other=_in_float32):
    """At how many positions rows differ, where first, and the bits that the text would need more."""
    q, r = rows(network, ids), rows(other(network), ids)
    differs = (_counts(q, bits) != _counts(r, bits)).any(axis=1)
    at = np.arange(len(ids)), ids
    return _told(differs) | {"loss": (q[at] - r[at]).sum() / np.log(2)}


def read_first(answer, *case):
    """None is as good as -1 where no row differs."""
    answer = plain_data(answer)
    if isinstance(answer, dict) and answer.get("first", 0) is None:
        answer = answer | {"first": -1}
    return answer, {}


def _shifted(network, ids):
    """Rows that have already read the symbol that they forecast."""
    return _log_rows(network, np.append(ids, 0))[1:]


def _pair(network, ids):
    return _log_rows(network, ids), _log_rows(_in_float32(network), ids)


def _close_enough(network, ids, bits):
    q, r = _pair(network, ids)
    return _told(~np.isclose(np.exp(q), np.exp(r), rtol=1e-5, atol=1e-8).all(axis=1))


def _probabilities(network, ids, bits):
    q, r = _pair(network, ids)
    return _told((q != r).any(axis=1))


def _of_the_symbol(network, ids, bits):
    q, r = _pair(network, ids)
    at = np.arange(len(ids)), ids
    return _told(_counts(q, bits)[at] != _counts(r, bits)[at])


def _entries(network, ids, bits):
    q, r = _pair(network, ids)
    return int((_counts(q, bits) != _counts(r, bits)).sum())


def _expected_loss(network, ids, bits):
    q, r = _pair(network, ids)
    return (np.exp(q) * (q - r)).sum() / np.log(2)


def _draw_network(rng, bits=None, length=None):
    """A small network and a text; no share is so near a whole number that another machine rounds it apart."""
    while True:
        V, d = int(rng.integers(6, 12)), int(rng.integers(4, 7))
        network = {
            "E": rng.normal(size=(V, d)),
            "W": rng.normal(size=(d, d)) / np.sqrt(d),
            "U": rng.normal(size=(V, d)),
        }
        ids, b = (
            rng.integers(0, V, size=length or int(rng.integers(25, 40))),
            bits or int(rng.integers(18, 22)),
        )
        parts = [_shares(rows, b) % 1 for rows in _pair(network, ids)]
        found = same_row(network, ids, b)
        enough = bits or (1 < found["differ"] < _entries(network, ids, b) and found["first"] > 0)
        if enough and all(np.abs(part - 0.5).max() < 0.5 - 1e-6 for part in parts):
            return network, ids, b


COARSE = "in the third case the counts are so coarse that no row differs"

SAME_ROW = Question(
    key="11.same-row",
    title="a copy in float32",
    kind="implement",
    stars=2,
    points=3,
    right=same_row,
    cases=(
        _draw_network(np.random.default_rng(1103)),
        _draw_network(np.random.default_rng(1134)),
        _draw_network(np.random.default_rng(1173), bits=8),
    ),
    draw=_draw_network,
    odd=(
        lambda rng: _draw_network(rng, bits=8),
        lambda rng: _draw_network(rng, bits=20, length=1),
    ),
    atol=1e-12,
    reading=read_first,
    entry_points={"differ": 1, "first": 1, "loss": 1},
    precision="Only the weights of the copy are rounded to float32; both networks compute in float64.",
    mistakes=(
        Mistake(
            "M75",
            but(
                same_row,
                {
                    "differ": lambda *case: _close_enough(*case)["differ"],
                    "first": lambda *case: _close_enough(*case)["first"],
                },
            ),
            "You treat rows as equal although they differ. A decoder has no tolerance: a border between two "
            "symbols that has moved by one count is another border. Compare every count with ==.",
        ),
        Mistake(
            "M75",
            but(
                same_row,
                {
                    "differ": lambda *case: _of_the_symbol(*case)["differ"],
                    "first": lambda *case: _of_the_symbol(*case)["first"],
                },
            ),
            "You compare the counts of the symbols of the text only. The parts of all other symbols lie "
            "around theirs: if one of those changes, borders move.",
        ),
        Mistake(
            "L22",
            partial(same_row, other=lambda network: network),
            "Your two networks are the same. The weights of the copy have to be rounded to float32, and "
            "then turned into float64 again.",
            explains="answer",
        ),
        Mistake(
            "L22",
            but(
                same_row,
                {
                    "differ": lambda *case: _probabilities(*case)["differ"],
                    "first": lambda *case: _probabilities(*case)["first"],
                },
            ),
            "You compare the probabilities. The coder uses the counts: rows whose counts agree are the same "
            "rows to it.",
        ),
        Mistake(
            "L40",
            but(same_row, {"differ": _entries}),
            "Your 'differ' is how many counts differ. The task asks at how many positions.",
        ),
        Mistake(
            "L23",
            but(same_row, {"first": lambda *case: same_row(*case)["first"] + 1}),
            "Your 'first' is counted from 1, or is 0 where no row differs. Positions are counted from 0.",
        ),
        Mistake(
            "M23",
            partial(same_row, rows=_shifted),
            "Your row for a symbol has already read that symbol. No decoder can compute it: row t may use "
            "ids[:t] only, and the first row comes from a state of zeros.",
        ),
        Mistake(
            "M1",
            but(same_row, {"loss": lambda *case: same_row(*case)["loss"] * np.log(2)}),
            "Your 'loss' is {ratio} = ln 2 times what it should be: it is in nats.",
        ),
        Mistake(
            "L7",
            but(same_row, {"loss": lambda *case: -same_row(*case)["loss"]}),
            "Your 'loss' has the wrong sign. It is positive if the copy gives the text more surprisal.",
        ),
        Mistake(
            "L5",
            but(same_row, {"loss": _expected_loss}),
            "Your 'loss' is what the first network expects to lose, the KL divergence of its rows. The "
            "task asks for the symbols that occurred.",
        ),
    ),
    properties=(FINITE,),
    alike=(
        *(("right", label, COARSE) for label in ("M75", "M75 (2)", "L40")),
        *(("M75", label, COARSE) for label in ("M75 (2)", "L40")),
        ("M75 (2)", "L40", COARSE),
        ("L22", "L5", "in the third case the expected loss is smaller than the tolerance"),
    ),
    advice="h = torch.zeros(d, dtype=torch.float64); then for each symbol: a row from h, and a new h from "
    "the symbol. `part.float().double()` rounds a weight to float32.",
)

# --- escape ----------------------------------------------------------------------------------------------


def _spelt(symbol):
    return 8 * (len(symbol.encode()) + 1)


def _kept(row, top):
    return np.argsort(-row)[:top]


def escape(rows, ids, symbols, top, spelt=_spelt, rest=None, scaled=True):
    """How many symbols have no code, the best escape probability, and the bits of the text with it."""
    inside = [i in _kept(row, top) for row, i in zip(rows, ids, strict=True)]
    outside = inside.count(False)
    best = outside / len(ids) if rest is None else rest(rows, top, outside / len(ids))
    bits = 0.0
    for row, i, there in zip(rows, ids, inside, strict=True):
        if there:
            bits -= np.log2((1 - best if scaled else 1.0) * row[i] / row[_kept(row, top)].sum())
        else:
            bits += spelt(symbols[i]) - np.log2(best)
    return {"no_code": outside, "best": best, "bits": bits}


def _not_scaled_up(rows, ids, symbols, top):
    kept = [row[_kept(row, top)].sum() for row, i in zip(rows, ids, strict=True) if i in _kept(row, top)]
    return escape(rows, ids, symbols, top)["bits"] - np.log2(kept).sum()


def _skipped(rows, ids, symbols, top):
    there = [i in _kept(row, top) for row, i in zip(rows, ids, strict=True)]
    rows, ids = rows[there], ids[there]
    return escape(rows, ids, symbols, top)["bits"] if len(ids) else 0.0


def _of_the_model(rows, top, share):
    return np.mean([1 - row[_kept(row, top)].sum() for row in rows])


def _best_by(id, rest, hint):
    """The mistake of another best escape, with the bits of the file that belong to it, and without them."""
    wrong = partial(escape, rest=rest)
    return (
        Mistake(id, wrong, hint, explains="answer"),
        Mistake(id, but(escape, {"best": lambda *case: wrong(*case)["best"]}), hint),
    )


OF_THE_MODEL = (
    "Your 'best' is the probability that the model gives to what is left out. The bits of the file depend on "
    "what occurred: minimise N_in log2(1 / (1 - e)) + N_out log2(1 / e) over e."
)
OF_THE_KEPT = "Your 'best' is the share of the symbols that are *kept*. The escape announces the others."
ONE_HALF = "Your 'best' is one half, whatever the text is. Minimise the bits of the text over it."

SYMBOLS = ["the", "wolf", "king", "said", "fée", "père", "Å", "狼", "王子", "and", "once", "a"]


def _draw_escape(rng, top=None, everything=None):
    V, T = int(rng.integers(8, 13)), int(rng.integers(8, 16))
    symbols = [str(s) for s in rng.permutation(SYMBOLS)[:V]]
    while True:
        rows = rng.dirichlet(np.full(V, 0.4), size=T) + 0.002
        rows /= rows.sum(axis=1, keepdims=True)
        ids = np.array([rng.choice(V, p=0.6 * row + 0.4 / V) for row in rows])
        count = top or int(rng.integers(2, 5))
        if everything is not None:
            ids = np.array(
                [
                    rng.choice(np.argsort(-row)[:count] if everything else np.argsort(-row)[count:])
                    for row in rows
                ]
            )
        kept = [i in _kept(row, count) for row, i in zip(rows, ids, strict=True)]
        longer = any(
            len(symbols[i].encode()) > len(symbols[i]) for i, k in zip(ids, kept, strict=True) if not k
        )
        if everything is not None or (longer and 0 < sum(kept) < T):
            return rows, ids, symbols, count


ESCAPE = Question(
    key="11.escape",
    title="what the shortened rows leave out",
    kind="implement",
    stars=2,
    points=3,
    right=escape,
    cases=(
        _draw_escape(np.random.default_rng(1102), top=3),
        _draw_escape(np.random.default_rng(1110), top=2),
        _draw_escape(np.random.default_rng(1101), top=4),
    ),
    draw=_draw_escape,
    odd=(
        lambda rng: _draw_escape(rng, everything=True),
        lambda rng: _draw_escape(rng, everything=False),
    ),
    entry_points={"no_code": 1, "best": 1, "bits": 1},
    mistakes=(
        Mistake(
            "M76",
            but(escape, {"bits": _skipped}),
            "Your 'bits' are those of the symbols in the shortened rows. The others have to be in the file, "
            "too, or the text cannot be read back.",
        ),
        Mistake(
            "M76",
            but(escape, {"bits": lambda *case: escape(*case, spelt=lambda s: 0)["bits"] + _escapes(*case)}),
            "Your 'bits' leave out the symbols that are not in the shortened rows. Each takes the bits of "
            "the escape, and its spelling.",
        ),
        Mistake(
            "L22",
            but(escape, {"bits": lambda *case: escape(*case)["bits"] + _escapes(*case)}),
            "Your 'bits' have the spelling, but not the surprisal of the escape that announces it.",
        ),
        Mistake(
            "M38",
            but(escape, {"bits": lambda *case: escape(*case, spelt=lambda s: 8 * (len(s) + 1))["bits"]}),
            "You spell a symbol in 8 bits per character. A character outside ASCII has two to four bytes: "
            "`symbol.encode()`.",
        ),
        Mistake(
            "L22",
            but(escape, {"bits": lambda *case: escape(*case, spelt=lambda s: 8 * len(s.encode()))["bits"]}),
            "Your spelling has no end. The byte 0 after each spelt symbol takes 8 bits as well.",
        ),
        Mistake(
            "L13",
            but(escape, {"bits": lambda *case: escape(*case, scaled=False)["bits"]}),
            "Your kept probabilities sum to 1, and the escape comes on top of them. What is kept has to "
            "share 1 - best.",
        ),
        Mistake(
            "L13",
            but(escape, {"bits": _not_scaled_up}),
            "Your kept probabilities are those of the long row. Divide them by their sum, so that nothing "
            "is left for symbols that have been left out.",
        ),
        Mistake(
            "M1",
            but(
                escape,
                {
                    "bits": lambda rows, ids, symbols, top: (
                        (escape(rows, ids, symbols, top)["bits"] - _spelling(rows, ids, symbols, top))
                        * np.log(2)
                        + _spelling(rows, ids, symbols, top)
                    )
                },
            ),
            "Your surprisals are in nats, and you add them to bits.",
        ),
        *_best_by("L33", _of_the_model, OF_THE_MODEL),
        *_best_by("L31", lambda rows, top, share: 1 - share, OF_THE_KEPT),
        Mistake(
            "L3",
            but(escape, {"bits": lambda *case: escape(*case, spelt=lambda s: _spelt(s) // 8)["bits"]}),
            "Your spelling is counted in bytes. A byte has 8 bits.",
        ),
        Mistake(
            "L1",
            but(escape, {"bits": lambda *case: escape(*case)["bits"] / len(case[1])}),
            "Your 'bits' are those of one symbol on average. The task asks for the whole text.",
        ),
        Mistake(
            "L1",
            but(escape, {"no_code": lambda *case: escape(*case)["best"]}),
            "Your 'no_code' is a share. The task asks at how many positions.",
        ),
        *_best_by("L8", lambda rows, top, share: 0.5, ONE_HALF),
    ),
    properties=(FINITE,),
    advice="Take two symbols inside and two outside: which e makes -2 log2(1 - e) - 2 log2(e) smallest?",
)


def _escapes(rows, ids, symbols, top):
    """Minus the surprisal of all escapes, in bits."""
    share = escape(rows, ids, symbols, top)["best"]
    return len(ids) * share * np.log2(share) if share else 0.0


def _spelling(rows, ids, symbols, top):
    pairs = zip(rows, ids, strict=True)
    return sum(_spelt(symbols[i]) for row, i in pairs if i not in _kept(row, top))


QUESTIONS = (SAME_ROW, ESCAPE)
