"""Load on a server of shared tables: time until a move is answered and pushed, and memory per table.

    python benchmarks/shared_tables.py --tables 50 --seconds 10
    python benchmarks/shared_tables.py --game dou_dizhu --people 3
    python benchmarks/shared_tables.py --record

The server is a process of its own and listens on loopback. The load comes from this process, on the same cores. Every seat is a
person with an open stream, and every table makes one move per period. Times are measured from the first byte of a move:
`answer` to the end of its answer, `push` to the event in each other person's stream. Memory is what the resident size of the
server has grown by since before the first table, streams included.

Needs nothing else; takes about two minutes.
"""

from __future__ import annotations

import asyncio
import json as json_text
import random
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any, Final

import typer
from measured_rows import JsonOption, Recorder, RecordOption, Row
from rich.table import Table
from side_by_side import wide_console

from big2_env.runs.origin import machine, versions

SERVER: Final = """
import sys
from pathlib import Path
from big2_env.tables.browser import streams
from big2_env.tables.browser.app import application
from big2_env.tables.browser.lobby import Lobby
from big2_env.tables.browser.server import Server, listen, settle
streams.MAX_OF_ADDRESS = streams.MAX_STREAMS = 1 << 20  # all people come from one address here
with listen("127.0.0.1", 0) as listening:
    server = Server(application(Lobby(Path(sys.argv[1]))), settle)
    print(listening.getsockname()[1], flush=True)
    server.run(sockets=[listening])
"""
REACH: Final = {"p99": 500.0, "memory": 1.0}
"""Longest acceptable milliseconds of 99% of answers and pushes, and most MB per table."""
ORDER: Final = ["3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K", "A", "2"]
SUITS: Final = ("club", "diamond", "heart", "spade")


@dataclass
class Person:
    """One person at a table."""

    cookie: str = ""
    version: int = -1
    state: dict[str, Any] = field(default_factory=dict)


@dataclass
class Group:
    """The people of one table."""

    key: str
    people: list[Person]
    sent: dict[int, float] = field(default_factory=dict)
    """Time at which the move that made each version was sent."""


class Load:
    """The people of all tables.

    Args:
        port: Port of the server.
        game: Name of the game.
        people: Number of seats.
    """

    def __init__(self, port: int, game: str, people: int) -> None:
        self.port, self.game, self.people = port, game, people
        self.groups: list[Group] = []
        self.answers: list[float] = []
        self.pushes: list[float] = []
        self.late = 0
        """Number of moves that were due while the table's previous one was not answered."""
        self._free: list[tuple[asyncio.StreamReader, asyncio.StreamWriter]] = []
        self._streams: list[asyncio.Task[None]] = []

    async def post(self, path: str, body: Any, person: Person | None = None) -> dict[str, Any]:
        """Send a request on a free connection, and return its answer."""
        text = json_text.dumps(body).encode()
        cookie = f"Cookie: big2_visitor={person.cookie}\r\n" if person is not None and person.cookie else ""
        head = (
            f"POST {path} HTTP/1.1\r\nHost: localhost\r\n{cookie}Content-Type: application/json\r\nContent-Length: {len(text)}"
        )
        reader, writer = self._free.pop() if self._free else await asyncio.open_connection("127.0.0.1", self.port)
        writer.write(head.encode() + b"\r\n\r\n" + text)
        try:
            answered = await reader.readuntil(b"\r\n\r\n")
        except (asyncio.IncompleteReadError, ConnectionError):  # the server closed it while it was idle
            writer.close()
            return await self.post(path, body, person)
        fields = dict(line.split(": ", 1) for line in answered.decode().split("\r\n")[1:] if ": " in line)
        found: dict[str, Any] = json_text.loads(await reader.readexactly(int(fields["content-length"])))
        self._free.append((reader, writer))
        if person is not None and "set-cookie" in fields:
            person.cookie = fields["set-cookie"].split("=", 1)[1].split(";")[0]
        return found

    async def open_table(self, number: int) -> None:
        """Create a table, let all people join, and deal."""
        people = [Person() for _ in range(self.people)]
        asked = {"game": self.game, "seats": self.people, "clock": 0, "name": f"Host {number}"}
        state = await self.post("/api/shared", asked, people[0])
        path = f"/api/shared/{state['table']}"
        for seat, person in enumerate(people[1:], 1):
            invite = state["shared"]["seats"][seat]["invite"]
            joined = await self.post(f"{path}/join", {"invite": invite, "name": f"Guest {seat}"}, person)
        group = Group(state["table"], people)
        self.groups.append(group)
        await self.post(f"{path}/start", {"version": joined["version"]}, people[0])

    async def listen(self, group: Group, person: Person) -> None:
        """Read a person's stream, and note when each move arrives."""
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port, limit=1 << 20)
        writer.write(
            f"GET /api/stream?lang=en HTTP/1.1\r\nHost: localhost\r\nCookie: big2_visitor={person.cookie}\r\n\r\n".encode()
        )
        while line := await reader.readline():
            if line.startswith(b"data: "):
                now = time.perf_counter()
                state = json_text.loads(line[6:])["state"]
                if state["version"] > person.version:
                    person.version, person.state = state["version"], state
                    if (sent := group.sent.get(person.version)) is not None:
                        self.pushes.append(now - sent)

    async def move(self, group: Group) -> None:
        """Make a move: a higher single card if there is one, else a pass; after a deal, the next one."""
        host = group.people[0]
        scene = host.state["scene"]
        path = f"/api/shared/{group.key}"
        if scene["is_over"]:
            await self.post(f"{path}/deal", {"version": host.version}, host)
            return
        player = group.people[scene["turn"]]
        while player.version < host.version:  # the last move has not reached this person
            await asyncio.sleep(0.01)
        name, body = _move(player.state)
        started = time.perf_counter()
        group.sent = {player.version + 1: started}
        found = await self.post(f"{path}/{name}?lang=en", {"version": player.version, **body}, player)
        if "error" in found:
            raise RuntimeError(f"{name} {body}: {found['message']}")
        self.answers.append(time.perf_counter() - started)

    async def play(self, group: Group, until: float, period: float) -> None:
        """Make one move per period."""
        due = time.perf_counter() + random.random() * period
        while due < until:
            await asyncio.sleep(max(0.0, due - time.perf_counter()))
            await self.move(group)
            due += period
            while due < time.perf_counter():
                self.late += 1
                due += period

    async def all_listen(self) -> None:
        """Open all streams, and wait until each person knows the table."""
        for group in self.groups:
            self._streams += [asyncio.create_task(self.listen(group, person)) for person in group.people]
            while any(not person.state.get("scene") for person in group.people):
                await asyncio.sleep(0.01)

    def close(self) -> None:
        """End all streams."""
        for task in self._streams:
            task.cancel()


def _move(state: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """Return a legal move of the person to move."""
    if state["calls"]:
        return "say", {"word": state["calls"][-1]["word"]}
    seats, turn = state["scene"]["seats"], state["scene"]["turn"]
    tops = [seat["act"] for seat in seats if seat["act"] is not None and seat["act"]["is_top"]]
    hand = sorted(seats[turn]["hand"], key=_strength)
    if not state["can_pass"]:
        return "play", {"cards": [hand[0]["text"]]}
    if tops and len(tops[0]["cards"]) == 1:
        higher = [card for card in hand if _strength(card)[0] > _strength(tops[0]["cards"][0])[0]]
        if higher:
            return "play", {"cards": [higher[0]["text"]]}
    return "play", {"cards": []}


def _strength(card: dict[str, Any]) -> tuple[int, int]:
    if card["rank"] not in ORDER:
        return len(ORDER) + ("LJ", "BJ").index(card["rank"]), 0
    return ORDER.index(card["rank"]), SUITS.index(card["suit"])


def resident(process: int) -> int:
    """Return the resident bytes of a process."""
    status = Path(f"/proc/{process}/status").read_text()
    return int(status.split("VmRSS:")[1].split()[0]) << 10


def seconds_of(process: int) -> float:
    """Return the CPU seconds that a process has used."""
    parts = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(parts[11]) + int(parts[12])) / 100


async def measured(
    port: int, process: int, tables: int, game: str, people: int, seconds: float, period: float
) -> dict[str, Any]:
    """Return the times and the memory of a server under load."""
    load, before = Load(port, game, people), 0
    await load.open_table(0)  # loads what all tables share
    before = resident(process)
    for number in range(1, tables):
        await load.open_table(number)
    await load.all_listen()
    started, used, own = time.perf_counter(), seconds_of(process), time.process_time()
    until = started + seconds
    await asyncio.gather(*(load.play(group, until, period) for group in load.groups))
    passed = time.perf_counter() - started
    load.close()
    return {
        "game": game,
        "tables": tables,
        "people": people,
        "period": period,
        "seconds": passed,
        "moves": len(load.answers),
        "late": load.late,
        "memory": (resident(process) - before) / max(1, tables - 1) / 1e6,
        "server": (seconds_of(process) - used) / passed,
        "load": (time.process_time() - own) / passed,
        "answer": percentiles(load.answers),
        "push": percentiles(load.pushes),
    }


def percentiles(times: Sequence[float]) -> dict[str, float]:
    """Return the median and the 99th percentile of some seconds, in milliseconds."""
    ordered = sorted(times)
    return {name: 1000 * ordered[int(share * (len(ordered) - 1))] for name, share in (("p50", 0.5), ("p99", 0.99))}


def rows(report: dict[str, Any]) -> Iterator[Row]:
    """Yield the times and the memory."""
    about = f"{report['tables']} shared tables of {report['game']}, one move per {report['period']:g} s each"
    for name in ("answer", "push"):
        for share, value in report[name].items():
            yield Row(f"time until the {name} to a move, {share}, {about}", value, "ms")
    yield Row(f"memory of the server per table, {about}", report["memory"], "MB")
    yield Row(f"cores that the server uses, {about}", report["server"], "cores")


def main(
    tables: Annotated[int, typer.Option(help="Number of tables.")] = 500,
    game: Annotated[str, typer.Option(help="Game of all tables.")] = "big2",
    people: Annotated[int, typer.Option(help="People per table.")] = 4,
    seconds: Annotated[float, typer.Option(help="Seconds of measured play.")] = 60.0,
    period: Annotated[float, typer.Option(help="Seconds between the moves of a table.")] = 5.0,
    json: JsonOption = None,
    record: RecordOption = False,
) -> None:
    """Measure a server of shared tables under load."""
    recorder = Recorder("shared_tables")
    with (
        TemporaryDirectory() as folder,
        subprocess.Popen([sys.executable, "-c", SERVER, folder], stdout=subprocess.PIPE) as server,
    ):
        try:
            assert server.stdout is not None
            port = int(server.stdout.readline())
            report = asyncio.run(measured(port, server.pid, tables, game, people, seconds, period))
        finally:
            server.kill()
    table = Table(title=f"{report['moves']} moves at {tables} tables of {game}, {people} people each")
    for column in ("", "p50", "p99", "within reach"):
        table.add_column(column, justify="right" if column else "left")
    for name in ("answer", "push"):
        found = report[name]
        reached = "yes" if found["p99"] <= REACH["p99"] else "no"
        table.add_row(f"{name}, ms", f"{found['p50']:.0f}", f"{found['p99']:.0f}", reached)
    table.add_row("memory per table, MB", f"{report['memory']:.2f}", "", "yes" if report["memory"] <= REACH["memory"] else "no")
    table.add_row("cores: server, load", f"{report['server']:.2f}", f"{report['load']:.2f}", "")
    table.add_row("moves that were late", f"{report['late']}", "", "")
    wide_console().print(table)
    recorder.save({"machine": machine(), "versions": versions({"big2_env"}), **report}, rows, json, record)


if __name__ == "__main__":
    typer.run(main)
