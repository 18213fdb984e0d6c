// What spectators may do: take a free seat, ask for a hand and end it; and who sees whose hand.

import { h, say, settings } from "./dom.js";

/** The names of the spectators who see the hand of a seat, in a sentence; an empty text if there are none. */
export function seenBy({ watching }, seat) {
  const names = watching.filter((one) => one.seat === seat).map(({ name }) => name);
  return names.length ? say("friends.seen_by", { names: names.join(say("friends.and")) }) : "";
}

/** Who sees whose hand, and what the person may do about it. `room` sends it to the server. */
export function sightParts(shared, room) {
  const { sight } = shared;
  const nameOf = (seat) => shared.seats[seat].name;
  const button = (id, text, act, body) => h("button", { type: "button", id, class: "quiet", onclick: () => room.send(act, body) }, text);
  const lines = shared.watching.map((one) => h("p", { class: "soft sees" }, say("friends.sees", { name: one.name, other: nameOf(one.seat) })));
  const hiding = shared.watching.filter((one) => one.number !== null).map((one) => button(`hide-${one.number}`, say("friends.hide_from", { name: one.name }), "show", { number: one.number, yes: 0 }));
  if (sight && !sight.allowed) lines.push(h("p", { class: "soft sees" }, say("friends.sight_waits", { name: nameOf(sight.seat) })));
  const asking = shared.sights.filter((seat) => seat !== sight?.seat).map((seat) => button(`watch-${seat}`, say("friends.watch_hand", { name: nameOf(seat) }), "sight", { seat }));
  const ending = sight ? [button("watch-none", say(sight.allowed ? "friends.sight_end" : "friends.sight_cancel"), "sight", { seat: null })] : [];
  const sitting = shared.can_sit ? [button("sit", say("friends.join"), "join", { invite: shared.invite, name: settings.name })] : [];
  const acts = [...sitting, ...hiding, ...ending, ...asking];
  return [...lines, acts.length ? h("div", { class: "buttons" }, ...acts) : ""];
}
