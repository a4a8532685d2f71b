/* Perplexity against the number of topics: the second halves of pages, after more or fewer words of the first. */
(function () {
  "use strict";

  const WIDTH = 440, HEIGHT = 270, LEFT = 66, RIGHT = 16, TOP = 14, BOTTOM = 44;

  /** The place of the smallest number. */
  function lowest(values) {
    return values.reduce((best, value, k) => (value < values[best] ? k : best), 0);
  }

  /** What a reader is told of one line of `completion`: which number of topics is best, by how many per cent, and which are within 1%. */
  function verdict(data, row) {
    const found = data.completion[row], best = lowest(found);
    return { words: data.read[row], topics: data.topics[best], value: found[best], one: found[0],
      gain: 100 * (1 - found[best] / found[0]), level: data.topics.filter((_, k) => found[k] < 1.01 * found[best]) };
  }

  function draw(box, data, make) {
    const add = make.svg;
    let row = data.start;
    const all = data.completion.flat();
    const low = Math.floor(Math.min(...all) / 50) * 50, high = Math.ceil(Math.max(...all) / 50) * 50;
    const most = Math.log(data.topics[data.topics.length - 1]);
    const x = (K) => LEFT + 8 + Math.log(K) / most * (WIDTH - LEFT - RIGHT - 16);
    const y = (v) => TOP + (high - v) / (high - low) * (HEIGHT - TOP - BOTTOM);
    const path = (values) => values.map((v, k) => `${k ? "L" : "M"}${x(data.topics[k]).toFixed(1)} ${y(v).toFixed(1)}`).join("");

    const form = make("div", "explorable-form", box), controls = make("div", "controls", form);
    make.slider(controls, "words read of each page, at most", { min: 0, max: data.read.length - 1, step: 1 }, row,
      (k) => String(data.read[k]), (k) => { row = k; show(); });

    const picture = add(form, "svg", {
      viewBox: `0 0 ${WIDTH} ${HEIGHT}`, class: "plot", role: "img", "aria-label": "perplexity against the number of topics",
    });
    for (let v = low; v <= high; v += 50) {
      add(picture, "line", { x1: LEFT, x2: WIDTH - RIGHT, y1: y(v), y2: y(v), class: "grid" });
      add(picture, "text", { x: LEFT - 8, y: y(v) + 5, class: "tick end" }, String(v));
    }
    for (const K of data.topics) add(picture, "text", { x: x(K), y: HEIGHT - BOTTOM + 19, class: "tick middle" }, String(K));
    add(picture, "text", { x: (LEFT + WIDTH) / 2, y: HEIGHT - 6, class: "tick middle" }, "topics, K");
    const middle = (TOP + HEIGHT - BOTTOM) / 2;
    add(picture, "text", { x: 14, y: middle, class: "tick middle", transform: `rotate(-90 14 ${middle})` }, "perplexity per word");
    const last = data.topics.length - 1;
    const curve = add(picture, "path", { class: "line three" });
    const dots = data.topics.map(() => add(picture, "circle", { r: 4, class: "dot three" }));
    const rings = data.topics.map(() => add(picture, "circle", { r: 9, class: "line three" }));
    const name = add(picture, "text", { x: x(data.topics[last]), class: "three end" }, "second halves");
    const words = make("p", "result", form);
    words.setAttribute("aria-live", "polite");

    function show() {
      const found = verdict(data, row), values = data.completion[row];
      curve.setAttribute("d", path(values));
      dots.forEach(function (dot, k) {
        dot.setAttribute("cx", x(data.topics[k]));
        dot.setAttribute("cy", y(values[k]));
      });
      name.setAttribute("y", Math.max(TOP + 14, Math.min(y(values[last - 1]), y(values[last])) - 14)); // above the end of its curve
      rings.forEach(function (ring, k) {
        ring.setAttribute("cx", x(data.topics[k]));
        ring.setAttribute("cy", y(values[k]));
        ring.setAttribute("visibility", found.level.includes(data.topics[k]) ? "visible" : "hidden");
      });
      const after = found.words ? `After at most <b>${found.words}</b> word${found.words === 1 ? "" : "s"}` : "Before any word is read";
      const better = found.topics === 1 ? "" :
        ` ${found.level.length > 1 ? "The lower" : "That"} is ${found.gain.toFixed(0)}% below one topic (${found.one.toFixed(0)}).`;
      words.innerHTML = found.level.length > 1 ?
        `${after}, <b>${found.level.join(" and ")} topics</b> are level, within 1% of each other: perplexities ` +
        `<b>${found.level.map((K) => values[data.topics.indexOf(K)].toFixed(0)).join(" and ")}</b>.${better}` :
        `${after}, the second halves are predicted best with ` +
        `<b>${found.topics} topic${found.topics > 1 ? "s" : ""}</b>: perplexity <b>${found.value.toFixed(0)}</b>.${better}`;
    }
    show();
  }

  window.Explorables = Object.assign(window.Explorables || {}, { completion: { lowest, verdict, draw } });
})();
