"""What other packages of the library use of this one. Users need none of it, and it may change."""

from lmmetrics.scoring._card import protocol_lines, versions
from lmmetrics.scoring._comparison import FEW, IntervalKind
from lmmetrics.scoring._models import (
    Unknown,
    check_how,
    checked_log_probs,
    counts_of_documents,
    surprisals_of,
)

__all__ = [
    "FEW",
    "IntervalKind",
    "Unknown",
    "check_how",
    "checked_log_probs",
    "counts_of_documents",
    "protocol_lines",
    "surprisals_of",
    "versions",
]
