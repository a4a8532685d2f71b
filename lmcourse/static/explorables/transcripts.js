/* Two texts and three rules to compare them: the total of the words, the mean per word, the total with the end. */
(function () {
  "use strict";

  const WIDTH = 440, LEFT = 30, RIGHT = 10, BAR = 34, TOP = 24, BOTTOM = 46;

  /** Surprisals of a text in nats, word by word, and that of its end; the last row belongs to <s>, the last column to </s>. No text is empty: its end is not counted. */
  function surprisals(rows, text) {
    const end = rows.length - 1;
    if (!text.length) return { words: [], end: 0 };
    const words = text.map((word, k) => -Math.log(rows[k ? text[k - 1] : end][word]));
    return { words, end: -Math.log(rows[text[text.length - 1]][end]) };
  }

  /** What a rule adds up for a text, as segments in nats: rule 0 the words, 1 their mean, 2 the words and the end. */
  function segments(rows, text, rule) {
    const found = surprisals(rows, text);
    if (rule === 1) return found.words.map((nats) => nats / text.length);
    return rule === 2 ? [...found.words, found.end] : found.words;
  }

  const total = (parts) => parts.reduce((sum, part) => sum + part, 0);

  /** Sums of both texts in nats, and the winner: 0 or 1, or -1 for a tie or if a text has no words. */
  function compare(rows, texts, rule) {
    const sums = texts.map((text) => total(segments(rows, text, rule)));
    if (texts.some((text) => !text.length)) return { sums, winner: -1 };
    return { sums, winner: Math.abs(sums[0] - sums[1]) < 1e-12 ? -1 : sums[0] < sums[1] ? 0 : 1 };
  }

  /** A probability with three digits that count. */
  function shown(probability) {
    return Number(probability.toPrecision(3)).toString();
  }

  function draw(box, data, make) {
    const add = make.svg;
    const texts = data.texts.map((text) => [...text]), names = ["A", "B"];
    let rule = data.start;
    const form = make("div", "explorable-form", box);
    const rules = make("div", "controls", form);
    const ruleButtons = data.rules.map((name, k) => make.button(rules, name, () => { rule = k; show(); }));
    const rows = names.map((name, which) => {
      const controls = make("div", "controls", form);
      make("strong", "", controls).textContent = name;
      const buttons = data.symbols.map((word, id) => {
        const button = make.button(controls, `+ ${word}`, () => { texts[which].push(id); show(); });
        button.setAttribute("aria-label", `add ${word} to ${name}`);
        return button;
      });
      const back = make.button(controls, "take one back", () => { texts[which].pop(); show(); });
      back.setAttribute("aria-label", `take one word of ${name} back`);
      return { buttons, back };
    });
    const height = TOP + 2 * (BAR + 26) + BOTTOM;
    const picture = add(form, "svg", { viewBox: `0 0 ${WIDTH} ${height}`, class: "plot", role: "img", "aria-label": "a bar for each text, cut into its words" });
    const words = make("p", "result", form);
    words.setAttribute("aria-live", "polite");

    function show() {
      ruleButtons.forEach((button, k) => button.setAttribute("aria-pressed", String(k === rule)));
      rows.forEach((row, which) => {
        row.buttons.forEach((button) => { button.disabled = texts[which].length >= data.most; });
        row.back.disabled = !texts[which].length;
      });
      const found = compare(data.rows, texts, rule);
      const most = Math.max(2, Math.ceil(Math.max(...found.sums) * 1.05));
      const x = (nats) => LEFT + (nats / most) * (WIDTH - LEFT - RIGHT);
      picture.replaceChildren();
      texts.forEach((text, which) => {
        const y = TOP + which * (BAR + 26);
        const said = text.map((id) => data.symbols[id]).join(" ") + (rule === 2 ? " </s>" : "");
        add(picture, "text", { x: 4, y: y + BAR / 2 + 5, class: which === found.winner ? "winner" : "" }, names[which]);
        add(picture, "text", { x: LEFT, y: y - 6, class: which === found.winner ? "winner" : "" }, text.length ? said : "(no words yet)");
        if (!text.length) return;
        let left = 0;
        segments(data.rows, text, rule).forEach((nats, k) => {
          const isEnd = k === text.length;
          const wide = Math.max(0, x(left + nats) - x(left) - 1);
          add(picture, "rect", { x: x(left), y, width: wide, height: BAR, class: isEnd ? "possible" : `word-${text[k]}` });
          const inside = isEnd ? "</s>" : data.symbols[text[k]];
          if (wide > 7 * inside.length + 6) add(picture, "text", { x: x(left) + wide / 2, y: y + BAR / 2 + 5, class: isEnd ? "middle" : "middle on" }, inside);
          left += nats;
        });
      });
      const base = height - BOTTOM + 8;
      add(picture, "line", { x1: x(0), x2: x(most), y1: base, y2: base, class: "axis" });
      const step = most > 12 ? 4 : most > 6 ? 2 : most > 3 ? 1 : 0.5;
      for (let v = 0; v <= most + 1e-9; v += step) add(picture, "text", { x: x(v), y: base + 17, class: v + step > most ? "tick end" : "tick middle" }, String(v));
      const unit = rule === 1 ? "nats per word" : "nats";
      add(picture, "text", { x: x(most / 2), y: base + 35, class: "tick middle" }, `−ln of the probability (${unit}): the shorter bar wins`);
      const missing = names.filter((_, which) => !texts[which].length);
      if (missing.length) {
        words.textContent = `Add a word to ${missing.join(" and ")}.`;
        return;
      }
      const whole = texts.map((text) => Math.exp(-total(segments(data.rows, text, 2))));
      const start = texts.map((text) => Math.exp(-total(segments(data.rows, text, 0))));
      const verdict = found.winner < 0 ? "By this rule the two are equal." : `By this rule <b>${names[found.winner]}</b> wins.`;
      const line = (k) => `<b>${names[k]}</b>: ${shown(start[k])} as a beginning, ${shown(whole[k])} as a whole text`;
      words.innerHTML = `${verdict} Probabilities: ${line(0)}; ${line(1)}.`;
    }
    show();
  }

  window.Explorables = Object.assign(window.Explorables || {}, { transcripts: { surprisals, segments, compare, draw } });
})();
