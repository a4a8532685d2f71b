"""The page of the tools' conventions: their formulas, and the cards that it shows."""
