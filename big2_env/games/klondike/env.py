"""Klondike as a Gymnasium environment, `big2/Klondike-v0`: the page of `KlondikeEnv`.

## Action Space

`Discrete(417)`: the acts of `big2_env.games.klondike.cards`; 0 deals one card. There is no undo.

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

from typing import Any

from big2_env.envs.options import items_of
from big2_env.envs.side_seat import SideSeatEnv
from big2_env.games.klondike.cards import parse_cards
from big2_env.games.klondike.game import KlondikeGame, check_episode
from big2_env.games.klondike.observation import LAYOUT
from big2_env.games.klondike.view import KlondikeView
from big2_env.side_game import SideGame


class KlondikeEnv(SideSeatEnv):
    """One player's game of Klondike; see the module's page.

    Raises:
        ConfigError: an argument that cannot be served.
    """

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
        self.reward, self.layout = reward, LAYOUT
        super().__init__(
            KlondikeGame.deal,
            seat=0,
            scoring=reward,
            max_moves=max_acts,
            on_illegal=on_illegal,
            illegal_reward=illegal_reward,
            render_mode=render_mode,
            set_up={"deck": _of_deck},
        )

    def _standing(self, game: SideGame) -> float:
        """The score before a move."""
        assert isinstance(game, KlondikeGame)
        return game.score

    def _reward(self, game: SideGame, before: float, over: bool) -> tuple[float, dict[str, Any]]:
        """1 for the win, or what the move adds to the score."""
        assert isinstance(game, KlondikeGame)
        ended = {"stuck": True} if over and not game.is_won else {}
        return float(game.is_won) if self.reward == "win" else game.score - before, ended

    def _info(self, view: KlondikeView) -> dict[str, Any]:
        """The score, and whether the game is won."""
        return {"score": view.score, "is_won": view.is_won}


def _of_deck(deck: Any, seed: int) -> KlondikeGame:
    """The game of a deck that the reset options give."""
    return KlondikeGame(parse_cards(deck) if isinstance(deck, str) else tuple(items_of(deck, "deck")))
