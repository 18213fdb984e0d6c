// A game that is over, looked through on the page that `big2 show --html` makes, and judged meanwhile.

import { Failed, GONE, Page, ask, complain, h, say } from "./dom.js";
import { keepDecisions } from "./today.js";

const PAUSE = 2000; // between two looks whether values are compiled, in milliseconds

export class Review extends Page {
  constructor(main, key, { kind, ply = null, ...options }) {
    super(main, key, options);
    Object.assign(this, { kind, ply, edition: 0 });
    this.path = `${kind === "shared" ? "shared" : "tables"}/${key}`;
    this.back = `#/${kind}/${key}`;
  }

  async open() {
    await this.load();
    if (this.isClosed) return;
    this.status = h("p", { class: "soft", role: "status" });
    this.bar = h("progress", { max: "1", value: "0", "aria-label": say("judging"), hidden: true });
    this.frame = h("iframe", { src: new URL("review.html", import.meta.url), title: say("review") });
    const opened = new Promise((done) => this.frame.addEventListener("load", done, { once: true }));
    this.main.replaceChildren(
      h(
        "div",
        { class: "looked" },
        h(
          "div",
          { class: "buttons" },
          h("a", { class: "button main", id: "leave", href: this.back }, say("back")),
          ...this.buttons(),
          h("details", { class: "menu" }, h("summary", { class: "button" }, say("more")), h("div", { class: "sheet" }, h("button", { type: "button", id: "save-page", onclick: () => this.save() }, say("save_page")))),
        ),
        h("div", { class: "judging" }, this.bar, this.status),
        this.frame,
      ),
    );
    Object.assign(this.main.dataset, { state: "review", judged: false });
    this.titled();
    await opened;
    if (this.isClosed) return;
    const { of } = await this.draw();
    if (of) await this.judge(of);
  }

  async load() {
    this.state = await ask(this.path);
  }

  /** What one can do with a game of a table: continue it, unless one only watched it. */
  buttons() {
    return this.kind === "table" && !this.state.watch ? [h("button", { type: "button", id: "from-here", onclick: () => this.again() }, say("from_here"))] : [];
  }

  ask(step) {
    return ask(`${this.path}/review`, { version: this.state.version, step });
  }

  /** Show the page with the values so far. A page that is shown already gets the values, and stays at its move. */
  async draw() {
    const found = await this.ask(0);
    if (this.isClosed) return { of: 0 };
    const inner = this.frame.contentWindow;
    if (this.page === undefined) {
      inner.show(found.page);
      if (this.ply) this.goTo(inner);
      inner.document.addEventListener("keydown", (event) => event.key === "Escape" && this.onKey(event));
    } else {
      const detail = new inner.DOMParser().parseFromString(found.page, "text/html").getElementById("data").textContent;
      inner.dispatchEvent(new inner.CustomEvent("judged", { detail }));
    }
    this.page = found.page;
    this.edition = found.edition;
    this.record = found.record;
    if (this.kind === "table") keepDecisions(this.state, found);
    return found;
  }

  /** Show the move that the address names. */
  goTo(inner) {
    const slider = inner.document.getElementById("slider");
    slider.value = this.ply;
    slider.dispatchEvent(new inner.Event("input"));
  }

  /** Judge piece by piece: it goes on only as long as somebody asks. */
  async judge(of) {
    this.bar.hidden = false;
    this.status.textContent = say("judged");
    let isJudged = false;
    try {
      for (let found; !this.isClosed && (!found || found.done < found.of); ) {
        found = await this.ask(1);
        this.bar.max = found.of;
        this.bar.value = found.done;
        if (this.isClosed) return;
        if (found.edition !== this.edition) await this.draw();
        const text = say(found.waiting ? "judge_waits" : "judged");
        if (this.status.textContent !== text) this.status.textContent = text;
        if (found.waiting) await new Promise((done) => setTimeout(done, PAUSE));
      }
      isJudged = true;
    } catch (error) {
      if (!(error instanceof Failed)) throw error;
      if (error.status === GONE) {
        this.gone(error);
        return;
      }
      complain(error.message);
    }
    if (this.isClosed) return;
    this.bar.hidden = true;
    this.status.textContent = "";
    this.main.dataset.judged = isJudged;
  }

  /** Play on from the move that is shown, at a new table. */
  async again() {
    const slider = this.frame.contentWindow.document.getElementById("slider");
    if (!slider) return;
    const ply = Math.min(Number(slider.value), Number(slider.max) - 1); // at the end: before the last move
    try {
      const { table } = await ask("practice", { record: this.record, ply });
      location.hash = `/table/${table}`;
    } catch (error) {
      this.failed(error);
    }
  }

  /** Save the page as it is, with all values so far. */
  save() {
    if (this.page === undefined) return;
    const file = URL.createObjectURL(new Blob([this.page], { type: "text/html" }));
    Object.assign(document.createElement("a"), { href: file, download: `big2-${this.key.replace(/\.jsonl$/, "")}.html` }).click();
    setTimeout(() => URL.revokeObjectURL(file), 10_000);
  }

  onKey(event) {
    if (event.key === "Escape") location.hash = this.back;
  }
}
