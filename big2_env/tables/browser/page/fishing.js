// The board of the fishing game, which plays itself: one watches, and guesses the winner before the first card.

import { backs, row } from "./cards.js";
import { PACES, h, line, say, settings } from "./dom.js";

const SVG = "http://www.w3.org/2000/svg";
const SPEEDS = [1, 10, 100]; // plays at a time
const ALL = 30000;
const SHOWN_BACKS = 12;
const [WIDE, HIGH] = [300, 70]; // units of the curve

export class FishingBoard {
  constructor(table) {
    this.table = table;
    this.speed = 1;
    this.isRunning = false;
    this.drawn = "";
    this.timer = 0;
    this.parts = Object.fromEntries(["look", "curve", "buttons"].map((name) => [name, h("div", { class: name })]));
    this.parts.look.setAttribute("role", "status");
    this.seats = h("ol", { class: "anglers", "aria-label": say("seats") });
    this.pond = h("div", { class: "pond", role: "region", "aria-label": say("on_table") });
    this.element = h("div", { class: "board" }, this.seats, this.pond, h("div", { class: "own seat" }, this.parts.look, this.parts.curve, this.parts.buttons));
  }

  get state() {
    return this.table.state;
  }

  close() {
    clearTimeout(this.timer);
    this.isRunning = false;
  }

  draw(state) {
    const { scene, watch } = state;
    this.seats.replaceChildren(...scene.seats.map((seat) => this.seatOf(seat, watch)));
    const [pond] = scene.areas;
    this.pond.replaceChildren(h("span", { class: "soft" }, say("side.area_count", { name: pond.label, count: pond.count })), row(pond.cards));
    const found = scene.is_over && watch.guess !== null ? say(scene.seats[watch.guess].payoff > 0 ? "side.guess_right" : "side.guess_wrong") : "";
    const isOpen = scene.ply === 0 && watch.guess === null;
    const parts = isOpen ? say("side.guess_who") : line(found ? say("side.two_sentences", { first: scene.status, second: found }) : scene.status);
    this.parts.look.replaceChildren(h("span", { class: "said", id: "status" }, ...[parts].flat()));
    this.parts.look.className = `look ${found && scene.seats[watch.guess].payoff > 0 ? "good" : found ? "bad" : ""}`;
    this.parts.curve.replaceChildren(this.curveOf(scene, watch.trend));
    if (scene.is_over || state.deal !== this.deal) this.isRunning = false;
    this.deal = state.deal;
    this.drawButtons();
  }

  seatOf(seat, watch) {
    const stack = Math.max(1, Math.round((SHOWN_BACKS * seat.count) / 54));
    return h(
      "li",
      { class: `seat${seat.is_turn ? " turn" : ""}` },
      h(
        "div",
        { class: "head" },
        h("span", { class: `dot seat-${seat.seat}`, "aria-hidden": "true" }),
        h("span", { class: "name" }, seat.name),
        h("span", { class: "count" }, say(seat.count === 1 ? "card" : "cards", { count: seat.count })),
        watch.guess === seat.seat ? h("span", { class: "now" }, say("side.your_guess")) : null,
      ),
      seat.count ? backs(stack) : null,
      h("div", { class: "act" }, seat.act ? h("span", { class: "words" }, seat.act.words) : null, seat.act ? row(seat.act.cards) : null),
    );
  }

  /** How many cards each seat has had. */
  curveOf(scene, trend) {
    const svg = document.createElementNS(SVG, "svg");
    svg.setAttribute("viewBox", `0 0 ${WIDE} ${HIGH}`);
    svg.setAttribute("preserveAspectRatio", "none");
    svg.setAttribute("role", "img");
    svg.setAttribute("aria-label", say("side.curve", { plays: scene.ply }));
    const most = Math.max(1, ...trend.flat());
    scene.seats.forEach((_, seat) => {
      const path = document.createElementNS(SVG, "polyline");
      path.setAttribute("points", trend.map((counts, i) => `${trend.length > 1 ? (WIDE * i) / (trend.length - 1) : 0},${HIGH - 3 - ((HIGH - 6) * counts[seat]) / most}`).join(" "));
      path.classList.add(`seat-${seat}`);
      svg.append(path);
    });
    return svg;
  }

  drawButtons() {
    const { state, table } = this;
    const { scene, watch } = state;
    const wanted = JSON.stringify([scene.is_over, scene.ply === 0, watch.guess, this.isRunning, state.deal]);
    if (wanted === this.drawn) return; // so that a finger finds the button that it went down on
    this.drawn = wanted;
    if (scene.is_over) {
      table.put(this.parts.buttons, table.endButtons());
      return;
    }
    const guesses = scene.ply === 0 ? scene.seats.map(({ seat, name }) => h("button", { type: "button", id: `guess-${seat + 1}`, class: watch.guess === null ? "main" : null, onclick: () => this.guess(seat) }, say("side.guess", { name }))) : [];
    const speed = h(
      "select",
      { id: "speed", "aria-label": say("side.speed"), onchange: (event) => (this.speed = Number(event.target.value)) },
      ...SPEEDS.map((count) => h("option", { value: count, selected: count === this.speed }, say("side.speed_of", { count }))),
    );
    table.put(this.parts.buttons, [
      ...guesses,
      h("button", { type: "button", id: "go", class: watch.guess !== null || scene.ply > 0 ? "main" : null, onclick: () => this.toggle() }, say(this.isRunning ? "side.pause" : "side.go")),
      h("button", { type: "button", id: "step", "aria-disabled": String(this.isRunning), onclick: () => this.step() }, say("side.step")),
      speed,
      h("button", { type: "button", id: "end", onclick: () => this.toEnd() }, say("side.to_end")),
    ]);
  }

  // Watching -----------------------------------------------------------------------------------------------------------

  guess(seat) {
    if (this.state.scene.ply === 0) this.table.change("guess", { seat });
  }

  step() {
    if (!this.isRunning && !this.state.scene.is_over) this.table.change("watch", { count: this.speed });
  }

  async toEnd() {
    this.close();
    while (this.table.isBusy) await new Promise((done) => setTimeout(done, 20)); // what runs now ends first
    if (!this.table.isClosed && !this.state.scene.is_over) this.table.change("watch", { count: ALL });
  }

  toggle() {
    this.isRunning = !this.isRunning;
    clearTimeout(this.timer);
    this.drawButtons();
    if (this.isRunning) this.run();
  }

  async run() {
    if (!this.isRunning || this.table.isClosed) return;
    const isDone = await this.table.change("watch", { count: this.speed });
    if (!isDone) {
      this.isRunning = false;
      if (!this.table.isClosed) this.drawButtons();
    }
    if (!this.isRunning) return;
    this.timer = setTimeout(() => this.run(), PACES[settings.pace] ?? PACES.normal);
  }

  scoreRows({ watch }) {
    return [[say("side.right_guesses"), say("side.of", { right: watch.right, made: watch.made })]];
  }

  // Keys ---------------------------------------------------------------------------------------------------------------

  keyAct(key, { onControl }) {
    const { scene } = this.state;
    if (scene.is_over) return null;
    switch (key) {
      case "1":
      case "2":
        return () => this.guess(Number(key) - 1);
      case " ":
        return onControl ? null : () => this.toggle();
      case "ArrowRight":
        return () => this.step();
      case "e":
        return () => this.toEnd();
      default:
        return null;
    }
  }

  keys() {
    return [
      ["1, 2", "side.keys_guess"],
      [say("key_space"), "side.keys_go"],
      ["→", "side.step"],
      ["E", "side.to_end"],
    ];
  }
}
