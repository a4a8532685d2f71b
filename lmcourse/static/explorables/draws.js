/* Forty test sets drawn from known tales: an interval for each, with a token or a tale as one draw. */
(function () {
  "use strict";

  const WIDTH = 440, HEIGHT = 330, LEFT = 14, RIGHT = 14, TOP = 24, BOTTOM = 46;

  /** The cross-entropy of the source that picks one of the tales at random, which losses converge to: bits per token. */
  function expected(tales) {
    return tales.reduce((sum, one) => sum + one[1], 0) / tales.reduce((sum, one) => sum + one[0], 0);
  }

  /**
   * The loss of a test set and its 95% interval.
   *
   * tales: arrays [tokens, bits, sum of the squares of the tokens' bits]; draw: the indices of those that were drawn.
   */
  function interval(tales, draw, unit) {
    const total = (k) => draw.reduce((sum, d) => sum + tales[d][k], 0);
    const count = total(0), loss = total(1) / count, m = draw.length;
    const off = draw.reduce((sum, d) => sum + (tales[d][1] - loss * tales[d][0]) ** 2, 0);
    const error = unit === "tale" ? Math.sqrt(off * m / (m - 1)) / count : Math.sqrt((total(2) / count - loss ** 2) / count);
    return { loss, low: loss - 1.96 * error, high: loss + 1.96 * error };
  }

  function draw(box, data, make) {
    const add = make.svg, truth = expected(data.tales), most = data.draws[0].length;
    const now = { unit: "token", size: data.size };
    const form = make("div", "explorable-form", box);
    const controls = make("div", "controls", form);
    make.select(controls, "one draw is a", ["token", "tale"].map((name) => [name, name]), now.unit, (name) => { now.unit = name; show(); });
    make.slider(controls, "tales in a test set", { min: 3, max: most, step: 1 }, now.size, String, (n) => { now.size = n; show(); });

    const picture = add(form, "svg", {
      viewBox: `0 0 ${WIDTH} ${HEIGHT}`, class: "plot", role: "img",
      "aria-label": "forty intervals, and the cross-entropy as a vertical line",
    });
    const [from, to] = [truth - 0.4, truth + 0.4];
    const x = (v) => LEFT + (Math.max(from, Math.min(to, v)) - from) / (to - from) * (WIDTH - LEFT - RIGHT);
    for (let tenth = Math.ceil(from * 10); tenth <= to * 10; tenth += 1) {
      const v = tenth / 10;
      add(picture, "line", { x1: x(v), x2: x(v), y1: TOP, y2: HEIGHT - BOTTOM, class: "grid" });
      if (tenth % 2 === 0) add(picture, "text", { x: x(v), y: HEIGHT - BOTTOM + 18, class: "tick middle" }, v.toFixed(1));
    }
    add(picture, "text", { x: x(truth), y: HEIGHT - 8, class: "tick middle" }, "loss (bits per token)");
    add(picture, "line", { x1: x(truth), x2: x(truth), y1: TOP - 4, y2: HEIGHT - BOTTOM, class: "axis" });
    add(picture, "text", { x: x(truth), y: TOP - 9, class: "middle" }, "cross-entropy");
    const step = (HEIGHT - TOP - BOTTOM) / data.draws.length;
    const lines = data.draws.map((_, k) => add(picture, "line", { y1: TOP + (k + 0.5) * step, y2: TOP + (k + 0.5) * step }));
    const result = make("p", "result", form);
    result.setAttribute("aria-live", "polite");

    function show() {
      let missed = 0, width = 0;
      data.draws.forEach((indices, k) => {
        const found = interval(data.tales, indices.slice(0, now.size), now.unit);
        const miss = truth < found.low || truth > found.high;
        missed += miss;
        width += (found.high - found.low) / data.draws.length;
        lines[k].setAttribute("x1", x(found.low));
        lines[k].setAttribute("x2", x(found.high));
        lines[k].setAttribute("class", miss ? "line one" : "axis");
      });
      const count = data.draws.length;
      result.innerHTML = `With a ${now.unit} as one draw, <b>${count - missed} of ${count}</b> “95%” intervals contain the ` +
        `cross-entropy of ${truth.toFixed(2)} bits per token, and <b>${missed}</b> miss it. ` +
        `Their mean length is <b>${width.toFixed(3)}</b> bits.`;
    }
    show();
  }

  window.Explorables = Object.assign(window.Explorables || {}, { draws: { expected, interval, draw } });
})();
