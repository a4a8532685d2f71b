"""The vocabulary: the tokens that have an id, and the special tokens."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from lmmetrics._types import Ints

UNK = "<unk>"
"""The token that every token outside the vocabulary becomes."""
BOS, EOS = "<s>", "</s>"


class TokenArrays(NamedTuple):
    """The tokens as arrays, by id, with `<unk>` at the end for the id -1."""

    strings: Any
    chars: Ints
    bytes: Ints


class Vocabulary:
    """A fixed list of tokens, each with its id.

    Ids: 0 `<unk>`, 1 `<s>`, 2 `</s>`, then the tokens in the order given. Without `<unk>`: 0 `<s>`, 1 `</s>`.

    Parameters
    ----------
    tokens : iterable of str
        Each token once. A `<unk>` among them is taken for the special one; `<s>` and `</s>` raise an error.
    unk : bool
        Whether to include `<unk>`. Without it, a token that is not listed has no id, and probability 0.

    Attributes
    ----------
    tokens : tuple of str
        All tokens, including the special ones: ``tokens[id]``.
    unk, bos, eos : int
        The ids of the special tokens; `unk` is None without `<unk>`.

    Raises
    ------
    TypeError, ValueError
        If a token is not a string, is empty, is reserved, or appears twice.

    Examples
    --------
    >>> vocabulary = Vocabulary(["cat", "sleeps"])
    >>> vocabulary["cat"], vocabulary["dog"], vocabulary.token(2)
    (3, 0, '</s>')
    >>> "dog" in vocabulary, len(vocabulary), vocabulary.predictable
    (False, 5, 4)
    """

    def __init__(self, tokens: Iterable[str], unk: bool = True) -> None:
        special = (UNK, BOS, EOS) if unk else (BOS, EOS)
        self.tokens = special + tuple(t for t in _checked(tokens) if not (unk and t == UNK))
        self._ids = {token: i for i, token in enumerate(self.tokens)}
        if len(self._ids) < len(self.tokens):
            twice = next(t for i, t in enumerate(self.tokens) if self._ids[t] != i)
            raise ValueError(
                f"The token {twice!r} comes twice. Give each token once: Vocabulary(sorted(set(tokens)))."
            )
        self.unk = 0 if unk else None
        self.bos, self.eos = self._ids[BOS], self._ids[EOS]

    def __len__(self) -> int:
        return len(self.tokens)

    def __contains__(self, token: object) -> bool:
        return token in self._ids

    def __iter__(self) -> Iterator[str]:
        return iter(self.tokens)

    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, Vocabulary) and self.tokens == other.tokens)

    def __hash__(self) -> int:
        return hash(self.tokens)

    def __getitem__(self, token: str) -> int:
        """Return the id of `token`, or that of `<unk>` if it is not listed; KeyError without `<unk>`."""
        found = self._ids.get(token, self.unk)
        if found is None:
            raise KeyError(
                f"{token!r} is not in the vocabulary, and this vocabulary has no <unk>. Test with `in` "
                "first, or build the vocabulary with unk=True."
            )
        return found

    def id_of(self, token: str) -> int:
        """Return the id of `token`, or that of `<unk>` if it is not listed; -1 without `<unk>`.

        Raises
        ------
        TypeError
            If the token is not a string.
        """
        if not isinstance(token, str):
            raise TypeError(f"The token {token!r} is {type(token).__name__}; tokens are strings.")
        return self._ids.get(token, -1 if self.unk is None else self.unk)

    def ids_of(self, tokens: Iterable[str]) -> list[int]:
        """Return the `id_of` each token, sooner than one at a time.

        Raises
        ------
        TypeError
            If a token is not a string.
        """
        tokens = list(tokens)
        if not set(map(type, tokens)) <= {str}:  # a subclass of str is looked at by itself
            return [self.id_of(token) for token in tokens]
        find, other = self._ids.get, -1 if self.unk is None else self.unk
        return [find(token, other) for token in tokens]

    def token(self, id: int) -> str:
        """Return the token with this id, an integer from 0 to len - 1."""
        if isinstance(id, str) or not hasattr(id, "__index__"):
            raise TypeError(f"The id {id!r} is {type(id).__name__}; ids are whole numbers.")
        if not 0 <= id < len(self.tokens):
            raise IndexError(f"No token has the id {id}: ids go from 0 to {len(self.tokens) - 1}.")
        return self.tokens[id]

    @cached_property
    def pieces(self) -> TokenArrays:
        """The tokens and their lengths as arrays, which every text with this vocabulary shares."""
        tokens = [*self.tokens, UNK]
        strings = np.array(tokens, dtype=np.object_)
        chars = np.fromiter(map(len, tokens), dtype=np.int32, count=len(tokens))
        octets = np.fromiter(
            (len(t.encode(errors="surrogatepass")) for t in tokens), dtype=np.int32, count=len(tokens)
        )
        return TokenArrays(strings, chars, octets)

    @property
    def lists_tokens(self) -> bool:
        """Whether its tokens are known, with `<s>` and `</s>`; those of an adapter's tokenizer are not."""
        return True

    @property
    def predictable(self) -> int:
        """Number of tokens that can be predicted: all but `<s>`."""
        return len(self.tokens) - 1

    def __repr__(self) -> str:
        shown = ", ".join(repr(token) for token in self.tokens[:6])
        more = ", ..." if len(self.tokens) > 6 else ""
        return f"Vocabulary of {len(self.tokens):,}: {shown}{more}"


def _checked(tokens: Iterable[str]) -> Iterator[str]:
    if isinstance(tokens, str):
        raise TypeError(
            "tokens is a single string; a list of strings is expected, such as ['cat', 'sleeps']."
        )
    if not isinstance(tokens, Iterable):
        raise TypeError(f"tokens is {tokens!r}; a list of strings is expected, such as ['cat', 'sleeps'].")
    for token in tokens:
        if not isinstance(token, str):
            raise TypeError(f"The token {token!r} is {type(token).__name__}, not a string.")
        if token in ("", BOS, EOS):
            raise ValueError(
                f"The token {token!r} cannot be listed: "
                + ("a token has at least one character." if not token else "every vocabulary has it already.")
            )
        yield token
