"""UNO compiled: the same games as the reference engine's, the published figures, the environments, the learned player."""

from __future__ import annotations

import json
import warnings
from collections import Counter
from itertools import pairwise
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pettingzoo
import pytest
from gymnasium.vector import AutoresetMode
from rlcard_uno import act_of, card_of, positions
from run_cli import run_cli

from big2_agents.uno.features import NUM_WEIGHTS
from big2_agents.uno.match import match
from big2_agents.uno.players import PLAYERS, SCRATCH, learned_act, rule_v1_act
from big2_agents.uno.playouts import guess_hidden, recount
from big2_agents.uno.train import fit
from big2_agents.uno.weights import load_weights
from big2_env import ConfigError, IllegalPlayError
from big2_env.rng import SplitMix64
from big2_env.testing import check_masks
from big2_env.uno import PRESETS, UnoEnd, UnoGame, UnoRules, automatic_act, uno_rules
from big2_env.uno.aec import env, raw_env
from big2_env.uno.engine import UnoBatchEngine
from big2_env.uno.kernels import acts, hands, loops, records
from big2_env.uno.observation import UnoLayout
from big2_env.uno.rules import CHOICES
from big2_env.uno.simulate import simulated
from big2_env.uno.vector import UnoBatchEnv

with warnings.catch_warnings():  # pettingzoo.test imports a game of its own in a way that it deprecates
    warnings.simplefilter("ignore", DeprecationWarning)
    from pettingzoo.test import api_test, seed_test

RULES = {
    **PRESETS,
    "ten": uno_rules("article", players=10),
    "odd": UnoRules(
        3,
        "actions_first",
        "draw_only",
        official_first_card=True,
        match_zero=False,
        match_wild=True,
        blank_is_any=True,
        wild_four="free",
        wild_order="four_first",
        play_drawn=True,
        last_card_acts=True,
        pile_test="at_once",
    ),
    "other": UnoRules(4, "draw_order", wild_four="last_resort", wild_order="wild_first", play_drawn=True, ties="lowest_seat"),
    "none": UnoRules(3, effects="none", official_first_card=True, empty_pile="reshuffle", match_zero=False),
}


def same(g: Any, game: UnoGame) -> bool:
    """Whether a record is the game: hands by age, pile, what is in force, who moves, and the result."""
    seats = range(game.rules.players)
    codes = g.codes[: int(g.taken)].astype(int)
    held = [[int(code - (code >> 4)) for age, code in enumerate(codes) if has(g.seats[seat], age)] for seat in seats]
    fresh = [[(int(g.seats[seat].fresh) >> 8 * colour & 255).bit_count() for colour in range(5)] for seat in seats]
    turn = (g.turn, g.direction, g.colour, g.face, bool(g.naming), g.turns)
    return (
        held == game.hands
        and fresh == game.fresh
        and g.left == len(game.pile)
        and [g.seats[seat].held for seat in seats] == list(map(len, game.hands))
        and (game.is_over or turn == (game.turn, game.direction, game.colour, game.face, game.naming, game.turns))
        and g.winner == (-1 if game.outcome is None else game.outcome.winner)
    )


def has(seat: Any, age: int) -> bool:
    return bool((int(seat.low) | int(seat.high) << 64) >> age & 1)


@pytest.mark.parametrize("name", RULES)
@pytest.mark.parametrize("who", ["automatic", "random"])
def test_engines__play_the_same_games(name: str, who: str) -> None:
    rules, rng = RULES[name], SplitMix64(7)
    given = {scoring: records.rules_record(rules, scoring) for scoring in records.SCORINGS}
    r, g, payoffs = given["winner"], records.new_games(1)[0], np.zeros(10, np.float32)
    for seed in range(3):
        game = UnoGame.deal(rules, seed)
        acts.deal(r, g, np.uint64(seed))
        for _ in range(250):
            assert same(g, game)
            word = int(hands.legal_word(r, g))
            assert tuple(act for act in range(64) if word >> act & 1) == game.legal_acts()
            if game.is_over:
                break
            if who == "random":
                legal = game.legal_acts()
                act = legal[rng.below(len(legal))]
                game.play(act)
                acts.make_act(r, g, act)
            else:
                turns = game.turns
                while game.turns == turns and not game.is_over:
                    game.play(automatic_act(game.view()))
                loops.automatic_turn(r, g)
        if game.outcome is not None:
            assert g.ended == (1 if game.outcome.reason is UnoEnd.OUT else 2)
            for scoring, record in given.items():
                acts.write_payoffs(record, g, payoffs)
                np.testing.assert_allclose(payoffs[: rules.players], game.outcome.payoffs(scoring), rtol=1e-6)


# Published figures: rows of the reference table, 200,000 games each. The last digit is rounded, and the published figures have
# a standard error of their own.
GAMES = 40_000
TABLE = [
    # rules, mean turns, median, exhausted, reported wins of the first seats, points left
    ({"players": 2}, 34.5, 26, 0.0024, (0.514,), 61.7),
    ({"players": 3}, 38.3, 32, 0.0016, (0.350,), 98.7),
    ({"players": 4}, 43.2, 37, 0.0025, (0.271, 0.253, 0.240, 0.235), 146.7),
    ({"players": 6}, 56.1, 50, 0.017, (0.187,), 239.8),
    ({"players": 8}, 65.7, 61, 0.091, (0.147,), 341.8),
    ({"players": 10}, 69.0, 69, 0.321, (0.122,), 462.8),
    ({"players": 2, "colour_order": "draw_order"}, 34.5, None, None, (), 57.2),
    ({"players": 2, "colour_order": "actions_first"}, 34.1, None, None, (), 51.3),
    ({"players": 4, "colour_order": "draw_order"}, 44.6, None, None, (), 134.4),
    ({"players": 4, "colour_order": "actions_first"}, 46.0, None, None, (), 121.3),
    ({"players": 2, "match_zero": False}, 35.2, None, None, (), None),
    ({"players": 4, "match_zero": False}, 43.6, None, None, (), None),
    ({"players": 2, "play_drawn": True}, 30.2, None, None, (), None),
    ({"players": 4, "play_drawn": True}, 41.1, None, None, (), None),
    ({"players": 2, "effects": "none"}, 29.4, None, None, (), None),
    ({"players": 4, "effects": "none"}, 36.6, None, None, (), None),
    ({"players": 2, "blank_is_any": True}, 34.4, None, None, (), None),
    ({"players": 4, "blank_is_any": True}, 41.1, None, None, (), None),
]


def near(found: Any, published: float, rounded: float, games: int) -> bool:
    """Within three standard errors of a difference between this many games and the published 200,000, and rounding."""
    return abs(found.mean - published) <= 3 * found.error * (1 + games / 200_000) ** 0.5 + rounded


@pytest.mark.parametrize("row", TABLE, ids=lambda row: " ".join(f"{name}={value}" for name, value in row[0].items()))
def test_simulation__gives_the_published_figures(row: Any) -> None:
    changes, turns, median, exhausted, wins, left = row
    found = simulated(UnoRules(**changes), GAMES, seed=1)
    assert near(found.turns, turns, 0.05, GAMES)
    assert median is None or abs(found.percentile(0.5) - median) <= 1
    assert exhausted is None or near(found.exhausted, exhausted, 0.0005, GAMES)
    assert left is None or near(found.left, left, 0.05, GAMES)
    for seat, published in enumerate(wins):
        assert near(found.firsts[seat], published, 0.0005, GAMES)
    assert sum(one.mean for one in found.wins) == pytest.approx(1)


def test_simulation__is_the_same_for_every_number_of_threads_and_adds_up_the_reference_engines_games() -> None:
    rules = UnoRules(players=5, play_drawn=True)
    one, three = simulated(rules, 11_000, seed=9, threads=1), simulated(rules, 11_000, seed=9, threads=3)
    assert np.array_equal(one.totals, three.totals)
    assert one.longest == np.flatnonzero(one.lengths)[-1]
    few, outcomes, turns = simulated(rules, 30, seed=4), [], []
    for seed in range(4, 34):
        game = UnoGame.deal(rules, seed)
        while not game.is_over:
            game.play(automatic_act(game.view()))
        outcomes.append(game.outcome)
        turns.append(game.turns)
    assert (few.turns.mean, few.shortest, few.longest) == (np.mean(turns), min(turns), max(turns))
    scores = np.array([outcome.scores for outcome in outcomes if outcome])
    np.testing.assert_allclose([one.mean for one in few.scores], scores.mean(0))
    assert few.left.error == pytest.approx(scores.sum(1).std(ddof=1) / 30**0.5)
    for games, threads in ((0, 1), (10**10 + 1, 1), (5, 0)):
        with pytest.raises(ConfigError, match="allowed are 1"):
            simulated(rules, games, threads=threads)


@pytest.mark.parametrize("name", ["article", "mattel", "odd", "ten"])
def test_batch__rows_are_games_of_the_reference_engine(name: str) -> None:
    rules, layout, rng = RULES[name], UnoLayout(RULES[name]), np.random.default_rng(2)
    batch = UnoBatchEnv(3, rules=rules, scoring="points", dtype="float32")
    obs, infos = batch.reset(seed=5)
    streams = [SplitMix64(SplitMix64(5 + row).next()) for row in range(3)]
    games = [UnoGame.deal(rules, stream.next()) for stream in streams]
    ended = 0
    for _ in range(220):
        counts, ids = batch.legal_ids()
        for row, game in enumerate(games):
            view = game.view()
            assert infos["seat"][row] == game.turn
            np.testing.assert_array_equal(obs[row], layout.encode(view))
            assert tuple(np.flatnonzero(infos["action_mask"][row])) == view.acts == tuple(ids[row, : counts[row]])
        acts = np.array([rng.choice([act for act in game.legal_acts() if act != 60] or [60]) for game in games])
        obs, reward, terminated, _, infos = batch.step(acts)
        for row, game in enumerate(games):
            seat = game.turn
            game.play(int(acts[row]))
            assert infos["acted"][row] == seat
            assert terminated[row] == game.is_over
            if game.outcome is not None:
                ended += 1
                np.testing.assert_allclose(infos["payoffs"][row], game.outcome.payoffs("points"))
                assert reward[row] == infos["payoffs"][row, seat]
                np.testing.assert_array_equal(infos["final_obs"][row], layout.encode(game.view(seat)))
                games[row] = UnoGame.deal(rules, streams[row].next())
            else:
                assert reward[row] == 0
    assert ended >= 2


def test_batch__by_id_has_the_interface_of_the_other_vector_environments() -> None:
    envs: Any = gymnasium.make_vec("big2/Uno-v0", num_envs=6, players=3)
    assert type(envs.unwrapped) is UnoBatchEnv
    assert envs.unwrapped.rules == uno_rules("table", players=3)
    first, infos = envs.reset(seed=3)
    first_mask = infos["action_mask"]
    again, _ = envs.reset(seed=[3, 4, 5, 6, 7, 8])
    np.testing.assert_array_equal(first, again)
    assert envs.single_observation_space.contains(first[0])
    np.testing.assert_array_equal(envs.unwrapped.action_masks(), infos["action_mask"].astype(bool))
    drawn = [envs.unwrapped.random_actions() for _ in range(60)]
    envs.reset(seed=3)
    np.testing.assert_array_equal(envs.unwrapped.random_actions(), drawn[0])  # same seed, same acts
    assert set(zip(np.tile(np.arange(6), 60), np.ravel(drawn), strict=True)) == set(zip(*np.nonzero(first_mask), strict=True))
    _, reward, terminated, _, infos = envs.step(np.full(6, 61))  # keep, which nobody may
    assert terminated.all()
    assert infos["illegal"].all()
    assert (reward == -1).all()
    raising = UnoBatchEnv(2, on_illegal="raise", autoreset_mode=AutoresetMode.DISABLED, threads=2)
    raising.reset(seed=1)
    with pytest.raises(IllegalPlayError, match="row 0, action 61: keep: allowed are"):
        raising.step(np.array([61, 60]))
    with pytest.raises(ConfigError, match="row 1, action 62: allowed are 0 to 61"):
        raising.step(np.array([60, 62]))
    raising.close()
    with pytest.raises(ConfigError, match="scoring 'cards': allowed are winner, points"):
        UnoBatchEnv(2, scoring="cards")
    one, two = UnoBatchEngine(UnoRules(), 10), UnoBatchEngine(UnoRules(), 10, threads=3)
    for engine in (one, two):
        engine.reset(4)
    assert one.play_random(400) == two.play_random(400) > 5
    np.testing.assert_array_equal(one.observation, two.observation)
    two.close()


@pytest.mark.filterwarnings("ignore:.*")
def test_aec__passes_the_tests_of_pettingzoo_and_the_laws_of_masks() -> None:
    assert str(pettingzoo.make("aec", "big2/Uno-v0", players=3)) == "uno_v0"
    api_test(raw_env(players=4), num_cycles=60)
    seed_test(lambda: env(players=3))
    for rules in ("table", "rlcard"):
        for made in (raw_env(rules), env(rules=rules, players=3)):
            assert check_masks(made, games=1, legal=lambda one: one.unwrapped.game.legal_acts()) > 10


def test_aec__draw_and_play_are_consecutive_acts_and_everybody_is_paid() -> None:
    made = raw_env(render_mode="ansi", scoring="points")
    again, paid = 0, {}
    for seed in range(4):
        made.reset(seed=seed)
        trail = []
        for agent in made.agent_iter():
            observation, reward, terminated, _, _ = made.last()
            if terminated:
                paid[agent] = reward
                made.step(None)
                continue
            np.testing.assert_array_equal(observation["observation"], made.layout.encode(made.game.view()))
            act = automatic_act(made.game.view())
            trail.append((agent, act))
            made.step(act)
        again += sum(a == b and one == 60 and other != 60 for (a, one), (b, other) in pairwise(trail))
        assert made.game.outcome is not None
        assert [paid[agent] for agent in made.possible_agents] == list(made.game.outcome.payoffs("points"))
        assert sum(paid.values()) == 0
    assert again > 0
    text = made.render()
    assert text is not None
    assert text.count("\n") == len(trail) + 2
    assert made.state_space.contains(made.state())
    for refused, says in ((62, "action 62: allowed"), (61, "keep"), ("x", "allowed is an integer")):
        made.reset(seed=1)
        with pytest.raises((ConfigError, IllegalPlayError), match=says):
            made.step(refused)
    deck = " ".join(["R[1]"] * 108)
    with pytest.raises(ValueError, match="the deck"):
        made.reset(options={"deck": deck})


def test_learned_player__looks_at_nothing_hidden() -> None:
    for rules in (UnoRules(), uno_rules("table", players=4)):
        r, g, s = records.rules_record(rules), records.new_games(1)[0], np.zeros(1, SCRATCH).view(np.recarray)[0]
        weights, rng, compared = load_weights(), np.uint64(3), 0
        for seed in range(6):
            acts.deal(r, g, np.uint64(seed))
            while g.winner < 0:
                act = learned_act(r, g, weights, s)
                assert hands.is_legal(r, g, act)
                before = int(hands.legal_word(r, g))
                rng = np.uint64(guess_hidden(r, g, g.turn, rng))
                assert int(hands.legal_word(r, g)) == before
                assert learned_act(r, g, weights, s) == act
                compared += before.bit_count() > 2
                acts.make_act(r, g, act)
        assert compared > 30


@pytest.mark.parametrize("against", ["article", "rule-v1"])
def test_learned_player__beats_the_others_with_two_and_keeps_fewer_points_with_four(against: str) -> None:
    """58 % is asked of 100,000 games; `big2 uno strength` plays them."""
    two = match(UnoRules(), "learned", against, 16_000)
    assert two.wins - two.wins_margin > 0.58
    assert two.games == 16_000
    four, same_place = (match(UnoRules(players=4), one, against, 8_000) for one in ("learned", against))
    assert four.left + four.left_margin < same_place.left - same_place.left_margin
    if against == "article":
        assert same_place.wins == pytest.approx(0.25)
        assert same_place.others_left == pytest.approx(same_place.left)


def test_rule_v1__chooses_as_rlcards_model_does(monkeypatch: pytest.MonkeyPatch) -> None:
    """In positions of RLCard's own games: the same acts, as often."""
    from rlcard.models import uno_rule_models

    model, given = uno_rule_models.UNORuleAgentV1(), list[list[str]]()
    monkeypatch.setattr(uno_rule_models.np.random, "choice", lambda found: given.append(list(found)) or found[0])
    r, games, s = records.rules_record(PRESETS["rlcard"]), records.new_games(1), np.zeros(1, SCRATCH).view(np.recarray)[0]
    seen = Counter[str]()
    for number, (state, target, colour) in enumerate(positions(20, seed=5)):
        given.clear()
        wanted = model.step(state)
        found = Counter(map(act_of, given[0] if given else [wanted]))
        cards = [card_of(one) for one in state["raw_obs"]["hand"]]
        acts.deal(r, games[0], np.uint64(1))
        games["codes"][0, : len(cards)] = [card + card // 15 for card in cards]
        games["seats"]["low"][0, 0], games["seats"]["held"][0, 0] = 2 ** len(cards) - 1, len(cards)
        recount(games[0], 0)
        games["turn"], games["colour"], games["face"], games["naming"] = 0, colour, target % 15, 0
        tries = 150 if len(found) > 1 else 3
        s.rng = np.uint64(number * 1000)
        mine = Counter(int(rule_v1_act(r, games[0], s)) for _ in range(tries))
        if wanted[2:] == "wild_draw_4" and all(card >= 60 for card in cards):
            assert set(mine) == {14}  # RLCard counts colours that its wild cards do not have
            continue
        assert set(mine) <= set(found)
        for act, copies in found.items():
            share = copies / found.total()
            assert abs(mine[act] - tries * share) <= 5 * (tries * share * (1 - share)) ** 0.5
            seen["twice"] += copies == 2 and len(found) > 1
        seen["four"] += wanted[2:] == "wild_draw_4"
        seen["any"] += len(found) > 2
    assert min(seen["twice"], seen["four"], seen["any"]) > 5


def test_match__does_not_depend_on_threads_and_refuses_what_it_can_not_play() -> None:
    assert match(UnoRules(), "random", "rule-v1", 9_000, threads=1) == match(UnoRules(), "random", "rule-v1", 9_000, threads=3)
    for one, other, games in (("best", "random", 10), ("random", "best", 10)):
        with pytest.raises(ConfigError, match=f"UNO player 'best': allowed are {PLAYERS[0]}"):
            match(UnoRules(), one, other, games)
    with pytest.raises(ConfigError, match="0 games"):
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
        (["--players", "15"], "15 players: allowed are 2 to 10"),
        (["--option", "match_zero"], "without a value"),
        (["--option", "ties=shared", "--option", "ties=shared"], "twice"),
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
    assert run_cli("uno", "replay", str(file)).out == "3 games: the rules give the same\n"
    assert run_cli("uno", "replay", str(file), "--log").out.count("is turned up") == 3
    assert all(name in run_cli("uno", "rules").out for name in CHOICES)
    strength = json.loads(run_cli("uno", "strength", "--games", "400", "--against", "random", "--players", "2", "--json").out)
    assert strength[0]["wins"] > 0.9
    assert "wins 9" in run_cli("uno", "strength", "--games", "400", "--against", "random", "--players", "2").out
