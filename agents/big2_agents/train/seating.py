"""Who sits where in the games of the strong learner: itself, rule players, earlier selves."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import numpy.typing as npt

from big2_agents.compiled.policies import GREEDY, HEURISTIC, LOWEST, RANDOM
from big2_agents.compiled.selfplay import NET
from big2_agents.train.network import NUM_GUESTS

Array = npt.NDArray[Any]
PAST: Final = -2
"""Controller code of an earlier self."""
GUESTS: Final = (GREEDY,) * 4 + (HEURISTIC,) * 4 + (RANDOM,) * 3 + (LOWEST,)
"""Rule players beside the learner, each as often as it stands here; earlier selves count three."""


def seat_players(rng: np.random.Generator, num_games: int, share: float, with_past: bool) -> Array:
    """Who sits where, int32 (N, 4): in a `share` of the games guests, rule players or an earlier self, have one to three seats.

    Mostly the learner is alone against three guests of one kind, as in the tables of comparison: a seat alone learns to
    tell from their plays who they are, and what is best against them; self-play alone does not teach that.
    """
    guests = np.array(GUESTS + (PAST,) * 3 * with_past, np.int32)
    number = np.where(rng.random(num_games) < 0.9, 3, rng.integers(1, 3, num_games))
    number[rng.random(num_games) >= share] = 0
    is_guest = rng.permuted(np.tile(np.arange(4), (num_games, 1)), axis=1) < number[:, None]
    of_one_kind = rng.random(num_games) < 0.85
    kinds = np.where(of_one_kind[:, None], rng.choice(guests, (num_games, 1)), rng.choice(guests, (num_games, 4)))
    return np.where(is_guest, kinds, NET).astype(np.int32)


def guests_of(controllers: Array, rows: Array, seats: Array) -> Array:
    """Which rule player each of the others is, in turn order from each seat, int8 (n, 3 * NUM_GUESTS); networks are all 0."""
    others = controllers[rows[:, None], (seats[:, None] + np.arange(1, 4)) % 4]
    kinds: Array = (others[:, :, None] == np.arange(NUM_GUESTS)).astype(np.int8)
    return kinds.reshape(len(rows), 3 * NUM_GUESTS)
