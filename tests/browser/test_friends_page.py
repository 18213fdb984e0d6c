"""Tables with friends in real browsers: of four at one table one is reloaded, one goes away, and the server dies."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from friends_pages import LOST, act, close, join, open_table, until, version
from killable_server import killable
from test_web_layout import covered
from test_web_table import CONTRAST, UNNAMED
from web_visitor import serving

from big2_env.base.language import Language, words
from big2_env.notation import records

RECORD = "async (key) => (await fetch(`api/shared/${key}/record`)).text()"


def in_third_person(event: str, name: str) -> str:
    """A line of the log as the others see it."""
    tr = words(Language.EN)
    for key in ("passes", "landlord_found", "is_out", "wins_trick"):
        fields = {"cards": r"(.*)"} if key == "landlord_found" else {}
        told = tr(f"table.{key}", name=name, **dict.fromkeys(fields, r"\1"))
        event = re.sub(f"^{tr(f'you.{key}', **fields)}$", told, event)
    return re.sub("^you(?=: )", name, event)


def whose_turn(pages: dict[str, Any]) -> str | None:
    """The person whose turn it is, once somebody's is; `None` once the deal is over."""
    ready = "() => ['asked', 'over'].includes(document.querySelector('main').dataset.state)"
    for _ in range(200):
        for name, page in pages.items():
            if page.evaluate(ready):
                return None if page.get_attribute("main", "data-state") == "over" else name
        next(iter(pages.values())).wait_for_timeout(50)
    raise AssertionError("nobody is asked")


@pytest.mark.parametrize(("game", "seats"), [pytest.param("dou_dizhu", 3, marks=pytest.mark.release), ("big2", 4)])
def test_friends__finish_a_deal_though_one_leaves_and_the_server_dies(
    game: str, seats: int, new_page: Any, tmp_path: Path
) -> None:
    with killable(tmp_path) as server:
        pages = {name: new_page(reduced_motion="reduce") for name in ("Anna", "Ben", "Cleo", "Sam")}
        for page in pages.values():
            page.expected = LOST
        link = open_table(pages["Anna"], server.url, game, seats)
        for seat in range(3, seats):
            pages["Anna"].click(f"#seat-{seat}-agent")
            pages["Anna"].wait_for_selector(f"#seat-{seat}-free")
        for name in ("Ben", "Cleo", "Sam"):
            join(pages[name], link, name)
        pages["Anna"].click("#start")
        for page in pages.values():
            page.wait_for_selector("main[data-room=table]")
        table = pages["Anna"].url.split("/")[5]
        people = {name: page for name, page in pages.items() if name != "Sam"}
        moves = 0
        while (name := whose_turn(people)) is not None:
            act(people[name])
            moves += 1
            if moves == 4:
                people["Ben"].reload()
                people["Ben"].wait_for_selector("main[data-room=table]")
            elif moves == 6:
                go_away_and_return(pages)
            elif moves in (8, 11):
                server.kill()
                for page in pages.values():
                    page.wait_for_selector(".notice.lost")
                server.start()
                for page in pages.values():
                    page.wait_for_selector(".notice.lost", state="detached")
            latest = version(people[name])
            for page in pages.values():
                until(page, latest)
        logs = []
        for name, page in pages.items():
            page.wait_for_selector("main[data-state=over]")
            logs.append([in_third_person(line, name) for line in page.locator(".events li").all_text_contents()])
        assert all(log == logs[0] for log in logs)
        history = records.loads(pages["Anna"].evaluate(RECORD, table)).game.history
        assert len([seat for seat, _ in history if seat < 3]) == moves
        assert pages["Ben"].locator("#next").count() == 0
        for name in ("Ben", "Sam"):
            pages[name].click("#review")
            pages[name].frame_locator("iframe").locator("#moves button").first.wait_for()
            pages[name].click("#leave")
            pages[name].wait_for_selector("main[data-state=over]")
        pages["Anna"].click("#next")
        for page in pages.values():
            page.wait_for_selector("main:not([data-state=over])")
            assert page.locator(".scores h2").inner_text().endswith("2")


def go_away_and_return(pages: dict[str, Any]) -> None:
    """Close Cleo's page; the others see that she is away, and then that she is back."""
    cleo, address = pages["Cleo"], pages["Cleo"].url
    cleo.goto("about:blank")
    for name in ("Anna", "Ben", "Sam"):
        pages[name].wait_for_selector(".friend.away", timeout=20_000)
    cleo.goto(address)
    cleo.wait_for_selector("main[data-room=table]")
    for name in ("Anna", "Ben", "Sam"):
        pages[name].wait_for_selector(".friend.away", state="detached")


def test_waiting_room__and_table_fit_every_window(new_page: Any, tmp_path: Path) -> None:
    with serving(tmp_path) as server:
        host, guest, watcher = (new_page(reduced_motion="reduce") for _ in range(3))
        link = open_table(host, server.url, "dou_dizhu", 3, "Wilhelmina Featherstonehaugh"[:24], clock="60")
        host.click("#seat-2-agent")
        guest.goto(link)
        guest.wait_for_selector("#join-name")
        join(guest, link, "<b>Ben</b> & 王小明的朋友")
        join(watcher, link, "Sam")
        assert host.locator(".friend-seat .title").nth(1).inner_text() == "<b>Ben</b> & 王小明的朋友"
        wrong = {f"waiting, {where}": found for where, found in covered(host, may_scroll=True).items()}
        host.click("#qr")
        host.locator(".code svg").wait_for()
        wrong |= {f"code, {where}": found for where, found in covered(host, may_scroll=True).items()}
        host.keyboard.press("Escape")
        check(host)
        host.click("#start")
        for page in (host, guest, watcher):
            page.wait_for_selector("main[data-room=table]")
        for _ in range(5):  # the auction, and a lead
            people = {"host": host, "guest": guest}
            act(people[whose_turn(people) or "over"])
        asking = host if host.locator("#undo[aria-disabled=false]").count() else guest
        other = guest if asking is host else host
        for page in (host, guest, watcher):
            page.evaluate("document.activeElement.blur()")  # a card with the focus lies over its neighbors
            wrong |= {f"table, {where}": found for where, found in covered(page, may_scroll=False).items()}
            check(page)
        asking.click("#undo")
        other.wait_for_selector(".notice.undo #yes")
        wrong |= {f"question, {where}": found for where, found in covered(other, may_scroll=False).items()}
        check(other)
        before = asking.locator(".events li").count()
        other.locator("#yes[aria-disabled=false]").focus()
        other.keyboard.press("Enter")
        asking.wait_for_function("(before) => document.querySelectorAll('.events li').length < before", arg=before)
        close(host, guest, watcher)
        assert wrong == {}


def check(page: Any) -> None:
    """Everything can be read and has a name, in light and dark."""
    page.set_viewport_size({"width": 1280, "height": 800})
    for scheme in ("dark", "light"):
        page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
        assert page.evaluate(CONTRAST) == []
    assert page.evaluate(UNNAMED) == []


@pytest.mark.parametrize("has_locks", [True, False])  # pages of a server in the local network have none
def test_tabs__of_a_browser_share_one_stream(has_locks: bool, new_page: Any, tmp_path: Path) -> None:
    with serving(tmp_path) as server:
        page = new_page(reduced_motion="reduce")
        if not has_locks:
            page.context.add_init_script("Object.defineProperty(navigator, 'locks', { value: undefined })")
        with page.expect_request("**/api/stream*"):
            link = open_table(page, server.url, "big2", 2)
        address = page.url
        tabs = [page, *(page.context.new_page() for _ in range(2))]
        asked: list[str] = []
        for tab in tabs[1:]:
            tab.on("request", lambda request: asked.append(request.url))
            tab.goto(address)
            tab.wait_for_selector("main[data-room=waiting]")
        assert not [url for url in asked if "api/stream" in url]
        guest = new_page()
        join(guest, link, "Ben")
        for tab in tabs:
            tab.locator(".friend-seat .title", has_text="Ben").wait_for()
        tabs[0].close()
        guest.click("#rename")
        guest.fill("#new-name", "Benjamin")
        guest.keyboard.press("Enter")
        for tab in tabs[1:]:
            tab.locator(".friend-seat .title", has_text="Benjamin").wait_for()
        streams = len([url for url in asked if "api/stream" in url])
        assert streams == 1 if has_locks else 1 <= streams <= 2  # two tabs may notice the silence at once
        close(*tabs[1:], guest)


def test_address__of_a_table_with_friends_is_an_invitation(new_page: Any, tmp_path: Path) -> None:
    with serving(tmp_path) as server:
        host, guest = new_page(phone=True), new_page(phone=True)
        open_table(host, server.url, "big2", 2)
        join(guest, host.url, "Ben")
        for page in (host, guest):
            page.locator(".friend-seat .title", has_text="Ben").wait_for()
            page.reload()
            page.wait_for_selector("main[data-room=waiting]")
        host.click(".friend-side summary")
        before = host.url
        host.click("#new-link")
        host.click("dialog [value=yes]")
        host.wait_for_function("(before) => location.href !== before", arg=before)
        assert host.url.split("/")[5:] == host.input_value("#link").split("/")[5:]
        close(host, guest)


def test_invitation__is_withdrawn_by_a_new_link(new_page: Any, tmp_path: Path) -> None:
    with serving(tmp_path, token="only-for-the-host") as server:
        page = new_page(phone=True)
        page.goto(f"{server.url}#token=only-for-the-host")
        page.wait_for_selector("#start")
        first = open_table(page, server.url, "big2", 2)
        page.click(".friend-side summary")
        page.click("#new-link")
        page.click("dialog [value=yes]")
        page.wait_for_function("(old) => document.querySelector('#link').value !== old", arg=first)
        guest = new_page(phone=True)
        guest.expected = ("404",)
        guest.goto(first)
        assert "no longer works" in guest.locator("[role=alert] p").first.inner_text()
        join(guest, page.input_value("#link"), "Ben")  # without the server's token
        page.wait_for_selector(".friend-seat.is-person >> nth=1")
        page.click("#seat-1-free")
        guest.wait_for_selector("section[role=alert]")
        close(page, guest)


SHARED = """navigator.share = async ({ url }) => (window.given = url);"""
"""The window of a phone in which one chooses to whom to send a link."""


@pytest.mark.parametrize("is_phone", [True, False])
def test_link__is_given_by_the_first_button(is_phone: bool, new_page: Any, tmp_path: Path) -> None:
    with serving(tmp_path) as server:
        page = new_page(phone=is_phone, permissions=["clipboard-read", "clipboard-write"])
        if is_phone:
            page.add_init_script(SHARED)
        link = open_table(page, server.url, "big2", 3)
        for room in ("waiting", "table"):
            page.wait_for_selector(f"main[data-room={room}]")
            page.click("#share")
            if is_phone:
                assert page.evaluate("window.given") == link
            else:
                page.locator(".copied", has_text="Copied").wait_for()
                assert page.evaluate("navigator.clipboard.readText()") == link
            if room == "waiting":
                page.evaluate("window.given = null, navigator.clipboard.writeText('')")
                assert page.locator("main button").evaluate_all("(all) => all[1].id") == "share"  # after "start"
                page.click("#start")
        close(page)


def test_link__seats_watchers_and_those_who_left(new_page: Any, tmp_path: Path) -> None:
    with serving(tmp_path) as server:
        host, guest, watcher = new_page(), new_page(phone=True), new_page(phone=True)
        link = open_table(host, server.url, "big2", 2)
        watcher.goto(link)
        watcher.fill("#join-name", "Sam")
        join(guest, link, "Ben")
        watcher.click("#join")
        watcher.locator("#message", has_text="All seats are taken").wait_for()
        guest.goto(link)  # as after a reload of the invitation
        guest.wait_for_selector("main[data-room=waiting]")
        assert host.locator(".is-person").count() == 2
        guest.click("#leave")
        guest.click("dialog [value=yes]")
        guest.wait_for_selector("#start")
        watcher.click("#sit")
        watcher.locator("#rename").wait_for()
        guest.go_back()
        guest.click("#join")
        guest.wait_for_selector("main[data-room=waiting]")
        assert guest.locator("#rename").count() == 0  # Ben watches now
        close(host, guest, watcher)


def test_page__of_a_person_who_was_removed_without_a_stream(new_page: Any, tmp_path: Path) -> None:
    with serving(tmp_path) as server:
        host, guest = new_page(), new_page()
        link = open_table(host, server.url, "big2", 2)
        guest.expected = (*LOST, "404")
        guest.route("**/api/stream*", lambda route: route.abort())
        join(guest, link, "Ben")
        guest.wait_for_selector(".notice.lost")
        host.click("#seat-1-free")
        host.wait_for_selector("#seat-1-agent")
        guest.unroute("**/api/stream*")
        guest.wait_for_selector("section[role=alert]")
        close(host, guest)


def test_leaving__is_said_to_the_others(new_page: Any, tmp_path: Path) -> None:
    with serving(tmp_path) as server:
        host, guest, watcher = (new_page(reduced_motion="reduce") for _ in range(3))
        link = open_table(host, server.url, "big2", 4)
        join(guest, link, "Ben")
        join(watcher, link, "Sam", "zh-Hant")
        host.click("#start")
        for page in (host, guest, watcher):
            page.wait_for_selector("main[data-room=table]")
        guest.click("#leave")
        assert guest.evaluate("document.activeElement.textContent") == "Stay"
        guest.click("dialog [value=yes]")
        for page, said in ((host, "Ben left. Sage plays from this seat now."), (watcher, "Ben 離開了，這個座位由阿悟接手。")):
            page.locator("#message", has_text=said).wait_for()
            assert page.locator(".events li", has_text=said).count() == 1
            page.reload()
            page.locator(".events li", has_text=said).wait_for()
            assert page.locator("#message", has_text=said).count() == 0
        close(host, guest, watcher)


def test_lost_stream__is_tried_ever_less_often_and_at_once_when_asked(new_page: Any, tmp_path: Path) -> None:
    with serving(tmp_path) as server:
        page = new_page()
        page.expected = LOST
        tries: list[Any] = []
        page.route("**/api/stream*", lambda route: (tries.append(route), route.abort()))
        page.clock.install()
        open_table(page, server.url, "big2", 2)
        for _ in range(60):
            page.clock.run_for(1000)
            page.wait_for_timeout(20)
        assert 5 <= len(tries) <= 7  # after 1, 3, 7, 15, 31 seconds
        for act in (
            lambda: page.evaluate("dispatchEvent(new Event('online'))"),
            lambda: page.evaluate("document.dispatchEvent(new Event('visibilitychange'))"),
            lambda: page.click("#reconnect[aria-disabled=false]"),
        ):
            before = len(tries)
            act()
            for _ in range(1000):
                if len(tries) == before:
                    page.wait_for_timeout(20)
            page.wait_for_timeout(100)
            assert len(tries) == before + 1
        page.unroute("**/api/stream*")
        page.click("#reconnect")
        page.wait_for_selector(".notice.lost", state="detached")
        close(page)
