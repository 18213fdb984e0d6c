"""Stable-Baselines3 on the batch engine: `VecEnv`s with action masks for MaskablePPO of sb3-contrib.

    from big2_env.envs.sb3 import LegalPolicy, SelfPlayPPO, SelfPlayVecEnv
    model = SelfPlayPPO(LegalPolicy, SelfPlayVecEnv(128), n_steps=64, batch_size=1024, gamma=1.0)
    model.learn(1_000_000)

## Who learns

| class | a row is | learns by | seats |
| --- | --- | --- | --- |
| `SelfPlayVecEnv` | a game; it shows the seat to move | `SelfPlayPPO` | all are the learner, or some are opponents' |
| `SeatVecEnv` | the learner's seat of a game | `MaskablePPO`, unchanged | one is the learner, the others are given opponents |

`LegalPolicy` has the networks of `"MlpPolicy"` and works on the legal acts alone, which makes learning several times faster.

Both serve every ruleset that compiles, as all of the package do. In a game of turns one seat moves at a time: rows that were
seats would wait three steps of four. So a row of `SelfPlayVecEnv` is a game, and `SelfPlayPPO` takes the rollout apart into
each seat's own trajectory (`big2_env.envs.sb3_buffer`). A plain `MaskablePPO` on it would learn from other players' values and
never see a loss, for the one who ends a game has won it; it is warned.

## The opponent pool

`SelfPlayVecEnv(128, opponents=[...], share=0.5)`: in half of the games some seats, but not all, are played by one of the
opponents, an earlier self (`PolicyOpponent`) or any that `SeatVecEnv` takes, names among them. A row shows each seat to move;
where it is an opponent's, the action given for it is not looked at, nor is it learned from: `was_own` says so. `pool.draw_from`
brings others.

A `League` has weights and a schedule, in either environment; `SnapshotCallback` lets the learner's earlier selves join:

    league = League({"greedy": 1.0, "heuristic": 1.0}, snapshot_interval=100_000, max_snapshots=5)
    model = MaskablePPO(LegalPolicy, SeatVecEnv(128, league), n_steps=64, batch_size=1024, gamma=1.0)
    model.learn(1_000_000, callback=SnapshotCallback(league))

## Observations, actions, masks

As in `big2_env.envs.vector`: `(547,)` zeros and ones a row, 1,379 actions for ruleset `big2`. `action_masks()` is bool
`(rows, 1379)`; `env_method("action_masks")` a list of its rows.

## Rewards

`SeatVecEnv`: the learner's payoff, whoever ended the game. `SelfPlayVecEnv`: the payoff of the seat that acted; every seat's
are in `payoffs` and `infos`. 0 while a game goes on. Rows deal the next game in the step that ends one. With `shaping` see
`big2_env.envs.shaping`; in self-play the rewards of a row stay as they are, and `SelfPlayPPO` shapes those of each seat.

## Infos

Empty while a game goes on. At its end: `terminal_observation`, what the seat that acted (the learner) sees; `seat`, that
seat; `payoffs`, float32 `(seats,)`; `episode`, as `Monitor` writes it: `r` the return, `l` the steps, `t` the seconds since the
start; `TimeLimit.truncated`, False; where the act was not legal, `illegal`; with `SeatVecEnv` `is_success`, whether the
learner's payoff is above 0, which SB3 logs as `success_rate`.

The return `r`, which SB3 logs as `rollout/ep_rew_mean`, is the sum of the learner's rewards; in self-play it is the mean payoff
of the learner's seats. So it is 0 where the learner has all of them and payoffs sum to 0: strength shows against an opponent
pool, and on a `SeatVecEnv`.

## Wrappers

`VecMonitor` is not needed. A wrapper that joins successive observations of a row (`VecFrameStack`) would show each seat of
`SelfPlayVecEnv` what the others saw: do not use it there.

`VecNormalize` normalises what the learner sees. Opponents get the games' own zeros and ones; a `PolicyOpponent` normalises them
by the statistics that its model was trained with. Give `dtype="float32"` beside it: SB3's own rollout buffer keeps observations
in the environment's type, and would cut normalised ones to whole numbers.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterable, Sequence
from copy import deepcopy
from typing import Any, Self, TypeAlias

import numpy as np
import numpy.typing as npt

from big2_env.climbing.ruleset import RuleSet
from big2_env.climbing.settlement import Settlement
from big2_env.envs.league import League
from big2_env.envs.opponents import OpponentLike
from big2_env.envs.shaping import Potential, Shaper, Shaping
from big2_env.envs.vector import BatchEnv
from big2_env.errors import ConfigError

try:
    from sb3_contrib import MaskablePPO
    from stable_baselines3.common.monitor import Monitor
    from stable_baselines3.common.vec_env import VecEnv

    from big2_env.envs.sb3_buffer import SeatRolloutBuffer
    from big2_env.envs.sb3_policy import LegalPolicy, PolicyOpponent
    from big2_env.envs.sb3_pool import OpponentPool, SnapshotCallback
except ImportError as error:
    raise ImportError(
        f"big2_env.envs.sb3 needs stable-baselines3 and sb3-contrib: pip install 'big2_env[sb3]' ({error})"
    ) from error

__all__ = [
    "LegalPolicy",
    "PolicyOpponent",
    "SeatRolloutBuffer",
    "SeatVecEnv",
    "SelfPlayPPO",
    "SelfPlayVecEnv",
    "SnapshotCallback",
]


Array: TypeAlias = npt.NDArray[Any]


Rows: TypeAlias = int | Iterable[int] | None


class GamesVecEnv(VecEnv):
    """A `BatchEnv` as SB3 asks for it."""

    render_mode = None

    def __init__(self, games: BatchEnv) -> None:
        self.games = games
        super().__init__(games.num_envs, games.single_observation_space, games.single_action_space)
        self.num_players = games.engine.num_players
        self.ended: Array = np.zeros(self.num_envs, np.bool_)
        """Whether the last step ended a game, bool (rows,)."""
        self.actor: Array = np.full(self.num_envs, -1, np.int32)
        """The seat that acted in the last step, int32 (rows,); -1 before the first."""
        self.seat: Array = np.zeros(self.num_envs, np.int32)
        """The seat that each row shows, int32 (rows,)."""
        self.payoffs: Array = np.zeros((self.num_envs, self.num_players), np.float32)
        """What each seat got where the last step ended a game, else 0, float32 (rows, seats)."""
        self._masks: Array | None = None
        self._actions: npt.ArrayLike = ()
        self._returns = np.zeros(self.num_envs)
        self._lengths = np.zeros(self.num_envs, np.int64)
        self._started_at = time.time()

    def __copy__(self) -> Self:
        return deepcopy(self)

    def reset(self) -> Array:
        """Deal all games and return what the rows show; by the seeds given with `seed`, else the rows deal on.

        Raises:
            ConfigError: options were set; there are none.
        """
        if any(self._options):
            raise ConfigError(f"expected no reset options, got {next(filter(None, self._options))!r}")
        seeds = [seed for seed in self._seeds if seed is not None]
        observations, infos = self.games.reset(seed=seeds or None)
        self._reset_seeds()
        self._masks, self.seat = infos["action_mask"].view(np.bool_), infos["seat"]
        self.reset_infos = [{"seat": seat} for seat in self.seat.tolist()]
        self.actor = np.full(self.num_envs, -1, np.int32)
        self.ended, self.payoffs = np.zeros_like(self.ended), np.zeros_like(self.payoffs)
        self._returns[:], self._lengths[:] = 0.0, 0
        return observations

    def step_async(self, actions: npt.ArrayLike) -> None:
        """Keep the actions for `step_wait`, integers (rows,)."""
        self._actions = actions

    def step_wait(self) -> tuple[Array, Array, Array, list[dict[str, Any]]]:
        """Make one act in each row; returns observations, rewards, dones, infos.

        Raises:
            ConfigError, IllegalPlayError, ResetNeeded: as `BatchEnv.step`.
        """
        observations, rewards, self.ended, _, infos = self.games.step(self._actions)
        self._masks, self.seat = infos["action_mask"].view(np.bool_), infos["seat"]
        self.actor, self.payoffs = infos["actor"], infos["payoffs"]
        self._returns += rewards
        self._lengths += 1
        by_row: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        for row in np.flatnonzero(self.ended).tolist():
            by_row[row] = self._end(row, infos)
        return observations, rewards, self.ended.copy(), by_row

    def _end(self, row: int, infos: dict[str, Any]) -> dict[str, Any]:
        """What is told of a game that ended; its counts begin anew."""
        seconds = round(time.time() - self._started_at, 6)
        info = {
            "episode": {"r": self._return(row), "l": int(self._lengths[row]), "t": seconds},
            "terminal_observation": infos["final_obs"][row],
            "seat": int(self.actor[row]),
            "payoffs": self.payoffs[row].copy(),
            "TimeLimit.truncated": False,
        }
        if infos["illegal"][row]:
            info["illegal"] = True
        self._returns[row], self._lengths[row] = 0.0, 0
        return info

    def _return(self, row: int) -> float:
        """What a game that ended brought, as SB3 logs it."""
        return float(self._returns[row])

    def action_masks(self) -> npt.NDArray[np.bool_]:
        """The legal actions of all rows, bool (rows, actions)."""
        return self.games.action_masks() if self._masks is None else self._masks

    def close(self) -> None:
        """Let the threads go."""
        self.games.close()

    def env_method(self, method_name: str, *method_args: Any, indices: Rows = None, **method_kwargs: Any) -> list[Any]:
        """`action_masks` of each row, bool (actions,).

        Raises:
            AttributeError: another method: rows are no environments of their own.
        """
        if method_name != "action_masks" or method_args or method_kwargs:
            raise AttributeError(f"expected method 'action_masks' of a row, without arguments, got {method_name!r}")
        masks = self.action_masks()
        return list(masks) if indices is None else [masks[row] for row in self._get_indices(indices)]

    def get_attr(self, attr_name: str, indices: Rows = None) -> list[Any]:
        """An attribute of this environment, which all rows share, once for each row."""
        value = getattr(self, attr_name)
        return [value for _ in self._get_indices(indices)]

    def set_attr(self, attr_name: str, value: Any, indices: Rows = None) -> None:
        """Set an attribute of this environment.

        Raises:
            ConfigError: for some rows only: they share it.
        """
        if indices is not None and set(self._get_indices(indices)) != set(range(self.num_envs)):
            raise ConfigError(f"expected all rows, which share attribute {attr_name!r}, got rows {indices}")
        setattr(self, attr_name, value)

    def env_is_wrapped(self, wrapper_class: type[Any], indices: Rows = None) -> list[bool]:
        """Whether rows are wrapped: they do what `Monitor` does, and nothing else."""
        return [wrapper_class is Monitor for _ in self._get_indices(indices)]


class SelfPlayVecEnv(GamesVecEnv):
    """Rows of games that show the seat to move: all seats are the learner. For `SelfPlayPPO`; see the module's page.

    Args:
        num_envs: rows.
        ruleset: a ruleset that can be compiled, or the name of one.
        num_players: how many play, where the ruleset allows several numbers; `None` is its default.
        scoring: `"winner"`, `"cards"` or a `Settlement`; `None` leaves the ruleset's own.
        dtype: `"int8"` or `"float32"`, of the observations.
        skip_forced: a seat whose only legal act is the pass is passed by the engine: four of ten decisions of random games.
        on_illegal: `"terminate"` the game, or `"raise"`. A policy with masks makes only legal acts.
        illegal_reward: what an illegal act brings.
        threads: that share the rows; worth it from a few thousand rows on.
        opponents: the pool that seats are filled from: a `League`, or opponents as of `SeatVecEnv`, each drawn as often.
        share: of the games that have an opponent, 0 to 1.
        shaping: what `SelfPlayPPO` adds to the rewards of each seat, as of `big2_env.envs.shaping`.

    Raises:
        ConfigError: an argument that cannot be served, or a ruleset that cannot be compiled.
    """

    def __init__(
        self,
        num_envs: int = 128,
        *,
        ruleset: str | RuleSet = "big2",
        num_players: int | None = None,
        scoring: str | Settlement | None = None,
        dtype: npt.DTypeLike = "int8",
        skip_forced: bool = True,
        on_illegal: str = "terminate",
        illegal_reward: float = -1.0,
        threads: int = 1,
        opponents: League | OpponentLike | Iterable[OpponentLike] = (),
        share: float = 0.5,
        shaping: str | Potential | Shaping | None = None,
    ) -> None:
        super().__init__(
            BatchEnv(
                num_envs,
                mode="self_play",
                ruleset=ruleset,
                num_players=num_players,
                scoring=scoring,
                dtype=dtype,
                skip_forced=skip_forced,
                on_illegal=on_illegal,
                illegal_reward=illegal_reward,
                threads=threads,
            )
        )
        self.is_by_seat = False
        """Whether a `SeatRolloutBuffer` takes the rows apart."""
        self._has_warned = False
        self.shaper = None if shaping is None else Shaper(shaping, self.games.layout)
        """What the seats' rewards are shaped by."""
        self.pool = OpponentPool(self.games.engine, opponents, share)
        """Who plays the seats that are not the learner's."""
        self.was_own: Array = np.ones(self.num_envs, np.bool_)
        """Whether the last step's act was the learner's, bool (rows,)."""
        self.seen: Array = np.zeros(0)
        """What the rows show, before wrappers, int8 or float32 (rows, size)."""

    def reset(self) -> Array:
        """As of any rows; opponents take their seats."""
        seeds = [seed for seed in self._seeds if seed is not None]
        self.seen = super().reset()
        if seeds:
            self.pool.seed(seeds)
        self.pool.deal(np.arange(self.num_envs))
        self.was_own = np.ones(self.num_envs, np.bool_)
        return self.seen

    def step_async(self, actions: npt.ArrayLike) -> None:
        """Keep the actions for `step_wait`, integers (rows,); where an opponent is to move it is asked instead.

        Raises:
            ConfigError: an opponent gives something else than an action for each row.
            IllegalPlayError: an opponent's act is not legal.
        """
        self.was_own = self.pool.is_own[np.arange(self.num_envs), self.seat]
        if not self.was_own.all():
            rows, actions = np.flatnonzero(~self.was_own), np.array(actions)
            actions[rows] = self.pool.play(rows)
        super().step_async(actions)

    def step_wait(self) -> tuple[Array, Array, Array, list[dict[str, Any]]]:
        """As of any rows; opponents take their seats in games that are dealt."""
        self.seen, rewards, ended, infos = super().step_wait()
        self.pool.deal(np.flatnonzero(ended))
        return self.seen, rewards, ended, infos

    def _return(self, row: int) -> float:
        """The mean payoff of the learner's seats."""
        return float(self.payoffs[row, self.pool.is_own[row]].mean())

    def env_method(self, method_name: str, *method_args: Any, indices: Rows = None, **method_kwargs: Any) -> list[Any]:
        """As of any row. Here sb3-contrib asks for masks: without `SelfPlayPPO` it is warned once, when a game has ended."""
        if self.ended.any() and not self.is_by_seat and not self._has_warned:
            self._has_warned = True
            warnings.warn(
                "rewards along a row of SelfPlayVecEnv are those of the seat that acted, never a loss: learn by SelfPlayPPO, "
                "evaluate on SeatVecEnv",
                stacklevel=2,
            )
        return super().env_method(method_name, *method_args, indices=indices, **method_kwargs)


class SeatVecEnv(GamesVecEnv):
    """Rows of games in which one seat is the learner's; for `MaskablePPO` and `evaluate_policy`. See the module's page.

    Args:
        num_envs: rows.
        opponents: one for all, or one for each seat after the learner's: a name, an agent or what makes one, a `League`, or a
            function `opponent(observations, masks, rng) -> actions` of the rows where it is to move, as a `PolicyOpponent`.
        seat: the learner's: `"rotate"` from deal to deal, `"random"`, or a number.
        shaping: what is added to the rewards, as of `big2_env.envs.shaping`.

    The other arguments are those of `SelfPlayVecEnv` without its `share`. With `skip_forced` the learner's
    first turn of a game is shown all the same.

    Raises:
        ConfigError: as `SelfPlayVecEnv`.
    """

    def __init__(
        self,
        num_envs: int = 128,
        opponents: OpponentLike | Sequence[OpponentLike] = "random",
        *,
        seat: int | str = "rotate",
        shaping: str | Potential | Shaping | None = None,
        ruleset: str | RuleSet = "big2",
        num_players: int | None = None,
        scoring: str | Settlement | None = None,
        dtype: npt.DTypeLike = "int8",
        skip_forced: bool = True,
        on_illegal: str = "terminate",
        illegal_reward: float = -1.0,
        threads: int = 1,
    ) -> None:
        super().__init__(
            BatchEnv(
                num_envs,
                mode="seat",
                opponents=opponents,
                seat=seat,
                shaping=shaping,
                ruleset=ruleset,
                num_players=num_players,
                scoring=scoring,
                dtype=dtype,
                skip_forced=skip_forced,
                on_illegal=on_illegal,
                illegal_reward=illegal_reward,
                threads=threads,
            )
        )

    def _end(self, row: int, infos: dict[str, Any]) -> dict[str, Any]:
        info = super()._end(row, infos)
        return info | {"is_success": bool(info["payoffs"][info["seat"]] > 0)}


class SelfPlayPPO(MaskablePPO):
    """`MaskablePPO` on a `SelfPlayVecEnv`: every seat learns from its own trajectory and its own payoffs.

    The arguments are those of `MaskablePPO`. A step of `gamma` is one decision of a seat; a game has about ten of them and pays
    at its end: `gamma=1.0` is a good choice. Models are saved and loaded as there; loaded without an environment they predict.

    Raises:
        ConfigError: another environment.
    """

    def _setup_model(self) -> None:
        if self.rollout_buffer_class is None:
            self.rollout_buffer_class = SeatRolloutBuffer
        super()._setup_model()
        self._attach()

    def set_env(self, env: Any, force_reset: bool = True) -> None:
        """Set the environment, of as many rows as the one before."""
        super().set_env(env, force_reset)
        self._attach()

    def _attach(self) -> None:
        buffer = getattr(self, "rollout_buffer", None)
        if self.env is not None and isinstance(buffer, SeatRolloutBuffer):
            buffer.attach(self.env)
