"""What errors of several packages have in common."""


class AdvisedError(ValueError):
    """An error that says what is wrong, and then what to do. A command gives other advice after its `reason`.

    Parameters
    ----------
    reason, advice : str
        Whole sentences, which together are the message.
    """

    def __init__(self, reason: str, advice: str = "") -> None:
        super().__init__(f"{reason} {advice}" if advice else reason)
        self.reason = reason
