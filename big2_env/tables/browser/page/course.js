// A game in the text format, pasted or opened: looked through as at a table, and its log checked against an expected one.

import { Failed, Page, ask, complain, h, say } from "./dom.js";

const SHOWN = 400; // characters of a line
const LEFT_TO_THEM = /^(INPUT|SELECT|TEXTAREA|BUTTON|SUMMARY|A)$/; // what has keys of its own

/** The texts, which stay while another part of the page is shown. */
const kept = { text: "", expected: "", isShown: false };

export class Course extends Page {
  frame = null;

  get title() {
    return say("course");
  }

  async open() {
    this.sample = await ask("course");
    if (this.isClosed) return;
    this.result = h("div", { class: "result-of", role: "status", tabindex: "-1" });
    this.looked = h("div", { class: "looked" });
    this.fields = { text: this.field("text"), expected: this.field("expected") };
    const onkeydown = (event) => event.key === "Enter" && (event.ctrlKey || event.metaKey) && this.show();
    this.main.dataset.state = "course";
    this.main.replaceChildren(
      h(
        "form",
        { class: "course", onkeydown, onsubmit: (event) => (event.preventDefault(), this.show()) },
        h("p", { class: "soft" }, say("course_about")),
        h("div", { class: "texts" }, this.fields.text.box, this.fields.expected.box),
        h(
          "div",
          { class: "buttons" },
          h("button", { class: "main", id: "show" }, say("course_show")),
          h("button", { type: "button", id: "example", onclick: () => this.example() }, say("course_example")),
          h("a", { class: "button", href: "#/" }, say("to_lobby")),
        ),
        this.result,
      ),
      this.looked,
    );
    this.titled();
    if (kept.isShown) await this.show();
  }

  /** A text with its label and a button that opens a file; a file may also be dropped. */
  field(name) {
    const area = h("textarea", { id: `course-${name}`, rows: "9", spellcheck: "false", autocomplete: "off", wrap: "off", placeholder: say(`course_${name}_hint`) });
    area.value = kept[name];
    area.addEventListener("input", () => (kept[name] = area.value));
    const file = h("input", { type: "file", hidden: true, onchange: () => this.read(name, file.files[0]) });
    const ondrop = (event) => {
      const [dropped] = event.dataTransfer.files;
      if (!dropped) return; // a text, which the browser puts in itself
      event.preventDefault();
      this.read(name, dropped);
    };
    const open = h("button", { type: "button", id: `open-${name}`, onclick: () => file.click() }, say("course_open"));
    const head = h("div", { class: "text-head" }, h("label", { for: area.id }, say(`course_${name}`)), file, open);
    return { area, box: h("div", { class: "sheet text", ondrop, ondragover: (event) => event.preventDefault() }, head, area) };
  }

  async read(name, file) {
    if (!file) return;
    if (file.size > 4 * this.sample.most) complain(say("course_file", { name: file.name, size: file.size, most: this.sample.most }));
    else this.put(name, await file.text());
  }

  put(name, text) {
    kept[name] = this.fields[name].area.value = text;
  }

  async example() {
    this.put("text", this.sample.input);
    this.put("expected", this.sample.log);
    await this.show();
  }

  /** Read the game, and show it with the result of its check. */
  async show() {
    const { text, expected } = kept;
    const long = [text, expected].find(({ length }) => length > this.sample.most);
    if (long !== undefined) return this.refuse(say("course_long", { count: long.length, most: this.sample.most }));
    let found;
    try {
      found = await ask("course", { text, expected });
    } catch (error) {
      if (!(error instanceof Failed)) throw error;
      return this.refuse(error.message);
    }
    if (this.isClosed) return;
    if (found.problem) return this.refuse(found.problem);
    kept.isShown = true;
    this.main.dataset.checked = found.checked ? String(!found.difference) : "";
    this.result.replaceChildren(...this.resultOf(found));
    await this.look(found.page);
    this.result.focus();
  }

  refuse(message) {
    kept.isShown = false;
    this.frame = null;
    this.main.dataset.checked = "refused";
    this.looked.replaceChildren();
    this.result.replaceChildren(h("p", { class: "verdict bad" }, h("span", { "aria-hidden": "true" }, "✗ "), message));
    this.result.focus();
  }

  resultOf({ form, moves, notes, checked, difference, log }) {
    const read = say(`course_is_${form}`, { count: moves });
    const parts = [h("p", {}, read), ...notes.map((note) => h("p", { class: "soft" }, note))];
    if (difference) {
      parts.unshift(
        h("p", { class: "verdict bad" }, h("span", { "aria-hidden": "true" }, "✗ "), say("course_differs", difference)),
        compared(difference),
        h("p", { class: "buttons" }, h("button", { type: "button", id: "to-step", onclick: () => this.goTo(difference.ply) }, say("course_step"))),
      );
    } else if (checked) parts.unshift(h("p", { class: "verdict good" }, h("span", { "aria-hidden": "true" }, "✓ "), say("course_same")));
    parts.push(h("details", {}, h("summary", {}, say("course_log")), h("pre", { tabindex: "0" }, log)));
    return [h("section", { class: "sheet" }, ...parts)];
  }

  /** Put the page of the game into a frame of its own. */
  async look(page) {
    this.frame = h("iframe", { src: new URL("review.html", import.meta.url), title: say("course_game") });
    const opened = new Promise((done) => this.frame.addEventListener("load", done, { once: true }));
    this.looked.replaceChildren(this.frame);
    await opened;
    if (this.isClosed) return;
    this.frame.contentWindow.show(page);
    this.main.dataset.shown = String(Number(this.main.dataset.shown ?? 0) + 1);
  }

  goTo(ply) {
    const inner = this.frame.contentWindow;
    const slider = inner.document.getElementById("slider");
    slider.value = ply;
    slider.dispatchEvent(new inner.Event("input"));
    this.frame.scrollIntoView({ block: "start" });
    this.frame.focus();
  }

  close() {
    super.close();
    delete this.main.dataset.checked;
    delete this.main.dataset.shown;
  }

  /** The keys of the page in the frame, also while it is not in focus. */
  onKey(event) {
    if (!this.frame || event.defaultPrevented || event.altKey || event.ctrlKey || event.metaKey || LEFT_TO_THEM.test(event.target.tagName)) return;
    const inner = this.frame.contentWindow;
    const isFree = inner.document.dispatchEvent(new inner.KeyboardEvent("keydown", { key: event.key, cancelable: true }));
    if (!isFree) event.preventDefault();
  }
}

/** Both lines, marked from the first character that differs. */
function compared({ expected, got }) {
  let same = 0;
  while (expected && got && same < expected.length && expected[same] === got[same]) same += 1;
  const shown = (text) => (text === null ? [h("em", {}, say("course_end"))] : [text.slice(0, same).slice(-SHOWN), h("mark", {}, text.slice(same, same + SHOWN) || "\u00A0")]);
  const cell = (name, text) => h("div", {}, h("dt", {}, say(name)), h("dd", { class: "line-of" }, ...shown(text)));
  return h("dl", { class: "compared" }, cell("course_wanted", expected), cell("course_got", got));
}
