/* Start the interactive figures of a page: each replaces its still picture. */
document.addEventListener("DOMContentLoaded", function () {
  "use strict";
  for (const box of document.querySelectorAll(".explorable")) {
    const one = (window.Explorables || {})[box.dataset.explorable];
    if (!one) continue;
    one.draw(box, JSON.parse(box.querySelector("script[type='application/json']").textContent));
    box.classList.add("live");
  }
});
