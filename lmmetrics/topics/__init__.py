"""Topic models: latent Dirichlet allocation, and every number that is called its perplexity.

A document d is a bag of words. It has weights theta_d over K topics, drawn from a Dirichlet distribution with
the parameters alpha, and a topic k has probabilities phi_k of the V words of the vocabulary:

    p(w | d) = sum_k theta_dk phi_kw

`word_counts` counts the words of documents, `gibbs` learns topics from the counts, and a `TopicModel` scores
other counts. What is known of theta makes the number: it is integrated out (`TopicModel.exact`,
`TopicModel.left_to_right`, `TopicModel.importance`), bounded (`TopicModel.bound`), estimated from the words
themselves (`TopicModel.plug_in` with `TopicModel.best_weights`), or estimated from other words of the same
document (`TopicModel.completion`).

All nats are those of a sequence of words, as for every other model of the library. The probability of the
counts is larger by the number of orders in which the words can stand, N! / (n_1! ... n_V!): that coefficient
is the same for every model, and it is left out here.

Blei, Ng and Jordan 2003; Griffiths and Steyvers 2004 (`gibbs`); Wallach and others 2009 (how to evaluate).

Examples
--------
Two topics over three words, and a document of three words:

>>> import numpy as np
>>> model = TopicModel([[0.7, 0.2, 0.1], [0.1, 0.2, 0.7]], alpha=0.5)
>>> document = np.array([[2, 0, 1]])
>>> best = model.plug_in(document, model.best_weights(document)).nats
>>> print(f"{best:.4f} <= {model.exact(document)[0]:.4f} <= {model.bound(document)[0]:.4f}")
2.5790 <= 3.0791 <= 3.4471
"""

from lmmetrics.topics._bound import VariationalBound, dirichlet_multinomial, variational_bound
from lmmetrics.topics._counts import WordCounts, document_scores, split_counts, word_counts
from lmmetrics.topics._gibbs import gibbs
from lmmetrics.topics._model import TopicModel

__all__ = [
    "TopicModel",
    "VariationalBound",
    "WordCounts",
    "dirichlet_multinomial",
    "document_scores",
    "gibbs",
    "split_counts",
    "variational_bound",
    "word_counts",
]
