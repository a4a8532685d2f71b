"""What other packages of the library use of this one. Users need none of it, and it may change."""

from lmmetrics.ngram._counts import spelled
from lmmetrics.ngram._tables import Tables

__all__ = ["Tables", "spelled"]
