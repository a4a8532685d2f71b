"""The adapters against lm-evaluation-harness, the guide of Hugging Face and a plain loop."""

import copy
import math
import re

import numpy as np
import pytest
import torch

from lmmetrics import compare_scores, score_documents, score_text
from lmmetrics.adapters import CallableLM, HuggingFaceLM
from tests.lmmetrics.bad_calls import says_what_is_expected

TEXTS = {
    "English": "The cat sleeps under the table, and the dog eats.\nIt rains.",
    "Chinese": "貓在桌子下面睡覺。狗在吃東西。",
    "mixed": "naïve 猫 🐈‍⬛ café\r\n\ttab",
    "empty": "",
    "one letter": "a",
    "long": "The king had three sons, and each of them wanted the crown. " * 12,
}


def plain_loop(model, tokenizer, document, bos=0):
    """The log probability of each token after all tokens before it: one call of the model a token."""
    ids = ([] if bos is None else [bos]) + tokenizer.encode(document, add_special_tokens=False)
    found = []
    with torch.inference_mode():
        for t in range(1, len(ids)):
            logits = model(input_ids=torch.tensor([ids[:t]])).logits[0, -1].double()
            found.append(logits.log_softmax(-1)[ids[t]].item())
    return np.array(found)


@pytest.fixture(scope="module")
def documents(tales):
    return [*TEXTS.values(), tales["en"].test[0][:700], tales["zh"].test[0][:300]]


def test_short_texts_are_scored_as_by_a_plain_loop(gpt2, tokenizer):
    for bos in ("tokenizer", None):
        lm = HuggingFaceLM(gpt2, tokenizer, bos=bos)
        for name in ("English", "Chinese", "mixed", "empty", "one letter"):
            text = lm.tokenize([TEXTS[name]])
            expected = plain_loop(gpt2, tokenizer, TEXTS[name], bos=None if bos is None else 0)
            assert len(expected) <= 47  # one window
            np.testing.assert_allclose(lm.log_probs(text), expected, atol=1e-5)


HARNESS = {
    48: [-313.575, -321.655, -349.333, -9.112, -3197.623, -4056.539, -5249.063],
    17: [-317.142, -305.895, -341.593, -9.112, -3231.478, -4087.556, -5321.64],
    1: [-318.661, -315.615, -355.469, -9.112, -3331.908, -4002.94, -5335.464],
}
"""What `loglikelihood_rolling` of lm-eval 0.4.13 returned for the documents but the empty one, by context.
lm-eval cannot be among the packages for the tests: some of its dependencies exist as source archives only."""


@pytest.fixture(scope="module")
def not_empty(documents):
    return [text for text in documents if text]


@pytest.mark.parametrize("context", HARNESS)
def test_disjoint_windows_are_those_of_the_harness(gpt2, tokenizer, not_empty, context):
    lm = HuggingFaceLM(gpt2, tokenizer, context=context, stride=context)
    ours = score_documents(lm, lm.tokenize(not_empty))
    assert [-score.nats for score in ours] == pytest.approx(HARNESS[context], rel=1e-4)


@pytest.mark.parametrize("context", HARNESS)
def test_the_harness_itself_agrees(gpt2, tokenizer, not_empty, context):
    """Its log-likelihoods, and the three numbers that it prints of them."""
    pytest.importorskip("lm_eval", reason="not installed: pip install lm-eval accelerate")
    from lm_eval.api.instance import Instance
    from lm_eval.api.metrics import bits_per_byte, weighted_perplexity
    from lm_eval.models.huggingface import HFLM

    harness = HFLM(pretrained=gpt2, tokenizer=tokenizer, max_length=context, batch_size=4)
    requests = [Instance("loglikelihood_rolling", {}, (text,), i) for i, text in enumerate(not_empty)]
    theirs = harness.loglikelihood_rolling(requests, disable_tqdm=True)
    assert theirs == pytest.approx(HARNESS[context], rel=1e-4)

    lm = HuggingFaceLM(gpt2, tokenizer, context=context, stride=context)
    total = score_text(lm, lm.tokenize(not_empty))
    by_bytes = [(nats, len(text.encode())) for text, nats in zip(not_empty, theirs, strict=True)]
    assert total.bytes == sum(length for _, length in by_bytes)
    assert total.bits_per("byte") == pytest.approx(bits_per_byte(by_bytes), rel=1e-6)
    assert total.perplexity_per("byte") == pytest.approx(weighted_perplexity(by_bytes), rel=1e-6)
    english = [(text, nats) for text, nats in zip(not_empty, theirs, strict=True) if text.isascii()]
    pooled = score_text(lm, lm.tokenize([text for text, _ in english]))
    by_words = [(nats, len(text.split())) for text, nats in english]
    assert len(english) > 2
    assert pooled.perplexity_per("word") == pytest.approx(weighted_perplexity(by_words), rel=1e-6)


@pytest.mark.parametrize(("context", "stride"), [(48, 24), (20, 7), (20, 20), (9, 2)])
def test_strided_windows_are_those_of_the_guide(gpt2, tokenizer, documents, context, stride):
    """The loop of "Perplexity of fixed-length models", but for its last window (see `CallableLM`)."""
    model = copy.deepcopy(gpt2).double()  # in float32, a batch of another size moves the last digits
    lm = HuggingFaceLM(model, tokenizer, context=context, stride=stride, batch=3)
    text = lm.tokenize(documents)
    found = lm.log_probs(text)
    for i, document in enumerate(documents):
        ids = [0, *tokenizer.encode(document, add_special_tokens=False)]
        theirs, end = [], 1
        for begin in range(0, len(ids), stride):
            before, end = end, min(begin + context + 1, len(ids))
            if end == 1:
                break  # an empty document
            with torch.inference_mode():
                logits = model(input_ids=torch.tensor([ids[begin : end - 1]])).logits[0].double()
            log_probs = logits.log_softmax(-1)[np.arange(len(logits)), ids[begin + 1 : end]].tolist()
            if end == len(ids) and begin > 0:
                break  # the last window
            theirs += log_probs[len(log_probs) - (end - before) :]
            if end == len(ids):
                break
        ours = found[text.document_starts[i] : text.document_starts[i + 1]]
        np.testing.assert_allclose(ours[: len(theirs)], theirs, atol=1e-9)
        assert 0 <= len(ours) - len(theirs) <= stride


def test_the_first_token_counts_no_characters_if_it_is_not_scored(gpt2, tokenizer):
    lm = HuggingFaceLM(gpt2, tokenizer, bos=None)
    for text in TEXTS.values():
        ids = tokenizer.encode(text, add_special_tokens=False)
        made = lm.tokenize([text])
        first = tokenizer.decode(ids[:1]) if ids else ""
        assert len(made) == max(0, len(ids) - 1) and text.endswith(made.decode()[0])
        if "\N{REPLACEMENT CHARACTER}" in first:  # a part of a character
            assert made.decode()[0] == text[1:]
        else:
            assert first + made.decode()[0] == text
        assert made.bytes == len(made.decode()[0].encode()) and made.chars == len(made.decode()[0])


def test_batches_change_nothing(gpt2, tokenizer, documents):
    one = HuggingFaceLM(gpt2, tokenizer, context=32, batch=1)
    many = HuggingFaceLM(gpt2, tokenizer, context=32, batch=64)
    a, b = (score_text(lm, lm.tokenize(documents)) for lm in (one, many))
    assert a.nats == pytest.approx(b.nats, rel=1e-7) and repr(a) == repr(b)
    shuffled = documents[::-1]
    assert score_text(many, many.tokenize(shuffled)).nats == pytest.approx(b.nats, rel=1e-7)


def test_documents_are_pooled(gpt2, tokenizer, documents):
    lm = HuggingFaceLM(gpt2, tokenizer)
    text = lm.tokenize(documents)
    alone = [score_text(lm, lm.tokenize([document])) for document in documents]
    for i, (score, together) in enumerate(zip(alone, score_documents(lm, text), strict=True)):
        assert together.nats == pytest.approx(score.nats, rel=1e-6)
        assert (together.tokens, together.chars, together.bytes) == (score.tokens, score.chars, score.bytes)
        assert score_text(lm, text.document(i)).nats == pytest.approx(score.nats, rel=1e-6)
        assert text.document(i).decode() == [documents[i]]
    assert "".join(text.strings()[:10]).startswith("The cat")


def test_half_precision_is_summed_in_double(gpt2, tokenizer, documents):
    lm = HuggingFaceLM(gpt2, tokenizer)
    exact = score_text(lm, lm.tokenize(documents))
    for dtype, near in ((torch.bfloat16, 0.05), (torch.float64, 1e-5)):
        other = HuggingFaceLM(type(gpt2)(gpt2.config).to(dtype), tokenizer)
        other.model.load_state_dict(gpt2.state_dict())
        assert score_text(other, other.tokenize(documents)).nats == pytest.approx(exact.nats, rel=near)
        assert str(dtype).removeprefix("torch.") in other.protocol["model"]
    rng = np.random.default_rng(0)
    logits = rng.normal(size=(1, 30, 128)).astype(np.float32)
    lm = ascii_model(lambda ids: np.repeat(logits[:, : ids.shape[1]], len(ids), axis=0))
    wide = logits[0, :4].astype(np.float64)
    expected = wide[np.arange(4), list(b"abcd")] - np.log(np.exp(wide).sum(axis=1))
    np.testing.assert_allclose(lm.log_probs(lm.tokenize(["abcd"])), expected, rtol=1e-13)


def test_the_model_is_left_as_it_was(gpt2, tokenizer):
    gpt2.train()
    lm = HuggingFaceLM(gpt2, tokenizer)
    first, second = (score_text(lm, lm.tokenize(["The cat sleeps."])).nats for _ in range(2))
    assert gpt2.training and first == second  # without dropout
    gpt2.eval()


def test_models_with_other_tokens_are_compared_per_byte(gpt2, tokenizer, tales):
    documents = [tale[:400] for tale in tales["en"].test]
    a = HuggingFaceLM(gpt2, tokenizer)
    b = ascii_model(lambda ids: np.zeros((*ids.shape, 128)))
    plain = [text.encode("ascii", "ignore").decode() for text in documents]
    found = compare_scores(
        score_documents(a, a.tokenize(plain)), score_documents(b, b.tokenize(plain)), unit="byte"
    )
    assert found.b.bits_per("byte") == pytest.approx(7)
    with pytest.raises(TypeError, match="other tokens"):
        a.log_probs(b.tokenize(plain))


def test_a_saved_model_is_loaded(gpt2, tokenizer, tmp_path):
    gpt2.save_pretrained(tmp_path)
    tokenizer.save_pretrained(tmp_path)
    lm, again = HuggingFaceLM(gpt2, tokenizer), HuggingFaceLM.load(tmp_path)
    texts = [TEXTS["long"]]
    assert score_text(again, again.tokenize(texts)).nats == score_text(lm, lm.tokenize(texts)).nats
    assert again.context == 48 and str(tmp_path) in again.protocol["model"]


def test_a_saved_model_is_loaded_in_a_type_and_on_a_device(gpt2, tokenizer, documents, tmp_path):
    gpt2.save_pretrained(tmp_path)
    tokenizer.save_pretrained(tmp_path)
    half = HuggingFaceLM.load(tmp_path, dtype="bfloat16", device="cpu", batch=3)
    assert (str(half.model.dtype), half.model.device.type, half.batch) == ("torch.bfloat16", "cpu", 3)
    assert "bfloat16" in half.protocol["model"]
    whole = HuggingFaceLM.load(tmp_path)
    nats = [score_text(lm, lm.tokenize(documents)).nats for lm in (half, whole)]
    assert nats[0] == pytest.approx(nats[1], rel=0.02) and nats[0] != nats[1]
    for options, says in (
        ({"dtype": "float61"}, "dtype is 'float61'; one of float32, bfloat16, float16 is expected"),
        ({"device": "cuda:99"}, "There is no device 'cuda:99' here. PyTorch finds: cpu"),
        ({"device": "tpo"}, "There is no device 'tpo' here"),
        ({"device": "meta"}, "The device 'meta' computes nothing"),
        ({"batch": 0}, "batch is 0"),
    ):
        with pytest.raises(ValueError, match=re.escape(says)):
            HuggingFaceLM.load(tmp_path, **options)


def test_a_folder_without_a_causal_model_is_refused(tokenizer, tmp_path):
    """A part that transformers would draw at random gives a number that means nothing."""
    import transformers as t

    small = {"hidden_size": 8, "intermediate_size": 8, "num_hidden_layers": 1, "num_attention_heads": 1}
    small |= {"vocab_size": len(tokenizer), "max_position_embeddings": 32}
    t5 = {"d_model": 8, "d_kv": 8, "d_ff": 8, "num_layers": 1, "num_heads": 1, "vocab_size": len(tokenizer)}
    for model, error, says in (
        (
            t.BertModel(t.BertConfig(**small)),
            ValueError,
            "holds BertModel, but not all weights of Bert",
        ),
        (
            t.BertForMaskedLM(t.BertConfig(**small)),
            TypeError,
            "holds BertForMaskedLM, which does not",
        ),
        (
            t.T5ForConditionalGeneration(t.T5Config(**t5)),
            TypeError,
            "holds T5ForConditional",
        ),
        (t.LlamaModel(t.LlamaConfig(**small)), ValueError, "lm_head.weight is missing, and would be random"),
    ):
        path = tmp_path / type(model).__name__
        model.save_pretrained(path)
        tokenizer.save_pretrained(path)
        with pytest.raises(error, match=says):
            HuggingFaceLM.load(path)


def test_tokens_beyond_the_model_and_no_tokens_are_refused(gpt2, tokenizer):
    more = copy.deepcopy(tokenizer)
    more.add_tokens(["cat sleeps"])
    lm = HuggingFaceLM(gpt2, more)
    says = rf"the id {len(tokenizer)} \('cat sleeps'\), but the ids of the model end at {len(tokenizer) - 1}"
    with pytest.raises(ValueError, match=says):
        score_text(lm, lm.tokenize(["the cat sleeps and sleeps"]))
    none = CallableLM(
        lambda ids: np.zeros((*ids.shape, 9)), lambda text: [], lambda ids: "", context=4, bos=0
    )
    with pytest.raises(ValueError, match=r"Document 1 has no token .*'the cat'\. Look"):
        none.tokenize([" \n", "the cat"])


def test_a_tokenizer_that_changes_the_text_warns():
    lm = CallableLM(
        lambda ids: np.zeros((*ids.shape, 128)),
        lambda text: list(text.lower().encode("ascii")),
        lambda ids: bytes(ids).decode("ascii"),
        context=8,
        bos=0,
    )
    with pytest.warns(UserWarning, match="1 of 2 documents back unchanged, first document 1"):
        text = lm.tokenize(["the cat", "The cat"])
    assert text.chars == 14


def ascii_model(logits, **options):
    options = {"context": 16, "bos": 0} | options
    return CallableLM(
        logits, lambda text: list(text.encode("ascii")), lambda ids: bytes(ids).decode("ascii"), **options
    )


def zeros(ids):
    return np.zeros((*ids.shape, 128))


def below_0():
    lm = CallableLM(zeros, lambda text: [-1], lambda ids: "a", context=16, bos=0)
    return score_text(lm, lm.tokenize(["a"]))


def score(logits, text="the cat", **options):
    lm = ascii_model(logits, **options)
    return score_text(lm, lm.tokenize([text]))


def but(value, dtype=float, tokens=5):
    """Logits that are 0 but after an e, where those of some tokens have the value."""

    def logits(ids):
        found = np.zeros((*ids.shape, 128), dtype)
        found[..., tokens][ids == ord("e")] = value
        return found

    return logits


def encoded(ids):
    return CallableLM(zeros, lambda text: ids, lambda ids: "a", context=16, bos=0).tokenize(["the cat"])


TABLE = np.zeros((128, 128))


def LAYER(ids):
    return torch.nn.functional.embedding(torch.from_numpy(ids), torch.from_numpy(TABLE))


def encoder():
    return type("BertForMaskedLM", (), {"config": type("Config", (), {"n_positions": 9})()})()


def other(tokens=()):
    return type("Model", (), {"config": type("Config", (), dict(tokens))()})()


TOKENIZER = type("Tokenizer", (), {"encode": lambda self, _: [], "bos_token_id": 0, "unk_token_id": None})()
CALLS = {
    "a string of documents": (lambda: ascii_model(zeros).tokenize("the cat"), "a list of strings"),
    "a set of documents": (lambda: ascii_model(zeros).tokenize({"the cat"}), "documents is set"),
    "no documents": (lambda: ascii_model(zeros).tokenize(None), "documents is NoneType"),
    "a number among them": (lambda: ascii_model(zeros).tokenize(["a", 3]), "documents[1] is 3"),
    "no function": (lambda: ascii_model(None), "logits is None; a function"),
    "no context": (lambda: ascii_model(zeros, context=0), "context is 0"),
    "a stride beyond the context": (lambda: ascii_model(zeros, stride=17), "above the context of 16"),
    "a stride of 0": (lambda: ascii_model(zeros, stride=0), "stride is 0"),
    "half a batch": (lambda: ascii_model(zeros, batch=0.5), "batch is 0.5"),
    "logits of one position": (lambda: score(lambda ids: np.zeros((len(ids), 128))), "(1, 7, V) is expected"),
    "no logits": (lambda: score(lambda ids: None), "NoneType; an array or a tensor of the shape (1, 7, V)"),
    "a list": (lambda: score(lambda ids: zeros(ids).tolist()), "returned list; an array or a tensor of"),
    "complex": (lambda: score(lambda ids: zeros(ids) * 1j), "returned complex128; real numbers are expected"),
    "complex tensor": (lambda: score(lambda ids: LAYER(ids) * 1j), "returned complex128; real"),
    "half an id": (lambda: encoded([1, 1.5]), "encode returned 1.5 (float) at 1; a list of token ids"),
    "half an id in a tensor": (lambda: encoded(torch.tensor([1.5])), "tensor(1.5000) (Tensor) at 0"),
    "a string for ids": (lambda: encoded("the cat"), "encode returned 'the cat' (str); a list of token ids"),
    "digits for ids": (lambda: encoded("12"), "encode returned '12' (str)"),
    "a dictionary for ids": (lambda: encoded({"input_ids": [1]}), "encode returned 'input_ids' (str) at 0"),
    "None for ids": (lambda: encoded(None), "encode returned None (NoneType)"),
    "ids in batches": (lambda: encoded(np.zeros((1, 3), int)), "array([0, 0, 0]) (ndarray) at 0"),
    "unk below 0": (lambda: ascii_model(zeros, unk=-1), "unk is -1; a whole number of at least 0"),
    "bos below 0": (lambda: ascii_model(zeros, bos=-1), "bos is -1; a whole number of at least 0"),
    "unk beyond the logits": (lambda: score(zeros, unk=128), "unk is 128, but logits has 128"),
    "bos beyond the logits": (lambda: score(zeros, bos=128), "bos is 128, but logits has 128"),
    "bos beyond a table": (lambda: score(TABLE.__getitem__, bos=999), "bos is 999, but logits has 128"),
    "bos beyond a layer": (lambda: score(LAYER, bos=999), "bos is 999, but logits has 128 numbers"),
    "an id beyond a table": (lambda: score(TABLE[:90, :90].__getitem__), "the id 116, but logits has 90"),
    "too few tokens": (lambda: score(lambda ids: np.zeros((*ids.shape, 90))), "but logits has 90"),
    "too few for the last": (lambda: score(lambda ids: np.zeros((*ids.shape, 90)), "Aa"), "gave the id 97"),
    "a token below 0": (lambda: below_0(), "gave the id -1, but logits has 128"),
    "nan": (
        lambda: score(but(np.nan)),
        "returned nan at [0, 3, 5], where ids[0, 3] is 101, token 3 of document 0. Finite",
    ),
    "infinite": (lambda: score(but(np.inf)), "returned inf at [0, 3, 5]"),
    "infinite in float16": (lambda: score(but(np.inf, np.float16)), "returned inf at [0, 3, 5]"),
    "nan in a later window": (
        lambda: score(but(np.nan), "abcdefg", context=4, stride=2),
        "returned nan at [1, 3, 5], where ids[1, 3] is 101, token 5 of",
    ),
    "no token is possible": (
        lambda: score(but(-np.inf, tokens=slice(None))),
        "returned -inf for all tokens at [0, 3], where ids[0, 3] is 101",
    ),
    "an encoder": (lambda: HuggingFaceLM(encoder(), TOKENIZER), "does not predict the next token"),
    "no model": (lambda: HuggingFaceLM("gpt2", TOKENIZER), "model is str"),
    "no tokenizer": (lambda: HuggingFaceLM(other({"n_positions": 8}), "gpt2"), "tokenizer str"),
    "no such token": (
        lambda: HuggingFaceLM(other({"n_positions": 8, "vocab_size": 5}), TOKENIZER, bos=5),
        "bos is 5, but the ids of the model's tokens end at 4",
    ),
    "no length": (lambda: HuggingFaceLM(other(), TOKENIZER), "context has to be given"),
    "too long": (lambda: HuggingFaceLM(other({"n_positions": 8}), TOKENIZER, context=9), "8 tokens at most"),
}  # fmt: skip
test_a_bad_call_says_what_is_expected = says_what_is_expected(CALLS)


def test_an_impossible_token_is_infinite():
    never = np.where(np.arange(128) == ord("c"), -math.inf, 0.0)
    assert score(lambda ids: np.broadcast_to(never, (*ids.shape, 128))).perplexity == math.inf


def test_ids_may_be_numbers_of_any_kind():
    for ids in (
        [1, 2],
        (np.int32(1), np.uint8(2)),
        np.array([1, 2]),
        torch.tensor([1, 2]),
        iter([1, 2]),
        b"\1\2",
    ):
        lm = CallableLM(zeros, lambda text, ids=ids: ids, lambda ids: "ab", context=16, bos=0)
        assert lm.tokenize(["ab"]).ids.tolist() == [1, 2]


def test_an_error_of_the_function_itself_is_left():
    with pytest.raises(IndexError, match="pop from empty list"):
        score(lambda ids: [].pop())
    with pytest.raises(IndexError, match="ids of the function"):
        score(only_the_beginning)


def only_the_beginning(ids):
    if ids.any():
        raise IndexError("ids of the function")
    return zeros(ids)


def test_an_unknown_token_that_only_the_tokenizer_has_is_not_counted(gpt2, tokenizer):
    more = copy.deepcopy(tokenizer)
    more.add_special_tokens({"unk_token": "[UNK]"})
    assert more.unk_token_id >= len(tokenizer)
    lm = HuggingFaceLM(gpt2, more)
    assert lm.unk is None and score_text(lm, lm.tokenize(["the cat"])).unknown == 0


def test_a_model_that_looks_ahead_is_refused(tokenizer):
    transformers = pytest.importorskip("transformers")
    torch.manual_seed(0)
    size = {"vocab_size": len(tokenizer), "hidden_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2}
    encoder = transformers.BertLMHeadModel(transformers.BertConfig(intermediate_size=16, **size)).eval()
    lm = HuggingFaceLM(encoder, tokenizer)
    with pytest.raises(ValueError, match=r"change with a later token .* A causal model is expected"):
        lm.log_probs(lm.tokenize(["the cat sat on the mat"]), progress=False)


def test_probabilities_are_refused_and_their_logarithms_are_not():
    table = np.random.default_rng(0).dirichlet(np.ones(8), size=8)
    options = {"encode": lambda text: [ord(char) % 8 for char in text], "decode": str, "context": 8, "bos": 0}
    text = ["abcabdab"]
    with pytest.warns(UserWarning, match="does not give"):
        given, logs = (
            CallableLM(f, **options) for f in (lambda ids: table[ids], lambda ids: np.log(table[ids]))
        )
        found = logs.log_probs(logs.tokenize(text), progress=False)
        ids = np.array([0, *options["encode"](text[0])])
        assert np.allclose(found, np.log(table[ids[:-1], ids[1:]]))
        with pytest.raises(ValueError, match=r"are probabilities: .* return the logits, or the logarithms"):
            given.log_probs(given.tokenize(text), progress=False)
