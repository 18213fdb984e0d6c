"""Large simulations of automatic players on all cores, with exact totals that do not depend on how the work is distributed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import partial
from math import sqrt
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from big2_env.base.errors import ConfigError
from big2_env.games.uno.kernels.automatic import LONGEST, SHARE, SHARE_OF_MANY, SIZE, STARTS, TOTALS, simulate
from big2_env.games.uno.kernels.dtypes import new_games, rules_record
from big2_env.games.uno.rules import UnoRules
from big2_env.runs.executors import LOCAL, Executor
from big2_env.runs.intervals import Estimate, normal
from big2_env.runs.resumable import Total

KIND: Final = "big2 uno simulate"
CHUNK: Final = 5_000
"""Games per chunk of work."""
MAX_GAMES: Final = 10**10
"""Maximum games per simulation, so that sums of squares fit in 64 bits."""


@dataclass(frozen=True)
class UnoSimulation:
    """Totals of simulated games, and statistics computed from them."""

    rules: UnoRules
    seed: int
    """Seed of the first game; each further game adds one."""
    games: int
    """Number of games."""
    totals: npt.NDArray[np.int64]
    """Sums in the layout of `kernels.automatic.TOTALS`."""

    def _part(self, name: str) -> list[int]:
        start = STARTS[name]
        part: list[int] = self.totals[start : start + TOTALS[name]].tolist()
        return part

    def _estimate(self, total: int, squares: float) -> Estimate:
        mean = total / self.games
        spread = max(squares / self.games - mean * mean, 0.0) / max(self.games - 1, 1)
        return normal(mean, sqrt(spread), self.games)

    def _share(self, number: float) -> Estimate:
        share = number / self.games
        return normal(share, sqrt(share * (1 - share) / max(self.games - 1, 1)), self.games)

    @property
    def turns(self) -> Estimate:
        """Mean turns per game. Plays and draws count as turns; skipped turns do not."""
        return self._estimate(*self._part("turns"))

    @property
    def lengths(self) -> npt.NDArray[np.int64]:
        """Number of games by turns, int64 (512,); the last entry includes all longer games."""
        return self.totals[STARTS["lengths"] : STARTS["lengths"] + LONGEST]

    def percentile(self, share: float) -> int:
        """Return the smallest number of turns that at least this fraction of the games does not exceed."""
        return int(np.searchsorted(np.cumsum(self.lengths), share * self.games))

    @property
    def shortest(self) -> int:
        """Fewest turns in a game."""
        return int(np.flatnonzero(self.lengths)[0])

    @property
    def longest(self) -> int:
        """Most turns in a game."""
        return self._part("longest")[0]

    @property
    def exhausted(self) -> Estimate:
        """Fraction of games that ended with an empty pile."""
        return self._share(self._part("exhausted")[0])

    @property
    def left(self) -> Estimate:
        """Mean points left by all seats together."""
        return self._estimate(*self._part("left"))

    @property
    def wins(self) -> list[Estimate]:
        """Fraction of wins of each seat, with ties shared. The standard error is an upper bound that ignores ties."""
        share = SHARE if self.rules.players <= 10 else SHARE_OF_MANY
        return [self._share(parts / share) for parts in self._part("wins")[: self.rules.players]]

    @property
    def firsts(self) -> list[Estimate]:
        """Fraction of games in which each seat is the first one with the lowest score."""
        return [self._share(number) for number in self._part("firsts")[: self.rules.players]]

    @property
    def scores(self) -> list[Estimate]:
        """Mean points left by each seat."""
        both = zip(self._part("scores"), self._part("squares"), strict=True)
        return [self._estimate(total, squares) for total, squares in both][: self.rules.players]


def new_total() -> Total:
    """Return an empty total."""
    return Total(TOTALS, np.int64, ("longest",))


def run_of(rules: UnoRules, seed: int) -> dict[str, Any]:
    """Return the settings that determine a simulation, for the header of its results file (`big2_env.runs.resumable`)."""
    return {"kind": KIND, "rules": asdict(rules), "seed": seed}


def simulated(
    rules: UnoRules,
    games: int,
    *,
    seed: int = 0,
    executor: Executor = LOCAL,
    progress: Callable[[int], Any] | None = None,
    total: Total | None = None,
) -> UnoSimulation:
    """Simulate games of automatic players and return their totals.

    Args:
        rules: Rules of the games.
        games: Number of games.
        seed: Seed of the first game; game k is `UnoGame.deal(rules, seed + k)`.
        executor: Where to compute. It does not affect the results.
        progress: Callback with the number of games in each finished chunk.
        total: Results of the first games from an earlier run; updated in place.

    Raises:
        ConfigError: `games` is out of range.
    """
    if not 1 <= games <= MAX_GAMES:
        raise ConfigError(f"expected 1 to {MAX_GAMES:,} games, got {games:,}")
    found = new_total() if total is None else total
    piece = partial(_piece, rules, seed, games)
    with executor.map(piece, range(found.number, games, CHUNK), releases_gil=True) as pieces:
        for number, sums in pieces:
            found.add(number, sums)
            if progress is not None:
                progress(number)
    return UnoSimulation(rules, seed, found.number, found.sums)


def _piece(rules: UnoRules, seed: int, games: int, start: int) -> tuple[int, npt.NDArray[np.int64]]:
    """Return the number of games in a chunk of work, and their sums."""
    totals, number = np.zeros(SIZE, np.int64), min(CHUNK, games - start)
    simulate(rules_record(rules), new_games(1), np.uint64((seed + start) % 2**64), number, totals)
    return number, totals
