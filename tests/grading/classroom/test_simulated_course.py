"""A small part of the simulated course: one student of each kind, and every mark as deserved.

The whole course is a command: see `simulated_course`.
"""

import pytest

from tests.grading.classroom.simulated_course import run


@pytest.mark.slow
@pytest.mark.parametrize(
    ("assignment", "count"), [(("04_perplexity", "moodle"), 24), (("midterm", "folders"), 18)]
)
def test_every_mark_is_as_deserved(tmp_path, assignment, count):
    assert run(tmp_path, (assignment,), count, jobs=2) == []
