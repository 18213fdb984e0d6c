// A table of a side game: what all of them share. Each game has a module that draws its board.

import { Failed, GONE, PACES, ask, byId, complain, h, line, points, say, settings } from "./dom.js";
import { Hand } from "./cards.js";
import { FishingBoard } from "./fishing.js";
import { KlondikeBoard } from "./klondike.js";
import { UnoBoard } from "./uno.js";
import { recordLink } from "./transport.js";

const BOARDS = { fishing: FishingBoard, klondike: KlondikeBoard, uno: UnoBoard };

export class SideTable {
  constructor(main, key, { titled, gone }) {
    this.main = main;
    this.key = key;
    this.titled = titled;
    this.gone = gone;
    this.state = null;
    this.isBusy = false;
    this.isClosed = false;
    this.isWatching = false; // others play
    this.timer = 0;
  }

  get title() {
    return this.state?.scene.title;
  }

  /** Where the server answers questions about this table. */
  get path() {
    return `tables/${this.key}`;
  }

  newHand(onChange, onPlay) {
    return new Hand(onChange, onPlay);
  }

  /** Ask where the table stands and draw it; also after the language changed. */
  async open() {
    const state = await ask(this.path);
    if (!this.isClosed) this.build(state);
  }

  build(state) {
    const { game } = state.scene;
    this.board?.close?.();
    this.board = new BOARDS[game](this);
    this.events = h("ol", { class: "events", "aria-live": "polite", "aria-relevant": "additions", "aria-label": say("events"), tabindex: "0" });
    this.scores = h("div", { class: "scores" });
    this.again = h("div", { class: "buttons" });
    this.felt = h("div", { class: `felt side ${game}` }, this.board.element, this.again);
    this.main.replaceChildren(
      h(
        "div",
        { class: "table" },
        this.felt,
        h("aside", {}, this.scores, h("details", { class: "log", open: innerWidth > 900 }, h("summary", {}, say("events")), this.events), this.keysHelp()),
      ),
    );
    this.shown = [];
    this.state = null;
    this.accept(state);
  }

  close() {
    this.isClosed = true;
    this.board?.close?.();
    clearTimeout(this.timer);
  }

  /** Take over a state of the table, draw it, and let another player move if one is to. */
  accept(state) {
    const before = this.state;
    this.state = state;
    this.draw(before);
    this.goOn();
    this.titled();
  }

  /** Let another player move after a pause. */
  goOn() {
    clearTimeout(this.timer);
    this.again.replaceChildren();
    if (this.state.waiting) this.timer = setTimeout(() => this.advance(), PACES[settings.pace] ?? PACES.normal);
  }

  /** Let another player move; after a failure the person decides when it is tried again. */
  async advance() {
    const { version } = this.state;
    if ((await this.change("advance")) || this.isClosed || this.state.version !== version || !this.state.waiting) return;
    clearTimeout(this.timer);
    this.again.replaceChildren(h("button", { type: "button", class: "main", onclick: () => this.accept(this.state) }, say("again")));
  }

  /** Draw the cards as the settings say now. */
  recolour() {
    if (this.state) this.draw(this.state);
  }

  draw(before = this.state) {
    const { scene, asked } = this.state;
    this.board.draw(this.state, before);
    this.drawScores();
    this.drawEvents();
    this.main.dataset.state = scene.is_over ? "over" : asked ? "asked" : this.state.watch ? "watching" : "waiting";
    this.main.dataset.version = this.state.version;
  }

  drawScores() {
    const { scene, deal } = this.state;
    if (this.scores.contains(document.activeElement)) this.main.focus();
    const rows = this.board.scoreRows?.(this.state) ?? scene.seats.map((seat) => [seat.name, points(seat.score ?? 0)]);
    this.scores.replaceChildren(
      h("h2", {}, say("scores"), " ", h("span", { class: "soft" }, say("deal_number", { number: deal + 1 }))),
      h("dl", {}, ...rows.flatMap(([name, value]) => [h("dt", {}, name), h("dd", {}, value)])),
      scene.is_over ? "" : this.giveUpButton(),
    );
  }

  drawEvents() {
    const { events } = this.state.scene;
    const isMore = this.shown.every((text, i) => events[i] === text);
    if (!isMore) {
      this.events.replaceChildren();
      this.shown = [];
    }
    const written = this.board.written ?? line;
    this.events.append(...events.slice(this.shown.length).map((text) => h("li", {}, ...written(text))));
    this.shown = events;
    this.events.scrollTop = this.events.scrollHeight;
  }

  // What one may do ----------------------------------------------------------------------------------------------------

  button(id, text, onclick, { main = false, can = true, kind = "" } = {}) {
    const act = () => can && !this.isBusy && onclick();
    return h("button", { type: "button", id, class: main ? "main" : kind || null, "aria-disabled": String(!can || this.isBusy), onclick: act }, text);
  }

  undoButton() {
    return this.button("undo", say("undo"), () => this.change("undo"), { can: this.state.can_undo });
  }

  hintButton() {
    return settings.coach === "off" ? null : this.button("hint", say("hint"), () => this.hint(), { can: this.state.asked });
  }

  /** The buttons after the end of a deal. */
  endButtons() {
    return [
      this.button("next", say("next"), () => this.change("deal"), { main: true }),
      this.state.can_undo ? this.undoButton() : null,
      h("a", { class: "button", ...recordLink(this.key) }, say("record")),
      h("span", { class: "soft seed" }, say("seed_was", { seed: this.state.seed })),
    ];
  }

  /** Replace buttons; the keyboard stays on the one that it was on. */
  put(place, buttons) {
    const focused = place.contains(document.activeElement) ? document.activeElement.id : null;
    place.replaceChildren(...buttons.filter(Boolean));
    if (focused) (byId(focused)?.focus ? byId(focused) : place.firstElementChild)?.focus();
  }

  giveUpButton() {
    return h("button", { type: "button", id: "give-up", class: "quiet", onclick: () => this.giveUp() }, say("give_up"));
  }

  giveUp() {
    if (this.state.scene.ply === 0 || confirm(say("give_up_sure"))) this.change("deal");
  }

  /** Make moves in the notation of records. */
  move(...moves) {
    return this.change("move", { moves });
  }

  // Asking the server --------------------------------------------------------------------------------------------------

  async change(act, more = {}) {
    if (this.isBusy) return false;
    this.isBusy = true;
    clearTimeout(this.timer);
    let state = null;
    let isDone = true;
    try {
      state = await ask(`${this.path}/${act}`, { version: this.state.version, ...more });
    } catch (error) {
      isDone = false;
      this.isBusy = false;
      if (this.isClosed) return false;
      this.failed(error);
      state = error.state ?? null;
    }
    this.isBusy = false;
    if (this.isClosed) return false;
    if (state) this.accept(state);
    else this.draw();
    return isDone;
  }

  async hint() {
    if (!this.state.asked || this.isBusy || settings.coach === "off") return;
    this.isBusy = true;
    this.board.hinting?.();
    const { version } = this.state;
    let found = null;
    try {
      found = await ask(`${this.path}/hint`, { version });
    } catch (error) {
      this.failed(error);
    }
    this.isBusy = false;
    if (this.isClosed) return;
    this.board.hinted(found && this.state.version === found.version ? found : null);
  }

  /** Say what went wrong. */
  failed(error) {
    if (!(error instanceof Failed)) throw error;
    if (error.status === GONE) this.gone(error);
    else complain(error.message);
  }

  // Keys ---------------------------------------------------------------------------------------------------------------

  onKey(event) {
    if (!this.state || event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    if (event.target.closest("input, select, textarea, summary, details.menu, dialog")) return;
    const onControl = Boolean(event.target.closest("button, a"));
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    const act = this.board.keyAct(key, { onControl, event }) ?? this.keyAct(key, onControl);
    if (!act) return;
    event.preventDefault();
    act();
  }

  keyAct(key, onControl) {
    const { state } = this;
    switch (key) {
      case "Enter":
        return onControl || !state.scene.is_over ? null : () => this.change("deal");
      case "h":
        return () => this.hint();
      case "u":
        return () => state.can_undo && this.change("undo");
      case "n":
        return () => state.scene.is_over && this.change("deal");
      default:
        return null;
    }
  }

  keys() {
    return [...this.board.keys(), ["U", "keys_undo"], ["N", "keys_next"]];
  }

  keysHelp() {
    const rows = this.keys().flatMap(([key, text]) => [h("dt", {}, h("kbd", {}, key)), h("dd", {}, say(text))]);
    return h("details", { class: "keys" }, h("summary", {}, say("keys")), h("dl", {}, ...rows));
  }
}
