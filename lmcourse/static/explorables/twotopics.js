/* Two topics and a few words: the probability of a document against its weight, and four numbers made from it. */
(function () {
  "use strict";

  const WIDTH = 440, HEIGHT = 230, LEFT = 16, RIGHT = 16, TOP = 30, BOTTOM = 42;

  /** ln p(document | weight of the first topic); counts: [V], topics: [[V], [V]]. */
  function given(counts, topics, weight) {
    return counts.reduce((sum, n, w) =>
      n ? sum + n * Math.log(weight * topics[0][w] + (1 - weight) * topics[1][w]) : sum, 0);
  }

  /** Nodes and weights of Gauss and Legendre on (0, 1): exact for polynomials of a degree below 2 n. */
  function quadrature(n) {
    const found = [];
    for (let i = 0; i < n; i++) {
      let x = Math.cos(Math.PI * (i + 0.75) / (n + 0.5)), slope = 0;
      for (let step = 0; step < 100; step++) {
        let now = 1, before = 0;
        for (let k = 1; k <= n; k++) [now, before] = [((2 * k - 1) * x * now - (k - 1) * before) / k, now];
        slope = n * (x * now - before) / (x * x - 1);
        const move = now / slope;
        x -= move;
        if (Math.abs(move) < 1e-15) break;
      }
      found.push([(1 + x) / 2, 1 / ((1 - x * x) * slope * slope)]);
    }
    return found;
  }
  const NODES = quadrature(200), MOST = 9, REPEATS = 10; // exact up to 399 words, and a document has at most 360

  /** ln Gamma(x) and its derivative, for x > 0: a series for large x, and the recurrence below. */
  function logGamma(x) {
    let shift = 0;
    for (; x < 15; x++) shift -= Math.log(x);
    const z = 1 / (x * x);
    return shift + (x - 0.5) * Math.log(x) - x + 0.5 * Math.log(2 * Math.PI) +
      (1 / 12 - z * (1 / 360 - z * (1 / 1260 - z / 1680))) / x;
  }
  function digamma(x) {
    let shift = 0;
    for (; x < 15; x++) shift -= 1 / x;
    const z = 1 / (x * x);
    return shift + Math.log(x) - 0.5 / x - z * (1 / 12 - z * (1 / 120 - z * (1 / 252 - z / 240)));
  }

  /** The variational bound of -ln p(document) in nats, the prior of the weight being even. */
  function bound(counts, topics) {
    const total = counts.reduce((a, b) => a + b, 0);
    let gamma = [1 + total / 2, 1 + total / 2], value = Infinity;
    for (let step = 0; step < 5000; step++) {
      const both = digamma(gamma[0] + gamma[1]), likely = gamma.map((g) => Math.exp(digamma(g) - both));
      const next = [1, 1];
      let words = 0;
      counts.forEach(function (n, w) {
        if (!n) return;
        const share = [0, 1].map((k) => likely[k] * topics[k][w]), sum = share[0] + share[1];
        words += n * Math.log(sum);
        for (const k of [0, 1]) next[k] += n * share[k] / sum;
      });
      // the divergence of Beta(gamma) from the even prior
      const prior = logGamma(gamma[0] + gamma[1]) - logGamma(gamma[0]) - logGamma(gamma[1]) +
        [0, 1].reduce((sum, k) => sum + (gamma[k] - 1) * (digamma(gamma[k]) - both), 0);
      const before = value;
      value = prior - words;
      if (before - value < 1e-13) break;
      gamma = next;
    }
    return value;
  }

  /** All numbers of a document in nats, and the weights that they come from; every weight is equally likely before. */
  function numbers(counts, topics, weight) {
    let low = 0, high = 1; // the logarithm is concave in the weight
    for (let step = 0; step < 200; step++) {
      const one = low + (high - low) / 3, two = high - (high - low) / 3;
      if (given(counts, topics, one) < given(counts, topics, two)) low = one; else high = two;
    }
    const best = (low + high) / 2, top = given(counts, topics, best);
    let whole = 0, first = 0; // both divided by the largest value, so that a long document does not come out as 0
    for (const [x, w] of NODES) {
      const p = w * Math.exp(given(counts, topics, x) - top);
      whole += p;
      first += p * x;
    }
    const mean = first / whole;
    return {
      chosen: -given(counts, topics, weight), best: -top, mean: -given(counts, topics, mean),
      exact: -Math.log(whole) - top, bound: bound(counts, topics), bestWeight: best, meanWeight: mean,
    };
  }

  const x = (t) => LEFT + t * (WIDTH - LEFT - RIGHT);
  const y = (share) => HEIGHT - BOTTOM - share * (HEIGHT - TOP - BOTTOM);

  function draw(box, data, make) {
    const add = make.svg;
    const now = { weight: data.weight, counts: data.counts.slice(), repeats: 1 };
    const form = make("div", "explorable-form", box), controls = make("div", "controls", form);
    make.slider(controls, "weight of pets", { min: 0, max: 1, step: 0.01 }, now.weight,
      (v) => v.toFixed(2), (v) => { now.weight = v; show(); });
    data.words.forEach(function (word, w) {
      make.slider(controls, word, { min: 0, max: MOST, step: 1 }, now.counts[w], String, (n) => { now.counts[w] = n; show(); });
    });
    make.slider(controls, "repeat the document", { min: 1, max: REPEATS, step: 1 }, 1, (n) => `${n} ×`,
      (n) => { now.repeats = n; show(); });

    const picture = add(form, "svg", {
      viewBox: `0 0 ${WIDTH} ${HEIGHT}`, class: "plot", role: "img",
      "aria-label": "probability of the document against the weight of the topic pets, with its mean",
    });
    add(picture, "line", { x1: x(0), x2: x(1), y1: y(0), y2: y(0), class: "axis" });
    for (const t of [0, 0.25, 0.5, 0.75, 1]) {
      add(picture, "text", { x: x(t), y: HEIGHT - BOTTOM + 17, class: "tick middle" }, String(t));
    }
    add(picture, "text", { x: x(0.5), y: HEIGHT - 6, class: "tick middle" }, "weight of the topic pets");
    add(picture, "text", { x: LEFT, y: 18, class: "one" }, "p(document | weight)");
    add(picture, "text", { x: WIDTH - RIGHT, y: 18, class: "two end" }, "its mean, p(document)");
    const curve = add(picture, "path", { class: "line one" });
    const level = add(picture, "line", { x1: x(0), x2: x(1), class: "line two" });
    const dot = add(picture, "circle", { r: 6, class: "dot one" });
    const words = make("p", "result", form);
    words.setAttribute("aria-live", "polite");

    function show() {
      const counts = now.counts.map((n) => n * now.repeats), total = counts.reduce((a, b) => a + b, 0);
      if (!total) {
        words.textContent = "The document is empty. Give it a word.";
        return;
      }
      const found = numbers(counts, data.topics, now.weight);
      const height = (t) => Math.exp(given(counts, data.topics, t) + found.best);
      const points = [];
      for (let k = 0; k <= 200; k++) points.push(`${k ? "L" : "M"}${x(k / 200).toFixed(1)} ${y(height(k / 200)).toFixed(1)}`);
      curve.setAttribute("d", points.join(""));
      for (const end of ["y1", "y2"]) level.setAttribute(end, y(Math.exp(found.best - found.exact)));
      dot.setAttribute("cx", x(now.weight));
      dot.setAttribute("cy", y(height(now.weight)));
      const ppl = (nats) => `<b>${Math.exp(nats / total).toFixed(3)}</b>`;
      words.innerHTML = `Perplexity of ${total} word${total > 1 ? "s" : ""}: ${ppl(found.chosen)} with your weight, ` +
        `${ppl(found.best)} with the best weight (${found.bestWeight.toFixed(2)}), ${ppl(found.mean)} with the posterior mean ` +
        `(${found.meanWeight.toFixed(2)}), ${ppl(found.exact)} exactly, ${ppl(found.bound)} as the programs' bound.`;
    }
    show();
  }

  window.Explorables = Object.assign(window.Explorables || {}, { twotopics: { given, numbers, bound, logGamma, digamma, draw } });
})();
