"""Games of UNO and Klondike that a person plays are kept act by act, listed, tallied and looked through."""

from __future__ import annotations

from pathlib import Path

import pytest
from run_cli import run_cli

from big2_env.cli._side_games_kept import klondike_kept, uno_kept
from big2_env.errors import ConfigError
from big2_env.games.klondike import records as klondike_records
from big2_env.games.klondike.game import KlondikeGame
from big2_env.games.klondike.solver import solve
from big2_env.games.uno import records as uno_records
from big2_env.games.uno.rules import uno_rules
from big2_env.games.uno.sitting import UnoSitting
from big2_env.play.own_file import OwnFile
from big2_env.play.saved import games_folder, last_unfinished, saved_games, tally


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("BIG2_DATA", str(tmp_path / "data"))
    return games_folder()


def test_uno__is_kept_after_every_act_each_deal_in_its_file(folder: Path) -> None:
    file = OwnFile("uno")
    sitting = UnoSitting(uno_rules(players=3), seat=1, seed=3, against="random", changed=uno_kept(file))
    mine = 0
    while mine < 2:
        if sitting.advance() is None:
            sitting.play(sitting.view.acts[0])
            mine += 1
        assert folder.exists() is (mine > 0)
        if mine:
            assert file.path is not None
            assert uno_records.loads(file.path.read_text("utf-8")).game == sitting.game
    sitting.undo()
    [game] = saved_games()
    assert (game.ruleset, game.opponents, game.seat, game.payoff) == ("uno", ("random", "random"), 1, None)
    assert game.acts == len(sitting.game.history)
    while not sitting.is_over:
        if sitting.advance() is None:
            sitting.play(sitting.view.acts[0])
    [game] = saved_games()
    outcome = sitting.game.outcome
    assert outcome is not None
    assert game.payoff == outcome.payoffs()[1]
    assert game.has_won is (1 in outcome.winners)
    sitting.next_deal()
    while sitting.advance() is not None:
        pass
    assert len(saved_games()) == 1
    sitting.play(sitting.view.acts[0])
    assert len(saved_games()) == 2
    [one] = tally(saved_games())
    assert (one.games, one.wins, one.broken_off) == (1, game.has_won, 1)
    assert file.problem is None


def test_klondike__is_won_or_broken_off() -> None:
    keep = klondike_kept(OwnFile("klondike"))
    game = KlondikeGame.deal(7)
    won = solve(game.state).acts
    assert won is not None
    game.play_all(won[:-1])
    keep(game, 7)
    assert [(one.payoff, one.has_won) for one in saved_games()] == [(None, False)]
    game.play(won[-1])
    keep(game, 7)
    other = KlondikeGame.deal(8)
    other.play(other.legal_acts()[0])
    keep(other, 8)
    assert sorted((one.payoff or 0, one.has_won, one.acts) for one in saved_games()) == [
        (0, False, 1),
        (game.score, True, len(won)),
    ]
    [one] = tally(saved_games())
    assert (one.ruleset, one.opponents, one.games, one.wins, one.broken_off) == ("klondike", (), 1, 1, 1)
    assert {klondike_records.loads(one.path.read_text("utf-8")).extra["seed"] for one in saved_games()} == {7, 8}


def test_prompts__keep_list_and_show_them(tmp_path: Path) -> None:
    assert run_cli("uno", "play", "--players", "2", "--seat", "0", "--seed", "3", stdin="p\nq\n").status == 0
    assert run_cli("klondike", "play", "--plain", "--seed", "7", stdin="d\nd\nu\nq\n").status == 0
    listed = run_cli("games", "--mine", "--lang", "en")
    assert (listed.status, listed.err) == (0, "")
    assert all(name in listed.out for name in ("UNO", "Klondike", "automatic"))
    for game in saved_games():
        page = tmp_path / f"{game.ruleset}.html"
        shown = run_cli("show", str(game.path), "--html", str(page), "--lang", "en")
        assert (shown.status, shown.err) == (0, "")
        assert "<svg" in page.read_text("utf-8")
        assert run_cli("show", str(game.path), "--at", "1").status == 0
        refused = run_cli("show", str(game.path), "--judge", "search:9")
        assert "expected a climbing game" in refused.err
        assert run_cli("show", str(game.path), "--at", "99").status == 2
    with pytest.raises(ConfigError, match="no game to go on with"):
        last_unfinished()


def test_folder_that_cannot_be_written__stops_the_writing_not_the_game(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BIG2_DATA", str(tmp_path / "file"))
    (tmp_path / "file").write_text("")
    played = run_cli("klondike", "play", "--plain", "--seed", "7", "--lang", "en", stdin="d\nq\n")
    assert played.status == 0
    assert "not being saved" in played.out
