"""`TopicModel`: fixed topics with a prior of the weights, and the ways to score documents with them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, Self

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import logsumexp

from lmmetrics._checks import array_of, generator, whole_number
from lmmetrics._types import Floats, Ints, Seed
from lmmetrics.score import Score
from lmmetrics.topics._counts import WordCounts, checked_counts, checked_words, document_scores
from lmmetrics.topics._left_to_right import left_to_right
from lmmetrics.topics._weights import (
    best,
    checked_alpha,
    closed_form,
    log_likelihood,
    separate,
    two_topics,
    variational,
)

DRAWS = 4096
"""How many weights are drawn from the prior at once."""


class TopicModel:
    """Latent Dirichlet allocation with known topics.

    Parameters
    ----------
    topics : float[K, V]
        The probabilities phi of the V words in each of K topics; each row sums to 1. The parameters that
        other programs print are normalised by `TopicModel.from_components`.
    alpha : float or float[K]
        The parameters of the Dirichlet prior of a document's weights, above 0. A number stands for K equal
        ones.
    words : list of str, optional
        The V words. If they are given, a `WordCounts` with other words raises an error.

    Attributes
    ----------
    topics : float64[K, V]
    alpha : float64[K]
    words : tuple of str or None

    Notes
    -----
    For every document, with theta the weights at their best for its own words,

        -ln p(d | best theta) <= -ln p(d) <= bound

    `plug_in` with `best_weights` is therefore too low as a score: it is fitted to the words that it scores.
    `exact` gives -ln p(d), and `importance` and `left_to_right` estimate it. All methods return nats of the
    sequence of words; see `lmmetrics.topics`.

    Wherever counts are expected, int[D, V] or a `WordCounts` will do.

    Examples
    --------
    >>> model = TopicModel([[0.5, 0.4, 0.1], [0.1, 0.2, 0.7]], alpha=1)
    >>> model
    TopicModel: 2 topics, 3 words
    >>> model.mixture([[0.5, 0.5], [1, 0]]).round(2)
    array([[0.3, 0.3, 0.4],
           [0.5, 0.4, 0.1]])
    """

    def __init__(self, topics: ArrayLike, alpha: ArrayLike, words: Iterable[str] | None = None) -> None:
        table = checked_topics("topics", topics)
        wrong = np.flatnonzero(np.abs(table.sum(axis=1) - 1) > 1e-9)
        if wrong.size:
            raise ValueError(
                f"Row {wrong[0]} of topics sums to {table[wrong[0]].sum():.9g}; each topic is a distribution "
                "over the words and sums to 1. Parameters that are not normalised, or have single precision, "
                "become topics with TopicModel.from_components(components, alpha)."
            )
        self.topics: Floats = table
        self.alpha: Floats = checked_alpha(alpha, len(table))
        self.words = None if words is None else checked_words("words", words)
        if self.words is not None and len(self.words) != table.shape[1]:
            raise ValueError(
                f"words has {len(self.words)} words, but the topics have {table.shape[1]} columns; each "
                "column is one word."
            )

    @classmethod
    def from_components(
        cls, components: ArrayLike, alpha: ArrayLike, words: Iterable[str] | None = None
    ) -> Self:
        """Return a model whose topics are the normalised rows of ``components``.

        - scikit-learn: ``TopicModel.from_components(lda.components_, lda.doc_topic_prior_)``.
        - gensim: ``TopicModel.from_components(lda.get_topics(), lda.alpha)``.

        Parameters
        ----------
        components : float[K, V]
            None negative; each row with a sum above 0.
        alpha, words
            As for the class.

        Examples
        --------
        >>> TopicModel.from_components([[3, 1], [2, 8]], alpha=0.1).topics
        array([[0.75, 0.25],
               [0.2 , 0.8 ]])
        """
        table = checked_topics("components", components)
        return cls(table / table.sum(axis=1, keepdims=True), alpha, words)

    def mixture(self, weights: ArrayLike) -> Floats:
        """Return p(w | d) = sum_k theta_dk phi_kw: ``weights @ topics``, float64[D, V].

        Parameters
        ----------
        weights : float[D, K]
            Each row sums to 1.
        """
        return self._weights(weights) @ self.topics

    def sample(self, documents: int, length: ArrayLike, seed: Seed) -> tuple[Ints, Floats]:
        """Draw documents from the model.

        Parameters
        ----------
        documents : int
            D, at least 1.
        length : int or int[D]
            The number of words of each document.
        seed : int or numpy.random.Generator

        Returns
        -------
        (int64[D, V], float64[D, K])
            The counts, and the weights that they were drawn with.
        """
        count = whole_number("documents", documents, 1)
        lengths = array_of("length", length, "one whole number, or one for each document")
        if lengths.shape not in ((), (count,)) or lengths.dtype.kind not in "iu" or (lengths < 0).any():
            raise ValueError(
                f"length is {length!r}; a whole number of at least 0 is expected, or one for each document."
            )
        rng = generator(seed)
        weights = rng.dirichlet(self.alpha, count)
        mixed = weights @ self.topics
        return rng.multinomial(lengths, mixed / mixed.sum(axis=1, keepdims=True)), weights

    def plug_in(self, counts: ArrayLike | WordCounts, weights: ArrayLike) -> Score:
        """Return the score of documents given their weights: -sum_dw n_dw ln p(w | d).

        The tokens of the score are the running words. `plug_in_documents` gives one score for each document.

        Parameters
        ----------
        counts : int[D, V] or WordCounts
        weights : float[D, K]
            Each row sums to 1. Weights that were estimated from the same counts have seen what they score.
        """
        return sum(self.plug_in_documents(counts, weights), start=Score(0.0, tokens=0))

    def plug_in_documents(self, counts: ArrayLike | WordCounts, weights: ArrayLike) -> list[Score]:
        """Return one score for each document given its weights: see `plug_in`."""
        array = checked_counts("counts", counts, self)
        mixed = self.mixture(weights)
        if len(mixed) != len(array):
            raise ValueError(
                f"weights has {len(mixed)} rows, but counts has {len(array)} documents: one for each."
            )
        logs = np.full(array.shape, -np.inf)
        np.log(mixed, where=mixed > 0, out=logs)
        nats = -np.sum(array * np.where(array > 0, logs, 0.0), axis=1)
        return document_scores(np.maximum(nats, 0.0), array)

    def best_weights(self, counts: ArrayLike | WordCounts) -> Floats:
        """Return the weights that maximise the likelihood of these very words: float64[D, K].

        By expectation maximisation, until the surprisal is at most 1e-6 nats per word above its minimum. (The
        surprisal is convex in the weights, so the distance from the minimum has a bound that can be
        computed.) A word that no topic can give is passed over. A document without words gets the mean of
        the prior.
        """
        return best(checked_counts("counts", counts, self), self.topics, self.alpha)

    def posterior_weights(self, counts: ArrayLike | WordCounts) -> Floats:
        """Return the posterior mean of the weights given these words: float64[D, K].

        Exact for K = 1 and K = 2, and if no two topics share a word; otherwise the mean of the variational
        posterior. A word that no topic can give is passed over.
        """
        array = checked_counts("counts", counts, self) * (self.topics > 0).any(axis=0)
        if (split := separate(array, self.topics)) is not None:
            given = split + self.alpha
            return given / given.sum(axis=1, keepdims=True)
        if len(self.topics) == 2:
            first = two_topics(array, self.topics, self.alpha)[1]
            return np.stack([first, 1 - first], axis=1)
        return variational(array, self.topics, self.alpha)[1]

    def exact(self, counts: ArrayLike | WordCounts) -> Floats:
        """Return -ln p(d) of each document, with the weights integrated out: float64[D], in nats.

        A closed form for K = 1, and for any K if no two topics share a word. For K = 2 the integral

            p(d) = integral of prod_w (t phi_1w + (1 - t) phi_2w)^n_w Beta(t; alpha_1, alpha_2) dt

        by quadrature: the trapezoidal rule in x, with t = 1 / (1 + exp(-sinh x)), on two grids that agree to
        ten digits, one of them twice as fine. Small and large alpha, and long documents, need no other rule.
        (For alpha = 1/2 a simpler one will do: with t = sin(u)^2 the density is constant in u.)

        Raises
        ------
        ValueError
            For more than two topics that share words: the integral has no closed form. Use `left_to_right` or
            `bound`.
        ArithmeticError
            If 131,072 nodes are too few, as for alpha = [1e12, 2e12].
        """
        array = checked_counts("counts", counts, self)
        if (split := separate(array, self.topics)) is not None:
            return closed_form(array, split, self.topics, self.alpha)
        if len(self.topics) == 2:
            return two_topics(array, self.topics, self.alpha)[0]
        raise ValueError(
            f"The weights of {len(self.topics)} topics that share words cannot be integrated out exactly: "
            "the sum has a term for every assignment of the words to topics. Estimate -ln p with "
            "left_to_right(counts, particles, seed), bound it with bound(counts), or measure "
            "completion(read, scored)."
        )

    def importance(self, counts: ArrayLike | WordCounts, draws: int, seed: Seed) -> Floats:
        """Estimate -ln p(d) of each document from weights drawn from the prior: float64[D], in nats.

        The estimate of p(d) is the mean of p(d | theta) over the draws. It is unbiased, so the estimate of
        -ln p(d) is too high on average (Jensen's inequality); the more draws, the less. Long documents and
        many topics need very many; `left_to_right` needs fewer.

        Parameters
        ----------
        counts : int[D, V] or WordCounts
        draws : int
            For each document, at least 1.
        seed : int or numpy.random.Generator
        """
        array = checked_counts("counts", counts, self)
        total, rng = whole_number("draws", draws, 1), generator(seed)
        return np.array([self._drawn(row, total, rng) for row in array])

    def left_to_right(self, counts: ArrayLike | WordCounts, particles: int, seed: Seed) -> Floats:
        """Estimate -ln p(d) of each document by predicting one word after another: float64[D], in nats.

        A particle gives each word that has been read a topic. The next word w is predicted by the mean of

            sum_k (n_k + alpha_k) phi_kw / (n + sum_k alpha_k)

        over the particles, where n_k words of the n before it have the topic k. Then w gets a topic, too, and
        all topics are drawn again, each given the others. The words come in a random order, which does not
        change p(d). This is the algorithm of Wallach and others 2009, with one step more: after each word,
        the particles are drawn again in proportion to the probability that they gave it. With this step the
        estimate of p(d) is unbiased for any number of particles, so that of -ln p(d) is too high on average.
        Without it, as in evaluateLeftToRight of MALLET, it is biased for two particles or more.

        A document of N words takes about ``particles`` * N**2 / 2 draws of a topic.

        Parameters
        ----------
        counts : int[D, V] or WordCounts
        particles : int
            For each document, at least 1. Repeat with more of them: what still changes was not exact.
        seed : int or numpy.random.Generator

        Examples
        --------
        >>> model = TopicModel([[0.5, 0.4, 0.1], [0.1, 0.2, 0.7]], alpha=1)
        >>> document = [[3, 1, 2]]
        >>> bool(abs(model.left_to_right(document, 1000, seed=1)[0] - model.exact(document)[0]) < 0.05)
        True
        """
        array = checked_counts("counts", counts, self)
        number, rng = whole_number("particles", particles, 1), generator(seed)
        return left_to_right(array, self.topics, self.alpha, number, rng)

    def bound(self, counts: ArrayLike | WordCounts) -> Floats:
        """Return the variational upper bound of -ln p(d) of each document: float64[D], in nats.

        The bound of Blei, Ng and Jordan 2003 with these topics: -ln p(d) plus the KL divergence of the
        variational posterior from the true one. The iterations may stop at a local minimum; the bound holds
        wherever they stop. The topics are taken as known, so there is no term of the topics; see
        `variational_bound` for what programs print.
        """
        return variational(checked_counts("counts", counts, self), self.topics, self.alpha)[0]

    def completion(
        self,
        read: ArrayLike | WordCounts,
        scored: ArrayLike | WordCounts,
        weights: Literal["posterior", "best", "integrated"] = "posterior",
    ) -> Score:
        """Score words of documents of which other words are read: document completion.

        Parameters
        ----------
        read, scored : int[D, V] or WordCounts
            Two halves of the same documents, as `split_counts` makes them.
        weights : {"posterior", "best", "integrated"}
            What is known of a document's weights after reading: their posterior mean (`posterior_weights`),
            the values that fit best (`best_weights`), or their whole posterior distribution: then the score
            is -ln p(scored | read) = -ln p(read + scored) + ln p(read), where `exact` can compute it.

        Returns
        -------
        Score
            Of the words in ``scored``. `completion_documents` gives one for each document.
        """
        return sum(self.completion_documents(read, scored, weights), start=Score(0.0, tokens=0))

    def completion_documents(
        self,
        read: ArrayLike | WordCounts,
        scored: ArrayLike | WordCounts,
        weights: Literal["posterior", "best", "integrated"] = "posterior",
    ) -> list[Score]:
        """Return one score for each document: see `completion`."""
        first, second = (checked_counts(n, c, self) for n, c in (("read", read), ("scored", scored)))
        if len(first) != len(second):
            raise ValueError(
                f"read has {len(first)} documents and scored has {len(second)}; two halves of the same "
                "documents are expected, such as split_counts(counts, seed)."
            )
        if weights == "integrated":
            before = self.exact(first)
            if np.isinf(before).any():
                raise ValueError(
                    f"No topic gives a probability to a word that is read in document "
                    f"{np.isinf(before).argmax()}, so nothing can be conditioned on it. Smooth the topics."
                )
            return document_scores(np.maximum(self.exact(first + second) - before, 0.0), second)
        if weights not in ("posterior", "best"):
            raise ValueError(f'weights is {weights!r}; "posterior", "best" or "integrated" is expected.')
        estimate = self.posterior_weights if weights == "posterior" else self.best_weights
        return self.plug_in_documents(second, estimate(first))

    def _weights(self, weights: ArrayLike) -> Floats:
        """The weights as float64[D, K], each row with the sum 1."""
        given = array_of("weights", weights, "a row for each document")
        if given.ndim != 2 or given.shape[1] != len(self.topics) or given.dtype.kind not in "iuf":
            raise ValueError(
                f"weights has the shape {given.shape}; a row for each document is expected, with a column "
                f"for each of the {len(self.topics)} topics."
            )
        sums = given.sum(axis=1, keepdims=True, dtype=np.float64)
        if not ((given >= 0).all() and (np.abs(sums - 1) <= 1e-5).all()):
            raise ValueError(
                "Each row of weights must have no negative number and the sum 1. A program that leaves out "
                "small weights, as gensim's get_document_topics does, needs minimum_probability=0."
            )
        return given / sums

    def _drawn(self, row: Ints, draws: int, rng: np.random.Generator) -> float:
        """The estimate of -ln p of one document."""
        n, present = row[None, row > 0].astype(np.float64), self.topics[:, row > 0]
        logs = [
            log_likelihood(n, rng.dirichlet(self.alpha, min(DRAWS, draws - done)) @ present)[0]
            for done in range(0, draws, DRAWS)
        ]
        return max(0.0, float(np.log(draws) - logsumexp(np.concatenate(logs))))

    def __repr__(self) -> str:
        return f"TopicModel: {len(self.topics):,} topics, {self.topics.shape[1]:,} words"


def checked_topics(name: str, topics: ArrayLike) -> Floats:
    """Return topics as float64[K, V], each row with a sum above 0."""
    table = array_of(name, topics, "a row for each topic")
    if table.ndim != 2 or 0 in table.shape or table.dtype.kind not in "iuf":
        raise ValueError(
            f"{name} has the shape {table.shape}; a table of numbers is expected, with a row for each topic "
            "and a column for each word."
        )
    if not (np.isfinite(table).all() and (table >= 0).all() and (table.sum(axis=1) > 0).all()):
        raise ValueError(f"{name} must have finite numbers, none negative, and in each row one above 0.")
    return table.astype(np.float64)
