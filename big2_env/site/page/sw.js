// Keeps the files of a build, so that the table opens without a network once it was open. `VERSION`, `FILES` and `LATER` come first.

const START = `big2 ${registration.scope} `;
const CACHE = START + VERSION;

addEventListener("install", (event) => event.waitUntil(caches.open(CACHE).then((cache) => cache.addAll(FILES))));

addEventListener("activate", (event) => event.waitUntil(forgetOthers()));

addEventListener("fetch", (event) => {
  if (event.request.method === "GET") event.respondWith(answered(event.request));
});

/** Remove the files of earlier builds of these pages, and answer for those that are open. */
async function forgetOthers() {
  const names = (await caches.keys()).filter((name) => name.startsWith(START) && name !== CACHE);
  await Promise.all(names.map((name) => caches.delete(name)));
  await clients.claim();
}

/** The kept file, else one from the network; agents' data files are kept once they were needed. */
async function answered(request) {
  const cache = await caches.open(CACHE);
  const kept = await cache.match(request, { ignoreSearch: true });
  if (kept) return kept;
  const answer = await fetch(request);
  if (answer.ok && request.url.startsWith(new URL(LATER, registration.scope).href)) await cache.put(request, answer.clone());
  return answer;
}
