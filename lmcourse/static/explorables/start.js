/* Start the interactive figures of a page: each replaces its still picture, with elements that `make` makes. */
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

  /** A slider between its words and `shown(value)`; each move calls `changed(value)`. Returns a function that sets the value and, if given, the range. */
  make.slider = function (parent, words, range, value, shown, changed) {
    const label = make("label", "", parent);
    label.append(`${words} `);
    const input = make("input", "", label), number = make("output", "number", label);
    function set(now, limits) {
      Object.assign(input, limits, { value: now });
      number.textContent = shown(now);
    }
    input.addEventListener("input", () => { set(Number(input.value)); changed(Number(input.value)); });
    set(value, { type: "range", ...range });
    return set;
  };

  /** A list behind its words; options: pairs of a value and what is shown. Each choice calls `changed` with the value as a string. */
  make.select = function (parent, words, options, value, changed) {
    const label = make("label", "", parent);
    label.append(`${words} `);
    const select = make("select", "", label);
    for (const [key, name] of options) Object.assign(make("option", "", select), { value: key, textContent: name });
    select.value = value;
    select.addEventListener("change", () => changed(select.value));
    return select;
  };

  make.button = function (parent, words, clicked) {
    const button = make("button", "comes", parent);
    Object.assign(button, { type: "button", textContent: words });
    button.addEventListener("click", clicked);
    return button;
  };

  for (const box of document.querySelectorAll(".explorable")) {
    const one = (window.Explorables || {})[box.dataset.explorable];
    if (!one) continue;
    one.draw(box, JSON.parse(box.querySelector("script[type='application/json']").textContent), make);
    box.classList.add("live");
  }
});
