"""`ScaleError`: what stops a run on many machines."""


class ScaleError(ValueError):
    """Shards or a folder of scores are not what they have to be. The message says what to do."""
