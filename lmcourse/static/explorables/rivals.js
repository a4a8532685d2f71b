/* One text, each token in the colour of the model that gave it the higher probability; classes of tokens, and what each adds. */
(function () {
  "use strict";

  const TOP = 4;  // bits: the strongest colour

  /** The tokens in classes: count, mean difference (network - table, bits) and part of the difference per token. */
  function parts(tokens, sort, classes) {
    return classes.map(function (name, k) {
      const d = tokens.filter((token) => token[3 + sort] === k).map((token) => token[2] - token[1]);
      const sum = d.reduce((a, b) => a + b, 0);
      return { name, count: d.length, mean: d.length ? sum / d.length : 0, part: sum / tokens.length };
    });
  }

  /** How strong the colour of a difference is: 0 below half a bit, 100 from TOP bits on. */
  function strength(d) {
    return Math.abs(d) < 0.5 ? 0 : Math.min(100, Math.round(100 * Math.abs(d) / TOP));
  }

  const signed = (x, digits) => `${x < 0 ? "−" : "+"}${Math.abs(x).toFixed(digits)}`;

  function draw(box, data, make) {
    const now = { sort: 0, chosen: null, token: 0 };
    const form = make("div", "explorable-form", box);
    const text = make("p", "rival-text", form);
    text.lang = "en";
    const spans = data.tokens.map(function (token, k) {
      const span = make("span", "", text);
      span.textContent = token[0];
      text.append(" ");
      const d = token[2] - token[1];
      const level = strength(d);
      span.dataset.winner = level === 0 ? "none" : d < 0 ? "network" : "table";
      span.style.setProperty("--level", `${level}%`);
      span.addEventListener("click", () => { now.token = k; show(); });
      return span;
    });
    const key = make("p", "rival-key", form);
    key.innerHTML = 'Colour: <span data-winner="table" style="--level:70%">the table needs fewer bits</span> ' +
      '<span data-winner="network" style="--level:70%">the network does</span>; none: less than half a bit apart.';

    const controls = make("div", "controls", form);
    const which = make("label", "", controls);
    which.append("token ");
    const slider = make("input", "", which);
    Object.assign(slider, { type: "range", min: 0, max: data.tokens.length - 1, step: 1, value: 0 });
    slider.addEventListener("input", () => { now.token = Number(slider.value); show(); });
    make.select(controls, "sort by", data.sorts.map((sort, k) => [k, sort.name]), now.sort, (k) => {
      now.sort = Number(k);
      now.chosen = null;
      rows();
      show();
    });

    const words = make("p", "result", form);
    words.setAttribute("aria-live", "polite");
    const list = make("div", "rival-classes", form);
    list.setAttribute("role", "group");
    list.setAttribute("aria-label", "classes of tokens");

    function rows() {
      list.replaceChildren();
      const found = parts(data.tokens, now.sort, data.sorts[now.sort].classes);
      found.forEach(function (one, k) {
        const button = make.button(list, "", () => { now.chosen = now.chosen === k ? null : k; show(); });
        button.setAttribute("aria-pressed", "false");
        button.innerHTML = `<span>${one.name}</span><span>${one.count} tokens</span>` +
          `<span>mean ${signed(one.mean, 1)}</span><span>part ${signed(one.part, 2)}</span>`;
      });
      const all = found.reduce((sum, one) => sum + one.part, 0);
      make("p", "", list).textContent = `Network − table, in bits. The parts add up to ${signed(all, 2)} bits per token on this page.`;
    }

    function show() {
      slider.value = String(now.token);
      const [word, table, network] = data.tokens[now.token];
      const gap = network.toFixed(1) - table.toFixed(1);  // of the rounded numbers, so that what is shown adds up
      spans.forEach(function (span, k) {
        span.classList.toggle("away", now.chosen !== null && data.tokens[k][3 + now.sort] !== now.chosen);
        span.classList.toggle("looked-at", k === now.token);
      });
      [...list.querySelectorAll("button")].forEach((button, k) => button.setAttribute("aria-pressed", String(k === now.chosen)));
      words.innerHTML = "";
      const name = make("b", "", words);
      name.textContent = word;
      words.append(`: the table needs ${table.toFixed(1)} bits, the network ${network.toFixed(1)}, ` +
        (Math.abs(gap) < 0.05 ? "the same." : `${Math.abs(gap).toFixed(1)} ${gap < 0 ? "fewer" : "more"}.`));
    }
    rows();
    show();
  }

  window.Explorables = Object.assign(window.Explorables || {}, { rivals: { parts, strength, draw } });
})();
