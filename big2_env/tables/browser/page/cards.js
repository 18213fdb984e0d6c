// Cards, and the hand that one chooses from.

import { drawing, h, say, settings } from "./dom.js";

const SVG = "http://www.w3.org/2000/svg";

const SUITS = ["spade", "heart", "club", "diamond"];

/** The drawing of a card; without one, of its back. */
export function card(face, name = "") {
  const colours = settings.fourColours && SUITS.includes(face?.suit) ? "-4" : "";
  const id = face?.text ? ["b2", face.suit, face.rank.replace("+", "plus")].filter(Boolean).join("-") + colours : "b2-back";
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("viewBox", "0 0 100 140");
  svg.classList.add("card");
  if (name) {
    svg.setAttribute("role", "img");
    svg.setAttribute("aria-label", name);
  } else {
    svg.setAttribute("aria-hidden", "true");
  }
  const use = document.createElementNS(SVG, "use");
  use.setAttribute("href", `#${id}`);
  svg.append(use);
  return svg;
}

/** Cards that overlap; those that are open or lie on the table get as large as their place allows, and never hide an index. */
export function row(faces, className = "") {
  const cards = h("span", { class: `cards ${className}` }, ...faces.map((face) => h("span", {}, card(face, face.name))));
  cards.style.setProperty("--count", faces.length);
  return cards;
}

/** Backs that stand for so many cards. */
export function backs(count) {
  return h("span", { class: "cards backs", "aria-hidden": "true" }, ...Array.from({ length: count }, () => h("span", {}, card(null))));
}

const SWIPE = 8; // pixels from which a tap is a swipe
const DOUBLE = 300; // milliseconds between two taps that are one

/** The game's order by suit, and with most of a rank first; by rank is the game's order itself. */
const SORTS = {
  suit: (faces) => [...faces].sort((a, b) => SUITS.indexOf(a.suit) - SUITS.indexOf(b.suit)), // cards without one first
  pattern: (faces) => {
    const count = (face) => faces.filter((other) => other.rank === face.rank).length;
    const groups = [...new Set(faces.map((face) => face.rank))].map((rank) => faces.filter((face) => face.rank === rank));
    return groups.sort((a, b) => count(b[0]) - count(a[0])).flat();
  },
};

const CHECK = "M4 12l5 5L20 6";
const INDEX = 0.37; // of a card's width has its rank and suit
const FAN = 0.58; // of a card's width is seen where another lies on it
const NARROW = 25; // pixels of a card that a finger still meets
const LEAST = 46; // pixels of a card's width in a hand of many rows
const ROOMY = 74; // and of two rows
const LOW = 500; // pixels of a window's height that has no room for those

/** The person's hand: buttons that are pressed or not, one of which the keyboard stands on. */
export class Hand {
  constructor(onChange, onPlay) {
    this.element = h("div", { class: "hand", role: "group", "aria-label": say("your_hand"), "aria-describedby": "keys_plays" });
    this.onChange = onChange;
    this.onPlay = onPlay;
    this.faces = [];
    this.chosen = new Set();
    this.at = 0;
    this.swipe = null; // the card where a finger went down, and what was chosen then
    this.element.addEventListener("keydown", (event) => this.onKey(event));
    this.element.addEventListener("pointerdown", (event) => this.onDown(event));
    this.element.addEventListener("pointermove", (event) => this.onMove(event));
    this.element.addEventListener("pointerup", () => this.onUp(true));
    this.element.addEventListener("pointercancel", () => this.onUp(false));
    new ResizeObserver(() => this.layOut()).observe(this.element);
  }

  /** Show these cards; what was chosen stays chosen where it is still there. */
  show(given) {
    const wanted = this.texts();
    const faces = SORTS[settings.sort]?.(given) ?? given;
    const same = faces.length === this.faces.length && faces.every((face, i) => face.text === this.faces[i].text);
    this.faces = faces;
    if (!same) {
      this.swipe = null;
      this.chosen = this.find(wanted, true);
      this.at = Math.max(0, Math.min(this.at, faces.length - 1));
    }
    this.draw();
  }

  draw() {
    const focused = this.element.contains(document.activeElement);
    this.element.replaceChildren(
      ...this.faces.map((face, i) => {
        return h(
          "button",
          {
            type: "button",
            "aria-label": face.name,
            "aria-pressed": String(this.chosen.has(i)),
            tabindex: i === this.at ? "0" : "-1",
            "data-card": face.text,
            onclick: (event) => this.tap(i, event),
          },
          card(face),
          h("span", { class: "mark", "aria-hidden": "true" }, drawing(CHECK)),
        );
      }),
    );
    this.layOut();
    if (focused) this.element.children[this.at]?.focus();
  }

  /** Rows, and how far cards overlap in them, by the room there is. */
  layOut() {
    const count = this.faces.length;
    const wide = this.element.clientWidth;
    if (!count || !wide) return;
    this.element.style.removeProperty("--card");
    let card = parseFloat(getComputedStyle(this.element).gridAutoColumns);
    const rowsOf = () => Math.ceil(count / Math.max(1, Math.floor((wide - card) / Math.max(NARROW, card * INDEX)) + 1));
    if (rowsOf() > 1) {
      card = Math.max(rowsOf() > 2 || innerHeight < LOW ? LEAST : Math.min(card, ROOMY), card * 0.68);
      this.element.style.setProperty("--card", `${card}px`);
    }
    const rows = rowsOf();
    const inRow = Math.ceil(count / rows);
    const room = inRow > 1 ? (wide - card) / (inRow - 1) : card;
    const step = room >= card + 6 ? card + 6 : Math.min(room, rows > 1 ? card : card * FAN);
    this.element.classList.toggle("fan", step < card);
    this.element.style.setProperty("--grid", `repeat(${inRow - 1}, ${step}px) ${card}px`.replace(/^repeat\(0.*?\) /, ""));
    this.element.dataset.rows = rows;
    [...this.element.children].forEach((child, i) => {
      child.style.setProperty("grid-row", Math.floor(i / inRow) + 1);
      child.classList.toggle("end", i === count - 1 || i % inRow === inRow - 1);
    });
  }

  texts() {
    return [...this.chosen].sort((a, b) => a - b).map((i) => this.faces[i].text);
  }

  /** The places of cards by their texts; those that are not there are left out. */
  find(texts) {
    const found = new Set();
    for (const text of texts) {
      const i = this.faces.findIndex((face, place) => face.text === text && !found.has(place));
      if (i >= 0) found.add(i);
    }
    return found;
  }

  /** Choose these cards; with `follow` the keyboard stands on the first of them. */
  choose(texts, follow = false) {
    this.chosen = this.find(texts);
    if (follow && this.chosen.size) this.at = Math.min(...this.chosen);
    this.changed();
    if (follow) this.focus();
  }

  /** A tap toggles a card, a second one soon after plays what is chosen with it. */
  tap(i, event) {
    const isDouble = event.detail > 0 && this.tapped?.i === i && event.timeStamp - this.tapped.time < DOUBLE;
    this.tapped = { i, time: event.timeStamp };
    if (!isDouble) return this.toggle(i);
    if (!this.chosen.has(i)) this.toggle(i);
    this.onPlay();
  }

  toggle(i) {
    this.at = i;
    if (!this.chosen.delete(i)) this.chosen.add(i);
    this.changed();
  }

  clear() {
    this.choose([]);
  }

  /** One more card of a rank; after the last of them none. */
  chooseRank(rank) {
    const places = this.faces.flatMap((face, i) => (face.rank === rank ? [i] : []));
    if (!places.length) return;
    const next = places.find((i) => !this.chosen.has(i));
    if (next === undefined) places.forEach((i) => this.chosen.delete(i));
    else {
      this.chosen.add(next);
      this.at = next;
    }
    this.changed();
  }

  changed() {
    this.mark();
    this.onChange(this.texts());
  }

  mark() {
    [...this.element.children].forEach((child, i) => {
      child.setAttribute("aria-pressed", String(this.chosen.has(i)));
      child.setAttribute("tabindex", i === this.at ? "0" : "-1");
    });
  }

  // Swipes -------------------------------------------------------------------------------------------------------------

  /** The card at a place of the window: of its row the last one that begins left of it. */
  under({ clientX, clientY }) {
    const box = this.element.getBoundingClientRect();
    const x = clientX - box.left + this.element.offsetLeft;
    const y = clientY - box.top + this.element.offsetTop;
    const cards = [...this.element.children];
    const row = cards.reduce((top, card) => (card.offsetTop <= y ? card.offsetTop : top), cards[0]?.offsetTop);
    const inRow = cards.filter((card) => card.offsetTop === row);
    return cards.indexOf(inRow.findLast((card) => card.offsetLeft <= x) ?? inRow[0]);
  }

  onDown(event) {
    if (!event.isPrimary || event.button || !event.target.closest(".hand button")) return;
    const from = this.under(event);
    this.swipe = { from, x: event.clientX, chosen: new Set(this.chosen), adds: !this.chosen.has(from), isMoving: false };
  }

  /** Choose all cards from the first one to this one, or none of them if the first one was chosen before. */
  onMove(event) {
    const { swipe } = this;
    if (!swipe || !event.isPrimary) return;
    if (!event.buttons) {
      this.onUp(false); // released outside the hand
      return;
    }
    if (!swipe.isMoving) {
      if (Math.abs(event.clientX - swipe.x) < SWIPE || this.under(event) === swipe.from) return;
      swipe.isMoving = true;
      this.element.setPointerCapture(event.pointerId); // so that no card is tapped at the end
    }
    this.at = this.under(event);
    const [first, last] = [swipe.from, this.at].sort((a, b) => a - b);
    this.chosen = new Set(swipe.chosen);
    for (let i = first; i <= last; i++) swipe.adds ? this.chosen.add(i) : this.chosen.delete(i);
    this.mark();
  }

  /** A swipe is over; one that became a scroll changes nothing. */
  onUp(isDone) {
    const { swipe } = this;
    this.swipe = null;
    if (!swipe?.isMoving) return;
    if (!isDone) this.chosen = swipe.chosen;
    this.tapped = null;
    this.changed();
  }

  /** Stand on another card. */
  move(by) {
    this.at = Math.max(0, Math.min(this.faces.length - 1, this.at + by));
    this.focus();
  }

  focus() {
    [...this.element.children].forEach((child, i) => child.setAttribute("tabindex", i === this.at ? "0" : "-1"));
    this.element.children[this.at]?.focus();
  }

  onKey(event) {
    if (event.key !== "Enter" || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault(); // a button would be pressed
    event.stopPropagation();
    this.onPlay();
  }
}

/** A hand from which nothing is chosen. */
export class ShownHand extends Hand {
  constructor() {
    super(
      () => {},
      () => {},
    );
  }

  draw() {
    this.element.setAttribute("aria-label", say("watch_hand"));
    this.element.removeAttribute("aria-describedby");
    this.element.replaceChildren(...this.faces.map((face) => h("span", { "data-card": face.text }, card(face, face.name))));
    this.layOut();
  }

  onKey() {}
  onDown() {}
  onMove() {}
  onUp() {}
}
