"""`HuggingFaceLM`: a causal model of transformers with its tokenizer."""

from __future__ import annotations

import json
from typing import Any, Literal

import numpy as np

from lmmetrics._digest import sha256_of
from lmmetrics._errors import AdvisedError
from lmmetrics._types import Floats, Ints, PathLike
from lmmetrics.adapters._callable import CallableLM
from lmmetrics.extras import need
from lmmetrics.text import TokenizedText

Dtype = Literal["float32", "bfloat16", "float16"]
DTYPES = "float32", "bfloat16", "float16"
LENGTHS = "max_position_embeddings", "n_positions", "n_ctx", "max_seq_len"
"""Where configurations say how many tokens a model reads."""


class HuggingFaceLM(CallableLM):
    """Score texts with a causal language model of transformers, on the device where it is.

    Parameters
    ----------
    model : transformers.PreTrainedModel
        A model that predicts the next token, such as ``AutoModelForCausalLM.from_pretrained(...)``. It is
        put into evaluation mode while it scores, and its weights are never changed.
    tokenizer : transformers.PreTrainedTokenizerBase
        The tokenizer of that model.
    context : int, optional
        As in `CallableLM`; by default what the model's configuration says.
    stride : int, optional
        As in `CallableLM`.
    bos : int, None or "tokenizer"
        As in `CallableLM`. "tokenizer" takes the tokenizer's ``bos_token``, and its ``eos_token`` if it has
        none, as lm-evaluation-harness does. With neither, the first token of each document is not scored.
    batch : int

    Raises
    ------
    TypeError
        If the model is an encoder, or an encoder with a decoder: it has no probability of a text from left
        to right.
    ValueError
        If the configuration does not say how many tokens the model reads, or ``context`` is above that.

    Examples
    --------
    ::

        from transformers import AutoModelForCausalLM, AutoTokenizer
        from lmmetrics import score_text
        from lmmetrics.adapters import HuggingFaceLM

        model = AutoModelForCausalLM.from_pretrained("gpt2")
        lm = HuggingFaceLM(model, AutoTokenizer.from_pretrained("gpt2"), stride=512)
        print(score_text(lm, lm.tokenize(documents)))
    """

    def __init__(
        self,
        model: Any,
        tokenizer: Any,
        *,
        context: int | None = None,
        stride: int | None = None,
        bos: int | Literal["tokenizer"] | None = "tokenizer",
        batch: int = 8,
    ) -> None:
        need("transformers", "transformers")
        self.torch = need("torch", "neural")
        config = getattr(model, "config", None)
        if config is None or not hasattr(tokenizer, "bos_token_id"):  # a string has `encode`, too
            raise TypeError(
                f"model is {type(model).__name__} and tokenizer {type(tokenizer).__name__}; a model of "
                "transformers and its tokenizer are expected. For another model use CallableLM."
            )
        if getattr(config, "is_encoder_decoder", False) or type(model).__name__.endswith("ForMaskedLM"):
            raise TypeError(
                f"{type(model).__name__} does not predict the next token from those before it, so a text has "
                "no probability from left to right. A causal model is expected, such as "
                "AutoModelForCausalLM.from_pretrained(...) of a decoder."
            )
        longest = next((n for key in LENGTHS if isinstance(n := getattr(config, key, None), int)), None)
        if context is None and longest is None:
            raise AdvisedError(
                "{} has to be given: the model's configuration does not say how many tokens it reads.",
                argument="context",
            )
        if context is not None and longest is not None and isinstance(context, int) and context > longest:
            raise AdvisedError(
                f"{{}} is {context}, but the model reads {longest} tokens at most.", argument="context"
            )
        if bos == "tokenizer":
            bos = tokenizer.bos_token_id if tokenizer.bos_token_id is not None else tokenizer.eos_token_id
        size = getattr(config, "vocab_size", None)
        if isinstance(size, int) and isinstance(bos, int) and bos >= size:
            raise ValueError(f"bos is {bos}, but the ids of the model's tokens end at {size - 1}.")
        unk = tokenizer.unk_token_id
        if unk in (tokenizer.bos_token_id, tokenizer.eos_token_id):
            unk = None  # GPT-2 has one token for all three, and no unknown text
        elif isinstance(size, int) and isinstance(unk, int) and unk >= size:
            unk = None  # a token that was added to the tokenizer only
        self.model, self.tokenizer = model, tokenizer
        super().__init__(
            self._forward,
            lambda text: tokenizer.encode(text, add_special_tokens=False, verbose=False),
            lambda ids: tokenizer.decode(ids, skip_special_tokens=False, clean_up_tokenization_spaces=False),
            context=longest if context is None else context,  # type: ignore[arg-type]
            stride=stride,
            bos=bos,
            batch=batch,
            unk=unk,
            name=getattr(config, "_name_or_path", "") or type(model).__name__,
        )

    @classmethod
    def load(
        cls, path: PathLike, *, device: str | None = None, dtype: Dtype | None = None, **options: Any
    ) -> HuggingFaceLM:
        """Load model and tokenizer from a folder, or by their name on the hub. Code that is there is not run.

        Parameters
        ----------
        path : path
            A folder into which ``save_pretrained`` has written both, or a name.
        device : str, optional
            Where the model computes, such as "cpu", "cuda", "cuda:1" or "mps"; by default the processor.
        dtype : {"float32", "bfloat16", "float16"}, optional
            The type of its numbers; by default what transformers chooses. The softmax and the sums are in
            float64 in any case.
        **options
            As above.

        Raises
        ------
        TypeError
            If the folder has no causal model.
        ValueError
            If there is no such device, or weights of the model are missing, which transformers would draw at
            random.
        """
        transformers, torch = need("transformers", "transformers"), need("torch", "neural")
        if dtype is not None and dtype not in DTYPES:
            raise ValueError(f"dtype is {dtype!r}; one of {', '.join(DTYPES)} is expected.")
        place = _device(torch, device)
        config = transformers.AutoConfig.from_pretrained(path, trust_remote_code=False)
        made = getattr(config, "architectures", None) or [type(config).__name__]
        if (
            type(config) not in transformers.MODEL_FOR_CAUSAL_LM_MAPPING
            or getattr(config, "is_encoder_decoder", False)
            or all(name.endswith("ForMaskedLM") for name in made)
        ):
            raise TypeError(
                f"{path} holds {' and '.join(made)}, which does not predict the next token from those before "
                "it, so a text has no probability from left to right. A causal model is expected, such as "
                "GPT2LMHeadModel."
            )
        tokenizer = transformers.AutoTokenizer.from_pretrained(path, trust_remote_code=False)
        named = "dtype" if int(transformers.__version__.partition(".")[0]) > 4 else "torch_dtype"
        model, found = transformers.AutoModelForCausalLM.from_pretrained(
            path,
            output_loading_info=True,
            trust_remote_code=False,
            **({named: getattr(torch, dtype)} if dtype else {}),
        )
        if missing := sorted(found["missing_keys"]):
            raise ValueError(
                f"{path} holds {' and '.join(made)}, but not all weights of {type(model).__name__}: "
                f"{missing[0]} is missing, and would be random. Save the whole causal model."
            )
        return cls(model if place is None else model.to(place), tokenizer, **options)

    def log_probs(self, text: TokenizedText, progress: bool = True) -> Floats:
        """As `CallableLM.log_probs`."""
        training = self.model.training
        self.model.eval()
        try:
            with self.torch.inference_mode():
                return super().log_probs(text, progress)
        finally:
            self.model.train(training)

    @property
    def protocol(self) -> dict[str, str]:
        dtype = str(self.model.dtype).removeprefix("torch.")
        return super().protocol | {"model": f"{self.name} ({dtype}, sums in float64)"}

    @property
    def digest(self) -> str:
        """The SHA-256 of the weights, the tokenizer and the windows: all that the probabilities depend on."""
        said = json.dumps([self.context, self.stride, self.bos, self.unk])
        backend = getattr(self.tokenizer, "backend_tokenizer", None)
        tokens = backend.to_str() if backend else json.dumps(sorted(self.tokenizer.get_vocab().items()))
        return sha256_of((type(self).__name__, said, tokens), self.model.state_dict())

    def _forward(self, ids: Ints) -> Any:
        size = self.model.get_input_embeddings().weight.shape[0]
        if (wrong := ids[ids >= size]).size:
            raise ValueError(
                f"The tokenizer gave the id {wrong[0]} ({self.vocabulary.token(wrong[0])!r}), but the ids of "
                f"the model end at {size - 1}. Either the tokenizer has tokens that were added without "
                "model.resize_token_embeddings and training, or it belongs to another model."
            )
        inputs = self.torch.from_numpy(np.ascontiguousarray(ids)).to(self.model.device)
        return self.model(input_ids=inputs, use_cache=False).logits


def _device(torch: Any, name: str | None) -> Any:
    """The device of a name; an error if this machine has no such device."""
    if name is None:
        return None
    try:
        device = torch.device(name)
        torch.empty(0, device=device)
    except (RuntimeError, AssertionError, NotImplementedError, TypeError, ValueError):
        here = ["cpu", *(f"cuda:{i}" for i in range(torch.cuda.device_count()))]
        here += ["mps"] if torch.backends.mps.is_available() else []
        raise ValueError(f"There is no device {name!r} here. PyTorch finds: {', '.join(here)}.") from None
    if device.type == "meta":
        raise ValueError("The device 'meta' computes nothing. Name another one, such as cpu.")
    return device
