"""Fitting with a limit of memory: the n-grams are counted and smoothed in files."""

from lmmetrics.ngram._disk.counting import Counting
from lmmetrics.ngram._disk.levels import OnDisk
from lmmetrics.ngram._disk.memory import ResourceLimitError, bytes_of

__all__ = ["Counting", "OnDisk", "ResourceLimitError", "bytes_of"]
