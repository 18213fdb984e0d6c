// A table without the person: agents play at a pace, all hands are open or one seat's, and values are shown on request.

import { ShownHand } from "./cards.js";
import { PACES, ask, byId, h, keep, line, say, settings } from "./dom.js";
import { adviceParts } from "./seats.js";
import { Table } from "./table.js";

export class WatchTable extends Table {
  constructor(main, key, options) {
    super(main, key, options);
    this.isRunning = true;
    this.flight = null; // the request for a move that is under way
    this.isThinking = false; // whether values are asked for
  }

  accept(state) {
    if (!this.own.classList.contains("watched")) {
      this.own.classList.add("watched");
      this.makeLists(state);
    }
    super.accept(state);
  }

  newHand() {
    return new ShownHand();
  }

  /** No move here was made by the visitor. */
  judge() {}

  goOn() {
    clearTimeout(this.timer);
    if (this.state.waiting && this.isRunning && !this.flight) this.timer = setTimeout(() => this.advance(), PACES[settings.pace] ?? PACES.normal);
  }

  async advance() {
    if (this.flight) return;
    this.flight = super.advance();
    this.drawButtons();
    try {
      await this.flight;
    } finally {
      this.flight = null;
    }
    if (this.isClosed) return;
    this.drawButtons();
    this.goOn();
  }

  /** A game stops where an agent fails. */
  failed(error, again = null) {
    this.isRunning = false;
    super.failed(error, again && (() => this.run(true)));
  }

  draw() {
    super.draw();
    if (!this.state || !this.parts) return;
    if (!this.state.scene.is_over) this.main.dataset.state = this.isRunning ? "running" : "paused";
  }

  giveUpButton() {
    return "";
  }

  drawLook() {
    const { scene } = this.state;
    this.parts.look.className = "look";
    this.parts.look.replaceChildren(...(scene.is_over ? [] : [h("span", { class: "said" }, h("span", { id: "status" }, ...line(scene.status)))]));
  }

  // What one may do ----------------------------------------------------------------------------------------------------

  /** Every button: its name, its text, what it does, and whether it can now. */
  buttons() {
    const { state } = this;
    const back = ["undo", say("watch_back"), () => this.back(), state.can_undo];
    if (state.scene.is_over) return [["next", say("next"), () => this.next(), true], back];
    return [
      ["pause", say(this.isRunning ? "watch_pause" : "watch_go"), () => this.run(!this.isRunning), true],
      ["step", say("watch_step"), () => this.step(), !this.flight],
      back,
      ["values", say("watch_values"), () => this.values(), this.seesTurn && !this.isThinking],
    ];
  }

  /** Buttons stay while they are the same ones, so that a press that begins before a move and ends after it counts. */
  drawButtons() {
    if (!this.state || !this.parts) return;
    const { scene, watch } = this.state;
    const wanted = this.buttons();
    const names = wanted.map(([id]) => id).join();
    if (this.parts.buttons.dataset.names !== names) {
      this.parts.buttons.dataset.names = names;
      const made = wanted.map(([id]) => h("button", { type: "button", id, onclick: () => this.press(id) }));
      made[0].classList.add("main");
      this.put(this.parts.buttons, [...made, ...(scene.is_over ? [] : [this.hands, this.paces])]);
    }
    for (const [id, text, , can] of wanted) {
      const button = byId(id);
      if (button.textContent !== text) button.textContent = text;
      button.setAttribute("aria-disabled", String(!can || this.isBusy));
    }
    this.hands.value = watch.seat ?? "";
    this.paces.value = settings.pace;
  }

  press(id) {
    const [, , act, can] = this.buttons().find(([name]) => name === id) ?? [];
    if (can && !this.isBusy) act();
  }

  get seesTurn() {
    const { watch, scene } = this.state;
    return watch.seat === null || watch.seat === scene.turn;
  }

  /** Make the lists of hands and paces; they stay, because a list that is open must not vanish with the next move. */
  makeLists({ scene }) {
    const hands = [["", say("watch_all")], ...scene.seats.map((seat) => [seat.seat, say("watch_one", { name: seat.name })])];
    const paces = Object.keys(PACES).map((name) => [name, say("watch_pace", { pace: say(`pace_${name}`) })]);
    this.hands = list("watch-seat", say("watch_see"), hands, (value) => this.lookFrom(value === "" ? null : Number(value)));
    this.paces = list("watch-pace", say("pace"), paces, (pace) => {
      keep({ pace });
      this.goOn();
    });
  }

  // What is asked of the server ----------------------------------------------------------------------------------------

  run(isRunning) {
    this.isRunning = isRunning;
    this.draw();
    this.drawLook();
    this.goOn();
  }

  /** Pause, and wait for a move that is under way. */
  async rest() {
    if (this.isRunning) this.run(false);
    await this.flight;
  }

  async step() {
    if (this.isRunning) this.run(false);
    if (!this.flight && this.state.waiting) await this.advance();
  }

  async back() {
    await this.rest();
    if (!this.isClosed && this.state.can_undo) await this.change("undo");
  }

  async next() {
    this.isRunning = true;
    await this.change("deal");
  }

  /** Show all hands, or what one seat sees; an agent may think meanwhile. */
  async lookFrom(seat) {
    try {
      const state = await ask(`${this.path}/look_from`, { seat });
      if (this.isClosed) return;
      this.advice = null;
      this.accept(state.version < this.state.version ? await ask(this.path) : state);
    } catch (error) {
      this.failed(error);
    }
  }

  async values() {
    if (this.isThinking) return;
    this.isThinking = true;
    await this.rest();
    if (this.isClosed) return;
    this.parts.advice.replaceChildren(h("p", { class: "soft" }, say("hint_thinking")));
    this.drawButtons();
    const { version } = this.state;
    try {
      const advice = this.seesTurn && !this.state.scene.is_over ? await ask(`${this.path}/hint`, { version }) : null;
      if (!this.isClosed && this.state.version === version) this.advice = advice;
    } catch (error) {
      this.failed(error);
    }
    this.isThinking = false;
    if (this.isClosed) return;
    this.drawAdvice();
    this.drawButtons();
  }

  drawAdvice() {
    this.parts.advice.replaceChildren(...(this.advice ? adviceParts(this.advice, null) : []));
  }

  // Keys ---------------------------------------------------------------------------------------------------------------

  keyActOf(event, onControl) {
    const { scene, watch } = this.state;
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    switch (key) {
      case " ":
        return onControl || scene.is_over ? null : () => this.run(!this.isRunning);
      case "Enter":
        return onControl || !scene.is_over ? null : () => this.next();
      case "ArrowRight":
        return () => this.step();
      case "ArrowLeft":
      case "u":
        return () => this.back();
      case "v":
      case "h":
        return () => this.seesTurn && this.values();
      case "o":
        return () => this.lookFrom(null);
      case "s":
        return () => this.lookFrom(watch.seat === null ? 0 : watch.seat + 1 < scene.seats.length ? watch.seat + 1 : null);
      case "n":
        return () => scene.is_over && this.next();
      default:
        return null;
    }
  }

  keys() {
    return [
      ["key_space", "watch_key_pause"],
      ["→", "watch_step"],
      ["← U", "watch_back"],
      ["V", "watch_values"],
      ["O", "watch_all"],
      ["S", "watch_key_seat"],
      ["N", "keys_next"],
    ];
  }
}

function list(id, label, options, onchange) {
  const shown = options.map(([value, text]) => h("option", { value }, text));
  return h("select", { id, "aria-label": label, onchange: (event) => onchange(event.target.value) }, ...shown);
}
