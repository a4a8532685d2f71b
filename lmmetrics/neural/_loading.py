"""Read a model from a file: the counterpart of `lmmetrics.neural._storage`."""

import torch

from lmmetrics._types import PathLike
from lmmetrics.neural._base import NeuralLM
from lmmetrics.neural._feedforward import FeedForwardLM, SoftmaxBigram
from lmmetrics.neural._recurrent import RecurrentLM
from lmmetrics.neural._transformer import TransformerLM
from lmmetrics.text import Spelling, Vocabulary

KINDS = {kind.__name__: kind for kind in (FeedForwardLM, SoftmaxBigram, RecurrentLM, TransformerLM)}


def load(path: PathLike) -> NeuralLM:
    """Read a model that ``model.save(path)`` wrote.

    Raises
    ------
    ValueError
        If the file does not contain a model of this library.
    """
    try:
        saved = torch.load(path, weights_only=True)
        kind = KINDS[saved["kind"]]
    except FileNotFoundError:
        raise
    except Exception as error:
        raise ValueError(
            f"{path} does not contain a neural model; a file that model.save(path) wrote is expected."
        ) from error
    special = 3 if saved["unk"] else 2
    model = kind(Vocabulary(saved["tokens"][special:], unk=saved["unk"]), **saved["config"])
    model.load_state_dict(saved["weights"])
    spelling = [piece.encode("latin-1") if saved["in_bytes"] else piece for piece in saved["spelling"]]
    model.spelling, model.state = Spelling(spelling[:-1], spelling[-1]), saved["state"]
    if saved["stride"] is not None:
        model.stride = saved["stride"]
    return model.eval()
