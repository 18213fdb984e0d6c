"""Environments of all seats, brought somewhere, and all that they show."""

from __future__ import annotations

from typing import Any

import numpy as np

from big2_env import RuleSet


def ids(rules: RuleSet) -> str:
    return f"{rules.name}-{len(rules.patterns)}-{rules.pass_lock.value}"


def moved(env: Any, seed: int, moves: int) -> Any:
    """The environment after some random legal acts of a new game; the whole game where that is shorter."""
    rng = np.random.default_rng(seed)
    env.reset(seed=seed)
    for _ in range(moves):
        mask = env.observe(env.agent_selection)["action_mask"]
        if not mask.any():
            break
        env.step(rng.choice(np.flatnonzero(mask)))
    return env


def everything(env: Any) -> list[Any]:
    """What an environment shows, to compare."""
    shown = [env.agents, env.agent_selection, env.rewards, env._cumulative_rewards, env.terminations, env.truncations]
    seen = [env.observe(agent) for agent in env.possible_agents]
    return [*map(repr, shown), env.state().tobytes(), *(array.tobytes() for one in seen for array in one.values())]
