// How the page reaches what answers it: requests to the server that it came from. `big2 site` puts another file in this place.

/** Show the server its token, which stands in the address it was opened with, and take it out of there. */
export async function connect() {
  const shown = /^#token=([\w-]+)$/.exec(location.hash);
  if (!shown) return;
  history.replaceState(null, "", location.pathname);
  await send("token", { token: shown[1] }).catch(() => null);
}

/** Ask; an object makes it a POST. Gives `{ status, data }`, and throws where nobody answers. */
export async function send(path, body, lang) {
  const query = lang ? `?lang=${lang}` : "";
  const options =
    body === undefined ? {} : { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
  const answer = await fetch(`api/${path}${query}`, { credentials: "same-origin", ...options });
  return { status: answer.status, data: await answer.json() };
}

/** What a click on "save" does: the attributes of a link to the record of a table's game. */
export const recordLink = (path) => ({ href: `api/${path}/record`, download: "" });

/** Whether there is a server at which several people can play. */
export const hasFriends = true;
