/* What can be scrolled sideways can be reached with the keyboard: the theme leaves that out. */
(function () {
  "use strict";
  const BOXES = ".bd-article table, .bd-article pre, .bd-article div.math, .bd-article div.amsmath, " +
    ".bd-article .katex-display, .bd-article .derivation :is(.side, p), .bd-article .cell_output, .bd-article .output";

  function mark() {
    for (const box of document.querySelectorAll(BOXES)) {
      const style = getComputedStyle(box);
      const scrolls = (box.scrollWidth > box.clientWidth + 1 && /auto|scroll/.test(style.overflowX)) ||
        (box.scrollHeight > box.clientHeight + 1 && /auto|scroll/.test(style.overflowY));
      if (scrolls && box.tabIndex < 0) {
        box.tabIndex = 0;
        box.dataset.scrolls = "";
      } else if (!scrolls && "scrolls" in box.dataset) {
        box.removeAttribute("tabindex");
        delete box.dataset.scrolls;
      }
    }
  }

  window.addEventListener("load", function () {
    mark();
    document.fonts.ready.then(mark);
  });
  window.addEventListener("resize", mark);
  document.addEventListener("toggle", mark, true);  // a fold opens
})();
