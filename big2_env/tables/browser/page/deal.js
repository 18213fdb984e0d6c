// A deal by its name, the same for everyone: what it is, then the comparison with agents and lines to share.

import { attemptOf, beginDeal, keptDeal, streak } from "./deals.js";
import { Failed, Page, ask, complain, counted, h, points, rulesButton, say } from "./dom.js";
import { shownDay } from "./today.js";

/** The name of the deal of the day before. */
function dayBefore(name) {
  const [year, month, day] = name.split("-").map(Number);
  return new Date(Date.UTC(year, month - 1, day - 1)).toISOString().slice(0, 10);
}

export class DealPage extends Page {
  constructor(main, key, options) {
    super(main, key, options);
    [this.game, this.name] = key.split("/");
  }

  get title() {
    return this.info ? (this.info.daily ? say("deal_today") : say("deal")) : say("title");
  }

  async open() {
    this.info = await ask(`deals/${this.game}/${this.name}`);
    if (this.isClosed) return;
    const kept = keptDeal(this.game, this.name);
    const state = kept && (await this.stateOf(kept.table));
    if (this.isClosed) return;
    this.body = h("div", { class: "deal-body" });
    this.main.dataset.state = "deal";
    this.main.replaceChildren(h("section", { class: "sheet deal" }, this.head(), this.body));
    this.titled();
    if (state?.scene.is_over) await this.compare(state);
    else this.body.replaceChildren(...this.before(state));
  }

  /** The state of a table, if it still is there and still has this deal. */
  async stateOf(table) {
    try {
      const state = await ask(`tables/${table}`);
      return state.linked?.name === this.info.name && state.linked.game === this.info.game ? state : null;
    } catch (error) {
      if (!(error instanceof Failed) || !error.status) throw error;
      return null;
    }
  }

  head() {
    const { title, name, date, opponents } = this.info;
    return h(
      "div",
      { class: "deal-head" },
      h("h2", {}, title),
      h("p", { class: "deal-name" }, date ? shownDay(name) : say("deal_number_name", { name })),
      date ? h("p", {}, h("a", { id: "day-before", href: `#/deal/${this.game}/${dayBefore(name)}` }, `‹ ${say("deal_before")}`)) : "",
      h("p", { class: "soft" }, say("against", { names: counted(opponents) })),
    );
  }

  before(state) {
    const play = state
      ? h("a", { class: "button main", id: "go-on", href: `#/table/${state.table}` }, say("resume"))
      : h("button", { type: "button", class: "main big", id: "start", onclick: () => this.start() }, say("deal_start"));
    return [h("p", {}, say("deal_about")), h("p", { class: "soft" }, say("deal_trust")), h("p", { class: "buttons" }, play, rulesButton(() => this.info.game), this.back())];
  }

  back() {
    return h("a", { class: "button", href: "#/" }, say("to_lobby"));
  }

  async start() {
    if (this.isBusy) return;
    this.isBusy = true;
    try {
      const state = await ask("deals", { game: this.info.game, name: this.info.name });
      beginDeal(state.table, state);
      location.hash = `/table/${state.table}`;
    } catch (error) {
      if (!(error instanceof Failed)) throw error;
      complain(error.message);
    }
    this.isBusy = false;
  }

  /** Ask for one agent's result after the other. */
  async compare(state) {
    for (let found; !this.isClosed && (!found || found.done < found.of); ) {
      try {
        found = await ask(`tables/${state.table}/compare`, { version: state.version });
      } catch (error) {
        if (!(error instanceof Failed)) throw error;
        if (!this.isClosed) this.body.replaceChildren(h("p", { role: "alert" }, error.message), h("p", { class: "buttons" }, this.back()));
        return;
      }
      if (this.isClosed) return;
      this.draw(state, found);
    }
    this.main.dataset.compared = "true";
  }

  draw(state, found) {
    const { you, rows, share, done, of } = found;
    const row = ({ title, payoff, left }, own = false) =>
      h("tr", { class: own ? "own-row" : null }, h("th", { scope: "row" }, title), h("td", { class: "number" }, String(left)), h("td", { class: "number" }, points(payoff)));
    const heads = ["deal_who", "deal_left", "deal_points"].map((key, i) => h("th", { scope: "col", class: i ? "number" : null }, say(key)));
    const attempt = attemptOf(state.table, state.linked);
    const honest = attempt > 1 ? `${share.at(-1)} · ${say("deal_attempt", { number: attempt })}` : share.at(-1);
    const text = [...share.slice(0, -1), honest, location.href].join("\n");
    const days = this.info.daily ? streak(this.game) : 0;
    if (!this.share) {
      this.share = h("button", { type: "button", class: "main", id: "copy", onclick: () => this.copy() }, say("deal_copy"));
      this.buttons = h("p", { class: "buttons" }, this.share, h("a", { class: "button", href: `#/table/${state.table}` }, say("deal_table")), h("a", { class: "button", href: `#/table/${state.table}/review` }, say("review")), h("button", { type: "button", id: "start", onclick: () => this.start() }, say("deal_again")), this.back());
      this.text = h("pre", { class: "share", tabindex: "0", "aria-label": say("deal_share") });
      this.results = h("div", { class: "results", role: "status" });
      this.body.replaceChildren(this.results, this.text, this.buttons, h("p", { class: "soft" }, say("deal_trust")));
    }
    this.text.textContent = text;
    this.results.replaceChildren(
      found.par ? h("p", { class: "par" }, found.par) : "",
      h("table", {}, h("thead", {}, h("tr", {}, ...heads)), h("tbody", {}, row({ ...you, title: say("deal_you") }, true), ...rows.map((one) => row(one)))),
      done < of ? h("p", { class: "soft" }, say("deal_computing", { done, of })) : h("p", { class: "soft" }, say("deal_compared")),
      ...(days ? [h("p", { class: "streak" }, say("deal_streak", { count: days }))] : []),
    );
  }

  async copy() {
    try {
      await navigator.clipboard.writeText(this.text.textContent);
    } catch {
      getSelection().selectAllChildren(this.text); // a browser that lets no page write there: the person copies
      complain(say("deal_select"));
      return;
    }
    this.share.textContent = say("friends.copied");
  }

  close() {
    super.close();
    delete this.main.dataset.compared;
  }
}
