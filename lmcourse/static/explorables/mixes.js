/* Two models on two slices: the whole depends on the share of the tokens that each scored in each slice. */
(function () {
  "use strict";

  const WIDTH = 440, HEIGHT = 260, LEFT = 52, RIGHT = 16, TOP = 12, BOTTOM = 44;

  /** Perplexity of the whole; `share` of the tokens are in the first of two slices with these losses in nats. */
  const whole = (losses, share) => Math.exp(share * losses[0] + (1 - share) * losses[1]);

  /**
   * The difference of two models in nats per token, in two parts.
   *
   * models: the losses of each model on the slices. between: the models, with the first one's shares as weights.
   * texts: the shares, with the second one's losses.
   */
  function parts(one, other, a, b) {
    const between = a * (one[0] - other[0]) + (1 - a) * (one[1] - other[1]);
    return { between, texts: (a - b) * (other[0] - other[1]) };
  }

  const signed = (v) => `${v < 0 ? "−" : "+"}${Math.abs(v).toFixed(3)}`;

  function draw(box, data, make) {
    const add = make.svg;
    const shares = data.models.map((model) => model.share);
    const form = make("div", "explorable-form", box);
    const controls = make("div", "controls", form);
    data.models.forEach((model, k) => {
      make.slider(controls, `${model.name}: share of ${data.slices[0]}`, { min: 0, max: 1, step: 0.01 }, model.share,
        (v) => v.toFixed(2), (v) => { shares[k] = v; show(); });
    });
    const ends = data.models.flatMap((model) => model.losses);
    const low = Math.min(...ends) - 0.1, high = Math.max(...ends) + 0.1;
    const x = (share) => LEFT + share * (WIDTH - LEFT - RIGHT);
    const y = (nats) => HEIGHT - BOTTOM - (nats - low) / (high - low) * (HEIGHT - TOP - BOTTOM);
    const picture = add(form, "svg", {
      viewBox: `0 0 ${WIDTH} ${HEIGHT}`, class: "plot", role: "img",
      "aria-label": `perplexity of the whole against the share of ${data.slices[0]}`,
    });
    for (const v of [20, 40, 80, 160, 320]) {
      if (Math.log(v) > low && Math.log(v) < high) {
        add(picture, "line", { x1: LEFT, x2: WIDTH - RIGHT, y1: y(Math.log(v)), y2: y(Math.log(v)), class: "grid" });
        add(picture, "text", { x: LEFT - 6, y: y(Math.log(v)) + 5, class: "tick end" }, String(v));
      }
    }
    for (const v of [0, 0.25, 0.5, 0.75, 1]) {
      add(picture, "text", { x: x(v), y: HEIGHT - BOTTOM + 18, class: v === 1 ? "tick end" : "tick middle" }, String(v));
    }
    add(picture, "text", { x: (LEFT + WIDTH - RIGHT) / 2, y: HEIGHT - 6, class: "tick middle" }, `share of the tokens in ${data.slices[0]}`);
    const styles = ["one", "two"];
    const marks = data.models.map((model, k) => {
      add(picture, "line", { x1: x(0), x2: x(1), y1: y(model.losses[1]), y2: y(model.losses[0]), class: `line ${styles[k]}` });
      return [
        add(picture, "circle", { r: 6, class: `dot ${styles[k]}` }),
        add(picture, "text", { class: `${styles[k]} end` }, model.name),
      ];
    });
    const words = make("p", "result", form);
    words.setAttribute("aria-live", "polite");

    function show() {
      const found = data.models.map((model, k) => whole(model.losses, shares[k]));
      marks.forEach(([dot, name], k) => {
        const height = y(Math.log(found[k]));
        dot.setAttribute("cx", x(shares[k]));
        dot.setAttribute("cy", height);
        name.setAttribute("x", Math.max(LEFT + 18, x(shares[k]) - 8));
        name.setAttribute("y", height - 9);
      });
      const [a, b] = data.models.map((model) => model.name);
      const { between, texts } = parts(data.models[0].losses, data.models[1].losses, ...shares);
      const ahead = found[0] < found[1] ? a : found[1] < found[0] ? b : "Neither";
      words.innerHTML = `The whole: ${a} <b>${found[0].toFixed(1)}</b>, ${b} <b>${found[1].toFixed(1)}</b>. ` +
        `<b>${ahead}</b> is ahead. ${a} − ${b} in nats per token: the models <b>${signed(between)}</b>, ` +
        `the texts <b>${signed(texts)}</b>.`;
    }
    show();
  }

  window.Explorables = Object.assign(window.Explorables || {}, { mixes: { whole, parts, draw } });
})();
