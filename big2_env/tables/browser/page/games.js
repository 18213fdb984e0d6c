// The person's own games: results against each opponent, and the latest games, each with its review.

import { Page, app, ask, h, points, say } from "./dom.js";
import { Review } from "./review.js";

export class Games extends Page {
  get title() {
    return say("own_games");
  }

  async open() {
    const { heads, games, tally } = await ask("games");
    if (this.isClosed) return;
    this.main.dataset.state = "games";
    this.main.replaceChildren(
      h(
        "div",
        { class: "own-games" },
        h("p", { class: "buttons" }, h("a", { class: "button", href: "#/" }, say("to_lobby"))),
        ...(games.length ? [tallied(heads, tally), listed(heads, games)] : [h("p", { class: "soft" }, say("own_games_none"))]),
      ),
    );
    this.titled();
  }
}

/** A table; columns are pairs of a head and whether it has numbers, and the first cell of a row names it. */
function tableOf(title, columns, rows) {
  const cell = (content, i) => h(i ? "td" : "th", { scope: i ? null : "row", class: columns[i][1] ? "number" : null, "data-label": columns[i][0] }, content);
  return h(
    "section",
    { class: "sheet" },
    h("h2", {}, title),
    h(
      "table",
      {},
      h("thead", {}, h("tr", {}, ...columns.map(([head, isNumber]) => h("th", { scope: "col", class: isNumber ? "number" : null }, head)))),
      h("tbody", {}, ...rows.map((row) => h("tr", {}, ...row.map(cell)))),
    ),
  );
}

const paid = (payoff) => (payoff === null ? "\u2013" : points(payoff));
const named = (names) => [...new Set(names)].map((name) => [names.filter((one) => one === name).length, name]).map(([count, name]) => (count > 1 ? `${count} × ${name}` : name)).join(", ") || "\u2013";

function tallied(heads, tally) {
  const columns = [[heads.game], [heads.opponents], [heads.games, true], [heads.wins, true], [heads.payoff, true], [heads.broken_off, true]];
  const rows = tally.map((one) => [one.title, named(one.opponents), String(one.games), String(one.wins), paid(one.payoff), String(one.broken_off)]);
  return tableOf(say("own_results"), columns, rows);
}

function listed(heads, games) {
  const columns = [[heads.game], [say("own_started")], [heads.opponents], [heads.acts, true], [heads.result, true]];
  const when = (text) => (Number.isNaN(Date.parse(text)) ? "\u2013" : new Date(text).toLocaleString(app.lang, { dateStyle: "medium", timeStyle: "short" }));
  const rows = games.map((one) => [
    one.file === null ? one.title : h("a", { href: `#/games/${one.file}` }, one.title),
    when(one.started),
    named(one.opponents),
    String(one.acts),
    one.payoff === null ? say("broken_off") : one.won ? h("strong", {}, paid(one.payoff)) : paid(one.payoff),
  ]);
  return tableOf(say("own_latest"), columns, rows);
}

/** The review of a game in the list. */
export class GameReview extends Review {
  back = "#/games";

  get title() {
    return say("own_games");
  }

  async load() {
    // The page of the game is all there is.
  }

  buttons() {
    return [];
  }

  ask(step) {
    return ask(`games/${this.key}/review`, { step });
  }
}
