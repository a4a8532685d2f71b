"""Faults for lmcourse/rules/claims.py: the rule, the change, and words that the rule must say."""

from tests.rules.small_project import PAGE, PLAN, figure, write

CELLS_CLAIM = (
    'claim("k", "No cell of one or two bits fits, and two of three bits do", lambda n: n[2] == 2, n)\n'
)
NETWORK_CLAIM = 'claim("k", "the network is below the table", lambda a, b: a < b, 1, 2)\n'
PLANTED = [
    ("figures_say_what_is_claimed", figure("It falls."), "'It falls.' says 'falls'"),
    ("figures_say_what_is_claimed", figure("It falls and {04-stops}."), "says 'falls'"),
    ("figures_say_what_is_claimed", figure("It lies far to the left."), "says 'far to the left'"),
    (
        "figures_say_what_is_claimed",
        figure(
            "Two lines.",
            'claim("04-x", "leads by less", few, 0)\nax.set(title="It leads by more")  # claim: 04-x',
        ),
        "says 'more'",
    ),
    ("numbers_in_alt_texts_are_computed", figure("A line from 7."), "alt text or caption says 7"),
    (
        "sentences_about_figures_are_claimed",
        write(PAGE, "All lines rise in {numref}`fig-04-x`.\n"),
        "says 'All'",
    ),
    (
        "glued_values_are_used",
        write(PAGE, '```{code-cell} python\nglue("04-x", "3")\n```\n'),
        "nothing uses the value '04-x'",
    ),
    (
        "mistakes_named_are_tagged",
        write(PAGE, "% mistake: M1\n\nThe base (M2).\n"),
        "names M2, which",
    ),
    (
        "mistakes_named_are_tagged",
        write(PAGE, "% mistake: M1\n\n## A\n\n(M1)\n\n% mistake: M2\n## B\n\nM2, M1.\n"),
        "line 10: names M1, which its section does not tag",
    ),
    (
        "directions_are_computed",
        write(PAGE, "It is {glue:text}`04-more` higher.\n"),
        "types '… higher' beside",
    ),
    (
        "directions_are_computed",
        write(PAGE, "It is too low, because {glue:text}`04-long`.\n"),
        "types 'too low'",
    ),
    (
        "numbers_in_titles_are_held",
        write(
            PAGE,
            '```{code-cell} python\nglue("x", f"{size}")\nax.set(title=f"{2 * size} equal")\n```\n',
        ),
        r"a title computes 2 \* size",
    ),
    (
        "slides_named_exist",
        write(PLAN, "On slides 2 to 5, and slide 22.\n"),
        "names slide 22, and the core has 20",
    ),
    (
        "figures_say_what_is_claimed",
        figure("Two lines.", f'{CELLS_CLAIM}ax.set(title="No cell of three bits fits")  # claim: k'),
        "'No cell of three bits fits' says 3, and the claim does not",
    ),
    (
        "figures_say_what_is_claimed",
        figure("Two lines.", f'{CELLS_CLAIM}ax.set_title("Fit at 4")  # claim: k'),
        "'Fit at 4' says 4, and the claim does not",
    ),
    (
        "figures_say_what_is_claimed",
        figure("Two lines.", f'{NETWORK_CLAIM}ax.set(title="Table below network")  # claim: k'),
        "'Table below network' has 'table' on the other side of 'below'",
    ),
]
