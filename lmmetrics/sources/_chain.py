"""Finite Markov chains by linear algebra: recurrent states, stationary law, Poisson's equation."""

from __future__ import annotations

import numpy as np
from scipy.sparse import csc_array, eye_array
from scipy.sparse.csgraph import connected_components
from scipy.sparse.linalg import splu

from lmmetrics._types import Floats, Ints


class Chain:
    """A chain with one recurrent class.

    Parameters
    ----------
    steps : csc_array of float64, shape (S, S)
        The probabilities from each state (row) to the next (column).

    Attributes
    ----------
    classes : list of int64 arrays
        The states of each recurrent class. The methods require exactly one.
    """

    def __init__(self, steps: csc_array) -> None:
        self._steps = steps
        self.classes = _recurrent_classes(steps)
        self._pinned, self._rest = self.classes[0][:1], self.classes[0][1:]
        inside = steps[self._rest][:, self._rest]
        # I - P is singular; without the row and the column of one recurrent state it is regular.
        self._solver = splu(csc_array(eye_array(len(self._rest)) - inside)) if len(self._rest) else None

    def stationary(self) -> Floats:
        """Return the distribution pi with pi = pi P, float64[S]; 0 for transient states."""
        law = np.zeros(self._steps.shape[0])
        law[self._pinned] = 1.0
        if self._solver:
            from_pinned = self._steps[self._pinned][:, self._rest].toarray()[0]
            law[self._rest] = self._solver.solve(from_pinned, trans="T")
        return law / law.sum()

    def later(self, reward: Floats) -> Floats:
        """Solve Poisson's equation g = r + P g for a reward with stationary mean 0; g is 0 at one state.

        The difference of g between two states is how much more total reward follows the one than the other.
        """
        result = np.zeros(len(reward))
        if self._solver:
            result[self._rest] = self._solver.solve(reward[self._rest])
        return result


def _recurrent_classes(steps: csc_array) -> list[Ints]:
    """The sets of states that the chain never leaves, each with a path from every state to every other."""
    count, labels = connected_components(steps, directed=True, connection="strong")
    here, after = steps.nonzero()
    closed = np.ones(count, dtype=bool)
    closed[labels[here[labels[here] != labels[after]]]] = False
    return [np.flatnonzero(labels == label) for label in np.flatnonzero(closed)]
