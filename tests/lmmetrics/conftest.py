"""A small random GPT-2 with a tokenizer trained here."""

import pytest

from lmmetrics import corpora


@pytest.fixture(scope="session")
def tales():
    return {name: corpora.load(f"tales-{name}") for name in ("en", "zh")}


@pytest.fixture(scope="session")
def tokenizer(tales):
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
    from transformers import PreTrainedTokenizerFast

    made = Tokenizer(models.BPE())
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=600,
        special_tokens=["<|endoftext|>"],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    made.train_from_iterator([*tales["en"].train, *tales["zh"].train], trainer)
    return PreTrainedTokenizerFast(
        tokenizer_object=made, bos_token="<|endoftext|>", eos_token="<|endoftext|>", unk_token="<|endoftext|>"
    )


@pytest.fixture(scope="session")
def gpt2(tokenizer):
    import torch
    from transformers import GPT2Config, GPT2LMHeadModel

    torch.manual_seed(7)
    config = GPT2Config(
        vocab_size=len(tokenizer), n_positions=48, n_embd=32, n_layer=2, n_head=2,
        bos_token_id=0, eos_token_id=0, initializer_range=0.6,
    )  # fmt: skip
    return GPT2LMHeadModel(config).eval()
