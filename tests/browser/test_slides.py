"""Every slide of every deck at 1280 x 720: nothing cut off, maths set, notes hidden, no other host asked."""

import json

import pytest

from lmcourse.files.contents import chapters
from lmcourse.files.places import HTML, ROOT
from tests.browser.conftest import DECKS

pytestmark = pytest.mark.browser

SLIDES = (
    "() => Reveal.getSlides().map(slide => { const i = Reveal.getIndices(slide); return [i.h, i.v || 0]; })"
)

SHOW = """([h, v]) => { Reveal.slide(h, v); const slide = Reveal.getCurrentSlide();
  slide.querySelectorAll('.fragment').forEach(f => f.classList.add('visible')); }"""

CUT_OFF = """() => {
  const slide = Reveal.getCurrentSlide(), frame = slide.getBoundingClientRect(), scale = Reveal.getScale();
  const [width, height] = [1280 * scale + 1, 720 * scale + 1];
  const unseen = e => e.closest('aside') || e.closest('mjx-assistive-mml') || e.closest('svg');
  const problems = [];
  for (const e of slide.querySelectorAll('*')) {
    const r = e.getBoundingClientRect();
    if (unseen(e) || !r.width || !r.height) continue;
    const [right, bottom] = [r.right - frame.left, r.bottom - frame.top];
    if (right > width || bottom > height || r.left < frame.left - 1)
      problems.push(`${e.tagName} reaches ${Math.round(right / scale)} x ${Math.round(bottom / scale)}`);
    const clips = ['PRE', 'TABLE', 'DIV'].includes(e.tagName) && getComputedStyle(e).overflowX !== 'visible';
    if (clips && e.clientWidth && e.scrollWidth > e.clientWidth + 2)
      problems.push(`${e.tagName} hides ${e.scrollWidth - e.clientWidth} px`);
  }
  return problems.slice(0, 3);
}"""

OVERPRINTED = """() => [...Reveal.getCurrentSlide().querySelectorAll('mjx-utext')].filter(e => {
  const range = document.createRange(); range.selectNodeContents(e);
  return Math.abs(range.getBoundingClientRect().width - e.getBoundingClientRect().width) > 4; })
  .map(e => `the words "${e.textContent}" in a formula run into what follows`)"""

WITHOUT_NOTE = """() => Reveal.getSlides().filter(slide => !slide.querySelector('aside.notes'))
  .map(slide => slide.textContent.trim().slice(0, 40))"""

NOTE_SHOWS = "() => [...document.querySelectorAll('aside.notes')].some(note => note.offsetParent !== null)"


TYPE = """() => {
  const slide = Reveal.getCurrentSlide(), problems = [];
  const size = e => parseFloat(getComputedStyle(e).fontSize);
  const words = e => e.innerText.trim().slice(0, 30);
  const smaller = (query, least) => [...slide.querySelectorAll(query)]
    .filter(e => words(e) && !e.closest('aside') && size(e) < least)
    .map(e => `${e.tagName} of ${size(e)} px: ${words(e)}`);
  problems.push(...smaller('p, li', 30), ...smaller('pre, td, th, caption', 24));
  for (const image of slide.querySelectorAll('img')) {
    const type = 40 / 3 * image.clientWidth / image.naturalWidth;  // 10 pt are 40/3 px
    if (type < 24) problems.push(`a figure with type of ${Math.round(type)} px`);
  }
  const code = [...slide.querySelectorAll('.highlight pre')].flatMap(e => e.innerText.trim().split('\\n'));
  if (code.length > 8) problems.push(`${code.length} lines of code`);
  for (const e of slide.querySelectorAll('.output_text pre')) problems.push(`printed: ${words(e)}`);
  if (slide.scrollHeight > 690) problems.push(`a height of ${slide.scrollHeight} px`);
  return problems; }"""

WORDS_ALONE = """() => Reveal.getSlides().filter(slide => !slide.querySelector('img, table, svg'))
  .map(slide => [...slide.children].filter(e => !e.closest('aside')).map(e => e.textContent).join(' '))
  .filter(words => !words.includes('?')).map(words => words.trim().slice(0, 40))"""

TIMINGS = "() => Reveal.getSlides().map(slide => Number(slide.dataset.timing))"


@pytest.mark.parametrize("stem", chapters(ROOT))
def test_the_core_of_a_lecture_is_forty_minutes(visit, stem):
    """Every slide has its minutes; the core takes at most 40 of them, and the key A adds the others."""
    page = visit(width=1280, height=720).open(f"slides/{stem}.html", maths=False)
    page.wait_for_function("() => window.Reveal && Reveal.isReady()")
    core = page.evaluate(TIMINGS)
    page.keyboard.press("a")
    page.wait_for_function("() => location.search === '?all' && window.Reveal && Reveal.isReady()")
    whole = page.evaluate(TIMINGS)
    assert all(core) and all(whole)
    assert 30 * 60 <= sum(core) <= 40 * 60 < sum(whole)
    assert len(core) < len(whole)


@pytest.mark.parametrize("name", DECKS)
def test_every_slide_is_sound(visit, name):
    """With all its steps shown, a slide is read from the last row, and nothing on it is cut off.

    Text has 30 px at least, code, tables and figures 24; code has at most eight lines; nothing is printed.
    Each slide has a note, which does not show; three slides of four have a figure, a table or a question.
    """
    reader = visit(width=1280, height=720)
    page = reader.open(name, "?all")
    page.wait_for_function("() => window.Reveal && Reveal.isReady() && window.mathReady")
    without, shown = page.evaluate(WITHOUT_NOTE), page.evaluate(NOTE_SHOWS)
    assert not without, f"slides without a speaker's note: {without}"
    assert not shown
    slides = page.evaluate(SLIDES)
    found = {}
    for place in slides:
        page.evaluate(SHOW, place)
        if problems := page.evaluate(CUT_OFF) + page.evaluate(OVERPRINTED) + page.evaluate(TYPE):
            found["/".join(map(str, place))] = problems
    assert not reader.problems, reader.problems[:5]
    assert not found, f"{name}: {found}"
    assert 20 <= len(slides) <= 35, f"{name} has {len(slides)} slides; a lecture of 50 minutes has 20 to 35"
    assert page.locator("mjx-merror").count() == 0
    words_alone = page.evaluate(WORDS_ALONE)
    assert len(words_alone) <= len(slides) / 4, words_alone


def test_the_arrow_misses_no_slide(visit):
    """The right arrow alone shows every slide with all of its steps, down to the last."""
    page = visit(width=1280, height=720).open(DECKS[0])
    page.wait_for_function("() => window.Reveal && Reveal.isReady()")
    slides, seen = page.evaluate(SLIDES), set()
    for _ in range(10 * len(slides)):
        seen.add(tuple(page.evaluate("() => { const i = Reveal.getIndices(); return [i.h, i.v || 0]; }")))
        if page.evaluate("() => Reveal.isLastSlide() && !Reveal.availableFragments().next"):
            break
        page.keyboard.press("ArrowRight")
    assert sorted(seen) == sorted(map(tuple, slides))


@pytest.mark.parametrize("name", DECKS)
def test_deck_prints(visit, name):
    """With ?print-pdf each slide becomes a page of its own."""
    page = visit(width=1280, height=720).open(name, "?print-pdf")
    page.wait_for_selector(".pdf-page", timeout=20_000)
    slides = page.evaluate("() => Reveal.getSlides().length")
    assert page.locator(".pdf-page").count() >= slides


@pytest.mark.parametrize("name", DECKS)
def test_deck_is_the_lab(name):
    """The deck is made from the lab that is stored: no slide of an older lab is left."""
    stem = name.split("/")[1].removesuffix(".html")
    lab = json.loads((ROOT / "notebooks" / f"{stem}.ipynb").read_text(encoding="utf8"))
    deck = (HTML / name).read_text(encoding="utf8")
    titles = [
        line.lstrip("# ")
        for cell in lab["cells"]
        if cell["cell_type"] == "markdown"
        for line in "".join(cell["source"]).splitlines()[:1]
        if line.startswith("## ")
    ]
    shown = [title for title in titles if not set(title) & set("`$*<&'\"")]
    assert [title for title in shown if title not in deck] == []
