"""The catalogue of mistakes, and their wrong formulas.

An ``M`` is a mistake that people made in published work or in tools; the number is its place in the book's
catalogue. An ``L`` is a classroom slip that needs no citation. Every formula here is *wrong on
purpose*: a wrong formula that fits a student's number names the mistake. Mistakes that belong to one
question only are beside that question.

Arrays named ``nats`` hold the surprisal of every position in nats, and ``real`` says which positions are
tokens rather than padding; both have the shape (B, T): B sequences, padded to T positions.
"""

from __future__ import annotations

import math

import numpy as np
from scipy.special import log_softmax, softmax

LN2, LN10 = math.log(2), math.log(10)

NAMES = {
    "M1": "nats are read as bits",
    "M2": "bits are read as nats",
    "M3": "a logarithm to base 10 is read as a natural one",
    "M4": "the perplexity is given for the loss, or the loss for the perplexity",
    "M5": "the minus sign is lost",
    "M6": "logits, probabilities and log probabilities are mixed up",
    "M7": "the base is thought to change the value",
    "M8": "the perplexities of documents are averaged",
    "M9": "means of parts are averaged, though the parts differ in length",
    "M10": "the perplexities of batches are averaged",
    "M11": "the exponential is taken inside the mean",
    "M12": "means of means are taken across accumulation steps or devices",
    "M13": "sliding windows are averaged, or off by one",
    "M14": "tokens in the overlap of windows are scored twice",
    "M15": "scores with different contexts are compared",
    "M16": "the total is divided again inside the loop",
    "M17": "a truncated text is divided by its full length",
    "M18": "a running average is compared with a value at the end",
    "M19": "padding is counted",
    "M20": "padding is scored",
    "M21": "the mask drops real tokens",
    "M22": "the prompt is scored with the answer",
    "M23": "the shift from context to target is made twice, or not at all",
    "M24": "the start symbol is missing, or there twice",
    "M25": "the sentence end is in one of numerator and denominator only",
    "M26": "the start symbol is counted as a scored token",
    "M27": "no sentence end is modelled, so every length has mass 1",
    "M28": "unknown words are dropped",
    "M29": "the unknown word's mass is not shared among the unknown words",
    "M30": "a floor is put under the probabilities",
    "M31": "an unseen event has probability 0",
    "M32": "what has probability 0 is skipped in silence",
    "M33": "scores that do not sum to 1 are taken for probabilities",
    "M34": "perplexities of different tokens are compared",
    "M35": "the perplexity is multiplied by a ratio that belongs in the exponent",
    "M36": "bits per word are taken for bits per character",
    "M37": "a guessed length of words is used, or the separators are forgotten",
    "M38": "bytes are taken for characters",
    "M39": "another text is counted than was scored",
    "M40": "a low perplexity per character is taken for a good model",
    "M41": "the label-smoothed loss is reported",
    "M42": "a loss with other terms in it is reported",
    "M43": "dropout is on during evaluation",
    "M44": "digits are lost in float32",
    "M45": "a product underflows, or an exponential overflows",
    "M46": "softmax first, logarithm after",
    "M47": "a model that sees both sides is compared with one that sees the past",
    "M48": "a bound of a topic model is read in the wrong sign, base or unit",
    "M49": "a topic model sees the words that it is scored on",
    "M50": "the KL divergence is taken in the wrong direction, with zeros, or averaged over the elements",
    "M51": "the model reads its own guesses instead of the text",
    "M52": "a model that adapts to the test is compared with one that does not",
    "L1": "sum and mean are exchanged",
    "L2": "the logarithm of a mean is taken for the mean of logarithms",
    "L3": "the unit is converted the wrong way round",
    "L4": "probabilities are added or averaged where they multiply",
    "L5": "the forecast's own entropy is taken for its surprisal",
    "L6": "the favourite is scored instead of what happened",
    "L7": "the comparison is the wrong way round",
    "L8": "a constant stands where an argument belongs",
    "L9": "a ratio of numbers is taken for a ratio of logarithms",
    "L10": "a factor of the chain rule is missing",
    "L11": "the constraint is forgotten",
    "L12": "zero is taken for the least cross-entropy",
    "L13": "probability mass is lost, or in the wrong place",
    "L14": "the sample's own frequencies are scored",
    "L15": "the samples come from another distribution",
    "L16": "context and prediction change places",
    "L17": "the model has seen the text it is tested on",
    "L18": "the uniform distribution is taken for the best one",
    "L19": "a joint probability is taken for a conditional one",
    "L20": "the context of the first symbol is wrong",
    "L21": "the sentence end is left out",
    "L22": "a term is missing",
    "L23": "a count or a mask is off by one",
    "L24": "the context is ignored",
    "L25": "the largest term stands for the whole sum",
    "L26": "two averages with different denominators are taken as if they had one",
    "L27": "the count takes in what the total leaves out",
    "L28": "a report that is right is accused",
    "L29": "a fraction stands where per cent are asked",
    "L30": "the mean of logarithms is taken for the logarithm of a mean",
    "L31": "two results have changed places",
    "L32": "dependent values are taken for independent ones",
    "L33": "samples or counts stand where probabilities belong",
    "L34": "a ratio or an exponent is upside down",
    "L35": "tokens and types change places",
    "L36": "the samples do not come from the generator that was given",
    "L37": "what occurs once is confused with what occurs least",
    "L38": "what never occurs is divided by 0, or left out",
}

EXPONENT = {"M1": LN2, "M2": 1 / LN2, "M3": 1 / LN10, "M5": -1.0}
"""ln r / ln R for a reported perplexity r and the right one R; the same factor multiplies the nats."""


def exponents(names: str, tokens: int, padding: int = 0, sentences: int = 0) -> dict[str, float]:
    """ln r / ln R for reports with these counts, by mistake ("none" for a report that is right).

    Examples
    --------
    >>> exponents("none M19 M25", tokens=300, padding=100, sentences=50)
    {'none': 1.0, 'M19': 0.75, 'M25': 1.2}
    """
    counted = {"none": tokens, "M19": tokens + padding, "M25": tokens - sentences, "M26": tokens + sentences}
    return {name: EXPONENT.get(name) or tokens / counted[name] for name in names.split()}


def scaled(mistake: str, nats):
    """What the right ``nats`` become under M1, M2, M3 or M5.

    Examples
    --------
    >>> round(scaled("M2", math.log(2)), 4)  # one bit, where 0.6931 nats are asked
    1.0
    """
    return nats * EXPONENT[mistake]


def powered(mistake: str, perplexity):
    """What the right ``perplexity`` becomes under M1, M2, M3 or M5.

    Examples
    --------
    >>> round(powered("M1", 8.0), 4)
    4.2264
    """
    return perplexity ** EXPONENT[mistake]


def total(nats: np.ndarray, real: np.ndarray) -> float:
    """L1: the sum of the nats, never divided."""
    return nats[real].sum()


def mean_of_means(nats: np.ndarray, real: np.ndarray) -> float:
    """M9: the mean over sequences of each sequence's mean."""
    return np.mean([row[mask].mean() for row, mask in zip(nats, real, strict=True)])


def log_mean_inverse(nats: np.ndarray, real: np.ndarray) -> float:
    """M11: ln of the mean of 1/q; at least the right value, by Jensen's inequality."""
    return np.log(np.exp(nats[real]).mean())


def log_mean(nats: np.ndarray, real: np.ndarray) -> float:
    """L2: -ln of the mean of q; at most the right value, by Jensen's inequality."""
    return -np.log(np.exp(-nats[real]).mean())


def padding_counted(nats: np.ndarray, real: np.ndarray) -> float:
    """M19: the nats of the tokens, divided by the number of all positions."""
    return nats[real].sum() / real.size


def padding_scored(nats: np.ndarray, real: np.ndarray) -> float:
    """M20: the mean over all positions, whatever the model says about padding."""
    return nats.mean()


def smoothed(log_probs: np.ndarray, targets: np.ndarray, epsilon: float) -> np.ndarray:
    """M41: label-smoothed nats of each position; (..., V) and (...) -> (...)."""
    nats = -np.take_along_axis(log_probs, targets[..., None], axis=-1)[..., 0]
    return (1 - epsilon) * nats - epsilon * log_probs.mean(axis=-1)


def logits_as_log_probs(logits: np.ndarray) -> np.ndarray:
    """M6: raw logits go where log probabilities belong; the "loss" can be negative."""
    return logits.astype(np.float64)


def softmax_twice(logits: np.ndarray) -> np.ndarray:
    """M6: probabilities go where logits belong, so every distribution is almost flat."""
    return log_softmax(softmax(logits.astype(np.float64), axis=-1), axis=-1)


def softmax_then_log(logits: np.ndarray) -> np.ndarray:
    """M46: in the precision of the logits a small probability becomes 0, and its logarithm -inf."""
    return np.log(softmax(logits, axis=-1)).astype(np.float64)


def sum_of_large_exponentials(logits: np.ndarray) -> np.ndarray:
    """M45: log-sum-exp without taking out the largest logit."""
    return (logits - np.log(np.exp(logits).sum(axis=-1, keepdims=True))).astype(np.float64)


def ratio_of_large_exponentials(logits: np.ndarray) -> np.ndarray:
    """M45: softmax without taking out the largest logit, so that inf / inf appears."""
    weights = np.exp(logits)
    return np.log(weights / weights.sum(axis=-1, keepdims=True)).astype(np.float64)


def floored(logits: np.ndarray, floor: float = 1e-10) -> np.ndarray:
    """M30: a small constant is added before the logarithm, so no token can cost more than -ln floor."""
    return np.log(softmax(logits.astype(np.float64), axis=-1) + floor)


def log_sum_exp_as_given(logits: np.ndarray) -> np.ndarray:
    """M44: in float32, log-sum-exp keeps only the digits that the largest logit leaves."""
    largest = logits.max(axis=-1, keepdims=True)
    normaliser = np.log(np.exp(logits - largest).sum(axis=-1, keepdims=True)) + largest
    return (logits - normaliser).astype(np.float64)
