// What pages show of every table: its events and scores, buttons and keys, and how it stands in other tabs.

import { PACES, Page, app, ask, byId, h, line, points, say, settings } from "./dom.js";
import { confirmed } from "./dialogs.js";
import { Hand } from "./cards.js";
import { keyList } from "./keys.js";
import { recordLink } from "./transport.js";

const PATIENCE = 2000; // milliseconds for which a tab lets another one ask for the next move

/** The tabs of a browser that show the same table: each shows what another has changed. */
class Tabs {
  constructor(table) {
    this.channel = new BroadcastChannel(`big2-${table.path}`);
    this.channel.onmessage = ({ data }) => data > (table.state?.version ?? data) && table.catchUp();
  }

  tell({ version }) {
    this.channel.postMessage(version);
  }

  close() {
    this.channel.close();
  }
}

export class TableView extends Page {
  isBusy = false;
  timer = 0;

  /** Where the server answers questions about this table. */
  get path() {
    return `tables/${this.key}`;
  }

  newHand(onChange, onPlay) {
    return new Hand(onChange, onPlay);
  }

  /** Ask where the table stands and draw it; also after the language changed. */
  async open() {
    const state = await this.request();
    if (this.isClosed) return;
    this.tabs = new Tabs(this);
    this.build(state);
  }

  close() {
    super.close();
    this.tabs?.close();
    clearTimeout(this.timer);
  }

  /** Put the felt on the page, and next to it scores, events and keys. */
  lay(felt, scores, state) {
    this.felt = felt;
    this.scores = scores;
    this.events = h("ol", { class: "events", "aria-live": "polite", "aria-relevant": "additions", "aria-label": say("events"), tabindex: "0" });
    const log = h("details", { class: "log", open: innerWidth > 900 }, h("summary", {}, say("events")), this.events);
    this.main.replaceChildren(h("div", { class: "table" }, felt, h("aside", {}, scores, log, this.keysHelp(state))));
    this.shown = [];
  }

  // What is asked of the server ----------------------------------------------------------------------------------------

  /** Ask for the state of the table, or for something to be done. */
  request(act, body) {
    return ask(act ? `${this.path}/${act}` : this.path, body);
  }

  /** Show what another tab has changed, unless this one changes the table too and will hear of it. */
  async catchUp() {
    if (this.isBusy || this.isClosed) return;
    try {
      this.acceptNewer(await this.request());
    } catch (error) {
      if (!this.isClosed) this.failed(error);
      return;
    }
    clearTimeout(this.timer);
    if (!this.isClosed) this.timer = setTimeout(() => this.goOn(), PATIENCE);
  }

  acceptNewer(state) {
    if (!this.isBusy && !this.isClosed && state.version > this.state.version) this.accept(state);
  }

  /** Ask for a change, and give whether it was made. */
  async change(act, more = {}) {
    if (this.isBusy) return false;
    this.isBusy = true;
    clearTimeout(this.timer);
    const { version } = this.state;
    let state = null;
    let failure = null;
    try {
      if (await this.isSure(act, more)) state = await this.request(act, { version: this.state.version, ...more });
    } catch (error) {
      failure = error;
      state = error.state ?? null;
    }
    this.isBusy = false;
    if (failure && !this.isClosed && (act !== "advance" || !state || state.version === version)) this.failed(failure); // else another tab was faster
    if (this.isClosed) return false;
    if (state) {
      this.changed(act);
      this.accept(state);
    } else this.unchanged();
    return Boolean(state) && !failure;
  }

  async isSure() {
    return true;
  }

  changed() {}

  unchanged() {
    this.draw();
  }

  /** Let another player move after a pause. */
  goOn() {
    clearTimeout(this.timer);
    if (this.state.waiting) this.timer = setTimeout(() => this.advance(), PACES[settings.pace] ?? PACES.normal);
  }

  async hint() {
    if (!this.state.asked || this.isBusy || settings.coach === "off") return;
    this.isBusy = true;
    this.hinting();
    const { version } = this.state;
    const found = await this.request("hint", { version }).catch((error) => this.failed(error));
    this.isBusy = false;
    if (!this.isClosed) this.hinted(found && this.state.version === found.version ? found : null);
  }

  // What is drawn ------------------------------------------------------------------------------------------------------

  scoreRows({ scene }) {
    return scene.seats.map((seat) => [seat.name, points(seat.score ?? 0)]);
  }

  drawScores() {
    const { scene, deal } = this.state;
    if (this.scores.contains(document.activeElement)) this.main.focus();
    this.scores.replaceChildren(
      h("h2", {}, say("scores"), " ", h("span", { class: "soft" }, say("deal_number", { number: deal + 1 }))),
      h("dl", {}, ...this.scoreRows(this.state).flatMap(([name, value]) => [h("dt", {}, name), h("dd", {}, value)])),
      scene.is_over ? this.more() : this.giveUpButton(),
    );
  }

  /** What few people want of a deal that is over: its record, and its seed as a link to the same deal if that is the person's hand. */
  more() {
    const { scene, seed, linked } = this.state;
    const text = say("seed_was", { seed });
    const game = app.lobby?.games.find(({ name }) => name === scene.game);
    const isDeal = !linked && scene.viewer === 0 && "landlord" in this.state && scene.seats.length === game?.default;
    return h(
      "details",
      { class: "more" },
      h("summary", {}, say("more")),
      h("p", { class: "buttons" }, h("a", { class: "button", ...recordLink(this.path) }, say("record"))),
      isDeal ? h("a", { class: "seed", href: `#/deal/${scene.game}/${seed}`, title: say("deal_about") }, text) : h("span", { class: "soft seed" }, text),
    );
  }

  written(text) {
    return line(text);
  }

  drawEvents() {
    const { events } = this.state.scene;
    const isMore = this.shown.every((text, i) => events[i] === text);
    if (!isMore) {
      this.events.replaceChildren();
      this.shown = [];
    }
    this.events.append(...events.slice(this.shown.length).map((text) => h("li", {}, ...this.written(text))));
    this.shown = events;
    this.events.scrollTop = this.events.scrollHeight;
  }

  // What one may do ----------------------------------------------------------------------------------------------------

  button(id, text, onclick, { main = false, can = true, kind = "" } = {}) {
    const act = () => can && !this.isBusy && onclick();
    return h("button", { type: "button", id, class: main ? "main" : kind || null, "aria-disabled": String(!can || this.isBusy), onclick: act }, text);
  }

  hintButton() {
    return settings.coach === "off" ? null : this.button("hint", say("hint"), () => this.hint(), { can: this.state.asked });
  }

  undoButton() {
    return this.button("undo", say("undo"), () => this.change("undo"), { can: this.state.can_undo });
  }

  giveUpButton() {
    const onclick = async () => {
      const { deal, scene } = this.state;
      const isSure = scene.ply === 0 || (await confirmed(say("give_up"), say("give_up_sure"), say("give_up"), say("resume")));
      if (isSure && this.state.deal === deal && !this.state.scene.is_over) this.change("deal"); // others may have moved meanwhile
    };
    return h("button", { type: "button", id: "give-up", class: "quiet", onclick }, say("give_up"));
  }

  /** Replace buttons; the keyboard stays on the one that it was on. */
  put(place, buttons) {
    const focused = place.contains(document.activeElement) ? document.activeElement.id : null;
    place.replaceChildren(...buttons.filter(Boolean));
    if (focused) (byId(focused)?.focus ? byId(focused) : place.firstElementChild)?.focus();
  }

  // Keys ---------------------------------------------------------------------------------------------------------------

  onKey(event) {
    if (!this.state || event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    if (event.target.closest("input, select, textarea, summary, details.menu")) return;
    const act = this.keyActOf(event, Boolean(event.target.closest("button, a")));
    if (!act) return;
    event.preventDefault();
    act();
  }

  keysHelp(state) {
    return keyList(this.keys(state));
  }
}
