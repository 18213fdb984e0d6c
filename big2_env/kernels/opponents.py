"""Opponents of a learner in a batch: who they are, what they draw from, how those outside of the compiled loop are asked."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import numpy.typing as npt

from big2_env.errors import ConfigError, IllegalPlayError
from big2_env.kernels.batch import Array
from big2_env.kernels.bits import GOLDEN_GAMMA, mixed
from big2_env.kernels.loops import EACH_ACT

if TYPE_CHECKING:
    from big2_env.kernels.engine import BatchEngine

Opponent: TypeAlias = "str | Callable[[Array, Array, RowRandom], npt.ArrayLike]"
"""`"random"`, or a function of the observations (M, size), the masks (M, num_actions) and a source of draws: M actions."""


class RowRandom:
    """Random numbers for an opponent that acts in several games at once: each act of each game has a stream of its own.

    So the games are the same for every number of games in a batch, and whether forced passes are skipped or not.
    """

    def __init__(self, streams: Array, steps: Array) -> None:
        self._state = streams + steps.astype(np.uint64) * EACH_ACT

    def _numbers(self) -> Array:
        """The next number of each stream, as in `big2_env.rng`."""
        self._state += GOLDEN_GAMMA
        numbers: Array = mixed(self._state)
        return numbers

    def random(self) -> npt.NDArray[np.float64]:
        """A number in [0, 1) for each game, float64 (M,)."""
        return (self._numbers() >> np.uint64(11)).astype(np.float64) * np.float64(2.0**-53)

    def integers(self, high: npt.ArrayLike) -> npt.NDArray[np.int64]:
        """A number from 0 .. high - 1 for each game, int64 (M,); `high` is one number or one for each, under 2**32."""
        high_numbers = np.asarray(high).astype(np.uint64)
        return (((self._numbers() >> np.uint64(32)) * high_numbers) >> np.uint64(32)).astype(np.int64)


def opponents_of(given: Opponent | Sequence[Opponent] | None, number: int) -> tuple[Opponent, ...]:
    """The opponents that were given, one for all or one for each; none for `None`.

    Raises:
        ConfigError: another number of them, or one that is neither "random" nor can be called.
    """
    if given is None:
        return ()
    several: list[Any] = list(given) if isinstance(given, Sequence) and not isinstance(given, str) else [given] * number
    if len(several) != number:
        raise ConfigError(f"expected one opponent, or one for each of the {number} other seats, got {len(several)}")
    for opponent in several:
        if opponent != "random" and not callable(opponent):
            raise ConfigError(f"expected 'random' or a function of observations, masks and draws, got opponent {opponent!r}")
    return tuple(several)


def ask_opponents(engine: BatchEngine, answer: Callable[[Array, Array], int]) -> None:
    """Ask the opponents outside of the loop until every game waits for its learner or is over.

    Raises:
        IllegalPlayError: an opponent's act is not legal.
        ConfigError: an opponent gives something else than an action for each row.
    """
    games, learners = engine.games, engine.learners
    while True:
        waits = (games.winner < 0) & (games.turn != learners.seat)
        if not waits.any():
            return
        distance = (games.turn - learners.seat) % engine.num_players
        for opponent in {id(opponent): opponent for opponent in engine.opponents if opponent != "random"}.values():
            mine = [i for i, other in enumerate(engine.opponents, start=1) if other is opponent]
            rows = np.flatnonzero(waits & np.isin(distance, mine))
            if len(rows):
                _ask(engine, opponent, rows, answer)


def _ask(engine: BatchEngine, opponent: Any, rows: Array, answer: Callable[[Array, Array], int]) -> None:
    """Let one opponent act in the games where it is to move."""
    number = len(rows)
    obs, mask = engine.look_at(rows)
    given = np.asarray(opponent(obs, mask, RowRandom(engine.learners.rng[rows], engine.games.steps[rows])))
    if given.shape != (number,) or given.dtype.kind not in "iu":
        raise ConfigError(f"opponent {opponent!r} gave {given.dtype} {given.shape}: expected {number} integers")
    actions = given.astype(np.int64)
    wrong = answer(rows, actions)
    if wrong < 0:
        return
    game, action = int(rows[wrong]), int(actions[wrong])
    where = f"opponent {opponent!r} on seat {engine.games[game].turn} of game {game}"
    try:
        engine.verify(game, action)
    except ConfigError as error:
        raise ConfigError(f"{where}, {error}") from None
    except IllegalPlayError as error:
        raise IllegalPlayError(f"{where}, action {action}: {error}", error.refusal) from None
