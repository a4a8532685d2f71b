"""ARPA files: reading them, and writing them."""

from lmmetrics.ngram._arpa.read import ArpaError, read_arpa
from lmmetrics.ngram._arpa.write import write_arpa

__all__ = ["ArpaError", "read_arpa", "write_arpa"]
