/* How far a loss decides a task: the accuracies that an excess allows, beside models that were measured. */
(function () {
  "use strict";

  /**
   * The accuracies that a model may have on a choice that looks at one token in `every`, when its loss is `bits` per
   * token above the floor: a wrong choice needs one bit on its token.
   */
  function range(bits, every) {
    return [Math.max(0, 1 - bits * every), 1];
  }

  // the corners of a point, by the marker of its model in the other figures; without any, a circle
  const SHAPES = {
    "^": [[0, -5.5], [5, 4.5], [-5, 4.5]],
    X: [[-5, -3], [-3, -5], [0, -2], [3, -5], [5, -3], [2, 0], [5, 3], [3, 5], [0, 2], [-3, 5], [-5, 3], [-2, 0]],
  };
  const EVERY = [2, 3, 4, 5, 6, 8, 10, 16, 20, 32, 50, 64, 100, 200, 500, 1000];  // tokens, about evenly spaced in their logarithm
  const WIDE = 430, HIGH = 288, LEFT = 48, RIGHT = 22, TOP = 30, BOTTOM = 46;

  function draw(box, data, make) {
    const add = make.svg;
    const start = { bits: data.bits, every: data.every }, options = { ...start };
    const form = make("div", "explorable-form", box);
    const x = (bits) => LEFT + (WIDE - LEFT - RIGHT) * bits / data.top;
    const y = (share) => TOP + (HIGH - TOP - BOTTOM) * (1 - share);

    const picture = add(form, "svg", { viewBox: `0 0 ${WIDE} ${HIGH}`, role: "img", class: "plot" });
    picture.setAttribute("aria-label", "Accuracy against bits per token above the floor, with the region that is possible.");
    const region = add(picture, "polygon", { class: "possible" });
    for (const share of [0, 0.25, 0.5, 0.75, 1]) {
      add(picture, "line", { x1: LEFT, x2: WIDE - RIGHT, y1: y(share), y2: y(share), class: "grid" });
      add(picture, "text", { x: LEFT - 8, y: y(share) + 5, "text-anchor": "end" }, share.toFixed(2));
    }
    for (let bits = 0; bits <= data.top + 1e-9; bits += 0.25) {
      add(picture, "text", { x: x(bits), y: HIGH - BOTTOM + 20, "text-anchor": "middle" }, bits.toFixed(2));
    }
    add(picture, "text", { x: (LEFT + WIDE) / 2, y: HIGH - 6, "text-anchor": "middle" }, "bits per token above the floor");
    add(picture, "text", { x: 4, y: 16 }, "share of right choices");
    add(picture, "text", { x: WIDE - RIGHT - 6, y: y(0.3), "text-anchor": "end" }, "possible");
    const span = add(picture, "line", { class: "span" });
    const points = data.models.map((model) => {
      const left = x(Math.min(model.bits, data.top)), top = y(model.accuracy);
      const corners = SHAPES[model.mark], kind = model.hollow ? "model hollow" : "model";
      return corners
        ? add(picture, "polygon", { points: corners.map(([dx, dy]) => `${left + dx},${top + dy}`).join(" "), class: kind })
        : add(picture, "circle", { cx: left, cy: top, r: 4.5, class: kind });
    });
    for (const { words, bits, accuracy, anchor, to } of data.labels) {
      if (to) {
        points.push(add(picture, "line", { x1: x(to[0]) + 5, y1: y(to[1]) + 3, x2: x(bits) - 4, y2: y(accuracy), class: "axis" }));
      }
      points.push(add(picture, "text", { x: x(bits), y: y(accuracy) + 5, "text-anchor": anchor }, words));
    }

    const controls = make("div", "controls", form);
    make.slider(controls, "bits per token above the floor", { min: 0, max: data.top, step: 0.001 }, options.bits,
      (v) => v.toFixed(3), (v) => { options.bits = v; show(); });
    make.slider(controls, "the task looks at one token in", { min: 0, max: EVERY.length - 1, step: 1 }, EVERY.indexOf(options.every),
      (i) => EVERY[i].toLocaleString("en"), (i) => { options.every = EVERY[i]; show(); });
    const second = controls.querySelectorAll("input")[1];
    const words = make("p", "result", form);
    words.setAttribute("aria-live", "polite");

    function show() {
      const [low] = range(options.bits, options.every);
      const corner = Math.min(data.top, 1 / options.every);
      region.setAttribute("points", [[0, 1], [corner, range(corner, options.every)[0]], [data.top, range(data.top, options.every)[0]],
        [data.top, 1]].map(([bits, share]) => `${x(bits)},${y(share)}`).join(" "));
      for (const [name, value] of Object.entries({ x1: x(options.bits), x2: x(options.bits), y1: y(low), y2: y(1) })) {
        span.setAttribute(name, value);
      }
      second.setAttribute("aria-valuetext", `one token in ${options.every}`);
      const own = options.every === start.every;
      points.forEach((point) => { point.style.display = own ? "" : "none"; });
      const ppl = 2 ** (data.floor + options.bits);
      const near = own ? data.models.filter((model) => Math.abs(model.bits - options.bits) <= 0.01) : [];
      words.innerHTML = (own ? `Perplexity <b>${ppl.toFixed(3)}</b>. ` : "") +
        `The share of right choices can be anything from <b>${(100 * low).toFixed(0)}%</b> to <b>100%</b>.` +
        (near.length ? ` Measured near here: ${near.map((m) => `${m.name}, at ${m.bits.toFixed(3)} bits: ${(100 * m.accuracy).toFixed(0)}%`).join("; ")}.` : "") +
        (own ? "" : ` Perplexity is not shown: another task has another language. The networks were measured at one token in ${start.every}.`);
    }
    show();
  }

  window.Explorables = Object.assign(window.Explorables || {}, { frontier: { EVERY, range, draw } });
})();
