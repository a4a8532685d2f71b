"""What the questions of several chapters use, and the exams.

wrong         wrong formulas, and how to make one from the right formula
properties    properties of right answers
units         mistakes about units and signs
divergences   mistakes and a property of every KL divergence
batches       padded sequences
sampling      properties of answers that must draw
verdicts      reports that are judged by one number each
designs       answers that may have many right forms, each judged by what it does
"""
