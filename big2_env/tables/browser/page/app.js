// Where the page begins: which part of it is shown, and the settings.

import { Course } from "./course.js";
import { COACHES, Failed, GONE, PACES, SORTED_BY, app, ask, byId, complain, h, keep, rulesButton, say, settings } from "./dom.js";
import { DealPage } from "./deal.js";
import { GameReview, Games } from "./games.js";
import { Join } from "./join.js";
import { showLobby, tableList } from "./lobby.js";
import { PuzzleTable, Puzzles } from "./puzzles.js";
import { Review } from "./review.js";
import { SharedRoom } from "./shared.js";
import { SideTable } from "./side.js";
import { Table } from "./table.js";
import { WatchTable } from "./watch.js";
import { connect, hasFriends } from "./transport.js";

const PAGES = { "#/course": Course };
const KINDS = { table: Table, side: SideTable, watch: WatchTable, shared: SharedRoom };

let table = null; // or the review of its game
let lobby = null;
let headed = ""; // what the header was drawn for
let worded; // the language that the words are in

/** Show what the address says. A guest of a table with friends needs no more of the server than its words. */
async function route() {
  document.querySelectorAll("dialog").forEach((dialog) => dialog.close());
  table?.close();
  lobby?.close();
  table = lobby = null;
  const [, room, secret] = /^#\/join\/([\w-]+)(?:\/([\w-]+))?$/.exec(location.hash) ?? [];
  const [own, name] = /^#\/games(?:\/([\w.-]+))?$/.exec(location.hash) ?? [];
  const [puzzles, puzzle] = /^#\/puzzles(?:\/([\w.-]+))?$/.exec(location.hash) ?? [];
  const [, deal] = /^#\/deal\/([\w-]{1,60}\/[\w-]{1,40})$/.exec(location.hash) ?? [];
  const [, kind, key, review, ply, invite] = /^#\/(table|side|watch|shared)\/([\w-]+)(\/review(?:\/(\d+))?)?(?:\/([\w-]{16,}))?$/.exec(location.hash) ?? [];
  try {
    await (room || kind === "shared" ? loadWords() : load());
    drawHeader();
    const page = deal ? DealPage : puzzles ? (puzzle ? PuzzleTable : Puzzles) : room ? Join : PAGES[location.hash];
    if (!key && !own && !page) {
      delete byId("main").dataset.state;
      lobby = showLobby(byId("main"));
      return;
    }
    scrollTo(0, 0);
    const shown = page ?? (own ? (name ? GameReview : Games) : review ? Review : KINDS[kind]);
    const made = new shown(byId("main"), room ?? key ?? deal ?? name ?? puzzle, { titled: drawHeader, gone: failed, kind, ply, secret, invite });
    table = made;
    await made.open();
  } catch (error) {
    failed(error);
  }
}

/** Everything that is in a language. */
async function load() {
  const [lobby, shared] = await Promise.all([ask("lobby"), hasFriends ? ask("shared") : {}, loadWords()]);
  Object.assign(app, { lobby, shared: shared.tables ?? null });
}

async function loadWords() {
  if (worded === settings.lang) return;
  const { words, language, languages } = await ask("words");
  worded = settings.lang;
  Object.assign(app, { words, lang: language, languages });
  document.documentElement.lang = language;
  document.title = say("title");
}

function failed(error) {
  if (!(error instanceof Failed)) throw error;
  if (error.status === 401) {
    askToken();
    return;
  }
  if (error.status === GONE) {
    table?.close();
    table = null;
    delete byId("main").dataset.state;
  }
  drawHeader();
  const again = h("button", { type: "button", class: "main", id: "retry", onclick: () => (app.lobby ? route() : location.reload()) }, say("again"));
  const back = (kind = "") => h("a", { class: `button ${kind}`, id: "to-lobby", href: "#/", onclick: toLobby }, say("to_lobby"));
  const buttons = error.status === GONE || (error.status === 404 && !app.lobby) ? [back("main")] : [again, ...(app.lobby ? [back()] : [])];
  byId("main").replaceChildren(
    h("section", { class: "sheet narrow", role: "alert" }, h("p", {}, error.message), h("p", { class: "buttons" }, ...buttons)),
  );
}

/** The first page again, also where the address names it already. */
function toLobby(event) {
  event.preventDefault();
  if (location.hash === "#/") route();
  else location.hash = "/";
}

// The server's token ---------------------------------------------------------------------------------------------------

async function askToken() {
  const { tables } = await ask("shared").catch(() => ({ tables: [] })); // a guest sees them without a token
  const input = h("input", { id: "token", type: "password", autocomplete: "off", required: true });
  byId("main").replaceChildren(
    h(
      "form",
      { class: "sheet narrow", onsubmit: (event) => (event.preventDefault(), showToken(input.value)) },
      h("h1", {}, say("token_title")),
      h("label", { for: "token" }, say("token")),
      input,
      h("p", { class: "buttons" }, h("button", { class: "main" }, say("token_send"))),
      ...(tables.length ? [h("h2", {}, say("friends.tables")), tableList(tables)] : []),
    ),
  );
  input.focus();
}

async function showToken(token) {
  try {
    await ask("token", { token });
  } catch (error) {
    if (!(error instanceof Failed)) throw error;
    complain(error.message);
    return;
  }
  route();
}

// The header -----------------------------------------------------------------------------------------------------------

function drawHeader() {
  if (!app.languages) return; // not even the words are there
  const title = table?.title ?? say("title");
  const wanted = [app.lang, title, Boolean(table?.state)].join();
  if (wanted === headed) return; // so that an open menu stays as it is
  headed = wanted;
  byId("header").replaceChildren(
    h("a", { class: "skip", href: "#main", onclick: (event) => (event.preventDefault(), byId("main").focus()) }, say("skip")),
    h("a", { class: "home", href: "#/", "aria-label": say("to_lobby") }, h("span", { "aria-hidden": "true" }, "♠\uFE0E")),
    h("h1", {}, title),
    ...(table?.state
      ? [
          rulesButton(() => table.state.game ?? table.state.scene.game),
          h("a", { class: "button", href: "#/" }, say("to_lobby")),
        ]
      : []),
    settingsMenu(),
  );
}

function settingsMenu() {
  const again = byId("header").querySelector("details")?.open ?? false;
  const language = h(
    "select",
    { id: "language", onchange: (event) => changeLanguage(event.target.value) },
    ...app.languages.map(({ tag, name }) => h("option", { value: tag, lang: tag, selected: tag === app.lang }, name)),
  );
  const pace = h(
    "select",
    { id: "pace", onchange: (event) => keep({ pace: event.target.value }) },
    ...Object.keys(PACES).map((name) => h("option", { value: name, selected: name === settings.pace }, say(`pace_${name}`))),
  );
  const sort = h(
    "select",
    { id: "sort", onchange: (event) => (keep({ sort: event.target.value }), table?.recolour()) },
    ...SORTED_BY.map((name) => h("option", { value: name, selected: name === settings.sort }, say(`sort_${name}`))),
  );
  const sounds = h("input", { id: "sounds", type: "checkbox", checked: settings.sounds, onchange: (event) => keep({ sounds: event.target.checked }) });
  const coach = h(
    "select",
    { id: "coach", onchange: (event) => (keep({ coach: event.target.value }), table?.recolour()) },
    ...COACHES.map((name) => h("option", { value: name, selected: name === settings.coach }, say(`coach_${name}`))),
  );
  const colours = h("input", {
    id: "colours",
    type: "checkbox",
    checked: settings.fourColours,
    onchange: (event) => (keep({ fourColours: event.target.checked }), (table ?? lobby)?.recolour()),
  });
  return h(
    "details",
    { class: "menu", open: again },
    h("summary", { class: "button" }, say("settings")),
    h(
      "div",
      { class: "sheet" },
      h("label", { for: "language" }, say("choose_language")),
      language,
      h("label", { for: "pace" }, say("pace")),
      pace,
      h("label", { for: "sort" }, say("sort")),
      sort,
      h("label", { for: "coach" }, say("coach")),
      coach,
      h("label", { class: "check", for: "colours" }, colours, say("four_colours")),
      h("label", { class: "check", for: "sounds" }, sounds, say("sounds")),
    ),
  );
}

async function changeLanguage(lang) {
  keep({ lang });
  await route();
  byId("language")?.focus();
}

const openMenu = () => document.querySelector("details.menu[open]");
document.addEventListener("click", ({ target }) => {
  const menu = openMenu();
  if (menu && !menu.contains(target)) menu.open = false;
});
document.addEventListener("keydown", (event) => {
  if (document.querySelector("dialog[open]")) return; // which has its own keys
  const menu = event.key === "Escape" && openMenu();
  if (!menu) return table?.onKey(event);
  menu.open = false;
  menu.querySelector("summary").focus();
});
addEventListener("hashchange", route);
addEventListener("online", () => byId("retry")?.click());

/** The drawings of all cards, once. */
async function loadSymbols() {
  const answer = await fetch(new URL("cards.svg", import.meta.url));
  const svg = new DOMParser().parseFromString(await answer.text(), "image/svg+xml").documentElement;
  byId("symbols").replaceChildren(svg);
}

/** How much of what the page needs is there. */
function showLoading(got, of) {
  const share = Math.min(1, got / of);
  const megabytes = (bytes) => (bytes / 1e6).toFixed(1);
  const text = share < 0.99 ? say("loading", { done: megabytes(got), of: `${megabytes(of)} MB` }) : say("starting");
  const [bar, line] = byId("loading")?.children ?? [];
  if (bar) {
    bar.value = share;
    line.textContent = text;
    return;
  }
  byId("main").replaceChildren(
    h("section", { class: "sheet narrow", id: "loading" }, h("progress", { max: "1", value: share, "aria-label": say("title") }), h("p", { role: "status" }, text)),
  );
}

async function begin() {
  try {
    await loadWords();
    await connect(showLoading);
  } catch {
    return failed(new Failed(0, "offline", say("offline")));
  }
  await Promise.all([loadSymbols(), route()]);
}

await begin();
