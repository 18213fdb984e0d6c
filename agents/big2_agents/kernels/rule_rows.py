"""The rule players as opponents in many games at once, act for act the agents of the same names."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import numpy.typing as npt

from big2_agents.formula import Weights
from big2_agents.kernels.acts import GREEDY, LOWEST, order_record
from big2_agents.kernels.heuristic_tables import heuristic_record
from big2_agents.kernels.rule_players import Player, act_of_seat, numbered, table_dtype
from big2_env.climbing.ruleset import RuleSet
from big2_env.errors import ConfigError
from big2_env.kernels.batch import checked_rows
from big2_env.kernels.compile import compile_tables
from big2_env.kernels.dialect.bits import borrowed
from big2_env.kernels.dialect.kernel import kernel
from big2_env.kernels.dialect.records import as_array, as_record
from big2_env.kernels.engine import BatchEngine
from big2_env.kernels.opponents import RowPlayer, RowRandom
from big2_env.kernels.variants import variant_of

Array = npt.NDArray[Any]
_PLAYERS: Final = (LOWEST, GREEDY)


@kernel(entry=True)
def _write_acts(
    tables: Any, games: Any, rows: Any, orders: Any, heur: Any, players: Any, seated: Any, scratches: Any, actions: Any
) -> None:
    """Write the act of the seat to move in each of the games `rows` into `actions`, int64 (M,).

    The records are those of `act_of_seat`; but for `heur` they come in arrays (1,).
    """
    tab, o, r, scratch = borrowed(tables)[0], borrowed(orders)[0], borrowed(seated)[0], borrowed(scratches)[0]
    players = borrowed(players)
    for n in range(len(rows)):
        actions[n] = act_of_seat(tab, games[rows[n]], o, heur, players, r, scratch)


def check_games(engine: BatchEngine, ruleset: RuleSet, num_players: int) -> None:
    """Refuse games that compiled code of one ruleset and number of seats would read amiss. Raises ConfigError."""
    if engine.ruleset != ruleset or engine.num_players != num_players:
        given = f"{engine.ruleset.name} with {engine.num_players} players"
        raise ConfigError(f"expected games of {ruleset.name} with {num_players} players, got {given}")


def asked_rows(engine: BatchEngine, rows: Array, ruleset: RuleSet, num_players: int) -> Array:
    """The rows, int64 (M,), of games of the ruleset and number of seats that compiled code was made for.

    Raises:
        ConfigError: games of another ruleset or number of seats; rows that there are not, or that are over.
    """
    check_games(engine, ruleset, num_players)
    given = checked_rows(rows, engine.num_games)
    if (engine.games.winner[given] >= 0).any():
        raise ConfigError(f"expected rows whose games go on, got {given[engine.games.winner[given] >= 0][0]}")
    return given


class RuleRows(RowPlayer):
    """A rule player without draws in every row.

    Args:
        ruleset: the games' rules.
        player: `LOWEST` or `GREEDY` of `kernels.acts`, or the weights of a heuristic player.
        num_players: how many seats; `None` is the ruleset's default.

    Raises:
        ConfigError: the ruleset cannot be compiled, or does not fit the tables of the heuristic; another code.
    """

    def __init__(self, ruleset: RuleSet, player: Player, num_players: int | None = None) -> None:
        if not isinstance(player, Weights) and (type(player) is not int or player not in _PLAYERS):
            raise ConfigError(f"expected the code of a rule player without draws, {_PLAYERS}, or weights, got {player!r}")
        self._given = ruleset, player, num_players
        self._players = ruleset.seats(num_players)
        variant = variant_of(ruleset)
        tables: Any = compile_tables(ruleset, num_players)
        codes, self._weights = numbered([player])
        self._tables = as_array(tables)
        self._order = as_array(order_record(ruleset, tables))
        self._heuristic = heuristic_record(ruleset, num_players=num_players) if len(self._weights) else None
        self._seated = np.zeros(1, table_dtype(variant.seats))
        self._seated["code"] = codes[player]
        self._scratch = as_array(as_record(np.zeros((), variant.scratch)))

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), self._given

    def acts(self, engine: BatchEngine, rows: Array, rng: RowRandom) -> npt.NDArray[np.int64]:
        """The player's act in each game, int64 (M,). Raises ConfigError as `asked_rows`."""
        rows = asked_rows(engine, rows, self._given[0], self._players)
        actions = np.zeros(len(rows), np.int64)
        arrays = self._order, self._heuristic, self._weights, self._seated, self._scratch
        _write_acts(self._tables, engine.games, rows, *arrays, actions)
        return actions
