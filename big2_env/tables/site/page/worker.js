// The page's worker: Python, with the rules and the agents, that answers what the page asks.

import { ADVISERS, DATA, DEALS, INTEGRITY, NEEDED, PYODIDE } from "./site.js";

const TYPES = { wasm: "application/wasm" }; // many hosts do not know it, and then loading takes twice as long
const base = new URL(PYODIDE, import.meta.url);

/** `fetch` that tells the page how much has come, and takes only the known files of Python. */
let got = 0;
const fetched = self.fetch.bind(self);
self.fetch = async (asked, options) => {
  const url = new URL(asked.url ?? asked, base).href;
  const integrity = url.startsWith(base.href) ? INTEGRITY[url.slice(base.href.length)] : undefined;
  const answer = await fetched(asked, integrity ? { ...options, integrity } : options);
  if (!answer.ok || !answer.body) return answer;
  const counter = new TransformStream({
    transform(piece, next) {
      got += piece.byteLength;
      postMessage({ got });
      next.enqueue(piece);
    },
  });
  const type = TYPES[answer.url.split(".").pop()] ?? answer.headers.get("content-type") ?? "";
  return new Response(answer.body.pipeThrough(counter), { status: answer.status, headers: { "content-type": type } });
};

async function load(place) {
  const answer = await fetch(new URL(place, import.meta.url));
  if (!answer.ok) throw new Error(`${place}: ${answer.status}`);
  return answer.arrayBuffer();
}

/** A module of Python, whose content `import` alone would not check. */
async function imported(name) {
  const answer = await fetched(new URL(name, base), { integrity: INTEGRITY[name] });
  return import(URL.createObjectURL(new Blob([await answer.arrayBuffer()], { type: "text/javascript" })));
}

async function start() {
  const modules = load("../big2.zip");
  const [{ loadPyodide }, { default: createPyodideModule }] = await Promise.all(["pyodide.mjs", "pyodide.asm.mjs"].map(imported));
  const python = await loadPyodide({ indexURL: base.href, createPyodideModule });
  python.unpackArchive(await modules, "zip", { extractDir: "/big2" });
  const lacking = new Set(Object.values(NEEDED).flatMap((games) => Object.values(games).flat()));
  for (const place of lacking) {
    // Agents look which files there are; what is in them is fetched once an agent is chosen.
    python.FS.mkdirTree(`/big2/${place.slice(0, place.lastIndexOf("/"))}`);
    python.FS.writeFile(`/big2/${place}`, "");
  }
  const answer = python.runPython("import sys; sys.path.insert(0, '/big2'); from big2_env.tables.site.worker import PageWorker; PageWorker().answer");
  return { python, lacking, answer };
}

/** Fetch what the agents of the table that a message is about still lack, and for a hint what its adviser lacks. */
async function fetchNeeded(message, python, lacking) {
  const { path, body, tables } = JSON.parse(message);
  const asked = path === "tables" ? [JSON.parse(body)] : path === "deals" && body ? [{ game: JSON.parse(body).game, opponents: Object.keys(NEEDED) }] : [];
  for (const [, text] of path === "lobby" ? [] : tables) {
    const { record } = JSON.parse(text);
    if (!record) continue; // a side game, whose players need nothing
    const advisers = /\/(hint|check)$/.test(path) ? [ADVISERS[record.ruleset]] : [];
    asked.push({ game: record.ruleset, opponents: [...record.agents, ...advisers] });
  }
  const places = asked.flatMap(({ game, opponents }) => opponents.flatMap((agent) => NEEDED[agent]?.[game] ?? []));
  for (const place of new Set(places)) {
    if (!lacking.has(place)) continue;
    const answer = await fetched(new URL(DATA + place, import.meta.url));
    if (!answer.ok) throw new Error(`${place}: ${answer.status}`);
    python.FS.writeFile(`/big2/${place}`, new Uint8Array(await answer.arrayBuffer()));
    lacking.delete(place);
  }
}

const results = new Map();

/** The message, for a deal of a day and its comparison with what was computed in advance. */
async function withResults(message) {
  const asked = JSON.parse(message);
  const isNew = asked.path === "deals";
  if (!isNew && !asked.path.endsWith("/compare")) return message;
  const { record, linked } = JSON.parse(asked.tables[0]?.[1] ?? "{}");
  const { game, name } = isNew ? JSON.parse(asked.body) : { game: record?.ruleset, name: linked };
  if (!name || !DEALS.includes(game)) return message;
  if (!results.has(game)) {
    const answer = await fetched(new URL(`${DATA}deals/${game}.json`, import.meta.url)).catch(() => null);
    results.set(game, answer?.ok ? await answer.json() : { agents: [], days: {} });
  }
  const { agents, days } = results.get(game);
  return days[name] ? JSON.stringify({ ...asked, known: { game, name, day: days[name], agents } }) : message;
}

const started = start();
started.then(
  () => postMessage({ ready: true }),
  (error) => postMessage({ fault: String(error) }),
);

addEventListener("message", async ({ data }) => {
  const { python, lacking, answer } = await started;
  try {
    await fetchNeeded(data.message, python, lacking);
    postMessage({ id: data.id, answer: answer(await withResults(data.message)) });
  } catch (error) {
    console.error(error);
    postMessage({ id: data.id, fault: String(error) });
  }
});
