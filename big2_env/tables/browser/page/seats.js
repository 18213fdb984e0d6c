// What lies on a table, drawn from a scene: seats, their plays, areas, and the result of a game.

import { backs, row } from "./cards.js";
import { drawing, h, line, points, say } from "./dom.js";

const PLACES = { 2: ["n"], 3: ["e", "w"], 4: ["e", "n", "w"] };
const CROWN = "M3 18h18v3H3zM3 16 2 6l5.5 4L12 3l4.5 7L22 6l-1 10z";
const PARTNERS = "M8 4a4 4 0 1 1 0 8 4 4 0 0 1 0-8m8 0a4 4 0 1 1 0 8 4 4 0 0 1 0-8M1 21c0-5 3-7 7-7 1.5 0 2.8.3 4 .9 1.2-.6 2.5-.9 4-.9 4 0 7 2 7 7z";

/** The seat that is shown nearest: the viewer's, for spectators the first. */
export const meOf = (scene) => scene.seats[scene.viewer ?? 0];

/** The seats after the viewer's, in the order in which they move, with their places around the table. */
export function others(scene) {
  const count = scene.seats.length;
  const viewer = scene.viewer ?? 0;
  return Array.from({ length: count - 1 }, (_, i) => [scene.seats[(viewer + 1 + i) % count], PLACES[count]?.[i] ?? ""]);
}

/** An opponent's seat and its play. `past` is what it did in the trick before, shown while nothing lies there. */
export function seatPanel(seat, place, { past = null, roles = {} } = {}) {
  const at = place ? ` at-${place}` : "";
  return h(
    "li",
    { class: "place", "data-seat": seat.seat },
    h("div", { class: `seat${at}${seat.is_turn ? " turn" : ""}${seat.count <= 1 ? " last" : ""}` }, headOf(seat, roles), held(seat)),
    actOf(seat, at, past),
  );
}

/** A seat's name and what is to be known of it. `roles` are landlord and partners by seat. */
export function headOf(seat, roles = {}, { counted = true } = {}) {
  const role = roles[seat.seat];
  const labels = seat.labels.filter((label) => label !== role?.text && !(seat.act?.kind === "pass" && label === say("passed")));
  return h(
    "div",
    { class: "head" },
    h("span", { class: "name" }, seat.name),
    counted ? h("span", { class: "count", "data-count": seat.count }, say(seat.count === 1 ? "card" : "cards", { count: seat.count })) : null,
    role ? h("span", { class: `label role ${role.kind}` }, drawing(role.kind === "landlord" ? CROWN : PARTNERS), role.text) : null,
    ...labels.map((label) => h("span", { class: "label" }, label)),
    seat.is_turn ? h("span", { class: "now" }, `▸ ${say("turn")}`) : null,
  );
}

/** Who the landlord is, and who plays with the viewer against the landlord. */
export function rolesOf(scene, landlord) {
  if (landlord === null) return {};
  const kinds = scene.seats.map(({ seat, is_viewer: isViewer }) => {
    if (seat === landlord) return [seat, { kind: "landlord", text: say("landlord") }];
    return [landlord, null].includes(scene.viewer) || isViewer ? null : [seat, { kind: "partner", text: say("partner") }];
  });
  return Object.fromEntries(kinds.filter(Boolean));
}

function held(seat) {
  return seat.hand ? row(seat.hand, "open") : backs(seat.count);
}

/** A seat's play or call, in front of it. */
export function actOf(seat, at, past = null) {
  const act = seat.act ?? past;
  if (!act) return h("div", { class: `act${at}` });
  const isTop = Boolean(seat.act?.is_top);
  const isToBeat = isTop && seat.payoff === null;
  const faded = !seat.act;
  const words = h("span", { class: act.cards.length ? "words" : `words said ${act.kind}` }, isToBeat ? `${act.words} · ${say("to_beat")}` : act.words);
  return h("div", { class: `act${at}${isTop ? " top" : ""}${faded ? " past" : ""}`, "aria-hidden": faded ? "true" : null }, words, act.cards.length ? row(act.cards) : null);
}

/** Piles, cards on the side and facts. */
export function areasOf(scene) {
  if (!scene.areas.length && !scene.facts.length) return null;
  const areas = scene.areas.map((area) =>
    h("div", { class: "area" }, h("span", {}, `${area.label} (${area.count})`), area.cards.length ? row(area.cards) : area.count ? backs(Math.min(area.count, 3)) : null),
  );
  return h("div", { class: "areas" }, ...areas, ...scene.facts.map((fact) => h("span", { class: "fact" }, fact)));
}

/** The end of a game: place, payment and cards left of every seat, the best first. */
export function resultOf(scene) {
  const seats = [...scene.seats].sort((a, b) => b.payoff - a.payoff || a.count - b.count);
  const place = (seat) => 1 + seats.filter((other) => other.payoff > seat.payoff).length;
  const heads = [["result_place", "number"], ["result_player", ""], ["result_cards", "number"], ["result_paid", "number"]];
  const line_of = (seat) =>
    h(
      "tr",
      { class: seat.is_viewer ? "mine" : null },
      h("td", { class: "number" }, String(place(seat))),
      h("th", { scope: "row" }, seat.name),
      h("td", { class: "number" }, String(seat.count)),
      h("td", { class: "number" }, h("span", { class: "paid" }, points(seat.payoff))),
    );
  return h(
    "section",
    { class: `result${scene.viewer !== null && meOf(scene).payoff > 0 ? " won" : ""}`, "aria-labelledby": "status" },
    h("h2", { class: "status", id: "status" }, ...line(scene.status)),
    h(
      "table",
      {},
      h("thead", {}, h("tr", {}, ...heads.map(([name, kind]) => h("th", { scope: "col", class: kind || null }, say(name))))),
      h("tbody", {}, ...seats.map(line_of)),
    ),
  );
}

/** What an adviser would do, the best first, with a sentence each; `choose`, if any, is called with the one that is clicked. */
export function adviceParts({ adviser, advice }, choose) {
  const entry = (one) =>
    h(
      "li",
      {},
      h(choose ? "button" : "span", choose ? { type: "button", onclick: () => choose(one) } : { class: "suggested" }, one.cards.length ? row(one.cards, "small") : null, one.words),
      h("span", { class: "soft why" }, ...line(one.why)),
    );
  const counted = advice.filter((one) => one.numbers.length);
  const named = (one) => [one.words, ...one.cards.map((face) => face.text)].join(" ");
  const numbers = counted.map((one) => h("p", {}, ...line([named(one), ...one.numbers].join(" · "))));
  return [
    h("h2", {}, say("advice", { name: adviser })),
    h("ol", {}, ...advice.map(entry)),
    counted.length ? h("details", { class: "numbers soft" }, h("summary", {}, say("numbers")), ...numbers) : null,
  ].filter(Boolean);
}
