"""Exams: every variant can be solved and graded, no two are alike, and nothing of the key is on a paper."""

import csv
import itertools
import json
import re
import shutil
import sys

import numpy as np
import pytest
import sympy as sp

from lmcourse import exam as command
from lmcourse.exams import EXAMS, chapter_name, find, find_question, questions_of
from lmcourse.exams.paper import answers, label_of, papers
from lmcourse.exams.task import (
    EXACT,
    RTOL,
    InvalidTask,
    apart,
    digits,
    draw_apart,
    value_builder,
    with_those_apart,
)
from lmcourse.grade import main as grade_main
from lmcourse.grading.errors import GradingError
from lmcourse.grading.papers.folder import ExamFolder, make, variant_seed
from lmcourse.grading.whole_class import grade_class
from lmcourse.hints.answers import Unreadable
from lmcourse.hints.judging import judge
from lmcourse.hints.mistakes import NAMES
from lmcourse.hints.question import Mistake, formula_value

SEEDS = range(10)
CHAPTERS = {"midterm": range(1, 6), "final": range(1, 9), "practice": range(9, 15)}
MARKED = sum(task.points for task in find("midterm").tasks(0) if task.question)
"""The points of the midterm that need no marks by hand."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A midterm for three students."""
    place = tmp_path_factory.mktemp("private") / "midterm"
    return make(find("midterm"), ["Ada Lovelace", "Alan Turing", "王小明"], 11, place)


@pytest.mark.parametrize("name", EXAMS)
def test_every_variant_is_worth_the_same(name):
    """Points, minutes and the order of the tasks do not depend on the numbers."""
    exam = find(name)
    tables = [[(p.name, p.points, p.minutes, p.chapters) for p in exam.tasks(seed)] for seed in SEEDS]
    assert all(table == tables[0] for table in tables)
    needed = sum(minutes for _, _, minutes, _ in tables[0])
    assert needed <= 0.9 * exam.minutes, "a tenth is left"
    said = sys.modules[f"lmcourse.exams.{name}"].__doc__
    assert f"{exam.minutes} minutes, {exam.points} points." in said and f"tasks need {needed} " in said
    examined = {c for _, _, _, chapters in tables[0] for c in chapters.split(", ")}
    assert examined == {f"{n:02}" for n in CHAPTERS[name]}


@pytest.mark.parametrize("name", EXAMS)
@pytest.mark.parametrize("seed", SEEDS)
def test_solution_is_right_and_paper_tells_nothing(name, seed):
    """`papers` judges its own solution; the paper has no solution, no hidden check, no seed."""
    variant = 10**12 + seed
    paper, key = papers(find(name), variant, label_of(name, variant), "Ada <b>Lovelace</b>")
    text = json.dumps(paper, ensure_ascii=False)
    for secret in (str(variant), "SOLUTION", "HIDDEN", "lmcourse.feedback", "check(", "Rubric", "<b>"):
        assert secret not in text
    for task in find(name).tasks(variant):
        solved = _flat(task.solution or task.model)
        assert not any(solved in _flat(c.source) for c in paper.cells), f"{task.name} is solved on the paper"
        assert any(solved in _flat(cell.source) for cell in key.cells)


@pytest.mark.parametrize("name", EXAMS)
@pytest.mark.parametrize("seed", SEEDS)
def test_each_usual_mistake_is_named(name, seed):
    """In every variant, the wrong formulas are wrong, and the feedback names the mistake that was made."""
    for key, question in questions_of(chapter_name(name, seed)).items():
        cases = question.fresh_cases(seed) if question.draw else question.cases
        for mistake in question.mistakes:
            wrong = [formula_value(question, mistake.wrong, case) for case in cases]
            rights = [formula_value(question, question.right, case) for case in cases]
            if all(_same(w, r) for w, r in zip(wrong, rights, strict=True)):
                continue  # this variant's faults make no difference: see the next test
            answers = iter(wrong)
            verdict = judge(question, lambda case, a=answers: next(a), cases)
            assert not verdict.right, f"{key}: {mistake.id} is taken for right"
            named = [m.id for m in question.mistakes if m.id in verdict.message] or verdict.mistakes
            assert set(mistake.id.split(" + ")) <= set(verdict.mistakes), f"{key}: {mistake.id}, {named}"


@pytest.mark.parametrize("name", EXAMS)
def test_no_mistake_is_the_right_answer(name):
    """Over many variants no wrong formula ever gives the right value."""
    for seed in range(200, 215):
        for key, question in questions_of(chapter_name(name, seed)).items():
            for mistake in question.mistakes:
                same = [
                    _same(
                        formula_value(question, mistake.wrong, case),
                        formula_value(question, question.right, case),
                    )
                    for case in question.cases
                ]
                assert not all(same), f"{key}: {mistake.id}"


@pytest.mark.parametrize("name", EXAMS)
def test_digits_that_the_paper_asks_for_are_enough(name):
    """On 40 papers, each right answer rounded to four significant digits gets all points, also as text and
    with small letters; and each usual mistake rounded in the same way is wrong and named."""
    for question in _questions_of_many(name):
        (case,) = question.cases
        assert question.rtol == EXACT or apart(question, case), f"{question.key}: two values are within 1 %"
        right = _rounded(question, question.right, case)
        assert _judged(question, right).right
        assert _judged(question, _typed(right)).right
        for mistake in question.mistakes:
            verdict = _judged(question, _rounded(question, mistake.wrong, case))
            assert not verdict.right, f"{question.key}: {mistake.id} is taken for right"
            assert set(mistake.id.split(" + ")) <= set(verdict.mistakes), verdict.message


@pytest.mark.parametrize("name", EXAMS)
def test_right_entries_get_their_points(name):
    """On many papers: an answer with one wrong entry loses the points of that entry alone, and a usual
    mistake costs the points of the entries that it changes. No message gives a right number away."""
    for question in _questions_of_many(name, 8):
        right = formula_value(question, question.right, question.cases[0])
        numbers = [f"{x:.4g}" for x in np.ravel(list(_leaves(right))) if not isinstance(x, str) and x % 1]
        for entry, points in (question.entry_points or {}).items():
            verdict = _judged(question, _with_wrong(right, entry))
            assert verdict.points == question.points - points, verdict.message
            quoted = f'"{entry}"' if isinstance(entry, str) else f"entry [{entry}]"
            assert f"Wrong: {quoted}." in verdict.message
        for mistake in question.mistakes:
            wrong = formula_value(question, mistake.wrong, question.cases[0])
            same = [
                n for entry, n in (question.entry_points or {}).items() if _agree(wrong[entry], right[entry])
            ]
            verdict = _judged(question, wrong)
            assert verdict.points == sum(same), verdict.message
            assert not any(number in verdict.message for number in numbers), verdict.message


@pytest.mark.parametrize("name", EXAMS)
@pytest.mark.parametrize("seed", range(6))
def test_the_table_of_answers_serves_for_marking_on_paper(name, seed):
    """Counts have all their digits, expressions are closed forms, and a repair names the faults."""
    told = answers(find(name), seed)
    for task in find(name).tasks(seed):
        if task.question is None:
            continue
        case = task.question.cases[0]
        if task.question.rtol == EXACT:
            right = task.question.right(*case)
            assert told[task.name] == "; ".join(f"{key}: {count:d}" for key, count in right.items())
        elif task.question.form == "expression":
            closed = sp.sympify(told[task.name])
            assert {symbol.name for symbol in closed.free_symbols} == set(task.question.symbols)
            for case in task.question.cases:
                value = closed.subs(dict(zip(task.question.symbols, case, strict=True)))
                assert np.isclose(float(value), task.question.right(*case), rtol=1e-9)
        elif task.question.kind == "debug":
            for mistake in task.question.mistakes[0].id.split(" + "):
                assert f"{mistake}, {NAMES[mistake]}" in told[task.name]
            assert "return" not in told[task.name]


@pytest.mark.parametrize("name", EXAMS)
def test_two_mistakes_in_two_entries_are_both_named(name):
    """A student who makes two usual mistakes in different entries of the answer is told both."""
    told = []
    for question in _questions_of_many(name, 8):
        right = formula_value(question, question.right, question.cases[0])
        for one, other in itertools.combinations(question.mistakes if question.entry_points else (), 2):
            wrong = [formula_value(question, mistake.wrong, question.cases[0]) for mistake in (one, other)]
            changed = [{p for p in question.entry_points if not _agree(w[p], right[p])} for w in wrong]
            if not isinstance(right, dict) or changed[0] & changed[1]:
                continue
            both = {p: wrong[0][p] if p in changed[0] else wrong[1][p] for p in right}
            told.append({one.id, other.id} <= set(_judged(question, both).mistakes))
    assert len(told) > 10 and np.mean(told) > 0.9, f"{sum(told)} of {len(told)}"


@pytest.mark.parametrize("name", EXAMS)
def test_paper_says_what_each_entry_is_worth(name):
    """The points of the entries are in the text of the task and are those that the grader gives."""
    paper, _ = papers(find(name), 3, "ABCDE", "Ada")
    text = " ".join(cell.source for cell in paper.cells)
    for task in find(name).tasks(3):
        if task.question and task.question.entry_points:
            assert task.on_paper in text and "Each is marked on its own" in task.on_paper
            for key, points in task.question.entry_points.items():
                quoted = f'`"{key}"`' if isinstance(key, str) else f"entry {key}"
                assert f"{points} for {quoted}" in task.on_paper
        elif task.question:
            assert task.question.form != "value" or np.size(task.question.right(*task.question.cases[0])) == 1


def test_one_bias_of_a_wide_network_is_not_lost_in_rounding():
    """Counts that differ by less than the tolerance of other numbers are told apart: they are exact."""
    questions = (_of_final("parameters", seed).question for seed in range(400))
    widest = max(questions, key=lambda question: sum(question.cases[0][1:]))
    (case,) = widest.cases
    right, wrong = (formula_value(widest, f, case) for f in (widest.right, widest.mistakes[1].wrong))
    assert 0 < 1 - wrong["recurrent"] / right["recurrent"] < RTOL
    assert not _judged(widest, wrong).right


def test_a_wrong_count_is_shown_with_all_its_digits_and_alone():
    """The right entries of a dictionary are not repeated, and exact numbers have no tolerance to mention."""
    question = _of_final("parameters", 3).question
    right = formula_value(question, question.right, question.cases[0])
    near = _judged(question, right | {"embedding": right["embedding"] + 1}).message
    assert "lose, but a count must be exact. Give whole numbers with all their digits." in near
    assert "1e-" not in near
    far = _judged(question, right | {"embedding": 123456789.0}).message
    assert "You give {'embedding': 123456789}." in far


@pytest.mark.parametrize("name", EXAMS)
def test_rounding_too_far_is_reported(name):
    """Three digits and a large last one are not enough, and the feedback says what to do about it."""
    for question in _questions_of_many(name, 3):
        if question.rtol == EXACT:
            wrong = formula_value(question, question.right, question.cases[0])
            wrong = {key: count * 1.0004 for key, count in wrong.items()}
        else:
            wrong = _each(formula_value(question, question.right, question.cases[0]), lambda x: x * 1.002)
        verdict = _judged(question, wrong)
        assert not verdict.right and "close" in verdict.message.lower(), verdict.message
        assert "float64" not in verdict.message
        within = "a count must be exact" if question.rtol == EXACT else "not within one part in a thousand"
        assert within in verdict.message
        assert ("all their digits" if question.rtol == EXACT else "4 significant digits") in verdict.message


@pytest.mark.parametrize("name", EXAMS)
def test_no_two_students_have_the_same_answer(name):
    """A neighbour's number is worth nothing: among 100 variants no value comes twice."""
    exam, seen = find(name), {}
    for student in range(100):
        for task in exam.tasks(variant_seed(name, 5, f"student {student}")):
            if task.question and task.question.form == "value":
                value = task.question.right(*task.question.cases[0])
                seen.setdefault(task.name, []).append(repr(value))
    twice = {name: len(values) - len(set(values)) for name, values in seen.items()}
    twice = {name: n for name, n in twice.items() if n}
    assert not twice, f"values that two students share: {twice}"


def test_paper_follows_from_seed_and_name(tmp_path, folder):
    """The same command gives the same bytes; another seed gives other papers; a late student changes none."""
    names = list(folder.students)
    again = make(find("midterm"), names, 11, tmp_path / "again")
    other = make(find("midterm"), names, 12, tmp_path / "other")
    for name in names:
        assert again.paper(name).read_bytes() == folder.paper(name).read_bytes()
        assert other.paper(name).read_bytes() != folder.paper(name).read_bytes()
    late = make(find("midterm"), ["Grace Hopper"], 11, tmp_path / "again")
    assert list(late.students) == [*names, "Grace Hopper"]
    assert late.paper(names[0]).read_bytes() == folder.paper(names[0]).read_bytes()


@pytest.mark.slow
@pytest.mark.parametrize("name", EXAMS)
def test_a_retake_shares_nothing_with_the_earlier_papers(tmp_path, name):
    """No number, and the first retake none of the faults, suspects and stories; a student is added later.

    With these seeds, two numbers of the midterm's first draws are 0.1 % apart as seen from one of them only.
    """
    seeds = ("8149149654561262858", "3306373529770254565", "9112854071767259549")
    students, places = ["Ada Lovelace", "王小明"], [str(tmp_path / n) for n in ("first", "second", "third")]
    for i, (place, seed) in enumerate(zip(places, seeds, strict=True)):
        again = ["--retake-of", *places[:i]] if i else []
        assert command.main([name, "--students", *students, "--seed", seed, "--out", place, *again]) == 0
    folders = [ExamFolder.read(tmp_path / place) for place in places]
    exam = find(name)
    for student in students:
        tasks = [{t.name: t for t in exam.tasks(folder.variant(student))} for folder in folders]
        for one, other in itertools.combinations(tasks, 2):
            first_retake = one is tasks[0] and other is tasks[1]
            for task in one.values():
                twin = other[task.name]
                assert not (first_retake and set(task.choices) & set(twin.choices)), (task.name, task.choices)
                if task.question is None or task.question.form == "function":
                    continue
                a, b = (t.question.right(*t.question.cases[0]) for t in (task, twin))
                pairs = [(a[k], b[k]) for k in a] if isinstance(a, dict) else [(a, b)]
                pairs = [pair for pair in pairs if not isinstance(pair[0], str)]
                assert not any(np.isclose(x, y, rtol=RTOL, atol=0).any() for x, y in pairs), task.name
    paper = folders[1].paper("王小明").read_bytes()
    assert (
        command.main([name, "--students", "王小明", "Eve", "--out", places[1], "--retake-of", places[0]]) == 0
    )
    assert folders[1].paper("王小明").read_bytes() == paper
    key = folders[1].solutions_of("王小明") / name / f"{name}.ipynb"
    assert label_of(name, ExamFolder.read(tmp_path / places[1]).variant("王小明")) in key.read_text(
        encoding="utf8"
    )


def test_a_retake_of_something_else_is_refused(tmp_path, capsys):
    """Another exam has nothing to share, and the earlier papers' own folder is not for the retake."""
    first = tmp_path / "first"
    make(find("midterm"), ["Ada"], 1, first)
    for arguments, said in (
        (["final", "--out", str(tmp_path / "x")], "contains the midterm"),
        (["midterm", "--out", str(first)], "Give --out another folder for the retake"),
    ):
        assert command.main([*arguments, "--students", "Ada", "--retake-of", str(first)]) == 1
        assert said in capsys.readouterr().err
    assert not (tmp_path / "x").exists()


def test_command(tmp_path, capsys):
    """A roster in, papers and a table of answers out; the secret seed is kept and used again."""
    roster = tmp_path / "class.csv"
    roster.write_text("student,login\nAda Lovelace,ada\nAlan Turing,alan\n", encoding="utf-8")
    out = tmp_path / "final"
    assert command.main(["final", "--roster", str(roster), "--out", str(out)]) == 0
    exam = find("final")
    assert f"2 papers ({exam.points} points, {exam.minutes} minutes)" in capsys.readouterr().out
    before = (out / "answers.csv").read_bytes()
    assert command.main(["final", "--roster", str(roster), "--out", str(out)]) == 0
    assert (out / "answers.csv").read_bytes() == before
    rows = list(csv.reader((out / "answers.csv").read_text(encoding="utf-8-sig").splitlines()))
    assert [row[0] for row in rows] == ["student", "Ada Lovelace", "Alan Turing"]
    assert len(rows[0]) == len(exam.templates) + 2
    exponents = [row[rows[0].index("underflow")] for row in rows[1:]]
    assert all(float(x) < 0 for x in exponents), "numbers that a spreadsheet reads"
    assert out.stat().st_mode & 0o077 == 0


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--students", "Ada", "A-d-a"], "would be the same student"),
        (["--students", "..."], "is not a name"),
        (["--students", "Ada", "--seed", "2"], "contains the midterm with another seed"),
        (["--roster", "nobody.csv"], "nobody.csv"),
    ],
)
def test_bad_input_is_refused(tmp_path, capsys, arguments, said):
    """A sentence that says what was wrong; the papers that were there stay."""
    out = tmp_path / "midterm"
    make(find("midterm"), ["Bob"], 1, out)
    before = {path: path.read_bytes() for path in out.rglob("*") if path.is_file()}
    assert command.main(["midterm", "--out", str(out), "--seed", "1", *arguments]) == 1
    assert said in capsys.readouterr().err
    assert {path: path.read_bytes() for path in out.rglob("*") if path.is_file()} == before


def test_folder_of_something_else(tmp_path):
    """A folder without an exam says how to make one."""
    with pytest.raises(GradingError, match=r"course\.exam"):
        ExamFolder.read(tmp_path)


def test_class_is_graded_each_by_their_own_key(tmp_path, folder):
    """The solved paper gets full marks, the blank one none, another's is noted, a stranger has no key."""
    ada, alan, ming = folder.students
    handed = tmp_path / "submissions"
    keys = {name: folder.solutions_of(name) / "midterm" / "midterm.ipynb" for name in folder.students}
    for student, source in ((ada, keys[ada]), (alan, folder.paper(alan)), (ming, keys[ada])):
        (handed / student).mkdir(parents=True)
        shutil.copy(source, handed / student / "midterm.ipynb")
    blank = json.loads(keys[ada].read_text(encoding="utf-8"))
    blank["cells"][0]["source"], blank["metadata"] = "# Midterm", {}
    (handed / "Stranger.ipynb").write_text(json.dumps(blank), encoding="utf-8")
    rows = {
        r.student: r for r in grade_class(handed, None, tmp_path / "out", seed=3, jobs=2, exam_folder=folder)
    }
    assert (rows[ada].points, rows[ada].result.maximum) == (MARKED, MARKED)
    assert rows[alan].status == "zero"
    assert rows[ming].points == 4, "the repaired evaluator is right for everybody; the numbers are not"
    assert rows[ming].notes == [
        f"hands in paper {folder.students[ada]}, that of {ada}; graded by the key of paper"
        f" {folder.students[ming]}"
    ]
    assert rows["Stranger"].status == "could not be run"
    assert "No paper of this exam" in rows["Stranger"].result.problem


def test_one_paper_is_graded(folder, capsys):
    """The command for one notebook takes the exam and the student."""
    ada = next(iter(folder.students))
    key = str(folder.solutions_of(ada) / "midterm" / "midterm.ipynb")
    assert grade_main([key, "--exam", str(folder.place), "--student", "ada lovelace"]) == 0
    assert f"Total: {MARKED} of {MARKED} points" in capsys.readouterr().out
    assert grade_main([key, "--exam", str(folder.place), "--student", "Nobody"]) == 1
    assert "Papers: Ada Lovelace" in capsys.readouterr().err


def test_waiting_times_are_what_their_formula_says():
    """The number of trials that the words describe has the expectation of the formula, and the divergence
    that counts as right is the sum over the formula's values."""
    kinds = set()
    a, b = 0.62, 0.31
    for seed in range(40):
        task = _of_final("divergence", seed)
        words, power, first = re.search(
            r"number of trials\n(.+) the first one in which it comes: .+\^(.+)\$ for\n\$k = (\d)", task.text
        ).groups()
        kinds.add(words)
        k = np.arange(int(first), 400)
        exponent = {"k": k, "{k - 1}": k - 1}[power]
        p, q = (x * (1.0 - x) ** exponent for x in (a, b))
        trials = np.arange(1, 400)  # in which of them the symbol comes for the first time
        waiting = {"up to and including": trials, "before": trials - 1}[words]
        assert np.isclose((k * p).sum(), (waiting * a * (1 - a) ** (trials - 1)).sum())
        copies = int(re.search(r"\*\*(\d) independent draws", task.text)[1])
        forward, bits = "D(P_a" in task.text, "in **bits**" in task.text
        one = (p * np.log(p / q)).sum() if forward else (q * np.log(q / p)).sum()
        assert np.isclose(task.question.right(a, b), copies * one / (np.log(2) if bits else 1))
    assert len(kinds) == 2


def test_numbers_that_cannot_be_told_apart_stop_the_exam():
    """A task whose mistake gives the right value is never drawn, nor one that its tolerance would accept."""
    same = (Mistake("L1", lambda x: x, "the same"),)
    with pytest.raises(InvalidTask, match="agree to 1%"):
        draw_apart(np.random.default_rng(1), lambda rng: (rng.random(),), lambda x: x, same)
    assert _with_tolerance(1e-3, far=1.05).question.rtol == RTOL
    with pytest.raises(InvalidTask, match="agree to 20%"):
        _with_tolerance(0.02, far=1.05)


def test_an_optional_mistake_is_left_out_where_it_cannot_be_told_apart():
    """It may give the right value, or that of a mistake before it; a task has those that its numbers show."""
    mistakes = [
        Mistake(f"L{i}", lambda x, factor=factor: factor * x, "") for i, factor in enumerate((2, 1, 3, 2), 1)
    ]
    named = with_those_apart(lambda x: x, (5.0,), tuple(mistakes[:1]), tuple(mistakes[1:]))
    assert [mistake.id for mistake in named] == ["L1", "L3"]


@pytest.mark.parametrize(
    ("rtol", "says"),
    [
        (1e-5, "Give at least 6 significant digits"),
        (RTOL, ""),
        (0.02, "Give at least 3 significant digits"),
        (EXACT, "Give whole numbers with all their digits"),
    ],
)
def test_a_task_with_a_tolerance_of_its_own_says_so(rtol, says):
    """The digits that it asks for are enough, rounded or cut off; the same sentence answers a value that is
    three tolerances away."""
    for seed in range(20):
        task = _with_tolerance(rtol, far=2, seed=seed)
        assert says in task.on_paper and ("digits" in task.on_paper) == bool(says)
        ((x,),) = task.question.cases
        ones = 10 ** (11 - min(11, digits(rtol)))  # x has eleven digits
        assert all(
            _judged(task.question, enough).right for enough in (x // ones * ones, round(x / ones) * ones)
        )
        verdict = _judged(task.question, x * (1 + 3 * rtol))
        assert not verdict.right and task.question.precision in verdict.message


def test_keys_name_a_variant():
    """A question is found by exam, seed and task; any other key is refused."""
    assert find_question("midterm@7.pooled").points == 4
    with pytest.raises(KeyError):
        find_question("midterm@x.pooled")
    with pytest.raises(KeyError):
        find("oral")


def _questions_of_many(name, count=40):
    """The questions of many papers whose answers are values."""
    for seed in range(300, 300 + count):
        yield from (q for q in questions_of(chapter_name(name, seed)).values() if q.form == "value")


def _of_final(name, seed):
    """One task of the final exam."""
    return next(t.draw(seed) for t in find("final").templates if t.name == name)


def _with_tolerance(rtol, far, seed=1):
    """A task whose answer is a number that it shows; the one mistake is ``far`` times too large."""
    build = value_builder(
        title="a number",
        draw=lambda rng: (int(rng.integers(10_000_000_000, 20_000_000_000)),),
        right=lambda x: x,
        mistakes=(Mistake("L1", lambda x: far * x, "too large"),),
        given="",
        text="Write down {x}.",
        solution="copied = {x}",
        message="the number",
        rtol=rtol,
    )
    return build(np.random.default_rng(seed), name="copied", chapters="01", minutes=1, points=1)


def _judged(question, answer):
    """The verdict on a value, as the grader gets it."""
    return judge(question, lambda case: answer, question.cases)


def _rounded(question, formula, case):
    """What a formula gives, as a student writes it: to the digits that are asked for, or all of a count."""
    count = 12 if question.rtol == EXACT else digits(question.rtol)
    return _each(formula_value(question, formula, case), lambda x: float(f"{x:.{count}g}"))


def _with_wrong(value, entry):
    """A value with one entry that is far from right."""
    wrong = value.copy()
    wrong[entry] = "?" if isinstance(value[entry], str) else value[entry] * 7 + 1
    return wrong


def _agree(a, b):
    """Whether an entry is right, to the digits of a paper."""
    if isinstance(a, str) or isinstance(b, str):
        return a == b
    return bool(np.allclose(a, b, rtol=RTOL, atol=1e-9))


def _leaves(value):
    """The numbers and strings of a value."""
    for entry in value.values() if isinstance(value, dict) else np.ravel(value):
        yield from np.ravel(entry).tolist()


def _typed(value):
    """A value as somebody types it who puts everything in quotes: numbers as text, letters in lower case."""
    if isinstance(value, dict):
        return {key: _typed(entry) for key, entry in value.items()}
    if isinstance(value, str):
        return f" {value.lower()} "
    return [_typed(x) for x in value] if np.ndim(value) else f"{value:.12g}"


def _each(value, change):
    """A value with each of its numbers changed."""
    if isinstance(value, dict):
        return {key: _each(entry, change) for key, entry in value.items()}
    if isinstance(value, str):
        return value
    return [_each(x, change) for x in value] if np.ndim(value) else change(float(value))


def _flat(text) -> str:
    return " ".join(text.split())


def _same(a, b) -> bool:
    from lmcourse.hints.answers import agreement

    try:
        return bool(agreement(a, b, rtol=1e-4, atol=1e-9).all())
    except (Unreadable, ValueError):
        return False
