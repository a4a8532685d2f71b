"""Notebooks, paths, and what code depends on."""
