"""`TopicModel`: fixed topics with a prior of the weights, and the ways to score documents with them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, Self

from numpy.typing import ArrayLike

from lmmetrics._types import Floats, Ints, Seed
from lmmetrics.score import Score
from lmmetrics.topics._counts import WordCounts


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
    `exact` and `importance` give -ln p(d), the latter as an estimate. All methods return nats of the
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
        raise NotImplementedError

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
        raise NotImplementedError

    def mixture(self, weights: ArrayLike) -> Floats:
        """Return p(w | d) = sum_k theta_dk phi_kw: ``weights @ topics``, float64[D, V].

        Parameters
        ----------
        weights : float[D, K]
            Each row sums to 1.
        """
        raise NotImplementedError

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
        raise NotImplementedError

    def plug_in(self, counts: ArrayLike | WordCounts, weights: ArrayLike) -> Score:
        """Return the score of documents given their weights: -sum_dw n_dw ln p(w | d).

        The tokens of the score are the running words. `plug_in_documents` gives one score for each document.

        Parameters
        ----------
        counts : int[D, V] or WordCounts
        weights : float[D, K]
            Each row sums to 1. Weights that were estimated from the same counts have seen what they score.
        """
        raise NotImplementedError

    def plug_in_documents(self, counts: ArrayLike | WordCounts, weights: ArrayLike) -> list[Score]:
        """Return one score for each document given its weights: see `plug_in`."""
        raise NotImplementedError

    def best_weights(self, counts: ArrayLike | WordCounts) -> Floats:
        """Return the weights that maximise the likelihood of these very words: float64[D, K].

        By expectation maximisation, until the surprisal is at most 1e-6 nats per word above its minimum. (The
        surprisal is convex in the weights, so the distance from the minimum has a bound that can be
        computed.) A document without words gets the mean of the prior.
        """
        raise NotImplementedError

    def posterior_weights(self, counts: ArrayLike | WordCounts) -> Floats:
        """Return the posterior mean of the weights given these words: float64[D, K].

        Exact for K = 1 and K = 2, and if no two topics share a word; otherwise the mean of the variational
        posterior.
        """
        raise NotImplementedError

    def exact(self, counts: ArrayLike | WordCounts) -> Floats:
        """Return -ln p(d) of each document, with the weights integrated out: float64[D], in nats.

        A closed form for K = 1, and for any K if no two topics share a word. For K = 2 the integral

            p(d) = integral of prod_w (t phi_1w + (1 - t) phi_2w)^n_w Beta(t; alpha_1, alpha_2) dt

        by Gauss-Jacobi quadrature. The integrand is the density times a polynomial of degree N in t, so
        N // 2 + 1 nodes integrate a document of N words exactly, up to rounding.

        Raises
        ------
        ValueError
            For more than two topics that share words: no method is known that is exact and fast. Use
            `importance` or `bound`.
        """
        raise NotImplementedError

    def importance(self, counts: ArrayLike | WordCounts, draws: int, seed: Seed) -> Floats:
        """Estimate -ln p(d) of each document from weights drawn from the prior: float64[D], in nats.

        The estimate of p(d) is the mean of p(d | theta) over the draws. It is unbiased, so the estimate of
        -ln p(d) is too high on average (Jensen's inequality); the more draws, the less. Long documents and
        many topics need very many.

        Parameters
        ----------
        counts : int[D, V] or WordCounts
        draws : int
            For each document, at least 1.
        seed : int or numpy.random.Generator
        """
        raise NotImplementedError

    def bound(self, counts: ArrayLike | WordCounts) -> Floats:
        """Return the variational upper bound of -ln p(d) of each document: float64[D], in nats.

        The bound of Blei, Ng and Jordan 2003 with these topics: -ln p(d) plus the KL divergence of the
        variational posterior from the true one. The topics are taken as known, so there is no term of the
        topics; see `variational_bound` for what programs print.
        """
        raise NotImplementedError

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
        raise NotImplementedError

    def completion_documents(
        self,
        read: ArrayLike | WordCounts,
        scored: ArrayLike | WordCounts,
        weights: Literal["posterior", "best", "integrated"] = "posterior",
    ) -> list[Score]:
        """Return one score for each document: see `completion`."""
        raise NotImplementedError

    def __repr__(self) -> str:
        raise NotImplementedError
