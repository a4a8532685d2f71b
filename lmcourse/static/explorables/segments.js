/* One sentence, cut in two ways: perplexities per token of two models rank them otherwise than bits per character. */
(function () {
  "use strict";

  /**
   * Compare model A, which predicts `words` tokens of a text of `chars` characters with the perplexity a, with model B,
   * which predicts the characters with the perplexity b: bits per character of both, and the better one by each measure.
   */
  function compare(a, words, b, chars) {
    const bits = { A: words * Math.log2(a) / chars, B: Math.log2(b) };
    const lower = (x, y) => Math.abs(x - y) < 1e-9 ? "" : x < y ? "A" : "B";
    return { bits, byToken: lower(a, b), byChar: lower(bits.A, bits.B) };
  }

  const SIDE = 300, LEFT = 44, BOTTOM = 42, TOP = 10;

  function draw(box, data, make) {
    const add = make.svg;
    const now = { cuts: [...data.cuts], a: data.a, b: data.b };
    const signs = [...data.text];
    const form = make("div", "explorable-form", box);

    const line = make("div", "segmented", form);
    line.setAttribute("role", "group");
    line.setAttribute("aria-label", "where model A cuts the sentence");
    const buttons = signs.slice(1).map(function (sign, k) {
      const before = make("span", "sign", line);
      before.textContent = signs[k];
      before.lang = "zh";
      const button = make.button(line, "", () => { now.cuts[k] = !now.cuts[k]; show(); });
      button.setAttribute("aria-label", `cut between ${signs[k]} and ${sign}`);
      return button;
    });
    const last = make("span", "sign", line);
    last.textContent = signs[signs.length - 1];
    last.lang = "zh";

    const picture = add(form, "svg", { viewBox: `0 0 ${SIDE + LEFT + 96} ${SIDE + TOP + BOTTOM}`, role: "img", class: "plot" });
    picture.setAttribute("aria-label", "Perplexity of B per character against that of A per token, with the lines on which the two are equal per token and per character.");
    const x = (ppl) => LEFT + SIDE * (ppl - 1) / (data.top - 1);
    const y = (ppl) => TOP + SIDE * (1 - (ppl - 1) / (data.top - 1));
    const region = add(picture, "polygon", { class: "possible" });
    for (let ppl = 1; ppl <= data.top; ppl += 1) {
      add(picture, "text", { x: x(ppl), y: SIDE + TOP + 18, "text-anchor": "middle" }, String(ppl));
      add(picture, "text", { x: LEFT - 8, y: y(ppl) + 5, "text-anchor": "end" }, String(ppl));
    }
    add(picture, "text", { x: LEFT + SIDE / 2, y: SIDE + TOP + 38, "text-anchor": "middle" }, "perplexity of A, per token");
    add(picture, "text", { x: 13, y: TOP + SIDE / 2, "text-anchor": "middle", transform: `rotate(-90 13 ${TOP + SIDE / 2})` }, "perplexity of B, per character");
    add(picture, "line", { x1: x(1), y1: y(1), x2: x(data.top), y2: y(data.top), class: "line one" });
    const curve = add(picture, "polyline", { class: "line two" });
    add(picture, "text", { x: x(data.top) + 6, y: y(data.top) + 12, class: "one" }, "per token");
    const name = add(picture, "text", { x: x(data.top) + 6, class: "two" }, "per char.");
    const point = add(picture, "circle", { r: 6, class: "point" });

    const controls = make("div", "controls", form);
    for (const [key, words] of [["a", "perplexity of A, per token"], ["b", "perplexity of B, per character"]]) {
      make.slider(controls, words, { min: 1.01, max: data.top, step: 0.01 }, now[key], (v) => v.toFixed(2), (v) => { now[key] = v; show(); });
    }
    const words = make("p", "result", form);
    words.setAttribute("aria-live", "polite");

    function show() {
      const count = 1 + now.cuts.filter(Boolean).length, chars = signs.length;
      buttons.forEach((button, k) => {
        button.setAttribute("aria-pressed", String(now.cuts[k]));
        button.textContent = now.cuts[k] ? "|" : "·";
      });
      const steps = Array.from({ length: 61 }, (_, k) => 1 + (data.top - 1) * k / 60);
      const along = steps.map((ppl) => [ppl, ppl ** (count / chars)]);
      curve.setAttribute("points", along.map(([u, v]) => `${x(u)},${y(v)}`).join(" "));
      region.setAttribute("points", [...along, [data.top, data.top]].map(([u, v]) => `${x(u)},${y(v)}`).join(" "));
      const end = y(data.top ** (count / chars)) + 5;
      name.setAttribute("y", Math.max(end, y(data.top) + 30));
      point.setAttribute("cx", x(now.a));
      point.setAttribute("cy", y(now.b));
      const { bits, byToken, byChar } = compare(now.a, count, now.b, chars);
      const who = (winner) => winner ? `<b>${winner}</b> is better` : "a <b>tie</b>";
      words.innerHTML = `A predicts ${count} ${count === 1 ? "token" : "tokens"}, B ${chars}. Perplexity per token, ${now.a.toFixed(2)} and ${now.b.toFixed(2)}: ${who(byToken)}. ` +
        `Bits per character, ${bits.A.toFixed(3)} and ${bits.B.toFixed(3)}: ${who(byChar)}. ` +
        (byToken === byChar ? "The two rankings agree." : "<b>The two rankings disagree.</b>");
    }
    show();
  }

  window.Explorables = Object.assign(window.Explorables || {}, { segments: { compare, draw } });
})();
