// Arrange the slides that reveal.js has laid out for paper; lmcourse/site/handouts.py calls this with the page's
// purpose and the number of lines to write on, and gets the deck's title.
([forStudents, lines]) => {
  const make = (tag, className, parent) => {
    const element = document.createElement(tag);
    element.className = className;
    parent?.append(element);
    return element;
  };
  for (const page of document.querySelectorAll('.pdf-page')) {
    const slide = page.querySelector('section'), notes = slide.querySelector('aside.notes');
    page.style.width = `${page.offsetWidth}px`;  // as laid out: the handout is narrower
    page.querySelectorAll('.slide-number').forEach(number => number.remove());
    const item = make('article', forStudents ? 'handout student' : 'handout lecturer');
    page.replaceWith(item);
    make('p', 'label', item).textContent = slide.dataset.number ? `Slide ${slide.dataset.number}` : 'Optional slide';
    make('div', 'frame', item).append(page);
    if (forStudents) for (let i = 0; i < lines; i++) make('div', 'line', item);
    else if (notes) make('div', 'notes-on-paper', item).append(...notes.childNodes);
  }
  return document.querySelector('h1').textContent.replace('¶', '');
}
