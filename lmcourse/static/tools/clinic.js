/* The page of the wrong-number clinic: the form, and what diagnosis.js concludes in words. */

(function () {
  "use strict";

  const { UNITS, COUNTS, NAMES } = LMM.units;
  const { make, field, number, choice } = LMM.page;
  const { LISTED, SAMPLE, close, diagnose, excluded, nats, ratios, read } = LMM.clinic;
  const PREFIX = "clinic-";
  const OFFERED = 5;
  /* Shares of wrong numbers drawn at random that fit: above the first, little is proved; below the second, chance is out. */
  const LUCK = 0.05;
  const UNLIKELY = 0.005;
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
    const first = [...Object.values(COUNTS), "ends"];
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
    const [first, second] = [COUNTS[unit], COUNTS[raw.unit]], [least, most] = ratios(first, second);
    const [low, high] = [at(-1, 1), at(1, -1)].sort((a, b) => a - b), ratio = perEach([low, high], first, second);
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
