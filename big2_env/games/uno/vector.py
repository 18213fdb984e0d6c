"""Many games of UNO at once, as a Gymnasium vector environment: the page of `UnoBatchEnv`.

    import big2_env, gymnasium
    envs = gymnasium.make_vec("big2/Uno-v0", num_envs=1024, players=2)

A row is a game and shows the seat to move; a step makes that seat's act: one policy plays all seats. Actions, masks and observations
are those of `big2_env.games.uno.aec`; rewards, infos, seeds, `legal_ids()`, `action_masks()`, `random_actions()`, `step_into()` and the ways to reset are those
of `big2_env.envs.vector` with `mode="self_play"`.

| argument | default | meaning |
| --- | --- | --- |
| `num_envs` | `1` | rows |
| `rules` | `"table"` | `UnoRules`, or the name of a preset |
| `scoring` | `"winner"` | or `"points"` |
| `dtype`, `autoreset_mode`, `on_illegal`, `illegal_reward`, `copy`, `threads` | | as in `big2_env.envs.vector` |
| others | | any field of `UnoRules`, as `players=4` |

Same seed, same games: row i is seeded by `seed + i`, whatever the number of rows and threads.
"""  # noqa: E501

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from gymnasium.vector import AutoresetMode

from big2_env.envs.vector import BatchEnv
from big2_env.games.uno.kernels.engine import UnoBatchEngine
from big2_env.games.uno.rules import UnoRules, uno_rules


class UnoBatchEnv(BatchEnv):
    """Many games of UNO, a row each; see the module's page.

    Raises:
        ConfigError: an argument that cannot be served.
    """

    def __init__(
        self,
        num_envs: int = 1,
        *,
        rules: str | UnoRules = "table",
        scoring: str = "winner",
        dtype: npt.DTypeLike = "int8",
        autoreset_mode: AutoresetMode | str = AutoresetMode.SAME_STEP,
        on_illegal: str = "terminate",
        illegal_reward: float = -1.0,
        copy: bool = True,
        threads: int = 1,
        **changes: Any,
    ) -> None:
        self.rules = uno_rules(rules, **changes)
        """The games' rules."""
        self.mode = "self_play"
        self._set_options(num_envs, autoreset_mode, on_illegal, illegal_reward, copy)
        self._games = UnoBatchEngine(self.rules, num_envs, scoring=scoring, dtype=dtype, threads=threads)
        engine: Any = self._games
        self.engine = engine
        self._set_spaces()

    def random_actions(self) -> npt.NDArray[np.int64]:
        """A random legal action of each row, int64 (N,), 0 where a game is over, from a stream that `reset(seed)` starts anew.

        With `copy=False` the array is written over by the next call.
        """
        self._check_started("random_actions()")
        return self._out(self._games.random_actions())
