// Where the page begins: which part of it is shown, and the settings.

import { Failed, PACES, app, ask, byId, complain, h, keep, say, settings, showRules } from "./dom.js";
import { showLobby } from "./lobby.js";
import { Table } from "./table.js";

let table = null;

/** Show what the address says. */
async function route() {
  table?.close();
  table = null;
  const found = /^\/table\/([\w-]+)$/.exec(location.pathname);
  try {
    await load();
    drawHeader();
    if (!found) {
      showLobby(byId("main"), go);
      return;
    }
    const made = new Table(byId("main"), found[1], { titled: drawHeader });
    table = made;
    await made.open();
  } catch (error) {
    failed(error);
  }
}

/** Everything that is in a language. */
async function load() {
  const { words, language, languages } = await ask("words");
  Object.assign(app, { words, lang: language, languages });
  document.documentElement.lang = language;
  document.title = say("title");
  app.lobby = await ask("lobby");
}

function go(path) {
  history.pushState(null, "", path);
  route();
}

function failed(error) {
  if (!(error instanceof Failed)) throw error;
  if (error.status === 401) {
    askToken();
    return;
  }
  drawHeader();
  byId("main").replaceChildren(
    h(
      "section",
      { class: "sheet narrow" },
      h("p", {}, error.message),
      h(
        "p",
        { class: "buttons" },
        h("button", { type: "button", class: "main", onclick: route }, say("again")),
        h("a", { class: "button", href: "/", onclick: (event) => (event.preventDefault(), go("/")) }, say("to_lobby")),
      ),
    ),
  );
}

// The server's token ---------------------------------------------------------------------------------------------------

function askToken() {
  const input = h("input", { id: "token", type: "password", autocomplete: "off", required: true });
  byId("main").replaceChildren(
    h(
      "form",
      { class: "sheet narrow", onsubmit: (event) => (event.preventDefault(), showToken(input.value)) },
      h("h1", {}, say("token_title")),
      h("label", { for: "token" }, say("token")),
      input,
      h("p", { class: "buttons" }, h("button", { class: "main" }, say("token_send"))),
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
  const home = (event) => {
    event.preventDefault();
    go("/");
  };
  const title = table?.title ?? say("title");
  byId("header").replaceChildren(
    h("a", { class: "skip", href: "#main" }, say("skip")),
    h("a", { class: "home", href: "/", onclick: home, "aria-label": say("to_lobby") }, h("span", { "aria-hidden": "true" }, "♠\uFE0E")),
    h("h1", {}, title),
    ...(table?.state
      ? [
          h("button", { type: "button", id: "rules", onclick: () => showRules(table.state.scene.game) }, say("rules")),
          h("a", { class: "button", href: "/", onclick: home }, say("lobby")),
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
  const colours = h("input", {
    id: "colours",
    type: "checkbox",
    checked: settings.fourColours,
    onchange: (event) => (keep({ fourColours: event.target.checked }), table?.draw()),
  });
  return h(
    "details",
    { class: "menu", open: again, onkeydown: closeOnEscape },
    h("summary", { class: "button" }, say("settings")),
    h(
      "div",
      { class: "sheet" },
      h("label", { for: "language" }, say("choose_language")),
      language,
      h("label", { for: "pace" }, say("pace")),
      pace,
      h("label", { class: "check", for: "colours" }, colours, say("four_colours")),
    ),
  );
}

function closeOnEscape(event) {
  if (event.key !== "Escape") return;
  event.stopPropagation();
  event.currentTarget.open = false;
  event.currentTarget.querySelector("summary").focus();
}

async function changeLanguage(lang) {
  keep({ lang });
  try {
    await load();
    if (table) await table.open();
    else showLobby(byId("main"), go);
    drawHeader();
    byId("language").focus();
  } catch (error) {
    failed(error);
  }
}

document.addEventListener("click", (event) => {
  const menu = document.querySelector("details.menu[open]");
  if (menu && !menu.contains(event.target)) menu.open = false;
});
document.addEventListener("keydown", (event) => table?.onKey(event));
addEventListener("popstate", route);

/** The drawings of all cards, once. */
async function loadSymbols() {
  const answer = await fetch("/page/cards.svg");
  const svg = new DOMParser().parseFromString(await answer.text(), "image/svg+xml").documentElement;
  byId("symbols").replaceChildren(document.importNode(svg, true));
}

async function begin() {
  const shown = /^#token=([\w-]+)$/.exec(location.hash);
  if (shown) {
    history.replaceState(null, "", location.pathname);
    await ask("token", { token: shown[1] }).catch(() => null);
  }
  await Promise.all([loadSymbols(), route()]);
}

begin();
