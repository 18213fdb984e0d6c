"""Base class of the vector environments: many games at once, one per row."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from operator import index
from typing import Any, Final, Generic, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt
from gymnasium import spaces
from gymnasium.error import ResetNeeded
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from big2_env.base.errors import ConfigError, IllegalPlayError
from big2_env.base.validated import Copied
from big2_env.drawing import Scene
from big2_env.envs.options import checked_illegal, checked_steps, draw_seed, known_options
from big2_env.envs.screen import PICTURE_MODES, pictures
from big2_env.kernels import batch
from big2_env.kernels.dialect.records import read_only

Array: TypeAlias = npt.NDArray[Any]
E = TypeVar("E", bound=batch.Batch)
MODES: Final = ("seat", "self_play")
"""Content of a row: one learner's seat, or the seat to move."""
SKIPPED: Final = ("skipped_games", "skipped_payoff")
"""Infos about games that ended before the learner's first turn: their number, and the sum of their payoffs for the learner."""
FEW: Final = 64
"""Number of rows up to which flags are searched as bytes."""
_RESETS: Final = {
    AutoresetMode.DISABLED: batch.NO_RESET,
    AutoresetMode.SAME_STEP: batch.SAME_STEP,
    AutoresetMode.NEXT_STEP: batch.NEXT_STEP,
}


class RowsEnv(Copied, VectorEnv[Array, Array, Array], Generic[E]):
    """Gymnasium vector environment over the rows of a batch engine.

    `big2_env.envs.vector.BatchEnv` documents arguments, infos and errors.

    Args:
        engine: Batch engine that holds the games.
        autoreset_mode: An `AutoresetMode` or its value.
        on_illegal: `"terminate"` or `"raise"`.
        illegal_reward: Reward of an illegal action.
        copy: True to return new arrays, False to reuse them.
        max_episode_steps: Moves after which a row's game is truncated; `None` for no limit.

    Raises:
        ConfigError: If an argument is invalid.
    """

    metadata: dict[str, Any] = {  # noqa: RUF012  # as the base class
        "render_modes": PICTURE_MODES,
        "render_fps": 2,
        "autoreset_mode": AutoresetMode.SAME_STEP,
    }

    def __init__(
        self,
        engine: E,
        autoreset_mode: AutoresetMode | str,
        on_illegal: str,
        illegal_reward: float,
        copy: bool,
        max_episode_steps: int | None = None,
    ) -> None:
        self.engine = engine
        """Engine that holds the games. Changes made to it appear in the next step."""
        self.layout = engine.layout
        self.num_envs, self.on_illegal, self.copy = engine.num_games, on_illegal, copy
        self.illegal_reward = checked_illegal(on_illegal, illegal_reward)
        try:
            self.autoreset_mode = AutoresetMode(autoreset_mode)
        except ValueError:
            allowed = ", ".join(repr(known.value) for known in AutoresetMode)
            raise ConfigError(f"expected autoreset_mode {allowed}, got {autoreset_mode!r}") from None
        self.metadata = {**type(self).metadata, "autoreset_mode": self.autoreset_mode}
        dtype = engine.observation.dtype
        highest = 255 if dtype == np.uint8 else 1
        self.single_observation_space = spaces.Box(0, highest, engine.observation.shape[1:], dtype.type)
        self.single_action_space = spaces.Discrete(engine.num_actions)
        self._reset_kind = _RESETS[self.autoreset_mode]
        self._most_steps = checked_steps(max_episode_steps)
        self._steps = np.zeros(self.num_envs, np.int64)
        """Moves of each row's game, if they are limited."""
        self._is_started = False
        self._has_masks = False
        """True if the engine holds the masks of the last step."""

    @cached_property
    def observation_space(self) -> spaces.Space[Any]:  # type: ignore[override]  # a large one, made when it is asked for
        """Observation space of all rows."""
        return batch_space(self.single_observation_space, self.num_envs)

    @cached_property
    def action_space(self) -> spaces.Space[Any]:  # type: ignore[override]
        """Action space of all rows."""
        return batch_space(self.single_action_space, self.num_envs)

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Array, dict[str, Any]]:
        """Deal new games in all rows, or in some of them.

        Args:
            seed: One seed, or a sequence with one seed or `None` per row. Row i of a single seed gets `seed + i`. `None`
                in a sequence draws a seed. Without any seed the rows continue their streams.
            options: `reset_mask`, bool (N,), selects the rows to reset; the others are unchanged.

        Returns:
            Observations (N, size), and infos with `action_mask` and `seat`.

        Raises:
            ConfigError: If the number of seeds does not match, or the mask has the wrong shape or dtype or selects no
                row.
            ResetNeeded: If only some rows are selected before the first reset of all rows, or after an opponent's error.
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
        engine = self.engine
        if self.copy:
            engine.renew(keeps=True)
        engine.redeal(chosen)
        if not chosen.all():
            engine.show()  # `step_into` may have shown the other rows in the caller's arrays
        self._is_started, self._has_masks = True, engine.masks_as == "dense"
        self._begin(engine.observation, chosen)
        return engine.observation, self._mask_info() | self._reset_infos()

    def _begin(self, obs: Array, chosen: Array) -> None:
        """Process the observations of a reset of some rows, bool (N,)."""
        self._steps[chosen] = 0

    def _mask_info(self) -> dict[str, Any]:
        """Return the part of the infos about legal actions, in the engine's form."""
        engine = self.engine
        if engine.masks_as == "ids":
            counts, ids = engine.legal_ids()
            return {"legal_counts": self._out(counts), "legal_ids": self._out(ids)}
        return {"action_mask" if engine.masks_as == "dense" else "action_bits": engine.mask}

    def _reset_infos(self) -> dict[str, Any]:
        """Return the part of the infos about the games, after a reset."""
        return self._with_skipped({"seat": self._out(self.engine.seat)})

    def _with_skipped(self, infos: dict[str, Any]) -> dict[str, Any]:
        """Return infos with the games that ended before the learner's first turn, if there is a learner."""
        if (skipped := self.engine.skipped) is not None:
            for name, found in zip(SKIPPED, skipped, strict=True):
                infos[name] = self._out(found)
        return infos

    def _step_infos(self, ended: Array) -> dict[str, Any]:
        """Return the part of the infos about the games, after a step that ended some of them, bool (N,)."""
        engine = self.engine
        infos = {
            "seat": self._out(engine.seat),
            "actor": self._out(engine.actor),
            "payoffs": self._out(engine.payoffs),
            "_payoffs": ended,
        }
        return self._with_skipped(infos)

    def _final_infos(self, ended: Array) -> dict[str, Any]:
        """Return the infos of games that ended, bool (N,), and were replaced in the same step."""
        engine = self.engine
        final_obs, seat, payoffs = engine.final_observation, engine.actor, engine.payoffs
        if self.copy:
            final_obs, seat, payoffs = by_row(final_obs, ended), seat * ended, payoffs.copy()
        final_info = {"seat": seat, "_seat": ended.copy(), "payoffs": payoffs, "_payoffs": ended.copy()}
        return {"final_obs": final_obs, "_final_obs": ended.copy(), "final_info": final_info, "_final_info": ended.copy()}

    def _truncated(self, status: Array) -> Array:
        """End the games that have reached the limit of moves, and return which ones, bool (N,)."""
        if self._most_steps is None:
            return np.zeros(self.num_envs, np.bool_)
        running = status == batch.RUNNING
        self._steps = np.where(status == batch.DEALT, 0, self._steps + 1)
        truncated: Array = self._steps >= self._most_steps
        self._steps[~running] = 0
        if (cut := truncated & running).any():
            self.engine.cut(cut, self._reset_kind)
            self._begin(self.engine.observation, cut)
        return truncated

    def step(self, actions: npt.ArrayLike) -> tuple[Array, Array, Array, Array, dict[str, Any]]:
        """Make one move in each row.

        Returns:
            Observations (N, size), rewards float32 (N,), terminated bool (N,), truncated bool (N,) and the infos.

        Raises:
            ConfigError: If `actions` has the wrong shape or dtype.
            IllegalPlayError: If an action is illegal and `on_illegal="raise"`; nothing changes.
            ResetNeeded: Before the first reset, after an opponent's error stopped a step halfway, or with `DISABLED` if a
                row's game is over.
        """
        engine, reset = self.engine, self._reset_kind
        moves = self._checked(actions)
        if self.copy:
            engine.renew()
        engine.step(moves, reset)
        self._has_masks = engine.masks_as == "dense"
        obs, reward, status = engine.observation, self._out(engine.reward), engine.status
        terminated, illegal = self._ends(status, reward, obs)
        truncated = self._truncated(status)
        may_end = self._most_steps is not None or _has_any(status)
        ended = terminated | truncated if may_end else terminated.copy()
        infos = self._mask_info() | self._step_infos(ended)
        infos["illegal"] = illegal
        if may_end and reset == batch.SAME_STEP and _has_any(ended):
            infos.update(self._final_infos(ended))
        return obs, reward, terminated, truncated, infos

    def step_into(self, actions: Array, obs: Array, mask: Array, reward: Array, done: Array) -> None:
        """Make one move in each row and write the results to the caller's arrays, without infos.

        `engine.payoffs`, `engine.seat` and `engine.actor` hold the values that the infos would have.

        Args:
            actions: int64 (N,), input.
            obs: int8 or float32 (N, size), as `dtype` says.
            mask: int8 (N, num_actions).
            reward: float32 (N,).
            done: bool, int8 or uint8 (N,); set for terminated and truncated games.

        Raises:
            ConfigError: If an array has the wrong shape, dtype or order, or steps are limited.
            IllegalPlayError, ResetNeeded: As `step`.
        """
        if self._most_steps is not None:
            raise ConfigError("step_into serves games without max_episode_steps: use step")
        if done.shape != (self.num_envs,) or done.dtype.char not in "?bB":
            raise ConfigError(f"expected done as bool, int8 or uint8 ({self.num_envs},), got {done.dtype} {done.shape}")
        engine = self.engine
        engine.step_into(self._checked(actions), obs, mask, reward, engine.status, self._reset_kind)
        self._has_masks = False
        terminated, _ = self._ends(engine.status, reward, obs)
        np.logical_or(terminated, self._truncated(engine.status), out=done)

    def _checked(self, actions: npt.ArrayLike) -> Array:
        """Return the engine's own array of actions with the given ones, after checking that a step is possible."""
        self._check_started("step()")
        given = np.asarray(actions)
        if given.shape != (self.num_envs,) or given.dtype.kind not in "iu":
            raise ConfigError(f"expected integers ({self.num_envs},) as actions, got {given.dtype} {given.shape}")
        moves: Array = self.engine.actions
        moves[:] = given
        if self._reset_kind == batch.NO_RESET:
            over = np.flatnonzero(self.engine.games.winner >= 0)
            if len(over):
                raise ResetNeeded(f"step() with games that are over, the first in row {over[0]}: reset them by reset_mask")
        if self.on_illegal == "raise":
            refuse_illegal(self.engine, moves)
        return moves

    def _ends(self, status: Array, reward: Array, obs: Array) -> tuple[Array, Array]:
        """Return which games the step ended, and which of them by an illegal action; complete the rewards."""
        if not _has_any(status):
            return np.zeros(self.num_envs, np.bool_), np.zeros(self.num_envs, np.bool_)
        illegal: Array = status == batch.ILLEGAL
        if self.illegal_reward != -1.0 and _has_any(illegal):
            reward[illegal] = self.illegal_reward
            self.engine.payoffs[illegal, self.engine.actor[illegal]] = self.illegal_reward
        terminated = status == batch.ENDED
        terminated |= illegal
        return terminated, illegal

    def _out(self, array: Array) -> Array:
        return array.copy() if self.copy else array

    def action_masks(self) -> npt.NDArray[np.bool_]:
        """Return the legal actions of all rows, bool (N, num_actions), read-only.

        The last step or reset decides, and its `action_mask` is returned itself if it has one. With `copy=False` the next
        step overwrites the array.
        """
        self._check_started("action_masks()")
        engine = self.engine
        return read_only(engine.mask if self._has_masks else engine.masks()).view(np.bool_)

    def legal_ids(self) -> tuple[Array, Array]:
        """Return the legal actions of all rows as lists.

        With `copy=False` the next call overwrites the arrays.

        Returns:
            Counts, int32 (N,), 0 if a game is over, and ids, int32 (N, longest). Entries beyond a row's count are
                undefined.
        """
        self._check_started("legal_ids()")
        counts, ids = self.engine.legal_ids()
        return self._out(counts), self._out(ids)

    def random_actions(self) -> npt.NDArray[np.int64]:
        """Return a random legal action for each row, int64 (N,), 0 if its game is over. Draws from `np_random`."""
        counts, ids = self.legal_ids()
        places = (self.np_random.random(self.num_envs) * counts).astype(np.intp)
        return np.where(counts > 0, ids[np.arange(self.num_envs), places], 0).astype(np.int64)

    def _check_started(self, call: str) -> None:
        if not self._is_started:
            raise ResetNeeded(f"{call} before the first game: call reset() first")
        if self.engine.reset_required:
            raise ResetNeeded(f"{call} after an opponent's error stopped a step halfway: call reset() first")

    def render(self) -> tuple[Array, ...] | str | None:  # type: ignore[override]  # an SVG is one document
        """Return a picture of each row in mode `rgb_array`, or one document of the first rows in mode `svg`.

        Pictures show the current tables without earlier moves.

        Returns:
            A tuple of N uint8 arrays `(600, 960, 3)`, an SVG document, or `None` without a render mode.

        Raises:
            ResetNeeded: Before the first reset.
        """
        self._check_started("render()")
        return pictures(self.render_mode, self.num_envs, self.scene)

    def scene(self, row: int) -> Scene:
        """Return the scene of a row's picture.

        Raises:
            ConfigError: If the game has no pictures.
        """
        raise ConfigError("these games have no pictures")

    def close_extras(self, **kwargs: Any) -> None:
        """Release the threads."""
        self.engine.close()


def _has_any(flags: Array) -> bool:
    """Return whether an array of bytes has an entry other than 0. For few rows bytes are the quickest to search."""
    return bool(flags.tobytes().strip(b"\0") if len(flags) <= FEW else np.count_nonzero(flags))


def row_seeds(given: Sequence[int | None], rows: int) -> list[int | None]:
    """Return one seed per row, 0 to 2**64 - 1, or `None` for rows without one.

    Raises:
        ConfigError: If the number of seeds does not match, or a seed is not an integer.
    """
    try:
        numbers = [None if number is None else index(number) % 2**64 for number in given]
    except TypeError:
        raise ConfigError(f"expected an integer seed, or one for each of the {rows} games, got {given!r}") from None
    if len(numbers) != rows:
        raise ConfigError(f"expected one seed, or one for each of the {rows} games, got {len(numbers)}")
    return numbers


def rows_to_reset(options: Mapping[str, Any], rows: int) -> npt.NDArray[np.bool_]:
    """Return the rows selected by the reset options, bool (rows,); all rows without `reset_mask`.

    Raises:
        ConfigError: If `reset_mask` has the wrong shape or dtype, or selects no row.
    """
    mask = options.get("reset_mask")
    if mask is None:
        return np.ones(rows, np.bool_)
    if not isinstance(mask, np.ndarray) or mask.shape != (rows,) or mask.dtype != np.bool_ or not mask.any():
        given = f"{mask.dtype} {mask.shape}, {mask.sum()} true" if isinstance(mask, np.ndarray) else type(mask).__name__
        raise ConfigError(f"expected a bool array ({rows},) with a true one as reset option reset_mask, got {given}")
    return mask


def refuse_illegal(engine: batch.Batch, moves: Array) -> None:
    """Raise an error if an action, int64 (N,), is illegal. Rows whose game is over are ignored.

    Raises:
        ConfigError, IllegalPlayError: For the first such row, with the reason.
    """
    refused = np.flatnonzero(~engine.are_legal(moves) & (engine.games.winner < 0))
    if not len(refused):
        return
    row = int(refused[0])
    try:
        engine.verify(row, int(moves[row]))
    except ConfigError as error:
        raise ConfigError(f"row {row}, {error}") from None
    except IllegalPlayError as error:
        raise IllegalPlayError(f"row {row}, action {moves[row]}: {error}", error.refusal) from None


def by_row(array: Array, chosen: Array) -> Array:
    """Return copies of the selected rows of an array and `None` for the others, object (N,)."""
    rows = chosen.nonzero()[0]
    found = np.empty(len(chosen), object)
    for row, values in zip(rows.tolist(), array[rows], strict=True):
        found[row] = values
    return found
