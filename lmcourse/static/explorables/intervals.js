/* A short text as nested intervals, and the shortest string of bits whose cell lies inside the last one. */
(function () {
  "use strict";

  const WIDTH = 440, LEFT = 12, RIGHT = 12, ROW = 26, GAP = 32, TOP = 24, UNDER = 26;
  const HALO = "paint-order: stroke; stroke: var(--pst-color-background); stroke-width: 4px;"; // a line behind a number stops short of it

  const gcd = (a, b) => { while (b) [a, b] = [b, a % b]; return a; };

  /** A fraction with whole numbers of any size: [numerator, denominator], as BigInt. */
  function fraction(a, b) {
    const d = gcd(a < 0n ? -a : a, b) || 1n;
    return [a / d, b / d];
  }
  const plus = (x, y) => fraction(x[0] * y[1] + y[0] * x[1], x[1] * y[1]);
  const times = (x, y) => fraction(x[0] * y[0], x[1] * y[1]);
  const minus = (x, y) => fraction(x[0] * y[1] - y[0] * x[1], x[1] * y[1]);
  const over = (x, y) => fraction(x[0] * y[1], x[1] * y[0]);
  const value = (x) => Number(x[0]) / Number(x[1]);

  /**
   * The intervals of a text: after each symbol [low, width], as fractions.
   *
   * rows: for each symbol before (the last row: the start of a text), whole numbers; a row's shares are these divided by their sum.
   */
  function nest(rows, ids) {
    let low = [0n, 1n], width = [1n, 1n], before = rows.length - 1;
    const found = [];
    for (const id of ids) {
      const row = rows[before], total = BigInt(row.reduce((a, b) => a + b, 0));
      const below = BigInt(row.slice(0, id).reduce((a, b) => a + b, 0));
      low = plus(low, times(width, fraction(below, total)));
      width = times(width, fraction(BigInt(row[id]), total));
      found.push([low, width]);
      before = id;
    }
    return found;
  }

  /** The first of the shortest strings of bits whose cell lies inside [low, low + width). */
  function code(low, width) {
    const high = plus(low, width);
    for (let length = 0; ; length += 1) {
      const scale = 1n << BigInt(length);
      const k = (low[0] * scale + low[1] - 1n) / low[1]; // the first cell that begins in the interval
      if ((k + 1n) * high[1] <= high[0] * scale) return length ? k.toString(2).padStart(length, "0") : "";
    }
  }

  const surprisal = (width) => Math.log2(Number(width[1])) - Math.log2(Number(width[0]));

  /** Where the cell of these bits lies in [low, low + width), and how wide it is: shares of the width. */
  function place(bits, low, width) {
    const size = 1n << BigInt(bits.length), cell = fraction(bits ? BigInt(`0b${bits}`) : 0n, size);
    return [value(over(minus(cell, low), width)), value(over([1n, size], width))];
  }

  /** An end of an interval, with as many digits as it takes to tell the ends of this width apart. */
  const short = (end, width) => String(Number(value(end).toFixed(Math.max(5, 2 + Math.ceil(-Math.log10(value(width)))))));

  const x = (share) => LEFT + share * (WIDTH - LEFT - RIGHT);

  function draw(box, data, make) {
    const add = make.svg;
    const ids = [...data.start], end = data.symbols.length - 1;
    const form = make("div", "explorable-form", box);
    const controls = make("div", "controls", form);
    const buttons = data.symbols.map((name, id) => make.button(controls, `+ ${name}`, () => { ids.push(id); show(); }));
    const back = make.button(controls, "take one back", () => { ids.pop(); show(); });
    const words = make("p", "result", form); // above the picture, which grows: on a phone the answer stays beside the buttons
    words.setAttribute("aria-live", "polite");
    const picture = add(form, "svg", { class: "plot", role: "img", "aria-label": "the interval after each symbol, stretched to the full width and divided, and the cell of the code" });

    function show() {
      const found = [[[0n, 1n], [1n, 1n]], ...nest(data.rows, ids)], last = found[found.length - 1];
      const bits = code(...last), ended = ids[ids.length - 1] === end;
      const rowAfter = (k) => data.rows[k ? ids[k - 1] : data.rows.length - 1];
      const full = !ended && ids.length >= data.most; // then only the end can follow
      buttons.forEach((button, id) => { button.disabled = ended || (full && id !== end) || !rowAfter(ids.length)[id]; });
      back.disabled = !ids.length;
      const height = TOP + found.length * (ROW + GAP) - GAP + UNDER;
      picture.setAttribute("viewBox", `0 0 ${WIDTH} ${height}`);
      picture.replaceChildren();
      found.forEach(([low, width], k) => { // each interval at full width, divided if the text goes on
        const y = TOP + k * (ROW + GAP), row = k < ids.length ? rowAfter(k) : [];
        if (k === ids.length) add(picture, "rect", { x: x(0), y, width: x(1) - x(0), height: ROW, class: "possible" });
        const total = row.reduce((a, b) => a + b, 0);
        let below = 0;
        row.forEach((weight, id) => {
          const left = x(below / total), right = x((below + weight) / total), chosen = id === ids[k];
          below += weight;
          if (!weight) return;
          add(picture, "rect", { x: left, y, width: right - left, height: ROW, ...(chosen ? { style: "fill: var(--counted)" } : { class: "possible" }) });
          add(picture, "text", { x: (left + right) / 2, y: y + ROW - 8, class: chosen ? "middle on" : "middle" }, data.symbols[id]);
          if (!chosen) return;
          add(picture, "line", { x1: left, x2: x(0), y1: y + ROW, y2: y + ROW + GAP, class: "axis", opacity: 0.5 });
          add(picture, "line", { x1: right, x2: x(1), y1: y + ROW, y2: y + ROW + GAP, class: "axis", opacity: 0.5 });
        });
        add(picture, "text", { x: x(0) + (k ? 4 : 0), y: y - 6, class: "tick", style: HALO }, short(low, width));
        add(picture, "text", { x: x(1) - (k ? 4 : 0), y: y - 6, class: "tick end", style: HALO }, short(plus(low, width), width));
      });
      const [low, width] = last, y = TOP + ids.length * (ROW + GAP);
      const [first, wide] = place(bits, low, width), middle = x(first + wide / 2), half = 4.5 * (bits.length || 9);
      add(picture, "line", { x1: x(first), x2: Math.max(x(first) + 2, x(first + wide)), y1: y + ROW / 2, y2: y + ROW / 2, class: "span", style: "stroke: var(--transformer)" });
      add(picture, "text", { x: Math.min(Math.max(middle, x(0) + half), x(1) - half), y: y + ROW + 20, class: "one middle" }, bits || "(no bits)");
      const text = ids.map((id) => data.symbols[id]).join(" ") || "nothing yet";
      words.innerHTML = `<b>${text}</b>: surprisal <b>${surprisal(last[1]).toFixed(3)}</b> bits, coded in <b>${bits.length}</b>: ` +
        `<b>${bits || "no bits"}</b>. The bound <span style="white-space: nowrap">⌈−log₂ q⌉ + 1</span> is ${bound(last[1])}. The orange line is the cell of the code.` +
        (ended ? " The text has ended: the decoder can stop." : ids.length ? " Without the end, the decoder cannot know that this is all." : "") +
        (full ? " There is no room for more words here: add the end, or take one back." : "");
    }
    show();
  }

  /** ⌈-log2 width⌉ + 1, in whole numbers. */
  function bound(width) {
    let length = 0;
    while ((width[0] << BigInt(length)) < width[1]) length += 1;
    return length + 1;
  }

  /** The same in numbers, for tests: low and width after the last symbol, bits, surprisal and bound. */
  function measure(rows, ids) {
    const [low, width] = nest(rows, ids).pop() || [[0n, 1n], [1n, 1n]];
    return { low: low.map(String), width: width.map(String), bits: code(low, width), cell: place(code(low, width), low, width), surprisal: surprisal(width), bound: bound(width) };
  }

  window.Explorables = Object.assign(window.Explorables || {}, { intervals: { measure, draw } });
})();
