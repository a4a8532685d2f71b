"""`make check` runs the tests that touch what has changed."""

from lmcourse.files.nearest_tests import affected, untried
from lmcourse.files.places import ROOT


def names(*files):
    return {path.name for path in affected({ROOT / file for file in files}, ROOT)}


def test_a_test_that_changed_or_imports_what_changed_is_run():
    assert names("tests/lmmetrics/test_score.py") == {"test_score.py"}
    assert {"test_score.py", "test_scoring.py", "score.py"} <= names("lmmetrics/score.py")


def test_modules_come_after_the_tests_that_import_them():
    *_, last = affected({ROOT / "lmmetrics" / "score.py"}, ROOT)
    assert last.name == "score.py"


def test_a_name_that_a_package_exports_is_that_of_the_module_which_defines_it():
    assert names("lmmetrics/ngram/_arpa/read.py") == {"test_arpa.py", "test_arpa_blocks.py", "read.py"}


def test_a_module_from_which_no_test_imports_is_tried_through_those_that_do():
    found = names("lmmetrics/ngram/_tables.py")
    assert {"test_counts.py", "test_smoothing.py"} <= found
    assert "test_training.py" not in found


def test_tests_in_a_modules_own_folder_are_enough():
    assert "test_every_question.py" in (found := names("lmcourse/hints/question.py"))
    assert "test_ch07.py" not in found
    ngram = {path.name for path in ROOT.glob("tests/lmmetrics/ngram/test_*.py")}
    assert names("lmmetrics/ngram/_model.py") <= ngram | {"_model.py"}


def test_a_page_a_set_or_a_question_brings_the_tests_of_its_chapter():
    assert names("solutions/04_perplexity/04_perplexity.ipynb") == {"test_ch04.py"}
    assert names("lmcourse/questions/ch04/forensics.py") == {"test_ch04.py", "forensics.py"}
    assert names("solutions/06_ngram_models/06_ngram_models.ipynb") == {"test_ch06.py", "test_ch06_tries.py"}
    assert names("book/04_perplexity.md") == {"test_ch04.py", "test_formulas.py", "test_claims.py"}
    assert names("README.md") == set()


def test_a_helper_of_tests_brings_the_tests_that_use_it():
    assert "test_catalogue.py" in names("tests/grading/catalogue/wrong.py")


def test_only_a_test_of_the_commands_computes_their_names():
    assert "test_commands.py" in names("lmcourse/grade.py")
    assert "test_commands.py" not in names("lmcourse/hints/question.py")


def untried_tests(file):
    [tests] = untried({ROOT / file}, ROOT)
    return tests


def test_a_file_that_no_import_leads_to_is_named_with_the_tests_that_the_guide_lists_for_it():
    assert untried_tests("lmcourse/static/deck.css") == ("tests/browser/test_slides.py",)
    assert untried_tests("lmcourse/static/tools/clinic.js") == ("tests/browser/test_clinic.py",)
    assert untried_tests("lmcourse/static/explorables/leak.js") == ("tests/browser/explorables",)
    assert untried_tests("book/glossary.md")[0] == "tests/book/test_terms.py"
    assert untried_tests("lmcourse/templates/grading/class.html") == ("tests/grading/test_grade.py",)
    assert untried_tests("lmmetrics/data/tales/en/38-oulm.txt") == (
        "tests/lmmetrics/corpora/test_corpora.py",
    )


def test_a_file_that_the_guide_does_not_list_has_no_test_to_name():
    """The pinned packages, and a module that was deleted."""
    unknown = [ROOT / "lmcourse" / "gone.py", ROOT / "requirements.txt"]
    assert untried(set(unknown), ROOT) == {(): unknown}


def test_files_whose_tests_are_run_or_that_only_rules_read_are_not_named():
    files = ["README.md", "LICENSE", "lmmetrics/score.py", "solutions/04_perplexity/04_perplexity.ipynb"]
    assert untried({ROOT / file for file in files}, ROOT) == {}


def test_a_module_that_the_guide_lists_by_name_brings_the_tests_behind_its_arrow():
    assert "test_checks.py" in names("lmcourse/rules/words.py")


def test_every_file_of_the_site_is_in_the_guide():
    static = [path for path in (ROOT / "lmcourse" / "static").rglob("*") if path.suffix in (".css", ".js")]
    assert len(static) > 40
    assert () not in untried(set(static), ROOT)
