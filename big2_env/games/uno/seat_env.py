"""One seat of UNO against given opponents, as a Gymnasium environment: the page of `UnoSeatEnv`.

    import big2_env, gymnasium
    env = gymnasium.make("big2/Uno-v0", players=2, opponents="automatic")

Actions, masks and observations are those of `big2_env.games.uno.aec`. The mask is `infos["action_mask"]`, int8 `(62,)`, and
`action_masks()`, bool; `infos["seat"]` is the learner's seat. The opponents act inside `reset` and `step`.

| argument | default | meaning |
| --- | --- | --- |
| `opponents` | `"random"` | a name: `"random"`, `"automatic"` (the player of `big2_env.games.uno.players`), `"learned"`, `"search"`, `"search:100"`, `"rule-v1"`; or a function `(view, rng) -> act`; one for all, or a list with one for each seat after the learner's |
| `seat` | `"random"` | the learner's seat: drawn for every game; or `"rotate"`: seat 0 first, then the next from game to game; or a number |
| `rules` | `"table"` | `UnoRules`, or the name of a preset |
| `agent_seed` | `0` | another number gives the opponents other random choices; they follow from it and from what each seat sees |
| `scoring` | `"winner"` | or `"points"` |
| `on_illegal` | `"terminate"` | an illegal act ends the episode with `illegal_reward`, and the reason is in `infos["illegal"]`; `"raise"`: it raises and changes nothing |
| `illegal_reward` | `-1.0` | what an illegal act brings |
| `render_mode` | `None` | `"ansi"`: `render` returns the acts so far; `"human"`: they are printed as they happen; `"svg"`: a picture of the table as the learner sees it; `"rgb_array"`: the same as pixels, uint8 (600, 960, 3), with the extra `pictures` |
| others | | any field of `UnoRules`, as `players=4` |

The reward is the learner's payoff at the end of the game, 0 before; `infos["payoffs"]` are those of all seats. A game that ends
before the learner's first turn is dealt anew. Same seed and acts, same episode.
"""  # noqa: E501

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from big2_env.envs.side_seat import Opponent, SideSeatEnv
from big2_env.games.uno.game import UnoGame
from big2_env.games.uno.observation import windows_of
from big2_env.games.uno.rules import UnoRules, uno_rules


class UnoSeatEnv(SideSeatEnv):
    """One learner's seat of UNO against given opponents; see the module's page.

    Raises:
        ConfigError: an argument that cannot be served.
    """

    def __init__(
        self,
        opponents: Opponent | Sequence[Opponent] = "random",
        *,
        rules: str | UnoRules = "table",
        seat: int | str = "random",
        agent_seed: int = 0,
        scoring: str = "winner",
        on_illegal: str = "terminate",
        illegal_reward: float = -1.0,
        render_mode: str | None = None,
        **changes: Any,
    ) -> None:
        self.rules = uno_rules(rules, **changes)
        """The game's rules."""
        self.layout = windows_of(self.rules)[0]
        super().__init__(
            partial(UnoGame.deal, self.rules),
            opponents,
            seat=seat,
            agent_seed=agent_seed,
            scoring=scoring,
            on_illegal=on_illegal,
            illegal_reward=illegal_reward,
            render_mode=render_mode,
        )
