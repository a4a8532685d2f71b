"""A table of quantities, each computed by hand, by SymPy, by NumPy and by PyTorch. The values must agree.

Not handled here: the computations. The caller makes them and passes the four results.
"""

import html
from typing import Self, SupportsFloat

__all__ = ["FourWays"]

WAYS = ("by hand", "SymPy", "NumPy", "PyTorch")


class FourWays:
    """A table of quantities with their four values. Values that disagree raise an error.

    Parameters
    ----------
    tolerance : float
        The largest difference that two of the four values may have, in the unit of the quantity.

    Examples
    --------
    >>> import math
    >>> ln_2 = math.log(2)
    >>> table = FourWays(tolerance=1e-12).add("ln 2", "nats", ln_2, ln_2, ln_2, 0.6931471805599453)
    >>> print(table)
    ln 2 (nats): 0.693147181 four ways, largest difference 0e+00
    >>> table.add("ln 2", "nats", 0.69, ln_2, ln_2, ln_2)
    Traceback (most recent call last):
    ValueError: The four values of 'ln 2' differ by 3.1e-03 nats, more than 1e-12: by hand 0.69, ...
    """

    def __init__(self, tolerance: float = 1e-12) -> None:
        self.tolerance = tolerance
        self.rows: list[tuple] = []

    def add(
        self,
        quantity: str,
        unit: str,
        by_hand: SupportsFloat,
        by_sympy: SupportsFloat,
        by_numpy: SupportsFloat,
        by_torch: SupportsFloat,
    ) -> Self:
        """Add a quantity, and return the table itself.

        Parameters
        ----------
        quantity, unit : str
            The name of the quantity, and its unit.
        by_hand, by_sympy, by_numpy, by_torch : number
            Anything that ``float`` accepts: a SymPy number, a NumPy scalar, a tensor with one element.

        Raises
        ------
        ValueError
            If two of them differ by more than the tolerance; the message gives all four.
        """
        values = [float(value) for value in (by_hand, by_sympy, by_numpy, by_torch)]
        difference = max(values) - min(values)
        if not difference <= self.tolerance:
            shown = ", ".join(f"{way} {value!r}" for way, value in zip(WAYS, values, strict=True))
            raise ValueError(
                f"The four values of {quantity!r} differ by {difference:.1e} {unit}, "
                f"more than {self.tolerance:g}: {shown}. Find the one that computes another quantity."
            )
        self.rows.append((quantity, unit, values, difference))
        return self

    def __str__(self) -> str:
        return "\n".join(
            f"{quantity} ({unit}): {values[0]:.9f} four ways, largest difference {difference:.0e}"
            for quantity, unit, values, difference in self.rows
        )

    __repr__ = __str__

    def _repr_html_(self) -> str:
        head = "".join(f'<th scope="col">{title}</th>' for title in ("quantity", *WAYS))
        body = "".join(
            f'<tr><th scope="row">{html.escape(quantity)}<br><small>{html.escape(unit)}</small></th>'
            + "".join(f"<td>{value:.6f}</td>" for value in values)
            + "</tr>"
            for quantity, unit, values, _ in self.rows
        )
        caption = f"Each row agrees to within {self.tolerance:g} in its unit."
        return (
            f"<table><caption>{caption}</caption><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
        )
