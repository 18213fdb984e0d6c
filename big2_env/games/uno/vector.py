"""Many games of UNO at once, as a Gymnasium vector environment: the page of `UnoBatchEnv`.

    import big2_env, gymnasium
    envs = gymnasium.make_vec("big2/Uno-v0", num_envs=1024, players=2, opponents="automatic")

By default (`mode="seat"`) a row is one learner's: the opponents act inside a step, and the reward is the learner's own payoff. That
is the learning problem of `gymnasium.make(ID)`. With `mode="self_play"`, or by the id `big2/UnoSelfPlay-v0`, a row shows the seat to
move, and a step makes that seat's act: one policy plays all seats.

Actions, masks and observations are those of `big2_env.games.uno.aec`; rewards, infos, seeds, `legal_ids()`, `action_masks()`, `random_actions()`,
`step_into()` and the ways to reset are those of `big2_env.envs.vector`.

| argument | default | meaning |
| --- | --- | --- |
| `num_envs` | `1` | rows |
| `rules` | `"table"` | `UnoRules`, or the name of a preset |
| `mode` | `"seat"` | or `"self_play"` |
| `opponents` | `"random"` | seat mode: `"random"` or `"automatic"`, compiled; one for all, or a list with one for each seat after the learner's. The other players of `big2_env.games.uno.seat_env` and functions play in `gymnasium.make`, and in `make_vec(..., vectorization_mode="sync")` |
| `seat` | `"rotate"` | seat mode: the learner's seat goes round from deal to deal, beginning with the row's number; or `"random"`; or a number |
| `agent_seed` | `0` | seat mode: another number gives random opponents other choices; they follow from it and from what each seat sees |
| `scoring` | `"winner"` | or `"points"` |
| `dtype`, `autoreset_mode`, `on_illegal`, `illegal_reward`, `copy`, `threads` | | as in `big2_env.envs.vector` |
| `render_mode` | `None` | `"rgb_array"`: `render` returns a picture of each row, uint8 (600, 960, 3), with the extra `pictures`; `"svg"`: one SVG document with the first 16 rows' tables. In self-play all hands lie open, in seat mode the learner's alone |
| others | | any field of `UnoRules`, as `players=4` |

A game that ends before the learner's first turn is dealt anew. Same seed, same games: row i is seeded by `seed + i`, whatever the
number of rows and threads.
"""  # noqa: E501

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy.typing as npt
from gymnasium.vector import AutoresetMode

from big2_env.envs.rows_env import MODES, Array, RowsEnv
from big2_env.envs.screen import PICTURE_MODES, check_render_mode
from big2_env.errors import ConfigError
from big2_env.games.uno.kernels.engine import UnoBatchEngine
from big2_env.games.uno.kernels.learners import OPPONENTS
from big2_env.games.uno.row_view import row_scene
from big2_env.games.uno.rules import UnoRules, uno_rules
from big2_env.kernels.opponents import one_each
from big2_env.scene import Scene


class UnoBatchEnv(RowsEnv[UnoBatchEngine]):
    """Many games of UNO, a row each; see the module's page.

    Raises:
        ConfigError: an argument that cannot be served.
    """

    def __init__(
        self,
        num_envs: int = 1,
        *,
        rules: str | UnoRules = "table",
        mode: str = "seat",
        opponents: str | Sequence[str] = "random",
        seat: int | str = "rotate",
        agent_seed: int = 0,
        scoring: str = "winner",
        dtype: npt.DTypeLike = "int8",
        autoreset_mode: AutoresetMode | str = AutoresetMode.SAME_STEP,
        on_illegal: str = "terminate",
        illegal_reward: float = -1.0,
        copy: bool = True,
        render_mode: str | None = None,
        threads: int = 1,
        **changes: Any,
    ) -> None:
        self.rules = uno_rules(rules, **changes)
        self.mode = mode
        self.render_mode = check_render_mode(render_mode, PICTURE_MODES)
        options: dict[str, Any] = {"scoring": scoring, "dtype": dtype, "threads": threads}
        if mode == "seat":
            options |= {"opponents": _opponents_of(opponents, self.rules.players - 1), "seat": seat, "agent_seed": agent_seed}
        elif mode != "self_play":
            raise ConfigError(f"expected mode {' or '.join(map(repr, MODES))}, got {mode!r}")
        elif opponents != "random" or seat != "rotate" or agent_seed:
            raise ConfigError("opponents, seat and agent_seed need mode='seat'")
        super().__init__(UnoBatchEngine(self.rules, num_envs, **options), autoreset_mode, on_illegal, illegal_reward, copy)

    def random_actions(self) -> Array:
        """As of any rows, drawn from a stream that `reset(seed)` starts anew."""
        self._check_started("random_actions()")
        return self._out(self.engine.random_actions())

    def scene(self, row: int) -> Scene:
        """What a row's picture shows."""
        return row_scene(self.engine, row, open_hands=self.mode == "self_play")


def _opponents_of(given: Any, number: int) -> list[str]:
    """The opponents that were given, one for all or one for each.

    Raises:
        ConfigError: another number of them, or one that is not compiled.
    """
    several = one_each(given, number)
    for one in several:
        if not isinstance(one, str) or one not in OPPONENTS:
            raise ConfigError(
                f"expected opponents {' or '.join(map(repr, OPPONENTS))} (other players and functions play in gymnasium.make, "
                f"and in make_vec with vectorization_mode='sync'), got {one!r}"
            )
    return several
