"""The one error with which this package refuses a file, a folder, an option or a system."""


class GradingError(Exception):
    """The message says what is wrong, what was expected, and what to do."""
