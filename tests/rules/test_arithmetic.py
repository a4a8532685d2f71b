"""Arithmetic in formulas: what is right passes, in the forms in which authors write it; a slip is found."""

import pytest

from lmcourse.rules.arithmetic import NotArithmeticError, equations_of_numbers_hold, value
from lmcourse.rules.tree import Tree


@pytest.mark.parametrize(
    ("formula", "result"),
    [
        ("3 + 4 \\cdot 2 - 1", 10),
        ("-2^{3} \\times 2", -16),
        ("\\frac12 (3 - \\frac{1}{4})", 1.375),
        ("\\frac32 \\ln e^2", 3),
        ("\\log_2 8 + \\log_{10} 100", 5),
        ("6 (1 - 0.5)", 3),
        ("3! / 2", 3),
        ("12,000 / 4{,}000", 3),
        ("\\sqrt{16} \\pi / \\pi", 4),
        ("a + 1", None),
        ("1 / 2 x", None),
    ],
)
def test_the_value_of_a_formula(formula, result):
    if result is None:
        with pytest.raises(NotArithmeticError):
            value(formula)
    else:
        assert value(formula) == pytest.approx(result, rel=1e-12)


@pytest.mark.parametrize(
    ("sentence", "found"),
    [
        (r"The loss is $\ln 82 = 4.41$ nats.", 0),
        (r"The loss is $\ln 82 = 4.14$ nats.", 1),
        (r"So $78\,669 / 82\,430 = 0.954 = 95.4\%$.", 0),
        (r"So $\frac13 \bigl(\ln \frac23 + 2 \ln \frac43\bigr) = 0.0566$.", 0),
        (r"About $9800 \cdot (2.8 \cdot 0.04 / 0.06)^2 \approx 34{,}000$ tokens.", 0),
        (r"About $9800 \cdot (2.8 \cdot 0.04 / 0.06)^2 \approx 43{,}000$ tokens.", 1),
        (r"With $n = 3$, $0.8^n < 0.01$, and in binary $0.01011 = 11/32$.", 0),
        (r"$$ 2 + 2 = 5 $$", 1),
    ],
)
def test_an_equation_of_numbers(tmp_path, sentence, found):
    (tmp_path / "book").mkdir()
    (tmp_path / "book" / "a.md").write_text(sentence, encoding="utf-8")
    assert len(list(equations_of_numbers_hold(Tree(tmp_path)))) == found
