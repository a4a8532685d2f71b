"""The rules that ``python -m lmcourse.checks`` holds the project to, by what they look at.

A rule is a function of a `Tree` that yields one sentence for each place where it is broken:
where, what is wrong, and how to mend it.
"""
