"""UNO's environments: the batch of games by its id, and PettingZoo's tests, masks and payoffs of all seats."""

from __future__ import annotations

import copy
import pickle
import warnings
from itertools import pairwise
from typing import Any

import gymnasium
import numpy as np
import pettingzoo
import pytest
from gymnasium.vector import AutoresetMode

from big2_env import ConfigError, IllegalPlayError
from big2_env.games.uno import PRESETS, UnoGame, UnoRules, automatic_move, uno_rules
from big2_env.games.uno.aec import env, raw_env
from big2_env.games.uno.kernels.engine import UnoBatchEngine
from big2_env.games.uno.vector import UnoBatchEnv
from big2_env.testing import check_masks

with warnings.catch_warnings():  # pettingzoo.test imports a game of its own in a way that it deprecates
    warnings.simplefilter("ignore", DeprecationWarning)
    from pettingzoo.test import api_test, seed_test


def test_batch__by_id_has_the_interface_of_the_other_vector_environments() -> None:
    envs: Any = gymnasium.make_vec("big2/UnoSelfPlay-v0", num_envs=6, players=3)
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
    raising = UnoBatchEnv(2, mode="self_play", on_illegal="raise", autoreset_mode=AutoresetMode.DISABLED, threads=2)
    raising.reset(seed=1)
    with pytest.raises(IllegalPlayError, match=r"row 0, action 61: expected R\[7\], draw, got keep"):
        raising.step(np.array([61, 60]))
    with pytest.raises(ConfigError, match="row 1, expected an action of 0 to 61, got 62"):
        raising.step(np.array([60, 62]))
    raising.close()
    with pytest.raises(ConfigError, match="unknown scoring 'cards'; expected one of winner, points"):
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
            assert check_masks(made, games=1, legal=lambda one: one.unwrapped.game.legal_moves()) > 10


def test_aec__draw_and_play_are_consecutive_moves_and_everybody_is_paid() -> None:
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
            move = automatic_move(made.game.view())
            trail.append((agent, move))
            made.step(move)
        again += sum(a == b and one == 60 and other != 60 for (a, one), (b, other) in pairwise(trail))
        assert made.game.outcome is not None
        assert [paid[agent] for agent in made.possible_agents] == list(made.game.outcome.payoffs("points"))
        assert sum(paid.values()) == 0
    assert again > 0
    text = made.render()
    assert text is not None
    assert text.count("\n") == len(trail) + 2
    assert made.state_space.contains(made.state())
    for refused, says in (
        (62, "player_0: expected an action of 0 to 61, got 62"),
        (61, "keep"),
        (2**70, "expected an action of 0 to 61"),
        ("x", "expected an integer 0 to 61 as action"),
    ):
        made.reset(seed=1)
        with pytest.raises((ConfigError, IllegalPlayError), match=says):
            made.step(refused)
    deck = " ".join(["R[1]"] * 108)
    with pytest.raises(ValueError, match="the deck"):
        made.reset(options={"deck": deck})


@pytest.mark.parametrize("rules", [*PRESETS, "reshuffle"])
def test_raw_env__on_the_compiled_rules_shows_and_pays_what_the_reference_game_does(rules: str) -> None:
    given = uno_rules("table", empty_pile="reshuffle", players=4) if rules == "reshuffle" else uno_rules(rules, players=3)
    made, rng = raw_env(given, scoring="points"), np.random.default_rng(5)
    for number in range(3):
        deck = UnoGame.deal(given, number).deck
        made.reset(seed=number, options={"deck": deck} if number else None)
        game = UnoGame(given, made.game.deck, made.game.stream)
        if number:
            assert game.deck == deck
        for _ in range(250):
            for seat, agent in enumerate(made.possible_agents):
                seen, view = made.observe(agent), game.view(seat)
                np.testing.assert_array_equal(seen["observation"], made.layout.encode(view))
                assert tuple(np.flatnonzero(seen["action_mask"])) == view.moves
            if game.is_over:
                break
            assert made.agent_selection == made.possible_agents[game.turn]
            legal = game.legal_moves()
            move = int(rng.choice([one for one in legal if one < 60 or rules == "reshuffle"] or legal))
            game.play(move)
            made.step(move)
        if game.outcome is not None:
            assert list(made.rewards.values()) == list(game.outcome.payoffs("points"))
        assert made.game == game


def test_raw_env__copies_and_pickles_with_its_game() -> None:
    made = raw_env(players=3)
    made.reset(seed=4)
    made.step(made.game.legal_moves()[0])
    for twin in (copy.copy(made), pickle.loads(pickle.dumps(made))):
        assert twin.game == made.game
        twin.step(twin.game.legal_moves()[0])
        assert len(twin.game.history) == 2
        assert len(made.game.history) == 1


def test_raw_env__a_refused_move_changes_nothing() -> None:
    made = raw_env()
    made.reset(seed=1)
    before = made.game.view(), made.observe("player_0")["observation"].tobytes()
    with pytest.raises(IllegalPlayError):
        made.step(61)
    assert (made.game.view(), made.observe("player_0")["observation"].tobytes()) == before
    assert made.agent_selection == "player_0"
