"""Every submission of the catalogue gets exactly what it deserves, and the page that says so is current."""

import pytest

from tests.grading.catalogue import GROUPS, all_cases, write_small_set
from tests.grading.catalogue.page import PAGE, page

CASES = all_cases()


@pytest.fixture(scope="module")
def solutions(tmp_path_factory):
    return write_small_set(tmp_path_factory.mktemp("small"))


@pytest.mark.parametrize("case", CASES, ids=[case.slug for case in CASES])
def test_a_submission_gets_what_it_deserves(case, solutions):
    assert case.differences(case.grade(solutions)) == []


def test_the_catalogue_is_large_and_has_three_groups():
    assert len(CASES) > 250  # so says CHANGELOG.md
    assert {case.group for case in CASES} == GROUPS.keys()
    assert len({case.slug for case in CASES}) == len(CASES)


def test_the_page_is_current():
    assert PAGE.read_text(encoding="utf-8") == page(CASES), "Run: python -m tests.grading.catalogue.page"
