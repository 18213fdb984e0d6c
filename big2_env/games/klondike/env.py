"""Klondike as a Gymnasium environment: `big2/Klondike-v0`.

## Description

One player, draw one, unlimited passes through the dealer area. `gymnasium.make_vec("big2/Klondike-v0", num_envs=N)` plays many
games at once (`big2_env.games.klondike.vector`). `KlondikeEnv` lists the arguments.

## Action Space

`Discrete(417)`: the moves of `big2_env.games.klondike.cards`; 0 deals one card. Undo is not available.

## Observation Space

A flat `Box` of zeros and ones, int8, `(1910,)`, computed from the player's view. It contains no face-down cards and no cards of
the dealer area that have not been dealt yet. `env.layout.named(observation)` splits it into named windows.

## Legal Actions Mask

`info["action_mask"]` is int8 `(417,)`, the form that `action_space.sample(mask)` expects; `action_masks()` returns it as bool.
At least one action is legal until the game is over; then the mask is all zero.

## Rewards

* `reward="win"`: 1 when the game is won, otherwise 0.
* `reward="score"`: the change of the score. The winning move also earns the bonus for remaining cards.

## Episode End

Terminated when the game is won, or when every card of the dealer area has been seen and only deals are left, now and after any
number of deals (`info["stuck"]`). Truncated after `max_moves` actions, because a game can repeat positions forever. An illegal
action terminates the episode with `illegal_reward` and the reason in `info["illegal"]`; with `on_illegal="raise"` it raises and
changes nothing. `info` also has `score` and `is_won`.

`reset(seed)` seeds the deals. `reset(options={"deck": ...})` sets the 52 cards, given as text or as numbers.

## Render Modes

* `"ansi"`: `render` returns the player's view as text.
* `"human"`: prints the view after each action.
* `"svg"`: `render` returns a picture of the view.
* `"rgb_array"`: the same picture as pixels, uint8 `(760, 860, 3)`; needs the extra `pictures`.

## Version History

* v0: first version.
"""

from __future__ import annotations

from typing import Any

from big2_env.base.side_game import SideGame
from big2_env.envs.options import items_of
from big2_env.envs.side_seat import SideSeatEnv
from big2_env.games.klondike.cards import parse_cards
from big2_env.games.klondike.game import KlondikeGame, check_episode
from big2_env.games.klondike.observation import LAYOUT
from big2_env.games.klondike.view import KlondikeView


class KlondikeEnv(SideSeatEnv):
    """Gymnasium environment for one game of Klondike; the module docstring describes its spaces and rewards.

    Args:
        reward: `"win"` (1 for a win) or `"score"` (change of the score).
        max_moves: Number of actions after which an episode is truncated.
        on_illegal: `"terminate"` or `"raise"`.
        illegal_reward: Reward of an illegal action that terminates the episode.
        render_mode: `None`, `"ansi"`, `"human"`, `"svg"` or `"rgb_array"`.

    Raises:
        ConfigError: An argument is invalid.
    """

    def __init__(
        self,
        *,
        reward: str = "win",
        max_moves: int = 1000,
        on_illegal: str = "terminate",
        illegal_reward: float = -1.0,
        render_mode: str | None = None,
    ) -> None:
        check_episode(reward, max_moves)
        self.reward, self.layout = reward, LAYOUT
        super().__init__(
            KlondikeGame.deal,
            seat=0,
            scoring=reward,
            max_moves=max_moves,
            on_illegal=on_illegal,
            illegal_reward=illegal_reward,
            render_mode=render_mode,
            set_up={"deck": _of_deck},
        )

    def _standing(self, game: SideGame) -> float:
        """Return the score before a move."""
        assert isinstance(game, KlondikeGame)
        return game.score

    def _reward(self, game: SideGame, before: float, over: bool) -> tuple[float, dict[str, Any]]:
        """Return the reward of a move (1 for a win, or the change of the score) and its additional infos."""
        assert isinstance(game, KlondikeGame)
        ended = {"stuck": True} if over and not game.is_won else {}
        return float(game.is_won) if self.reward == "win" else game.score - before, ended

    def _info(self, view: KlondikeView) -> dict[str, Any]:
        """Return the score, and whether the game is won."""
        return {"score": view.score, "is_won": view.is_won}


def _of_deck(deck: Any, seed: int) -> KlondikeGame:
    """Return the game for a deck given in the reset options."""
    return KlondikeGame(parse_cards(deck) if isinstance(deck, str) else tuple(items_of(deck, "deck")))
