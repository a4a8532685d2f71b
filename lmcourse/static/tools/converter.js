/* The converter: a value with its unit and the counts of the text in, every other unit out.

   It reads and writes the page; the arithmetic is in units.js. The known test sets come with the page. */

(function () {
  "use strict";

  const { UNITS, COUNTS, WORDS, NAMES, KINDS } = LMM.units;
  const { make, field, number, choice } = LMM.page;
  const PREFIX = "converter-";

  function start() {
    const place = document.getElementById("converter-tool");
    if (!place) return;
    const known = LMM.page.data("known-texts");
    const view = build(known);
    place.append(view.form, view.result);
    LMM.page.readAddress(view.controls);
    LMM.page.offerKnown(view.text, view.counts, known);
    view.form.addEventListener("submit", (event) => event.preventDefault());
    view.form.addEventListener("input", () => update(view, known));
    view.form.addEventListener("change", () => update(view, known));
    view.form.addEventListener("reset", () => setTimeout(() => update(view, known)));
    view.link.addEventListener("click", () => LMM.page.copy(view.address, view.copied, "Link"));
    view.copyTable.addEventListener("click", () => LMM.page.copy(asText(view.rows), view.copied, "Table"));
    update(view, known);
  }

  /* -- the form -- */

  function build(known) {
    const value = number("141.2");
    const kind = choice(Object.entries(KINDS));
    const unit = choice(UNITS.map((name) => [name, NAMES[name]]));
    const text = choice([["", "counts of my own"], ...known.map((item) => [item.name, item.title])]);
    const digits = choice([["4", "4"], ["6", "6"], ["10", "10"], ["15", "15"]]);
    digits.value = "6";
    digits.querySelector("[value='6']").defaultSelected = true;
    const counts = Object.fromEntries(UNITS.map((name) => [COUNTS[name], number()]));
    const about = make("p", { id: "converter-about", class: "tool-note" });
    const form = make(
      "form", { class: "tool-form", novalidate: true },
      make("fieldset", {}, make("legend", {}, "The number"),
        field(PREFIX + "value", "Value", value),
        field(PREFIX + "kind", "It is", kind),
        field(PREFIX + "unit", "per", unit)),
      make("fieldset", {}, make("legend", {}, "The text that was scored"),
        wide(field(PREFIX + "text", "Test set", text)),
        about,
        ...UNITS.map((name) => field(PREFIX + COUNTS[name], capital(WORDS[COUNTS[name]]), counts[COUNTS[name]]))),
      make("div", { class: "tool-buttons" }, field(PREFIX + "digits", "Significant digits", digits),
        make("button", { type: "reset" }, "Clear")),
    );
    text.setAttribute("aria-describedby", `${text.getAttribute("aria-describedby")} ${about.id}`);
    const status = make("p", { role: "status", "aria-live": "polite", id: "converter-status" });
    const table = make("div", { class: "tool-table" });
    const link = make("button", { type: "button", id: "converter-link" }, "Copy link to this conversion");
    const copyTable = make("button", { type: "button", id: "converter-copy" }, "Copy table");
    const copied = make("span", { role: "status", "aria-live": "polite", id: "converter-copied" });
    const buttons = make("div", { class: "tool-buttons", hidden: true }, link, copyTable, copied);
    const result = make("section", { class: "tool-result", "aria-label": "Result" }, status, table, buttons);
    const controls = [value, kind, unit, text, ...Object.values(counts), digits];
    return {
      form, result, value, kind, unit, text, digits, counts, about, status, table, buttons, link, copyTable,
      copied, controls, rows: [],
    };
  }

  function wide(element) {
    element.classList.add("tool-wide");
    return element;
  }

  function capital(word) {
    return word[0].toUpperCase() + word.slice(1);
  }

  /* -- the result -- */

  function update(view, known) {
    const chosen = known.find((item) => item.name === view.text.value);
    view.about.replaceChildren(...(chosen ? about(chosen) : []));
    view.unit.disabled = view.kind.value.startsWith("total-");
    view.address = LMM.page.writeAddress(view.controls);
    view.copied.textContent = "";
    const { given, faults } = read(view);
    LMM.page.markFaults(view.form, faults);
    const wrong = [...new Set(Object.values(faults))];
    view.rows = given && !wrong.length ? LMM.units.convert(given) : [];
    view.buttons.hidden = !view.rows.length;
    view.table.replaceChildren(...(view.rows.length ? [table(view)] : []));
    say(view.status, wrong.length ? `Nothing is converted. ${wrong.join(" ")}` : summary(view.rows));
  }

  /* Write into a live region only what is new, so that it is not read twice. */
  function say(region, text) {
    if (region.textContent !== text) region.textContent = text;
  }

  function about(item) {
    const source = item.link ? make("a", { href: item.link }, item.source) : item.source;
    return [`${item.note} Source: `, source, "."];
  }

  /* What the form holds: {given} ready to convert, or undefined; and the faults by field. */
  function read(view) {
    const faults = {}, counts = {};
    for (const [name, input] of Object.entries(view.counts)) {
      if (!input.value.trim()) continue;
      const { value, error } = LMM.units.parseNumber(input.value);
      if (error) faults[input.id] = `The number of ${WORDS[name]} ${error}.`;
      else if (value === Infinity) faults[input.id] = `The number of ${WORDS[name]} cannot be infinite.`;
      else counts[name] = value;
    }
    for (const fault of LMM.units.countFaults(counts)) {
      for (const name of fault.fields) faults[PREFIX + name] = fault.text;
    }
    if (!view.value.value.trim()) return { faults };
    const { value, error } = LMM.units.parseNumber(view.value.value);
    const wrong = error ? `The value ${error}.` : LMM.units.valueFault(view.kind.value, value);
    if (wrong) faults[view.value.id] = wrong;
    return { given: { kind: view.kind.value, unit: view.unit.value, value, counts }, faults };
  }

  function summary(rows) {
    if (!rows.length) return "Type a value; the result appears here as you type.";
    const done = rows.filter((row) => !row.missing);
    const missing = [...new Set(rows.flatMap((row) => row.missing || []))].map((name) => WORDS[name]);
    const refused = missing.length
      ? ` Refused: ${rows.length - done.length}, for want of a count (${missing.join(", ")}).` : "";
    return `Converted into ${done.length} of ${rows.length} quantities.${refused}`;
  }

  function table(view) {
    const digits = Number(view.digits.value);
    const head = ["Quantity", "Value", "Formula, and with the numbers"];
    return make("table", {},
      make("caption", {}, "The same score in every unit"),
      make("thead", {}, make("tr", {}, ...head.map((words) => make("th", { scope: "col" }, words)))),
      make("tbody", {}, ...view.rows.map((row) => line(row, view, digits))));
  }

  function line(row, view, digits) {
    const name = make("th", { scope: "row" }, LMM.units.label(row));
    if (row.missing) {
      const why = make("td", { colspan: "2", class: "tool-refused" }, `Refused: ${LMM.units.refusal(row)}`);
      return make("tr", {}, name, why);
    }
    const given = row.kind === view.kind.value && (view.unit.disabled || row.unit === view.unit.value);
    const formula = given ? ["as given"] : [make("code", {}, row.formula), make("br"), make("code", {}, `= ${row.numbers}`)];
    return make("tr", given ? { class: "tool-given" } : {}, name,
      make("td", { class: "tool-number" }, LMM.units.format(row.value, digits, row.log)), make("td", {}, ...formula));
  }

  /* The table for a spreadsheet: tabs between cells, every digit. */
  function asText(rows) {
    return rows
      .map((row) => row.missing ? [LMM.units.label(row), "", LMM.units.refusal(row)]
        : [LMM.units.label(row), LMM.units.format(row.value, 15, row.log), row.numbers])
      .map((cells) => cells.join("\t")).join("\n");
  }

  start();
})();
