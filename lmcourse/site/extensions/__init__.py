"""Sphinx extensions of the book: each module has a `setup` and is listed in ``_config.yml``."""
