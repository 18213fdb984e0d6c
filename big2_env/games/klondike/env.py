"""Klondike as a Gymnasium environment, `big2/Klondike-v0`: the page of `KlondikeEnv`.

## Action Space

`Discrete(417)`: the acts of `big2_env.games.klondike.actions`; 0 deals one card. There is no undo.

## Observation Space

A flat `Box` of zeros and ones, int8, `(1910,)`, filled from the player's view alone: face-down cards, and those of the dealer
area that have not been dealt yet, are not in it. `env.layout.named(observation)` cuts it into its windows.

## Legal Actions Mask

`info["action_mask"]`, int8 `(417,)`, the form that `action_space.sample(mask)` asks for; `action_masks()` the same as bool.
Never empty while the game goes on, all zero after the end.

## Rewards

`reward="win"`: 1 when the game is won, otherwise 0. `reward="score"`: what the act adds to the score, at the end of a won game
with what the cards left add.

## Episode End

Terminated when the game is won, or when nothing but dealing is left, now and later (`info["stuck"]`). Truncated after
`max_acts` acts: one can turn in circles for ever. An action that is not legal terminates too, with `illegal_reward` and the
reason in `info["illegal"]`; with `on_illegal="raise"` it raises and changes nothing. `info` has `score` and `is_won`.

`reset(seed)` seeds the deals; `reset(options={"deck": ...})` takes the 52 cards as a text or as numbers.

## Render Modes

`"ansi"`: `render` returns the player's view as text; `"human"`: it is printed as it happens; `"svg"`: a picture of that view;
`"rgb_array"`: the same as pixels, uint8 `(760, 860, 3)`, with the extra `pictures`.

## Version History

* v0: first version.
"""

from __future__ import annotations

from operator import index
from typing import Any, TypeAlias

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium import spaces
from gymnasium.error import ResetNeeded

from big2_env.envs.options import checked_illegal, draw_seed, illegal_text, items_of, known_options
from big2_env.envs.screen import RENDER_MODES, Picture, check_render_mode, picture, warn_of_no_mode
from big2_env.errors import ConfigError, IllegalPlayError
from big2_env.games.klondike.actions import NUM_ACTS, act_text
from big2_env.games.klondike.cards import parse_cards, shuffled
from big2_env.games.klondike.episode import check_episode
from big2_env.games.klondike.game import KlondikeGame
from big2_env.games.klondike.observation import LAYOUT, observe
from big2_env.games.klondike.scene import scene
from big2_env.games.klondike.view import KlondikeView

Array: TypeAlias = npt.NDArray[Any]


class KlondikeEnv(gymnasium.Env[Array, np.int64]):
    """One player's game of Klondike; see the module's page.

    Raises:
        ConfigError: an argument that cannot be served.
    """

    metadata: dict[str, Any] = {"render_modes": RENDER_MODES, "render_fps": 2}  # noqa: RUF012  # as the base class has it

    def __init__(
        self,
        *,
        reward: str = "win",
        max_acts: int = 1000,
        on_illegal: str = "terminate",
        illegal_reward: float = -1.0,
        render_mode: str | None = None,
    ) -> None:
        check_episode(reward, max_acts)
        self.reward = reward
        self.max_acts = max_acts
        self.on_illegal = on_illegal
        self.illegal_reward = checked_illegal(on_illegal, illegal_reward)
        self.render_mode = check_render_mode(render_mode)
        self.layout = LAYOUT
        """The windows of an observation."""
        self.observation_space = spaces.Box(0, 1, (LAYOUT.size,), np.int8)
        self.action_space = spaces.Discrete(NUM_ACTS)
        self._game: KlondikeGame | None = None
        self._is_running = False

    @property
    def game(self) -> KlondikeGame:
        """The game as it stands, hidden cards included: to look at, not to play."""
        if self._game is None:
            raise ResetNeeded("game before the first reset: call reset() first")
        return self._game

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Array, dict[str, Any]]:
        """Deal a game.

        Raises:
            ConfigError, NotationError: options that are no deck.
        """
        super().reset(seed=seed)
        deal = draw_seed(self.np_random)
        deck = known_options(options, "deck").get("deck")
        if deck is None:
            cards = shuffled(deal)
        else:
            cards = parse_cards(deck) if isinstance(deck, str) else tuple(items_of(deck, "deck"))
        self._game, self._is_running = KlondikeGame(cards), True
        self._show()
        return self._look(self._game.view())

    def step(self, action: Any) -> tuple[Array, float, bool, bool, dict[str, Any]]:
        """Do an act.

        Raises:
            ConfigError: no action has that number.
            IllegalPlayError: with `on_illegal="raise"`, an action that is not legal now.
            ResetNeeded: no game is running.
        """
        if not self._is_running:
            when = "before the first episode" if self._game is None else "after the end of the episode"
            raise ResetNeeded(f"step() {when}: call reset() first")
        game = self.game
        before = game.score
        try:
            act = index(action)
            game.play(act)
        except TypeError:
            raise ConfigError(f"expected an integer action of 0 to {NUM_ACTS - 1}, got {action!r}") from None
        except IllegalPlayError as error:
            message = illegal_text(error, action, self.on_illegal)
            self._is_running = False
            observation, info = self._look(game.view())
            return observation, self.illegal_reward, True, False, info | {"illegal": message}
        view = game.view()
        stuck = len(view.acts) < 2 and game.is_stuck
        terminated = game.is_won or stuck
        truncated = not terminated and len(game.history) >= self.max_acts
        self._is_running = not (terminated or truncated)
        self._show(act)
        reward = float(game.is_won) if self.reward == "win" else float(game.score - before)
        observation, info = self._look(view)
        return observation, reward, terminated, truncated, info | ({"stuck": True} if stuck else {})

    def action_masks(self) -> npt.NDArray[np.bool_]:
        """The legal actions, bool `(417,)`; all false after the end. Raises ResetNeeded before a reset."""
        mask = np.zeros(NUM_ACTS, np.bool_)
        acts = self.game.legal_acts()
        if self._is_running:
            mask[list(acts)] = True
        return mask

    def render(self) -> Picture | None:
        """The player's view: as text in mode `ansi`, as a picture in modes `svg` and `rgb_array`.

        In mode `human` the text has been printed, and this is `None`.
        """
        if self.render_mode is None:
            warn_of_no_mode()
        if self.render_mode == "ansi":
            return self.game.view().text()
        return picture(self.render_mode, scene(self.game))

    def _look(self, view: KlondikeView) -> tuple[Array, dict[str, Any]]:
        """What the player sees, and the info."""
        mask = bytearray(NUM_ACTS)
        for act in view.acts if self._is_running else ():
            mask[act] = 1
        return observe(view), {"action_mask": np.frombuffer(mask, np.int8), "score": view.score, "is_won": view.is_won}

    def _show(self, act: int | None = None) -> None:
        """In mode `human` print the last act and the view."""
        if self.render_mode == "human":
            print(*([] if act is None else [act_text(act)]), self.game.view().text(), sep="\n", flush=True)
