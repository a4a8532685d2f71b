"""What other packages of the library use of this one. Users need none of it, and it may change."""

from lmmetrics.neural._steps import StepByStep

__all__ = ["StepByStep"]
