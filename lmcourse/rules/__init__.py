"""The rules that ``python -m lmcourse.checks`` checks, by what they look at.

A rule is a public function of a `Tree` that yields a sentence for each fault:
``FILE, line N: what is wrong. What to do.`` Those in `figures` read the built book and take no `Tree`.
"""
