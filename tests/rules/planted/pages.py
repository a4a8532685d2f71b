"""Faults for lmcourse/rules/pages.py: the rule, the change, and words that the rule must say."""

from tests.rules.small_project import EXERCISE, LAB, PAGE, STEM, add_code, delete, replace, write

PLANTED = [
    ("chapters_are_whole", delete(LAB), "02_topic.ipynb: the chapter's lab is not"),
    ("chapters_are_whole", delete(EXERCISE), "student set is not"),
    ("chapters_are_whole", delete(f"book/instructors/{STEM}.md"), "lesson plan is not"),
    (
        "chapters_are_whole",
        replace("_toc.yml", STEM, "03_more"),
        "book/03_more.md: the chapter's page is not",
    ),
    ("chapters_have_the_skeleton", replace(PAGE, ":minutes: 30\n", ""), "reading time"),
    ("chapters_have_the_skeleton", replace(PAGE, "What you will be able to do", "Aims"), "objectives"),
    ("chapters_have_the_skeleton", replace(PAGE, "## Break it", "## Mend it"), "Break it"),
    ("chapters_have_the_skeleton", replace(PAGE, 'Explorable("two"', "show("), "two interactive figures"),
    ("chapters_have_the_skeleton", replace(PAGE, "## What to remember", ""), "What to remember"),
    ("pictures_have_alt_text", write("book/index.md", "![](page.svg)"), r"!\[\]\(page.svg\) has no alt"),
    ("pictures_have_alt_text", write("README.md", '<img src="page.svg" alt="">'), "<img.*has no alt"),
    (
        "pictures_have_alt_text",
        write("book/index.md", "```{figure} a.svg\n:name: a\n\nWords.\n```\n"),
        "no ':alt:'",
    ),
    (
        "pictures_have_alt_text",
        replace(PAGE, 'alt: "A line over the probability."', 'alt: ""'),
        "draws a figure",
    ),
    ("code_fits_the_page", replace(PAGE, 'glue("total", 3)', f'print("{"x" * 80}")'), "a line of 89 columns"),
    ("tables_are_shown", add_code(PAGE, "table({}, {})\ntable({}, {})"), "drops a table"),
    ("pictures_have_alt_text", add_code(LAB, "plt.figure()"), r"cell 42 \(plt.figure\(\)\): draws a figure"),
    (
        "tags_point_somewhere",
        replace(PAGE, "## Break it", "% mistake: M99\n\n## Break it"),
        "the tag M99 is not in",
    ),
    (
        "tags_point_somewhere",
        replace(
            PAGE,
            "**Compute** a surprisal.\n:::\n",
            "- **Compute** a surprisal.\n:::\n\n"
            "% objective: a | tasks: nothing | section: sec-x | slide: none\n",
        ),
        "there is no task 'nothing'",
    ),
    ("glued_numbers_exist", replace(PAGE, 'glue("total", 3)', ""), "'total:.2f', which no cell of book/02"),
    ("glued_numbers_exist", replace(PAGE, "::seen", "::unseen"), "which no cell of notebooks/02_topic.ipynb"),
    ("random_numbers_are_seeded", add_code(PAGE, "np.random.rand(3)"), r"line \d+: np.random.rand\(\) draws"),
    ("random_numbers_are_seeded", replace(PAGE, "default_rng(0)", "default_rng()"), "has no seed"),
    (
        "random_numbers_are_seeded",
        replace(PAGE, "torch.manual_seed(0)", "torch.randn(2)"),
        "torch.randn.*not seeded",
    ),
    ("random_numbers_are_seeded", add_code(LAB, "random.shuffle(x)"), r"random.shuffle\(\) draws"),
    ("random_numbers_are_seeded", add_code(LAB, "layer = nn.Linear(2, 3)"), r"nn.Linear\(\) is not seeded"),
    (
        "random_numbers_are_seeded",
        replace("lmmetrics/model.py", "default_rng(3)", "normal()"),
        "line 3: numpy.random.normal",
    ),
    (
        "fences_open_a_block",
        write("book/later.md", "```{predict} How likely is `<unk>`?\n```\n"),
        "book/later.md, line 1: the line opens no block",
    ),
    ("every_page_is_in_the_book", write("book/later.md", "# Later\n"), "book/later.md: is not in _toc.yml"),
]
