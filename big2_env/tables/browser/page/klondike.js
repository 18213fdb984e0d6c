// The board of Klondike: cards are dragged, or tapped and put down; two taps send a card to the first place that takes it.

import { card } from "./cards.js";
import { Failed, ask, h, say, settings } from "./dom.js";

const DOUBLE = 400; // milliseconds between two taps that are one
const FAR = 7; // pixels that a finger moves before it drags
const GAP = 4; // pixels between piles at least
const WIDEST = 98; // pixels of a card
const SOON = 200; // milliseconds before the chance is asked for
const RISE = 60; // milliseconds for each card that goes up at the end
const DOWN_STEP = 0.17; // of a card's width is seen of a card that lies face down
const UP_STEP = 0.46; // and face up
const LEAST_STEP = 0.34; // where a pile is long
const STILL = matchMedia("(prefers-reduced-motion: reduce)");
const SUITS = ["club", "diamond", "heart", "spade"];
const SIGNS = { C: ["♣", "club"], D: ["♦", "diamond"], H: ["♥", "heart"], S: ["♠", "spade"] };
const RANKS = ["A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K"];
const COURT = ["J", "Q", "K"]; // whose suit is in that corner anyway
const CARD = /^(10|[2-9ATJQK])([CDHS])$/;

/** A card in notation, as rank and suit. */
function signed(text) {
  const [, rank, suit] = CARD.exec(text);
  return h("span", { class: `inline ${SIGNS[suit][1]}` }, `${rank === "T" ? "10" : rank}${SIGNS[suit][0]}\uFE0E`);
}

export class KlondikeBoard {
  constructor(table) {
    this.table = table;
    this.taken = null; // text of the card that was picked up
    this.focus = "stock"; // where the keyboard stands
    this.advice = [];
    this.finishing = 0;
    this.asking = 0;
    this.top = h("div", { class: "top" });
    this.piles = h("div", { class: "piles" });
    this.look = h("div", { class: "look", role: "status" });
    this.chance = h("div", { class: "chance", hidden: true }, h("meter", { min: "0", max: "100", value: "0", "aria-label": say("side.chance") }), h("span", {}));
    this.buttons = h("div", { class: "buttons" });
    this.field = h("div", { class: "field", role: "region", "aria-label": say("on_table") }, this.top, this.piles);
    this.element = h("div", { class: "board" }, this.field, h("div", { class: "own seat" }, this.look, this.chance, this.buttons));
    for (const type of ["pointerdown", "pointermove", "pointerup", "pointercancel"]) this.field.addEventListener(type, (event) => this[type](event));
    this.field.addEventListener("click", (event) => this.click(event));
    this.watcher = new ResizeObserver(() => this.layOut());
    this.watcher.observe(this.field);
  }

  close() {
    this.watcher.disconnect();
    clearTimeout(this.finishing);
    clearTimeout(this.asking);
  }

  get state() {
    return this.table.state;
  }

  area(key) {
    return this.state.scene.areas.find((area) => area.key === key);
  }

  draw(state, before) {
    if (before?.version !== state.version) {
      this.taken = null;
      this.advice = [];
      this.version = state.version;
      this.measure();
    } else if (this.coach !== settings.coach) this.measure();
    this.coach = settings.coach;
    clearTimeout(this.finishing);
    this.areas = Object.fromEntries(state.scene.areas.map((area) => [area.key, { cards: [...area.cards], count: area.count }]));
    this.drawField();
    this.drawRest();
    if (state.drawing.won && before && !before.scene.is_over) this.finish();
    else if (state.drawing.won) this.allUp();
  }

  // Drawing ------------------------------------------------------------------------------------------------------------

  /** A button on which a card lies, or an empty place. */
  spot(key, face, { label, col, row, className = "" }) {
    const attributes = { type: "button", class: `spot ${face ? "" : "empty"} ${className}`, "data-spot": key, "data-col": col, "data-row": row, tabindex: "-1", "aria-label": [face?.text && face.name, label].filter(Boolean).join(", ") };
    if (face?.text) {
      attributes["data-card"] = face.text;
      attributes["aria-pressed"] = String(this.taken === face.text);
    }
    return h("button", attributes, face ? card(face) : null);
  }

  drawField() {
    const isInside = this.field.contains(document.activeElement);
    const { stock, waste } = this.areas;
    const label = (key) => this.area(key).label;
    const left = this.spot("stock", stock.count ? { text: "" } : null, { label: `${say("side.deal")} (${say("side.area_count", { name: label("stock"), count: stock.count })})`, col: 0, row: -1, className: "stock" });
    if (!stock.count && waste.count) left.append(h("span", { class: "again", "aria-hidden": "true" }, "↻"));
    left.append(h("span", { class: "left", "aria-hidden": "true" }, String(stock.count)));
    const shown = waste.cards.map((face, i) => this.spot("waste", face, { col: 1 + i * 0.4, row: -1 }));
    const dealt = h("div", { class: "waste" }, ...(shown.length ? shown : [this.spot("waste", null, { label: label("waste"), col: 1, row: -1 })]));
    const homes = SUITS.map((suit, i) => {
      const key = `foundation_${i}`;
      const face = this.areas[key].cards[0] ?? null;
      const home = this.spot(key, face, { label: label(key), col: 3 + i, row: -1, className: "home-of" });
      if (!face) home.append(h("span", { class: `mark ${suit}`, "aria-hidden": "true" }, `${Object.values(SIGNS)[i][0]}\uFE0E`));
      return home;
    });
    this.top.replaceChildren(left, dealt, ...homes);
    const columns = Array.from({ length: 7 }, (_, i) => {
      const key = `pile_${i + 1}`;
      const { cards } = this.areas[key];
      const label = say("side.pile", { number: i + 1 });
      const parts = cards.map((face, row) => (face.text ? this.spot(key, face, { label, col: i, row }) : h("span", { class: "spot down" }, card(null))));
      [...parts].forEach((part, row) => {
        const { suit, text, rank } = cards[row];
        if (text && !COURT.includes(rank) && row < cards.length - 1) part.append(h("span", { class: `corner ${suit}`, "aria-hidden": "true" }, `${SIGNS[text.slice(-1)][0]}\uFE0E`));
      });
      return h("div", { class: "pile", "data-spot": key }, ...(parts.length ? parts : [this.spot(key, null, { label, col: i, row: 0 })]));
    });
    this.piles.replaceChildren(...columns);
    this.mark();
    this.layOut();
    const here = this.standing();
    here.tabIndex = 0;
    if (isInside) here.focus({ preventScroll: true });
  }

  /** Show what is picked up, where it may go, and what a hint names. */
  mark() {
    const targets = new Set(this.taken ? this.movesOf(this.taken).map((move) => move.text.split(">")[1]) : []);
    const [hinted, to] = (this.advice[0] ?? "").split(">");
    for (const spot of this.field.querySelectorAll("button.spot")) {
      const { card: text } = spot.dataset;
      if (text) spot.setAttribute("aria-pressed", String(text === this.taken));
      const end = !spot.nextElementSibling || !spot.closest(".piles");
      const target = this.targetOf(spot);
      const isHome = target === "F" && spot.dataset.spot === this.homeOf(this.taken ?? "");
      spot.classList.toggle("target", end && target !== null && targets.has(target) && (target !== "F" || isHome));
      spot.classList.toggle("hinted", Boolean(hinted) && (text === hinted || (hinted === "deal" && spot.dataset.spot === "stock") || (end && to !== undefined && target === to && (to !== "F" || spot.dataset.spot === this.homeOf(hinted)))));
      const isRun = this.taken && spot.closest(".piles") && this.runOf(this.taken).includes(spot);
      spot.classList.toggle("taken", text === this.taken || Boolean(isRun));
    }
  }

  /** The width of a card, and how far cards of a pile lie apart, by the room there is. */
  layOut() {
    const wide = this.field.clientWidth;
    if (!wide) return;
    const k = Math.min((wide - 6 * GAP) / 7, WIDEST, Math.max(44, innerHeight * 0.13));
    const room = Math.max(innerHeight * 0.56, 260);
    const step = Math.min(UP_STEP, ...Object.entries(this.areas ?? {}).filter(([key]) => key.startsWith("pile")).map(([, { cards }]) => {
      const down = cards.filter((face) => !face.text).length;
      const up = cards.length - down - 1;
      return up > 0 ? (room / k - 1.4 - down * DOWN_STEP) / up : UP_STEP;
    }));
    this.field.style.setProperty("--k", `${k}px`);
    this.field.style.setProperty("--gap", `${Math.min(22, (wide - 7 * k) / 6)}px`);
    this.field.style.setProperty("--up", Math.max(LEAST_STEP, step));
    this.field.style.setProperty("--down", DOWN_STEP);
  }

  drawRest() {
    const { state, table } = this;
    const { scene } = state;
    let text = "";
    if (scene.is_over) text = scene.status;
    else if (this.advice.length) text = [say("hint"), ": ", ...this.written(this.advice[0])];
    else if (this.taken) text = [signed(this.taken), " → ?"];
    else text = say("side.klondike_choose");
    this.look.replaceChildren(h("span", { id: "status", class: "said" }, ...[text].flat()));
    this.look.className = `look ${scene.is_over && state.drawing.won ? "good" : ""}`;
    const up = state.moves.some((move) => move.text.endsWith(">F"));
    table.put(
      this.buttons,
      scene.is_over
        ? table.endButtons()
        : [
            table.button("deal", say("side.deal"), () => table.move("deal"), { main: true, can: state.moves.some((move) => move.text === "deal") }),
            table.button("auto", say("side.auto"), () => this.auto(), { can: up }),
            table.hintButton(),
            table.undoButton(),
          ],
    );
  }

  scoreRows(state) {
    return [
      [say("side.score"), String(state.drawing.score)],
      [say("side.moves"), String(state.scene.ply)],
    ];
  }

  /** A move in notation as parts of a line. */
  written(text) {
    const [from, to] = text.split(">");
    if (to === undefined) return [say("side.deal")];
    return [signed(from), " → ", to === "F" ? say("side.foundation") : say("side.pile", { number: to })];
  }

  // The chance ---------------------------------------------------------------------------------------------------------

  /** Ask for the chance to win, until it is known. */
  measure() {
    clearTimeout(this.asking);
    delete this.table.main.dataset.chance;
    this.chance.hidden = settings.coach === "off" || !this.state.asked;
    if (this.chance.hidden) {
      this.table.main.dataset.chance = "final";
      return;
    }
    this.chance.classList.add("old");
    this.asking = setTimeout(() => this.ask(this.version), SOON);
  }

  async ask(version) {
    const { table } = this;
    while (!table.isClosed && version === this.version) {
      let found = null;
      try {
        found = await ask(`tables/${table.key}/chance`, { version });
      } catch (error) {
        if (!(error instanceof Failed)) throw error;
        return;
      }
      if (table.isClosed || version !== this.version) return;
      if (found.version !== version) return;
      const [meter, text] = this.chance.children;
      meter.value = found.done ? (100 * found.won) / found.done : 0;
      text.textContent = say("side.chance_is", { won: found.won, done: found.done });
      this.chance.classList.toggle("old", false);
      if (found.final) {
        table.main.dataset.chance = "final";
        return;
      }
    }
  }

  // Moves --------------------------------------------------------------------------------------------------------------

  movesOf(text) {
    return this.state.moves.filter((move) => move.text.startsWith(`${text}>`));
  }

  /** Where a card goes that is put on a spot: the number of a pile, "F", or nowhere. */
  targetOf(element) {
    const key = element.closest("[data-spot]")?.dataset.spot ?? "";
    return key.startsWith("pile_") ? key.slice(5) : key.startsWith("foundation_") ? "F" : null;
  }

  homeOf(text) {
    const found = CARD.exec(text);
    return found ? `foundation_${"CDHS".indexOf(found[2])}` : "";
  }

  /** A card with those that lie on it. */
  runOf(text) {
    const first = this.field.querySelector(`[data-card="${text}"]`);
    if (!first?.closest(".piles")) return first ? [first] : [];
    const all = [...first.parentElement.children];
    return all.slice(all.indexOf(first));
  }

  take(text) {
    this.taken = text;
    this.advice = [];
    this.mark();
    this.drawRest();
  }

  /** Move a card to a place if that is legal. */
  put(text, target) {
    const move = `${text}>${target}`;
    if (!this.state.moves.some((one) => one.text === move)) return false;
    this.focusOn(text);
    this.table.move(move);
    return true;
  }

  /** To its foundation, else to the first pile that takes it. */
  best(text) {
    const moves = this.movesOf(text);
    const move = moves.find((one) => one.text.endsWith(">F")) ?? moves[0];
    if (!move) return;
    this.focusOn(text);
    this.table.move(move.text);
  }

  /** Everything up that goes up. */
  async auto() {
    const next = () => this.state.moves.find((move) => move.text.endsWith(">F"));
    while (!this.table.isClosed && next() && (await this.table.move(next().text)));
  }

  // The end: every card goes up ----------------------------------------------------------------------------------------

  /** The card that goes up next. */
  lowest() {
    const counts = SUITS.map((_, i) => this.areas[`foundation_${i}`].count);
    const least = Math.min(...counts);
    return least < 13 ? counts.indexOf(least) : -1;
  }

  raise(suit) {
    const home = this.areas[`foundation_${suit}`];
    const rank = RANKS[home.count];
    let face = { text: `${rank}${"CDHS"[suit]}`, rank, suit: SUITS[suit], name: `${rank}${Object.values(SIGNS)[suit][0]}` };
    const isIt = (one) => one.rank === rank && one.suit === face.suit;
    const from = Object.values(this.areas).find((area) => area !== home && area.cards.some(isIt));
    if (from) [face] = from.cards.splice(from.cards.findIndex(isIt), 1);
    else if (this.areas.stock.count) this.areas.stock.count -= 1;
    home.cards = [face];
    home.count += 1;
  }

  allUp() {
    for (let suit = this.lowest(); suit >= 0; suit = this.lowest()) this.raise(suit);
    Object.assign(this.areas.waste, { cards: [], count: 0 });
    this.areas.stock.count = 0;
    this.drawField();
    this.table.main.dataset.finished = this.version;
  }

  finish() {
    const suit = this.lowest();
    if (STILL.matches || suit < 0) {
      this.allUp();
      return;
    }
    this.raise(suit);
    this.drawField();
    this.finishing = setTimeout(() => this.finish(), RISE);
  }

  // Fingers and mouse --------------------------------------------------------------------------------------------------

  pointerdown(event) {
    const spot = event.target.closest("[data-card]");
    this.drag = null;
    this.isDragged = false;
    if (event.button !== 0 || !spot || this.table.isBusy || !this.movesOf(spot.dataset.card).length) return;
    this.drag = { text: spot.dataset.card, x: event.clientX, y: event.clientY, id: event.pointerId, ghost: null };
  }

  pointermove(event) {
    const { drag } = this;
    if (!drag || event.pointerId !== drag.id) return;
    const [x, y] = [event.clientX - drag.x, event.clientY - drag.y];
    if (!drag.ghost) {
      if (Math.hypot(x, y) < FAR) return;
      this.lift(drag);
      this.field.setPointerCapture(event.pointerId);
    }
    drag.ghost.style.setProperty("transform", `translate(${x}px, ${y}px)`);
  }

  /** Begin to drag: the cards follow the finger. */
  lift(drag) {
    const run = this.runOf(drag.text);
    this.take(drag.text);
    const base = this.field.getBoundingClientRect();
    drag.middle = run[0].getBoundingClientRect();
    drag.ghost = h("div", { class: "ghost", "aria-hidden": "true" }, ...run.map((one) => {
      const box = one.getBoundingClientRect();
      const copy = h("span", {}, one.querySelector("svg").cloneNode(true));
      copy.style.setProperty("left", `${box.left - base.left}px`);
      copy.style.setProperty("top", `${box.top - base.top}px`);
      return copy;
    }));
    this.field.append(drag.ghost);
    for (const one of run) one.classList.add("lifted");
  }

  pointerup(event) {
    const { drag } = this;
    if (!drag || event.pointerId !== drag.id) return;
    this.drag = null;
    if (!drag.ghost) return; // a tap, which is a click
    drag.ghost.remove();
    this.isDragged = true; // so the click that follows is no tap
    const [x, y] = [drag.middle.left + drag.middle.width / 2 + event.clientX - drag.x, drag.middle.top + 20 + event.clientY - drag.y];
    const place = this.placeAt(x, y);
    if (!place || !this.put(drag.text, place)) {
      this.taken = null;
      this.drawField();
      this.drawRest();
    }
  }

  pointercancel() {
    this.drag?.ghost?.remove();
    this.drag = null;
    this.taken = null;
    this.drawField();
    this.drawRest();
  }

  /** The pile or foundation under a point, or next to it. */
  placeAt(x, y) {
    const top = this.top.getBoundingClientRect();
    const isTop = y < top.bottom;
    const places = isTop ? [...this.top.querySelectorAll(".home-of")] : [...this.piles.children];
    const near = places.find((one) => {
      const box = one.getBoundingClientRect();
      return x >= box.left - GAP && x <= box.right + GAP;
    });
    return near ? this.targetOf(near) : null;
  }

  click(event) {
    const spot = event.target.closest("button.spot");
    if (!spot || this.table.isBusy || this.state.scene.is_over || (this.isDragged && event.detail > 0)) return;
    this.tap(spot, event.timeStamp);
  }

  tap(spot, time) {
    const { spot: key, card: text } = spot.dataset;
    this.stand(spot);
    if (key === "stock") {
      this.table.move("deal");
      return;
    }
    const isDouble = text && this.tapped?.text === text && time - this.tapped.time < DOUBLE;
    this.tapped = { text, time };
    if (isDouble && this.movesOf(text).length) {
      this.best(text);
      return;
    }
    if (this.taken && this.taken !== text) {
      const target = this.targetOf(spot);
      if (target && this.put(this.taken, target)) return;
    }
    const canTake = text && text !== this.taken && this.movesOf(text).length;
    this.take(canTake ? text : null);
  }

  hinting() {
    this.look.replaceChildren(h("span", { class: "said" }, say("hint_thinking")));
  }

  hinted(found) {
    this.taken = null;
    this.advice = found?.moves ?? [];
    this.mark();
    this.drawRest();
  }

  // Keys ---------------------------------------------------------------------------------------------------------------

  spots() {
    return [...this.field.querySelectorAll("button.spot")];
  }

  /** The button on which the keyboard stands. */
  standing() {
    const all = this.spots();
    return all.find((one) => one.dataset.card === this.focus) ?? all.find((one) => one.dataset.spot === this.focus) ?? all[0];
  }

  focusOn(text) {
    this.focus = text;
  }

  stand(spot) {
    this.standing().tabIndex = -1;
    this.focus = spot.dataset.card ?? spot.dataset.spot;
    spot.tabIndex = 0;
  }

  /** Stand on the next spot in a direction. */
  step(right, down) {
    const here = this.standing();
    if (!this.field.contains(document.activeElement)) {
      here.focus();
      return;
    }
    const at = (one) => [Number(one.dataset.col), Number(one.dataset.row)];
    const [col, row] = at(here);
    const far = (one) => {
      const [c, r] = at(one);
      return right ? Math.abs(c - col) * 100 + Math.abs(r - row) : Math.abs(r - row) + Math.abs(c - col) * (row < 0 || r < 0 ? 100 : 1e6);
    };
    const ahead = this.spots().filter((one) => {
      const [c, r] = at(one);
      if (right) return (c - col) * right > 0 && r < 0 === row < 0;
      return (r - row) * down > 0 && (r < 0 || row < 0 || c === col);
    });
    const next = ahead.sort((a, b) => far(a) - far(b))[0];
    if (!next) return;
    this.stand(next);
    next.focus();
  }

  keyAct(key, { onControl }) {
    const { state } = this;
    const isInField = this.field.contains(document.activeElement);
    if (state.scene.is_over) return null;
    const here = isInField ? document.activeElement.dataset.card : null;
    switch (key) {
      case "ArrowLeft":
        return () => this.step(-1, 0);
      case "ArrowRight":
        return () => this.step(1, 0);
      case "ArrowUp":
        return () => this.step(0, -1);
      case "ArrowDown":
        return () => this.step(0, 1);
      case "Escape":
        return () => this.take(null);
      case "Enter":
        return onControl && !isInField ? null : () => (here && !this.taken ? this.best(here) : this.tap(this.standing(), -1e9));
      case "d":
      case "p":
        return () => state.moves.some((move) => move.text === "deal") && this.table.move("deal");
      case "a":
        return () => this.auto();
      default: {
        const text = this.taken ?? here;
        return text && /^[0-7]$/.test(key) ? () => this.put(text, key === "0" ? "F" : key) : null;
      }
    }
  }

  keys() {
    return [
      ["← → ↑ ↓", "side.keys_move"],
      [say("key_space"), "side.keys_take"],
      [say("key_enter"), "side.keys_best"],
      ["1 … 7, 0", "side.keys_place"],
      ["D", "side.keys_deal"],
      ["A", "side.keys_auto"],
      [say("key_escape"), "keys_clear"],
      ["H", "keys_hint"],
    ];
  }
}
