/* A sum of surprisals in a format with few significant bits: one after the other, or in pairs. */
(function () {
  "use strict";

  const WIDTH = 440, HEIGHT = 230, LEFT = 56, RIGHT = 26, TOP = 12, BOTTOM = 42;

  /** The nearest whole number, ties to even. */
  function even(x) {
    const floor = Math.floor(x), rest = x - floor;
    if (rest !== 0.5) return Math.round(x);
    return floor % 2 === 0 ? floor : floor + 1;
  }

  /** The nearest number with so many significant bits, ties to even. */
  function round(x, bits) {
    if (x === 0) return 0;
    let power = Math.floor(Math.log2(Math.abs(x))) + 1;
    while (Math.abs(x) >= 2 ** power) power += 1; // the logarithm may be off near a power of two
    while (Math.abs(x) < 2 ** (power - 1)) power -= 1;
    const scale = 2 ** (bits - power);
    return even(x * scale) / scale;
  }

  /** The total after each addition, each rounded. */
  function running(values, bits) {
    let total = 0;
    return values.map((value) => (total = round(total + round(value, bits), bits)));
  }

  /** The total when neighbours are added, then neighbours of these sums, and so on. */
  function pairwise(values, bits) {
    let level = values.map((value) => round(value, bits));
    while (level.length > 1) {
      const next = [];
      for (let k = 0; k + 1 < level.length; k += 2) next.push(round(level[k] + level[k + 1], bits));
      if (level.length % 2) next.push(level[level.length - 1]);
      level = next;
    }
    return level.length ? level[0] : 0;
  }

  const NAMED = { 8: " (bfloat16)", 11: " (float16)", 24: " (float32)" };

  function draw(box, data, make) {
    const add = make.svg, values = data.values;
    const now = { bits: data.bits, way: data.way };
    const exact = [];
    values.reduce((sum, value) => { exact.push(sum + value); return sum + value; }, 0);
    const all = exact[exact.length - 1];
    const form = make("div", "explorable-form", box), controls = make("div", "controls", form);
    make.slider(controls, "significant bits", { min: 4, max: 26, step: 1 }, now.bits,
      (bits) => bits + (NAMED[bits] || ""), (bits) => { now.bits = bits; show(); });
    make.select(controls, "added", [["running", "one after the other"], ["pairwise", "in pairs"]], now.way, (way) => { now.way = way; show(); });

    const top = 500 * Math.ceil(all / 500);
    const x = (k) => LEFT + k / values.length * (WIDTH - LEFT - RIGHT);
    const y = (v) => HEIGHT - BOTTOM - v / top * (HEIGHT - TOP - BOTTOM);
    const picture = add(form, "svg", {
      viewBox: `0 0 ${WIDTH} ${HEIGHT}`, class: "plot", role: "img", "aria-label": "total against the number of surprisals added",
    });
    for (let v = 0; v <= top; v += 500) {
      add(picture, "line", { x1: LEFT, x2: WIDTH - RIGHT, y1: y(v), y2: y(v), class: v ? "grid" : "axis" });
      add(picture, "text", { x: LEFT - 6, y: y(v) + 5, class: "tick end" }, v.toLocaleString("en"));
    }
    for (const k of [0, 1000, 2000]) {
      if (k <= values.length) add(picture, "text", { x: x(k), y: HEIGHT - BOTTOM + 18, class: "tick middle" }, k.toLocaleString("en"));
    }
    add(picture, "text", { x: (LEFT + WIDTH - RIGHT) / 2, y: HEIGHT - 6, class: "tick middle" }, "surprisals added; upwards: total (nats), dashed: exact");
    const STEP = 10, shown = exact.map((_, k) => k).filter((k) => (k + 1) % STEP === 0);
    const path = (totals) => `${x(0)},${y(0)} ` + shown.map((k) => `${x(k + 1)},${y(totals(k))}`).join(" ");
    add(picture, "polyline", { class: "line two", points: path((k) => exact[k]) });
    const curve = add(picture, "polyline", { class: "line one" });
    const words = make("p", "result", form);
    words.setAttribute("aria-live", "polite");

    function show() {
      let last;
      if (now.way === "running") {
        const totals = running(values, now.bits);
        last = totals[totals.length - 1];
        curve.setAttribute("points", path((k) => totals[k]));
      } else {
        last = pairwise(values, now.bits);
        const some = shown.filter((k) => (k + 1) % 100 === 0);
        curve.setAttribute("points", `${x(0)},${y(0)} ` + some.map((k) => `${x(k + 1)},${y(pairwise(values.slice(0, k + 1), now.bits))}`).join(" "));
      }
      const wrong = last - all, n = values.length;
      words.innerHTML = `${n.toLocaleString("en")} surprisals: exactly ${all.toFixed(3)} nats, here <b>${last.toFixed(3)}</b>, ` +
        `wrong by <b>${wrong < 0 ? "−" : "+"}${Math.abs(wrong).toFixed(3)}</b>. Perplexity ${Math.exp(all / n).toFixed(3)}, ` +
        `here <b>${Math.exp(last / n).toFixed(3)}</b>.`;
    }
    show();
  }

  window.Explorables = Object.assign(window.Explorables || {}, { roundsum: { round, running, pairwise, draw } });
})();
