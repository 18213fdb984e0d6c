"""Agents that choose from the record of a compiled game make the moves that they make from views."""

from __future__ import annotations

import random
from copy import deepcopy
from typing import Any

import numpy as np
import pytest

from big2_agents.kernels.codes import GREEDY
from big2_agents.rule_based.batched import _compilation, chooser_of
from big2_agents.rule_based.simple import GreedyAgent, LowestAgent
from big2_env import BIG2, Play
from big2_env.climbing.legal import LegalPlays
from big2_env.climbing.rulesets import available_rulesets
from big2_env.climbing.view import View
from big2_env.envs.opponents import AgentRows, batch_opponent, own_method
from big2_env.envs.seat import SeatEnv
from big2_env.envs.turn_engine import CompiledEngine

AGENTS = ["random", "lowest", "greedy", "heuristic"]


def plain(info: dict[str, Any]) -> dict[str, Any]:
    return {name: value.tolist() if isinstance(value, np.ndarray) else value for name, value in info.items()}


def compiled(ruleset: str, opponents: str) -> SeatEnv:
    """An environment whose opponents choose from the record as soon as a game begins."""
    env = SeatEnv(ruleset=ruleset, opponents=opponents, engine="compiled", render_mode="ansi")
    env.reset(seed=0)
    if opponents in ("greedy", "heuristic"):
        player = GREEDY if opponents == "greedy" else env.opponents[0].weights_in(env.ruleset)
        _compilation(env.ruleset, player, env.num_players).finish()
    return env


def compare(ruleset: str, opponents: str, decisions: int) -> None:
    fast, slow = (
        compiled(ruleset, opponents),
        SeatEnv(ruleset=ruleset, opponents=opponents, engine="reference", render_mode="ansi"),
    )
    rng, made, seed = random.Random(ruleset), 0, 0
    while made < decisions:
        seed, ended = seed + 1, False
        seen, info = fast.reset(seed=seed)
        other, expected = slow.reset(seed=seed)
        assert len(fast._players._prepared) == fast.num_players - 1
        while True:
            assert (seen == other).all()
            assert plain(info) == plain(expected)
            if ended:
                break
            made += 1
            action = rng.choice(np.flatnonzero(info["action_mask"]).tolist())
            seen, reward, ended, _, info = fast.step(action)
            other, *rest, expected = slow.step(action)
            assert [reward, ended, False] == rest
        assert fast.game == slow.game
        assert fast.render() == slow.render()


@pytest.mark.parametrize("opponents", AGENTS)
@pytest.mark.parametrize("ruleset", ["big2", "dou_dizhu"])
def test_choosers__play_as_agents_do_from_views(ruleset: str, opponents: str) -> None:
    compare(ruleset, opponents, 60)


@pytest.mark.release
@pytest.mark.long
@pytest.mark.parametrize("opponents", AGENTS)
@pytest.mark.parametrize("ruleset", available_rulesets())
def test_choosers__play_as_agents_do_in_20_000_decisions(ruleset: str, opponents: str) -> None:
    compare(ruleset, opponents, 20_000)


def test_copies__go_on_alike_in_the_middle_of_a_game() -> None:
    env = compiled("big2", "random")
    _, info = env.reset(seed=5)
    _, _, _, _, info = env.step(int(info["action_mask"].argmax()))
    other = deepcopy(env)
    for _ in range(3):
        action = int(info["action_mask"].argmax())
        (seen, *rest, info), (found, *same, _) = env.step(action), other.step(action)
        assert (seen == found).all()
        assert rest == same


class Backwards(GreedyAgent):
    """Answers as no agent of the package does."""

    def act(self, view: View, legal: LegalPlays) -> Play:
        return list(legal)[-1]


def test_subclasses__with_an_move_of_their_own_play_by_it() -> None:
    env = SeatEnv(opponents=Backwards, engine="compiled")
    env.reset(seed=1)
    assert env._players._prepared == {}
    assert isinstance(batch_opponent(Backwards, BIG2, 4), AgentRows)
    assert own_method(LowestAgent(), "batched") is not None
    patched = LowestAgent()
    patched.act = Backwards().act  # type: ignore[method-assign]
    assert own_method(patched, "chooser") is None


def test_chooser__is_none_for_weights_that_its_tables_do_not_hold(monkeypatch: pytest.MonkeyPatch) -> None:
    from big2_agents.kernels import heuristic_tables

    monkeypatch.setattr(heuristic_tables, "MAX_SPAN", 1)
    engine = CompiledEngine(BIG2)
    engine.deal(1)
    agent = SeatEnv(opponents="heuristic").opponents[0]
    assert chooser_of(agent.weights_in(BIG2), engine) is None
