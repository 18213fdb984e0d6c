// Small windows over the page: one that asks for something, one that shows a link.

import { app, ask, complain, field, h, line, once, say } from "./dom.js";

const MOST = 24; // characters of a name

/** Show a window with a title; Esc or the button closes it. */
export function openDialog(title, ...children) {
  const close = h("button", { type: "button", id: "close", onclick: () => dialog.close() }, say("close"));
  const dialog = h(
    "dialog",
    { class: "sheet rules small", "aria-labelledby": "dialog-title", onclose: () => dialog.remove() },
    h("div", { class: "top" }, h("h2", { id: "dialog-title" }, title), close),
    h("div", { class: "scroll" }, ...children),
  );
  document.body.append(dialog);
  dialog.showModal();
  return dialog;
}

/** Ask before something that cannot be taken back. The answer that changes nothing has the focus, and Esc gives it too. */
export function confirmed(title, question, yes, no) {
  return new Promise((done) => {
    const button = (value, text, more) => h("button", { value, ...more }, text);
    const dialog = h(
      "dialog",
      { class: "sheet small", role: "alertdialog", "aria-labelledby": "dialog-title", "aria-describedby": "question", onclose: () => (dialog.remove(), done(dialog.returnValue === "yes")) },
      h("h2", { id: "dialog-title" }, title),
      h("p", { id: "question" }, ...line(question)),
      h("form", { class: "buttons", method: "dialog" }, button("no", no, { class: "main", autofocus: "" }), button("yes", yes)),
    );
    document.body.append(dialog);
    dialog.showModal();
  });
}

/** A field for one's name. */
export function nameField(id, value) {
  return field(id, say("friends.name"), h("input", { id, maxlength: String(MOST), required: true, autocomplete: "nickname", value: value ?? "" }));
}

/** Ask for another name, and do something with it; a failure is said, and leaves the window as it is. */
export function askName(value, rename) {
  const named = nameField("new-name", value);
  const send = once(async () => {
    if (await rename(named.querySelector("input").value.trim())) dialog.close();
  });
  const form = h("form", { onsubmit: (event) => (event.preventDefault(), send()) }, named, h("p", { class: "buttons" }, h("button", { class: "main" }, say("friends.rename"))));
  const dialog = openDialog(say("friends.rename"), form);
  named.querySelector("input").select();
}

// Invitations ----------------------------------------------------------------------------------------------------------

const linkOf = (key, secret) => `${location.origin}${location.pathname}#/join/${key}/${secret}`;

/** Whether nobody else can reach the server by the address of this page. */
export const isOnlyHere = () => /^(localhost|127\.[\d.]+|\[::1\])$/.test(location.hostname);

/** Buttons that give others the link of a table: it is shared where the browser can, else copied; or a phone takes it from the screen. */
export function shareParts(key, invite, kind = "main") {
  const link = linkOf(key, invite);
  const copied = h("span", { role: "status", class: "copied" });
  const act = navigator.share ? () => navigator.share({ title: document.title, url: link }).catch(() => null) : () => copy(link, copied); // a person may change their mind
  return [
    h("button", { type: "button", id: "share", class: kind, onclick: act }, say(navigator.share ? "friends.share" : "friends.copy")),
    h("button", { type: "button", id: "qr", class: kind === "main" ? null : kind, onclick: () => showCode(key, link) }, say("friends.qr")),
    copied,
  ];
}

/** The link of a table as a text. */
export function linkField(key, invite) {
  const input = h("input", { id: "link", class: "link", readonly: "", value: linkOf(key, invite), "aria-label": say("friends.link"), onfocus: () => input.select() });
  return input;
}

async function copy(link, copied) {
  try {
    await navigator.clipboard.writeText(link);
  } catch {
    const text = h("textarea", {}, link); // a page of the local network has no clipboard
    copied.after(text);
    text.select();
    document.execCommand("copy");
    text.remove();
  }
  copied.textContent = say("friends.copied");
  setTimeout(() => (copied.textContent = ""), 2500);
}

/** The link as a code for a phone's camera. */
async function showCode(key, link) {
  try {
    const { svg } = await ask(`shared/${key}/qr`, {});
    const drawn = document.importNode(new DOMParser().parseFromString(svg, "image/svg+xml").documentElement, true);
    drawn.setAttribute("viewBox", `0 0 ${drawn.getAttribute("width")} ${drawn.getAttribute("height")}`);
    for (const name of ["width", "height"]) drawn.removeAttribute(name);
    openDialog(say("friends.link"), h("div", { class: "code", role: "img", "aria-label": say("friends.qr_of", { link }) }, drawn), h("p", { class: "soft url" }, link));
  } catch (error) {
    complain(error.message);
  }
}

/** What one chooses for a new table with friends; `begin` gets it, and closes the window where it succeeds. */
export function openFriends({ game, players, agent, name, clock }, begin) {
  const games = app.lobby.games.filter((one) => !one.watched && one.most > 1);
  let chosen = games.find((one) => one.name === game) ?? games[0];
  const seats = h("select", { id: "friends-seats", onchange: () => fitAgents() });
  const agents = h("select", { id: "friends-agent" });
  const option = (value, text, selected) => h("option", { value, selected }, text);
  const fitAgents = () => {
    const isUsual = Number(seats.value) === chosen.default;
    const able = chosen.players ?? app.lobby.agents.filter((one) => chosen.name in one.games && (one.any_number || isUsual));
    const wanted = [agents.value, agent, app.lobby.default_opponent].find((each) => able.some((one) => one.name === each));
    agents.replaceChildren(...able.map((one) => option(one.name, one.title, one.name === wanted)));
  };
  const fit = (wanted) => {
    const numbers = Array.from({ length: chosen.most - Math.max(2, chosen.least) + 1 }, (_, i) => Math.max(2, chosen.least) + i);
    const number = numbers.includes(wanted) ? wanted : chosen.default;
    seats.replaceChildren(...numbers.map((one) => option(one, String(one), one === number)));
    fitAgents();
  };
  const list = h(
    "select",
    {
      id: "friends-game",
      onchange: (event) => {
        chosen = games.find((one) => one.name === event.target.value);
        fit(chosen.default);
      },
    },
    ...games.map((one) => option(one.name, one.title, one === chosen)),
  );
  fit(players);
  const clocks = h("select", { id: "friends-clock" }, ...[0, 20, 60].map((count) => option(count, say(count ? "friends.clock_seconds" : "friends.clock_off", { count }), count === clock)));
  const named = nameField("friends-name", name);
  const send = once(async () => {
    const wanted = { game: chosen.name, seats: Number(seats.value), agent: agents.value, clock: Number(clocks.value), name: named.querySelector("input").value.trim() };
    if (await begin(wanted)) dialog.close();
  });
  const dialog = openDialog(
    say("friends.title"),
    h(
      "form",
      { class: "friends-form", onsubmit: (event) => (event.preventDefault(), send()) },
      h("p", { class: "soft" }, say("friends.about")),
      isOnlyHere() ? h("p", { class: "soft" }, say("friends.only_here")) : null,
      h(
        "div",
        { class: "fields" },
        field("friends-game", say("game"), list),
        field("friends-seats", say("players"), seats),
        field("friends-agent", say("friends.agent"), agents),
        field("friends-clock", say("friends.clock"), clocks),
        named,
      ),
      h("p", { class: "buttons" }, h("button", { class: "main big", id: "friends-open" }, say("friends.open"))),
    ),
  );
  named.querySelector("input").focus();
}
