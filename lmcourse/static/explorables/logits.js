/* Three logits, their softmax, the loss against a target, and its gradient, which a button follows downhill. */
(function () {
  "use strict";

  const WIDTH = 440, ROW = 50, TOP = 26, LEFT = 70, RIGHT = 92, AXIS = 44;

  /** Logits -> probabilities, without overflow. */
  function softmax(z) {
    const top = Math.max(...z), powers = z.map((v) => Math.exp(v - top));
    const total = powers.reduce((a, b) => a + b, 0);
    return powers.map((v) => v / total);
  }

  /** The loss in nats for the target p: log-sum-exp minus the expected logit. */
  function loss(z, p) {
    const top = Math.max(...z);
    const logSum = top + Math.log(z.reduce((sum, v) => sum + Math.exp(v - top), 0));
    return logSum - z.reduce((sum, v, k) => sum + p[k] * v, 0);
  }

  /** Model minus target. */
  function gradient(z, p) {
    return softmax(z).map((q, k) => q - p[k]);
  }

  /** The logits after one step against the gradient. */
  function step(z, p, rate) {
    const slope = gradient(z, p);
    return z.map((v, k) => v - rate * slope[k]);
  }

  const x = (q) => LEFT + q * (WIDTH - LEFT - RIGHT);
  const signed = (v, digits) => {
    const shown = Math.abs(v).toFixed(digits);
    return Number(shown) === 0 ? shown : `${v < 0 ? "−" : "+"}${shown}`;
  };

  function draw(box, data, make) {
    const add = make.svg, n = data.names.length;
    let z = [...data.logits], steps = 0;
    const floor = data.target.reduce((sum, p) => sum - (p > 0 ? p * Math.log(p) : 0), 0);
    const form = make("div", "explorable-form", box);
    const controls = make("div", "controls", form);
    const setters = data.names.map((name, k) => make.slider(controls, `logit of ${name}`, { min: -4, max: 4, step: 0.1 }, z[k],
      (v) => signed(v, 1), (v) => { z[k] = v; steps = 0; show(); }));
    make.button(controls, "one step downhill", () => { z = step(z, data.target, data.rate); steps += 1; show(); });
    make.button(controls, "start again", () => { z = [...data.logits]; steps = 0; show(); });

    const bottom = TOP + n * ROW;
    const picture = add(form, "svg", {
      viewBox: `0 0 ${WIDTH} ${bottom + AXIS}`, class: "plot", role: "img",
      "aria-label": "the probabilities of the model as bars, the target as dashed lines, and the gradient at each logit",
    });
    for (const q of [0, 0.25, 0.5, 0.75, 1]) {
      add(picture, "line", { x1: x(q), x2: x(q), y1: TOP, y2: bottom, class: q ? "grid" : "axis" });
      add(picture, "text", { x: x(q), y: bottom + 17, class: "tick middle" }, String(q));
    }
    add(picture, "text", { x: x(0.5), y: bottom + 38, class: "tick middle" }, "probability");
    add(picture, "text", { x: WIDTH - 4, y: TOP - 8, class: "tick end" }, "gradient");
    const rows = data.names.map(function (name, k) {
      const top = TOP + k * ROW;
      add(picture, "text", { x: LEFT - 8, y: top + ROW / 2 + 5, class: "end" }, name);
      const bar = add(picture, "rect", { x: x(0), y: top + 10, height: ROW - 20, class: "dot one" });
      add(picture, "line", { x1: x(data.target[k]), x2: x(data.target[k]), y1: top + 3, y2: top + ROW - 3, class: "line two" });
      const slope = add(picture, "text", { x: WIDTH - 4, y: top + ROW / 2 + 5, class: "end" });
      return { bar, slope };
    });
    const words = make("p", "result", form);
    words.setAttribute("aria-live", "polite");

    function show() {
      const q = softmax(z), slope = gradient(z, data.target), now = loss(z, data.target);
      rows.forEach(function (row, k) {
        row.bar.setAttribute("width", x(q[k]) - x(0));
        row.slope.textContent = signed(slope[k], 3);
        setters[k](z[k]);
      });
      words.innerHTML = `The loss is <b>${now.toFixed(4)}</b> nats, <b>${Math.max(0, now - floor).toFixed(4)}</b> above the entropy of ` +
        `the target (${floor.toFixed(4)}).` + (steps ? ` Steps: ${steps}.` : "");
    }
    show();
  }

  window.Explorables = Object.assign(window.Explorables || {}, { logits: { softmax, loss, gradient, step, draw } });
})();
