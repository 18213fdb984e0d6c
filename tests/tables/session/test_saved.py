"""Every game that a person plays is a record."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from resumed_games import continued

from big2_env import BIG2, ConfigError, Game, NotationError
from big2_env.agents.interface import takes_from_record
from big2_env.climbing.rulesets import available_rulesets
from big2_env.notation import records
from big2_env.tables.session.own_file import OwnFile
from big2_env.tables.session.saved import data_folder, games_folder, last_unfinished, saved_games, tally
from big2_env.tables.session.table_session import TableSession, resumed

RULES = available_rulesets()


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("BIG2_DATA", str(tmp_path / "data"))
    return tmp_path / "data" / "games"


def table(name: str = "big2", keep: OwnFile | None = None, seed: int = 3) -> TableSession:
    rules = RULES[name]
    return TableSession(rules, ["lowest"] * (rules.default_players - 1), seed=seed, keep=keep or OwnFile())


def play_on(session: TableSession, moves: int = 10**6) -> None:
    """Play on until the person has made so many acts, or to the end."""
    while not session.is_over and moves:
        if session.advance() is None:
            session.play(next(iter(session.view.legal_plays())))
            moves -= 1


def test_data_folder__is_where_the_system_has_it() -> None:
    assert data_folder({"BIG2_DATA": "~/x"}) == Path.home() / "x"
    if sys.platform == "linux":
        assert data_folder({}) == Path.home() / ".local" / "share" / "big2_env"
        assert data_folder({"XDG_DATA_HOME": "relative"}) == data_folder({})
        assert data_folder({"XDG_DATA_HOME": "/data"}) == Path("/data/big2_env")


@pytest.mark.parametrize("name", ["big2", "dou_dizhu", "dou_dizhu_4p", "qi_gui_521"])
def test_keeper__has_the_game_after_every_move(name: str, folder: Path) -> None:
    keep = OwnFile()
    session = table(name, keep)
    mine = 0
    while not session.is_over:
        if session.advance() is None:
            session.play(list(session.view.legal_plays())[-1])
            mine += 1
        if mine:
            assert keep.path is not None
            kept = records.loads(keep.path.read_text(encoding="utf-8"))
            assert kept.game == session.game
            assert kept.deck == session.deck
        else:
            assert not folder.exists()
        if mine > 2:
            break
    assert len(list(folder.iterdir())) == 1
    assert keep.problem is None


def test_keeper__follows_undo_and_gives_each_deal_a_file(folder: Path) -> None:
    keep = OwnFile()
    session = table(keep=keep)
    play_on(session)
    session.undo()
    [game] = saved_games()
    assert (game.payoff, game.moves) == (None, len(session.game.history))
    assert json.loads(game.path.read_text("utf-8"))["undone"] == 1
    play_on(session)
    session.next_deal()
    play_on(session, moves=2)
    newest, oldest = sorted(saved_games(), key=lambda game: game.payoff is not None)
    assert newest.payoff is None
    assert oldest.payoff == session.scores[0]
    assert len(list(folder.glob("*"))) == 2


def test_keeper__adds_to_a_file_that_is_named(tmp_path: Path, folder: Path) -> None:
    path = tmp_path / "mine" / "games.jsonl"
    for seed in (1, 2):
        session = table(keep=OwnFile(path), seed=seed)
        play_on(session)
        session.next_deal()
        play_on(session, moves=1)
    with path.open(encoding="utf-8") as file:
        assert [record.extra["seed"] for record in records.load(file)] == [1, 2, 2, 3]
    assert not folder.exists()


def test_keeper__trouble_with_the_file_does_not_stop_the_game(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("a file where the folder should be")
    keep = OwnFile()
    session = table(keep=keep)
    play_on(session)
    assert session.is_over
    assert keep.problem is not None
    position = OwnFile(tmp_path / "other.jsonl")
    session = table(keep=position)
    game = Game.deal(BIG2, 1)
    game.play(next(iter(game.legal_plays())))
    session.start(Game.from_position(BIG2, game.position), 1)
    play_on(session, moves=1)
    assert position.problem == "expected a game that began with a deal, got one that began in the middle"


def test_keeper__loses_nothing_when_the_process_is_killed() -> None:
    code = """
import os, signal
from big2_env.climbing.rulesets import ruleset
from big2_env.tables.session.table_session import TableSession
from big2_env.tables.session.own_file import OwnFile
session = TableSession(ruleset("big2"), ["lowest"] * 3, seed=3, keep=OwnFile())
acts = 0
while acts < 3:
    if session.advance() is None:
        session.play(next(iter(session.view.legal_plays())))
        acts += 1
print(len(session.game.history), flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == -9
    [game] = saved_games()
    assert game.moves == int(done.stdout)


def test_resumed__goes_on_with_the_last_game_broken_off(folder: Path) -> None:
    first = table("dou_dizhu")
    play_on(first, moves=4)
    path, line, record = last_unfinished()
    again = continued(path, line, record)
    assert again.game == first.game
    assert (again.names, again.seed, again.deck) == (first.names, first.seed, first.deck)
    play_on(again)
    assert again.is_over
    assert [game.payoff for game in saved_games()] == [again.scores[0]]
    assert len(list(folder.iterdir())) == 1
    with pytest.raises(ConfigError, match="no game to resume"):
        last_unfinished()


def test_resumed__keeps_the_other_games_of_a_file(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    keep = OwnFile(path)
    session = table(keep=keep)
    play_on(session, moves=2)
    session.next_deal()
    play_on(session)
    found, line, record = last_unfinished(path)
    assert found == path
    play_on(continued(path, line, record))
    assert [game.payoff is None for game in saved_games(tmp_path)] == [False, False]
    with pytest.raises(ConfigError, match=r"all of .* are over"):
        last_unfinished(path)


def test_resumed__replaces_the_line_of_a_file_with_other_line_ends(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    play_on(table(keep=OwnFile(path)), moves=2)
    path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    found, line, record = last_unfinished(path)
    play_on(continued(found, line, record))
    assert [game.payoff is None for game in saved_games(tmp_path)] == [False]


@pytest.mark.parametrize(
    ("key", "value"),
    [("seat", 4), ("seat", -1), ("seat", "0"), ("seed", None), ("agents", ["lowest"]), ("agents", [1, 2, 3]), ("agents", None)],
)
def test_resumed__refuses_a_record_that_does_not_say_who_played(key: str, value: object) -> None:
    session = table()
    play_on(session, moves=1)
    data = json.loads(records.dumps(session.record())) | {key: value}
    with pytest.raises(ConfigError, match=r"does not say who played|expected a seat from 0 to 3"):
        resumed(records.loads(json.dumps(data)))


def test_resumed__imports_nothing_that_a_file_names(folder: Path) -> None:
    session = table()
    play_on(session, moves=1)
    data = json.loads(records.dumps(session.record())) | {"agents": ["lowest", "antigravity:geohash", "lowest"]}
    with pytest.raises(ConfigError, match=r"expected an installed agent .* seat 2, got 'antigravity:geohash'"):
        resumed(records.loads(json.dumps(data)))


@pytest.mark.parametrize(
    ("agent", "is_taken"),
    [
        ("heuristic", True),
        ("heuristic:first", True),
        ("search:400", True),
        ("learned-search:50ms", True),
        ("heuristic:/dev/zero", False),
        ("heuristic:mine.json", False),
        ("search:/dev/zero", False),
        ("learned:/dev/zero", False),
        ("learned-search:50ms,/dev/zero", False),
        ("ppo:/dev/zero", False),
        ("sb3:/dev/zero", False),
        ("sb3", False),
        ("random:x", False),
        ("big2_agents.rule_based.simple:LowestAgent", False),
        ("nobody", False),
    ],
)
def test_takes_from_record__installed_agents_that_open_no_file(agent: str, is_taken: bool) -> None:
    assert takes_from_record(agent) is is_taken


def test_resumed__seats_the_agents_that_the_user_names(folder: Path) -> None:
    session = table()
    play_on(session, moves=1)
    record = records.loads(json.dumps(json.loads(records.dumps(session.record())) | {"agents": ["lowest", "ppo:x", "lowest"]}))
    assert resumed(record, others={2: "big2_agents.rule_based.simple:GreedyAgent"}).opponents == (
        "lowest",
        "big2_agents.rule_based.simple:GreedyAgent",
        "lowest",
    )
    for seat in (0, 4):
        with pytest.raises(ConfigError, match=f"expected one of the seats 1, 2, 3, as yours is 0; got {seat}"):
            resumed(record, others={2: "lowest", seat: "lowest"})


def test_saved_games__leaves_out_what_is_none(folder: Path) -> None:
    play_on(table(), moves=1)
    (folder / "0.jsonl").write_text('{"seat": 0}\nnonsense\n[]\n', encoding="utf-8")
    (folder / "1.jsonl").write_bytes(b"\xff\xfe")
    assert len(saved_games()) == 1
    with pytest.raises(NotationError):
        last_unfinished(folder / "0.jsonl")


def test_tally__by_game_and_opponents() -> None:
    for seed in range(3):
        play_on(table(seed=seed))
    play_on(table(seed=9), moves=1)
    play_on(table("dou_dizhu"), moves=1)
    most, other = tally(saved_games())
    assert (most.ruleset, most.opponents, most.games, most.broken_off) == ("big2", ("lowest",) * 3, 3, 1)
    assert most.payoff == pytest.approx(sum(game.payoff or 0 for game in saved_games()))
    assert most.wins == sum(game.has_won for game in saved_games())
    assert (other.ruleset, other.games, other.broken_off) == ("dou_dizhu", 0, 1)
    assert games_folder().name == "games"
