/* A row of counts and five ways to smooth it: what each word keeps, what it is given, and the relative frequency. */
(function () {
  "use strict";

  const WIDTH = 440, LEFT = 92, RIGHT = 62, TOP = 8, ROW = 25, BOTTOM = 40;
  const sum = (values) => values.reduce((total, value) => total + value, 0);

  /** The row of single words: what `method` says without a context. */
  function single(data, method, x) {
    const V = data.words.length, counts = method === "Kneser-Ney" ? data.places : data.tokens;
    return smooth(counts, data.words.map(() => 1 / V), method, x);
  }

  /** What each word of a row keeps, the weight of the row below, and the new row. */
  function smooth(counts, below, method, x) {
    const total = sum(counts), kinds = counts.filter((count) => count > 0).length;
    const divide = {
      "add k": () => total + x * counts.length,
      "Witten-Bell": () => total + kinds,
    }[method];
    let kept;
    if (divide) kept = counts.map((count) => count / divide());
    else if (method === "Jelinek-Mercer") kept = counts.map((count) => x * count / total);
    else kept = counts.map((count) => Math.max(count - x, 0) / total);
    const weight = 1 - sum(kept);
    return { kept, weight, row: kept.map((value, w) => value + weight * below[w]) };
  }

  /** The row after a context: of `smooth`, over the row of single words (add k has the uniform row below). */
  function after(data, context, method, x) {
    const V = data.words.length;
    const below = method === "add k" ? data.words.map(() => 1 / V) : single(data, method, x).row;
    return smooth(data.contexts[context], below, method, x);
  }

  const METHODS = {
    "add k": { symbol: "k", min: 0.05, max: 2, step: 0.05 },
    "Witten-Bell": null,
    "Jelinek-Mercer": { symbol: "λ", min: 0.05, max: 0.95, step: 0.05 },
    "absolute discounting": { symbol: "D", min: 0.05, max: 1, step: 0.05 },
    "Kneser-Ney": { symbol: "D", min: 0.05, max: 1, step: 0.05 },
  };

  /** The words that are drawn: those seen, most frequent first, some that were not, and the others together. */
  function lines(data, context) {
    const counts = data.contexts[context], order = data.words.map((_, w) => w);
    const seen = order.filter((w) => counts[w] > 0).sort((a, b) => counts[b] - counts[a] || a - b);
    const extra = data.show.map((word) => data.words.indexOf(word)).filter((w) => !counts[w]);
    const shown = [...seen, ...extra];
    const rest = order.filter((w) => !shown.includes(w));
    return [...shown.map((w) => ({ label: data.words[w], of: [w] })), { label: `${rest.length} others`, of: rest }];
  }

  function draw(box, data, make) {
    const add = make.svg;
    const now = { method: data.method, context: data.context, k: data.k, λ: data.lambda, D: data.D };
    const form = make("div", "explorable-form", box), controls = make("div", "controls", form);
    for (const [words, key, names] of [["after", "context", Object.keys(data.contexts)], ["method", "method", Object.keys(METHODS)]]) {
      make.select(controls, words, names.map((name) => [name, name]), now[key], (name) => { now[key] = name; show(); });
    }
    const label = make("label", "", controls), name = document.createTextNode("");
    label.append(name);
    const input = make("input", "", label), number = make("output", "number", label);
    input.type = "range";
    input.addEventListener("input", () => { now[METHODS[now.method].symbol] = Number(input.value); show(); });

    const most = Math.max(...Object.keys(data.contexts).map((context) => lines(data, context).length));
    const height = TOP + most * ROW + BOTTOM;
    const picture = add(form, "svg", {
      viewBox: `0 0 ${WIDTH} ${height}`, class: "plot", role: "img",
      "aria-label": "what each word keeps and what it is given",
    });
    const x = (p) => LEFT + p * (WIDTH - LEFT - RIGHT);
    const rows = add(picture, "g", {});
    for (const p of [0, 0.25, 0.5, 0.75, 1]) {
      add(picture, "text", { x: x(p), y: height - BOTTOM + 18, class: "tick middle" }, String(p));
    }
    add(picture, "text", { x: x(0.5), y: height - 4, class: "tick middle" }, "probability");
    const words = make("p", "result", form);
    words.setAttribute("aria-live", "polite");

    function show() {
      const range = METHODS[now.method];
      label.hidden = !range;
      if (range) {
        Object.assign(input, { min: range.min, max: range.max, step: range.step });
        input.value = now[range.symbol];
        name.textContent = `${range.symbol} = `;
        number.textContent = now[range.symbol].toFixed(2);
      }
      const counts = data.contexts[now.context], total = sum(counts);
      const found = after(data, now.context, now.method, range ? now[range.symbol] : 0);
      rows.replaceChildren();
      lines(data, now.context).forEach(function (line, place) {
        const y = TOP + place * ROW, of = (values) => sum(line.of.map((w) => values[w]));
        const kept = of(found.kept), all = of(found.row), before = of(counts) / total;
        add(rows, "text", { x: LEFT - 8, y: y + 16, class: "end" }, line.label);
        add(rows, "rect", { x: x(0), y, width: x(before) - x(0), height: 19, class: "possible" });
        add(rows, "rect", { x: x(0), y: y + 3, width: x(kept) - x(0), height: 13, class: "dot two" });
        add(rows, "rect", { x: x(kept), y: y + 3, width: x(all) - x(kept), height: 13, class: "dot one" });
        add(rows, "text", { x: x(Math.max(all, before)) + 6, y: y + 16, class: "tick" }, all.toFixed(3));
      });
      const unseen = sum(found.row.filter((_, w) => !counts[w]));
      const one = (word) => found.row[data.words.indexOf(word)].toFixed(3);
      words.innerHTML = `Taken: <b>${found.weight.toFixed(3)}</b>. Of this, <b>${(found.weight - unseen).toFixed(3)}</b> goes back to ` +
        `words that were seen after “${now.context}”, and <b>${unseen.toFixed(3)}</b> to words that were not. moon has ` +
        `<b>${one("moon")}</b>, eats <b>${one("eats")}</b>. The row sums to <b>${sum(found.row).toFixed(3)}</b>.`;
    }
    show();
  }

  window.Explorables = Object.assign(window.Explorables || {}, { massmoves: { single, after, lines, draw } });
})();
