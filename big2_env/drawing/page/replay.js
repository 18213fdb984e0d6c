"use strict";
(() => {
  let data = JSON.parse(document.getElementById("data").textContent);
  const say = (name, fields = {}) => data.words[name].replace(/\{(\w+)\}/g, (_, field) => fields[field]);
  const at = (id) => document.getElementById(id);
  const SVG = at("symbols").namespaceURI;
  const DASHES = ["", "9 4", "2 4", "12 4 2 4", "5 3", "1 5", "14 6"];
  const SUITS = { club: "♣\uFE0E", diamond: "♦\uFE0E", heart: "♥\uFE0E", spade: "♠\uFE0E" };
  const KINDS = { "?!": "dubious", "?": "mistake", "??": "blunder" };
  const wide = matchMedia("(min-width: 760px)");
  document.documentElement.classList.toggle("framed", parent !== window);
  at("list").open = matchMedia("(min-width: 621px)").matches;
  let game = data.games[0], ply = 0, four = false, timer = null;

  // A new element; `parts` are texts and elements. Texts are never read as HTML.
  function make(tag, attributes = {}, ...parts) {
    return fill(document.createElement(tag), attributes, parts);
  }
  function draw(tag, attributes = {}, ...parts) {
    return fill(document.createElementNS(SVG, tag), attributes, parts);
  }
  function fill(element, attributes, parts) {
    for (const [name, value] of Object.entries(attributes)) {
      if (value !== null && value !== false) element.setAttribute(name, value === true ? "" : value);
    }
    element.append(...parts.filter((part) => part !== null && part !== ""));
    return element;
  }
  const points = (value, digits = 3) => {
    const text = (Math.round(value * 10 ** digits) / 10 ** digits || 0).toFixed(digits);
    const short = text.includes(".") ? text.replace(/\.?0+$/, "") : text;
    return (Number(short) > 0 ? "+" : "") + short.replace("-", "−");
  };
  const share = (value) => `${Math.round(Math.min(Math.max(value, 0), 100))} %`;
  const fixed = (value) => {
    if (game.is_chance) return share(value);
    const digits = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2;
    const text = value.toFixed(digits);
    return (Number(text) > 0 ? "+" : "") + (Number(text) === 0 ? (0).toFixed(digits) : text).replace("-", "−");
  };
  // Cards within a sentence are in notation: suits read better as signs.
  const LETTERS = { C: "club", D: "diamond", H: "heart", S: "spade" };
  const pretty = (text) => text.replace(/\b([CDHS])\[(\d+|[JQKA])\]/g, (_, suit, rank) => rank + SUITS[LETTERS[suit]]).replace(/(^|[ ，])-(?=\d)/g, "$1−");
  const badge = (mark) => (mark ? make("span", { class: `mark ${KINDS[mark]}` }, mark) : null);

  // Cards.
  function card(place, lift, better) {
    const face = data.cards[place];
    const name = face.name || face.text || say("cards", { count: 1 });
    const use = draw("use", { href: `#${face.id}` });
    const classes = [face.text ? "" : "back", lift ? "lift" : "", better ? "better" : ""].join(" ").trim();
    return make("li", { class: classes || null }, draw("svg", { viewBox: "0 0 100 140", role: "img", "aria-label": name }, use));
  }
  // `lifted` and `better` are cards to be shown as played, or as the better choice; of equal cards as many as there are.
  function fan(cards, extra = "", lifted = [], better = []) {
    const rest = [[...lifted], [...better]];
    const takes = (list, one) => { const place = list.indexOf(one); if (place >= 0) list.splice(place, 1); return place >= 0; };
    return make("ul", { class: `cards ${extra}` }, ...cards.map((one) => card(one, takes(rest[0], one), takes(rest[1], one))));
  }
  function chips(cards) {
    return cards.map((place) => {
      const face = data.cards[place];
      const colour = !four ? { diamond: "red", heart: "red" } : { diamond: "blue", heart: "red", club: "green" };
      const isJoker = face.text === "LJ" || face.text === "BJ";
      const text = face.suit in SUITS ? face.rank + SUITS[face.suit] : (isJoker && face.name) || face.text || face.rank;
      return make("span", { class: `chip ${colour[face.suit] || ""}`, "aria-label": face.name || null, role: face.name ? "img" : null }, text);
    });
  }
  function swatch(seat, colours = "felt") {
    const line = draw("line", { x1: 1, y1: 6, x2: 27, y2: 6, "stroke-width": 3, "stroke-dasharray": DASHES[seat % 7] || null });
    line.style.stroke = `var(--${colours}-${seat % 7})`;
    return draw("svg", { width: 28, height: 12, "aria-hidden": "true" }, line);
  }

  // The table.
  function actOf(act, extra = "") {
    const classes = `act ${extra} ${act.top ? "top" : ""}`;
    if (!act.cards.length) return make("div", { class: classes }, make("span", { class: "said" }, act.words));
    return make("div", { class: classes }, make("span", { class: "words" }, act.words), fan(act.cards));
  }
  function seatOf(seat, place, lifted, better, inside) {
    const head = make("div", { class: "head" });
    head.append(make("span", { class: "name" }, game.curves.length ? swatch(seat.seat) : "", seat.name));
    head.append(make("span", { class: "count" }, say("cards", { count: seat.count })));
    for (const label of seat.labels) head.append(make("span", { class: "label" }, `· ${label}`));
    if (seat.is_turn) head.append(make("span", { class: "now" }, `▸ ${say("to_move")}`));
    if (seat.payoff !== null) head.append(make("span", { class: "paid" }, points(seat.payoff)));
    const back = data.cards.findIndex((face) => !face.text);
    const hand = seat.hand !== null ? fan(seat.hand, "", lifted, better) : fan(back < 0 ? [] : Array(seat.count).fill(back), "backs");
    const body = make("div", { class: "body" }, hand, inside && seat.act ? actOf(seat.act) : "");
    return make("div", { class: `seat ${place} ${seat.is_turn ? "turn" : ""}`, role: "group", "aria-label": seat.name }, head, body);
  }
  function areaOf(area, lifted) {
    const box = make("div", { class: `area ${area.layout}` }, make("div", {}, area.label + (area.count && area.layout === "pile" ? ` · ${area.count}` : "")));
    const cards = area.layout === "pile" ? area.cards.slice(-1) : area.cards;
    box.append(cards.length ? fan(cards, "", lifted) : make("div", { class: "empty" }));
    return box;
  }
  function showTable() {
    const scene = game.frames[ply], act = game.acts[ply], felt = at("felt");
    const seats = scene.seats.filter((seat) => seat.count || seat.hand || scene.seats.length > 1);
    const compass = wide.matches && seats.length >= 2 && seats.length <= 4;
    const lifted = act ? act.cards : [];
    const top = scene.advice.filter((one) => one.value !== null).sort((a, b) => b.value - a.value)[0];
    const better = top && !top.is_played && game.marks[ply] ? top.act.cards : [];
    felt.className = compass ? "compass" : "rows";
    const row = make("div", { class: "seats" });
    const first = scene.viewer ?? 0;
    const places = { 2: ["s", "n"], 3: ["s", "e", "w"], 4: ["s", "e", "n", "w"] }[seats.length];
    const ordered = compass ? [...seats.slice(first), ...seats.slice(0, first)] : seats;
    const centre = make("div", { class: "centre" });
    ordered.forEach((seat, number) => {
      const mine = act && act.seat === seat.seat;
      const place = compass ? `at-${places[number]}` : "";
      row.append(seatOf(seat, place, mine ? lifted : [], mine ? better : [], !compass));
      if (compass && seat.act) centre.append(actOf(seat.act, place));
    });
    if (compass) row.append(centre);
    const loose = scene.areas.filter((area) => area.layout !== "column"), columns = scene.areas.filter((area) => area.layout === "column");
    felt.replaceChildren(
      ...[loose, columns].filter((areas) => areas.length).map((areas) => make("div", { class: "areas" }, ...areas.map((area) => areaOf(area, scene.seats.length ? [] : lifted)))),
      ...(seats.length ? [row] : []),
      make("p", { class: "facts" }, pretty(scene.facts.join(" · "))),
      make("p", { class: "status" }, pretty(scene.status)),
    );
  }

  // What was said about the moment.
  function showRemarks() {
    const box = at("remarks"), told = game.remarks[ply] || [];
    box.replaceChildren(...told.map((one) => make("p", { class: one.kind },
      one.kind === "proof" ? make("span", { class: "badge proof" }, `∎ ${say("proven")}`) : one === told[0] ? badge(game.marks[ply]) : null, " ", pretty(one.text))));
  }
  function showValues() {
    const box = at("values"), scene = game.frames[ply], rows = scene.advice;
    at("judged").hidden = !game.marks.length;
    if (!rows.length) {
      const judged = game.losses[ply] !== null && game.losses[ply] !== undefined;
      box.replaceChildren(make("p", {}, say(scene.is_over ? "over" : judged ? "no_choice" : "not_judged")));
      return;
    }
    const ends = rows.flatMap((one) => one.interval || []);
    const low = Math.min(0, ...ends), high = Math.max(0, ...ends), place = (value) => `${(3 + (94 * (value - low)) / (high - low || 1)).toFixed(2)}%`;
    const body = make("tbody");
    for (const one of rows) {
      const what = make("td", {}, make("div", { class: "chips" }, ...(one.act.cards.length ? chips(one.act.cards) : [one.act.words])));
      const notes = make("div");
      if (one.is_played) notes.append(make("span", { class: "badge played" }, say("played")), badge(game.marks[ply]) || "", " ");
      if (one.is_proof) notes.append(make("span", { class: "badge proof" }, `∎ ${say("proven")}`));
      for (const note of one.note ? one.note.split("; ") : []) notes.append(make("span", { class: "badge" }, note));
      if (one.playouts) notes.append(make("small", {}, say("playouts", { count: one.playouts })));
      what.append(notes);
      const span = make("td");
      if (one.interval) {
        const y = 11, [a, b] = one.interval;
        span.append(draw("svg", { class: "span", height: 22, "aria-hidden": "true" },
          draw("line", { class: "null", x1: place(0), x2: place(0), y1: 0, y2: 22 }), draw("line", { x1: place(a), x2: place(b), y1: y, y2: y }),
          draw("line", { x1: place(a), x2: place(a), y1: 6, y2: 16 }), draw("line", { x1: place(b), x2: place(b), y1: 6, y2: 16 }),
          draw("circle", { cx: place(one.value), cy: y, r: 4.5 })));
        span.append(make("span", { class: "ends" }, say("to", { low: fixed(a), high: fixed(b) })));
      }
      const value = one.value === null ? say("no_value") : fixed(one.value);
      body.append(make("tr", { class: one.is_played ? "played" : null }, what, make("td", { class: "number" }, value), span));
    }
    const heads = [["act", ""], ["value", "number"], ["interval", ""]].map(([name, kind]) => make("th", { scope: "col", class: kind || null }, say(name)));
    box.replaceChildren(make("table", {}, make("thead", {}, make("tr", {}, ...heads)), body));
  }

  // The list of moves. A move stands for the moment before it: there its values are.
  function listMoves() {
    const names = game.frames[0].seats.map((seat) => seat.name);
    const row = (number, parts, words = null) => make("li", {}, make("button", { type: "button", "data-ply": number, title: words }, ...parts));
    const rows = game.acts.map((act, number) => {
      const isTold = act.cards.length === 1 && act.words.includes(data.cards[act.cards[0]].name || act.words + 1);
      const text = !act.cards.length || isTold ? [act.words] : names.length ? chips(act.cards) : [...chips(act.cards), ` → ${act.words}`];
      return row(number, [make("span", { class: "no" }, String(number + 1)), names.length ? make("span", { class: "who" }, names[act.seat] || "") : null,
        make("span", { class: act.cards.length ? "what chips" : "what pass" }, ...text), badge(game.marks[number])], act.cards.length ? act.words : null);
    });
    const end = game.frames[game.frames.length - 1].status;
    at("moves").replaceChildren(...rows, row(game.acts.length, [make("span", { class: "no" }, "■"), make("span", { class: "what" }, pretty(end))]));
  }
  function showMove() {
    const list = at("moves");
    for (const old of list.querySelectorAll("[aria-current]")) old.removeAttribute("aria-current");
    const button = list.querySelector(`[data-ply="${ply}"]`);
    button.setAttribute("aria-current", "true");
    const top = button.offsetTop, bottom = top + button.offsetHeight;
    if (top < list.scrollTop || bottom > list.scrollTop + list.clientHeight) list.scrollTop = top - list.clientHeight / 3;
  }

  // The graph.
  const left = 46, above = 36, high = 250, below = 20;
  let across = null;
  function drawGraph() {
    at("graph").hidden = !game.curves.length;
    if (!game.curves.length) return;
    at("graph").querySelector("figcaption").textContent = say(game.is_chance ? "graph_chance" : "graph");
    const last = game.acts.length || 1, room = Math.max(at("plot").clientWidth, 260), beside = room > 520, right = beside ? 150 : 12, tall = high - above - below;
    const all = game.curves.flatMap((curve) => curve.points.filter(Boolean).flat());
    const low = Math.min(0, ...all), top = Math.max(game.is_chance ? 100 : 0, ...all), size = top - low || 1;
    const x = (number) => left + ((room - left - right) * number) / last;
    const y = (value) => above + (tall * (top - value)) / size;
    across = (pixels) => Math.max(0, Math.min(game.acts.length, Math.round(((pixels - left) / (room - left - right)) * last)));
    const step = [0.1, 0.2, 0.25, 0.5, 1, 2, 5, 10, 20, 25, 50, 100, 200, 500, 1000, 5000].find((one) => size / one <= 6) || size;
    const picture = draw("svg", { viewBox: `0 0 ${room} ${high}`, height: high, role: "img", "aria-label": at("graph").querySelector("figcaption").textContent });
    for (let value = Math.ceil(low / step) * step; value <= top + 1e-9; value += step) {
      const zero = Math.abs(value) < 1e-9;
      picture.append(draw("line", { class: zero ? "zero" : "grid", x1: left, x2: room - right, y1: y(value), y2: y(value) }));
      picture.append(draw("text", { x: left - 6, y: y(value) + 4, "text-anchor": "end" }, game.is_chance ? share(value) : points(zero ? 0 : value)));
    }
    for (let number = 0; number <= last; number += last > 80 ? 20 : 10) {
      picture.append(draw("text", { x: x(number), y: high - 4, "text-anchor": "middle" }, number ? String(number) : say("game_start")));
    }
    const strokes = game.proven.flatMap((one, number) => (one ? [`M${x(number - 0.5)} ${high - below + 1}H${x(Math.min(number + 0.5, last))}`] : []));
    if (strokes.length) picture.append(draw("path", { class: "proven", d: strokes.join("") }, draw("title", {}, say("proven"))));
    const ends = [];
    game.curves.forEach((curve, seat) => {
      const known = curve.points.map((point, number) => [number, point]).filter(([, point]) => point);
      if (!known.length) return;
      const colour = `var(--line-${seat % 7})`;
      const band = [...known.map(([n, p]) => `${x(n)} ${y(p[2])}`), ...known.slice().reverse().map(([n, p]) => `${x(n)} ${y(p[1])}`)];
      const area = draw("path", { class: "band", d: `M${band.join("L")}Z` });
      area.style.fill = colour;
      const line = draw("path", { class: "curve", d: `M${known.map(([n, p]) => `${x(n)} ${y(p[0])}`).join("L")}`, "stroke-dasharray": DASHES[seat % 7] || null });
      line.style.stroke = colour;
      picture.append(area, line);
      const [end, point] = known[known.length - 1];
      ends.push({ seat, x: x(end), y: y(point[0]), text: curve.name });
    });
    ends.sort((a, b) => a.y - b.y);
    ends.forEach((end, i) => { end.at = Math.max(end.y + 4, i ? ends[i - 1].at + 15 : above + 4); });
    for (let i = ends.length - 1, most = high - below; i >= 0; i--) { ends[i].at = Math.min(ends[i].at, most); most = ends[i].at - 15; }
    at("legend").style.display = beside ? "none" : "flex";
    at("legend").replaceChildren(...game.curves.map((curve, seat) => make("li", {}, swatch(seat, "line"), curve.name)));
    for (const end of beside ? ends : []) {
      const sample = draw("line", { x1: room - right + 6, x2: room - right + 28, y1: end.at - 4, y2: end.at - 4, "stroke-width": 2.5, "stroke-dasharray": DASHES[end.seat % 7] || null });
      sample.style.stroke = `var(--line-${end.seat % 7})`;
      const most = Math.max(3, Math.floor((right - 36) / 7));
      const name = draw("text", { class: "end", x: room - right + 33, y: end.at }, end.text.length > most ? `${end.text.slice(0, most - 1)}…` : end.text);
      name.style.fill = `var(--line-${end.seat % 7})`;
      picture.append(sample, name);
    }
    const taken = [-99, -99]; // where the last flag of each line ends
    game.marks.forEach((mark, number) => {
      if (!mark) return;
      const line = x(number) - taken[0] > 15 || taken[1] > taken[0] ? 0 : 1;
      taken[line] = x(number);
      const flag = draw("text", { class: "flag", x: x(number), y: line ? 26 : 12, "text-anchor": "middle" }, mark);
      flag.style.fill = `var(--${KINDS[mark]})`;
      const tick = draw("line", { x1: x(number), x2: x(number), y1: line ? 29 : 15, y2: above, "stroke-width": 1.5 });
      tick.style.stroke = `var(--${KINDS[mark]})`;
      picture.append(tick, flag);
    });
    picture.append(draw("g", { id: "cursor" }));
    at("plot").replaceChildren(picture);
    at("cursor").at = (number) => {
      const parts = [draw("line", { class: "cursor", x1: x(number), x2: x(number), y1: above - 4, y2: high - below })];
      game.curves.forEach((curve, seat) => {
        const point = curve.points[number];
        if (!point) return;
        const dot = draw("circle", { cx: x(number), cy: y(point[0]), r: 4.5, stroke: "var(--sheet)", "stroke-width": 1.5 });
        dot.style.fill = `var(--line-${seat % 7})`;
        dot.append(draw("title", {}, `${curve.name} ${fixed(point[0])}`));
        parts.push(dot);
      });
      at("cursor").replaceChildren(...parts);
    };
    at("cursor").at(ply);
  }

  // Going through the game.
  const errors = () => game.marks.flatMap((mark, number) => (mark ? [number] : []));
  function go(number) {
    ply = Math.max(0, Math.min(game.acts.length, number));
    showTable();
    showRemarks();
    showValues();
    showMove();
    at("slider").value = ply;
    at("count").textContent = `${ply} / ${game.acts.length}`;
    at("slider").setAttribute("aria-valuetext", say("of", { ply, all: game.acts.length }));
    for (const id of ["first", "back"]) at(id).setAttribute("aria-disabled", ply === 0);
    for (const id of ["next", "last"]) at(id).setAttribute("aria-disabled", ply === game.acts.length);
    at("before").setAttribute("aria-disabled", !errors().some((one) => one < ply));
    at("after").setAttribute("aria-disabled", !errors().some((one) => one > ply));
    if (at("cursor")) at("cursor").at(ply);
    if (ply === game.acts.length) pause();
  }
  function jump(forward) {
    const marked = errors(), found = forward ? marked.find((one) => one > ply) : marked.filter((one) => one < ply).pop();
    if (found !== undefined) go(found);
    else if (marked.length) at("remarks").replaceChildren(make("p", {}, say("no_mistakes")));
  }
  function pause() {
    clearInterval(timer);
    timer = null;
    at("run").setAttribute("aria-pressed", "false");
  }
  function run() {
    if (timer) return pause();
    if (ply === game.acts.length) go(0);
    timer = setInterval(() => go(ply + 1), 900);
    at("run").setAttribute("aria-pressed", "true");
  }
  const open = (number) => {
    pause();
    game = data.games[number];
    at("title").textContent = game.title;
    at("slider").max = game.acts.length;
    at("errors").hidden = !errors().length;
    listMoves();
    showVerdict();
    showSummary();
    ply = Math.min(game.start, game.acts.length);
    drawGraph();
    go(ply);
  };
  // The sentence on top, and the costly decisions. A text that has not changed is not announced again.
  function showVerdict() {
    const verdict = game.verdict;
    at("verdict").hidden = !verdict;
    if (!verdict) return;
    const text = pretty(verdict.text);
    if (at("sentence").textContent !== text) at("sentence").textContent = text;
    at("source").textContent = verdict.source;
    at("named").hidden = verdict.ply === null;
    at("named").textContent = verdict.ply === null ? "" : say("show_move", { number: verdict.ply + 1 });
    at("named").dataset.ply = verdict.ply;
    at("costly").hidden = verdict.costs.length < 2; // the sentence names the only one
    at("costs").replaceChildren(...verdict.costs.map((one) => make("li", {}, make("button", { type: "button", "data-ply": one.ply }, badge(game.marks[one.ply]), " ", pretty(one.text)))));
  }
  function showSummary() {
    at("summary").hidden = !game.summary.length && !game.notes.length;
    const [heads, ...rows] = game.summary;
    at("table").replaceChildren(...(heads ? [make("table", {},
      make("thead", {}, make("tr", {}, ...heads.map((head, i) => make("th", { scope: "col", class: i ? "number" : null }, head)))),
      make("tbody", {}, ...rows.map((row) => make("tr", {}, ...row.map((cell, i) => make(i ? "td" : "th", i ? { class: "number", "data-label": heads[i] } : { scope: "row" }, i ? pretty(cell) : cell))))))] : []));
    at("notes").replaceChildren(...game.notes.map((note) => make("p", {}, note)));
  }

  data.games.forEach((one, number) => at("game").append(make("option", { value: number }, one.title)));
  at("chooser").hidden = data.games.length < 2;
  at("game").addEventListener("change", () => open(Number(at("game").value)));
  const steps = { first: () => go(0), back: () => go(ply - 1), next: () => go(ply + 1), last: () => go(game.acts.length), before: () => jump(false), after: () => jump(true) };
  for (const [id, step] of Object.entries(steps)) at(id).addEventListener("click", () => { pause(); step(); });
  at("run").addEventListener("click", run);
  at("slider").addEventListener("input", () => { pause(); go(Number(at("slider").value)); });
  for (const id of ["moves", "verdict"]) at(id).addEventListener("click", (event) => {
    const button = event.target.closest("button");
    if (button) { pause(); go(Number(button.dataset.ply)); }
  });
  at("plot").addEventListener("click", (event) => {
    pause();
    go(across(event.clientX - at("plot").getBoundingClientRect().left));
  });
  at("colours").addEventListener("click", () => {
    four = !four;
    at("colours").setAttribute("aria-pressed", four);
    at("symbols").classList.toggle("four", four);
    listMoves();
    go(ply);
  });
  document.addEventListener("keydown", (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey || /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName)) return;
    const key = { ArrowLeft: "back", ArrowRight: "next", Home: "first", End: "last", n: "after", p: "before" }[event.key];
    if (key) { pause(); steps[key](); } else if (event.key === " " && event.target.tagName !== "BUTTON") run(); else return;
    event.preventDefault();
  });
  wide.addEventListener("change", showTable);
  // A page that shows this one may bring better values of the same games: the place in the game stays.
  addEventListener("judged", (event) => {
    data = JSON.parse(event.detail);
    game = data.games[data.games.length > 1 ? Number(at("game").value) : 0];
    at("errors").hidden = !errors().length;
    listMoves();
    showVerdict();
    showSummary();
    drawGraph();
    go(ply);
  });
  let room = 0;
  new ResizeObserver(([entry]) => {
    if (Math.abs(entry.contentRect.width - room) > 1) { room = entry.contentRect.width; drawGraph(); }
  }).observe(at("plot").parentElement);
  open(0);
})();
