/* How much of the probability has ended after 1, 2, ... words, and how much is still going on. */
(function () {
  "use strict";

  const WIDTH = 440, HEIGHT = 240, LEFT = 40, RIGHT = 10, TOP = 30, BOTTOM = 46;

  /** The chance to end after word t = 1, 2, ...: always delta, or fading from delta on. */
  const chance = (delta, fading, t) => (fading ? (4 * delta) / (t + 1) ** 2 : delta);

  /** Mass of the texts of exactly 1, 2, ..., longest words, and what has not ended after each. */
  function masses(delta, fading, longest) {
    const ended = [], goingOn = [];
    let left = 1;
    for (let t = 1; t <= longest; t += 1) {
      const stops = left * chance(delta, fading, t);
      left -= stops;
      ended.push(stops);
      goingOn.push(left);
    }
    return { ended, goingOn };
  }

  /** What never ends: the limit of the mass that is still going on. */
  function never(delta, fading) {
    if (delta === 0) return 1;
    if (!fading) return 0;
    const a = 2 * Math.sqrt(delta); // the product of 1 - a^2/k^2 over k = 2, 3, ... is sin(pi a) / (pi a (1 - a^2))
    return Math.abs(a - 1) < 1e-7 ? 0.5 : Math.sin(Math.PI * a) / (Math.PI * a * (1 - a * a));
  }

  function draw(box, data, make) {
    const add = make.svg;
    const now = { delta: data.delta, fading: false };
    const form = make("div", "explorable-form", box);
    const controls = make("div", "controls", form);
    make.slider(controls, "chance to end after the first word", { min: 0, max: 0.6, step: 0.01 }, now.delta,
      (v) => v.toFixed(2), (v) => { now.delta = v; show(); });
    const kinds = ["constant", "fading"].map((name, k) => make.button(controls, name, () => { now.fading = k === 1; show(); }));
    const picture = add(form, "svg", {
      viewBox: `0 0 ${WIDTH} ${HEIGHT}`, class: "plot", role: "img",
      "aria-label": "the mass of the texts of each length, and what is still going on",
    });
    const words = make("p", "result", form);
    words.setAttribute("aria-live", "polite");
    const x = (t) => LEFT + ((t - 0.5) / data.longest) * (WIDTH - LEFT - RIGHT);
    const y = (mass) => HEIGHT - BOTTOM - mass * (HEIGHT - TOP - BOTTOM);

    function show() {
      const { ended, goingOn } = masses(now.delta, now.fading, data.longest);
      kinds.forEach((button, k) => button.setAttribute("aria-pressed", String((k === 1) === now.fading)));
      picture.replaceChildren();
      for (const mass of [0, 0.25, 0.5, 0.75, 1]) {
        add(picture, "line", { x1: LEFT, x2: WIDTH - RIGHT, y1: y(mass), y2: y(mass), class: "grid" });
        add(picture, "text", { x: LEFT - 6, y: y(mass) + 5, class: "tick end" }, String(mass));
      }
      add(picture, "text", { x: 4, y: 14, class: "tick" }, "probability");
      const wide = ((WIDTH - LEFT - RIGHT) / data.longest) * 0.8;
      ended.forEach((mass, k) => add(picture, "rect", { x: x(k + 1) - wide / 2, y: y(mass), width: wide, height: y(0) - y(mass), class: "model" }));
      const path = goingOn.map((mass, k) => `${k ? "L" : "M"}${x(k + 1).toFixed(1)} ${y(mass).toFixed(1)}`).join("");
      add(picture, "path", { d: path, class: "line two" });
      const high = goingOn[data.longest - 1] > 0.45;
      add(picture, "text", { x: WIDTH - RIGHT, y: y(goingOn[data.longest - 1]) + (high && goingOn[data.longest - 1] > 0.9 ? 20 : -8), class: "two end" }, "still going on");
      for (const t of [1, 5, 10, 15, 20, 25, 30].filter((v) => v <= data.longest)) add(picture, "text", { x: x(t), y: HEIGHT - BOTTOM + 18, class: "tick middle" }, String(t));
      add(picture, "text", { x: (LEFT + WIDTH - RIGHT) / 2, y: HEIGHT - 8, class: "tick middle" }, "words (bars: texts that end after so many)");
      const sum = 1 - goingOn[data.longest - 1], rest = never(now.delta, now.fading);
      words.innerHTML = `Texts of at most ${data.longest} words have <b>${sum.toFixed(3)}</b> together, and <b>${goingOn[data.longest - 1].toFixed(3)}</b> is still going on. ` +
        (rest === 0 ? "All of that ends sooner or later: the finite texts sum to <b>1</b>." : `In the long run <b>${rest.toFixed(3)}</b> never ends: the finite texts sum to <b>${(1 - rest).toFixed(3)}</b>.`);
    }
    show();
  }

  window.Explorables = Object.assign(window.Explorables || {}, { endings: { masses, never, draw } });
})();
