"""The class of the tests, as Canvas exports it."""

ROSTER = """Student,ID,SIS User ID,SIS Login ID,Section
"Lovelace, Ada",11,S11,ada,1
"Turing, Alan",12,S12,alan,1
"Hopper, Grace",13,S13,grace,1
"Markov, Andrey",14,S14,andrey,2
"""
