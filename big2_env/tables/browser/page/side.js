// A table of a side game: what all of them share. Each game has a module that draws its board.

import { h, say } from "./dom.js";
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

  goOn() {
    super.goOn();
    this.again.replaceChildren();
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

  hinting() {
    this.board.hinting?.();
  }

  hinted(found) {
    this.board.hinted(found);
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
