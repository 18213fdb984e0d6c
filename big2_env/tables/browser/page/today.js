// What the first page opens with: a puzzle, the deals of the day, and own decisions that a review has marked.

import { keptDeal, streak, today } from "./deals.js";
import { Failed, app, ask, complain, h, once, say, settings } from "./dom.js";
import { isSolved } from "./puzzles.js";

const KEPT = "big2/decisions";
const MOST = 30; // decisions
const EACH = 3; // decisions of a game, the costliest
const SHOWN = 3;

// The queue of decisions ----------------------------------------------------------------------------------------------

function all() {
  try {
    const found = JSON.parse(localStorage.getItem(KEPT) ?? "[]");
    return Array.isArray(found) ? found : [];
  } catch {
    return [];
  }
}

function put(decisions) {
  try {
    localStorage.setItem(KEPT, JSON.stringify(decisions.slice(0, MOST)));
  } catch {
    // Then there are none on the first page.
  }
}

/** Keep the costliest decisions of a game that was judged, instead of those kept of it before. A game that began in the middle has none. */
export function keepDecisions({ scene, practice }, { moves, record }) {
  if (practice || !moves.costs.length) return;
  const known = all();
  const tried = (ply) => known.find((one) => one.record === record && one.ply === ply)?.tried;
  const found = moves.costs.slice(0, EACH).map(({ ply, text }) => ({ record, game: scene.game, ply, text, tried: tried(ply) }));
  put([...found, ...known.filter((one) => one.record !== record)]);
}

/** What was said about the decision that is tried again at a table, once it is made. */
export function answerAt(table, ply) {
  return all().filter((one) => one.tried === table && ply > one.ply).map(({ text }) => ({ text: say("decided", { text }) }));
}

async function tryAgain({ record, ply }) {
  try {
    const { table } = await ask("practice", { record, ply });
    put(all().map((one) => (one.record === record && one.ply === ply ? { ...one, tried: table } : one)));
    location.hash = `/table/${table}`;
  } catch (error) {
    if (!(error instanceof Failed)) throw error;
    complain(error.message);
  }
}

// The cards -----------------------------------------------------------------------------------------------------------

export function shownDay(name) {
  const [year, month, day] = name.split("-").map(Number);
  return new Date(year, month - 1, day).toLocaleDateString(app.lang, { dateStyle: "long" });
}

/** The puzzle of the day is of a game that the person plays, if it has puzzles. */
export function todayCards(game) {
  const { daily, games, puzzles } = app.lobby;
  const title = (name) => games.find((one) => one.name === name)?.title ?? name;
  const parts = (kind, name, line) => [h("span", { class: "soft" }, kind), h("span", { class: "title" }, title(name)), h("span", { class: "soft" }, line)];
  const link = (href, kind, ...given) => h("a", { class: "today-card", href, "data-kind": kind }, ...parts(...given));
  const puzzle = puzzles.includes(game) ? game : puzzles[0];
  const ofDay = `${puzzle}-${today()}`;
  const dealLine = (name) => {
    const days = streak(name);
    return [keptDeal(name, today())?.on ? `✓ ${say("deal_done")}` : say("deal_open"), days ? say("deal_streak", { count: days }) : ""].filter(Boolean).join(" · ");
  };
  const decisions = all().filter((one) => !one.tried).slice(0, SHOWN);
  return h(
    "section",
    { class: "today", "aria-labelledby": "today-title" },
    h("div", { class: "today-head" }, h("h2", { id: "today-title" }, say("today"), " ", h("span", { class: "soft" }, shownDay(today()))), h("a", { id: "puzzles", href: "#/puzzles" }, say("puzzles_all"))),
    h(
      "div",
      { class: "today-cards" },
      link(`#/puzzles/${ofDay}`, "puzzle", say("puzzle"), puzzle, isSolved(ofDay) ? `✓ ${say("puzzle_done")}` : say("puzzle_line")),
      ...daily.map(({ name }) => link(`#/deal/${name}/${today()}`, "deal", say("deal_today"), name, dealLine(name))),
      ...decisions.map((one) => h("button", { type: "button", class: "today-card", "data-kind": "decision", onclick: once(() => tryAgain(one)) }, ...parts(say("decision", { number: one.ply + 1 }), one.game, say("decide_again")))),
    ),
  );
}
