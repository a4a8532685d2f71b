"""Chapter 09, splits: which test set stands for the texts that a question is about."""

from lmcourse.hints.question import Mistake, Question
from lmcourse.questions.shared.choices import read_choices
from lmcourse.questions.shared.wrong import but

# --- which-split -----------------------------------------------------------------------------------------


def which_split():
    """For each question the split whose test set stands for its texts."""
    return {"A": "line", "B": "tale", "C": "writer", "D": "year"}


def _all(word):
    return lambda: dict.fromkeys("ABCD", word)


WHICH_SPLIT = Question(
    key="09.which-split",
    title="which split answers which question?",
    kind="protocol",
    stars=1,
    points=4,
    form="value",
    right=which_split,
    cases=((),),
    reading=read_choices(
        ("line", "tale", "writer", "year"),
        {"document": "tale", "author": "writer", "time": "year", "date": "year", "row": "line"},
    ),
    entry_points=dict.fromkeys("ABCD", 1),
    mistakes=(
        Mistake(
            "M78",
            but(which_split, {"B": lambda: "line"}),
            "B: nothing of the tales in the boxes has been typed. With a split by line the model has read "
            "the names and most of the plot of each test tale.",
        ),
        Mistake(
            "M78",
            but(which_split, {"C": lambda: "line"}),
            "C: the model will have read nothing by these writers. With a split by line it has read the "
            "rest of the same tale.",
        ),
        Mistake(
            "M78",
            but(which_split, {"D": lambda: "line"}),
            "D: next year's tales do not exist yet. With a split by line the model has read the rest of each "
            "test tale.",
        ),
        Mistake(
            "L11",
            but(which_split, {"A": lambda: "tale"}),
            "A: when the program restores a line, it has the rest of the tale. A test that withholds the "
            "whole tale makes the task harder than it will be.",
        ),
        Mistake(
            "L32",
            but(which_split, {"C": lambda: "tale"}),
            "C: with a split by tale the model has read other tales by the same writers, and tales by one "
            "writer resemble each other. The new writers have nothing in the archive.",
        ),
        Mistake(
            "L32",
            but(which_split, {"D": lambda: "tale"}),
            "D: with a split by tale the training text contains tales from the test's own years. When the "
            "model is used, all it has read is older.",
        ),
        Mistake(
            "L11",
            but(which_split, {"D": lambda: "writer"}),
            "D: some of next year's writers are in the archive today, so a test without them is too hard. "
            "What the model will lack is anything written later.",
        ),
        Mistake(
            "L11",
            but(which_split, {"C": lambda: "year"}),
            "C: the class writes in the same years as the archive. What the model will lack is anything "
            "by these writers.",
        ),
        Mistake(
            "L11",
            but(which_split, {"B": lambda: "writer"}),
            "B: the tales in the boxes are by the archive's own writers, and the model may know their style. "
            "A test that withholds it is too hard.",
        ),
        Mistake(
            "L11",
            but(which_split, {"B": lambda: "year"}),
            "B: the boxes hold tales from the same years as the archive. A test that withholds the last "
            "years asks another question.",
        ),
        Mistake(
            "M78",
            _all("line"),
            "A split by line leaves the lines around a test line in the training text. In B, C and D the "
            "model will have read nothing of the tale that it meets.",
            explains="answer",
        ),
        Mistake(
            "L11",
            _all("tale"),
            "A split by tale is a good habit, and no single split fits every question. Ask what "
            "the model will have read when it is used: in A the rest of the tale, in C nothing by the "
            "writer, in D nothing from later years.",
            explains="answer",
        ),
    ),
    advice="For each question write down which of a text's surroundings the model will have read when it "
    "is used: the lines around it, other tales by its writer, tales of its year. Withhold the rest.",
)

QUESTIONS = (WHICH_SPLIT,)
