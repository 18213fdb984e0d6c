"""Gymnasium environment for one seat of UNO: the learner plays against given opponents.

    import big2_env, gymnasium
    env = gymnasium.make("big2/Uno-v0", players=2, opponents="automatic")

`big2_env.games.uno.aec` describes actions, masks and observations. `infos["action_mask"]` is int8 `(62,)`, and `action_masks()`
returns the mask as bool. `infos["seat"]` is the learner's seat. Opponents move inside `reset` and `step`.

| argument | default | meaning |
| --- | --- | --- |
| `opponents` | `"random"` | a player's name: `"random"`, `"automatic"` (the player of `big2_env.games.uno.players`), `"learned"`, `"search"`, `"search:100"`, `"rule-v1"`; or a function `(view, rng) -> action`; or a list with an entry for each seat after the learner's |
| `seat` | `"random"` | learner's seat: `"random"` (drawn for every game), `"rotate"` (seat 0, then the next one from game to game) or a number |
| `rules` | `"table"` | `UnoRules`, or the name of a preset |
| `agent_seed` | `None` | number from 0 to 2**63 - 1 for other random choices of opponents in the same games |
| `scoring` | `"winner"` | or `"points"` |
| `on_illegal` | `"terminate"` | an illegal action ends the episode with `illegal_reward` and the reason in `infos["illegal"]`; `"raise"`: it raises and changes nothing |
| `illegal_reward` | `-1.0` | reward of an illegal action |
| `render_mode` | `None` | `"ansi"`: `render` returns the moves so far; `"human"`: moves are printed as they happen; `"svg"`: a picture of the table as the learner sees it; `"rgb_array"`: the same as pixels, uint8 (600, 960, 3), with the extra `pictures` |
| others | | any field of `UnoRules`, such as `players=4` |

The reward is the learner's payoff at the end of the game and 0 before; `infos["payoffs"]` has the payoffs of all seats. A game
that ends before the learner's first turn is dealt again; `infos["skipped_games"]` of `reset` counts such games, and
`infos["skipped_payoff"]` sums their payoffs for the learner. The same seed and actions give the same episode.
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
    """Gymnasium environment for one seat of UNO; the module docstring describes arguments, spaces and rewards.

    Args:
        opponents: Player for all other seats, or a list with one per seat, starting after the learner's.
        rules: Rules of the game, or the name of a preset.
        seat: Learner's seat: `"random"`, `"rotate"` or a number.
        agent_seed: Number for other random choices of opponents in the same games; `None` for none.
        scoring: `"winner"` or `"points"`.
        on_illegal: `"terminate"` or `"raise"`.
        illegal_reward: Reward of an illegal action that terminates the episode.
        render_mode: `None`, `"ansi"`, `"human"`, `"svg"` or `"rgb_array"`.
        **changes: Fields of `UnoRules` to change, such as `players=4`.

    Raises:
        ConfigError: An argument is invalid.
    """

    def __init__(
        self,
        opponents: Opponent | Sequence[Opponent] = "random",
        *,
        rules: str | UnoRules = "table",
        seat: int | str = "random",
        agent_seed: int | None = None,
        scoring: str = "winner",
        on_illegal: str = "terminate",
        illegal_reward: float = -1.0,
        render_mode: str | None = None,
        **changes: Any,
    ) -> None:
        self.rules = uno_rules(rules, **changes)
        """Rules of the game."""
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
