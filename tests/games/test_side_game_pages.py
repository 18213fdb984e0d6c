"""Pages of UNO, Klondike and fishing games, and of matches, as their verbs write them."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from run_cli import run_cli

from big2_env.base.language import Language
from big2_env.drawing.replays import side_replay
from big2_env.games.klondike.cards import parse_move
from big2_env.games.klondike.game import KlondikeGame


def written(path: Path, *args: str, is_over: bool = True) -> list[dict[str, Any]]:
    answer = run_cli(*args, "--html", str(path))
    assert (answer.status, "Traceback" in answer.err) == (0, False)
    page = path.read_text(encoding="utf-8")
    assert not re.search("https?:", page)
    games: list[dict[str, Any]] = json.loads(page.partition('id="data">')[2].partition("</script>")[0])["games"]
    assert all(len(game["frames"]) == len(game["acts"]) + 1 for game in games)
    assert all(game["frames"][-1]["is_over"] is is_over for game in games)
    return games


def test_match__writes_all_games_as_one_page(tmp_path: Path) -> None:
    games = written(tmp_path / "page.html", "match", *["random"] * 4, "--games", "3", "--log", "jsonl", "--seed", "5")
    assert [game["title"] for game in games] == [f"{seed}: Lucky 1, Lucky 2, Lucky 3, Lucky 4" for seed in (5, 6, 7)]
    assert all(seat["hand"] is not None for seat in games[0]["frames"][0]["seats"])


def test_uno__writes_a_page(tmp_path: Path) -> None:
    (game,) = written(tmp_path / "page.html", "uno", "play", "--players", "3", "--log", "jsonl")
    assert [len(seat["hand"]) for seat in game["frames"][0]["seats"]] == [7, 7, 7]


def test_fishing__writes_a_page(tmp_path: Path) -> None:
    (game,) = written(tmp_path / "page.html", "fishing", "play", "--hands", "2 3 2 3 | 3 J 3 2")
    assert [seat["count"] for seat in game["frames"][0]["seats"]] == [4, 4]
    assert game["acts"][0]["seat"] == 0


def test_fishing__a_record_is_shown(tmp_path: Path) -> None:
    played = run_cli("fishing", "play", "--hands", "2 3 2 3 | 3 J 3 2", "--log", "jsonl")
    (tmp_path / "game.jsonl").write_text(played.out, encoding="utf-8")
    shown = run_cli("show", str(tmp_path / "game.jsonl"), "--lang", "en")
    assert (shown.status, shown.err) == (0, "")
    assert "has no cards left and loses" in shown.out
    (game,) = written(tmp_path / "page.html", "show", str(tmp_path / "game.jsonl"))
    assert [seat["count"] for seat in game["frames"][0]["seats"]] == [4, 4]


def test_fishing__a_page_stops_where_the_game_stops(tmp_path: Path) -> None:
    options = "fishing", "play", "--seed", "1", "--max-plays", "100"
    (tmp_path / "game.jsonl").write_text(run_cli(*options, "--log", "jsonl").out, encoding="utf-8")
    for line in options, ("show", str(tmp_path / "game.jsonl")):
        (game,) = written(tmp_path / "page.html", *line, is_over=False)
        assert len(game["acts"]) == 100


def test_klondike__writes_a_page_with_nothing_face_down_in_it(tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    (game,) = written(path, "klondike", "solve", "--seed", "7")
    first = game["frames"][0]
    cards = json.loads(path.read_text(encoding="utf-8").partition('id="data">')[2].partition("</script>")[0])["cards"]
    columns = [area["cards"] for area in first["areas"] if area["layout"] == "column"]
    assert [len(column) for column in columns] == [1, 2, 3, 4, 5, 6, 7]
    assert all(cards[place]["text"] == "" for column in columns for place in column[:-1])


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (("match", *["random"] * 4), "不出"),
        (("uno", "play"), "摸牌"),
        (("fishing", "play", "--hands", "2 3 2 3 | 3 J 3 2"), "2 没钓到"),
    ],
)
def test_page__is_in_the_language_that_is_asked_for(tmp_path: Path, args: tuple[str, ...], words: str) -> None:
    path = tmp_path / "page.html"
    (game,) = written(path, *args, "--lang", "zh-Hans")
    assert '<html lang="zh-Hans">' in path.read_text(encoding="utf-8")
    assert words in {move["words"] for move in game["acts"]}


def test_klondike__deals_in_the_language_that_is_asked_for() -> None:
    game = KlondikeGame.deal(7)
    game.play(parse_move("deal"))
    assert [side_replay(game, lang=lang).moves[0].words for lang in Language] == ["draw", "翻牌", "翻牌"]


def test_page__cannot_be_written_where_there_is_no_folder(tmp_path: Path) -> None:
    status, _, err = run_cli("uno", "play", "--html", str(tmp_path / "no" / "page.html"))
    assert status == 2
    assert err.count("\n") == 1
    assert err.startswith("big2: expected a folder that exists, got ")


@pytest.mark.parametrize("args", [("uno", "play", "--games", "2000"), ("match", *["random"] * 4, "--games", "300")])
def test_page__has_a_bound(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, args: tuple[str, ...]) -> None:
    monkeypatch.setattr("big2_env.drawing.replay_page.MAX_FRAMES", 10)
    games = [*args[:-1], "1"]
    status, _, err = run_cli(*games, "--log", "jsonl", "--html", str(tmp_path / "page.html"))
    assert status == 2
    assert "too many moves for one page" in err
