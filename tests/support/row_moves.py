"""Acts for every row of a batch of games, for tests that step them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from big2_env.base.rng import SplitMix64
from big2_env.envs.vector import BatchEnv

if TYPE_CHECKING:
    from big2_env.envs.sb3 import SeatVecEnv, SelfPlayVecEnv

Array = np.ndarray[Any, Any]


def chosen(env: BatchEnv, step: int) -> Array:
    """A legal act for each row that depends on the row and the step alone."""
    counts, ids = env.legal_ids()
    picks = [SplitMix64(1000 * step + row).below(max(int(count), 1)) for row, count in enumerate(counts)]
    return np.where(counts > 0, ids[np.arange(env.num_envs), picks], 0)


def random_moves(venv: SelfPlayVecEnv | SeatVecEnv, rng: np.random.Generator) -> Array:
    """A random legal act for each row."""
    counts, ids = venv.games.legal_ids()
    return ids[np.arange(venv.num_envs), (rng.random(venv.num_envs) * counts).astype(int)]


def highest(seen: Array, masks: Array, rng: Any) -> Array:
    """An opponent without rng: the legal act with the highest number."""
    return masks.shape[1] - 1 - masks[:, ::-1].argmax(axis=1)
