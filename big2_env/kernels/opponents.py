"""Opponents of a learner in a batch: their interfaces, their random draws, and calls of those outside the compiled loop."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, Final, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

from big2_env.base.errors import ConfigError, IllegalPlayError
from big2_env.climbing.position import Position
from big2_env.climbing.ruleset import RuleSet
from big2_env.kernels.batch import DRAWN, GAMMA, IN_TURN, Array, mixed

SEATS: Final = {"rotate": IN_TURN, "random": DRAWN}
"""Named choices of a learner's seat, with the values that kernels use."""


class RowRandom:
    """Random numbers for an opponent in several games, with one stream per move of each game.

    Games therefore do not depend on the number of games in a batch, or on whether forced passes are skipped. A stream
    depends only on what the seat to move knows and on the game's salt (`BatchEngine.move_streams`), so opponents cannot
    infer the deal from it.

    Args:
        streams: Stream of each game's move, uint64 (M,).
    """

    def __init__(self, streams: Array) -> None:
        self._state = np.array(streams, np.uint64)

    def __getitem__(self, chosen: Array) -> RowRandom:
        """Return the streams of some of the games, by index (K,)."""
        return RowRandom(self._state[chosen])

    def _numbers(self) -> Array:
        """Return the next number of each stream, as in `big2_env.base.rng`."""
        self._state += GAMMA
        return mixed(self._state)

    def random(self) -> npt.NDArray[np.float64]:
        """Return a number from [0, 1) for each game, float64 (M,)."""
        return (self._numbers() >> np.uint64(11)).astype(np.float64) * np.float64(2.0**-53)

    def integers(self, high: npt.ArrayLike) -> npt.NDArray[np.int64]:
        """Return a number from 0 to `high` - 1 for each game, int64 (M,). `high` is one number or one per game, below 2**32."""
        high_numbers = np.asarray(high).astype(np.uint64)
        return (((self._numbers() >> np.uint64(32)) * high_numbers) >> np.uint64(32)).astype(np.int64)


class RowGames(Protocol):
    """Interface of a `BatchEngine` for opponents."""

    ruleset: RuleSet
    num_games: int
    num_players: int
    may_interpret: bool
    """True if players may run interpreted until they are compiled."""

    @property
    def games(self) -> Any:
        """Records of the games, (N,); read-only."""

    @property
    def deal_seeds(self) -> Array:
        """Seed of each game's deal, uint64 (N,)."""

    @property
    def game_numbers(self) -> Array:
        """Number of each game, int64 (N,), which no other game of its row has."""

    @property
    def salts(self) -> Array:
        """Salt of each game, uint64 (N,)."""

    @property
    def history(self) -> Array:
        """Action ids of each game's moves, int32 (N, most moves), if they are kept."""

    def keep_history(self) -> None:
        """Keep `history` from now on."""

    def position(self, index: int) -> Position:
        """Return the position of a game, including hidden cards."""

    def look_at(self, rows: Array) -> tuple[Array, Array]:
        """Return observations and masks of the seats to move in some games."""

    def legal_ids_at(self, rows: Array) -> tuple[Array, Array]:
        """Return counts and ids of the legal actions in some games."""

    def move_streams(self, rows: Array) -> Array:
        """Return a random stream for the seat to move in each of some games, uint64."""

    def verify(self, index: int, action: int) -> object:
        """Raise ConfigError or IllegalPlayError if an action is illegal in a game."""


class OneGame(Protocol):
    """Interface of an environment's compiled engine of one game for agents that choose from its record."""

    ruleset: RuleSet
    num_players: int
    batch: RowGames
    """The game as a batch of one."""

    def listed(self) -> Any:
        """Return the legal actions in the order of `LegalPlays`, as a memoryview."""


class RowPlayer(ABC):
    """Opponent that plays from the games' records, without observations and masks.

    A record contains all hands. A player may only use the hand of the seat to move, so that it moves exactly as an agent
    would from the seat's view. An object belongs to one engine and stores its state by row.
    """

    uses_history: bool = False
    """True if the player needs `BatchEngine.history`."""

    @abstractmethod
    def moves(self, engine: RowGames, rows: Array, rng: RowRandom) -> npt.ArrayLike:
        """Return the moves of the seats to move in some games.

        Args:
            engine: Engine that holds the games.
            rows: Indices of running games, int64 (M,).
            rng: Random numbers, one stream per game.

        Returns:
            Action ids, integers (M,).
        """

    def prepared(self, engine: RowGames, rows: Array, actions: Array) -> Callable[[int], object] | None:
        """Return a quick form of `moves` for a player without draws and history, `None` if there is none or not yet.

        Args:
            engine: Engine that holds the games.
            rows: Place for indices of running games, int64 (N,).
            actions: Place for action ids, int64 (N,).

        Returns:
            A function that writes the moves in the first games of `rows`, as many as it is told, to `actions`.
        """
        return None


Opponent: TypeAlias = "str | RowPlayer | Callable[[Array, Array, RowRandom], npt.ArrayLike]"
"""`"random"`; a function of observations (M, size), masks (M, num_actions) and a `RowRandom` that returns M actions; or a
`RowPlayer`.
"""


class RandomRows(RowPlayer):
    """Random legal moves, the same as the compiled loop draws for `"random"`."""

    def moves(self, engine: RowGames, rows: Array, rng: RowRandom) -> npt.ArrayLike:
        """Return a random legal action for each game, int32 (M,)."""
        counts, ids = engine.legal_ids_at(rows)
        return ids[np.arange(len(rows)), rng.integers(counts)]


def uses_history(opponent: Opponent) -> bool:
    """Return whether an opponent needs `BatchEngine.history`."""
    return isinstance(opponent, RowPlayer) and opponent.uses_history


def checked_seat(given: Any, players: int, where: str = "seat") -> int | str:
    """Return a learner's seat: a number, or one of `SEATS`.

    Raises:
        ConfigError: If it is neither.
    """
    if isinstance(given, str) and given in SEATS:
        return given
    if isinstance(given, int | np.integer) and not isinstance(given, bool) and 0 <= given < players:
        return int(given)
    raise ConfigError(f"expected {where} {', '.join(map(repr, SEATS))} or 0 to {players - 1}, got {given!r}")


def fixed_seat(given: Any, players: int) -> int:
    """Return a learner's seat as kernels represent it. Raises as `checked_seat`."""
    seat = checked_seat(given, players)
    return SEATS[seat] if isinstance(seat, str) else seat


def one_each(given: Any, number: int) -> list[Any]:
    """Return a list of opponents, one per other seat.

    Args:
        given: One opponent for all seats, or one per seat.
        number: Number of other seats.

    Raises:
        ConfigError: If the number of opponents does not match.
    """
    several = list(given) if isinstance(given, Sequence) and not isinstance(given, str) else [given] * number
    if len(several) != number:
        raise ConfigError(f"expected one opponent, or one for each of the {number} other seats, got {len(several)}")
    return several


def opponents_of(given: Opponent | Sequence[Opponent] | None, number: int) -> tuple[Opponent, ...]:
    """Return the opponents as a tuple, one per other seat; empty for `None`.

    Raises:
        ConfigError: If the number of opponents does not match, or an entry is not an opponent.
    """
    if given is None:
        return ()
    several = one_each(given, number)
    for opponent in several:
        if opponent != "random" and not isinstance(opponent, RowPlayer) and not callable(opponent):
            raise ConfigError(f"expected 'random' or a function of observations, masks and draws, got opponent {opponent!r}")
    return tuple(several)


def ask(engine: RowGames, opponent: Opponent, rows: Array, rng: RowRandom) -> Array:
    """Return one opponent's moves in games in which it is to move, int64 (M,). Legality is not checked.

    Raises:
        ConfigError: If the opponent does not return one integer per row.
    """
    if isinstance(opponent, RowPlayer):
        given = np.asarray(opponent.moves(engine, rows, rng))
    elif isinstance(opponent, str):
        given = np.asarray(RandomRows().moves(engine, rows, rng))
    else:
        given = np.asarray(opponent(*engine.look_at(rows), rng))
    if given.shape != (len(rows),) or given.dtype.kind not in "iu":
        raise ConfigError(f"opponent {opponent!r} gave {given.dtype} {given.shape}: expected {len(rows)} integers")
    return given.astype(np.int64)


def refuse_act(engine: RowGames, who: str, game: int, action: int) -> None:
    """Raise the error for a player's illegal move.

    Raises:
        IllegalPlayError: If the move is illegal.
        ConfigError: If the action does not exist.
    """
    where = f"{who} on seat {engine.games[game].turn} of game {game}"
    try:
        engine.verify(game, action)
    except ConfigError as error:
        raise ConfigError(f"{where}, {error}") from None
    except IllegalPlayError as error:
        raise IllegalPlayError(f"{where}, action {action}: {error}", error.refusal) from None
