/* What the wrong-number clinic concludes: from two numbers and the counts to the mistakes that would explain them.

   It computes and touches no page; clinic.js shows what it returns. The explanations come with the page as JSON, made
   by lmcourse/pages/clinic/catalogue.py. What it leaves out: two mistakes at once. */

(function () {
  "use strict";

  const { UNITS, COUNTS } = LMM.units;
  /* How far a near miss may be off, as a share of the difference to be explained; and how far a number may be off, as a
     share of itself, if only a loss was rounded to three decimals. */
  const NEAR = 0.05;
  const ROUNDED = 1e-3;
  const CONSTANTS = { ln2: Math.LN2, ln10: Math.LN10, e: Math.E };
  const LISTED = { document_mean: "mean of the documents' numbers", batch_mean: "mean of the batches' numbers", part_nats: "mean of the parts' nats" };
  const SAMPLE = 1000;
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
    const limits = others.map((other) => ratios(name, other).map((ratio) => ratio * known[other]));
    const tight = (i, pick) => pick(...limits.map((limit) => limit[i]));
    const [least, most] = [tight(0, Math.max), tight(1, Math.min)];
    return least > 0 && most < Infinity ? [least, most, tight(2, Math.max), tight(3, Math.min)] : undefined;
  }

  /* How many of one unit a text has for each of another: between the first two bounds, and usually between the others. */
  function ratios(one, other) {
    if (`${one} ${other}` in RATIOS) return RATIOS[`${one} ${other}`];
    const [least, most, usual, unusual] = RATIOS[`${other} ${one}`] || [0, Infinity, 0, Infinity];
    return [1 / most, 1 / least, 1 / unusual, 1 / usual];
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
    for (const fault of LMM.units.countFaults(Object.fromEntries(Object.values(COUNTS).map((field) => [field, known[field]])))) {
      for (const name of fault.fields) faults[name] = fault.text;
    }
    const { tokens } = known;
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

  LMM.clinic = { LISTED, SAMPLE, close, diagnose, excluded, nats, ratios, read, rounded };
})();
