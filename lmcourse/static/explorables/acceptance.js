/* A network and its smaller versions, page by page: perplexity, KL divergence, first guesses, and a verdict. */
(function () {
  "use strict";

  const WIDTH = 440, HEIGHT = 96, LEFT = 14, RIGHT = 14, LINE = 44;

  /**
   * The change of a model on its first pages.
   *
   * pages: arrays [tokens, bits of the new model minus bits of the old one, KL divergence in nats, equal first guesses].
   * count: how many pages are used, at least 2.
   * wide: how many standard errors the interval reaches to each side.
   */
  function measure(pages, count, wide = 1.96) {
    const used = pages.slice(0, count);
    const total = (k) => used.reduce((sum, page) => sum + page[k], 0);
    const tokens = total(0), difference = total(1) / tokens;
    const squares = used.reduce((sum, page) => sum + (page[1] - difference * page[0]) ** 2, 0);
    const error = Math.sqrt(squares * count / (count - 1)) / tokens;
    return {
      tokens, difference, low: difference - wide * error, high: difference + wide * error,
      kl: total(2) / tokens, same: total(3) / tokens,
    };
  }

  /** The verdict on an interval in bits per token, if the perplexity may rise by `margin` (0.02 is 2 per cent). */
  function verdict(low, high, margin) {
    const bound = Math.log2(1 + margin);
    return high < bound ? "accept" : low >= bound ? "reject" : "undecided";
  }

  const FEWEST = 10;

  /** The end of the result: what follows from the interval, where it may be trusted. */
  function conclusion(found, pages, margin) {
    if (pages < FEWEST) return "Too few pages: an interval from so few does not cover 95%. No verdict.";
    return {
      accept: `Accept by the perplexity; the first guesses (${(100 * (1 - found.same)).toFixed(1)}%) are not judged here.`,
      reject: "Reject: the whole interval is above the margin.",
      undecided: "Undecided at this number of pages: the old version stays.",
    }[verdict(found.low, found.high, margin)];
  }

  /** A divergence in nats, with the three decimals of the page. */
  const nats = (kl) => (kl < 0.0005 ? "less than 0.001" : kl.toFixed(3));

  const percent = (bits) => 100 * (2 ** bits - 1);
  function signed(v) {
    const shown = Math.abs(v).toFixed(2);
    return `${Number(shown) === 0 ? "" : v < 0 ? "−" : "+"}${shown}%`;
  }

  function draw(box, data, make) {
    const add = make.svg;
    const most = data.versions[0].pages.length;
    const now = { version: data.start, pages: most, margin: data.margin };
    const form = make("div", "explorable-form", box);
    const controls = make("div", "controls", form);
    make.slider(controls, "version", { min: 0, max: data.versions.length - 1, step: 1 }, now.version,
      (k) => data.versions[k].name, (k) => { now.version = k; show(); });
    make.slider(controls, "test pages", { min: 2, max: most, step: 1 }, now.pages, String, (n) => { now.pages = n; show(); });
    make.slider(controls, "margin", { min: 0.5, max: 10, step: 0.5 }, now.margin, (m) => `${m.toFixed(1)}%`, (m) => { now.margin = m; show(); });

    const picture = add(form, "svg", {
      viewBox: `0 0 ${WIDTH} ${HEIGHT}`, class: "plot", role: "img",
      "aria-label": "the interval of the change of perplexity, and the margin",
    });
    const from = -2, to = 14, x = (v) => LEFT + (Math.max(from, Math.min(to, v)) - from) / (to - from) * (WIDTH - LEFT - RIGHT);
    add(picture, "line", { x1: x(from), x2: x(to), y1: LINE, y2: LINE, class: "grid" });
    for (const v of [-2, 0, 2, 4, 6, 8, 10, 12, 14]) {
      add(picture, "text", { x: x(v), y: LINE + 26, class: "tick middle" }, String(v).replace("-", "−"));
    }
    add(picture, "text", { x: x((from + to) / 2), y: LINE + 46, class: "tick middle" }, "change of the perplexity (%)");
    const zero = { x1: x(0), x2: x(0), y1: LINE - 10, y2: LINE + 10, class: "axis" };
    add(picture, "line", zero);
    const bound = add(picture, "line", { y1: LINE - 22, y2: LINE + 10, class: "line two" });
    const said = add(picture, "text", { y: LINE - 28, class: "two middle" }, "margin");
    const interval = add(picture, "line", { y1: LINE, y2: LINE, class: "line one wide" });
    const ends = [0, 1].map(() => add(picture, "line", { y1: LINE - 11, y2: LINE + 11, class: "line one" }));
    const dot = add(picture, "circle", { cy: LINE, r: 6, class: "dot one" });
    const words = make("p", "result", form);
    words.setAttribute("aria-live", "polite");

    function show() {
      const version = data.versions[now.version], found = measure(version.pages, now.pages, data.t[now.pages - 2]);
      const [low, middle, high] = [found.low, found.difference, found.high].map(percent);
      bound.setAttribute("x1", x(now.margin));
      bound.setAttribute("x2", x(now.margin));
      said.setAttribute("x", Math.max(x(-0.6), Math.min(x(12.6), x(now.margin))));
      interval.setAttribute("x1", x(low));
      interval.setAttribute("x2", x(high));
      for (const [end, at] of [[ends[0], low], [ends[1], high]]) {
        end.setAttribute("x1", x(at));
        end.setAttribute("x2", x(at));
      }
      dot.setAttribute("cx", x(middle));
      words.innerHTML = `<b>${version.name}, ${version.kB.toFixed(0)} kB:</b> the perplexity changes by ` +
        `<b>${signed(middle)}</b> (95% interval ${signed(low)} to ${signed(high)}), the KL divergence to the original is ` +
        `<b>${nats(found.kl)}</b> nats, and <b>${(100 * (1 - found.same)).toFixed(1)}%</b> of the first guesses change. ` +
        `<b>${conclusion(found, now.pages, now.margin / 100)}</b>`;
    }
    show();
  }

  window.Explorables = Object.assign(window.Explorables || {}, { acceptance: { measure, verdict, conclusion, draw } });
})();
