"""The acts of rule players in many games at once, act for act those of the agents."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from big2_agents.datasets.rows import Array
from big2_agents.kernels.acts import order_record
from big2_agents.kernels.heuristic_tables import heuristic_record
from big2_agents.kernels.rule_players import Player, act_of_seat, check_games, numbered, table_dtype
from big2_env.climbing.ruleset import RuleSet
from big2_env.kernels.compile import compile_tables
from big2_env.kernels.dialect.bits import U, borrowed
from big2_env.kernels.dialect.kernel import kernel
from big2_env.kernels.dialect.records import as_record
from big2_env.kernels.engine import BatchEngine
from big2_env.kernels.observe import start_stream
from big2_env.kernels.tables import Tables
from big2_env.kernels.variants import variant_of


@kernel(entry=True)
def _choose(tab: Tables, games: Any, order: Any, heur: Any, players: Any, seated: Any, acts: Any, scratch: Any) -> None:
    """Write the act of each game's seat to move.

    `seated` has a record of `table_dtype` for each game; the others are those of `act_of_seat`.
    """
    games, seated, players = borrowed(games), borrowed(seated), borrowed(players)
    for i in range(games.shape[0]):
        if games[i].winner < 0:
            acts[i] = act_of_seat(tab, games[i], order, heur, players, seated[i], scratch)


@kernel(entry=True)
def _start(tab: Tables, games: Any, seated: Any) -> None:
    """Give each seat of games that were just dealt its stream."""
    games, seated = borrowed(games), borrowed(seated)
    for i in range(games.shape[0]):
        for seat in range(tab.num_players):
            seated[i].rng[seat] = start_stream(tab, games[i], seat, U(0), U(0))


class RuleChoices:
    """What rule players do in many games of a ruleset; `players` has the one of each chair.

    Raises:
        ConfigError: the ruleset cannot be compiled, or has no compiled heuristic where that player is named.
    """

    def __init__(self, ruleset: RuleSet, players: Sequence[Player]) -> None:
        self._variant = variant_of(ruleset)
        self._ruleset = ruleset
        codes, self._weights = numbered(players)
        self._codes = np.array([codes[player] for player in players])
        self._heuristic = heuristic_record(ruleset) if len(self._weights) else None
        self._scratch = as_record(np.zeros((), self._variant.scratch))

    def start(self, chairs: Array) -> Callable[[BatchEngine, int], Array]:
        """What gives the acts of games from their deals on; `chairs` says which chair stands at each seat, (N, seats)."""
        number, seats = chairs.shape
        seated: Any = np.zeros(number, table_dtype(self._variant.seats)).view(np.recarray)
        seated.code[:, :seats] = self._codes[chairs]
        acts = np.zeros(number, np.int64)
        tables = compile_tables(self._ruleset, seats)
        order = order_record(self._ruleset, tables)

        def choose(engine: BatchEngine, step: int) -> Array:
            check_games(engine, self._ruleset, seats)
            if step == 0:
                _start(tables, engine.games, seated)
            _choose(tables, engine.games, order, self._heuristic, self._weights, seated, acts, self._scratch)
            return acts

        return choose
