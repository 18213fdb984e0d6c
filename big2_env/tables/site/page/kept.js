// The tables of this browser, as texts: in its local storage, or for as long as the page is open where there is none.

import { complain, say } from "./dom.js";
import { MOST_TABLES } from "./site.js";

const START = "big2/table/";
const unkept = new Map();

/** A table's text by its name; nothing where there is none. */
export const keptTable = (key) => unkept.get(key) ?? read(key)?.text;

/** Names and texts of all tables, the one played at last first. */
export function allKept() {
  const kept = names().map((key) => [key, read(key)]).filter(([key, found]) => found && !unkept.has(key));
  kept.sort(([, a], [, b]) => b.at - a.at);
  return [...[...unkept].reverse(), ...kept.map(([key, { text }]) => [key, text])];
}

/** Keep a table; those that were not played at for longest make room. */
export function keepTable(key, text) {
  for (;;) {
    try {
      localStorage.setItem(START + key, JSON.stringify({ at: Date.now(), text }));
      unkept.delete(key);
      break;
    } catch {
      if (!drop(key)) {
        if (!unkept.has(key)) complain(say("not_kept"));
        unkept.set(key, text);
        return;
      }
    }
  }
  while (names().length > MOST_TABLES && drop(key));
}

/** Give up the oldest table but this one; false where there is none. */
function drop(but) {
  const [oldest] = allKept().filter(([key]) => key !== but && !unkept.has(key)).slice(-1);
  if (oldest) localStorage.removeItem(START + oldest[0]);
  return Boolean(oldest);
}

function names() {
  try {
    return Object.keys(localStorage).filter((name) => name.startsWith(START)).map((name) => name.slice(START.length));
  } catch {
    return [];
  }
}

function read(key) {
  try {
    const { at, text } = JSON.parse(localStorage.getItem(START + key));
    return { at: Number(at), text: String(text) };
  } catch {
    return null;
  }
}
