"""`big2 play --join`: a person at a terminal at a table with friends, over a real server."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from killable_server import KillableServer, killable
from run_cli import run_cli
from web_visitor import Visitor, serving

from big2_env.cli._shared_client import COOKIE, SharedClient, read_link
from big2_env.errors import ConfigError
from big2_env.language import Language


def opened(visitor: Visitor, game: str = "big2", seats: int = 2) -> tuple[str, str]:
    """A table of a visitor: its path, and the link of its second seat."""
    body = {"game": game, "seats": seats, "agent": "lowest" if game == "big2" else None, "clock": 0, "name": "Hilda"}
    state = visitor.post("/api/shared?lang=en", body).json()
    secret = state["shared"]["seats"][1]["invite"]
    return f"/api/shared/{state['table']}", f"http://127.0.0.1:{visitor.server.port}/#/join/{state['table']}/{secret}"


class Joined:
    """`big2 play --join` in a process of its own, whose lines a test types."""

    def __init__(self, folder: Path, link: str) -> None:
        command = [sys.executable, "-m", "big2_env", "play", "--lang", "en", "--join", link, "--name", "Ann"]
        self.folder = folder
        self.process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, "BIG2_DATA": str(folder)},
        )

    def visitor(self, server: Any) -> Visitor:
        """A visitor with its cookie, once it has one."""
        kept = self.folder / "friends.json"
        for _ in range(600):
            if kept.exists():
                [cookie] = json.loads(kept.read_text()).values()
                return Visitor(server, {COOKIE: cookie})
            time.sleep(0.05)
        raise AssertionError(self.process.communicate(timeout=5))

    def type(self, line: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(f"{line}\n")
        self.process.stdin.flush()


def state_of(visitor: Visitor, path: str) -> dict[str, Any]:
    found: dict[str, Any] = visitor.get(f"{path}?lang=en").json()
    return found


def begun(server: Any, folder: Path, game: str = "big2") -> tuple[Visitor, str, Joined, Visitor, dict[str, Any]]:
    """A deal that has begun: the host, the table's path, Ann's terminal, a visitor with Ann's cookie, and the host's state."""
    host = Visitor(server)
    path, link = opened(host, game)
    joined = Joined(folder / "person", link)
    guest = joined.visitor(server)
    state = state_of(host, path)
    assert state["shared"]["seats"][1]["name"] == "Ann"
    return host, path, joined, guest, host.post(f"{path}/start?lang=en", {"version": state["version"]}).json()


def first_play(visitor: Visitor, path: str, version: int) -> list[str]:
    """The first legal play of the person to move; none for a pass."""
    plays = visitor.post(f"{path}/plays?lang=en", {"version": version}).json()["plays"]
    return plays[0] if plays else []


@pytest.fixture
def server(tmp_path: Path) -> Iterator[KillableServer]:
    with killable(tmp_path / "server") as found:
        yield found


@pytest.mark.long
def test_join__plays_a_deal_although_the_server_dies(server: KillableServer, tmp_path: Path) -> None:
    host, path, joined, guest, state = begun(server, tmp_path)
    typed = 0
    while not state["scene"]["is_over"]:
        mover = host if state["asked"] else guest
        cards = first_play(mover, path, state["version"])
        if mover is host:
            answer = host.post(f"{path}/play?lang=en", {"version": state["version"], "cards": cards})
            assert answer.status == 200, answer.text
        else:
            joined.type(" ".join(cards) or "p")
            typed += 1
        state = newer(host, path, state["version"])
        if typed == 3 and mover is guest:
            server.kill()
            time.sleep(1)  # longer than a pause between two attempts
            server.start()
            host.close()
            guest.close()
    joined.process.wait(60)
    out, err = joined.process.communicate()
    assert (joined.process.returncode, err) == (0, "")
    assert "Big Two; at the table: Hilda" in out
    assert out.count("the game is over") == 1
    assert "(connected again)" in out
    assert sum(line.startswith(("you: ", "You pass")) for line in out.splitlines()) >= typed, out
    host.close()
    guest.close()


@pytest.mark.long
def test_join__plays_a_side_game(tmp_path: Path) -> None:
    with serving(tmp_path / "server") as server:
        host, path, joined, guest, state = begun(server, tmp_path, "uno")
        typed = 0
        while not state["scene"]["is_over"]:
            if state["asked"]:
                body = {"version": state["version"], "moves": [state["moves"][0]["text"]]}
                assert host.post(f"{path}/move?lang=en", body).status == 200
            else:
                move = state_of(guest, path)["moves"][-1]
                joined.type("0" if typed % 2 else move["text"])
                typed += 1
            state = newer(host, path, state["version"])
        joined.process.wait(60)
        out, err = joined.process.communicate()
        assert (joined.process.returncode, err) == (0, "")
        assert out.count("the game is over") == 1
        assert out.count("your moves: 0:") >= typed > 3
        host.close()
        guest.close()


def newer(visitor: Visitor, path: str, version: int) -> dict[str, Any]:
    """The state once it is newer than a version."""
    for _ in range(400):
        if (state := state_of(visitor, path))["version"] > version:
            return state
        time.sleep(0.05)
    raise AssertionError("the table does not change")


def test_join__continues_by_the_same_link_and_names_its_problems(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BIG2_DATA", str(tmp_path / "person"))
    with serving(tmp_path / "server") as server:
        host = Visitor(server)
        _, link = opened(host)
        without = run_cli("play", "--lang", "en", "--join", link)
        assert (without.status, without.err) == (2, "big2: --join: expected --name NAME too if the input is not a terminal\n")
        for _ in range(2):  # the pipe ends at once, and the seat stays
            answer = run_cli("play", "--lang", "en", "--join", link, "--name", "Ann")
            assert (answer.status, answer.err) == (0, "")
            assert "waiting for the start: Hilda, Ann" in answer.out
        monkeypatch.setenv("BIG2_DATA", str(tmp_path / "stranger"))
        stranger = run_cli("play", "--lang", "en", "--join", link, "--name", "Eve")
        assert stranger.status == 2
        assert stranger.err.count("\n") == 1
        host.close()
    gone = run_cli("play", "--lang", "en", "--join", link, "--name", "Ann")
    assert gone.status == 2
    assert gone.err.startswith(f"big2: {read_link(link).server} does not answer: ")


def test_join__a_guest_who_was_removed_meanwhile_hears_so(tmp_path: Path) -> None:
    with serving(tmp_path) as server:
        host = Visitor(server)
        _, link = opened(host)
        assert list(SharedClient(read_link(link), Language.EN).states()) == [None]
        host.close()


@pytest.mark.parametrize(
    "link",
    [
        "",
        "big2",
        "ftp://here/#/join/abcdefghijkl/abcdefghijkl",
        "http://here:99999/#/join/abcdefghijkl/abcdefghijkl",
        "http://here/",
    ],
)
def test_join__refuses_what_is_no_invitation(link: str) -> None:
    with pytest.raises(ConfigError, match="expected an invitation link"):
        read_link(link)


def test_join__needs_a_name_that_can_be_shown() -> None:
    answer = run_cli("play", "--join", "http://127.0.0.1:1/#/join/abcdefghijkl/abcdefghijkl", "--name", "A\x1b[2J")
    assert answer.status == 2
    assert "--name: expected 1 to 24 printable characters" in answer.err
    assert "\x1b" not in answer.err


@pytest.mark.parametrize("host", ["a..b", "a" * 70, "a\u2028b", "a b", "a\x7fb", "xn--\u00e4"])
def test_join__refuses_hosts_that_no_server_has(host: str) -> None:
    with pytest.raises(ConfigError, match="expected an invitation link"):
        read_link(f"http://{host}/#/join/abcdefghijkl/abcdefghijkl")


@pytest.mark.parametrize(
    ("server", "found"),
    [
        ("http://bücher.example", "http://xn--bcher-kva.example:80"),
        ("https://[::1]:8152", "https://[::1]:8152"),
        ("http://here:0", "http://here:0"),
    ],
)
def test_join__reads_the_host_and_port_of_a_link(server: str, found: str) -> None:
    assert read_link(f"{server}/#/join/abcdefghijkl/abcdefghijkl").server == found


def test_join__prints_no_control_characters_of_a_server() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def answer() -> None:
            connection, _ = listening.accept()
            with connection:
                connection.recv(1 << 16)
                connection.sendall(b"\x1b[2J\x9b31m" + b"x" * 5000 + b"\r\n\r\n")

        thread = Thread(target=answer)
        thread.start()
        link = f"http://127.0.0.1:{listening.getsockname()[1]}/#/join/abcdefghijkl/abcdefghijkl"
        with pytest.raises(ConfigError) as caught:
            SharedClient(read_link(link), Language.EN).ask("")
        thread.join()
    assert str(caught.value).isprintable()
    assert len(str(caught.value)) < 300
