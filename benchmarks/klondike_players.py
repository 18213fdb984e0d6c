"""Weak players of Klondike that use only visible cards: random moves, and a rule of thumb.

A player is a function from a view and a `random.Random` to a move.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Final, TypeAlias

from big2_env.games.klondike.cards import DEAL, FOUNDATION, KING, card_move, rank_of
from big2_env.games.klondike.game import KlondikeGame
from big2_env.games.klondike.view import KlondikeView

Player: TypeAlias = Callable[[KlondikeView, random.Random], int]
MAX_MOVES: Final = 1000
"""Moves after which a game is abandoned, because it could repeat positions forever."""


def random_player(view: KlondikeView, rng: random.Random) -> int:
    """Return a random legal move, uniformly distributed."""
    return rng.choice(view.moves)


def rule_player(view: KlondikeView, rng: random.Random) -> int:
    """Return a move of the best available kind, chosen at random among equals.

    The order of preference: turn a card (deepest pile first), move a card to its foundation, move a king to an empty pile, move
    a card of the dealer area onto a pile, empty a pile if a king can use it, deal. Cards never come down from the foundations.
    """
    ranked = [(_value(view, move), rng.random(), move) for move in view.moves]
    return max(ranked)[2]


def _value(view: KlondikeView, move: int) -> int:
    """Return the preference for a move's kind; higher is better."""
    moved = card_move(move)
    if moved is None:
        return 0
    card, target = moved
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
    """Return True if a king could use an empty pile: one on face-down cards, or one that can be taken from the dealer area."""
    roots = [up[0] for up, down in zip(view.up, view.down, strict=True) if down]
    return any(rank_of(card) == KING for card in (*view.window, *roots))


def played_by(player: Player, seed: int, *, max_moves: int = MAX_MOVES, salt: int = 0) -> KlondikeGame:
    """Play the game of a seed until it is won, the player deals a whole pass in a row, or `max_moves` is reached.

    Args:
        player: Function from a view and a `random.Random` to a move. Its generator is seeded by the view, the number of moves
            and `salt`.
        seed: Seed of the deal.
        max_moves: Maximum number of moves.
        salt: Seed for different decisions of the same player.
    """
    game, deals = KlondikeGame.deal(seed), 0
    while not game.is_won and len(game.history) < max_moves and deals <= len(game.state.dealer) and (view := game.view()).moves:
        move = player(view, random.Random(view.seed(moves=len(game.history), salt=salt)))
        deals = deals + 1 if move == DEAL else 0
        game.play(move)
    return game
