"""Many games of Klondike at once, as a Gymnasium vector environment: the page of `KlondikeBatchEnv`.

    import big2_env, gymnasium
    envs = gymnasium.make_vec("big2/Klondike-v0", num_envs=1024)

A row is a game of one player. Actions, masks, observations, rewards and the ends of episodes are those of
`big2_env.games.klondike.env`; seeds, `legal_ids()`, `action_masks()`, `random_actions()`, `step_into()` and the ways to reset are those
of `big2_env.envs.vector`. `step_into` does not tell a game that was broken off from one that ended.

| argument | default | meaning |
| --- | --- | --- |
| `num_envs` | `1` | rows |
| `reward` | `"win"` | or `"score"` |
| `max_acts` | `1000` | a game is truncated after so many acts |
| `dtype`, `autoreset_mode`, `on_illegal`, `illegal_reward`, `copy`, `threads` | | as in `big2_env.envs.vector` |
| `render_mode` | `None` | `"rgb_array"`: `render` returns a picture of each row, uint8 (760, 860, 3), with the extra `pictures`; `"svg"`: one SVG document with the first 16 rows' tables |

| info | dtype, shape | meaning |
| --- | --- | --- |
| `action_mask` | int8 (N, 417) | the legal acts; all 0 where the game is over |
| `score` | int32 (N,) | the score of the game shown; once it is won, with what the cards left add |
| `is_won` | bool (N,) | whether that game is won |
| `stuck` | bool (N,) | whether it ended because nothing but dealing was left |
| `illegal` | bool (N,) | whether this step's act was not legal. Not after `reset` |
| `final_obs` | object (N,) | `SAME_STEP`, where games ended: the observation at the end, else `None` |
| `final_info` | dict | with `final_obs`: `score`, `is_won` and `stuck` of the games that ended |

Same seed, same games: row i is seeded by `seed + i`, whatever the number of rows and threads.
"""  # noqa: E501

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from gymnasium.vector import AutoresetMode

from big2_env.envs.rows_env import Array, RowsEnv, by_row
from big2_env.envs.screen import PICTURE_MODES, check_render_mode
from big2_env.games.klondike.kernels.dtypes import TRUNCATED
from big2_env.games.klondike.kernels.engine import KlondikeBatchEngine
from big2_env.games.klondike.scene import view_scene
from big2_env.games.klondike.view import KlondikeView
from big2_env.scene import Scene


class KlondikeBatchEnv(RowsEnv[KlondikeBatchEngine]):
    """Many games of Klondike, a row each; see the module's page.

    Raises:
        ConfigError: an argument that cannot be served.
    """

    def __init__(
        self,
        num_envs: int = 1,
        *,
        reward: str = "win",
        max_acts: int = 1000,
        dtype: npt.DTypeLike = "int8",
        autoreset_mode: AutoresetMode | str = AutoresetMode.SAME_STEP,
        on_illegal: str = "terminate",
        illegal_reward: float = -1.0,
        copy: bool = True,
        render_mode: str | None = None,
        threads: int = 1,
    ) -> None:
        self.render_mode = check_render_mode(render_mode, PICTURE_MODES)
        engine = KlondikeBatchEngine(num_envs, reward=reward, max_acts=max_acts, dtype=dtype, threads=threads)
        super().__init__(engine, autoreset_mode, on_illegal, illegal_reward, copy)

    def random_actions(self) -> Array:
        """As of any rows, drawn from a stream that `reset(seed)` starts anew."""
        self._check_started("random_actions()")
        return self._out(self.engine.random_actions())

    def scene(self, row: int) -> Scene:
        """What the player of a row may know."""
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
