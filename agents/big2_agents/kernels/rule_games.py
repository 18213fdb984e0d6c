"""Whole games between rule players, act for act those that the agents themselves play, and far faster."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any, Final

import numpy as np

from big2_agents.first import FirstAgent
from big2_agents.formula import Weights
from big2_agents.greedy import GreedyAgent
from big2_agents.heuristic import HeuristicAgent
from big2_agents.kernels.acts import GREEDY, LOWEST, RANDOM, order_record
from big2_agents.kernels.heuristic_tables import heuristic_record
from big2_agents.kernels.rule_players import Player, act_of_seat, numbered, table_dtype
from big2_agents.random import RandomAgent
from big2_env.agents import Agent
from big2_env.climbing.ruleset import RuleSet
from big2_env.errors import ConfigError
from big2_env.kernels.agent_streams import start_stream
from big2_env.kernels.compile import compile_tables
from big2_env.kernels.dialect.bits import U, borrowed, popcount
from big2_env.kernels.dialect.cardsets import get
from big2_env.kernels.dialect.kernel import kernel
from big2_env.kernels.dialect.records import as_record
from big2_env.kernels.settle import payoff
from big2_env.kernels.tables import Tables
from big2_env.kernels.turn import act, deal
from big2_env.kernels.variants import variant_of
from big2_env.rng import MASK_64


@kernel(entry=True)
def _play(tab: Tables, game: Any, order: Any, heur: Any, players: Any, seats: Any, seed: Any, salt: Any, scratch: Any) -> Any:
    """Play a game from its deal; returns the winner.

    The records are those of `act_of_seat`.
    """
    players = borrowed(players)
    deal(tab, game, seed, scratch)
    for who in range(tab.num_players):
        if seats.code[who] == RANDOM:
            seats.rng[who] = start_stream(tab, game, who, U(0), salt)
    while game.winner < 0:
        act(tab, game, act_of_seat(tab, game, order, heur, players, seats, scratch), scratch)
    for who in range(tab.num_players):
        seats.left[who], seats.paid[who] = popcount(get(game.hands, who)), payoff(tab, game, who)
    return np.int64(game.winner)


_CODES: Final[dict[type, int]] = {RandomAgent: RANDOM, FirstAgent: LOWEST, GreedyAgent: GREEDY}


def player_of(agent: Agent, ruleset: RuleSet) -> Player | None:
    """The rule player that repeats an agent act for act under a ruleset; none for most agents."""
    if type(agent) is HeuristicAgent:
        return agent.weights_in(ruleset)
    return _CODES.get(type(agent))


class RuleGames:
    """Plays games of one ruleset between rule players, at a table of so many seats.

    Raises:
        ConfigError: the ruleset cannot be compiled, or has no compiled heuristic where such a player is among them.
    """

    def __init__(self, ruleset: RuleSet, players: Collection[Player], num_players: int | None = None) -> None:
        variant = variant_of(ruleset)
        self._ruleset, self._players = ruleset, num_players or ruleset.default_players
        self._tables = compile_tables(ruleset, self._players)
        self._game = as_record(np.zeros((), variant.game))
        self._order = order_record(ruleset, self._tables)
        has_heuristic = any(isinstance(player, Weights) for player in players)
        self._heuristic = heuristic_record(ruleset) if has_heuristic else None
        self.seat_players(players)
        self._table: Any = as_record(np.zeros((), table_dtype(variant.seats)))
        self._scratch = as_record(np.zeros((), variant.scratch))

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self._ruleset, tuple(self._codes), self._players)  # a pickled record cannot be written any more

    def seat_players(self, players: Collection[Player]) -> None:
        """Exchange the players.

        Raises:
            ConfigError: a heuristic player, where there was none before.
        """
        self._codes, self._weights = numbered(players)
        if len(self._weights) and self._heuristic is None:
            raise ConfigError("expected players without a heuristic, as from the first")
        self._allowed = frozenset(self._codes.values())

    def code_of(self, player: Player) -> int:
        """The code of one of the players, for `play`."""
        return self._codes[player]

    def play(self, seed: int, codes: Sequence[int], salt: int = 0) -> tuple[int, tuple[int, ...], tuple[float, ...]]:
        """Play the game that `Game.deal` deals by a seed and `reset_seats` starts with a salt.

        Returns:
            The winner, the cards left by seat, the payoffs by seat.

        Raises:
            ConfigError: another number of codes than seats, or one that `code_of` does not give.
        """
        if len(codes) != self._players or not self._allowed.issuperset(codes):
            raise ConfigError(f"expected {self._players} codes of {sorted(self._allowed)}, got {list(codes)}")
        table, seats = self._table, slice(self._players)
        table.code[seats] = codes
        word, salted = U(seed & MASK_64), U(salt & MASK_64)
        winner = _play(
            self._tables, self._game, self._order, self._heuristic, self._weights, table, word, salted, self._scratch
        )
        return int(winner), tuple(table.left[seats].tolist()), tuple(table.paid[seats].tolist())
