/* One forecast of rain: its expected loss is a floor, which is the truth's, and an excess, which is the forecaster's. */
(function () {
  "use strict";

  const WIDTH = 440, HEIGHT = 260, LEFT = 48, RIGHT = 16, TOP = 14, BOTTOM = 46, HIGH = 0.8;

  /** Expected loss, floor and excess in nats where it rains with probability p and the desk says q; both terms of the excess. */
  function split(p, q) {
    const floor = -(p * Math.log(p) + (1 - p) * Math.log(1 - p));
    const loss = -(p * Math.log(q) + (1 - p) * Math.log(1 - q));
    const rain = p * Math.log(p / q), dry = (1 - p) * Math.log((1 - p) / (1 - q));
    return { loss, floor, excess: Math.max(0, rain + dry), rain, dry };
  }

  const x = (q) => LEFT + q * (WIDTH - LEFT - RIGHT);
  const y = (v) => TOP + (HIGH - Math.min(v, HIGH)) / HIGH * (HEIGHT - TOP - BOTTOM);

  function path(of) {
    const points = [];
    for (let q = 0.005; q < 0.998; q += 0.005) {
      if (of(q) <= HIGH) points.push(`${points.length ? "L" : "M"}${x(q).toFixed(1)} ${y(of(q)).toFixed(1)}`);
    }
    return points.join("");
  }

  const signed = (v) => (Math.abs(v) < 5e-5 ? "0.0000" : `${v < 0 ? "−" : "+"}${Math.abs(v).toFixed(4)}`);

  function draw(box, data, make) {
    const add = make.svg;
    const now = { p: data.p, q: data.q };
    const form = make("div", "explorable-form", box);
    const controls = make("div", "controls", form);
    for (const [key, words] of [["p", "it rains, p"], ["q", "the desk says, q"]]) {
      make.slider(controls, words, { min: 0.01, max: 0.99, step: 0.01 }, now[key], (v) => v.toFixed(2), (v) => { now[key] = v; show(); });
    }
    const picture = add(form, "svg", {
      viewBox: `0 0 ${WIDTH} ${HEIGHT}`, class: "plot", role: "img",
      "aria-label": "expected loss against the probability that the desk says, with its floor and its excess",
    });
    for (const v of [0, 0.2, 0.4, 0.6, 0.8]) {
      add(picture, "line", { x1: LEFT, x2: WIDTH - RIGHT, y1: y(v), y2: y(v), class: v ? "grid" : "axis" });
      add(picture, "text", { x: LEFT - 8, y: y(v) + 5, class: "tick end" }, v.toFixed(1));
    }
    for (const q of [0, 0.25, 0.5, 0.75, 1]) {
      add(picture, "text", { x: x(q), y: HEIGHT - BOTTOM + 18, class: "tick middle" }, String(q));
    }
    add(picture, "text", { x: x(0.5), y: HEIGHT - 6, class: "tick middle" }, "what the desk says, q");
    add(picture, "text", { x: LEFT + 6, y: TOP + 16, class: "one" }, "loss (nats per day)");
    const curve = add(picture, "path", { class: "line one" });
    // The floor is the truth's: as dark as the truth in the book's figures.
    const ink = "var(--pst-color-text-base)";
    const level = add(picture, "line", { x1: LEFT, x2: WIDTH - RIGHT, class: "line two", style: `stroke: ${ink}` });
    const floor = add(picture, "text", { x: WIDTH - RIGHT - 4, class: "two end", style: `fill: ${ink}` }, "floor");
    const bars = { floor: add(picture, "rect", { width: 16, class: "dot two", style: `fill: ${ink}` }), excess: add(picture, "rect", { width: 16, class: "dot one" }) };
    const words = make("p", "result", form);
    words.setAttribute("aria-live", "polite");

    function show() {
      const made = split(now.p, now.q);
      curve.setAttribute("d", path((q) => split(now.p, q).loss));
      level.setAttribute("y1", y(made.floor));
      level.setAttribute("y2", y(made.floor));
      floor.setAttribute("y", y(made.floor) - 6);
      const bar = (rect, from, to) => {
        rect.setAttribute("x", x(now.q) - 8);
        rect.setAttribute("y", y(to));
        rect.setAttribute("height", Math.max(0, y(from) - y(to)));
      };
      bar(bars.floor, 0, made.floor);
      bar(bars.excess, made.floor, made.loss);
      words.innerHTML = `Loss <b>${made.loss.toFixed(4)}</b> = floor <b>${made.floor.toFixed(4)}</b> + excess ` +
        `<b>${made.excess.toFixed(4)}</b> nats per day. The excess has two terms: ${signed(made.rain)} from days with rain, ` +
        `${signed(made.dry)} from dry days.`;
    }
    show();
  }

  window.Explorables = Object.assign(window.Explorables || {}, { floorexcess: { split, draw } });
})();
