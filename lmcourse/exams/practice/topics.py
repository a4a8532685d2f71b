"""Tasks of the third exam about topic models: chapter 10."""

from __future__ import annotations

import math
from functools import partial

import numpy as np

from lmcourse.exams.task import rows, value_builder
from lmcourse.hints.question import Mistake
from lmcourse.questions.shared.wrong import but

# --- printed: two bounds with the term of the topics in them, and what they prove --------------------------


def _two_programs(rng):
    words = int(rng.integers(3000, 9000))
    unigram = round(rng.uniform(240, 460), 1)
    terms = rng.integers(3000, 26000, 2).tolist()
    nats = math.log(unigram) + rng.choice([-1, 1], 2) * rng.uniform(0.05, 0.3, 2) + np.array(terms) / words
    return words, round(math.exp(nats[0]), 1), terms[0], round(-nats[1], 5), terms[1], unigram


def _verdict(s, g, unigram):
    """A: only S is surely better than the unigram model; B: only G; C: both; D: neither."""
    return "DABC"[(s < unigram) + 2 * (g < unigram)]


def _printed(words, s, term_s, g, term_g, unigram, taken=1, base=math.e, sign=-1):
    found_s = math.exp(math.log(s) - taken * term_s / words)
    found_g = base ** (sign * g - taken * term_g / words)
    return {"S": found_s, "G": found_g, "sure": _verdict(found_s, found_g, unigram)}


def _verdict_is_clear(*case):
    found, unigram = _printed(*case), case[-1]
    return all(abs(math.log(found[name] / unigram)) > 0.04 for name in "SG")


printed = value_builder(
    title="what two programs print",
    kind="forensics",
    entry_points=(1, 1, 2),
    letters="ABCD",
    draw=_two_programs,
    suits=_verdict_is_clear,
    right=_printed,
    mistakes=(
        Mistake(
            "M48",
            partial(_printed, taken=0),
            "The term of the topics is still in your perplexities. It says nothing about the test words:"
            " take it out of the sum before you divide by them.",
        ),
        Mistake(
            "L7",
            partial(_printed, taken=-1),
            "You add the term of the topics, which the printed number holds already. Take it out.",
        ),
        Mistake(
            "M1",
            partial(_printed, base=2),
            "For G you raise 2 to a number of nats. Only a number of bits belongs above 2.",
        ),
        Mistake(
            "M70",
            partial(_printed, sign=1),
            "For G you take the printed number for the logarithm of a perplexity. It is minus a loss.",
        ),
        Mistake(
            "M4",
            lambda *case: _printed(*case) | {name: math.log(_printed(*case)[name]) for name in "SG"},
            "Those are nats per word. A perplexity is their exponential.",
        ),
    ),
    optional=(
        Mistake(
            "M48",
            but(_printed, {"sure": lambda *case: "D"}),
            "You conclude nothing from an upper bound. If even the bound lies below the other model's"
            " perplexity, the topic model's own perplexity does, too.",
        ),
        Mistake(
            "M48",
            but(_printed, {"sure": lambda *case: "C"}),
            "An upper bound that lies above the other model's perplexity leaves open which model is better.",
        ),
        Mistake(
            "M48",
            but(_printed, {"sure": lambda w, s, ts, g, tg, u: _verdict(s, math.exp(-g), u)}),
            "Your letter compares sums that still hold the term of the topics.",
        ),
        Mistake(
            "L31",
            but(
                _printed,
                {"sure": lambda *case: _verdict(_printed(*case)["G"], _printed(*case)["S"], case[-1])},
            ),
            "Your letter is right if S and G change places.",
        ),
    ),
    given="words, unigram = {words}, {unigram}\nS, topics_S = {s}, {term_s}\nG, topics_G = {g}, {term_g}",
    text=r"""
Two programs, S and G, have each fitted a topic model, and print one number for the same {words} test words.
Each number is made of the sum of two parts, both in nats: an upper bound $b$ on the surprisal of the test
words, and a term $t$ for the topics themselves, which says nothing about the test words. The logs give $t$.

| program | prints | which is | $t$ in nats |
|---|---|---|---|
| S | {s} | $e^{{(b + t)/{words}}}$ | {term_s} |
| G | {g} | $-(b + t)/{words}$ | {term_g} |

A model without topics has a perplexity of exactly {unigram} on these words. What do the bounds prove?

- **A**: S's model has a lower perplexity than {unigram}. For G's model they do not decide.
- **B**: G's model has a lower perplexity than {unigram}. For S's model they do not decide.
- **C**: both topic models have a lower perplexity than {unigram}.
- **D**: they decide nothing about either topic model.

Set `printed` to a dictionary: `"S"` and `"G"` are the highest perplexities of the test words that the
bounds $b$ allow, and `"sure"` is the letter.
""",
    message="two perplexities and a letter",
    solution="""
s = S / np.exp(topics_S / words)
g = np.exp(-G - topics_G / words)
printed = {"S": s, "G": g, "sure": "DABC"[int(s < unigram) + 2 * int(g < unigram)]}
""",
    advice="Undo what each program did last: a logarithm, or a sign. Then take the term of the topics out.",
)

# --- peeked: four programs, and which words have been used where -------------------------------------------

TRAIN, BOTH = "train", ("left", "right")
READS = {
    "fit": (("train",), ("train", "left"), ("train", "right"), ("train", "left", "right")),
    "infer": (("train",), ("left",), ("right",), ("left", "right")),
    "scores": (("left",), ("right",), ("left", "right")),
}
"""What a program may use for the topics, for the weights, and what it may score."""


def _seen(program):
    """N: no scored word was used; T: for the topics; W: for the weights; X: for both."""
    fit, infer, scores = (set(part) for part in program)
    return "NTWX"[bool(fit & scores) + 2 * bool(infer & scores)]


PROGRAMS = [(f, i, s) for f in READS["fit"] for i in READS["infer"] for s in READS["scores"]]


def _of_kind(rng, kind):
    found = [program for program in PROGRAMS if _seen(program) == kind]
    return found[int(rng.integers(len(found)))]


def _four_programs(rng):
    """Exactly one program is honest; one has seen words through the topics, and one through the weights."""
    kinds = rng.permutation(["N", "T", "W", str(rng.choice(["T", "W", "X"]))])
    programs = tuple(_of_kind(rng, str(kind)) for kind in kinds)
    halves = {name: int(rng.integers(2000, 6000)) for name in BOTH}
    level, gain = rng.uniform(5.2, 6.0), {"N": 0.0, "T": 0.12, "W": 0.2, "X": 0.3}
    nats = [
        round(_count(program, halves) * (level - gain[_seen(program)] + rng.uniform(-0.02, 0.02)), 1)
        for program in programs
    ]
    return programs, halves, nats


def _count(program, halves):
    return sum(halves[half] for half in program[2])


def _honest(programs):
    return [_seen(program) for program in programs].index("N")


def _perplexities(programs, halves, nats):
    return [math.exp(n / _count(program, halves)) for program, n in zip(programs, nats, strict=True)]


def _peeked(programs, halves, nats, seen=_seen):
    letters = {name: seen(program) for name, program in zip("ABCD", programs, strict=True)}
    return letters | {"perplexity": _perplexities(programs, halves, nats)[_honest(programs)]}


def _by_the_other_count(programs, halves, nats):
    i = _honest(programs)
    scored = _count(programs[i], halves)
    return math.exp(nats[i] / (sum(halves.values()) if len(programs[i][2]) == 1 else scored / 2))


def _reads_test(program):
    """What somebody says who takes every use of a test document for cheating."""
    return "NTWX"[("left" in program[0] or "right" in program[0]) + 2 * (program[1] != ("train",))]


def _what_they_read(programs, halves, nats):
    names: dict[str, list[str]] = {"fit": [], "infer": [], "scores": []}
    for program in programs:
        for part, used in zip(names, program, strict=True):
            names[part].append(", ".join(used))
    counts = {half: f"{half}, {halves[half]} words" for half in BOTH}
    code = ",\n".join(f'    "{name}": {program}' for name, program in zip("ABCD", programs, strict=True))
    return counts | {
        "table": rows("ABCD", *names.values(), nats),
        "code": code,
        "n_left": halves["left"],
        "n_right": halves["right"],
    }


peeked = value_builder(
    title="four programs, and what they have read",
    kind="forensics",
    entry_points=(1, 1, 1, 1, 1),
    letters="NTWX",
    draw=_four_programs,
    suits=lambda programs, *_: len(set(programs)) == 4,
    right=_peeked,
    mistakes=(
        Mistake(
            "M49",
            partial(_peeked, seen=lambda program: {"W": "N", "X": "T"}.get(_seen(program), _seen(program))),
            "You let weights pass that were inferred from words which are scored. Such a plug-in knows"
            " something of the words before it scores them.",
        ),
        Mistake(
            "L17",
            partial(_peeked, seen=lambda program: {"T": "N", "X": "W"}.get(_seen(program), _seen(program))),
            "You let topics pass that were learned from words which are scored.",
        ),
        Mistake(
            "M49",
            but(_peeked, {"perplexity": lambda *case: min(_perplexities(*case))}),
            "Your perplexity is the lowest of the four, and that program has seen words that it scores.",
        ),
        Mistake(
            "L27",
            but(_peeked, {"perplexity": _by_the_other_count}),
            "Divide the nats by the words that were scored: those of one half, or of both.",
        ),
        Mistake(
            "M4",
            but(_peeked, {"perplexity": lambda *case: math.log(_peeked(*case)["perplexity"])}),
            "Your perplexity is a loss in nats per word. Take its exponential.",
        ),
        Mistake(
            "M1",
            but(_peeked, {"perplexity": lambda *case: 2 ** math.log(_peeked(*case)["perplexity"])}),
            "You raise 2 to a number of nats.",
        ),
    ),
    optional=(
        Mistake(
            "L28",
            partial(_peeked, seen=_reads_test),
            "You accuse programs that use words of the test documents without scoring these words.",
        ),
        Mistake(
            "L31",
            partial(_peeked, seen=lambda program: {"T": "W", "W": "T"}.get(_seen(program), _seen(program))),
            "T and W are swapped: `fit` learns the topics, and `infer` finds the weights.",
        ),
    ),
    given=(
        "left, right = {n_left}, {n_right}  # words\n"
        "used = {{  # what fit reads, what infer reads, what is scored\n{code},\n}}\n"
        "nats = {nats}"
    ),
    fields=_what_they_read,
    text="""
Each running word of the test documents has been put into one of two halves: *left* ({n_left} words) and
*right* ({n_right} words). Four programs evaluate a topic model. `fit` learns the topics, `infer` the
weights of each test document, and then words are scored with both. The documents of *train* are not test
documents. Where `infer` reads *train*, every test document has the mean weights of the documents of *train*,
whatever else `fit` has read.

| program | `fit` reads | `infer` reads | scored | nats of the scored words |
|---|---|---|---|---|
{table}

For each program, say whether `fit` and `infer` had read any of the words that it scores, be it all of them
or one half: **N** neither had read any, **T** only `fit` had, **W** only `infer` had, **X** both had. Exactly
one program is N.

Set `peeked` to a dictionary: `"A"`, `"B"`, `"C"` and `"D"` are these letters, and `"perplexity"` is the
perplexity per scored word of the program that is N.
""",
    message="four letters and a perplexity",
    solution="""
peeked, size = {}, {"left": left, "right": right}
for (name, (fit, infer, scored)), total in zip(used.items(), nats):
    peeked[name] = "NTWX"[bool({*fit} & {*scored}) + 2 * bool({*infer} & {*scored})]
    if peeked[name] == "N":
        perplexity = np.exp(total / sum(size[half] for half in scored))
peeked["perplexity"] = perplexity
""",
    advice="Mark in each row the words that are scored, and look for them in the two columns before.",
)
