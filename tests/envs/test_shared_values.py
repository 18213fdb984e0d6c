"""Copies share what never changes, pickles leave out what can be computed again, and neither ties games to each other."""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from gymnasium import spaces
from hostile_values import RULESETS

from big2_env import BIG2, Game, RuleSet, available_rulesets
from big2_env.climbing.actions import HandSlots
from big2_env.climbing.settlement import PenaltySettlement
from big2_env.envs.aec import raw_env
from big2_env.envs.options import BinaryBox
from big2_env.envs.seat import SeatEnv
from big2_env.envs.vector import BatchEnv

WAYS: dict[str, Callable[[Any], Any]] = {
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
    "pickle": lambda given: pickle.loads(pickle.dumps(given)),
}
EVERY_WAY = pytest.mark.parametrize("way", WAYS)
BATCH = partial(BatchEnv, 4)
EVERY_GAME = pytest.mark.parametrize("rules", available_rulesets().values(), ids=lambda rules: rules.name)
EVERY_RULESET = pytest.mark.parametrize("rules", RULESETS, ids=lambda rules: rules.name)
MAX_PICKLE = 16_000
"""Largest pickle of an environment after a few moves, in bytes."""


def begun(kind: Callable[..., Any], rules: RuleSet, **options: Any) -> Any:
    """Return an environment in the middle of a game."""
    made = kind(ruleset=rules, **options)
    made.reset(seed=3)
    if kind is raw_env:
        for _ in range(6):
            made.step(made.legal_ids()[0])
    return made


def acted(env: Any) -> list[Any]:
    """Return what an environment shows until its game is over, of the last legal action each time."""
    shown: list[Any] = []
    if isinstance(env, SeatEnv):
        over = False
        while not over:
            seen, reward, over, *_ = env.step(int(np.flatnonzero(env.action_masks())[-1]))
            shown.append((seen.tobytes(), reward))
    while isinstance(env, raw_env) and (legal := env.legal_ids()):
        env.step(legal[-1])
        shown.append((env.observe(env.agent_selection)["observation"].tobytes(), env.rewards))
    return shown


@pytest.mark.parametrize("kind", [raw_env, SeatEnv, BATCH])
@EVERY_RULESET
def test_deepcopy__shares_rules_actions_and_layout(rules: RuleSet, kind: Callable[..., Any]) -> None:
    one = begun(kind, rules)
    other = copy.deepcopy(one)
    assert other.layout is one.layout
    for holder, held in (("ruleset", rules), ("actions", getattr(one, "actions", None))):
        assert getattr(other, holder, held) is held
    if kind is not BATCH:
        assert (other._engine.space, other._engine.ruleset.table) == (one.actions, rules.table)
        assert other.game == one.game
        assert other.game is not one.game


@EVERY_WAY
@EVERY_RULESET
def test_copy__of_a_value__is_the_value(rules: RuleSet, way: str) -> None:
    game = Game.deal(rules, 7)
    game.push(next(iter(game.legal_plays())))
    values = rules, rules.order, rules.deck, game.view(), game.position, game.history[0], game.history[0].play
    for one in values:
        other = WAYS[way](one)
        assert (other, hash(other)) == (one, hash(one))
        assert other is one or way == "pickle" or isinstance(one, tuple)


@EVERY_RULESET
def test_deepcopy__of_what_holds_values__shares_them(rules: RuleSet) -> None:
    game, env = Game.deal(rules, 7), raw_env(rules)
    game.push(next(iter(game.legal_plays())))
    values = [rules, rules.table, rules.order, game.view(), game.legal_plays(), game.position, *game.history]
    values += [env.actions, env.layout, env.state_layout]
    assert [id(one) for one in copy.deepcopy(values)] == [id(one) for one in values]
    assert [id(one) for one in copy.deepcopy(game)._positions] == [id(one) for one in game._positions]


@pytest.mark.parametrize("kind", [raw_env, SeatEnv])
@pytest.mark.parametrize("engine", ["reference", "auto"])
@EVERY_GAME
def test_pickle__leaves_out_what_can_be_computed_again(rules: RuleSet, engine: str, kind: Callable[..., Any]) -> None:
    one = begun(kind, rules, engine=engine)
    one.actions.ids(one.game.legal_plays())
    saved = pickle.dumps(one)
    assert len(saved) < MAX_PICKLE
    assert len(pickle.dumps(one.actions)) < MAX_PICKLE / 2
    other = pickle.loads(saved)
    assert other.actions is one.actions, "the action space of equal rules is made once in a process"
    assert (other.ruleset, other.layout.windows) == (one.ruleset, one.layout.windows)


@EVERY_WAY
@pytest.mark.parametrize("kind", [raw_env, SeatEnv])
@EVERY_RULESET
def test_copy__can_be_played_and_sampled_without_a_trace_in_its_original(
    rules: RuleSet, kind: Callable[..., Any], way: str
) -> None:
    def shown(given: Any) -> tuple[Any, ...]:
        views = [given.game.view(seat) for seat in range(given.game.num_players)]
        return views, given.game.history[:], given.game.legal_plays().hand, [f"{space}" for space in spaces_of(given)]

    def spaces_of(given: Any) -> list[spaces.Space[Any]]:
        if kind is SeatEnv:
            return [given.observation_space, given.action_space]
        return [given.observation_space("player_1"), given.action_space("player_1"), given.state_space]

    one, twin = begun(kind, rules), begun(kind, rules)
    for space in (*spaces_of(one), *spaces_of(twin)):
        space.seed(5)
    other, before = WAYS[way](one), shown(one)
    expected = [[repr(space.sample()) for _ in range(3)] for space in spaces_of(twin)]
    assert [[repr(space.sample()) for _ in range(3)] for space in spaces_of(other)] == expected
    assert acted(other) == acted(twin)
    assert shown(one) == before
    assert [[repr(space.sample()) for _ in range(3)] for space in spaces_of(one)] == expected


@pytest.mark.parametrize("name", ["big2", "pao_de_kuai"])
def test_pickle__of_an_environment__plays_on_in_another_process(name: str, tmp_path: Path) -> None:
    one = begun(raw_env, available_rulesets()[name])
    (tmp_path / "env.pickle").write_bytes(pickle.dumps(one))
    script = """
import pickle, sys
env = pickle.load(open(sys.argv[1], "rb"))
while not env.terminations[env.agent_selection]:
    env.step(env.legal_ids()[-1])
print(env.game.history, env.rewards)
"""
    run = subprocess.run(
        [sys.executable, "-c", script, str(tmp_path / "env.pickle")], capture_output=True, encoding="utf-8", check=True
    )
    while not one.terminations[one.agent_selection]:
        one.step(one.legal_ids()[-1])
    assert run.stdout.strip() == f"{one.game.history} {one.rewards}"


@dataclass(frozen=True)
class Listed(PenaltySettlement):
    """A settlement that cannot be hashed."""

    prices: list[int]

    def penalty(self, cards_left: int, num_players: int) -> float:
        return float(self.prices[0])


class Named(HandSlots):
    """An action space with an argument of its own."""

    def __init__(self, label: str, ruleset: RuleSet) -> None:
        super().__init__(ruleset)
        self.name = label


@EVERY_WAY
def test_copy__of_what_a_user_adds__keeps_it(way: str) -> None:
    rules = replace(BIG2, scoring=Listed([3]))
    with pytest.raises(TypeError, match="unhashable"):
        hash(rules)
    game, made = Game.deal(rules, 7), (HandSlots(rules), Named("mine", BIG2))
    game.push(next(iter(game.legal_plays())))
    other, (plain, named) = WAYS[way](game), WAYS[way](made)
    assert other == game
    assert other is not game
    other.push(next(iter(other.legal_plays())))
    assert len(other.history) == len(game.history) + 1
    assert (type(plain), plain.n, plain.slots(20)) == (HandSlots, made[0].n, made[0].slots(20))
    assert (type(named), named.name, named.label(20)) == (Named, "mine", made[1].label(20))


def test_binary_box__is_the_box_of_zeros_and_ones() -> None:
    box, plain = BinaryBox((5,), np.int8), spaces.Box(0, 1, (5,), np.int8)
    assert (box, repr(box), box.seed(3), box.sample().tolist()) == (plain, repr(plain), plain.seed(3), plain.sample().tolist())
    assert box.low is BinaryBox((5,), np.int8).low
    with pytest.raises(ValueError, match="read-only"):
        box.high[0] = 2
