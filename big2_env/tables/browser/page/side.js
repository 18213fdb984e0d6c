// A table of a side game: what all of them share. Each game has a module that draws its board.

import { PACES, h, say, settings } from "./dom.js";
import { FishingBoard } from "./fishing.js";
import { KlondikeBoard } from "./klondike.js";
import { UnoBoard } from "./uno.js";
import { TableView } from "./view.js";

const BOARDS = { fishing: FishingBoard, klondike: KlondikeBoard, uno: UnoBoard };

export class SideTable extends TableView {
  isWatching = false; // others play

  build(state) {
    const { game } = state.scene;
    this.board?.close?.();
    this.board = new BOARDS[game](this);
    this.again = h("div", { class: "buttons" });
    this.lay(h("div", { class: `felt side ${game}` }, this.board.element, this.again), h("div", { class: "scores" }), state);
    this.state = null;
    this.accept(state);
  }

  close() {
    super.close();
    this.board?.close?.();
  }

  /** Take over a state of the table, draw it, and let another player move if one is to. */
  accept(state) {
    const before = this.state;
    this.state = state;
    this.tabs?.tell(state);
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

  scoreRows(state) {
    return this.board.scoreRows?.(state) ?? super.scoreRows(state);
  }

  written(text) {
    return this.board.written?.(text) ?? super.written(text);
  }

  // What one may do ----------------------------------------------------------------------------------------------------

  hintButton() {
    return settings.coach === "off" ? null : this.button("hint", say("hint"), () => this.hint(), { can: this.state.asked });
  }

  /** The buttons after the end of a deal. */
  endButtons() {
    return [
      this.button("next", say("next"), () => this.change("deal"), { main: true }),
      h("a", { class: "button", id: "review", href: `#/side/${this.key}/review` }, say("review")),
      this.state.can_undo ? this.undoButton() : null,
    ];
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
    const { version } = this.state;
    let state = null;
    let isDone = true;
    try {
      state = await this.request(act, { version, ...more });
    } catch (error) {
      isDone = false;
      this.isBusy = false;
      if (this.isClosed) return false;
      state = error.state ?? null;
      if (act !== "advance" || !state || state.version === version) this.failed(error); // else another tab was faster
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
      found = await this.request("hint", { version });
    } catch (error) {
      this.failed(error);
    }
    this.isBusy = false;
    if (this.isClosed) return;
    this.board.hinted(found && this.state.version === found.version ? found : null);
  }

  // Keys ---------------------------------------------------------------------------------------------------------------

  keyActOf(event, onControl) {
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    return this.board.keyAct(key, { onControl, event }) ?? this.keyAct(key, onControl);
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
}
