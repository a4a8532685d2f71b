"""What other packages of the library use of this one. Users need none of it, and it may change."""

from lmmetrics.ngram._arpa.write import check_blanks
from lmmetrics.ngram._counts import spelled
from lmmetrics.ngram._disk import bytes_of
from lmmetrics.ngram._model import NGramModel
from lmmetrics.ngram._tables import Tables

__all__ = ["Tables", "bytes_of", "check_blanks", "spelled", "tables_of"]


def tables_of(model: NGramModel) -> Tables:
    """Return the tables of a model; an error if it is not fitted."""
    return model._fitted()
