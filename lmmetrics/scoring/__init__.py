"""Score a text with a model, and compare two models on the same text.

This package imports no model: it needs only ``log_probs(text)``.
"""

from lmmetrics.scoring._card import ProtocolCard, protocol_card
from lmmetrics.scoring._comparison import Comparison, compare_scores
from lmmetrics.scoring._frames import to_frame
from lmmetrics.scoring._models import LanguageModel, compare, score_documents, score_text
from lmmetrics.scoring._text_score import TextScore

__all__ = [
    "Comparison",
    "LanguageModel",
    "ProtocolCard",
    "TextScore",
    "compare",
    "compare_scores",
    "protocol_card",
    "score_documents",
    "score_text",
    "to_frame",
]
