/* The wrong-number clinic: two numbers and the counts in, the mistakes that would explain it out.

   LMM.clinic.diagnose computes and touches no page; the explanations come with the page as JSON, made by
   lmcourse/pages/clinic/catalogue.py. What it leaves out: two mistakes at once. */

(function () {
  "use strict";

  const { UNITS, COUNTS, NAMES } = LMM.units;
  const { make, field, number, choice } = LMM.page;
  const PREFIX = "clinic-";
  /* How far a near miss may be off, as a share of the difference to be explained; and how far a number may be off, as a
     share of itself, if only a loss was rounded to three decimals. */
  const NEAR = 0.05;
  const ROUNDED = 1e-3;
  /* Shares of wrong numbers drawn at random that fit: above the first, little is proved; below the second, chance is out. */
  const LUCK = 0.05;
  const UNLIKELY = 0.005;
  const CONSTANTS = { ln2: Math.LN2, ln10: Math.LN10, e: Math.E };
  const LISTED = { document_mean: "mean of the documents' numbers", batch_mean: "mean of the batches' numbers", part_nats: "mean of the parts' nats" };
  const SAMPLE = 1000;
  const OFFERED = 5;
  /* A count that the reader did not give is looked for between the first two bounds, and usually lies between the others.
     The bounds are of the count itself, of its ratio to the tokens, and, in RATIOS, of the ratio of two units. */
  const BOUNDS = { steps: [2, 4096, 2, 64], types: [2, 1e7], vocabulary: [2, 1e7], aux: [1e-4, 20] };
  const SHARES = {
    pads: [0, 20, 0.01, 3], kept: [0.01, 1, 0.4, 0.99], windows: [0, 1 / 16, 2e-4, 0.01], ends: [0, 0.5, 0.015, 0.13],
    documents: [0, 0.5, 0, 0.06], unknown: [0, 0.5, 0.002, 0.15],
  };
  const RATIOS = {
    "tokens words": [1.01, 20, 1.04, 2.2], "chars words": [1.2, 15, 4, 8], "bytes words": [1.2, 45, 4, 9],
    "chars tokens": [0.3, 12, 2, 6], "bytes tokens": [1, 20, 2, 6], "bytes chars": [1, 4, 1, 1.2],
  };
  /* Reported cases that the page offers to fill in: the words of the link, and the fields. */
  const CASES = [
    ["19.1218 instead of 70.6083", { got: "19.1218", expected: "70.6083" }],
    ["7.54 per token instead of 15.3 per word", { got: "7.54", expected: "15.3", unit: "word" }],
    ["178.9 instead of 141.2 on the Penn Treebank", { got: "178.9", expected: "141.2", text: "ptb-test" }],
    ["13.0065 per word, and 1.5264 per byte in the same run, instead of 8.7921 per word",
      { got: "13.0065", expected: "8.7921", unit: "word", text: "harness-wikitext-2", also: "1.5264", alsounit: "byte" }],
  ];
  /* Another model, seed or text may account for a change of the nats by up to this factor. */
  const PERHAPS = 2;
  /* The ratio of the nats that a mistake leaves, whatever the counts; and how near to it is worth a word. */
  const EXPONENTS = { M1: Math.LN2, M2: 1 / Math.LN2, "M3, read with base e,": 1 / Math.LN10, "M3, read with base 2,": Math.LN2 / Math.LN10 };
  const ALIKE = 0.05;
  const ALWAYS = "Also possible, whatever the digits";
  const QUANTITIES = { perplexity: "perplexity", bits: "bits", nats: "nats (loss)" };

  /* -- the arithmetic of an explanation -- */

  const OPERATIONS = {
    "+": (a, b) => a + b,
    "-": (a, b) => a - b,
    "*": (a, b) => a * b,
    "/": (a, b) => a / b,
    "**": (a, b) => a ** b,
    ln: Math.log,
    exp: Math.exp,
    sqrt: Math.sqrt,
    bf16: (a) => rounded(a, 8),
    fp16: (a) => rounded(a, 11),
  };

  /* The nearest number with so many binary digits; halves go to the even neighbour. */
  function rounded(value, digits) {
    if (value === 0) return 0;
    const step = 2 ** (Math.floor(Math.log2(Math.abs(value))) + 1 - digits);
    const below = Math.floor(value / step), rest = value / step - below;
    const up = rest > 0.5 || (rest === 0.5 && below % 2 !== 0);
    return (up ? below + 1 : below) * step;
  }

  function evaluate(tree, known) {
    if (typeof tree === "number") return tree;
    if (typeof tree === "string") return tree in CONSTANTS ? CONSTANTS[tree] : known[tree];
    return OPERATIONS[tree[0]](...tree.slice(1).map((part) => evaluate(part, known)));
  }

  function names(tree) {
    if (typeof tree === "number") return [];
    if (typeof tree === "string") return tree in CONSTANTS || tree === "h" || tree === "g" ? [] : [tree];
    return tree.slice(1).flatMap(names);
  }

  function needs(explanation) {
    const keys = ["nats", "number", "low", "high", "implied"].filter((key) => key in explanation);
    return [...new Set(keys.flatMap((key) => names(explanation[key])))];
  }

  /* -- the diagnosis -- */

  /* given: {quantity, unit, got: {value, half}, expected: {value, half}, raw, also, known: {tokens: ...}}; half is half of
     the last digit typed; `got` is in the quantity and unit of the expected number, `raw` as it was typed, with its own.
     Returns {agree, kind, side, other, fits, soft, near, out, would, untested, chance}: lists, best first; `out` has the
     explanations that the counts rule out, with what they predict; `would` has the mistakes that fit for one count that was not given, with that count, the commonest first (`common` lists
     mistakes in that order); `chance` is the share of wrong numbers drawn at random that would fit something to the
     digits typed, `alike` of those that come as near as the nearest, or lie where a mistake without one number puts them. */
  function diagnose(explanations, given, common = []) {
    const { quantity, unit, got, expected, known } = given;
    const side = Number.isNaN(got.value) ? "nan" : got.value === Infinity ? "infinite"
      : got.value > expected.value ? "higher" : "lower";
    const empty = { agree: false, kind: "none", side, other: undefined, fits: [], soft: [], near: [], out: [], would: [], untested: [], chance: 0, alike: 0 };
    if (given.apart) return { ...empty, kind: "apart" };
    if (side === "nan" || side === "infinite") return empty;
    if (Math.abs(got.value - expected.value) <= got.half + expected.half) return { ...empty, agree: true };
    const found = [], intervals = [], would = [], untested = [];
    const g = got.value > 0 || quantity !== "perplexity" ? nats(quantity, got.value) : -1e9;
    for (const explanation of explanations) {
      if (explanation.quantities && !explanation.quantities.includes(quantity)) continue;
      if (explanation.units && !explanation.units.includes(unit)) continue;
      const missing = needs(explanation).filter((name) => known[name] === undefined);
      const offer = missing.length && explanation.offered !== "never" && "low" in explanation === false;
      const solved = offer ? solve(explanation, missing, given) : undefined;
      if (solved) would.push(...solved);
      else if (missing.length) untested.push({ explanation, missing });
      else if ("low" in explanation) intervals.push(explanation);
      else found.push(...prediction(explanation, given));
    }
    found.forEach((item, place) => { item.place = place; });
    const soft = intervals.flatMap((one) => interval(one, given, g)).sort((a, b) => a.distance - b.distance);
    const fits = found.filter((item) => item.fits).sort(before("distance"));
    const near = found.filter((item) => !item.fits && item.miss < NEAR).sort(before("miss")).slice(0, 5);
    const rounded = near.length > 0 && near[0].distance < ROUNDED;
    const kind = fits.length ? "fits" : rounded ? "rounded" : soft.length ? "soft" : near.length ? "near" : "none";
    const chance = covered(found.map((item) => item.span), given);
    const alike = kind === "soft" ? hit(intervals, given)
      : near.length ? covered(found.map((item) => around(item, near[0].miss)), given) : 0;
    return {
      ...empty, kind, other: otherUnit(given), fits, soft, near, out: ruledOut(found, near, common),
      would: offered(would, common), untested: byField(untested), chance, alike,
    };
  }

  /* What the counts rule out, the commonest mistakes first: neither a fit, nor near one, nor an estimate. */
  function ruledOut(found, near, common) {
    const rank = ({ explanation }) => (common.indexOf(explanation.mistake) + 1) || common.length + 1;
    return found.filter((item) => !item.fits && !near.includes(item) && !item.explanation.estimate && needs(item.explanation).length)
      .sort((a, b) => rank(a) - rank(b) || a.miss - b.miss);
  }

  /* Mistakes of which every explanation was tested, and ruled out. */
  function excluded({ fits, soft, near, out, would, untested }, explanations, { quantity, unit }) {
    const open = new Set([...fits, ...soft, ...near, ...would].map((item) => item.explanation.mistake));
    for (const { mistakes } of untested) mistakes.forEach((mistake) => open.add(mistake));
    for (const { mistake, estimate, quantities, units } of explanations) {
      if (estimate && (!quantities || quantities.includes(quantity)) && (!units || units.includes(unit))) open.add(mistake);
    }
    return [...new Set(out.map((item) => item.explanation.mistake))].filter((mistake) => !open.has(mistake));
  }

  /* Rare mistakes last, then the nearest, then the order of the list. */
  function before(key) {
    return (a, b) => Number(a.explanation.rare || 0) - Number(b.explanation.rare || 0)
      || (Math.abs(a[key] - b[key]) < 1e-9 ? a.place - b.place : a[key] - b[key]);
  }

  /* What a second number of the same run says: the units of the second kind for each of the first, and the same
     ratio by the counts. `clash`: the two ratios differ by more than the digits allow. */
  function otherUnit({ raw, also, known }) {
    const { quantity, unit } = raw, got = raw;
    if (!also || also.unit === unit || !(also.value > 0)) return undefined;
    const at = (a, b) => nats(quantity, got.value + a * got.half) / nats(quantity, also.value + b * also.half);
    const [ratio, low, high] = [at(0, 0), at(-1, 1), at(1, -1)];
    if (!(ratio > 0 && Number.isFinite(ratio))) return undefined;
    const counted = known[COUNTS[also.unit]] / known[COUNTS[unit]];
    return { ratio, counted, unit, other: also.unit, clash: counted < Math.min(low, high) || counted > Math.max(low, high) };
  }

  /* The count that makes an explanation fit, when one is missing, or one and the count of the unit itself: then it is
     the count for every 1,000 of the unit. Returns a list of one {explanation, name, low, high, per, few, unusual}; an
     empty list when no count between the bounds does it; undefined when more is missing. `few`: fewer characters than
     tokens; `unusual`: how far a count is outside its usual range, as a logarithm. */
  function solve(explanation, missing, given) {
    const base = COUNTS[given.unit], { got, expected } = given;
    const others = missing.filter((name) => name !== base);
    if (others.length > 1 || missing.some((name) => name in LISTED)) return undefined;
    const per = others.length && missing.includes(base) ? base : undefined;
    const name = others[0] || base;
    const known = per ? { ...given.known, [per]: SAMPLE } : given.known;
    const limits = range(name, per ? { [per]: SAMPLE } : known, needs(explanation));
    if (!limits) return undefined;
    const bounds = limits.slice(0, 2);
    if (!(bounds[0] <= bounds[1])) return [];
    const at = (count) => predicted(explanation, { ...given, known: { ...known, [name]: count } }, expected.value);
    const between = [at(bounds[0]), at(bounds[1])].sort((a, b) => a - b);
    const targets = [Math.max(got.value - got.half, between[0]), Math.min(got.value + got.half, between[1])];
    if (!(targets[0] <= targets[1])) return [];
    const ends = targets.map((target) => root(at, bounds, target)).sort((a, b) => a - b);
    const whole = name !== "aux" && !per;
    const [low, high] = whole ? [Math.ceil(ends[0] - 1e-6), Math.floor(ends[1] + 1e-6)] : ends;
    const few = name === "chars" && high < known.tokens;
    const unusual = Math.max(0, Math.log(limits[2] / high), Math.log(low / limits[3]));
    if (explanation.offered === "usual" && unusual > 0) return [];
    return low <= high ? [{ explanation, name, low, high, per, few, unusual }] : [];
  }

  /* Explanations whose count is usual come first, the commonest mistakes before others. */
  function offered(would, common) {
    const rank = ({ explanation }) => (common.indexOf(explanation.mistake) + 1) || common.length + 1;
    const far = ({ unusual }) => Number(unusual > 0);
    return would.sort((a, b) => far(a) - far(b) || rank(a) - rank(b) || a.unusual - b.unusual);
  }

  /* Where a missing count is looked for, and where it usually lies; undefined when nothing is known to bound it. Every
     count that is given bounds it: a text has no more characters than bytes, whatever the explanation is about. */
  function range(name, known, needed) {
    if (name in BOUNDS) {
      const [least, most, usual = 0, unusual = Infinity] = BOUNDS[name];
      return [least, name === "types" ? known.unknown || most : most, usual, unusual];
    }
    if (name in SHARES && known.tokens) {
      const [least, most, usual, unusual] = SHARES[name].map((share) => share * known.tokens);
      const limit = Math.min(most, name === "kept" ? 0.999 * known.tokens : Infinity,
        name === "documents" && known.ends !== undefined ? known.ends : Infinity);  // a document has a line or more
      return [Math.max(least, name === "ends" && known.documents || 0, 1e-3), limit, usual, unusual];
    }
    const units = UNITS.map((unit) => COUNTS[unit]);
    const others = units.filter((field) => field !== name && field in known);
    if (!units.includes(name) || !needed.some((field) => others.includes(field))) return name === "tokens" ? [1, 1e12, 0, Infinity] : undefined;
    const limits = others.map((other) => {
      const [key, ratios] = Object.entries(RATIOS).find(([pair]) => pair.split(" ").includes(name) && pair.split(" ").includes(other));
      const [least, most, usual, unusual] = ratios;
      const c = known[other];
      return key.startsWith(name) ? [least * c, most * c, usual * c, unusual * c] : [c / most, c / least, c / unusual, c / usual];
    });
    const tight = (i, pick) => pick(...limits.map((limit) => limit[i]));
    return [tight(0, Math.max), tight(1, Math.min), tight(2, Math.max), tight(3, Math.min)];
  }

  /* Where a monotone function takes a value that it has between two bounds, by halving the interval. */
  function root(at, [low, high], target) {
    const rises = at(high) > at(low);
    for (let step = 0; step < 200; step += 1) {
      const middle = Math.sqrt(low * high);
      if ((at(middle) < target) === rises) low = middle; else high = middle;
    }
    return Math.sqrt(low * high);
  }

  /* Random wrong numbers: their nats lie between a fifth and twice the expected ones, or further off where the got ones do. */
  function drawn({ quantity, expected, got }) {
    const [h, g] = [expected.value, got.value].map((value) => nats(quantity, value));
    return [(g < 0.2 * h ? 0.02 : 0.2) * h, (g > 2 * h ? 4 : 2) * h];
  }

  /* The share of them in some of the spans, each a pair of nats. */
  function covered(spans, given) {
    const [first, last] = drawn(given);
    const inside = spans.map(([low, high]) => [Math.max(first, low), Math.min(last, high)]).filter(([low, high]) => low < high)
      .sort((a, b) => a[0] - b[0]);
    let total = 0, reached = first;
    for (const [low, high] of inside) {
      total += Math.max(0, high - Math.max(low, reached));
      reached = Math.max(reached, high);
    }
    return last > first ? total / (last - first) : 0;
  }

  /* The share of them that lies in the interval of some explanation without one number. */
  function hit(intervals, given) {
    const [first, last] = drawn(given), many = 400;
    const numbers = Array.from({ length: many }, (_, i) => first + (last - first) * (i + 0.5) / many);
    return numbers.filter((g) => intervals.some((one) => interval(one, given, g).length)).length / many;
  }

  /* The nats for which an explanation would be off by no more than this share of the difference. */
  function around({ nats: there, from }, miss) {
    return [from + (there - from) / (1 + miss), from + (there - from) / (1 - miss)].sort((a, b) => a - b);
  }

  function nats(quantity, value) {
    return LMM.units.perSource({ kind: quantity, value });
  }

  /* The number that an explanation gives when `value` is the right one. */
  function predicted(explanation, { quantity, known }, value) {
    const h = nats(quantity, quantity === "perplexity" ? Math.max(1, value) : Math.max(0, value));
    const all = { ...known, h };
    if ("number" in explanation) return evaluate(explanation.number, all);
    return LMM.units.shown(quantity, evaluate(explanation.nats, all));
  }

  /* What an explanation predicts, when `expected` is right; a list of one, or none when it predicts nothing. */
  function prediction(explanation, given) {
    const { got, expected, known } = given;
    const at = (value) => predicted(explanation, given, value);
    const value_ = at(expected.value);
    if (!Number.isFinite(value_) || close(value_, expected.value)) return [];
    const ends = [value_, at(expected.value - expected.half), at(expected.value + expected.half)];
    const listed = needs(explanation).some((name) => name in LISTED) ? known.part_slack : 0;
    const slack = Math.abs(value_) * Math.max(1e-9, listed);
    const span = [Math.min(...ends) - slack, Math.max(...ends) + slack];
    const fits = span[0] <= got.value + got.half && span[1] >= got.value - got.half;
    const distance = value_ * got.value > 0 ? Math.abs(Math.log(got.value / value_)) : Infinity;
    const [there, here, from] = [value_, got.value, expected.value].map((value) => nats(given.quantity, value));
    const miss = Math.abs(there - here) / Math.abs(here - from);
    const digits = got.half / Math.abs(got.value);
    const reached = [span[0] - digits * Math.abs(span[0]), span[1] + digits * Math.abs(span[1])]
      .map((value) => nats(given.quantity, given.quantity === "perplexity" ? Math.max(1, value) : value));
    return [{ explanation, predicted: value_, fits, distance, miss: Number.isFinite(miss) ? miss : distance, nats: there, from, span: reached }];
  }

  function close(a, b) {
    return Math.abs(a - b) <= 1e-9 * Math.max(Math.abs(a), Math.abs(b));
  }

  /* An explanation without one number: whether the got number, or what it implies, lies in its interval. */
  function interval(explanation, { quantity, expected, known }, g) {
    const h = nats(quantity, expected.value), all = { ...known, h, g };
    const [low, high] = [evaluate(explanation.low, all), evaluate(explanation.high, all)];
    const x = "implied" in explanation ? evaluate(explanation.implied, all) : g;
    const already = !("implied" in explanation) && h >= low && h <= high;
    const distance = "typical" in explanation ? Math.abs(Math.log(x / evaluate(explanation.typical, all))) : 0;
    return x >= low && x <= high && !already ? [{ explanation, implied: x, distance }] : [];
  }

  /* Which mistakes one more count would put to the test: [{missing, mistakes}], the shortest lists first. */
  function byField(untested) {
    const lists = new Map();
    for (const { explanation, missing } of untested) {
      const key = missing.join(" ");
      lists.set(key, { missing, mistakes: [...new Set([...(lists.get(key)?.mistakes || []), explanation.mistake])] });
    }
    return [...lists.values()].sort((a, b) => a.missing.length - b.missing.length);
  }

  /* -- from typed texts to what diagnose takes -- */

  /* texts: {got, expected, quantity, unit, gotquantity, gotunit, tokens, ..., parts, cut}. Returns {given, faults}; given is
     undefined while one of the two numbers is not there. `apart`: the number got is per another unit, and a count that
     would convert it is missing. */
  function read(texts, fields) {
    const faults = {}, known = {};
    for (const [name, words] of Object.entries(fields)) {
      if (!(texts[name] || "").trim()) continue;
      const { value, error } = LMM.units.parseNumber(texts[name]);
      if (error) faults[name] = `The number of ${words} ${error}.`;
      else if (value === Infinity) faults[name] = `The number of ${words} cannot be infinite.`;
      else if (value < 0) faults[name] = `The number of ${words} is ${value}, but a count is at least 0.`;
      else if (name !== "aux" && !Number.isInteger(value)) faults[name] = `The number of ${words} must be a whole number.`;
      else known[name] = value;
    }
    const { tokens, words, chars, bytes } = known;
    for (const fault of LMM.units.countFaults({ tokens, words, chars, bytes })) {
      for (const name of fault.fields) faults[name] = fault.text;
    }
    for (const name of ["ends", "windows", "unknown", "kept"]) {
      if (known[name] > tokens) faults[name] = `There are ${known[name]} ${fields[name]}, but ${tokens} tokens in all.`;
    }
    if (known.types > known.unknown) faults.types = `${known.types} different words among ${known.unknown}?`;
    Object.assign(known, parts(texts, faults));
    const expected = typed(texts, "expected", faults), got = typed(texts, "got", faults);
    const wrong = expected && LMM.units.valueFault(texts.quantity, expected.value);
    if (wrong) faults.expected = `The expected number: ${wrong}`;
    const second = typed(texts, "also", faults);
    const also = second && Number.isFinite(second.value) ? { ...second, unit: texts.alsounit } : undefined;
    if (!expected || !got) return { given: undefined, faults };
    const given = { quantity: texts.quantity, unit: texts.unit, expected, also, known };
    const raw = { ...got, quantity: texts.gotquantity || texts.quantity, unit: texts.gotunit || texts.unit };
    const same = raw.quantity === given.quantity && raw.unit === given.unit;
    const bad = !same && Number.isFinite(raw.value) && LMM.units.valueFault(raw.quantity, raw.value);
    if (bad) faults.got = `The number got: ${bad}`;
    const apart = Number.isFinite(raw.value) && raw.unit !== given.unit
      && [raw.unit, given.unit].some((one) => known[COUNTS[one]] === undefined);
    return { given: { ...given, raw, apart, got: same || apart || bad ? got : converted(raw, given) }, faults };
  }

  /* The number got in the quantity and unit of the expected one, by the counts of the text. */
  function converted(raw, { quantity, unit, known }) {
    const share = raw.unit === unit ? 1 : known[COUNTS[raw.unit]] / known[COUNTS[unit]];
    const at = (value) => Number.isFinite(value) ? LMM.units.shown(quantity, nats(raw.quantity, value) * share) : value;
    const lowest = raw.quantity === "perplexity" ? 1 : 0;
    return { value: at(raw.value), half: raw.half && Math.abs(at(raw.value + raw.half) - at(Math.max(lowest, raw.value - raw.half))) / 2 };
  }

  function typed(texts, name, faults) {
    if (!(texts[name] || "").trim()) return undefined;
    if (name === "got" && /^[+-]?nan$/i.test(texts[name].trim())) return { value: NaN, half: 0 };
    const { value, digits, error } = LMM.units.parseNumber(texts[name]);
    if (error) faults[name] = `The number ${name === "also" ? "in another unit" : name} ${error}.`;
    return error ? undefined : { value, half: digits ? LMM.units.halfDigit(digits) : 0 };
  }

  /* The list of documents or batches: on each line a count of tokens and the number of that part. The averages
     are as exact as the numbers that were typed: part_slack is their largest relative error. */
  function parts(texts, faults) {
    const lines = (texts.parts || "").split("\n").filter((line) => line.trim());
    if (!lines.length) return {};
    const rows = lines.map((line) => line.trim().split(/[\s,;]+/).map(LMM.units.parseNumber));
    const bad = rows.findIndex((row) => row.length !== 2 || !(row[0].value > 0) || !Number.isInteger(row[0].value) || !row[1].digits
      || LMM.units.valueFault(texts.quantity, row[1].value));
    if (bad >= 0) {
      faults.parts = `Line ${bad + 1}, "${lines[bad].trim()}", is not a whole number of tokens and then a ${texts.quantity} value, as in 120 35.2.`;
      return {};
    }
    const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;
    const numbers = rows.map((row) => row[1]);
    return {
      [texts.cut === "batches" ? "batch_mean" : "document_mean"]: mean(numbers.map(({ value }) => value)),
      part_nats: mean(numbers.map(({ value }) => nats(texts.quantity, value))),
      part_slack: Math.max(...numbers.map(({ value, digits }) => value ? LMM.units.halfDigit(digits) / value : 0)),
    };
  }

  window.LMM.clinic = { diagnose, read, rounded };

  /* -- the page -- */

  function start() {
    const place = document.getElementById("clinic-tool");
    if (!place) return;
    const data = { ...LMM.page.data("clinic-data"), known: LMM.page.data("known-texts") };
    const view = build(data);
    place.append(view.form);
    LMM.page.readAddress(view.controls);
    LMM.page.offerKnown(view.text, view.counts, data.known);
    if (view.more.querySelector("input:not(:placeholder-shown), textarea:not(:placeholder-shown)")) view.more.open = true;
    view.ask.addEventListener("click", () => view.counts.tokens.focus());
    view.form.addEventListener("submit", (event) => event.preventDefault());
    view.form.addEventListener("input", () => update(view, data));
    view.form.addEventListener("change", () => update(view, data));
    view.form.addEventListener("reset", () => setTimeout(() => update(view, data)));
    view.examples.forEach((button, i) => button.addEventListener("click", () => show(CASES[i][1], view, data)));
    view.link.addEventListener("click", () => LMM.page.copy(view.address, view.copied, "Link"));
    update(view, data);
  }

  /* Fills in one of the cases, and nothing else, and brings the answer into view; a known text brings its counts. */
  function show(texts, view, data) {
    view.form.reset();
    for (const control of view.controls) {
      if (!(control.name in texts)) continue;
      control.value = texts[control.name];
      control.dispatchEvent(new Event("input", { bubbles: true }));
    }
    if (texts.also) view.more.open = true;
    update(view, data);
    view.status.scrollIntoView({ block: "center" });
  }

  function build(data) {
    const got = number(" "), expected = number(" ");
    const quantity = choice(Object.entries(QUANTITIES)), unit = choice(UNITS.map((name) => [name, NAMES[name]]));
    const text = choice([["", "counts of my own"], ...data.known.map((item) => [item.name, item.title])]);
    const counts = Object.fromEntries(Object.keys(data.fields).map((name) => [name, number(" ")]));
    const cut = choice([["documents", "documents"], ["batches", "batches"]]);
    const list = make("textarea", { rows: "4", spellcheck: "false", placeholder: " " });
    const labelled = (name) => field(PREFIX + name, capital(data.fields[name]), counts[name], data.hints[name]);
    const first = ["tokens", "words", "chars", "bytes", "ends"];
    const rest = Object.keys(counts).filter((name) => !first.includes(name));
    const also = number(" "), alsoUnit = choice([...UNITS].reverse().map((name) => [name, NAMES[name]]));
    const more = make("details", { id: "clinic-more" }, make("summary", {}, "More that you know: another unit, padding, vocabulary, windows, parts"),
      make("fieldset", {}, make("legend", {}, "The number that you got, in another unit"),
        field(PREFIX + "also", "The same run also gave", also, "lm-evaluation-harness prints one per word and one per byte"),
        field(PREFIX + "alsounit", "per", alsoUnit)),
      make("fieldset", {}, make("legend", {}, "More counts"), ...rest.map(labelled)),
      make("fieldset", {}, make("legend", {}, "The parts, one a line"),
        field(PREFIX + "cut", "The lines are", cut),
        wide(field(PREFIX + "parts", "Tokens and number of each part", list,
          "Such as 120 35.2: a part of 120 tokens, whose number is 35.2."))));
    const examples = CASES.map(([words]) => make("button", { type: "button", class: "tool-example" }, words));
    const cases = make("p", { id: "clinic-cases" }, "Reported cases to try: ", ...examples.flatMap((button, i) => [i ? "; " : "", button]), ".");
    const status = make("p", { role: "status", "aria-live": "polite", id: "clinic-status" });
    const findings = make("div", { id: "clinic-findings" });
    const ask = make("button", { type: "button", class: "tool-example", hidden: true }, "Add the counts of the text, to test more mistakes");
    const link = make("button", { type: "button", id: "clinic-link", hidden: true }, "Copy link to this case");
    const copied = make("span", { role: "status", "aria-live": "polite", id: "clinic-copied" });
    const gotQuantity = choice([["", "of the same kind"], ...Object.entries(QUANTITIES)]);
    const gotUnit = choice([["", "the same unit"], ...UNITS.map((name) => [name, NAMES[name]])]);
    const form = make("form", { class: "tool-form", novalidate: true },
      make("fieldset", { class: "tool-four" }, make("legend", {}, "The two numbers"),
        field(PREFIX + "got", "You got", got), field(PREFIX + "expected", "You expected", expected),
        field(PREFIX + "quantity", "The expected one is", quantity), field(PREFIX + "unit", "The expected one is per", unit),
        field(PREFIX + "gotquantity", "The one you got is", gotQuantity), field(PREFIX + "gotunit", "The one you got is per", gotUnit)),
      make("div", { class: "tool-result tool-verdict" }, status),
      make("section", { class: "tool-result", "aria-label": "Diagnosis" }, findings, ask),
      make("fieldset", {}, make("legend", {}, "The text that was scored, as far as you know it"),
        wide(field(PREFIX + "text", "Test set", text)), ...first.map(labelled)),
      more,
      make("div", { class: "tool-buttons" }, make("button", { type: "reset" }, "Clear"), link, copied),
      cases);
    const controls = [got, expected, quantity, unit, gotQuantity, gotUnit, text, ...Object.values(counts), also, alsoUnit, cut, list];
    return { form, examples, text, counts, more, status, findings, ask, link, copied, controls };
  }

  function wide(element) {
    element.classList.add("tool-wide");
    return element;
  }

  function capital(words) {
    return words[0].toUpperCase() + words.slice(1);
  }

  function update(view, data) {
    view.address = LMM.page.writeAddress(view.controls);
    view.copied.textContent = "";
    const texts = Object.fromEntries(view.controls.map((control) => [control.name, control.value]));
    const { given, faults } = read(texts, data.fields);
    LMM.page.markFaults(view.form, Object.fromEntries(Object.entries(faults).map(([name, text]) => [PREFIX + name, text])));
    const wrong = [...new Set(Object.values(faults))];
    const found = given && !wrong.length ? diagnose(data.explanations, given, data.common) : undefined;
    const text = wrong.length ? `Nothing is diagnosed. ${wrong.join(" ")}`
      : found ? verdict(found, given, data) : "Type both numbers. What would explain the difference appears here.";
    inPlace(() => {
      view.link.hidden = !found;
      view.ask.hidden = !found || found.agree || !(found.kind === "apart" || found.untested.length || found.would.length);
      view.findings.replaceChildren(...(found ? findings(found, given, data) : []));
      if (view.status.textContent !== text) view.status.textContent = text;
    });
  }

  /* Changes what stands above the field that is typed in; the field stays where it is on the screen. */
  function inPlace(change) {
    const top = () => document.activeElement.getBoundingClientRect().top, before = top();
    change();
    if (document.activeElement !== document.body && top() !== before) window.scrollBy({ top: top() - before, behavior: "instant" });
  }

  /* -- what was found, in words -- */

  function verdict(found, given, data) {
    if (found.kind === "apart") return apart(given);
    if (found.agree) return `${restated(given)}The two numbers agree, to the digits that you typed: nothing is wrong.`;
    if (found.side === "infinite") return "The number is infinite: some scored token got probability 0, or a computation overflowed.";
    if (found.side === "nan") {
      return "The number is nan, “not a number”. It comes from 0 × ∞, ∞ − ∞ or 0 / 0: a probability of 0 met its infinite " +
        "logarithm, a computation overflowed, or nothing at all was scored. Look for the first nan, token by token.";
    }
    const right = "nothing is wrong: another model or text can move the number as much.";
    const may = ["soft", "near", "none"].includes(found.kind) && !found.other?.clash && mayBeRight(given), none = found.kind === "none";
    return [
      restated(given).trim(), secondUnit(found.other), may && none ? `Perhaps ${right}` : "", ...(found.other?.clash && none ? [] : conclusion(found)), luck(found),
      may && !none ? `Or ${right}` : "", without(found, given, data), signature(given, found),
    ].filter(Boolean).join(" ");
  }

  /* "a perplexity", "bits", "nats (loss)". */
  function kindOf(quantity) {
    return quantity === "perplexity" ? "a perplexity" : QUANTITIES[quantity];
  }

  /* The number got as it is compared, where it was typed in another quantity or unit. */
  function restated({ quantity, unit, got, raw }) {
    if (raw.quantity === quantity && raw.unit === unit || !Number.isFinite(raw.value)) return "";
    const show = (value, kind) => kind === "perplexity" ? `a perplexity of ${LMM.units.format(value, 5)}` : `${LMM.units.format(value, 5)} ${kind}`;
    return `You got ${show(raw.value, raw.quantity)} per ${NAMES[raw.unit]}, which is ${show(got.value, quantity)} per ${NAMES[unit]}. `;
  }

  /* Two units, and no count to convert one into the other: the ratio for which the two numbers agree. */
  function apart({ quantity, unit, raw, expected }) {
    const at = (a, b) => nats(raw.quantity, raw.value + a * raw.half) / nats(quantity, expected.value + b * expected.half);
    const ratio = perEach([at(-1, 1), at(1, -1)].sort((a, b) => a - b), COUNTS[unit], COUNTS[raw.unit]);
    const [first, second] = [COUNTS[unit], COUNTS[raw.unit]];
    const [key, [least, most]] = Object.entries(RATIOS).find(([pair]) => pair.split(" ").includes(first) && pair.split(" ").includes(second));
    const high = key.startsWith(first) ? at(1, -1) : 1 / at(-1, 1), low = key.startsWith(first) ? at(-1, 1) : 1 / at(1, -1);
    const ask = `To have the rest diagnosed, type how many ${LMM.units.WORDS[first]} and ${LMM.units.WORDS[second]} your text has.`;
    return high < least || low > most
      ? `One number is per ${NAMES[raw.unit]}, the other per ${NAMES[unit]}. They would agree for a text with ${ratio}, but there is hardly such a text, so something else differs, too. ${ask}`
      : `One number is per ${NAMES[raw.unit]}, the other per ${NAMES[unit]}. They agree, and nothing is wrong, if the text has ${ratio}. ${ask}`;
  }

  /* The mistakes that the counts rule out, with what they would have given. */
  function without(found, given, data) {
    if (found.kind === "fits" && found.chance <= LUCK) return "";
    const ids = excluded(found, data.explanations, given);
    const first = ids.filter((mistake) => data.common.includes(mistake)).slice(0, 3)
      .map((mistake) => found.out.find((item) => item.explanation.mistake === mistake));
    return first.length ? `Ruled out by your counts: ${series(first.map((item) => `${item.explanation.mistake} would give ${different(item.predicted, given.got.value)}`))}.` : "";
  }

  /* A number with so many digits that it differs from another. */
  function different(value, from) {
    const digits = [4, 5, 6, 7].find((many) => LMM.units.format(value, many) !== LMM.units.format(from, many)) || 8;
    return LMM.units.format(value, digits);
  }

  /* What fits, as a list of sentences. */
  function conclusion({ kind, fits, soft, near, would, untested, chance, alike }) {
    if (kind === "fits" && chance > LUCK) {
      const all = [...new Set(fits.map((item) => item.explanation.mistake))];
      return [`To the few digits that you typed, ${fits.length > 3 ? "several mistakes" : series(all)} would give this number, and so might chance.`];
    }
    if (kind === "fits") {
      const common = fits.filter((item) => !item.explanation.rare), first = title(fits[0].explanation);
      const rare = [...new Set(fits.filter((item) => item.explanation.rare).map((item) => item.explanation.mistake))];
      if (!common.length) return [`One mistake fits: ${first}.`, "It is a rare one; commoner ones, which predict no number, stand below it."];
      if (common.length === 1) return [`One mistake fits: ${first}${rare.length ? ` (and ${series(rare)}, in rare cases)` : ""}.`];
      const same = common.filter((item) => close(item.predicted, common[0].predicted));
      return [`${common.length} explanations fit the digits that you typed; first of them ${first}.`, tie(same),
        same.length < common.length ? "Where predictions differ, more digits would tell them apart." : ""];
    }
    if (kind === "rounded" && alike <= LUCK) {
      return [`${title(near[0].explanation)}, almost explains the number. It is off by ${percent(near[0].distance)}, as a number is that was computed from a rounded loss.`,
        tie(near.filter((item) => close(item.predicted, near[0].predicted)))];
    }
    if (kind === "soft") return [`No mistake predicts this number, but it lies where ${alike > LUCK ? "some might" : "some would"} put it.`];
    if (kind === "near" || kind === "rounded") {
      if (alike > LUCK) return ["No mistake predicts this number to the digits that you typed."];
      return [`No mistake predicts this number to the digits that you typed. The nearest, ${title(near[0].explanation)}, is off by ${percent(near[0].distance)}.`];
    }
    const none = "None of the mistakes that could be tested leads from one number to the other.";
    if (would.length) {
      return [none, `Others would, for a count that you can check: first ${title(would[0].explanation)}.`, "Nearly every pair of numbers finds such counts, so look yours up."];
    }
    if (untested.length) return [none, "Others need a count: see below."];
    return ["No single mistake that the clinic knows leads from one number to the other."];
  }

  function tie(same) {
    const tied = [...new Set(same.map((item) => item.explanation.mistake))];
    return tied.length > 1
      ? `${series(tied)} predict the same number, so the number cannot tell them apart: look at the code.` : "";
  }

  /* How often a wrong number that no mistake made would do as well. */
  function luck({ kind, chance, alike }) {
    if (kind === "none") return "";
    const share = kind === "fits" ? chance : alike;
    const what = { fits: "would fit some mistake", rounded: "would come as near to some mistake", near: "would come as near to some mistake", soft: "would lie in such a range" }[kind];
    const many = share > 0.01 ? `of 100 wrong numbers drawn at random, ${Math.round(100 * share)}`
      : share > 0.001 ? `of 1,000 wrong numbers drawn at random, ${Math.round(1000 * share)}` : "of 1,000 wrong numbers drawn at random, hardly one";
    if (kind === "fits" && share > LUCK) return `With so few digits this proves little: ${many} ${what}. If you can, type more digits.`;
    if (share > LUCK) return kind === "soft" ? `So might chance: ${many} ${what}.` : `The nearest come no nearer than chance does: ${many} ${what}.`;
    return `${many[0].toUpperCase()}${many.slice(1)} ${what}.`;
  }

  /* What the same number in another unit says about the text. */
  function secondUnit(other) {
    if (!other) return "";
    const ratio = (value) => LMM.units.format(value, 4);
    const need = `Your two numbers of one run hold for a text with ${ratio(other.ratio)} ${NAMES[other.other]}s for every ${NAMES[other.unit]}`;
    if (Number.isNaN(other.counted)) return `${need}: check that yours has as many.`;
    return other.clash
      ? `${need}, but the text here has ${ratio(other.counted)}. So what was counted is not this text (M39), or one of the two is not per ${NAMES[other.unit]} or per ${NAMES[other.other]}. Settle this first.`
      : `${need}, and so has the text here.`;
  }

  /* The ratio of the nats; NaN for a number that cannot be a perplexity. */
  function changed({ quantity, got, expected }) {
    return nats(quantity, got.value) / nats(quantity, expected.value);
  }

  function mayBeRight(given) {
    const ratio = changed(given);
    return ratio > 1 / PERHAPS && ratio < PERHAPS;
  }

  /* The ratio that tells most, and the mistake whose ratio is like it. */
  function signature(given, { fits }) {
    const { quantity, got, expected } = given;
    const logs = quantity === "perplexity" && got.value > 0 && expected.value > 1;
    const ratio = logs ? Math.log(got.value) / Math.log(expected.value) : got.value / expected.value;
    const like = fits.length ? undefined : Object.entries(EXPONENTS).find(([, value]) => Math.abs(Math.log(ratio / value)) < ALIKE);
    const beside = like ? ` (${like[0]} leaves ${LMM.units.format(like[1], 4)})` : "";
    return `Signature: ${logs ? "ln(got) / ln(expected)" : "got / expected"} = ${LMM.units.format(ratio)}${beside}.`;
  }

  function percent(distance) {
    return `${LMM.units.format(100 * distance, 2)} per cent`;
  }

  function title(explanation) {
    return `${explanation.mistake}, ${explanation.name}`;
  }

  /* What was found, best first. What no number can decide, and what was not tested, is folded. */
  function findings(found, given, data) {
    if (found.agree || found.kind === "apart") return [];
    const list = (tag, items, write) => make(tag, {}, ...items.map((item) => make("li", {}, ...write(item))));
    const shown = (tag, heading, items, write) => items.length ? [make("h2", {}, heading), list(tag, items, write)] : [];
    const folded = (heading, items, write, more, open) => items.length
      ? [make("details", { open }, make("summary", {}, heading, ...more), list("ul", items, write))] : [];
    const certain = found.kind === "fits" && found.chance < UNLIKELY, lucky = (found.kind === "fits" ? found.chance : found.alike) > LUCK;
    const almost = found.kind === "rounded" && !lucky, named = almost || (found.fits.length > 0 && !lucky);
    const hints = certain ? [] : hintsFor(found, given, data), broken = ["infinite", "nan"].includes(found.side);
    const rare = found.fits.length > 0 && found.fits.every((item) => item.explanation.rare);
    const first = hints.slice(0, 3).map((hint) => `${hint.mistake}, ${hint.name}`).join("; ");
    return [
      ...shown("ol", found.fits.length && lucky ? "Would give the digits that you typed, as chance might" : "Fits to the digits that you typed", found.fits, (item) => exact(item, given)),
      ...(almost ? shown("ol", "Near, but not equal", found.near, (item) => exact(item, given)) : []),
      ...shown("ul", "Possible, but no single number is predicted", found.soft, (item) => vague(item)),
      ...(almost || lucky ? [] : shown("ol", "Near, but not equal", found.near, (item) => exact(item, given))),
      ...(certain || broken || almost ? [] : checklist()),
      ...(lucky ? folded("Near, but not equal", found.near, (item) => exact(item, given), [], false) : []),
      ...(named ? [] : shown("ul", "Would fit, for a count that you can check", found.would.slice(0, OFFERED), (item) => wanted(item, data))),
      ...folded("Ruled out by your counts", found.out.slice(0, 12), (item) => [`${title(item.explanation)}: would give ${different(item.predicted, given.got.value)}. ${item.explanation.story}`], [], false),
      ...(broken ? shown("ul", ALWAYS, hints, hinted) : folded(ALWAYS, hints, hinted, [": ", make("span", {}, first), "."], rare || (found.fits.length > 0 && lucky))),
      ...(certain ? [] : folded("Not tested, for want of a count", found.untested.slice(0, 12), (item) =>
        [`${series(item.missing.map((name) => data.words[name] || data.fields[name]))}: ${item.mistakes.join(", ")}`], [], false)),
    ];
  }

  /* What to compare when nothing fits: the list of the page's text, with its links. */
  function checklist() {
    const lists = document.querySelectorAll("#when-nothing-fits ul");
    return [...lists].slice(0, 1).flatMap((items) => [make("h2", {}, "When nothing fits, compare the two runs"), items.cloneNode(true)]);
  }

  /* "a", "a and b", "a, b and c". */
  function series(words) {
    return words.length > 1 ? `${words.slice(0, -1).join(", ")} and ${words[words.length - 1]}` : words.join("");
  }

  /* Mistakes that leave no number of their own: first those that usually change a number by as much as this one. */
  function hintsFor(found, given, data) {
    const ratio = changed(given);
    const elsewhere = ({ low, high, units }) => Number(!(ratio >= low && ratio <= high && units.includes(given.unit)));
    const out = excluded(found, data.explanations, given);
    return data.unnumbered[found.side].filter(({ mistake }) => !out.includes(mistake)).sort((a, b) => elsewhere(a) - elsewhere(b));
  }

  function hinted({ mistake, name, look }) {
    return [make("strong", {}, `${mistake}, ${name}. `), `${look} `, ...treated(mistake)];
  }

  function exact({ explanation, predicted, distance, fits }, given) {
    const off = fits ? "" : `, off by ${percent(distance)}`;
    return [
      make("p", {}, make("strong", {}, title(explanation)), ". ", told(explanation.story, given)),
      make("p", {}, `Would give ${LMM.units.format(predicted, 7)}${off}: `,
        make("code", {}, formula(explanation, given, false)), " = ", make("code", {}, formula(explanation, given, true))),
      ...treated(explanation.mistake),
    ];
  }

  /* A story with the number that it promises: the perplexity, where the got number is minus the nats. */
  function told(story, { got }) {
    return story.replace("{r}", Number(Math.exp(-got.value).toPrecision(3)).toLocaleString("en"));
  }

  /* A mistake that fits for one count; as many digits of the count as the typed numbers determine. */
  function wanted({ explanation, name, low, high, per, few }, data) {
    const show = (value) => value >= 100 || (!per && name !== "aux") ? Math.round(value).toLocaleString("en") : LMM.units.format(value, 3);
    const words = data.fields[name], middle = show((low + high) / 2);
    const ofUnits = per && UNITS.some((unit) => COUNTS[unit] === name);
    const count = ofUnits ? perEach([low / SAMPLE, high / SAMPLE], name, per)
      : `${show(low) === show(high) ? show(low) : `about ${middle} (${show(low)} to ${show(high)})`} ${words}`;
    const whole = per && !ofUnits ? ` for every ${SAMPLE.toLocaleString("en")} ${data.fields[per]}` : "";
    const rare = few ? " Fewer characters than tokens occur only where one character takes several tokens." : "";
    return [
      make("p", {}, make("strong", {}, title(explanation)), `: with ${count}${whole}.`),
      make("p", {}, explanation.story + rare),
      ...treated(explanation.mistake),
    ];
  }

  /* "1.35 tokens for every word": the larger count for each of the smaller, whichever way round they are given. */
  function perEach([low, high], name, per) {
    if (high < 1) return perEach([1 / high, 1 / low], per, name);
    const [unit, each] = [name, per].map((field) => NAMES[UNITS.find((one) => COUNTS[one] === field)]);
    const show = (value) => LMM.units.format(value, 4), middle = show((low + high) / 2);
    return `${show(low) === show(high) ? middle : `about ${middle} (${show(low)} to ${show(high)})`} ${unit}s for every ${each}`;
  }

  function vague({ explanation, implied }) {
    const cost = LMM.units.format(implied, 4), chance = LMM.units.format(Math.exp(-implied), 2);
    const story = explanation.story.replace("{x}", cost).replace("{p}", chance);
    return [make("p", {}, make("strong", {}, title(explanation))), make("p", {}, story), ...treated(explanation.mistake)];
  }

  /* The explanation's formula with names or with numbers; h is the expected number in nats. */
  function formula(explanation, { quantity, expected, known }, filled) {
    const values = { ...known, h: LMM.units.format(nats(quantity, expected.value)) };
    const inner = (explanation.number_text || explanation.nats_text)
      .replace(/\b[a-z_]\w*/g, (name) => name === "ln2" ? "ln 2" : name === "ln10" ? "ln 10"
        : filled && name in LISTED ? LMM.units.format(values[name], 7)
        : filled && name in values ? String(values[name]) : LISTED[name] || name)
      .replace(/\*\*/g, "^").replace(/\*/g, "×");
    if (explanation.number_text || quantity === "nats") return inner;
    return quantity === "perplexity" ? `exp(${inner})` : `(${inner}) / ln 2`;
  }

  /* Links to the sections that run the mistake, taken from the table on this page. */
  function treated(mistake) {
    const rows = [...document.querySelectorAll(".clinic-table tbody tr")];
    const row = rows.find((line) => line.cells[0].textContent.trim() === mistake);
    const links = row ? [...row.cells[row.cells.length - 1].querySelectorAll("a")] : [];
    if (!links.length) return [];
    const copies = links.flatMap((link, i) => [i ? "; " : "", make("a", { href: link.getAttribute("href") }, link.textContent)]);
    const stop = links[links.length - 1].textContent.endsWith("?") ? "" : ".";
    return [make("p", {}, "Treated in ", ...copies, stop)];
  }

  start();
})();
