"""Every submission of the catalogue gets exactly what it deserves."""

import pytest

from tests import grading_catalogue_hostile, grading_catalogue_right, grading_catalogue_wrong
from tests.grading_catalogue import GROUPS, write_small_set

CASES = [*grading_catalogue_right.CASES, *grading_catalogue_wrong.CASES, *grading_catalogue_hostile.CASES]


@pytest.fixture(scope="module")
def solutions(tmp_path_factory):
    return write_small_set(tmp_path_factory.mktemp("small"))


@pytest.mark.parametrize("case", CASES, ids=[case.slug for case in CASES])
def test_a_submission_gets_what_it_deserves(case, solutions):
    assert case.differences(case.grade(solutions)) == []


def test_the_catalogue_is_large_and_has_three_groups():
    assert len(CASES) >= 60 and {case.group for case in CASES} == GROUPS.keys()
    assert len({case.slug for case in CASES}) == len(CASES)
