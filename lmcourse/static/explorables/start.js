/* Start the interactive figures of a page: each replaces its still picture, with elements made by `make` and `make.svg`. */
document.addEventListener("DOMContentLoaded", function () {
  "use strict";

  function make(tag, name, parent) {
    const element = document.createElement(tag);
    if (name) element.className = name;
    parent.appendChild(element);
    return element;
  }

  make.svg = function (parent, tag, attributes, words) {
    const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    if (words) element.textContent = words;
    parent.appendChild(element);
    return element;
  };

  for (const box of document.querySelectorAll(".explorable")) {
    const one = (window.Explorables || {})[box.dataset.explorable];
    if (!one) continue;
    one.draw(box, JSON.parse(box.querySelector("script[type='application/json']").textContent), make);
    box.classList.add("live");
  }
});
