"""Chapter 12, script and domain: how much of the unknown is script, and a design that takes both apart."""

import itertools
import re
from functools import partial

import numpy as np

from lmcourse.hints.answers import Unreadable, plain_data
from lmcourse.hints.question import Mistake, Property, Question
from lmcourse.questions.shared.wrong import but

# --- script-share ----------------------------------------------------------------------------------------

SIMPLE = dict(
    zip("鳥聞風雨聲見萬門東馬雲為將飛葉國書長語遠", "鸟闻风雨声见万门东马云为将飞叶国书长语远", strict=True)
)
SIMPLE = {one: other for one, other in SIMPLE.items() if one != other}
BOTH = "山水日月人不上天花春明白一千里心"
RARE = "蓑笠翁鹿柴霄鬢猿砧羌"
"""Characters of two scripts; characters that both share; and characters that no model of the task knows."""


def script_share(train, test, simple, unknown_in=list, script=None):
    """Shares of unknown characters of a text, before and after conversion, and the part that is script."""
    known = set(train)
    before = np.mean([c not in known for c in unknown_in(test)])
    after = np.mean([simple.get(c, c) not in known for c in unknown_in(test)])
    script = script or (lambda before, after: 1 - after / before if before else 0.0)
    return {"before": before, "after": after, "script": script(before, after)}


def _draw_texts(rng, known_only=False):
    """A model's text in one script, and a text in the other one, some of whose characters are rare."""
    pairs = list(SIMPLE.items())
    seen = [pairs[i][1] for i in rng.permutation(len(pairs))[: rng.integers(9, 14)]]
    train = "".join(rng.choice([*seen, *BOTH], size=60)) + "".join(seen) + BOTH
    there = [*BOTH, *BOTH] if known_only else [*BOTH, *(old for old, _ in pairs), *RARE[:4]]
    test = "".join(rng.choice(there, size=int(rng.integers(25, 45))))
    return train, test if known_only else test + "鳥鳥翁翁山山", dict(SIMPLE)


SCRIPT_SHARE = Question(
    key="12.script-share",
    title="how much of it is script?",
    kind="implement",
    stars=2,
    points=2,
    right=script_share,
    cases=(
        (
            "鸟在山上人见了山门外飞来一千只鸟",
            "千山鳥飛絕萬徑人蹤滅山山",
            {"鳥": "鸟", "飛": "飞", "絕": "绝", "萬": "万", "徑": "径", "蹤": "踪", "滅": "灭"},
        ),
        _draw_texts(np.random.default_rng(1201)),
    ),
    draw=_draw_texts,
    odd=(lambda rng: _draw_texts(rng, known_only=True),),
    entry_points={"before": 1, "script": 1},
    mistakes=(
        Mistake(
            "M60",
            lambda train, test, simple: script_share(train, test, {}),
            "Your shares before and after are the same: the text is read in its own script both times, and "
            "so everything unknown is blamed on its domain.",
            explains="answer",
        ),
        Mistake(
            "L35",
            partial(script_share, unknown_in=set),
            "You count each different character once. A loss is a sum over the characters of the text, so a "
            "character that comes ten times counts ten times.",
        ),
        Mistake(
            "L22",
            partial(script_share, script=lambda before, after: before - after),
            "Your 'script' is a share of all characters. The task asks for a share of those that were "
            "unknown before the conversion.",
        ),
        Mistake(
            "L31",
            partial(script_share, script=lambda before, after: after / before if before else 0.0),
            "Your 'script' is the part of the unknown characters that *stays* unknown.",
        ),
        Mistake(
            "L16",
            lambda train, test, simple: script_share(test, train, simple),
            "You have looked up the model's characters in the new text. Look up those of the new text in "
            "what the model has read.",
        ),
        Mistake(
            "L29",
            lambda train, test, simple: {k: 100 * v for k, v in script_share(train, test, simple).items()},
            "Your numbers are per cent. The task asks for shares between 0 and 1.",
        ),
    ),
    properties=(
        Property(
            "'script' is not a number. If no character was unknown before, it is 0",
            lambda value, *case: np.isfinite(value["script"]),
            about_nan=True,
        ),
        Property(
            "a share does not lie between 0 and 1",
            lambda value, *case: all(0 <= share <= 1 for share in value.values()),
        ),
    ),
    advice="Two unknown characters of ten, one of which the conversion turns into a known one: 0.2 before, "
    "0.1 after, and half of the unknown was script.",
)

# --- shift-design ----------------------------------------------------------------------------------------

RUNS = {
    letter: dict(zip(("text", "script", "counted"), run, strict=True))
    for letter, run in zip(
        "ABCDEFGH",
        itertools.product(("tales", "poems"), ("simplified", "traditional"), ("all", "known")),
        strict=True,
    )
}
"""Eight runs of one byte model, which has read simplified tales."""


def shift_design():
    """For each part of the rise from the tales to the poems, two runs that differ in nothing else."""
    return {"script": "EG", "vocabulary": "EF", "style": "BF"}


COLUMNS = {"script": "script", "vocabulary": "counted", "style": "text"}
"""For each part the column in which its two runs differ."""


def read_pairs(answer):
    """Two letters for each part, in any order and writing; a pair that is as good becomes the usual one."""
    answer = plain_data(answer)
    if not isinstance(answer, dict) or set(answer) != set(COLUMNS):
        raise Unreadable(
            "your answer must be a dictionary with the keys 'script', 'vocabulary' and 'style', each with "
            'two letters, as in "AB".'
        )
    value, problems = {}, {}
    for key, pair in answer.items():
        value[key], told = _read_pair(key, pair)
        if told:
            problems[key] = told
    return value, problems


def _read_pair(key, given):
    """The letters of a pair in alphabetical order, or a sentence on why it cannot show what it should."""
    text = " ".join(map(str, given)) if isinstance(given, list | tuple) else str(given)
    letters = sorted(set(re.findall(r"\b[A-Z]\b", text.upper()) or text.upper().strip()))
    if len(letters) != 2 or not set(letters) <= set(RUNS):
        return "", f'"{key}" is {given!r}. Give two different letters from A to H, as in "AB".'
    one, other = letters
    columns = [column for column in COLUMNS.values() if RUNS[one][column] != RUNS[other][column]]
    pair = "EG" if key == "script" and letters == ["A", "C"] else one + other
    known = {mistake.wrong()[key] for mistake in SHIFT_DESIGN.mistakes} | {shift_design()[key]}
    if pair in known or columns == [COLUMNS[key]]:
        return pair, ""
    told = f'"{key}": {one} and {other} differ in {" and ".join(COLUMN_NAMES[c] for c in columns)}.'
    return "", told + " Choose two runs that differ in one column only, that of the effect."


COLUMN_NAMES = {"text": "the text", "script": "the script", "counted": "the characters that are counted"}


SHIFT_DESIGN = Question(
    key="12.shift-design",
    title="a design that takes three things apart",
    kind="protocol",
    stars=3,
    points=3,
    form="value",
    right=shift_design,
    cases=((),),
    reading=read_pairs,
    entry_points={"script": 1, "vocabulary": 1, "style": 1},
    mistakes=(
        Mistake(
            "M60",
            but(shift_design, {"style": lambda: "AG"}),
            "Your pair for 'style' differs in the script, too, and it counts characters that the model has "
            "never read.",
        ),
        Mistake(
            "M60",
            but(shift_design, {"style": lambda: "BH"}),
            "Your pair for 'style' differs in the script, too. That every counted character is known in its "
            "simplified form does not help: the model has never read its traditional form.",
        ),
        Mistake(
            "M60",
            but(shift_design, {"vocabulary": lambda: "GH"}),
            "Your pair for 'vocabulary' is in traditional characters. There the model has to spell known "
            "characters in forms that it has never read, so this pair mixes the two.",
        ),
        Mistake(
            "M60",
            but(shift_design, {"vocabulary": lambda: "CD"}),
            "Your pair for 'vocabulary' is about the tales, and in a script that the model has never read. "
            "The question is what new characters add to the loss of the *poems*.",
        ),
        Mistake(
            "M28",
            but(shift_design, {"script": lambda: "FH"}),
            "Your pair for 'script' counts the known characters only. The question is what the script adds "
            "to the loss on all characters.",
        ),
        Mistake(
            "M28",
            but(shift_design, {"script": lambda: "BD"}),
            "Your pair for 'script' counts the known characters of the tales only. The question is what the "
            "script adds to the loss on all characters.",
        ),
        Mistake(
            "L22",
            but(shift_design, {"style": lambda: "AE"}),
            "Your pair for 'style' counts the new characters as well, and the poems have more of them "
            "than the tales: style and vocabulary are mixed. Which runs leave the vocabulary out?",
        ),
        Mistake(
            "L22",
            but(shift_design, {"style": lambda: "CG"}),
            "Your pair for 'style' is in a script that the model cannot read, on both sides.",
        ),
        Mistake(
            "L22",
            but(shift_design, {"style": lambda: "DH"}),
            "Your pair for 'style' is in a script that the model cannot read: known characters have forms "
            "there that it has never met.",
        ),
        Mistake(
            "L7",
            but(shift_design, {"vocabulary": lambda: "AB"}),
            "Your pair for 'vocabulary' is about the tales, at home. The question is what new characters "
            "add to the loss of the *poems*.",
        ),
    ),
    advice="The two runs of a pair agree in two columns of the table and differ in the third. Then ask of "
    "the two columns in which they agree: is their value one at which the effect can be seen by itself?",
)

QUESTIONS = (SCRIPT_SHARE, SHIFT_DESIGN)
