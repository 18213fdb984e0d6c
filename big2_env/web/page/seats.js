// What lies on a table, drawn from a scene: seats, areas, what has to be beaten. The table and the review share it.

import { backs, row } from "./cards.js";
import { h, line, points, say } from "./dom.js";

/** The seats after the viewer's, in the order in which they move. */
export function others(scene) {
  const count = scene.seats.length;
  const viewer = scene.viewer ?? 0;
  return Array.from({ length: count - 1 }, (_, i) => scene.seats[(viewer + 1 + i) % count]);
}

/** A seat's panel. `past` is what it did in the trick before, shown while nothing lies there. */
export function seatPanel(seat, { past = null, tag = "li", isPerson = false } = {}) {
  const act = seat.act ?? past;
  const isTop = Boolean(seat.act?.is_top) && seat.payoff === null; // nothing has to be beaten any more once it is over
  const faded = !seat.act && past;
  return h(
    tag,
    { class: `seat${seat.is_turn ? " turn" : ""}${isTop ? " top" : ""}${isPerson ? " person" : ""}`, "data-seat": seat.seat },
    h(
      "div",
      { class: "who" },
      h("span", { class: "name" }, seat.name),
      seat.is_turn ? h("span", { class: "label now" }, say("turn")) : null,
      ...seat.labels.map((label) => h("span", { class: "label" }, label)),
      seat.payoff === null ? null : h("span", { class: "label paid" }, points(seat.payoff)),
    ),
    isPerson ? null : held(seat),
    h("div", { class: `act${faded ? " past" : ""}`, "aria-hidden": faded ? "true" : null }, ...(act ? actParts(act, isTop) : [])),
  );
}

function held(seat) {
  const count = h("span", { class: "count", title: String(seat.count) }, String(seat.count));
  if (seat.hand) return h("div", { class: "held open" }, row(seat.hand, "small"));
  return h("div", { class: "held" }, count, backs(Math.min(seat.count, 20)));
}

function actParts(act, isTop) {
  const words = h("span", { class: `words ${act.kind}` }, act.words);
  const cards = act.cards.length ? row(act.cards, "small") : null;
  return [cards, words, isTop ? h("span", { class: "label beat" }, say("to_beat")) : null];
}

/** The middle of the table: piles and facts, the play to beat in full size, the line of who is to move. */
export function centre(scene) {
  const top = scene.seats.find((seat) => seat.act?.is_top);
  const areas = scene.areas.map((area) =>
    h(
      "div",
      { class: "area" },
      h("span", { class: "soft" }, `${area.label} (${area.count})`),
      area.cards.length ? row(area.cards, "small") : area.count ? backs(Math.min(area.count, 3)) : null,
    ),
  );
  return [
    areas.length || scene.facts.length
      ? h("div", { class: "areas" }, ...areas, ...scene.facts.map((fact) => h("span", { class: "fact soft" }, fact)))
      : null,
    top?.act && !scene.is_over
      ? h("div", { class: "onTable" }, row(top.act.cards), h("p", {}, h("strong", {}, top.act.words), " ", h("span", { class: "soft" }, say("by", { name: top.name }))))
      : h("div", { class: "onTable empty" }),
    h("p", { class: "status", id: "status" }, ...line(scene.status)),
  ];
}

/** What an adviser would do, the best first; `choose` is called with the one that is clicked. */
export function adviceParts({ adviser, advice }, choose) {
  const entry = (one) =>
    h(
      "li",
      {},
      h("button", { type: "button", onclick: () => choose(one) }, one.cards.length ? row(one.cards, "small") : null, one.words),
      h("span", { class: "soft" }, one.reasons.join(" · ")),
    );
  return [h("h2", {}, say("advice", { name: adviser })), h("ol", {}, ...advice.map(entry))];
}
