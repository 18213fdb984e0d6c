"""Many games at once, as a Gymnasium vector environment over the compiled engine: the page of `BatchEnv`.

    import big2_env, gymnasium
    envs = gymnasium.make_vec("big2/Big2-v0", num_envs=1024)

## Description

A row is a game of any ruleset that compiles, as all of the package do. By default (`mode="seat"`) a row is one learner's: the
opponents' acts happen inside a step, and the reward is the learner's own payoff. That is the learning problem of
`gymnasium.make(ID)`. With `mode="self_play"`, or by the id `big2/Big2SelfPlay-v0`, a row shows the seat to move, and a step makes
that seat's act: one policy plays all seats. There a game is ended by its winner, so a row's rewards never show a loss; a learner
has to take them apart by seat, as `big2_env.envs.sb3` does.

Same seed, same games: row i has its own stream of deals, seeded by `seed + i`, whatever the number of rows and threads.

## Action Space

`Discrete(1379)` for each row of ruleset `big2`: the hand slots of `big2_env.climbing.actions`; of games in which suits never
matter the rank table of `big2_env.climbing.rank_table`. Legal acts come three ways: as
`infos["action_mask"]`, int8 `(N, 1379)`; as `action_masks()`, bool; and as lists by `legal_ids()`, counts int32 `(N,)` and ids
int32 `(N, longest)`: choosing from a list is many times faster than scanning a mask. `random_actions()` does it at random.

    counts, ids = envs.unwrapped.legal_ids()
    actions = ids[np.arange(len(ids)), (rng.random(len(ids)) * counts).astype(int)]

## Observation Space

A `Box` of zeros and ones, int8 or float32, `(547,)` a row for `big2`, with the windows of `big2_env.envs.aec`;
`layout.named(observations)` gives them by name.

## Rewards

float32 `(N,)`. In self-play the payoff of the seat that acted, which ends a game only by winning it: the other seats' payoffs
are in `infos["payoffs"]`. In seat mode the learner's own payoff whoever ended the game. 0 while a game goes on.

## Episode End

Terminated when the game ends; never truncated. An act that is not legal terminates too, with `illegal_reward`, and nobody else
gets anything; with `on_illegal="raise"` it raises and changes nothing.

## Infos

| key | dtype, shape | meaning |
| --- | --- | --- |
| `action_mask` | int8 (N, actions) | the legal acts of the seat that the row shows; all 0 where the game is over |
| `seat` | int32 (N,) | the seat that the row shows: the one to move, in seat mode the learner's; after an end the one that acted |
| `actor` | int32 (N,) | the seat that made the act of this step and gets `reward`; -1 where a step only dealt. Not after `reset` |
| `payoffs` | float32 (N, seats) | what each seat got where this step ended a game, else 0. Not after `reset` |
| `illegal` | bool (N,) | whether this step's act was not legal. Not after `reset` |
| `final_obs` | object (N,) | `SAME_STEP`, where games ended: the observation at the end by who acted (the learner), else `None` |
| `final_info` | dict | with `final_obs`: `seat` and `payoffs` of the games that ended |

`_payoffs`, `_final_obs`, `_final_info` and the like say, bool `(N,)`, in which rows the key counts, as everywhere in Gymnasium.

## Arguments

| argument | default | meaning |
| --- | --- | --- |
| `num_envs` | `1` | rows |
| `ruleset` | `"big2"` | a `RuleSet` that can be compiled, as all of the package can, its name, a ruleset file (`*.json`, `*.toml`) or `MODULE:NAME` |
| `num_players` | `None` | how many play, where the ruleset allows several numbers; `None` is its default, `RuleSet.default_players` |
| `mode` | `"seat"` | or `"self_play"`; both serve every ruleset and number of players |
| `opponents` | `"random"` | seat mode: one for all, or one for each seat after the learner's: a name (`"greedy"`, `"heuristic"`, `"learned"`, `"learned:PATH"`, `"search:50"`, any that `big2_env.agents` announces), an agent, a class or function that makes one; a function `opponent(observations, masks, rng) -> actions` of the rows where it is to move, `rng` being a `RowRandom`; or a `League` |
| `seat` | `"rotate"` | seat mode: the learner's seat goes round from deal to deal, beginning with the row's number; or `"random"`: drawn for each deal; or a number |
| `scoring` | `None` | `"winner"`, `"cards"` or a `Settlement`; `None` leaves the ruleset's own |
| `shaping` | `None` | seat mode: `"cards_left"`, `"race"`, a function of observations or a `Shaping` (`big2_env.envs.shaping`), added to the rewards |
| `dtype` | `"int8"` | `"int8"` or `"float32"`, of the observations |
| `autoreset_mode` | `SAME_STEP` | a `gymnasium.vector.AutoresetMode` or its value. `SAME_STEP`: a row that ends shows the next game at once. `NEXT_STEP`: it shows the end, and the next step deals, whatever the action. `DISABLED`: reset it yourself, `reset(options={"reset_mask": ended})` |
| `skip_forced` | `False` | a seat whose only legal act is the pass is passed by the engine; in seat mode the learner's first turn of a game is shown all the same |
| `on_illegal` | `"terminate"` | or `"raise"` |
| `illegal_reward` | `-1.0` | what an illegal act brings |
| `copy` | `True` | new arrays at each call. `False`: the same arrays each time, written over by the next call; faster. `final_obs` is then an array of all rows, and what stands where no game ended has no meaning |
| `masks` | `True` | `False`: no `action_mask` in the infos, which takes most of the time and memory where there are 27,474 actions; legal acts come by `legal_ids()`, and by `action_masks()` when asked for |
| `render_mode` | `None` | `"rgb_array"`: `render` returns a picture of each row, uint8 (600, 960, 3), with the extra `pictures`; `"svg"`: one SVG document with the first 16 rows' tables. In self-play all hands lie open, in seat mode the learner's alone |
| `threads` | `1` | threads that share the rows; worth it from a few thousand rows on |

`"random"`, `"first"`, `"greedy"`, `"heuristic"` and `"learned"` play in compiled code in all rows at once, act for act as their
agents do (`"random"` with draws of its own). Any other agent is asked one view at a time: right, and slow. What an opponent draws
follows from the row's stream: same seed, same games, whatever the number of rows.

Opponents see the games, not what wrappers make of them: a policy trained behind a normalising wrapper has to normalise for itself.
An encoder of your own is a wrapper of observations (`gymnasium.wrappers.vector.TransformObservation`); one
that needs a `View` works in `SeatEnv` and the AEC environment. A `Settlement` of your own that does not compile works there too.

`reset(seed)` takes a number, or one for each row, `None` for any. Without a seed the rows deal on from their streams.

## Version History

* v0: first version.
"""  # noqa: E501  # a table's row is one line

from __future__ import annotations

from collections.abc import Sequence
from copy import deepcopy
from functools import cached_property
from typing import Any, Final, Self, TypeAlias

import numpy as np
import numpy.typing as npt
from gymnasium import spaces
from gymnasium.error import ResetNeeded
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from big2_env.climbing.ruleset import RuleSet
from big2_env.climbing.rulesets import ruleset as ruleset_of
from big2_env.climbing.settlement import Settlement
from big2_env.envs.opponents import Given, batch_opponents
from big2_env.envs.row_resets import row_seeds, rows_to_reset
from big2_env.envs.screen import PICTURE_MODES, check_render_mode
from big2_env.envs.shaping import Potential, Shaper, Shaping
from big2_env.envs.start import check_illegal, draw_seed
from big2_env.envs.vector_infos import final_infos, refuse_illegal
from big2_env.envs.vector_pictures import pictures, row_scene
from big2_env.errors import ConfigError
from big2_env.kernels import batch
from big2_env.kernels.compile import check_compiles
from big2_env.kernels.engine import BatchEngine
from big2_env.show import Scene

Array: TypeAlias = npt.NDArray[Any]
MODES: Final = ("seat", "self_play")
_RESETS: Final = {
    AutoresetMode.DISABLED: batch.NO_RESET,
    AutoresetMode.SAME_STEP: batch.SAME_STEP,
    AutoresetMode.NEXT_STEP: batch.NEXT_STEP,
}


class BatchEnv(VectorEnv[Array, Array, Array]):
    """Many games of one compiled ruleset, a row each; see the module's page.

    By default, and so by `gymnasium.make_vec(ID)`, a row is one learner's seat against opponents, the same learning problem as
    `gymnasium.make(ID)`. Self-play is `mode="self_play"`.

    Raises:
        ConfigError: an argument that cannot be served, or a ruleset that cannot be compiled.
    """

    metadata: dict[str, Any] = {  # noqa: RUF012  # as the base class
        "render_modes": PICTURE_MODES,
        "render_fps": 2,
        "autoreset_mode": AutoresetMode.SAME_STEP,
    }
    _shaper: Shaper | None = None

    def __init__(
        self,
        num_envs: int = 1,
        *,
        ruleset: str | RuleSet = "big2",
        num_players: int | None = None,
        mode: str = "seat",
        opponents: Given | Sequence[Given] = "random",
        seat: int | str = "rotate",
        scoring: str | Settlement | None = None,
        shaping: str | Potential | Shaping | None = None,
        dtype: npt.DTypeLike = "int8",
        autoreset_mode: AutoresetMode | str = AutoresetMode.SAME_STEP,
        skip_forced: bool = False,
        on_illegal: str = "terminate",
        illegal_reward: float = -1.0,
        copy: bool = True,
        masks: bool = True,
        render_mode: str | None = None,
        threads: int = 1,
    ) -> None:
        rules = ruleset_of(ruleset)
        self.ruleset = rules if scoring is None else rules.with_scoring(scoring)
        """The games' rules."""
        self.mode = mode
        self.render_mode = check_render_mode(render_mode, PICTURE_MODES)
        self._set_options(num_envs, autoreset_mode, on_illegal, illegal_reward, copy)
        self.has_masks = masks
        _check_compiles(self.ruleset, num_players)
        options: dict[str, Any] = {"dtype": dtype, "skip_forced": skip_forced, "threads": threads, "masks": masks}
        if mode == "seat":
            players = self.ruleset.seats(num_players)
            options |= {"opponents": batch_opponents(opponents, self.ruleset, players), "seat": seat}
        elif mode != "self_play":
            raise ConfigError(f"expected mode {' or '.join(map(repr, MODES))}, got {mode!r}")
        elif opponents != "random" or seat != "rotate":
            raise ConfigError("opponents and seat need mode='seat'; big2_env.envs.sb3.SelfPlayVecEnv has an opponent pool")
        elif shaping is not None:
            raise ConfigError("shaping needs mode='seat'; big2_env.envs.sb3.SelfPlayVecEnv shapes self-play by seat")
        self.engine = BatchEngine(self.ruleset, num_envs, num_players=num_players, **options)
        """The games. What is done to them here shows in the next step."""
        self._set_spaces()
        if shaping is not None:
            self._shaper = Shaper(shaping, self.layout)

    def __copy__(self) -> Self:
        return deepcopy(self)

    def _set_options(
        self, num_envs: int, autoreset_mode: AutoresetMode | str, on_illegal: str, illegal_reward: float, copy: bool
    ) -> None:
        """Keep the arguments that do not depend on the game."""
        self.has_masks = True
        """Whether infos have the masks."""
        self.num_envs, self.on_illegal, self.copy = num_envs, on_illegal, copy
        self.illegal_reward = float(illegal_reward)
        try:
            self.autoreset_mode = AutoresetMode(autoreset_mode)
        except ValueError:
            allowed = ", ".join(repr(known.value) for known in AutoresetMode)
            raise ConfigError(f"expected autoreset_mode {allowed}, got {autoreset_mode!r}") from None
        self.metadata = {**type(self).metadata, "autoreset_mode": self.autoreset_mode}
        check_illegal(on_illegal)

    def _set_spaces(self) -> None:
        """Take spaces and windows from the engine."""
        self.layout = self.engine.layout
        """The windows of an observation."""
        self.single_observation_space = spaces.Box(0, 1, (self.layout.size,), self.engine.observation.dtype.type)
        self.single_action_space = spaces.Discrete(self.engine.num_actions)
        self._reset_kind = _RESETS[self.autoreset_mode]
        self._is_started = False

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
        chosen = rows_to_reset(options, self.num_envs)
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
        if self._shaper is not None:
            self._shaper.begin(obs)
        return obs, self._mask_info(mask) | self._reset_infos()

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
        ended = (status == batch.ENDED) | illegal
        if self._shaper is not None:
            reward += self._shaper.gains(obs, ended, status == batch.DEALT)
        return ended, illegal

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
        return pictures(self)

    def scene(self, row: int) -> Scene:
        """What a row's picture shows."""
        return row_scene(self.engine.game(row), int(self.engine.seat[row]), open_hands=self.mode == "self_play")

    def close_extras(self, **kwargs: Any) -> None:
        """Let the threads go."""
        self.engine.close()


def _check_compiles(ruleset: RuleSet, num_players: int | None) -> None:
    """Refuse a ruleset that has no compiled form, and say where it runs.

    Raises:
        ConfigError: with every reason.
    """
    try:
        check_compiles(ruleset, num_players)
    except ConfigError as error:
        if str(error).endswith("serves it"):
            raise ConfigError(f"{error} in SeatEnv and the AEC environment") from None
        raise
