"""The models that a command is given, and the scores of texts with them."""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from tqdm import tqdm

from lmmetrics._commands.documents import EMPTY, SPECIAL, documents_of, existing
from lmmetrics._commands.faults import raised_here
from lmmetrics._commands.output import warn
from lmmetrics._commands.parser import BY
from lmmetrics._progress import shown
from lmmetrics.adapters import HuggingFaceLM
from lmmetrics.extras import need
from lmmetrics.ngram import NGramModel
from lmmetrics.ngram._shared import tables_of
from lmmetrics.scoring import score_documents
from lmmetrics.scoring._shared import protocol_lines
from lmmetrics.text import tokenize

KIND = {"whitespace": "word", "word": "word", "char": "char", "byte": "byte"}
"""What the tokens are that --by makes."""
DELAY = 5
"""Seconds after which a command that scores shows what it is doing."""
MODELS = """\
MODEL is an ARPA file (gzip may have packed it), the folder of a counted model that was saved, or a folder
with a causal model of transformers.
"""


class Scored(NamedTuple):
    """The names of the documents, their scores, and the lines of the protocol card."""

    names: list[str]
    scores: list[Any]
    total: Any
    card: dict[str, str]
    respaced: bool
    """Whether the bytes are not those of the texts, because the model reads one blank between two tokens."""
    learned_unk: bool
    """Whether the model has learned where a <unk> stands."""
    lacks_unk: bool
    """Whether it is a counted model without <unk>."""


def scored(options: argparse.Namespace, path: str) -> Scored:
    """Score the texts with a model."""
    with steps() as begin:
        model, text, names = read(options, path, begin)
        begin("scoring")
        eos = not options.no_eos
        how: Any = {"eos": eos, "unknown": options.unknown}
        scores = score_documents(model, text, **how, jobs=getattr(options, "jobs", 1))
        if not any(score.tokens for score in scores):
            raise ValueError(EMPTY)
    total = sum(scores[1:], start=scores[0])
    card = protocol_lines(model, text, total, **how, **notes_of(options, path, text))
    respaced = respaced_from(options, text) is not None
    lacks_unk = isinstance(model, NGramModel) and model.vocabulary.unk is None
    return Scored(names, scores, total, card, respaced, learned_unk(model), lacks_unk)


def unknown_of(total: Any, learned: bool) -> tuple[int, str]:
    """How many tokens are unknown to a model, and how many of them are written <unk> in the text."""
    written = 0 if learned else total.written
    return total.unknown + written, f", of which {written:,} are written <unk> in the text" * (written > 0)


def learned_unk(model: Any) -> bool:
    """Whether a counted model has n-grams that end in <unk>: then it was in the text that was counted."""
    if not isinstance(model, NGramModel) or (unk := model.vocabulary.unk) is None:
        return False
    return any(bool((level.tokens == unk).any()) for level in tables_of(model).levels[1:])


def notes_of(options: argparse.Namespace, path: str, text: Any) -> dict[str, Any]:
    """What the command line adds to a card: the file of the model, and which bytes are counted."""
    notes = {"file": os.path.basename(os.path.abspath(path))}
    if text.spelling.label != "whitespace":
        return notes | {"bytes": "those of the texts as they are"}
    notes["bytes"] = "those of the tokens, with one blank between two"
    if raw := respaced_from(options, text):
        notes["bytes"] += f" ({text.bytes:,}); the texts have {raw:,}"
    return notes


def respaced_from(options: argparse.Namespace, text: Any) -> int | None:
    """The bytes of the texts as they are, if the model reads other blanks between the tokens."""
    raw = sum(len(document.encode()) for _, document in documents_of(options))
    return raw if text.spelling.label == "whitespace" and raw != text.bytes else None


@contextlib.contextmanager
def steps() -> Iterator[Callable[[str], None]]:
    """A bar that appears if a counted model takes long, and a function to call when a step begins.

    Models of transformers have a bar of their own below it, for the tokens.
    """
    start = time.monotonic()
    with tqdm(total=4, unit="step", delay=DELAY, leave=False, **shown(True)) as bar:
        begun = False

        def begin(step: str) -> None:
            nonlocal begun
            bar.update(begun)
            begun = True
            late = time.monotonic() - start >= DELAY  # a new name would make the bar appear before
            bar.set_description_str(step, refresh=late)

        yield begin


def read(
    options: argparse.Namespace, path: str, begin: Callable[[str], object] = lambda step: None
) -> tuple[Any, Any, list[str]]:
    """A model, the text in its tokens, and the names of the documents."""
    begin("reading the texts")
    found = documents_of(options)
    begin("reading the model")
    model = loading(path, options)()
    documents = [document for _, document in found]
    begin("cutting the texts into tokens")
    if loader_of(path).cut:
        by = by_of(model, path, options)
        if by == "char" and (word := word_of(model)):
            warn(
                f"The tokens of {path} are words, such as {word}, and --by char cuts the texts into "
                "characters, so that this model predicts little else than <unk>. Leave out --by."
            )
        text = tokenize(documents, by=by, sentences=sentences_of(model), vocabulary=model.vocabulary)
    else:
        text = model.tokenize(documents)
    if not len(text):
        raise ValueError(EMPTY)
    return model, text, [name for name, _ in found]


def by_of(model: Any, path: str, options: argparse.Namespace) -> Any:
    """How the text of a counted model is cut: as the options say, or else as the saved model says."""
    label = model.spelling.label  # of an ARPA file, which does not say it, "model"
    if options.by and label in BY and KIND.get(options.by) != KIND.get(label):
        raise ValueError(
            f"{path} was counted in tokens of the kind {label}, and --by {options.by} cuts the texts into "
            "others. Leave it out."
        )
    if options.by or label in BY:
        return options.by or label
    if label != "model":
        raise ValueError(
            f"{path} was counted in tokens of the kind {label}, which this command cannot cut. If blanks "
            "separate such tokens in the text, use --by whitespace; else score it in Python."
        )
    return "whitespace"


def sentences_of(model: Any) -> Any:
    """What a sentence was where a counted model was made: a line, as in every ARPA file, or a document."""
    if model.spelling.label == "model":
        return "line"
    return model.spelling.sentences  # of an old folder None, which is what is usual for its tokens


def word_of(model: Any) -> str | None:
    """A token of a counted model, if most of its tokens have several characters."""
    tokens = list(model.vocabulary.tokens)
    long = [token for token in tokens if len(token) > 1 and token not in SPECIAL]
    return long[0] if 2 * len(long) > len(tokens) else None


def check_options(options: argparse.Namespace, *paths: str) -> None:
    """An error if an option is given that none of the models heeds."""
    loaders = [loader_of(path) for path in paths]
    heeded = {name for loader in loaders for name in loader.heeds}
    for other in LOADERS:
        if refused := [name for name in other.heeds if name not in heeded and given(options, name)]:
            option = refused[0].replace("_", "-")
            raise ValueError(
                f"--{option} is for {other.many}, and {paths[0]} is {loaders[0].one}. Leave it out."
            )


def given(options: argparse.Namespace, name: str) -> bool:
    """Whether a command has an option that only some models heed, and was given it."""
    unset = {"jobs": 1, "no_eos": False, "unknown": "score"}.get(name)
    return getattr(options, name, unset) != unset


def loading(path: str, options: argparse.Namespace) -> partial[Any]:
    """A function that loads the model in a file or a folder; another process can be sent it."""
    loader = loader_of(path)
    return partial(
        loader.load, path, **{name: getattr(options, name) for name in loader.takes if given(options, name)}
    )


class Loader(NamedTuple):
    """A kind of model that a command can be given."""

    one: str
    many: str
    fits: Callable[[str], bool]
    """Whether a path names such a model."""
    load: Callable[..., Any]
    takes: tuple[str, ...] = ()
    """The options that `load` takes, by name."""
    cut: tuple[str, ...] = ()
    """The options for models without a tokenizer of their own: the command cuts the text."""

    @property
    def heeds(self) -> tuple[str, ...]:
        """The options that say something to such a model, and not to every other."""
        return self.takes + self.cut


def loader_of(path: str) -> Loader:
    """The kind of the model in a file or a folder."""
    try:
        existing(path)
    except FileNotFoundError as error:
        if Path(path).suffix or str(error).endswith("?"):
            raise
        raise FileNotFoundError(
            f"{error} If it is the name of a model on the web, download the model and name its folder."
        ) from None
    for loader in LOADERS:
        if loader.fits(path):
            return loader
    raise ValueError(f"{path} is not a model. {' '.join(MODELS.split())}")


def loaded(path: str, **options: Any) -> HuggingFaceLM:
    """The model of transformers in a folder; an error of another library gets the name of the folder."""
    os.environ.setdefault("TRANSFORMERS_VERBOSITY", "error")
    config = Path(path) / "config.json"
    try:
        json.loads(config.read_bytes())
    except ValueError:
        raise ValueError(f"{config} is damaged: it is not JSON.") from None
    if not sys.stderr.isatty():
        need("transformers.utils.logging", "transformers").disable_progress_bar()
    try:
        return HuggingFaceLM.load(path, **options)
    except Exception as error:
        if raised_here(error) or isinstance(error, MemoryError | PermissionError):
            raise
        reason = next(iter(str(error).strip().splitlines()), "") or type(error).__name__
        raise ValueError(
            f"Transformers cannot load the model in {path}: {reason[:300]}\nA folder is expected into which "
            "save_pretrained has written a causal model and its tokenizer."
        ) from error


COUNTED = partial(Loader, "a counted model", "counted models", cut=("by", "jobs", "no_eos", "unknown"))
LOADERS = (
    COUNTED(lambda path: not Path(path).is_dir(), NGramModel.from_arpa),
    COUNTED(lambda path: (Path(path) / "model.json").is_file(), NGramModel.load),
    Loader(
        "a model of transformers",
        "models of transformers",
        lambda path: (Path(path) / "config.json").is_file(),
        loaded,
        takes=("context", "stride", "batch", "device", "dtype"),
    ),
)
"""The first that fits is taken."""
