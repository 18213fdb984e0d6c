// The room in which a table with friends waits for its people: the link for all of them, and the seats.

import { Page, byId, h, say } from "./dom.js";
import { confirmed, isOnlyHere, linkField, shareParts } from "./dialogs.js";
import { sightParts } from "./sights.js";

export class WaitingRoom extends Page {
  constructor(main, key, options) {
    super(main, key, options);
    this.room = options.room;
  }

  build(state) {
    this.rail = h("div", { class: "rail" });
    this.link = h("section", { class: "sheet invitation" });
    this.seats = h("ol", { class: "friend-seats", "aria-label": say("seats") });
    this.side = h("section", { class: "sheet friend-side" });
    this.main.replaceChildren(
      h(
        "div",
        { class: "waiting lobby" },
        this.rail,
        h("div", { class: "below" }, h("section", {}, this.link, this.seats), this.side),
      ),
    );
    this.accept(state);
  }

  close() {
    super.close();
    delete this.main.dataset.version;
  }

  onKey() {
    // Every control has its own.
  }

  get isHost() {
    return this.state.shared.you === this.state.shared.host;
  }

  accept(state) {
    this.state = state;
    this.draw();
    this.main.dataset.state = "open";
    this.main.dataset.version = state.version;
    this.room.drawNotices();
    this.titled();
  }

  draw() {
    const { shared } = this.state;
    const drawn = JSON.stringify(shared);
    if (this.seats.dataset.drawn === drawn) return;
    this.seats.dataset.drawn = drawn;
    const focused = document.activeElement?.id;
    this.drawRail();
    if (this.link.dataset.invite !== shared.invite) this.drawLink();
    this.seats.replaceChildren(...shared.seats.map((one) => this.seatOf(one)));
    this.drawSide();
    if (focused && document.activeElement === document.body) (byId(focused) ?? this.main).focus();
  }

  drawRail() {
    const { title, shared } = this.state;
    const free = shared.seats.filter((one) => one.kind === "free").length;
    const line = free ? say(free === 1 ? "friends.one_free" : "friends.some_free", { count: free }) : say("friends.all_there");
    const start = h("button", { type: "button", class: "main big", id: "start", onclick: () => this.room.change("start") }, say(free ? "friends.start_with_agents" : "start"));
    const wait = h("p", { class: "line waits" }, say("friends.waits_start", { name: shared.seats[shared.host].name }));
    this.rail.replaceChildren(
      h("div", { class: "setup", role: "status" }, h("strong", { class: "title" }, title), h("span", { class: "line" }, line)),
      this.isHost ? h("div", { class: "buttons" }, start) : wait,
    );
  }

  /** The link, which stays as it is while others come. */
  drawLink() {
    const { invite } = this.state.shared;
    this.link.dataset.invite = invite;
    this.link.replaceChildren(
      h("p", {}, say("friends.send_link")),
      h("div", { class: "buttons" }, ...shareParts(this.key, invite)),
      isOnlyHere() && this.isHost ? h("p", { class: "soft" }, say("friends.only_here")) : "",
    );
  }

  seatOf(one) {
    const { shared } = this.state;
    const marks = [
      one.seat === shared.you ? say("friends.you") : "",
      one.kind === "person" && one.seat === shared.host ? say("friends.host") : "",
      one.kind === "person" && !one.here ? say("friends.away") : "",
      one.kind === "agent" ? say("friends.is_agent") : "",
    ].filter(Boolean);
    const id = `seat-${one.seat}`;
    const set = (kind, text) => [h("button", { type: "button", id: `${id}-${kind}`, onclick: () => this.room.change("seat", { seat: one.seat, kind }) }, text)];
    const acts = !this.isHost || one.seat === shared.you ? [] : one.kind === "free" ? set("agent", say("friends.fill")) : set("free", say(one.kind === "agent" ? "friends.invite" : "friends.remove"));
    return h(
      "li",
      { class: `friend-seat is-${one.kind}`, "data-seat": one.seat },
      h("span", { class: "badge", "aria-hidden": "true" }, String(one.seat + 1)),
      h("span", { class: "who" }, h("span", { class: "title" }, one.kind === "free" ? say("friends.free") : one.name), ...marks.map((text) => h("span", { class: "tag" }, text))),
      acts.length ? h("div", { class: "buttons" }, ...acts) : "",
    );
  }

  async renew() {
    const isSure = await confirmed(say("friends.new_link"), say("friends.new_link_sure"), say("friends.new_link"), say("friends.keep_link"));
    if (isSure) this.room.change("link");
  }

  drawSide() {
    const { shared } = this.state;
    const { seconds } = shared.clock;
    const you = shared.you === null ? null : shared.seats[shared.you];
    const renew = h("button", { type: "button", id: "new-link", onclick: () => this.renew() }, say("friends.new_link"));
    const { open = false } = this.side.querySelector("details") ?? {};
    this.side.replaceChildren(
      h("dl", {}, h("dt", {}, say("friends.clock")), h("dd", {}, say(seconds ? "friends.clock_seconds" : "friends.clock_off", { count: seconds })), h("dt", {}, say("friends.watchers")), h("dd", {}, String(shared.spectators))),
      ...sightParts(shared, this.room),
      h(
        "div",
        { class: "buttons" },
        you ? h("button", { type: "button", id: "rename", onclick: () => this.room.rename() }, say("friends.rename")) : "",
        h("button", { type: "button", id: "leave", onclick: () => this.room.leave() }, say("friends.leave")),
      ),
      h("details", { open }, h("summary", {}, say("more")), linkField(this.key, shared.invite), this.isHost ? renew : ""),
    );
  }
}
