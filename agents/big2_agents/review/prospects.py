"""What each seat could expect to be paid at any moment of a game, if all cards had been open to whoever looks on.

The players of the play-outs see no more than their own cards: they are rule players who slip now and then. Only the deal is
the true one. So a prospect says what the cards were worth between equal players, and not what a seat could know.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Final

import numpy as np

from big2_agents.kernels.acts import GREEDY, HEURISTIC
from big2_agents.kernels.from_view import Memory
from big2_agents.kernels.heuristic_tables import heuristic_dtype, heuristic_record
from big2_agents.kernels.playouts import choose, search_dtype
from big2_agents.kernels.plays import find_acts
from big2_agents.kernels.track import make_tracked
from big2_agents.review.decision import Prospect, estimated, paid
from big2_env.climbing.game import Game
from big2_env.climbing.ruleset import RuleSet
from big2_env.errors import ConfigError
from big2_env.kernels.compile import compile_tables
from big2_env.kernels.dialect.bits import U, below, borrowed, random_next
from big2_env.kernels.dialect.kernel import copied, kernel
from big2_env.kernels.dialect.records import as_record
from big2_env.kernels.packing import Positions
from big2_env.kernels.tables import Tables
from big2_env.kernels.turn import payoff
from big2_env.kernels.variants import variant_of
from big2_env.rng import derived


@kernel
def _uniform(game: Any) -> Any:
    """A number above 0 and below 1, from the game's stream."""
    game.rng, number = random_next(game.rng)
    return (np.float64(number >> U(11)) + 0.5) * (1.0 / 9007199254740992.0)


@kernel
def _slip(game: Any, cand: Any, best: Any, policy: Any, warmth: Any) -> Any:
    """The candidate that a player makes who is not always sure: `best` most of the time.

    The heuristic draws with chances that fall by a factor of e for each `warmth` that a score is lower; others make any
    candidate once in eight.
    """
    if policy != HEURISTIC:
        game.rng, number = random_next(game.rng)
        if below(number, 8) > 0:
            return best
        game.rng, number = random_next(game.rng)
        return below(number, cand.count)
    scored = False
    for i in range(cand.count):
        scored = scored or cand.score[i] != 0.0
    if not scored:  # the hand goes down at once
        return best
    chosen, most = best, -np.inf
    for i in range(cand.count):
        drawn = cand.score[i] - warmth * np.log(-np.log(_uniform(game)))
        if drawn > most:
            chosen, most = np.int64(i), drawn
    return chosen


@kernel(entry=True)
def play_out_open(
    tab: Tables, search: Any, policy: Any, heur: Any, warmth: Any, samples: Any, totals: Any, squares: Any, scratch: Any
) -> None:
    """Play the game at the root out, whose hands are all known there.

    `totals` and `squares`, float64 by seat: the sums of payoffs and of their squares are added.
    """
    totals, squares = borrowed(totals), borrowed(squares)
    for _ in range(samples):
        search.root.rng, stream = random_next(search.root.rng)
        search.game = copied(search.root)
        search.track = copied(search.root_track)
        game, track, cand = search.game, search.track, search.candidates
        game.rng = stream
        while game.winner < 0:
            find_acts(tab, game, cand)
            chosen = np.int64(0)
            if cand.count > 1:
                for i in range(cand.count):
                    cand.score[i] = 0.0
                chosen = _slip(game, cand, choose(tab, game, track.left, cand, policy, heur), policy, warmth)
            make_tracked(tab, game, track, cand, chosen, scratch)
        for seat in range(tab.num_players):
            paid = payoff(tab, game, seat)
            totals[seat] += paid
            squares[seat] += paid * paid


PLAYOUTS: Final = 600
"""Play-outs from each moment."""
WARMTH: Final = 0.35
"""How readily the players of the play-outs slip, in turns of the heuristic's score.

Of 0.05, 0.15, 0.35, 0.7, 1.2 and 2 the one whose prospects came nearest to what 100 games of the learned player paid: a mean
squared error of 0.162; 0.180 at 0.15, 0.167 at 0.7.
"""
UNIT_DEALS: Final = 120
"""Deals from which the unit of a ruleset's payoffs comes."""


class OpenPlayouts:
    """Play-outs of one ruleset for one number of players.

    Raises:
        ConfigError: a ruleset that cannot be compiled.
    """

    def __init__(self, ruleset: RuleSet, num_players: int, seed: int = 0) -> None:
        variant = variant_of(ruleset)
        self._tables = compile_tables(ruleset, num_players)
        self._patterns = {rule.pattern.name: i for i, rule in enumerate(ruleset.patterns)}
        self._positions = Positions(ruleset, variant.game)
        self._search: Any = as_record(np.zeros((), search_dtype(variant)))
        self._scratch = as_record(np.zeros((), variant.scratch))
        self._ruleset, self._num_players, self._seed = ruleset, num_players, seed
        self._policy = HEURISTIC
        try:
            self._heuristic: Any = heuristic_record(ruleset, num_players=num_players)
        except ConfigError:  # more shapes than the heuristic's tables hold
            self._policy = GREEDY
            self._heuristic = as_record(np.zeros((), heuristic_dtype(variant.by_slots, variant.words)))

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self._ruleset, self._num_players, self._seed)  # records of compiled code are not copied

    def prospect(self, game: Game, playouts: int = PLAYOUTS) -> Prospect:
        """What each seat can expect from where a game stands; what it was paid, where the game is over.

        Raises:
            ConfigError: a game of another ruleset or number of players.
        """
        if game.ruleset != self._ruleset or game.num_players != self._num_players:
            expected, given = f"{self._ruleset.name} with {self._num_players}", f"{game.ruleset.name} with {game.num_players}"
            raise ConfigError(f"expected a game of {expected} players, got one of {given}")
        if game.outcome is not None:
            return paid(game.outcome)
        sums, squares = self._sums(game, playouts).tolist()
        return estimated(sums, squares, playouts)

    def _sums(self, game: Game, playouts: int) -> Any:
        """The sums of the payoffs and of their squares, float64 (2, seats)."""
        search = self._search
        # The mover's view fills what is public, the track among it; then the position lays all cards open.
        Memory().update(self._tables, game.view(), self._patterns, search.root, search.root_track)
        self._positions.pack(game.position, search.root)
        search.root.rng = derived(self._seed, len(game.history))
        sums = np.zeros((2, game.num_players))
        play_out_open(
            self._tables, search, self._policy, self._heuristic, WARMTH, playouts, sums[0], sums[1], self._scratch
        )  # fmt: skip
        return sums


@lru_cache(maxsize=16)
def measured_unit(ruleset: RuleSet, num_players: int) -> float:
    """The standard deviation of what a seat is paid, in games of rule players from many deals: `analysis.payoff_unit`."""
    players = OpenPlayouts(ruleset, num_players)
    sums = np.zeros((2, num_players))
    for seed in range(UNIT_DEALS):
        sums += players._sums(Game.deal(ruleset, seed, num_players), 1)
    mean, square = (sums.sum(1) / (UNIT_DEALS * num_players)).tolist()
    return float(max(0.0, square - mean * mean) ** 0.5)
