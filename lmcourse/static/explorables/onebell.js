/* One bell curve for a truth with two humps: its KL divergence from the truth in both directions. */
(function () {
  "use strict";

  const WIDTH = 440, HEIGHT = 210, LEFT = 16, RIGHT = 16, TOP = 14, BOTTOM = 42, HIGH = 0.85;

  /** A bell curve on the cells, as probabilities: cells is [first, last, how many]. */
  function bell([from, to, count], mean, width) {
    const weights = [];
    for (let k = 0; k < count; k += 1) {
      const cell = from + (to - from) * k / (count - 1);
      weights.push(Math.exp(-((cell - mean) ** 2) / (2 * width ** 2)));
    }
    const total = weights.reduce((a, b) => a + b, 0);
    return weights.map((w) => w / total);
  }

  /** A mixture of bells; parts are [share, mean, width]. */
  function mixture(cells, parts) {
    const bells = parts.map(([share, mean, width]) => bell(cells, mean, width).map((p) => share * p));
    return bells[0].map((_, k) => bells.reduce((sum, part) => sum + part[k], 0));
  }

  /** KL divergence of p from q in nats. */
  function kl(p, q) {
    return p.reduce((sum, value, k) => sum + (value > 0 ? value * Math.log(value / q[k]) : 0), 0);
  }

  /** Both directions for a bell. */
  function both(cells, parts, mean, width) {
    const p = mixture(cells, parts), q = bell(cells, mean, width);
    return { forward: kl(p, q), reverse: kl(q, p) };
  }

  function draw(box, data, make) {
    const add = make.svg, cells = data.cells, [from, to, count] = cells;
    const size = (to - from) / (count - 1);
    const truth = mixture(cells, data.parts);
    const now = { mean: data.mean, width: data.width };
    const lowest = { forward: Infinity, reverse: Infinity };
    const form = make("div", "explorable-form", box);
    const controls = make("div", "controls", form);
    make.slider(controls, "mean μ", { min: -4, max: 4, step: 0.1 }, now.mean,
      (v) => v.toFixed(1).replace("-", "−"), (v) => { now.mean = v; show(); });
    make.slider(controls, "width σ", { min: 0.5, max: 4, step: 0.05 }, now.width, (v) => v.toFixed(2), (v) => { now.width = v; show(); });

    const left = -7, right = 7;
    const x = (v) => LEFT + (v - left) / (right - left) * (WIDTH - LEFT - RIGHT);
    const y = (v) => TOP + (HIGH - v) / HIGH * (HEIGHT - TOP - BOTTOM);
    const picture = add(form, "svg", {
      viewBox: `0 0 ${WIDTH} ${HEIGHT}`, class: "plot", role: "img",
      "aria-label": "density of the truth, with two humps, and of one bell curve",
    });
    function path(q) {
      const points = [];
      for (let k = 0; k < count; k += 1) {
        const cell = from + size * k;
        if (cell >= left && cell <= right) points.push(`${points.length ? "L" : "M"}${x(cell).toFixed(1)} ${y(q[k] / size).toFixed(1)}`);
      }
      return points.join("");
    }
    add(picture, "path", { class: "possible", d: `${path(truth)}L${x(right)} ${y(0)}L${x(left)} ${y(0)}Z` });
    add(picture, "line", { x1: LEFT, x2: WIDTH - RIGHT, y1: y(0), y2: y(0), class: "axis" });
    for (const v of [-6, -4, -2, 0, 2, 4, 6]) {
      add(picture, "text", { x: x(v), y: HEIGHT - BOTTOM + 18, class: "tick middle" }, String(v).replace("-", "−"));
    }
    add(picture, "text", { x: x(0), y: HEIGHT - 4, class: "tick middle" }, "x");
    add(picture, "text", { x: x(-6.9), y: y(0.76), class: "one" }, "line: your bell");
    add(picture, "text", { x: x(-6.9), y: y(0.66), class: "tick" }, "area: the truth");
    const curve = add(picture, "path", { class: "line one" });
    const words = make("p", "result", form);
    words.setAttribute("aria-live", "polite");

    function show() {
      const found = both(cells, data.parts, now.mean, now.width);
      curve.setAttribute("d", path(bell(cells, now.mean, now.width)));
      for (const way of ["forward", "reverse"]) lowest[way] = Math.min(lowest[way], found[way]);
      words.innerHTML = `Forward D(p‖q): <b>${found.forward.toFixed(3)}</b> nats, your lowest so far ${lowest.forward.toFixed(3)}.<br>` +
        `Reverse D(q‖p): <b>${found.reverse.toFixed(3)}</b> nats, your lowest so far ${lowest.reverse.toFixed(3)}.`;
    }
    show();
  }

  window.Explorables = Object.assign(window.Explorables || {}, { onebell: { bell, both, draw } });
})();
