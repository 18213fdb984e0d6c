// What keys do at a table.

import { h, say } from "./dom.js";

const RANKS = { 0: "10", 1: "10", t: "10", a: "A", j: "J", q: "Q", k: "K", l: "LJ", b: "BJ" };

/** What a key that moves within a hand does, as a function; `null` for any other key. */
export function handAct(hand, key) {
  const step = hand.element.contains(document.activeElement) ? 1 : 0;
  switch (key) {
    case "ArrowLeft":
      return () => hand.move(-step);
    case "ArrowRight":
      return () => hand.move(step);
    case "Home":
      return () => hand.move(-1000);
    case "End":
      return () => hand.move(1000);
    default:
      return null;
  }
}

/** What a key does at a table, as a function; `null` for a key that does nothing there. */
export function keyAct(table, event, onControl) {
  const { state, hand } = table;
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  const isInHand = hand.element.contains(document.activeElement);
  switch (key) {
    case "Tab":
      return isInHand ? walk(table, event.shiftKey ? -1 : 1) : null;
    case "Escape":
      return () => {
        table.isLeaving = true;
        hand.clear();
      };
    case "Enter":
      return onControl ? null : () => (state.scene.is_over ? table.next() : table.play());
    case " ":
      return onControl || isInHand ? null : () => hand.focus();
    case "p":
      return () => table.pass();
    case "h":
      return () => table.hint();
    case "u":
      return () => state.can_undo && table.change("undo");
    case "n":
      return () => state.scene.is_over && table.next();
    default:
      return handAct(hand, key) ?? rankAct(table, key);
  }
}

/** Tab in the hand selects one legal play after the other. It leaves the hand at both ends, and after Escape. */
export function walk(table, by) {
  const { state, hand, plays } = table;
  const chosen = hand.texts().sort().join();
  if (table.isLeaving || !state.asked || state.bidding || (by < 0 && !chosen)) return null;
  if (!plays) return () => table.loadPlays(by);
  const next = plays.findIndex((texts) => [...texts].sort().join() === chosen) + by;
  if (next >= plays.length) return null;
  return () => hand.choose(plays[next] ?? [], true);
}

/** A rank chooses a card, a number in an auction bids. */
function rankAct(table, key) {
  const { state } = table;
  if (state.bidding) {
    const call = state.calls.find((one) => one.word === `bid_${key}`);
    return call ? () => table.change("say", { word: call.word }) : null;
  }
  const isRest = key === "0" && table.lastRank === "1"; // the 0 of a 10 whose 1 was typed
  table.lastRank = key;
  if (isRest) return () => {};
  const rank = RANKS[key] ?? (/^[2-9]$/.test(key) ? key : null);
  return rank ? () => table.hand.chooseRank(rank) : null;
}

/** The keys of a table, with the names of texts about them. */
export const KEYS = [
  ["← →", "keys_cards"],
  ["key_space", "keys_select"],
  ["3 … 9 10 J Q K A 2", "keys_ranks"],
  ["Tab", "keys_plays"],
  ["key_enter", "keys_play"],
  ["P", "keys_pass"],
  ["key_escape", "keys_clear"],
  ["H", "keys_hint"],
  ["U", "keys_undo"],
  ["N", "keys_next"],
];

/** Keys with the names of texts about them, folded up. */
export function keyList(keys) {
  const rows = keys.flatMap(([key, text]) => [h("dt", {}, h("kbd", {}, say(key))), h("dd", { id: text }, say(text))]);
  return h("details", { class: "keys" }, h("summary", {}, say("keys")), h("dl", {}, ...rows));
}
