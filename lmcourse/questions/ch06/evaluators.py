"""Chapter 06, an evaluator to repair: it does not count what it does not know."""

import math
from collections import Counter
from functools import partial
from itertools import pairwise

import numpy as np

from lmcourse.hints.question import Mistake, Property, Question
from lmcourse.questions.shared.properties import BELOW_ONE
from lmcourse.questions.shared.units import perplexity_mistakes


def evaluate(
    counts, vocabulary, sentences, k, size=None, mapped=True, drop=False, price=None, end=True, charge_to=None
):
    """Tokens, how many bigrams of them are new, and the perplexity of an add-k bigram model."""
    size = len(vocabulary) + 1 if size is None else size(vocabulary)
    nats, tokens, unseen = 0.0, 0, 0
    for sentence in sentences:
        words = sentence.split()
        words = [word for word in words if word in vocabulary] if drop else words
        words = [word if word in vocabulary else "<unk>" for word in words] if mapped else words
        for before, word in pairwise(["<s>", *words, *(["</s>"] if end else [])]):
            followers = counts.get(before, {})
            count = followers.get(word, 0)
            unseen += count == 0
            if count == 0 and price == "skip":
                tokens += charge_to == "count"
                continue
            tokens += 1
            q = (count + k) / (sum(followers.values()) + k * size)
            nats -= math.log(price if count == 0 and price else q)
    return {"tokens": tokens, "unseen": unseen, "perplexity": np.exp(nats / tokens)}


def _words_seen(counts, vocabulary, sentences, k):
    """The evaluator with the words that were seen after some context for the vocabulary."""
    seen = {word for followers in counts.values() for word in followers}
    return evaluate(counts, vocabulary, sentences, k, size=lambda vocabulary: len(seen))


NOUNS = ("cat", "dog", "moon", "ferry", "lantern", "baker")
VERBS = ("sleeps", "eats", "shines", "waits", "sings")
RARE = ("otter", "violin", "comet", "walrus")
UNSEEN = ("heron", "kettle", "saddle")


def _sentence(rng, rare=0.0):
    def pick(words):
        return str(rng.choice(RARE if rng.random() < rare else words))

    start = [str(rng.choice(["the", "a"])), pick(NOUNS), pick(VERBS)]
    return " ".join([*start, "and", "the", pick(NOUNS), pick(VERBS)] if rng.random() < 0.4 else start)


def _draw_case(rng):
    """Counts of short sentences, words seen once as <unk>; a test with other words; k.

    Three words of the list were never seen, neither before nor after anything; the test has one of them.
    """
    lines = [_sentence(rng, rare=0.08) for _ in range(14)]
    frequency = Counter(word for line in lines for word in line.split())
    known = [*UNSEEN, *(word for word, count in frequency.items() if count > 1)]
    vocabulary = ["<unk>", *sorted(known)]
    counts = {}
    for line in lines:
        words = [word if word in vocabulary else "<unk>" for word in line.split()]
        for before, word in pairwise(["<s>", *words, "</s>"]):
            followers = counts.setdefault(before, {})
            followers[word] = followers.get(word, 0) + 1
    sentences = [_sentence(rng, rare=0.15) for _ in range(6)]
    sentences[0] = f"the {rng.choice(RARE)} eats"
    sentences.append(f"the {UNSEEN[0]} {rng.choice(VERBS)}")
    return counts, vocabulary, sentences, round(rng.uniform(0.05, 0.5), 2)


EVALUATOR = Question(
    key="06.evaluator",
    title="an evaluator that never complains",
    kind="debug",
    stars=3,
    points=3,
    right=evaluate,
    cases=tuple(_draw_case(np.random.default_rng(seed)) for seed in (621, 622)),
    draw=_draw_case,
    mistakes=(
        *perplexity_mistakes(evaluate, only=("perplexity",)),
        Mistake(
            "M32 + L13",
            partial(evaluate, price="skip", mapped=False, size=len),
            "Both mistakes are still there. How many tokens does the test have, and how many do you score? "
            "And what does a row sum to, over everything that can come next?",
            shown_by=("perplexity",),
        ),
        Mistake(
            "L13",
            partial(evaluate, size=len),
            "Nothing is skipped any more. The other mistake: k is added for </s> too, but the denominator "
            "leaves it out. What does a row sum to, over everything that can come next?",
        ),
        Mistake(
            "L13",
            _words_seen,
            "You count the words that the table contains. The vocabulary has words that were never seen in "
            "training: they can come next as well, and each of them gets k too.",
        ),
        Mistake(
            "M26",
            partial(evaluate, size=lambda vocabulary: len(vocabulary) + 2),
            "Your denominator has a k for <s>, which is never predicted: your rows sum to less than 1.",
        ),
        Mistake(
            "M32",
            partial(evaluate, price="skip", mapped=False),
            "One mistake is corrected. The other: whatever the table does not contain adds nothing to the "
            "loss, so the less a model has seen, the better it looks.",
            shown_by=("perplexity",),
        ),
        Mistake(
            "M32",
            partial(evaluate, price="skip"),
            "Unknown words are <unk> now, but a bigram that was never seen still adds nothing to the loss.",
            shown_by=("perplexity",),
        ),
        Mistake(
            "M32",
            partial(evaluate, price="skip", charge_to="count"),
            "You count bigrams that were never seen, but with a surprisal of 0, as if they were certain. "
            "Their count is 0, and k is added to it.",
        ),
        Mistake(
            "M28",
            partial(evaluate, drop=True),
            "You leave the unknown words out of the text. The vocabulary has <unk> for them, with counts of "
            "its own.",
            explains="answer",
        ),
        Mistake(
            "M33",
            partial(evaluate, mapped=False),
            "You score an unknown word under its own spelling, with the count 0: then every possible string "
            "gets k, and the row has no finite sum. Score it as <unk>, which is also the context of the next "
            "word.",
            shown_by=("perplexity",),
        ),
        Mistake(
            "M30",
            partial(evaluate, price=1e-10),
            "Your unseen bigrams get the probability 1e-10. Their numerator is k, so no floor is needed.",
        ),
        Mistake(
            "L21",
            partial(evaluate, end=False),
            "You do not score </s>. It can come next like any word, and each sentence ends with one.",
            explains="answer",
        ),
    ),
    properties=(
        Property(BELOW_ONE, lambda value, *_: value["perplexity"] >= 1),
        Property(
            "'tokens' is not the number of words of the test plus one </s> for each sentence",
            lambda value, counts, vocabulary, sentences, k: (
                value["tokens"] == sum(len(sentence.split()) + 1 for sentence in sentences)
            ),
        ),
    ),
    advice="Without any counts, counts = {}, every token has ln V nats, where V words can come next.",
)

QUESTIONS = (EVALUATOR,)
