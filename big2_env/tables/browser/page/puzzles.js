// Puzzles: the list by game and grade, and the table with all hands open.

import { PACES, Page, ask, byId, drawing, h, keep, kept, line, say, settings } from "./dom.js";
import { keyAct, keyList } from "./keys.js";
import { Table } from "./table.js";

const GRADES = [1, 2, 3, 4, 5];
const STEPS = {
  first: "M5 5h3v14H5zM20 5v14L9 12z",
  back: "M17 5v14L6 12z",
  run: "M4 5v14l9-7zM15 5h2.5v14H15zM19.5 5H22v14h-2.5z",
  next: "M7 5v14l11-7z",
  last: "M16 5h3v14h-3zM4 5v14l11-7z",
};
const STEP_KEYS = { Home: "first", ArrowLeft: "back", " ": "run", ArrowRight: "next", End: "last" };
const stars = (grade) => h("span", { class: "stars", role: "img", "aria-label": say("puzzle_grade", { grade }) }, "★".repeat(grade) + "☆".repeat(GRADES.length - grade));

/** Keys of the puzzles that were solved in this browser, by this tab and others. */
const solved = () => new Set([settings.solved, kept().solved].filter(Array.isArray).flat());

/** Whether a puzzle was solved, by its key or as the puzzle of a day. */
export const isSolved = (key) => solved().has(key);

export class Puzzles extends Page {
  get title() {
    return say("puzzles");
  }

  async open() {
    const { games } = await ask("puzzles");
    if (this.isClosed) return;
    this.games = games;
    this.main.dataset.state = "puzzles";
    this.draw();
    this.titled();
  }

  draw() {
    const done = solved();
    const game = this.games.find(({ name }) => name === settings.puzzles) ?? this.games[0];
    const count = ({ puzzles }) => `${puzzles.filter(([key]) => done.has(key)).length}/${puzzles.length}`;
    const options = this.games.map((one) => h("option", { value: one.name, selected: one === game }, `${one.title} (${count(one)})`));
    const onchange = (event) => {
      keep({ puzzles: event.target.value });
      this.draw();
      byId("puzzle-game").focus();
    };
    this.main.replaceChildren(
      h(
        "div",
        { class: "puzzles" },
        h("p", { class: "soft" }, say("puzzles_about")),
        h("p", { class: "buttons" }, h("label", { for: "puzzle-game" }, say("game")), h("select", { id: "puzzle-game", onchange }, ...options), h("a", { class: "button", href: "#/" }, say("to_lobby"))),
        ...GRADES.map((grade) => this.gradeOf(game, grade, done)),
      ),
    );
  }

  /** The puzzles of a grade; their numbers are those of the whole game. */
  gradeOf(game, grade, done) {
    const some = game.puzzles.map(([key, of, plays], i) => ({ key, of, plays, number: i + 1 })).filter(({ of }) => of === grade);
    if (!some.length) return null;
    const tile = ({ key, plays, number }) => {
      const isDone = done.has(key);
      const label = [say("puzzle_number", { number }), say("puzzle_plays", { count: plays }), isDone ? say("puzzle_done") : ""].filter(Boolean).join(", ");
      return h("li", {}, h("a", { class: `tile${isDone ? " done" : ""}`, href: `#/puzzles/${key}`, "aria-label": label, title: say("puzzle_plays", { count: plays }) }, String(number)));
    };
    return h("section", { class: "sheet", "aria-label": say("puzzle_grade", { grade }) }, h("h2", {}, stars(grade)), h("ol", { class: "tiles" }, ...some.map(tile)));
  }
}

/** A puzzle: the visitor moves for one seat, the solver for all others; the line after an error is stepped through, as the solution is. */
export class PuzzleTable extends Table {
  moves = "";
  solution = 0; // 1 while the solution is shown
  runs = null; // how a line goes on by itself: "run" at the usual pace, "last" at once

  /** The number of moves with which the line begins that the solver makes for all; `null` where the person moves. */
  get from() {
    return this.solution ? 0 : this.state.puzzle.error === null ? null : this.state.puzzle.error + 1;
  }

  get title() {
    return this.state && say("puzzle_title", { game: this.state.scene.title, number: this.state.puzzle.number });
  }

  /** The server keeps nothing: each request has the moves made so far. */
  request(act = "state", { cards = null, reading = null } = {}) {
    return ask(`puzzles/${this.key}/${act}`, { moves: this.moves, shown: this.solution, cards, reading });
  }

  accept(state) {
    const { puzzle } = state;
    this.moves = puzzle.moves;
    if (puzzle.is_solved && !isSolved(this.key)) keep({ solved: [...new Set([...solved(), state.table, this.key])] });
    this.own.classList.add("puzzle");
    super.accept(state);
  }

  /** Begin again: with the solution, or to try. */
  async begin(solution) {
    if (this.isBusy) return;
    Object.assign(this, { moves: "", solution, runs: null });
    this.hand.chosen.clear();
    await this.change("state");
  }

  /** Take back a losing move, or the last one. */
  async back() {
    if (this.solution) await this.begin(0);
    else if (this.state.can_undo) await this.change("undo");
  }

  /** Let the solver move, unless the puzzle has begun again meanwhile. */
  async advance() {
    const { moves, solution } = this;
    const isWanted = () => !this.isClosed && !this.isBusy && this.moves === moves && this.solution === solution;
    try {
      const state = await this.request("advance");
      if (isWanted()) this.accept(state);
    } catch (error) {
      if (isWanted()) this.failed(error, () => this.accept(this.state));
    }
  }

  goOn() {
    clearTimeout(this.timer);
    if (this.from === null) super.goOn();
    else if (this.runs && this.state.waiting) this.timer = setTimeout(() => this.advance(), this.runs === "last" ? 0 : (PACES[settings.pace] || PACES.fast));
  }

  /** Step through a line, as in a review. */
  async step(name) {
    const { ply } = this.state.scene;
    this.runs = name === "last" || (name === "run" && this.runs !== "run") ? name : null;
    const to = { first: this.from, back: Math.max(this.from, ply - 1) }[name];
    if (to !== undefined && to < ply) {
      this.moves = this.moves.split("/").slice(0, to).join("/");
      await this.change("state");
    } else if (name === "next" && this.state.waiting) await this.advance();
    else this.goOn();
    this.drawButtons();
  }

  /** Each tab has its own moves. */
  catchUp() {}

  async isSure() {
    return true;
  }

  judge() {}

  hint() {}

  giveUpButton() {
    return "";
  }

  // What is drawn ------------------------------------------------------------------------------------------------------

  draw() {
    super.draw();
    if (!this.state || !this.parts) return;
    this.parts.result.replaceChildren(); // the sentence above says it
    const { puzzle } = this.state;
    if (puzzle.is_solved) this.main.dataset.state = "solved";
    else if (this.from !== null) this.main.dataset.state = this.solution ? "shown" : "lost";
  }

  drawLook() {
    const { puzzle } = this.state;
    const isTask = !this.look && !this.hand.chosen.size;
    if (!isTask) return super.drawLook();
    const mark = { good: "✓", bad: "✗" }[puzzle.kind];
    this.parts.look.className = `look ${puzzle.kind}`;
    this.parts.look.replaceChildren(...(mark ? [h("span", { class: "sign", "aria-hidden": "true" }, mark)] : []), h("span", { class: "said", id: "status" }, ...line(puzzle.text)));
  }

  drawScores() {
    const { puzzle } = this.state;
    this.parts.scores.replaceChildren(
      h("h2", {}, say("puzzle_of", { number: puzzle.number, of: puzzle.of }), " ", stars(puzzle.grade)),
      h("p", { class: "soft" }, say("puzzle_plays", { count: puzzle.plays })),
      h("p", { class: "soft" }, say("puzzle_sides")),
    );
  }

  drawButtons() {
    const { state } = this;
    const { puzzle } = state;
    const button = (...given) => this.button(...given);
    const chosen = this.hand.chosen.size > 0;
    const step = (name) => {
      const can = name === "first" || name === "back" ? state.scene.ply > this.from : state.waiting;
      const made = button(`step-${name}`, drawing(STEPS[name]), () => this.step(name), { can, kind: "step" });
      made.setAttribute("aria-label", say(`step_${name}`));
      if (name === "run") made.setAttribute("aria-pressed", String(this.runs === "run"));
      return made;
    };
    const isEnd = this.from !== null || state.scene.is_over;
    const again = (main) => button("again", say("puzzle_again"), () => this.back(), { main });
    const next = puzzle.next ? [h("a", { class: `button${puzzle.is_solved ? " main" : ""}`, id: "next", href: `#/puzzles/${puzzle.next}` }, say("puzzle_next"))] : [];
    const solution = button("solution", say("puzzle_solution"), () => this.begin(1), { can: !this.solution || state.scene.is_over });
    const buttons = isEnd
      ? [...(puzzle.is_solved ? next : Object.keys(STEPS).map(step)), again(!puzzle.is_solved), solution, ...(puzzle.is_solved ? [] : next)]
      : [
          button("play", say("play"), () => this.play(), { main: true, can: state.asked && chosen && Boolean(this.look?.legal) }),
          button("pass", say("pass"), () => this.pass(), { can: state.can_pass }),
          button("clear", say("clear"), () => this.hand.clear(), { can: chosen }),
          button("undo", say("undo"), () => this.back(), { can: state.can_undo }),
          solution,
        ];
    this.put(this.parts.buttons, [...buttons, this.from === null && h("a", { class: "button", id: "all-puzzles", href: "#/puzzles" }, say("puzzles"))]);
  }

  // Keys ---------------------------------------------------------------------------------------------------------------

  keyActOf(event, onControl) {
    const { puzzle, scene } = this.state;
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    if (STEP_KEYS[key] && this.from !== null && !(key === " " && onControl)) return () => this.step(STEP_KEYS[key]);
    if (key === "u") return () => this.back();
    if (key === "v") return () => this.begin(1);
    if (key === "n" || (key === "Enter" && scene.is_over && !onControl)) return () => puzzle.next && (location.hash = `/puzzles/${puzzle.next}`);
    return keyAct(this, event, onControl);
  }

  keysHelp() {
    return keyList([
      ["← →", "keys_cards"],
      [say("key_space"), "keys_select"],
      ["3 … 9 10 J Q K A 2", "keys_ranks"],
      ["Tab", "keys_plays"],
      [say("key_enter"), "keys_play"],
      ["P", "keys_pass"],
      ["U", "puzzle_again"],
      ["V", "puzzle_solution"],
      ...Object.entries(STEP_KEYS).map(([key, name]) => [{ ArrowLeft: "←", ArrowRight: "→", " ": say("key_space") }[key] ?? key, `step_${name}`]),
      ["N", "puzzle_next"],
    ]);
  }
}
