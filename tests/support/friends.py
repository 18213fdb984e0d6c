"""People at a shared table: visitors that join by invitation, play, and listen to their stream."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from socket import SHUT_RDWR, create_connection
from threading import Event, Thread
from time import monotonic, sleep
from typing import Any

from web_visitor import Answer, Served, Visitor, serving

from big2_env.tables.browser.shared_table import SharedTable


class Friend(Visitor):
    """A visitor at one shared table."""

    def __init__(self, server: Served, name: str, cookies: dict[str, str] | None = None) -> None:
        super().__init__(server, cookies)
        self.name = name

    @property
    def path(self) -> str:
        return f"/api/shared/{self.state['table']}"

    @property
    def shared(self) -> dict[str, Any]:
        found: dict[str, Any] = self.state["shared"]
        return found

    @property
    def shared_table(self) -> SharedTable:
        """The table itself, for tests that look behind it."""
        found: SharedTable = self.server.lobby._tables[self.state["table"]]
        return found

    def open(self, game: str = "big2", seats: int = 4, agent: str | None = "lowest", clock: int = 0) -> dict[str, Any]:
        asked = {"game": game, "seats": seats, "agent": agent, "clock": clock, "name": self.name}
        answer = self.post("/api/shared?lang=en", asked)
        assert answer.status == 201, answer.text
        self.state = answer.json()
        return self.state

    def invited(self, host: Friend) -> Answer:
        """Open the link of a host's table, and take a seat, or watch."""
        invitation = {"invite": host.look()["shared"]["invite"]}
        assert self.post(f"{host.path}/invited", invitation).status == 200
        return self.post(f"{host.path}/join?lang=en", {**invitation, "name": self.name})

    def join(self, host: Friend, seat: int | None) -> dict[str, Any]:
        """Get this seat, or none, by the link of a host's table."""
        answer = self.invited(host)
        assert answer.status == 200, answer.text
        self.state = answer.json()
        assert self.shared["you"] == seat
        host.look()
        return self.state

    def look(self) -> dict[str, Any]:
        self.state = self.get(f"{self.path}?lang=en").json()
        return self.state

    def tries(self, name: str, **body: Any) -> Answer:
        """An act that may be refused."""
        return self.post(f"{self.path}/{name}?lang=en", {"version": self.state["version"], **body})

    def legal_move(self, rng: random.Random) -> tuple[str, dict[str, Any]]:
        """One of the person's legal acts by chance, as a page finds it."""
        now = self.state
        if "moves" in now:
            return "move", {"moves": [rng.choice(now["moves"])["text"]]}
        if now["calls"] and rng.random() < 0.7:
            return "say", {"word": rng.choice(now["calls"])["word"]}
        plays = self.tries("plays").json()["plays"]
        if not plays or (now["can_pass"] and rng.random() < 0.2):
            return "play", {"cards": []}
        texts = rng.choice(plays)
        found = self.post(f"{self.path}/look?lang=en", {"cards": texts}).json()
        assert found["legal"], found
        return "play", {"cards": texts, **({"reading": 0} if found["readings"] else {})}

    def go(self, rng: random.Random) -> dict[str, Any]:
        """Make a legal act."""
        name, body = self.legal_move(rng)
        return self.act(name, **body)


class Listener:
    """The stream of a visitor, read in a thread."""

    def __init__(self, friend: Visitor, lang: str = "en") -> None:
        self.text = ""
        self.states: list[dict[str, Any]] = []
        self.times: list[float] = []
        self.opened, self.ended = Event(), Event()
        cookie = "; ".join(f"{name}={value}" for name, value in friend.cookies.items())
        self._socket = create_connection(("127.0.0.1", friend.server.port), timeout=60)
        request = f"GET /api/stream?lang={lang} HTTP/1.1\r\nHost: 127.0.0.1\r\nCookie: {cookie}\r\n\r\n"
        self._socket.sendall(request.encode())
        self._file = self._socket.makefile("rb")
        self.status = int(self._file.readline().split()[1])
        self._thread = Thread(target=self._read, daemon=True)
        self._thread.start()

    def _read(self) -> None:
        with suppress(OSError):
            while line := self._file.readline().decode():
                self.text += line
                if line.startswith("data: "):
                    self.times.append(monotonic())
                    self.states.append(json.loads(line[6:]))
                    self.opened.set()
        self.ended.set()

    def wait(self, known: Callable[[Any], bool], seconds: float = 30.0) -> dict[str, Any]:
        """The latest event for which this holds."""
        until = monotonic() + seconds
        while monotonic() < until:
            for state in reversed(self.states):
                if known(state):
                    return state
            sleep(0.005)
        raise AssertionError(f"nothing came: {self.states[-1:]}")

    def close(self) -> None:
        with suppress(OSError):
            self._socket.shutdown(SHUT_RDWR)
        self._thread.join(5)
        self._file.close()
        self._socket.close()


@contextmanager
def friends(
    folder: Path,
    game: str = "big2",
    people: int = 4,
    seats: int = 4,
    clock: int = 0,
    agent: str | None = "lowest",
    **options: Any,
) -> Iterator[list[Friend]]:
    """A server, and people at one shared table that has not begun; the first one is the host."""
    with serving(folder, **options) as server:
        made = [Friend(server, name) for name in ("Anna", "Ben", "Chen", "Dora")[:people]]
        made[0].open(game, seats, agent, clock)
        for seat, friend in enumerate(made[1:], 1):
            friend.join(made[0], seat)
        for friend in made:
            friend.look()
        try:
            yield made
        finally:
            for friend in made:
                friend.close()


def play_out(people: list[Friend], seed: int = 0, most: int = 2000) -> None:
    """Play the deal to its end by chance."""
    rng = random.Random(seed)
    for _ in range(most):
        if people[0].look()["scene"]["is_over"]:
            break
        mover = people[people[0].state["scene"]["turn"]]
        mover.look()
        mover.go(rng)
    for friend in people:
        friend.look()
    assert people[0].state["scene"]["is_over"]
