"""The batch engine: many games of one compiled ruleset, stepped together. The Python side of the kernels."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from big2_env.climbing.actions import action_space
from big2_env.climbing.encoding.observation import ObservationLayout
from big2_env.climbing.game import Game
from big2_env.climbing.play import Play
from big2_env.climbing.position import Position
from big2_env.climbing.ruleset import RuleSet
from big2_env.errors import ConfigError
from big2_env.kernels import loops, positions
from big2_env.kernels.batch import LISTED, Batch, seeds_of_games
from big2_env.kernels.records import address
from big2_env.kernels.state import GAME, SCRATCH
from big2_env.kernels.tables import as_record, compile_tables

Array = npt.NDArray[Any]


def _round_up(length: int) -> int:
    """The next multiple of `LISTED`."""
    return -(-length // LISTED) * LISTED


class BatchEngine(Batch):
    """`num_games` games of a ruleset in one array, with the buffers that a step fills.

    Every game has a stream of its own, seeded by `seed + its index`: the games are the same for every number of games and
    threads. Deals come from that stream, one number a deal, exactly as `Game.deal(ruleset, number)` deals.

    Raises:
        ConfigError: the ruleset cannot be compiled, not for so many players, or a bad argument.

    >>> from big2_env import BIG2
    >>> engine = BatchEngine(BIG2, 3)
    >>> engine.reset(seed=7)
    >>> engine.mask.shape, int(engine.mask[0].sum()) == len(engine.game(0).legal_plays())
    ((3, 1379), True)
    """

    apart: ClassVar[tuple[str, ...]] = ("rng", "steps")
    """The fields of a game that no position tells."""
    _loops: ClassVar[Any] = loops
    _positions: ClassVar[Any] = positions
    _game: ClassVar[np.dtype[Any]] = GAME
    _scratch_type: ClassVar[np.dtype[Any]] = SCRATCH

    def __init__(
        self,
        ruleset: RuleSet,
        num_games: int,
        *,
        num_players: int | None = None,
        dtype: npt.DTypeLike = np.int8,
        skip_forced: bool = False,
        threads: int = 1,
    ) -> None:
        self.ruleset = ruleset
        self.num_players = ruleset.default_players if num_players is None else num_players
        self.tables = self._compile()
        self.layout = ObservationLayout(ruleset, self.num_players)
        super().__init__(num_games, self.num_players, int(self.tables["num_actions"]), self.layout.size, dtype, threads)
        self.skip_forced = skip_forced
        self.games = np.zeros(num_games, self._game).view(np.recarray)
        """The games, `kernels.state.GAME` (N,), or the record of another engine."""
        self._starts = np.array([window.start for window in self.layout.windows.values()], np.int64)
        self._records = [self.tables, *(as_record(np.zeros((), self._scratch_type)) for _ in range(threads))]
        self._tables, *self._scratch = map(address, self._records)

    def _compile(self) -> np.record:
        """The tables of the ruleset.

        Raises:
            ConfigError: it cannot be compiled for so many players.
        """
        if self.num_players != self.ruleset.default_players:  # without a draw pile, the hands use up the deck
            raise ConfigError(f"{self.num_players} players: {self.ruleset.name} is compiled for {self.ruleset.default_players}")
        return compile_tables(self.ruleset)

    def _each(self, kernel: Callable[..., Any], *args: Any) -> list[Any]:
        """Call a kernel on each thread's share of the games; `args` may contain a thread's scratch as `None`."""

        def call(thread: int) -> Any:
            given = [self._scratch[thread] if arg is None else arg for arg in args]
            return kernel(*given, *self._slices[thread])

        return self._on_threads(call)

    @property
    def _shown(self) -> tuple[Array, ...]:
        """What is written with every view."""
        return self._counts, self._ids, self.seat

    def seed(self, seed: int | Sequence[int], chosen: Array | None = None) -> None:
        """As `Batch.seed`."""
        streams = seeds_of_games(seed, self.num_games)
        chosen = self._all if chosen is None else chosen
        self._loops.seed_streams(self.games, streams, chosen, 0, self.num_games)

    def redeal(self, chosen: Array) -> None:
        """As `Batch.redeal`."""
        self._show(chosen, True)

    def deal(self, seeds: npt.ArrayLike) -> None:
        """Deal every game by a seed of its own, (N,), as `Game.deal` does, and show it. Their streams stay."""
        self._each(self._loops.deal_games, self._tables, self.games, None, np.asarray(seeds).astype(np.uint64))
        self.show()

    def show(self, seats: Array | None = None) -> None:
        """Fill `observation` and `mask` for the seats to move, or for given seats, int64 (N,)."""
        if seats is None:
            self._show(self._all, False)
        else:
            self._each(self._loops.show_seats, self._tables, self._starts, self.games, None, seats, self.observation, self.mask)

    def _show(self, chosen: Array, anew: bool) -> None:
        self._each(
            self._loops.redeal_games, self._tables, self._starts, self.games, None, chosen, anew, self.skip_forced,
            self.observation, self.mask, *self._shown,
        )  # fmt: skip
        self._has_lists = False

    def masks(self) -> Array:
        """The legal acts of the seats to move as new arrays, int8 (N, num_actions)."""
        mask = np.empty((self.num_games, self.num_actions), np.int8)
        self._each(self._loops.mask_games, self._tables, self.games, None, mask)
        return mask

    def _step(self, actions: Array, obs: Array, mask: Array, reward: Array, status: Array, reset: int) -> None:
        self._each(
            self._loops.step_games, self._tables, self._starts, self.games, None, actions, reset, self.skip_forced,
            obs, mask, reward, status, self.payoffs, self.final_observation, *self._shown, self.acted,
        )  # fmt: skip
        self._has_lists = True

    def legal_ids(self, capacity: int | None = None) -> tuple[Array, Array]:
        """The legal acts of each game as lists: counts int32 (N,), and ids int32 (N, capacity) from the left.

        Without a capacity the rows are as long as need be, and the arrays are the engine's own: the next step writes over them.
        What stands right of a list has no meaning.

        Raises:
            ConfigError: a list is longer than the `capacity` given.
        """
        if capacity is None:
            if not self._has_lists or self._counts.max() > self._ids.shape[1]:
                while not self._list_ids():
                    self._ids = np.zeros((self.num_games, _round_up(int(self._counts.max()))), np.int32)
                self._has_lists = True
            return self._counts, self._ids
        if capacity < 1:
            raise ConfigError(f"a capacity of {capacity}: allowed is 1 or more")
        counts, ids = np.zeros(self.num_games, np.int32), np.zeros((self.num_games, capacity), np.int32)
        if not all(self._each(self._loops.list_ids, self._tables, self.games, None, counts, ids, capacity)):
            raise ConfigError(f"a list of {counts.max()} legal acts: the capacity given is {capacity}")
        return counts, ids

    def _list_ids(self) -> bool:
        """List the legal acts anew; whether the rows are long enough."""
        capacity = self._ids.shape[1]
        return all(self._each(self._loops.list_ids, self._tables, self.games, None, self._counts, self._ids, capacity))

    def are_legal(self, actions: npt.ArrayLike) -> Array:
        """Whether each game may go on by the action given for it, any integer (N,): bool (N,)."""
        answers = np.zeros(self.num_games, np.bool_)
        asked = np.array(np.broadcast_to(actions, (self.num_games,)), np.int64)
        self._each(self._loops.ask_games, self._tables, self.games, asked, answers)
        return answers

    def verify(self, index: int, action: int) -> Play:
        """The legal act that an action names in a game. Raises as `ActionSpace.verify` does."""
        return action_space(self.ruleset).verify(action, self.game(index).legal_plays())

    def play_random(self, steps: int) -> int:
        """Play `steps` random legal acts in each game, all buffers written at every decision; returns how many games ended."""

        def kernel(*args: Any) -> Any:
            return self._loops.play_random(*args, steps)

        self._has_lists = False

        return int(sum(self._each(kernel, self._tables, self._starts, self.games, None, self.observation, self.mask)))

    def position(self, index: int) -> Position:
        """Where a game stands, as the reference engine says it."""
        found: Position = self._positions.unpack(self.ruleset, self.games[index])
        return found

    def game(self, index: int) -> Game:
        """A reference game that goes on from where a game stands."""
        return Game(self.ruleset, self.position(index))

    def set_position(self, index: int, position: Position) -> None:
        """Put a game into any position, as `Game.from_position` does; `show` writes what it looks like.

        Raises:
            ConfigError: with every fault of the position.
        """
        self._positions.pack(self.ruleset, Game.from_position(self.ruleset, position).position, self.games[index])
        self._has_lists = False

    def rollouts(self) -> Array:
        """Play every game to its end by random legal acts; returns the payoffs, float64 (N, seats)."""
        payoffs = np.zeros((self.num_games, self.num_players))
        self._has_lists = False
        self._each(self._loops.rollouts, self._tables, self.games, None, payoffs)
        return payoffs
