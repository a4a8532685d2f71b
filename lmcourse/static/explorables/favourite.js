/* Ten words, and a model that gives its favourite the same probability each time: surprisals, and their mean. */
(function () {
  "use strict";

  const WIDTH = 440, HEIGHT = 400, LEFT = 52, RIGHT = 16;
  const BARS = { top: 26, bottom: 142, most: 5 }, CURVE = { top: 196, bottom: 354, most: 3 };

  /** The surprisal in nats of a hit and of a miss, if the favourite has probability c and the rest is shared equally. */
  function surprisals(c, others) {
    return { hit: -Math.log(c), miss: -Math.log((1 - c) / others) };
  }

  /** The mean surprisal of `words` words, `hits` of which are the favourite: nats per word. */
  function mean(c, hits, words, others) {
    const one = surprisals(c, others);
    return (hits * one.hit + (words - hits) * one.miss) / words;
  }

  /** Which words are hits, if there shall be `hits` of them: as few as possible change. */
  function spread(right, hits) {
    const made = [...right];
    let more = hits - made.reduce((a, b) => a + b, 0);
    for (let t = 0; more > 0 && t < made.length; t += 1) if (!made[t]) { made[t] = 1; more -= 1; }
    for (let t = made.length - 1; more < 0 && t >= 0; t -= 1) if (made[t]) { made[t] = 0; more += 1; }
    return made;
  }

  const across = (share) => LEFT + share * (WIDTH - LEFT - RIGHT);
  const up = (panel, v) => panel.bottom - Math.min(v, panel.most) / panel.most * (panel.bottom - panel.top);

  function draw(box, data, make) {
    const add = make.svg, words = data.right.length;
    const now = { favourite: data.favourite, hits: data.right.reduce((a, b) => a + b, 0) };
    const form = make("div", "explorable-form", box);
    const controls = make("div", "controls", form);
    make.slider(controls, "probability of the favourite", { min: 0.02, max: 0.98, step: 0.01 }, now.favourite,
      (c) => c.toFixed(2), (c) => { now.favourite = c; show(); });
    make.slider(controls, "hits", { min: 1, max: words - 1, step: 1 }, now.hits, (k) => `${k} of ${words}`, (k) => { now.hits = k; show(); });

    const picture = add(form, "svg", {
      viewBox: `0 0 ${WIDTH} ${HEIGHT}`, class: "plot", role: "img",
      "aria-label": "above, the surprisal of each word; below, their mean against the probability of the favourite",
    });
    for (const [panel, ticks] of [[BARS, [0, 2, 4]], [CURVE, [0, 1, 2, 3]]]) {
      for (const v of ticks) {
        add(picture, "line", { x1: LEFT, x2: WIDTH - RIGHT, y1: up(panel, v), y2: up(panel, v), class: v ? "grid" : "axis" });
        add(picture, "text", { x: LEFT - 8, y: up(panel, v) + 5, class: "tick end" }, String(v));
      }
    }
    add(picture, "text", { x: LEFT - 40, y: 14, class: "tick" }, "surprisal of each word (nats)");
    add(picture, "text", { x: LEFT - 40, y: CURVE.top - 14, class: "tick" }, "their mean (nats per word)");
    for (const c of [0, 0.25, 0.5, 0.75, 1]) {
      add(picture, "text", { x: across(c), y: CURVE.bottom + 19, class: "tick middle" }, String(c));
    }
    add(picture, "text", { x: across(0.5), y: CURVE.bottom + 40, class: "tick middle" }, "probability of the favourite");
    const step = (WIDTH - LEFT - RIGHT) / words;
    const bars = data.right.map((_, t) => add(picture, "rect", { x: LEFT + (t + 0.18) * step, width: 0.64 * step }));
    const line = add(picture, "path", { class: "line one" });
    const least = add(picture, "line", { y1: CURVE.top, y2: CURVE.bottom, class: "line two" });
    const dot = add(picture, "circle", { r: 6, class: "dot one" });
    const result = make("p", "result", form);
    result.setAttribute("aria-live", "polite");

    function show() {
      const { favourite, hits } = now, one = surprisals(favourite, data.others);
      spread(data.right, hits).forEach((hit, t) => {
        const y = up(BARS, hit ? one.hit : one.miss);
        bars[t].setAttribute("y", y);
        bars[t].setAttribute("height", BARS.bottom - y);
        bars[t].setAttribute("class", `dot ${hit ? "two" : "one"}`);
      });
      const points = [];
      for (let c = 0.005; c < 0.997; c += 0.005) {
        const v = mean(c, hits, words, data.others);
        if (v <= CURVE.most) points.push(`${points.length ? "L" : "M"}${across(c).toFixed(1)} ${up(CURVE, v).toFixed(1)}`);
      }
      line.setAttribute("d", points.join(""));
      const best = hits / words, value = mean(favourite, hits, words, data.others);
      const lowest = mean(best, hits, words, data.others);
      least.setAttribute("x1", across(best));
      least.setAttribute("x2", across(best));
      dot.setAttribute("cx", across(favourite));
      dot.setAttribute("cy", up(CURVE, value));
      const excess = value - lowest;
      result.innerHTML = `A hit has a surprisal of <b>${one.hit.toFixed(2)}</b> nats, a miss of <b>${one.miss.toFixed(2)}</b>. ` +
        `The mean is <b>${value.toFixed(3)}</b> nats per word` +
        (excess < 5e-4 ? `, the lowest that ${hits} hits of ${words} allow.`
          : `, ${excess.toFixed(3)} above the lowest, which is at the dashed line.`);
    }
    show();
  }

  window.Explorables = Object.assign(window.Explorables || {}, { favourite: { surprisals, mean, spread, draw } });
})();
