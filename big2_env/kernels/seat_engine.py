"""The batch engine with one learner's seat in each game, against opponents that play inside a step."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from big2_env.climbing.ruleset import RuleSet
from big2_env.errors import ConfigError, IllegalPlayError
from big2_env.kernels import loops, seat_loops
from big2_env.kernels.bits import GOLDEN_GAMMA, MIX_1, MIX_2
from big2_env.kernels.engine import Array, BatchEngine

Opponent: TypeAlias = "str | Callable[[Array, Array, RowRandom], npt.ArrayLike]"
"""`"random"`, or a function of the observations (M, size), the masks (M, num_actions) and a source of luck: M actions."""


class RowRandom:
    """Luck for an opponent that acts in several games at once: each act of each game has a stream of its own.

    So the games are the same for every number of games in a batch, and whether forced passes are skipped or not.
    """

    def __init__(self, luck: Array, steps: Array) -> None:
        self._state = luck + steps.astype(np.uint64) * seat_loops.EACH_ACT

    def _numbers(self) -> Array:
        """The next number of each stream, as in `big2_env.rng`."""
        self._state += GOLDEN_GAMMA
        z = (self._state ^ (self._state >> np.uint64(30))) * MIX_1
        z = (z ^ (z >> np.uint64(27))) * MIX_2
        numbers: Array = z ^ (z >> np.uint64(31))
        return numbers

    def random(self) -> npt.NDArray[np.float64]:
        """A number in [0, 1) for each game, float64 (M,)."""
        return (self._numbers() >> np.uint64(11)).astype(np.float64) * np.float64(2.0**-53)

    def integers(self, high: npt.ArrayLike) -> npt.NDArray[np.int64]:
        """A number from 0 .. high - 1 for each game, int64 (M,); `high` is one number or one for each, under 2**32."""
        high_numbers = np.asarray(high).astype(np.uint64)
        return (((self._numbers() >> np.uint64(32)) * high_numbers) >> np.uint64(32)).astype(np.int64)


class SeatBatchEngine(BatchEngine):
    """A `BatchEngine` whose rows are the learner's: its observation, its acts, its payoff whoever ended the game.

    The learner's seat goes round from deal to deal, beginning with the row's number modulo seats, or is fixed. Deals come from
    the games' own streams as in `BatchEngine`. The opponents' luck follows from the deal: what the learner does in one game
    changes nothing in the next.

    With `skip_forced` the learner is shown its first turn of each game all the same.

    Raises:
        ConfigError: as `BatchEngine`; a seat or opponents that there cannot be.
    """

    def __init__(
        self,
        ruleset: RuleSet,
        num_games: int,
        opponents: Opponent | Sequence[Opponent] = "random",
        *,
        seat: int | None = None,
        dtype: npt.DTypeLike = np.int8,
        skip_forced: bool = False,
        threads: int = 1,
    ) -> None:
        super().__init__(ruleset, num_games, dtype=dtype, skip_forced=skip_forced, threads=threads)
        if seat is not None and not 0 <= seat < self.num_players:
            raise ConfigError(f"seat {seat}: allowed are 0 to {self.num_players - 1}")
        self.opponents = _several(opponents, self.num_players - 1)
        """The opponents, the first one on the seat after the learner's."""
        kinds = [seat_loops.RANDOM if opponent == "random" else seat_loops.OUTSIDE for opponent in self.opponents]
        self._kinds = np.array([seat_loops.OUTSIDE, *kinds], np.int8)
        self._is_inside = seat_loops.OUTSIDE not in kinds
        self._fixed = -1 if seat is None else seat
        self.learners = np.zeros(num_games, seat_loops.LEARNER).view(np.recarray)
        """The learner's side of the games, `kernels.seat_loops.LEARNER` (N,)."""
        self.learners.first = np.arange(num_games) % self.num_players
        self.is_torn = False
        """Whether an opponent's error stopped a step or a deal halfway: then all games have to be dealt anew."""

    @property
    def _game_args(self) -> tuple[Any, ...]:
        return self._tables, self._starts, self.games, self.learners, self._kinds, self._fixed, None

    def seed(self, seed: int | Sequence[int], chosen: Array | None = None) -> None:
        """As `BatchEngine.seed`; the learner's seat begins its round anew."""
        super().seed(seed, chosen)
        self.learners.deals[slice(None) if chosen is None else chosen] = 0

    def redeal(self, chosen: Array) -> None:
        """Deal the chosen games, bool (N,), from their own streams, let the opponents act, and show them to the learner."""
        self.is_torn = True
        self._each(
            seat_loops.deal_learners, *self._game_args, chosen, self.skip_forced,
            self.reward, self.status, self.payoffs, self.final_observation,
        )  # fmt: skip
        self._let_outsiders_act(loops.SAME_STEP, self.reward, self.status)
        self._show(chosen, False)
        self.is_torn = False

    def deal(self, seeds: npt.ArrayLike) -> None:
        """Not for games with a learner: its seat and the opponents' luck come with the deal from the game's own stream."""
        raise ConfigError("deals by given seeds: allowed in games without a learner; here seed the streams with `seed`")

    def _show(self, chosen: Array, anew: bool) -> None:
        self._each(
            seat_loops.show_learners, self._tables, self._starts, self.games, self.learners, None, chosen,
            self.observation, self.mask, *self._shown,
        )  # fmt: skip
        self._has_lists = False

    def _step(self, actions: Array, obs: Array, mask: Array, reward: Array, status: Array, reset: int) -> None:
        self.is_torn = True
        np.copyto(self.acted, np.where(self.games.winner < 0, self.learners.seat, -1))
        self._each(
            seat_loops.step_learners, *self._game_args, actions, reset, self.skip_forced, obs, mask, reward, status,
            self.payoffs, self.final_observation, *self._shown, self._is_inside,
        )  # fmt: skip
        self._has_lists = True
        if not self._is_inside:
            self._let_outsiders_act(reset, reward, status)
            self._each(
                seat_loops.show_learners, self._tables, self._starts, self.games, self.learners, None, self._all,
                obs, mask, *self._shown,
            )  # fmt: skip
        self.is_torn = False

    def _let_outsiders_act(self, reset: int, reward: Array, status: Array) -> None:
        """Ask the outside opponents until every game waits for its learner or is over.

        Raises:
            IllegalPlayError: an opponent's act is not legal.
            ConfigError: an opponent gives something else than an action for each row.
        """
        games, learners = self.games, self.learners
        while True:
            waits = (games.winner < 0) & (games.turn != learners.seat)
            if self._is_inside or not waits.any():
                return
            distance = (games.turn - learners.seat) % self.num_players
            for opponent in {id(opponent): opponent for opponent in self.opponents if opponent != "random"}.values():
                mine = [i for i, other in enumerate(self.opponents, start=1) if other is opponent]
                rows = np.flatnonzero(waits & np.isin(distance, mine))
                if len(rows):
                    self._ask(opponent, rows, reset, reward, status)

    def _ask(self, opponent: Any, rows: Array, reset: int, reward: Array, status: Array) -> None:
        """Let one opponent act in the games where it is to move."""
        number = len(rows)
        obs, mask = np.empty((number, self.layout.size), self.observation.dtype), np.empty((number, self.num_actions), np.int8)
        seat_loops.show_rows(self._tables, self._starts, self.games, self._scratch[0], rows, obs, mask, 0, number)
        luck = RowRandom(self.learners.luck[rows], self.games.steps[rows])
        given = np.asarray(opponent(obs, mask, luck))
        if given.shape != (number,) or given.dtype.kind not in "iu":
            raise ConfigError(f"opponent {opponent!r} gave {given.dtype} {given.shape}: allowed are {number} integers")
        actions = given.astype(np.int64)
        args = (*self._game_args[:-1], self._scratch[0], rows, actions, reset, self.skip_forced)
        wrong = seat_loops.answer_games(*args, reward, status, self.payoffs, self.final_observation, 0, number)
        if wrong >= 0:
            game, action = int(rows[wrong]), int(actions[wrong])
            where = f"opponent {opponent!r} on seat {self.games[game].turn} of game {game}"
            try:
                self.verify(game, action)
            except ConfigError as error:
                raise ConfigError(f"{where}, {error}") from None
            except IllegalPlayError as error:
                raise IllegalPlayError(f"{where}, action {action}: {error}", error.refusal) from None


def _several(given: Opponent | Sequence[Opponent], number: int) -> tuple[Opponent, ...]:
    """The opponents that were given, one for all or one for each.

    Raises:
        ConfigError: another number of them, or one that is neither "random" nor can be called.
    """
    several: list[Any] = list(given) if isinstance(given, Sequence) and not isinstance(given, str) else [given] * number
    if len(several) != number:
        raise ConfigError(f"{len(several)} opponents: allowed is one for all or one for each of the {number} other seats")
    for opponent in several:
        if opponent != "random" and not callable(opponent):
            raise ConfigError(f"opponent {opponent!r}: allowed are 'random' and functions of observations, masks and luck")
    return tuple(several)
