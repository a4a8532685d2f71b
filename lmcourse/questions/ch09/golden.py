"""Chapter 09, golden values: a regression test of an evaluator, and the text that it is run on."""

import hashlib
import math
from functools import partial

import numpy as np

from lmcourse.hints.question import Mistake, Property, Question
from lmcourse.questions.shared.choices import read_lists
from lmcourse.questions.shared.designs import RIGHT, by_what_it_does, chosen
from lmcourse.questions.shared.wrong import then

# --- golden-verdict --------------------------------------------------------------------------------------


def digest_of(text):
    """The SHA-256 digest of a text."""
    return hashlib.sha256(text.encode()).hexdigest()


def _near(total, nats, rtol, tokens):
    return abs(total - nats) <= rtol * abs(nats)


def golden_verdicts(
    record, runs, rtol, near=_near, asks=("text", "count"), blamed=None, per=None, total_of=np.sum
):
    """For each run whether it agrees with the record, or what does not, and how far its loss has moved."""
    verdicts, moved = [], []
    for run in runs:
        total = float(total_of(run["nats"]))
        if "text" in asks and digest_of(run["text"]) != record["digest"]:
            verdict = "text"
        elif "count" in asks and len(run["nats"]) != record["tokens"]:
            verdict = "count"
        elif near(total, record["nats"], rtol, record["tokens"]):
            verdict = "same"
        else:
            verdict = "library" if run["versions"] != record["versions"] else "code"
        verdicts.append(blamed(verdict, run, record) if blamed else verdict)
        moved.append((total - record["nats"]) / (per(run, record) if per else record["tokens"]))
    return {"verdicts": "; ".join(verdicts), "moved": np.array(moved)}


def _versions_first(verdict, run, record):
    return "library" if verdict == "same" and run["versions"] != record["versions"] else verdict


def _swapped(verdict, run, record):
    return {"library": "code", "code": "library"}.get(verdict, verdict)


def _rounded(total, nats, rtol, tokens):
    return round(math.exp(total / tokens), 2) == round(math.exp(nats / tokens), 2)


TEXT = "the wolf sleeps in the old wood and the king is said to be awake"


def _draw_golden(rng):
    rtol, N = float(10.0 ** -rng.integers(6, 8)), int(rng.integers(12, 25))
    nats = rng.gamma(2.0, 1.5, size=N) + 0.01
    total = float(nats.sum())
    words = rng.permutation(TEXT.split()).tolist()
    text = " ".join(words)
    versions = {"torch": f"2.{rng.integers(1, 6)}.0", "tokenizers": f"0.{rng.integers(13, 20)}.1"}
    newer = versions | {"torch": f"2.{rng.integers(6, 9)}.1"}
    record = {"digest": digest_of(text), "tokens": N, "nats": total, "versions": versions}

    def run(nats=nats, text=text, versions=versions):
        return {"text": text, "nats": nats, "versions": dict(versions)}

    def scaled(share):
        return nats * (1 + share)

    spoilt = nats.copy()
    spoilt[int(rng.integers(N))] = np.nan
    runs = [
        run(),
        run(scaled(rtol * rng.uniform(0.1, 0.6))),
        run(scaled(rtol * rng.uniform(0.001, 0.01))),
        run(scaled(-rtol * rng.uniform(0.1, 0.6)), versions=newer),
        run(scaled(rtol * rng.uniform(3, 8))),
        run(scaled(-rtol * rng.uniform(3, 8))),
        run(scaled(-rng.uniform(0.01, 0.1)), versions=newer),
        run(scaled(rng.uniform(0.01, 0.1))),
        run(
            text=text.replace("the wolf", "The wolf") if "the wolf" in text else text.replace("wolf", "Wolf")
        ),
        run(np.append(nats, 0.0)),
        run(np.append(nats[:-1], [nats[-1] / 2, nats[-1] / 2]), versions=newer),
        run(np.append(scaled(0.02), 1.0), text=text + " "),
        run(spoilt),
    ]
    return record, [runs[i] for i in rng.permutation(len(runs))], rtol


VERDICTS = {"text", "count", "same", "library", "code"}

GOLDEN_VERDICT = Question(
    key="09.golden-verdict",
    title="a golden test that says what has changed",
    kind="implement",
    stars=2,
    points=3,
    right=golden_verdicts,
    cases=(_draw_golden(np.random.default_rng(951)), _draw_golden(np.random.default_rng(952))),
    draw=_draw_golden,
    reading=read_lists("verdicts"),
    entry_points={"verdicts": 2, "moved": 1},
    mistakes=(
        Mistake(
            "M39",
            partial(golden_verdicts, asks=("count",)),
            "You do not compare the digest of the text. A run can then agree with the record although "
            "another text was scored.",
        ),
        Mistake(
            "L27",
            partial(golden_verdicts, asks=("text",)),
            "You do not compare the number of tokens. The same total divided by more tokens gives another "
            "perplexity.",
        ),
        Mistake(
            "L28",
            partial(golden_verdicts, near=lambda total, nats, rtol, tokens: total == nats),
            "You demand equality. The last digits change with the order of a sum, so such a test fails when "
            "nothing is wrong, and is soon ignored.",
        ),
        Mistake(
            "L8",
            partial(golden_verdicts, near=lambda total, nats, rtol, tokens: abs(total - nats) <= rtol),
            "You compare the difference with rtol itself. The tolerance is relative: multiply it by the "
            "recorded nats.",
        ),
        Mistake(
            "L41",
            partial(
                golden_verdicts, near=lambda total, nats, rtol, tokens: not abs(total - nats) > rtol * nats
            ),
            "A total that is not a number passes your test: every comparison with nan is False. Ask whether "
            "the difference is small, not whether it is large.",
        ),
        Mistake(
            "L7",
            partial(golden_verdicts, near=lambda total, nats, rtol, tokens: total - nats <= rtol * nats),
            "A total that has *fallen* passes your test. A loss that falls without a reason is a mistake as "
            "well: take the absolute difference.",
        ),
        Mistake(
            "L43",
            partial(golden_verdicts, near=_rounded),
            "You compare perplexities rounded to two places. Small changes disappear in the rounding.",
        ),
        Mistake(
            "L28",
            partial(golden_verdicts, blamed=_versions_first),
            "You raise an alarm because a version has changed, although the value has not. A new version can "
            "explain a difference; by itself it is not an error.",
        ),
        Mistake(
            "L31",
            partial(golden_verdicts, blamed=_swapped),
            "You have swapped 'library' and 'code'. Where the versions are those of the record, the code "
            "must have changed.",
        ),
        Mistake(
            "M83",
            partial(
                golden_verdicts,
                near=lambda total, nats, rtol, tokens: True,
            ),
            "You never compare the value. Text, count and versions can be right while the number is wrong.",
        ),
        Mistake(
            "L1",
            partial(golden_verdicts, per=lambda run, record: 1),
            "Your 'moved' is for the whole text. Divide by the recorded number of tokens.",
        ),
        Mistake(
            "L26",
            partial(golden_verdicts, per=lambda run, record: len(run["nats"])),
            "Your 'moved' is divided by the tokens of the run. The task asks for nats per *recorded* token.",
        ),
        Mistake(
            "L7",
            then(golden_verdicts, lambda found: found | {"moved": -found["moved"]}),
            "Your 'moved' is the record minus the run. It should be positive where the loss has risen.",
        ),
        Mistake(
            "M32",
            partial(golden_verdicts, total_of=np.nansum),
            "You skip values that are not numbers. A run with missing surprisals then gets a total that is "
            "too small.",
        ),
        Mistake(
            "L34",
            partial(golden_verdicts, per=lambda run, record: record["nats"]),
            "Your 'moved' is a share of the recorded nats. The task asks for nats per recorded token.",
        ),
    ),
    properties=(
        Property(
            "there is one word for each run, with '; ' between them, and yours has more or fewer",
            lambda value, record, runs, rtol: len(value["verdicts"].split("; ")) == len(runs),
        ),
        Property(
            "every verdict should be one of the five words text, count, same, library and code",
            lambda value, *case: set(value["verdicts"].split("; ")) <= VERDICTS,
        ),
    ),
    advice="Take the runs one by one, and ask in the order of the table. What does `nan <= 1` give?",
)

# --- golden-text -----------------------------------------------------------------------------------------

WORDS = ["the", "wolf", "king", "sleeps", "<unk>", "</s>"]
TWENTIETHS = {
    "<s>": [12, 2, 2, 1, 2, 1],
    "the": [1, 8, 6, 1, 3, 1],
    "wolf": [2, 1, 1, 9, 3, 4],
    "king": [2, 1, 1, 8, 2, 6],
    "sleeps": [2, 1, 1, 1, 3, 12],
    "<unk>": [4, 3, 3, 4, 3, 3],
}
"""What follows each word, in twentieths, in the order of WORDS."""

CHANGES = ("limit", "mean", "carried", "unknown")
MOST_WORDS, MOVES = 12, 0.01


def surprisals(documents, carried=False):
    """The tokens of each document and their nats, a list of pairs for each document."""
    found, before = [], "<s>"
    for document in documents:
        before = before if carried else "<s>"
        pairs = []
        for word in [*document.split(), "</s>"]:
            token = word if word in WORDS else "<unk>"
            pairs.append((token, -math.log(TWENTIETHS[before][WORDS.index(token)] / 20)))
            before = before if token == "</s>" else token
        found.append(pairs)
    return found


def evaluate(documents, change=""):
    """The perplexity of documents, by the right evaluator or by a changed one."""
    found = surprisals(documents[:3] if change == "limit" else documents, carried=change == "carried")
    if change == "unknown":
        found = [[pair for pair in pairs if pair[0] != "<unk>"] for pairs in found]
    if change == "mean":
        return sum(_perplexity(pairs) for pairs in found) / len(found)
    return _perplexity([pair for pairs in found for pair in pairs])


def _perplexity(pairs):
    return math.exp(sum(nats for _, nats in pairs) / len(pairs))


def documents_of(given):
    """The documents of a golden text, or a sentence on what is wrong with it."""
    if isinstance(given, np.ndarray):
        given = given.tolist()
    if isinstance(given, str):
        given = [line for line in given.splitlines() if line.strip()]
    if not isinstance(given, list | tuple) or not all(isinstance(text, str) for text in given):
        return "give a list of documents, each a string of words."
    if not given or not all(text.split() for text in given):
        return "there is no document, or an empty one. Each needs at least one word."
    words = [word for text in given for word in text.split()]
    if len(words) > MOST_WORDS:
        return f"your documents have {len(words)} words. At most {MOST_WORDS} are allowed."
    special = sorted({"<s>", "</s>"} & set(words))
    if special:
        return f"the evaluator adds {special[0]} by itself. Leave it out."
    return list(given)


def _look(change):
    def look(given):
        documents = documents_of(given)
        if isinstance(documents, str):
            return documents
        value = evaluate(documents)
        return RIGHT if abs(evaluate(documents, change) / value - 1) > MOVES else "unmoved"

    return look


GOOD = "sleeps\nthe wolf sleeps\nking\nthe fox sleeps"
EXAMPLES = {
    "limit": {RIGHT: GOOD, "unmoved": "king\nthe fox sleeps", "not read": ""},
    "mean": {RIGHT: GOOD, "unmoved": "the fox sleeps", "not read": ""},
    "carried": {RIGHT: GOOD, "unmoved": "the wolf sleeps the fox", "not read": ""},
    "unknown": {RIGHT: GOOD, "unmoved": "king\nthe wolf sleeps", "not read": ""},
}
"""For each change a text that shows it, and one that does not; they are read as what they do."""

GOLDEN_TEXT = Question(
    key="09.golden-text",
    title="a golden text of twelve words",
    kind="protocol",
    stars=3,
    points=4,
    form="value",
    right=chosen(EXAMPLES),
    cases=((),),
    reading=by_what_it_does({change: _look(change) for change in CHANGES}, EXAMPLES, one=True),
    entry_points=dict.fromkeys(CHANGES, 1),
    mistakes=(
        Mistake(
            "M82",
            chosen(EXAMPLES, "unmoved", "limit"),
            "With the limit left on, your golden value does not move. How many documents would the evaluator "
            "have to leave out, and what would they have to change?",
        ),
        Mistake(
            "M8",
            chosen(EXAMPLES, "unmoved", "mean"),
            "The mean of your documents' perplexities is about the perplexity of all tokens together. Let "
            "the documents differ: in length, and in how well the model predicts them.",
        ),
        Mistake(
            "M15",
            chosen(EXAMPLES, "unmoved", "carried"),
            "When the last word of a document is carried into the next one, your golden value does not "
            "move. Look at the rows of the table: after which last word is the first word of the next "
            "document much more or much less probable than after <s>?",
        ),
        Mistake(
            "M28",
            chosen(EXAMPLES, "unmoved", "unknown"),
            "When unknown words are not scored, your golden value does not move. Is there an unknown word, "
            "and does the value without it differ by more than 1 per cent?",
        ),
        Mistake(
            "M83",
            chosen(EXAMPLES, "unmoved", *CHANGES),
            "None of the four changes moves your golden value, so this test would pass whatever happens. A "
            "golden text has to contain what the changes act on.",
            explains="answer",
        ),
    ),
    advice="Write a loop over the four changes, and print each value divided by the right one.",
)

QUESTIONS = (GOLDEN_VERDICT, GOLDEN_TEXT)
