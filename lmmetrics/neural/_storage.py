"""Write a model to a file: its kind, options, vocabulary and weights. No code is stored or run."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch

from lmmetrics._types import PathLike

if TYPE_CHECKING:
    from lmmetrics.neural._base import NeuralLM


def save(model: NeuralLM, path: PathLike) -> None:
    """Write a model; see `NeuralLM.save`."""
    pieces, separator, *_ = model.spelling
    in_bytes = isinstance(separator, bytes)  # bytes are kept as Latin-1 strings
    spelling = [*pieces, separator]
    write(
        {
            "kind": type(model).__name__,
            "config": model.config,
            "tokens": list(model.vocabulary.tokens),
            "unk": model.vocabulary.unk is not None,
            "spelling": [piece.decode("latin-1") if in_bytes else piece for piece in spelling],
            "in_bytes": in_bytes,
            "state": model.state,
            "stride": getattr(model, "stride", None),
            "weights": model.state_dict(),
        },
        path,
    )


def write(content: dict[str, Any], path: PathLike) -> None:
    """Write with torch.save to a temporary file and rename it, so that no incomplete file is ever read."""
    beside = f"{os.fspath(path)}.part"
    try:
        torch.save(content, beside)
        os.replace(beside, path)
    except BaseException:
        Path(beside).unlink(missing_ok=True)
        raise
