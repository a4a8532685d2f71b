/* One total divided in several ways: the number that a report prints depends on the unit and on the logarithm. */
(function () {
  "use strict";

  /** A total in nats over `count` units: bits, nats and hartleys per unit, and the perplexity per unit. */
  function share(nats, count) {
    const each = nats / count;
    return { nats: each, bits: each / Math.LN2, hartleys: each / Math.LN10, perplexity: Math.exp(each) };
  }

  /** The count that a report divides by, or null; without its ends, the tokens are fewer and the total is not. */
  function divisor(report, field, ends) {
    const count = report.counts[field];
    if (count === undefined) return null;
    if (field !== "tokens" || ends) return count;
    return report.ends === null ? null : count - report.ends;
  }

  const UNITS = { tokens: "token", words: "word", chars: "character", bytes: "byte" };
  const FORMS = {
    perplexity: ["perplexity", (s) => s.perplexity],
    bits: ["bits (logarithm to base 2)", (s) => s.bits],
    nats: ["nats (natural logarithm)", (s) => s.nats],
    hartleys: ["decimal logarithm", (s) => s.hartleys],
  };
  const WIDE = 430, ROW = 34, LEFT = 82, SPAN = 40;

  function draw(box, data, make) {
    const add = make.svg;
    const now = { report: 0, field: "tokens", ends: true, form: "perplexity" };
    const form = make("div", "explorable-form", box);
    const controls = make("div", "controls", form);
    make.select(controls, "report", data.reports.map((report, k) => [k, report.name]), now.report, (k) => {
      now.report = Number(k);
      if (data.reports[now.report].counts[now.field] === undefined) now.field = unit.value = "words";
      show();
    });
    const unit = make.select(controls, "divide by", Object.entries(UNITS).map(([field, name]) => [field, `${name}s`]), now.field,
      (field) => { now.field = field; show(); });
    make.select(controls, "print", Object.entries(FORMS).map(([key, [name]]) => [key, name]), now.form, (key) => { now.form = key; show(); });
    const label = make("label", "", controls);
    const ends = make("input", "", label);
    Object.assign(ends, { type: "checkbox", checked: true });
    label.append(" count the ends of lines or documents as tokens");
    ends.addEventListener("change", () => { now.ends = ends.checked; show(); });

    const picture = add(form, "svg", { viewBox: `0 0 ${WIDE} ${4 * ROW + 40}`, role: "img", class: "plot" });
    const words = make("p", "result", form);
    words.setAttribute("aria-live", "polite");

    function strips(report) {
      picture.replaceChildren();
      const scale = (WIDE - LEFT - 8) / SPAN;
      picture.setAttribute("aria-label", `The first ${SPAN} bits of the total, cut into units of mean size.`);
      Object.entries(UNITS).forEach(([field, name], row) => {
        const chosen = field === now.field, y = 4 + row * ROW;
        add(picture, "text", { x: LEFT - 8, y: y + 18, "text-anchor": "end", class: chosen ? "one" : "" }, name);
        const count = divisor(report, field, now.ends);
        if (count === null) {
          add(picture, "text", { x: LEFT, y: y + 18, class: "tick" }, "not counted");
          return;
        }
        const each = share(report.nats, count).bits;
        for (let left = 0; left < SPAN; left += each) {
          const bits = Math.min(each, SPAN - left);
          add(picture, "rect", { x: LEFT + left * scale, y, width: Math.max(0.5, bits * scale - 1.5), height: ROW - 10, class: chosen ? "unit chosen" : "unit" });
        }
      });
      for (const bits of [0, 10, 20, 30, 40]) {
        add(picture, "text", { x: LEFT + bits * scale, y: 4 * ROW + 16, "text-anchor": "middle" }, String(bits));
      }
      add(picture, "text", { x: (LEFT + WIDE) / 2, y: 4 * ROW + 34, "text-anchor": "middle" }, `bits (the first ${SPAN} of the total)`);
    }

    function show() {
      const report = data.reports[now.report], field = now.field, count = divisor(report, field, now.ends);
      ends.disabled = field !== "tokens" || report.ends === null;
      strips(report);
      const total = `${Math.round(report.nats / Math.LN2).toLocaleString("en")} bits`;
      if (count === null) {
        words.innerHTML = `Total <b>${total}</b>. The number of ${UNITS[field]}s was not given, so nothing per ${UNITS[field]} can be printed.`;
        return;
      }
      const [name, read] = FORMS[now.form];
      const value = read(share(report.nats, count));
      const printed = report.printed.find(([unitOf, form]) => unitOf === field && form === now.form && (field !== "tokens" || now.ends));
      words.innerHTML = `Total <b>${total}</b>, divided by ${count.toLocaleString("en")} ${UNITS[field]}s: <b>${value.toFixed(4)}</b> (${name}, per ${UNITS[field]}).` +
        (printed ? ` Printed: ${printed[2]}.` : "") +
        (field === "tokens" && !now.ends ? " The ends are in the total and not in the count." : "");
    }
    show();
  }

  window.Explorables = Object.assign(window.Explorables || {}, { units: { share, divisor, draw } });
})();
