"""More wrong arguments: each call below raises an error that says what was given and what is expected.

The name of each case is the call itself.
"""

import math

import numpy as np
import pytest

from lmmetrics import (
    Score,
    TokenizedText,
    compare,
    compare_scores,
    corpora,
    score_text,
    tokenize,
)
from lmmetrics.information import cross_entropy, entropy, kl_divergence
from lmmetrics.mixing import Mixture, UnigramCache
from lmmetrics.ngram import (
    AddK,
    GoodTuring,
    JelinekMercer,
    Katz,
    KneserNey,
    ModifiedKneserNey,
    NGramCounts,
    NGramModel,
    StupidBackoff,
    WittenBell,
)
from lmmetrics.scoring import protocol_card, to_frame
from lmmetrics.sources import MarkovSource
from lmmetrics.text import Vocabulary, train_bpe

T = tokenize(["the cat sleeps\nthe cat eats\n", "a dog eats\n"])
U, B = (NGramModel(n, WittenBell()).fit(T) for n in (1, 2))
OTHER = tokenize(["x y"])
S = Score(1.0, tokens=1)

CALLS = {
    "Score('1', tokens=1)": (
        lambda: Score("1", tokens=1),
        "nats must be a real number, not '1' (str). For an array or a tensor with",
    ),
    "Score(None, tokens=1)": (
        lambda: Score(None, tokens=1),
        "nats must be a real number, not None (NoneType). For an array or a tensor",
    ),
    "Score(math.nan, tokens=1)": (
        lambda: Score(math.nan, tokens=1),
        "nats is NaN. Look for the token whose log probability is not a number.",
    ),
    "Score(-1.0, tokens=1)": (
        lambda: Score(-1.0, tokens=1),
        "nats is -1, but a surprisal -ln q is at least 0, because q is at most 1.",
    ),
    "Score(1j, tokens=1)": (
        lambda: Score(1j, tokens=1),
        "nats must be a real number, not 1j (complex). For an array or a tensor",
    ),
    "Score(np.array([1.0, 2.0]), tokens=1)": (
        lambda: Score(np.array([1.0, 2.0]), tokens=1),
        "nats must be a real number, not array([1., 2.]) (ndarray). For an array or",
    ),
    "Score(1.0, tokens=1.5)": (
        lambda: Score(1.0, tokens=1.5),
        "tokens must be a whole number, not 1.5 (float). Count the units; do not",
    ),
    "Score(1.0, tokens=-1)": (lambda: Score(1.0, tokens=-1), "tokens is -1, but a count is at least 0."),
    "Score(1.0, tokens='1')": (
        lambda: Score(1.0, tokens="1"),
        "tokens must be a whole number, not '1' (str). Count the units; do not",
    ),
    "Score(1.0, tokens=True)": (
        lambda: Score(1.0, tokens=True),
        "tokens must be a whole number, not True (bool). Count the units; do not",
    ),
    "Score(1.0, tokens=0)": (
        lambda: Score(1.0, tokens=0),
        "nats is 1, but every count is 0: an empty text carries no surprisal. Count",
    ),
    "S.bits_per('tokens')": (
        lambda: S.bits_per("tokens"),
        "tokens' is not a unit that a Score knows. Use one of 'token',",
    ),
    "S.bits_per(None)": (
        lambda: S.bits_per(None),
        "None is not a unit that a Score knows. Use one of 'token',",
    ),
    "S.bits_per('char')": (
        lambda: S.bits_per("char"),
        "This score does not know how many chars the text has. Count the chars of",
    ),
    "Score(0.0, tokens=0).perplexity": (
        lambda: Score(0.0, tokens=0).perplexity,
        "The text has 0 tokens, so nothing can be given per token. An empty text",
    ),
    "S + 1": (lambda: S + 1, "A Score pools only with another Score, not with 1 (int). Add the scores"),
    "S + Score(1.0, tokens=1, chars=2)": (
        lambda: S + Score(1.0, tokens=1, chars=2),
        "Only one of the two scores counts chars; the left one does not. Count the",
    ),
    "Score.from_perplexity(0.5, tokens=1)": (
        lambda: Score.from_perplexity(0.5, tokens=1),
        "0.5 cannot be the perplexity of a discrete model. Each probability is at",
    ),
    "Score.from_perplexity('20', tokens=1)": (
        lambda: Score.from_perplexity("20", tokens=1),
        "A perplexity is a real number, not '20' (str). Pass a float.",
    ),
    "Score.from_perplexity(20.0)": (
        lambda: Score.from_perplexity(20.0),
        "This score does not know how many tokens the text has. Count the tokens of",
    ),
    "Score.from_perplexity(20.0, per='words', tokens=2)": (
        lambda: Score.from_perplexity(20.0, per="words", tokens=2),
        "words' is not a unit that a Score knows. Use one of 'token',",
    ),
    "Score.from_perplexity(math.nan, tokens=1)": (
        lambda: Score.from_perplexity(math.nan, tokens=1),
        "nan cannot be the perplexity of a discrete model. Each probability is at",
    ),
    "tokenize('the cat')": (
        lambda: tokenize("the cat"),
        "documents is a single string; a list of strings is expected. Put it into a",
    ),
    "tokenize(b'the')": (
        lambda: tokenize(b"the"),
        "documents is bytes; a list of strings is expected, one for each document.",
    ),
    "tokenize({'a': 'the cat'})": (
        lambda: tokenize({"a": "the cat"}),
        "documents is dict; a list of strings is expected, one for each document.",
    ),
    "tokenize({'the cat'})": (
        lambda: tokenize({"the cat"}),
        "documents is set; a list of strings is expected, one for each document.",
    ),
    "tokenize(['a b'], by=set)": (
        lambda: tokenize(["a b"], by=lambda text: set(text.split())),
        "The segmenter returned set; a list of strings is expected, such as ['我',",
    ),
    "B.sentence_log_probs({'the', 'cat'})": (
        lambda: B.sentence_log_probs({"the", "cat"}),
        "a list of tokens is expected, such as ['the'] or [].",
    ),
    "B.sentence_log_probs(b'the')": (
        lambda: B.sentence_log_probs(b"the"),
        "tokens is b'the'; a list of tokens is expected, such as ['the'] or [].",
    ),
    "B.next_distribution({'the': 1})": (
        lambda: B.next_distribution({"the": 1}),
        "context is {'the': 1}; a list of tokens is expected, such as ['the'] or [].",
    ),
    "AddK(10**400)": (
        lambda: AddK(10**400),
        "k is above 1.8e308, the largest float; a finite number above 0 is expected.",
    ),
    "AddK(np.array([1.0, 2.0]))": (
        lambda: AddK(np.array([1.0, 2.0])),
        "k is array([1., 2.]); a finite number above 0 is expected.",
    ),
    "B.to_arpa('.')": (
        lambda: B.to_arpa("."),
        ". is a folder; the name of the ARPA file is expected.",
    ),
    "tokenize(None)": (
        lambda: tokenize(None),
        "documents is NoneType; a list of strings is expected, one for each",
    ),
    "tokenize([None])": (
        lambda: tokenize([None]),
        "Document 0 is NoneType, not a string. Leave it out, or decode it:",
    ),
    "tokenize([b'x'])": (
        lambda: tokenize([b"x"]),
        "Document 0 is bytes, not a string. Leave it out, or decode it:",
    ),
    "tokenize([['the', 'cat']])": (
        lambda: tokenize([["the", "cat"]]),
        "Document 0 is list, not a string. Leave it out, or decode it:",
    ),
    "tokenize(['a\\ud800'])": (
        lambda: tokenize(["a\ud800"]),
        "Document 0 contains half of a surrogate pair (U+D800) at character 1: it",
    ),
    "tokenize(['a <s> b'], by='whitespace')": (
        lambda: tokenize(["a <s> b"], by="whitespace"),
        "Document 0, line 1, has a token <s> of its own: <s> and </s> mark the start",
    ),
    "tokenize(['a </s> b'], by='whitespace')": (
        lambda: tokenize(["a </s> b"], by="whitespace"),
        "Document 0, line 1, has a token </s> of its own: <s> and </s> mark the start",
    ),
    "tokenize(['a'], by='words')": (
        lambda: tokenize(["a"], by="words"),
        "by='words' is not known; expected 'word', 'whitespace', 'char', 'byte', a",
    ),
    "tokenize(['a'], by=None)": (
        lambda: tokenize(["a"], by=None),
        "by=None is not known; expected 'word', 'whitespace', 'char', 'byte', a",
    ),
    "tokenize(['a'], by=3)": (
        lambda: tokenize(["a"], by=3),
        "by=3 is not known; expected 'word', 'whitespace', 'char', 'byte', a",
    ),
    "tokenize(['a'], sentences='lines')": (
        lambda: tokenize(["a"], sentences="lines"),
        "sentences='lines' is not known; expected 'line' or 'document'.",
    ),
    "tokenize(['a'], vocabulary=['a'])": (
        lambda: tokenize(["a"], vocabulary=["a"]),
        "vocabulary is list; expected a Vocabulary, such as train.vocabulary.",
    ),
    "tokenize(['a'], by='byte', vocabulary=T.vocabulary)": (
        lambda: tokenize(["a"], by="byte", vocabulary=T.vocabulary),
        "A text that is cut by byte has a vocabulary of its own, which differs from the given",
    ),
    "tokenize(['貓睡覺'])": (
        lambda: tokenize(["貓睡覺"]),
        "More than one character in a hundred is Chinese or Japanese. These scripts",
    ),
    "tokenize(['a b'], by=lambda s: None)": (
        lambda: tokenize(["a b"], by=lambda s: None),
        "The segmenter returned NoneType; a list of strings is expected, such as",
    ),
    "tokenize(['a b'], by=lambda s: s)": (
        lambda: tokenize(["a b"], by=lambda s: s),
        "The segmenter returned str; a list of strings is expected, such as ['我',",
    ),
    "tokenize(['a b'], by=lambda s: [1, 2])": (
        lambda: tokenize(["a b"], by=lambda s: [1, 2]),
        "The segmenter returned a list with 1 in it; a list of strings is expected.",
    ),
    "Vocabulary('abc')": (
        lambda: Vocabulary("abc"),
        "tokens is a single string; a list of strings is expected, such as ['cat',",
    ),
    "Vocabulary(['a', 'a'])": (
        lambda: Vocabulary(["a", "a"]),
        "The token 'a' comes twice. Give each token once:",
    ),
    "Vocabulary([''])": (
        lambda: Vocabulary([""]),
        "The token '' cannot be listed: a token has at least one character.",
    ),
    "Vocabulary(['<s>'])": (
        lambda: Vocabulary(["<s>"]),
        "The token '<s>' cannot be listed: every vocabulary has it already.",
    ),
    "Vocabulary([1])": (lambda: Vocabulary([1]), "The token 1 is int, not a string."),
    "Vocabulary(None)": (
        lambda: Vocabulary(None),
        "tokens is None; a list of strings is expected, such as ['cat', 'sleeps'].",
    ),
    "T.vocabulary.token(99)": (lambda: T.vocabulary.token(99), "No token has the id 99: ids go from 0 to 8."),
    "T.vocabulary.token(-1)": (lambda: T.vocabulary.token(-1), "No token has the id -1: ids go from 0 to 8."),
    "T.vocabulary.token('cat')": (
        lambda: T.vocabulary.token("cat"),
        "The id 'cat' is str; ids are whole numbers.",
    ),
    "Vocabulary(['a'], unk=False)['b']": (
        lambda: Vocabulary(["a"], unk=False)["b"],
        "b' is not in the vocabulary, and this vocabulary has no <unk>. Test with",
    ),
    "T.document(9)": (lambda: T.document(9), "Document 9 does not exist: this text has 2, numbered from 0."),
    "T.document('0')": (
        lambda: T.document("0"),
        "The number of a document is '0'; a whole number is expected, from 0.",
    ),
    "TokenizedText.from_ids([0.5], T.vocabulary)": (
        lambda: TokenizedText.from_ids([0.5], T.vocabulary),
        "ids must be whole numbers, one for each token: vocabulary[token], in one",
    ),
    "TokenizedText.from_ids([-1], T.vocabulary)": (
        lambda: TokenizedText.from_ids([-1], T.vocabulary),
        "-1 is not an id of the vocabulary: ids go from 0 to 8.",
    ),
    "TokenizedText.from_ids([[1, 2]], T.vocabulary)": (
        lambda: TokenizedText.from_ids([[1, 2]], T.vocabulary),
        "ids must be whole numbers, one for each token: vocabulary[token], in one",
    ),
    "TokenizedText.from_ids('abc', T.vocabulary)": (
        lambda: TokenizedText.from_ids("abc", T.vocabulary),
        "ids must be whole numbers, one for each token: vocabulary[token], in one",
    ),
    "TokenizedText.from_ids([1], ['a'])": (
        lambda: TokenizedText.from_ids([1], ["a"]),
        "1 is not an id of the vocabulary: ids go from 0 to 0.",
    ),
    "train_bpe(['a b'], 3)": (
        lambda: train_bpe(["a b"], 3),
        "size is 3; expected 258 or more: <s>, </s> and the 256 bytes come first.",
    ),
    "train_bpe('a b', 300)": (
        lambda: train_bpe("a b", 300),
        "documents is a single string; a list of strings is expected. Put it into a",
    ),
    "train_bpe(['a b'], '300')": (
        lambda: train_bpe(["a b"], "300"),
        "size is str; expected a whole number, 258 or more.",
    ),
    "NGramModel(0, WittenBell())": (
        lambda: NGramModel(0, WittenBell()),
        "order is 0; a whole number of at least 1 is expected.",
    ),
    "NGramModel(-1, WittenBell())": (
        lambda: NGramModel(-1, WittenBell()),
        "order is -1; a whole number of at least 1 is expected.",
    ),
    "NGramModel(2.0, WittenBell())": (
        lambda: NGramModel(2.0, WittenBell()),
        "order is 2.0; a whole number of at least 1 is expected.",
    ),
    "NGramModel('2', WittenBell())": (
        lambda: NGramModel("2", WittenBell()),
        "order is '2'; a whole number of at least 1 is expected.",
    ),
    "NGramModel(True, WittenBell())": (
        lambda: NGramModel(True, WittenBell()),
        "order is True; a whole number of at least 1 is expected.",
    ),
    "NGramModel(2, WittenBell)": (
        lambda: NGramModel(2, WittenBell),
        "smoothing is a class; give an object: WittenBell(), with parentheses.",
    ),
    "NGramModel(2, 'witten-bell')": (
        lambda: NGramModel(2, "witten-bell"),
        "smoothing is 'witten-bell'; a smoothing method is expected, such as",
    ),
    "NGramModel(2, None)": (
        lambda: NGramModel(2, None),
        "smoothing is None; a smoothing method is expected, such as",
    ),
    "NGramModel(2, WittenBell()).log_probs(T)": (
        lambda: NGramModel(2, WittenBell()).log_probs(T),
        "This model is not fitted yet: call fit(text) first.",
    ),
    "NGramModel(2, WittenBell()).prob('a')": (
        lambda: NGramModel(2, WittenBell()).prob("a"),
        "This model is not fitted yet: call fit(text) first.",
    ),
    "NGramModel(2, WittenBell()).save('nowhere')": (
        lambda: NGramModel(2, WittenBell()).save("nowhere"),
        "This model is not fitted yet: call fit(text) first.",
    ),
    "NGramModel(2, WittenBell()).fit('the cat')": (
        lambda: NGramModel(2, WittenBell()).fit("the cat"),
        "text is str; a TokenizedText is expected: tokenize(documents), with",
    ),
    "NGramModel(2, WittenBell()).fit(['the cat'])": (
        lambda: NGramModel(2, WittenBell()).fit(["the cat"]),
        "text is list; a TokenizedText is expected: tokenize(documents), with",
    ),
    "NGramModel(2, WittenBell()).fit(tokenize([]))": (
        lambda: NGramModel(2, WittenBell()).fit(tokenize([])),
        "The text is empty, so nothing can be counted. Give at least one document.",
    ),
    "NGramModel(2, WittenBell()).fit(tokenize(['a b'], vocabulary=Vocabulary(['a'], unk=False)))": (
        lambda: NGramModel(2, WittenBell()).fit(tokenize(["a b"], vocabulary=Vocabulary(["a"], unk=False))),
        "1 tokens of this text are not in its vocabulary, which has no <unk>, so",
    ),
    "NGramModel(2, WittenBell()).fit(T, memory='lots')": (
        lambda: NGramModel(2, WittenBell()).fit(T, memory="lots"),
        "memory is 'lots'; a number of bytes is expected, such as \"2GB\" or",
    ),
    "NGramModel(2, WittenBell()).fit(T, memory=0)": (
        lambda: NGramModel(2, WittenBell()).fit(T, memory=0),
        'memory is 0; a number of bytes is expected, such as "2GB" or 2_000_000_000.',
    ),
    "NGramModel(2, WittenBell()).fit(T, memory='1MB')": (
        lambda: NGramModel(2, WittenBell()).fit(T, memory="1MB"),
        "of memory, of which the text and the rest of this process hold",
    ),
    "NGramModel(2, WittenBell()).fit(T, folder='/tmp')": (
        lambda: NGramModel(2, WittenBell()).fit(T, folder="/tmp"),
        "folder is given without memory, a bound such as '2GB'. Give both, or",
    ),
    "NGramModel(2, WittenBell()).fit(T, memory='1TB', folder=__file__)": (
        lambda: NGramModel(2, WittenBell()).fit(T, memory="1TB", folder=__file__),
        "is a file; a folder is expected: folder=...",
    ),
    "B.log_probs(OTHER)": (
        lambda: B.log_probs(OTHER),
        "text has another vocabulary (Vocabulary of 5: '<unk>', '<s>', '</s>', 'x',",
    ),
    "B.prob(3)": (lambda: B.prob(3), "The token 3 is int; tokens are strings."),
    "B.prob(None)": (lambda: B.prob(None), "The token None is NoneType; tokens are strings."),
    "B.prob('cat', 'the')": (
        lambda: B.prob("cat", "the"),
        "context is a single string; a list of tokens is expected, such as ['the'].",
    ),
    "B.prob('cat', [1])": (lambda: B.prob("cat", [1]), "The token 1 is int; tokens are strings."),
    "B.prob('cat', None)": (
        lambda: B.prob("cat", None),
        "context is None; a list of tokens is expected, such as ['the'] or [].",
    ),
    "B.sample(-1, seed=0)": (
        lambda: B.sample(-1, seed=0),
        "n is -1; a whole number of at least 0 is expected.",
    ),
    "B.sample(2.5, seed=0)": (
        lambda: B.sample(2.5, seed=0),
        "n is 2.5; a whole number of at least 0 is expected.",
    ),
    "B.sample(2, seed='a')": (
        lambda: B.sample(2, seed="a"),
        "seed is 'a'; a whole number of at least 0, or a Generator, is expected.",
    ),
    "B.sample(2, seed=0, context='the')": (
        lambda: B.sample(2, seed=0, context="the"),
        "context is a single string; a list of tokens is expected, such as ['the'].",
    ),
    "B.counts_[9]": (lambda: B.counts_[9], "Order 9 was not counted: the orders counted are 1 to 2."),
    "B.counts_['2']": (lambda: B.counts_["2"], "Order '2' was not counted: the orders counted are 1 to 2."),
    "B.counts_[2]['the']": (
        lambda: B.counts_[2]["the"],
        "the' has 1 tokens; an n-gram of order 2 is expected.",
    ),
    "NGramCounts(T, 0)": (lambda: NGramCounts(T, 0), "order is 0; a whole number of at least 1 is expected."),
    "NGramCounts(T, '2')": (
        lambda: NGramCounts(T, "2"),
        "order is '2'; a whole number of at least 1 is expected.",
    ),
    "NGramCounts('a b', 2)": (
        lambda: NGramCounts("a b", 2),
        "text is str; a TokenizedText is expected: tokenize(documents), with",
    ),
    "NGramCounts.merged([])": (
        lambda: NGramCounts.merged([]),
        "0 counts are given, with the orders []. At least one is expected, and all",
    ),
    "NGramCounts.merged([T])": (
        lambda: NGramCounts.merged([T]),
        "parts[0] is TokenizedText; NGramCounts(text, order) is expected.",
    ),
    "NGramModel(2, WittenBell()).fit_counts(T)": (
        lambda: NGramModel(2, WittenBell()).fit_counts(T),
        "counts is TokenizedText; counts such as NGramCounts(text, order) are",
    ),
    "B.prune(-1)": (lambda: B.prune(-1), "threshold is -1; a number from 0, such as 1e-8, is expected."),
    "B.prune(math.nan)": (
        lambda: B.prune(math.nan),
        "threshold is nan; a number from 0, such as 1e-8, is expected.",
    ),
    "B.prune('1e-8')": (
        lambda: B.prune("1e-8"),
        "threshold is '1e-8'; a number from 0, such as 1e-8, is expected.",
    ),
    "B.prune(min_counts={1: 2})": (
        lambda: B.prune(min_counts={1: 2}),
        "min_counts has the order 1; orders from 2 to 2 can lose n-grams.",
    ),
    "B.prune(min_counts={2: '2'})": (
        lambda: B.prune(min_counts={2: "2"}),
        "min_counts[2] is '2'; a whole number of at least 0 is expected.",
    ),
    "NGramModel(2, AddK(1)).fit(T).prune(1e-08)": (
        lambda: NGramModel(2, AddK(1)).fit(T).prune(1e-08),
        "A model of AddK(k=1) cannot be pruned: it spreads what is left evenly over",
    ),
    "score_text(NGramModel(2, StupidBackoff()).fit(T), T)": (
        lambda: score_text(NGramModel(2, StupidBackoff()).fit(T), T),
        "log_probs is refused: the scores of StupidBackoff do not sum to 1 over the",
    ),
    "AddK(-1)": (lambda: AddK(-1), "k is -1; a finite number above 0 is expected."),
    "AddK(math.nan)": (lambda: AddK(math.nan), "k is nan; a finite number above 0 is expected."),
    "AddK(None)": (lambda: AddK(None), "k is None; a finite number above 0 is expected."),
    "GoodTuring(0)": (lambda: GoodTuring(0), "k is 0; a whole number of at least 1 is expected."),
    "GoodTuring(1.5)": (lambda: GoodTuring(1.5), "k is 1.5; a whole number of at least 1 is expected."),
    "Katz(1)": (lambda: Katz(1), "k is 1; a whole number of at least 2 is expected."),
    "Katz(min_count=0)": (
        lambda: Katz(min_count=0),
        "min_count is 0; a whole number of at least 1 is expected.",
    ),
    "Katz(min_count=[])": (
        lambda: Katz(min_count=[]),
        "min_count is []; a whole number of at least 1 is expected.",
    ),
    "Katz(min_count='2')": (
        lambda: Katz(min_count="2"),
        "min_count is '2'; a whole number of at least 1 is expected.",
    ),
    "KneserNey(0)": (lambda: KneserNey(0), "discount is 0; one number above 0 and up to 1 is expected."),
    "KneserNey(2)": (lambda: KneserNey(2), "discount is 2; one number above 0 and up to 1 is expected."),
    "KneserNey(fallback=-1)": (
        lambda: KneserNey(fallback=-1),
        "fallback is -1; one number above 0 and up to 1 is expected.",
    ),
    "ModifiedKneserNey(0.5)": (
        lambda: ModifiedKneserNey(0.5),
        "discount is 0.5; three numbers are expected, for counts of 1, 2, and 3 or",
    ),
    "ModifiedKneserNey((2, 2, 2))": (
        lambda: ModifiedKneserNey((2, 2, 2)),
        "discount is (2, 2, 2); three numbers are expected, for counts of 1, 2, and",
    ),
    "ModifiedKneserNey((0.1, 0.2, 0.3, 0.4))": (
        lambda: ModifiedKneserNey((0.1, 0.2, 0.3, 0.4)),
        "discount is (0.1, 0.2, 0.3, 0.4); three numbers are expected, for counts",
    ),
    "JelinekMercer()": (
        lambda: JelinekMercer(),
        "JelinekMercer needs either heldout, a text other than the training text,",
    ),
    "JelinekMercer(T, [1])": (
        lambda: JelinekMercer(T, [1]),
        "JelinekMercer needs either heldout, a text other than the training text,",
    ),
    "NGramModel(2, JelinekMercer(weights=[2, 2])).fit(T)": (
        lambda: NGramModel(2, JelinekMercer(weights=[2, 2])).fit(T),
        "weights is [2, 2]; expected 2 numbers from 0 to 1, one for each order.",
    ),
    "NGramModel(1, JelinekMercer(weights=[math.nan])).fit(T)": (
        lambda: NGramModel(1, JelinekMercer(weights=[math.nan])).fit(T),
        "weights is [nan]; expected 1 numbers from 0 to 1, one for each order.",
    ),
    "NGramModel(2, JelinekMercer(heldout=OTHER)).fit(T)": (
        lambda: NGramModel(2, JelinekMercer(heldout=OTHER)).fit(T),
        "The held-out text has another vocabulary than the training text. Tokenise",
    ),
    "StupidBackoff(0)": (lambda: StupidBackoff(0), "alpha is 0; a number above 0 and up to 1 is expected."),
    "StupidBackoff(2)": (lambda: StupidBackoff(2), "alpha is 2; a number above 0 and up to 1 is expected."),
    "NGramModel.from_arpa(__file__)": (
        lambda: NGramModel.from_arpa(__file__),
        "is not an ARPA file: it has no line",
    ),
    "NGramModel.from_arpa(None)": (
        lambda: NGramModel.from_arpa(None),
        "path is None (NoneType); a file name is expected.",
    ),
    "NGramModel.load('nowhere')": (
        lambda: NGramModel.load("nowhere"),
        "is not a saved model: a folder with a file model.json is expected.",
    ),
    "NGramModel.load(__file__)": (
        lambda: NGramModel.load(__file__),
        "is not a saved model: a folder with a file model.json is expected.",
    ),
    "NGramModel.load(None)": (
        lambda: NGramModel.load(None),
        "path is None (NoneType); a file name is expected.",
    ),
    "B.save(None)": (lambda: B.save(None), "path is None (NoneType); a file name is expected."),
    "score_text(None, T)": (
        lambda: score_text(None, T),
        "The model (NoneType) has no method log_probs(text). It must return the",
    ),
    "score_text(NGramModel, T)": (
        lambda: score_text(NGramModel, T),
        "The model is the class NGramModel; give an object that is fitted or loaded.",
    ),
    "score_text(T, B)": (
        lambda: score_text(T, B),
        "The model (TokenizedText) has no method log_probs(text). It must return",
    ),
    "score_text(B, T, unknown='skip')": (
        lambda: score_text(B, T, unknown="skip"),
        "unknown='skip' is not known. Use \"score\" (a token outside the vocabulary",
    ),
    "score_text(B, T, unknown=None)": (
        lambda: score_text(B, T, unknown=None),
        'unknown=None is not known. Use "score" (a token outside the vocabulary',
    ),
    "score_text(B, T, eos=None)": (
        lambda: score_text(B, T, eos=None),
        "eos is None; True or False is expected: whether </s> is scored.",
    ),
    "score_text(B, T, eos=1)": (
        lambda: score_text(B, T, eos=1),
        "eos is 1; True or False is expected: whether </s> is scored.",
    ),
    "score_text(B, T, jobs=0)": (
        lambda: score_text(B, T, jobs=0),
        "jobs is 0; a whole number of at least 1 is expected.",
    ),
    "score_text(B, T, jobs='all')": (
        lambda: score_text(B, T, jobs="all"),
        "jobs is 'all'; a whole number of at least 1 is expected.",
    ),
    "score_text(Mixture([U, B]), T, jobs=2)": (
        lambda: score_text(Mixture([U, B]), T, jobs=2),
        "jobs is 2, but Mixture does not share its work: its log_probs has no",
    ),
    "compare(U, B, T.document(0))": (
        lambda: compare(U, B, T.document(0)),
        "There is 1 document with a scored token, but at least two are needed: the",
    ),
    "compare(U, B, T, confidence='95')": (
        lambda: compare(U, B, T, confidence="95"),
        "confidence is '95'; a share such as 0.95 is expected.",
    ),
    "compare(U, B, T, confidence=1)": (
        lambda: compare(U, B, T, confidence=1),
        "confidence is 1; a share such as 0.95 is expected.",
    ),
    "compare(U, B, T, resamples=10.5)": (
        lambda: compare(U, B, T, resamples=10.5),
        "resamples is 10.5; a whole number of at least 2 is expected.",
    ),
    "compare(U, B, T, seed='x')": (
        lambda: compare(U, B, T, seed="x"),
        "seed is 'x'; a whole number of at least 0, or a Generator, is expected.",
    ),
    "compare_scores([S], [S, S])": (
        lambda: compare_scores([S], [S, S]),
        "a has scores for 1 documents and b for 2. Both must score the same",
    ),
    "compare_scores([S, S], [S, S], 'tokens')": (
        lambda: compare_scores([S, S], [S, S], "tokens"),
        "tokens' is not a unit that a Score knows. Use one of 'token',",
    ),
    "compare_scores([S, S], [S, S], 'char')": (
        lambda: compare_scores([S, S], [S, S], "char"),
        "This score does not know how many chars the text has. Count the chars of",
    ),
    "compare_scores('ab', 'cd')": (
        lambda: compare_scores("ab", "cd"),
        "a[0] is 'a' (str); a Score is expected.",
    ),
    "compare_scores([Score(math.inf, tokens=1)] * 2, [S, S])": (
        lambda: compare_scores([Score(math.inf, tokens=1)] * 2, [S, S]),
        "Document 0 contains something to which model a gives probability 0 (it is the",
    ),
    "to_frame('x')": (
        lambda: to_frame("x"),
        "results is 'x' (str); a score, or a list of scores, is expected.",
    ),
    "protocol_card(B, 'x')": (
        lambda: protocol_card(B, "x"),
        "text is str; a TokenizedText is expected: tokenize(documents), with",
    ),
    "Mixture([])": (lambda: Mixture([]), "A mixture needs at least one model: Mixture([counted, trained])."),
    "Mixture(None)": (
        lambda: Mixture(None),
        "models is None; a list of language models is expected, such as [model].",
    ),
    "Mixture([U, B], weights=[1, 1])": (
        lambda: Mixture([U, B], weights=[1, 1]),
        "weights is [1, 1]; expected 2 numbers, one for each model, none negative,",
    ),
    "Mixture([U, B], weights=[1])": (
        lambda: Mixture([U, B], weights=[1]),
        "weights is [1]; expected 2 numbers, one for each model, none negative,",
    ),
    "Mixture(['a'])": (
        lambda: Mixture(["a"]),
        "str has no log_probs(text): it is not a language model. Give an object",
    ),
    "UnigramCache(size=0)": (
        lambda: UnigramCache(size=0),
        "size is 0; a whole number of at least 1 is expected.",
    ),
    "UnigramCache(size='9')": (
        lambda: UnigramCache(size="9"),
        "size is '9'; a whole number of at least 1 is expected.",
    ),
    "entropy([0.5, 0.4])": (
        lambda: entropy([0.5, 0.4]),
        "p sums to 0.9, which is 0.1 less than 1. Divide counts by their total, and",
    ),
    "entropy([1.5, -0.5])": (
        lambda: entropy([1.5, -0.5]),
        "p[1] is negative (-0.5), but a probability is at least 0. Pass",
    ),
    "entropy('ab')": (
        lambda: entropy("ab"),
        "p must contain real numbers, but its entries have the type <U2.",
    ),
    "entropy([])": (
        lambda: entropy([]),
        "p sums to 0, which is 1 less than 1. Divide counts by their total, and",
    ),
    "entropy([math.nan, 1])": (
        lambda: entropy([math.nan, 1]),
        "p[0] is NaN, but a probability is at least 0. Pass probabilities, not logs",
    ),
    "entropy(None)": (
        lambda: entropy(None),
        "p must contain real numbers, but its entries have the type object.",
    ),
    "entropy({'a': 1.0})": (
        lambda: entropy({"a": 1.0}),
        "p must contain real numbers, but its entries have the type object.",
    ),
    "cross_entropy([0.5, 0.5], [1 / 3] * 3)": (
        lambda: cross_entropy([0.5, 0.5], [1 / 3] * 3),
        "p has shape (2,) and q has shape (3,). They need the same outcomes along",
    ),
    "kl_divergence([1.0], [0.5, 0.5])": (
        lambda: kl_divergence([1.0], [0.5, 0.5]),
        "p has shape (1,) and q has shape (2,). They need the same outcomes along",
    ),
    "MarkovSource({(): {'a': 0.5}})": (
        lambda: MarkovSource({(): {"a": 0.5}}),
        "The law after () sums to 0.5, which is 0.5 less than 1. The last axis runs",
    ),
    "MarkovSource({})": (
        lambda: MarkovSource({}),
        "The contexts have the lengths []; one length is expected, the order of the",
    ),
    "MarkovSource('a')": (
        lambda: MarkovSource("a"),
        "symbols is missing: an array of transitions does not name its symbols.",
    ),
    "corpora.load('wikitext')": (
        lambda: corpora.load("wikitext"),
        "wikitext' is not a corpus; expected one of tales-en, tales-zh, numpy-docs,",
    ),
    "corpora.load(None)": (
        lambda: corpora.load(None),
        "None is not a corpus; expected one of tales-en, tales-zh, numpy-docs,",
    ),
}


@pytest.mark.parametrize("call", CALLS)
def test_a_bad_input_says_what_is_expected(call):
    function, words = CALLS[call]
    with pytest.raises((TypeError, ValueError, LookupError, OSError)) as raised:
        function()
    assert words in str(raised.value)


TYPES = {
    "a string": [lambda: Score(1.0, tokens="3"), lambda: NGramModel("3", WittenBell()), lambda: AddK(k="3")],
    "a bool": [lambda: Score(1.0, tokens=True), lambda: NGramModel(True, WittenBell()), lambda: AddK(k=True)],
    "a fraction": [lambda: Score(1.0, tokens=2.5), lambda: NGramModel(2.5, WittenBell())],
    "None": [lambda: Score(None, tokens=1), lambda: NGramModel(None, WittenBell()), lambda: AddK(k=None)],
}


@pytest.mark.parametrize("given", TYPES)
def test_a_wrong_type_is_a_type_error(given):
    for call in TYPES[given]:
        with pytest.raises(TypeError, match=r"(real|whole|finite) number"):
            call()


def test_what_does_not_fit_is_a_value_error():
    for call in (lambda: Score(1.0, tokens=-1), lambda: NGramModel(0, WittenBell()), lambda: AddK(k=-0.5)):
        with pytest.raises(ValueError, match=r"-1|is 0|-0\.5"):
            call()
