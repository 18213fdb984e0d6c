"""A game of another package, with nothing but the protocol of side games: on a server, with friends, on the site, by tools."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import anyio
import pytest
from friends import friends
from high_card import HighCard
from mcp import Client
from mcp_games import play_out
from web_visitor import game_data, visit

from big2_env.notation.side_records import loads
from big2_env.tables.mcp.server import mcp_server
from big2_env.tables.mcp.tools import Settings, Tools
from big2_env.tables.site.worker import PageWorker

WANTED = {"game": "high_card", "opponents": ["random"] * 2, "seed": "4"}


@pytest.fixture(autouse=True)
def installed(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another package that registers the game."""
    folder = tmp_path_factory.mktemp("installed")
    info = folder / "high_card-1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: high_card\nVersion: 1\n")
    (info / "entry_points.txt").write_text("[big2_env.side_games]\nhigh_card = high_card:ENTRY\n")
    monkeypatch.syspath_prepend(folder)


def next_move(state: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """What a page asks for at a table: the first legal move, or a move of another player."""
    if state["asked"]:
        return "move", {"version": state["version"], "moves": [state["moves"][0]["text"]]}
    return "advance", {"version": state["version"]}


def expect_end(state: dict[str, Any], line: str, page: str) -> None:
    """What every road has at the end of a deal."""
    game = loads(line, HighCard).game
    assert game.is_over
    assert [seat["payoff"] for seat in state["scene"]["seats"]] == list(game.payoffs() or ())
    assert len(game_data(page)["frames"]) == len(game.history) + 1 == 16


def test_roads__server(tmp_path: Path) -> None:
    with visit(tmp_path) as visitor:
        visitor.sit_down("high_card", ["random"] * 2, seed=4)
        while not visitor.state["scene"]["is_over"]:
            move, body = next_move(visitor.state)
            visitor.act(move, **body)
        review = visitor.post(f"{visitor.path}/review", {"version": visitor.state["version"], "step": 0}).json()
        expect_end(visitor.state, visitor.get(f"{visitor.path}/record").text, review["page"])


def test_roads__friends(tmp_path: Path) -> None:
    rng = random.Random(1)
    with friends(tmp_path, "high_card", people=3, seats=3, agent=None) as people:
        people[0].act("start")
        while not people[0].look()["scene"]["is_over"]:
            mover = people[people[0].state["scene"]["turn"]]
            mover.look()
            mover.go(rng)
        for friend in people:
            page = friend.post(f"{friend.path}/review", {"version": friend.look()["version"], "step": 0}).json()["page"]
            expect_end(friend.state, friend.get(f"{friend.path}/record").text, page)


def test_roads__site() -> None:
    worker, kept = PageWorker(), dict[str, str]()

    def ask(path: str, body: dict[str, Any] | None = None) -> Any:
        text = None if body is None else json.dumps(body)
        asked = {"path": path, "body": text, "lang": "en", "tables": list(kept.items())}
        answer = json.loads(worker.answer(json.dumps(asked)))
        kept.update([answer["keep"]] if answer["keep"] else [])
        assert answer["status"] < 400, answer
        return answer["data"]

    state = ask("tables", WANTED)
    path = f"tables/{state['table']}"
    while not state["scene"]["is_over"]:
        move, body = next_move(state)
        state = ask(f"{path}/{move}", body)
        worker = PageWorker()  # the page was reloaded
    review = ask(f"{path}/review", {"version": state["version"], "step": 0})
    expect_end(state, ask(f"{path}/record")["line"], review["page"])


def test_roads__tools() -> None:
    async def run() -> None:
        async with Client(mcp_server(Tools(Settings(seed=5)))) as client:
            _, answer = await play_out(client, game="high_card", opponents=["random"])
            assert answer.structured_content is not None
            assert sum(answer.structured_content["payoffs"]) == pytest.approx(0)

    anyio.run(run)
