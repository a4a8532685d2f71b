/* A text in windows: how long they are, how far they move on, what that costs, and the perplexity that it gives. */
(function () {
  "use strict";

  const WIDTH = 440, HEIGHT = 214, LEFT = 6, TOP = 8, SHOWN = 96, MOST = 11, ROW = 15;

  /** The windows of a text of N tokens, as [start, stop, first scored position]: each token is scored by the first that reaches it. */
  function windows(N, length, stride) {
    const cuts = [[0, Math.min(length, N), 0]];
    while (cuts[cuts.length - 1][1] < N) {
      const done = cuts[cuts.length - 1][1], stop = Math.min(done + stride, N);
      cuts.push([stop - length, stop, done]);
    }
    return cuts;
  }

  /** What is computed for each token that is scored, and the fewest inputs that a token after the first window has read. */
  function cost(N, length, stride) {
    const cuts = windows(N, length, stride);
    const computed = cuts.reduce((sum, [start, stop]) => sum + stop - start, 0);
    return { windows: cuts.length, computed: computed / N, least: length - stride + 1 };
  }

  function draw(box, data, make) {
    const add = make.svg;
    const lengths = [...new Set(data.rows.map((row) => row[0]))];
    const strides = (length) => data.rows.filter((row) => row[0] === length).map((row) => row[1]);
    const now = { length: lengths.indexOf(data.start[0]), stride: 0 };
    now.stride = strides(data.start[0]).indexOf(data.start[1]);
    const form = make("div", "explorable-form", box), controls = make("div", "controls", form);
    make.slider(controls, "window", { min: 0, max: lengths.length - 1, step: 1 }, now.length,
      (k) => String(lengths[k]), (k) => { now.length = k; show(); });
    const setStride = make.slider(controls, "stride", { min: 0, step: 1 }, now.stride,
      (k) => String(strides(lengths[now.length])[k]), (k) => { now.stride = k; show(); });

    const picture = add(form, "svg", {
      viewBox: `0 0 ${WIDTH} ${HEIGHT}`, class: "plot", role: "img",
      "aria-label": "the first windows of the text; the part of each window that is scored is dark",
    });
    const bars = add(picture, "g", {});
    add(picture, "text", { x: WIDTH / 2, y: HEIGHT - 6, class: "tick middle" }, `the first ${SHOWN} characters of the text`);
    const words = make("p", "result", form);
    words.setAttribute("aria-live", "polite");
    const x = (place) => LEFT + Math.min(place, SHOWN) / SHOWN * (WIDTH - 2 * LEFT);

    function show() {
      const length = lengths[now.length], most = strides(length).length - 1;
      now.stride = Math.min(now.stride, most);
      setStride(now.stride, { max: most });
      const stride = strides(length)[now.stride];
      const nats = data.rows.find((row) => row[0] === length && row[1] === stride)[2];
      const found = cost(data.tokens, length, stride);
      bars.replaceChildren();
      windows(data.tokens, length, stride).filter(([start]) => start < SHOWN).slice(0, MOST).forEach(function ([start, stop, first], k) {
        const y = TOP + k * ROW;
        add(bars, "rect", { x: x(start), y, width: x(stop) - x(start), height: ROW - 4, class: "possible" });
        add(bars, "rect", { x: x(first), y, width: x(stop) - x(first), height: ROW - 4, class: "model" });
      });
      words.innerHTML = `Perplexity <b>${Math.exp(nats).toFixed(2)}</b>. The network computes <b>${found.computed.toFixed(1)}</b> ` +
        `positions for each character that is scored, and after the first window each forecast has read at least ` +
        `<b>${found.least}</b> ${found.least === 1 ? "input" : "inputs"}.`;
    }
    show();
  }

  window.Explorables = Object.assign(window.Explorables || {}, { strides: { windows, cost, draw } });
})();
