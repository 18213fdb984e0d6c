"""Many playthroughs of one deal, in which one seat samples its moves from the policy and the others make the best ones."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from big2_agents.learned.rows import LearnedRows
from big2_env.base.rng import SplitMix64
from big2_env.climbing.game import Game
from big2_env.kernels.batch import NO_RESET
from big2_env.kernels.engine import BatchEngine
from big2_env.kernels.opponents import RowPlayer, RowRandom


class Playthroughs:
    """Players of a number of games at once.

    Args:
        own: Player of the seat that samples.
        others: Player of all other seats.
        engine: The games.
    """

    def __init__(self, own: RowPlayer, others: LearnedRows, engine: BatchEngine) -> None:
        self.own = own
        """Player of the seat that samples."""
        self._others, self._engine = others, engine
        engine.keep_history()

    def games(self, seed: int, seat: int) -> Iterator[Game]:
        """Play a deal many times and yield the final positions as games; the same ones at each call.

        Args:
            seed: Seed of the deal.
            seat: The seat that samples.
        """
        engine, number = self._engine, self._engine.num_games
        engine.deal(np.full(number, seed, np.uint64))
        random, actions = SplitMix64(seed), np.zeros(number, np.int64)
        while len(rows := np.flatnonzero(engine.games.winner < 0)):
            streams = np.array([random.next() for _ in range(number)], np.uint64)
            is_own = engine.games.turn[rows] == seat
            for player, asked in ((self.own, rows[is_own]), (self._others, rows[~is_own])):
                if len(asked):
                    actions[asked] = player.moves(engine, asked, RowRandom(streams[asked]))
            engine.step(actions, NO_RESET)
        yield from map(engine.game, range(number))
