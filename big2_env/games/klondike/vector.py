"""Vector environment for Klondike: many games at once in compiled code.

    import big2_env, gymnasium
    envs = gymnasium.make_vec("big2/Klondike-v0", num_envs=1024)

Every row has one game. `big2_env.games.klondike.env` describes actions, masks, observations, rewards and the end of episodes.
`big2_env.envs.vector` describes seeds, resets, `legal_ids()`, `action_masks()`, `random_actions()` and `step_into()`.
The output of `step_into` does not distinguish truncated from terminated games.

| argument | default | meaning |
| --- | --- | --- |
| `num_envs` | `1` | number of rows |
| `reward` | `"win"` | or `"score"` |
| `max_moves` | `1000` | number of actions after which a game is truncated |
| `max_episode_steps` | `None` | a lower limit than `max_moves`, as `gymnasium.make` has it |
| `dtype`, `autoreset_mode`, `on_illegal`, `illegal_reward`, `copy`, `threads` | | see `big2_env.envs.vector` |
| `render_mode` | `None` | `"rgb_array"`: `render` returns a picture of each row, uint8 (760, 860, 3), with the extra `pictures`; `"svg"`: one SVG document with the tables of the first 16 rows |

| info | dtype, shape | meaning |
| --- | --- | --- |
| `action_mask` | int8 (N, 417) | legal actions; all 0 if the game is over |
| `score` | int32 (N,) | score of the current game; includes the final bonus once it is won |
| `is_won` | bool (N,) | True if the game is won |
| `stuck` | bool (N,) | True if the game ended because only deals were left and every card of the dealer area had been seen |
| `illegal` | bool (N,) | True if the last action was illegal; absent after `reset` |
| `final_obs` | object (N,) | in mode `SAME_STEP`, after games ended: their last observation; `None` for other rows |
| `final_info` | dict | together with `final_obs`: `score`, `is_won` and `stuck` of the games that ended |

Row i is seeded by `seed + i`. The same seed gives the same games for any number of rows and threads.
"""  # noqa: E501

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from gymnasium.vector import AutoresetMode

from big2_env.base.scene import Scene
from big2_env.envs.options import checked_steps
from big2_env.envs.rows_env import Array, RowsEnv, by_row
from big2_env.envs.screen import PICTURE_MODES, check_render_mode
from big2_env.games.klondike.game import check_episode
from big2_env.games.klondike.kernels.dtypes import TRUNCATED
from big2_env.games.klondike.kernels.engine import KlondikeBatchEngine
from big2_env.games.klondike.scene import view_scene
from big2_env.games.klondike.view import KlondikeView


class KlondikeBatchEnv(RowsEnv[KlondikeBatchEngine]):
    """Vector environment with one game of Klondike per row; the module docstring describes spaces and infos.

    Args:
        num_envs: Number of rows.
        reward: `"win"` (1 for a win) or `"score"` (change of the score).
        max_moves: Number of actions after which a game is truncated.
        dtype: Type of the observation, int8 or float32.
        autoreset_mode: Gymnasium's autoreset mode.
        on_illegal: `"terminate"` or `"raise"`.
        illegal_reward: Reward of an illegal action that terminates the game.
        copy: False to return the engine's own arrays, which the next step overwrites.
        render_mode: `None`, `"svg"` or `"rgb_array"`.
        threads: Number of threads that step the games.
        max_episode_steps: Moves after which a game is truncated, if fewer than `max_moves`; `None` for `max_moves`.

    Raises:
        ConfigError: An argument is invalid.
    """

    def __init__(
        self,
        num_envs: int = 1,
        *,
        reward: str = "win",
        max_moves: int = 1000,
        dtype: npt.DTypeLike = "int8",
        autoreset_mode: AutoresetMode | str = AutoresetMode.SAME_STEP,
        on_illegal: str = "terminate",
        illegal_reward: float = -1.0,
        copy: bool = True,
        render_mode: str | None = None,
        threads: int = 1,
        max_episode_steps: int | None = None,
    ) -> None:
        self.render_mode = check_render_mode(render_mode, PICTURE_MODES)
        options: dict[str, Any] = {"dtype": dtype, "threads": threads, "may_interpret": True}
        check_episode(reward, max_moves)
        limit = min(max_moves, checked_steps(max_episode_steps) or max_moves)
        engine = KlondikeBatchEngine(num_envs, reward=reward, max_moves=limit, **options)
        super().__init__(engine, autoreset_mode, on_illegal, illegal_reward, copy)

    def random_actions(self) -> Array:
        """Return a random legal action for each row, from a generator that `reset(seed)` seeds."""
        self._check_started("random_actions()")
        return self._out(self.engine.random_actions())

    def scene(self, row: int) -> Scene:
        """Return the scene of a row, as its player sees it."""
        return view_scene(KlondikeView.of(self.engine.position(row)))

    def _truncated(self, status: Array) -> Array:
        truncated: Array = status == TRUNCATED
        return truncated

    def _reset_infos(self) -> dict[str, Any]:
        games = self.engine.games
        return {"score": games.score.copy(), "is_won": self.engine.is_won, "stuck": games.stuck.copy()}

    def _step_infos(self, ended: Array) -> dict[str, Any]:
        return self._reset_infos()

    def _final_infos(self, ended: Array) -> dict[str, Any]:
        games = self.engine.games
        last = {"score": games.last_score, "is_won": games.last_won, "stuck": games.last_stuck}
        final_info = {name: np.where(ended, found, 0).astype(found.dtype) for name, found in last.items()}
        final_info |= {f"_{name}": ended.copy() for name in last}
        final_obs = self.engine.final_observation
        return {
            "final_obs": by_row(final_obs, ended) if self.copy else final_obs,
            "_final_obs": ended.copy(),
            "final_info": final_info,
            "_final_info": ended.copy(),
        }
