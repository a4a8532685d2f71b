"""A digest of what the probabilities of a model depend on: its options, its tables, its weights."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from lmmetrics.extras import need

Part = str | bytes | np.ndarray


def sha256_of(parts: Iterable[Part], weights: Mapping[str, Any] | None = None) -> str:
    """Return the SHA-256 of parts, each with its length, so that no two sequences of parts look alike.

    Parameters
    ----------
    parts : iterable of str, bytes or array
    weights : mapping of str to tensor, optional
        Those of a model of PyTorch, ``model.state_dict()``; one after the other is brought to the processor.
    """
    found = hashlib.sha256()
    for part in parts:
        _add(found, part)
    for name, tensor in sorted(weights.items()) if weights is not None else ():
        flat = tensor.detach().cpu().contiguous().flatten()
        _add(found, f"{name} {tensor.dtype} {tuple(tensor.shape)}")
        octets = flat.view(need("torch", "neural").uint8).numpy() if flat.numel() else b""
        _add(found, octets)  # NumPy has no bfloat16
    return found.hexdigest()


def _add(found: Any, value: Part) -> None:
    if isinstance(value, np.ndarray):
        _add(found, f"{value.dtype.str}{value.shape}")
        found.update(np.ascontiguousarray(value).data.cast("B") if value.size else b"")
        return
    data = value.encode("utf-8", "surrogatepass") if isinstance(value, str) else value
    found.update(len(data).to_bytes(8, "little") + data)
