/* A forecast that can be edited: its entropy, its equivalent number of choices, and the surprisal of what is observed. */
(function () {
  "use strict";

  /** Weights of any scale -> probabilities, their entropy in nats, and its exponential. */
  function forecast(weights) {
    const total = weights.reduce((a, b) => a + b, 0);
    const q = weights.map((w) => w / total);
    const entropy = q.reduce((sum, p) => sum - (p > 0 ? p * Math.log(p) : 0), 0);
    return { q, entropy, choices: Math.exp(entropy) };
  }

  /** The surprisal in nats of the symbol that came, and the size of the equal choice that costs as much. */
  function met(q, symbol) {
    return { nats: -Math.log(q[symbol]), choices: 1 / q[symbol] };
  }

  function draw(box, data, make) {
    const weights = [...data.weights];
    let came = data.came || 0;
    const form = make("div", "explorable-form", box);
    const bars = make("div", "bars", form);
    bars.setAttribute("role", "group");
    bars.setAttribute("aria-label", "the forecast");
    const rows = data.symbols.map(function (name, k) {
      const row = make("div", "bar-row", bars);
      const label = make("label", "bar-name", row);
      label.textContent = name;
      const slider = make("input", "", row);
      Object.assign(slider, { type: "range", min: 0, max: 100, step: 1, value: weights[k], id: `forecast-${k}` });
      label.htmlFor = slider.id;
      const track = make("div", "track", row);
      const fill = make("div", "fill", track);
      const number = make("output", "number", row);
      const comes = make.button(row, "observed", () => { came = k; show(); });
      comes.setAttribute("aria-label", `${name} is observed`);
      slider.addEventListener("input", function () {
        weights[k] = Number(slider.value);
        if (weights.every((w) => w === 0)) weights[k] = 1;
        show();
      });
      return { row, slider, fill, number, comes };
    });
    const words = make("p", "result", form);
    words.setAttribute("aria-live", "polite");

    function show() {
      const { q, entropy, choices } = forecast(weights);
      rows.forEach(function (row, k) {
        row.fill.style.width = `${100 * q[k]}%`;
        row.number.textContent = q[k].toFixed(2);
        row.row.classList.toggle("came", k === came);
        row.comes.setAttribute("aria-pressed", String(k === came));
      });
      const now = met(q, came);
      const size = Number.isFinite(now.choices) ? now.choices.toFixed(2) : "∞";
      const nats = Number.isFinite(now.nats) ? now.nats.toFixed(3) : "∞";
      words.innerHTML = `<b>Expected:</b> entropy ${entropy.toFixed(3)} nats, as uncertain as ` +
        `<b>${choices.toFixed(2)}</b> equally likely choices.<br><b>Observed:</b> “${data.symbols[came]}” has a surprisal of ` +
        `${nats} nats, the same as one of <b>${size}</b> equally likely choices.`;
    }
    show();
  }

  window.Explorables = Object.assign(window.Explorables || {}, { forecast: { forecast, met, draw } });
})();
