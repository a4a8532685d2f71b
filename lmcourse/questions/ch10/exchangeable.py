"""Chapter 10, exchangeable and not independent: two words of a document, and examples to construct."""

import numpy as np

from lmcourse.hints.answers import Unreadable, plain_data
from lmcourse.hints.question import Mistake, Property, Question
from lmcourse.questions.shared.wrong import but

# --- two-topics ------------------------------------------------------------------------------------------


def two_topics(a, b, alpha):
    """p(ball), p(ball, ball) and p(ball | ball) of two topics with symmetric Dirichlet weights."""
    one = (a + b) / 2
    pair = ((alpha + 1) * (a**2 + b**2) + 2 * alpha * a * b) / (2 * (2 * alpha + 1))
    return {"one": one, "pair": pair, "next": pair / one}


def _pair(a, b, alpha):
    return two_topics(a, b, alpha)["pair"]


def _with_pair(pair):
    """The right dictionary with another 'pair', and the 'next' that follows from it."""
    return but(
        two_topics,
        {"pair": pair, "next": lambda a, b, alpha: 2 * pair(a, b, alpha) / (a + b)},
    )


TWO_TOPICS = Question(
    key="10.two-topics",
    title="after one ball, another",
    kind="derive",
    stars=2,
    points=3,
    form="expression",
    symbols=("a", "b", "alpha"),
    right=two_topics,
    cases=((0.8, 0.3, 0.4), (0.3, 0.05, 2.0), (0.2, 0.65, 3.5)),
    draw=lambda rng: (rng.uniform(0.3, 0.9), rng.uniform(0.02, 0.2), rng.uniform(0.3, 5.0)),
    entry_points={"one": 1, "pair": 1, "next": 1},
    mistakes=(
        Mistake(
            "L22",
            but(two_topics, {"one": lambda a, b, alpha: a + b}),
            "Your 'one' adds the two probabilities without weights. Each topic has its weight, and the "
            "weights sum to 1.",
        ),
        Mistake(
            "L4",
            but(two_topics, {"one": lambda a, b, alpha: a * b}),
            "Your 'one' multiplies the two probabilities. A word comes from one topic *or* the other.",
        ),
        Mistake(
            "M71",
            _with_pair(lambda a, b, alpha: ((a + b) / 2) ** 2),
            "Your two words are independent. They are so only *given* theta: multiply before you take the "
            "mean over theta, and not after.",
        ),
        Mistake(
            "M71",
            but(two_topics, {"next": lambda a, b, alpha: (a + b) / 2}),
            "Your 'next' is the probability of the first word. The first word says something about theta, "
            "and through theta about the second.",
        ),
        Mistake(
            "L8",
            _with_pair(lambda a, b, alpha: (a**2 + a * b + b**2) / 3),
            "This is right for alpha = 1, where theta is uniform. Use the second moments of a "
            "Dirichlet distribution with any alpha.",
        ),
        Mistake(
            "L22",
            _with_pair(lambda a, b, alpha: (a**2 + b**2) / 2),
            "You have both words from the same topic, as if every document had one topic only. Each "
            "word draws a topic of its own.",
        ),
        Mistake(
            "L22",
            _with_pair(lambda a, b, alpha: (alpha + 1) * (a**2 + b**2) / (2 * (2 * alpha + 1))),
            "You leave out the case in which the two words come from different topics. Multiply out the "
            "square of theta a + (1 - theta) b: it has three terms.",
        ),
        Mistake(
            "L22",
            _with_pair(
                lambda a, b, alpha: ((alpha + 1) * (a**2 + b**2) + alpha * a * b) / (2 * (2 * alpha + 1))
            ),
            "You count the mixed term of the square once. The first word may come from either topic, so it "
            "counts twice.",
        ),
        Mistake(
            "L19",
            but(two_topics, {"next": _pair}),
            "Your 'next' is the probability of both words. Divide by that of the first.",
        ),
        Mistake(
            "L34",
            but(two_topics, {"next": lambda a, b, alpha: (a + b) / (2 * _pair(a, b, alpha))}),
            "Your 'next' is upside down: it is above 1.",
        ),
        Mistake(
            "L19",
            but(two_topics, {"pair": lambda a, b, alpha: 2 * _pair(a, b, alpha) / (a + b)}),
            "Your 'pair' is the conditional probability of the second word. Multiply by that of the first.",
        ),
        Mistake(
            "L13",
            but(two_topics, {"pair": lambda a, b, alpha: _pair(a, b, alpha) - (a + b) ** 2 / 4}),
            "Your 'pair' is the covariance. It says by how much the pair is more probable than two "
            "independent words; the task asks for the probability itself.",
        ),
    ),
    properties=(
        Property(
            "a probability does not lie between 0 and 1",
            lambda value, *case: all(0 < entry < 1 for entry in value.values()),
        ),
        Property(
            "'pair' is below the square of 'one'. Their difference is a variance",
            lambda value, *case: value["pair"] >= value["one"] ** 2,
        ),
    ),
    advice="With theta for the weight of the first topic, p(ball | theta) = theta a + (1 - theta) b. The "
    "mean of theta is 1/2, and its variance is 1 / (4 (2 alpha + 1)).",
)

# --- independence ----------------------------------------------------------------------------------------

EXAMPLES = {
    "likelier": {
        "right": "[[0.5, 0.5, 0.0], [0.0, 0.0, 1.0]], 0, 1",
        "impossible": "impossible",
        "rarer": "[[1.0, 0.0], [0.0, 1.0]], 0, 1",
        "same": "[[1.0, 0.0], [0.0, 1.0]], 0, 0",
        "equal": "[[0.5, 0.5], [0.5, 0.5]], 0, 1",
    },
    "unmoved": {
        "right": "[[0.2, 0.8, 0.0], [0.2, 0.0, 0.8]], 0, 1",
        "impossible": "impossible",
        "equal": "[[0.5, 0.5], [0.5, 0.5]], 0, 1",
        "same": "[[0.5, 0.2, 0.3], [0.5, 0.3, 0.2]], 0, 0",
        "never": "[[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], 0, 2",
    },
    "itself": {"right": "impossible", "equal": "[[0.5, 0.5], [0.5, 0.5]], 0, 0"},
}
"""Our own examples of each kind: a design of the student's becomes one of these."""

MOVED, STILL, APART = 1e-3, 1e-6, 1e-2
"""By which factor a conditional probability has to differ from the unconditional one, or may differ; and how
far apart two topics have to be."""


def independence():
    """An example for each of three entries, or that there is none."""
    return {key: examples["right"] for key, examples in EXAMPLES.items()}


def before_and_after(topics, v, w):
    """p(w) and p(w | v) if the weights are uniform on the simplex, Dirichlet(1, ..., 1)."""
    K = len(topics)
    sums = topics.sum(axis=0)
    both = (topics[:, v] @ topics[:, w] + sums[v] * sums[w]) / (K * (K + 1))
    return sums[w] / K, both * K / sums[v]


def _read_example(given):
    """The topics as an array and the two words, or a sentence on what is wrong with them."""
    if not isinstance(given, list | tuple) or len(given) != 3:
        return 'It is neither "impossible" nor an example (topics, v, w).'
    try:
        topics = np.asarray(given[0], dtype=float)
        v, w = (int(word) for word in given[1:])
        whole = all(float(word) == int(word) for word in given[1:])
    except (TypeError, ValueError, OverflowError):
        return "Give the topics as lists of numbers, and v and w as whole numbers."
    if topics.ndim != 2 or min(topics.shape) < 2:
        return "The topics have to be at least two rows, each with at least two words."
    if not (np.isfinite(topics).all() and (topics >= 0).all()):
        return "The probabilities of a topic may not be negative."
    if not np.allclose(topics.sum(axis=1), 1, rtol=0, atol=1e-6):
        sums = ", ".join(f"{total:.4g}" for total in topics.sum(axis=1))
        return f"The rows of the topics sum to {sums}, and each has to sum to 1."
    if not whole or not (0 <= v < topics.shape[1] and 0 <= w < topics.shape[1]):
        return f"v and w are indices of words, from 0 to {topics.shape[1] - 1}."
    return topics / topics.sum(axis=1, keepdims=True), v, w


def _kind(key, topics, v, w):
    """Which of our examples it is like, or a sentence."""
    if topics[:, v].sum() == 0:
        return "never" if key == "unmoved" else "The word v never occurs, so nothing can follow from it."
    before, after = before_and_after(topics, v, w)
    told = f"p(w) = {before:.4g} and p(w | v) = {after:.4g}."
    if np.abs(topics - topics[0]).max() < APART:
        return "equal"
    if key == "itself":
        return f"v and w have to be the same word. {told}" if v != w else f"The word is not rarer: {told}"
    if v == w:
        return "same"
    if key == "likelier":
        return "right" if after > before * (1 + MOVED) else "rarer" if after < before * (1 - MOVED) else told
    if before == 0:
        return "never"
    return "right" if abs(after / before - 1) <= STILL else f"The probability has changed: {told}"


def _read_entry(key, given):
    if isinstance(given, str):
        word = given.strip().strip(".").lower()
        if word in EXAMPLES[key].values():  # "impossible", or an example of ours that is read again
            return word, ""
        return "", f'"{key}" is {given!r}. Write "impossible", or give an example (topics, v, w).'
    example = _read_example(given)
    kind = example if isinstance(example, str) else _kind(key, *example)
    if kind in EXAMPLES[key]:
        return EXAMPLES[key][kind], ""
    return "", f'The example of "{key}" does not do what is asked. {kind}'


def read_examples(answer):
    """Three entries: "impossible", or an example, which becomes ours of the same kind."""
    answer = plain_data(answer)
    if not isinstance(answer, dict) or set(answer) != set(EXAMPLES):
        raise Unreadable(
            "your answer must be a dictionary with the keys 'likelier', 'unmoved' and 'itself'. Each entry "
            "is "
            'an example (topics, v, w), or "impossible".'
        )
    read = {key: _read_entry(key, answer[key]) for key in EXAMPLES}
    return {key: text for key, (text, _) in read.items()}, {k: told for k, (_, told) in read.items() if told}


def _with(key, kind):
    return but(independence, {key: lambda: EXAMPLES[key][kind]})


INDEPENDENCE = Question(
    key="10.independence",
    title="build a model for each",
    kind="protocol",
    stars=3,
    points=3,
    form="value",
    right=independence,
    cases=((),),
    reading=read_examples,
    entry_points=dict.fromkeys(EXAMPLES, 1),
    mistakes=(
        Mistake(
            "M71",
            _with("likelier", "impossible"),
            "'likelier' is possible: the words are independent only given theta. Which word is expected "
            "after one that is typical of a topic?",
        ),
        Mistake(
            "M71",
            _with("likelier", "equal"),
            "In 'likelier' your topics are the same, so that theta changes nothing and the words are "
            "independent. Make topics that differ.",
        ),
        Mistake(
            "L7",
            _with("likelier", "rarer"),
            "In 'likelier' v makes w rarer. The two words of your example are typical of different topics.",
        ),
        Mistake(
            "L40",
            _with("likelier", "same"),
            "In 'likelier' v and w are the same word. Find two different ones.",
        ),
        Mistake(
            "L32",
            _with("unmoved", "impossible"),
            "'unmoved' is possible: not every word says something about theta. What does a word say that all "
            "topics use alike?",
        ),
        Mistake(
            "M71",
            _with("unmoved", "equal"),
            "In 'unmoved' your topics are the same, so that no word says anything. Find an example with "
            "topics that differ.",
        ),
        Mistake(
            "L40",
            _with("unmoved", "same"),
            "In 'unmoved' v and w are the same word. Find two different ones.",
        ),
        Mistake(
            "L38",
            _with("unmoved", "never"),
            "In 'unmoved' one of the words never occurs. Both need a probability above 0.",
        ),
        Mistake(
            "M71",
            _with("itself", "equal"),
            "In 'itself' your topics are the same: the word keeps its probability, and does not become "
            "rarer.",
        ),
    ),
    advice="p(v, w) is the mean over theta of p(v | theta) p(w | theta). What is it minus p(v) p(w), if both "
    "words are the same?",
)

QUESTIONS = (TWO_TOPICS, INDEPENDENCE)
