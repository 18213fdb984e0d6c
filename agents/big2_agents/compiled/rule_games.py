"""Whole games between rule players, act for act those that the agents themselves play, and far faster."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import cache
from typing import Any, Final

import numba as nb
import numpy as np

from big2_agents.compiled.acts import GREEDY, HEURISTIC, LOWEST, RANDOM, order_record, simple_act
from big2_agents.compiled.heuristic import scored_act
from big2_agents.compiled.heuristic_tables import heuristic_record
from big2_agents.first import FirstAgent
from big2_agents.greedy import GreedyAgent
from big2_agents.heuristic import HeuristicAgent
from big2_agents.random import RandomAgent
from big2_env.agents import Agent
from big2_env.climbing.ruleset import RuleSet
from big2_env.errors import ConfigError
from big2_env.kernels.bits import U, popcount, random_next
from big2_env.kernels.cardsets import get
from big2_env.kernels.compile import compile_tables
from big2_env.kernels.settle import payoff
from big2_env.kernels.tables import Tables, as_record
from big2_env.kernels.turn import act, deal
from big2_env.kernels.variants import variant_of
from big2_env.rng import derived


@cache
def table_dtype(seats: int) -> np.dtype[Any]:
    """What is kept of a game besides its record, by seat."""
    return np.dtype(
        [
            ("rng", np.uint64, seats),  # each seat's stream
            ("code", np.int64, seats),  # its rule player
            ("left", np.int32, seats),  # cards held
            ("paid", np.float64, seats),
        ]
    )


@nb.njit(cache=True, nogil=True)
def _play(t: Tables, g: Any, o: Any, h: Any, r: Any, seed: Any, scratch: Any) -> Any:
    """Play a game from its deal; returns the winner. `r` is a record of `table_dtype`."""
    deal(t, g, seed, scratch)
    while g.winner < 0:
        seat = np.int64(g.turn)
        number, action = U(0), np.int64(0)
        if r.code[seat] == HEURISTIC:
            for who in range(t.num_players):
                r.left[who] = popcount(get(g.hands, who))
            action = scored_act(t, g, h, r.left, scratch)
        else:
            if r.code[seat] == RANDOM:
                r.rng[seat], number = random_next(r.rng[seat])
            action = simple_act(t, g, o, r.code[seat], number, scratch)
        act(t, g, action, scratch)
    for who in range(t.num_players):
        r.left[who], r.paid[who] = popcount(get(g.hands, who)), payoff(t, g, who)
    return np.int64(g.winner)


_CODES: Final[dict[type, int]] = {RandomAgent: RANDOM, FirstAgent: LOWEST, GreedyAgent: GREEDY, HeuristicAgent: HEURISTIC}


def code_of(agent: Agent) -> int | None:
    """The code of the rule player that repeats an agent act for act; none for most agents."""
    if isinstance(agent, HeuristicAgent) and agent.weights is not None:
        return None
    return _CODES.get(type(agent))


class RuleGames:
    """Plays games of one ruleset between the rule players that are named by their codes, at a table of so many seats.

    Raises:
        ConfigError: the ruleset cannot be compiled, or has no compiled heuristic where that player is named.
    """

    def __init__(self, ruleset: RuleSet, codes: Collection[int], num_players: int | None = None) -> None:
        variant = variant_of(ruleset)
        self._players = num_players or ruleset.default_players
        self._tables = compile_tables(ruleset, self._players)
        self._game = as_record(np.zeros((), variant.game))
        self._order = order_record(ruleset, self._tables)
        self._heuristic = heuristic_record(ruleset) if HEURISTIC in codes else None
        self._codes = frozenset(codes)
        self._table: Any = as_record(np.zeros((), table_dtype(variant.seats)))
        self._scratch = as_record(np.zeros((), variant.scratch))

    def play(self, seed: int, codes: Sequence[int]) -> tuple[int, tuple[int, ...], tuple[float, ...]]:
        """The winner, the cards left and the payoffs by seat of the game that `Game.deal` and `reset_seats` start by a seed.

        Raises:
            ConfigError: another number of codes than seats, or one that was not named.
        """
        if len(codes) != self._players or not self._codes.issuperset(codes):
            raise ConfigError(f"expected {self._players} codes of {sorted(self._codes)}, got {list(codes)}")
        r, seats = self._table, slice(self._players)
        r.code[seats] = codes
        r.rng[seats] = [derived(seed, seat) for seat in range(self._players)]
        word = U(seed & (1 << 64) - 1)
        winner = _play(self._tables, self._game, self._order, self._heuristic, r, word, self._scratch)
        return int(winner), tuple(r.left[seats].tolist()), tuple(r.paid[seats].tolist())
