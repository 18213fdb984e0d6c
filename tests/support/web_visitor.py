"""The browser's table served in the test's own process, and visitors that come to it."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from http.client import HTTPConnection
from http.cookies import SimpleCookie
from pathlib import Path
from socket import socket
from threading import Thread
from time import monotonic, sleep
from typing import TYPE_CHECKING, Any, NamedTuple

from big2_env.climbing.view import View
from big2_env.drawing.replay_page import NamedMove, Replay, Verdict
from big2_env.tables.browser.app import application
from big2_env.tables.browser.connections import Limits
from big2_env.tables.browser.lobby import Lobby
from big2_env.tables.browser.server import Server, listen
from big2_env.tables.browser.table_store import TableStore
from big2_env.tables.browser.web_table import WebTable

if TYPE_CHECKING:
    from playwright.sync_api import Page

KEPT = 10.0
"""Seconds for which an idle connection is used again; the server closes it after 15."""
NOTATION = re.compile(r"[CDHS]\[(?:[2-9]|10|[JQKA])\]|\b[LB]J\b")
NAME = re.compile(r"\b([2-9]|10|[JQKA]) of (clubs|diamonds|hearts|spades)\b")


class Answer(NamedTuple):
    """What a server answers to a request."""

    status: int
    headers: dict[str, str]
    text: str

    def json(self) -> Any:
        return json.loads(self.text)


class Served(NamedTuple):
    """A server that answers requests, in a thread of its own."""

    port: int
    lobby: Lobby

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/"


_ENDING: dict[Path, Thread] = {}
"""Threads of servers that need a part of a second to end, by folder. Few tests wait for them."""


def wait_for_servers() -> None:
    """Wait until all servers of earlier tests have ended."""
    while _ENDING:
        _ENDING.popitem()[1].join()


def begun(server: Server, listening: socket) -> Thread:
    """The thread in which a server answers requests until it should exit; it then closes the socket."""

    def run() -> None:
        with listening:
            server.run(sockets=[listening])

    thread = Thread(target=run)
    thread.start()
    while not server.started:
        assert thread.is_alive()
        sleep(0.01)
    return thread


@contextmanager
def serving(
    folder: Path, most: int = 800, limits: Limits | None = None, store: TableStore | None = None, **options: Any
) -> Iterator[Served]:
    """Serve the tables of a folder at any port that is free; options as of `application`."""
    if (ending := _ENDING.pop(folder, None)) is not None:
        ending.join()
    lobby = Lobby(folder, most=most, store=store)
    server = Server(application(lobby, **options), limits=limits)
    listening = listen("127.0.0.1", 0)
    served = Served(listening.getsockname()[1], lobby)
    thread = begun(server, listening)
    try:
        yield served
    finally:
        server.should_exit = True
        _ENDING[folder] = thread


class Visitor:
    """A browser without a page: it keeps its cookies, and all that it was ever sent."""

    def __init__(self, server: Served, cookies: dict[str, str] | None = None) -> None:
        self.server = server
        self.cookies = dict(cookies or {})
        self.state: dict[str, Any] = {}
        self.received: list[str] = []
        self._connection = HTTPConnection("127.0.0.1", server.port, timeout=60)
        self._used = monotonic()

    def close(self) -> None:
        self._connection.close()

    def ask(self, method: str, path: str, body: bytes | None = None, **headers: str) -> Answer:
        """Any request; an underscore in the name of a header is a hyphen."""
        sent = {"cookie": "; ".join(f"{name}={value}" for name, value in self.cookies.items())} if self.cookies else {}
        sent |= {name.replace("_", "-"): value for name, value in headers.items()}
        if monotonic() - self._used > KEPT:
            self._connection.close()
        self._connection.request(method, path, body, sent)
        got = self._connection.getresponse()
        self._used = monotonic()
        answer = Answer(got.status, {name.lower(): value for name, value in got.getheaders()}, got.read().decode())
        for name, morsel in SimpleCookie(answer.headers.get("set-cookie", "")).items():
            self.cookies[name] = morsel.value
        self.received.append(answer.text)
        return answer

    def get(self, path: str, **headers: str) -> Answer:
        return self.ask("GET", path, **headers)

    def post(self, path: str, body: Any, **headers: str) -> Answer:
        raw = body if isinstance(body, bytes) else json.dumps(body).encode()
        return self.ask("POST", path, raw, **({"content_type": "application/json"} | headers))

    def sit_down(
        self, game: str = "big2", opponents: int | list[str] = 3, seed: int | str | None = 7, **more: Any
    ) -> dict[str, Any]:
        agents = ["lowest"] * opponents if isinstance(opponents, int) else opponents
        answer = self.post("/api/tables?lang=en", {"game": game, "opponents": agents, "seed": seed, **more})
        assert answer.status == 201, answer.text
        self.state = answer.json()
        return self.state

    @property
    def path(self) -> str:
        return f"/api/tables/{self.state['table']}"

    @property
    def table(self) -> WebTable:
        """The table itself, for tests that look behind it."""
        found: WebTable = self.server.lobby._tables[self.state["table"]]
        return found

    def act(self, name: str, **body: Any) -> dict[str, Any]:
        """An act that has to be accepted."""
        answer = self.post(f"{self.path}/{name}?lang=en", {"version": self.state["version"], **body})
        assert answer.status == 200, answer.text
        self.state = answer.json()
        return self.state

    def move(self, rng: random.Random) -> dict[str, Any]:
        """One act: an opponent's, or one of the person's own legal acts by chance."""
        if self.state["waiting"]:
            return self.act("advance")
        legal = self.table.session.legal
        play = rng.choice(list(legal))
        if not play and not play.is_pass:
            return self.act("say", word=play.pattern)
        texts = [str(card) for card in legal.ruleset.order.sort(play.mask)]
        found = self.post(f"{self.path}/look?lang=en", {"cards": texts}).json()
        if play:
            assert found["legal"], found
        return self.act("play", cards=texts, **({"reading": 0} if found["readings"] else {}))

    def play_out(self, seed: int = 0) -> dict[str, Any]:
        """Play the game to its end."""
        rng = random.Random(seed)
        while not self.state["scene"]["is_over"]:
            self.move(rng)
        return self.state


def game_data(page: str) -> dict[str, Any]:
    """The game that a page has in itself."""
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.DOTALL)
    assert found is not None
    data: dict[str, Any] = json.loads(found[1])["games"][0]
    return data


class JudgedAtOnce:
    """A review of one step that knows a best move and a turning point."""

    moments = 1
    is_waiting = False

    def __init__(self, *_: Any) -> None:
        self.done = 0

    @property
    def edition(self) -> int:
        return self.done

    def step(self) -> None:
        self.done = 1

    def judged(self, shown: Replay, *_: Any) -> Replay:
        best = NamedMove(3, "Best move: number 4, full house S[K] D[K] C[K] S[7] D[7], 0.40 points better than passing")
        text = "Turning point by others: move 3, Thrifty 2: S[2], from +0.31 to -0.22 points for you"
        return replace(shown, verdict=Verdict("", best=best, turn=NamedMove(2, text)))


@contextmanager
def visit(folder: Path, cookies: dict[str, str] | None = None, **options: Any) -> Iterator[Visitor]:
    """A server over a folder, and a visitor with these cookies."""
    with serving(folder, **options) as server:
        visitor = Visitor(server, cookies)
        try:
            yield visitor
        finally:
            visitor.close()


def known(visitor: Visitor) -> set[str]:
    """The cards that the person may know of."""
    view: View = visitor.table.session.game.view(visitor.table.session.seat)
    mask = view.hand | view.bottom | view.obligation
    for played in view.played:
        mask |= played
    return {str(card) for card in view.ruleset.order.sort(mask)}


def named_cards(text: str) -> set[str]:
    """Every card that a text names, in notation or in words."""
    found = set(NOTATION.findall(text))
    found |= {f"{suit[0].upper()}[{rank}]" for rank, suit in NAME.findall(text)}
    return found | {short for long, short in (("little joker", "LJ"), ("big joker", "BJ")) if long in text}


def sit_down(page: Page, server: Served, game: str = "big2", *, opponents: int = 3, lang: str = "en", seed: int = 7) -> None:
    """Begin a game as a person does, on the first page; opponents move at once."""
    kept = {
        "lang": lang,
        "pace": "at_once",
        "setup": {"game": game, "players": opponents + 1, "opponents": ["lowest"] * opponents},
    }
    page.add_init_script(f"localStorage.getItem('big2') ?? localStorage.setItem('big2', {json.dumps(json.dumps(kept))})")
    page.goto(server.url)
    page.locator("form details summary").click()
    page.fill("#seed", str(seed))
    page.click("#start")
    page.wait_for_url("**/table/*")


def arrive(page: Page, server: Served, game: str, opponents: int, seed: int, moves: int) -> None:
    """Open a table after so many moves, once the person is asked or the game is over."""
    visitor, rng = Visitor(server), random.Random(4)
    visitor.sit_down(game, opponents, seed)
    made = 0
    while not visitor.state["scene"]["is_over"] and (made < moves or not visitor.state["asked"]):
        visitor.move(rng)
        made += 1
    visitor.close()
    page.context.add_cookies([{"name": name, "value": value, "url": server.url} for name, value in visitor.cookies.items()])
    page.goto(f"{server.url}#/table/{visitor.state['table']}")
    page.wait_for_selector("main[data-state=asked], main[data-state=over]")
