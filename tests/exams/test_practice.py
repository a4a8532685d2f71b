"""The third exam, read as a student reads it: from the printed text alone, each key is found again by other
means, a claim or a table has no second thing wrong with it, and what is printed fits on paper."""

import itertools
import math
import re
from fractions import Fraction
from functools import lru_cache
from pathlib import Path

import jiwer
import numpy as np
import pytest
import sympy as sp
from scipy import stats
from scipy.optimize import linprog

from lmcourse import exam, grade
from lmcourse.exams import find
from lmcourse.exams.paper import answers, label_of, papers
from lmcourse.exams.practice.claims import STORIES
from lmcourse.exams.practice.topics import READS
from lmmetrics.coding import interval, shortest_code

EXAM = find("practice")
MANY = range(600, 640)
PLANS = Path(__file__).parents[2] / "book/instructors"


@lru_cache
def tasks(seed):
    return {task.name: task for task in EXAM.tasks(seed)}


def table(text, after=""):
    """The rows of the first Markdown table after some words, as lists of cells, without its head."""
    lines = text[text.index(after) :].splitlines()
    start = next(i for i, line in enumerate(lines) if line.startswith("|--"))
    body = itertools.takewhile(lambda line: line.startswith("|"), lines[start + 1 :])
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in body]


def number(text, pattern):
    """The first number that a pattern finds in a text."""
    return float(re.search(pattern, text)[1])


def printed(text):
    (_, s, _, term_s), (_, g, _, term_g) = table(text)
    words = number(text, r"same (\d+) test")
    free = number(text, r"exactly ([\d.]+)")
    bound_s = words * math.log(float(s)) - float(term_s)
    bound_g = -words * float(g) - float(term_g)
    surely = {name: bound / words < math.log(free) for name, bound in (("S", bound_s), ("G", bound_g))}
    said = {(1, 0): "A", (0, 1): "B", (1, 1): "C", (0, 0): "D"}[surely["S"], surely["G"]]
    return {"S": math.exp(bound_s / words), "G": math.exp(bound_g / words), "sure": said}


def peeked(text):
    halves = {half: number(text, rf"\*{half}\*\s\((\d+) words") for half in ("left", "right")}
    found = {}
    for name, fit, infer, scored, nats in table(text):
        fit, infer, scored = (set(cell.split(", ")) - {"train"} for cell in (fit, infer, scored))
        found[name] = {(0, 0): "N", (1, 0): "T", (0, 1): "W", (1, 1): "X"}[
            not fit.isdisjoint(scored), not infer.isdisjoint(scored)
        ]
        if found[name] == "N":
            assert "perplexity" not in found, "two programs are N"
            found["perplexity"] = math.exp(float(nats) / sum(halves[half] for half in scored))
    return found


def coded(text):
    shares = {name: [Fraction(cell) for cell in cells] for name, *cells in table(text)}
    assert all(sum(row) == 1 for row in shares.values())
    word = re.search(r"text is `(\w\w\.)`", text)[1]
    given = [shares["start"], shares[word[0]], shares[word[1]]]
    low, width = interval(given, ["ab.".index(symbol) for symbol in word])
    return {"low": float(low), "surprisal": -math.log2(width), "bits": len(shortest_code(low, width))}


def counted(text):
    length = number(text, r"text of (\d+) bytes")
    models = {row[0]: [Fraction(cell) for cell in row[2:]] for row in table(text)}
    network = re.search(r"with which (\w) gives", text)[1]

    def size(name, length):
        rate, numbers, bits = models[name]
        return rate * length + numbers * bits

    def is_ahead(length):
        return all(size(network, length) < size(name, length) for name in models if name != network)

    low, high = 1, 10**12
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if is_ahead(middle) else (middle, high)
    best = min(models, key=lambda name: size(name, length))
    return {"smallest": best, "rate": float(size(best, Fraction(length)) / Fraction(length)), "from": high}


def versions(text):
    base, *others = table(text)
    unequal = {row[0]: [i for i in (1, 2, 3, 4, 5) if row[i] != base[i]] for row in others}
    (same,) = (row for row in others if not unequal[row[0]])
    (other,) = (row for row in others if unequal[row[0]] == [3])
    for name, columns in unequal.items():
        if name not in (same[0], other[0]):
            assert columns in ([1, 2, 3], [4], [5]), "one thing is unequal, or a text and its size"
    bits = {row[0]: int(row[3]) / int(row[2]) * math.log2(float(row[6])) for row in (base, other)}
    rise = 100 * float(same[6]) / float(base[6]) - 100
    change = bits[other[0]] - bits[base[0]]
    return {"as it is": same[0], "rise": rise, "converted": other[0], "change": change}


def verdict(text):
    kept = [(int(old), int(new)) for _, tuned, old, new in table(text) if tuned == "no"]
    assert len(kept) == 6
    tokens, margin = number(text, r"has (\d+) tokens"), number(text, r"rise of\s([\d.]+) per cent")
    d = [(new - old) / tokens for old, new in kept]
    middle, error = np.mean(d), stats.sem(d)
    rise, low, high = (100 * (math.exp(x) - 1) for x in (middle, middle - 2 * error, middle + 2 * error))
    letter = "A" if max(low, high) < margin else "R" if min(low, high) > margin else "U"
    assert min(abs(low - margin), abs(high - margin)) > 0.1, "rounding on the way does not decide"
    return {"rise": rise, "low": low, "high": high, "verdict": letter}


def tied(text):
    counts = [[int(cell) for cell in row] for row in table(text)]
    asked = sum(row[1] for row in counts)
    assert asked == number(text, r"answers (\d+) questions")
    assert all(first <= right <= questions for _, questions, right, first in counts)
    assert counts[0][2] == counts[0][3] and counts[3][1] == counts[3][2]
    scores = {name: float(total) / int(chars) for name, total, chars in table(text, "further")}
    drawn = sum(Fraction(right, best) for best, _, right, _ in counts)
    reported = sum(row[3] for row in counts) / asked
    return {"reported": reported, "expected": float(drawn / asked), "chosen": max(scores, key=scores.get)}


def errors(text):
    said, heard = (line.split() for line in re.search(r"```text\n(.*)\n(.*)\n```", text).groups())
    assert len(said) == len(heard), "each word stands below its own"
    spoken, written = (" ".join(word for word in words if word != "-") for words in (said, heard))
    rows = {row[0]: [int(cell) for cell in row[2:]] for row in table(text)}
    best = min(rows, key=lambda name: sum(rows[name][:3]))
    wer = sum(rows[best][3:]) / number(text, r"and (\d+)\s+in\s+the test")
    return {"line": jiwer.wer(spoken, written), "weight": best, "WER": wer}


def leaked(text):
    clean, known = (
        number(text, r"perplexity of ([\d.]+)\. Then"),
        number(text, r"each of them is\s([\d.]+)\snats"),
    )
    reported = number(text, r"reports a perplexity of ([\d.]+)\.")

    def perplexity(share):
        return clean ** (1 - share) * math.exp(share * known)

    low, high = 0.0, 1.0
    for _ in range(100):
        middle = (low + high) / 2
        low, high = (middle, high) if perplexity(middle) > reported else (low, middle)
    return {"share": 100 * low, "twice": perplexity(2 * low)}


def mixes(text):
    slices = [[float(cell) for cell in row[1:]] for row in table(text)]
    tokens = sum(row[0] for row in slices)
    assert tokens != sum(row[2] for row in slices) or slices[0][0] != slices[0][2]
    a, b = (math.prod(row[i] ** (row[0] / tokens) for row in slices) for i in (1, 3))
    return {"A": a, "B": b, "better": "A" if a < b else "B"}


def ranks(text):
    counts = [(int(tokens), int(nats)) for _, tokens, nats in table(text)]
    value = number(text, r"the perplexity ([\d.]+)\.\n")
    losses = [Fraction(nats, tokens) for tokens, nats in counts]
    whole = Fraction(sum(nats for _, nats in counts), sum(tokens for tokens, _ in counts))
    values = [math.exp(sum(losses) / 3), sum(map(math.exp, losses)) / 3, math.exp(losses[0]), math.exp(whole)]
    (found,) = (letter for letter, x in zip("ABCD", values, strict=True) if round(x, 3) == value)
    return {"printed": found, "whole": math.exp(whole)}


def copies(text):
    documents = int(number(text, r"has (\d+) documents"))
    width = int(number(text, r"to (\d+) ranks"))
    dealt = list(itertools.islice(itertools.cycle(range(documents)), math.ceil(documents / width) * width))
    twice = [i for i in range(documents) if dealt.count(i) == 2]
    rows = table(text)
    assert twice == list(range(len(twice))) and len(twice) <= len(rows), "the table has all that is needed"
    scored, value = number(text, r"over (\d+)\stokens"), number(text, r"perplexity of ([\d.]+)")
    nats = scored * math.log(value) - sum(int(rows[i][2]) for i in twice)
    return {"repeated": len(twice), "right": math.exp(nats / (scored - sum(int(rows[i][1]) for i in twice)))}


SOLVERS = [leaked, mixes, printed, peeked, coded, counted, versions, verdict, tied, errors, ranks, copies]


@pytest.mark.parametrize("solve", SOLVERS, ids=lambda solve: solve.__name__)
def test_the_printed_text_leads_to_the_key(solve):
    """On 40 papers: the text alone holds all that is needed, and another way of computing gives the key."""
    for seed in MANY:
        task = tasks(seed)[solve.__name__]
        found, right = solve(task.text), task.question.right(*task.question.cases[0])
        assert found.keys() == right.keys()
        for key, value in right.items():
            same = found[key] == value if isinstance(value, str) else np.isclose(found[key], value, rtol=1e-9)
            assert same, (seed, key, found[key], value)


def test_every_task_with_values_is_solved_here():
    named = {name for name, task in tasks(0).items() if task.question and task.question.form == "value"}
    assert named == {solve.__name__ for solve in SOLVERS}


@pytest.mark.parametrize("seed", range(12))
def test_the_frontier_is_the_best_that_a_model_can_do(seed):
    """The closed form is the optimum of a linear programme over what a model may lose on the choices."""
    task = tasks(seed)["frontier"]
    choices = {"one": 1, "two": 2, "three": 3}[re.search(r"which (\w+) of", task.text)[1]]
    tokens = int(number(task.text, r"every (\d+) tokens"))
    least = 1.0 if "bits per token" in task.text else math.log(2)
    D, w = sp.symbols("D w")
    closed = sp.sympify(answers(EXAM, seed)["frontier"])
    share = choices / tokens
    for excess, elsewhere in task.question.cases:
        best = linprog(
            c=[-1, 0],  # the share of wrong answers, and the excess on a choice: a wrong answer loses a bit
            A_ub=[[least, -1]],
            b_ub=[0],
            A_eq=[[0, share]],
            b_eq=[excess - (1 - share) * elsewhere],
            bounds=[(0, 1), (0, None)],
        )
        wrong = best.x[0]
        assert best.success and 0 < wrong < 1
        asked = 1 - wrong if "lowest expected share of *right*" in " ".join(task.text.split()) else wrong
        assert np.isclose(float(closed.subs({D: excess, w: elsewhere})), asked)


def test_letters_are_not_to_be_guessed():
    """Over 40 papers each letter is right sometimes, and none in more than six of ten."""
    asked = {"printed": ["sure"], "peeked": "ABCD", "counted": ["smallest"], "tied": ["chosen"]}
    asked |= {"versions": ["as it is", "converted"], "verdict": ["verdict"], "errors": ["weight"]}
    asked |= {"mixes": ["better"], "ranks": ["printed"]}
    letters = {"printed": "ABCD", "peeked": "NTWX", "counted": "ABC", "verdict": "ARU", "mixes": "AB"}
    for name, keys in asked.items():
        for key in keys:
            values = [tasks(seed)[name].question.right(*tasks(seed)[name].question.cases[0]) for seed in MANY]
            found = [value[key] for value in values]
            assert set(found) == set(letters.get(name, "ABCD"))
            assert max(map(found.count, set(found))) <= 24, (name, key)


def test_a_code_is_as_long_as_the_bound_or_one_bit_shorter():
    """Both lengths come up, so neither the rounded surprisal nor the guarantee is the answer."""
    extra = [_bits_above_the_surprisal(tasks(seed)["coded"]) for seed in MANY]
    assert set(extra) == {0, 1} and 8 < sum(extra) < 32


def _bits_above_the_surprisal(task):
    value = task.question.right(*task.question.cases[0])
    return value["bits"] - math.ceil(value["surprisal"])


def test_each_kind_of_program_comes_up():
    """What fit and infer read, and what is scored, are all there somewhere; one program is honest."""
    seen = [tuple(row[1:4]) for seed in MANY for row in table(tasks(seed)["peeked"].text)]
    for place, part in enumerate(READS):
        assert {row[place] for row in seen} == {", ".join(used) for used in READS[part]}


CONFESSED = {
    "topics": ("fitted on falls",),
    "archive": ("million weights",),
    "unchanged": ("both times",),
    "writer": ("under this model",),
}
"""What a claim says of its own fault."""

FAULTS = {
    "chosen on what was fitted": "fitted on falls",
    "the model is not counted": "weights of 16",
    "the model's own text": "under this model",
    "the same loss": "both times",
    "another text": "another text",
    "tuned on the test": "tuned",
    "a removed word": "left out",
    "other words for each": "drawn anew",
    "warm against cold": "learns as it reads",
    "not decoded": "could not be decoded",
    "no interval": "difference is not",
}


def test_a_claim_has_one_fault():
    """No claim says what another claim is wrong about, nor any other thing to object to."""
    kinds = set()
    for seed in MANY:
        text = re.search(r"says: \*(.+?)\*\n", tasks(seed)["argued"].text, re.S)[1]
        kind = next(name for name, (words,) in CONFESSED.items() if words in text)
        kinds.add(kind)
        assert len([said for said in FAULTS.values() if said in text]) == 1, text
        assert STORIES[kind].fault in tasks(seed)["argued"].model
        told = [said for _, said in tasks(seed)["argued"].rubric]
        assert STORIES[kind].fault in told[0] and STORIES[kind].test in told[2]
        assert sum(points for points, _ in tasks(seed)["argued"].rubric) == tasks(seed)["argued"].points
    assert kinds == set(STORIES)


def test_what_is_given_fits_on_paper():
    """No line of data and no table is wider than a page, and nothing is left to fill in."""
    for seed in MANY:
        for task in tasks(seed).values():
            assert all(len(line) <= 90 for line in task.given.splitlines()), task.given
            assert all(len(line) <= 110 for line in task.text.splitlines() if line.startswith("|")), task.text
            prose = re.sub(r"```.+?```", "", task.text, flags=re.S)
            assert not re.search(r"^[-+*#>] (?!\*\*)", prose, re.M), f"read as a list: {prose}"
            assert not re.search(r"[{}]", re.sub(r"\$.+?\$", "", task.text, flags=re.S)), task.text
            assert "nan" not in task.text and "np." not in task.text + task.given.replace("np.array", "")


def test_two_hours_with_a_tenth_left():
    """At least three tasks are choices or designs; one, at most, needs a person to read it."""
    drawn = tasks(0).values()
    assert sum(task.question is None for task in drawn) == 1
    decided = [task for task in drawn if task.question and re.search(r'"[A-Z]{3,4}"', task.form_check)]
    assert len(decided) >= 3


def test_paper_has_its_name_and_no_answer():
    paper, _ = papers(EXAM, 10**12, label_of("practice", 10**12), "王小明")
    assert paper.metadata["course"] == {"exam": "practice", "paper": label_of("practice", 10**12)}
    heading = paper.cells[0].source
    assert "王小明" in heading and f"{EXAM.minutes} minutes, {EXAM.points} points" in heading


def test_lesson_plans_name_the_tasks_of_their_chapter():
    """The title of each task stands in the plan of the chapter that it examines."""
    plans = {path.name[:2]: path.read_text(encoding="utf8") for path in PLANS.glob("[01]*.md")}
    for task in EXAM.tasks(0):
        if task.question:
            assert f'"{task.title}"' in plans[task.chapters], task.title


def test_a_solved_paper_gets_all_points_and_a_rounded_one_too(tmp_path, capsys):
    """By the commands of a lecturer: made, handed in, graded."""
    out = tmp_path / "practice"
    assert exam.main(["practice", "--students", "Ada Lovelace", "--out", str(out)]) == 0
    assert f"1 paper ({EXAM.points} points, {EXAM.minutes} minutes)" in capsys.readouterr().out
    key = next(out.glob("keys/*/practice/practice.ipynb"))
    assert grade.main([str(key), "--exam", str(out), "--student", "Ada Lovelace"]) == 0
    marked = sum(task.points for task in EXAM.tasks(0) if task.question)
    assert f"Total: {marked} of {marked} points" in capsys.readouterr().out
    paper = next(out.glob("papers/*/practice.ipynb"))
    assert grade.main([str(paper), "--exam", str(out)]) == 0
    assert f"Total: 0 of {marked} points" in capsys.readouterr().out
