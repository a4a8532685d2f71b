"""The stored Transformers with two things to learn, and the source of their text."""

import math
from collections import Counter, defaultdict

import numpy as np
import pytest

from lmcourse.experiments import ch13_agreement_twice
from lmcourse.experiments.storage import stored
from lmcourse.experiments.texts import source_texts
from lmcourse.pages.two_agreements import TwoAgreements
from lmmetrics.text import TokenizedText

STORED = stored()["agreement twice"]
SOURCE = TwoAgreements()


def test_a_short_run_has_the_form_of_the_stored_one():
    [row] = ch13_agreement_twice.runs(seeds=[3], steps=2)
    assert row.keys() == STORED["runs"][0].keys()
    assert row["bits"] == pytest.approx(row["elsewhere"] + row["verb"]["bits"] + row["adverb"]["bits"])


def test_the_stored_rows_are_whole():
    assert [row["seed"] for row in STORED["runs"]] == list(ch13_agreement_twice.SEEDS)
    assert STORED["steps"] == ch13_agreement_twice.STEPS
    assert {key: STORED[key] for key in ch13_agreement_twice.SIZE} == ch13_agreement_twice.SIZE


def test_the_floor_of_the_stored_text_is_computed_again():
    _, _, asked = source_texts(SOURCE)
    floor = math.exp(-SOURCE.log_probs(asked).mean())
    words = asked.strings()
    for row in STORED["runs"]:
        for found in (row, row["temperature"], row["kinds"]):
            assert found["perplexity"] / 2 ** found["bits"] == pytest.approx(floor, rel=1e-9)
        for name, pairs in SOURCE.agreeing.items():
            context = ch13_agreement_twice.SIZE["context"]
            assert row[name]["asked"] == sum(word in pairs.values() for word in words[context:])
            assert row[name]["right"] >= 1 - row[name]["choice"] - 1e-9


def test_a_long_sample_costs_its_entropy_rate():
    text = SOURCE.sample(200_000, seed=5)
    found = -SOURCE.log_probs(text).mean()
    assert abs(found - SOURCE.entropy_rate()) < 4 * SOURCE.standard_error(len(text))
    blocks = sum(word in SOURCE.agreeing["verb"].values() for word in text.strings())
    assert len(text) / blocks == pytest.approx(SOURCE.block_length, rel=0.01)


def test_the_probabilities_are_those_of_the_next_word():
    """Counted after the words of the block that matter, in a long sample."""
    text = SOURCE.sample(200_000, seed=6)
    words, chances = text.strings(), np.exp(SOURCE.log_probs(text))
    counts, given, block = defaultdict(Counter), {}, []
    for word, chance in zip(words, chances, strict=True):
        state = (*block[:2], block[-1]) if len(block) > 2 else tuple(block)
        counts[state][word] += 1
        given[state, word] = chance
        block = [] if word in SOURCE.agreeing["verb"].values() else [*block, word]
    for state, following in counts.items():
        n = following.total()
        for word, count in following.items():
            chance = given[state, word]
            assert abs(count / n - chance) < 5 * math.sqrt(chance * (1 - chance) / n) + 1e-12, (state, word)


def test_another_text_is_refused():
    text = SOURCE.sample(50, seed=1)
    ids = text.ids.copy()
    ids[text.strings().index("sleep" if "sleep" in text.strings() else "sleeps")] = text.vocabulary["now"]
    with pytest.raises(ValueError, match="not a text"):
        SOURCE.log_probs(TokenizedText.from_ids(ids, text.vocabulary, text.spelling))
