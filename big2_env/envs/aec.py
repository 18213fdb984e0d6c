"""Big Two (大老二) as a PettingZoo environment: the page of `env` and `raw_env`.

| | |
| --- | --- |
| Creation | `from big2_env.envs.aec import env, raw_env` or `pettingzoo.make("aec", "big2/Big2-v0")` (PettingZoo 1.27) |
| Actions | Discrete |
| Parallel API | no: strict turns |
| Manual control | `big2 play` |
| Agents | `player_0`, `player_1`, `player_2`, `player_3`: the seats; as many as play |
| Action shape, values | Discrete(1379) |
| Observation shape, values | (547,), 0 or 1 |

## Description

Four players get 13 cards each. The holder of C[3] opens with a play that contains it; then each player in turn passes or beats
the top play with a play of the same pattern. Three passes in a row clear the table, and the top player leads anything. The
first empty hand wins. With `num_players=2` or `3` the cards left over are set aside face down.

Numbers on this page are those of ruleset `big2` with four players. Every ruleset runs here, with spaces of other sizes: those of
`big2_env`, variants of them, ruleset files, and rulesets of your own.

`env` is `raw_env` in PettingZoo's usual wrappers: an illegal act ends the game with -1 for who made it and 0 for the others, an
act outside the space fails an assertion, calls out of order are refused. The wrappers cost time (`benchmarks/aec.py` says how
much): train on `raw_env`, which checks every act as well and raises instead.

## Action Space

`Discrete(1379)`, the hand slots of `big2_env.climbing.actions`: 0 is the pass, any other id names places in the sorted hand
(one, two or five of them), the same places that the text format's indices name. `raw_env().actions` translates both ways.

## Observation Space

A dict of `observation`, int8 or float32, and `action_mask`, int8. Each entry of the observation is a claim that is true or
false, filled from the seat's view and so from nothing that the seat may not know. Cards stand in ascending order, seats by
their distance from the viewer: 0 is the viewer, 1 who moves after it. `raw_env().layout.named(observation)` gives the windows.

| first entry | window | shape | a 1 says |
| --- | --- | --- | --- |
| 0 | `hand` | 52 | the viewer holds the card |
| 52 | `slots` | 13 x 13 | the card at this place of the viewer's sorted hand has this value |
| 221 | `top` | 52 | the card is part of the top play |
| 273 | `top_pattern` | 4 | the top play is of this pattern, in the ruleset's order |
| 277 | `top_seat` | 4 | this seat made the top play |
| 281 | `passed` | 4 | this seat has passed and is not asked again for now |
| 285 | `cards_left` | 4 x 13 | this seat holds more than this many cards |
| 337 | `played` | 4 x 52 | this seat has played the card |
| 545 | `obligation` | 1 | the play must contain the lowest dealt card |
| 546 | `leading` | 1 | the table is clear: whoever is to move opens a trick |

`observe` answers for every agent at any time, after the end too, with new arrays each time.

`state()` is for centralised critics: it sees everything, all four hands included, and belongs to no seat. Seats are absolute.
`raw_env().state_layout.named(state)` gives its windows.

| first entry | window | shape | a 1 says |
| --- | --- | --- | --- |
| 0 | `hands` | 4 x 52 | the seat holds the card |
| 208 | `played` | 4 x 52 | the seat has played the card |
| 416 | `turn` | 4 | the seat is to move; all 0 once the game is over |
| 420 | `top` | 52 | the card is part of the top play |
| 472 | `top_pattern` | 4 | the top play is of this pattern, in the ruleset's order |
| 476 | `top_seat` | 4 | the seat made the top play |
| 480 | `passed` | 4 | the seat has passed and is not asked again for now |
| 484 | `obligation` | 1 | the play must contain the lowest dealt card |
| 485 | `leading` | 1 | the table is clear: whoever is to move opens a trick |

## Legal Actions Mask

`action_mask`, int8 `(1379,)`: 1 for each legal id. All zero for every agent but the one to move, and for everyone after the
end; never all zero for the one to move. `big2_env.testing.check_masks` checks this for any AEC environment.

## Rewards

0 until the game ends; then every agent gets its payoff, whoever made the last act. By default +1 for the winner and -1/3 for
each loser; with `scoring="cards"` each loser pays one for each card left and the winner gets the sum; or any `Settlement`. Shaped rewards are those of one learner:
see `big2_env.envs.shaping` for the environments that have them.

## Episode End

All agents terminate when the game ends. Nothing is ever truncated. No game has more acts than
`big2_env.climbing.game.max_acts(ruleset, num_players)`: 208 here, 174 in `dou_dizhu`, 540 with ten players of `wu_gua_pi`.

## Other Games

Every game that `big2 games` lists has its id. Auctions are moves with masks like any other; the pass says no. Where suits never
matter an id names ranks and a reading (`big2_env.climbing.actions`), so 44443333 in `dou_dizhu_x` is three actions. That table
has 27,474 entries in `dou_dizhu`: the 27,472 acts of the literature (DouZero, RLCard), the pass among them, then call and rob;
95,355 in `dou_dizhu_x`, 7,955 in `dou_dizhu_4p`, 3,967 in `three_two_one`. Windows that only some games have stand behind those
above; `big2_env.climbing.encoding.layout` describes them. `big2 games` has the bound on the acts of each game.

## Arguments

| argument | default | meaning |
| --- | --- | --- |
| `ruleset` | `"big2"` | a `RuleSet`, its name, a ruleset file (`*.json`, `*.toml`) or `MODULE:NAME` |
| `scoring` | `None` | `"winner"`, `"cards"` or a `Settlement`; `None` leaves the ruleset's own |
| `num_players` | `None` | how many play, where the ruleset allows several numbers; `None` is its default, `RuleSet.default_players` |
| `encoder` | `None` | what makes an agent's observation of its view instead: an object with a `space` and `encode(view)` (`big2_env.envs.options`) |
| `dtype` | `"int8"` | `"int8"` or `"float32"`, of the observation and the state |
| `render_mode` | `None` | `"ansi"`: `render` returns the text format's log so far; `"human"`: it is printed as it happens; `"svg"`: a picture of the table with all hands open; `"rgb_array"`: the same as pixels, uint8 (600, 960, 3), with the extra `pictures` |
| `names` | `None` | the players' names in the log; `None` is the agents' names |
| `skip_forced` | `False` | the engine passes for a player whose only legal act is the pass; the log shows these passes |
| `engine` | `"auto"` | `"compiled"` (numba, which compiles for some seconds at first), `"reference"` (plain Python), or both: the first games by reference, while the compiled rules are made in the background, where the ruleset compiles; they differ in speed alone |

`reset(seed)` seeds the environment's own generator, from which every deal's seed is drawn. `reset(options=...)` may set up the
game with one of `deck`, `hands` and `position` (see `big2_env.envs.options`).

## Version History

* v0: first version.
"""  # noqa: E501  # a table's row is one line

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy.typing as npt
from gymnasium.error import ResetNeeded
from pettingzoo import AECEnv

from big2_env.climbing.encoding.observation import StateLayout
from big2_env.climbing.game import Game
from big2_env.climbing.ruleset import RuleSet
from big2_env.climbing.rulesets import ruleset as ruleset_of
from big2_env.climbing.settlement import Settlement
from big2_env.envs.aec_base import AecBase, wrap
from big2_env.envs.options import START_OPTIONS, Encoder, checked_encoder, draw_seed, game_set_up, known_options
from big2_env.envs.screen import RENDER_MODES, Picture, Screen, seat_names
from big2_env.envs.turn_engine import TurnEngine, for_next_game, make_engine


def env(**kwargs: Any) -> AECEnv:
    """`raw_env` with the same arguments, in PettingZoo's usual wrappers."""
    return wrap(raw_env(**kwargs))


class raw_env(AecBase):  # noqa: N801  # as PettingZoo names it
    """The environment itself; see the module's page. It pickles and copies together with its game.

    Raises:
        ConfigError: an argument that cannot be served.
        NotationError: a name that cannot be printed.
    """

    metadata: dict[str, Any] = {  # noqa: RUF012  # as the base class has it
        "name": "big2_v0",
        "render_modes": RENDER_MODES,
        "render_fps": 2,
        "is_parallelizable": False,
    }

    def __init__(
        self,
        ruleset: str | RuleSet = "big2",
        *,
        scoring: str | Settlement | None = None,
        num_players: int | None = None,
        encoder: Encoder | None = None,
        dtype: npt.DTypeLike = "int8",
        render_mode: str | None = None,
        names: Sequence[str] | None = None,
        skip_forced: bool = False,
        engine: str = "auto",
    ) -> None:
        super().__init__()
        rules = ruleset_of(ruleset)
        self.ruleset = rules if scoring is None else rules.with_scoring(scoring)
        self._engine = make_engine(self.ruleset, num_players, dtype, skip_forced=skip_forced, kind=engine)
        self._screen = Screen(render_mode)
        self.actions = self._engine.space
        self.layout = self._engine.layout
        self.state_layout = StateLayout(self.ruleset, self._engine.num_players)
        self.render_mode = render_mode
        self.metadata = {**type(self).metadata, "name": f"{self.ruleset.name}_v0"}
        sizes = self.layout.size, self.actions.n, self.state_layout.size
        self._encoder = checked_encoder(encoder)
        self._set_spaces(self._engine.num_players, *sizes, self._engine.dtype, seen=None if encoder is None else encoder.space)
        self.names = seat_names(names, self.possible_agents)
        """The players' names in the log."""

    def _running(self, call: str) -> TurnEngine:
        if not self._engine.is_started:
            raise ResetNeeded(f"{call} before the first game: call reset() first")
        return self._engine

    @property
    def game(self) -> Game:
        """The game as it stands, hidden cards included: to look at, not to play."""
        return self._running("game").game

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Start a game: dealt, or as the options set it up.

        Raises:
            ConfigError, NotationError: options that set up no game; the game before goes on.
        """
        rng = self._generator(seed)
        given = known_options(options, *START_OPTIONS)
        number, game = draw_seed(rng), game_set_up(self.ruleset, len(self.possible_agents), given)
        self._engine = for_next_game(self._engine)
        if game is None:
            self._engine.deal(number)
        else:
            self._engine.start(game)
        self._begin(rng, self._engine.turn)
        if self._screen.is_live:
            self._screen.start(self._engine.game, self.names)

    def observe(self, agent: str) -> dict[str, npt.NDArray[Any]]:
        """What an agent sees now, and its legal acts.

        Raises:
            ConfigError: there is no such agent.
            ResetNeeded: there is no game yet.
        """
        engine = self._engine
        if not engine.is_started:
            self._running("observe()")
        seat = self._seat(agent)
        observation, mask = engine.observe(seat)
        if self._is_done(agent):
            mask[:] = 0
        if self._encoder is not None:
            observation = self._encoder.encode(engine.game.view(seat))
        return {"observation": observation, "action_mask": mask}

    def state(self) -> npt.NDArray[Any]:
        """The whole game, every hand included, int8 or float32 `(size,)`. Raises ResetNeeded when there is no game yet."""
        return self.state_layout.encode(self._running("state()").game, self._engine.dtype)

    def step(self, action: Any) -> None:
        """Make the act of the selected agent; `None` for one that has terminated. A refused act changes nothing.

        Raises:
            ConfigError: no action has that number.
            IllegalPlayError: the action is not legal now, with the reason.
            ResetNeeded: there is no game, or every agent is done.
        """
        engine = self._engine
        if not engine.is_started:
            self._running("step()")
        if not self._make_action(action, engine.act, self.actions.n):
            return
        if engine.is_over:
            self._pay(engine.payoffs())
        self.agent_selection = self.possible_agents[engine.turn]
        if self._screen.is_live:
            engine.sync()
            self._screen.refresh()

    def render(self) -> Picture | None:
        """The text format's log so far in mode `ansi`, the table with all hands open in modes `svg` and `rgb_array`.

        In mode `human` the log has been printed, and this is `None`.
        """
        return self._screen.render(self._running("render()").game, self.names)
