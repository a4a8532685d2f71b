/* One forecast and a decoder: what may be written changes with the settings, the surprisal of the next token does not. */
(function () {
  "use strict";

  const sum = (values) => values.reduce((a, b) => a + b, 0);

  /** The probabilities to the power 1 / temperature, with the largest as 1. */
  function sharpened(q, temperature) {
    const top = Math.max(...q);
    return q.map((value) => (value / top) ** (1 / temperature));
  }

  /**
   * The symbols that may be written, by their places: the k most probable, and of these the smallest set of the most
   * probable ones that holds at least the share p. A temperature excludes none. Ties keep their order.
   */
  function kept(q, { temperature, k, p }) {
    const r = sharpened(q, temperature);
    const order = r.map((_, i) => i).sort((a, b) => r[b] - r[a] || q[b] - q[a] || a - b).slice(0, k);
    if (p >= 1) return new Set(order);
    const total = sum(order.map((i) => r[i])), some = new Set();
    let held = 0;
    for (const i of order) {
      some.add(i);
      held += r[i] / total;
      if (held >= p - 1e-12) break;
    }
    return some;
  }

  /** The distribution from which a decoder draws: the temperature first, then the cuts. */
  function decode(q, options) {
    const some = kept(q, options), r = sharpened(q, options.temperature).map((value, i) => (some.has(i) ? value : 0));
    const all = sum(r);
    return r.map((value) => value / all);
  }

  const entropy = (q) => -sum(q.map((value) => (value > 0 ? value * Math.log2(value) : 0)));

  const PLAIN = { temperature: 1, k: 0, p: 1 };

  function draw(box, data, make) {
    const options = { ...PLAIN, k: data.q.length }, shown = Math.min(data.shown, data.q.length);
    const form = make("div", "explorable-form", box);
    const bars = make("div", "bars", form);
    const rows = data.symbols.slice(0, shown).map((name, i) => {
      const row = make("div", "pair-row", bars);
      row.style.gridTemplateColumns = "2.6rem 1fr 3.6em";  // "m ←" and "< 0.01" fit
      const label = make("span", "bar-name", row);
      label.textContent = i === data.came ? `${name}\u00a0←` : name;
      row.classList.toggle("came", i === data.came);
      const track = make("div", "track", row);
      const model = make("div", "fill ghost", track), fill = make("div", "fill", track);
      model.style.width = `${100 * data.q[i]}%`;
      return { fill, number: make("output", "number", row) };
    });
    const controls = make("div", "controls", form);
    for (const [key, words, range, digits] of [
      ["temperature", "temperature", { min: 0.1, max: 2, step: 0.1 }, 1],
      ["k", "top-k: keep", { min: 1, max: data.q.length, step: 1 }, 0],
      ["p", "top-p: keep a share of", { min: 0.05, max: 1, step: 0.05 }, 2],
    ]) make.slider(controls, words, range, options[key], (v) => v.toFixed(digits), (v) => { options[key] = v; show(); });
    const words = make("p", "result", form);
    words.setAttribute("aria-live", "polite");

    function show() {
      const r = decode(data.q, options), some = kept(data.q, options);
      rows.forEach((row, i) => {
        row.fill.style.width = `${100 * r[i]}%`;
        row.number.textContent = !some.has(i) ? "cut" : r[i] < 0.01 ? "< 0.01" : r[i].toFixed(2);
      });
      const came = `“${data.symbols[data.came]}”`, mine = r[data.came];
      const chance = !some.has(data.came) ? `${came} is impossible` :
        `${came} has a probability ${mine < 0.01 ? "below 0.01" : `of ${mine.toFixed(3)}`}`;
      words.innerHTML = `The decoder can write <b>${some.size}</b> of ${data.q.length} symbols, with an entropy of ` +
        `${entropy(r).toFixed(2)} bits; ${chance}.<br>` +
        `The test text goes on with ${came} (←), and the <b>model</b> is scored: ` +
        `<b>${(-Math.log2(data.q[data.came])).toFixed(2)}</b> bits, whatever the sliders say.`;
    }
    show();
  }

  window.Explorables = Object.assign(window.Explorables || {}, { decoder: { kept, decode, entropy, draw } });
})();
