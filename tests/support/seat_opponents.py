"""Opponents of a learner's seat, made for tests, and an episode against them."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np

from big2_env import LegalPlays, Play, View
from big2_env.base.rng import SplitMix64, hashed
from big2_env.envs.seat import SeatEnv


class Drawn:
    """A random agent that notes what it is asked."""

    def __init__(self) -> None:
        self.seeds: list[int] = []
        self.seats: Counter[int] = Counter()
        self.rng = SplitMix64(0)

    def reset(self, seed: int) -> None:
        self.seeds.append(seed)
        self.rng = SplitMix64(seed)

    def act(self, view: View, legal: LegalPlays) -> Play:
        assert isinstance(view, View)
        assert view.seat == view.turn
        assert list(legal) == list(view.legal_plays())
        self.seats[view.seat] += 1
        return list(legal)[self.rng.below(len(legal))]


class Says:
    """An agent that always says the same."""

    def __init__(self, move: Any) -> None:
        self.says = move

    def reset(self, seed: int) -> None: ...

    def act(self, view: View, legal: LegalPlays) -> Any:
        return self.says

    def __repr__(self) -> str:
        return "Says"


class Historian:
    """An agent that moves by its seed and by every move of the game so far."""

    def reset(self, seed: int) -> None:
        self.seed = seed

    def act(self, view: View, legal: LegalPlays) -> Play:
        moves = [number for seat, play in view.history for number in (seat, play.mask)]
        return list(legal)[hashed(self.seed, *moves) % len(legal)]


class Greedy:
    def reset(self, seed: int) -> None: ...

    def act(self, view: View, legal: LegalPlays) -> Play:
        return max(legal, key=len)


def episode(env: SeatEnv, rng: np.random.Generator, **how: Any) -> tuple[list[float], dict[str, Any]]:
    """The rewards of an episode of random legal acts, and its last info."""
    _, info = env.reset(**how)
    rewards, done = [], False
    while not done:
        _, reward, done, truncated, info = env.step(rng.choice(np.flatnonzero(env.action_masks())))
        rewards.append(reward)
        assert truncated is False
        assert type(reward) is float
    return rewards, info
