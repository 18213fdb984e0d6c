// News of tables with friends: one stream of server-sent events per browser, held by one tab and passed on to the others.

import { settings } from "./dom.js";

const NAME = "big2-friends"; // of the lock and of the channel
const FIRST = 1000; // milliseconds until a stream that is lost is tried again; twice as many from try to try
const MOST = 30_000;
const BEAT = 1000; // milliseconds between two signs of life of the tab that holds the stream
const SILENT = 2600; // milliseconds of silence after which another tab takes over

const listeners = new Set();
let stream = null;

/**
 * Hear of every change of the visitor's tables until the function that is returned is called. `table` gets a key, a state and the
 * language of its texts; `up` is told when the stream is lost and when it is back, and if the server refuses a new one.
 */
export function listen(listener) {
  listeners.add(listener);
  stream ??= new Stream();
  if (stream.isUp !== null) listener.up(stream.isUp);
  return () => {
    listeners.delete(listener);
    if (listeners.size) return;
    stream?.close();
    stream = null;
  };
}

/** Try a stream that is lost at once. */
export const reconnect = () => stream?.tell({ again: true });

class Stream {
  constructor() {
    this.wait = FIRST;
    this.awake = () => document.visibilityState === "visible" && reconnect();
    addEventListener("online", this.awake);
    document.addEventListener("visibilitychange", this.awake);
    this.isUp = null; // not known yet
    this.source = null;
    this.isClosed = false;
    this.channel = new BroadcastChannel(NAME);
    this.channel.onmessage = ({ data }) => this.hear(data);
    if (navigator.locks) this.waitForLock();
    else this.waitForSilence();
    this.channel.postMessage({ asks: true });
  }

  close() {
    this.isClosed = true;
    removeEventListener("online", this.awake);
    document.removeEventListener("visibilitychange", this.awake);
    this.letGo();
    this.giveLock?.();
    this.waiting?.abort();
    clearInterval(this.beating);
    this.channel.close();
  }

  // Which tab holds the stream -----------------------------------------------------------------------------------------

  /** The tab that has the lock holds the stream; the browser hands the lock on when that tab closes. */
  async waitForLock() {
    this.waiting = new AbortController();
    const holding = () => {
      this.connect();
      return new Promise((done) => (this.giveLock = done));
    };
    await navigator.locks.request(NAME, { signal: this.waiting.signal }, () => (this.isClosed ? null : holding())).catch((error) => {
      if (error.name !== "AbortError") throw error;
    });
  }

  /** Pages of a server in the local network have no locks: there the tab that speaks holds the stream. */
  waitForSilence() {
    this.id = crypto.getRandomValues(new Uint32Array(1))[0];
    this.heardAt = performance.now() - SILENT + BEAT;
    this.beating = setInterval(() => {
      if (!this.source && performance.now() - this.heardAt > SILENT) this.connect();
      if (this.source) this.channel.postMessage({ beat: this.id });
    }, BEAT / 2);
  }

  /** Of two tabs that hold a stream the one with the smaller number goes on. */
  hearBeat(id) {
    this.heardAt = performance.now();
    if (this.source && id < this.id) this.letGo();
  }

  // The stream itself --------------------------------------------------------------------------------------------------

  connect() {
    this.letGo();
    const { lang } = settings;
    const source = new EventSource(`api/stream${lang ? `?lang=${lang}` : ""}`);
    this.source = source;
    source.onopen = () => {
      this.wait = FIRST;
      this.tell({ up: true });
    };
    source.addEventListener("table", ({ data }) => this.tell({ ...JSON.parse(data), lang }));
    source.onerror = () => {
      const isRefused = source.readyState === EventSource.CLOSED;
      source.close(); // a browser would try each second without end
      this.retry = setTimeout(() => this.connect(), this.wait);
      this.wait = Math.min(2 * this.wait, MOST);
      this.tell({ up: false, isRefused });
    };
  }

  letGo() {
    clearTimeout(this.retry);
    this.source?.close();
    this.source = null;
  }

  tell(message) {
    this.channel.postMessage(message);
    this.hear(message);
  }

  hear({ table, state, lang, up, isRefused, beat, asks, again }) {
    if (this.isClosed) return;
    if (again && this.source?.readyState === EventSource.CLOSED) this.connect();
    if (beat !== undefined) this.hearBeat(beat);
    if (asks && this.source) this.channel.postMessage({ up: Boolean(this.isUp), beat: this.id });
    if (up !== undefined) {
      this.isUp = up;
      for (const listener of listeners) listener.up(up, isRefused);
    }
    if (table) for (const listener of listeners) listener.table(table, state, lang);
  }
}
