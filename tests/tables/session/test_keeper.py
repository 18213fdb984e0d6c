"""Saves that fail, and several players who save at a time: no game is lost."""

from __future__ import annotations

import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest
from broken_disk import Disk, Fault, failing
from resumed_games import continued

from big2_env import BIG2
from big2_env.games.uno.game import UnoGame
from big2_env.games.uno.rules import uno_rules
from big2_env.notation import records
from big2_env.tables.session.own_file import OwnFile
from big2_env.tables.session.saved import last_unfinished, saved_games
from big2_env.tables.session.side_session import SideSession
from big2_env.tables.session.table_session import TableSession


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("BIG2_DATA", str(tmp_path / "data"))
    return tmp_path / "data" / "games"


def table(keep: OwnFile, seed: int = 3) -> TableSession:
    return TableSession(BIG2, ["lowest"] * 3, seed=seed, keep=keep)


def play_on(session: TableSession, moves: int = 10**6) -> None:
    """Play until the person has made so many acts, or to the end."""
    while not session.is_over and moves:
        if session.advance() is None:
            session.play(next(iter(session.view.legal_plays())))
            moves -= 1


@pytest.mark.parametrize("at", range(3))
def test_keeper__after_a_save_that_failed__saves_at_the_next_move(folder: Path, at: int) -> None:
    keep = OwnFile()
    session = table(keep)
    play_on(session, moves=1)
    with failing(Disk(folder, at, Fault.FULL)):
        play_on(session, moves=1)
        assert keep.problem == f"{keep.path}: No space left on device"
    play_on(session, moves=1)
    assert keep.problem is None
    [game] = saved_games()
    assert game.moves == len(session.game.history)
    assert len(list(folder.iterdir())) == 1


def test_keeper__where_the_folder_cannot_be_made__saves_once_it_can(tmp_path: Path) -> None:
    keep = OwnFile()
    session = table(keep)
    with failing(Disk(tmp_path, 0, Fault.FULL)):
        play_on(session, moves=1)
        assert keep.problem is not None
        assert keep.problem.endswith("No space left on device")
    play_on(session, moves=1)
    assert keep.problem is None
    assert [game.moves for game in saved_games()] == [len(session.game.history)]


@pytest.mark.parametrize("named", [False, True])
def test_keeper__the_end_of_a_deal_that_was_not_saved__is_saved_in_the_next_deal(
    tmp_path: Path, folder: Path, named: bool
) -> None:
    path = tmp_path / "games.jsonl" if named else None
    keep = OwnFile(path)
    session = table(keep)
    with failing(Disk(tmp_path, 0, Fault.FULL)):
        play_on(session)
        session.next_deal()
        play_on(session)
        session.next_deal()
    assert saved_games() == []
    play_on(session, moves=1)
    assert keep.problem is None
    games = saved_games(tmp_path if named else folder)
    assert sorted(game.payoff is None for game in games) == [False, False, True]


def test_own_file__of_another_game__retries_too(tmp_path: Path, folder: Path) -> None:
    file = OwnFile()
    session = SideSession(partial(UnoGame.deal, uno_rules(players=2)), seat=0, seed=3)
    session.keep = file
    with failing(Disk(tmp_path, 0, Fault.FULL)):
        while not session.is_over:
            if session.advance() is None:
                session.play(session.view.moves[0])
        assert file.problem is not None
        session.next_deal()
    while session.turn != session.seat:
        session.advance()
    session.play(session.view.moves[0])
    assert file.problem is None
    assert sorted(game.payoff is None for game in saved_games()) == [False, True]


def test_keepers__of_one_file__keep_both_games(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    tables = [table(OwnFile(path), seed) for seed in (1, 2)]
    for _ in range(4):
        for session in tables:
            play_on(session, moves=1)
    with path.open(encoding="utf-8") as file:
        assert {record.extra["seed"]: record.game for record in records.load(file)} == {
            session.seed: session.game for session in tables
        }


def test_keepers__that_resume_the_same_game__keep_both_continuations() -> None:
    play_on(table(OwnFile()), moves=1)
    tables = []
    for _ in range(2):
        path, line, record = last_unfinished()
        tables.append(continued(path, line, record))
    play_on(tables[0], moves=2)
    play_on(tables[1])
    assert {game.moves for game in saved_games()} == {len(session.game.history) for session in tables}
    assert last_unfinished()[-1].game == tables[0].game


def test_keeper__of_a_resumed_game_that_is_left_at_once__does_not_overwrite_it() -> None:
    play_on(table(OwnFile()), moves=1)
    path, line, record = last_unfinished()
    before = path.read_bytes()
    session = continued(path, line, record)
    session.next_deal()
    play_on(session, moves=2)
    assert path.read_bytes() == before
    assert len(saved_games()) == 2


def test_keeper__adding_to_a_file_that_is_no_text__says_so(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    path.write_bytes(b"\xff\xff")
    keep = OwnFile(path)
    play_on(table(keep), moves=1)
    assert keep.problem == f"{path}: line 1: expected text in UTF-8, got the byte 0xff"
    assert path.read_bytes() == b"\xff\xff"


PLAYER = """
import sys
from big2_env import BIG2
from big2_env.tables.session.table_session import TableSession
from big2_env.tables.session.own_file import OwnFile
keep = OwnFile()
problems = set()
session = TableSession(BIG2, ["lowest"] * 3, seed=int(sys.argv[1]), keep=keep)
for number in range(int(sys.argv[2])):
    if number:
        session.next_deal()
    while not session.is_over:
        if session.advance() is None:
            session.play(next(iter(session.view.legal_plays())))
        problems.add(keep.problem)
print(problems)
"""


def check_players(games: int, folder: Path) -> None:
    """Let four players play so many games each, with one data folder."""
    players = [
        subprocess.Popen([sys.executable, "-c", PLAYER, str(seed), str(games)], stdout=-1, text=True)
        for seed in range(0, 4000, 1000)
    ]
    assert [player.communicate()[0] for player in players] == ["{None}\n"] * 4
    saved = saved_games()
    assert len(saved) == 4 * games
    assert all(game.payoff is not None for game in saved)
    assert all(path.suffix == ".jsonl" for path in folder.iterdir())


def test_keepers__of_four_players_at_a_time__save_every_game(folder: Path) -> None:
    check_players(3, folder)


@pytest.mark.long
@pytest.mark.release
def test_keepers__of_four_players_at_a_time__save_every_one_of_160_games(folder: Path) -> None:
    check_players(40, folder)
