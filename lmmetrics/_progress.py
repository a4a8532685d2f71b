"""Whether a progress bar is shown."""


def shown(progress: bool) -> dict[str, bool]:
    """Return options of tqdm that hide a bar which is not wanted.

    For a wanted one nothing is set, so that the variable TQDM_DISABLE hides all bars: a book that is built on
    a slow machine must not print them.
    """
    return {} if progress else {"disable": True}
