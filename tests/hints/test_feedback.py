"""Feedback: a wrong answer gets the sentence that helps."""

import re

import numpy as np
import pytest
import sympy as sp
from nbclient import NotebookClient
from nbformat.v4 import new_code_cell, new_notebook

from lmcourse import feedback
from lmcourse.feedback import check, check_hidden, inputs
from lmcourse.files.places import ROOT
from lmcourse.questions.shared.wrong import padding_counted
from tests.hints.small_questions import mean_nats, message


def test_a_right_answer_prints_one_line(capsys):
    check("99.mean", mean_nats)
    check("99.value", {"perplexity": 8, "unit": "token"})
    check_hidden("99.mean", mean_nats, seed=1)
    check_hidden("99.value", {"perplexity": 8.0, "unit": "token"}, seed=1)
    assert capsys.readouterr().out.splitlines() == [
        "99.mean: right (2 points)",
        "99.value: right (1 point)",
        "99.mean: right on 8 fresh inputs",
        "99.value: right on 1 input",
    ]


def test_an_undone_task_says_its_own_message():
    def undone(nats, real):
        raise NotImplementedError("Task 3: average the nats.")

    assert message("99.mean", undone) == "not done yet. Task 3: average the nats."


def test_an_exception_shows_the_line_and_the_inputs():
    def broken(nats, real):
        return nats[7]

    text = message("99.mean", broken)
    assert "your function raises IndexError" in text
    assert "at `return nats[7]`" in text
    assert "nats = [0.5, 2, 9]" in text


def test_a_function_with_other_arguments_is_an_exception():
    assert "raises TypeError" in message("99.mean", lambda nats: 1.0)


def test_a_called_function_is_named():
    assert "pass the function itself instead of calling it" in message("99.mean", 1.25)


def test_the_students_function_may_change_its_inputs():
    def in_place(nats, real):
        nats *= real
        return nats.sum() / real.sum()

    check("99.mean", in_place)
    assert inputs("99.mean")[0][0][2] == 9.0


def test_a_mistake_is_named_with_its_numbers():
    text = message("99.mean", padding_counted)
    assert text == "M19, padding is counted. Ratio 0.6667: 2 of 3."
    assert "ln r / ln R = 0.6931." in message("99.value", {"perplexity": 8.0 ** np.log(2), "unit": "token"})


def test_a_rounded_mistake_is_still_named():
    assert message("99.mean", lambda *case: round(padding_counted(*case), 4)).startswith("M19")


def test_one_wrong_entry_is_enough_to_name_a_mistake():
    assert message("99.slope", [2 * sp.Symbol("x"), 1 / sp.Symbol("x")]).startswith("L10")


def test_two_mistakes_at_once():
    text = message("99.mean", lambda *case: padding_counted(*case) / np.log(2))
    assert text.startswith("two mistakes at once. M19, padding is counted. Ratio 0.6667")
    assert "M2, bits are read as nats. Your number is 1.4427" in text


def test_a_rounded_right_answer_is_told_so():
    assert message("99.mean", lambda *case: round(mean_nats(*case), 3)).startswith(
        "close, but not within one part in a million of the value"
    )


@pytest.mark.parametrize(
    ("formula", "says"),
    [
        (lambda nats, real: np.inf, "a number is infinite"),
        (lambda nats, real: np.nan, "a result is not a number (nan)"),
        (lambda nats, real: -7.0, "a number is negative"),
        (lambda nats, real: float(len(nats)), "it changes when doubled"),
    ],
)
def test_a_broken_property_is_named(formula, says):
    text = message("99.mean", formula)
    assert text.startswith(says)
    assert "For nats = [0.5, 2, 9], real = " in text


def test_a_perplexity_below_one_is_refused():
    assert message("99.value", {"perplexity": 0.5, "unit": "token"}).startswith("a perplexity is below 1")


def test_anything_else_shows_the_value_and_what_to_try():
    text = message("99.mean", lambda nats, real: 3.0)
    assert text.startswith(
        "not the value asked for, and not one of the mistakes that this task looks for. "
        "For nats = [0.5, 2, 9]"
    )
    assert text.endswith("you return 3. Try it by hand.")


def test_the_message_comes_without_a_traceback():
    with pytest.raises(AssertionError) as caught:
        check("99.mean", padding_counted)
    assert caught.value._render_traceback_() == [str(caught.value)]
    assert caught.value.__suppress_context__


# As a notebook shows it


def hint(monkeypatch, key, answer, page="/static/book/mistakes.html"):
    """What a notebook gets for a wrong answer: its HTML, its plain text, and the lines of the error."""
    got = []
    monkeypatch.setattr("IPython.get_ipython", lambda: type("Shell", (), {"kernel": True}))
    monkeypatch.setattr("IPython.display.display", lambda data, raw: got.append(data))
    monkeypatch.setattr(feedback, "_mistakes_page", lambda: page)
    with pytest.raises(AssertionError) as caught:
        check(key, answer)
    [data] = got
    return data["text/html"], data["text/plain"], caught.value._render_traceback_()


def test_a_notebook_gets_a_hint_with_links_and_one_line_of_error(monkeypatch):
    shown, plain, error = hint(monkeypatch, "99.mean", padding_counted)
    assert error == ["Not right yet: see the hint above."]
    assert '<a href="/static/book/mistakes.html#m19" target="_blank">M19</a>, padding is counted' in shown
    assert '<a href="/static/book/mistakes.html" target="_blank">list of mistakes</a>' in shown
    words = " ".join(plain.split())
    assert words.endswith("M19 is on the book's list of mistakes, which says where it is treated.")
    assert re.sub("<[^>]+>", "", shown.replace("<br>", " ").replace("&#x27;", "'")) == words
    assert max(map(len, plain.splitlines())) <= 80


def test_each_wrong_entry_has_a_line_and_what_a_student_wrote_stays_text(monkeypatch):
    two_wrong = {"bits": 3.0 * np.log(2), "rate": [0.5, 1.5], "who": "B"}
    shown, _, _ = hint(monkeypatch, "99.three", two_wrong)
    assert [line.split(":")[0] for line in shown.split("<br>")[1:3]] == ['"bits"', '"who"']
    assert "L28 is a slip that is not on that list of mistakes." in re.sub("<[^>]+>", "", shown)
    shown, _, _ = hint(monkeypatch, "99.value", {"perplexity": "<img>", "unit": "token"})
    assert "the text '&lt;img&gt;'" in shown and "<img>" not in shown


def test_without_the_book_there_is_no_link(monkeypatch):
    shown, _, _ = hint(monkeypatch, "99.mean", padding_counted, page="")
    assert "<a " not in shown and "M19 is on the book" in shown


def test_the_links_lead_to_the_published_book_or_to_the_one_that_make_lab_serves(monkeypatch, tmp_path):
    monkeypatch.setattr(feedback, "__file__", str(tmp_path / "lmcourse" / "feedback.py"))
    monkeypatch.setenv("LMCOURSE_BOOK", "/static")
    assert feedback._mistakes_page() == "", "the book is not built"
    (tmp_path / "_build" / "html" / "book").mkdir(parents=True)
    (tmp_path / "_build" / "html" / "book" / "mistakes.html").touch()
    assert feedback._mistakes_page() == "/static/book/mistakes.html"
    monkeypatch.delenv("LMCOURSE_BOOK")
    assert feedback._mistakes_page() == "", "another server than that of make lab"
    monkeypatch.setattr(feedback, "REPOSITORY", "Ann/book")
    assert feedback._mistakes_page() == "https://ann.github.io/book/book/mistakes.html"


def test_make_lab_serves_the_built_book_where_the_links_lead():
    recipe = re.search(r"^lab:.*\n\t@(.*)$", (ROOT / "Makefile").read_text(), re.MULTILINE)[1]
    assert recipe.startswith(f"{feedback.SERVED}=/static $(PY) -m jupyterlab exercises ")
    assert """--ServerApp.extra_static_paths='["_build/html"]'""" in recipe


def test_the_page_of_mistakes_has_a_place_for_each_link():
    page = ROOT / "_build" / "html" / "book" / "mistakes.html"
    if not page.exists():
        pytest.skip("the book is not built: make book")
    found = re.findall(r'<span id="(m\d+)"></span><strong>(M\d+)<', page.read_text(encoding="utf-8"))
    assert len(found) > 80 and all(place == number.lower() for place, number in found)


def test_a_real_kernel_shows_the_hint():
    """The display comes before the error, and the error does not repeat it."""
    source = "from lmcourse.feedback import check\ncheck('02.three-words', lambda q: {'nats': 1})"
    notebook = new_notebook(cells=[new_code_cell(source)])
    NotebookClient(notebook, kernel_name="python3", allow_errors=True, timeout=120).execute()
    shown, error = (o for o in notebook.cells[0].outputs if o.output_type != "stream")
    assert shown.data["text/html"].startswith("<div ") and "02.three-words" in shown.data["text/plain"]
    assert error.traceback == ["Not right yet: see the hint above."]
    assert error.evalue.startswith("02.three-words: ")
