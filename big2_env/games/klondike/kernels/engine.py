"""Batch engine of Klondike, the Python interface to its kernels: many games stepped together."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from big2_env.base.errors import IllegalPlayError, Refusal
from big2_env.base.rng import SplitMix64
from big2_env.games.klondike.cards import NUM_ACTS, acts_text, move_of, rank_of
from big2_env.games.klondike.game import check_episode
from big2_env.games.klondike.kernels.dtypes import SCRATCH, STARTS, STOCK, WON, WORDS, new_games
from big2_env.games.klondike.observation import LAYOUT
from big2_env.games.klondike.position import KlondikePosition
from big2_env.kernels.batch import GAMMA, Batch, checked_choice, mixed, seeds_of_games
from big2_env.kernels.plain_loops import MOST_ROWS, call
from big2_env.kernels.switch import Compilation

Array = npt.NDArray[Any]
PACKAGE: Final = "big2_env.games.klondike.kernels"


class KlondikeBatchEngine(Batch):
    """Batch of Klondike games with the output buffers of a step, like `big2_env.kernels.engine.BatchEngine`.

    Each game has its own random stream, seeded by `seed` plus its index. Results do not depend on the batch size or on threads.
    A deal uses one number of the stream and equals `KlondikeGame.deal(number)`. The status of a step may also be
    `kernels.dtypes.TRUNCATED`. The record of a game is `kernels.dtypes.GAME`.

    Args:
        num_games: Number of games.
        reward: `"win"` (1 for a win) or `"score"` (change of the score).
        max_acts: Number of actions after which a game is truncated.
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

    def __init__(
        self,
        num_games: int,
        *,
        reward: str = "win",
        max_acts: int = 1000,
        dtype: npt.DTypeLike = np.int8,
        threads: int = 1,
        may_interpret: bool = False,
    ) -> None:
        check_episode(reward, max_acts)
        self.layout = LAYOUT
        super().__init__(num_games, 1, NUM_ACTS, LAYOUT.size, dtype, threads)
        self._by_score, self._max_acts = reward == "score", max_acts
        self._games = new_games(num_games)
        self._legal: Array = np.zeros((num_games, WORDS), np.uint64)
        self._acts: Array = np.zeros(num_games, np.int64)
        self._rng = SplitMix64(0)
        self._words = [np.zeros(SCRATCH, np.uint64) for _ in range(threads)]
        self.may_interpret: bool = may_interpret and threads == 1 and num_games <= MOST_ROWS
        """True if kernels run interpreted while they are not compiled."""

    @property
    def _compiling(self) -> Compilation | None:
        return compilation(self.observation.dtype.name) if self.may_interpret else None

    def finish_compiling(self) -> None:
        """Wait until the kernels are compiled, if they run interpreted."""
        if self._compiling is not None:
            self._compiling.finish()

    def _each(self, kernel: str, *args: Any) -> None:
        """Call a kernel on each thread's share of the games; its first arguments are the games and scratch."""
        compiling = self._compiling
        self._on_threads(
            lambda thread: call(PACKAGE, kernel, compiling, self._games, self._words[thread], *args, *self._slices[thread])
        )

    def _each_slice(self, kernel: str, *args: Any) -> None:
        """Call a kernel that needs only the legal actions on each thread's share of the games."""
        compiling = self._compiling
        self._on_threads(lambda thread: call(PACKAGE, kernel, compiling, self._legal, *args, *self._slices[thread]))

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

    def seed(self, seed: int | Sequence[int], chosen: Array | None = None) -> None:
        """Seed the streams of games; see `Batch.seed`."""
        streams = seeds_of_games(seed, self.num_games)
        self._rng = SplitMix64(int(streams[0]))
        chosen = self._all if chosen is None else chosen
        self._games.rng[chosen] = mixed(streams + GAMMA)[chosen]

    def redeal(self, chosen: Array) -> None:
        """Deal new games; see `Batch.redeal`."""
        self._show(checked_choice(chosen, self.num_games), True)

    def show(self) -> None:
        """Fill the output buffers; see `Batch.show`."""
        self._show(self._all, False)

    def _show(self, chosen: Array, anew: bool) -> None:
        self._each("loops.show_games", chosen, anew, self.observation, self.mask, self._legal)
        self._has_lists = False

    def masks(self) -> Array:
        """Return the masks of legal actions; see `Batch.masks`."""
        acts = np.unpackbits(self._legal.view(np.uint8), axis=1, count=NUM_ACTS, bitorder="little")
        found: Array = acts.view(np.int8)
        return found

    def _step(self, actions: Array, obs: Array, mask: Array, reward: Array, status: Array, reset: int) -> None:
        outputs = obs, mask, reward, status, self.final_observation, self._legal, self._actor
        self._each("loops.step_games", actions, self._by_score, self._max_acts, reset, *outputs)
        self._has_lists = False

    def legal_ids(self) -> tuple[Array, Array]:
        """Return the legal actions as lists; see `Batch.legal_ids`."""
        if not self._has_lists:
            self._each_slice("loops.list_games", self._counts, self._ids)
            self._has_lists = True
        return self._counts, self._ids

    def random_actions(self) -> Array:
        """Return a random legal action for each game, int64 (N,); 0 if the game is over. `seed` restarts the generator.

        The array belongs to the engine, and the next call overwrites it.
        """
        self._each_slice("loops.choose_games", np.uint64(self._rng.next()), self._acts)
        return self._acts

    def are_legal(self, actions: npt.ArrayLike) -> Array:
        """Return which actions are legal; see `Batch.are_legal`."""
        asked = np.broadcast_to(np.asarray(actions), (self.num_games,))
        known = (asked >= 0) & (asked < NUM_ACTS)
        acts = np.where(known, asked, 0).astype(np.int64)
        words = self._legal[np.arange(self.num_games), acts >> 6]
        found: Array = known & (words >> (acts & 63).astype(np.uint64) & np.uint64(1)).astype(np.bool_)
        return found

    def verify(self, index: int, action: int) -> None:
        """Check that an action is legal; see `Batch.verify`."""
        move_of(action)
        legal = np.flatnonzero(self.masks()[index]).tolist()
        if action not in legal:
            allowed = acts_text(legal).replace(" ", ", ")
            raise IllegalPlayError(f"expected {allowed or 'none'}, got {acts_text([action])}", Refusal.DOES_NOT_COVER)


@lru_cache(maxsize=8)
def compilation(dtype: str) -> Compilation:
    """Return this process's background compilation of the kernels of batches with observations of a dtype."""

    def prepare() -> None:
        engine = KlondikeBatchEngine(1, dtype=dtype)
        engine.reset(0)
        engine.step(engine.random_actions())
        engine.legal_ids()

    return Compilation(prepare, f"{PACKAGE}.loops.list_games", kind=lambda: dtype, what="Klondike")
