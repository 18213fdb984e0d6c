"""Who plays against a learner's seat, and what they may not do."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from drawn_position import DRAWN
from gymnasium.error import ResetNeeded
from house_rules import DRAWING
from seat_opponents import Drawn, Greedy, Says, episode

from big2_env import BIG2, PASS, ConfigError, IllegalPlayError
from big2_env.envs.seat import SeatEnv


def test_opponents__sit_in_their_order_after_the_learner() -> None:
    agents = [Drawn(), Drawn(), Drawn()]
    env = SeatEnv(agents)
    assert env.opponents == tuple(agents)
    for learner in range(4):
        for agent in agents:
            agent.seats.clear()
        episode(env, np.random.default_rng(learner), options={"seat": learner})
        assert [list(agent.seats) for agent in agents] == [[(learner + i) % 4] for i in (1, 2, 3)]
    assert [len(agent.seeds) for agent in agents] == [4, 4, 4]
    assert len({seed for agent in agents for seed in agent.seeds}) == 12


def test_opponents__are_given_in_many_ways() -> None:
    one = Drawn()
    assert SeatEnv(one).opponents == (one, one, one)
    made = SeatEnv(Drawn).opponents
    assert [type(agent) for agent in made] == [Drawn] * 3
    assert len(set(map(id, made))) == 3
    named = SeatEnv("random").opponents
    assert len({id(agent) for agent in named}) == 3
    assert [type(agent) for agent in SeatEnv(opponents=["random", lambda: one, Greedy()]).opponents][1:] == [Drawn, Greedy]
    assert len(SeatEnv("random", ruleset=DRAWING, num_players=6).opponents) == 5


def test_opponents__that_break_the_rules_are_named() -> None:
    def at(**fixed: Any) -> dict[str, Any]:
        return {"options": {"position": DRAWN, "seat": 3, **fixed}}

    with pytest.raises(IllegalPlayError, match=r"opponent Says on seat 2: single H\[8\] does not beat pair"):
        SeatEnv(Says(BIG2.play("H[8]"))).reset(**at())
    with pytest.raises(IllegalPlayError, match=r"opponent Says on seat 2: S\[2\]: not in the hand D\[8\] H\[8\] C\[A\]"):
        SeatEnv(Says(BIG2.play("S[2]"))).reset(**at())
    with pytest.raises(ConfigError, match="opponent Says on seat 2: expected one of the legal plays, got a NoneType"):
        SeatEnv(Says(None)).reset(**at())
    env = SeatEnv(Says(PASS))
    env.reset(**at())
    with pytest.raises(IllegalPlayError, match="opponent Says on seat 0: pass: the leader must play"):
        env.step(0)
    with pytest.raises(ResetNeeded):
        env.step(0)


def test_seed__fixes_the_deals_the_seats_and_the_opponents() -> None:
    def games(seed: int, opponents: Any) -> list[Any]:
        env, rng = SeatEnv(opponents, scoring="cards"), np.random.default_rng(5)
        found = []
        for number in range(4):
            rewards, info = episode(env, rng, seed=seed if number == 0 else None)
            found.append((env.game.start, env.game.history, rewards, info["seat"]))
        return found

    for opponents in (Drawn, "random"):
        assert games(1, opponents) == games(1, opponents)
        assert games(1, opponents) != games(2, opponents)
        assert len({start.hands for start, *_ in games(1, opponents)}) == 4


def test_seed__gives_the_same_deals_wherever_the_learner_sits() -> None:
    envs = [SeatEnv(Greedy), *(SeatEnv(Greedy, seat=fixed) for fixed in range(4))]
    for seed in (4, None, None):
        for env in envs:
            env.reset(seed=seed)
        assert len({env.game.start for env in envs}) == 1
