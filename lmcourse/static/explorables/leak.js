/* What a leak is worth: the perplexity when a share of the test tokens has been read in training. */
(function () {
  "use strict";

  const WIDTH = 440, HEIGHT = 250, LEFT = 52, RIGHT = 16, TOP = 12, BOTTOM = 44, MOST = 0.3;

  /** The perplexity after a leak: `share` of the tokens gain `gain` nats each. */
  const after = (ppl0, share, gain) => ppl0 * Math.exp(-share * gain);

  /** The share at which a leak of `gain` nats per token turns ppl0 into `target`; infinite without a gain. */
  const shareFor = (ppl0, target, gain) => (target >= ppl0 ? 0 : Math.log(ppl0 / target) / gain);

  function draw(box, data, make) {
    const add = make.svg;
    const now = { share: data.share, gain: data.gain };
    const form = make("div", "explorable-form", box);
    const controls = make("div", "controls", form);
    make.slider(controls, "share of the tokens", { min: 0, max: MOST, step: 0.01 }, now.share,
      (v) => v.toFixed(2), (v) => { now.share = v; show(); });
    make.slider(controls, "gain of a leaked token", { min: 0, max: 4, step: 0.1 }, now.gain,
      (v) => `${v.toFixed(1)} nats`, (v) => { now.gain = v; show(); });

    const top = Math.ceil(Math.max(data.ppl0, data.rival.perplexity) / 10) * 10;
    const x = (v) => LEFT + v / MOST * (WIDTH - LEFT - RIGHT);
    const y = (v) => HEIGHT - BOTTOM - v / top * (HEIGHT - TOP - BOTTOM);
    const picture = add(form, "svg", {
      viewBox: `0 0 ${WIDTH} ${HEIGHT}`, class: "plot", role: "img",
      "aria-label": "perplexity against the share of leaked tokens",
    });
    for (let v = 0; v <= top; v += 20) {
      add(picture, "line", { x1: LEFT, x2: WIDTH - RIGHT, y1: y(v), y2: y(v), class: v ? "grid" : "axis" });
      add(picture, "text", { x: LEFT - 6, y: y(v) + 5, class: "tick end" }, String(v));
    }
    for (const v of [0, 0.1, 0.2, 0.3]) {
      add(picture, "text", { x: x(v), y: HEIGHT - BOTTOM + 18, class: "tick middle" }, String(v));
    }
    add(picture, "text", { x: (LEFT + WIDTH - RIGHT) / 2, y: HEIGHT - 6, class: "tick middle" }, "share of the tokens that have leaked");
    const curve = add(picture, "polyline", { class: "line one", fill: "none" });
    for (const [share, perplexity] of data.measured) {
      add(picture, "circle", { cx: x(share), cy: y(perplexity), r: 3, class: "dot two" });
    }
    const dot = add(picture, "circle", { r: 6, class: "dot one" });
    const words = make("p", "result", form);
    words.setAttribute("aria-live", "polite");

    function show() {
      const points = Array.from({ length: 61 }, (_, k) => MOST * k / 60);
      curve.setAttribute("points", points.map((v) => `${x(v)},${y(after(data.ppl0, v, now.gain))}`).join(" "));
      const perplexity = after(data.ppl0, now.share, now.gain);
      dot.setAttribute("cx", x(now.share));
      dot.setAttribute("cy", y(perplexity));
      const hidden = shareFor(data.rival.perplexity, data.ppl0, now.gain);
      words.innerHTML = `The perplexity goes from ${data.ppl0.toFixed(1)} to <b>${perplexity.toFixed(1)}</b>, ` +
        `<b>${(100 * (1 - perplexity / data.ppl0)).toFixed(1)}%</b> too low. Without a leak, ${data.rival.name} has ` +
        `${data.rival.perplexity.toFixed(1)}; ` +
        (Number.isFinite(hidden) && hidden <= 1
          ? `it would seem as good with a leaked share of <b>${hidden.toFixed(3)}</b>.`
          : "with this gain, no leak would make it seem as good.");
    }
    show();
  }

  window.Explorables = Object.assign(window.Explorables || {}, { leak: { after, shareFor, draw } });
})();
