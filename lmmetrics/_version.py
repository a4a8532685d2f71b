"""The version, which the package and the cards of its scores name."""

__version__ = "0.1.0"
