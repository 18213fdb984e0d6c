"""Matches of compiled UNO players on the same deals, in every seat."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from math import sqrt
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from big2_agents.uno.compiled_match import SEARCH, play_match
from big2_agents.uno.players import FIRST_DRAWING, PLAYERS, SCRATCH
from big2_agents.uno.weights import checked_weights, load_weights
from big2_env.errors import ConfigError
from big2_env.games.uno.kernels.dtypes import new_games, rules_record
from big2_env.games.uno.rules import UnoRules
from big2_env.runs.executors import LOCAL, Executor
from big2_env.runs.intervals import NORMAL_95
from big2_env.runs.resumable import Total
from big2_env.side_game import checked_salt

CHUNK: Final = 2_000
"""Deals of a piece."""
TRIES: Final = 200
"""What the searching player tries at each decision, where nothing is said."""
MAX_TRIES: Final = 100_000
SUMS: Final = ("games", "wins", "wins_squared", "left", "left_squared", "others_left", "exhausted", "turns")
"""What is added up over deals, in the order of `play_match`."""


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


def player_number(name: str) -> tuple[int, int]:
    """A player by its name, as `play_match` knows it: its number, and how many guesses it tries at each decision.

    Raises:
        ConfigError: there is no such player.
    """
    if name in PLAYERS:
        return PLAYERS.index(name), 0
    kind, _, budget = name.partition(":")
    if kind == "search" and (not budget or (budget.isascii() and budget.isdigit())):
        tries = int(budget[:9] or TRIES)
        if 1 <= tries <= MAX_TRIES:
            return SEARCH, tries
        raise ConfigError(f"expected search:TRIES with 1 to {MAX_TRIES} tries, got {name!r}")
    raise ConfigError(f"expected {', '.join(PLAYERS)} or search:TRIES as UNO player, got {name!r}")


def is_drawing(player: str) -> bool:
    """Return whether a player draws random numbers. Raises ConfigError as `player_number`."""
    return player_number(player)[0] >= FIRST_DRAWING


def is_learned(player: str) -> bool:
    """Whether a player acts by the learned weights. Raises ConfigError as `player_number`."""
    return player_number(player)[0] in (PLAYERS.index("learned"), SEARCH)


def match(
    rules: UnoRules,
    one: str,
    other: str,
    games: int,
    *,
    seed: int = 0,
    salt: int = 0,
    executor: Executor = LOCAL,
    weights: npt.NDArray[Any] | None = None,
    progress: Callable[[int], None] | None = None,
    total: Total | None = None,
) -> MatchResult:
    """Play player `one` at each seat of each deal, with `other` at all other seats.

    Args:
        rules: the rules.
        one: one of `PLAYERS`, or `search:TRIES`.
        other: the same.
        games: how many games, rounded up to whole deals.
        seed: of the first deal; the next one's is one higher.
        salt: of the players' random numbers, which otherwise follow from what each seat sees.
        executor: where they are played. The result does not depend on it.
        weights: of the learned player, `None` for those that are shipped.
        progress: told how many games were played since the last time.
        total: the first deals, of an earlier run; the others are added to it.

    Raises:
        ConfigError: there is no such player, or no game; as `checked_weights`.
    """
    numbers = player_number(one), player_number(other)
    if games < 1:
        raise ConfigError(f"expected 1 or more games, got {games}")
    deals = deals_of(rules, games)
    given = load_weights() if weights is None else checked_weights(weights, "UNO weights")
    found = new_total() if total is None else total
    piece = partial(_piece, rules, given, numbers, seed, checked_salt(salt), deals)
    with executor.map(piece, range(found.number, deals, CHUNK), releases_gil=True) as pieces:
        for number, sums in pieces:
            found.add(number, sums)
            if progress is not None:
                progress(number * rules.players)
    return result_of(found, rules.players)


def deals_of(rules: UnoRules, games: int) -> int:
    """How many deals a match of at least so many games has: each is played once for each seat."""
    return -(-games // rules.players)


def new_total() -> Total:
    """The sums of no deals, as `play_match` adds them up."""
    return Total(dict.fromkeys(SUMS, 1), np.float64)


def _piece(
    rules: UnoRules,
    weights: npt.NDArray[Any],
    numbers: tuple[tuple[int, int], tuple[int, int]],
    seed: int,
    salt: int,
    deals: int,
    start: int,
) -> tuple[int, npt.NDArray[Any]]:
    """How many deals a piece has, and their sums."""
    found, number = np.zeros(8), min(CHUNK, deals - start)
    scratch = np.zeros(1, SCRATCH).view(np.recarray)
    first = np.uint64((seed + start) % 2**64)
    play_match(rules_record(rules), new_games(3), scratch, weights, *numbers, first, number, np.uint64(salt), found)
    return number, found


def result_of(total: Total, players: int) -> MatchResult:
    """What the deals of a total gave; at least one."""
    found, deals = total.sums, total.number
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
