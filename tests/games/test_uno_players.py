"""The learned UNO player, RLCard's rule model, matches between players, the command that measures them."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from rlcard_uno import card_of, move_of, positions
from run_cli import run_cli

from big2_agents.uno.features import describe, look_around
from big2_agents.uno.match import match
from big2_agents.uno.players import PLAYERS, SCRATCH, learned_move, rule_v1_move
from big2_agents.uno.playouts import guess_hidden, recount
from big2_agents.uno.train import fit
from big2_agents.uno.weights import NUM_FEATURES, NUM_WEIGHTS, load_weights
from big2_env import ConfigError
from big2_env.base.rng import SplitMix64
from big2_env.games.uno import PRESETS, UnoRules, uno_rules
from big2_env.games.uno.kernels import dtypes, hands, turn
from big2_env.games.uno.rules import CHOICES
from big2_env.games.uno.simulate import simulated
from big2_env.runs.executors import Local


def test_learned_player__looks_at_nothing_hidden() -> None:
    for rules in (UnoRules(), uno_rules("table", players=4)):
        r, g, s = dtypes.rules_record(rules), dtypes.new_games(1)[0], np.zeros(1, SCRATCH).view(np.recarray)[0]
        weights, rng, compared = load_weights(), np.uint64(3), 0
        for seed in range(6):
            turn.deal(r, g, np.uint64(seed))
            while g.winner < 0:
                move = learned_move(r, g, weights, s)
                before = int(hands.legal_word(r, g))
                assert before >> move & 1
                rng = np.uint64(guess_hidden(r, g, g.turn, rng))
                assert int(hands.legal_word(r, g)) == before
                assert learned_move(r, g, weights, s) == move
                compared += before.bit_count() > 2
                turn.make_move(r, g, move)
        assert compared > 30


@pytest.mark.parametrize("against", ["automatic", "rule-v1"])
def test_learned_player__beats_the_others_with_two_and_keeps_fewer_points_with_four(against: str) -> None:
    """58 % is asked of 100,000 games; `big2 uno strength` plays them."""
    two = match(UnoRules(), "learned", against, 16_000)
    assert two.wins - two.wins_margin > 0.58
    assert two.games == 16_000
    four, same_place = (match(UnoRules(players=4), one, against, 8_000) for one in ("learned", against))
    assert four.left + four.left_margin < same_place.left - same_place.left_margin
    if against == "automatic":
        assert same_place.wins == pytest.approx(0.25)
        assert same_place.others_left == pytest.approx(same_place.left)


def test_rule_v1__chooses_as_rlcards_model_does(monkeypatch: pytest.MonkeyPatch) -> None:
    """In positions of RLCard's own games: the same acts, as often."""
    from rlcard.models import uno_rule_models

    model, given = uno_rule_models.UNORuleAgentV1(), list[list[str]]()
    monkeypatch.setattr(uno_rule_models.np.random, "choice", lambda found: given.append(list(found)) or found[0])
    r, games, s = dtypes.rules_record(PRESETS["rlcard"]), dtypes.new_games(1), np.zeros(1, SCRATCH).view(np.recarray)[0]
    seen = Counter[str]()
    for number, (state, target, colour) in enumerate(positions(20, seed=5)):
        given.clear()
        wanted = model.step(state)
        found = Counter(map(move_of, given[0] if given else [wanted]))
        cards = [card_of(one) for one in state["raw_obs"]["hand"]]
        turn.deal(r, games[0], np.uint64(1))
        games["codes"][0, : len(cards)] = [card + card // 15 for card in cards]
        games["seats"]["low"][0, 0], games["seats"]["held"][0, 0] = 2 ** len(cards) - 1, len(cards)
        recount(games[0], 0)
        games["turn"], games["colour"], games["face"], games["naming"] = 0, colour, target % 15, 0
        tries = 150 if len(found) > 1 else 3
        s.rng = np.uint64(number * 1000)
        mine = Counter(int(rule_v1_move(r, games[0], s)) for _ in range(tries))
        if wanted[2:] == "wild_draw_4" and all(card >= 60 for card in cards):
            assert set(mine) == {14}  # RLCard counts colours that its wild cards do not have
            continue
        assert set(mine) <= set(found)
        for move, copies in found.items():
            share = copies / found.total()
            assert abs(mine[move] - tries * share) <= 5 * (tries * share * (1 - share)) ** 0.5
            seen["twice"] += copies == 2 and len(found) > 1
        seen["four"] += wanted[2:] == "wild_draw_4"
        seen["any"] += len(found) > 2
    assert min(seen["twice"], seen["four"], seen["any"]) > 5


@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize("effects", CHOICES["effects"])
def test_describe__knows_who_draws_and_who_moves_next(effects: str, players: int) -> None:
    rules = UnoRules(players, effects=effects, wild_four="free", pure_direction=players == 4)
    r, games = dtypes.rules_record(rules), dtypes.new_games(2)
    seen, x, rng, found = np.zeros(22), np.zeros(NUM_FEATURES), SplitMix64(1), set[tuple[int, bool]]()
    for seed in range(30):
        turn.deal(r, games[0], np.uint64(seed))
        while games[0].winner < 0:
            g, me, word = games[0], int(games[0].turn), int(hands.legal_word(r, games[0]))
            moves = [move for move in range(62) if word >> move & 1]
            look_around(r, g, seen)
            for move in moves if g.seats[me].held > 1 and not g.naming else ():
                games[1] = g
                turn.make_move(r, games[1], move)
                after, face = games[1], move % 15
                if move < 60 and after.winner < 0 and after.left > 0:
                    describe(r, g, seen, move if face < 13 else 60 + face, move // 15, x)
                    again = int(after.turn) == me
                    assert x[22] == again
                    assert x[27] == (0 if again else 1 / g.seats[int(after.turn)].held)
                    drawn = [int(after.seats[seat].held - g.seats[seat].held) for seat in range(players) if seat != me]
                    few = [g.seats[seat].held <= 2 for seat in range(players) if seat != me]
                    assert x[31] * 4 == sum(number * each for number, each in zip(drawn, few, strict=True))
                    found.add((face, again))
            turn.make_move(r, games[0], moves[rng.below(len(moves))])
    assert len(found) == 15
    assert ((10, True) in found) == (players == 2 and effects != "none")


def test_match__does_not_depend_on_threads_and_refuses_what_it_can_not_play() -> None:
    one, three = (match(UnoRules(), "random", "rule-v1", 9_000, executor=Local(jobs)) for jobs in (1, 3))
    assert one == three
    for one, other, games in (("best", "random", 10), ("random", "best", 10)):
        with pytest.raises(ConfigError, match=f"expected {PLAYERS[0]}, .* as UNO player, got 'best'"):
            match(UnoRules(), one, other, games)
    with pytest.raises(ConfigError, match="expected 1 or more games, got 0"):
        match(UnoRules(), "random", "random", 0)


def test_fit__finds_differences_within_groups(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    rows, groups = rng.normal(size=(6000, 36)), np.repeat(np.arange(2000), 3)
    targets = 0.3 * rows[:, 0] - 0.2 * np.abs(rows[:, 1]) + rng.normal(size=2000)[groups]  # a group's own level is no matter
    start = rng.normal(0, 0.2, NUM_WEIGHTS)
    weights = fit(start, rows, groups, targets, epochs=12, seed=1, batch=64)
    layer = weights[:-24].reshape(24, 37)
    values = np.maximum(rows @ layer[:, :-1].T + layer[:, -1], 0) @ weights[-24:]
    level = (np.bincount(groups, values - targets) / 3)[groups]
    wanted = targets - (np.bincount(groups, targets) / 3)[groups]
    assert np.mean((values - targets - level) ** 2) < 0.2 * np.mean(wanted**2)
    for name, data in (("short", {"weights": np.zeros(3)}), ("other", {"w": np.zeros(3)})):
        np.savez(tmp_path / f"{name}.npz", **data)
        with pytest.raises(ConfigError, match=f"{name}.npz"):
            load_weights(tmp_path / f"{name}.npz")


def test_option__takes_the_number_of_players_too() -> None:
    given, shown = ["uno", "play", "--games", "1", "--log", "jsonl"], ["uno", "play", "--seat", "0", "--seed", "1"]
    assert run_cli(*given, "--option", "players=3") == run_cli(*given, "--players", "3")
    assert "big2 uno play --players 3 --seat 0" in run_cli(*shown, "--option", "players=3", "--lang", "en").out
    twice = run_cli(*given, "--players", "3", "--option", "players=4")
    assert (twice.status, "each name once, got 'players=4' again" in twice.err) == (2, True)
    endless = run_cli(*given, "--option", f"players={'9' * 5000}")
    assert (endless.status, endless.err.count("\n")) == (2, 1)


def test_command__simulates_plays_replays_and_measures(tmp_path: Path) -> None:
    plain = run_cli("uno", "simulate", "--players", "4", "--games", "2000", "--jobs", "2")
    assert plain.status == 0
    for word in ("2,000 games from seed 0; players 4", "turns: mean 4", "empty pile", "points left", "wins (ties shared)"):
        assert word in plain.out
    assert plain.out == run_cli("uno", "simulate", "--players", "4", "--games", "2000", "--jobs", "1").out
    changed = ["--option", "colour-order=draw_order", "--option", "match_zero=no"]
    data = json.loads(run_cli("uno", "simulate", "--games", "500", "--json", *changed).out)
    assert data["rules"] == {"players": 2, "colour_order": "draw_order", "match_zero": False}
    found = simulated(UnoRules(colour_order="draw_order", match_zero=False), 500)
    assert data["turns"] == {"mean": found.turns.mean, "error": found.turns.error}
    assert [one["mean"] for one in data["wins"]] == [one.mean for one in found.wins]
    for args, says in (
        (["--players", "15"], "expected 2 to 14 players, got 15"),
        (["--option", "match_zero"], "expected NAME=VALUE, each name once, got 'match_zero'"),
        (["--option", "ties=shared", "--option", "ties=shared"], "got 'ties=shared' again"),
        (["--rules", "home"], "UNO rules 'home'"),
    ):
        answer = run_cli("uno", "simulate", *args)
        assert (answer.status, answer.out) == (2, "")
        assert says in answer.err
    log = run_cli("uno", "play", "--seed", "7")
    assert log.out.startswith("game 7: ")
    assert "wins; points left" in log.out
    file = tmp_path / "uno.jsonl"
    file.write_text(run_cli("uno", "play", "--games", "3", "--players", "5", "--rules", "mattel", "--log", "jsonl").out)
    assert run_cli("uno", "replay", str(file)).out == "records replayed: 3; all agree with the rules\n"
    assert run_cli("uno", "replay", str(file), "--log").out.count("is turned up") == 3
    assert all(name in run_cli("uno", "rules").out for name in CHOICES)
    strength = json.loads(run_cli("uno", "strength", "--games", "400", "--against", "random", "--players", "2", "--json").out)
    assert strength[0]["wins"] > 0.9
    assert "wins 9" in run_cli("uno", "strength", "--games", "400", "--against", "random", "--players", "2").out
