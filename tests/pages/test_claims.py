"""The words of a claim are for a title or a sentence: a cell that ends with the claim prints nothing."""

from IPython.core.formatters import DisplayFormatter

from lmcourse.pages.claims import keep


def test_words_are_a_string_that_a_cell_does_not_print():
    words = keep("x", "the loss falls")
    assert words == "the loss falls" and f"{words:.3}" == "the"
    format_dict, _ = DisplayFormatter().format(words)
    assert format_dict == {}
    assert DisplayFormatter().format("the loss falls")[0]
