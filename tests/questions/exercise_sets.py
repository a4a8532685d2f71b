"""What the tests of every exercise set share: full marks when solved, what to do when not, a hint when wrong.

A module ``test_chNN.py`` notes wrong answers as students write them, mostly as one change of the
solution, and never taken from the formulas that they are compared with:

    SET = ExerciseSet("02_cross_entropy")
    SET.changed("three-words", "M2", ("-np.log(q)", "-np.log2(q)"))

    class TestSet(SetTests):
        exercises = SET
"""

import re
import textwrap
from collections import Counter
from functools import cached_property

import pytest

from lmcourse.feedback import WrongAnswer, check, check_hidden
from lmcourse.files.notebooks import cell_name, checks_answer, is_answer, is_graded_by_hand, read
from lmcourse.files.places import ROOT
from lmcourse.hints.question import formula_value
from lmcourse.questions import of_chapter
from lmcourse.sets.authoring import TASK

NUMBER_WORDS = {10: "Ten", 11: "Eleven", 12: "Twelve", 13: "Thirteen", 14: "Fourteen"}
SEEDS = (101, 102)
WRONG_UNITS = {
    "M1": "({0}) * np.log(2)",
    "M2": "({0}) / np.log(2)",
    "M3": "({0}) / np.log(10)",
    "M5": "-({0})",
}
WRONG_EXPONENTS = {
    "M1": "2 ** ({0})",
    "M2": "np.exp(({0}) / np.log(2))",
    "M3": "np.exp(({0}) / np.log(10))",
    "M4": "({0})",
    "M5": "np.exp(-({0}))",
}
"""What students write in place of the nats, or of the perplexity, by the mistake that it is."""


def explanation(message):
    """A message from its explanation on, without what the right entries of the answer are worth."""
    return re.sub(r"^(\S+: )\d+ of \d+ points\. Right: .*? Wrong: .*?\. ", r"\1", message)


def exchange(one, other):
    """The changes that make two texts of a solution change places."""
    return (one, "EXCHANGED"), (other, one), ("EXCHANGED", other)


class ExerciseSet:
    """A solved set, its student set, its questions, and wrong answers to its tasks.

    Attributes
    ----------
    solved, student : NotebookNode
    questions : dict of str to Question
    tasks : dict of str to str
        Name of a task that a machine grades to the source of its answer cell.
    checks : dict of str to NotebookNode
        Name of such a task to its test cell.
    odd : list of (str, str)
        Task and code that is wrong on odd inputs only.
    broken : list of (str, str, str)
        Task, what the message says, and code that lacks a property and is not a catalogued mistake.
    messages : list of (str, str, str, str)
        Task; the usual mistakes that the hint names, separated by blanks, or nothing; a part of the message;
        code (tested by `tests.questions.tries.TriesTests`).
    unusual : list of (str, str)
        Task and code that is right in an unusual way.
    wrong : dict of str to list of (str, str)
        Task to the expected mistakes and the code that a student might write. Two mistakes that are found as
        a pair are written "M19 and M2"; "M9 + M41" is one entry of the catalogue.
    """

    def __init__(self, stem):
        self.chapter = stem[:2]
        notebook = f"{stem}/{stem}.ipynb"
        self.solved, self.student = read(ROOT / "solutions" / notebook), read(ROOT / "exercises" / notebook)
        self.questions = of_chapter(self.chapter)
        code = [cell for cell in self.solved.cells if cell.cell_type == "code"]
        self.tasks = {cell_name(cell): cell.source for cell in code if is_answer(cell)}
        self.checks = {cell_name(cell).removeprefix("test-"): cell for cell in code if checks_answer(cell)}
        self.wrong, self.unusual, self.odd, self.broken, self.messages = {}, [], [], [], []

    def changed(self, task, ids, *changes):
        """Note a wrong answer that is the task's solution with some of its text replaced."""
        self.wrong.setdefault(task, []).append((ids, self._code(task, changes)))

    def told(self, task, names, says, *answer):
        """Note any other wrong answer, as code or as changes, with what the hint names and says."""
        self.messages.append((task, names, says, self._code(task, answer)))

    def in_wrong_units(self, task, number, nats="", ids=""):
        """Note wrong answers that differ from ``number`` by a factor of the nats, or by their sign.

        With ``nats``, the code of the nats per unit, ``number`` is a perplexity: they stand in its exponent.
        """
        templates = WRONG_EXPONENTS if nats else WRONG_UNITS
        for name in ids.split() or (templates if nats else ("M2", "M3", "M5")):
            self.changed(task, name, (number, templates[name].format(nats or number)))

    def wrong_on_odd_inputs(self, task, *changes):
        """Note a changed solution that is right on ordinary inputs: the fresh ones hold odd ones besides."""
        self.odd.append((task, self._code(task, changes)))

    def breaks(self, task, says, *changes):
        """Note a changed solution that no catalogued mistake explains: a property says what is wrong."""
        self.broken.append((task, says, self._code(task, changes)))

    def _code(self, task, answer):
        """The code of an answer: written afresh, or the solution with pairs of texts replaced."""
        if isinstance(answer[0], str):
            return textwrap.dedent(answer[0])
        source = self.tasks[task]
        for old, new in answer:
            assert old in source, f"{task}: the solution has no {old!r}"
            source = source.replace(old, new)
        return source

    def written(self, task, ids, source):
        """Note a wrong answer that is written afresh."""
        self.wrong.setdefault(task, []).append((ids, textwrap.dedent(source)))

    def right(self, task, *answer):
        """Note a right answer that a student may well write, as code or as changes, unlike the solution."""
        self.unusual.append((task, self._code(task, answer)))

    def key(self, task):
        return f"{self.chapter}.{task}"

    @cached_property
    def names_before(self):
        """What each answer cell finds: the names that the solved set has defined before it."""
        names, found = {}, {}
        for cell in self.solved.cells:
            if cell.cell_type == "code":
                if is_answer(cell):
                    found[cell_name(cell)] = dict(names)
                exec(compile(cell.source, cell.id, "exec"), names)
        return found

    def answer(self, task, source):
        """Run an answer cell in the names it finds, and return what the student would hand to the check.

        Of a fixed answer, ``right`` is the value.
        """
        question = self.questions[self.key(task)]
        names = self.names_before[task] | ({"right": question.right()} if question.form == "value" else {})
        exec(compile(source, task, "exec"), names)
        return names[re.search(r"check\([^,]*, (\w+)\)", self.checks[task].source)[1]]


class SetTests:
    """The tests of one set: subclass it and name the set as ``exercises``.

    ``given_in_tasks`` lists numbers that the task's text may hold although they are a part of a right answer.
    """

    exercises: ExerciseSet
    given_in_tasks = frozenset()

    def pytest_generate_tests(self, metafunc):
        if "wrong_source" in metafunc.fixturenames:
            wrong = [
                pytest.param(task, ids, source, id=f"{task}-{ids}-{i}")
                for task, answers in self.exercises.wrong.items()
                for i, (ids, source) in enumerate(answers)
            ]
            metafunc.parametrize(("task", "ids", "wrong_source"), wrong)

    def test_the_solved_set_gets_full_marks(self, capsys):
        exercises = self.exercises
        assert exercises.names_before.keys() == exercises.tasks.keys()
        capsys.readouterr()
        for task, source in exercises.tasks.items():
            answer = exercises.answer(task, source)
            check(exercises.key(task), answer)
            for seed in SEEDS:
                check_hidden(exercises.key(task), answer, seed)
        assert len(capsys.readouterr().out.splitlines()) == 3 * len(exercises.tasks)

    def test_each_entry_has_its_points(self):
        """An answer with one wrong entry keeps the points of the others."""
        for key, question in self.exercises.questions.items():
            if not question.entry_points or question.form != "value":
                continue
            given = formula_value(question, question.right, ())
            for entry, points in question.entry_points.items():
                spoilt = given | {entry: "" if isinstance(given[entry], str) else given[entry] * 1.7}
                with pytest.raises(WrongAnswer) as caught:
                    check(key, spoilt)
                assert caught.value.points == question.points - points

    def test_the_student_set_says_what_to_do_in_every_task(self):
        names, done, last = {}, [], None
        for cell in self.exercises.student.cells:
            if cell.cell_type != "code":
                continue
            if is_answer(cell):
                last, said = cell_name(cell), ""
            try:
                exec(compile(cell.source, cell.id, "exec"), names)
                assert not checks_answer(cell), f"{cell_name(cell)} passes without an answer"
            except Exception as error:
                if last:
                    said += str(error)
            if checks_answer(cell):
                assert TASK.search(self.exercises.tasks[last])[2].strip() in said
                done.append(last)
        assert done == list(self.exercises.tasks)

    @pytest.mark.filterwarnings("ignore::RuntimeWarning")  # wrong code divides by 0 and overflows
    def test_wrong_code_gets_its_hint(self, task, ids, wrong_source):
        key, answer = self.exercises.key(task), self.exercises.answer(task, wrong_source)
        with pytest.raises(WrongAnswer) as caught:
            check(key, answer)
        if " and " in ids:
            assert explanation(str(caught.value)).lower().startswith(f"{key}: two mistakes at once. ")
            assert all(f"{name}, " in str(caught.value) for name in ids.split(" and "))
        else:
            assert explanation(str(caught.value)).startswith(f"{key}: {ids}, ")
        for seed in SEEDS:
            with pytest.raises(WrongAnswer):
                check_hidden(key, answer, seed)

    @pytest.mark.filterwarnings("ignore::RuntimeWarning")
    def test_code_that_is_wrong_on_odd_inputs_only_fails(self):
        for task, source in self.exercises.odd:
            answer = self.exercises.answer(task, source)
            for seed in SEEDS:
                try:
                    check_hidden(self.exercises.key(task), answer, seed)
                except WrongAnswer:
                    continue
                pytest.fail(f"{task} gets its points for\n{source}")

    @pytest.mark.filterwarnings("ignore::RuntimeWarning")
    def test_what_no_catalogued_mistake_explains_breaks_a_property(self):
        for task, says, source in self.exercises.broken:
            with pytest.raises(WrongAnswer, match=f"(?i){says}"):
                check(self.exercises.key(task), self.exercises.answer(task, source))

    def test_right_code_that_is_unlike_the_solution_stays_right(self):
        for task, source in self.exercises.unusual:
            key, answer = self.exercises.key(task), self.exercises.answer(task, source)
            check(key, answer)
            for seed in SEEDS:
                check_hidden(key, answer, seed)

    def test_every_catalogued_mistake_is_tried_with_real_code(self):
        exercises = self.exercises
        for task, answers in exercises.wrong.items():
            tried = Counter(ids for ids, _ in answers if " and " not in ids)
            question = exercises.questions[exercises.key(task)]
            catalogued = Counter(mistake.id for mistake in question.mistakes)
            catalogued.update(rule.mistake for rule in question.properties if rule.mistake)
            missing, unknown = catalogued.keys() - tried.keys(), tried.keys() - catalogued.keys()
            assert not missing, f"{task}: no code here makes the mistakes {sorted(missing)}"
            assert not unknown, f"{task}: its question does not list the mistakes {sorted(unknown)}"
            assert tried >= catalogued, f"{task}: write more code for {catalogued - tried}"
        assert exercises.wrong.keys() == exercises.tasks.keys()

    def test_a_check_matches_its_question(self):
        exercises = self.exercises
        text = "\n".join(cell.source for cell in exercises.solved.cells if cell.cell_type == "markdown")
        assert {exercises.key(task) for task in exercises.checks} == exercises.questions.keys()
        for task, cell in exercises.checks.items():
            question = exercises.questions[exercises.key(task)]
            assert cell.source.startswith(f'check("{question.key}", ')
            assert cell.metadata.nbgrader.points == question.points
            assert ("check_hidden" in cell.source) == bool(question.draw)
            points = f"{question.points} point" + "s" * (question.points > 1)
            assert f"({'★' * question.stars}, {points}): {question.title}\n" in text

    def test_the_set_is_as_large_as_it_says(self):
        cells = self.exercises.solved.cells
        by_hand = [cell for cell in cells if is_graded_by_hand(cell)]
        points = sum(cell.metadata.nbgrader.points for cell in (*self.exercises.checks.values(), *by_hand))
        tasks = {
            re.match(r"## Task (\d+)", cell.source)[1] for cell in cells if cell.source.startswith("## Task")
        }
        assert f"{NUMBER_WORDS[len(tasks)]} tasks, {points} points." in cells[0].source
        assert len(by_hand) == 1 and points >= 24

    def test_the_student_set_holds_no_right_number(self):
        text = "\n".join(cell.source for cell in self.exercises.student.cells)
        for question in self.exercises.questions.values():
            for case in question.cases:
                right = str(formula_value(question, question.right, case))
                numbers = {number[:5] for number in re.findall(r"\d+\.\d{3,}", right)}
                told = [number for number in numbers - self.given_in_tasks if number in text]
                assert not told, question.key
