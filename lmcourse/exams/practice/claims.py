"""The task of the third exam in words: a claim that does not follow, and a measurement that decides."""

from __future__ import annotations

from dataclasses import dataclass

from lmcourse.exams.task import ExamTask


@dataclass(frozen=True)
class Story:
    """A claim: what is said, why it does not follow, and which measurement would decide.

    Attributes
    ----------
    said : str
        With places for ``high`` and ``low``, two numbers.
    fault, effect : str
        What is wrong, and in which direction it moves which number.
    kept : str
        What the numbers do show.
    test : str
        A measurement that would decide.
    """

    said: str
    fault: str
    effect: str
    kept: str
    test: str


STORIES = {
    "topics": Story(
        said="With 10, 30 and 100 topics the perplexity of the pages that the models were fitted on falls"
        " to {high}, {middle} and {low}. So we use 100 topics.",
        fault="the number of topics is chosen by the perplexity of the documents that the models were"
        " fitted on",
        effect="there the perplexity falls with every further topic, so that the largest number always wins,"
        " whether or not the further topics help with new pages.",
        kept="more topics describe the fitted pages better; about other pages they say nothing.",
        test="Hold whole pages out. Infer the weights of each from one half of its words and score the"
        " other half, the same halves for every number of topics. Report the differences with a paired"
        " interval over pages. By a rule fixed before, take the fewest topics that are not clearly worse"
        " than the best.",
    ),
    "archive": Story(
        said="Our network codes the archive of 3 MB to {low} per cent of its size. It has 20 million"
        " weights of 16 bits, it was trained on other texts, and the archive has been decoded without"
        " an error. So the archive can be kept on an empty disk of half a megabyte.",
        fault="the network's weights, 40 MB, are not counted, although nobody can open the file without them",
        effect="with them the file needs more than ten times the bytes of the archive itself.",
        kept="given the weights, the network predicts such text well: for a much longer archive they could"
        " be worth their bytes.",
        test="Add up the bytes of the file and of the weights, and do the same for a program that needs no"
        " weights. By a rule fixed before, keep whichever sum is smaller. State the length of text from"
        " which on the network's sum is smaller. Decode on a machine that has nothing else. The sizes are"
        " exact; only for other archives do they need an interval.",
    ),
    "unchanged": Story(
        said="We have rounded the weights. On the test pages, which nobody had used before, the perplexity"
        " of the old and the new version is {low}, both times, and the interval of the difference is"
        " narrow. So every user gets the answers that they got before.",
        fault="an unchanged perplexity is taken for an unchanged model",
        effect="gains on some tokens can balance losses on others: the perplexity, a mean over the tokens"
        " that came, stays, while the forecasts and the first guesses change.",
        kept="on average over such pages the text is predicted as well as before.",
        test="Compare the two versions with each other, token by token, on unread pages of the kind that"
        " users ask about. Compute the KL divergence of the new forecasts from the old ones, and the share"
        " of equal first guesses. Give both an interval over pages. The new version is accepted if both"
        " intervals lie on the right side of margins that were fixed before.",
    ),
    "writer": Story(
        said="Our program writes stories with a language model. Its stories have a perplexity of {low}"
        " under this model, and stories by people have {high} under it. So readers will like the"
        " stories of the program better.",
        fault="the perplexity of a generated text under its own generator is taken for its quality",
        effect="a cautious way to choose words makes this number as low as one likes, down to the same"
        " sentence again and again.",
        kept="the program's stories are more predictable to the model than those of people.",
        test="Show readers a story of the program and one by a person on the same subject, blind and in"
        " random order. Count how often each is preferred. Give this share a binomial interval over"
        " independent readers. Fix before which share, excluded by the interval, decides.",
    ),
}
"""The claims; each variant has one."""

CLAIM = """
An announcement says: *{said}*

Write six to eight sentences. Say why the conclusion does not follow: what was overlooked, which number it
moves, and in which direction. Say what the numbers do show. Then design a measurement that would decide:
what is measured, on which text or with whom, what is counted, how uncertain the result will be, and by which
rule, fixed before, it decides.
"""


def argued(rng, **from_template) -> ExamTask:
    """10 to 13: in words, a conclusion that does not follow, and the measurement that would decide."""
    kind = str(rng.choice(list(STORIES)))
    story = STORIES[kind]
    low = round(rng.uniform(11, 16), 1)
    middle, high = round(low + rng.uniform(2, 4), 1), round(low + rng.uniform(6, 10), 1)
    return ExamTask(
        choices=(kind,),
        title="before it is announced",
        text=CLAIM.format(said=story.said.format(low=low, middle=middle, high=high)),
        prompt="*Write six to eight sentences here.*",
        model=f"The claim does not follow: {story.fault}. The effect: {story.effect} The numbers show this:"
        f" {story.kept} {story.test}",
        rubric=(
            (2, f"names what is wrong: {story.fault}; and its effect: {story.effect}"),
            (1, f"says what the numbers do show: {story.kept}"),
            (2, f"a measurement that decides, with its rule fixed before, such as this: {story.test}"),
        ),
        **from_template,
    )
