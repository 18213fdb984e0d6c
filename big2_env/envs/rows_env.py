"""Many games at once as a Gymnasium vector environment, a row each: what `vector` and the side games share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import deepcopy
from functools import cached_property
from operator import index
from typing import Any, Final, Generic, Self, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt
from gymnasium import spaces
from gymnasium.error import ResetNeeded
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from big2_env.envs.options import checked_illegal, draw_seed, known_options
from big2_env.envs.screen import PICTURE_MODES, pictures
from big2_env.errors import ConfigError, IllegalPlayError
from big2_env.kernels import batch
from big2_env.show import Scene

Array: TypeAlias = npt.NDArray[Any]
E = TypeVar("E", bound=batch.Batch)
MODES: Final = ("seat", "self_play")
"""What a row may show: one learner's seat, or the seat to move."""
_RESETS: Final = {
    AutoresetMode.DISABLED: batch.NO_RESET,
    AutoresetMode.SAME_STEP: batch.SAME_STEP,
    AutoresetMode.NEXT_STEP: batch.NEXT_STEP,
}


class RowsEnv(VectorEnv[Array, Array, Array], Generic[E]):
    """The games of a batch engine, a row each. Arguments, infos and errors are those of the page of `big2_env.envs.vector`.

    Raises:
        ConfigError: an argument that cannot be served.
    """

    metadata: dict[str, Any] = {  # noqa: RUF012  # as the base class
        "render_modes": PICTURE_MODES,
        "render_fps": 2,
        "autoreset_mode": AutoresetMode.SAME_STEP,
    }
    has_masks = True

    def __init__(
        self, engine: E, autoreset_mode: AutoresetMode | str, on_illegal: str, illegal_reward: float, copy: bool
    ) -> None:
        self.engine = engine
        """The games. What is done to them here shows in the next step."""
        self.layout = engine.layout
        self.num_envs, self.on_illegal, self.copy = engine.num_games, on_illegal, copy
        self.illegal_reward = checked_illegal(on_illegal, illegal_reward)
        try:
            self.autoreset_mode = AutoresetMode(autoreset_mode)
        except ValueError:
            allowed = ", ".join(repr(known.value) for known in AutoresetMode)
            raise ConfigError(f"expected autoreset_mode {allowed}, got {autoreset_mode!r}") from None
        self.metadata = {**type(self).metadata, "autoreset_mode": self.autoreset_mode}
        self.single_observation_space = spaces.Box(0, 1, (engine.layout.size,), engine.observation.dtype.type)
        self.single_action_space = spaces.Discrete(engine.num_actions)
        self._reset_kind = _RESETS[self.autoreset_mode]
        self._is_started = False

    def __copy__(self) -> Self:
        return deepcopy(self)

    @cached_property
    def observation_space(self) -> spaces.Space[Any]:  # type: ignore[override]  # a large one, made when it is asked for
        """The space of all rows' observations."""
        return batch_space(self.single_observation_space, self.num_envs)

    @cached_property
    def action_space(self) -> spaces.Space[Any]:  # type: ignore[override]
        """The space of all rows' actions."""
        return batch_space(self.single_action_space, self.num_envs)

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Array, dict[str, Any]]:
        """Deal all games, or those of the option `reset_mask`, bool (N,); the other rows stay as they are.

        `seed`, or the first number of a list, seeds `np_random` too; for a `None` in a list a seed is drawn from it.

        Raises:
            ConfigError: another number of seeds; a mask of another shape or dtype, or without a row.
            ResetNeeded: a mask of some rows before the first reset of all, or after an opponent's error.
        """
        chosen = rows_to_reset(known_options(options, "reset_mask"), self.num_envs)
        if not chosen.all():
            self._check_started("reset of some rows")
        if isinstance(seed, int | np.integer):
            super().reset(seed=int(seed))
            self.engine.seed(int(seed), chosen)
        elif seed is not None:
            numbers = row_seeds(seed, self.num_envs)
            first = next((number for number in numbers if number is not None), None)
            if first is not None:
                super().reset(seed=first)
            self.engine.seed([draw_seed(self.np_random) if number is None else number for number in numbers], chosen)
        elif not self._is_started:
            self.engine.seed(draw_seed(self.np_random), chosen)
        self.engine.redeal(chosen)
        if not chosen.all():
            self.engine.show()  # a step may have shown the other rows in other arrays than the engine's
        self._is_started = True
        engine = self.engine
        obs, mask = (engine.observation.copy(), engine.mask.copy()) if self.copy else (engine.observation, engine.mask)
        self._begin(obs)
        return obs, self._mask_info(mask) | self._reset_infos()

    def _begin(self, obs: Array) -> None:
        """Take note of what a reset shows: nothing, unless rewards are shaped."""

    def _mask_info(self, mask: Array) -> dict[str, Any]:
        """What infos say of legal acts."""
        return {"action_mask": mask} if self.has_masks else {}

    def _reset_infos(self) -> dict[str, Any]:
        """What infos say of the games after a reset."""
        return {"seat": self._out(self.engine.seat)}

    def _step_infos(self, ended: Array) -> dict[str, Any]:
        """What infos say of the games after a step that ended some, bool (N,)."""
        engine = self.engine
        payoffs = {"payoffs": self._out(engine.payoffs), "_payoffs": ended}
        return {"seat": self._out(engine.seat), "actor": self._out(engine.actor)} | payoffs

    def _final_infos(self, ended: Array) -> dict[str, Any]:
        """What infos say of games that ended, bool (N,), and were dealt anew in the same step."""
        return final_infos(self.engine, ended, self.copy)

    def _truncated(self, status: Array) -> Array:
        """Which games the step broke off, bool (N,)."""
        return np.zeros(self.num_envs, np.bool_)

    def step(self, actions: npt.ArrayLike) -> tuple[Array, Array, Array, Array, dict[str, Any]]:
        """Make one act in each row, integers (N,); returns observations, rewards, terminated, truncated, infos.

        Raises:
            ConfigError: actions of another shape or dtype.
            IllegalPlayError: with `on_illegal="raise"`, an action that is not legal; nothing has changed.
            ResetNeeded: before the first reset, or after an error of an opponent stopped a step halfway; with `DISABLED` a row
                that is over.
        """
        engine = self.engine
        acts = self._checked(actions)
        if self.copy:
            obs, mask = np.empty_like(engine.observation), np.empty_like(engine.mask)
            reward, status = np.empty_like(engine.reward), np.empty_like(engine.status)
        else:
            obs, mask, reward, status = engine.observation, engine.mask, engine.reward, engine.status
        engine.step_into(acts, obs, mask, reward, status, self._reset_kind)
        terminated, illegal = self._ends(status, reward, obs)
        truncated = self._truncated(status)
        ended = terminated | truncated
        infos = self._mask_info(mask) | self._step_infos(ended) | {"illegal": illegal}
        if self._reset_kind == batch.SAME_STEP and ended.any():
            infos |= self._final_infos(ended)
        return obs, reward, terminated, truncated, infos

    def step_into(self, actions: Array, obs: Array, mask: Array, reward: Array, done: Array) -> None:
        """`step` into the caller's buffers, without infos: `engine.payoffs`, `.seat` and `.actor` have what these would say.

        Args:
            actions: int64 (N,), read.
            obs: int8 or float32 (N, size), as `dtype` says.
            mask: int8 (N, num_actions).
            reward: float32 (N,).
            done: bool, int8 or uint8 (N,).

        Raises:
            ConfigError: an array of another shape, dtype or order. Otherwise as `step`.
        """
        if done.shape != (self.num_envs,) or done.dtype.name not in ("bool", "int8", "uint8"):
            raise ConfigError(f"expected done as bool, int8 or uint8 ({self.num_envs},), got {done.dtype} {done.shape}")
        engine = self.engine
        engine.step_into(self._checked(actions), obs, mask, reward, engine.status, self._reset_kind)
        terminated, _ = self._ends(engine.status, reward, obs)
        done[:] = terminated | self._truncated(engine.status)

    def _checked(self, actions: npt.ArrayLike) -> Array:
        """The actions as int64, once a step may be made with them."""
        self._check_started("step()")
        given = np.asarray(actions)
        if given.shape != (self.num_envs,) or given.dtype.kind not in "iu":
            raise ConfigError(f"expected integers ({self.num_envs},) as actions, got {given.dtype} {given.shape}")
        acts = np.ascontiguousarray(given, np.int64)
        if self._reset_kind == batch.NO_RESET:
            over = np.flatnonzero(self.engine.games.winner >= 0)
            if len(over):
                raise ResetNeeded(f"step() with games that are over, the first in row {over[0]}: reset them by reset_mask")
        if self.on_illegal == "raise":
            refuse_illegal(self.engine, acts)
        return acts

    def _ends(self, status: Array, reward: Array, obs: Array) -> tuple[Array, Array]:
        """Which games the step ended, and which of them by an illegal act; rewards are made whole."""
        illegal = status == batch.ILLEGAL
        if self.illegal_reward != -1.0 and illegal.any():
            reward[illegal] = self.illegal_reward
            self.engine.payoffs[illegal, self.engine.actor[illegal]] = self.illegal_reward
        return (status == batch.ENDED) | illegal, illegal

    def _out(self, array: Array) -> Array:
        return array.copy() if self.copy else array

    def action_masks(self) -> npt.NDArray[np.bool_]:
        """The legal actions of all rows, bool (N, num_actions); with `copy=False` a view of what the last call wrote."""
        self._check_started("action_masks()")
        return (self.engine.masks() if self.copy or not self.has_masks else self.engine.mask).view(np.bool_)

    def legal_ids(self) -> tuple[Array, Array]:
        """The legal actions of all rows as lists: counts int32 (N,), 0 where a game is over, and ids int32 (N, longest).

        What stands right of a row's list has no meaning. With `copy=False` the arrays are written over by the next call.
        """
        self._check_started("legal_ids()")
        counts, ids = self.engine.legal_ids()
        return self._out(counts), self._out(ids)

    def random_actions(self) -> npt.NDArray[np.int64]:
        """A random legal action of each row, int64 (N,), 0 where a game is over; drawn from `np_random`."""
        counts, ids = self.legal_ids()
        places = (self.np_random.random(self.num_envs) * counts).astype(np.intp)
        return np.where(counts > 0, ids[np.arange(self.num_envs), places], 0).astype(np.int64)

    def _check_started(self, call: str) -> None:
        if not self._is_started:
            raise ResetNeeded(f"{call} before the first game: call reset() first")
        if self.engine.reset_required:
            raise ResetNeeded(f"{call} after an opponent's error stopped a step halfway: call reset() first")

    def render(self) -> tuple[Array, ...] | str | None:  # type: ignore[override]  # an SVG is one document
        """A picture of each row in mode `rgb_array`, N times uint8 (600, 960, 3); one document of the first rows in mode `svg`.

        A picture has the table as it stands and no acts from before. Raises ResetNeeded before the first reset.
        """
        self._check_started("render()")
        return pictures(self.render_mode, self.num_envs, self.scene)

    def scene(self, row: int) -> Scene:
        """What a row's picture shows.

        Raises:
            ConfigError: a game without pictures.
        """
        raise ConfigError("these games have no pictures")

    def close_extras(self, **kwargs: Any) -> None:
        """Let the threads go."""
        self.engine.close()


def row_seeds(given: Sequence[int | None], rows: int) -> list[int | None]:
    """A seed for each row, 0 .. 2**64 - 1, or `None` where none is given.

    Raises:
        ConfigError: another number of seeds than rows, or seeds that are no integers.
    """
    try:
        numbers = [None if number is None else index(number) % 2**64 for number in given]
    except TypeError:
        raise ConfigError(f"expected an integer seed, or one for each of the {rows} games, got {given!r}") from None
    if len(numbers) != rows:
        raise ConfigError(f"expected one seed, or one for each of the {rows} games, got {len(numbers)}")
    return numbers


def rows_to_reset(options: Mapping[str, Any], rows: int) -> npt.NDArray[np.bool_]:
    """The rows that the options of a reset name, bool (rows,); all where they name none.

    Raises:
        ConfigError: a `reset_mask` of another shape or dtype, or without a row.
    """
    mask = options.get("reset_mask")
    if mask is None:
        return np.ones(rows, np.bool_)
    if not isinstance(mask, np.ndarray) or mask.shape != (rows,) or mask.dtype != np.bool_ or not mask.any():
        given = f"{mask.dtype} {mask.shape}, {mask.sum()} true" if isinstance(mask, np.ndarray) else type(mask).__name__
        raise ConfigError(f"expected a bool array ({rows},) with a true one as reset option reset_mask, got {given}")
    return mask


def refuse_illegal(engine: batch.Batch, acts: Array) -> None:
    """Refuse acts, int64 (N,), of which some are not legal; rows that are over are not looked at.

    Raises:
        ConfigError, IllegalPlayError: of the first such row, with the reason.
    """
    refused = np.flatnonzero(~engine.are_legal(acts) & (engine.games.winner < 0))
    if not len(refused):
        return
    row = int(refused[0])
    try:
        engine.verify(row, int(acts[row]))
    except ConfigError as error:
        raise ConfigError(f"row {row}, {error}") from None
    except IllegalPlayError as error:
        raise IllegalPlayError(f"row {row}, action {acts[row]}: {error}", error.refusal) from None


def final_infos(engine: batch.Batch, ended: Array, is_copied: bool) -> dict[str, Any]:
    """What is told of games that ended, bool (N,), and were dealt anew in the same step; in new arrays if `is_copied`."""
    final_obs, seat, payoffs = engine.final_observation, engine.actor, engine.payoffs
    if is_copied:
        rows = np.flatnonzero(ended)
        seat, payoffs = np.zeros_like(engine.actor), payoffs.copy()
        seat[rows] = engine.actor[rows]
        final_obs = by_row(final_obs, ended)
    final_info = {"seat": seat, "_seat": ended.copy(), "payoffs": payoffs, "_payoffs": ended.copy()}
    return {"final_obs": final_obs, "_final_obs": ended.copy(), "final_info": final_info, "_final_info": ended.copy()}


def by_row(array: Array, chosen: Array) -> Array:
    """Copies of the chosen rows of an array, `None` for the others: object (N,)."""
    rows = np.flatnonzero(chosen)
    found = np.empty(len(chosen), object)
    for row, values in zip(rows.tolist(), array[rows], strict=True):
        found[row] = values
    return found
