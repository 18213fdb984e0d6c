// The page's worker: Python, with the rules and the agents, that answers what the page asks.

import { PYODIDE } from "./site.js";

const TYPES = { wasm: "application/wasm" }; // many hosts do not know it, and then loading takes twice as long
const base = new URL(PYODIDE, import.meta.url);

/** `fetch` that tells the page how much has come. */
let got = 0;
const fetched = self.fetch.bind(self);
self.fetch = async (...given) => {
  const answer = await fetched(...given);
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

async function start() {
  const modules = load("../big2.zip");
  const { loadPyodide } = await import(new URL("pyodide.mjs", base));
  const python = await loadPyodide({ indexURL: base.href });
  python.unpackArchive(await modules, "zip", { extractDir: "/big2" });
  return python.runPython("import sys; sys.path.insert(0, '/big2'); from big2_env.site.desk import Desk; Desk().answer");
}

const started = start();
started.then(
  () => postMessage({ ready: true }),
  (error) => postMessage({ fault: String(error) }),
);

addEventListener("message", async ({ data }) => {
  const answer = await started;
  try {
    postMessage({ id: data.id, answer: answer(data.message) });
  } catch (error) {
    console.error(error);
    postMessage({ id: data.id, fault: String(error) });
  }
});
