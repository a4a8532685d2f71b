"""Many variants of each exam, read for a second meaning: what is given is on paper, one suspect explains a
report, a note confesses one property, and every name of an answer is in its text."""

import math
import re
from functools import lru_cache

import pytest

from lmcourse.exams import EXAMS, find
from lmcourse.exams.midterm.text import FACTS, STORIES
from lmcourse.questions.shared.verdicts import exponents

MANY = range(2000, 2150)


@lru_cache
def variants(name):
    """The tasks of many variants; fewer of the exam that takes longer to draw."""
    return [
        {t.name: t for t in find(name).tasks(seed)} for seed in MANY[: 30 if name == "practice" else None]
    ]


def words(text):
    """A text on one line."""
    return " ".join(text.split())


@pytest.mark.parametrize("name", EXAMS)
def test_what_is_given_in_code_is_on_paper_too(name):
    """A paper that is printed has no code cells: each number of a task is in its text."""
    places = {"discounted": "cw", "verdict": ("used",), "coded": ("first", "second"), "slope": ("target",)}
    for tasks in variants(name):
        for task in tasks.values():
            printed = {float(x) for x in re.findall(r"\d+\.\d+|\d+", task.text)}
            for line in re.sub(r"#.*", "", task.given).splitlines():
                if line.split(" ")[0].rstrip(",=") in places.get(task.name, ()):
                    continue  # where something stands in the table
                given = re.sub(r"[A-Za-z_]\w*|\"[^\"]*\"", "", line)
                lacking = {float(x) for x in re.findall(r"\d+\.\d+|\d+", given)} - printed
                assert not lacking, (task.name, line, task.text)


@pytest.mark.parametrize("name", EXAMS)
def test_every_part_of_an_answer_is_named_in_the_text(name):
    """The name of the answer, its keys, its symbols, and the letters to choose from."""
    for tasks in variants(name):
        for task in tasks.values():
            if task.question is None:
                continue
            text = words(task.text)
            assert f"`{task.variable}`" in text or f"`{task.variable}(" in text, task.name
            form = task.question.reading.args[1] if task.question.form != "function" else ()
            for key, part in form.items() if isinstance(form, dict) else ():
                assert f'`"{key}"`' in text, (task.name, key)
                if isinstance(part, str):
                    assert all(re.search(rf"\b{letter}\b", text) for letter in part), (task.name, part)
            for symbol in task.question.symbols:
                assert f"`{symbol}`" in text and f"{symbol}" in "".join(re.findall(r"\$.+?\$", text)), (
                    task.name
                )


@pytest.mark.parametrize("name", ["midterm", "final"])
def test_one_suspect_alone_explains_a_report(name):
    """Of all that is to choose from, one gives the printed number; the others miss it by 5 per cent."""
    for tasks in variants(name):
        text = words(tasks["judged"].text)
        total = float(re.search(r"log: ([\d.]+) nats", text)[1])
        tokens, ends, padding = (
            int(re.search(pattern, text)[1])
            for pattern in (r"over (\d+) scored", r"are (\d+) sentence ends", r"had (\d+) positions")
        )
        reported = float(re.search(r"perplexity of \*\*(.+?)\*\*", text)[1])
        suspects = {"midterm": "M1 M2 M19 M25 M26", "final": "M1 M2 M3 M19 M25 M26"}[name]
        found = exponents(f"none {suspects}", tokens, padding, ends)
        off = {s: abs(math.exp(total / tokens * factor) / reported - 1) for s, factor in found.items()}
        near = [s for s, distance in off.items() if distance < 0.05]
        assert near == list(tasks["judged"].choices) and off[near[0]] < 6e-4, off


def test_a_note_confesses_one_property():
    """The note fits one story alone, and the key asks for that property and for other facts."""
    told = {
        "mean": "mean of the perplexities",
        "contexts": "empty context",
        "vocabulary": "<unk>",
        "adapts": "cache",
    }
    assert told.keys() == STORIES.keys()
    seen = set()
    for tasks in variants("midterm"):
        task = tasks["asked"]
        note = re.search(r"note says: \*(.+?)\.\*", words(task.text))[1]
        (kind,) = (kind for kind, phrase in told.items() if phrase in note)
        seen.add(kind)
        _, fault, effect, same = STORIES[kind]
        assert task.choices == (kind,) and fault in task.rubric[0][1] and effect in task.rubric[0][1]
        others = [fact for name, fact in FACTS.items() if fact in task.model]
        assert len(others) == len(FACTS) - 1 and FACTS[same] not in others
        assert words(task.text).count("per word") == 2, "both numbers have one unit"
    assert seen == set(STORIES)


@pytest.mark.parametrize("name", ["midterm", "final"])
def test_a_faulty_evaluator_has_the_two_faults_of_its_key(name):
    """Each of the two can be seen in the code, and none of the others."""
    shown = {
        "M19": lambda code: "targets.size" in code,
        "M20": lambda code: "-picked.sum()" in code,
        "M10": lambda code: "np.mean(found)" in code,
        "M1": lambda code: "2 **" in code,
        "M41": lambda code: "0.9 * picked" in code,
        "M23": lambda code: "[:, :-1]" in code,
    }
    for tasks in variants(name):
        code = re.search(r"```python\n(.+?)```", tasks["repaired"].text, re.S)[1]
        assert {fault for fault, there in shown.items() if there(code)} == set(tasks["repaired"].choices)


NUMBERS = {"six": 6, "eight": 8, "ten": 10, "twelve": 12}


@pytest.mark.parametrize("name", EXAMS)
def test_a_model_answer_is_as_long_as_its_task_asks(name):
    """Its sentences, counted by their stops, are as many as the text of the task orders."""
    asked = 0
    for tasks in variants(name):
        for task in tasks.values():
            if task.question is None:
                least, most = re.search(r"Write (\w+) to (\w+) sentences", task.text).groups()
                found = re.findall(r"\.(?= [A-Z]|$)", words(task.model))
                assert NUMBERS[least] <= len(found) <= NUMBERS[most], (len(found), task.model)
                asked += 1
    assert asked == len(variants(name))


def test_the_plan_of_a_race_earns_every_line_of_its_rubric():
    """Its model answer names unknown words, and gives a reason for what it expects at each size."""
    for tasks in variants("final"):
        task = tasks["planned"]
        expected = re.search(r"At [\d ]+ words (.+)", words(task.model))[1]
        assert "because" in expected, expected
        assert "unknown word is scored in full" in task.model and "paired interval" in task.model


def test_a_rule_of_a_claim_is_fixed_before_as_its_rubric_asks():
    for tasks in variants("practice"):
        assert re.search(r"(?i)fix(ed)? before", tasks["argued"].model), tasks["argued"].model


@pytest.mark.parametrize(("name", "minutes"), [("midterm", 67), ("final", 108), ("practice", 108)])
def test_minutes_add_up(name, minutes):
    assert sum(task.minutes for task in variants(name)[0].values()) == minutes


def test_words_that_have_two_readings_are_settled():
    """Where a student who sat a paper found a second reading, or a term that nothing introduced."""
    for tasks in variants("practice"):
        leaked, coded, versions = (words(tasks[name].text) for name in ("leaked", "coded", "versions"))
        assert re.search(r"the model's loss on each of them is [\d.]+ nats", leaked) and "loses" not in leaked
        assert "three symbols, the last of which is the full stop" in coded
        assert "in the variance of $d$, the sum of squares" in words(tasks["verdict"].text)
        assert "The loss of a rank is its nats per token" in words(tasks["ranks"].text)
        assert versions.count("128 tokens") in (0, 2), "the paper explains what a row has, and nothing else"
    for tasks in variants("final"):
        assert "In each variance, the sum of squares" in words(tasks["paired"].text)
        assert "$q$ is the probability" in words(tasks["unsmoothed"].text)
    for tasks in variants("midterm"):
        assert "higher or lower, whatever the paper did," in words(tasks["asked"].text)
