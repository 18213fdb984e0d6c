// How the page reaches what answers it: messages to its own web worker. The tables are kept in this browser.

import { STALL_SECONDS, TOTAL } from "./site.js";
import { allKept, keepTable, keptTable } from "./kept.js";

const NEARLY = 0.95; // share of the bytes after which none may come: sizes are those before compression by hosts
const asked = new Map();
let count = 0;
let worker = null;
let loaded = null;

/**
 * Load Python and the rules; `report` is told how much of all is there, in bytes. Fails also where a host stays silent. From then
 * on the browser keeps the files, if it can.
 */
export function connect(report) {
  navigator.serviceWorker?.register(new URL("../sw.js", import.meta.url)).catch(console.warn);
  worker = new Worker(new URL("worker.js", import.meta.url), { type: "module" });
  loaded = new Promise((done, failed) => {
    const stalled = () => failed(new Error(`nothing has come for ${STALL_SECONDS} s`));
    let stall = setTimeout(stalled, STALL_SECONDS * 1000);
    worker.addEventListener("error", (event) => failed(new Error(event.message ?? "the worker cannot be started")));
    worker.addEventListener("message", ({ data }) => {
      clearTimeout(stall);
      if (data.got !== undefined) {
        report(data.got, TOTAL);
        if (data.got < NEARLY * TOTAL) stall = setTimeout(stalled, STALL_SECONDS * 1000); // then Python starts, which says nothing
      } else if (data.ready) done();
      else if (data.id === undefined) failed(new Error(data.fault));
      else {
        const { done: answer, failed: refuse } = asked.get(data.id);
        asked.delete(data.id);
        if (data.fault === undefined) answer(data.answer);
        else refuse(new Error(data.fault));
      }
    });
  });
  return loaded;
}

/** Ask; an object asks for something to be done. Gives `{ status, data }`, and throws where nobody answers. */
export async function send(path, body, lang) {
  const tag = lang ?? ofBrowser();
  if (path === "words") {
    const answer = await fetch(new URL(`words.${tag}.json`, import.meta.url));
    return { status: answer.status, data: await answer.json() };
  }
  await loaded;
  const key = /^tables\/([\w-]+)/.exec(path)?.[1];
  const tables = path === "lobby" ? allKept() : key && keptTable(key) ? [[key, keptTable(key)]] : [];
  const id = ++count;
  const answered = new Promise((done, failed) => asked.set(id, { done, failed }));
  const message = { path, body: body === undefined ? null : JSON.stringify(body), lang: tag, tables };
  worker.postMessage({ id, message: JSON.stringify(message) });
  const { status, data, keep } = JSON.parse(await answered);
  if (keep) keepTable(...keep);
  return { status, data };
}

/** The language that the browser asks for, of those that there are. */
function ofBrowser() {
  const [first, ...rest] = navigator.language.toLowerCase().split("-");
  if (first !== "zh") return "en";
  if (rest.includes("hans")) return "zh-Hans"; // also in a region that uses traditional characters
  return rest.some((part) => ["hant", "tw", "hk", "mo"].includes(part)) ? "zh-Hant" : "zh-Hans";
}

/** What a click on "save" does: the attributes of a link to the record of a table's game. */
export function recordLink(path) {
  const onclick = async (event) => {
    event.preventDefault();
    const { data } = await send(`${path}/record`);
    const file = URL.createObjectURL(new Blob([`${data.line}\n`], { type: "application/jsonl" }));
    const link = document.createElement("a");
    Object.assign(link, { href: file, download: `big2-${path.split("/").pop()}.jsonl` }).click();
    setTimeout(() => URL.revokeObjectURL(file), 10_000);
  };
  return { href: "#", role: "button", onclick };
}

/** Whether there is a server at which several people can play. */
export const hasFriends = false;
