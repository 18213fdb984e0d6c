"""UNO as a PettingZoo AEC environment: `env` and `raw_env`.

| | |
| --- | --- |
| Creation | `from big2_env.games.uno.aec import env, raw_env` or `pettingzoo.make("aec", "big2/Uno-v0")` (PettingZoo 1.27) |
| Actions | Discrete |
| Parallel API | no: strict turns |
| Agents | `player_0` to `player_13`, one per seat; two by default |
| Action shape, values | Discrete(62) |
| Observation shape, values | (406,) for two players, 0 or 1 |

## Description

Each player gets 7 of 108 cards, and the next card is turned up. On its turn a player plays a card that matches the current color
or face, plays a wild card and names a color, or draws a card. Drawing and playing are separate actions: a player who draws a
playable card stays selected, and plays or keeps it. The game ends when a hand or the pile is empty; the lowest score wins. Every
rule is an argument (`big2_env.games.uno.rules`). With `rules="article"` a draw ends the turn.

`env` is `raw_env` in PettingZoo's usual wrappers: an illegal action ends the game with -1 for its player and 0 for the others.
`raw_env` also checks every action, and raises instead.

## Action Space

`Discrete(62)` for all rules: 0 to 59 play the card `colour * 15 + face` (for a wild card, under the color that it names), 60
draws, and 61 keeps the card just drawn. Colors are red, yellow, blue, green; faces are 0 to 9, skip, reverse, draw two, wild,
wild draw four.

## Observation Space

A dict of `observation`, int8, and `action_mask`, int8. `raw_env().layout.named(observation)` splits the observation into named
windows (`big2_env.games.uno.observation.UnoLayout`). Seats are ordered by distance from the viewer. `state()` contains all hands
and the pile, in the layout `raw_env().state_layout`.

## Legal Actions Mask

`action_mask`, int8 `(62,)`: 1 for each legal action. The agent to move always has a legal action. The mask is all zero for other
agents, and for all agents after the end.

## Rewards

0 until the game ends; then every agent gets its payoff, no matter who made the last move. `scoring="winner"`: +1 for the winner
and -1 / (players - 1) for each loser. `scoring="points"`: each loser pays the difference between its score and the lowest one.
Tied winners share.

## Arguments

| argument | default | meaning |
| --- | --- | --- |
| `rules` | `"table"` | `UnoRules`, or the name of a preset: `table`, `article`, `letter`, `mattel`, `rlcard` |
| `scoring` | `"winner"` | or `"points"` |
| `render_mode` | `None` | `"ansi"`: `render` returns the moves so far; `"human"`: moves are printed as they happen; `"svg"`: a picture of the table with all hands open; `"rgb_array"`: the same as pixels, uint8 (600, 960, 3), with the extra `pictures` |
| others | | any field of `UnoRules`, such as `players=4` |

`reset(seed)` seeds the environment's generator, which draws the seed of every deal. `reset(options={"deck": cards})` deals from a
given deck, with the top card last, as text or card numbers.

## Version History

* v0: first version.
"""  # noqa: E501

from __future__ import annotations

from typing import Any

from big2_env.envs.aec_base import Env, Wrapped
from big2_env.envs.options import items_of
from big2_env.envs.side_aec import SideAEC
from big2_env.games.uno.cards import parse_cards
from big2_env.games.uno.game import UnoGame
from big2_env.games.uno.kernel_game import KernelUnoGame
from big2_env.games.uno.observation import windows_of
from big2_env.games.uno.rules import UnoRules, uno_rules


def env(**kwargs: Any) -> Env:
    """Return `raw_env` in PettingZoo's usual wrappers.

    Args:
        **kwargs: Arguments of `raw_env`.
    """
    return Wrapped(raw_env(**kwargs))


class raw_env(SideAEC):  # noqa: N801  # as PettingZoo names it
    """PettingZoo AEC environment for UNO; the module docstring describes its spaces and rewards. It can be pickled and copied.

    Args:
        rules: Rules of the game, or the name of a preset.
        scoring: `"winner"` or `"points"`.
        render_mode: `None`, `"ansi"`, `"human"`, `"svg"` or `"rgb_array"`.
        **changes: Fields of `UnoRules` to change, such as `players=4`.

    Raises:
        ConfigError: An argument is invalid.
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
        """Rules of the game."""
        self.layout, self.state_layout = windows_of(self.rules)
        super().__init__(KernelUnoGame(self.rules), scoring=scoring, render_mode=render_mode, set_up={"deck": self._of_deck})

    def _of_deck(self, deck: Any, stream: int) -> UnoGame:
        """Return the game for a deck given in the reset options."""
        return UnoGame(self.rules, parse_cards(deck) if isinstance(deck, str) else items_of(deck, "deck"), stream)
