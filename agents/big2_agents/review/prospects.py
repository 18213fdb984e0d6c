"""Expected payoff of each seat at any moment of a game, by playouts of the true deal.

The players in the playouts see only their own cards: they are rule-based agents that make a mistake now and then. A prospect
therefore measures the cards between equal players, not what a seat could know.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Final

import numpy as np

from big2_agents.kernels.codes import GREEDY, HEURISTIC
from big2_agents.kernels.from_view import Memory
from big2_agents.kernels.heuristic_tables import heuristic_dtype, heuristic_record
from big2_agents.kernels.playouts import choose, search_dtype
from big2_agents.kernels.plays import find_moves
from big2_agents.kernels.track import make_tracked
from big2_agents.review.decision import Prospect, estimated, paid
from big2_env.base.errors import ConfigError
from big2_env.base.rng import derived
from big2_env.climbing.game import Game
from big2_env.climbing.ruleset import RuleSet
from big2_env.kernels.compile import compile_tables
from big2_env.kernels.dialect.bits import U, below, borrowed, random_next
from big2_env.kernels.dialect.kernel import copied, kernel
from big2_env.kernels.dialect.records import as_record
from big2_env.kernels.packing import Positions
from big2_env.kernels.tables import Tables
from big2_env.kernels.turn import payoff
from big2_env.kernels.variants import variant_of


@kernel
def _uniform(game: Any) -> Any:
    """Return a number between 0 and 1, both excluded, from the game's stream."""
    game.rng, number = random_next(game.rng)
    return (np.float64(number >> U(11)) + 0.5) * (1.0 / 9007199254740992.0)


@kernel
def _slip(game: Any, cand: Any, best: Any, policy: Any, warmth: Any) -> Any:
    """Return the index of the candidate that an imperfect player makes, usually `best`.

    The heuristic draws from the softmax of scores divided by `warmth`; other players make a random candidate once in eight
    moves.
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
    """Play the root game out, all of whose hands are known.

    Args:
        tab: Tables of the ruleset.
        search: Record of the search.
        policy: Code of the player in all seats.
        heur: A `heuristic_record`.
        warmth: Temperature of the heuristic, in turns of its score.
        samples: Number of playouts.
        totals: By seat, float64; payoffs are added.
        squares: By seat, float64; squared payoffs are added.
        scratch: Scratch of the variant.
    """
    totals, squares = borrowed(totals), borrowed(squares)
    for _ in range(samples):
        search.root.rng, stream = random_next(search.root.rng)
        search.game = copied(search.root)
        search.track = copied(search.root_track)
        game, track, cand = search.game, search.track, search.candidates
        game.rng = stream
        while game.winner < 0:
            find_moves(tab, game, cand)
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
"""Playouts from each moment."""
WARMTH: Final = 0.35
"""Temperature of the players in playouts, in turns of the heuristic's score.

Of 0.05, 0.15, 0.35, 0.7, 1.2 and 2, it gave the prospects closest to the payoffs of 100 games of the learned agent.
"""
UNIT_DEALS: Final = 120
"""Number of deals from which the unit of a ruleset's payoffs is measured."""


class OpenPlayouts:
    """Appraiser by compiled playouts with open cards, for one ruleset and number of players.

    Raises:
        ConfigError: The ruleset cannot be compiled.
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
            self._heuristic = as_record(np.zeros((), heuristic_dtype(variant.by_slots, variant.words, variant.bounds)))

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self._ruleset, self._num_players, self._seed)  # records of compiled code are not copied

    def prospect(self, game: Game, playouts: int = PLAYOUTS) -> Prospect:
        """Return each seat's expected payoff from the current position; the payoffs themselves if the game is over.

        Raises:
            ConfigError: The game has another ruleset or number of players.
        """
        if game.ruleset != self._ruleset or game.num_players != self._num_players:
            expected, given = f"{self._ruleset.name} with {self._num_players}", f"{game.ruleset.name} with {game.num_players}"
            raise ConfigError(f"expected a game of {expected} players, got one of {given}")
        if game.outcome is not None:
            return paid(game.outcome)
        sums, squares = self._sums(game, playouts).tolist()
        return estimated(sums, squares, playouts)

    def _sums(self, game: Game, playouts: int) -> Any:
        """Return the sums of payoffs and of squared payoffs, float64 (2, seats)."""
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
    """Return the standard deviation of a seat's payoff in games of rule-based agents over many deals.

    `analysis.payoff_unit` uses it for rulesets that are not shipped.
    """
    players = OpenPlayouts(ruleset, num_players)
    sums = np.zeros((2, num_players))
    for seed in range(UNIT_DEALS):
        sums += players._sums(Game.deal(ruleset, seed, num_players), 1)
    mean, square = (sums.sum(1) / (UNIT_DEALS * num_players)).tolist()
    return float(max(0.0, square - mean * mean) ** 0.5)
