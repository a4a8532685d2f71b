"""`NGramModel`: an order and a smoothing method, fitted to a text."""

import contextlib
import copy
import json
import math
import os
import warnings
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NoReturn, Self

import numpy as np
from tqdm import tqdm

from lmmetrics._checks import generator, path_of, real_number, whole_number
from lmmetrics._digest import sha256_of
from lmmetrics._predictor import Predictor
from lmmetrics._progress import shown
from lmmetrics._types import Floats, Ints, PathLike, Seed
from lmmetrics.ngram import _saved as saved
from lmmetrics.ngram._arpa import read_arpa, write_arpa
from lmmetrics.ngram._counts import NGramCounts
from lmmetrics.ngram._level import Level
from lmmetrics.ngram._pruning import pruned
from lmmetrics.ngram._reader import TableReader
from lmmetrics.ngram._sampling import draw
from lmmetrics.ngram._smoothing import Smoothing
from lmmetrics.ngram._sums import wrong_sum
from lmmetrics.ngram._tables import Tables
from lmmetrics.text import Spelling, TokenizedText, Vocabulary
from lmmetrics.text._shared import check_listed, check_text


class NotFittedError(ValueError, AttributeError):
    """The model has not been fitted yet."""


class NGramModel(Predictor):
    """A language model that counts: each token is predicted from the n - 1 tokens before it.

    Parameters
    ----------
    order : int
        n, at least 1: 1 for a unigram model, 2 for a bigram model, and so on.
    smoothing : Smoothing
        The method that gives unseen n-grams a probability, such as ``ModifiedKneserNey()``.

    Attributes
    ----------
    vocabulary : Vocabulary
        After `fit`: the vocabulary of the training text.
    counts_ : NGramCounts
        After `fit`: ``counts_[2]["the", "cat"]`` is how often "the cat" occurs.
    counts_of_counts_ : dict of int64 array
        After `fit`: ``counts_of_counts_[2][r]`` is how many bigrams occur r times.
    spelling : Spelling
        After `fit`: how the tokens of the training text are written.
    smoothing : Smoothing
        The method. After `fit` it has the estimated parameters, such as ``smoothing.discounts_``.

    Notes
    -----
    A sentence starts with one `<s>`, whatever the order, so its first tokens have a shorter context. `<s>`
    itself is never predicted and has probability 0.

    Examples
    --------
    >>> from lmmetrics.ngram import AddK
    >>> from lmmetrics.text import tokenize
    >>> text = tokenize(["the cat sleeps\\nthe cat eats\\nthe dog sleeps\\n"])
    >>> model = NGramModel(2, AddK(k=1)).fit(text)
    >>> model
    NGramModel(order=2, smoothing=AddK(k=1)), fitted: 8 n-grams of order 1, 8 of order 2
    >>> model.prob("cat", context=["the"])  # (2 + 1) / (3 + 7)
    0.3
    >>> model.counts_[2]["the", "cat"], model.counts_of_counts_[2]
    (2, array([0, 5, 2, 1]))
    """

    context_starts = "anywhere"
    counts_: NGramCounts

    def __init__(self, order: int, smoothing: Smoothing) -> None:
        self.order = whole_number("order", order, 1)
        if isinstance(smoothing, type) and issubclass(smoothing, Smoothing):
            raise TypeError(
                f"smoothing is a class; give an object: {smoothing.__name__}(), with parentheses."
            )
        if not isinstance(smoothing, Smoothing):
            raise TypeError(
                f"smoothing is {smoothing!r}; a smoothing method is expected, such as ModifiedKneserNey()."
            )
        self.smoothing = copy.copy(smoothing)  # one object can be given to many models

    def fit(
        self, text: TokenizedText, *, memory: int | str | None = None, folder: PathLike | None = None
    ) -> Self:
        """Count a text, a `TokenizedText`, and smooth the counts; return the model itself.

        Parameters
        ----------
        text : TokenizedText
        memory : int or str, optional
            A bound in bytes, such as ``"2GB"``, for texts whose counts do not fit into memory. Counting and
            smoothing then work in files, and the model, the same to the last bit, is mapped from them.
        folder : path, optional
            Where the files are; by default in the system's folder for temporary files. It should be on a
            disk, not in memory.

        Raises
        ------
        MissingStatisticsError
            If the text is too small for the method. The message says what to do.
        ResourceLimitError
            If the memory that is allowed, or the disk, does not suffice. The message says how much is needed.
        NotADirectoryError
            If ``folder`` is a file.
        TypeError
            If the model is from a file or was pruned, and so has no method.
        ValueError
            If the probabilities after a context of the text do not sum to 1: the method is wrong.

        Notes
        -----
        ``memory`` is a bound of what the whole process holds in memory while it fits. The text, at 4 bytes a
        token and 8 a sentence, the strings of the caller and the interpreter count; so drop the strings
        first. The finished model is not in the bound: its arrays are files, of which the operating system
        keeps in memory what is used, as long as there is room. The files are in a folder inside ``folder``
        that is removed when the model is no longer used; `save` keeps them. If the process is killed, the
        folder stays, and the next call with the same ``folder`` removes it (not on Windows).

        The disk needs at most 44 bytes for each token and each order above 1; a third less is usual. With
        `JelinekMercer(heldout=...)` the look-up of the held-out text comes on top of the bound.

        Examples
        --------
        >>> from lmmetrics.ngram import WittenBell
        >>> from lmmetrics.text import tokenize
        >>> text = tokenize(["the cat sleeps\\nthe cat eats\\n"])
        >>> model, bounded = NGramModel(3, WittenBell()), NGramModel(3, WittenBell())
        >>> bounded.fit(text, memory="4GB").prob("eats", ["cat"]) == model.fit(text).prob("eats", ["cat"])
        True
        """
        self._check_method()
        check_listed("text", text)
        if folder is not None and memory is None:
            raise ValueError("folder is given without memory, a bound such as '2GB'. Give both, or neither.")
        if memory is not None and not self.smoothing.by_context:
            raise ValueError(
                f"{self.smoothing!r} does not say that it treats each context by itself, so it cannot be "
                "fitted with a limit of memory. If it does, set by_context = True in its class."
            )
        with tqdm(
            total=2 * self.order, desc="counting", unit="order", delay=10, leave=False, **shown(True)
        ) as bar:
            if memory is not None:
                counted = NGramCounts.on_disk(text, self.order, memory, folder)
                bar.update(self.order)
                return self._smooth(counted, bar.update)
            counts = NGramCounts(text, self.order, bar.update)
            bar.set_description("smoothing", refresh=False)
            return self._smooth(counts, bar.update)

    def fit_counts(self, counts: NGramCounts) -> Self:
        """Smooth counts, such as those of `count_shards`, and return the model itself.

        The model is the same as that of `fit` with the text that was counted.

        Raises
        ------
        ValueError
            If the counts have another order than the model; and as in `fit`.

        Examples
        --------
        >>> from lmmetrics.ngram import NGramCounts, WittenBell
        >>> from lmmetrics.text import tokenize
        >>> counts = [NGramCounts(tokenize([text]), order=2) for text in ("the cat", "the dog")]
        >>> NGramModel(2, WittenBell()).fit_counts(NGramCounts.merged(counts)).prob("cat", ["the"])
        0.3...
        """
        self._check_method()
        if not isinstance(counts, NGramCounts):
            raise TypeError(
                f"counts is {type(counts).__name__}; counts such as NGramCounts(text, order) are expected."
            )
        if counts.order != self.order:
            raise ValueError(
                f"The counts go up to order {counts.order}, but the model has the order {self.order}. Count "
                f"up to {self.order}, or make a model of order {counts.order}."
            )
        return self._smooth(counts)

    def _smooth(self, counts: NGramCounts, advance: Callable[[], object] = lambda: None) -> Self:
        """Fit the model to counts."""
        self._tables = self.smoothing.tables(counts, advance)
        self.counts_, self.vocabulary = counts, counts.vocabulary
        self.spelling = counts.spelling
        return self

    def log_probs(self, text: TokenizedText, jobs: int | None = 1) -> Floats:
        """Return ln p of each token of a text, given the tokens before it in its sentence.

        Parameters
        ----------
        text : TokenizedText
            N tokens, with the vocabulary of the model.
        jobs : int, optional
            How many threads share the sentences; None for as many as there are cores. The numbers are the
            same to the last bit.

        Returns
        -------
        float64[N]
            Natural logs; ``-inf`` if the probability is 0, as for a word that was not seen after its context
            (without smoothing), or for a token outside a vocabulary without `<unk>`.

        Raises
        ------
        ValueError
            If the text has another vocabulary than the model.
        TypeError
            If the method gives scores that are not probabilities (`StupidBackoff`).
        """
        self._require_probabilities("log_probs")
        return self.log_scores(text, jobs)

    def sentence_log_probs(self, tokens: Sequence[str]) -> Floats:
        """Return ln p of each token of one sentence and of its end: what `log_probs` returns, but sooner.

        It is meant for one sentence at a time; many are scored faster in one `TokenizedText`. With the extra
        ``fast`` (``pip install '.[fast]'``, Numba) it takes a third of the time.

        Parameters
        ----------
        tokens : list of str
            N tokens, such as ``line.split()``, without `<s>` and `</s>`. A token outside the vocabulary is
            scored as `<unk>`.

        Returns
        -------
        float64[N + 1]
            Natural logs, that of `</s>` last; the same numbers as those of `log_probs`, to the last bit.

        Raises
        ------
        TypeError
            If `tokens` is not a list of strings, or the method gives scores that are not probabilities.
        ValueError
            If `<s>` or `</s>` is among the tokens.

        Notes
        -----
        The first call makes an index, which the model keeps: 4 bytes for each n-gram that is shorter than the
        order; 8 bytes if the next order has 2**31 n-grams or more. Nothing else is kept. With the extra
        ``fast`` (Numba), a call takes about a third of the time; the first one on a machine compiles for some
        seconds.

        Examples
        --------
        >>> from lmmetrics.ngram import AddK
        >>> from lmmetrics.text import tokenize
        >>> model = NGramModel(2, AddK(k=1)).fit(tokenize(["the cat sleeps\\nthe cat eats\\n"]))
        >>> np.exp(model.sentence_log_probs("the cat sleeps".split())).round(3).tolist()
        [0.375, 0.375, 0.25, 0.286]
        """
        self._require_probabilities("sentence_log_probs")
        tables = self._fitted()
        ids = super()._ids(tokens, "tokens")
        if self.vocabulary.bos in ids or self.vocabulary.eos in ids:
            raise ValueError(
                "<s> or </s> is among the tokens. Leave them out: the sentence starts before the first token "
                "and ends after the last one."
            )
        probs = tables.sentence_probs([*ids, self.vocabulary.eos])
        if 0.0 not in probs:
            return np.log(probs)
        with np.errstate(divide="ignore"):
            return np.log(probs)

    def log_scores(self, text: TokenizedText, jobs: int | None = 1) -> Floats:
        """Return ln of each token's score: float64[N]; except for `StupidBackoff`, that is `log_probs`."""
        tables = self._fitted()
        check_text("text", text, self.vocabulary)
        jobs = (os.cpu_count() or 1) if jobs is None else whole_number("jobs", jobs, 1)
        parts = [text] if jobs == 1 else text.parts(jobs)
        for level in tables.levels[1:] if len(parts) > 1 else ():
            level.make_keys()
        with ThreadPoolExecutor(len(parts)) if len(parts) > 1 else contextlib.nullcontext() as pool:
            found = list((pool.map if pool else map)(tables.token_probs, parts))
        with np.errstate(divide="ignore"):
            return np.log(found[0] if len(found) == 1 else np.concatenate(found))

    def next_distribution(self, context: Sequence[str] = ()) -> Floats:
        """Return p(w | context) for every w of the vocabulary: float64[V], by id; it sums to 1.

        Parameters
        ----------
        context : list of str
            The tokens before the next one, of which the model uses the last order - 1. After a `<s>` or a
            `</s>` a sentence starts, and what comes before it is not used. Without them the context may be
            anywhere in a sentence: after ``[]`` the distribution is that of the unigrams. (A `NeuralLM` takes
            every context for the start of a text.)

        Returns
        -------
        float64[V]
            The entry of `<s>` is 0.
        """
        self._require_probabilities("next_distribution")
        return self.next_scores(context)

    def next_scores(self, context: Sequence[str] = ()) -> Floats:
        """Return the scores of all words after a context: float64[V]. They need not sum to 1."""
        return self._fitted().row(self._ids(context))

    def reader(self, vocabulary: Vocabulary | None = None) -> TableReader:
        self._require_probabilities("next_distribution")
        return TableReader(self._fitted())

    def sample(self, n: int, seed: Seed, context: Sequence[str] = ("<s>",)) -> TokenizedText:
        """Draw n tokens, one after the other.

        Parameters
        ----------
        n : int
            How many tokens, `</s>` included. A new sentence starts after each `</s>`; the last sentence may
            lack its `</s>`.
        seed : int or numpy.random.Generator
            The same seed gives the same text.
        context : list of str
            The tokens before the first one drawn.

        Returns
        -------
        TokenizedText
            One document of n tokens, ready to be scored.

        Examples
        --------
        >>> from lmmetrics.ngram import MaximumLikelihood
        >>> from lmmetrics.text import tokenize
        >>> model = NGramModel(2, MaximumLikelihood()).fit(tokenize(["the cat sleeps"]))
        >>> model.sample(6, seed=0).strings()
        ['the', 'cat', 'sleeps', '</s>', 'the', 'cat']
        """
        self._require_probabilities("sample")
        ids = draw(self._fitted(), n, generator(seed), self._ids(context))
        return TokenizedText.from_ids(ids, self.vocabulary, self.spelling._replace(label="model"))

    @property
    def counts_of_counts_(self) -> dict[int, Ints]:
        return {n: self.counts_[n].counts_of_counts() for n in self.counts_}

    @property
    def parameter_count(self) -> int:
        """How many numbers the fitted model needs: a probability per n-gram and a weight per context.

        Counts are not included.

        Examples
        --------
        >>> from lmmetrics.ngram import WittenBell
        >>> from lmmetrics.text import tokenize
        >>> model = NGramModel(2, WittenBell()).fit(tokenize(["the cat sleeps"]))
        >>> model
        NGramModel(order=2, smoothing=WittenBell()), fitted: 6 n-grams of order 1, 4 of order 2
        >>> model.parameter_count, model.memory  # 6 + 4, and contexts of no word and of one: 1 + 6
        (17, 216)
        """
        tables = self._fitted()
        return sum(len(part) for part in [*tables.probs, *(weights[:-1] for weights in tables.weights)])

    @property
    def memory(self) -> int:
        """Bytes that scoring needs: for the numbers of `parameter_count` and for the index of the n-grams."""
        tables = self._fitted()
        places = sum(level.tokens.nbytes + level.contexts.nbytes for level in tables.levels)
        return 8 * self.parameter_count + places

    @property
    def digest(self) -> str:
        """The SHA-256 of the vocabulary and the tables: everything that the probabilities depend on."""
        tables = self._fitted()
        said = json.dumps([list(tables.vocabulary.tokens), tables.evenly, tables.order])
        by_order = zip(tables.levels, tables.probs, tables.weights, strict=True)
        arrays = (array for level, *numbers in by_order for array in (level.tokens, level.contexts, *numbers))
        return sha256_of((type(self).__name__, said, *arrays))

    def prune(self, threshold: float = 0.0, min_counts: Mapping[int, int] | None = None) -> Self:
        """Return a smaller model, without the n-grams that matter least. The probabilities still sum to 1.

        Parameters
        ----------
        threshold : float
            An n-gram goes if the perplexity of a text from this model would rise by less than this factor:
            ``1e-8`` means by less than a part in a hundred million (entropy pruning, as in SRILM).
        min_counts : dict of int to int, optional
            For an order, at least 2, the count that an n-gram needs to stay: ``{3: 2, 4: 2}``. Only a
            fitted model has counts.

        Returns
        -------
        NGramModel
            Without counts and without a method, like a model from a file. All unigrams stay, and so does the
            context of each n-gram that stays.

        Raises
        ------
        ValueError
            If the method spreads its remainder evenly over all words (`AddK`, `GoodTuring`), or an argument
            is out of range.

        Examples
        --------
        >>> from lmmetrics import corpora, score_text
        >>> from lmmetrics.ngram import WittenBell
        >>> from lmmetrics.text import tokenize
        >>> tales = corpora.load("tales-en")
        >>> train = tokenize(tales.train)
        >>> test = tokenize(tales.test, vocabulary=train.vocabulary)
        >>> whole = NGramModel(3, WittenBell()).fit(train)
        >>> for model in whole, whole.prune(1e-5), whole.prune(min_counts={3: 2}):
        ...     print(f"{model.parameter_count:,} numbers: {score_text(model, test).perplexity:.0f}")
        41,013 numbers: 301
        37,962 numbers: 298
        27,218 numbers: 258
        """
        self._require_probabilities("prune")
        tables = self._fitted()
        if tables.evenly:
            raise ValueError(
                f"A model of {self.smoothing!r} cannot be pruned: it spreads what is left evenly over all "
                "words, so dropping an n-gram would change the whole row. Use a method that backs off."
            )
        real_number("threshold", threshold, lambda t: 0 <= t < math.inf, "a number from 0, such as 1e-8,")
        min_counts = dict(min_counts or {})
        for order, least in min_counts.items():
            whole_number(f"min_counts[{order!r}]", least, 0)
            if not (isinstance(order, int) and 2 <= order <= self.order):
                raise ValueError(
                    f"min_counts has the order {order!r}; orders from 2 to {self.order} can lose n-grams."
                )
        if min_counts and "counts_" not in vars(self):
            raise ValueError(
                f"This model {self._origin}, and does not have the counts that min_counts needs. Use a "
                "threshold instead."
            )
        small = pruned(tables, threshold, min_counts)
        return type(self)._of_tables(small, self.spelling, Pruned(self.smoothing))

    def to_arpa(self, path: PathLike) -> None:
        """Write the model as an ARPA file, which KenLM, SRILM and others read.

        Logarithms are written to base 10 with ten digits, and -99 stands for a probability of 0, as in SRILM.
        In an ARPA file an n-gram that is not listed backs off to a shorter context. `AddK` and `GoodTuring`
        do not back off; they are written with uniform shorter n-grams, which give the same probabilities.

        Raises
        ------
        TypeError
            If the method gives scores that are not probabilities.
        ValueError
            If a token contains a blank, which separates the fields of the file.
        IsADirectoryError
            If ``path`` is a folder.
        """
        self._require_probabilities("to_arpa")
        write_arpa(self._fitted(), path_of("path", path))

    @property
    def protocol(self) -> dict[str, str]:
        """What a protocol card says about the past that the model sees, and of a model from a file."""
        before = {1: "none", 2: "the token before it in the same sentence"}
        said = {"past": before.get(self.order, f"the {self.order - 1} tokens before it in the same sentence")}
        if isinstance(self.smoothing, FromFile):
            method = self.smoothing.made_by
            how = f", which {method} made" if method else ""
            said["model"] = f"n-grams up to order {self.order} from a file{how}: {self._sizes()}"
            said |= {"sums": self.smoothing.sums} if self.smoothing.sums else {}
        return said

    def _sizes(self) -> str:
        sizes = ", ".join(f"{len(level):,} of order {level.n}" for level in self._fitted().levels)
        return sizes.replace(" of", " n-grams of", 1)

    @classmethod
    def from_arpa(cls, path: PathLike) -> Self:
        """Read a model from an ARPA file, of this library or another program; gzip may have packed it.

        Returns
        -------
        NGramModel
            A fitted model with a vocabulary, but without counts, which the file does not contain.

        Raises
        ------
        ArpaError
            If the file is malformed; the message gives the line.

        Warns
        -----
        UserWarning
            If the probabilities do not sum to 1 after a context. All n-grams are looked at for contexts whose
            sum cannot be 1, and some contexts are summed.
        """
        tables, smoothing = read_arpa(path_of("path", path)), FromFile(path)
        if wrong := wrong_sum(tables, thorough=True):
            smoothing.sums = f"after {wrong.context} the probabilities sum to {wrong.total:.3g}, not to 1"
            cause = (
                "is too high where these words occur. The likely cause is a training text without a newline "
                "at its end: lmplz of KenLM loses the last n-gram of such a text. Add the newline, and make "
                "the file again."
                if wrong.lost
                else "means nothing. Its logarithms have to be to base 10, and all weights there."
            )
            warnings.warn(f"{path}: {smoothing.sums}, so a perplexity of this model {cause}", stacklevel=2)
        return cls._of_tables(tables, Spelling(tables.vocabulary.tokens, " "), smoothing)

    def save(self, path: PathLike) -> None:
        """Save the model as a folder of arrays, which `load` maps into memory instead of reading them.

        A fitted model is saved without its counts, with all digits: the loaded one gives the same numbers.
        The files are those of `numpy.save` and JSON; ``help(lmmetrics.ngram._saved)`` describes them. A model
        that is in the folder is replaced when the new one is complete.

        Raises
        ------
        FileExistsError
            If the folder exists and does not hold a saved model.

        Examples
        --------
        >>> import tempfile
        >>> from lmmetrics.ngram import WittenBell
        >>> from lmmetrics.text import tokenize
        >>> model = NGramModel(2, WittenBell()).fit(tokenize(["the cat sleeps"]))
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     model.save(f"{folder}/cats")
        ...     again = NGramModel.load(f"{folder}/cats")
        ...     print(again.prob("cat", ["the"]) == model.prob("cat", ["the"]))
        True
        """
        saved.save(
            path_of("path", path),
            self._fitted(),
            self.spelling,
            repr(self.smoothing),
            self.smoothing.refusal,
        )

    @classmethod
    def load(cls, path: PathLike) -> Self:
        """Load a model that `save` wrote.

        Returns
        -------
        NGramModel
            A fitted model with a vocabulary, but without counts. Its arrays stay on the disk until a text
            needs them, and all processes that load the model share them.

        Raises
        ------
        SavedModelError
            If the folder is not a saved model, or a part is missing or damaged.

        Warns
        -----
        UserWarning
            If the probabilities do not sum to 1 after a context.
        """
        tables, spelling, made_by, refusal = saved.load(path_of("path", path))
        smoothing = FromFile(path, made_by)
        smoothing.refusal = refusal
        if not refusal and (wrong := wrong_sum(tables)):
            smoothing.sums = f"after {wrong.context} the probabilities sum to {wrong.total:.3g}, not to 1"
            warnings.warn(
                f"{path}: {smoothing.sums}, so a perplexity of this model means nothing. Either its files "
                "are damaged, or it was read from an ARPA file that does not sum to 1.",
                stacklevel=2,
            )
        return cls._of_tables(tables, spelling, smoothing)

    @classmethod
    def _of_tables(cls, tables: Tables, spelling: Spelling, smoothing: Smoothing) -> Self:
        model = cls(tables.order, smoothing)
        model._tables, model.vocabulary, model.spelling = tables, tables.vocabulary, spelling
        return model

    def __getattr__(self, name: str) -> Any:
        if name in ("counts_", "counts_of_counts_", "vocabulary"):
            if "_tables" in vars(self):
                raise AttributeError(f"{name} does not exist: this model {self._origin}, and has no counts.")
            raise NotFittedError(f"{name} does not exist before the model is fitted: call fit(text) first.")
        raise AttributeError(f"NGramModel has no attribute {name!r}.")

    def __repr__(self) -> str:
        shown = f"NGramModel(order={self.order}, smoothing={self.smoothing!r})"
        if "_tables" not in vars(self):
            return f"{shown}, not fitted"
        return f"{shown}, fitted: {self._sizes()}"

    def _fitted(self) -> Tables:
        if "_tables" not in vars(self):
            raise NotFittedError("This model is not fitted yet: call fit(text) first.")
        return self._tables

    @property
    def _origin(self) -> str:
        """Where a model without counts comes from: what a message says after "this model"."""
        return self.smoothing.origin if isinstance(self.smoothing, NoMethod) else "was changed"

    def _check_method(self) -> None:
        """Raise an error if the model has no method for smoothing counts."""
        if isinstance(self.smoothing, NoMethod):
            self.smoothing.refuse()

    def _require_probabilities(self, name: str) -> None:
        if self.smoothing.refusal:
            raise TypeError(f"{name} is refused: {self.smoothing.refusal}.")

    def _ids(self, context: Sequence[str], name: str = "context") -> list[int]:
        """The ids of a context from the start of its last sentence on: no n-gram goes further back."""
        bos, eos = self.vocabulary.bos, self.vocabulary.eos
        ids = [bos if id == eos else id for id in super()._ids(context, name)]
        return ids[len(ids) - 1 - ids[::-1].index(bos) :] if bos in ids else ids


class NoMethod(Smoothing):
    """Stands in for the method of a model that has probabilities, but no counts to smooth."""

    origin: str
    """What a message says after "This model"."""

    def refuse(self) -> NoReturn:
        """Say why the model cannot be fitted."""
        raise TypeError(
            f"This model {self.origin} and has no method, so it cannot be fitted again. Make a new one: "
            "NGramModel(order, ModifiedKneserNey())."
        )

    def terms(self, level: Level) -> tuple[Floats, Floats]:
        self.refuse()


class FromFile(NoMethod):
    """A model from a file, which does not hold the method, though it may name it."""

    origin = "was read from a file"

    def __init__(self, path: PathLike, made_by: str | None = None) -> None:
        self.path, self.made_by = str(path), made_by
        self.sums = ""  # where the probabilities do not sum to 1


class Pruned(NoMethod):
    """A pruned model: its probabilities no longer follow from its counts by the method."""

    origin = "was pruned"

    def __init__(self, smoothing: Smoothing) -> None:
        self.made_by: str = smoothing.made_by if isinstance(smoothing, Pruned) else repr(smoothing)
