// An invitation to a table with friends: which game, who is there, and one's own name.

import { Failed, GONE, Page, ask, complain, h, keep, once, say, settings } from "./dom.js";
import { nameField } from "./dialogs.js";

export class Join extends Page {
  constructor(main, key, options) {
    super(main, key, options);
    this.secret = options.secret;
  }

  get title() {
    return this.found?.title;
  }

  async open() {
    try {
      this.found = await ask(`shared/${this.key}/invited`, { invite: this.secret });
    } catch (error) {
      if (error.status !== 404) throw error;
      const isThere = await ask(`shared/${this.key}`).then(() => true, () => false); // by an invitation of before
      if (!isThere) throw new Failed(GONE, "gone", say("friends.withdrawn"));
      this.found = { here: true };
    }
    if (this.isClosed) return;
    if (this.found.here) return this.enter();
    this.draw();
    this.titled();
  }

  onKey() {
    // The form has its own keys.
  }

  draw() {
    const { title, seat, host } = this.found;
    const names = this.found.names.filter(Boolean); // free seats have none
    const join = once(() => this.join());
    const field = nameField("join-name", settings.name);
    this.input = field.querySelector("input");
    this.main.dataset.state = "invited";
    this.main.replaceChildren(
      h(
        "form",
        { class: "sheet narrow join", onsubmit: (event) => (event.preventDefault(), join()) },
        h("p", { class: "soft" }, say(seat === null ? "friends.invited_to_watch" : "friends.invited", { name: this.found.names[host] })),
        h("h2", {}, title),
        names.length ? h("p", {}, say("friends.at_table", { names: names.join(say("friends.and")) })) : "",
        field,
        h("p", { class: "buttons" }, h("button", { class: "main big", id: "join" }, say(seat === null ? "watch_start" : "friends.join"))),
      ),
    );
    this.input.focus();
  }

  async join() {
    const name = this.input.value.trim();
    try {
      const { shared } = await ask(`shared/${this.key}/join`, { invite: this.secret, name });
      if (shared.you === null && this.found.seat !== null) complain(say("friends.all_taken")); // others were faster
    } catch (error) {
      if (!(error instanceof Failed)) throw error;
      complain(error.message);
      return;
    }
    keep({ name });
    if (!this.isClosed) this.enter();
  }

  /** Go to the table; the way back does not lead to the invitation. */
  enter() {
    location.replace(`#/shared/${this.key}`);
  }
}
