"""The models that a command is given, and the scores of texts with them."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from lmmetrics._commands.documents import documents_of, suggestion
from lmmetrics.adapters import HuggingFaceLM
from lmmetrics.ngram import NGramModel
from lmmetrics.scoring import score_documents
from lmmetrics.text import tokenize

MODELS = """\
MODEL is an ARPA file (.arpa or .arpa.gz), the folder of a counted model that was saved, or a folder with a
causal model of transformers.
"""


def scored(options: argparse.Namespace, path: str) -> tuple[list[str], list[Any], Any]:
    """The names of the documents, their scores, and the text."""
    model, text, names = read(options, path)
    jobs = getattr(options, "jobs", 1)
    if jobs != 1 and not isinstance(model, NGramModel):
        raise ValueError("--jobs is for counted models; those of transformers use all cores by themselves.")
    return names, score_documents(model, text, eos=not options.no_eos, jobs=jobs), text


def read(options: argparse.Namespace, path: str) -> tuple[Any, Any, list[str]]:
    """A model, the text in its tokens, and the names of the documents."""
    found = documents_of(options)
    model = model_of(path, options)
    documents = [document for _, document in found]
    if isinstance(model, NGramModel):
        text = tokenize(documents, by=options.by, sentences="line", vocabulary=model.vocabulary)
    else:
        text = model.tokenize(documents)
    return model, text, [name for name, _ in found]


def model_of(path: str, options: argparse.Namespace) -> NGramModel | HuggingFaceLM:
    """The model in a file or a folder."""
    load, _ = loader_of(path, options)
    return load()


def loader_of(path: str, options: argparse.Namespace) -> tuple[Callable[[], Any], bool]:
    """A function that loads the model in a file or a folder, and whether it is a counted one."""
    if not Path(path).exists():
        raise FileNotFoundError(f"There is no {path}.{suggestion(path)}")
    if path.endswith((".arpa", ".arpa.gz")):
        return partial(NGramModel.from_arpa, path), True
    if (Path(path) / "model.json").is_file():
        return partial(NGramModel.load, path), True
    if (Path(path) / "config.json").is_file():
        return partial(HuggingFaceLM.load, path, context=options.context, stride=options.stride), False
    raise ValueError(f"{path} is not a model. {' '.join(MODELS.split())}")
