"""Very many games of automatic players on all cores, added up exactly: the same figures whoever plays them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import partial
from math import sqrt
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from big2_env.errors import ConfigError
from big2_env.games.uno.kernels.automatic import LONGEST, SHARE, SHARE_OF_MANY, SIZE, STARTS, TOTALS, simulate
from big2_env.games.uno.kernels.dtypes import new_games, rules_record
from big2_env.games.uno.rules import UnoRules
from big2_env.runs.executors import LOCAL, Executor
from big2_env.runs.intervals import Estimate, normal
from big2_env.runs.resumable import Total

KIND: Final = "big2 uno simulate"
CHUNK: Final = 5_000
"""Games of a piece."""
MAX_GAMES: Final = 10**10
"""Sums of squares fit 64 bits up to here."""


@dataclass(frozen=True)
class UnoSimulation:
    """Games of automatic players, added up."""

    rules: UnoRules
    seed: int
    """Seed of the first game; the next one's is one higher."""
    games: int
    """How many games."""
    totals: npt.NDArray[np.int64]
    """The sums, `kernels.loops.TOTALS`."""

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
        """Turns a game: plays and draws; who is skipped takes no turn."""
        return self._estimate(*self._part("turns"))

    @property
    def lengths(self) -> npt.NDArray[np.int64]:
        """Games by their number of turns, int64 (512,); the last entry has those that are longer, too."""
        return self.totals[STARTS["lengths"] : STARTS["lengths"] + LONGEST]

    def percentile(self, share: float) -> int:
        """The smallest number of turns that at least this share of the games does not exceed."""
        return int(np.searchsorted(np.cumsum(self.lengths), share * self.games))

    @property
    def shortest(self) -> int:
        """The fewest turns of a game."""
        return int(np.flatnonzero(self.lengths)[0])

    @property
    def longest(self) -> int:
        """The most turns of a game."""
        return self._part("longest")[0]

    @property
    def exhausted(self) -> Estimate:
        """The share of games that ended with an empty pile."""
        return self._share(self._part("exhausted")[0])

    @property
    def left(self) -> Estimate:
        """What all seats together have left, in points."""
        return self._estimate(*self._part("left"))

    @property
    def wins(self) -> list[Estimate]:
        """The share of games that each seat wins; a tie is shared. The error is that of a share without ties, or smaller."""
        share = SHARE if self.rules.players <= 10 else SHARE_OF_MANY
        return [self._share(parts / share) for parts in self._part("wins")[: self.rules.players]]

    @property
    def firsts(self) -> list[Estimate]:
        """The share of games in which each seat is the lowest of those with the lowest score."""
        return [self._share(number) for number in self._part("firsts")[: self.rules.players]]

    @property
    def scores(self) -> list[Estimate]:
        """What each seat has left, in points."""
        both = zip(self._part("scores"), self._part("squares"), strict=True)
        return [self._estimate(total, squares) for total, squares in both][: self.rules.players]


def new_total() -> Total:
    """The sums of no games."""
    return Total(TOTALS, np.int64, ("longest",))


def run_of(rules: UnoRules, seed: int) -> dict[str, Any]:
    """What decides a simulation, for the header of its file (`big2_env.runs.resumable`)."""
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
    """Play games of automatic players and add them up.

    Args:
        rules: the rules of the games.
        games: how many.
        seed: of the first game; game k is `UnoGame.deal(rules, seed + k)`.
        executor: where they are played. The figures do not depend on it.
        progress: told after each piece how many games it had.
        total: the first games, of an earlier run; the others are added to it.

    Raises:
        ConfigError: a number of games that is not allowed.
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
    """How many games a piece has, and their sums."""
    totals, number = np.zeros(SIZE, np.int64), min(CHUNK, games - start)
    simulate(rules_record(rules), new_games(1), np.uint64((seed + start) % 2**64), number, totals)
    return number, totals
