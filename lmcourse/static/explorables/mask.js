/* Which tokens each forecast of a Transformer depends on, if its attention may look ahead; and which of two tests finds it. */
(function () {
  "use strict";

  const CELL = 34, LEFT = 96, TOP = 30;

  /**
   * Whether the forecast of token t depends on token s (counted from 1), if each of `layers` layers may look `ahead` positions.
   * Position t has token t - 1 as its input, and what it knows grows by `ahead` positions with each layer, up to the last of N.
   */
  function sees(t, s, ahead, layers, N) {
    return s <= Math.min(t + ahead * layers, N) - 1;
  }

  /** What two tests find: scores before the changed token that move, and whether a forecast sees its own token. */
  function tests(N, changed, ahead, layers) {
    const moved = [];
    for (let t = 1; t < changed; t += 1) if (sees(t, changed, ahead, layers, N)) moved.push(t);
    return { moved, answer: sees(1, 1, ahead, layers, N) };
  }

  function draw(box, data, make) {
    const add = make.svg;
    const signs = [...data.text], N = signs.length;
    const now = { ahead: data.start[0], layers: data.start[1], changed: data.start[2] };
    const form = make("div", "explorable-form", box), controls = make("div", "controls", form);
    for (const [key, words, most] of [["ahead", "positions ahead", 1], ["layers", "layers", 3], ["changed", "changed token", N]]) {
      make.slider(controls, words, { min: key === "ahead" ? 0 : 1, max: most, step: 1 }, now[key],
        (v) => key === "changed" ? `${v} (${signs[v - 1]})` : String(v), (v) => { now[key] = v; show(); });
    }
    const width = LEFT + N * CELL + 8, height = TOP + N * CELL + 26;
    const picture = add(form, "svg", {
      viewBox: `0 0 ${width} ${height}`, class: "plot", role: "img",
      "aria-label": "a square for each pair of a forecast, in rows, and a token, in columns; filled if the forecast depends on the token",
    });
    const squares = [];
    for (let t = 1; t <= N; t += 1) {
      add(picture, "text", { x: LEFT - 8, y: TOP + (t - 0.5) * CELL + 5, class: "tick end" }, `forecast ${t}`);
      add(picture, "text", { x: LEFT + (t - 0.5) * CELL, y: TOP - 9, class: "tick middle" }, signs[t - 1]);
      for (let s = 1; s <= N; s += 1) {
        squares.push([t, s, add(picture, "rect", {
          x: LEFT + (s - 1) * CELL + 2, y: TOP + (t - 1) * CELL + 2, width: CELL - 4, height: CELL - 4,
        })]);
      }
    }
    const frame = add(picture, "rect", { y: TOP - 1, width: CELL, height: N * CELL + 2, class: "axis", fill: "none" });
    add(picture, "text", { x: LEFT + N * CELL / 2, y: height - 6, class: "tick middle" }, "tokens");
    const words = make("p", "result", form);
    words.setAttribute("aria-live", "polite");

    function show() {
      for (const [t, s, square] of squares) {
        const seen = sees(t, s, now.ahead, now.layers, N);
        square.setAttribute("class", !seen ? "possible" : s < t ? "rest" : "model");
      }
      frame.setAttribute("x", LEFT + (now.changed - 1) * CELL);
      const found = tests(N, now.changed, now.ahead, now.layers);
      const before = found.moved.length ? `move forecast ${found.moved.join(", ")}, so the first test finds the leak`
        : "move no forecast before it, so the first test finds nothing";
      words.innerHTML = `Changes of token ${now.changed} <b>${before}</b>. A forecast ` +
        (found.answer ? "<b>sees its own answer</b>, so its row need not sum to 1, and the second test finds the leak."
          : "does <b>not</b> see its own answer, so its row sums to 1.");
    }
    show();
  }

  window.Explorables = Object.assign(window.Explorables || {}, { mask: { sees, tests, draw } });
})();
