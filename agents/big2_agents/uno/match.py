"""Matches of compiled UNO players on the same deals, in every seat."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from math import sqrt
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from big2_agents.uno.players import PLAYERS, SCRATCH, play_match
from big2_agents.uno.weights import checked_weights, load_weights
from big2_env.errors import ConfigError
from big2_env.games.uno.kernels.dtypes import new_games, rules_record
from big2_env.games.uno.rules import UnoRules
from big2_env.runs.executors import LOCAL, Executor
from big2_env.runs.intervals import NORMAL_95

CHUNK: Final = 2_000
"""Deals of a piece."""


@dataclass(frozen=True)
class MatchResult:
    """What a match gave; intervals are 95 %, with a deal in all its seats as one observation."""

    games: int
    """Games played: deals times seats."""
    wins: float
    """The share of games that the first player won, ties shared."""
    wins_margin: float
    """Half the width of the interval of `wins`."""
    left: float
    """The first player's mean score: points left in its hand."""
    left_margin: float
    """Half the width of the interval of `left`."""
    others_left: float
    """The other seats' mean score."""
    exhausted: float
    """The share of games that ended with an empty pile."""
    turns: float
    """Turns a game."""


def match(
    rules: UnoRules,
    one: str,
    other: str,
    games: int,
    *,
    seed: int = 0,
    executor: Executor = LOCAL,
    weights: npt.NDArray[Any] | None = None,
    progress: Callable[[int], None] | None = None,
) -> MatchResult:
    """Play player `one` at each seat of each deal, with `other` at all other seats.

    Args:
        rules: the rules.
        one: one of `PLAYERS`.
        other: one of `PLAYERS`.
        games: how many games, rounded up to whole deals.
        seed: of the first deal; the next one's is one higher.
        executor: where they are played. The result does not depend on it.
        weights: of the learned player, `None` for those that are shipped.
        progress: told how many games were played since the last time.

    Raises:
        ConfigError: there is no such player, or no game; as `checked_weights`.
    """
    for name in (one, other):
        if name not in PLAYERS:
            raise ConfigError(f"expected {', '.join(PLAYERS)} as UNO player, got {name!r}")
    if games < 1:
        raise ConfigError(f"expected 1 or more games, got {games}")
    deals = -(-games // rules.players)
    given = load_weights() if weights is None else checked_weights(weights, "UNO weights")
    numbers = PLAYERS.index(one), PLAYERS.index(other)
    found = np.zeros(8)
    piece = partial(_piece, rules, given, numbers, seed, deals)
    with executor.map(piece, range(0, deals, CHUNK), releases_gil=True) as pieces:
        for number, sums in pieces:
            found += sums
            if progress is not None:
                progress(number * rules.players)
    return _result(found, deals, rules.players)


def _piece(
    rules: UnoRules, weights: npt.NDArray[Any], numbers: tuple[int, int], seed: int, deals: int, start: int
) -> tuple[int, npt.NDArray[Any]]:
    """How many deals a piece has, and their sums."""
    found, number = np.zeros(8), min(CHUNK, deals - start)
    scratch = np.zeros(1, SCRATCH).view(np.recarray)
    first = np.uint64((seed + start) % 2**64)
    play_match(rules_record(rules), new_games(1), scratch, weights, *numbers, first, number, found)
    return number, found


def _result(found: Any, deals: int, players: int) -> MatchResult:
    games = deals * players

    def margin(total: float, squares: float) -> float:
        variance = max(squares / deals - (total / deals) ** 2, 0.0) * deals / max(deals - 1, 1)
        return NORMAL_95 * sqrt(variance / deals) / players

    return MatchResult(
        games=games,
        wins=float(found[1] / games),
        wins_margin=margin(found[1], found[2]),
        left=float(found[3] / games),
        left_margin=margin(found[3], found[4]),
        others_left=float(found[5] / (games * (players - 1))),
        exhausted=float(found[6] / games),
        turns=float(found[7] / games),
    )
