// Keeps the files of a build, so that the table opens without a network once it was open. `VERSION`, `FILES` and `LATER` come first.

const START = `big2 ${registration.scope} `;
const CACHE = START + VERSION;

addEventListener("install", (event) => event.waitUntil(keepAll()));

addEventListener("activate", (event) => event.waitUntil(forgetOthers()));

addEventListener("fetch", (event) => {
  if (event.request.method === "GET") event.respondWith(answered(event.request));
});

/** Keep the files of this build, as the host has them now: older ones may be in the browser's other cache. */
async function keepAll() {
  const cache = await caches.open(CACHE);
  await cache.addAll(FILES.map((place) => new Request(place, { cache: "no-cache" })));
}

/** Remove the files of earlier builds of these pages, and answer for those that are open. */
async function forgetOthers() {
  const names = (await caches.keys()).filter((name) => name.startsWith(START) && name !== CACHE);
  await Promise.all(names.map((name) => caches.delete(name)));
  await clients.claim();
}

/** The kept file, else one from the network; agents' data files are kept once they were needed, as the host has them then. */
async function answered(request) {
  const cache = await caches.open(CACHE);
  const kept = await cache.match(request, { ignoreSearch: true });
  if (kept) return kept;
  if (!request.url.startsWith(new URL(LATER, registration.scope).href)) return fetch(request);
  const answer = await fetch(request, { cache: "no-cache" });
  if (answer.ok) cache.put(request, answer.clone()).catch(console.warn);
  return answer;
}
