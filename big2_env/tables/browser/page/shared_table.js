// The table of a game with friends: as against agents, but moves come as news, and there are people in the seats.

import { ShownHand } from "./cards.js";
import { byId, complain, drawing, h, say } from "./dom.js";
import { shareParts } from "./dialogs.js";
import { SideTable } from "./side.js";
import { seenBy, sightParts } from "./sights.js";
import { Table } from "./table.js";

const TICK = 250; // milliseconds between two looks at the clock
const SOON = 10; // seconds left at which it is said
const EYE = "M12 5c5 0 9 4 11 7-2 3-6 7-11 7S3 15 1 12c2-3 6-7 11-7m0 2.5a4.5 4.5 0 1 0 0 9 4.5 4.5 0 0 0 0-9m0 2a2.5 2.5 0 1 1 0 5 2.5 2.5 0 0 1 0-5";

const Shared = (Base) =>
  class extends Base {
    constructor(main, key, options) {
      super(main, key, options);
      this.room = options.room;
      this.isWatching = options.isWatching;
      this.deadline = null;
    }

    get path() {
      return `shared/${this.key}`;
    }

    get isHost() {
      return this.state.shared.you === this.state.shared.host;
    }

    newHand(...given) {
      return this.isWatching ? new ShownHand() : super.newHand(...given);
    }

    build(state) {
      this.people = h("div", { class: "people-card" });
      this.soon = h("span", { class: "hidden-text", role: "status" });
      super.build(state);
      this.main.querySelector("aside").firstElementChild.after(this.people);
      this.main.querySelector(".table").classList.add("with-friends");
      this.main.append(this.soon);
      this.ticking = setInterval(() => this.tick(), TICK);
    }

    close() {
      clearInterval(this.ticking);
      super.close();
    }

    /** Take over a state; where nothing has happened at the table, only the marks of its people change. */
    accept(state) {
      const before = this.state;
      if (before && state.version < before.version) return;
      const { left } = state.shared.clock;
      this.deadline = left === null ? null : performance.now() + left;
      const table = ({ shared, ...rest }) => JSON.stringify(rest);
      if (before && table(before) === table(state)) {
        this.state = state;
        this.drawPeople();
      } else {
        this.soon.textContent = "";
        super.accept(state);
        this.sayWhoLeft(before, state);
      }
      this.room.drawNotices();
    }

    /** Say in which seats agents play for people who have left this deal. */
    sayWhoLeft(before, { scene, shared }) {
      for (const { seat, left } of shared.seats.filter((one) => one.left)) {
        const text = say("friends.left", { name: left, player: scene.seats[seat].name });
        if (![...this.events.children].some((one) => one.textContent === text)) this.events.append(h("li", { class: "soft" }, text));
        if (before && !before.shared.seats[seat].left) complain(text); // the events may be folded up
      }
    }

    goOn() {
      // The server lets agents move.
    }

    judge() {
      // It would be judged anew for each person at the table: the review does that where somebody opens it.
    }

    draw(...given) {
      super.draw(...given);
      if (!this.state) return;
      this.main.querySelector(".own").classList.toggle("spectator", this.state.scene.viewer === null);
      this.drawPeople();
    }

    // People -----------------------------------------------------------------------------------------------------------

    /** Mark who is the host, who is away, for whom an agent plays, and whose clock runs. */
    drawPeople() {
      const { scene, shared } = this.state;
      this.main.querySelectorAll(".seat .friend").forEach((mark) => mark.remove());
      for (const one of shared.seats) {
        const plate = this.plateOf(one.seat);
        const head = plate?.querySelector(".head");
        if (!head) continue;
        const mark = (kind, text) => h("span", { class: `label friend ${kind}` }, text);
        if (one.seat === shared.host && one.kind === "person") head.append(mark("host", say("friends.host")));
        if (one.kind === "person" && one.stand_in) head.append(mark("stand-in", say("friends.stand_in")));
        else if (one.kind === "person" && !one.here) head.append(mark("away", say("friends.away")));
        const seen = seenBy(shared, one.seat);
        if (seen) head.append(h("span", { class: "friend eye", role: "img", "aria-label": seen, title: seen }, drawing(EYE)));
        if (this.deadline !== null && one.seat === scene.turn) head.append(this.clock());
      }
      this.tick();
      this.drawCard();
    }

    plateOf(seat) {
      const isNearest = seat === (this.state.scene.viewer ?? 0);
      return this.main.querySelector(isNearest ? ".own .person" : `.place[data-seat="${seat}"] .seat`);
    }

    clock() {
      return h("span", { class: "friend clock", role: "img" }, h("span", { class: "ring", "aria-hidden": "true" }), h("span", { class: "seconds", "aria-hidden": "true" }));
    }

    tick() {
      const clock = this.main.querySelector(".friend.clock");
      if (!clock || this.deadline === null) return;
      const left = Math.max(0, (this.deadline - performance.now()) / 1000);
      const seconds = Math.ceil(left);
      clock.style.setProperty("--left", left / this.state.shared.clock.seconds);
      clock.classList.toggle("soon", seconds <= SOON);
      clock.setAttribute("aria-label", say("friends.seconds_left", { count: seconds }));
      clock.lastElementChild.textContent = seconds;
      if (this.state.asked && seconds <= SOON && seconds > 0 && !this.soon.textContent) this.soon.textContent = say("friends.seconds_left", { count: seconds });
    }

    /** What one may do about the people; for the host also about seats of those who are away. */
    drawCard() {
      const { shared } = this.state;
      const { room } = this;
      const isHere = shared.you !== null;
      const own = isHere ? shared.seats[shared.you].name : "";
      const button = (id, text, onclick) => h("button", { type: "button", id, class: "quiet", onclick }, text);
      const away = this.isHost ? shared.seats.filter((one) => one.kind === "person" && !one.here && one.seat !== shared.you) : [];
      const agents = this.isHost ? shared.seats.filter((one) => one.kind === "agent") : []; // whose seats people may get
      const sights = [shared.watching, shared.sight, shared.sights, shared.seats.map((one) => one.name)];
      const drawn = JSON.stringify([shared.you, own, this.isHost, shared.spectators, shared.invite, shared.can_sit, away, agents, sights]);
      if (this.people.dataset.drawn === drawn) return;
      this.people.dataset.drawn = drawn;
      const focused = this.people.contains(document.activeElement) ? document.activeElement.id : null;
      this.people.replaceChildren(
        h("h2", {}, say("friends.tables"), " ", shared.spectators ? h("span", { class: "soft" }, say("friends.spectators", { count: shared.spectators })) : ""),
        ...sightParts(shared, room),
        h(
          "div",
          { class: "buttons" },
          ...shareParts(this.key, shared.invite, "quiet"),
          isHere ? button("rename", say("friends.rename"), () => room.rename()) : "",
          ...away.map((one) => button(`fill-${one.seat}`, say("friends.fill_for", { name: one.name }), () => room.change("seat", { seat: one.seat, kind: "agent" }))),
          ...[...agents, ...away].map((one) => button(`seat-${one.seat}-free`, say("friends.invite_for", { name: one.name }), () => room.change("seat", { seat: one.seat, kind: "free" }))),
          button("leave", say("friends.leave"), () => room.leave()),
        ),
      );
      if (focused) (byId(focused) ?? this.main).focus();
    }

    // What one may do --------------------------------------------------------------------------------------------------

    onKey(event) {
      if (!this.isWatching) super.onKey(event);
    }

    giveUpButton() {
      return "";
    }

    hint() {
      // Nobody whispers at a table with friends.
    }

    hintButton() {
      return null;
    }

    async isSure() {
      return true;
    }

    async change(act, more) {
      if (this.state.shared.you === null || (act === "deal" && !this.isHost)) return false;
      const isDone = await super.change(act, more);
      if (!this.isClosed) this.recolour(); // the news of a move may come before its answer
      return isDone;
    }

    keys(state) {
      return super.keys(state).filter(([, text]) => text !== "keys_hint");
    }

    keysHelp(state) {
      return this.isWatching ? "" : super.keysHelp(state);
    }

    endButtons() {
      const { shared } = this.state;
      const wait = () => h("span", { class: "soft waits" }, say("friends.waits_deal", { name: shared.seats[shared.host].name }));
      return [
        this.isHost ? this.button("next", say("next"), () => this.change("deal"), { main: true }) : wait(),
        h("a", { class: "button", id: "review", href: `#/shared/${this.key}/review` }, say("review")),
      ];
    }
  };

export const SharedSide = Shared(SideTable);

export class SharedClimbing extends Shared(Table) {
  /** Spectators choose nothing: they see whose turn it is. */
  drawButtons() {
    if (!this.isWatching || this.state.scene.is_over) super.drawButtons();
    else this.parts.buttons.replaceChildren();
  }
}
