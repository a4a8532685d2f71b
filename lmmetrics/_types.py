"""Type aliases that many modules share."""

import os

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.integer]
Bools = NDArray[np.bool_]
PathLike = str | os.PathLike[str]
Seed = int | np.random.Generator
