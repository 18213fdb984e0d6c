// A table with friends at `#/shared/KEY/INVITATION`: which part of it is shown, news of it, and what its people are asked.

import { askName, confirmed } from "./dialogs.js";
import { Failed, GONE, ask, byId, complain, h, keep, say, settings } from "./dom.js";
import { SharedClimbing, SharedSide } from "./shared_table.js";
import { listen, reconnect } from "./stream.js";
import { WaitingRoom } from "./waiting.js";

const CALM = 1200; // milliseconds without a stream after which it is said
const SETTLING = 700; // milliseconds for which new notices take no press: the second one of a double click was for another button

/** A state is of a version, and of a moment: of two answers the later one counts. */
const isOlder = (state, other) => state.version < other.version;

export class SharedRoom {
  constructor(main, key, options) {
    Object.assign(this, { main, key, options, view: null, losing: null, isClosed: false, isLost: false, isLeaving: false });
    this.presses = []; // that the server has not answered, the oldest first
    this.last = Promise.resolve();
    this.notices = h("div", { class: "notices", role: "status" });
    this.onSeen = () => document.visibilityState === "visible" && this.refresh();
  }

  get title() {
    return this.state?.title ?? this.state?.scene.title;
  }

  get state() {
    return this.view?.state ?? null;
  }

  async open() {
    const { invite } = this.options;
    const invited = invite && (await ask(`shared/${this.key}/invited`, { invite }).catch(() => null));
    if (invited && !invited.here) return location.replace(`#/join/${this.key}/${invite}`);
    this.stop = listen({ table: (...news) => this.hear(...news), up: (...news) => this.onStream(...news) }); // first: no move is missed
    let state;
    try {
      state = await ask(`shared/${this.key}`);
    } catch (error) {
      this.isClosed = true;
      this.stop();
      throw error;
    }
    if (this.isClosed) return;
    this.take(state);
    document.addEventListener("visibilitychange", this.onSeen);
  }

  close() {
    this.isClosed = true;
    this.stop?.();
    this.view?.close();
    clearTimeout(this.losing);
    clearTimeout(this.settling);
    document.removeEventListener("visibilitychange", this.onSeen);
    delete this.main.dataset.room;
  }

  recolour() {
    this.view?.recolour();
  }

  onKey(event) {
    this.view?.onKey(event);
  }

  // News ---------------------------------------------------------------------------------------------------------------

  hear(key, state, lang) {
    if (key !== this.key || this.isClosed) return;
    if (state && lang !== settings.lang) this.refresh(); // another tab asks in another language
    else this.take(state);
  }

  /** Ask for the state, as what has been missed comes with no news. */
  async refresh() {
    try {
      const state = await ask(`shared/${this.key}`);
      if (!this.isClosed) this.take(state);
    } catch (error) {
      if (!(error instanceof Failed)) throw error;
      if (!this.isClosed && error.status === 404) this.take(null);
      return error;
    }
  }

  async tryNow() {
    reconnect();
    const error = await this.refresh();
    if (error) complain(error.message);
  }

  onStream(isUp, isRefused) {
    if (!isUp) {
      if (isRefused && this.view) this.refresh(); // such as after the person was removed
      this.losing ??= setTimeout(() => this.showLost(true), CALM); // each attempt that fails says so again
      return;
    }
    clearTimeout(this.losing);
    this.losing = null;
    this.showLost(false);
    if (this.hasBeenLost) this.refresh();
    this.hasBeenLost = false;
  }

  showLost(isLost) {
    this.isLost = isLost;
    this.hasBeenLost ||= isLost;
    this.drawNotices();
  }

  /** Show a state; `null` where the person is at this table no more. */
  take(state) {
    if (!state) {
      if (this.isLeaving) return;
      this.options.gone(new Failed(GONE, "gone", say("friends.removed")));
      return;
    }
    if (this.state && isOlder(state, this.state)) return;
    history.replaceState(null, "", `#/shared/${this.key}/${state.shared.invite}`); // who gets the address of this page can come
    const kind = state.shared.phase === "open" ? WaitingRoom : state.drawing === undefined ? SharedClimbing : SharedSide;
    const isWatching = state.shared.you === null;
    if (this.view instanceof kind && isWatching === (this.state.shared.you === null)) this.view.accept(state);
    else {
      this.view?.close();
      this.view = new kind(this.main, this.key, { ...this.options, isWatching, room: this });
      this.view.build(state);
      this.main.prepend(this.notices);
      this.main.dataset.room = state.shared.phase === "open" ? "waiting" : "table";
      this.drawNotices();
    }
  }

  // What the people are asked ------------------------------------------------------------------------------------------

  /** Lines over the table. They stay as they are while they say the same, so that their buttons can be pressed. */
  drawNotices() {
    if (!this.state) return;
    const { shared } = this.state;
    const { undo, you } = shared;
    const name = (seat) => shared.seats[seat].name;
    const wanted = [];
    if (this.isLost) wanted.push(["lost", say("friends.lost"), [["reconnect", "again", () => this.tryNow()]]]);
    if (you !== null && shared.seats[you].stand_in) wanted.push(["stand-in", say("friends.stand_in_for_you"), [["back", "friends.i_am_back", () => this.change("back")]]]);
    if (undo && undo.waiting.includes(you)) {
      const answer = (yes) => this.change("consent", { yes });
      wanted.push(["undo", say("friends.asks_undo", { name: name(undo.by) }), [["yes", "friends.allow", () => answer(1)], ["no", "friends.refuse", () => answer(0)]]]);
    } else if (undo) {
      const text = say(undo.by === you ? "friends.waits_consent" : "friends.undo_asked", { name: name(undo.by), names: undo.waiting.map(name).join(say("friends.and")) });
      wanted.push(["undo", text, []]);
    }
    const [wish] = shared.wishes; // one after the other
    if (wish) {
      const answer = (yes) => this.send("show", { number: wish.number, yes });
      wanted.push(["sight", say("friends.asks_sight", { name: wish.name }), [[`show-${wish.number}`, "friends.allow", () => answer(1)], [`hide-${wish.number}`, "friends.refuse", () => answer(0)]]]);
    }
    const drawn = JSON.stringify(wanted.map(([kind, text, buttons]) => [kind, text, buttons.map(([id]) => id)]));
    if (this.notices.dataset.drawn === drawn) return;
    this.notices.dataset.drawn = drawn;
    const hadFocus = this.notices.contains(document.activeElement) ? document.activeElement.id : null;
    this.notices.replaceChildren(
      ...wanted.map(([kind, text, buttons]) =>
        h("div", { class: `notice ${kind}` }, h("span", {}, text), ...buttons.map(([id, words, act], i) => this.noticeButton(id, say(words), act, !i))),
      ),
    );
    clearTimeout(this.settling);
    this.settling = setTimeout(() => this.notices.querySelectorAll("button").forEach((button) => button.setAttribute("aria-disabled", "false")), SETTLING);
    if (hadFocus) (byId(hadFocus) ?? this.main).focus();
  }

  /** A button that does nothing until its notice has settled. */
  noticeButton(id, text, act, isMain) {
    const onclick = ({ currentTarget }) => currentTarget.getAttribute("aria-disabled") === "false" && act();
    return h("button", { type: "button", id, class: isMain ? "main" : null, "aria-disabled": "true", onclick }, text);
  }

  /** Ask for a change of the table after those that were asked for before; true where it is made. A press that is repeated counts once. */
  send(act, body) {
    const name = JSON.stringify([act, body]);
    const known = this.presses.find((press) => press.name === name);
    if (known) return known.done;
    const press = { name, act, body };
    this.presses.push(press);
    const run = () => this.request(press);
    press.done = this.presses.length > 1 ? this.last.then(run, run) : run(); // also after one that failed to be shown
    this.last = press.done;
    return press.done;
  }

  async request({ act, body }) {
    try {
      const state = await ask(`shared/${this.key}/${act}`, body);
      const isOnlyChange = state?.version === body.version + 1;
      for (const press of this.presses) {
        if (isOnlyChange && press.body.version === body.version) press.body = { ...press.body, version: state.version }; // it still fits
      }
      if (!this.isClosed && state?.shared) this.take(state);
      return true;
    } catch (error) {
      if (!this.isClosed) {
        if (error.state) this.take(error.state);
        this.view.failed(error);
      }
      return false;
    } finally {
      this.presses.shift();
    }
  }

  change(act, more = {}) {
    return this.send(act, { version: this.state.version, ...more });
  }

  rename() {
    const { you, seats } = this.state.shared;
    askName(seats[you].name, (name) => {
      keep({ name });
      return this.send("rename", { name });
    });
  }

  async leave() {
    if (!(await confirmed(say("friends.leave"), say("friends.leave_sure"), say("friends.leave"), say("friends.stay")))) return;
    this.isLeaving = true; // the last news is that one has left
    if (await this.send("leave", {})) {
      location.hash = "/";
      return;
    }
    this.isLeaving = false;
    this.refresh(); // the answer may be all that was lost
  }
}
