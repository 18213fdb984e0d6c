// The board of UNO: the other seats, both piles with the color in force, and the hand.

import { card } from "./cards.js";
import { h, line, say } from "./dom.js";
import { handAct } from "./keys.js";
import { headOf, meOf, others, resultOf, seatPanel } from "./seats.js";

const COLOURS = ["red", "yellow", "blue", "green"];
const LETTERS = "RYBG";
const STILL = matchMedia("(prefers-reduced-motion: reduce)");

export class UnoBoard {
  constructor(table) {
    this.table = table;
    this.wild = null; // a wild card whose color is being named
    this.advice = "";
    this.hand = table.newHand((texts) => this.onChosen(texts), () => this.play());
    this.parts = Object.fromEntries(["person", "look", "advice", "result", "buttons"].map((name) => [name, h("div", { class: name })]));
    for (const name of ["look", "result"]) this.parts[name].setAttribute("role", "status");
    this.others = h("ol", { class: "others", "aria-label": say("seats") });
    this.centre = h("div", { class: "centre", role: "region", "aria-label": say("on_table") });
    this.own = h("div", { class: "own seat" }, this.parts.person, this.parts.look, this.parts.advice, this.parts.result, this.hand.element, this.parts.buttons);
    this.element = h("div", { class: "seats" }, this.others, this.centre, this.own);
  }

  get state() {
    return this.table.state;
  }

  draw(state, before) {
    const { scene, drawing } = state;
    const me = meOf(scene);
    if (before?.version !== state.version) {
      this.wild = null;
      this.advice = "";
    }
    this.table.felt?.classList.add("rows");
    this.table.felt?.toggleAttribute("data-many", scene.seats.length > 4);
    this.others.replaceChildren(...others(scene).map(([seat]) => seatPanel(seat, "")));
    this.drawCentre(scene, drawing, before);
    this.parts.person.replaceChildren(headOf(me));
    for (const [seat, head] of [...others(scene).map(([seat], i) => [seat, this.others.children[i].querySelector(".head")]), [me, this.parts.person.firstElementChild]]) {
      if (seat.count === 1 && !scene.is_over) head.append(h("span", { class: "label uno-call" }, say("side.last_card")));
    }
    this.own.classList.toggle("turn", me.is_turn);
    const isNew = before?.version !== state.version;
    if (isNew) this.hand.chosen.clear();
    this.hand.show(me.hand ?? []);
    if (isNew && drawing.drawn && state.asked) this.hand.choose([drawing.drawn]);
    this.parts.result.replaceChildren(...(scene.is_over ? [resultOf(scene)] : []));
    this.drawOwn();
  }

  drawCentre(scene, drawing, before) {
    const [pile, discards] = ["draw_pile", "discards"].map((key) => scene.areas.find((area) => area.key === key));
    const top = discards.cards[0];
    const shown = h("span", { class: "discard" }, card(top, top.name));
    const left = h("span", { class: "left" }, String(pile.count));
    const canDraw = Boolean(this.passing());
    const draw = h(
      "button",
      { type: "button", id: "pile", "aria-label": `${say("side.draw")} (${say("side.pile_left", { count: pile.count })})`, "aria-disabled": String(!canDraw), onclick: () => this.pass() },
      card(null),
      left,
    );
    const colour = say(`side.${drawing.colour}`);
    const arrow = h("span", { class: "arrow", role: "img", "aria-label": scene.facts[1] ?? "" }, drawing.direction === 1 ? "→" : "←");
    this.centre.replaceChildren(
      draw,
      shown,
      h("p", { class: "force" }, h("span", { class: `swatch ${drawing.colour}`, "aria-hidden": "true" }), h("span", {}, say("side.colour_now", { colour })), arrow),
    );
    if (before && before.scene.ply !== scene.ply && !STILL.matches) {
      shown.animate([{ opacity: 0.3, transform: "translateY(-24px) scale(0.9)" }, { opacity: 1, transform: "none" }], { duration: 180, easing: "ease-out" });
    }
  }

  /** Draw what depends on the chosen card. */
  drawOwn() {
    const { state } = this;
    const fitting = new Set(state.moves.map((move) => move.text.split(" ")[0]));
    const isPlaying = state.asked && !state.drawing.naming;
    [...this.hand.element.children].forEach((button) => button.classList.toggle("unfit", isPlaying && !fitting.has(button.dataset.card)));
    this.drawLook();
    this.parts.advice.replaceChildren(...(this.advice ? [h("p", {}, ...line(this.advice))] : []));
    const { table } = this;
    const moves = this.movesOf(this.chosen());
    const passing = this.passing();
    let buttons;
    if (state.scene.is_over) buttons = table.endButtons();
    else if (table.isWatching) buttons = [];
    else {
      buttons = [
        table.button("play", say("play"), () => this.play(), { main: true, can: isPlaying && moves.length > 0 }),
        table.button("draw", say(passing === "keep" ? "side.keep" : "side.draw"), () => this.pass(), { can: Boolean(passing) }),
        table.hintButton(),
        table.undoButton(),
      ];
      if (this.namingCard() !== null) {
        buttons = [...COLOURS.map((name, i) => table.button(`colour-${i + 1}`, say(`side.${name}`), () => this.name(i), { kind: `colour ${name}` })), ...buttons.slice(2)];
      }
    }
    table.put(this.parts.buttons, buttons);
  }

  drawLook() {
    const { state } = this;
    const { scene } = state;
    const face = this.hand.faces[[...this.hand.chosen][0]];
    let text = scene.status;
    let kind = "";
    if (this.namingCard() !== null) text = say("side.pick_colour");
    else if (face && state.asked) {
      kind = this.movesOf(face.text).length ? "good" : "bad";
      text = say(kind === "good" ? "side.can_play" : "side.no_fit", { card: face.name });
    } else if (state.asked) text = say("side.two_sentences", { first: scene.status, second: say(state.moves.some((move) => move.cards.length) ? "side.choose_card" : "side.nothing_fits") });
    if (scene.is_over) text = "";
    const mark = { good: "✓", bad: "✗" }[kind];
    this.parts.look.className = `look ${kind}`;
    this.parts.look.replaceChildren(...(mark ? [h("span", { class: "sign", "aria-hidden": "true" }, mark)] : []), h("span", { class: "said", id: "status" }, text));
  }

  // Choosing and playing -----------------------------------------------------------------------------------------------

  chosen() {
    return this.hand.texts()[0] ?? null;
  }

  movesOf(text) {
    return text === null ? [] : this.state.moves.filter((move) => move.text.split(" ")[0] === text);
  }

  /** The move without a card: "draw", "keep", or nothing. */
  passing() {
    return this.state.moves.find((move) => !move.cards.length)?.text ?? null;
  }

  /** The wild card whose color is to be named now. */
  namingCard() {
    return this.wild ?? (this.state.asked && this.state.drawing.naming ? this.state.moves[0].text.split(" ")[0] : null);
  }

  onChosen() {
    if (this.hand.chosen.size > 1) {
      this.hand.chosen = new Set([this.hand.at]);
      this.hand.changed();
      return;
    }
    this.wild = null;
    this.drawOwn();
  }

  play() {
    const moves = this.movesOf(this.chosen());
    if (!this.state.asked || this.state.drawing.naming || !moves.length || this.table.isBusy) return;
    if (moves.length === 1) this.table.move(moves[0].text);
    else {
      this.wild = this.chosen();
      this.drawOwn();
      this.parts.buttons.firstElementChild.focus();
    }
  }

  name(number) {
    const wild = this.namingCard();
    if (wild !== null) this.table.move(`${wild} ${LETTERS[number]}`);
  }

  pass() {
    const text = this.passing();
    if (text) this.table.move(text);
  }

  hinting() {
    this.advice = say("hint_thinking");
    this.drawOwn();
  }

  hinted(found) {
    const best = this.state.moves.find((move) => move.text === found?.moves[0]);
    const words = best?.cards.length ? best.words : say(best?.text === "keep" ? "side.keep" : "side.draw");
    this.advice = best ? say("side.hint_is", { move: words }) : "";
    const text = found?.moves[0]?.split(" ")[0] ?? null;
    if (text && this.hand.faces.some((face) => face.text === text)) this.hand.choose([text]);
    this.drawOwn();
  }

  // Keys ---------------------------------------------------------------------------------------------------------------

  keyAct(key, { onControl }) {
    const { state, hand } = this;
    const isInHand = hand.element.contains(document.activeElement);
    if (state.scene.is_over) return null;
    if (this.namingCard() !== null && /^[1-4]$/.test(key)) return () => this.name(Number(key) - 1);
    switch (key) {
      case "Escape":
        return () => hand.clear();
      case "Enter":
        return onControl && !isInHand ? null : () => this.play();
      case " ":
        return onControl ? null : () => hand.focus();
      case "f":
        return () => this.next();
      case "d":
      case "p":
        return () => this.pass();
      default:
        return handAct(hand, key);
    }
  }

  /** Choose the next card that fits. */
  next() {
    const { hand } = this;
    const places = hand.faces.flatMap((face, i) => (this.movesOf(face.text).length ? [i] : []));
    if (!places.length) return;
    const now = [...hand.chosen][0] ?? -1;
    hand.at = places.find((i) => i > now) ?? places[0];
    hand.chosen = new Set([hand.at]);
    hand.changed();
  }

  keys() {
    return [
      ["← →", "keys_cards"],
      [say("key_space"), "keys_select"],
      ["F", "side.keys_next_card"],
      [say("key_enter"), "keys_play"],
      ["D", "side.keys_draw"],
      ["1 … 4", "side.keys_colour"],
      [say("key_escape"), "keys_clear"],
      ["H", "keys_hint"],
    ];
  }
}
