"""Games of UNO and Klondike that a person plays are kept act by act, listed, tallied and looked through."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path

import pytest
from run_cli import run_cli

from big2_env import BIG2
from big2_env.base.errors import ConfigError, NotationError
from big2_env.base.language import Language, words
from big2_env.games.klondike.game import KlondikeGame
from big2_env.games.klondike.solver import solve
from big2_env.games.uno.game import UnoGame
from big2_env.games.uno.players import takes_from_record
from big2_env.games.uno.rules import uno_rules
from big2_env.notation.side_records import dumps, loads
from big2_env.tables.session.own_file import OwnFile
from big2_env.tables.session.saved import games_folder, last_unfinished, saved_games, tally
from big2_env.tables.session.side_session import SideSession, resumed, saved_seats
from big2_env.tables.session.table_session import TableSession


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("BIG2_DATA", str(tmp_path / "data"))
    return games_folder()


def test_uno__is_kept_after_every_move_each_deal_in_its_file(folder: Path) -> None:
    file = OwnFile()
    session = SideSession(partial(UnoGame.deal, uno_rules(players=3)), seat=1, seed=3, against="random")
    session.keep = file
    mine = 0
    while mine < 2:
        if session.advance() is None:
            session.play(session.view.moves[0])
            mine += 1
        assert folder.exists() is (mine > 0)
        if mine:
            assert file.path is not None
            assert loads(file.path.read_text("utf-8"), UnoGame).game == session.game
    session.undo()
    [game] = saved_games()
    assert (game.ruleset, game.opponents, game.payoff) == ("uno", ("random", "random"), None)
    assert json.loads(game.path.read_text("utf-8"))["seat"] == 1
    assert game.moves == len(session.game.history)
    while not session.is_over:
        if session.advance() is None:
            session.play(session.view.moves[0])
    [game] = saved_games()
    outcome = session.game.outcome
    assert outcome is not None
    assert game.payoff == outcome.payoffs()[1]
    assert game.has_won is (1 in outcome.winners)
    session.next_deal()
    while session.advance() is not None:
        pass
    assert len(saved_games()) == 1
    session.play(session.view.moves[0])
    assert len(saved_games()) == 2
    [one] = tally(saved_games())
    assert (one.games, one.wins, one.broken_off) == (1, game.has_won, 1)
    assert file.problem is None


@pytest.mark.parametrize(("lang", "called"), [(Language.EN, "Simple rule {}"), (Language.HANT, "小規矩{}")])
def test_names__of_seats_are_those_of_their_agents_as_at_climbing_tables(lang: Language, called: str) -> None:
    you = words(lang)("table.you")
    session = SideSession(partial(UnoGame.deal, uno_rules(players=3)), seat=1, against="rule-v1")
    assert session.names_in(lang) == [called.format(1), you, called.format(2)]
    climbing = TableSession(BIG2, ["greedy", "greedy", "lowest"], seat=1).names_in(Language.EN)
    assert climbing == ["Thrifty", "you", "Greedy 1", "Greedy 2"]
    record = loads(session.line("now"), UnoGame)
    assert saved_seats(record.game, record.extra, lang) == session.names_in(lang)
    with pytest.raises(NotationError, match="printable"):
        saved_seats(record.game, {**record.extra, "agents": ["\x1b[2J", "rule-v1"]}, lang)
    pair = SideSession(partial(UnoGame.deal, uno_rules(players=2)), against="rule-v1")
    assert pair.names_in(lang) == [you, called.format("").strip()]


def test_klondike__is_won_or_broken_off() -> None:
    file = OwnFile()
    session = SideSession(KlondikeGame.deal, seed=7)
    session.keep = file
    game = session.game
    won = solve(game.state).moves
    assert won is not None
    session.play(*won[:-1])
    assert [(one.payoff, one.has_won) for one in saved_games()] == [(None, False)]
    session.play(won[-1])
    session.next_deal()
    session.play(session.view.moves[0])
    assert sorted((one.payoff or 0, one.has_won, one.moves) for one in saved_games()) == [
        (0, False, 1),
        (game.score, True, len(won)),
    ]
    [one] = tally(saved_games())
    assert (one.ruleset, one.opponents, one.games, one.wins, one.broken_off) == ("klondike", (), 1, 1, 1)
    assert {loads(one.path.read_text("utf-8"), KlondikeGame).extra["seed"] for one in saved_games()} == {7, 8}


def test_prompts__keep_list_and_show_them(tmp_path: Path) -> None:
    assert run_cli("uno", "play", "--players", "2", "--seat", "0", "--seed", "3", stdin="p\nq\n").status == 0
    assert run_cli("klondike", "play", "--plain", "--seed", "7", stdin="d\nd\nu\nq\n").status == 0
    listed = run_cli("games", "--mine", "--lang", "en")
    assert (listed.status, listed.err) == (0, "")
    assert all(name in listed.out for name in ("UNO", "Klondike", "Computer"))
    for game in saved_games():
        page = tmp_path / f"{game.ruleset}.html"
        shown = run_cli("show", str(game.path), "--html", str(page), "--lang", "en")
        assert (shown.status, shown.err) == (0, "")
        assert "<svg" in page.read_text("utf-8")
        assert run_cli("show", str(game.path), "--at", "1").status == 0
        refused = run_cli("show", str(game.path), "--judge", "search:9")
        assert "expected a climbing game" in refused.err
        assert run_cli("show", str(game.path), "--at", "99").status == 2
    with pytest.raises(ConfigError, match="no game to resume"):
        last_unfinished()


def test_folder_that_cannot_be_written__stops_the_writing_not_the_game(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BIG2_DATA", str(tmp_path / "file"))
    (tmp_path / "file").write_text("")
    played = run_cli("klondike", "play", "--plain", "--seed", "7", "--lang", "en", stdin="d\nq\n")
    assert played.status == 0
    assert "not being saved" in played.out


def deal_of(path: Path) -> str:
    return path.read_text("utf-8").partition('"acts"')[0]


def test_uno__is_gone_on_with(folder: Path) -> None:
    table = ["--players", "3", "--option", "play-drawn=yes", "--against", "random"]
    begun = run_cli("uno", "play", *table, "--seat", "1", "--seed", "3", "--lang", "en", stdin="p\np\nq\n")
    [game] = saved_games()
    assert f"big2 uno play --resume {game.path}" in begun.out
    before, deal = game.moves, deal_of(game.path)
    for args in ((), (str(game.path),)):
        again = run_cli("uno", "play", "--resume", *args, "--lang", "en", stdin="p\nq\n")
        assert (again.status, again.err) == (0, "")
        command = next(line for line in again.out.splitlines() if "--seed 3" in line)
        assert command.endswith("uno play --players 3 --option play_drawn=true --against random --seat 1 --seed 3")
        [game] = saved_games()
        assert game.moves > before
        assert deal_of(game.path) == deal
        before = game.moves
    assert game.opponents == ("random", "random")


def test_klondike__is_gone_on_with(tmp_path: Path) -> None:
    assert run_cli("klondike", "play", "--plain", "--seed", "7", stdin="d\nd\nq\n").status == 0
    [game] = saved_games()
    again = run_cli("klondike", "play", "--plain", "--resume", "--lang", "en", stdin="u\nd\nd\nq\n")
    assert (again.status, again.err) == (0, "")
    assert f"big2 klondike play --resume {game.path}" in again.out
    [game] = saved_games()
    assert game.moves == 3
    assert loads(game.path.read_text("utf-8"), KlondikeGame).extra["seed"] == 7


def test_klondike__of_a_file_with_other_games_leaves_these(tmp_path: Path) -> None:
    file = tmp_path / "games.jsonl"
    for seed, moves in ((5, "d\nq\n"), (6, "d\nd\nq\n")):
        play = ("klondike", "play", "--plain", "--seed", str(seed), "--record", str(file))
        assert run_cli(*play, stdin=moves).status == 0
    first, second = file.read_text("utf-8").splitlines()
    assert run_cli("klondike", "play", "--plain", "--resume", str(file), stdin="d\nq\n").status == 0
    kept = file.read_text("utf-8").splitlines()
    assert (len(kept), kept[0]) == (2, first)
    assert [len(loads(line, KlondikeGame).game.history) for line in (second, kept[1])] == [2, 3]


def test_uno__of_a_record_that_may_name_a_file__is_refused(folder: Path) -> None:
    assert run_cli("uno", "play", "--players", "2", "--seat", "0", "--seed", "3", stdin="p\nq\n").status == 0
    [kept] = saved_games()
    data = json.loads(kept.path.read_text("utf-8"))
    for agent, taken in (("learned:/dev/zero", False), ("search:1", True)):
        kept.path.write_text(json.dumps(data | {"agents": [agent]}) + "\n", encoding="utf-8")
        status, _, err = run_cli("uno", "play", "--plain", "--resume", str(kept.path), stdin="q\n")
        refused = f"big2: {kept.path}: expected a player that opens no file, got '{agent}'; begin a new game with --against\n"
        assert (status, err) == ((0, "") if taken else (2, refused))


def test_resumed_deal__is_followed_by_one_with_a_file_of_its_own(folder: Path) -> None:
    assert run_cli("uno", "play", "--players", "2", "--seat", "0", "--seed", "3", stdin="p\nq\n").status == 0
    file = OwnFile()
    session = resumed(UnoGame, lambda game: partial(UnoGame.deal, game.rules), None, file, takes_from_record)
    assert session.seed == 3
    session.keep = file
    session.next_deal()
    assert not file.has(session.dealt)
    while session.advance() is not None:
        pass
    session.play(session.view.moves[0])
    assert sorted(loads(one.path.read_text("utf-8"), UnoGame).extra["seed"] for one in saved_games()) == [3, 4]


@pytest.mark.parametrize(
    ("args", "says"),
    [
        (("uno", "play", "--resume"), "no game to resume in "),
        (("klondike", "play", "--resume"), "no game to resume in "),
        (("uno", "play", "--resume", "--seed", "3"), "--resume: expected at most a file, --plain and --lang"),
        (("uno", "play", "--resume", "--rules", "table"), "--resume: expected at most a file"),
        (("klondike", "play", "--resume", "--seed", "3"), "--resume: expected at most a file, and no --seed"),
        (("uno", "play", "game.jsonl"), "expected a file with --resume only, got 'game.jsonl'"),
        (("klondike", "play", "game.jsonl"), "expected a file with --resume only, got 'game.jsonl'"),
        (("uno", "play", "--resume", "no.jsonl"), "no.jsonl"),
    ],
)
def test_resume__refuses_in_one_line(args: tuple[str, ...], says: str) -> None:
    refused = run_cli(*args, stdin="q\n")
    assert refused.status == 2
    assert (says in refused.err, refused.err.count("\n")) == (True, 1)


def test_resume__of_a_record_that_does_not_say_who_played(tmp_path: Path) -> None:
    file = tmp_path / "game.jsonl"
    session = SideSession(partial(UnoGame.deal, uno_rules(players=2)), seed=3)
    file.write_text(dumps(session.record()) + "\n", encoding="utf-8")
    refused = run_cli("uno", "play", "--resume", str(file))
    assert (refused.status, "does not say who played" in refused.err) == (2, True)


@pytest.mark.parametrize("game", ["uno", "klondike"])
@pytest.mark.parametrize("seed", ["7", "-7", str(2**64 + 7)])
def test_resumed__counts_the_seeds_that_the_person_chose(game: str, seed: str) -> None:
    seat = ("--seat", "0") if game == "uno" else ()
    begun = run_cli(game, "play", "--plain", "--seed", seed, *seat, "--lang", "en", stdin="d\nq\n")
    again = run_cli(game, "play", "--resume", "--lang", "en", stdin="q\n")
    assert again.out.startswith(f"seed {seed}; ")
    assert again.out.splitlines()[-1] == begun.out.splitlines()[-1]
    kind, takes = (UnoGame, takes_from_record) if game == "uno" else (KlondikeGame, lambda name: False)
    session = resumed(kind, lambda _: kind.usual, None, OwnFile(), takes)
    session.next_deal()
    assert session.game.start_data() == kind.usual(int(seed) + 1).start_data()


@pytest.mark.parametrize(("verb", "key"), [("play", "moves"), ("uno play", "acts"), ("klondike play", "acts")])
def test_resume__names_the_file_of_a_record_that_contradicts_the_rules(verb: str, key: str, folder: Path) -> None:
    seat = ("--seat", "0") if verb == "uno play" else ()
    assert run_cli(*verb.split(), "--plain", "--seed", "7", *seat, stdin="d\n0\n1\n2\np\nq\n").status == 0
    [path] = folder.glob("*.jsonl")
    data = json.loads(path.read_text("utf-8"))
    path.write_text(json.dumps(data | {key: ["nothing"]}) + "\n", encoding="utf-8")
    for file in ((), (str(path),)):
        status, _, err = run_cli(*verb.split(), "--plain", "--resume", *file, stdin="q\n")
        assert (status, err.startswith(f"big2: {path}: "), err.count("\n")) == (2, True, 1)
