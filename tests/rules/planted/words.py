"""Faults for lmcourse/rules/words.py: the rule, the change, and words that the rule must say."""

from tests.rules.small_project import LAB, PAGE, add_code, edit, replace, write


def chinese(words):
    """Write a glossary of one entry, and a sentence into the page."""
    glossary = "```{glossary}\nnat\n  A unit. (奈特)\n```\n"
    sentence = replace(PAGE, "## Break it", f"A **nat** (奈特), so {words}.\n\n## Break it")
    return lambda root: (write("book/glossary.md", glossary)(root), sentence(root))


def second_entry(root):
    """Give a glossary the Chinese name of one term twice."""
    write("book/glossary.md", "```{glossary}\nnat\n  A unit. (奈特)\n\nhartley\n  Another. (奈特)\n```\n")(
        root
    )


def with_known_chinese(words):
    """Write a list of the words that are known, and a page with a slip."""
    return lambda root: (
        write("lmcourse/rules/chinese_words.txt", words)(root),
        write(PAGE, "The *gradient* (梯渡; 梯度).")(root),
    )


PLANTED = [
    ("chinese_names_are_those_of_the_glossary", chinese("**nat** (奈特; 奈忒)"), r"line \d+: '\*\*nat"),
    ("chinese_names_are_those_of_the_glossary", chinese("**nats** (纳特)"), "'.*nats.*纳特"),
    ("chinese_names_are_those_of_the_glossary", chinese("it is **not there** (無)"), "無"),
    ("chinese_names_are_those_of_the_glossary", chinese("it is **calibrated** (奈特)"), "calibrated"),
    ("chinese_names_mean_one_term", second_entry, "奈特 is the Chinese name of 'nat' and 'hartley'"),
    ("chinese_words_are_known", with_known_chinese("梯度\n梯渡\n熵\n"), "熵 stands nowhere in the book"),
    ("chinese_words_are_known", with_known_chinese("梯度\n"), "梯渡 is not among the Chinese words"),
    (
        "chinese_is_in_both_scripts",
        write(PAGE, "The *sky* (天空 / 蓝色)."),
        "simplified: 蓝",
    ),
    (
        "chinese_is_in_both_scripts",
        write("book/glossary.md", "```{glossary}\ntoken\n  A word. (词元) In Taiwan 標記 is common.\n```\n"),
        "glossary.md, line 3: only simplified: 词",
    ),
    (
        "words_are_spelt_right",
        write("book/index.md", "We rec" + "ieve it."),
        "index.md:1: .*Correct the word",
    ),
    (
        "words_are_spelt_right",
        edit(LAB, lambda cells: cells[0].update(source="## We rec" + "ieve it")),
        "02_topic.ipynb: .*Correct the word",
    ),
    (
        "words_are_spelt_right",
        write("lmmetrics/model.py", '"""We rec' + 'ieve it."""\n'),
        "model.py:1: .*Correct the word",
    ),
    (
        "one_name_for_each_quantity",
        write("book/index.md", "The cross\nentropy."),
        "'cross entropy' is called",
    ),
    (
        "one_name_for_each_quantity",
        write("book/index.md", 'Not "bits/char", `bits/char` or $bits/char$, but 2 bits/char.\n'),
        "'bits/char' is called bits per character",
    ),
    (
        "one_name_for_each_quantity",
        edit(LAB, lambda cells: cells[0].update(source="## The KL distance")),
        "02_topic.ipynb: 'KL distance' is called KL divergence",
    ),
    (
        "one_name_for_each_quantity",
        write("lmmetrics/model.py", 'def f():\n    """Return the log likelihood."""\n'),
        "model.py: 'log likelihood' is called log-likelihood",
    ),
    ("english_is_idiomatic", write("book/index.md", "A score is\nno probability.\n"), "'is no probability'"),
    (
        "english_is_idiomatic",
        edit(LAB, lambda cells: cells[0].update(source="## The dearest places")),
        "02_topic.ipynb: 'dearest' is not plain English here. Write: improbable",
    ),
    (
        "english_is_idiomatic",
        write("lmcourse/hint.py", "hint = f'{n} faults: ' 'Whoever counts them.'\n"),
        "hint.py: 'Whoever'",
    ),
    (
        "english_is_idiomatic",
        write("tests/test_names.py", "def test_a_score_is_no_loss():\n    pass\n"),
        "'is no loss' is not plain English",
    ),
    (
        "english_is_idiomatic",
        write("tests/test_comments.py", "x = 1  # whoever reads this\n"),
        "'whoever' is not plain English",
    ),
    (
        "english_is_idiomatic",
        write("lmmetrics/remark.py", "x = 1  # this is no loss\n"),
        "remark.py: 'is no loss'",
    ),
    ("english_is_idiomatic", add_code(PAGE, "print('how it betrays itself')"), "'how it betrays'"),
    ("english_is_idiomatic", write(PAGE, "The bill of a text."), "'bill' is not plain"),
    (
        "references_are_cited",
        write("book/references.bib", "@book{mackay2003,\n  year = {2003},\n}\n"),
        "nothing cites mackay2003",
    ),
    (
        "chapters_named_exist",
        write("book/index.md", "Chapter 2 of a book, and chapters 02 and 13.\n"),
        "chapter 13 is not in the book",
    ),
    ("no_filler_words", write("book/index.md", "This is clearly so."), "already know"),
    ("no_filler_words", write("book/index.md", "Simply put."), "already know"),
    (
        "errors_are_sentences",
        write("lmmetrics/a.py", 'raise ValueError("the text is empty.")'),
        "small letter",
    ),
    (
        "errors_are_sentences",
        write("lmmetrics/a.py", 'raise ValueError(f"k is {k}; 1 is meant")'),
        "full stop",
    ),
]
