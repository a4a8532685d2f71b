"""Hostile submissions: no point that is not earned, nobody else's work touched, and no honest point lost.

All of them run under the limits of the catalogue. If the attack is in the cell of a task, the answer of that
task is wrong too, so that a success of the attack would show as points. Each module beside this has the cases
of one subject.
"""

from tests.grading.catalogue import Case

WRONG = ("return -log_probs[real, targets[real]].mean()", "return 1.0")
ZERO = ("zero", "")
ENDED = ("could not run", "ends the Python process")
TOO_LONG = ("could not run", "runs for more than")


class Cases(list):
    """The hostile cases of a module, in order."""

    def case(self, name, problem="", **deserves):
        def note(make):
            named = {k.replace("_", "-"): v for k, v in deserves.items()}
            self.append(Case(name, "hostile", make, named, problem))
            return make

        return note

    def attack(self, name, source, deserved=ZERO, wrong=True):
        """Code in the cell of a task whose answer is wrong."""

        def make(nb):
            if wrong:
                nb.change("average-surprisal", WRONG)
            nb.begin("average-surprisal", source)

        self.append(Case(name, "hostile", make, {"average-surprisal": deserved}))

    def trap(self, name, source, deserved=ZERO):
        """Code that runs when the function is called by a test."""

        def make(nb):
            body = "\n".join("    " + line for line in source.strip("\n").splitlines())
            nb.answer(
                "average-surprisal", f"def average_surprisal(log_probs, targets, ignore_index):\n{body}"
            )

        self.append(Case(name, "hostile", make, {"average-surprisal": deserved}))
