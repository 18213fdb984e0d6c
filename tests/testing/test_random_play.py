"""Random games of every ruleset keep the laws; and a law that is broken is found. Many more games: `testing/random_play.py`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import typer

from big2_env import Game, Position, RuleSet, available_rulesets, ruleset
from big2_env.base.rng import SplitMix64
from big2_env.climbing import game as game_module
from big2_env.climbing import position as position_module
from big2_env.climbing.game import max_moves
from big2_env.testing.random_play import BrokenLawError, Played, command, conserved, play, players_of

FAMILY = list(available_rulesets())


@pytest.mark.parametrize("name", FAMILY)
def test_random_play__keeps_every_law_in_every_game(name: str) -> None:
    rules = ruleset(name)
    played = play(rules, 60, seed=77)
    assert played.games == 60
    assert played.moves >= 60 * rules.hand_size / max(rules.sizes)
    assert 0 < played.longest <= max_moves(rules, rules.max_players)
    assert {players_of(rules, i) for i in range(60)} == set(range(rules.min_players, rules.max_players + 1))


def lost_card(rules: RuleSet, position: Position, move: Any) -> Position:
    """A play after which the next seat has lost a card."""
    after = position_module.after_play(rules, position, move)
    seat = (position.turn + 1) % len(after.hands)
    hand = after.hands[seat]
    return after._replace(hands=(*after.hands[:seat], hand & (hand - 1), *after.hands[seat + 1 :]))


def other_card(rules: RuleSet, position: Position, move: Any) -> Position:
    """A play after which the next seat has put down its lowest card too."""
    after = position_module.after_play(rules, position, move)
    seat = (position.turn + 1) % len(after.hands)
    low = after.hands[seat] & -after.hands[seat]
    played = tuple(mask | low * (other == seat) for other, mask in enumerate(after.played))
    return after._replace(hands=after.without(seat, low), played=played)


def endless(rules: RuleSet, position: Position, move: Any) -> Position:
    """A play that leaves everything as it was."""
    return position


@pytest.mark.parametrize(
    ("broken", "says"),
    [
        (lost_card, "cards are lost"),
        (other_card, "does not match the cards put down"),
        (endless, "does not match the cards put down"),
    ],
)
def test_random_play__finds_what_is_broken(broken: Any, says: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(game_module, "after_play", broken)
    with pytest.raises(BrokenLawError, match=rf"wu_gua_pi: .*{says}.* Game\.deal\(rules, 5, 2\)"):
        play(ruleset("wu_gua_pi"), 1, seed=5)


def test_conserved__sees_lost_and_doubled_cards() -> None:
    for name in FAMILY:
        position = Game.deal(ruleset(name), 1).position
        assert conserved(ruleset(name), position)
        first, second, *others = position.hands
        assert not conserved(ruleset(name), position._replace(hands=(first & (first - 1), second, *others)))
        assert not conserved(ruleset(name), position._replace(hands=(first, second | first & -first, *others)))


@pytest.mark.parametrize("name", FAMILY)
def test_bound__holds_where_everybody_drags_the_game_out(name: str) -> None:
    """Single cards where they are legal, each passed by all others; auctions that nobody wants."""
    rules = ruleset(name)
    for players in {rules.min_players, rules.max_players}:
        game, rng = Game.deal(rules, 3, players), SplitMix64(1)
        while not game.is_over:
            moves = list(game.legal_plays())
            game.push(moves[-1] if game.can_pass else min(moves, key=lambda move: (len(move), rng.below(9))))
        assert len(game.history) <= max_moves(rules, players)
        if rules.deck.size == rules.hand_size * players:
            assert len(game.history) > players * rules.hand_size / 2


def test_random_play__goes_on_where_it_was_stopped(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "play.jsonl"

    def run(games: int, *, resume: bool = True, seed: int = 0) -> tuple[int, str, str]:
        with pytest.raises(typer.Exit) as caught:
            command(["qi_gui_523"], games, seed, out, resume)
        return caught.value.exit_code, *capsys.readouterr()

    status, first, _ = run(30, resume=False)
    assert status == 0
    assert run(40, resume=False)[0] == 2  # the file is there
    with out.open("a", encoding="utf-8") as stream:
        stream.write('{"ruleset": "qi_gui_523", "ga')  # a line that a kill cut off
    status, second, _ = run(40)
    assert status == 0
    assert first.startswith("qi_gui_523: 30 games, ")
    assert second.startswith("qi_gui_523: 40 games, ")
    lines = [json.loads(line) for line in out.read_text().splitlines()][1:]
    assert [line["games"] for line in lines] == [30, 10]
    assert sum(line["moves"] for line in lines) == play(ruleset("qi_gui_523"), 40).moves
    assert Played(**{key: lines[1][key] for key in Played._fields})[:3] == play(ruleset("qi_gui_523"), 10, first=30)[:3]
    assert run(40, seed=1)[::2] == (2, f"{out}: made with seed 0, but this run has 1\n")
    whole = out.read_text()
    out.write_text(whole + '{"ruleset": 3}\n')
    assert run(40)[::2] == (2, f"{out} line 4: games: expected a whole number of at least 0, got 'null'\n")
    out.write_text(whole.replace('"fullest":', '"fullest":-'))
    assert run(40)[2].startswith(f"{out} line 2: fullest: expected a number of at least 0, got '-0.")
    with pytest.raises(typer.Exit):
        command(["big2"], 1, 0, tmp_path / "none" / "x")
    message = f"[Errno 2] No such file or directory: '{tmp_path / 'none' / 'x'}'\n"
    assert capsys.readouterr() == ("", message)
    for foreign in ('{"my": "data"}', '{"ruleset": "big2", "hands": []}', '{"kind":"big2 random play","seed":1}'):
        out.write_text(foreign)
        assert run(40)[0] == 2
        assert out.read_text() == foreign
    for partial in ("", '{"ki', '{"kind":"big2 random play","se'):
        out.write_text(partial)
        assert run(3)[0] == 0
        assert json.loads(out.read_text().splitlines()[1])["games"] == 3
