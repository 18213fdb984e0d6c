"""Batch engine of Klondike, the Python interface to its kernels: many games stepped together."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from big2_env.base.errors import IllegalPlayError, Refusal
from big2_env.games.klondike.cards import NUM_MOVES, card_move, moves_text, rank_of
from big2_env.games.klondike.game import check_episode
from big2_env.games.klondike.kernels.dtypes import SCRATCH, STARTS, STOCK, WON, WORDS, new_games
from big2_env.games.klondike.observation import LAYOUT
from big2_env.games.klondike.position import KlondikePosition
from big2_env.kernels.side_batch import SideBatch
from big2_env.kernels.switch import Compilation

Array = npt.NDArray[Any]


class KlondikeBatchEngine(SideBatch):
    """Batch of Klondike games with the output buffers of a step, like `big2_env.kernels.engine.BatchEngine`.

    Each game has its own random stream, seeded by `seed` plus its index. Results do not depend on the batch size or on threads.
    A deal uses one number of the stream and equals `KlondikeGame.deal(number)`. The status of a step may also be
    `kernels.dtypes.TRUNCATED`. The record of a game is `kernels.dtypes.GAME`.

    Args:
        num_games: Number of games.
        reward: `"win"` (1 for a win) or `"score"` (change of the score).
        max_moves: Number of actions after which a game is truncated.
        dtype: Type of the observation, int8 or float32.
        threads: Number of threads that step the games.
        may_interpret: As of `BatchEngine`.

    Raises:
        ConfigError: An argument is invalid.

    >>> engine = KlondikeBatchEngine(3)
    >>> engine.reset(seed=7)
    >>> engine.mask.shape, engine.observation.shape
    ((3, 417), (3, 1910))
    """

    package = "big2_env.games.klondike.kernels"

    def __init__(
        self,
        num_games: int,
        *,
        reward: str = "win",
        max_moves: int = 1000,
        dtype: npt.DTypeLike = np.int8,
        threads: int = 1,
        may_interpret: bool = False,
    ) -> None:
        check_episode(reward, max_moves)
        self.layout = LAYOUT
        super().__init__(num_games, 1, NUM_MOVES, LAYOUT.size, dtype, threads)
        self._by_score, self._max_moves = reward == "score", max_moves
        self._set_games(new_games(num_games), np.zeros((num_games, WORDS), np.uint64), SCRATCH, may_interpret)

    def _compilation(self) -> Compilation:
        return compilation(self.observation.dtype.name)

    @property
    def is_won(self) -> Array:
        """True for each game that is won, bool (N,)."""
        won: Array = self._games.winner == WON
        return won

    def position(self, row: int) -> KlondikePosition:
        """Return the position of a game, including hidden cards."""
        g = self._games[row]
        deck, down, dealer = g.deck.tolist(), g.down.tolist(), int(g.left)
        piles = []
        for start, hidden, up in zip(STARTS.tolist(), down, g.up.tolist(), strict=True):
            shown = sorted((card for card in range(52) if up >> card & 1), key=rank_of, reverse=True)
            piles.append((*deck[start : start + hidden], *shown))
        score = int(g.score)
        found = KlondikePosition(
            tuple(piles), tuple(down), tuple(deck[STOCK : STOCK + dealer]), int(g.dealt), int(g.seen),
            tuple(g.foundations.tolist()), score,
        )  # fmt: skip
        return found._replace(score=2 * score - found.final_score)  # without what a won game adds at its end

    def _show(self, chosen: Array, anew: bool) -> None:
        self._each("loops.show_games", chosen, anew, self.observation, self.mask, self._legal)

    def masks(self) -> Array:
        """Return the masks of legal actions; see `Batch.masks`."""
        moves = np.unpackbits(self._legal.view(np.uint8), axis=1, count=NUM_MOVES, bitorder="little")
        return moves.view(np.int8)

    def _step(self, actions: Array, obs: Array, mask: Array, reward: Array, status: Array, reset: int) -> None:
        outputs = obs, mask, reward, status, self.final_observation, self._legal, self._actor
        self._each("loops.step_games", actions, self._by_score, self._max_moves, reset, *outputs)

    def are_legal(self, actions: npt.ArrayLike) -> Array:
        """Return which actions are legal; see `Batch.are_legal`."""
        asked = np.broadcast_to(np.asarray(actions), (self.num_games,))
        known = (asked >= 0) & (asked < NUM_MOVES)
        moves = np.where(known, asked, 0).astype(np.int64)
        words = self._legal[np.arange(self.num_games), moves >> 6]
        found: Array = known & (words >> (moves & 63).astype(np.uint64) & np.uint64(1)).astype(np.bool_)
        return found

    def verify(self, index: int, action: int) -> None:
        """Check that an action is legal; see `Batch.verify`."""
        card_move(action)
        legal = np.flatnonzero(self.masks()[index]).tolist()
        if action not in legal:
            allowed = moves_text(legal).replace(" ", ", ")
            raise IllegalPlayError(f"expected {allowed or 'none'}, got {moves_text([action])}", Refusal.DOES_NOT_COVER)


@lru_cache(maxsize=8)
def compilation(dtype: str) -> Compilation:
    """Return this process's background compilation of the kernels of batches with observations of a dtype."""

    def prepare() -> None:
        engine = KlondikeBatchEngine(1, dtype=dtype)
        engine.reset(0)
        engine.step(engine.random_actions())
        engine.legal_ids()

    return Compilation(prepare, f"{KlondikeBatchEngine.package}.loops.list_games", kind=lambda: dtype, what="Klondike")
