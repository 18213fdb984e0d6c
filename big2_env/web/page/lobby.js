// The first page: which game, against whom; and the tables that one has.

import { Failed, app, ask, complain, h, keep, points, say, settings, showRules } from "./dom.js";

const field = (id, label, control) => h("div", { class: "field" }, h("label", { for: id }, label), control);

const MAX_SEED = (1n << 64n) - 1n;

/** Let the browser refuse a seed of more than 64 bits. */
function checkSeed({ target }) {
  const isTooLarge = /^[0-9]+$/.test(target.value) && BigInt(target.value) > MAX_SEED;
  target.setCustomValidity(isTooLarge ? say("seed_most", { most: String(MAX_SEED) }) : "");
}

/** Draw it. */
export function showLobby(main) {
  const { games, agents, tables } = app.lobby;
  const last = settings.setup ?? {};
  const known = new Set(agents.map((agent) => agent.name));
  const chosen = { game: games.some((game) => game.name === last.game) ? last.game : "big2", players: last.players, opponents: last.opponents ?? [] };

  const select = (id, options, value, onchange) =>
    h("select", { id, onchange }, ...options.map(([name, text]) => h("option", { value: name, selected: String(name) === String(value) }, text)));
  const rules = () => games.find((game) => game.name === chosen.game);
  const rest = h("div", { class: "fields" });
  const more = h("div", { class: "fields" });

  function drawRest() {
    const { least, most, default: usual } = rules();
    const count = Math.min(most, Math.max(least, chosen.players ?? usual));
    chosen.players = count;
    const numbers = Array.from({ length: most - least + 1 }, (_, i) => [least + i, String(least + i)]);
    const others = Array.from({ length: count - 1 }, (_, i) => {
      const named = known.has(chosen.opponents[i]) ? chosen.opponents[i] : app.lobby.default_opponent;
      chosen.opponents[i] = named;
      const options = agents.map((agent) => [agent.name, agent.title]);
      const control = select(`opponent${i}`, options, named, (event) => (chosen.opponents[i] = event.target.value));
      return field(`opponent${i}`, say("opponent", { number: i + 1 }), control);
    });
    rest.replaceChildren(
      numbers.length > 1
        ? field(
            "players",
            say("players"),
            select("players", numbers, count, (event) => {
              chosen.players = Number(event.target.value);
              drawRest();
              document.getElementById("players").focus();
            }),
          )
        : "",
      ...others,
    );
    const seats = Array.from({ length: count }, (_, i) => [i, say("seat_number", { number: i + 1 })]);
    more.replaceChildren(
      field("seat", say("seat"), select("seat", seats, 0)),
      field(
        "seed",
        say("seed"),
        h("input", { id: "seed", inputmode: "numeric", pattern: "[0-9]{0,20}", maxlength: "20", placeholder: say("seed_random"), autocomplete: "off", oninput: checkSeed }),
      ),
    );
  }

  async function begin(event) {
    event.preventDefault();
    const opponents = chosen.opponents.slice(0, chosen.players - 1);
    const seed = document.getElementById("seed").value;
    keep({ setup: { game: chosen.game, players: chosen.players, opponents } });
    try {
      const state = await ask("tables", {
        game: chosen.game,
        opponents,
        seat: Number(document.getElementById("seat").value),
        seed: seed === "" ? null : seed, // a text: a number would lose digits
      });
      location.hash = `/table/${state.table}`;
    } catch (error) {
      if (!(error instanceof Failed)) throw error;
      complain(error.message);
    }
  }

  const game = (one) =>
    h(
      "label",
      { class: "choice" },
      h("input", {
        type: "radio",
        name: "game",
        value: one.name,
        checked: one.name === chosen.game,
        onchange: () => {
          chosen.game = one.name;
          chosen.players = one.default;
          drawRest();
        },
      }),
      h("span", {}, one.title),
    );

  drawRest();
  main.replaceChildren(
    h(
      "div",
      { class: "lobby" },
      h(
        "form",
        { class: "sheet", onsubmit: begin },
        h("fieldset", {}, h("legend", {}, say("game")), h("div", { class: "choices" }, ...games.map(game))),
        rest,
        h("details", {}, h("summary", {}, say("more")), more),
        h("p", { class: "buttons" }, h("button", { class: "main big", id: "start" }, say("start")), h("button", { type: "button", id: "rules", onclick: () => showRules(chosen.game) }, say("rules"))),
      ),
      h(
        "section",
        { class: "sheet" },
        h("h2", {}, say("tables")),
        tables.length ? tableList(tables) : h("p", { class: "soft" }, say("tables_none")),
        app.words.about ? h("p", { class: "about soft" }, say("about")) : null,
      ),
    ),
  );
}

function tableList(tables) {
  const entry = (one) => {
    return h(
      "li",
      {},
      h("a", { href: `#/table/${one.table}` }, one.title),
      h("span", { class: "soft" }, `${say("against", { names: one.opponents.join(", ") })} · ${say("deals_over", { count: one.deals })} · ${say("score", { points: points(one.score) })}`),
    );
  };
  return h("ul", { class: "tables" }, ...tables.map(entry));
}
