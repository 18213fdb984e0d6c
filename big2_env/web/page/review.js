// A game that is over, gone through again with all hands open.

import { row } from "./cards.js";
import { ask, h, line, say } from "./dom.js";
import { centre, others, seatPanel } from "./seats.js";

export class Review {
  constructor(main, key, leave) {
    this.main = main;
    this.key = key;
    this.leave = leave;
    this.frames = new Map();
    this.ply = 0;
  }

  async open() {
    this.game = await ask(`tables/${this.key}/review`);
    const step = (id, text, to) => h("button", { type: "button", id, onclick: () => this.show(to()) }, say(text));
    const act = (one, i) =>
      h("li", {}, h("button", { type: "button", "data-ply": i + 1, onclick: () => this.show(i + 1) }, h("span", { class: "name" }, this.game.names[one.seat]), " ", one.words, " ", ...line(one.cards)));
    this.list = h("ol", { class: "acts" }, h("li", {}, h("button", { type: "button", "data-ply": 0, onclick: () => this.show(0) }, say("deal_dealt"))), ...this.game.acts.map(act));
    this.felt = h("div", { class: "felt" });
    this.where = h("p", { class: "where", role: "status" });
    this.slider = h("input", { type: "range", min: "0", max: String(this.game.acts.length), value: "0", "aria-label": say("acts"), oninput: (event) => this.show(Number(event.target.value)) });
    this.main.replaceChildren(
      h(
        "div",
        { class: "table review" },
        this.felt,
        h(
          "div",
          { class: "own" },
          this.where,
          this.slider,
          h(
            "div",
            { class: "buttons" },
            step("first", "step_first", () => 0),
            step("before", "step_back", () => this.ply - 1),
            step("after", "step_on", () => this.ply + 1),
            step("last", "step_last", () => this.game.acts.length),
            h("button", { type: "button", id: "leave", class: "main", onclick: this.leave }, say("back")),
            h("a", { class: "button", href: `/api/tables/${this.key}/record`, download: "" }, say("record")),
          ),
        ),
        h("aside", {}, h("h2", {}, say("acts")), this.list),
      ),
    );
    this.main.dataset.state = "review";
    await this.show(0);
  }

  async show(ply) {
    this.ply = Math.max(0, Math.min(this.game.acts.length, ply));
    const wanted = this.ply;
    const frame = await this.frame(wanted);
    if (wanted !== this.ply) return; // the person is further on
    const { scene } = frame;
    const me = scene.seats[scene.viewer];
    this.felt.replaceChildren(
      h("ol", { class: "others", "aria-label": say("seats"), "data-count": scene.seats.length - 1 }, ...others(scene).map((seat) => seatPanel(seat))),
      h("div", { class: "centre" }, ...centre(scene).filter(Boolean)),
      h("div", { class: "person" }, seatPanel(me, { isPerson: true, tag: "div" }), row(me.hand ?? [], "mine")),
    );
    this.where.replaceChildren(say("step", { ply: wanted, count: this.game.acts.length }));
    this.slider.value = String(wanted);
    this.main.dataset.ply = wanted;
    for (const button of this.list.querySelectorAll("button")) {
      const isHere = Number(button.dataset.ply) === wanted;
      if (isHere) {
        button.setAttribute("aria-current", "step");
        button.scrollIntoView({ block: "nearest" });
      } else button.removeAttribute("aria-current");
    }
    if (wanted < this.game.acts.length) this.frame(wanted + 1);
  }

  frame(ply) {
    if (!this.frames.has(ply)) {
      const asked = ask(`tables/${this.key}/review/${ply}`);
      asked.catch(() => this.frames.delete(ply));
      this.frames.set(ply, asked);
    }
    return this.frames.get(ply);
  }

  onKey(event) {
    const steps = { ArrowLeft: -1, ArrowRight: 1, Home: -1e6, End: 1e6 };
    if (event.key === "Escape") this.leave();
    else if (event.key in steps) this.show(this.ply + steps[event.key]);
    else return;
    event.preventDefault();
  }
}
