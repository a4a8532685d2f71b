"""Second guesses: an answer that wants to be tried again."""

from lmcourse.questions import find
from tests.grading.catalogue.hostile import ZERO, HostileCases

CASES = HostileCases()
case = CASES.case

FIRST = """
import os
places = [os.path.join(folder, "tried") for folder in (".", "/tmp", "/dev/shm")]
first = not any(map(os.path.exists, places))
for place in places:
    open(place, "w").close()
"""


@case("guesses again after a wrong guess and an error", average_surprisal=ZERO)
def _(nb):
    nb.begin("average-surprisal", FIRST)
    nb.end(
        "average-surprisal", "if first:\n    average_surprisal = lambda *case: 1.0\nraise ValueError('again')"
    )


@case(
    "leaves a note for the second run of its cell", average_surprisal=("could not run", "ValueError: again")
)
def _(nb):
    nb.begin("average-surprisal", FIRST + "if first:\n    raise ValueError('again')\n")


@case("guesses again with a name that a cell below defines", three_words=ZERO)
def _(nb):
    nb.end(
        "three-words",
        """
        right_once = sentence_cost
        def sentence_cost(probs):
            if "below" in globals():
                return right_once(probs)
            return {"bits": [0.0]} if len(probs) == 1 else below
        """,
    )
    nb.add("below = 1")


def guess_again(name, ending, deserved=ZERO):
    """The first run guesses, and ends in the call that only explains it; the second run guesses better."""

    def make(nb):
        nb.change("average-surprisal", ("def average_surprisal", "def right_one"))
        nb.end("average-surprisal", f"{GUESS.rstrip()}\n    {ending}")
        nb.add("below = 1")

    CASES.add(name, make, {"average-surprisal": deserved})


GUESS = f"""
import os
calls = 0
def average_surprisal(*case):
    global calls
    calls += 1
    if "below" in globals() or "sentence_cost" not in globals():
        return right_one(*case)
    if calls <= {len(find("02.average-surprisal").cases)}:
        return 0.777
"""
guess_again("guesses again with an error in the call that explains", "raise NameError('later')")
guess_again(
    "guesses again by ending the process that explains",
    "os._exit(3)",
    deserved=("could not run", "exit status 3"),
)
