"""The one error that this package raises to its callers."""


class GradingError(Exception):
    """A file, a folder, an option or a system that cannot be used: the message says why, and what to do."""
