/* Conversion between units, the arithmetic of lmmetrics.score.Score, for the converter and the clinic.

   Everything that computes is in LMM.units and draws nothing, so that a test can call it. What it leaves
   out: the units and the known test sets, which the page brings along as JSON. */

(function () {
  "use strict";

  const { fields: COUNTS, labels: NAMES, holds: HOLDS } = data("units");
  const UNITS = Object.keys(COUNTS);
  const WORDS = Object.fromEntries(UNITS.map((unit) => [COUNTS[unit], `${NAMES[unit]}s`]));
  const KINDS = {
    perplexity: "perplexity",
    bits: "bits",
    nats: "nats",
    "total-bits": "bits in all",
    "total-nats": "nats in all",
  };

  /* A number as readers write it: 141.2, 1e-3, 82 430, 82,430. Returns {value} or {error}. */
  function parseNumber(text) {
    const plain = String(text).trim().replace(/[\s\u00a0\u2009\u202f_]/g, "").replace(/\u2212/g, "-");
    if (/^\+?inf(inity)?$|^\+?∞$/i.test(plain)) return { value: Infinity };
    const grouped = /^[+-]?[1-9]\d{0,2}(,\d{3})+(\.\d+)?$/.test(plain) ? plain.replace(/,/g, "") : plain;
    if (/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(grouped)) {
      const value = Number(grouped);
      if (Number.isFinite(value)) return { value, digits: grouped };
      return { error: "is beyond the largest number that a computer stores in 64 bits (1.8e308)" };
    }
    if (/^[+-]?\d+,\d+$/.test(plain)) return { error: "has a comma; write a decimal point, as in 1.5" };
    return { error: "is not a number; write digits, as in 141.2 or 1.5e-3" };
  }

  /* Half of the last digit that was typed: 19.12 can be anything between 19.115 and 19.125. */
  function halfDigit(digits) {
    const [mantissa, exponent] = digits.toLowerCase().split("e");
    const decimals = (mantissa.split(".")[1] || "").length;
    return 0.5 * 10 ** (Number(exponent || 0) - decimals);
  }

  /* What is wrong with the value, as one sentence; an empty string when nothing is. */
  function valueFault(kind, value) {
    if (value === Infinity) {
      return "An infinite value is infinite in every unit: some scored token had probability 0. " +
        "Find that token; there is nothing to convert.";
    }
    if (kind === "perplexity" && value < 1) {
      return `${format(value)} cannot be the perplexity of a discrete model. A probability is at most 1, so a ` +
        "perplexity is at least 1. Perhaps it is a loss (choose bits or nats), or the minus sign before the mean log probability is missing.";
    }
    if (kind !== "perplexity" && value < 0) {
      return `${format(value)} is below 0, but a surprisal is at least 0. ` +
        "A log probability is negative: leave out its minus sign.";
    }
    return "";
  }

  /* What is wrong with the counts: a list of {fields, text}. Counts not given are undefined. */
  function countFaults(counts) {
    const faults = [];
    for (const [field, count] of Object.entries(counts)) {
      const name = WORDS[field] || field;
      if (count === undefined) continue;
      if (count < 0) {
        faults.push({ fields: [field], text: `The number of ${name} is ${count}, but a count is at least 0.` });
      } else if (count === 0) {
        faults.push({
          fields: [field],
          text: `The text has 0 ${name}, so nothing can be given per ${name.replace(/s$/, "")}. ` +
            "Leave the field empty if you did not count them.",
        });
      } else if (!Number.isInteger(count)) {
        faults.push({ fields: [field], text: `The number of ${name} must be a whole number: count, do not estimate.` });
      } else if (!Number.isSafeInteger(count)) {
        faults.push({ fields: [field], text: `The number of ${name} is too large to be exact (above 9e15).` });
      }
    }
    for (const { field, other, least, most, why_most } of faults.length ? [] : HOLDS) {
      const [count, held] = [counts[field], counts[other]], fields = [field, other];
      const [of, by] = [`${count} ${WORDS[field]}`, `${held} ${WORDS[other]}`];
      if (count > held) {
        faults.push({
          fields,
          text: `${by} cannot hold ${of}: ${least}. Perhaps the two counts have changed places, or belong to different texts.`,
        });
      } else if (most && held > most * count) {
        faults.push({ fields, text: `${by} are too many for ${of}: ${why_most}. Perhaps the counts belong to different texts.` });
      }
    }
    return faults;
  }

  /* Convert a checked value into every unit.

     given: {kind, unit, value, counts: {tokens, words, chars, bytes}}
     Returns a list of {kind, unit, value, log, formula, numbers} or, where a count is missing,
     {kind, unit, missing: [fields]}; log is ln of a perplexity, which is finite also where value is not. */
  function convert(given) {
    const total = given.kind.startsWith("total-");
    const perUnit = perSource(given);
    const from = total ? undefined : COUNTS[given.unit];
    const nats = total ? perUnit : from in given.counts ? perUnit * given.counts[from] : undefined;
    const rows = [];
    for (const kind of ["total-nats", "total-bits"]) rows.push({ kind, unit: "" });
    for (const unit of UNITS) {
      for (const kind of ["perplexity", "bits", "nats"]) rows.push({ kind, unit });
    }
    return rows.map((row) => filled(row, { ...given, total, perUnit, from, nats }));
  }

  function perSource({ kind, value }) {
    if (kind === "perplexity") return Math.log(value);
    return kind === "bits" || kind === "total-bits" ? value * Math.LN2 : value;
  }

  function filled(row, given) {
    const same = row.unit && !given.total && row.unit === given.unit;
    const to = row.unit ? COUNTS[row.unit] : undefined;
    const needed = same ? [] : [given.from, to].filter((field) => field && given.counts[field] === undefined);
    if (needed.length) return { ...row, missing: needed };
    const x = same ? given.perUnit : row.unit ? given.nats / given.counts[to] : given.nats;
    const result = { ...row, value: shown(row.kind, x), ...formula(row, same, to, given) };
    if (same && row.kind === given.kind) result.value = given.value;
    if (row.kind === given.kind && given.total) result.value = given.value;
    if (row.kind === "perplexity") result.log = x;
    return result;
  }

  function shown(kind, nats) {
    if (kind === "perplexity") return Math.exp(nats);
    return kind === "bits" || kind === "total-bits" ? nats / Math.LN2 : nats;
  }

  /* The formula twice: with the names of the quantities, and with the numbers filled in. */
  function formula(row, same, to, given) {
    const write = (v, names) => {
      const share = same || (given.total && !row.unit) ? "" : given.total ? ` / ${names(to)}`
        : row.unit ? ` × ${names(given.from)} / ${names(to)}` : ` × ${names(given.from)}`;
      const target = row.kind.replace("total-", ""), source = given.kind.replace("total-", "");
      if (!row.unit && given.total && target === source) return v;
      if (target === "perplexity") {
        const exponent = share.replace(/^ [×] /, "");
        if (source === "perplexity") return same ? v : `${v}^(${exponent})`;
        if (source === "bits") return share ? `2^(${v}${share})` : `2^${v}`;
        return `exp(${v}${share})`;
      }
      if (source === "perplexity") return (target === "bits" ? `log2(${v})` : `ln(${v})`) + share;
      if (source === target) return v + share;
      return (target === "bits" ? `${v} / ln 2` : `${v} × ln 2`) + share;
    };
    const symbol = { perplexity: "PPL", bits: "B", nats: "H", "total-bits": "bits", "total-nats": "L" }[given.kind];
    return {
      formula: write(symbol, (field) => WORDS[field]),
      numbers: write(format(given.value, 15), (field) => String(given.counts[field])),
    };
  }

  /* A number with so many significant digits; scientific notation, as in 1.5e-7, where it is shorter. */
  function format(value, digits = 6, log) {
    if (value === Infinity && log !== undefined) return `10^${(log / Math.LN10).toPrecision(digits)}`;
    if (!Number.isFinite(value)) return String(value).replace("Infinity", "infinite");
    const size = Math.abs(value);
    if (size !== 0 && (size < 1e-4 || size >= 1e9)) {
      return value.toExponential(digits - 1).replace(/\.?0+e/, "e").replace("e+", "e");
    }
    const text = value.toPrecision(digits);
    const plain = text.includes("e") ? String(Number(text)) : text;
    return plain.includes(".") ? plain.replace(/\.?0+$/, "") : plain;
  }

  /* A refusal, as one sentence: which counts are missing. */
  function refusal(row) {
    return `needs the number of ${row.missing.map((field) => WORDS[field]).join(" and of ")}`;
  }

  function label(row) {
    return row.unit ? `${KINDS[row.kind]} per ${NAMES[row.unit]}` : `${KINDS[row.kind]}`;
  }

  /* -- making pages: the few lines that both tools share -- */

  /* An element: make("p", {class: "note"}, "text", child, ...). */
  function make(tag, attributes = {}, ...children) {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) {
      if (value === true) element.setAttribute(name, "");
      else if (value !== false && value !== undefined) element.setAttribute(name, value);
    }
    element.append(...children.filter((child) => child !== undefined && child !== null));
    return element;
  }

  /* A labelled field; the fault of the field has a place of its own, which the field points to. */
  function field(id, words, control, hint) {
    control.id = id;
    control.name = id.replace(/^\w+-/, "");
    const note = hint ? make("small", { id: `${id}-hint` }, hint) : undefined;
    const fault = make("span", { id: `${id}-fault`, class: "tool-fault" });
    control.setAttribute("aria-describedby", [note && note.id, fault.id].filter(Boolean).join(" "));
    return make("div", { class: "tool-field" }, make("label", { for: id }, words), control, note, fault);
  }

  function number(placeholder = "") {
    return make("input", { type: "text", inputmode: "decimal", autocomplete: "off", spellcheck: "false", placeholder });
  }

  function choice(options) {
    return make("select", {}, ...options.map(([value, words]) => make("option", { value }, words)));
  }

  /* Show or clear the faults: {id of the field: sentence}. */
  function markFaults(form, faults) {
    for (const control of form.querySelectorAll("input, select, textarea")) {
      const place = document.getElementById(`${control.id}-fault`);
      if (!place) continue;
      const text = faults[control.id] || "";
      place.textContent = text;
      if (text) control.setAttribute("aria-invalid", "true");
      else control.removeAttribute("aria-invalid");
    }
  }

  /* The state of a form is the query of the address: only what is filled in, as it was typed. */
  function writeAddress(controls) {
    const query = new URLSearchParams();
    for (const control of controls) {
      if (control.value.trim() && !control.disabled) query.set(control.name, control.value.trim());
    }
    const text = query.toString();
    try {
      history.replaceState(null, "", (text ? `?${text}` : location.pathname) + location.hash);
    } catch {
      /* A browser that forbids this for files from disk: the link button still works. */
    }
    return location.href.split(/[?#]/)[0] + (text ? `?${text}` : "");
  }

  function readAddress(controls) {
    const query = new URLSearchParams(location.search);
    for (const control of controls) {
      const value = query.get(control.name);
      if (value === null) continue;
      if (control.tagName !== "SELECT") control.value = value;
      else if ([...control.options].some((option) => option.value === value)) control.value = value;
    }
  }

  /* The list of known test sets: choosing one fills in its counts, and counts typed by hand are one's own.
     An address that names a test set without counts gets them; its own counts win. */
  function offerKnown(select, inputs, known) {
    const chosen = () => known.find((item) => item.name === select.value);
    const listed = (item, name) => (item[name] === null || item[name] === undefined ? "" : String(item[name]));
    const own = Object.entries(inputs).filter(([name]) => known.some((item) => name in item));
    const takeCounts = () => {
      for (const [name, input] of own) input.value = chosen() ? listed(chosen(), name) : "";
    };
    const typed = own.filter(([, input]) => input.value.trim());
    if (chosen() && !typed.length) takeCounts();
    else if (chosen() && typed.some(([name, input]) => listed(chosen(), name) !== input.value)) select.value = "";
    select.addEventListener("input", takeCounts);
    for (const [, input] of own) input.addEventListener("input", () => { select.value = ""; });
  }

  /* Copy a text; say in `status` that it happened, or show the text where copying is forbidden. */
  async function copy(text, status, what) {
    try {
      await navigator.clipboard.writeText(text);
      status.textContent = `${what} copied.`;
    } catch {
      status.textContent = `Copying is not allowed here. ${what}: ${text}`;
    }
  }

  function data(id) {
    return JSON.parse(document.getElementById(id).textContent);
  }

  window.LMM = {
    units: {
      UNITS, COUNTS, WORDS, NAMES, KINDS, parseNumber, halfDigit, valueFault, countFaults, convert, format,
      refusal, label, shown, perSource,
    },
    page: { make, field, number, choice, markFaults, writeAddress, readAddress, offerKnown, copy, data },
  };
})();
