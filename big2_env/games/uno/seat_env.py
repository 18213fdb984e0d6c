"""One seat of UNO against given opponents, as a Gymnasium environment: the page of `UnoSeatEnv`.

    import big2_env, gymnasium
    env = gymnasium.make("big2/Uno-v0", players=2, opponents="automatic")

Actions, masks and observations are those of `big2_env.games.uno.aec`. The mask is `infos["action_mask"]`, int8 `(62,)`, and
`action_masks()`, bool; `infos["seat"]` is the learner's seat. The opponents act inside `reset` and `step`.

| argument | default | meaning |
| --- | --- | --- |
| `opponents` | `"random"` | a name: `"random"`, `"automatic"` (the player of `big2_env.games.uno.automatic`), `"learned"`, `"search"`, `"search:100"`, `"rule-v1"`; or a function `(view, rng) -> act`; one for all, or a list with one for each seat after the learner's |
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
from copy import deepcopy
from operator import index
from typing import Any, Final, Self, TypeAlias

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium import spaces
from gymnasium.error import ResetNeeded

from big2_env.envs.options import SeatChoice, checked_illegal, draw_seed, illegal_text, known_options
from big2_env.envs.screen import RENDER_MODES, Picture
from big2_env.errors import ConfigError, IllegalPlayError
from big2_env.games.uno.actions import NUM_ACTS
from big2_env.games.uno.game import UnoGame
from big2_env.games.uno.named_players import UnoPlayer, seeded_act, uno_player
from big2_env.games.uno.observation import UnoLayout
from big2_env.games.uno.outcome import SCORINGS
from big2_env.games.uno.rendering import UnoScreen
from big2_env.games.uno.rules import UnoRules, uno_rules
from big2_env.games.uno.view import checked_salt
from big2_env.kernels.opponents import one_each
from big2_env.notation.seat_names import seat_names

Opponent: TypeAlias = str | UnoPlayer
MAX_DEALS: Final = 1000
"""Games in a row that may end before the learner's first turn."""


class UnoSeatEnv(gymnasium.Env[npt.NDArray[np.int8], np.int64]):
    """One learner's seat of UNO against given opponents; see the module's page.

    Raises:
        ConfigError: an argument that cannot be served.
    """

    metadata: dict[str, Any] = {"render_modes": RENDER_MODES, "render_fps": 2}  # noqa: RUF012  # as the base class has it

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
        if scoring not in SCORINGS:
            raise ConfigError(f"expected scoring {' or '.join(map(repr, SCORINGS))}, got {scoring!r}")
        self._seats = SeatChoice(seat, self.rules.players)
        self.render_mode = render_mode
        self._screen = UnoScreen(render_mode, seat_names(None, self.rules.players), scoring)
        self.scoring, self.on_illegal, self.illegal_reward = scoring, on_illegal, checked_illegal(on_illegal, illegal_reward)
        self.opponents = _opponents_of(opponents, self.rules.players - 1)
        """The opponents, the first one on the seat after the learner's."""
        self.agent_seed = checked_salt(agent_seed)
        """The salt of the opponents' random numbers."""
        self.layout = UnoLayout(self.rules)
        """The windows of an observation."""
        self.observation_space = spaces.Box(0, 1, (self.layout.size,), np.int8)
        self.action_space = spaces.Discrete(NUM_ACTS)
        self.seat = 0
        """The learner's seat in this episode."""
        self._game: UnoGame | None = None
        self._is_running = False

    def __copy__(self) -> Self:
        return deepcopy(self)

    @property
    def game(self) -> UnoGame:
        """The game as it stands, hidden cards included: to look at, not to play. Raises ResetNeeded before the first reset."""
        if self._game is None:
            raise ResetNeeded("no game before the first reset: call reset() first")
        return self._game

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[npt.NDArray[np.int8], dict[str, Any]]:
        """Deal a game and let the opponents play up to the learner's first turn. There are no options; any are warned about.

        Raises:
            ConfigError: options that are no mapping; an opponent's act that is not legal; games that end again and again
                before the learner is asked.
        """
        known_options(options)
        super().reset(seed=seed)
        self._seats.begin(anew=seed is not None)
        for _ in range(MAX_DEALS):
            self.seat = self._seats.seat(int(self.np_random.integers(self.rules.players)) if self._seats.is_drawn else 0)
            self._game = UnoGame.deal(self.rules, draw_seed(self.np_random))
            self._screen.start(self._game)
            self._let_opponents_act(self._game)
            if self._is_running:
                return self._look()
        raise ConfigError(f"{MAX_DEALS} games in a row ended before seat {self.seat} was asked")

    def step(self, action: Any) -> tuple[npt.NDArray[np.int8], float, bool, bool, dict[str, Any]]:
        """Make the learner's act and let the opponents act up to its next turn or the end.

        Raises:
            ConfigError: no action has that number; an opponent's act is no legal one.
            IllegalPlayError: with `on_illegal="raise"`, an action that is not legal now.
            ResetNeeded: no game is running.
        """
        if not self._is_running:
            raise ResetNeeded("step() without a running episode: call reset() first")
        game = self.game
        try:
            game.play(index(action))
        except TypeError:
            raise ConfigError(f"expected an integer 0 to {NUM_ACTS - 1} as action, got {action!r}") from None
        except IllegalPlayError as error:
            message = illegal_text(error, action, self.on_illegal)
            self._is_running = False
            observation, info = self._look()
            return observation, self.illegal_reward, True, False, info | {"illegal": message}
        self._screen.act(self.seat, index(action))
        self._let_opponents_act(game)
        observation, info = self._look()
        if game.outcome is None:
            return observation, 0.0, False, False, info
        payoffs = np.array(game.outcome.payoffs(self.scoring))
        return observation, float(payoffs[self.seat]), True, False, info | {"payoffs": payoffs}

    def action_masks(self) -> npt.NDArray[np.bool_]:
        """The learner's legal actions, bool `(62,)`; all false after the end. Raises ResetNeeded before a reset."""
        mask = np.zeros(NUM_ACTS, np.bool_)
        acts = self.game.view(self.seat).acts
        if self._is_running:
            mask[list(acts)] = True
        return mask

    def render(self) -> Picture | None:
        """The acts so far in mode `ansi`, the table as the learner sees it in modes `svg` and `rgb_array`.

        In mode `human` the acts have been printed, and this is `None`. Raises ResetNeeded before a reset.
        """
        return self._screen.render(self.game, self.seat)

    def _look(self) -> tuple[npt.NDArray[np.int8], dict[str, Any]]:
        """What the learner sees, and the info."""
        return self.layout.encode(self.game.view(self.seat)), {
            "action_mask": self.action_masks().view(np.int8),
            "seat": self.seat,
        }

    def _let_opponents_act(self, game: UnoGame) -> None:
        """Play for the other seats until the learner is to move or the game is over."""
        self._is_running = False  # stays so when an opponent fails
        while not game.is_over and game.turn != self.seat:
            opponent, view = self.opponents[(game.turn - self.seat) % self.rules.players - 1], game.view()
            act = seeded_act(opponent, view, salt=self.agent_seed)
            game.play(act)
            self._screen.act(view.seat, act)
        self._is_running = not game.is_over
        if game.outcome is not None:
            self._screen.end(game.outcome)


def _opponents_of(given: Opponent | Sequence[Opponent], number: int) -> tuple[UnoPlayer, ...]:
    """The opponents that were given, one for all or one for each.

    Raises:
        ConfigError: another number of them, a name that there is not, or what is no function.
    """
    several = one_each(given, number)
    for one in several:
        if not isinstance(one, str) and not callable(one):
            raise ConfigError(f"expected a player's name or a function (view, rng) -> act as opponent, got {one!r}")
    return tuple(uno_player(one) if isinstance(one, str) else one for one in several)
