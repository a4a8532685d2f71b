"""A chain of equalities in which a step that cannot be proved is rejected.

"Proved" means that the prover (private, in ``_proof``) brought the difference of the two sides to a canonical
form that is 0, and found no difference at random numbers at which both sides could be computed. It relies on
SymPy and on the declared assumptions of the symbols; no proof assistant has verified it. It handles algebra,
exponentials and logs, sums and products over an index with symbolic bounds, and derivatives with respect to
symbols and to ``q[k]``. Not handled: inequalities, matrices, and steps that need an idea, which the author
splits into several steps.
"""

from lmmetrics.derivation._chain import Derivation
from lmmetrics.derivation._steps import Step, StepError

__all__ = ["Derivation", "Step", "StepError"]
