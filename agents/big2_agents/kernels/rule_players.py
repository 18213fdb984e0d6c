"""Rule players in compiled games: the move of the seat to move, in many games at once or in whole games.

They make the same moves as the agents of the same names, and are far faster.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from functools import cache
from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt

from big2_agents.kernels.codes import GREEDY, HEURISTIC, LOWEST, RANDOM
from big2_agents.kernels.heuristic import heuristic_move
from big2_agents.kernels.heuristic_tables import WEIGHTS, heuristic_record, weights_record
from big2_agents.kernels.moves import simple_move
from big2_agents.models.formula import Weights
from big2_env.base.errors import ConfigError
from big2_env.base.rng import MASK_64
from big2_env.climbing.ruleset import RuleSet
from big2_env.kernels.batch import checked_rows
from big2_env.kernels.compile import compile_tables
from big2_env.kernels.dialect import HEURISTIC_SITS
from big2_env.kernels.dialect.bits import U, borrowed, popcount, random_next
from big2_env.kernels.dialect.cardsets import get
from big2_env.kernels.dialect.kernel import copied, kernel, specialize
from big2_env.kernels.dialect.records import as_array, as_record, numbers, store, viewed
from big2_env.kernels.observe import start_stream
from big2_env.kernels.opponents import RowGames, RowPlayer, RowRandom
from big2_env.kernels.tables import Tables
from big2_env.kernels.turn import deal, make_move, payoff
from big2_env.kernels.variants import variant_of


@cache
def table_dtype(seats: int) -> np.dtype[Any]:
    """Return the record type of a table's state by seat, in addition to the game record."""
    return np.dtype(
        [
            ("rng", np.uint64, seats),  # each seat's stream
            ("code", np.int64, seats),  # its rule player; from `HEURISTIC` up, heuristic players with weights of their own
            ("left", np.int32, seats),  # cards held
            ("paid", np.float64, seats),
        ]
    )


@kernel
def _move_of(tab: Tables, game: Any, heur: Any, players: Any, number: Any, left: Any, scratch: Any) -> Any:
    heur.weights = copied(players[number])
    action = heuristic_move(tab, game, left, heur, scratch)
    if tab.auction:
        players[number] = heur.weights  # with what hands are usually worth to it, once that is measured
    return action


@kernel
def _no_move(tab: Tables, game: Any, heur: Any, players: Any, number: Any, left: Any, scratch: Any) -> Any:
    return np.int64(0)


_weighed_move = specialize(HEURISTIC_SITS, _move_of, _no_move)
"""(tab, game, heur, players, number, left, scratch): the action id of a heuristic player's move.

It is 0, the pass, if no such player is seated.
"""


@kernel(inline=True)
def move_of_seat(tab: Tables, game: Any, heur: Any, players: Any, seats: Any, scratch: Any) -> Any:
    """Return the action id of the move of the seat to move in an unfinished game.

    Args:
        tab: Tables of the ruleset.
        game: The game.
        heur: A `heuristic_record`; anything else if no heuristic player is seated.
        players: Weights of heuristic players, `WEIGHTS` (N,), for the codes from `HEURISTIC` up.
        seats: A `table_dtype` record.
        scratch: Scratch of the variant.
    """
    seat = np.int64(game.turn)
    if seats.code[seat] >= HEURISTIC:
        for who in range(tab.num_players):
            seats.left[who] = popcount(get(game.hands, who))
        return _weighed_move(tab, game, heur, players, seats.code[seat] - HEURISTIC, seats.left, scratch)
    number = U(0)
    if seats.code[seat] == RANDOM:
        seats.rng[seat], number = random_next(seats.rng[seat])
    return np.int64(simple_move(tab, game, seats.code[seat], number, scratch))


Player: TypeAlias = int | Weights
"""A rule player: a code below `HEURISTIC`, or the weights of a heuristic player."""


def numbered(players: Iterable[Player]) -> tuple[dict[Player, int], npt.NDArray[Any]]:
    """Return a code for each player, and the weights of heuristic players, whose codes start with `HEURISTIC`."""
    players = list(dict.fromkeys(players))
    weights = [player for player in players if isinstance(player, Weights)]
    codes: dict[Player, int] = {player: player for player in players if isinstance(player, int)}
    codes |= {each: HEURISTIC + number for number, each in enumerate(weights)}
    return codes, np.array([weights_record(each) for each in weights], WEIGHTS)


Array = npt.NDArray[Any]
_PLAYERS: Final = (LOWEST, GREEDY)


@kernel(entry=True)
def write_moves(tables: Any, games: Any, rows: Any, heur: Any, players: Any, seated: Any, scratches: Any, actions: Any) -> None:
    """Write the action of the seat to move in each of the games `rows` into `actions`, int64 (M,).

    The records match `move_of_seat`; all but `heur` are passed in arrays (1,).
    """
    tab, seats, scratch = borrowed(tables)[0], borrowed(seated)[0], borrowed(scratches)[0]
    players = borrowed(players)
    for n in range(len(rows)):
        actions[n] = move_of_seat(tab, games[rows[n]], heur, players, seats, scratch)


def check_games(engine: RowGames, ruleset: RuleSet, num_players: int) -> None:
    """Raise if compiled code for a ruleset and number of seats cannot read the games of an engine.

    Args:
        engine: The games.
        ruleset: The rules that the code was made for.
        num_players: Its number of seats.

    Raises:
        ConfigError: The games have other rules or another number of seats.
    """
    if engine.ruleset != ruleset or engine.num_players != num_players:
        given = f"{engine.ruleset.name} with {engine.num_players} players"
        raise ConfigError(f"expected games of {ruleset.name} with {num_players} players, got {given}")


def asked_rows(engine: RowGames, rows: Array, ruleset: RuleSet, num_players: int) -> Array:
    """Return rows of games after checking them, int64 (M,).

    Args:
        engine: The games.
        rows: Indices of games.
        ruleset: The rules that the code was made for.
        num_players: Its number of seats.

    Raises:
        ConfigError: The games have other rules or another number of seats, or a row does not exist or is over.
    """
    check_games(engine, ruleset, num_players)
    given = checked_rows(rows, engine.num_games)
    if (engine.games.winner[given] >= 0).any():
        raise ConfigError(f"expected rows of unfinished games, got {given[engine.games.winner[given] >= 0][0]}")
    return given


class RuleRows(RowPlayer):
    """Rule player without randomness as the opponent in every row.

    Args:
        ruleset: The rules of the games.
        player: `LOWEST` or `GREEDY` of `kernels.codes`, or the weights of a heuristic player.
        num_players: Number of seats, the ruleset's default if `None`.

    Raises:
        ConfigError: The ruleset cannot be compiled or exceeds the heuristic's tables, or the player is invalid.
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
        self._heuristic = heuristic_record(ruleset, num_players=num_players) if len(self._weights) else None
        self._seated = np.zeros(1, table_dtype(variant.seats))
        self._seated[0]["code"] = codes[player]
        self._scratch = as_array(as_record(np.zeros((), variant.scratch)))

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), self._given

    def moves(self, engine: RowGames, rows: Array, rng: RowRandom) -> npt.NDArray[np.int64]:
        """Return the player's action in each game, int64 (M,).

        Raises:
            ConfigError: As `asked_rows`.
        """
        rows = asked_rows(engine, rows, self._given[0], self._players)
        given = self.arguments(engine, rows)
        write_moves(*given)
        actions: npt.NDArray[np.int64] = given[-1]
        return actions

    def prepared(self, engine: RowGames, rows: Array, actions: Array) -> Callable[[int], object]:
        """Return a quick form of `moves`, as `RowPlayer.prepared` does.

        Raises:
            ConfigError: The games have other rules or another number of seats.
        """
        # Imported where it is used: interpreted kernels have no forms.
        from big2_env.kernels.dialect.kernel import form_for

        check_games(engine, self._given[0], self._players)
        tables, games, _, *records, _ = self.arguments(engine, rows)
        form = form_for(write_moves, tables, games, rows, *records, actions)
        return lambda number: form(tables, games, rows[:number], *records, actions)

    def arguments(self, engine: RowGames, rows: Array) -> tuple[Any, ...]:
        """Return the arguments of `write_moves` for games of an engine. The last one receives the actions."""
        records = self._heuristic, self._weights, self._seated, self._scratch
        return self._tables, viewed(engine.games), rows, *records, np.zeros(len(rows), np.int64)


@kernel(entry=True)
def play_game(
    tables: Any,
    games: Any,
    heuristics: Any,
    players: Any,
    seated: Any,
    scratches: Any,
    seed: Any,
    salt: Any,
) -> Any:
    """Play a game from its deal and return the winner.

    The records match `move_of_seat` and are passed in arrays (1,), which is much faster than passing them as records. Without
    heuristic players `heuristics` has records of any other type.
    """
    tab, game, heur = borrowed(tables)[0], borrowed(games)[0], borrowed(heuristics)[0]
    players, seats, scratch = borrowed(players), borrowed(seated)[0], borrowed(scratches)[0]
    deal(tab, game, seed, scratch)
    for who in range(tab.num_players):
        if seats.code[who] == RANDOM:
            seats.rng[who] = start_stream(tab, game, who, U(0), salt)
    while game.winner < 0:
        make_move(tab, game, move_of_seat(tab, game, heur, players, seats, scratch), scratch)
    for who in range(tab.num_players):
        seats.left[who], seats.paid[who] = popcount(get(game.hands, who)), payoff(tab, game, who)
    return np.int64(game.winner)


class RuleGames:
    """Games of one ruleset between rule players.

    Args:
        ruleset: The rules of the games.
        players: The players that may sit at the table.
        num_players: Number of seats.

    Raises:
        ConfigError: The ruleset cannot be compiled, or a listed heuristic has no compiled version for it.
    """

    def __init__(self, ruleset: RuleSet, players: Collection[Player], num_players: int | None = None) -> None:
        variant = variant_of(ruleset)
        self._ruleset, self._players = ruleset, num_players or ruleset.default_players
        tables = compile_tables(ruleset, self._players)
        self._has_heuristic = any(isinstance(player, Weights) for player in players)
        records = tables, heuristic_record(ruleset) if self._has_heuristic else tables
        self._tables, self._heuristic = map(as_array, records)
        self._game, self._scratch = np.zeros(1, variant.game), np.zeros(1, variant.scratch)
        self._seated = np.zeros(1, table_dtype(variant.seats))
        self._code, self._left, self._paid = (self._seated[0][name] for name in ("code", "left", "paid"))
        self.seat_players(players)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self._ruleset, tuple(self._codes), self._players)  # a pickled record cannot be written any more

    def seat_players(self, players: Collection[Player]) -> None:
        """Replace the players.

        Raises:
            ConfigError: A heuristic player is given, but there was none at first.
        """
        self._codes, self._weights = numbered(players)
        if len(self._weights) and not self._has_heuristic:
            raise ConfigError("expected players without a heuristic, as from the first")
        self._allowed = frozenset(self._codes.values())

    def code_of(self, player: Player) -> int:
        """Return the code of a player, for `play`."""
        return self._codes[player]

    def play(self, seed: int, codes: Sequence[int], salt: int) -> tuple[int, tuple[int, ...], tuple[float, ...]]:
        """Play the game that `Game.deal` deals from a seed and `reset_seats` starts with a salt.

        Args:
            seed: Seed of the deal.
            codes: Code of the player at each seat.
            salt: Salt of the players' seeds.

        Returns:
            The winner, the cards left by seat, and the payoffs by seat.

        Raises:
            ConfigError: The number of codes differs from the number of seats, or a code is unknown.
        """
        if len(codes) != self._players or not self._allowed.issuperset(codes):
            raise ConfigError(f"expected {self._players} codes of {sorted(self._allowed)}, got {list(codes)}")
        store(self._code, codes)
        winner = play_game(*self.arguments(seed, salt))
        left, paid = (tuple(numbers(field)[: self._players]) for field in (self._left, self._paid))
        return int(winner), left, paid

    def arguments(self, seed: int, salt: int) -> tuple[Any, ...]:
        """Return the arguments of `play_game` for a deal and a salt, with the players that were seated last."""
        records = self._heuristic, self._weights, self._seated, self._scratch
        return self._tables, self._game, *records, U(seed & MASK_64), U(salt & MASK_64)
