"""What the tools compute: each convention in a few lines.

The page ``book/tools.md`` shows these functions and runs them; ``tests/pages/test_tools_page.py`` runs the
tools that can be installed on the same input. Lines are lists of `Token`, pages lists of lines. Left out:
what a tool does besides its formula. No line of code is wider than the page.
"""

import math
import re

import numpy as np
from scipy.special import gammaln, psi

from lmcourse.pages.tools.cards import BOS, END, Report, Token, price_after


def kenlm_query(lines, oovs=True):
    """All lines in one total, with or without the unknown words."""
    scored = [t for line in lines for t in line if oovs or t.known]
    log10 = -sum(t.nats for t in scored) / math.log(10)
    value = 10 ** (-log10 / len(scored))
    tool = f"KenLM query, {'including' if oovs else 'excluding'} OOVs"
    return Report(tool, value, scored, len(scored), "tokens", base="10")


def kenlm_python(lines):
    """A line at a time, as `perplexity(sentence)` does, then averaged."""
    scored, each = [], []
    for line in lines:
        log10 = -sum(t.nats for t in line) / math.log(10)
        words = len(line) - 1  # what split() finds: no </s> among them
        each.append(10 ** (-log10 / (words + 1)))
        scored += line
    value = sum(each) / len(each)
    report = value, scored, len(each), "lines", "the line", "10"
    return Report("KenLM Python, averaged", *report, "mean of perplexities")


def srilm(lines, ppl1=False):
    """`ppl`, and `ppl1`, which leaves the ends out of the divisor only."""
    scored = [t for line in lines for t in line if t.known]
    logprob = -sum(t.nats for t in scored) / math.log(10)
    words = sum(len(line) - 1 for line in lines)
    oovs = sum(not t.known for line in lines for t in line)
    divisor = words - oovs + (0 if ppl1 else len(lines))
    value = 10 ** (-logprob / divisor)
    tool, unit = ("ppl1", "words") if ppl1 else ("ppl", "tokens")
    return Report(f"SRILM {tool}", value, scored, divisor, unit, base="10")


def nltk_perplexity(which, ngrams, price):
    """The mean over whatever n-grams are handed over, in bits."""
    scored = [price(ngram) for ngram in ngrams]
    bits = sum(t.nats for t in scored) / math.log(2) / len(scored)
    report = 2**bits, scored, len(scored), "n-grams", "the n-gram's own", "2"
    return Report(f"NLTK, {which}", *report)


def torchmetrics_perplexity(logits, target, tokens, ignore_index):
    """Softmax, then log, then the mean over what is not ignored."""
    kept = target != ignore_index
    probs = logits.softmax(dim=-1)[kept]
    nats = -probs[range(len(probs)), target[kept]].log()
    value = (nats.sum() / kept.sum()).exp().item()
    costs = zip(tokens, nats.tolist(), strict=True)
    scored = [t._replace(nats=cost) for t, cost in costs]
    return Report("torchmetrics", value, scored, len(scored), "positions")


def fairseq_eval_lm(lines):
    """Bits, and two to their mean; a token of probability 0 is skipped."""
    scored = [t for line in lines for t in line if t.nats < math.inf]
    bits = sum(t.nats for t in scored) / math.log(2) / len(scored)
    report = 2**bits, scored, len(scored), "tokens"
    return Report("fairseq eval_lm", *report, base="2")


def hf_evaluate(texts):
    """A perplexity for each text, then the mean over texts."""
    texts = [[t for t in text if t.word != END] for text in texts]
    each = [math.exp(mean_nats(text)) for text in texts]
    scored = [t for text in texts for t in text]
    report = sum(each) / len(each), scored, len(each), "texts", "the text"
    together = "mean of perplexities"
    return Report("Hugging Face evaluate", *report, together=together)


def windows(length, size, stride):
    """Where a window begins, where its new tokens begin, where it ends."""
    done = 0
    for begin in range(0, length, stride):
        end = min(begin + size, length)
        yield begin, done, end
        done = end
        if end == length:
            return


def score_window(model, window, first):
    """Score a window from `first` on; its own first token has no past."""
    words = [t.word for t in window]
    return [
        t._replace(nats=price_after(model, words[:i], t.word))
        for i, t in enumerate(window)
        if i >= max(first, 1)
    ]


def hf_guide(model, stream, size, stride, version="now"):
    """The guide's loop: a mean loss a window, put together in three ways."""
    scored, means, new = [], [], []
    for begin, first, end in windows(len(stream), size, stride):
        tokens = score_window(model, stream[begin:end], first - begin)
        means.append(mean_nats(tokens))
        new.append(end - first)
        scored += tokens
    weights, divisor = {
        "first": (new, len(stream)),
        "second": ([1] * len(new), len(new)),
        "now": ([n - 1 for n in new], sum(new) - len(new)),
    }[version]
    value = math.exp(np.dot(means, weights) / divisor)
    unit = "windows" if version == "second" else "tokens"
    past, together = f"a window of {size}", "weighted mean of window losses"
    name = f"transformers guide, {version}, stride {stride}"
    return Report(name, value, scored, divisor, unit, past, "e", together)


def mean_nats(tokens):
    """The mean price of some tokens."""
    return sum(t.nats for t in tokens) / len(tokens)


def llama_cpp(model, stream, size):
    """Whole chunks, each behind a start token; the second half is scored."""
    scored = []
    for begin in range(0, len(stream) - size + 1, size):
        chunk = stream[begin : begin + size]
        words = [BOS, *(t.word for t in chunk[1:])]
        for i in range(size // 2 + 1, size):
            nats = price_after(model, words[:i], words[i])
            scored.append(Token(words[i], nats, chunk[i].known))
    value = math.exp(sum(t.nats for t in scored) / len(scored))
    past = f"a chunk of {size}, its first half at least"
    return Report("llama.cpp", value, scored, len(scored), "tokens", past)


def lm_eval(pages, stored, unit="word"):
    """All nats of all pages, divided by what the stored pages hold."""
    scored = [t for page in pages for line in page for t in line]
    if unit == "word":
        divisor = sum(len(re.split(r"\s+", page)) for page in stored)
    else:
        divisor = sum(len(page.encode("utf-8")) for page in stored)
    value = math.exp(sum(t.nats for t in scored) / divisor)
    report = value, scored, divisor, f"{unit}s of the stored pages"
    return Report(f"lm-eval {unit}_perplexity", *report, "the page so far")


def lm_eval_lambada(pages):
    """The last word of each page, and nothing else."""
    scored = []
    for page in pages:
        words = [t for line in page for t in line if t.word[0].isalpha()]
        scored.append(words[-1])
    value = math.exp(sum(t.nats for t in scored) / len(scored))
    report = value, scored, len(scored), "examples", "the page so far"
    return Report("lm-eval perplexity (LAMBADA)", *report)


def lda_bound(counts, topic, prior):
    """The bound of an LDA with one topic: the words, and once the topic."""
    logs = psi(topic) - psi(topic.sum())  # E[ln beta] of each word
    price_of_topic = (
        (prior - topic) @ logs
        + np.sum(gammaln(topic) - gammaln(prior))
        + gammaln(prior * len(topic))
        - gammaln(topic.sum())
    )
    return counts @ logs, price_of_topic


def sklearn_lda_perplexity(counts, topic, prior):
    """The whole bound, over the words of the pages in hand."""
    words, price_of_topic = lda_bound(counts, topic, prior)
    return math.exp(-(words + price_of_topic) / counts.sum())


def gensim_log_perplexity(counts, topic, prior):
    """The bound per word in nats, and the perplexity its log line prints."""
    words, price_of_topic = lda_bound(counts, topic, prior)
    bound = (words + price_of_topic) / counts.sum()
    return bound, 2**-bound
