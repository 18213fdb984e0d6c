"""Base class of batches of any game: step buffers, threads, seeds of streams."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, ClassVar, TypeVar

import numpy as np
import numpy.typing as npt

from big2_env.base.errors import ConfigError
from big2_env.base.rng import GOLDEN_GAMMA, MIX_1, MIX_2
from big2_env.base.salts import Salts
from big2_env.base.validated import Copied
from big2_env.kernels.dialect.records import read_only
from big2_env.kernels.reuse import FixedMasks, Group, Reused
from big2_env.kernels.tables import BITS, CHANGES, DENSE

Array = npt.NDArray[Any]
T = TypeVar("T")
GAMMA = np.uint64(GOLDEN_GAMMA)
"""Increment of a stream's state per step."""
NO_RESET, SAME_STEP, NEXT_STEP = 0, 1, 2
"""When a finished game is dealt again: never, in the step that ends it, or in the next step."""
RUNNING, ENDED, ILLEGAL, DEALT = 0, 1, 2, 3
"""Status of a game after a step: running, ended, ended by an illegal action, dealt again (the action was ignored)."""
IN_TURN, DRAWN = -1, -2
"""Values that replace a fixed learner's seat: rotating from deal to deal, or drawn for each deal."""
LISTED = 64
"""Initial capacity of the lists of legal actions; longer lists enlarge the array on request."""
MASKS = ("dense", "bits", "ids")
"""Forms of the legal actions that a step shows: masks, packed masks, lists."""
FEW_ACTIONS, MARKED = 4096, 255
"""Up to that many actions a whole mask is written; most entries of a mask that are taken back one by one."""


def _new_masks(kind: int, rows: int, num_actions: int) -> Group:
    """Return a new array of masks; for masks of which only changes are written, a read-only view, its base and the marks.

    A row of marks has the number of actions that are set in the mask, -1 for more than `MARKED`, and these actions.
    """
    if kind == CHANGES:
        base = np.zeros((rows, num_actions), np.int8)
        return Group(FixedMasks.of(base), base, np.zeros((rows, 1 + MARKED), np.int32))
    if kind == BITS:
        return Group(np.zeros((rows, -(-num_actions // 8)), np.uint8))
    return Group(np.zeros((rows, num_actions if kind == DENSE else 0), np.int8))


def mixed(states: Array) -> Array:
    """Return the outputs of SplitMix64 states, uint64 (N,), vectorized. They equal the numbers of `big2_env.base.rng`."""
    z = (states ^ (states >> np.uint64(30))) * np.uint64(MIX_1)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(MIX_2)
    found: Array = z ^ (z >> np.uint64(31))
    return found


def seeds_of_games(seed: int | Sequence[int], num_games: int) -> Array:
    """Return one seed per game, uint64 (N,).

    Args:
        seed: The first game's seed, with consecutive numbers for the others; or one seed per game.
        num_games: Number of games.

    Raises:
        ConfigError: If the number of seeds does not match.
    """
    if isinstance(seed, int):
        return np.arange(num_games, dtype=np.uint64) + np.uint64(seed % 2**64)
    seeds = np.array([number % 2**64 for number in map(int, seed)], np.uint64)
    if len(seeds) != num_games:
        raise ConfigError(f"expected one seed, or one for each of the {num_games} games, got {len(seeds)}")
    return seeds


def first_salts(salts: Salts, seeds: Iterable[int]) -> Array:
    """Return the first salt of each seed, uint64 (N,)."""
    return np.array([salts.first(seed) for seed in seeds], np.uint64)


def check_batch(num_games: int, threads: int, dtype: npt.DTypeLike, dtypes: Sequence[str]) -> None:
    """Check the arguments of a batch.

    Args:
        num_games: Number of games.
        threads: Number of threads.
        dtype: Observation dtype.
        dtypes: Names of the dtypes that the batch knows.

    Raises:
        ConfigError: If a count is not an integer of 1 or more, or the dtype is unknown.
    """
    if not all(isinstance(one, int | np.integer) and not isinstance(one, bool) and one >= 1 for one in (num_games, threads)):
        raise ConfigError(f"expected 1 or more games and threads, got {num_games!r} games on {threads!r} threads")
    try:
        known = np.dtype(dtype)
    except TypeError:
        raise ConfigError(f"expected observations {' or '.join(dtypes)}, got {dtype!r}") from None
    if known.name not in dtypes:
        raise ConfigError(f"expected observations {' or '.join(dtypes)}, got {known}")


def checked_rows(rows: npt.ArrayLike, num_games: int) -> Array:
    """Return indices of games as int64 (M,) in C order, for compiled code.

    Raises:
        ConfigError: If shape or dtype are wrong, or an index is out of range.
    """
    given = np.asarray(rows)
    if given.ndim != 1 or (given.size and given.dtype.kind not in "iu"):
        raise ConfigError(f"expected rows as integers (M,), got {given.dtype} {given.shape}")
    if ((given < 0) | (given >= num_games)).any():
        raise ConfigError(f"expected rows 0 to {num_games - 1}, got {given.min()} to {given.max()}")
    return np.ascontiguousarray(given, np.int64)


def checked_choice(chosen: npt.ArrayLike, num_games: int) -> Array:
    """Return a selection of games as bool (N,) in C order, for compiled code.

    Raises:
        ConfigError: If shape or dtype are wrong.
    """
    given = np.asarray(chosen)
    if given.shape != (num_games,) or given.dtype != np.bool_:
        raise ConfigError(f"expected a choice of games, bool ({num_games},), got {given.dtype} {given.shape}")
    return np.ascontiguousarray(given)


class Batch(Copied, ABC):
    """`num_games` games that are stepped together.

    Public attributes cannot be set, because compiled code keeps the addresses of arrays. Arrays that callers must not
    write are read-only.

    Args:
        num_games: Number of games.
        num_players: Number of seats per game.
        num_actions: Number of actions.
        size: Size of an observation.
        dtype: Observation dtype, int8 or float32.
        threads: Number of threads that share the games.
        masks: Form of `mask`: `"dense"`, int8 (N, num_actions); `"bits"`, uint8 (N, ceil(num_actions / 8)), the first action
            in the lowest bit, the last byte padded with zeros; `"ids"`, without columns. A dense mask of more than 4,096
            actions is read-only, because a step writes only the entries that change.

    Attributes:
        layout: Windows of an observation, with their total `size`.

    Raises:
        ConfigError: If a count is below 1, or the dtype is neither int8 nor float32.
    """

    dtypes: ClassVar[Sequence[str]] = ("int8", "float32")
    """Names of the observation dtypes that the batch knows."""
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
        masks: str = "dense",
    ) -> None:
        check_batch(num_games, threads, dtype, self.dtypes)
        if masks not in MASKS:
            raise ConfigError(f"expected masks {', '.join(map(repr, MASKS))}, got {masks!r}")
        self.num_games, self.num_players, self.num_actions, self.threads = num_games, num_players, num_actions, threads
        self.masks_as = masks
        self._mask_kind = {"dense": DENSE if num_actions <= FEW_ACTIONS else CHANGES, "bits": BITS, "ids": 0}[masks]
        self._make_outputs(size, dtype)
        self.observation: Array
        """Observations of the seats to move, int8 or float32 (N, size)."""
        self.mask: Array
        """Legal actions of these seats in the form `masks_as`."""
        self.reward: Array = np.zeros(num_games, np.float32)
        """Rewards of the last moves for the seats that made them, float32 (N,)."""
        self.status: Array = np.zeros(num_games, np.int8)
        """Status of each game after the last step, int8 (N,): `RUNNING`, `ENDED`, `ILLEGAL` or `DEALT`."""
        self.payoffs: Array = np.zeros((num_games, num_players), np.float32)
        """Each seat's payoff if the last step ended the game, else 0; float32 (N, seats)."""
        self.final_observation: Array = np.zeros_like(self.observation)
        """Last observation of the seat that moved, for games that the last step ended; same shape as `observation`."""
        self._seat: Array = np.zeros(num_games, np.int32)
        self._actor: Array = np.full(num_games, -1, np.int32)
        self._reset_required = False
        self._counts: Array = np.zeros(num_games, np.int32)
        self._ids: Array = np.zeros((num_games, LISTED), np.int32)
        self._has_lists = False
        """True if the lists of legal actions are up to date."""
        self._buffers: tuple[object, ...] = (None,) * 4
        """Arrays of the last `step_into`, which has checked them; as long as they are held, NumPy does not move them."""
        self.actions: Array = np.zeros(num_games, np.int64)
        """Place for the actions of a step, int64 (N,). A step reads it without a copy, and later calls overwrite it."""
        self._all = np.ones(num_games, np.bool_)
        bounds = np.linspace(0, num_games, threads + 1).astype(int)
        self._slices = list(zip(bounds[:-1].tolist(), bounds[1:].tolist(), strict=True))
        self._make_views()
        self._start_threads()

    def __setattr__(self, name: str, value: object) -> None:
        if not name.startswith("_") and name in self.__dict__:
            raise AttributeError(f"{type(self).__name__}.{name} cannot be replaced")
        object.__setattr__(self, name, value)

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name not in ("_pool", "_outputs", "_views", "_buffers")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state, _buffers=(None,) * 4)
        obs, mask = state["observation"], state["mask"]
        self._make_outputs(obs.shape[1], obs.dtype)
        np.copyto(self.observation, obs)
        masks = self._outputs["mask"].now
        np.copyto(masks.base, mask)
        if self._mask_kind == CHANGES:
            masks.behind[1][:, 0] = -1
        self._make_views()
        self._start_threads()

    @property
    def games(self) -> Any:
        """Records of the games, (N,); read-only."""
        return read_only(self._games)

    @property
    def seat(self) -> Array:
        """Seat that `observation` belongs to, int32 (N,): the seat to move, or after the end the seat that moved last."""
        return self._views[0]

    @property
    def actor(self) -> Array:
        """Seat that made the last step's move, int32 (N,), -1 for none."""
        return self._views[1]

    @property
    def skipped(self) -> tuple[Array, Array] | None:
        """Games that the last step or deal dealt in each row and that ended before the learner's first turn.

        Their number, int32 (N,), and the sum of their payoffs for the learner, float32 (N,); `None` without learners.
        """
        return None

    @property
    def reset_required(self) -> bool:
        """True if an opponent's error stopped a step or a deal halfway; all games must then be dealt again."""
        return self._reset_required

    def _make_outputs(self, size: int, dtype: npt.DTypeLike) -> None:
        """Make the arrays `observation` and `mask`."""
        rows = self.num_games
        self._outputs = {
            "observation": Reused(lambda: Group(np.zeros((rows, size), dtype))),
            "mask": Reused(partial(_new_masks, self._mask_kind, rows, self.num_actions)),
        }
        for name, reused in self._outputs.items():
            self.__dict__[name] = reused.now.array

    def _make_views(self) -> None:
        """Make the read-only views of `seat` and `actor` once, because making them takes longer than copying the arrays."""
        self._views = read_only(self._seat), read_only(self._actor)

    def renew(self, keeps: bool = False) -> None:
        """Replace `observation` and `mask` if other objects refer to them, so that these arrays never change again.

        Args:
            keeps: True to copy the contents to the new arrays.
        """
        for name, reused in self._outputs.items():
            before = reused.now
            if reused.renew(held=1):
                if keeps:
                    reused.keep(before)
                self._replace(name, reused.now)

    def _replace(self, name: str, group: Group) -> None:
        """Take new arrays for `observation` or `mask`; `step_into` may have been given the old ones."""
        self.__dict__[name] = group.array
        self._buffers = (None,) * 4

    def _start_threads(self) -> None:
        self._pool = ThreadPoolExecutor(self.threads) if self.threads > 1 else None

    def _on_threads(self, call: Callable[[int], T]) -> list[T]:
        """Call a function once per thread, with the thread's index."""
        if self._pool is None:
            return [call(0)]
        return list(self._pool.map(call, range(self.threads)))

    @abstractmethod
    def seed(self, seed: int | Sequence[int], chosen: Array | None = None) -> None:
        """Seed the streams of all games, or of selected ones. Running games continue.

        Args:
            seed: The first game's seed, with consecutive numbers for the others; or one seed per game.
            chosen: Selected games, bool (N,); `None` for all.

        Raises:
            ConfigError: If the number of seeds does not match.
        """

    @abstractmethod
    def redeal(self, chosen: Array) -> None:
        """Deal the selected games, bool (N,), from their own streams, and update the buffers."""

    def cut(self, chosen: Array, reset: int) -> None:
        """End games, bool (N,), without a winner or payoffs; with `SAME_STEP` deal the next ones at once, as `step` does."""
        self._games.winner[chosen] = self.num_players
        self._show_ended(chosen)
        if reset == SAME_STEP:
            self.final_observation[chosen] = self.observation[chosen]
            skipped = [(field, field[~chosen]) for field in self.skipped or ()]
            self.redeal(chosen)
            for field, found in skipped:
                field[~chosen] = found

    @abstractmethod
    def _show_ended(self, chosen: Array) -> None:
        """Show games, bool (N,), that end with the last step to the seats that moved."""

    @abstractmethod
    def show(self) -> None:
        """Fill `observation` and `mask` for the seats to move."""

    @abstractmethod
    def masks(self) -> Array:
        """Return the legal actions of the seats to move in a new array, int8 (N, num_actions)."""

    @abstractmethod
    def legal_ids(self) -> tuple[Array, Array]:
        """Return the legal actions of each game as lists.

        Returns:
            Counts, int32 (N,), 0 for finished games, and ids, int32 (N, longest). Entries beyond a game's count are
                undefined. The next step overwrites both arrays.
        """

    @abstractmethod
    def are_legal(self, actions: npt.ArrayLike) -> Array:
        """Return whether the given action, any integer, is legal in each game; bool (N,)."""

    @abstractmethod
    def verify(self, index: int, action: int) -> object:
        """Raise the error that explains why an action is illegal in a game.

        Raises:
            ConfigError: If the action does not exist.
            IllegalPlayError: If the action is illegal.
        """

    @abstractmethod
    def _step(self, actions: Array, obs: Array, mask: Array, reward: Array, status: Array, reset: int) -> None:
        """Do the work of `step_into` on checked arrays."""

    def reset(self, seed: int) -> None:
        """Seed every game's stream and deal every game."""
        self.seed(seed)
        self.redeal(self._all)

    def step(self, actions: Array, reset: int = SAME_STEP) -> None:
        """Make one move in each game and fill the buffers.

        Args:
            actions: Action ids, int64 (N,).
            reset: When finished games are dealt again: `NO_RESET`, `SAME_STEP` or `NEXT_STEP`.
        """
        if actions is not self.actions:
            self._check_array("actions", actions, self.actions)
        self._step(actions, self.observation, self.mask, self.reward, self.status, reset)

    def step_into(self, actions: Array, obs: Array, mask: Array, reward: Array, status: Array, reset: int = SAME_STEP) -> None:
        """Make one move in each game and write the results to the caller's buffers.

        Args:
            actions: Action ids, int64 (N,).
            obs: Buffer like `observation`.
            mask: Buffer like `mask`.
            reward: Buffer like `reward`.
            status: Buffer like `status`.
            reset: When finished games are dealt again: `NO_RESET`, `SAME_STEP` or `NEXT_STEP`.

        Raises:
            ConfigError: If an array has the wrong shape, dtype or order.
        """
        if actions is not self.actions:
            self._check_array("actions", actions, self.actions)
        known = self._buffers
        if not (obs is known[0] and mask is known[1] and reward is known[2] and status is known[3]):
            for name, given, own in (
                ("obs", obs, self.observation),
                ("mask", mask, self.mask),
                ("reward", reward, self.reward),
                ("status", status, self.status),
            ):
                if given is not own:
                    self._check_array(name, given, own)
            self._buffers = obs, mask, reward, status
        self._step(actions, obs, mask, reward, status, reset)

    def _check_array(self, name: str, given: Array, own: Array) -> None:
        """Check that compiled code can use an array like one of the engine's own.

        Raises:
            ConfigError: If it has the wrong shape, dtype or order.
        """
        if not isinstance(given, np.ndarray):
            raise ConfigError(f"expected an array {own.dtype} {own.shape} for {name}, got {type(given).__name__}")
        flags = given.flags
        may_write = flags.writeable or name == "actions"
        if given.shape != own.shape or given.dtype != own.dtype or not (flags.c_contiguous and flags.aligned and may_write):
            raise ConfigError(
                f"expected a writeable array {own.dtype} {own.shape} in C order for {name}, got {given.dtype} {given.shape}"
            )

    def close(self) -> None:
        """Release the threads. An engine with several threads cannot be used afterwards."""
        if self._pool is not None:
            self._pool.shutdown()
