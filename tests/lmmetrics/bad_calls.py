"""What a bad call says: a test for a table of calls."""

import pytest


def says_what_is_expected(calls):
    """Return a test that each call of the table raises an error with the words beside it.

    ``calls`` holds, for the name of each case, a function without arguments and a part of the message.
    """

    @pytest.mark.parametrize("call", calls)
    def test(call):
        function, words = calls[call]
        with pytest.raises((TypeError, ValueError)) as raised:
            function()
        assert words in str(raised.value)

    return test
