/* A test set dealt to ranks: what a sampler repeats or drops, and three numbers that programs report. */
(function () {
  "use strict";

  const WIDTH = 440, HEIGHT = 210, LEFT = 46, RIGHT = 10, TOP = 12, BOTTOM = 40;

  /** The documents of each rank, dealt in turn: "pad" repeats the first ones, "drop" leaves out the last ones. */
  function deal(documents, ranks, rule) {
    const each = (rule === "drop" ? Math.floor : Math.ceil)(documents / ranks);
    const size = rule === "exact" ? documents : each * ranks;
    const shards = Array.from({ length: ranks }, () => []);
    for (let k = 0; k < size; k++) shards[k % ranks].push(k % documents);
    return shards;
  }

  /** Nats, tokens and loss of each rank, and the three reports. */
  function report(documents, shards) {
    const sums = shards.map((shard) => shard.reduce(([t, n], d) => [t + documents[d][0], n + documents[d][1]], [0, 0]));
    const losses = sums.map(([t, n]) => t / n);
    const [T, N] = sums.reduce(([a, b], [t, n]) => [a + t, b + n], [0, 0]);
    const mean = (values) => values.reduce((a, b) => a + b, 0) / values.length;
    return {
      tokens: N, losses, pooled: Math.exp(T / N), expMean: Math.exp(mean(losses)), meanPpl: mean(losses.map(Math.exp)),
    };
  }

  const RULES = { pad: "sampler, padding", drop: "sampler, drop_last=True", exact: "documents[rank::ranks]" };

  /** What happened to the documents, in words. */
  function told(documents, shards) {
    const times = Array(documents).fill(0);
    for (const shard of shards) for (const d of shard) times[d] += 1;
    const twice = times.filter((n) => n > 1).length, never = times.filter((n) => n === 0).length;
    const pages = (n) => `${n} page${n === 1 ? "" : "s"}`;
    if (twice) return `The first ${pages(twice)} ${twice === 1 ? "is" : "are"} scored twice.`;
    if (never) return `The last ${pages(never)} ${never === 1 ? "is" : "are"} not scored.`;
    return "Every page is scored once.";
  }

  function draw(box, data, make) {
    const add = make.svg, documents = data.documents;
    const now = { ranks: data.ranks, rule: data.rule };
    const right = report(documents, deal(documents.length, 1, "exact"));
    const form = make("div", "explorable-form", box), controls = make("div", "controls", form);
    make.slider(controls, "ranks", { min: 1, max: data.most, step: 1 }, now.ranks, String, (n) => { now.ranks = n; show(); });
    make.select(controls, "dealt by", Object.entries(RULES), now.rule, (rule) => { now.rule = rule; show(); });

    const low = 0.6, high = 1.3;
    const y = (v) => HEIGHT - BOTTOM - (v - low) / (high - low) * (HEIGHT - TOP - BOTTOM);
    const picture = add(form, "svg", {
      viewBox: `0 0 ${WIDTH} ${HEIGHT}`, class: "plot", role: "img", "aria-label": "the loss of each rank, and that of the text",
    });
    for (const v of [0.6, 0.8, 1, 1.2]) {
      add(picture, "line", { x1: LEFT, x2: WIDTH - RIGHT, y1: y(v), y2: y(v), class: "grid" });
      add(picture, "text", { x: LEFT - 6, y: y(v) + 5, class: "tick end" }, v.toFixed(1));
    }
    add(picture, "text", { x: (LEFT + WIDTH - RIGHT) / 2, y: HEIGHT - 8, class: "tick middle" }, "dots: nats per token of each rank; line: the text");
    const dots = add(picture, "g", {});
    const line = y(Math.log(right.pooled));
    add(picture, "line", { x1: LEFT, x2: WIDTH - RIGHT, y1: line, y2: line, class: "line two" });
    const words = make("p", "result", form);
    words.setAttribute("aria-live", "polite");

    function show() {
      const shards = deal(documents.length, now.ranks, now.rule), found = report(documents, shards);
      dots.replaceChildren();
      found.losses.forEach((loss, k) => {
        const cx = LEFT + (k + 0.5) / now.ranks * (WIDTH - LEFT - RIGHT);
        add(dots, "circle", { cx, cy: y(Math.min(high, Math.max(low, loss))), r: 5, class: "dot one" });
      });
      words.innerHTML = `${told(documents.length, shards)} ${found.tokens.toLocaleString("en")} tokens. ` +
        `All scores pooled: <b>${found.pooled.toFixed(4)}</b>. exp of the mean loss: <b>${found.expMean.toFixed(4)}</b>. ` +
        `Mean of perplexities: <b>${found.meanPpl.toFixed(4)}</b>. Right: ${right.pooled.toFixed(4)}.`;
    }
    show();
  }

  window.Explorables = Object.assign(window.Explorables || {}, { ranks: { deal, report, told, draw } });
})();
