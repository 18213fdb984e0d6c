"""Stable-Baselines3 adapters on the batch engine: `VecEnv`s with action masks for MaskablePPO of sb3-contrib.

    from big2_env.envs.sb3 import LegalPolicy, SelfPlayPPO, SelfPlayVecEnv
    model = SelfPlayPPO(LegalPolicy, SelfPlayVecEnv(128), n_steps=64, batch_size=1024, gamma=1.0)
    model.learn(1_000_000)

| class | a row is | algorithm | seats |
| --- | --- | --- | --- |
| `SelfPlayVecEnv` | a game; it shows the seat to move | `SelfPlayPPO` | all are the learner's, or some are opponents' |
| `SeatVecEnv` | the learner's seat of a game | `MaskablePPO`, unchanged | one is the learner's, the others are opponents' |

`LegalPolicy` has the networks of `"MlpPolicy"` but computes only the logits of legal actions, which makes learning
several times faster.

Credit assignment. In `SelfPlayVecEnv` each game is one row, since a row per seat would be idle in three of four steps.
`SelfPlayPPO` splits the rollout into each seat's own trajectory (`big2_env.envs.sb3_buffer`). Plain `MaskablePPO` on
`SelfPlayVecEnv` would bootstrap from other players' values and rarely see a loss. Plain `PPO` chooses illegal actions in both
environments, and in self-play it has the same fault. The environments warn once.

Opponent pool. `SelfPlayVecEnv(128, opponents=[...], share=0.5)` gives one to all but one of the seats to an opponent in
half of the games. Opponents may be earlier versions of the learner (`PolicyOpponent`), agents' names, or anything else
that `SeatVecEnv` accepts. Rows still show these seats' turns. Actions passed for them are ignored and not learned from
(`was_own` is false). `pool.draw_from` replaces the opponents.

A `League` adds weights and a schedule. `SnapshotCallback` adds snapshots of the learner:

    league = League({"greedy": 1.0, "heuristic": 1.0}, snapshot_interval=100_000, max_snapshots=5)
    model = MaskablePPO(LegalPolicy, SeatVecEnv(128, league), n_steps=64, batch_size=1024, gamma=1.0)
    model.learn(1_000_000, callback=SnapshotCallback(league))

Observations and actions are the same as in `big2_env.envs.vector.BatchEnv`. `action_masks()` returns bool
`(rows, actions)`, `env_method("action_masks")` a list of its rows. Rows deal the next game in the step that ends one.

Infos are empty during a game. At its end they contain:

| key | value |
| --- | --- |
| `terminal_observation` | last observation of the seat that moved (the learner's in `SeatVecEnv`) |
| `seat` | that seat |
| `payoffs` | float32 (seats,), each seat's payoff |
| `episode` | as `Monitor` writes it: `r` return, `l` steps, `t` seconds since the start |
| `TimeLimit.truncated` | always False |
| `illegal` | True, only if the last action was illegal |
| `is_success` | `SeatVecEnv` only: True if the learner's payoff is above 0; SB3 logs it as `success_rate` |
| `skipped_games`, `skipped_payoff` | `SeatVecEnv` only, also in `reset_infos`: as of `BatchEnv`, for the game that begins |

SB3 logs the return `r` as `rollout/ep_rew_mean`. It is the sum of the learner's rewards, in self-play the mean payoff of
the learner's seats. If the learner has all seats of a zero-sum game, it is always 0. Measure strength against an opponent
pool, or on a `SeatVecEnv`.

Wrappers. `VecMonitor` is unnecessary. Do not use wrappers that combine successive observations of a row (`VecFrameStack`)
with `SelfPlayVecEnv`: they would reveal other seats' observations. `VecNormalize` normalizes the learner's observations
only. Opponents receive zeros and ones, which a `PolicyOpponent` normalizes with its own model's statistics. Use
`dtype="float32"` with `VecNormalize`, because SB3's rollout buffer stores observations in the environment's dtype and
would truncate them to integers.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterable, Sequence
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from big2_env.base.errors import ConfigError, needing
from big2_env.base.validated import Copied
from big2_env.climbing.ruleset import RuleSet
from big2_env.climbing.settlement import Settlement
from big2_env.envs.league import League
from big2_env.envs.opponents import OpponentLike
from big2_env.envs.rows_env import SKIPPED
from big2_env.envs.shaping import Potential, Shaper, Shaping
from big2_env.envs.vector import BatchEnv

with needing("big2_env.envs.sb3 needs stable-baselines3 and sb3-contrib: pip install 'big2_env[sb3]'"):
    from sb3_contrib import MaskablePPO
    from stable_baselines3.common.monitor import Monitor
    from stable_baselines3.common.vec_env import VecEnv

    from big2_env.envs.sb3_buffer import SeatRolloutBuffer
    from big2_env.envs.sb3_policy import LegalPolicy, PolicyOpponent
    from big2_env.envs.sb3_pool import OpponentPool, SnapshotCallback

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


class GamesVecEnv(Copied, VecEnv):
    """`BatchEnv` with the interface of an SB3 `VecEnv`."""

    render_mode = None
    _advice = "learn by MaskablePPO"
    """End of the warning about another learner."""

    def __init__(self, num_envs: int, **options: Any) -> None:
        self.games = games = BatchEnv(num_envs, **options)
        self._has_warned = False
        super().__init__(games.num_envs, games.single_observation_space, games.single_action_space)
        self.ruleset, self.num_players = games.engine.ruleset, games.engine.num_players
        self.ended: Array = np.zeros(self.num_envs, np.bool_)
        """Bool (rows,), true if the last step ended a game."""
        self.actor: Array = np.full(self.num_envs, -1, np.int32)
        """Seat that moved in the last step, int32 (rows,); -1 before the first step."""
        self.seat: Array = np.zeros(self.num_envs, np.int32)
        """Seat that each row shows, int32 (rows,)."""
        self.payoffs: Array = np.zeros((self.num_envs, self.num_players), np.float32)
        """Each seat's payoff if the last step ended the game, else 0; float32 (rows, seats)."""
        self._masks: Array | None = None
        self._actions: npt.ArrayLike = ()
        self._returns = np.zeros(self.num_envs)
        self._lengths = np.zeros(self.num_envs, np.int64)
        self._started_at = time.time()

    def reset(self) -> Array:
        """Deal all games and return the observations (rows, size).

        Uses the seeds set by `seed`; without them the rows continue their streams.

        Raises:
            ConfigError: If options were set; there are none.
        """
        if any(self._options):
            raise ConfigError(f"expected no reset options, got {next(filter(None, self._options))!r}")
        seeds = [seed for seed in self._seeds if seed is not None]
        observations, infos = self.games.reset(seed=seeds or None)
        self._reset_seeds()
        self._masks, self.seat = infos["action_mask"].view(np.bool_), infos["seat"]
        self.reset_infos = [{"seat": seat} | _skipped(row, infos) for row, seat in enumerate(self.seat.tolist())]
        self.actor = np.full(self.num_envs, -1, np.int32)
        self.ended, self.payoffs = np.zeros_like(self.ended), np.zeros_like(self.payoffs)
        self._returns[:], self._lengths[:] = 0.0, 0
        return observations

    def step_async(self, actions: npt.ArrayLike) -> None:
        """Store the actions for `step_wait`, integers (rows,)."""
        self._actions = actions

    def step_wait(self) -> tuple[Array, Array, Array, list[dict[str, Any]]]:
        """Make one move in each row.

        Returns:
            Observations (rows, size), rewards float32 (rows,), dones bool (rows,) and a list of infos, one dict per row.

        Raises:
            ConfigError, IllegalPlayError, ResetNeeded: As `BatchEnv.step`.
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
        """Return the info of a game that ended, and reset the row's counts."""
        seconds = round(time.time() - self._started_at, 6)
        info = {
            "episode": {"r": self._return(row), "l": int(self._lengths[row]), "t": seconds},
            "terminal_observation": infos["final_obs"][row],
            "seat": int(self.actor[row]),
            "payoffs": self.payoffs[row].copy(),
            "TimeLimit.truncated": False,
        } | _skipped(row, infos)
        if infos["illegal"][row]:
            info["illegal"] = True
            self._warn("an illegal action ended a game; learners without masks, such as PPO, choose such actions")
        self._returns[row], self._lengths[row] = 0.0, 0
        return info

    def _warn(self, reason: str) -> None:
        """Warn once of a learner that does not suit this environment."""
        if not self._has_warned:
            self._has_warned = True
            warnings.warn(f"{reason}: {self._advice}", stacklevel=3)

    def _return(self, row: int) -> float:
        """Return the return of a finished game, as SB3 logs it."""
        return float(self._returns[row])

    def action_masks(self) -> npt.NDArray[np.bool_]:
        """Return the legal actions of all rows, bool (rows, actions)."""
        return self.games.action_masks() if self._masks is None else self._masks

    def close(self) -> None:
        """Release the threads."""
        self.games.close()

    def env_method(self, method_name: str, *method_args: Any, indices: Rows = None, **method_kwargs: Any) -> list[Any]:
        """Call `action_masks` for each row and return the list of results, each bool (actions,).

        Args:
            method_name: `"action_masks"`.
            *method_args: None are accepted.
            indices: Rows; `None` for all.
            **method_kwargs: None are accepted.

        Raises:
            AttributeError: If another method is called: rows are not separate environments.
        """
        if method_name != "action_masks" or method_args or method_kwargs:
            raise AttributeError(f"expected method 'action_masks' of a row, without arguments, got {method_name!r}")
        masks = self.action_masks()
        return list(masks) if indices is None else [masks[row] for row in self._get_indices(indices)]

    def get_attr(self, attr_name: str, indices: Rows = None) -> list[Any]:
        """Return an attribute of this environment once per row; all rows share it."""
        value = getattr(self, attr_name)
        return [value for _ in self._get_indices(indices)]

    def set_attr(self, attr_name: str, value: Any, indices: Rows = None) -> None:
        """Set an attribute of this environment.

        Raises:
            ConfigError: If only some rows are selected: all rows share the attribute.
        """
        if indices is not None and set(self._get_indices(indices)) != set(range(self.num_envs)):
            raise ConfigError(f"expected all rows, which share attribute {attr_name!r}, got rows {indices}")
        setattr(self, attr_name, value)

    def env_is_wrapped(self, wrapper_class: type[Any], indices: Rows = None) -> list[bool]:
        """Return whether rows are wrapped: true for `Monitor`, whose work they do, and false for everything else."""
        return [wrapper_class is Monitor for _ in self._get_indices(indices)]


def _skipped(row: int, infos: dict[str, Any]) -> dict[str, Any]:
    """Return a row's infos about games that ended before the learner's first turn; nothing in self-play."""
    return {name: infos[name][row].item() for name in SKIPPED if name in infos}


class SelfPlayVecEnv(GamesVecEnv):
    """SB3 `VecEnv` for self-play: each row shows the seat to move, and one policy plays all of the learner's seats.

    Train on it with `SelfPlayPPO`. The rewards of a row are the payoffs of the seats that moved; see the module's
    documentation.

    Args:
        num_envs: Number of rows.
        ruleset: Ruleset name, `RuleSet`, path to a ruleset file (`*.json`, `*.toml`) or `MODULE:NAME`.
        num_players: Number of players; `None` for the ruleset's default.
        scoring: `"winner"`, `"cards"` or a `Settlement`; `None` for the ruleset's own.
        dtype: Observation dtype, `"int8"` or `"float32"`.
        skip_forced: Pass automatically for a seat that has no other legal action.
        on_illegal: Response to an illegal action: `"terminate"` ends the game, `"raise"` raises `IllegalPlayError`.
            Policies with masks make legal moves only.
        illegal_reward: Reward of an illegal action.
        threads: Number of threads that share the rows; useful from a few thousand rows.
        opponents: Opponent pool: a `League`, or any number of opponents as of `SeatVecEnv`, drawn with equal probability.
            Empty: all seats are the learner's.
        share: Fraction of games with an opponent, 0 to 1.
        agent_seed: Number from 0 to 2**63 - 1 for other random choices of opponents in the same games; `None` for none.
        shaping: Shaping that `SelfPlayPPO` adds to each seat's rewards (see `big2_env.envs.shaping`). The rewards of rows
            are not shaped.

    Raises:
        ConfigError: If an argument is invalid.
    """

    _advice = "learn by SelfPlayPPO, evaluate on SeatVecEnv"

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
        agent_seed: int | None = None,
        shaping: str | Potential | Shaping | None = None,
    ) -> None:
        super().__init__(
            num_envs,
            mode="self_play",
            agent_seed=agent_seed,
            ruleset=ruleset,
            num_players=num_players,
            scoring=scoring,
            dtype=dtype,
            skip_forced=skip_forced,
            on_illegal=on_illegal,
            illegal_reward=illegal_reward,
            threads=threads,
        )
        self.is_by_seat = False
        """True if a `SeatRolloutBuffer` splits the rows by seat."""
        self.shaper = None if shaping is None else Shaper(shaping, self.games.layout)
        """Shaping of the seats' rewards."""
        self.pool = OpponentPool(self.games.engine, opponents, share)
        """Players of the seats that are not the learner's."""
        self.was_own: Array = np.ones(self.num_envs, np.bool_)
        """Bool (rows,), true if the learner made the last step's move."""
        self.seen: Array = np.zeros(0)
        """Observations before wrappers, int8 or float32 (rows, size)."""

    def reset(self) -> Array:
        """Deal all games, draw the opponents' seats and return the observations (rows, size)."""
        self.seen = super().reset()
        self.pool.deal(np.arange(self.num_envs))
        self.was_own = np.ones(self.num_envs, np.bool_)
        return self.seen

    def step_async(self, actions: npt.ArrayLike) -> None:
        """Store the actions for `step_wait`, integers (rows,). On opponents' turns their own actions are used instead.

        Raises:
            ConfigError: If an opponent does not return one action per row.
            IllegalPlayError: If an opponent makes an illegal move.
        """
        self.pool.keep_history()
        self.was_own = self.pool.is_own[np.arange(self.num_envs), self.seat]
        if not self.was_own.all():
            rows, actions = np.flatnonzero(~self.was_own), np.array(actions)
            actions[rows] = self.pool.play(rows)
        super().step_async(actions)

    def step_wait(self) -> tuple[Array, Array, Array, list[dict[str, Any]]]:
        """Make one move in each row as `GamesVecEnv.step_wait` does, and draw the opponents' seats in new games."""
        self.seen, rewards, ended, infos = super().step_wait()
        self.pool.deal(np.flatnonzero(ended))
        return self.seen, rewards, ended, infos

    def _return(self, row: int) -> float:
        """Return the mean payoff of the learner's seats."""
        return float(self.payoffs[row, self.pool.is_own[row]].mean())

    def env_method(self, method_name: str, *method_args: Any, indices: Rows = None, **method_kwargs: Any) -> list[Any]:
        """Call `action_masks` for each row, as `GamesVecEnv.env_method` does.

        sb3-contrib asks for masks through this method. Without `SelfPlayPPO` it warns once, after the first game has
        ended.
        """
        if self.ended.any() and not self.is_by_seat:
            self._warn("rewards along a row of SelfPlayVecEnv are those of the seat that acted, never a loss")
        return super().env_method(method_name, *method_args, indices=indices, **method_kwargs)


class SeatVecEnv(GamesVecEnv):
    """SB3 `VecEnv` in which each row is one learner's seat against opponents, for `MaskablePPO` and `evaluate_policy`.

    The reward is the learner's payoff at the end of a game, no matter which seat ended it.

    Args:
        num_envs: Number of rows.
        opponents: One opponent for all other seats, or a sequence with one per seat after the learner's. Each is an
            agent's name, an agent, a class or function that makes one, a `League`, or a batch function
            `opponent(observations, masks, rng) -> actions`, for example a `PolicyOpponent`.
        seat: The learner's seat: `"rotate"` (from deal to deal), `"random"`, or a number.
        agent_seed: Number from 0 to 2**63 - 1 for other random choices of opponents in the same games; `None` for none.
        shaping: `"cards_left"`, `"race"`, a function of observations or a `Shaping` (see `big2_env.envs.shaping`); `None`
            for unshaped rewards.
        ruleset: Ruleset name, `RuleSet`, path to a ruleset file (`*.json`, `*.toml`) or `MODULE:NAME`.
        num_players: Number of players; `None` for the ruleset's default.
        scoring: `"winner"`, `"cards"` or a `Settlement`; `None` for the ruleset's own.
        dtype: Observation dtype, `"int8"` or `"float32"`.
        skip_forced: Pass automatically for a seat that has no other legal action. The learner's first turn of a game is
            always shown.
        on_illegal: Response to an illegal action: `"terminate"` ends the game, `"raise"` raises `IllegalPlayError`.
        illegal_reward: Reward of an illegal action.
        threads: Number of threads that share the rows; useful from a few thousand rows.

    Raises:
        ConfigError: If an argument is invalid.
    """

    def __init__(
        self,
        num_envs: int = 128,
        opponents: OpponentLike | Sequence[OpponentLike] = "random",
        *,
        seat: int | str = "rotate",
        agent_seed: int | None = None,
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
            num_envs,
            mode="seat",
            opponents=opponents,
            seat=seat,
            agent_seed=agent_seed,
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

    def _end(self, row: int, infos: dict[str, Any]) -> dict[str, Any]:
        info = super()._end(row, infos)
        return info | {"is_success": bool(info["payoffs"][info["seat"]] > 0)}


class SelfPlayPPO(MaskablePPO):
    """`MaskablePPO` for `SelfPlayVecEnv`: every seat learns from its own trajectory and its own payoffs.

    It takes the arguments of `MaskablePPO`. One step of `gamma` is one decision of a seat. Since a game has about ten
    decisions per seat and pays only at its end, `gamma=1.0` is a good choice. Saved models can be loaded without an
    environment for prediction.

    Raises:
        ConfigError: If the environment is not a `SelfPlayVecEnv`.
    """

    def _setup_model(self) -> None:
        if self.rollout_buffer_class is None:
            self.rollout_buffer_class = SeatRolloutBuffer
        super()._setup_model()
        self._attach()

    def set_env(self, env: Any, force_reset: bool = True) -> None:
        """Set the environment, which must have the same number of rows as the previous one."""
        super().set_env(env, force_reset)
        self._attach()

    def _attach(self) -> None:
        buffer = getattr(self, "rollout_buffer", None)
        if self.env is not None and isinstance(buffer, SeatRolloutBuffer):
            buffer.attach(self.env)
