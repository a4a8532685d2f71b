"""The base class of the models that give the distribution of the next token."""

from collections.abc import Iterable, Mapping, Sequence, Set
from typing import Literal

from lmmetrics._types import Floats
from lmmetrics.text import Vocabulary


class Predictor:
    """A model that gives the distribution of the next token after a context.

    Attributes
    ----------
    vocabulary : Vocabulary
    context_starts : {"anywhere", "text"} or None
        Where the first token of a context is, if it is not `<s>`: anywhere in a text, or at the start of the
        text. None if that is not known. After `<s>` all models predict the start of a sentence.
    """

    vocabulary: Vocabulary
    context_starts: Literal["anywhere", "text"] | None = None

    def next_distribution(self, context: Sequence[str] = ()) -> Floats:
        """Return p(w | context) for every w of the vocabulary: float64[V], by id; it sums to 1."""
        raise NotImplementedError

    def prob(self, word: str, context: Sequence[str] = ()) -> float:
        """Return p(word | context).

        Parameters
        ----------
        word : str
            Scored as `<unk>` if it is not in the vocabulary; 0 if the vocabulary lacks `<unk>`.
        context : list of str
            As in `next_distribution`.
        """
        row, id = self.next_distribution(context), self.vocabulary.id_of(word)
        return float(row[id]) if id >= 0 else 0.0

    def _ids(self, context: Sequence[str], name: str = "context") -> list[int]:
        """The ids of the tokens of a context; -1 for a token outside a vocabulary without `<unk>`."""
        if isinstance(context, str):
            raise TypeError(
                f"{name} is a single string; a list of tokens is expected, such as {context.split()!r}."
            )
        if isinstance(context, bytes | Mapping | Set) or not isinstance(context, Iterable):
            raise TypeError(f"{name} is {context!r}; a list of tokens is expected, such as ['the'] or [].")
        return self.vocabulary.ids_of(context)
