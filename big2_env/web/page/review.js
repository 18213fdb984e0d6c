// A game that is over, looked through on the page that `big2 show --html` makes, and judged meanwhile.

import { Failed, GONE, ask, complain, h, say } from "./dom.js";
import { recordLink } from "./transport.js";

export class Review {
  constructor(main, key, { titled, gone }) {
    Object.assign(this, { main, key, titled, gone, isClosed: false });
  }

  get title() {
    return this.state?.scene.title;
  }

  async open() {
    this.state = await ask(`tables/${this.key}`);
    this.status = h("p", { class: "soft", role: "status" });
    this.bar = h("progress", { max: "1", value: "0", "aria-label": say("judging"), hidden: true });
    this.frame = h("iframe", { src: "page/review.html", title: say("review") });
    const opened = new Promise((done) => this.frame.addEventListener("load", done, { once: true }));
    this.main.replaceChildren(
      h(
        "div",
        { class: "looked" },
        h(
          "div",
          { class: "buttons" },
          h("a", { class: "button main", id: "leave", href: `#/table/${this.key}` }, say("back")),
          h("a", { class: "button", ...recordLink(this.key) }, say("record")),
          this.bar,
          this.status,
        ),
        this.frame,
      ),
    );
    this.main.dataset.state = "review";
    this.titled();
    await opened;
    if (this.isClosed) return;
    const { of } = await this.draw();
    if (of) await this.judge(of);
  }

  close() {
    this.isClosed = true;
  }

  recolour() {
    // The page has a button of its own for that.
  }

  ask(step) {
    return ask(`tables/${this.key}/review`, { version: this.state.version, step });
  }

  /** Show the page as far as the game is judged, at the same move as before. */
  async draw() {
    const found = await this.ask(0);
    if (this.isClosed) return { of: 0 };
    const inner = this.frame.contentWindow;
    const ply = inner.document.getElementById("slider")?.value;
    inner.show(found.page);
    const slider = inner.document.getElementById("slider");
    if (ply !== undefined) {
      slider.value = ply;
      slider.dispatchEvent(new inner.Event("input"));
    }
    inner.document.addEventListener("keydown", (event) => event.key === "Escape" && this.onKey(event));
    this.main.dataset.judged = found.of > 0 && found.done === found.of;
    return found;
  }

  /** Judge piece by piece: it goes on only as long as somebody asks. */
  async judge(of) {
    this.bar.hidden = false;
    this.status.textContent = say("judged", { done: 0, of }); // the first piece may take long
    try {
      for (let found; !this.isClosed && (!found || found.done < found.of); ) {
        found = await this.ask(1);
        this.bar.max = found.of;
        this.bar.value = found.done;
        this.status.textContent = say("judged", { done: found.done, of: found.of });
      }
      if (!this.isClosed) await this.draw();
    } catch (error) {
      if (!(error instanceof Failed)) throw error;
      if (error.status === GONE) {
        this.gone(error);
        return;
      }
      complain(error.message);
    }
    this.bar.hidden = true;
    this.status.textContent = "";
  }

  onKey(event) {
    if (event.key === "Escape") location.hash = `/table/${this.key}`;
  }
}
