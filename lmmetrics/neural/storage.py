"""A model in a file: its kind, its options, its vocabulary, its weights. No code is stored or run."""

import os

import torch

from lmmetrics.text import Vocabulary


def save(model, path):
    """Write a model; the file is complete or not there."""
    spelling = [*model._spelling[0], model._spelling[1]]  # strings, or bytes: kept as Latin-1 strings
    in_bytes = isinstance(spelling[-1], bytes)
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


def load(path):
    """Read a model that ``model.save(path)`` wrote.

    Raises
    ------
    ValueError
        When the file holds no model of this library.
    """
    from lmmetrics import neural

    try:
        saved = torch.load(path, weights_only=True)
        kind = getattr(neural, saved["kind"])
    except FileNotFoundError:
        raise
    except Exception as error:
        raise ValueError(
            f"{path} holds no neural model; a file that model.save(path) wrote is expected"
        ) from error
    special = 3 if saved["unk"] else 2
    model = kind(Vocabulary(saved["tokens"][special:], unk=saved["unk"]), **saved["config"])
    model.load_state_dict(saved["weights"])
    spelling = [piece.encode("latin-1") if saved["in_bytes"] else piece for piece in saved["spelling"]]
    model._spelling, model.state = (spelling[:-1], spelling[-1]), saved["state"]
    if saved["stride"] is not None:
        model.stride = saved["stride"]
    return model.eval()


def write(content, path):
    """Write with torch.save beside the file and move it there, so that no half file is ever read."""
    beside = f"{os.fspath(path)}.part"
    torch.save(content, beside)
    os.replace(beside, path)
