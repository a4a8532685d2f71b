"""Chapter 14, stopping early: which rules find what is not there in more than 5 of 100 runs."""

from lmcourse.hints.question import Mistake, Question
from lmcourse.questions.shared.choices import read_choices
from lmcourse.questions.shared.wrong import but

# --- which-rule ------------------------------------------------------------------------------------------


def which_rule():
    """For each rule whether it keeps its level of 5 per cent."""
    return {"A": "exceeds", "B": "keeps", "C": "keeps", "D": "exceeds", "E": "keeps"}


WHICH_RULE = Question(
    key="14.which-rule",
    title="who may stop early?",
    kind="protocol",
    stars=3,
    points=5,
    form="value",
    right=which_rule,
    cases=((),),
    reading=read_choices(("keeps", "exceeds"), {"keep": "keeps", "exceed": "exceeds"}),
    entry_points=dict.fromkeys("ABCDE", 1),
    mistakes=(
        Mistake(
            "M90",
            but(which_rule, {"A": lambda: "keeps", "D": lambda: "keeps"}),
            "A and D both look more than once with the limit 1.96, and each look is another opportunity "
            "for chance. Each of them alone would be wrong in 5 of 100 runs.",
        ),
        Mistake(
            "M90",
            but(which_rule, {"A": lambda: "keeps"}),
            "A: each of the twenty looks is wrong in 5 of 100 runs, and the rule is wrong if any of them is. "
            "The looks are not independent, but they are far from being one look.",
        ),
        Mistake(
            "M90",
            but(which_rule, {"D": lambda: "keeps"}),
            "D: the runs that were wrong after 20 shards stay wrong, and some of the others become wrong "
            "after 30. Whether to go on was decided by the result.",
        ),
        Mistake(
            "L28",
            but(which_rule, {"B": lambda: "exceeds"}),
            "B: the standard error is known and depends on the number of shards alone. So the number of "
            "shards at which the run stops is fixed before it begins, and z is looked at once.",
        ),
        Mistake(
            "L28",
            but(which_rule, {"C": lambda: "exceeds"}),
            "C: a run that is stopped after 10 shards never claims a difference, and all others are tested "
            "once, after 20. A rule that only takes claims away cannot raise their number.",
        ),
        Mistake(
            "L28",
            but(which_rule, {"E": lambda: "exceeds"}),
            "E: it looks twenty times, but with a stricter limit. Add up the probabilities of the twenty "
            "looks: what is the most that the sum can be?",
        ),
        Mistake(
            "L28",
            lambda: dict.fromkeys("ABCDE", "exceeds"),
            "Not every run that may stop early is wrong too often. What counts is whether a claim can be "
            "made at more than one look with the limit of a single look.",
        ),
    ),
    advice="Simulate it: draw twenty (or thirty) normal numbers with mean 0 for each of 10,000 runs, apply "
    "the rule, and count in how many runs it claims a difference.",
)

QUESTIONS = (WHICH_RULE,)
