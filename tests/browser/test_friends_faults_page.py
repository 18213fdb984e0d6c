"""The page of a table with friends while requests fail, come late or come twice, and at the end of a deal."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from friends_pages import LOST, close, open_table
from test_web_table import WIDER
from web_visitor import serving

ROOM = """async () => {
  const pageFile = (name) => new URL(name, document.querySelector("script[type=module]").src);
  const { SharedRoom } = await import(pageFile("shared.js"));
  const { app } = await import(pageFile("dom.js"));
  const main = document.createElement("main");
  const room = new SharedRoom(main, "KEY", { gone: () => (room.isGone = true) });
  const shared = { you: 0, undo: null, wishes: [], seats: [{ name: "Anna", stand_in: true }] };
  const state = (version) => ({ version, shared });
  const view = { state: state(1), failed: () => null, close: () => null };
  room.view = view;
  room.drawNotices();
  const notice = room.notices.firstElementChild;
  view.state = state(2);
  room.drawNotices();
  const stays = notice === room.notices.firstElementChild;
  const asked = [];
  const answers = [];
  window.fetch = (path, { body }) => {
    asked.push([path.replace(/[?].*/, ""), JSON.parse(body ?? "null")]);
    return new Promise((done, failed) => answers.push({ done, failed }));
  };
  const later = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds));
  const back = notice.querySelector("button");
  back.click();
  const early = [...asked];
  while (back.ariaDisabled !== "false") await later(10);
  back.click();
  back.click();
  const presses = [...asked];
  answers.shift().done(new Response("{}"));
  while (room.presses.length) await later(1);
  const leaving = room.leave();
  document.querySelector("dialog [value=yes]").click();
  while (!answers.length) await later(1);
  room.hear("KEY", null, "en");
  const isGoneEarly = Boolean(room.isGone);
  answers.shift().failed(new TypeError("offline"));
  await Promise.race([leaving, later(1000)]);
  room.hear("KEY", null, "en");
  return { stays, early, presses, isGoneEarly, isGone: Boolean(room.isGone) };
}"""
"""Runs a room whose server is a list of answers: an agent stands in, then leaving fails."""


def lobby(new_page: Any, url: str) -> Any:
    """The first page, whose modules a test imports."""
    page = new_page()
    page.goto(url)
    page.wait_for_selector("#start")
    return page


def test_room__keeps_its_notice_and_hears_on_after_leaving_failed(new_page: Any, tmp_path: Path) -> None:
    with serving(tmp_path) as server:
        page = lobby(new_page, server.url)
        assert page.evaluate(ROOM) == {
            "stays": True,
            "early": [],
            "presses": [["api/shared/KEY/back", {"version": 2}]],
            "isGoneEarly": False,
            "isGone": True,
        }


PRESSES = """async () => {
  const { SharedRoom } = await import(new URL("shared.js", document.querySelector("script[type=module]").src));
  const main = document.createElement("main");
  const room = new SharedRoom(main, "KEY", {});
  const state = (version) => ({ version, shared: {} });
  room.view = { state: state(4), failed: (error) => failures.push(error.status), close: () => null };
  room.take = (taken) => (room.view.state = taken);
  const failures = [];
  const asked = [];
  const answers = [];
  window.fetch = (path, { body }) => {
    asked.push([path.replace(/.*KEY.|[?].*/g, ""), JSON.parse(body)]);
    return new Promise((done) => answers.push(done));
  };
  const turn = () => new Promise((done) => setTimeout(done, 5));
  const until = async (number) => {
    for (let n = 0; n < 2000 && asked.length < number; n++) await turn();
  };
  const fill = (seat) => room.change("seat", { seat, kind: "agent" });
  const presses = [fill(1), fill(2), room.send("rename", { name: "Ann" })];
  await turn();
  const first = asked.length;
  answers.shift()(new Response(JSON.stringify(state(5)))); // nothing else has happened
  await until(2);
  fill(3);
  answers.shift()(new Response(JSON.stringify(state(7)))); // somebody else was faster
  await until(3);
  answers.shift()(new Response(JSON.stringify(state(7))));
  await until(4);
  answers.shift()(new Response(JSON.stringify({ error: "stale", message: "stale" }), { status: 409 }));
  const made = await Promise.all(presses);
  await turn();
  const before = asked.length;
  const { take } = room;
  room.take = room.view.failed = () => { throw Error("cannot be drawn"); };
  const broken = [fill(1), room.send("rename", { name: "Bo" })];
  answers.shift()(new Response(JSON.stringify(state(8))));
  await until(before + 2);
  room.take = take;
  const after = asked.splice(before).map(([act]) => act);
  answers.shift()?.(new Response(JSON.stringify(state(8))));
  const ends = await Promise.allSettled(broken);
  return { first, asked, made, failures, after, ends: ends.map(({ status }) => status), left: room.presses.length };
}"""
"""Presses four times while requests are under way. `until` waits for requests, and gives up after ten seconds."""


def test_room__loses_no_press(new_page: Any, tmp_path: Path) -> None:
    with serving(tmp_path) as server:
        page = lobby(new_page, server.url)
        found = page.evaluate(PRESSES)
        agent = {"kind": "agent"}
        assert found == {
            "first": 1,
            "asked": [
                ["seat", {"version": 4, "seat": 1, **agent}],
                ["seat", {"version": 5, "seat": 2, **agent}],
                ["rename", {"name": "Ann"}],
                ["seat", {"version": 5, "seat": 3, **agent}],
            ],
            "made": [True, True, True],
            "failures": [409],  # which is said
            "after": ["seat", "rename"],  # although the page could not show the first answer
            "ends": ["rejected", "fulfilled"],
            "left": 0,
        }


def test_tab__misses_no_news_while_it_opens_and_joins_once(new_page: Any, tmp_path: Path) -> None:
    with serving(tmp_path) as server:
        page = new_page()
        link = open_table(page, server.url, "big2", 2)
        key = page.url.split("/")[5]
        other = page.context.new_page()
        held: list[Any] = []
        other.route(
            lambda url: url.split("?")[0].endswith(f"/api/shared/{key}"),
            lambda route: route.continue_() if held else held.append(route),
        )
        other.goto(page.url)
        while not held:
            other.wait_for_timeout(20)
        late = held[0].fetch()
        guest = new_page()
        guest.goto(link)
        guest.fill("#join-name", "Ben")
        joins: list[str] = []
        guest.on("request", lambda request: joins.append(request.url) if "/join" in request.url else None)
        guest.evaluate("document.getElementById('join').click(); document.getElementById('join').click()")
        guest.wait_for_selector("main[data-room]")
        assert len(joins) == 1
        page.locator(".friend-seat .title", has_text="Ben").wait_for()
        held[0].fulfill(response=late)
        other.locator(".friend-seat .title", has_text="Ben").wait_for()
        close(other, page, guest)


def test_end__offers_seats_to_people_and_long_names_and_turns_fit(new_page: Any, tmp_path: Path) -> None:
    with serving(tmp_path) as server:
        page = new_page(reduced_motion="reduce")
        page.expected = LOST
        open_table(page, server.url, "big2", 3)
        page.click("#start")
        page.wait_for_selector("main[data-room=table][data-state=asked]", timeout=20_000)
        page.goto("about:blank")
        page.route("**/api/stream*", lambda route: route.abort())

        def answer(route: Any) -> None:
            found = route.fetch()
            state = found.json()
            state["shared"]["phase"] = "over"
            state["shared"]["clock"] = {"seconds": 60, "left": 50_000}
            state["shared"]["seats"][1]["kind"] = "agent"
            for seat in state["scene"]["seats"]:
                seat["name"] = "W" * 24
            route.fulfill(response=found, json=state)

        page.route(lambda url: "/api/shared/" in url and "/invited" not in url, answer)
        page.go_back()
        page.wait_for_selector("main[data-room=table]")
        assert page.locator(".people-card button[id$=-free]").count() == 1
        page.set_viewport_size({"width": 360, "height": 740})
        assert page.evaluate(WIDER) <= 0
        assert page.locator(".own .head .now").is_visible()
        page.goto("about:blank")
