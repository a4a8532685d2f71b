"""Chapter 14, a run that broke off: which of its files count, and which shards are to be scored again."""

import math
import re
from functools import partial

import numpy as np

from lmcourse.hints.answers import plain_data
from lmcourse.hints.question import Mistake, Property, Question
from lmcourse.questions.shared.wrong import but

# --- exact-resume ----------------------------------------------------------------------------------------


def _agree(files):
    """Whether all files of a shard hold the same scores."""
    one = files[0]
    return all(
        other["tokens"] == one["tokens"] and abs(other["nats"] - one["nats"]) <= 1e-9 * one["nats"]
        for other in files
    )


def collect(
    plan, files, asks=("whole", "model", "text"), once=True, conflict="refuse", strangers=False, again="count"
):
    """Nats and tokens of the shards that are done, each once, and the names of those to score."""
    good = {}
    for file in files:
        known = file["shard"] in plan["texts"] or strangers
        fits = {
            "whole": file["whole"],
            "model": file["model"] == plan["model"],
            "text": file["text"] == plan["texts"].get(file["shard"], file["text"]),
        }
        if known and all(fits[name] for name in asks):
            good.setdefault(file["shard"], []).append(file)
    counted, todo = [], [name for name in plan["texts"] if name not in good]
    for name, some in good.items():
        if not once:
            counted += some
        elif (_agree(some) and (again == "count" or len(some) == 1)) or conflict == "first":
            counted.append(some[0])
        elif conflict == "last":
            counted.append(some[-1])
        else:
            todo.append(name)
    return {
        "nats": math.fsum(file["nats"] for file in counted),
        "tokens": float(sum(file["tokens"] for file in counted)),
        "todo": "; ".join(sorted(todo)),
    }


def _everything(plan, files):
    """As if every file counted, each time."""
    return collect(plan, files, asks=(), once=False, strangers=True)


def read_names(answer, *case):
    """Read an answer whose names may be a list, in any order, or be separated by commas or blanks."""
    answer = plain_data(answer)
    if isinstance(answer, dict) and "todo" in answer:
        given = answer["todo"].tolist() if isinstance(answer["todo"], np.ndarray) else answer["todo"]
        if isinstance(given, str):
            given = [name for name in re.split(r"[;,\s]+", given) if name]
        if isinstance(given, list | tuple | set | frozenset):
            answer = answer | {"todo": "; ".join(sorted(str(name).strip().lower() for name in given))}
    return answer, {}


def _draw_files(rng):
    """A run with every kind of file: whole, restarted, broken off, of another model, of an older text."""
    names = [f"part-{i:02}" for i in range(int(rng.integers(8, 11)))]
    model, older = (f"{word}{rng.integers(10, 99)}" for word in ("a7f3", "09c1"))
    texts = {name: f"{rng.integers(16**6, 16**7):x}" for name in names}
    plan = {"model": model, "texts": texts}

    def file(name, **changed):
        tokens = int(rng.integers(800, 3000))
        nats = round(float(tokens * rng.uniform(2, 4)), 4)
        made = {"shard": name, "model": model, "text": texts[name], "whole": True}
        return made | {"tokens": tokens, "nats": nats} | changed

    shuffled = rng.permutation(names).tolist()
    again, clash, cut, other, old, _, *rest = shuffled
    files = [file(name) for name in rest]
    twice = file(again)
    files += [twice, dict(twice)]
    files += [file(clash), file(clash)]
    files += [file(cut, whole=False)]
    files += [file(other, model=older)]
    files += [file(old, text="00ff00"), _stranger(file, names[0])]
    if rng.random() < 0.5:  # a shard that was cut off, and then scored again
        files += [file(rest[0], whole=False)]
    return plan, [files[i] for i in rng.permutation(len(files))]


def _stranger(file, name):
    """A whole file of a shard that the plan does not have."""
    return file(name) | {"shard": "part-99", "text": "3c3c3c"}


def _draw_done(rng):
    """A run that is complete: every shard once."""
    plan, files = _draw_files(rng)
    texts = plan["texts"]
    found = {file["shard"]: file for file in files if file["shard"] in texts}
    shards = list(texts)
    whole = [
        found.get(name, files[0])
        | {"shard": name, "model": plan["model"], "text": texts[name], "whole": True}
        for name in shards
    ]
    return plan, whole


EXACT_RESUME = Question(
    key="14.exact-resume",
    title="a run that broke off",
    kind="implement",
    stars=3,
    points=3,
    right=collect,
    cases=(_draw_files(np.random.default_rng(1451)), _draw_files(np.random.default_rng(1452))),
    draw=_draw_files,
    odd=(_draw_done, lambda rng: (_draw_files(rng)[0], [])),
    rtol=1e-9,
    reading=read_names,
    entry_points={"nats": 1, "tokens": 1, "todo": 1},
    mistakes=(
        Mistake(
            "M88",
            partial(collect, once=False),
            "You count every file, so that a shard which was scored again after a restart is counted twice. "
            "Count each shard once.",
        ),
        Mistake(
            "L41",
            partial(collect, conflict="first"),
            "A shard has two whole files that disagree, and you take the one that comes first. Nothing says "
            "which of the two is right: score the shard again.",
        ),
        Mistake(
            "L41",
            partial(collect, conflict="last"),
            "A shard has two whole files that disagree, and you take the one that comes last. Nothing says "
            "which of the two is right: score the shard again.",
        ),
        Mistake(
            "L41",
            but(collect, {"todo": lambda *case: collect(*case, conflict="first")["todo"]}),
            "Your 'todo' lacks a shard whose whole files disagree. It is not done, although it has files.",
        ),
        Mistake(
            "L41",
            but(collect, {"todo": lambda *case: _everything(*case)["todo"]}),
            "Your 'todo' lists only the shards that have no file at all. A shard without a file that "
            "counts is not done either.",
        ),
        Mistake(
            "M88",
            lambda plan, files: _everything(plan, files),
            "You add up every file in the folder, whatever it is. Go through the conditions under which a "
            "file counts, and count each shard once.",
        ),
        Mistake(
            "L28",
            partial(collect, again="refuse"),
            "You score a shard again although its whole files agree. A shard that was scored twice with the "
            "same result is done.",
        ),
        Mistake(
            "M17",
            partial(collect, asks=("model", "text")),
            "You count a file that was not completely written. It contains only part of its shard.",
        ),
        Mistake(
            "L15",
            partial(collect, asks=("whole", "text")),
            "You count a file that comes from another model. A sum of the surprisals of two models is not "
            "the surprisal under either of them.",
        ),
        Mistake(
            "M39",
            partial(collect, asks=("whole", "model")),
            "You count a file whose text is not the one of the plan. The text of the shard has changed since "
            "it was written.",
        ),
        Mistake(
            "L27",
            partial(collect, strangers=True),
            "You count a shard that is not in the plan. Its text does not belong to this test set.",
        ),
    ),
    properties=(
        Property(
            "'todo' contains a name twice",
            lambda value, *case: len(set(value["todo"].split("; "))) == len(value["todo"].split("; ")),
        ),
    ),
    advice="First collect the files that count, by shard. Then decide about each shard of the plan: no file, "
    "files that agree, or files that do not.",
)

QUESTIONS = (EXACT_RESUME,)
