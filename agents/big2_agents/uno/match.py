"""Matches of compiled UNO players on the same deals, in every seat.

One call from Python plays many deals without holding the interpreter lock.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from math import sqrt
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from big2_agents.uno.guess_search import search_move
from big2_agents.uno.players import FIRST_DRAWING, PLAYERS, SCRATCH, player_turn
from big2_agents.uno.weights import checked_weights, load_weights
from big2_env.base.errors import ConfigError
from big2_env.base.salts import checked_salt
from big2_env.games.uno.kernels.dtypes import new_games, rules_record
from big2_env.games.uno.kernels.hands import score, seat_seed
from big2_env.games.uno.kernels.turn import deal, make_move
from big2_env.games.uno.rules import UnoRules
from big2_env.kernels.dialect.bits import U, borrowed
from big2_env.kernels.dialect.kernel import kernel
from big2_env.runs.executors import LOCAL, Executor
from big2_env.runs.intervals import normal
from big2_env.runs.resumable import Total

CHUNK: Final = 2_000
"""Deals per task."""
TRIES: Final = 200
"""Default number of guesses per decision of the searching player."""
MAX_TRIES: Final = 100_000
SEARCH: Final = len(PLAYERS)
"""Number of the searching player, after the players without a budget."""
SUMS: Final = ("games", "wins", "wins_squared", "left", "left_squared", "others_left", "exhausted", "turns")
"""Names of the sums over deals, in the order of `play_match`."""


@dataclass(frozen=True)
class MatchResult:
    """Result of a match; intervals are 95%, and a deal in all its seats is one observation."""

    games: int
    """Number of games: deals times seats."""
    wins: float
    """Fraction of games won by the first player, ties shared."""
    wins_margin: float
    """Half the width of the interval of `wins`; NaN if there are few deals, like `left_margin`."""
    left: float
    """Mean points left in the first player's hand."""
    left_margin: float
    """Half the width of the interval of `left`."""
    others_left: float
    """Mean points left in the other seats' hands."""
    exhausted: float
    """Fraction of games that ended with an empty pile."""
    turns: float
    """Turns per game."""


def player_number(name: str) -> tuple[int, int]:
    """Return a player's number for `play_match`, and its number of guesses per decision.

    Args:
        name: One of `PLAYERS`, `search` or `search:TRIES`.

    Raises:
        ConfigError: The player is unknown.
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
        rules: The rules.
        one: One of `PLAYERS`, `search` or `search:TRIES`.
        other: The player at the other seats.
        games: Number of games, rounded up to whole deals.
        seed: Seed of the first deal; seeds count up.
        salt: Salt of the players' random numbers, which otherwise depend on each seat's view only.
        executor: Processes that play; they do not affect the result.
        weights: Weights of the learned player, the shipped ones if `None`.
        progress: Called with the number of games since the last call.
        total: Sums of an earlier run's deals, to which the rest is added.

    Returns:
        The result over all deals.

    Raises:
        ConfigError: A player is unknown, the number of games is 0, or the weights are malformed.
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
    """Return the number of deals of a match with at least `games` games; each deal is played once per seat."""
    return -(-games // rules.players)


def new_total() -> Total:
    """Return sums over no deals, for `play_match`."""
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
    """Return the number of deals of a task, and their sums."""
    found, number = np.zeros(8), min(CHUNK, deals - start)
    scratch = np.zeros(1, SCRATCH).view(np.recarray)
    first = np.uint64((seed + start) % 2**64)
    play_match(rules_record(rules), new_games(3), scratch, weights, *numbers, first, number, np.uint64(salt), found)
    return number, found


def result_of(total: Total, players: int) -> MatchResult:
    """Return the result of the deals in a total, at least one."""
    found, deals = total.sums, total.number
    games = deals * players

    def margin(total: float, squares: float) -> float:
        variance = max(squares / deals - (total / deals) ** 2, 0.0) * deals / max(deals - 1, 1)
        return normal(total / games, sqrt(variance / deals) / players, deals).half_width

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


@kernel(entry=True)
def _any_turn(rules: Any, games: Any, player: Any, tries: Any, weights: Any, work: Any, salt: Any) -> None:
    """Make one move of a player, or a turn of the automatic one, in `games[0]`; random draws depend only on the seat's view."""
    if player >= FIRST_DRAWING:
        work.rng = seat_seed(games[0], np.int64(games[0].turn), salt)
    if player == SEARCH:
        make_move(rules, games[0], search_move(rules, games, weights, work, tries))
    else:
        player_turn(rules, games[0], player, weights, work)


@kernel(entry=True)
def play_match(
    rules: Any, games: Any, scratch: Any, weights: Any, one: Any, other: Any, seed: Any, deals: Any, salt: Any, found: Any
) -> None:
    """Play each deal once with player `one` at each seat and `other` at all others, and add the sums to `found`, float64 (8,).

    A player is its number and its budget, the guesses per decision of the searching player; `games` are records (3,).

    0: games; 1: wins of `one`, shared on ties; 2: sum over deals of the squared wins per deal; 3, 4: its score, and the squares
    per deal; 5: scores of all other seats together; 6: games with an empty pile; 7: turns.
    """
    games, weights, found = borrowed(games), borrowed(weights), borrowed(found)
    game, work = games[0], scratch[0]
    players = rules.players
    for k in range(deals):
        wins, points = 0.0, 0.0
        for me in range(players):
            deal(rules, game, U(seed) + U(k))
            while game.winner < 0:
                number, tries = one if game.turn == me else other
                _any_turn(rules, games, number, tries, weights, work, U(salt))
            own = score(game, me)
            points += own
            best, winners = own, 0
            for seat in range(players):
                theirs = score(game, seat)
                best = min(best, theirs)
                if seat != me:
                    found[5] += theirs
            for seat in range(players):
                winners += score(game, seat) == best
            if own == best and (not rules.ties or game.winner == me):
                wins += 1.0 if rules.ties else 1.0 / winners
            found[6] += game.ended == 2
            found[7] += game.turns
        found[0] += players
        found[1] += wins
        found[2] += wins * wins
        found[3] += points
        found[4] += points * points
