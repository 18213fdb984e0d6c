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

from operator import index
from typing import Any

import numpy as np
import numpy.typing as npt
from gymnasium.error import ResetNeeded
from pettingzoo import AECEnv

from big2_env.envs.aec_base import AecBase, wrap
from big2_env.envs.options import draw_seed, items_of, known_options
from big2_env.envs.screen import RENDER_MODES, Picture
from big2_env.errors import ConfigError
from big2_env.games.uno.actions import NUM_ACTS
from big2_env.games.uno.cards import parse_cards
from big2_env.games.uno.game import UnoGame
from big2_env.games.uno.kernel_game import KernelUnoGame
from big2_env.games.uno.observation import UnoLayout, UnoStateLayout
from big2_env.games.uno.outcome import SCORINGS
from big2_env.games.uno.rendering import UnoScreen
from big2_env.games.uno.rules import UnoRules, uno_rules


def env(**kwargs: Any) -> AECEnv:
    """`raw_env` with the same arguments, in PettingZoo's usual wrappers."""
    return wrap(raw_env(**kwargs))


class raw_env(AecBase):  # noqa: N801  # as PettingZoo names it
    """The environment itself; see the module's page. It pickles and copies together with its game.

    Raises:
        ConfigError: an argument that cannot be served.
    """

    metadata: dict[str, Any] = {  # noqa: RUF012  # as the base class has it
        "name": "uno_v0",
        "render_modes": RENDER_MODES,
        "render_fps": 2,
        "is_parallelizable": False,
    }

    def __init__(
        self,
        rules: str | UnoRules = "table",
        *,
        scoring: str = "winner",
        render_mode: str | None = None,
        **changes: Any,
    ) -> None:
        super().__init__()
        self.rules = uno_rules(rules, **changes)
        """The game's rules."""
        if scoring not in SCORINGS:
            raise ConfigError(f"unknown scoring {scoring!r}; expected one of {', '.join(SCORINGS)}")
        self.scoring, self.render_mode = scoring, render_mode
        self.layout, self.state_layout = UnoLayout(self.rules), UnoStateLayout(self.rules)
        self._set_spaces(self.rules.players, self.layout.size, NUM_ACTS, self.state_layout.size, np.int8)
        self._table = KernelUnoGame(self.rules)
        self._screen = UnoScreen(render_mode, self.possible_agents, scoring)
        self._is_started = False

    def _running(self, call: str) -> KernelUnoGame:
        if not self._is_started:
            raise ResetNeeded(f"{call} before the first game: call reset() first")
        return self._table

    @property
    def game(self) -> UnoGame:
        """The game as it stands, hidden cards included: to look at, not to play."""
        return self._running("game").game

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Start a game: dealt, or from the deck that the options give.

        Raises:
            ConfigError, NotationError: options that set up no game; the game before goes on.
        """
        given = known_options(options, "deck")
        rng = self._generator(seed)
        drawn = draw_seed(rng)
        deck = given.get("deck")
        if deck is None:
            self._table.deal(drawn)
        else:
            self._table.start(parse_cards(deck) if isinstance(deck, str) else items_of(deck, "deck"), drawn)
        self._is_started = True
        self._begin(rng, self._table.turn)
        if self._screen.tells:
            self._screen.start(self.game)

    def observe(self, agent: str) -> dict[str, npt.NDArray[Any]]:
        """What an agent sees now, and its legal acts, in new arrays.

        Raises:
            ConfigError: there is no such agent.
            ResetNeeded: there is no game yet.
        """
        if not self._is_started:
            self._running("observe()")
        observation, mask = self._table.look(self._seat(agent))
        if self._is_done(agent):
            mask[:] = 0
        return {"observation": observation, "action_mask": mask}

    def state(self) -> npt.NDArray[np.int8]:
        """The whole game, every hand included, int8 `(size,)`. Raises ResetNeeded when there is no game yet."""
        return self.state_layout.encode(self._running("state()").game)

    def step(self, action: Any) -> None:
        """Make the act of the selected agent; `None` for one that has terminated. A refused act changes nothing.

        Raises:
            ConfigError: no action has that number.
            IllegalPlayError: the action is not legal now, with the reason.
            ResetNeeded: there is no game, or every agent is done.
        """
        table = self._table
        if not self._is_started:
            self._running("step()")
        seat = table.turn
        if not self._make_action(action, table.act, NUM_ACTS):
            return
        if self._screen.tells:
            self._screen.act(seat, index(action))
        if not table.is_over:
            self.agent_selection = self.possible_agents[table.turn]
            return
        outcome = table.outcome
        self._pay(outcome.payoffs(self.scoring))
        self._screen.end(outcome)

    def render(self) -> Picture | None:
        """The acts so far in mode `ansi`, the table with all hands open in modes `svg` and `rgb_array`.

        In mode `human` the acts have been printed, and this is `None`.
        """
        return self._screen.render(self._running("render()").game)
