"""Opponents of a learner in a batch: who they are, what they draw from, how those outside of the compiled loop are asked."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, Final, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

from big2_env.climbing.position import Position
from big2_env.climbing.ruleset import RuleSet
from big2_env.errors import ConfigError, IllegalPlayError
from big2_env.kernels.batch import DRAWN, GAMMA, IN_TURN, Array, mixed

SEATS: Final = {"rotate": IN_TURN, "random": DRAWN}
"""The ways to choose a learner's seat besides a number, as the kernels take them."""


class RowRandom:
    """Random numbers for an opponent that acts in several games at once: each move of each game has a stream of its own.

    The games are therefore the same for every number of games in a batch, with forced passes skipped or not. A stream is made
    of what the seat to move knows (`BatchEngine.move_streams`): an opponent cannot find the deal by its random numbers.

    Args:
        streams: The stream of each game's move, uint64 (M,).
    """

    def __init__(self, streams: Array) -> None:
        self._state = np.array(streams, np.uint64)

    def __getitem__(self, chosen: Array) -> RowRandom:
        """The draws of some of the games, by their places (K,)."""
        return RowRandom(self._state[chosen])

    def _numbers(self) -> Array:
        """The next number of each stream, as in `big2_env.rng`."""
        self._state += GAMMA
        numbers: Array = mixed(self._state)
        return numbers

    def random(self) -> npt.NDArray[np.float64]:
        """A number in [0, 1) for each game, float64 (M,)."""
        return (self._numbers() >> np.uint64(11)).astype(np.float64) * np.float64(2.0**-53)

    def integers(self, high: npt.ArrayLike) -> npt.NDArray[np.int64]:
        """A number from 0 .. high - 1 for each game, int64 (M,); `high` is one number or one for each, under 2**32."""
        high_numbers = np.asarray(high).astype(np.uint64)
        return (((self._numbers() >> np.uint64(32)) * high_numbers) >> np.uint64(32)).astype(np.int64)


class RowGames(Protocol):
    """What an opponent gets of the games of a `BatchEngine`."""

    ruleset: RuleSet
    num_games: int
    num_players: int

    @property
    def games(self) -> Any:
        """The games' records (N,); read-only."""
        ...

    @property
    def deal_seeds(self) -> Array:
        """The seed of each game's deal, uint64 (N,)."""
        ...

    @property
    def history(self) -> Array:
        """The ids of each game's moves, int32 (N, most moves), if they are kept."""
        ...

    def keep_history(self) -> None:
        """Keep `history` from now on."""
        ...

    def position(self, index: int) -> Position:
        """Return the position of a game, hidden cards included."""
        ...

    def look_at(self, rows: Array) -> tuple[Array, Array]:
        """Return observations and masks of the seats to move in some games."""
        ...

    def legal_ids_at(self, rows: Array) -> tuple[Array, Array]:
        """Return how many legal actions there are in some games, and their ids."""
        ...

    def move_streams(self, rows: Array) -> Array:
        """Return a random stream for the seat to move in each of some games, uint64."""
        ...

    def verify(self, index: int, action: int) -> object:
        """Raise ConfigError or IllegalPlayError if an action is not legal in a game."""
        ...


class RowPlayer(ABC):
    """An opponent that plays from the games' records, without observations and masks being written for it.

    A record has all hands. A player looks at that of the seat to move alone: its acts are those that an agent makes from the
    seat's view. It belongs to the games of one engine: what it remembers is by row.
    """

    uses_history: bool = False
    """True if it needs `BatchEngine.history`."""

    @abstractmethod
    def acts(self, engine: RowGames, rows: Array, rng: RowRandom) -> npt.ArrayLike:
        """The act of the seat to move in each of the games `rows`, int64 (M,), none of which is over: integers (M,)."""


Opponent: TypeAlias = "str | RowPlayer | Callable[[Array, Array, RowRandom], npt.ArrayLike]"
"""`"random"`; a function of observations (M, size), masks (M, num_actions) and a source of draws that gives M actions; or a
`RowPlayer`."""


class RandomRows(RowPlayer):
    """Random legal acts: those that the compiled loop itself draws for `"random"`."""

    def acts(self, engine: RowGames, rows: Array, rng: RowRandom) -> npt.ArrayLike:
        """A random legal act in each game, int32 (M,)."""
        counts, ids = engine.legal_ids_at(rows)
        acts: Array = ids[np.arange(len(rows)), rng.integers(counts)]
        return acts


def uses_history(opponent: Opponent) -> bool:
    """True if an opponent needs `BatchEngine.history`."""
    return isinstance(opponent, RowPlayer) and opponent.uses_history


def checked_seat(given: Any, players: int, where: str = "seat") -> int | str:
    """A learner's seat: a number, or one of `SEATS`.

    Raises:
        ConfigError: neither of them; `where` names the argument.
    """
    if isinstance(given, str) and given in SEATS:
        return given
    if isinstance(given, int | np.integer) and not isinstance(given, bool) and 0 <= given < players:
        return int(given)
    raise ConfigError(f"expected {where} {', '.join(map(repr, SEATS))} or 0 to {players - 1}, got {given!r}")


def fixed_seat(given: Any, players: int) -> int:
    """A learner's seat as the kernels take it. Raises as `checked_seat`."""
    seat = checked_seat(given, players)
    return SEATS[seat] if isinstance(seat, str) else seat


def one_each(given: Any, number: int) -> list[Any]:
    """The opponents, one for all or one for each of the other seats.

    Raises:
        ConfigError: another number of them.
    """
    several = list(given) if isinstance(given, Sequence) and not isinstance(given, str) else [given] * number
    if len(several) != number:
        raise ConfigError(f"expected one opponent, or one for each of the {number} other seats, got {len(several)}")
    return several


def opponents_of(given: Opponent | Sequence[Opponent] | None, number: int) -> tuple[Opponent, ...]:
    """The opponents that were given, one for all or one for each; none for `None`.

    Raises:
        ConfigError: another number of them, or one that is neither "random" nor can play.
    """
    if given is None:
        return ()
    several = one_each(given, number)
    for opponent in several:
        if opponent != "random" and not isinstance(opponent, RowPlayer) and not callable(opponent):
            raise ConfigError(f"expected 'random' or a function of observations, masks and draws, got opponent {opponent!r}")
    return tuple(several)


def ask(engine: RowGames, opponent: Opponent, rows: Array, rng: RowRandom) -> Array:
    """The acts that one opponent makes in games where it is to move, int64 (M,); whether they are legal is not looked at.

    Raises:
        ConfigError: the opponent gives something else than an integer for each row.
    """
    if isinstance(opponent, RowPlayer):
        given = np.asarray(opponent.acts(engine, rows, rng))
    elif isinstance(opponent, str):
        given = np.asarray(RandomRows().acts(engine, rows, rng))
    else:
        given = np.asarray(opponent(*engine.look_at(rows), rng))
    if given.shape != (len(rows),) or given.dtype.kind not in "iu":
        raise ConfigError(f"opponent {opponent!r} gave {given.dtype} {given.shape}: expected {len(rows)} integers")
    return given.astype(np.int64)


def refuse_act(engine: RowGames, opponent: Opponent, game: int, action: int) -> None:
    """Say why an opponent's act is refused.

    Raises:
        IllegalPlayError: the act is not legal.
        ConfigError: no act has that number.
    """
    where = f"opponent {opponent!r} on seat {engine.games[game].turn} of game {game}"
    try:
        engine.verify(game, action)
    except ConfigError as error:
        raise ConfigError(f"{where}, {error}") from None
    except IllegalPlayError as error:
        raise IllegalPlayError(f"{where}, action {action}: {error}", error.refusal) from None
