"""The acts of the games of a batch, for opponents that remember more of a game than its record holds."""

from __future__ import annotations

from typing import Any

import numpy as np

from big2_env.kernels.batch import Array


class ActHistory:
    """The acts of each game by their step.

    Args:
        num_games: how many games.
        most_acts: the most acts of a game.

    Attributes:
        acts: their ids, int32 (N, most acts); 0 where there was none yet.
    """

    def __init__(self, num_games: int, most_acts: int) -> None:
        self.acts: Array = np.zeros((num_games, most_acts), np.int32)

    def note(self, games: Any, rows: Array, actions: Array) -> None:
        """Note the acts that are about to be made in the games `rows`, int64 (M,), of which some may be over."""
        runs = games.winner[rows] < 0
        running = rows[runs]
        self.acts[running, games.steps[running]] = actions[runs]

    def forget(self, chosen: Array) -> None:
        """Forget the acts of the games chosen, bool (N,): they were dealt anew."""
        self.acts[chosen] = 0
