// The deals by name that were played in this browser: their tables, how often each was begun, and the streak.

const KEPT = "big2/deals";
const MOST = 1000; // deals
const TRIED = 50; // tables of one deal whose order is kept

/** Today's date where the person is, such as 2026-11-24. */
export function today(back = 0) {
  const now = new Date();
  const day = new Date(now.getFullYear(), now.getMonth(), now.getDate() - back);
  return [day.getFullYear(), day.getMonth() + 1, day.getDate()].map((number) => String(number).padStart(2, "0")).join("-");
}

function all() {
  try {
    const found = JSON.parse(localStorage.getItem(KEPT) ?? "{}");
    return found && typeof found === "object" ? found : {};
  } catch {
    return {};
  }
}

/**
 * What is kept of a deal: its latest `table`, the last tables with which it was `tried` in their order, how many `attempts` were
 * begun, and `on`, the day on which it was finished first.
 */
export const keptDeal = (game, name) => all()[`${game}/${name}`] ?? null;

/** Keep the table of a deal that begins. */
export const beginDeal = (table, state) => put(table, state, 1);

/** Keep the table of a deal that goes on, and once its game is over the day. */
export const keepDeal = (table, state) => put(table, state, 0);

/** Whether a table had the first attempt at its deal, the second, and so on. */
export function attemptOf(table, { game, name }) {
  const { tried = [], attempts = 1 } = keptDeal(game, name) ?? {};
  return Math.max(1, attempts - tried.length + tried.indexOf(table) + 1);
}

function put(table, { linked: { game, name }, scene }, more) {
  const deals = all();
  const place = `${game}/${name}`;
  const known = deals[place];
  const attempts = known ? known.attempts + more : 1;
  const tried = known && !more ? known.tried : [...(known?.tried ?? []), table].slice(-TRIED);
  const on = known?.on ?? (scene.is_over ? today() : null);
  if (known?.table === table && known.on === on && !more) return;
  delete deals[place];
  deals[place] = { table, tried, attempts, on };
  const kept = Object.entries(deals).slice(-MOST);
  try {
    localStorage.setItem(KEPT, JSON.stringify(Object.fromEntries(kept)));
  } catch {
    // Then there is no streak.
  }
}

/** For how many days in a row the deal of the day was finished on its day or before, up to today or yesterday. */
export function streak(game) {
  const deals = all();
  const isDone = (day) => {
    const on = deals[`${game}/${day}`]?.on;
    return Boolean(on) && on <= day; // a link may lead to the deal of tomorrow
  };
  let count = 0;
  for (let back = isDone(today()) ? 0 : 1; isDone(today(back)); back += 1) count += 1;
  return count;
}
