// One table: what lies there, what one may do, and the opponents' acts one at a time.

import { row } from "./cards.js";
import { confirmed } from "./dialogs.js";
import { Failed, GONE, ask, byId, complain, h, line, say, settings } from "./dom.js";
import { KEYS, keyAct, walk } from "./keys.js";
import { actOf, adviceParts, areasOf, headOf, meOf, others, resultOf, rolesOf, seatPanel } from "./seats.js";
import { showChange } from "./motion.js";
import { keepDeal } from "./deals.js";
import { answerAt, keepDecisions } from "./today.js";
import { TableView } from "./view.js";

const COMPASS = matchMedia("(min-width: 700px) and (min-height: 560px)"); // room for seats around the table
const SLOW = 3000; // after so many milliseconds it is said why an agent may take long

export class Table extends TableView {
  constructor(main, key, options) {
    super(main, key, options);
    this.look = null;
    this.advice = null;
    this.past = {};
    this.judging = null; // the version of the table whose game is judged
    this.looks = 0;
    this.lastRank = "";
    this.plays = null; // the legal plays as lists of cards, once they are asked for
    this.isLeaving = false; // whether Tab leaves the hand
  }

  build(state) {
    this.hand = this.newHand(
      (texts) => this.onChosen(texts),
      () => this.playChosen(),
    );
    this.hand.element.addEventListener("focusin", ({ relatedTarget }) => {
      if (relatedTarget && !this.hand.element.contains(relatedTarget)) this.isLeaving = false;
    });
    this.parts = Object.fromEntries(["centre", "person", "look", "advice", "result", "moments", "buttons", "scores"].map((name) => [name, h("div", { class: name })]));
    this.parts.others = h("ol", { class: "others", "aria-label": say("seats") });
    for (const name of ["look", "result", "moments"]) this.parts[name].setAttribute("role", "status");
    this.parts.centre.setAttribute("aria-label", say("on_table"));
    this.parts.centre.setAttribute("role", "region");
    this.own = h("div", { class: "own seat at-s" }, this.parts.person, this.parts.look, this.parts.advice, this.parts.result, this.hand.element, this.parts.buttons, this.parts.moments);
    this.lay(h("div", { class: "felt" }, h("div", { class: "seats" }, this.parts.others, this.parts.centre, this.own)), this.parts.scores, state);
    this.look = this.advice = null;
    this.arrange = () => this.drawPlaces();
    COMPASS.addEventListener("change", this.arrange);
    this.accept(state);
  }

  keys({ linked }) {
    return linked ? KEYS.map(([key, text]) => [key, text === "keys_next" ? "deal_compare" : text]) : KEYS;
  }

  close() {
    super.close();
    COMPASS.removeEventListener("change", this.arrange);
  }

  /** Take over a state of the table, draw it, and let an opponent move if one is to. */
  accept(state) {
    const before = this.state;
    if (before && state.scene.seats.every((seat) => !seat.act)) {
      if (before.deal === state.deal && state.scene.ply > before.scene.ply) {
        this.past = Object.fromEntries(before.scene.seats.map((seat) => [seat.seat, seat.act ?? this.past[seat.seat] ?? null]));
      }
    } else {
      this.past = {};
    }
    if (before && (before.deal !== state.deal || state.scene.ply < before.scene.ply)) this.past = {};
    if (before?.version !== state.version) this.advice = this.plays = null;
    this.state = state;
    this.tabs?.tell(state);
    this.draw();
    showChange(this, before, state);
    this.onChosen(this.hand.texts());
    this.goOn();
    if (state.scene.is_over) this.judge();
    if (state.linked) keepDeal(this.key, state);
    this.titled();
  }

  /** Fill in costliest decision, best move and turning point of a game that is over, as soon as they are known. */
  async judge() {
    const { version } = this.state;
    if (this.judging === version) return;
    this.judging = version;
    let found = { done: 0, of: 1 };
    while (found.done < found.of && !found.waiting) {
      if (this.isClosed || this.isBusy || this.state.version !== version) {
        this.judging = null;
        return;
      }
      try {
        found = await ask(`${this.path}/review`, { version, step: 1 });
      } catch (error) {
        if (!(error instanceof Failed)) throw error;
        return; // then there is nothing to say
      }
      if (this.isClosed || this.state.version !== version) return;
      const { text, costs, best, turn } = found.moves;
      this.drawMoments([costs.length ? { ply: costs[0].ply, text } : null, best, turn].filter(Boolean));
      keepDecisions(this.state, found);
    }
  }

  drawMoments(known) {
    const text = JSON.stringify(known);
    if (this.parts.moments.dataset.known === text) return; // so that nothing is announced twice
    this.parts.moments.dataset.known = text;
    this.parts.moments.replaceChildren(...known.map((one) => h("a", { href: one.ply === undefined ? null : `#/table/${this.key}/review/${one.ply}` }, ...line(one.text.replace(/-(?=\d)/g, "\u2212")))));
  }

  /** Draw the cards as the settings say now. */
  recolour() {
    if (!this.state) return; // nothing is drawn yet
    this.draw();
    this.onChosen(this.hand.texts());
  }

  draw() {
    if (!this.state || !this.parts) return;
    const { scene } = this.state;
    const me = meOf(scene);
    const roles = rolesOf(scene, this.state.landlord);
    this.parts.others.replaceChildren(...others(scene).map(([seat, place]) => seatPanel(seat, place, { past: this.past[seat.seat], roles })));
    this.parts.centre.replaceChildren(...[areasOf(scene), actOf(me, " at-s", this.past[me.seat])].filter(Boolean));
    this.parts.person.replaceChildren(headOf(me, roles, { counted: scene.viewer === null }));
    this.own.classList.toggle("turn", me.is_turn);
    this.drawPlaces();
    this.hand.show(me.hand ?? []);
    this.parts.result.replaceChildren(...(scene.is_over ? [resultOf(scene)] : []));
    if (!scene.is_over) this.drawMoments(answerAt(this.key, scene.ply));
    this.drawScores();
    this.drawEvents();
    this.drawButtons();
    this.drawAdvice();
    this.main.dataset.state = scene.is_over ? "over" : this.state.asked ? "asked" : "waiting";
    this.main.dataset.version = this.state.version;
  }

  /** Seats around the table where there is room, else in rows. */
  drawPlaces() {
    const count = this.state.scene.seats.length;
    const isCompass = COMPASS.matches && count <= 4;
    this.felt.className = `felt ${isCompass ? "compass" : "rows"}`;
    this.felt.toggleAttribute("data-many", count > 4);
  }

  // What one may do ----------------------------------------------------------------------------------------------------

  drawButtons() {
    const { state } = this;
    const button = (...given) => this.button(...given);
    const hint = this.hintButton();
    const undo = this.undoButton();
    let buttons;
    if (state.scene.is_over) buttons = this.endButtons();
    else if (state.bidding) {
      const best = this.advice?.advice[0]; // without a hint no call is pushed
      const calls = state.calls.map((call) => button(call.word, call.words, () => this.change("say", { word: call.word }), { main: best?.word === call.word }));
      buttons = [
        ...calls,
        button("pass", state.decline, () => this.change("play", { cards: [] }), { can: state.can_pass, main: best?.kind === "pass" }),
        hint,
        undo,
      ];
    } else {
      const chosen = this.hand.chosen.size > 0;
      const best = this.advice?.advice[0];
      buttons = [
        button("play", say("play"), () => this.play(), { main: true, can: state.asked && chosen && Boolean(this.look?.legal) }),
        button("pass", say("pass"), () => this.pass(), { can: state.can_pass, main: best?.kind === "pass" }),
        hint,
        button("clear", say("clear"), () => this.hand.clear(), { can: chosen }),
        undo,
      ];
    }
    this.put(this.parts.buttons, buttons);
  }

  /** Where a deal by its name is compared with others. */
  get comparison() {
    const { game, name } = this.state.linked;
    return `#/deal/${game}/${name}`;
  }

  /** After the end of a deal: the next one, or what a deal by its name is played for. */
  next() {
    if (this.state.linked) location.hash = this.comparison;
    else this.change("deal");
  }

  /** The buttons after the end of a deal. */
  endButtons() {
    const { linked } = this.state;
    return [
      linked
        ? h("a", { class: "button main", id: "compare", href: this.comparison }, say("deal_compare"))
        : this.button("next", say("next"), () => this.next(), { main: true }),
      h("a", { class: "button", id: "review", href: `#/table/${this.key}/review` }, say("review")),
      this.undoButton(),
    ];
  }

  giveUpButton() {
    return this.state.linked ? "" : super.giveUpButton();
  }

  onChosen(texts) {
    if (texts.length) this.isLeaving = false;
    this.looking = this.lookAt(texts);
  }

  /** Say what the chosen cards are. Of several questions under way only the last one's answer counts. */
  async lookAt(texts) {
    const { state } = this;
    const number = ++this.looks;
    this.look = null;
    if (!texts.length || state.scene.is_over || state.bidding) {
      this.drawLook();
      this.drawButtons();
      return;
    }
    try {
      const found = await this.request("look", { cards: texts });
      if (number !== this.looks || this.isClosed) return;
      this.look = found;
    } catch (error) {
      this.failed(error);
    }
    this.drawLook();
    this.drawButtons();
  }

  drawLook() {
    const { state, look } = this;
    const { scene } = state;
    let parts;
    let kind = "";
    if (scene.is_over) parts = [];
    else if (look && look.legal) {
      kind = state.asked && !look.readings.length ? "good" : "";
      if (look.readings.length) parts = [say("which"), ...this.readings()];
      else parts = line(say(state.asked ? "can_play" : "fits_now", { play: look.words }));
    } else if (look) {
      kind = "bad";
      parts = line(look.words);
    } else parts = [h("span", { id: "status" }, ...line(scene.status))];
    const mark = { good: "✓", bad: "✗" }[kind];
    this.parts.look.className = `look ${kind}`;
    this.parts.look.replaceChildren(...(mark ? [h("span", { class: "sign", "aria-hidden": "true" }, mark)] : []), h("span", { class: "said" }, ...parts));
  }

  readings() {
    return this.look.readings.map((one, i) =>
      h(
        "button",
        { type: "button", class: "reading", "aria-label": say("play_as", { play: `${one.words}: ${one.cards.map((face) => face.name).join(", ")}` }), onclick: () => this.play(i) },
        row(one.cards, "small"),
        one.words,
      ),
    );
  }

  /** Play the chosen cards once it is known what they are. */
  async playChosen() {
    const wanted = this.hand.texts().join();
    await this.looking;
    if (!this.isClosed && this.hand.texts().join() === wanted) this.play();
  }

  play(reading = null) {
    const { state, look } = this;
    const cards = this.hand.texts();
    if (!state.asked || state.bidding || !cards.length || this.isBusy) return;
    if (look && !look.legal) {
      complain(look.words);
      return;
    }
    if (look?.readings.length && reading === null) {
      this.parts.look.querySelector("button.reading")?.focus();
      return;
    }
    this.change("play", reading === null ? { cards } : { cards, reading });
  }

  pass() {
    if (this.state.can_pass) this.change("play", { cards: [] });
  }

  // Asking the server --------------------------------------------------------------------------------------------------

  changed(act) {
    if (act === "play" || act === "deal") this.hand.chosen.clear();
  }

  unchanged() {
    this.drawButtons();
    if (this.state.scene.is_over) this.judge();
  }

  /** Before a blunder, ask once, if the person wants that. A coach that fails is not heard. */
  async isSure(act, more) {
    if (settings.coach !== "warn" || !["play", "say"].includes(act)) return true;
    let warning = "";
    try {
      ({ warning } = await ask(`${this.path}/check`, { version: this.state.version, ...more }));
    } catch (error) {
      if (!(error instanceof Failed)) throw error;
    }
    if (this.isClosed) return false;
    return !warning || confirmed(say("coach"), warning, say("coach_anyway"), say("coach_again"));
  }

  /** Let an opponent move. */
  async advance() {
    const slow = setTimeout(() => this.parts.look.append(h("span", { class: "soft" }, say("compiling"))), SLOW);
    const { version } = this.state;
    try {
      this.acceptNewer(await this.request("advance", { version }));
    } catch (error) {
      if (this.isClosed || this.isBusy) return;
      if (error.state && error.state.version !== version) this.acceptNewer(error.state);
      else this.failed(error, () => this.accept(this.state));
    } finally {
      clearTimeout(slow);
    }
  }

  /** Say what went wrong; with something to do about it, as a button. */
  failed(error, again = null) {
    super.failed(error);
    if (again && error.status !== GONE) this.parts.look.replaceChildren(...line(error.message), " ", h("button", { type: "button", onclick: again }, say("again")));
  }

  hinting() {
    this.parts.advice.replaceChildren(h("p", { class: "soft" }, say("hint_thinking")));
    this.drawButtons();
  }

  hinted(found) {
    this.advice = found ?? this.advice;
    const best = found?.advice[0];
    if (best?.kind === "play") this.hand.choose(best.cards.map((face) => face.text));
    this.drawAdvice();
    this.drawButtons();
  }

  drawAdvice() {
    const choose = (one) => {
      if (one.kind === "play") this.hand.choose(one.cards.map((face) => face.text));
      else byId(one.word ?? "pass")?.focus();
    };
    this.parts.advice.replaceChildren(...(this.advice ? adviceParts(this.advice, choose) : []));
  }

  /** Ask for the legal plays, and then do what Tab does; where there are none, it leaves the hand. */
  async loadPlays(by) {
    const { version } = this.state;
    try {
      const { plays } = await this.request("plays", { version });
      if (this.isClosed || this.state.version !== version) return;
      this.plays = plays;
    } catch (error) {
      this.failed(error);
      return;
    }
    const act = walk(this, by) ?? (() => this.parts.buttons.querySelector("button")?.focus());
    act();
  }

  // Keys ---------------------------------------------------------------------------------------------------------------

  keyActOf(event, onControl) {
    return keyAct(this, event, onControl && !this.hand.element.contains(event.target));
  }
}
