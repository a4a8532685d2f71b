"""Solved sets: how they are checked, run, and turned into student sets."""
