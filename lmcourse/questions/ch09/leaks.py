"""Chapter 09, leaks: find test documents in a training text; what their share does to a perplexity."""

import functools
import itertools
from collections import Counter
from functools import partial

import numpy as np

from lmcourse.hints.question import Mistake, Property, Question
from lmcourse.questions.shared.properties import FINITE
from lmcourse.questions.shared.wrong import but, exchanged, then

# --- found-again -----------------------------------------------------------------------------------------


def _n_grams(words, n):
    return list(zip(*(words[i:] for i in range(n)), strict=False))


def _seen(train, n):
    return set(itertools.chain.from_iterable(_n_grams(document, n) for document in train))


def found_again(train, test, n, seen=_seen, grams=_n_grams, size=None):
    """The share of each test document's n-grams that a training document contains, (D,)."""
    known, shares = seen(train, n), []
    for document in test:
        mine = grams(document, n)
        count = size(document) if size else len(mine)
        shares.append(sum(gram in known for gram in mine) / count if count and mine else 0.0)
    return np.array(shares)


def _joined(train, n):
    return set(_n_grams(list(itertools.chain.from_iterable(train)), n))


def _backwards(train, test, n):
    """The share of the n-grams of the training text that each test document contains."""
    all_grams = [gram for document in train for gram in _n_grams(document, n)]
    if not all_grams:
        return np.zeros(len(test))
    return np.array([sum(g in set(_n_grams(d, n)) for g in all_grams) / len(all_grams) for d in test])


def _matched_once(train, test, n):
    """As `found_again`, but an n-gram of the training text can be matched only as often as it occurs."""
    known = Counter(gram for document in train for gram in _n_grams(document, n))
    mine = [Counter(_n_grams(document, n)) for document in test]
    return np.array([(known & some).total() / some.total() if some else 0.0 for some in mine])


def _words(rng, count):
    return [str(word) for word in rng.choice(WORDS, size=count)]


WORDS = ["the", "a", "wolf", "king", "and", "sleeps", "in", "wood", "old", "said", "was", "to"]


def _draw_texts(rng, n=None):
    n = n or int(rng.integers(3, 6))
    train = [_words(rng, int(rng.integers(12, 25))) for _ in range(3)]
    test = [_words(rng, int(rng.integers(8, 16))) for _ in range(4)]
    piece = train[1][-(n + 1) :]  # the end of one training document and the beginning of the next one
    test[0] = [*test[0][:5], *piece, *train[2][:n]]
    test[1] = [*train[0][3 : n + 6], *test[1][:6], *train[0][3 : n + 6]]
    return train, test, n


def _draw_short(rng):
    train, test, n = _draw_texts(rng, n=4)
    return train, [test[0], test[1][:3], [], test[1][:4], 2 * train[0][:6]], n


FOUND_AGAIN = Question(
    key="09.found-again",
    title="n-grams that the training text contains",
    kind="implement",
    stars=1,
    points=2,
    right=found_again,
    cases=(
        _draw_texts(np.random.default_rng(911), n=3),
        _draw_texts(np.random.default_rng(912), n=4),
        _draw_short(np.random.default_rng(913)),
    ),
    draw=_draw_texts,
    odd=(_draw_short,),
    mistakes=(
        Mistake(
            "L27",
            partial(found_again, seen=_joined),
            "Your n-grams of the training text run across the end of one document into the next one. Nobody "
            "wrote those.",
        ),
        Mistake(
            "L35",
            partial(found_again, grams=lambda words, n: list(set(_n_grams(words, n)))),
            "You count each different n-gram of a test document once. The task counts every occurrence.",
        ),
        Mistake(
            "L7",
            _backwards,
            "You give the share of the *training* text that a test document contains. In a large training "
            "text this is always small.",
        ),
        Mistake(
            "M17",
            partial(found_again, size=len),
            "You divide by the words of a document. It has fewer n-grams than words.",
        ),
        Mistake(
            "L23",
            lambda train, test, n: found_again(train, test, n + 1),
            "Your n-grams have one word too many. A slice `words[i : i + n]` has n words.",
        ),
        Mistake(
            "L23",
            lambda train, test, n: found_again(train, test, n - 1),
            "Your n-grams have one word too few. A slice `words[i : i + n]` has n words.",
        ),
        Mistake(
            "L23",
            partial(found_again, grams=lambda words, n: _n_grams(words, n)[:-1]),
            "You leave out the last n-gram of each test document: it begins at place len(words) - n.",
        ),
        Mistake(
            "L24",
            lambda train, test, n: found_again(train, test, 1),
            "You look up single words. Nearly every word of a new tale is in the training text: a leak "
            "shows in several words in the same order.",
        ),
        Mistake(
            "L40",
            _matched_once,
            "You let an n-gram of the training text be matched only as often as it occurs there. Once is "
            "enough: an n-gram of the test document either is in the training text or is not.",
        ),
        Mistake(
            "L29",
            then(found_again, lambda shares: 100 * shares),
            "You give percentages. The task asks for shares.",
        ),
        Mistake(
            "L7",
            then(found_again, lambda shares: 1 - shares),
            "Your number is the share that is *new*. The task asks for what the training text contains.",
        ),
        Mistake(
            "L1",
            lambda train, test, n: (
                found_again(train, test, n) * [max(0, len(document) - n + 1) for document in test]
            ),
            "You give the number of n-grams found. Divide by the number of n-grams in the document.",
        ),
    ),
    properties=(
        FINITE,
        Property("a share is above 1", lambda value, *case: (np.asarray(value) <= 1).all()),
    ),
    advice="Print the n-grams of one test document, each with True or False.",
)

# --- leaked-tale -----------------------------------------------------------------------------------------

LONG, SHORT = 8, 3


def suspects(train, test):
    """Which test tale was copied, from which a paragraph was copied, and which was reworded."""
    return _by_overlap(train, test, SHORT)


def _by_overlap(train, test, n, order=("copied", "paragraph")):
    found = dict(zip(order, np.argsort(-_shares(train, test, LONG), kind="stable").tolist(), strict=False))
    rest = [i for i in range(len(test)) if i not in found.values()]
    shares = _shares(train, test, n)
    return found | {"reworded": max(rest, key=lambda i: shares[i])}


def _shares(train, test, n):
    return found_again(*([text.split() for text in texts] for texts in (train, test)), n)


def _in_training(train, test):
    """The places of the training documents instead of those of the test tales."""
    found, places = suspects(train, test), {}
    for key, i in found.items():
        n = SHORT if key == "reworded" else LONG
        each = [_shares([document], [test[i]], n)[0] for document in train]
        places[key] = int(np.argmax(each))
    return places


@functools.cache
def _tales():
    """The tales as lists of words, each without its title."""
    from lmmetrics.corpora import load

    tales = load("tales-en")
    texts = (*tales.train, *tales.valid, *tales.test)
    return [text.split("\n", 1)[1].split() for text in texts]


def _reworded(rng, words, others):
    """The words with every third to sixth of them replaced."""
    words, i = list(words), int(rng.integers(1, 4))
    while i < len(words):
        words[i] = others[int(rng.integers(len(others)))]
        i += int(rng.integers(3, 7))
    return words


def _draw_tales(rng):
    """Sixteen training texts and eight test tales, of 160 words each, three of which have leaked."""
    while True:
        chosen = [_tales()[i][:160] for i in rng.choice(len(_tales()), size=24, replace=False)]
        train, test = [list(words) for words in chosen[:16]], [list(words) for words in chosen[16:]]
        copied, paragraph, reworded = (int(i) for i in rng.choice(8, size=3, replace=False))
        hosts = [int(i) for i in rng.choice(16, size=3, replace=False)]
        start = int(rng.integers(20, 90))
        train[hosts[0]] = train[hosts[0]][:80] + test[copied] + train[hosts[0]][80:]
        train[hosts[1]] = train[hosts[1]][:70] + test[paragraph][start : start + 45] + train[hosts[1]][70:]
        train[hosts[2]] = _reworded(rng, test[reworded], [word for words in chosen for word in words])
        case = [" ".join(words) for words in train], [" ".join(words) for words in test]
        right = {"copied": copied, "paragraph": paragraph, "reworded": reworded}
        plain = all(_by_overlap(*case, n) == right for n in (2, 3, 4))
        places = {"copied": hosts[0], "paragraph": hosts[1], "reworded": hosts[2]}
        misled = _by_overlap(*case, LONG) != right
        if plain and misled and all(places[key] != right[key] + d for key in right for d in (0, 1)):
            return case


LEAKED_TALE = Question(
    key="09.leaked-tale",
    title="which tales have leaked?",
    kind="forensics",
    stars=2,
    points=3,
    right=suspects,
    cases=(_draw_tales(np.random.default_rng(928)), _draw_tales(np.random.default_rng(925))),
    draw=_draw_tales,
    entry_points={"copied": 1, "paragraph": 1, "reworded": 1},
    mistakes=(
        Mistake(
            "L31",
            exchanged(suspects, "copied", "paragraph"),
            "The tale that you call copied has only a small part of its long n-grams in the training text, "
            "and the one of which a paragraph was copied has all of them.",
        ),
        Mistake(
            "L23",
            then(suspects, lambda found: {key: i + 1 for key, i in found.items()}),
            "Your positions start at 1. Positions are counted from 0.",
            explains="answer",
        ),
        Mistake(
            "L8",
            lambda train, test: _by_overlap(train, test, LONG),
            "One word in every few of the reworded tale was replaced, so it shares hardly any long n-gram "
            "with the training text, and the order of your candidates is due to chance. Choose a smaller n.",
        ),
        Mistake(
            "L7",
            _in_training,
            "You give positions in the training text. The task asks for the positions of the *test* tales.",
        ),
        Mistake(
            "L8",
            lambda train, test: (
                _by_overlap(train, test, SHORT)
                | {
                    "paragraph": suspects(train, test)["reworded"],
                    "reworded": suspects(train, test)["paragraph"],
                }
            ),
            "You have swapped the paragraph and the reworded tale. A copied paragraph is found with long "
            "n-grams, of which the reworded tale has hardly any.",
            explains="answer",
        ),
    ),
    properties=(
        Property(
            "a position is not that of a test tale: those go from 0 to len(test) - 1",
            lambda value, train, test: all(place in range(len(test)) for place in value.values()),
        ),
        Property(
            "you name one tale twice. Three different tales have leaked",
            lambda value, *case: len(set(value.values())) == 3,
        ),
    ),
    advice="Print the shares of all test tales for n = 8 and for n = 3, side by side.",
)

# --- leaked-share ----------------------------------------------------------------------------------------


def leaked_share(P0, P, c, eps):
    """The perplexity with a leaked share, the share from two perplexities, and the least share."""
    return {
        "reported": P0 ** (1 - eps) * np.exp(eps * c),
        "share": np.log(P0 / P) / (np.log(P0) - c),
        "least": np.log(P0 / P) / np.log(P0),
    }


def only_solution(answer, *case):
    """A question's ``reading``: an entry may be the list with one solution that `sympy.solve` returns."""
    if not isinstance(answer, dict):
        return answer, {}
    return {key: x[0] if isinstance(x, list) and len(x) == 1 else x for key, x in answer.items()}, {}


def _draw_share(rng):
    P0 = float(np.exp(rng.uniform(2.5, 5)))
    c = float(rng.uniform(0.1, 1.2))
    P = float(P0 * np.exp(-rng.uniform(0.03, 0.3) * (np.log(P0) - c)))
    return P0, P, c, float(rng.uniform(0.02, 0.4))


LEAKED_SHARE = Question(
    key="09.leaked-share",
    title="how large a leak explains the number?",
    kind="derive",
    stars=2,
    points=3,
    form="expression",
    symbols=("P0", "P", "c", "eps"),
    right=leaked_share,
    cases=((80.0, 62.0, 0.4, 0.1), (31.0, 27.5, 0.9, 0.24), (140.0, 90.0, 0.15, 0.05)),
    draw=_draw_share,
    reading=only_solution,
    entry_points={"reported": 1, "share": 1, "least": 1},
    mistakes=(
        Mistake(
            "M8",
            but(leaked_share, {"reported": lambda P0, P, c, eps: (1 - eps) * P0 + eps * np.exp(c)}),
            "Your 'reported' averages perplexities. Average the losses, and then exponentiate.",
        ),
        Mistake(
            "L9",
            but(leaked_share, {"share": lambda P0, P, c, eps: (P0 - P) / (P0 - np.exp(c))}),
            "Your 'share' divides differences of perplexities. The share is in the exponent: divide "
            "differences of logarithms.",
        ),
        Mistake(
            "L9",
            but(leaked_share, {"least": lambda P0, P, c, eps: (P0 - P) / (P0 - 1)}),
            "Your 'least' divides differences of perplexities. Divide differences of logarithms.",
        ),
        Mistake(
            "L9",
            but(leaked_share, {"least": lambda P0, P, c, eps: 1 - P / P0}),
            "Your 'least' is the relative fall in the *perplexity*. The losses are what is mixed: "
            "compare their logarithms.",
        ),
        Mistake(
            "L22",
            but(leaked_share, {"reported": lambda P0, P, c, eps: P0 * np.exp(eps * c)}),
            "Your 'reported' adds the loss of the leaked tokens, but does not remove the loss that they "
            "would have had. This perplexity is above P0.",
        ),
        Mistake(
            "L22",
            but(leaked_share, {"reported": lambda P0, P, c, eps: P0 * np.exp(-eps * c)}),
            "Your 'reported' subtracts the loss of the leaked tokens. Replace their loss without the leak, "
            "ln P0, by c.",
        ),
        Mistake(
            "L22",
            but(leaked_share, {"reported": lambda P0, P, c, eps: P0 ** (1 - eps)}),
            "Your 'reported' treats the leaked tokens as certain. Their loss is c.",
        ),
        Mistake(
            "L22",
            but(leaked_share, {"share": lambda P0, P, c, eps: np.log(P0 / P) / np.log(P0)}),
            "Your 'share' is the one for leaked tokens with a loss of 0. Here their loss is c.",
        ),
        Mistake(
            "L31",
            but(leaked_share, {"reported": lambda P0, P, c, eps: P0**eps * np.exp((1 - eps) * c)}),
            "Your 'reported' has swapped the two shares: the part eps is the leaked one.",
        ),
        Mistake(
            "M5",
            but(leaked_share, {"share": lambda P0, P, c, eps: np.log(P / P0) / (np.log(P0) - c)}),
            "Your 'share' is negative. A leak lowers the perplexity: P is below P0.",
        ),
        Mistake(
            "M5",
            but(leaked_share, {"least": lambda P0, P, c, eps: np.log(P / P0) / np.log(P0)}),
            "Your 'least' is negative. A leak lowers the perplexity: P is below P0.",
        ),
        Mistake(
            "L34",
            but(leaked_share, {"share": lambda P0, P, c, eps: (np.log(P0) - c) / np.log(P0 / P)}),
            "Your 'share' is upside down: it is above 1.",
        ),
        Mistake(
            "L8",
            but(leaked_share, {"share": lambda P0, P, c, eps: np.log(P0 / P) / (np.log(P) - c)}),
            "Your 'share' treats the reported perplexity as that of the leaked tokens before the leak. Their "
            "loss was ln P0 then.",
        ),
        Mistake(
            "L7",
            but(leaked_share, {"least": lambda P0, P, c, eps: np.log(P) / np.log(P0)}),
            "Your 'least' is the share that has *not* leaked.",
        ),
        Mistake(
            "M4",
            but(leaked_share, {"reported": lambda P0, P, c, eps: (1 - eps) * np.log(P0) + eps * c}),
            "Your 'reported' is the loss. Exponentiate it.",
        ),
        Mistake(
            "M8",
            but(
                leaked_share,
                {
                    "reported": lambda P0, P, c, eps: (1 - eps) * P0 + eps * np.exp(c),
                    "share": lambda P0, P, c, eps: (P0 - P) / (P0 - np.exp(c)),
                    "least": lambda P0, P, c, eps: (P0 - P) / (P0 - 1),
                },
            ),
            "You average perplexities. The losses of the two parts are averaged, and the perplexity is the "
            "exponential of that.",
        ),
    ),
    properties=(
        Property(
            "'least' is above 'share', but no share is smaller than the least one",
            lambda value, *case: value["least"] <= value["share"] + 1e-12,
        ),
    ),
    advice="Write the loss as a sum of two parts with the weights 1 - eps and eps. Take the logarithm of "
    "both sides before you solve for eps. For which c is the share smallest?",
)

QUESTIONS = (FOUND_AGAIN, LEAKED_TALE, LEAKED_SHARE)
