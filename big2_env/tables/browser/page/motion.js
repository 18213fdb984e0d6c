// What moves and sounds when a table changes. Only transform and opacity move, and nothing does where less motion is wanted.

import { settings } from "./dom.js";
import { meOf } from "./seats.js";

const STILL = matchMedia("(prefers-reduced-motion: reduce)");
const DEAL = 400;
const PLAY = 180;
const SWEEP = 250;
const PULSE = 700;
const BOMB = 320;
const RESULT = 300;
const LATE = 500; // milliseconds after which a sound is no longer made
const FROM = { n: [0, -1], e: [1, 0], s: [0, 1], w: [-1, 0] }; // where a play comes from, by place

/** Show what has changed between two states of a table; `before` is null where it has just been opened. */
export function showChange(table, before, state) {
  const { scene } = state;
  const me = meOf(scene);
  const isNewDeal = !before || before.deal !== state.deal;
  const played = isNewDeal || scene.ply !== before.scene.ply + 1 ? [] : scene.seats.filter((seat) => isNew(seat.act, before.scene.seats[seat.seat].act));
  if (!STILL.matches) {
    if (isNewDeal && !scene.is_over && !scene.seats.some((seat) => seat.act)) deal(table.hand.element);
    for (const seat of played) lay(table, seat, me.seat);
    if (!isNewDeal && scene.seats.every((seat) => !seat.act)) {
      for (const one of table.felt.querySelectorAll(".act.past")) move(one, [{ opacity: 1, transform: "none" }, { transform: "scale(0.9)", offset: 0.8 }], SWEEP);
    }
    if (!isNewDeal) {
      for (const seat of scene.seats) if (seat.count === 1 && before.scene.seats[seat.seat].count > 1) pulse(plateOf(table, seat, me.seat));
    }
    if (scene.is_over && before && !before.scene.is_over) {
      move(table.parts.result, [{ opacity: 0, transform: "translateY(24px)" }, { opacity: 1, transform: "none" }], RESULT);
    }
  }
  if (settings.sounds && before) {
    if (scene.is_over) {
      if (!before.scene.is_over && scene.viewer !== null && me.payoff > 0) sound([523, 659, 784, 1047], 0.13);
    } else if (state.asked && !before.asked) sound([659, 880], 0.09);
    else if (played.some((seat) => seat.act.cards.length)) sound([196], 0.05);
  }
}

const isNew = (act, old) => Boolean(act) && JSON.stringify(act.cards) + act.words !== (old ? JSON.stringify(old.cards) + old.words : "");
const move = (element, frames, duration, more = {}) => element?.animate(frames, { duration, easing: "ease-out", ...more });
const plateOf = (table, seat, viewer) => (seat.seat === viewer ? table.own : table.felt.querySelector(`[data-seat="${seat.seat}"] .seat`));

function deal(hand) {
  const cards = [...hand.children];
  const each = DEAL / 2;
  cards.forEach((card, i) =>
    move(card, [{ opacity: 0, transform: "translateY(-60px)" }, { opacity: 1, transform: "none" }], each, { delay: (each * i) / cards.length, fill: "backwards" }),
  );
}

function lay(table, seat, viewer) {
  const act = seat.seat === viewer ? table.parts.centre.querySelector(".act") : table.felt.querySelector(`[data-seat="${seat.seat}"] .act`);
  const place = /\bat-([nesw])\b/.exec(act?.className ?? "")?.[1] ?? "n";
  const [x, y] = FROM[table.felt.classList.contains("compass") || place === "s" ? place : "n"];
  move(act, [{ opacity: 0.2, transform: `translate(${x * 70}px, ${y * 50}px) scale(0.85)` }, { opacity: 1, transform: "none" }], PLAY);
  if (isBomb(seat.act.cards)) {
    const shaken = [0, -5, 5, -3, 3, 0].map((pixels) => ({ transform: `translateX(${pixels}px)` }));
    move(table.felt.firstElementChild, shaken, BOMB);
  }
}

/** Four or more of a rank, or both jokers. */
const isBomb = (cards) => (cards.length >= 4 && new Set(cards.map((card) => card.rank)).size === 1) || cards.map((card) => card.text).sort().join() === "BJ,LJ";

function pulse(plate) {
  move(plate, [{ transform: "none" }, { transform: "scale(1.05)" }, { transform: "none" }], PULSE / 2, { iterations: 2 });
}

let audio = null;

/** Notes one after the other, softly; each is given by its frequency. None where the page has not been touched yet. */
async function sound(notes, seconds) {
  audio ??= new AudioContext();
  const asked = performance.now();
  await audio.resume(); // waits for a first touch
  if (performance.now() - asked > LATE) return;
  notes.forEach((frequency, i) => {
    const start = audio.currentTime + i * seconds;
    const tone = new OscillatorNode(audio, { type: "triangle", frequency });
    const loudness = new GainNode(audio, { gain: 0 });
    loudness.gain.setValueAtTime(0.12, start);
    loudness.gain.exponentialRampToValueAtTime(0.001, start + seconds * 2);
    tone.connect(loudness).connect(audio.destination);
    tone.start(start);
    tone.stop(start + seconds * 2);
  });
}
