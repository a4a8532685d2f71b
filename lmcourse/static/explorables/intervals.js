/* A short text as nested intervals, and the shortest string of bits whose cell lies inside the last one. */
(function () {
  "use strict";

  const WIDTH = 440, LEFT = 12, RIGHT = 12, ROW = 30, TOP = 6, AXIS = 30;

  const gcd = (a, b) => { while (b) [a, b] = [b, a % b]; return a; };

  /** A fraction with whole numbers of any size: [numerator, denominator], as BigInt. */
  function fraction(a, b) {
    const d = gcd(a < 0n ? -a : a, b) || 1n;
    return [a / d, b / d];
  }
  const plus = (x, y) => fraction(x[0] * y[1] + y[0] * x[1], x[1] * y[1]);
  const times = (x, y) => fraction(x[0] * y[0], x[1] * y[1]);
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

  const x = (share) => LEFT + share * (WIDTH - LEFT - RIGHT);

  function draw(box, data, make) {
    const add = make.svg;
    const ids = [...data.start], end = data.symbols.length - 1;
    const form = make("div", "explorable-form", box);
    const controls = make("div", "controls", form);
    const buttons = data.symbols.map((name, id) => make.button(controls, `+ ${name}`, () => { ids.push(id); show(); }));
    const back = make.button(controls, "take one back", () => { ids.pop(); show(); });
    const picture = add(form, "svg", { class: "plot", role: "img", "aria-label": "the interval after each symbol, and the cell of the code" });
    const words = make("p", "result", form);
    words.setAttribute("aria-live", "polite");

    function show() {
      const found = nest(data.rows, ids), last = found.length ? found[found.length - 1] : [[0n, 1n], [1n, 1n]];
      const bits = code(...last), ended = ids[ids.length - 1] === end, shown = Math.max(1, found.length);
      buttons.forEach((button, id) => { button.disabled = ended || ids.length >= data.most || !data.rows[ids.length ? ids[ids.length - 1] : data.rows.length - 1][id]; });
      back.disabled = !ids.length;
      const height = TOP + (shown + 1) * ROW + AXIS;
      picture.setAttribute("viewBox", `0 0 ${WIDTH} ${height}`);
      picture.replaceChildren();
      found.forEach(([low, width], k) => {
        const before = k ? found[k - 1] : [[0n, 1n], [1n, 1n]];
        add(picture, "rect", { x: x(value(before[0])), y: TOP + k * ROW, width: Math.max(0.5, x(value(plus(...before))) - x(value(before[0]))), height: ROW - 6, class: "possible" });
        const left = x(value(low)), right = x(value(plus(low, width)));
        add(picture, "rect", { x: left, y: TOP + k * ROW, width: Math.max(1.5, right - left), height: ROW - 6, class: "model" });
        const after = (left + right) / 2 < WIDTH / 2;
        add(picture, "text", { x: after ? right + 6 : left - 6, y: TOP + k * ROW + ROW - 12, class: after ? "" : "end" }, data.symbols[ids[k]]);
      });
      const cell = bits.length ? Number(BigInt(`0b${bits}`)) / 2 ** bits.length : 0, wide = 2 ** -bits.length;
      const y = TOP + shown * ROW + 10;
      add(picture, "line", { x1: x(cell), x2: Math.max(x(cell) + 2, x(cell + wide)), y1: y, y2: y, class: "span" });
      const after = cell + wide / 2 < 0.5;
      add(picture, "text", { x: after ? x(cell + wide) + 6 : x(cell) - 6, y: y + 5, class: after ? "two" : "two end" }, bits || "(no bits)");
      for (const share of [0, 0.25, 0.5, 0.75, 1]) {
        add(picture, "line", { x1: x(share), x2: x(share), y1: height - AXIS + 2, y2: height - AXIS + 8, class: "axis" });
        add(picture, "text", { x: x(share), y: height - 6, class: share === 0 ? "tick" : share === 1 ? "tick end" : "tick middle" }, String(share));
      }
      const text = ids.map((id) => data.symbols[id]).join(" ") || "nothing yet";
      words.innerHTML = `<b>${text}</b>: surprisal <b>${surprisal(last[1]).toFixed(3)}</b> bits, coded in <b>${bits.length}</b>: ` +
        `<b>${bits || "no bits"}</b>. The bound ⌈−log₂ q⌉ + 1 is ${bound(last[1])}.` +
        (ended ? " The text has ended: the decoder can stop." : ids.length ? " Without the end, the decoder cannot know that this is all." : "");
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
    return { low: low.map(String), width: width.map(String), bits: code(low, width), surprisal: surprisal(width), bound: bound(width) };
  }

  window.Explorables = Object.assign(window.Explorables || {}, { intervals: { measure, draw } });
})();
