/* One model, one text, and every way of counting: what each choice makes of the perplexity. */
(function () {
  "use strict";

  const sum = (values) => values.reduce((a, b) => a + b, 0);

  /**
   * The perplexity of sentences under a convention.
   *
   * sentences: arrays of nats, the last of each that of </s>.
   * options: scoreEnd, countEnd (booleans), padding ("none", "free", "known", "even"), batch (sentences in one),
   * cut (tokens of a sentence that are read, 0 for all), average ("pooled", "losses", "perplexities", "sentences").
   */
  function count(sentences, options, symbols) {
    const price = { none: 0, free: 0, known: -Math.log(0.999), even: Math.log(symbols) }[options.padding];
    const size = options.average === "sentences" ? 1 : options.batch;
    const parts = [];
    for (let first = 0; first < sentences.length; first += size) {
      const group = sentences.slice(first, first + size);
      const longest = Math.max(...group.map((one) => one.length));
      const part = { nats: 0, count: 0 };
      for (const one of group) {
        const read = options.cut ? one.slice(0, options.cut) : one;
        const wholeEnd = read.length === one.length;
        part.nats += sum(read) - (options.scoreEnd || !wholeEnd ? 0 : one[one.length - 1]);
        part.count += one.length - (options.countEnd ? 0 : 1);
        if (options.padding !== "none") {
          part.count += longest - one.length;
          part.nats += (longest - one.length) * price;
        }
      }
      parts.push(part);
    }
    const nats = sum(parts.map((part) => part.nats)), total = sum(parts.map((part) => part.count));
    const losses = parts.map((part) => part.nats / part.count);
    const ppl = {
      pooled: () => Math.exp(nats / total),
      losses: () => Math.exp(sum(losses) / losses.length),
      perplexities: () => sum(losses.map(Math.exp)) / losses.length,
      sentences: () => sum(losses.map(Math.exp)) / losses.length,
    }[options.average]();
    return { nats, count: total, ppl };
  }

  const PLAIN = { scoreEnd: true, countEnd: true, padding: "none", batch: 16, cut: 0, average: "pooled" };
  const CHOICES = {
    padding: { none: "not there", free: "counted, not scored", known: "scored at 0.999", even: "scored at 1/V" },
    cut: { 0: "read whole", 25: "cut after 25 tokens", 15: "cut after 15 tokens", 10: "cut after 10 tokens" },
    average: {
      pooled: "add nats, add counts, divide once", losses: "mean of the batches' losses",
      perplexities: "mean of the batches' perplexities", sentences: "mean of the sentences' perplexities",
    },
  };

  /** What is wrong with a setting, in words; empty if nothing is. */
  function errors(options) {
    return [
      options.scoreEnd && !options.countEnd && "</s> is scored, but not counted",
      !options.scoreEnd && options.countEnd && "</s> is counted, but not scored",
      options.padding === "free" && "padding is counted",
      !["none", "free"].includes(options.padding) && "padding is scored and counted",
      options.cut > 0 && "sentences are cut, but counted in full",
      options.average !== "pooled" && "an average replaces the pooled value",
    ].filter(Boolean);
  }

  /** Whether another size of the batch would change the value. */
  function dependsOnBatch(sentences, options, symbols) {
    const values = [1, 16, 64].map((batch) => count(sentences, { ...options, batch }, symbols).ppl);
    return values.some((value) => Math.abs(value / values[0] - 1) > 1e-9);
  }

  function draw(box, data, make) {
    const options = { ...PLAIN }, right = count(data.sentences, PLAIN, data.symbols).ppl;
    const form = make("div", "explorable-form", box);
    const controls = make("div", "controls", form);
    for (const [key, words] of [["scoreEnd", "</s> is scored"], ["countEnd", "</s> is counted"]]) {
      const label = make("label", "", controls), input = make("input", "", label);
      Object.assign(input, { type: "checkbox", checked: true });
      label.append(` ${words}`);
      input.addEventListener("change", () => { options[key] = input.checked; show(); });
    }
    for (const [key, words] of [["padding", "padding is"], ["cut", "a sentence is"], ["average", "put together by"]]) {
      make.select(controls, words, Object.entries(CHOICES[key]), PLAIN[key], (value) => {
        options[key] = key === "cut" ? Number(value) : value;
        show();
      });
    }
    make.slider(controls, "sentences in a batch", { min: 1, max: 64, step: 1 }, PLAIN.batch, String, (n) => { options.batch = n; show(); });
    const words = make("p", "result", form);
    words.setAttribute("aria-live", "polite");

    function show() {
      const { nats, count: units, ppl } = count(data.sentences, options, data.symbols);
      const exponent = Math.log(ppl) / Math.log(right);
      const quotient = options.average === "pooled"
        ? `${nats.toLocaleString("en", { maximumFractionDigits: 1 })} nats over ${units.toLocaleString("en")} positions`
        : `an average of ${options.average === "sentences" ? data.sentences.length : Math.ceil(data.sentences.length / options.batch)} values`;
      const wrong = errors(options);
      words.innerHTML = `<b>Perplexity ${ppl.toFixed(2)}</b>, from ${quotient}. With every token scored and counted, ` +
        `R is ${right.toFixed(2)}; ln r / ln R = <b>${exponent.toFixed(4)}</b>.<br>`;
      const verdict = wrong.length
        ? `Wrong per token: ${wrong.join("; ")}.`
        : `Legitimate: ${options.scoreEnd ? "every token is scored and counted" : "</s> is neither scored nor counted"}.`;
      words.append(`${verdict} The value ${dependsOnBatch(data.sentences, options, data.symbols) ? "changes" : "does not change"} with the size of the batch.`);
    }
    show();
  }

  window.Explorables = Object.assign(window.Explorables || {}, { counting: { count, errors, dependsOnBatch, draw } });
})();
