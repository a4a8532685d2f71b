/* A source of two symbols, an old model and a new one: what happens to the loss, and what to the model. */
(function () {
  "use strict";

  const WIDTH = 440, HEIGHT = 250, LEFT = 52, RIGHT = 16, TOP = 16, BOTTOM = 42, HIGH = 1.2, LOW = -0.6;

  /** Mean of ln(q / r) where the first symbol has probability p: nats. */
  function ratio(p, q, r) {
    return p * Math.log(q / r) + (1 - p) * Math.log((1 - q) / (1 - r));
  }

  /** What replacing q by r does, all three the probability of the first symbol: nats, and whether the guess stays. */
  function change(p, q, r) {
    const first = (x) => (x > 0.5 ? "heads" : x < 0.5 ? "tails" : "a tie");
    return { loss: ratio(p, q, r), kl: Math.max(0, ratio(q, q, r)), before: first(q), after: first(r) };
  }

  const x = (r) => LEFT + r * (WIDTH - LEFT - RIGHT);
  const y = (v) => TOP + (HIGH - v) / (HIGH - LOW) * (HEIGHT - TOP - BOTTOM);

  function path(of) {
    const points = [];
    for (let r = 0.01; r < 0.995; r += 0.005) {
      const v = of(r);
      if (v <= HIGH && v >= LOW) points.push(`${points.length ? "L" : "M"}${x(r).toFixed(1)} ${y(v).toFixed(1)}`);
    }
    return points.join("");
  }

  function signed(v, digits) {
    const shown = Math.abs(v).toFixed(digits);
    return Number(shown) === 0 ? shown : `${v < 0 ? "−" : "+"}${shown}`;
  }

  function draw(box, data, make) {
    const add = make.svg;
    const now = { p: data.p, q: data.q, r: data.r };
    const form = make("div", "explorable-form", box);
    const controls = make("div", "controls", form);
    for (const [key, words] of [["p", "heads: p, the truth"], ["q", "q, the old model"], ["r", "q̃, the new model"]]) {
      make.slider(controls, words, { min: 0.02, max: 0.98, step: 0.01 }, now[key], (v) => v.toFixed(2), (v) => { now[key] = v; show(); });
    }
    const picture = add(form, "svg", {
      viewBox: `0 0 ${WIDTH} ${HEIGHT}`, class: "plot", role: "img",
      "aria-label": "change of the loss and KL divergence against the new model's probability of heads",
    });
    for (const v of [-0.5, 0, 0.5, 1]) {
      add(picture, "line", { x1: LEFT, x2: WIDTH - RIGHT, y1: y(v), y2: y(v), class: v ? "grid" : "axis" });
      add(picture, "text", { x: LEFT - 8, y: y(v) + 5, class: "tick end" }, v.toFixed(1).replace("-", "−"));
    }
    for (const r of [0, 0.25, 0.5, 0.75, 1]) {
      add(picture, "text", { x: x(r), y: HEIGHT - BOTTOM + 17, class: "tick middle" }, String(r));
    }
    add(picture, "text", { x: x(0.5), y: HEIGHT - 6, class: "tick middle" }, "the new model's probability of heads");
    const lines = { loss: add(picture, "path", { class: "line one" }), kl: add(picture, "path", { class: "line two" }) };
    const dots = { loss: add(picture, "circle", { r: 6, class: "dot one" }), kl: add(picture, "circle", { r: 6, class: "dot two" }) };
    add(picture, "text", { x: x(0.4), y: y(1.06), class: "one" }, "change of the loss");
    add(picture, "text", { x: x(0.4), y: y(0.78), class: "two" }, "KL divergence");
    const words = make("p", "result", form);
    words.setAttribute("aria-live", "polite");

    function show() {
      const made = change(now.p, now.q, now.r);
      lines.loss.setAttribute("d", path((r) => change(now.p, now.q, r).loss));
      lines.kl.setAttribute("d", path((r) => change(now.p, now.q, r).kl));
      for (const key of ["loss", "kl"]) {
        dots[key].setAttribute("cx", x(now.r));
        dots[key].setAttribute("cy", y(Math.max(LOW, Math.min(HIGH, made[key]))));
      }
      const guess = made.before === made.after ? `stays ${made.after}` : `changes from ${made.before} to ${made.after}`;
      words.innerHTML = `The loss changes by <b>${signed(made.loss, 3)}</b> nats, the perplexity by ` +
        `<b>${signed(100 * (Math.exp(made.loss) - 1), 1)}%</b>. The KL divergence to the old model is ` +
        `<b>${made.kl.toFixed(3)}</b> nats. The first guess ${guess}.`;
    }
    show();
  }

  window.Explorables = Object.assign(window.Explorables || {}, { twosymbols: { ratio, change, draw } });
})();
