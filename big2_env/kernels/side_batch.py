"""Base class of batches of games without rulesets: kernels of one package, interpreted until they are compiled."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from big2_env.base.rng import SplitMix64
from big2_env.kernels.batch import GAMMA, Batch, checked_choice, mixed, seeds_of_games
from big2_env.kernels.plain_loops import MOST_ROWS, call
from big2_env.kernels.switch import Compilation

Array = npt.NDArray[Any]


class SideBatch(Batch):
    """Batch of games with their legal actions as bits. The package's module `loops` has `choose_games` and `list_games`."""

    package: ClassVar[str]
    """Package of the kernels."""
    _rules: tuple[Any, ...] = ()
    """Arguments of kernels before the games."""

    def _set_games(self, games: Any, legal: Array, scratch: int, may_interpret: bool) -> None:
        """Set the records of the games, (N,), their legal actions, uint64 (N, ...), and the words of scratch of a thread."""
        self._games, self._legal = games, legal
        self._moves: Array = np.zeros(self.num_games, np.int64)
        self._rng = SplitMix64(0)
        self._words = [np.zeros(scratch, np.uint64) for _ in range(self.threads)]
        self.may_interpret = may_interpret and self.threads == 1 and self.num_games <= MOST_ROWS
        """True if kernels run interpreted while they are not compiled."""

    @abstractmethod
    def _compilation(self) -> Compilation:
        """Return the compilation of the kernels that this batch calls."""

    @abstractmethod
    def _show(self, chosen: Array, anew: bool) -> None:
        """Show the chosen games, bool (N,); with `anew`, deal them first."""

    def finish_compiling(self) -> None:
        """Wait until the kernels are compiled, if they run interpreted."""
        if self.may_interpret:
            self._compilation().finish()

    def _each(self, kernel: str, *args: Any) -> None:
        """Call a kernel that shows the games, `MODULE.NAME`, on each thread's share of them."""
        self._has_lists = False
        self._on_slices(kernel, lambda thread: (*self._rules, self._games, self._words[thread], *args))

    def _each_slice(self, kernel: str, *args: Any) -> None:
        """Call a kernel that needs only the legal actions on each thread's share of the games."""
        self._on_slices(kernel, lambda thread: (self._legal, *args))

    def _on_slices(self, kernel: str, args: Callable[[int], tuple[Any, ...]]) -> None:
        compiling = self._compilation() if self.may_interpret else None
        self._on_threads(lambda thread: call(self.package, kernel, compiling, *args(thread), *self._slices[thread]))

    def seed(self, seed: int | Sequence[int], chosen: Array | None = None) -> None:
        """Seed the streams of games; see `Batch.seed`."""
        streams = seeds_of_games(seed, self.num_games)
        self._rng = SplitMix64(int(streams[0]))
        chosen = self._all if chosen is None else chosen
        self._games.rng[chosen] = mixed(streams + GAMMA)[chosen]
        self._seeded(streams, chosen)

    def _seeded(self, streams: Array, chosen: Array) -> None:
        """Note the new seeds, uint64 (N,), of the selected games, bool (N,); nothing to do by default."""

    def redeal(self, chosen: Array) -> None:
        """Deal new games; see `Batch.redeal`."""
        self._show(checked_choice(chosen, self.num_games), True)

    def _show_ended(self, chosen: Array) -> None:
        self._seat[chosen] = self._actor[chosen]
        self._show(chosen, False)

    def show(self) -> None:
        """Fill the output buffers; see `Batch.show`."""
        self._show(self._all, False)

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
        self._each_slice("loops.choose_games", np.uint64(self._rng.next()), self._moves)
        return self._moves
