"""UNO as a PettingZoo environment: the page of `env` and `raw_env`.

| | |
| --- | --- |
| Creation | `from big2_env.games.uno.aec import env, raw_env` or `pettingzoo.make("aec", "big2/Uno-v0")` (PettingZoo 1.27) |
| Actions | Discrete |
| Parallel API | no: strict turns |
| Agents | `player_0` to `player_13`, by default two: the seats |
| Action shape, values | Discrete(62) |
| Observation shape, values | (406,) for two players, 0 or 1 |

## Description

Each player gets 7 of 108 cards, and a card is turned up. In turn a player plays a card of the colour or the face in force, or a wild
card, which names a colour, or draws a card from the pile. Drawing and playing are consecutive acts: whoever draws a card that fits
stays selected, and plays it or keeps it. The first empty hand, or an empty pile, ends the game; the lowest score wins. Every rule is
an argument (`big2_env.games.uno.rules`); `rules="article"` ends the turn with the draw.

`env` is `raw_env` in PettingZoo's usual wrappers: an illegal act ends the game with -1 for who made it and 0 for the others.
`raw_env` checks every act as well, and raises instead.

## Action Space

`Discrete(62)` under all rules: 0 to 59 play the card `colour * 15 + face` (a wild card under the colour that it names), 60 draws, 61
keeps the card just drawn. Colours are red, yellow, blue, green; faces 0 to 9, skip, reverse, draw two, wild, wild draw four.

## Observation Space

A dict of `observation`, int8, and `action_mask`, int8. `raw_env().layout.named(observation)` gives the windows, of
`big2_env.games.uno.observation.UnoLayout`; seats stand by their distance from the viewer in the order of the seats. `state()` has all hands
and the pile, by `raw_env().state_layout`.

## Legal Actions Mask

`action_mask`, int8 `(62,)`: 1 for each legal act. All zero for every agent but the one to move, and for everyone after the end; never
all zero for the one to move.

## Rewards

0 until the game ends; then every agent gets its payoff, whoever made the last act. `scoring="winner"`: +1 for the winner and
-1 / (players - 1) for each loser; `"points"`: each loser pays what its score exceeds the lowest one by. Ties share.

## Arguments

| argument | default | meaning |
| --- | --- | --- |
| `rules` | `"table"` | `UnoRules`, or the name of a preset: `table`, `article`, `letter`, `mattel`, `rlcard` |
| `scoring` | `"winner"` | or `"points"` |
| `render_mode` | `None` | `"ansi"`: `render` returns the acts so far; `"human"`: they are printed as they happen; `"svg"`: a picture of the table with all hands open; `"rgb_array"`: the same as pixels, uint8 (600, 960, 3), with the extra `pictures` |
| others | | any field of `UnoRules`, as `players=4` |

`reset(seed)` seeds the environment's own generator, from which every deal's seed is drawn. `reset(options={"deck": cards})` deals
from a given deck, the top last, a text or card numbers.

## Version History

* v0: first version.
"""  # noqa: E501

from __future__ import annotations

from typing import Any

from pettingzoo import AECEnv

from big2_env.envs.aec_base import wrap
from big2_env.envs.options import items_of
from big2_env.envs.side_aec import SideAEC
from big2_env.games.uno.cards import parse_cards
from big2_env.games.uno.game import UnoGame
from big2_env.games.uno.kernel_game import KernelUnoGame
from big2_env.games.uno.observation import windows_of
from big2_env.games.uno.rules import UnoRules, uno_rules


def env(**kwargs: Any) -> AECEnv:
    """`raw_env` with the same arguments, in PettingZoo's usual wrappers."""
    return wrap(raw_env(**kwargs))


class raw_env(SideAEC):  # noqa: N801  # as PettingZoo names it
    """The environment itself; see the module's page. It pickles and copies together with its game.

    Raises:
        ConfigError: an argument that cannot be served.
    """

    metadata = SideAEC.metadata | {"name": "uno_v0"}

    def __init__(
        self,
        rules: str | UnoRules = "table",
        *,
        scoring: str = "winner",
        render_mode: str | None = None,
        **changes: Any,
    ) -> None:
        self.rules = uno_rules(rules, **changes)
        """The game's rules."""
        self.layout, self.state_layout = windows_of(self.rules)
        super().__init__(KernelUnoGame(self.rules), scoring=scoring, render_mode=render_mode, set_up={"deck": self._of_deck})

    def _of_deck(self, deck: Any, stream: int) -> UnoGame:
        """The game of a deck that the reset options give."""
        return UnoGame(self.rules, parse_cards(deck) if isinstance(deck, str) else items_of(deck, "deck"), stream)
