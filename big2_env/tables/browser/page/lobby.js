// The first page: which game, against whom; and the tables that one has.

import { card } from "./cards.js";
import { today } from "./deals.js";
import { openFriends } from "./dialogs.js";
import { Failed, app, ask, complain, counted, field, h, keep, points, rulesButton, say, settings } from "./dom.js";
import { listen } from "./stream.js";
import { todayCards } from "./today.js";

const MAX_SEED = (1n << 64n) - 1n;
const INSIGNIA = ["S-2", "H-A", "S-K", "H-Q", "S-J", "H-10", "S-9", "H-8", "S-7", "H-6", "S-5", "H-4"]; // the strongest opponent's card first
const SUIT_WORDS = { S: "spade", H: "heart" };

/** Let the browser refuse a seed of more than 64 bits. */
function checkSeed({ target }) {
  const isTooLarge = /^[0-9]+$/.test(target.value) && BigInt(target.value) > MAX_SEED;
  target.setCustomValidity(isTooLarge ? say("seed_most", { most: String(MAX_SEED) }) : "");
}

const percent = (share) => `${Math.round(100 * share)}%`;
const range = ({ least, most }) => (least === most ? String(least) : `${least}\u2013${most}`);

/** Draw it, and return it. */
export function showLobby(main) {
  const lobby = new Lobby();
  main.replaceChildren(lobby.element);
  return lobby;
}

class Lobby {
  constructor() {
    const { games, agents, tables, tiles, first } = app.lobby;
    this.games = new Map(games.map((game) => [game.name, game]));
    this.agents = new Map(agents.map((agent) => [agent.name, agent]));
    this.ranks = new Map(agents.map((agent, i) => [agent.name, i]));
    this.last = settings.setup?.game ? settings.setup : (tables[0]?.setup ?? {});
    const isHongKong = app.lang === "zh-Hant" && navigator.languages.some((tag) => /^(zh-(\w+-)?(HK|MO)|yue)/i.test(tag));
    const usual = first[isHongKong ? "zh-HK" : app.lang]; // where the person's language is spoken
    const begun = (tile) => ({ ...tile, games: [...tile.games].sort((a, b) => (b === usual) - (a === usual)) });
    this.tiles = tiles.map(begun).sort((a, b) => b.games.includes(usual) - a.games.includes(usual));
    this.game = this.games.get(this.last.game) ?? this.games.get(usual) ?? games[0];
    this.players = this.last.players;
    this.opponents = this.last.opponents ?? [];
    this.watches = Boolean(this.last.watch); // whether only agents play
    this.setup = h("div", { class: "setup", role: "status" });
    this.start = h("button", { class: "main big", id: "start" });
    this.people = h("div", { class: "people" });
    this.head = h("div", { class: "opponents-head" });
    this.note = h("p", { class: "note soft" });
    this.seats = h("div", { class: "fields" });
    this.shared = h("div", { class: "shared-tables" });
    this.onSeen = () => document.visibilityState === "visible" && this.day !== today() && this.recolour();
    document.addEventListener("visibilitychange", this.onSeen);
    this.fitPlayers();
    this.drawAll();
    this.stop = app.shared?.length ? listen({ table: () => this.refreshShared(), up: () => null }) : null;
  }

  close() {
    this.stop?.();
    document.removeEventListener("visibilitychange", this.onSeen);
  }

  drawAll() {
    this.day = today(); // the deals of another day are others
    this.element = this.draw();
    this.drawChoices();
  }

  /** Draw what depends on the game and the number of players. */
  drawChoices() {
    this.drawShared();
    this.drawPeople();
    this.drawSeats();
    this.drawSetup();
  }

  /** Draw the cards as the settings say now. */
  recolour() {
    const before = this.element;
    this.drawAll();
    before.replaceWith(this.element);
  }

  draw() {
    const { games, tables } = app.lobby;
    const rest = games.filter(({ name }) => !this.tiles.some((tile) => tile.games.includes(name)));
    const left = tables[0] && !tables[0].over ? tables[0] : null; // in the middle of a deal
    const seed = h("input", { id: "seed", inputmode: "numeric", pattern: "[0-9]{0,20}", maxlength: "20", placeholder: say("seed_random"), autocomplete: "off", oninput: checkSeed });
    return h(
      "form",
      { class: "lobby", onsubmit: (event) => this.begin(event) },
      h("div", { class: "rail" }, this.setup, h("div", { class: "buttons" }, this.start, left ? h("a", { class: "button", id: "resume", href: addressOf(left) }, say("resume")) : null, app.shared ? h("button", { type: "button", id: "friends", onclick: () => this.openFriends() }, say("friends.title")) : null, rulesButton(() => this.game.name))),
      todayCards(this.game.name),
      h(
        "fieldset",
        { class: "games" },
        h("legend", {}, say("game")),
        h("div", { class: "pictures" }, ...this.tiles.map((tile) => this.pictureOf(tile))),
      ),
      h(
        "div",
        { class: "below" },
        h(
          "section",
          { class: "opponents" },
          this.head,
          this.people,
          h(
            "details",
            { open: rest.includes(this.game) },
            h("summary", {}, say("more")),
            this.seats,
            h("div", { class: "fields" }, field("seed", say("seed"), seed)),
            h("div", { class: "choices" }, ...rest.map((game) => this.choiceOf(game))),
            this.note,
            h("p", {}, h("a", { id: "course", href: "#/course" }, say("course"))),
          ),
        ),
        h(
          "section",
          { class: "own-tables" },
          this.shared,
          h("h2", {}, say("tables")),
          tables.length ? tableList(tables) : h("p", { class: "soft" }, say("tables_none")),
          app.lobby.records ? h("p", {}, h("a", { id: "own-games", href: "#/games" }, say("own_games"))) : null,
          app.words.about ? h("p", { class: "about soft" }, say("about")) : null,
        ),
      ),
    );
  }

  // Games --------------------------------------------------------------------------------------------------------------

  radioOf(game) {
    return h("input", {
      type: "radio",
      name: "game",
      value: game.name,
      "aria-label": game.title,
      checked: game === this.game,
      onchange: () => {
        this.game = game;
        this.players = game.default;
        this.fitPlayers();
        this.drawChoices();
      },
    });
  }

  /** A picture; of several games of one kind the first is chosen with it, and the others are offered then. */
  pictureOf({ title, line, cards, games }) {
    const spread = h("span", { class: "spread", "aria-hidden": "true" }, ...cards.map((face) => card(face)));
    spread.style.setProperty("--count", cards.length);
    [...spread.children].forEach((one, i) => one.style.setProperty("--at", i - (cards.length - 1) / 2));
    const all = games.map((name) => this.games.get(name)).filter(Boolean);
    const [{ minutes, ...game }] = all;
    const facts = [say(game.most === 1 ? "players_one" : "players_range", { range: range(game) }), minutes ? say("minutes", { count: minutes }) : null].filter(Boolean).join(" · ");
    const variants = all.map((one) => h("label", { class: "variant" }, this.radioOf(one), all.length > 1 ? h("span", {}, one.variant) : null));
    return h(
      "div",
      { class: "picture" },
      spread,
      h("div", { class: "about-game" }, h("span", { class: "title" }, title), h("span", { class: "line" }, line), h("span", { class: "facts" }, facts), h("div", { class: "variants" }, ...variants)),
    );
  }

  choiceOf(game) {
    const facts = game.watched ? say("watched") : say(game.most === 1 ? "players_one" : "players_range", { range: range(game) });
    return h("label", { class: "choice" }, this.radioOf(game), h("span", { class: "title" }, game.title), h("span", { class: "soft" }, facts));
  }

  // Opponents ----------------------------------------------------------------------------------------------------------

  /**
   * Agents that play the chosen game. Results in the game order those that have one.
   */
  able() {
    const { agents } = app.lobby;
    if (this.game.players) return this.game.players;
    const isUsual = this.players === this.game.default;
    const able = agents.filter(({ games, any_number: any }) => this.game.name in games && (any || isUsual));
    const share = ({ games }) => games[this.game.name];
    const rated = able.filter((agent) => share(agent) != null).sort((one, other) => share(other) - share(one));
    return able.map((agent) => (share(agent) == null ? agent : rated.shift()));
  }

  /** Make the number of opponents fit the game, and give every seat one that plays it. */
  fitPlayers() {
    const { least, most, default: number } = this.game;
    this.players = Math.min(most, Math.max(least, this.players ?? number));
    const able = new Set(this.able().map((agent) => agent.name));
    if (this.game.players) this.watches = false;
    const wanted = Array.from({ length: this.players - !this.watches }, (_, i) => this.opponents[i] ?? this.opponents[0] ?? app.lobby.default_opponent);
    const usual = able.has(app.lobby.default_opponent) ? app.lobby.default_opponent : this.able()[0]?.name;
    this.opponents = wanted.map((name) => (able.has(name) ? name : usual));
    if (this.game.players) this.opponents.fill(this.opponents[0]); // they are all the same there
  }

  /** The name of an agent or player of the chosen game. */
  titleOf(name) {
    return this.game.players?.find((one) => one.name === name)?.title ?? this.agents.get(name)?.title ?? name;
  }

  drawPeople() {
    const { least, most } = this.game;
    const numbers = Array.from({ length: most - least + 1 }, (_, i) => least + i);
    const players = h(
      "select",
      { id: "players", onchange: (event) => this.changePlayers(Number(event.target.value)) },
      ...numbers.map((number) => h("option", { value: number, selected: number === this.players }, String(number))),
    );
    this.head.replaceChildren(
      h("h2", { id: "opponents-title" }, say(this.watches ? "watch_agents" : "opponents")),
      ...(this.game.players ? [] : [h("label", { class: "check", for: "watch" }, this.watchBox(), say("watch"))]),
      ...(numbers.length > 1 ? [h("div", { class: "inline-field" }, h("label", { for: "players" }, say("players")), players)] : []),
    );
    const able = this.able();
    const rated = able.some(({ games }) => games[this.game.name] != null);
    this.note.textContent = rated ? say("win_rates", { name: app.lobby.rival }) : "";
    this.head.hidden = this.people.hidden = !able.length;
    this.people.replaceChildren(...able.filter((agent) => !agent.one_by_one).map((agent) => this.personOf(agent)));
    this.people.setAttribute("role", "radiogroup");
    this.people.setAttribute("aria-labelledby", "opponents-title");
  }

  personOf(agent) {
    const share = agent.games?.[this.game.name];
    const [suit, rank] = INSIGNIA[Math.min(this.game.players?.indexOf(agent) ?? this.ranks.get(agent.name), INSIGNIA.length - 1)].split("-");
    const rate = h("span", { class: "rate" }, share == null ? "" : h("strong", {}, percent(share)));
    if (share != null) {
      const bar = h("span", { class: "bar", "aria-hidden": "true" }, h("span", {}));
      bar.firstChild.style.setProperty("--share", share);
      rate.append(bar, h("span", { class: "soft" }, say("wins")));
    }
    return h(
      "label",
      { class: "character" },
      h("input", {
        type: "radio",
        name: "opponent",
        value: agent.name,
        checked: this.opponents.every((name) => name === agent.name),
        onchange: () => {
          this.opponents = this.opponents.map(() => agent.name);
          this.drawSeats();
          this.drawSetup();
        },
      }),
      card({ suit: SUIT_WORDS[suit], rank, text: rank }),
      h("span", { class: "who-plays" }, h("span", { class: "title" }, agent.title), h("span", { class: "soft" }, agent.line)),
      rate,
    );
  }

  /** The choice to have no seat. */
  watchBox() {
    const onchange = (event) => {
      this.watches = event.target.checked;
      this.fitPlayers();
      this.drawChoices();
      document.getElementById("watch").focus();
    };
    return h("input", { id: "watch", type: "checkbox", checked: this.watches, onchange });
  }

  changePlayers(number) {
    this.players = number;
    this.fitPlayers();
    this.drawChoices();
    document.getElementById("players").focus();
  }

  /** Who sits where, for those who want it mixed. */
  drawSeats() {
    const others = (this.game.players ? [] : this.opponents).map((name, i) => {
      const options = this.able().map((agent) => h("option", { value: agent.name, selected: agent.name === name }, agent.title));
      const onchange = (event) => {
        this.opponents[i] = event.target.value;
        for (const radio of this.people.querySelectorAll("input")) radio.checked = this.opponents.every((each) => each === radio.value);
        this.drawSetup();
      };
      return field(`opponent${i}`, say(this.watches ? "seat_number" : "opponent", { number: i + 1 }), h("select", { id: `opponent${i}`, onchange }, ...options));
    });
    const places = Array.from({ length: this.players }, (_, i) => h("option", { value: i }, say("seat_number", { number: i + 1 })));
    const own = this.watches ? [] : [field("seat", say("seat"), h("select", { id: "seat" }, ...places))];
    this.seats.replaceChildren(...others, ...own);
  }

  // Friends ------------------------------------------------------------------------------------------------------------

  openFriends() {
    const { name, clock } = settings;
    openFriends({ game: this.game.name, players: this.players, agent: this.opponents[0], name, clock }, (wanted) => this.inviteFriends(wanted));
  }

  async inviteFriends(wanted) {
    keep({ name: wanted.name, clock: wanted.clock });
    try {
      const { table } = await ask("shared", wanted);
      location.hash = `/shared/${table}`;
      return true;
    } catch (error) {
      if (!(error instanceof Failed)) throw error;
      complain(error.message);
      return false;
    }
  }

  drawShared() {
    this.shared.replaceChildren(...(app.shared?.length ? [h("h2", {}, say("friends.tables")), tableList(app.shared)] : []));
  }

  /** Say at which of the tables with friends it is one's turn now. */
  async refreshShared() {
    try {
      app.shared = (await ask("shared")).tables;
    } catch (error) {
      if (!(error instanceof Failed)) throw error;
      return; // the next news tells more
    }
    if (!this.shared.contains(document.activeElement)) this.drawShared();
  }

  // Play ---------------------------------------------------------------------------------------------------------------

  drawSetup() {
    const names = counted(this.opponents.map((name) => this.titleOf(name)));
    const { game, opponents = [], watch = false } = this.last;
    const isLast = game === this.game.name && watch === this.watches && opponents.length === this.opponents.length && this.opponents.every((name, i) => name === opponents[i]);
    this.setup.replaceChildren(h("strong", { class: "title" }, this.game.title), h("span", { class: "line" }, names ? say(this.watches ? "watching" : "against", { names }) : this.game.line));
    this.start.textContent = say(this.watches ? "watch_start" : isLast ? "start_again" : "start");
  }

  async begin(event) {
    event.preventDefault();
    const seed = document.getElementById("seed").value;
    keep({ setup: { game: this.game.name, players: this.players, opponents: this.opponents, watch: this.watches } });
    try {
      const state = await ask("tables", {
        game: this.game.name,
        opponents: this.opponents,
        seat: this.watches ? null : Number(document.getElementById("seat").value),
        watch: Number(this.watches),
        seed: seed === "" ? null : seed, // a text: a number would lose digits
      });
      location.hash = `/${this.game.players ? "side" : this.watches ? "watch" : "table"}/${state.table}`;
    } catch (error) {
      if (!(error instanceof Failed)) throw error;
      complain(error.message);
    }
  }
}

const addressOf = (one) => `#/${one.names ? "shared" : one.side ? "side" : one.watch ? "watch" : "table"}/${one.table}`;

/** One's tables as a list of links; those with friends name the people. */
export function tableList(tables) {
  const entry = (one) => {
    if (one.names) {
      const now = one.over ? "friends.over" : one.asked ? "friends.your_turn" : null;
      return h("li", {}, h("span", {}, h("a", { href: addressOf(one) }, one.title), " ", now ? h("span", { class: `tag${one.asked ? " now" : ""}` }, say(now)) : null), h("span", { class: "soft" }, one.names.join(" · ")));
    }
    const against = one.opponents.length ? [say(one.watch ? "watching" : "against", { names: counted(one.opponents) })] : [];
    const results = one.practice || one.watch ? [] : [say("deals_over", { count: one.deals }), say("score", { points: points(one.score) })];
    return h(
      "li",
      {},
      h("span", {}, h("a", { href: addressOf(one) }, one.title), " ", one.practice ? h("span", { class: "tag" }, say("practice")) : null),
      h("span", { class: "soft" }, [...against, ...results].join(" · ")),
    );
  };
  return h("ul", { class: "tables" }, ...tables.map(entry));
}
