"""Hostile submissions: no point that is not earned, nobody else's work touched, and no honest point lost.

All of them run under the limits of the catalogue. If the attack is in the cell of a task, the answer of that
task is wrong too, so that a success of the attack would show as points. Each module beside this has the cases
of one subject.
"""

from tests.grading.catalogue import LIMITS, QUICK, Cases

WRONG = ("return -log_probs[real, targets[real]].mean()", "return 1.0")
ZERO = ("zero", "")
ENDED = ("could not run", "ended the Python process")
TOO_LONG = ("could not run", "ran for more than")


class HostileCases(Cases):
    """The hostile cases of a module, in order."""

    def __init__(self):
        super().__init__("hostile")

    def attack(self, name, source, deserved=ZERO, wrong=True, limits=None):
        """Code in the cell of a task whose answer is wrong."""

        def make(nb):
            if wrong:
                nb.change("average-surprisal", WRONG)
            nb.begin("average-surprisal", source)

        self._add(name, make, deserved, limits)

    def trap(self, name, source, deserved=ZERO):
        """Code that runs when the function is called by a test."""

        def make(nb):
            body = "\n".join("    " + line for line in source.strip("\n").splitlines())
            nb.answer(
                "average-surprisal", f"def average_surprisal(log_probs, targets, ignore_index):\n{body}"
            )

        self._add(name, make, deserved)

    def _add(self, name, make, deserved, limits=None):
        limits = limits or (QUICK if deserved == TOO_LONG else LIMITS)
        self.add(name, make, {"average-surprisal": deserved}, limits=limits)
