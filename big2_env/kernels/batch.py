"""What batches of games share, whatever the game: the buffers that a step fills, the threads, the streams' seeds."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from copy import deepcopy
from typing import Any, Self, TypeVar

import numpy as np
import numpy.typing as npt

from big2_env.errors import ConfigError
from big2_env.kernels.dialect.records import read_only
from big2_env.rng import GOLDEN_GAMMA, MIX_1, MIX_2

Array = npt.NDArray[Any]
T = TypeVar("T")
GAMMA = np.uint64(GOLDEN_GAMMA)
"""What a step adds to the state of a stream."""
NO_RESET, SAME_STEP, NEXT_STEP = 0, 1, 2
"""When a finished game is dealt anew: never, in the step that ends it, in the step after."""
RUNNING, ENDED, ILLEGAL, DEALT = 0, 1, 2, 3
"""What became of a game in a step: it goes on, it ended, an illegal act ended it, it was dealt anew (the act was not used)."""
IN_TURN, DRAWN = -1, -2
"""In place of a learner's fixed seat: it goes round from deal to deal, or it is drawn for each."""
LISTED = 64
"""How many legal acts of a game are listed as it is stepped; where there are more, asking for the lists makes longer rows."""


def mixed(states: Array) -> Array:
    """The numbers that states of SplitMix64 streams give, uint64 (N,): as `big2_env.rng` makes them, for many at once."""
    z = (states ^ (states >> np.uint64(30))) * np.uint64(MIX_1)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(MIX_2)
    found: Array = z ^ (z >> np.uint64(31))
    return found


def seeds_of_games(seed: int | Sequence[int], num_games: int) -> Array:
    """A seed for each game, uint64 (N,): `seed` and the numbers after it, or those given.

    Raises:
        ConfigError: another number of seeds.
    """
    if isinstance(seed, int):
        return np.arange(num_games, dtype=np.uint64) + np.uint64(seed % 2**64)
    seeds = np.array([number % 2**64 for number in map(int, seed)], np.uint64)
    if len(seeds) != num_games:
        raise ConfigError(f"expected one seed, or one for each of the {num_games} games, got {len(seeds)}")
    return seeds


def check_batch(num_games: int, threads: int, dtype: npt.DTypeLike) -> None:
    """Refuse what no batch of games can be made of.

    Raises:
        ConfigError: a number that is none or under 1, or observations of another dtype than int8 and float32.
    """
    if not all(isinstance(number, int | np.integer) and number >= 1 for number in (num_games, threads)):
        raise ConfigError(f"expected 1 or more games and threads, got {num_games!r} games on {threads!r} threads")
    try:
        known = np.dtype(dtype)
    except TypeError:
        raise ConfigError(f"expected observations int8 or float32, got {dtype!r}") from None
    if known not in (np.dtype(np.int8), np.dtype(np.float32)):
        raise ConfigError(f"expected observations int8 or float32, got {known}")


def checked_rows(rows: npt.ArrayLike, num_games: int) -> Array:
    """The numbers of games, int64 (M,), in C order, as compiled code takes them.

    Raises:
        ConfigError: numbers of another shape or dtype, or of games that there are not.
    """
    given = np.asarray(rows)
    if given.ndim != 1 or (given.size and given.dtype.kind not in "iu"):
        raise ConfigError(f"expected rows as integers (M,), got {given.dtype} {given.shape}")
    if ((given < 0) | (given >= num_games)).any():
        raise ConfigError(f"expected rows 0 to {num_games - 1}, got {given.min()} to {given.max()}")
    return np.ascontiguousarray(given, np.int64)


def checked_choice(chosen: npt.ArrayLike, num_games: int) -> Array:
    """A choice of games, bool (N,), in C order, as compiled code takes it.

    Raises:
        ConfigError: an array of another shape or dtype.
    """
    given = np.asarray(chosen)
    if given.shape != (num_games,) or given.dtype != np.bool_:
        raise ConfigError(f"expected a choice of games, bool ({num_games},), got {given.dtype} {given.shape}")
    return np.ascontiguousarray(given)


class Batch(ABC):
    """`num_games` games stepped together.

    A public attribute is set once: compiled code keeps the addresses of the arrays. What the caller may not write is read-only.

    Attributes:
        layout: the windows of an observation, with their `size`.

    Raises:
        ConfigError: a number under 1, or observations of another dtype than int8 and float32.
    """

    layout: Any
    _games: Any

    def __init__(
        self,
        num_games: int,
        num_players: int,
        num_actions: int,
        size: int,
        dtype: npt.DTypeLike,
        threads: int,
        masks: bool = True,
    ) -> None:
        check_batch(num_games, threads, dtype)
        self.num_games, self.num_players, self.num_actions, self.threads = num_games, num_players, num_actions, threads
        self.observation: Array = np.zeros((num_games, size), dtype)
        """What the seat to move sees, int8 or float32 (N, size)."""
        self.mask: Array = np.zeros((num_games, num_actions if masks else 0), np.int8)
        """Its legal acts, int8 (N, num_actions)."""
        self.reward: Array = np.zeros(num_games, np.float32)
        """What the last act brought the seat that made it, float32 (N,)."""
        self.status: Array = np.zeros(num_games, np.int8)
        """What became of each game in the last step, int8 (N,): `RUNNING`, `ENDED`, `ILLEGAL`, `DEALT`."""
        self.payoffs: Array = np.zeros((num_games, num_players), np.float32)
        """What each seat got where the last step ended a game, else 0, float32 (N, seats)."""
        self.final_observation: Array = np.zeros_like(self.observation)
        """Where the last step ended a game: its end, seen by the seat that acted; as `observation`."""
        self._seat: Array = np.zeros(num_games, np.int32)
        self._actor: Array = np.full(num_games, -1, np.int32)
        self._reset_required = False
        self._counts: Array = np.zeros(num_games, np.int32)
        self._ids: Array = np.zeros((num_games, LISTED), np.int32)
        self._has_lists = False
        """Whether the lists are of the games as they stand."""
        self._actions: Array = np.zeros(num_games, np.int64)
        self._all = np.ones(num_games, np.bool_)
        bounds = np.linspace(0, num_games, threads + 1).astype(int)
        self._slices = list(zip(bounds[:-1].tolist(), bounds[1:].tolist(), strict=True))
        self._start_threads()

    def __setattr__(self, name: str, value: object) -> None:
        if not name.startswith("_") and name in self.__dict__:
            raise AttributeError(f"{type(self).__name__}.{name} cannot be replaced")
        object.__setattr__(self, name, value)

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "_pool"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._start_threads()

    def __copy__(self) -> Self:
        return deepcopy(self)

    @property
    def games(self) -> Any:
        """The games, a record each, (N,); read-only."""
        return read_only(self._games)

    @property
    def seat(self) -> Array:
        """The seat whose view `observation` is, int32 (N,): the one to move; where a game is over, the one that acted last."""
        return read_only(self._seat)

    @property
    def actor(self) -> Array:
        """The seat that made the last step's act, int32 (N,), -1 for none."""
        return read_only(self._actor)

    @property
    def reset_required(self) -> bool:
        """True if an opponent's error stopped a step or a deal halfway: then all games have to be dealt anew."""
        return self._reset_required

    def _start_threads(self) -> None:
        self._pool = ThreadPoolExecutor(self.threads) if self.threads > 1 else None

    def _on_threads(self, call: Callable[[int], T]) -> list[T]:
        """Call a function for each thread, by its number."""
        if self._pool is None:
            return [call(0)]
        return list(self._pool.map(call, range(self.threads)))

    @abstractmethod
    def seed(self, seed: int | Sequence[int], chosen: Array | None = None) -> None:
        """Seed the streams of all games, or of the chosen ones, bool (N,); games that run go on.

        A number is the first game's seed, the others have the next ones; or there is a number for each game.

        Raises:
            ConfigError: another number of seeds.
        """

    @abstractmethod
    def redeal(self, chosen: Array) -> None:
        """Deal the chosen games, bool (N,), from their own streams, and show them."""

    @abstractmethod
    def show(self) -> None:
        """Fill `observation` and `mask` for the seats to move."""

    @abstractmethod
    def masks(self) -> Array:
        """The legal acts of the seats to move as a new array, int8 (N, num_actions)."""

    @abstractmethod
    def legal_ids(self) -> tuple[Array, Array]:
        """The legal acts of each game as lists: counts int32 (N,), 0 where it is over, and ids int32 (N, longest).

        What stands right of a list has no meaning. The arrays are the engine's own: the next step writes over them.
        """

    @abstractmethod
    def are_legal(self, actions: npt.ArrayLike) -> Array:
        """Whether each game may go on by the action given for it, any integer (N,): bool (N,)."""

    @abstractmethod
    def verify(self, index: int, action: int) -> object:
        """Say why an action is not legal in a game.

        Raises:
            ConfigError: no action has that number.
            IllegalPlayError: the action is not legal.
        """

    @abstractmethod
    def _step(self, actions: Array, obs: Array, mask: Array, reward: Array, status: Array, reset: int) -> None:
        """`step_into`, of arrays that are as they should be."""

    def reset(self, seed: int) -> None:
        """Seed every game's stream and deal every game."""
        self.seed(seed)
        self.redeal(self._all)

    def step(self, actions: Array, reset: int = SAME_STEP) -> None:
        """Make one act in each game, int64 (N,), and fill the buffers; `reset` says when finished games are dealt anew."""
        self.step_into(actions, self.observation, self.mask, self.reward, self.status, reset)

    def step_into(self, actions: Array, obs: Array, mask: Array, reward: Array, status: Array, reset: int = SAME_STEP) -> None:
        """`step` into the caller's buffers: C order, of the shapes and dtypes of this engine's own.

        Raises:
            ConfigError: an array of another shape, dtype or order.
        """
        for name, given, own in (
            ("actions", actions, self._actions),
            ("obs", obs, self.observation),
            ("mask", mask, self.mask),
            ("reward", reward, self.reward),
            ("status", status, self.status),
        ):
            if given is own:
                continue
            if not isinstance(given, np.ndarray):
                raise ConfigError(f"expected an array {own.dtype} {own.shape} for {name}, got {type(given).__name__}")
            flags = given.flags
            may_write = flags.writeable or name == "actions"
            if (given.shape, given.dtype) != (own.shape, own.dtype) or not (flags.c_contiguous and flags.aligned and may_write):
                raise ConfigError(
                    f"expected a writeable array {own.dtype} {own.shape} in C order for {name}, got {given.dtype} {given.shape}"
                )
        self._step(actions, obs, mask, reward, status, reset)

    def close(self) -> None:
        """Let the threads go. Nothing more can be asked of an engine that has several."""
        if self._pool is not None:
            self._pool.shutdown()
