"""The page of the user's own games: the list, and the review of one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from web_visitor import JudgedAtOnce, visit

from big2_env.games.uno.game import UnoGame
from big2_env.notation.side_records import SideRecord, dumps
from big2_env.tables.browser import reviews
from big2_env.tables.session.saved import saved_games


@pytest.fixture
def visitor(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setattr("big2_env.tables.session.reviewer.reviewing", JudgedAtOnce)
    with visit(tmp_path) as found:
        yield found


def test_own_games__are_listed_and_reviewed(visitor: Any, tmp_path: Path) -> None:
    assert visitor.get("/api/games").json()["games"] == []
    visitor.sit_down(seed=7)
    visitor.play_out()
    visitor.act("deal")
    while not visitor.state["asked"]:
        visitor.act("advance")
    visitor.act(
        "play", cards=[visitor.post(f"{visitor.path}/plays", {"version": visitor.state["version"]}).json()["plays"][0][0]]
    )
    visitor.act("deal")  # the second game is given up
    found = visitor.get("/api/games?lang=en").json()
    assert sorted((one["file"] is None, one["payoff"] is None) for one in found["games"]) == [(False, False), (True, True)]
    assert found["tally"] == [
        {"title": "Big Two", "opponents": ["Thrifty"] * 3, "games": 1, "wins": found["tally"][0]["wins"]}
        | {"payoff": found["tally"][0]["payoff"], "broken_off": 1}
    ]
    [name] = [one["file"] for one in found["games"] if one["file"]]
    assert name in {game.path.name for game in saved_games(tmp_path / "games")}
    path = f"/api/games/{name}/review?lang=en"
    page = visitor.post(path, {"step": 0}).json()
    assert (page["edition"], page["moves"]["best"]) == (0, None)
    assert '"frames"' in page["page"]
    judged = visitor.post(path, {"step": 1}).json()
    assert (judged["page"], judged["moves"]["best"]["ply"], judged["done"], judged["of"]) == (None, 3, 1, 1)
    assert visitor.post(path, {"step": 0}).json()["edition"] == 1


def test_own_games__of_side_games_are_shown(visitor: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    game = UnoGame.usual(3)
    while not game.is_over:
        game.play(game.legal_moves()[0])
    extra = {"seat": 0, "agents": ["heuristic"] * (game.num_players - 1), "payoffs": list(game.payoffs())}
    line = dumps(SideRecord(game, extra))
    (tmp_path / "games").mkdir(exist_ok=True)
    (tmp_path / "games" / "20260101T000000-uno-a1.jsonl").write_text(line + "\n", "utf-8")
    [entry] = visitor.get("/api/games?lang=en").json()["games"]
    assert entry["title"] == "UNO"
    shown = visitor.post(f"/api/games/{entry['file']}/review", {"step": 0}).json()
    assert shown["of"] == 0
    assert '"frames"' in shown["page"]
    monkeypatch.setattr(reviews, "MAX_SHOWN", 1)  # as at the table
    assert visitor.post(f"/api/games/{entry['file']}/review", {"step": 0}).json()["error"] == "no_review"


@pytest.mark.parametrize(
    "name", ["..%2Fsecret.jsonl", "../secret.jsonl", "%2e%2e/secret.jsonl", "..", "missing.jsonl", "a%00.jsonl"]
)
def test_own_games__no_other_file_is_read(name: str, visitor: Any, tmp_path: Path) -> None:
    (tmp_path / "games").mkdir(exist_ok=True)
    (tmp_path / "secret.jsonl").write_text('{"game": "uno", "schema": 1}\n', "utf-8")
    assert visitor.post(f"/api/games/{name}/review", {"step": 0}).status == 404


def test_own_games__a_broken_or_unfinished_game_is_refused(visitor: Any, tmp_path: Path) -> None:
    folder = tmp_path / "games"
    folder.mkdir()
    for text in ("", "nonsense\n", '{"moves": []}\n', '{"game": "uno", "schema": 1}\n'):
        (folder / "a.jsonl").write_text(text, "utf-8")
        assert visitor.post("/api/games/a.jsonl/review", {"step": 0}).json()["error"] == "no_review"


def test_own_games__an_unfinished_side_game_shows_no_hands(visitor: Any, tmp_path: Path) -> None:
    folder = tmp_path / "games"
    folder.mkdir()
    (folder / "a.jsonl").write_text(dumps(SideRecord(UnoGame.for_seats(3, 1), {"seat": 0})) + "\n", "utf-8")
    assert visitor.post("/api/games/a.jsonl/review", {"step": 0}).json()["error"] == "not_over"


def test_own_games__are_not_served_where_none_are_kept(visitor: Any) -> None:
    assert visitor.get("/api/lobby").json()["records"] is True
    visitor.server.lobby.games = None
    assert visitor.get("/api/lobby").json()["records"] is False
    assert visitor.get("/api/games").status == 404
    assert visitor.post("/api/games/a.jsonl/review", {"step": 0}).status == 404


def test_own_games__need_the_token(tmp_path: Path) -> None:
    with visit(tmp_path, token="secret-123") as visitor:
        assert visitor.get("/api/games").status == 401
        assert visitor.post("/api/games/a.jsonl/review", {"step": 0}).status == 401
