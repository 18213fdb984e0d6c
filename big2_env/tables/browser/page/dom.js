// What every part of the page uses: elements, texts, settings, requests.

import { send } from "./transport.js";

/** The server's words and what it offers, once they are there. */
export const app = { words: {}, lang: "", languages: null, lobby: null, shared: null };

const SVG = "http://www.w3.org/2000/svg";
const BOOLEAN = new Set(["hidden", "disabled", "checked", "selected", "open", "required"]);

/** An element with attributes (`onclick` and the like are listeners; `null` leaves one out) and children. */
export function h(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (BOOLEAN.has(name)) element[name] = value;
    else element.setAttribute(name, value);
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== ""));
  return element;
}

/** A small drawing of one path in a box of 24 x 24. */
export function drawing(path) {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("aria-hidden", "true");
  svg.classList.add("drawing");
  const shape = document.createElementNS(SVG, "path");
  shape.setAttribute("d", path);
  svg.append(shape);
  return svg;
}

/** A control with its label. */
export const field = (id, label, control) => h("div", { class: "field" }, h("label", { for: id }, label), control);

export const byId = (id) => document.getElementById(id);

/** A text of the page in the person's language. */
export function say(key, fields = {}) {
  const text = app.words[key] ?? key;
  return text.replace(/\{(\w+)\}/g, (whole, name) => fields[name] ?? whole);
}

/** An act that does not begin again while it goes on, so that a second click does no harm. */
export function once(act) {
  let isBusy = false;
  return async (...given) => {
    if (isBusy) return;
    isBusy = true;
    try {
      await act(...given);
    } finally {
      isBusy = false;
    }
  };
}

const SUITS = { C: ["♣", "club"], D: ["♦", "diamond"], H: ["♥", "heart"], S: ["♠", "spade"] };

/** A line with cards in notation, `H[10]`, shown as rank and suit. */
export function line(text) {
  const parts = [];
  for (const part of text.split(/([CDHS]\[\w+\]\*?|\b[LB]J\b)/)) {
    const card = /^([CDHS])\[(\w+)\]/.exec(part);
    if (card) parts.push(h("span", { class: `inline ${SUITS[card[1]][1]}` }, `${card[2]}${SUITS[card[1]][0]}\uFE0E`));
    else if (part === "LJ" || part === "BJ") parts.push(h("span", { class: "inline" }, say(part === "LJ" ? "little_joker" : "big_joker")));
    else if (part) parts.push(part);
  }
  return parts;
}

/** A payoff or value as text, with thirds as fractions. */
export function points(value) {
  const thirds = Math.round(Math.abs(value) * 3);
  if (thirds % 3 && Math.abs(Math.abs(value) * 3 - thirds) < 1e-6) {
    return `${value < 0 ? "\u2212" : "+"}${Math.floor(thirds / 3) || ""}${["", "⅓", "⅔"][thirds % 3]}`;
  }
  const rounded = Math.round(value * 1000) / 1000 || 0;
  return rounded > 0 ? `+${rounded}` : `${rounded}`.replace("-", "\u2212");
}

/** Names with how often each occurs, in the order of their first. */
export function counted(names) {
  const counts = new Map();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts].map(([name, count]) => (count > 1 ? `${count} × ${name}` : name)).join(", ");
}

// Settings stay in the browser.

const KEPT = "big2";
export const PACES = { at_once: 0, fast: 350, normal: 900, slow: 1800 };
export const COACHES = ["off", "hints", "warn"];
export const SORTED_BY = ["rank", "suit", "pattern"];
const DEFAULTS = { lang: null, pace: "normal", coach: "hints", fourColours: false, sounds: false, sort: "rank", setup: {}, name: "", clock: 0 };

/** What the browser keeps now, also by other tabs. */
export function kept() {
  try {
    const found = JSON.parse(localStorage.getItem(KEPT) ?? "{}");
    return found && typeof found === "object" ? found : {};
  } catch {
    return {}; // a browser that keeps nothing, or something else under that name: the defaults will do
  }
}

export const settings = { ...DEFAULTS, ...kept() };

/** Change settings, and nothing else of what other tabs have kept meanwhile. */
export function keep(changes) {
  Object.assign(settings, changes);
  try {
    localStorage.setItem(KEPT, JSON.stringify({ ...kept(), ...changes }));
  } catch {
    // Then it is gone after a reload.
  }
}

export const GONE = 410; // the status where a table was, but is no more

/** What a request failed with. */
export class Failed extends Error {
  constructor(status, code, message, state) {
    super(message);
    Object.assign(this, { status, code, state });
  }
}

/** Ask whoever answers; an object asks for something to be done. */
export async function ask(path, body) {
  let answer;
  try {
    answer = await send(path, body, settings.lang);
  } catch {
    throw new Failed(0, "offline", say("offline"));
  }
  const { status, data } = answer;
  if (status >= 400) throw new Failed(status, data.error, data.message, data.state);
  return data;
}

let hiding = 0;

/** A line that says what went wrong, or what others have done; it goes by itself. */
export function complain(text) {
  const box = byId("message");
  clearTimeout(hiding);
  box.replaceChildren(...line(text));
  box.hidden = false;
  hiding = setTimeout(() => (box.hidden = true), 7000);
}

/** What is shown at an address: a table, a list, or anything else in the main part of the page. */
export class Page {
  constructor(main, key, { titled, gone }) {
    Object.assign(this, { main, key, titled, gone, state: null, isClosed: false });
  }

  get title() {
    return this.state?.scene.title;
  }

  close() {
    this.isClosed = true;
  }

  /** Draw the cards as the settings say now, if there are any. */
  recolour() {}

  onKey(event) {
    if (event.key === "Escape" && !event.defaultPrevented) location.hash = "/";
  }

  /** Say what went wrong. */
  failed(error) {
    if (!(error instanceof Failed)) throw error;
    if (error.status === GONE) this.gone(error);
    else complain(error.message);
  }
}

/** The button of the rules of a game, whose name a function returns. */
export const rulesButton = (game) => h("button", { type: "button", id: "rules", onclick: () => showRules(game()) }, say("rules"));

/** A game's rules in words, over the page; Esc or the button closes them. */
async function showRules(game) {
  let page;
  try {
    page = await ask(`rules/${game}`);
  } catch (error) {
    complain(error.message);
    return;
  }
  const close = h("button", { type: "button", class: "main", onclick: () => dialog.close() }, say("close"));
  const part = ({ title, lines }) => h("section", {}, h("h3", {}, title), h("ul", {}, ...lines.map((text) => h("li", {}, ...line(text)))));
  const dialog = h("dialog", { class: "sheet rules", "aria-labelledby": "rules-title", onclose: () => dialog.remove() },
    h("div", { class: "top" }, h("h2", { id: "rules-title" }, page.title), close),
    h("div", { class: "scroll", tabindex: "0" }, ...page.sections.map(part), page.others ? h("p", {}, h("a", { href: page.others, target: "_blank" }, say("house_rules"))) : null),
  );
  document.body.append(dialog);
  dialog.showModal();
}
