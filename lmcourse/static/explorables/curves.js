/* Learning curves of a table and a network, a line for each draw of the training documents, and where they cross. */
(function () {
  "use strict";

  /** Where two curves through the points cross, drawn straight on logarithmic axes; null if they do not. */
  function crossing(amounts, table, network) {
    const ahead = table.map((value, i) => Math.log(network[i] / value));
    for (let i = 0; i + 1 < ahead.length; i += 1) {
      if (ahead[i] * ahead[i + 1] < 0) {
        const step = ahead[i] / (ahead[i] - ahead[i + 1]);
        return amounts[i] * (amounts[i + 1] / amounts[i]) ** step;
      }
    }
    return null;
  }

  const mean = (values) => values.reduce((a, b) => a + b, 0) / values.length;
  const column = (rows, k) => rows.map((row) => row[k]);
  const WIDE = 460, HIGH = 330, LEFT = 58, RIGHT = 16, TOP = 14, BOTTOM = 48;
  const TICKS = [20, 50, 100, 200, 500];

  function draw(box, data, make) {
    const add = make.svg;
    const now = { text: 0, order: "chosen", at: 4 };
    const form = make("div", "explorable-form", box);
    const controls = make("div", "controls", form);
    if (data.texts.length > 1) make.select(controls, "text", data.texts.map((text, k) => [k, text.name]), now.text, (k) => { now.text = Number(k); show(); });
    const orders = Object.keys(data.texts[0].tables).reverse();
    make.select(controls, "table", orders.map((name) => [name, name === "chosen" ? "order chosen on valid documents" : `order ${name}`]),
      now.order, (name) => { now.order = name; show(); });
    const length = function (at) {
      const row = data.texts[now.text].amounts[at];
      const [fewest, largest] = [Math.min(...row), Math.max(...row)].map((n) => n.toLocaleString("en"));
      return fewest === largest ? `${fewest} words` : `${fewest} to ${largest} words`;
    };
    const setAmount = make.slider(controls, "training text", { min: 0, max: data.texts[0].amounts.length - 1, step: 1 }, now.at,
      length, (at) => { now.at = at; show(); });

    const picture = add(form, "svg", { viewBox: `0 0 ${WIDE} ${HIGH}`, role: "img", class: "plot" });
    picture.setAttribute("aria-label", "Perplexity against words of training text, both on logarithmic axes, for a table and a network.");
    const words = make("p", "result", form);
    words.setAttribute("aria-live", "polite");

    function show() {
      const { amounts, tables, network, name } = data.texts[now.text];
      const middle = amounts.map(mean), table = tables[now.order];
      const least = Math.min(...amounts[0]), most = Math.max(...amounts[amounts.length - 1]);
      const x = (n) => LEFT + (WIDE - LEFT - RIGHT) * (Math.log(n / least) / Math.log(most / least));
      const y = (ppl) => TOP + (HIGH - TOP - BOTTOM) * (1 - Math.log(ppl / 18) / Math.log(900 / 18));
      picture.replaceChildren();
      const here = amounts[now.at].map(x);
      add(picture, "rect", { x: Math.min(...here) - 5, width: Math.max(...here) - Math.min(...here) + 10, y: TOP + 8, height: HIGH - BOTTOM - TOP - 8, class: "here" });
      for (const tick of TICKS) {
        add(picture, "line", { x1: LEFT, x2: WIDE - RIGHT, y1: y(tick), y2: y(tick), class: "grid" });
        add(picture, "text", { x: LEFT - 8, y: y(tick) + 5, class: "tick end" }, String(tick));
      }
      for (const n of [1000, 2000, 5000, 10000, 20000, 50000].filter((n) => n >= least && n <= most)) {
        add(picture, "text", { x: x(n), y: HIGH - BOTTOM + 20, class: "tick middle" }, n.toLocaleString("en"));
      }
      add(picture, "text", { x: (LEFT + WIDE) / 2, y: HIGH - 6, class: "tick middle" }, "words of training text");
      add(picture, "text", { x: LEFT - 46, y: TOP + 2, class: "tick" }, "perplexity");
      for (const [rows, who, colour] of [[table, "table", "two"], [network, "network", "three"]]) {
        rows[0].forEach(function (_, draw) {
          const points = rows.map((row, k) => [x(amounts[k][draw]).toFixed(1), y(row[draw]).toFixed(1)]);
          add(picture, "polyline", { points: points.map((one) => one.join(",")).join(" "), class: `line thin ${colour}` });
          points.forEach(([cx, cy]) => add(picture, "circle", { cx, cy, r: 3.5, class: `dot ${colour}` }));
        });
        const other = mean((who === "table" ? network : table)[0]);
        add(picture, "text", { x: x(middle[0]) + 10, y: y(mean(rows[0])) + (mean(rows[0]) > other ? -12 : 26), class: colour }, who);
      }
      setAmount(now.at);
      const range = function (row) {
        const [low, high] = [Math.min(...row).toFixed(0), Math.max(...row).toFixed(0)];
        return low === high ? low : `${low} to ${high}`;
      };
      const places = network[0].map((_, k) => crossing(column(amounts, k), column(table, k), column(network, k)));
      const found = places.filter((place) => place !== null);
      const about = (n) => Math.round(n / 100) * 100;
      const last = network.length - 1;
      const wins = network[0].map((_, k) => network[last][k] < table[last][k]);
      words.innerHTML = `On ${name}, with ${length(now.at)} to learn from: table <b>${range(table[now.at])}</b>, network <b>${range(network[now.at])}</b>. ` +
        (found.length === places.length
          ? `Drawn straight from point to point, the curves cross between <b>${about(Math.min(...found)).toLocaleString("en")}</b> and <b>${about(Math.max(...found)).toLocaleString("en")}</b> words, in all three draws.`
          : found.length ? `The curves cross in ${found.length} of three draws.`
            : wins.every(Boolean) ? "The network is ahead everywhere: the curves <b>do not cross</b>."
              : "The table is ahead everywhere: the curves <b>do not cross</b> within this text.");
    }
    show();
  }

  window.Explorables = Object.assign(window.Explorables || {}, { curves: { crossing, draw } });
})();
