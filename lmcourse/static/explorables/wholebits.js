/* A source of two symbols: what Huffman's code needs per symbol, one symbol or several at a time, against the entropy. */
(function () {
  "use strict";

  const WIDTH = 440, HEIGHT = 250, LEFT = 46, RIGHT = 16, TOP = 14, BOTTOM = 42;

  /** Entropy of a coin with probability p, in bits. */
  const entropy = (p) => (p <= 0 || p >= 1 ? 0 : -p * Math.log2(p) - (1 - p) * Math.log2(1 - p));

  /** The expected length of Huffman's code for these probabilities: the sum of all merged weights. */
  function expected(weights) {
    const queue = [...weights];
    let total = 0;
    while (queue.length > 1) {
      queue.sort((a, b) => b - a);
      const merged = queue.pop() + queue.pop();
      total += merged;
      queue.push(merged);
    }
    return total;
  }

  /** Huffman's bits per symbol, if `block` symbols of a coin with probability p share one code word. */
  function rate(p, block) {
    let weights = [1];
    for (let k = 0; k < block; k += 1) weights = weights.flatMap((weight) => [weight * p, weight * (1 - p)]);
    return expected(weights) / block;
  }

  const x = (p) => LEFT + p * (WIDTH - LEFT - RIGHT);
  const y = (v) => TOP + (1.05 - v) / 1.05 * (HEIGHT - TOP - BOTTOM);

  function path(of) {
    const points = [];
    for (let k = 0; k <= 100; k += 1) points.push(`${k ? "L" : "M"}${x(k / 100).toFixed(1)} ${y(of(k / 100)).toFixed(1)}`);
    return points.join("");
  }

  function draw(box, data, make) {
    const add = make.svg;
    const now = { p: data.p, block: data.block };
    const form = make("div", "explorable-form", box);
    const controls = make("div", "controls", form);
    make.slider(controls, "heads: p", { min: 0.01, max: 0.99, step: 0.01 }, now.p, (v) => v.toFixed(2), (v) => { now.p = v; show(); });
    make.slider(controls, "symbols in a code word", { min: 1, max: 8, step: 1 }, now.block, String, (n) => { now.block = n; show(); });
    const picture = add(form, "svg", {
      viewBox: `0 0 ${WIDTH} ${HEIGHT}`, class: "plot", role: "img",
      "aria-label": "bits per symbol against the probability of heads: Huffman's code, and the entropy",
    });
    for (const v of [0, 0.25, 0.5, 0.75, 1]) {
      add(picture, "line", { x1: LEFT, x2: WIDTH - RIGHT, y1: y(v), y2: y(v), class: v ? "grid" : "axis" });
      add(picture, "text", { x: LEFT - 8, y: y(v) + 5, class: "tick end" }, String(v));
      add(picture, "text", { x: x(v), y: HEIGHT - BOTTOM + 17, class: "tick middle" }, String(v));
    }
    add(picture, "text", { x: x(0.5), y: HEIGHT - 6, class: "tick middle" }, "probability of heads, p");
    const lines = { huffman: add(picture, "path", { class: "line one" }), entropy: add(picture, "path", { class: "line two" }) };
    lines.entropy.setAttribute("d", path(entropy));
    const dots = { huffman: add(picture, "circle", { r: 6, class: "dot one" }), entropy: add(picture, "circle", { r: 6, class: "dot two" }) };
    add(picture, "text", { x: x(0.5), y: y(0.42), class: "one middle" }, "Huffman, bits per symbol");
    add(picture, "text", { x: x(0.5), y: y(0.28), class: "two middle" }, "entropy");
    const words = make("p", "result", form);
    words.setAttribute("aria-live", "polite");

    function show() {
      const floor = entropy(now.p), bits = rate(now.p, now.block);
      lines.huffman.setAttribute("d", path((p) => rate(p, now.block)));
      for (const [key, value] of [["huffman", bits], ["entropy", floor]]) {
        dots[key].setAttribute("cx", x(now.p));
        dots[key].setAttribute("cy", y(value));
      }
      words.innerHTML = `Entropy <b>${floor.toFixed(3)}</b> bits. Huffman's code needs <b>${bits.toFixed(3)}</b> bits per symbol, ` +
        `<b>${Math.max(0, bits - floor).toFixed(3)}</b> too many, with ${2 ** now.block} code words.`;
    }
    show();
  }

  window.Explorables = Object.assign(window.Explorables || {}, { wholebits: { entropy, rate, draw } });
})();
