"""The rule players as opponents in many games at once, act for act the agents of the same names."""

from __future__ import annotations

from typing import Any, Final

import numba as nb
import numpy as np
import numpy.typing as npt

from big2_agents.compiled.acts import GREEDY, HEURISTIC, LOWEST, order_record, simple_act
from big2_agents.compiled.from_view import as_array
from big2_agents.compiled.heuristic import scored_act
from big2_agents.compiled.heuristic_tables import heuristic_record
from big2_agents.formula import Weights
from big2_env.climbing.ruleset import RuleSet
from big2_env.errors import ConfigError
from big2_env.kernels.batch import checked_rows
from big2_env.kernels.bits import U, borrowed, popcount
from big2_env.kernels.cardsets import get
from big2_env.kernels.compile import compile_tables
from big2_env.kernels.engine import BatchEngine
from big2_env.kernels.opponents import RowPlayer, RowRandom
from big2_env.kernels.tables import as_record
from big2_env.kernels.variants import variant_of

Array = npt.NDArray[Any]
_PLAYERS: Final = (LOWEST, GREEDY, HEURISTIC)


@nb.njit(cache=True, nogil=True)
def _write_acts(
    tables: Any, games: Any, rows: Any, code: Any, orders: Any, h: Any, left: Any, scratches: Any, actions: Any
) -> None:
    """Write the act of the seat to move in each of the games `rows` into `actions`, int64 (M,).

    Records come in arrays (1,), but for `h`: a `heuristic_record`, or None for the players without one.
    """
    t, o, scratch = borrowed(tables)[0], borrowed(orders)[0], borrowed(scratches)[0]
    for n in range(len(rows)):
        g = games[rows[n]]
        if code == HEURISTIC:
            for who in range(t.num_players):
                left[who] = popcount(get(g.hands, who))
            actions[n] = scored_act(t, g, h, left, scratch)
        else:
            actions[n] = simple_act(t, g, o, code, U(0), scratch)


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
        code: which player, of `compiled.acts`: `LOWEST`, `GREEDY` or `HEURISTIC`.
        num_players: how many seats; `None` is the ruleset's default.
        weights: of the heuristic; `None` for those of the ruleset.

    Raises:
        ConfigError: the ruleset cannot be compiled, or does not fit the tables of the heuristic; another code.
    """

    def __init__(self, ruleset: RuleSet, code: int, num_players: int | None = None, *, weights: Weights | None = None) -> None:
        if type(code) is not int or code not in _PLAYERS:
            raise ConfigError(f"expected the code of a rule player without draws, {_PLAYERS}, got {code!r}")
        self._given = ruleset, code, num_players, weights
        self._players = ruleset.seats(num_players)
        variant = variant_of(ruleset)
        tables: Any = compile_tables(ruleset, num_players)
        self._code = code
        self._tables = as_array(tables)
        self._order = as_array(order_record(ruleset, tables))
        self._heuristic = heuristic_record(ruleset, weights, num_players) if code == HEURISTIC else None
        self._left = np.zeros(variant.seats, np.int32)
        self._scratch = as_array(as_record(np.zeros((), variant.scratch)))

    def __reduce__(self) -> tuple[Any, ...]:
        return _again, self._given

    def acts(self, engine: BatchEngine, rows: Array, rng: RowRandom) -> npt.NDArray[np.int64]:
        """The player's act in each game, int64 (M,). Raises ConfigError as `asked_rows`."""
        rows = asked_rows(engine, rows, self._given[0], self._players)
        actions = np.zeros(len(rows), np.int64)
        arrays = self._order, self._heuristic, self._left, self._scratch
        _write_acts(self._tables, engine.games, rows, self._code, *arrays, actions)
        return actions


def _again(ruleset: RuleSet, code: int, num_players: int | None, weights: Weights | None) -> RuleRows:
    return RuleRows(ruleset, code, num_players, weights=weights)
