"""A reset that is refused changes nothing, in every environment; one that fails halfway asks for another."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np
import pytest
from gymnasium.error import ResetNeeded

from big2_env import BIG2, ConfigError, Game, NotationError, ruleset
from big2_env.climbing.auction import Bid
from big2_env.climbing.legal import LegalPlays
from big2_env.climbing.play import Play
from big2_env.climbing.view import View
from big2_env.envs import aec
from big2_env.envs.league import League
from big2_env.envs.seat import SeatEnv
from big2_env.games.klondike.env import KlondikeEnv
from big2_env.games.uno import aec as uno

DOU = ruleset("dou_dizhu")
BAD: dict[str, dict[str, Any]] = {
    "deck": {"deck": "C[3] C[3]"},
    "hands": {"hands": ["C[3]", "C[3]"]},
    "position": {"position": 3},
    "two": {"deck": "C[3]", "hands": ["C[3]"]},
    "decks": {"position": Game.deal(DOU, 1).position._replace(redeals=(tuple(DOU.deck.cards),) * 3)},
    "stake": {"position": Game.deal(DOU, 1).position._replace(bidding=False, landlord=0, bottom=0, redeals=(), stake=2**60)},
}


def seen(env: Any) -> Any:
    """Everything that an environment shows of its game, its seats and its draws."""
    if hasattr(env, "agent_selection"):
        observation = env.last()[0]["observation"]
        return observation.tobytes(), env.agent_selection, len(env.unwrapped.game.history), env.np_random.bit_generator.state
    masks = env.action_masks().tobytes()
    return masks, env.unwrapped.seat, len(env.unwrapped.game.history), env.np_random.bit_generator.state


def follows(env: Any) -> Any:
    """The same for the next game."""
    env.reset()
    return seen(env)


@pytest.mark.parametrize("seed", [None, 5])
@pytest.mark.parametrize("engine", ["reference", "compiled"])
@pytest.mark.parametrize(("make", "option"), [*product((SeatEnv, aec.env), BAD), (SeatEnv, "seat")])
def test_reset__that_is_refused_changes_nothing(make: Callable[..., Any], option: str, engine: str, seed: int | None) -> None:
    env = make(ruleset=DOU if option in ("decks", "stake") else BIG2, engine=engine)
    env.reset(seed=1)
    env.reset()
    twin = deepcopy(env)
    with pytest.raises((ConfigError, NotationError)):
        env.reset(seed=seed, options=BAD.get(option, {"seat": 9}))
    assert seen(env) == seen(twin)
    assert follows(env) == follows(twin)


@pytest.mark.parametrize("seed", [None, 5])
@pytest.mark.parametrize("kind", [int, float, str])
@pytest.mark.parametrize("make", [KlondikeEnv, uno.env, uno.raw_env])
def test_reset__that_is_refused_changes_nothing_in_side_games(make: Callable[[], Any], kind: type, seed: int | None) -> None:
    env = make()
    env.reset(seed=1)
    twin = deepcopy(env)
    deck = [1, 1] if kind is int else [*map(kind, env.unwrapped.game.deck)]
    with pytest.raises((ConfigError, NotationError)):
        env.reset(seed=seed, options={"deck": deck})
    assert seen(env) == seen(twin)
    assert follows(env) == follows(twin)


class Failing:
    """An agent that fails when a game begins, if asked to."""

    fails = False

    def reset(self, seed: int) -> None:
        if self.fails:
            raise RuntimeError("no game for me")

    def act(self, view: View, legal: LegalPlays) -> Play:
        return next(iter(legal))


@pytest.mark.parametrize("engine", ["reference", "compiled"])
def test_reset__that_fails_halfway_asks_for_another(engine: str) -> None:
    """The game just dealt waits for an opponent, whose move must not be the learner's."""
    agent, league = Failing(), League({"greedy": 1.0})
    for opponents, fail, mend in (
        (agent, lambda: setattr(agent, "fails", True), lambda: setattr(agent, "fails", False)),
        (league, lambda: league.set_weight("greedy", 0.0), lambda: league.set_weight("greedy", 1.0)),
    ):
        env = SeatEnv(opponents, engine=engine)
        env.reset(seed=1)
        fail()
        with pytest.raises((RuntimeError, ConfigError)):
            env.reset()
        with pytest.raises(ResetNeeded):
            env.step(0)
        mend()
        _, info = env.reset()
        env.step(int(np.argmax(info["action_mask"])))


def test_position__with_more_decks_than_deals_is_refused_by_the_rules() -> None:
    rules = replace(DOU, auction=Bid(deals=1))
    position = Game.deal(rules, 1).position
    assert Game.from_position(rules, position).position == position
    with pytest.raises(ConfigError, match="1 further decks: dou_dizhu has 1 deals at most"):
        Game.from_position(rules, position._replace(redeals=(tuple(rules.deck.cards),)))
