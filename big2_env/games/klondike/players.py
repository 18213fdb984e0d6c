"""Players of Klondike that see what a person sees, to compare the hints with: chance, and a rule of thumb.

A player is a function from a view and a `random.Random` to an act. `big2_env.games.klondike.hint` is the strong one.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Final, TypeAlias

from big2_env.games.klondike.actions import DEAL, FOUNDATION, move_of
from big2_env.games.klondike.cards import KING, rank_of
from big2_env.games.klondike.game import KlondikeGame
from big2_env.games.klondike.view import KlondikeView

Player: TypeAlias = Callable[[KlondikeView, random.Random], int]
MAX_ACTS: Final = 1000
"""Acts after which a game is given up: one can turn in circles for ever."""


def random_player(view: KlondikeView, rng: random.Random) -> int:
    """Any legal act, each as likely."""
    return rng.choice(view.acts)


def rule_player(view: KlondikeView, rng: random.Random) -> int:
    """What a person plays by a rule of thumb: the best kind of act there is, and one of its kind by chance.

    Turn a card, the deepest pile first; else a card to its foundation; else a king to an empty pile; else a card of the
    dealer area onto a pile; else empty a pile, where a king waits for one; else deal. Nothing comes down from the foundations.
    """
    ranked = [(_value(view, act), rng.random(), act) for act in view.acts]
    return max(ranked)[2]


def _value(view: KlondikeView, act: int) -> int:
    """How good the kind of an act is."""
    move = move_of(act)
    if move is None:
        return 0
    card, target = move
    pile = next((number for number, up in enumerate(view.up) if card in up), None)
    if pile is not None and view.down[pile] and card == view.up[pile][0]:
        return 10 + view.down[pile]
    if target == FOUNDATION:
        return 5
    if card in view.window:
        return 4 if rank_of(card) == KING else 3
    if pile is not None and card == view.up[pile][0] and rank_of(card) < KING and _king_waits(view):
        return 2
    return -1


def _king_waits(view: KlondikeView) -> bool:
    """Whether a king could use an empty pile: one that can be taken from the dealer area, or one on face-down cards."""
    roots = [up[0] for up, down in zip(view.up, view.down, strict=True) if down]
    return any(rank_of(card) == KING for card in (*view.window, *roots))


def played_by(player: Player, seed: int, *, max_acts: int = MAX_ACTS, salt: int = 0) -> KlondikeGame:
    """Return the game of a seed as a player plays it: to its win, to a round of nothing but deals, or for so many acts.

    The player's random numbers follow from what it sees, the number of acts and the salt.
    """
    game, deals = KlondikeGame.deal(seed), 0
    while not game.is_won and len(game.history) < max_acts and deals <= len(game.state.dealer) and (view := game.view()).acts:
        act = player(view, random.Random(view.seed(acts=len(game.history), salt=salt)))
        deals = deals + 1 if act == DEAL else 0
        game.play(act)
    return game
