/* Expectation maximisation, step by step: one weight between the frequencies of pairs and of single words. */
(function () {
  "use strict";

  const WIDTH = 440, HEIGHT = 414, LEFT = 52, RIGHT = 16, TOP = 14, MIDDLE = 200, LOW = 252, BOTTOM = 78;

  /** For each token, the probability that it came from the pairs; the loss in nats per token; and the next weight. */
  function step(f, b, weight) {
    const given = f.map((value, t) => weight * value + (1 - weight) * b[t]);
    const from = f.map((value, t) => weight * value / given[t]);
    const mean = (values) => values.reduce((total, value) => total + value, 0) / values.length;
    return { from, loss: -mean(given.map(Math.log)), next: mean(from) };
  }

  function draw(box, data, make) {
    const add = make.svg;
    let weight = data.start, steps = 0, earlier = [];
    const form = make("div", "explorable-form", box), controls = make("div", "controls", form);
    const setWeight = make.slider(controls, "weight λ", { min: 0.02, max: 0.98, step: 0.01 }, weight, (v) => v.toFixed(3), (v) => {
      weight = v;
      steps = 0;
      earlier = [];
      show();
    });
    make.button(controls, "one step", () => {
      earlier.push(weight);
      weight = step(data.f, data.b, weight).next;
      steps += 1;
      setWeight(weight);
      show();
    });

    const grid = Array.from({ length: 97 }, (_, k) => 0.02 + k * 0.01);
    const losses = grid.map((w) => step(data.f, data.b, w).loss);
    const bottom = Math.floor(Math.min(...losses) * 10) / 10, top = Math.ceil(losses[losses.length - 1] * 10) / 10;
    const x = (w) => LEFT + w * (WIDTH - LEFT - RIGHT);
    const y = (v) => TOP + (top - v) / (top - bottom) * (MIDDLE - TOP);
    const picture = add(form, "svg", {
      viewBox: `0 0 ${WIDTH} ${HEIGHT}`, class: "plot", role: "img",
      "aria-label": "above, the loss against the weight; below, where each token came from",
    });
    for (let tenth = Math.round(bottom * 10); tenth <= Math.round(top * 10); tenth += 2) {
      add(picture, "line", { x1: LEFT, x2: WIDTH - RIGHT, y1: y(tenth / 10), y2: y(tenth / 10), class: "grid" });
      add(picture, "text", { x: LEFT - 8, y: y(tenth / 10) + 5, class: "tick end" }, (tenth / 10).toFixed(1));
    }
    for (const w of [0, 0.25, 0.5, 0.75, 1]) {
      add(picture, "text", { x: x(w), y: MIDDLE + 18, class: "tick middle" }, String(w));
    }
    add(picture, "text", { x: x(0.5), y: MIDDLE + 38, class: "tick middle" }, "weight λ of the pairs");
    add(picture, "text", { x: x(0.5), y: TOP + 6, class: "tick middle" }, "loss (nats per token)");
    add(picture, "path", {
      class: "axis", fill: "none", d: grid.map((w, k) => `${k ? "L" : "M"}${x(w).toFixed(1)} ${y(losses[k]).toFixed(1)}`).join(""),
    });
    const trail = add(picture, "g", {});
    const dot = add(picture, "circle", { r: 7, class: "dot one" });

    const wide = (WIDTH - LEFT - RIGHT) / data.f.length, base = HEIGHT - BOTTOM;
    const tall = (g) => g * (base - LOW);
    add(picture, "text", { x: LEFT - 8, y: LOW + 5, class: "tick end" }, "1");
    add(picture, "text", { x: LEFT - 8, y: base + 5, class: "tick end" }, "0");
    add(picture, "line", { x1: LEFT, x2: WIDTH - RIGHT, y1: base, y2: base, class: "axis" });
    add(picture, "text", { x: x(0.5), y: HEIGHT - 8, class: "tick middle" }, "for each token: from the pairs?");
    const bars = data.f.map((_, t) => add(picture, "rect", { x: LEFT + t * wide + 1.5, width: wide - 3, class: "dot two" }));
    data.words.forEach(function (word, t) {
      const at = LEFT + (t + 0.5) * wide + 4;
      add(picture, "text", { x: at, y: base + 12, class: "tick end", transform: `rotate(-60 ${at} ${base + 12})` }, word);
    });
    const mean = add(picture, "line", { x1: LEFT, x2: WIDTH - RIGHT, class: "line one" });
    const words = make("p", "result", form);
    words.setAttribute("aria-live", "polite");

    function show() {
      const found = step(data.f, data.b, weight);
      dot.setAttribute("cx", x(weight));
      dot.setAttribute("cy", y(found.loss));
      trail.replaceChildren();
      for (const w of earlier.slice(-12)) {
        add(trail, "circle", { cx: x(w), cy: y(step(data.f, data.b, w).loss), r: 4, class: "rest" });
      }
      bars.forEach(function (bar, t) {
        bar.setAttribute("y", base - tall(found.from[t]));
        bar.setAttribute("height", tall(found.from[t]));
      });
      mean.setAttribute("y1", base - tall(found.next));
      mean.setAttribute("y2", base - tall(found.next));
      const done = steps === 1 ? "After 1 step: " : steps ? `After ${steps} steps: ` : "";
      words.innerHTML = `${done}λ = <b>${weight.toFixed(3)}</b>, loss <b>${found.loss.toFixed(4)}</b> nats per token. The mean of the ` +
        `bars is <b>${found.next.toFixed(3)}</b>: the next weight.`;
    }
    show();
  }

  window.Explorables = Object.assign(window.Explorables || {}, { emsteps: { step, draw } });
})();
