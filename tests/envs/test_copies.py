"""Copies of games, environments and agents, made in every way, do what their original did, once it is gone as well."""

import copy
import gc
import pickle
from collections.abc import Callable, Iterator
from functools import partial
from hashlib import sha256
from typing import Any

import numpy as np
import pytest
from hostile_values import RULESETS
from seat_opponents import Drawn

from big2_agents.kernels.codes import GREEDY, LOWEST, NET, RANDOM
from big2_agents.kernels.rule_players import RuleGames
from big2_agents.kernels.selfplay import PlayedGames
from big2_agents.review.prospects import OpenPlayouts
from big2_env.agents.interface import make_agent
from big2_env.climbing.game import Game
from big2_env.climbing.ruleset import RuleSet
from big2_env.climbing.rulesets import BIG2
from big2_env.envs.aec import env as wrapped
from big2_env.envs.aec import raw_env
from big2_env.envs.league import League
from big2_env.envs.sb3 import SeatVecEnv, SelfPlayVecEnv
from big2_env.envs.seat import SeatEnv
from big2_env.envs.vector import BatchEnv
from big2_env.kernels.engine import BatchEngine

EVERY_RULESET = pytest.mark.parametrize("rules", RULESETS, ids=lambda rules: rules.name)
ROWS = 4


def pickled(given: Any) -> Any:
    return pickle.loads(pickle.dumps(given))


WAYS: dict[str, Callable[[Any], Any]] = {"copy": copy.copy, "deepcopy": copy.deepcopy, "pickle": pickled}
EVERY_WAY = pytest.mark.parametrize("way", WAYS)


@pytest.fixture(autouse=True)
def _older_objects_aside() -> None:
    """What the tests before in this file and the compiler have left is not searched for garbage, which takes a second."""
    gc.freeze()


def overwrite() -> list[np.ndarray]:
    """Take the memory that was just freed, and fill it."""
    gc.collect()
    return [np.full(size, 255, np.uint8) for size in (100, 1000, 10_000, 100_000) for _ in range(100)]


# What is played on, and what it shows.


def in_batch(env: BatchEnv) -> Iterator[bytes]:
    for _ in range(30):
        counts, ids = env.legal_ids()
        observations, rewards, *_ = env.step(ids[np.arange(ROWS), counts - 1])
        yield observations.tobytes() + rewards.tobytes()


def in_engine(engine: BatchEngine) -> Iterator[bytes]:
    for _ in range(30):
        counts, ids = engine.legal_ids()
        engine.step(ids[np.arange(ROWS), counts - 1].astype(np.int64))
        yield engine.observation.tobytes() + engine.mask.tobytes() + engine.payoffs.tobytes() + engine.seat.tobytes()


def in_seat(env: SeatEnv) -> Iterator[bytes]:
    for _ in range(10):
        observation, _, over, *_ = env.step(int(np.flatnonzero(env.action_masks())[-1]))
        yield observation.tobytes()
        if over:
            env.reset()


def in_turns(env: Any) -> Iterator[bytes]:
    while env.agents:
        seen = env.observe(env.agent_selection)
        yield seen["observation"].tobytes()
        env.step(int(np.flatnonzero(seen["action_mask"])[-1]) if seen["action_mask"].any() else None)


def in_rows(env: Any) -> Iterator[bytes]:
    for _ in range(20):
        env.step_async(env.games.action_masks().argmax(1))
        observations, rewards, *_ = env.step_wait()
        yield observations.tobytes() + rewards.tobytes()


def in_choices(games: PlayedGames) -> Iterator[bytes]:
    for _ in range(5):
        rows = games.advance()
        features = games.features(rows, hidden=True)
        yield features.states.tobytes() + features.hidden.tobytes() + features.plays.tobytes()
        games.choose(rows, np.zeros(len(rows), np.int64))


def engine(rules: RuleSet, **options: Any) -> BatchEngine:
    made = BatchEngine(rules, ROWS, **options)
    made.reset(3)
    return made


def env(kind: Callable[..., Any], rules: RuleSet, **options: Any) -> Any:
    made = kind(ruleset=rules, **options)
    made.reset(seed=3)
    return made


def rows(kind: Callable[..., Any], rules: RuleSet, **options: Any) -> Any:
    made = kind(ROWS, ruleset=rules, **options)
    made.seed(3)
    made.reset()
    return made


def played_games(rules: RuleSet) -> PlayedGames:
    games = PlayedGames(rules, ROWS)
    games.deal(np.arange(ROWS), np.tile([NET, RANDOM, GREEDY, LOWEST][: games.seats], (ROWS, 1)))
    return games


def league() -> League:
    return League({"random": 1.0, "greedy": 2.0})


batch = partial(BatchEnv, ROWS)
KINDS: dict[str, tuple[Callable[[RuleSet], Any], Callable[[Any], Iterator[bytes]]]] = {
    "engine": (engine, in_engine),
    "engine, seat": (partial(engine, opponents="random"), in_engine),
    "engine, threads": (partial(engine, threads=2), in_engine),
    "batch": (partial(env, batch), in_batch),
    "batch, self-play": (partial(env, batch, mode="self_play"), in_batch),
    "batch, greedy": (partial(env, batch, opponents="greedy"), in_batch),
    "batch, agents that draw": (lambda rules: env(batch, rules, opponents=Drawn), in_batch),
    "batch, league": (lambda rules: env(batch, rules, opponents=league()), in_batch),
    "seat": (partial(env, SeatEnv), in_seat),
    "seat, agents that draw": (lambda rules: env(SeatEnv, rules, opponents=Drawn), in_seat),
    "seat, greedy": (partial(env, SeatEnv, opponents="greedy"), in_seat),
    "turns": (partial(env, raw_env), in_turns),
    "turns in wrappers": (partial(env, wrapped), in_turns),
    "seat rows": (lambda rules: rows(SeatVecEnv, rules, opponents=league()), in_rows),
    "self-play rows": (lambda rules: rows(SelfPlayVecEnv, rules, opponents=league(), share=0.5), in_rows),
    "played games": (played_games, in_choices),
}
NAMED: dict[str, tuple[Callable[[RuleSet], Any], Callable[[Any], Iterator[bytes]]]] = {
    "batch, heuristic": (partial(env, batch, opponents="heuristic"), in_batch),
    "batch, learned": (partial(env, batch, opponents="learned"), in_batch),
    "seat, search": (partial(env, SeatEnv, opponents="search:4"), in_seat),
}


def check_copy(make: Callable[[RuleSet], Any], play: Callable[[Any], Iterator[bytes]], rules: RuleSet, way: str) -> None:
    def played(given: Any) -> list[str]:
        return [sha256(shown).hexdigest() for shown in play(given)]

    expected, one = played(make(rules)), make(rules)
    other = WAYS[way](one)
    assert played(one) == expected
    del one
    kept = overwrite()
    assert played(other) == expected, "a copy does what its original did, before or after it"
    assert kept


@EVERY_WAY
@pytest.mark.parametrize("kind", KINDS)
@EVERY_RULESET
def test_copy__of_games__stands_on_its_own(rules: RuleSet, kind: str, way: str) -> None:
    check_copy(*KINDS[kind], rules, way)


@EVERY_WAY
@pytest.mark.parametrize("kind", NAMED)
def test_copy__of_games_with_agents__stands_on_its_own(kind: str, way: str) -> None:
    check_copy(*NAMED[kind], BIG2, way)


def check_agent(name: str, rules: RuleSet, way: str) -> None:
    """A copy made in the middle of a game, with that game's rules and all that the agent has prepared for them."""
    game, agent = Game.deal(rules, 7), make_agent(name)
    agent.reset(5)
    for _ in range(3):
        game.push(agent.act(game.view(), game.legal_plays()))
    other, its_game = WAYS[way]((agent, game)) if way != "copy" else (copy.copy(agent), copy.copy(game))
    expected = []
    for _ in range(12):
        move = agent.act(game.view(), game.legal_plays())
        expected.append(move)
        game.push(move)
    del agent
    kept = overwrite()
    for move in expected:
        assert other.act(its_game.view(), its_game.legal_plays()) == move
        its_game.push(move)
    assert kept


@EVERY_WAY
@pytest.mark.parametrize("name", ["heuristic", "search:8", "learned", "learned-search:8", "ppo"])
def test_copy__of_an_agent__stands_on_its_own(name: str, way: str) -> None:
    check_agent(name, BIG2, way)


@EVERY_WAY
@pytest.mark.parametrize("name", ["heuristic", "search:8"])
def test_copy__of_an_agent_for_dou_dizhu__stands_on_its_own(name: str, way: str) -> None:
    check_agent(name, RULESETS[1], way)


@EVERY_WAY
def test_copy__of_rule_games_or_playouts__does_what_its_original_does(way: str) -> None:
    games, playouts, game = RuleGames(BIG2, [RANDOM, GREEDY]), OpenPlayouts(BIG2, 4), Game.deal(BIG2, 7)
    expected = games.play(3, [RANDOM, GREEDY] * 2, 1), playouts.prospect(game, 20)
    others = WAYS[way](games), WAYS[way](playouts)
    del games, playouts
    kept = overwrite()
    assert (others[0].play(3, [RANDOM, GREEDY] * 2, 1), others[1].prospect(game, 20)) == expected
    assert kept
